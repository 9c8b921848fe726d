//! What is said of a document, as a line: JSON for programs, or for a terminal.

use serde::Serialize;
use textkin::core::Span;
use textkin::report::terminal;
use textkin::tracing::Block;
use textkin::{BlockOrigin, DocumentOrigins};

use crate::arguments::TraceFormat;

/// The line of a document.
pub(super) fn line(
    format: TraceFormat,
    id: &str,
    time: Option<&str>,
    said: &DocumentOrigins,
) -> String {
    match format {
        TraceFormat::Json => format!("{}\n", json_line(id, time, said)),
        TraceFormat::Table => table_line(id, said),
    }
}

/// What is said of a document; programs go by these names.
#[derive(Serialize)]
struct JsonLine<'a> {
    blocks: Vec<JsonBlock<'a>>,
    chunks: u32,
    dominant_number: u64,
    dominant_origin: Option<&'a str>,
    dominant_share: f64,
    estimated: Vec<[u32; 2]>,
    fresh: Vec<[u32; 2]>,
    fresh_words: u32,
    id: &'a str,
    number: u64,
    old_words: u32,
    selected: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<&'a str>,
    words: u32,
}

#[derive(Serialize)]
struct JsonBlock<'a> {
    end: u32,
    estimated: u32,
    origin: Option<&'a str>,
    origin_number: u64,
    origin_offset: Option<u32>,
    start: u32,
    words: u32,
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

fn json_line(id: &str, time: Option<&str>, said: &DocumentOrigins) -> String {
    let traced = &said.traced;
    let places = |spans: &[Span]| spans.iter().map(|span| [span.start, span.end]).collect();
    let line = JsonLine {
        id,
        number: traced.number,
        words: traced.words,
        chunks: traced.chunks,
        selected: traced.selected,
        fresh_words: traced.fresh_words,
        old_words: traced.old_words,
        dominant_origin: said.dominant_origin.as_deref(),
        dominant_number: traced.dominant_origin,
        dominant_share: traced.dominant_share,
        blocks: traced.blocks.iter().zip(&said.blocks).map(JsonBlock::new).collect(),
        fresh: places(&said.fresh),
        estimated: places(&said.estimated),
        time,
    };
    // Numbers and strings can always be written.
    serde_json::to_string(&line).unwrap_or_default()
}

fn table_line(id: &str, said: &DocumentOrigins) -> String {
    let traced = &said.traced;
    let fresh = 100.0 * f64::from(traced.fresh_words) / f64::from(traced.words.max(1));
    let origin = match (traced.is_copied(), &said.dominant_origin) {
        (false, _) => "its own".to_owned(),
        (true, Some(origin)) => terminal::fit(origin, 40),
        (true, None) => format!("document {}", traced.dominant_origin),
    };
    let words = terminal::thousands(u64::from(traced.words));
    let share = 100.0 * traced.dominant_share;
    format!(
        "{words:>9} words  {fresh:>5.1} % fresh  {share:>5.1} % {origin}  {}\n",
        terminal::fit(id, 60)
    )
}
