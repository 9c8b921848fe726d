//! One connection: commands, replies, and the message inside `DATA`.
//!
//! In: lines from the client. Out: replies, and messages for the handler. The state is small: greeted
//! or not, a sender, recipients with the same meaning. No reply reveals which accounts or
//! repositories exist.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use smtp_proto::{
    MAIL_BODY_7BIT, MAIL_BODY_8BITMIME, MAIL_SMTPUTF8, MailFrom, RcptTo, Request as Command,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::data::{Data, Fault, Progress};
use super::delivery::{SenderStatus, Transaction, deliver, sender_status};
use super::reply::{self, Reply};
use super::wire::{Line, Wire};
use super::{Listener, Protocol, UnknownSenders};
use crate::Address;

/// First words of HTTP requests: an attacker is making a browser connect to us.
const HTTP_WORDS: [&[u8]; 8] =
    [b"get ", b"post ", b"put ", b"head ", b"connect ", b"options ", b"patch ", b"host:"];

/// One connection.
pub(super) struct Session<S> {
    listener: Listener,
    wire: Wire<S>,
    peer: Option<IpAddr>,
    stopped: watch::Receiver<bool>,
    is_greeted: bool,
    transaction: Option<Transaction>,
    n_commands: usize,
    n_errors: usize,
    n_messages: usize,
}

/// Whether the connection continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Next,
    Close,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Session<S> {
    pub(super) fn new(
        listener: Listener,
        stream: S,
        peer: Option<IpAddr>,
        stopped: watch::Receiver<bool>,
    ) -> Self {
        let wire = Wire::new(stream, listener.limits.command_timeout);
        Self {
            listener,
            wire,
            peer,
            stopped,
            is_greeted: false,
            transaction: None,
            n_commands: 0,
            n_errors: 0,
            n_messages: 0,
        }
    }

    /// Serves the connection until it is closed.
    pub(super) async fn run(mut self) -> io::Result<()> {
        let protocol = match self.listener.protocol {
            Protocol::Smtp => "ESMTP",
            Protocol::Lmtp => "LMTP",
        };
        let banner = format!("220 {} {protocol} textkin", self.host());
        self.wire.queue(&banner);
        while self.step().await? == Step::Next {}
        self.wire.close().await
    }

    fn host(&self) -> &str {
        self.listener.config.mailboxes.host()
    }

    async fn step(&mut self) -> io::Result<Step> {
        let limits = Arc::clone(&self.listener.limits);
        if self.wire.input().is_empty() {
            self.wire.flush().await?;
        }
        let line = {
            let line = timeout(limits.command_timeout, self.wire.line(limits.max_command_bytes));
            tokio::select! {
                biased;
                _ = self.stopped.wait_for(|is_stopped| *is_stopped) => None,
                line = line => Some(line),
            }
        };
        let line = match line {
            None => return Ok(self.close_with(&reply::STOPPING)),
            Some(Err(_)) => return Ok(self.close_with(&reply::TOO_SLOW)),
            Some(Ok(line)) => line?,
        };
        self.n_commands += 1;
        if self.n_commands > limits.max_commands {
            return Ok(self.close_with(&reply::TOO_MANY_COMMANDS));
        }
        match line {
            Line::End => Ok(Step::Close),
            // Commands can no longer be separated from other data.
            Line::TooLong => Ok(self.close_with(&reply::LONG_COMMAND)),
            Line::NotText => Ok(self.close_with(&reply::NOT_A_LINE)),
            Line::Text(n_bytes) => {
                let mut line = self.wire.text(n_bytes).to_ascii_lowercase();
                if HTTP_WORDS.iter().any(|word| line.starts_with(word)) {
                    return Ok(self.close_with(&reply::TOO_MANY_ERRORS));
                }
                line.clear();
                line.extend_from_slice(self.wire.text(n_bytes));
                line.extend_from_slice(b"\r\n");
                self.wire.skip(n_bytes + 2);
                self.command(&line).await
            }
        }
    }

    /// Sends a last reply and closes.
    fn close_with(&mut self, reply: &Reply) -> Step {
        self.wire.queue(reply);
        Step::Close
    }

    /// Sends a reply, and counts it if it is an error.
    fn reply(&mut self, reply: &Reply) -> Step {
        self.wire.queue(reply);
        if reply.starts_with('5') {
            self.n_errors += 1;
        }
        if self.n_errors > self.listener.limits.max_errors {
            return self.close_with(&reply::TOO_MANY_ERRORS);
        }
        Step::Next
    }

    async fn command(&mut self, line: &[u8]) -> io::Result<Step> {
        let command = match Command::parse(&mut line.iter()) {
            Ok(command) => command.into_owned(),
            Err(error) => return Ok(self.reply(&error_reply(&error))),
        };
        let reply = match command {
            Command::Ehlo { .. } | Command::Helo { .. } | Command::Lhlo { .. } => {
                return Ok(self.greet(&command));
            }
            Command::Mail { from } => self.mail(&from),
            Command::Rcpt { to } => self.recipient(&to).await,
            Command::Data => return self.data().await,
            Command::Rset => {
                self.transaction = None;
                reply::OK
            }
            Command::Noop { .. } => reply::OK,
            Command::Vrfy { .. } => reply::CANNOT_VERIFY,
            Command::Quit => return Ok(self.close_with(&reply::BYE)),
            _ => reply::NOT_IMPLEMENTED,
        };
        Ok(self.reply(&reply))
    }

    fn greet(&mut self, command: &Command<String>) -> Step {
        let is_lmtp = self.listener.protocol == Protocol::Lmtp;
        if is_lmtp != matches!(command, Command::Lhlo { .. }) {
            return self.reply(&reply::UNKNOWN_COMMAND);
        }
        self.is_greeted = true;
        self.transaction = None;
        let host = self.host().to_owned();
        if matches!(command, Command::Helo { .. }) {
            return self.reply(&format!("250 {host}").into());
        }
        let size = format!("SIZE {}", self.listener.limits.max_message_bytes);
        for line in [&host, "PIPELINING", &size, "8BITMIME", "SMTPUTF8"] {
            self.wire.queue(&format!("250-{line}"));
        }
        self.wire.queue("250 ENHANCEDSTATUSCODES");
        Step::Next
    }

    fn mail(&mut self, from: &MailFrom<String>) -> Reply {
        if !self.is_greeted || self.transaction.is_some() {
            return reply::WRONG_ORDER;
        }
        let known = MAIL_BODY_7BIT | MAIL_BODY_8BITMIME | MAIL_SMTPUTF8;
        let is_plain = from.auth.is_none() && from.env_id.is_none() && from.mtrk.is_none();
        if from.flags & !known != 0 || !is_plain {
            return reply::PARAMETER;
        }
        if from.size > self.listener.limits.max_message_bytes {
            return reply::TOO_LARGE;
        }
        let has_utf8 = from.flags & MAIL_SMTPUTF8 != 0;
        if !from.address.is_ascii() && !has_utf8 {
            return reply::NEEDS_UTF8;
        }
        let sender = match from.address.as_str() {
            "" => None,
            address => match address.parse() {
                Ok(address) => Some(address),
                Err(_) => return reply::BAD_SENDER,
            },
        };
        self.transaction = Some(Transaction {
            sender,
            has_utf8,
            recipients: Vec::new(),
            mailbox: None,
            sender_status: SenderStatus::Unchecked,
        });
        reply::SENDER_OK
    }

    async fn recipient(&mut self, to: &RcptTo<String>) -> Reply {
        let Some(transaction) = &mut self.transaction else { return reply::WRONG_ORDER };
        if to.flags != 0 || to.orcpt.is_some() {
            return reply::PARAMETER;
        }
        if !to.address.is_ascii() && !transaction.has_utf8 {
            return reply::NEEDS_UTF8;
        }
        let Ok(address) = to.address.parse::<Address>() else { return reply::NO_SUCH_ADDRESS };
        let Some(mailbox) = self.listener.config.mailboxes.read(&address) else {
            return reply::NO_SUCH_ADDRESS;
        };
        if transaction.recipients.len() >= self.listener.limits.max_recipients {
            return reply::TOO_MANY_RECIPIENTS;
        }
        if transaction.mailbox.as_ref().is_some_and(|first| *first != mailbox) {
            return reply::DIFFERENT_RECIPIENTS;
        }
        if transaction.sender_status == SenderStatus::Unchecked {
            match sender_status(&self.listener, transaction.sender.clone()).await {
                Some(sender_status) => transaction.sender_status = sender_status,
                None => return reply::TEMPORARY_FAILURE,
            }
        }
        let is_refused = self.listener.unknown_senders == UnknownSenders::Refuse;
        if transaction.sender_status == SenderStatus::Unknown && is_refused {
            return reply::UNKNOWN_SENDER;
        }
        transaction.recipients.push(address);
        transaction.mailbox = Some(mailbox);
        reply::RECIPIENT_OK
    }

    async fn data(&mut self) -> io::Result<Step> {
        let has_recipient = self.transaction.as_ref().is_some_and(|t| !t.recipients.is_empty());
        let Some(transaction) = self.transaction.take_if(|_| has_recipient) else {
            return Ok(self.reply(&reply::WRONG_ORDER));
        };
        if !self.wire.input().is_empty() {
            return Ok(self.close_with(&reply::TOO_EARLY));
        }
        self.n_messages += 1;
        if self.n_messages > self.listener.limits.max_messages {
            return Ok(self.close_with(&reply::TOO_MANY_COMMANDS));
        }
        self.wire.queue(&reply::GO_AHEAD);
        self.wire.flush().await?;
        let n_replies = match self.listener.protocol {
            Protocol::Smtp => 1,
            Protocol::Lmtp => transaction.recipients.len(),
        };
        let (reply, step) = match self.message().await? {
            Received::Complete(bytes) => {
                (deliver(&self.listener, transaction, bytes, self.peer).await, Step::Next)
            }
            Received::Faulty(fault) => (reply::fault_reply(fault), Step::Next),
            Received::Broken(fault) => (reply::fault_reply(fault), Step::Close),
            Received::TimedOut => return Ok(self.close_with(&reply::TOO_SLOW)),
            Received::Disconnected => return Ok(Step::Close),
        };
        for _ in 1..n_replies {
            self.wire.queue(&reply);
        }
        let after = self.reply(&reply);
        Ok(if step == Step::Close { Step::Close } else { after })
    }

    /// Reads a message to its end.
    async fn message(&mut self) -> io::Result<Received> {
        let limits = Arc::clone(&self.listener.limits);
        let end = Instant::now() + limits.data_timeout;
        let mut data = Data::new(limits.max_message_bytes, limits.max_line_bytes);
        let mut reservation = self.listener.memory.reservation();
        let mut n_bytes = 0usize;
        loop {
            let next = Instant::now() + limits.command_timeout;
            match timeout_at(end.min(next), self.wire.read()).await {
                Err(_) => return Ok(Received::TimedOut),
                Ok(read) => {
                    if read? == 0 {
                        return Ok(Received::Disconnected);
                    }
                }
            }
            let progress = data.push(self.wire.input());
            if !reservation.resize(data.memory_bytes()) {
                data.set_fault(Fault::OutOfMemory);
                reservation.resize(0);
            }
            if data.fault() == Some(Fault::BareLineEnd) {
                return Ok(Received::Broken(Fault::BareLineEnd));
            }
            if let Progress::Complete(end) = progress {
                self.wire.skip(end);
                let fault = data.fault();
                return Ok(
                    fault.map_or_else(|| Received::Complete(data.into_message()), Received::Faulty)
                );
            }
            n_bytes = n_bytes.saturating_add(self.wire.input().len());
            self.wire.skip(usize::MAX);
            if let Some(fault) = data.fault().filter(|_| n_bytes / 2 > limits.max_message_bytes) {
                return Ok(Received::Broken(fault));
            }
        }
    }
}

/// The outcome of `DATA`.
enum Received {
    /// A complete message, without dot stuffing.
    Complete(Vec<u8>),
    /// The message is complete, but not accepted.
    Faulty(Fault),
    /// The message is not accepted, and its end is uncertain or too far away.
    Broken(Fault),
    /// A time limit was exceeded.
    TimedOut,
    /// The client disconnected before the end.
    Disconnected,
}

/// The reply to a command that cannot be parsed.
fn error_reply(error: &smtp_proto::Error) -> Reply {
    match error {
        smtp_proto::Error::UnknownCommand => reply::UNKNOWN_COMMAND,
        smtp_proto::Error::InvalidSenderAddress => reply::BAD_SENDER,
        smtp_proto::Error::InvalidRecipientAddress => reply::NO_SUCH_ADDRESS,
        smtp_proto::Error::UnsupportedParameter { .. } => reply::PARAMETER,
        _ => reply::SYNTAX,
    }
}
