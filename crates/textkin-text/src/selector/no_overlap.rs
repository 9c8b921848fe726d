//! `…+no-overlap`: drops selected chunks whose tokens are all covered by other selected chunks.
//!
//! In: the chunks still selected. Out: those that are needed: from left to right, a chunk is dropped if the
//! chunks kept so far and all following ones cover it.
//! Guarantee: the same tokens are covered as before, and no kept chunk is covered by the others.
//! O(n) for chunks whose ends ascend with their starts, as with all chunkers of this crate.
//! The “no complete overlap” pass of Abdel-Hamid et al. (2009).

use std::ops::Range;

use textkin_core::{Chunk, Chunked, Selector, Tokens};

/// Drops chunks that the other kept ones cover.
#[derive(Clone, Copy, Debug)]
pub struct NoOverlap;

impl Selector for NoOverlap {
    fn select(&self, document: &Chunked<'_>, selection: &mut Vec<u32>) {
        let extent = |&index: &u32| extent(document.tokens, &document.chunks[index as usize]);
        let extents: Vec<Range<u32>> = selection.iter().map(extent).collect();
        let needed = if extents.is_sorted_by_key(|extent| extent.end) {
            needed_ascending(&extents)
        } else {
            needed_any(&extents)
        };
        let mut needed = needed.into_iter();
        selection.retain(|_| needed.next().unwrap_or(true));
    }

    fn selects_runs(&self) -> bool {
        true
    }

    /// Works in place, like for chunks with ascending ends: all runs have the same length.
    fn select_runs(&self, tokens: &Tokens, k: usize, selection: &mut Vec<u32>) {
        let count = u32::try_from(k.min(tokens.len())).expect("texts are limited to 4 GiB");
        let (mut covered_to, mut kept) = (0, 0);
        for position in 0..selection.len() {
            let run = selection[position];
            let next = selection.get(position + 1).copied().unwrap_or(u32::MAX);
            // The next run begins later: it covers the open part if it begins within the covered tokens.
            let is_needed = next.min(run + count) > covered_to;
            covered_to = if is_needed { run + count } else { covered_to };
            selection[kept] = run;
            kept += usize::from(is_needed);
        }
        selection.truncate(kept);
    }
}

/// Returns the bytes of a chunk with the separator after it, so that neighbouring tokens touch.
fn extent(tokens: &Tokens, chunk: &Chunk) -> Range<u32> {
    let ends_a_token = tokens.normalized().get(chunk.end as usize) == Some(&Tokens::SEPARATOR);
    chunk.start..chunk.end + u32::from(ends_a_token)
}

/// Returns which extents are needed, if both starts and ends ascend.
///
/// The last kept extent reaches furthest; the next one begins first and reaches at least as far as this one.
/// No other extent matters.
fn needed_ascending(extents: &[Range<u32>]) -> Vec<bool> {
    let mut covered_to = 0;
    let is_needed = |(position, extent): (usize, &Range<u32>)| {
        let open_from = extent.start.max(covered_to);
        let next_covers = extents.get(position + 1).is_some_and(|next| next.start <= open_from);
        let needed = extent.end > covered_to && !next_covers;
        if needed {
            covered_to = extent.end;
        }
        needed
    };
    extents.iter().enumerate().map(is_needed).collect()
}

/// Returns which extents are needed, by counting how often each byte is covered.
fn needed_any(extents: &[Range<u32>]) -> Vec<bool> {
    let range = |extent: &Range<u32>| extent.start as usize..extent.end as usize;
    let end = extents.iter().map(|extent| extent.end as usize).max().unwrap_or(0);
    let mut times = vec![0_u32; end];
    for extent in extents {
        times[range(extent)].iter_mut().for_each(|times| *times += 1);
    }
    let is_needed = |extent: &Range<u32>| {
        let times = &mut times[range(extent)];
        let needed = times.contains(&1);
        if !needed {
            times.iter_mut().for_each(|times| *times -= 1);
        }
        needed
    };
    extents.iter().map(is_needed).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_extents() -> impl Strategy<Value = Vec<Range<u32>>> {
        let extent = (0_u32..40, 1_u32..12).prop_map(|(start, length)| start..start + length);
        prop::collection::vec(extent, 0..30).prop_map(|mut extents| {
            extents.sort_by_key(|extent| extent.start);
            extents
        })
    }

    #[test]
    fn a_chunk_between_two_that_meet_is_dropped() {
        assert_eq!(needed_ascending(&[0..4, 2..6, 4..8]), [true, false, true]);
        assert_eq!(needed_ascending(&[0..4, 3..7, 5..9]), [true, true, true]);
        assert_eq!(needed_ascending(&[0..4, 0..4]), [false, true]);
        assert_eq!(needed_any(&[0..9, 1..3, 8..9]), [true, false, false]);
    }

    proptest! {
        #[test]
        fn the_fast_algorithm_equals_counting(mut extents in any_extents()) {
            let mut furthest = 0;
            for extent in &mut extents {
                furthest = extent.end.max(furthest);
                extent.end = furthest;
            }
            prop_assert_eq!(needed_ascending(&extents), needed_any(&extents));
        }

        #[test]
        fn nested_chunks_keep_coverage_and_need_each_other(extents in any_extents()) {
            let needed = needed_any(&extents);
            let covered = |skip: usize, byte: u32, kept: &[bool]| {
                let holds = |position: usize| position != skip && kept[position] && extents[position].contains(&byte);
                (0..extents.len()).any(holds)
            };
            let all = vec![true; extents.len()];
            for byte in 0..60 {
                prop_assert_eq!(covered(usize::MAX, byte, &all), covered(usize::MAX, byte, &needed));
            }
            for (position, extent) in extents.iter().enumerate().filter(|(position, _)| needed[*position]) {
                prop_assert!(extent.clone().any(|byte| !covered(position, byte, &needed)));
            }
        }
    }
}
