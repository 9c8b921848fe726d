//! Deliveries: sends alerts by webhook and by mail.
//!
//! One thread looks for due deliveries and starts a thread per account and channel, so that a slow
//! receiver delays nobody else. A delivery is marked as done after it was accepted; after a crash in
//! between it is sent again with the same id, by which the receiver can recognize it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::delivery::webhook::{Delivery, NetworkPolicy, Secret, Timeouts, WebhookClient};
use hashbrown::HashSet;
use serde::Serialize;
use textkin_core::calendar::DateTime;
use textkin_mail::notice::{self, DocumentLabel, WordShare};
use textkin_mail::{Address, OutgoingMessage, Sender};

use crate::domain::{AccountId, AlertId, DeliveryId};
use crate::error::Error;
use crate::service::accounts::acting;
use crate::service::alerts::AlertView;
use crate::service::watches::Channel;
use crate::service::{DeliveryState, Service};
use crate::store::deliveries::{self, Attempt, DueDelivery};
use crate::store::hooks::{self, HookRow};
use crate::store::{accounts, now};

/// The maximum number of accounts and channels that are served at the same time.
const MAX_THREADS: usize = 16;
/// The maximum number of deliveries that one thread reads at once.
const MAX_BATCH: u32 = 500;
/// The maximum number of alerts that are mailed one by one; more that are due together are sent as one
/// digest.
const MAX_SINGLE: usize = 5;
/// How long the thread sleeps when nothing wakes it.
const PAUSE: Duration = Duration::from_millis(500);

/// How the server delivers alerts.
#[derive(Clone)]
pub struct DeliveryConfig {
    /// The public address of the server, without a trailing `/`.
    pub site: String,
    /// The addresses that webhooks may use.
    pub network_policy: NetworkPolicy,
    /// The addresses that web pages may be fetched from to be checked; `None` disables fetching.
    pub pages: Option<NetworkPolicy>,
    /// The time limits of a webhook request.
    pub timeouts: Timeouts,
    /// The delay before the next attempt, by the number of failures and the id of the delivery; `None`
    /// gives the delivery up.
    pub delay: fn(u32, u64) -> Option<Duration>,
    /// How mail is sent; `None` disables outgoing mail.
    pub mail: Option<MailOut>,
}

/// How mail is sent.
#[derive(Clone)]
pub struct MailOut {
    /// Sends the messages.
    pub sender: Arc<dyn Sender>,
    /// The sender address.
    pub from: Address,
}

impl Default for DeliveryConfig {
    fn default() -> Self {
        Self {
            site: "http://127.0.0.1:7070".to_owned(),
            network_policy: NetworkPolicy::default(),
            pages: None,
            timeouts: Timeouts::default(),
            delay: crate::delivery::webhook::retry_delay,
            mail: None,
        }
    }
}

impl std::fmt::Debug for DeliveryConfig {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { site, network_policy, .. } = self;
        let mut shown = formatter.debug_struct("DeliveryConfig");
        shown.field("site", site).field("reach", network_policy).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for MailOut {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("MailOut").field("from", &self.from).finish_non_exhaustive()
    }
}

/// Why a delivery failed.
#[derive(Clone, Debug)]
pub(crate) struct DeliveryFailure {
    pub(crate) reason: String,
    /// Whether another attempt would fail as well.
    pub(crate) is_final: bool,
    /// Whether other deliveries to the same receiver would fail too.
    pub(crate) affects_receiver: bool,
}

impl DeliveryFailure {
    fn permanent(reason: impl Into<String>) -> Self {
        Self { reason: reason.into(), is_final: true, affects_receiver: false }
    }
}

/// The response of the receiver, or why there is none.
type DeliveryResult = Result<String, DeliveryFailure>;

/// The body of a webhook request.
#[derive(Serialize)]
struct WebhookPayload<'a> {
    event: &'static str,
    delivery: DeliveryId,
    #[serde(skip_serializing_if = "Option::is_none")]
    alert: Option<&'a AlertView>,
}

impl Service {
    /// Sends due deliveries until the server stops.
    pub(crate) fn run_deliveries(&self) {
        let active = Mutex::new(HashSet::new());
        let busy = || active.lock().unwrap_or_else(PoisonError::into_inner);
        // Threads start when deliveries are due and end at different times: not a fork-join loop.
        std::thread::scope(|scope| {
            while !self.is_stopping() {
                let generation = self.deliveries.generation();
                let due = self.store.read(|read| deliveries::due_accounts(read, now()));
                let due = due.unwrap_or_else(|error| {
                    tracing::error!(%error, "cannot read due deliveries");
                    Vec::new()
                });
                for (account, channel) in due {
                    if busy().len() >= MAX_THREADS || !busy().insert((account, channel)) {
                        continue;
                    }
                    scope.spawn(move || {
                        if let Err(error) = self.deliver(account, channel) {
                            tracing::error!(%account, %error, "deliveries failed");
                            // Pause before the next attempt.
                            self.deliveries.wait(self.deliveries.generation(), PAUSE);
                        }
                        busy().remove(&(account, channel));
                        self.deliveries.notify();
                    });
                }
                self.deliveries.wait(generation, PAUSE);
            }
        });
    }

    /// Sends the due deliveries of an account and channel.
    fn deliver(&self, account: AccountId, channel: Channel) -> Result<(), Error> {
        let due =
            self.store.read(|read| deliveries::due(read, account, channel, now(), MAX_BATCH))?;
        match channel {
            Channel::Mail => self.deliver_mail(account, due),
            Channel::Webhook | Channel::Inbox => self.deliver_hooks(account, &due),
        }
    }

    fn deliver_hooks(&self, account: AccountId, due: &[DueDelivery]) -> Result<(), Error> {
        let mut failed = HashSet::new();
        for DueDelivery { id, alert, hook, .. } in due {
            if self.is_stopping() {
                return Ok(());
            }
            if hook.is_some_and(|hook| failed.contains(&hook)) {
                continue;
            }
            let found = match *hook {
                Some(hook) => self.store.read(|read| hooks::find(read, account, hook))?,
                None => None,
            };
            let (Some(found), alert) = (found, self.alert_for(account, *alert)?) else {
                self.record_outcome(
                    &[*id],
                    Err(DeliveryFailure::permanent("the webhook was deleted")),
                )?;
                continue;
            };
            let sent =
                match alert {
                    Ok(Some(alert)) => self.send_hook(&found, *id, Some(&alert)),
                    // A test is not repeated.
                    Ok(None) => self.send_hook(&found, *id, None).map_err(|unsent| {
                        DeliveryFailure { is_final: true, affects_receiver: false, ..unsent }
                    }),
                    Err(unsent) => Err(unsent),
                };
            // Do not try every delivery to a receiver that does not answer.
            if sent.as_ref().is_err_and(|unsent| unsent.affects_receiver) {
                failed.insert(found.id);
                let same = |other: &&DueDelivery| other.hook == *hook && other.id >= *id;
                let all: Vec<DeliveryId> = due.iter().filter(same).map(|due| due.id).collect();
                self.record_outcome(&all, sent)?;
            } else {
                self.record_outcome(&[*id], sent)?;
            }
        }
        Ok(())
    }

    /// Returns the alert of a delivery if the account may still see it; `None` for tests.
    fn alert_for(
        &self,
        account: AccountId,
        alert: Option<AlertId>,
    ) -> Result<Result<Option<AlertView>, DeliveryFailure>, Error> {
        let Some(alert) = alert else { return Ok(Ok(None)) };
        let Some(actor) = self.store.read(|read| acting(read, account))? else {
            return Ok(Err(DeliveryFailure::permanent("the account is disabled")));
        };
        match self.alert(&actor, alert) {
            Ok(alert) => Ok(Ok(Some(alert))),
            Err(Error::NotFound(_)) => {
                Ok(Err(DeliveryFailure::permanent("the account no longer has access to the text")))
            }
            Err(error) => Err(error),
        }
    }

    /// Sends an alert, or a test, to a webhook.
    fn send_hook(
        &self,
        hook: &HookRow,
        id: DeliveryId,
        alert: Option<&AlertView>,
    ) -> DeliveryResult {
        let target = self
            .target(&hook.url)
            .map_err(|error| DeliveryFailure::permanent(error.to_string()))?;
        let event = if alert.is_some() { "alert" } else { "test" };
        let body = serde_json::to_vec(&WebhookPayload { event, delivery: id, alert })
            .map_err(|error| DeliveryFailure::permanent(error.to_string()))?;
        let delivery = Delivery { id: id.to_string(), event: event.to_owned(), body };
        let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let webhook_client = self.webhook_client()?;
        let secret = self.secret_key().and_then(|key| key.open(&hook.sealed_secret, hook.account));
        // Not final: the administrator may put the key back.
        let secret = secret.map_err(|error| DeliveryFailure {
            reason: error.to_string(),
            is_final: false,
            affects_receiver: true,
        })?;
        match webhook_client.deliver(&target, &Secret::new(secret), &delivery, time) {
            Ok(response) => {
                let text = format!("{} {}", response.status, response.text).trim().to_owned();
                match response.is_delivered() {
                    true => Ok(text),
                    false => Err(DeliveryFailure {
                        reason: text,
                        is_final: response.is_final(),
                        affects_receiver: false,
                    }),
                }
            }
            Err(failure) => Err(DeliveryFailure {
                reason: failure.to_string(),
                is_final: failure.is_final(),
                affects_receiver: true,
            }),
        }
    }

    /// Returns the webhook client, which is created when it is first needed.
    fn webhook_client(&self) -> Result<WebhookClient, DeliveryFailure> {
        let mut webhook_client = self.webhook_client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(webhook_client) = &*webhook_client {
            return Ok(webhook_client.clone());
        }
        let DeliveryConfig { network_policy, timeouts, .. } = &self.delivery_config;
        let created =
            WebhookClient::new(network_policy.clone(), *timeouts, &[]).map_err(|failure| {
                DeliveryFailure {
                    reason: failure.to_string(),
                    is_final: false,
                    affects_receiver: true,
                }
            })?;
        *webhook_client = Some(created.clone());
        Ok(created)
    }

    fn deliver_mail(&self, account: AccountId, due: Vec<DueDelivery>) -> Result<(), Error> {
        let all: Vec<DeliveryId> = due.iter().map(|due| due.id).collect();
        let Some(to) = self.mail_of(account)? else {
            let none = "the account has no valid mail address";
            return self.record_outcome(&all, Err(DeliveryFailure::permanent(none)));
        };
        let mut notices = Vec::with_capacity(due.len());
        for due in due {
            match self.alert_for(account, due.alert)? {
                Ok(Some(alert)) => notices.push((due, self.notice(&alert))),
                Ok(None) => {
                    self.record_outcome(
                        &[due.id],
                        Err(DeliveryFailure::permanent("the delivery has no alert")),
                    )?;
                }
                Err(unsent) => self.record_outcome(&[due.id], Err(unsent))?,
            }
        }
        let n_single = notices.iter().filter(|(due, _)| !due.in_digest).count();
        let (together, single): (Vec<_>, Vec<_>) =
            notices.into_iter().partition(|(due, _)| due.in_digest || n_single > MAX_SINGLE);
        let rules = format!("{}/alerts/rules", self.delivery_config.site);
        for (due, alert) in single {
            let message = notice::alert(&to, &alert, &format!("delivery{}", due.id), &rules);
            let sent = self.send_mail(&message);
            self.record_outcome(&[due.id], sent)?;
        }
        let ids: Vec<DeliveryId> = together.iter().map(|(due, _)| due.id).collect();
        let alerts: Vec<_> = together.into_iter().map(|(_, alert)| alert).collect();
        if let (Some(first), Some(last)) = (ids.iter().min(), ids.iter().max()) {
            let inbox = format!("{}/alerts", self.delivery_config.site);
            let identity = format!("digest{first}to{last}");
            if let Some(message) = notice::digest(&to, &alerts, &identity, &inbox, &rules) {
                let sent = self.send_mail(&message);
                self.record_outcome(&ids, sent)?;
            }
        }
        Ok(())
    }

    /// Returns the mail address of an account, if it has one.
    fn mail_of(&self, account: AccountId) -> Result<Option<Address>, Error> {
        let row = self.store.read(|read| accounts::by_id(read, account))?;
        let mail = row.and_then(|row| row.mail);
        Ok(mail.and_then(|mail| mail.parse().ok()))
    }

    /// Returns an alert in the form that mail needs.
    fn notice(&self, alert: &AlertView) -> notice::Alert {
        let AlertView { registered, found, .. } = alert;
        let label = |side: &crate::service::AlertSide| DocumentLabel {
            title: side.title.clone(),
            repository: side.repository.clone(),
            id: side.id.clone(),
        };
        let share = |side: &crate::service::AlertSide| WordShare {
            shared_words: side.shared_words,
            words: side.words,
        };
        let DateTime { year, month, day, hour, minute, .. } = DateTime::at(alert.created_ms / 1000);
        let found_at = || format!("found {year:04}-{month:02}-{day:02} {hour:02}:{minute:02} UTC");
        let name = |side: &crate::service::AlertSide| -> String {
            let name = format!("{}/{}", side.repository, side.id);
            url::form_urlencoded::byte_serialize(name.as_bytes()).collect()
        };
        notice::Alert {
            level: alert.level,
            watched: label(registered),
            found: label(found),
            watched_in_found: share(registered),
            found_in_watched: share(found),
            is_bounded: alert.is_bounded,
            time: found.time.clone().unwrap_or_else(found_at),
            link: format!(
                "{}/compare?a={}&b={}",
                self.delivery_config.site,
                name(registered),
                name(found)
            ),
        }
    }

    /// Sends a message.
    pub(crate) fn send_mail(&self, message: &OutgoingMessage) -> DeliveryResult {
        let Some(MailOut { sender, from }) = &self.delivery_config.mail else {
            return Err(DeliveryFailure {
                reason: "outgoing mail is not set up on this server; start it with --smtp-relay"
                    .to_owned(),
                is_final: false,
                affects_receiver: true,
            });
        };
        let bytes = message.to_bytes(from, SystemTime::now());
        let bytes = bytes.map_err(|error| DeliveryFailure::permanent(error.to_string()))?;
        match sender.send(&message.to, &bytes) {
            Ok(()) => Ok("sent".to_owned()),
            Err(failure) => Err(DeliveryFailure {
                reason: failure.reason,
                is_final: failure.is_permanent,
                affects_receiver: true,
            }),
        }
    }

    /// Stores the outcome of deliveries, and when the next attempt is due.
    fn record_outcome(&self, ids: &[DeliveryId], sent: DeliveryResult) -> Result<(), Error> {
        let (ids, delay) = (ids.to_vec(), self.delivery_config.delay);
        self.store.write(move |write| {
            let now = now();
            for id in ids {
                // The delivery is deleted together with its alert.
                let Some(attempts) = deliveries::attempts(write, id)? else { continue };
                let attempts = attempts.saturating_add(1);
                let (state, next, answer) = match &sent {
                    Ok(response) => (DeliveryState::Done, now, response),
                    Err(unsent) => match delay(attempts, id.get().unsigned_abs()) {
                        Some(wait) if !unsent.is_final => {
                            let wait = wait.as_millis().div_ceil(1000);
                            let next = now.saturating_add(i64::try_from(wait).unwrap_or(i64::MAX));
                            (DeliveryState::Waiting, next, &unsent.reason)
                        }
                        _ => (DeliveryState::Failed, now, &unsent.reason),
                    },
                };
                let answer: String = answer.chars().take(1000).collect();
                let finished = (state != DeliveryState::Waiting).then_some(now);
                let attempt = Attempt { state, attempts, next, answer: &answer, finished };
                deliveries::record(write, id, &attempt)?;
                match state {
                    DeliveryState::Done => tracing::debug!(delivery = %id, "delivered"),
                    DeliveryState::Waiting | DeliveryState::Failed => {
                        let state = state.name();
                        tracing::info!(delivery = %id, attempts, state, "not delivered");
                    }
                }
            }
            Ok(())
        })
    }
}
