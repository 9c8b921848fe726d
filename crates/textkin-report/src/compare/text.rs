//! A comparison for a terminal: passages side by side, or one above the other if it is narrow.
//!
//! Bridged words are in [brackets], excluded words in (parentheses) with the reason, with and without
//! colour.

use anstyle::{AnsiColor, Style};
use textkin_core::{Exclusion, Overlap, Passage, SegmentKind, WordSpan};
use unicode_segmentation::UnicodeSegmentation;

use super::pieces::{TextPiece, pieces};
use super::{Comparison, Side};
use crate::label::{shorten_both, visible, width};
use crate::notes::notes_text;
use crate::terminal::{TerminalView, counted, percent_text, score_text, thousands};

/// How much of long passages is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Only the summary.
    Summary,
    /// The start and the end of each long match.
    Short,
    /// Every word.
    Full,
}

/// Minimum width for showing two texts side by side.
const MIN_SIDE_BY_SIDE: usize = 80;

/// Width if there is no terminal.
const DEFAULT_WIDTH: usize = 100;

/// Words shown at each end of a long match.
const SHOWN: usize = 30;

const NUMBER: Style = Style::new().bold();
const QUIET: Style = Style::new().dimmed();
const SAME: Style = AnsiColor::Green.on_default();
const KEPT: Style = AnsiColor::Green.on_default().dimmed();
const WARNING: Style = AnsiColor::Yellow.on_default();
const CHANGED: Style = AnsiColor::Yellow.on_default();

/// Renders the comparison as text; no line is wider than a view of 40 or more columns.
#[must_use]
pub fn render_comparison(
    comparison: &Comparison<'_>,
    view: TerminalView,
    length: Detail,
) -> String {
    let view = TerminalView {
        width: if view.width == usize::MAX { DEFAULT_WIDTH } else { view.width },
        ..view
    };
    let mut text = summary(comparison, view);
    if length == Detail::Summary {
        return text;
    }
    let [a, b] = [Side::A, Side::B].map(|side| by_passage(comparison, side));
    let parts = comparison.passages.iter().zip(a.iter().zip(&b)).enumerate();
    for (index, (passage, (a, b))) in parts {
        text.push('\n');
        text.push_str(&heading(index + 1, passage, view));
        let words = |document: &str, pieces: &[TextPiece]| words(document, pieces, length);
        let (a, b) = (words(comparison.a.text, a), words(comparison.b.text, b));
        show_sides(&a, &b, view, &mut text);
    }
    text.push_str(&super::rewritten::render(comparison, view));
    text.push_str(&repeats(comparison, view));
    text
}

/// The counts and shares.
fn summary(comparison: &Comparison<'_>, view: TerminalView) -> String {
    let mut lines: Vec<(Style, String)> = Vec::new();
    let room = view.width.saturating_sub(3).max(1);
    let [a, b] = shorten_both(comparison.a.id, comparison.b.id, room);
    lines.push((QUIET, format!("A: {a}")));
    lines.push((QUIET, format!("B: {b}")));
    lines.push((NUMBER, shares(&comparison.overlap)));
    if let Some(raw) = &comparison.raw {
        lines.push((QUIET, format!("before exclusions: {}", shares(raw))));
    }
    if comparison.overlap.covered_a > 0 || comparison.overlap.covered_b > 0 {
        let overlap = &comparison.overlap;
        let bridged = match (comparison.a.bridged, comparison.b.bridged) {
            (0, 0) => String::new(),
            (a, b) => format!("; [bridged] words: {} in A, {} in B", thousands(a), thousands(b)),
        };
        let passages = counted(comparison.passages.len() as u64, "passage", "passages");
        let (ssr, sscr) = (score_text(overlap.ssr()), score_text(overlap.sscr()));
        lines.push((QUIET, format!("{passages}{bridged}; ssr {ssr}; sscr {sscr}")));
    } else {
        let k = comparison.settings.k;
        lines.push((QUIET, format!("no matching text of {k} or more words")));
    }
    if let Some(rewritten) = comparison.rewritten {
        lines.push((NUMBER, super::rewritten::summary_line(rewritten)));
    }
    for (name, document) in [("A", &comparison.a), ("B", &comparison.b)] {
        if !document.notes.is_empty() {
            lines.push((WARNING, format!("{name}: {}", notes_text(&document.notes))));
        }
    }
    let mut text = String::new();
    for (style, line) in lines {
        for line in broken(&line, view.width) {
            text.push_str(&view.paint(style, &line));
            text.push('\n');
        }
    }
    text
}

/// The shares in both directions, with word counts.
fn shares(overlap: &Overlap) -> String {
    let percent = |covered, words| percent_text(covered, words);
    let numbers = [overlap.covered_a, overlap.words_a, overlap.covered_b, overlap.words_b];
    let [covered_a, words_a, covered_b, words_b] = numbers.map(thousands);
    let (a, b) =
        (percent(overlap.covered_a, overlap.words_a), percent(overlap.covered_b, overlap.words_b));
    format!(
        "{a} — {covered_a} of {words_a} words of A are in B; {b} of B ({covered_b} of {words_b} words) are in A"
    )
}

/// Breaks `text` at spaces into lines of at most `columns` columns.
pub(super) fn broken(text: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if line.is_empty() {
            line.push_str(word);
        } else if width(line) + 1 + width(word) <= columns {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

fn heading(number: usize, passage: &Passage, view: TerminalView) -> String {
    let words = |stretch: &WordSpan| {
        let (first, last) = (u64::from(stretch.first) + 1, u64::from(stretch.end()));
        format!("{}–{}", thousands(first), thousands(last))
    };
    let matched = counted(u64::from(passage.matched), "word", "words");
    let moved = if passage.is_moved { " · moved" } else { "" };
    let line = format!(
        "── {number} ── {matched} · A {} · B {}{moved} ",
        words(&passage.a),
        words(&passage.b)
    );
    heading_rule(&line, view)
}

/// A heading, followed by a rule to the end of the line if it has only one.
pub(super) fn heading_rule(line: &str, view: TerminalView) -> String {
    let mut lines = broken(line.trim_end(), view.width);
    if let [line] = &mut lines[..] {
        let rule = view.width.min(200).saturating_sub(width(line) + 1);
        line.push(' ');
        line.push_str(&"─".repeat(rule));
    }
    lines.iter().map(|line| view.paint(NUMBER, line.trim_end()) + "\n").collect()
}

/// The pieces of each passage.
fn by_passage(comparison: &Comparison<'_>, side: Side) -> Vec<Vec<TextPiece>> {
    let mut lists = vec![Vec::new(); comparison.passages.len()];
    for piece in pieces(comparison, side) {
        if let Some(index) = piece.passage {
            lists[index].push(piece);
        }
    }
    lists
}

/// A word with its style; broken only if it is wider than a line.
#[derive(Debug)]
pub(super) struct StyledWord {
    text: String,
    style: Style,
    /// Whether a space comes before it, unless it starts a line.
    has_space_before: bool,
}

impl StyledWord {
    /// A word that both texts have.
    pub(super) fn same(text: String) -> Self {
        Self { text, style: SAME, has_space_before: true }
    }

    /// A word that the other text does not have.
    pub(super) fn changed(text: String) -> Self {
        Self { text, style: CHANGED, has_space_before: true }
    }

    /// Closes the bracket of the last word.
    pub(super) fn close(words: &mut Vec<Self>) {
        close(words, false);
    }

    /// A line that explains.
    pub(super) fn quiet_line(line: &str, view: TerminalView) -> String {
        format!("{}\n", view.paint(QUIET, line))
    }
}

/// The words of one side of a passage. Control characters become visible.
fn words(document: &str, pieces: &[TextPiece], length: Detail) -> Vec<StyledWord> {
    let mut words: Vec<StyledWord> = Vec::new();
    // Whether white space came before; whether a bracket is open; whether it has no words yet.
    let (mut has_space_before, mut is_bracket_open, mut is_empty_bracket) = (false, false, false);
    for piece in pieces {
        let text = &document[piece.bytes.clone()];
        let kind = piece.kind.unwrap_or(SegmentKind::Same);
        let list: Vec<&str> = text.split_whitespace().collect();
        has_space_before |= text.starts_with(char::is_whitespace);
        if kind.is_bridged() && !is_bracket_open && (!list.is_empty() || text.is_empty()) {
            (is_bracket_open, is_empty_bracket) = (true, true);
        }
        if !kind.is_bridged() && is_bracket_open && text.contains(char::is_alphanumeric) {
            close(&mut words, is_empty_bracket);
            has_space_before |= is_empty_bracket;
            (is_bracket_open, is_empty_bracket) = (false, false);
        }
        if let Some(reason) = piece.excluded {
            words.extend(excluded_words(reason, &list, length));
            has_space_before = true;
            continue;
        }
        let style = match kind {
            SegmentKind::Same => SAME,
            SegmentKind::Kept => KEPT,
            SegmentKind::Changed => CHANGED,
        };
        let is_long = kind == SegmentKind::Same && length != Detail::Full && list.len() > 3 * SHOWN;
        for (at, word) in list.iter().enumerate() {
            if is_long && (SHOWN..list.len() - SHOWN).contains(&at) {
                if at == SHOWN {
                    let hidden = thousands((list.len() - 2 * SHOWN) as u64);
                    let text = format!("… ({hidden} more words) …");
                    words.push(StyledWord { text, style: QUIET, has_space_before: true });
                }
                continue;
            }
            let bracket = if std::mem::take(&mut is_empty_bracket) { "[" } else { "" };
            let text = format!("{bracket}{}", visible(word));
            words.push(StyledWord { text, style, has_space_before: has_space_before || at > 0 });
            has_space_before = false;
        }
        has_space_before |= text.ends_with(char::is_whitespace);
    }
    if is_bracket_open {
        close(&mut words, is_empty_bracket);
    }
    words
}

/// Excluded words, with the reason.
fn excluded_words(reason: Exclusion, list: &[&str], length: Detail) -> Vec<StyledWord> {
    let word = |text: String| StyledWord { text, style: QUIET, has_space_before: true };
    let mut words = vec![word(format!("({reason}:"))];
    let n_shown = if length == Detail::Full { list.len() } else { SHOWN };
    words.extend(list.iter().take(n_shown).map(|text| word(visible(text))));
    if list.len() > n_shown {
        let hidden = thousands((list.len() - n_shown) as u64);
        words.push(word(format!("… {hidden} more words")));
    }
    if let Some(last) = words.last_mut() {
        last.text.push(')');
    }
    words
}

/// Closes a bracket; an empty one means that only the other text has words here.
fn close(words: &mut Vec<StyledWord>, is_empty_bracket: bool) {
    match words.last_mut() {
        Some(word) if !is_empty_bracket => word.text.push(']'),
        _ => words.push(StyledWord { text: "[]".into(), style: CHANGED, has_space_before: true }),
    }
}

/// Wraps words into painted lines of at most `columns` columns; each with its width.
fn wrapped(words: &[StyledWord], columns: usize, view: TerminalView) -> Vec<(String, usize)> {
    let mut lines: Vec<Vec<(Style, String)>> = vec![Vec::new()];
    let mut used = 0;
    let add = |style: Style, text: &str, lines: &mut Vec<Vec<(Style, String)>>| {
        let line = lines.last_mut().expect("there is always a line");
        match line.last_mut() {
            Some((last, run)) if *last == style => run.push_str(text),
            _ => line.push((style, text.to_owned())),
        }
    };
    for word in words {
        let needed = width(&word.text);
        let gap = usize::from(word.has_space_before && used > 0);
        if used + gap + needed <= columns {
            if gap > 0 {
                add(word.style, " ", &mut lines);
            }
            add(word.style, &word.text, &mut lines);
            used += gap + needed;
            continue;
        }
        // A part without a space before it may start a line; only parts wider than a line are cut.
        if used > 0 {
            lines.push(Vec::new());
            used = 0;
        }
        // A character with many combining marks can be wider than a line: its marks are cut too.
        let parts =
            word.text.graphemes(true).flat_map(|grapheme| match width(grapheme) > columns {
                true => grapheme.split("").filter(|part| !part.is_empty()).collect(),
                false => vec![grapheme],
            });
        for part in parts {
            let needed = width(part);
            if used + needed > columns && used > 0 {
                lines.push(Vec::new());
                used = 0;
            }
            add(word.style, part, &mut lines);
            used += needed;
        }
    }
    let paint = |line: Vec<(Style, String)>| {
        let columns = line.iter().map(|(_, run)| width(run)).sum();
        (line.iter().map(|(style, run)| view.paint(*style, run)).collect::<String>(), columns)
    };
    lines.into_iter().map(paint).collect()
}

/// Shows two sides beside each other, or one above the other if the view is narrow.
pub(super) fn show_sides(
    a: &[StyledWord],
    b: &[StyledWord],
    view: TerminalView,
    text: &mut String,
) {
    if view.width >= MIN_SIDE_BY_SIDE {
        side_by_side(a, b, view, text);
    } else {
        one_above_other(a, b, view, text);
    }
}

fn side_by_side(a: &[StyledWord], b: &[StyledWord], view: TerminalView, text: &mut String) {
    let columns = (view.width - 3) / 2;
    let (left, right) = (wrapped(a, columns, view), wrapped(b, columns, view));
    let nothing = (String::new(), 0);
    for row in 0..left.len().max(right.len()) {
        let (line, used) = left.get(row).unwrap_or(&nothing);
        text.push_str(line);
        text.push_str(&" ".repeat(columns.saturating_sub(*used)));
        text.push_str(&view.paint(QUIET, " │"));
        let line = &right.get(row).unwrap_or(&nothing).0;
        text.push_str(if line.is_empty() { "" } else { " " });
        text.push_str(line);
        text.push('\n');
    }
}

fn one_above_other(a: &[StyledWord], b: &[StyledWord], view: TerminalView, text: &mut String) {
    for (name, words) in [("A ", a), ("B ", b)] {
        let lines = wrapped(words, view.width.saturating_sub(2).max(1), view);
        for (at, (line, _)) in lines.iter().enumerate() {
            text.push_str(&view.paint(QUIET, if at == 0 { name } else { "  " }));
            text.push_str(line);
            text.push('\n');
        }
    }
}

/// Summarizes words that repeat text of the other document that is already part of a passage.
fn repeats(comparison: &Comparison<'_>, view: TerminalView) -> String {
    let sides = [("A", "B", comparison.a.repeats), ("B", "A", comparison.b.repeats)];
    let mut text = String::new();
    for (name, other, repeats) in sides {
        let words: u64 = repeats.iter().map(|repeat| u64::from(repeat.here.count)).sum();
        if words > 0 {
            let words = counted(words, "more word", "more words");
            let line = format!("{words} of {name} repeat text of {other} that is shown above");
            for line in broken(&line, view.width) {
                text.push_str(&format!("{}\n", view.paint(QUIET, &line)));
            }
        }
    }
    if text.is_empty() { text } else { format!("\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::samples;
    use proptest::prelude::*;

    const PLAIN: TerminalView = TerminalView { width: 90, colour: false };

    #[test]
    fn passages_are_side_by_side_in_a_wide_view() {
        let sample = samples::edited();
        let expected = "\
A: <script>alert(1)</script>.txt
B: b.txt
85 % — 11 of 13 words of A are in B; 88 % of B (14 of 16 words) are in A
before exclusions: 73 % — 11 of 15 words of A are in B; 88 % of B (14 of 16 words) are in
A
1 passage; [bridged] words: 1 in A, 1 in B; ssr 0.38; sscr 0.86

── 1 ── 10 words · A 2–12 · B 1–11 · moved ───────────────────────────────────────────────
One two three four five (quotation: “not    │ One two three four five SIX␛[2J & seven
<mine>”) six & seven [eight] nine ten       │ [changed] nine ten eleven
eleven                                      │

4 more words of B repeat text of A that is shown above
";
        let text = render_comparison(&sample.view(), PLAIN, Detail::Short);
        assert_eq!(text, expected);
    }

    #[test]
    fn passages_are_one_above_the_other_in_a_narrow_view() {
        let sample = samples::edited();
        let view = TerminalView { width: 60, colour: false };
        let text = render_comparison(&sample.view(), view, Detail::Short);
        assert!(
            text.contains(
                "\nB One two three four five SIX␛[2J & seven [changed] nine ten\n  eleven\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn texts_without_words_share_nothing() {
        let text = render_comparison(&samples::empty().view(), PLAIN, Detail::Full);
        assert!(text.contains("n/a — 0 of 0 words of A are in B; n/a of B"), "{text}");
        assert!(text.contains("no matching text of 4 or more words"), "{text}");
    }

    #[test]
    fn colour_does_not_change_the_text() {
        let sample = samples::edited();
        let plain = render_comparison(&sample.view(), PLAIN, Detail::Full);
        let view = TerminalView { colour: true, ..PLAIN };
        let coloured = render_comparison(&sample.view(), view, Detail::Full);
        assert!(coloured.contains('\u{1b}'));
        assert_eq!(anstream::adapter::strip_str(&coloured).to_string(), plain);
    }

    #[test]
    fn marks_that_do_not_fit_the_line_are_cut() {
        let word =
            StyledWord { text: "ጘ𖽑ો".to_owned(), style: SAME, has_space_before: true };
        assert!(wrapped(&[word], 2, PLAIN).iter().all(|(_, used)| *used <= 2));
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_view(columns in 40usize..150, full in any::<bool>()) {
            let sample = samples::edited();
            let length = if full { Detail::Full } else { Detail::Short };
            let view = TerminalView { width: columns, colour: false };
            for line in render_comparison(&sample.view(), view, length).lines() {
                prop_assert!(width(line) <= columns, "{line:?}");
            }
        }

        #[test]
        fn words_of_any_width_are_wrapped(text in any::<String>(), columns in 3usize..60) {
            let word = |text: &str| StyledWord { text: visible(text), style: SAME, has_space_before: true };
            let words: Vec<StyledWord> = text.split_whitespace().map(word).collect();
            for (line, used) in wrapped(&words, columns, PLAIN) {
                prop_assert!(used <= columns, "{line:?} takes {used} of {columns}");
            }
        }
    }
}
