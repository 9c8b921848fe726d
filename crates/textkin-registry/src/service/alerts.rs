//! Alerts: watched texts that reappeared, and how each alert was handled.

use rusqlite::{OptionalExtension, Row, params};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::level::{LevelSchema, MatchLevel};
use crate::domain::{Actor, Scope};
use crate::error::Error;
use crate::service::Service;
use crate::store::now;

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
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Handled => "handled",
            Self::Dismissed => "dismissed",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Open, Self::Handled, Self::Dismissed].into_iter().find(|state| state.name() == name)
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
    pub id: i64,
    /// The watch that found it.
    pub watch: i64,
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
    pub alerts: Vec<i64>,
    /// Their new state; unchanged if absent.
    #[serde(default)]
    pub state: Option<AlertState>,
    /// The account to assign them to, a member of one of your teams; an empty name unassigns them.
    #[serde(default)]
    pub assignee: Option<String>,
}

/// Alerts on repositories of the teams of account ?1, limited to the repository ?2 of its key.
const OWN: &str = "alert.watch IN (
    SELECT watch.id FROM watch JOIN repository ON repository.id = watch.repository
    JOIN member ON member.team = repository.team
    WHERE member.account = ?1 AND (?2 IS NULL OR repository.id = ?2))";
/// The role of account ?1 in the team of the watched repository.
const ROLE: &str = "(SELECT role FROM watch JOIN repository ON repository.id = watch.repository
    JOIN member ON member.team = repository.team
    WHERE watch.id = alert.watch AND member.account = ?1)";

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
        before: Option<i64>,
        limit: u32,
    ) -> Result<Vec<AlertView>, Error> {
        actor.require_scope(Scope::Read)?;
        self.select_alerts(
            actor,
            "(?3 IS NULL OR alert.state = ?3) AND (NOT ?4 OR assignee = ?1) AND alert.id < ?5",
            params![
                actor.account,
                actor.only,
                state.map(AlertState::name),
                is_mine,
                before.unwrap_or(i64::MAX),
            ],
            limit,
        )
    }

    /// Returns one alert.
    ///
    /// # Errors
    /// If it does not exist or the actor may not see it.
    pub fn alert(&self, actor: &Actor, id: i64) -> Result<AlertView, Error> {
        actor.require_scope(Scope::Read)?;
        let row = params![actor.account, actor.only, id];
        let found = self.select_alerts(actor, "alert.id = ?3", row, 1)?.into_iter().next();
        found.ok_or_else(|| Error::not_found("alert", &id.to_string()))
    }

    fn select_alerts(
        &self,
        _: &Actor,
        condition: &str,
        row: &[&dyn rusqlite::ToSql],
        limit: u32,
    ) -> Result<Vec<AlertView>, Error> {
        let sql = format!(
            "SELECT alert.id, alert.watch, level, created_ms, alert.state, changed, who.name,
                    whose.name, watched_words, watched_shared, wr.name, w.id, w.title, w.time,
                    found_words, found_shared, fr.name, f.id, f.title, f.time,
                    is_bounded
             FROM alert JOIN document w ON w.number = watched JOIN document f ON f.number = found
             JOIN repository wr ON wr.id = w.repository JOIN repository fr ON fr.id = f.repository
             LEFT JOIN account who ON who.id = changed_by
             LEFT JOIN account whose ON whose.id = assignee
             WHERE {OWN} AND {condition} ORDER BY alert.id DESC LIMIT {limit}"
        );
        self.store.read(|read| {
            let mut statement = read.prepare_cached(&sql)?;
            let rows = statement.query_map(row, view)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Returns the number of open alerts.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn open_alerts(&self, actor: &Actor) -> Result<u64, Error> {
        actor.require_scope(Scope::Read)?;
        self.count_alerts(actor, "state = 'open'")
    }

    /// Counts the alerts that meet a condition in SQL.
    pub(crate) fn count_alerts(&self, actor: &Actor, condition: &str) -> Result<u64, Error> {
        self.store.read(|read| {
            let sql = format!("SELECT count(*) FROM alert WHERE {OWN} AND {condition}");
            let row = params![actor.account, actor.only];
            Ok(read.prepare_cached(&sql)?.query_row(row, |row| row.get(0))?)
        })
    }

    /// Changes the state or the assignee of alerts: of all of them, or of none.
    ///
    /// # Errors
    /// If one of them does not exist, or the actor may not see it or may only read it.
    pub fn change_alerts(&self, actor: &Actor, change: &AlertUpdate) -> Result<(), Error> {
        actor.require_scope(Scope::Register)?;
        if change.alerts.len() > 1000 {
            return Err(Error::TooLarge("at most 1,000 alerts can be changed at once".to_owned()));
        }
        let (account, only, change) = (actor.account, actor.only, change.clone());
        self.store.write(move |write| {
            let assignee: Option<Option<i64>> = match change.assignee.as_deref() {
                None => None,
                Some("") => Some(None),
                Some(name) => {
                    let sql = "SELECT account.id FROM account
                               JOIN member theirs ON theirs.account = account.id
                               JOIN member ours ON ours.team = theirs.team
                               WHERE account.name = ?1 AND ours.account = ?2 LIMIT 1";
                    let found = write.query_row(sql, params![name, account], |row| row.get(0));
                    Some(Some(found.map_err(|_| Error::not_found("member", name))?))
                }
            };
            let sql = format!(
                "UPDATE alert SET state = ifnull(?4, state),
                     changed = iif(?4 IS NULL, changed, ?5),
                     changed_by = iif(?4 IS NULL, changed_by, ?1),
                     assignee = iif(?6, ?7, assignee)
                 WHERE {OWN} AND id = ?3"
            );
            let mut statement = write.prepare_cached(&sql)?;
            let sql = format!("SELECT {ROLE} = 'reader' FROM alert WHERE {OWN} AND id = ?3");
            let mut role = write.prepare_cached(&sql)?;
            for &id in &change.alerts {
                let is_reader = role.query_row(params![account, only, id], |row| row.get(0));
                if is_reader.optional()?.unwrap_or(false) {
                    return Err(Error::Forbidden(
                        "you need the role 'writer' in the team of this repository".to_owned(),
                    ));
                }
                let state = change.state.map(AlertState::name);
                let row = params![
                    account,
                    only,
                    id,
                    state,
                    now(),
                    assignee.is_some(),
                    assignee.flatten()
                ];
                if statement.execute(row)? == 0 {
                    return Err(Error::not_found("alert", &id.to_string()));
                }
            }
            Ok(())
        })
    }
}

fn view(row: &Row<'_>) -> rusqlite::Result<AlertView> {
    let side = |first: usize| -> rusqlite::Result<AlertSide> {
        let (words, shared_words): (u64, u64) = (row.get(first)?, row.get(first + 1)?);
        Ok(AlertSide {
            repository: row.get(first + 2)?,
            id: row.get(first + 3)?,
            title: row.get(first + 4)?,
            time: row.get(first + 5)?,
            words,
            shared_words,
            share: shared_words as f64 / words.max(1) as f64,
        })
    };
    Ok(AlertView {
        id: row.get(0)?,
        watch: row.get(1)?,
        level: MatchLevel::parse(&row.get::<_, String>(2)?).unwrap_or(MatchLevel::Some),
        created_ms: row.get(3)?,
        state: AlertState::parse(&row.get::<_, String>(4)?).unwrap_or(AlertState::Open),
        changed: row.get(5)?,
        changed_by: row.get(6)?,
        assignee: row.get(7)?,
        registered: side(8)?,
        found: side(14)?,
        is_bounded: row.get(20)?,
    })
}
