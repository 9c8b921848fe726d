//! What is kept of a document: its text, or hashes that stand for it.
//!
//! Without text there are three lines. The first has a word of its own for every word of the
//! document: the chunks that begin there, as `hash:words` joined by commas, or a full stop. So a
//! document without text is read like one with text, by [`crate::Analyzer`]: its chunks are in its
//! words. The second line has every different word as `hash:count`, the third the place of every
//! word as `bytes since the last:bytes`.

use std::fmt::Write;

use textkin_core::{Chunk, Span, Tokens};

/// Stands for a word with which no chunk begins.
const NO_CHUNK: &str = ".";

/// Writes down a document without its text.
pub(crate) fn without_text(tokens: &Tokens, chunks: &[Chunk], terms: &[(u64, u32)]) -> String {
    let mut out = String::new();
    let mut next = chunks.iter().peekable();
    for word in 0..tokens.len() {
        let mut is_first = true;
        while let Some(chunk) = next.next_if(|chunk| chunk.first as usize == word) {
            let comma = if is_first { "" } else { "," };
            put(&mut out, format_args!("{comma}{:016x}:{}", chunk.hash, chunk.count));
            is_first = false;
        }
        put(&mut out, format_args!("{} ", if is_first { NO_CHUNK } else { "" }));
    }
    out.push('\n');
    for (hash, count) in terms {
        put(&mut out, format_args!("{hash:016x}:{count} "));
    }
    out.push('\n');
    let mut before = 0;
    for span in tokens.spans() {
        put(
            &mut out,
            format_args!("{}:{} ", span.start.saturating_sub(before), span.end - span.start),
        );
        before = span.end;
    }
    out.push('\n');
    out
}

fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    out.write_fmt(text).expect("a string takes all");
}

/// A document without its text, as [`without_text`] wrote it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WithoutText<'a> {
    words: &'a str,
    terms: &'a str,
    spans: &'a str,
}

impl<'a> WithoutText<'a> {
    /// Takes it apart; `None` if it was not written so.
    pub(crate) fn new(evidence: &'a str) -> Option<Self> {
        let mut lines = evidence.split('\n');
        let (words, terms, spans) = (lines.next()?, lines.next()?, lines.next()?);
        (lines.next() == Some("") && lines.next().is_none()).then_some(Self { words, terms, spans })
    }

    /// The different words and their counts.
    pub(crate) fn terms(&self) -> Option<Vec<(u64, u32)>> {
        let term = |term: &str| {
            let (hash, count) = term.split_once(':')?;
            Some((u64::from_str_radix(hash, 16).ok()?, count.parse().ok()?))
        };
        self.terms.split_terminator(' ').map(term).collect()
    }

    /// The hashes of all chunks.
    pub(crate) fn chunks(&self) -> Vec<u64> {
        let words = self.words.split_terminator(' ');
        words.flat_map(chunks_of_word).map(|(hash, _)| hash).collect()
    }

    /// The place of each word in the text that is not kept.
    pub(crate) fn spans(&self) -> Option<Vec<Span>> {
        let mut before = 0u32;
        let span = |span: &str| {
            let (gap, len) = span.split_once(':')?;
            let start = before.checked_add(gap.parse().ok()?)?;
            before = start.checked_add(len.parse().ok()?)?;
            Some(Span { start, end: before })
        };
        self.spans.split_terminator(' ').map(span).collect()
    }

    /// Fills `tokens` with the words that stand for those of the document.
    pub(crate) fn tokenize(&self, tokens: &mut Tokens) {
        tokens.clear();
        for word in self.words.split_terminator(' ').filter(|word| !word.is_empty()) {
            tokens.push(word.as_bytes(), Span { start: 0, end: 0 });
        }
    }
}

/// The chunks of `tokens` that [`WithoutText::tokenize`] made.
pub(crate) fn chunks(tokens: &Tokens, chunks: &mut Vec<Chunk>) {
    for index in 0..tokens.len() {
        let Ok(word) = std::str::from_utf8(tokens.token(index)) else { continue };
        let first = u32::try_from(index).expect("a text is bounded to 4 GiB");
        for (hash, count) in chunks_of_word(word) {
            let last = (index + count as usize).clamp(index + 1, tokens.len());
            let count = u32::try_from(last - index).expect("a text is bounded to 4 GiB");
            let (start, end) = (tokens.start(index), tokens.end(last - 1));
            chunks.push(Chunk { hash, first, count, start, end });
        }
    }
}

fn chunks_of_word(word: &str) -> impl Iterator<Item = (u64, u32)> + '_ {
    word.split(',').filter_map(|chunk| {
        let (hash, count) = chunk.split_once(':')?;
        Some((u64::from_str_radix(hash, 16).ok()?, count.parse().ok()?))
    })
}
