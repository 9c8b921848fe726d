//! Exclusions: text that does not count in a comparison, and the comparer that applies them.

use std::num::NonZeroU32;

use hashbrown::HashMap;
use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use textkin::engine::text::grammar::ChunkerKind;
use textkin::engine::text::tokenizer::TextPart;
use textkin::engine::types::{Exclusion, Layers, TokenRange, Tokens};
use textkin::engine::{Analyzer, CommonText, Settings, TextComparison, compare, compare_without};

use super::repositories::RepositoryRecord;
use super::{Service, templates};
use crate::access::Actor;
use crate::error::Error;
use crate::index::K;

/// The maximum number of words between two runs of a passage.
pub(crate) const MAX_GAP: u32 = 5;

/// The text that does not count in a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Exclusions {
    /// Matches of fewer words.
    pub(crate) min_run: u32,
    /// Text in quotation marks.
    pub(crate) quotes: bool,
    /// Lists of references.
    pub(crate) bibliography: bool,
    /// Text that appears in a template of the searched repositories.
    pub(crate) template: bool,
    /// Stop phrases of the searched repositories.
    pub(crate) phrases: bool,
    /// Text that appears in more documents than this; 0 for no limit.
    pub(crate) common: u32,
    /// Words that a better source contains too: each word counts for one source.
    pub(crate) single_source: bool,
}

impl Default for Exclusions {
    fn default() -> Self {
        Self {
            min_run: K.get(),
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
        let k = self.min_run.clamp(K.get(), 1000);
        let k = NonZeroU32::new(k).unwrap_or(K);
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
    let mut settings = exclusions.settings();
    let mut phrases = Vec::new();
    for record in repositories {
        if exclusions.template {
            settings.templates.extend(templates::texts(read, record)?);
        }
        if exclusions.phrases {
            phrases.extend(templates::phrases(read, record)?);
        }
    }
    // Several repositories may have the same template.
    settings.templates.sort();
    settings.templates.dedup();
    let analyzer = Analyzer::new(&settings)?;
    let phrases = Phrases::new(&settings, &phrases)?;
    Ok(Comparer { settings, analyzer, phrases })
}

/// Compares texts and leaves excluded text out of the counts.
#[derive(Debug)]
pub(crate) struct Comparer {
    settings: Settings,
    analyzer: Analyzer,
    phrases: Phrases,
}

impl Comparer {
    /// Compares two texts.
    pub(crate) fn compare(&self, a: &str, b: &str) -> Result<TextComparison, Error> {
        if self.phrases.is_empty() {
            return Ok(compare(a, b, &self.settings, MAX_GAP)?);
        }
        let [aside_a, aside_b] = [a, b].map(|text| {
            let mut tokens = Tokens::new(Layers::NONE);
            self.analyzer.tokenize(text, &mut tokens);
            self.phrases.places(&tokens)
        });
        let aside = CommonText { a: &aside_a, b: &aside_b, overlap: None };
        let mut comparison = compare_without(a, b, &self.settings, MAX_GAP, Some(aside))?;
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
    pub(crate) fn compare_verifiably(&self, a: &str, b: &str) -> Result<TextComparison, Error> {
        Ok(compare(a, b, &self.settings, MAX_GAP)?)
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
