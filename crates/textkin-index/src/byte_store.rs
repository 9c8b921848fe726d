//! Byte store: byte strings by number, in memory while they fit, then on disk.

use std::borrow::Cow;
use std::ops::Range;

use crate::array::SpillFile;
use crate::collect::Memory;
use crate::error::Error;

/// Size of the write buffer.
const BUFFER: usize = 1 << 16;

/// Byte strings (pieces), numbered from 0.
#[derive(Debug)]
pub struct ByteStore {
    memory: Memory,
    /// Where each piece begins; `None` if there is no piece with that number.
    starts: Vec<Option<Start>>,
    /// Bytes of all pieces.
    end: u64,
    /// The last bytes, or all bytes.
    tail: Vec<u8>,
    /// The bytes before the tail.
    spill_file: Option<SpillFile>,
}

#[derive(Clone, Copy, Debug)]
struct Start {
    offset: u64,
    len: u64,
}

impl ByteStore {
    /// Creates an empty store that stays within the memory budget.
    #[must_use]
    pub fn new(memory: Memory) -> Self {
        Self { memory, starts: Vec::new(), end: 0, tail: Vec::new(), spill_file: None }
    }

    /// Stores a piece under an unused number.
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

    /// Number of bytes of a piece; 0 if there is no such piece.
    #[must_use]
    pub fn len_of(&self, number: u32) -> u64 {
        self.starts.get(number as usize).copied().flatten().map_or(0, |start| start.len)
    }

    /// Reads a range of a piece; the range is clipped at the end of the piece.
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
            let mut store = ByteStore::new(Memory { budget, temp_dir: std::env::temp_dir() });
            let piece = |number: usize, len: usize| -> Vec<u8> {
                (0..len).map(|at| (at * 7 + number) as u8).collect()
            };
            // The last comes first, so that numbers and positions differ.
            for (number, &len) in lengths.iter().enumerate().rev() {
                store.put(number as u32, &piece(number, len)).unwrap();
            }
            for (number, &len) in lengths.iter().enumerate() {
                let bytes = piece(number, len);
                prop_assert_eq!(store.len_of(number as u32), len as u64);
                prop_assert_eq!(&*store.read(number as u32, 0..u64::MAX).unwrap(), &bytes[..]);
                let (from, to) = (cut.0.min(len as u64), cut.1.min(len as u64));
                let part = store.read(number as u32, cut.0..cut.1).unwrap();
                prop_assert_eq!(&*part, &bytes[(from.min(to)) as usize..to as usize]);
            }
            prop_assert_eq!(store.len_of(99), 0);
        }
    }
}
