//! The kinds of files: documents and containers.

/// The kind of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FileKind {
    /// Plain text in any encoding.
    Text,
    /// A web page.
    Html,
    /// XML or SGML with any other vocabulary.
    Xml,
    /// Markdown.
    Markdown,
    /// LaTeX or plain TeX.
    Latex,
    /// roff source: man, mdoc, ms and similar.
    Roff,
    /// Rich text format.
    Rtf,
    /// Word document of the old format (Word 6 to 2003).
    Doc,
    /// Word document (Office Open XML).
    Docx,
    /// Presentation (Office Open XML).
    Pptx,
    /// Spreadsheet (Office Open XML).
    Xlsx,
    /// OpenDocument: text, presentation or spreadsheet.
    Odt,
    /// E-book (EPUB).
    Epub,
    /// One e-mail message.
    Email,
    /// A mailbox: a sequence of messages.
    Mbox,
    /// Web archive, including extracted text (WET).
    Warc,
    /// Zip archive.
    Zip,
    /// Tar archive.
    Tar,
    /// Compressed with gzip.
    Gzip,
    /// Compressed with Zstandard.
    Zstd,
    /// Compressed with xz.
    Xz,
    /// Compressed with bzip2.
    Bzip2,
    /// Portable document format.
    Pdf,
    /// PostScript.
    PostScript,
    /// Output of TeX.
    Dvi,
    /// None of these.
    Unknown,
}

impl FileKind {
    /// All kinds, in the order in which they are listed to users.
    pub const ALL: [Self; 26] = [
        Self::Text,
        Self::Html,
        Self::Xml,
        Self::Markdown,
        Self::Latex,
        Self::Roff,
        Self::Rtf,
        Self::Doc,
        Self::Docx,
        Self::Pptx,
        Self::Xlsx,
        Self::Odt,
        Self::Epub,
        Self::Email,
        Self::Mbox,
        Self::Warc,
        Self::Zip,
        Self::Tar,
        Self::Gzip,
        Self::Zstd,
        Self::Xz,
        Self::Bzip2,
        Self::Pdf,
        Self::PostScript,
        Self::Dvi,
        Self::Unknown,
    ];

    /// Detects the kind of `bytes` by content, and by `name` only if the content is ambiguous
    /// (Markdown, LaTeX, roff, text). A name never overrides the content.
    ///
    /// ```
    /// use textkin_extract::FileKind;
    ///
    /// assert_eq!(FileKind::detect(Some("letter.txt"), b"{\\rtf1 Dear}"), FileKind::Rtf);
    /// assert_eq!(FileKind::detect(Some("notes.md"), b"# Notes"), FileKind::Markdown);
    /// assert_eq!(FileKind::detect(None, b"# Notes"), FileKind::Text);
    /// ```
    pub fn detect(name: Option<&str>, bytes: &[u8]) -> Self {
        crate::detect::detect(name, bytes)
    }

    /// The name of the kind, lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Html => "html",
            Self::Xml => "xml",
            Self::Markdown => "markdown",
            Self::Latex => "latex",
            Self::Roff => "roff",
            Self::Rtf => "rtf",
            Self::Doc => "doc",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
            Self::Xlsx => "xlsx",
            Self::Odt => "odt",
            Self::Epub => "epub",
            Self::Email => "email",
            Self::Mbox => "mbox",
            Self::Warc => "warc",
            Self::Zip => "zip",
            Self::Tar => "tar",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Xz => "xz",
            Self::Bzip2 => "bzip2",
            Self::Pdf => "pdf",
            Self::PostScript => "postscript",
            Self::Dvi => "dvi",
            Self::Unknown => "unknown",
        }
    }

    /// A one-line description of the kind and of what is extracted.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Text => "plain text in any encoding",
            Self::Html => "web page: all visible text, or the main content only",
            Self::Xml => "XML or SGML with any vocabulary: all text",
            Self::Markdown => "Markdown: text without markup",
            Self::Latex => "LaTeX: text without commands and formulas",
            Self::Roff => "manual pages and other roff source",
            Self::Rtf => "rich text format, in any code page",
            Self::Doc => "Word document of the old format: text, notes, headers",
            Self::Docx => "Word document: text, notes, headers",
            Self::Pptx => "presentation: slides and speaker notes",
            Self::Xlsx => "spreadsheet: text of its cells, sheet by sheet",
            Self::Odt => "OpenDocument: text, presentation or spreadsheet",
            Self::Epub => "e-book, in reading order",
            Self::Email => "e-mail message: body and attachments",
            Self::Mbox => "mailbox: every message",
            Self::Warc => "web archive: every page; also WET",
            Self::Zip => "zip archive: every file in it",
            Self::Tar => "tar archive: every file in it",
            Self::Gzip => "compressed with gzip",
            Self::Zstd => "compressed with Zstandard",
            Self::Xz => "compressed with xz",
            Self::Bzip2 => "compressed with bzip2",
            Self::Pdf => "portable document format",
            Self::PostScript => "PostScript",
            Self::Dvi => "output of TeX",
            Self::Unknown => "unknown format",
        }
    }
}

impl std::fmt::Display for FileKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}
