//! Help: short help fits one screen, long help is grouped and ends with examples.

use std::collections::BTreeSet;

use clap::Command;

use crate::support::Folder;

/// Lines of a screen.
const MAX_LINES: usize = 40;

/// First words of summaries.
const VERBS: [&str; 19] = [
    "Add", "Check", "Copy", "Create", "Deliver", "Find", "Generate", "List", "Manage", "Merge",
    "Print", "Register", "Remove", "Run", "Show", "Trace", "Use", "Watch", "Write",
];

/// Calls `check` with every command of this build and its name.
fn for_all(command: &Command, prefix: &str, check: &mut dyn FnMut(&str, &Command)) {
    let name = format!("{prefix}{}", command.get_name());
    check(&name, command);
    let is_shown = |command: &&Command| command.get_name() != "help" && !command.is_hide_set();
    for command in command.get_subcommands().filter(is_shown) {
        for_all(command, &format!("{name} "), check);
    }
}

fn built(width: usize) -> Command {
    let mut command = textkin_cli::command().max_term_width(width).term_width(width);
    command.build();
    command
}

#[test]
fn short_help_fits_one_screen() {
    for width in [80, 100] {
        for_all(&built(width), "", &mut |name, command| {
            let help = command.clone().term_width(width).render_help().to_string();
            let lines = help.lines().count();
            assert!(lines <= MAX_LINES, "{name} -h has {lines} lines at {width} columns:\n{help}");
            for line in help.lines() {
                let is_usage = line.trim_start().starts_with("Usage:");
                assert!(is_usage || line.chars().count() <= width, "{name} -h: {line}");
            }
        });
    }
}

#[test]
fn summaries_are_imperative() {
    for_all(&built(100), "", &mut |name, command| {
        let about = command.get_about().unwrap().to_string();
        let first = about.split_whitespace().next().unwrap();
        assert!(VERBS.contains(&first), "{name}: {about}");
        assert!(!about.ends_with('.') && about.lines().count() == 1, "{name}: {about}");
    });
}

#[test]
fn long_help_is_grouped_and_ends_with_examples() {
    for_all(&built(100), "", &mut |name, command| {
        let help = command.clone().render_long_help().to_string();
        let examples = help.trim_end().rsplit("\n\n").next().unwrap();
        assert!(examples.starts_with("Example"), "{name} --help ends with:\n{examples}");
        assert!(examples.lines().skip(1).all(|line| line.starts_with("  ")), "{name}:\n{examples}");
        for line in examples.lines().skip(1) {
            let called = line.trim_start().contains("textkin");
            assert!(called, "{name}: {line}");
        }
        let options: Vec<_> =
            command.get_arguments().filter(|option| option.get_long().is_some()).collect();
        let groups: BTreeSet<_> =
            options.iter().map(|option| option.get_help_heading().unwrap_or("Options")).collect();
        assert!(options.len() < 13 || groups.len() > 2, "{name}: {groups:?}");
        for option in options {
            assert!(option.get_help().is_some(), "{name} {option} has no help");
        }
    });
}

#[test]
fn completions_and_manual_pages_are_generated() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.textkin(&["completions", shell]).expect(0).stdout;
        assert!(script.contains("discover") && script.contains("repo"), "{shell}");
    }
    let page = folder.textkin(&["man"]).expect(0).stdout;
    assert!(page.contains(".TH textkin 1"), "{page}");
    folder.textkin(&["man", "--out", "man"]).expect(0);
    let names = std::fs::read_dir(folder.path("man")).unwrap();
    let names: Vec<_> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    for name in ["textkin.1", "textkin-discover.1", "textkin-repo-add.1"] {
        assert!(names.iter().any(|found| found == name), "{name} in {names:?}");
    }
}

/// Fails if a command whose feature this build does not have is shown, or does not say how to get it.
#[test]
fn commands_of_missing_features_are_hidden_and_say_how_to_get_them() {
    let features = [
        ("serve", "server", cfg!(feature = "server")),
        ("admin", "server", cfg!(feature = "server")),
        ("mail", "server", cfg!(feature = "server")),
        ("client", "client", cfg!(feature = "client")),
        ("eval", "lab", cfg!(feature = "lab")),
    ];
    let folder = Folder::new();
    for (name, feature, is_contained) in features {
        let is_hidden = built(100).find_subcommand(name).unwrap().is_hide_set();
        assert_eq!(is_hidden, !is_contained, "{name}");
        if is_contained {
            continue;
        }
        for arguments in [&[name][..], &[name, "--help"], &[name, "key", "--data", "registry"]] {
            let run = folder.textkin(arguments).expect(2);
            assert!(run.stderr.starts_with("textkin: this build of textkin does not contain the "));
            let command = "cargo install --locked --path crates/textkin-cli --features";
            assert!(run.stderr.ends_with(&format!("{command} {feature}\n")), "{run:?}");
            assert_eq!(run.stdout, "", "{arguments:?}");
        }
    }
}
