//! View of `GET /results/{id}`: the matches of a text.

use super::{Badge, Exclusions, MarkKind, MarkedText, MatchLevel, Score, Share, Strip};

/// The state of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ResultState {
    /// Ready.
    #[default]
    Done,
    /// Being calculated; the page updates automatically.
    Running,
    /// Failed, for this reason.
    Failed(String),
}

/// The matches of a text.
///
/// The side panel is a form with method GET and the fields of [`Exclusions`]; the script requests
/// `/results/{id}/data` with the same query, which returns
/// [`ResultsPage::data`](crate::page::ResultsPage::data) of the same view.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The result ID.
    pub id: String,
    /// Its state.
    pub state: ResultState,
    /// The title of the text, or its file name.
    pub title: String,
    /// When it was submitted.
    pub time: String,
    /// When the matches were calculated.
    pub calculated: String,
    /// The form action that calculates them again, if documents have been added since.
    pub recalculate: Option<String>,
    /// The registered document, if it was registered.
    pub registered: Option<super::DocumentLink>,
    /// Whether it is watched.
    pub is_watched: bool,
    /// The repositories it was checked against.
    pub against: Vec<String>,
    /// The words found in other documents, after exclusions.
    pub share: Share,
    /// The same with nothing excluded.
    pub raw: Share,
    /// The number of documents in which they were found.
    pub documents: u64,
    /// The text as a bar.
    pub strip: Strip,
    /// The text itself, with the same marks; `None` if it is not stored.
    pub text: Option<MarkedText>,
    /// The sources, best first.
    pub sources: Vec<ResultSource>,
    /// The number of sources that are not listed.
    pub more_sources: u64,
    /// What is excluded from the score.
    pub exclusions: Exclusions,
    /// Warnings: hidden text, look-alike letters, zero-width characters.
    pub warnings: Vec<String>,
    /// How many links show this result to people without an account, and when the last expires.
    pub links: Option<(u64, String)>,
    /// A link that was just created; it is shown once.
    pub link: Option<String>,
    /// Whether the page is a standalone file: nothing in it links to the server.
    pub is_standalone: bool,
    /// `min_run=…` of this view, without the question mark; exports carry it.
    pub query: String,
}

/// How many sources are shown; further ones are folded.
const UNFOLDED: usize = 10;

impl Results {
    /// Returns whether any words are excluded.
    #[must_use]
    pub fn is_excluding(&self) -> bool {
        self.share != self.raw
    }

    /// Returns the sources that are always shown.
    pub(crate) fn first_sources(&self) -> &[ResultSource] {
        &self.sources[..self.sources.len().min(UNFOLDED)]
    }

    /// Returns the sources that are folded.
    pub(crate) fn folded_sources(&self) -> &[ResultSource] {
        &self.sources[self.first_sources().len()..]
    }

    /// Returns whether any sources are folded.
    pub(crate) fn has_folded_sources(&self) -> bool {
        !self.folded_sources().is_empty()
    }

    /// Returns whether any words of the text are marked with the number of this source.
    pub(crate) fn is_marked(&self, number: &usize) -> bool {
        let marks = self.text.iter().flat_map(|text| &text.marks);
        marks.into_iter().any(|mark| mark.kind == MarkKind::Source(*number))
    }

    /// Returns sentences about what is excluded, and what the score is without exclusions.
    pub(crate) fn notes(&self) -> Vec<String> {
        let raw = match self.is_excluding() {
            true => {
                format!("Without exclusions: {} ({}).", self.raw.counts(), self.raw.percent())
            }
            false => "The score is the same without exclusions.".to_owned(),
        };
        let excluded = self.exclusions.words();
        let excluded = match excluded.is_empty() {
            true => "Nothing is excluded.".to_owned(),
            false => format!("Excluded: {}.", excluded.join(", ")),
        };
        vec![raw, excluded]
    }

    /// Returns a URL of this result with the query of this view.
    pub(crate) fn address(&self, what: &str) -> String {
        let id = crate::format::segment(&self.id);
        if self.query.is_empty() {
            format!("/results/{id}{what}")
        } else {
            format!("/results/{id}{what}?{}", self.query)
        }
    }
}

/// One document in which words of the text were found.
#[derive(Clone, Debug, Default)]
pub struct ResultSource {
    /// Its number in the list and on the strip, counted from 1.
    pub number: usize,
    /// The document; empty for a private match in another account.
    pub document: super::DocumentLink,
    /// Whether it is a private match in another account: only the percentage is shown.
    pub is_private_match: bool,
    /// The URL that sends a contact request to its owner (`POST`), if the server allows it.
    pub contact: Option<String>,
    /// Both directions. For a private match only the percentage of `here` is shown.
    pub score: Score,
    /// The number of words in the longest match.
    pub longest_run: u64,
    /// How much was found.
    pub level: MatchLevel,
    /// Labels on the source.
    pub badges: Vec<Badge>,
    /// The page that shows both side by side; `None` for private matches and texts that are not
    /// stored.
    pub compare: Option<String>,
}
