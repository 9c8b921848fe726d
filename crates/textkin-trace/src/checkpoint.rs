//! Checkpoints: the state of a tracer as bytes, so that a later run can continue the trace.
//!
//! Layout, little-endian: magic (8 bytes), version (4); length (4) and text of the settings, one `name
//! value` per line; number of documents (8); state of the random generator (8), or the eviction clock (258
//! numbers of 8); length (8) and bytes of the table, or of the first occurrences of all chunks, ordered by
//! hash, 20 bytes each; XXH3-64 of everything before. Written and read as a stream, without a second copy of the table.

use std::io::{self, Read, Write};

use xxhash_rust::xxh3::Xxh3;

use crate::checksum_stream::ChecksumStream;
use crate::clock::EvictionClock;
use crate::exact_tracer::FirstOccurrence;
use crate::tracer::MethodTracer;
use crate::{Error, Settings, Tracer};
use textkin_core::Random;

const MAGIC: [u8; 8] = *b"tktrace\n";
const VERSION: u32 = 5;
/// Bytes of the first occurrence of a chunk: hash, origin, offset.
const FIRST_OCCURRENCE_BYTES: usize = 20;
/// Maximum length of the settings text, in bytes.
const MAX_SETTINGS: u32 = 1 << 16;

impl Tracer {
    /// Writes the whole state of the tracer.
    ///
    /// # Errors
    /// If writing fails.
    pub fn save(&self, writer: &mut dyn Write) -> Result<(), Error> {
        let mut writer = ChecksumStream { inner: writer, sum: Xxh3::new() };
        writer.write_all(&MAGIC)?;
        writer.write_all(&VERSION.to_le_bytes())?;
        let settings = settings_text(&self.settings);
        let length = u32::try_from(settings.len()).unwrap_or(u32::MAX);
        writer.write_all(&length.to_le_bytes())?;
        writer.write_all(settings.as_bytes())?;
        writer.write_all(&self.next.to_le_bytes())?;
        match &self.memory {
            MethodTracer::Exact(tracer) => {
                writer.write_all(&0_u64.to_le_bytes())?;
                let mut first: Vec<(&u64, &FirstOccurrence)> = tracer.first.iter().collect();
                first.sort_unstable_by_key(|(hash, _)| **hash);
                writer.write_all(&((first.len() * FIRST_OCCURRENCE_BYTES) as u64).to_le_bytes())?;
                for (hash, FirstOccurrence { origin, offset }) in first {
                    writer.write_all(&hash.to_le_bytes())?;
                    writer.write_all(&origin.to_le_bytes())?;
                    writer.write_all(&offset.to_le_bytes())?;
                }
            }
            MethodTracer::Chunks(tracer) => {
                writer.write_all(&tracer.random.state().to_le_bytes())?;
                save_table(&mut writer, tracer.table.as_bytes())?;
            }
            MethodTracer::Windows(tracer) => {
                for number in tracer.clock().to_numbers() {
                    writer.write_all(&number.to_le_bytes())?;
                }
                save_table(&mut writer, tracer.table())?;
            }
        }
        let sum = writer.sum.digest();
        Ok(writer.inner.write_all(&sum.to_le_bytes())?)
    }

    /// Restores a saved tracer. The settings must equal those it was saved with.
    ///
    /// # Errors
    /// If reading fails, or the input is not a state, is corrupt, or has another version or other settings.
    pub fn load(settings: &Settings, reader: &mut dyn Read) -> Result<Self, Error> {
        let mut reader = ChecksumStream { inner: reader, sum: Xxh3::new() };
        if reader.array::<8>().map_err(|_| Error::NotATraceState)? != MAGIC {
            return Err(Error::NotATraceState);
        }
        let version = u32::from_le_bytes(reader.array()?);
        if version != VERSION {
            return Err(Error::Version { found: version, expected: VERSION });
        }
        reader.check_settings(settings)?;
        let mut tracer = Self::new(settings)?;
        tracer.next = u64::from_le_bytes(reader.array()?);
        match &mut tracer.memory {
            MethodTracer::Exact(tracer) => {
                let [_, length] = reader.numbers()?;
                for _ in 0..length / FIRST_OCCURRENCE_BYTES as u64 {
                    let hash = u64::from_le_bytes(reader.array()?);
                    let origin = u64::from_le_bytes(reader.array()?);
                    let offset = u32::from_le_bytes(reader.array()?);
                    tracer.first.insert(hash, FirstOccurrence { origin, offset });
                }
            }
            MethodTracer::Chunks(tracer) => {
                let [state, length] = reader.numbers()?;
                tracer.random = Random::new(state);
                reader.fill(length, tracer.table.as_bytes_mut())?;
            }
            MethodTracer::Windows(tracer) => {
                tracer.set_clock(EvictionClock::from_numbers(reader.numbers()?));
                let [length] = reader.numbers()?;
                reader.fill(length, tracer.table_mut())?;
            }
        }
        let sum = reader.sum.digest();
        if reader.array::<8>()? != sum.to_le_bytes() {
            return Err(Error::Corrupt("checksum mismatch"));
        }
        match reader.inner.read(&mut [0])? {
            0 => Ok(tracer),
            _ => Err(Error::Corrupt("unexpected data after the end")),
        }
    }
}

fn settings_text(settings: &Settings) -> String {
    settings.entries().into_iter().map(|(name, value)| format!("{name} {value}\n")).collect()
}

fn save_table(writer: &mut dyn Write, table: &[u8]) -> io::Result<()> {
    writer.write_all(&(table.len() as u64).to_le_bytes())?;
    writer.write_all(table)
}

impl ChecksumStream<&mut dyn Read, Xxh3> {
    fn read_all(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::Corrupt("unexpected end of data"),
            _ => Error::Io(error),
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.read_all(&mut bytes)?;
        Ok(bytes)
    }

    fn numbers<const N: usize>(&mut self) -> Result<[u64; N], Error> {
        let mut numbers = [0; N];
        for number in &mut numbers {
            *number = u64::from_le_bytes(self.array()?);
        }
        Ok(numbers)
    }

    fn fill(&mut self, length: u64, table: &mut [u8]) -> Result<(), Error> {
        if length != table.len() as u64 {
            return Err(Error::Corrupt("table size mismatch"));
        }
        self.read_all(table)
    }

    fn check_settings(&mut self, settings: &Settings) -> Result<(), Error> {
        let length = u32::from_le_bytes(self.array()?);
        if length > MAX_SETTINGS {
            return Err(Error::Corrupt("settings are too long"));
        }
        let mut text = vec![0; length as usize];
        self.read_all(&mut text)?;
        let text =
            String::from_utf8(text).map_err(|_| Error::Corrupt("settings are not valid UTF-8"))?;
        let found: Vec<(&str, &str)> =
            text.lines().map(|line| line.split_once(' ').unwrap_or((line, ""))).collect();
        let expected = settings.entries();
        let value_of = |name: &str| found.iter().find(|(other, _)| *other == name).map(|(_, v)| *v);
        for (name, value) in &expected {
            let found = value_of(name).unwrap_or("unset");
            if found != value {
                let (name, found, expected) = ((*name).to_owned(), found.to_owned(), value.clone());
                return Err(Error::SettingsMismatch { name, found, expected });
            }
        }
        if found.len() != expected.len() {
            return Err(Error::Corrupt("unknown settings"));
        }
        Ok(())
    }
}
