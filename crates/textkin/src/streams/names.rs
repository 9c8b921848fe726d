//! The names of the latest documents of a stream, as many as fit a fixed number of bytes.
//!
//! Names lie one after the other in a ring of bytes, each behind its length; of every 32nd the place
//! is kept beside, so that any can be found. All of it is taken at the start. Documents are numbered
//! from 0 without gaps; a name that is too long for the ring leaves its number behind.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io::{self, Read, Write};

/// The place of every so many names is kept.
const STEP: u64 = 32;
/// Bytes of a length.
const LENGTH: usize = 2;
/// The length of a name that was not kept.
const FORGOTTEN: u16 = u16::MAX;
/// Bytes of the ring to begin with, where there is no bound.
const UNBOUNDED: usize = 1 << 12;

/// The names of the latest documents.
#[derive(Debug)]
pub(super) struct Names {
    ring: Vec<u8>,
    is_bounded: bool,
    /// Where the first name lies, and where the next one will: places go on, the ring comes again.
    start: u64,
    end: u64,
    /// The number of the first, and of the next one.
    first: u64,
    next: u64,
    /// The places of those whose number is a multiple of [`STEP`].
    marks: VecDeque<u64>,
}

impl Names {
    /// Names within `most` bytes; of all documents if there is no bound.
    pub(super) fn new(most: Option<u64>) -> Self {
        // Of nine parts one is for marks: names of no bytes take two, and 32 of those a mark of eight.
        let ring = most.map(|most| usize::try_from(most / 9 * 8).unwrap_or(usize::MAX));
        let marks = ring.map_or(0, |ring| ring / (LENGTH * 32) + 1);
        Self {
            ring: vec![0; ring.unwrap_or(UNBOUNDED)],
            is_bounded: ring.is_some(),
            start: 0,
            end: 0,
            first: 0,
            next: 0,
            marks: VecDeque::with_capacity(marks),
        }
    }

    /// Takes the name of the next document.
    pub(super) fn push(&mut self, name: &str) {
        let is_kept = name.len() < usize::from(FORGOTTEN)
            && (!self.is_bounded || name.len() + LENGTH <= self.ring.len());
        let length = u16::try_from(name.len()).ok().filter(|_| is_kept).unwrap_or(FORGOTTEN);
        let name = if is_kept { name.as_bytes() } else { &[] };
        self.make_room(LENGTH + name.len());
        if LENGTH + name.len() <= self.ring.len() {
            if self.next.is_multiple_of(STEP) {
                self.marks.push_back(self.end);
            }
            self.write(&length.to_le_bytes());
            self.write(name);
        } else {
            // Not even a length fits: nothing is kept, ever.
            self.first = self.next + 1;
        }
        self.next += 1;
    }

    /// The name of a document, unless it has been forgotten or was never there.
    pub(super) fn get(&self, number: u64) -> Option<Cow<'_, str>> {
        if !(self.first..self.next).contains(&number) {
            return None;
        }
        let marked = number - number % STEP;
        let (mut at, mut place) = (self.first, self.start);
        if marked > self.first {
            let first_mark = self.first.next_multiple_of(STEP);
            let mark = usize::try_from((marked - first_mark) / STEP).ok()?;
            (at, place) = (marked, *self.marks.get(mark)?);
        }
        let mut index = self.place(place).0;
        while at < number {
            index = self.wrapped(index + LENGTH + kept_bytes(self.length_at(index)));
            at += 1;
        }
        let length = self.length_at(index);
        if length == FORGOTTEN {
            return None;
        }
        let from = self.wrapped(index + LENGTH);
        match self.ring.get(from..from + usize::from(length)) {
            Some(name) => str::from_utf8(name).ok().map(Cow::Borrowed),
            // Part of it is where the ring begins again.
            None => {
                let name = self.bytes(from as u64, usize::from(length));
                String::from_utf8(name).ok().map(Cow::Owned)
            }
        }
    }

    /// Bytes that are taken.
    #[cfg(test)]
    pub(super) fn allocated(&self) -> usize {
        self.ring.capacity() + self.marks.capacity() * 8
    }

    /// Writes all that are kept.
    pub(super) fn save(&self, writer: &mut dyn Write) -> io::Result<()> {
        for number in [self.first, self.next] {
            writer.write_all(&number.to_le_bytes())?;
        }
        let mut place = self.start;
        for _ in self.first..self.next {
            let length = self.length(place);
            writer.write_all(&length.to_le_bytes())?;
            if length != FORGOTTEN {
                let from = place + LENGTH as u64;
                writer.write_all(&self.bytes(from, usize::from(length)))?;
            }
            place = self.after(place);
        }
        Ok(())
    }

    /// Reads what was saved, of names within `most` bytes. Anything is safe to read.
    pub(super) fn load(most: Option<u64>, reader: &mut dyn Read) -> io::Result<Self> {
        let mut names = Self::new(most);
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
            name.resize(if length == FORGOTTEN { 0 } else { usize::from(length) }, 0);
            reader.read_exact(&mut name)?;
            if length == FORGOTTEN {
                let too_long = "x".repeat(usize::from(FORGOTTEN));
                names.push(&too_long);
            } else {
                names.push(&String::from_utf8_lossy(&name));
            }
        }
        Ok(names)
    }

    /// Forgets names until so many bytes are free; without a bound, gets more.
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
            let kept = self.bytes(self.start, live);
            self.ring = vec![0; (2 * self.ring.len()).max(live + bytes)];
            self.end = self.start;
            self.write(&kept);
        }
    }

    fn write(&mut self, bytes: &[u8]) {
        let (from, until_end) = self.place(self.end);
        let (before, after) = bytes.split_at(bytes.len().min(until_end));
        self.ring[from..from + before.len()].copy_from_slice(before);
        self.ring[..after.len()].copy_from_slice(after);
        self.end += bytes.len() as u64;
    }

    fn bytes(&self, place: u64, n: usize) -> Vec<u8> {
        let (from, until_end) = self.place(place);
        let before = n.min(until_end);
        [&self.ring[from..from + before], &self.ring[..n - before]].concat()
    }

    fn length(&self, place: u64) -> u16 {
        self.length_at(self.place(place).0)
    }

    /// The length that begins with byte `index` of the ring.
    fn length_at(&self, index: usize) -> u16 {
        u16::from_le_bytes([self.ring[index], self.ring[self.wrapped(index + 1)]])
    }

    /// A byte of the ring, of one that may be behind its end by less than its length.
    fn wrapped(&self, index: usize) -> usize {
        index.checked_sub(self.ring.len()).unwrap_or(index)
    }

    /// The place of the name after the one at `place`.
    fn after(&self, place: u64) -> u64 {
        place + (LENGTH + kept_bytes(self.length(place))) as u64
    }

    /// Where a place is in the ring, and how many bytes come before the ring begins again.
    fn place(&self, place: u64) -> (usize, usize) {
        let length = self.ring.len();
        let at = usize::try_from(place % (length.max(1) as u64)).unwrap_or(0);
        (at, length - at)
    }
}

/// Bytes of a name of this length.
fn kept_bytes(length: u16) -> usize {
    if length == FORGOTTEN { 0 } else { usize::from(length) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_of_the_latest_documents_are_kept_within_the_bytes() {
        let mut names = Names::new(Some(18));
        (10..20).for_each(|number| names.push(&number.to_string()));
        assert_eq!([names.get(5), names.get(10)], [None, None]);
        let kept = [6, 7, 8, 9].map(|number| names.get(number));
        assert_eq!(kept, ["16", "17", "18", "19"].map(|name| Some(name.into())));
        let mut all = Names::new(None);
        (0..1000).for_each(|number| all.push(&number.to_string()));
        assert_eq!(all.get(3).as_deref(), Some("3"));
    }

    #[test]
    fn empty_names_fill_the_bytes_and_no_more() {
        let mut names = Names::new(Some(90_000));
        (0..200_000).for_each(|_| names.push(""));
        assert!(names.allocated() <= 90_100, "{}", names.allocated());
        assert_eq!(names.get(199_999).as_deref(), Some(""));
        assert_eq!(names.get(160_000).as_deref(), Some(""));
    }

    proptest! {
        #[test]
        fn names_are_those_of_a_queue(
            most in prop::option::of(0_u64..600),
            pushed in prop::collection::vec("[a-zé]{0,40}", 0..100),
        ) {
            let mut names = Names::new(most);
            let ring = most.map(|most| most / 9 * 8);
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
            let loaded = Names::load(most, &mut bytes.as_slice()).unwrap();
            for number in 0..pushed.len() as u64 + 2 {
                let kept = queue.iter().find(|(kept, _)| *kept == number);
                let expected = kept.and_then(|(_, name)| name.clone()).map(Cow::Owned);
                prop_assert_eq!(&names.get(number), &expected);
                prop_assert_eq!(&loaded.get(number), &expected);
            }
        }
    }
}
