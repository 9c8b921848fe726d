//! Views of `GET /probe`, and of the results of several files at once.

use super::repository::names;
use super::{Paging, Share, Visibility};
use crate::format;

/// What to do with a submitted text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubmitAction {
    /// Compare it, and store nothing but the result.
    #[default]
    Probe,
    /// Compare and register it.
    Register,
    /// Register it, and raise an alert when it reappears.
    Watch,
}
names! { SubmitAction {
    Probe: "probe", "Check only"; Register: "register", "Check and register";
    Watch: "watch", "Check, register and watch";
} }

/// `GET /probe`.
///
/// The form posts multipart: `file` (repeated), `text`, `title`, `url` (where allowed), `action`
/// (`probe`, `register`, `watch`), `repository` (where it is registered), `against` (repeated),
/// and [`Exclusions`]. With `Accept: application/x-ndjson` the script sends one file at a time and
/// reads any number of lines, the last of them `done` or `failed`:
/// `{"step":"reading"}`, `{"step":"words","words":1030}`, `{"step":"indexed"}`,
/// `{"step":"done","href":"/results/7","summary":"412 of 1,030 words (40%)","warnings":["…"]}`,
/// `{"step":"failed","reason":"…"}`.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// The repositories that can be checked against.
    pub against: Vec<RepositoryChoice>,
    /// The repositories in which this user may register.
    pub into: Vec<RepositoryChoice>,
    /// The action, as chosen before.
    pub action: SubmitAction,
    /// The text, as entered before.
    pub text: String,
    /// The title, as entered before.
    pub title: String,
    /// The URL, as entered before.
    pub url: String,
    /// Whether the server fetches web pages.
    pub allows_url: bool,
    /// The exclusions, as chosen before.
    pub exclusions: Exclusions,
    /// The maximum size of a file, in bytes.
    pub max_bytes: u64,
    /// Why the last attempt failed.
    pub problem: Option<String>,
}

/// A repository to choose.
#[derive(Clone, Debug, Default)]
pub struct RepositoryChoice {
    /// Its name.
    pub name: String,
    /// Who can see it.
    pub visibility: Visibility,
    /// The number of its documents.
    pub documents: u64,
    /// Whether it is selected.
    pub is_chosen: bool,
}

/// What is excluded from the score. As a query:
/// `min_run=8&quotes=1&bibliography=1&template=1&phrases=1&common=20&single_source=1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    /// Matches with fewer words; 0 for the `k` of the repository.
    pub min_run: u32,
    /// Quotations.
    pub quotes: bool,
    /// Lists of references.
    pub bibliography: bool,
    /// Text from a template of a repository that is checked against.
    pub template: bool,
    /// Stop phrases of the repositories that are checked against.
    pub phrases: bool,
    /// Passages found in more documents than this; 0 for no limit.
    pub common: u32,
    /// All sources except the one with the largest share.
    pub single_source: bool,
}

impl Exclusions {
    /// Returns the exclusions in effect, in the words of the side panel.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.min_run > 0 {
            words.push(format!("matches shorter than {} words", self.min_run));
        }
        for (is_on, name) in [
            (self.quotes, "quotations"),
            (self.bibliography, "lists of references"),
            (self.template, "template texts"),
            (self.phrases, "stop phrases"),
        ] {
            words.extend(is_on.then(|| name.to_owned()));
        }
        if self.common > 0 {
            let documents = format::documents(u64::from(self.common));
            words.push(format!("passages found in more than {documents}"));
        }
        if self.single_source {
            words.push("all sources except the largest".to_owned());
        }
        words
    }
}

/// The results of several files: `GET /results/{id}` of a submission of more than one document. The
/// form with method GET has the fields `q`, `sort`, `min` and those of [`Exclusions`].
#[derive(Clone, Debug, Default)]
pub struct BatchResults {
    /// The result ID.
    pub id: String,
    /// When the files were submitted.
    pub time: String,
    /// What was done with them.
    pub action: SubmitAction,
    /// One row per file that passes the filters.
    pub rows: Vec<BatchRow>,
    /// How many files there are, without filters.
    pub total: u64,
    /// How many files will be there when all are read.
    pub expected: u64,
    /// Whether some files are still being read: the page then updates automatically.
    pub is_running: bool,
    /// The filter by name.
    pub query: String,
    /// The minimum share, in percent.
    pub min: u32,
    /// The order of the rows.
    pub sort: BatchOrder,
    /// What is excluded from the scores.
    pub exclusions: Exclusions,
    /// The filters and exclusions as a query, for the exports.
    pub view_query: String,
}

/// The order of the files of a batch: `?sort=share`, `name`, `sent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BatchOrder {
    /// By the share found in other documents, the largest first.
    #[default]
    Share,
    /// By name.
    Name,
    /// As they were submitted.
    Sent,
}
names! { BatchOrder { Share: "share", "Share found"; Name: "name", "File name"; Sent: "sent", "Order of upload"; } }

impl BatchResults {
    /// Returns the URL of an export, with filters and exclusions.
    pub(crate) fn export(&self, what: &str) -> String {
        let id = format::segment(&self.id);
        match self.view_query.is_empty() {
            true => format!("/results/{id}{what}"),
            false => format!("/results/{id}{what}?{}", self.view_query),
        }
    }
}

/// The result of one file.
#[derive(Clone, Debug, Default)]
pub struct BatchRow {
    /// The file name.
    pub name: String,
    /// The words found in other documents, after exclusions: the same as on the page of the result.
    pub found: Option<Share>,
    /// The source with the largest share of the text, and this share.
    pub best: Option<(String, Share)>,
    /// The number of documents in which text was found.
    pub documents: u64,
    /// The page of the result; `None` until it is ready, or if it failed.
    pub href: Option<String>,
    /// Why the file failed: “encrypted”, “no text layer”, “too short”.
    pub problem: Option<String>,
    /// Warnings: hidden text, look-alike letters, zero-width characters.
    pub warnings: Vec<String>,
}

/// `GET /results`: everything that this user checked.
#[derive(Clone, Debug, Default)]
pub struct ResultList {
    /// The results on this page, the latest first.
    pub rows: Vec<ResultRow>,
    /// The search in titles.
    pub query: String,
    /// The position of the rows in the whole list.
    pub paging: Paging,
}

/// A result in the list.
#[derive(Clone, Debug, Default)]
pub struct ResultRow {
    /// The title, or the number of files.
    pub title: String,
    /// When it was checked.
    pub time: String,
    /// The number of files of a batch.
    pub files: Option<u64>,
    /// The words found in other documents, after the exclusions chosen at first.
    pub found: Option<Share>,
    /// The number of documents in which they were found.
    pub documents: u64,
    /// The repository in which it was registered.
    pub repository: Option<String>,
    /// The page of the result.
    pub href: String,
}
