//! Extraction: documents of any format out of the bytes of a file.
//!
//! Plain text never comes here (`text`). All formats but PDF and PostScript are read by
//! `textkin-extract` in this process; those two by programs with bounds.

mod pdf;
mod postscript;
pub(crate) mod process;
pub(crate) mod worker;

use std::ops::ControlFlow;
use std::time::Instant;

use textkin_core::{Document, DocumentSink, Problem};
use textkin_extract::{ExtractLimits, ExtractSink, ExtractedDocument, extract_with};

use crate::SourceSettings;
use crate::compression::Compression;

/// Gives every document in `bytes`, which are the file `name`, to `sink`.
pub(crate) fn extract(
    name: &str,
    bytes: &[u8],
    settings: &SourceSettings,
    sink: &mut dyn DocumentSink,
) -> ControlFlow<()> {
    let worker = &settings.worker;
    let limits = ExtractLimits {
        max_text_bytes: usize::try_from(settings.max_document_bytes).unwrap_or(usize::MAX),
        deadline: Some(Instant::now() + worker.limits.time),
        ..ExtractLimits::default()
    };
    let mut given = SinkAdapter { name, sink, flow: ControlFlow::Continue(()) };
    let (pdf, postscript) = (pdf::Pdf { worker }, postscript::PostScript { worker });
    let extracted = extract_with(
        &[&pdf, &postscript],
        Some(Compression::bare_name(name)),
        bytes,
        &settings.extract,
        &limits,
        &mut given,
    );
    match extracted {
        Ok(()) => given.flow,
        Err(error) => given.sink.problem(problem(name, "", error.to_string())),
    }
}

/// Turns what is extracted into documents named after their file.
struct SinkAdapter<'a> {
    name: &'a str,
    sink: &'a mut dyn DocumentSink,
    flow: ControlFlow<()>,
}

impl ExtractSink for SinkAdapter<'_> {
    fn document(&mut self, document: ExtractedDocument) -> ControlFlow<()> {
        let id = within(self.name, &document.name);
        let document = Document {
            id: id.into(),
            text: document.text.into(),
            time: document.time.map(Into::into),
            notes: document.notes,
            metadata: None,
        };
        self.flow = self.sink.document(document);
        self.flow
    }

    fn problem(&mut self, found: textkin_extract::PartProblem) -> ControlFlow<()> {
        self.flow = self.sink.problem(problem(self.name, &found.name, found.reason));
        self.flow
    }
}

/// The name of a part of a file.
fn within(name: &str, part: &str) -> String {
    if part.is_empty() { name.to_owned() } else { format!("{name}/{part}") }
}

fn problem(name: &str, part: &str, reason: String) -> Problem {
    Problem { path: within(name, part), line: None, reason }
}
