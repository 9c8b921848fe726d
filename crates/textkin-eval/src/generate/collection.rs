//! Synthetic collections with known truth.

use std::fmt::Write as _;
use std::ops::Range;

use textkin::engine::types::Random;

use super::language::join;
use super::{Edit, Language};
use crate::metric::{Detection, Edges};

/// Kind of a synthetic collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntheticKind {
    /// Families of an original and two copies, each edited separately, followed by one unrelated document.
    Copies,
    /// Every second document quotes an edited passage of an earlier one. No two quote the same words while
    /// others are left, so that no other pairs are related.
    Quotes,
    /// Chains of six versions, each an edit of the previous one.
    Versions,
    /// Unrelated texts between the same 60 words before and after.
    Boilerplate,
    /// Stream in chronological order: one document in three copies one to three passages of earlier ones, and
    /// has at least a quarter of the usual words of its own.
    Stream,
}

/// Settings of a synthetic collection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SyntheticSettings {
    /// Kind of the collection.
    pub kind: SyntheticKind,
    /// Number of documents.
    pub n_documents: usize,
    /// Words of an unedited document.
    pub words: usize,
    /// Edit applied to copied text.
    pub edit: Edit,
    /// Share of words that is edited.
    pub rate: f64,
    /// Words of a copied passage.
    pub passage: usize,
    /// Random seed: equal seeds generate equal collections.
    pub seed: u64,
}

/// Document of a synthetic collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntheticDocument {
    /// Id of the document.
    pub id: String,
    /// Text of the document.
    pub text: String,
    /// Time, later than that of the previous document.
    pub time: String,
    /// Family: the documents that should form one cluster.
    pub family: u32,
}

/// Generated collection with its ground truth.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntheticCollection {
    /// Documents in chronological order.
    pub documents: Vec<SyntheticDocument>,
    /// Related pairs.
    pub related: Edges,
    /// Copied passages, in bytes of the texts.
    pub passages: Vec<Detection>,
}

impl SyntheticKind {
    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::Copies, Self::Quotes, Self::Versions, Self::Boilerplate, Self::Stream];

    /// Name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Copies => "copies",
            Self::Quotes => "quotes",
            Self::Versions => "versions",
            Self::Boilerplate => "boilerplate",
            Self::Stream => "stream",
        }
    }
}

impl Default for SyntheticSettings {
    fn default() -> Self {
        Self {
            kind: SyntheticKind::Copies,
            n_documents: 600,
            words: 300,
            edit: Edit::Replace,
            rate: 0.1,
            passage: 50,
            seed: 1,
        }
    }
}

/// Generates a collection.
///
/// ```
/// use textkin_eval::generate::{SyntheticSettings, generate};
///
/// let collection = generate(&SyntheticSettings::default());
/// assert_eq!((collection.documents.len(), collection.related.len()), (600, 450));
/// ```
#[must_use]
pub fn generate(settings: &SyntheticSettings) -> SyntheticCollection {
    let mut generator = Generator {
        settings,
        language: Language::new(settings.seed),
        random: Random::new(settings.seed),
        texts: Vec::with_capacity(settings.n_documents),
        families: Vec::with_capacity(settings.n_documents),
        related: Edges::default(),
        copied: Vec::new(),
    };
    match settings.kind {
        SyntheticKind::Copies => generator.copies(),
        SyntheticKind::Quotes => generator.quotes(),
        SyntheticKind::Versions => generator.versions(),
        SyntheticKind::Boilerplate => generator.boilerplate(),
        SyntheticKind::Stream => generator.stream(),
    }
    generator.finish()
}

/// Copied passage, in words.
struct CopiedPassage {
    copier: usize,
    at: usize,
    words: usize,
    source: usize,
    source_at: usize,
    source_words: usize,
}

struct Generator<'a> {
    settings: &'a SyntheticSettings,
    language: Language,
    random: Random,
    texts: Vec<Vec<String>>,
    families: Vec<usize>,
    related: Edges,
    copied: Vec<CopiedPassage>,
}

/// Versions per chain.
const CHAIN: usize = 6;

/// Attempts to find a passage that is not quoted yet.
const TRIES: usize = 100;

/// Words of the boilerplate before and after each text.
const TEMPLATE: usize = 60;

impl Generator<'_> {
    fn is_full(&self) -> bool {
        self.texts.len() >= self.settings.n_documents
    }

    /// Adds a text of `family`, or of a new family.
    fn add(&mut self, text: Vec<String>, family: Option<usize>) -> usize {
        let number = self.texts.len();
        self.texts.push(text);
        self.families.push(family.unwrap_or(number));
        number
    }

    fn original(&mut self) -> Vec<String> {
        self.language.text(self.settings.words, &mut self.random)
    }

    fn edited(&mut self, words: &[String]) -> Vec<String> {
        self.settings.edit.apply(words, self.settings.rate, &self.language, &mut self.random)
    }

    fn join_related(&mut self, a: usize, b: usize) {
        self.related.insert(short(a), short(b));
    }

    fn copies(&mut self) {
        while !self.is_full() {
            let original = self.original();
            let first = self.add(original.clone(), None);
            let mut members = vec![first];
            while members.len() < 3 && !self.is_full() {
                let copy = self.edited(&original);
                members.push(self.add(copy, Some(first)));
            }
            for (n, &a) in members.iter().enumerate() {
                for &b in members.iter().skip(n + 1) {
                    self.join_related(a, b);
                }
            }
            if !self.is_full() {
                let alone = self.original();
                self.add(alone, None);
            }
        }
    }

    fn versions(&mut self) {
        while !self.is_full() {
            let mut text = self.original();
            let first = self.add(text.clone(), None);
            let mut members = vec![first];
            while members.len() < CHAIN && !self.is_full() {
                text = self.edited(&text);
                let version = self.add(text.clone(), Some(first));
                for &member in &members {
                    self.join_related(member, version);
                }
                members.push(version);
            }
        }
    }

    fn boilerplate(&mut self) {
        let (head, tail) = [0, 1].map(|_| self.language.text(TEMPLATE, &mut self.random)).into();
        while !self.is_full() {
            let text = self.original();
            let whole = head.iter().chain(&text).chain(&tail).cloned().collect();
            self.add(whole, None);
        }
    }

    fn quotes(&mut self) {
        while !self.is_full() {
            let text = self.original();
            let number = self.add(text, None);
            if number % 2 == 1 {
                let mut source = self.random.below(number.div_ceil(2)) * 2;
                let mut at = self.passage_of(source);
                for _ in 0..TRIES {
                    if !self.is_quoted(source, &at) {
                        break;
                    }
                    source = self.random.below(number.div_ceil(2)) * 2;
                    at = self.passage_of(source);
                }
                self.quote(number, source, at);
            }
        }
    }

    fn stream(&mut self) {
        while !self.is_full() {
            let copies = !self.texts.is_empty() && self.random.below(3) == 0;
            let words = match (copies, self.settings.words) {
                (true, words) => words.div_ceil(4) + self.random.below(1 + words * 3 / 4),
                (false, words) => words,
            };
            let text = self.language.text(words, &mut self.random);
            let number = self.add(text, None);
            if copies {
                for _ in 0..1 + self.random.below(3) {
                    // Recent documents are copied more often than old ones.
                    let oldest = 1 + self.random.below(number);
                    let source = number.saturating_sub(1 + self.random.below(oldest));
                    let at = self.passage_of(source);
                    self.quote(number, source, at);
                }
            }
        }
    }

    /// Chooses a range of words of passage length, or the whole document if it is shorter.
    fn passage_of(&mut self, source: usize) -> Range<usize> {
        let n_words = self.texts.get(source).map_or(0, Vec::len);
        let words = self.settings.passage.min(n_words);
        let start = self.random.below(n_words - words + 1);
        start..start + words
    }

    /// Returns whether another document already quotes some of these words.
    fn is_quoted(&self, source: usize, at: &Range<usize>) -> bool {
        let meets = |copied: &CopiedPassage| {
            at.start < copied.source_at + copied.source_words && copied.source_at < at.end
        };
        self.copied.iter().any(|copied| copied.source == source && meets(copied))
    }

    /// Inserts an edited passage of `source` into document `number`.
    fn quote(&mut self, number: usize, source: usize, range: Range<usize>) {
        let (source_at, source_words) = (range.start, range.len());
        let passage = self.texts.get(source).and_then(|whole| whole.get(range));
        let passage = passage.unwrap_or_default().to_vec();
        let passage = self.edited(&passage);
        let Some(text) = self.texts.get_mut(number) else { return };
        let mut at = self.random.below(text.len() + 1);
        let words = passage.len();
        // Existing passages of the document stay whole; those behind the insertion move.
        let others = || self.copied.iter().filter(|copied| copied.copier == number);
        let inside = others().find(|copied| copied.at < at && at < copied.at + copied.words);
        at = inside.map_or(at, |copied| copied.at);
        for copied in
            self.copied.iter_mut().filter(|copied| copied.copier == number && copied.at >= at)
        {
            copied.at += words;
        }
        text.splice(at..at, passage);
        self.copied.push(CopiedPassage {
            copier: number,
            at,
            words,
            source,
            source_at,
            source_words,
        });
        self.join_related(source, number);
    }

    fn finish(self) -> SyntheticCollection {
        let joined: Vec<(String, Vec<(usize, usize)>)> =
            self.texts.iter().map(|words| join(words)).collect();
        let span = |document: usize, at: usize, words: usize| {
            let spans = &joined.get(document)?.1;
            let first = spans.get(at)?.0;
            Some((first, spans.get(at + words.checked_sub(1)?)?.1))
        };
        let detection = |copied: &CopiedPassage| {
            Some(Detection {
                suspicious: short(copied.copier),
                source: short(copied.source),
                span: span(copied.copier, copied.at, copied.words)?,
                source_span: span(copied.source, copied.source_at, copied.source_words)?,
            })
        };
        let passages = self.copied.iter().filter_map(detection).collect();
        let documents = joined.into_iter().zip(self.families).enumerate();
        let documents = documents.map(|(number, ((text, _), family))| SyntheticDocument {
            id: format!("{}-{number:06}", self.settings.kind.name()),
            text,
            time: time(number),
            family: short(family),
        });
        SyntheticCollection { documents: documents.collect(), related: self.related, passages }
    }
}

/// Returns times one minute apart, starting on 1 January 2000.
fn time(number: usize) -> String {
    let (day, minute) = (number / 1_440, number % 1_440);
    let mut time = String::new();
    // Months of 28 days: valid dates in order.
    let (year, month, day) = (2000 + day / 336, day / 28 % 12 + 1, day % 28 + 1);
    let (hour, minute) = (minute / 60, minute % 60);
    // Writing to a string does not fail.
    _ = write!(time, "{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:00Z");
    time
}

fn short(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_determines_the_collection() {
        for kind in SyntheticKind::ALL {
            let settings =
                SyntheticSettings { kind, n_documents: 40, ..SyntheticSettings::default() };
            let synthetic = generate(&settings);
            assert_eq!(synthetic, generate(&settings), "{}", kind.name());
            assert_ne!(synthetic, generate(&SyntheticSettings { seed: 2, ..settings }));
            assert_eq!(synthetic.documents.len(), 40);
            assert!(synthetic.documents.is_sorted_by(|a, b| a.time < b.time && a.id < b.id));
            assert!(synthetic.related.iter().all(|(a, b)| a < 40 && b < 40));
        }
    }

    #[test]
    fn recorded_passages_are_copied() {
        for kind in [SyntheticKind::Quotes, SyntheticKind::Stream] {
            let settings = SyntheticSettings {
                kind,
                rate: 0.0,
                n_documents: 60,
                ..SyntheticSettings::default()
            };
            let synthetic = generate(&settings);
            assert!(synthetic.passages.len() > 10);
            for passage in &synthetic.passages {
                let text = |number: u32, (start, end): (usize, usize)| {
                    synthetic.documents[number as usize].text[start..end].to_owned()
                };
                let here = text(passage.suspicious, passage.span);
                let there = text(passage.source, passage.source_span);
                let words =
                    |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                assert_eq!(words(&here), words(&there));
                assert_eq!(words(&here).len(), 50);
                assert!(synthetic.related.contains(passage.suspicious, passage.source));
                assert!(passage.source < passage.suspicious);
            }
        }
    }

    #[test]
    fn related_documents_are_of_one_family() {
        for kind in [SyntheticKind::Copies, SyntheticKind::Versions] {
            let synthetic = generate(&SyntheticSettings {
                kind,
                n_documents: 50,
                ..SyntheticSettings::default()
            });
            for (a, b) in synthetic.related.iter() {
                let family = |number: u32| synthetic.documents[number as usize].family;
                assert_eq!(family(a), family(b));
            }
        }
        let apart = generate(&SyntheticSettings {
            kind: SyntheticKind::Boilerplate,
            n_documents: 9,
            ..SyntheticSettings::default()
        });
        assert!(apart.related.is_empty() && apart.documents[3].text.len() > 2_000);
    }
}
