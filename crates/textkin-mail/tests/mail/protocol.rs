//! The protocol as mail systems and mail programs use it.

use std::time::Duration;

use textkin_mail::{
    AutomatedSender, Destination, DropReason, Limits, MailConfig, Protocol, Refusal,
    UnknownSenders, deliver, pipe,
};

use crate::test_server::{TestServer, config};

const MESSAGE: &[u8] = b"Subject: hello\r\nMessage-Id: <1@a>\r\n\r\n..dot\r\ntext\r\n.\r\n";

#[test]
fn a_message_is_accepted_once() {
    let server = TestServer::smtp();
    let mut client = server.writer();
    assert_eq!(client.data(MESSAGE), "250 2.6.0 message accepted");
    // The same again, as after a lost reply.
    assert_eq!(client.command("MAIL FROM:<ann@a.example>"), "250 2.1.0 ok");
    assert_eq!(client.command("RCPT TO:<probe@kin.example>"), "250 2.1.5 ok");
    assert_eq!(client.data(MESSAGE), "250 2.6.0 message accepted");
    assert_eq!(client.command("QUIT"), "221 2.0.0 bye");
    let messages = server.messages();
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0].bytes, b"Subject: hello\r\nMessage-Id: <1@a>\r\n\r\n.dot\r\ntext\r\n");
    assert_eq!(messages[0].peer, "127.0.0.1");
    let replies = server.replies();
    assert_eq!(replies.len(), 1);
    assert!(replies[0].text.starts_with("text (9 bytes)"), "{}", replies[0].text);
}

#[test]
fn commands_may_be_pipelined() {
    let server = TestServer::smtp();
    let mut client = server.client();
    client.send(b"EHLO x\r\nMAIL FROM:<ann@a.example> SIZE=100 BODY=8BITMIME\r\nRCPT TO:<essays@kin.example>\r\nDATA\r\n");
    assert!(
        client.reply().contains("250-PIPELINING\n250-SIZE 33554432\n250-8BITMIME\n250-SMTPUTF8\n")
    );
    assert_eq!(client.reply(), "250 2.1.0 ok");
    assert_eq!(client.reply(), "250 2.1.5 ok");
    assert!(client.reply().starts_with("354"));
    client.send(b"Subject: STATUS\r\n\r\n.\r\nRSET\r\nNOOP x\r\nVRFY ann\r\nQUIT\r\n");
    assert_eq!(client.reply(), "250 2.6.0 message accepted");
    assert_eq!(client.reply(), "250 2.0.0 ok");
    assert_eq!(client.reply(), "250 2.0.0 ok");
    assert!(client.reply().starts_with("252"));
    assert!(client.reply().starts_with("221"));
    assert_eq!(client.reply(), "");
}

#[test]
fn the_order_of_commands_matters() {
    let server = TestServer::smtp();
    let mut client = server.client();
    for command in ["MAIL FROM:<ann@a.example>", "RCPT TO:<probe@kin.example>", "DATA"] {
        assert!(client.command(command).starts_with("503"), "{command}");
    }
    assert_eq!(client.command("HELO x"), "250 kin.example");
    assert!(client.command("DATA").starts_with("503"));
    assert!(client.command("MAIL FROM:<ann@a.example>").starts_with("250"));
    assert!(client.command("MAIL FROM:<ann@a.example>").starts_with("503"));
    assert!(client.command("DATA").starts_with("503"));
    assert!(client.command("RSET").starts_with("250"));
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("503"));
}

#[test]
fn nothing_is_relayed_and_unknown_senders_are_rejected() {
    let server = TestServer::smtp();
    let mut client = server.client();
    client.command("EHLO x");
    assert!(client.command("MAIL FROM:<ann@a.example>").starts_with("250"));
    for other in [
        "ann@a.example",
        "probe@else.example",
        "probe",
        "probe%else@kin.example",
        "probe@kin.example@else.example",
    ] {
        let reply = client.command(&format!("RCPT TO:<{other}>"));
        assert!(reply.starts_with('5'), "{other}: {reply}");
    }
    client.command("RSET");
    assert!(client.command("MAIL FROM:<eve@e.example>").starts_with("250"));
    let reply = client.command("RCPT TO:<probe@kin.example>");
    assert_eq!(reply, "550 5.7.1 mail from this sender is not accepted");
    assert!(client.command("DATA").starts_with("503"));
    client.command("RSET");
    assert!(client.command("MAIL FROM:<unavailable@a.example>").starts_with("250"));
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("451"));
    assert!(server.messages().is_empty());
}

#[test]
fn unsupported_commands_and_parameters_are_rejected() {
    let server = TestServer::smtp();
    let mut client = server.client();
    client.command("EHLO x");
    for command in [
        "AUTH PLAIN AGEAYg==",
        "STARTTLS",
        "BDAT 3 LAST",
        "EXPN list",
        "ETRN x",
        "LHLO x",
        "XCLIENT a=b",
        "",
    ] {
        let reply = client.command(command);
        assert!(reply.starts_with("50"), "{command}: {reply}");
    }
    let server = TestServer::smtp();
    let mut client = server.client();
    client.command("EHLO x");
    for parameter in
        ["SIZE=33554433", "BODY=BINARYMIME", "RET=FULL", "ENVID=x", "AUTH=<>", "WHAT=ever"]
    {
        let reply = client.command(&format!("MAIL FROM:<ann@a.example> {parameter}"));
        assert!(reply.starts_with("55") || reply.starts_with("501"), "{parameter}: {reply}");
    }
    assert!(client.command("MAIL FROM:<grüße@a.example>").starts_with("553"));
    assert!(client.command("MAIL FROM:<grüße@a.example> SMTPUTF8").starts_with("250"));
    assert!(client.command("RCPT TO:<probe@kin.example> NOTIFY=SUCCESS").starts_with("555"));
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("250"));
    assert_eq!(client.data(MESSAGE), "250 2.6.0 message accepted");
}

#[test]
fn automatic_mail_and_bounces_are_accepted_and_dropped() {
    let server = TestServer::smtp();
    let mut client = server.writer();
    assert_eq!(
        client.data(b"Auto-Submitted: auto-replied\r\n\r\nI am away\r\n.\r\n"),
        "250 2.6.0 message accepted"
    );
    assert!(client.command("MAIL FROM:<>").starts_with("250"));
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("250"));
    assert_eq!(client.data(b"Subject: PROBE\r\n\r\ntext\r\n.\r\n"), "250 2.6.0 message accepted");
    assert!(server.messages().is_empty());
    let expected = [
        DropReason::AutomatedSender(AutomatedSender::AutoSubmitted),
        DropReason::AutomatedSender(AutomatedSender::NoSender),
    ];
    assert_eq!(*server.handler.dropped.lock().unwrap(), expected);
}

#[test]
fn unverified_senders_are_rejected_or_dropped() {
    let verified = "Authentication-Results: mx.kin.example; spf=pass smtp.mailfrom=a.example\r\nSubject: PROBE\r\n\r\nx\r\n.\r\n";
    let forged = verified.replace("spf=pass", "spf=fail");
    let start = |unknown| {
        let config = MailConfig { authority: Some("mx.kin.example".to_owned()), ..config() };
        TestServer::with_config(config, Protocol::Smtp, Limits::default(), unknown)
    };
    let server = start(UnknownSenders::Refuse);
    assert!(server.writer().data(forged.as_bytes()).starts_with("550 5.7.26"));
    assert!(server.messages().is_empty());
    assert!(server.writer().data(verified.as_bytes()).starts_with("250"));
    assert_eq!(server.messages().len(), 1);
    let server = start(UnknownSenders::Discard);
    assert!(server.writer().data(forged.as_bytes()).starts_with("250"));
    assert!(server.messages().is_empty());
    assert_eq!(*server.handler.dropped.lock().unwrap(), [DropReason::NotAuthentic]);
}

#[test]
fn recipients_with_the_same_meaning_are_one_message() {
    let server = TestServer::smtp();
    let mut client = server.writer();
    assert!(client.command("RCPT TO:<PROBE@kin.example>").starts_with("250"));
    assert!(client.command("RCPT TO:<register@kin.example>").starts_with("452"));
    assert_eq!(client.data(MESSAGE), "250 2.6.0 message accepted");
    assert_eq!(server.messages().len(), 1);
}

#[test]
fn the_handler_may_reject() {
    let server = TestServer::smtp();
    let mut client = server.writer();
    *server.handler.refusal.lock().unwrap() =
        Some(Refusal::Temporary("too much mail\r\n250 today".to_owned()));
    assert_eq!(client.data(MESSAGE), "451 4.7.1 too much mail  250 today");
    *server.handler.refusal.lock().unwrap() = Some(Refusal::Permanent("no".to_owned()));
    client.command("MAIL FROM:<ann@a.example>");
    client.command("RCPT TO:<probe@kin.example>");
    assert_eq!(client.data(MESSAGE), "550 5.7.1 no");
}

#[test]
fn lmtp_replies_for_every_recipient() {
    let server = TestServer::new(Protocol::Lmtp, Limits::default());
    let mut client = server.client();
    assert!(client.command("EHLO x").starts_with("500"));
    assert!(client.command("HELO x").starts_with("500"));
    assert!(client.command("LHLO x").starts_with("250"));
    client.command("MAIL FROM:<ann@a.example>");
    client.command("RCPT TO:<probe@kin.example>");
    client.command("RCPT TO:<probe@kin.example>");
    assert_eq!(client.data(MESSAGE), "250 2.6.0 message accepted");
    assert_eq!(client.reply(), "250 2.6.0 message accepted");
    assert!(client.command("NOOP").starts_with("250"));
    assert_eq!(server.messages().len(), 1);
}

#[test]
fn unknown_senders_can_be_discarded() {
    let server = TestServer::with(Protocol::Lmtp, Limits::default(), UnknownSenders::Discard);
    let mut client = server.client();
    client.command("LHLO x");
    client.command("MAIL FROM:<eve@e.example>");
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("250"));
    assert_eq!(client.data(MESSAGE), "250 2.6.0 message accepted");
    assert!(server.messages().is_empty());
}

#[test]
fn a_pipe_delivers_over_a_unix_socket() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lmtp");
    let server = TestServer::unix(&path);
    let to = ["probe@kin.example".to_owned(), "watch@kin.example".to_owned()];
    let destination = Destination::Unix(path.clone());
    let message = &b"Subject: x\n\n.\none\n..\n"[..];
    pipe::pipe(message, "ann@a.example", &to, &destination, 1000).unwrap();
    pipe::pipe(message, "ann@a.example", &to, &destination, 1000).unwrap();
    let messages = server.messages();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[1].recipients[0].to_string(), "watch@kin.example");
    assert_eq!(messages[0].bytes, b"Subject: x\r\n\r\n.\r\none\r\n..\r\n");
    assert_eq!(messages[0].peer, "local");
    assert_eq!(
        pipe::pipe(message, "eve@e.example", &to, &destination, 1000).unwrap_err().code(),
        65
    );
    assert_eq!(
        pipe::pipe(&b"a\0b"[..], "ann@a.example", &to, &destination, 1000).unwrap_err().code(),
        65
    );
    *server.handler.refusal.lock().unwrap() = Some(Refusal::Temporary("busy".to_owned()));
    assert_eq!(
        pipe::pipe(&b"Subject: y\n\n"[..], "ann@a.example", &to, &destination, 1000)
            .unwrap_err()
            .code(),
        75
    );
    // A socket in use is an error; a stale one is replaced.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let _guard = runtime.enter();
    assert!(textkin_mail::bind_unix(&path).is_err());
    drop(server);
    assert!(path.exists());
    assert!(textkin_mail::bind_unix(&path).is_ok());
    assert!(textkin_mail::bind_unix(folder.path()).is_err());
}

#[test]
fn a_message_is_delivered_over_tcp() {
    let server = TestServer::new(Protocol::Lmtp, Limits::default());
    let message = textkin_mail::IncomingMessage {
        sender: "grüße@a.example".parse().ok(),
        recipients: vec!["essays@kin.example".parse().unwrap()],
        bytes: b"Subject: STATUS\r\n\r\n".to_vec(),
        peer: String::new(),
    };
    deliver(&Destination::Tcp(server.address), &message, Duration::from_secs(5)).unwrap();
    assert_eq!(server.messages()[0].sender, message.sender);
}

#[test]
fn a_stop_is_announced_and_a_message_in_progress_is_finished() {
    let mut server = TestServer::smtp();
    let mut idle = server.client();
    let mut busy = server.writer();
    assert!(busy.command("DATA").starts_with("354"));
    let writer = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(300));
        busy.send(MESSAGE);
        (busy.reply(), busy.reply())
    });
    let took = server.stop();
    assert!(took >= Duration::from_millis(200) && took < Duration::from_secs(8), "{took:?}");
    assert!(idle.reply().starts_with("421 4.3.2"));
    let (accepted, bye) = writer.join().unwrap();
    assert_eq!(accepted, "250 2.6.0 message accepted");
    assert!(bye.starts_with("421"));
    assert_eq!(server.messages().len(), 1);
}
