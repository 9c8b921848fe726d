//! Named encodings of fonts: the character of each code.

/// A predefined encoding of 256 codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(feature = "pdf"), allow(dead_code, reason = "used only by PDF"))]
pub(crate) enum Encoding {
    /// The built-in encoding of most text fonts.
    Standard,
    /// Windows 1252.
    WinAnsi,
    /// Classic Mac OS.
    MacRoman,
    /// ISO 8859-1 as defined by PostScript.
    IsoLatin1,
    /// Greek letters and symbols.
    Symbol,
    /// Bitmap fonts of TeX, which have no glyph names.
    Tex,
}

const STANDARD_UPPER: &str = "\
\0¡¢£⁄¥ƒ§¤'“«‹›ﬁﬂ\0–†‡·\0¶•‚„”»…‰\0¿\0`´ˆ˜¯˘˙¨\0˚¸\0˝˛ˇ—\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\
Æ\0ª\0\0\0\0ŁØŒº\0\0\0\0\0æ\0\0\0ı\0\0łøœß\0\0\0\0";

const SYMBOL_LOWER: &str = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\
‾αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼";

const SYMBOL_UPPER: &str = "€ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…|—↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊⟨®©™∑";

const TEX_LOWER: &str = "ΓΔΘΛΞΠΣΥΦΨΩ\u{1}\u{2}\u{3}\u{4}\u{5}ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ";

impl Encoding {
    /// Returns the encoding with this PDF name.
    #[cfg_attr(not(feature = "pdf"), allow(dead_code, reason = "used only by PDF"))]
    pub(crate) fn of_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"StandardEncoding" => Self::Standard,
            b"WinAnsiEncoding" | b"PDFDocEncoding" => Self::WinAnsi,
            b"MacRomanEncoding" => Self::MacRoman,
            b"ISOLatin1Encoding" => Self::IsoLatin1,
            _ => return None,
        })
    }

    /// Returns the text of `code`, if any.
    pub(crate) fn text(self, code: u8) -> Option<&'static str> {
        let index = usize::from(code);
        let text = self.table().get(index)?;
        (!text.is_empty()).then_some(text.as_str())
    }

    fn table(self) -> &'static [String] {
        use std::sync::OnceLock;
        static TABLES: [OnceLock<Vec<String>>; 6] = [const { OnceLock::new() }; 6];
        let make = || (0..=255).map(|code| self.make_text(code)).collect();
        TABLES.get(self as usize).map_or(&[], |table| table.get_or_init(make))
    }

    fn make_text(self, code: u8) -> String {
        let character = match self {
            Self::Standard => standard(code),
            Self::WinAnsi => decode(encoding_rs::WINDOWS_1252, code),
            Self::MacRoman => decode(encoding_rs::MACINTOSH, code),
            Self::IsoLatin1 => match code {
                b'\'' => Some('’'),
                b'`' => Some('‘'),
                b'-' => Some('−'),
                0x90 => Some('ı'),
                0x91..=0x9f => "`´ˆ˜¯˘˙¨\0˚¸\0˝˛ˇ".chars().nth(usize::from(code - 0x91)),
                _ => Some(char::from(code)),
            },
            Self::Symbol => match code {
                0x20..=0x7e => SYMBOL_LOWER.chars().nth(usize::from(code - 0x20)),
                0xa0..=0xff => SYMBOL_UPPER.chars().nth(usize::from(code - 0xa0)),
                _ => None,
            },
            Self::Tex => return tex(code),
        };
        let character = character.filter(|character| !character.is_control());
        character.map(String::from).unwrap_or_default()
    }
}

fn decode(encoding: &'static encoding_rs::Encoding, code: u8) -> Option<char> {
    let bytes = [code];
    let (text, _) = encoding.decode_without_bom_handling(&bytes);
    text.chars().next()
}

fn standard(code: u8) -> Option<char> {
    match code {
        b'\'' => Some('’'),
        b'`' => Some('‘'),
        0x20..=0x7e => Some(char::from(code)),
        0xa0..=0xff => STANDARD_UPPER.chars().nth(usize::from(code - 0xa0)),
        _ => None,
    }
}

/// TeX's original encoding below 128, the later one (Cork) above.
fn tex(code: u8) -> String {
    let text = match code {
        11 => "ff",
        12 => "fi",
        13 => "fl",
        14 => "ffi",
        15 => "ffl",
        b'"' => "”",
        b'\'' => "’",
        b'<' => "¡",
        b'>' => "¿",
        b'\\' => "“",
        b'^' => "ˆ",
        b'_' => "˙",
        b'`' => "‘",
        b'{' => "–",
        b'|' => "—",
        b'}' => "˝",
        b'~' => "˜",
        127 => "¨",
        0xd7 => "Œ",
        0xdf => "SS",
        0xf7 => "œ",
        0xff => "ß",
        0..=31 => {
            return TEX_LOWER.chars().nth(usize::from(code)).map(String::from).unwrap_or_default();
        }
        0x80..=0xbf => "",
        _ => return char::from(code).to_string(),
    };
    text.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_map_to_characters() {
        let cases = [
            (Encoding::Standard, 0x27, "’"),
            (Encoding::Standard, 0xae, "ﬁ"),
            (Encoding::Standard, 0xd0, "—"),
            (Encoding::Standard, 0xe1, "Æ"),
            (Encoding::Standard, 0xf5, "ı"),
            (Encoding::Standard, 0xfb, "ß"),
            (Encoding::WinAnsi, 0x80, "€"),
            (Encoding::MacRoman, 0x8a, "ä"),
            (Encoding::IsoLatin1, 0xe9, "é"),
            (Encoding::Symbol, b'a', "α"),
            (Encoding::Symbol, b'~', "∼"),
            (Encoding::Symbol, 0xae, "→"),
            (Encoding::Tex, 12, "fi"),
            (Encoding::Tex, 0, "Γ"),
            (Encoding::Tex, 31, "Ø"),
            (Encoding::Tex, b'{', "–"),
        ];
        for (encoding, code, text) in cases {
            assert_eq!(encoding.text(code), Some(text), "{encoding:?} {code}");
        }
        assert_eq!(Encoding::Standard.text(0x80), None);
    }
}
