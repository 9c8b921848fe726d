//! The index file of shared chunks: written by a discovery, used later to look up other texts.

use std::io::{self, Write};
use std::sync::Arc;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use textkin_core::SharedChunks;
use textkin_index::{IndexContents, IndexedDocument, SharedChunkList, SharedIndex, write_index};
use textkin_text::grammar::Selection;
use textkin_text::tokenizer::Normalization;

use crate::analyzer::Analyzer;
use crate::documents::Documents;
use crate::error::Error;
use crate::settings::Settings;

/// The settings by which texts were cut into chunks; stored so that other texts are cut the same
/// way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnalysisConfig {
    /// The version of textkin that wrote the file.
    pub textkin: String,
    /// The normalization.
    pub normalize: String,
    /// Ignored words, besides those of the normalization.
    pub stop_list: Vec<String>,
    /// The chunker.
    pub chunk: String,
    /// The hash function of chunks.
    pub hash: String,
    /// The selection of chunks.
    #[serde(default = "every_chunk")]
    pub select: String,
    /// Number of templates whose passages were excluded.
    pub templates: usize,
}

/// Returns the selection of an index that stores none, which has all chunks.
fn every_chunk() -> String {
    Selection::default().to_string()
}

impl AnalysisConfig {
    /// Takes the configuration from `settings`.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        Self {
            textkin: env!("CARGO_PKG_VERSION").to_owned(),
            normalize: settings.normalization.to_string(),
            stop_list: settings.normalization.stop_list().to_vec(),
            chunk: settings.chunk.to_string(),
            hash: settings.hash.to_string(),
            select: settings.select.to_string(),
            templates: settings.templates.len(),
        }
    }

    /// Reads the configuration of an index.
    ///
    /// # Errors
    /// If the configuration is invalid.
    pub fn of_index<B: AsRef<[u8]>>(index: &SharedIndex<B>) -> Result<Self, Error> {
        serde_json::from_str(index.about())
            .map_err(|error| Error::AnalysisConfig(error.to_string()))
    }

    /// Returns settings that produce the same chunks.
    ///
    /// # Errors
    /// If this version does not support one of the strategies.
    pub fn settings(&self) -> Result<Settings, Error> {
        let unsupported = |error: &dyn std::fmt::Display| Error::AnalysisConfig(error.to_string());
        let normalization: Normalization =
            self.normalize.parse().map_err(|error| unsupported(&error))?;
        let select: Selection = self.select.parse().map_err(|error| unsupported(&error))?;
        // Files and frequencies are not stored; without them, all chunks are looked up.
        let is_stored = !select.needs_collection() && select.files().next().is_none();
        Ok(Settings {
            select: if is_stored { select } else { Selection::default() },
            normalization: normalization.with_stop_list(self.stop_list.clone()),
            chunk: self.chunk.parse().map_err(|error| unsupported(&error))?,
            hash: self.hash.parse().map_err(|error| unsupported(&error))?,
            ..Settings::default()
        })
    }
}

/// The shared chunks of a discovery, to be written as an index file.
#[derive(Debug)]
pub struct SharedText {
    pub(crate) shared: Arc<SharedChunks>,
    pub(crate) chunks: SharedChunkList,
    /// The number of the text of each document.
    pub(crate) texts: Arc<[Option<u32>]>,
    pub(crate) analysis: AnalysisConfig,
}

impl SharedText {
    /// Returns the number of shared chunks.
    #[must_use]
    pub fn n_chunks(&self) -> usize {
        self.chunks.len()
    }

    /// Writes the index of `documents`.
    ///
    /// # Errors
    /// If writing to `out` fails.
    pub fn write(&self, documents: &Documents, out: impl Write) -> io::Result<()> {
        let about = serde_json::to_string(&self.analysis).map_err(io::Error::other)?;
        let contents = IndexContents { about: &about, shared: &self.shared, chunks: &self.chunks };
        let document = |(number, text): (u32, &Option<u32>)| IndexedDocument {
            id: documents.id(number),
            text: *text,
        };
        write_index(&contents, (0u32..).zip(self.texts.iter()).map(document), out)
    }
}

/// The occurrences of the chunks of a text in an indexed collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occurrences {
    /// Number of distinct selected chunks of the text.
    pub chunks: u64,
    /// Number of those that two or more documents of the collection share.
    pub shared: u64,
    /// The documents that contain them, with the number of chunks: most first, then in input order.
    pub documents: Vec<(u32, u64)>,
}

/// Looks up the chunks of `text` in `index`.
///
/// This differs from the lookup of chunks in a segment of a repository
/// ([`IndexSegment::for_each_chunk`](textkin_core::IndexSegment::for_each_chunk)): the index file has only
/// shared chunks, the texts of a chunk are those of its group, and words that are stored tell chunks of
/// the same hash apart.
///
/// # Errors
/// If the settings of the index are not supported, or the index is damaged.
pub fn find_occurrences<B: AsRef<[u8]>>(
    index: &SharedIndex<B>,
    text: &str,
) -> Result<Occurrences, Error> {
    let analyzer = Analyzer::new(&AnalysisConfig::of_index(index)?.settings()?)?;
    let (mut tokens, mut chunks, mut selection) = (analyzer.tokens(), Vec::new(), Vec::new());
    analyzer.tokenize(text, &mut tokens);
    analyzer.chunk(&tokens, &mut chunks, &mut selection);
    let mut words_of_hash: HashMap<u64, &[u8]> = HashMap::new();
    for chunk in selection.iter().map(|index| &chunks[*index as usize]) {
        let words = &tokens.normalized()[chunk.start as usize..chunk.end as usize];
        words_of_hash.insert(chunk.hash, words);
    }
    let mut found = Occurrences { chunks: words_of_hash.len() as u64, ..Occurrences::default() };
    let mut counts: HashMap<u32, u64> = HashMap::new();
    let mut hashes: Vec<u64> = words_of_hash.keys().copied().collect();
    hashes.sort_unstable();
    for hash in hashes {
        // Different chunks may have the same hash; the words distinguish them if they are stored.
        let is_same = |chunk: &usize| {
            index.text_of_chunk(*chunk).is_none_or(|words| words.as_bytes() == words_of_hash[&hash])
        };
        let Some(chunk) = index.find(hash).find(is_same) else { continue };
        found.shared += 1;
        for text in index.postings(index.group_of_chunk(chunk)) {
            *counts.entry(text?).or_default() += 1;
        }
    }
    for document in 0..u32::try_from(index.n_documents()).unwrap_or(u32::MAX) {
        let count = index.text_of_document(document).and_then(|text| counts.get(&text));
        found.documents.extend(count.map(|&count| (document, count)));
    }
    found.documents.sort_by_key(|&(document, count)| (std::cmp::Reverse(count), document));
    Ok(found)
}
