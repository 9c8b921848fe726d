//! Passage clusters: each passage that several documents share, and every place where it occurs.
//!
//! In: where shared chunks occur, from a discovery, and the source again. Out: the places of each cluster in order of
//! time, with spans in words and bytes, and their text, which is kept on disk if it does not fit in memory.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::ops::ControlFlow;
use std::sync::Arc;

use textkin_core::{
    ChunkRun, Document, DocumentSink, Layers, Lists, Problem, Rewind, SharedChunks, Span, Tokens,
};
use textkin_graph::PassageRules;
use textkin_index::{ByteStore, Memory};
use textkin_report::PassageRow;

use crate::analyzer::Analyzer;
use crate::discover::{DiscoveryOutput, RunControl};
use crate::documents::Documents;
use crate::error::Error;
use crate::settings::Settings;
use crate::timestamp::Timestamp;

/// Where the shared chunks of a collection occur.
#[derive(Clone, Debug)]
pub struct PassagePlaces {
    runs: Lists<ChunkRun>,
    /// Whether the chunks of each group count.
    is_kept: Vec<bool>,
    /// Number of documents of each text.
    copies: Vec<u32>,
    /// The text of each document; `None` for one without tokens.
    texts: Arc<[Option<u32>]>,
    /// The side of each document, if only passages of different sides count.
    sides: Option<Vec<u32>>,
}

impl PassagePlaces {
    /// `shared` has no texts of skipped documents; chunks in more than `max_df` documents do not count.
    pub(crate) fn new(
        runs: Lists<ChunkRun>,
        shared: &SharedChunks,
        texts: Arc<[Option<u32>]>,
        sides: Option<Vec<u32>>,
        max_df: Option<u32>,
    ) -> Self {
        let max_df = max_df.unwrap_or(u32::MAX);
        let groups = shared.groups.iter();
        Self {
            runs,
            is_kept: groups.map(|group| (2..=max_df).contains(&group.documents)).collect(),
            copies: shared.texts.iter().map(|text| text.copies).collect(),
            texts,
            sides,
        }
    }

    /// Finds the clusters. Returns their places, cluster by cluster, the one in most documents first.
    fn places(&self, documents: &Documents, rules: PassageRules) -> Vec<Place> {
        let copies = |text: u32| self.copies[text as usize];
        let is_kept = |run: &ChunkRun| run.group.is_none_or(|group| self.is_kept[group as usize]);
        let spans = textkin_graph::passage_clusters(&self.runs, copies, is_kept, rules);
        let documents_of_text = self.documents_of_text();
        let time_key =
            |document: u32| match documents.time(document).map(|time| (time, time.parse())) {
                Some((_, Ok(Timestamp(seconds)))) => (0, seconds, ""),
                Some((time, Err(_))) => (1, 0, time),
                None => (2, 0, ""),
            };

        let mut clusters: Vec<(ClusterRank, Vec<Place>)> = Vec::new();
        for spans in spans.chunk_by(|a, b| a.cluster == b.cluster) {
            let mut places: Vec<Place> = Vec::new();
            for span in spans {
                let documents = documents_of_text.list(span.text as usize).iter();
                places.extend(documents.map(|&document| Place {
                    document,
                    first: span.start,
                    end: span.end,
                    ..Place::default()
                }));
            }
            places.sort_unstable_by_key(|place| (place.document, place.first));
            let n_documents = places.chunk_by(|a, b| a.document == b.document).count() as u64;
            if n_documents < 2 || !self.has_sides(&places) {
                continue;
            }
            let words = places.iter().map(|place| place.end - place.first).max();
            let first = (places[0].document, places[0].first);
            // The sort is stable: documents of one time stay in input order.
            places.sort_by_cached_key(|place| time_key(place.document));
            let rank = (Reverse(n_documents), Reverse(words.unwrap_or_default()), first);
            clusters.push((rank, places));
        }
        clusters.sort_unstable_by_key(|(rank, _)| *rank);
        let mut all = Vec::with_capacity(clusters.iter().map(|(_, places)| places.len()).sum());
        for (cluster, (_, places)) in (0u32..).zip(clusters) {
            all.extend(places.into_iter().map(|place| Place { cluster, ..place }));
        }
        all
    }

    fn documents_of_text(&self) -> Lists<u32> {
        let mut texts = Lists::new();
        for text in self.texts.iter() {
            texts.push(*text);
        }
        texts.transposed(self.copies.len())
    }

    /// Whether there are documents of different sides, or no sides.
    fn has_sides(&self, places: &[Place]) -> bool {
        let Some(sides) = &self.sides else { return true };
        let side = |place: &Place| sides[place.document as usize];
        places.iter().any(|place| side(place) != side(&places[0]))
    }
}

/// Documents, words, and the first place: clusters are listed in this order.
type ClusterRank = (Reverse<u64>, Reverse<u32>, (u32, u32));

/// A place of a cluster.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    cluster: u32,
    document: u32,
    /// First token, and one past the last.
    first: u32,
    end: u32,
    span: Span,
    /// Number of characters before it.
    character: u32,
}

/// The clusters of passages of a collection.
#[derive(Debug)]
pub struct PassageClusters<'a> {
    documents: &'a Documents,
    /// Ordered by cluster, and each cluster by time.
    places: Vec<Place>,
    /// The text of each place.
    texts: ByteStore,
}

/// Finds the passages that documents of `found` share, and every place where each occurs: the reprints of a text, for
/// example, the oldest first. The discovery must have kept places ([`Settings::keeps_passages`]); `source` is read
/// again for the texts.
///
/// A passage ends where fewer than half of the documents go on in the same way. Every word belongs to at most one
/// passage. `rules` join what lies at most `max_gap` words apart, and drop passages with fewer than `min_words` words.
///
/// # Errors
/// If the discovery kept no places, texts are not stored, the source cannot be read again or has changed, temporary
/// data cannot be written, or the run is stopped.
pub fn passage_clusters<'a>(
    found: &'a DiscoveryOutput,
    source: &dyn Rewind,
    settings: &Settings,
    rules: PassageRules,
    control: &RunControl,
) -> Result<PassageClusters<'a>, Error> {
    let Some(places) = &found.passages else {
        return Err(Error::InvalidOption {
            option: "keep_passages",
            reason: "must be set before documents are read".to_owned(),
        });
    };
    control.progress.begin("finding passages", 0);
    let documents = &found.documents;
    let mut places = places.places(documents, rules);
    let memory =
        Memory { budget: settings.memory_budget() / 4, temp_dir: settings.temp_dir.clone() };
    let mut texts = ByteStore::new(memory);
    if !places.is_empty() {
        read_texts(source, &mut places, &mut texts, &Analyzer::new(settings)?, control)?;
    }
    Ok(PassageClusters { documents, places, texts })
}

/// Reads `source` again and fills the spans and texts of places.
fn read_texts(
    source: &dyn Rewind,
    places: &mut [Place],
    texts: &mut ByteStore,
    analyzer: &Analyzer,
    control: &RunControl,
) -> Result<(), Error> {
    let mut order: Vec<u32> = (0u32..).take(places.len()).collect();
    order.sort_unstable_by_key(|&place| {
        let Place { document, first, .. } = places[place as usize];
        (document, first)
    });
    let mut source = source.rewind()?;
    control.progress.begin("rereading texts", source.total_bytes().unwrap_or(0));
    let mut reader = PlaceReader {
        places,
        texts,
        analyzer,
        order: &order,
        tokens: Tokens::new(Layers::SPANS),
        number: 0,
        failure: None,
    };
    while !reader.order.is_empty() {
        if control.stop.is_requested() {
            return Err(Error::Stopped);
        }
        let piece = source.next_piece().ok_or(Error::InputShrank)?;
        let n_bytes = piece.bytes();
        piece.read(&mut reader);
        control.progress.advance(n_bytes);
        if let Some(failure) = reader.failure {
            return Err(failure);
        }
    }
    Ok(())
}

/// Fills places with what the texts of documents say.
struct PlaceReader<'a> {
    places: &'a mut [Place],
    texts: &'a mut ByteStore,
    analyzer: &'a Analyzer,
    /// The places that are not filled yet, in order of documents.
    order: &'a [u32],
    tokens: Tokens,
    /// The number of the next document.
    number: u32,
    failure: Option<Error>,
}

impl PlaceReader<'_> {
    fn fill(&mut self, of_document: &[u32], text: &str) -> Result<(), Error> {
        self.analyzer.tokenize(text, &mut self.tokens);
        let (mut at, mut character) = (0, 0);
        for &number in of_document {
            let place = &mut self.places[number as usize];
            let spans = self.tokens.spans().get(place.first as usize..place.end as usize);
            let Some([first, .., last] | [first @ last]) = spans else {
                return Err(Error::InputShrank);
            };
            place.span = Span::new(first.start, last.end);
            let range = place.span.range();
            character += text[at..range.start].chars().count();
            at = range.start;
            place.character = u32::try_from(character).unwrap_or(u32::MAX);
            self.texts.put(number, text[range].as_bytes())?;
        }
        Ok(())
    }
}

impl DocumentSink for PlaceReader<'_> {
    fn document(&mut self, document: Document<'_>) -> ControlFlow<()> {
        let n = self
            .order
            .partition_point(|&place| self.places[place as usize].document == self.number);
        let (of_document, rest) = self.order.split_at(n);
        (self.order, self.number) = (rest, self.number + 1);
        if n > 0 {
            let filled = match document.content.text() {
                Some(text) => self.fill(of_document, text),
                None => {
                    Err(Error::Document(format!("the text of '{}' is not stored", document.id)))
                }
            };
            if let Err(failure) = filled {
                self.failure = Some(failure);
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    }

    fn problem(&mut self, _: Problem) -> ControlFlow<()> {
        // The first pass reported it.
        ControlFlow::Continue(())
    }
}

impl PassageClusters<'_> {
    /// Returns the number of clusters.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.last().map_or(0, |place| place.cluster as usize + 1)
    }

    /// Returns whether there are no clusters.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Iterates over the places, cluster by cluster, each in order of time. The cluster in most documents comes first.
    /// A row is an error if its text cannot be read from disk.
    pub fn rows(&self) -> impl Iterator<Item = Result<PassageRow<'_>, Error>> {
        let clusters = self.places.chunk_by(|a, b| a.cluster == b.cluster);
        let starts = clusters.scan(0u32, |next, places| {
            let start = *next;
            *next += u32::try_from(places.len()).unwrap_or(u32::MAX);
            Some((start, places))
        });
        starts.flat_map(move |(start, places)| {
            let mut documents: Vec<u32> = places.iter().map(|place| place.document).collect();
            documents.sort_unstable();
            documents.dedup();
            let (size, documents) = (places.len() as u64, documents.len() as u64);
            (start..)
                .zip(places)
                .map(move |(number, place)| self.row(number, place, size, documents))
        })
    }

    fn row(
        &self,
        number: u32,
        place: &Place,
        size: u64,
        documents: u64,
    ) -> Result<PassageRow<'_>, Error> {
        let text = match self.texts.read(number, 0..u64::MAX)? {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
        };
        Ok(PassageRow {
            cluster: place.cluster.into(),
            size,
            documents,
            id: self.documents.id(place.document).into(),
            time: self.documents.time(place.document).map(Cow::Borrowed),
            start: place.span.start.into(),
            end: place.span.end.into(),
            word: place.first.into(),
            words: (place.end - place.first).into(),
            text,
            character: place.character.into(),
        })
    }
}
