//! Normalisation: the named steps between a text and its tokens.
//!
//! In: a name such as `nfkc+fold+stop:en`. Out: checked settings, applied in one fixed order
//! whatever the order they are named in: `no-bibliography`, `no-quotes`, `nfkc`, `fold`, words,
//! `cjk`, `numbers`, `ascii`, `stop`, `stem`, `upper`. Only named steps are applied.

use std::fmt;
use std::str::FromStr;

use frostem::{Algorithm, Stemmer};

use super::unicode::CharacterSteps;

/// A step of normalisation, as a list of strategies shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepHelp {
    /// How it is named: `fold`, `stem:LANG`.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
}

const STEPS: &[StepHelp] = &[
    StepHelp {
        name: "nfkc",
        summary: "Unicode compatibility composition: ﬁ becomes fi, ½ becomes 1 and 2",
    },
    StepHelp {
        name: "fold",
        summary: "full Unicode case folding: Straße becomes strasse",
    },
    StepHelp {
        name: "upper",
        summary: "case folding, and the result in capitals",
    },
    StepHelp {
        name: "numbers",
        summary: "each token of digits only becomes the token 0",
    },
    StepHelp {
        name: "ascii",
        summary: "characters outside ASCII are deleted from words",
    },
    StepHelp {
        name: "stop:LANG",
        summary: "the stop words of a language are dropped (ISO code: en, de, …)",
    },
    StepHelp {
        name: "stem:LANG",
        summary: "words are cut to their Snowball stem (ISO code or algorithm: en, porter, …)",
    },
    StepHelp {
        name: "cjk",
        summary: "Han, kana, Thai, Lao, Khmer and Myanmar: one token per character",
    },
    StepHelp {
        name: "no-quotes",
        summary: "text in quotation marks and lines that begin with > do not count",
    },
    StepHelp {
        name: "no-bibliography",
        summary: "what follows the heading of the references does not count",
    },
    StepHelp {
        name: "ids",
        summary: "the corpora of the IDS (Kupietz 2005): numbers+ascii, in capitals unless fold is named",
    },
    StepHelp {
        name: "none",
        summary: "words as they are written",
    },
];

/// All steps that a [`Normalization`] can name, in the order they should be shown.
#[must_use]
pub fn steps() -> &'static [StepHelp] {
    STEPS
}

/// What becomes of capital letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// They stay.
    #[default]
    Keep,
    /// Full Unicode case folding.
    Fold,
    /// Case folding for all other steps, and the tokens in capitals.
    Upper,
}

/// Which steps lead from a text to its tokens.
///
/// Written as step names joined by `+`; see [`steps`]. What [`fmt::Display`] writes is parsed to
/// the same settings, except for the words of [`Normalization::with_stop_list`], which have no
/// name.
///
/// ```
/// use textkin_text::tokenizer::Normalization;
///
/// let normalization: Normalization = "stem:en+fold+nfkc".parse()?;
/// assert_eq!(normalization.to_string(), "nfkc+fold+stem:en");
/// assert_eq!(Normalization::default().to_string(), "nfkc+fold");
/// let error = "nfkc+stm".parse::<Normalization>().unwrap_err();
/// assert_eq!(error.to_string(), "no normalisation step 'stm'; did you mean 'stem:LANG'?");
/// # Ok::<(), textkin_text::tokenizer::NormalizationError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Normalization {
    pub(super) nfkc: bool,
    pub(super) case: Case,
    pub(super) numbers: bool,
    pub(super) ascii: bool,
    pub(super) cjk: bool,
    pub(super) no_quotes: bool,
    pub(super) no_bibliography: bool,
    /// Language codes that `stop_words` knows, sorted.
    stop_languages: Vec<String>,
    stop_list: Vec<String>,
    stem: Option<Algorithm>,
}

impl Default for Normalization {
    /// `nfkc+fold`.
    fn default() -> Self {
        Self {
            nfkc: true,
            case: Case::Fold,
            ..Self::none()
        }
    }
}

impl Normalization {
    /// Words as they are written: no step at all.
    #[must_use]
    pub fn none() -> Self {
        Self {
            nfkc: false,
            case: Case::Keep,
            numbers: false,
            ascii: false,
            cjk: false,
            no_quotes: false,
            no_bibliography: false,
            stop_languages: Vec::new(),
            stop_list: Vec::new(),
            stem: None,
        }
    }

    /// Drops the words of `stop_list` too, such as the most frequent ones of a collection. They
    /// are normalised as the text is, short of stemming. Replaces an earlier list.
    #[must_use]
    pub fn with_stop_list(self, stop_list: Vec<String>) -> Self {
        Self { stop_list, ..self }
    }

    /// The words given to [`Normalization::with_stop_list`].
    #[must_use]
    pub fn stop_list(&self) -> &[String] {
        &self.stop_list
    }

    /// What becomes of capital letters.
    #[must_use]
    pub fn case(&self) -> Case {
        self.case
    }

    /// All words to drop, as their lists have them.
    pub(super) fn stop_words(&self) -> impl Iterator<Item = &str> {
        let languages = self
            .stop_languages
            .iter()
            .filter_map(stop_words::lookup)
            .flatten();
        let listed = self.stop_list.iter().map(String::as_str);
        languages.map(|word| -> &str { word }).chain(listed)
    }

    pub(super) fn stemmer(&self) -> Option<Stemmer> {
        self.stem.map(Stemmer::new)
    }

    pub(super) fn character_steps(&self) -> CharacterSteps {
        CharacterSteps {
            nfkc: self.nfkc,
            fold: self.case != Case::Keep,
            cjk: self.cjk,
        }
    }

    /// Adds the step written `step`.
    fn add(&mut self, step: &str) -> Result<(), NormalizationError> {
        let (name, language) = match step.split_once(':') {
            Some((name, language)) => (name, Some(language)),
            None => (step, None),
        };
        match (name, language) {
            ("stop", Some(language)) => self.add_stop_language(language)?,
            ("stem", Some(language)) => self.set_stem(language)?,
            ("stop" | "stem", None) => {
                return Err(NormalizationError::NoLanguage {
                    step: step.to_owned(),
                });
            }
            ("nfkc", None) => self.nfkc = true,
            ("fold", None) if self.case == Case::Keep => self.case = Case::Fold,
            ("fold", None) => {}
            ("upper", None) => self.case = Case::Upper,
            ("numbers", None) => self.numbers = true,
            ("ascii", None) => self.ascii = true,
            ("cjk", None) => self.cjk = true,
            ("no-quotes", None) => self.no_quotes = true,
            ("no-bibliography", None) => self.no_bibliography = true,
            ("ids", None) => (self.numbers, self.ascii) = (true, true),
            ("none", None) => {}
            (known, Some(_)) if STEPS.iter().any(|help| help.name == known) => {
                return Err(NormalizationError::NoArgument {
                    step: step.to_owned(),
                    name: name.to_owned(),
                });
            }
            _ => {
                return Err(NormalizationError::NoStep {
                    step: step.to_owned(),
                    similar: similar(name),
                });
            }
        }
        Ok(())
    }

    fn add_stop_language(&mut self, language: &str) -> Result<(), NormalizationError> {
        if stop_words::lookup(language).is_none() {
            let known = stop_words::available_languages().join(", ");
            return Err(NormalizationError::NoStopWords {
                language: language.to_owned(),
                known,
            });
        }
        self.stop_languages.push(language.to_owned());
        self.stop_languages.sort();
        self.stop_languages.dedup();
        Ok(())
    }

    fn set_stem(&mut self, language: &str) -> Result<(), NormalizationError> {
        let algorithm = Algorithm::from_name(language).map_err(|_| {
            let known: Vec<&str> = Algorithm::all()
                .iter()
                .map(|&known| stem_name(known))
                .collect();
            NormalizationError::NoStemmer {
                language: language.to_owned(),
                known: known.join(", "),
            }
        })?;
        if let Some(first) = self.stem.filter(|&first| first != algorithm) {
            return Err(NormalizationError::TwoStemmers {
                first: stem_name(first),
                second: stem_name(algorithm),
            });
        }
        self.stem = Some(algorithm);
        Ok(())
    }
}

impl FromStr for Normalization {
    type Err = NormalizationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let mut normalization = Self::none();
        for step in text.split('+').map(str::trim) {
            normalization.add(step)?;
        }
        let names_ids = text.split('+').any(|step| step.trim() == "ids");
        if names_ids && normalization.case == Case::Keep {
            normalization.case = Case::Upper;
        }
        Ok(normalization)
    }
}

impl fmt::Display for Normalization {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut names: Vec<String> = Vec::new();
        let mut add = |is_on: bool, name: &str| names.extend(is_on.then(|| name.to_owned()));
        add(self.no_bibliography, "no-bibliography");
        add(self.no_quotes, "no-quotes");
        add(self.nfkc, "nfkc");
        add(self.case == Case::Fold, "fold");
        add(self.cjk, "cjk");
        add(self.numbers, "numbers");
        add(self.ascii, "ascii");
        for language in &self.stop_languages {
            add(true, &format!("stop:{language}"));
        }
        if let Some(algorithm) = self.stem {
            add(true, &format!("stem:{}", stem_name(algorithm)));
        }
        add(self.case == Case::Upper, "upper");
        add(names_nothing(self), "none");
        formatter.write_str(&names.join("+"))
    }
}

/// Why a text names no normalisation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NormalizationError {
    /// A step that does not exist.
    #[error("no normalisation step '{step}'; {}", suggestion(*.similar))]
    NoStep {
        /// The step as it was written.
        step: String,
        /// The name most like it.
        similar: Option<&'static str>,
    },
    /// A step that needs a language stands without one.
    #[error("normalisation step '{step}' needs a language, for example '{step}:en'")]
    NoLanguage {
        /// The step as it was written.
        step: String,
    },
    /// A step without arguments was given one.
    #[error("normalisation step '{step}' takes no argument; write '{name}'")]
    NoArgument {
        /// The step as it was written.
        step: String,
        /// Its name.
        name: String,
    },
    /// No stop words for a language.
    #[error("no stop words for language '{language}' in 'stop:{language}'; known are {known}")]
    NoStopWords {
        /// The language as it was written.
        language: String,
        /// The languages that have some.
        known: String,
    },
    /// No stemmer for a language.
    #[error("no stemmer for language '{language}' in 'stem:{language}'; known are {known}")]
    NoStemmer {
        /// The language as it was written.
        language: String,
        /// The languages that have one.
        known: String,
    },
    /// A word can be stemmed only once.
    #[error("two stemmers, 'stem:{first}' and 'stem:{second}'; name one")]
    TwoStemmers {
        /// The one named first.
        first: &'static str,
        /// The one named second.
        second: &'static str,
    },
}

fn suggestion(similar: Option<&str>) -> String {
    match similar {
        Some(name) => format!("did you mean '{name}'?"),
        None => {
            let names: Vec<&str> = STEPS.iter().map(|help| help.name).collect();
            format!("there are {}", names.join(", "))
        }
    }
}

/// The step whose name is most like `name`, if any is alike at all.
fn similar(name: &str) -> Option<&'static str> {
    let bare = |help: &StepHelp| help.name.split(':').next().unwrap_or(help.name);
    let name = name.to_lowercase();
    let begins = |help: &&StepHelp| name.len() >= 3 && bare(help).starts_with(&*name);
    let nearest = || {
        let near = STEPS.iter().map(|help| (distance(&name, bare(help)), help));
        let (distance, help) = near.min_by_key(|(distance, _)| *distance)?;
        (distance <= 2 && distance < bare(help).len() - 1).then_some(help)
    };
    STEPS
        .iter()
        .find(begins)
        .or_else(nearest)
        .map(|help| help.name)
}

/// Levenshtein distance in characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, in_a) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, in_b) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(in_a != *in_b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The ISO code of an algorithm's language, or the algorithm's own name if that code means
/// another one.
fn stem_name(algorithm: Algorithm) -> &'static str {
    let mut codes = stop_words::available_languages().iter().copied();
    let is_code = |code: &&str| Algorithm::from_name(code).is_ok_and(|known| known == algorithm);
    codes.find(is_code).unwrap_or(algorithm.name())
}

fn names_nothing(normalization: &Normalization) -> bool {
    let unnamed = normalization.clone().with_stop_list(Vec::new());
    unnamed == Normalization::none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        text.parse::<Normalization>().unwrap_err().to_string()
    }

    #[test]
    fn the_default_folds_and_composes() {
        assert_eq!("nfkc+fold".parse(), Ok(Normalization::default()));
    }

    #[test]
    fn what_is_displayed_is_parsed_to_the_same() {
        for text in [
            "none",
            "fold",
            "no-bibliography+no-quotes+nfkc+fold+cjk+numbers+ascii+stop:de+stop:en+stem:en",
            "numbers+ascii+stem:porter+upper",
        ] {
            assert_eq!(text.parse::<Normalization>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn ids_stands_for_its_steps() {
        let parse = |text: &str| text.parse::<Normalization>().unwrap();
        assert_eq!(parse("ids"), parse("upper+ascii+numbers"));
        assert_eq!(parse("nfkc+fold+ids"), parse("nfkc+fold+ascii+numbers"));
    }

    #[test]
    fn errors_name_the_part_and_suggest() {
        assert_eq!(
            error("nfkc+stm"),
            "no normalisation step 'stm'; did you mean 'stem:LANG'?"
        );
        assert_eq!(
            error("NFKC"),
            "no normalisation step 'NFKC'; did you mean 'nfkc'?"
        );
        assert!(error("xyzzy").starts_with("no normalisation step 'xyzzy'; there are nfkc, fold"));
        assert_eq!(
            error("stem"),
            "normalisation step 'stem' needs a language, for example 'stem:en'"
        );
        assert_eq!(
            error("fold:en"),
            "normalisation step 'fold:en' takes no argument; write 'fold'"
        );
        assert!(
            error("stop:xx").starts_with("no stop words for language 'xx' in 'stop:xx'; known")
        );
        assert!(error("stem:xx").starts_with("no stemmer for language 'xx' in 'stem:xx'; known"));
        assert_eq!(
            error("stem:en+stem:de"),
            "two stemmers, 'stem:en' and 'stem:de'; name one"
        );
        assert!(error("").starts_with("no normalisation step ''"));
    }

    #[test]
    fn every_step_listed_is_parsed() {
        for help in steps() {
            let name = help.name.replace("LANG", "en");
            assert!(name.parse::<Normalization>().is_ok(), "{name}");
        }
    }

    #[test]
    fn there_are_stemmers_for_fifteen_languages_and_more() {
        let n_languages = Algorithm::all()
            .iter()
            .filter(|&&known| stem_name(known).len() == 2)
            .count();
        assert!(n_languages >= 15, "{n_languages}");
    }
}
