//! Terminal output of a run: a summary and the strongest pairs.
//!
//! The functions are pure and return text; [`print`](fn@print) puts it on standard output. Shares
//! are words of a document that are also in the other, out of all its words, for both documents. 100 %
//! is shown only if every word is covered, 0 % only if none is.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use anstyle::{AnsiColor, Style};
pub use textkin_core::number::{counted, thousands};

use crate::label::{cut_after, shorten, shorten_both, visible, width};
use crate::{Error, PairRow};

/// Layout of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TerminalView {
    /// Width in columns; with 40 or more, no line is wider.
    pub width: usize,
    /// Whether to use colour. Colour is never the only cue.
    pub colour: bool,
}

impl TerminalView {
    /// The layout for standard output: the width of the terminal, and colour unless `NO_COLOR` or a
    /// similar variable disables it. For a file or pipe: unlimited width, no colour.
    #[must_use]
    pub fn for_stdout() -> Self {
        let stdout = std::io::stdout();
        let choice = anstream::AutoStream::choice(&stdout);
        let columns = terminal_size::terminal_size_of(&stdout).map(|size| usize::from(size.0.0));
        let width = columns.filter(|columns| *columns > 0).unwrap_or(usize::MAX);
        Self { width, colour: choice != anstream::ColorChoice::Never }
    }

    pub(crate) fn paint(self, style: Style, text: &str) -> String {
        if self.colour && !text.trim().is_empty() {
            format!("{style}{text}{style:#}")
        } else {
            text.into()
        }
    }
}

/// Writes `text` to standard output.
///
/// # Errors
/// When that fails; see [`Error::is_broken_pipe`] for a closed pipe.
pub fn print(text: &str) -> Result<(), Error> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
    written.map_err(|source| Error::write(Path::new("-"), source))
}

const DIM: Style = Style::new().dimmed();
const STRONG: Style = Style::new().bold();
const SHARE: Style = AnsiColor::Cyan.on_default();
const WARNING: Style = AnsiColor::Yellow.on_default();

/// The most important figures of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunSummary {
    /// Documents read.
    pub documents: u64,
    /// Words of all documents.
    pub words: u64,
    /// Documents with the same text as an earlier one.
    pub exact_duplicates: u64,
    /// Documents without words.
    pub empty_documents: u64,
    /// Documents that could not be read.
    pub problems: u64,
    /// Pairs that are listed.
    pub edges: u64,
    /// The minimum score of a pair, unless other rules list pairs too.
    pub threshold: Option<f64>,
    /// Clusters, if they were computed.
    pub clusters: Option<u64>,
    /// Bytes read.
    pub input_bytes: u64,
    /// Wall-clock time of the run; 0 hides the line about time.
    pub seconds: f64,
    /// Peak memory of the process; 0 hides it.
    pub peak_rss_bytes: u64,
}

/// Renders the summary in one line, or several if the view is narrow, and a line about time.
#[must_use]
pub fn render_summary(summary: &RunSummary, view: TerminalView) -> String {
    let mut parts = vec![
        (STRONG, counted(summary.documents, "document", "documents")),
        (STRONG, format!("{} words", rounded(summary.words))),
    ];
    if summary.exact_duplicates > 0 {
        let copies = counted(summary.exact_duplicates, "exact copy", "exact copies");
        parts.push((STRONG, copies));
    }
    if summary.empty_documents > 0 {
        let empty = counted(summary.empty_documents, "empty document", "empty documents");
        parts.push((WARNING, empty));
    }
    let pairs = match summary.edges {
        0 => "no pairs".into(),
        edges => counted(edges, "pair", "pairs"),
    };
    let with_score =
        summary.threshold.map(|threshold| format!(" with score ≥ {threshold}")).unwrap_or_default();
    parts.push((STRONG, pairs + &with_score));
    if let Some(clusters) = summary.clusters.filter(|clusters| *clusters > 0) {
        parts.push((STRONG, counted(clusters, "cluster", "clusters")));
    }
    if summary.problems > 0 {
        parts.push((WARNING, counted(summary.problems, "problem", "problems")));
    }
    let mut text = join_parts(&parts, view);
    if summary.seconds > 0.0 {
        text.push_str(&join_parts(&cost(summary), view));
    }
    text
}

fn cost(summary: &RunSummary) -> Vec<(Style, String)> {
    let per_second = summary.input_bytes as f64 / summary.seconds;
    let mut parts = vec![
        (DIM, format!("{} in {}", bytes(summary.input_bytes as f64), duration(summary.seconds))),
        (DIM, format!("{}/s", bytes(per_second))),
    ];
    if summary.peak_rss_bytes > 0 {
        parts.push((DIM, format!("{} memory", bytes(summary.peak_rss_bytes as f64))));
    }
    parts
}

/// Joins parts with ` · `, and breaks lines between them.
fn join_parts(parts: &[(Style, String)], view: TerminalView) -> String {
    let (mut text, mut column) = (String::new(), 0);
    for (style, part) in parts {
        let needed = width(part) + 3;
        if column > 0 && column + needed <= view.width {
            text.push_str(&view.paint(DIM, " · "));
            column += needed;
        } else {
            text.push_str(if column > 0 { "\n" } else { "" });
            column = width(part);
        }
        text.push_str(&view.paint(*style, part));
    }
    text.push('\n');
    text
}

/// The strongest pairs of a run, by kind.
#[derive(Clone, Debug, Default)]
pub struct FoundPairs<'a> {
    /// Pairs of which less than half is in both documents.
    pub partial: Vec<PairRow<'a>>,
    /// Pairs of which at least half is in both, other than exact copies.
    pub near: Vec<PairRow<'a>>,
    /// The shared text with which some of these pairs are shown, by the indexes of the documents.
    pub snippets: BTreeMap<(u32, u32), String>,
    /// The ids of documents with the same words: the sets with the most documents.
    pub copies: Vec<Vec<&'a str>>,
    /// Number of all such sets.
    pub n_copies: u64,
    /// Number of all pairs, except those of exact copies.
    pub total: u64,
}

/// Renders the pairs in sections: partial copies, near-duplicates and exact copies. A pair takes two
/// lines, one per document, with the share of its words that is also in the other, and a third one if it
/// has a snippet. Documents with the same words take one line.
#[must_use]
pub fn render_pairs(found: &FoundPairs<'_>, view: TerminalView) -> String {
    let rows: Vec<PairRow<'_>> = found.partial.iter().chain(&found.near).copied().collect();
    let mut text = String::new();
    let table = Table::new(&rows, view);
    for (heading, rows) in [("Partial copies", &found.partial), ("Near-duplicates", &found.near)] {
        if rows.is_empty() {
            continue;
        }
        push_heading(heading, view, &mut text);
        text.push_str(&table.head());
        for row in rows {
            text.push_str(&table.lines(row));
            if let Some(snippet) = found.snippets.get(&(row.a_index, row.b_index)) {
                push_snippet(snippet, view, &mut text);
            }
        }
    }
    let more = found.total.saturating_sub(rows.len() as u64);
    if more > 0 {
        let more = format!("… and {}", counted(more, "more pair", "more pairs"));
        text.push_str(&view.paint(DIM, &more));
        text.push('\n');
    }
    if !found.copies.is_empty() {
        push_heading("Exact copies", view, &mut text);
        for ids in &found.copies {
            push_copies(ids, view, &mut text);
        }
        let more = found.n_copies.saturating_sub(found.copies.len() as u64);
        if more > 0 {
            let more = format!("… and {}", counted(more, "more set", "more sets"));
            text.push_str(&view.paint(DIM, &more));
            text.push('\n');
        }
    }
    text
}

/// Starts a section.
fn push_heading(heading: &str, view: TerminalView, text: &mut String) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(&view.paint(STRONG, heading));
    text.push('\n');
}

/// Maximum columns of a snippet.
const MAX_SNIPPET: usize = 100;

fn push_snippet(snippet: &str, view: TerminalView, text: &mut String) {
    let indent = "       ";
    let columns = view.width.min(MAX_SNIPPET).saturating_sub(indent.len() + 2);
    let snippet = cut_after(&visible(snippet), columns);
    if !snippet.is_empty() {
        text.push_str(indent);
        text.push_str(&view.paint(DIM, &format!("“{snippet}”")));
        text.push('\n');
    }
}

/// Adds documents with the same words: their number, and as many ids as fit in a line.
fn push_copies(ids: &[&str], view: TerminalView, text: &mut String) {
    let number = format!("{}  ", counted(ids.len() as u64, "document", "documents"));
    let columns = view.width.min(MAX_SNIPPET).saturating_sub(width(&number));
    let mut shown = String::new();
    for (index, id) in ids.iter().enumerate() {
        let rest = (ids.len() - index) as u64;
        let id = visible(id);
        let id = if index == 0 { shorten(&id, columns.saturating_sub(16)) } else { id };
        let separator = if index == 0 { "" } else { ", " };
        if index > 0 && width(&shown) + width(&id) + 18 > columns {
            shown.push_str(&format!(" and {} more", thousands(rest)));
            break;
        }
        shown.push_str(separator);
        shown.push_str(&id);
    }
    text.push_str(&view.paint(SHARE, &number));
    text.push_str(&cut_after(&shown, columns));
    text.push('\n');
}

/// Column widths; the document column takes the rest.
struct Table {
    view: TerminalView,
    score: usize,
    /// Width of the raw score, if there is one.
    raw: Option<usize>,
    covered: usize,
    words: usize,
    with_words: bool,
    document: usize,
}

impl Table {
    const SCORE: &str = "score";
    const RAW: &str = "raw";
    const SHARE: &str = "found in the other";
    const DOCUMENT: &str = "document";
    const GAP: &str = "  ";
    /// `100 %`
    const PERCENT: usize = 5;
    /// Minimum width of the document column; below it, word counts are dropped.
    const MIN_DOCUMENT: usize = 12;

    fn new(rows: &[PairRow<'_>], view: TerminalView) -> Self {
        let max_width =
            |values: &dyn Fn(&PairRow<'_>) -> usize| rows.iter().map(values).max().unwrap_or(0);
        let score = max_width(&|row| score_text(row.score).len()).max(Self::SCORE.len());
        let has_raw = rows.iter().any(|row| row.raw_score.is_some());
        let raw = has_raw.then(|| max_width(&|row| raw_text(row).len()).max(Self::RAW.len()));
        let covered =
            max_width(&|row| thousands(row.overlap.covered_a.max(row.overlap.covered_b)).len());
        let words = max_width(&|row| thousands(row.overlap.words_a.max(row.overlap.words_b)).len());
        let mut table = Self { view, score, raw, covered, words, with_words: true, document: 0 };
        let room = |table: &Self| {
            let scores = score + raw.map_or(0, |raw| raw + Self::GAP.len());
            view.width.saturating_sub(scores + table.share_width() + 2 * Self::GAP.len())
        };
        if room(&table) < Self::MIN_DOCUMENT {
            table.with_words = false;
        }
        table.document = room(&table).max(Self::DOCUMENT.len());
        table
    }

    fn share_width(&self) -> usize {
        if self.with_words {
            let words = self.covered + " of ".len() + self.words + " words".len();
            (Self::PERCENT + Self::GAP.len() + words).max(Self::SHARE.len())
        } else {
            "in other".len()
        }
    }

    fn head(&self) -> String {
        let share = if self.with_words { Self::SHARE } else { "in other" };
        let (gap, score_width, share_width) = (Self::GAP, self.score, self.share_width());
        let mut head = format!("{:>score_width$}{gap}", Self::SCORE);
        if let Some(raw_width) = self.raw {
            head.push_str(&format!("{:>raw_width$}{gap}", Self::RAW));
        }
        head.push_str(&format!("{share:<share_width$}{gap}"));
        format!("{}\n", self.view.paint(DIM, &(head + Self::DOCUMENT)))
    }

    fn lines(&self, row: &PairRow<'_>) -> String {
        let overlap = &row.overlap;
        let [a, b] = if self.view.width == usize::MAX {
            [visible(row.a), visible(row.b)]
        } else {
            shorten_both(row.a, row.b, self.document)
        };
        let scores = [&score_text(row.score), &*raw_text(row)];
        let first = self.line(scores, overlap.covered_a, overlap.words_a, &a);
        first + &self.line(["", ""], overlap.covered_b, overlap.words_b, &b)
    }

    fn line(&self, [score, raw]: [&str; 2], covered: u64, words: u64, document: &str) -> String {
        let (score_width, percent_width) = (self.score, Self::PERCENT);
        let mut score = self.view.paint(STRONG, &format!("{score:>score_width$}"));
        if let Some(raw_width) = self.raw {
            score.push_str(&format!("{}{raw:>raw_width$}", Self::GAP));
        }
        let share = format!("{:>percent_width$}", percent_text(covered, words));
        let mut used = width(&share);
        let mut share = self.view.paint(SHARE, &share);
        if self.with_words {
            let (covered_width, words_width) = (self.covered, self.words);
            let (covered, words) = (thousands(covered), thousands(words));
            let words = format!("  {covered:>covered_width$} of {words:>words_width$} words");
            used += width(&words);
            share.push_str(&words);
        }
        let padding = " ".repeat(self.share_width().saturating_sub(used));
        format!("{score}{gap}{share}{padding}{gap}{document}\n", gap = Self::GAP)
    }
}

fn raw_text(row: &PairRow<'_>) -> String {
    row.raw_score.map_or(String::new(), score_text)
}

/// Formats a score with two decimals; rounding never gives 1 or 0.
pub(crate) fn score_text(score: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "a float cast saturates")]
    #[expect(clippy::cast_sign_loss, reason = "over 1")]
    match score {
        _ if score > 0.0 && score < 0.01 => "<0.01".into(),
        _ if score < 1.0 && score > 0.99 => "0.99".into(),
        _ if score > 1.0 && score.is_finite() && (score.fract() == 0.0 || score >= 1000.0) => {
            thousands(score.round() as u64)
        }
        _ => format!("{score:.2}"),
    }
}

/// Formats a share in whole per cent; `n/a` if there is nothing to divide by.
pub(crate) fn percent_text(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "n/a".into();
    }
    let share = part as f64 / whole as f64 * 100.0;
    match share {
        _ if part > 0 && share < 1.0 => "<1 %".into(),
        _ if part < whole && share > 99.0 => "99 %".into(),
        _ => format!("{share:.0} %"),
    }
}

/// Shortens `text` to at most `columns` columns, cutting in the middle; control characters become
/// visible.
#[must_use]
pub fn fit(text: &str, columns: usize) -> String {
    shorten(&visible(text), columns)
}

/// Formats a count: exact below a million, then `38.2 M`, `1.2 bn`.
fn rounded(number: u64) -> String {
    match number {
        0..1_000_000 => thousands(number),
        1_000_000..999_950_000 => format!("{:.1} M", number as f64 / 1e6),
        _ => format!("{:.1} bn", number as f64 / 1e9),
    }
}

/// Formats bytes as `250 MB` (powers of ten).
#[must_use]
pub fn bytes(number: f64) -> String {
    let (mut value, mut unit) = (number, "B");
    for larger in ["kB", "MB", "GB", "TB"] {
        if value < 999.5 {
            break;
        }
        (value, unit) = (value / 1000.0, larger);
    }
    let decimals = usize::from(unit != "B" && value < 9.95);
    format!("{value:.decimals$} {unit}")
}

/// Formats a duration: `0.42 s`, `12.3 s`, `4 min 05 s`.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        _ if seconds < 10.0 => format!("{seconds:.2} s"),
        _ if seconds < 60.0 => format!("{seconds:.1} s"),
        _ => format!("{:.0} min {:02.0} s", (seconds / 60.0).floor(), (seconds % 60.0).floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::samples;
    use proptest::prelude::*;
    use textkin_core::Overlap;

    const PLAIN: TerminalView = TerminalView { width: 100, colour: false };

    fn summary() -> RunSummary {
        RunSummary {
            documents: 20_865,
            words: 38_214_000,
            exact_duplicates: 3021,
            empty_documents: 0,
            problems: 1,
            edges: 412_345,
            threshold: Some(0.05),
            clusters: Some(2311),
            input_bytes: 250_000_000,
            seconds: 1.7,
            peak_rss_bytes: 1_000_000_000,
        }
    }

    fn found<'a>(rows: &[PairRow<'a>], total: u64) -> FoundPairs<'a> {
        FoundPairs { near: rows.to_vec(), total, ..FoundPairs::default() }
    }

    fn rows() -> Vec<PairRow<'static>> {
        let whole = Overlap { words_b: 412, chunks_b: 405, covered_b: 412, ..samples::overlap() };
        let far = Overlap {
            words_a: 1_234_567,
            covered_a: 1_234_560,
            words_b: 9_876_543,
            covered_b: 12,
            ..samples::overlap()
        };
        let (a, b) = (
            "docs/python/version-3.11/library/functions.html",
            "docs/python/version-3.12/library/functions.html",
        );
        vec![
            PairRow {
                score: 1.0,
                overlap: whole,
                ..samples::row("letters/1.txt", "letters/2.txt")
            },
            PairRow { score: 0.9974, ..samples::row(a, b) },
            PairRow {
                score: 0.004,
                overlap: far,
                ..samples::row("文書館/目録.txt", "a\u{1b}[2J\n.txt")
            },
        ]
    }

    #[test]
    fn a_table_of_80_columns_shows_both_shares_and_both_word_counts() {
        let view = TerminalView { width: 80, ..PLAIN };
        let expected = "\
Near-duplicates
score  found in the other                   document
 1.00  100 %        412 of       412 words  letters/1.txt
       100 %        412 of       412 words  letters/2.txt
 0.99  100 %        412 of       412 words  docs/python…1/library/functions.html
        40 %        412 of     1,030 words  docs/python…2/library/functions.html
<0.01   99 %  1,234,560 of 1,234,567 words  文書館/目録.txt
        <1 %         12 of 9,876,543 words  a␛[2J␊.txt
… and 412,342 more pairs
";
        assert_eq!(render_pairs(&found(&rows(), 412_345), view), expected);
    }

    #[test]
    fn sections_show_partial_copies_first_and_fold_exact_copies() {
        let mut rows = rows();
        let copies =
            vec!["a.txt", "b.txt", "a file with a very long name, which is cut.txt", "d.txt"];
        let found = FoundPairs {
            near: rows.drain(1..2).collect(),
            partial: rows.drain(1..).collect(),
            snippets: BTreeMap::from([(
                (0, 1),
                "the quick brown fox jumps over the lazy dog".into(),
            )]),
            copies: vec![copies, vec!["x", "y"]],
            n_copies: 5,
            total: 2,
        };
        let expected = "\
Partial copies
score  found in the other                   document
<0.01   99 %  1,234,560 of 1,234,567 words  文書館/目録.txt
        <1 %         12 of 9,876,543 words  a␛[2J␊.txt
       “the quick brown fox jumps over the lazy dog”

Near-duplicates
score  found in the other                   document
 0.99  100 %        412 of       412 words  docs/python…1/library/functions.html
        40 %        412 of     1,030 words  docs/python…2/library/functions.html
       “the quick brown fox jumps over the lazy dog”

Exact copies
4 documents  a.txt, b.txt and 2 more
2 documents  x, y
… and 3 more sets
";
        assert_eq!(render_pairs(&found, TerminalView { width: 80, ..PLAIN }), expected);
    }

    #[test]
    fn a_narrow_view_breaks_the_summary_between_its_parts() {
        let expected = "\
20,865 documents · 38.2 M words · 3,021 exact copies
412,345 pairs with score ≥ 0.05 · 2,311 clusters · 1 problem
250 MB in 1.70 s · 147 MB/s · 1.0 GB memory
";
        assert_eq!(render_summary(&summary(), TerminalView { width: 60, ..PLAIN }), expected);
    }

    #[test]
    fn a_summary_without_pairs() {
        let summary =
            RunSummary { documents: 1, words: 7, threshold: Some(0.05), ..RunSummary::default() };
        let with_empty = RunSummary { documents: 2, empty_documents: 1, ..summary.clone() };
        let expected = "2 documents · 7 words · 1 empty document · no pairs with score ≥ 0.05\n";
        assert_eq!(render_summary(&with_empty, PLAIN), expected);
        let expected = "1 document · 7 words · no pairs with score ≥ 0.05\n";
        assert_eq!(render_summary(&summary, PLAIN), expected);
        assert_eq!(render_pairs(&FoundPairs::default(), PLAIN), "");
    }

    #[test]
    fn colour_does_not_change_the_text() {
        let coloured = TerminalView { colour: true, ..PLAIN };
        let text =
            render_summary(&summary(), coloured) + &render_pairs(&found(&rows(), 9), coloured);
        let plain = render_summary(&summary(), PLAIN) + &render_pairs(&found(&rows(), 9), PLAIN);
        assert!(text.contains('\u{1b}'));
        assert_eq!(anstream::adapter::strip_str(&text).to_string(), plain);
    }

    #[test]
    fn rounding_never_gives_100_or_0_per_cent() {
        let cases = [(0, 9, "0 %"), (1, 999, "<1 %"), (412, 1030, "40 %"), (999, 1000, "99 %")];
        for (part, whole, text) in cases {
            assert_eq!(percent_text(part, whole), text);
        }
        assert_eq!(percent_text(7, 7), "100 %");
        assert_eq!(percent_text(0, 0), "n/a");
        let scores = [(1.0, "1.00"), (0.9999, "0.99"), (0.0001, "<0.01"), (0.0, "0.00")];
        for (score, text) in scores.into_iter().chain([(1200.0, "1,200"), (1.5, "1.50")]) {
            assert_eq!(score_text(score), text);
        }
    }

    #[test]
    fn numbers_are_grouped_and_rounded() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        let words = [999_999, 1_000_000, 999_949_999, 999_950_000];
        assert_eq!(words.map(rounded), ["999,999", "1.0 M", "999.9 M", "1.0 bn"]);
        assert_eq!(
            [12.0, 1500.0, 146e6, 999.7e6].map(bytes),
            ["12 B", "1.5 kB", "146 MB", "1.0 GB"]
        );
        assert_eq!([0.42, 12.34, 245.9].map(duration), ["0.42 s", "12.3 s", "4 min 05 s"]);
    }

    #[test]
    #[ignore = "shows the layout to a person: cargo test -p textkin-report show_all -- --ignored --nocapture"]
    fn show_all_widths() {
        for width in [0, 30, 60, 80, 120, 200, usize::MAX] {
            let view = TerminalView { width, colour: true };
            println!("{}", "-".repeat(width.min(200)));
            println!("{}", render_summary(&summary(), view));
            println!("{}", render_pairs(&found(&rows(), 412_345), view));
        }
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_view(
            columns in 40usize..200, id in any::<String>(), overlap in samples::overlaps(),
        ) {
            let row = PairRow { overlap, ..samples::row(&id, "b") };
            let view = TerminalView { width: columns, colour: false };
            let snippets = BTreeMap::from([((0, 1), id.clone())]);
            let copies = vec![vec![&*id, "b", &*id]];
            let found = FoundPairs { snippets, copies, ..found(&[row], 1) };
            let text = render_pairs(&found, view) + &render_summary(&summary(), view);
            for line in text.lines() {
                prop_assert!(width(line) <= columns, "{line:?}");
            }
        }

        #[test]
        fn no_width_panics(columns in 0usize..40, colour in any::<bool>(), id in any::<String>()) {
            let view = TerminalView { width: columns, colour };
            let text = render_pairs(&found(&[samples::row(&id, "b")], 9), view);
            prop_assert!(text.lines().count() == 5, "{text}");
            prop_assert!(render_summary(&summary(), view).ends_with('\n'));
        }
    }
}
