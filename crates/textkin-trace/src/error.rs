//! What can go wrong: settings that fit no table, and state that is not ours.

use std::io;

/// Why a tracer could not be made, saved or loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Not even one bucket fits.
    #[error(
        "a table of {memory} bytes is too small: one bucket of {slots} slots takes {bucket} bytes"
    )]
    TooSmall {
        /// Bytes that were given.
        memory: u64,
        /// Bytes of one bucket.
        bucket: u64,
        /// Slots of one bucket.
        slots: u64,
    },
    /// More than this machine can address or give.
    #[error("there is no memory for a table of {memory} bytes")]
    TooLarge {
        /// Bytes that were given.
        memory: u64,
    },
    /// A setting out of its range.
    #[error("{name} of {value} is not possible; it is {expected}")]
    Setting {
        /// Which.
        name: &'static str,
        /// What was given.
        value: u64,
        /// The range.
        expected: &'static str,
    },
    /// A constant that there is not.
    #[error("there is no constant '{name}'; {hint}")]
    UnknownConstant {
        /// The name.
        name: String,
        /// What was meant, or which there are.
        hint: String,
    },
    /// A constant of something else.
    #[error("{name} only applies to {applies_to}")]
    ConstantNotApplicable {
        /// Which.
        name: &'static str,
        /// What it belongs to.
        applies_to: &'static str,
    },
    /// A constant out of its range.
    #[error("{name} must be between {min} and {max}, got {value}")]
    ConstantOutOfRange {
        /// Which.
        name: &'static str,
        /// What was given.
        value: u64,
        /// Minimum value.
        min: u64,
        /// Maximum value.
        max: u64,
    },
    /// A name that stands for nothing.
    #[error("no {kind} '{name}'; there are {known}")]
    Unknown {
        /// What was named.
        kind: &'static str,
        /// The name.
        name: String,
        /// Names there are.
        known: String,
    },
    /// State could not be read or written.
    #[error("cannot read or write the state of a trace")]
    Io(#[from] io::Error),
    /// The bytes are not a state at all.
    #[error("this is not the state of a trace")]
    NotATraceState,
    /// A state of another version of the format.
    #[error("a state of version {found} cannot be read by this program, which reads {expected}")]
    Version {
        /// In the state.
        found: u32,
        /// What is read here.
        expected: u32,
    },
    /// A state made with other settings.
    #[error("the state was made with {name} {found}, and {expected} is asked for")]
    SettingsMismatch {
        /// Which setting.
        name: String,
        /// In the state.
        found: String,
        /// In the settings given.
        expected: String,
    },
    /// Bytes were lost or changed.
    #[error("the state is damaged: {0}")]
    Corrupt(&'static str),
}
