//! Records: one per chunk occurrence, first with its hash, later with its link.

use bytemuck::{Pod, Zeroable};

/// A chunk occurrence: its value (a hash, later a [`Link`]) and its position in its batch.
///
/// Uses three 32-bit words instead of a 64-bit and a 32-bit one, so that a record takes 12 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Record {
    low: u32,
    high: u32,
    /// Position of the chunk in its batch; the top bit is set if a selector kept it.
    position: u32,
}

impl Record {
    pub(crate) const SELECTED: u32 = 1 << 31;

    pub(crate) fn new(value: u64, position: u32) -> Self {
        Self { low: value as u32, high: (value >> 32) as u32, position }
    }

    #[inline]
    pub(crate) fn value(self) -> u64 {
        u64::from(self.high) << 32 | u64::from(self.low)
    }

    #[inline]
    pub(crate) fn set_value(&mut self, value: u64) {
        self.low = value as u32;
        self.high = (value >> 32) as u32;
    }

    /// Position of the chunk in its batch.
    #[inline]
    pub(crate) fn position(self) -> u32 {
        self.position & !Self::SELECTED
    }

    #[inline]
    pub(crate) fn is_selected(self) -> bool {
        self.position & Self::SELECTED != 0
    }
}

/// The result for one chunk occurrence, in 64 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Link(u64);

impl Link {
    /// The chunk occurs once in the collection.
    pub(crate) const UNIQUE: Self = Self(u64::MAX);
    const FIRST: u64 = 1 << 63;
    const NO_GROUP: u32 = u32::MAX;

    /// A later occurrence of the chunk at `position` of `batch`.
    pub(crate) fn later(batch: u32, position: u32) -> Self {
        debug_assert!(batch < 1 << 31, "a batch number has 31 bits");
        Self(u64::from(batch) << 32 | u64::from(position))
    }

    /// The first occurrence of a chunk that is repeated in one text only.
    pub(crate) fn first_unshared() -> Self {
        Self(Self::FIRST | u64::from(Self::NO_GROUP))
    }

    /// The first occurrence of a chunk of group `group` of table `table`.
    pub(crate) fn first(table: u16, group: u32) -> Self {
        debug_assert!(group != Self::NO_GROUP && table < 1 << 15, "table and group fit their bits");
        Self(Self::FIRST | u64::from(table) << 32 | u64::from(group))
    }

    pub(crate) fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    pub(crate) fn raw(self) -> u64 {
        self.0
    }

    #[inline]
    pub(crate) fn kind(self) -> LinkKind {
        if self == Self::UNIQUE {
            LinkKind::Unique
        } else if self.0 & Self::FIRST == 0 {
            LinkKind::Later { batch: (self.0 >> 32) as u32, position: self.0 as u32 }
        } else if self.0 as u32 == Self::NO_GROUP {
            LinkKind::First { group: None }
        } else {
            let table = (self.0 >> 32) as u16 & 0x7fff;
            LinkKind::First { group: Some(GroupAddress { table, group: self.0 as u32 }) }
        }
    }
}

/// Address of a group while each worker numbers its own groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct GroupAddress {
    pub(crate) table: u16,
    pub(crate) group: u32,
}

/// The meaning of a [`Link`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkKind {
    Unique,
    First { group: Option<GroupAddress> },
    Later { batch: u32, position: u32 },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_round_trips() {
        let mut record = Record::new(0x0123_4567_89ab_cdef, 42 | Record::SELECTED);
        assert_eq!((record.value(), record.position()), (0x0123_4567_89ab_cdef, 42));
        assert!(record.is_selected());
        record.set_value(7);
        assert_eq!((record.value(), record.position()), (7, 42));
        assert_eq!(size_of::<Record>(), 12);
    }

    #[test]
    fn a_link_round_trips() {
        assert_eq!(Link::UNIQUE.kind(), LinkKind::Unique);
        assert_eq!(Link::later(5, 6).kind(), LinkKind::Later { batch: 5, position: 6 });
        assert_eq!(Link::first_unshared().kind(), LinkKind::First { group: None });
        let group = Some(GroupAddress { table: 3, group: 9 });
        assert_eq!(Link::first(3, 9).kind(), LinkKind::First { group });
    }
}
