//! The same document in every format gives the same words.

use textkin_extract::{
    Error, ExtractContext, ExtractLimits, ExtractOptions, ExtractedDocument, Extraction, Extractor,
    FileKind, Note, extract, extract_with,
};

use crate::samples::{
    PARAGRAPHS, TITLE, docx, docx_of, every_format, extract_default, html, words, words_of, xlsx,
    zip,
};

/// The detected kind of each sample, in order.
const KINDS: [FileKind; 21] = [
    FileKind::Text,
    FileKind::Html,
    FileKind::Xml,
    FileKind::Markdown,
    FileKind::Latex,
    FileKind::Roff,
    FileKind::Rtf,
    FileKind::Docx,
    FileKind::Pptx,
    FileKind::Xlsx,
    FileKind::Odt,
    FileKind::Epub,
    FileKind::Email,
    FileKind::Mbox,
    FileKind::Warc,
    FileKind::Zip,
    FileKind::Tar,
    FileKind::Gzip,
    FileKind::Zstd,
    FileKind::Xz,
    FileKind::Bzip2,
];

#[test]
fn every_format_gives_the_words_of_the_document_in_order() {
    let expected = words();
    for ((name, bytes), kind) in every_format().iter().zip(KINDS) {
        assert_eq!(FileKind::detect(Some(name), bytes), kind, "{name}");
        let collected = extract_default(name, bytes).unwrap();
        assert!(collected.problems.is_empty(), "{name}: {:?}", collected.problems);
        assert!(!collected.documents.is_empty(), "{name}");
        for document in &collected.documents {
            assert_eq!(words_of(&document.text), expected, "{name}: {}", document.text);
        }
    }
}

#[test]
fn formats_without_a_distinctive_beginning_are_recognized_by_name_only() {
    for ((name, bytes), kind) in every_format().iter().zip(KINDS) {
        let without_name = FileKind::detect(None, bytes);
        assert!(
            without_name == kind || kind == FileKind::Markdown && without_name == FileKind::Text,
            "{name}"
        );
        // A misleading name changes nothing.
        let misnamed = FileKind::detect(Some("x.pdf"), bytes);
        assert_eq!(misnamed, without_name, "{name}");
    }
}

#[test]
fn hidden_sheets_and_rows_of_a_table_are_noted() {
    let table = extract_default("kin.xlsx", &xlsx()).unwrap();
    let notes: Vec<String> = table.documents[0].notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["hidden text (hidden sheet, 12 characters): nobody sees it"]);
    let sheet = "<worksheet><row hidden=\"1\"><c t=\"str\"><v>secret</v></c></row>\
        <row><c t=\"s\"><v>0</v></c><c t=\"s\"><v>9</v></c><c t=\"s\"><v>x</v></c></row></worksheet>";
    let strings = "<sst><si><r><t>rich </t></r><r><t>text</t></r><rPh><t>aid</t></rPh></si></sst>";
    let table = zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("xl/sharedStrings.xml", strings.as_bytes()),
        ("xl/worksheets/sheet1.xml", sheet.as_bytes()),
    ]);
    let document = &extract_default("a.xlsx", &table).unwrap().documents[0];
    assert_eq!(document.text, "rich text", "also without a list of sheets");
    assert_eq!(document.notes.len(), 1);
}

#[test]
fn titles_and_times_are_found() {
    for (name, bytes) in every_format() {
        let collected = extract_default(name, bytes).unwrap();
        let document = &collected.documents[0];
        if matches!(*name, "kin.html" | "kin.md" | "kin.docx" | "kin.epub" | "kin.eml" | "kin.warc")
        {
            assert_eq!(document.title.as_deref(), Some(TITLE), "{name}");
        }
        if matches!(*name, "kin.docx" | "kin.eml" | "kin.mbox" | "kin.warc") {
            assert!(document.time.as_deref().unwrap().starts_with("2024-01-02T03:04:05"), "{name}");
        }
    }
}

#[test]
fn parts_are_named_by_their_path_through_the_containers() {
    let inner = zip(&[
        ("a.docx", &docx()),
        ("deep/b.html", html().as_bytes()),
        ("c.png", b"\x89PNG\r\n\x1a\n\0\0\0\0"),
    ]);
    let collected =
        extract_default("outer.zip", &zip(&[("inner.zip", &inner), ("d.txt", b"plain")])).unwrap();
    let names: Vec<&str> =
        collected.documents.iter().map(|document| document.name.as_str()).collect();
    assert_eq!(names, ["inner.zip/a.docx", "inner.zip/deep/b.html", "d.txt"]);
    assert_eq!(collected.problems.len(), 1);
    assert_eq!(collected.problems[0].name, "inner.zip/c.png");
    assert_eq!(collected.problems[0].reason, "not text (image)");
}

#[test]
fn attachments_and_attached_messages_are_documents() {
    let message = "From: a@b\r\nSubject: outer\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n\
        --b\r\n\r\nthe body\r\n--b\r\nContent-Type: text/plain; name=\"n.txt\"\r\n\
        Content-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\nYXR0YWNoZWQ=\r\n\
        --b\r\nContent-Type: message/rfc822\r\n\r\nFrom: c@d\r\nSubject: inner\r\n\r\nforwarded\r\n--b--\r\n";
    let collected = extract_default("m.eml", message.as_bytes()).unwrap();
    let texts: Vec<(&str, &str)> = collected
        .documents
        .iter()
        .map(|document| (document.name.as_str(), document.text.trim()))
        .collect();
    assert_eq!(texts, [("", "the body"), ("n.txt", "attached"), ("part 2", "forwarded")]);
    assert_eq!(collected.documents[2].title.as_deref(), Some("inner"));
}

#[test]
fn hidden_text_of_word_documents_is_noted_and_excluded() {
    let hidden = [
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r>",
        "<w:r><w:rPr><w:color w:val=\"FFFFFF\"/></w:rPr><w:t>secret</w:t></w:r>",
        "<w:r><w:rPr><w:sz w:val=\"1\"/></w:rPr><w:t>secret</w:t></w:r>",
    ];
    for run in hidden {
        let body = format!(
            "<w:p><w:r><w:t>seen</w:t></w:r>{run}<w:r><w:t xml:space=\"preserve\"> too</w:t></w:r></w:p>"
        );
        let document = extract_default("a.docx", &docx_of(&body)).unwrap().documents.remove(0);
        assert_eq!(document.text, "seen too", "{run}");
        assert!(
            matches!(&document.notes[..], [Note::HiddenText { excerpt, .. }] if excerpt == "secret")
        );
        let options = ExtractOptions { keep_hidden: true, ..ExtractOptions::default() };
        let mut all = Extraction::default();
        extract(None, &docx_of(&body), &options, &ExtractLimits::default(), &mut all).unwrap();
        assert_eq!(all.documents[0].text, "seensecret too");
    }
}

#[test]
fn disguised_words_are_unchanged_for_the_tokenizer() {
    let text = "c\u{200b}opied t\u{435}xt";
    let page = format!("<html><body><p>{text}</p></body></html>");
    for (name, bytes) in [("a.txt", text), ("a.html", &page)] {
        let document = extract_default(name, bytes.as_bytes()).unwrap().documents.remove(0);
        assert_eq!(document.text.trim(), text);
        assert_eq!(document.notes, []);
    }
}

#[test]
fn the_main_content_of_a_page_can_be_requested() {
    let paragraph = format!("<p>{}</p>", PARAGRAPHS[0].repeat(5));
    let page = format!(
        "<html><head><title>T</title></head><body><nav><a href=x>Menu</a></nav><article>{}</article></body></html>",
        paragraph.repeat(5)
    );
    let options = ExtractOptions { main_content: true, ..ExtractOptions::default() };
    let mut main = Extraction::default();
    extract(None, page.as_bytes(), &options, &ExtractLimits::default(), &mut main).unwrap();
    if cfg!(feature = "main-content") {
        assert!(
            main.documents[0].text.contains("betray") && !main.documents[0].text.contains("Menu")
        );
    }
    let mut small = Extraction::default();
    extract(
        None,
        b"<html><body>tiny</body></html>",
        &options,
        &ExtractLimits::default(),
        &mut small,
    )
    .unwrap();
    assert_eq!(small.documents[0].text, "tiny");
    assert!(matches!(small.documents[0].notes[..], [Note::AllText { .. }]));
}

/// A PDF extractor that returns the first line.
struct FirstLine;

impl Extractor for FirstLine {
    fn kind(&self) -> FileKind {
        FileKind::Pdf
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let text = String::from_utf8_lossy(bytes).lines().next().unwrap_or_default().to_owned();
        context.document(ExtractedDocument { text, ..ExtractedDocument::default() })
    }
}

#[test]
fn an_extractor_of_the_caller_reads_formats_that_need_a_worker() {
    let archive = zip(&[("a.pdf", b"%PDF-1.7\nx"), ("b.txt", b"text")]);
    assert_eq!(extract_default("a.pdf", b"%PDF-1.7"), Err(Error::NeedsWorker(FileKind::Pdf)));
    let without = extract_default("a.zip", &archive).unwrap();
    assert_eq!((without.documents.len(), without.problems.len()), (1, 1));
    let mut with = Extraction::default();
    let (options, limits) = (ExtractOptions::default(), ExtractLimits::default());
    extract_with(&[&FirstLine], None, &archive, &options, &limits, &mut with).unwrap();
    assert_eq!(with.documents[0].text, "%PDF-1.7");
    assert!(with.problems.is_empty());
}

#[test]
fn names_of_kinds_are_unique() {
    let mut names: Vec<&str> = FileKind::ALL.iter().map(|kind| kind.name()).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), FileKind::ALL.len());
}

#[test]
fn text_hidden_by_styles_of_word_documents_is_noted_and_excluded() {
    let styles = "<w:styles><w:style w:styleId=\"Gone\"><w:rPr><w:vanish/></w:rPr></w:style>\
        <w:style w:styleId=\"Child\"><w:basedOn w:val=\"Gone\"/></w:style>\
        <w:style w:styleId=\"Pale\"><w:rPr><w:color w:val=\"FFFFFF\"/></w:rPr></w:style>\
        <w:style w:styleId=\"Loop\"><w:basedOn w:val=\"Loop\"/><w:rPr><w:sz w:val=\"2\"/></w:rPr></w:style></w:styles>";
    let run = |style: &str| {
        format!("<w:r><w:rPr><w:rStyle w:val=\"{style}\"/></w:rPr><w:t>secret</w:t></w:r>")
    };
    let paragraph = "</w:p><w:p><w:pPr><w:pStyle w:val=\"Child\"/><w:rPr><w:vanish/></w:rPr></w:pPr>\
                     <w:r><w:t>secret</w:t></w:r>";
    for hidden in [run("Gone"), run("Child"), run("Pale"), run("Loop"), paragraph.to_owned()] {
        let body = format!(
            "<w:document><w:body><w:p><w:pPr><w:rPr><w:vanish/></w:rPr></w:pPr><w:r><w:t>seen</w:t></w:r>{hidden}\
             <w:r><w:rPr><w:rStyle w:val=\"Gone\"/><w:vanish w:val=\"0\"/></w:rPr><w:t xml:space=\"preserve\"> too</w:t></w:r></w:p></w:body></w:document>"
        );
        let parts: [(&str, &[u8]); 3] = [
            ("[Content_Types].xml", b"<Types/>"),
            ("word/document.xml", body.as_bytes()),
            ("word/styles.xml", styles.as_bytes()),
        ];
        let document = extract_default("a.docx", &zip(&parts)).unwrap().documents.remove(0);
        assert_eq!(
            document.text.split_whitespace().collect::<Vec<_>>(),
            ["seen", "too"],
            "{hidden}"
        );
        assert!(
            matches!(&document.notes[..], [Note::HiddenText { excerpt, .. }] if excerpt == "secret"),
            "{hidden}"
        );
    }
}

#[test]
fn text_hidden_by_styles_of_opendocument_files_is_noted_and_excluded() {
    let styles = "<office:styles><style:style style:name=\"Gone\"><style:text-properties text:display=\"none\"/></style:style></office:styles>";
    let own = "<style:style style:name=\"T1\" style:parent-style-name=\"Gone\"/>\
        <style:style style:name=\"T2\"><style:text-properties fo:font-size=\"1pt\"/></style:style>";
    for hidden in [
        "<text:p>a <text:span text:style-name=\"T1\">secret</text:span>b</text:p>",
        "<text:p>a <text:span text:style-name=\"T2\">secret</text:span>b</text:p>",
        "<text:p>a</text:p><text:p text:style-name=\"Gone\">secret</text:p><text:p>b</text:p>",
        "<text:p>a</text:p><text:section text:display=\"none\"><text:p>secret</text:p></text:section><text:p>b</text:p>",
    ] {
        let content = format!(
            "<office:document-content><office:automatic-styles>{own}</office:automatic-styles><office:body><office:text>{hidden}</office:text></office:body></office:document-content>"
        );
        let parts: [(&str, &[u8]); 3] = [
            ("META-INF/manifest.xml", b"<manifest/>"),
            ("content.xml", content.as_bytes()),
            ("styles.xml", styles.as_bytes()),
        ];
        let document = extract_default("a.odt", &zip(&parts)).unwrap().documents.remove(0);
        assert_eq!(document.text.split_whitespace().collect::<Vec<_>>(), ["a", "b"], "{hidden}");
        assert_eq!(document.notes.len(), 1, "{hidden}");
    }
}

#[test]
fn old_office_formats_are_reported_with_a_remedy() {
    for (part, message) in [
        ("PowerPoint Document", "old PowerPoint format .ppt; save it as .pptx"),
        ("Workbook", "old Excel format .xls; save it as .csv"),
        ("EncryptedPackage", "password-protected office document; save it without a password"),
    ] {
        let mut bytes = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec();
        bytes.extend([0; 600]);
        bytes.extend(part.encode_utf16().flat_map(u16::to_le_bytes));
        bytes.extend([0; 600]);
        let error = extract_default("old", &bytes).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}
