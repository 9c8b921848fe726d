//! Tokens: the normalized words of one document, with their spans in its text.

use crate::note::Disguises;
use crate::span::Span;

/// What a tokenizer records in addition to the tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// The byte span of each token in the text.
    pub spans: bool,
    /// Where sentences and paragraphs begin.
    pub structure: bool,
    /// Records only the hashes of the words, and their spans if requested, but not the words.
    pub hashes_only: bool,
}

impl Layers {
    /// Spans and structure.
    pub const ALL: Self = Self { spans: true, structure: true, hashes_only: false };
    /// Spans without structure.
    pub const SPANS: Self = Self { spans: true, ..Self::NONE };
    /// Tokens and their hashes only: what discovery needs.
    pub const NONE: Self = Self { spans: false, structure: false, hashes_only: false };
}

/// Turns text into tokens.
///
/// A tokenizer has settings but no state: the same text gives the same tokens on any thread and any
/// machine. An implementation that violates this invalidates every stored fingerprint.
pub trait Tokenizer: Send + Sync {
    /// Clears `tokens` and fills it from `text`, recording the layers that `tokens` requests.
    fn tokenize(&self, text: &str, tokens: &mut Tokens);
}

/// Reserves room for `n` more items. An empty list is freed first, so that nothing is copied.
fn reserve<T>(list: &mut Vec<T>, n: usize) {
    if list.is_empty() && list.capacity() < n {
        *list = Vec::new();
    }
    list.reserve_exact(n);
}

/// The tokens of one document.
///
/// The normalized tokens are stored one after the other in one buffer, each followed by a single space (no
/// token contains one). A run of tokens is therefore a run of bytes: two runs have the same tokens exactly
/// if their bytes are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    layers: Layers,
    text: Vec<u8>,
    ends: Vec<u32>,
    hashes: Vec<u64>,
    spans: Vec<Span>,
    sentences: Vec<u32>,
    paragraphs: Vec<u32>,
    disguises: Disguises,
}

impl Tokens {
    /// The byte after each token in [`Tokens::normalized`].
    pub const SEPARATOR: u8 = b' ';

    /// Creates an empty buffer that requests `layers` from tokenizers.
    #[must_use]
    pub fn new(layers: Layers) -> Self {
        Self { layers, ..Self::default() }
    }

    /// The layers that a tokenizer records.
    #[must_use]
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// Removes the tokens but keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.hashes.clear();
        self.spans.clear();
        self.sentences.clear();
        self.paragraphs.clear();
        self.disguises = Disguises::default();
    }

    /// Reserves room for about `n_tokens` tokens of `n_bytes` bytes in total; a hint, not a limit.
    pub fn reserve(&mut self, n_tokens: usize, n_bytes: usize) {
        if !self.layers.hashes_only {
            self.text.reserve(n_bytes);
            self.ends.reserve(n_tokens);
        }
        reserve(&mut self.hashes, n_tokens);
        if self.layers.spans {
            reserve(&mut self.spans, n_tokens);
        }
    }

    /// Number of tokens that fit without reallocation.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hashes.capacity()
    }

    /// Appends a token. Records `span` if spans are requested.
    ///
    /// `token` must be valid UTF-8, not empty and without spaces.
    pub fn push(&mut self, token: &[u8], span: Span) {
        self.text.extend_from_slice(token);
        self.finish_token(crate::chunk::token_hash(token), span);
    }

    /// Ends the token whose bytes were just written to the buffer of [`Tokens::buffer`].
    pub fn finish_token(&mut self, hash: u64, span: Span) {
        if self.layers.hashes_only {
            self.text.clear();
        } else {
            let end = u32::try_from(self.text.len()).expect("a text is bounded to 4 GiB");
            self.text.push(Self::SEPARATOR);
            self.ends.push(end);
        }
        self.hashes.push(hash);
        if self.layers.spans {
            self.spans.push(span);
        }
    }

    /// The buffer of normalized tokens, for tokenizers that write in place before
    /// [`Tokens::finish_token`].
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// Appends tokens already written to the buffer of [`Tokens::buffer`], each followed by
    /// [`Tokens::SEPARATOR`]: their ends in the buffer, their hashes and their spans.
    ///
    /// The three slices are equally long, except that `spans` may be empty if spans are not requested.
    pub fn extend_written(&mut self, ends: &[u32], hashes: &[u64], spans: &[Span]) {
        debug_assert_eq!(ends.len(), hashes.len(), "each token has an end and a hash");
        self.ends.extend_from_slice(ends);
        self.hashes.extend_from_slice(hashes);
        if self.layers.spans {
            debug_assert_eq!(hashes.len(), spans.len(), "each token has a span");
            self.spans.extend_from_slice(spans);
        }
    }

    /// Appends the hashes of tokens, and their spans if requested. Both iterators have the same length.
    pub fn extend_hashed(
        &mut self,
        hashes: impl ExactSizeIterator<Item = u64>,
        spans: impl ExactSizeIterator<Item = Span>,
    ) {
        debug_assert!(self.layers.hashes_only, "tokens of other layers have an end");
        debug_assert_eq!(hashes.len(), spans.len(), "each token has a span");
        self.hashes.extend(hashes);
        if self.layers.spans {
            self.spans.extend(spans);
        }
    }

    /// Marks the next token as the start of a sentence. A second call has no effect.
    pub fn begin_sentence(&mut self) {
        self.begin_sentence_at(self.len());
    }

    /// Marks the next token as the start of a paragraph (and so of a sentence).
    pub fn begin_paragraph(&mut self) {
        self.begin_paragraph_at(self.len());
    }

    /// Marks token `index` as the start of a sentence. Indices must not descend.
    pub fn begin_sentence_at(&mut self, index: usize) {
        begin(&mut self.sentences, index, self.layers.structure);
    }

    /// Marks token `index` as the start of a paragraph (and so of a sentence).
    pub fn begin_paragraph_at(&mut self, index: usize) {
        self.begin_sentence_at(index);
        begin(&mut self.paragraphs, index, self.layers.structure);
    }

    /// Disguises that the tokenizer removed from the words.
    #[must_use]
    pub fn disguises(&self) -> &Disguises {
        &self.disguises
    }

    /// The disguises, for tokenizers to change.
    pub fn disguises_mut(&mut self) -> &mut Disguises {
        &mut self.disguises
    }

    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there are no tokens.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// All tokens, each followed by [`Tokens::SEPARATOR`]. Empty if only hashes are requested; then tokens
    /// have no start, end or bytes.
    #[must_use]
    pub fn normalized(&self) -> &[u8] {
        &self.text
    }

    /// Where token `index` begins in [`Tokens::normalized`].
    #[must_use]
    pub fn start(&self, index: usize) -> u32 {
        if index == 0 { 0 } else { self.ends[index - 1] + 1 }
    }

    /// Where token `index` ends in [`Tokens::normalized`].
    #[must_use]
    pub fn end(&self, index: usize) -> u32 {
        self.ends[index]
    }

    /// Ends of all tokens in [`Tokens::normalized`].
    #[must_use]
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The normalized bytes of token `index`, valid UTF-8.
    #[must_use]
    pub fn token(&self, index: usize) -> &[u8] {
        &self.text[self.start(index) as usize..self.ends[index] as usize]
    }

    /// The hash of each token.
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The span of each token in the text; empty unless requested.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// First token of each sentence, ascending; empty unless requested.
    #[must_use]
    pub fn sentences(&self) -> &[u32] {
        trimmed(&self.sentences, self.len())
    }

    /// First token of each paragraph, ascending; empty unless requested.
    #[must_use]
    pub fn paragraphs(&self) -> &[u32] {
        trimmed(&self.paragraphs, self.len())
    }
}

fn begin(starts: &mut Vec<u32>, index: usize, is_requested: bool) {
    let next = u32::try_from(index).expect("a text is bounded to 4 GiB");
    if is_requested && starts.last() != Some(&next) {
        starts.push(next);
    }
}

/// Drops the start of a last sentence without tokens.
fn trimmed(starts: &[u32], n_tokens: usize) -> &[u32] {
    match starts.split_last() {
        Some((&last, rest)) if last as usize == n_tokens => rest,
        _ => starts,
    }
}
