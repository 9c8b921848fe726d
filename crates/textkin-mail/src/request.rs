//! Parses messages into requests: verb, repository, documents.
//!
//! In: an [`IncomingMessage`]. Out: a [`Request`], or the [`ParseRequestError`] that the sender is
//! told. The documents are the attachments or, without any, the text of the message. They are passed
//! on unchanged, under their names; text is extracted elsewhere.
//!
//! The recipient address takes precedence over the subject: mail to `probe@host` is a probe,
//! whatever its subject, which is then the title.

use textkin_extract::mime::Entity;

use crate::incoming::{header_bytes, message_id, message_ids, one_line};
use crate::verb::{SubjectCommand, without_prefixes};
use crate::{Address, IncomingMessage, Mailbox, Verb};

/// Limits on the structure of a message.
#[derive(Clone, Copy, Debug)]
pub struct ParseLimits {
    /// Maximum bytes of the header.
    pub max_header_bytes: usize,
    /// Maximum number of MIME parts, including multiparts.
    pub max_parts: usize,
    /// Maximum nesting of multiparts.
    pub max_nesting: usize,
    /// Maximum number of mail systems that a message has passed through.
    pub max_hops: usize,
}

impl Default for ParseLimits {
    /// 256 KiB of header, 200 parts, nesting of 10, 50 mail systems.
    fn default() -> Self {
        Self { max_header_bytes: 256 << 10, max_parts: 200, max_nesting: 10, max_hops: 50 }
    }
}

/// A document in a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedDocument {
    /// The file name without a path; `None` for the text of the message itself.
    pub name: Option<String>,
    /// Media type as declared in the message, in lower case. Not to be trusted.
    pub media_type: String,
    /// The decoded content. The text of the message itself is UTF-8.
    pub bytes: Vec<u8>,
}

/// A request made by mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The envelope sender, who gets the reply.
    pub sender: Address,
    /// The sender in the header; may differ from the envelope, or be missing.
    pub from: Option<Address>,
    /// What to do.
    pub verb: Verb,
    /// The repository, if the message names one.
    pub repository: Option<String>,
    /// The document or result (STATUS and REMOVE).
    pub id: Option<String>,
    /// The title of the text, if given.
    pub title: Option<String>,
    /// The `Date` field of the header.
    pub date: Option<String>,
    /// The documents; at least one if the verb takes documents.
    pub documents: Vec<SubmittedDocument>,
    /// The `Message-Id`, if it is valid.
    pub message_id: Option<String>,
    /// [`IncomingMessage::identity`]: the same when the message arrives again.
    pub identity: String,
}

/// Why a message is not a request. The reply explains it and how to write a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseRequestError {
    /// Neither the address nor the subject has a verb.
    #[error("the subject does not start with a command")]
    NoVerb,
    /// The message contains no document.
    #[error("the message contains no document: it has neither text nor readable attachments")]
    NoDocument,
    /// The verb needs the name of a document.
    #[error("REMOVE needs the id of a document")]
    NoName,
    /// The header is too long.
    #[error("the message header is longer than {0} bytes")]
    HeaderTooLong(usize),
    /// There are too many parts.
    #[error("the message has more than {0} parts; send a ZIP file instead")]
    TooManyParts(usize),
    /// Parts are nested too deeply.
    #[error("the message parts are nested more than {0} levels deep")]
    TooDeep(usize),
}

impl Request {
    /// Parses a message from `sender` to `mailbox`.
    ///
    /// # Errors
    ///
    /// If the message is incomplete or exceeds `parse_limits`.
    pub fn read(
        message: &IncomingMessage,
        sender: &Address,
        mailbox: &Mailbox,
        parse_limits: &ParseLimits,
    ) -> Result<Self, ParseRequestError> {
        if header_bytes(&message.bytes) > parse_limits.max_header_bytes {
            return Err(ParseRequestError::HeaderTooLong(parse_limits.max_header_bytes));
        }
        let entity = Entity::read(&message.bytes);
        let subject = entity.decoded_field("subject").unwrap_or_default();
        let ParsedCommand { verb, name, in_repository, title } =
            ParsedCommand::new(mailbox, &subject).ok_or(ParseRequestError::NoVerb)?;
        let (repository, id) = match (verb.takes_documents(), name) {
            (true, name) => (name.or(in_repository), None),
            (false, Some(name)) => match name.split_once('/') {
                Some((repository, id)) => (Some(repository.to_owned()), Some(id.to_owned())),
                None => (in_repository, Some(name)),
            },
            (false, None) => (in_repository, None),
        };
        if verb == Verb::Remove && id.as_ref().is_none_or(String::is_empty) {
            return Err(ParseRequestError::NoName);
        }
        let mut request = Self {
            sender: sender.clone(),
            from: entity.field("from").and_then(Address::from_field),
            verb,
            repository: repository.filter(|name| !name.is_empty()),
            id: id.filter(|id| !id.is_empty()),
            title: title.map(|title| one_line(&title)).filter(|title| !title.is_empty()),
            date: entity.field("date").map(one_line),
            documents: Vec::new(),
            message_id: message_id(&entity),
            identity: message.identity(),
        };
        if verb.takes_documents() {
            request.documents = documents(entity, parse_limits)?;
            if request.documents.is_empty() {
                return Err(ParseRequestError::NoDocument);
            }
        }
        Ok(request)
    }
}

/// The command given by address and subject together.
struct ParsedCommand {
    verb: Verb,
    name: Option<String>,
    in_repository: Option<String>,
    title: Option<String>,
}

impl ParsedCommand {
    fn new(mailbox: &Mailbox, subject: &str) -> Option<Self> {
        let name = mailbox.name.clone();
        if let Some(verb) = mailbox.verb {
            let command = SubjectCommand::parse(subject).filter(|command| command.verb == verb);
            let title = match &command {
                Some(command) => command.title.clone(),
                None => Some(without_prefixes(subject).to_owned()),
            };
            let subject_name = command.and_then(|command| command.name);
            return Some(match (verb.takes_documents(), name) {
                (true, name) => {
                    Self { verb, name: name.or(subject_name), in_repository: None, title }
                }
                // If the address does not name a document, the subject may.
                (false, name) => {
                    let subject = title.filter(|title| crate::verb::is_name(title));
                    Self {
                        verb,
                        name: name.or(subject_name).or(subject),
                        in_repository: None,
                        title: None,
                    }
                }
            });
        }
        let command = SubjectCommand::parse(subject)?;
        Some(Self {
            verb: command.verb,
            name: command.name,
            in_repository: name,
            title: command.title,
        })
    }
}

/// The ids for `References` of a reply: those of the message and its own, at most 20.
pub(crate) fn references(message: &Entity<'_>) -> Vec<String> {
    const MAX_REFERENCES: usize = 20;
    let field = message.field("references").or(message.field("in-reply-to")).unwrap_or_default();
    let mut ids: Vec<_> = message_ids(field).collect();
    ids.extend(message_id(message));
    let first = ids.len().saturating_sub(MAX_REFERENCES);
    ids.split_off(first)
}

/// Returns the attachments or, without any, the text of the message.
fn documents(
    message: Entity<'_>,
    parse_limits: &ParseLimits,
) -> Result<Vec<SubmittedDocument>, ParseRequestError> {
    let (mut attachments, mut plain, mut page) = (Vec::new(), String::new(), String::new());
    let mut pending = vec![(message, 0)];
    let mut n_parts = 0;
    while let Some((entity, depth)) = pending.pop() {
        if let Some(parts) = entity.parts(parse_limits.max_parts + 1) {
            n_parts += parts.found;
            if n_parts > parse_limits.max_parts {
                return Err(ParseRequestError::TooManyParts(parse_limits.max_parts));
            }
            if depth >= parse_limits.max_nesting {
                return Err(ParseRequestError::TooDeep(parse_limits.max_nesting));
            }
            pending.extend(parts.chosen.into_iter().rev().map(|part| (part, depth + 1)));
            continue;
        }
        let media_type = entity.media_type();
        if entity.is_attachment() {
            if is_document(&media_type) {
                attachments.push(attachment(&entity, media_type, attachments.len() + 1));
            }
            continue;
        }
        let text = if media_type == "text/html" { &mut page } else { &mut plain };
        if !text.is_empty() {
            text.push_str("\n\n");
        }
        let content = entity.text().unwrap_or_default().replace("\r\n", "\n");
        text.push_str(content.trim_end());
    }
    if attachments.is_empty() {
        let body_text = |text: String, media_type: &str| SubmittedDocument {
            name: None,
            media_type: media_type.to_owned(),
            bytes: text.into_bytes(),
        };
        let plain = without_signature(&plain).to_owned();
        let texts = [body_text(plain, "text/plain"), body_text(page, "text/html")];
        attachments.extend(texts.into_iter().filter(|text| !text.bytes.trim_ascii().is_empty()));
    }
    Ok(attachments)
}

fn attachment(entity: &Entity<'_>, media_type: String, number: usize) -> SubmittedDocument {
    let name = entity.name().unwrap_or_default();
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name = one_line(name);
    let is_name = !name.trim_matches('.').is_empty();
    let extension = if media_type == "message/rfc822" { ".eml" } else { "" };
    let name = if is_name { name } else { format!("part {number}{extension}") };
    SubmittedDocument { name: Some(name), media_type, bytes: entity.content().into_owned() }
}

/// Whether an attachment is a document, and not an image, sound, signature or contact card.
fn is_document(media_type: &str) -> bool {
    let excluded = ["image/", "audio/", "video/", "font/", "message/delivery-status"];
    let signatures = [
        "application/pgp-signature",
        "application/pgp-keys",
        "application/pkcs7-signature",
        "application/x-pkcs7-signature",
        "text/vcard",
        "text/x-vcard",
        "text/calendar",
    ];
    !excluded.iter().any(|prefix| media_type.starts_with(prefix))
        && !signatures.contains(&media_type)
}

/// The text before the signature delimiter `-- `.
fn without_signature(text: &str) -> &str {
    let end = text.rfind("\n-- \n");
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn request(mailbox: &Mailbox, message: &str) -> Result<Request, ParseRequestError> {
        let message = IncomingMessage {
            sender: "ann@a.example".parse().ok(),
            recipients: Vec::new(),
            bytes: message.replace('\n', "\r\n").into_bytes(),
            peer: String::new(),
        };
        Request::read(&message, &"ann@a.example".parse().unwrap(), mailbox, &ParseLimits::default())
    }

    fn mailbox(verb: Option<Verb>, name: &str) -> Mailbox {
        Mailbox { verb, name: Some(name.to_owned()).filter(|name| !name.is_empty()) }
    }

    #[test]
    fn the_text_of_the_message_is_the_document() {
        let message = "From: Ann <Ann@A.example>\nSubject: Re: register essays\nMessage-Id: <1@a>\n\nOne two.\n-- \nAnn\n";
        let request = request(&mailbox(None, ""), message).unwrap();
        assert_eq!(request.verb, Verb::Register);
        assert_eq!(request.repository.as_deref(), Some("essays"));
        assert_eq!(request.from.unwrap().to_string(), "Ann@a.example");
        assert_eq!(request.message_id.as_deref(), Some("<1@a>"));
        assert_eq!(request.documents.len(), 1);
        assert_eq!(request.documents[0].bytes, b"One two.");
        assert_eq!(request.documents[0].name, None);
    }

    const PARTS: &str = "Subject: probe\nContent-Type: multipart/mixed; boundary=b\n\n\
        --b\nContent-Type: text/plain\n\nPlease find attached.\n\
        --b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=\"../../a b.pdf\"\nContent-Transfer-Encoding: base64\n\nJVBERg==\n\
        --b\nContent-Type: image/png; name=logo.png\n\nx\n\
        --b\nContent-Type: text/plain; charset=iso-8859-1\nContent-Disposition: attachment\nContent-Transfer-Encoding: quoted-printable\n\nGr=FC=DFe\n\
        --b\nContent-Type: message/rfc822\n\nSubject: x\n\ny\n\
        --b--\n";

    #[test]
    fn attachments_replace_the_text() {
        let request = request(&mailbox(None, "essays"), PARTS).unwrap();
        assert_eq!(request.repository.as_deref(), Some("essays"));
        let found: Vec<_> = request
            .documents
            .iter()
            .map(|document| (document.name.as_deref().unwrap(), document.bytes.as_slice()))
            .collect();
        assert_eq!(
            found,
            [
                ("a b.pdf", &b"%PDF"[..]),
                ("part 2", b"Gr\xfc\xdfe"),
                ("part 3.eml", b"Subject: x\r\n\r\ny"),
            ]
        );
    }

    #[test]
    fn html_is_used_if_there_is_no_plain_text() {
        let message = "Subject: probe\nContent-Type: text/html; charset=utf-8\n\n<p>Kin</p>\n";
        let request = request(&mailbox(None, ""), message).unwrap();
        assert_eq!(request.documents[0].media_type, "text/html");
        assert_eq!(request.documents[0].bytes, b"<p>Kin</p>");
    }

    #[test]
    fn address_and_subject_are_combined() {
        let parse = |verb, name: &str, subject: &str| {
            let request = request(&mailbox(verb, name), &format!("Subject: {subject}\n\ntext"));
            request.map(|request| (request.verb, request.repository, request.id, request.title))
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            parse(Some(Verb::Probe), "", "Status of kin"),
            Ok((Verb::Probe, None, None, some("Status of kin")))
        );
        assert_eq!(
            parse(Some(Verb::Probe), "", "PROBE essays"),
            Ok((Verb::Probe, some("essays"), None, None))
        );
        assert_eq!(
            parse(Some(Verb::Watch), "essays", ""),
            Ok((Verb::Watch, some("essays"), None, None))
        );
        assert_eq!(parse(Some(Verb::Status), "", "17"), Ok((Verb::Status, None, some("17"), None)));
        assert_eq!(
            parse(Some(Verb::Remove), "", "essays/17"),
            Ok((Verb::Remove, some("essays"), some("17"), None))
        );
        assert_eq!(
            parse(None, "essays", "REMOVE 17"),
            Ok((Verb::Remove, some("essays"), some("17"), None))
        );
        assert_eq!(
            parse(None, "essays", "watch other"),
            Ok((Verb::Watch, some("other"), None, None))
        );
        assert_eq!(parse(None, "essays", "STATUS"), Ok((Verb::Status, some("essays"), None, None)));
        assert_eq!(parse(None, "", "STATUS"), Ok((Verb::Status, None, None, None)));
        assert_eq!(parse(None, "", "REMOVE"), Err(ParseRequestError::NoName));
        assert_eq!(parse(None, "", "REMOVE essays/"), Err(ParseRequestError::NoName));
        assert_eq!(parse(None, "essays", "Hello"), Err(ParseRequestError::NoVerb));
    }

    #[test]
    fn messages_beyond_the_limits_are_rejected() {
        let none = mailbox(None, "");
        assert_eq!(
            request(&none, "Subject: probe\n\n \n").unwrap_err(),
            ParseRequestError::NoDocument
        );
        let long = format!("Subject: probe\nX: {}\n\ntext", "x".repeat(300 << 10));
        assert!(matches!(request(&none, &long), Err(ParseRequestError::HeaderTooLong(_))));
        let many = format!(
            "Subject: probe\nContent-Type: multipart/mixed; boundary=b\n\n{}",
            "--b\n\n".repeat(300)
        );
        assert!(matches!(request(&none, &many), Err(ParseRequestError::TooManyParts(_))));
        let mut deep = "Subject: probe\n".to_owned();
        for depth in 0..20 {
            deep.push_str(&format!(
                "Content-Type: multipart/mixed; boundary=b{depth}\n\n--b{depth}\n"
            ));
        }
        assert!(matches!(request(&none, &deep), Err(ParseRequestError::TooDeep(_))));
    }

    proptest! {
        #[test]
        fn any_message_is_parsed_without_panic(
            pieces in proptest::collection::vec(prop_oneof![
                Just(b"Subject: probe\r\n".to_vec()), Just(b"Content-Type: multipart/mixed; boundary=b\r\n".to_vec()),
                Just(b"Content-Type: multipart/alternative; boundary=\"\"\r\n".to_vec()),
                Just(b"\r\n--b\r\n".to_vec()), Just(b"\r\n\r\n".to_vec()), Just(b"--b--".to_vec()),
                Just(b"Content-Transfer-Encoding: base64\r\n".to_vec()), Just(b"Content-Disposition: attachment; filename*0*=utf-8''%\r\n".to_vec()),
                Just(b"=?utf-8?b?".to_vec()), Just(b"Message-Id: <".to_vec()), proptest::collection::vec(any::<u8>(), 0..30),
            ], 0..20)
        ) {
            let message = IncomingMessage { sender: None, recipients: Vec::new(), bytes: pieces.concat(), peer: String::new() };
            message.identity();
            message.subject();
            references(&Entity::read(&message.bytes));
            let mailbox = mailbox(Some(Verb::Probe), "");
            if let Ok(request) = Request::read(&message, &"ann@a.example".parse().unwrap(), &mailbox, &ParseLimits::default()) {
                prop_assert!(!request.documents.is_empty());
                for document in request.documents {
                    prop_assert!(document.name.is_none_or(|name| !name.is_empty() && !name.contains(['/', '\\', '\r', '\n'])));
                }
            }
        }
    }
}
