//! Composes the pages: title, figures, strip, table of sources, text.

use std::rc::Rc;

use crate::font::Fonts;
use crate::layout::{MARGIN, PAGE, PageItem, PageLayout, WIDTH};
use crate::line::{Line, lines};
use crate::palette;
use crate::report::{Annotation, PdfReport, SourceRow, marked_ranges};
use crate::shape::{Background, Paragraph, Shaper, StyledSpan, TextStyle, printed};

/// Maximum bytes of the text that are printed.
pub const MAX_TEXT: usize = 4 << 20;
/// Maximum lines of a cell or a note.
const MAX_LINES: usize = 12;
const LEADING: f32 = 1.42;
const BODY: f32 = 9.5;
const SMALL: f32 = 8.5;

const PLAIN: TextStyle = TextStyle { is_bold: false, is_soft: false, background: Background::None };
const STRONG: TextStyle = TextStyle { is_bold: true, ..PLAIN };
const SOFT: TextStyle = TextStyle { is_soft: true, ..PLAIN };

/// Composes the pages of a report.
pub(crate) fn pages(report: &PdfReport, fonts: &mut Fonts) -> PageLayout {
    let mut composer = Composer { layout: PageLayout::new(), shaper: Shaper::default(), fonts };
    composer.head(report);
    composer.strip(report);
    composer.sources(report);
    composer.text(report);
    composer.frame(report);
    composer.layout
}

struct Composer<'a> {
    layout: PageLayout,
    shaper: Shaper,
    fonts: &'a mut Fonts,
}

impl Composer<'_> {
    fn lines(&mut self, paragraph: &Paragraph, size: f32, width: f32) -> Vec<Line> {
        lines(&mut self.shaper, self.fonts, paragraph, width / size)
    }

    /// Places a line with its top at `y`, right-aligned if it runs from right to left.
    fn put(&mut self, line: Line, (x, y, width): (f32, f32, f32), size: f32) {
        let x = if line.is_rtl { x + width - line.width * size } else { x };
        let y = y + size * (LEADING + 0.72) / 2.0;
        self.layout.put(PageItem::Text { x, y, size, line: Rc::new(line) });
    }

    /// Adds up to `max_lines` lines of a paragraph over the full width. Returns false if pages ran out.
    fn paragraph(&mut self, paragraph: &Paragraph, size: f32, max_lines: usize) -> bool {
        for line in self.lines(paragraph, size, WIDTH).into_iter().take(max_lines) {
            if !self.layout.reserve(size * LEADING) {
                return false;
            }
            let y = self.layout.y;
            self.put(line, (MARGIN, y, WIDTH), size);
            self.layout.y += size * LEADING;
        }
        true
    }

    fn heading(&mut self, words: &str) {
        self.layout.space(14.0);
        self.layout.reserve(60.0);
        let heading = (self.layout.page(), self.layout.y, words.to_owned());
        self.layout.headings.push(heading);
        self.paragraph(&Paragraph::new(words, STRONG), 12.0, 2);
        self.layout.y += 3.0;
    }

    fn head(&mut self, report: &PdfReport) {
        self.paragraph(&Paragraph::new(&report.title, STRONG), 17.0, 4);
        self.layout.y += 2.0;
        self.paragraph(&Paragraph::new(&report.facts.join(" · "), SOFT), SMALL, MAX_LINES);
        for warning in &report.warnings {
            self.warning(warning);
        }
        self.layout.y += 10.0;
        let share = self.lines(&Paragraph::new(&report.share, STRONG), 24.0, WIDTH / 2.0);
        let share = share.into_iter().next();
        let used = share.as_ref().map_or(0.0, |share| share.width * 24.0 + 8.0);
        let top = self.layout.y;
        if let Some(share) = share {
            self.put(Line { is_rtl: false, ..share }, (MARGIN, top, WIDTH), 24.0);
        }
        let counts = format!("— {}", report.counts);
        let counts = self.lines(&Paragraph::new(&counts, PLAIN), 12.0, WIDTH - used);
        // Aligned with the baseline of the share.
        let mut y = top + (24.0 - 12.0) * (LEADING + 0.72) / 2.0;
        for line in counts.into_iter().take(3) {
            self.put(line, (MARGIN + used, y, WIDTH - used), 12.0);
            y += 12.0 * LEADING;
        }
        self.layout.y = y.max(top + 24.0 * LEADING);
        for note in &report.notes {
            self.paragraph(&Paragraph::new(note, SOFT), SMALL, MAX_LINES);
        }
    }

    fn warning(&mut self, warning: &str) {
        let lines = self.lines(&Paragraph::new(warning, PLAIN), SMALL, WIDTH - 20.0);
        let lines: Vec<Line> = lines.into_iter().take(MAX_LINES).collect();
        let height = extent(lines.len(), SMALL) + 8.0;
        self.layout.space(4.0);
        self.layout.reserve(height);
        let (fill, edge) = (palette::warning(), Some(palette::hue(2).1));
        let y = self.layout.y;
        self.layout.put(PageItem::Box { x: MARGIN, y, width: WIDTH, height, fill, edge });
        self.column(lines, (MARGIN + 10.0, y + 4.0, WIDTH - 20.0), SMALL);
        self.layout.y += height;
    }

    /// Places lines below each other; returns where they end.
    fn column(&mut self, lines: Vec<Line>, (x, y, width): (f32, f32, f32), size: f32) -> f32 {
        let mut at = y;
        for line in lines {
            self.put(line, (x, at, width), size);
            at += size * LEADING;
        }
        at
    }

    fn strip(&mut self, report: &PdfReport) {
        const HEIGHT: f32 = 24.0;
        self.layout.space(8.0);
        self.layout.reserve(HEIGHT + 6.0);
        let y = self.layout.y;
        let background =
            |fill, edge| PageItem::Box { x: MARGIN, y, width: WIDTH, height: HEIGHT, fill, edge };
        self.layout.put(background(palette::paper(), Some(palette::line())));
        #[expect(clippy::cast_precision_loss, reason = "positions in a drawing")]
        let x_of = |word: u64| {
            let share = word.min(report.words) as f64 / report.words.max(1) as f64;
            #[expect(clippy::cast_possible_truncation, reason = "positions in a drawing")]
            let share = share as f32;
            MARGIN + share * WIDTH
        };
        for segment in &report.strip {
            let x = x_of(segment.from);
            let width = (x_of(segment.to) - x).max(0.4);
            let Annotation::Source(number) = segment.annotation else {
                let fill = palette::line();
                self.layout.put(PageItem::Box { x, y, width, height: HEIGHT, fill, edge: None });
                continue;
            };
            let (fill, edge) = palette::hue(number);
            self.layout.put(PageItem::Box { x, y, width, height: HEIGHT, fill, edge: Some(edge) });
            let dash = palette::dash(number);
            self.layout.put(PageItem::Rule { x, y: y + HEIGHT - 3.0, width, colour: edge, dash });
            let label = Paragraph::new(&number.to_string(), STRONG);
            let label = self.lines(&label, SMALL, WIDTH).into_iter().next();
            let Some(label) = label.filter(|label| label.width * SMALL + 2.0 < width) else {
                continue;
            };
            let middle = x + (width - label.width * SMALL) / 2.0;
            self.put(label, (middle, y + 4.5, WIDTH), SMALL);
        }
        self.layout.y += HEIGHT;
    }

    fn sources(&mut self, report: &PdfReport) {
        self.heading("Sources");
        if !report.sources.is_empty() {
            self.table_head();
        }
        for source in &report.sources {
            self.source(source);
        }
        if let Some(after) = &report.after_sources {
            self.layout.y += 4.0;
            self.paragraph(&Paragraph::new(after, SOFT), SMALL, MAX_LINES);
        }
    }

    fn table_head(&mut self) {
        let y = self.layout.y;
        let columns = [(1, "Document"), (2, "Of this text"), (3, "Of the source"), (4, "Longest")];
        for (column, words) in columns {
            let (x, width) = COLUMNS[column];
            let lines = self.lines(&Paragraph::new(words, SOFT), 8.0, width);
            self.column(lines, (MARGIN + x, y, width), 8.0);
        }
        self.layout.y += 8.0 * LEADING + 3.0;
    }

    fn source(&mut self, source: &SourceRow) {
        let mut cells = Vec::new();
        for (column, big, small) in [
            (1, &source.title, source.facts.as_str()),
            (2, &source.here[0], &source.here[1]),
            (3, &source.there[0], &source.there[1]),
            (4, &source.longest, ""),
        ] {
            let width = COLUMNS[column].1;
            let style = if column == 4 { PLAIN } else { STRONG };
            let mut cell = Vec::new();
            for (words, style, size) in [(big.as_str(), style, BODY), (small, SOFT, 8.0)] {
                if !words.is_empty() {
                    let lines = self.lines(&Paragraph::new(words, style), size, width);
                    cell.push((lines.into_iter().take(MAX_LINES).collect::<Vec<_>>(), size));
                }
            }
            cells.push((column, cell));
        }
        let height = |cell: &Vec<(Vec<Line>, f32)>| {
            cell.iter().map(|(lines, size)| extent(lines.len(), *size)).sum::<f32>()
        };
        let height = cells.iter().map(|(_, cell)| height(cell)).fold(18.0, f32::max) + 8.0;
        let page = self.layout.page();
        self.layout.reserve(height);
        if self.layout.page() != page {
            self.table_head();
        }
        let y = self.layout.y;
        self.layout.sources.insert(source.number, (self.layout.page(), y));
        let (colour, dash): (_, &[f32]) = (palette::line(), &[]);
        self.layout.put(PageItem::Rule { x: MARGIN, y, width: WIDTH, colour, dash });
        self.swatch(source.number, y + 5.0);
        for (column, cell) in cells {
            let (x, width) = COLUMNS[column];
            let mut at = y + 4.0;
            for (lines, size) in cell {
                // Columns are always left-aligned.
                let lines = lines.into_iter().map(|line| Line { is_rtl: false, ..line });
                at = self.column(lines.collect(), (MARGIN + x, at, width), size);
            }
        }
        self.layout.y += height;
    }

    /// Draws the number of a source in its colour.
    fn swatch(&mut self, number: usize, y: f32) {
        let (fill, edge) = palette::hue(number);
        let label = Paragraph::new(&number.to_string(), STRONG);
        let label = self.lines(&label, SMALL, WIDTH).into_iter().next();
        let letters = label.as_ref().map_or(0.0, |label| label.width * SMALL);
        let width = (letters + 6.0).max(18.0);
        let (x, height) = (MARGIN, 14.0);
        self.layout.put(PageItem::Box { x, y, width, height, fill, edge: Some(edge) });
        let dash = palette::dash(number);
        self.layout.put(PageItem::Rule { x, y: y + height - 2.0, width, colour: edge, dash });
        if let Some(label) = label {
            self.put(label, (x + (width - letters) / 2.0, y + 0.2, WIDTH), SMALL);
        }
    }

    fn text(&mut self, report: &PdfReport) {
        self.heading("Text");
        if !report.before_text.is_empty() {
            self.paragraph(&Paragraph::new(&report.before_text, SOFT), SMALL, MAX_LINES);
            self.layout.y += 5.0;
        }
        let end = report.text.floor_char_boundary(MAX_TEXT);
        let mut paragraphs = Paragraphs::default();
        let mut is_complete = end == report.text.len();
        for (from, to, mark) in marked_ranges(&report.text[..end], &report.marks) {
            let annotation = mark.map(|mark| &report.marks[mark].annotation);
            let (style, mut label) = match annotation {
                None => (PLAIN, None),
                Some(Annotation::Source(number)) => (
                    TextStyle { background: Background::Source(*number), ..PLAIN },
                    Some(number.to_string()),
                ),
                Some(Annotation::Excluded(reason)) => {
                    (TextStyle { background: Background::Excluded, ..SOFT }, Some(reason.clone()))
                }
            };
            for part in report.text[from..to].split_inclusive(is_end) {
                paragraphs.push(part, style, &mut label);
                if part.ends_with(is_end) && !self.flush(&mut paragraphs) {
                    is_complete = false;
                    break;
                }
            }
            if !is_complete && self.is_full() {
                break;
            }
        }
        is_complete &= self.flush(&mut paragraphs);
        if !is_complete {
            self.truncation_note();
        }
    }

    fn is_full(&mut self) -> bool {
        !self.layout.reserve(BODY * LEADING)
    }

    /// Prints the finished paragraph. Consecutive empty ones are merged.
    fn flush(&mut self, paragraphs: &mut Paragraphs) -> bool {
        let paragraph = std::mem::take(&mut paragraphs.open);
        let is_empty = paragraph.text.trim().is_empty();
        let was_empty = std::mem::replace(&mut paragraphs.was_empty, is_empty);
        if is_empty {
            self.layout.space(if was_empty { 0.0 } else { BODY * 0.6 });
            return true;
        }
        self.paragraph(&paragraph, BODY, usize::MAX)
    }

    /// Adds the title above and the page number below each page.
    fn frame(&mut self, report: &PdfReport) {
        let title = self.lines(&Paragraph::new(&report.title, SOFT), 8.0, WIDTH - 12.0);
        let is_cut = title.len() > 1;
        let title = title.into_iter().next();
        let count = self.layout.pages.len();
        for page in 0..count {
            let mut marks = Vec::new();
            if let Some(title) = title.as_ref().filter(|_| page > 0) {
                marks.push((Line { is_rtl: false, ..title.clone() }, MARGIN, 34.0));
                if is_cut {
                    let dots = self.lines(&Paragraph::new("…", SOFT), 8.0, WIDTH);
                    let x = MARGIN + title.width * 8.0;
                    marks.extend(dots.into_iter().map(|dots| (dots, x, 34.0)));
                }
            }
            let below = PAGE.1 - 44.0;
            for (words, is_right) in
                [("textkin", false), (&format!("{} / {count}", page + 1), true)]
            {
                for line in self.lines(&Paragraph::new(words, SOFT), 8.0, WIDTH) {
                    let x = if is_right { MARGIN + WIDTH - line.width * 8.0 } else { MARGIN };
                    marks.push((line, x, below));
                }
            }
            for (line, x, y) in marks {
                let y = y + 8.0;
                self.layout.pages[page].push(PageItem::Text {
                    x,
                    y,
                    size: 8.0,
                    line: Rc::new(line),
                });
            }
            if page > 0 {
                let (colour, dash): (_, &[f32]) = (palette::line(), &[]);
                let rule = PageItem::Rule { x: MARGIN, y: 50.0, width: WIDTH, colour, dash };
                self.layout.pages[page].push(rule);
            }
        }
    }

    /// States that the text was cut. There is always room: a page has margins.
    fn truncation_note(&mut self) {
        let words = "The text is too long to print in full. Download the HTML report for the complete text.";
        self.layout.y += 4.0;
        self.layout.reserve(BODY * LEADING);
        let y = self.layout.y;
        let lines = self.lines(&Paragraph::new(words, STRONG), BODY, WIDTH);
        self.column(lines, (MARGIN, y, WIDTH), BODY);
    }
}

/// Left edge and width of: number, document, share of this text, share of the source, longest match.
const COLUMNS: [(f32, f32); 5] =
    [(0.0, 26.0), (28.0, 216.0), (254.0, 88.0), (350.0, 78.0), (434.0, WIDTH - 434.0)];

#[expect(clippy::cast_precision_loss, reason = "a few lines")]
fn extent(lines: usize, size: f32) -> f32 {
    lines as f32 * size * LEADING
}

fn is_end(character: char) -> bool {
    printed(character) == Some('\n')
}

/// The paragraph that is still growing.
#[derive(Default)]
struct Paragraphs {
    open: Paragraph,
    was_empty: bool,
}

impl Paragraphs {
    /// Appends part of a line. The first part with text takes `label`.
    fn push(&mut self, part: &str, style: TextStyle, label: &mut Option<String>) {
        let text = part.trim_end_matches(is_end);
        self.open.text.extend(text.chars().filter_map(printed));
        let end = self.open.text.len();
        if self.open.spans.last().map_or(0, |last| last.end) < end {
            self.open.spans.push(StyledSpan { end, style, label: label.take() });
        }
    }
}
