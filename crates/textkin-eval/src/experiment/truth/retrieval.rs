//! Retrieval of the sources of rewritten passages: each passage is a query in a repository of sources.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use textkin::ExistingPolicy;
use textkin::engine::repository_format::Sizes;
use textkin::engine::source::MemorySource;
use textkin::engine::{RepositoryWriter, RewrittenSearchSettings, RewrittenSearcher, Settings};

use crate::collection::CollectionDocument;
use crate::error::{Error, at};
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::report::{ReportCell, ReportTable};

/// Number of candidates that are compared in detail, and of results.
const TOP: usize = 10;

/// Maximum number of queries of a quick run.
const QUICK_QUERIES: usize = 200;

/// What became of the queries of a class.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    queries: usize,
    /// Queries whose source is the first candidate.
    first_candidate: usize,
    /// Queries whose source is among the candidates that are compared in detail.
    candidate: usize,
    /// Queries whose source is the first result.
    first: usize,
    /// Queries whose source is among the results.
    result: usize,
    /// Seconds of all queries.
    seconds: f64,
}

pub(in crate::experiment) fn retrieval(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let collection = context.collection();
    let truth = &collection.truth;
    let copying: BTreeSet<u32> = truth.passages.iter().map(|one| one.suspicious).collect();
    let documents = (0..).zip(collection.texts.iter());
    let documents: Vec<CollectionDocument> = documents
        .filter(|(number, _)| !copying.contains(number))
        .map(|(_, document)| document.clone())
        .collect();
    let n_documents = documents.len();
    let folder = tempfile::tempdir().map_err(at(&std::env::temp_dir()))?;
    let path = folder.path().join("repository");
    context.set_stage("indexing");
    let mut writer = RepositoryWriter::create_rewritten(&path, &Settings::default())?;
    let mut source: MemorySource<CollectionDocument> = Arc::<[_]>::from(documents).into();
    writer.add(&mut source, ExistingPolicy::default(), true, context.run_control)?;
    let repository = writer.repository();
    let settings = RewrittenSearchSettings {
        top: TOP,
        threads: NonZeroUsize::MIN,
        ..RewrittenSearchSettings::default()
    };
    let searcher = RewrittenSearcher::new(&repository, settings)?;
    context.set_stage("searching");
    let mut by_class: BTreeMap<&str, Found> = BTreeMap::new();
    let usable = || {
        let cases = truth.passages.iter().enumerate();
        cases.filter(|(_, case)| !copying.contains(&case.source))
    };
    let step = match context.is_quick {
        true => usable().count().div_ceil(QUICK_QUERIES).max(1),
        false => 1,
    };
    for (number, case) in usable().step_by(step) {
        context.check_stopped()?;
        let text = |number: u32| &collection.texts[number as usize];
        let query = text(case.suspicious).text.get(case.span.0..case.span.1).unwrap_or_default();
        let source = text(case.source).id.as_str();
        let began = Instant::now();
        let hits = searcher.search(query)?.hits;
        let seconds = began.elapsed().as_secs_f64();
        let mut candidates = Vec::new();
        for address in searcher.candidates_of(query)? {
            candidates.push(repository.document(address)?.id);
        }
        let class = truth.classes.get(number).map_or("", String::as_str);
        for class in BTreeSet::from(["", class]) {
            let found = by_class.entry(class).or_default();
            found.queries += 1;
            found.seconds += seconds;
            found.first_candidate += usize::from(candidates.first().is_some_and(|id| id == source));
            found.candidate += usize::from(candidates.iter().any(|id| id == source));
            found.first += usize::from(hits.first().is_some_and(|hit| hit.id == source));
            found.result += usize::from(hits.iter().any(|hit| hit.id == source));
        }
    }
    let mut table = ReportTable::new(
        "passages",
        ["queries", "first candidate", "candidate", "first result", "result", "ms"],
    );
    for (class, found) in by_class {
        let n = found.queries as f64;
        let share = |part: usize| ReportCell::new(part as f64 / n, 3);
        table.push(
            if class.is_empty() { "all" } else { class },
            vec![
                ReportCell::new(n, 0),
                share(found.first_candidate),
                share(found.candidate),
                share(found.first),
                share(found.result),
                ReportCell::new(1e3 * found.seconds / n, 1),
            ],
        );
    }
    let sizes: Sizes = repository.storage().segments().iter().map(|one| one.sizes()).sum();
    let notes = vec![
        format!(
            "Each labelled passage is a query of its own in a repository of the {n_documents} documents that copy nothing. \
             Candidates are the {TOP} documents that are compared in detail; results are those with passages."
        ),
        format!(
            "The index of pairs of words has {:.2} postings and {:.2} bytes per word of text. Milliseconds are of a query on \
             one thread, with comparison.",
            sizes.word_pair_postings as f64 / sizes.words.max(1) as f64,
            sizes.word_pairs as f64 / sizes.words.max(1) as f64,
        ),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}
