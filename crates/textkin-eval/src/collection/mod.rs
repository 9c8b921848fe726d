//! Collections with ground truth: documents, and what people or measurements say of them.
//!
//! `manifest` reads `collection.toml`, `load` the documents it names, `labels` the files of labels; `article`
//! reads articles with headers, `threads` links them by what they answer and quote. Made collections
//! (`generate`) become collections too, so that experiments know one kind only.

mod article;
mod labels;
mod load;
mod manifest;
mod source;
mod threads;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub use manifest::{
    BUILT_IN_MANIFESTS, CollectionManifest, LabelFile, PairFile, PassageFile, QueryFile, Threads,
    Unlabelled,
};
pub use source::CollectionSource;

use crate::generate::SyntheticCollection;
use crate::metric::{Degree, Detection, Edges, Judgement};

/// A document of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionDocument {
    /// Its id.
    pub id: String,
    /// When it was written, if that is known.
    pub time: Option<String>,
    /// What it says.
    pub text: String,
}

/// Documents with what is known of them.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// What it is.
    pub note: String,
    /// The documents, in order.
    pub texts: Arc<[CollectionDocument]>,
    /// What is known of them.
    pub truth: GroundTruth,
}

/// What is known of the documents of a collection, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct GroundTruth {
    /// Pairs that are kin, and how much they overlap.
    pub related: BTreeMap<(u32, u32), Degree>,
    /// Pairs that were looked at and are not kin.
    pub unrelated: Edges,
    /// The family of each document, if families are known: between families nobody is kin unless a
    /// label says so.
    pub families: Option<Vec<u32>>,
    /// What is to be thought of pairs without a label.
    pub unlabelled: Unlabelled,
    /// Pairs without a label, ascending, of which one has so much of the other that nobody can call them
    /// strangers: reuse that nobody labelled.
    pub contained: Vec<(u32, u32)>,
    /// The cluster that each document should be in, as far as that is known. Without any, nothing is
    /// known of clusters.
    pub clusters: Vec<Option<u32>>,
    /// Documents whose kin are known completely: every other document is a stranger to them.
    pub complete: BTreeSet<u32>,
    /// Passages that one document has of another, in bytes.
    pub passages: Vec<Detection>,
    /// The class of each passage, if there are classes.
    pub classes: Vec<String>,
}

impl GroundTruth {
    /// The pairs that are kin.
    #[must_use]
    pub fn edges(&self) -> Edges {
        self.related.keys().copied().collect()
    }

    /// What is known of a pair.
    #[must_use]
    pub fn judge(&self, a: u32, b: u32) -> Judgement {
        let pair = (a.min(b), a.max(b));
        if self.related.contains_key(&pair) {
            return Judgement::Related;
        }
        let is_known = self.complete.contains(&a) || self.complete.contains(&b);
        if is_known || self.unrelated.contains(a, b) {
            return Judgement::Unrelated;
        }
        let is_apart = self
            .families
            .as_ref()
            .is_some_and(|families| families.get(a as usize) != families.get(b as usize));
        if self.contained.binary_search(&pair).is_ok() {
            return Judgement::Unjudged;
        }
        match self.unlabelled {
            Unlabelled::Unrelated => Judgement::Unrelated,
            Unlabelled::Families if is_apart => Judgement::Unrelated,
            Unlabelled::Families | Unlabelled::Unjudged => Judgement::Unjudged,
        }
    }

    /// The kin of every document that has some, with the degree of overlap.
    #[must_use]
    pub fn by_document(&self) -> BTreeMap<u32, BTreeMap<u32, Degree>> {
        let mut related: BTreeMap<u32, BTreeMap<u32, Degree>> = BTreeMap::new();
        for (&(a, b), &degree) in &self.related {
            related.entry(a).or_default().insert(b, degree);
            related.entry(b).or_default().insert(a, degree);
        }
        related
    }
}

impl Collection {
    /// A source of the documents, in order.
    #[must_use]
    pub fn source(&self) -> CollectionSource {
        CollectionSource::new(Arc::clone(&self.texts))
    }

    /// Bytes of all texts.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.texts.iter().map(|text| text.text.len() as u64).sum()
    }

    /// Documents that have kin, at most `n` of them: the same for the same seed. Where it is known of
    /// some documents who all their kin are, these only.
    #[must_use]
    pub fn queries(&self, n: usize, seed: u64) -> Vec<u32> {
        let mut random = textkin::types::Random::new(seed);
        let complete = &self.truth.complete;
        let is_asked = |query: &u32| complete.is_empty() || complete.contains(query);
        let mut candidates: Vec<u32> =
            self.truth.by_document().into_keys().filter(is_asked).collect();
        let mut chosen = BTreeSet::new();
        while chosen.len() < n && !candidates.is_empty() {
            chosen.insert(candidates.swap_remove(random.below(candidates.len())));
        }
        chosen.into_iter().collect()
    }

    /// The first `n` documents, and what is known of these.
    #[must_use]
    pub fn first(&self, n: usize) -> Self {
        let n = n.min(self.texts.len());
        let is_in = |document: u32| (document as usize) < n;
        let has = |one: &Detection| is_in(one.suspicious) && is_in(one.source);
        let truth = &self.truth;
        Self {
            name: self.name.clone(),
            note: self.note.clone(),
            texts: self.texts.iter().take(n).cloned().collect(),
            truth: GroundTruth {
                related: truth
                    .related
                    .iter()
                    .filter(|((a, b), _)| is_in(*a) && is_in(*b))
                    .map(|(pair, degree)| (*pair, *degree))
                    .collect(),
                unrelated: truth.unrelated.iter().filter(|&(a, b)| is_in(a) && is_in(b)).collect(),
                families: truth
                    .families
                    .as_ref()
                    .map(|families| families.iter().take(n).copied().collect()),
                unlabelled: truth.unlabelled,
                contained: truth
                    .contained
                    .iter()
                    .filter(|(a, b)| is_in(*a) && is_in(*b))
                    .copied()
                    .collect(),
                clusters: truth.clusters.iter().take(n).copied().collect(),
                complete: truth
                    .complete
                    .range(..u32::try_from(n).unwrap_or(u32::MAX))
                    .copied()
                    .collect(),
                passages: truth.passages.iter().filter(|one| has(one)).copied().collect(),
                classes: truth
                    .passages
                    .iter()
                    .zip(&truth.classes)
                    .filter(|(one, _)| has(one))
                    .map(|(_, class)| class.clone())
                    .collect(),
            },
        }
    }
}

impl From<SyntheticCollection> for Collection {
    fn from(synthetic: SyntheticCollection) -> Self {
        let families: Vec<u32> =
            synthetic.documents.iter().map(|document| document.family).collect();
        let related = synthetic.related.iter().map(|pair| (pair, Degree::High)).collect();
        let texts = synthetic.documents.into_iter().map(|document| CollectionDocument {
            id: document.id,
            time: Some(document.time),
            text: document.text,
        });
        Self {
            name: "synthetic".to_owned(),
            note: "made by a seed, with known truth".to_owned(),
            texts: texts.collect(),
            truth: GroundTruth {
                related,
                clusters: families.iter().copied().map(Some).collect(),
                families: Some(families),
                unlabelled: Unlabelled::Unrelated,
                passages: synthetic.passages,
                ..GroundTruth::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{SyntheticSettings, generate};

    #[test]
    fn what_is_made_becomes_a_collection() {
        let collection = Collection::from(generate(&SyntheticSettings {
            n_documents: 40,
            ..SyntheticSettings::default()
        }));
        assert_eq!((collection.texts.len(), collection.truth.related.len()), (40, 30));
        assert_eq!(collection.truth.judge(1, 0), Judgement::Related);
        assert_eq!(collection.truth.judge(0, 3), Judgement::Unrelated);
        let queries = collection.queries(5, 1);
        assert_eq!((queries.len(), queries), (5, collection.queries(5, 1)));
        assert_eq!(collection.queries(100, 1).len(), 30, "every fourth has no kin");
        let few = collection.first(6);
        assert_eq!((few.texts.len(), few.truth.related.len()), (6, 4));
    }

    #[test]
    fn what_nobody_looked_at_is_not_judged() {
        let mut truth = GroundTruth { families: Some(vec![1, 1, 2]), ..GroundTruth::default() };
        truth.unrelated.insert(0, 1);
        let judge = |truth: &GroundTruth| [(0, 1), (1, 0), (0, 2)].map(|(a, b)| truth.judge(a, b));
        let (unrelated, unjudged) = (Judgement::Unrelated, Judgement::Unjudged);
        assert_eq!(judge(&truth), [unrelated, unrelated, unjudged]);
        truth.unlabelled = Unlabelled::Families;
        assert_eq!(judge(&truth), [unrelated; 3]);
        truth.contained = vec![(0, 1), (0, 2)];
        assert_eq!(judge(&truth), [unrelated, unrelated, unjudged], "a label counts more");
    }
}
