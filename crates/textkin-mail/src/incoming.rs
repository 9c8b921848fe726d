//! A received message: envelope and bytes.
//!
//! It is stored before the sender gets an acknowledgement, and passed to [`answer`] once, or again
//! after a crash.
//!
//! [`answer`]: crate::answer

use sha2::{Digest, Sha256};
use textkin_extract::mime::Entity;

use crate::Address;
use crate::verb::without_prefixes;

/// A received message with its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingMessage {
    /// The envelope sender, who gets the reply; `None` for bounces.
    pub sender: Option<Address>,
    /// The envelope recipients at our hosts. All of them mean the same verb and name.
    pub recipients: Vec<Address>,
    /// Header and body; lines end with CR LF.
    pub bytes: Vec<u8>,
    /// Where the message came from, for troubleshooting: an IP address or `local`.
    pub peer: String,
}

impl IncomingMessage {
    /// Returns an identifier that is the same when the same message arrives again: 32 hexadecimal
    /// digits computed from the sender, the recipient and the `Message-Id` (without one: date,
    /// subject and body).
    pub fn identity(&self) -> String {
        let message = Entity::read(&self.bytes);
        let mut digest = Sha256::new();
        let mut add = |bytes: &[u8]| {
            digest.update(u64::try_from(bytes.len()).unwrap_or(u64::MAX).to_be_bytes());
            digest.update(bytes);
        };
        add(self.sender.as_ref().map(Address::folded).unwrap_or_default().as_bytes());
        add(self.recipients.first().map(Address::folded).unwrap_or_default().as_bytes());
        match message_id(&message) {
            Some(id) => add(id.as_bytes()),
            None => {
                add(message.field("date").unwrap_or_default().as_bytes());
                add(message.field("subject").unwrap_or_default().as_bytes());
                add(&message.content());
            }
        }
        digest.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// The subject for display, without `Re:` and the like: one line of at most 200 characters.
    pub fn subject(&self) -> String {
        let subject = Entity::read(&self.bytes).decoded_field("subject").unwrap_or_default();
        one_line(without_prefixes(&subject))
    }
}

/// Length of the header: the bytes before the first empty line.
pub(crate) fn header_bytes(message: &[u8]) -> usize {
    if message.starts_with(b"\r\n") || message.starts_with(b"\n") {
        return 0;
    }
    let is_end = |rest: &[u8]| rest.starts_with(b"\n\r\n") || rest.starts_with(b"\n\n");
    (0..message.len()).find(|&at| message.get(at..).is_some_and(is_end)).unwrap_or(message.len())
}

/// A `Message-Id` that is safe in another header: `<…>`, printable, without spaces.
pub(crate) fn message_id(message: &Entity<'_>) -> Option<String> {
    message.field("message-id").and_then(|field| message_ids(field).next())
}

/// The ids in a field such as `References`.
pub(crate) fn message_ids(field: &str) -> impl Iterator<Item = String> {
    let ids = field.split('<').skip(1).filter_map(|text| text.split_once('>'));
    let is_valid = |id: &&str| {
        (1..=250).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'<')
    };
    ids.map(|(id, _)| id).filter(is_valid).map(|id| format!("<{id}>"))
}

/// Joins `text` into one line without control characters; long text is cut.
pub(crate) fn one_line(text: &str) -> String {
    const MAX_CHARACTERS: usize = 200;
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if !line.is_empty() && !word.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    match line.char_indices().nth(MAX_CHARACTERS) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(header: &str) -> IncomingMessage {
        IncomingMessage {
            sender: "ann@a.example".parse().ok(),
            recipients: vec!["probe@kin.example".parse().unwrap()],
            bytes: format!("{header}\r\nbody\r\n").into_bytes(),
            peer: String::new(),
        }
    }

    #[test]
    fn the_same_message_has_the_same_identity() {
        let first = message("Message-Id: <1@a>\r\nSubject: PROBE\r\n");
        let again = message("Received: x\r\nMessage-ID: <1@a>\r\nSubject: PROBE\r\n");
        let other = message("Message-Id: <2@a>\r\nSubject: PROBE\r\n");
        assert_eq!(first.identity(), again.identity());
        assert_ne!(first.identity(), other.identity());
        let (bare, elsewhere) = (message("Subject: PROBE\r\n"), message("Subject: WATCH\r\n"));
        assert_eq!(bare.identity(), bare.identity());
        assert_ne!(bare.identity(), elsewhere.identity());
        let mut watched = first.clone();
        watched.recipients = vec!["watch@kin.example".parse().unwrap()];
        assert_ne!(first.identity(), watched.identity());
        assert_eq!(first.identity().len(), 32);
    }

    #[test]
    fn unsafe_ids_are_ignored() {
        assert_eq!(message_ids("<a@b> x <c d> <> <e@f>").collect::<Vec<_>>(), ["<a@b>", "<e@f>"]);
        assert_eq!(message_ids("a@b").next(), None);
        assert_eq!(one_line("a\r\nb\u{0}c  d\u{85}"), "a b c d");
        assert_eq!(one_line(&"é".repeat(300)).chars().count(), 201);
    }

    #[test]
    fn headers_are_measured() {
        assert_eq!(header_bytes(b"a: b\r\n\r\nbody"), 5);
        assert_eq!(header_bytes(b"\r\nbody"), 0);
        assert_eq!(header_bytes(b"abc"), 3);
    }
}
