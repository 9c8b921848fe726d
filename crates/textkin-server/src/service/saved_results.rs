//! Saved results: a checked text, compared with each source in detail and with exclusions.
//!
//! A saved result is the text and the query. The matches are computed each time the result is shown,
//! so that it never mentions documents that were deleted.

use rusqlite::{OptionalExtension, params};
use serde::{Deserialize, Serialize};
use textkin::engine::TextComparison;
use textkin::engine::types::{Exclusion, SegmentKind, Span};

use super::exclusions::{Comparer, Exclusions};
use super::probe::{ProbeMatch, RawMatch};
use super::{
    LevelThresholds, MatchLevel, ProbeRequest, Service, documents, pack, probe, secrets, unpack,
};
use crate::access::{Actor, Scope};
use crate::error::Error;
use crate::index::PartitionKind;
use crate::store::now;

/// The maximum number of sources that are compared in detail.
pub(crate) const MAX_SOURCES: usize = 50;

/// A saved result.
#[derive(Clone, Debug)]
pub(crate) struct SavedResult {
    pub(crate) title: String,
    pub(crate) created: i64,
    pub(crate) text: String,
    pub(crate) query: SavedQuery,
}

/// The query of a saved result. The field names are part of the stored format.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SavedQuery {
    /// The repositories that were searched; all by default.
    pub(crate) against: Option<Vec<String>>,
    /// Repository and id, if the text was registered.
    pub(crate) registered: Option<(String, String)>,
    pub(crate) is_watched: bool,
    pub(crate) warnings: Vec<String>,
    /// When the text was written, if known.
    #[serde(default)]
    pub(crate) time: Option<String>,
    /// The results of several files: name, and id or problem.
    #[serde(default)]
    pub(crate) batch: Vec<(String, Result<String, String>)>,
}

/// The matches of a saved result.
#[derive(Debug)]
pub(crate) struct ResultDetails {
    /// Words of the text, and how many of them match, without exclusions.
    pub(crate) raw: (u64, u64),
    /// The same two counts with exclusions.
    pub(crate) counted: (u64, u64),
    /// Runs of words that match or are excluded; ascending, without overlap.
    pub(crate) runs: Vec<TextRun>,
    pub(crate) sources: Vec<MatchedSource>,
    /// The number of further sources.
    pub(crate) more: usize,
    /// The comparer that was used.
    pub(crate) comparer: Comparer,
}

/// A run of words with the same source, or the same reason for exclusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextRun {
    /// The first word, counted from 0.
    pub(crate) from: u64,
    /// The word after the last.
    pub(crate) to: u64,
    /// Its byte range in the text.
    pub(crate) span: Span,
    /// The index of its source, or why it is excluded.
    pub(crate) source: Result<usize, Exclusion>,
}

/// A document that shares words with the text.
#[derive(Debug)]
pub(crate) struct MatchedSource {
    pub(crate) matched: ProbeMatch,
    /// Words of the text that count, and how many of them it contains.
    pub(crate) text_counts: (u64, u64),
    /// Its words that count, and how many of them the text contains.
    pub(crate) source_counts: (u64, u64),
    pub(crate) longest: u64,
    /// Whether it shares at least half of the longer text with another source.
    pub(crate) has_similar_source: bool,
    pub(crate) has_text: bool,
    /// Its index among the private matches in other accounts, if it is one.
    pub(crate) private_index: Option<usize>,
}

impl MatchedSource {
    /// Returns the level by the counted words. For a private match in another account only the share
    /// of the text is used.
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
    /// Saves a text and its query.
    pub(crate) fn save_result(
        &self,
        actor: &Actor,
        title: &str,
        text: &str,
        query: &SavedQuery,
    ) -> Result<String, Error> {
        actor.require_scope(Scope::Probe)?;
        let id = secrets::name()?;
        let title: String = title.chars().filter(|c| !c.is_control()).take(200).collect();
        let (name, account) = (id.clone(), actor.account);
        let (text, query) = (pack(text)?, serde_json::to_string(query)?);
        self.store.write(move |write| {
            let sql = "INSERT INTO result (id, account, title, created, text, query)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
            write.execute(sql, params![name, account, title, now(), text, query])?;
            Ok(())
        })?;
        Ok(id)
    }

    /// Returns a saved result of the actor.
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
            let (title, created, text, query) =
                found.ok_or_else(|| Error::not_found("result", id))?;
            let (text, query) = (unpack(&text)?, serde_json::from_str(&query)?);
            Ok(SavedResult { title, created, text, query })
        })
    }

    /// Returns the latest results of the actor: id, title and time.
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

    /// Compares a saved text with its sources.
    pub(crate) fn result_details(
        &self,
        actor: &Actor,
        saved: &SavedResult,
        exclusions: &Exclusions,
    ) -> Result<ResultDetails, Error> {
        let request = ProbeRequest {
            text: saved.text.clone(),
            repositories: saved.query.against.clone(),
            threshold: 0.0,
            limit: None,
            exclude: Vec::new(),
        };
        let (query, mut raw, own) = self.probe_raw(actor, &request)?;
        if let Some((repository, id)) = &saved.query.registered {
            // A document is not its own source.
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
        let mut n_sources = vec![0u32; words.len()];
        let mut raw_shared = vec![false; words.len()];
        for raw in &raw.matches {
            for &(span, _) in &raw.overlap.covered {
                words.each(span, |word| {
                    n_sources[word] += 1;
                    raw_shared[word] = true;
                });
            }
        }
        if exclusions.common > 0 {
            for (reason, &n_sources) in excluded.iter_mut().zip(&n_sources) {
                if n_sources > exclusions.common && reason.is_none() {
                    *reason = Some(Exclusion::Common);
                }
            }
        }
        let total = raw.matches.len();
        let mut owner: Vec<Option<usize>> = vec![None; words.len()];
        let mut sources = Vec::new();
        let mut shared_words = Vec::new();
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
                shared_words.push(WordSet::new(&words, &raw.overlap.covered));
                sources.push(source);
            }
        }
        mark_similar(&mut sources, &shared_words);
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

    /// Compares a text with one source; `takes` decides whether a word counts for it.
    #[expect(clippy::too_many_arguments, reason = "one step of result_details")]
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

/// Marks sources that share at least half of the longer of two with another source, judged by the words
/// of the text that both contain. Private matches in other accounts are skipped.
fn mark_similar(sources: &mut [MatchedSource], shared_words: &[WordSet]) {
    for a in 0..sources.len() {
        for b in a + 1..sources.len() {
            let pair = [&sources[a], &sources[b]];
            let longer = pair.map(|source| source.source_counts.0).into_iter().max().unwrap_or(0);
            let in_common = shared_words[a].in_common(&shared_words[b]);
            let is_visible = pair.iter().all(|source| !source.matched.in_another_account);
            if is_visible && longer > 0 && 2 * in_common >= longer {
                [a, b].iter().for_each(|at| sources[*at].has_similar_source = true);
            }
        }
    }
}

/// A set of words of a text, one bit per word.
struct WordSet {
    bits: Vec<u64>,
}

impl WordSet {
    /// Returns the words that start in these spans.
    fn new<T>(words: &WordSpans<'_>, spans: &[(Span, T)]) -> Self {
        let mut bits = vec![0; words.len().div_ceil(64)];
        for (span, _) in spans {
            words.each(*span, |word| bits[word / 64] |= 1 << (word % 64));
        }
        Self { bits }
    }

    /// Counts the words that are in both.
    fn in_common(&self, other: &Self) -> u64 {
        let both = self.bits.iter().zip(&other.bits).map(|(a, b)| (a & b).count_ones());
        both.map(u64::from).sum()
    }
}

/// Returns the spans of the first text of a comparison that count as contained.
pub(super) fn covered(comparison: &TextComparison) -> Vec<Span> {
    let alignment = &comparison.alignment;
    let segments = alignment.passages.iter().flat_map(|passage| &passage.segments);
    let same = segments.filter(|segment| segment.kind == SegmentKind::Same);
    let same = same.map(|segment| segment.a.span);
    same.chain(alignment.repeats_a.iter().map(|repeat| repeat.here.span)).collect()
}

/// The words of a text, by their spans.
pub(super) struct WordSpans<'a> {
    spans: &'a [Span],
}

impl<'a> WordSpans<'a> {
    pub(super) fn new(spans: &'a [Span]) -> Self {
        Self { spans }
    }

    /// Returns for each word why a comparison of the text excludes it; `None` if it counts.
    pub(super) fn excluded(&self, comparison: &TextComparison) -> Vec<Option<Exclusion>> {
        let mut excluded = vec![None; self.len()];
        for part in &comparison.excluded_a {
            self.each(part.span, |word| excluded[word] = Some(part.reason));
        }
        excluded
    }

    pub(super) fn len(&self) -> usize {
        self.spans.len()
    }

    /// Calls `take` with the index of each word that starts in `span`.
    pub(super) fn each(&self, span: Span, take: impl FnMut(usize)) {
        let first = self.spans.partition_point(|word| word.start < span.start);
        let end = self.spans.partition_point(|word| word.start < span.end);
        (first..end).for_each(take);
    }
}

/// Returns the runs of words with the same source or the same reason for exclusion.
fn text_runs(
    spans: &[Span],
    excluded: &[Option<Exclusion>],
    owner: &[Option<usize>],
) -> Vec<TextRun> {
    let mut runs: Vec<TextRun> = Vec::new();
    let labels = excluded.iter().zip(owner);
    for (word, (span, (excluded, owner))) in (0u64..).zip(spans.iter().zip(labels)) {
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
