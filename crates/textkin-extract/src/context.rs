//! The context of an extractor: options, limits, and the sink for results.

use std::io::Read;

use crate::driver::extract_part;
use crate::limits::Budget;
use crate::writer::TextWriter;
use crate::{
    Error, ExtractLimits, ExtractSink, ExtractedDocument, FileKind, Note, PartProblem, tidy,
};

/// Extracts documents from files of one kind.
///
/// An extractor has settings but no state. It passes each document to [`ExtractContext::document`],
/// and the bytes of each part of a container to [`ExtractContext::nested`]. An error concerns the
/// bytes it was given; documents passed before it remain.
pub trait Extractor: Send + Sync {
    /// The kind that this extractor reads.
    fn kind(&self) -> FileKind;

    /// Reads `bytes` and passes the results to `context`.
    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error>;
}

/// Options of the user.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtractOptions {
    /// For web pages, extract only the main content. Default: all text.
    pub main_content: bool,
    /// Keep hidden text. Default: no; it is excluded and noted.
    pub keep_hidden: bool,
    /// Keep the positions of recognized text as metadata. Default: no.
    pub keep_layout: bool,
    /// What is read of TEI.
    pub tei: TeiOptions,
}

/// What is read of TEI, in addition to its text. Default: nothing, with corrected, regularized and expanded
/// readings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TeiOptions {
    /// The header.
    pub header: bool,
    /// Notes.
    pub notes: bool,
    /// The original readings: `sic`, `orig` and `abbr` instead of `corr`, `reg` and `expan`, and deletions.
    pub original: bool,
}

impl std::str::FromStr for TeiOptions {
    type Err = String;

    /// Parses `header`, `notes` and `original`, separated by commas.
    fn from_str(list: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for name in list.split(',') {
            match name.trim() {
                "header" => options.header = true,
                "notes" => options.notes = true,
                "original" => options.original = true,
                other => {
                    return Err(format!(
                        "unknown part of TEI '{other}'; use header, notes or original"
                    ));
                }
            }
        }
        Ok(options)
    }
}

/// The context of an extractor.
pub struct ExtractContext<'a> {
    pub(crate) options: &'a ExtractOptions,
    pub(crate) budget: &'a mut Budget,
    pub(crate) sink: &'a mut dyn ExtractSink,
    pub(crate) extractors: &'a [&'a dyn Extractor],
    /// Path inside the container, empty for the file itself.
    pub(crate) label: String,
    /// The file name, for detection.
    pub(crate) name: Option<String>,
    pub(crate) depth: usize,
    /// The kind, if the container specifies it.
    pub(crate) kind: Option<FileKind>,
    /// The time of documents that have none of their own.
    pub(crate) time: Option<String>,
}

/// A part of a container.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ContainerPart<'a> {
    /// Its path inside the container; empty if the part is the document itself.
    pub(crate) label: &'a str,
    /// Its name, for detection.
    pub(crate) name: Option<&'a str>,
    /// Its kind, if the container specifies it.
    pub(crate) kind: Option<FileKind>,
    /// Its time, if the container specifies it.
    pub(crate) time: Option<&'a str>,
}

impl std::fmt::Debug for ExtractContext<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Context")
            .field("options", &self.options)
            .field("budget", &self.budget)
            .field("label", &self.label)
            .field("depth", &self.depth)
            .finish_non_exhaustive()
    }
}

impl ExtractContext<'_> {
    /// Returns the options of the user.
    pub fn options(&self) -> &ExtractOptions {
        self.options
    }

    /// Returns the limits of the whole extraction.
    pub fn limits(&self) -> &ExtractLimits {
        self.budget.limits()
    }

    /// Returns the file name, if known.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Bytes of text that may still be extracted.
    pub fn text_left(&self) -> usize {
        self.budget.text_left()
    }

    /// Returns an error after the deadline. Loops over input should call it regularly.
    pub fn check_time(&self) -> Result<(), Error> {
        self.budget.check_time()
    }

    /// Takes one entry from the budget. Call it for every part of a container, read or not.
    pub fn take_entry(&mut self) -> Result<(), Error> {
        self.budget.take_entry()
    }

    /// Reads all of `reader`, which decompresses `n_compressed` bytes. On a read error, returns the
    /// bytes read so far and the error.
    pub fn expand(
        &mut self,
        reader: impl Read,
        n_compressed: u64,
    ) -> Result<(Vec<u8>, Option<std::io::Error>), Error> {
        self.budget.expand(reader, n_compressed)
    }

    /// Creates a text writer with the remaining limits.
    pub(crate) fn writer(&self) -> TextWriter {
        TextWriter::new(self.budget.limits(), self.budget.text_left())
    }

    /// Passes a document to the sink. Sets its name and removes soft hyphens.
    pub fn document(&mut self, mut document: ExtractedDocument) -> Result<(), Error> {
        if let Some(clean) = tidy::without_soft_hyphens(&document.text) {
            document.text = clean;
        }
        if document.text.trim().is_empty() && !document.notes.contains(&Note::NoText) {
            document.notes.push(Note::NoText);
        }
        self.budget.take_text(document.text.len())?;
        document.name.clone_from(&self.label);
        if document.time.is_none() {
            document.time.clone_from(&self.time);
        }
        flow(self.sink.document(document))
    }

    /// Reports to the sink that the part `label` cannot be read.
    pub fn problem(&mut self, label: &str, reason: impl std::fmt::Display) -> Result<(), Error> {
        let name = join(&self.label, label);
        flow(self.sink.problem(PartProblem { name, reason: reason.to_string() }))
    }

    /// Extracts a part of this container. `label` is its path inside the container, or empty if the
    /// part is the document itself (a compressed file); `name` helps to detect its kind.
    ///
    /// An error in the part becomes a problem and the container continues, unless a limit of the
    /// whole extraction is reached or `label` is empty.
    pub fn nested(&mut self, label: &str, name: Option<&str>, bytes: &[u8]) -> Result<(), Error> {
        self.nested_part(&ContainerPart { label, name, ..ContainerPart::default() }, bytes)
    }

    /// Works like [`nested`](Self::nested), with everything that the container specifies.
    pub(crate) fn nested_part(
        &mut self,
        part: &ContainerPart<'_>,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let limit = self.budget.limits().max_depth;
        let result = if self.depth >= limit.min(MAX_DEPTH) {
            Err(Error::TooDeep { limit })
        } else {
            extract_part(
                bytes,
                &mut ExtractContext {
                    options: self.options,
                    budget: self.budget,
                    sink: self.sink,
                    extractors: self.extractors,
                    label: join(&self.label, part.label),
                    name: part.name.map(str::to_owned),
                    depth: self.depth + 1,
                    kind: part.kind,
                    time: part.time.map(str::to_owned).or_else(|| self.time.clone()),
                },
            )
        };
        match result {
            Err(error) if !error.is_final() && !part.label.is_empty() => {
                self.problem(part.label, error)
            }
            result => result,
        }
    }
}

/// Maximum nesting whatever the limits, because of the stack.
const MAX_DEPTH: usize = 32;

fn flow(flow: std::ops::ControlFlow<()>) -> Result<(), Error> {
    if flow.is_break() { Err(Error::Stopped) } else { Ok(()) }
}

/// Joins `parent` and `label` into a label that is safe to display.
fn join(parent: &str, label: &str) -> String {
    let clean = clean_label(label);
    match (parent.is_empty(), clean.is_empty()) {
        (true, _) => clean,
        (_, true) => parent.to_owned(),
        _ => format!("{parent}/{clean}"),
    }
}

/// Longer labels are truncated.
const MAX_LABEL_CHARACTERS: usize = 1000;

/// Removes control characters, `.` and `..`, empty parts, drive letters and leading slashes.
fn clean_label(label: &str) -> String {
    let shown: String = label
        .chars()
        .map(|character| if character == '\\' { '/' } else { character })
        .filter(|character| !character.is_control() && !is_direction(*character))
        .take(MAX_LABEL_CHARACTERS)
        .collect();
    let parts: Vec<&str> = shown
        .split('/')
        .map(str::trim)
        .filter(|part| !matches!(*part, "" | "." | ".."))
        .skip_while(|part| part.len() == 2 && part.ends_with(':'))
        .collect();
    parts.join("/")
}

/// Characters that change the writing direction and could make a label look like another.
fn is_direction(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_not_paths() {
        assert_eq!(clean_label("../../etc/passwd"), "etc/passwd");
        assert_eq!(clean_label("/etc/./passwd"), "etc/passwd");
        assert_eq!(clean_label("C:\\windows\\..\\a.txt"), "windows/a.txt");
        assert_eq!(clean_label("a\u{7}\nb\u{202e}c"), "abc");
        assert_eq!(clean_label(".."), "");
        assert_eq!(join("a.zip", "../b"), "a.zip/b");
        assert_eq!(join("a.zip", ".."), "a.zip");
        assert_eq!(join("", "b"), "b");
    }
}
