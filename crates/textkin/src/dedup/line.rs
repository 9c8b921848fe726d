//! Lines that stand in a text that was walked before, or earlier in the same.
//!
//! In: texts, one after the other. Out: the lines that go out of each. Lines are the same if their
//! words are; they are told by 128 bits of a digest. Where a line goes between blank lines, these
//! become one.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;
use textkin_core::{Layers, Span, Tokenizer, Tokens};
use textkin_text::tokenizer::WordTokenizer;

use super::cut::Cuts;
use super::passage::same_words;
use super::walk::Cutter;
use super::{Place, Removal};
use crate::error::Error;
use crate::settings::Settings;

/// Where a line stays.
#[derive(Clone, Copy, Debug)]
struct Origin {
    document: u32,
    line: u32,
}

/// Cuts lines.
pub(super) struct LineCutter {
    tokenizer: WordTokenizer,
    tokens: Tokens,
    min_words: usize,
    known: HashMap<u128, Origin>,
}

impl LineCutter {
    pub(super) fn new(settings: &Settings, min_words: usize) -> Result<Self, Error> {
        Ok(Self {
            tokenizer: same_words(settings)?,
            tokens: Tokens::new(Layers::NONE),
            min_words,
            known: HashMap::new(),
        })
    }

    fn tokenize(&mut self, line: &str) -> u32 {
        self.tokenizer.tokenize(line, &mut self.tokens);
        u32::try_from(self.tokens.len()).expect("a text is bounded to 4 GiB")
    }

    /// Where the line at hand stays; if it is new, at `origin`, and `None` is given.
    fn find_or_add(&mut self, origin: Origin) -> Option<Origin> {
        let digest = blake3::hash(self.tokens.normalized());
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&digest.as_bytes()[..16]);
        match self.known.entry(u128::from_le_bytes(bytes)) {
            Entry::Occupied(known) => Some(*known.get()),
            Entry::Vacant(vacant) => {
                vacant.insert(origin);
                None
            }
        }
    }
}

impl Cutter for LineCutter {
    fn words(&mut self, text: &str) -> u32 {
        text.split_inclusive('\n').map(|line| self.tokenize(line)).sum()
    }

    fn cut(&mut self, document: u32, text: &str, removed: &mut Vec<Removal>) -> Cuts {
        let mut cuts = Cuts::default();
        let (mut at, mut word, mut n_kept) = (0u32, 0u32, 0u32);
        let (mut is_after_cut, mut is_after_blank) = (false, true);
        for line in text.split_inclusive('\n') {
            let length = u32::try_from(line.len()).expect("a text is bounded to 4 GiB");
            let span = Span::new(at, at + length);
            at = span.end;
            if line.trim().is_empty() {
                if is_after_cut && is_after_blank {
                    cuts.insert(span);
                } else {
                    n_kept += 1;
                    is_after_blank = true;
                }
                continue;
            }
            let words = self.tokenize(line);
            let first_word = word;
            word += words;
            let origin = Origin { document, line: n_kept };
            let is_long = words as usize >= self.min_words;
            let known = if is_long { self.find_or_add(origin) } else { None };
            match known {
                Some(known) => {
                    cuts.insert(span);
                    is_after_cut = true;
                    removed.push(Removal {
                        document,
                        duplicate_of: known.document,
                        score: 1.0,
                        words,
                        place: Some(Place { span, word: first_word, stays_at: known.line }),
                    });
                }
                None => {
                    n_kept += 1;
                    (is_after_cut, is_after_blank) = (false, false);
                }
            }
        }
        cuts
    }

    fn bytes(&self) -> u64 {
        let entry = size_of::<(u128, Origin)>() as u64 + 1;
        self.known.capacity() as u64 * entry * 8 / 7
    }
}
