//! PDF: by `pdftotext` where it is installed, else by parsers of our own in a worker.

use std::io::{Read, Write};
use std::time::Instant;

use textkin_extract::{Context, Error, Extracted, Extractor, Kind, tidy_pages};

use super::process::find_program;
use super::worker::Worker;

/// Bytes of stack for parsers that call themselves.
const STACK: usize = 256 << 20;

/// Reads PDF.
#[derive(Debug)]
pub(crate) struct Pdf<'a> {
    pub(crate) worker: &'a Worker,
}

impl Extractor for Pdf<'_> {
    fn kind(&self) -> Kind {
        Kind::Pdf
    }

    fn extract(&self, bytes: &[u8], context: &mut Context<'_>) -> Result<(), Error> {
        let damaged = |reason| Error::Damaged { kind: Kind::Pdf, reason };
        let deadline = self.worker.deadline(context.limits());
        let text = text(self.worker, bytes, deadline).map_err(damaged)?;
        let text = tidy_pages(&text);
        if !text.chars().any(char::is_alphanumeric) {
            return Err(damaged("no text: its pages are pictures, or it is encrypted".to_owned()));
        }
        context.document(Extracted { text, ..Extracted::default() })
    }
}

/// The text of a PDF, a form feed after each page.
pub(super) fn text(worker: &Worker, bytes: &[u8], deadline: Instant) -> Result<String, String> {
    let mut reasons = Vec::new();
    if let Some(program) = find_program("pdftotext") {
        match worker.run(&program, &["-q", "-enc", "UTF-8", "-", "-"], bytes, deadline) {
            Ok(text) => return Ok(into_text(text)),
            Err(reason) => reasons.push(format!("pdftotext: {reason}")),
        }
    }
    match worker.read_pdf(bytes, deadline) {
        Some(Ok(text)) => return Ok(into_text(text)),
        Some(Err(reason)) => reasons.push(reason),
        None if reasons.is_empty() => {
            reasons.push(
                "the program pdftotext is not installed (textkin doctor tells more)".to_owned(),
            );
        }
        None => {}
    }
    Err(reasons.join("; "))
}

fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// In the worker: reads a PDF from standard input and writes its text.
pub(super) fn read_here() -> Result<(), String> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    // What a parser has to say when it panics is nothing for the user.
    std::panic::set_hook(Box::new(|_| {}));
    let bytes = std::sync::Arc::new(bytes);
    let mut best: Option<String> = None;
    let mut reasons = Vec::new();
    for engine in engines() {
        let bytes = std::sync::Arc::clone(&bytes);
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(move || engine(&bytes));
        match thread.map(std::thread::JoinHandle::join) {
            Ok(Ok(Ok(text))) => {
                if best.as_deref().is_none_or(|best| quality(best) < quality(&text)) {
                    best = Some(text);
                }
            }
            Ok(Ok(Err(reason))) => reasons.push(reason),
            Ok(Err(_)) => reasons.push("its structure confuses the parser".to_owned()),
            Err(error) => reasons.push(error.to_string()),
        }
        if best.as_deref().is_some_and(is_good) {
            break;
        }
    }
    let Some(text) = best else {
        return Err(reasons.pop().unwrap_or_else(|| {
            "this textkin was built without PDF; install pdftotext".to_owned()
        }));
    };
    std::io::stdout().lock().write_all(text.as_bytes()).map_err(|error| error.to_string())
}

type Engine = fn(&[u8]) -> Result<String, String>;

/// The second is tried where the first fails or gives words glued together.
#[cfg(feature = "pdf")]
fn engines() -> Vec<Engine> {
    vec![by_pdf_extract, by_unpdf]
}

#[cfg(not(feature = "pdf"))]
fn engines() -> Vec<Engine> {
    Vec::new()
}

#[cfg(feature = "pdf")]
fn by_pdf_extract(bytes: &[u8]) -> Result<String, String> {
    let pages = pdf_extract::extract_text_from_mem_by_pages(bytes);
    pages.map(|pages| pages.join("\u{c}")).map_err(|error| error.to_string())
}

#[cfg(feature = "pdf")]
fn by_unpdf(bytes: &[u8]) -> Result<String, String> {
    let document = unpdf::parse_bytes(bytes).map_err(|error| error.to_string())?;
    let options = unpdf::render::RenderOptions::default();
    unpdf::render::to_text(&document, &options).map_err(|error| error.to_string())
}

/// How much a text looks like text: words of usual length, less those that are glued together.
fn quality(text: &str) -> i64 {
    let (usual, odd) = count_words(text);
    usual - 10 * odd
}

/// Whether nobody needs to try again.
fn is_good(text: &str) -> bool {
    let (usual, odd) = count_words(text);
    usual > 0 && odd * 50 < usual
}

/// Words of at most 16 letters, and longer ones.
fn count_words(text: &str) -> (i64, i64) {
    let words = text.split(|character: char| !character.is_alphanumeric());
    let lengths = words.map(|word| word.chars().count()).filter(|&length| length > 0);
    lengths.fold((0, 0), |(usual, odd), length| match length {
        1..=16 => (usual + 1, odd),
        _ => (usual, odd + 1),
    })
}
