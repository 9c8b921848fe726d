//! Parser for the arguments of a strategy, from left to right.
//!
//! In: `8:disjoint`. Out: numbers, variants and files, or an error that names the wrong part.

use std::num::NonZeroU32;

use super::{Error, StrategyHelp};

/// Arguments of a strategy, parsed from left to right.
pub(super) struct StrategyArguments<'a> {
    /// The whole strategy, for errors.
    strategy: &'a str,
    /// Syntax of the strategy, for errors.
    pub(super) syntax: &'static str,
    rest: Option<&'a str>,
}

impl<'a> StrategyArguments<'a> {
    /// Splits a strategy into its name and arguments.
    pub(super) fn split(strategy: &'a str) -> (&'a str, Self) {
        let (name, rest) = match strategy.split_once(':') {
            Some((name, rest)) => (name, Some(rest)),
            None => (strategy, None),
        };
        (name, Self { strategy, syntax: "", rest })
    }

    fn next(&mut self) -> Option<&'a str> {
        let rest = self.rest.take()?;
        let (argument, rest) = match rest.split_once(':') {
            Some((argument, rest)) => (argument, Some(rest)),
            None => (rest, None),
        };
        self.rest = rest;
        Some(argument)
    }

    pub(super) fn number(&mut self, meaning: &'static str) -> Result<NonZeroU32, Error> {
        let missing = self.missing(meaning);
        self.optional_number(meaning)?.ok_or(missing)
    }

    pub(super) fn optional_number(
        &mut self,
        meaning: &'static str,
    ) -> Result<Option<NonZeroU32>, Error> {
        let Some(number) = self.optional_integer(meaning, u64::from(u32::MAX))? else {
            return Ok(None);
        };
        let number = u32::try_from(number).ok().and_then(NonZeroU32::new);
        let zero = || Error::Zero { strategy: self.strategy.to_owned(), argument: meaning };
        number.map(Some).ok_or_else(zero)
    }

    pub(super) fn optional_seed(&mut self) -> Result<Option<u64>, Error> {
        self.optional_integer("the seed", u64::MAX)
    }

    fn optional_integer(&mut self, meaning: &'static str, max: u64) -> Result<Option<u64>, Error> {
        let Some(argument) = self.next() else {
            return Ok(None);
        };
        let strategy = || self.strategy.to_owned();
        if argument.is_empty() {
            return Err(self.missing(meaning));
        }
        if !argument.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(Error::NotANumber { strategy: strategy(), argument: argument.to_owned() });
        }
        let number = argument.parse().ok().filter(|&number| number <= max);
        let too_large = || Error::TooLarge { strategy: strategy(), argument: meaning, max };
        number.map(Some).ok_or_else(too_large)
    }

    /// Returns whether the next argument is the given variant; false without an argument.
    pub(super) fn variant(&mut self, variant: &str) -> Result<bool, Error> {
        match self.next() {
            None => Ok(false),
            Some(found) if found == variant => Ok(true),
            Some(found) => Err(Error::UnknownVariant {
                strategy: self.strategy.to_owned(),
                name: found.to_owned(),
                syntax: self.syntax,
            }),
        }
    }

    /// Returns everything that is left, colons included, as a file name.
    pub(super) fn optional_file(&mut self) -> Result<Option<String>, Error> {
        match self.rest.take() {
            None => Ok(None),
            Some("") => Err(self.missing("the file")),
            Some(file) => Ok(Some(file.replace("++", "+"))),
        }
    }

    pub(super) fn missing(&self, argument: &'static str) -> Error {
        Error::MissingArgument { strategy: self.strategy.to_owned(), argument, syntax: self.syntax }
    }

    /// Returns an error if arguments are left.
    pub(super) fn finish(
        mut self,
        name: &str,
        strategies: &'static [StrategyHelp],
    ) -> Result<(), Error> {
        let Some(extra) = self.next() else {
            return Ok(());
        };
        let plain = strategies.iter().find(|help| help.name == name).map_or("", |help| help.syntax);
        let syntax = if self.syntax.is_empty() { plain } else { self.syntax };
        Err(Error::ExtraArgument {
            strategy: self.strategy.to_owned(),
            extra: extra.to_owned(),
            syntax,
        })
    }
}
