//! The state of a tracer as bytes, so that a trace can go on after the program has ended.
//!
//! Layout, little-endian: magic (8 bytes), version (4); length (4) and text of the settings, `name
//! value` a line; number of documents (8); state of random choices, or the horizon (8); length (8) and bytes of the
//! table, or of the first places of all chunks, ordered by hash, 20 bytes each; XXH3-64 of all before.
//! Written and read as a stream: no second copy of the table is made.

use std::io::{self, Read, Write};

use xxhash_rust::xxh3::Xxh3;

use crate::exact_tracer::First;
use crate::tracer::Remembered;
use crate::window_tracer::Horizon;
use crate::{Error, Settings, Tracer};
use textkin_core::Random;

const MAGIC: [u8; 8] = *b"tktrace\n";
const VERSION: u32 = 4;
/// Bytes of the first place of a chunk: hash, origin, offset.
const FIRST_BYTES: usize = 20;
/// The settings of a state are never longer than this.
const MAX_SETTINGS: u32 = 1 << 16;

impl Tracer {
    /// Writes everything it remembers.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, writer: &mut dyn Write) -> Result<(), Error> {
        let mut writer = Summed { inner: writer, sum: Xxh3::new() };
        writer.write_all(&MAGIC)?;
        writer.write_all(&VERSION.to_le_bytes())?;
        let settings = settings_text(&self.settings);
        let length = u32::try_from(settings.len()).unwrap_or(u32::MAX);
        writer.write_all(&length.to_le_bytes())?;
        writer.write_all(settings.as_bytes())?;
        writer.write_all(&self.next.to_le_bytes())?;
        match &self.memory {
            Remembered::Exact(tracer) => {
                writer.write_all(&0_u64.to_le_bytes())?;
                let mut first: Vec<(&u64, &First)> = tracer.first.iter().collect();
                first.sort_unstable_by_key(|(hash, _)| **hash);
                writer.write_all(&((first.len() * FIRST_BYTES) as u64).to_le_bytes())?;
                for (hash, First { origin, offset }) in first {
                    writer.write_all(&hash.to_le_bytes())?;
                    writer.write_all(&origin.to_le_bytes())?;
                    writer.write_all(&offset.to_le_bytes())?;
                }
            }
            Remembered::Chunks(tracer) => {
                save_table(&mut writer, tracer.random.state(), tracer.table.as_bytes())?;
            }
            Remembered::Windows(tracer) => {
                save_table(&mut writer, tracer.horizon().to_number(), tracer.table())?;
            }
        }
        let sum = writer.sum.digest();
        Ok(writer.inner.write_all(&sum.to_le_bytes())?)
    }

    /// The tracer whose state was saved, which must have had the same settings.
    ///
    /// # Errors
    /// If it cannot be read, is no state or a damaged one, or of another version or settings.
    pub fn load(settings: &Settings, reader: &mut dyn Read) -> Result<Self, Error> {
        let mut reader = Summed { inner: reader, sum: Xxh3::new() };
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
        let state = u64::from_le_bytes(reader.array()?);
        let length = u64::from_le_bytes(reader.array()?);
        match &mut tracer.memory {
            Remembered::Exact(tracer) => {
                for _ in 0..length / FIRST_BYTES as u64 {
                    let hash = u64::from_le_bytes(reader.array()?);
                    let origin = u64::from_le_bytes(reader.array()?);
                    let offset = u32::from_le_bytes(reader.array()?);
                    tracer.first.insert(hash, First { origin, offset });
                }
            }
            Remembered::Chunks(tracer) => {
                tracer.random = Random::new(state);
                reader.fill(length, tracer.table.as_bytes_mut())?;
            }
            Remembered::Windows(tracer) => {
                tracer.set_horizon(Horizon::from_number(state));
                reader.fill(length, tracer.table_mut())?;
            }
        }
        let sum = reader.sum.digest();
        if reader.array::<8>()? != sum.to_le_bytes() {
            return Err(Error::Corrupt("its checksum is another"));
        }
        match reader.inner.read(&mut [0])? {
            0 => Ok(tracer),
            _ => Err(Error::Corrupt("it goes on after its end")),
        }
    }
}

fn settings_text(settings: &Settings) -> String {
    settings.entries().into_iter().map(|(name, value)| format!("{name} {value}\n")).collect()
}

fn save_table(writer: &mut dyn Write, state: u64, table: &[u8]) -> io::Result<()> {
    writer.write_all(&state.to_le_bytes())?;
    writer.write_all(&(table.len() as u64).to_le_bytes())?;
    writer.write_all(table)
}

/// Sums up what passes.
struct Summed<T> {
    inner: T,
    sum: Xxh3,
}

impl Write for Summed<&mut dyn Write> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Summed<&mut dyn Read> {
    fn read_all(&mut self, bytes: &mut [u8]) -> Result<(), Error> {
        self.inner.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => Error::Corrupt("it ends too early"),
            _ => Error::Io(error),
        })?;
        self.sum.update(bytes);
        Ok(())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Error> {
        let mut bytes = [0; N];
        self.read_all(&mut bytes)?;
        Ok(bytes)
    }

    fn fill(&mut self, length: u64, table: &mut [u8]) -> Result<(), Error> {
        if length != table.len() as u64 {
            return Err(Error::Corrupt("its table is of another size"));
        }
        self.read_all(table)
    }

    fn check_settings(&mut self, settings: &Settings) -> Result<(), Error> {
        let length = u32::from_le_bytes(self.array()?);
        if length > MAX_SETTINGS {
            return Err(Error::Corrupt("its settings are too long"));
        }
        let mut text = vec![0; length as usize];
        self.read_all(&mut text)?;
        let text =
            String::from_utf8(text).map_err(|_| Error::Corrupt("its settings are no text"))?;
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
            return Err(Error::Corrupt("it has settings that are not known"));
        }
        Ok(())
    }
}
