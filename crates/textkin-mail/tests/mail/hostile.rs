//! Attacks and broken clients.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use textkin_mail::{Limits, Protocol};

use crate::test_server::{Client, TestServer};

/// Sequences that some mail systems take for the end of a message.
const ENDS: [&str; 12] = [
    "\n.\n",
    "\n.\r\n",
    "\r.\r\n",
    "\r\n.\n",
    "\r.\r",
    "\r\n.\r",
    "\r\n\n.\r\n",
    "\r\r\n.\r\n",
    "\n\r.\r\n",
    "\r\n.\r\r\n",
    "\n\n.\n\n",
    "\r\n\0.\r\n",
];

#[test]
fn no_second_message_can_be_smuggled() {
    let server = TestServer::smtp();
    for end in ENDS {
        let mut client = server.writer();
        let smuggled = "MAIL FROM:<ann@a.example>\r\nRCPT TO:<register@kin.example>\r\nDATA\r\nSubject: smuggled\r\n\r\nx\r\n.\r\n";
        let reply = client.data(format!("Subject: x\r\n\r\ntext{end}{smuggled}").as_bytes());
        assert!(
            reply.starts_with("550 5.5.2") || reply.starts_with("554 5.6.0"),
            "{end:?}: {reply}"
        );
        // Nothing after it is a command: the connection closes, or continues after the real end.
        let next = client.command("NOOP");
        assert!(next.is_empty() || end.contains('\0') && next == "250 2.0.0 ok", "{end:?}: {next}");
    }
    assert!(server.messages().is_empty());
}

#[test]
fn commands_with_bare_line_ends_end_the_connection() {
    let server = TestServer::smtp();
    for line in [
        "NOOP\n",
        "NOOP\rNOOP\r\n",
        "NOOP \0\r\n",
        "MAIL FROM:<a@a.example>\nRCPT TO:<x@kin.example>\r\n",
        "\u{1}\n",
    ] {
        let mut client = server.client();
        client.send(line.as_bytes());
        assert!(client.reply().starts_with("500 5.5.2"), "{line:?}");
        assert_eq!(client.reply(), "");
    }
    let mut client = server.client();
    client.send(b"NOOP \xff\xfe\r\n");
    assert!(client.reply().starts_with("500 5.5.2"));
}

#[test]
fn http_requests_are_rejected() {
    let server = TestServer::smtp();
    let mut client = server.client();
    client.send(
        b"POST / HTTP/1.1\r\nHost: kin.example\r\n\r\nEHLO x\r\nMAIL FROM:<ann@a.example>\r\n",
    );
    assert!(client.reply().starts_with("421"));
    assert_eq!(client.reply(), "");
}

#[test]
fn a_message_sent_before_the_reply_to_data_is_rejected() {
    let server = TestServer::smtp();
    let mut client = server.writer();
    client.send(b"DATA\r\nSubject: x\r\n\r\ntext\r\n.\r\n");
    assert!(client.reply().starts_with("554 5.5.0"));
    assert_eq!(client.reply(), "");
    assert!(server.messages().is_empty());
}

fn small() -> Limits {
    Limits {
        max_message_bytes: 1000,
        max_line_bytes: 100,
        max_command_bytes: 200,
        max_recipients: 3,
        max_messages: 2,
        max_commands: 40,
        max_errors: 4,
        ..Limits::default()
    }
}

#[test]
fn large_messages_are_rejected_and_the_next_is_accepted() {
    let server = TestServer::new(Protocol::Smtp, small());
    let mut client = server.writer();
    let large = format!("{}.\r\n", "x\r\n".repeat(400));
    assert!(client.data(large.as_bytes()).starts_with("552 5.3.4"));
    client.command("MAIL FROM:<ann@a.example>");
    client.command("RCPT TO:<probe@kin.example>");
    assert!(client.data(b"Subject: x\r\n\r\ntext\r\n.\r\n").starts_with("250"));
    assert_eq!(server.messages().len(), 1);
}

#[test]
fn endless_messages_are_cut_off() {
    let server = TestServer::new(Protocol::Smtp, small());
    let mut client = server.writer();
    assert!(client.command("DATA").starts_with("354"));
    for _ in 0..100 {
        client.send("x\r\n".repeat(200).as_bytes());
    }
    assert!(client.reply().starts_with("552 5.3.4"));
    assert_eq!(client.reply(), "");
}

#[test]
fn long_lines_and_zero_bytes_are_rejected() {
    let server = TestServer::new(Protocol::Smtp, small());
    let mut client = server.writer();
    assert!(
        client.data(format!("{}\r\n.\r\n", "x".repeat(101)).as_bytes()).starts_with("554 5.6.0")
    );
    client.command("MAIL FROM:<ann@a.example>");
    client.command("RCPT TO:<probe@kin.example>");
    assert!(client.data(b"a\0b\r\n.\r\n").starts_with("554 5.6.0"));
    let mut client = server.client();
    client.send(&[b'A'; 100_000]);
    assert!(client.reply().starts_with("500 5.5.2"));
    assert_eq!(client.reply(), "");
}

#[test]
fn long_headers_are_rejected() {
    let server = TestServer::smtp();
    let mut client = server.writer();
    let header = "X-Bomb: x\r\n".repeat(30_000);
    assert!(client.data(format!("{header}\r\ntext\r\n.\r\n").as_bytes()).starts_with("552 5.3.4"));
}

#[test]
fn counts_are_limited() {
    let server = TestServer::new(Protocol::Smtp, small());
    let mut client = server.writer();
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("250"));
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("250"));
    assert!(client.command("RCPT TO:<probe@kin.example>").starts_with("452 4.5.3"));
    assert!(client.data(b"Subject: x\r\n\r\n.\r\n").starts_with("250"));
    let mut send_message = |expected: &str| {
        client.command("MAIL FROM:<ann@a.example>");
        client.command("RCPT TO:<probe@kin.example>");
        assert!(client.command("DATA").starts_with(expected));
        client.send(b"Subject: y\r\n\r\n.\r\n");
        client.reply()
    };
    assert!(send_message("354").starts_with("250"));
    assert_eq!(send_message("421 4.7.0"), "");
    let mut client = server.client();
    for _ in 0..4 {
        assert!(client.command("WHAT").starts_with("500"));
    }
    assert!(client.command("WHAT").starts_with("500"));
    assert!(client.reply().starts_with("421 4.7.0"));
    let mut client = server.client();
    for _ in 0..40 {
        assert!(client.command("NOOP").starts_with("250"));
    }
    assert!(client.command("NOOP").starts_with("421 4.7.0"));
}

#[test]
fn slow_clients_time_out() {
    let limits = Limits {
        command_timeout: Duration::from_millis(300),
        data_timeout: Duration::from_millis(700),
        ..Limits::default()
    };
    let server = TestServer::new(Protocol::Smtp, limits);
    let start = Instant::now();
    let mut idle = server.client();
    assert!(idle.reply().starts_with("421 4.4.2"));
    // A byte now and then, never a line.
    let mut drip = server.client();
    for _ in 0..5 {
        drip.send(b"N");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(drip.reply().starts_with("421 4.4.2"));
    // A byte now and then, never the end of a message.
    let mut slow = server.writer();
    assert!(slow.command("DATA").starts_with("354"));
    for _ in 0..10 {
        slow.send(b"x");
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(slow.reply().starts_with("421 4.4.2"));
    assert!(start.elapsed() < Duration::from_secs(8));
    assert!(server.messages().is_empty());
}

#[test]
fn a_flood_is_limited_and_ends() {
    let limits = Limits { max_connections: 6, max_connections_per_peer: 4, ..Limits::default() };
    let server = TestServer::new(Protocol::Smtp, limits);
    let flood: Vec<Client> = (0..4).map(|_| server.client()).collect();
    let rejected: Vec<String> = (0..30).map(|_| Client::connect(server.address).reply()).collect();
    assert!(
        rejected.iter().all(|reply| reply.is_empty() || reply.starts_with("421 4.3.2")),
        "{rejected:?}"
    );
    assert!(rejected[0].starts_with("421"));
    drop(flood);
    std::thread::sleep(Duration::from_millis(300));
    let mut client = server.writer();
    assert!(client.data(b"Subject: x\r\n\r\n.\r\n").starts_with("250"));
}

#[test]
fn messages_in_flight_share_a_memory_budget() {
    let limits = Limits { max_bytes_in_flight: 200_000, ..Limits::default() };
    let server = TestServer::new(Protocol::Smtp, limits);
    let mut first = server.writer();
    assert!(first.command("DATA").starts_with("354"));
    first.send(&b"x\r\n".repeat(40_000));
    std::thread::sleep(Duration::from_millis(300));
    let mut second = server.writer();
    let large = [b"x\r\n".repeat(40_000), b".\r\n".to_vec()].concat();
    assert!(second.data(&large).starts_with("452 4.3.1"));
    first.send(b".\r\n");
    assert!(first.reply().starts_with("250"));
    second.command("MAIL FROM:<ann@a.example>");
    second.command("RCPT TO:<probe@kin.example>");
    assert!(second.data(&large).starts_with("250"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_listener_survives_any_input(
        pieces in proptest::collection::vec(prop_oneof![
            Just(b"EHLO x\r\n".to_vec()), Just(b"MAIL FROM:<ann@a.example>".to_vec()), Just(b"RCPT TO:<probe@kin.example>\r\n".to_vec()),
            Just(b"DATA\r\n".to_vec()), Just(b"\r\n".to_vec()), Just(b".\r\n".to_vec()), Just(b" SIZE=99999999999999999999999\r\n".to_vec()),
            Just(b"MAIL FROM:<".to_vec()), Just(b"RCPT TO:<@,@:\"".to_vec()), Just(b"BDAT 18446744073709551615 LAST\r\n".to_vec()),
            proptest::collection::vec(any::<u8>(), 0..40),
        ], 0..12)
    ) {
        static SERVER: std::sync::LazyLock<TestServer> = std::sync::LazyLock::new(TestServer::smtp);
        let mut client = SERVER.client();
        for piece in &pieces {
            client.send(piece);
        }
        let _ = client.stream.shutdown(std::net::Shutdown::Write);
        for _ in 0..1000 {
            let reply = client.reply();
            if reply.is_empty() {
                break;
            }
            prop_assert!(reply.len() < 600 && reply.as_bytes()[0].is_ascii_digit(), "{}", reply);
        }
        let mut after = SERVER.client();
        prop_assert!(after.command("NOOP").starts_with("250"));
    }
}
