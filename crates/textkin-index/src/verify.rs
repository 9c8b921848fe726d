//! Verification: compares every repeated chunk with its first occurrence, token by token.
//!
//! In: batches with links. Out: the addresses whose link is invalid because two different chunks have the
//! same hash. [`repair`] then gives each of the different chunks its own first occurrence and group. Links
//! to consecutive positions are compared as one run of bytes.

use std::collections::{BTreeMap, BTreeSet};

use textkin_core::Identity;

use crate::array::{Array, Window};
use crate::batch::{Batch, BatchSettings, ChunkBounds};
use crate::chunk_list::FirstOccurrence;
use crate::error::Error;
use crate::record::{Link, LinkKind};
use crate::repeats::Repeats;
use crate::shared::{GroupSize, Groups};

/// Buffers for data on disk: of the current text, and of the first occurrences.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    own: View,
    first: View,
}

#[derive(Debug, Default)]
struct View {
    samples: Window<u32>,
    text: Window<u8>,
    positions: Window<ChunkBounds>,
}

/// A range of `len` chunks from `position` of `batch`, all in one text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkRange {
    pub(crate) batch: usize,
    pub(crate) position: u32,
    pub(crate) len: u32,
}

/// Compares chunks of a collection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Verifier<'a> {
    pub(crate) batches: &'a [Batch],
    pub(crate) settings: BatchSettings,
}

impl Verifier<'_> {
    /// Whether the chunk at `position` is selected; all are if there is no selector.
    pub(crate) fn is_selected(&self, batch: &Batch, position: u32) -> bool {
        !self.settings.selective
            || batch.selected[position as usize / 64] >> (position % 64) & 1 == 1
    }

    /// Whether the chunks of `own` equal those of `first`, one by one.
    pub(crate) fn is_same(
        &self,
        own: ChunkRange,
        first: ChunkRange,
        scratch: &mut Scratch,
    ) -> Result<bool, Error> {
        match (self.settings.identity, self.settings.overlapping_words) {
            (Identity::Hash, _) => Ok(true),
            (Identity::Bytes, Some(k)) => self.is_same_words(own, first, k, scratch),
            (Identity::Bytes, None) => self.is_same_chunks(own, first, scratch),
        }
    }

    fn is_same_words(
        &self,
        own: ChunkRange,
        first: ChunkRange,
        k: u32,
        scratch: &mut Scratch,
    ) -> Result<bool, Error> {
        let (own_batch, first_batch) = (&self.batches[own.batch], &self.batches[first.batch]);
        let own_text = own_batch.text_of(own.position);
        let first_text = first_batch.text_of(first.position);
        let (own_entry, first_position) =
            (own_batch.texts[own_text], first_batch.texts[first_text]);
        let width = k.min(first_position.tokens);
        if width != k.min(own_entry.tokens) {
            return Ok(false);
        }
        let token = first.position - first_position.chunk;
        let Scratch { own: own_view, first: view } = scratch;
        let start =
            first_batch.token_start(first_text, token, &mut view.samples, &mut view.text)?;
        let past = token + first.len - 1 + width;
        let end = if past == first_position.tokens {
            first_batch.text_end(first_text)
        } else {
            first_batch.token_start(first_text, past, &mut view.samples, &mut view.text)?
        };
        let own_token = own.position - own_entry.chunk;
        let own_start = own_batch.token_start(
            own_text,
            own_token,
            &mut own_view.samples,
            &mut own_view.text,
        )?;
        let own_end = own_start + (end - start);
        if own_end > own_batch.text_end(own_text) {
            return Ok(false);
        }
        let expected = first_batch.text.read(start as usize..end as usize, &mut view.text)?;
        let found =
            own_batch.text.read(own_start as usize..own_end as usize, &mut own_view.text)?;
        Ok(expected == found)
    }

    fn is_same_chunks(
        &self,
        own: ChunkRange,
        first: ChunkRange,
        scratch: &mut Scratch,
    ) -> Result<bool, Error> {
        for offset in 0..own.len {
            let expected = self.chunk(first.batch, first.position + offset, &mut scratch.first)?;
            let found = self.chunk(own.batch, own.position + offset, &mut scratch.own)?;
            if expected != found {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The bytes of a chunk whose bounds are stored.
    fn chunk<'a>(
        &'a self,
        batch: usize,
        position: u32,
        view: &'a mut View,
    ) -> Result<&'a [u8], Error> {
        let batch = &self.batches[batch];
        let text = batch.texts[batch.text_of(position)].start as usize;
        let chunk = batch
            .chunk_bounds
            .read(position as usize..position as usize + 1, &mut view.positions)?[0];
        batch.text.read(text + chunk.start as usize..text + chunk.end as usize, &mut view.text)
    }

    /// The normalized words of a chunk, with separators between them.
    pub(crate) fn words<'a>(
        &'a self,
        batch: usize,
        position: u32,
        scratch: &'a mut Scratch,
    ) -> Result<&'a [u8], Error> {
        let view = &mut scratch.own;
        let Some(k) = self.settings.overlapping_words else {
            return self.chunk(batch, position, view);
        };
        let batch = &self.batches[batch];
        let text = batch.text_of(position);
        let first = position - batch.texts[text].chunk;
        let start = batch.token_start(text, first, &mut view.samples, &mut view.text)?;
        let past = first.saturating_add(k);
        let end = if past >= batch.texts[text].tokens {
            batch.text_end(text)
        } else {
            batch.token_start(text, past, &mut view.samples, &mut view.text)?
        };
        let words = batch.text.read(start as usize..end as usize, &mut view.text)?;
        Ok(words.strip_suffix(&[textkin_core::Tokens::SEPARATOR]).unwrap_or(words))
    }

    /// The bytes of any chunk.
    fn any_chunk(&self, batch: usize, position: u32) -> Result<Vec<u8>, Error> {
        let Some(k) = self.settings.overlapping_words else {
            return Ok(self.chunk(batch, position, &mut View::default())?.to_vec());
        };
        let batch = &self.batches[batch];
        let text = batch.text_of(position);
        let bytes = batch.text_bytes(text, &mut Window::default())?.to_vec();
        let first = (position - batch.texts[text].chunk) as usize;
        let tokens = bytes.split(|&byte| byte == textkin_core::Tokens::SEPARATOR);
        let chunk: Vec<&[u8]> =
            tokens.filter(|token| !token.is_empty()).skip(first).take(k as usize).collect();
        Ok(chunk.join(&textkin_core::Tokens::SEPARATOR))
    }
}

/// Address of a chunk: its batch and its position there.
pub(crate) type ChunkAddress = (u32, u32);

/// Separates the chunks that share a hash with a chunk at one of the addresses `invalid`, whose links
/// failed verification.
///
/// Cost: one pass over all links, and the comparison of the affected chunks.
pub(crate) fn repair(
    batches: &mut [Batch],
    settings: BatchSettings,
    first_texts: &[u32],
    invalid: &[ChunkAddress],
    groups: &mut Groups,
    repeats: &mut Repeats,
) -> Result<(), Error> {
    let mut links = Vec::with_capacity(batches.len());
    for batch in batches.iter() {
        links.push(batch.links.read_all(&mut Window::default())?.to_vec());
    }
    let mut firsts: BTreeSet<ChunkAddress> = BTreeSet::new();
    for &(batch, position) in invalid {
        if let LinkKind::Later { batch, position } = links[batch as usize][position as usize].kind()
        {
            firsts.insert((batch, position));
        }
    }
    let occurrences_of = occurrences_of(&links, &firsts);
    let first_occurrences = repeats
        .first_occurrences
        .iter()
        .map(|occurrence| ((occurrence.batch, occurrence.position), occurrence.hash));
    let hashes: BTreeMap<ChunkAddress, u64> =
        first_occurrences.filter(|(position, _)| firsts.contains(position)).collect();
    // The separated chunks get a table of their own.
    let table = groups.numbers.len() as u16;
    let mut numbers = Vec::new();
    for (first, positions) in occurrences_of {
        if let LinkKind::First { group: Some(group) } =
            links[first.0 as usize][first.1 as usize].kind()
        {
            let number = groups.number(group);
            groups.sizes[number as usize].n_chunks -= 1;
        }
        uncount(&positions, batches, first_texts, repeats);
        let mut classes: BTreeMap<Vec<u8>, Vec<ChunkAddress>> = BTreeMap::new();
        let verifier = Verifier { batches, settings };
        for position in positions {
            classes
                .entry(verifier.any_chunk(position.0 as usize, position.1)?)
                .or_default()
                .push(position);
        }
        for positions in classes.into_values() {
            let texts = count_texts(&positions, batches, first_texts, repeats);
            repeats.distinct += 1;
            let link = if positions.len() == 1 {
                Link::UNIQUE
            } else if texts == 1 {
                Link::first_unshared()
            } else {
                numbers.push(groups.sizes.len() as u32);
                groups.sizes.push(GroupSize { n_texts: texts, n_chunks: 1 });
                Link::first(table, numbers.len() as u32 - 1)
            };
            let later = Link::later(positions[0].0, positions[0].1);
            if let Some(&hash) = hashes.get(&first).filter(|_| positions[0] != first) {
                repeats.first_occurrences.push(FirstOccurrence {
                    batch: positions[0].0,
                    position: positions[0].1,
                    hash,
                });
            }
            for (index, &(batch, position)) in positions.iter().enumerate() {
                links[batch as usize][position as usize] = if index == 0 { link } else { later };
            }
        }
    }
    groups.numbers.push(numbers);
    for (batch, links) in batches.iter_mut().zip(links) {
        batch.links = Array::Memory(links);
    }
    Ok(())
}

/// All occurrences of the chunks whose first occurrence is one of `firsts`.
fn occurrences_of(
    links: &[Vec<Link>],
    firsts: &BTreeSet<ChunkAddress>,
) -> BTreeMap<ChunkAddress, Vec<ChunkAddress>> {
    let mut occurrences_of: BTreeMap<ChunkAddress, Vec<ChunkAddress>> = BTreeMap::new();
    for (batch, links) in links.iter().enumerate() {
        for (position, link) in links.iter().enumerate() {
            let own = (batch as u32, position as u32);
            let first = match link.kind() {
                LinkKind::Later { batch, position } => (batch, position),
                LinkKind::First { .. } => own,
                LinkKind::Unique => continue,
            };
            if firsts.contains(&first) {
                occurrences_of.entry(first).or_default().push(own);
            }
        }
    }
    occurrences_of
}

/// Reverts the counts of a hash that several chunks share.
fn uncount(
    positions: &[ChunkAddress],
    batches: &[Batch],
    first_texts: &[u32],
    repeats: &mut Repeats,
) {
    repeats.distinct -= 1;
    let mut last = None;
    for &position in positions {
        let text = text_of(position, batches, first_texts);
        if last == Some(text) {
            repeats.within_text[text as usize] -= 1;
        }
        last = Some(text);
    }
}

/// Number of texts that contain `positions`; also counts the repeats within each text.
fn count_texts(
    positions: &[ChunkAddress],
    batches: &[Batch],
    first_texts: &[u32],
    repeats: &mut Repeats,
) -> u32 {
    let mut last = None;
    let mut texts = 0;
    for &position in positions {
        let text = text_of(position, batches, first_texts);
        if last == Some(text) {
            repeats.within_text[text as usize] += 1;
        } else {
            texts += 1;
        }
        last = Some(text);
    }
    texts
}

fn text_of((batch, position): ChunkAddress, batches: &[Batch], first_texts: &[u32]) -> u32 {
    first_texts[batch as usize] + batches[batch as usize].text_of(position) as u32
}
