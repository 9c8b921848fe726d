//! The analyzer: tokenizer, chunker and selector as the settings describe them.

use std::ops::Range;

use textkin_core::chunk::overlapping_count;
use textkin_core::{Chunk, Chunked, Chunker, Excluded, Layers, Selector, Tokenizer, Tokens};
use textkin_index::BatchSettings;
use textkin_text::tokenizer::{Template, WordTokenizer};

use crate::error::Error;
use crate::settings::{ScoredChunks, Settings};

/// Turns texts into tokens, chunks and selections according to [`Settings`].
pub struct Analyzer {
    tokenizer: WordTokenizer,
    chunker: Box<dyn Chunker>,
    /// `None` if every chunk is selected.
    selector: Option<Box<dyn Selector>>,
    min_words: usize,
    /// Which chunks remain after the selection.
    scored: ScoredChunks,
    hash_bits: u32,
}

impl Analyzer {
    /// Creates the analyzer for `settings`.
    ///
    /// # Errors
    /// If a selector lacks a word list or the frequencies of a first pass.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        let chunker = settings.chunk.build(settings.hash);
        let mut tokenizer = WordTokenizer::new(&settings.normalization);
        if !settings.templates.is_empty() {
            let tokens = |text: &String| {
                let mut tokens = Tokens::new(Layers::NONE);
                tokenizer.tokenize(text, &mut tokens);
                tokens
            };
            let templates: Vec<Tokens> = settings.templates.iter().map(tokens).collect();
            let k = chunker.overlapping_words().unwrap_or(8);
            tokenizer = tokenizer.with_templates(Template::new(k, &templates));
        }
        let selector = match settings.select.is_lossless() {
            true => None,
            false => Some(settings.select.build(&settings.resources)?),
        };
        Ok(Self {
            tokenizer,
            chunker,
            selector,
            min_words: settings.min_words as usize,
            scored: settings.scored,
            hash_bits: settings.tuning.hash_bits,
        })
    }

    /// Returns a buffer for the tokens of this analyzer.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        Tokens::new(Layers { structure: self.needs_structure(), ..Layers::NONE })
    }

    /// Returns whether chunker or selector uses sentences and paragraphs.
    #[must_use]
    pub fn needs_structure(&self) -> bool {
        self.chunker.needs_structure()
            || self.selector.as_ref().is_some_and(|selector| selector.needs_structure())
    }

    /// Tokenizes `text` into `tokens`; a text with too few words has none.
    pub fn tokenize(&self, text: &str, tokens: &mut Tokens) {
        self.tokenizer.tokenize(text, tokens);
        if tokens.len() < self.min_words {
            tokens.clear();
        }
    }

    /// Returns consecutive ranges of `text`, each of about `n_bytes` bytes, whose words one after the other are those of
    /// the whole text, if its chunks are all runs of words; `None` if it cannot be divided.
    pub(crate) fn parts<'a>(
        &self,
        text: &'a str,
        n_bytes: usize,
    ) -> Option<impl Iterator<Item = Range<usize>> + use<'a>> {
        self.all_words()?;
        self.tokenizer.parts(text, n_bytes)
    }

    /// Returns the excluded parts of `text` and the reasons.
    pub(crate) fn excluded(&self, text: &str) -> Vec<Excluded> {
        self.tokenizer.excluded(text)
    }

    /// Computes the chunks of `tokens` and the indices of the selected ones, ascending. If only selected
    /// chunks are scored, the others are dropped.
    pub fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>, selection: &mut Vec<u32>) {
        chunks.clear();
        selection.clear();
        self.chunker.chunk(tokens, chunks);
        selection.extend(0..u32::try_from(chunks.len()).expect("a text is limited to 4 GiB"));
        if let Some(selector) = &self.selector {
            selector.select(&Chunked { tokens, chunks }, selection);
            if self.scored == ScoredChunks::Selected {
                keep_selected(chunks, selection);
            }
        }
    }

    /// Returns `Some(k)` if the chunks are all runs of `k` words and the selection depends on the
    /// hashes of words alone, so that chunks need not be computed.
    pub(crate) fn selected_runs(&self) -> Option<usize> {
        let k = self.chunker.overlapping_words()? as usize;
        let selects_runs = self.selector.as_ref().is_none_or(|selector| selector.selects_runs());
        selects_runs.then_some(k)
    }

    /// Fills `selection` with the indices of the selected chunks without computing the chunks, and
    /// returns `Some(k)` if the chunks are all runs of `k` words; `None` if that is not possible.
    pub(crate) fn select_runs(&self, tokens: &Tokens, selection: &mut Vec<u32>) -> Option<usize> {
        let k = self.selected_runs()?;
        selection.clear();
        match &self.selector {
            Some(selector) => selector.select_of_all_runs(tokens, k, selection),
            None => selection.extend((0..).take(overlapping_count(tokens.len(), k))),
        }
        Some(k)
    }

    /// Returns `Some(k)` if the chunks are all runs of `k` words and all are selected: the fast
    /// path.
    pub(crate) fn all_words(&self) -> Option<u32> {
        self.chunker.overlapping_words().filter(|_| self.selector.is_none())
    }

    pub(crate) fn batch_settings(&self) -> BatchSettings {
        let drops = self.selector.is_some() && self.scored == ScoredChunks::Selected;
        BatchSettings {
            overlapping_words: self.chunker.overlapping_words().filter(|_| !drops),
            identity: self.chunker.identity(),
            selective: self.selector.is_some() && !drops,
            records: true,
            hash_bits: self.hash_bits,
        }
    }
}

/// Removes the chunks that are not in `selection`, which then selects all.
fn keep_selected(chunks: &mut Vec<Chunk>, selection: &mut [u32]) {
    for (kept, index) in selection.iter_mut().enumerate() {
        chunks[kept] = chunks[*index as usize];
        *index = u32::try_from(kept).expect("a text is limited to 4 GiB");
    }
    chunks.truncate(selection.len());
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Analyzer")
            .field("tokenizer", &self.tokenizer)
            .finish_non_exhaustive()
    }
}
