//! Parts of a large text: where it can be cut so that its parts have the same words as the whole.
//!
//! In: a text. Out: consecutive parts. A cut is after one white-space character between two ASCII letters or digits,
//! across which no step of the tokenizer looks.

use std::ops::Range;

/// Returns consecutive ranges of `text` that together are all of it, each of about `n_bytes` bytes. A text without
/// places to cut has longer parts.
pub(super) fn parts(text: &str, n_bytes: usize) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut start = 0;
    std::iter::from_fn(move || {
        if start == bytes.len() {
            return None;
        }
        let from = start.saturating_add(n_bytes.max(2));
        let cut = (from..bytes.len()).find(|&at| is_cut(bytes, at)).unwrap_or(bytes.len());
        Some(std::mem::replace(&mut start, cut)..cut)
    })
}

/// Whether the text can be cut before byte `at`.
fn is_cut(bytes: &[u8], at: usize) -> bool {
    at >= 2
        && bytes[at].is_ascii_alphanumeric()
        && matches!(bytes[at - 1], b' ' | b'\n')
        && bytes[at - 2].is_ascii_alphanumeric()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_cut_after_one_space_between_words() {
        let cut = |text: &'static str, n| -> Vec<&str> {
            parts(text, n).map(|range| &text[range]).collect()
        };
        assert_eq!(cut("one two three", 3), ["one ", "two ", "three"]);
        assert_eq!(cut("one two three", 5), ["one two ", "three"]);
        assert_eq!(cut("one-\ntwo  three é four 5", 1), ["one-\ntwo  three é four ", "5"]);
        assert_eq!(cut("", 5), [""; 0]);
        assert_eq!(cut("天地玄黄", 3), ["天地玄黄"]);
    }
}
