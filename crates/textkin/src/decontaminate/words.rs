//! Words of items and documents, and how rare they are.
//!
//! Words are those of textkin; in scripts that do not separate words, each character is a word. Rarity is measured
//! in the items and in the beginning of the training corpus.

use hashbrown::{HashMap, HashSet};
use textkin_core::chunk::token_hash;
use textkin_core::{Layers, Span, Tokenizer, Tokens};
use textkin_text::tokenizer::WordTokenizer;

/// Normalization of the words of items and documents: characters of scripts without spaces are words.
pub const ITEM_NORMALIZATION: &str = "nfkc+undisguise+fold+cjk";

/// Words of a training text that count as one text: long documents would make every word common.
pub(super) const SAMPLE_WORDS: usize = 128;

/// Number of texts from which rarity decides whether a word has content, besides the list of stop words.
const MIN_TEXTS: u32 = 500;

/// Minimum rarity of a word with content: it is in at most one of 16 texts.
const MIN_CONTENT: f32 = 4.0;

/// Returns the tokenizer of items and documents.
pub(super) fn tokenizer() -> WordTokenizer {
    WordTokenizer::new(&ITEM_NORMALIZATION.parse().expect("the steps exist"))
}

/// Returns a buffer for hashes and positions of words.
pub(super) fn token_buffer() -> Tokens {
    Tokens::new(Layers { hashes_only: true, ..Layers::SPANS })
}

/// What a word contributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A word that most texts have, such as "the".
    Common,
    /// A word that few texts have.
    Content,
    /// A word with a digit.
    Number,
}

/// A word of an item.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemWord {
    pub(super) span: Span,
    /// Its rarity in bits: the negative binary logarithm of the share of texts that have it.
    pub(super) bits: f32,
    pub(super) kind: WordKind,
    /// Its length, where a word of average length is 1: a character of a script without spaces is half a word.
    pub(super) length: f32,
}

/// The words of a text of an item.
#[derive(Clone, Debug, Default)]
pub(super) struct ItemWords {
    pub(super) hashes: Box<[u64]>,
    pub(super) words: Box<[ItemWord]>,
}

impl ItemWords {
    /// Returns the sum of the rarities of its words.
    pub(super) fn bits(&self) -> f64 {
        self.words.iter().map(|word| f64::from(word.bits)).sum()
    }

    /// Returns its length in words.
    pub(super) fn length(&self) -> f64 {
        self.words.iter().map(|word| f64::from(word.length)).sum()
    }

    /// Returns the number of distinct words that are not common.
    pub(super) fn n_content(&self) -> usize {
        let pairs = self.hashes.iter().zip(&self.words);
        let content = pairs.filter(|(_, word)| word.kind != WordKind::Common);
        content.map(|(hash, _)| *hash).collect::<HashSet<_>>().len()
    }
}

/// How many texts have each word of the items.
#[derive(Clone, Debug, Default)]
pub(super) struct Frequencies {
    n_texts: u32,
    texts: HashMap<u64, u32>,
}

impl Frequencies {
    /// Counts the words of an item.
    pub(super) fn add_item(&mut self, hashes: &[u64]) {
        self.n_texts += 1;
        let distinct: HashSet<u64> = hashes.iter().copied().collect();
        distinct.into_iter().for_each(|hash| *self.texts.entry(hash).or_default() += 1);
    }

    /// Counts the words of a training text that items have too.
    pub(super) fn add_sample(&mut self, hashes: &[u64]) {
        for part in hashes.chunks(SAMPLE_WORDS) {
            self.n_texts += 1;
            let distinct: HashSet<u64> = part.iter().copied().collect();
            distinct.into_iter().for_each(|hash| {
                if let Some(count) = self.texts.get_mut(&hash) {
                    *count += 1;
                }
            });
        }
    }

    /// Returns the rarity of a word in bits.
    #[expect(clippy::cast_possible_truncation, reason = "the precision of 32 bits is enough")]
    pub(super) fn bits(&self, hash: u64) -> f32 {
        let texts = self.texts.get(&hash).copied().unwrap_or_default();
        (f64::from(self.n_texts + 2) / f64::from(texts + 1)).log2().clamp(0.1, 16.0) as f32
    }

    /// Whether there are enough texts to distinguish rare words from common ones.
    pub(super) fn is_large(&self) -> bool {
        self.n_texts >= MIN_TEXTS
    }
}

/// Turns the texts of items into words. Each thread has one.
pub(super) struct ItemTokenizer {
    tokenizer: WordTokenizer,
    stop_words: WordTokenizer,
    tokens: Tokens,
    kept: Tokens,
    /// The words seen before.
    known: HashMap<u64, ItemWord>,
}

impl ItemTokenizer {
    pub(super) fn new() -> Self {
        let stop_words = format!("{ITEM_NORMALIZATION}+stop:en");
        Self {
            tokenizer: tokenizer(),
            stop_words: WordTokenizer::new(&stop_words.parse().expect("the steps exist")),
            tokens: Tokens::new(Layers::SPANS),
            kept: Tokens::new(Layers::NONE),
            known: HashMap::new(),
        }
    }

    /// Returns the words of `text` with their rarities, which must be the same in all calls.
    pub(super) fn words(&mut self, text: &str, frequencies: &Frequencies) -> ItemWords {
        self.tokenizer.tokenize(text, &mut self.tokens);
        let hashes: Box<[u64]> = self.tokens.hashes().into();
        let words = (0..hashes.len()).map(|index| {
            let known = self.known.entry(hashes[index]).or_insert_with(|| {
                let word = std::str::from_utf8(self.tokens.token(index)).unwrap_or_default();
                self.stop_words.tokenize(word, &mut self.kept);
                item_word(word, frequencies.bits(hashes[index]), self.kept.is_empty(), frequencies)
            });
            ItemWord { span: self.tokens.spans()[index], ..*known }
        });
        let words = words.collect();
        ItemWords { hashes, words }
    }
}

/// Returns what a word contributes, without its position.
fn item_word(word: &str, mut bits: f32, is_stop: bool, frequencies: &Frequencies) -> ItemWord {
    let is_character = !word.is_ascii() && word.chars().count() == 1 && is_unspaced(word);
    let is_rare = !frequencies.is_large() || bits >= MIN_CONTENT;
    let kind = match () {
        () if word.chars().any(char::is_numeric) => WordKind::Number,
        () if is_stop || !is_rare => WordKind::Common,
        () => WordKind::Content,
    };
    if is_stop {
        bits = bits.min(1.0);
    }
    if is_character {
        bits /= 2.0;
    }
    let length = if is_character { 0.5 } else { 1.0 };
    ItemWord { span: Span::default(), bits, kind, length }
}

/// Whether a word is a character of a script without spaces: the tokenizer made it a word.
fn is_unspaced(word: &str) -> bool {
    word.chars().all(|character| {
        matches!(u32::from(character),
            0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x2e80..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
    })
}

/// The hash of a run of words of any length.
pub(super) fn run_hash(words: &[u64]) -> u64 {
    words.iter().fold(words.len() as u64, |hash, word| step(hash, *word))
}

/// Appends a word to the hash of a run.
fn step(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Returns whether two stretches have the same letters and digits, however they are split into words.
pub(super) fn is_same_run(item: &str, document: &str) -> bool {
    let tokenizer = tokenizer();
    let letters = |text: &str| {
        let mut tokens = Tokens::new(Layers::NONE);
        tokenizer.tokenize(text, &mut tokens);
        let normalized = tokens.normalized().iter().copied();
        token_hash(&normalized.filter(|byte| *byte != Tokens::SEPARATOR).collect::<Vec<_>>())
    };
    letters(item) == letters(document)
}
