//! Arguments of `textkin mail`, and those of `textkin serve` about mail that comes in.

use std::net::SocketAddr;

use clap::Args;
use textkin_mail::Destination;

use textkin::parse_size;

/// Hand a message from standard input to a running server
///
/// For mail systems that start a program for each message, such as Postfix by its pipe. Exits with 0
/// when the server keeps the message, 75 when it is to be tried again, 65 when it is refused, 64 when
/// the arguments are wrong.
#[derive(Debug, Args)]
pub(crate) struct Mail {
    /// Where the server speaks LMTP: an address such as 127.0.0.1:2424, or unix:PATH
    #[arg(long, value_name = "DEST", value_parser = destination)]
    pub(crate) lmtp: Destination,
    /// Sender of the envelope; empty or <> for mail of nobody
    #[arg(long, value_name = "ADDRESS", default_value = "")]
    pub(crate) sender: String,
    /// Most bytes of the message
    #[arg(long, value_name = "SIZE", default_value = "32MiB", value_parser = parse_size)]
    pub(crate) max_message: u64,
    /// Recipients of the envelope
    #[arg(value_name = "RECIPIENT", required = true)]
    pub(crate) recipients: Vec<String>,
}

/// How mail comes in.
#[derive(Debug, Args)]
#[command(next_help_heading = "Mail that comes in")]
pub(crate) struct MailArguments {
    /// Take mail by SMTP at this address; needs --mail-host and --smtp-relay
    #[arg(long, value_name = "ADDRESS", requires = "mail_host", requires = "smtp_relay")]
    pub(crate) smtp_listen: Option<SocketAddr>,
    /// Take mail by LMTP at this address or at unix:PATH; needs --mail-host and --smtp-relay
    #[arg(
        long,
        value_name = "DEST",
        value_parser = destination,
        requires = "mail_host",
        requires = "smtp_relay"
    )]
    pub(crate) lmtp_listen: Option<Destination>,
    /// Host that mail is taken for; may be given several times, the first is the server's own
    #[arg(long, value_name = "HOST")]
    pub(crate) mail_host: Vec<String>,
    /// Take only mail whose sender the mail system in front vouches for, under this name
    #[arg(long, value_name = "NAME")]
    pub(crate) mail_authority: Option<String>,
    /// Take mail of unknown senders and throw it away, instead of refusing it
    #[arg(long)]
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
    fn destinations_are_read() {
        assert_eq!(destination("unix:/run/x"), Ok(Destination::Unix("/run/x".into())));
        assert!(matches!(destination("127.0.0.1:2424"), Ok(Destination::Tcp(_))));
        assert!(destination("unix:").is_err() && destination("localhost").is_err());
    }
}
