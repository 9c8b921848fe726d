//! Tests of incoming and outgoing mail through listeners on this machine.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use textkin_mail::{
    Destination, IncomingMessage, Listener, MailConfig, MailHandler, Mailboxes, Protocol,
    pipe::pipe,
};
use tokio::runtime::Runtime;

use textkin_registry::{
    Channel, DeliveryConfig, ExistingPolicy, MailOut, NewDocument, NewKey, Scope, Service,
    ServiceLimits, Visibility,
};

use super::*;

const POEM: &str = "The quality of mercy is not strained it droppeth as the gentle rain from heaven upon \
                    the place beneath it is twice blest it blesseth him that gives and him that takes";

/// Returns an actor for the account `name`, which is created with the mail address `NAME@a.example`.
fn actor(service: &Service, name: &str) -> Actor {
    let new = NewKey {
        name: "test".to_owned(),
        scopes: vec![Scope::Admin],
        repository: None,
        days: None,
        addresses: None,
    };
    let key = |name: &str, is_admin| {
        let key = service.new_key_for(name, is_admin, &new).unwrap().key.unwrap();
        service.key(&key, None).unwrap()
    };
    let mail = format!("{name}@a.example");
    service.new_account(&key("root", true), name, Some(&mail), None, false).unwrap();
    key(name, false)
}

fn repository(service: &Service, actor: &Actor, name: &str, visibility: Visibility) {
    let new = serde_json::json!({ "name": name, "visibility": visibility });
    service.new_repository(actor, &serde_json::from_value(new).unwrap()).unwrap();
}

fn register(service: &Service, actor: &Actor, repository: &str, id: &str, text: &str) {
    let new = NewDocument { id: Some(id.to_owned()), text: text.to_owned(), ..Default::default() };
    service.register(actor, repository, new, ExistingPolicy::Refuse, None).unwrap();
}

/// A service with workers, an outbox for mail and two accounts: anna, who has the private repository
/// `poems`, and ben, who has the public repository `news`.
struct TestServer {
    service: Arc<Service>,
    workers: Vec<std::thread::JoinHandle<()>>,
    outbox: Arc<textkin_mail::Outbox>,
    anna: Actor,
    ben: Actor,
    _folder: tempfile::TempDir,
}

impl TestServer {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Arc::new(textkin_mail::Outbox::default());
        let config = DeliveryConfig {
            site: "https://kin.example".to_owned(),
            mail: Some(MailOut {
                sender: Arc::clone(&outbox) as Arc<dyn textkin_mail::Sender>,
                from: "textkin@kin.example".parse().unwrap(),
            }),
            ..DeliveryConfig::default()
        };
        let service = Service::open_with(folder.path(), ServiceLimits::default(), config).unwrap();
        let workers = service.start_workers().unwrap();
        let (anna, ben) = (actor(&service, "anna"), actor(&service, "ben"));
        repository(&service, &anna, "poems", Visibility::Private);
        repository(&service, &ben, "news", Visibility::Public);
        register(&service, &anna, "poems", "mercy", POEM);
        Self { service, workers, outbox, anna, ben, _folder: folder }
    }

    fn copy(&self, id: &str) {
        register(&self.service, &self.ben, "news", id, &format!("{id} was read today: {POEM}"));
    }

    fn wait(&self, what: &str, is_done: impl Fn() -> bool) {
        let started = std::time::Instant::now();
        while !is_done() {
            let sent = self.outbox.sent().len();
            assert!(started.elapsed() < Duration::from_secs(15), "{what}: {sent} messages sent");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.service.stop();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
    }
}

fn mail_config() -> Arc<MailConfig> {
    let mut mail_config =
        MailConfig::new(Mailboxes::new(&["kin.example".to_owned()], "textkin").unwrap());
    mail_config.site = Some("https://kin.example".to_owned());
    Arc::new(mail_config)
}

/// A test server that answers mail, with the addresses of its SMTP and LMTP listeners.
struct MailServer {
    server: TestServer,
    smtp: SocketAddr,
    lmtp: SocketAddr,
    worker: Option<std::thread::JoinHandle<()>>,
    _runtime: Runtime,
}

impl MailServer {
    fn new() -> Self {
        let server = TestServer::new();
        let runtime = Runtime::new().unwrap();
        let handler = Arc::new(ServiceMailHandler::new(Arc::clone(&server.service)));
        let worker = start_worker(&server.service, Arc::clone(&handler), mail_config()).unwrap();
        let listen = |protocol| {
            let handler = Arc::clone(&handler) as Arc<dyn MailHandler>;
            let listener =
                Listener::new(handler, mail_config(), protocol, textkin_mail::Limits::default());
            let socket = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
            let address = socket.local_addr().unwrap();
            runtime.spawn(async move { listener.serve(socket, std::future::pending()).await });
            address
        };
        let (smtp, lmtp) = (listen(Protocol::Smtp), listen(Protocol::Lmtp));
        Self { server, smtp, lmtp, worker: Some(worker), _runtime: runtime }
    }

    /// Sends a message by SMTP; returns the last reply.
    fn write(&self, from: &str, to: &str, message: &str) -> String {
        let stream = TcpStream::connect(self.smtp).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let mut reader = BufReader::new(stream);
        let mut last = reply(&mut reader);
        for command in [
            "EHLO a.example".to_owned(),
            format!("MAIL FROM:<{from}>"),
            format!("RCPT TO:<{to}>"),
            "DATA".to_owned(),
        ] {
            reader.get_mut().write_all(format!("{command}\r\n").as_bytes()).unwrap();
            last = reply(&mut reader);
            if last.starts_with('5') {
                return last;
            }
        }
        assert!(last.starts_with("354"), "{last}");
        let message = message.replace('\n', "\r\n");
        reader.get_mut().write_all(format!("{message}\r\n.\r\n").as_bytes()).unwrap();
        reply(&mut reader)
    }

    /// Waits for the reply with this index.
    fn answer(&self, n: usize) -> String {
        self.server.wait("answered", || self.server.outbox.sent().len() > n);
        let (to, bytes) = self.server.outbox.sent().remove(n);
        assert_eq!(to.folded(), "anna@a.example");
        readable(&bytes)
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        self.server.service.stop();
        if let Some(worker) = self.worker.take() {
            let _ = worker.join();
        }
    }
}

/// Decodes a message: quoted-printable, and lines broken by `format=flowed`.
fn readable(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).replace("=\r\n", "");
    let mut decoded = Vec::new();
    for (at, part) in text.split('=').enumerate() {
        match part.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| at > 0) {
            Some(byte) => {
                decoded.push(byte);
                decoded.extend_from_slice(&part.as_bytes()[2..]);
            }
            None => {
                decoded.extend(std::iter::repeat_n(b'=', at.min(1)));
                decoded.extend_from_slice(part.as_bytes());
            }
        }
    }
    String::from_utf8(decoded).unwrap().replace(" \r\n", " ")
}

fn reply(reader: &mut BufReader<TcpStream>) -> String {
    loop {
        let mut line = String::new();
        assert!(reader.read_line(&mut line).unwrap() > 0, "the listener closed the connection");
        if line.as_bytes().get(3) != Some(&b'-') {
            return line;
        }
    }
}

#[test]
fn requests_by_mail_are_carried_out_and_answered_once() {
    let mail = MailServer::new();
    let TestServer { service, anna, ben, .. } = &mail.server;
    let song = "Fear no more the heat of the sun nor the furious winters rages thou thy worldly \
                task hast done home art gone and taken thy wages golden lads and girls all must";
    let message = format!("Subject: REGISTER: Fear no more\nMessage-Id: <1@a>\n\n{song}\n");
    for _ in 0..2 {
        let accepted = mail.write("Anna@A.example", "textkin@kin.example", &message);
        assert!(accepted.starts_with("250"), "{accepted}");
    }
    let answer = mail.answer(0);
    assert!(answer.contains("Subject: 1 document registered in poems"), "{answer}");
    assert!(answer.contains("https://kin.example/repositories/poems"), "{answer}");
    let documents = service.documents(anna, "poems", None, None, 10).unwrap().0;
    let id = &documents[1].id;
    assert_eq!(documents[1].title.as_deref(), Some("Fear no more"));
    assert!(answer.contains(&format!("REMOVE poems/{id}")), "{answer}");

    let message = format!("Subject: anything\nMessage-Id: <2@a>\n\nAs they sing: {song}\n");
    mail.write("anna@a.example", "probe@kin.example", &message);
    let answer = mail.answer(1);
    assert!(answer.contains("Exact:") && answer.contains(&format!("(poems/{id})")), "{answer}");

    let file = "Subject: WATCH poems\nMessage-Id: <3@a>\nMIME-Version: 1.0\n\
        Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/plain\n\nSee below.\n\
        --b\nContent-Type: text/html\nContent-Disposition: attachment; filename=page.html\n\n\
        <p>When icicles hang by the wall and Dick the shepherd blows his nail and Tom bears logs \
        into the hall and milk comes frozen home in pail</p>\n--b--\n";
    mail.write("anna@a.example", "textkin@kin.example", file);
    let answer = mail.answer(2);
    assert!(answer.contains("1 document watched in poems"), "{answer}");
    assert!(answer.contains("page.html: 27 words"), "{answer}");
    let watches = service.watches(anna).unwrap();
    assert!(watches[0].channels.contains(&Channel::Mail));

    // An alert is sent by mail.
    mail.server.copy("today");
    let answer = mail.answer(3);
    assert!(answer.contains("news/today") && answer.contains("poems/mercy"), "{answer}");

    mail.write("anna@a.example", "textkin@kin.example", "Subject: STATUS\nMessage-Id: <4@a>\n\n");
    let answer = mail.answer(4);
    assert!(answer.contains("poems: 3 documents, watched"), "{answer}");
    let message = "Subject: STATUS mercy\nMessage-Id: <5@a>\n\n";
    mail.write("anna@a.example", "textkin@kin.example", message);
    let answer = mail.answer(5);
    assert!(answer.contains("It reappeared once"), "{answer}");

    for (n, wanted) in [(6, "Removed: poems/mercy"), (7, "Nothing was done")] {
        let message = format!("Subject: REMOVE mercy\nMessage-Id: <r{n}@a>\n\n");
        mail.write("anna@a.example", "textkin@kin.example", &message);
        let answer = mail.answer(n);
        assert!(answer.contains(wanted), "{answer}");
    }
    assert!(service.document(anna, "poems", "mercy", false).is_err());

    // With several repositories the reply asks which one is meant.
    repository(service, anna, "songs", Visibility::Private);
    let message = format!("Subject: REGISTER\nMessage-Id: <8@a>\n\n{song}\n");
    mail.write("anna@a.example", "textkin@kin.example", &message);
    let answer = mail.answer(8);
    assert!(answer.contains("Which repository?") && answer.contains("songs"), "{answer}");
    // Repositories of others are treated as missing.
    repository(service, ben, "secret", Visibility::Private);
    let ask = |name: &str, n| {
        let message = format!("Subject: PROBE {name}\nMessage-Id: <p{n}@a>\n\n{song}\n");
        mail.write("anna@a.example", "textkin@kin.example", &message);
        let answer = mail.answer(n);
        assert!(answer.contains(&format!("there is no repository '{name}'")), "{answer}");
    };
    ask("secret", 9);
    ask("nothing", 10);
    // Unknown senders are refused, and automated messages are not answered.
    let refused = mail.write("eve@e.example", "textkin@kin.example", "Subject: STATUS\n\n");
    assert!(refused.starts_with("550"), "{refused}");
    let automated = "Subject: STATUS\nAuto-Submitted: auto-replied\n\n";
    assert!(mail.write("anna@a.example", "textkin@kin.example", automated).starts_with("250"));
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(mail.server.outbox.sent().len(), 11);
}

#[test]
fn mail_without_a_repository_means_the_own_team() {
    let mail = MailServer::new();
    let TestServer { service, anna, ben, .. } = &mail.server;
    let mal = actor(service, "mal");
    let join = |who: &Actor| {
        service.set_member(&mal, "mal", &who.name, Role::Writer).unwrap();
        service.answer_invitation(who, "mal", true).unwrap();
    };
    for name in ["poems", "trap"] {
        repository(service, &mal, name, Visibility::Private);
    }
    register(service, &mal, "poems", "mercy", POEM);
    join(anna);
    join(ben);
    let send = |from: &str, subject: &str, n: usize| {
        let message = format!("Subject: {subject}\nMessage-Id: <{n}@a>\n\nSome words of {from}\n");
        mail.write(from, "textkin@kin.example", &message);
        mail.server.wait("answered", || mail.server.outbox.sent().len() > n);
        readable(&mail.server.outbox.sent()[n].1)
    };
    // Anna has one private repository of her own.
    let answer = send("anna@a.example", "REGISTER", 0);
    assert!(answer.contains("1 document registered in poems"), "{answer}");
    assert_eq!(service.documents(anna, "anna:poems", None, None, 10).unwrap().0.len(), 2);
    let answer = send("anna@a.example", "STATUS mercy", 1);
    assert!(answer.contains("Status of poems/mercy"), "{answer}");
    // Ben has none: where others read it, nothing is registered unless he names the repository.
    let answer = send("ben@a.example", "REGISTER", 2);
    assert!(answer.contains("no private repository of your own"), "{answer}");
    assert!(answer.contains("* trap (team mal)"), "{answer}");
    assert_eq!(service.documents(&mal, "trap", None, None, 10).unwrap().0.len(), 0);
    let answer = send("ben@a.example", "REGISTER mal:trap", 3);
    assert!(answer.contains("1 document registered in mal:trap"), "{answer}");
}

#[test]
fn a_stored_message_is_answered_once_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let outbox = Arc::new(textkin_mail::Outbox::default());
    let open = || {
        let delivery_config = DeliveryConfig {
            mail: Some(MailOut {
                sender: Arc::clone(&outbox) as Arc<dyn textkin_mail::Sender>,
                from: "textkin@kin.example".parse().unwrap(),
            }),
            ..DeliveryConfig::default()
        };
        Service::open_with(folder.path(), ServiceLimits::default(), delivery_config).unwrap()
    };
    let message = IncomingMessage {
        sender: "anna@a.example".parse().ok(),
        recipients: vec!["register@kin.example".parse().unwrap()],
        bytes: format!("Subject: Mercy\r\nMessage-Id: <1@a>\r\n\r\n{POEM}\r\n").into_bytes(),
        peer: "local".to_owned(),
    };
    let service = open();
    let anna = actor(&service, "anna");
    repository(&service, &anna, "poems", Visibility::Private);
    assert!(service.store_message(&message).unwrap());
    drop(service);
    for _ in 0..2 {
        let service = open();
        assert!(service.store_message(&message).unwrap());
        let handler = Arc::new(ServiceMailHandler::new(Arc::clone(&service)));
        let worker = start_worker(&service, Arc::clone(&handler), mail_config()).unwrap();
        let started = std::time::Instant::now();
        while outbox.sent().is_empty() && started.elapsed() < Duration::from_secs(15) {
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(100));
        service.stop();
        worker.join().unwrap();
        drop(handler);
        assert_eq!(outbox.sent().len(), 1);
        assert_eq!(service.documents(&anna, "poems", None, None, 10).unwrap().0.len(), 1);
        assert_eq!(service.n_waiting_messages().unwrap(), 0);
    }
}

#[test]
fn a_pipe_delivers_messages() {
    let mail = MailServer::new();
    let to = ["status@kin.example".to_owned()];
    let here = Destination::Tcp(mail.lmtp);
    let message = &b"Subject: current state\nMessage-Id: <1@a>\n\n"[..];
    pipe(message, "anna@a.example", &to, &here, 1000).unwrap();
    assert!(mail.answer(0).contains("Subject: Status: 0 alerts open"), "{}", mail.answer(0));
    let unknown = pipe(message, "eve@e.example", &to, &here, 1000);
    assert_eq!(unknown.unwrap_err().code(), 65);
}
