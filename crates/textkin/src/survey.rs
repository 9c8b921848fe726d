//! Surveys: a first pass over a source, for strategies that need the whole collection.

use std::ops::ControlFlow;

use hashbrown::HashMap;
use textkin_core::{Chunk, Content, Document, DocumentSink, Problem, Rewind, Source, Tokens};
use textkin_text::grammar::Selection;
use textkin_text::selector::Frequencies;

use crate::analyzer::Analyzer;
use crate::discover::RunControl;
use crate::error::Error;
use crate::settings::Settings;

/// Makes a first pass over `source` if a strategy of `settings` needs the whole collection, or if
/// its `stop_frequent` most frequent words are to be ignored, and completes `settings` accordingly.
///
/// # Errors
/// If the run is stopped, or the source cannot be read twice.
pub fn survey_collection(
    source: &dyn Rewind,
    settings: &mut Settings,
    stop_frequent: Option<usize>,
    control: &RunControl,
) -> Result<(), Error> {
    if let Some(n) = stop_frequent {
        let mut words = frequent_words(&mut *source.rewind()?, settings, n, control)?;
        words.extend(settings.normalization.stop_list().iter().cloned());
        settings.normalization = settings.normalization.clone().with_stop_list(words);
    }
    if settings.select.needs_collection() {
        settings.resources.frequencies =
            Some(chunk_frequencies(&mut *source.rewind()?, settings, control)?);
    }
    Ok(())
}

/// Returns the `n` most frequent words of the collection, most frequent first, then alphabetically.
///
/// # Errors
/// If the run is stopped.
pub fn frequent_words(
    source: &mut dyn Source,
    settings: &Settings,
    n: usize,
    control: &RunControl,
) -> Result<Vec<String>, Error> {
    let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
    survey(source, settings, control, |analyzer, content, tokens| {
        analyzer.tokenize(content.text().unwrap_or_default(), tokens);
        for token in 0..tokens.len() {
            *counts.entry_ref(tokens.token(token)).or_insert(0) += 1;
        }
    })?;
    let mut words: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
    words.sort_by(|(word_a, a), (word_b, b)| b.cmp(a).then(word_a.cmp(word_b)));
    words.truncate(n);
    Ok(words.into_iter().map(|(word, _)| String::from_utf8_lossy(&word).into_owned()).collect())
}

/// Counts for each chunk of the collection the documents that contain it.
///
/// # Errors
/// If the run is stopped.
pub fn chunk_frequencies(
    source: &mut dyn Source,
    settings: &Settings,
    control: &RunControl,
) -> Result<Frequencies, Error> {
    let settings = Settings { select: Selection::default(), ..settings.clone() };
    let mut counts: HashMap<u64, u32> = HashMap::new();
    let (mut chunks, mut selection) = (Vec::<Chunk>::new(), Vec::new());
    let mut hashes = Vec::new();
    survey(source, &settings, control, |analyzer, content, tokens| {
        let chunks = match content {
            Content::Text(text) => {
                analyzer.tokenize(text, tokens);
                analyzer.chunk(tokens, &mut chunks, &mut selection);
                &chunks[..]
            }
            Content::Chunks(stored) => &stored.chunks,
        };
        hashes.clear();
        hashes.extend(chunks.iter().map(|chunk| chunk.hash));
        hashes.sort_unstable();
        hashes.dedup();
        for &hash in &hashes {
            *counts.entry(hash).or_insert(0) += 1;
        }
    })?;
    Ok(Frequencies::new(move |hash| counts.get(&hash).copied().unwrap_or(0)))
}

/// Calls `each` with the content of every document, and a buffer for tokens. Problems are reported by the next pass.
fn survey(
    source: &mut dyn Source,
    settings: &Settings,
    control: &RunControl,
    each: impl FnMut(&Analyzer, &Content<'_>, &mut Tokens),
) -> Result<(), Error> {
    let analyzer = Analyzer::new(&Settings { select: Selection::default(), ..settings.clone() })?;
    control.progress.begin("surveying", source.total_bytes().unwrap_or(0));
    let mut surveyor = Surveyor { tokens: analyzer.tokens(), analyzer: &analyzer, control, each };
    while let Some(piece) = source.next_piece() {
        let bytes = piece.bytes();
        piece.read(&mut surveyor);
        control.progress.advance(bytes);
        control.stop.check()?;
    }
    Ok(())
}

struct Surveyor<'a, F> {
    analyzer: &'a Analyzer,
    tokens: Tokens,
    control: &'a RunControl,
    each: F,
}

impl<F: FnMut(&Analyzer, &Content<'_>, &mut Tokens)> DocumentSink for Surveyor<'_, F> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        (self.each)(self.analyzer, &document.content, &mut self.tokens);
        if self.control.stop.is_requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
