//! What is said of a document, as a line: JSON for programs, or for a terminal.

use serde_json::{Value, json};
use textkin::DocumentOrigins;
use textkin::core::Span;
use textkin::report::terminal;

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

fn json_line(id: &str, time: Option<&str>, said: &DocumentOrigins) -> Value {
    let traced = &said.traced;
    let blocks: Vec<Value> = traced
        .blocks
        .iter()
        .zip(&said.blocks)
        .map(|(block, place)| {
            json!({
                "start": place.span.start,
                "end": place.span.end,
                "origin": place.origin,
                "origin_number": block.origin,
                "origin_offset": block.origin_offset,
                "words": block.words,
                "estimated": block.estimated,
            })
        })
        .collect();
    let places = |spans: &[Span]| -> Vec<[u32; 2]> {
        spans.iter().map(|span| [span.start, span.end]).collect()
    };
    let mut line = json!({
        "id": id,
        "number": traced.number,
        "words": traced.words,
        "chunks": traced.chunks,
        "selected": traced.selected,
        "fresh_words": traced.fresh_words,
        "old_words": traced.old_words,
        "dominant_origin": said.dominant_origin,
        "dominant_number": traced.dominant_origin,
        "dominant_share": traced.dominant_share,
        "blocks": blocks,
        "fresh": places(&said.fresh),
        "estimated": places(&said.estimated),
    });
    if let Some(time) = time {
        line["time"] = time.into();
    }
    line
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
