//! Edits of a text at a given rate, as by a copier, an editor or a scanner.

use textkin::engine::types::Random;

use super::Language;

/// Kind of edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Insert words.
    Insert,
    /// Delete words.
    Delete,
    /// Replace words by others.
    Replace,
    /// Swap a word with the next one.
    Swap,
    /// Move runs of 20 words; the rate is the share of moved words.
    Move,
    /// Change the case of words.
    Case,
    /// Misread letters, as by a scanner; the rate is the share of words with an error.
    Ocr,
}

/// Words that move together.
const MOVED_WORDS: usize = 20;

/// Letters that scanners confuse.
const MISREAD: [(&str, &str); 10] = [
    ("m", "rn"),
    ("e", "c"),
    ("l", "1"),
    ("o", "0"),
    ("n", "ri"),
    ("t", "f"),
    ("i", "l"),
    ("s", "5"),
    ("u", "ii"),
    ("a", "o"),
];

impl Edit {
    /// All edits.
    pub const ALL: [Self; 7] =
        [Self::Insert, Self::Delete, Self::Replace, Self::Swap, Self::Move, Self::Case, Self::Ocr];

    /// Name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Insert => "insert",
            Self::Delete => "delete",
            Self::Replace => "replace",
            Self::Swap => "swap",
            Self::Move => "move",
            Self::Case => "case",
            Self::Ocr => "ocr",
        }
    }

    /// Applies the edit to about `rate` of the words.
    ///
    /// ```
    /// use textkin::engine::types::Random;
    /// use textkin_eval::generate::{Edit, Language};
    ///
    /// let language = Language::new(1);
    /// let mut random = Random::new(1);
    /// let words = language.text(1000, &mut random);
    /// let shorter = Edit::Delete.apply(&words, 0.1, &language, &mut random);
    /// assert!((850..950).contains(&shorter.len()));
    /// ```
    pub fn apply(
        self,
        words: &[String],
        rate: f64,
        language: &Language,
        random: &mut Random,
    ) -> Vec<String> {
        if self == Self::Move {
            return moved(words, rate, random);
        }
        let mut edited = Vec::with_capacity(words.len() + words.len() / 4);
        let mut left = words.iter().peekable();
        while let Some(word) = left.next() {
            let is_changed = random.unit() < rate;
            match self {
                _ if !is_changed => edited.push(word.clone()),
                Self::Insert => {
                    edited.push(word.clone());
                    edited.push(language.word(random).to_owned());
                }
                Self::Delete | Self::Move => {}
                Self::Replace => edited.push(other_word(word, language, random)),
                Self::Swap => {
                    edited.extend(left.next().cloned());
                    edited.push(word.clone());
                }
                Self::Case => edited.push(other_case(word)),
                Self::Ocr => edited.push(misread(word, random)),
            }
        }
        edited
    }
}

/// Returns a different word.
fn other_word(word: &str, language: &Language, random: &mut Random) -> String {
    let mut other = language.word(random);
    for _ in 0..9 {
        if !word.to_lowercase().starts_with(other) {
            break;
        }
        other = language.word(random);
    }
    other.to_owned()
}

fn other_case(word: &str) -> String {
    let upper = word.to_uppercase();
    if upper == word { word.to_lowercase() } else { upper }
}

/// Replaces one letter of a word by a misreading, if it has one that scanners confuse.
fn misread(word: &str, random: &mut Random) -> String {
    let start = random.below(MISREAD.len());
    let faults = MISREAD.iter().cycle().skip(start).take(MISREAD.len());
    let fault = faults.into_iter().find(|(right, _)| word.contains(right));
    fault.map_or_else(|| word.to_owned(), |(right, wrong)| word.replacen(right, wrong, 1))
}

/// Moves runs of words to other positions.
fn moved(words: &[String], rate: f64, random: &mut Random) -> Vec<String> {
    let mut words = words.to_vec();
    let n_moves = (words.len() as f64 * rate / MOVED_WORDS as f64).round();
    let mut done = 0.0;
    while done < n_moves && words.len() > MOVED_WORDS {
        let from = random.below(words.len() - MOVED_WORDS);
        let moved: Vec<String> = words.drain(from..from + MOVED_WORDS).collect();
        let to = random.below(words.len() + 1);
        words.splice(to..to, moved);
        done += 1.0;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(words: &[String]) -> Vec<String> {
        let mut words = words.to_vec();
        words.sort();
        words
    }

    #[test]
    fn edits_change_about_the_requested_share_of_words() {
        let language = Language::new(7);
        let mut random = Random::new(7);
        let words = language.text(4_000, &mut random);
        for edit in Edit::ALL {
            let nothing = edit.apply(&words, 0.0, &language, &mut random);
            assert_eq!(nothing, words, "{}", edit.name());
            let edited = edit.apply(&words, 0.2, &language, &mut random);
            let n_same = edited.iter().zip(&words).filter(|(a, b)| a == b).count();
            match edit {
                Edit::Insert => assert!((4_650..4_950).contains(&edited.len())),
                Edit::Delete => assert!((3_050..3_350).contains(&edited.len())),
                Edit::Swap | Edit::Move => {
                    assert_eq!(sorted(&edited), sorted(&words));
                    assert!(n_same < 3_600, "{n_same}");
                }
                Edit::Replace | Edit::Ocr => {
                    assert_eq!(edited.len(), words.len());
                    assert!((3_050..3_450).contains(&n_same), "{} {n_same}", edit.name());
                }
                Edit::Case => {
                    let small = |word: &String| word.to_lowercase();
                    assert!(edited.iter().map(small).eq(words.iter().map(small)));
                    assert!((3_050..3_350).contains(&n_same), "{n_same}");
                }
            }
        }
    }

    #[test]
    fn short_texts_are_edited_too() {
        let language = Language::new(7);
        let one = vec!["Word.".to_owned()];
        for edit in Edit::ALL {
            assert!(edit.apply(&[], 1.0, &language, &mut Random::new(1)).is_empty());
            assert!(edit.apply(&one, 1.0, &language, &mut Random::new(1)).len() <= 2);
        }
    }
}
