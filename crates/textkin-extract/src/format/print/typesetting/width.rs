//! Glyph widths of the standard fonts, for documents that do not contain them.
//!
//! They only serve to find word boundaries: Times and Helvetica are enough, and bold fonts are a
//! little wider.

/// Widths of the characters from space to tilde, in thousandths of the font size.
const TIMES: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 333, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611,
    556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722,
    722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500,
    278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
];

const HELVETICA: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 222, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 222, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Returns the width of the glyph `text` in the font `font`, as a fraction of the font size.
pub(crate) fn standard_width(font: &str, text: &str) -> f64 {
    let lower = font.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    if has(&["courier", "mono", "typewriter"]) {
        return 0.6;
    }
    let table = if has(&["helvetica", "arial", "sans"]) { &HELVETICA } else { &TIMES };
    let of = |character: char| {
        let plain = match character {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{2013}' => '0',
            '\u{fb01}' | '\u{fb02}' => return 556,
            '\u{2014}' => return 1000,
            other => unaccented(other),
        };
        let index = (plain as usize).wrapping_sub(0x20);
        table.get(index).copied().unwrap_or(if character < '\u{1100}' { 500 } else { 1000 })
    };
    let width: u32 = text.chars().map(|character| u32::from(of(character))).sum();
    let bold = if has(&["bold"]) { 1.06 } else { 1.0 };
    f64::from(width) / 1000.0 * bold
}

fn unaccented(character: char) -> char {
    let mut plain = character;
    unicode_normalization::char::decompose_canonical(character, |part| {
        if part.is_ascii_alphabetic() {
            plain = part;
        }
    });
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_have_the_widths_of_their_font() {
        assert_eq!(standard_width("Times-Roman", "a"), 0.444);
        assert_eq!(standard_width("Helvetica", "é"), 0.556);
        assert_eq!(standard_width("Courier-Bold", "W"), 0.6);
        assert_eq!(standard_width("Times-Roman", "~"), 0.541);
    }
}
