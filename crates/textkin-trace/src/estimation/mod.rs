//! Estimation of the origins of chunks that are no longer in the table, from chunks that are.
//!
//! In: the table entry of each selected chunk of a document, if any. Out: a label for each, some of
//! them estimated. The rules are those of section 2.3 of the paper.

mod expansion;
mod bridging;

use std::fmt;
use std::str::FromStr;

use crate::Error;
use crate::label::OriginLabel;
use crate::settings::named;

/// Rule that infers the origins of missing chunks from chunks that were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Estimation {
    /// No estimation.
    None,
    /// The neighbour of a found chunk is copied too if its byte equals the stored one.
    Expansion,
    /// Everything between two found chunks of one origin is copied if their distance is the same there.
    Bridging,
    /// Both rules; a bridge also needs matching neighbours at both ends.
    BridgingExpansion,
}

impl Estimation {
    /// Every estimation.
    pub const ALL: [Self; 4] =
        [Self::None, Self::Expansion, Self::Bridging, Self::BridgingExpansion];

    /// Name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Expansion => "expansion",
            Self::Bridging => "bridging",
            Self::BridgingExpansion => "bridging+expansion",
        }
    }

    /// Returns whether the rule uses neighbours.
    pub(crate) fn expands(self) -> bool {
        matches!(self, Self::Expansion | Self::BridgingExpansion)
    }

    /// Returns whether the rule uses offsets.
    pub(crate) fn bridges(self) -> bool {
        matches!(self, Self::Bridging | Self::BridgingExpansion)
    }

    /// Returns the labels of all selected chunks; found chunks keep their origin.
    pub(crate) fn estimate(
        self,
        evidence: &Evidence<'_>,
        bridge_limit: u32,
    ) -> Vec<Option<OriginLabel>> {
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

/// Table entry of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TableEntry {
    pub(crate) origin: u64,
    /// Number of chunks selected before it in its origin, modulo 256.
    pub(crate) offset: u8,
    /// First byte of the chunk selected before it in its origin.
    pub(crate) before: u8,
    /// First byte of the chunk selected after it.
    pub(crate) after: u8,
}

/// Lookup results for the selected chunks of one document.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Evidence<'a> {
    /// Number of the document.
    pub(crate) number: u64,
    /// Table entry of each selected chunk.
    pub(crate) found: &'a [Option<TableEntry>],
    /// The first byte of each selected chunk.
    pub(crate) bytes: &'a [u8],
}

impl Evidence<'_> {
    /// Returns the entry of a chunk that came from an earlier document.
    fn copied(&self, position: usize) -> Option<TableEntry> {
        self.found.get(position).copied().flatten().filter(|found| found.origin != self.number)
    }

    fn found_labels(&self) -> Vec<Option<OriginLabel>> {
        let label = |position| {
            let found = self.copied(position)?;
            Some(OriginLabel::found(found.origin, Some(u32::from(found.offset))))
        };
        (0..self.found.len()).map(label).collect()
    }

    /// Labels the chunk at `position` from the entry at `from`, if it is missing and has no label yet.
    fn label_missing(&self, labels: &mut [Option<OriginLabel>], position: usize, from: usize) {
        let Some(found) = self.copied(from) else { return };
        if self.found[position].is_none() && labels[position].is_none() {
            let [distance, ..] = position.wrapping_sub(from).to_le_bytes();
            let offset = found.offset.wrapping_add(distance);
            labels[position] = Some(OriginLabel::estimated(found.origin, Some(u32::from(offset))));
        }
    }

    /// Returns whether the same chunk follows here and in the origin.
    fn is_followed(&self, position: usize, found: TableEntry) -> bool {
        self.bytes.get(position + 1) == Some(&found.after)
    }

    /// Returns whether the same chunk precedes here and in the origin.
    fn is_preceded(&self, position: usize, found: TableEntry) -> bool {
        position > 0 && self.bytes.get(position - 1) == Some(&found.before)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: u64 = 1;
    const B: u64 = 2;

    /// Figure 1: B copies A5 … A11 as B7 … B13; of these, only B7 and B11 are in the table.
    fn figure_1() -> (Vec<Option<TableEntry>>, Vec<u8>) {
        // The first bytes are 100 + n for chunks of A, n for chunks that are new in B.
        let bytes: Vec<u8> =
            (0..16).map(|n| if (7..=13).contains(&n) { 98 + n } else { n }).collect();
        let mut found = vec![None; 16];
        let of_a =
            |n: u8| Some(TableEntry { origin: A, offset: n, before: 99 + n, after: 101 + n });
        found[7] = of_a(5);
        found[11] = of_a(9);
        (found, bytes)
    }

    fn labelled(estimation: Estimation) -> Vec<usize> {
        let (found, bytes) = figure_1();
        let evidence = Evidence { number: B, found: &found, bytes: &bytes };
        let labels = estimation.estimate(&evidence, 30);
        assert!(labels.iter().flatten().all(|label| label.origin == A));
        let estimated = |label: &Option<OriginLabel>| label.is_some_and(|label| label.is_estimated);
        (0..16).filter(|position| estimated(&labels[*position])).collect()
    }

    #[test]
    fn figure_1_bridged_expanded_both_and_neither() {
        assert_eq!(labelled(Estimation::Bridging), [8, 9, 10]);
        assert_eq!(labelled(Estimation::Expansion), [8, 10, 12]);
        assert_eq!(labelled(Estimation::BridgingExpansion), [8, 9, 10, 12]);
        assert!(labelled(Estimation::None).is_empty());
    }

    #[test]
    fn names_round_trip() {
        for estimation in Estimation::ALL {
            assert_eq!(estimation.to_string().parse::<Estimation>().unwrap(), estimation);
        }
    }
}
