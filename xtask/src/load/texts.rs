//! Texts for the load test: made to order, the same in every run.
//!
//! Words follow Zipf's law. One document in five has a passage of an earlier one, one in fifty is an
//! edited copy, one in a hundred an exact one; one in twenty ends with a notice that some two dozen
//! others have.

use crate::generate::{Random, spell};

/// Documents that later ones may copy from.
const REMEMBERED: usize = 2000;
/// Notices at the end of documents, and their words.
const NOTICES: usize = 200;
const NOTICE_WORDS: usize = 40;

/// A source of documents.
pub(crate) struct Texts {
    random: Random,
    notices: Vec<Vec<u32>>,
    earlier: Vec<Vec<u32>>,
}

impl Texts {
    /// Another number gives other documents.
    pub(crate) fn new(number: u64) -> Self {
        let mut common = Random::new(7);
        let notice = |random: &mut Random| (0..NOTICE_WORDS).map(|_| random.word()).collect();
        let notices = (0..NOTICES).map(|_| notice(&mut common)).collect();
        Self { random: Random::new(number), notices, earlier: Vec::new() }
    }

    /// The next document, of about 300 words.
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
                        let place = random.index(words.len());
                        words[place] = random.word();
                    }
                }
                3..=22 => put(random, &mut words, source, 60),
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
                let place = random.index(REMEMBERED);
                self.earlier[place].clone_from(&words);
            }
        }
        words
    }

    /// A text of 500 words; one in three has two passages of documents that were made before.
    pub(crate) fn probe(&mut self) -> Vec<u32> {
        let random = &mut self.random;
        let shares = random.below(3) == 0 && !self.earlier.is_empty();
        let own = if shares { 380 } else { 500 };
        let mut words: Vec<u32> = (0..own).map(|_| random.word()).collect();
        if shares {
            for _ in 0..2 {
                let source = &self.earlier[random.index(self.earlier.len())];
                put(random, &mut words, source, 60);
            }
        }
        words
    }

    /// One of the documents that were made before, with new words around it.
    pub(crate) fn copy(&mut self) -> Vec<u32> {
        let random = &mut self.random;
        let mut words: Vec<u32> = (0..60).map(|_| random.word()).collect();
        words.extend_from_slice(&self.earlier[random.index(self.earlier.len())]);
        words
    }

    /// The same notices and earlier documents, and a chance of its own.
    pub(crate) fn fork(&self, number: u64) -> Self {
        let (notices, earlier) = (self.notices.clone(), self.earlier.clone());
        Self { random: Random::new(number), notices, earlier }
    }

    /// One in so many.
    pub(crate) fn is_one_in(&mut self, n: u64) -> bool {
        self.random.below(n) == 0
    }
}

/// Puts `length` words of `source` somewhere into `words`.
fn put(random: &mut Random, words: &mut Vec<u32>, source: &[u32], length: usize) {
    let length = length.min(source.len());
    let start = random.index(source.len() - length + 1);
    let place = random.index(words.len());
    words.splice(place..place, source[start..start + length].iter().copied());
}

/// Words as text: letters, spaces and full stops only, so that it stands in JSON as it is.
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
    fn texts_are_the_same_in_every_run_and_have_the_length_that_is_said() {
        let make = || {
            let mut texts = Texts::new(1);
            (0..3000).map(|_| texts.document()).collect::<Vec<_>>()
        };
        let documents = make();
        assert_eq!(documents, make());
        let words: usize = documents.iter().map(Vec::len).sum();
        assert!((280..340).contains(&(words / documents.len())), "{}", words / documents.len());
        let mut texts = Texts::new(1);
        let made = texts.document();
        assert!((0..100).all(|_| texts.probe().len() == 500));
        let copy = texts.fork(9).copy();
        assert!(text(&copy).contains(&text(&made[..10])[..20]));
    }
}
