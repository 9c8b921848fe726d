//! Reattribution: when a document is registered that is older than others with the same passages, it
//! becomes their origin, and the change is logged.

use rusqlite::Transaction;
use serde::Serialize;
use textkin::engine::types::Span;
use utoipa::ToSchema;

use crate::domain::{Action, Actor, DocumentId, ReattributionId, RepositoryId};
use crate::error::Error;
use crate::matching::index::{CHUNK_WORDS, PartitionKind};
use crate::matching::occurrences::{ContainingDocument, timestamp};
use crate::service::Service;
use crate::service::origins::{DocumentOrigins, OriginBlock};
use crate::store::origins;
use crate::store::reattributions::{self, NewReattribution};

/// A passage whose origin changed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReattributionView {
    /// Its id.
    pub id: ReattributionId,
    /// When it changed, in seconds since 1970.
    pub at: i64,
    /// The id of the document that contains the passage.
    pub document: String,
    /// The id of the previous origin; none if it was deleted.
    pub before: Option<String>,
    /// The id of the new origin.
    pub after: String,
    /// Its words.
    pub words: u64,
}

/// The change that an older document, registered later, makes to the origins of a younger one.
#[derive(Clone, Debug)]
pub(super) struct Reattribution {
    repository: RepositoryId,
    /// The younger document, and the spans of its words.
    document: DocumentId,
    words: Vec<Span>,
    /// The spans of it that the older document contains.
    there: Vec<Span>,
    /// The older document and its time.
    after: DocumentId,
    timestamp: i64,
}

impl Service {
    /// Corrects the origins of a document, which the tracer derived from the order of registration, by
    /// the times of the documents; returns the changes to younger documents.
    pub(super) fn assign(
        &self,
        repository: RepositoryId,
        number: DocumentId,
        text: &str,
        labels: &mut DocumentOrigins,
    ) -> Result<Vec<Reattribution>, Error> {
        let mut origins: Vec<DocumentId> =
            labels.blocks.iter().filter_map(|block| block.origin).collect();
        origins.sort_unstable();
        origins.dedup();
        if origins.is_empty() {
            return Ok(Vec::new());
        }
        let (own, is_in_order) = self.store.read(|read| {
            let Some(own) = time_of(read, number)? else { return Ok((0, true)) };
            for &origin in &origins {
                let is_late = time_of(read, origin)?.is_some_and(|timestamp| timestamp > own);
                if is_late || reattributions::exists(read, origin)? {
                    return Ok((own, false));
                }
            }
            Ok((own, true))
        })?;
        if is_in_order {
            return Ok(Vec::new());
        }
        let containing = self.containing_documents(repository, number, text)?;
        let shared = containing.shared_spans((number, Some(own)));
        let containing = containing.documents;
        let blocks = shared.iter().filter_map(|shared| {
            let origin = containing[shared.origin?].entry.number;
            let Span { start, end } = shared.span;
            Some(OriginBlock {
                start,
                end,
                origin: Some(origin),
                words: shared.words,
                estimated: false,
            })
        });
        labels.blocks = blocks.collect();
        let old: u32 = labels.blocks.iter().map(|block| block.words).sum();
        labels.fresh_words = labels.words.saturating_sub(old);
        let younger = containing
            .iter()
            .filter(|document| document.timestamp.is_some_and(|timestamp| timestamp > own));
        let mut reattribution = Vec::new();
        for ContainingDocument { entry, there, .. } in younger {
            let document = entry.number;
            let Some(text) = self.index.text(PartitionKind::Texts, document)? else { continue };
            let words = self.index.query(&text).spans().to_vec();
            let there = there.clone();
            reattribution.push(Reattribution {
                repository,
                document,
                words,
                there,
                after: number,
                timestamp: own,
            });
        }
        Ok(reattribution)
    }

    /// Returns the passages of a public repository whose origin changed, the latest first.
    ///
    /// # Errors
    /// If the actor may not see the repository.
    pub fn reattributions(
        &self,
        actor: &Actor,
        repository: &str,
        before: Option<ReattributionId>,
        limit: u32,
    ) -> Result<Vec<ReattributionView>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            reattributions::list(read, record.id, before, limit)
        })
    }
}

/// Returns the time of a document according to its source.
fn time_of(read: &Transaction<'_>, number: DocumentId) -> Result<Option<i64>, Error> {
    Ok(timestamp(reattributions::time_of(read, number)?.as_deref()))
}

impl Reattribution {
    /// Changes the origins of the younger document and logs the change.
    pub(super) fn store(&self, write: &Transaction<'_>) -> Result<(), Error> {
        let stored = origins::find(write, self.document)?;
        // It is not traced yet, or was removed.
        let Some(stored) = stored else { return Ok(()) };
        let mut labels: DocumentOrigins = serde_json::from_str(&stored)?;
        let mut younger: Vec<(DocumentId, bool)> = Vec::new();
        let mut failed = None;
        let changed = relabel(&mut labels, &self.words, &self.there, self.after, &mut |origin| {
            if let Some(record) = younger.iter().find(|record| record.0 == origin) {
                return record.1;
            }
            let is_younger = match time_of(write, origin) {
                Ok(timestamp) => timestamp.is_some_and(|timestamp| timestamp > self.timestamp),
                Err(error) => {
                    failed = Some(error);
                    false
                }
            };
            younger.push((origin, is_younger));
            is_younger
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if changed.is_empty() {
            return Ok(());
        }
        origins::update(write, self.document, &serde_json::to_string(&labels)?)?;
        for (before, words) in changed {
            let before = before.unwrap_or(self.document);
            let Self { repository, document, after, .. } = *self;
            let new = NewReattribution { repository, document, before, after, words };
            reattributions::insert(write, new)?;
        }
        Ok(())
    }
}

/// Makes `after` the origin of the words of a document in the spans `there`, unless an older document
/// is; returns the previous origins (`None`: the document itself) with the number of words each lost.
fn relabel(
    labels: &mut DocumentOrigins,
    words: &[Span],
    there: &[Span],
    after: DocumentId,
    is_younger: &mut dyn FnMut(DocumentId) -> bool,
) -> Vec<(Option<DocumentId>, u64)> {
    let each = |span: Span| {
        let first = words.partition_point(|word| word.start < span.start);
        first..words.partition_point(|word| word.start < span.end).max(first)
    };
    // The block of each word, if it is in one.
    let mut block_of: Vec<Option<usize>> = vec![None; words.len()];
    for (at, block) in labels.blocks.iter().enumerate() {
        block_of[each(Span::new(block.start, block.end))].fill(Some(at));
    }
    let mut taken = vec![false; words.len()];
    let mut changed: Vec<(Option<DocumentId>, u64)> = Vec::new();
    for &span in there {
        for word in each(span) {
            let before = block_of[word].map(|at| labels.blocks[at].origin);
            let is_free = match before {
                // The document itself, or an evicted origin: the new origin is the only one known.
                None | Some(None) => true,
                Some(Some(origin)) => origin != after && is_younger(origin),
            };
            if !is_free || taken[word] {
                continue;
            }
            taken[word] = true;
            let before = before.flatten();
            match changed.iter_mut().find(|record| record.0 == before) {
                Some(record) => record.1 += 1,
                None => changed.push((before, 1)),
            }
        }
    }
    if changed.is_empty() {
        return changed;
    }
    // Drop blocks with too few words left for a chunk: their ends were estimated.
    let mut counts = vec![(0u32, 0u32); labels.blocks.len()];
    for (block, is_taken) in block_of.iter().zip(&taken) {
        if let Some(at) = block {
            counts[*at].0 += 1;
            counts[*at].1 += u32::from(!is_taken);
        }
    }
    for (block, is_taken) in block_of.iter_mut().zip(&taken) {
        let is_rest = |at: usize| counts[at].1 < counts[at].0 && counts[at].1 < CHUNK_WORDS.get();
        if !is_taken && block.is_some_and(is_rest) {
            *block = None;
        }
    }
    // Build the blocks again: the reassigned words, and what is left of the previous blocks.
    let mut blocks: Vec<OriginBlock> = Vec::new();
    let mut last: Option<(usize, Option<usize>, bool)> = None;
    for (word, span) in words.iter().enumerate() {
        let state = (block_of[word], taken[word]);
        let is_same = last.is_some_and(|(before, block, is_taken)| {
            before + 1 == word && is_taken == state.1 && (is_taken || block == state.0)
        });
        let is_none = state == (None, false);
        if is_none {
            last = None;
            continue;
        }
        last = Some((word, state.0, state.1));
        if is_same && let Some(block) = blocks.last_mut() {
            block.end = span.end;
            block.words += 1;
            continue;
        }
        let (origin, estimated) = match state {
            (_, true) => (Some(after), false),
            (Some(at), _) => (labels.blocks[at].origin, labels.blocks[at].estimated),
            (None, false) => (None, false),
        };
        blocks.push(OriginBlock { start: span.start, end: span.end, origin, words: 1, estimated });
    }
    labels.blocks = blocks;
    let old: u32 = labels.blocks.iter().map(|block| block.words).sum();
    labels.fresh_words = labels.words.saturating_sub(old);
    changed
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::service::tests::{POEM, actor, repository};
    use crate::service::{ExistingPolicy, NewDocument, ServiceLimits, Visibility};

    proptest! {
        /// Compares word by word with a direct rule.
        #[test]
        fn words_get_the_older_origin_unless_an_even_older_one_has_them(
            had in proptest::collection::vec(proptest::option::of((0u64..4).prop_map(DocumentId::new)), 10),
            there in proptest::collection::vec(any::<bool>(), 10),
        ) {
            let words: Vec<Span> = (0..10).map(|word| Span::new(word * 2, word * 2 + 1)).collect();
            let block = |word: usize, origin| OriginBlock {
                start: words[word].start, end: words[word].end, origin: Some(origin), words: 1,
                estimated: false,
            };
            let blocks: Vec<OriginBlock> =
                (0..10).filter_map(|word| had[word].map(|origin| block(word, origin))).collect();
            let fresh_words = had.iter().map(|origin| u32::from(origin.is_none())).sum();
            let mut labels = DocumentOrigins { words: 10, fresh_words, blocks };
            let spans: Vec<Span> =
                (0..10).filter(|word| there[*word]).map(|word| words[word]).collect();
            // 3 is the new document, 0 and 1 are younger, 2 is older.
            let changed = relabel(&mut labels, &words, &spans, DocumentId::new(3), &mut |origin| {
                origin.get() < 2
            });
            let mut n_changed = 0;
            for word in 0..10usize {
                let origin = labels.blocks.iter()
                    .find(|block| block.start <= words[word].start && words[word].end <= block.end)
                    .and_then(|block| block.origin);
                let is_given = there[word] && had[word].is_none_or(|origin| origin.get() < 2);
                n_changed += u64::from(is_given);
                let expected = if is_given { Some(DocumentId::new(3)) } else { had[word] };
                prop_assert_eq!(origin, expected, "word {}", word);
            }
            prop_assert_eq!(changed.iter().map(|record| record.1).sum::<u64>(), n_changed);
            let old: u32 = labels.blocks.iter().map(|block| block.words).sum();
            prop_assert_eq!(old + labels.fresh_words, 10);
        }
    }

    #[test]
    fn an_older_document_that_is_registered_late_becomes_the_origin() {
        let folder = tempfile::tempdir().unwrap();
        let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
        let anna = actor(&service, "anna", "admin");
        repository(&service, &anna, "news", Visibility::Public);
        let add = |id: &str, time: &str, text: &str| {
            let new = NewDocument {
                id: Some(id.to_owned()),
                time: Some(time.to_owned()),
                text: text.to_owned(),
                ..Default::default()
            };
            service.register(&anna, "news", new, ExistingPolicy::Refuse, None).unwrap();
            while service.run_check_batch().unwrap() {}
        };
        let origins = |id: &str| -> DocumentOrigins {
            let view = service.document(&anna, "news", id, false).unwrap();
            serde_json::from_value(view.origins.unwrap()).unwrap()
        };
        let padding = |word: &str| (0..40).map(|n| format!("{word}{n} ")).collect::<String>();
        add("second", "2020-01-01", &format!("{} {POEM}", padding("b")));
        add("third", "2021-01-01", &format!("{} {POEM}", padding("c")));
        assert_eq!(origins("second").fresh_words, origins("second").words);
        let third = origins("third");
        assert!(
            third.blocks.iter().any(|block| block.origin == Some(DocumentId::new(1))),
            "{third:?}"
        );
        assert!(service.reattributions(&anna, "news", None, 10).unwrap().is_empty());

        add("first", "2019-01-01", &format!("{} {POEM}", padding("a")));
        // Documents that were only registered before it are not its origins.
        assert_eq!(origins("first").fresh_words, origins("first").words);
        for id in ["second", "third"] {
            let labels = origins(id);
            assert!(
                labels.blocks.iter().all(|block| block.origin == Some(DocumentId::new(3))),
                "{id}: {labels:?}"
            );
            assert_eq!(labels.words - labels.fresh_words, 46, "{id}");
        }
        let log = service.reattributions(&anna, "news", None, 10).unwrap();
        let changes: Vec<(&str, Option<&str>, &str)> = log
            .iter()
            .map(|entry| (&entry.document[..], entry.before.as_deref(), &entry.after[..]))
            .collect();
        assert!(changes.contains(&("second", Some("second"), "first")), "{changes:?}");
        assert!(changes.contains(&("third", Some("second"), "first")), "{changes:?}");
        assert_eq!(changes.len(), 2);

        // A later document gets the oldest document as origin, not the first registered one.
        add("fourth", "2022-01-01", &format!("{} {POEM}", padding("d")));
        let fourth = origins("fourth");
        assert!(
            fourth.blocks.iter().all(|block| block.origin == Some(DocumentId::new(3))),
            "{fourth:?}"
        );

        let passages = service.passages(&anna, "news", "fourth").unwrap();
        assert_eq!(passages.len(), 1);
        assert_eq!((&passages[0].origin[..], passages[0].documents), ("first", 4));
        assert_eq!(passages[0].words, 46);
        assert!(service.passages(&anna, "news", "first").unwrap().is_empty());
        let place = passages[0].span;
        let fragment = service
            .passage_occurrences(&anna, "news", "fourth", place.start as usize, place.end as usize)
            .unwrap();
        let ids: Vec<&str> = fragment.occurrences.iter().map(|own| &own.document.id[..]).collect();
        assert_eq!(ids, ["first", "second", "third", "fourth"]);
        assert_eq!(fragment.occurrences[0].first_word, 40);
    }
}
