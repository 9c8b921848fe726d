//! Planted evaluation items: recall by form and length, and false alarms by family of hard negatives.
//!
//! 300 items are planted in documents of the collection in four forms. 200 documents are hard negatives: they look
//! like items but are none. Without evaluation sets, questions in an invented language are used.

use std::collections::{BTreeMap, HashMap, HashSet};

use textkin::engine::types::Random;
use textkin::{Answer, Decontaminate, EvaluationItem};

use super::{ExperimentContext, ExperimentOutput};
use crate::error::Error;
use crate::generate::Language;
use crate::report::{ReportCell, ReportTable};

/// Number of planted items, and of those that are short.
const PLANTED: (usize, usize) = (300, 100);

/// Items with fewer words are short.
const SHORT: usize = 13;

/// Number of hard negatives of each family.
const NEGATIVES: usize = 40;

/// Number of items that are kept out of the evaluation set, for hard negatives.
const HELD_OUT: usize = 400;

/// Words around an item that is embedded.
const EMBEDDED: usize = 500;

/// Columns of wrapped text.
const COLUMNS: usize = 60;

/// The forms in which items are planted.
const FORMS: [&str; 4] =
    ["verbatim", "own paragraph", "wrapped at 60 columns", "embedded in 500 words"];

/// Families of hard negatives.
const FAMILIES: [&str; 5] = [
    "same topic",
    "same template, other numbers",
    "passage alone",
    "similar question of another set",
    "boilerplate",
];

/// Instructions that many prompts have.
const BOILERPLATE: [&str; 8] = [
    "Read the passage and answer the questions below. Select the best answer from the options A, B, C and D.",
    "The following are multiple choice questions (with answers) about high school biology.",
    "This question refers to the following information.",
    "Which of the following statements is true?",
    "Which of the following can be concluded from the passage?",
    "Let us think step by step. How much money did she have left at the end of the week?",
    "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated \
     documentation files, to deal in the software without restriction.",
    "This work is in the public domain. You may copy it, give it away or re-use it under the terms of the licence \
     included with this book or online.",
];

/// A document and what it is.
struct MadeDocument {
    row: String,
    text: String,
    /// The planted item.
    item: Option<usize>,
}

pub(super) fn planted(context: &ExperimentContext<'_>) -> Result<ExperimentOutput, Error> {
    let mut random = Random::new(context.seed ^ 0x6c65_616b);
    let given = &context.collection().items;
    let mut all = if given.is_empty() { invented(context.seed) } else { given.to_vec() };
    shuffle(&mut all, &mut random);
    let mut held_out = all.split_off(all.len() - HELD_OUT.min(all.len() / 4));
    let items = all;
    // Sets repeat questions; these are not hard negatives.
    let known: HashSet<String> = items.iter().map(|item| letters(&item.question)).collect();
    held_out.retain(|item| !known.contains(&letters(&item.question)));
    let background: Vec<&str> =
        context.collection().texts.iter().map(|document| document.text.as_str()).collect();
    let filler: Vec<&str> = background.iter().flat_map(|text| text.split_whitespace()).collect();
    let mut maker = Maker { filler, random };
    let mut documents = maker.plant(&items);
    documents.extend(maker.hard_negatives(&items, &held_out));
    documents.extend(background.iter().map(|text| MadeDocument {
        row: "documents of the collection".to_owned(),
        text: (*text).to_owned(),
        item: None,
    }));
    shuffle(&mut documents, &mut maker.random);

    context.set_stage("decontaminating");
    let ids: Vec<String> = (0..documents.len()).map(|number| number.to_string()).collect();
    let texts =
        ids.iter().zip(&documents).map(|(id, document)| (id.as_str(), document.text.as_str()));
    context.check_stopped()?;
    let found = Decontaminate::new().against(items.iter().cloned()).run(texts)?;
    context.check_stopped()?;
    let mut hits: HashMap<&str, HashSet<&str>> = HashMap::new();
    for leak in found.leaks() {
        hits.entry(leak.document).or_default().insert(&leak.item.question);
    }
    // Documents and hits by row.
    let mut rows: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let (mut n_right, mut n_wrong, mut n_planted) = (0u64, 0u64, 0u64);
    for (id, document) in ids.iter().zip(&documents) {
        let hit = hits.get(id.as_str());
        let is_found = match document.item {
            Some(item) => hit.is_some_and(|hit| hit.contains(items[item].question.as_str())),
            None => hit.is_some(),
        };
        let row = rows.entry(&document.row).or_default();
        row.0 += 1;
        row.1 += u64::from(is_found);
        if document.item.is_some() {
            n_planted += 1;
            n_right += u64::from(is_found);
        } else if document.row != "documents of the collection" {
            n_wrong += u64::from(is_found);
        }
    }
    let mut table = ReportTable::new("documents", ["number", "found", "found, %"]);
    let forms =
        FORMS.iter().flat_map(|form| [(*form).to_owned(), format!("{form}, under {SHORT} words")]);
    let negatives = FAMILIES.iter().map(|family| (*family).to_owned());
    for name in forms.chain(negatives).chain(["documents of the collection".to_owned()]) {
        let (n, n_found) = rows.get(name.as_str()).copied().unwrap_or_default();
        let share = (n > 0).then(|| 100.0 * n_found as f64 / n as f64);
        let cells = [Some(n as f64), Some(n_found as f64)].map(|value| ReportCell::new(value, 0));
        table.push(name, cells.into_iter().chain([ReportCell::new(share, 1)]).collect());
    }
    let precision = n_right as f64 / (n_right + n_wrong).max(1) as f64;
    let recall = n_right as f64 / n_planted.max(1) as f64;
    let source =
        if given.is_empty() { "invented questions" } else { "questions of the evaluation sets" };
    let notes = vec![
        format!(
            "Recall {:.1} %, precision {:.1} % (planted items and hard negatives; documents of the collection are unjudged).",
            100.0 * recall,
            100.0 * precision
        ),
        format!(
            "{} {source}, of which {} are planted as question and answer; {} others are only in hard negatives.",
            items.len(),
            n_planted / FORMS.len() as u64,
            held_out.len()
        ),
    ];
    Ok(ExperimentOutput { table, plots: Vec::new(), notes })
}

/// Makes documents.
struct Maker<'a> {
    /// Words of the collection.
    filler: Vec<&'a str>,
    random: Random,
}

impl Maker<'_> {
    /// Returns consecutive words of the collection.
    fn words(&mut self, n: usize) -> String {
        let n = n.min(self.filler.len());
        let begin = self.random.below(self.filler.len() - n + 1);
        self.filler[begin..begin + n].join(" ")
    }

    /// Returns a text between paragraphs of the collection.
    fn in_paragraphs(&mut self, text: &str) -> String {
        format!("{}\n\n{text}\n\n{}", self.words(150), self.words(150))
    }

    fn plant(&mut self, items: &[EvaluationItem]) -> Vec<MadeDocument> {
        let is_short = |item: &EvaluationItem| item.question.split_whitespace().count() < SHORT;
        let of_kind = |kind: bool, n: usize| {
            let numbers = (0..items.len()).filter(move |number| is_short(&items[*number]) == kind);
            numbers.take(n).collect::<Vec<_>>()
        };
        let short = of_kind(true, PLANTED.1);
        let long = of_kind(false, PLANTED.0 - short.len());
        let mut documents = Vec::new();
        for number in short.into_iter().chain(long) {
            let text = prompt(&items[number]);
            let forms = [
                text.clone(),
                self.in_paragraphs(&text),
                wrapped(&self.in_paragraphs(&text), COLUMNS),
                format!("{} {text} {}", self.words(EMBEDDED / 2), self.words(EMBEDDED / 2)),
            ];
            for (form, text) in FORMS.into_iter().zip(forms) {
                let suffix = if is_short(&items[number]) { ", under 13 words" } else { "" };
                documents.push(MadeDocument {
                    row: format!("{form}{suffix}"),
                    text,
                    item: Some(number),
                });
            }
        }
        documents
    }

    fn hard_negatives(
        &mut self,
        items: &[EvaluationItem],
        held_out: &[EvaluationItem],
    ) -> Vec<MadeDocument> {
        let similar = similar(items, held_out);
        let mut texts: [Vec<String>; 5] = Default::default();
        texts[0].extend(held_out.iter().rev().take(NEGATIVES).map(prompt));
        let numbered = items.iter().filter(|item| n_numbers(&item.question) >= 2);
        for item in numbered.take(NEGATIVES) {
            texts[1].push(self.other_numbers(&prompt(item)));
        }
        let passage = |item: &EvaluationItem| {
            item.passage.clone().or_else(|| {
                let body = item.question.trim_end_matches(['?', '.']);
                let end = body.rfind(['.', '\n'])? + 1;
                (body[..end].split_whitespace().count() >= 40).then(|| body[..end].to_owned())
            })
        };
        texts[2].extend(items.iter().filter_map(passage).take(NEGATIVES));
        texts[3]
            .extend(similar.into_iter().take(NEGATIVES).map(|number| prompt(&held_out[number])));
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for item in items {
            for line in item.question.lines() {
                *counts.entry(line.trim()).or_default() += 1;
            }
        }
        let mut common: Vec<(&str, usize)> = counts.into_iter().filter(|(_, n)| *n > 2).collect();
        common.sort_by_key(|(line, n)| (std::cmp::Reverse(*n), *line));
        let lines = common.iter().map(|(line, _)| *line);
        texts[4].extend(
            BOILERPLATE.into_iter().chain(lines).cycle().take(NEGATIVES).map(str::to_owned),
        );
        let mut documents = Vec::new();
        for (family, texts) in FAMILIES.into_iter().zip(texts) {
            for text in texts {
                let text = self.in_paragraphs(&text);
                documents.push(MadeDocument { row: family.to_owned(), text, item: None });
            }
        }
        documents
    }

    /// Replaces every number by another one.
    fn other_numbers(&mut self, text: &str) -> String {
        let mut other = String::new();
        let mut rest = text;
        while let Some(begin) = rest.find(|letter: char| letter.is_ascii_digit()) {
            other.push_str(&rest[..begin]);
            rest = &rest[begin..];
            let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
            let number: usize = rest[..end].parse().unwrap_or(7);
            other.push_str(
                &(number + 1 + self.random.below(number.clamp(1, 1_000_000) + 8)).to_string(),
            );
            rest = &rest[end..];
        }
        other + rest
    }
}

/// Returns an item as it would be in a document: passage, question and answer.
fn prompt(item: &EvaluationItem) -> String {
    let answer = item.answers.iter().find(|answer| answer.is_correct);
    let parts = [item.passage.as_deref(), Some(&item.question), answer.map(|answer| &*answer.text)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Returns the letters and digits of a text.
fn letters(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn n_numbers(text: &str) -> usize {
    let is_number = |word: &&str| word.bytes().any(|byte| byte.is_ascii_digit());
    text.split_whitespace().filter(is_number).count()
}

/// Breaks lines at white space, so that none has more than `columns` characters unless a word has.
fn wrapped(text: &str, columns: usize) -> String {
    let mut wrapped = String::with_capacity(text.len());
    for paragraph in text.split("\n\n") {
        if !wrapped.is_empty() {
            wrapped.push_str("\n\n");
        }
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if column > 0 {
                let is_full = column + 1 + length > columns;
                wrapped.push(if is_full { '\n' } else { ' ' });
                column = if is_full { 0 } else { column + 1 };
            }
            wrapped.push_str(word);
            column += length;
        }
    }
    wrapped
}

/// Returns the numbers of `others`, those first that are most similar to an item.
fn similar(items: &[EvaluationItem], others: &[EvaluationItem]) -> Vec<usize> {
    let runs = |item: &EvaluationItem| -> HashSet<Vec<String>> {
        let words: Vec<String> = item.question.split_whitespace().map(str::to_lowercase).collect();
        words.windows(3).map(<[String]>::to_vec).collect()
    };
    let known: Vec<HashSet<Vec<String>>> = items.iter().map(runs).collect();
    let mut ranked: Vec<(f64, usize)> = Vec::new();
    for (number, other) in others.iter().enumerate() {
        let other = runs(other);
        let resemblance = |known: &HashSet<Vec<String>>| {
            let shared = known.intersection(&other).count() as f64;
            shared / (known.len() + other.len()).max(1) as f64
        };
        let best = known.iter().map(resemblance).fold(0.0, f64::max);
        ranked.push((best, number));
    }
    ranked.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
    ranked.into_iter().map(|(_, number)| number).collect()
}

/// Returns questions in an invented language.
fn invented(seed: u64) -> Vec<EvaluationItem> {
    const ITEMS: usize = 2_000;
    let language = Language::new(seed ^ 7);
    let mut random = Random::new(seed ^ 0x7175_697a);
    let items = (0..ITEMS).map(|number| {
        let mut text = |words: usize| language.text(words, &mut random).join(" ");
        let length = if number % 3 == 0 { 10 } else { 20 + number % 50 };
        let figure = if number % 2 == 0 {
            format!(" {} and {}", number % 97, number % 31)
        } else {
            String::new()
        };
        EvaluationItem {
            id: number.to_string(),
            benchmark: ["arithmetic", "knowledge", "reading"][number % 3].to_owned(),
            question: format!("{}{figure}?", text(length).trim_end_matches('.')),
            answers: vec![Answer { text: text(3), is_correct: true }],
            passage: (number % 9 == 0).then(|| text(120)),
            ..EvaluationItem::default()
        }
    });
    items.collect()
}

fn shuffle<T>(items: &mut [T], random: &mut Random) {
    for at in (1..items.len()).rev() {
        items.swap(at, random.below(at + 1));
    }
}
