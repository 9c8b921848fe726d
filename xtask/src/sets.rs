//! Texts as sets of hashed words or runs of words: what truth is counted by, apart from textkin.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// How a text becomes a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sets {
    /// Runs of eight words; a word is a run of letters and digits, in small letters. What is shorter than
    /// eight words is one run.
    EightWords,
    /// Runs of three such words.
    ThreeWords,
    /// What white space divides.
    Words,
    /// The same in small letters.
    LowerWords,
    /// Runs of five of what characters outside of words divide, in small letters, the empty too: as
    /// text-dedup does.
    FiveWords,
}

impl Sets {
    /// The set of a text, as ascending hashes. Two different members have the same hash with a
    /// probability of about 10⁻⁶ in ten million.
    pub(crate) fn of(self, text: &str) -> Vec<u64> {
        let lower;
        let words: Vec<&str> = match self {
            Self::Words => text.split_whitespace().collect(),
            Self::LowerWords => {
                lower = text.to_lowercase();
                lower.split_whitespace().collect()
            }
            Self::EightWords | Self::ThreeWords => {
                lower = text.to_lowercase();
                lower
                    .split(|c: char| !c.is_alphanumeric())
                    .filter(|word| !word.is_empty())
                    .collect()
            }
            Self::FiveWords => {
                lower = text.to_lowercase();
                lower.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
            }
        };
        let k = match self {
            Self::EightWords => 8,
            Self::ThreeWords => 3,
            Self::Words | Self::LowerWords => 1,
            Self::FiveWords => 5,
        };
        let mut hashes: Vec<u64> = match words.len() {
            0 => Vec::new(),
            n if n < k => vec![hash(&words)],
            _ => words.windows(k).map(hash).collect(),
        };
        hashes.sort_unstable();
        hashes.dedup();
        hashes
    }
}

/// The same in every run: the keys are fixed.
fn hash(words: &[&str]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(words)
}

/// How many members two ascending sets share, by a walk over both.
pub(crate) fn n_shared(mut a: &[u64], mut b: &[u64]) -> u64 {
    let mut shared = 0;
    while let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) {
        shared += u64::from(x == y);
        (a, b) = (if x <= y { rest_a } else { a }, if y <= x { rest_b } else { b });
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_those_of_their_makers() {
        assert_eq!(Sets::EightWords.of("a b c d e f g h i j k l").len(), 5);
        assert_eq!(
            Sets::EightWords.of("a b c d e f g h i j k l"),
            Sets::EightWords.of("A b c d, e f g h i j k l!")
        );
        assert_eq!(Sets::EightWords.of("One two").len(), 1, "what is short is one run");
        assert_eq!(Sets::Words.of("a A a b.").len(), 3);
        assert_eq!(Sets::LowerWords.of("a A a b.").len(), 2);
        assert_eq!(
            Sets::FiveWords.of("a, b_c d e").len(),
            1,
            "between a comma and a blank is a word"
        );
        assert!(Sets::EightWords.of("").is_empty());
    }

    #[test]
    fn shared_members_are_counted() {
        assert_eq!(n_shared(&[1, 3, 5], &[2, 3, 5, 9]), 2);
        assert_eq!((n_shared(&[], &[1]), n_shared(&[7], &[7])), (0, 1));
    }
}
