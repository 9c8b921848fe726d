//! `GET /alerts?state=` and `GET /alerts/rules`.

use super::repository::names;
use super::{Choice, DocumentLink, Level, Paging, Piece, Score, Share};

/// Which alerts are shown: `?state=open`, `mine`, `done`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AlertFilter {
    #[default]
    Open,
    Mine,
    Done,
}
names! { AlertFilter { Open: "open", "Open"; Mine: "mine", "Mine"; Done: "done", "Done"; } }

/// What became of an alert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum AlertState {
    #[default]
    Open,
    Handled,
    Dismissed,
}
names! { AlertState { Open: "open", "open"; Handled: "handled", "handled"; Dismissed: "dismissed", "dismissed"; } }

/// The inbox.
///
/// Each row posts to `/alerts/{id}/handle`, `dismiss`, `undo` or `assign` (`assignee`, empty for
/// nobody); the form of the list posts `alert` (repeated) and `action` (`handle`, `dismiss`) to
/// `/alerts/bulk`.
#[derive(Clone, Debug, Default)]
pub struct Alerts {
    /// Which are shown.
    pub filter: AlertFilter,
    /// How many are open.
    pub open: u64,
    /// How many of them are this person's.
    pub mine: u64,
    /// How many are done.
    pub done: u64,
    /// The rows, newest first.
    pub rows: Vec<AlertRow>,
    /// Which part of all rows they are.
    pub paging: Paging,
    /// Who an alert can be given to.
    pub assignees: Vec<Assignee>,
    /// Whether anything is watched at all.
    pub has_watches: bool,
    /// Open questions of others about texts of this person's teams. Each posts to
    /// `/questions/{id}/handle`.
    pub questions: Vec<QuestionRow>,
}

/// A question of somebody who found that a text is held here, and does not know by whom.
#[derive(Clone, Debug, Default)]
pub struct QuestionRow {
    /// Its id.
    pub id: String,
    /// Who asks.
    pub from: String,
    /// Their address; empty if they have none.
    pub mail: String,
    /// The document that it is about.
    pub document: DocumentLink,
    /// What the other text is called; may be empty.
    pub title: String,
    /// What they say; may be empty.
    pub note: String,
    /// How much of the other text the document has.
    pub share: Share,
    /// When they asked.
    pub time: String,
}

/// Someone an alert can be given to.
#[derive(Clone, Debug, Default)]
pub struct Assignee {
    /// The name of the account.
    pub name: String,
    /// Whether it is the person who looks at the page.
    pub is_self: bool,
}

/// One alert.
#[derive(Clone, Debug, Default)]
pub struct AlertRow {
    /// Its id.
    pub id: String,
    /// The registered text.
    pub watched: DocumentLink,
    /// Where it reappeared.
    pub found: DocumentLink,
    /// The share of the registered text, and of the other.
    pub score: Score,
    /// How much it is.
    pub level: Level,
    /// When it was noticed.
    pub time: String,
    /// What became of it.
    pub state: AlertState,
    /// Who did that, or to whom it is given.
    pub assignee: Option<String>,
    /// Both side by side, as a page of its own.
    pub compare: Option<String>,
    /// The longest passages, for a look inside the row.
    pub excerpts: Vec<Excerpt>,
    /// Passages that are not among them.
    pub more_excerpts: u64,
}

/// One passage as both texts have it. Pieces of what is not shared give some context.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    /// Its words.
    pub words: u64,
    /// In the registered text.
    pub watched: Vec<Piece>,
    /// In the text where it reappeared.
    pub found: Vec<Piece>,
}

/// `GET /alerts/rules`: what is watched, and how it is told.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// Watches that there are.
    pub rows: Vec<WatchRow>,
    /// The form for a new one, if this person may watch anything.
    pub form: Option<WatchForm>,
    /// Whether the server can send mail.
    pub sends_mail: bool,
    /// Webhooks that there are, by number and name.
    pub webhooks: Vec<Choice>,
}

/// How alerts are told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Channels {
    pub inbox: bool,
    pub mail: bool,
    pub webhook: bool,
}

impl Channels {
    /// `inbox, mail`.
    #[must_use]
    pub fn label(&self) -> String {
        let all = [(self.inbox, "inbox"), (self.mail, "mail"), (self.webhook, "webhook")];
        let names: Vec<&str> =
            all.into_iter().filter(|(is_on, _)| *is_on).map(|(_, name)| name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

/// How many alerts go into one message: `at_once`, `hourly`, `daily`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Digest {
    #[default]
    AtOnce,
    Hourly,
    Daily,
}
names! { Digest { AtOnce: "at_once", "at once"; Hourly: "hourly", "once an hour"; Daily: "daily", "once a day"; } }

/// A watch. `POST /alerts/rules` with `action=remove` and `watch` ends it.
#[derive(Clone, Debug, Default)]
pub struct WatchRow {
    /// Its id.
    pub id: String,
    /// The repository whose documents are watched.
    pub repository: String,
    /// One document of it only, by title or id.
    pub document: Option<String>,
    /// The least level that is told.
    pub min_level: Level,
    /// From which share on that level holds, in percent.
    pub min_share: String,
    /// The least number of shared words that is told.
    pub min_words: u64,
    /// How it is told.
    pub channels: Channels,
    /// From and to, such as `22:00` and `07:00`.
    pub quiet: Option<(String, String)>,
    /// How many alerts go into one message.
    pub digest: Digest,
    /// Whether this person may end it.
    pub can_remove: bool,
}

/// The form for a watch: posts `action=add`, `repository`, `min_level`, `some`, `high`,
/// `min_words`, `inbox`, `mail`, `webhook`, `webhook_id`, `quiet_from`, `quiet_to`, `digest`.
#[derive(Clone, Debug, Default)]
pub struct WatchForm {
    /// Repositories that can be watched.
    pub repositories: Vec<Choice>,
    /// What was chosen before.
    pub min_level: Level,
    /// From how many percent on the levels *some* and *high* hold.
    pub some: String,
    /// See `some`.
    pub high: String,
    /// What was entered before.
    pub min_words: u64,
    /// What was chosen before.
    pub channels: Channels,
    /// What was entered before.
    pub quiet_from: String,
    /// What was entered before.
    pub quiet_to: String,
    /// What was chosen before.
    pub digest: Digest,
    /// Why it failed before.
    pub problem: Option<String>,
}
