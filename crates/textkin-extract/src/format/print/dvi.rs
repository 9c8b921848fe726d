//! DVI: the output of TeX, a program of characters and movements.
//!
//! Fonts are named but not included, so the widths of characters are estimates: a movement to the right of a fifth of
//! the font size is a space, one down by most of it a new line, one by more than a line a new paragraph. Words divided
//! at a line end are joined. Text fonts have TeX's encodings; of symbol fonts, letters are read.

use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind, Note};

use super::typesetting::encoding::Encoding;

/// The first bytes of a DVI file: its version and the size of its unit.
pub(crate) const BEGINNING: &[u8] = b"\xf7\x02\x01\x83\x92\xc0\x1c\x3b\x00\x00";

/// Maximum number of saved positions; a file with more is corrupt or hostile.
const MAX_STACK: usize = 1 << 16;

/// Reads DVI.
pub(crate) struct Dvi;

impl Extractor for Dvi {
    fn kind(&self) -> FileKind {
        FileKind::Dvi
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let mut reader = Reader {
            rest: bytes,
            writer: context.writer(),
            position: Position::default(),
            stack: Vec::new(),
            fonts: Vec::new(),
            font: Font::default(),
            last: None,
            word: String::new(),
        };
        let is_complete = reader.run()?;
        reader.end_word()?;
        let note = Note::Incomplete { reason: "the file ends inside a page".to_owned() };
        let notes = if is_complete { Vec::new() } else { vec![note] };
        let text = reader.writer.finish();
        context.document(ExtractedDocument { text, notes, ..ExtractedDocument::default() })
    }
}

/// The registers of a DVI program.
#[derive(Clone, Copy, Debug, Default)]
struct Position {
    h: i64,
    v: i64,
    w: i64,
    x: i64,
    y: i64,
    z: i64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Font {
    number: u32,
    /// Size in the unit of positions.
    size: i64,
    encoding: FontEncoding,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FontEncoding {
    #[default]
    Text,
    /// Letters of formulas.
    Letters,
    /// Symbols, none of which is read.
    Symbols,
}

struct Reader<'a> {
    rest: &'a [u8],
    writer: TextWriter,
    position: Position,
    stack: Vec<Position>,
    fonts: Vec<Font>,
    font: Font,
    /// Where the last character ended, about, and its line.
    last: Option<(i64, i64)>,
    word: String,
}

impl Reader<'_> {
    /// Runs the program; returns whether it was complete.
    fn run(&mut self) -> Result<bool, Error> {
        loop {
            self.writer.tick()?;
            match self.step()? {
                Some(Step::Next) => {}
                Some(Step::End) => return Ok(true),
                None => return Ok(false),
            }
        }
    }

    /// Carries out one command; returns `None` at the end of a truncated file.
    fn step(&mut self) -> Result<Option<Step>, Error> {
        let Some(code) = self.byte() else { return Ok(None) };
        let done = match code {
            0..=127 => self.character(u32::from(code), true)?,
            128..=131 => match self.unsigned(code - 127) {
                Some(character) => self.character(character, true)?,
                None => None,
            },
            133..=136 => match self.unsigned(code - 132) {
                Some(character) => self.character(character, false)?,
                None => None,
            },
            132 | 137 => self.skip(8),
            138 => Some(()),
            139 => {
                self.position = Position::default();
                self.stack.clear();
                self.last = None;
                self.end_word()?;
                self.writer.paragraph();
                self.skip(44)
            }
            140 => Some(()),
            141 if self.stack.len() < MAX_STACK => {
                self.stack.push(self.position);
                Some(())
            }
            142 => self.stack.pop().map(|position| self.position = position),
            _ => self.movement_or_font(code),
        };
        Ok(match (done, code) {
            (_, 248) => Some(Step::End),
            (done, _) => done.map(|()| Step::Next),
        })
    }

    fn movement_or_font(&mut self, code: u8) -> Option<()> {
        let saturating = |value: &mut i64, by: i64| *value = value.saturating_add(by);
        match code {
            143..=146 => {
                let by = self.signed(code - 142)?;
                saturating(&mut self.position.h, by);
            }
            147..=151 => {
                if code > 147 {
                    self.position.w = self.signed(code - 147)?;
                }
                let by = self.position.w;
                saturating(&mut self.position.h, by);
            }
            152..=156 => {
                if code > 152 {
                    self.position.x = self.signed(code - 152)?;
                }
                let by = self.position.x;
                saturating(&mut self.position.h, by);
            }
            157..=160 => {
                let by = self.signed(code - 156)?;
                saturating(&mut self.position.v, by);
            }
            161..=165 => {
                if code > 161 {
                    self.position.y = self.signed(code - 161)?;
                }
                let by = self.position.y;
                saturating(&mut self.position.v, by);
            }
            166..=170 => {
                if code > 166 {
                    self.position.z = self.signed(code - 166)?;
                }
                let by = self.position.z;
                saturating(&mut self.position.v, by);
            }
            171..=234 => self.set_font(u32::from(code - 171)),
            235..=238 => {
                let number = self.unsigned(code - 234)?;
                self.set_font(number);
            }
            239..=242 => {
                let length = self.unsigned(code - 238)?;
                self.skip(length as usize)?;
            }
            243..=246 => self.define_font(code - 242)?,
            247 => {
                self.skip(13)?;
                let length = self.byte()?;
                self.skip(usize::from(length))?;
            }
            _ => return None,
        }
        Some(())
    }

    fn set_font(&mut self, number: u32) {
        if let Some(font) = self.fonts.iter().find(|font| font.number == number) {
            self.font = *font;
        }
    }

    fn define_font(&mut self, n_bytes: u8) -> Option<()> {
        let number = self.unsigned(n_bytes)?;
        self.skip(4)?;
        let size = self.signed(4)?;
        self.skip(4)?;
        let length = usize::from(self.byte()?) + usize::from(self.byte()?);
        let (name, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        let begins = |names: &[&str]| names.iter().any(|begin| name.starts_with(begin.as_bytes()));
        let encoding = if begins(&["cmmi", "cmmib", "eurm"]) {
            FontEncoding::Letters
        } else if begins(&["cmsy", "cmex", "cmbsy", "msam", "msbm", "line", "lcircle", "eusm"]) {
            FontEncoding::Symbols
        } else {
            FontEncoding::Text
        };
        // A font may be defined again, in the same way.
        self.fonts.retain(|font| font.number != number);
        self.fonts.push(Font { number, size, encoding });
        Some(())
    }

    /// Appends a character at the current position, after a space or a line end if it is that far from the last one.
    fn character(&mut self, code: u32, moves: bool) -> Result<Option<()>, Error> {
        let size = self.font.size.max(1);
        let text = u8::try_from(code).ok().and_then(|code| match self.font.encoding {
            FontEncoding::Text => Encoding::Tex.text(code),
            FontEncoding::Letters if code.is_ascii_alphabetic() => Encoding::Tex.text(code),
            FontEncoding::Letters | FontEncoding::Symbols => None,
        });
        let Position { h, v, .. } = self.position;
        let end = h.saturating_add(width(text.unwrap_or("n"), size));
        if let Some(text) = text {
            match self.last {
                Some((_, line)) if (v - line).abs() * 10 > size * 8 => {
                    let is_divided = self.word.ends_with('-')
                        && self.word.len() > 1
                        && text.starts_with(char::is_lowercase)
                        && (v - line).abs() * 10 < size * 19;
                    if is_divided {
                        self.word.pop();
                    } else {
                        self.end_word()?;
                        match (v - line).abs() * 10 < size * 19 {
                            true => self.writer.line(),
                            false => self.writer.paragraph(),
                        }
                    }
                }
                Some((last, _)) if (h - last) * 10 > size * 2 || h < last - 2 * size => {
                    self.end_word()?;
                    self.writer.space();
                }
                _ => {}
            }
            self.word.push_str(text);
            self.last = Some((end, v));
        }
        if moves {
            self.position.h = end;
        }
        Ok(Some(()))
    }

    fn end_word(&mut self) -> Result<(), Error> {
        let word = std::mem::take(&mut self.word);
        self.writer.push(&word)
    }

    fn byte(&mut self) -> Option<u8> {
        let (byte, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*byte)
    }

    fn skip(&mut self, n: usize) -> Option<()> {
        self.rest = self.rest.get(n..)?;
        Some(())
    }

    fn unsigned(&mut self, n_bytes: u8) -> Option<u32> {
        let (bytes, rest) = self.rest.split_at_checked(usize::from(n_bytes))?;
        self.rest = rest;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | u32::from(*byte)))
    }

    fn signed(&mut self, n_bytes: u8) -> Option<i64> {
        let number = i64::from(self.unsigned(n_bytes)?);
        let sign = 1_i64 << (8 * u32::from(n_bytes) - 1);
        Some(if number >= sign { number - 2 * sign } else { number })
    }
}

enum Step {
    Next,
    End,
}

/// Estimates the width of `text` in a font of this size.
fn width(text: &str, size: i64) -> i64 {
    let per_mille = |character: char| match character {
        'i' | 'l' | 'j' | '.' | ',' | ';' | ':' | '\'' | '’' | '‘' | '!' | '|' => 278,
        'f' | 't' | 'r' | 's' | '(' | ')' | '[' | ']' | '-' | ' ' => 390,
        'm' | 'M' | 'W' | '—' => 870,
        'w' => 722,
        'A'..='Z' => 700,
        _ => 500,
    };
    text.chars().map(per_mille).sum::<i64>() * size / 1000
}
