//! The kinds of documents and containers, by name.

/// What bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FileKind {
    /// Plain text of any encoding.
    Text,
    /// A web page.
    Html,
    /// XML or SGML of another vocabulary than those below.
    Xml,
    /// Markdown.
    Markdown,
    /// LaTeX or plain TeX.
    Latex,
    /// roff source: man, mdoc, ms and their like.
    Roff,
    /// Rich text format.
    Rtf,
    /// Word document (Office Open XML).
    Docx,
    /// Presentation (Office Open XML).
    Pptx,
    /// Table (Office Open XML).
    Xlsx,
    /// Open document: text, presentation or table.
    Odt,
    /// Electronic book.
    Epub,
    /// One e-mail message.
    Email,
    /// A mailbox: messages one after the other.
    Mbox,
    /// Web archive, also with extracted text (WET).
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
    /// Nothing of these.
    Unknown,
}

impl FileKind {
    /// All kinds, in the order in which they are listed to users.
    pub const ALL: [Self; 24] = [
        Self::Text,
        Self::Html,
        Self::Xml,
        Self::Markdown,
        Self::Latex,
        Self::Roff,
        Self::Rtf,
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
        Self::Unknown,
    ];

    /// The kind of `bytes`: by content, and by `name` only where content cannot tell (Markdown,
    /// LaTeX, roff, text). A name never overrules what the content says.
    ///
    /// ```
    /// use textkin_extract::Kind;
    ///
    /// assert_eq!(Kind::detect(Some("letter.txt"), b"{\\rtf1 Dear}"), Kind::Rtf);
    /// assert_eq!(Kind::detect(Some("notes.md"), b"# Notes"), Kind::Markdown);
    /// assert_eq!(Kind::detect(None, b"# Notes"), Kind::Text);
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
            Self::Unknown => "unknown",
        }
    }

    /// What the kind is and what becomes text, in one line.
    pub fn summary(self) -> &'static str {
        match self {
            Self::Text => "plain text of any encoding",
            Self::Html => "web page: all visible text, or the main content only",
            Self::Xml => "XML or SGML of any vocabulary: all text",
            Self::Markdown => "Markdown: text without marks",
            Self::Latex => "LaTeX: text without commands and formulas",
            Self::Roff => "manual pages and other roff source",
            Self::Rtf => "rich text format, with its code pages",
            Self::Docx => "Word document: text, notes, headers",
            Self::Pptx => "presentation: slides and speaker notes",
            Self::Xlsx => "table: the text of its cells, sheet by sheet",
            Self::Odt => "open document: text, presentation or table",
            Self::Epub => "electronic book, in reading order",
            Self::Email => "e-mail message: body and attachments",
            Self::Mbox => "mailbox: every message",
            Self::Warc => "web archive: every page, also WET",
            Self::Zip => "zip archive: every file in it",
            Self::Tar => "tar archive: every file in it",
            Self::Gzip => "compressed with gzip",
            Self::Zstd => "compressed with Zstandard",
            Self::Xz => "compressed with xz",
            Self::Bzip2 => "compressed with bzip2",
            Self::Pdf => "portable document format",
            Self::PostScript => "PostScript",
            Self::Unknown => "no format that is known",
        }
    }
}

impl std::fmt::Display for FileKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}
