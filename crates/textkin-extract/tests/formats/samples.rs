//! Builds the same document in every format.

use std::io::{Cursor, Write};
use std::sync::OnceLock;

use textkin_extract::{Error, ExtractLimits, ExtractOptions, Extraction, extract};
use zip::write::SimpleFileOptions;

/// A document: heading, paragraphs, a list and a table.
pub(crate) const TITLE: &str = "The Kinship of Texts";
pub(crate) const PARAGRAPHS: [&str; 3] = [
    "A text that was copied keeps long runs of words, and these runs betray it: “smart quotes”, naïve cafés & co.",
    "Привет, мир! Здесь стоит ещё один абзац, в котором есть слова другого письма.",
    "Less is < more, and 5 % of 日本語 is enough to see whether characters survive the way through the format.",
];
pub(crate) const ITEMS: [&str; 3] =
    ["first thing of the list", "second thing of it", "third and last"];
pub(crate) const CELLS: [[&str; 2]; 2] = [["north", "seven hundred"], ["south", "nine"]];

/// The words of the document.
pub(crate) fn words() -> Vec<String> {
    let cells = CELLS.iter().flatten();
    let all =
        [TITLE].iter().chain(&PARAGRAPHS).chain(&ITEMS).chain(cells).copied().collect::<Vec<_>>();
    words_of(&all.join(" "))
}

/// Runs of letters and digits, lower case.
pub(crate) fn words_of(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// Returns the name and bytes of the document in every format.
pub(crate) fn every_format() -> &'static [(&'static str, Vec<u8>)] {
    static SAMPLES: OnceLock<Vec<(&str, Vec<u8>)>> = OnceLock::new();
    SAMPLES.get_or_init(build)
}

fn build() -> Vec<(&'static str, Vec<u8>)> {
    let zipped = zip(&[("a/kin.txt", text().as_bytes()), ("b.html", html().as_bytes())]);
    vec![
        ("kin.txt", text().into_bytes()),
        ("kin.html", html().into_bytes()),
        ("kin.xml", xml().into_bytes()),
        ("kin.md", markdown().into_bytes()),
        ("kin.tex", latex().into_bytes()),
        ("kin.7", roff().into_bytes()),
        ("kin.rtf", rtf().into_bytes()),
        ("kin.docx", docx()),
        ("kin.pptx", pptx()),
        ("kin.xlsx", xlsx()),
        ("kin.odt", odt()),
        ("kin.epub", epub()),
        ("kin.eml", email().into_bytes()),
        ("kin.mbox", format!("From a@b Mon Jan  1 00:00:00 2024\n{}", email()).into_bytes()),
        ("kin.warc", warc()),
        ("kin.zip", zipped),
        ("kin.tar", tar(&[("a/kin.txt", text().as_bytes())])),
        ("kin.txt.gz", gzip(text().as_bytes())),
        ("kin.txt.zst", zstd::encode_all(text().as_bytes(), 3).unwrap()),
        ("kin.txt.xz", xz(text().as_bytes())),
        ("kin.txt.bz2", bzip2(text().as_bytes())),
    ]
}

/// Extracts `bytes` with default limits.
pub(crate) fn extract_default(name: &str, bytes: &[u8]) -> Result<Extraction, Error> {
    extract_within(name, bytes, &ExtractLimits::default()).1.map_or_else(Err, Ok)
}

/// Extracts `bytes` within limits; returns the results and whether it succeeded.
pub(crate) fn extract_within(
    name: &str,
    bytes: &[u8],
    limits: &ExtractLimits,
) -> (Extraction, Result<Extraction, Error>) {
    let mut collected = Extraction::default();
    let result = extract(Some(name), bytes, &ExtractOptions::default(), limits, &mut collected);
    let copy = collected.clone();
    (collected, result.map(|()| copy))
}

pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn text() -> String {
    let cells: Vec<String> = CELLS.iter().map(|row| row.join("\t")).collect();
    format!(
        "{TITLE}\n\n{}\n\n{}\n\n{}\n",
        PARAGRAPHS.join("\n\n"),
        ITEMS.join("\n"),
        cells.join("\n")
    )
}

fn elements(items: impl IntoIterator<Item = &'static str>, before: &str, after: &str) -> String {
    items.into_iter().map(|item| format!("{before}{}{after}", escape(item))).collect()
}

fn rows(row: [&str; 2], cell: [&str; 2]) -> String {
    let cells = |cells: &[&'static str; 2]| elements(*cells, cell[0], cell[1]);
    CELLS.iter().map(|texts| format!("{}{}{}", row[0], cells(texts), row[1])).collect()
}

pub(crate) fn html() -> String {
    format!(
        "<!DOCTYPE html><html><head><title>{TITLE}</title><style>p {{}}</style></head><body><h1>{TITLE}</h1>{}<ul>{}</ul><table>{}</table></body></html>",
        elements(PARAGRAPHS, "<p>", "</p>"),
        elements(ITEMS, "<li>", "</li>"),
        rows(["<tr>", "</tr>"], ["<td>", "</td>"]),
    )
}

fn xml() -> String {
    format!(
        "<?xml version=\"1.0\"?><book><title>{TITLE}</title>{}{}{}</book>",
        elements(PARAGRAPHS, "<para>", "</para>"),
        elements(ITEMS, "<item>", "</item>"),
        rows(["<row>", "</row>"], ["<c>", "</c>"]),
    )
}

fn markdown() -> String {
    let items: String = ITEMS.iter().map(|item| format!("* {item}\n")).collect();
    let cells: Vec<String> = CELLS.iter().map(|[a, b]| format!("| {a} | {b} |\n")).collect();
    format!(
        "# {TITLE}\n\n{}\n\n{items}\n{}|---|---|\n{}",
        PARAGRAPHS.map(escape).join("\n\n"),
        cells[0],
        cells[1]
    )
}

fn latex() -> String {
    let special = |text: &str| text.replace('&', "\\&").replace('%', "\\%");
    let items: String = ITEMS.iter().map(|item| format!("\\item {item}\n")).collect();
    let cells: String = CELLS.iter().map(|[a, b]| format!("{a} & {b} \\\\\n")).collect();
    format!(
        "\\documentclass{{article}}\n\\usepackage{{x}}\n\\begin{{document}}\n\\section{{{TITLE}}}\n{}\n\\begin{{itemize}}\n{items}\\end{{itemize}}\n\\begin{{tabular}}{{ll}}\n{cells}\\end{{tabular}}\n\\end{{document}}\n",
        PARAGRAPHS.map(special).join("\n\n"),
    )
}

fn roff() -> String {
    let items: String = ITEMS.iter().map(|item| format!(".IP \\(bu\n{item}\n")).collect();
    let cells: String = CELLS.iter().map(|[a, b]| format!("{a}\t{b}\n")).collect();
    format!(
        ".TH KIN 7\n.SH \"{TITLE}\"\n{}\n{items}.TS\nl l.\n{cells}.TE\n",
        PARAGRAPHS.join("\n.PP\n")
    )
}

fn rtf() -> String {
    let special = |text: &str| {
        let mut units = [0; 2];
        text.chars().fold(String::new(), |mut text, c| {
            if c.is_ascii() {
                text.push(c);
            } else {
                for unit in c.encode_utf16(&mut units) {
                    text.push_str(&format!("\\u{}?", unit.cast_signed()));
                }
            }
            text
        })
    };
    let lines: String = [TITLE]
        .iter()
        .chain(&PARAGRAPHS)
        .chain(&ITEMS)
        .map(|text| format!("{}\\par\n", special(text)))
        .collect();
    let cells: String =
        CELLS.iter().map(|[a, b]| format!("\\intbl {a}\\cell {b}\\cell\\row\n")).collect();
    format!("{{\\rtf1\\ansi\\ansicpg1252{{\\fonttbl{{\\f0 Arial;}}}}\\f0 {lines}{cells}}}")
}

pub(crate) fn docx() -> Vec<u8> {
    let run = ["<w:p><w:r><w:t>", "</w:t></w:r></w:p>"];
    let body = format!(
        "{}{}{}<w:tbl>{}</w:tbl>",
        elements([TITLE], run[0], run[1]),
        elements(PARAGRAPHS, run[0], run[1]),
        elements(ITEMS, run[0], run[1]),
        rows(["<w:tr>", "</w:tr>"], ["<w:tc><w:p><w:r><w:t>", "</w:t></w:r></w:p></w:tc>"]),
    );
    docx_of(&body)
}

pub(crate) fn docx_of(body: &str) -> Vec<u8> {
    let document = format!(
        "<?xml version=\"1.0\"?><w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>"
    );
    let core = format!(
        "<x xmlns:dc=\"dc\"><dc:title>{TITLE}</dc:title><modified>2024-01-02T03:04:05Z</modified></x>"
    );
    zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("word/document.xml", document.as_bytes()),
        ("docProps/core.xml", core.as_bytes()),
    ])
}

fn pptx() -> Vec<u8> {
    let run = ["<a:p><a:r><a:t>", "</a:t></a:r></a:p>"];
    let first = format!(
        "<p:sld>{}{}</p:sld>",
        elements([TITLE], run[0], run[1]),
        elements(PARAGRAPHS, run[0], run[1])
    );
    let second = format!(
        "<p:sld>{}{}</p:sld>",
        elements(ITEMS, run[0], run[1]),
        rows(["<a:tr>", "</a:tr>"], ["<a:tc><a:p><a:r><a:t>", "</a:t></a:r></a:p></a:tc>"])
    );
    let main = "<p:presentation><p:sldIdLst><p:sldId id=\"1\" r:id=\"r2\"/><p:sldId id=\"2\" r:id=\"r1\"/></p:sldIdLst></p:presentation>";
    let relations = "<Relationships><Relationship Id=\"r1\" Target=\"slides/slide1.xml\"/><Relationship Id=\"r2\" Target=\"slides/slide2.xml\"/></Relationships>";
    zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("ppt/presentation.xml", main.as_bytes()),
        ("ppt/_rels/presentation.xml.rels", relations.as_bytes()),
        ("ppt/slides/slide2.xml", first.as_bytes()),
        ("ppt/slides/slide1.xml", second.as_bytes()),
    ])
}

pub(crate) fn xlsx() -> Vec<u8> {
    // Paragraphs are shared strings, cells of the table are inline; sheets are listed in another order
    // than their files.
    let lines: Vec<&str> = [TITLE].into_iter().chain(PARAGRAPHS).collect();
    let strings = format!("<sst>{}</sst>", elements(lines.iter().copied(), "<si><t>", "</t></si>"));
    let cells: String = (0..lines.len())
        .map(|at| format!("<row><c t=\"s\"><v>{at}</v></c><c><v>{at}.5</v></c></row>"))
        .collect();
    let first = format!("<worksheet><sheetData>{cells}</sheetData></worksheet>");
    let inline = ["<c t=\"inlineStr\"><is><t>", "</t></is></c>"];
    let second = format!(
        "<worksheet><sheetData>{}{}</sheetData></worksheet>",
        elements(ITEMS, "<row><c t=\"str\"><f>A1</f><v>", "</v></c></row>"),
        rows(["<row>", "</row>"], inline)
    );
    let third = "<worksheet><row><c t=\"str\"><v>nobody sees it</v></c></row></worksheet>";
    let main = "<workbook><sheets><sheet r:id=\"r2\"/><sheet r:id=\"r1\"/><sheet state=\"veryHidden\" r:id=\"r3\"/></sheets></workbook>";
    let relations = "<Relationships><Relationship Id=\"r1\" Target=\"worksheets/sheet1.xml\"/><Relationship Id=\"r2\" Target=\"worksheets/sheet2.xml\"/><Relationship Id=\"r3\" Target=\"worksheets/sheet3.xml\"/></Relationships>";
    zip(&[
        ("[Content_Types].xml", b"<Types/>"),
        ("xl/workbook.xml", main.as_bytes()),
        ("xl/_rels/workbook.xml.rels", relations.as_bytes()),
        ("xl/sharedStrings.xml", strings.as_bytes()),
        ("xl/worksheets/sheet2.xml", first.as_bytes()),
        ("xl/worksheets/sheet1.xml", second.as_bytes()),
        ("xl/worksheets/sheet3.xml", third.as_bytes()),
    ])
}

pub(crate) fn odt() -> Vec<u8> {
    let paragraph = ["<text:p>", "</text:p>"];
    let content = format!(
        "<?xml version=\"1.0\"?><office:document-content><office:body><office:text><text:h>{TITLE}</text:h>{}<text:list>{}</text:list><table:table>{}</table:table></office:text></office:body></office:document-content>",
        elements(PARAGRAPHS, paragraph[0], paragraph[1]),
        elements(ITEMS, "<text:list-item><text:p>", "</text:p></text:list-item>"),
        rows(
            ["<table:table-row>", "</table:table-row>"],
            ["<table:table-cell><text:p>", "</text:p></table:table-cell>"]
        ),
    );
    zip_stored(
        ("mimetype", b"application/vnd.oasis.opendocument.text"),
        &[("content.xml", content.as_bytes()), ("META-INF/manifest.xml", b"<manifest/>")],
    )
}

pub(crate) fn epub() -> Vec<u8> {
    let page = html();
    zip_stored(
        ("mimetype", b"application/epub+zip"),
        &[
            ("META-INF/container.xml", b"<container><rootfiles><rootfile full-path=\"OPS/book.opf\"/></rootfiles></container>"),
            ("OPS/book.opf", format!("<package><metadata><dc:title>{TITLE}</dc:title></metadata><manifest><item id=\"a\" href=\"a.xhtml\"/></manifest><spine><itemref idref=\"a\"/></spine></package>").as_bytes()),
            ("OPS/a.xhtml", page.as_bytes()),
        ],
    )
}

fn email() -> String {
    format!(
        "From: a@example.org\r\nTo: b@example.org\r\nSubject: =?utf-8?q?The_Kinship?= of Texts\r\nDate: Tue, 2 Jan 2024 03:04:05 +0000\r\nMIME-Version: 1.0\r\nContent-Type: multipart/alternative; boundary=\"x y\"\r\n\r\n--x y\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n{}\r\n--x y\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{}\r\n--x y--\r\n",
        text(),
        html()
    )
}

fn warc() -> Vec<u8> {
    let body = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n{}", html());
    let record = |kind: &str, body: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Target-URI: http://example.org/kin\r\nWARC-Date: 2024-01-02T03:04:05Z\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
            body.len()
        )
    };
    [record("warcinfo", "about"), record("response", &body), record("conversion", &text())]
        .concat()
        .into_bytes()
}

pub(crate) fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, content) in entries {
        writer.start_file(*name, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn zip_stored(first: (&str, &[u8]), entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let deflated = stored.compression_method(zip::CompressionMethod::Deflated);
    writer.start_file(first.0, stored).unwrap();
    writer.write_all(first.1).unwrap();
    for (name, content) in entries {
        writer.start_file(*name, deflated).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

pub(crate) fn tar(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in entries {
        let mut header = tar::Header::new_gnu();
        // Written by hand, because the builder rejects paths outside the folder.
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn xz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 6);
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn bzip2(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}
