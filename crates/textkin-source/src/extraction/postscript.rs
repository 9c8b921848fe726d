//! Reads PostScript with Ghostscript if it is installed, otherwise with the built-in interpreter in a
//! worker.

use std::path::Path;
use std::time::Instant;

use textkin_extract::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind, tidy_pages};

use super::pdf;
use super::process::find_program;
use super::worker::Worker;

/// Reads PostScript.
#[derive(Debug)]
pub(crate) struct PostScript<'a> {
    pub(crate) worker: &'a Worker,
}

impl Extractor for PostScript<'_> {
    fn kind(&self) -> FileKind {
        FileKind::PostScript
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let corrupt = |reason| Error::Corrupt { kind: FileKind::PostScript, reason };
        let deadline = self.worker.deadline(context.limits());
        let text = text(self.worker, bytes, deadline).map_err(corrupt)?;
        let text = tidy_pages(&text);
        if !text.chars().any(char::is_alphanumeric) {
            return Err(corrupt("no text found".to_owned()));
        }
        context.document(ExtractedDocument { text, ..ExtractedDocument::default() })
    }
}

fn text(worker: &Worker, bytes: &[u8], deadline: Instant) -> Result<String, String> {
    let mut reasons = Vec::new();
    if let Some(gs) = find_program("gs") {
        match run_ghostscript(worker, &gs, bytes, deadline) {
            Ok(text) => return Ok(text),
            Err(reason) => reasons.push(reason),
        }
    }
    match worker.read(FileKind::PostScript, bytes, deadline) {
        Some(Ok(text)) => return Ok(pdf::into_text(text)),
        Some(Err(reason)) => reasons.push(reason),
        None if reasons.is_empty() => {
            let reason = "Ghostscript (gs) is not installed; run textkin doctor for details";
            reasons.push(reason.to_owned());
        }
        None => {}
    }
    Err(reasons.join("; "))
}

fn run_ghostscript(
    worker: &Worker,
    gs: &Path,
    bytes: &[u8],
    deadline: Instant,
) -> Result<String, String> {
    let common = ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-sOutputFile=-"];
    // Word boundaries are better by way of PDF than with Ghostscript's own text output.
    let as_pdf = [&common[..], &["-sDEVICE=pdfwrite", "-"]].concat();
    let by_pdf = worker
        .run(gs, &as_pdf, bytes, deadline)
        .and_then(|converted| pdf::text(worker, &converted, deadline));
    by_pdf.or_else(|_| {
        let as_text = [&common[..], &["-sDEVICE=txtwrite", "-"]].concat();
        let text =
            worker.run(gs, &as_text, bytes, deadline).map_err(|reason| format!("gs: {reason}"))?;
        Ok(pdf::into_text(text))
    })
}
