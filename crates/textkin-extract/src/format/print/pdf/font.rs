//! Fonts: the text and the width of every code.
//!
//! The text of a code comes from the document (`ToUnicode`), else from glyph names (`Encoding`), else
//! from the font program, else from the default encoding.

use std::collections::HashMap;

use lopdf::{Dictionary, Object};

use super::cmap::CMap;
use super::program;
use super::stream::{PdfFile, data, resolved};
use crate::format::print::typesetting::encoding::Encoding;
use crate::format::print::typesetting::glyph::text_of_name;
use crate::format::print::typesetting::width::standard_width;

/// Maximum glyphs in a table of widths.
const MAX_WIDTHS: usize = 200_000;

/// A font of a page.
#[derive(Debug)]
pub(super) struct Font {
    to_text: Option<CMap>,
    codes: Codes,
    widths: HashMap<u32, f64>,
    default_width: f64,
    /// Size of letters relative to the font size: 1 except in Type 3 fonts.
    pub(super) scale: f64,
    pub(super) is_vertical: bool,
}

/// How strings are split into codes, with the fallback text of a code.
#[derive(Debug)]
enum Codes {
    /// One byte each.
    Bytes(Vec<Option<String>>),
    /// Two bytes each: glyph numbers, with texts from the font program.
    Identity(HashMap<u32, String>),
    /// By a CMap of the document.
    Table(CMap, HashMap<u32, String>),
    /// Text in a legacy encoding.
    Charset(&'static encoding_rs::Encoding),
}

/// One code of a string.
#[derive(Debug)]
pub(super) struct ShownGlyph {
    pub(super) text: String,
    /// Distance to the next glyph, relative to the font size.
    pub(super) width: f64,
    /// Whether it is the single-byte code 32.
    pub(super) is_space: bool,
}

impl Font {
    pub(super) fn read(document: &PdfFile, font: &Dictionary) -> Self {
        let get =
            |key: &[u8]| font.get(key).map_or(&Object::Null, |value| resolved(document, value));
        let to_text = match get(b"ToUnicode") {
            Object::Stream(stream) => Some(CMap::parse(&data(document, stream))),
            _ => None,
        };
        if get(b"Subtype").as_name().is_ok_and(|name| name == b"Type0") {
            return Self::composite(document, font, to_text);
        }
        Self::simple(document, font, to_text)
    }

    fn simple(document: &PdfFile, font: &Dictionary, to_text: Option<CMap>) -> Self {
        let get =
            |key: &[u8]| font.get(key).map_or(&Object::Null, |value| resolved(document, value));
        let is_type3 = get(b"Subtype").as_name().is_ok_and(|name| name == b"Type3");
        let name = get(b"BaseFont").as_name().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        let texts = simple_texts(document, font, &name, is_type3);
        let matrix = match get(b"FontMatrix") {
            Object::Array(numbers) if is_type3 => {
                numbers.first().map_or(0.001, |first| to_float(resolved(document, first)).abs())
            }
            _ => 0.001,
        };
        let first = to_code(get(b"FirstChar")).unwrap_or(0);
        let mut widths = HashMap::new();
        if let Object::Array(list) = get(b"Widths") {
            for (code, width) in (first..).zip(list.iter().take(256)) {
                widths.insert(code, to_float(resolved(document, width)) * matrix);
            }
        } else {
            for (code, text) in (0..).zip(&texts) {
                let text = text.as_deref().unwrap_or(" ");
                widths.insert(code, standard_width(&name, text));
            }
        }
        let missing = descriptor(document, font).and_then(|found| found.get(b"MissingWidth").ok());
        let default_width =
            missing.map_or(0.0, |width| to_float(resolved(document, width)) * matrix);
        let scale = if is_type3 { default_size(&widths) } else { 1.0 };
        let codes = Codes::Bytes(texts);
        Self { to_text, codes, widths, default_width, scale, is_vertical: false }
    }

    fn composite(document: &PdfFile, font: &Dictionary, to_text: Option<CMap>) -> Self {
        let get =
            |key: &[u8]| font.get(key).map_or(&Object::Null, |value| resolved(document, value));
        let below = match get(b"DescendantFonts") {
            Object::Array(fonts) => fonts.first().map(|first| resolved(document, first)),
            other => Some(other),
        };
        let below = below.and_then(|below| below.as_dict().ok());
        let mut is_vertical = false;
        let known = |below: Option<&Dictionary>| match (&to_text, below) {
            // A `ToUnicode` table makes the font program unnecessary.
            (None, Some(below)) => program::texts_of_glyphs(document, below),
            _ => HashMap::new(),
        };
        let codes = match get(b"Encoding") {
            Object::Stream(stream) => {
                let map = CMap::parse(&data(document, stream));
                is_vertical = map.is_vertical;
                if map.has_spaces() {
                    Codes::Table(map, known(below))
                } else {
                    Codes::Identity(known(below))
                }
            }
            Object::Name(name) => {
                is_vertical = name.ends_with(b"-V");
                charset(name).map_or_else(|| Codes::Identity(known(below)), Codes::Charset)
            }
            _ => Codes::Identity(known(below)),
        };
        let mut widths = HashMap::new();
        let mut default_width = 1.0;
        if let Some(below) = below {
            if let Ok(width) = below.get(b"DW") {
                default_width = to_float(resolved(document, width)) * 0.001;
            }
            if let Ok(Object::Array(list)) = below.get(b"W").map(|list| resolved(document, list)) {
                widths = glyph_widths(document, list);
            }
        }
        Self { to_text, codes, widths, default_width, scale: 1.0, is_vertical }
    }

    /// Splits `bytes` into codes and passes each to `show`.
    pub(super) fn show(&self, bytes: &[u8], mut show: impl FnMut(ShownGlyph)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (code, length) = match &self.codes {
                Codes::Bytes(_) => (u32::from(rest[0]), 1),
                Codes::Identity(_) => match rest {
                    [high, low, ..] => (u32::from(*high) << 8 | u32::from(*low), 2),
                    _ => return,
                },
                Codes::Table(map, _) => map.code(rest),
                Codes::Charset(encoding) => charset_code(encoding, rest),
            };
            let glyph = match &self.codes {
                Codes::Table(map, _) => map.glyph(code).unwrap_or(0),
                _ => code,
            };
            let taken = rest.get(..length).unwrap_or(rest);
            let text = self.text(code, glyph, taken);
            let width = if self.is_vertical {
                1.0
            } else {
                self.widths.get(&glyph).copied().unwrap_or(self.default_width)
            };
            show(ShownGlyph { text, width, is_space: length == 1 && code == 32 });
            rest = rest.get(length.max(1)..).unwrap_or_default();
        }
    }

    fn text(&self, code: u32, glyph: u32, bytes: &[u8]) -> String {
        let mapped = self.to_text.as_ref().and_then(|map| map.text(code));
        // Some tables map unknown glyphs to a placeholder.
        let is_useful = |text: &&str| {
            !text.is_empty()
                && !text.contains(|c: char| c == '\u{fffd}' || (c.is_control() && c != '\t'))
        };
        if let Some(text) = mapped.filter(is_useful) {
            return text.to_owned();
        }
        match &self.codes {
            Codes::Bytes(texts) => {
                let text = texts.get(code as usize).and_then(Option::as_deref);
                text.unwrap_or_default().to_owned()
            }
            Codes::Identity(known) => known.get(&glyph).cloned().unwrap_or_default(),
            Codes::Table(_, known) => known.get(&glyph).cloned().unwrap_or_default(),
            Codes::Charset(encoding) => {
                let (text, _) = encoding.decode_without_bom_handling(bytes);
                text.into_owned()
            }
        }
    }
}

/// Returns the texts of the 256 codes of a font, from glyph names and the font program.
fn simple_texts(
    document: &PdfFile,
    font: &Dictionary,
    name: &str,
    is_type3: bool,
) -> Vec<Option<String>> {
    let encoding = font.get(b"Encoding").map_or(&Object::Null, |value| resolved(document, value));
    let descriptor = descriptor(document, font);
    let flags = descriptor
        .and_then(|found| found.get(b"Flags").ok())
        .map(|flags| resolved(document, flags));
    let is_symbolic =
        flags.and_then(|flags| flags.as_i64().ok()).is_some_and(|flags| flags & 4 != 0);
    let plain_name = name.split_once('+').map_or(name, |(_, name)| name);
    let named = match encoding {
        Object::Name(name) => Encoding::of_name(name),
        Object::Dictionary(dictionary) => {
            let base = dictionary.get(b"BaseEncoding").map(|base| resolved(document, base));
            base.ok().and_then(|base| base.as_name().ok()).and_then(Encoding::of_name)
        }
        _ => None,
    };
    let is_truetype =
        font.get(b"Subtype").and_then(Object::as_name).is_ok_and(|name| name == b"TrueType");
    let default = named.unwrap_or(match plain_name {
        _ if plain_name.starts_with("Symbol") => Encoding::Symbol,
        _ if is_type3 => Encoding::Tex,
        _ if is_truetype && !is_symbolic => Encoding::WinAnsi,
        _ => Encoding::Standard,
    });
    let mut texts: Vec<Option<String>> =
        (0..=255).map(|code| default.text(code).map(str::to_owned)).collect();
    if named.is_none() && !plain_name.starts_with("Symbol") {
        for (code, text) in program::texts_of_codes(document, descriptor) {
            if let Some(slot) = texts.get_mut(usize::from(code)) {
                *slot = Some(text);
            }
        }
    }
    if let Object::Dictionary(dictionary) = encoding
        && let Ok(Object::Array(list)) =
            dictionary.get(b"Differences").map(|list| resolved(document, list))
    {
        differences(document, list, is_type3, &mut texts);
    }
    texts
}

/// Reads `[65 /A /B 97 /alpha]`.
fn differences(document: &PdfFile, list: &[Object], is_type3: bool, texts: &mut [Option<String>]) {
    let mut code = 0_usize;
    for entry in list {
        match resolved(document, entry) {
            Object::Name(name) => {
                let name = String::from_utf8_lossy(name);
                if let Some(slot) = texts.get_mut(code) {
                    *slot = text_of_name(&name)
                        .or_else(|| text_of_numbered_name(&name, code, is_type3));
                }
                code += 1;
            }
            number => code = to_code(number).map_or(code, |number| number as usize),
        }
    }
}

/// Names such as `a65`, `c65` or `G41` only number the glyph, so only the code is known.
fn text_of_numbered_name(name: &str, code: usize, is_type3: bool) -> Option<String> {
    let digits = name.trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let letters = name.len() - digits.len();
    if digits.is_empty() || letters > 2 || !digits.bytes().all(|byte| byte.is_ascii_alphanumeric())
    {
        return None;
    }
    let code = u8::try_from(code).ok()?;
    let number = digits.parse::<u8>().ok().filter(|&number| number == code);
    let in_hex = u8::from_str_radix(digits, 16).ok().filter(|&number| number == code);
    number.or(in_hex)?;
    let encoding = if is_type3 { Encoding::Tex } else { Encoding::WinAnsi };
    encoding.text(code).map(str::to_owned)
}

fn descriptor<'a>(document: &'a PdfFile, font: &'a Dictionary) -> Option<&'a Dictionary> {
    resolved(document, font.get(b"FontDescriptor").ok()?).as_dict().ok()
}

/// Estimates the font size from glyph widths: a letter is half as wide on average.
fn default_size(widths: &HashMap<u32, f64>) -> f64 {
    let mut all: Vec<f64> = widths.values().copied().filter(|width| *width > 0.0).collect();
    all.sort_by(f64::total_cmp);
    let middle = all.get(all.len() / 2).copied();
    middle.map_or(1.0, |width| 2.0 * width)
}

/// Reads `[1 [500 600] 7 9 1000]`.
fn glyph_widths(document: &PdfFile, list: &[Object]) -> HashMap<u32, f64> {
    let mut widths = HashMap::new();
    let mut entries = list.iter().map(|entry| resolved(document, entry));
    while let (Some(first), Some(second)) = (entries.next(), entries.next()) {
        let Some(first) = to_code(first) else { break };
        if let Object::Array(list) = second {
            for (glyph, width) in (first..).zip(list) {
                widths.insert(glyph, to_float(resolved(document, width)) * 0.001);
            }
        } else {
            let (Some(last), Some(width)) = (to_code(second), entries.next()) else { break };
            let width = to_float(width) * 0.001;
            for glyph in (first..=last).take(65_536) {
                widths.insert(glyph, width);
            }
        }
        if widths.len() > MAX_WIDTHS {
            break;
        }
    }
    widths
}

/// Returns the legacy encoding of a font with a predefined CMap.
fn charset(name: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let name = std::str::from_utf8(name).ok()?;
    let has = |part: &str| name.contains(part);
    Some(match name {
        _ if has("UTF16") || has("UCS2") => encoding_rs::UTF_16BE,
        _ if has("RKSJ") => encoding_rs::SHIFT_JIS,
        _ if has("GBK") || has("GBpc") || has("GB-EUC") => encoding_rs::GBK,
        _ if has("B5") || has("ETen") => encoding_rs::BIG5,
        _ if has("KSC") => encoding_rs::EUC_KR,
        "EUC-H" | "EUC-V" => encoding_rs::EUC_JP,
        _ => return None,
    })
}

fn charset_code(encoding: &'static encoding_rs::Encoding, bytes: &[u8]) -> (u32, usize) {
    let first = bytes.first().copied().map_or(0, u32::from);
    let is_half = encoding == encoding_rs::SHIFT_JIS && (0xa0..0xe0).contains(&first);
    let is_single = encoding != encoding_rs::UTF_16BE && (first < 0x80 || is_half);
    match bytes {
        _ if is_single => (first, 1),
        [high, low, ..] => (u32::from(*high) << 8 | u32::from(*low), 2),
        _ => (first, 1),
    }
}

pub(super) fn to_float(object: &Object) -> f64 {
    object.as_float().map_or(0.0, f64::from)
}

fn to_code(object: &Object) -> Option<u32> {
    object.as_i64().ok().and_then(|number| u32::try_from(number).ok())
}
