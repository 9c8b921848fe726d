//! Programs of others on both sides: `swaks` and `msmtp` write to the listener, `aiosmtpd` receives
//! what is sent.
//!
//! Debian has them as `swaks`, `msmtp` and `python3-aiosmtpd`. Where one is missing, its test says
//! so and does nothing.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use textkin_mail::{Encryption, Limits, Protocol, Relay, Sender, Server};

use crate::house::{House, office};

/// Whether a program is there; says so if it is not.
fn has(program: &str, arguments: &[&str]) -> bool {
    let run =
        Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let is_there = run.is_ok_and(|status| status.success());
    if !is_there {
        println!("skipped: {program} {} cannot be run here", arguments.join(" "));
    }
    is_there
}

/// Sends a PDF and a text to `probe@kin.example` with `swaks`.
fn swaks(house: &House, more: &[&str]) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let pdf = folder.path().join("Gr\u{fc}\u{df}e paper.pdf");
    std::fs::write(&pdf, [&b"%PDF-1.4\r\n\0\xff\n.\n\r"[..], &[7; 5000]].concat()).unwrap();
    let attachment = format!("@{}", pdf.display());
    Command::new("swaks")
        .args(["--server", "127.0.0.1", "--port", &house.address.port().to_string()])
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
fn swaks_is_understood() {
    if !has("swaks", &["--version"]) {
        return;
    }
    for more in [&[][..], &["--pipeline"], &["--helo", "[127.0.0.1]"]] {
        let house = House::smtp();
        let output = swaks(&house, more);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        let replies = house.replies();
        assert_eq!(replies.len(), 1);
        assert!(replies[0].text.contains("paper.pdf (5016 bytes)"), "{}", replies[0].text);
    }
    let house = House::new(Protocol::Lmtp, Limits::default());
    assert!(swaks(&house, &["--protocol", "LMTP"]).status.success());
    assert_eq!(house.letters().len(), 1);
    let house = House::new(Protocol::Smtp, Limits { max_message_bytes: 2000, ..Limits::default() });
    let output = swaks(&house, &[]);
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).contains("552 5.3.4 message too large"));
}

#[test]
fn msmtp_is_understood() {
    if !has("msmtp", &["--version"]) {
        return;
    }
    let house = House::smtp();
    let port = format!("--port={}", house.address.port());
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
    let letters = house.letters();
    assert!(letters[0].bytes.ends_with(b"\r\n\r\n.\r\n..\r\nFrom here on\r\n"));
    assert_eq!(letters[0].subject(), "Gr\u{fc}\u{df}e");
    assert_eq!(house.replies()[0].subject, "REGISTER: done");
}

/// A receiving mail server of Python, which prints what it takes.
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
free = socket.socket()
free.bind(("127.0.0.1", 0))
port = free.getsockname()[1]
free.close()
controller = Controller(Handler(), hostname="127.0.0.1", port=port)
controller.start()
print(port, flush=True)
sys.stdin.read()
controller.stop()
"#;

impl Receiver {
    fn start() -> Option<Self> {
        let pythons = ["/usr/bin/python3", "python3"];
        let python = pythons.into_iter().find(|python| has(python, &["-c", "import aiosmtpd"]))?;
        let mut process = Command::new(python)
            .args(["-c", RECEIVER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let mut line = String::new();
        output.read_line(&mut line).unwrap();
        Some(Self { process, output, port: line.trim().parse().unwrap() })
    }

    fn relay(&self) -> Relay {
        let server = Server {
            host: "127.0.0.1".to_owned(),
            port: self.port,
            encryption: Encryption::None,
            user: None,
            password: None,
            timeout: Duration::from_secs(10),
        };
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
fn aiosmtpd_receives_the_one_reply() {
    let Some(mut receiver) = Receiver::start() else { return };
    let relay = receiver.relay();
    let house = House::smtp();
    let mut client = house.writer();
    let message = "Subject: Re: PROBE\r\nMessage-Id: <9@a>\r\n\r\ntext\r\n.\r\n";
    assert!(client.data(message.as_bytes()).starts_with("250"));
    let service = office().mailboxes.service().unwrap();
    for mut reply in house.replies() {
        reply.text.insert_str(0, ".\n..\nGr\u{fc}\u{df}e \n");
        let bytes = reply.to_bytes(&service, std::time::UNIX_EPOCH).unwrap();
        relay.send(&reply.to, &bytes).unwrap();
    }
    let line = receiver.message();
    assert!(line.starts_with("[\"\", [\"ann@a.example\"], \""), "{line}");
    for wanted in [
        "Auto-Submitted: auto-replied",
        "In-Reply-To: <9@a>",
        "References: <9@a>",
        "X-Textkin-Loop: kin.example",
        "To: ann@a.example",
        "format=flowed",
        "MIME-Version: 1.0",
        "See it: https://kin.example/results/1",
        "\\r\\n\\r\\n.\\r\\n..\\r\\nGr=C3=BC=C3=9Fe\\r\\n",
    ] {
        assert!(line.contains(wanted), "{wanted}: {line}");
    }
    let gone = relay.send(&"gone@a.example".parse().unwrap(), b"x").unwrap_err();
    assert!(gone.is_permanent && gone.reason.contains("5.1.1 gone"), "{gone}");
    let busy = relay.send(&"busy@a.example".parse().unwrap(), b"x").unwrap_err();
    assert!(!busy.is_permanent && busy.reason.contains("4.2.1 busy"), "{busy}");
}
