//! Pairs of documents that share passages in other words, among all documents of a source.
//!
//! In: a source. Out: pairs with what they share. The documents go to a temporary repository, which indexes their
//! pairs of words. Each document is searched in it, and the candidates are aligned. Memory holds the pairs of
//! candidates, of which each document has a fixed number, and some texts.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use hashbrown::HashMap;
use textkin_core::{Cluster, DisjointSets, Overlap, Rewind, Source, parallel};
use textkin_graph::PassageRules;
use textkin_report::RewrittenMatches;
use textkin_repository::DocumentAddress;
use textkin_rewritten::RewrittenKind;
use textkin_text::grammar::{ChunkerKind, Selection};

use super::Repository;
use super::rewritten::{RewrittenSearchSettings, RewrittenSearcher};
use super::write::{ExistingPolicy, RepositoryWriter};
use crate::compare::compare;
use crate::discover::RunControl;
use crate::documents::Documents;
use crate::error::Error;
use crate::rewritten::find_rewritten;
use crate::settings::Settings;

/// Words of a run that is identical, if the chunks of the run are not words.
const DEFAULT_K: NonZeroU32 = NonZeroU32::MIN.saturating_add(7);

/// Documents whose candidates are found between two looks at the stop signal.
const BATCH: usize = 1024;

/// Two documents that share passages in other words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RewrittenPair {
    /// The number of the earlier document.
    pub a: u32,
    /// The number of the later document.
    pub b: u32,
    /// Confidence of the surest passage, from 0 to 1.
    pub confidence: f64,
    /// The passages, without what is identical.
    pub matches: RewrittenMatches,
    /// The identical text that they share besides.
    pub overlap: Overlap,
}

/// Finds the pairs of `documents` that share passages in other words, by number; the surest first. `source` has the
/// documents again.
///
/// # Errors
/// If the source cannot be read again, temporary data cannot be written, or the run is stopped.
pub fn rewritten_pairs(
    source: &dyn Rewind,
    documents: &Documents,
    settings: &Settings,
    control: &RunControl,
) -> Result<Vec<RewrittenPair>, Error> {
    let folder = tempfile::tempdir_in(&settings.temp_dir)
        .map_err(|source| Error::TemporaryFolder { path: settings.temp_dir.clone(), source })?;
    let path = folder.path().join("rewritten");
    let chunk = match settings.chunk {
        ChunkerKind::Words { .. } => settings.chunk,
        _ => ChunkerKind::Words { k: DEFAULT_K },
    };
    let settings = &Settings { chunk, select: Selection::default(), ..settings.clone() };
    let mut writer = RepositoryWriter::create_for_pairs(&path, settings)?;
    let source: &mut dyn Source = &mut *source.rewind()?;
    writer.add(source, ExistingPolicy::Refuse, false, control)?;
    let repository = writer.repository();
    let searcher = RewrittenSearcher::new(&repository, RewrittenSearchSettings::default())?;
    let threads = settings.n_threads();

    let addresses: Vec<DocumentAddress> = repository.storage().addresses().collect();
    control.progress.begin("finding candidates", addresses.len() as u64);
    let mut pairs: Vec<(DocumentAddress, DocumentAddress)> = Vec::new();
    for batch in addresses.chunks(BATCH) {
        let found = parallel::map(batch, threads, |&address| {
            let others = searcher.candidates_beside(address)?;
            let pair = |other: DocumentAddress| (address.min(other), address.max(other));
            Ok::<_, Error>(others.into_iter().map(pair).collect::<Vec<_>>())
        });
        for found in found {
            pairs.extend(found?);
        }
        control.progress.advance(batch.len() as u64);
        if control.stop.is_requested() {
            return Err(Error::Stopped);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();

    let numbers = numbers(&repository, &addresses, documents)?;
    let groups: Vec<&[(DocumentAddress, DocumentAddress)]> =
        pairs.chunk_by(|one, other| one.0 == other.0).collect();
    control.progress.begin("comparing candidates", pairs.len() as u64);
    let mut found = Vec::new();
    for batch in groups.chunks(BATCH) {
        let aligned = parallel::map(batch, threads, |group| {
            let aligned = align_group(&repository, &searcher, settings, group)?;
            control.progress.advance(group.len() as u64);
            Ok::<_, Error>(aligned)
        });
        for aligned in aligned {
            for (a, b, matches, overlap) in aligned? {
                let (Some(&a), Some(&b)) = (numbers.get(&a), numbers.get(&b)) else { continue };
                let confidences = matches.passages.iter().map(|one| one.confidence);
                let confidence = confidences.fold(0.0, f64::max);
                found.push(RewrittenPair { a, b, confidence, matches, overlap });
            }
        }
        if control.stop.is_requested() {
            return Err(Error::Stopped);
        }
    }
    found.sort_by(|x, y| {
        let words = |one: &RewrittenPair| one.matches.words_a.max(one.matches.words_b);
        (y.confidence.total_cmp(&x.confidence))
            .then(words(y).cmp(&words(x)))
            .then((x.a, x.b).cmp(&(y.a, y.b)))
    });
    Ok(found)
}

/// Returns the number of each document of the repository.
fn numbers(
    repository: &Repository,
    addresses: &[DocumentAddress],
    documents: &Documents,
) -> Result<HashMap<DocumentAddress, u32>, Error> {
    let mut by_id: HashMap<&str, u32> = HashMap::new();
    for (number, entry) in (0_u32..).zip(documents.entries()) {
        if !entry.is_skipped {
            by_id.entry(documents.id(number)).or_insert(number);
        }
    }
    let mut numbers = HashMap::new();
    repository.read_documents(addresses, |address, document| {
        if let Some(&number) = by_id.get(document.id.as_str()) {
            numbers.insert(address, number);
        }
        Ok::<(), Error>(())
    })?;
    Ok(numbers)
}

/// Aligns one document with its candidates; returns those that share passages in other words.
fn align_group(
    repository: &Repository,
    searcher: &RewrittenSearcher,
    settings: &Settings,
    group: &[(DocumentAddress, DocumentAddress)],
) -> Result<Vec<(DocumentAddress, DocumentAddress, RewrittenMatches, Overlap)>, Error> {
    let Some(&(a, _)) = group.first() else { return Ok(Vec::new()) };
    let text_of = |address| Ok::<_, Error>(repository.text(address)?.unwrap_or_default());
    let text = text_of(a)?;
    let prepared = searcher.prepare(&text);
    let mut found = Vec::new();
    for &(_, b) in group {
        let other = text_of(b)?;
        let passages = searcher.align(&prepared, &searcher.prepare(&other));
        if passages.iter().all(|one| one.kind == RewrittenKind::Exact) {
            continue;
        }
        // What runs of words show already does not count as rewritten.
        let comparison = compare(&text, &other, settings, PassageRules::default())?;
        let matches = find_rewritten(&text, &other, settings, &comparison)?;
        if !matches.passages.is_empty() {
            found.push((a, b, matches, comparison.alignment.overlap));
        }
    }
    Ok(found)
}

/// Joins the clusters that `pairs` connect, and adds those of documents that were in none. The density of a joined
/// cluster counts the edges of its parts and the pairs.
#[must_use]
pub fn join_clusters(
    clusters: Vec<Cluster>,
    pairs: &[RewrittenPair],
    n_documents: usize,
) -> Vec<Cluster> {
    if pairs.is_empty() {
        return clusters;
    }
    let mut sets = DisjointSets::new(n_documents);
    for cluster in &clusters {
        for pair in cluster.members.windows(2) {
            sets.union(pair[0], pair[1]);
        }
    }
    let mut is_joined = vec![false; n_documents];
    for pair in pairs {
        sets.union(pair.a, pair.b);
    }
    for pair in pairs {
        is_joined[sets.find(pair.a) as usize] = true;
    }
    /// The edges of a cluster, and the score of the weakest.
    struct Joined {
        members: Vec<u32>,
        edges: f64,
        weakest: f64,
    }
    let n_pairs = |n: usize| (n * n.saturating_sub(1)) as f64 / 2.0;
    let mut joined: BTreeMap<u32, Joined> = BTreeMap::new();
    let mut others = Vec::new();
    let mut add = |root: u32, members: &[u32], edges: f64, weakest: f64| {
        let one = joined.entry(root).or_insert(Joined {
            members: Vec::new(),
            edges: 0.0,
            weakest: f64::INFINITY,
        });
        one.members.extend_from_slice(members);
        one.edges += edges;
        one.weakest = one.weakest.min(weakest);
    };
    for cluster in clusters {
        let root = cluster.members.first().map_or(0, |first| sets.find(*first));
        if is_joined[root as usize] {
            let edges = cluster.density * n_pairs(cluster.members.len());
            add(root, &cluster.members, edges, cluster.weakest);
        } else {
            others.push(cluster);
        }
    }
    for pair in pairs {
        add(sets.find(pair.a), &[pair.a, pair.b], 1.0, pair.confidence);
    }
    others.extend(joined.into_values().map(|mut one| {
        one.members.sort_unstable();
        one.members.dedup();
        let density = (one.edges / n_pairs(one.members.len())).min(1.0);
        Cluster { members: one.members, density, weakest: one.weakest }
    }));
    others.sort_by(|a, b| b.members.len().cmp(&a.members.len()).then(a.members.cmp(&b.members)));
    others
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_joined_by_rewritten_pairs() {
        let cluster =
            |members: &[u32]| Cluster { members: members.to_vec(), density: 1.0, weakest: 0.5 };
        let pair = |a, b| RewrittenPair {
            a,
            b,
            confidence: 0.9,
            matches: RewrittenMatches::default(),
            overlap: Overlap::default(),
        };
        let clusters = vec![cluster(&[0, 1, 2]), cluster(&[3, 4]), cluster(&[5, 6])];
        assert_eq!(join_clusters(clusters.clone(), &[], 9), clusters);
        let joined = join_clusters(clusters, &[pair(1, 4), pair(7, 8)], 9);
        let members: Vec<&[u32]> = joined.iter().map(|one| &one.members[..]).collect();
        assert_eq!(members, [&[0, 1, 2, 3, 4][..], &[5, 6], &[7, 8]]);
        assert_eq!((joined[0].density, joined[0].weakest), (0.5, 0.5));
        assert_eq!((joined[2].density, joined[2].weakest), (1.0, 0.9));
    }
}
