//! Detects the kind of a file by content, and by name only if the content is ambiguous.

use std::io::Cursor;

use crate::{FileKind, encoding};

/// Bytes at the beginning of a text that are examined.
const HEAD_BYTES: usize = 16 << 10;

/// Maximum bytes of junk before the header of a file named `.pdf`.
const PDF_OFFSET: usize = 1024;

pub(crate) fn detect(name: Option<&str>, bytes: &[u8]) -> FileKind {
    if bytes.is_empty() {
        return FileKind::Text;
    }
    let extension = name.and_then(extension).unwrap_or_default();
    if let Some(kind) = by_magic(&extension, bytes) {
        return kind;
    }
    if !encoding::is_text(bytes) {
        return FileKind::Unknown;
    }
    let head = bytes.get(..HEAD_BYTES).unwrap_or(bytes);
    let Ok(head) = encoding::decode(head) else { return FileKind::Unknown };
    by_text(&extension, &head)
}

/// Returns the extension of the name, lower case.
fn extension(name: &str) -> Option<String> {
    let file = name.rsplit(['/', '\\']).next()?;
    let (stem, extension) = file.rsplit_once('.')?;
    (!stem.is_empty()).then(|| extension.to_ascii_lowercase())
}

/// Detects kinds with unique leading bytes.
fn by_magic(extension: &str, bytes: &[u8]) -> Option<FileKind> {
    let begins = |magic: &[u8]| bytes.starts_with(magic);
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let early = bytes.get(..PDF_OFFSET).unwrap_or(bytes);
    let is_pdf = text.starts_with(b"%PDF-")
        || extension == "pdf" && memchr::memmem::find(early, b"%PDF-").is_some();
    let is_postscript = text.starts_with(b"%!PS")
        || begins(b"\x04%!PS")
        || begins(b"\xc5\xd0\xd3\xc6")
        || begins(b"%!") && matches!(extension, "ps" | "eps");
    Some(if is_pdf {
        FileKind::Pdf
    } else if is_postscript {
        FileKind::PostScript
    } else if begins(b"PK\x03\x04") || begins(b"PK\x05\x06") {
        zip(bytes)
    } else if begins(b"\x1f\x8b") {
        FileKind::Gzip
    } else if begins(b"\x28\xb5\x2f\xfd") || is_skippable_zstd(bytes) {
        FileKind::Zstd
    } else if begins(b"\xfd7zXZ\x00") {
        FileKind::Xz
    } else if is_bzip2(bytes) {
        FileKind::Bzip2
    } else if is_tar(bytes) {
        FileKind::Tar
    } else if text.starts_with(b"{\\rtf") {
        FileKind::Rtf
    } else if text.starts_with(b"WARC/") {
        FileKind::Warc
    } else if begins(crate::format::DVI) {
        FileKind::Dvi
    } else if crate::format::is_old_word(bytes) {
        FileKind::Doc
    } else if begins(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") || begins(b"PAR1") {
        FileKind::Unknown
    } else {
        return None;
    })
}

/// Some Zstandard files begin with a skippable frame.
fn is_skippable_zstd(bytes: &[u8]) -> bool {
    matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

fn is_bzip2(bytes: &[u8]) -> bool {
    let [b'B', b'Z', b'h', b'1'..=b'9', block @ ..] = bytes else { return false };
    block.starts_with(b"\x31\x41\x59\x26\x53\x59") || block.starts_with(b"\x17\x72\x45\x38\x50\x90")
}

/// Checks the checksum of the first header, which also recognizes old archives without a magic.
fn is_tar(bytes: &[u8]) -> bool {
    let Some(header) = bytes.get(..512) else { return false };
    let (Some(sum), Some(name)) = (header.get(148..156), header.first()) else { return false };
    if *name == 0 {
        return false;
    }
    let digits = sum.trim_ascii_start();
    let end = digits.iter().position(|byte| !(b'0'..=b'7').contains(byte)).unwrap_or(digits.len());
    let written = digits.get(..end).and_then(|digits| std::str::from_utf8(digits).ok());
    let Some(written) = written.and_then(|digits| u32::from_str_radix(digits, 8).ok()) else {
        return false;
    };
    let blank = 8 * u32::from(b' ');
    let rest: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    let own: u32 = sum.iter().map(|&byte| u32::from(byte)).sum();
    written == rest - own + blank
}

/// Distinguishes office documents, e-books and plain zip archives.
fn zip(bytes: &[u8]) -> FileKind {
    if let Some(kind) = by_mimetype(bytes) {
        return kind;
    }
    let Ok(archive) = zip::ZipArchive::new(Cursor::new(bytes)) else { return FileKind::Zip };
    if archive.index_for_name("[Content_Types].xml").is_some() {
        let has =
            |folder: &str| archive.file_names().flatten().any(|name| name.starts_with(folder));
        if has("word/") {
            return FileKind::Docx;
        }
        if has("ppt/") {
            return FileKind::Pptx;
        }
        if has("xl/") {
            return FileKind::Xlsx;
        }
    }
    if archive.index_for_name("META-INF/container.xml").is_some() {
        return FileKind::Epub;
    }
    let has_open_document = archive.index_for_name("content.xml").is_some()
        && archive.index_for_name("META-INF/manifest.xml").is_some();
    if has_open_document { FileKind::Odt } else { FileKind::Zip }
}

/// OpenDocument files and e-books begin with an uncompressed entry `mimetype`.
fn by_mimetype(bytes: &[u8]) -> Option<FileKind> {
    let length =
        |at: usize| Some(usize::from(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?])));
    let (name, extra) = (length(26)?, length(28)?);
    if bytes.get(30..30 + name)? != b"mimetype" {
        return None;
    }
    let content = bytes.get(30 + name + extra..)?;
    if content.starts_with(b"application/epub+zip") {
        Some(FileKind::Epub)
    } else if content.starts_with(b"application/vnd.oasis.opendocument.") {
        Some(FileKind::Odt)
    } else {
        None
    }
}

/// Detects kinds that are text with markup.
fn by_text(extension: &str, head: &str) -> FileKind {
    let text = head.trim_start_matches('\u{feff}').trim_start();
    // A text about mail or TeX may look like mail or TeX, so `.txt` means text, unless it is a
    // complete web page.
    if matches!(extension, "txt" | "text") {
        return if begins_page(text) { FileKind::Html } else { FileKind::Text };
    }
    let is_markdown = matches!(extension, "md" | "markdown" | "mkd" | "mdown");
    let is_latex = matches!(extension, "tex" | "ltx" | "latex" | "sty" | "cls" | "dtx" | "bbl");
    if let Some(kind) = markup(extension, text)
        && !is_markdown
    {
        return kind;
    }
    if is_mbox(head) {
        FileKind::Mbox
    } else if is_email(extension, head) {
        FileKind::Email
    } else if is_latex || begins_latex(text) {
        FileKind::Latex
    } else if is_roff(extension, head) {
        FileKind::Roff
    } else if is_markdown {
        FileKind::Markdown
    } else {
        FileKind::Text
    }
}

/// Whether the first tag begins a complete web page.
fn begins_page(text: &str) -> bool {
    let begins = |start: &str| {
        let head = text.as_bytes().get(..start.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes()))
    };
    begins("<!doctype html") || begins("<html")
}

/// Detects HTML, and XML and SGML with other vocabularies.
fn markup(extension: &str, text: &str) -> Option<FileKind> {
    let mut rest = text;
    let mut is_declared = false;
    while let Some(tag) = rest.strip_prefix('<') {
        if let Some(comment) = tag.strip_prefix("!--") {
            rest = comment.split_once("-->")?.1.trim_start();
        } else if tag.starts_with('?') {
            is_declared = true;
            rest = tag.split_once('>')?.1.trim_start();
        } else if tag.starts_with('!') {
            let mut words = tag.split(|c: char| c.is_whitespace() || c == '>');
            let is_doctype = words.next().is_some_and(|word| word.eq_ignore_ascii_case("!doctype"));
            if !is_doctype {
                return None;
            }
            let is_html = words
                .find(|word| !word.is_empty())
                .is_some_and(|word| word.eq_ignore_ascii_case("html"));
            return Some(if is_html { FileKind::Html } else { FileKind::Xml });
        } else {
            let end = tag
                .find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, ':' | '-' | '_' | '.'));
            let (name, after) = tag.split_at(end.unwrap_or(tag.len()));
            let is_tag = after.starts_with(|c: char| c.is_whitespace() || c == '>' || c == '/');
            if name.is_empty() || !is_tag {
                return None;
            }
            let is_page = ["html", "head", "body", "title", "meta", "script", "style"];
            if is_page.iter().any(|page| name.eq_ignore_ascii_case(page)) {
                return Some(FileKind::Html);
            }
            let is_known = matches!(name, "TEI" | "TEI.2" | "teiCorpus" | "alto" | "PcGts");
            if is_declared || is_known {
                return Some(FileKind::Xml);
            }
            let closes = text.contains(&format!("</{name}"));
            return match extension {
                "html" | "htm" | "xhtml" | "shtml" => Some(FileKind::Html),
                "xml" | "sgml" | "svg" | "dbk" | "fb2" | "tei" => Some(FileKind::Xml),
                _ if closes && is_block(name) => Some(FileKind::Html),
                _ => None,
            };
        }
    }
    let is_named = matches!(extension, "html" | "htm" | "xhtml") && text.contains("</");
    is_named.then_some(FileKind::Html)
}

/// Elements that may begin a fragment of a page.
fn is_block(name: &str) -> bool {
    let blocks = ["div", "p", "h1", "h2", "h3", "table", "ul", "ol", "article", "section", "main"];
    blocks.iter().any(|block| name.eq_ignore_ascii_case(block))
}

/// Whether there is a line `From sender date` followed by header fields.
fn is_mbox(head: &str) -> bool {
    let Some(line) = head.strip_prefix("From ") else { return false };
    let Some((first, rest)) = line.split_once('\n') else { return false };
    let has_time = first.contains(':') && first.split_whitespace().count() >= 5;
    has_time && rest.lines().next().and_then(field_name).is_some()
}

/// Returns the name of a header field, if the line is one.
fn field_name(line: &str) -> Option<&str> {
    let (name, _) = line.split_once(':')?;
    let is_name = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    is_name.then_some(name)
}

/// Whether there are header fields up to the first empty line, at least two of them typical of mail.
fn is_email(extension: &str, head: &str) -> bool {
    let (mut n_known, mut has_sure) = (0, false);
    for (number, line) in head.lines().enumerate() {
        if line.is_empty() {
            break;
        }
        if number > 0 && line.starts_with([' ', '\t']) {
            continue;
        }
        let Some(name) = field_name(line) else { return false };
        let is_sure =
            ["from", "received", "message-id", "return-path", "delivered-to", "mime-version"];
        let is_common = [
            "subject",
            "date",
            "to",
            "cc",
            "content-type",
            "newsgroups",
            "path",
            "reply-to",
            "sender",
        ];
        let is_in = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        has_sure |= is_in(&is_sure);
        n_known += usize::from(is_in(&is_sure) || is_in(&is_common));
    }
    n_known >= 2 && has_sure || n_known >= 1 && matches!(extension, "eml" | "msg")
}

/// Whether the first line that is not a comment begins a LaTeX document.
fn begins_latex(text: &str) -> bool {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty() && !line.starts_with('%'));
    first.is_some_and(|line| {
        [
            "\\documentclass",
            "\\documentstyle",
            "\\begin{document}",
            "\\NeedsTeXFormat",
            "\\input texinfo",
        ]
        .iter()
        .any(|start| line.starts_with(start))
    })
}

/// Whether lines begin with requests, and the first one begins a page or the name is that of roff.
fn is_roff(extension: &str, head: &str) -> bool {
    let is_request = |line: &str| {
        let mut characters = line.chars();
        matches!(characters.next(), Some('.' | '\''))
            && characters
                .next()
                .is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '\\' | '"' | ' '))
    };
    let first = head.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let begins_page = head.lines().take(200).any(|line| {
        [".TH ", ".Dd ", ".TL", ".de ", ".so "].iter().any(|request| line.starts_with(request))
    });
    let is_named = matches!(
        extension,
        "man" | "mdoc" | "roff" | "troff" | "ms" | "me" | "mm" | "tr" | "groff"
    ) || extension.starts_with(|c: char| c.is_ascii_digit()) && extension.len() <= 5;
    is_request(first) && (begins_page || is_named)
        || is_named && begins_page && head.lines().any(is_request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_txt_file_that_looks_like_mail_is_text() {
        let mail = b"From: a@example.org\nSubject: x\nDate: today\n\nHello.";
        assert_eq!(detect(Some("a.txt"), mail), FileKind::Text);
        assert_eq!(detect(Some("a"), mail), FileKind::Email);
        assert_eq!(detect(Some("a.txt"), b"<p>One</p>"), FileKind::Text);
        assert_eq!(detect(Some("a.txt"), b"<!DOCTYPE html><p>One</p>"), FileKind::Html);
    }

    #[test]
    fn content_overrides_the_name() {
        assert_eq!(detect(Some("a.txt"), b"%PDF-1.7"), FileKind::Pdf);
        assert_eq!(detect(Some("a.pdf"), b"just text"), FileKind::Text);
        assert_eq!(detect(Some("a.docx"), b"just text"), FileKind::Text);
        assert_eq!(detect(Some("a.html"), b"\x1f\x8b\x08"), FileKind::Gzip);
        assert_eq!(detect(Some("a.md"), b"%!PS-Adobe"), FileKind::PostScript);
    }

    #[test]
    fn names_resolve_ambiguous_content() {
        assert_eq!(detect(Some("a.md"), b"*text*"), FileKind::Markdown);
        assert_eq!(detect(Some("a.tex"), b"\\section{A}"), FileKind::Latex);
        assert_eq!(detect(Some("ls.1"), b".SH NAME\nls"), FileKind::Roff);
        assert_eq!(detect(Some("changes.1"), b"nothing of roff"), FileKind::Text);
        assert_eq!(detect(None, b"*text*"), FileKind::Text);
    }

    #[test]
    fn text_with_markup_is_recognized_by_its_beginning() {
        assert_eq!(detect(None, b"<!DOCTYPE html><p>x"), FileKind::Html);
        assert_eq!(detect(None, b"<?xml version='1.0'?>\n<html><p>x</p></html>"), FileKind::Html);
        assert_eq!(
            detect(None, b"<?xml version='1.0'?><book><para>x</para></book>"),
            FileKind::Xml
        );
        assert_eq!(detect(None, b"<b is less than c>"), FileKind::Text);
        assert_eq!(detect(None, b"% x\n\\documentclass{article}"), FileKind::Latex);
        assert_eq!(detect(None, b".TH LS 1\n.SH NAME\n"), FileKind::Roff);
        assert_eq!(detect(None, b"From: a@b\nSubject: c\n\ntext"), FileKind::Email);
        assert_eq!(
            detect(None, b"From a@b Mon Jan  1 00:00:00 2024\nFrom: a@b\n\nx"),
            FileKind::Mbox
        );
        assert_eq!(detect(None, b"Subject: matters: of\ntaste\n"), FileKind::Text);
        assert_eq!(detect(None, b"WARC/1.0\r\n"), FileKind::Warc);
        assert_eq!(detect(None, b""), FileKind::Text);
        assert_eq!(detect(None, &[0, 159, 1, 2, 3, 200, 6, 7, 1, 1]), FileKind::Unknown);
    }
}
