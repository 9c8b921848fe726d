//! Rich text format.
//!
//! Open groups are a list, each with its settings: the code page of its font, the destination of its
//! text, whether it is hidden. Bytes are collected and decoded by the code page of the font, because
//! a two-byte character may be written as two escapes.

use std::collections::HashMap;

use encoding_rs::Encoding;

use crate::hidden::HiddenText;
use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind, Note, encoding};

/// Maximum nesting of groups; a document with more is corrupt or hostile.
const MAX_GROUPS: usize = 1 << 20;

/// Maximum length of a title.
const MAX_TITLE_BYTES: usize = 4000;

/// Reads rich text.
pub(crate) struct Rtf;

impl Extractor for Rtf {
    fn kind(&self) -> FileKind {
        FileKind::Rtf
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let document = read(bytes, context.writer(), context.options().keep_hidden)?;
        encoding::check_controls(document.text.as_bytes(), encoding::Decoding::Other)?;
        context.document(document)
    }
}

fn read(bytes: &[u8], writer: TextWriter, keep_hidden: bool) -> Result<ExtractedDocument, Error> {
    let mut reader = Reader {
        rest: bytes,
        writer,
        pending: Vec::new(),
        groups: Vec::new(),
        state: State::default(),
        page: encoding_rs::WINDOWS_1252,
        default_font: 0,
        fonts: HashMap::new(),
        font: 0,
        colors: Vec::new(),
        color: Color::default(),
        title: String::new(),
        time: [None; 5],
        n_to_skip: 0,
        high_surrogate: None,
        hidden: HiddenText::default(),
        keep_hidden,
    };
    reader.run()?;
    let mut notes = reader.hidden.notes();
    if !reader.groups.is_empty() {
        notes.push(Note::Incomplete { reason: "the file ends inside a group".to_owned() });
    }
    let title = reader.title.trim().to_owned();
    Ok(ExtractedDocument {
        text: reader.writer.finish(),
        title: (!title.is_empty()).then_some(title),
        time: time(reader.time),
        notes,
        ..ExtractedDocument::default()
    })
}

/// The destination of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Destination {
    #[default]
    Text,
    Title,
    Fonts,
    Colors,
    Time,
    Skipped,
}

/// The settings of a group.
#[derive(Clone, Copy, Debug)]
struct State {
    destination: Destination,
    /// Number of fallback characters after each `\u`.
    n_fallback: usize,
    encoding: Option<&'static Encoding>,
    is_hidden: bool,
    color: usize,
    has_background: bool,
    in_table: bool,
}

impl Default for State {
    fn default() -> Self {
        Self {
            destination: Destination::Text,
            n_fallback: 1,
            encoding: None,
            is_hidden: false,
            color: 0,
            has_background: false,
            in_table: false,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Color {
    red: i32,
    green: i32,
    blue: i32,
    is_set: bool,
}

struct Reader<'a> {
    rest: &'a [u8],
    writer: TextWriter,
    /// Bytes not decoded yet.
    pending: Vec<u8>,
    groups: Vec<State>,
    state: State,
    page: &'static Encoding,
    default_font: i32,
    fonts: HashMap<i32, &'static Encoding>,
    /// The current font of the font table.
    font: i32,
    colors: Vec<bool>,
    color: Color,
    title: String,
    time: [Option<i32>; 5],
    n_to_skip: usize,
    high_surrogate: Option<u16>,
    hidden: HiddenText,
    keep_hidden: bool,
}

impl Reader<'_> {
    fn run(&mut self) -> Result<(), Error> {
        while let [byte, after @ ..] = self.rest {
            self.rest = after;
            match byte {
                b'{' => {
                    self.flush()?;
                    self.n_to_skip = 0;
                    if self.groups.len() >= MAX_GROUPS {
                        return Err(Error::TooDeep { limit: MAX_GROUPS });
                    }
                    self.groups.push(self.state);
                }
                b'}' => {
                    self.flush()?;
                    self.n_to_skip = 0;
                    if let Some(state) = self.groups.pop() {
                        self.state = state;
                    }
                    if self.groups.is_empty() {
                        return Ok(());
                    }
                }
                b'\\' => self.control()?,
                b'\r' | b'\n' => {}
                b';' if self.state.destination == Destination::Colors => self.color_ends(),
                _ => {
                    if self.n_to_skip > 0 {
                        self.n_to_skip -= 1;
                    } else {
                        self.byte(*byte);
                    }
                }
            }
            self.writer.tick()?;
        }
        self.flush()
    }

    fn byte(&mut self, byte: u8) {
        if matches!(self.state.destination, Destination::Text | Destination::Title) {
            self.pending.push(byte);
        }
    }

    /// Decodes and writes the pending bytes.
    fn flush(&mut self) -> Result<(), Error> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let pending = std::mem::take(&mut self.pending);
        let encoding = self.state.encoding.unwrap_or(self.page);
        let text = encoding.decode_without_bom_handling(&pending).0;
        let result = self.text(&text);
        self.pending = pending;
        self.pending.clear();
        result
    }

    fn text(&mut self, text: &str) -> Result<(), Error> {
        match self.state.destination {
            Destination::Title if self.title.len() < MAX_TITLE_BYTES => self.title.push_str(text),
            Destination::Text => {
                let is_white = self.colors.get(self.state.color) == Some(&true);
                let is_invisible = is_white && !self.state.has_background && !self.state.in_table;
                let how = if self.state.is_hidden {
                    Some("formatted as hidden")
                } else {
                    is_invisible.then_some("white on white")
                };
                if let Some(how) = how {
                    self.hidden.add(how, text);
                    if !self.keep_hidden {
                        return Ok(());
                    }
                }
                self.writer.push(text)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads a control word or symbol after a backslash.
    fn control(&mut self) -> Result<(), Error> {
        let Some((&first, after)) = self.rest.split_first() else { return Ok(()) };
        if !first.is_ascii_alphabetic() {
            self.rest = after;
            return self.symbol(first);
        }
        let n_letters =
            self.rest.iter().take(32).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let (name, rest) = self.rest.split_at(n_letters);
        let n_sign = usize::from(rest.first() == Some(&b'-'));
        let digits = rest.get(n_sign..).unwrap_or_default();
        let n_digits = digits.iter().take(10).take_while(|byte| byte.is_ascii_digit()).count();
        let (value, n_value) = if n_digits == 0 {
            (None, 0)
        } else {
            let number = rest.get(..n_sign + n_digits).and_then(|n| std::str::from_utf8(n).ok());
            (number.and_then(|number| number.parse::<i32>().ok()), n_sign + n_digits)
        };
        let rest = rest.get(n_value..).unwrap_or_default();
        self.rest = rest.strip_prefix(b" ").unwrap_or(rest);
        self.word(name, value)
    }

    fn symbol(&mut self, symbol: u8) -> Result<(), Error> {
        match symbol {
            b'\'' => {
                let digits = self.rest.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
                let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())
                else {
                    return Ok(());
                };
                self.rest = self.rest.get(2..).unwrap_or_default();
                if self.n_to_skip > 0 {
                    self.n_to_skip -= 1;
                } else {
                    self.byte(byte);
                }
                Ok(())
            }
            b'\\' | b'{' | b'}' => {
                if self.n_to_skip > 0 {
                    self.n_to_skip -= 1;
                } else {
                    self.byte(symbol);
                }
                Ok(())
            }
            b'~' => self.character(' '),
            b'_' => self.character('-'),
            b'-' => Ok(()),
            b'\r' | b'\n' => self.break_paragraph(),
            b'*' => {
                self.flush()?;
                // Optional destinations are not text, except the ones below.
                let known: [&[u8]; 3] = [b"\\shptxt", b"\\upr", b"\\ud"];
                if !known.iter().any(|word| self.rest.starts_with(word)) {
                    self.state.destination = Destination::Skipped;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn character(&mut self, character: char) -> Result<(), Error> {
        self.flush()?;
        self.text(character.encode_utf8(&mut [0; 4]))
    }

    fn break_paragraph(&mut self) -> Result<(), Error> {
        self.flush()?;
        if self.state.destination == Destination::Text {
            self.writer.paragraph();
        }
        Ok(())
    }

    fn break_line(&mut self) -> Result<(), Error> {
        self.flush()?;
        if self.state.destination == Destination::Text {
            self.writer.line();
        }
        Ok(())
    }

    /// Applies a control word; writes pending text first, since the word may change its decoding.
    fn word(&mut self, name: &[u8], value: Option<i32>) -> Result<(), Error> {
        if name == b"u" {
            self.flush()?;
            return self.unicode(value.unwrap_or_default());
        }
        self.flush()?;
        let number = value.unwrap_or_default();
        let is_on = value != Some(0);
        match name {
            b"par" | b"sect" | b"page" | b"column" => self.break_paragraph()?,
            b"line" | b"cell" | b"nestcell" | b"row" | b"nestrow" | b"softline" => {
                self.break_line()?
            }
            b"tab" => self.character(' ')?,
            b"emdash" => self.character('—')?,
            b"endash" => self.character('–')?,
            b"lquote" => self.character('‘')?,
            b"rquote" => self.character('’')?,
            b"ldblquote" => self.character('“')?,
            b"rdblquote" => self.character('”')?,
            b"bullet" => self.character('•')?,
            b"emspace" | b"enspace" | b"qmspace" => self.character(' ')?,
            b"uc" => self.state.n_fallback = usize::try_from(number).unwrap_or(1).min(100),
            b"ansicpg" => {
                if let Some(encoding) = code_page(number) {
                    self.page = encoding;
                }
            }
            b"mac" => self.page = encoding_rs::MACINTOSH,
            b"deff" => self.default_font = number,
            b"f" => {
                if self.state.destination == Destination::Fonts {
                    self.font = number;
                } else {
                    self.state.encoding = self.fonts.get(&number).copied();
                }
            }
            b"fcharset" | b"cpg" if self.state.destination == Destination::Fonts => {
                let encoding = if name == b"cpg" { code_page(number) } else { charset(number) };
                if let Some(encoding) = encoding {
                    self.fonts.insert(self.font, encoding);
                }
            }
            b"plain" => {
                self.state.is_hidden = false;
                self.state.color = 0;
                self.state.has_background = false;
                self.state.encoding = self.fonts.get(&self.default_font).copied();
            }
            b"pard" => self.state.in_table = false,
            b"intbl" => self.state.in_table = is_on,
            b"v" => self.state.is_hidden = is_on,
            b"cf" => self.state.color = usize::try_from(number).unwrap_or_default(),
            b"highlight" | b"cb" | b"chcbpat" | b"cbpat" => self.state.has_background = number != 0,
            b"red" => self.color = Color { red: number, is_set: true, ..self.color },
            b"green" => self.color = Color { green: number, is_set: true, ..self.color },
            b"blue" => self.color = Color { blue: number, is_set: true, ..self.color },
            b"bin" => {
                let n_bytes = usize::try_from(number).unwrap_or_default();
                self.rest = self.rest.get(n_bytes..).unwrap_or_default();
            }
            b"fonttbl" => self.enter(Destination::Fonts),
            b"colortbl" => self.enter(Destination::Colors),
            b"title" => self.enter_info(Destination::Title),
            b"revtim" | b"creatim" if self.time[0].is_none() || name == b"revtim" => {
                self.time = [None; 5];
                self.enter_info(Destination::Time);
            }
            b"yr" | b"mo" | b"dy" | b"hr" | b"min"
                if self.state.destination == Destination::Time =>
            {
                let field =
                    [&b"yr"[..], b"mo", b"dy", b"hr", b"min"].iter().position(|n| *n == name);
                if let Some(slot) = field.and_then(|field| self.time.get_mut(field)) {
                    *slot = value;
                }
            }
            b"stylesheet"
            | b"pict"
            | b"info"
            | b"fldinst"
            | b"object"
            | b"objdata"
            | b"author"
            | b"operator"
            | b"company"
            | b"subject"
            | b"keywords"
            | b"doccomm"
            | b"comment"
            | b"manager"
            | b"category"
            | b"listtable"
            | b"listoverridetable"
            | b"revtbl"
            | b"rsidtbl"
            | b"generator"
            | b"themedata"
            | b"colorschememapping"
            | b"datastore"
            | b"latentstyles"
            | b"xe"
            | b"tc"
            | b"bkmkstart"
            | b"bkmkend"
            | b"filetbl"
            | b"annotation"
            | b"atnid"
            | b"atnauthor"
            | b"template"
            | b"private"
            | b"listtext"
            | b"pntext"
            | b"hlinkbase"
            | b"deleted" => self.enter(Destination::Skipped),
            b"footnote" | b"header" | b"headerl" | b"headerr" | b"headerf" | b"footer"
            | b"footerl" | b"footerr" | b"footerf"
                if self.state.destination == Destination::Text =>
            {
                self.writer.paragraph();
            }
            _ => {}
        }
        Ok(())
    }

    fn enter(&mut self, destination: Destination) {
        if self.state.destination != Destination::Skipped || destination == Destination::Skipped {
            self.state.destination = destination;
        }
    }

    /// Enters a property of the document information, which is not text otherwise.
    fn enter_info(&mut self, destination: Destination) {
        if self.groups.len() <= 3 {
            self.state.destination = destination;
        }
    }

    fn color_ends(&mut self) {
        let color = std::mem::take(&mut self.color);
        let is_white = color.is_set && [color.red, color.green, color.blue] == [255; 3];
        if self.colors.len() < 1 << 16 {
            self.colors.push(is_white);
        }
    }

    /// Writes a character by its UTF-16 code and skips its fallback.
    fn unicode(&mut self, value: i32) -> Result<(), Error> {
        self.n_to_skip = self.state.n_fallback;
        let unit = u16::try_from(value & 0xffff).unwrap_or_default();
        let units = match (self.high_surrogate.take(), unit) {
            (Some(high), 0xdc00..=0xdfff) => vec![high, unit],
            (_, 0xd800..=0xdbff) => {
                self.high_surrogate = Some(unit);
                return Ok(());
            }
            _ => vec![unit],
        };
        let text = String::from_utf16_lossy(&units);
        self.text(&text)
    }
}

/// Formats the time as ISO 8601.
fn time(parts: [Option<i32>; 5]) -> Option<String> {
    let [year, month, day, hour, minute] = parts;
    let (year, month, day) = (year?, month?, day?);
    let is_date =
        (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=31).contains(&day);
    if !is_date {
        return None;
    }
    let (hour, minute) = (hour.unwrap_or_default(), minute.unwrap_or_default());
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:00"))
}

/// Returns the encoding of a Windows code page.
fn code_page(number: i32) -> Option<&'static Encoding> {
    let label = match number {
        874 => "windows-874",
        932 => "shift_jis",
        936 => "gbk",
        949 => "euc-kr",
        950 => "big5",
        10000 => "macintosh",
        65001 => "utf-8",
        866 => "ibm866",
        20866 => "koi8-r",
        1250..=1258 => return Encoding::for_label(format!("windows-{number}").as_bytes()),
        _ => return None,
    };
    Encoding::for_label(label.as_bytes())
}

/// Returns the encoding of a font character set.
fn charset(number: i32) -> Option<&'static Encoding> {
    code_page(match number {
        0 => 1252,
        77 => 10000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExtractLimits;
    use proptest::prelude::*;

    fn document(source: &[u8]) -> ExtractedDocument {
        let limits = ExtractLimits::default();
        read(source, TextWriter::new(&limits, limits.max_text_bytes), false).unwrap()
    }

    #[test]
    fn text_is_found_among_tables_and_pictures() {
        let source = br"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss Arial;}{\f1\fcharset204 Arial Cyr;}}
{\colortbl;\red255\green255\blue255;}{\stylesheet{\s0 Normal;}}
{\info{\title A Title}{\author Nobody}{\revtim\yr2024\mo2\dy3\hr4\min5}}
{\pict\wmetafile8 0100090000032a}\pard Caf\'e9 {\b bo}ld\par
{\f1\'cf\'f0\'e8\'e2\'e5\'f2} \u8364?uro {\*\bkmkstart x}\u-10179?\u-8704?\par
{\field{\*\fldinst HYPERLINK x}{\fldrslt link}} {\v hidden}{\cf1 white} a\cell b\cell\row}";
        let document = document(source);
        assert_eq!(document.text, "Café bold\n\nПривет €uro 😀\n\nlink a\nb");
        assert_eq!(document.title.as_deref(), Some("A Title"));
        assert_eq!(document.time.as_deref(), Some("2024-02-03T04:05:00"));
        assert_eq!(document.notes.len(), 2);
    }

    #[test]
    fn two_byte_characters_are_decoded() {
        let source = br"{\rtf1\ansicpg932{\fonttbl{\f0\fcharset128 MS;}}\f0 \'93\'fa\'96\'7b}";
        assert_eq!(document(source).text, "日本");
    }

    #[test]
    fn deep_groups_need_no_stack() {
        let source = [b"{\\rtf1 a".as_slice(), &b"{".repeat(100_000), b"b"].concat();
        assert_eq!(document(&source).text, "ab");
    }

    proptest! {
        #[test]
        fn every_source_terminates(source in "\\{\\\\rtf1([{}a;\n]|\\\\(u8364|'e9|bin5|fonttbl|f1|uc0|par|\\*|info|title|cf1|v)? ?){0,60}") {
            document(source.as_bytes());
        }

        #[test]
        fn any_bytes_terminate(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            document(&bytes);
        }
    }
}
