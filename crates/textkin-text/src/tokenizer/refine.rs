//! Steps on whole words: numbers, ASCII, stop words, stems, upper case, in this order.
//!
//! In: the words of a text. Out: the remaining tokens, each with the span of its word.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use textkin_core::{Layers, Tokens};

use super::Normalization;
use super::normalization::Case;

/// The steps on whole words.
#[derive(Clone)]
pub(super) struct Refinement {
    numbers: bool,
    ascii: bool,
    stop_words: HashSet<Box<str>>,
    stemmer: Option<frostem::Stemmer>,
    upper: bool,
}

impl fmt::Debug for Refinement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Refinement")
            .field("numbers", &self.numbers)
            .field("ascii", &self.ascii)
            .field("stop_words", &self.stop_words.len())
            .field("stemmer", &self.stemmer.map(|stemmer| stemmer.algorithm()))
            .field("upper", &self.upper)
            .finish()
    }
}

impl Refinement {
    /// Creates the refinement of `normalization`, if it has such steps. `scan` cuts stop words into words like
    /// text, so that `don't` drops `don` and `t`.
    pub(super) fn new(
        normalization: &Normalization,
        scan: impl Fn(&str, &mut Tokens),
    ) -> Option<Self> {
        let mut refinement = Self {
            numbers: normalization.numbers,
            ascii: normalization.ascii,
            stop_words: HashSet::new(),
            stemmer: normalization.stemmer(),
            upper: normalization.case == Case::Upper,
        };
        let mut words = Tokens::new(Layers::NONE);
        for word in normalization.stop_words() {
            words.clear();
            scan(word, &mut words);
            for index in 0..words.len() {
                let word = refinement.characters(as_str(words.token(index)));
                refinement.stop_words.insert(word.into());
            }
        }
        let does_nothing = !refinement.numbers
            && !refinement.ascii
            && refinement.stop_words.is_empty()
            && refinement.stemmer.is_none()
            && !refinement.upper;
        (!does_nothing).then_some(refinement)
    }

    /// Appends the remaining tokens of `words` to `tokens`, with sentences and paragraphs.
    pub(super) fn refine(&self, words: &Tokens, tokens: &mut Tokens) {
        let mut starts = Starts::new(words);
        for index in 0..words.len() {
            starts.before(index, tokens);
            let token = self.token(as_str(words.token(index)));
            if !token.is_empty() {
                let span = words.spans().get(index).copied().unwrap_or_default();
                tokens.push(token.as_bytes(), span);
            }
        }
    }

    /// Returns the token of `word`; empty if it is dropped.
    fn token<'a>(&self, word: &'a str) -> Cow<'a, str> {
        let token = self.characters(word);
        if self.stop_words.contains(&*token) {
            return Cow::Borrowed("");
        }
        let token = match (&self.stemmer, &token) {
            (Some(stemmer), word) => {
                let stem = stemmer.stem(word);
                if stem.is_empty() || stem == **word {
                    token
                } else {
                    Cow::Owned(stem.into_owned())
                }
            }
            (None, _) => token,
        };
        if self.upper { Cow::Owned(token.to_uppercase()) } else { token }
    }

    /// Applies the steps before stop words.
    fn characters<'a>(&self, word: &'a str) -> Cow<'a, str> {
        if self.numbers && word.chars().all(char::is_numeric) {
            return Cow::Borrowed("0");
        }
        if self.ascii && !word.is_ascii() {
            return Cow::Owned(word.chars().filter(char::is_ascii).collect());
        }
        Cow::Borrowed(word)
    }
}

/// Appends the tokens outside the ascending ranges `removed`, with sentences and paragraphs.
pub(super) fn copy_kept(from: &Tokens, to: &mut Tokens, removed: &[Range<usize>]) {
    let mut starts = Starts::new(from);
    let mut removed = removed.iter().peekable();
    for index in 0..from.len() {
        removed.next_if(|range| range.end <= index);
        if removed.peek().is_some_and(|range| range.contains(&index)) {
            continue;
        }
        starts.before(index, to);
        to.buffer().extend_from_slice(from.token(index));
        let span = from.spans().get(index).copied().unwrap_or_default();
        to.finish_token(from.hashes()[index], span);
    }
}

/// Transfers the starts of sentences and paragraphs to tokens of which some are removed.
struct Starts<'a> {
    sentences: &'a [u32],
    paragraphs: &'a [u32],
}

impl<'a> Starts<'a> {
    fn new(from: &'a Tokens) -> Self {
        Self { sentences: from.sentences(), paragraphs: from.paragraphs() }
    }

    /// Marks in `to` the starts at or before token `index` of the original.
    fn before(&mut self, index: usize, to: &mut Tokens) {
        if pass(&mut self.paragraphs, index) {
            to.begin_paragraph();
        }
        if pass(&mut self.sentences, index) {
            to.begin_sentence();
        }
    }
}

/// Removes the starts at or before `index`, and returns whether there were any.
fn pass(starts: &mut &[u32], index: usize) -> bool {
    let n_passed = starts.iter().take_while(|&&start| start as usize <= index).count();
    *starts = &starts[n_passed..];
    n_passed > 0
}

fn as_str(token: &[u8]) -> &str {
    std::str::from_utf8(token).expect("tokens are valid UTF-8")
}
