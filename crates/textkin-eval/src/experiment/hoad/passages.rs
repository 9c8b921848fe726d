//! Search by passages instead of whole documents: the last experiment of the paper, on student essays.

use std::collections::{BTreeMap, HashMap};

use textkin::engine::Searcher;
use textkin::engine::search::{PassageSettings, Ranking};
use textkin::engine::types::{Layers, Span, Tokens};
use textkin::engine::{Analyzer, SearchSettings, Settings};

use crate::collection::{Collection, CollectionDocument};
use crate::error::Error;
use crate::experiment::store::{TOP, TemporaryRepository, by};
use crate::experiment::{ExperimentContext, ExperimentOutput};
use crate::metric::{Degree, Judgement};
use crate::report::{ReportCell, ReportTable};

/// Rank at which recall is measured, as in the paper.
const RECALL_AT: usize = 20;

/// Counts for one ranking.
#[derive(Clone, Copy, Debug, Default)]
struct ListCounts {
    /// Sum of precision(s) over queries.
    precision: f64,
    /// Sum of recall(20).
    recall: f64,
    /// Related documents among the first 20, and all related documents, by degree.
    by_degree: [(u32, u32); 3],
    /// Related and unrelated documents anywhere in the list.
    related: u32,
    unrelated: u32,
}

impl ListCounts {
    /// Counts the judged documents of a list, best first.
    fn add(&mut self, list: &[u32], related: &BTreeMap<u32, Degree>) {
        let among =
            |n: usize| list.iter().take(n).filter(|number| related.contains_key(number)).count();
        let n = related.len().max(1) as f64;
        self.precision += among(related.len()) as f64 / n;
        self.recall += among(RECALL_AT) as f64 / n;
        for (degree, (found, all)) in Degree::ALL.into_iter().zip(&mut self.by_degree) {
            let is_of = |number: &&u32| related.get(number) == Some(&degree);
            *found += short(list.iter().take(RECALL_AT).filter(is_of).count());
            *all += short(related.values().filter(|one| **one == degree).count());
        }
        self.related += short(among(list.len()));
        self.unrelated += short(list.len() - among(list.len()));
    }

    fn cells(
        &self,
        context: &ExperimentContext<'_>,
        n_queries: usize,
        has_list: bool,
    ) -> Vec<ReportCell> {
        let n = n_queries.max(1) as f64;
        let mut cells = vec![
            ReportCell::new(context.unless_vacuous(self.precision / n), 2),
            ReportCell::new(self.recall / n, 2),
        ];
        for (found, all) in self.by_degree {
            cells.push(ReportCell::new((all > 0).then(|| f64::from(found) / f64::from(all)), 2));
        }
        let all: u32 = self.by_degree.iter().map(|(_, all)| all).sum();
        let share = 100.0 * f64::from(self.related) / f64::from(all.max(1));
        cells.push(ReportCell::new(has_list.then_some(share), 1));
        cells.push(ReportCell::new(
            has_list.then(|| context.unless_vacuous(f64::from(self.unrelated) / n)).flatten(),
            2,
        ));
        cells
    }
}

fn short(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

pub(in crate::experiment) fn passages(
    context: &ExperimentContext<'_>,
) -> Result<ExperimentOutput, Error> {
    let mut columns = vec!["precision(s)".to_owned(), "recall(20)".to_owned()];
    columns.extend(Degree::ALL.map(|degree| format!("recall(20) of {} overlap", degree.name())));
    columns.extend(["related in the list, %".to_owned(), "unrelated in the list".to_owned()]);
    let mut table = ReportTable::new("search by", columns);
    let store = TemporaryRepository::new(context, &Settings::default(), true)?;
    let rankings = [Ranking::Identity2, Ranking::Identity5, Ranking::Kin];
    let passages = PassageSettings { top: TOP, ..PassageSettings::default() };
    let settings = SearchSettings { top: TOP, passages: Some(passages), ..by(&rankings) };
    let searcher = Searcher::new(store.repository(), settings)?;
    let numbers: HashMap<_, u32> = store.repository().storage().addresses().zip(0..).collect();
    let (queries, collection) = (context.queries(), context.collection());
    let related = collection.truth.by_document();
    let nothing = BTreeMap::new();
    let mut counts = [ListCounts::default(); 4];
    context.set_stage("searching");
    for &query in &queries {
        context.check_stopped()?;
        let text = collection.texts.get(query as usize).map_or("", |text| &text.text);
        let hits = searcher.search(text)?;
        let whole = hits
            .lists
            .iter()
            .map(|list| list.documents.iter().map(|ranked| ranked.address).collect::<Vec<_>>());
        let parts = hits
            .passages
            .iter()
            .map(|list| list.documents.iter().map(|document| document.address).collect::<Vec<_>>());
        for (places, count) in whole.chain(parts).zip(&mut counts) {
            let judged: Vec<u32> = places
                .iter()
                .filter_map(|address| numbers.get(address).copied())
                .filter(|number| {
                    *number != query
                        && collection.truth.judge(query, *number) != Judgement::Unjudged
                })
                .collect();
            count.add(&judged, related.get(&query).unwrap_or(&nothing));
        }
    }
    let as_documents = passages_as_documents(context, &queries)?;
    let names = [
        "whole documents, identity 2",
        "whole documents, identity 5",
        "whole documents, kin (textkin's default)",
        "passages of 50 words every 25",
    ];
    for (number, (name, count)) in names.iter().zip(&counts).enumerate() {
        table.push(*name, count.cells(context, queries.len(), number == 3));
    }
    for (name, count) in as_documents {
        table.push(name, count.cells(context, queries.len(), true));
    }
    let notes = vec![
        format!(
            "Means over {} queries: documents that have related documents. The query itself and unjudged documents are \
             excluded. Passage search ranks documents by the number of passages that are similar to a passage of the \
             query: at least 50 % of identity 2. Other documents are not in that list. In the last rows, as in the paper, \
             passages are the documents of the repository, N and f_t count passages, and each passage of the query is a \
             query of its own.",
            queries.len()
        ),
        "The paper compared 145 student essays with one another. The identity measure on whole documents found 36 copied \
         pairs. Passages found 59 pairs, of which 55 were copied: the same 36 and 19 more."
            .to_owned(),
    ];
    Ok(ExperimentOutput { table, notes, ..ExperimentOutput::default() })
}

/// Words of a passage, and from the start of one to the start of the next.
const WINDOW: usize = 50;
const STEP: usize = 25;
/// Minimum percentage of similar passages.
const SIMILAR: f64 = 50.0;
/// Maximum number of passages compared with a passage.
const MAX_PASSAGES: usize = 100;

/// Cuts a text into passages, as ranges of bytes.
fn cut(spans: &[Span]) -> Vec<std::ops::Range<usize>> {
    let n = spans.len();
    let starts = (0..n).step_by(STEP).take_while(|start| *start == 0 || start + STEP < n);
    let passage = |start: usize| {
        let (first, last) = (spans.get(start)?, spans.get(n.min(start + WINDOW) - 1)?);
        Some(first.start as usize..last.end as usize)
    };
    starts.filter_map(passage).collect()
}

/// Ranks documents by the number of their passages that are similar to a passage of the query, in a repository whose
/// documents are passages.
fn passages_as_documents(
    context: &ExperimentContext<'_>,
    queries: &[u32],
) -> Result<Vec<(String, ListCounts)>, Error> {
    context.set_stage("cutting passages");
    let collection = context.collection();
    let analyzer = Analyzer::new(&Settings::default())?;
    let mut tokens = Tokens::new(Layers::SPANS);
    let mut passages = Vec::new();
    // The document of each passage, and the passages of each document.
    let (mut document_of, mut of_document) = (Vec::new(), Vec::new());
    for (text, number) in collection.texts.iter().zip(0_u32..) {
        analyzer.tokenize(&text.text, &mut tokens);
        let first = passages.len();
        for range in cut(tokens.spans()) {
            let id = passages.len().to_string();
            let text = text.text.get(range).unwrap_or_default().to_owned();
            passages.push(CollectionDocument { id, time: None, text });
            document_of.push(number);
        }
        of_document.push(first..passages.len());
    }
    let passages = Collection { texts: passages.into(), ..collection.clone() };
    let store = TemporaryRepository::of(context, &passages, &Settings::default(), false)?;
    let rankings = [Ranking::Identity2, Ranking::Identity5, Ranking::Cosine];
    let settings = SearchSettings { top: MAX_PASSAGES, ..by(&rankings) };
    let searcher = Searcher::new(store.repository(), settings)?;
    let numbers: HashMap<_, usize> = store.repository().storage().addresses().zip(0..).collect();
    let related = collection.truth.by_document();
    let nothing = BTreeMap::new();
    let mut counts = [ListCounts::default(); 3];
    context.set_stage("searching for passages");
    for &query in queries {
        context.check_stopped()?;
        let range = of_document.get(query as usize).cloned().unwrap_or_default();
        let texts = passages.texts.get(range).unwrap_or_default();
        let texts: Vec<String> = texts.iter().map(|passage| passage.text.clone()).collect();
        let mut n_similar: [HashMap<u32, u32>; 3] = Default::default();
        for results in searcher.search_all(&texts) {
            for (list, n_similar) in results?.lists.iter().zip(&mut n_similar) {
                for ranked in list.documents.iter().filter(|ranked| ranked.percent >= SIMILAR) {
                    let passage = numbers.get(&ranked.address);
                    if let Some(document) = passage.and_then(|passage| document_of.get(*passage)) {
                        *n_similar.entry(*document).or_default() += 1;
                    }
                }
            }
        }
        for (n_similar, count) in n_similar.into_iter().zip(&mut counts) {
            let mut ranked: Vec<(u32, u32)> = n_similar.into_iter().collect();
            ranked.sort_unstable_by_key(|(document, n)| (std::cmp::Reverse(*n), *document));
            let is_judged = |document: &u32| {
                *document != query
                    && collection.truth.judge(query, *document) != Judgement::Unjudged
            };
            let judged: Vec<u32> =
                ranked.into_iter().map(|(document, _)| document).filter(is_judged).collect();
            count.add(&judged, related.get(&query).unwrap_or(&nothing));
        }
    }
    let name = |ranking: Ranking| format!("passages as documents, {ranking}");
    Ok(rankings.into_iter().map(name).zip(counts).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// “A set of subdocument chunks of 50 words, overlapping by 25 words each.”
    #[test]
    fn passages_overlap_by_half() {
        let spans =
            |n: u32| (0..n).map(|word| Span::new(2 * word, 2 * word + 1)).collect::<Vec<_>>();
        assert_eq!(cut(&spans(110)), [0..99, 50..149, 100..199, 150..219]);
        assert_eq!(cut(&spans(50)), std::slice::from_ref(&(0..99)));
        assert_eq!(cut(&spans(51)), [0..99, 50..101]);
        assert_eq!(cut(&spans(3)), std::slice::from_ref(&(0..5)));
        assert!(cut(&[]).is_empty());
    }

    /// Three related documents: one ranked first, one third, one missing.
    #[test]
    fn a_small_list_by_hand() {
        let related = BTreeMap::from([(1, Degree::High), (2, Degree::Some), (3, Degree::Some)]);
        let mut count = ListCounts::default();
        count.add(&[1, 8, 2, 9], &related);
        assert!((count.precision - 2.0 / 3.0).abs() < 1e-12, "1 and 2 are among the first three");
        assert!((count.recall - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(count.by_degree, [(1, 2), (1, 1), (0, 0)]);
        assert_eq!((count.related, count.unrelated), (2, 2));
    }
}
