//! The names of the steps of normalisation, and what is said about a wrong one.

use textkin_core::name::edit_distance;

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
        name: "undisguise",
        summary: "letters of another script inside a word become those they look like; nothing without width divides a word",
    },
    StepHelp { name: "fold", summary: "full Unicode case folding: Straße becomes strasse" },
    StepHelp { name: "upper", summary: "case folding, and the result in capitals" },
    StepHelp { name: "numbers", summary: "each token of digits only becomes the token 0" },
    StepHelp { name: "ascii", summary: "characters outside ASCII are deleted from words" },
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
    StepHelp { name: "none", summary: "words as they are written" },
];

/// All steps that a [`Normalization`](super::Normalization) can name, in the order they should be shown.
#[must_use]
pub fn steps() -> &'static [StepHelp] {
    STEPS
}

/// Why a text names no normalisation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NormalizationError {
    /// A step that does not exist.
    #[error("no normalisation step '{step}'; {}", suggestion(*.similar))]
    UnknownStep {
        /// The step as it was written.
        step: String,
        /// The name most like it.
        similar: Option<&'static str>,
    },
    /// A part of texts that does not exist.
    #[error("no part of a text is called '{part}'; there are quotes and bibliography")]
    UnknownPart {
        /// The part as it was written.
        part: String,
    },
    /// A step that needs a language stands without one.
    #[error("normalisation step '{step}' needs a language, for example '{step}:en'")]
    MissingLanguage {
        /// The step as it was written.
        step: String,
    },
    /// A step without arguments was given one.
    #[error("normalisation step '{step}' takes no argument; write '{name}'")]
    UnexpectedArgument {
        /// The step as it was written.
        step: String,
        /// Its name.
        name: String,
    },
    /// No stop words for a language.
    #[error("no stop words for language '{language}' in 'stop:{language}'; known are {known}")]
    UnknownStopLanguage {
        /// The language as it was written.
        language: String,
        /// The languages that have some.
        known: String,
    },
    /// No stemmer for a language.
    #[error("no stemmer for language '{language}' in 'stem:{language}'; known are {known}")]
    UnknownStemLanguage {
        /// The language as it was written.
        language: String,
        /// The languages that have one.
        known: String,
    },
    /// A word can be stemmed only once.
    #[error("two stemmers, 'stem:{first}' and 'stem:{second}'; name one")]
    SeveralStemmers {
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

/// Whether a step that takes no argument is called `name`.
pub(super) fn is_step(name: &str) -> bool {
    STEPS.iter().any(|help| help.name == name)
}

/// The step whose name is most like `name`, if any is alike at all.
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
