//! Ids made fit to be shown: harmless for a terminal and no wider than there is room.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

const CUT: &str = "…";

/// `text` with control characters as pictures (`␊`) and other invisible or reordering characters
/// as escapes (`\u{202e}`), so that an id cannot move the cursor, colour the screen or lie.
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

/// Columns that `text` takes on a terminal.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Both ids in at most `room` columns each. What is cut is cut in the middle, the file name last;
/// different ids stay different where the room allows.
pub(crate) fn shorten_both(a: &str, b: &str, room: usize) -> [String; 2] {
    let (a, b) = (visible(a), visible(b));
    let short = [shorten(&a, room), shorten(&b, room)];
    if a == b || short[0] != short[1] {
        return short;
    }
    let difference = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    [shorten_around(&a, difference, room), shorten_around(&b, difference, room)]
}

/// Keeps the start and the end, and more of the end: there the names differ.
pub(crate) fn shorten(text: &str, room: usize) -> String {
    if width(text) <= room {
        return text.into();
    }
    let Some(rest) = room.checked_sub(width(CUT)) else {
        return String::new();
    };
    let name = text.rfind('/').map_or(text, |slash| &text[slash..]);
    let name_width = width(name);
    let most = rest - rest / 3;
    let for_tail = if name_width <= rest { name_width.max(most) } else { most };
    let tail = last(text, for_tail);
    let head = first(text, rest - width(tail));
    format!("{head}{CUT}{tail}")
}

/// Keeps what stands around byte `place`.
fn shorten_around(text: &str, place: usize, room: usize) -> String {
    let Some(rest) = room.checked_sub(2 * width(CUT)) else {
        return shorten(text, room);
    };
    let (before, after) = text.split_at(text.floor_char_boundary(place));
    if width(after) + rest / 4 < room {
        return format!("{CUT}{}", last(text, room - width(CUT)));
    }
    let before = last(before, rest / 3);
    let after = first(after, rest - width(before));
    format!("{CUT}{before}{after}{CUT}")
}

/// The longest start of `text` in at most `room` columns.
fn first(text: &str, room: usize) -> &str {
    let mut end = 0;
    for (start, grapheme) in text.grapheme_indices(true) {
        if width(&text[..start + grapheme.len()]) > room {
            break;
        }
        end = start + grapheme.len();
    }
    &text[..end]
}

/// The longest end of `text` in at most `room` columns.
fn last(text: &str, room: usize) -> &str {
    let mut begin = text.len();
    for (start, _) in text.grapheme_indices(true).rev() {
        if width(&text[start..]) > room {
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
    fn the_middle_is_cut_and_the_file_name_kept() {
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
    fn nothing_an_id_holds_reaches_the_terminal_as_a_command() {
        assert_eq!(visible("\u{1b}[2Ja\nb\u{7f}"), "␛[2Ja␊b␡");
        assert_eq!(visible("a\u{202e}txt.exe\u{9b}"), "a\\u{202e}txt.exe\\u{9b}");
        assert_eq!(visible("naïve 文書 e\u{301}"), "naïve 文書 e\u{301}");
    }

    proptest! {
        #[test]
        fn shortened_ids_fit_and_hold_no_control_character(
            a in any::<String>(), b in any::<String>(), room in 0usize..40,
        ) {
            for short in shorten_both(&a, &b, room) {
                prop_assert!(width(&short) <= room, "{short:?} in {room}");
                prop_assert!(!short.contains(char::is_control));
            }
        }
    }
}
