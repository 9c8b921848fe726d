//! Options of every command: `--color`, `--progress`, `--quiet`, and `--format json`.

use serde_json::Value;

use crate::support::{BAKERY, Folder, HARBOUR, run};

/// Two copies and another text.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("in/a.txt", HARBOUR);
    folder.write("in/b.txt", HARBOUR);
    folder.write("in/c.txt", BAKERY);
    folder
}

/// Runs a command with environment variables for color and returns standard output.
fn with_environment(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> String {
    let mut command = folder.command(arguments);
    command.env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env_remove("CLICOLOR");
    command.envs(variables.iter().copied());
    run(command).expect(0).stdout
}

#[test]
fn color_follows_the_option_and_the_environment() {
    let folder = folder();
    let is_colored = |arguments: &[&str], variables: &[(&str, &str)]| {
        with_environment(&folder, arguments, variables).contains('\u{1b}')
    };
    let discover = ["discover", "in"];
    assert!(!is_colored(&discover, &[]), "not a terminal");
    assert!(is_colored(&["discover", "in", "--color", "always"], &[]));
    assert!(is_colored(&["--color=always", "discover", "in"], &[("NO_COLOR", "1")]));
    assert!(is_colored(&discover, &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_colored(&discover, &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]));
    assert!(!is_colored(&["discover", "in", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
    assert!(!is_colored(&discover, &[("TERM", "dumb")]));
    assert!(is_colored(&["discover", "-h", "--color", "always"], &[]), "help");
    assert!(!is_colored(&["discover", "-h", "--color", "never"], &[("CLICOLOR_FORCE", "1")]));
}

#[test]
fn progress_is_shown_only_if_requested() {
    let folder = folder();
    folder.discover(&["in", "--out", "p.csv"]).expect(0).expect_quiet();
    let shown = folder.discover(&["in", "--out", "p.csv", "--progress", "always"]).expect(0);
    assert!(shown.stderr.lines().all(|line| line.starts_with("textkin: ")), "{shown:?}");
    for quiet in [["--progress", "never"], ["--quiet", "--progress=always"]] {
        let arguments = [&["in", "--out", "p.csv"], &quiet[..]].concat();
        folder.discover(&arguments).expect(0).expect_quiet();
    }
}

#[test]
fn quiet_is_an_option_of_every_command() {
    let folder = folder();
    for (arguments, is_silent) in [
        (&["discover", "in", "-q"][..], true),
        (&["dedup", "in", "--dry-run", "-q"], true),
        (&["repo", "create", "r", "-q"], true),
        (&["repo", "add", "r", "in", "-q"], true),
        (&["repo", "check", "r", "-q"], true),
        (&["search", "r", "in/a.txt", "-q"], false),
        (&["repo", "remove", "r", "--id", "in/c.txt", "-q"], true),
        (&["repo", "compact", "r", "-q"], true),
        (&["compare", "in/a.txt", "in/b.txt", "-q"], false),
        (&["compare", "in/a.txt", "in/b.txt", "-q", "--html", "report.html"], false),
        (&["verify", "report.html", "in/a.txt", "in/b.txt", "-q"], true),
    ] {
        let run = folder.textkin(arguments).expect(0);
        assert_eq!(run.stdout.is_empty(), is_silent, "{arguments:?}: {run:?}");
        run.expect_quiet();
    }
}

#[test]
fn json_is_printed_by_every_command_with_a_result() {
    let folder = folder();
    let json = |arguments: &[&str]| -> Value {
        let run = folder.textkin(&[arguments, &["--format", "json"]].concat()).expect(0);
        serde_json::from_str(&run.stdout).unwrap_or_else(|error| panic!("{error}: {run:?}"))
    };
    let found = json(&["discover", "in", "--index", "i.tkx", "--html", "run.html"]);
    assert_eq!((&found["documents"], &found["edges"]), (&3.into(), &1.into()), "{found}");
    assert_eq!(found["top_pairs"][0]["a"], "in/a.txt", "{found}");
    let removed = json(&["dedup", "in", "--dry-run"]);
    assert_eq!((&removed["documents_removed"], &removed["documents"]), (&1.into(), &3.into()));
    assert_eq!(removed["most_duplicated"][0]["id"], "in/a.txt", "{removed}");
    assert_eq!(json(&["compare", "in/a.txt", "in/b.txt"])["report"], "compare");
    let verdict = json(&["verify", "run.html", "in"]);
    assert_eq!((&verdict["valid"], &verdict["pairs"]), (&true.into(), &serde_json::json!([])));
    assert!(json(&["repo", "create", "r"])["created_with"].is_object());
    let preview = json(&["repo", "add", "r", "in", "--dry-run"]);
    assert_eq!((&preview["added"], &preview["dry_run"]), (&3.into(), &true.into()));
    assert_eq!(json(&["repo", "add", "r", "in"])["added"], 3);
    assert_eq!(json(&["repo", "info", "r"])["documents"], 3);
    assert_eq!(json(&["repo", "check", "r"])["errors"], serde_json::json!([]));
    assert_eq!(json(&["search", "r", "in/c.txt"])["results"][0]["id"], "in/c.txt");
    let which = ["repo", "remove", "r", "--id", "in/c.txt"];
    assert_eq!(json(&[&which[..], &["--dry-run"]].concat())["ids"][0], "in/c.txt");
    assert_eq!(json(&which)["removed"], 1);
    assert_eq!(json(&["repo", "compact", "r"])["after"]["segments"], 1);
    assert_eq!(json(&["index", "i.tkx"])["documents"], 3);
    assert_eq!(json(&["index", "i.tkx", "--find", "in/a.txt"])["shared_chunks"], 3);
    assert!(json(&["doctor"])["formats"].is_array());
    assert!(json(&["measures"])[0]["formula"].is_string());
    assert!(json(&["strategies"])["chunkers"].is_array());
}

#[test]
fn results_can_be_written_to_files() {
    let folder = folder();
    folder.repo(&["create", "r"]).expect(0);
    folder.repo(&["add", "r", "in"]).expect(0);
    folder.discover(&["in", "--index", "i.tkx"]).expect(0);
    for arguments in [
        &["compare", "in/a.txt", "in/b.txt"][..],
        &["compare", "in/a.txt", "in/b.txt", "--format", "json"],
        &["search", "r", "in/a.txt"],
        &["search", "r", "in/a.txt", "--format", "csv"],
        &["repo", "list", "r"],
        &["repo", "info", "r"],
        &["repo", "export", "r"],
        &["index", "i.tkx"],
        &["index", "i.tkx", "--list"],
        &["trace", "in"],
    ] {
        let printed = folder.textkin(arguments).expect(0).stdout;
        let run = folder.textkin(&[arguments, &["-o", "out"]].concat()).expect(0);
        assert_eq!((run.stdout.as_str(), folder.read("out")), ("", printed), "{arguments:?}");
    }
    let run = folder.textkin(&["search", "r", "in/a.txt", "--out", "in/a.txt"]).expect(2);
    run.expect_only("in/a.txt is an input and would be overwritten; choose another output");
}

#[test]
fn a_dry_run_adds_nothing() {
    let folder = folder();
    folder.repo(&["create", "r"]).expect(0);
    let run = folder.repo(&["add", "r", "in", "--dry-run"]).expect(0);
    assert!(run.stdout.starts_with("would add 3 documents with "), "{run:?}");
    folder.repo(&["list", "r"]).expect(1);
    folder.repo(&["add", "r", "in/a.txt"]).expect(0);
    let run = folder.repo(&["add", "r", "in", "--dry-run"]).expect(0);
    assert!(run.stdout.starts_with("would add 2 documents with "), "{run:?}");
    assert!(run.stderr.contains("in/a.txt: the id already exists"), "{run:?}");
    let run = folder.repo(&["replace", "r", "in", "--dry-run"]).expect(0);
    assert!(run.stdout.contains("would add 3 documents") && run.stdout.contains("1 replaced"));
    folder.repo(&["add", "r", "in", "--dry-run", "--strict"]).expect(2);
}

#[test]
fn thresholds_out_of_range_are_rejected() {
    let folder = folder();
    let run = folder.textkin(&["dedup", "in", "--dry-run", "--threshold", "90"]).expect(2);
    run.expect_only("--threshold is a share of words between 0 and 1, got 90; did you mean 0.9?");
    let run = folder.discover(&["in", "-t", "50"]).expect(2);
    run.expect_only(
        "--threshold must be between 0 and 1 for the score kin, got 50; did you mean 0.5?",
    );
    let run = folder.discover(&["in", "--score", "ssr", "--threshold", "1.5"]).expect(2);
    run.expect_only("--threshold must be between 0 and 1 for the score ssr, got 1.5");
    folder.discover(&["in", "--score", "s1", "--threshold", "3"]).expect(0);
    folder.repo(&["create", "r"]).expect(0);
    let run = folder.repo(&["add", "r", "in", "--out", "p.csv", "--threshold", "2"]).expect(2);
    run.expect_only("--threshold must be between 0 and 1 for the score kin, got 2");
    let run = folder.textkin(&["search", "r", "in", "--threshold", "101"]).expect(2);
    assert!(run.stderr.contains("expected a number between 0 and 100, got '101'"), "{run:?}");
}

#[test]
fn strict_verification_stops_at_a_problem() {
    let folder = folder();
    let report = ["compare", "in/a.txt", "in/b.txt", "--html", "r.html"];
    folder.textkin(&report).expect(0);
    let verify = ["verify", "r.html", "in", "missing.txt"];
    folder.textkin(&verify).expect(0);
    folder.textkin(&[&verify[..], &["--strict"]].concat()).expect(2);
}
