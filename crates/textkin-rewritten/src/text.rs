//! A text made ready for alignment: what is compared of each word, and how strongly the text breaks between words.

use std::ops::Range;

use textkin_core::chunk::token_hash;
use textkin_core::{Span, Tokens, WordSpan};

/// A text made ready for alignment.
#[derive(Clone, Debug)]
pub struct RewrittenText {
    tokens: Tokens,
    /// Hash of the compared letters of each word.
    stems: Vec<u64>,
    /// How strongly the text breaks before each word, and after the last.
    breaks: Vec<u8>,
}

impl RewrittenText {
    /// Prepares the words of `text`, whose tokens have spans. Of each word, `letters` letters are compared.
    #[must_use]
    pub fn new(text: &str, tokens: Tokens, letters: usize) -> Self {
        let stems = (0..tokens.len()).map(|at| stem(tokens.token(at), letters)).collect();
        let breaks = breaks(text, tokens.spans());
        Self { tokens, stems, breaks }
    }

    /// Returns the words.
    #[must_use]
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    pub(crate) fn stems(&self) -> &[u64] {
        &self.stems
    }

    pub(crate) fn breaks(&self) -> &[u8] {
        &self.breaks
    }

    /// Returns the number of words.
    #[must_use]
    pub fn n_words(&self) -> usize {
        self.stems.len()
    }

    /// Returns the bytes of a word.
    ///
    /// # Panics
    /// If there is no such word.
    #[must_use]
    pub fn word(&self, at: usize) -> Span {
        self.tokens.spans()[at]
    }

    /// Returns the place of a range of words, which is not empty.
    ///
    /// # Panics
    /// If the range is empty or there are no such words.
    #[must_use]
    pub fn word_span(&self, words: &Range<usize>) -> WordSpan {
        let (first, count) = (words.start as u32, words.len() as u32);
        WordSpan { first, count, span: self.span(words) }
    }

    /// Returns the bytes of the text from the first to the last of `words`, which are not empty.
    pub(crate) fn span(&self, words: &Range<usize>) -> Span {
        let spans = self.tokens.spans();
        Span::new(spans[words.start].start, spans[words.end - 1].end)
    }
}

/// Returns the hash of the first `letters` letters of a word.
pub(crate) fn stem(word: &[u8], letters: usize) -> u64 {
    let starts = word.iter().enumerate().filter(|(_, byte)| **byte & 0xc0 != 0x80);
    let end = starts.map(|(at, _)| at).nth(letters).unwrap_or(word.len());
    token_hash(&word[..end])
}

/// Returns the break strength before each word and after the last: 3 for a blank line or an end of the text, 2 for
/// the end of a sentence, or of a line if a capital or digit follows, 1 for other punctuation or another end of a
/// line, and 0 otherwise.
fn breaks(text: &str, spans: &[Span]) -> Vec<u8> {
    let inner = spans.windows(2).map(|pair| {
        let between = text.get(pair[0].end as usize..pair[1].start as usize).unwrap_or_default();
        let next = text.get(pair[1].start as usize..).and_then(|rest| rest.chars().next());
        break_strength(between, next)
    });
    std::iter::once(3).chain(inner).chain(std::iter::once(3)).take(spans.len() + 1).collect()
}

fn break_strength(between: &str, next: Option<char>) -> u8 {
    if between == " " {
        return 0;
    }
    let lines = between.matches('\n').count();
    let begins = || next.is_some_and(|next| next.is_uppercase() || next.is_numeric());
    let is_end = |c: char| matches!(c, '.' | '!' | '?' | '…' | '。' | '！' | '？' | '।');
    if lines >= 2 {
        3
    } else if between.contains(is_end) || lines == 1 && begins() {
        2
    } else if between.chars().any(|c| c == '\n' || !c.is_whitespace()) {
        1
    } else {
        0
    }
}
