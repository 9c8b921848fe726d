//! `fingerprints`: the selected chunks of one text.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use textkin::engine::Analyzer;
use textkin::engine::types::{Layers, Tokens};

use crate::error;
use crate::settings::SettingsDict;

/// Returns the fingerprints of `text`, in text order: hash, start and end in characters.
#[pyfunction]
pub(crate) fn fingerprints(
    py: Python<'_>,
    text: &str,
    settings: &Bound<'_, PyDict>,
) -> PyResult<Vec<(u64, usize, usize)>> {
    let settings = SettingsDict(settings).settings()?;
    if settings.select.needs_collection() {
        let reason = format!("{} needs the whole collection", settings.select);
        return Err(error::setting("select", &reason));
    }
    let fingerprints = py.detach(|| {
        let analyzer = Analyzer::new(&settings)?;
        let structure = analyzer.needs_structure();
        let mut tokens = Tokens::new(Layers { structure, ..Layers::SPANS });
        let (mut chunks, mut selection) = (Vec::new(), Vec::new());
        analyzer.tokenize(text, &mut tokens);
        analyzer.chunk(&tokens, &mut chunks, &mut selection);
        let spans = tokens.spans();
        let fingerprint = |index: &u32| {
            let chunk = chunks.get(*index as usize)?;
            let words = spans.get(chunk.first as usize..)?.get(..chunk.count as usize)?;
            Some((chunk.hash, words.first()?.start as usize, words.last()?.end as usize))
        };
        let fingerprints: Vec<_> = selection.iter().filter_map(fingerprint).collect();
        Ok(in_characters(text, fingerprints))
    });
    fingerprints.map_err(|error: textkin::Error| error::from_textkin(&error))
}

/// Converts byte offsets in `text` to character offsets.
fn in_characters(
    text: &str,
    mut fingerprints: Vec<(u64, usize, usize)>,
) -> Vec<(u64, usize, usize)> {
    if text.is_ascii() {
        return fingerprints;
    }
    let mut bytes: Vec<usize> = fingerprints.iter().flat_map(|one| [one.1, one.2]).collect();
    bytes.sort_unstable();
    bytes.dedup();
    let mut characters = Vec::with_capacity(bytes.len());
    let (mut at, mut n_characters) = (0, 0);
    for &byte in &bytes {
        n_characters += text.get(at..byte).map_or(0, |part| part.chars().count());
        at = byte;
        characters.push(n_characters);
    }
    let character = |byte: usize| bytes.binary_search(&byte).map_or(0, |index| characters[index]);
    for (_, start, end) in &mut fingerprints {
        (*start, *end) = (character(*start), character(*end));
    }
    fingerprints
}
