//! Errors: settings that do not fit a table, and states that cannot be loaded.

use std::io;

/// Error while creating, saving or loading a tracer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The memory does not hold a single bucket.
    #[error(
        "a table of {memory} bytes is too small: one bucket of {slots} slots needs {bucket} bytes"
    )]
    TooSmall {
        /// Requested bytes.
        memory: u64,
        /// Bytes per bucket.
        bucket: u64,
        /// Slots per bucket.
        slots: u64,
    },
    /// The machine cannot provide this much memory.
    #[error("cannot allocate a table of {memory} bytes")]
    TooLarge {
        /// Requested bytes.
        memory: u64,
    },
    /// A setting is out of range.
    #[error("{name} must be {expected}, got {value}")]
    Setting {
        /// Its name.
        name: &'static str,
        /// The value given.
        value: u64,
        /// The allowed values.
        expected: &'static str,
    },
    /// No constant has this name.
    #[error("unknown constant '{name}'; {hint}")]
    UnknownConstant {
        /// The name.
        name: String,
        /// A suggestion, or the available names.
        hint: String,
    },
    /// The constant does not apply to the selected method.
    #[error("{name} only applies to {applies_to}")]
    ConstantNotApplicable {
        /// Its name.
        name: &'static str,
        /// The options it applies to.
        applies_to: &'static str,
    },
    /// The value of a constant is out of range.
    #[error("{name} must be between {min} and {max}, got {value}")]
    ConstantOutOfRange {
        /// Its name.
        name: &'static str,
        /// The value given.
        value: u64,
        /// Minimum value.
        min: u64,
        /// Maximum value.
        max: u64,
    },
    /// No item of this kind has this name.
    #[error("unknown {kind} '{name}'; available: {known}")]
    Unknown {
        /// The kind of item.
        kind: &'static str,
        /// The name.
        name: String,
        /// Available names.
        known: String,
    },
    /// Reading or writing a state failed.
    #[error("cannot read or write the state of a trace")]
    Io(#[from] io::Error),
    /// The bytes are not a trace state.
    #[error("not the state of a trace")]
    NotATraceState,
    /// The state has another format version.
    #[error("unsupported state version {found}; this version of textkin reads version {expected}")]
    Version {
        /// Version of the state.
        found: u32,
        /// Supported version.
        expected: u32,
    },
    /// The state was created with other settings.
    #[error("the state was created with {name} {found}, but {expected} was requested")]
    SettingsMismatch {
        /// Name of the setting.
        name: String,
        /// Value in the state.
        found: String,
        /// Requested value.
        expected: String,
    },
    /// Bytes of the state are missing or changed.
    #[error("the state is corrupt: {0}")]
    Corrupt(&'static str),
}
