//! Tokens: the normalised words of one document, with their places in its text.

use crate::note::Disguises;
use crate::span::Span;

/// What a tokenizer should record beyond the tokens themselves.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layers {
    /// The byte span of each token in the text.
    pub spans: bool,
    /// Where sentences and paragraphs begin.
    pub structure: bool,
    /// The words themselves are left out: there are only their hashes, and their spans if asked for.
    pub hashes_only: bool,
}

impl Layers {
    /// Spans and structure.
    pub const ALL: Self = Self { spans: true, structure: true, hashes_only: false };
    /// Spans, and no structure.
    pub const SPANS: Self = Self { spans: true, ..Self::NONE };
    /// Tokens and their hashes only: what discovery needs.
    pub const NONE: Self = Self { spans: false, structure: false, hashes_only: false };
}

/// Turns text into tokens.
///
/// A tokenizer holds settings and never state: the same text gives the same tokens in any thread
/// and on any machine. An implementation that breaks this breaks every stored fingerprint.
pub trait Tokenizer: Send + Sync {
    /// Clears `tokens` and fills it from `text`, recording the layers that `tokens` asks for.
    fn tokenize(&self, text: &str, tokens: &mut Tokens);
}

/// Makes room for `n` more; what holds nothing is given back first, not copied.
fn reserve<T>(list: &mut Vec<T>, n: usize) {
    if list.is_empty() && list.capacity() < n {
        *list = Vec::new();
    }
    list.reserve_exact(n);
}

/// The tokens of one document.
///
/// The normalised tokens stand one after the other in one buffer, each followed by a single space
/// (no token contains one), so that a run of tokens is a run of bytes: two runs hold the same
/// tokens exactly if their bytes are equal.
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

    /// An empty buffer that asks tokenizers for `layers`.
    #[must_use]
    pub fn new(layers: Layers) -> Self {
        Self { layers, ..Self::default() }
    }

    /// What a tokenizer records here.
    #[must_use]
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// Forgets the tokens, keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        self.hashes.clear();
        self.spans.clear();
        self.sentences.clear();
        self.paragraphs.clear();
        self.disguises = Disguises::default();
    }

    /// Makes room for about so many tokens of so many bytes together, as a help and no bound.
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

    /// Tokens that there is room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.hashes.capacity()
    }

    /// Appends a token. `span` is recorded if spans are asked for.
    ///
    /// `token` must be valid UTF-8, not empty and hold no space.
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

    /// The buffer of normalised tokens, for tokenizers that write in place before
    /// [`Tokens::finish_token`].
    pub fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.text
    }

    /// Appends tokens already written to the buffer of [`Tokens::buffer`], each followed by
    /// [`Tokens::SEPARATOR`]: their ends in the buffer, their hashes and their spans.
    ///
    /// The three slices are equally long, except that `spans` may be empty if none are asked for.
    pub fn extend_written(&mut self, ends: &[u32], hashes: &[u64], spans: &[Span]) {
        debug_assert_eq!(ends.len(), hashes.len(), "each token has an end and a hash");
        self.ends.extend_from_slice(ends);
        self.hashes.extend_from_slice(hashes);
        if self.layers.spans {
            debug_assert_eq!(hashes.len(), spans.len(), "each token has a span");
            self.spans.extend_from_slice(spans);
        }
    }

    /// Appends tokens of which only the hashes are kept, and the spans if they are asked for. There are as
    /// many of both.
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

    /// Says that a sentence begins with the next token. Saying it twice has no effect.
    pub fn begin_sentence(&mut self) {
        self.begin_sentence_at(self.len());
    }

    /// Says that a paragraph (and so a sentence) begins with the next token.
    pub fn begin_paragraph(&mut self) {
        self.begin_paragraph_at(self.len());
    }

    /// Says that a sentence begins with token `index`. Indices must not descend.
    pub fn begin_sentence_at(&mut self, index: usize) {
        begin(&mut self.sentences, index, self.layers.structure);
    }

    /// Says that a paragraph (and so a sentence) begins with token `index`.
    pub fn begin_paragraph_at(&mut self, index: usize) {
        self.begin_sentence_at(index);
        begin(&mut self.paragraphs, index, self.layers.structure);
    }

    /// What the tokenizer undid in the words.
    #[must_use]
    pub fn disguises(&self) -> &Disguises {
        &self.disguises
    }

    /// The same, for tokenizers.
    pub fn disguises_mut(&mut self) -> &mut Disguises {
        &mut self.disguises
    }

    /// Number of tokens.
    #[must_use]
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there is no token.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// All tokens, each followed by [`Tokens::SEPARATOR`]; nothing if only hashes are asked for, and then
    /// no token has a start, an end or bytes.
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

    /// The normalised bytes of token `index`, valid UTF-8.
    #[must_use]
    pub fn token(&self, index: usize) -> &[u8] {
        &self.text[self.start(index) as usize..self.ends[index] as usize]
    }

    /// The hash of each token.
    #[must_use]
    pub fn hashes(&self) -> &[u64] {
        &self.hashes
    }

    /// The span of each token in the text; empty unless asked for.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// First token of each sentence, ascending; empty unless asked for.
    #[must_use]
    pub fn sentences(&self) -> &[u32] {
        trimmed(&self.sentences, self.len())
    }

    /// First token of each paragraph, ascending; empty unless asked for.
    #[must_use]
    pub fn paragraphs(&self) -> &[u32] {
        trimmed(&self.paragraphs, self.len())
    }
}

fn begin(starts: &mut Vec<u32>, index: usize, wanted: bool) {
    let next = u32::try_from(index).expect("a text is bounded to 4 GiB");
    if wanted && starts.last() != Some(&next) {
        starts.push(next);
    }
}

/// Without the start of a sentence that never got a token.
fn trimmed(starts: &[u32], n_tokens: usize) -> &[u32] {
    match starts.split_last() {
        Some((&last, rest)) if last as usize == n_tokens => rest,
        _ => starts,
    }
}
