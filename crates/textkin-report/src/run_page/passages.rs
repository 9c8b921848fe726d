//! The passages of the strongest pairs, with their text on both sides.

use std::fmt::Write as _;

use textkin_core::Overlap;

use super::{COLOURS, RunPage, write_remainder, write_text};
use crate::compare::{Comparison, PassageText, Side, WithText, comparison_json, passage_texts};
use crate::row::PairRow;
use crate::terminal::{counted, percent_text, score_text, thousands};

/// Maximum pairs with passages.
pub(super) const MAX_PAIRS: usize = 200;
/// Maximum passages shown per pair; the longest are shown.
const MAX_PASSAGES: usize = 25;
/// Maximum passages of common text shown per pair; the longest are shown.
const MAX_COMMON: usize = 5;
/// Characters of the longest passage shown in the table.
const MAX_SNIPPET: usize = 120;
/// Characters shown at the start and at the end of a longer passage.
const START: usize = 500;
const END: usize = 300;

/// The rendered passages of one pair.
#[derive(Debug)]
pub struct PairPassages {
    /// The number of the pair, from 1.
    pub(super) number: usize,
    html: String,
    /// The comparison as JSON, without text.
    pub(super) json: String,
    n_passages: usize,
    /// The start of the longest passage.
    pub(super) snippet: String,
}

impl PairPassages {
    /// Renders the passages of the pair `number`.
    #[must_use]
    pub fn new(number: usize, comparison: &Comparison<'_>) -> Self {
        let n_passages = comparison.passages.len();
        let mut html = String::new();
        if let Some(raw) = &comparison.raw {
            html.push_str("<p>Before exclusions: ");
            shares(raw, &mut html);
        }
        draw_longest(comparison, MAX_PASSAGES, &mut html);
        write_remainder(
            n_passages,
            MAX_PASSAGES,
            "shorter passage",
            "shorter passages",
            "use textkin compare to see all of them",
            &mut html,
        );
        draw_common(comparison, &mut html);
        let snippet = comparison.snippet(MAX_SNIPPET);
        Self { number, html, json: comparison_json(comparison, WithText::No), n_passages, snippet }
    }
}

/// Writes the longest `max_passages` passages, in their order.
fn draw_longest(comparison: &Comparison<'_>, max_passages: usize, html: &mut String) {
    let mut longest: Vec<usize> = (0..comparison.passages.len()).collect();
    longest.sort_by_key(|&index| std::cmp::Reverse(comparison.passages[index].matched));
    longest.truncate(max_passages);
    longest.sort_unstable();
    for (passage, [a, b]) in longest.iter().zip(passage_texts(comparison, &longest)) {
        draw_passage(comparison, *passage, &a, &b, html);
    }
}

/// Writes the common text that `--max-df` excluded.
fn draw_common(comparison: &Comparison<'_>, html: &mut String) {
    let n_passages = comparison.common_passages.len();
    if n_passages == 0 {
        return;
    }
    html.push_str("<h4>Common text excluded by --max-df: in both documents, not counted</h4>");
    html.push_str("<div class=\"common\">");
    let common = Comparison { passages: comparison.common_passages, ..comparison.clone() };
    draw_longest(&common, MAX_COMMON, html);
    write_remainder(
        n_passages,
        MAX_COMMON,
        "shorter passage of common text",
        "shorter passages of common text",
        "use --explain to write all of them",
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
    let common = n_same.saturating_sub(passage.matched);
    // Writing to a string does not fail.
    let _ = write!(
        html,
        "<div class=\"passage c{}\"><h4><b>{}</b> {}",
        index % COLOURS,
        index + 1,
        counted(u64::from(passage.matched), "word", "words")
    );
    if bridged > 0 {
        let _ = write!(html, " + {} changed", thousands(u64::from(bridged)));
    }
    if common > 0 {
        let _ = write!(html, " + {} common, excluded", thousands(u64::from(common)));
    }
    if passage.is_moved {
        html.push_str(" · moved");
    }
    html.push_str("</h4>");
    for (side, stretch, pieces) in [(Side::A, passage.a, a), (Side::B, passage.b, b)] {
        let _ = write!(
            html,
            "<div class=\"side\"><p class=\"where\">{}, words {}–{}</p>\
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

/// Writes the text of one side; the middle of a long text is cut.
fn draw_text(pieces: &[PassageText<'_>], html: &mut String) {
    let length: usize = pieces.iter().map(|piece| piece.text.chars().count()).sum();
    let is_cut = length > START + END + 100;
    let mut at = 0;
    let mut is_cut_marked = false;
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
        if !is_cut_marked {
            let n_cut = thousands((length - START - END) as u64);
            let _ = write!(html, "<span class=\"cut\"> … {n_cut} characters … </span>");
            is_cut_marked = true;
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
        page.push_str("<p>Passages are not shown: ");
        write_text(reason, page);
        page.push_str(".</p>");
        return;
    }
    if run.passages.is_empty() {
        page.push_str("<p>No passages, because there are no pairs.</p>");
        return;
    }
    if run.settings.iter().any(|(name, _)| *name == "max_df") {
        page.push_str(
            "<p class=\"note\">Common text that --max-df excluded is shown in grey and not counted.</p>",
        );
    }
    for passages in run.passages {
        draw_pair(&run.pairs.rows[passages.number - 1], passages, page);
    }
    let rest = run.pairs.count() - run.passages.len() as u64;
    if rest > 0 {
        let _ = write!(
            page,
            "<p class=\"rest\">The passages of {} are not on this page; use --explain to write all of them. \
             Pairs in which all words match are shown last.</p>",
            counted(rest, "other pair", "other pairs")
        );
    }
}

/// Writes the passages of one pair.
pub(super) fn draw_pair(row: &PairRow<'_>, passages: &PairPassages, page: &mut String) {
    let number = passages.number;
    // The anchor is inside, so that browsers expand it when it is linked to.
    let _ = write!(page, "<details><summary><b>{number}</b> <span>");
    write_text(row.a, page);
    page.push_str("</span> ⇄ <span>");
    write_text(row.b, page);
    page.push_str("</span> <em>");
    page.push_str(&score_text(row.score));
    if let Some(raw) = row.raw_score {
        let _ = write!(page, " (raw score {})", score_text(raw));
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

/// Writes the shares in both directions, with word counts.
fn shares(overlap: &Overlap, page: &mut String) {
    let _ = write!(
        page,
        "{} of A is also in B ({} of {} words); {} of B is also in A ({} of {} words).</p>",
        percent_text(overlap.covered_a, overlap.words_a),
        thousands(overlap.covered_a),
        thousands(overlap.words_a),
        percent_text(overlap.covered_b, overlap.words_b),
        thousands(overlap.covered_b),
        thousands(overlap.words_b)
    );
}
