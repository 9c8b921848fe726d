//! Collections: documents with ground truth from people or measurements.
//!
//! `manifest` reads `collection.toml`, `load` its documents, `labels` its label files; `article` reads
//! articles with headers, `threads` links them by replies and quotations. Synthetic collections (`generate`)
//! convert to the same type, so that experiments handle one kind only.

mod article;
mod labels;
mod load;
mod manifest;
mod threads;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use textkin::EvaluationItem;
use textkin::engine::source::MemorySource;
use textkin::engine::types::Document;

pub use manifest::{
    BUILT_IN_MANIFESTS, CollectionManifest, LabelFile, PairFile, PassageFile, QueryFile, Threads,
    Unlabelled,
};

use crate::generate::SyntheticCollection;
use crate::metric::{Degree, Detection, Edges, Judgement};

/// Document of a collection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CollectionDocument {
    /// Id of the document.
    pub id: String,
    /// When it was written, if known.
    pub time: Option<String>,
    /// Text of the document.
    pub text: String,
}

impl<'a> From<&'a CollectionDocument> for Document<'a> {
    fn from(document: &'a CollectionDocument) -> Self {
        let time = document.time.as_deref().map(Cow::Borrowed);
        Self { time, ..Self::new(&document.id, &document.text) }
    }
}

/// Documents with ground truth.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Name of the collection.
    pub name: String,
    /// Description of the collection.
    pub note: String,
    /// The documents, in order.
    pub texts: Arc<[CollectionDocument]>,
    /// Ground truth about the documents.
    pub truth: GroundTruth,
    /// Evaluation items to plant in the documents; none by default.
    pub items: Arc<[EvaluationItem]>,
}

/// Ground truth about the documents of a collection, by document number.
#[derive(Clone, Debug, Default)]
pub struct GroundTruth {
    /// Related pairs, and their degree of overlap.
    pub related: BTreeMap<(u32, u32), Degree>,
    /// Pairs labelled as unrelated.
    pub unrelated: Edges,
    /// Pairs with the class of their label, if labels are classes of copying.
    pub pair_classes: Vec<PairClass>,
    /// Family of each document, if known. Documents of different families are unrelated unless labelled
    /// otherwise.
    pub families: Option<Vec<u32>>,
    /// Judgement of pairs without a label.
    pub unlabelled: Unlabelled,
    /// Pairs, ascending, with so high containment that they stay unjudged without a label: they are
    /// probably unlabelled reuse.
    pub contained: Vec<(u32, u32)>,
    /// True cluster of each document, if known. Empty if the collection has no cluster labels.
    pub clusters: Vec<Option<u32>>,
    /// Documents whose related documents are all known: every other document is unrelated to them.
    pub complete: BTreeSet<u32>,
    /// Passages that one document copied from another, in bytes.
    pub passages: Vec<Detection>,
    /// Class of each passage, if there are classes.
    pub classes: Vec<String>,
}

/// Class of a pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairClass {
    /// The document that was copied from, if any was.
    pub source: u32,
    /// The other document.
    pub copy: u32,
    /// Label of the pair.
    pub class: String,
    /// Whether the label is that of a related pair.
    pub is_related: bool,
}

impl GroundTruth {
    /// Returns the related pairs.
    #[must_use]
    pub fn edges(&self) -> Edges {
        self.related.keys().copied().collect()
    }

    /// Judges a pair.
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
        let differ = self
            .families
            .as_ref()
            .is_some_and(|families| families.get(a as usize) != families.get(b as usize));
        if self.contained.binary_search(&pair).is_ok() {
            return Judgement::Unjudged;
        }
        match self.unlabelled {
            Unlabelled::Unrelated => Judgement::Unrelated,
            Unlabelled::Families if differ => Judgement::Unrelated,
            Unlabelled::Families | Unlabelled::Unjudged => Judgement::Unjudged,
        }
    }

    /// Returns whether any pair can be judged as unrelated. Otherwise precision says nothing: every judged pair is
    /// related.
    #[must_use]
    pub fn has_unrelated(&self) -> bool {
        let has_families = || {
            let families = self.families.iter().flatten();
            let first = families.clone().next();
            families.clone().any(|family| Some(family) != first)
        };
        !self.unrelated.is_empty()
            || !self.complete.is_empty()
            || match self.unlabelled {
                Unlabelled::Unrelated => true,
                Unlabelled::Families => has_families(),
                Unlabelled::Unjudged => false,
            }
    }

    /// Returns the related documents of every document that has some, with the degree of overlap.
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
    /// Returns a source of the documents, in order.
    #[must_use]
    pub fn source(&self) -> MemorySource<CollectionDocument> {
        Arc::clone(&self.texts).into()
    }

    /// Returns the total bytes of all texts.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.texts.iter().map(|text| text.text.len() as u64).sum()
    }

    /// Chooses up to `n` documents that have related documents, the same for the same seed. If all related
    /// documents of some documents are known, chooses only among those.
    #[must_use]
    pub fn queries(&self, n: usize, seed: u64) -> Vec<u32> {
        let mut random = textkin::engine::types::Random::new(seed);
        let complete = &self.truth.complete;
        let is_eligible = |query: &u32| complete.is_empty() || complete.contains(query);
        let mut candidates: Vec<u32> =
            self.truth.by_document().into_keys().filter(is_eligible).collect();
        let mut chosen = BTreeSet::new();
        while chosen.len() < n && !candidates.is_empty() {
            chosen.insert(candidates.swap_remove(random.below(candidates.len())));
        }
        chosen.into_iter().collect()
    }

    /// Adds the documents of another collection, without their ground truth. Their ids get the name of that collection.
    pub fn add_background(&mut self, other: &Self) {
        let added = other.texts.iter().map(|document| CollectionDocument {
            id: format!("{}/{}", other.name, document.id),
            ..document.clone()
        });
        self.texts = self.texts.iter().cloned().chain(added).collect();
    }

    /// Returns the first `n` documents with their ground truth.
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
            items: Arc::clone(&self.items),
            truth: GroundTruth {
                related: truth
                    .related
                    .iter()
                    .filter(|((a, b), _)| is_in(*a) && is_in(*b))
                    .map(|(pair, degree)| (*pair, *degree))
                    .collect(),
                pair_classes: truth
                    .pair_classes
                    .iter()
                    .filter(|label| is_in(label.source) && is_in(label.copy))
                    .cloned()
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
            note: "generated from a seed, with known truth".to_owned(),
            texts: texts.collect(),
            truth: GroundTruth {
                related,
                clusters: families.iter().copied().map(Some).collect(),
                families: Some(families),
                unlabelled: Unlabelled::Unrelated,
                passages: synthetic.passages,
                ..GroundTruth::default()
            },
            items: [].into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{SyntheticSettings, generate};

    #[test]
    fn a_synthetic_collection_converts_to_a_collection() {
        let collection = Collection::from(generate(&SyntheticSettings {
            n_documents: 40,
            ..SyntheticSettings::default()
        }));
        assert_eq!((collection.texts.len(), collection.truth.related.len()), (40, 30));
        assert_eq!(collection.truth.judge(1, 0), Judgement::Related);
        assert_eq!(collection.truth.judge(0, 3), Judgement::Unrelated);
        let queries = collection.queries(5, 1);
        assert_eq!((queries.len(), queries), (5, collection.queries(5, 1)));
        assert_eq!(
            collection.queries(100, 1).len(),
            30,
            "every fourth document is unrelated to all others"
        );
        let few = collection.first(6);
        assert_eq!((few.texts.len(), few.truth.related.len()), (6, 4));
    }

    #[test]
    fn precision_needs_pairs_that_can_be_wrong() {
        let none = GroundTruth::default();
        assert!(!none.has_unrelated());
        let mut labelled = none.clone();
        labelled.unrelated.insert(0, 1);
        let complete = GroundTruth { complete: BTreeSet::from([0]), ..none.clone() };
        let all = GroundTruth { unlabelled: Unlabelled::Unrelated, ..none.clone() };
        let families = |families: &[u32]| GroundTruth {
            families: Some(families.to_vec()),
            unlabelled: Unlabelled::Families,
            ..none.clone()
        };
        assert!(
            [labelled, complete, all, families(&[1, 2])].iter().all(GroundTruth::has_unrelated)
        );
        assert!(!families(&[1, 1]).has_unrelated() && !families(&[]).has_unrelated());
    }

    #[test]
    fn unlabelled_pairs_are_unjudged() {
        let mut truth = GroundTruth { families: Some(vec![1, 1, 2]), ..GroundTruth::default() };
        truth.unrelated.insert(0, 1);
        let judge = |truth: &GroundTruth| [(0, 1), (1, 0), (0, 2)].map(|(a, b)| truth.judge(a, b));
        let (unrelated, unjudged) = (Judgement::Unrelated, Judgement::Unjudged);
        assert_eq!(judge(&truth), [unrelated, unrelated, unjudged]);
        truth.unlabelled = Unlabelled::Families;
        assert_eq!(judge(&truth), [unrelated; 3]);
        truth.contained = vec![(0, 1), (0, 2)];
        assert_eq!(judge(&truth), [unrelated, unrelated, unjudged], "a label takes precedence");
    }
}
