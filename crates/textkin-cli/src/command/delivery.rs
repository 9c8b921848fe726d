//! Delivery of alerts by `textkin serve`: converts arguments and environment variables to server settings.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use textkin_mail::{Address, Encryption, Relay, RelayServer};
use textkin_server::webhook::NetworkPolicy;
use textkin_server::{DeliveryConfig, MailOut};

use crate::arguments::{DeliveryArguments, SmtpEncryption};

/// How long the SMTP server may take for each response.
const TIMEOUT: Duration = Duration::from_secs(30);

/// Returns the delivery settings. `site` and `from` are the default URL of the server and sender of its mail.
pub(crate) fn settings(
    arguments: &DeliveryArguments,
    site: String,
    from: Option<Address>,
) -> anyhow::Result<DeliveryConfig> {
    let DeliveryArguments { public_url, webhook_allow, webhook_http, smtp_relay, .. } = arguments;
    let mail = match smtp_relay {
        Some((host, port)) => {
            let Some(from) = arguments.smtp_from.clone().or(from) else {
                bail!("--smtp-relay requires --smtp-from ADDRESS, the sender of the mail");
            };
            let server = RelayServer {
                host: host.clone(),
                port: *port,
                encryption: match arguments.smtp_encryption {
                    SmtpEncryption::None => Encryption::None,
                    SmtpEncryption::Starttls => Encryption::StartTls,
                    SmtpEncryption::Tls => Encryption::Tls,
                },
                // Not on the command line, which other users of the machine can see.
                user: secret("TEXTKIN_SMTP_USER"),
                password: secret("TEXTKIN_SMTP_PASSWORD"),
                timeout: TIMEOUT,
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
        network_policy: NetworkPolicy {
            allowed_networks: webhook_allow.clone(),
            allow_http: *webhook_http,
        },
        mail,
        ..DeliveryConfig::default()
    })
}

fn secret(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}
