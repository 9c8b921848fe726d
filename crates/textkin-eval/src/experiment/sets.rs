//! Documents as in-memory sets of selected chunks: for selections that need the whole collection first, which
//! a repository does not support, and for chunks so short that too many documents share some.

use std::cmp::Reverse;
use std::collections::HashMap;

use textkin::engine::search::{Effectiveness, JudgedDocument};
use textkin::engine::text::grammar::Resources;
use textkin::engine::{Analyzer, Settings, chunk_frequencies};

use super::ExperimentContext;
use super::store::{MeanEffectiveness, TOP, judged};
use crate::error::Error;

/// Sets of selected chunks.
pub(super) struct ChunkSets {
    analyzer: Analyzer,
    documents_by_chunk: HashMap<u64, Vec<u32>>,
    /// Number of distinct selected chunks of each document.
    sizes: Vec<u32>,
}

/// Chunks that a text shares with documents.
pub(super) struct ChunkOverlap {
    /// Number of distinct selected chunks of the text.
    pub(super) n_chunks: u32,
    /// Documents and their number of shared chunks: largest first, then by document number.
    pub(super) documents: Vec<(u32, u32)>,
}

impl ChunkSets {
    /// Selects the chunks of every document of the collection.
    pub(super) fn new(context: &ExperimentContext<'_>, settings: &Settings) -> Result<Self, Error> {
        let collection = context.collection();
        let frequencies = match settings.select.needs_collection() {
            true => {
                Some(chunk_frequencies(&mut collection.source(), settings, context.run_control)?)
            }
            false => None,
        };
        let resources = Resources { frequencies, ..settings.resources.clone() };
        let analyzer = Analyzer::new(&Settings { resources, ..settings.clone() })?;
        let mut documents_by_chunk: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut sizes = Vec::with_capacity(collection.texts.len());
        for (text, number) in collection.texts.iter().zip(0..) {
            context.check_stopped()?;
            let chunks = selected(&analyzer, &text.text);
            sizes.push(count(chunks.len()));
            for chunk in chunks {
                documents_by_chunk.entry(chunk).or_default().push(number);
            }
        }
        Ok(Self { analyzer, documents_by_chunk, sizes })
    }

    /// Returns the chunks that a text shares with every document.
    pub(super) fn shared(&self, text: &str) -> ChunkOverlap {
        let chunks = selected(&self.analyzer, text);
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for document in
            chunks.iter().filter_map(|chunk| self.documents_by_chunk.get(chunk)).flatten()
        {
            *shared.entry(*document).or_default() += 1;
        }
        let mut documents: Vec<(u32, u32)> = shared.into_iter().collect();
        documents.sort_unstable_by_key(|&(document, n)| (Reverse(n), document));
        ChunkOverlap { n_chunks: count(chunks.len()), documents }
    }

    /// Returns the number of distinct selected chunks of a document.
    pub(super) fn size(&self, document: u32) -> u32 {
        self.sizes.get(document as usize).copied().unwrap_or(0)
    }

    /// Ranks documents by shared chunks for every query, and judges each ranking like that of a repository.
    pub(super) fn means(
        &self,
        context: &ExperimentContext<'_>,
        queries: &[u32],
    ) -> Result<MeanEffectiveness, Error> {
        let collection = context.collection();
        let related = collection.truth.by_document();
        let mut sum = MeanEffectiveness::default();
        for &query in queries {
            context.check_stopped()?;
            let text = collection.texts.get(query as usize).map_or("", |text| &text.text);
            let shared = self.shared(text);
            let percent = |n: u32| 100.0 * f64::from(n) / f64::from(shared.n_chunks);
            let judge =
                |&(document, n): &(u32, u32)| judged(collection, query, document, percent(n));
            let list: Vec<JudgedDocument> =
                shared.documents.iter().take(TOP).filter_map(judge).collect();
            let n_relevant = related.get(&query).map_or(0, std::collections::BTreeMap::len);
            if let Some(figures) = Effectiveness::of(&list, n_relevant) {
                sum.add(&figures);
            }
        }
        Ok(sum.over(queries.len()))
    }
}

fn count(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// Returns the distinct selected chunks of a text, ascending.
fn selected(analyzer: &Analyzer, text: &str) -> Vec<u64> {
    let (mut tokens, mut chunks, mut selection) = (analyzer.tokens(), Vec::new(), Vec::new());
    analyzer.tokenize(text, &mut tokens);
    analyzer.chunk(&tokens, &mut chunks, &mut selection);
    let chosen = selection.iter().filter_map(|index| chunks.get(*index as usize));
    let mut hashes: Vec<u64> = chosen.map(|chunk| chunk.hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collection::Collection;
    use crate::experiment::store::{TemporaryRepository, by};
    use crate::generate::{SyntheticSettings, generate};
    use textkin::engine::RunControl;
    use textkin::engine::search::Ranking;

    /// Sets in memory and a repository rank the same.
    #[test]
    fn sets_are_ranked_as_a_repository_ranks_them() {
        let settings =
            SyntheticSettings { n_documents: 60, words: 100, ..SyntheticSettings::default() };
        let run_control = RunControl::default();
        let collection = Collection::from(generate(&settings));
        let context =
            ExperimentContext { collection, is_quick: true, seed: 1, run_control: &run_control };
        let queries = context.queries();
        for select in ["all", "anchor", "hailstorm", "rarest-document:15"] {
            let settings = Settings {
                chunk: "words:3".parse().unwrap(),
                select: select.parse().unwrap(),
                ..Settings::default()
            };
            let ours =
                ChunkSets::new(&context, &settings).unwrap().means(&context, &queries).unwrap();
            let store = TemporaryRepository::new(&context, &settings, false).unwrap();
            let theirs = store.means(&context, &queries, by(&[Ranking::Fingerprint])).unwrap();
            assert_eq!(format!("{ours:.9?}"), format!("{:.9?}", theirs[0]), "{select}");
        }
    }
}
