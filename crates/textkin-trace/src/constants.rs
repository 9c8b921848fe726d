//! Tunable constants of the methods by name: one list for messages, saved states and the command line.

use textkin_core::name::nearest;

use crate::eviction::Eviction;
use crate::{ChunkMethod, Error, Method, Settings, WindowMethod};

/// Named numeric parameter of a tracing method.
#[derive(Clone, Copy, Debug)]
pub struct Constant {
    /// Name on the command line.
    pub name: &'static str,
    /// One-line description.
    pub summary: &'static str,
    /// The command-line options it applies to: all methods, one of them, or one eviction.
    pub applies_to: &'static str,
    /// Minimum value.
    pub min: u64,
    /// Maximum value.
    pub max: u64,
    field: fn(&mut Settings) -> Option<SettingField<'_>>,
}

/// Reference to the field that stores the value of a constant.
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

    /// Sets the value, which must be in the range of the constant.
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

/// Accessor for a field of the paper method, of its eviction, or of the window method.
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
    /// Every constant, in display order.
    pub const ALL: [Self; 21] = [
        constant!("bucket", ALL, (1, 4096), "slots per bucket", |settings| Some(
            SettingField::Short(&mut settings.bucket)
        )),
        constant!("seed", ALL, (0, u64::MAX), "seed of random choices", |settings| Some(
            SettingField::Long(&mut settings.seed)
        )),
        constant!(
            "tag-bytes",
            ALL,
            (2, 8),
            "bytes of the chunk hash stored in a slot",
            field!(both, tag_bytes, Byte, Byte)
        ),
        constant!(
            "origin-bytes",
            ALL,
            (3, 8),
            "bytes of the origin number stored in a slot",
            field!(both, origin_bytes, Byte, Byte)
        ),
        constant!(
            "bridge-limit",
            ALL,
            (0, 65_535),
            "maximum length of a bridge (exclusive): T of the paper, in selected chunks; with windows, in words",
            field!(both, bridge_limit, Word, Short)
        ),
        constant!(
            "stores-estimated",
            PAPER,
            (0, 1),
            "1: store missing chunks with their estimated origin",
            field!(chunks, stores_estimated, Flag)
        ),
        constant!(
            "copy-count-full",
            COPY_COUNT,
            (1, 255),
            "maximum value of a counter",
            field!(CopyCount, max, Byte)
        ),
        constant!(
            "copy-count-many",
            COPY_COUNT,
            (1, 4096),
            "number of full counters at which all counters of a bucket are halved",
            field!(CopyCount, halve_at, Short)
        ),
        constant!(
            "lucky-block",
            LUCKY,
            (0, 255),
            "factor of √(b − 2), the gain of the ends of a block of b chunks",
            field!(Lucky, block, Byte)
        ),
        constant!(
            "lucky-edge",
            LUCKY,
            (0, 255),
            "gain of the first and last chunk of a document",
            field!(Lucky, edge, Byte)
        ),
        constant!(
            "lucky-every",
            LUCKY,
            (0, 65_535),
            "every N-th chunk gains lucky-regular: y of the paper; 0: none",
            field!(Lucky, every, Short)
        ),
        constant!(
            "lucky-regular",
            LUCKY,
            (0, 255),
            "gain of every N-th chunk (see lucky-every)",
            field!(Lucky, regular, Byte)
        ),
        constant!(
            "lucky-limit",
            LUCKY,
            (0, 255),
            "average score at which all scores of a bucket are halved; 0: never",
            field!(Lucky, limit, Byte)
        ),
        constant!(
            "window",
            KIN,
            (1, 64),
            "words in the window on each side of a chunk",
            field!(windows, window, Byte)
        ),
        constant!(
            "bits",
            KIN,
            (1, 8),
            "bits stored per word of the window: 1, 2, 4 or 8; window × bits must be 8, 16, … 64",
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
            "words beyond a fully matching window that count as copied if the origin is old",
            field!(windows, reach, Byte)
        ),
        constant!(
            "anchors",
            KIN,
            (0, 255),
            "chunks per document that are kept longest",
            field!(windows, anchors, Byte)
        ),
        constant!(
            "anchor-worth",
            KIN,
            (1, 255),
            "score of the first anchor; the second is worth a half of it, the third a third, …",
            field!(windows, anchor_worth, Byte)
        ),
        constant!(
            "found-worth",
            KIN,
            (0, 255),
            "score gained by a slot when its chunk is found",
            field!(windows, found_worth, Byte)
        ),
        constant!(
            "minor-worth",
            KIN,
            (0, 255),
            "initial score of a chunk between landmarks; 0: not stored",
            field!(windows, minor_worth, Byte)
        ),
    ];

    /// Returns the constant called `name`.
    ///
    /// # Errors
    /// If there is none; the error suggests the nearest name.
    pub fn named(name: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|constant| constant.name == name);
        found.ok_or_else(|| {
            let names = Self::ALL.map(|constant| constant.name);
            match nearest(name, names) {
                Some(meant) => Error::UnknownConstant {
                    name: name.to_owned(),
                    hint: format!("did you mean {meant}?"),
                },
                None => {
                    let hint = format!("available: {}", names.join(", "));
                    Error::UnknownConstant { name: name.to_owned(), hint }
                }
            }
        })
    }

    /// Returns the value in `settings`, if the constant applies to their method.
    #[must_use]
    pub fn value(&self, settings: &Settings) -> Option<u64> {
        let mut settings = *settings;
        (self.field)(&mut settings).map(|field| field.value())
    }

    /// Sets the value in `settings`.
    ///
    /// # Errors
    /// If the constant does not apply to their method, or the value is out of range.
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
    fn setting_a_constant_changes_nothing_else() {
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
    fn errors_name_the_constant_and_the_remedy() {
        let traced = |name: &str, value: u64, settings: &mut Settings| {
            let constant = Constant::named(name);
            constant.and_then(|constant| constant.set(value, settings)).unwrap_err().to_string()
        };
        let [mut kin, mut paper, _] = all_settings().try_into().unwrap();
        assert_eq!(
            traced("lucky-limt", 4, &mut paper),
            "unknown constant 'lucky-limt'; did you mean lucky-limit?"
        );
        assert!(traced("T", 4, &mut paper).contains("available: bucket, seed, tag-bytes"));
        assert_eq!(
            traced("lucky-limit", 4, &mut kin),
            "lucky-limit only applies to --preset paper --evict lucky"
        );
        assert_eq!(
            traced("lucky-limit", 256, &mut paper),
            "lucky-limit must be between 0 and 255, got 256"
        );
    }
}
