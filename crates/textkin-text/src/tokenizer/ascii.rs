//! Fast path: the words of ASCII text, block by block.
//!
//! The scanner classifies a block of text 64 bytes at a time into a bit mask of word bytes (a loop that compiles
//! to vector code) and lists the edges of the mask. Words of up to 16 bytes are moved by one 16-byte copy and
//! hashed in registers, without branches that depend on their length. `examples/tokenizer_speed.rs` measures
//! the speed.

use textkin_core::chunk::{SHORT_TOKEN, short_token_hash, token_hash};
use textkin_core::{Layers, Span, Tokens};

/// Bytes per block.
const BLOCK: usize = 1024;
/// Bytes per mask, one bit each.
const LANE: usize = 64;
/// Edges are listed in steps of this many, even if fewer are left.
const STEP: usize = 8;

/// Working memory for one text.
#[derive(Debug)]
pub(super) struct AsciiScanner {
    fold: bool,
    /// The block with its letters folded, and room to read [`SHORT_TOKEN`] bytes at its end.
    folded: [u8; BLOCK + SHORT_TOKEN],
    masks: [u64; BLOCK / LANE],
    /// Start and end of each word, in turn.
    edges: [u16; BLOCK + LANE],
    ends: [u32; BLOCK / 2],
    hashes: [u64; BLOCK / 2],
    spans: [Span; BLOCK / 2],
}

/// Result of classifying a block.
struct ScannedBlock {
    /// Bytes processed: words that end up to here can be written.
    len: usize,
    /// Whether a non-ASCII character follows, so that the general path must take over.
    blocked: bool,
}

impl AsciiScanner {
    /// Creates a scanner that folds letters to lower case if `fold` is set.
    pub(super) fn new(fold: bool) -> Self {
        Self {
            fold,
            folded: [0; BLOCK + SHORT_TOKEN],
            masks: [0; BLOCK / LANE],
            edges: [0; BLOCK + LANE],
            ends: [0; BLOCK / 2],
            hashes: [0; BLOCK / 2],
            spans: [Span { start: 0, end: 0 }; BLOCK / 2],
        }
    }

    /// Appends the words of `text` starting at byte `start`, and returns where it stopped: at the end, or
    /// before the first word or character that a non-ASCII character may extend.
    ///
    /// `start` must not lie inside a word. Spans are moved by `offset`.
    pub(super) fn scan(
        &mut self,
        text: &[u8],
        start: usize,
        offset: u32,
        tokens: &mut Tokens,
    ) -> usize {
        let mut start = start;
        while start < text.len() {
            let rest = &text[start..];
            let block =
                if self.fold { self.classify::<true>(rest) } else { self.classify::<false>(rest) };
            let at = offset + as_u32(start);
            let Layers { spans, hashes_only, .. } = tokens.layers();
            match (spans, hashes_only) {
                (_, true) => self.hash(block.len, at, tokens),
                (true, false) => self.write::<true>(block.len, at, tokens),
                (false, false) => self.write::<false>(block.len, at, tokens),
            }
            start += block.len;
            if block.blocked {
                return start;
            }
            if block.len == 0 {
                let (end, blocked) = self.long_word(text, start, offset, tokens);
                if blocked {
                    return start;
                }
                start = end;
            }
        }
        start
    }

    /// Fills `folded` and `masks` from the head of `rest` and decides how much of it can be
    /// written now: nothing if one word fills the block.
    fn classify<const FOLD: bool>(&mut self, rest: &[u8]) -> ScannedBlock {
        let rest_len = rest.len();
        let rest = &rest[..rest_len.min(BLOCK)];
        let lanes = self.folded.chunks_exact_mut(LANE).zip(&mut self.masks);
        for (index, (folded, mask)) in lanes.enumerate() {
            let Ok(folded) = <&mut [u8; LANE]>::try_from(folded) else {
                break;
            };
            let lane = rest.get(index * LANE..).unwrap_or_default();
            let high = if let Some(lane) = lane.first_chunk::<LANE>() {
                classify_lane::<FOLD>(lane, folded, mask)
            } else {
                let mut padded = [0; LANE];
                padded[..lane.len()].copy_from_slice(lane);
                classify_lane::<FOLD>(&padded, folded, mask)
            };
            if high {
                let before = lane.iter().take_while(|byte| byte.is_ascii()).count();
                let len = before_cluster(rest, index * LANE + before);
                return ScannedBlock { len, blocked: true };
            }
            if lane.len() < LANE {
                break;
            }
        }
        if rest_len <= BLOCK {
            return ScannedBlock { len: rest_len, blocked: false };
        }
        // The last byte outside a word goes to the next block: a combining mark may follow it.
        let last = rest.iter().rposition(|&byte| !byte.is_ascii_alphanumeric());
        ScannedBlock { len: last.unwrap_or(0), blocked: false }
    }

    /// Appends the words in the first `len` bytes of the block, which begins at `at`.
    fn write<const SPANS: bool>(&mut self, len: usize, at: u32, tokens: &mut Tokens) {
        let n_edges = self.list_edges(len);
        let buffer = tokens.buffer();
        let base = buffer.len();
        // Each word takes its length and a separator, so at most one byte more than the block.
        buffer.resize(base + len + 1 + SHORT_TOKEN, 0);
        let normalized_at = as_u32(base);
        assert!(u32::try_from(buffer.len()).is_ok(), "texts are limited to 4 GiB");
        let out = &mut buffer[base..];
        let mut end = 0;
        let mut n_tokens = 0;
        let edges = self.edges[..n_edges].as_chunks::<2>().0;
        let slots = self.ends.iter_mut().zip(&mut self.hashes).zip(&mut self.spans);
        for (&[first, last], ((end_slot, hash_slot), span_slot)) in edges.iter().zip(slots) {
            let (first, last) = (usize::from(first), usize::from(last));
            let len = last - first;
            let head = self.folded.get(first..).and_then(|tail| tail.first_chunk());
            let head: &[u8; SHORT_TOKEN] = head.unwrap_or(&[0; SHORT_TOKEN]);
            *hash_slot = if len <= SHORT_TOKEN {
                out[end..end + SHORT_TOKEN].copy_from_slice(head);
                short_token_hash(u128::from_le_bytes(*head) & MASKS[len], len)
            } else {
                let word = &self.folded[first..last];
                out[end..end + len].copy_from_slice(word);
                token_hash(word)
            };
            end += len;
            out[end] = Tokens::SEPARATOR;
            *end_slot = normalized_at + as_u32(end);
            end += 1;
            if SPANS {
                *span_slot = Span { start: at + as_u32(first), end: at + as_u32(last) };
            }
            n_tokens += 1;
        }
        buffer.truncate(base + end);
        let spans = if SPANS { &self.spans[..n_tokens] } else { &[] };
        tokens.extend_written(&self.ends[..n_tokens], &self.hashes[..n_tokens], spans);
    }

    /// Appends only the hashes and spans of the words in the first `len` bytes of the block.
    fn hash(&mut self, len: usize, at: u32, tokens: &mut Tokens) {
        let n_edges = self.list_edges(len);
        let words = self.edges[..n_edges].as_chunks::<2>().0.iter();
        let folded = &self.folded;
        let hashes = words.clone().map(|&[first, last]| {
            let (first, last) = (usize::from(first), usize::from(last));
            let len = last - first;
            if len > SHORT_TOKEN {
                return token_hash(&folded[first..last]);
            }
            let head = folded.get(first..).and_then(|tail| tail.first_chunk());
            let head: &[u8; SHORT_TOKEN] = head.unwrap_or(&[0; SHORT_TOKEN]);
            short_token_hash(u128::from_le_bytes(*head) & MASKS[len], len)
        });
        let span = |&[first, last]: &[u16; 2]| Span {
            start: at + u32::from(first),
            end: at + u32::from(last),
        };
        tokens.extend_hashed(hashes, words.map(span));
    }

    /// Lists starts and ends of the words in the first `len` bytes; an even number of edges.
    fn list_edges(&mut self, len: usize) -> usize {
        let mut n_edges = 0;
        let mut inside = 0;
        for (lane, &mask) in self.masks[..len.div_ceil(LANE)].iter().enumerate() {
            let left = len - lane * LANE;
            let mask = if left < LANE { mask & !(u64::MAX << left) } else { mask };
            let mut edges = mask ^ (mask << 1 | inside);
            inside = mask >> (LANE - 1);
            let base = as_u16(lane * LANE);
            let mut n_left = edges.count_ones() as usize;
            let mut slot = n_edges;
            n_edges += n_left;
            while n_left > 0 {
                for slot in &mut self.edges[slot..slot + STEP] {
                    *slot = base + as_u16(edges.trailing_zeros() as usize);
                    edges &= edges.wrapping_sub(1);
                }
                slot += STEP;
                n_left = n_left.saturating_sub(STEP);
            }
        }
        if inside == 1 {
            self.edges[n_edges] = as_u16(len);
            n_edges += 1;
        }
        n_edges
    }

    /// Appends the word that begins at `start` or one byte later and fills a block. Returns its end, and whether
    /// a non-ASCII character follows (in which case nothing was appended).
    fn long_word(
        &self,
        text: &[u8],
        start: usize,
        offset: u32,
        tokens: &mut Tokens,
    ) -> (usize, bool) {
        let first = start + usize::from(!text[start].is_ascii_alphanumeric());
        let len = text[first..].iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let end = first + len;
        if text.get(end).is_some_and(|byte| !byte.is_ascii()) {
            return (end, true);
        }
        let buffer = tokens.buffer();
        let from = buffer.len();
        buffer.extend_from_slice(&text[first..end]);
        if self.fold {
            buffer[from..].make_ascii_lowercase();
        }
        let hash = token_hash(&buffer[from..]);
        tokens.finish_token(hash, Span::new(offset + as_u32(first), offset + as_u32(end)));
        (end, false)
    }
}

/// Folds a lane and marks its word bytes, byte 0 in the lowest bit. Returns whether any byte is not ASCII.
#[inline]
fn classify_lane<const FOLD: bool>(
    lane: &[u8; LANE],
    folded: &mut [u8; LANE],
    mask: &mut u64,
) -> bool {
    let mut flags = [0u8; LANE];
    let mut seen = 0;
    for ((&byte, folded), flag) in lane.iter().zip(folded).zip(&mut flags) {
        let is_upper = byte.wrapping_sub(b'A') < 26;
        let is_letter = (byte | 0x20).wrapping_sub(b'a') < 26;
        let is_digit = byte.wrapping_sub(b'0') < 10;
        *folded = if FOLD && is_upper { byte | 0x20 } else { byte };
        *flag = u8::from(is_letter | is_digit);
        seen |= byte;
    }
    *mask = 0;
    for (index, flags) in flags.as_chunks::<8>().0.iter().enumerate() {
        // Moves the lowest bit of byte i to bit 56 + i; no two products meet in one bit.
        let bits = u64::from_le_bytes(*flags).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        *mask |= bits << (8 * index);
    }
    !seen.is_ascii()
}

/// Returns the first byte that the general path must process because of the character at `at`: the word that
/// ends there, or the single character before it, which a combining mark may extend.
fn before_cluster(block: &[u8], at: usize) -> usize {
    let before = &block[..at];
    let word = before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    at.saturating_sub(word.max(1))
}

/// `MASKS[len]` keeps the lowest `len` bytes.
const MASKS: [u128; SHORT_TOKEN + 1] = {
    let mut masks = [u128::MAX; SHORT_TOKEN + 1];
    let mut len = 0;
    while len < SHORT_TOKEN {
        masks[len] = !(u128::MAX << (8 * len));
        len += 1;
    }
    masks
};

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "texts are limited to 4 GiB, checked per text")]
fn as_u32(offset: usize) -> u32 {
    offset as u32
}

#[inline]
#[expect(clippy::cast_possible_truncation, reason = "an offset in a block")]
fn as_u16(offset: usize) -> u16 {
    offset as u16
}
