//! Alerts: watched texts that reappeared, and how each alert was handled.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::level::{LevelSchema, MatchLevel};
use crate::domain::{AccountId, Action, Actor, AlertId, Role, WatchId};
use crate::error::Error;
use crate::service::{ByteRange, Service};
use crate::store::{accounts, alerts, documents};

/// The state of an alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum AlertState {
    /// Nobody has handled it yet.
    Open,
    /// Somebody handled it.
    Handled,
    /// Somebody dismissed it: nothing needs to be done.
    Dismissed,
}

impl AlertState {
    pub(crate) const ALL: [Self; 3] = [Self::Open, Self::Handled, Self::Dismissed];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Handled => "handled",
            Self::Dismissed => "dismissed",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }
}

/// One of the two documents of an alert.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AlertSide {
    /// Its repository, as the account writes it in paths.
    pub repository: String,
    /// Its id.
    pub id: String,
    /// Its title.
    pub title: Option<String>,
    /// When it was written, according to its source.
    pub time: Option<String>,
    /// Its number of words.
    pub words: u64,
    /// Its words that also appear in the other document.
    pub shared_words: u64,
    /// The share of its words that is shared.
    pub share: f64,
}

/// An alert: a watched text has reappeared.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AlertView {
    /// Its id.
    pub id: AlertId,
    /// The watch that found it.
    pub watch: WatchId,
    /// How much of it reappeared.
    #[schema(value_type = LevelSchema)]
    pub level: MatchLevel,
    /// The watched document.
    pub registered: AlertSide,
    /// The document in which it reappeared.
    pub found: AlertSide,
    /// Whether the words were counted from the index, because there were too many matches to compare
    /// each word by word. The counts may then differ a little from those of the comparison.
    pub is_bounded: bool,
    /// When it was found, in milliseconds since 1970.
    pub created_ms: i64,
    /// Its state.
    pub state: AlertState,
    /// When its state last changed, in seconds since 1970.
    pub changed: Option<i64>,
    /// The account that changed the state.
    pub changed_by: Option<String>,
    /// The account it is assigned to.
    pub assignee: Option<String>,
    /// Whether the found document has been deleted. The alert keeps its names and counts.
    pub found_is_deleted: bool,
    /// The longest shared passages of the watched document.
    pub passages: Vec<AlertPassage>,
}

/// A passage of a watched document that reappeared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct AlertPassage {
    /// Its byte range in the watched document.
    pub span: ByteRange,
    /// The number of equal words.
    pub words: u32,
}

/// A list of alerts on the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AlertList {
    /// Those that nobody has handled.
    Open,
    /// Open ones that are assigned to the actor.
    Mine,
    /// Handled and dismissed ones.
    Done,
}

/// A watched document with its latest alerts.
#[derive(Clone, Debug)]
pub struct WatchedText {
    /// How many alerts there are.
    pub total: u64,
    /// The latest of them, at least one.
    pub alerts: Vec<AlertView>,
}

/// A change of several alerts.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AlertUpdate {
    /// Their numbers.
    pub alerts: Vec<AlertId>,
    /// Their new state; unchanged if absent.
    #[serde(default)]
    pub state: Option<AlertState>,
    /// The account to assign them to, a member of one of your teams; an empty name unassigns them.
    #[serde(default)]
    pub assignee: Option<String>,
}

impl Service {
    /// Returns the alerts on documents of the actor's teams, the latest first.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn alerts(
        &self,
        actor: &Actor,
        state: Option<AlertState>,
        is_mine: bool,
        before: Option<AlertId>,
        limit: u32,
    ) -> Result<Vec<AlertView>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| alerts::list(read, actor, state, is_mine, before, limit))
    }

    /// Returns the watched documents with alerts, those with the latest first, each with up to `each`
    /// of its alerts; and how many documents there are.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn watched_texts(
        &self,
        actor: &Actor,
        list: AlertList,
        (offset, limit): (u64, u32),
        each: u32,
    ) -> Result<(Vec<WatchedText>, u64), Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let mut texts = Vec::new();
            for (watched, total) in alerts::texts(read, actor, list, (offset, limit))? {
                let alerts = alerts::of_text(read, actor, list, watched, None, each)?;
                if !alerts.is_empty() {
                    texts.push(WatchedText { total, alerts });
                }
            }
            Ok((texts, alerts::n_texts(read, actor, list)?))
        })
    }

    /// Returns the alerts about one watched document, the latest first.
    ///
    /// # Errors
    /// If the document does not exist or the actor may not see it.
    pub fn alerts_of_text(
        &self,
        actor: &Actor,
        list: AlertList,
        (repository, id): (&str, &str),
        before: Option<AlertId>,
        limit: u32,
    ) -> Result<Vec<AlertView>, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            let watched = documents::find(read, &record, id)?.number;
            alerts::of_text(read, actor, list, watched, before, limit)
        })
    }

    /// Counts the alerts about one watched document.
    ///
    /// # Errors
    /// If the document does not exist or the actor may not see it.
    pub fn n_alerts_of_text(
        &self,
        actor: &Actor,
        list: AlertList,
        (repository, id): (&str, &str),
    ) -> Result<u64, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| {
            let record = Self::resolve(read, actor, repository)?;
            let watched = documents::find(read, &record, id)?.number;
            alerts::n_of_text(read, actor, list, watched)
        })
    }

    /// Changes the state of all open alerts, or of those about one watched document, that the actor may
    /// change; returns how many.
    ///
    /// # Errors
    /// If the document does not exist or the actor may not see it.
    pub fn change_open_alerts(
        &self,
        actor: &Actor,
        text: Option<(&str, &str)>,
        state: AlertState,
    ) -> Result<u64, Error> {
        actor.require(Action::ChangeOwn)?;
        let by = actor.clone();
        let text = text.map(|(repository, id)| (repository.to_owned(), id.to_owned()));
        self.store.write(move |write| {
            let watched = match text {
                Some((repository, id)) => {
                    let record = Self::resolve(write, &by, &repository)?;
                    Some(documents::find(write, &record, &id)?.number)
                }
                None => None,
            };
            alerts::update_open(write, &by, watched, state)
        })
    }

    /// Returns one alert.
    ///
    /// # Errors
    /// If it does not exist or the actor may not see it.
    pub fn alert(&self, actor: &Actor, id: AlertId) -> Result<AlertView, Error> {
        actor.require(Action::Read)?;
        let found = self.store.read(|read| alerts::find(read, actor, id))?;
        found.ok_or_else(|| Error::not_found("alert", &id.to_string()))
    }

    /// Returns the number of open alerts.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn open_alerts(&self, actor: &Actor) -> Result<u64, Error> {
        actor.require(Action::Read)?;
        self.store.read(|read| alerts::n_open(read, actor, false))
    }

    /// Changes the state or the assignee of alerts: of all of them, or of none.
    ///
    /// # Errors
    /// If one of them does not exist, or the actor may not see it or may only read it.
    pub fn change_alerts(&self, actor: &Actor, change: &AlertUpdate) -> Result<(), Error> {
        actor.require(Action::ChangeOwn)?;
        if change.alerts.len() > 1000 {
            return Err(Error::TooLarge("at most 1,000 alerts can be changed at once".to_owned()));
        }
        let (by, change) = (actor.clone(), change.clone());
        self.store.write(move |write| {
            let assignee: Option<Option<AccountId>> = match change.assignee.as_deref() {
                None => None,
                Some("") => Some(None),
                Some(name) => {
                    let found = accounts::find_colleague(write, name, by.account)?;
                    Some(Some(found.ok_or_else(|| Error::not_found("member", name))?))
                }
            };
            for &id in &change.alerts {
                match alerts::role(write, &by, id)? {
                    None => return Err(Error::not_found("alert", &id.to_string())),
                    Some(Role::Reader) => {
                        return Err(Error::Forbidden(
                            "you need the role 'writer' in the team of this repository".to_owned(),
                        ));
                    }
                    Some(Role::Writer | Role::Owner) => {}
                }
                alerts::update(write, id, by.account, change.state, assignee)?;
            }
            Ok(())
        })
    }
}
