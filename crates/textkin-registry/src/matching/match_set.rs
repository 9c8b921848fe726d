//! Match sets: what a text shares with which documents.
//!
//! In: a text and the repositories to search. Out: the documents, how many words are shared on both
//! sides, and which words of the text. A match set is computed once per text. Probes, results,
//! comparisons of a result, occurrences and contact requests all read it; a saved result keeps it.
//!
//! A kept match set names documents by number. Whoever reads it checks which of them still exist and
//! may be seen.

use textkin::engine::types::{Exclusion, Passage, Span};

use crate::cancel;
use crate::domain::{DocumentId, RepositoryId};
use crate::error::Error;
use crate::matching::codec::{Decoder, Encoder};
use crate::matching::comparison::{ComparisonDetails, decode_reason, encode_reason};
use crate::matching::exclusions::Comparer;
use crate::matching::index::{Candidate, IndexQuery, MatchOverlap, PartitionKind};
use crate::service::Service;

/// What a text shares with which documents.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MatchSet {
    /// The number of words of the text.
    pub(crate) words: u32,
    /// Where each word is in the text; empty if the text is not available.
    pub(crate) spans: Vec<Span>,
    /// The documents, largest share first.
    pub(crate) documents: Vec<MatchedDocument>,
    /// The number of documents that share a chunk with the text.
    pub(crate) candidates: usize,
    /// How many of them were compared word by word.
    pub(crate) examined: usize,
}

/// A document that shares words with a text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MatchedDocument {
    pub(crate) number: DocumentId,
    pub(crate) repository: RepositoryId,
    pub(crate) kind: PartitionKind,
    /// Whether it is a private document of another account, of which only the share is disclosed.
    pub(crate) in_another_account: bool,
    /// Words of the text, and how many of them the document contains.
    pub(crate) text_counts: (u64, u64),
    /// Words of the document, and how many of them the text contains.
    pub(crate) document_counts: (u64, u64),
    /// The words of the text that it contains.
    pub(crate) runs: WordRuns,
    /// The shared passages, if both texts are available. A kept match set has none.
    pub(crate) passages: Vec<Passage>,
}

fn share((words, shared): (u64, u64)) -> f64 {
    shared as f64 / words.max(1) as f64
}

impl MatchedDocument {
    fn new(spans: WordSpans<'_>, candidate: &Candidate, overlap: MatchOverlap) -> Self {
        Self {
            number: candidate.number,
            repository: candidate.repository,
            kind: candidate.kind,
            in_another_account: false,
            text_counts: (overlap.query_words, overlap.query_covered),
            document_counts: (overlap.document_words, overlap.document_covered),
            runs: spans.runs(overlap.covered.iter().map(|run| run.0)),
            passages: overlap.passages,
        }
    }

    /// Returns the share of the text that the document contains.
    pub(crate) fn text_share(&self) -> f64 {
        share(self.text_counts)
    }

    /// Returns the share that must reach a threshold: the larger of both containments. How much of another
    /// account's text matches must not be disclosed, so there it is the share of the text.
    pub(crate) fn share(&self) -> f64 {
        match self.in_another_account {
            true => self.text_share(),
            false => self.text_share().max(share(self.document_counts)),
        }
    }
}

/// Runs of words of a text, each from its first word to one past its last; ascending, and neither
/// overlapping nor touching.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct WordRuns(Vec<(u32, u32)>);

impl WordRuns {
    /// Returns the runs of the words for which `has` is set.
    #[cfg(test)]
    pub(crate) fn from_flags(has: &[bool]) -> Self {
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for (word, _) in (0u32..).zip(has).filter(|(_, has)| **has) {
            match runs.last_mut() {
                Some(last) if last.1 == word => last.1 += 1,
                _ => runs.push((word, word + 1)),
            }
        }
        Self(runs)
    }

    pub(crate) fn from_ranges(mut ranges: Vec<(u32, u32)>) -> Self {
        ranges.retain(|range| range.0 < range.1);
        ranges.sort_unstable();
        ranges.dedup_by(|next, last| {
            let touches = next.0 <= last.1;
            if touches {
                last.1 = last.1.max(next.1);
            }
            touches
        });
        Self(ranges)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.0.iter().map(|&(from, to)| (from as usize, to as usize))
    }

    /// Returns the index of each word.
    pub(crate) fn words(&self) -> impl Iterator<Item = usize> + '_ {
        self.iter().flat_map(|(from, to)| from..to)
    }

    /// Counts the words from `from` to before `to`.
    pub(crate) fn count_in(&self, from: usize, to: usize) -> usize {
        let first = self.0.partition_point(|run| run.1 as usize <= from);
        let runs = self.0[first..].iter().take_while(|run| (run.0 as usize) < to);
        runs.map(|run| (run.1 as usize).min(to) - (run.0 as usize).max(from)).sum()
    }

    /// Counts the words that are in both.
    pub(crate) fn in_common(&self, other: &Self) -> u64 {
        self.iter().map(|(from, to)| other.count_in(from, to) as u64).sum()
    }

    fn encode(&self, encoder: &mut Encoder) {
        let mut last = 0;
        encoder.list(&self.0, |encoder, &(from, to)| {
            encoder.number(from - last);
            encoder.number(to - from);
            last = to;
        });
    }

    /// `words` is the number of words of the text.
    fn decode(decoder: &mut Decoder, words: u32) -> Result<Self, Error> {
        let mut last = 0u32;
        let runs = decoder.list(|decoder| {
            let (skipped, length): (u32, u32) = (decoder.number()?, decoder.number()?);
            let from = last.saturating_add(skipped).min(words);
            last = from.saturating_add(length).min(words);
            Ok((from, last))
        })?;
        Ok(Self(runs))
    }
}

/// The words of a text, by their spans.
#[derive(Clone, Copy, Debug)]
pub(crate) struct WordSpans<'a>(pub(crate) &'a [Span]);

impl WordSpans<'_> {
    /// Returns the words that start in `span`: the first, and one past the last.
    pub(crate) fn range(self, span: Span) -> (usize, usize) {
        let first = self.0.partition_point(|word| word.start < span.start);
        let end = self.0.partition_point(|word| word.start < span.end);
        (first, end.max(first))
    }

    /// Returns the words that start in one of `spans`.
    fn runs(self, spans: impl Iterator<Item = Span>) -> WordRuns {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let ranges = spans.map(|span| self.range(span)).map(|(from, to)| (place(from), place(to)));
        WordRuns::from_ranges(ranges.collect())
    }

    /// Returns the span of a run of words, which must not be empty.
    pub(crate) fn span(self, (from, to): (usize, usize)) -> Span {
        match (self.0.get(from), self.0.get(to.saturating_sub(1))) {
            (Some(first), Some(last)) => Span::new(first.start, last.end),
            _ => Span::default(),
        }
    }
}

impl MatchSet {
    pub(crate) fn word_spans(&self) -> WordSpans<'_> {
        WordSpans(&self.spans)
    }

    /// Sorts the documents by the share of the text that they contain, the largest first. What the text
    /// is of them decides only between equals: a note that the text quotes whole is not its main source.
    pub(crate) fn sort(&mut self) {
        self.documents.sort_by(|a, b| {
            let by_share = b.text_counts.1.cmp(&a.text_counts.1);
            by_share.then(b.share().total_cmp(&a.share())).then(a.number.cmp(&b.number))
        });
    }

    /// Marks the words that at least one document contains.
    pub(crate) fn shared_words(&self) -> Vec<bool> {
        let mut is_shared = vec![false; self.spans.len()];
        for word in self.documents.iter().flat_map(|document| document.runs.words()) {
            is_shared[word] = true;
        }
        is_shared
    }

    /// Counts the documents again after exclusions, and drops those that then share nothing or less than
    /// `threshold`.
    pub(crate) fn recount(&mut self, applied: AppliedExclusions, threshold: f64) {
        let n_counted = applied.n_counted();
        for (document, counted) in self.documents.iter_mut().zip(applied.documents) {
            let is_counted = |word: &usize| applied.excluded[*word].is_none();
            let shared = counted.runs.words().filter(is_counted).count() as u64;
            document.text_counts = (n_counted, shared);
            document.document_counts = counted.document_counts;
            document.runs = counted.runs;
            document.passages = counted.passages;
        }
        self.documents.retain(|own| own.text_counts.1 > 0 && own.share() >= threshold);
        self.sort();
    }

    /// Returns the stored form, without passages.
    pub(crate) fn pack(&self) -> Result<Vec<u8>, Error> {
        let mut encoder = Encoder::new();
        encoder.number(self.words);
        let mut last = 0;
        encoder.list(&self.spans, |encoder, span| {
            encoder.number(span.start.wrapping_sub(last));
            encoder.number(span.end.wrapping_sub(span.start));
            last = span.start;
        });
        encoder.list(&self.documents, |encoder, document| {
            encoder.number(document.number.get());
            encoder.number(document.repository.get());
            encoder.number(document.kind == PartitionKind::Texts);
            encoder.number(document.in_another_account);
            let (text, own) = (document.text_counts, document.document_counts);
            for number in [text.0, text.1, own.0, own.1] {
                encoder.number(number);
            }
            document.runs.encode(encoder);
        });
        encoder.number(self.candidates as u64);
        encoder.number(self.examined as u64);
        encoder.finish()
    }

    /// Reads the stored form.
    pub(crate) fn unpack(packed: &[u8]) -> Result<Self, Error> {
        let mut decoder = Decoder::new(packed)?;
        let words = decoder.number()?;
        let mut last = 0u32;
        let spans = decoder.list(|decoder| {
            let (skipped, length): (u32, u32) = (decoder.number()?, decoder.number()?);
            last = last.wrapping_add(skipped);
            Ok(Span::new(last, last.saturating_add(length)))
        })?;
        let n_spans = u32::try_from(spans.len()).unwrap_or(u32::MAX);
        let documents = decoder.list(|decoder| {
            Ok(MatchedDocument {
                number: DocumentId::new(decoder.number()?),
                repository: decoder.repository()?,
                kind: PartitionKind::new(decoder.flag()?),
                in_another_account: decoder.flag()?,
                text_counts: (decoder.number()?, decoder.number()?),
                document_counts: (decoder.number()?, decoder.number()?),
                runs: WordRuns::decode(decoder, n_spans)?,
                passages: Vec::new(),
            })
        })?;
        let (candidates, examined) = (decoder.number()?, decoder.number()?);
        decoder.finish()?;
        Ok(Self { words, spans, documents, candidates, examined })
    }
}

impl Service {
    /// Returns the documents of the searched repositories whose share in `query`, or the share of
    /// `query` in them, is at least `threshold`.
    pub(crate) fn match_set(
        &self,
        query: &IndexQuery,
        is_searched: &dyn Fn(RepositoryId) -> bool,
        threshold: f64,
    ) -> Result<MatchSet, Error> {
        let candidates = self.index.candidates(query, is_searched)?;
        let mut set = MatchSet {
            words: query.words(),
            spans: query.spans().to_vec(),
            documents: Vec::new(),
            candidates: candidates.len(),
            examined: candidates.len().min(self.limits.examined),
        };
        for candidate in candidates.iter().take(set.examined) {
            cancel::check()?;
            if let Some(document) = self.matched_document(query, candidate)?
                && document.share() >= threshold
            {
                set.documents.push(document);
            }
        }
        set.sort();
        Ok(set)
    }

    /// Compares a candidate word by word; `None` if it shares nothing, or was removed meanwhile.
    pub(crate) fn matched_document(
        &self,
        query: &IndexQuery,
        candidate: &Candidate,
    ) -> Result<Option<MatchedDocument>, Error> {
        let overlap = self.index.overlap(query, candidate)?;
        let overlap = overlap.filter(|overlap| overlap.query_covered > 0);
        let spans = WordSpans(query.spans());
        Ok(overlap.map(|overlap| MatchedDocument::new(spans, candidate, overlap)))
    }

    /// Counts the first `limit` documents of a match set of `text` again without excluded text.
    /// `keep` gets each comparison, with the number of the document.
    pub(crate) fn apply_exclusions(
        &self,
        text: &str,
        set: &MatchSet,
        comparer: &Comparer,
        limit: usize,
        mut keep: impl FnMut(DocumentId, &ComparisonDetails) -> Result<(), Error>,
    ) -> Result<AppliedExclusions, Error> {
        let spans = set.word_spans();
        let mut applied = AppliedExclusions::none(set, 0);
        for part in &comparer.compare(text, "")?.excluded_a {
            let (from, to) = spans.range(part.span);
            applied.excluded[from..to].fill(Some(part.reason));
        }
        for document in set.documents.iter().take(limit) {
            cancel::check()?;
            let source = match document.kind {
                PartitionKind::Texts if !document.in_another_account => {
                    self.index.text(document.kind, document.number)?
                }
                _ => None,
            };
            let Some(source) = source else {
                applied.documents.push(CountedDocument::new(document));
                continue;
            };
            let comparison = comparer.compare(text, &source)?;
            let overlap = comparison.alignment.overlap;
            let details = ComparisonDetails::from(&comparison);
            keep(document.number, &details)?;
            applied.documents.push(CountedDocument {
                number: document.number,
                document_counts: (overlap.words_b, overlap.covered_b),
                runs: spans.runs(details.covered_spans()),
                passages: details.passages,
            });
        }
        Ok(applied)
    }
}

/// A match set after exclusions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AppliedExclusions {
    /// Why each word of the text is excluded; `None` if it counts.
    pub(crate) excluded: Vec<Option<Exclusion>>,
    /// The first documents of the match set, in the same order.
    pub(crate) documents: Vec<CountedDocument>,
}

/// A document of a match set after exclusions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CountedDocument {
    pub(crate) number: DocumentId,
    /// Its words that count, and how many of them the text contains.
    pub(crate) document_counts: (u64, u64),
    /// The words of the text that it contains, including excluded ones between them.
    pub(crate) runs: WordRuns,
    /// The shared passages. A kept set has none.
    pub(crate) passages: Vec<Passage>,
}

impl CountedDocument {
    fn new(document: &MatchedDocument) -> Self {
        Self {
            number: document.number,
            document_counts: document.document_counts,
            runs: document.runs.clone(),
            passages: document.passages.clone(),
        }
    }
}

impl AppliedExclusions {
    /// Returns the first `limit` documents of a match set without exclusions.
    pub(crate) fn none(set: &MatchSet, limit: usize) -> Self {
        Self {
            excluded: vec![None; set.spans.len()],
            documents: set.documents.iter().take(limit).map(CountedDocument::new).collect(),
        }
    }

    /// Counts the words of the text that are not excluded.
    pub(crate) fn n_counted(&self) -> u64 {
        self.excluded.iter().filter(|reason| reason.is_none()).count() as u64
    }

    /// Returns the stored form, without passages.
    pub(crate) fn pack(&self) -> Result<Vec<u8>, Error> {
        let mut excluded: Vec<(u32, u32, Exclusion)> = Vec::new();
        for (word, reason) in (0u32..).zip(&self.excluded) {
            let Some(reason) = *reason else { continue };
            match excluded.last_mut() {
                Some(last) if last.1 == word && last.2 == reason => last.1 += 1,
                _ => excluded.push((word, word + 1, reason)),
            }
        }
        let mut encoder = Encoder::new();
        encoder.list(&excluded, |encoder, &(from, to, reason)| {
            encoder.number(from);
            encoder.number(to);
            encode_reason(encoder, reason);
        });
        encoder.list(&self.documents, |encoder, document| {
            encoder.number(document.number.get());
            encoder.number(document.document_counts.0);
            encoder.number(document.document_counts.1);
            document.runs.encode(encoder);
        });
        encoder.finish()
    }

    /// Reads the stored form; `words` is the number of words of the text.
    pub(crate) fn unpack(packed: &[u8], words: usize) -> Result<Self, Error> {
        let mut decoder = Decoder::new(packed)?;
        let mut excluded = vec![None; words];
        let runs: Vec<(usize, usize, Exclusion)> = decoder
            .list(|decoder| Ok((decoder.number()?, decoder.number()?, decode_reason(decoder)?)))?;
        for (from, to, reason) in runs {
            let to = to.min(words);
            excluded[from.min(to)..to].fill(Some(reason));
        }
        let n_words = u32::try_from(words).unwrap_or(u32::MAX);
        let documents = decoder.list(|decoder| {
            Ok(CountedDocument {
                number: DocumentId::new(decoder.number()?),
                document_counts: (decoder.number()?, decoder.number()?),
                runs: WordRuns::decode(decoder, n_words)?,
                passages: Vec::new(),
            })
        })?;
        decoder.finish()?;
        Ok(Self { excluded, documents })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn runs_count_like_flags(
            a in proptest::collection::vec(any::<bool>(), 0..40),
            b in proptest::collection::vec(any::<bool>(), 40),
            from in 0usize..40,
            length in 0usize..40,
        ) {
            let (runs_a, runs_b) = (WordRuns::from_flags(&a), WordRuns::from_flags(&b));
            let words: Vec<usize> = (0..a.len()).filter(|word| a[*word]).collect();
            prop_assert_eq!(runs_a.words().collect::<Vec<_>>(), words.clone());
            let inside = words.iter().filter(|word| (from..from + length).contains(*word)).count();
            prop_assert_eq!(runs_a.count_in(from, from + length), inside);
            let in_common = words.iter().filter(|word| b[**word]).count() as u64;
            prop_assert_eq!(runs_a.in_common(&runs_b), in_common);
            let word = |word: &usize| u32::try_from(*word).expect("few words");
            let singles = words.iter().map(|at| (word(at), word(at) + 1));
            prop_assert_eq!(WordRuns::from_ranges(singles.rev().collect()), runs_a);
        }

        #[test]
        fn a_kept_match_set_is_the_same(
            documents in proptest::collection::vec(
                (any::<u64>(), 1u32.., any::<bool>(), any::<bool>(),
                 proptest::collection::vec(any::<bool>(), 30)), 0..5),
            reasons in proptest::collection::vec(proptest::option::of(0usize..2), 30),
        ) {
            let spans = (0..30).map(|word| Span::new(word * 7 + 2, word * 7 + 6)).collect();
            let document = |(number, repository, has_text, is_private, has): &(u64, u32, bool, bool, Vec<bool>)| {
                MatchedDocument {
                    number: DocumentId::new(*number),
                    repository: RepositoryId::new(*repository).unwrap(),
                    kind: PartitionKind::new(*has_text),
                    in_another_account: *is_private,
                    text_counts: (30, 8),
                    document_counts: (*number, 9),
                    runs: WordRuns::from_flags(has),
                    passages: Vec::new(),
                }
            };
            let documents = documents.iter().map(document).collect();
            let set = MatchSet { words: 30, spans, documents, candidates: 7, examined: 5 };
            prop_assert_eq!(MatchSet::unpack(&set.pack().unwrap()).unwrap(), set.clone());
            let mut applied = AppliedExclusions::none(&set, 3);
            let reason = |at: &usize| [Exclusion::Phrase, Exclusion::Quotation][*at];
            applied.excluded = reasons.iter().map(|at| at.as_ref().map(reason)).collect();
            let packed = applied.pack().unwrap();
            prop_assert_eq!(AppliedExclusions::unpack(&packed, 30).unwrap(), applied);
        }
    }
}
