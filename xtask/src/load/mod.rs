//! Measurements of the server: throughput and latency with many documents and clients, the time to open stored
//! results (`results`), and what the time of a probe reveals (`timing`).
//!
//! In the load test, half of the documents are in a private repository that is watched, half in a public one. Clients then add new
//! texts to the public one, and copies of watched texts, which must cause alerts.

mod client;
mod options;
mod results;
mod schemathesis;
mod server;
mod texts;
mod timing;

use std::collections::HashMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use self::client::HttpClient;
use self::options::Options;
pub(crate) use self::results::results;
pub(crate) use self::schemathesis::schemathesis;
use self::server::{PeakMemory, TestServer};
use self::texts::{TextGenerator, text};
pub(crate) use self::timing::timing;
use crate::{bench, root};

/// Size of the test.
struct LoadSize {
    documents: usize,
    clients: usize,
    seconds: u64,
}

impl LoadSize {
    const FULL: Self = Self { documents: 100_000, clients: 32, seconds: 30 };
    const QUICK: Self = Self { documents: 4_000, clients: 8, seconds: 5 };
}

/// One request in five is a registration; the others are probes.
const MIXED: u64 = 5;
/// Every request is a registration.
const REGISTRATIONS_ONLY: u64 = 1;
/// One registration in twenty is a copy of a watched document.
const COPIES: u64 = 20;

/// Maximum number of documents in one file, so that it is smaller than the server's limit for uploads.
const MAX_FILE_DOCUMENTS: usize = 100_000;

/// Creates a folder that is removed with the value. It is not in the temporary folder of the system, which
/// may be in memory: the test needs a disk.
fn temporary_folder() -> Result<tempfile::TempDir> {
    Ok(tempfile::tempdir_in(root()?.join("target"))?)
}

/// Builds the command and starts a server with its data in `folder`.
fn start_server(folder: &Path) -> Result<TestServer> {
    bench::build_command("server")?;
    let program = bench::target()?.join("textkin");
    TestServer::start(&program, &folder.join("data"))
}

/// Returns the generator as it is after [`fill`].
fn skip_documents(number: u64, n: usize) -> TextGenerator {
    let mut texts = TextGenerator::new(number, n);
    for _ in 0..n {
        texts.document();
    }
    texts
}

/// A file in a data folder that is kept: the number of documents that were loaded.
const LOADED: &str = "loaded-documents";

/// Loads a server and measures it.
pub(crate) fn server(arguments: &[&str]) -> Result<()> {
    let is_quick = arguments.contains(&"--quick");
    let mut arguments: Vec<&str> =
        arguments.iter().copied().filter(|word| *word != "--quick").collect();
    let keep = arguments.iter().position(|word| *word == "--keep");
    let kept = match keep {
        Some(at) => {
            let folder = arguments.get(at + 1).context("--keep requires a folder")?;
            let folder = PathBuf::from(folder);
            arguments.drain(at..at + 2);
            Some(folder)
        }
        None => None,
    };
    let options = Options::new(&arguments, &["--documents", "--clients", "--seconds"])?;
    let default = if is_quick { LoadSize::QUICK } else { LoadSize::FULL };
    let size = &LoadSize {
        documents: options.number("--documents", default.documents)?,
        clients: options.number("--clients", default.clients)?,
        seconds: options.number("--seconds", default.seconds)?,
    };
    let (n_private, n_public) = (size.documents / 2, size.documents - size.documents / 2);
    println!("documents            {:>10}", size.documents);
    let temporary = temporary_folder()?;
    let folder = kept.as_deref().unwrap_or(temporary.path());
    let loaded = std::fs::read_to_string(folder.join(LOADED)).ok();
    let (mut server, watched, public);
    if let Some(loaded) = loaded {
        ensure!(
            loaded == size.documents.to_string(),
            "{} has {loaded} documents; use --documents {loaded} or another folder",
            folder.display()
        );
        server = start_server(folder)?;
        (watched, public) = (skip_documents(1, n_private), skip_documents(2, n_public));
        // A server that has just started reads the files of its index.
        let started = Instant::now();
        while server.is_busy()? {}
        println!("index read           {:>10.1} s after that", started.elapsed().as_secs_f64());
    } else {
        std::fs::create_dir_all(folder)?;
        server = start_server(folder)?;
        let mut client = server.client()?;
        for (name, visibility) in [("library", "private"), ("web", "public")] {
            let body = format!("{{\"name\":\"{name}\",\"visibility\":\"{visibility}\"}}");
            client.send_json("POST", "/api/v1/repositories", &body)?;
        }
        let started = Instant::now();
        watched = fill(&mut client, folder, "library", 1, n_private)?;
        public = fill(&mut client, folder, "web", 2, n_public)?;
        let rate = size.documents as f64 / started.elapsed().as_secs_f64();
        println!("loaded               {rate:>10.0} per second");
        client.send_json("POST", "/api/v1/watches", "{\"repository\":\"library\"}")?;
        wait_for_jobs(&mut client)?;
        println!(
            "flushed              {:>10.1} s after the start",
            started.elapsed().as_secs_f64()
        );
        println!("memory before load   {}", server.peak()?);
        if kept.is_some() {
            std::fs::write(folder.join(LOADED), size.documents.to_string())?;
            server.stop()?;
            println!("\nloaded; the same command now measures");
            return Ok(());
        }
    }

    for (name, registers) in [("mixed", MIXED), ("registrations only", REGISTRATIONS_ONLY)] {
        println!("\n{} clients for {} s, {name}", size.clients, size.seconds);
        let load = Load::new(size, registers, &watched, &public);
        let (before, started) = (server.cpu()?, Instant::now());
        load.run(&server)?;
        // Waiting for the last alerts takes time, too.
        let busy = (server.cpu()? - before) / started.elapsed().as_secs_f64();
        println!("CPU of the server    {busy:>10.2} cores");
        load.report(server.peak()?)?;
    }
    server.stop()?;
    let started = Instant::now();
    server.start_again()?;
    println!(
        "\nstart after kill −9  {:>10.1} s   (goal: at most 5)",
        started.elapsed().as_secs_f64()
    );
    println!("memory after start   {}", server.peak()?);
    server.stop()
}

/// The work of all clients, and the results.
struct Load<'a> {
    size: &'a LoadSize,
    registers: u64,
    watched: &'a TextGenerator,
    public: &'a TextGenerator,
    is_over: AtomicBool,
    errors: AtomicU64,
    probes: Mutex<Vec<Duration>>,
    registrations: Mutex<Vec<Duration>>,
    /// Copies that were acknowledged and had no alert yet.
    copies: Mutex<HashMap<String, Instant>>,
    alerts: Mutex<Vec<Duration>>,
}

impl<'a> Load<'a> {
    fn new(
        size: &'a LoadSize,
        registers: u64,
        watched: &'a TextGenerator,
        public: &'a TextGenerator,
    ) -> Self {
        Self {
            size,
            registers,
            watched,
            public,
            is_over: AtomicBool::new(false),
            errors: AtomicU64::new(0),
            probes: Mutex::default(),
            registrations: Mutex::default(),
            copies: Mutex::default(),
            alerts: Mutex::default(),
        }
    }

    fn run(&self, server: &TestServer) -> Result<()> {
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..self.size.clients)
                .map(|number| scope.spawn(move || self.client(server, number)))
                .collect();
            let reader = scope.spawn(|| self.read_alerts(server));
            std::thread::sleep(Duration::from_secs(self.size.seconds));
            self.is_over.store(true, Ordering::Relaxed);
            for client in clients {
                client.join().map_err(|_| anyhow::anyhow!("a client thread panicked"))??;
            }
            reader.join().map_err(|_| anyhow::anyhow!("a client thread panicked"))?
        })
    }

    /// Runs one client: probes and registers until the time is over.
    fn client(&self, server: &TestServer, number: usize) -> Result<()> {
        let mut client = server.client()?;
        let seed = 1000 * self.registers + number as u64;
        let mut watched = self.watched.fork(100_000 + seed);
        let mut public = self.public.fork(200_000 + seed);
        let (mut probes, mut registrations) = (Vec::new(), Vec::new());
        let mut n_registered = 0;
        while !self.is_over.load(Ordering::Relaxed) {
            let is_registration = public.is_one_in(self.registers);
            let is_copy = is_registration && public.is_one_in(COPIES);
            let words = match (is_registration, is_copy) {
                (_, true) => watched.copy(),
                (true, _) => public.document(),
                // Half of the passages are from each repository.
                _ if public.is_one_in(2) => watched.probe(),
                _ => public.probe(),
            };
            let text = text(&words);
            let (path, body, expected) = match is_registration {
                true => {
                    n_registered += 1;
                    let id = self.id(number, n_registered);
                    let body = format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}");
                    ("/api/v1/repositories/web/documents", body, 201)
                }
                false => ("/api/v1/probe", format!("{{\"text\":\"{text}\"}}"), 200),
            };
            let started = Instant::now();
            let outcome = client.send("POST", path, &body);
            let took = started.elapsed();
            match outcome {
                Ok((status, _)) if status == expected => {}
                other => {
                    if self.errors.fetch_add(1, Ordering::Relaxed) < 5 {
                        eprintln!("{path}: {other:?}");
                    }
                    client = server.client()?;
                    continue;
                }
            }
            match is_registration {
                true => registrations.push(took),
                false => probes.push(took),
            }
            if is_copy {
                lock(&self.copies).insert(self.id(number, n_registered), Instant::now());
            }
        }
        lock(&self.probes).extend(probes);
        lock(&self.registrations).extend(registrations);
        Ok(())
    }

    /// The id of a new document; another one in every run, because documents may be kept.
    fn id(&self, client: usize, number: u64) -> String {
        format!("new-{}-{}-{client}-{number}", std::process::id(), self.registers)
    }

    /// Reads alerts until all copies have one, or until ten seconds after the end.
    fn read_alerts(&self, server: &TestServer) -> Result<()> {
        let mut client = server.client()?;
        let mut ended: Option<Instant> = None;
        // Alerts of the initial documents are ignored.
        let last = client.send_json("GET", "/api/v1/alerts?state=open&limit=1", "")?;
        let mut newest = last[0]["id"].as_u64().unwrap_or(0);
        // Time of the first alert of each document, which can be before its client receives the response.
        let mut alerted: HashMap<String, Instant> = HashMap::new();
        loop {
            newest = read_new_alerts(&mut client, newest, &mut alerted)?;
            lock(&self.copies).retain(|copy, acknowledged| {
                let Some(at) = alerted.get(copy) else { return true };
                lock(&self.alerts).push(at.saturating_duration_since(*acknowledged));
                false
            });
            if self.is_over.load(Ordering::Relaxed) {
                let since = *ended.get_or_insert_with(Instant::now);
                if lock(&self.copies).is_empty() || since.elapsed() > Duration::from_secs(10) {
                    return Ok(());
                }
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn report(&self, peak: PeakMemory) -> Result<()> {
        let (mut probes, mut registrations) = (lock(&self.probes), lock(&self.registrations));
        let (mut alerts, copies) = (lock(&self.alerts), lock(&self.copies));
        let seconds = self.size.seconds as f64;
        if self.registers > 1 {
            let rate = probes.len() as f64 / seconds;
            println!("probes               {rate:>10.1} per second   (goal: at least 800)");
        }
        let rate = registrations.len() as f64 / seconds;
        println!("registrations        {rate:>10.1} per second   (goal: at least 210)");
        for (name, times, goal) in [
            (
                "time of a probe",
                &mut probes,
                "   (goal: p99 at most 60; 100 with 1,000,000 documents)",
            ),
            ("of a registration", &mut registrations, ""),
            ("of an alert", &mut alerts, "   (goal: at most 5000)"),
        ] {
            if !times.is_empty() {
                let percentiles = percentiles(times);
                println!("{name:<21}{percentiles} ms{goal}");
            }
        }
        println!("alerts received      {:>10} of {}", alerts.len(), alerts.len() + copies.len());
        println!("peak memory          {peak}");
        let errors = self.errors.load(Ordering::Relaxed);
        println!("errors               {errors:>10}   (goal: none)");
        // The server accepts registrations faster than it checks them; late alerts are not a failure.
        let is_late = self.registers == REGISTRATIONS_ONLY && !copies.is_empty();
        if is_late {
            println!(
                "registrations arrive faster than the server checks them: the other alerts follow later"
            );
        }
        ensure!(errors == 0 && (copies.is_empty() || is_late), "the server failed under load");
        Ok(())
    }
}

/// Reads all alerts after the one with the number `newest`, and returns the number of the last.
fn read_new_alerts(
    client: &mut HttpClient,
    newest: u64,
    alerted: &mut HashMap<String, Instant>,
) -> Result<u64> {
    let mut last = newest;
    let mut path = "/api/v1/alerts?state=open&limit=100".to_owned();
    loop {
        let alerts = client.send_json("GET", &path, "")?;
        let now = Instant::now();
        let mut oldest = None;
        for alert in alerts.as_array().into_iter().flatten() {
            let number = alert["id"].as_u64().context("an alert has no id")?;
            if number <= newest {
                return Ok(last);
            }
            (last, oldest) = (last.max(number), Some(number));
            let found = alert["found"]["id"].as_str().unwrap_or_default();
            alerted.entry(found.to_owned()).or_insert(now);
        }
        let Some(oldest) = oldest else { return Ok(last) };
        path = format!("/api/v1/alerts?state=open&limit=100&before={oldest}");
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Formats p50, p95, p99 and the maximum in milliseconds.
fn percentiles(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |part: usize| {
        let index = (times.len() * part / 100).min(times.len().saturating_sub(1));
        times.get(index).map_or(0.0, |time| time.as_secs_f64() * 1e3)
    };
    let (p50, p95, p99, max) = (at(50), at(95), at(99), at(100));
    format!("p50 {p50:.1}, p95 {p95:.1}, p99 {p99:.1}, max {max:.1}")
}

/// Loads `n` documents into a repository; returns the generator of their texts.
fn fill(
    client: &mut HttpClient,
    folder: &Path,
    name: &str,
    number: u64,
    n: usize,
) -> Result<TextGenerator> {
    let mut texts = TextGenerator::new(number, n);
    for first in (0..n).step_by(MAX_FILE_DOCUMENTS) {
        let part = (first..n.min(first + MAX_FILE_DOCUMENTS))
            .map(|number| (format!("{name}-{number}"), text(&texts.document())));
        load_documents(client, folder, name, part)?;
    }
    Ok(texts)
}

/// Loads documents, each an id and a text, into a repository.
fn load_documents(
    client: &mut HttpClient,
    folder: &Path,
    name: &str,
    documents: impl IntoIterator<Item = (String, String)>,
) -> Result<()> {
    let path = folder.join(format!("{name}.jsonl"));
    let mut file = BufWriter::new(std::fs::File::create(&path)?);
    for (id, text) in documents {
        writeln!(file, "{{\"id\":\"{id}\",\"text\":\"{text}\"}}")?;
    }
    file.flush()?;
    drop(file);
    let loads = format!("/api/v1/repositories/{name}/loads?file={name}.jsonl");
    let job = client.send_file(&loads, &path)?;
    std::fs::remove_file(&path)?;
    let job = format!("/api/v1/jobs/{}", job["job"]);
    loop {
        let state = client.send_json("GET", &job, "")?;
        match state["state"].as_str() {
            Some("done") => return Ok(()),
            Some("failed") => bail!("the load failed: {state}"),
            _ => std::thread::sleep(Duration::from_millis(200)),
        }
    }
}

/// Waits until the server has no waiting job.
fn wait_for_jobs(client: &mut HttpClient) -> Result<()> {
    loop {
        let (_, metrics) = client.send("GET", "/metrics", "")?;
        let waiting = metrics.lines().find_map(|line| line.strip_prefix("textkin_jobs_waiting "));
        if waiting.context("/metrics has no textkin_jobs_waiting")? == "0" {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(200));
    }
}
