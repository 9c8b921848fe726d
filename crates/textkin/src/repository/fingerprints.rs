//! Fingerprints: the stored content of a document in a repository without texts.
//!
//! ```text
//! kind (1)  words (number)
//! words of a chunk (number)  hash (8) of each word                                       kind 0
//! chunks, words (numbers)                                                                kind 1
//!   distance of the first word from the previous chunk, words (numbers) of each chunk, hash (8) of
//! each
//!   hash (8) of each distinct word, occurrences (number) of each
//! bytes since the previous word, bytes (numbers) of each word
//! ```
//!
//! Numbers are varints: seven-bit groups, the lowest first. Kind 0 is for documents whose chunks
//! are all runs of the same number of words: the hashes of chunks follow from those of words and
//! would take several times the space.

use textkin_core::chunk::RollingHash;
use textkin_core::{Chunk, Span, StoredChunks, Tokens};

use super::prepare::counted;

const RUNS: u8 = 0;
const CHUNKS: u8 = 1;

/// The fingerprints of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fingerprints {
    /// First word, number of words and hash of each chunk.
    pub(crate) chunks: Vec<(u32, u32, u64)>,
    /// The distinct words and their counts, ascending.
    pub(crate) terms: Vec<(u64, u32)>,
    /// The span of each word in the original text.
    pub(crate) spans: Vec<Span>,
}

/// Encodes the fingerprints of a document: its words with their spans, and its selected chunks.
pub(crate) fn encode(tokens: &Tokens, chunks: &[Chunk], terms: &[(u64, u32)]) -> Vec<u8> {
    let mut out = Vec::new();
    match runs(tokens.hashes(), chunks) {
        Some(k) => {
            out.push(RUNS);
            put(&mut out, tokens.len() as u64);
            put(&mut out, u64::from(k));
            put_hashes(&mut out, tokens.hashes().iter());
        }
        None => {
            out.push(CHUNKS);
            put(&mut out, tokens.len() as u64);
            put(&mut out, chunks.len() as u64);
            put(&mut out, terms.len() as u64);
            let mut before = 0;
            for chunk in chunks {
                put(&mut out, u64::from(chunk.first - before));
                put(&mut out, u64::from(chunk.count));
                before = chunk.first;
            }
            put_hashes(&mut out, chunks.iter().map(|chunk| &chunk.hash));
            put_hashes(&mut out, terms.iter().map(|term| &term.0));
            terms.iter().for_each(|term| put(&mut out, u64::from(term.1)));
        }
    }
    let mut before = 0;
    for span in tokens.spans() {
        put(&mut out, u64::from(span.start.saturating_sub(before)));
        put(&mut out, u64::from(span.end - span.start));
        before = span.end;
    }
    out
}

/// Returns the number of words of a chunk, if the chunks are exactly all runs of that many words.
fn runs(words: &[u64], chunks: &[Chunk]) -> Option<u32> {
    let k = chunks.first()?.count;
    let mut own = chunks.iter();
    let mut is_run = k > 0;
    let mut first = 0;
    RollingHash::new(k.max(1)).hash_all(words, |hash| {
        let is_next = |chunk: &Chunk| (chunk.first, chunk.count, chunk.hash) == (first, k, hash);
        is_run = is_run && own.next().is_some_and(is_next);
        first += 1;
    });
    (is_run && own.next().is_none()).then_some(k)
}

impl Fingerprints {
    /// Decodes the output of [`encode`]; `None` for anything else.
    pub(crate) fn read(content: &[u8]) -> Option<Self> {
        let (&kind, mut rest) = content.split_first()?;
        let n_words = take_count(&mut rest)?;
        let mut read = Self::default();
        match kind {
            RUNS => {
                let k = take_short(&mut rest)?;
                let mut words = take_hashes(&mut rest, n_words)?;
                let mut first = 0;
                RollingHash::new(k.max(1)).hash_all(&words, |hash| {
                    read.chunks.push((first, k, hash));
                    first += 1;
                });
                read.terms = counted(&mut words);
            }
            CHUNKS => {
                let (n_chunks, n_terms) = (take_count(&mut rest)?, take_count(&mut rest)?);
                let mut ranges = Vec::with_capacity(n_chunks.min(rest.len()));
                let mut first = 0u32;
                for _ in 0..n_chunks {
                    first = first.checked_add(take_short(&mut rest)?)?;
                    ranges.push((first, take_short(&mut rest)?));
                }
                let hashes = take_hashes(&mut rest, n_chunks)?;
                let chunk = |((first, count), hash)| (first, count, hash);
                read.chunks = ranges.into_iter().zip(hashes).map(chunk).collect();
                let terms = take_hashes(&mut rest, n_terms)?;
                let term = |hash| Some((hash, take_short(&mut rest)?));
                read.terms = terms.into_iter().map(term).collect::<Option<_>>()?;
            }
            _ => return None,
        }
        let mut before = 0u32;
        for _ in 0..n_words {
            let start = before.checked_add(take_short(&mut rest)?)?;
            before = start.checked_add(take_short(&mut rest)?)?;
            read.spans.push(Span { start, end: before });
        }
        rest.is_empty().then_some(read)
    }

    /// Returns the chunks, as a source passes them on.
    pub(crate) fn into_stored_chunks(self) -> StoredChunks<'static> {
        let words = u32::try_from(self.spans.len()).expect("a text is limited to 4 GiB");
        let chunks = self.chunks.into_iter().take_while(|chunk| chunk.0 < words);
        let chunks = chunks.map(|(first, count, hash)| {
            let count = count.clamp(1, words - first);
            Chunk { hash, first, count, start: 0, end: 0 }
        });
        StoredChunks { words, chunks: chunks.collect() }
    }

    /// Returns the hashes of all chunks.
    pub(crate) fn chunk_hashes(&self) -> Vec<u64> {
        self.chunks.iter().map(|chunk| chunk.2).collect()
    }
}

fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    out.push((number & 0x7f) as u8);
}

fn put_hashes<'a>(out: &mut Vec<u8>, hashes: impl Iterator<Item = &'a u64>) {
    hashes.for_each(|hash| out.extend_from_slice(&hash.to_le_bytes()));
}

fn take_short(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0u64;
    for shift in (0..35).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return u32::try_from(number).ok();
        }
    }
    None
}

fn take_count(bytes: &mut &[u8]) -> Option<usize> {
    take_short(bytes).and_then(|count| usize::try_from(count).ok())
}

fn take_hashes(bytes: &mut &[u8], n: usize) -> Option<Vec<u64>> {
    let (hashes, rest) = bytes.split_at_checked(n.checked_mul(8)?)?;
    *bytes = rest;
    let (hashes, _) = hashes.as_chunks::<8>();
    Some(hashes.iter().map(|hash| u64::from_le_bytes(*hash)).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin_core::Layers;

    use super::*;

    /// Returns the tokens of `words`, and the runs of `k` of them that are marked in `kept`.
    fn sample(words: &[u8], k: u32, kept: &[bool]) -> (Tokens, Vec<Chunk>) {
        let mut tokens = Tokens::new(Layers::SPANS);
        for (place, word) in (0u32..).zip(words) {
            let span = Span { start: 7 * place, end: 7 * place + 1 + u32::from(word % 5) };
            tokens.push(word.to_string().as_bytes(), span);
        }
        let mut chunks = Vec::new();
        let count = k.min(u32::try_from(words.len()).expect("few"));
        RollingHash::new(k).hash_all(tokens.hashes(), |hash| {
            let first = u32::try_from(chunks.len()).expect("few");
            chunks.push(Chunk { hash, first, count, start: 0, end: 0 });
        });
        let mut kept = kept.iter();
        chunks.retain(|_| kept.next().copied().unwrap_or(true));
        (tokens, chunks)
    }

    proptest! {
        #[test]
        fn encoded_fingerprints_are_decoded(
            words in prop::collection::vec(0u8..20, 0..60),
            k in 1u32..10,
            kept in prop::collection::vec(any::<bool>(), 0..60),
        ) {
            let (tokens, chunks) = sample(&words, k, &kept);
            let terms = counted(&mut tokens.hashes().to_vec());
            let read = Fingerprints::read(&encode(&tokens, &chunks, &terms)).expect("the encoding is valid");
            let expected: Vec<_> = chunks.iter().map(|chunk| (chunk.first, chunk.count, chunk.hash)).collect();
            prop_assert_eq!(&read.chunks, &expected);
            prop_assert_eq!(&read.terms, &terms);
            prop_assert_eq!(&read.spans[..], tokens.spans());
            let stored = read.into_stored_chunks();
            prop_assert_eq!(stored.words as usize, tokens.len());
            let stored: Vec<_> = stored.chunks.iter().map(|chunk| (chunk.first, chunk.count, chunk.hash)).collect();
            prop_assert_eq!(stored, expected);
        }

        #[test]
        fn any_bytes_can_be_decoded(kind in 0u8..3, bytes: Vec<u8>) {
            let mut content = vec![kind];
            content.extend(bytes);
            if let Some(read) = Fingerprints::read(&content) {
                let stored = read.into_stored_chunks();
                let mut chunks = stored.chunks.iter();
                prop_assert!(chunks.all(|chunk| chunk.count > 0 && chunk.first + chunk.count <= stored.words));
            }
        }
    }
}
