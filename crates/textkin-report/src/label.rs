//! Prepares ids for display: safe for a terminal and no wider than the available columns.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

const CUT: &str = "…";

/// Replaces control characters by pictures (`␊`) and other invisible or reordering characters by
/// escapes (`\u{202e}`), so that an id cannot move the cursor, colour the screen or mislead.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\0'..'\u{20}' => {
                shown.extend(char::from_u32(0x2400 + u32::from(character)));
            }
            '\u{7f}' => shown.push('␡'),
            '\u{80}'..='\u{9f}'
            | '\u{ad}'
            | '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}' => shown.extend(character.escape_unicode()),
            _ => shown.push(character),
        }
    }
    shown
}

/// Width of `text` on a terminal, in columns.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Shortens both ids to at most `columns` columns each. Cuts in the middle and keeps the file name if
/// possible; different ids stay different if possible.
pub(crate) fn shorten_both(a: &str, b: &str, columns: usize) -> [String; 2] {
    let (a, b) = (visible(a), visible(b));
    let short = [shorten(&a, columns), shorten(&b, columns)];
    if a == b || short[0] != short[1] {
        return short;
    }
    let difference = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    [shorten_around(&a, difference, columns), shorten_around(&b, difference, columns)]
}

/// Keeps the start and more of the end, where names differ.
pub(crate) fn shorten(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.into();
    }
    let Some(rest) = columns.checked_sub(width(CUT)) else {
        return String::new();
    };
    let name = text.rfind('/').map_or(text, |slash| &text[slash..]);
    let name_width = width(name);
    let max_tail = rest - rest / 3;
    let for_tail = if name_width <= rest { name_width.max(max_tail) } else { max_tail };
    let tail = last(text, for_tail);
    let head = first(text, rest - width(tail));
    format!("{head}{CUT}{tail}")
}

/// Keeps the start of `text`, in at most `columns` columns.
pub(crate) fn cut_after(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.into();
    }
    columns
        .checked_sub(width(CUT))
        .map_or(String::new(), |rest| format!("{}{CUT}", first(text, rest).trim_end()))
}

/// Keeps the text around byte `position`.
fn shorten_around(text: &str, position: usize, columns: usize) -> String {
    let Some(rest) = columns.checked_sub(2 * width(CUT)) else {
        return shorten(text, columns);
    };
    let (before, after) = text.split_at(text.floor_char_boundary(position));
    if width(after) + rest / 4 < columns {
        return format!("{CUT}{}", last(text, columns - width(CUT)));
    }
    let before = last(before, rest / 3);
    let after = first(after, rest - width(before));
    format!("{CUT}{before}{after}{CUT}")
}

/// The longest prefix of `text` in at most `columns` columns.
fn first(text: &str, columns: usize) -> &str {
    let mut end = 0;
    for (start, grapheme) in text.grapheme_indices(true) {
        if width(&text[..start + grapheme.len()]) > columns {
            break;
        }
        end = start + grapheme.len();
    }
    &text[..end]
}

/// The longest suffix of `text` in at most `columns` columns.
fn last(text: &str, columns: usize) -> &str {
    let mut begin = text.len();
    for (start, _) in text.grapheme_indices(true).rev() {
        if width(&text[start..]) > columns {
            break;
        }
        begin = start;
    }
    &text[begin..]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_middle_is_cut_and_the_file_name_is_kept() {
        let id = "docs/reference/current/library/functions.html";
        assert_eq!(shorten(id, 45), id);
        assert_eq!(shorten(id, 30), "docs/refe…brary/functions.html");
        assert_eq!(shorten(id, 18), "do…/functions.html");
        assert_eq!(shorten(id, 10), "doc…s.html");
        assert_eq!(shorten(id, 1), "…");
        assert_eq!(shorten(id, 0), "");
    }

    #[test]
    fn different_ids_look_different() {
        let a = "docs/python/version-3.11/library/functions.html";
        let b = "docs/python/version-3.12/library/functions.html";
        let [short_a, short_b] = shorten_both(a, b, 24);
        assert_eq!(short_a, "…ion-3.11/library/funct…");
        assert_eq!(short_b, "…ion-3.12/library/funct…");
        assert_eq!(shorten_both(a, b, 34)[0], "…rsion-3.11/library/functions.html");
        assert_eq!(shorten_both("same", "same", 2), ["…e", "…e"]);
    }

    #[test]
    fn wide_characters_count_twice_and_are_not_split() {
        assert_eq!(shorten("文書館/目録.txt", 12), "文…/目録.txt");
        assert!(width(&shorten("文書館/目録.txt", 10)) <= 10);
    }

    #[test]
    fn an_id_cannot_send_terminal_commands() {
        assert_eq!(visible("\u{1b}[2Ja\nb\u{7f}"), "␛[2Ja␊b␡");
        assert_eq!(visible("a\u{202e}txt.exe\u{9b}"), "a\\u{202e}txt.exe\\u{9b}");
        assert_eq!(visible("naïve 文書 e\u{301}"), "naïve 文書 e\u{301}");
    }

    proptest! {
        #[test]
        fn shortened_ids_fit_and_contain_no_control_character(
            a in any::<String>(), b in any::<String>(), columns in 0usize..40,
        ) {
            for short in shorten_both(&a, &b, columns) {
                prop_assert!(width(&short) <= columns, "{short:?} in {columns}");
                prop_assert!(!short.contains(char::is_control));
            }
        }
    }
}
