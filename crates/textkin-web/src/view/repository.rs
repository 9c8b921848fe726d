//! `GET /repositories` and `GET /repositories/{name}`.

use super::{Choice, Paging};

/// Who can see a repository.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Everyone with an account.
    Public,
    /// The members of its team.
    #[default]
    Private,
}

/// What is kept of its documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeps {
    /// Their text.
    #[default]
    Text,
    /// Fingerprints only.
    Fingerprints,
}

/// Whether others are compared with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checks {
    /// Texts are checked against it.
    #[default]
    Against,
    /// Its documents are checked, and nothing is checked against them.
    Only,
}

/// What a person may do in a repository or team.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Look and probe.
    #[default]
    Reader,
    /// Also register and delete.
    Writer,
    /// Also change settings and members.
    Owner,
}

macro_rules! names {
    ($type:ident { $($variant:ident: $name:literal, $label:literal;)* }) => {
        impl $type {
            /// All of them, as lists show them.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// What stands in forms and addresses.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// What is shown.
            #[must_use]
            pub fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),* }
            }
        }
    };
}
pub(super) use names;

names! { Visibility { Public: "public", "public"; Private: "private", "private"; } }
names! { Keeps { Text: "text", "keeps text"; Fingerprints: "fingerprints", "fingerprints only"; } }
names! { Checks { Against: "against", "checked against"; Only: "only", "check only"; } }
names! { Role { Reader: "reader", "reader"; Writer: "writer", "writer"; Owner: "owner", "owner"; } }

/// What goes by itself: documents older than so many days, and the oldest beyond a count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Documents go after so many days.
    pub days: Option<u32>,
    /// So many documents are kept.
    pub count: Option<u64>,
}

impl Retention {
    /// `365 days`, `newest 10,000`, both, or `for ever`.
    #[must_use]
    pub fn label(&self) -> String {
        use crate::format::counted;
        match (self.days, self.count) {
            (None, None) => "for ever".to_owned(),
            (Some(days), None) => counted(u64::from(days), "day", "days"),
            (None, Some(count)) => format!("newest {}", crate::format::number(count)),
            (Some(days), Some(count)) => format!(
                "{}, newest {}",
                counted(u64::from(days), "day", "days"),
                crate::format::number(count)
            ),
        }
    }
}

/// `GET /repositories`.
#[derive(Clone, Debug, Default)]
pub struct Repositories {
    /// What this person can see.
    pub rows: Vec<RepositoryRow>,
    /// The form to make one, if this person may. It posts to `/repositories`.
    pub form: Option<RepositoryForm>,
}

/// A repository in the table, and at the head of its page.
#[derive(Clone, Debug, Default)]
pub struct RepositoryRow {
    /// Its name.
    pub name: String,
    /// The team it belongs to.
    pub team: String,
    /// Who can see it.
    pub visibility: Visibility,
    /// What is kept.
    pub keeps: Keeps,
    /// Whether others are checked against it.
    pub checks: Checks,
    /// Its documents.
    pub documents: u64,
    /// Their words.
    pub words: u64,
    /// Words in the shortest run that counts.
    pub k: u32,
    /// What goes by itself.
    pub retention: Retention,
    /// When a document came last.
    pub last_added: Option<String>,
}

/// The form that makes a repository: posts `name`, `team`, `visibility` (`public`, `private`),
/// `keeps` (`text`, `fingerprints`), `checks` (`against`, `only`), `days`, `count`.
#[derive(Clone, Debug, Default)]
pub struct RepositoryForm {
    /// What was entered before.
    pub name: String,
    /// Teams in which this person may make one.
    pub teams: Vec<Choice>,
    /// What was chosen before.
    pub visibility: Visibility,
    /// What was chosen before.
    pub keeps: Keeps,
    /// What was chosen before.
    pub checks: Checks,
    /// What was entered before.
    pub retention: Retention,
    /// Why it failed before.
    pub problem: Option<String>,
}

/// `GET /repositories/{name}?q=&sort=&page=`.
///
/// Its forms post to `/repositories/{name}/…`: `settings` (`checks`, `disclosed`,
/// `days`, `count`), `members` (`name`, `role`, `action` = `set` or `remove`),
/// `delete-documents` (`document` repeated), `templates` (multipart: `file` or `text`, `name`),
/// `templates/remove` (`template`), `stop-phrases` (`phrases`, one a line), `stop-phrases/remove`
/// (`phrase`), `purge-preview` and `purge` (`older_than_days`, `keep_newest`, `query`;
/// `purge` also `token` of the preview), `delete` (`confirm`: the name).
#[derive(Clone, Debug, Default)]
pub struct RepositoryDetail {
    /// The repository.
    pub row: RepositoryRow,
    /// What this person may do; nothing for a public repository of others.
    pub role: Option<Role>,
    /// The filter by title or id.
    pub query: String,
    /// The order of the documents.
    pub sort: Sort,
    /// The documents that are shown.
    pub documents: Vec<RepositoryDocument>,
    /// Which part of all documents they are.
    pub paging: Paging,
    /// Who may do what.
    pub members: Vec<Member>,
    /// Texts that do not count in this repository.
    pub templates: Vec<TemplateText>,
    /// Phrases that do not count.
    pub stop_phrases: Vec<StopPhrase>,
    /// Whether others are told that somebody holds a text.
    pub is_disclosed: bool,
    /// Where mail registers documents.
    pub mail_address: Option<String>,
    /// What a purge would remove, after `purge-preview`.
    pub preview: Option<PurgePreview>,
    /// What was removed, after `purge`, `delete-documents`.
    pub receipt: Option<Receipt>,
    /// Why a form failed.
    pub problem: Option<String>,
}

impl RepositoryDetail {
    /// Whether this person may register and delete.
    #[must_use]
    pub fn can_write(&self) -> bool {
        self.role.is_some_and(|role| role >= Role::Writer)
    }

    /// Whether this person may change settings and members.
    #[must_use]
    pub fn can_own(&self) -> bool {
        self.role == Some(Role::Owner)
    }
}

/// The order of documents: `?sort=added`, `title`, `time`, `words`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Newest first, by when they came.
    #[default]
    Added,
    /// By title.
    Title,
    /// By their own time, newest first.
    Time,
    /// Longest first.
    Words,
}
names! { Sort {
    Added: "added", "Added"; Title: "title", "Title"; Time: "time", "Time"; Words: "words", "Words";
} }

/// A document of a repository.
#[derive(Clone, Debug, Default)]
pub struct RepositoryDocument {
    /// Its id in the repository.
    pub id: String,
    /// Its title; empty if it has none.
    pub title: String,
    /// Its own time.
    pub time: Option<String>,
    /// Its words.
    pub words: u64,
    /// When it came.
    pub added: String,
    /// Whether it is watched.
    pub is_watched: bool,
    /// How much of it is also in an older document, where origins are kept.
    pub old: Option<super::Share>,
    /// Where it can be looked at (its origins, its text).
    pub href: Option<String>,
}

impl RepositoryDocument {
    /// The title, or the id where there is none.
    #[must_use]
    pub fn name(&self) -> &str {
        if self.title.trim().is_empty() { &self.id } else { &self.title }
    }
}

/// Someone who may do something.
#[derive(Clone, Debug, Default)]
pub struct Member {
    /// The name of the account.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Whether it is the person who looks at the page.
    pub is_self: bool,
}

/// A text that does not count.
#[derive(Clone, Debug, Default)]
pub struct TemplateText {
    /// Its id, for `templates/remove`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its words.
    pub words: u64,
}

/// A phrase that does not count.
#[derive(Clone, Debug, Default)]
pub struct StopPhrase {
    /// Its id, for `stop-phrases/remove`.
    pub id: String,
    /// The phrase.
    pub phrase: String,
}

/// What a purge would remove.
#[derive(Clone, Debug, Default)]
pub struct PurgePreview {
    /// The rule in words: “older than 365 days”.
    pub rule: String,
    /// How many documents.
    pub documents: u64,
    /// Their words.
    pub words: u64,
    /// The oldest of them.
    pub oldest: Option<String>,
    /// The newest of them.
    pub newest: Option<String>,
    /// Some of them, by title or id.
    pub some: Vec<String>,
    /// What the purge form sends back, so that nothing else is removed than what was shown.
    pub token: String,
    /// What was entered.
    pub older_than_days: Option<u32>,
    /// What was entered.
    pub keep_newest: Option<u64>,
    /// What was entered.
    pub query: String,
}

/// What was removed, for the files of whoever asked.
#[derive(Clone, Debug, Default)]
pub struct Receipt {
    /// Its number.
    pub id: String,
    /// When.
    pub time: String,
    /// How many documents.
    pub documents: u64,
    /// Their words.
    pub words: u64,
    /// Digest over the ids and digests of what was removed.
    pub digest: String,
    /// Where it can be had as JSON.
    pub href: Option<String>,
}
