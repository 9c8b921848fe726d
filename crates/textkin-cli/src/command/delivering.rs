//! How `textkin serve` delivers alerts: arguments and environment to settings of the server.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use textkin_hook::Reach;
use textkin_mail::{Address, Encryption, Relay, Server};
use textkin_server::{DeliveryConfig, MailOut};

use crate::arguments::{DeliveringArguments, SmtpEncryption};

/// How long the mail system may take for each answer.
const PATIENCE: Duration = Duration::from_secs(30);

/// Settings of deliveries; `site` is where the server is found, `from` who its mail is from, where
/// nothing else is said.
pub(crate) fn delivering(
    arguments: &DeliveringArguments,
    site: String,
    from: Option<Address>,
) -> anyhow::Result<DeliveryConfig> {
    let DeliveringArguments { public_url, webhook_allow, webhook_http, smtp_relay, .. } = arguments;
    let mail = match smtp_relay {
        Some((host, port)) => {
            let Some(from) = arguments.smtp_from.clone().or(from) else {
                bail!("--smtp-relay needs --smtp-from ADDRESS: who the mail is from");
            };
            let server = Server {
                host: host.clone(),
                port: *port,
                encryption: match arguments.smtp_encryption {
                    SmtpEncryption::None => Encryption::None,
                    SmtpEncryption::Starttls => Encryption::StartTls,
                    SmtpEncryption::Tls => Encryption::Tls,
                },
                // Not on the command line, which others on the machine can see.
                user: secret("TEXTKIN_SMTP_USER"),
                password: secret("TEXTKIN_SMTP_PASSWORD"),
                timeout: PATIENCE,
                extra_roots: Vec::new(),
            };
            let relay = Relay::new(&server, from.host(), None);
            let sender = Arc::new(relay.context("--smtp-relay cannot be used")?);
            Some(MailOut { sender, from })
        }
        None => None,
    };
    Ok(DeliveryConfig {
        site: public_url.clone().unwrap_or(site),
        reach: Reach { allowed: webhook_allow.clone(), allow_http: *webhook_http },
        mail,
        ..DeliveryConfig::default()
    })
}

fn secret(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
