//! What is said of a document, as a line: JSON for programs, or for a terminal.

use std::io::{self, Write};

use serde::{Serialize, Serializer};
use textkin::report::terminal;
use textkin::trace::Block;
use textkin::types::Span;
use textkin::{BlockOrigin, DocumentOrigins};

use crate::arguments::TraceFormat;

/// Writes the line of a document.
pub(super) fn write(
    format: TraceFormat,
    id: &str,
    time: Option<&str>,
    said: &DocumentOrigins,
    line: &mut impl Write,
) -> io::Result<()> {
    match format {
        TraceFormat::Json => {
            serde_json::to_writer(&mut *line, &JsonLine::new(id, time, said))?;
            line.write_all(b"\n")
        }
        TraceFormat::Table => line.write_all(table_line(id, said).as_bytes()),
    }
}

/// What is said of a document; programs go by these names.
#[derive(Serialize)]
struct JsonLine<'a> {
    id: &'a str,
    number: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    words: u32,
    chunks: u32,
    selected: u32,
    new_words: u32,
    copied_words: u32,
    dominant_origin: Option<&'a str>,
    dominant_number: u64,
    dominant_share: f64,
    #[serde(serialize_with = "blocks")]
    blocks: &'a DocumentOrigins,
    #[serde(serialize_with = "places")]
    new: &'a [Span],
    #[serde(serialize_with = "places")]
    estimated: &'a [Span],
}

#[derive(Serialize)]
struct JsonBlock<'a> {
    start: u32,
    end: u32,
    origin: Option<&'a str>,
    origin_number: u64,
    origin_offset: Option<u32>,
    words: u32,
    estimated: u32,
}

impl<'a> JsonBlock<'a> {
    fn new((block, place): (&Block, &'a BlockOrigin)) -> Self {
        Self {
            start: place.span.start,
            end: place.span.end,
            origin: place.origin.as_deref(),
            origin_number: block.origin,
            origin_offset: block.origin_offset,
            words: block.words,
            estimated: block.estimated,
        }
    }
}

impl<'a> JsonLine<'a> {
    fn new(id: &'a str, time: Option<&'a str>, said: &'a DocumentOrigins) -> Self {
        let traced = &said.trace;
        Self {
            id,
            number: traced.number,
            words: traced.words,
            chunks: traced.chunks,
            selected: traced.selected,
            new_words: traced.new_words,
            copied_words: traced.copied_words,
            dominant_origin: said.dominant_origin.as_deref(),
            dominant_number: traced.dominant_origin,
            dominant_share: traced.dominant_share,
            blocks: said,
            new: &said.new_spans,
            estimated: &said.estimated_spans,
            time,
        }
    }
}

// Written one by one: of a long document there are many, and no second copy of them is made.
fn blocks<S: Serializer>(said: &&DocumentOrigins, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(said.trace.blocks.iter().zip(&said.blocks).map(JsonBlock::new))
}

fn places<S: Serializer>(spans: &&[Span], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(spans.iter().map(|span| [span.start, span.end]))
}

fn table_line(id: &str, said: &DocumentOrigins) -> String {
    let traced = &said.trace;
    let new = 100.0 * f64::from(traced.new_words) / f64::from(traced.words.max(1));
    let origin = match (traced.is_copied(), &said.dominant_origin) {
        (false, _) => "its own".to_owned(),
        (true, Some(origin)) => terminal::fit(origin, 40),
        (true, None) => format!("document {}", traced.dominant_origin),
    };
    let words = terminal::thousands(u64::from(traced.words));
    let share = 100.0 * traced.dominant_share;
    format!(
        "{words:>9} words  {new:>5.1} % new  {share:>5.1} % {origin}  {}\n",
        terminal::fit(id, 60)
    )
}
