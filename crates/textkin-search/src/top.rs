//! Ranked documents, and the k best documents so far.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use textkin_core::DocumentAddress;

/// A document with its score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The document.
    pub address: DocumentAddress,
    /// Its score.
    pub score: f64,
    /// Its score as a percentage of the score of the query with itself.
    pub percent: f64,
}

/// The documents most similar to a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankedList {
    /// Score of the query with itself, as if it were in the repository.
    pub self_score: f64,
    /// The best documents, the best first; ties by address.
    pub documents: Vec<Ranked>,
    /// Whether more documents were requested than the ranking compares, so that others may match too.
    pub is_cut: bool,
}

impl RankedList {
    pub(crate) fn new(self_score: f64, best: Vec<Scored>) -> Self {
        let percent = |score| if self_score > 0.0 { score / self_score * 100.0 } else { 0.0 };
        let ranked = |Scored { score, address }| Ranked { address, score, percent: percent(score) };
        let documents = best.into_iter().map(ranked).collect();
        Self { self_score, documents, is_cut: false }
    }
}

/// An address and its score; the greatest is the *worst*: the lowest score, and the last address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    pub(crate) score: f64,
    pub(crate) address: DocumentAddress,
}

impl Ord for Scored {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.address.cmp(&other.address))
    }
}

impl PartialOrd for Scored {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Scored {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Scored {}

/// The k best of the offered documents.
#[derive(Debug)]
pub(crate) struct Top {
    k: usize,
    heap: BinaryHeap<Scored>,
}

impl Top {
    pub(crate) fn new(k: usize) -> Self {
        Self { k, heap: BinaryHeap::new() }
    }

    pub(crate) fn offer(&mut self, scored: Scored) {
        if self.heap.len() < self.k {
            self.heap.push(scored);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && scored < *worst
        {
            *worst = scored;
        }
    }

    /// Minimum score of another document; 0 until there are k.
    pub(crate) fn threshold(&self) -> f64 {
        self.worst().map_or(0.0, |worst| worst.score)
    }

    /// The worst of the k best, once there are k.
    pub(crate) fn worst(&self) -> Option<&Scored> {
        if self.heap.len() < self.k { None } else { self.heap.peek() }
    }

    pub(crate) fn absorb(&mut self, other: Self) {
        for scored in other.heap {
            self.offer(scored);
        }
    }

    /// Sorts the documents, the best first.
    pub(crate) fn into_sorted(self) -> Vec<Scored> {
        self.heap.into_sorted_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scored(score: f64, document: u32) -> Scored {
        Scored { score, address: DocumentAddress { segment: 0, document } }
    }

    #[test]
    fn equal_scores_keep_the_first_address() {
        let mut top = Top::new(2);
        for entry in [scored(1.0, 5), scored(2.0, 9), scored(1.0, 3), scored(1.0, 4)] {
            top.offer(entry);
        }
        assert_eq!(top.threshold(), 1.0);
        assert_eq!(top.into_sorted(), [scored(2.0, 9), scored(1.0, 3)]);
    }

    #[test]
    fn the_best_zero_documents_are_none() {
        let mut top = Top::new(0);
        top.offer(scored(1.0, 0));
        assert!(top.into_sorted().is_empty());
    }
}
