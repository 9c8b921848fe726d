//! A listener with a handler behind it, and a client that sends exactly what a test wants.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use textkin_mail::{
    Address, Answer, DropReason, IncomingMessage, Limits, Listener, MailConfig, MailHandler,
    Mailboxes, OutgoingMessage, Protocol, Refusal, ReplyContent, Request, UnavailableError,
    UnknownSenders, answer, bind_unix,
};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

/// Knows senders at `a.example`, keeps messages in memory, and records what it did.
#[derive(Default)]
pub(crate) struct TestHandler {
    pub(crate) messages: Mutex<Vec<IncomingMessage>>,
    pub(crate) dropped: Mutex<Vec<DropReason>>,
    known: Mutex<BTreeSet<String>>,
    pub(crate) refusal: Mutex<Option<Refusal>>,
}

impl MailHandler for TestHandler {
    fn is_known_sender(&self, sender: &Address) -> Result<bool, UnavailableError> {
        match sender.local() {
            "unavailable" => Err(UnavailableError("test".to_owned())),
            _ => Ok(sender.host() == "a.example"),
        }
    }

    fn accept(&self, message: IncomingMessage) -> Result<(), Refusal> {
        if let Some(refusal) = self.refusal.lock().unwrap().clone() {
            return Err(refusal);
        }
        if self.known.lock().unwrap().insert(message.identity()) {
            self.messages.lock().unwrap().push(message);
        }
        Ok(())
    }

    fn record_dropped(&self, _: &IncomingMessage, reason: DropReason) {
        self.dropped.lock().unwrap().push(reason);
    }

    fn handle(&self, request: Request) -> Result<ReplyContent, UnavailableError> {
        let names = request.documents.iter().map(|document| {
            let name = document.name.clone().unwrap_or_else(|| "text".to_owned());
            format!("{name} ({} bytes)", document.bytes.len())
        });
        Ok(ReplyContent {
            subject: format!("{}: done", request.verb),
            text: names.collect::<Vec<_>>().join(", "),
            link: Some("https://kin.example/results/1".to_owned()),
            withdraw: None,
        })
    }
}

pub(crate) fn config() -> MailConfig {
    MailConfig::new(Mailboxes::new(&["kin.example".to_owned()], "textkin").unwrap())
}

/// A listener that runs until it is dropped.
pub(crate) struct TestServer {
    pub(crate) handler: Arc<TestHandler>,
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    runtime: Option<Runtime>,
    done: Option<tokio::task::JoinHandle<()>>,
}

impl TestServer {
    pub(crate) fn new(protocol: Protocol, limits: Limits) -> Self {
        Self::with(protocol, limits, UnknownSenders::Refuse)
    }

    pub(crate) fn with(protocol: Protocol, limits: Limits, unknown: UnknownSenders) -> Self {
        Self::with_config(config(), protocol, limits, unknown)
    }

    pub(crate) fn with_config(
        config: MailConfig,
        protocol: Protocol,
        limits: Limits,
        unknown: UnknownSenders,
    ) -> Self {
        let runtime = Runtime::new().unwrap();
        let handler = Arc::new(TestHandler::default());
        let listener = Listener::new(handler.clone(), Arc::new(config), protocol, limits)
            .unknown_senders(unknown);
        let socket = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = socket.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel();
        let done = runtime.spawn(async move {
            listener.serve(socket, async { stopped.await.unwrap_or_default() }).await;
        });
        Self { handler, address, stop: Some(stop), runtime: Some(runtime), done: Some(done) }
    }

    pub(crate) fn unix(path: &Path) -> Self {
        let runtime = Runtime::new().unwrap();
        let handler = Arc::new(TestHandler::default());
        let listener =
            Listener::new(handler.clone(), Arc::new(config()), Protocol::Lmtp, Limits::default());
        let socket = {
            let _guard = runtime.enter();
            bind_unix(path).unwrap()
        };
        let (stop, stopped) = oneshot::channel();
        let done = runtime.spawn(async move {
            listener.serve_unix(socket, async { stopped.await.unwrap_or_default() }).await;
        });
        Self {
            handler,
            address: ([127, 0, 0, 1], 0).into(),
            stop: Some(stop),
            runtime: Some(runtime),
            done: Some(done),
        }
    }

    pub(crate) fn smtp() -> Self {
        Self::new(Protocol::Smtp, Limits::default())
    }

    /// Stops the listener and waits for it.
    pub(crate) fn stop(&mut self) -> Duration {
        let start = Instant::now();
        if let (Some(stop), Some(runtime), Some(done)) =
            (self.stop.take(), &self.runtime, self.done.take())
        {
            let _ = stop.send(());
            runtime.block_on(done).unwrap();
        }
        start.elapsed()
    }

    pub(crate) fn client(&self) -> Client {
        let mut client = Client::connect(self.address);
        assert!(client.reply().starts_with("220 kin.example "));
        client
    }

    /// A client that has sent `MAIL` and `RCPT`.
    pub(crate) fn writer(&self) -> Client {
        let mut client = self.client();
        assert!(client.command("EHLO a.example").starts_with("250"));
        assert_eq!(client.command("MAIL FROM:<ann@a.example>"), "250 2.1.0 ok");
        assert_eq!(client.command("RCPT TO:<probe@kin.example>"), "250 2.1.5 ok");
        client
    }

    pub(crate) fn messages(&self) -> Vec<IncomingMessage> {
        self.handler.messages.lock().unwrap().clone()
    }

    /// The replies to all messages so far.
    pub(crate) fn replies(&self) -> Vec<OutgoingMessage> {
        let answers = self
            .messages()
            .into_iter()
            .map(|message| answer(&message, &*self.handler, &config()).unwrap());
        answers
            .filter_map(|answer| match answer {
                Answer::Reply(reply) => Some(reply),
                Answer::NoReply(_) => None,
            })
            .collect()
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.stop();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

/// A client that sends raw bytes.
pub(crate) struct Client {
    pub(crate) stream: TcpStream,
    input: Vec<u8>,
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream, input: Vec::new() }
    }

    /// A reply without its line end, the lines of a long one joined; empty if the server has closed
    /// the connection.
    pub(crate) fn reply(&mut self) -> String {
        let mut lines = Vec::new();
        loop {
            let line = self.line();
            let goes_on = line.as_bytes().get(3) == Some(&b'-');
            lines.push(line);
            if !goes_on {
                return lines.join("\n");
            }
        }
    }

    fn line(&mut self) -> String {
        loop {
            if let Some(end) = self.input.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.input.drain(..=end).collect();
                assert!(line.ends_with(b"\r\n"));
                return String::from_utf8(line).unwrap().trim_end().to_owned();
            }
            let mut bytes = [0; 4096];
            match self.stream.read(&mut bytes) {
                Ok(0) => return String::new(),
                Ok(n_bytes) => self.input.extend_from_slice(&bytes[..n_bytes]),
                Err(error) if error.kind() == ErrorKind::ConnectionReset => return String::new(),
                Err(error) => panic!("{error}"),
            }
        }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        // The server may have closed the connection; the reply says why.
        let _ = self.stream.write_all(bytes);
    }

    pub(crate) fn command(&mut self, command: &str) -> String {
        self.send(format!("{command}\r\n").as_bytes());
        self.reply()
    }

    /// Sends `bytes` unchanged after `DATA`.
    pub(crate) fn data(&mut self, bytes: &[u8]) -> String {
        assert!(self.command("DATA").starts_with("354"));
        self.send(bytes);
        self.reply()
    }
}
