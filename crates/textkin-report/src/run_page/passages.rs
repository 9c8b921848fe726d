//! The passages of the strongest pairs: words on both sides, under one number.

use std::fmt::Write as _;

use textkin_core::Overlap;

use super::{COLOURS, RunPage, shown, write_remainder};
use crate::compare::{Comparison, PassageText, Side, WithText, comparison_json, passage_texts};
use crate::row::PairRow;
use crate::terminal::{counted, percent_text, score_text, thousands};

/// Pairs whose passages are shown.
pub(super) const PAIRS: usize = 200;
/// Passages of a pair that are shown, the longest of them.
const PASSAGES: usize = 25;
/// Characters of a passage that are shown at its start and at its end, if it is longer than both.
/// Passages of common text that are shown, the longest of them.
const MAX_COMMON: usize = 5;
const START: usize = 500;
const END: usize = 300;

/// The passages of one pair, made ready for the page.
#[derive(Debug)]
pub struct PairPassages {
    /// The number of the pair, from 1 on.
    pub(super) number: usize,
    html: String,
    /// The comparison without its words.
    pub(super) json: String,
    n_passages: usize,
}

impl PairPassages {
    /// The passages of the pair `number`, by its comparison.
    #[must_use]
    pub fn new(number: usize, comparison: &Comparison<'_>) -> Self {
        let n_passages = comparison.passages.len();
        let mut html = String::new();
        if let Some(raw) = &comparison.raw {
            html.push_str("<p>Before exclusions: ");
            shares(raw, &mut html);
        }
        draw_longest(comparison, PASSAGES, &mut html);
        write_remainder(
            n_passages,
            PASSAGES,
            "passage",
            "passages, shorter than these,",
            "compare the two documents with textkin compare",
            &mut html,
        );
        draw_common(comparison, &mut html);
        Self { number, html, json: comparison_json(comparison, WithText::No), n_passages }
    }
}

/// Writes the longest `most` passages, in their order.
fn draw_longest(comparison: &Comparison<'_>, most: usize, html: &mut String) {
    let mut longest: Vec<usize> = (0..comparison.passages.len()).collect();
    longest.sort_by_key(|&index| std::cmp::Reverse(comparison.passages[index].matched));
    longest.truncate(most);
    longest.sort_unstable();
    for (passage, [a, b]) in longest.iter().zip(passage_texts(comparison, &longest)) {
        draw_passage(comparison, *passage, &a, &b, html);
    }
}

/// Writes what both have and a cap set aside.
fn draw_common(comparison: &Comparison<'_>, html: &mut String) {
    let n_passages = comparison.common_passages.len();
    if n_passages == 0 {
        return;
    }
    html.push_str(
        "<h4>Common text, set aside by --max-df: both have it and it does not count</h4>",
    );
    html.push_str("<div class=\"aside\">");
    let aside = Comparison { passages: comparison.common_passages, ..comparison.clone() };
    draw_longest(&aside, MAX_COMMON, html);
    write_remainder(
        n_passages,
        MAX_COMMON,
        "passage of common text",
        "passages of common text, shorter than these,",
        "--explain writes them all",
        html,
    );
    html.push_str("</div>");
}

/// Writes one passage.
fn draw_passage(
    comparison: &Comparison<'_>,
    index: usize,
    a: &[PassageText<'_>],
    b: &[PassageText<'_>],
    html: &mut String,
) {
    let passage = &comparison.passages[index];
    let same = passage.segments.iter().filter(|segment| !segment.kind.is_bridged());
    let n_same: u32 = same.map(|segment| segment.a.count).sum();
    let bridged = passage.a.count.max(passage.b.count).saturating_sub(n_same);
    let aside = n_same.saturating_sub(passage.matched);
    // Writing to a string does not fail.
    let _ = write!(
        html,
        "<div class=\"passage c{}\"><h4><b>{}</b> {}",
        index % COLOURS,
        index + 1,
        counted(u64::from(passage.matched), "word", "words")
    );
    if bridged > 0 {
        let _ = write!(html, " + {} bridged", thousands(u64::from(bridged)));
    }
    if aside > 0 {
        let _ = write!(html, " + {} common, set aside", thousands(u64::from(aside)));
    }
    if passage.is_moved {
        html.push_str(" · moved");
    }
    html.push_str("</h4>");
    for (side, stretch, pieces) in [(Side::A, passage.a, a), (Side::B, passage.b, b)] {
        let _ = write!(
            html,
            "<div class=\"side\"><p class=\"where\">{}, words {} to {}</p>\
             <p class=\"text\" dir=\"auto\">",
            side.of("A", "B"),
            thousands(u64::from(stretch.first) + 1),
            thousands(u64::from(stretch.end()))
        );
        draw_text(pieces, html);
        html.push_str("</p></div>");
    }
    html.push_str("</div>");
}

/// Writes the words of one side, the middle left out if they are many.
fn draw_text(pieces: &[PassageText<'_>], html: &mut String) {
    let length: usize = pieces.iter().map(|piece| piece.text.chars().count()).sum();
    let is_cut = length > START + END + 100;
    let mut at = 0;
    let mut is_told = false;
    for piece in pieces {
        let n_characters = piece.text.chars().count();
        let (from, to) = (at, at + n_characters);
        at = to;
        if !is_cut || to <= START || from >= length - END {
            piece.write(piece.text, html);
            continue;
        }
        if from < START {
            piece.write(first(piece.text, START - from), html);
        }
        if !is_told {
            let write_remainder = thousands((length - START - END) as u64);
            let _ = write!(html, "<span class=\"cut\"> … {write_remainder} characters … </span>");
            is_told = true;
        }
        if to > length - END {
            let skipped = (length - END).saturating_sub(from);
            piece.write(&piece.text[first(piece.text, skipped).len()..], html);
        }
    }
}

/// The first `count` characters.
fn first(text: &str, count: usize) -> &str {
    text.char_indices().nth(count).map_or(text, |(end, _)| &text[..end])
}

/// Writes the passages of all pairs that have them.
pub(super) fn draw(run: &RunPage<'_>, page: &mut String) {
    if let Some(reason) = run.no_passages {
        page.push_str("<p>Left out: ");
        shown(reason, page);
        page.push_str(".</p>");
        return;
    }
    if run.passages.is_empty() {
        page.push_str("<p>There are no pairs, and so no passages.</p>");
        return;
    }
    if run.settings.iter().any(|(name, _)| *name == "max_df") {
        page.push_str(
            "<p class=\"note\">Common text that --max-df set aside does not count; it is shown in \
             grey.</p>",
        );
    }
    for passages in run.passages {
        draw_pair(&run.pairs.rows[passages.number - 1], passages, page);
    }
    let rest = run.pairs.count() - run.passages.len() as u64;
    if rest > 0 {
        let _ = write!(
            page,
            "<p class=\"rest\">The passages of {} are not on this page: \
             --explain writes them all. Pairs that are the same from end to end are shown only where \
             others leave room.</p>",
            counted(rest, "other pair", "other pairs")
        );
    }
}

/// Writes the passages of one pair.
pub(super) fn draw_pair(row: &PairRow<'_>, passages: &PairPassages, page: &mut String) {
    let number = passages.number;
    // The place is inside, so that browsers open what leads there.
    let _ = write!(page, "<details><summary><b>{number}</b> <span>");
    shown(row.a, page);
    page.push_str("</span> ⇄ <span>");
    shown(row.b, page);
    page.push_str("</span> <em>");
    page.push_str(&score_text(row.score));
    if let Some(raw) = row.raw_score {
        let _ = write!(page, " (raw {})", score_text(raw));
    }
    let _ = write!(
        page,
        ", {}</em></summary><div class=\"passages\" id=\"p{number}\"><p>",
        counted(passages.n_passages as u64, "passage", "passages")
    );
    shares(&row.overlap, page);
    page.push_str(&passages.html);
    page.push_str("</div></details>");
}

/// Both directions with both word counts.
fn shares(overlap: &Overlap, page: &mut String) {
    let _ = write!(
        page,
        "{} of A is in B ({} of {} words), {} of B is in A ({} of {} words).</p>",
        percent_text(overlap.covered_a, overlap.words_a),
        thousands(overlap.covered_a),
        thousands(overlap.words_a),
        percent_text(overlap.covered_b, overlap.words_b),
        thousands(overlap.covered_b),
        thousands(overlap.words_b)
    );
}
