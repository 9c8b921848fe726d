//! Results of a search for rewritten text: a table with passages, CSV, or JSON.

use std::fmt::Write as _;

use schemars::{JsonSchema, Schema};
use serde::Serialize;
use textkin::Repository;
use textkin::engine::report::terminal::{self, TerminalView};
use textkin::engine::report::{RewrittenMatch, csv_field, schema_of};
use textkin::engine::types::{Span, WordSpan};
use textkin::engine::{RewrittenHit, RewrittenResults};

use super::MAX_PASSAGES_SHOWN;
use super::json::TextRange;
use crate::arguments::ListFormat;

pub(super) const CSV_HEADER: &str = "query,rank,id,confidence,query_words,passages\n";

/// The schema of a line of results.
pub(crate) fn schema() -> Schema {
    schema_of::<QueryResult<'_>>()
}

/// The documents that say the same as a query in other words.
#[derive(Serialize, JsonSchema)]
struct QueryResult<'a> {
    /// Id of the query.
    query: &'a str,
    /// Words of the query.
    words: usize,
    /// The documents, the surest first.
    results: Vec<Match<'a>>,
}

/// A document that shares passages with the query.
#[derive(Serialize, JsonSchema)]
struct Match<'a> {
    /// Its rank, from 1.
    rank: usize,
    /// Its id.
    id: &'a str,
    /// How sure its surest passage is, from 0 to 1.
    confidence: f64,
    /// The same in words.
    likelihood: &'a str,
    /// Words of the query in the passages.
    query_words: usize,
    /// Words of the document.
    words: usize,
    /// Its time, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    time: Option<String>,
    /// The passages, in the order of the query.
    passages: Vec<Passage>,
}

#[derive(Serialize, JsonSchema)]
struct Passage {
    /// `exact`, `rewritten` or `summary`.
    kind: &'static str,
    /// How sure it is, from 0 to 1.
    confidence: f64,
    /// The same in words.
    likelihood: &'static str,
    /// Where it is in the query.
    query: TextRange,
    /// Where it is in the document.
    document: TextRange,
    /// The words that match: their spans in the query and in the document.
    same_words: Vec<[[u32; 2]; 2]>,
}

/// Formats the results of one query.
pub(super) fn render(
    repository: &Repository,
    id: &str,
    text: &str,
    found: &RewrittenResults,
    format: ListFormat,
    view: TerminalView,
) -> anyhow::Result<String> {
    let mut rendered = String::new();
    match format {
        ListFormat::Text => table(&mut rendered, id, text, found, view)?,
        ListFormat::Csv => {
            for (rank, hit) in (1..).zip(&found.hits) {
                let (id, document) = (csv_field(id), csv_field(&hit.id));
                let RewrittenHit { confidence, words, passages, .. } = hit;
                let n = passages.len();
                writeln!(rendered, "{id},{rank},{document},{confidence},{words},{n}")?;
            }
        }
        ListFormat::Json => {
            let mut results = Vec::with_capacity(found.hits.len());
            for (rank, hit) in (1..).zip(&found.hits) {
                results.push(Match {
                    rank,
                    id: &hit.id,
                    confidence: hit.confidence,
                    likelihood: hit.likelihood,
                    query_words: hit.words,
                    words: hit.document_words,
                    time: repository.document(hit.address)?.time,
                    passages: hit.passages.iter().map(passage).collect(),
                });
            }
            let result = QueryResult { query: id, words: found.words, results };
            writeln!(rendered, "{}", serde_json::to_string(&result)?)?;
        }
    }
    Ok(rendered)
}

fn passage(passage: &RewrittenMatch) -> Passage {
    let range = |words: &WordSpan| {
        TextRange::new(words.span, &(words.first as usize..words.end() as usize))
    };
    let ends = |span: Span| [span.start, span.end];
    Passage {
        kind: passage.kind,
        confidence: passage.confidence,
        likelihood: passage.likelihood,
        query: range(&passage.a),
        document: range(&passage.b),
        same_words: passage.same.iter().map(|word| [ends(word.a), ends(word.b)]).collect(),
    }
}

fn table(
    rendered: &mut String,
    id: &str,
    text: &str,
    found: &RewrittenResults,
    view: TerminalView,
) -> std::fmt::Result {
    let words = terminal::counted(found.words as u64, "word", "words");
    writeln!(rendered, "{} ({words}) by rewritten passages", terminal::fit(id, 200))?;
    if found.hits.is_empty() {
        return writeln!(rendered, "  no matches\n");
    }
    writeln!(rendered, "{:>5}  {:>10}  {:>7}  document", "rank", "confidence", "words")?;
    let room = view.width.saturating_sub(28).max(20);
    for (rank, hit) in (1..).zip(&found.hits) {
        let (percent, words) = (100.0 * hit.confidence, terminal::thousands(hit.words as u64));
        writeln!(
            rendered,
            "{rank:>5}  {percent:>8.0} %  {words:>7}  {}",
            terminal::fit(&hit.id, room)
        )?;
        for passage in hit.passages.iter().take(MAX_PASSAGES_SHOWN) {
            let words: Vec<&str> = text[passage.a.span.range()].split_whitespace().collect();
            let words = terminal::fit(&words.join(" "), room.saturating_sub(24).clamp(20, 80));
            let (kind, likelihood) = (passage.kind, passage.likelihood);
            let at = terminal::thousands(passage.b.span.start.into());
            writeln!(
                rendered,
                "{:>28}“{words}” at byte {at} of the document ({kind}, {likelihood})",
                ""
            )?;
        }
        if hit.passages.len() > MAX_PASSAGES_SHOWN {
            let more = (hit.passages.len() - MAX_PASSAGES_SHOWN) as u64;
            let more = terminal::counted(more, "more passage", "more passages");
            writeln!(rendered, "{:>28}… and {more}", "")?;
        }
    }
    rendered.push('\n');
    Ok(())
}
