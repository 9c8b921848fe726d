//! Shared by the tests: a directory to run the command in, results of a run, and generated texts.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// The header of every CSV.
pub(crate) const HEADER: &str =
    "a,b,score,shared_chunks,s1,s2,s3,s4,ssr,sscr,a_in_b,b_in_a,words_a,words_b,longest_run,reason";

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Run {
    fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        // A run killed by a signal has no exit code.
        let code = output.status.code().unwrap_or(-1);
        Self { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// Returns the rows of CSV on standard output, without the header.
    pub(crate) fn rows(&self) -> Vec<&str> {
        let mut lines = self.stdout.lines();
        assert_eq!(lines.next(), Some(HEADER), "{self:?}");
        lines.collect()
    }

    /// Returns the two ids of each row.
    pub(crate) fn pairs(&self) -> Vec<(&str, &str)> {
        let ids = |row: &'_ str| -> Option<(usize, usize)> {
            let first = row.find(',')?;
            Some((first, first + 1 + row[first + 1..].find(',')?))
        };
        let pair = |row| {
            let (first, second) = ids(row).unwrap();
            (&row[..first], &row[first + 1..second])
        };
        self.rows().into_iter().map(pair).collect()
    }

    pub(crate) fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self:?}");
        assert!(!self.stderr.contains("panicked"), "{self:?}");
        self
    }

    /// Asserts that nothing is on standard error.
    pub(crate) fn expect_quiet(&self) {
        assert_eq!(self.stderr, "");
    }

    /// Asserts that standard error is exactly this line.
    pub(crate) fn expect_only(&self, message: &str) {
        assert_eq!(self.stderr, format!("textkin: {message}\n"));
    }
}

/// A directory in which the command runs; paths are relative to it.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        // A name without a dot, so that the directory is not hidden.
        Self(tempfile::Builder::new().prefix("textkin").tempdir().unwrap())
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        String::from_utf8(self.read_bytes(name)).unwrap()
    }

    pub(crate) fn read_bytes(&self, name: &str) -> Vec<u8> {
        let path = self.path(name);
        std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    /// Returns the lines of a file as JSON values.
    pub(crate) fn json_lines(&self, name: &str) -> Vec<Value> {
        self.read(name).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Returns the names in the directory in order, hidden ones too.
    pub(crate) fn names(&self) -> Vec<String> {
        names(self.0.path())
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_textkin"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Runs `textkin` with these arguments.
    pub(crate) fn textkin(&self, arguments: &[&str]) -> Run {
        Run::of(self.command(arguments).output().unwrap())
    }

    /// Runs `textkin repo` with these arguments.
    pub(crate) fn repo(&self, arguments: &[&str]) -> Run {
        self.textkin(&[&["repo"], arguments].concat())
    }

    /// Runs `textkin discover` with these arguments.
    pub(crate) fn discover(&self, arguments: &[&str]) -> Run {
        self.textkin(&[&["discover"], arguments].concat())
    }

    /// Runs `textkin discover` with something on standard input.
    pub(crate) fn discover_from(&self, stdin: &[u8], arguments: &[&str]) -> Run {
        self.textkin_from(stdin, &[&["discover"], arguments].concat())
    }

    /// Runs `textkin` with something on standard input.
    pub(crate) fn textkin_from(&self, stdin: &[u8], arguments: &[&str]) -> Run {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin).unwrap();
        Run::of(child.wait_with_output().unwrap())
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn run(mut command: Command) -> Run {
    Run::of(command.output().unwrap())
}

/// Ten words, three chunks of eight.
pub(crate) const HARBOUR: &str = "At dusk the ferry left the harbour without its lamps.";
/// One other word and nine of them: two chunks in common.
pub(crate) const FERRY: &str = "Again at dusk the ferry left the harbour without its";
/// A text with nothing in common.
pub(crate) const BAKERY: &str = "Rye bread needs a sour dough that was fed twice the day before.";

/// A line of JSON lines.
pub(crate) fn record(id: &str, text: &str) -> String {
    format!("{}\n", serde_json::json!({ "id": id, "text": text }))
}

/// Pseudo-random numbers, the same in every run.
#[derive(Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// Returns a number below `n`.
    pub(crate) fn roll(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % n
    }

    /// Returns words that hardly ever repeat in the same order.
    pub(crate) fn words(&mut self, n: usize) -> Vec<String> {
        const SYLLABLES: [&str; 16] = [
            "ba", "do", "fi", "gu", "ke", "la", "mo", "ni", "pu", "re", "sa", "to", "vi", "wu",
            "xe", "za",
        ];
        let word = |dice: &mut Self| (0..3).map(|_| SYLLABLES[dice.roll(16)]).collect::<String>();
        (0..n).map(|_| word(self)).collect()
    }

    pub(crate) fn text(&mut self, n_words: usize) -> String {
        self.words(n_words).join(" ")
    }
}

/// A collection with copied passages, copies, boilerplate, short and empty documents.
pub(crate) fn collection(n: usize) -> Vec<(String, String)> {
    let mut dice = Dice::new(n as u64);
    let licence = dice.words(40);
    let mut texts: Vec<Vec<String>> = Vec::new();
    for number in 0..n {
        let length = 20 + dice.roll(120);
        let mut words = dice.words(length);
        let earlier = dice.roll(number.max(1));
        match dice.roll(10) {
            0..4 if number > 0 => {
                let from: &[String] = &texts[earlier];
                let start = dice.roll(from.len().max(1));
                let passage = from[start.min(from.len())..].iter().take(10 + dice.roll(50));
                let place = dice.roll(words.len());
                words.splice(place..place, passage.cloned().collect::<Vec<_>>());
            }
            4 if number > 0 => words = texts[earlier].clone(),
            5 => words.extend(licence.iter().cloned()),
            6 => words = licence.iter().take(1 + dice.roll(9)).cloned().collect(),
            7 if number % 3 == 0 => words.clear(),
            _ => {}
        }
        texts.push(words);
    }
    let named = |(number, words): (usize, Vec<String>)| (format!("d{number}"), words.join(" "));
    texts.into_iter().enumerate().map(named).collect()
}

/// Writes a collection as JSON lines.
pub(crate) fn lines<'a>(documents: impl IntoIterator<Item = &'a (String, String)>) -> String {
    documents.into_iter().fold(String::new(), |mut lines, (id, text)| {
        write!(lines, "{}", record(id, text)).unwrap();
        lines
    })
}

/// Returns rows by unordered pair of ids, without the columns that have a direction.
pub(crate) fn undirected(csv: &str) -> BTreeMap<(String, String), Vec<String>> {
    let row = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        let (a, b) = (columns[0].min(columns[1]), columns[0].max(columns[1]));
        let kept = columns[2..10].iter().map(|&column| column.to_owned()).collect();
        ((a.to_owned(), b.to_owned()), kept)
    };
    csv.lines().skip(1).map(row).collect()
}
