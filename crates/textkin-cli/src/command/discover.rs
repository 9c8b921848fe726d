//! `textkin discover`: finds every pair of documents that share text.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context;
use serde_json::Value;
use textkin::Repository;
use textkin::engine::graph::{Block, PassageRules};
use textkin::engine::index::{ImatchSettings, KeepChunks};
use textkin::engine::report::{
    self, ClusterLine, ClusterWriter, NEAR_DUPLICATE, NoteLine, PairRow, PairWriter, PassageWriter,
    Vertex, terminal,
};
use textkin::engine::source::Inputs;
use textkin::engine::types::{Cluster, Pair, Reason, Rewind};
use textkin::engine::{
    CopyPolicy, DiscoveryOutput, DiscoveryPage, PairRows, Pairing, RepositorySource, RewrittenPair,
    RunControl, ScoredChunks, Settings, SharedText, passage_clusters, snippets,
};

use crate::arguments::{Discover, DiscoverComparison, GlobalOptions, OutputFormat};
use crate::command::{explain, page};
use crate::documents::{
    analysis_settings, collection_settings, prepare_second_read, threshold, words,
};
use crate::exit::Exit;
use crate::interrupt;
use crate::machine;
use crate::messages::{print_message, print_notes};
use crate::outputs::{self, ignore_broken_pipe};
use crate::progress::ProgressDisplay;

/// Rows to format at a time.
const ROWS: usize = 1 << 14;

/// Runs the command.
pub(crate) fn run(arguments: &Discover, global: GlobalOptions) -> anyhow::Result<Exit> {
    let start = Instant::now();
    let run_control = Arc::new(RunControl::default());
    interrupt::listen(&run_control)?;
    outputs::check(arguments)?;
    let mut source_settings = collection_settings(&arguments.input);
    source_settings.outputs = outputs::files(&arguments.output);
    source_settings.keeps_metadata = arguments.across.is_some();
    let repository = repository(arguments)?;
    let mut settings = match &repository {
        Some(repository) => repository_settings(arguments, repository)?,
        None => settings(arguments)?,
    };
    let finds_near_copies =
        arguments.output.imatch.is_some() || settings.near_copies == CopyPolicy::Merge;
    settings.imatch = finds_near_copies.then(ImatchSettings::default);
    settings.keep_chunks = match &arguments.output.index {
        None => KeepChunks::None,
        Some(_) if arguments.output.index_text => KeepChunks::Texts,
        Some(_) => KeepChunks::Fingerprints,
    };
    let mut documents = match repository {
        Some(repository) => DocumentSource::Repository(repository.source()),
        None if arguments.against.is_empty() => {
            DocumentSource::Files(Inputs::open(&arguments.inputs, &source_settings)?)
        }
        None => DocumentSource::Files(Inputs::open_against(
            &arguments.inputs,
            &arguments.against,
            &source_settings,
        )?),
    };
    if let DocumentSource::Files(inputs) = &mut documents {
        prepare_second_read(inputs, &settings)?;
        if arguments.comparison.rewritten {
            inputs.spool(&settings.temp_dir).context("cannot store standard input")?;
            inputs.reopen().context("--rewritten reads the input twice")?;
        }
    }
    let writers = open_writers(arguments, &settings)?;
    let cluster_writer =
        arguments.output.clusters.as_deref().map(ClusterWriter::create).transpose()?;

    let passage_writer = match arguments.output.passage_clusters.as_deref() {
        Some(path) => {
            explain::check_rewind("--passage-clusters", path, documents.source())?;
            Some(PassageWriter::create(path, arguments.output.passage_columns)?)
        }
        None => None,
    };
    settings.keeps_passages = passage_writer.is_some();

    let explain = arguments.output.explain.as_deref();
    let shows_passages = explain.is_some()
        || arguments.output.html.is_some()
        || arguments.output.passage_clusters.is_some();
    anyhow::ensure!(
        settings.scored == ScoredChunks::All || !shows_passages,
        "--explain, --html and --passage-clusters show passages of all chunks; omit --score-on selected"
    );
    anyhow::ensure!(
        settings.near_copies == CopyPolicy::Index || !shows_passages,
        "--explain, --html and --passage-clusters show each text; omit --near-copies merge"
    );
    if let Some(path) = explain {
        explain::check(path, documents.source(), &settings)?;
    }
    let explain = explain.map(report::Output::create).transpose()?;
    let html = arguments.output.html.as_deref().map(report::OutputFile::create).transpose()?;
    let index_file =
        arguments.output.index.as_deref().map(report::OutputFile::create).transpose()?;
    let set_writer = arguments.output.imatch.as_deref().map(ClusterWriter::create).transpose()?;

    let display = ProgressDisplay::start(&run_control, global);
    check_second_read(documents.source(), &settings, &arguments.comparison)?;
    let mut job = textkin::Discover::with_settings(settings)
        .cluster_by(arguments.comparison.cluster_by)
        .rewritten(arguments.comparison.rewritten);
    if let Some(n) = arguments.comparison.stop_frequent {
        job = job.stop_frequent(n);
    }
    let discovery = job.run_source(documents.source_mut(), &run_control)?;
    let (found, pairs, settings) = (discovery.details(), discovery.rows(), discovery.settings());
    run_control.progress.begin("finding clusters", 0);
    let clusters = discovery.cluster_numbers();
    let rewritten: Vec<PairRow<'_>> = discovery.rewritten_rows().collect();
    run_control.progress.begin("writing", found.graph.n_edges() + rewritten.len() as u64);
    let write_start = Instant::now();
    let n_edges = found.graph.n_edges();
    let writes_pairs = !writers.is_empty() || explain.is_some() || html.is_some();
    let too_many =
        writes_pairs && (n_edges > arguments.output.max_pairs || !found.graph.is_listed());
    if too_many {
        drop(writers);
    } else {
        let rewritten = arguments.comparison.rewritten.then_some(&rewritten[..]);
        write_pairs(writers, pairs, rewritten, &run_control)?;
    }
    if let Some(writer) = cluster_writer {
        ignore_broken_pipe(write_clusters(writer, found, &clusters))?;
    }
    if let Some(writer) = set_writer {
        ignore_broken_pipe(write_sets(writer, found))?;
    }
    if let (Some(file), Some(shared)) = (index_file, &found.shared) {
        ignore_broken_pipe(write_index(file, found, shared))?;
    }
    if let Some(writer) = passage_writer {
        let rules = arguments.output.passage_rules();
        write_passages(writer, documents.source(), pairs, rules, &run_control)?;
    }
    if let Some(output) = explain.filter(|_| !too_many) {
        let rules = arguments.output.passage_rules();
        explain::write(output, documents.source(), pairs, rules, &run_control)?;
    }
    if let Some(file) = html.filter(|_| !too_many) {
        let page = DiscoveryPage {
            inputs: &page::named_inputs(arguments),
            settings: &page::named_settings(arguments, settings),
            rules: arguments.output.passage_rules(),
            source: documents.source(),
            pairs,
            graph: &found.graph,
            clusters: &clusters,
            rewritten: arguments.comparison.rewritten.then(|| discovery.rewritten_pairs()),
            seconds: &|| start.elapsed().as_secs_f64(),
        };
        page::write(file, page, &run_control)?;
    }
    let write_seconds = write_start.elapsed().as_secs_f64();
    drop(display);

    for problem in &found.problems {
        print_message(format_args!("textkin: {problem}\n"));
    }
    print_notes(&found.notes, &found.documents, global.quiet);
    report_skipped(&documents, found, global.quiet);
    let n_merged = found.counts.merged_near_copies;
    if n_merged > 0 && !global.quiet {
        print_message(format_args!(
            "textkin: {} near-copies have the scores of the first document of their set; --imatch lists the sets\n",
            terminal::thousands(n_merged)
        ));
    }
    let seconds = start.elapsed().as_secs_f64();
    let mut statistics =
        statistics(arguments, settings, found, clusters.len(), write_seconds, seconds);
    statistics.rewritten_pairs = arguments.comparison.rewritten.then_some(rewritten.len() as u64);
    if let Some(path) = &arguments.output.stats {
        ignore_broken_pipe(report::write_stats(path, &statistics))?;
    }
    if arguments.output.format.format == OutputFormat::Json {
        let rewritten = arguments.comparison.rewritten.then_some(&rewritten[..]);
        ignore_broken_pipe(print_json(&statistics, pairs, rewritten, arguments.output.top)?)?;
    } else if !global.quiet {
        let source = documents.source();
        let rewritten = arguments.comparison.rewritten.then(|| discovery.rewritten_pairs());
        let shown = show(arguments, pairs, rewritten, source, clusters.len(), start, &run_control)?;
        ignore_broken_pipe(shown)?;
    }
    if too_many {
        anyhow::bail!(
            "refusing to write {} pairs (limit {}); use --clusters, raise --threshold, or raise \
             --max-pairs and --memory",
            terminal::thousands(n_edges),
            terminal::thousands(arguments.output.max_pairs)
        );
    }
    if found.counts.documents == 0 && !found.problems.is_empty() {
        return Ok(Exit::Failed);
    }
    let has_copies = settings.pairing == Pairing::All && found.counts.exact_duplicates > 0;
    let is_found = found.graph.n_edges() > 0 || has_copies || !rewritten.is_empty();
    Ok(if is_found { Exit::Found } else { Exit::Nothing })
}

/// The documents of a run.
enum DocumentSource {
    Files(Inputs),
    Repository(RepositorySource),
}

impl DocumentSource {
    fn source(&self) -> &dyn Rewind {
        match self {
            Self::Files(inputs) => inputs,
            Self::Repository(source) => source,
        }
    }

    fn source_mut(&mut self) -> &mut dyn Rewind {
        match self {
            Self::Files(inputs) => inputs,
            Self::Repository(source) => source,
        }
    }
}

fn settings(arguments: &Discover) -> anyhow::Result<Settings> {
    let (comparison, performance) = (&arguments.comparison, &arguments.performance);
    let base = analysis_settings(&comparison.analysis, &arguments.input.reading)?;
    let mut resources = base.resources.clone();
    for path in comparison.select.files() {
        resources.lists.insert(path.to_owned(), words(path)?);
    }
    Ok(Settings {
        hash: comparison.hash,
        select: comparison.select.clone(),
        scored: comparison.score_on,
        min_words: comparison.min_document_words,
        exact_copies: comparison.exact_copies,
        near_copies: comparison.near_copies,
        resources,
        score: comparison.score,
        threshold: threshold(comparison.threshold, comparison.score)?,
        rules: comparison.threshold.rules(comparison.score),
        pairing: match &arguments.across {
            Some(field) => Pairing::AcrossField(field.clone()),
            None if arguments.against.is_empty() => Pairing::All,
            None => Pairing::AcrossParts,
        },
        counting: performance.count,
        max_df: comparison.max_df,
        plan: performance.plan,
        memory: performance.memory.memory,
        temp_dir: performance.temp_dir.path(),
        threads: performance.threads.threads.map(usize::from),
        is_strict: arguments.input.strict,
        ..base
    })
}

/// Opens the repository among the inputs, if there is one. It must be the only input.
fn repository(arguments: &Discover) -> anyhow::Result<Option<Repository>> {
    let inputs = &arguments.inputs;
    let all = inputs.iter().chain(&arguments.against);
    let Some(folder) = all.into_iter().find(|path| Repository::exists_in(path)) else {
        return Ok(None);
    };
    anyhow::ensure!(
        arguments.against.is_empty(),
        "--against reads files, but {0} is a repository; to use its documents: textkin repo export {0}",
        folder.display()
    );
    anyhow::ensure!(
        inputs.len() == 1,
        "{} is a repository and must be the only input; add the other documents to it with textkin repo add",
        folder.display()
    );
    Ok(Some(Repository::open(folder)?))
}

/// Returns the settings for a repository: those it was created with, except what affects only the results.
fn repository_settings(arguments: &Discover, repository: &Repository) -> anyhow::Result<Settings> {
    let requested = settings(arguments)?;
    let (stored, defaults) = (repository.settings()?, Settings::default());
    let folder = repository.storage().folder().display();
    let check = |name: &str, requested: String, stored: String, default: String| {
        anyhow::ensure!(
            requested == stored || requested == default,
            "{folder} was created with --{name} {stored}; to use another setting, export its documents: \
             textkin repo export {folder} | textkin discover - --{name} {requested}"
        );
        Ok(())
    };
    let chunk = |settings: &Settings| settings.chunk.to_string();
    check("chunk", chunk(&requested), chunk(&stored), chunk(&defaults))?;
    let hash = |settings: &Settings| settings.hash.to_string();
    check("hash", hash(&requested), hash(&stored), hash(&defaults))?;
    let words = |settings: &Settings| settings.normalization.to_string();
    check("normalize", words(&requested), words(&stored), words(&defaults))?;
    let has_exclusions =
        !requested.normalization.stop_list().is_empty() || !requested.templates.is_empty();
    anyhow::ensure!(
        !has_exclusions && arguments.comparison.stop_frequent.is_none(),
        "stop words and templates are fixed when a repository is created; textkin repo info {folder} shows them"
    );
    let keeps_text = repository.config().keeps_text;
    let needs_text = arguments.output.explain.is_some()
        || arguments.output.html.is_some()
        || arguments.output.passage_clusters.is_some()
        || arguments.output.index_text
        || arguments.output.imatch.is_some()
        || requested.near_copies == CopyPolicy::Merge;
    anyhow::ensure!(
        keeps_text || !needs_text,
        "{folder} stores fingerprints only; --explain, --html, --passage-clusters, --index-text, --imatch and \
         --near-copies merge need texts"
    );
    let select = match requested.select.is_lossless() {
        true => stored.select.clone(),
        false if keeps_text => requested.select.clone(),
        false => anyhow::bail!(
            "{folder} stores only the fingerprints selected by {}; omit --select",
            stored.select
        ),
    };
    let resources = match requested.select.is_lossless() {
        true => stored.resources.clone(),
        false => requested.resources.clone(),
    };
    Ok(Settings {
        normalization: stored.normalization,
        templates: stored.templates,
        chunk: stored.chunk,
        hash: stored.hash,
        is_strict: true,
        select,
        resources,
        ..requested
    })
}

/// Fails if a setting depends on the whole collection and the input cannot be read twice.
fn check_second_read(
    source: &dyn Rewind,
    settings: &Settings,
    comparison: &DiscoverComparison,
) -> anyhow::Result<()> {
    if comparison.stop_frequent.is_some() {
        source.rewind().context("--stop-frequent reads the input twice")?;
    }
    if settings.select.needs_collection() {
        source.rewind().with_context(|| format!("{} reads the input twice", settings.select))?;
    }
    Ok(())
}

/// Opens the outputs before any work is done, so that a path that cannot be written fails at once.
fn open_writers(
    arguments: &Discover,
    settings: &Settings,
) -> Result<Vec<Box<dyn PairWriter>>, report::Error> {
    let report_settings = report::WriterSettings {
        measure: settings.score,
        threads: NonZeroUsize::new(settings.n_threads()).unwrap_or(NonZeroUsize::MIN),
        extra: report::ExtraColumns {
            raw: settings.excludes(),
            rewritten: arguments.comparison.rewritten,
        },
    };
    arguments.output.out.iter().map(|path| report::open(path, &report_settings)).collect()
}

fn write_pairs(
    mut writers: Vec<Box<dyn PairWriter>>,
    pairs: PairRows<'_>,
    rewritten: Option<&[PairRow<'_>]>,
    run_control: &RunControl,
) -> anyhow::Result<()> {
    let found = pairs.discovery;
    each(&mut writers, |writer| {
        let numbers = 0..u32::try_from(found.documents.len()).unwrap_or(u32::MAX);
        writer.begin(&mut numbers.map(|index| Vertex {
            index,
            id: found.documents.id(index),
            words: u64::from(found.documents.entry(index).words),
            time: found.documents.time(index),
        }))
    })?;
    let mut next = found.graph.rows();
    while !writers.is_empty() {
        let mut rows = pairs.rows(&next.by_ref().take(ROWS).collect::<Vec<Pair>>());
        if rewritten.is_some() {
            rows.iter_mut().for_each(|row| row.confidence = Some(1.0));
        }
        if rows.is_empty() {
            break;
        }
        each(&mut writers, |writer| writer.pairs(&rows))?;
        run_control.progress.advance(rows.len() as u64);
        if run_control.stop.is_requested() {
            return Err(textkin::Error::Stopped.into());
        }
    }
    each(&mut writers, |writer| writer.pairs(rewritten.unwrap_or_default()))?;
    for writer in writers {
        ignore_broken_pipe(writer.finish())?;
    }
    Ok(())
}

/// Calls `write` for every writer, and drops those whose pipe is broken.
fn each(
    writers: &mut Vec<Box<dyn PairWriter>>,
    mut write: impl FnMut(&mut dyn PairWriter) -> Result<(), report::Error>,
) -> Result<(), report::Error> {
    for mut writer in std::mem::take(writers) {
        match write(&mut *writer) {
            Ok(()) => writers.push(writer),
            Err(error) if error.is_broken_pipe() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn write_clusters(
    mut writer: ClusterWriter,
    found: &DiscoveryOutput,
    clusters: &[Cluster],
) -> Result<(), report::Error> {
    for (number, cluster) in (0u64..).zip(clusters) {
        let line = ClusterLine {
            cluster: number,
            size: cluster.members.len() as u64,
            density: cluster.density,
            weakest: cluster.weakest,
        };
        writer.cluster(&line, cluster.members.iter().map(|&member| found.documents.id(member)))?;
    }
    writer.finish()
}

fn write_passages(
    mut writer: PassageWriter,
    source: &dyn Rewind,
    pairs: PairRows<'_>,
    rules: PassageRules,
    run_control: &RunControl,
) -> anyhow::Result<()> {
    let PairRows { discovery: found, settings, .. } = pairs;
    let clusters = passage_clusters(found, source, settings, rules, run_control)?;
    run_control.progress.begin("writing passages", 0);
    for row in clusters.rows() {
        if let Err(error) = writer.row(&row?) {
            return Ok(ignore_broken_pipe(Err(error))?);
        }
        if run_control.stop.is_requested() {
            return Err(textkin::Error::Stopped.into());
        }
    }
    Ok(ignore_broken_pipe(writer.finish())?)
}

fn write_sets(mut writer: ClusterWriter, found: &DiscoveryOutput) -> Result<(), report::Error> {
    for (number, set) in (0u64..).zip(found.near_copies.iter().flatten()) {
        let members = set.iter().map(|&member| found.documents.id(member));
        writer.set(number, set.len() as u64, members)?;
    }
    writer.finish()
}

fn write_index(
    mut file: report::OutputFile,
    found: &DiscoveryOutput,
    shared: &SharedText,
) -> Result<(), report::Error> {
    let written = shared.write(&found.documents, &mut file);
    written.map_err(|source| report::Error::write(file.name(), source))?;
    file.finish()
}

/// Reports everything that was skipped.
fn report_skipped(documents: &DocumentSource, found: &DiscoveryOutput, quiet: bool) {
    if quiet {
        return;
    }
    let mut is_reported = !found.problems.is_empty();
    if let DocumentSource::Files(inputs) = documents {
        outputs::report_skipped_inputs(inputs);
        is_reported |= !inputs.empty_streams().is_empty();
    }
    if found.counts.documents == 0 && !is_reported {
        print_message(format_args!("textkin: no documents in the input\n"));
    }
    if !found.graph.is_listed() {
        print_message(format_args!(
            "textkin: too many pairs to list; pairs are only counted, and clusters are connected components\n"
        ));
    }
    if let Some(capped) = &found.capped {
        print_message(format_args!(
            "textkin: --max-df {} excluded {} chunks with {} postings\n",
            capped.max_documents, capped.chunks, capped.postings
        ));
    }
}

fn statistics(
    arguments: &Discover,
    settings: &Settings,
    found: &DiscoveryOutput,
    n_clusters: usize,
    write_seconds: f64,
    seconds: f64,
) -> report::Statistics {
    let counts = &found.counts;
    let stage = |stage: &textkin::engine::StageTiming| report::StageTime {
        name: stage.name.to_owned(),
        seconds: stage.seconds,
        bytes: stage.bytes,
    };
    let mut stages: Vec<report::StageTime> = found.stages.iter().map(stage).collect();
    let bytes = arguments.output.out.iter().filter_map(|path| std::fs::metadata(path).ok());
    stages.push(report::StageTime {
        name: "write".to_owned(),
        seconds: write_seconds,
        bytes: bytes.map(|metadata| metadata.len()).sum(),
    });
    report::Statistics {
        documents: counts.documents,
        empty_documents: counts.empty_documents,
        problems: found.problems.len() as u64,
        exact_duplicates: counts.exact_duplicates,
        near_copies: found
            .near_copies
            .as_ref()
            .map(|sets| sets.iter().map(|set| set.len() as u64 - 1).sum()),
        words: counts.words,
        chunks: counts.chunks,
        distinct_chunks: counts.distinct_chunks,
        shared_chunks: counts.shared_chunks,
        shared_postings: counts.shared_postings,
        pairs: found.graph.n_pairs(),
        edges: found.graph.n_edges(),
        clusters: n_clusters as u64,
        rewritten_pairs: None,
        plan: found.plan.to_owned(),
        score: settings.score.to_string(),
        threshold: settings.threshold,
        chunk: settings.chunk.to_string(),
        select: settings.select.to_string(),
        stages,
        seconds,
        peak_rss_bytes: machine::peak_rss_bytes(),
        input_bytes: counts.input_bytes,
        capped: found.capped.map(|capped| report::CappedChunks {
            max_df: u64::from(capped.max_documents),
            chunks: capped.chunks,
            postings: capped.postings,
        }),
        notes: (found.notes.iter())
            .flat_map(|noted| noted.notes.iter().map(|note| (noted.document, note)))
            .map(|(document, note)| NoteLine::new(Some(found.documents.id(document)), note))
            .collect(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Prints statistics and the strongest pairs as one JSON object.
fn print_json(
    statistics: &report::Statistics,
    pairs: PairRows<'_>,
    rewritten: Option<&[PairRow<'_>]>,
    top: usize,
) -> anyhow::Result<Result<(), report::Error>> {
    let n_rewritten = top;
    let top: Vec<Pair> = pairs.discovery.graph.rows().take(top).collect();
    let json = |rows: &[PairRow<'_>]| -> Result<Value, serde_json::Error> {
        let mut lines = Vec::new();
        report::format_jsonl_rows(rows, &mut lines);
        serde_json::Deserializer::from_slice(&lines).into_iter::<Value>().collect()
    };
    let mut value = serde_json::to_value(statistics)?;
    if let Some(rewritten) = rewritten {
        value["top_rewritten"] = json(&rewritten[..rewritten.len().min(n_rewritten)])?;
    }
    value["top_pairs"] = json(&pairs.rows(&top))?;
    Ok(terminal::print(&format!("{value}\n")))
}

/// Maximum size of an input that is read again to show what pairs share.
const MAX_BYTES_FOR_SNIPPETS: u64 = 64 << 20;

/// Returns the `top` strongest pairs, half of them partial copies if there are enough of both kinds, and
/// the sets of exact copies.
fn strongest(pairs: PairRows<'_>, top: usize) -> terminal::FoundPairs<'_> {
    let graph = &pairs.discovery.graph;
    let is_copy = |block: &Block| block.reason == Reason::Copy;
    let partial: Vec<Pair> = graph
        .rows_where(|block| block.reason != Reason::Copy && block.overlap.ssr() < NEAR_DUPLICATE)
        .take(top)
        .collect();
    let near: Vec<Pair> = graph
        .rows_where(|block| block.reason != Reason::Copy && block.overlap.ssr() >= NEAR_DUPLICATE)
        .take(top)
        .collect();
    let n_partial = partial.len().min(top - near.len().min(top / 2));
    let n_near = near.len().min(top - n_partial);
    let copies = graph.copies();
    let id = |document: &u32| pairs.discovery.documents.id(*document);
    let ids = |documents: &&[u32]| documents.iter().map(id).collect();
    let n_copy_pairs: u64 =
        copies.iter().map(|documents| documents.len() as u64).map(|n| n * (n - 1) / 2).sum();
    let lists_copies = graph.rows_where(is_copy).next().is_some();
    terminal::FoundPairs {
        partial: pairs.rows(&partial[..n_partial]),
        near: pairs.rows(&near[..n_near]),
        copies: copies.iter().take(top.min(MAX_COPIES)).map(ids).collect(),
        n_copies: copies.len() as u64,
        total: graph.n_edges().saturating_sub(if lists_copies { n_copy_pairs } else { 0 }),
        ..terminal::FoundPairs::default()
    }
}

/// Maximum sets of exact copies to show.
const MAX_COPIES: usize = 10;

/// Prints the summary on standard output, or on standard error if an output goes there.
fn show(
    arguments: &Discover,
    pairs: PairRows<'_>,
    rewritten: Option<&[RewrittenPair]>,
    source: &dyn Rewind,
    n_clusters: usize,
    start: Instant,
    run_control: &RunControl,
) -> anyhow::Result<Result<(), report::Error>> {
    let PairRows { discovery: found, settings, .. } = pairs;
    let view = terminal::TerminalView::for_stdout();
    let summary = terminal::RunSummary {
        documents: found.counts.documents,
        words: found.counts.words,
        exact_duplicates: found.counts.exact_duplicates,
        empty_documents: found.counts.empty_documents,
        problems: found.problems.len() as u64,
        edges: found.graph.n_edges(),
        threshold: settings.rules.is_none().then_some(settings.threshold),
        clusters: Some(n_clusters as u64),
        input_bytes: found.counts.input_bytes,
        seconds: start.elapsed().as_secs_f64(),
        peak_rss_bytes: machine::peak_rss_bytes(),
    };
    let mut text = terminal::render_summary(&summary, view);
    if outputs::uses_stdout(&arguments.output) {
        print_message(format_args!("{text}"));
        return Ok(Ok(()));
    }
    let mut strongest = strongest(pairs, arguments.output.top);
    // Snippets are for people, who look at a terminal, and not worth reading a large input again.
    if view.width != usize::MAX && found.counts.input_bytes <= MAX_BYTES_FOR_SNIPPETS {
        let rows: Vec<_> = strongest.partial.iter().chain(&strongest.near).copied().collect();
        strongest.snippets = snippets(source, pairs, &rows, run_control)?;
    }
    text.push('\n');
    text.push_str(&terminal::render_pairs(&strongest, view));
    if let Some(rewritten) = rewritten {
        let id = |number| found.documents.id(number);
        text.push_str(&rewritten_table(rewritten, arguments.output.top, id, view));
    }
    Ok(terminal::print(&text))
}

/// Lists the surest pairs that share passages in other words: the words of each document in such passages.
fn rewritten_table<'a>(
    pairs: &[RewrittenPair],
    top: usize,
    id: impl Fn(u32) -> &'a str,
    view: terminal::TerminalView,
) -> String {
    if pairs.is_empty() {
        return "\nNo rewritten text\n".to_owned();
    }
    let mut text = String::from("\nRewritten text\nconfidence    words  document\n");
    let room = view.width.saturating_sub(21).max(20);
    for pair in pairs.iter().take(top) {
        let sides = [(pair.a, pair.matches.words_a), (pair.b, pair.matches.words_b)];
        let percent = format!("{:>8.0} %", 100.0 * pair.confidence);
        for ((number, words), percent) in sides.into_iter().zip([percent.as_str(), ""]) {
            let (words, id) = (terminal::thousands(words), terminal::fit(id(number), room));
            text.push_str(&format!("{percent:>10}  {words:>7}  {id}\n"));
        }
    }
    let rest = pairs.len().saturating_sub(top) as u64;
    if rest > 0 {
        let rest = terminal::counted(rest, "more pair", "more pairs");
        text.push_str(&format!("… and {rest}; use --out to list all of them\n"));
    }
    text
}
