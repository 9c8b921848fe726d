//! Lines that stand in a text that was walked before, or earlier in the same.
//!
//! In: texts, one after the other. Out: the lines that go out of each. Lines are the same if their
//! words are; they are told by 128 bits of a digest. Where a line goes between blank lines, these
//! become one.

use bytemuck::{Pod, Zeroable};
use textkin_core::{Disguises, Layers, Span, Tokenizer, Tokens};
use textkin_index::{HashEntry, HashIndex};
use textkin_text::tokenizer::WordTokenizer;

use super::cut::Cuts;
use super::passage::same_words;
use super::walk::{Cutter, Preparer, share};
use super::{Removal, RemovedSpan};
use crate::error::Error;
use crate::settings::Settings;

/// Where a line stays.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Origin {
    /// The digest of the line, in two halves.
    digest: [u64; 2],
    document: u32,
    line: u32,
}

impl HashEntry for Origin {
    fn hash(&self) -> u64 {
        self.digest[0]
    }
}

/// The lines of a text.
pub(super) struct Lines {
    lines: Vec<Line>,
    disguises: Disguises,
}

/// A line of a text.
struct Line {
    /// Its bytes, with its end.
    span: Span,
    words: u32,
    is_blank: bool,
    /// 128 bits of the digest of its words, if it has enough of them.
    digest: Option<[u64; 2]>,
}

/// Finds the lines of texts.
pub(super) struct LineFinder {
    tokenizer: WordTokenizer,
    min_words: usize,
}

impl Preparer for LineFinder {
    type Prepared = Lines;

    fn prepare(&self, text: &str) -> Lines {
        let number = |n: usize| u32::try_from(n).expect("a text is bounded to 4 GiB");
        let mut tokens = Tokens::new(Layers::NONE);
        let mut disguises = Disguises::default();
        let mut at = 0;
        let line = |line: &str| {
            let span = Span::new(number(at), number(at + line.len()));
            at += line.len();
            self.tokenizer.tokenize(line, &mut tokens);
            disguises.add(tokens.disguises());
            let is_long = tokens.len() >= self.min_words;
            Line {
                span,
                words: number(tokens.len()),
                is_blank: line.trim().is_empty(),
                digest: is_long.then(|| digest(&tokens)),
            }
        };
        let lines = text.split_inclusive('\n').map(line).collect();
        Lines { lines, disguises }
    }

    fn disguises(lines: &Lines) -> &Disguises {
        &lines.disguises
    }

    fn words(lines: &Lines) -> u32 {
        lines.lines.iter().map(|line| line.words).sum()
    }
}

fn digest(tokens: &Tokens) -> [u64; 2] {
    let digest = blake3::hash(tokens.normalized());
    [0, 8].map(|from| {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&digest.as_bytes()[from..from + 8]);
        u64::from_le_bytes(bytes)
    })
}

/// Cuts lines.
pub(super) struct LineCutter {
    known: HashIndex<Origin>,
}

impl LineCutter {
    /// A cutter of lines of so many words, and what finds these.
    pub(super) fn new(settings: &Settings, min_words: usize) -> Result<(LineFinder, Self), Error> {
        let finder = LineFinder { tokenizer: same_words(settings)?, min_words };
        Ok((finder, Self { known: HashIndex::new(share(settings, 1)) }))
    }

    /// Where a line stays; if it is new, at `origin`, and `None` is given.
    fn find_or_add(&mut self, origin: Origin) -> Result<Option<Origin>, Error> {
        let is_it = |known: &Origin| Ok::<bool, Error>(known.digest == origin.digest);
        let known = self.known.find(origin.hash(), is_it)?;
        if known.is_none() {
            self.known.insert(origin)?;
        }
        Ok(known)
    }
}

impl Cutter for LineCutter {
    type Preparer = LineFinder;

    fn cut(
        &mut self,
        document: u32,
        _: &str,
        lines: Lines,
        removed: &mut Vec<Removal>,
    ) -> Result<Cuts, Error> {
        let mut cuts = Cuts::default();
        let (mut word, mut n_kept) = (0u32, 0u32);
        let (mut is_after_cut, mut is_after_blank) = (false, true);
        for Line { span, words, is_blank, digest } in lines.lines {
            if is_blank {
                if is_after_cut && is_after_blank {
                    cuts.insert(span);
                } else {
                    n_kept += 1;
                    is_after_blank = true;
                }
                continue;
            }
            let first_word = word;
            word += words;
            let known = match digest {
                Some(digest) => self.find_or_add(Origin { digest, document, line: n_kept })?,
                None => None,
            };
            match known {
                Some(known) => {
                    cuts.insert(span);
                    is_after_cut = true;
                    removed.push(Removal {
                        document,
                        duplicate_of: known.document,
                        score: 1.0,
                        words,
                        part: Some(RemovedSpan {
                            span,
                            word: first_word,
                            keeper_position: known.line,
                        }),
                    });
                }
                None => {
                    n_kept += 1;
                    (is_after_cut, is_after_blank) = (false, false);
                }
            }
        }
        Ok(cuts)
    }
}
