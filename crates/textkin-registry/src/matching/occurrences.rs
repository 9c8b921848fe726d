//! Occurrences: which documents contain a passage, since when, and which of them is its origin.
//!
//! The origin is the document with the earliest time according to its source. If several have the same
//! time, they are tied; if none has a time, the passage is undated. Then the document that was
//! registered first represents them.

use hashbrown::HashMap;
use rusqlite::Transaction;
use serde::Serialize;
use textkin::engine::types::{SegmentKind, Span};
use utoipa::ToSchema;

use crate::domain::{Action, Actor, DocumentId, RepositoryId};
use crate::error::Error;
use crate::matching::index::{CHUNK_WORDS, PartitionKind};
use crate::matching::match_set::{MatchedDocument, WordRuns, WordSpans};
use crate::service::documents::DocumentView;
use crate::service::{ByteRange, Service};
use crate::store::documents::{self, DocumentRow};

/// The maximum number of occurrences of a passage that are returned.
const MAX_OCCURRENCES: usize = 100;
/// The maximum number of bytes of a passage.
const MAX_PASSAGE: usize = 64 << 10;
/// The minimum share of a passage that a document must contain to be an occurrence of it.
const MIN_SHARE: f64 = 0.5;

/// How certain the origin of a passage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OriginStatus {
    /// One document is the earliest known.
    EarliestKnown,
    /// Several documents have the same earliest time.
    Tied,
    /// No document has a time.
    Undated,
}

/// A passage of a document that another document contained earlier, or as early.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SharedPassage {
    /// Its byte range in the document.
    pub span: ByteRange,
    /// Its number of words.
    pub words: u32,
    /// The id of the earliest document known to contain it.
    pub origin: String,
    /// The time of that document, according to its source.
    pub origin_time: Option<String>,
    /// How certain the origin is.
    pub status: OriginStatus,
    /// Documents of the repository that contain it, including the origin and this one.
    pub documents: u64,
}

/// A document that contains words of a given text.
#[derive(Clone, Debug)]
pub struct ContainingDocument {
    pub(crate) entry: DocumentRow,
    pub(crate) timestamp: Option<i64>,
    /// The word ranges of the given text that it contains, ascending.
    words: Vec<(usize, usize)>,
    /// Where they are in this document, if that was asked for.
    pub(crate) there: Vec<Span>,
}

impl ContainingDocument {
    /// Returns the document as a member of `repository`.
    #[must_use]
    pub fn view(&self, repository: &str) -> DocumentView {
        self.entry.clone().view(repository)
    }
}

/// Consecutive words of a text that the same documents contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedSpan {
    /// Where it is in the text.
    pub span: Span,
    /// Its number of words.
    pub words: u32,
    /// The index of the origin in the list of documents; `None` if it is the text itself.
    pub origin: Option<usize>,
    /// What is known of its origin.
    pub status: OriginStatus,
    /// The number of documents that contain it, including the given one.
    pub documents: u64,
}

/// All occurrences of one passage.
#[derive(Clone, Debug)]
pub struct PassageOccurrences {
    /// What is known of its origin.
    pub status: OriginStatus,
    /// The oldest first; those without a time last.
    pub occurrences: Vec<PassageOccurrence>,
    /// The number of further occurrences.
    pub more: u64,
}

/// A passage in one document.
#[derive(Clone, Debug)]
pub struct PassageOccurrence {
    /// The document.
    pub document: DocumentView,
    /// The passage as it appears there.
    pub text: String,
    /// Words of the document.
    pub words: u64,
    /// The first word of the passage in the document, counted from 0.
    pub first_word: u64,
}

/// Parses the time that the source of a document gives.
pub fn timestamp(time: Option<&str>) -> Option<i64> {
    time.and_then(|time| time.parse::<textkin::engine::Timestamp>().ok())
        .map(|timestamp| timestamp.0)
}

/// Returns the index of the earliest of some documents, given by number and time, and how certain it is.
pub(crate) fn earliest(
    documents: impl Iterator<Item = (DocumentId, Option<i64>)> + Clone,
) -> Option<(usize, OriginStatus)> {
    let dated = documents
        .clone()
        .enumerate()
        .filter_map(|(at, (number, timestamp))| timestamp.map(|timestamp| (timestamp, number, at)));
    let Some(first) = dated.clone().min() else {
        let first = documents.enumerate().min_by_key(|(_, (number, _))| *number)?;
        return Some((first.0, OriginStatus::Undated));
    };
    let as_early = dated.filter(|document| document.0 == first.0).count();
    let status = if as_early > 1 { OriginStatus::Tied } else { OriginStatus::EarliestKnown };
    Some((first.2, status))
}

impl Service {
    /// Returns the documents of a repository that were registered before a document and contain words
    /// of it, with the places of the words there.
    pub(crate) fn containing_documents(
        &self,
        repository: RepositoryId,
        number: DocumentId,
        text: &str,
    ) -> Result<ContainingDocuments, Error> {
        let set = self.match_set(&self.index.query(text), &|other| other == repository, 0.0)?;
        let others = set.documents.iter().filter(|own| own.number < number);
        let documents = self.store.read(|read| {
            let mut documents = Vec::new();
            for own in others {
                documents.extend(containing_document(read, own)?);
            }
            Ok(documents)
        })?;
        Ok(ContainingDocuments { spans: set.spans, documents })
    }

    /// Returns the passages of a document that others contain, with their origins.
    ///
    /// # Errors
    /// If the document does not exist or the actor may not see it.
    pub fn passages(
        &self,
        actor: &Actor,
        repository: &str,
        id: &str,
    ) -> Result<Vec<SharedPassage>, Error> {
        let (_, containing, shared) = self.shared_spans_of(actor, repository, id)?;
        let passages = shared.iter().filter_map(|shared| {
            let origin = &containing[shared.origin?].entry;
            Some(SharedPassage {
                span: shared.span.into(),
                words: shared.words,
                origin: origin.id.clone(),
                origin_time: origin.time.clone(),
                status: shared.status,
                documents: shared.documents,
            })
        });
        Ok(passages.collect())
    }

    /// Returns a document with its text, the documents that contain words of it, and the shared spans.
    pub fn shared_spans_of(
        &self,
        actor: &Actor,
        repository: &str,
        id: &str,
    ) -> Result<(DocumentView, Vec<ContainingDocument>, Vec<SharedSpan>), Error> {
        let view = self.document(actor, repository, id, true)?;
        let (owner, number) = self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            Ok((record.id, documents::find(read, &record, id)?.number))
        })?;
        let Some(text) = &view.text else { return Ok((view, Vec::new(), Vec::new())) };
        let query = self.index.query(text);
        let runs = self.index.contained_runs(&query, &|other| other == owner)?;
        let documents = self.store.read(|read| {
            let mut documents = Vec::new();
            for (other, runs) in runs.into_iter().filter(|(other, _)| *other != number) {
                // It may have been removed meanwhile.
                let Some(entry) = documents::by_number(read, other)? else { continue };
                let timestamp = timestamp(entry.time.as_deref());
                let words = WordRuns::from_ranges(runs).iter().collect();
                documents.push(ContainingDocument { entry, timestamp, words, there: Vec::new() });
            }
            Ok(documents)
        })?;
        let own = (number, timestamp(view.time.as_deref()));
        let shared = shared_spans(query.spans(), own, &documents);
        Ok((view, documents, shared))
    }

    /// Returns all occurrences of a passage of a document that the actor may see.
    pub fn passage_occurrences(
        &self,
        actor: &Actor,
        repository: &str,
        id: &str,
        from: usize,
        to: usize,
    ) -> Result<PassageOccurrences, Error> {
        let view = self.document(actor, repository, id, true)?;
        let text = view.text.ok_or_else(|| {
            Error::Invalid(
                "the text of this document was not stored, only its fingerprints".to_owned(),
            )
        })?;
        let from = text.floor_char_boundary(from.min(text.len()));
        let to = text.ceil_char_boundary(to.clamp(from, text.len()));
        let passage = &text[from..to.min(text.floor_char_boundary(from + MAX_PASSAGE))];
        let query = self.index.query(passage);
        if query.words() < CHUNK_WORDS.get() {
            return Err(Error::Invalid(format!(
                "a passage must have at least {CHUNK_WORDS} words"
            )));
        }
        let visible = self.store.read(|read| {
            let mut visible = Self::visible(read, actor)?;
            visible.retain(|record| record.keeps_text);
            visible.sort_by_key(|record| record.id);
            Ok(visible)
        })?;
        let find = |owner: RepositoryId| visible.binary_search_by_key(&owner, |record| record.id);
        let set = self.match_set(&query, &|owner| find(owner).is_ok(), 0.0)?;
        let mut found = Vec::new();
        for own in set.documents.iter().filter(|own| own.text_share() >= MIN_SHARE) {
            let Ok(at) = find(own.repository) else { continue };
            let best = own.passages.iter().max_by_key(|passage| passage.matched);
            let entry = self.store.read(|read| documents::by_number(read, own.number))?;
            let (Some(best), Some(entry)) = (best, entry) else { continue };
            let timestamp = timestamp(entry.time.as_deref());
            found.push((timestamp.is_none(), timestamp, own.number, at, best.b, entry));
        }
        found.sort_by_key(|found| (found.0, found.1, found.2));
        let status = earliest(found.iter().map(|found| (found.2, found.1)));
        let status = status.map_or(OriginStatus::Undated, |status| status.1);
        let total = found.len();
        let mut occurrences = Vec::new();
        for (_, _, number, at, place, entry) in found.into_iter().take(MAX_OCCURRENCES) {
            let Some(text) = self.index.text(PartitionKind::Texts, number)? else { continue };
            let passage = text.get(place.span.range()).unwrap_or_default().to_owned();
            occurrences.push(PassageOccurrence {
                document: entry.view(&visible[at].name),
                text: passage,
                words: u64::from(place.count),
                first_word: u64::from(place.first),
            });
        }
        let more = total.saturating_sub(MAX_OCCURRENCES) as u64;
        Ok(PassageOccurrences { status, occurrences, more })
    }

    /// Counts, for each of `places` in a text, the documents that the actor may see and that contain at
    /// least half of its words; without those in `except` (repository and id).
    pub fn count_containing_documents(
        &self,
        actor: &Actor,
        text: &str,
        places: &[Span],
        except: &[(&str, &str)],
    ) -> Result<Vec<u64>, Error> {
        actor.require(Action::Read)?;
        let (visible, excluded) = self.store.read(|read| {
            let visible: HashMap<RepositoryId, ()> =
                Self::visible(read, actor)?.iter().map(|record| (record.id, ())).collect();
            let mut excluded = Vec::new();
            for (repository, id) in except {
                if let Ok(record) = Self::resolve(read, actor, repository)
                    && let Ok(entry) = documents::find(read, &record, id)
                {
                    excluded.push(entry.number);
                }
            }
            Ok((visible, excluded))
        })?;
        let query = self.index.query(text);
        let runs = self.index.contained_runs(&query, &|owner| visible.contains_key(&owner))?;
        let spans = WordSpans(query.spans());
        let places: Vec<(usize, usize)> = places.iter().map(|place| spans.range(*place)).collect();
        let mut counts = vec![0u64; places.len()];
        for (_, runs) in runs.into_iter().filter(|(number, _)| !excluded.contains(number)) {
            let runs = WordRuns::from_ranges(runs);
            for (count, &(from, to)) in counts.iter_mut().zip(&places) {
                *count += u64::from(to > from && runs.count_in(from, to) * 2 >= to - from);
            }
        }
        Ok(counts)
    }
}

/// The documents that contain words of a text.
#[derive(Debug)]
pub(crate) struct ContainingDocuments {
    /// The words of the text.
    pub(crate) spans: Vec<Span>,
    pub(crate) documents: Vec<ContainingDocument>,
}

impl ContainingDocuments {
    /// Splits the text where the set of containing documents changes, without the words that only it
    /// has. `own` is the number and the time of its document.
    pub(crate) fn shared_spans(&self, own: (DocumentId, Option<i64>)) -> Vec<SharedSpan> {
        shared_spans(&self.spans, own, &self.documents)
    }
}

/// Returns a match as a containing document; `None` if it was removed meanwhile.
fn containing_document(
    read: &Transaction<'_>,
    own: &MatchedDocument,
) -> Result<Option<ContainingDocument>, Error> {
    let Some(entry) = documents::by_number(read, own.number)? else { return Ok(None) };
    let same = own.passages.iter().flat_map(|passage| &passage.segments);
    let same = same.filter(|segment| segment.kind == SegmentKind::Same);
    let there = same.map(|segment| segment.b.span).collect();
    let timestamp = timestamp(entry.time.as_deref());
    Ok(Some(ContainingDocument { entry, timestamp, words: own.runs.iter().collect(), there }))
}

fn shared_spans(
    spans: &[Span],
    own: (DocumentId, Option<i64>),
    containing: &[ContainingDocument],
) -> Vec<SharedSpan> {
    let mut edges: Vec<usize> = containing
        .iter()
        .flat_map(|document| &document.words)
        .flat_map(|run| [run.0, run.1])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    // The position in the list of ranges of each document.
    let mut next = vec![0usize; containing.len()];
    let mut cut: Vec<SharedSpan> = Vec::new();
    for pair in edges.windows(2) {
        let (start, end) = (pair[0], pair[1].min(spans.len()));
        if start >= end {
            continue;
        }
        let mut has: Vec<usize> = Vec::new();
        for (at, document) in containing.iter().enumerate() {
            while document.words.get(next[at]).is_some_and(|run| run.1 <= start) {
                next[at] += 1;
            }
            if document.words.get(next[at]).is_some_and(|run| run.0 <= start) {
                has.push(at);
            }
        }
        if has.is_empty() {
            continue;
        }
        let number = |at: &usize| (containing[*at].entry.number, containing[*at].timestamp);
        let all = std::iter::once(own).chain(has.iter().map(number));
        let Some((first, status)) = earliest(all) else { continue };
        let origin = match (first, status) {
            // As early as another document: name the other one.
            (0, OriginStatus::Tied) => {
                let tied = has.iter().filter(|at| containing[**at].timestamp == own.1);
                tied.min_by_key(|at| containing[**at].entry.number).copied()
            }
            (0, _) => None,
            (at, _) => Some(has[at - 1]),
        };
        let count = |words: usize| u32::try_from(words).unwrap_or(u32::MAX);
        let new = SharedSpan {
            span: Span::new(spans[start].start, spans[end - 1].end),
            words: count(end - start),
            origin,
            status,
            documents: has.len() as u64 + 1,
        };
        match cut.last_mut() {
            Some(last)
                if start > 0
                    && last.span.end == spans[start - 1].end
                    && (last.origin, last.status, last.documents)
                        == (new.origin, new.status, new.documents) =>
            {
                last.span.end = new.span.end;
                last.words += new.words;
            }
            _ => cut.push(new),
        }
    }
    cut
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::service::tests::{actor, register, repository};
    use crate::service::{ServiceLimits, Visibility};

    fn entry(number: DocumentId) -> DocumentRow {
        DocumentRow {
            number,
            id: number.to_string(),
            title: None,
            time: None,
            author: None,
            label: None,
            words: 0,
            bytes: 0,
            digest: [0; 32],
            added: 0,
        }
    }

    proptest! {
        /// Compares word by word with a direct search of all documents.
        #[test]
        fn shared_spans_name_the_origin_of_each_word(
            own_time in proptest::option::of(0i64..4),
            others in proptest::collection::vec(
                (proptest::option::of(0i64..4), proptest::collection::vec(any::<bool>(), 12)), 0..5),
        ) {
            let spans: Vec<Span> = (0..12).map(|word| Span::new(word * 2, word * 2 + 1)).collect();
            let own = (DocumentId::new(3), own_time);
            let containing: Vec<ContainingDocument> = others.iter().enumerate().map(|(at, (timestamp, has))| {
                let mut words: Vec<(usize, usize)> = Vec::new();
                for word in (0..12).filter(|word| has[*word]) {
                    match words.last_mut() {
                        Some(last) if last.1 == word => last.1 += 1,
                        _ => words.push((word, word + 1)),
                    }
                }
                // Numbers on both sides of its own number.
                let number = DocumentId::new(at as u64 + u64::from(at >= 2) + 1);
                ContainingDocument { entry: entry(number), timestamp: *timestamp, words, there: Vec::new() }
            }).collect();
            let cut = shared_spans(&spans, own, &containing);
            for (word, &span) in spans.iter().enumerate() {
                let found = cut.iter().find(|shared| shared.span.start <= span.start && span.end <= shared.span.end);
                let has: Vec<&ContainingDocument> = containing.iter().filter(|document|
                    document.words.iter().any(|run| run.0 <= word && word < run.1)).collect();
                let Some(found) = found else {
                    prop_assert!(has.is_empty());
                    continue;
                };
                prop_assert_eq!(found.documents, has.len() as u64 + 1);
                let times: Vec<i64> =
                    has.iter().filter_map(|h| h.timestamp).chain(own.1).collect();
                let earliest = times.iter().min().copied();
                let n_earliest = times.iter().filter(|m| Some(**m) == earliest).count();
                let status = match (earliest, n_earliest) {
                    (None, _) => OriginStatus::Undated,
                    (_, 1) => OriginStatus::EarliestKnown,
                    _ => OriginStatus::Tied,
                };
                prop_assert_eq!(found.status, status);
                let first = found.origin.map(|at| &containing[at]);
                match status {
                    OriginStatus::EarliestKnown | OriginStatus::Tied => {
                        let timestamp = first.map_or(own.1, |first| first.timestamp);
                        prop_assert_eq!(timestamp, earliest);
                    }
                    OriginStatus::Undated => {
                        let lowest = has.iter().map(|h| h.entry.number).chain([own.0]).min();
                        prop_assert_eq!(Some(first.map_or(own.0, |first| first.entry.number)), lowest);
                    }
                }
            }
            prop_assert_eq!(
                cut.iter().map(|shared| u64::from(shared.words)).sum::<u64>(),
                (0..12).filter(|word| others.iter().any(|(_, has)| has[*word])).count() as u64
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]
        /// The runs by chunks are those of the alignment, before and after a flush.
        #[test]
        fn contained_runs_are_those_of_the_match_set(
            texts in proptest::collection::vec(proptest::collection::vec(0u8..3, 0..60), 1..4),
            query in proptest::collection::vec(0u8..3, 0..80),
            is_flushed in any::<bool>(),
        ) {
            let spell = |words: &[u8]| {
                words.iter().map(|word| format!("w{word}")).collect::<Vec<_>>().join(" ")
            };
            let folder = tempfile::tempdir().unwrap();
            let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
            let anna = actor(&service, "anna", "admin");
            repository(&service, &anna, "works", Visibility::Private);
            for (at, text) in texts.iter().enumerate() {
                register(&service, &anna, "works", &at.to_string(), &format!("own{at} {}", spell(text)));
            }
            if is_flushed {
                service.flush(PartitionKind::Texts).unwrap();
            }
            let query = service.index.query(&spell(&query));
            let set = service.match_set(&query, &|_| true, 0.0).unwrap();
            let mut expected: Vec<_> =
                set.documents.into_iter().map(|own| (own.number, own.runs)).collect();
            expected.sort_by_key(|own| own.0);
            let runs = service.index.contained_runs(&query, &|_| true).unwrap();
            let runs: Vec<_> =
                runs.into_iter().map(|(number, runs)| (number, WordRuns::from_ranges(runs))).collect();
            prop_assert_eq!(runs, expected);
            prop_assert!(service.index.contained_runs(&query, &|_| false).unwrap().is_empty());
        }
    }
}
