//! PDF and PostScript, the formats that a worker reads.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use textkin_extract::{Error, FileKind, pdf_text, postscript_text, tidy_pages};

use crate::samples::{
    CELLS, ITEMS, PARAGRAPHS, TITLE, every_format, extract_default, words, words_of,
};

pub(crate) const MAX_TEXT: usize = 1 << 20;

/// Builds a PDF of these objects; the first one is the catalog.
fn pdf_of(objects: &[String]) -> Vec<u8> {
    let mut file = "%PDF-1.4\n".to_owned();
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        write!(file, "{} 0 obj\n{object}\nendobj\n", index + 1).unwrap();
    }
    let table = file.len();
    write!(file, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for offset in offsets {
        writeln!(file, "{offset:010} 00000 n ").unwrap();
    }
    let size = objects.len() + 1;
    write!(file, "trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").unwrap();
    file.into_bytes()
}

fn stream(dictionary: &str, content: &str) -> String {
    format!("<< /Length {} {dictionary} >>\nstream\n{content}\nendstream", content.len())
}

/// Builds a PDF of one page with this content; object 5 is the font `F1`, `more` objects follow.
fn page(content: &str, font: &str, more: &[String]) -> Vec<u8> {
    let resources = "/Font << /F1 5 0 R >> /XObject << /X1 6 0 R >>";
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R /Contents 4 0 R /Resources << {resources} >> >>"),
        stream("", content),
        font.to_owned(),
    ];
    objects.extend_from_slice(more);
    pdf_of(&objects)
}

const HELVETICA: &str = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>";

fn read_pdf(bytes: &[u8]) -> String {
    tidy_pages(&pdf_text(bytes, MAX_TEXT).unwrap())
}

fn read_postscript(program: &str) -> String {
    tidy_pages(&postscript_text(program.as_bytes(), MAX_TEXT).unwrap())
}

/// Builds the sample document as PDF: codes are numbers, and a `ToUnicode` table maps them.
pub(crate) fn sample_pdf() -> Vec<u8> {
    let mut characters: Vec<char> = Vec::new();
    let mut content = "BT /F1 10 Tf 12 TL 50 780 Td\n".to_owned();
    let mut lines: Vec<String> = vec![TITLE.to_owned()];
    for text in PARAGRAPHS.iter().chain(&ITEMS) {
        let words: Vec<&str> = text.split(' ').collect();
        lines.extend(words.chunks(9).map(|line| line.join(" ")));
    }
    lines.extend(CELLS.iter().map(|row| row.join(" ")));
    for line in lines {
        let codes: String = line
            .chars()
            .map(|character| {
                let known = characters.iter().position(|&other| other == character);
                let code = known.unwrap_or_else(|| {
                    characters.push(character);
                    characters.len() - 1
                });
                format!("{code:04x}")
            })
            .collect();
        writeln!(content, "<{codes}> Tj T*").unwrap();
    }
    content.push_str("ET");
    let mut table = "1 begincodespacerange <0000> <ffff> endcodespacerange\n".to_owned();
    for (code, character) in characters.iter().enumerate() {
        let units: String =
            character.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("{unit:04x}")).collect();
        writeln!(table, "1 beginbfchar <{code:04x}> <{units}> endbfchar").unwrap();
    }
    let font = "<< /Type /Font /Subtype /Type0 /BaseFont /Any /Encoding /Identity-H \
                /DescendantFonts [6 0 R] /ToUnicode 7 0 R >>";
    let below = "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Any /DW 500 >>".to_owned();
    page(&content, font, &[below, stream("", &table)])
}

fn chunks(text: &str) -> HashSet<Vec<String>> {
    words_of(text).windows(8).map(<[String]>::to_vec).collect()
}

#[test]
fn the_same_document_shares_its_text_in_every_pair_of_formats() {
    let text = read_pdf(&sample_pdf());
    assert_eq!(words_of(&text), words(), "{text}");
    let mut texts = vec![("kin.pdf", chunks(&text))];
    for (name, bytes) in every_format() {
        if ["docx", "odt", "html", "epub", "rtf", "md"].iter().any(|end| name.ends_with(end)) {
            texts.push((name, chunks(&extract_default(name, bytes).unwrap().documents[0].text)));
        }
    }
    assert_eq!(texts.len(), 7);
    for (name, left) in &texts {
        for (other, right) in &texts {
            let n_shared = left.intersection(right).count();
            assert!(
                n_shared * 100 >= left.len() * 95,
                "{name} in {other}: {n_shared} of {}",
                left.len()
            );
        }
    }
}

#[test]
fn pdf_words_are_separated_by_kerning_and_moves() {
    let content = "BT /F1 10 Tf 50 700 Td [(ker) 60 (ning) -300 (and) -300 (spaces)] TJ \
                   0 -12 Td (next) Tj 30 0 Td (to) Tj 10 Tw -30 -12 Td (wide words) Tj ET";
    let text = read_pdf(&page(content, HELVETICA, &[]));
    assert_eq!(text, "kerning and spaces\nnext to\nwide words");
}

#[test]
fn pdf_glyph_names_give_the_text() {
    let font = "<< /Type /Font /Subtype /Type1 /BaseFont /ABCDEF+CMR10 /FirstChar 1 /Widths \
                [500 500 500 500] /Encoding << /Differences [1 /ffi /eacute /uni0416 /o] >> >>";
    let text = read_pdf(&page("BT /F1 10 Tf 9 9 Td <0401020403> Tj ET", font, &[]));
    assert_eq!(text, "offiéoЖ");
    let drawn = "<< /Type /Font /Subtype /Type3 /FontMatrix [0.01 0 0 0.01 0 0] /FirstChar 12 \
                 /Widths [50] /Encoding << /Differences [12 /a12] >> /CharProcs << >> >>";
    assert_eq!(read_pdf(&page("BT /F1 10 Tf 9 9 Td <0c> Tj ET", drawn, &[])), "fi");
}

#[test]
fn pdf_columns_are_read_one_after_the_other() {
    let mut content = "BT /F1 10 Tf ".to_owned();
    for line in 0..3 {
        let y = 700 - 12 * line;
        write!(
            content,
            "1 0 0 1 50 {y} Tm (left line {line}) Tj 1 0 0 1 300 {y} Tm (right line {line}) Tj "
        )
        .unwrap();
    }
    content.push_str("ET");
    let text = read_pdf(&page(&content, HELVETICA, &[]));
    let expected =
        "left line 0\nleft line 1\nleft line 2\n\nright line 0\nright line 1\nright line 2";
    assert_eq!(text, expected);
}

#[test]
fn pdf_forms_and_replaced_text_are_read() {
    let form = stream(
        "/Type /XObject /Subtype /Form /Resources << /Font << /F1 5 0 R >> /XObject << /X1 6 0 R >> >>",
        "BT /F1 10 Tf 50 500 Td (in the form) Tj ET /X1 Do",
    );
    let content =
        "/X1 Do BT /F1 10 Tf 50 400 Td /Span << /ActualText (meant) >> BDC (shown) Tj EMC ET";
    assert_eq!(read_pdf(&page(content, HELVETICA, &[form])), "in the form\n\nmeant");
}

#[test]
fn pdf_loops_terminate() {
    // A page tree that contains itself, and no page.
    let looped = pdf_of(&[
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1 >>".to_owned(),
    ]);
    let start = Instant::now();
    let no_pages = Error::Corrupt { kind: FileKind::Pdf, reason: "no pages found".to_owned() };
    assert_eq!(pdf_text(&looped, MAX_TEXT), Err(no_pages));
    // Forms that call each other twice: two to the power of their depth.
    let form = stream(
        "/Type /XObject /Subtype /Form",
        "BT /F1 1 Tf (x) Tj ET /X1 Do /X1 Do /X1 Do /X1 Do /X1 Do /X1 Do /X1 Do /X1 Do /X1 Do",
    );
    let text = pdf_text(&page("/X1 Do", HELVETICA, &[form]), MAX_TEXT).unwrap();
    assert!(text.len() < 1000);
    // Endless operands, and unclosed brackets.
    for piece in ["[", "<<", "(", "1 ", "q ", "BT "] {
        let _ = pdf_text(&page(&piece.repeat(200_000), HELVETICA, &[]), MAX_TEXT);
    }
    assert!(start.elapsed() < Duration::from_secs(60));
}

#[test]
fn a_pdf_without_object_table_is_read() {
    let whole = sample_pdf();
    let table = whole.windows(5).rposition(|window| window == b"xref\n").unwrap();
    let table = whole[..table].windows(5).rposition(|window| window == b"xref\n").unwrap_or(table);
    assert_eq!(words_of(&read_pdf(&whole[..table])), words());
}

#[test]
fn postscript_text_is_read() {
    let program = "%!PS\n/Times-Roman findfont 12 scalefont setfont\n\
        /line { 72 exch moveto show } bind def\n\
        (Hello paper) 700 line (and more) 686 line\n\
        72 650 moveto (ker) show -0.5 0 rmoveto (ned) show 3 0 rmoveto (apart) show\n\
        0 1 2 { /i exch def 72 600 i 14 mul sub moveto (row ) show i 2 string cvs show } for\n\
        showpage (lost) pop 72 700 moveto (second) show showpage";
    let text = postscript_text(program.as_bytes(), MAX_TEXT).unwrap();
    assert_eq!(
        text,
        "Hello paper\nand more\n\nkerned apart\n\nrow 0\nrow 1\nrow 2\u{c}second\u{c}"
    );
}

#[test]
fn postscript_encodings_are_used() {
    let program = "%!PS\n/Helvetica findfont dup length dict begin\n\
        { 1 index /FID ne { def } { pop pop } ifelse } forall\n\
        /Encoding ISOLatin1Encoding def currentdict end /Latin exch definefont pop\n\
        /Latin 10 selectfont 10 700 moveto (caf\\351) show\n\
        /Symbol findfont 10 scalefont setfont 10 680 moveto (ab) show\n\
        5 dict begin /FontType 3 def /FontMatrix [0.1 0 0 0.1 0 0] def /FontBBox [0 0 10 10] def\n\
        /Encoding 256 array def 0 1 255 { Encoding exch /.notdef put } for\n\
        Encoding 1 /ffi put Encoding 2 /o put\n\
        /BuildChar { pop pop 5 0 0 0 5 10 setcachedevice 0 0 moveto 5 5 lineto stroke } def\n\
        currentdict end /Drawn exch definefont 10 scalefont setfont\n\
        10 660 moveto <020102> show showpage";
    assert_eq!(read_postscript(program), "café\n\nαβ\n\noffio");
}

#[test]
fn postscript_continues_after_an_error() {
    let program = "%!PS\n/Courier 10 selectfont 10 700 moveto (one) show\n\
        nosuchoperator 1 0 div pop\n{ 1 (x) add } stopped { 10 680 moveto (two) show } if\n\
        clear 10 660 moveto (three) show showpage";
    assert_eq!(read_postscript(program), "one\n\ntwo\n\nthree");
}

#[test]
fn hostile_postscript_gives_an_error() {
    let deep = "{".repeat(300_000);
    let programs = [
        "{} loop",
        "{ 1 pop } loop",
        "/f { f f } def f",
        "/f { f } def f",
        "{ (x) } loop",
        "{ 100000 string pop } loop",
        "{ 1000000 array pop } loop",
        "1000000000000 string",
        "1000000000000 array",
        "{ { } stopped } loop",
        "0 1 1e300 { pop } for",
        "1 0 1 { pop } for",
        "/d 1 dict def { d dup d put } loop",
        "{ gsave } loop",
        "{ save } loop",
        "{ currentfile 10 string readstring } loop",
        &deep,
    ];
    for program in programs {
        let start = Instant::now();
        let result = postscript_text(format!("%!PS\n{program}\n").as_bytes(), MAX_TEXT);
        let name = &program[..program.len().min(40)];
        assert!(start.elapsed() < Duration::from_secs(60), "{name}");
        match result {
            Ok(text) => assert!(!text.contains(char::is_alphanumeric), "{name}"),
            Err(error) => {
                assert!(error.to_string().contains("does not terminate"), "{name}: {error}")
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn mutated_pdf_terminates(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
    ) {
        let mut bytes = sample_pdf();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if is_cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        if let Ok(text) = pdf_text(&bytes, MAX_TEXT) {
            prop_assert!(text.len() < MAX_TEXT);
        }
    }

    #[test]
    fn any_postscript_terminates(
        words in proptest::collection::vec(
            prop::sample::select(vec![
                "1", "2", "-1", "3.5", "(abc)", "/a", "a", "{", "}", "[", "]", "<<", ">>", "def",
                "dup", "exch", "pop", "copy", "index", "roll", "add", "sub", "mul", "div", "get",
                "put", "array", "string", "dict", "begin", "end", "if", "ifelse", "for", "repeat",
                "forall", "exec", "stopped", "moveto", "rmoveto", "show", "ashow", "kshow", "gsave",
                "grestore", "scale", "translate", "rotate", "setmatrix", "matrix", "currentmatrix",
                "/Times-Roman", "findfont", "12", "scalefont", "setfont", "makefont", "cvs", "cvn",
                "cvx", "search", "token", "currentfile", "readstring", "eexec", "image", "filter",
                "/ASCII85Decode", "aload", "astore", "getinterval", "putinterval", "bind", "save",
                "restore", "true", "false", "eq", "showpage", "stringwidth", "definefont", "xshow",
            ]),
            0..60,
        ),
    ) {
        let program = format!("%!PS\n{}", words.join(" "));
        if let Ok(text) = postscript_text(program.as_bytes(), MAX_TEXT) {
            prop_assert!(text.len() < MAX_TEXT + 1000);
        }
    }
}
