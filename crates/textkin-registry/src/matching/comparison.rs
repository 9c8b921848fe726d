//! Comparisons of two texts as they are shown and kept: where the shared text is, on both sides.

use std::sync::{Arc, PoisonError};

use textkin::engine::TextComparison;
use textkin::engine::types::{
    Excluded, Exclusion, Overlap, Passage, Repeat, Segment, SegmentKind, Span, WordSpan,
};

use crate::domain::Actor;
use crate::error::Error;
use crate::matching::codec::{Decoder, Encoder};
use crate::matching::exclusions::{Comparer, ExcludedTexts, Exclusions};
use crate::service::Service;

/// Bytes of two texts together from which their comparison is kept in memory, for the next part of the
/// page. Shorter texts are compared as fast as a cache answers.
const CACHED_BYTES: usize = 1 << 18;
/// The maximum number of comparisons in memory.
const MAX_CACHED: usize = 4;

/// A comparison in memory, with the digest of texts and settings.
pub(crate) type CachedComparison = ([u8; 32], Arc<ComparisonDetails>);

impl Service {
    /// Compares two texts, with the templates and stop phrases of some repositories. Comparisons of long
    /// texts are kept in memory, the latest only.
    ///
    /// # Errors
    /// If the actor may not see a repository.
    pub fn text_comparison(
        &self,
        actor: &Actor,
        exclusions: &Exclusions,
        repositories: &[&str],
        [a, b]: [&str; 2],
    ) -> Result<Arc<ComparisonDetails>, Error> {
        let texts = self.store.read(|read| {
            let resolve = |name: &&str| Self::resolve(read, actor, name);
            let records = repositories.iter().map(resolve).collect::<Result<Vec<_>, _>>()?;
            ExcludedTexts::read(read, exclusions, &records)
        })?;
        let compare = |texts| -> Result<Arc<ComparisonDetails>, Error> {
            let comparison = Comparer::new(exclusions, texts)?.compare(a, b)?;
            Ok(Arc::new(ComparisonDetails::from(&comparison)))
        };
        if a.len() + b.len() < CACHED_BYTES {
            return compare(texts);
        }
        let mut key = blake3::Hasher::new();
        key.update(exclusions.settings_name(&texts).as_bytes());
        for text in [a, b] {
            key.update(blake3::hash(text.as_bytes()).as_bytes());
        }
        let key = *key.finalize().as_bytes();
        let cached = self.comparisons.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, details)) = cached.iter().find(|cached| cached.0 == key) {
            return Ok(Arc::clone(details));
        }
        drop(cached);
        let details = compare(texts)?;
        let mut cached = self.comparisons.lock().unwrap_or_else(PoisonError::into_inner);
        cached.retain(|cached| cached.0 != key);
        if cached.len() >= MAX_CACHED {
            cached.remove(0);
        }
        cached.push((key, Arc::clone(&details)));
        Ok(details)
    }
}

/// A comparison of two texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparisonDetails {
    /// The counts after exclusions.
    pub overlap: Overlap,
    /// The counts without exclusions, if anything is excluded.
    pub raw: Option<Overlap>,
    /// The passages, in the order of the first text.
    pub passages: Vec<Passage>,
    /// The first text.
    pub a: ComparedSide,
    /// The second text.
    pub b: ComparedSide,
}

/// One of two compared texts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparedSide {
    /// Its excluded parts.
    pub excluded: Vec<Excluded>,
    /// Words that match text of the other that is already part of a passage.
    pub repeats: Vec<Repeat>,
    /// Its disguised words.
    pub disguised: Vec<Span>,
    /// What is unusual about it.
    pub notes: Vec<String>,
}

impl From<&TextComparison> for ComparisonDetails {
    fn from(comparison: &TextComparison) -> Self {
        let alignment = &comparison.alignment;
        let notes = |notes: &[textkin::engine::types::Note]| {
            notes.iter().map(ToString::to_string).collect()
        };
        Self {
            overlap: alignment.overlap,
            raw: comparison.raw,
            passages: alignment.passages.clone(),
            a: ComparedSide {
                excluded: comparison.excluded_a.clone(),
                repeats: alignment.repeats_a.clone(),
                disguised: comparison.disguised_a.clone(),
                notes: notes(&comparison.notes_a),
            },
            b: ComparedSide {
                excluded: comparison.excluded_b.clone(),
                repeats: alignment.repeats_b.clone(),
                disguised: comparison.disguised_b.clone(),
                notes: notes(&comparison.notes_b),
            },
        }
    }
}

const KINDS: [SegmentKind; 3] = [SegmentKind::Same, SegmentKind::Kept, SegmentKind::Changed];
const REASONS: [Exclusion; 5] = [
    Exclusion::Quotation,
    Exclusion::Bibliography,
    Exclusion::Template,
    Exclusion::Common,
    Exclusion::Phrase,
];

/// Encodes why words are excluded.
pub(crate) fn encode_reason(encoder: &mut Encoder, reason: Exclusion) {
    let at = REASONS.iter().position(|own| *own == reason).unwrap_or_default();
    encoder.number(at as u64);
}

pub(crate) fn decode_reason(decoder: &mut Decoder) -> Result<Exclusion, Error> {
    let at: usize = decoder.number()?;
    Ok(REASONS.get(at).copied().unwrap_or(Exclusion::Common))
}

impl ComparisonDetails {
    /// Returns the spans of the first text that count as contained.
    pub(crate) fn covered_spans(&self) -> impl Iterator<Item = Span> + '_ {
        let segments = self.passages.iter().flat_map(|passage| &passage.segments);
        let same = segments.filter(|segment| segment.kind == SegmentKind::Same);
        let same = same.map(|segment| segment.a.span);
        same.chain(self.a.repeats.iter().map(|repeat| repeat.here.span))
    }

    /// Returns the stored form.
    pub(crate) fn pack(&self) -> Result<Vec<u8>, Error> {
        let mut encoder = Encoder::new();
        encode_overlap(&mut encoder, &self.overlap);
        encoder.number(self.raw.is_some());
        if let Some(raw) = &self.raw {
            encode_overlap(&mut encoder, raw);
        }
        encoder.list(&self.passages, |encoder, passage| {
            encode_words(encoder, &passage.a);
            encode_words(encoder, &passage.b);
            encoder.number(passage.matched);
            encoder.number(passage.is_moved);
            encoder.list(&passage.segments, |encoder, segment| {
                let kind = KINDS.iter().position(|kind| *kind == segment.kind);
                encoder.number(kind.unwrap_or_default() as u64);
                encode_words(encoder, &segment.a);
                encode_words(encoder, &segment.b);
            });
        });
        for side in [&self.a, &self.b] {
            encoder.list(&side.excluded, |encoder, excluded| {
                encoder.span(excluded.span);
                encode_reason(encoder, excluded.reason);
            });
            encoder.list(&side.repeats, |encoder, repeat| {
                encode_words(encoder, &repeat.here);
                encode_words(encoder, &repeat.there);
            });
            encoder.list(&side.disguised, |encoder, span| encoder.span(*span));
            encoder.list(&side.notes, |encoder, note| encoder.text(note));
        }
        encoder.finish()
    }

    /// Reads the stored form.
    pub(crate) fn unpack(packed: &[u8]) -> Result<Self, Error> {
        let mut decoder = Decoder::new(packed)?;
        let overlap = decode_overlap(&mut decoder)?;
        let raw = match decoder.flag()? {
            true => Some(decode_overlap(&mut decoder)?),
            false => None,
        };
        let passages = decoder.list(|decoder| {
            Ok(Passage {
                a: decode_words(decoder)?,
                b: decode_words(decoder)?,
                matched: decoder.number()?,
                is_moved: decoder.flag()?,
                segments: decoder.list(|decoder| {
                    let kind: usize = decoder.number()?;
                    Ok(Segment {
                        kind: KINDS.get(kind).copied().unwrap_or(SegmentKind::Changed),
                        a: decode_words(decoder)?,
                        b: decode_words(decoder)?,
                    })
                })?,
            })
        })?;
        let mut side = || -> Result<ComparedSide, Error> {
            Ok(ComparedSide {
                excluded: decoder.list(|decoder| {
                    Ok(Excluded { span: decoder.span()?, reason: decode_reason(decoder)? })
                })?,
                repeats: decoder.list(|decoder| {
                    Ok(Repeat { here: decode_words(decoder)?, there: decode_words(decoder)? })
                })?,
                disguised: decoder.list(Decoder::span)?,
                notes: decoder.list(Decoder::text)?,
            })
        };
        let (a, b) = (side()?, side()?);
        decoder.finish()?;
        Ok(Self { overlap, raw, passages, a, b })
    }
}

fn encode_overlap(encoder: &mut Encoder, overlap: &Overlap) {
    let &Overlap {
        shared,
        rarity,
        words_a,
        words_b,
        chunks_a,
        chunks_b,
        covered_a,
        covered_b,
        longest_run,
    } = overlap;
    let counts = [words_a, words_b, chunks_a, chunks_b, covered_a, covered_b, longest_run];
    for number in [shared, rarity.to_bits()].into_iter().chain(counts) {
        encoder.number(number);
    }
}

fn decode_overlap(decoder: &mut Decoder) -> Result<Overlap, Error> {
    Ok(Overlap {
        shared: decoder.number()?,
        rarity: f64::from_bits(decoder.number()?),
        words_a: decoder.number()?,
        words_b: decoder.number()?,
        chunks_a: decoder.number()?,
        chunks_b: decoder.number()?,
        covered_a: decoder.number()?,
        covered_b: decoder.number()?,
        longest_run: decoder.number()?,
    })
}

fn encode_words(encoder: &mut Encoder, words: &WordSpan) {
    encoder.number(words.first);
    encoder.number(words.count);
    encoder.span(words.span);
}

fn decode_words(decoder: &mut Decoder) -> Result<WordSpan, Error> {
    Ok(WordSpan { first: decoder.number()?, count: decoder.number()?, span: decoder.span()? })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin::engine::{Settings, compare};

    use super::*;

    proptest! {
        #[test]
        fn a_kept_comparison_is_the_same(
            a in proptest::collection::vec(0u8..3, 0..60),
            b in proptest::collection::vec(0u8..3, 0..60),
        ) {
            let spell = |words: &[u8]| {
                words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ")
            };
            let comparison = compare(&spell(&a), &spell(&b), &Settings::default(), 5).unwrap();
            let mut details = ComparisonDetails::from(&comparison);
            details.raw = Some(details.overlap);
            details.a.notes.push("a note".to_owned());
            details.b.excluded.push(Excluded { span: Span::new(3, 9), reason: Exclusion::Phrase });
            let packed = details.pack().unwrap();
            prop_assert_eq!(ComparisonDetails::unpack(&packed).unwrap(), details);
        }
    }
}
