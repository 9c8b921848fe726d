//! Views of `GET /settings/keys` and `GET /settings/webhooks`.

use super::Choice;

/// API keys. The form posts `name`, `scope` (repeated), `repository` (empty for all), `expires`
/// (a day), `addresses` (ranges, separated by spaces) to `/settings/keys`; rows post to
/// `/settings/keys/{id}/revoke`.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    /// The existing keys.
    pub rows: Vec<KeyRow>,
    /// The key that was just created: it is shown once.
    pub new: Option<NewSecret>,
    /// The form for a new key.
    pub form: KeyForm,
}

/// A key or webhook secret that was just created.
#[derive(Clone, Debug, Default)]
pub struct NewSecret {
    /// The name of the key or webhook.
    pub name: String,
    /// The secret itself.
    pub secret: String,
}

/// An API key.
#[derive(Clone, Debug, Default)]
pub struct KeyRow {
    /// The key ID.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its first characters.
    pub prefix: String,
    /// `probe`, `register`, `read`, `admin`.
    pub scopes: Vec<String>,
    /// The only repository it may access; `None` for all.
    pub repository: Option<String>,
    /// When it was created.
    pub created: String,
    /// When it expires.
    pub expires: Option<String>,
    /// The addresses it may be used from.
    pub addresses: Option<String>,
    /// When it was last used.
    pub last_used: Option<String>,
    /// Whether it was revoked or has expired.
    pub is_inactive: bool,
}

/// The form for a key.
#[derive(Clone, Debug, Default)]
pub struct KeyForm {
    /// The name, as entered before.
    pub name: String,
    /// The scopes that this user may grant.
    pub scopes: Vec<Choice>,
    /// The repositories that this user can see.
    pub repositories: Vec<Choice>,
    /// The expiry date, as entered before.
    pub expires: String,
    /// The address ranges, as entered before.
    pub addresses: String,
    /// Why the last attempt failed.
    pub problem: Option<String>,
}

/// Webhooks. The form posts `action=add`, `name`, `url`, `secret` (empty: the server generates
/// one); rows post to `/settings/webhooks/{id}/test`, `/settings/webhooks/{id}/resend`
/// (`delivery`) and `/settings/webhooks` with `action=remove`, `webhook`.
#[derive(Clone, Debug, Default)]
pub struct Webhooks {
    /// The existing webhooks.
    pub rows: Vec<WebhookRow>,
    /// The secret of the webhook that was just created: it is shown once.
    pub new: Option<NewSecret>,
    /// The latest deliveries, newest first.
    pub deliveries: Vec<DeliveryRow>,
    /// The name, as entered before.
    pub name: String,
    /// The URL, as entered before.
    pub url: String,
    /// Why the last attempt failed.
    pub problem: Option<String>,
}

/// A webhook.
#[derive(Clone, Debug, Default)]
pub struct WebhookRow {
    /// The webhook ID.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The URL that receives deliveries.
    pub url: String,
    /// When a delivery last succeeded.
    pub last_delivered: Option<String>,
    /// The current problem, if any.
    pub problem: Option<String>,
}

/// One delivery to a webhook.
#[derive(Clone, Debug, Default)]
pub struct DeliveryRow {
    /// The delivery ID.
    pub id: String,
    /// The ID of its webhook.
    pub webhook: String,
    /// The name of its webhook.
    pub name: String,
    /// What was sent: `alert 7`, `test`.
    pub event: String,
    /// When it was created.
    pub time: String,
    /// Its state.
    pub state: DeliveryState,
    /// The response, or why it failed: `200`, `timed out`.
    pub response: String,
    /// The number of attempts.
    pub attempts: u32,
}

/// The state of a delivery.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are self-explanatory")]
pub enum DeliveryState {
    #[default]
    Waiting,
    Done,
    Failed,
}

impl DeliveryState {
    /// Returns the text shown on pages.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Done => "delivered",
            Self::Failed => "failed",
        }
    }
}
