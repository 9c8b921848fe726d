//! Normalization: the named steps between a text and its tokens.
//!
//! In: a name such as `nfkc+fold+stop:en`. Out: validated settings. Steps apply in a fixed order, whatever the
//! order of their names: `no-bibliography`, `no-quotes`, `nfkc`, `undisguise`, `fold`, words,
//! `cjk`, `numbers`, `ascii`, `stop`, `stem`, `upper`. Only named steps are applied.

use std::fmt;
use std::str::FromStr;

use frostem::{Algorithm, Stemmer};

use super::step::{NormalizationError, is_step, similar};
use super::stop_words;
use super::unicode::CharacterSteps;

/// Treatment of letter case.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Case {
    /// Unchanged.
    #[default]
    Keep,
    /// Full Unicode case folding.
    Fold,
    /// Case folding for all other steps, then tokens in upper case.
    Upper,
}

/// Part of texts that can be excluded.
///
/// ```
/// use textkin_text::tokenizer::{Normalization, TextPart};
///
/// let parts: Vec<TextPart> = "quotes,bibliography".split(',').flat_map(str::parse).collect();
/// let normalization = Normalization::default().excluding(&parts);
/// assert_eq!(normalization.to_string(), "no-bibliography+no-quotes+nfkc+undisguise+fold");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextPart {
    /// Text in quotation marks, and lines that begin with `>`: the step `no-quotes`.
    Quotes,
    /// Everything after the bibliography heading: the step `no-bibliography`.
    Bibliography,
}

impl FromStr for TextPart {
    type Err = NormalizationError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            "quotes" => Ok(Self::Quotes),
            "bibliography" => Ok(Self::Bibliography),
            _ => Err(NormalizationError::UnknownPart { part: text.to_owned() }),
        }
    }
}

/// Normalization steps from text to tokens.
///
/// Written as step names joined by `+`; see [`steps`](super::steps). What [`fmt::Display`] writes is parsed to
/// the same settings, except for the words of [`Normalization::with_stop_list`], which have no
/// name.
///
/// ```
/// use textkin_text::tokenizer::Normalization;
///
/// let normalization: Normalization = "stem:en+fold+nfkc".parse()?;
/// assert_eq!(normalization.to_string(), "nfkc+fold+stem:en");
/// assert_eq!(Normalization::default().to_string(), "nfkc+undisguise+fold");
/// let error = "nfkc+stm".parse::<Normalization>().unwrap_err();
/// assert_eq!(error.to_string(), "unknown normalization step 'stm'; did you mean 'stem:LANG'?");
/// # Ok::<(), textkin_text::tokenizer::NormalizationError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Normalization {
    pub(super) nfkc: bool,
    pub(super) undisguise: bool,
    pub(super) case: Case,
    pub(super) numbers: bool,
    pub(super) ascii: bool,
    pub(super) cjk: bool,
    pub(super) no_quotes: bool,
    pub(super) no_bibliography: bool,
    /// Languages of stop words, sorted.
    stop_languages: Vec<String>,
    stop_list: Vec<String>,
    stem: Option<Algorithm>,
}

impl Default for Normalization {
    /// `nfkc+undisguise+fold`.
    fn default() -> Self {
        Self { nfkc: true, undisguise: true, case: Case::Fold, ..Self::none() }
    }
}

impl Normalization {
    /// No normalization: words as written.
    #[must_use]
    pub fn none() -> Self {
        Self {
            nfkc: false,
            undisguise: false,
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

    /// Also drops the words of `stop_list`, for example the most frequent ones of a collection. They are normalized
    /// like the text, except for stemming. Replaces an earlier list.
    #[must_use]
    pub fn with_stop_list(self, stop_list: Vec<String>) -> Self {
        Self { stop_list, ..self }
    }

    /// Returns the words of [`Normalization::with_stop_list`].
    #[must_use]
    pub fn stop_list(&self) -> &[String] {
        &self.stop_list
    }

    /// Also excludes `parts` of texts.
    #[must_use]
    pub fn excluding(mut self, parts: &[TextPart]) -> Self {
        for part in parts {
            match part {
                TextPart::Quotes => self.no_quotes = true,
                TextPart::Bibliography => self.no_bibliography = true,
            }
        }
        self
    }

    /// Removes exclusions: quotations and the bibliography count.
    #[must_use]
    pub fn without_exclusions(self) -> Self {
        Self { no_quotes: false, no_bibliography: false, ..self }
    }

    /// Returns the treatment of letter case.
    #[must_use]
    pub fn case(&self) -> Case {
        self.case
    }

    /// Returns all stop words, as listed.
    pub fn stop_words(&self) -> impl Iterator<Item = &str> {
        let languages = self.stop_languages.iter();
        let words = languages.filter_map(|language| stop_words::lookup(language)).flatten();
        words.map(|word| -> &str { word }).chain(self.stop_list.iter().map(String::as_str))
    }

    pub(super) fn stemmer(&self) -> Option<Stemmer> {
        self.stem.map(Stemmer::new)
    }

    pub(super) fn character_steps(&self) -> CharacterSteps {
        CharacterSteps {
            nfkc: self.nfkc,
            undisguise: self.undisguise,
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
        // The name in other programs.
        let name = if matches!(name, "lower" | "lowercase") { "fold" } else { name };
        match (name, language) {
            ("stop", Some(language)) => self.add_stop_language(language)?,
            ("stem", Some(language)) => self.set_stem(language)?,
            ("stop" | "stem", None) => {
                return Err(NormalizationError::MissingLanguage { step: step.to_owned() });
            }
            ("nfkc", None) => self.nfkc = true,
            ("undisguise", None) => self.undisguise = true,
            ("fold", None) if self.case == Case::Keep => self.case = Case::Fold,
            ("fold", None) => {}
            ("upper", None) => self.case = Case::Upper,
            ("numbers", None) => self.numbers = true,
            ("ascii", None) => self.ascii = true,
            ("cjk", None) => self.cjk = true,
            ("no-quotes", None) => self.no_quotes = true,
            ("no-bibliography", None) => self.no_bibliography = true,
            ("ids", None) => {
                (self.numbers, self.ascii) = (true, true);
                self.add_stop_language(stop_words::IDS_NAME)?;
            }
            ("none", None) => {}
            (known, Some(_)) if is_step(known) => {
                return Err(NormalizationError::UnexpectedArgument {
                    step: step.to_owned(),
                    name: name.to_owned(),
                });
            }
            _ => {
                return Err(NormalizationError::UnknownStep {
                    step: step.to_owned(),
                    similar: similar(name),
                });
            }
        }
        Ok(())
    }

    fn add_stop_language(&mut self, language: &str) -> Result<(), NormalizationError> {
        if stop_words::lookup(language).is_none() {
            let known: Vec<_> =
                stop_words::available_languages().chain([stop_words::IDS_NAME]).collect();
            return Err(NormalizationError::UnknownStopLanguage {
                language: language.to_owned(),
                known: known.join(", "),
            });
        }
        self.stop_languages.push(language.to_owned());
        self.stop_languages.sort();
        self.stop_languages.dedup();
        Ok(())
    }

    fn set_stem(&mut self, language: &str) -> Result<(), NormalizationError> {
        let algorithm = Algorithm::from_name(language).map_err(|_| {
            let known: Vec<&str> = Algorithm::all().iter().map(|&known| stem_name(known)).collect();
            NormalizationError::UnknownStemLanguage {
                language: language.to_owned(),
                known: known.join(", "),
            }
        })?;
        if let Some(first) = self.stem.filter(|&first| first != algorithm) {
            return Err(NormalizationError::SeveralStemmers {
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
        add(self.undisguise, "undisguise");
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

/// Returns the ISO code of the language of an algorithm, or the name of the algorithm if that code selects
/// another one.
fn stem_name(algorithm: Algorithm) -> &'static str {
    let mut codes = stop_words::available_languages();
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
    fn the_default_composes_folds_and_undoes_disguises() {
        assert_eq!("nfkc+undisguise+fold".parse(), Ok(Normalization::default()));
    }

    #[test]
    fn names_round_trip() {
        for text in [
            "none",
            "fold",
            "no-bibliography+no-quotes+nfkc+undisguise+fold+cjk+numbers+ascii+stop:de+stop:en+stem:en",
            "numbers+ascii+stem:porter+upper",
        ] {
            assert_eq!(text.parse::<Normalization>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn ids_expands_to_its_steps() {
        let parse = |text: &str| text.parse::<Normalization>().unwrap();
        assert_eq!(parse("ids"), parse("upper+ascii+numbers+stop:ids"));
        assert_eq!(parse("nfkc+fold+ids"), parse("nfkc+fold+ascii+numbers+stop:ids"));
    }

    #[test]
    fn errors_name_the_part_and_suggest() {
        assert_eq!(
            error("nfkc+stm"),
            "unknown normalization step 'stm'; did you mean 'stem:LANG'?"
        );
        assert_eq!(error("NFKC"), "unknown normalization step 'NFKC'; did you mean 'nfkc'?");
        assert!(
            error("xyzzy")
                .starts_with("unknown normalization step 'xyzzy'; available: nfkc, undisguise")
        );
        assert_eq!(
            error("stem"),
            "normalization step 'stem' needs a language, for example 'stem:en'"
        );
        assert_eq!(
            error("fold:en"),
            "normalization step 'fold:en' takes no argument; write 'fold'"
        );
        assert!(
            error("stop:xx").starts_with("no stop words for language 'xx' in 'stop:xx'; available")
        );
        assert!(
            error("stem:xx").starts_with("no stemmer for language 'xx' in 'stem:xx'; available")
        );
        assert_eq!(
            error("stem:en+stem:de"),
            "conflicting stemmers 'stem:en' and 'stem:de'; choose one"
        );
        assert!(error("").starts_with("unknown normalization step ''"));
    }

    #[test]
    fn every_step_listed_is_parsed() {
        for help in crate::tokenizer::steps() {
            let name = help.name.replace("LANG", "en");
            assert!(name.parse::<Normalization>().is_ok(), "{name}");
        }
    }

    #[test]
    fn there_are_stemmers_for_fifteen_languages_and_more() {
        let n_languages =
            Algorithm::all().iter().filter(|&&known| stem_name(known).len() == 2).count();
        assert!(n_languages >= 15, "{n_languages}");
    }
}
