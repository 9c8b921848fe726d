//! SCAM: Shivakumar and Garcia-Molina, *Building a scalable and accurate copy detection mechanism*
//! (1996), Figures 3 to 6.
//!
//! `index_model` has the inverted index of the paper, for sizes and buffer misses.

mod index_model;

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use textkin::engine::search::{Closeness, Ranking};
use textkin::engine::text::tokenizer::Normalization;
use textkin::engine::{Analyzer, SearchSettings, Searcher, Settings};

use self::index_model::IndexModel;
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

/// Chunking of Figures 3, 4 and 6.
struct Chunking {
    name: String,
    settings: Settings,
    /// How documents are compared: words by the subset measure.
    ranking: Ranking,
    /// Size of index, data and both with names in the paper, in MB for 120 MB of text.
    paper: Option<[f64; 3]>,
}

/// Returns the chunkings: words without stop words and the 0, 100 and 300 most frequent words, and longer chunks.
fn chunkings(context: &ExperimentContext<'_>) -> Result<Vec<Chunking>, Error> {
    let stopped = super::hoad::normalized("stop:en")?.normalization;
    let words = most_frequent(context, &stopped)?;
    let mut chunkings = Vec::new();
    for (n, paper) in
        [(0, [4.056, 59.528, 72.0]), (100, [4.056, 51.752, 66.5]), (300, [4.028, 45.028, 59.0])]
    {
        let frequent = words.iter().take(n).cloned().collect();
        chunkings.push(Chunking {
            name: format!("word + {n}"),
            settings: Settings {
                chunk: "word".parse().map_err(textkin::Error::from)?,
                normalization: stopped.clone().with_stop_list(frequent),
                ..Settings::default()
            },
            ranking: Ranking::Scam(Closeness::default()),
            paper: Some(paper),
        });
    }
    for (name, chunk, paper) in [
        ("5-modulo", "break:5", Some([17.064, 53.088, 79.0])),
        ("10-modulo", "break:10", Some([8.048, 20.264, 37.0])),
        ("sentence", "sentence", Some([16.2, 40.376, 64.0])),
        ("8 words (not in the paper)", "words:8", None),
        ("document (not in the paper)", "document", None),
    ] {
        chunkings.push(Chunking {
            name: name.to_owned(),
            settings: Settings {
                chunk: chunk.parse().map_err(textkin::Error::from)?,
                ..Settings::default()
            },
            ranking: Ranking::Fingerprint,
            paper,
        });
    }
    Ok(chunkings)
}

/// Returns the words of the collection, the most frequent first.
fn most_frequent(
    context: &ExperimentContext<'_>,
    normalization: &Normalization,
) -> Result<Vec<String>, Error> {
    let analyzer =
        Analyzer::new(&Settings { normalization: normalization.clone(), ..Settings::default() })?;
    let mut tokens = analyzer.tokens();
    let mut counts: HashMap<Vec<u8>, u64> = HashMap::new();
    for document in context.collection().texts.iter() {
        analyzer.tokenize(&document.text, &mut tokens);
        for index in 0..tokens.len() {
            *counts.entry(tokens.token(index).to_vec()).or_default() += 1;
        }
    }
    let mut counts: Vec<(Vec<u8>, u64)> = counts.into_iter().collect();
    counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(counts.into_iter().map(|(word, _)| String::from_utf8_lossy(&word).into_owned()).collect())
}

/// Builds the index of the paper over the collection.
fn index_model(context: &ExperimentContext<'_>, settings: &Settings) -> Result<IndexModel, Error> {
    let analyzer = Analyzer::new(settings)?;
    let mut tokens = analyzer.tokens();
    let (mut chunks, mut selection) = (Vec::new(), Vec::new());
    let mut index = IndexModel::default();
    for document in context.collection().texts.iter() {
        context.check_stopped()?;
        analyzer.tokenize(&document.text, &mut tokens);
        analyzer.chunk(&tokens, &mut chunks, &mut selection);
        let mut hashes: Vec<u64> = chunks.iter().map(|chunk| chunk.hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        index.add(&document.id, &hashes);
    }
    Ok(index)
}

/// Text of the collection in the paper, in MB.
const PAPER_TEXT: u64 = 120;

pub(super) fn figure3(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let columns = [
        "index, % of the text",
        "data, % of the text",
        "total, % of the text",
        "textkin's repository, MB",
        "textkin's repository, % of the text",
    ];
    let mut table = ReportTable::new("chunking", columns);
    let text = context.collection().bytes() as f64;
    for Chunking { name, settings, paper, .. } in chunkings(context)? {
        context.check_stopped()?;
        let index = index_model(context, &settings)?;
        let store = TemporaryRepository::new(context, &settings, false)?;
        let bytes = store.bytes() as f64;
        let sizes = [index.index_bytes(), index.data_bytes(), index.total_bytes()];
        let papers = paper.map_or([None; 3], |sizes| sizes.map(Some));
        let mut cells: Vec<ReportCell> = sizes
            .into_iter()
            .zip(papers)
            .map(|(size, paper)| {
                ReportCell::new(100.0 * size as f64 / text, 1)
                    .with_paper(paper.map(|size| 100.0 * size / PAPER_TEXT as f64))
            })
            .collect();
        cells.push(ReportCell::new(bytes / 1e6, 2));
        cells.push(ReportCell::new(100.0 * bytes / text, 1));
        table.push(name, cells);
    }
    let notes = vec![
        index_model::note(),
        "The last columns are a repository without texts: postings of chunks and words, spans, names and checksums."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Sizes of the buffer pool in the paper, in MB.
const POOLS: [u64; 5] = [8, 16, 24, 32, 40];

pub(super) fn figure4(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let misses = POOLS.map(|pool| format!("misses, pool of {pool} MB"));
    let times = ["a quarter, s", "half, s", "all, s", "MB of text per second"];
    let columns = misses.into_iter().chain(times.map(str::to_owned));
    let mut table = ReportTable::new("chunking", columns);
    let all = context.collection();
    let parts = [4, 2, 1].map(|part| all.first(all.texts.len().div_ceil(part)));
    let mut series = Vec::new();
    let scale = all.bytes() as f64 / (PAPER_TEXT as f64 * 1e6);
    for Chunking { name, settings, .. } in chunkings(context)? {
        let index = index_model(context, &settings)?;
        let mut cells = Vec::new();
        for pool in POOLS {
            context.check_stopped()?;
            let misses = index.buffer_misses(pool * all.bytes() / PAPER_TEXT);
            cells.push(ReportCell::new(misses as f64, 0));
        }
        let mut points = Vec::new();
        for part in &parts {
            context.check_stopped()?;
            let began = Instant::now();
            TemporaryRepository::of(context, part, &settings, false)?;
            points.push((part.texts.len() as f64, began.elapsed().as_secs_f64()));
        }
        cells.extend(points.iter().map(|point| ReportCell::new(point.1, 3)));
        let speed = points.last().map(|(_, seconds)| all.bytes() as f64 / 1e6 / seconds);
        cells.push(ReportCell::new(speed, 1));
        table.push(name.clone(), cells);
        series.push(Series { name, points });
    }
    let plots = vec![Plot {
        title: "Time to load a repository".to_owned(),
        x: "documents".to_owned(),
        y: "seconds".to_owned(),
        is_logarithmic: false,
        series,
    }];
    let notes = vec![
        format!(
            "Misses of a buffer of least recently used pages while the collection is loaded into the index of the paper. Pools \
             are those of the paper, {:.1} % of their size, as the collection has {:.1} % of the text.",
            100.0 * scale,
            100.0 * scale
        ),
        index_model::note(),
        "Times are those of textkin's repository without texts, writing to disk included. The paper plots load times and misses \
         without numbers. It reports that 10-modulo loads fastest, that words load faster than sentences and 5-modulo, and \
         that times are linear in the number of documents."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}

pub(super) fn figure6(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let n = if context.is_quick { 50 } else { 500 };
    let step = (context.collection().texts.len() / n).max(1);
    let mut table = ReportTable::new("chunking", ["median, ms", "95 %, ms", "longest, ms"]);
    let mut series = Vec::new();
    for Chunking { name, settings, ranking, .. } in chunkings(context)? {
        context.check_stopped()?;
        let store = TemporaryRepository::new(context, &settings, false)?;
        let searcher = Searcher::new(store.repository(), by(&[ranking]))?;
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
        let cells = [50, 95, 100].map(|percent| ReportCell::new(at(percent), 3));
        table.push(name.clone(), cells.to_vec());
        let points = (1..=10).filter_map(|tenth| Some((at(10 * tenth - 1)?, 10.0 * tenth as f64)));
        series.push(Series { name, points: points.collect() });
    }
    let plots = vec![Plot {
        title: "Probes answered within a time".to_owned(),
        x: "milliseconds".to_owned(),
        y: "probes, %".to_owned(),
        is_logarithmic: true,
        series,
    }];
    let notes = vec![
        "Words are compared by the subset measure, other chunks by the number of shared chunks. In the paper (1996), about 70 % \
         of probes by words took less than a minute in a repository of 50,000 documents, and more stop words, 5-modulo, \
         sentences and 10-modulo were faster."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, plots, notes })
}
