//! Sentences and paragraphs, recognized by the text between two words.
//!
//! A paragraph ends at a blank line. A sentence ends with a paragraph, and at `.`, `!`, `?` or
//! `…`, closing quotes and brackets, and white space, unless the next word begins in lower case or
//! the full stop belongs to an initial or an abbreviation; and at `。`, `！`, `？`, `؟` or `।`,
//! whatever follows.

use textkin_core::Tokens;

/// Abbreviations that seldom end a sentence, in lower case without full stop, sorted.
const ABBREVIATIONS: &[&str] = &[
    "abb", "abs", "al", "approx", "art", "aufl", "av", "bd", "bsp", "bzgl", "bzw", "ca", "cf",
    "chap", "col", "dept", "dr", "ebd", "ed", "eds", "eg", "engl", "eq", "etc", "evtl", "fig",
    "figs", "gen", "ggf", "gov", "hon", "hrsg", "ie", "inkl", "jr", "kap", "lt", "ltd", "max",
    "mgr", "min", "mio", "mlle", "mme", "mr", "mrs", "ms", "msgr", "mt", "nr", "op", "pp", "prof",
    "rep", "rev", "sec", "sect", "sen", "sgt", "sog", "sr", "sra", "st", "str", "tab", "univ",
    "usw", "vgl", "viz", "vol", "vols", "vs", "zzgl",
];

/// Abbreviations that count only before a number: `No. 5`.
const BEFORE_NUMBERS: &[&str] =
    &["no", "nos", "p", "pos", "jan", "feb", "aug", "sept", "oct", "nov", "dec"];

/// Marks the sentences and paragraphs of `tokens`, which must have spans in `text`.
pub(super) fn mark(text: &str, tokens: &mut Tokens) {
    if !tokens.layers().structure || tokens.is_empty() {
        return;
    }
    tokens.begin_paragraph_at(0);
    for index in 1..tokens.len() {
        let word = tokens.spans()[index - 1].range();
        let next = tokens.spans()[index].range();
        // A gap of one byte ends neither; tokens of one cluster may share bytes.
        if next.start <= word.end + 1 {
            continue;
        }
        let gap = &text[word.end..next.start];
        if has_blank_line(gap) {
            tokens.begin_paragraph_at(index);
        } else if ends_sentence(&text[word], gap, &text[next]) {
            tokens.begin_sentence_at(index);
        }
    }
}

/// Returns whether `gap` has two line ends with only white space between them.
fn has_blank_line(gap: &str) -> bool {
    let mut in_line_end = false;
    for character in gap.chars() {
        match character {
            '\u{2029}' => return true,
            '\n' if in_line_end => return true,
            '\n' => in_line_end = true,
            _ => in_line_end &= character.is_whitespace(),
        }
    }
    false
}

/// Returns whether a sentence ends between `word` and `next`.
fn ends_sentence(word: &str, gap: &str, next: &str) -> bool {
    let begins_lower = next.starts_with(char::is_lowercase);
    let mut rest = gap.chars();
    while let Some(character) = rest.next() {
        match character {
            '。' | '！' | '？' | '؟' | '।' | '॥' | '｡' => return true,
            '.' | '!' | '?' | '…' => {}
            _ => continue,
        }
        // Skipping the closing marks keeps a long row of dots linear.
        let after = rest.as_str().trim_start_matches(is_closing);
        rest = after.chars();
        let is_stop_alone = gap.starts_with('.') && after.len() + 1 == gap.len();
        let ends = after.starts_with(char::is_whitespace) && !begins_lower;
        if ends && !(is_stop_alone && abbreviates(word, next)) {
            return true;
        }
    }
    false
}

/// Returns whether the full stop after `word` belongs to it.
fn abbreviates(word: &str, next: &str) -> bool {
    let mut characters = word.chars();
    let is_initial =
        characters.next().is_some_and(char::is_alphabetic) && characters.next().is_none();
    if is_initial {
        return true;
    }
    let word = word.to_lowercase();
    ABBREVIATIONS.binary_search(&word.as_str()).is_ok()
        || next.starts_with(char::is_numeric) && BEFORE_NUMBERS.contains(&word.as_str())
}

fn is_closing(character: char) -> bool {
    matches!(
        character,
        '"' | '\''
            | ')'
            | ']'
            | '}'
            | '”'
            | '’'
            | '“'
            | '»'
            | '«'
            | '›'
            | '*'
            | '_'
            | '.'
            | '!'
            | '?'
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tokenizer::WordTokenizer;
    use textkin_core::{Layers, Tokenizer};

    fn tokens(text: &str) -> Tokens {
        let mut tokens = Tokens::new(Layers::ALL);
        WordTokenizer::default().tokenize(text, &mut tokens);
        tokens
    }

    fn sentences(text: &str) -> Vec<u32> {
        tokens(text).sentences().to_vec()
    }

    #[test]
    fn sentences_end_at_stops_before_white_space() {
        assert_eq!(sentences("One two. Three! “Four?” Five… Six... Seven."), [0, 2, 3, 4, 5, 6]);
    }

    #[test]
    fn numbers_initials_and_abbreviations_end_no_sentence() {
        assert_eq!(
            sentences("Mr. J. Smith paid 3.50 to Dr. Who, e.g. In cash. No. 5 too."),
            [0, 13]
        );
    }

    #[test]
    fn a_word_in_lower_case_begins_no_sentence() {
        assert_eq!(sentences("“Why?” he asked. Then he left"), [0, 3]);
    }

    #[test]
    fn a_long_row_of_dots_takes_linear_time() {
        assert_eq!(sentences(&format!("Chapter{}One", ".".repeat(1 << 20))), [0]);
    }

    #[test]
    fn ideographic_stops_need_no_white_space() {
        assert_eq!(sentences("你好。再见！走"), [0, 1, 2]);
    }

    #[test]
    fn other_scripts_end_sentences_with_their_own_stops() {
        assert_eq!(sentences("نعم؟ لا"), [0, 1]);
        assert_eq!(sentences("राम। राम"), [0, 1]);
    }

    #[test]
    fn paragraphs_are_separated_by_blank_lines_of_any_kind() {
        let tokens = tokens("a\nb\n\nc\r\n \t\r\nd\n\n\n");
        assert_eq!(tokens.paragraphs(), [0, 2, 3]);
        assert_eq!(tokens.sentences(), [0, 2, 3]);
    }

    #[test]
    fn structure_does_not_require_spans() {
        let mut tokens = Tokens::new(Layers { structure: true, ..Layers::NONE });
        WordTokenizer::default().tokenize("A bee. Cee dee.\n\nE", &mut tokens);
        assert_eq!((tokens.sentences(), tokens.paragraphs()), (&[0, 2, 4][..], &[0, 4][..]));
        assert!(tokens.spans().is_empty());
    }

    #[test]
    fn abbreviations_are_sorted() {
        assert!(ABBREVIATIONS.is_sorted());
    }
}
