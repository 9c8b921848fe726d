//! The passages that two texts share in other words, beside those that are identical.
//!
//! In: two texts and their comparison. Out: the passages that `textkin-rewritten` finds, without those that the
//! comparison shows already.

use textkin_core::{Layers, Passage, Tokens, WordSpan};
use textkin_report::{RewrittenMatch, RewrittenMatches, SameWord};
use textkin_rewritten::{Method, RewrittenKind, RewrittenPassage, RewrittenText, align_either_way};

use crate::analyzer::Analyzer;
use crate::compare::TextComparison;
use crate::error::Error;
use crate::settings::Settings;

/// Finds the passages that `a` and `b` share in other words. `comparison` is their comparison with the same settings.
///
/// # Errors
/// If the settings are invalid.
pub fn find_rewritten(
    a: &str,
    b: &str,
    settings: &Settings,
    comparison: &TextComparison,
) -> Result<RewrittenMatches, Error> {
    let (analyzer, method) = (Analyzer::new(settings)?, Method::default());
    let [text_a, text_b] = [a, b].map(|text| rewritten_text(text, &analyzer, &method));
    let identical = &comparison.alignment.passages;
    let is_identical_a = flags(text_a.n_words(), identical, |passage| passage.a);
    let is_identical_b = flags(text_b.n_words(), identical, |passage| passage.b);
    let (mut is_rewritten_a, mut is_rewritten_b) =
        (vec![false; text_a.n_words()], vec![false; text_b.n_words()]);
    let mut passages = Vec::new();
    for passage in align_either_way(&text_a, &text_b, &method) {
        let is_shown = [(&passage.a, &is_identical_a), (&passage.b, &is_identical_b)]
            .into_iter()
            .all(|(words, is_identical)| !is_identical[words.clone()].contains(&false));
        if passage.kind == RewrittenKind::Exact || is_shown {
            continue;
        }
        is_rewritten_a[passage.a.clone()].fill(true);
        is_rewritten_b[passage.b.clone()].fill(true);
        passages.push(rewritten_match(&passage, &text_a, &text_b));
    }
    let count = |is_rewritten: &[bool], is_identical: &[bool]| {
        let words = is_rewritten.iter().zip(is_identical);
        words.filter(|(is_rewritten, is_identical)| **is_rewritten && !**is_identical).count()
            as u64
    };
    Ok(RewrittenMatches {
        words_a: count(&is_rewritten_a, &is_identical_a),
        words_b: count(&is_rewritten_b, &is_identical_b),
        passages,
    })
}

/// Marks the words of identical passages on one side.
fn flags(n: usize, passages: &[Passage], side: impl Fn(&Passage) -> WordSpan) -> Vec<bool> {
    let mut flags = vec![false; n];
    for words in passages.iter().map(side) {
        flags[words.first as usize..words.end() as usize].fill(true);
    }
    flags
}

/// Makes a text ready for alignment.
pub(crate) fn rewritten_text(text: &str, analyzer: &Analyzer, method: &Method) -> RewrittenText {
    let mut tokens = Tokens::new(Layers::SPANS);
    analyzer.tokenize(text, &mut tokens);
    RewrittenText::new(text, tokens, method.letters)
}

/// Returns a passage for a report.
pub(crate) fn rewritten_match(
    passage: &RewrittenPassage,
    a: &RewrittenText,
    b: &RewrittenText,
) -> RewrittenMatch {
    let confidence = passage.confidence();
    let same = passage.matches.iter().map(|one| SameWord {
        a: a.word(one.a),
        b: b.word(one.b),
        weight: one.weight,
    });
    RewrittenMatch {
        kind: passage.kind.name(),
        confidence: confidence.share(),
        likelihood: confidence.words(),
        a: a.word_span(&passage.a),
        b: b.word_span(&passage.b),
        same: same.collect(),
    }
}
