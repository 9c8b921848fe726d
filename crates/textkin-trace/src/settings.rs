//! Settings: how much memory, and what is done with it.

use std::fmt;
use std::str::FromStr;

use crate::eviction::{Eviction, Lucky};
use crate::{Constant, Error, Estimation};

/// How much a tracer may remember.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// The table takes at most so many bytes, all at the start.
    Bytes(u64),
    /// Every chunk is remembered: the truth, for as long as memory lasts.
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

/// How origins are remembered and guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A slot for each selected chunk, as in the paper.
    Chunks(ChunkMethod),
    /// A slot for a selected chunk now and then, with a few bits of each word around it.
    Windows(WindowMethod),
}

/// A slot for each selected chunk. The defaults are the constants of the paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkMethod {
    /// Which chunk leaves a full bucket.
    pub eviction: Eviction,
    /// What is made of the chunks that were found, for those that were not.
    pub estimation: Estimation,
    /// Bytes of a chunk's hash in its slot, 2 to 8: 6 in the paper.
    pub tag_bytes: u8,
    /// Bytes of an origin in a slot, 3 to 8: 8 in the paper. An origin is told as the latest document
    /// whose number ends so: with 3 bytes, none is told that lies 16 million documents back.
    pub origin_bytes: u8,
    /// A bridge spans fewer selected chunks than this: `T`, 30 in the paper.
    pub bridge_limit: u32,
    /// Chunks enter the table after the estimation, with the origin it gave them; in the paper
    /// they enter before, as the document's own.
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

/// A slot for a selected chunk now and then, with a window: a few bits of each word around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WindowMethod {
    /// Bytes of a chunk's hash in its slot, 2 to 8.
    pub tag_bytes: u8,
    /// Bytes of an origin in a slot, 3 to 8.
    pub origin_bytes: u8,
    /// Words of the window on each side of the chunk.
    pub window: u8,
    /// Bits of each word's hash in the window: 1, 2, 4 or 8; `window × bits` is 8 to 64, in whole bytes.
    pub bits: u8,
    /// A chunk is a landmark if it begins so many words after the last one; the others, between
    /// landmarks, are kept while there is room.
    pub spacing: u16,
    /// Two landmarks found on the same diagonal are joined over gaps of fewer words than this.
    pub bridge_limit: u16,
    /// Words beyond a window that agrees to its end that are taken as copied too, where the chunks
    /// of a document so old are mostly forgotten.
    pub reach: u8,
    /// Worth of a new landmark.
    pub landmark_worth: u8,
    /// Chunks of each document, or of each part of a long one, that are remembered for longest.
    pub anchors: u8,
    /// Worth of each of them, when it comes and whenever it is found as one again.
    pub anchor_worth: u8,
    /// Worth of a chunk between landmarks; they are not kept if it is 0.
    pub minor_worth: u8,
    /// What a slot gains when its chunk is found again.
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
            landmark_worth: 12,
            anchors: 4,
            anchor_worth: 255,
            minor_worth: 1,
            found_worth: 32,
        }
    }
}

/// Settings that go together, under one name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Windows: the most accurate in the same bytes.
    #[default]
    Kin,
    /// The best of the paper: `lucky` eviction, `bridging+expansion`.
    Paper,
}

impl Preset {
    /// Every preset.
    pub const ALL: [Self; 2] = [Self::Kin, Self::Paper];

    /// The name it is chosen by.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kin => "kin",
            Self::Paper => "paper",
        }
    }

    /// The selection that goes with it, in the grammar of selections.
    #[must_use]
    pub fn selection(self) -> &'static str {
        "hailstorm+no-overlap"
    }

    /// Its settings, for so much memory.
    #[must_use]
    pub fn settings(self, memory: Memory) -> Settings {
        let (method, bucket) = match self {
            // Fewer slots to a bucket: fewer that agree by chance in a tag of two bytes. So many fill three
            // cache lines, and what a search reads of them the first.
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

/// How a stream is traced. Two tracers of equal settings say the same of the same stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How much is remembered.
    pub memory: Memory,
    /// How origins are remembered and guessed; of no effect without a bound of memory.
    pub method: Method,
    /// Slots of a bucket: 64 in the paper.
    pub bucket: u16,
    /// Where random choices begin; windows make none.
    pub seed: u64,
}

impl Settings {
    /// The truth: every chunk is remembered.
    #[must_use]
    pub fn exact() -> Self {
        Preset::default().settings(Memory::Unlimited)
    }

    /// Every setting by name and value, in a fixed order: what a state must agree with.
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

/// The value of `all` that is called `name`.
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

/// `value` if it is in the range, or which setting is not.
pub(crate) fn within(
    name: &'static str,
    value: u64,
    range: std::ops::RangeInclusive<u64>,
    expected: &'static str,
) -> Result<(), Error> {
    if range.contains(&value) { Ok(()) } else { Err(Error::Setting { name, value, expected }) }
}
