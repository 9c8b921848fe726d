//! The graph of a repository: which of its documents share text.

use std::sync::{Arc, PoisonError};

use hashbrown::{HashMap, HashSet};
use textkin::engine::graph::{Clustering, clusters_of_edges};
use textkin::engine::source::MemorySource;
use textkin::engine::types::{Cluster, Document, Measure};
use textkin::engine::{RunControl, Settings, discover};

use crate::domain::{Action, Actor, DocumentId, RepositoryId};
use crate::error::Error;
use crate::matching::index::PartitionKind;
use crate::service::documents::DocumentView;
use crate::service::repositories::RepositoryRecord;
use crate::service::{Service, templates};
use crate::store::{documents, repositories};

/// The maximum number of documents of a repository in its graph: the latest.
pub const MAX_GRAPH_DOCUMENTS: usize = 5000;
/// The maximum number of edges: the strongest.
const MAX_EDGES: usize = 200_000;
/// The minimum score of an edge.
pub(crate) const MIN_SCORE: f64 = 0.01;
/// The maximum number of cached graphs.
const MAX_CACHED: usize = 8;
/// The maximum bytes of the texts whose duplicated words are counted: the latest.
const MAX_BYTES: usize = 128 << 20;

/// Two documents that share text.
#[derive(Clone, Copy, Debug)]
pub struct DocumentEdge {
    /// Their indices in the list of documents.
    pub a: usize,
    /// The index of the second document.
    pub b: usize,
    /// The larger of both containments.
    pub score: f64,
    /// Shared words.
    pub words: u64,
}

/// The documents of a repository and what they share.
#[derive(Debug)]
pub struct RepositoryGraph {
    /// The documents.
    pub documents: Vec<DocumentView>,
    /// Their numbers.
    numbers: Vec<DocumentId>,
    /// Words of the counted documents, and how many of these another document contains.
    pub(crate) words: u64,
    pub(crate) duplicated: u64,
    /// The strongest first.
    pub edges: Vec<DocumentEdge>,
    /// Documents that are not in the graph, because there are too many or their texts are not kept.
    pub omitted: u64,
}

/// What a graph depends on: the repository, its number of documents, its latest document, its templates.
type GraphState = (RepositoryId, u64, Option<DocumentId>, Vec<String>);

/// A cached graph.
pub(crate) type CachedGraph = (GraphState, Arc<RepositoryGraph>);

impl Service {
    /// Returns the graph of a repository. It is computed on first use, and again when documents were
    /// added or deleted.
    pub fn repository_graph(
        &self,
        actor: &Actor,
        repository: &str,
    ) -> Result<Arc<RepositoryGraph>, Error> {
        actor.require(Action::Read)?;
        let record = self.store.read(|read| Self::resolve(read, actor, repository))?;
        self.graph_of(&record)
    }

    /// Returns the graph of a repository without checking permissions.
    pub(crate) fn graph_of(
        &self,
        record: &RepositoryRecord,
    ) -> Result<Arc<RepositoryGraph>, Error> {
        let (entries, total, templates) = self.store.read(|read| {
            let entries = documents::latest(read, record.id, MAX_GRAPH_DOCUMENTS)?;
            let total = repositories::n_documents(read, record.id)?;
            Ok((entries, total, templates::texts(read, record)?))
        })?;
        let last = entries.first().map(|entry| entry.number);
        let state: GraphState = (record.id, total, last, templates);
        let cached = self.graphs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, repository_graph)) = cached.iter().find(|cached| cached.0 == state) {
            return Ok(Arc::clone(repository_graph));
        }
        drop(cached);
        let templates = state.3.clone();
        let mut texts = Vec::with_capacity(entries.len());
        let mut documents = Vec::with_capacity(entries.len());
        let mut numbers = Vec::with_capacity(entries.len());
        for entry in entries.into_iter().rev().filter(|_| record.keeps_text) {
            let number = entry.number;
            if let Some(text) = self.index.text(PartitionKind::Texts, number)? {
                texts.push((documents.len() as u64, text));
                numbers.push(entry.number);
                documents.push(entry.view(&record.name));
            }
        }
        let (words, duplicated) = self.duplicated(&texts, &templates);
        let score = Measure::MaxContainment;
        // A cover sheet that everybody was given joins nobody to anybody.
        let threshold = MIN_SCORE;
        let settings = Settings { threshold, rules: None, score, templates, ..Settings::default() };
        let texts = texts.into_iter();
        let texts = texts.map(|(number, text)| Document::new(number.to_string(), text));
        let mut source = MemorySource::new(texts);
        let found = discover(&mut source, &settings, &RunControl::default())?;
        let edges = found.graph.rows().take(MAX_EDGES).map(|pair| DocumentEdge {
            a: pair.a as usize,
            b: pair.b as usize,
            score: pair.overlap.a_in_b().max(pair.overlap.b_in_a()),
            words: pair.overlap.covered_a.max(pair.overlap.covered_b),
        });
        let omitted = total.saturating_sub(documents.len() as u64);
        let edges = edges.collect();
        let repository_graph =
            RepositoryGraph { documents, numbers, words, duplicated, edges, omitted };
        let repository_graph = Arc::new(repository_graph);
        let mut cached = self.graphs.lock().unwrap_or_else(PoisonError::into_inner);
        cached.retain(|graph| graph.0.0 != record.id);
        if cached.len() >= MAX_CACHED {
            cached.remove(0);
        }
        cached.push((state, Arc::clone(&repository_graph)));
        Ok(repository_graph)
    }

    /// Counts the words of texts, and how many of them are in a chunk that another of the texts contains
    /// and no template. Only the latest texts up to [`MAX_BYTES`] are counted.
    fn duplicated(&self, texts: &[(u64, String)], templates: &[String]) -> (u64, u64) {
        let bytes = texts.iter().rev().scan(0usize, |bytes, (_, text)| {
            *bytes = bytes.saturating_add(text.len());
            Some(*bytes)
        });
        let counted = bytes.take_while(|&bytes| bytes <= MAX_BYTES).count();
        let counted = &texts[texts.len() - counted..];
        // The text that contains a chunk; `u64::MAX` if several do.
        let mut texts_by_chunk: HashMap<u64, u64> = HashMap::new();
        let templates: HashSet<u64> =
            templates.iter().flat_map(|text| self.index.prepare(text).chunks).collect();
        for (number, text) in counted {
            let query = self.index.query(text);
            for chunk in query.chunks().iter().filter(|chunk| !templates.contains(&chunk.hash)) {
                let owner = texts_by_chunk.entry(chunk.hash).or_insert(*number);
                if owner != number {
                    *owner = u64::MAX;
                }
            }
        }
        let (mut words, mut duplicated) = (0u64, 0u64);
        for (_, text) in counted {
            let query = self.index.query(text);
            words += u64::from(query.words());
            let mut end = 0;
            for chunk in query.chunks() {
                if texts_by_chunk.get(&chunk.hash) == Some(&u64::MAX) {
                    let after = chunk.first + chunk.count;
                    duplicated += u64::from(after.saturating_sub(chunk.first.max(end)));
                    end = end.max(after);
                }
            }
        }
        (words, duplicated)
    }
}

impl RepositoryGraph {
    /// Returns the number of each document that shares text, the share of its best match in
    /// thousandths, and the number of the other document.
    pub(crate) fn best(&self) -> Vec<(DocumentId, u32, DocumentId)> {
        let mut best: Vec<Option<(f64, usize)>> = vec![None; self.documents.len()];
        for edge in &self.edges {
            for (own, other) in [(edge.a, edge.b), (edge.b, edge.a)] {
                if best[own].is_none_or(|(score, _)| edge.score > score) {
                    best[own] = Some((edge.score, other));
                }
            }
        }
        let matched = best.iter().enumerate().filter_map(|(own, best)| {
            let (score, other) = (*best)?;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share")]
            let share = (score.clamp(0.0, 1.0) * 1000.0) as u32;
            Some((self.numbers[own], share, self.numbers[other]))
        });
        matched.collect()
    }

    /// Returns the clusters by edges with at least `min_score`.
    pub fn clusters(&self, min_score: f64) -> Vec<Vec<usize>> {
        self.clusters_of(self.edges.iter().filter(|edge| edge.score >= min_score))
    }

    /// Returns the documents of each cluster that some of the edges form, the largest first.
    pub fn clusters_of<'a>(
        &self,
        edges: impl IntoIterator<Item = &'a DocumentEdge>,
    ) -> Vec<Vec<usize>> {
        #[expect(clippy::cast_possible_truncation, reason = "at most MAX_GRAPH_DOCUMENTS")]
        let edges = edges.into_iter().map(|edge| (edge.a as u32, edge.b as u32, edge.score));
        let clusters =
            clusters_of_edges(self.documents.len(), edges.collect(), Clustering::default());
        let members = |cluster: Cluster| cluster.members.into_iter().map(|member| member as usize);
        clusters.into_iter().map(|cluster| members(cluster).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::tests::{actor, register, repository};
    use crate::service::{NewTemplate, ServiceLimits, Visibility};

    /// Returns 40 words that only this passage has.
    fn passage(name: &str) -> String {
        (0..40).map(|number| format!("{name}{number}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_template_joins_no_documents_and_is_not_duplicated_text() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let anna = actor(&service, "anna", "admin");
        repository(&service, &anna, "essays", Visibility::Private);
        for name in ["ann", "bob", "cyd"] {
            let essay = format!("{} {}", passage("cover"), passage(name));
            register(&service, &anna, "essays", name, &essay);
        }
        let graph = service.repository_graph(&anna, "essays").unwrap();
        assert_eq!((graph.edges.len(), graph.duplicated), (3, 120));
        let template = NewTemplate { name: "cover".to_owned(), text: passage("cover") };
        service.new_template(&anna, "essays", &template).unwrap();
        let graph = service.repository_graph(&anna, "essays").unwrap();
        assert_eq!((graph.edges.len(), graph.duplicated, graph.words), (0, 0, 240));
    }

    #[test]
    fn clusters_are_the_dense_ones_of_the_engine() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let anna = actor(&service, "anna", "admin");
        repository(&service, &anna, "works", Visibility::Private);
        // Two groups of three; one document of each has a passage in common.
        let (one, two, chain) = (passage("one"), passage("two"), passage("chain"));
        for (id, text) in [
            ("a0", format!("{one} {}", passage("x"))),
            ("a1", one.clone()),
            ("a2", format!("{one} {chain}")),
            ("b0", format!("{two} {chain}")),
            ("b1", two.clone()),
            ("b2", format!("{two} {}", passage("y"))),
        ] {
            register(&service, &anna, "works", id, &text);
        }
        let graph = service.repository_graph(&anna, "works").unwrap();
        assert_eq!(graph.edges.len(), 7);
        assert_eq!(graph.clusters(0.1), [vec![0, 1, 2], vec![3, 4, 5]]);
        // Without two edges of the first document, too few are left to join it.
        let kept: Vec<DocumentEdge> =
            graph.edges.iter().filter(|edge| edge.a != 0).copied().collect();
        assert_eq!(graph.clusters_of(&kept), [vec![3, 4, 5], vec![1, 2]]);
    }
}
