//! Findings: what a text shares with others, looked at closely: with exclusions, source by source.
//!
//! A saved result is the text and what was asked. What was found is looked up anew each time it is
//! shown, so that it never tells of documents that are gone.

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use textkin::Comparison;
use textkin::types::{Exclusion, SegmentKind, Span};

use super::exclusions::{Comparer, Exclusions};
use super::probe::{ProbeMatch, RawMatch};
use super::{
    LevelThresholds, MatchLevel, ProbeRequest, Service, documents, pack, probe, secrets, unpack,
};
use crate::access::{Actor, Scope};
use crate::error::Error;
use crate::index::PartitionKind;
use crate::store::now;

/// Sources that are looked at closely.
pub(crate) const MAX_SOURCES: usize = 50;
/// A result that was saved.
#[derive(Clone, Debug)]
pub(crate) struct SavedResult {
    pub(crate) title: String,
    pub(crate) created: i64,
    pub(crate) text: String,
    pub(crate) asked: SavedQuery,
}

/// What was asked.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedQuery {
    /// Where it was looked for; everywhere by default.
    pub(crate) against: Option<Vec<String>>,
    /// Repository and id, if it was registered.
    pub(crate) registered: Option<(String, String)>,
    pub(crate) is_watched: bool,
    pub(crate) warnings: Vec<String>,
    /// When the text was written, if that is known.
    #[serde(default)]
    pub(crate) time: Option<String>,
    /// Results of several files at once: name, id or problem.
    #[serde(default)]
    pub(crate) batch: Vec<(String, Result<String, String>)>,
}

/// What was found.
#[derive(Debug)]
pub(crate) struct ResultDetails {
    /// Words of the text, and how many of them are found, with nothing excluded.
    pub(crate) raw: (u64, u64),
    /// The same after exclusions.
    pub(crate) counted: (u64, u64),
    /// Runs of words that are found or do not count; ascending, without overlap.
    pub(crate) runs: Vec<TextRun>,
    pub(crate) sources: Vec<MatchedSource>,
    /// Sources that are not among them.
    pub(crate) more: usize,
    /// What compared them.
    pub(crate) comparer: Comparer,
}

/// A run of words with the same fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRun {
    /// The first word, from 0 on.
    pub(crate) from: u64,
    /// The word after the last.
    pub(crate) to: u64,
    /// Where it stands in the text, in bytes.
    pub(crate) span: Span,
    /// Its source (from 0 on), or why it does not count.
    pub(crate) source: Result<usize, Exclusion>,
}

/// A document in which the text was found.
#[derive(Debug)]
pub(crate) struct MatchedSource {
    pub(crate) matched: ProbeMatch,
    /// Words of the text that count, and that it has.
    pub(crate) text_counts: (u64, u64),
    /// Its own words that count, and that the text has.
    pub(crate) source_counts: (u64, u64),
    pub(crate) longest: u64,
    /// Whether another source has at least half of the longer of both in common with it.
    pub(crate) has_similar_source: bool,
    pub(crate) has_text: bool,
    /// Its place among the texts held by other owners, if it is one.
    pub(crate) private_index: Option<usize>,
}

impl MatchedSource {
    /// How much it is, by what counts. Of a text that another owner holds, only one side is matched.
    pub(crate) fn level(&self) -> MatchLevel {
        let share = |(words, shared): (u64, u64)| shared as f64 / words.max(1) as f64;
        let here = share(self.text_counts);
        let larger = if self.matched.in_another_account {
            here
        } else {
            here.max(share(self.source_counts))
        };
        LevelThresholds::default().level(larger).unwrap_or(MatchLevel::Some)
    }
}

impl Service {
    /// Saves a text to be looked at.
    pub(crate) fn save_result(
        &self,
        actor: &Actor,
        title: &str,
        text: &str,
        asked: &SavedQuery,
    ) -> Result<String, Error> {
        actor.require_scope(Scope::Probe)?;
        let id = secrets::name()?;
        let title: String = title.chars().filter(|c| !c.is_control()).take(200).collect();
        let (name, account) = (id.clone(), actor.account);
        let (text, asked) = (pack(text)?, serde_json::to_string(asked)?);
        self.store.write(move |write| {
            let sql = "INSERT INTO result (id, account, title, created, text, query)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            write.execute(sql, params![name, account, title, now(), text, asked])?;
            Ok(())
        })?;
        Ok(id)
    }

    /// A result of the actor's own.
    pub(crate) fn saved_result(&self, actor: &Actor, id: &str) -> Result<SavedResult, Error> {
        actor.require_scope(Scope::Probe)?;
        self.store.read(|read| {
            let sql = "SELECT title, created, text, query FROM result
                       WHERE id = ?1 AND account = ?2";
            let row = |row: &rusqlite::Row<'_>| {
                let row: (String, i64, Vec<u8>, String) =
                    (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                Ok(row)
            };
            let found =
                read.prepare_cached(sql)?.query_row(params![id, actor.account], row).optional()?;
            let (title, created, text, asked) =
                found.ok_or_else(|| Error::not_found("result", id))?;
            let (text, asked) = (unpack(&text)?, serde_json::from_str(&asked)?);
            Ok(SavedResult { title, created, text, asked })
        })
    }

    /// The latest results of the actor's own: id, title, time.
    pub(crate) fn results(
        &self,
        actor: &Actor,
        limit: u32,
    ) -> Result<Vec<(String, String, i64)>, Error> {
        self.store.read(|read| {
            let sql = "SELECT id, title, created FROM result WHERE account = ?1
                       ORDER BY created DESC LIMIT ?2";
            let mut statement = read.prepare_cached(sql)?;
            let rows = statement.query_map(params![actor.account, limit], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// What a saved text shares with others.
    pub(crate) fn result_details(
        &self,
        actor: &Actor,
        saved: &SavedResult,
        exclusions: &Exclusions,
    ) -> Result<ResultDetails, Error> {
        let request = ProbeRequest {
            text: saved.text.clone(),
            repositories: saved.asked.against.clone(),
            threshold: 0.0,
            limit: None,
            exclude: Vec::new(),
        };
        let (query, mut raw, own) = self.probe_raw(actor, &request)?;
        if let Some((repository, id)) = &saved.asked.registered {
            // It is no source of itself.
            let number = self.store.read(|read| {
                let record = Self::resolve(read, actor, repository)?;
                Ok(documents::find(read, &record, id).ok().map(|entry| entry.number))
            })?;
            let number = number.map(i64::cast_unsigned);
            raw.matches.retain(|raw| Some(raw.candidate.number) != number);
        }
        let words = WordSpans::new(query.spans());
        let comparer = self.comparer(exclusions, &own)?;
        let mut excluded = words.excluded(&comparer.compare(&saved.text, "")?);
        let mut holders = vec![0u32; words.len()];
        let mut raw_shared = vec![false; words.len()];
        for raw in &raw.matches {
            for &(span, _) in &raw.overlap.covered {
                words.each(span, |word| {
                    holders[word] += 1;
                    raw_shared[word] = true;
                });
            }
        }
        if exclusions.common > 0 {
            for (reason, &holders) in excluded.iter_mut().zip(&holders) {
                if holders > exclusions.common && reason.is_none() {
                    *reason = Some(Exclusion::Common);
                }
            }
        }
        let total = raw.matches.len();
        let mut owner: Vec<Option<usize>> = vec![None; words.len()];
        let mut sources = Vec::new();
        let mut held_words = Vec::new();
        let mut n_private = 0;
        for raw in raw.matches.iter().take(MAX_SOURCES) {
            let matched = self.store.read(|read| probe::view(read, raw, &own))?;
            let Some(matched) = matched else { continue };
            let private_index = matched.in_another_account.then_some(n_private);
            n_private += usize::from(private_index.is_some());
            let mut source =
                self.compare_source(saved, raw, matched, &comparer, &words, &excluded, |word| {
                    let first = owner[word].get_or_insert(sources.len());
                    !exclusions.single_source || *first == sources.len()
                })?;
            source.private_index = private_index;
            if source.text_counts.1 > 0 {
                held_words.push(WordSet::new(&words, &raw.overlap.covered));
                sources.push(source);
            }
        }
        mark_alike(&mut sources, &held_words);
        let is_counted = |word: &usize| excluded[*word].is_none();
        let counted = (0..words.len()).filter(is_counted).count() as u64;
        let found = (0..words.len()).filter(is_counted).filter(|&word| owner[word].is_some());
        let found = found.count() as u64;
        let more = total.saturating_sub(MAX_SOURCES);
        Ok(ResultDetails {
            raw: (
                words.len() as u64,
                raw_shared.iter().filter(|is_shared| **is_shared).count() as u64,
            ),
            counted: (counted, found),
            runs: text_runs(words.spans, &excluded, &owner),
            sources,
            more,
            comparer,
        })
    }

    /// Compares a text with one source; `takes` says whether a word counts for it.
    #[expect(clippy::too_many_arguments, reason = "the parts of one walk")]
    fn compare_source(
        &self,
        saved: &SavedResult,
        raw: &RawMatch,
        matched: ProbeMatch,
        comparer: &Comparer,
        words: &WordSpans<'_>,
        excluded: &[Option<Exclusion>],
        mut takes: impl FnMut(usize) -> bool,
    ) -> Result<MatchedSource, Error> {
        let text = match raw.candidate.kind {
            PartitionKind::Texts if !matched.in_another_account => {
                self.index.text(PartitionKind::Texts, raw.candidate.number)?
            }
            _ => None,
        };
        let has_text = text.is_some();
        let (covered, source_counts) = match text {
            Some(text) => {
                let comparison = comparer.compare(&saved.text, &text)?;
                let overlap = comparison.alignment.overlap;
                (covered(&comparison), (overlap.words_b, overlap.covered_b))
            }
            None => {
                let overlap = &raw.overlap;
                let source_counts = (overlap.document_words, overlap.document_covered);
                (overlap.covered.iter().map(|run| run.0).collect(), source_counts)
            }
        };
        let mut taken = vec![false; words.len()];
        for span in covered {
            words.each(span, |word| {
                if excluded[word].is_none() && !taken[word] {
                    taken[word] = takes(word);
                }
            });
        }
        let shared = taken.iter().filter(|is_taken| **is_taken).count() as u64;
        let longest = taken.split(|is_taken| !is_taken).map(<[bool]>::len).max().unwrap_or(0);
        let counted = excluded.iter().filter(|reason| reason.is_none()).count() as u64;
        let text_counts = (counted, shared);
        Ok(MatchedSource {
            matched,
            text_counts,
            source_counts,
            longest: longest as u64,
            has_similar_source: false,
            has_text,
            private_index: None,
        })
    }
}

/// Marks sources that have at least half of the longer of two in common, as the words of the text tell
/// that both have: they are of one cluster, whatever else they share. What other owners hold is passed over.
fn mark_alike(sources: &mut [MatchedSource], held_words: &[WordSet]) {
    for a in 0..sources.len() {
        for b in a + 1..sources.len() {
            let pair = [&sources[a], &sources[b]];
            let longer = pair.map(|source| source.source_counts.0).into_iter().max().unwrap_or(0);
            let in_common = held_words[a].in_common(&held_words[b]);
            let is_known = pair.iter().all(|source| !source.matched.in_another_account);
            if is_known && longer > 0 && 2 * in_common >= longer {
                [a, b].iter().for_each(|at| sources[*at].has_similar_source = true);
            }
        }
    }
}

/// Some words of a text, a bit each.
struct WordSet {
    bits: Vec<u64>,
}

impl WordSet {
    /// The words that begin in these spans.
    fn new<T>(words: &WordSpans<'_>, spans: &[(Span, T)]) -> Self {
        let mut bits = vec![0; words.len().div_ceil(64)];
        for (span, _) in spans {
            words.each(*span, |word| bits[word / 64] |= 1 << (word % 64));
        }
        Self { bits }
    }

    /// Words that are in both.
    fn in_common(&self, other: &Self) -> u64 {
        let both = self.bits.iter().zip(&other.bits).map(|(a, b)| (a & b).count_ones());
        both.map(u64::from).sum()
    }
}

/// Where the first text of a comparison has words that count as contained.
pub(super) fn covered(comparison: &Comparison) -> Vec<Span> {
    let alignment = &comparison.alignment;
    let segments = alignment.passages.iter().flat_map(|passage| &passage.segments);
    let same = segments.filter(|segment| segment.kind == SegmentKind::Same);
    let same = same.map(|segment| segment.a.span);
    same.chain(alignment.repeats_a.iter().map(|repeat| repeat.here.span)).collect()
}

/// The words of a text, by their places.
pub(super) struct WordSpans<'a> {
    spans: &'a [Span],
}

impl<'a> WordSpans<'a> {
    pub(super) fn new(spans: &'a [Span]) -> Self {
        Self { spans }
    }

    /// Why each word does not count, as a comparison of their text says, or that it does.
    pub(super) fn excluded(&self, comparison: &Comparison) -> Vec<Option<Exclusion>> {
        let mut excluded = vec![None; self.len()];
        for part in &comparison.excluded_a {
            self.each(part.span, |word| excluded[word] = Some(part.reason));
        }
        excluded
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Gives the number of each word that begins in `span` to `take`.
    pub(super) fn each(&self, span: Span, take: impl FnMut(usize)) {
        let first = self.spans.partition_point(|word| word.start < span.start);
        let end = self.spans.partition_point(|word| word.start < span.end);
        (first..end).for_each(take);
    }
}

/// Runs of words with the same fate.
fn text_runs(
    spans: &[Span],
    excluded: &[Option<Exclusion>],
    owner: &[Option<usize>],
) -> Vec<TextRun> {
    let mut runs: Vec<TextRun> = Vec::new();
    let fates = excluded.iter().zip(owner);
    for (word, (span, (excluded, owner))) in (0u64..).zip(spans.iter().zip(fates)) {
        let source = match (excluded, owner) {
            (Some(reason), _) => Err(*reason),
            (None, Some(source)) => Ok(*source),
            (None, None) => continue,
        };
        match runs.last_mut() {
            Some(last) if last.to == word && last.source == source => {
                last.to += 1;
                last.span.end = span.end;
            }
            _ => runs.push(TextRun { from: word, to: word + 1, span: *span, source }),
        }
    }
    runs
}
