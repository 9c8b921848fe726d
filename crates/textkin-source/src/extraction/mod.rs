//! Extracts documents from the bytes of a file of any format.
//!
//! Plain text is read by `text`. `textkin-extract` reads all other formats in this process, except
//! PDF and PostScript, which separate processes with limits read.

mod pdf;
mod postscript;
pub(crate) mod process;
pub(crate) mod worker;

use std::ops::ControlFlow;
use std::time::Instant;

use textkin_core::{Document, DocumentSink, Problem};
use textkin_extract::{
    ExtractLimits, ExtractOptions, ExtractSink, ExtractedDocument, extract_with,
};

use crate::SourceSettings;
use crate::compression::Compression;

/// Passes every document in `bytes`, the content of the file `name`, to `sink`.
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
    let options =
        ExtractOptions { keep_layout: settings.keeps_metadata, ..settings.extract.clone() };
    let mut adapter = SinkAdapter { name, sink, flow: ControlFlow::Continue(()) };
    let (pdf, postscript) = (pdf::Pdf { worker }, postscript::PostScript { worker });
    let extracted = extract_with(
        &[&pdf, &postscript],
        Some(Compression::bare_name(name)),
        bytes,
        &options,
        &limits,
        &mut adapter,
    );
    match extracted {
        Ok(()) => adapter.flow,
        Err(error) => adapter.sink.problem(problem(name, "", error.to_string())),
    }
}

/// Converts extracted documents into documents named after their file.
struct SinkAdapter<'a> {
    name: &'a str,
    sink: &'a mut dyn DocumentSink,
    flow: ControlFlow<()>,
}

impl ExtractSink for SinkAdapter<'_> {
    fn document(&mut self, document: ExtractedDocument) -> ControlFlow<()> {
        let id = path_in(self.name, &document.name);
        let document = Document {
            id: id.into(),
            content: document.text.into(),
            time: document.time.map(Into::into),
            notes: document.notes,
            metadata: document.metadata.map(Into::into),
        };
        self.flow = self.sink.document(document);
        self.flow
    }

    fn problem(&mut self, part: textkin_extract::PartProblem) -> ControlFlow<()> {
        self.flow = self.sink.problem(problem(self.name, &part.name, part.reason));
        self.flow
    }
}

/// Returns the name of a part of a file.
fn path_in(name: &str, part: &str) -> String {
    if part.is_empty() { name.to_owned() } else { format!("{name}/{part}") }
}

fn problem(name: &str, part: &str, reason: String) -> Problem {
    Problem { path: path_in(name, part), line: None, reason }
}
