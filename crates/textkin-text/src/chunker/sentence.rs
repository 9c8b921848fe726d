//! `sentence`: each sentence is one chunk.
//!
//! In: tokens with their structure. Out: one chunk per sentence, in order; without structure the
//! document is one sentence.
//! Guarantee: the chunks partition the tokens.
//! COPS (Brin, Davis and Garcia-Molina 1995), as described by Shivakumar and Garcia-Molina (1996).

use std::ops::Range;

use textkin_core::hash::HashKind;
use textkin_core::{Chunk, Chunker, Tokens};

use super::chunk_of_run;

/// Each sentence.
#[derive(Clone, Copy, Debug)]
pub struct Sentences {
    /// Hash function of chunks.
    pub hash: HashKind,
}

impl Chunker for Sentences {
    fn chunk(&self, tokens: &Tokens, chunks: &mut Vec<Chunk>) {
        let sentences = runs(tokens.sentences(), tokens.len());
        chunks.extend(sentences.map(|run| chunk_of_run(tokens, run, self.hash)));
    }

    fn needs_structure(&self) -> bool {
        true
    }
}

/// Returns the runs of tokens that begin at `starts` (ascending) and cover `0..n_tokens`; tokens before the
/// first start are a separate run.
pub(crate) fn runs(starts: &[u32], n_tokens: usize) -> impl Iterator<Item = Range<usize>> {
    let later = starts.iter().map(|&start| start as usize).filter(|&start| start > 0);
    let ends = later.clone().chain([n_tokens]);
    let runs = [0].into_iter().chain(later).zip(ends).map(|(start, end)| start..end);
    runs.filter(|run| !run.is_empty())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use textkin_core::{Layers, Span};

    use super::*;
    use crate::chunker::testing::{any_text, chunks, coverage, texts, tokens};

    const SENTENCES: Sentences = Sentences { hash: HashKind::Polynomial };

    #[test]
    fn each_sentence_is_a_chunk() {
        let tokens = tokens("It rained. We stayed in.\nThen it stopped.");
        assert_eq!(texts(&SENTENCES, &tokens), ["It rained", "We stayed in", "Then it stopped"]);
    }

    #[test]
    fn without_structure_the_document_is_one_sentence() {
        let mut tokens = Tokens::new(Layers::NONE);
        tokens.begin_sentence();
        tokens.push(b"a", Span::default());
        tokens.begin_sentence();
        tokens.push(b"b", Span::default());
        assert_eq!(texts(&SENTENCES, &tokens), ["a b"]);
        assert!(texts(&SENTENCES, &Tokens::default()).is_empty());
    }

    #[test]
    fn tokens_before_the_first_start_are_a_sentence() {
        assert_eq!(runs(&[2, 3], 5).collect::<Vec<_>>(), [0..2, 2..3, 3..5]);
    }

    proptest! {
        #[test]
        fn every_token_is_in_exactly_one_sentence(document in any_text(40)) {
            let tokens = tokens(&document);
            let covered = coverage(tokens.len(), chunks(&SENTENCES, &tokens).into_iter());
            prop_assert!(covered.iter().all(|&times| times == 1));
        }
    }
}
