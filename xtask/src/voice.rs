//! Finds phrases that textkin does not use (`xtask/voice.txt`) in everything a person reads.
//!
//! In: all files under version control. Out: the places, with what to write instead.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use regex::{Captures, Regex};

use crate::root;

/// What is read: code, pages and documentation.
const EXTENSIONS: [&str; 10] = ["rs", "md", "html", "py", "pyi", "ts", "mjs", "js", "toml", "css"];
/// Excludes a line.
const ALLOW: &str = "voice: allow";
/// Exclude the lines between them.
const OFF: &str = "voice: off";
const ON: &str = "voice: on";

/// Where a rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// Every line.
    All,
    /// Lines that a person reads: prose, templates, doc comments, lines with a string.
    Text,
}

/// A phrase, and what to write instead.
#[derive(Debug)]
struct Rule {
    scope: Scope,
    phrase: Phrase,
    instead: String,
}

/// A regular expression. A match in which a group called `ok…` takes part is fine.
#[derive(Debug)]
struct Phrase(Regex);

impl Phrase {
    fn is_in(&self, line: &str) -> bool {
        let is_fine = |found: &Captures<'_>| {
            let mut names = self.0.capture_names().flatten();
            names.any(|name| name.starts_with("ok") && found.name(name).is_some())
        };
        self.0.captures_iter(line).any(|found| !is_fine(&found))
    }
}

/// Lists every place where a phrase is used.
pub(crate) fn check() -> Result<()> {
    let places = places()?;
    for place in &places {
        println!("{place}");
    }
    ensure!(places.is_empty(), "{} places use phrases of xtask/voice.txt", places.len());
    println!("no phrase of xtask/voice.txt is used");
    Ok(())
}

fn places() -> Result<Vec<String>> {
    let root = root()?;
    let rules = rules(&std::fs::read_to_string(root.join("xtask/voice.txt"))?)?;
    let listed = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(&root)
        .output()
        .context("git lists the files to check")?;
    let mut places = Vec::new();
    for name in String::from_utf8(listed.stdout)?.lines() {
        let extension = Path::new(name).extension().and_then(|extension| extension.to_str());
        if !extension.is_some_and(|extension| EXTENSIONS.contains(&extension))
            || name.contains("proptest-regressions")
            || name.contains("tests/regressions/")
        {
            continue;
        }
        // A file may have been deleted and not committed yet.
        let Ok(text) = std::fs::read_to_string(root.join(name)) else { continue };
        find(name, &text, &rules, &mut places);
    }
    Ok(places)
}

fn rules(text: &str) -> Result<Vec<Rule>> {
    let mut rules = Vec::new();
    for (number, line) in text.lines().enumerate() {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let rule = || -> Result<Rule> {
            let (scope, rest) =
                line.split_once(" | ").context("expected SCOPE | PHRASE | INSTEAD")?;
            let (phrase, instead) = rest.rsplit_once(" | ").context("nothing to write instead")?;
            let scope = match scope.trim() {
                "all" => Scope::All,
                "text" => Scope::Text,
                other => bail!("unknown scope {other:?}"),
            };
            Ok(Rule { scope, phrase: Phrase(Regex::new(phrase)?), instead: instead.to_owned() })
        };
        rules.push(rule().with_context(|| format!("xtask/voice.txt:{}", number + 1))?);
    }
    Ok(rules)
}

fn find(name: &str, text: &str, rules: &[Rule], places: &mut Vec<String>) {
    let is_code = [".rs", ".py", ".pyi", ".ts", ".mjs", ".js", ".toml", ".css"]
        .iter()
        .any(|extension| name.ends_with(extension));
    let mut is_off = false;
    for (number, line) in text.lines().enumerate() {
        if line.contains(OFF) || line.contains(ON) {
            is_off = line.contains(OFF);
            continue;
        }
        if is_off || line.contains(ALLOW) {
            continue;
        }
        let is_read = !is_code || is_shown(line);
        for rule in rules {
            if (rule.scope == Scope::All || is_read) && rule.phrase.is_in(line) {
                let line = line.trim();
                places.push(format!("{name}:{}: {line}\n    write: {}", number + 1, rule.instead));
            }
        }
    }
}

/// Whether a line of code may be read by a person: a comment, a string, or the inside of a long string.
fn is_shown(line: &str) -> bool {
    let line = line.trim_start();
    let is_comment = ["//", "#", "*", "/*"].iter().any(|start| line.starts_with(start));
    is_comment
        || line.contains('"')
        || line.contains('\'')
        || line.contains('`')
        || !line.contains([';', '{', '('])
}

#[test]
fn no_phrase_of_the_list_is_used() {
    let places = places().unwrap();
    assert!(places.is_empty(), "write it differently:\n{}", places.join("\n"));
}

#[test]
fn a_phrase_is_found_where_its_scope_says() {
    let rules =
        rules("all | \\bfoo\\b | bar\ntext | is no (?:(?<ok>longer)|[a-z]+) | is not a").unwrap();
    let find = |name: &str, text: &str| {
        let mut places = Vec::new();
        super::voice::find(name, text, &rules, &mut places);
        places.len()
    };
    assert_eq!(find("a.rs", "let foo = 1;"), 1);
    assert_eq!(find("a.rs", "let foo = 1; // voice: allow"), 0);
    assert_eq!(find("a.md", "this is no index"), 1); // voice: allow
    assert_eq!(find("a.md", "this is no longer so, and is no index"), 1); // voice: allow
    assert_eq!(find("a.md", "this is no longer so"), 0);
    assert_eq!(find("a.rs", "error(\"is no index\")"), 1); // voice: allow
    assert_eq!(find("a.md", "<!-- voice: off -->\nfoo\n<!-- voice: on -->\n"), 0);
}
