//! Alerts: watched texts that reappeared, and how each alert was handled.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::level::{LevelSchema, MatchLevel};
use crate::domain::{AccountId, Action, Actor, AlertId, Role, WatchId};
use crate::error::Error;
use crate::service::Service;
use crate::store::{accounts, alerts};

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
    /// Its repository.
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
