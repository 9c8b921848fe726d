//! Produces the one reply to a message, or none.
//!
//! In: an [`IncomingMessage`] that the handler has stored. Out: an [`Answer`]. Automated senders get
//! no reply, messages that are not requests get help, and everything else goes to the handler.
//! Answering a message twice gives the reply the same `Message-Id`, so that mail programs recognize
//! a reply that is sent again after a crash.

use textkin_extract::mime::Entity;

use crate::incoming::message_id;
use crate::request::references;
use crate::{
    Address, AutomatedSender, IncomingMessage, MailHandler, Mailbox, Mailboxes, OutgoingMessage,
    ParseLimits, ParseRequestError, Purpose, ReplyContent, Request, UnavailableError, Verb,
};

/// Settings for reading and answering mail.
#[derive(Clone, Debug)]
pub struct MailConfig {
    /// The addresses that mail is accepted for.
    pub mailboxes: Mailboxes,
    /// Limits on the structure of a message.
    pub parse_limits: ParseLimits,
    /// The name that the mail system in front uses in `Authentication-Results` when it has verified
    /// a sender. If set, mail without such a result is not accepted.
    pub authority: Option<String>,
    /// Public address of the web application.
    pub site: Option<String>,
}

/// The answer to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A reply to the sender.
    Reply(OutgoingMessage),
    /// No reply, because a program sent the message.
    NoReply(AutomatedSender),
}

impl MailConfig {
    /// Settings for `mailboxes`, with default limits.
    pub fn new(mailboxes: Mailboxes) -> Self {
        Self { mailboxes, parse_limits: ParseLimits::default(), authority: None, site: None }
    }

    /// What the recipient addresses of a message mean.
    fn mailbox(&self, message: &IncomingMessage) -> Mailbox {
        let mut read = message.recipients.iter().filter_map(|address| self.mailboxes.read(address));
        read.next().unwrap_or_default()
    }
}

/// The kind of automated sender of a message, if it is one.
pub(crate) fn automated_sender(
    message: &IncomingMessage,
    parse_limits: &ParseLimits,
) -> Option<AutomatedSender> {
    AutomatedSender::detect(
        message.sender.as_ref(),
        &Entity::read(&message.bytes),
        parse_limits.max_hops,
    )
}

/// Carries out the request in a message and returns the reply.
///
/// # Errors
///
/// If the handler is unavailable; keep the message and try again later.
pub fn answer(
    message: &IncomingMessage,
    handler: &dyn MailHandler,
    config: &MailConfig,
) -> Result<Answer, UnavailableError> {
    if let Some(automated_sender) = automated_sender(message, &config.parse_limits) {
        return Ok(Answer::NoReply(automated_sender));
    }
    let Some(sender) = &message.sender else {
        return Ok(Answer::NoReply(AutomatedSender::NoSender));
    };
    let mailbox = config.mailbox(message);
    let content = match Request::read(message, sender, &mailbox, &config.parse_limits) {
        Ok(request) => handler.handle(request)?,
        Err(error) => help(&error, config),
    };
    Ok(Answer::Reply(reply(message, sender, &content, config)))
}

/// Builds the reply to a message.
fn reply(
    message: &IncomingMessage,
    sender: &Address,
    content: &ReplyContent,
    config: &MailConfig,
) -> OutgoingMessage {
    let entity = Entity::read(&message.bytes);
    let mut text = content.text.trim_end().to_owned();
    if let Some(link) = &content.link {
        text.push_str(&format!("\n\nSee the result: {link}"));
    }
    if let Some(withdraw) = &content.withdraw {
        text.push_str(&format!("\n\nTo withdraw it: {withdraw}"));
    }
    let host = config.mailboxes.host();
    text.push_str(&format!(
        "\n\n-- \nThis is the only reply to \u{201c}{}\u{201d}, sent by textkin at {host}.\n",
        message.subject()
    ));
    OutgoingMessage {
        to: sender.clone(),
        subject: content.subject.clone(),
        text,
        purpose: Purpose::Reply { to: message_id(&entity), references: references(&entity) },
        identity: message.identity(),
    }
}

/// Explains how to write a request.
fn help(error: &ParseRequestError, config: &MailConfig) -> ReplyContent {
    let host = config.mailboxes.host();
    let verbs = Verb::ALL.map(|verb| match verb {
        Verb::Register => "REGISTER repository – stores the documents",
        Verb::Probe => {
            "PROBE repository – checks where the text already appears, and stores nothing"
        }
        Verb::Watch => {
            "WATCH repository – stores the documents and notifies you when they reappear"
        }
        Verb::Status => "STATUS, or STATUS id – shows the status",
        Verb::Remove => "REMOVE id, or REMOVE repository/id – deletes a document",
    });
    let site = config.site.as_ref().map(|site| format!("\n\nFor more, see {site}"));
    let text = format!(
        "Nothing was done: {error}.\n\n\
         Start the subject with one of these commands. The repository is optional.\n\n* {}\n\n\
         Attach the documents, in any format. Without attachments, the text of the message is the document. \
         You can also write to register@{host}, probe@{host} or watch@{host}, with any subject.{}",
        verbs.join("\n* "),
        site.unwrap_or_default(),
    );
    ReplyContent { subject: "Nothing was done".to_owned(), text, ..ReplyContent::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[derive(Default)]
    struct TestHandler(Mutex<Vec<Request>>);

    impl MailHandler for TestHandler {
        fn is_known_sender(&self, _: &Address) -> Result<bool, UnavailableError> {
            Ok(true)
        }

        fn accept(&self, _: IncomingMessage) -> Result<(), crate::Refusal> {
            Ok(())
        }

        fn handle(&self, request: Request) -> Result<ReplyContent, UnavailableError> {
            self.0.lock().unwrap().push(request);
            Ok(ReplyContent {
                subject: "Registered: 3 words".to_owned(),
                text: "The text is stored.".to_owned(),
                link: Some("https://kin.example/results/1".to_owned()),
                withdraw: Some("https://kin.example/withdraw/1".to_owned()),
            })
        }
    }

    fn config() -> MailConfig {
        MailConfig::new(Mailboxes::new(&["kin.example".to_owned()], "textkin").unwrap())
    }

    fn message(message: &str) -> IncomingMessage {
        IncomingMessage {
            sender: "ann@a.example".parse().ok(),
            recipients: vec!["textkin@kin.example".parse().unwrap()],
            bytes: message.replace('\n', "\r\n").into_bytes(),
            peer: String::new(),
        }
    }

    #[test]
    fn a_request_is_carried_out_and_answered() {
        let handler = TestHandler::default();
        let message =
            message("Subject: REGISTER\nMessage-Id: <2@a>\nReferences: <1@a>\n\nOne two three");
        let Answer::Reply(reply) = answer(&message, &handler, &config()).unwrap() else { panic!() };
        assert_eq!(reply.to.to_string(), "ann@a.example");
        assert!(
            reply.text.starts_with(
                "The text is stored.\n\nSee the result: https://kin.example/results/1\n\nTo withdraw it: "
            )
        );
        let references = vec!["<1@a>".to_owned(), "<2@a>".to_owned()];
        assert_eq!(reply.purpose, Purpose::Reply { to: Some("<2@a>".to_owned()), references });
        assert_eq!(handler.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn a_message_without_a_request_gets_help() {
        let handler = TestHandler::default();
        let Answer::Reply(reply) =
            answer(&message("Subject: hi\n\nhello"), &handler, &config()).unwrap()
        else {
            panic!()
        };
        assert!(reply.text.contains("PROBE repository"), "{}", reply.text);
        assert!(handler.0.lock().unwrap().is_empty());
    }

    #[test]
    fn automated_senders_get_no_reply() {
        let handler = TestHandler::default();
        let found = answer(
            &message("Subject: PROBE\nAuto-Submitted: auto-replied\n\nx"),
            &handler,
            &config(),
        );
        assert_eq!(found, Ok(Answer::NoReply(AutomatedSender::AutoSubmitted)));
        assert!(handler.0.lock().unwrap().is_empty());
    }

    #[test]
    fn textkin_does_not_answer_its_own_replies() {
        let handler = TestHandler::default();
        let config = config();
        let Answer::Reply(reply) =
            answer(&message("Subject: STATUS\n\nx"), &handler, &config).unwrap()
        else {
            panic!()
        };
        let bytes =
            reply.to_bytes(&config.mailboxes.service().unwrap(), std::time::UNIX_EPOCH).unwrap();
        let returned = IncomingMessage { bytes, ..message("") };
        assert_eq!(
            answer(&returned, &handler, &config),
            Ok(Answer::NoReply(AutomatedSender::Ourselves))
        );
    }
}
