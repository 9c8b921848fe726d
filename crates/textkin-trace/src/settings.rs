//! Settings: the amount of memory and how the tracer uses it.

use std::fmt;
use std::str::FromStr;

use crate::eviction::{Eviction, Lucky};
use crate::{Constant, Error, Estimation};

/// Memory limit of a tracer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// Maximum bytes of the table, allocated at the start.
    Bytes(u64),
    /// No limit: every chunk is stored and all origins are exact.
    Unlimited,
}

impl fmt::Display for Memory {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(formatter, "{bytes} bytes"),
            Self::Unlimited => formatter.write_str("unlimited"),
        }
    }
}

/// Method for storing and estimating origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// One slot per selected chunk, as in the paper.
    Chunks(ChunkMethod),
    /// Slots for some of the selected chunks, each with a few bits of every word around it.
    Windows(WindowMethod),
}

/// One slot per selected chunk. The defaults are the constants of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkMethod {
    /// Rule that chooses the chunk to evict from a full bucket.
    pub eviction: Eviction,
    /// Rule that infers the origins of missing chunks from chunks that were found.
    pub estimation: Estimation,
    /// Bytes of the chunk hash stored in a slot, 2 to 8: 6 in the paper.
    pub tag_bytes: u8,
    /// Bytes of the origin number stored in a slot, 3 to 8: 8 in the paper. A stored number stands for the
    /// latest document with these low bytes: with 3 bytes, origins reach back 16 million documents.
    pub origin_bytes: u8,
    /// Maximum length of a bridge in selected chunks, exclusive: `T`, 30 in the paper.
    pub bridge_limit: u32,
    /// Whether missing chunks are stored after the estimation, with their estimated origin. The paper
    /// stores them before it, with the document as their origin.
    pub stores_estimated: bool,
}

impl Default for ChunkMethod {
    fn default() -> Self {
        Self {
            eviction: Eviction::Lucky(Lucky::default()),
            estimation: Estimation::BridgingExpansion,
            tag_bytes: 6,
            origin_bytes: 8,
            bridge_limit: 30,
            stores_estimated: false,
        }
    }
}

/// Slots for some of the selected chunks, each with a window: a few bits of every word around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowMethod {
    /// Bytes of the chunk hash stored in a slot, 2 to 8.
    pub tag_bytes: u8,
    /// Bytes of the origin number stored in a slot, 3 to 8.
    pub origin_bytes: u8,
    /// Words in the window on each side of the chunk.
    pub window: u8,
    /// Bits per word of the window: 1, 2, 4 or 8; `window × bits` must be 8 to 64 and a multiple of 8.
    pub bits: u8,
    /// Minimum distance between landmarks, in words. Chunks between landmarks are kept while there is
    /// room.
    pub spacing: u16,
    /// Maximum gap in words, exclusive, between two landmarks on the same diagonal that are joined.
    pub bridge_limit: u16,
    /// Words beyond a fully matching window that count as copied too, if chunks as old as the origin are
    /// mostly evicted.
    pub reach: u8,
    /// Chunks of each document, or of each part of a long one, that are kept longest.
    pub anchors: u8,
    /// Score of the first anchor when it is stored, and whenever it is found as an anchor again. The
    /// second is worth a half of it, the third a third, and so on; landmarks rank behind the anchors.
    pub anchor_worth: u8,
    /// Initial score of a chunk between landmarks; 0: these chunks are not stored.
    pub minor_worth: u8,
    /// Score gained by a slot when its chunk is found again.
    pub found_worth: u8,
}

impl Default for WindowMethod {
    fn default() -> Self {
        Self {
            tag_bytes: 2,
            origin_bytes: 4,
            window: 8,
            bits: 1,
            spacing: 24,
            bridge_limit: 1000,
            reach: 8,
            anchors: 5,
            anchor_worth: 255,
            minor_worth: 1,
            found_worth: 16,
        }
    }
}

/// Named combination of settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// The window method, the most accurate for a given amount of memory.
    #[default]
    Kin,
    /// The best method of the paper: `lucky` eviction, `bridging+expansion`.
    Paper,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 2] = [Self::Kin, Self::Paper];

    /// Name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kin => "kin",
            Self::Paper => "paper",
        }
    }

    /// Selection of chunks that goes with the preset, in the selection grammar.
    #[must_use]
    pub fn selection(self) -> &'static str {
        "hailstorm+no-overlap"
    }

    /// Returns the settings for a memory limit.
    #[must_use]
    pub fn settings(self, memory: Memory) -> Settings {
        let (method, bucket) = match self {
            // Fewer slots per bucket mean fewer accidental matches of two-byte tags. 17 slots fill three
            // cache lines, and a search reads only the first.
            Self::Kin => (Method::Windows(WindowMethod::default()), 17),
            Self::Paper => (Method::Chunks(ChunkMethod::default()), 64),
        };
        Settings { memory, method, bucket, seed: 1 }
    }
}

impl FromStr for Preset {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        named("preset", name, &Self::ALL, |preset| preset.name())
    }
}

impl fmt::Display for Preset {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Settings of a tracer. Equal settings and equal streams give equal results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Memory limit.
    pub memory: Memory,
    /// Method for storing and estimating origins; unused without a memory limit.
    pub method: Method,
    /// Slots per bucket: 64 in the paper.
    pub bucket: u16,
    /// Seed of random choices; the window method makes none.
    pub seed: u64,
}

impl Settings {
    /// Settings without a memory limit: every chunk is stored and origins are exact.
    #[must_use]
    pub fn exact() -> Self {
        Preset::default().settings(Memory::Unlimited)
    }

    /// Returns every setting as name and value, in a fixed order. A saved state must match them.
    #[must_use]
    pub fn entries(&self) -> Vec<(&'static str, String)> {
        let mut entries = vec![("memory", self.memory.to_string())];
        if self.memory == Memory::Unlimited {
            return entries;
        }
        match self.method {
            Method::Chunks(method) => {
                entries.push(("method", "chunks".to_owned()));
                entries.push(("eviction", method.eviction.to_string()));
                entries.push(("estimation", method.estimation.to_string()));
            }
            Method::Windows(_) => entries.push(("method", "windows".to_owned())),
        }
        let constant = |constant: Constant| {
            constant.value(self).map(|value| (constant.name, value.to_string()))
        };
        entries.extend(Constant::ALL.into_iter().filter_map(constant));
        entries
    }
}

/// Returns the value of `all` that is called `name`.
pub(crate) fn named<T: Copy>(
    kind: &'static str,
    name: &str,
    all: &[T],
    name_of: impl Fn(T) -> &'static str,
) -> Result<T, Error> {
    let found = all.iter().copied().find(|value| name_of(*value) == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|value| name_of(*value)).collect();
        Error::Unknown { kind, name: name.to_owned(), known: names.join(", ") }
    })
}

/// Checks that a setting is in its range.
pub(crate) fn within(
    name: &'static str,
    value: u64,
    range: std::ops::RangeInclusive<u64>,
    expected: &'static str,
) -> Result<(), Error> {
    if range.contains(&value) { Ok(()) } else { Err(Error::Setting { name, value, expected }) }
}
