//! Texts as sets of hashed words or word n-grams, from which ground truth is computed independently of textkin.

use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

/// How to convert a text to a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum SetKind {
    /// Runs of eight words; a word is a run of letters and digits in lower case. A shorter text is one run.
    EightWords,
    /// Runs of three such words.
    ThreeWords,
    /// Words separated by white space.
    Words,
    /// Words separated by white space, in lower case.
    LowerWords,
    /// Runs of five words in lower case, split at every character outside of words, including empty words, as
    /// text-dedup does.
    FiveWords,
}

impl SetKind {
    /// Returns the set of a text, as ascending hashes. Among ten million members, two have the same hash with a
    /// probability of about 10⁻⁶.
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

/// Hashes words; the result is the same in every run.
fn hash(words: &[&str]) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(words)
}

/// Returns the number of members that two ascending sets share.
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
    fn sets_are_those_of_the_compared_tools() {
        assert_eq!(SetKind::EightWords.of("a b c d e f g h i j k l").len(), 5);
        assert_eq!(
            SetKind::EightWords.of("a b c d e f g h i j k l"),
            SetKind::EightWords.of("A b c d, e f g h i j k l!")
        );
        assert_eq!(SetKind::EightWords.of("One two").len(), 1, "a short text is one run");
        assert_eq!(SetKind::Words.of("a A a b.").len(), 3);
        assert_eq!(SetKind::LowerWords.of("a A a b.").len(), 2);
        assert_eq!(
            SetKind::FiveWords.of("a, b_c d e").len(),
            1,
            "there is an empty word between a comma and a space"
        );
        assert!(SetKind::EightWords.of("").is_empty());
    }

    #[test]
    fn shared_members_are_counted() {
        assert_eq!(n_shared(&[1, 3, 5], &[2, 3, 5, 9]), 2);
        assert_eq!((n_shared(&[], &[1]), n_shared(&[7], &[7])), (0, 1));
    }
}
