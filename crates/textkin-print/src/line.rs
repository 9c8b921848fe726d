//! Breaks glyph runs into lines, in visual order.

use std::rc::Rc;

use crate::font::Fonts;
use crate::shape::{Glyph, GlyphRun, Label, Paragraph, Shaper};

/// A line of text.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The text of its paragraph; runs refer to bytes of it.
    pub(crate) text: Rc<str>,
    /// From left to right.
    pub(crate) runs: Vec<GlyphRun>,
    /// Total width, in em.
    pub(crate) width: f32,
    /// Whether its paragraph runs from right to left.
    pub(crate) is_rtl: bool,
}

/// Breaks a paragraph into lines of at most `width` em. Returns at least one line.
pub(crate) fn lines(
    shaper: &mut Shaper,
    fonts: &mut Fonts,
    paragraph: &Paragraph,
    width: f32,
) -> Vec<Line> {
    let (runs, is_rtl) = shaper.runs(fonts, paragraph);
    let mut filler = LineBreaker { width, lines: Vec::new(), line: Vec::new(), used: 0.0 };
    let mut unit: Vec<GlyphRun> = Vec::new();
    for run in runs {
        if run.is_breakable {
            filler.add(&mut unit);
        }
        unit.push(run);
    }
    filler.add(&mut unit);
    filler.end();
    let text: Rc<str> = paragraph.text.as_str().into();
    let line = |runs: Vec<GlyphRun>| Line {
        text: Rc::clone(&text),
        width: runs.iter().map(|run| run.width).sum(),
        runs: visual_order(runs),
        is_rtl,
    };
    filler.lines.into_iter().map(line).collect()
}

struct LineBreaker {
    width: f32,
    lines: Vec<Vec<GlyphRun>>,
    line: Vec<GlyphRun>,
    used: f32,
}

impl LineBreaker {
    /// Adds runs that belong on one line, and clears `unit`.
    fn add(&mut self, unit: &mut Vec<GlyphRun>) {
        let space = unit.last().map_or(0.0, |run| run.space);
        let width = unit.iter().map(|run| run.width).sum::<f32>() - space;
        if self.used + width > self.width && !self.line.is_empty() {
            self.end();
        }
        let is_too_wide = width > self.width;
        for run in unit.drain(..) {
            match is_too_wide {
                true => self.add_broken(run),
                false => self.put(run),
            }
        }
    }

    fn add_broken(&mut self, run: GlyphRun) {
        let mut rest = run;
        while self.used + rest.width - rest.space > self.width {
            let Some((head, tail)) = split(&rest, self.width - self.used, self.line.is_empty())
            else {
                if self.line.is_empty() {
                    break;
                }
                self.end();
                continue;
            };
            self.put(head);
            self.end();
            rest = tail;
        }
        self.put(rest);
    }

    fn put(&mut self, run: GlyphRun) {
        self.used += run.width;
        self.line.push(run);
    }

    fn end(&mut self) {
        self.lines.push(std::mem::take(&mut self.line));
        self.used = 0.0;
    }
}

/// Splits a run into what fits `width` and the rest; takes at least one character if `must`.
fn split(run: &GlyphRun, width: f32, must: bool) -> Option<(GlyphRun, GlyphRun)> {
    let glyphs = run.glyphs();
    let count = glyphs.len();
    let at = |index: usize| match run.is_rtl() {
        true => &glyphs[count - 1 - index],
        false => &glyphs[index],
    };
    let mut used = run.label.as_ref().map_or(0.0, Label::width);
    let mut cut = 0;
    let mut cut_used = used;
    for index in 0..count {
        if index > 0 && at(index).start != at(index - 1).start {
            let is_first = cut == 0;
            if used > width && !(must && is_first) {
                break;
            }
            (cut, cut_used) = (index, used);
        }
        used += at(index).advance;
    }
    if cut == 0 || (cut_used > width && !must) {
        return None;
    }
    let end = run.base + at(cut).start as usize;
    let (mut head, mut tail) = (run.clone(), run.clone());
    (head.end, tail.start) = (end, end);
    match run.is_rtl() {
        true => (head.from, tail.to) = (run.to - cut, run.to - cut),
        false => (head.to, tail.from) = (run.from + cut, run.from + cut),
    }
    (head.width, head.space) = (cut_used, 0.0);
    tail.label = None;
    tail.width = tail.glyphs().iter().map(|glyph: &Glyph| glyph.advance).sum();
    Some((head, tail))
}

/// The runs of a line from left to right (rule L2 of the bidirectional algorithm).
fn visual_order(mut runs: Vec<GlyphRun>) -> Vec<GlyphRun> {
    let highest = runs.iter().map(|run| run.level).max().unwrap_or(0);
    for level in (1..=highest).rev() {
        let mut at = 0;
        while at < runs.len() {
            let count = runs[at..].iter().take_while(|run| run.level >= level).count();
            runs[at..at + count].reverse();
            at += count.max(1);
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::TextStyle;

    fn broken(text: &str, width: f32) -> Vec<Line> {
        let mut fonts = Fonts::new().unwrap();
        let paragraph = Paragraph::new(text, TextStyle::default());
        lines(&mut Shaper::default(), &mut fonts, &paragraph, width)
    }

    /// The text of lines in logical order.
    fn texts(lines: &[Line]) -> Vec<&str> {
        let text = |line: &Line| {
            let start = line.runs.iter().map(|run| run.start).min().unwrap_or(0);
            let end = line.runs.iter().map(|run| run.end).max().unwrap_or(0);
            (start, end)
        };
        lines.iter().map(|line| (line, text(line))).map(|(line, (a, b))| &line.text[a..b]).collect()
    }

    #[test]
    fn words_are_not_broken_and_nothing_is_lost() {
        let found = broken("The quick brown fox jumps over the lazy dog", 8.0);
        assert!(found.len() > 2);
        assert_eq!(texts(&found).concat(), "The quick brown fox jumps over the lazy dog");
        for line in &found {
            assert!(line.width - line.runs.last().unwrap().space <= 8.0);
            assert!(texts(std::slice::from_ref(line))[0].ends_with([' ', 'g']));
        }
    }

    #[test]
    fn an_endless_word_is_broken_into_full_lines() {
        for word in ["x", "א", "日", "é"] {
            let text = word.repeat(5000);
            let found = broken(&text, 20.0);
            assert_eq!(texts(&found).concat(), text);
            assert!(found.iter().all(|line| line.width <= 20.0));
            assert!(found.len() < 600, "{word}: {}", found.len());
        }
        assert_eq!(broken("wide", 0.1).len(), 4);
    }

    #[test]
    fn hebrew_runs_right_to_left_and_its_numbers_left_to_right() {
        let found = broken("שלום 123 עולם", 100.0);
        assert!(found[0].is_rtl);
        let starts: Vec<usize> = found[0].runs.iter().map(|run| run.start).collect();
        assert!(starts.is_sorted_by(|a, b| a > b), "{starts:?}");
        let number = found[0].runs.iter().find(|run| !run.is_rtl()).unwrap();
        assert_eq!(&found[0].text[number.start..number.end], "123");
        assert!(!broken("left שלום", 100.0)[0].is_rtl);
    }

    #[test]
    fn an_empty_paragraph_is_one_line() {
        assert_eq!(broken("", 10.0).len(), 1);
        assert_eq!(broken("   ", 0.5).len(), 1);
    }
}
