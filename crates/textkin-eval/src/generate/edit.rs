//! Ways to change a text, each at a rate: what a copier, an editor or a scanner does to it.

use textkin::types::Random;

use super::Language;

/// One way to change a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Words come in between.
    Insert,
    /// Words go.
    Delete,
    /// Words give way to others.
    Replace,
    /// A word changes places with the next.
    Swap,
    /// Stretches of 20 words go elsewhere; the rate is the share of words that move.
    Move,
    /// Letters become large or small.
    Case,
    /// Letters are misread, as by a scanner; the rate is that of words with a fault.
    Ocr,
}

/// Words that move together.
const STRETCH: usize = 20;

/// What scanners take for each other.
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

    /// Its name.
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

    /// The words, about `rate` of them changed in this way.
    ///
    /// ```
    /// use textkin::types::Random;
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

/// A word that is not this one.
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

/// The word with one letter misread, where there is one that scanners misread.
fn misread(word: &str, random: &mut Random) -> String {
    let start = random.below(MISREAD.len());
    let faults = MISREAD.iter().cycle().skip(start).take(MISREAD.len());
    let fault = faults.into_iter().find(|(right, _)| word.contains(right));
    fault.map_or_else(|| word.to_owned(), |(right, wrong)| word.replacen(right, wrong, 1))
}

/// The words with stretches of them elsewhere.
fn moved(words: &[String], rate: f64, random: &mut Random) -> Vec<String> {
    let mut words = words.to_vec();
    let n_moves = (words.len() as f64 * rate / STRETCH as f64).round();
    let mut done = 0.0;
    while done < n_moves && words.len() > STRETCH {
        let from = random.below(words.len() - STRETCH);
        let stretch: Vec<String> = words.drain(from..from + STRETCH).collect();
        let to = random.below(words.len() + 1);
        words.splice(to..to, stretch);
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
    fn edits_change_what_they_say_and_about_as_much() {
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
