//! Detects mail that must not be answered: from programs, lists, bounces and textkin itself.
//!
//! In: envelope sender and header. Out: the kind of [`AutomatedSender`], if it is one. Follows
//! RFC 3834 and the headers of programs that do not. Replying to such mail could start an endless
//! loop.

use std::fmt;

use textkin_extract::mime::Entity;

use crate::Address;

/// The header field that marks every message we send.
pub(crate) const LOOP_FIELD: &str = "X-Textkin-Loop";

/// Kinds of automated senders; their messages must not be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AutomatedSender {
    /// The envelope has no sender: a bounce.
    NoSender,
    /// The sender is a mail system or a no-reply address.
    Daemon,
    /// The header has `Auto-Submitted`.
    AutoSubmitted,
    /// Bulk mail.
    Bulk,
    /// It came from a mailing list.
    List,
    /// The sender asks for no automatic replies.
    NoReplyRequested,
    /// A delivery report.
    Report,
    /// It was sent by textkin.
    Ourselves,
    /// It passed through too many mail systems.
    MailLoop,
}

impl AutomatedSender {
    /// Returns the kind of automated sender, if it is one. More than `max_hops` fields `Received` are
    /// a mail loop.
    pub(crate) fn detect(
        sender: Option<&Address>,
        message: &Entity<'_>,
        max_hops: usize,
    ) -> Option<Self> {
        let Some(sender) = sender else { return Some(Self::NoSender) };
        let value = |name: &str| message.field(name).map(|value| value.trim().to_ascii_lowercase());
        let first = |name: &str| {
            let value = value(name)?;
            Some(value.split([';', ' ', '(']).next().unwrap_or_default().to_owned())
        };
        let has = |name: &str| message.field(name).is_some();
        if has("x-textkin-loop") {
            return Some(Self::Ourselves);
        }
        if value("return-path").is_some_and(|path| path == "<>") {
            return Some(Self::NoSender);
        }
        if is_daemon(sender.local()) {
            return Some(Self::Daemon);
        }
        if first("auto-submitted").is_some_and(|value| value != "no") {
            return Some(Self::AutoSubmitted);
        }
        let precedence = first("precedence").unwrap_or_default();
        if matches!(precedence.as_str(), "bulk" | "list" | "junk" | "auto_reply") {
            return Some(Self::Bulk);
        }
        if message.field_names().any(|name| name.starts_with("list-")) {
            return Some(Self::List);
        }
        let suppressed = value("x-auto-response-suppress").is_some_and(|value| value != "none");
        if suppressed || has("x-autoreply") || has("x-autorespond") || has("x-autoresponder") {
            return Some(Self::NoReplyRequested);
        }
        if message.media_type() == "multipart/report" {
            return Some(Self::Report);
        }
        (message.fields_named("received").count() > max_hops).then_some(Self::MailLoop)
    }
}

/// Whether a local part belongs to a mail system, a list or a no-reply address.
fn is_daemon(local: &str) -> bool {
    let local = local.to_ascii_lowercase();
    let plain: String = local.chars().filter(char::is_ascii_alphanumeric).collect();
    let names = [
        "mailerdaemon",
        "postmaster",
        "noreply",
        "donotreply",
        "bounce",
        "bounces",
        "listserv",
        "majordomo",
        "nobody",
    ];
    names.contains(&plain.as_str())
        || local.starts_with("owner-")
        || local.starts_with("bounce+")
        || local.starts_with("bounces+")
        || local.ends_with("-bounces")
        || local.ends_with("-request")
}

impl fmt::Display for AutomatedSender {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NoSender => "the message has no sender (bounce)",
            Self::Daemon => "the sender is a mail system or no-reply address",
            Self::AutoSubmitted => "the message was sent automatically",
            Self::Bulk => "bulk mail",
            Self::List => "mailing list",
            Self::NoReplyRequested => "the sender asks for no automatic replies",
            Self::Report => "delivery report",
            Self::Ourselves => "sent by textkin itself",
            Self::MailLoop => "mail loop",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn detect(sender: &str, header: &str) -> Option<AutomatedSender> {
        let text = format!("{header}\r\n\r\nbody");
        AutomatedSender::detect(sender.parse().ok().as_ref(), &Entity::read(text.as_bytes()), 3)
    }

    #[test]
    fn automated_senders_are_detected() {
        let ann = "ann@a.example";
        assert_eq!(detect(ann, "Subject: PROBE"), None);
        assert_eq!(detect(ann, "Auto-Submitted: no"), None);
        assert_eq!(detect(ann, "Auto-Submitted: no (really)"), None);
        assert_eq!(detect(ann, "Precedence: first-class"), None);
        assert_eq!(detect(ann, "X-Auto-Response-Suppress: None"), None);
        assert_eq!(detect("", "Subject: PROBE"), Some(AutomatedSender::NoSender));
        assert_eq!(detect(ann, "Return-Path: <>"), Some(AutomatedSender::NoSender));
        assert_eq!(
            detect(ann, "AUTO-SUBMITTED: Auto-Replied; x=y"),
            Some(AutomatedSender::AutoSubmitted)
        );
        assert_eq!(detect(ann, "Precedence: Bulk"), Some(AutomatedSender::Bulk));
        assert_eq!(detect(ann, "List-Id: <x>"), Some(AutomatedSender::List));
        assert_eq!(
            detect(ann, "X-Auto-Response-Suppress: All"),
            Some(AutomatedSender::NoReplyRequested)
        );
        assert_eq!(detect(ann, "X-Textkin-Loop: kin.example"), Some(AutomatedSender::Ourselves));
        assert_eq!(
            detect(ann, "Content-Type: multipart/report; boundary=b"),
            Some(AutomatedSender::Report)
        );
        assert_eq!(detect(ann, "Received: a\nReceived: b\nReceived: c"), None);
        assert_eq!(
            detect(ann, "Received: a\nReceived: b\nReceived: c\nReceived: d"),
            Some(AutomatedSender::MailLoop)
        );
        for local in [
            "MAILER-DAEMON",
            "no-reply",
            "noreply",
            "Do_Not_Reply",
            "postmaster",
            "x-bounces",
            "owner-x",
        ] {
            assert_eq!(
                detect(&format!("{local}@a.example"), "Subject: x"),
                Some(AutomatedSender::Daemon),
                "{local}"
            );
        }
        assert_eq!(detect("bouncer@a.example", ""), None);
    }
}
