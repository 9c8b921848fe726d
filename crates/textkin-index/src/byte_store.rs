//! A shelf: pieces of bytes by number, in memory as long as they fit, then on disk.

use std::borrow::Cow;
use std::ops::Range;

use crate::array::SpillFile;
use crate::collect::Memory;
use crate::error::Error;

/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;

/// Pieces of bytes, numbered from 0 on.
#[derive(Debug)]
pub struct ByteStore {
    memory: Memory,
    /// Where each piece begins in all of them; `None` if there is none with that number.
    starts: Vec<Option<Start>>,
    /// Bytes of all pieces.
    end: u64,
    /// The last bytes, or all.
    tail: Vec<u8>,
    /// What came before the last bytes.
    spill_file: Option<SpillFile>,
}

#[derive(Clone, Copy, Debug)]
struct Start {
    offset: u64,
    len: u64,
}

impl ByteStore {
    /// An empty shelf that stays within the budget.
    #[must_use]
    pub fn new(memory: Memory) -> Self {
        Self { memory, starts: Vec::new(), end: 0, tail: Vec::new(), spill_file: None }
    }

    /// Puts a piece on it under a number that has none.
    ///
    /// # Errors
    /// If the temporary file cannot be written.
    pub fn put(&mut self, number: u32, bytes: &[u8]) -> Result<(), Error> {
        let number = number as usize;
        if self.starts.len() <= number {
            self.starts.resize(number + 1, None);
        }
        self.starts[number] = Some(Start { offset: self.end, len: bytes.len() as u64 });
        let in_memory = (self.tail.len() + bytes.len()) as u64;
        if self.spill_file.is_none() && in_memory > self.memory.budget {
            self.spill_file = Some(SpillFile::new(&self.memory.temp_dir)?);
        }
        self.tail.extend_from_slice(bytes);
        self.end += bytes.len() as u64;
        if let Some(spill_file) = &self.spill_file
            && self.tail.len() >= BUFFER
        {
            spill_file.append(&self.tail)?;
            self.tail = Vec::with_capacity(BUFFER);
        }
        Ok(())
    }

    /// Number of bytes of a piece; none if there is no such piece.
    #[must_use]
    pub fn len_of(&self, number: u32) -> u64 {
        self.starts.get(number as usize).copied().flatten().map_or(0, |start| start.len)
    }

    /// A part of a piece, cut where the piece ends.
    ///
    /// # Errors
    /// If the temporary file cannot be read.
    pub fn read(&self, number: u32, range: Range<u64>) -> Result<Cow<'_, [u8]>, Error> {
        let Some(start) = self.starts.get(number as usize).copied().flatten() else {
            return Ok(Cow::Borrowed(&[]));
        };
        let end = range.end.min(start.len);
        let (from, to) = (start.offset + range.start.min(end), start.offset + end);
        let on_disk = self.end - self.tail.len() as u64;
        if from >= on_disk {
            return Ok(Cow::Borrowed(
                &self.tail[(from - on_disk) as usize..(to - on_disk) as usize],
            ));
        }
        let mut bytes = vec![0; (to - from) as usize];
        let n_on_disk = (to.min(on_disk) - from) as usize;
        if let Some(spill_file) = &self.spill_file {
            spill_file.read_at(&mut bytes[..n_on_disk], from)?;
        }
        let n_in_tail = bytes.len() - n_on_disk;
        bytes[n_on_disk..].copy_from_slice(&self.tail[..n_in_tail]);
        Ok(Cow::Owned(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(60) })]

        #[test]
        fn pieces_are_the_same_from_memory_and_from_disk(
            lengths in prop::collection::vec(0usize..50_000, 0..12),
            budget in prop::sample::select(vec![0u64, 30_000, 1 << 30]),
            cut in (0u64..60_000, 0u64..60_000),
        ) {
            let mut shelf = ByteStore::new(Memory { budget, temp_dir: std::env::temp_dir() });
            let piece = |number: usize, len: usize| -> Vec<u8> {
                (0..len).map(|at| (at * 7 + number) as u8).collect()
            };
            // The last comes first, so that numbers and places differ.
            for (number, &len) in lengths.iter().enumerate().rev() {
                shelf.put(number as u32, &piece(number, len)).unwrap();
            }
            for (number, &len) in lengths.iter().enumerate() {
                let bytes = piece(number, len);
                prop_assert_eq!(shelf.len_of(number as u32), len as u64);
                prop_assert_eq!(&*shelf.read(number as u32, 0..u64::MAX).unwrap(), &bytes[..]);
                let (from, to) = (cut.0.min(len as u64), cut.1.min(len as u64));
                let part = shelf.read(number as u32, cut.0..cut.1).unwrap();
                prop_assert_eq!(&*part, &bytes[(from.min(to)) as usize..to as usize]);
            }
            prop_assert_eq!(shelf.len_of(99), 0);
        }
    }
}
