//! Rewritten passages of a comparison, shown apart from the identical ones and never counted with them.
//!
//! In: passages with the words that match. Out: text for a terminal, lines of JSON, and a section of the HTML page.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;
use textkin_core::{Span, WordSpan};

use super::json::WithText;
use super::page::escape;
use super::text::{StyledWord, broken, heading_rule, show_sides};
use super::{Comparison, Side};
use crate::label::visible;
use crate::terminal::{TerminalView, counted, thousands};

/// The passages that two texts share in other words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RewrittenMatches {
    /// Words of the first text in these passages and in no identical one.
    pub words_a: u64,
    /// Words of the second text in these passages and in no identical one.
    pub words_b: u64,
    /// The passages, in the order of the first text.
    pub passages: Vec<RewrittenMatch>,
}

/// A passage that two texts share in other words.
#[derive(Clone, Debug, PartialEq)]
pub struct RewrittenMatch {
    /// `rewritten` or `summary`.
    pub kind: &'static str,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// The same in words, such as `very likely`.
    pub likelihood: &'static str,
    /// Where it is in the first text.
    pub a: WordSpan,
    /// Where it is in the second text.
    pub b: WordSpan,
    /// The words that match, in the order of the first text.
    pub same: Vec<SameWord>,
}

/// A word that both sides of a passage have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SameWord {
    /// Where it is in the first text.
    pub a: Span,
    /// Where it is in the second text.
    pub b: Span,
    /// What it says about the passage, from 0 for words that are common in both texts.
    pub weight: f32,
}

/// Weights from which a word is shown stronger.
const SHADES: [f32; 3] = [0.5, 1.5, 3.0];

impl RewrittenMatch {
    fn side(&self, side: Side) -> &WordSpan {
        side.of(&self.a, &self.b)
    }

    /// The bytes of the matching words of one side, ascending, with their weight and the number of the match.
    fn same_words(&self, side: Side) -> Vec<(Span, f32, usize)> {
        let words = self.same.iter().enumerate();
        let mut words: Vec<(Span, f32, usize)> =
            words.map(|(at, word)| (side.of(word.a, word.b), word.weight, at)).collect();
        words.sort_by_key(|(span, _, at)| (span.start, *at));
        words.dedup_by_key(|(span, _, _)| span.start);
        words
    }

    /// Why it is shown, in one sentence.
    fn reason(&self) -> String {
        let (n_same, n) = (self.same.len() as u64, u64::from(self.a.count));
        if self.kind == "summary" {
            return format!(
                "{} of {} words come from all parts of the other text.",
                thousands(n_same),
                thousands(n)
            );
        }
        format!(
            "{} of {} words of A are in this part of B, more than a common topic explains.",
            thousands(n_same),
            thousands(n)
        )
    }

    fn title(&self) -> String {
        let words = |stretch: &WordSpan| {
            let (first, last) = (u64::from(stretch.first) + 1, u64::from(stretch.end()));
            format!("{}–{}", thousands(first), thousands(last))
        };
        let percent = 100.0 * self.confidence;
        format!(
            "{}, {} ({percent:.0} %) · A {} · B {}",
            self.kind,
            self.likelihood,
            words(&self.a),
            words(&self.b)
        )
    }
}

/// The line of the summary: how many words are rewritten.
pub(super) fn summary_line(rewritten: &RewrittenMatches) -> String {
    if rewritten.passages.is_empty() {
        return "no rewritten passages".to_owned();
    }
    let passages =
        counted(rewritten.passages.len() as u64, "rewritten passage", "rewritten passages");
    format!(
        "also {passages}: {} more words of A, {} of B",
        thousands(rewritten.words_a),
        thousands(rewritten.words_b)
    )
}

/// The passages for a terminal, side by side if it is wide; words that differ are in brackets.
pub(super) fn render(comparison: &Comparison<'_>, view: TerminalView) -> String {
    let Some(rewritten) = comparison.rewritten else { return String::new() };
    let mut text = String::new();
    for (at, passage) in rewritten.passages.iter().enumerate() {
        text.push('\n');
        text.push_str(&heading_rule(&format!("── R{} ── {} ", at + 1, passage.title()), view));
        for line in broken(&passage.reason(), view.width) {
            text.push_str(&StyledWord::quiet_line(&line, view));
        }
        let [a, b] = [Side::A, Side::B].map(|side| {
            let document = side.of(comparison.a.text, comparison.b.text);
            words(document, passage, side)
        });
        show_sides(&a, &b, view, &mut text);
    }
    text
}

/// The words of one side; runs of words that the other side does not have are in brackets.
fn words(document: &str, passage: &RewrittenMatch, side: Side) -> Vec<StyledWord> {
    let same = passage.same_words(side);
    let bytes = passage.side(side).span.range();
    let mut words: Vec<StyledWord> = Vec::new();
    let mut next = same.iter().peekable();
    let mut is_open = false;
    let text = &document[bytes.clone()];
    for word in text.split_whitespace() {
        let first = bytes.start + (word.as_ptr().addr() - text.as_ptr().addr());
        let last = first + word.len();
        while next.next_if(|(span, ..)| span.range().end <= first).is_some() {}
        let is_same = next.peek().is_some_and(|(span, ..)| span.range().start < last);
        if !is_same && !is_open {
            words.push(StyledWord::changed(format!("[{}", visible(word))));
        } else if is_same {
            if is_open {
                StyledWord::close(&mut words);
            }
            words.push(StyledWord::same(visible(word)));
        } else {
            words.push(StyledWord::changed(visible(word)));
        }
        is_open = !is_same;
    }
    if is_open {
        StyledWord::close(&mut words);
    }
    words
}

/// The section of the HTML page, with both sides of each passage.
pub(super) fn section(comparison: &Comparison<'_>, page: &mut String) {
    let Some(rewritten) = comparison.rewritten else { return };
    page.push_str(
        "<section id=\"rewritten\" aria-label=\"Rewritten passages\"><h2>Rewritten passages</h2>",
    );
    if rewritten.passages.is_empty() {
        page.push_str("<p>None found.</p></section>");
        return;
    }
    page.push_str(
        "<p>These parts say the same in other words. They do not count in the figures above. \
         The words that both have are marked: the stronger, the more they tell.</p>\
         <p><label>Show from <input type=\"range\" id=\"surest\" min=\"50\" max=\"100\" value=\"50\"> \
         <output id=\"surest-value\">50 %</output> confidence</label></p>",
    );
    for (at, passage) in rewritten.passages.iter().enumerate() {
        article(&format!("R{} · ", at + 1), passage, [comparison.a.text, comparison.b.text], page);
    }
    page.push_str("</section>");
}

/// One passage with both sides.
fn article(label: &str, passage: &RewrittenMatch, texts: [&str; 2], page: &mut String) {
    // Writing to a string does not fail.
    let _ = write!(
        page,
        "<article class=\"rewritten\" data-confidence=\"{:.0}\"><h3>",
        100.0 * passage.confidence
    );
    escape(label, page);
    escape(&passage.title(), page);
    page.push_str("</h3><p>");
    escape(&passage.reason(), page);
    page.push_str("</p><div class=\"sides\">");
    for side in [Side::A, Side::B] {
        let _ = write!(page, "<blockquote dir=\"auto\"><b>{}</b> ", side.of('A', 'B'));
        marked_words(side.of(texts[0], texts[1]), passage, side, page);
        page.push_str("</blockquote>");
    }
    page.push_str("</div></article>");
}

/// Two documents that share passages in other words: ids, texts and passages.
#[derive(Clone, Copy, Debug)]
pub struct RewrittenDocuments<'a> {
    /// Id and text of the earlier document.
    pub a: [&'a str; 2],
    /// Id and text of the later document.
    pub b: [&'a str; 2],
    /// The passages.
    pub matches: &'a RewrittenMatches,
}

/// Returns the section of a run's page with pairs that share passages in other words. `total` is the number of all such
/// pairs.
#[must_use]
pub fn rewritten_section(pairs: &[RewrittenDocuments<'_>], total: usize) -> String {
    let mut page = String::from(
        "<section id=\"rewritten\"><h2>Rewritten text</h2><p class=\"note\">These pairs share passages that say the same \
         in other words, surest first. They do not count in the scores above. The words that both have are marked: the \
         stronger, the more they tell.</p>",
    );
    for pair in pairs {
        page.push_str("<h3>");
        escape(&visible(pair.a[0]), &mut page);
        page.push_str(" ⇄ ");
        escape(&visible(pair.b[0]), &mut page);
        page.push_str("</h3>");
        for passage in &pair.matches.passages {
            article("", passage, [pair.a[1], pair.b[1]], &mut page);
        }
    }
    if total == 0 {
        page.push_str("<p>None found.</p>");
    }
    let rest = total.saturating_sub(pairs.len()) as u64;
    if rest > 0 {
        let rest = counted(rest, "more pair", "more pairs");
        let _ = write!(
            page,
            "<p class=\"rest\">{rest} not on this page: use --out to list all of them.</p>"
        );
    }
    page.push_str("</section>\n");
    page
}

fn marked_words(document: &str, passage: &RewrittenMatch, side: Side, page: &mut String) {
    let mut at = passage.side(side).span.start as usize;
    for (span, weight, number) in passage.same_words(side) {
        escape(&document[at..span.start as usize], page);
        let shade = SHADES.partition_point(|from| *from <= weight);
        let _ = write!(page, "<i class=\"s{shade}\" data-w=\"{number}\">");
        escape(&document[span.range()], page);
        page.push_str("</i>");
        at = span.end as usize;
    }
    escape(&document[at..passage.side(side).span.end as usize], page);
}

/// Rewritten passages. They do not count as contained.
#[derive(Serialize, JsonSchema)]
pub(super) struct RewrittenLine<'a> {
    /// Words of the first document in these passages and in no identical one.
    words_a: u64,
    /// Words of the second document in these passages and in no identical one.
    words_b: u64,
    /// The passages, in the order of the first document.
    passages: Vec<RewrittenPassageLine<'a>>,
}

#[derive(Serialize, JsonSchema)]
struct RewrittenPassageLine<'a> {
    /// Its number, from 1.
    number: usize,
    /// `rewritten` or `summary`.
    kind: &'static str,
    /// How sure it is, from 0 to 1.
    confidence: f64,
    /// The same in words.
    likelihood: &'static str,
    /// Where it is in the first document.
    a: RewrittenSide<'a>,
    /// Where it is in the second document.
    b: RewrittenSide<'a>,
    /// The words that match: their spans in the first and in the second document.
    same_words: Vec<[[u32; 2]; 2]>,
}

#[derive(Serialize, JsonSchema)]
struct RewrittenSide<'a> {
    /// Its span.
    span: [u32; 2],
    /// The number of its first word, from 0.
    first_word: u32,
    /// Number of its words.
    words: u32,
    /// Its text; only if texts are included.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<&'a str>,
}

/// The passages as JSON.
pub(super) fn line<'a>(
    comparison: &Comparison<'a>,
    with_text: WithText,
) -> Option<RewrittenLine<'a>> {
    let rewritten = comparison.rewritten?;
    let ends = |span: Span| [span.start, span.end];
    let side = |stretch: &WordSpan, text: &'a str| RewrittenSide {
        span: ends(stretch.span),
        first_word: stretch.first,
        words: stretch.count,
        text: (with_text == WithText::Yes).then(|| &text[stretch.span.range()]),
    };
    let passage = |(at, passage): (usize, &RewrittenMatch)| RewrittenPassageLine {
        number: at + 1,
        kind: passage.kind,
        confidence: passage.confidence,
        likelihood: passage.likelihood,
        a: side(&passage.a, comparison.a.text),
        b: side(&passage.b, comparison.b.text),
        same_words: passage.same.iter().map(|word| [ends(word.a), ends(word.b)]).collect(),
    };
    Some(RewrittenLine {
        words_a: rewritten.words_a,
        words_b: rewritten.words_b,
        passages: rewritten.passages.iter().enumerate().map(passage).collect(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::compare::json::WithText;
    use crate::compare::{Detail, comparison_json, comparison_page, render_comparison, samples};
    use crate::terminal::TerminalView;

    #[test]
    fn rewritten_passages_are_shown_apart_with_their_confidence() {
        let sample = samples::rewritten();
        let text = render_comparison(
            &sample.view(),
            TerminalView { width: 90, colour: false },
            Detail::Short,
        );
        let expected = "\
A: draft.txt
B: final.txt
0 % — 0 of 9 words of A are in B; 0 % of B (0 of 8 words) are in A
no matching text of 4 or more words
also 1 rewritten passage: 9 more words of A, 8 of B

── R1 ── rewritten, likely (88 %) · A 1–9 · B 1–8 ────────────────────────────────────────
4 of 9 words of A are in this part of B, more than a common topic explains.
[The old] keeper [of the] <lighthouse> lit  │ [A] lighthouse keeper lit [his big] lamp
[the] lamp                                  │ [today]
";
        assert_eq!(text, expected);
    }

    #[test]
    fn the_page_marks_the_words_of_both_sides() {
        let page = comparison_page(&samples::rewritten().view());
        assert!(page.contains("<article class=\"rewritten\" data-confidence=\"88\">"));
        assert!(page.contains("<i class=\"s3\" data-w=\"0\">keeper</i>"));
        assert!(
            page.contains("&lt;<i class=\"s2\" data-w=\"1\">lighthouse</i>&gt;"),
            "texts are escaped"
        );
        assert_eq!(page.matches("<i class=\"s").count(), page.matches("</i>").count() - 1);
        assert!(!comparison_page(&samples::edited().view()).contains("id=\"rewritten\""));
    }

    #[test]
    fn the_page_of_a_run_has_a_section_of_pairs() {
        let sample = samples::rewritten();
        let view = sample.view();
        let matches = view.rewritten.unwrap();
        let pair =
            super::RewrittenDocuments { a: ["<a>", view.a.text], b: ["b", view.b.text], matches };
        let section = super::rewritten_section(&[pair], 3);
        assert!(section.contains("<h3>&lt;a&gt; ⇄ b</h3>"), "{section}");
        assert!(section.contains("<i class=\"s3\" data-w=\"0\">keeper</i>"));
        assert!(section.contains("2 more pairs not on this page"));
        assert!(super::rewritten_section(&[], 0).contains("None found."));
    }

    #[test]
    fn json_has_them_only_if_they_were_sought() {
        let value = |sample: &samples::Sample| -> Value {
            serde_json::from_str(&comparison_json(&sample.view(), WithText::Yes)).unwrap()
        };
        let rewritten = &value(&samples::rewritten())["rewritten"];
        assert_eq!(rewritten["words_a"], json!(9));
        assert_eq!(rewritten["passages"][0]["likelihood"], json!("likely"));
        assert_eq!(rewritten["passages"][0]["same_words"][0], json!([[8, 14], [13, 19]]));
        assert_eq!(value(&samples::edited()).get("rewritten"), None);
    }
}
