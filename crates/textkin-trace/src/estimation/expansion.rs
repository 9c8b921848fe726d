//! `expansion`: the neighbours of a found chunk, by one byte each.

use super::Evidence;
use crate::label::Label;

/// Labels the missing neighbours of found chunks whose first byte is that of the neighbour in the
/// origin. Where two found chunks claim the one between them, the first has it.
pub(super) fn expand(evidence: &Evidence<'_>, labels: &mut [Option<Label>]) {
    for place in 0..evidence.found.len() {
        let Some(found) = evidence.copied(place) else { continue };
        if evidence.is_preceded(place, found) {
            evidence.label_missing(labels, place - 1, place);
        }
        if evidence.is_followed(place, found) {
            evidence.label_missing(labels, place + 1, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Estimation, Found};
    use super::*;

    #[test]
    fn a_neighbour_that_was_found_itself_keeps_its_origin() {
        let found = |origin| Some(Found { origin, offset: 0, before: 9, after: 9 });
        let found = [found(1), found(2), None, None];
        let evidence = Evidence { number: 5, found: &found, bytes: &[9, 9, 9, 9] };
        let labels = Estimation::Expansion.estimate(&evidence, 30);
        let origins: Vec<Option<u64>> = labels.iter().map(|l| l.map(|l| l.origin)).collect();
        assert_eq!(origins, [Some(1), Some(2), Some(2), None]);
    }

    #[test]
    fn what_was_found_of_the_document_itself_says_nothing() {
        let found = [None, Some(Found { origin: 5, offset: 0, before: 9, after: 9 }), None];
        let evidence = Evidence { number: 5, found: &found, bytes: &[9, 9, 9] };
        assert_eq!(Estimation::BridgingExpansion.estimate(&evidence, 30), [None; 3]);
    }
}
