//! SCAM: Shivakumar and Garcia-Molina, *Building a scalable and accurate copy detection mechanism*
//! (1996), Figures 3 to 6.

use std::collections::BTreeMap;
use std::time::Instant;

use textkin::engine::search::{Closeness, Ranking};
use textkin::engine::{SearchSettings, Searcher, Settings};

use super::sets::ChunkSets;
use super::store::{TemporaryRepository, by};
use super::{ExperimentContext, ExperimentOutput};
use crate::error::Error;
use crate::metric::{AlphaBetaErrors, Degree, Judgement};
use crate::report::{Plot, ReportCell, ReportTable, Series};

/// Alpha and beta errors in percent, for some, high and exact overlap.
type Paper = [Option<(f64, f64)>; 3];

/// Minimum scores of some, high and exact overlap: for words, and for longer chunks.
const WORD_BOUNDS: [f64; 3] = [0.33, 0.66, 1.0];
const CHUNK_BOUNDS: [f64; 3] = [0.05, 0.5, 1.0];

/// Reported degrees of overlap for each query; unjudged documents are only counted.
struct ReportedDegrees {
    by_query: Vec<(u32, BTreeMap<u32, Degree>)>,
    n_unjudged: usize,
}

impl ReportedDegrees {
    fn new(queries: &[u32]) -> Self {
        let by_query = queries.iter().map(|query| (*query, BTreeMap::new())).collect();
        Self { by_query, n_unjudged: 0 }
    }

    fn add(&mut self, context: &ExperimentContext<'_>, query: u32, document: u32, degree: Degree) {
        let Ok(index) = self.by_query.binary_search_by_key(&query, |entry| entry.0) else { return };
        if context.collection().truth.judge(query, document) == Judgement::Unjudged {
            self.n_unjudged += 1;
        } else if let Some((_, reported)) = self.by_query.get_mut(index) {
            reported.insert(document, degree);
        }
    }

    fn errors(&self, context: &ExperimentContext<'_>, degree: Degree) -> AlphaBetaErrors {
        let related = context.collection().truth.by_document();
        let (nothing, n) = (BTreeMap::new(), context.collection().texts.len());
        let errors = self.by_query.iter().map(|(query, reported)| {
            AlphaBetaErrors::of(related.get(query).unwrap_or(&nothing), reported, degree, n)
        });
        AlphaBetaErrors::mean(&errors.collect::<Vec<_>>())
    }
}

/// Overlap by words: SCAM's subset measure, without stop words and the `n` most frequent words.
fn by_words(
    context: &ExperimentContext<'_>,
    store: &TemporaryRepository,
    queries: &[u32],
    n: usize,
) -> Result<ReportedDegrees, Error> {
    let stopped = super::hoad::normalized("stop:en")?.normalization;
    let stop = stopped.stop_words().map(str::to_owned).collect();
    let rankings = [Ranking::Scam(Closeness::default())];
    let settings = SearchSettings { stop, stop_frequent: n, top: 1_000, ..by(&rankings) };
    let searcher = Searcher::new(store.repository(), settings)?;
    let numbers: std::collections::HashMap<_, u32> =
        store.repository().storage().addresses().zip(0..).collect();
    let mut reported = ReportedDegrees::new(queries);
    for &query in queries {
        context.check_stopped()?;
        let text = context.collection().texts.get(query as usize).map_or("", |text| &text.text);
        for ranked in searcher.search(text)?.lists.iter().flat_map(|list| &list.documents) {
            let Some(&document) = numbers.get(&ranked.address) else { continue };
            let degree = Degree::of(ranked.score, WORD_BOUNDS);
            if let Some(degree) = degree.filter(|_| document != query) {
                reported.add(context, query, document, degree);
            }
        }
    }
    Ok(reported)
}

/// Overlap by longer chunks: the share of the chunks of the smaller document that both have.
fn by_chunks(
    context: &ExperimentContext<'_>,
    queries: &[u32],
    chunk: &str,
) -> Result<ReportedDegrees, Error> {
    let chunk = chunk.parse().map_err(textkin::Error::from)?;
    let sets = ChunkSets::new(context, &Settings { chunk, ..Settings::default() })?;
    let mut reported = ReportedDegrees::new(queries);
    for &query in queries {
        context.check_stopped()?;
        let text = context.collection().texts.get(query as usize).map_or("", |text| &text.text);
        let shared = sets.shared(text);
        for (document, n) in shared.documents {
            let share = f64::from(n) / f64::from(shared.n_chunks.min(sets.size(document)));
            if let Some(degree) = Degree::of(share, CHUNK_BOUNDS).filter(|_| document != query) {
                reported.add(context, query, document, degree);
            }
        }
    }
    Ok(reported)
}

pub(super) fn figure5(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let queries =
        context.collection().queries(if context.is_quick { 50 } else { 500 }, context.seed);
    let mut columns: Vec<String> = Vec::new();
    for degree in Degree::ALL.iter().rev() {
        columns.push(format!("{} alpha, %", degree.name()));
        columns.push(format!("{} beta, %", degree.name()));
    }
    columns.push("unjudged per query".to_owned());
    let mut table = ReportTable::new("chunking", columns);
    let zero = Some((0.0, 0.0));
    let mut push = |name: &str, reported: &ReportedDegrees, paper: Paper| {
        let mut cells = Vec::new();
        for (degree, paper) in Degree::ALL.into_iter().zip(paper).rev() {
            let errors = reported.errors(context, degree);
            cells.push(
                ReportCell::new(errors.alpha.map(|alpha| 100.0 * alpha), 2)
                    .with_paper(paper.map(|paper| paper.0)),
            );
            cells.push(
                ReportCell::new(100.0 * errors.beta, 5).with_paper(paper.map(|paper| paper.1)),
            );
        }
        cells.push(ReportCell::new(reported.n_unjudged as f64 / queries.len().max(1) as f64, 1));
        table.push(name, cells);
    };
    let store = TemporaryRepository::new(context, &Settings::default(), true)?;
    for (n, paper) in [
        (0, [Some((13.88, 0.13)), Some((9.26, 6.66e-3)), zero]),
        (100, [Some((9.59, 0.09)), Some((6.97, 7.03e-3)), zero]),
        (300, [Some((10.12, 7.33e-4)), Some((6.89, 2.67e-4)), zero]),
    ] {
        context.set_stage("probing by words");
        push(&format!("word + {n}"), &by_words(context, &store, &queries, n)?, paper);
    }
    for (name, chunk, paper) in [
        ("5-modulo", "break:5", [Some((11.76, 0.28)), Some((6.38, 6.79e-3)), zero]),
        (
            "10-modulo",
            "break:10",
            [Some((23.88, 6.0e-4)), Some((13.04, 2.67e-4)), Some((0.0, 1.33e-4))],
        ),
        ("sentence", "sentence", [Some((23.45, 0.0)), Some((12.69, 0.0)), zero]),
        ("8 words (not in the paper)", "words:8", [None; 3]),
        ("3 words (not in the paper)", "words:3", [None; 3]),
    ] {
        context.check_stopped()?;
        push(name, &by_chunks(context, &queries, chunk)?, paper);
    }
    let notes = vec![
        format!("Means over {} documents that have related documents. Minimum overlap for exact, high and some: 100, 66, 33 % of \
                 words; 100, 50, 5 % of other chunks, as in the paper.", queries.len()),
        "A document reported with a higher degree than its label is a false alert of the higher degree. Unjudged documents \
         are in the last column and not part of beta.".to_owned(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Chunkings of Figures 3, 4 and 6, with the total size in the paper, in MB for 120 MB of text.
const CHUNKINGS: [(&str, &str, Option<f64>); 6] = [
    ("word", "word", Some(72.0)),
    ("5-modulo", "break:5", Some(79.0)),
    ("10-modulo", "break:10", Some(37.0)),
    ("sentence", "sentence", Some(64.0)),
    ("8 words (not in the paper)", "words:8", None),
    ("document (not in the paper)", "document", None),
];

/// Text of the collection in the paper, in MB.
const PAPER_TEXT: f64 = 120.0;

pub(super) fn figure3(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let mut table = ReportTable::new("chunking", ["MB", "share of the text"]);
    let text = context.collection().bytes() as f64;
    for (name, chunk, paper) in CHUNKINGS {
        context.check_stopped()?;
        let chunk = chunk.parse().map_err(textkin::Error::from)?;
        let store =
            TemporaryRepository::new(context, &Settings { chunk, ..Settings::default() }, false)?;
        let bytes = store.bytes() as f64;
        let share =
            ReportCell::new(bytes / text, 2).with_paper(paper.map(|paper| paper / PAPER_TEXT));
        table.push(name, vec![ReportCell::new(bytes / 1e6, 2), share]);
    }
    let notes = vec![
        "Size of a repository without texts: postings of chunks and words, spans, names and checksums. The figures of the paper cover \
         its index, postings and name table."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

pub(super) fn figure4(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let mut table = ReportTable::new(
        "chunking",
        ["a quarter, s", "half, s", "all, s", "MB of text per second"],
    );
    let all = context.collection();
    let parts = [4, 2, 1].map(|part| all.first(all.texts.len().div_ceil(part)));
    let mut series = Vec::new();
    for (name, chunk, _) in CHUNKINGS {
        let chunk: textkin::engine::text::grammar::ChunkerKind =
            chunk.parse().map_err(textkin::Error::from)?;
        let mut points = Vec::new();
        for part in &parts {
            context.check_stopped()?;
            let settings = Settings { chunk, ..Settings::default() };
            let began = Instant::now();
            TemporaryRepository::of(context, part, &settings, false)?;
            points.push((part.texts.len() as f64, began.elapsed().as_secs_f64()));
        }
        let mut cells: Vec<ReportCell> =
            points.iter().map(|point| ReportCell::new(point.1, 3)).collect();
        let speed = points.last().map(|(_, seconds)| all.bytes() as f64 / 1e6 / seconds);
        cells.push(ReportCell::new(speed, 1));
        table.push(name, cells);
        series.push(Series { name: name.to_owned(), points });
    }
    let plots = vec![Plot {
        title: "Time to load a repository".to_owned(),
        x: "documents".to_owned(),
        y: "seconds".to_owned(),
        is_logarithmic: false,
        series,
    }];
    let notes = vec![
        "Time to load a repository without texts, writing to disk included. The paper plots load times and misses of a buffer of 8 \
         to 40 MB without numbers. It reports that 10-modulo loads fastest, that words load faster than sentences and \
         5-modulo, and that times are linear in the number of documents."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

pub(super) fn figure6(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let n = if context.is_quick { 50 } else { 500 };
    let step = (context.collection().texts.len() / n).max(1);
    let mut table = ReportTable::new("chunking", ["median, ms", "95 %, ms", "longest, ms"]);
    let mut series = Vec::new();
    for (name, chunk, _) in CHUNKINGS {
        context.check_stopped()?;
        let chunk = chunk.parse().map_err(textkin::Error::from)?;
        let store =
            TemporaryRepository::new(context, &Settings { chunk, ..Settings::default() }, false)?;
        let searcher = Searcher::new(store.repository(), by(&[Ranking::Fingerprint]))?;
        let mut times = Vec::new();
        for text in context.collection().texts.iter().step_by(step).take(n) {
            let began = Instant::now();
            searcher.search(&text.text)?;
            times.push(began.elapsed().as_secs_f64() * 1e3);
        }
        times.sort_by(f64::total_cmp);
        let at = |percent: usize| {
            let index = (times.len() * percent / 100).min(times.len().saturating_sub(1));
            times.get(index).copied()
        };
        table.push(name, [50, 95, 100].map(|percent| ReportCell::new(at(percent), 3)).to_vec());
        let points = (1..=10).filter_map(|tenth| Some((at(10 * tenth - 1)?, 10.0 * tenth as f64)));
        series.push(Series { name: name.to_owned(), points: points.collect() });
    }
    let plots = vec![Plot {
        title: "Probes answered within a time".to_owned(),
        x: "milliseconds".to_owned(),
        y: "probes, %".to_owned(),
        is_logarithmic: true,
        series,
    }];
    let notes = vec![
        "In the paper (1996), about 70 % of probes by words took less than a minute in a repository of 50,000 documents.".to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}
