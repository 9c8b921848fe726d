//! Documents for the tests of chunkers and selectors.

use proptest::prelude::*;
use textkin_core::{Chunk, Chunked, Chunker, Layers, Span, Tokens};

/// Returns the words of `text`; `.` ends a sentence and a line break ends a paragraph.
pub(crate) fn tokens(text: &str) -> Tokens {
    let mut tokens = Tokens::new(Layers::ALL);
    for paragraph in text.split('\n') {
        tokens.begin_paragraph();
        for sentence in paragraph.split('.') {
            tokens.begin_sentence();
            for word in sentence.split_whitespace() {
                tokens.push(word.as_bytes(), Span::default());
            }
        }
    }
    tokens
}

/// Returns `n` different words.
pub(crate) fn numbered(n: usize) -> Tokens {
    let mut tokens = Tokens::default();
    for number in 0..n {
        tokens.push(format!("w{number}").as_bytes(), Span::default());
    }
    tokens
}

/// Returns the chunks of `tokens`.
pub(crate) fn chunks(chunker: &dyn Chunker, tokens: &Tokens) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    chunker.chunk(tokens, &mut chunks);
    chunks
}

/// Returns the normalized text of `chunk`.
pub(crate) fn text<'a>(tokens: &'a Tokens, chunk: &Chunk) -> &'a str {
    let bytes = &tokens.normalized()[chunk.start as usize..chunk.end as usize];
    std::str::from_utf8(bytes).unwrap()
}

/// Returns the normalized texts of all chunks of `tokens`.
pub(crate) fn texts(chunker: &dyn Chunker, tokens: &Tokens) -> Vec<String> {
    chunks(chunker, tokens).iter().map(|chunk| text(tokens, chunk).to_owned()).collect()
}

/// Returns the normalized texts of the selected chunks of `document`.
pub(crate) fn selected<'a>(document: &Chunked<'a>, selection: &[u32]) -> Vec<&'a str> {
    let chunk = |&index: &u32| text(document.tokens, &document.chunks[index as usize]);
    selection.iter().map(chunk).collect()
}

/// Texts of up to `n` words from a small vocabulary, with sentences and paragraphs, so that
/// words and runs of words repeat.
pub(crate) fn any_text(n: usize) -> impl Strategy<Value = String> {
    let word = prop::sample::select(vec![
        "a", "rose", "is", "the", "prose", "über", "日本", "x", "street", "plan", ".", "\n",
    ]);
    prop::collection::vec(word, 0..=n).prop_map(|words| words.join(" "))
}

/// Returns how many of `chunks` contain each token.
pub(crate) fn coverage(n_tokens: usize, chunks: impl Iterator<Item = Chunk>) -> Vec<usize> {
    let mut covered = vec![0; n_tokens];
    for chunk in chunks {
        for token in &mut covered[chunk.first as usize..(chunk.first + chunk.count) as usize] {
            *token += 1;
        }
    }
    covered
}
