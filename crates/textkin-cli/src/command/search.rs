//! `textkin search`: finds the documents of a repository that match a text.

mod json;
mod rewritten;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::sync::Arc;

use textkin::Repository;
use textkin::engine::report::terminal::TerminalView;
use textkin::engine::report::{Output, csv_field, terminal};
use textkin::engine::search::{PassageDocument, PassageSettings, Ranked, Ranking};
use textkin::engine::source::Inputs;
use textkin::engine::types::{Document, DocumentAddress, DocumentSink, Problem, Source, Span};
use textkin::engine::{
    RewrittenSearchSettings, RewrittenSearcher, RunControl, SearchResults, SearchSettings,
    Searcher, min_match_percent,
};

use self::json::TextRange;
pub(crate) use self::json::schema as result_schema;
pub(crate) use self::rewritten::schema as rewritten_schema;
use crate::arguments::{GlobalOptions, ListFormat, Search, SearchOptions};
use crate::documents::collection_settings;
use crate::exit::Exit;
use crate::interrupt;
use crate::messages::print_message;
use crate::outputs::{check_not_input, ignore_broken_pipe, report_skipped_inputs, view};
use crate::progress::ProgressDisplay;

/// Maximum number of queries, and of their bytes, to search for at a time.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 16 << 20;
/// Number of passages to show for each document in a table.
const MAX_PASSAGES_SHOWN: usize = 3;

/// Runs the command.
pub(crate) fn run(arguments: &Search, global: GlobalOptions) -> anyhow::Result<Exit> {
    let run_control = Arc::new(RunControl::default());
    interrupt::listen(&run_control)?;
    let out = arguments.options.out.path();
    check_not_input(out, &arguments.queries)?;
    let repository = Repository::open(&arguments.folder)?;
    let settings = settings(arguments)?;
    let method = match arguments.options.rewritten {
        false => SearchMethod::Ranked(Box::new(Searcher::new(&repository, settings)?)),
        true => {
            let settings = RewrittenSearchSettings {
                top: settings.top,
                min_confidence: arguments.options.min_confidence / 100.0,
                threads: settings.threads,
            };
            SearchMethod::Rewritten(Box::new(RewrittenSearcher::new(&repository, settings)?))
        }
    };
    let mut inputs = Inputs::open(&arguments.queries, &collection_settings(&arguments.input))?;
    let mut session = SearchSession {
        repository: &repository,
        method: &method,
        options: &arguments.options,
        is_strict: arguments.input.strict,
        pending: Vec::new(),
        out: Output::create(out)?,
        view: view(out),
        n_queries: 0,
        is_found: false,
        problems: 0,
        failure: None,
    };
    if arguments.options.format.format == ListFormat::Csv {
        session.write(match method {
            SearchMethod::Ranked(_) => "query,measure,rank,id,score,percent\n",
            SearchMethod::Rewritten(_) => rewritten::CSV_HEADER,
        });
    }
    let display = ProgressDisplay::start_beside(&run_control, global, out);
    run_control.progress.begin("searching", inputs.total_bytes().unwrap_or(0));
    while session.failure.is_none()
        && let Some(piece) = inputs.next_piece()
    {
        let bytes = piece.bytes();
        piece.read(&mut session);
        run_control.progress.advance(bytes);
        if run_control.stop.is_requested() {
            return Err(textkin::Error::Stopped.into());
        }
    }
    session.search_pending();
    drop(display);
    let SearchSession { out, is_found, n_queries, problems, failure, .. } = session;
    if let Some(error) = failure {
        let closed = error.downcast_ref::<textkin::engine::report::Error>();
        return match closed.is_some_and(textkin::engine::report::Error::is_broken_pipe) {
            true => Ok(Exit::Found),
            false => Err(error),
        };
    }
    ignore_broken_pipe(out.finish())?;
    if !global.quiet {
        report_skipped_inputs(&inputs);
    }
    if n_queries == 0 && problems == 0 && inputs.empty_streams().is_empty() {
        print_message(format_args!("textkin: no queries in the input\n"));
    }
    Ok(match (is_found, n_queries) {
        (true, _) => Exit::Found,
        (false, 0) => Exit::Failed,
        (false, _) => Exit::Nothing,
    })
}

fn settings(arguments: &Search) -> anyhow::Result<SearchSettings> {
    let options = &arguments.options;
    let defaults = SearchSettings::default();
    let stop = options.stop_list.words()?;
    let number = |number: u32| {
        NonZeroUsize::new(usize::try_from(number).unwrap_or(usize::MAX))
            .unwrap_or(NonZeroUsize::MIN)
    };
    let top = usize::try_from(options.top).unwrap_or(usize::MAX);
    let passages = options.passages.then(|| PassageSettings {
        window: number(options.window),
        step: number(options.step),
        percent: options.passage_threshold,
        top,
        ..PassageSettings::default()
    });
    Ok(SearchSettings {
        rankings: options.score.clone(),
        top,
        stop,
        stop_frequent: options.stop_frequent,
        select: options.select.clone(),
        max_terms: options.max_query_words.map(|n| number(n).get()),
        collapse: options.collapse,
        min_words: options.min_document_words,
        passages,
        threads: arguments
            .threads
            .threads
            .and_then(|threads| NonZeroUsize::new(threads.into()))
            .unwrap_or(defaults.threads),
    })
}

/// How documents are found.
enum SearchMethod {
    Ranked(Box<Searcher>),
    Rewritten(Box<RewrittenSearcher>),
}

/// Collects queries, searches for them in batches and writes the results in order.
struct SearchSession<'a> {
    repository: &'a Repository,
    method: &'a SearchMethod,
    options: &'a SearchOptions,
    is_strict: bool,
    pending: Vec<(String, String)>,
    out: Output,
    view: TerminalView,
    n_queries: u64,
    is_found: bool,
    problems: u64,
    failure: Option<anyhow::Error>,
}

impl DocumentSink for SearchSession<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.n_queries += 1;
        let text = document.content.into_text().unwrap_or_default();
        self.pending.push((document.id.into_owned(), text.into_owned()));
        let bytes: usize = self.pending.iter().map(|query| query.1.len()).sum();
        if self.pending.len() >= BATCH || bytes >= BATCH_BYTES {
            self.search_pending();
        }
        self.next()
    }

    fn problem(&mut self, problem: Problem) -> ControlFlow<()> {
        self.problems += 1;
        if self.is_strict {
            self.failure = Some(textkin::Error::Problem(problem).into());
        } else {
            print_message(format_args!("textkin: {problem}\n"));
        }
        self.next()
    }
}

impl SearchSession<'_> {
    fn next(&self) -> ControlFlow<()> {
        if self.failure.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn write(&mut self, text: &str) {
        if self.failure.is_none()
            && let Err(error) = self.out.write(text.as_bytes())
        {
            self.failure = Some(error.into());
        }
    }

    /// Searches for the pending queries and writes the results.
    fn search_pending(&mut self) {
        if self.failure.is_some() || self.pending.is_empty() {
            return;
        }
        let (ids, texts): (Vec<String>, Vec<String>) =
            std::mem::take(&mut self.pending).into_iter().unzip();
        let queries = || ids.iter().zip(&texts);
        let rendered: Vec<anyhow::Result<String>> = match self.method {
            SearchMethod::Ranked(searcher) => {
                let all = queries().zip(searcher.search_all(&texts));
                all.map(|((id, text), hits)| self.rendered(id, text, &hits?)).collect()
            }
            SearchMethod::Rewritten(searcher) => {
                let all = queries().zip(searcher.search_all(&texts));
                all.map(|((id, text), found)| {
                    let found = found?;
                    self.is_found |= !found.hits.is_empty();
                    let format = self.options.format.format;
                    rewritten::render(self.repository, id, text, &found, format, self.view)
                })
                .collect()
            }
        };
        for rendered in rendered {
            match rendered {
                Ok(text) => self.write(&text),
                Err(error) => self.failure = Some(error),
            }
            if self.failure.is_some() {
                return;
            }
        }
    }

    fn rendered(&mut self, id: &str, text: &str, hits: &SearchResults) -> anyhow::Result<String> {
        let query = Query { id, text, hits };
        let mut rendered = String::new();
        let passages = match self.options.format.format {
            ListFormat::Json => self.passages_json(&query)?,
            ListFormat::Text | ListFormat::Csv => None,
        };
        for (number, (&ranking, list)) in self.options.score.iter().zip(&hits.lists).enumerate() {
            let threshold = self.options.threshold;
            let threshold = threshold.unwrap_or_else(|| min_match_percent(ranking, hits.words));
            let documents: Vec<&Ranked> =
                list.documents.iter().filter(|document| document.percent >= threshold).collect();
            self.is_found |= !documents.is_empty();
            if list.is_cut && documents.len() == list.documents.len() {
                let n = terminal::thousands(list.documents.len() as u64);
                print_message(format_args!(
                    "textkin: {id}: {ranking} compares and lists at most {n} documents; more may match\n"
                ));
            }
            match self.options.format.format {
                ListFormat::Text if documents.is_empty() => {
                    let closest = list.documents.first();
                    self.no_matches(&mut rendered, &query, ranking, closest)?;
                }
                ListFormat::Text => {
                    let copies = hits.copies.get(number).map_or(&[][..], Vec::as_slice);
                    self.table(&mut rendered, &query, ranking, (&documents, copies))?;
                }
                ListFormat::Json => {
                    let copies = hits.copies.get(number).map(Vec::as_slice);
                    let found = (&*documents, copies);
                    self.json(&mut rendered, &query, ranking, found, passages.as_ref())?;
                }
                ListFormat::Csv => self.csv(&mut rendered, &query, ranking, &documents)?,
            }
        }
        if let Some(list) = &hits.passages {
            self.is_found |= !list.documents.is_empty();
            if self.options.format.format == ListFormat::Text {
                self.passages(&mut rendered, &query)?;
            }
        }
        Ok(rendered)
    }

    fn ids(&self, addresses: &[DocumentAddress]) -> anyhow::Result<Vec<String>> {
        let id = |address: &DocumentAddress| Ok(self.repository.document(*address)?.id);
        addresses.iter().map(id).collect()
    }

    fn id(&self, document: &Ranked) -> anyhow::Result<String> {
        let place = document.address;
        Ok(self.repository.document(place)?.id)
    }

    /// Says that no document matches, and which is the closest.
    fn no_matches(
        &self,
        rendered: &mut String,
        query: &Query<'_>,
        ranking: Ranking,
        closest: Option<&Ranked>,
    ) -> anyhow::Result<()> {
        query.heading(rendered, ranking)?;
        let Some(closest) = closest else {
            writeln!(rendered, "  no matches\n")?;
            return Ok(());
        };
        let percent = percent_text(closest.percent);
        let id = terminal::fit(&self.id(closest)?, self.view.width.saturating_sub(40).max(20));
        writeln!(rendered, "  no matches; the closest is {id} with {percent} %")?;
        writeln!(rendered, "  (--threshold 0 shows documents with less in common)\n")?;
        Ok(())
    }

    fn table(
        &self,
        rendered: &mut String,
        query: &Query<'_>,
        ranking: Ranking,
        (documents, copies): (&[&Ranked], &[Vec<DocumentAddress>]),
    ) -> anyhow::Result<()> {
        query.heading(rendered, ranking)?;
        writeln!(rendered, "{:>5}  {:>8}  {:>12}  document", "rank", "percent", "score")?;
        let room = self.view.width.saturating_sub(31).max(20);
        for (rank, document) in (1..).zip(documents) {
            let id = terminal::fit(&self.id(document)?, room);
            let score = score_text(document.score);
            let percent = percent_text(document.percent);
            writeln!(rendered, "{rank:>5}  {percent:>6} %  {score:>12}  {id}")?;
            let copies = self.ids(copies.get(rank - 1).map_or(&[], Vec::as_slice))?;
            if !copies.is_empty() {
                let (n, are) = (copies.len(), if copies.len() == 1 { "copy" } else { "copies" });
                let line = format!("+ {n} {are}: {}", copies.join(", "));
                writeln!(rendered, "{:31}{}", "", terminal::fit(&line, room))?;
            }
        }
        rendered.push('\n');
        Ok(())
    }

    fn csv(
        &self,
        rendered: &mut String,
        query: &Query<'_>,
        ranking: Ranking,
        documents: &[&Ranked],
    ) -> anyhow::Result<()> {
        for (rank, document) in (1..).zip(documents) {
            let id = self.id(document)?;
            let (query, id) = (csv_field(query.id), csv_field(&id));
            let Ranked { score, percent, .. } = document;
            writeln!(rendered, "{query},{ranking},{rank},{id},{score},{percent}")?;
        }
        Ok(())
    }

    fn json(
        &self,
        rendered: &mut String,
        query: &Query<'_>,
        ranking: Ranking,
        (documents, copies): (&[&Ranked], Option<&[Vec<DocumentAddress>]>),
        passages: Option<&json::Passages>,
    ) -> anyhow::Result<()> {
        let by_id: Option<BTreeMap<&str, usize>> = passages.map(|found| {
            found.passages.iter().map(|found| (found.id.as_str(), found.pairs.len())).collect()
        });
        let pairs_of =
            |id: &str| by_id.as_ref().map(|by_id| by_id.get(id).copied().unwrap_or_default());
        let mut results = Vec::with_capacity(documents.len());
        for (rank, document) in (1..).zip(documents) {
            let place = document.address;
            let stored = self.repository.document(place)?;
            let copies = copies.and_then(|copies| copies.get(rank - 1));
            results.push(json::Match {
                copies: copies.map(|copies| self.ids(copies)).transpose()?,
                rank,
                score: document.score,
                percent: document.percent,
                words: stored.length.words,
                time: stored.time,
                passage_pairs: pairs_of(&stored.id),
                id: stored.id,
            });
        }
        let answer = json::QueryResult {
            query: query.id,
            measure: ranking.to_string(),
            results,
            words: query.hits.words,
            passages: passages.cloned(),
        };
        writeln!(rendered, "{}", serde_json::to_string(&answer)?)?;
        Ok(())
    }

    /// Returns the similar passages, if they were requested.
    fn passages_json(&self, query: &Query<'_>) -> anyhow::Result<Option<json::Passages>> {
        let Some(list) = &query.hits.passages else { return Ok(None) };
        let mut passages = Vec::with_capacity(list.documents.len());
        for found in &list.documents {
            let (id, spans) = self.document_spans(found)?;
            let pair = |pair: &textkin::engine::search::PassagePair| json::Pair {
                query: query.range(&pair.query),
                document: TextRange::new(span(&spans, &pair.document), &pair.document),
                percent: pair.percent,
            };
            let pairs = found.pairs.iter().map(pair).collect();
            passages.push(json::PassageMatch { id, pairs });
        }
        let common_passages = list.common.iter().map(|words| query.range(words)).collect();
        Ok(Some(json::Passages { passages, common_passages }))
    }

    /// Returns the id of a document and the spans of its words.
    fn document_spans(&self, found: &PassageDocument) -> anyhow::Result<(String, Vec<Span>)> {
        let place = found.address;
        let repository = self.repository;
        Ok((repository.document(place)?.id, repository.spans(place)?))
    }

    fn passages(&self, rendered: &mut String, query: &Query<'_>) -> anyhow::Result<()> {
        let Some(list) = &query.hits.passages else { return Ok(()) };
        let id = terminal::fit(query.id, 200);
        if list.documents.is_empty() {
            writeln!(rendered, "{id}: no similar passages\n")?;
            return Ok(());
        }
        writeln!(rendered, "{id} by passages\n{:>5}  {:>8}  document", "pairs", "best")?;
        let room = self.view.width.saturating_sub(17).max(20);
        for found in &list.documents {
            let (id, spans) = self.document_spans(found)?;
            let best = found.best_percent();
            writeln!(
                rendered,
                "{:>5}  {best:>6.2} %  {}",
                found.pairs.len(),
                terminal::fit(&id, room)
            )?;
            for pair in found.pairs.iter().take(MAX_PASSAGES_SHOWN) {
                let words: Vec<&str> = query.words(&pair.query).split_whitespace().collect();
                let from = terminal::thousands(span(&spans, &pair.document).start.into());
                let words = terminal::fit(&words.join(" "), room.saturating_sub(24).clamp(20, 80));
                writeln!(rendered, "{:>17}“{words}” at byte {from} of the document", "")?;
            }
            if found.pairs.len() > MAX_PASSAGES_SHOWN {
                let more = (found.pairs.len() - MAX_PASSAGES_SHOWN) as u64;
                let more = terminal::counted(more, "more pair", "more pairs");
                writeln!(rendered, "{:>17}… and {more}", "")?;
            }
        }
        if !list.common.is_empty() {
            let n = list.common.len() as u64;
            writeln!(
                rendered,
                "{} common in the repository and skipped",
                terminal::counted(n, "passage of the query is", "passages of the query are")
            )?;
        }
        rendered.push('\n');
        Ok(())
    }
}

/// A query and its results.
struct Query<'a> {
    id: &'a str,
    text: &'a str,
    hits: &'a SearchResults,
}

impl Query<'_> {
    fn heading(&self, rendered: &mut String, ranking: Ranking) -> std::fmt::Result {
        let words = terminal::counted(self.hits.words as u64, "word", "words");
        writeln!(rendered, "{} ({words}) by {ranking}", terminal::fit(self.id, 200))
    }

    fn range(&self, words: &Range<usize>) -> TextRange {
        TextRange::new(span(&self.hits.spans, words), words)
    }

    fn words(&self, words: &Range<usize>) -> &str {
        let span = span(&self.hits.spans, words);
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }
}

fn span(spans: &[Span], words: &Range<usize>) -> Span {
    let words = spans.get(words.clone()).unwrap_or_default();
    match (words.first(), words.last()) {
        (Some(first), Some(last)) => Span { start: first.start, end: last.end },
        _ => Span { start: 0, end: 0 },
    }
}

/// Formats a percentage with two decimals; a percentage above 0 is never shown as 0.
fn percent_text(percent: f64) -> String {
    match percent {
        _ if percent > 0.0 && percent < 0.01 => "<0.01".to_owned(),
        _ => format!("{percent:.2}"),
    }
}

fn score_text(score: f64) -> String {
    if score > 0.0 && score < 0.0001 {
        format!("{score:.1e}")
    } else if score.fract() == 0.0 && score.abs() < 1e15 {
        format!("{score:.0}")
    } else {
        format!("{score:.4}")
    }
}
