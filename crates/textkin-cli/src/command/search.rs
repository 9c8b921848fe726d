//! `textkin search`: the documents of a repository that are most like a text.

mod json;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::ops::{ControlFlow, Range};
use std::path::Path;

use anyhow::Context;
use textkin::report::{Output, terminal};
use textkin::search::{PassageDocument, PassageSettings, Ranked, Ranking};
use textkin::source::Inputs;
use textkin::text::tokenizer::Normalization;
use textkin::types::{Document, DocumentSink, Problem, Source, Span};
use textkin::{Repository, SearchResults, SearchSettings, Searcher};

use self::json::PlaceInText;
use crate::arguments::{LookedFor, Search, SearchFormat};
use crate::documents::collection_settings;
use crate::exit::Exit;
use crate::messages::print_message;
use crate::outputs::{quoted, tell_unread, unless_closed};

/// So many queries, or bytes of them, are looked for at once.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 16 << 20;
/// So many places of passages are shown for a document in a table.
const MAX_PLACES: usize = 3;

/// Runs the command.
pub(crate) fn run(arguments: &Search) -> anyhow::Result<Exit> {
    let repository = Repository::open(&arguments.folder)?;
    let searcher = Searcher::new(&repository, settings(&arguments.looked_for)?)?;
    let mut inputs = Inputs::open(&arguments.queries, &collection_settings(&arguments.input))?;
    let mut answers = Answers {
        searcher: &searcher,
        looked_for: &arguments.looked_for,
        is_strict: arguments.input.strict,
        waiting: Vec::new(),
        out: Output::create(Path::new("-"))?,
        n_queries: 0,
        is_found: false,
        problems: 0,
        failure: None,
    };
    if arguments.looked_for.format == SearchFormat::Csv {
        answers.write("query,measure,rank,id,score,percent\n");
    }
    while answers.failure.is_none()
        && let Some(piece) = inputs.next_piece()
    {
        piece.read(&mut answers);
    }
    answers.answer();
    let Answers { out, is_found, n_queries, problems, failure, .. } = answers;
    if let Some(error) = failure {
        let closed = error.downcast_ref::<textkin::report::Error>();
        return match closed.is_some_and(textkin::report::Error::is_broken_pipe) {
            true => Ok(Exit::Found),
            false => Err(error),
        };
    }
    unless_closed(out.finish())?;
    tell_unread(&inputs);
    if n_queries == 0 && problems == 0 && inputs.empty_streams().is_empty() {
        print_message(format_args!("textkin: no queries in the input\n"));
    }
    Ok(match (is_found, n_queries) {
        (true, _) => Exit::Found,
        (false, 0) => Exit::Failed,
        (false, _) => Exit::Nothing,
    })
}

fn settings(looked_for: &LookedFor) -> anyhow::Result<SearchSettings> {
    let defaults = SearchSettings::default();
    let mut stop = Vec::new();
    for name in &looked_for.stop {
        stop.extend(stop_words(name)?);
    }
    let number = |number: u32| {
        NonZeroUsize::new(usize::try_from(number).unwrap_or(usize::MAX))
            .unwrap_or(NonZeroUsize::MIN)
    };
    let top = usize::try_from(looked_for.top).unwrap_or(usize::MAX);
    let passages = looked_for.passages.then(|| PassageSettings {
        window: number(looked_for.window),
        step: number(looked_for.step),
        percent: looked_for.similar,
        top,
        ..PassageSettings::default()
    });
    Ok(SearchSettings {
        rankings: looked_for.measure.clone(),
        top,
        stop,
        stop_frequent: looked_for.stop_frequent,
        select: looked_for.select.clone(),
        passages,
        threads: looked_for
            .threads
            .and_then(|threads| NonZeroUsize::new(threads.into()))
            .unwrap_or(defaults.threads),
    })
}

/// The stop words of a language, or of a file.
fn stop_words(name: &str) -> anyhow::Result<Vec<String>> {
    let language: Result<Normalization, _> = format!("none+stop:{name}").parse();
    match language {
        Ok(steps) => Ok(steps.stop_words().map(str::to_owned).collect()),
        Err(error) => {
            let text = std::fs::read_to_string(name).with_context(|| {
                format!("--stop {name} is neither a language ({error}) nor a file to be read")
            })?;
            Ok(text.split_whitespace().map(str::to_owned).collect())
        }
    }
}

/// Takes queries and writes answers, in order.
struct Answers<'a> {
    searcher: &'a Searcher,
    looked_for: &'a LookedFor,
    is_strict: bool,
    waiting: Vec<(String, String)>,
    out: Output,
    n_queries: u64,
    is_found: bool,
    problems: u64,
    failure: Option<anyhow::Error>,
}

impl DocumentSink for Answers<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        self.n_queries += 1;
        self.waiting.push((document.id.into_owned(), document.text.into_owned()));
        let bytes: usize = self.waiting.iter().map(|query| query.1.len()).sum();
        if self.waiting.len() >= BATCH || bytes >= BATCH_BYTES {
            self.answer();
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

impl Answers<'_> {
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

    /// Looks for what waits.
    fn answer(&mut self) {
        if self.failure.is_some() || self.waiting.is_empty() {
            return;
        }
        let (ids, texts): (Vec<String>, Vec<String>) =
            std::mem::take(&mut self.waiting).into_iter().unzip();
        for ((id, text), hits) in ids.iter().zip(&texts).zip(self.searcher.search_all(&texts)) {
            let shown =
                hits.map_err(anyhow::Error::from).and_then(|hits| self.shown(id, text, &hits));
            match shown {
                Ok(text) => self.write(&text),
                Err(error) => self.failure = Some(error),
            }
            if self.failure.is_some() {
                return;
            }
        }
    }

    fn shown(&mut self, id: &str, text: &str, hits: &SearchResults) -> anyhow::Result<String> {
        let query = Query { id, text, hits };
        let mut shown = String::new();
        let passages = match self.looked_for.format {
            SearchFormat::Json => self.passages_json(&query)?,
            SearchFormat::Table | SearchFormat::Csv => None,
        };
        for (&ranking, list) in self.looked_for.measure.iter().zip(&hits.lists) {
            let least = self.looked_for.min_percent;
            let documents: Vec<&Ranked> =
                list.documents.iter().filter(|document| document.percent >= least).collect();
            self.is_found |= !documents.is_empty();
            match self.looked_for.format {
                SearchFormat::Table => self.table(&mut shown, &query, ranking, &documents)?,
                SearchFormat::Json => {
                    self.json(&mut shown, &query, ranking, &documents, passages.as_ref())?
                }
                SearchFormat::Csv => self.csv(&mut shown, &query, ranking, &documents)?,
            }
        }
        if let Some(list) = &hits.passages {
            self.is_found |= !list.documents.is_empty();
            if self.looked_for.format == SearchFormat::Table {
                self.passages(&mut shown, &query)?;
            }
        }
        Ok(shown)
    }

    fn id(&self, document: &Ranked) -> anyhow::Result<String> {
        let place = self.searcher.address(document.place);
        Ok(self.searcher.repository().document(place)?.id)
    }

    fn table(
        &self,
        shown: &mut String,
        query: &Query<'_>,
        ranking: Ranking,
        documents: &[&Ranked],
    ) -> anyhow::Result<()> {
        let view = terminal::View::of_stdout();
        let words = terminal::counted(query.hits.words as u64, "word", "words");
        writeln!(shown, "{} ({words}) by {ranking}", terminal::fit(query.id, 200))?;
        if documents.is_empty() {
            writeln!(shown, "  nothing alike\n")?;
            return Ok(());
        }
        writeln!(shown, "{:>5}  {:>8}  {:>12}  document", "rank", "percent", "score")?;
        let room = view.width.saturating_sub(31).max(20);
        for (rank, document) in (1..).zip(documents) {
            let id = terminal::fit(&self.id(document)?, room);
            let score = score_text(document.score);
            let percent = percent_text(document.percent);
            writeln!(shown, "{rank:>5}  {percent:>6} %  {score:>12}  {id}")?;
        }
        shown.push('\n');
        Ok(())
    }

    fn csv(
        &self,
        shown: &mut String,
        query: &Query<'_>,
        ranking: Ranking,
        documents: &[&Ranked],
    ) -> anyhow::Result<()> {
        for (rank, document) in (1..).zip(documents) {
            let (query, id) = (quoted(query.id), quoted(&self.id(document)?));
            let Ranked { score, percent, .. } = document;
            writeln!(shown, "{query},{ranking},{rank},{id},{score},{percent}")?;
        }
        Ok(())
    }

    fn json(
        &self,
        shown: &mut String,
        query: &Query<'_>,
        ranking: Ranking,
        documents: &[&Ranked],
        passages: Option<&json::Passages>,
    ) -> anyhow::Result<()> {
        let by_id: Option<BTreeMap<&str, usize>> = passages.map(|found| {
            found.passages.iter().map(|found| (found.id.as_str(), found.pairs.len())).collect()
        });
        let pairs_of =
            |id: &str| by_id.as_ref().map(|by_id| by_id.get(id).copied().unwrap_or_default());
        let mut results = Vec::with_capacity(documents.len());
        for (rank, document) in (1..).zip(documents) {
            let place = self.searcher.address(document.place);
            let stored = self.searcher.repository().document(place)?;
            results.push(json::Found {
                rank,
                score: document.score,
                percent: document.percent,
                words: stored.length.words,
                time: stored.time,
                passage_pairs: pairs_of(&stored.id),
                id: stored.id,
            });
        }
        let answer = json::Answer {
            query: query.id,
            measure: ranking.to_string(),
            results,
            words: query.hits.words,
            passages: passages.cloned(),
        };
        writeln!(shown, "{}", serde_json::to_string(&answer)?)?;
        Ok(())
    }

    /// What was found by passages, if they were asked for.
    fn passages_json(&self, query: &Query<'_>) -> anyhow::Result<Option<json::Passages>> {
        let Some(list) = &query.hits.passages else { return Ok(None) };
        let mut passages = Vec::with_capacity(list.documents.len());
        for found in &list.documents {
            let (id, spans) = self.document_spans(found)?;
            let pair = |pair: &textkin::search::PassagePair| json::Pair {
                query: query.place(&pair.query),
                document: PlaceInText::new(span(&spans, &pair.document), &pair.document),
                percent: pair.percent,
            };
            let pairs = found.pairs.iter().map(pair).collect();
            passages.push(json::PassageFound { id, pairs });
        }
        let common_passages = list.common.iter().map(|words| query.place(words)).collect();
        Ok(Some(json::Passages { passages, common_passages }))
    }

    /// The id of a document with passages, and where its words are.
    fn document_spans(&self, found: &PassageDocument) -> anyhow::Result<(String, Vec<Span>)> {
        let place = self.searcher.address(found.place);
        let repository = self.searcher.repository();
        Ok((repository.document(place)?.id, repository.spans(place)?))
    }

    fn passages(&self, shown: &mut String, query: &Query<'_>) -> anyhow::Result<()> {
        let Some(list) = &query.hits.passages else { return Ok(()) };
        let id = terminal::fit(query.id, 200);
        if list.documents.is_empty() {
            writeln!(shown, "{id}: no similar passages\n")?;
            return Ok(());
        }
        writeln!(shown, "{id} by passages\n{:>5}  {:>8}  document", "pairs", "best")?;
        let room = terminal::View::of_stdout().width.saturating_sub(17).max(20);
        for found in &list.documents {
            let (id, spans) = self.document_spans(found)?;
            let best = found.best_percent();
            writeln!(
                shown,
                "{:>5}  {best:>6.2} %  {}",
                found.pairs.len(),
                terminal::fit(&id, room)
            )?;
            for pair in found.pairs.iter().take(MAX_PLACES) {
                let words: Vec<&str> = query.words(&pair.query).split_whitespace().collect();
                let from = terminal::thousands(span(&spans, &pair.document).start.into());
                let words = terminal::fit(&words.join(" "), room.saturating_sub(24).clamp(20, 80));
                writeln!(shown, "{:>17}“{words}” there at byte {from}", "")?;
            }
            if found.pairs.len() > MAX_PLACES {
                let more = (found.pairs.len() - MAX_PLACES) as u64;
                let more = terminal::counted(more, "more pair", "more pairs");
                writeln!(shown, "{:>17}… and {more}", "")?;
            }
        }
        if !list.common.is_empty() {
            let n = list.common.len() as u64;
            writeln!(
                shown,
                "{} common in the repository and passed over",
                terminal::counted(n, "passage of the query is", "passages of the query are")
            )?;
        }
        shown.push('\n');
        Ok(())
    }
}

/// A query and what was found.
struct Query<'a> {
    id: &'a str,
    text: &'a str,
    hits: &'a SearchResults,
}

impl Query<'_> {
    fn place(&self, words: &Range<usize>) -> PlaceInText {
        PlaceInText::new(span(&self.hits.spans, words), words)
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

/// Two decimals; what is not nothing never shows as nothing.
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
