//! Deduplication of passages: removes runs of words that occur in an earlier text, or earlier in
//! the same one.
//!
//! In: texts, one after another. Out: the passages to remove from each. All runs of `n` words of
//! the kept text are stored by hash, each with its position, where the words themselves are
//! compared. A run that occurred before is removed together with overlapping ones. The remaining
//! text is checked again until nothing in it occurred before, because words that become adjacent
//! may form such a run.
//!
//! So no run of `n` words occurs twice in the result, except with an overlap, and deduplicating the
//! result again changes nothing. It takes about 35 bytes for each kept word, in memory and on disk.

use std::borrow::Cow;

use bytemuck::{Pod, Zeroable};
use hashbrown::HashMap;
use textkin_core::{Disguises, Layers, Tokenizer, Tokens};
use textkin_index::{ByteStore, HashEntry, HashIndex};
use textkin_text::tokenizer::WordTokenizer;

use super::cut::{Cuts, bytes_of, without_partial_words};
use super::walk::{Cutter, TextAnalyzer, share};
use super::{Removal, RemovedSpan};
use crate::error::Error;
use crate::settings::Settings;

/// The base of the hashes of runs; any odd number works.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The step to the next slot in the table of a text if two runs have the same hash.
const STEP: u64 = 0xd1b5_4a32_d192_ed03;

/// The first occurrence of a run of words.
#[derive(Clone, Copy, Debug)]
struct RunOrigin {
    document: u32,
    /// The first byte in the normalized words of the kept text of the document.
    byte: u32,
}

/// A kept run.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct KeptRun {
    hash: u64,
    document: u32,
    byte: u32,
}

impl HashEntry for KeptRun {
    fn hash(&self) -> u64 {
        self.hash
    }
}

/// The words of a text and the hashes of their runs.
pub(super) struct Runs {
    tokens: Tokens,
    /// The hash of each run of `n` tokens.
    hashes: Vec<u64>,
    /// Whether two runs have the same hash.
    has_repeats: bool,
}

/// Tokenizes texts and hashes their runs.
pub(super) struct RunFinder {
    tokenizer: WordTokenizer,
    n: usize,
    /// `BASE` to the power of `n` - 1.
    power: u64,
}

impl RunFinder {
    fn hashes(&self, tokens: &[u64]) -> Vec<u64> {
        let mut hashes = Vec::with_capacity((tokens.len() + 1).saturating_sub(self.n));
        let mut hash = 0u64;
        for (index, token) in tokens.iter().enumerate() {
            if index >= self.n {
                hash = hash.wrapping_sub(tokens[index - self.n].wrapping_mul(self.power));
            }
            hash = hash.wrapping_mul(BASE).wrapping_add(*token);
            if index + 1 >= self.n {
                hashes.push(hash);
            }
        }
        hashes
    }
}

impl TextAnalyzer for RunFinder {
    type Analysis = Runs;

    fn analyze(&self, text: &str) -> Runs {
        let mut tokens = Tokens::new(Layers::SPANS);
        self.tokenizer.tokenize(text, &mut tokens);
        let hashes = self.hashes(tokens.hashes());
        let mut sorted = hashes.clone();
        sorted.sort_unstable();
        let has_repeats = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        Runs { tokens, hashes, has_repeats }
    }

    fn words(runs: &Runs) -> u32 {
        u32::try_from(runs.tokens.len()).expect("a text is limited to 4 GiB")
    }

    fn disguises(runs: &Runs) -> &Disguises {
        runs.tokens.disguises()
    }
}

/// Removes repeated passages.
pub(super) struct PassageCutter {
    finder: RunFinder,
    n: usize,
    /// The words of the current text.
    tokens: Tokens,
    known: HashIndex<KeptRun>,
    /// The normalized words of the kept text of each document.
    kept: ByteStore,
}

/// A run of tokens that occurred before, and its first occurrence.
#[derive(Clone, Copy, Debug)]
struct RunMatch {
    start: usize,
    end: usize,
    origin: RunOrigin,
}

impl PassageCutter {
    /// Creates a cutter of runs of `n` words, and its analyzer.
    pub(super) fn new(settings: &Settings, n: usize) -> Result<(RunFinder, Self), Error> {
        let power = (1..n).fold(1u64, |power, _| power.wrapping_mul(BASE));
        let tokenizer = distinct_words_tokenizer(settings)?;
        let finder = || RunFinder { tokenizer: tokenizer.clone(), n, power };
        let cutter = Self {
            finder: finder(),
            n,
            tokens: Tokens::default(),
            known: HashIndex::new(share(settings, 1)),
            kept: ByteStore::new(share(settings, 4)),
        };
        Ok((finder(), cutter))
    }

    /// Returns the normalized words of the run that starts with token `start`.
    fn run(&self, start: usize) -> &[u8] {
        let bytes = self.tokens.start(start) as usize..self.tokens.end(start + self.n - 1) as usize;
        &self.tokens.normalized()[bytes]
    }

    /// Returns the first occurrence of the run with this hash and these words in earlier texts.
    fn find(&self, hash: u64, run: &[u8]) -> Result<Option<RunOrigin>, Error> {
        let is_same = |kept: &KeptRun| {
            let from = u64::from(kept.byte);
            let words = self.kept.read(kept.document, from..from + run.len() as u64 + 1)?;
            Ok::<bool, Error>(is_prefix(&words, run))
        };
        let kept = self.known.find(hash, is_same)?;
        Ok(kept.map(|KeptRun { document, byte, .. }| RunOrigin { document, byte }))
    }

    /// Returns all runs of the current tokens that occurred before, by start.
    fn matches(
        &self,
        document: u32,
        hashes: &[u64],
        has_repeats: bool,
    ) -> Result<Vec<RunMatch>, Error> {
        let mut matches: Vec<RunMatch> = Vec::new();
        // The runs of this text that are certainly kept: they end before the current one, and no
        // matching run overlaps them.
        let mut own: HashMap<u64, u32> = HashMap::new();
        for (start, &hash) in hashes.iter().enumerate() {
            if has_repeats
                && let Some(kept) = start.checked_sub(self.n)
                && matches.last().is_none_or(|last| last.end <= kept)
            {
                self.remember_own(&mut own, hashes[kept], kept);
            }
            let run = self.run(start);
            let found = self.find(hash, run)?.or_else(|| {
                let first = self.find_own(&own, hash, run)?;
                Some(RunOrigin { document, byte: self.tokens.start(first) })
            });
            if let Some(origin) = found {
                matches.push(RunMatch { start, end: start + self.n, origin });
            }
        }
        Ok(matches)
    }

    /// Returns the first token of the run with this hash and these words in this text.
    fn find_own(&self, own: &HashMap<u64, u32>, hash: u64, run: &[u8]) -> Option<usize> {
        let mut key = hash;
        while let Some(&first) = own.get(&key) {
            if self.run(first as usize) == run {
                return Some(first as usize);
            }
            key = key.wrapping_add(STEP);
        }
        None
    }

    fn remember_own(&self, own: &mut HashMap<u64, u32>, hash: u64, start: usize) {
        if self.find_own(own, hash, self.run(start)).is_some() {
            return;
        }
        let mut key = hash;
        while own.contains_key(&key) {
            key = key.wrapping_add(STEP);
        }
        own.insert(key, u32::try_from(start).expect("a text is limited to 4 GiB"));
    }

    /// Stores the kept text of `document`: the current tokens, none of whose runs occurred before.
    fn remember(&mut self, document: u32, hashes: &[u64], has_repeats: bool) -> Result<(), Error> {
        self.kept.put(document, self.tokens.normalized())?;
        for (start, &hash) in hashes.iter().enumerate() {
            if has_repeats && self.find(hash, self.run(start))?.is_some() {
                continue;
            }
            self.known.insert(KeptRun { hash, document, byte: self.tokens.start(start) })?;
        }
        Ok(())
    }

    /// Returns the number of the word at `origin` in the kept text of its document.
    fn word_at(&self, document: u32, origin: RunOrigin) -> Result<u32, Error> {
        let before = if origin.document == document {
            Cow::Borrowed(&self.tokens.normalized()[..origin.byte as usize])
        } else {
            self.kept.read(origin.document, 0..u64::from(origin.byte))?
        };
        let separators = before.iter().filter(|&&byte| byte == Tokens::SEPARATOR).count();
        Ok(u32::try_from(separators).unwrap_or(u32::MAX))
    }
}

impl Cutter for PassageCutter {
    type Analyzer = RunFinder;

    fn cut(
        &mut self,
        document: u32,
        text: &str,
        mut runs: Runs,
        removed: &mut Vec<Removal>,
    ) -> Result<Cuts, Error> {
        let mut cuts = Cuts::default();
        let mut rest = cuts.rest(text);
        loop {
            let Runs { tokens, hashes, has_repeats } = runs;
            self.tokens = tokens;
            let matches = self.matches(document, &hashes, has_repeats)?;
            if matches.is_empty() {
                self.remember(document, &hashes, has_repeats)?;
                return Ok(cuts);
            }
            for group in adjacent_groups(&matches) {
                let spans = self.tokens.spans();
                let tokens = group[0].start..group[group.len() - 1].end;
                let tokens = without_partial_words(&rest.text, spans, tokens);
                for (part, origin) in self.parts(group, tokens.clone()) {
                    let bytes = spans[part.start].start as usize..spans[part.end - 1].end as usize;
                    let number = |n: usize| u32::try_from(n).expect("a text is limited to 4 GiB");
                    removed.push(Removal {
                        document,
                        duplicate_of: origin.document,
                        score: 1.0,
                        words: number(part.len()),
                        part: Some(RemovedSpan {
                            span: rest.original(bytes),
                            word: number(part.start),
                            keeper_position: self.word_at(document, origin)?,
                        }),
                    });
                }
                cuts.insert(rest.original(bytes_of(&rest.text, spans, tokens)));
            }
            rest = cuts.rest(text);
            runs = self.finder.analyze(&rest.text);
        }
    }
}

impl PassageCutter {
    /// Splits the tokens of a group by their first occurrence: a new part begins where the words do
    /// not continue as they do there.
    fn parts(
        &self,
        group: &[RunMatch],
        tokens: std::ops::Range<usize>,
    ) -> Vec<(std::ops::Range<usize>, RunOrigin)> {
        let mut parts: Vec<(std::ops::Range<usize>, RunOrigin)> = Vec::new();
        let mut last: Option<RunMatch> = None;
        for &RunMatch { start, end, origin } in group {
            let continues = last.is_some_and(|last| {
                let step = self.tokens.start(start) - self.tokens.start(last.start);
                last.origin.document == origin.document && last.origin.byte + step == origin.byte
            });
            last = Some(RunMatch { start, end, origin });
            let covered = parts.last().map_or(tokens.start, |(part, _)| part.end);
            let part = start.max(covered)..end.min(tokens.end);
            if part.is_empty() {
                continue;
            }
            match parts.last_mut() {
                Some((previous, _)) if continues => previous.end = part.end,
                _ => {
                    // Words that belong to the previous part as well are reported there.
                    let skipped = self.tokens.start(part.start) - self.tokens.start(start);
                    let byte = origin.byte + skipped;
                    parts.push((part, RunOrigin { byte, ..origin }));
                }
            }
        }
        parts
    }
}

/// Splits matches into groups whose tokens overlap or touch.
fn adjacent_groups(matches: &[RunMatch]) -> Vec<&[RunMatch]> {
    matches.chunk_by(|one, other| other.start <= one.end).collect()
}

/// Returns whether `words` begins with the whole words of `run`.
fn is_prefix(words: &[u8], run: &[u8]) -> bool {
    words.starts_with(run) && words.get(run.len()) == Some(&Tokens::SEPARATOR)
}

/// Returns the tokenizer if it neither equates different words nor skips any: only text that occurs
/// elsewhere may be removed.
pub(super) fn distinct_words_tokenizer(settings: &Settings) -> Result<WordTokenizer, Error> {
    let steps = settings.normalization.to_string();
    let is_safe =
        |step: &str| ["nfkc", "undisguise", "fold", "upper", "cjk", "none"].contains(&step);
    let has_lists =
        !settings.normalization.stop_list().is_empty() || !settings.templates.is_empty();
    if has_lists || !steps.split('+').all(is_safe) {
        return Err(Error::UnsafeNormalization);
    }
    Ok(WordTokenizer::new(&settings.normalization))
}
