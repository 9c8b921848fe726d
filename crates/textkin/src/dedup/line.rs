//! Deduplication of lines: removes lines that occur in an earlier text, or earlier in the same one.
//!
//! In: texts, one after another. Out: the lines to remove from each. Lines are equal if their words
//! are; they are identified by 128 bits of a digest. If a line between blank lines is removed, the
//! blank lines become one.

use bytemuck::{Pod, Zeroable};
use textkin_core::{Disguises, Layers, Span, Tokenizer, Tokens};
use textkin_index::{HashEntry, HashIndex};
use textkin_text::tokenizer::WordTokenizer;

use super::cut::Cuts;
use super::passage::distinct_words_tokenizer;
use super::walk::{Cutter, TextAnalyzer, share};
use super::{Removal, RemovedSpan};
use crate::error::Error;
use crate::settings::Settings;

/// The first occurrence of a line.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct LineOrigin {
    /// The digest of the line, in two halves.
    digest: [u64; 2],
    document: u32,
    line: u32,
}

impl HashEntry for LineOrigin {
    fn hash(&self) -> u64 {
        self.digest[0]
    }
}

/// The lines of a text.
pub(super) struct Lines {
    lines: Vec<TextLine>,
    disguises: Disguises,
}

/// A line of a text.
struct TextLine {
    /// The bytes of the line, including the line end.
    span: Span,
    words: u32,
    is_blank: bool,
    /// 128 bits of the digest of its words, if the line has enough words.
    digest: Option<[u64; 2]>,
}

/// Splits texts into lines.
pub(super) struct LineFinder {
    tokenizer: WordTokenizer,
    min_words: usize,
}

impl TextAnalyzer for LineFinder {
    type Analysis = Lines;

    fn analyze(&self, text: &str) -> Lines {
        let number = |n: usize| u32::try_from(n).expect("a text is limited to 4 GiB");
        let mut tokens = Tokens::new(Layers::NONE);
        let mut disguises = Disguises::default();
        let mut at = 0;
        let line = |line: &str| {
            let span = Span::new(number(at), number(at + line.len()));
            at += line.len();
            self.tokenizer.tokenize(line, &mut tokens);
            disguises.add(tokens.disguises());
            let is_long = tokens.len() >= self.min_words;
            TextLine {
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

/// Removes repeated lines.
pub(super) struct LineCutter {
    known: HashIndex<LineOrigin>,
}

impl LineCutter {
    /// Creates a cutter of lines of at least `min_words` words, and its analyzer.
    pub(super) fn new(settings: &Settings, min_words: usize) -> Result<(LineFinder, Self), Error> {
        let finder = LineFinder { tokenizer: distinct_words_tokenizer(settings)?, min_words };
        Ok((finder, Self { known: HashIndex::new(share(settings, 1)) }))
    }

    /// Returns the first occurrence of a line; if the line is new, adds `origin` and returns
    /// `None`.
    fn find_or_add(&mut self, origin: LineOrigin) -> Result<Option<LineOrigin>, Error> {
        let is_same = |known: &LineOrigin| Ok::<bool, Error>(known.digest == origin.digest);
        let known = self.known.find(origin.hash(), is_same)?;
        if known.is_none() {
            self.known.insert(origin)?;
        }
        Ok(known)
    }
}

impl Cutter for LineCutter {
    type Analyzer = LineFinder;

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
        for TextLine { span, words, is_blank, digest } in lines.lines {
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
                Some(digest) => self.find_or_add(LineOrigin { digest, document, line: n_kept })?,
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
