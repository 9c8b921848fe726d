//! Generated texts for the load test, the same in every run.
//!
//! Words follow Zipf's law. One document in five has a passage of an earlier one, one in fifty is an
//! edited copy, one in a hundred an exact one; one in twenty ends with a notice that about two dozen
//! others share.

use crate::generate::{Random, spell};

/// Number of documents that others can copy from.
const REMEMBERED: usize = 2000;
/// Minimum number of notices at the end of documents, and words per notice. A large collection has one for every
/// 500 documents, so that each is in about as many.
const MIN_NOTICES: usize = 200;
const DOCUMENTS_PER_NOTICE: usize = 500;
const NOTICE_WORDS: usize = 40;

/// Generator of documents.
pub(crate) struct TextGenerator {
    random: Random,
    notices: Vec<Vec<u32>>,
    earlier: Vec<Vec<u32>>,
}

impl TextGenerator {
    /// Creates a generator from a seed, for a collection of `n_documents`.
    pub(crate) fn new(seed: u64, n_documents: usize) -> Self {
        let mut common = Random::new(7);
        let notice = |random: &mut Random| (0..NOTICE_WORDS).map(|_| random.word()).collect();
        let notices = (0..MIN_NOTICES.max(n_documents / DOCUMENTS_PER_NOTICE))
            .map(|_| notice(&mut common))
            .collect();
        Self { random: Random::new(seed), notices, earlier: Vec::new() }
    }

    /// Returns the next document, of about 300 words.
    pub(crate) fn document(&mut self) -> Vec<u32> {
        let random = &mut self.random;
        let mut words: Vec<u32> = (0..200 + random.below(200)).map(|_| random.word()).collect();
        if !self.earlier.is_empty() {
            let source = &self.earlier[random.index(self.earlier.len())];
            match random.below(100) {
                0 => words.clone_from(source),
                1 | 2 => {
                    words.clone_from(source);
                    for _ in 0..words.len() / 40 {
                        let position = random.index(words.len());
                        words[position] = random.word();
                    }
                }
                3..=22 => insert_passage(random, &mut words, source, 60),
                _ => {}
            }
        }
        if random.below(20) == 0 {
            let notice = random.index(self.notices.len());
            words.extend_from_slice(&self.notices[notice]);
        }
        match self.earlier.len() < REMEMBERED {
            true => self.earlier.push(words.clone()),
            false => {
                let position = random.index(REMEMBERED);
                self.earlier[position].clone_from(&words);
            }
        }
        words
    }

    /// Returns a text of 500 words; one in three has two passages of earlier documents.
    pub(crate) fn probe(&mut self) -> Vec<u32> {
        let random = &mut self.random;
        let shares = random.below(3) == 0 && !self.earlier.is_empty();
        let n_words = if shares { 380 } else { 500 };
        let mut words: Vec<u32> = (0..n_words).map(|_| random.word()).collect();
        if shares {
            for _ in 0..2 {
                let source = &self.earlier[random.index(self.earlier.len())];
                insert_passage(random, &mut words, source, 60);
            }
        }
        words
    }

    /// Returns an earlier document with new words before it.
    pub(crate) fn copy(&mut self) -> Vec<u32> {
        let random = &mut self.random;
        let mut words: Vec<u32> = (0..60).map(|_| random.word()).collect();
        words.extend_from_slice(&self.earlier[random.index(self.earlier.len())]);
        words
    }

    /// Returns a generator with the same notices and earlier documents, and another seed.
    pub(crate) fn fork(&self, seed: u64) -> Self {
        let (notices, earlier) = (self.notices.clone(), self.earlier.clone());
        Self { random: Random::new(seed), notices, earlier }
    }

    /// Returns true with a probability of 1/n.
    pub(crate) fn is_one_in(&mut self, n: u64) -> bool {
        self.random.below(n) == 0
    }
}

/// Inserts `length` words of `source` at a random position of `words`.
fn insert_passage(random: &mut Random, words: &mut Vec<u32>, source: &[u32], length: usize) {
    let length = length.min(source.len());
    let start = random.index(source.len() - length + 1);
    let position = random.index(words.len());
    words.splice(position..position, source[start..start + length].iter().copied());
}

/// Writes words as text of letters, spaces and full stops, which need no escaping in JSON.
pub(crate) fn text(words: &[u32]) -> String {
    let mut text = String::with_capacity(words.len() * 7);
    for (index, word) in words.iter().enumerate() {
        if index > 0 {
            text.push_str(if index % 15 == 14 { ". " } else { " " });
        }
        spell(*word, &mut text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_reproducible_and_have_the_documented_length() {
        let make = || {
            let mut texts = TextGenerator::new(1, 3000);
            (0..3000).map(|_| texts.document()).collect::<Vec<_>>()
        };
        let documents = make();
        assert_eq!(documents, make());
        let words: usize = documents.iter().map(Vec::len).sum();
        assert!((280..340).contains(&(words / documents.len())), "{}", words / documents.len());
        let mut texts = TextGenerator::new(1, 3000);
        let document = texts.document();
        assert!((0..100).all(|_| texts.probe().len() == 500));
        let copy = texts.fork(9).copy();
        assert!(text(&copy).contains(&text(&document[..10])[..20]));
    }
}
