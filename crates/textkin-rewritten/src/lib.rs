//! Aligns rewritten text: finds passages of two texts that say the same in other words, although no eight words in a
//! row are identical.
//!
//! In: the words of two texts. Out: passages with their words and bytes in both texts, the words that match, and a
//! sum that says how sure the passage is ([`confidence`]).
//!
//! Two passages belong together if their words match far more often than the topic of both texts explains, and if the
//! matches support one another. The steps:
//! 1. *Exact.* Long identical runs of words are passages; the rest of the first text is looked at.
//! 2. *Gains.* A word that both texts have gets a gain, the logarithm of how much likelier it is in a rewritten
//!    passage than by chance, given how often both texts have it. A word that only one has costs something. A match
//!    counts in full only if words around it match too, in any order (`pair`).
//! 3. *Seeds.* Windows of both texts that share many telling words (`seeds`).
//! 4. *Growth.* From a seed, the best range of one text for that of the other is sought, in turns, then close
//!    passages are joined (`passages`, `range`).
//! 5. *Summaries.* A short range whose matches lie all over a long text (`summary`).
//!
//! The method knows no language: words are compared by their first letters.
//!
//! In a collection, pairs of words that are close together lead to the texts that are worth aligning ([`candidates()`]).
//!
//! ```
//! use textkin_core::{Layers, Tokenizer, Tokens};
//! use textkin_rewritten::{Method, RewrittenText, align_rewritten};
//! use textkin_text::tokenizer::WordTokenizer;
//!
//! let source = "The lighthouse keeper counted forty ships before the storm broke over the harbour. \
//!     He had lit the great lamp early, because the fishermen had warned him that gulls were flying far inland.";
//! let rewritten = "Before the storm reached the harbour, the keeper of the lighthouse counted some forty \
//!     ships. As gulls flew inland, which the fishermen had warned of, he lit the big lamp early.";
//! let method = Method::default();
//! let [rewritten, source] = [rewritten, source].map(|text| {
//!     let mut tokens = Tokens::new(Layers::SPANS);
//!     WordTokenizer::default().tokenize(text, &mut tokens);
//!     RewrittenText::new(text, tokens, method.letters)
//! });
//! let found = align_rewritten(&rewritten, &source, &method);
//! assert_eq!(found.len(), 1);
//! ```

#![expect(
    clippy::cast_possible_truncation,
    reason = "texts are bounded to 4 GiB, so words are numbered by 32 bits"
)]

mod candidates;
mod confidence;
mod method;
mod pair;
mod passages;
mod range;
mod seeds;
mod summary;
#[cfg(test)]
mod tests;
mod text;

use std::num::NonZeroU32;
use std::ops::Range;

use textkin_core::{Span, WordSpan};
use textkin_graph::{AlignSettings, PassageRules, align};

pub use crate::candidates::{Candidate, CandidateMethod, WordPair, candidates, word_pairs};
pub use crate::confidence::{Confidence, confidence};
pub use crate::method::{Method, SummaryMethod};
use crate::pair::{Side, TextPair};
use crate::passages::{Compact, compact, meets};
pub use crate::text::RewrittenText;

/// What kind of passage it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RewrittenKind {
    /// An identical run of words.
    Exact,
    /// The same in other words.
    Rewritten,
    /// A summary of a longer text.
    Summary,
}

impl RewrittenKind {
    /// Returns the name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Rewritten => "rewritten",
            Self::Summary => "summary",
        }
    }
}

/// A word of one text that matches a word of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct WordMatch {
    /// The number of the word in the first text.
    pub a: usize,
    /// The number of the word in the second text.
    pub b: usize,
    /// What the match is worth.
    pub weight: f32,
}

/// A passage of the first text that says the same as one of the second.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RewrittenPassage {
    /// Its kind.
    pub kind: RewrittenKind,
    /// Its words in the first text.
    pub a: Range<usize>,
    /// Its words in the second text.
    pub b: Range<usize>,
    /// Its bytes in the first text.
    pub a_span: Span,
    /// Its bytes in the second text.
    pub b_span: Span,
    /// Sum of the weights of its words on both sides: the higher, the surer. Infinite for an identical run.
    pub sum: f32,
    /// The words that match, in the order of the first text; each word of the first text at most once.
    pub matches: Vec<WordMatch>,
}

impl RewrittenPassage {
    /// Returns how sure it is that the passage comes from the other.
    #[must_use]
    pub fn confidence(&self) -> Confidence {
        confidence(self.kind, self.sum)
    }

    /// Exchanges the texts.
    fn mirrored(mut self) -> Self {
        std::mem::swap(&mut self.a, &mut self.b);
        std::mem::swap(&mut self.a_span, &mut self.b_span);
        for one in &mut self.matches {
            std::mem::swap(&mut one.a, &mut one.b);
        }
        self.matches.sort_by_key(|one| (one.a, one.b));
        self
    }
}

/// Finds the passages that two texts share in other words, whichever is the source, in the order of the first.
///
/// The texts are aligned both ways, and the way that explains more is returned.
#[must_use]
pub fn align_either_way(
    a: &RewrittenText,
    b: &RewrittenText,
    method: &Method,
) -> Vec<RewrittenPassage> {
    let (from_b, from_a) = (align_rewritten(a, b, method), align_rewritten(b, a, method));
    let sum = |passages: &[RewrittenPassage]| -> f32 {
        passages.iter().map(|one| one.sum).filter(|sum| sum.is_finite()).sum()
    };
    if sum(&from_b) >= sum(&from_a) {
        return from_b;
    }
    let mut passages: Vec<_> = from_a.into_iter().map(RewrittenPassage::mirrored).collect();
    passages.sort_by_key(|one| (one.a.start, one.b.start));
    passages
}

/// Finds the passages of the first text that come from the second, in the order of the first.
#[must_use]
pub fn align_rewritten(
    a: &RewrittenText,
    b: &RewrittenText,
    method: &Method,
) -> Vec<RewrittenPassage> {
    if a.n_words() == 0 || b.n_words() == 0 {
        return Vec::new();
    }
    let exact = exact_runs(a, b, method);
    let mut is_exact = vec![false; a.n_words()];
    for (words, _) in &exact {
        is_exact[words.clone()].fill(true);
    }
    let mut pair = TextPair::new(a, b, method);
    let mut found = compact(&mut pair, is_exact.clone());
    let summary = summary::summary(&mut pair, &found, &is_exact);
    let min_sum = if exact.is_empty() { method.min_sum } else { method.min_sum_beside_exact };
    found.retain(|one| {
        one.sum >= min_sum
            && one.a.len() >= method.min_words_a
            && one.b.len() >= method.min_words_b
            && summary.as_ref().is_none_or(|summary| !meets(one, &summary.a))
    });
    let exact = exact.into_iter().map(|(a, b)| Compact { sum: f32::INFINITY, a, b });
    let mut passages: Vec<RewrittenPassage> = exact
        .map(|one| (RewrittenKind::Exact, one))
        .chain(found.into_iter().map(|one| (RewrittenKind::Rewritten, one)))
        .chain(summary.into_iter().map(|one| (RewrittenKind::Summary, one)))
        .map(|(kind, one)| passage(&mut pair, kind, one))
        .collect();
    passages.sort_by_key(|one| (one.a.start, one.b.start));
    passages
}

/// Returns the identical runs that are passages of their own.
fn exact_runs(
    a: &RewrittenText,
    b: &RewrittenText,
    method: &Method,
) -> Vec<(Range<usize>, Range<usize>)> {
    let k = NonZeroU32::new(method.exact_words).unwrap_or(NonZeroU32::MIN);
    let exact = align(
        a.tokens(),
        b.tokens(),
        &AlignSettings { k, passages: PassageRules { max_gap: 0, ..PassageRules::default() } },
    );
    let words = |one: WordSpan| one.first as usize..one.end() as usize;
    let runs = exact.passages.iter().map(|one| (words(one.a), words(one.b)));
    runs.filter(|(a, _)| a.len() >= method.exact_words as usize).collect()
}

/// Adds the bytes and the matching words to a passage.
fn passage(pair: &mut TextPair<'_>, kind: RewrittenKind, one: Compact) -> RewrittenPassage {
    let (a_span, b_span) = (pair.text(Side::A).span(&one.a), pair.text(Side::B).span(&one.b));
    let matches = match kind {
        RewrittenKind::Exact => {
            let words = one.a.clone().zip(one.b.clone());
            words.map(|(a, b)| WordMatch { a, b, weight: pair.method.max_gain }).collect()
        }
        _ => {
            pair.begin_range();
            let max_gain = pair.method.max_gain;
            let word = |a: usize| {
                let weight = pair.weight(Side::A, a, &one.b, max_gain)?;
                let (_, b) = pair.best_match(Side::A, a, &one.b)?;
                Some(WordMatch { a, b, weight })
            };
            one.a.clone().filter_map(word).collect()
        }
    };
    RewrittenPassage { kind, a: one.a, b: one.b, a_span, b_span, sum: one.sum, matches }
}
