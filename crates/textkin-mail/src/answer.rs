//! From a letter to the one reply, or to none.
//!
//! In: a [`IncomingMessage`] that the desk has kept. Out: an [`Answer`]. A robot gets silence, a message
//! that is no request gets help, everything else goes to the desk, whose outcome is the reply.
//! Asked twice, it gives the reply the same `Message-Id`, so that a reply that is sent again after
//! a crash is known as the same.

use textkin_extract::mime::Entity;

use crate::incoming::message_id;
use crate::request::references;
use crate::{
    Address, AutomatedSender, IncomingMessage, MailHandler, Mailbox, Mailboxes, OutgoingMessage,
    ParseLimits, ParseRequestError, Purpose, ReplyContent, Request, UnavailableError, Verb,
};

/// How mail is read and answered here.
#[derive(Clone, Debug)]
pub struct MailConfig {
    /// The addresses that are ours.
    pub mailboxes: Mailboxes,
    /// How much of a message is looked at.
    pub parse_limits: ParseLimits,
    /// The name under which the mail system in front says, in `Authentication-Results`, that a
    /// sender is no forgery. With it, mail that has no such word is not taken.
    pub authority: Option<String>,
    /// The address of the web application, if it has one that people can reach.
    pub site: Option<String>,
}

/// What comes of a letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This is sent to the sender.
    Reply(OutgoingMessage),
    /// Nothing may be sent.
    NoReply(AutomatedSender),
}

impl MailConfig {
    /// Mail to `mailboxes`, with the usual bounds.
    pub fn new(mailboxes: Mailboxes) -> Self {
        Self { mailboxes, parse_limits: ParseLimits::default(), authority: None, site: None }
    }

    /// What the addresses of a letter say.
    fn mailbox(&self, message: &IncomingMessage) -> Mailbox {
        let mut read = message.recipients.iter().filter_map(|address| self.mailboxes.read(address));
        read.next().unwrap_or_default()
    }
}

/// The robot that a letter comes from, if it does.
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

/// Does what a letter asks for, and gives the reply.
///
/// # Errors
///
/// If the desk cannot do it now; the letter is to be kept and asked about again.
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
    let outcome = match Request::read(message, sender, &mailbox, &config.parse_limits) {
        Ok(request) => handler.handle(request)?,
        Err(misunderstanding) => help(&misunderstanding, config),
    };
    Ok(Answer::Reply(reply(message, sender, &outcome, config)))
}

/// The reply to a letter.
fn reply(
    message: &IncomingMessage,
    sender: &Address,
    outcome: &ReplyContent,
    config: &MailConfig,
) -> OutgoingMessage {
    let entity = Entity::read(&message.bytes);
    let mut text = outcome.text.trim_end().to_owned();
    if let Some(link) = &outcome.link {
        text.push_str(&format!("\n\nSee it: {link}"));
    }
    if let Some(withdraw) = &outcome.withdraw {
        text.push_str(&format!("\n\nWithdraw it: {withdraw}"));
    }
    let host = config.mailboxes.host();
    text.push_str(&format!(
        "\n\n-- \nThis is the only reply to \u{201c}{}\u{201d}, sent by textkin at {host}.\n",
        message.subject()
    ));
    OutgoingMessage {
        to: sender.clone(),
        subject: outcome.subject.clone(),
        text,
        purpose: Purpose::Reply { to: message_id(&entity), references: references(&entity) },
        identity: message.identity(),
    }
}

/// What to write instead.
fn help(misunderstanding: &ParseRequestError, config: &MailConfig) -> ReplyContent {
    let host = config.mailboxes.host();
    let verbs = Verb::ALL.map(|verb| match verb {
        Verb::Register => "REGISTER repository – keeps the documents",
        Verb::Probe => {
            "PROBE repository – says where the documents occur already, and keeps nothing"
        }
        Verb::Watch => "WATCH repository – keeps the documents and tells you when they reappear",
        Verb::Status => "STATUS, or STATUS id – says how it stands",
        Verb::Remove => "REMOVE id, or REMOVE repository/id – withdraws a document",
    });
    let site = config.site.as_ref().map(|site| format!("\n\nMore is at {site}"));
    let text = format!(
        "Nothing was done: {misunderstanding}.\n\n\
         Begin the subject with one of these. The repository may be left out.\n\n* {}\n\n\
         The documents are the attachments, in any format; without attachments, the text of the message is the document. \
         You may also write to register@{host}, probe@{host} or watch@{host}, with any subject.{}",
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
                text: "It is there.".to_owned(),
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
    fn a_request_is_done_and_answered() {
        let clerk = TestHandler::default();
        let message =
            message("Subject: REGISTER\nMessage-Id: <2@a>\nReferences: <1@a>\n\nOne two three");
        let Answer::Reply(reply) = answer(&message, &clerk, &config()).unwrap() else { panic!() };
        assert_eq!(reply.to.to_string(), "ann@a.example");
        assert!(
            reply.text.starts_with(
                "It is there.\n\nSee it: https://kin.example/results/1\n\nWithdraw it: "
            )
        );
        let references = vec!["<1@a>".to_owned(), "<2@a>".to_owned()];
        assert_eq!(reply.purpose, Purpose::Reply { to: Some("<2@a>".to_owned()), references });
        assert_eq!(clerk.0.lock().unwrap().len(), 1);
    }

    #[test]
    fn what_is_no_request_gets_help() {
        let clerk = TestHandler::default();
        let Answer::Reply(reply) =
            answer(&message("Subject: hi\n\nhello"), &clerk, &config()).unwrap()
        else {
            panic!()
        };
        assert!(reply.text.contains("PROBE repository"), "{}", reply.text);
        assert!(clerk.0.lock().unwrap().is_empty());
    }

    #[test]
    fn robots_get_silence() {
        let clerk = TestHandler::default();
        let found = answer(
            &message("Subject: PROBE\nAuto-Submitted: auto-replied\n\nx"),
            &clerk,
            &config(),
        );
        assert_eq!(found, Ok(Answer::NoReply(AutomatedSender::AutoSubmitted)));
        assert!(clerk.0.lock().unwrap().is_empty());
    }

    #[test]
    fn our_own_reply_is_never_answered() {
        let clerk = TestHandler::default();
        let config = config();
        let Answer::Reply(reply) =
            answer(&message("Subject: STATUS\n\nx"), &clerk, &config).unwrap()
        else {
            panic!()
        };
        let bytes =
            reply.to_bytes(&config.mailboxes.service().unwrap(), std::time::UNIX_EPOCH).unwrap();
        let back = IncomingMessage { bytes, ..message("") };
        assert_eq!(answer(&back, &clerk, &config), Ok(Answer::NoReply(AutomatedSender::Ourselves)));
    }
}
