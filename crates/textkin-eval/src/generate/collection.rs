//! Whole collections with known truth.

use std::fmt::Write as _;
use std::ops::Range;

use textkin::types::Random;

use super::language::join;
use super::{Edit, Language};
use crate::metric::{Detection, Edges};

/// What a collection is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Families of three: an original and two copies, each edited on its own; every other document
    /// stands alone.
    Copies,
    /// Every other document quotes one passage of an earlier one, edited. No two quote the same words, as
    /// long as there are others, so that nobody else is kin.
    Quotes,
    /// Chains of six versions, each made of the one before.
    Versions,
    /// Texts of their own between the same 60 words before and 60 after: nobody is anybody's kin.
    Boilerplate,
    /// A stream in order of time: one document in three takes one to three passages of earlier ones, and
    /// has a quarter of the words or more of its own.
    Stream,
}

/// How a collection is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recipe {
    /// What it is made of.
    pub kind: Kind,
    /// How many documents it has.
    pub n_documents: usize,
    /// The words of an unedited document.
    pub words: usize,
    /// How what is copied is edited, and at what rate.
    pub edit: Edit,
    /// The share of words that is edited.
    pub rate: f64,
    /// The words of a copied passage.
    pub passage: usize,
    /// The same seed makes the same collection.
    pub seed: u64,
}

/// A document of a made collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeDocument {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// When it was written: later than the one before.
    pub time: String,
    /// The family it belongs to: which documents should be one cluster.
    pub family: u32,
}

/// A collection and the truth about it.
#[derive(Clone, Debug, PartialEq)]
pub struct Made {
    /// The documents, in order of time.
    pub documents: Vec<MadeDocument>,
    /// Which of them are kin.
    pub kin: Edges,
    /// The passages that one has of another, in bytes of the texts.
    pub passages: Vec<Detection>,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 5] =
        [Self::Copies, Self::Quotes, Self::Versions, Self::Boilerplate, Self::Stream];

    /// Its name.
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

impl Default for Recipe {
    fn default() -> Self {
        Self {
            kind: Kind::Copies,
            n_documents: 600,
            words: 300,
            edit: Edit::Replace,
            rate: 0.1,
            passage: 50,
            seed: 1,
        }
    }
}

/// Makes the collection of a recipe.
///
/// ```
/// use textkin_eval::generate::{Recipe, make};
///
/// let made = make(&Recipe::default());
/// assert_eq!((made.documents.len(), made.kin.len()), (600, 450));
/// ```
#[must_use]
pub fn make(recipe: &Recipe) -> Made {
    let mut maker = Maker {
        recipe,
        language: Language::new(recipe.seed),
        random: Random::new(recipe.seed),
        texts: Vec::with_capacity(recipe.n_documents),
        families: Vec::with_capacity(recipe.n_documents),
        kin: Edges::default(),
        taken: Vec::new(),
    };
    match recipe.kind {
        Kind::Copies => maker.copies(),
        Kind::Quotes => maker.quotes(),
        Kind::Versions => maker.versions(),
        Kind::Boilerplate => maker.boilerplate(),
        Kind::Stream => maker.stream(),
    }
    maker.finish()
}

/// A passage in words.
struct Taken {
    by: usize,
    at: usize,
    words: usize,
    of: usize,
    of_at: usize,
    of_words: usize,
}

struct Maker<'a> {
    recipe: &'a Recipe,
    language: Language,
    random: Random,
    texts: Vec<Vec<String>>,
    families: Vec<usize>,
    kin: Edges,
    taken: Vec<Taken>,
}

/// Versions of a chain.
const CHAIN: usize = 6;

/// How often another passage is looked for that nobody has.
const TRIES: usize = 100;

/// Words before and after a text that all documents have.
const TEMPLATE: usize = 60;

impl Maker<'_> {
    fn is_full(&self) -> bool {
        self.texts.len() >= self.recipe.n_documents
    }

    /// Adds a text of `family`, or of a family of its own.
    fn add(&mut self, text: Vec<String>, family: Option<usize>) -> usize {
        let number = self.texts.len();
        self.texts.push(text);
        self.families.push(family.unwrap_or(number));
        number
    }

    fn original(&mut self) -> Vec<String> {
        self.language.text(self.recipe.words, &mut self.random)
    }

    fn edited(&mut self, words: &[String]) -> Vec<String> {
        self.recipe.edit.apply(words, self.recipe.rate, &self.language, &mut self.random)
    }

    fn join_kin(&mut self, a: usize, b: usize) {
        self.kin.insert(short(a), short(b));
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
                    self.join_kin(a, b);
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
                    self.join_kin(member, version);
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
                    if !self.is_taken(source, &at) {
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
            let words = match (copies, self.recipe.words) {
                (true, words) => words.div_ceil(4) + self.random.below(1 + words * 3 / 4),
                (false, words) => words,
            };
            let text = self.language.text(words, &mut self.random);
            let number = self.add(text, None);
            if copies {
                for _ in 0..1 + self.random.below(3) {
                    // The new is copied more often than the old.
                    let oldest = 1 + self.random.below(number);
                    let source = number.saturating_sub(1 + self.random.below(oldest));
                    let at = self.passage_of(source);
                    self.quote(number, source, at);
                }
            }
        }
    }

    /// Words of a document that are as long as a passage, or all of it.
    fn passage_of(&mut self, source: usize) -> Range<usize> {
        let n_words = self.texts.get(source).map_or(0, Vec::len);
        let words = self.recipe.passage.min(n_words);
        let start = self.random.below(n_words - words + 1);
        start..start + words
    }

    /// Whether some of these words of a document stand in another already.
    fn is_taken(&self, source: usize, at: &Range<usize>) -> bool {
        let meets = |taken: &Taken| at.start < taken.of_at + taken.of_words && taken.of_at < at.end;
        self.taken.iter().any(|taken| taken.of == source && meets(taken))
    }

    /// Puts a passage of `source`, edited, into document `number`.
    fn quote(&mut self, number: usize, source: usize, of: Range<usize>) {
        let (of_at, of_words) = (of.start, of.len());
        let passage = self.texts.get(source).and_then(|whole| whole.get(of));
        let passage = passage.unwrap_or_default().to_vec();
        let passage = self.edited(&passage);
        let Some(text) = self.texts.get_mut(number) else { return };
        let mut at = self.random.below(text.len() + 1);
        let words = passage.len();
        // Passages that the document has already stay whole, and go on if they stand behind.
        let others = || self.taken.iter().filter(|taken| taken.by == number);
        let inside = others().find(|taken| taken.at < at && at < taken.at + taken.words);
        at = inside.map_or(at, |taken| taken.at);
        for taken in self.taken.iter_mut().filter(|taken| taken.by == number && taken.at >= at) {
            taken.at += words;
        }
        text.splice(at..at, passage);
        self.taken.push(Taken { by: number, at, words, of: source, of_at, of_words });
        self.join_kin(source, number);
    }

    fn finish(self) -> Made {
        let joined: Vec<(String, Vec<(usize, usize)>)> =
            self.texts.iter().map(|words| join(words)).collect();
        let span = |document: usize, at: usize, words: usize| {
            let places = &joined.get(document)?.1;
            let first = places.get(at)?.0;
            Some((first, places.get(at + words.checked_sub(1)?)?.1))
        };
        let detection = |taken: &Taken| {
            Some(Detection {
                suspicious: short(taken.by),
                source: short(taken.of),
                span: span(taken.by, taken.at, taken.words)?,
                source_span: span(taken.of, taken.of_at, taken.of_words)?,
            })
        };
        let passages = self.taken.iter().filter_map(detection).collect();
        let documents = joined.into_iter().zip(self.families).enumerate();
        let documents = documents.map(|(number, ((text, _), family))| MadeDocument {
            id: format!("{}-{number:06}", self.recipe.kind.name()),
            text,
            time: time(number),
            family: short(family),
        });
        Made { documents: documents.collect(), kin: self.kin, passages }
    }
}

/// A minute after the one before, from the first of January 2000 on.
fn time(number: usize) -> String {
    let (day, minute) = (number / 1_440, number % 1_440);
    let mut time = String::new();
    // Months of 28 days: dates that exist, in order.
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
    fn the_same_seed_makes_the_same_collection_and_another_another() {
        for kind in Kind::ALL {
            let recipe = Recipe { kind, n_documents: 40, ..Recipe::default() };
            let made = make(&recipe);
            assert_eq!(made, make(&recipe), "{}", kind.name());
            assert_ne!(made, make(&Recipe { seed: 2, ..recipe }));
            assert_eq!(made.documents.len(), 40);
            assert!(made.documents.is_sorted_by(|a, b| a.time < b.time && a.id < b.id));
            assert!(made.kin.iter().all(|(a, b)| a < 40 && b < 40));
        }
    }

    #[test]
    fn what_is_said_to_be_copied_is_copied() {
        for kind in [Kind::Quotes, Kind::Stream] {
            let recipe = Recipe { kind, rate: 0.0, n_documents: 60, ..Recipe::default() };
            let made = make(&recipe);
            assert!(made.passages.len() > 10);
            for passage in &made.passages {
                let text = |number: u32, (start, end): (usize, usize)| {
                    made.documents[number as usize].text[start..end].to_owned()
                };
                let here = text(passage.suspicious, passage.span);
                let there = text(passage.source, passage.source_span);
                let words =
                    |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
                assert_eq!(words(&here), words(&there));
                assert_eq!(words(&here).len(), 50);
                assert!(made.kin.contains(passage.suspicious, passage.source));
                assert!(passage.source < passage.suspicious);
            }
        }
    }

    #[test]
    fn families_are_what_kin_join() {
        for kind in [Kind::Copies, Kind::Versions] {
            let made = make(&Recipe { kind, n_documents: 50, ..Recipe::default() });
            for (a, b) in made.kin.iter() {
                let family = |number: u32| made.documents[number as usize].family;
                assert_eq!(family(a), family(b));
            }
        }
        let apart = make(&Recipe { kind: Kind::Boilerplate, n_documents: 9, ..Recipe::default() });
        assert!(apart.kin.is_empty() && apart.documents[3].text.len() > 2_000);
    }
}
