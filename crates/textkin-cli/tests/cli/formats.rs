//! Documents in formats other than text.

use std::io::Write;

use crate::support::{Folder, HARBOUR};

/// A minimal PDF of one page with `text`: no compression, one standard font.
fn pdf(text: &str) -> Vec<u8> {
    let escaped = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    let words: Vec<&str> = escaped.split_whitespace().collect();
    let lines: Vec<String> =
        words.chunks(8).map(|line| format!("({}) Tj T*", line.join(" "))).collect();
    let content = format!("BT /F1 11 Tf 14 TL 72 760 Td {} ET", lines.join("\n"));
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>".to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        write!(bytes, "{} 0 obj\n{object}\nendobj\n", number + 1).unwrap();
    }
    let table = bytes.len();
    write!(bytes, "xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).unwrap();
    for place in places {
        writeln!(bytes, "{place:010} 00000 n ").unwrap();
    }
    write!(
        bytes,
        "trailer\n<< /Size {} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n",
        objects.len() + 1
    )
    .unwrap();
    bytes
}

#[test]
fn text_matches_its_web_page_and_pdf() {
    let folder = Folder::new();
    folder.write("in/a.txt", HARBOUR);
    folder.write("in/b.html", format!("<!doctype html><html><head><title>x</title><style>p {{ color: red }}</style></head><body><p>{HARBOUR}</p><script>var a = 1;</script></body></html>"));
    folder.write("in/c.pdf", pdf(HARBOUR));
    let run = folder
        .discover(&["in", "--out", "-", "--score", "containment", "--threshold", "0.95"])
        .expect(0);
    assert_eq!(
        run.pairs(),
        [("in/a.txt", "in/b.html"), ("in/a.txt", "in/c.pdf"), ("in/b.html", "in/c.pdf")]
    );
}

#[test]
fn pdf_is_read_without_helper_programs() {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("c.pdf", pdf(HARBOUR));
    let mut command = folder.command(&["discover", "a.txt", "c.pdf", "--out", "-"]);
    command.env("PATH", "");
    let run = crate::support::run(command).expect(0);
    assert_eq!(run.pairs(), [("a.txt", "c.pdf")]);
}

/// A PostScript program that prints `text`, eight words per line.
fn postscript(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
    let words: Vec<&str> = escaped.split_whitespace().collect();
    let mut program = "%!PS\n/Times-Roman findfont 11 scalefont setfont\n".to_owned();
    for (index, line) in words.chunks(8).enumerate() {
        program += &format!("72 {} moveto ({}) show\n", 760 - 14 * index, line.join(" "));
    }
    program + "showpage\n"
}

#[test]
fn postscript_is_read_with_and_without_helper_programs() {
    let folder = Folder::new();
    folder.write("a.txt", HARBOUR);
    folder.write("c.ps", postscript(HARBOUR));
    folder.write("d.ps", "%!PS\n{} loop\n");
    let arguments = [
        "discover",
        "a.txt",
        "c.ps",
        "--out",
        "-",
        "--score",
        "containment",
        "--threshold",
        "0.95",
    ];
    let run = crate::support::run(folder.command(&arguments)).expect(0);
    assert_eq!(run.pairs(), [("a.txt", "c.ps")]);
    let mut command = folder.command(&[&arguments[..], &["d.ps"]].concat());
    command.env("PATH", "");
    let run = crate::support::run(command).expect(0);
    assert_eq!(run.pairs(), [("a.txt", "c.ps")]);
    assert!(
        run.stderr.contains("d.ps: cannot read as postscript: the program does not terminate"),
        "{}",
        run.stderr
    );
}

#[test]
fn input_format_text_disables_extraction() {
    let folder = Folder::new();
    let page = format!("<html><body><p>{HARBOUR}</p></body></html>");
    folder.write("a.html", &page);
    folder.write("b.html", page.replace("<p>", "<p class=wide>"));
    let run =
        folder.discover(&["a.html", "b.html", "--input-format", "text", "--out", "-"]).expect(0);
    let words: Vec<&str> = run.rows()[0].rsplit(',').take(2).collect();
    assert_ne!(words[0], words[1]);
}

#[test]
fn input_format_text_takes_any_bytes() {
    let folder = Folder::new();
    let cases: [(&str, &[u8]); 5] = [
        ("control", b"\0\x01\x02\x03 "),
        ("report.pdf", b"%PDF-1.7 "),
        ("book.docx", b"PK\x03\x04 "),
        ("invalid", b"\xff\xc0\x80\x01 "),
        ("legacy.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 "),
    ];
    for (name, before) in cases {
        folder.write(name, [before, HARBOUR.as_bytes()].concat());
    }
    let names = cases.map(|(name, _)| name);
    let run = folder
        .discover(&[&names[..], &["--input-format", "text", "--out", "-", "--strict"]].concat());
    let run = run.expect(0);
    assert_eq!(run.pairs().len(), 10, "{run:?}");
}

#[test]
fn damaged_files_are_problems_and_the_run_continues() {
    let folder = Folder::new();
    folder.write("in/a.txt", HARBOUR);
    folder.write("in/b.txt", HARBOUR);
    let whole = pdf(HARBOUR);
    folder.write("in/cut.pdf", &whole[..whole.len() / 3]);
    folder.write("in/noise.pdf", [b"%PDF-1.7\n".as_slice(), &[0x80; 2000]].concat());
    folder.write("in/zip.docx", "PK\x03\x04 and then nothing of use");
    let run = folder.discover(&["in", "--out", "-"]).expect(0);
    assert_eq!(run.pairs()[0], ("in/a.txt", "in/b.txt"));
    for name in ["in/noise.pdf", "in/zip.docx"] {
        assert!(run.stderr.contains(&format!("{name}: cannot read as ")), "{}", run.stderr);
    }
}

#[test]
fn doctor_lists_formats_and_programs() {
    let folder = Folder::new();
    let run = folder.textkin(&["doctor"]).expect(0);
    for word in ["pdftotext", "gs", "docx", "epub", "mbox"] {
        assert!(run.stdout.contains(word), "{}", run.stdout);
    }
}

#[test]
fn worker_is_not_a_command() {
    let folder = Folder::new();
    let run = folder.textkin(&["worker"]).expect(3);
    assert_eq!(run.stderr, "a worker can be started only by textkin\n");
}
