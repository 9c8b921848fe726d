//! Assembles positioned glyphs into words, lines and pages.
//!
//! Glyphs come in document order, which is nearly always the reading order, columns included. A glyph
//! continues the last line if it fits there, else any recent line of the page whose end it touches;
//! otherwise it begins a line. A gap of a tenth of the font size is a space. `columns` orders the
//! lines of a page.

use std::collections::HashMap;

use super::columns::{self, Row, TextRun};
use super::glyph::{combining, compose};

/// Minimum gap between words, as a fraction of the font size.
const WORD_GAP: f64 = 0.1;

/// Maximum gap at which an interrupted line continues, as a fraction of the font size.
const COLUMN_GAP: f64 = 0.5;

/// Minimum gap between possible columns, as a fraction of the font size.
const WIDE_GAP: f64 = 0.7;

/// Maximum offset of a glyph that is printed again (for bold type), as a fraction of the font size.
const MAX_REPRINT_OFFSET: f64 = 0.08;

/// Number of recent lines that a glyph may continue.
const RECENT_LINES: usize = 40;

/// Maximum glyphs of one page; the rest is ignored.
const MAX_GLYPHS: usize = 2_000_000;

/// A glyph on a page, in page coordinates of any orientation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glyph<'a> {
    /// Its text; may be empty.
    pub(crate) text: &'a str,
    /// Its origin.
    pub(crate) start: (f64, f64),
    /// Where an adjacent glyph would begin.
    pub(crate) end: (f64, f64),
    /// The writing direction, a vector of any length.
    pub(crate) direction: (f64, f64),
    /// Its font size.
    pub(crate) size: f64,
}

#[derive(Debug)]
struct Line {
    text: String,
    /// End of its last glyph.
    end: (f64, f64),
    direction: (f64, f64),
    /// Size of the last glyph, and the largest size.
    size: f64,
    largest: f64,
    /// Runs before the last wide gap, and the start of the current run along the line.
    done: Vec<TextRun>,
    from: f64,
    /// Byte offset of its last glyph in the text.
    last: usize,
}

/// Assembles glyphs into text.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    text: String,
    lines: Vec<Line>,
    /// Positions of the glyphs of this page, by character and rounded position, to detect bold type
    /// that is made by printing twice.
    seen: HashMap<(char, i64, i64), (f64, f64)>,
    n_glyphs: usize,
}

impl Layout {
    /// Adds a glyph to the page.
    pub(crate) fn add(&mut self, glyph: &Glyph<'_>) {
        let numbers = [glyph.start.0, glyph.start.1, glyph.end.0, glyph.end.1, glyph.size];
        let (across, up) = glyph.direction;
        let length = across.hypot(up);
        let is_sound = numbers.iter().all(|number| number.abs() < 1e9) && length > 0.0;
        if !is_sound || !length.is_finite() || self.n_glyphs >= MAX_GLYPHS {
            return;
        }
        self.n_glyphs += 1;
        let size = glyph.size.max(1e-3);
        let glyph = Glyph { direction: (across / length, up / length), size, ..*glyph };
        let is_space = glyph.text.chars().all(char::is_whitespace);
        if !is_space && self.is_printed_again(&glyph) {
            return;
        }
        let n_lines = self.lines.len();
        let recent = self.lines.iter().enumerate().rev().take(RECENT_LINES);
        let position = recent.filter(|(_, line)| line.fits(&glyph)).find(|(index, line)| {
            let limit = if index + 1 == n_lines { f64::INFINITY } else { COLUMN_GAP };
            line.gap(&glyph) < limit * glyph.size.max(line.size)
        });
        match position.map(|(index, _)| index) {
            Some(index) => {
                if let Some(line) = self.lines.get_mut(index) {
                    line.push(&glyph, is_space);
                }
            }
            // A single space does not begin a line; it ends one.
            None if is_space => {}
            None => self.lines.push(Line::new(&glyph)),
        }
    }

    /// Whether the same character is already at nearly the same position.
    fn is_printed_again(&mut self, glyph: &Glyph<'_>) -> bool {
        let Some(character) = glyph.text.chars().next() else { return false };
        let cell = |position: f64| {
            let number = (position / (0.1 * glyph.size)).round();
            #[expect(
                clippy::cast_possible_truncation,
                reason = "bounded by the check of positions"
            )]
            let cell = number as i64;
            cell
        };
        let (x, y) = (cell(glyph.start.0), cell(glyph.start.1));
        let is_here = |&(other_x, other_y): &(f64, f64)| {
            let (dx, dy) = (other_x - glyph.start.0, other_y - glyph.start.1);
            dx.hypot(dy) < MAX_REPRINT_OFFSET * glyph.size
        };
        let neighbors = (-1..=1).flat_map(|dx| (-1..=1).map(move |dy| (x + dx, y + dy)));
        let is_repeated = neighbors
            .into_iter()
            .any(|(x, y)| self.seen.get(&(character, x, y)).is_some_and(is_here));
        self.seen.insert((character, x, y), glyph.start);
        is_repeated
    }

    /// Ends the page.
    pub(crate) fn end_page(&mut self) {
        let rows = std::mem::take(&mut self.lines).into_iter().map(Line::into_row);
        self.text.push_str(columns::read(rows.collect()).trim_end());
        self.text.push('\u{c}');
        self.seen.clear();
        self.n_glyphs = 0;
    }

    /// Returns the bytes of text so far, without this page.
    pub(crate) fn n_bytes(&self) -> usize {
        self.text.len()
    }

    /// Whether the page is empty so far.
    pub(crate) fn is_page_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the text, with a form feed after each page.
    pub(crate) fn finish(mut self) -> String {
        if !self.is_page_empty() {
            self.end_page();
        }
        self.text
    }
}

impl Line {
    fn new(glyph: &Glyph<'_>) -> Self {
        Self {
            text: glyph.text.to_owned(),
            end: glyph.end,
            direction: glyph.direction,
            size: glyph.size,
            largest: glyph.size,
            done: Vec::new(),
            from: along(glyph.start, glyph.direction),
            last: 0,
        }
    }

    /// Returns the distance of `position` from the end of the line: along it, and across.
    fn beyond_end(&self, position: (f64, f64)) -> (f64, f64) {
        let (x, y) = (position.0 - self.end.0, position.1 - self.end.1);
        let (dx, dy) = self.direction;
        (x * dx + y * dy, x * -dy + y * dx)
    }

    /// Whether the glyph continues this line.
    fn fits(&self, glyph: &Glyph<'_>) -> bool {
        let (dx, dy) = self.direction;
        let is_parallel = dx * glyph.direction.0 + dy * glyph.direction.1 > 0.98;
        let (along, across) = self.beyond_end(glyph.start);
        let size = self.size.max(glyph.size);
        let is_level = across.abs() < 0.55 * size;
        // An accent may be placed back over the previous letter.
        is_parallel && is_level && along > -self.max_step_back(glyph, size)
    }

    fn max_step_back(&self, glyph: &Glyph<'_>, size: f64) -> f64 {
        let is_accent = |text: &str| {
            let mut characters = text.chars();
            let first = characters.next();
            first.and_then(combining).is_some() && characters.next().is_none()
        };
        let last = self.text.get(self.last..).unwrap_or_default();
        if is_accent(last) || is_accent(glyph.text) { size } else { 0.5 * size }
    }

    /// Returns the gap between the end of the line and the glyph.
    fn gap(&self, glyph: &Glyph<'_>) -> f64 {
        self.beyond_end(glyph.start).0
    }

    fn push(&mut self, glyph: &Glyph<'_>, is_space: bool) {
        let gap = self.gap(glyph);
        let ends_with_space = self.text.ends_with(char::is_whitespace);
        if is_space && !glyph.text.is_empty() {
            if !ends_with_space {
                self.text.push(' ');
            }
        } else if !glyph.text.is_empty() {
            if let Some(composed) = self.with_accent(glyph, gap) {
                self.text.truncate(self.last);
                self.text.push(composed);
            } else {
                let is_leader =
                    gap > 0.3 * glyph.size && glyph.text != "." && self.ends_with_leader();
                if is_leader || gap > WIDE_GAP * glyph.size.max(self.size) {
                    self.cut(glyph);
                } else if gap > WORD_GAP * glyph.size.min(self.size) && !ends_with_space {
                    self.text.push(' ');
                }
                self.last = self.text.len();
                self.text.push_str(glyph.text);
            }
        }
        let (along, _) = self.beyond_end(glyph.end);
        if along > 0.0 || glyph.end == glyph.start {
            self.end = glyph.end;
        } else {
            // Overprinted: the line still ends where it did, at the level of this glyph.
            let (dx, dy) = self.direction;
            self.end = (glyph.end.0 - along * dx, glyph.end.1 - along * dy);
        }
        if !is_space {
            self.size = glyph.size;
            self.largest = self.largest.max(glyph.size);
        }
    }

    /// Begins a new run after a wide gap.
    fn cut(&mut self, glyph: &Glyph<'_>) {
        let text = std::mem::take(&mut self.text).trim_end().to_owned();
        let to = along(self.end, self.direction);
        self.done.push(TextRun { text, from: self.from, to, size: self.size });
        self.from = along(glyph.start, self.direction);
    }

    /// Whether the line ends with leader dots, as in tables of contents.
    fn ends_with_leader(&self) -> bool {
        let end = self.text.trim_end();
        end.ends_with("...") || end.ends_with(". . .")
    }

    fn into_row(mut self) -> Row {
        let (dx, dy) = self.direction;
        let to = along(self.end, self.direction);
        let base = self.end.0 * -dy + self.end.1 * dx;
        self.done.push(TextRun { text: self.text, from: self.from, to, size: self.size });
        #[expect(clippy::cast_possible_truncation, reason = "directions have length 1")]
        let direction = ((dx * 10.0).round() as i8, (dy * 10.0).round() as i8);
        Row { parts: self.done, base, size: self.largest, direction }
    }

    /// Combines an accent and a letter that overlap.
    fn with_accent(&self, glyph: &Glyph<'_>, gap: f64) -> Option<char> {
        if gap > -0.1 * glyph.size {
            return None;
        }
        let single = |text: &str| {
            let mut characters = text.chars();
            let first = characters.next();
            first.filter(|_| characters.next().is_none())
        };
        let last = single(self.text.get(self.last..)?)?;
        let new = single(glyph.text)?;
        match (combining(last), combining(new)) {
            (Some(mark), None) => compose(new, mark),
            (None, Some(mark)) => compose(last, mark),
            _ => None,
        }
    }
}

/// Projects `(x, y)` on a direction.
fn along((x, y): (f64, f64), (dx, dy): (f64, f64)) -> f64 {
    x * dx + y * dy
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Puts `text` at `(x, y)`, every glyph half a size wide, and returns the position after it.
    fn put(layout: &mut Layout, text: &str, x: f64, y: f64) -> f64 {
        let mut at = x;
        for character in text.chars() {
            let mut buffer = [0; 4];
            let glyph = Glyph {
                text: character.encode_utf8(&mut buffer),
                start: (at, y),
                end: (at + 5.0, y),
                direction: (1.0, 0.0),
                size: 10.0,
            };
            layout.add(&glyph);
            at += 5.0;
        }
        at
    }

    #[test]
    fn gaps_become_spaces_and_kerning_does_not() {
        let mut layout = Layout::default();
        let at = put(&mut layout, "ke", 0.0, 0.0);
        let at = put(&mut layout, "rn", at - 0.8, 0.0);
        put(&mut layout, "gap", at + 2.5, 0.0);
        assert_eq!(layout.finish(), "kern gap\u{c}");
    }

    #[test]
    fn distance_separates_lines_and_paragraphs() {
        let mut layout = Layout::default();
        put(&mut layout, "one", 0.0, 100.0);
        put(&mut layout, "two", 0.0, 88.0);
        put(&mut layout, "three", 0.0, 60.0);
        layout.end_page();
        put(&mut layout, "four", 0.0, 100.0);
        assert_eq!(layout.finish(), "one\ntwo\n\nthree\u{c}four\u{c}");
    }

    #[test]
    fn superscripts_stay_on_their_line_and_columns_separate() {
        let mut layout = Layout::default();
        let at = put(&mut layout, "x", 0.0, 100.0);
        let at = put(&mut layout, "2", at, 104.0);
        put(&mut layout, "y", at + 3.0, 100.0);
        put(&mut layout, "left", 0.0, 88.0);
        put(&mut layout, "right", 200.0, 100.0);
        assert_eq!(layout.finish(), "x2 y\nleft\n\nright\u{c}");
    }

    #[test]
    fn text_printed_twice_appears_once() {
        let mut layout = Layout::default();
        put(&mut layout, "bold", 0.0, 0.0);
        put(&mut layout, "bold", 0.3, 0.0);
        assert_eq!(layout.finish(), "bold\u{c}");
    }

    #[test]
    fn accents_are_combined_with_letters() {
        let mut layout = Layout::default();
        let at = put(&mut layout, "caf´", 0.0, 0.0);
        put(&mut layout, "e", at - 5.0, 0.0);
        assert_eq!(layout.finish(), "café\u{c}");
    }

    #[test]
    fn an_interrupted_line_continues() {
        let mut layout = Layout::default();
        let at = put(&mut layout, "one", 0.0, 100.0);
        put(&mut layout, "below", 0.0, 88.0);
        put(&mut layout, "more", at + 3.0, 100.0);
        assert_eq!(layout.finish(), "one more\nbelow\u{c}");
    }

    #[test]
    fn invalid_positions_are_ignored() {
        let mut layout = Layout::default();
        put(&mut layout, "a", f64::NAN, 0.0);
        put(&mut layout, "b", 1e300, 0.0);
        assert_eq!(layout.finish(), "");
    }
}
