//! The relationship graph: blocks of pairs whose score reaches the threshold.

use std::sync::Arc;

use textkin_core::{Lists, Measure, Overlap, Reason, SharedChunks};

use crate::classes::Classes;
use crate::count;
use crate::coverage;
use crate::listing::{Listing, ListingRules};
use crate::overlaps::of_copies;
use crate::rarity::Rarity;
use crate::sides::{SidedChunks, Sides};
use crate::tally::Tally;

/// How the shared chunks of pairs are counted. Both methods give the same graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// One exact counter per pair.
    #[default]
    Exact,
    /// Probabilistic counting (DECO §4.2.2, after Shivakumar and Garcia-Molina): a first pass adds up
    /// hashed pairs in this many counters, and only pairs whose counter reaches the threshold are
    /// counted exactly in a second pass.
    Probabilistic {
        /// Number of counters.
        counters: usize,
    },
}

impl std::str::FromStr for Counting {
    type Err = String;

    /// Parses `exact` or `probabilistic[:COUNTERS]`; the default is 16 million counters.
    fn from_str(name: &str) -> Result<Self, String> {
        match name.split_once(':').unwrap_or((name, "16777216")) {
            ("exact", _) => Ok(Self::Exact),
            ("probabilistic", counters) => match counters.parse() {
                Ok(counters @ 1..) => Ok(Self::Probabilistic { counters }),
                _ => Err(format!(
                    "probabilistic:{counters}: expected a positive number of counters, got '{counters}'"
                )),
            },
            _ => Err(format!("unknown counting '{name}'; use exact or probabilistic[:COUNTERS]")),
        }
    }
}

/// Settings of a graph: the score, the threshold, and the limits of the search.
#[derive(Clone, Copy, Debug)]
pub struct GraphSettings {
    /// The rule that scores a pair.
    pub measure: Measure,
    /// Minimum score of an edge.
    pub threshold: f64,
    /// What lists a pair besides its score; `None` if only the score does.
    pub rules: Option<ListingRules>,
    /// How shared chunks are counted.
    pub counting: Counting,
    /// Number of threads.
    pub threads: usize,
    /// Maximum number of blocks to list; if there are more, pairs are only tallied.
    pub max_blocks: usize,
    /// Maximum number of additions for counting by every group; beyond it, common groups are handled
    /// separately.
    pub max_additions: u64,
}

impl GraphSettings {
    /// Minimum score of the edges that form clusters: all edges do, unless rules list pairs that are not
    /// alike.
    pub(crate) fn cluster_score(&self) -> f64 {
        match self.rules {
            Some(rules) if self.measure == Measure::Kin => rules.cluster_score,
            _ => f64::NEG_INFINITY,
        }
    }
}

/// Error while building a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphError {
    /// A stop was requested.
    Stopped,
    /// There are too many pairs for a score that needs the covered words of each pair.
    TooManyPairs,
}

/// The documents that a block of pairs joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Every document of class `a` with every document of class `b`, `a` < `b`; if documents have sides,
    /// without copies.
    Across { a: u32, b: u32 },
    /// Every two documents of class `class` that have different texts.
    Within { class: u32 },
    /// Every two documents that have text `text`; if documents have sides, it is the number of an origin,
    /// and the documents are of different sides.
    Copies { text: u32 },
}

/// Pairs of documents that have the same overlap.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub(crate) kind: Kind,
    /// The overlap; its side `a` is the side `a` of the kind.
    pub overlap: Overlap,
    /// The score of every pair of the block.
    pub score: f64,
    /// Why the pairs are listed.
    pub reason: Reason,
}

/// The relationship graph of a collection.
#[derive(Debug)]
pub struct Graph {
    pub(crate) blocks: Vec<Block>,
    pub(crate) classes: Classes,
    /// The documents of each class, ascending.
    pub(crate) documents_of_class: Lists<u32>,
    /// The documents of each text, ascending.
    pub(crate) documents_of_text: Lists<u32>,
    /// The text of each document; `None` for one without tokens.
    pub(crate) text_of_document: Arc<[Option<u32>]>,
    /// The sides, if only documents of different sides form pairs.
    pub(crate) sides: Option<Arc<Sides>>,
    /// The texts that have copies but no edge among them.
    pub(crate) copies_below: Vec<Block>,
    pub(crate) n_pairs: Option<u64>,
    /// Minimum score of the edges that form clusters.
    pub(crate) cluster_score: f64,
    /// Replaces the list of pairs if there are too many.
    pub(crate) tally: Option<Tally>,
}

impl Graph {
    /// Builds the graph of `shared`. `text_of_document` holds the text of each document, `None` for a
    /// document without tokens.
    ///
    /// # Errors
    /// Returns [`GraphError`] if `stop` returns true, or if there are too many pairs for a score that
    /// needs coverage.
    pub fn new(
        shared: &SharedChunks,
        text_of_document: impl Into<Arc<[Option<u32>]>>,
        settings: GraphSettings,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, GraphError> {
        Self::build(shared, shared, text_of_document.into(), None, settings, stop)
    }

    /// Builds the graph of the pairs whose documents are of different sides: those that [`Graph::new`]
    /// finds, without the others, which are not counted. `side_of_document` holds the side of each
    /// document.
    ///
    /// # Errors
    /// As [`Graph::new`].
    pub fn between(
        shared: &SharedChunks,
        text_of_document: impl Into<Arc<[Option<u32>]>>,
        side_of_document: &[u32],
        settings: GraphSettings,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, GraphError> {
        let sided = SidedChunks::new(shared, text_of_document.into(), side_of_document);
        let sides = Some(Arc::new(sided.sides));
        Self::build(shared, &sided.shared, sided.text_of_document.into(), sides, settings, stop)
    }

    /// Builds the graph of `shared`, which are the chunks `origins` with a text for each side.
    fn build(
        origins: &SharedChunks,
        shared: &SharedChunks,
        text_of_document: Arc<[Option<u32>]>,
        sides: Option<Arc<Sides>>,
        settings: GraphSettings,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, GraphError> {
        let classes = Classes::new(shared, sides.as_deref());
        let mut texts_of_documents = Lists::new();
        for text in text_of_document.iter() {
            texts_of_documents.push(*text);
        }
        let documents_of_text = texts_of_documents.transposed(shared.texts.len());
        let mut documents_of_class = Lists::new();
        let mut documents = Vec::new();
        for texts in classes.texts.iter() {
            documents.clear();
            for &text in texts {
                documents.extend_from_slice(documents_of_text.list(text as usize));
            }
            documents.sort_unstable();
            documents_of_class.push(documents.iter().copied());
        }
        let rarity = Rarity::new(shared);
        let listing = settings
            .rules
            .map(|rules| Listing::new(rules, shared, &classes, sides.as_deref(), &rarity));
        let counted = count::edges(shared, &classes, listing.as_ref(), settings, stop)?;
        let mut blocks = counted.blocks;
        if sides.is_some() {
            // Between two classes there may be nothing but copies, which have their own blocks.
            blocks.retain(|block| n_rows(block.kind, &classes, |_| 0) > 0);
        }
        coverage::cover(shared, &classes, &mut blocks, settings.threads, stop)?;
        if settings.measure.needs_coverage() {
            for block in &mut blocks {
                block.score = settings.measure.score(&block.overlap);
            }
            blocks.retain_mut(|block| keeps(block, listing.as_ref(), settings.threshold));
        }
        let mut copies = copies(origins, &rarity, settings.measure);
        if let Some(sides) = &sides {
            copies.retain(|block| sides.n_copy_pairs(block.kind) > 0);
        }
        let mut n_copy_pairs = 0;
        let mut copies_below = Vec::new();
        for block in copies {
            if let Kind::Copies { text } = block.kind {
                n_copy_pairs += match &sides {
                    Some(sides) => sides.copy_pairs[text as usize],
                    None => pairs_among(u64::from(shared.texts[text as usize].copies)),
                };
            }
            if block.score >= settings.threshold || settings.rules.is_some() {
                blocks.push(block);
            } else {
                copies_below.push(block);
            }
        }
        let n_pairs = counted.n_pairs.map(|pairs| pairs + n_copy_pairs);
        let mut graph = Self {
            blocks,
            classes,
            documents_of_class,
            documents_of_text,
            text_of_document,
            sides,
            copies_below,
            n_pairs,
            cluster_score: settings.cluster_score(),
            tally: counted.tally,
        };
        graph.sort();
        Ok(graph)
    }

    /// Returns the graph with a higher threshold, or `None` if there were too many pairs to list.
    #[must_use]
    pub fn with_threshold(&self, threshold: f64) -> Option<Self> {
        if !self.is_listed() {
            return None;
        }
        let (blocks, below): (Vec<Block>, Vec<Block>) =
            self.blocks.iter().partition(|block| block.score >= threshold);
        let is_of_copies = |block: &Block| matches!(block.kind, Kind::Copies { .. });
        let copies_below = self.copies_below.iter().copied();
        Some(Self {
            blocks,
            copies_below: copies_below.chain(below.into_iter().filter(is_of_copies)).collect(),
            classes: self.classes.clone(),
            documents_of_class: self.documents_of_class.clone(),
            documents_of_text: self.documents_of_text.clone(),
            text_of_document: Arc::clone(&self.text_of_document),
            sides: self.sides.clone(),
            n_pairs: self.n_pairs,
            cluster_score: self.cluster_score,
            tally: None,
        })
    }

    /// Number of edges: pairs of documents whose score reaches the threshold.
    #[must_use]
    pub fn n_edges(&self) -> u64 {
        let listed = self
            .blocks
            .iter()
            .filter(|block| self.tally.is_none() || matches!(block.kind, Kind::Copies { .. }));
        let listed: u64 = listed.map(|block| self.n_rows(block)).sum();
        listed + self.tally.as_ref().map_or(0, |tally| tally.n_edges)
    }

    /// Whether the rows are all edges. If there are too many edges, only the strongest are rows, and
    /// clusters are connected components.
    #[must_use]
    pub fn is_listed(&self) -> bool {
        self.tally.is_none()
    }

    /// Number of pairs of documents that share at least one chunk. `None` if pairs that share only
    /// common chunks were not counted, because they cannot reach the threshold.
    #[must_use]
    pub fn n_pairs(&self) -> Option<u64> {
        self.n_pairs
    }

    /// Number of pairs of documents in `block`.
    pub(crate) fn n_rows(&self, block: &Block) -> u64 {
        let copy_pairs = |text: u32| match &self.sides {
            Some(sides) => sides.copy_pairs[text as usize],
            None => pairs_among(self.documents_of_text.list(text as usize).len() as u64),
        };
        n_rows(block.kind, &self.classes, copy_pairs)
    }

    /// Sorts blocks by score, then by their first pair of documents.
    fn sort(&mut self) {
        let mut blocks = std::mem::take(&mut self.blocks);
        let first = |block: &Block| self.cursor(block).peek().unwrap_or_default();
        let mut keyed: Vec<_> = blocks.drain(..).map(|block| (first(&block), block)).collect();
        keyed.sort_unstable_by(|(first_a, a), (first_b, b)| {
            b.score.total_cmp(&a.score).then(first_a.cmp(first_b)).then(a.kind.cmp(&b.kind))
        });
        self.blocks = keyed.into_iter().map(|(_, block)| block).collect();
    }
}

/// Number of pairs of documents in a block of `kind`; `copy_pairs` returns the number of pairs of documents
/// that have a text.
pub(crate) fn n_rows(kind: Kind, classes: &Classes, copy_pairs: impl Fn(u32) -> u64) -> u64 {
    match kind {
        Kind::Across { a, b } => {
            let all = classes.documents[a as usize] * classes.documents[b as usize];
            all - classes.copies_between(a, b)
        }
        Kind::Within { class } => {
            let texts = classes.texts.list(class as usize).iter();
            let same: u64 = texts.map(|&text| copy_pairs(text)).sum();
            pairs_among(classes.documents[class as usize]) - same
        }
        Kind::Copies { text } => copy_pairs(text),
    }
}

/// Number of pairs among `n` things.
pub(crate) fn pairs_among(n: u64) -> u64 {
    n * n.saturating_sub(1) / 2
}

/// Whether a block of a score that needs coverage is listed, now that the score is known.
fn keeps(block: &mut Block, listing: Option<&Listing<'_>>, threshold: f64) -> bool {
    if block.score >= threshold || block.reason != Reason::Score {
        return true;
    }
    block.reason = Reason::LongRun;
    listing.is_some_and(|listing| match block.kind {
        Kind::Across { a, b } => listing.shares_long_run(a, b),
        Kind::Within { class } => listing.shares_long_run(class, class),
        Kind::Copies { .. } => true,
    })
}

/// Returns the blocks of documents that have the same text.
fn copies(shared: &SharedChunks, rarity: &Rarity, measure: Measure) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (text, _) in shared.texts.iter().enumerate().filter(|(_, entry)| entry.copies > 1) {
        let overlap = of_copies(shared, rarity, text);
        let kind = Kind::Copies { text: text as u32 };
        let (score, reason) = (measure.score(&overlap), Reason::Copy);
        blocks.push(Block { kind, overlap, score, reason });
    }
    blocks
}
