//! Common text that a run excluded (--max-df): recomputed from all documents, or as the report claims.

use serde_json::Value;
use textkin::engine::types::{Layers, Overlap, TokenRange, Tokens};
use textkin::engine::{Analyzer, CommonText, Settings};

/// Words of two documents that --max-df excluded.
pub(super) struct ReportedCommonText {
    pub(super) a: Vec<TokenRange>,
    pub(super) b: Vec<TokenRange>,
    /// What the documents share without these words, if known.
    pub(super) overlap: Option<Overlap>,
}

impl ReportedCommonText {
    pub(super) fn view(&self) -> CommonText<'_> {
        CommonText { a: &self.a, b: &self.b, overlap: self.overlap }
    }
}

/// Returns the words that a comparison claims to be common. If documents of the run are missing, this claim is
/// trusted, and the rest is checked under this assumption.
pub(super) fn claimed(
    reported: &Value,
    texts: [&str; 2],
    settings: &Settings,
) -> anyhow::Result<ReportedCommonText> {
    let analyzer = Analyzer::new(settings)?;
    let [a, b] = [("a", texts[0]), ("b", texts[1])].map(|(side, text)| {
        let mut tokens = Tokens::new(Layers::SPANS);
        analyzer.tokenize(text, &mut tokens);
        words(&reported[side]["excluded"], &tokens)
    });
    Ok(ReportedCommonText { a, b, overlap: None })
}

/// Returns the words in spans that are excluded as common.
fn words(excluded: &Value, tokens: &Tokens) -> Vec<TokenRange> {
    let spans = excluded.as_array().into_iter().flatten();
    let common = spans.filter(|span| span["reason"] == "common");
    let mut ranges: Vec<TokenRange> = Vec::new();
    for span in common {
        let [Some(from), Some(to)] = [0, 1].map(|end| span["span"][end].as_u64()) else { continue };
        let word_at = |byte: u64| {
            let word = tokens.spans().partition_point(|word| u64::from(word.start) < byte);
            u32::try_from(word).unwrap_or(u32::MAX)
        };
        let (start, end) = (word_at(from), word_at(to));
        match ranges.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ if start < end => ranges.push(TokenRange { start, end }),
            _ => {}
        }
    }
    ranges
}
