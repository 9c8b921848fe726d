//! Watches: requests to be notified when a text of a repository reappears.

use rusqlite::Transaction;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::level::{LevelSchema, LevelThresholds, MatchLevel};
use crate::domain::{AccountId, Action, Actor, HookId, JobId, RepositoryId, WatchId};
use crate::error::Error;
use crate::jobs::queue;
use crate::service::Service;
use crate::service::accounts::audit;
pub(crate) use crate::store::watches::rules;
use crate::store::{hooks, watches};

/// A channel by which alerts are delivered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Channel {
    /// The list of alerts on the web and in the API; always used.
    Inbox,
    /// Mail to the address of the account.
    #[serde(alias = "email")]
    Mail,
    /// A webhook.
    Webhook,
}

impl Channel {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Mail => "mail",
            Self::Webhook => "webhook",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Inbox, Self::Mail, Self::Webhook].into_iter().find(|channel| channel.name() == name)
    }
}

fn some() -> MatchLevel {
    MatchLevel::Some
}

fn inbox() -> Vec<Channel> {
    vec![Channel::Inbox]
}

/// A new watch.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewWatch {
    /// The repository whose texts are watched.
    pub repository: String,
    /// The minimum level of an alert.
    #[serde(default = "some")]
    #[schema(value_type = LevelSchema)]
    pub min_level: MatchLevel,
    /// The minimum number of shared words of an alert; a text with fewer words must reappear whole.
    #[serde(default)]
    pub min_words: u32,
    /// The channels of the alerts; `inbox` is always one.
    #[serde(default = "inbox")]
    pub channels: Vec<Channel>,
    /// The minimum share of each level.
    #[serde(default)]
    pub levels: LevelThresholds,
    /// The id of the webhook, if the account has several.
    #[serde(default)]
    pub webhook: Option<HookId>,
    /// Start of the quiet hours, in which no mail is sent: minute of the day, UTC.
    #[serde(default)]
    #[schema(maximum = 1439)]
    pub quiet_from: Option<u32>,
    /// End of the quiet hours: minute of the day, UTC.
    #[serde(default)]
    #[schema(maximum = 1439)]
    pub quiet_to: Option<u32>,
    /// Hours between digests by mail; 0: each alert is mailed at once.
    #[serde(default)]
    #[schema(maximum = 168)]
    pub digest_hours: u32,
}

/// A watch.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct WatchView {
    /// Its id.
    pub id: WatchId,
    /// The repository whose texts are watched.
    pub repository: String,
    /// The minimum level of an alert.
    #[schema(value_type = LevelSchema)]
    pub min_level: MatchLevel,
    /// The minimum number of shared words of an alert.
    pub min_words: u32,
    /// The channels of the alerts.
    pub channels: Vec<Channel>,
    /// The minimum share of each level.
    pub levels: LevelThresholds,
    /// The id of the webhook.
    pub webhook: Option<HookId>,
    /// Start of the quiet hours, in which no mail is sent: minute of the day, UTC.
    pub quiet_from: Option<u32>,
    /// End of the quiet hours: minute of the day, UTC.
    pub quiet_to: Option<u32>,
    /// Hours between digests by mail; 0: each alert is mailed at once.
    pub digest_hours: u32,
    /// When it was created, in seconds since 1970.
    pub created: i64,
    /// The job that checks the existing documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
}

/// The part of a watch that checks need.
#[derive(Clone, Debug)]
pub(crate) struct WatchRule {
    pub(crate) watch: WatchId,
    pub(crate) account: AccountId,
    pub(crate) repository: RepositoryId,
    pub(crate) min_level: MatchLevel,
    pub(crate) levels: LevelThresholds,
    pub(crate) min_words: u64,
    pub(crate) channels: Vec<Channel>,
    pub(crate) hook: Option<HookId>,
    pub(crate) quiet: Option<(u32, u32)>,
    pub(crate) digest_hours: u32,
}

impl Service {
    /// Watches a repository from now on; a job checks its existing documents.
    ///
    /// # Errors
    /// If the actor lacks the permission, or the repository or webhook does not exist.
    pub fn new_watch(&self, actor: &Actor, new: &NewWatch) -> Result<WatchView, Error> {
        actor.require(Action::ChangeDocuments)?;
        check(new)?;
        let (by, new) = (actor.clone(), new.clone());
        let (id, job) = self.store.write(move |write| {
            let record = Self::resolve(write, &by, &new.repository)?;
            by.require_in(Action::ChangeDocuments, record.access())?;
            let channels = channels_of(&new);
            let hook = match channels.contains(&Channel::Webhook) {
                true => Some(hook_of(write, by.account, new.webhook)?),
                false => None,
            };
            let id = watches::insert(write, by.account, record.id, &new, &channels, hook)?;
            let payload = Some(id.to_string());
            let (kind, account) = (queue::WATCH, Some(by.account));
            let job = queue::insert_with(
                write,
                kind,
                account,
                Some(record.id),
                None,
                payload.as_deref(),
            )?;
            audit(write, account, "watch created", &record.name)?;
            Ok((id, job))
        })?;
        self.work.notify();
        let view = self.watches(actor)?.into_iter().find(|watch| watch.id == id);
        let view = view.ok_or_else(|| Error::not_found("watch", &id.to_string()))?;
        Ok(WatchView { job: Some(job), ..view })
    }

    /// Changes a watch of the actor's account, but not which repository it watches; a job checks the
    /// existing documents by the new rule. Alerts that it has raised stay.
    ///
    /// # Errors
    /// If the actor lacks the permission, or the watch or webhook does not exist.
    pub fn change_watch(
        &self,
        actor: &Actor,
        id: WatchId,
        new: &NewWatch,
    ) -> Result<WatchView, Error> {
        actor.require(Action::ChangeDocuments)?;
        check(new)?;
        let missing = move || Error::not_found("watch", &id.to_string());
        let old = self.watches(actor)?.into_iter().find(|watch| watch.id == id);
        let old = old.ok_or_else(missing)?;
        if old.repository != new.repository {
            return Err(Error::Invalid(format!(
                "a watch stays with its repository, {}; create another watch for {}",
                old.repository, new.repository
            )));
        }
        let (by, new) = (actor.clone(), new.clone());
        let job = self.store.write(move |write| {
            let record = Self::resolve(write, &by, &new.repository)?;
            by.require_in(Action::ChangeDocuments, record.access())?;
            let channels = channels_of(&new);
            let hook = match channels.contains(&Channel::Webhook) {
                true => Some(hook_of(write, by.account, new.webhook)?),
                false => None,
            };
            if !watches::update(write, &by, id, &new, &channels, hook)? {
                return Err(missing());
            }
            let (account, payload) = (Some(by.account), id.to_string());
            let repository = Some(record.id);
            let job =
                queue::insert_with(write, queue::WATCH, account, repository, None, Some(&payload))?;
            audit(write, account, "watch changed", &record.name)?;
            Ok(job)
        })?;
        self.work.notify();
        let view = self.watches(actor)?.into_iter().find(|watch| watch.id == id);
        Ok(WatchView { job: Some(job), ..view.ok_or_else(missing)? })
    }

    /// Returns the watches of the actor's account.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn watches(&self, actor: &Actor) -> Result<Vec<WatchView>, Error> {
        actor.require(Action::ReadOwn)?;
        self.store.read(|read| watches::list(read, actor))
    }

    /// Deletes a watch and its alerts.
    ///
    /// # Errors
    /// If the account has none with this id.
    pub fn delete_watch(&self, actor: &Actor, id: WatchId) -> Result<(), Error> {
        actor.require(Action::ChangeOwn)?;
        let by = actor.clone();
        self.store.write(move |write| match watches::delete(write, &by, id)? {
            true => audit(write, Some(by.account), "watch deleted", &id.to_string()),
            false => Err(Error::not_found("watch", &id.to_string())),
        })
    }
}

/// Fails if the rule of a watch is not valid.
fn check(new: &NewWatch) -> Result<(), Error> {
    if !new.levels.is_valid() {
        return Err(Error::Invalid(
            "levels must be shares above 0 and at most 1, with some ≤ high ≤ exact".to_owned(),
        ));
    }
    let is_minute = |minute: Option<u32>| minute.is_none_or(|minute| minute < 24 * 60);
    let has_both_ends = new.quiet_from.is_some() == new.quiet_to.is_some();
    if !is_minute(new.quiet_from) || !is_minute(new.quiet_to) || !has_both_ends {
        return Err(Error::Invalid(
            "quiet hours need both a start and an end, as minutes of the day below 1440".to_owned(),
        ));
    }
    if new.digest_hours > 24 * 7 {
        return Err(Error::Invalid("a digest must come at least every 168 hours".to_owned()));
    }
    Ok(())
}

/// Returns the channels of a watch; the inbox is always one.
fn channels_of(new: &NewWatch) -> Vec<Channel> {
    let mut channels = new.channels.clone();
    if !channels.contains(&Channel::Inbox) {
        channels.insert(0, Channel::Inbox);
    }
    channels
}

fn hook_of(
    read: &Transaction<'_>,
    account: AccountId,
    requested: Option<HookId>,
) -> Result<HookId, Error> {
    match hooks::ids(read, account, requested)?[..] {
        [] => {
            Err(Error::not_found("webhook", &requested.map_or(String::new(), |id| id.to_string())))
        }
        [one] => Ok(one),
        _ => Err(Error::Invalid(
            "the account has several webhooks; set `webhook` to the id of one".to_owned(),
        )),
    }
}
