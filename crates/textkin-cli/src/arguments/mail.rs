//! Arguments of `textkin mail`, and those of `textkin serve` about incoming mail.

use std::net::SocketAddr;

use clap::Args;
use textkin_mail::Destination;

use textkin::engine::parse_size;

/// Deliver a message from standard input to a running server
///
/// For mail systems that start a program for each message, such as the pipe service of Postfix.
///
/// Exit code: 0 if the server accepted the message, 75 to retry later, 65 if it was rejected, 64 if the
/// arguments are wrong.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  textkin mail --lmtp unix:/run/textkin.sock essays@example.org < message.eml")]
pub(crate) struct Mail {
    /// LMTP address of the server, for example 127.0.0.1:2424 or unix:PATH
    #[arg(long, value_name = "DEST", value_parser = destination)]
    pub(crate) lmtp: Destination,
    /// Envelope sender; empty or <> for none
    #[arg(long, value_name = "ADDRESS", default_value = "")]
    pub(crate) sender: String,
    /// Maximum size of the message
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = parse_size)]
    pub(crate) max_message: u64,
    /// Envelope recipients
    #[arg(value_name = "RECIPIENT", required = true)]
    pub(crate) recipients: Vec<String>,
}

/// Incoming mail.
#[derive(Debug, Args)]
#[command(next_help_heading = "Incoming mail")]
pub(crate) struct MailArguments {
    /// Accept mail over SMTP at this address; needs --mail-host and --smtp-relay
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "mail_host",
        requires = "smtp_relay",
        hide_short_help = true
    )]
    pub(crate) smtp_listen: Option<SocketAddr>,
    /// Accept mail over LMTP at this address or at unix:PATH; needs --mail-host and --smtp-relay
    #[arg(
        long,
        value_name = "DEST",
        value_parser = destination,
        requires = "mail_host",
        requires = "smtp_relay",
        hide_short_help = true
    )]
    pub(crate) lmtp_listen: Option<Destination>,
    /// Host name to accept mail for; can be repeated, the first is the name of this server
    #[arg(long, value_name = "HOST", hide_short_help = true)]
    pub(crate) mail_host: Vec<String>,
    /// Accept only mail whose sender was verified by the mail system of this name (Authentication-Results)
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub(crate) mail_authority: Option<String>,
    /// Accept and discard mail from unknown senders instead of rejecting it
    #[arg(long, hide_short_help = true)]
    pub(crate) mail_discard_unknown: bool,
}

fn destination(text: &str) -> Result<Destination, String> {
    if let Some(path) = text.strip_prefix("unix:") {
        return match path.is_empty() {
            true => Err("expected a path after unix:".to_owned()),
            false => Ok(Destination::Unix(path.into())),
        };
    }
    let address = text.parse().map(Destination::Tcp);
    address.map_err(|_| "expected an address such as 127.0.0.1:2424, or unix:PATH".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn destinations_are_parsed() {
        assert_eq!(destination("unix:/run/x"), Ok(Destination::Unix("/run/x".into())));
        assert!(matches!(destination("127.0.0.1:2424"), Ok(Destination::Tcp(_))));
        assert!(destination("unix:").is_err() && destination("localhost").is_err());
    }
}
