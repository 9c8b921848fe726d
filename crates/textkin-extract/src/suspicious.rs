//! Signs of manipulation in a text: characters without width inside words, and words that mix
//! letters of different scripts that look alike.
//!
//! Both are used to keep a copied text from being found. [`suspicious`] says what is there,
//! [`fold_suspicious`] undoes it.

use std::borrow::Cow;

use crate::Note;

/// A word with Greek letters must have this many letters to be called a mix; shorter ones are
/// often symbols.
const MIN_LETTERS_GREEK: usize = 3;

/// What is suspicious in `text`.
pub fn suspicious(text: &str) -> Vec<Note> {
    let (_, findings) = scan(text, false);
    let mut notes = Vec::new();
    if findings.n_zero_width > 0 {
        notes.push(Note::ZeroWidth { count: findings.n_zero_width });
    }
    if findings.n_mixed > 0 {
        notes.push(Note::LookAlikes { count: findings.n_mixed, example: findings.example });
    }
    notes
}

/// `text` without characters of no width inside words, and with look-alike letters in words of
/// mixed script replaced by those of the script most of the word is in.
///
/// ```
/// use textkin_extract::fold_suspicious;
///
/// assert_eq!(fold_suspicious("pla\u{200b}giarism"), "plagiarism");
/// assert_eq!(fold_suspicious("pl\u{430}giarism"), "plagiarism");
/// assert_eq!(fold_suspicious("Привет, α-helix"), "Привет, α-helix");
/// ```
pub fn fold_suspicious(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let (folded, findings) = scan(text, true);
    if findings.n_zero_width == 0 && findings.n_mixed == 0 {
        return Cow::Borrowed(text);
    }
    Cow::Owned(folded)
}

#[derive(Default)]
struct Findings {
    n_zero_width: usize,
    n_mixed: usize,
    example: String,
}

/// Goes over the words of `text`, where characters without width do not end a word.
fn scan(text: &str, fold: bool) -> (String, Findings) {
    let mut findings = Findings::default();
    let mut folded = String::with_capacity(if fold { text.len() } else { 0 });
    if text.is_ascii() {
        if fold {
            folded.push_str(text);
        }
        return (folded, findings);
    }
    let mut characters = text.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        if !character.is_alphanumeric() {
            if fold {
                folded.push(character);
            }
            continue;
        }
        let mut end = start + character.len_utf8();
        while let Some(&(at, next)) = characters.peek() {
            if !next.is_alphanumeric() && !is_zero_width(next) {
                break;
            }
            end = at + next.len_utf8();
            characters.next();
        }
        let word = text.get(start..end).unwrap_or_default();
        if word.is_ascii() {
            if fold {
                folded.push_str(word);
            }
        } else {
            scan_word(word, fold.then_some(&mut folded), &mut findings);
        }
    }
    (folded, findings)
}

fn scan_word(word: &str, folded: Option<&mut String>, findings: &mut Findings) {
    // What stands after the last letter is not inside the word.
    let inner = word.trim_end_matches(is_zero_width);
    let after = word.get(inner.len()..).unwrap_or_default();
    // Scripts that join letters, or write no spaces, need these characters.
    let needs_them = inner.chars().any(|c| c.is_alphanumeric() && script(c) == Script::Other);
    let clean: Cow<'_, str> = if needs_them || !inner.contains(is_zero_width) {
        Cow::Borrowed(inner)
    } else {
        findings.n_zero_width += inner.chars().filter(|&c| is_zero_width(c)).count();
        Cow::Owned(inner.chars().filter(|&c| !is_zero_width(c)).collect())
    };
    let target = mixed(&clean);
    if target.is_some() {
        findings.n_mixed += 1;
        if findings.example.is_empty() {
            findings.example = clean.chars().take(40).collect();
        }
    }
    if let Some(folded) = folded {
        match target {
            Some(target) => {
                folded.extend(clean.chars().map(|c| look_alike(c, target).unwrap_or(c)))
            }
            None => folded.push_str(&clean),
        }
        folded.push_str(after);
    }
}

/// The script to fold `word` to, if it is a mix of letters that can all be folded to it.
fn mixed(word: &str) -> Option<Script> {
    let (mut n_latin, mut n_cyrillic, mut n_greek) = (0usize, 0usize, 0usize);
    for character in word.chars() {
        match script(character) {
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
    word.chars()
        .filter(|&c| !matches!(script(c), Script::Digit) && script(c) != target)
        .all(|c| look_alike(c, target).is_some())
        .then_some(target)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Script {
    Latin,
    Cyrillic,
    Greek,
    Digit,
    Other,
}

fn script(character: char) -> Script {
    match character {
        'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '0'..='9' => Script::Digit,
        _ => Script::Other,
    }
}

/// Characters that take no room: joiners, direction marks, tags, variation selectors.
fn is_zero_width(character: char) -> bool {
    matches!(character,
        '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{180e}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
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
    if !matches!(script(character), Script::Latin | Script::Cyrillic | Script::Greek) {
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
    use proptest::prelude::*;

    #[test]
    fn the_table_holds_what_it_says() {
        for &(latin, cyrillic, greek) in LOOK_ALIKES {
            assert_eq!(script(latin), Script::Latin, "{latin}");
            assert!(cyrillic == '-' || script(cyrillic) == Script::Cyrillic, "{cyrillic}");
            assert!(greek == '-' || script(greek) == Script::Greek, "{greek}");
        }
    }

    #[test]
    fn look_alikes_are_folded_to_the_script_of_the_word() {
        assert_eq!(fold_suspicious("соpyright оf thе tехt"), "copyright of the text");
        assert_eq!(fold_suspicious("Прiвет"), "Прівет");
        assert_eq!(
            suspicious("a tехt"),
            [Note::LookAlikes { count: 1, example: "tехt".to_owned() }]
        );
    }

    #[test]
    fn honest_words_stay() {
        for text in [
            "Привет мир",
            "Καλημέρα",
            "μm Δt",
            "3α",
            "日本語のテキスト",
            "می\u{200c}خواهم",
            "naïve",
        ] {
            assert_eq!(fold_suspicious(text), text);
            assert_eq!(suspicious(text), []);
        }
    }

    #[test]
    fn characters_without_width_are_removed_inside_words() {
        assert_eq!(fold_suspicious("a\u{200d}b\u{2060}c d\u{200b} e"), "abc d\u{200b} e");
        assert_eq!(suspicious("a\u{200d}b\u{2060}c"), [Note::ZeroWidth { count: 2 }]);
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing_more(text in "[a-zа-яα-ω0-9\u{200b}-\u{200d} ]{0,40}") {
            let once = fold_suspicious(&text).into_owned();
            prop_assert_eq!(fold_suspicious(&once), once.as_str());
            prop_assert!(suspicious(&once).is_empty());
        }
    }
}
