//! Arguments of `textkin serve` that say how alerts leave the server.

use clap::Args;
use textkin_hook::Network;
use textkin_mail::Address;

/// How alerts leave the server.
#[derive(Debug, Args)]
#[command(next_help_heading = "Alerts")]
pub(crate) struct DeliveringArguments {
    /// Address under which people reach the server, for links in mail [default: http://ADDRESS]
    #[arg(long, value_name = "URL", value_parser = site)]
    pub(crate) public_url: Option<String>,
    /// Network that webhooks may lead into although it is not public, such as 10.1.0.0/16
    #[arg(long, value_name = "CIDR")]
    pub(crate) webhook_allow: Vec<Network>,
    /// Let webhooks go unencrypted
    #[arg(long)]
    pub(crate) webhook_http: bool,
    /// Mail system that takes the server's mail; TEXTKIN_SMTP_USER and TEXTKIN_SMTP_PASSWORD are
    /// the name and the password for it, if it wants them
    #[arg(long, value_name = "HOST:PORT", value_parser = relay)]
    pub(crate) smtp_relay: Option<(String, u16)>,
    /// Address that the server's mail comes from
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) smtp_from: Option<Address>,
    /// How the way to the mail system is encrypted
    #[arg(long, value_enum, default_value_t = SmtpEncryption::Starttls)]
    pub(crate) smtp_encryption: SmtpEncryption,
}

/// How the way to a mail system is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum SmtpEncryption {
    /// Not at all: for one on the same machine
    None,
    /// After STARTTLS, or nothing is sent (port 587)
    Starttls,
    /// From the start (port 465)
    Tls,
}

fn site(text: &str) -> Result<String, String> {
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    if !is_web || text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return Err("expected an address such as https://textkin.example.org".to_owned());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

fn relay(text: &str) -> Result<(String, u16), String> {
    let wrong = || "expected a host and a port such as mail.example.org:587".to_owned();
    let (host, port) = text.rsplit_once(':').ok_or_else(wrong)?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    match (host.is_empty(), port.parse()) {
        (false, Ok(port)) => Ok((host.to_owned(), port)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relays_and_sites_are_read() {
        assert_eq!(relay("mail.example:25"), Ok(("mail.example".to_owned(), 25)));
        assert_eq!(relay("[::1]:25"), Ok(("::1".to_owned(), 25)));
        assert!(relay("mail.example").is_err() && relay(":25").is_err() && relay("a:b").is_err());
        assert_eq!(site("https://kin.example/"), Ok("https://kin.example".to_owned()));
        assert!(site("kin.example").is_err() && site("https://a b").is_err());
    }
}
