//! Views of `GET /repositories` and `GET /repositories/{name}`.

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

/// What a repository stores of its documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StoredContent {
    /// The text and the index.
    #[default]
    Text,
    /// The index only.
    Fingerprints,
}

/// Whether a repository is used for checks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckUse {
    /// New texts are checked against it.
    #[default]
    Against,
    /// Its documents are checked, but no text is checked against them.
    Only,
}

/// What a member of a team may do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// View and check.
    #[default]
    Reader,
    /// Also register and delete documents.
    Writer,
    /// Also change settings and members.
    Owner,
}

macro_rules! names {
    ($type:ident { $($variant:ident: $name:literal, $label:literal;)* }) => {
        impl $type {
            /// All values, in display order.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Returns the name used in forms and URLs.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// Returns the text shown on pages.
            #[must_use]
            pub fn label(self) -> &'static str {
                match self { $(Self::$variant => $label),* }
            }
        }
    };
}
pub(super) use names;

names! { Visibility { Public: "public", "public"; Private: "private", "private"; } }
names! { StoredContent { Text: "text", "stores text"; Fingerprints: "fingerprints", "stores no text"; } }
names! { CheckUse { Against: "against", "used for checks"; Only: "only", "not used for checks"; } }
names! { Role { Reader: "reader", "reader"; Writer: "writer", "writer"; Owner: "owner", "owner"; } }

/// When documents are deleted automatically: after a number of days, or the oldest beyond a count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    /// Delete documents after this many days.
    pub days: Option<u32>,
    /// Keep at most this many documents.
    pub count: Option<u64>,
}

impl Retention {
    /// Returns `365 days`, `newest 10,000`, both, or `unlimited`.
    #[must_use]
    pub fn label(&self) -> String {
        use crate::format::counted;
        match (self.days, self.count) {
            (None, None) => "unlimited".to_owned(),
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
    /// The repositories this user can see.
    pub rows: Vec<RepositoryRow>,
    /// The form for a new repository, if this user may create one. It posts to `/repositories`.
    pub form: Option<RepositoryForm>,
}

/// A repository, in the table and at the top of its page.
#[derive(Clone, Debug, Default)]
pub struct RepositoryRow {
    /// Its name.
    pub name: String,
    /// The team it belongs to.
    pub team: String,
    /// Who can see it.
    pub visibility: Visibility,
    /// What it stores of its documents.
    pub stored: StoredContent,
    /// Whether it is used for checks.
    pub checks: CheckUse,
    /// The number of its documents.
    pub documents: u64,
    /// The number of their words.
    pub words: u64,
    /// The minimum length of a match, in words.
    pub k: u32,
    /// When documents are deleted automatically.
    pub retention: Retention,
    /// When a document was last added.
    pub last_added: Option<String>,
}

/// The form for a new repository: posts `name`, `team`, `visibility` (`public`, `private`),
/// `keeps` (`text`, `fingerprints`), `checks` (`against`, `only`), `days`, `count`.
#[derive(Clone, Debug, Default)]
pub struct RepositoryForm {
    /// The name, as entered before.
    pub name: String,
    /// The teams in which this user may create a repository.
    pub teams: Vec<Choice>,
    /// Who can see it, as chosen before.
    pub visibility: Visibility,
    /// What it stores, as chosen before.
    pub stored: StoredContent,
    /// Whether it is used for checks, as chosen before.
    pub checks: CheckUse,
    /// When documents are deleted, as entered before.
    pub retention: Retention,
    /// Why the last attempt failed.
    pub problem: Option<String>,
}

/// `GET /repositories/{name}?q=&sort=&page=`.
///
/// Its forms post to `/repositories/{name}/…`: `settings` (`checks`, `disclosed`,
/// `days`, `count`), `members` (`name`, `role`, `action` = `set` or `remove`),
/// `delete-documents` (`document` repeated), `templates` (multipart: `file` or `text`, `name`),
/// `templates/remove` (`template`), `stop-phrases` (`phrases`, one per line), `stop-phrases/remove`
/// (`phrase`), `purge-preview` and `purge` (`older_than_days`, `keep_newest`, `query`;
/// `purge` also `token` of the preview), `delete` (`confirm`: the name).
#[derive(Clone, Debug, Default)]
pub struct RepositoryDetail {
    /// The repository.
    pub row: RepositoryRow,
    /// The role of this user; `None` for a public repository of another team.
    pub role: Option<Role>,
    /// The filter by title or id.
    pub query: String,
    /// The order of the documents.
    pub sort: DocumentOrder,
    /// The documents on this page.
    pub documents: Vec<RepositoryDocument>,
    /// The position of `documents` in the whole list.
    pub paging: Paging,
    /// The members of its team.
    pub members: Vec<RepositoryMember>,
    /// What a new member of the team could see, before the invitation is sent.
    pub invite: Option<InvitePreview>,
    /// Texts whose passages can be excluded from scores.
    pub templates: Vec<TemplateText>,
    /// Phrases that can be excluded from scores.
    pub stop_phrases: Vec<StopPhrase>,
    /// Whether other accounts see that a private text matches theirs.
    pub is_disclosed: bool,
    /// The mail address that registers documents here.
    pub mail_address: Option<String>,
    /// What would be deleted, after `purge-preview`.
    pub preview: Option<PurgePreview>,
    /// What was deleted, after `purge` or `delete-documents`.
    pub receipt: Option<DeletionReceipt>,
    /// Why a form failed.
    pub problem: Option<String>,
}

impl RepositoryDetail {
    /// Returns whether this user may register and delete documents.
    #[must_use]
    pub fn can_write(&self) -> bool {
        self.role.is_some_and(|role| role >= Role::Writer)
    }

    /// Returns whether this user may change settings and members.
    #[must_use]
    pub fn can_own(&self) -> bool {
        self.role == Some(Role::Owner)
    }
}

/// The order of documents: `?sort=added`, `title`, `time`, `words`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DocumentOrder {
    /// By the time they were added, newest first.
    #[default]
    Added,
    /// By title.
    Title,
    /// By document time, newest first.
    Time,
    /// Longest first.
    Words,
}
names! { DocumentOrder {
    Added: "added", "Added"; Title: "title", "Title"; Time: "time", "Date"; Words: "words", "Words";
} }

/// A document of a repository.
#[derive(Clone, Debug, Default)]
pub struct RepositoryDocument {
    /// The document ID in the repository.
    pub id: String,
    /// The title; empty if it has none.
    pub title: String,
    /// The document time.
    pub time: Option<String>,
    /// The number of its words.
    pub words: u64,
    /// When it was added.
    pub added: String,
    /// Whether it is watched.
    pub is_watched: bool,
    /// How much of it appears in an older document, where origins are tracked.
    pub reused: Option<super::Share>,
    /// The page of the document (its origins, its text).
    pub href: Option<String>,
}

impl RepositoryDocument {
    /// Returns the title, or the ID if there is no title.
    #[must_use]
    pub fn name(&self) -> &str {
        if self.title.trim().is_empty() { &self.id } else { &self.title }
    }
}

/// An invitation that is not sent yet: membership is of the whole team.
#[derive(Clone, Debug, Default)]
pub struct InvitePreview {
    /// The account to invite.
    pub name: String,
    /// Its role.
    pub role: Role,
    /// All repositories of the team: name and visibility.
    pub repositories: Vec<(String, Visibility)>,
}

/// A member of the repository's team.
#[derive(Clone, Debug, Default)]
pub struct RepositoryMember {
    /// The account name.
    pub name: String,
    /// The role.
    pub role: Role,
    /// Whether this is the current user.
    pub is_self: bool,
}

/// A text whose passages can be excluded from scores.
#[derive(Clone, Debug, Default)]
pub struct TemplateText {
    /// The template ID, for `templates/remove`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The number of its words.
    pub words: u64,
}

/// A phrase that can be excluded from scores.
#[derive(Clone, Debug, Default)]
pub struct StopPhrase {
    /// The phrase ID, for `stop-phrases/remove`.
    pub id: String,
    /// The phrase.
    pub phrase: String,
}

/// A preview of what a purge would delete.
#[derive(Clone, Debug, Default)]
pub struct PurgePreview {
    /// The rule in words: “older than 365 days”.
    pub rule: String,
    /// The number of documents.
    pub documents: u64,
    /// The number of their words.
    pub words: u64,
    /// The time of the oldest.
    pub oldest: Option<String>,
    /// The time of the newest.
    pub newest: Option<String>,
    /// Some of them, by title or ID.
    pub examples: Vec<String>,
    /// A token that the purge form sends back, so that only what was shown is deleted.
    pub token: String,
    /// The age limit, as entered.
    pub older_than_days: Option<u32>,
    /// The number of documents to keep, as entered.
    pub keep_newest: Option<u64>,
    /// The title or ID filter, as entered.
    pub query: String,
}

/// A receipt for deleted documents.
#[derive(Clone, Debug, Default)]
pub struct DeletionReceipt {
    /// The receipt number.
    pub id: String,
    /// When the documents were deleted.
    pub time: String,
    /// The number of documents.
    pub documents: u64,
    /// The number of their words.
    pub words: u64,
    /// A digest of the IDs and digests of the deleted documents.
    pub digest: String,
    /// The URL of the receipt as JSON.
    pub href: Option<String>,
}
