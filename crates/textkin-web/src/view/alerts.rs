//! Views of `GET /alerts?state=` and `GET /alerts/rules`.

use super::repository::names;
use super::{Choice, DocumentLink, MatchLevel, Paging, Score, Share, TextPiece};

/// The alerts to show: `?state=open`, `mine`, `done`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum AlertFilter {
    #[default]
    Open,
    Mine,
    Done,
}
names! { AlertFilter { Open: "open", "Open"; Mine: "mine", "Assigned to me"; Done: "done", "Done"; } }

/// The state of an alert.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum AlertState {
    #[default]
    Open,
    Handled,
    Dismissed,
}
names! { AlertState { Open: "open", "open"; Handled: "handled", "handled"; Dismissed: "dismissed", "dismissed"; } }

/// The alerts inbox.
///
/// Each row posts to `/alerts/{id}/handle`, `dismiss`, `undo` or `assign` (`assignee`, empty for
/// nobody); the form around the list posts `alert` (repeated) and `action` (`handle`, `dismiss`)
/// to `/alerts/bulk`.
#[derive(Clone, Debug, Default)]
pub struct Alerts {
    /// Which alerts are shown.
    pub filter: AlertFilter,
    /// The number of open alerts.
    pub open: u64,
    /// The number of open alerts that are assigned to this user.
    pub mine: u64,
    /// The number of handled and dismissed alerts.
    pub done: u64,
    /// The alerts, grouped by watched text, those with the newest alerts first. With `text` there is one
    /// group with all its alerts.
    pub groups: Vec<AlertGroup>,
    /// Whether one text is shown: `?text=REPO/ID`.
    pub is_one_text: bool,
    /// The position of `rows` in the whole list.
    pub paging: Paging,
    /// The accounts that an alert can be assigned to.
    pub assignees: Vec<Assignee>,
    /// Whether this user watches anything at all.
    pub has_watches: bool,
    /// Open contact requests about texts of this user's teams. Each posts to
    /// `/questions/{id}/handle`.
    pub contact_requests: Vec<ContactRequestRow>,
}

/// The alerts about one watched text. Its form posts `text` and `action` (`handle`, `dismiss`) to
/// `/alerts/bulk`.
#[derive(Clone, Debug, Default)]
pub struct AlertGroup {
    /// The watched text.
    pub watched: DocumentLink,
    /// Its repository and ID, for the form: `REPO/ID`.
    pub key: String,
    /// How many alerts there are about it.
    pub total: u64,
    /// The newest of them.
    pub rows: Vec<AlertRow>,
    /// The page with all of them, if not all are here.
    pub all: Option<String>,
}

/// A contact request from someone whose text matches a private text here. The sender does not
/// know who owns that text.
#[derive(Clone, Debug, Default)]
pub struct ContactRequestRow {
    /// The request ID.
    pub id: String,
    /// The name of the sender.
    pub from: String,
    /// The sender's mail address; empty if they have none.
    pub mail: String,
    /// The document the request is about.
    pub document: DocumentLink,
    /// The title of the sender's text; may be empty.
    pub title: String,
    /// The sender's message; may be empty.
    pub note: String,
    /// How much of the sender's text was found in the document.
    pub share: Share,
    /// When the request was sent.
    pub time: String,
}

/// An account that an alert can be assigned to.
#[derive(Clone, Debug, Default)]
pub struct Assignee {
    /// The account name.
    pub name: String,
    /// Whether this is the current user.
    pub is_self: bool,
}

/// One alert.
#[derive(Clone, Debug, Default)]
pub struct AlertRow {
    /// The alert ID.
    pub id: String,
    /// The watched text.
    pub watched: DocumentLink,
    /// The document in which it reappeared; without a link if it has been deleted.
    pub found: DocumentLink,
    /// Whether that document has been deleted.
    pub found_is_deleted: bool,
    /// The share of the watched text, and of the other document.
    pub score: Score,
    /// Whether the words were counted from the index alone.
    pub is_bounded: bool,
    /// How much was found.
    pub level: MatchLevel,
    /// When the alert was raised.
    pub time: String,
    /// The state of the alert.
    pub state: AlertState,
    /// Who changed the state, or who the alert is assigned to.
    pub assignee: Option<String>,
    /// The page that shows both texts side by side.
    pub compare: Option<String>,
    /// The longest passages, for a preview in the row.
    pub excerpts: Vec<Excerpt>,
    /// The number of passages that are not in `excerpts`.
    pub more_excerpts: u64,
}

/// One passage as it appears in both texts, with some context around it.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    /// The number of words in the passage.
    pub words: u64,
    /// The excerpt of the watched text.
    pub watched: Vec<TextPiece>,
    /// The excerpt of the text where it reappeared; empty if that is not shown.
    pub found: Vec<TextPiece>,
}

/// `GET /alerts/rules`: what is watched, and how alerts are delivered.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    /// The existing watches.
    pub rows: Vec<WatchRow>,
    /// The form for a new watch, if this user may create one.
    pub form: Option<WatchForm>,
    /// Whether the server can send mail.
    pub sends_mail: bool,
    /// The webhooks to choose from, by ID and name.
    pub webhooks: Vec<Choice>,
}

/// The channels by which alerts are delivered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub struct Channels {
    pub inbox: bool,
    pub mail: bool,
    pub webhook: bool,
}

impl Channels {
    /// Returns the enabled channels as text: `inbox, mail`.
    #[must_use]
    pub fn label(&self) -> String {
        let all = [(self.inbox, "inbox"), (self.mail, "mail"), (self.webhook, "webhook")];
        let names: Vec<&str> =
            all.into_iter().filter(|(is_on, _)| *is_on).map(|(_, name)| name).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

/// How often alerts are sent: `at_once`, `hourly`, `daily`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum DigestInterval {
    #[default]
    Immediately,
    Hourly,
    Daily,
}
names! { DigestInterval { Immediately: "at_once", "immediately"; Hourly: "hourly", "hourly digest"; Daily: "daily", "daily digest"; } }

/// A watch. `POST /alerts/rules` with `action=remove` and `watch` ends it; `GET /alerts/rules?edit=`
/// shows its form.
#[derive(Clone, Debug, Default)]
pub struct WatchRow {
    /// The watch ID.
    pub id: String,
    /// The repository whose documents are watched.
    pub repository: String,
    /// The only watched document of the repository, by title or ID; all if there is none.
    pub document: Option<String>,
    /// The minimum level of an alert.
    pub min_level: MatchLevel,
    /// The minimum share of that level, in percent.
    pub min_share: String,
    /// The minimum number of shared words.
    pub min_words: u64,
    /// The channels by which alerts are delivered.
    pub channels: Channels,
    /// Start and end of quiet hours, such as `22:00` and `07:00`.
    pub quiet: Option<(String, String)>,
    /// How often alerts are sent.
    pub digest: DigestInterval,
    /// Whether this user may end the watch.
    pub can_remove: bool,
}

/// The form for a watch: posts `action=add`, or `action=change` with `watch`, and `repository`, `min_level`, `some`, `high`,
/// `min_words`, `inbox`, `mail`, `webhook`, `webhook_id`, `quiet_from`, `quiet_to`, `digest`.
#[derive(Clone, Debug, Default)]
pub struct WatchForm {
    /// The watch that is changed; a new one without.
    pub changed: Option<String>,
    /// The repositories that can be watched.
    pub repositories: Vec<Choice>,
    /// The minimum level, as chosen before.
    pub min_level: MatchLevel,
    /// The minimum share of level *some*, in percent.
    pub some: String,
    /// The minimum share of level *high*, in percent.
    pub high: String,
    /// The minimum number of shared words, as entered before.
    pub min_words: u64,
    /// The channels, as chosen before.
    pub channels: Channels,
    /// The start of quiet hours, as entered before.
    pub quiet_from: String,
    /// The end of quiet hours, as entered before.
    pub quiet_to: String,
    /// The frequency, as chosen before.
    pub digest: DigestInterval,
    /// Why the last attempt failed.
    pub problem: Option<String>,
}
