//! `GET /probe`, and what several files at once gave.

use super::repository::names;
use super::{Score, Visibility};
use crate::format;

/// What is done with what is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// It is compared, and nothing is kept but the result.
    #[default]
    Probe,
    /// It is compared and registered.
    Register,
    /// It is registered, and told of when it reappears.
    Watch,
}
names! { Action {
    Probe: "probe", "Probe only"; Register: "register", "Register"; Watch: "watch", "Register and watch";
} }

/// `GET /probe`.
///
/// The form posts multipart: `file` (repeated), `text`, `title`, `url` (where allowed), `action`
/// (`probe`, `register`, `watch`), `repository` (where it is registered), `against` (repeated),
/// and [`Exclusions`]. With `Accept: application/x-ndjson` the script sends one file at a time and
/// reads lines, as many as the server likes and the last of them `done` or `failed`:
/// `{"step":"reading"}`, `{"step":"words","words":1030}`, `{"step":"indexed"}`,
/// `{"step":"done","href":"/results/7","said":"40% — 412 of 1,030 words","warnings":["…"]}`,
/// `{"step":"failed","reason":"…"}`.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// Repositories that can be checked against.
    pub against: Vec<Target>,
    /// Repositories in which this person may register.
    pub into: Vec<Target>,
    /// What was chosen before.
    pub action: Action,
    /// What was entered before.
    pub text: String,
    /// What was entered before.
    pub title: String,
    /// What was entered before.
    pub url: String,
    /// Whether the server fetches addresses.
    pub allows_url: bool,
    /// What was chosen before.
    pub exclusions: Exclusions,
    /// The largest file that is taken, in bytes.
    pub max_bytes: u64,
    /// Why it failed before.
    pub problem: Option<String>,
}

/// A repository to choose.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Its name.
    pub name: String,
    /// Who can see it.
    pub visibility: Visibility,
    /// Its documents.
    pub documents: u64,
    /// Whether it is chosen.
    pub is_chosen: bool,
}

/// What does not count. As a query: `min_run=8&quotes=1&bibliography=1&template=1&phrases=1&common=20&single_source=1`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclusions {
    /// Shorter runs do not count; 0 for the `k` of the repository.
    pub min_run: u32,
    /// Quotations do not count.
    pub quotes: bool,
    /// Lists of references do not count.
    pub bibliography: bool,
    /// What stands in a template of a repository that is asked does not count.
    pub template: bool,
    /// Stop phrases of the repositories that are asked do not count.
    pub phrases: bool,
    /// What is in more documents than this does not count; 0 for no such limit.
    pub common: u32,
    /// Only the source with the largest share counts, or the one of this number of the list.
    pub single_source: bool,
}

impl Exclusions {
    /// What the panel says, in its words.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        if self.min_run > 0 {
            words.push(format!("runs shorter than {} words", self.min_run));
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
            words.push(format!("what is in more than {documents}"));
        }
        if self.single_source {
            words.push("all but the largest source".to_owned());
        }
        words
    }
}

/// What several files at once gave: `GET /results/{id}` of a submission of more than one document.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Its id.
    pub id: String,
    /// When it was sent.
    pub time: String,
    /// What was done with it.
    pub action: Action,
    /// One row per file.
    pub rows: Vec<BatchRow>,
    /// Whether some are still being read: the page asks again by itself.
    pub is_running: bool,
}

/// What one file gave.
#[derive(Clone, Debug, Default)]
pub struct BatchRow {
    /// The name of the file.
    pub name: String,
    /// Its words, when they are known.
    pub words: Option<u64>,
    /// The best match, if there is one.
    pub best: Option<Score>,
    /// In how many documents it was found.
    pub documents: u64,
    /// Where the result is; nothing while it is read or when it failed.
    pub href: Option<String>,
    /// What is wrong with the file: “encrypted”, “no text layer”, “too short”.
    pub problem: Option<String>,
    /// Hidden text, look-alike letters, characters without width.
    pub warnings: Vec<String>,
}
