//! The stored form of match sets and comparisons: a version, then numbers of variable length, and all of
//! it compressed.
//!
//! A record of another version, or one that is damaged, is an error, never a panic.

use textkin::engine::types::Span;

use crate::domain::RepositoryId;
use crate::error::Error;

/// The version of the stored form.
const VERSION: u64 = 2;

/// Encodes a record.
#[derive(Debug)]
pub(crate) struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    pub(crate) fn new() -> Self {
        let mut encoder = Self { bytes: Vec::new() };
        encoder.number(VERSION);
        encoder
    }

    /// Adds a number: seven bits per byte, the lowest first.
    #[expect(clippy::cast_possible_truncation, reason = "seven bits are taken at a time")]
    pub(crate) fn number(&mut self, number: impl Into<u64>) {
        let mut rest: u64 = number.into();
        while rest >= 0x80 {
            self.bytes.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        self.bytes.push(rest as u8);
    }

    pub(crate) fn span(&mut self, span: Span) {
        self.number(span.start);
        self.number(span.end.saturating_sub(span.start));
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    /// Adds a list: its length, then each item.
    pub(crate) fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.number(items.len() as u64);
        for value in items {
            item(self, value);
        }
    }

    /// Returns the record, compressed.
    pub(crate) fn finish(self) -> Result<Vec<u8>, Error> {
        Ok(zstd::bulk::compress(&self.bytes, 1)?)
    }
}

/// Decodes a record.
#[derive(Debug)]
pub(crate) struct Decoder {
    bytes: Vec<u8>,
    at: usize,
}

fn corrupt(what: &str) -> Error {
    Error::Invalid(format!("the stored matches of a result are damaged ({what}); recalculate it"))
}

impl Decoder {
    /// Starts to decode a record.
    ///
    /// # Errors
    /// If it is damaged, or of another version.
    pub(crate) fn new(packed: &[u8]) -> Result<Self, Error> {
        let bytes = zstd::stream::decode_all(packed).map_err(|_| corrupt("compression"))?;
        let mut decoder = Self { bytes, at: 0 };
        match decoder.number::<u64>()? {
            VERSION => Ok(decoder),
            other => Err(corrupt(&format!("version {other}"))),
        }
    }

    pub(crate) fn number<T: TryFrom<u64>>(&mut self) -> Result<T, Error> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = *self.bytes.get(self.at).ok_or_else(|| corrupt("too short"))?;
            self.at += 1;
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return T::try_from(number).map_err(|_| corrupt("number"));
            }
        }
        Err(corrupt("number"))
    }

    pub(crate) fn repository(&mut self) -> Result<RepositoryId, Error> {
        RepositoryId::new(self.number()?).ok_or_else(|| corrupt("repository"))
    }

    pub(crate) fn flag(&mut self) -> Result<bool, Error> {
        Ok(self.number::<u8>()? != 0)
    }

    pub(crate) fn span(&mut self) -> Result<Span, Error> {
        let (start, length): (u32, u32) = (self.number()?, self.number()?);
        let end = start.checked_add(length).ok_or_else(|| corrupt("span"))?;
        Ok(Span::new(start, end))
    }

    pub(crate) fn text(&mut self) -> Result<String, Error> {
        let length: usize = self.number()?;
        let end = self.at.checked_add(length).ok_or_else(|| corrupt("text"))?;
        let bytes = self.bytes.get(self.at..end).ok_or_else(|| corrupt("text"))?;
        self.at = end;
        String::from_utf8(bytes.to_vec()).map_err(|_| corrupt("text"))
    }

    pub(crate) fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let length: usize = self.number()?;
        // Each item has at least one byte, so a damaged length reserves no more than the record has.
        let mut items = Vec::with_capacity(length.min(self.bytes.len() - self.at));
        for _ in 0..length {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// # Errors
    /// If the record goes on.
    pub(crate) fn finish(self) -> Result<(), Error> {
        match self.at == self.bytes.len() {
            true => Ok(()),
            false => Err(corrupt("too long")),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn records_are_decoded_as_they_were_encoded(
            numbers in proptest::collection::vec(any::<u64>(), 0..20),
            texts in proptest::collection::vec(".*", 0..4),
            cut in any::<usize>(),
        ) {
            let mut encoder = Encoder::new();
            encoder.list(&numbers, |encoder, number| encoder.number(*number));
            encoder.list(&texts, |encoder, text| encoder.text(text));
            let packed = encoder.finish().unwrap();
            let mut decoder = Decoder::new(&packed).unwrap();
            prop_assert_eq!(decoder.list(|decoder| decoder.number::<u64>()).unwrap(), numbers);
            prop_assert_eq!(decoder.list(Decoder::text).unwrap(), texts);
            decoder.finish().unwrap();
            // A damaged record is an error.
            prop_assert!(Decoder::new(&packed[..cut % packed.len()]).is_err());
        }

        #[test]
        fn no_bytes_make_the_decoder_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let mut decoder = Decoder { bytes, at: 0 };
            let _ = decoder.list(|decoder| Ok((decoder.span()?, decoder.text()?)));
        }
    }
}
