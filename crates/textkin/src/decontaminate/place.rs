//! Where a text of an item is in a document, and how completely.
//!
//! In: the words of the text and of the document, and runs that they share. Out: [`Place`]s. A place has pairs of
//! equal words in the order of both. What differs between two pairs is compared as letters, so that `x^2` is `x²` and
//! `well-known` is `well known`; other words in the place of words of the text contradict it.

use std::ops::Range;

use textkin_core::Span;

use super::align::Aligner;
use super::index::RunHit;
use super::words::{ItemWord, ItemWords, WordKind, is_same_run};

/// Maximum words of a text that are aligned at once; a longer one is aligned section by section.
const SECTION: usize = 256;

/// Maximum missing words at the beginning or end of a text that the words of the document there contradict.
const MAX_REPLACED_END: usize = 3;

/// The words of a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct DocumentWords<'a> {
    pub(super) text: &'a str,
    pub(super) hashes: &'a [u64],
    pub(super) spans: &'a [Span],
}

impl<'a> DocumentWords<'a> {
    /// Returns the text of a run of words.
    pub(super) fn slice(&self, words: Range<usize>) -> &'a str {
        self.span(words).map_or("", |span| &self.text[span.range()])
    }

    /// Returns the bytes of a run of words; `None` if it is empty.
    pub(super) fn span(&self, words: Range<usize>) -> Option<Span> {
        let spans = &self.spans[words];
        Some(Span::new(spans.first()?.start, spans.last()?.end))
    }
}

/// A text of an item.
#[derive(Clone, Debug)]
pub(super) struct ItemText {
    pub(super) text: String,
    pub(super) words: ItemWords,
    /// Its number of distinct words with content, and its length in words.
    pub(super) n_content: usize,
    pub(super) length: f64,
    /// The words of the sentences that ask; the others may be a quotation.
    pub(super) asks: Vec<Range<usize>>,
    /// Whether it has no words but numbers and single letters, so that its symbols count too.
    pub(super) is_formula: bool,
    /// The items with this text.
    pub(super) items: Vec<u32>,
}

impl ItemText {
    pub(super) fn new(text: String, words: ItemWords) -> Self {
        let (n_content, length) = (words.n_content(), words.length());
        let asks = asks(&text, &words);
        let is_word = |word: &ItemWord| word.kind != WordKind::Number && word.span.len() > 1;
        let is_formula = !words.words.iter().any(is_word);
        Self { text, words, n_content, length, asks, is_formula, items: Vec::new() }
    }
}

/// Returns the words of the last sentence, and of the first one if it is a question.
fn asks(text: &str, words: &ItemWords) -> Vec<Range<usize>> {
    const MIN_WORDS: usize = 3;
    let is_end = |character: char| matches!(character, '.' | '?' | '!' | '。' | '？' | '！' | '\n');
    // The words of each sentence, and whether it is a question.
    let mut sentences: Vec<(Range<usize>, bool)> = Vec::new();
    let mut begin = 0;
    let marks = text.char_indices().filter(|(_, character)| is_end(*character));
    for (at, mark) in marks.chain([(text.len(), '.')]) {
        let next = text[at..].chars().nth(1);
        if next.is_some_and(char::is_alphanumeric) && matches!(mark, '.' | '?' | '!') {
            // A decimal point, or an abbreviation.
            continue;
        }
        let end = words.words.partition_point(|word| (word.span.start as usize) < at);
        let is_question = matches!(mark, '?' | '？');
        if end >= begin + MIN_WORDS {
            sentences.push((begin..end, is_question));
            begin = end;
        } else if let Some((last, asks)) = sentences.last_mut().filter(|_| end > begin) {
            last.end = end;
            *asks |= is_question;
            begin = end;
        }
    }
    let first = sentences.first().filter(|(_, is_question)| *is_question && sentences.len() > 1);
    first.into_iter().chain(sentences.last()).map(|(words, _)| words.clone()).collect()
}

/// A place of a text in a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// Words of the text and of the document, ascending in the text.
    pub(super) pairs: Vec<(u32, u32)>,
    /// The share of the text that is found, weighted by rarity.
    pub(super) share: f64,
    /// The same for the sentences that ask: the smallest.
    pub(super) ask_share: f64,
    /// Whether nothing but common words is missing.
    pub(super) is_whole: bool,
    /// Whether the document has other numbers or other content in the place of words of the text.
    pub(super) is_contradicted: bool,
}

impl Place {
    /// Returns the words of the document from the first that is found to the last.
    pub(super) fn words(&self) -> Range<usize> {
        let positions = || self.pairs.iter().map(|pair| pair.1 as usize);
        positions().min().unwrap_or(0)..positions().max().map_or(0, |last| last + 1)
    }
}

/// Finds places of texts; keeps working memory.
#[derive(Clone, Debug, Default)]
pub(super) struct PlaceFinder {
    aligner: Aligner,
    found: Vec<(u32, u32)>,
    is_matched: Vec<bool>,
}

impl PlaceFinder {
    /// Appends the places of `text` in a document. `hits` are the runs that they share, ordered by position in the
    /// document. Places do not overlap.
    pub(super) fn find(
        &mut self,
        text: &ItemText,
        document: DocumentWords<'_>,
        hits: &[RunHit],
        places: &mut Vec<Place>,
    ) {
        let begin = places.len();
        let slack = text.words.hashes.len() as i64 / 2 + 4;
        let mut rest = hits;
        while !rest.is_empty() {
            let is_joined = |pair: &[RunHit]| {
                let shift = |hit: &RunHit| i64::from(hit.document) - i64::from(hit.item);
                (shift(&pair[0]) - shift(&pair[1])).abs() <= slack
            };
            let length = 1 + rest.windows(2).take_while(|pair| is_joined(pair)).count();
            let (cluster, after) = rest.split_at(length);
            rest = after;
            let mut place = Place::default();
            self.align(text, document, cluster, &mut place.pairs);
            self.measure(text, document, &mut place);
            let words = place.words();
            match places[begin..].last_mut() {
                Some(last) if last.words().end > words.start => {
                    if place.share > last.share {
                        *last = place;
                    }
                }
                _ => places.push(place),
            }
        }
    }

    fn align(
        &mut self,
        text: &ItemText,
        document: DocumentWords<'_>,
        cluster: &[RunHit],
        pairs: &mut Vec<(u32, u32)>,
    ) {
        let item = &*text.words.hashes;
        let is_exact = |hit: &RunHit| {
            let begin = hit.document.checked_sub(hit.item)? as usize;
            (document.hashes.get(begin..begin + item.len())? == item).then_some(begin)
        };
        if let Some(begin) = cluster.first().and_then(is_exact) {
            pairs.extend((0..item.len()).map(|at| (position(at), position(begin + at))));
            return;
        }
        let n_sections = item.len().div_ceil(SECTION).max(1);
        let mut floor = 0;
        for number in 0..n_sections {
            let section = number * item.len() / n_sections..(number + 1) * item.len() / n_sections;
            let slack = section.len() / 2 + 16;
            let near = section.start.saturating_sub(SECTION / 2)..section.end + SECTION / 2;
            let hits = cluster.iter().filter(|hit| near.contains(&(hit.item as usize)));
            let (mut begin, mut end) = (usize::MAX, 0);
            for hit in hits {
                let (at, item) = (hit.document as usize, hit.item as usize);
                begin = begin.min((at + section.start).saturating_sub(item + slack));
                end = end.max((at + section.end + slack).saturating_sub(item));
            }
            let end = end.min(document.hashes.len());
            let begin = begin.max(floor);
            if begin >= end {
                continue;
            }
            self.found.clear();
            self.aligner.align(
                &item[section.clone()],
                &document.hashes[begin..end],
                &mut self.found,
            );
            let shift =
                |&(item, at): &(u32, u32)| (item + position(section.start), at + position(begin));
            pairs.extend(self.found.iter().map(shift));
            floor = pairs.last().map_or(floor, |last| last.1 as usize + 1);
        }
    }

    /// Computes the shares and contradictions of a place from its pairs.
    fn measure(&mut self, text: &ItemText, document: DocumentWords<'_>, place: &mut Place) {
        let n_words = text.words.hashes.len();
        self.is_matched.clear();
        self.is_matched.resize(n_words, false);
        for pair in &place.pairs {
            self.is_matched[pair.0 as usize] = true;
        }
        if place.pairs.len() < n_words && !place.pairs.is_empty() {
            let first = [None].into_iter().chain(place.pairs.iter().map(Some));
            let gaps = first.zip(place.pairs.iter().map(Some).chain([None]));
            let (mut lacks_number, mut has_other_number) = (false, false);
            for (before, after) in gaps {
                let item = before.map_or(0, |pair| pair.0 as usize + 1)
                    ..after.map_or(n_words, |pair| pair.0 as usize);
                if item.is_empty() {
                    if let (Some(before), Some(after)) = (before, after) {
                        let added = document.slice(before.1 as usize + 1..after.1 as usize);
                        has_other_number |= added.contains(|letter: char| letter.is_numeric());
                    }
                    continue;
                }
                // Before the first and after the last pair, as many words as are missing, and a few more.
                let reach = item.len() + 2;
                let other = match (before, after) {
                    (Some(before), Some(after)) => before.1 as usize + 1..after.1 as usize,
                    (None, Some(after)) => {
                        (after.1 as usize).saturating_sub(reach)..after.1 as usize
                    }
                    (Some(before), None) => {
                        let begin = before.1 as usize + 1;
                        begin..(begin + reach).min(document.hashes.len())
                    }
                    (None, None) => continue,
                };
                let is_inner = before.is_some() && after.is_some();
                let gap = Gap { item, document: other, is_inner, is_head: before.is_none() };
                match gap.verdict(text, document) {
                    GapVerdict::Same => self.is_matched[gap.item.clone()].fill(true),
                    GapVerdict::Missing => {
                        let mut missing = text.words.words[gap.item.clone()].iter();
                        lacks_number |= missing.any(|word| word.kind == WordKind::Number);
                    }
                    GapVerdict::Contradicted => place.is_contradicted = true,
                }
            }
            // The best alignment of other numbers may have them beside the missing ones.
            place.is_contradicted |= lacks_number && has_other_number;
        }
        let bits = |index: usize| f64::from(text.words.words[index].bits);
        let found = |words: Range<usize>| {
            let all: f64 = words.clone().map(bits).sum();
            let found: f64 = words.filter(|index| self.is_matched[*index]).map(bits).sum();
            if all > 0.0 { found / all } else { 0.0 }
        };
        place.ask_share = text.asks.iter().map(|words| found(words.clone())).fold(1.0, f64::min);
        place.share = found(0..n_words);
        let words = text.words.words.iter().zip(&self.is_matched);
        place.is_whole = words
            .into_iter()
            .all(|(word, is_matched)| *is_matched || word.kind == WordKind::Common);
        if text.is_formula && !has_same_symbols(&text.text, document.slice(place.words())) {
            place.is_contradicted = true;
        }
    }
}

/// Words of a text without a pair, and the words of the document in their place.
#[derive(Clone, Debug)]
struct Gap {
    item: Range<usize>,
    document: Range<usize>,
    /// Whether there is a pair on both sides.
    is_inner: bool,
    is_head: bool,
}

/// What a gap says about the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GapVerdict {
    /// The document has the same letters, or nearly.
    Same,
    /// The words are missing.
    Missing,
    /// The document has other content.
    Contradicted,
}

impl Gap {
    fn verdict(&self, text: &ItemText, document: DocumentWords<'_>) -> GapVerdict {
        if self.document.is_empty() {
            return GapVerdict::Missing;
        }
        let words = &text.words.words[self.item.clone()];
        let (Some(first), Some(last)) = (words.first(), words.last()) else {
            return GapVerdict::Missing;
        };
        let missing = &text.text[first.span.start as usize..last.span.end as usize];
        let replaced = document.slice(self.document.clone());
        if self.is_inner {
            if is_same_run(missing, replaced) || is_same_spelling(missing, replaced) {
                return GapVerdict::Same;
            }
        } else {
            // The end of what precedes the first pair, or the beginning of what follows the last one.
            let length = self.document.len();
            let is_same = (1..=length).any(|n| {
                let words = match self.is_head {
                    true => self.document.end - n..self.document.end,
                    false => self.document.start..self.document.start + n,
                };
                let replaced = document.slice(words);
                is_same_run(missing, replaced)
                    || (n == self.item.len() && is_same_spelling(missing, replaced))
            });
            if is_same {
                return GapVerdict::Same;
            }
            if self.item.len() > MAX_REPLACED_END {
                return GapVerdict::Missing;
            }
        }
        GapVerdict::Contradicted
    }
}

/// Whether a text and a stretch have the same symbols and words, whatever the white space. The stretch ends with a
/// word, and the text may have symbols before its first and after its last word.
fn has_same_symbols(text: &str, found: &str) -> bool {
    let symbols = |text: &str| -> String {
        let text = text.trim_matches(|letter: char| !letter.is_alphanumeric());
        let letters = text.chars().filter(|letter| !letter.is_whitespace());
        letters.map(|letter| if letter == '−' { '-' } else { letter }).collect()
    };
    symbols(text) == symbols(found)
}

/// Whether two stretches without digits differ in so few letters that it is a matter of spelling.
fn is_same_spelling(one: &str, other: &str) -> bool {
    /// Letters for each difference.
    const LETTERS: usize = 5;
    /// Stretches that are longer are different sentences.
    const MAX_LETTERS: usize = 60;
    let letters = |text: &str| -> Vec<char> {
        text.chars()
            .filter(|letter| letter.is_alphanumeric())
            .flat_map(char::to_lowercase)
            .collect()
    };
    let (one, other) = (letters(one), letters(other));
    let has_digit = |letters: &[char]| letters.iter().any(|letter| letter.is_numeric());
    let max = one.len().max(other.len());
    if has_digit(&one)
        || has_digit(&other)
        || !(4..=MAX_LETTERS).contains(&max)
        || one.first() != other.first()
    {
        return false;
    }
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, letter) in one.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], at + 1);
        for (column, other) in other.iter().enumerate() {
            let above = row[column + 1];
            let replaced = diagonal + usize::from(letter != other);
            row[column + 1] = replaced.min(above + 1).min(row[column] + 1);
            diagonal = above;
        }
    }
    row[other.len()] <= (max / LETTERS).max(1)
}

fn position(index: usize) -> u32 {
    u32::try_from(index).expect("texts are limited to 4 GiB")
}
