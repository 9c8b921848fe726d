//! The time to open a stored result, its comparisons and its exports.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::client::HttpClient;
use super::options::Options;
use super::texts::text;
use super::{fill, load_documents, percentiles, start_server, temporary_folder, wait_for_jobs};
use crate::generate::Random;

/// Sources of the result; each has a passage of the text.
const SOURCES: usize = 100;
const PASSAGE_WORDS: usize = 60;
/// Words of a source around its passage.
const OTHER_WORDS: usize = 240;
/// Times that each page is opened. Comparisons are opened for every source.
const REPEATS: usize = 50;
/// Maximum of the 95th percentile.
const MAX_P95: Duration = Duration::from_millis(50);

/// Stores a result with many sources and measures how long its pages take.
pub(crate) fn results(arguments: &[&str]) -> Result<()> {
    let options = Options::new(arguments, &["--documents"])?;
    let n_documents = options.number("--documents", 100_000)?;
    let folder = temporary_folder()?;
    let mut server = start_server(folder.path())?;
    let mut owner = server.client()?;
    let new = "{\"name\":\"web\",\"visibility\":\"public\"}";
    owner.send_json("POST", "/api/v1/repositories", new)?;
    fill(&mut owner, folder.path(), "web", 2, n_documents)?;
    let mut random = Random::new(5);
    let mut words = |n: usize| -> Vec<u32> { (0..n).map(|_| random.word()).collect() };
    let passages: Vec<Vec<u32>> = (0..SOURCES).map(|_| words(PASSAGE_WORDS)).collect();
    let sources: Vec<(String, String)> = (0..)
        .zip(&passages)
        .map(|(number, passage): (usize, _)| {
            let document = [words(OTHER_WORDS / 2), passage.clone(), words(OTHER_WORDS / 2)];
            (format!("source-{number}"), text(&document.concat()))
        })
        .collect();
    load_documents(&mut owner, folder.path(), "web", sources)?;
    wait_for_jobs(&mut owner)?;
    let new = "{\"name\":\"reader\",\"password\":\"passwordpassword\"}";
    owner.send_json("POST", "/api/v1/accounts", new)?;
    let mut client = HttpClient::sign_in(server.address, "reader", "passwordpassword")?;
    let started = Instant::now();
    let result = probe(&mut client, &text(&passages.concat()))?;
    println!("documents            {n_documents:>10}");
    println!("checked and stored   {:>10.0} ms", started.elapsed().as_secs_f64() * 1e3);
    let response = client.request("GET", &format!("{result}/export.csv"), "", b"")?;
    let n_sources = response.body.split(|byte| *byte == b'\n').filter(|row| !row.is_empty());
    let n_sources = n_sources.count().saturating_sub(1);
    println!("words, sources       {:>10}, {n_sources}", SOURCES * PASSAGE_WORDS);
    ensure!(n_sources >= SOURCES, "the result has only {n_sources} sources");

    let mut is_slow = false;
    let once = |path: &str| vec![format!("{result}{path}"); REPEATS];
    let each = |path: &str| (1..=SOURCES).map(|n| format!("{result}/compare/{n}{path}")).collect();
    let pages: [(&str, Vec<String>); 9] = [
        ("result", once("")),
        ("with exclusions", once("?min_run=12&quotes=1&single_source=1")),
        ("data", once("/data")),
        ("comparison", each("")),
        ("with exclusions", each("?min_run=12&quotes=1")),
        ("comparison report", each("/report.html")),
        ("export HTML", once("/export.html")),
        ("export CSV", once("/export.csv")),
        ("export JSON", once("/export.json")),
    ];
    for (name, paths) in pages {
        is_slow |= open(&mut client, name, &paths)? > MAX_P95;
    }
    // It lays out pages, which takes longer than to open a result.
    open(&mut client, "export PDF (no goal)", &once("/export.pdf")[..5])?;
    println!("peak memory          {}", server.peak()?);
    server.stop()?;
    ensure!(!is_slow, "a page takes too long (goal: p95 at most {} ms)", MAX_P95.as_millis());
    Ok(())
}

/// Opens pages, prints the times and returns the 95th percentile.
fn open(client: &mut HttpClient, name: &str, paths: &[String]) -> Result<Duration> {
    let mut times = Vec::with_capacity(paths.len());
    for path in paths {
        let started = Instant::now();
        let response = client.request("GET", path, "", b"")?;
        times.push(started.elapsed());
        ensure!(response.status == 200, "{path}: {}", response.status);
    }
    println!("{name:<21}{} ms", percentiles(&mut times));
    Ok(times[times.len() * 95 / 100])
}

/// Checks a text like the form does; returns the path of its result.
fn probe(client: &mut HttpClient, text: &str) -> Result<String> {
    let page = client.request("GET", "/probe", "", b"")?;
    let page = String::from_utf8(page.body)?;
    let token =
        page.split_once("name=\"csrf\" value=\"").and_then(|(_, rest)| rest.split_once('"'));
    let token = token.context("the form has no token")?.0;
    let field = |name: &str, value: &str| {
        format!("--x\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
    };
    let form =
        field("csrf", token) + &field("title", "A text") + &field("text", text) + "--x--\r\n";
    let kind = "multipart/form-data; boundary=x";
    let response = client.request("POST", "/probe", kind, form.as_bytes())?;
    let location = response.header("location").and_then(|path| path.split('?').next());
    let location = location.filter(|path| path.starts_with("/results/"));
    Ok(location
        .with_context(|| format!("the text was not checked: {}", response.status))?
        .to_owned())
}
