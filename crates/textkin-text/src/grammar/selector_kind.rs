//! Names of single selectors.
//!
//! In: `winnow:8`, `anchor:words.txt`… Out: [`SelectorKind`], which builds the selector with [`Resources`].

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use textkin_core::Selector;

use super::Error;
use super::arguments::StrategyArguments;
use super::registry::{selectors, unknown_name};
use crate::selector::{
    All, Anchor, Contains, Every, First, FirstSliding, Frequencies, Hailstorm, KthInParagraph,
    KthInSentence, KthSentence, Lowest, Modulo, NoOverlap, Random, RarestCollection,
    RarestDocument, RarestPrefix, Spex, Winnow,
};

/// Kind of selector: one step of a selection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum SelectorKind {
    /// `all`: every chunk.
    All,
    /// `spex`: chunks with only repeated sub-chunks in the collection; applied by the index.
    Spex,
    /// `modulo:L`: hashes divisible by `l`.
    Modulo {
        /// The divisor.
        l: NonZeroU32,
    },
    /// `every:L`: every `l`-th chunk.
    Every {
        /// The step, in chunks.
        l: NonZeroU32,
    },
    /// `winnow:W`: the smallest hash of each window.
    Winnow {
        /// Chunks in a window.
        window: NonZeroU32,
    },
    /// `hailstorm`: chunks that begin or end with their smallest token hash.
    Hailstorm,
    /// `random:R[:SEED]`: `r` chunks at random.
    Random {
        /// Number of chunks to keep.
        r: NonZeroU32,
        /// Random seed.
        seed: u64,
    },
    /// `first:R`: the first `r` chunks that do not overlap.
    First {
        /// Number of chunks to keep.
        r: NonZeroU32,
    },
    /// `first-sliding:R`: the first `r` chunks.
    FirstSliding {
        /// Number of chunks to keep.
        r: NonZeroU32,
    },
    /// `rarest-document:R`: the `r` chunks rarest in the document.
    RarestDocument {
        /// Number of chunks to keep.
        r: NonZeroU32,
    },
    /// `rarest-collection:R`: the `r` chunks rarest in the collection.
    RarestCollection {
        /// Number of chunks to keep.
        r: NonZeroU32,
    },
    /// `rarest-prefix:R[:P]`: the `r` chunks that begin with the rarest prefixes.
    RarestPrefix {
        /// Number of chunks to keep.
        r: NonZeroU32,
        /// Characters in a prefix.
        p: NonZeroU32,
    },
    /// `anchor[:FILE]`: chunks that begin with an anchor.
    Anchor {
        /// The file with anchors, if not the built-in ones.
        file: Option<String>,
    },
    /// `kth-in-sentence:K`: chunks that begin with the `k`-th word of a sentence.
    KthInSentence {
        /// Which word, from 1.
        k: NonZeroU32,
    },
    /// `kth-sentence:K`: chunks that begin every `k`-th sentence.
    KthSentence {
        /// The step, in sentences.
        k: NonZeroU32,
    },
    /// `kth-in-paragraph:K`: chunks that begin with the `k`-th word of a paragraph.
    KthInParagraph {
        /// Which word, from 1.
        k: NonZeroU32,
    },
    /// `lowest:R`: the `r` lowest hashes.
    Lowest {
        /// Number of chunks to keep.
        r: NonZeroU32,
    },
    /// `contains:FILE`: chunks that contain a listed word.
    Contains {
        /// The file with words.
        file: String,
    },
    /// `no-overlap`: drops chunks that other kept ones cover.
    NoOverlap,
}

impl SelectorKind {
    /// Builds the selector.
    ///
    /// # Errors
    /// If `resources` lacks a list or the frequencies that the selector needs.
    pub fn build(&self, resources: &Resources) -> Result<Box<dyn Selector>, Error> {
        Ok(match *self {
            Self::All => Box::new(All),
            Self::Spex => Box::new(Spex),
            Self::Modulo { l } => Box::new(Modulo { l }),
            Self::Every { l } => Box::new(Every { l }),
            Self::Winnow { window } => Box::new(Winnow { window }),
            Self::Hailstorm => Box::new(Hailstorm),
            Self::Random { r, seed } => Box::new(Random { r, seed }),
            Self::First { r } => Box::new(First { r }),
            Self::FirstSliding { r } => Box::new(FirstSliding { r }),
            Self::RarestDocument { r } => Box::new(RarestDocument { r }),
            Self::RarestCollection { r } => {
                Box::new(RarestCollection { r, frequencies: resources.frequencies(self)? })
            }
            Self::RarestPrefix { r, p } => Box::new(RarestPrefix { r, p }),
            Self::Anchor { file: None } => Box::new(Anchor::default()),
            Self::Anchor { file: Some(ref file) } => {
                Box::new(Anchor::new(resources.list(self, file)?))
            }
            Self::KthInSentence { k } => Box::new(KthInSentence { k }),
            Self::KthSentence { k } => Box::new(KthSentence { k }),
            Self::KthInParagraph { k } => Box::new(KthInParagraph { k }),
            Self::Lowest { r } => Box::new(Lowest { r }),
            Self::Contains { ref file } => Box::new(Contains::new(resources.list(self, file)?)),
            Self::NoOverlap => Box::new(NoOverlap),
        })
    }

    /// Returns whether discovery finds every shared chunk although only selected ones are kept.
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        matches!(self, Self::All | Self::Spex)
    }

    /// Returns whether a chunk is selected in all documents that contain it or in none.
    #[must_use]
    pub fn is_context_free(&self) -> bool {
        let by_hash = matches!(self, Self::Modulo { .. } | Self::Hailstorm);
        let by_list = matches!(self, Self::Anchor { .. } | Self::Contains { .. });
        self.is_lossless() || by_hash || by_list
    }

    /// Returns whether the selector needs chunk frequencies from an earlier pass.
    #[must_use]
    pub fn needs_collection(&self) -> bool {
        matches!(self, Self::RarestCollection { .. })
    }

    /// Returns the file whose lines [`Resources::lists`] must contain, if any.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Anchor { file: Some(file) } | Self::Contains { file } => Some(Path::new(file)),
            _ => None,
        }
    }
}

impl fmt::Display for SelectorKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => formatter.write_str("all"),
            Self::Spex => formatter.write_str("spex"),
            Self::Modulo { l } => write!(formatter, "modulo:{l}"),
            Self::Every { l } => write!(formatter, "every:{l}"),
            Self::Winnow { window } => write!(formatter, "winnow:{window}"),
            Self::Hailstorm => formatter.write_str("hailstorm"),
            Self::Random { r, seed: 0 } => write!(formatter, "random:{r}"),
            Self::Random { r, seed } => write!(formatter, "random:{r}:{seed}"),
            Self::First { r } => write!(formatter, "first:{r}"),
            Self::FirstSliding { r } => write!(formatter, "first-sliding:{r}"),
            Self::RarestDocument { r } => write!(formatter, "rarest-document:{r}"),
            Self::RarestCollection { r } => write!(formatter, "rarest-collection:{r}"),
            Self::RarestPrefix { r, p: RarestPrefix::DEFAULT_P } => {
                write!(formatter, "rarest-prefix:{r}")
            }
            Self::RarestPrefix { r, p } => write!(formatter, "rarest-prefix:{r}:{p}"),
            Self::Anchor { file: None } => formatter.write_str("anchor"),
            Self::Anchor { file: Some(file) } => {
                write!(formatter, "anchor:{}", file.replace('+', "++"))
            }
            Self::KthInSentence { k } => write!(formatter, "kth-in-sentence:{k}"),
            Self::KthSentence { k } => write!(formatter, "kth-sentence:{k}"),
            Self::KthInParagraph { k } => write!(formatter, "kth-in-paragraph:{k}"),
            Self::Lowest { r } => write!(formatter, "lowest:{r}"),
            Self::Contains { file } => write!(formatter, "contains:{}", file.replace('+', "++")),
            Self::NoOverlap => formatter.write_str("no-overlap"),
        }
    }
}

impl FromStr for SelectorKind {
    type Err = Error;

    /// Parses one selector.
    ///
    /// ```
    /// use textkin_text::grammar::SelectorKind;
    ///
    /// let error = "winow:8".parse::<SelectorKind>().unwrap_err();
    /// assert_eq!(error.to_string(), "unknown selector 'winow'; did you mean 'winnow'?");
    /// let error = "winnow:0".parse::<SelectorKind>().unwrap_err();
    /// assert_eq!(error.to_string(), "winnow:0: the window must be at least 1");
    /// ```
    fn from_str(text: &str) -> Result<Self, Error> {
        let (name, mut arguments) = StrategyArguments::split(text);
        let Some(help) = selectors().iter().find(|help| help.name == name) else {
            return Err(unknown_name("selector", name, selectors()));
        };
        arguments.syntax = help.syntax;
        const RESOLUTION: &str = "the number of chunks";
        const WORD: &str = "the number of the word";
        let kind = match name {
            "all" => Self::All,
            "spex" => Self::Spex,
            "modulo" => Self::Modulo { l: arguments.number("the divisor")? },
            "every" => Self::Every { l: arguments.number("the step")? },
            "winnow" => Self::Winnow { window: arguments.number("the window")? },
            "hailstorm" => Self::Hailstorm,
            "random" => {
                let r = arguments.number(RESOLUTION)?;
                Self::Random { r, seed: arguments.optional_seed()?.unwrap_or(0) }
            }
            "first" => Self::First { r: arguments.number(RESOLUTION)? },
            "first-sliding" => Self::FirstSliding { r: arguments.number(RESOLUTION)? },
            "rarest-document" => Self::RarestDocument { r: arguments.number(RESOLUTION)? },
            "rarest-collection" => Self::RarestCollection { r: arguments.number(RESOLUTION)? },
            "rarest-prefix" => {
                let r = arguments.number(RESOLUTION)?;
                let p = arguments.optional_number("the length of the prefix")?;
                Self::RarestPrefix { r, p: p.unwrap_or(RarestPrefix::DEFAULT_P) }
            }
            "anchor" => Self::Anchor { file: arguments.optional_file()? },
            "kth-in-sentence" => Self::KthInSentence { k: arguments.number(WORD)? },
            "kth-sentence" => Self::KthSentence { k: arguments.number("the step")? },
            "kth-in-paragraph" => Self::KthInParagraph { k: arguments.number(WORD)? },
            "lowest" => Self::Lowest { r: arguments.number(RESOLUTION)? },
            "contains" => {
                let missing = arguments.missing("the file");
                Self::Contains { file: arguments.optional_file()?.ok_or(missing)? }
            }
            "no-overlap" => Self::NoOverlap,
            _ => return Err(unknown_name("selector", name, selectors())),
        };
        arguments.finish(name, selectors())?;
        Ok(kind)
    }
}

/// Data that selectors need besides their settings, provided by the caller.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    /// Word lists by file name, each word normalized like tokens.
    pub lists: BTreeMap<PathBuf, Vec<String>>,
    /// Frequencies of chunks in the collection, if an earlier pass counted them.
    pub frequencies: Option<Frequencies>,
}

impl Resources {
    fn list(&self, kind: &SelectorKind, file: &str) -> Result<impl Iterator<Item = &str>, Error> {
        let list = self
            .lists
            .get(Path::new(file))
            .ok_or_else(|| Error::MissingList { strategy: kind.to_string(), file: file.into() })?;
        Ok(list.iter().map(String::as_str))
    }

    fn frequencies(&self, kind: &SelectorKind) -> Result<Frequencies, Error> {
        let missing = || Error::MissingFrequencies { strategy: kind.to_string() };
        self.frequencies.clone().ok_or_else(missing)
    }
}
