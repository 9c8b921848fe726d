//! CMaps: map codes to characters or glyphs, for composite fonts and `ToUnicode`.

use std::collections::HashMap;

use super::lexer::{Lexer, PdfToken};

/// Maximum entries of one table; the rest is ignored.
const MAX_ENTRIES: usize = 200_000;

/// Maximum bytes of text of one code.
const MAX_TEXT_BYTES: usize = 200;

/// Maps codes of one to four bytes to text and to glyph numbers.
#[derive(Debug, Default)]
pub(super) struct CMap {
    /// Length in bytes, first and last code.
    spaces: Vec<(usize, u32, u32)>,
    texts: HashMap<u32, String>,
    glyphs: HashMap<u32, u32>,
    pub(super) is_vertical: bool,
}

impl CMap {
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut map = Self::default();
        let mut lexer = Lexer::new(bytes);
        let mut previous: Vec<PdfToken<'_>> = Vec::new();
        while let Some(token) = lexer.next() {
            match token {
                PdfToken::Operator(b"begincodespacerange") => map.read_spaces(&mut lexer),
                PdfToken::Operator(b"beginbfchar") => map.read_characters(&mut lexer, true),
                PdfToken::Operator(b"beginbfrange") => map.read_ranges(&mut lexer, true),
                PdfToken::Operator(b"begincidchar") => map.read_characters(&mut lexer, false),
                PdfToken::Operator(b"begincidrange") => map.read_ranges(&mut lexer, false),
                PdfToken::Operator(b"def") => {
                    if let [.., PdfToken::Name(name), PdfToken::Number(number)] =
                        previous.as_slice()
                        && name == b"WMode"
                    {
                        map.is_vertical = *number != 0.0;
                    }
                    previous.clear();
                }
                other => {
                    if previous.len() > 16 {
                        previous.clear();
                    }
                    previous.push(other);
                }
            }
        }
        map
    }

    /// Returns the text of `code`.
    pub(super) fn text(&self, code: u32) -> Option<&str> {
        self.texts.get(&code).map(String::as_str)
    }

    /// Returns the glyph number of `code`.
    pub(super) fn glyph(&self, code: u32) -> Option<u32> {
        self.glyphs.get(&code).copied()
    }

    /// Whether the table defines code spaces.
    pub(super) fn has_spaces(&self) -> bool {
        !self.spaces.is_empty()
    }

    /// Returns the first code of `bytes` and its length in bytes.
    pub(super) fn code(&self, bytes: &[u8]) -> (u32, usize) {
        let mut code = 0;
        for (index, &byte) in bytes.iter().take(4).enumerate() {
            code = code << 8 | u32::from(byte);
            let is_in = |&(length, first, last): &(usize, u32, u32)| {
                length == index + 1 && is_within(code, first, last, length)
            };
            if self.spaces.iter().any(is_in) {
                return (code, index + 1);
            }
        }
        let shortest = self.spaces.iter().map(|&(length, _, _)| length).min().unwrap_or(1);
        let length = shortest.min(bytes.len()).max(1);
        (code_of(bytes.get(..length).unwrap_or_default()), length)
    }

    fn read_spaces(&mut self, lexer: &mut Lexer<'_>) {
        while let Some(PdfToken::String(first)) = lexer.next() {
            let Some(PdfToken::String(last)) = lexer.next() else { return };
            if (1..=4).contains(&first.len()) && self.spaces.len() < 100 {
                self.spaces.push((first.len(), code_of(&first), code_of(&last)));
            }
        }
    }

    fn is_full(&self) -> bool {
        self.texts.len() + self.glyphs.len() >= MAX_ENTRIES
    }

    fn read_characters(&mut self, lexer: &mut Lexer<'_>, is_text: bool) {
        while let Some(PdfToken::String(code)) = lexer.next() {
            let code = code_of(&code);
            match lexer.next() {
                Some(PdfToken::String(text)) if is_text && !self.is_full() => {
                    self.texts.insert(code, text_of(&text));
                }
                Some(PdfToken::Number(glyph)) if !is_text && !self.is_full() => {
                    self.glyphs.insert(code, to_number(glyph));
                }
                Some(PdfToken::Operator(_)) | None => return,
                _ => {}
            }
        }
    }

    fn read_ranges(&mut self, lexer: &mut Lexer<'_>, is_text: bool) {
        while let Some(PdfToken::String(first)) = lexer.next() {
            let Some(PdfToken::String(last)) = lexer.next() else { return };
            let (first, last) = (code_of(&first), code_of(&last));
            match lexer.next() {
                Some(PdfToken::String(text)) if is_text => {
                    let mut text = text;
                    for code in first..=last {
                        if self.is_full() {
                            break;
                        }
                        self.texts.insert(code, text_of(&text));
                        increment(&mut text);
                    }
                }
                Some(PdfToken::Number(glyph)) if !is_text => {
                    for (index, code) in (first..=last).enumerate() {
                        if self.is_full() {
                            break;
                        }
                        let index = u32::try_from(index).unwrap_or(u32::MAX);
                        self.glyphs.insert(code, to_number(glyph).saturating_add(index));
                    }
                }
                Some(PdfToken::ArrayStart) => {
                    let mut code = first;
                    for token in lexer.by_ref() {
                        match token {
                            PdfToken::String(text) if !self.is_full() => {
                                self.texts.insert(code, text_of(&text));
                            }
                            PdfToken::ArrayEnd => break,
                            _ => {}
                        }
                        code = code.saturating_add(1);
                    }
                }
                Some(PdfToken::Operator(_)) | None => return,
                _ => {}
            }
        }
    }
}

/// Whether every byte of `code` is between those of `first` and `last`.
fn is_within(code: u32, first: u32, last: u32, length: usize) -> bool {
    let bytes = |number: u32| number.to_be_bytes().into_iter().skip(4 - length.min(4));
    bytes(code)
        .zip(bytes(first).zip(bytes(last)))
        .all(|(byte, (low, high))| low <= byte && byte <= high)
}

fn code_of(bytes: &[u8]) -> u32 {
    bytes.iter().take(4).fold(0, |code, &byte| code << 8 | u32::from(byte))
}

fn to_number(number: f64) -> u32 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let number = number as u32;
    number
}

/// Decodes UTF-16 and removes characters that do not occur in text.
fn text_of(bytes: &[u8]) -> String {
    let bytes = bytes.get(..bytes.len().min(MAX_TEXT_BYTES)).unwrap_or_default();
    if let [byte] = bytes {
        return char::from(*byte).to_string();
    }
    let (text, _) = encoding_rs::UTF_16BE.decode_without_bom_handling(bytes);
    text.chars().filter(|&character| character != '\0' && character != '\u{feff}').collect()
}

fn increment(bytes: &mut [u8]) {
    for byte in bytes.iter_mut().rev() {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TABLE: &[u8] = b"1 begincodespacerange <00> <7f> endcodespacerange
1 begincodespacerange <8140> <9ffc> endcodespacerange
2 beginbfchar <01> <00660069> <02> <D83DDE00> endbfchar
2 beginbfrange <10> <12> <0041> <8140> <8141> [<0061> <0062>] endbfrange
1 begincidrange <20> <22> 7 endcidrange /WMode 1 def";

    #[test]
    fn a_table_is_read() {
        let map = CMap::parse(TABLE);
        assert_eq!(map.text(1), Some("fi"));
        assert_eq!(map.text(2), Some("😀"));
        assert_eq!(map.text(0x12), Some("C"));
        assert_eq!(map.text(0x8141), Some("b"));
        assert_eq!(map.glyph(0x21), Some(8));
        assert!(map.is_vertical);
        assert_eq!(map.code(&[0x81, 0x40, 1]), (0x8140, 2));
        assert_eq!(map.code(&[0x21, 0x40]), (0x21, 1));
        assert_eq!(map.code(&[0xff, 0x40]), (0xff, 1));
    }

    #[test]
    fn a_huge_range_terminates() {
        let map = CMap::parse(b"1 beginbfrange <00000000> <ffffffff> <0041> endbfrange");
        assert_eq!(map.texts.len(), MAX_ENTRIES);
    }

    proptest! {
        #[test]
        fn any_mutated_table_terminates(at in 0..TABLE.len(), byte: u8) {
            let mut bytes = TABLE.to_vec();
            bytes[at] = byte;
            let map = CMap::parse(&bytes);
            prop_assert!(map.texts.len() <= MAX_ENTRIES);
        }
    }
}
