//! Runs every command block of the README and the book on the files of `examples/`.
//!
//! A page is one shell session in a folder with a copy of `examples/`, as at the root of a clone. In a `console`
//! block a line that starts with `$ ` is a
//! command (`> ` continues it), and the lines below are its output, standard error included. In a `sh` block every
//! line is a command without shown output. Times, rates, sizes in memory and keys vary from run to run and are
//! compared as such (`pattern.rs`); `…` stands for any text, alone on a line for any lines. A command must succeed
//! unless the next one is `echo $?`.
//!
//! `TEXTKIN_BLESS=1 cargo test -p textkin-cli --all-features --test docs` rewrites the output on the pages.

#![expect(clippy::unwrap_used, reason = "a test may panic, its helpers too")]

mod generated;
mod page;
mod pattern;
mod session;

use std::path::{Path, PathBuf};

use page::{Command, Page};
use session::Session;

/// Commands that build, install or need another machine; a test cannot run them.
const NOT_RUN: [&str; 10] = [
    "cargo install ",
    "cargo test",
    "cargo xtask ",
    "git clone ",
    "cd textkin",
    "pip install ",
    "python -m textkin.spark ",
    "spark-submit ",
    "sudo ",
    "apt-get ",
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The README and all pages of the book, in order.
fn pages() -> Vec<PathBuf> {
    fn below(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                below(&path, found);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    let mut found = vec![root().join("README.md")];
    below(&root().join("book/src"), &mut found);
    found.sort();
    found
}

/// A command that is run, as the shell gets it; `None` for one that a test cannot run.
fn runnable(command: &str) -> Option<String> {
    if let Some(arguments) = command.strip_prefix("cargo run --release -- ") {
        return Some(format!("textkin {arguments}"));
    }
    let is_not_run = NOT_RUN.iter().any(|prefix| command.starts_with(prefix));
    (!is_not_run).then(|| command.to_owned())
}

/// Runs all commands of a page; returns what differs and, in `blessed`, the page with the output it has now.
fn run(path: &Path, blessed: &mut String) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let page = Page::parse(&text);
    blessed.clone_from(&text);
    if page.commands.iter().all(|command| runnable(&command.text).is_none()) {
        return Vec::new();
    }
    let mut session = Session::new(&root().join("examples"));
    let mut differences = Vec::new();
    let mut outputs = Vec::new();
    for (index, command) in page.commands.iter().enumerate() {
        let Some(text) = runnable(&command.text) else {
            outputs.push(None);
            continue;
        };
        let place = format!("{}:{}: {}", path.display(), command.line, command.text);
        let (output, code) = session.run(&text);
        let next = page.commands.get(index + 1);
        let is_code_shown = next.is_some_and(|next: &Command| next.text == "echo $?");
        if code != 0 && !is_code_shown {
            differences.push(format!("{place}\nexit code {code}\n{output}"));
        }
        if let Some(expected) = &command.output
            && !pattern::matches(expected, &output)
        {
            differences
                .push(format!("{place}\n--- on the page\n{expected}\n--- printed\n{output}"));
            outputs.push(Some(output));
        } else {
            outputs.push(None);
        }
    }
    *blessed = page.with_outputs(&text, &outputs);
    differences
}

#[test]
fn every_command_of_readme_and_book_runs_and_prints_what_the_page_shows() {
    let is_blessing = std::env::var_os("TEXTKIN_BLESS").is_some();
    let mut differences = Vec::new();
    for path in pages() {
        let mut blessed = String::new();
        let found = run(&path, &mut blessed);
        if is_blessing {
            std::fs::write(&path, blessed).unwrap();
        }
        differences.extend(found);
    }
    assert!(differences.is_empty(), "{}", differences.join("\n\n"));
}

#[test]
fn generated_pages_are_current() {
    let is_blessing = std::env::var_os("TEXTKIN_BLESS").is_some();
    let mut stale = Vec::new();
    for (name, content) in generated::files() {
        let path = root().join(&name);
        if std::fs::read_to_string(&path).ok().as_ref() == Some(&content) {
            continue;
        }
        stale.push(name.display().to_string());
        if is_blessing {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, content).unwrap();
        }
    }
    assert!(stale.is_empty(), "run `cargo xtask docs`; not current: {}", stale.join(", "));
}

/// The default of an option, as the command line parser has it.
fn default_of(command: &str, option: &str) -> String {
    let parser = textkin_cli::command();
    let command = parser.find_subcommand(command).unwrap();
    let argument = command.get_arguments().find(|argument| argument.get_long() == Some(option));
    let argument = argument.unwrap_or_else(|| panic!("no option --{option}"));
    argument.get_default_values()[0].to_string_lossy().into_owned()
}

fn page(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

#[test]
fn defaults_and_versions_on_pages_are_those_of_the_code() {
    let manifest = page("Cargo.toml");
    let rust = manifest.split_once("rust-version = \"").unwrap().1.split('"').next().unwrap();
    for name in ["README.md", "CONTRIBUTING.md", "book/src/getting-started.md"] {
        assert!(page(name).contains(rust), "{name} names another Rust version than {rust}");
    }
    let gap = format!("at most {} other words", default_of("compare", "max-gap"));
    assert!(page("book/src/compare.md").contains(&gap), "{gap}");
    let every = format!("(default `{}`", default_of("trace", "checkpoint-every"));
    assert!(page("book/src/trace.md").contains(&every), "{every}");
    let dedup = page("book/src/dedup.md");
    for words in [textkin::engine::DEFAULT_PASSAGE_WORDS, textkin::engine::DEFAULT_LINE_WORDS] {
        assert!(dedup.contains(&format!("| {words} |")), "{words}");
    }
}

#[test]
fn limits_on_the_page_of_the_server_are_its_defaults() {
    let page = page("book/src/server.md");
    let fixed = textkin_server::fixed_limits();
    let mut checked = 0;
    for line in page.lines() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let &["", what, limit, option, ""] = cells.as_slice() else { continue };
        if let Some((_, known)) = fixed.iter().find(|(name, _)| *name == what) {
            assert_eq!(limit, known, "{what}");
            checked += 1;
        }
        let Some(option) = option.strip_prefix("`--").and_then(|option| option.strip_suffix('`'))
        else {
            continue;
        };
        let plain = limit.replace([' ', ','], "");
        let default = default_of("serve", option);
        assert!(
            plain.starts_with(&default),
            "--{option}: the page has {limit}, the code {default}"
        );
        checked += 1;
    }
    assert_eq!(checked, fixed.len() + 4, "rows of the page that were compared");
}

#[test]
fn the_pages_have_commands() {
    let count = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let commands = Page::parse(&text).commands;
        commands.iter().filter(|command| runnable(&command.text).is_some()).count()
    };
    let counts: Vec<usize> = pages().iter().map(count).collect();
    assert!(counts.iter().sum::<usize>() > 20, "{counts:?}");
}

/// What the page on REST shows, and the test above has seen, is the whole way of a text.
#[test]
fn the_page_on_rest_shows_a_match_a_job_a_receipt_and_a_watch() {
    let page = std::fs::read_to_string(root().join("book/src/api.md")).unwrap();
    for expected in ["\"level\":\"exact\"", "\"job\":", "\"receipt\":", "\"min_level\":\"some\""] {
        assert!(page.contains(expected), "{expected}");
    }
}

/// Every `cargo xtask` on a page is a task that there is.
#[test]
fn every_task_on_a_page_exists() {
    let tasks = std::fs::read_to_string(root().join("xtask/src/main.rs")).unwrap();
    for path in pages() {
        let text = std::fs::read_to_string(&path).unwrap();
        for rest in text.split("cargo xtask ").skip(1) {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
            let task: String = rest.chars().take_while(|c| is_word(*c)).collect();
            assert!(
                tasks.contains(&format!("cargo xtask {task}")),
                "{}: cargo xtask {task} does not exist",
                path.display()
            );
        }
    }
}
