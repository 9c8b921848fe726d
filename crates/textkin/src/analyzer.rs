//! The analyzer: settings turned into a tokenizer, a chunker and a selector.

use textkin_core::chunk::overlapping_count;
use textkin_core::{
    Chunk, Chunked, Chunker, Excluded, Identity, Layers, Selector, Tokenizer, Tokens,
};
use textkin_index::BatchSettings;
use textkin_text::tokenizer::{Template, WordTokenizer};

use crate::error::Error;
use crate::repository::{chunks_without_text, tokenize_without_text};
use crate::settings::Settings;

/// Turns texts into tokens, chunks and selections, as the settings say.
pub struct Analyzer {
    tokenizer: WordTokenizer,
    chunker: Box<dyn Chunker>,
    /// `None` if every chunk is kept.
    selector: Option<Box<dyn Selector>>,
    hash_bits: u32,
    /// Documents come without text: see [`tokenize_without_text`].
    replays: bool,
}

impl Analyzer {
    /// The analyzer that `settings` ask for.
    ///
    /// # Errors
    /// If a selector lacks a word list or the counts of an earlier pass.
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
        // What is stored without text is selected already.
        let (selector, replays) = match settings.replays {
            true => (None, true),
            false => (selector, false),
        };
        Ok(Self { tokenizer, chunker, selector, hash_bits: settings.hash_bits, replays })
    }

    /// A buffer for the tokens this analyzer makes.
    #[must_use]
    pub fn tokens(&self) -> Tokens {
        Tokens::new(Layers { structure: self.needs_structure(), ..Layers::NONE })
    }

    /// Whether sentences and paragraphs matter.
    #[must_use]
    pub fn needs_structure(&self) -> bool {
        self.chunker.needs_structure()
            || self.selector.as_ref().is_some_and(|selector| selector.needs_structure())
    }

    /// The tokens of `text`.
    pub fn tokenize(&self, text: &str, tokens: &mut Tokens) {
        match self.replays {
            true => tokenize_without_text(text, tokens),
            false => self.tokenizer.tokenize(text, tokens),
        }
    }

    /// The parts of `text` that do not count, and why.
    pub(crate) fn excluded(&self, text: &str) -> Vec<Excluded> {
        self.tokenizer.excluded(text)
    }

    /// The chunks of `tokens` and the indices of those selected, ascending.
    pub fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>, selection: &mut Vec<u32>) {
        chunks.clear();
        selection.clear();
        match self.replays {
            true => chunks_without_text(tokens, chunks),
            false => self.chunker.chunk(tokens, chunks),
        }
        selection.extend(0..u32::try_from(chunks.len()).expect("a text is bounded to 4 GiB"));
        if let Some(selector) = &self.selector {
            selector.select(&Chunked { tokens, chunks }, selection);
        }
    }

    /// `Some(k)` if all runs of `k` words are the chunks, and which are selected can be said without
    /// making them, by the hashes of words alone.
    pub(crate) fn selected_runs(&self) -> Option<usize> {
        let k = self.chunker.overlapping_words().filter(|_| !self.replays)? as usize;
        let selects_runs = self.selector.as_ref().is_none_or(|selector| selector.selects_runs());
        selects_runs.then_some(k)
    }

    /// The indices of the chunks of `tokens` that are selected, where that can be said without making
    /// them: then all runs of the words that are returned are the chunks. `None` elsewhere.
    pub(crate) fn select_runs(&self, tokens: &Tokens, selection: &mut Vec<u32>) -> Option<usize> {
        let k = self.selected_runs()?;
        selection.clear();
        match &self.selector {
            Some(selector) => selector.select_of_all_runs(tokens, k, selection),
            None => selection.extend((0..).take(overlapping_count(tokens.len(), k))),
        }
        Some(k)
    }

    /// `Some(k)` if all runs of `k` words are the chunks and all are kept: the short way.
    pub(crate) fn all_words(&self) -> Option<u32> {
        if self.selector.is_some() || self.replays {
            return None;
        }
        self.chunker.overlapping_words()
    }

    pub(crate) fn batch_settings(&self) -> BatchSettings {
        BatchSettings {
            overlapping_words: match self.replays {
                true => None,
                false => self.chunker.overlapping_words(),
            },
            identity: if self.replays { Identity::Hash } else { self.chunker.identity() },
            selective: self.selector.is_some(),
            records: true,
            hash_bits: self.hash_bits,
        }
    }
}

impl std::fmt::Debug for Analyzer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Analyzer")
            .field("tokenizer", &self.tokenizer)
            .finish_non_exhaustive()
    }
}
