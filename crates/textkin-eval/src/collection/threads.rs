//! Threads: which articles reply to which, and how much they quote.

use std::collections::{BTreeSet, HashMap};

use super::manifest::Threads;
use super::{CollectionDocument, GroundTruth};
use crate::metric::Degree;

/// Id of an article, and its references to earlier articles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ThreadLinks {
    /// Id of the article; empty if it has none.
    pub(super) name: String,
    /// Ids of earlier articles in its thread.
    pub(super) references: Vec<String>,
}

/// Adds the pairs of linked articles to `truth`. `links` is in the order of `texts`.
pub(super) fn judge(
    texts: &[CollectionDocument],
    links: &[ThreadLinks],
    threads: &Threads,
    truth: &mut GroundTruth,
) {
    let mut by_name: HashMap<&str, Vec<u32>> = HashMap::new();
    for (article, number) in links.iter().zip(0..) {
        if !article.name.is_empty() {
            by_name.entry(&article.name).or_default().push(number);
        }
    }
    let text = |number: u32| texts.get(number as usize).map_or("", |text| text.text.as_str());
    for (article, later) in links.iter().zip(0..) {
        let namesakes = by_name.get(article.name.as_str()).map_or(&[][..], Vec::as_slice);
        for &earlier in namesakes.iter().filter(|other| **other < later) {
            truth.related.insert((earlier, later), Degree::Exact);
        }
        let quotes = Quotes::of(text(later));
        let names: BTreeSet<&str> = article.references.iter().map(String::as_str).collect();
        for &earlier in names.iter().filter_map(|name| by_name.get(name)).flatten() {
            let pair = (earlier.min(later), earlier.max(later));
            if earlier == later || namesakes.contains(&earlier) || truth.related.contains_key(&pair)
            {
                continue;
            }
            match quotes.share(text(earlier)) {
                share if share >= threads.high => _ = truth.related.insert(pair, Degree::High),
                share if share >= threads.some => _ = truth.related.insert(pair, Degree::Some),
                _ => truth.unrelated.insert(earlier, later),
            }
        }
    }
}

/// Lines that an article quotes.
struct Quotes(BTreeSet<String>);

impl Quotes {
    fn of(text: &str) -> Self {
        Self(text.lines().filter_map(quoted).filter_map(words).collect())
    }

    /// Returns the share of the lines of `text`, its own quotations included, that are quoted; 0 without
    /// lines.
    fn share(&self, text: &str) -> f64 {
        let lines: Vec<String> =
            text.lines().filter_map(|line| words(quoted(line).unwrap_or(line))).collect();
        let n = lines.iter().filter(|line| self.0.contains(*line)).count();
        if lines.is_empty() { 0.0 } else { n as f64 / lines.len() as f64 }
    }
}

/// Marks before quoted lines.
const MARKS: [char; 4] = ['>', '|', ':', '}'];

/// Returns the quoted part of a line, without its marks: `>`, `> >`, `|`, `: `, or initials and `>`.
fn quoted(line: &str) -> Option<&str> {
    let line = line.trim();
    let initials = line.find(|c: char| !c.is_alphanumeric()).filter(|at| (1..=4).contains(at));
    let after = initials.and_then(|at| line.get(at..)).filter(|rest| rest.starts_with('>'));
    let marked = after.unwrap_or(line);
    let rest = marked.trim_start_matches(|c: char| MARKS.contains(&c) || c.is_whitespace());
    (rest.len() < marked.len()).then_some(rest)
}

/// Returns the words of a line for comparison; `None` if there are fewer than two.
fn words(line: &str) -> Option<String> {
    let words: Vec<&str> =
        line.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    (words.len() >= 2).then(|| words.join(" ").to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Judgement;

    #[test]
    fn quotation_marks_are_recognized() {
        for (line, expected) in [
            ("> one two", Some("one two")),
            (">>| one", Some("one")),
            ("  > > x", Some("x")),
            ("JD> one", Some("one")),
            (": one", Some("one")),
            ("one > two", None),
            ("plain", None),
            ("", None),
            (">", Some("")),
        ] {
            assert_eq!(quoted(line), expected, "{line}");
        }
    }

    /// Four lines, of which a reply quotes three, another one, a third none.
    #[test]
    fn overlap_is_the_share_of_quoted_lines() {
        let article = |name: &str, references: &[&str], text: &str| {
            let links = ThreadLinks {
                name: name.to_owned(),
                references: references.iter().map(|&name| name.to_owned()).collect(),
            };
            (CollectionDocument { text: text.to_owned(), ..CollectionDocument::default() }, links)
        };
        let first = "one line\ntwo lines\nthree lines\nfour lines\n";
        let (texts, links): (Vec<CollectionDocument>, Vec<ThreadLinks>) = [
            article("<1>", &[], first),
            article("<2>", &["<0>", "<1>"], "> one line\n> two lines,\n> three LINES\nno"),
            article("<3>", &["<1>", "<1>"], "|one line\nfour lines"),
            article("<4>", &["<1>"], "I agree"),
            article("<1>", &["<2>"], first),
            article("", &["<2>", "<9>"], "> one line\n> no no"),
            article("", &[], ""),
        ]
        .into_iter()
        .unzip();
        let threads =
            Threads { message: String::new(), references: Vec::new(), high: 0.5, some: 0.25 };
        let mut truth = GroundTruth::default();
        judge(&texts, &links, &threads, &mut truth);
        let related: Vec<((u32, u32), Degree)> =
            truth.related.iter().map(|(p, d)| (*p, *d)).collect();
        let expected = [
            ((0, 1), Degree::High),
            ((0, 2), Degree::Some),
            ((0, 4), Degree::Exact),
            ((1, 4), Degree::High),
            ((1, 5), Degree::Some),
            ((2, 4), Degree::Some),
        ];
        assert_eq!(related, expected);
        assert_eq!(truth.judge(3, 0), Judgement::Unrelated);
        assert_eq!(truth.judge(3, 2), Judgement::Unjudged);
    }
}
