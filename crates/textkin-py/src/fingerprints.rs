//! `fingerprints`: the selected chunks of one text.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use textkin::Analyzer;
use textkin::types::{Layers, Tokens};

use crate::error;
use crate::settings::Given;

/// The fingerprints of `text`, in its order: hash, and where the words stand, in characters.
#[pyfunction]
pub(crate) fn fingerprints(
    py: Python<'_>,
    text: &str,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Vec<(u64, usize, usize)>> {
    let settings = Given(settings).settings()?;
    if settings.select.needs_collection() {
        let words = format!("{} must know the whole collection", settings.select);
        return Err(error::setting("select", &words));
    }
    let made = py.detach(|| {
        let analyzer = Analyzer::new(&settings)?;
        let structure = analyzer.needs_structure();
        let mut tokens = Tokens::new(Layers { structure, ..Layers::SPANS });
        let (mut chunks, mut selection) = (Vec::new(), Vec::new());
        analyzer.tokenize(text, &mut tokens);
        analyzer.chunk(&tokens, &mut chunks, &mut selection);
        let spans = tokens.spans();
        let place = |index: &u32| {
            let chunk = chunks.get(*index as usize)?;
            let words = spans.get(chunk.first as usize..)?.get(..chunk.count as usize)?;
            Some((chunk.hash, words.first()?.start as usize, words.last()?.end as usize))
        };
        let placed: Vec<_> = selection.iter().filter_map(place).collect();
        Ok(in_characters(text, placed))
    });
    made.map_err(|error: textkin::Error| error::of_textkin(&error))
}

/// Bytes of a text as characters of it.
fn in_characters(text: &str, mut placed: Vec<(u64, usize, usize)>) -> Vec<(u64, usize, usize)> {
    if text.is_ascii() {
        return placed;
    }
    let mut bytes: Vec<usize> = placed.iter().flat_map(|place| [place.1, place.2]).collect();
    bytes.sort_unstable();
    bytes.dedup();
    let mut characters = Vec::with_capacity(bytes.len());
    let (mut at, mut n_characters) = (0, 0);
    for &byte in &bytes {
        n_characters += text.get(at..byte).map_or(0, |part| part.chars().count());
        at = byte;
        characters.push(n_characters);
    }
    let character = |byte: usize| bytes.binary_search(&byte).map_or(0, |place| characters[place]);
    for place in &mut placed {
        (place.1, place.2) = (character(place.1), character(place.2));
    }
    placed
}
