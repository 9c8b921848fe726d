//! Options of a measurement: names with a number each.

use std::str::FromStr;

use anyhow::{Context, Result, bail};

/// The options that were given.
pub(crate) struct Options<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Options<'a> {
    /// Reads options; all names must be in `known`.
    pub(crate) fn new(arguments: &[&'a str], known: &[&str]) -> Result<Self> {
        let mut options = Vec::new();
        for pair in arguments.chunks(2) {
            match *pair {
                [name, value] if known.contains(&name) => options.push((name, value)),
                [name] if known.contains(&name) => bail!("{name} requires a value"),
                _ => bail!("unknown option '{}'; use {}", pair[0], known.join(", ")),
            }
        }
        Ok(Self(options))
    }

    /// Returns the number of an option.
    pub(crate) fn number<T: FromStr>(&self, name: &str, default: T) -> Result<T> {
        match self.0.iter().find(|(other, _)| *other == name) {
            Some((_, value)) => {
                let number = value.replace([',', '_'], "").parse().ok();
                number.with_context(|| format!("{name} must be a number, got '{value}'"))
            }
            None => Ok(default),
        }
    }
}
