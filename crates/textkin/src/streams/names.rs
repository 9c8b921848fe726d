//! The names (ids) of the latest documents of a stream, in bounded memory.
//!
//! Names are stored consecutively in a ring buffer, each after its length. The offset of every 32nd
//! name is stored separately, so that any name can be found quickly. All memory is allocated at the
//! start. Documents are numbered from 0 without gaps; a name that is too long for the ring is not
//! stored.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Read, Write};

/// The offset of every `STEP`-th name is stored.
const STEP: u64 = 32;
/// Bytes of a length.
const LENGTH: usize = 2;
/// The length that marks a name that is not stored.
const NOT_STORED: u16 = u16::MAX;
/// Initial bytes of a ring without a limit.
const INITIAL_RING: usize = 1 << 12;

/// The names of the latest documents.
#[derive(Debug)]
pub(super) struct NameRing {
    ring: Vec<u8>,
    is_bounded: bool,
    /// The offsets of the first and of the next name; offsets grow, and the ring wraps around.
    start: u64,
    end: u64,
    /// The numbers of the first and of the next name.
    first: u64,
    next: u64,
    /// The offsets of the names whose number is a multiple of [`STEP`].
    marks: VecDeque<u64>,
}

impl NameRing {
    /// Creates a store of names within `max_bytes`; without a limit, of all names.
    pub(super) fn new(max_bytes: Option<u64>) -> Self {
        // One ninth is for marks: an empty name takes two bytes, and 32 names take a mark of eight.
        let ring = max_bytes.map(|max| usize::try_from(max / 9 * 8).unwrap_or(usize::MAX));
        let marks = ring.map_or(0, |ring| ring / (LENGTH * 32) + 1);
        Self {
            ring: vec![0; ring.unwrap_or(INITIAL_RING)],
            is_bounded: ring.is_some(),
            start: 0,
            end: 0,
            first: 0,
            next: 0,
            marks: VecDeque::with_capacity(marks),
        }
    }

    /// Adds the name of the next document.
    pub(super) fn push(&mut self, name: &str) {
        let is_stored = name.len() < usize::from(NOT_STORED)
            && (!self.is_bounded || name.len() + LENGTH <= self.ring.len());
        let length = u16::try_from(name.len()).ok().filter(|_| is_stored).unwrap_or(NOT_STORED);
        let name = if is_stored { name.as_bytes() } else { &[] };
        self.make_room(LENGTH + name.len());
        if LENGTH + name.len() <= self.ring.len() {
            if self.next.is_multiple_of(STEP) {
                self.marks.push_back(self.end);
            }
            self.write(&length.to_le_bytes());
            self.write(name);
        } else {
            // Not even a length fits: no name is ever stored.
            self.first = self.next + 1;
        }
        self.next += 1;
    }

    /// Returns the name of a document; `None` if it was evicted or never added.
    pub(super) fn get(&self, number: u64) -> Option<Cow<'_, str>> {
        if !(self.first..self.next).contains(&number) {
            return None;
        }
        let marked = number - number % STEP;
        let (mut at, mut offset) = (self.first, self.start);
        if marked > self.first {
            let first_mark = self.first.next_multiple_of(STEP);
            let mark = usize::try_from((marked - first_mark) / STEP).ok()?;
            (at, offset) = (marked, *self.marks.get(mark)?);
        }
        let mut index = self.ring_index(offset).0;
        while at < number {
            index = self.wrapped(index + LENGTH + stored_bytes(self.length_at(index)));
            at += 1;
        }
        let length = self.length_at(index);
        if length == NOT_STORED {
            return None;
        }
        let from = self.wrapped(index + LENGTH);
        match self.ring.get(from..from + usize::from(length)) {
            Some(name) => str::from_utf8(name).ok().map(Cow::Borrowed),
            // The name wraps around the end of the ring.
            None => {
                let name = self.bytes(from as u64, usize::from(length));
                String::from_utf8(name).ok().map(Cow::Owned)
            }
        }
    }

    /// Returns the allocated bytes.
    #[cfg(test)]
    pub(super) fn allocated(&self) -> usize {
        self.ring.capacity() + self.marks.capacity() * 8
    }

    /// Writes all stored names.
    pub(super) fn save(&self, writer: &mut dyn Write) -> io::Result<()> {
        for number in [self.first, self.next] {
            writer.write_all(&number.to_le_bytes())?;
        }
        let mut offset = self.start;
        for _ in self.first..self.next {
            let length = self.length(offset);
            writer.write_all(&length.to_le_bytes())?;
            if length != NOT_STORED {
                let from = offset + LENGTH as u64;
                writer.write_all(&self.bytes(from, usize::from(length)))?;
            }
            offset = self.after(offset);
        }
        Ok(())
    }

    /// Reads saved names, keeping them within `max_bytes`. Any input is safe to read.
    pub(super) fn load(max_bytes: Option<u64>, reader: &mut dyn Read) -> io::Result<Self> {
        let mut names = Self::new(max_bytes);
        let mut number = [0; 8];
        reader.read_exact(&mut number)?;
        names.first = u64::from_le_bytes(number);
        names.next = names.first;
        reader.read_exact(&mut number)?;
        let next = u64::from_le_bytes(number);
        let mut name = Vec::new();
        while names.next < next {
            let mut length = [0; LENGTH];
            reader.read_exact(&mut length)?;
            let length = u16::from_le_bytes(length);
            name.resize(if length == NOT_STORED { 0 } else { usize::from(length) }, 0);
            reader.read_exact(&mut name)?;
            if length == NOT_STORED {
                let too_long = "x".repeat(usize::from(NOT_STORED));
                names.push(&too_long);
            } else {
                names.push(&String::from_utf8_lossy(&name));
            }
        }
        Ok(names)
    }

    /// Evicts names until `bytes` bytes are free; without a limit, enlarges the ring.
    fn make_room(&mut self, bytes: usize) {
        let is_full =
            |names: &Self| names.end - names.start + bytes as u64 > names.ring.len() as u64;
        while self.is_bounded && self.first < self.next && is_full(self) {
            if self.first.is_multiple_of(STEP) {
                self.marks.pop_front();
            }
            self.start = self.after(self.start);
            self.first += 1;
        }
        if !self.is_bounded && is_full(self) {
            let live = usize::try_from(self.end - self.start).unwrap_or(usize::MAX);
            let stored = self.bytes(self.start, live);
            self.ring = vec![0; (2 * self.ring.len()).max(live + bytes)];
            self.end = self.start;
            self.write(&stored);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let (from, until_end) = self.ring_index(self.end);
        let (before, after) = bytes.split_at(bytes.len().min(until_end));
        self.ring[from..from + before.len()].copy_from_slice(before);
        self.ring[..after.len()].copy_from_slice(after);
        self.end += bytes.len() as u64;
    }

    fn bytes(&self, offset: u64, n: usize) -> Vec<u8> {
        let (from, until_end) = self.ring_index(offset);
        let before = n.min(until_end);
        [&self.ring[from..from + before], &self.ring[..n - before]].concat()
    }

    fn length(&self, offset: u64) -> u16 {
        self.length_at(self.ring_index(offset).0)
    }

    /// Returns the length stored at byte `index` of the ring.
    fn length_at(&self, index: usize) -> u16 {
        u16::from_le_bytes([self.ring[index], self.ring[self.wrapped(index + 1)]])
    }

    /// Wraps an index that may exceed the ring by less than its length.
    fn wrapped(&self, index: usize) -> usize {
        index.checked_sub(self.ring.len()).unwrap_or(index)
    }

    /// Returns the offset of the name after the one at `offset`.
    fn after(&self, offset: u64) -> u64 {
        offset + (LENGTH + stored_bytes(self.length(offset))) as u64
    }

    /// Returns the index of an offset in the ring, and the number of bytes until the end of the
    /// ring.
    fn ring_index(&self, offset: u64) -> (usize, usize) {
        let length = self.ring.len();
        let at = usize::try_from(offset % (length.max(1) as u64)).unwrap_or(0);
        (at, length - at)
    }
}

/// Returns the stored bytes of a name with this length.
fn stored_bytes(length: u16) -> usize {
    if length == NOT_STORED { 0 } else { usize::from(length) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_latest_names_are_kept_within_the_limit() {
        let mut names = NameRing::new(Some(18));
        (10..20).for_each(|number| names.push(&number.to_string()));
        assert_eq!([names.get(5), names.get(10)], [None, None]);
        let kept = [6, 7, 8, 9].map(|number| names.get(number));
        assert_eq!(kept, ["16", "17", "18", "19"].map(|name| Some(name.into())));
        let mut all = NameRing::new(None);
        (0..1000).for_each(|number| all.push(&number.to_string()));
        assert_eq!(all.get(3).as_deref(), Some("3"));
    }

    #[test]
    fn empty_names_stay_within_the_limit() {
        let mut names = NameRing::new(Some(90_000));
        (0..200_000).for_each(|_| names.push(""));
        assert!(names.allocated() <= 90_100, "{}", names.allocated());
        assert_eq!(names.get(199_999).as_deref(), Some(""));
        assert_eq!(names.get(160_000).as_deref(), Some(""));
    }

    proptest! {
        #[test]
        fn names_equal_those_of_a_queue(
        max_bytes in prop::option::of(0_u64..600),
            pushed in prop::collection::vec("[a-zé]{0,40}", 0..100),
        ) {
            let mut names = NameRing::new(max_bytes);
            let ring = max_bytes.map(|max| max / 9 * 8);
            let mut queue: VecDeque<(u64, Option<String>)> = VecDeque::new();
            let size = |name: &Option<String>| 2 + name.as_ref().map_or(0, |name| name.len() as u64);
            for (number, name) in (0..).zip(&pushed) {
                names.push(name);
                let fits = ring.is_none_or(|ring| 2 + name.len() as u64 <= ring);
                queue.push_back((number, fits.then(|| name.clone())));
                let bytes = |queue: &VecDeque<(u64, Option<String>)>| -> u64 {
                    queue.iter().map(|(_, name)| size(name)).sum()
                };
                while ring.is_some_and(|ring| bytes(&queue) > ring) {
                    queue.pop_front();
                }
            }
            let mut bytes = Vec::new();
            names.save(&mut bytes).unwrap();
            let loaded = NameRing::load(max_bytes, &mut bytes.as_slice()).unwrap();
            for number in 0..pushed.len() as u64 + 2 {
                let kept = queue.iter().find(|(kept, _)| *kept == number);
                let expected = kept.and_then(|(_, name)| name.clone()).map(Cow::Owned);
                prop_assert_eq!(&names.get(number), &expected);
                prop_assert_eq!(&loaded.get(number), &expected);
            }
        }
    }
}
