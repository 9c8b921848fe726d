//! Disguised words: look-alike letters of other scripts, and zero-width characters.
//!
//! Both are used to hide copied text. In: one word. Out: the word it looks like, if it is disguised. The rule
//! works on whole words, so that ordinary text of any language stays unchanged: a word of one script is never
//! changed, and a word of several scripts only if all letters of other scripts look like letters of its main
//! script.
//!
//! Greek letters are also symbols (`TNFα`, `NFκB`, `sin α`). A lower-case Greek letter that only resembles a
//! Latin letter is a disguise only beside a lower-case Latin letter in a word with at least [`MIN_SMALL`] of
//! them.

use textkin_core::Span;

/// Minimum letters of a disguised word with Greek letters; shorter words are symbols.
const MIN_LETTERS_GREEK: usize = 3;

/// Minimum lower-case Latin letters that make a word rather than a symbol.
const MIN_SMALL: usize = 4;

/// Returns the word that `word` looks like, in its main script, if all other letters look like letters of that
/// script. `None` if the word is not disguised. `word` has no zero-width characters.
pub(super) fn unmasked(word: &str) -> Option<String> {
    let target = target(word)?;
    Some(word.chars().map(|c| look_alike(c, target).unwrap_or(c)).collect())
}

/// Adds the disguising characters of `source`, which begins at byte `at` of its text, to `spans`: its zero-width
/// characters and, if it is `word` in disguise, its look-alike letters. If `source` has none of these
/// literally, adds all of it.
pub(super) fn mark(source: &str, at: u32, word: Option<&str>, spans: &mut Vec<Span>) {
    let target = word.and_then(target);
    let is_other = |c: char| {
        target.is_some_and(|target| Script::of(c) != target && look_alike(c, target).is_some())
    };
    let n_before = spans.len();
    let byte = |offset: usize| at + u32::try_from(offset).unwrap_or(u32::MAX - at);
    for (offset, character) in source.char_indices() {
        let (from, to) = (byte(offset), byte(offset + character.len_utf8()));
        if is_zero_width(character) || is_other(character) {
            // A character that yields several words is marked once.
            match spans.last_mut() {
                Some(last) if last.end >= to => {}
                Some(last) if last.end == from && last.start >= at => last.end = to,
                _ => spans.push(Span::new(from, to)),
            }
        }
    }
    let is_after = |last: &Span| last.end <= at;
    if spans.len() == n_before && spans.last().is_none_or(is_after) {
        spans.push(Span::new(at, byte(source.len())));
    }
}

/// Returns the main script of `word`, if the word is disguised.
fn target(word: &str) -> Option<Script> {
    let (mut n_latin, mut n_cyrillic, mut n_greek) = (0usize, 0usize, 0usize);
    for character in word.chars() {
        match Script::of(character) {
            Script::Latin => n_latin += 1,
            Script::Cyrillic => n_cyrillic += 1,
            Script::Greek => n_greek += 1,
            Script::Digit => {}
            Script::Other => return None,
        }
    }
    let n_letters = n_latin + n_cyrillic + n_greek;
    let most = n_latin.max(n_cyrillic).max(n_greek);
    if most == n_letters || n_greek > 0 && n_letters < MIN_LETTERS_GREEK {
        return None;
    }
    let target = if n_latin == most {
        Script::Latin
    } else if n_cyrillic == most {
        Script::Cyrillic
    } else {
        Script::Greek
    };
    let is_foreign = |c: char| !matches!(Script::of(c), Script::Digit) && Script::of(c) != target;
    let is_disguise =
        word.chars().filter(|&c| is_foreign(c)).all(|c| look_alike(c, target).is_some())
            && (target != Script::Latin || !is_symbol(word));
    is_disguise.then_some(target)
}

/// Returns whether the Greek letters of a mainly Latin word may be symbols.
fn is_symbol(word: &str) -> bool {
    let is_vague = |c: char| Script::of(c) == Script::Greek && c.is_lowercase() && c != 'ο';
    let is_other = |c: char| !c.is_ascii() && !is_vague(c);
    if !word.contains(is_vague) || word.contains(is_other) {
        return false;
    }
    let letters: Vec<char> = word.chars().collect();
    let n_small = letters.iter().filter(|c| c.is_ascii_lowercase()).count();
    let is_beside = |pair: &[char]| matches!(pair, [a, b] if is_vague(*a) && b.is_ascii_lowercase() || a.is_ascii_lowercase() && is_vague(*b));
    n_small < MIN_SMALL || !letters.windows(2).any(is_beside)
}

/// Script of a character, as far as look-alikes matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Script {
    Latin,
    Cyrillic,
    Greek,
    Digit,
    Other,
}

impl Script {
    pub(super) fn of(character: char) -> Self {
        match character {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Self::Latin,
            '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Self::Greek,
            '\u{400}'..='\u{52f}' => Self::Cyrillic,
            '0'..='9' => Self::Digit,
            _ => Self::Other,
        }
    }
}

/// Returns whether `character` has no width, so that it is invisible inside a word: joiners, direction marks,
/// variation selectors, tags. Soft hyphens do not count: they are legitimate.
pub(super) fn is_zero_width(character: char) -> bool {
    matches!(character,
        '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Look-alike letters: Latin, Cyrillic, Greek; a dash where there is none.
const LOOK_ALIKES: &[(char, char, char)] = &[
    ('A', 'А', 'Α'),
    ('B', 'В', 'Β'),
    ('C', 'С', '-'),
    ('E', 'Е', 'Ε'),
    ('H', 'Н', 'Η'),
    ('I', 'І', 'Ι'),
    ('J', 'Ј', '-'),
    ('K', 'К', 'Κ'),
    ('M', 'М', 'Μ'),
    ('N', '-', 'Ν'),
    ('O', 'О', 'Ο'),
    ('P', 'Р', 'Ρ'),
    ('S', 'Ѕ', '-'),
    ('T', 'Т', 'Τ'),
    ('X', 'Х', 'Χ'),
    ('Y', 'Ү', 'Υ'),
    ('Z', '-', 'Ζ'),
    ('Q', 'Ԛ', '-'),
    ('W', 'Ԝ', '-'),
    ('F', '-', 'Ϝ'),
    ('a', 'а', 'α'),
    ('c', 'с', 'ϲ'),
    ('d', 'ԁ', '-'),
    ('e', 'е', '-'),
    ('h', 'һ', '-'),
    ('i', 'і', 'ι'),
    ('j', 'ј', 'ϳ'),
    ('k', 'к', 'κ'),
    ('l', 'ӏ', '-'),
    ('n', '-', 'η'),
    ('o', 'о', 'ο'),
    ('p', 'р', 'ρ'),
    ('q', 'ԛ', '-'),
    ('s', 'ѕ', '-'),
    ('t', 'т', 'τ'),
    ('u', '-', 'υ'),
    ('v', 'ѵ', 'ν'),
    ('w', 'ԝ', 'ω'),
    ('x', 'х', 'χ'),
    ('y', 'у', 'γ'),
    ('b', 'Ь', '-'),
    ('m', 'м', '-'),
    ('ï', 'ї', 'ϊ'),
    ('ë', 'ё', '-'),
    ('Ï', 'Ї', 'Ϊ'),
    ('Ë', 'Ё', '-'),
    ('Y', 'У', 'Υ'),
    ('l', 'Ӏ', '-'),
    ('ó', '-', 'ό'),
    ('á', '-', 'ά'),
];

/// Returns the letter of `target` that looks like `character`.
fn look_alike(character: char, target: Script) -> Option<char> {
    if !matches!(Script::of(character), Script::Latin | Script::Cyrillic | Script::Greek) {
        return None;
    }
    let found = LOOK_ALIKES
        .iter()
        .find(|&&(latin, cyrillic, greek)| [latin, cyrillic, greek].contains(&character));
    let &(latin, cyrillic, greek) = found?;
    let letter = match target {
        Script::Latin => latin,
        Script::Cyrillic => cyrillic,
        Script::Greek => greek,
        Script::Digit | Script::Other => return None,
    };
    (letter != '-').then_some(letter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_letters_of_the_right_scripts() {
        for &(latin, cyrillic, greek) in LOOK_ALIKES {
            assert_eq!(Script::of(latin), Script::Latin, "{latin}");
            assert!(cyrillic == '-' || Script::of(cyrillic) == Script::Cyrillic, "{cyrillic}");
            assert!(greek == '-' || Script::of(greek) == Script::Greek, "{greek}");
        }
    }

    #[test]
    fn a_disguised_word_is_the_word_it_looks_like() {
        for (word, looks) in [
            ("соpyright", "copyright"),
            ("оf", "of"),
            ("tехt", "text"),
            ("Прiвет", "Прівет"),
            ("plαgiarism", "plagiarism"),
            ("dataβαse", ""),
            ("ΤHE", "THE"),
            ("wοrd", "word"),
            ("НELLO1", "HELLO1"),
        ] {
            assert_eq!(unmasked(word).unwrap_or_default(), looks, "{word}");
        }
    }

    #[test]
    fn ordinary_words_stay_unchanged() {
        let words = "Привет Καλημέρα μm Δt 3α 日本語のテキスト naïve TNFα NFκB IκBα sinα PPARγ 1990г \
                     USBшный p38α ШHELL";
        for word in words.split_whitespace() {
            assert_eq!(unmasked(word), None, "{word}");
        }
    }
}
