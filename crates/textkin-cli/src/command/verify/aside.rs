//! Common text that a run set aside: found again among all documents, or as the report claims it.

use serde_json::Value;
use textkin::types::{Layers, Overlap, TokenRange, Tokens};
use textkin::{Analyzer, CommonText, Settings};

/// What a cap set aside of two documents.
pub(super) struct Common {
    pub(super) a: Vec<TokenRange>,
    pub(super) b: Vec<TokenRange>,
    /// What they share without it, if that is known.
    pub(super) overlap: Option<Overlap>,
}

impl Common {
    pub(super) fn view(&self) -> CommonText<'_> {
        CommonText { a: &self.a, b: &self.b, overlap: self.overlap }
    }
}

/// The words that a comparison claims to be common. Where documents of the run are missing, this is
/// believed, and the rest checked on that condition.
pub(super) fn claimed(
    said: &Value,
    texts: [&str; 2],
    settings: &Settings,
) -> anyhow::Result<Common> {
    let analyzer = Analyzer::new(settings)?;
    let [a, b] = [("a", texts[0]), ("b", texts[1])].map(|(side, text)| {
        let mut tokens = Tokens::new(Layers::SPANS);
        analyzer.tokenize(text, &mut tokens);
        words(&said[side]["excluded"], &tokens)
    });
    Ok(Common { a, b, overlap: None })
}

/// The words that lie in spans which are excluded as common.
fn words(excluded: &Value, tokens: &Tokens) -> Vec<TokenRange> {
    let spans = excluded.as_array().into_iter().flatten();
    let common = spans.filter(|span| span["reason"] == "common");
    let mut ranges: Vec<TokenRange> = Vec::new();
    for span in common {
        let [Some(from), Some(to)] = [0, 1].map(|end| span["span"][end].as_u64()) else { continue };
        let place = |byte: u64| {
            let place = tokens.spans().partition_point(|word| u64::from(word.start) < byte);
            u32::try_from(place).unwrap_or(u32::MAX)
        };
        let (start, end) = (place(from), place(to));
        match ranges.last_mut() {
            Some(last) if start <= last.end => last.end = last.end.max(end),
            _ if start < end => ranges.push(TokenRange { start, end }),
            _ => {}
        }
    }
    ranges
}
