//! `expansion`: labels the neighbours of a found chunk, identified by one byte each.

use super::Evidence;
use crate::label::OriginLabel;

/// Labels missing neighbours of found chunks if their first byte equals that of the neighbour in the
/// origin. If two found chunks claim the chunk between them, the first wins.
pub(super) fn expand(evidence: &Evidence<'_>, labels: &mut [Option<OriginLabel>]) {
    for position in 0..evidence.found.len() {
        let Some(found) = evidence.copied(position) else { continue };
        if evidence.is_preceded(position, found) {
            evidence.label_missing(labels, position - 1, position);
        }
        if evidence.is_followed(position, found) {
            evidence.label_missing(labels, position + 1, position);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Estimation, TableEntry};
    use super::*;

    #[test]
    fn a_neighbour_that_was_found_itself_keeps_its_origin() {
        let found = |origin| Some(TableEntry { origin, offset: 0, before: 9, after: 9 });
        let found = [found(1), found(2), None, None];
        let evidence = Evidence { number: 5, found: &found, bytes: &[9, 9, 9, 9] };
        let labels = Estimation::Expansion.estimate(&evidence, 30);
        let origins: Vec<Option<u64>> = labels.iter().map(|l| l.map(|l| l.origin)).collect();
        assert_eq!(origins, [Some(1), Some(2), Some(2), None]);
    }

    #[test]
    fn chunks_found_in_the_document_itself_are_ignored() {
        let found = [None, Some(TableEntry { origin: 5, offset: 0, before: 9, after: 9 }), None];
        let evidence = Evidence { number: 5, found: &found, bytes: &[9, 9, 9] };
        assert_eq!(Estimation::BridgingExpansion.estimate(&evidence, 30), [None; 3]);
    }
}
