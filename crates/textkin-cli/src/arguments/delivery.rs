//! Arguments of `textkin serve` about the delivery of alerts.

use clap::Args;
use textkin_mail::Address;
use textkin_server::webhook::Network;

/// Delivery of alerts.
#[derive(Debug, Args)]
#[command(next_help_heading = "Alerts")]
pub(crate) struct DeliveryArguments {
    /// Public URL of the server, for links in mail [default: http://ADDRESS]
    #[arg(long, value_name = "URL", value_parser = site)]
    pub(crate) public_url: Option<String>,
    /// Allow webhooks to this private network, for example 10.1.0.0/16; can be repeated
    #[arg(long, value_name = "CIDR", hide_short_help = true)]
    pub(crate) webhook_allow: Vec<Network>,
    /// Allow unencrypted webhooks
    #[arg(long, hide_short_help = true)]
    pub(crate) webhook_http: bool,
    /// SMTP server for outgoing mail; set TEXTKIN_SMTP_USER and TEXTKIN_SMTP_PASSWORD if it requires a login
    #[arg(long, value_name = "HOST:PORT", value_parser = relay)]
    pub(crate) smtp_relay: Option<(String, u16)>,
    /// Sender address of outgoing mail
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) smtp_from: Option<Address>,
    /// Encryption of the connection to the SMTP server
    #[arg(long, value_enum, default_value_t = SmtpEncryption::Starttls, value_name = "METHOD", hide_short_help = true)]
    pub(crate) smtp_encryption: SmtpEncryption,
}

/// Encryption of the connection to an SMTP server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SmtpEncryption {
    /// No encryption, for a server on the same machine
    None,
    /// Required STARTTLS (port 587)
    Starttls,
    /// TLS from the start (port 465)
    Tls,
}

fn site(text: &str) -> Result<String, String> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    if !is_web || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("expected a URL such as https://textkin.example.org".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

fn relay(text: &str) -> Result<(String, u16), String> {
    let error = || "expected a host and a port such as mail.example.org:587".to_owned();
    let (host, port) = text.rsplit_once(':').ok_or_else(error)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match (host.is_empty(), port.parse()) {
        (false, Ok(port)) => Ok((host.to_owned(), port)),
        _ => Err(error()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relays_and_sites_are_parsed() {
        assert_eq!(relay("mail.example:25"), Ok(("mail.example".to_owned(), 25)));
        assert_eq!(relay("[::1]:25"), Ok(("::1".to_owned(), 25)));
        assert!(relay("mail.example").is_err() && relay(":25").is_err() && relay("a:b").is_err());
        assert_eq!(site("https://kin.example/"), Ok("https://kin.example".to_owned()));
        assert!(site("kin.example").is_err() && site("https://a b").is_err());
    }
}
