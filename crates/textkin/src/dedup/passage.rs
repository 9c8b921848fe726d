//! Passages: runs of words that stand in a text that was walked before, or earlier in the same.
//!
//! In: texts, one after the other. Out: what goes out of each. Of every text, what is left is
//! remembered: all its runs of `n` words, by hash, each with its place, where the words themselves
//! are compared. A run that is known goes, with all that is joined to it; what is left is looked at
//! again until nothing in it is known, because words that come together anew may be known too.
//!
//! So no run of `n` words stands in two places of the result, unless these overlap, and cleaning
//! the result again changes nothing. It takes about 35 bytes for each word that is left, in memory and
//! beyond it on disk.

use std::borrow::Cow;

use bytemuck::{Pod, Zeroable};
use hashbrown::HashMap;
use textkin_core::{Disguises, Layers, Tokenizer, Tokens};
use textkin_index::{ByteStore, HashEntry, HashIndex};
use textkin_text::tokenizer::WordTokenizer;

use super::cut::{Cuts, bytes_of, without_parts};
use super::walk::{Cutter, Preparer, share};
use super::{Removal, RemovedSpan};
use crate::error::Error;
use crate::settings::Settings;

/// What hashes of runs are made with; any odd number does.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// Leads to another slot of the table of one text where two runs have one hash.
const STEP: u64 = 0xd1b5_4a32_d192_ed03;

/// Where a run of words stays.
#[derive(Clone, Copy, Debug)]
struct Origin {
    document: u32,
    /// First byte in the normalised words of what is left of the document.
    byte: u32,
}

/// A run that stays.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
struct Stay {
    hash: u64,
    document: u32,
    byte: u32,
}

impl HashEntry for Stay {
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

/// Finds the words of texts and their runs.
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

impl Preparer for RunFinder {
    type Prepared = Runs;

    fn prepare(&self, text: &str) -> Runs {
        let mut tokens = Tokens::new(Layers::SPANS);
        self.tokenizer.tokenize(text, &mut tokens);
        let hashes = self.hashes(tokens.hashes());
        let mut sorted = hashes.clone();
        sorted.sort_unstable();
        let has_repeats = sorted.windows(2).any(|pair| pair[0] == pair[1]);
        Runs { tokens, hashes, has_repeats }
    }

    fn words(runs: &Runs) -> u32 {
        u32::try_from(runs.tokens.len()).expect("a text is bounded to 4 GiB")
    }

    fn disguises(runs: &Runs) -> &Disguises {
        runs.tokens.disguises()
    }
}

/// Cuts passages.
pub(super) struct PassageCutter {
    finder: RunFinder,
    n: usize,
    /// The words of the text at hand.
    tokens: Tokens,
    known: HashIndex<Stay>,
    /// The normalised words that are left of each document.
    kept: ByteStore,
}

/// Tokens that are known, and from where.
#[derive(Clone, Copy, Debug)]
struct Match {
    start: usize,
    end: usize,
    origin: Origin,
}

impl PassageCutter {
    /// A cutter of runs of `n` words, and what finds these.
    pub(super) fn new(settings: &Settings, n: usize) -> Result<(RunFinder, Self), Error> {
        let power = (1..n).fold(1u64, |power, _| power.wrapping_mul(BASE));
        let tokenizer = same_words(settings)?;
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

    /// The normalised words of the run that starts with token `start`.
    fn run(&self, start: usize) -> &[u8] {
        let bytes = self.tokens.start(start) as usize..self.tokens.end(start + self.n - 1) as usize;
        &self.tokens.normalized()[bytes]
    }

    /// Where the run with this hash and these words stays, in texts that were walked before.
    fn find(&self, hash: u64, run: &[u8]) -> Result<Option<Origin>, Error> {
        let is_it = |stay: &Stay| {
            let from = u64::from(stay.byte);
            let words = self.kept.read(stay.document, from..from + run.len() as u64 + 1)?;
            Ok::<bool, Error>(is_prefix(&words, run))
        };
        let stay = self.known.find(hash, is_it)?;
        Ok(stay.map(|Stay { document, byte, .. }| Origin { document, byte }))
    }

    /// All known runs of the tokens at hand, by start.
    fn matches(
        &self,
        document: u32,
        hashes: &[u64],
        has_repeats: bool,
    ) -> Result<Vec<Match>, Error> {
        let mut matches: Vec<Match> = Vec::new();
        // The runs of this text that stay for sure: they end before the one looked at, and no known
        // run touches them.
        let mut own: HashMap<u64, u32> = HashMap::new();
        for (start, &hash) in hashes.iter().enumerate() {
            if has_repeats
                && let Some(settled) = start.checked_sub(self.n)
                && matches.last().is_none_or(|last| last.end <= settled)
            {
                self.remember_own(&mut own, hashes[settled], settled);
            }
            let run = self.run(start);
            let found = self.find(hash, run)?.or_else(|| {
                let first = self.find_own(&own, hash, run)?;
                Some(Origin { document, byte: self.tokens.start(first) })
            });
            if let Some(origin) = found {
                matches.push(Match { start, end: start + self.n, origin });
            }
        }
        Ok(matches)
    }

    /// The first token of the run with this hash and these words, among those of this text.
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
        own.insert(key, u32::try_from(start).expect("a text is bounded to 4 GiB"));
    }

    /// Remembers what is left of `document`: the tokens at hand, of which no run is known.
    fn remember(&mut self, document: u32, hashes: &[u64], has_repeats: bool) -> Result<(), Error> {
        self.kept.put(document, self.tokens.normalized())?;
        for (start, &hash) in hashes.iter().enumerate() {
            if has_repeats && self.find(hash, self.run(start))?.is_some() {
                continue;
            }
            self.known.insert(Stay { hash, document, byte: self.tokens.start(start) })?;
        }
        Ok(())
    }

    /// The number of the word that begins at a byte of what is left of a document.
    fn word_at(&self, document: u32, origin: Origin) -> Result<u32, Error> {
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
    type Preparer = RunFinder;

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
            for stretch in stretches(&matches) {
                let spans = self.tokens.spans();
                let tokens = stretch[0].start..stretch[stretch.len() - 1].end;
                let tokens = without_parts(&rest.text, spans, tokens);
                for (part, origin) in self.parts(stretch, tokens.clone()) {
                    let bytes = spans[part.start].start as usize..spans[part.end - 1].end as usize;
                    let number = |n: usize| u32::try_from(n).expect("a text is bounded to 4 GiB");
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
            runs = self.finder.prepare(&rest.text);
        }
    }
}

impl PassageCutter {
    /// Divides the tokens of a stretch by where they stay: a new part begins where the words do
    /// not go on as they do there.
    fn parts(
        &self,
        stretch: &[Match],
        tokens: std::ops::Range<usize>,
    ) -> Vec<(std::ops::Range<usize>, Origin)> {
        let mut parts: Vec<(std::ops::Range<usize>, Origin)> = Vec::new();
        let mut last: Option<Match> = None;
        for &Match { start, end, origin } in stretch {
            let goes_on = last.is_some_and(|last| {
                let step = self.tokens.start(start) - self.tokens.start(last.start);
                last.origin.document == origin.document && last.origin.byte + step == origin.byte
            });
            last = Some(Match { start, end, origin });
            let covered = parts.last().map_or(tokens.start, |(part, _)| part.end);
            let part = start.max(covered)..end.min(tokens.end);
            if part.is_empty() {
                continue;
            }
            match parts.last_mut() {
                Some((known, _)) if goes_on => known.end = part.end,
                _ => {
                    // The words that a part shares with the one before are told there.
                    let skipped = self.tokens.start(part.start) - self.tokens.start(start);
                    let byte = origin.byte + skipped;
                    parts.push((part, Origin { byte, ..origin }));
                }
            }
        }
        parts
    }
}

/// Cuts a list of matches where their tokens do not meet.
fn stretches(matches: &[Match]) -> Vec<&[Match]> {
    matches.chunk_by(|one, other| other.start <= one.end).collect()
}

/// Whether `words` begins with the whole words of `run`.
fn is_prefix(words: &[u8], run: &[u8]) -> bool {
    words.starts_with(run) && words.get(run.len()) == Some(&Tokens::SEPARATOR)
}

/// The tokenizer, if it takes no words for the same that are not, and leaves none out: what is cut
/// must be there.
pub(super) fn same_words(settings: &Settings) -> Result<WordTokenizer, Error> {
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
