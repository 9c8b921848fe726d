//! The word tokenizer: runs the stages of tokenization in order.

use std::ops::Range;

use textkin_core::{Excluded, Exclusion, Layers, Span, Tokenizer, Tokens};

use super::ascii::AsciiScanner;
use super::exclusion::{excluded_ranges, kept_ranges};
use super::parts::parts;
use super::refine::{Refinement, copy_kept};
use super::unicode::{CharacterSteps, UnicodeScanner};
use super::{Normalization, Template, structure};

/// Minimum bytes of a text whose words are counted beforehand.
const LARGE: usize = 16 << 20;
/// The same if only hashes are kept, as with a memory limit.
const LARGE_HASHED: usize = 32 << 10;
/// Typical minimum bytes per word, including the gap between words.
const SHORT_WORD: usize = 4;

/// Extra room that the fast path needs beyond what it writes.
const SLACK: usize = 1 << 10;

/// Cuts text into normalized words.
///
/// A word is a maximal run of alphanumeric characters ([`char::is_alphanumeric`]) after the character steps of its [`Normalization`]; soft hyphens and zero-width characters are
/// removed and do not end a word.
///
/// Spans are byte ranges of the given text on character boundaries, in ascending order. They do
/// not overlap, except that tokens from one cluster of characters (`½`
/// gives `1` and `2`) share the bytes of that cluster.
///
/// ```
/// use textkin_core::{Layers, Tokenizer, Tokens};
/// use textkin_text::tokenizer::WordTokenizer;
///
/// let mut tokens = Tokens::new(Layers::ALL);
/// WordTokenizer::default().tokenize("Straße 7: “Café”!", &mut tokens);
/// assert_eq!(tokens.normalized(), "strasse 7 café ".as_bytes());
/// assert_eq!(tokens.spans()[0].range(), 0..7);
/// ```
#[derive(Clone, Debug)]
pub struct WordTokenizer {
    normalization: Normalization,
    characters: CharacterSteps,
    refinement: Option<Refinement>,
    template: Option<Template>,
}

impl Default for WordTokenizer {
    fn default() -> Self {
        Self::new(&Normalization::default())
    }
}

impl WordTokenizer {
    /// Creates a tokenizer that applies `normalization`.
    #[must_use]
    pub fn new(normalization: &Normalization) -> Self {
        let plain = Self {
            normalization: normalization.clone(),
            characters: normalization.character_steps(),
            refinement: None,
            template: None,
        };
        let refinement = Refinement::new(normalization, |word, tokens| plain.scan(word, tokens));
        Self { refinement, ..plain }
    }

    /// Removes the text of `template` from every document.
    #[must_use]
    pub fn with_templates(self, template: Template) -> Self {
        Self { template: Some(template).filter(|template| !template.is_empty()), ..self }
    }

    /// Returns the normalization.
    #[must_use]
    pub fn normalization(&self) -> &Normalization {
        &self.normalization
    }

    /// Returns the excluded parts of `text` with their reasons: ascending, not overlapping. Stop words are not
    /// included.
    #[must_use]
    pub fn excluded(&self, text: &str) -> Vec<Excluded> {
        let span = |range: &Range<usize>| {
            let offset = |at: usize| u32::try_from(at).expect("texts are limited to 4 GiB");
            Span::new(offset(range.start), offset(range.end))
        };
        let ranges = excluded_ranges(&self.normalization, text);
        let mut excluded: Vec<Excluded> = ranges
            .iter()
            .map(|(range, reason)| Excluded { span: span(range), reason: *reason })
            .collect();
        let Some(template) = &self.template else { return excluded };
        let without_template = Self { template: None, ..self.clone() };
        let mut tokens = Tokens::new(Layers::SPANS);
        without_template.tokenize(text, &mut tokens);
        for run in template.removed(&tokens) {
            let mut last: Option<Span> = None;
            for word in &tokens.spans()[run] {
                // A template may continue after a quotation inside it.
                let is_apart = |from: u32| {
                    let next = ranges.partition_point(|(range, _)| range.start < from as usize);
                    ranges.get(next).is_some_and(|(range, _)| range.end <= word.start as usize)
                };
                match &mut last {
                    Some(span) if !is_apart(span.end) => span.end = span.end.max(word.end),
                    _ => {
                        excluded.extend(
                            last.map(|span| Excluded { span, reason: Exclusion::Template }),
                        );
                        last = Some(*word);
                    }
                }
            }
            excluded.extend(last.map(|span| Excluded { span, reason: Exclusion::Template }));
        }
        excluded.sort_by_key(|excluded| excluded.span);
        excluded
    }

    /// Returns consecutive ranges of `text`, each of about `n_bytes` bytes, whose words one after the other are those of
    /// the whole text. `None` if words depend on other parts of the text: if anything is excluded or refined.
    pub fn parts<'a>(
        &self,
        text: &'a str,
        n_bytes: usize,
    ) -> Option<impl Iterator<Item = Range<usize>> + use<'a>> {
        let is_plain = self.refinement.is_none()
            && self.template.is_none()
            && self.normalization == self.normalization.clone().without_exclusions();
        is_plain.then(|| parts(text, n_bytes))
    }

    /// Appends the words of `text` to `tokens`, without refinement.
    fn scan(&self, text: &str, tokens: &mut Tokens) {
        assert!(u32::try_from(text.len()).is_ok(), "texts are limited to 4 GiB");
        let is_short = tokens.layers().hashes_only && tokens.capacity() < text.len() / SHORT_WORD;
        if text.len() >= LARGE || is_short && text.len() >= LARGE_HASHED {
            // Growing buffers step by step would leave as much garbage as their final size.
            tokens.reserve(count_words(text.as_bytes()), text.len() + SLACK);
        }
        let mut ascii = AsciiScanner::new(self.characters.fold);
        let mut unicode = UnicodeScanner::new(self.characters, text);
        for kept in kept_ranges(&self.normalization, text) {
            let offset = u32::try_from(kept.start).expect("texts are limited to 4 GiB");
            let piece = &text[kept];
            let mut at = 0;
            while at < piece.len() {
                at = ascii.scan(piece.as_bytes(), at, offset, tokens);
                if at < piece.len() {
                    at = unicode.scan(piece, at, offset, tokens);
                }
            }
        }
    }
}

impl Tokenizer for WordTokenizer {
    fn tokenize(&self, text: &str, tokens: &mut Tokens) {
        tokens.clear();
        let layers = tokens.layers();
        let has_spans_to_mark = layers.spans || !layers.structure;
        if has_spans_to_mark && self.refinement.is_none() && self.template.is_none() {
            self.scan(text, tokens);
            structure::mark(text, tokens);
            return;
        }
        let scanned =
            Layers { spans: layers.spans || layers.structure, hashes_only: false, ..layers };
        let mut words = Tokens::new(scanned);
        self.scan(text, &mut words);
        structure::mark(text, &mut words);
        tokens.disguises_mut().clone_from(words.disguises());
        let words = match &self.refinement {
            Some(refinement) if self.template.is_none() => {
                return refinement.refine(&words, tokens);
            }
            Some(refinement) => {
                let mut refined = Tokens::new(scanned);
                refinement.refine(&words, &mut refined);
                refined
            }
            None => words,
        };
        let removed = self.template.as_ref().map(|template| template.removed(&words));
        copy_kept(&words, tokens, &removed.unwrap_or_default());
    }
}

/// Estimates the number of words of a text: positions where an ASCII letter or digit, or any non-ASCII byte,
/// follows something else.
fn count_words(text: &[u8]) -> usize {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    text.windows(2).filter(|pair| !is_word(pair[0]) && is_word(pair[1])).count() + 1
}
