//! `GET /settings/keys` and `GET /settings/webhooks`.

use super::Choice;

/// API keys. The form posts `name`, `scope` (repeated), `repository` (empty for all), `expires`
/// (a day), `addresses` (ranges, separated by spaces) to `/settings/keys`; rows post to
/// `/settings/keys/{id}/revoke`.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// Keys that there are.
    pub rows: Vec<KeyRow>,
    /// The key that was just made: it is shown once.
    pub new: Option<NewKey>,
    /// The form for a new one.
    pub form: KeyForm,
}

/// A key that was just made.
#[derive(Clone, Debug, Default)]
pub struct NewKey {
    /// Its name.
    pub name: String,
    /// The key itself.
    pub secret: String,
}

/// A key.
#[derive(Clone, Debug, Default)]
pub struct KeyRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How it begins, so that it can be told from others.
    pub prefix: String,
    /// `probe`, `register`, `read`, `admin`.
    pub scopes: Vec<String>,
    /// The only repository it may use.
    pub repository: Option<String>,
    /// When it was made.
    pub made: String,
    /// When it ends.
    pub expires: Option<String>,
    /// Where it may be used from.
    pub addresses: Option<String>,
    /// When it was used last.
    pub last_used: Option<String>,
    /// Whether it was revoked or has ended.
    pub is_over: bool,
}

/// The form for a key.
#[derive(Clone, Debug, Default)]
pub struct KeyForm {
    /// What was entered before.
    pub name: String,
    /// Scopes that this person may give.
    pub scopes: Vec<Choice>,
    /// Repositories that this person can see.
    pub repositories: Vec<Choice>,
    /// What was entered before.
    pub expires: String,
    /// What was entered before.
    pub addresses: String,
    /// Why it failed before.
    pub problem: Option<String>,
}

/// Webhooks. The form posts `action=add`, `name`, `url`, `secret` (empty: the server makes one);
/// rows post to `/settings/webhooks/{id}/test`, `/settings/webhooks/{id}/resend` (`delivery`) and
/// `/settings/webhooks` with `action=remove`, `webhook`.
#[derive(Clone, Debug, Default)]
pub struct Webhooks {
    /// Webhooks that there are.
    pub rows: Vec<WebhookRow>,
    /// The secret of the one that was just made: it is shown once.
    pub new: Option<NewKey>,
    /// What was sent, newest first.
    pub deliveries: Vec<Delivery>,
    /// What was entered before.
    pub name: String,
    /// What was entered before.
    pub url: String,
    /// Why it failed before.
    pub problem: Option<String>,
}

/// A webhook.
#[derive(Clone, Debug, Default)]
pub struct WebhookRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Where it is sent to.
    pub url: String,
    /// When it was last taken.
    pub last_done: Option<String>,
    /// What is wrong with it now.
    pub problem: Option<String>,
}

/// One message of a webhook.
#[derive(Clone, Debug, Default)]
pub struct Delivery {
    /// Its id.
    pub id: String,
    /// The id of its webhook.
    pub webhook: String,
    /// The name of its webhook.
    pub name: String,
    /// What it was about: `alert`, `test`.
    pub event: String,
    /// When it was sent last.
    pub time: String,
    /// What became of it.
    pub state: DeliveryState,
    /// What was answered, or why it failed: `200`, `timed out`.
    pub answer: String,
    /// How often it was tried.
    pub tries: u32,
}

/// What became of a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum DeliveryState {
    #[default]
    Waiting,
    Done,
    Failed,
}

impl DeliveryState {
    /// What is shown.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "taken",
            Self::Failed => "failed",
        }
    }
}
