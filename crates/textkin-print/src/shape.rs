//! Shapes paragraphs into glyph runs, which are broken only if a word is longer than a line.
//!
//! A run has one typeface, one style and one direction, and lies between two possible line breaks.
//! Widths are in em. Words recur, so shaped runs are cached.
//!
//! `parley` 0.12 in place of this, `line` and most of `font` saves 400 of 1,280 lines. But it compiles
//! a second `skrifa` beside krilla's (a first build takes 58 s more processor time), writes 200 pages
//! of mixed scripts in 1.8 s, not 1.0 s (238 pages of news: 1.1 s, not 0.9 s), and leaves bitmap emoji
//! blank. 0.10 shares `skrifa`, but returns wrong text ranges in paragraphs above 64 KiB.

use std::rc::Rc;

use hashbrown::HashMap;
use unicode_bidi::{BidiClass, BidiInfo, bidi_class};

use crate::font::{BOLD, FontId, Fonts, REGULAR};

/// Maximum bytes of a run: words are shaped as a whole, unless they are very long.
const MAX_BYTES: usize = 256;
/// Runs that are cached: maximum bytes of each, and maximum number.
const CACHED: (usize, usize) = (32, 100_000);

/// Style of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TextStyle {
    pub(crate) is_bold: bool,
    pub(crate) is_soft: bool,
    pub(crate) background: Background,
}

/// Background of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Background {
    #[default]
    None,
    /// The colour of the source with this number.
    Source(usize),
    /// Grey: excluded.
    Excluded,
}

/// A paragraph: its text, and consecutive styled spans.
#[derive(Clone, Debug, Default)]
pub(crate) struct Paragraph {
    pub(crate) text: String,
    pub(crate) spans: Vec<StyledSpan>,
}

/// A styled span of a paragraph, with an optional label before it.
#[derive(Clone, Debug)]
pub(crate) struct StyledSpan {
    pub(crate) end: usize,
    pub(crate) style: TextStyle,
    pub(crate) label: Option<String>,
}

impl Paragraph {
    /// A paragraph with one style.
    pub(crate) fn new(text: &str, style: TextStyle) -> Self {
        let mut paragraph = Self::default();
        paragraph.push(text, style);
        paragraph
    }

    /// Appends text; line breaks become spaces.
    pub(crate) fn push(&mut self, text: &str, style: TextStyle) {
        for character in text.chars() {
            match printed(character) {
                Some('\n') => self.text.push(' '),
                Some(character) => self.text.push(character),
                None => {}
            }
        }
        self.spans.push(StyledSpan { end: self.text.len(), style, label: None });
    }
}

/// The character that is printed for `character`, if any. Control and direction characters become
/// visible, as on the pages.
pub(crate) fn printed(character: char) -> Option<char> {
    match character {
        '\r' => None,
        '\n' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\t' => Some('\u{2003}'),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => Some('\u{fffd}'),
        _ if character.is_control() => Some('\u{fffd}'),
        _ => Some(character),
    }
}

/// A glyph, with the byte range it stands for, relative to the start of its run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Glyph {
    pub(crate) id: u32,
    pub(crate) advance: f32,
    pub(crate) dx: f32,
    pub(crate) dy: f32,
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// A run of glyphs.
#[derive(Clone, Debug)]
pub(crate) struct GlyphRun {
    /// Start of the shaped text: glyph ranges are relative to it.
    pub(crate) base: usize,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) font: FontId,
    pub(crate) level: u8,
    pub(crate) style: TextStyle,
    /// Whether a line may break before it.
    pub(crate) is_breakable: bool,
    /// In visual order.
    pub(crate) glyphs: Rc<[Glyph]>,
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Width with label and trailing spaces.
    pub(crate) width: f32,
    /// Width of the trailing spaces.
    pub(crate) space: f32,
    pub(crate) label: Option<Label>,
}

impl GlyphRun {
    pub(crate) fn is_rtl(&self) -> bool {
        self.level % 2 == 1
    }

    pub(crate) fn glyphs(&self) -> &[Glyph] {
        &self.glyphs[self.from..self.to]
    }
}

/// A label before a passage: a number or a reason, in small type on a background.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) text: Rc<str>,
    pub(crate) font: FontId,
    pub(crate) glyphs: Rc<[Glyph]>,
    /// Width of its text.
    pub(crate) letters: f32,
}

impl Label {
    /// Font size relative to the text.
    pub(crate) const SIZE: f32 = 0.74;
    /// Padding before and after its text.
    pub(crate) const PAD: f32 = 0.25;
    /// Gap between label and text.
    pub(crate) const GAP: f32 = 0.32;

    pub(crate) fn background_width(&self) -> f32 {
        self.letters + 2.0 * Self::PAD
    }

    pub(crate) fn width(&self) -> f32 {
        self.background_width() + Self::GAP
    }
}

/// Shapes text, with a cache.
#[derive(Default)]
pub(crate) struct Shaper {
    cache: HashMap<(FontId, bool, Box<str>), Rc<[Glyph]>>,
}

impl Shaper {
    /// Returns the runs of a paragraph in text order, and whether it runs from right to left.
    pub(crate) fn runs(
        &mut self,
        fonts: &mut Fonts,
        paragraph: &Paragraph,
    ) -> (Vec<GlyphRun>, bool) {
        let text = paragraph.text.as_str();
        let order = is_mixed(text).then(|| BidiInfo::new(text, None));
        let is_rtl = order.as_ref().is_some_and(|order| {
            order.paragraphs.first().is_some_and(|paragraph| paragraph.level.is_rtl())
        });
        let level = |at: usize| order.as_ref().map_or(0, |order| order.levels[at].number());
        let mut breaks = unicode_linebreak::linebreaks(text).map(|(at, _)| at).peekable();
        let mut runs: Vec<GlyphRun> = Vec::new();
        let mut part = 0;
        let mut open: Option<OpenRun> = None;
        for (at, character) in text.char_indices() {
            while paragraph.spans.get(part).is_some_and(|part| part.end <= at) {
                part += 1;
            }
            while breaks.peek().is_some_and(|position| *position < at) {
                breaks.next();
            }
            let is_breakable = at == 0 || breaks.peek() == Some(&at);
            let style = paragraph.spans.get(part).map(|part| part.style).unwrap_or_default();
            let preferred = if style.is_bold { BOLD } else { REGULAR };
            let font = match &open {
                Some(open) if is_combining(character) => open.font,
                _ => fonts.for_character(character, preferred),
            };
            let next = OpenRun { start: at, font, level: level(at), part, style, is_breakable };
            let continues = open.as_ref().is_some_and(|open| {
                let is_short = at - open.start < MAX_BYTES || is_combining(character);
                !is_breakable && is_short && open.is_same_kind(&next)
            });
            if !continues && let Some(open) = open.replace(next) {
                runs.push(self.run(fonts, paragraph, &open, at, &runs));
            }
        }
        if let Some(open) = open {
            runs.push(self.run(fonts, paragraph, &open, text.len(), &runs));
        }
        (runs, is_rtl)
    }

    fn run(
        &mut self,
        fonts: &mut Fonts,
        paragraph: &Paragraph,
        open: &OpenRun,
        end: usize,
        before: &[GlyphRun],
    ) -> GlyphRun {
        let text = &paragraph.text[open.start..end];
        let is_rtl = open.level % 2 == 1;
        let glyphs = self.glyphs(fonts, open.font, is_rtl, text);
        let is_first = before.last().is_none_or(|last| {
            let part = open.part.checked_sub(1).and_then(|part| paragraph.spans.get(part));
            part.is_some_and(|part| last.end <= part.end)
        });
        let label = paragraph.spans.get(open.part).and_then(|part| part.label.as_deref());
        let label = label.filter(|_| is_first).map(|label| self.label(fonts, label));
        let letters = text.trim_end_matches(char::is_whitespace).len();
        let is_space = |glyph: &&Glyph| glyph.start as usize >= letters;
        let space = glyphs.iter().filter(is_space).map(|glyph| glyph.advance).sum();
        let width: f32 = glyphs.iter().map(|glyph| glyph.advance).sum();
        GlyphRun {
            base: open.start,
            start: open.start,
            end,
            font: open.font,
            level: open.level,
            style: open.style,
            is_breakable: open.is_breakable,
            from: 0,
            to: glyphs.len(),
            glyphs,
            width: width + label.as_ref().map_or(0.0, Label::width),
            space,
            label,
        }
    }

    fn label(&mut self, fonts: &mut Fonts, text: &str) -> Label {
        let text: String = text.chars().filter_map(printed).take(40).collect();
        let font = text.chars().next().map_or(BOLD, |first| fonts.for_character(first, BOLD));
        let glyphs = self.glyphs(fonts, font, false, &text);
        let letters = glyphs.iter().map(|glyph| glyph.advance).sum::<f32>() * Label::SIZE;
        Label { text: text.into(), font, glyphs, letters }
    }

    fn glyphs(&mut self, fonts: &Fonts, font: FontId, is_rtl: bool, text: &str) -> Rc<[Glyph]> {
        let is_short = text.len() <= CACHED.0;
        if !is_short || self.cache.len() >= CACHED.1 {
            return shape(fonts, font, is_rtl, text);
        }
        let key = (font, is_rtl, text.into());
        let shaped = self.cache.entry(key).or_insert_with(|| shape(fonts, font, is_rtl, text));
        Rc::clone(shaped)
    }
}

/// A run that is still growing.
struct OpenRun {
    start: usize,
    font: FontId,
    level: u8,
    part: usize,
    style: TextStyle,
    is_breakable: bool,
}

impl OpenRun {
    fn is_same_kind(&self, other: &Self) -> bool {
        (self.font, self.level, self.part) == (other.font, other.level, other.part)
    }
}

/// Whether a character combines with the previous one and must use its typeface.
fn is_combining(character: char) -> bool {
    matches!(u32::from(character),
        0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5bd | 0x610..=0x61a | 0x64b..=0x65f | 0x1ab0..=0x1aff
        | 0x1dc0..=0x1dff | 0x200b..=0x200f | 0x20d0..=0x20ff | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f
        | 0x1f3fb..=0x1f3ff | 0xe0100..=0xe01ef)
}

/// Whether any character runs from right to left.
fn is_mixed(text: &str) -> bool {
    let is_right_to_left =
        |character| matches!(bidi_class(character), BidiClass::R | BidiClass::AL | BidiClass::AN);
    !text.is_ascii() && text.chars().any(is_right_to_left)
}

fn shape(fonts: &Fonts, font: FontId, is_rtl: bool, text: &str) -> Rc<[Glyph]> {
    let face = &fonts.face(font).shaper;
    let mut buffer = rustybuzz::UnicodeBuffer::new();
    buffer.push_str(text);
    buffer.guess_segment_properties();
    buffer.set_direction(match is_rtl {
        true => rustybuzz::Direction::RightToLeft,
        false => rustybuzz::Direction::LeftToRight,
    });
    let shaped = rustybuzz::shape(face, &[], buffer);
    #[expect(clippy::cast_precision_loss, reason = "units of a typeface are small numbers")]
    let em = |units: i32| units as f32 / face.units_per_em().max(1) as f32;
    let infos = shaped.glyph_infos();
    let mut starts: Vec<u32> = infos.iter().map(|info| info.cluster).collect();
    starts.sort_unstable();
    starts.dedup();
    let end = |start: u32| {
        let after = starts.partition_point(|other| *other <= start);
        starts.get(after).copied().unwrap_or_else(|| u32::try_from(text.len()).unwrap_or(u32::MAX))
    };
    let glyph = |(info, position): (&rustybuzz::GlyphInfo, &rustybuzz::GlyphPosition)| Glyph {
        id: info.glyph_id,
        advance: em(position.x_advance),
        dx: em(position.x_offset),
        dy: em(position.y_offset),
        start: info.cluster,
        end: end(info.cluster),
    };
    infos.iter().zip(shaped.glyph_positions()).map(glyph).collect()
}
