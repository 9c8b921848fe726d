//! The constants of a method by name: one list for messages, states and the command line.

use textkin_core::name::nearest;

use crate::eviction::Eviction;
use crate::{ChunkMethod, Error, Method, Settings, WindowMethod};

/// A number that a method goes by.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// The name it is set by.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The command-line options it applies to: all methods, one of them, or one eviction.
    pub applies_to: &'static str,
    /// Minimum value.
    pub min: u64,
    /// Maximum value.
    pub max: u64,
    field: fn(&mut Settings) -> Option<SettingField<'_>>,
}

/// Where the value of a constant is kept.
enum SettingField<'a> {
    Byte(&'a mut u8),
    Short(&'a mut u16),
    Word(&'a mut u32),
    Long(&'a mut u64),
    Flag(&'a mut bool),
}

impl SettingField<'_> {
    fn value(&self) -> u64 {
        match self {
            Self::Byte(value) => u64::from(**value),
            Self::Short(value) => u64::from(**value),
            Self::Word(value) => u64::from(**value),
            Self::Long(value) => **value,
            Self::Flag(value) => u64::from(**value),
        }
    }

    /// Sets a value that the range of the constant allows.
    fn set(self, value: u64) {
        match self {
            Self::Byte(field) => *field = u8::try_from(value).unwrap_or(u8::MAX),
            Self::Short(field) => *field = u16::try_from(value).unwrap_or(u16::MAX),
            Self::Word(field) => *field = u32::try_from(value).unwrap_or(u32::MAX),
            Self::Long(field) => *field = value,
            Self::Flag(field) => *field = value != 0,
        }
    }
}

fn chunks(settings: &mut Settings) -> Option<&mut ChunkMethod> {
    match &mut settings.method {
        Method::Chunks(method) => Some(method),
        Method::Windows(_) => None,
    }
}

fn windows(settings: &mut Settings) -> Option<&mut WindowMethod> {
    match &mut settings.method {
        Method::Windows(method) => Some(method),
        Method::Chunks(_) => None,
    }
}

const ALL: &str = "both presets";
const PAPER: &str = "--preset paper";
const KIN: &str = "--preset kin";
const COPY_COUNT: &str = "--preset paper --evict copy-count";
const LUCKY: &str = "--preset paper --evict lucky";

/// A field of the method of the paper, of its eviction, or of windows.
macro_rules! field {
    (chunks, $field:ident, $kind:ident) => {
        |settings| chunks(settings).map(|method| SettingField::$kind(&mut method.$field))
    };
    (windows, $field:ident, $kind:ident) => {
        |settings| windows(settings).map(|method| SettingField::$kind(&mut method.$field))
    };
    ($eviction:ident, $field:ident, $kind:ident) => {
        |settings| match &mut chunks(settings)?.eviction {
            Eviction::$eviction(rule) => Some(SettingField::$kind(&mut rule.$field)),
            _ => None,
        }
    };
    (both, $field:ident, $kind:ident, $and:ident) => {
        |settings| match &mut settings.method {
            Method::Chunks(method) => Some(SettingField::$kind(&mut method.$field)),
            Method::Windows(method) => Some(SettingField::$and(&mut method.$field)),
        }
    };
}

macro_rules! constant {
    ($name:literal, $applies_to:expr, $range:expr, $summary:literal, $field:expr) => {
        Constant {
            name: $name,
            summary: $summary,
            applies_to: $applies_to,
            min: $range.0,
            max: $range.1,
            field: $field,
        }
    };
}

impl Constant {
    /// Every constant, in the order in which they are told.
    pub const ALL: [Self; 22] = [
        constant!("bucket", ALL, (1, 4096), "slots of a bucket", |settings| Some(
            SettingField::Short(&mut settings.bucket)
        )),
        constant!("seed", ALL, (0, u64::MAX), "where random choices begin", |settings| Some(
            SettingField::Long(&mut settings.seed)
        )),
        constant!(
            "tag-bytes",
            ALL,
            (2, 8),
            "bytes of a chunk's hash in its slot",
            field!(both, tag_bytes, Byte, Byte)
        ),
        constant!(
            "origin-bytes",
            ALL,
            (3, 8),
            "bytes of an origin's number in a slot",
            field!(both, origin_bytes, Byte, Byte)
        ),
        constant!(
            "bridge-limit",
            ALL,
            (0, 65_535),
            "a bridge spans less than this: T of the paper, in selected chunks; with windows, in words",
            field!(both, bridge_limit, Word, Short)
        ),
        constant!(
            "stores-estimated",
            PAPER,
            (0, 1),
            "1: chunks are stored with the origin that was estimated for them",
            field!(chunks, stores_estimated, Flag)
        ),
        constant!(
            "copy-count-full",
            COPY_COUNT,
            (1, 255),
            "where a counter stops",
            field!(CopyCount, full, Byte)
        ),
        constant!(
            "copy-count-many",
            COPY_COUNT,
            (1, 4096),
            "so many full counters in a bucket halve all",
            field!(CopyCount, many, Short)
        ),
        constant!(
            "lucky-block",
            LUCKY,
            (0, 255),
            "how many times √(b − 2) the ends of a block of b chunks gain",
            field!(Lucky, block, Byte)
        ),
        constant!(
            "lucky-edge",
            LUCKY,
            (0, 255),
            "what the ends of a document gain",
            field!(Lucky, edge, Byte)
        ),
        constant!(
            "lucky-every",
            LUCKY,
            (0, 65_535),
            "which chunks gain regularly, y of the paper; 0 for none",
            field!(Lucky, every, Short)
        ),
        constant!(
            "lucky-regular",
            LUCKY,
            (0, 255),
            "what those gain",
            field!(Lucky, regular, Byte)
        ),
        constant!(
            "lucky-limit",
            LUCKY,
            (0, 255),
            "the average score of a bucket that halves all; 0 for never",
            field!(Lucky, limit, Byte)
        ),
        constant!(
            "window",
            KIN,
            (1, 64),
            "words of the window on each side of a chunk",
            field!(windows, window, Byte)
        ),
        constant!(
            "bits",
            KIN,
            (1, 8),
            "bits of each word in the window: 1, 2, 4 or 8; window × bits is 8, 16, … 64",
            field!(windows, bits, Byte)
        ),
        constant!(
            "spacing",
            KIN,
            (1, 65_535),
            "words from one landmark to the next",
            field!(windows, spacing, Short)
        ),
        constant!(
            "reach",
            KIN,
            (0, 255),
            "words beyond a window that are taken as copied where the rest is forgotten",
            field!(windows, reach, Byte)
        ),
        constant!(
            "landmark-worth",
            KIN,
            (1, 255),
            "worth of a new landmark",
            field!(windows, landmark_worth, Byte)
        ),
        constant!(
            "anchors",
            KIN,
            (0, 255),
            "chunks of each document that are remembered for longest",
            field!(windows, anchors, Byte)
        ),
        constant!(
            "anchor-worth",
            KIN,
            (1, 255),
            "worth of each of them",
            field!(windows, anchor_worth, Byte)
        ),
        constant!(
            "found-worth",
            KIN,
            (0, 255),
            "what a slot gains when its chunk is found",
            field!(windows, found_worth, Byte)
        ),
        constant!(
            "minor-worth",
            KIN,
            (0, 255),
            "worth of a chunk between landmarks; 0: they are not kept",
            field!(windows, minor_worth, Byte)
        ),
    ];

    /// The constant called `name`.
    ///
    /// # Errors
    /// If there is none, with the one that was probably meant.
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|constant| constant.name == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(|constant| constant.name);
            match nearest(name, names) {
                Some(meant) => Error::UnknownConstant {
                    name: name.to_owned(),
                    hint: format!("is {meant} meant?"),
                },
                None => {
                    let hint = format!("there are {}", names.join(", "));
                    Error::UnknownConstant { name: name.to_owned(), hint }
                }
            }
        })
    }

    /// Its value in `settings`, if they have it.
    #[must_use]
    pub fn value(&self, settings: &Settings) -> Option<u64> {
        let mut settings = *settings;
        (self.field)(&mut settings).map(|field| field.value())
    }

    /// Gives it a value in `settings`.
    ///
    /// # Errors
    /// If they do not have it, or the value is out of its range.
    pub fn set(&self, value: u64, settings: &mut Settings) -> Result<(), Error> {
        let Self { name, applies_to, min, max, .. } = *self;
        let field =
            (self.field)(settings).ok_or(Error::ConstantNotApplicable { name, applies_to })?;
        if !(min..=max).contains(&value) {
            return Err(Error::ConstantOutOfRange { name, value, min, max });
        }
        field.set(value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CopyCount, Memory, Preset};

    fn all_settings() -> Vec<Settings> {
        let memory = Memory::Bytes(1 << 16);
        let paper = Preset::Paper.settings(memory);
        let counting = ChunkMethod {
            eviction: Eviction::CopyCount(CopyCount::DEFAULT),
            ..ChunkMethod::default()
        };
        let counting = Settings { method: Method::Chunks(counting), ..paper };
        vec![Preset::Kin.settings(memory), paper, counting]
    }

    #[test]
    fn every_constant_is_set_where_it_is_and_changes_nothing_else() {
        for constant in Constant::ALL {
            let has_it = |settings: &Settings| constant.value(settings).is_some();
            let mut of: Vec<Settings> = all_settings().into_iter().filter(has_it).collect();
            assert!(!of.is_empty(), "{}", constant.name);
            for settings in &mut of {
                let before = *settings;
                let old = constant.value(settings).unwrap();
                let new = if old == constant.max { constant.min } else { old + 1 };
                constant.set(new, settings).unwrap();
                assert_eq!(constant.value(settings), Some(new));
                let differs =
                    Constant::ALL.map(|other| other.value(settings) != other.value(&before));
                assert_eq!(differs.iter().filter(|differs| **differs).count(), 1);
                assert_ne!(settings.entries(), before.entries());
                constant.set(old, settings).unwrap();
                assert_eq!(*settings, before);
            }
        }
    }

    #[test]
    fn wrong_names_values_and_methods_are_told() {
        let said = |name: &str, value: u64, settings: &mut Settings| {
            let constant = Constant::named(name);
            constant.and_then(|constant| constant.set(value, settings)).unwrap_err().to_string()
        };
        let [mut kin, mut paper, _] = all_settings().try_into().unwrap();
        assert_eq!(
            said("lucky-limt", 4, &mut paper),
            "there is no constant 'lucky-limt'; is lucky-limit meant?"
        );
        assert!(said("T", 4, &mut paper).contains("there are bucket, seed, tag-bytes"));
        assert_eq!(
            said("lucky-limit", 4, &mut kin),
            "lucky-limit is a constant of --preset paper --evict lucky"
        );
        assert_eq!(
            said("lucky-limit", 256, &mut paper),
            "lucky-limit of 256 is out of range: 0 to 255"
        );
    }
}
