//! `textkin client` and `textkin mail` with a running server.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::support::{Folder, Run, run};

const POEM: &str = "The quality of mercy is not strained it droppeth as the gentle rain from heaven \
                    upon the place beneath it is twice blest it blesseth him that gives and him";

/// A server that is stopped on drop.
struct Server {
    child: Child,
    url: String,
    lmtp: String,
    key: String,
    folder: Folder,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn textkin() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_textkin"));
    command.env_remove("TEXTKIN_KEY").env_remove("TEXTKIN_SERVER");
    command
}

fn free() -> String {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string()
}

impl Server {
    fn new() -> Self {
        let folder = Folder::new();
        let data = folder.path("data");
        let made = textkin()
            .args(["admin", "key", "--scopes", "admin", "--admin", "--data"])
            .arg(&data)
            .output()
            .unwrap();
        let key = String::from_utf8(made.stdout).unwrap().trim().to_owned();
        let lmtp = free();
        let mut child = textkin()
            .args(["serve", "--listen", "127.0.0.1:0", "--log-level", "error"])
            .args(["--smtp-relay", "127.0.0.1:1", "--smtp-encryption", "none"])
            .args(["--mail-host", "kin.example", "--lmtp-listen", &lmtp, "--data"])
            .arg(&data)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        let url = line.trim().rsplit(' ').next().unwrap_or_default().to_owned();
        assert!(url.starts_with("http://127.0.0.1:"), "{line}");
        // Drain the rest, which must not fill the pipe.
        std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
        Self { child, url, lmtp, key, folder }
    }

    fn client(&self, arguments: &[&str]) -> Run {
        let mut command = textkin();
        command.arg("client").args(arguments).current_dir(self.folder.path("."));
        command.env("TEXTKIN_SERVER", &self.url).env("TEXTKIN_KEY", &self.key);
        run(command)
    }

    /// Creates a repository over REST.
    fn repository(&self, name: &str, visibility: &str) {
        let body = format!("{{\"name\":\"{name}\",\"visibility\":\"{visibility}\"}}");
        let address = self.url.trim_start_matches("http://");
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        let request = format!(
            "POST /api/v1/repositories HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            self.key,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        let answer = std::io::read_to_string(stream).unwrap();
        assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
    }
}

#[test]
#[cfg_attr(not(feature = "server"), ignore = "needs --features server")]
fn client_registers_checks_watches_and_lists_alerts() {
    let server = Server::new();
    server.repository("poems", "private");
    server.repository("news", "public");
    server.folder.write("mercy.txt", POEM);
    server.folder.write("page.html", format!("<p>They said today: {POEM}</p>"));
    server.folder.write("other.txt", "Nothing of this has been written before, anywhere at all.");
    server.client(&["alerts"]).expect(1);
    let run = server.client(&["register", "poems", "mercy.txt", "--watch"]).expect(0);
    assert_eq!(run.stdout, "mercy.txt: 30 words\n");
    let run = server.client(&["register", "poems", "mercy.txt", "--watch"]).expect(0);
    assert_eq!(run.stdout, "mercy.txt: 30 words, already registered\n");
    server.client(&["probe", "other.txt"]).expect(1);
    let run = server.client(&["probe", "page.html", "other.txt"]).expect(0);
    assert!(run.stdout.starts_with("page.html: 30 of 33 words (91%) appear in"), "{run:?}");
    assert!(run.stdout.contains("exact  poems/mercy.txt  30 of 33 words (91%)  100%"), "{run:?}");
    assert!(run.stdout.ends_with("other.txt: no matches (10 words)\n"), "{run:?}");
    let run = server.client(&["probe", "page.html", "--format", "json"]).expect(0);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(
        (&answer["file"], &answer["matches"][0]["id"]),
        (&"page.html".into(), &"mercy.txt".into())
    );
    server.client(&["register", "news", "page.html"]).expect(0);
    let started = Instant::now();
    let run = loop {
        let run = server.client(&["alerts"]);
        if run.code == 0 {
            break run;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{run:?}");
        std::thread::sleep(Duration::from_millis(100));
    };
    assert!(
        run.stdout.contains("poems/mercy.txt  news/page.html  30 of 30 words (100%)"),
        "{run:?}"
    );
    let run = server.client(&["watch", "nothing"]).expect(2);
    run.expect_only("there is no repository 'nothing'");
    server.client(&["probe", "missing.txt"]).expect(2);
}

#[test]
#[cfg_attr(not(feature = "server"), ignore = "needs --features server")]
fn client_requires_a_key_and_does_not_leak_it() {
    let client = |arguments: &[&str], key: &str| {
        let mut command = textkin();
        command.arg("client").args(arguments).env("TEXTKIN_KEY", key);
        run(command).expect(2)
    };
    assert!(client(&["alerts"], "").stderr.contains("no API key"));
    let away = client(&["alerts", "--server", "http://kin.example"], "tk_secret");
    assert!(away.stderr.contains("unencrypted"), "{away:?}");
    let nobody = format!("http://{}", free());
    let nobody = client(&["alerts", "--server", &nobody], "tk_secret");
    assert!(
        nobody.stderr.contains("cannot reach") && !nobody.stderr.contains("tk_secret"),
        "{nobody:?}"
    );
}

#[test]
#[cfg_attr(not(feature = "server"), ignore = "needs --features server")]
fn mail_pipe_returns_sysexits_codes() {
    let server = Server::new();
    let mail = |lmtp: &str, sender: &str| {
        let mut child = textkin()
            .args(["mail", "--lmtp", lmtp, "--sender", sender, "status@kin.example"])
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        child.stdin.take().unwrap().write_all(b"Subject: how it stands\n\n").unwrap();
        child.wait().unwrap().code()
    };
    // Unknown address; mail without a sender is accepted and not answered.
    assert_eq!(mail(&server.lmtp, "eve@e.example"), Some(65));
    assert_eq!(mail(&server.lmtp, "<>"), Some(0));
    assert_eq!(mail(&free(), "eve@e.example"), Some(75));
    assert_eq!(mail(&server.lmtp, "no address"), Some(64));
}
