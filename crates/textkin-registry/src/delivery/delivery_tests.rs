//! Tests of deliveries to receivers on this machine.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::delivery::webhook::{NetworkPolicy, Secret, verify};
use textkin_mail::Outbox;

use crate::domain::{Actor, RepositoryId};
use crate::error::Error;
use crate::service::tests::{POEM, actor, register, repository};
use crate::service::*;
use crate::store::tests::set_mail;

/// A webhook receiver that answers with the given statuses in turn, then with 200.
struct Receiver {
    url: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

#[derive(Clone, Debug)]
struct Request {
    head: String,
    body: Vec<u8>,
}

impl Request {
    fn field(&self, name: &str) -> String {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut found = lines.filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map_or(String::new(), |(_, value)| value.to_owned())
    }

    fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

impl Receiver {
    fn new(statuses: Vec<u16>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (requests, mut statuses) = (Arc::clone(&seen), statuses.into_iter());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
                let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
                let request = loop {
                    let n = stream.read(&mut buffer).unwrap_or(0);
                    bytes.extend_from_slice(&buffer[..n]);
                    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
                    if let Some(end) = end {
                        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
                        let body = bytes[end + 4..].to_vec();
                        let request = Request { head, body };
                        let length = request.field("content-length").parse().unwrap_or(0);
                        if request.body.len() >= length {
                            break request;
                        }
                    }
                    assert!(n > 0, "the request is incomplete");
                };
                requests.lock().unwrap().push(request);
                let status = statuses.next().unwrap_or(200);
                let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 2\r\n\r\nok");
                stream.write_all(answer.as_bytes()).unwrap();
            }
        });
        Self { url, seen }
    }

    fn seen(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

/// A service with workers, two accounts and an outbox for mail.
pub(super) struct TestServer {
    pub(super) service: Arc<Service>,
    workers: Vec<JoinHandle<()>>,
    pub(super) outbox: Arc<Outbox>,
    pub(super) anna: Actor,
    pub(super) ben: Actor,
    _folder: tempfile::TempDir,
}

impl TestServer {
    /// Creates two accounts: anna, who has a mail address and the private repository `poems`, and ben,
    /// who has the public repository `news`.
    pub(super) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let outbox = Arc::new(Outbox::default());
        let delivery_config = DeliveryConfig {
            site: "https://kin.example".to_owned(),
            network_policy: NetworkPolicy {
                allowed_networks: vec!["127.0.0.1".parse().unwrap()],
                allow_http: true,
            },
            delay: |n, _| (n < 4).then_some(Duration::ZERO),
            mail: Some(MailOut {
                sender: Arc::clone(&outbox) as Arc<dyn textkin_mail::Sender>,
                from: "textkin@kin.example".parse().unwrap(),
            }),
            ..DeliveryConfig::default()
        };
        let service =
            Service::open_with(folder.path(), ServiceLimits::default(), delivery_config).unwrap();
        let workers = service.start_workers().unwrap();
        let (anna, ben) = (actor(&service, "anna", "admin"), actor(&service, "ben", "admin"));
        let account = anna.account;
        let mail = Some("anna@a.example");
        service.store.write(move |write| set_mail(write, account, mail)).unwrap();
        repository(&service, &anna, "poems", Visibility::Private);
        repository(&service, &ben, "news", Visibility::Public);
        register(&service, &anna, "poems", "mercy", POEM);
        Self { service, workers, outbox, anna, ben, _folder: folder }
    }

    fn hook(&self, url: &str) -> HookView {
        let new = NewHook { name: None, url: url.to_owned(), secret: None };
        self.service.new_hook(&self.anna, &new).unwrap()
    }

    fn watch(&self, more: &serde_json::Value) {
        let mut watch = serde_json::json!({ "repository": "poems" });
        watch.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.service.new_watch(&self.anna, &serde_json::from_value(watch).unwrap()).unwrap();
    }

    pub(super) fn copy(&self, id: &str) {
        register(&self.service, &self.ben, "news", id, &format!("{id} was read today: {POEM}"));
    }

    fn deliveries(&self, state: Option<DeliveryState>) -> Vec<DeliveryView> {
        self.service.deliveries(&self.anna, state, None, 100).unwrap()
    }

    pub(super) fn wait(&self, what: &str, is_done: impl Fn() -> bool) {
        let started = Instant::now();
        while !is_done() {
            let is_late = started.elapsed() > Duration::from_secs(15);
            assert!(!is_late, "{what}: {:?}", self.deliveries(None));
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

#[test]
fn an_alert_is_signed_and_reaches_a_webhook_within_seconds() {
    let (server, receiver) = (TestServer::new(), Receiver::new(vec![]));
    let hook = server.hook(&receiver.url);
    let secret = hook.secret.clone().unwrap();
    assert!(server.service.hooks(&server.anna).unwrap()[0].secret.is_none());
    assert!(!format!("{hook:?}").contains(&secret));
    server.watch(&serde_json::json!({ "channels": ["webhook"] }));
    let started = Instant::now();
    server.copy("today");
    server.wait("delivered", || !receiver.seen().is_empty());
    assert!(started.elapsed() < Duration::from_secs(5));
    server.wait("stored", || server.deliveries(Some(DeliveryState::Done)).len() == 1);
    let request = &receiver.seen()[0];
    let payload = request.json();
    assert_eq!(payload["event"], "alert");
    assert_eq!(payload["alert"]["registered"]["id"], "mercy");
    assert_eq!(payload["alert"]["found"]["id"], "today");
    assert_eq!(payload["alert"]["level"], "exact");
    assert_eq!(payload["delivery"].to_string(), request.field("x-textkin-delivery"));
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let signature = request.field("x-textkin-signature");
    let check = |secret: &str| {
        verify(&Secret::new(secret), &signature, &request.body, now, Duration::from_secs(300))
    };
    assert_eq!(check(&secret), Ok(()));
    assert!(check("another").is_err());
    // Nothing is delivered twice unless requested, and then with the same id.
    let delivery = server.deliveries(None)[0].clone();
    assert_eq!((delivery.attempts, delivery.answer.as_str()), (1, "200 ok"));
    assert!(server.service.resend(&server.ben, delivery.id).is_err());
    server.service.resend(&server.anna, delivery.id).unwrap();
    server.wait("delivered again", || receiver.seen().len() == 2);
    assert_eq!(receiver.seen()[1].field("x-textkin-delivery"), delivery.id.to_string());
    server.wait("done again", || server.deliveries(Some(DeliveryState::Done)).len() == 1);
    assert_eq!(receiver.seen().len(), 2);
}

#[test]
fn a_failed_delivery_is_retried_until_it_is_given_up() {
    let (server, receiver) = (TestServer::new(), Receiver::new(vec![500, 503]));
    server.hook(&receiver.url);
    server.watch(&serde_json::json!({ "channels": ["webhook"] }));
    server.copy("today");
    server.wait("accepted", || server.deliveries(Some(DeliveryState::Done)).len() == 1);
    let seen = receiver.seen();
    assert_eq!(seen.len(), 3);
    let number = |request: &Request| request.field("x-textkin-delivery");
    assert!(seen.iter().all(|request| number(request) == number(&seen[0])));
    assert_eq!(server.deliveries(None)[0].attempts, 3);
    let (server, receiver) = (TestServer::new(), Receiver::new(vec![500; 4]));
    server.hook(&receiver.url);
    server.watch(&serde_json::json!({ "channels": ["webhook"] }));
    server.copy("today");
    server.wait("given up", || server.deliveries(Some(DeliveryState::Failed)).len() == 1);
    assert_eq!(receiver.seen().len(), 4);
    let failed = &server.deliveries(None)[0];
    assert_eq!((failed.answer.as_str(), failed.next), ("500 ok", None));
}

#[test]
fn a_test_reports_its_outcome_and_webhooks_belong_to_one_account() {
    let (server, receiver) = (TestServer::new(), Receiver::new(vec![200, 404]));
    let hook = server.hook(&receiver.url);
    for wanted in [DeliveryState::Done, DeliveryState::Failed] {
        let id = server.service.test_hook(&server.anna, hook.id).unwrap().id;
        let state = || server.service.delivery(&server.anna, id).unwrap().state;
        server.wait("tested", || state() == wanted);
    }
    assert_eq!(receiver.seen().len(), 2);
    assert_eq!(receiver.seen()[0].json()["event"], "test");
    assert_eq!(server.service.hooks(&server.anna).unwrap()[0].last, Some(DeliveryState::Failed));
    let Actor { account, name, .. } = &server.anna;
    assert!(server.service.hooks(&server.ben).unwrap().is_empty());
    assert!(server.service.test_hook(&server.ben, hook.id).is_err());
    assert!(server.service.delete_hook(&server.ben, hook.id).is_err());
    let reader = actor(&server.service, name, "read,register");
    assert_eq!(reader.account, *account);
    assert_eq!(server.service.hooks(&reader).unwrap().len(), 1);
    assert!(server.service.delete_hook(&reader, hook.id).is_err());
    let of_one = Actor { only: RepositoryId::new(1), ..server.anna.clone() };
    assert!(server.service.hooks(&of_one).is_err());
    assert!(server.service.deliveries(&of_one, None, None, 10).is_err());
    server.watch(&serde_json::json!({ "channels": ["webhook"] }));
    server.service.delete_hook(&server.anna, hook.id).unwrap();
    assert!(server.deliveries(None).is_empty());
    server.copy("today");
    server.wait("in the inbox", || server.service.open_alerts(&server.anna).unwrap() == 1);
    assert!(server.deliveries(None).is_empty());
}

#[test]
fn webhooks_cannot_use_private_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let service = Service::open(folder.path(), ServiceLimits::default()).unwrap();
    let anna = actor(&service, "anna", "admin");
    for url in [
        "https://127.0.0.1/",
        "https://localhost/",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]/",
        "https://10.0.0.1/",
        "http://example.org/",
        "https://ann:secret@example.org/",
        "https://example.org:25/",
        "ftp://example.org/",
        "not an address",
    ] {
        let new = NewHook { name: None, url: url.to_owned(), secret: None };
        let refused = service.new_hook(&anna, &new);
        assert!(matches!(refused, Err(Error::Invalid(_))), "{url}: {refused:?}");
    }
    let new = NewHook {
        name: None,
        url: "https://example.org/x".to_owned(),
        secret: Some("short".to_owned()),
    };
    assert!(service.new_hook(&anna, &new).is_err());
}

#[test]
fn mail_is_sent_once_alone_or_in_a_digest() {
    let server = TestServer::new();
    server.watch(&serde_json::json!({ "channels": ["mail"] }));
    server.copy("today");
    server.wait("sent", || !server.outbox.sent().is_empty());
    let (to, message) = server.outbox.sent().remove(0);
    assert_eq!(to.to_string(), "anna@a.example");
    let message = String::from_utf8(message).unwrap();
    assert!(
        message.contains("https://kin.example/compare?a=poems%2Fmercy&b=news%2Ftoday"),
        "{message}"
    );
    assert!(message.contains("46 of 46 words"), "{message}");
    server.wait("done", || server.deliveries(Some(DeliveryState::Done)).len() == 1);
    // Many alerts at once are sent as a digest.
    let account = server.anna.account;
    let lines: String = (0..40)
        .map(|n| format!("{}\n", serde_json::json!({ "id": format!("c{n}"), "text": POEM })))
        .collect();
    let upload = server.service.new_upload("copies.jsonl").unwrap();
    std::fs::write(upload.path(), lines).unwrap();
    server.service.new_load(&server.ben, "news", upload, ExistingPolicy::Refuse).unwrap();
    server.wait("all are done", || server.deliveries(Some(DeliveryState::Done)).len() == 41);
    let sent = server.outbox.sent();
    assert!(sent.len() < 20, "{}", sent.len());
    // Without a mail address the delivery fails.
    server.service.store.write(move |write| set_mail(write, account, None)).unwrap();
    server.copy("tomorrow");
    server.wait("given up", || server.deliveries(Some(DeliveryState::Failed)).len() == 1);
    assert_eq!(server.outbox.sent().len(), sent.len());
}
