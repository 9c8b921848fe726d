//! Selections: selectors joined by `+`.
//!
//! In: `hailstorm+no-overlap`… Out: [`Selection`], never empty, which builds one selector.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use textkin_core::Selector;

use super::{Error, Resources, SelectorKind};
use crate::selector::Sequence;

/// Selection of chunks: one or more steps, applied from left to right.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection {
    /// Never empty.
    kinds: Vec<SelectorKind>,
}

impl Default for Selection {
    /// `all`.
    fn default() -> Self {
        SelectorKind::All.into()
    }
}

impl From<SelectorKind> for Selection {
    fn from(kind: SelectorKind) -> Self {
        Self { kinds: vec![kind] }
    }
}

impl Selection {
    /// Appends a step.
    #[must_use]
    pub fn then(mut self, kind: SelectorKind) -> Self {
        self.kinds.push(kind);
        self
    }

    /// Returns the steps, in order; at least one.
    #[must_use]
    pub fn kinds(&self) -> &[SelectorKind] {
        &self.kinds
    }

    /// Builds a selector that applies all steps in order.
    ///
    /// # Errors
    /// If `resources` lacks a list or the frequencies that a step needs.
    pub fn build(&self, resources: &Resources) -> Result<Box<dyn Selector>, Error> {
        if let [kind] = self.kinds.as_slice() {
            return kind.build(resources);
        }
        let selectors = self.kinds.iter().map(|kind| kind.build(resources));
        Ok(Box::new(Sequence::new(selectors.collect::<Result<_, Error>>()?)))
    }

    /// Returns whether every step is lossless; see [`SelectorKind::is_lossless`].
    #[must_use]
    pub fn is_lossless(&self) -> bool {
        self.kinds.iter().all(SelectorKind::is_lossless)
    }

    /// Returns whether every step is context-free; see [`SelectorKind::is_context_free`].
    #[must_use]
    pub fn is_context_free(&self) -> bool {
        self.kinds.iter().all(SelectorKind::is_context_free)
    }

    /// Returns whether a step needs the collection; see [`SelectorKind::needs_collection`].
    #[must_use]
    pub fn needs_collection(&self) -> bool {
        self.kinds.iter().any(SelectorKind::needs_collection)
    }

    /// Returns the files whose lines [`Resources::lists`] must contain.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        self.kinds.iter().filter_map(SelectorKind::file)
    }
}

impl fmt::Display for Selection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, kind) in self.kinds.iter().enumerate() {
            let plus = if position == 0 { "" } else { "+" };
            write!(formatter, "{plus}{kind}")?;
        }
        Ok(())
    }
}

impl FromStr for Selection {
    type Err = Error;

    /// Parses selectors joined by `+`.
    ///
    /// ```
    /// use textkin_text::grammar::{Selection, SelectorKind};
    ///
    /// let selection: Selection = "hailstorm+no-overlap".parse()?;
    /// assert_eq!(selection.kinds(), [SelectorKind::Hailstorm, SelectorKind::NoOverlap]);
    /// # Ok::<(), textkin_text::grammar::Error>(())
    /// ```
    fn from_str(text: &str) -> Result<Self, Error> {
        let parts = split_steps(text);
        if parts.len() > 1 && parts.iter().any(|part| part.is_empty()) {
            return Err(Error::MissingSelector { selection: text.to_owned() });
        }
        let kinds = parts.into_iter().map(str::parse).collect::<Result<_, Error>>()?;
        Ok(Self { kinds })
    }
}

/// Splits `text` at each `+` that is not doubled.
fn split_steps(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut start, mut position) = (0, 0);
    while let Some(found) = text[position..].find('+') {
        let plus = position + found;
        if text[plus + 1..].starts_with('+') {
            position = plus + 2;
        } else {
            parts.push(&text[start..plus]);
            start = plus + 1;
            position = start;
        }
    }
    parts.push(&text[start..]);
    parts
}
