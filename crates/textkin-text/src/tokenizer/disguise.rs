//! Disguised words: letters of another script that look alike, and characters without width.
//!
//! Both are used to keep a copied text from being found. In: one word. Out: the word it looks like,
//! if it is in disguise. The rule is one about words, so that ordinary text of any language stays
//! as it is: a word of one script is never touched, and a word of several only if all its letters
//! of other scripts look like letters of the one that most of it is in.
//!
//! Greek letters are symbols too (`TNFα`, `NFκB`, `sin α`). A small one that does not look quite like a
//! Latin letter is a disguise only beside a small Latin letter in a word that has
//! [`MIN_SMALL`] of them.

use textkin_core::Span;

/// A word with Greek letters must have this many letters to be a disguise; shorter ones are
/// symbols.
const MIN_LETTERS_GREEK: usize = 3;

/// So many small Latin letters make a word, not a symbol.
const MIN_SMALL: usize = 4;

/// What `word` looks like: its letters in the script that most of them are in, if all others look
/// like letters of it. `None` if the word is not in disguise. `word` has no characters
/// without width.
pub(super) fn unmasked(word: &str) -> Option<String> {
    let target = target(word)?;
    Some(word.chars().map(|c| look_alike(c, target).unwrap_or(c)).collect())
}

/// Adds to `spans` what disguises the word that `source` writes, which begins at byte `at` of its text:
/// its characters without width and, if it is `word` in disguise, its letters that look alike. If
/// none of these stands there as it is, all of `source` is meant.
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
            // A character that gives several words is marked once.
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

/// The script to fold `word` to, if it is in disguise.
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

/// Whether the Greek letters of a word that is Latin for the most part may be meant as such.
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

/// The scripts whose letters look alike.
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

/// Whether `character` takes no room, so that nothing shows it inside a word: joiners, direction
/// marks, variation selectors, tags. Soft hyphens are not among them: they are honest.
pub(super) fn is_zero_width(character: char) -> bool {
    matches!(character,
        '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Letters that look alike: Latin, Cyrillic, Greek; a dash where there is none.
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

/// The letter of `target` that looks like `character`.
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
    fn the_table_holds_what_it_says() {
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
    fn honest_words_stay() {
        let words = "Привет Καλημέρα μm Δt 3α 日本語のテキスト naïve TNFα NFκB IκBα sinα PPARγ 1990г \
                     USBшный p38α ШHELL";
        for word in words.split_whitespace() {
            assert_eq!(unmasked(word), None, "{word}");
        }
    }
}
