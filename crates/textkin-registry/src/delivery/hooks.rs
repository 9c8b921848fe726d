//! Webhooks: addresses that receive alerts, and the log of deliveries to them.

use crate::delivery::webhook::Target;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::{Action, Actor, AlertId, DeliveryId, HookId};
use crate::error::Error;
use crate::service::accounts::audit;
use crate::service::watches::Channel;
use crate::service::{Service, secrets};
use crate::store::deliveries::{self, NewDelivery};
use crate::store::hooks::{self, NewHookRow};
use crate::store::now;

/// The maximum number of webhooks of one account.
const MAX_HOOKS: usize = 20;
/// The prefix that distinguishes webhook secrets from other secrets.
const SECRET_PREFIX: &str = "tkh_";

/// A new webhook.
#[derive(Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewHook {
    /// What it is called; the host name of the address by default.
    #[serde(default)]
    pub name: Option<String>,
    /// The address that deliveries are sent to; it starts with `https://`.
    #[schema(format = "uri", pattern = "^https?://.")]
    pub url: String,
    /// The secret that deliveries are signed with, 16 to 200 characters; the server generates one if
    /// absent.
    #[serde(default)]
    #[schema(min_length = 16, max_length = 200)]
    pub secret: Option<String>,
}

impl std::fmt::Debug for NewHook {
    /// Without the secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("NewHook").field("url", &self.url).finish_non_exhaustive()
    }
}

/// A webhook.
#[derive(Clone, Serialize, ToSchema)]
pub struct HookView {
    /// Its id.
    pub id: HookId,
    /// Its name.
    pub name: String,
    /// The address that deliveries are sent to.
    pub url: String,
    /// When it was created, in seconds since 1970.
    pub created: i64,
    /// The state of its last delivery.
    pub last: Option<DeliveryState>,
    /// When a delivery last succeeded, in seconds since 1970.
    pub last_delivered: Option<i64>,
    /// The secret that deliveries are signed with; only in the response to its creation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secret: Option<String>,
}

impl std::fmt::Debug for HookView {
    /// Without the secret.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { id, url, .. } = self;
        formatter.debug_struct("HookView").field("id", id).field("url", url).finish_non_exhaustive()
    }
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum DeliveryState {
    /// It will be attempted, or attempted again.
    Waiting,
    /// The receiver accepted it.
    Done,
    /// It was given up; it can be sent again on request.
    Failed,
}

impl DeliveryState {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "done",
            Self::Failed => "failed",
        }
    }

    pub(crate) fn parse(name: &str) -> Option<Self> {
        [Self::Waiting, Self::Done, Self::Failed].into_iter().find(|state| state.name() == name)
    }
}

/// A delivery: one alert sent by one channel.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct DeliveryView {
    /// Its id, the same for every attempt.
    pub id: DeliveryId,
    /// The alert; none if it is a test.
    pub alert: Option<AlertId>,
    /// The channel it is sent by.
    pub channel: Channel,
    /// The id of the webhook, if it is sent to one.
    pub webhook: Option<HookId>,
    /// Its state.
    pub state: DeliveryState,
    /// The number of attempts.
    pub attempts: u32,
    /// When the next attempt is due, in seconds since 1970; none if there is none.
    pub next: Option<i64>,
    /// The last response of the receiver, or why there was none.
    pub answer: String,
    /// When it was created, in seconds since 1970.
    pub created: i64,
    /// When it was accepted or given up, in seconds since 1970.
    pub finished: Option<i64>,
}

impl Service {
    /// Creates a webhook of the actor's account; only this response shows its secret.
    ///
    /// # Errors
    /// If the actor lacks the permission, or the address is not allowed.
    pub fn new_hook(&self, actor: &Actor, new: &NewHook) -> Result<HookView, Error> {
        may_change(actor)?;
        let target = self.target(&new.url)?;
        let requested = new.secret.as_deref().map(str::trim).filter(|secret| !secret.is_empty());
        let secret = match requested {
            Some(secret) if (16..=200).contains(&secret.chars().count()) => secret.to_owned(),
            Some(_) => {
                return Err(Error::Invalid("a secret must have 16 to 200 characters".to_owned()));
            }
            None => format!("{SECRET_PREFIX}{}", secrets::secret()?),
        };
        let name = new.name.as_deref().unwrap_or_default().trim().chars();
        let name: String = name.filter(|c| !c.is_control()).take(100).collect();
        let name = if name.is_empty() { target.host().to_owned() } else { name };
        let account = actor.account;
        let sealed = self.secret_key()?.seal(&secret, account)?;
        self.store.write(move |write| {
            if hooks::ids(write, account, None)?.len() >= MAX_HOOKS {
                return Err(Error::Conflict(format!(
                    "an account can have at most {MAX_HOOKS} webhooks"
                )));
            }
            let created = now();
            let url = target.as_str().to_owned();
            let row =
                NewHookRow { account, name: &name, url: &url, sealed_secret: &sealed, created };
            let id = hooks::insert(write, &row)?;
            // The rest of the address may contain secrets of the receiver.
            audit(write, Some(account), "webhook created", &format!("{id} at {}", target.host()))?;
            let (last, last_delivered) = (None, None);
            Ok(HookView { id, name, url, created, last, last_delivered, secret: Some(secret) })
        })
    }

    /// Checks an address that deliveries are to be sent to.
    pub(crate) fn target(&self, url: &str) -> Result<Target, Error> {
        let target = Target::new(url, &self.delivery_config.network_policy);
        target.map_err(|rejected| Error::Invalid(rejected.to_string()))
    }

    /// Returns the webhooks of the actor's account.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn hooks(&self, actor: &Actor) -> Result<Vec<HookView>, Error> {
        actor.require(Action::ReadAccount)?;
        self.store.read(|read| hooks::list(read, actor.account))
    }

    /// Deletes a webhook and its log; watches that used it stay, without it.
    ///
    /// # Errors
    /// If the account has none with this id.
    pub fn delete_hook(&self, actor: &Actor, id: HookId) -> Result<(), Error> {
        may_change(actor)?;
        let account = actor.account;
        self.store.write(move |write| match hooks::delete(write, account, id)? {
            false => Err(Error::not_found("webhook", &id.to_string())),
            true => audit(write, Some(account), "webhook deleted", &id.to_string()),
        })
    }

    /// Sends a test to a webhook, once and soon; [`Service::delivery`] returns its outcome.
    ///
    /// # Errors
    /// If the account has none with this id.
    pub fn test_hook(&self, actor: &Actor, id: HookId) -> Result<DeliveryView, Error> {
        may_change(actor)?;
        let account = actor.account;
        let delivery = self.store.write(move |write| {
            let hook = hooks::find(write, account, id)?
                .ok_or_else(|| Error::not_found("webhook", &id.to_string()))?;
            let (hook, next) = (Some(hook.id), now());
            let channel = Channel::Webhook;
            deliveries::insert(
                write,
                &NewDelivery { alert: None, account, channel, hook, next },
                next,
            )
        })?;
        self.deliveries.notify();
        self.delivery(actor, delivery)
    }

    /// Returns the deliveries of the actor's account, the latest first.
    ///
    /// # Errors
    /// If the actor lacks the permission.
    pub fn deliveries(
        &self,
        actor: &Actor,
        state: Option<DeliveryState>,
        before: Option<DeliveryId>,
        limit: u32,
    ) -> Result<Vec<DeliveryView>, Error> {
        actor.require(Action::ReadAccount)?;
        let account = actor.account;
        self.store.read(|read| deliveries::list(read, account, state, before, limit))
    }

    /// Returns one delivery.
    ///
    /// # Errors
    /// If the account has none with this id.
    pub fn delivery(&self, actor: &Actor, id: DeliveryId) -> Result<DeliveryView, Error> {
        actor.require(Action::ReadAccount)?;
        let found = self.store.read(|read| deliveries::find(read, actor.account, id))?;
        found.ok_or_else(|| Error::not_found("delivery", &id.to_string()))
    }

    /// Sends a delivery again with the same id, whether it succeeded or not.
    ///
    /// # Errors
    /// If the account has none with this id.
    pub fn resend(&self, actor: &Actor, id: DeliveryId) -> Result<DeliveryView, Error> {
        may_change(actor)?;
        let account = actor.account;
        if !self.store.write(move |write| deliveries::resend(write, account, id))? {
            return Err(Error::not_found("delivery", &id.to_string()));
        }
        self.deliveries.notify();
        self.delivery(actor, id)
    }
}

/// Fails unless the actor may change the webhooks of its account.
fn may_change(actor: &Actor) -> Result<(), Error> {
    actor.require(Action::ManageAccount)
}
