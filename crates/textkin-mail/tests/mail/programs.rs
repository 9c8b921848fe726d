//! Real mail programs: `swaks` and `msmtp` send to the listener, `aiosmtpd` receives what is sent,
//! Postfix runs in front of the listener.
//!
//! Debian packages: `swaks`, `msmtp`, `python3-aiosmtpd` and `postfix` (which only root can start).
//! A test whose program is missing prints that and is skipped.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use textkin_mail::{Encryption, Limits, Protocol, Relay, RelayServer, Sender};

use crate::test_server::{TestServer, config};

/// Whether a program is installed; prints a note if it is not.
fn has(program: &str, arguments: &[&str]) -> bool {
    let run =
        Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_installed = run.is_ok_and(|status| status.success());
    if !is_installed {
        println!("skipped: {program} {} is not available", arguments.join(" "));
    }
    is_installed
}

/// Sends a PDF and a text to `probe@kin.example` with `swaks`.
fn swaks(server: &TestServer, more: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let pdf = folder.path().join("Gr\u{fc}\u{df}e paper.pdf");
    std::fs::write(&pdf, [&b"%PDF-1.4\r\n\0\xff\n.\n\r"[..], &[7; 5000]].concat()).unwrap();
    let attachment = format!("@{}", pdf.display());
    Command::new("swaks")
        .args(["--server", "127.0.0.1", "--port", &server.address.port().to_string()])
        .args([
            "--from",
            "ann@a.example",
            "--to",
            "probe@kin.example",
            "--h-Subject",
            "Fwd: PROBE essays",
        ])
        .args([
            "--body",
            "Please find attached.\n.\nAnn",
            "--attach-type",
            "application/pdf",
            "--attach",
            &attachment,
        ])
        .args(more)
        .output()
        .unwrap()
}

#[test]
fn swaks_can_send() {
    if !has("swaks", &["--version"]) {
        return;
    }
    for more in [&[][..], &["--pipeline"], &["--helo", "[127.0.0.1]"]] {
        let server = TestServer::smtp();
        let output = swaks(&server, more);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let replies = server.replies();
        assert_eq!(replies.len(), 1);
        assert!(replies[0].text.contains("paper.pdf (5016 bytes)"), "{}", replies[0].text);
    }
    let server = TestServer::new(Protocol::Lmtp, Limits::default());
    assert!(swaks(&server, &["--protocol", "LMTP"]).status.success());
    assert_eq!(server.messages().len(), 1);
    let server =
        TestServer::new(Protocol::Smtp, Limits { max_message_bytes: 2000, ..Limits::default() });
    let output = swaks(&server, &[]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("552 5.3.4 message too large"));
}

#[test]
fn msmtp_can_send() {
    if !has("msmtp", &["--version"]) {
        return;
    }
    let server = TestServer::smtp();
    let port = format!("--port={}", server.address.port());
    let mut msmtp = Command::new("msmtp")
        .args([
            "--host=127.0.0.1",
            &port,
            "--from=ann@a.example",
            "--",
            "register+essays@kin.example",
        ])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let message =
        "Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\nMessage-Id: <5@a>\n\n.\n..\nFrom here on\n";
    msmtp.stdin.take().unwrap().write_all(message.as_bytes()).unwrap();
    assert!(msmtp.wait().unwrap().success());
    let messages = server.messages();
    assert!(messages[0].bytes.ends_with(b"\r\n\r\n.\r\n..\r\nFrom here on\r\n"));
    assert_eq!(messages[0].subject(), "Gr\u{fc}\u{df}e");
    assert_eq!(server.replies()[0].subject, "REGISTER: done");
}

/// A receiving mail server in Python, which prints what it accepts.
struct Receiver {
    process: Child,
    output: BufReader<std::process::ChildStdout>,
    port: u16,
}

const RECEIVER: &str = r#"
import json, socket, sys, time
from aiosmtpd.controller import Controller
class Handler:
    async def handle_RCPT(self, server, session, envelope, address, options):
        if address.startswith("gone"):
            return "550 5.1.1 gone"
        if address.startswith("busy"):
            return "450 4.2.1 busy"
        envelope.rcpt_tos.append(address)
        return "250 ok"
    async def handle_DATA(self, server, session, envelope):
        sender = (envelope.mail_from or "").strip("<>")
        print(json.dumps([sender, envelope.rcpt_tos, envelope.content.decode("utf-8")]), flush=True)
        return "250 ok"
more = {}
if len(sys.argv) > 1:
    import ssl
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(sys.argv[2], sys.argv[3])
    more = {"ssl_context": context} if sys.argv[1] == "tls" else {"tls_context": context, "require_starttls": True}
free = socket.socket()
free.bind(("127.0.0.1", 0))
port = free.getsockname()[1]
free.close()
controller = Controller(Handler(), hostname="127.0.0.1", port=port, **more)
controller.start()
print(port, flush=True)
sys.stdin.read()
controller.stop()
"#;

impl Receiver {
    fn start(arguments: &[&str]) -> Option<Self> {
        let pythons = ["/usr/bin/python3", "python3"];
        let python = pythons.into_iter().find(|python| has(python, &["-c", "import aiosmtpd"]))?;
        let mut process = Command::new(python)
            .args(["-c", RECEIVER])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        Some(Self { process, output, port: line.trim().parse().unwrap() })
    }

    fn server(&self, host: &str, encryption: Encryption, extra_roots: Vec<Vec<u8>>) -> RelayServer {
        RelayServer {
            host: host.to_owned(),
            port: self.port,
            encryption,
            user: None,
            password: None,
            timeout: Duration::from_secs(10),
            extra_roots,
        }
    }

    fn relay(&self) -> Relay {
        let server = self.server("127.0.0.1", Encryption::None, Vec::new());
        Relay::new(&server, "kin.example", None).unwrap()
    }

    /// The next message, as a line of JSON.
    fn message(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        line
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn aiosmtpd_receives_the_reply() {
    let Some(mut receiver) = Receiver::start(&[]) else { return };
    let relay = receiver.relay();
    let server = TestServer::smtp();
    let mut client = server.writer();
    let message = "Subject: Re: PROBE\r\nMessage-Id: <9@a>\r\n\r\ntext\r\n.\r\n";
    assert!(client.data(message.as_bytes()).starts_with("250"));
    let service = config().mailboxes.service().unwrap();
    for mut reply in server.replies() {
        reply.text.insert_str(0, ".\n..\nGr\u{fc}\u{df}e \n");
        let bytes = reply.to_bytes(&service, std::time::UNIX_EPOCH).unwrap();
        relay.send(&reply.to, &bytes).unwrap();
    }
    let line = receiver.message();
    assert!(line.starts_with("[\"\", [\"ann@a.example\"], \""), "{line}");
    for expected in [
        "Auto-Submitted: auto-replied",
        "In-Reply-To: <9@a>",
        "References: <9@a>",
        "X-Textkin-Loop: kin.example",
        "To: ann@a.example",
        "format=flowed",
        "MIME-Version: 1.0",
        "See the result: https://kin.example/results/1",
        "\\r\\n\\r\\n.\\r\\n..\\r\\nGr=C3=BC=C3=9Fe\\r\\n",
    ] {
        assert!(line.contains(expected), "{expected}: {line}");
    }
    let gone = relay.send(&"gone@a.example".parse().unwrap(), b"x").unwrap_err();
    assert!(gone.is_permanent && gone.reason.contains("5.1.1 gone"), "{gone}");
    let busy = relay.send(&"busy@a.example".parse().unwrap(), b"x").unwrap_err();
    assert!(!busy.is_permanent && busy.reason.contains("4.2.1 busy"), "{busy}");
}

#[test]
fn mail_is_sent_encrypted_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (certificate, key) = (path("certificate"), path("key"));
    let made = Command::new("openssl")
        .args([
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=localhost",
        ])
        .args([
            "-addext",
            "subjectAltName=DNS:localhost",
            "-addext",
            "basicConstraints=critical,CA:FALSE",
        ])
        .args(["-keyout", &key, "-out", &certificate])
        .stderr(Stdio::null())
        .status();
    if !made.is_ok_and(|status| status.success()) {
        println!("skipped: openssl is not available");
        return;
    }
    let send = |server: &RelayServer| {
        let relay = Relay::new(server, "kin.example", None).unwrap();
        relay.send(&"ann@a.example".parse().unwrap(), b"Subject: x\r\n\r\ntext\r\n")
    };
    for (name, encryption) in [("tls", Encryption::Tls), ("starttls", Encryption::StartTls)] {
        let Some(mut receiver) = Receiver::start(&[name, &certificate, &key]) else { return };
        let untrusted = send(&receiver.server("localhost", encryption, Vec::new())).unwrap_err();
        assert!(!untrusted.is_permanent && untrusted.reason.contains("ertificate"), "{untrusted}");
        let pem = std::fs::read(&certificate).unwrap();
        send(&receiver.server("localhost", encryption, vec![pem])).unwrap();
        assert!(receiver.message().contains("text"));
    }
    let Some(receiver) = Receiver::start(&[]) else { return };
    assert!(send(&receiver.server("localhost", Encryption::StartTls, Vec::new())).is_err());
}

/// A private Postfix, independent of an installed one.
struct Postfix {
    folder: tempfile::TempDir,
    port: u16,
}

/// As in the documentation, without the chroot that a test cannot set up.
const MASTER: &str = "\
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000? 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
lmtp unix - - n - - lmtp
error unix - - n - - error
retry unix - - n - - error
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
scache unix - - n - 1 scache
postlog unix-dgram n - n - 1 postlogd
";

impl Postfix {
    fn start() -> Option<Self> {
        let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
        if !is_root || !has("postconf", &["-d", "mail_version"]) {
            println!("skipped: Postfix cannot be started");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().display().to_string();
        // Its processes run as other users and need access.
        Command::new("chmod").args(["755", &path]).status().unwrap();
        for part in ["queue", "data"] {
            std::fs::create_dir(folder.path().join(part)).unwrap();
        }
        Command::new("chown").args(["postfix", &format!("{path}/data")]).status().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let main = format!(
            "compatibility_level = 3.6\nqueue_directory = {path}/queue\ndata_directory = {path}/data\n\
             maillog_file = {path}/log\nmaillog_file_prefixes = /\nmyhostname = mx.kin.example\nmydestination =\n\
             inet_interfaces = 127.0.0.1\ninet_protocols = ipv4\nmynetworks = 127.0.0.0/8\nalias_maps =\nsmtpd_peername_lookup = no\n\
             relay_domains = kin.example\ntransport_maps = inline:{{ kin.example=lmtp:unix:{path}/lmtp }}\n"
        );
        std::fs::write(folder.path().join("main.cf"), main).unwrap();
        let smtpd = format!("127.0.0.1:{port} inet n - n - - smtpd\n{MASTER}");
        std::fs::write(folder.path().join("master.cf"), smtpd).unwrap();
        let started = Command::new("postfix").args(["-c", &path, "start"]).output().unwrap();
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        Some(Self { folder, port })
    }
}

impl Drop for Postfix {
    fn drop(&mut self) {
        let _ = Command::new("postfix").arg("-c").arg(self.folder.path()).arg("stop").output();
    }
}

#[test]
fn postfix_delivers_by_lmtp() {
    let Some(postfix) = Postfix::start() else { return };
    let socket = postfix.folder.path().join("lmtp");
    let server = TestServer::unix(&socket);
    Command::new("chown").arg("postfix").arg(&socket).status().unwrap();
    let mut client = crate::test_server::Client::connect(([127, 0, 0, 1], postfix.port).into());
    assert!(client.reply().starts_with("220 mx.kin.example"));
    client.command("EHLO a.example");
    client.command("MAIL FROM:<ann@a.example>");
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("250"));
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("250"));
    let reply = client.data(b"Subject: hello\r\nMessage-Id: <7@a>\r\n\r\n..\r\ntext \xff\r\n.\r\n");
    assert!(reply.starts_with("250"), "{reply}");
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while server.messages().is_empty() && std::time::Instant::now() < end {
        std::thread::sleep(Duration::from_millis(100));
    }
    let log = std::fs::read_to_string(postfix.folder.path().join("log")).unwrap_or_default();
    let messages = server.messages();
    assert_eq!(messages.len(), 1, "{log}");
    assert_eq!(messages[0].sender.as_ref().unwrap().to_string(), "ann@a.example");
    assert!(messages[0].bytes.ends_with(b"\r\n\r\n.\r\ntext \xff\r\n"));
    assert_eq!(server.replies().len(), 1);
}
