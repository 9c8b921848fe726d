//! Names of normalization steps, and errors of parsing them.

use textkin_core::name::edit_distance;

/// Help for a normalization step, as shown by `textkin strategies`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepHelp {
    /// Name with its argument: `fold`, `stem:LANG`.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
}

const STEPS: &[StepHelp] = &[
    StepHelp {
        name: "nfkc",
        summary: "Unicode compatibility composition: ﬁ becomes fi, ½ becomes 1 and 2",
    },
    StepHelp {
        name: "undisguise",
        summary: "look-alike letters of another script become the letters they imitate; zero-width characters are removed",
    },
    StepHelp {
        name: "fold",
        summary: "full Unicode case folding: Straße becomes strasse; also written lower",
    },
    StepHelp { name: "upper", summary: "case folding, then upper case" },
    StepHelp { name: "numbers", summary: "every number becomes the token 0" },
    StepHelp { name: "ascii", summary: "removes non-ASCII characters from words" },
    StepHelp {
        name: "stop:LANG",
        summary: "drops the stop words of a language (ISO code: en, de, …, or ids)",
    },
    StepHelp {
        name: "stem:LANG",
        summary: "reduces words to their Snowball stem (ISO code or algorithm: en, porter, …)",
    },
    StepHelp {
        name: "cjk",
        summary: "Han, kana, Thai, Lao, Khmer and Myanmar: one token per character",
    },
    StepHelp {
        name: "no-quotes",
        summary: "excludes text in quotation marks and lines that begin with >",
    },
    StepHelp {
        name: "no-bibliography",
        summary: "excludes everything after the bibliography heading",
    },
    StepHelp {
        name: "ids",
        summary: "as in the IDS corpora (Kupietz 2005): numbers+ascii+stop:ids (50 German words), in upper case unless fold is given",
    },
    StepHelp { name: "none", summary: "words as written" },
];

/// Returns all steps of a [`Normalization`](super::Normalization), in display order.
#[must_use]
pub fn steps() -> &'static [StepHelp] {
    STEPS
}

/// Error while parsing a normalization.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NormalizationError {
    /// Unknown step.
    #[error("unknown normalization step '{step}'; {}", suggestion(*.similar))]
    UnknownStep {
        /// The step as it was written.
        step: String,
        /// The most similar name.
        similar: Option<&'static str>,
    },
    /// Unknown part of texts.
    #[error("unknown part of a text '{part}'; available: quotes, bibliography")]
    UnknownPart {
        /// The part as it was written.
        part: String,
    },
    /// A step that needs a language has none.
    #[error("normalization step '{step}' needs a language, for example '{step}:en'")]
    MissingLanguage {
        /// The step as it was written.
        step: String,
    },
    /// A step without arguments has one.
    #[error("normalization step '{step}' takes no argument; write '{name}'")]
    UnexpectedArgument {
        /// The step as it was written.
        step: String,
        /// Its name.
        name: String,
    },
    /// No stop words for a language.
    #[error("no stop words for language '{language}' in 'stop:{language}'; available: {known}")]
    UnknownStopLanguage {
        /// The language as it was written.
        language: String,
        /// Languages with stop words.
        known: String,
    },
    /// No stemmer for a language.
    #[error("no stemmer for language '{language}' in 'stem:{language}'; available: {known}")]
    UnknownStemLanguage {
        /// The language as it was written.
        language: String,
        /// Languages with a stemmer.
        known: String,
    },
    /// Several stemmers are given.
    #[error("conflicting stemmers 'stem:{first}' and 'stem:{second}'; choose one")]
    SeveralStemmers {
        /// The first stemmer.
        first: &'static str,
        /// The second stemmer.
        second: &'static str,
    },
}

fn suggestion(similar: Option<&str>) -> String {
    match similar {
        Some(name) => format!("did you mean '{name}'?"),
        None => {
            let names: Vec<&str> = STEPS.iter().map(|help| help.name).collect();
            format!("available: {}", names.join(", "))
        }
    }
}

/// Returns whether `name` is a step without arguments.
pub(super) fn is_step(name: &str) -> bool {
    STEPS.iter().any(|help| help.name == name)
}

/// Returns the step with the most similar name, if any is similar.
pub(super) fn similar(name: &str) -> Option<&'static str> {
    let bare = |help: &StepHelp| help.name.split(':').next().unwrap_or(help.name);
    let name = name.to_lowercase();
    let begins = |help: &&StepHelp| name.len() >= 3 && bare(help).starts_with(&*name);
    let nearest = || {
        let near = STEPS.iter().map(|help| (edit_distance(&name, bare(help)), help));
        let (distance, help) = near.min_by_key(|(distance, _)| *distance)?;
        (distance <= 2 && distance < bare(help).len() - 1).then_some(help)
    };
    STEPS.iter().find(begins).or_else(nearest).map(|help| help.name)
}
