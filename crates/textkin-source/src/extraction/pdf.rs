//! Reads PDF with `pdftotext` if it is installed, otherwise with the built-in parser in a worker.

use std::time::Instant;

use textkin_extract::{
    Error, ExtractContext, ExtractedDocument, Extractor, FileKind, check_pdf_growth, tidy_pages,
};

use super::process::find_program;
use super::worker::Worker;

/// Reads PDF.
#[derive(Debug)]
pub(crate) struct Pdf<'a> {
    pub(crate) worker: &'a Worker,
}

impl Extractor for Pdf<'_> {
    fn kind(&self) -> FileKind {
        FileKind::Pdf
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let corrupt = |reason| Error::Corrupt { kind: FileKind::Pdf, reason };
        check_pdf_growth(bytes, context.limits())?;
        let deadline = self.worker.deadline(context.limits());
        let text = text(self.worker, bytes, deadline).map_err(|reason| match reason {
            reason if reason == encrypted() => Error::Encrypted(FileKind::Pdf),
            reason => corrupt(reason),
        })?;
        let text = tidy_pages(&text);
        if !text.chars().any(char::is_alphanumeric) {
            return Err(corrupt("no text found; the pages may be scanned images".to_owned()));
        }
        context.document(ExtractedDocument { text, ..ExtractedDocument::default() })
    }
}

/// Returns the text of a PDF, with a form feed after each page.
pub(super) fn text(worker: &Worker, bytes: &[u8], deadline: Instant) -> Result<String, String> {
    let mut reasons = Vec::new();
    if let Some(program) = find_program("pdftotext") {
        match worker.run(&program, &["-q", "-enc", "UTF-8", "-", "-"], bytes, deadline) {
            Ok(text) => return Ok(into_text(text)),
            Err(reason) => reasons.push(format!("pdftotext: {reason}")),
        }
    }
    match worker.read(FileKind::Pdf, bytes, deadline) {
        Some(Ok(text)) => return Ok(into_text(text)),
        // The message of `pdftotext` adds nothing.
        Some(Err(reason)) if reason == encrypted() => return Err(reason),
        Some(Err(reason)) => reasons.push(reason),
        None if reasons.is_empty() => {
            reasons.push("pdftotext is not installed; run textkin doctor for details".to_owned());
        }
        None => {}
    }
    Err(reasons.join("; "))
}

/// The message of the worker about a file that needs a password.
fn encrypted() -> String {
    Error::Encrypted(FileKind::Pdf).to_string()
}

pub(super) fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
