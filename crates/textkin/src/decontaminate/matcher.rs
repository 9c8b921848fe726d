//! The matcher: judges documents against all items.
//!
//! In: an [`EvaluationSet`], a [`Preset`] and texts. Out: [`LeakHit`]s. A matcher has no state that depends on
//! documents, so that threads share it; each has a [`MatchBuffer`].
//!
//! The rule `textkin` asks for each place of a question:
//!
//! 1. Is enough of it there, and of the sentence that asks? A quotation of the passage inside a question is not enough.
//! 2. Does the document have other numbers or other content words in it? Then it is another question.
//! 3. Is the question long and specific enough to be found alone? Otherwise all of it must be there, and its
//!    answer or its passage near by.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use hashbrown::{HashMap, HashSet};
use textkin_core::{Span, Tokenizer, Tokens, parallel};
use textkin_text::tokenizer::WordTokenizer;

use super::index::{RunHit, RunIndex};
use super::items::{EvaluationItem, EvaluationSet};
use super::place::{DocumentWords, ItemText, Place, PlaceFinder};
use super::published;
use super::rule::Preset;
use super::words::{Frequencies, ItemTokenizer, ItemWords, token_buffer, tokenizer};

/// Minimum length in words, and minimum number of different words with content, of a question that is found alone.
const LONG: (f64, usize) = (13.0, 4);

/// The same for a question that is found alone if all of it is there.
const DISTINCT: (f64, usize) = (7.0, 4);

/// The same for items that consist of a question only.
const ALONE: (f64, usize) = (5.0, 3);

/// Minimum length of a text to be judged at all, and minimum number of words with content in question and answer.
const JUDGED: (f64, usize) = (2.0, 2);

/// Questions that are shorter are judged together with their passage or answer.
const MIN_QUESTION: usize = 2;

/// Words between a question and its answer, besides twice the length of all answers.
const ANSWER_DISTANCE: usize = 24;

/// The same for answers of one or two words.
const SHORT_ANSWER_DISTANCE: usize = 4;

/// Minimum share of an answer, weighted by rarity, and of a passage.
const ANSWER_SHARE: f64 = 0.8;
const PASSAGE_SHARE: f64 = 0.5;

/// Words between a question and the far end of its passage, besides twice the length of the passage.
const PASSAGE_DISTANCE: usize = 100;

/// Words of a run by which answers and passages are looked up.
const PART_RUN: usize = 3;

/// Minimum share of an item that is reported although the item does not count as found.
const MIN_REPORTED: f64 = 0.5;

/// An item that a document contains, or nearly.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LeakHit {
    /// Number of the item.
    pub item: u32,
    /// The share of the question that is found; by the rule `textkin` and `decon` weighted by rarity.
    pub share: f64,
    /// The share of the answer that is found near the question; `None` if the item has no answer.
    pub answer_share: Option<f64>,
    /// The share of the passage that is found near the question; `None` if the item has no passage.
    pub passage_share: Option<f64>,
    /// Equal stretches: bytes of the document and bytes of the judged text of the item, ascending.
    pub spans: Vec<(Span, Span)>,
    /// The bytes of the document that belong to the item.
    pub range: Span,
    /// Why the item counts as found, or why not.
    pub reason: LeakReason,
}

/// Why an item counts as found in a document, or why not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum LeakReason {
    /// The question is long and specific.
    Question,
    /// The whole question and an answer near by.
    QuestionAndAnswer,
    /// The question and its passage near by.
    QuestionAndPassage,
    /// The share that a published rule requires.
    Share,
    /// Not found: too little of the question is there.
    TooLittle,
    /// Not found: other numbers or other content in the place of words of the question.
    Contradicted,
    /// Not found: a short or general question without its answer or passage.
    Unconfirmed,
}

impl LeakReason {
    /// Whether the item counts as found.
    #[must_use]
    pub fn is_leak(self) -> bool {
        matches!(
            self,
            Self::Question | Self::QuestionAndAnswer | Self::QuestionAndPassage | Self::Share
        )
    }

    /// Returns the reason in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Question => "question",
            Self::QuestionAndAnswer => "question and answer",
            Self::QuestionAndPassage => "question and passage",
            Self::Share => "share",
            Self::TooLittle => "too little of the question",
            Self::Contradicted => "other numbers or content",
            Self::Unconfirmed => "question without answer or passage",
        }
    }
}

/// An item as the rules see it.
#[derive(Clone, Debug)]
struct JudgedItem {
    /// Number of its text.
    text: u32,
    /// Whether the text contains its passage or answer.
    is_combined: bool,
    /// Whether items of the same benchmark have the same text.
    is_ambiguous: bool,
    /// The answers: words that identify them and the sum of their rarities.
    answers: Vec<ItemWords>,
    /// The first of them are correct.
    n_correct: usize,
    passage: Option<ItemWords>,
}

impl JudgedItem {
    /// Returns the largest number of words with content of an answer or of the passage.
    fn n_content(&self) -> usize {
        self.answers.iter().chain(&self.passage).map(ItemWords::n_content).max().unwrap_or(0)
    }
}

/// Judges documents against all items.
#[derive(Debug)]
pub struct LeakMatcher {
    set: Arc<EvaluationSet>,
    preset: Preset,
    min_share: Option<f64>,
    texts: Vec<ItemText>,
    items: Vec<JudgedItem>,
    index: RunIndex,
    tokenizer: WordTokenizer,
    /// Items that are in too many documents to be leaks.
    public: HashSet<u32>,
    /// Working memory that no thread uses.
    buffers: Mutex<Vec<MatchBuffer>>,
}

/// Working memory of a thread.
#[derive(Debug)]
pub struct MatchBuffer {
    tokens: Tokens,
    hits: Vec<RunHit>,
    places: Vec<Place>,
    finder: PlaceFinder,
}

impl Default for MatchBuffer {
    fn default() -> Self {
        Self {
            tokens: token_buffer(),
            hits: Vec::new(),
            places: Vec::new(),
            finder: PlaceFinder::default(),
        }
    }
}

impl MatchBuffer {
    /// Returns the number of words of the last document.
    #[must_use]
    pub fn n_words(&self) -> usize {
        self.tokens.len()
    }
}

impl LeakMatcher {
    /// Creates a matcher. `sample` are texts of the training corpus, from which the rarity of words is estimated.
    #[must_use]
    pub fn new<'s>(
        set: Arc<EvaluationSet>,
        preset: Preset,
        sample: impl IntoIterator<Item = &'s str>,
        threads: usize,
    ) -> Self {
        let mut frequencies = Frequencies::default();
        let (strings, numbers, combined) = item_texts(set.items(), preset, &mut frequencies);
        let tokenizer = tokenizer();
        let mut tokens = token_buffer();
        for text in sample {
            tokenizer.tokenize(text, &mut tokens);
            frequencies.add_sample(tokens.hashes());
        }
        let texts = parallel::map_chunks(&strings, threads, |strings| {
            let mut words = ItemTokenizer::new();
            let text = |text: &String| ItemText::new(text.clone(), words.words(text, &frequencies));
            strings.iter().map(text).collect::<Vec<_>>()
        });
        let mut texts: Vec<ItemText> = texts.into_iter().flatten().collect();
        for (number, text) in (0u32..).zip(&numbers) {
            texts[*text as usize].items.push(number);
        }
        let is_ambiguous = |number: usize| {
            let text = &texts[numbers[number] as usize];
            let benchmark = &set.items()[number].benchmark;
            let is_same = |item: &&u32| set.items()[**item as usize].benchmark == *benchmark;
            text.items.iter().filter(is_same).nth(1).is_some()
        };
        let all: Vec<usize> = (0..numbers.len()).collect();
        let items = parallel::map_chunks(&all, threads, |part| {
            let mut words = ItemTokenizer::new();
            let item = |number: &usize| {
                let item = &set.items()[*number];
                let mut answers: Vec<_> = item.answers.iter().collect();
                answers.sort_by_key(|answer| !answer.is_correct);
                let mut n_correct = 0;
                let mut kept = Vec::new();
                for answer in answers {
                    let answer_words = words.words(without_label(&answer.text), &frequencies);
                    if !answer_words.hashes.is_empty() {
                        n_correct += usize::from(answer.is_correct);
                        kept.push(answer_words);
                    }
                }
                let passage =
                    item.passage.as_ref().map(|passage| words.words(passage, &frequencies));
                JudgedItem {
                    text: numbers[*number],
                    is_combined: combined[*number],
                    is_ambiguous: is_ambiguous(*number),
                    answers: kept,
                    n_correct,
                    passage,
                }
            };
            part.iter().map(item).collect::<Vec<_>>()
        });
        let items = items.into_iter().flatten().collect();
        let index = match preset {
            Preset::Textkin => RunIndex::of_rare_runs(&texts),
            Preset::Gpt3 => {
                let lengths = published::gpt3_lengths(&set, &numbers, &texts);
                RunIndex::of_all_runs(&texts, |text| lengths[text])
            }
            Preset::Palm | Preset::Tulu => RunIndex::of_all_runs(&texts, |_| 8),
            Preset::Llama => RunIndex::of_all_runs(&texts, |_| published::TEN),
            Preset::Decon => RunIndex::of_all_runs(&texts, |_| 5),
        };
        let (public, buffers) = (HashSet::new(), Mutex::default());
        Self { set, preset, min_share: None, texts, items, index, tokenizer, public, buffers }
    }

    /// Sets the minimum share of an item, instead of that of the rule.
    #[must_use]
    pub fn with_min_share(mut self, share: Option<f64>) -> Self {
        self.min_share = share;
        self
    }

    /// Sets the items that are public material: they are in too many documents to be leaks.
    pub(super) fn set_public(&mut self, items: impl IntoIterator<Item = u32>) {
        self.public = items.into_iter().collect();
    }

    /// Takes working memory that was returned before, or creates it.
    pub(super) fn take_buffer(&self) -> MatchBuffer {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default()
    }

    /// Returns working memory, for other documents.
    pub(super) fn return_buffer(&self, buffer: MatchBuffer) {
        self.buffers.lock().unwrap_or_else(PoisonError::into_inner).push(buffer);
    }

    /// Whether an item is public material.
    #[must_use]
    pub fn is_public(&self, item: u32) -> bool {
        self.public.contains(&item)
    }

    /// Returns the items that are too short to be judged.
    #[must_use]
    pub fn too_short(&self) -> HashSet<u32> {
        let texts = self.texts.iter().filter(|text| !self.is_judged(text));
        texts.flat_map(|text| text.items.iter().copied()).collect()
    }

    fn is_judged(&self, text: &ItemText) -> bool {
        match self.preset {
            Preset::Textkin => {
                let confirms = |item: &u32| self.items[*item as usize].n_content();
                let n_content = text.items.iter().map(confirms).max().unwrap_or(0);
                text.length >= JUDGED.0 && text.n_content + n_content >= JUDGED.1
            }
            preset => published::is_judged(preset, text),
        }
    }

    /// Returns the text of an item that is compared: the question, for short questions with passage or answer.
    #[must_use]
    pub fn judged_text(&self, item: u32) -> &str {
        &self.texts[self.items[item as usize].text as usize].text
    }

    /// Returns the items.
    #[must_use]
    pub fn set(&self) -> &EvaluationSet {
        &self.set
    }

    /// Appends the items that `text` contains, and those of which it has at least half.
    pub fn find(&self, text: &str, buffer: &mut MatchBuffer, found: &mut Vec<LeakHit>) {
        let MatchBuffer { tokens, hits, places, finder } = buffer;
        self.tokenizer.tokenize(text, tokens);
        hits.clear();
        self.index.find(tokens.hashes(), hits);
        if hits.is_empty() {
            return;
        }
        let document = DocumentWords { text, hashes: tokens.hashes(), spans: tokens.spans() };
        for group in hits.chunk_by(|one, other| one.text == other.text) {
            let text = &self.texts[group[0].text as usize];
            if !self.is_judged(text) {
                continue;
            }
            places.clear();
            match self.preset {
                Preset::Textkin => {
                    finder.find(text, document, group, places);
                    for place in &*places {
                        self.judge(text, document, place, found);
                    }
                }
                preset => {
                    published::find(preset, text, document, group, places);
                    for place in &*places {
                        self.judge_published(preset, text, document, place, found);
                    }
                }
            }
        }
        found.sort_by(|one, other| {
            let key = |hit: &LeakHit| (hit.range.start, hit.item, hit.range.end);
            key(one).cmp(&key(other))
        });
    }

    /// Judges the items of a text by the rule `textkin`.
    fn judge(
        &self,
        text: &ItemText,
        document: DocumentWords<'_>,
        place: &Place,
        found: &mut Vec<LeakHit>,
    ) {
        if place.share < MIN_REPORTED {
            return;
        }
        let min_share = self.min_share.unwrap_or(self.preset.min_share(0));
        let is_enough = place.share >= min_share && place.ask_share >= min_share;
        let is_at_least = |(length, n_content): (f64, usize)| {
            text.length >= length && text.n_content >= n_content
        };
        for &number in &text.items {
            let item = &self.items[number as usize];
            let answer = self.answer_near(item, document, place);
            let passage = item.passage.as_ref().map(|passage| {
                let reach = 2 * passage.hashes.len() + PASSAGE_DISTANCE;
                part_near(passage, document, place.words(), reach, reach)
            });
            let has_answer = answer.as_ref().is_some_and(|part| {
                part.share >= ANSWER_SHARE && text.n_content + part.n_content >= JUDGED.1
            });
            let has_passage = passage.as_ref().is_some_and(|part| part.share >= PASSAGE_SHARE);
            let is_specific = item.passage.is_none() && !item.is_ambiguous;
            let is_by_itself = item.is_combined
                || (is_specific && is_at_least(LONG))
                || (is_specific && place.is_whole && is_at_least(DISTINCT))
                || (item.answers.is_empty()
                    && item.passage.is_none()
                    && place.is_whole
                    && is_at_least(ALONE));
            let reason = match () {
                () if !is_enough => LeakReason::TooLittle,
                () if place.is_contradicted => LeakReason::Contradicted,
                () if has_passage => LeakReason::QuestionAndPassage,
                () if is_by_itself => LeakReason::Question,
                () if place.is_whole && has_answer => LeakReason::QuestionAndAnswer,
                () => LeakReason::Unconfirmed,
            };
            let mut words = place.words();
            if reason.is_leak() {
                for part in answer
                    .iter()
                    .filter(|_| has_answer)
                    .chain(passage.iter().filter(|_| has_passage))
                {
                    words = words.start.min(part.words.start)..words.end.max(part.words.end);
                }
            }
            let Some(range) = document.span(words) else { continue };
            found.push(LeakHit {
                item: number,
                share: place.share,
                answer_share: answer.map(|part| part.share),
                passage_share: passage.map(|part| part.share),
                spans: spans(text, document, &place.pairs),
                range,
                reason,
            });
        }
    }

    /// Judges the items of a text by a published rule.
    fn judge_published(
        &self,
        preset: Preset,
        text: &ItemText,
        document: DocumentWords<'_>,
        place: &Place,
        found: &mut Vec<LeakHit>,
    ) {
        let min_share = self.min_share.unwrap_or(preset.min_share(text.words.hashes.len()));
        let is_enough = match preset {
            Preset::Tulu => place.share > min_share,
            _ => place.share >= min_share - 1e-9,
        };
        let Some(range) = document.span(place.words()) else { return };
        for &number in &text.items {
            let item = &self.items[number as usize];
            let answer_share = match preset {
                Preset::Decon => {
                    published::decon_answer(&item.answers[..item.n_correct], document, place)
                }
                _ => None,
            };
            let reason = match () {
                () if !is_enough => LeakReason::TooLittle,
                () if answer_share.is_some_and(|share| share < ANSWER_SHARE) => {
                    LeakReason::Unconfirmed
                }
                () => LeakReason::Share,
            };
            if reason.is_leak() || place.share >= MIN_REPORTED {
                found.push(LeakHit {
                    item: number,
                    share: place.share,
                    answer_share,
                    passage_share: None,
                    spans: spans(text, document, &place.pairs),
                    range,
                    reason,
                });
            }
        }
    }

    /// Looks for the answers of an item after its question.
    fn answer_near(
        &self,
        item: &JudgedItem,
        document: DocumentWords<'_>,
        place: &Place,
    ) -> Option<FoundPart> {
        let all: usize = item.answers.iter().map(|answer| answer.hashes.len()).sum();
        let parts = item.answers.iter().map(|answer| {
            let is_short = answer.hashes.len() < PART_RUN;
            let distance = if is_short { SHORT_ANSWER_DISTANCE } else { ANSWER_DISTANCE };
            part_near(answer, document, place.words(), 0, distance + 2 * all)
        });
        // Of equal shares the one that says most, then the first, which is correct.
        parts.reduce(|best, part| {
            let rank = |part: &FoundPart| (part.share, part.n_content);
            if rank(&part) > rank(&best) { part } else { best }
        })
    }
}

/// The texts that are judged: their strings, the text of each item, and whether it is combined. Counts the words of all
/// texts, answers and passages.
fn item_texts(
    items: &[EvaluationItem],
    preset: Preset,
    frequencies: &mut Frequencies,
) -> (Vec<String>, Vec<u32>, Vec<bool>) {
    let mut known: HashMap<u128, u32> = HashMap::new();
    let (mut strings, mut numbers, mut combined) = (Vec::new(), Vec::new(), Vec::new());
    let tokenizer = tokenizer();
    let mut tokens = token_buffer();
    for item in items {
        let correct = item.answers.iter().find(|answer| answer.is_correct);
        tokenizer.tokenize(&item.question, &mut tokens);
        let is_short = tokens.len() < MIN_QUESTION;
        let text = match (&item.passage, correct) {
            // Published rules judge the whole prompt.
            (Some(passage), _) if is_short || preset != Preset::Textkin => {
                format!("{passage}\n{}", item.question)
            }
            (None, Some(answer)) if is_short && preset == Preset::Textkin => {
                format!("{}\n{}", item.question, without_label(&answer.text))
            }
            _ => item.question.clone(),
        };
        let is_combined = text.len() > item.question.len();
        combined.push(is_combined);
        if is_combined {
            tokenizer.tokenize(&text, &mut tokens);
        }
        let digest = xxhash_rust::xxh3::xxh3_128(bytemuck::cast_slice(tokens.hashes()));
        let next = u32::try_from(strings.len()).unwrap_or(u32::MAX);
        let number = *known.entry(digest).or_insert(next);
        if number == next {
            frequencies.add_item(tokens.hashes());
            strings.push(text);
        }
        numbers.push(number);
        for part in item.answers.iter().map(|answer| &answer.text).chain(&item.passage) {
            tokenizer.tokenize(part, &mut tokens);
            frequencies.add_item(tokens.hashes());
        }
    }
    (strings, numbers, combined)
}

/// Returns an answer without the label of a choice, such as `(A)` or `B.`
fn without_label(answer: &str) -> &str {
    let inner = answer.trim_start().trim_start_matches('(');
    match inner.as_bytes() {
        [b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9', b')' | b'.' | b':', rest @ ..]
            if !rest.is_empty() =>
        {
            let rest = inner[2..].trim_start();
            if rest.is_empty()
                || inner.as_bytes()[1] == b'.' && inner.as_bytes()[0].is_ascii_digit()
            {
                answer
            } else {
                rest
            }
        }
        _ => answer,
    }
}

/// A part of an item near its question.
#[derive(Clone, Debug)]
struct FoundPart {
    share: f64,
    /// Number of its words with content.
    n_content: usize,
    /// Words of the document, from the first that is found to the last.
    words: Range<usize>,
}

/// Looks for a part of an item up to `before` words before and `after` words after a place.
fn part_near(
    part: &ItemWords,
    document: DocumentWords<'_>,
    place: Range<usize>,
    before: usize,
    after: usize,
) -> FoundPart {
    let n_words = document.hashes.len();
    let sides = [
        place.start.saturating_sub(before)..place.start,
        place.end..(place.end + after).min(n_words),
    ];
    let run = part.hashes.len().min(PART_RUN);
    let n_content = part.n_content();
    let mut best = FoundPart { share: 0.0, n_content, words: place.end..place.end };
    if run == 0 {
        return best;
    }
    for side in sides {
        let words = &document.hashes[side.clone()];
        // The last position of each run of the part.
        let mut positions: HashMap<&[u64], usize> = HashMap::new();
        for (at, found) in words.windows(run).enumerate() {
            positions.entry(found).or_insert(side.start + at);
        }
        let mut is_found = vec![false; part.hashes.len()];
        let (mut first, mut last) = (usize::MAX, 0);
        for (at, wanted) in part.hashes.windows(run).enumerate() {
            if let Some(&position) = positions.get(wanted) {
                is_found[at..at + run].fill(true);
                first = first.min(position);
                last = last.max(position + run);
            }
        }
        let bits = |index: usize| f64::from(part.words[index].bits);
        let all: f64 = (0..is_found.len()).map(bits).sum();
        let found: f64 = (0..is_found.len()).filter(|index| is_found[*index]).map(bits).sum();
        if found / all > best.share {
            best = FoundPart { share: found / all, n_content, words: first..last };
        }
    }
    best
}

/// Returns the equal stretches of pairs as bytes of the document and of the text.
fn spans(text: &ItemText, document: DocumentWords<'_>, pairs: &[(u32, u32)]) -> Vec<(Span, Span)> {
    let is_next =
        |one: &(u32, u32), other: &(u32, u32)| other.0 == one.0 + 1 && other.1 == one.1 + 1;
    let runs = pairs.chunk_by(is_next);
    let span = |run: &[(u32, u32)]| {
        let (first, last) = (run.first()?, run.last()?);
        let item = text.words.words[first.0 as usize].span.start
            ..text.words.words[last.0 as usize].span.end;
        let found = document.span(first.1 as usize..last.1 as usize + 1)?;
        Some((found, Span::new(item.start, item.end)))
    };
    runs.filter_map(span).collect()
}
