//! Estimations: the origins of chunks that are no longer in the table, from those that are.
//!
//! In: what the table gave for each selected chunk of a document. Out: a label for each, of which
//! some are estimated. The rules are those of section 2.3 of the paper.

mod expansion;
mod bridging;

use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::label::Label;
use crate::settings::named;

/// What is made of the chunks that were found, for those that were not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimation {
    /// Nothing.
    None,
    /// The neighbour of a found chunk is copied too if its byte is the one that stood there.
    Expansion,
    /// Between two found chunks of one origin and as far apart as there, all is copied.
    Bridging,
    /// Both; and a bridge needs the right neighbours at both its ends.
    BridgingExpansion,
}

impl Estimation {
    /// Every estimation.
    pub const ALL: [Self; 4] =
        [Self::None, Self::Expansion, Self::Bridging, Self::BridgingExpansion];

    /// The name it is chosen by.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Expansion => "expansion",
            Self::Bridging => "bridging",
            Self::BridgingExpansion => "bridging+expansion",
        }
    }

    /// Whether it looks at neighbours.
    pub(crate) fn expands(self) -> bool {
        matches!(self, Self::Expansion | Self::BridgingExpansion)
    }

    /// Whether it looks at offsets.
    pub(crate) fn bridges(self) -> bool {
        matches!(self, Self::Bridging | Self::BridgingExpansion)
    }

    /// The labels of all selected chunks: those that were found keep their origin.
    pub(crate) fn estimate(self, evidence: &Evidence<'_>, bridge_limit: u32) -> Vec<Option<Label>> {
        let mut labels = evidence.found_labels();
        if self.bridges() {
            bridging::bridge(evidence, bridge_limit, self.expands(), &mut labels);
        }
        if self.expands() {
            expansion::expand(evidence, &mut labels);
        }
        labels
    }
}

impl fmt::Display for Estimation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Estimation {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        named("estimation", name, &Self::ALL, Self::name)
    }
}

/// What the table knows of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) origin: u64,
    /// Number of chunks selected before it in its origin, modulo 256.
    pub(crate) offset: u8,
    /// First byte of the chunk selected before it in its origin.
    pub(crate) before: u8,
    /// First byte of the chunk selected after it.
    pub(crate) after: u8,
}

/// What is known of the selected chunks of one document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'a> {
    /// The document.
    pub(crate) number: u64,
    /// What the table gave for each selected chunk.
    pub(crate) found: &'a [Option<Found>],
    /// The first byte of each selected chunk.
    pub(crate) bytes: &'a [u8],
}

impl Evidence<'_> {
    /// What was found of an earlier document.
    fn copied(&self, place: usize) -> Option<Found> {
        self.found.get(place).copied().flatten().filter(|found| found.origin != self.number)
    }

    fn found_labels(&self) -> Vec<Option<Label>> {
        let label = |place| {
            let found = self.copied(place)?;
            Some(Label::found(found.origin, Some(u32::from(found.offset))))
        };
        (0..self.found.len()).map(label).collect()
    }

    /// Labels the chunk at `place`, which the table did not hold and which has no label yet, by
    /// what was found at `from`.
    fn label_missing(&self, labels: &mut [Option<Label>], place: usize, from: usize) {
        let Some(found) = self.copied(from) else { return };
        if self.found[place].is_none() && labels[place].is_none() {
            let [distance, ..] = place.wrapping_sub(from).to_le_bytes();
            let offset = found.offset.wrapping_add(distance);
            labels[place] = Some(Label::estimated(found.origin, Some(u32::from(offset))));
        }
    }

    /// Whether the chunk after `place` is the one that followed in the origin.
    fn is_followed(&self, place: usize, found: Found) -> bool {
        self.bytes.get(place + 1) == Some(&found.after)
    }

    /// Whether the chunk before `place` is the one that preceded in the origin.
    fn is_preceded(&self, place: usize, found: Found) -> bool {
        place > 0 && self.bytes.get(place - 1) == Some(&found.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u64 = 1;
    const B: u64 = 2;

    /// Figure 1: B copies A5 … A11 as B7 … B13; of these, only B7 and B11 are in the table.
    fn figure_1() -> (Vec<Option<Found>>, Vec<u8>) {
        // The first bytes of A's chunks are 100 + n, of B's own ones n.
        let bytes: Vec<u8> =
            (0..16).map(|n| if (7..=13).contains(&n) { 98 + n } else { n }).collect();
        let mut found = vec![None; 16];
        let of_a = |n: u8| Some(Found { origin: A, offset: n, before: 99 + n, after: 101 + n });
        found[7] = of_a(5);
        found[11] = of_a(9);
        (found, bytes)
    }

    fn labelled(estimation: Estimation) -> Vec<usize> {
        let (found, bytes) = figure_1();
        let evidence = Evidence { number: B, found: &found, bytes: &bytes };
        let labels = estimation.estimate(&evidence, 30);
        assert!(labels.iter().flatten().all(|label| label.origin == A));
        let estimated = |label: &Option<Label>| label.is_some_and(|label| label.is_estimated);
        (0..16).filter(|place| estimated(&labels[*place])).collect()
    }

    #[test]
    fn figure_1_bridged_expanded_both_and_neither() {
        assert_eq!(labelled(Estimation::Bridging), [8, 9, 10]);
        assert_eq!(labelled(Estimation::Expansion), [8, 10, 12]);
        assert_eq!(labelled(Estimation::BridgingExpansion), [8, 9, 10, 12]);
        assert!(labelled(Estimation::None).is_empty());
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for estimation in Estimation::ALL {
            assert_eq!(estimation.to_string().parse::<Estimation>().unwrap(), estimation);
        }
    }
}
