//! Hostile requests: each is answered or cut off, and the server continues.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Server, ServerOptions, parse, wait};

fn server(folder: &tempfile::TempDir) -> Server {
    // Small limits, so that they are reached soon.
    let (text, upload) = (Some(1 << 20), Some(4 << 20));
    let options = ServerOptions { text, upload, ..ServerOptions::default() };
    let server = Server::start(&folder.path().join("data"), &options);
    server.post("/api/v1/repositories", &json!({ "name": "mine", "visibility": "private" }));
    server
}

/// Asserts that the response is valid and that an error is a problem document.
fn assert_problem(name: &str, answer: &[u8], statuses: &[u16]) {
    let text = String::from_utf8_lossy(answer);
    let shown: String = text.chars().take(600).collect();
    let Some((status, body)) = parse(answer) else {
        assert!(statuses.contains(&0) && answer.is_empty(), "{name}: no answer: {shown}");
        return;
    };
    assert!(statuses.contains(&status), "{name}: {status} {shown}");
    if status >= 400 && !body.is_empty() {
        assert!(
            text.to_lowercase().contains("content-type: application/problem+json"),
            "{name}: {shown}"
        );
        let problem: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(problem["status"], json!(status), "{name}");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{name}");
    }
}

/// Asserts that the server answers and no upload is left.
fn assert_well(server: &mut Server, name: &str) {
    assert!(server.is_alive(), "{name}: the server has exited");
    let (status, body) = server.try_send("GET", "/healthz", "").unwrap();
    assert_eq!((status, body.as_str()), (200, "ok\n"), "{name}");
    assert_no_uploads(server, name);
}

fn assert_no_uploads(server: &Server, name: &str) {
    let uploads = server.data.join("uploads");
    // The upload is removed as soon as the request is aborted.
    wait(|| std::fs::read_dir(&uploads).map_or(0, Iterator::count) == 0);
    let left: Vec<_> = std::fs::read_dir(&uploads).into_iter().flatten().collect();
    assert!(left.is_empty(), "{name}: {left:?}");
}

/// Sends a request with a body.
fn with(server: &Server, method: &str, path: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    [server.head(method, path, kind, body.len()).as_bytes(), body].concat()
}

/// Name, method, path, content type and bytes of a body, and the allowed statuses.
type Case<'a> = (&'a str, &'a str, &'a str, &'a str, &'a [u8], &'a [u16]);

#[test]
fn invalid_bodies_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = server(&folder);
    let documents = "/api/v1/repositories/mine/documents";
    let json_kind = "application/json";
    let form = "multipart/form-data; boundary=X";
    let deep = format!("{{\"text\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
    let huge_headers = format!(
        "--X\r\nContent-Disposition: form-data; name=\"file\"\r\n{}",
        "A: b\r\n".repeat(100_000)
    );
    let endless_header =
        format!("--X\r\nContent-Disposition: form-data; name=\"{}", "x".repeat(2 << 20));
    let big = format!(
        "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n{}\r\n--X--\r\n",
        "word ".repeat(1 << 20)
    );
    let nameless = "--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"../../../etc/passwd\0\"\r\n\r\nA text\r\n--X--\r\n";
    let many = "--X\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\na\r\n".repeat(10_000)
        + "--X--\r\n";
    let cases: Vec<Case<'_>> = vec![
        ("no boundary", "POST", documents, "multipart/form-data", b"--X\r\n\r\n", &[400]),
        (
            "empty boundary",
            "POST",
            documents,
            "multipart/form-data; boundary=",
            b"--\r\n\r\n",
            &[400, 422],
        ),
        ("no form", "POST", documents, form, b"no form at all", &[400, 422]),
        (
            "no end",
            "POST",
            documents,
            form,
            b"--X\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nabc",
            &[400, 422],
        ),
        ("no file", "POST", documents, form, b"--X--\r\n", &[400, 422]),
        (
            "other field",
            "POST",
            documents,
            form,
            b"--X\r\nContent-Disposition: form-data; name=\"<script>\"\r\n\r\nabc\r\n--X--\r\n",
            &[422],
        ),
        (
            "many headers of a part",
            "POST",
            documents,
            form,
            huge_headers.as_bytes(),
            &[400, 413, 422],
        ),
        (
            "an endless header of a part",
            "POST",
            documents,
            form,
            endless_header.as_bytes(),
            &[400, 413, 422],
        ),
        ("a large file", "POST", documents, form, big.as_bytes(), &[413]),
        ("a name that is a path", "POST", documents, form, nameless.as_bytes(), &[201, 400, 422]),
        ("many fields", "POST", documents, form, many.as_bytes(), &[400, 422]),
        ("deep nesting", "POST", documents, json_kind, deep.as_bytes(), &[400, 422]),
        ("bad UTF-8", "POST", documents, json_kind, b"{\"text\":\"\xff\xfe\"}", &[400]),
        ("half a surrogate", "POST", documents, json_kind, b"{\"text\":\"\\ud800\"}", &[400]),
        (
            "NUL",
            "POST",
            documents,
            json_kind,
            b"{\"text\":\"a\\u0000b\",\"id\":\"n\\u0000\"}",
            &[422],
        ),
        (
            "control characters in an id",
            "POST",
            documents,
            json_kind,
            b"{\"text\":\"a\",\"id\":\"a\\r\\nb\"}",
            &[422],
        ),
        ("cut off", "POST", documents, json_kind, b"{\"text\":\"a", &[400]),
        ("not an object", "POST", documents, json_kind, b"[]", &[422]),
        ("no text", "POST", documents, json_kind, b"{}", &[422]),
        (
            "unknown field",
            "POST",
            documents,
            json_kind,
            b"{\"text\":\"a\",\"is_admin\":true}",
            &[422],
        ),
        ("nothing", "POST", documents, json_kind, b"", &[400]),
        ("wrong kind", "POST", documents, "text/plain", b"{\"text\":\"a\"}", &[415]),
        ("strange kind", "POST", documents, "\u{7f}/\u{1}", b"{\"text\":\"a\"}", &[400, 415]),
        (
            "infinite threshold",
            "POST",
            "/api/v1/probe",
            json_kind,
            b"{\"text\":\"a\",\"threshold\":1e999}",
            &[400, 422],
        ),
        (
            "threshold below 0",
            "POST",
            "/api/v1/probe",
            json_kind,
            b"{\"text\":\"a\",\"threshold\":-1}",
            &[422],
        ),
        (
            "limit below 0",
            "POST",
            "/api/v1/probe",
            json_kind,
            b"{\"text\":\"a\",\"limit\":-1}",
            &[422],
        ),
        (
            "huge limit",
            "POST",
            "/api/v1/probe",
            json_kind,
            b"{\"text\":\"a\",\"limit\":99999999999999999999}",
            &[400, 422],
        ),
        (
            "huge number of days",
            "PATCH",
            "/api/v1/repositories/mine",
            json_kind,
            b"{\"keep_days\":4294967296}",
            &[422],
        ),
        (
            "largest count",
            "PATCH",
            "/api/v1/repositories/mine",
            json_kind,
            b"{\"keep_count\":18446744073709551615}",
            &[200, 422],
        ),
        (
            "largest count to keep",
            "POST",
            "/api/v1/repositories/mine/purge-preview",
            json_kind,
            b"{\"keep_latest\":18446744073709551615}",
            &[200, 422],
        ),
        (
            "huge page",
            "GET",
            "/api/v1/repositories/mine/documents?limit=4294967295",
            json_kind,
            b"",
            &[422],
        ),
        (
            "page before the first",
            "GET",
            "/api/v1/repositories/mine/documents?after=-9223372036854775808",
            json_kind,
            b"",
            &[422],
        ),
        ("strange number", "GET", "/api/v1/jobs/99999999999999999999", json_kind, b"", &[404]),
        ("a number that is none", "GET", "/api/v1/jobs/x", json_kind, b"", &[404]),
        ("unknown parameter", "GET", "/api/v1/jobs?drop=table", json_kind, b"", &[422]),
        (
            "SQL",
            "GET",
            "/api/v1/repositories/mine/documents?q=%27%3B%20DROP%20TABLE%20document%3B--",
            json_kind,
            b"",
            &[200],
        ),
        (
            "a load without a name",
            "POST",
            "/api/v1/repositories/mine/loads",
            "application/octet-stream",
            b"x",
            &[422],
        ),
        ("other method", "PUT", documents, json_kind, b"{}", &[405]),
    ];
    for (name, method, path, kind, body, statuses) in cases {
        let answer = server.raw(&with(&server, method, path, kind, body)).unwrap_or_default();
        assert_problem(name, &answer, statuses);
        assert_well(&mut server, name);
    }
    // A file with a wrong type leads to a failed job or to a meaningless document.
    for name in
        ["a.pdf", "a.zip", "a.parquet", "a.jsonl", "a.warc.gz", "..%2f..%2fa.txt", "%00", "-"]
    {
        let path = format!("/api/v1/repositories/mine/loads?file={name}");
        let rubbish: Vec<u8> = (0..=255u8).cycle().take(5000).collect();
        let request = with(&server, "POST", &path, "application/octet-stream", &rubbish);
        assert_problem(name, &server.raw(&request).unwrap(), &[202]);
        server.rest();
    }
    assert_no_uploads(&server, "rubbish");
    assert!(!folder.path().join("a.txt").exists() && !server.data.join("a.txt").exists());
}

#[test]
fn invalid_requests_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let mut server = server(&folder);
    let key = format!("Authorization: Bearer {}\r\n", server.key);
    let get =
        |path: &str| format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{key}\r\n");
    let many = (0..5000).map(|n| format!("X-{n}: y\r\n")).collect::<String>();
    let cases: Vec<(&str, Vec<u8>, &[u16])> = vec![
        ("garbage", b"\0\xff\x01garbage\r\n\r\n".to_vec(), &[400]),
        ("TLS", b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03".to_vec(), &[400]),
        ("HTTP/2", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), &[400, 404, 505, 0]),
        ("HTTP/9", b"GET / HTTP/9.9\r\n\r\n".to_vec(), &[400, 505]),
        ("many headers", format!("GET /healthz HTTP/1.1\r\n{many}\r\n").into_bytes(), &[400, 431]),
        ("a long header", format!("GET /healthz HTTP/1.1\r\nX: {}\r\n\r\n", "y".repeat(1 << 20)).into_bytes(), &[400, 431]),
        ("a long path", get(&format!("/api/v1/{}", "a".repeat(1 << 20))).into_bytes(), &[400, 404, 414, 431]),
        ("a path of 30 KB", get(&format!("/api/v1/repositories/{}", "a".repeat(30_000))).into_bytes(), &[404]),
        ("dots", get("/api/v1/repositories/..%2f..%2fetc%2fpasswd/documents").into_bytes(), &[404]),
        ("plain dots", get("/../../../etc/passwd").into_bytes(), &[404]),
        ("dots in an id", get("/api/v1/repositories/mine/documents/..%2f..%2ftextkin.db").into_bytes(), &[404]),
        ("NUL in a path", get("/api/v1/repositories/mine%00/documents").into_bytes(), &[404]),
        ("bad UTF-8 in a path", get("/api/v1/repositories/%ff%fe/documents").into_bytes(), &[404]),
        ("overlong UTF-8 in a path", get("/api/v1/repositories/%c0%ae%c0%ae/documents").into_bytes(), &[404]),
        ("bad escape in a path", get("/api/v1/repositories/%zz/documents").into_bytes(), &[404]),
        ("bad UTF-8 in a query", get("/api/v1/repositories/mine/documents?q=%ff").into_bytes(), &[200, 422]),
        ("another host", get("http://elsewhere.example/api/v1/me").into_bytes(), &[200, 404]),
        ("CONNECT", b"CONNECT elsewhere.example:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".to_vec(), &[400, 404, 405]),
        ("two lengths", b"POST /api/v1/probe HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab".to_vec(), &[400]),
        ("a length below 0", b"POST /api/v1/probe HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n".to_vec(), &[400]),
        ("a huge length", b"POST /api/v1/probe HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999999\r\n\r\n".to_vec(), &[400]),
        ("a bad chunk", format!("POST /api/v1/probe HTTP/1.1\r\nHost: x\r\n{key}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n").into_bytes(), &[400]),
        ("a huge chunk", format!("POST /api/v1/probe HTTP/1.1\r\nHost: x\r\n{key}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n").into_bytes(), &[400]),
        ("a request behind a request", b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n\0\0garbage\r\n\r\n".to_vec(), &[200]),
        ("a strange key", b"GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: \xff\xfe\r\n\r\n".to_vec(), &[401]),
    ];
    for (name, bytes, statuses) in cases {
        let answer = server.raw(&bytes).unwrap_or_default();
        // A client that sends more than is read may be cut off before the response arrives.
        let is_cut = answer.is_empty() && bytes.len() > 1 << 16;
        if !is_cut {
            assert_problem(name, &answer, statuses);
        }
        assert_well(&mut server, name);
    }
    // A body shorter than its declared length.
    let mut stream = TcpStream::connect(server.address).unwrap();
    let head =
        server.head("POST", "/api/v1/repositories/mine/loads?file=a.txt", "text/plain", 1000);
    stream.write_all(head.as_bytes()).unwrap();
    stream.write_all(b"too little").unwrap();
    stream.shutdown(Shutdown::Both).unwrap();
    assert_well(&mut server, "a short body");
}

/// Sends a head and then an endless body, up to `most` bytes. Returns the number of bytes sent before the server
/// stopped reading, and its response.
fn send_endlessly(
    server: &Server,
    path: &str,
    kind: &str,
    first: &[u8],
    most: u64,
) -> (u64, Vec<u8>) {
    let mut stream = TcpStream::connect(server.address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    stream.set_write_timeout(Some(Duration::from_secs(60))).unwrap();
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: {kind}\r\n\
         Transfer-Encoding: chunked\r\n\r\n",
        server.key
    );
    stream.write_all(head.as_bytes()).unwrap();
    let mut chunk = |bytes: &[u8]| {
        let framed = [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
        stream.write_all(&framed)
    };
    let piece = vec![b'a'; 1 << 16];
    let (mut sent, mut outcome) = (first.len() as u64, chunk(first));
    while outcome.is_ok() && sent < most {
        outcome = chunk(&piece);
        sent += piece.len() as u64;
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    (sent, answer)
}

/// Returns the peak memory in MiB, where the system reports it.
fn peak(server: &Server) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}

#[test]
fn uploads_over_the_limit_are_rejected() {
    const MAX: u64 = 10 << 30;
    let folder = tempfile::tempdir().unwrap();
    let mut server = server(&folder);
    let before = peak(&server);
    let loads = "/api/v1/repositories/mine/loads?file=a.txt";
    let documents = "/api/v1/repositories/mine/documents";
    let part = b"--X\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n";
    for (path, kind, first) in [
        (loads, "application/octet-stream", &b"a"[..]),
        (documents, "multipart/form-data; boundary=X", part),
        (documents, "application/json", b"{\"text\":\""),
        ("/api/v1/probe", "application/json", b"{\"text\":\""),
    ] {
        let (sent, answer) = send_endlessly(&server, path, kind, first, MAX);
        // Some bytes are in transit when the server stops reading.
        assert!(sent < 256 << 20, "{path}, {kind}: {sent} bytes were taken");
        if !answer.is_empty() {
            assert_problem(kind, &answer, &[413]);
        }
        assert_well(&mut server, kind);
    }
    // With a declared length, nothing needs to be sent.
    for (path, kind) in [
        (loads, "text/plain"),
        (documents, "application/json"),
        (documents, "multipart/form-data; boundary=X"),
    ] {
        let head = server.head("POST", path, kind, 10 << 30);
        assert_problem(path, &server.raw(head.as_bytes()).unwrap(), &[413]);
    }
    // Bodies of unauthenticated requests are not read.
    let head = format!(
        "POST {documents} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\
         Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n"
    );
    assert_problem("anonymous", &server.raw(head.as_bytes()).unwrap(), &[401]);
    assert_well(&mut server, "10 GB");
    if let (Some(before), Some(after)) = (before, peak(&server)) {
        assert!(after < before + 100, "memory grew from {before} to {after} MiB");
    }
}
