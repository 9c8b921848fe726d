//! A message as it arrived: the envelope and the bytes.
//!
//! A letter is what is kept before the sender is told that it was taken, and what [`answer`] is
//! asked about, once or, after a crash, again.
//!
//! [`answer`]: crate::answer

use sha2::{Digest, Sha256};
use textkin_extract::mime::Entity;

use crate::Address;
use crate::verb::bare;

/// A message in its envelope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingMessage {
    /// The sender of the envelope, to whom a reply goes; none of mail that nobody wants an answer
    /// to.
    pub sender: Option<Address>,
    /// The recipients of the envelope that are ours. All say the same.
    pub recipients: Vec<Address>,
    /// The message: header and body, lines ended by CR LF.
    pub bytes: Vec<u8>,
    /// Where it came from, for people who look for a fault: an IP address or `local`.
    pub peer: String,
}

impl IncomingMessage {
    /// What is the same when the same message arrives again, and for no other: 32 hexadecimal
    /// digits, from the sender, the address written to, and the `Message-Id` (without one: date,
    /// subject and body). A desk that keeps it takes no message twice.
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

    /// The subject, without marks of answers, for people: one line of at most 200 characters.
    pub fn subject(&self) -> String {
        let subject = Entity::read(&self.bytes).decoded_field("subject").unwrap_or_default();
        one_line(bare(&subject))
    }
}

/// The bytes before the first empty line.
pub(crate) fn header_bytes(message: &[u8]) -> usize {
    if message.starts_with(b"\r\n") || message.starts_with(b"\n") {
        return 0;
    }
    let is_end = |rest: &[u8]| rest.starts_with(b"\n\r\n") || rest.starts_with(b"\n\n");
    (0..message.len()).find(|&at| message.get(at..).is_some_and(is_end)).unwrap_or(message.len())
}

/// A `Message-Id` that can be written into another header: `<…>`, printable, without spaces.
pub(crate) fn message_id(message: &Entity<'_>) -> Option<String> {
    message.field("message-id").and_then(|field| message_ids(field).next())
}

/// The ids in a field such as `References`.
pub(crate) fn message_ids(field: &str) -> impl Iterator<Item = String> {
    let ids = field.split('<').skip(1).filter_map(|text| text.split_once('>'));
    let is_good = |id: &&str| {
        (1..=250).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'<')
    };
    ids.map(|(id, _)| id).filter(is_good).map(|id| format!("<{id}>"))
}

/// Text without line ends and control characters, cut where it is long.
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

    fn letter(header: &str) -> IncomingMessage {
        IncomingMessage {
            sender: "ann@a.example".parse().ok(),
            recipients: vec!["probe@kin.example".parse().unwrap()],
            bytes: format!("{header}\r\nbody\r\n").into_bytes(),
            peer: String::new(),
        }
    }

    #[test]
    fn the_same_message_is_known_again() {
        let first = letter("Message-Id: <1@a>\r\nSubject: PROBE\r\n");
        let again = letter("Received: x\r\nMessage-ID: <1@a>\r\nSubject: PROBE\r\n");
        let other = letter("Message-Id: <2@a>\r\nSubject: PROBE\r\n");
        assert_eq!(first.identity(), again.identity());
        assert_ne!(first.identity(), other.identity());
        let (bare, elsewhere) = (letter("Subject: PROBE\r\n"), letter("Subject: WATCH\r\n"));
        assert_eq!(bare.identity(), bare.identity());
        assert_ne!(bare.identity(), elsewhere.identity());
        let mut watched = first.clone();
        watched.recipients = vec!["watch@kin.example".parse().unwrap()];
        assert_ne!(first.identity(), watched.identity());
        assert_eq!(first.identity().len(), 32);
    }

    #[test]
    fn ids_that_could_harm_are_none() {
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
