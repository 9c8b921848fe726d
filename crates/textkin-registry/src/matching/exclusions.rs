//! Exclusions: text that does not count in a comparison, and the comparer that applies them.

use std::num::NonZeroU32;

use hashbrown::HashMap;
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use textkin::engine::text::grammar::ChunkerKind;
use textkin::engine::text::tokenizer::TextPart;
use textkin::engine::types::{Exclusion, Layers, TokenRange, Tokens};
use textkin::engine::{Analyzer, CommonText, Settings, TextComparison, compare, compare_without};

#[cfg(test)]
use crate::domain::Actor;
use crate::error::Error;
use crate::matching::index::CHUNK_WORDS;
use crate::service::repositories::RepositoryRecord;
use crate::service::{Service, templates};

/// The maximum number of words between two runs of a passage.
pub const MAX_EXCLUSION_GAP: u32 = 5;

/// The text that does not count in a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exclusions {
    /// Matches of fewer words.
    pub min_run: u32,
    /// Text in quotation marks.
    pub quotes: bool,
    /// Lists of references.
    pub bibliography: bool,
    /// Text that appears in a template of the searched repositories.
    pub template: bool,
    /// Stop phrases of the searched repositories.
    pub phrases: bool,
    /// Text that appears in more documents than this; 0 for no limit.
    pub common: u32,
    /// Words that a better source contains too: each word counts for one source.
    pub single_source: bool,
}

impl Default for Exclusions {
    fn default() -> Self {
        Self {
            min_run: CHUNK_WORDS.get(),
            quotes: false,
            bibliography: false,
            template: false,
            phrases: false,
            common: 0,
            single_source: false,
        }
    }
}

impl Exclusions {
    fn settings(&self) -> Settings {
        let parts = [(self.quotes, TextPart::Quotes), (self.bibliography, TextPart::Bibliography)];
        let parts: Vec<TextPart> = parts.iter().filter(|part| part.0).map(|part| part.1).collect();
        let k = self.min_run.clamp(CHUNK_WORDS.get(), 1000);
        let k = NonZeroU32::new(k).unwrap_or(CHUNK_WORDS);
        let settings = Settings::default();
        let normalization = settings.normalization.clone().excluding(&parts);
        Settings { normalization, chunk: ChunkerKind::Words { k }, ..settings }
    }
}

impl Service {
    /// Returns a comparer for `exclusions`, with the templates and stop phrases of some repositories.
    pub(crate) fn comparer(
        &self,
        exclusions: &Exclusions,
        repositories: &[RepositoryRecord],
    ) -> Result<Comparer, Error> {
        self.store.read(|read| comparer(read, exclusions, repositories))
    }

    /// Returns a comparer for repositories given by name.
    #[cfg(test)]
    pub(crate) fn comparer_of(
        &self,
        actor: &Actor,
        exclusions: &Exclusions,
        repositories: &[&str],
    ) -> Result<Comparer, Error> {
        self.store.read(|read| {
            let resolve = |name: &&str| Self::resolve(read, actor, name);
            let record = repositories.iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
            comparer(read, exclusions, &record)
        })
    }
}

fn comparer(
    read: &Transaction<'_>,
    exclusions: &Exclusions,
    repositories: &[RepositoryRecord],
) -> Result<Comparer, Error> {
    Comparer::new(exclusions, ExcludedTexts::read(read, exclusions, repositories)?)
}

/// The templates and stop phrases that are excluded.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExcludedTexts {
    templates: Vec<String>,
    phrases: Vec<String>,
}

impl ExcludedTexts {
    /// Returns those of some repositories that `exclusions` name.
    pub(crate) fn read(
        read: &Transaction<'_>,
        exclusions: &Exclusions,
        repositories: &[RepositoryRecord],
    ) -> Result<Self, Error> {
        let mut texts = Self::default();
        for record in repositories {
            if exclusions.template {
                texts.templates.extend(templates::texts(read, record)?);
            }
            if exclusions.phrases {
                texts.phrases.extend(templates::phrases(read, record)?);
            }
        }
        // Several repositories may have the same.
        for texts in [&mut texts.templates, &mut texts.phrases] {
            texts.sort();
            texts.dedup();
        }
        Ok(texts)
    }
}

impl Exclusions {
    /// Returns the name of all exclusions that need the texts to be compared again; empty if there are
    /// none. The others are applied to the matches.
    pub(crate) fn settings_name(&self, texts: &ExcludedTexts) -> String {
        let without = Self {
            common: 0,
            single_source: false,
            min_run: self.min_run.max(CHUNK_WORDS.get()),
            template: self.template && !texts.templates.is_empty(),
            phrases: self.phrases && !texts.phrases.is_empty(),
            ..self.clone()
        };
        if without == Self::default() {
            return String::new();
        }
        let mut hasher = blake3::Hasher::new();
        for text in texts.templates.iter().chain([&String::new()]).chain(&texts.phrases) {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        }
        let Self { min_run, quotes, bibliography, template, phrases, .. } = without;
        let parts = [quotes, bibliography, template, phrases].map(u8::from);
        format!("{min_run} {parts:?} {}", hasher.finalize().to_hex())
    }
}

/// Compares texts and leaves excluded text out of the counts.
#[derive(Debug)]
pub struct Comparer {
    settings: Settings,
    analyzer: Analyzer,
    phrases: Phrases,
}

impl Comparer {
    pub(crate) fn new(exclusions: &Exclusions, texts: ExcludedTexts) -> Result<Self, Error> {
        let settings = Settings { templates: texts.templates, ..exclusions.settings() };
        let analyzer = Analyzer::new(&settings)?;
        let phrases = Phrases::new(&settings, &texts.phrases)?;
        Ok(Self { settings, analyzer, phrases })
    }

    /// Compares two texts.
    pub fn compare(&self, a: &str, b: &str) -> Result<TextComparison, Error> {
        #[cfg(test)]
        crate::matching::tokenized::count();
        if self.phrases.is_empty() {
            return Ok(compare(a, b, &self.settings, MAX_EXCLUSION_GAP)?);
        }
        let [aside_a, aside_b] = [a, b].map(|text| {
            let mut tokens = Tokens::new(Layers::NONE);
            self.analyzer.tokenize(text, &mut tokens);
            self.phrases.places(&tokens)
        });
        let aside = CommonText { a: &aside_a, b: &aside_b, overlap: None };
        let mut comparison = compare_without(a, b, &self.settings, MAX_EXCLUSION_GAP, Some(aside))?;
        // Only stop phrases are passed as exclusions here.
        for part in comparison.excluded_a.iter_mut().chain(&mut comparison.excluded_b) {
            if part.reason == Exclusion::Common {
                part.reason = Exclusion::Phrase;
            }
        }
        Ok(comparison)
    }

    /// Compares two texts for a report that can be verified. Stop phrases count, because a report does
    /// not list them.
    pub fn compare_verifiably(&self, a: &str, b: &str) -> Result<TextComparison, Error> {
        #[cfg(test)]
        crate::matching::tokenized::count();
        Ok(compare(a, b, &self.settings, MAX_EXCLUSION_GAP)?)
    }
}

/// Phrases that do not count, by their first word.
#[derive(Debug, Default)]
struct Phrases {
    by_first: HashMap<Vec<u8>, Vec<Vec<Vec<u8>>>>,
}

impl Phrases {
    fn new(settings: &Settings, phrases: &[String]) -> Result<Self, Error> {
        // Like texts, but without exclusions: a phrase may contain quotation marks.
        let analyzer = Analyzer::new(&settings.without_exclusions())?;
        let mut by_first: HashMap<Vec<u8>, Vec<Vec<Vec<u8>>>> = HashMap::new();
        for phrase in phrases {
            let mut tokens = Tokens::new(Layers::NONE);
            analyzer.tokenize(phrase, &mut tokens);
            let mut words = (0..tokens.len()).map(|word| tokens.token(word).to_vec());
            if let Some(first) = words.next() {
                by_first.entry(first).or_default().push(words.collect());
            }
        }
        Ok(Self { by_first })
    }

    fn is_empty(&self) -> bool {
        self.by_first.is_empty()
    }

    /// Returns where they appear in a text, ascending, without overlap.
    fn places(&self, tokens: &Tokens) -> Vec<TokenRange> {
        let mut places: Vec<TokenRange> = Vec::new();
        for first in 0..tokens.len() {
            let Some(phrases) = self.by_first.get(tokens.token(first)) else { continue };
            let matches = |rest: &&Vec<Vec<u8>>| {
                first + rest.len() < tokens.len()
                    && rest.iter().zip(first + 1..).all(|(word, at)| tokens.token(at) == &word[..])
            };
            let Some(rest) = phrases.iter().filter(matches).map(Vec::len).max() else { continue };
            let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            let (start, end) = (place(first), place(first + rest + 1));
            match places.last_mut() {
                Some(last) if start <= last.end => last.end = last.end.max(end),
                _ => places.push(TokenRange { start, end }),
            }
        }
        places
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tokens(text: &str) -> Tokens {
        let mut tokens = Tokens::new(Layers::NONE);
        Analyzer::new(&Settings::default()).unwrap().tokenize(text, &mut tokens);
        tokens
    }

    proptest! {
        #[test]
        fn phrases_are_found_like_by_a_plain_search(
            words in proptest::collection::vec(0u8..4, 0..40),
            phrases in proptest::collection::vec(proptest::collection::vec(0u8..4, 1..4), 0..4),
        ) {
            let spell = |words: &[u8]| {
                words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ")
            };
            let spelt: Vec<String> = phrases.iter().map(|phrase| spell(phrase)).collect();
            let found = Phrases::new(&Settings::default(), &spelt).unwrap();
            let places = found.places(&tokens(&spell(&words)));
            let mut expected = vec![false; words.len()];
            for phrase in &phrases {
                for (at, window) in words.windows(phrase.len()).enumerate() {
                    if window == &phrase[..] {
                        expected[at..at + phrase.len()].fill(true);
                    }
                }
            }
            let mut flags = vec![false; words.len()];
            for place in places {
                flags[place.start as usize..place.end as usize].fill(true);
            }
            prop_assert_eq!(flags, expected);
        }
    }

    #[test]
    fn a_stop_phrase_is_excluded_from_numerator_and_denominator() {
        let settings = Exclusions::default().settings();
        let analyzer = Analyzer::new(&settings).unwrap();
        let phrases = Phrases::new(&settings, &["All rights reserved!".to_owned()]).unwrap();
        let comparer = Comparer { settings, analyzer, phrases };
        let a = "one two three four all rights reserved five six seven eight nine";
        let comparison = comparer.compare(a, &format!("before {a} behind")).unwrap();
        let overlap = comparison.alignment.overlap;
        assert_eq!((overlap.covered_a, overlap.words_a), (9, 9));
        assert_eq!((overlap.covered_b, overlap.words_b), (9, 11));
        assert_eq!(comparison.excluded_a.len(), 1);
        assert_eq!(comparison.excluded_a[0].reason, Exclusion::Phrase);
        assert_eq!(comparison.raw.unwrap().covered_a, 12);
    }
}
