//! `GET /results/{id}`: what was found of a text.

use super::{Badge, Exclusions, Level, MarkedText, Score, SegmentKind, Share, Strip};

/// How far a result is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ResultState {
    /// It is there.
    #[default]
    Done,
    /// It is being made; the page asks again by itself.
    Running,
    /// It could not be made, for this reason.
    Failed(String),
}

/// What was found of a text.
///
/// The panel is a form with method GET and the fields of [`Exclusions`]; the script asks
/// `/results/{id}/data` with the same query and gets what
/// [`ResultsPage::data`](crate::page::ResultsPage::data) makes of the same view.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Its id.
    pub id: String,
    /// How far it is.
    pub state: ResultState,
    /// The title of the text, or the name of its file.
    pub title: String,
    /// When it was sent.
    pub time: String,
    /// Where it was registered, and where it can be looked at there.
    pub registered: Option<super::DocumentLink>,
    /// Whether it is watched.
    pub is_watched: bool,
    /// Repositories that were asked.
    pub against: Vec<String>,
    /// Words that are found elsewhere, after exclusions.
    pub share: Share,
    /// The same with nothing excluded.
    pub raw: Share,
    /// Documents in which they are found.
    pub documents: u64,
    /// The text as a bar.
    pub strip: Strip,
    /// The text itself, with the same runs of words; nothing if it is not there to be shown.
    pub text: Option<MarkedText>,
    /// Where it was found, best first.
    pub sources: Vec<Source>,
    /// Sources that are not listed.
    pub more_sources: u64,
    /// What does not count.
    pub exclusions: Exclusions,
    /// Hidden text, look-alike letters, characters without width.
    pub warnings: Vec<String>,
    /// Whether it is a file by itself: nothing in it leads to the server.
    pub is_alone: bool,
    /// `?min_run=…` of this view, without the question mark; exports carry it.
    pub query: String,
}

impl Results {
    /// Whether anything of the text does not count.
    #[must_use]
    pub fn is_excluding(&self) -> bool {
        self.share != self.raw
    }

    /// Whether the text has words that are marked with the number of this source.
    pub(crate) fn is_marked(&self, number: &usize) -> bool {
        let marks = self.text.iter().flat_map(|text| &text.marks);
        marks.into_iter().any(|mark| mark.kind == SegmentKind::Source(*number))
    }

    /// What is counted and what is not, in words.
    pub(crate) fn notes(&self) -> Vec<String> {
        let raw = match self.is_excluding() {
            true => {
                format!("With nothing excluded: {}, {}.", self.raw.percent(), self.raw.counts())
            }
            false => "With nothing excluded it is the same.".to_owned(),
        };
        let excluded = self.exclusions.words();
        let excluded = match excluded.is_empty() {
            true => "Nothing is excluded.".to_owned(),
            false => format!("What does not count: {}.", excluded.join(", ")),
        };
        vec![raw, excluded]
    }

    /// An address of this result with the query of this view.
    pub(crate) fn address(&self, what: &str) -> String {
        let id = crate::format::segment(&self.id);
        if self.query.is_empty() {
            format!("/results/{id}{what}")
        } else {
            format!("/results/{id}{what}?{}", self.query)
        }
    }
}

/// One document in which the text was found.
#[derive(Clone, Debug, Default)]
pub struct Source {
    /// Its number in the list and on the strip, from 1 on.
    pub number: usize,
    /// The document. Of a text held by another owner it says nothing at all.
    pub document: super::DocumentLink,
    /// Whether it is private to another owner: percentage and “held by another owner” only.
    pub is_held_by_another: bool,
    /// Where its owner can be asked, if the server forwards such questions (`POST`).
    pub ask: Option<String>,
    /// Both directions. Of a text held by another owner only `here` is shown, as a percentage.
    pub score: Score,
    /// Words of the longest run.
    pub longest_run: u64,
    /// How much it is.
    pub level: Level,
    /// What is worth knowing.
    pub badges: Vec<Badge>,
    /// Where both are side by side; nothing for texts that are held by another owner or not kept.
    pub compare: Option<String>,
}
