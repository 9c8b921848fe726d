//! Outgoing messages.
//!
//! In: recipient, subject, text and purpose. Out: the bytes of the message. Every message is marked
//! as automatic, and with a field by which textkin recognizes its own mail. Received text cannot
//! inject header fields: subjects are one line, addresses and ids are checked.

use std::time::SystemTime;

use lettre::message::header::{ContentType, HeaderName, HeaderValue, MimeVersion};
use lettre::message::{Mailbox, Message};

use crate::automated_sender::LOOP_FIELD;
use crate::flowed::flowed;
use crate::incoming::{message_ids, one_line};
use crate::{Address, Error};

/// The purpose of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A reply to a message.
    Reply {
        /// The `Message-Id` of the message, if it had one.
        to: Option<String>,
        /// The ids of the thread; the last one is the message itself.
        references: Vec<String>,
    },
    /// A notice: an alert or a digest.
    Notice,
}

/// A message to one recipient.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutgoingMessage {
    /// The recipient.
    pub to: Address,
    /// The subject; line ends and control characters are removed.
    pub subject: String,
    /// Plain text, one paragraph per line; lines are wrapped on output.
    pub text: String,
    /// The purpose.
    pub purpose: Purpose,
    /// The local part of the `Message-Id`: the same for the same message.
    pub identity: String,
}

impl OutgoingMessage {
    /// Returns the bytes of the message, sent by `service` at `time`.
    ///
    /// # Errors
    ///
    /// If an address cannot be encoded; parsed addresses always can.
    pub fn to_bytes(&self, service: &Address, time: SystemTime) -> Result<Vec<u8>, Error> {
        let identity: String = self.identity.chars().filter(char::is_ascii_alphanumeric).collect();
        let from = Mailbox::new(Some("textkin".to_owned()), service.to_lettre()?);
        let mut builder = Message::builder()
            .from(from)
            .to(Mailbox::new(None, self.to.to_lettre()?))
            .subject(one_line(&self.subject))
            .date(time)
            .message_id(Some(format!("<{identity}@{}>", service.host())))
            .raw_header(raw(LOOP_FIELD, service.host())?)
            .raw_header(raw("X-Auto-Response-Suppress", "All")?);
        builder = match &self.purpose {
            Purpose::Reply { to, references } => {
                if let Some(id) = to.as_ref().and_then(|id| message_ids(id).next()) {
                    builder = builder.in_reply_to(id);
                }
                let ids: Vec<_> = references.iter().flat_map(|id| message_ids(id)).collect();
                if !ids.is_empty() {
                    builder = builder.references(ids.join(" "));
                }
                builder.raw_header(raw("Auto-Submitted", "auto-replied")?)
            }
            Purpose::Notice => builder.raw_header(raw("Auto-Submitted", "auto-generated")?),
        };
        let text = flowed(&self.text.replace("\r\n", "\n").replace('\r', "\n"));
        let plain = ContentType::parse("text/plain; charset=utf-8; format=flowed");
        let message = builder
            .header(MimeVersion::new(1, 0))
            .header(plain.unwrap_or(ContentType::TEXT_PLAIN))
            .body(text.replace('\n', "\r\n"))
            .map_err(|_| Error::Address(self.to.to_string()))?;
        Ok(message.formatted())
    }
}

/// A header field with a one-line value.
fn raw(name: &'static str, value: &str) -> Result<HeaderValue, Error> {
    let name = HeaderName::new_from_ascii(name.to_owned());
    let name = name.map_err(|_| Error::Host(value.to_owned()))?;
    Ok(HeaderValue::new(name, one_line(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::UNIX_EPOCH;
    use textkin_extract::mime::Entity;

    fn outgoing(subject: &str, text: &str) -> OutgoingMessage {
        OutgoingMessage {
            to: "ann@a.example".parse().unwrap(),
            subject: subject.to_owned(),
            text: text.to_owned(),
            purpose: Purpose::Reply {
                to: Some("<1@a>".to_owned()),
                references: vec!["<0@a>".to_owned(), "<1@a>".to_owned()],
            },
            identity: "00ff".to_owned(),
        }
    }

    fn bytes(outgoing: &OutgoingMessage) -> Vec<u8> {
        outgoing.to_bytes(&"textkin@kin.example".parse().unwrap(), UNIX_EPOCH).unwrap()
    }

    #[test]
    fn a_reply_is_marked_as_automatic() {
        let bytes = bytes(&outgoing("Grüße \u{1f600}", "One.\n\nTwo ü.\n"));
        let message = Entity::read(&bytes);
        assert_eq!(message.decoded_field("subject").as_deref(), Some("Grüße \u{1f600}"));
        assert_eq!(message.field("auto-submitted"), Some("auto-replied"));
        assert_eq!(message.field("x-textkin-loop"), Some("kin.example"));
        assert_eq!(message.field("in-reply-to"), Some("<1@a>"));
        assert_eq!(message.field("references"), Some("<0@a> <1@a>"));
        assert_eq!(message.field("message-id"), Some("<00ff@kin.example>"));
        assert_eq!(message.field("from"), Some("textkin <textkin@kin.example>"));
        assert_eq!(message.field("date"), Some("Thu, 01 Jan 1970 00:00:00 +0000"));
        assert_eq!(message.text().unwrap(), "One.\r\n\r\nTwo ü.\r\n");
    }

    const FIELDS: [&str; 14] = [
        "from",
        "to",
        "subject",
        "date",
        "message-id",
        "x-textkin-loop",
        "x-auto-response-suppress",
        "in-reply-to",
        "references",
        "auto-submitted",
        "content-type",
        "mime-version",
        "content-transfer-encoding",
        "user-agent",
    ];

    proptest! {
        #[test]
        fn no_text_injects_a_header_field(
            subject in "(\\PC|[\r\n\t\u{85}\u{2028}:=?]|Bcc: x@y.example|\r\n\r\n){0,40}",
            text in "(\\PC|[\r\n.]|\r\n\\.\r\n){0,60}",
            id in "[<>a@ \r\n:]{0,12}",
        ) {
            let mut outgoing = outgoing(&subject, &text);
            outgoing.purpose = Purpose::Reply { to: Some(id.clone()), references: vec![id.clone(), id.clone()] };
            outgoing.identity = id;
            let bytes = bytes(&outgoing);
            let message = Entity::read(&bytes);
            let mut seen = Vec::new();
            for name in message.field_names() {
                prop_assert!(FIELDS.contains(&name), "{name}");
                prop_assert!(!seen.contains(&name), "duplicate {name}");
                seen.push(name);
            }
            prop_assert!(!bytes.windows(2).any(|two| two[1] == b'\n' && two[0] != b'\r'));
            prop_assert!(!bytes.windows(2).any(|two| two[0] == b'\r' && two[1] != b'\n'));
        }
    }
}
