//! `bridging`: labels all chunks between two found chunks with the same distance as in their common origin.
//!
//! A bridge from `s` to `s'` needs: (a) `s` before `s'`; (b) the same origin; (c) as many selected
//! chunks between them as in the origin, fewer than `T`; (d) no chunk between them that satisfies (a)
//! to (c) with one of them. With expansion also: (e) the chunk after `s` and (f) the chunk before `s'`
//! begin with the bytes stored for those neighbours. Linear in the number of selected chunks.

use hashbrown::HashMap;

use super::Evidence;
use crate::label::OriginLabel;

/// Labels the missing chunks under every bridge.
pub(super) fn bridge(
    evidence: &Evidence<'_>,
    limit: u32,
    needs_neighbours: bool,
    labels: &mut [Option<OriginLabel>],
) {
    // The last chunk found on each diagonal of each origin: earlier ones are not the nearest (d).
    let mut last_on_diagonal: HashMap<(u64, u8), usize> = HashMap::new();
    for end in 0..evidence.found.len() {
        let Some(found) = evidence.copied(end) else { continue };
        let [position, ..] = end.to_le_bytes();
        let diagonal = (found.origin, found.offset.wrapping_sub(position));
        let Some(start) = last_on_diagonal.insert(diagonal, end) else { continue };
        let is_short = end - start < limit as usize;
        let has_neighbours = || {
            let follows = evidence.copied(start).is_some_and(|s| evidence.is_followed(start, s));
            follows && evidence.is_preceded(end, found)
        };
        if is_short && (!needs_neighbours || has_neighbours()) {
            for position in start + 1..end {
                evidence.label_missing(labels, position, end);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Estimation, TableEntry};
    use super::*;

    const ORIGIN: u64 = 1;

    /// A document of `n` chunks whose first bytes are their positions plus 100, all copied from the origin
    /// starting at position 50; the chunks at `positions` are found.
    fn copied(n: u8, positions: &[u8]) -> (Vec<Option<TableEntry>>, Vec<u8>) {
        let bytes: Vec<u8> = (0..n).map(|position| position.wrapping_add(100)).collect();
        let mut found = vec![None; usize::from(n)];
        for position in positions {
            found[usize::from(*position)] = Some(TableEntry {
                origin: ORIGIN,
                offset: position + 50,
                before: position.wrapping_add(99),
                after: position.wrapping_add(101),
            });
        }
        (found, bytes)
    }

    fn bridged(estimation: Estimation, found: &[Option<TableEntry>], bytes: &[u8]) -> Vec<usize> {
        let evidence = Evidence { number: 9, found, bytes };
        let mut labels = vec![None; found.len()];
        bridge(&evidence, 30, estimation.expands(), &mut labels);
        (0..labels.len()).filter(|position| labels[*position].is_some()).collect()
    }

    #[test]
    fn a_and_b_only_chunks_of_the_same_origin_form_a_bridge() {
        let (mut found, bytes) = copied(8, &[2, 5]);
        assert_eq!(bridged(Estimation::Bridging, &found, &bytes), [3, 4]);
        found[5] = found[5].map(|found| TableEntry { origin: 2, ..found });
        assert!(bridged(Estimation::Bridging, &found, &bytes).is_empty());
    }

    #[test]
    fn c_distances_agree_and_are_below_the_limit() {
        let (mut found, bytes) = copied(60, &[2, 31]);
        assert_eq!(bridged(Estimation::Bridging, &found, &bytes).len(), 28);
        let (far, _) = copied(60, &[2, 32]);
        assert!(bridged(Estimation::Bridging, &far, &bytes).is_empty());
        found[31] = found[31].map(|found| TableEntry { offset: found.offset + 1, ..found });
        assert!(bridged(Estimation::Bridging, &found, &bytes).is_empty());
    }

    #[test]
    fn c_offsets_are_compared_modulo_256() {
        let (mut found, bytes) = copied(8, &[2, 5]);
        found[2] = found[2].map(|found| TableEntry { offset: 254, ..found });
        found[5] = found[5].map(|found| TableEntry { offset: 1, ..found });
        assert_eq!(bridged(Estimation::Bridging, &found, &bytes), [3, 4]);
    }

    #[test]
    fn d_bridges_connect_nearest_chunks() {
        let (found, bytes) = copied(70, &[1, 29, 57]);
        assert_eq!(bridged(Estimation::Bridging, &found, &bytes).len(), 54);
        let (mut found, mut bytes) = copied(9, &[1, 4, 7]);
        // Another byte follows the middle chunk: no bridge starts there or spans it.
        bytes[5] = 0;
        assert_eq!(bridged(Estimation::BridgingExpansion, &found, &bytes), [2, 3]);
        found[4] = None;
        assert_eq!(bridged(Estimation::BridgingExpansion, &found, &bytes), [2, 3, 4, 5, 6]);
    }

    #[test]
    fn e_and_f_the_neighbours_at_both_ends_agree() {
        for changed in [3, 5] {
            let (found, mut bytes) = copied(8, &[2, 6]);
            assert_eq!(bridged(Estimation::BridgingExpansion, &found, &bytes), [3, 4, 5]);
            bytes[changed] = 0;
            assert!(bridged(Estimation::BridgingExpansion, &found, &bytes).is_empty());
            assert_eq!(bridged(Estimation::Bridging, &found, &bytes), [3, 4, 5]);
        }
    }
}
