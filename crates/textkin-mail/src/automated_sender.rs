//! Mail that must not be answered: of robots, lists, bounces and of ourselves.
//!
//! In: the sender of the envelope and the header. Out: the [`AutomatedSender`] it comes from, if it does.
//! Follows RFC 3834, and what programs write that do not know it. An answer to such mail may be
//! answered in turn, without end.

use std::fmt;

use textkin_extract::mime::Entity;

use crate::Address;

/// The header field that marks everything we send.
pub(crate) const LOOP_FIELD: &str = "X-Textkin-Loop";

/// Why a message must not be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AutomatedSender {
    /// The envelope has no sender: a bounce.
    NoSender,
    /// The sender is the address of a mail system or of nobody.
    Daemon,
    /// `Auto-Submitted` says that no person sent it.
    AutoSubmitted,
    /// It went to many.
    Bulk,
    /// It came by a mailing list.
    List,
    /// The sender wants no automatic answer.
    NoAnswerWanted,
    /// It reports on the delivery of another message.
    Report,
    /// It was sent by us.
    Ourselves,
    /// It went through more mail systems than mail does.
    ManyHops,
}

impl AutomatedSender {
    /// The robot that a message comes from; more than `max_hops` fields `Received` are a circle.
    pub(crate) fn of(
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
            return Some(Self::NoAnswerWanted);
        }
        if message.media_type() == "multipart/report" {
            return Some(Self::Report);
        }
        (message.fields_named("received").count() > max_hops).then_some(Self::ManyHops)
    }
}

/// Whether a local part belongs to a mail system, a list or nobody.
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
            Self::NoSender => "the envelope has no sender",
            Self::Daemon => "the sender is a mail system or nobody",
            Self::AutoSubmitted => "it was sent automatically",
            Self::Bulk => "it went to many",
            Self::List => "it came by a mailing list",
            Self::NoAnswerWanted => "the sender wants no automatic answer",
            Self::Report => "it reports on another message",
            Self::Ourselves => "it was sent by this service",
            Self::ManyHops => "it went in a circle",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(sender: &str, header: &str) -> Option<AutomatedSender> {
        let text = format!("{header}\r\n\r\nbody");
        AutomatedSender::of(sender.parse().ok().as_ref(), &Entity::read(text.as_bytes()), 3)
    }

    #[test]
    fn robots_are_known() {
        let ann = "ann@a.example";
        assert_eq!(of(ann, "Subject: PROBE"), None);
        assert_eq!(of(ann, "Auto-Submitted: no"), None);
        assert_eq!(of(ann, "Auto-Submitted: no (really)"), None);
        assert_eq!(of(ann, "Precedence: first-class"), None);
        assert_eq!(of(ann, "X-Auto-Response-Suppress: None"), None);
        assert_eq!(of("", "Subject: PROBE"), Some(AutomatedSender::NoSender));
        assert_eq!(of(ann, "Return-Path: <>"), Some(AutomatedSender::NoSender));
        assert_eq!(
            of(ann, "AUTO-SUBMITTED: Auto-Replied; x=y"),
            Some(AutomatedSender::AutoSubmitted)
        );
        assert_eq!(of(ann, "Precedence: Bulk"), Some(AutomatedSender::Bulk));
        assert_eq!(of(ann, "List-Id: <x>"), Some(AutomatedSender::List));
        assert_eq!(of(ann, "X-Auto-Response-Suppress: All"), Some(AutomatedSender::NoAnswerWanted));
        assert_eq!(of(ann, "X-Textkin-Loop: kin.example"), Some(AutomatedSender::Ourselves));
        assert_eq!(
            of(ann, "Content-Type: multipart/report; boundary=b"),
            Some(AutomatedSender::Report)
        );
        assert_eq!(of(ann, "Received: a\nReceived: b\nReceived: c"), None);
        assert_eq!(
            of(ann, "Received: a\nReceived: b\nReceived: c\nReceived: d"),
            Some(AutomatedSender::ManyHops)
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
                of(&format!("{local}@a.example"), "Subject: x"),
                Some(AutomatedSender::Daemon),
                "{local}"
            );
        }
        assert_eq!(of("bouncer@a.example", ""), None);
    }
}
