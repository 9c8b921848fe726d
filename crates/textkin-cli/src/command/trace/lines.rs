//! The result of a document as a line of JSON or text.

use std::io::{self, Write};

use schemars::{JsonSchema, Schema};
use serde::{Serialize, Serializer};
use textkin::engine::report::{schema_of, terminal};
use textkin::engine::trace::Block;
use textkin::engine::types::Span;
use textkin::engine::{BlockOrigin, DocumentOrigins};

use crate::arguments::TraceFormat;

/// The schema of a line.
pub(crate) fn schema() -> Schema {
    schema_of::<JsonLine<'_>>()
}

/// Writes the line of a document.
pub(super) fn write(
    format: TraceFormat,
    id: &str,
    time: Option<&str>,
    origins: &DocumentOrigins,
    line: &mut impl Write,
) -> io::Result<()> {
    match format {
        TraceFormat::Json => {
            serde_json::to_writer(&mut *line, &JsonLine::new(id, time, origins))?;
            line.write_all(b"\n")
        }
        TraceFormat::Text => line.write_all(table_line(id, origins).as_bytes()),
    }
}

/// The result of a document. The field names are part of the output format.
#[derive(Serialize, JsonSchema)]
struct JsonLine<'a> {
    /// Its id.
    id: &'a str,
    /// Its number in the stream, from 0.
    number: u64,
    /// Its time, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    /// Its words.
    words: u32,
    /// Its chunks.
    chunks: u32,
    /// Chunks that were looked up.
    selected: u32,
    /// Words without an origin.
    fresh_words: u32,
    /// Words with an origin.
    old_words: u32,
    /// The document that most words come from; `null` if its name was forgotten.
    dominant_origin: Option<&'a str>,
    /// The number of that document; its own number if most words are fresh.
    dominant_number: u64,
    /// The share of its words that come from there.
    dominant_share: f64,
    /// Copied passages, in order.
    #[serde(serialize_with = "blocks")]
    #[schemars(with = "Vec<JsonBlock<'static>>")]
    blocks: &'a DocumentOrigins,
    /// Spans of fresh words: first byte, and the byte after the last.
    #[serde(serialize_with = "spans")]
    #[schemars(with = "Vec<[u32; 2]>")]
    fresh: &'a [Span],
    /// Spans whose origin was estimated.
    #[serde(serialize_with = "spans")]
    #[schemars(with = "Vec<[u32; 2]>")]
    estimated: &'a [Span],
}

/// A copied passage.
#[derive(Serialize, JsonSchema)]
struct JsonBlock<'a> {
    /// First byte.
    start: u32,
    /// Byte after the last.
    end: u32,
    /// The earliest document known to contain it; `null` if its name was forgotten.
    origin: Option<&'a str>,
    /// The number of that document.
    origin_number: u64,
    /// First word of the passage there, if known.
    origin_offset: Option<u32>,
    /// Its words.
    words: u32,
    /// Words whose origin was estimated.
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
    fn new(id: &'a str, time: Option<&'a str>, origins: &'a DocumentOrigins) -> Self {
        let trace = &origins.trace;
        Self {
            id,
            number: trace.number,
            words: trace.words,
            chunks: trace.chunks,
            selected: trace.selected,
            fresh_words: trace.fresh_words,
            old_words: trace.old_words,
            dominant_origin: origins.dominant_origin.as_deref(),
            dominant_number: trace.dominant_origin,
            dominant_share: trace.dominant_share,
            blocks: origins,
            fresh: &origins.fresh_spans,
            estimated: &origins.estimated_spans,
            time,
        }
    }
}

// Written one by one, because a long document has many and a second copy would cost memory.
fn blocks<S: Serializer>(origins: &&DocumentOrigins, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(origins.trace.blocks.iter().zip(&origins.blocks).map(JsonBlock::new))
}

fn spans<S: Serializer>(spans: &&[Span], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(spans.iter().map(|span| [span.start, span.end]))
}

fn table_line(id: &str, origins: &DocumentOrigins) -> String {
    let trace = &origins.trace;
    let fresh = 100.0 * f64::from(trace.fresh_words) / f64::from(trace.words.max(1));
    let origin = match (trace.is_copied(), &origins.dominant_origin) {
        (false, _) => "itself".to_owned(),
        (true, Some(origin)) => terminal::fit(origin, 40),
        (true, None) => format!("document {}", trace.dominant_origin),
    };
    let words = terminal::thousands(u64::from(trace.words));
    let share = 100.0 * trace.dominant_share;
    format!(
        "{words:>9} words  {fresh:>5.1} % fresh  {share:>5.1} % from {origin}  {}\n",
        terminal::fit(id, 60)
    )
}
