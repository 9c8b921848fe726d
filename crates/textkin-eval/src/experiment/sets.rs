//! Documents as sets of selected chunks, held in memory: for selections that must know the whole
//! collection, with which no repository can be filled, and for chunks so short that too many documents share
//! some to relate all of them.

use std::cmp::Reverse;
use std::collections::HashMap;

use textkin::search::{Effectiveness, Judged};
use textkin::text::grammar::Resources;
use textkin::{Analyzer, Settings, chunk_frequencies};

use super::Lab;
use super::store::{Means, TOP, judged};
use crate::error::Error;

/// Which documents have a chunk selected.
pub(super) struct Sets {
    analyzer: Analyzer,
    holders: HashMap<u64, Vec<u32>>,
    /// Different selected chunks of each document.
    sizes: Vec<u32>,
}

/// What a text shares with the documents.
pub(super) struct Shared {
    /// Its different selected chunks.
    pub(super) n_chunks: u32,
    /// Documents, and how many of its chunks they have: most first, then by number.
    pub(super) documents: Vec<(u32, u32)>,
}

impl Sets {
    /// Selects chunks of every document of the lab.
    pub(super) fn new(lab: &Lab<'_>, settings: &Settings) -> Result<Self, Error> {
        let collection = lab.collection();
        let frequencies = match settings.select.needs_collection() {
            true => Some(chunk_frequencies(&mut collection.source(), settings, lab.watch)?),
            false => None,
        };
        let resources = Resources { frequencies, ..settings.resources.clone() };
        let analyzer = Analyzer::new(&Settings { resources, ..settings.clone() })?;
        let mut holders: HashMap<u64, Vec<u32>> = HashMap::new();
        let mut sizes = Vec::with_capacity(collection.texts.len());
        for (text, number) in collection.texts.iter().zip(0..) {
            lab.go_on()?;
            let chunks = selected(&analyzer, &text.text);
            sizes.push(count(chunks.len()));
            for chunk in chunks {
                holders.entry(chunk).or_default().push(number);
            }
        }
        Ok(Self { analyzer, holders, sizes })
    }

    /// What a text shares with every document.
    pub(super) fn shared(&self, text: &str) -> Shared {
        let chunks = selected(&self.analyzer, text);
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for document in chunks.iter().filter_map(|chunk| self.holders.get(chunk)).flatten() {
            *shared.entry(*document).or_default() += 1;
        }
        let mut documents: Vec<(u32, u32)> = shared.into_iter().collect();
        documents.sort_unstable_by_key(|&(document, n)| (Reverse(n), document));
        Shared { n_chunks: count(chunks.len()), documents }
    }

    /// Different selected chunks of a document.
    pub(super) fn size(&self, document: u32) -> u32 {
        self.sizes.get(document as usize).copied().unwrap_or(0)
    }

    /// Ranks by shared chunks for every query and judges each ranking, as a repository's are.
    pub(super) fn means(&self, lab: &Lab<'_>, queries: &[u32]) -> Result<Means, Error> {
        let collection = lab.collection();
        let kin = collection.truth.by_document();
        let mut sum = Means::default();
        for &query in queries {
            lab.go_on()?;
            let text = collection.texts.get(query as usize).map_or("", |text| &text.text);
            let shared = self.shared(text);
            let percent = |n: u32| 100.0 * f64::from(n) / f64::from(shared.n_chunks);
            let judge =
                |&(document, n): &(u32, u32)| judged(collection, query, document, percent(n));
            let list: Vec<Judged> = shared.documents.iter().take(TOP).filter_map(judge).collect();
            let n_relevant = kin.get(&query).map_or(0, std::collections::BTreeMap::len);
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

/// The different selected chunks of a text, ascending.
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
    use crate::experiment::store::{Store, by};
    use crate::generate::{Recipe, make};
    use textkin::Watch;
    use textkin::search::Ranking;

    /// Sets in memory and a repository rank the same.
    #[test]
    fn sets_are_ranked_as_a_repository_ranks_them() {
        let recipe = Recipe { n_documents: 60, words: 100, ..Recipe::default() };
        let watch = Watch::default();
        let collection = Collection::from(make(&recipe));
        let lab = Lab { collection, is_quick: true, seed: 1, watch: &watch };
        let queries = lab.queries();
        for select in ["all", "anchor", "hailstorm", "rarest-document:15"] {
            let settings = Settings {
                chunk: "words:3".parse().unwrap(),
                select: select.parse().unwrap(),
                ..Settings::default()
            };
            let ours = Sets::new(&lab, &settings).unwrap().means(&lab, &queries).unwrap();
            let store = Store::new(&lab, &settings, false).unwrap();
            let theirs = store.means(&lab, &queries, by(&[Ranking::Fingerprint])).unwrap();
            assert_eq!(format!("{ours:.9?}"), format!("{:.9?}", theirs[0]), "{select}");
        }
    }
}
