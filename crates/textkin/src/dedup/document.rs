//! Whole documents: one goes if a document that is kept before it holds enough of it.
//!
//! In: the graph of a discovery. Out: what goes, and what holds most of it. Neighbours are looked
//! at as sets of documents that no pair can tell apart: of each set, the kept document that is most
//! preferred stands for all.

use textkin_graph::Neighbour;

use super::{Keep, Likeness, Removal, preference};
use crate::discover::Discovery;

/// When a document goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) likeness: Likeness,
    pub(super) threshold: f64,
    pub(super) keep: Keep,
}

/// What goes, in input order.
///
/// If an exact copy is kept it is named as what stays, else the kept document that holds most
/// (or has the highest score); of equals the most preferred.
pub(super) fn removals(found: &Discovery, rule: Rule) -> Vec<Removal> {
    let Discovery { documents, graph, .. } = found;
    let neighbours = graph.neighbours();
    let sums = match rule.keep {
        Keep::Best => preference::sums(graph, &neighbours, documents.len()),
        _ => Vec::new(),
    };
    let order = preference::order(rule.keep, documents, &sums);
    let mut rank = vec![0u32; order.len()];
    for (place, &document) in (0u32..).zip(&order) {
        rank[document as usize] = place;
    }
    // Of each text, by its first document, and of each set: the kept document preferred most.
    let mut kept_copy: Vec<Option<u32>> = vec![None; order.len()];
    let mut kept_of_set: Vec<Option<u32>> = vec![None; neighbours.n_sets()];
    let mut removals = Vec::new();
    for &document in &order {
        let Some(&first_copy) = graph.copies_of(document).first() else { continue };
        let words = documents.entry(document).words;
        let removal =
            |duplicate_of, score| Removal { document, duplicate_of, score, words, place: None };
        if let Some(copy) = kept_copy[first_copy as usize] {
            removals.push(removal(copy, 1.0));
            continue;
        }
        let mut best: Option<(f64, u32)> = None;
        for neighbour in neighbours.of(document) {
            let likeness = likeness(rule.likeness, neighbour);
            let Some(kept) = kept_of_set[neighbour.set as usize] else { continue };
            let is_better = best.is_none_or(|(most, holder)| {
                let order = likeness.total_cmp(&most);
                order.then(rank[holder as usize].cmp(&rank[kept as usize])).is_gt()
            });
            if likeness >= rule.threshold && is_better {
                best = Some((likeness, kept));
            }
        }
        if let Some((score, holder)) = best {
            removals.push(removal(holder, score));
            continue;
        }
        kept_copy[first_copy as usize] = Some(document);
        if let Some(set) = neighbours.set_of(document) {
            kept_of_set[set as usize].get_or_insert(document);
        }
    }
    removals.sort_unstable_by_key(|removal| removal.document);
    removals
}

fn likeness(likeness: Likeness, neighbour: &Neighbour) -> f64 {
    match likeness {
        Likeness::Held => neighbour.held,
        Likeness::Score(_) => neighbour.score,
    }
}
