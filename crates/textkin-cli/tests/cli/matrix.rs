//! Common options: which command has which, checked against the model of the command line.
//!
//! A new command must say of every common option that it has it, or why not. An option has the same short form
//! and the same kind of value in all commands.

use std::collections::{BTreeMap, BTreeSet};

use clap::Command;

/// A common option.
struct Common {
    long: &'static str,
    short: Option<char>,
    /// The commands that have it.
    yes: &'static [&'static str],
    /// The commands that do not have it, and why.
    no: &'static [(&'static [&'static str], &'static str)],
}

/// Lists, scripts and messages: no documents are read and nothing is computed.
const LISTS: &[&str] =
    &["eval list", "doctor", "measures", "strategies", "completions", "man", "schema", "mail"];
/// Commands that look after a server or talk to it without documents.
const SERVICE: &[&str] =
    &["serve", "admin key", "admin backup", "admin check", "client watch", "client alerts"];
/// Commands on a repository that read no documents from files.
const STORED: &[&str] = &[
    "repo create",
    "repo remove",
    "repo list",
    "repo info",
    "repo check",
    "repo compact",
    "repo export",
];
/// Commands that read collections.
const READERS: &[&str] = &[
    "discover",
    "verify",
    "dedup",
    "decontaminate",
    "repo add",
    "repo replace",
    "search",
    "trace",
    "client probe",
    "client register",
];
/// Experiments describe their collections in a file of their own.
const EXPERIMENTS: &[&str] = &["eval run", "eval all", "eval generate"];

const READS_NO_DOCUMENTS: &str = "reads no documents";
const OWN_COLLECTIONS: &str = "collection.toml says how its documents are read";

const MATRIX: &[Common] = &[
    Common { long: "quiet", short: Some('q'), yes: ALL, no: &[] },
    Common { long: "color", short: None, yes: ALL, no: &[] },
    Common { long: "progress", short: None, yes: ALL, no: &[] },
    Common {
        long: "threads",
        short: Some('j'),
        yes: &[
            "discover",
            "verify",
            "dedup",
            "decontaminate",
            "repo add",
            "repo replace",
            "repo compact",
            "search",
        ],
        no: &[
            (&["compare"], "compares two documents, on one thread"),
            (&["trace"], "each document depends on those before it"),
            (&["index", "repo export", "repo list", "repo check"], "reads files from start to end"),
            (&["repo create", "repo remove", "repo info"], "takes no time"),
            (EXPERIMENTS, "experiments set their own threads, so that their times can be compared"),
            (&["client probe", "client register"], "the server does the work"),
            (SERVICE, "the server uses all cores"),
            (LISTS, "computes nothing"),
        ],
    },
    Common {
        long: "memory",
        short: None,
        yes: &[
            "discover",
            "verify",
            "dedup",
            "repo add",
            "repo replace",
            "repo compact",
            "trace",
            "serve",
        ],
        no: &[
            (&["compare"], "needs a small multiple of the two documents"),
            (&["decontaminate"], "needs a multiple of the evaluation sets"),
            (&["search", "index"], "the index is mapped into memory, the system frees it"),
            (
                &[
                    "repo create",
                    "repo remove",
                    "repo list",
                    "repo info",
                    "repo check",
                    "repo export",
                ],
                "holds one document at a time",
            ),
            (EXPERIMENTS, "experiments set their own memory"),
            (&["client probe", "client register"], "holds one document at a time"),
            (
                &["admin key", "admin backup", "admin check", "client watch", "client alerts"],
                "holds no documents",
            ),
            (LISTS, "computes nothing"),
        ],
    },
    Common {
        long: "temp-dir",
        short: None,
        yes: &["discover", "verify", "dedup", "decontaminate", "repo add", "repo replace", "trace"],
        no: &[
            (&["compare", "search", "index"], "writes no temporary files"),
            (STORED, "writes inside the repository only"),
            (EXPERIMENTS, "temporary repositories follow TMPDIR"),
            (&["client probe", "client register"], "writes no temporary files"),
            (SERVICE, "writes inside the data directory only"),
            (LISTS, "writes no temporary files"),
        ],
    },
    Common {
        long: "format",
        short: None,
        yes: &[
            "discover",
            "compare",
            "verify",
            "dedup",
            "decontaminate",
            "repo create",
            "repo add",
            "repo replace",
            "repo remove",
            "repo list",
            "repo info",
            "repo check",
            "repo compact",
            "search",
            "trace",
            "index",
            "eval list",
            "eval run",
            "eval all",
            "admin key",
            "admin backup",
            "admin check",
            "client probe",
            "client register",
            "client watch",
            "client alerts",
            "doctor",
            "measures",
            "strategies",
        ],
        no: &[
            (&["repo export"], "always writes JSON lines"),
            (&["eval generate"], "always writes the files of a collection"),
            (&["serve"], "prints a log, see --log-format"),
            (&["mail"], "the exit code is the result"),
            (
                &["completions", "man", "schema"],
                "the format is that of the shell, the manual or the schema",
            ),
        ],
    },
    Common {
        long: "out",
        short: Some('o'),
        yes: &[
            "discover",
            "compare",
            "verify",
            "dedup",
            "decontaminate",
            "repo add",
            "repo replace",
            "repo list",
            "repo info",
            "repo export",
            "search",
            "trace",
            "index",
            "eval run",
            "eval all",
            "eval generate",
            "admin backup",
            "man",
        ],
        no: &[
            (
                &["repo create", "repo remove", "repo check", "repo compact"],
                "the result is a change or a status line",
            ),
            (
                &["client probe", "client register", "client watch", "client alerts"],
                "prints responses of the server as they come",
            ),
            (&["serve", "admin key", "admin check"], "prints a few lines"),
            (
                &["eval list", "doctor", "measures", "strategies", "completions", "schema"],
                "prints one list; use > to store it",
            ),
            (&["mail"], "the exit code is the result"),
        ],
    },
    Common {
        long: "html",
        short: None,
        yes: &["discover", "compare", "trace"],
        no: &[
            (&["verify"], "checks a page instead"),
            (&["dedup", "decontaminate", "search", "index"], "there is no page for its result"),
            (&["repo add", "repo replace"], "textkin discover DIR --html shows all pairs"),
            (STORED, "there is no page for its result"),
            (&["eval run", "eval all"], "--out writes HTML, among others"),
            (&["eval generate"], "there is no page for its result"),
            (&["client probe", "client register"], "the server has its own pages"),
            (SERVICE, "the server has its own pages"),
            (LISTS, "there is no page for its result"),
        ],
    },
    Common {
        long: "strict",
        short: None,
        yes: READERS,
        no: &[
            (&["compare", "index"], "a document that cannot be read is always an error"),
            (STORED, READS_NO_DOCUMENTS),
            (EXPERIMENTS, OWN_COLLECTIONS),
            (SERVICE, READS_NO_DOCUMENTS),
            (LISTS, READS_NO_DOCUMENTS),
        ],
    },
    Common { long: "text-field", short: None, yes: READERS_AND_COMPARE, no: NO_FIELDS },
    Common { long: "id-field", short: None, yes: READERS_AND_COMPARE, no: NO_FIELDS },
    Common {
        long: "time-field",
        short: None,
        yes: READERS,
        no: &[
            (&["compare"], "times do not matter for two documents"),
            (&["index"], "reads one text file"),
            (STORED, READS_NO_DOCUMENTS),
            (EXPERIMENTS, OWN_COLLECTIONS),
            (SERVICE, READS_NO_DOCUMENTS),
            (LISTS, READS_NO_DOCUMENTS),
        ],
    },
    Common {
        long: "exclude-files",
        short: None,
        yes: READERS,
        no: &[
            (&["compare", "index"], "names its files one by one"),
            (STORED, READS_NO_DOCUMENTS),
            (EXPERIMENTS, OWN_COLLECTIONS),
            (SERVICE, READS_NO_DOCUMENTS),
            (LISTS, READS_NO_DOCUMENTS),
        ],
    },
    Common {
        long: "dry-run",
        short: None,
        yes: &["dedup", "decontaminate", "repo add", "repo replace", "repo remove"],
        no: &[
            (
                &["discover", "compare", "verify", "search", "trace", "index"],
                "changes nothing but its outputs",
            ),
            (&["repo create"], "an empty repository is easily removed"),
            (&["repo list", "repo info", "repo check", "repo export"], "changes nothing"),
            (&["repo compact"], "keeps all documents"),
            (EXPERIMENTS, "changes nothing but its outputs"),
            (&["client register"], "textkin client probe shows matches without registering"),
            (&["client probe"], "changes nothing"),
            (SERVICE, "the server decides"),
            (LISTS, "changes nothing"),
        ],
    },
    Common {
        long: "stop-list",
        short: None,
        yes: &["discover", "compare", "verify", "dedup", "repo create", "search", "trace"],
        no: &[
            (&["repo add", "repo replace"], "fixed when the repository is created"),
            (
                &[
                    "repo remove",
                    "repo list",
                    "repo info",
                    "repo check",
                    "repo compact",
                    "repo export",
                ],
                "compares no texts",
            ),
            (&["decontaminate"], "rare words weigh more"),
            (&["index"], "fixed when the index is written"),
            (EXPERIMENTS, "experiments set their own normalization"),
            (&["client probe", "client register"], "the server compares"),
            (SERVICE, "compares no texts"),
            (LISTS, "compares no texts"),
        ],
    },
    Common {
        long: "score",
        short: None,
        yes: &["discover", "dedup", "repo add", "repo replace", "search"],
        no: &[
            (&["compare", "verify"], "shows all scores, or checks those of the report"),
            (&["decontaminate"], "judges items by a rule, see --preset"),
            (&["trace", "index"], "reports passages or chunks, not pairs"),
            (STORED, "scores no pairs"),
            (EXPERIMENTS, "experiments compare scores"),
            (&["client probe", "client register"], "the server scores by shares of words"),
            (SERVICE, "scores no pairs"),
            (LISTS, "scores no pairs"),
        ],
    },
    Common {
        long: "threshold",
        short: Some('t'),
        yes: &[
            "discover",
            "dedup",
            "decontaminate",
            "repo add",
            "repo replace",
            "search",
            "client probe",
        ],
        no: &[
            (&["compare", "verify"], "shows or checks every score"),
            (&["trace", "index"], "reports passages or chunks, not pairs"),
            (STORED, "scores no pairs"),
            (EXPERIMENTS, "experiments vary thresholds"),
            (&["client register"], "--min-level of a watch decides"),
            (SERVICE, "scores no pairs"),
            (LISTS, "scores no pairs"),
        ],
    },
    Common {
        long: "top",
        short: None,
        yes: &["discover", "search", "trace", "index", "client alerts"],
        no: &[
            (&["compare", "verify"], "shows everything"),
            (&["dedup", "decontaminate"], "--log lists everything"),
            (&["repo add", "repo replace"], "--out lists everything"),
            (STORED, "shows everything"),
            (EXPERIMENTS, "shows everything"),
            (&["client probe", "client register"], "shows everything"),
            (
                &["serve", "admin key", "admin backup", "admin check", "client watch"],
                "prints a few lines",
            ),
            (LISTS, "shows everything"),
        ],
    },
];

const READERS_AND_COMPARE: &[&str] = &[
    "compare",
    "discover",
    "verify",
    "dedup",
    "decontaminate",
    "repo add",
    "repo replace",
    "search",
    "trace",
    "client probe",
    "client register",
];

const NO_FIELDS: &[(&[&str], &str)] = &[
    (&["index"], "reads one text file"),
    (STORED, READS_NO_DOCUMENTS),
    (EXPERIMENTS, OWN_COLLECTIONS),
    (SERVICE, READS_NO_DOCUMENTS),
    (LISTS, READS_NO_DOCUMENTS),
];

/// All commands.
const ALL: &[&str] = &[
    "discover",
    "compare",
    "verify",
    "dedup",
    "decontaminate",
    "repo create",
    "repo add",
    "repo replace",
    "repo remove",
    "repo list",
    "repo info",
    "repo check",
    "repo compact",
    "repo export",
    "search",
    "trace",
    "serve",
    "admin key",
    "admin backup",
    "admin check",
    "client probe",
    "client register",
    "client watch",
    "client alerts",
    "mail",
    "eval list",
    "eval run",
    "eval all",
    "eval generate",
    "index",
    "doctor",
    "measures",
    "strategies",
    "completions",
    "man",
    "schema",
];

/// Returns all commands without subcommands, with the options of the commands above them.
pub(crate) fn leaves() -> BTreeMap<String, Command> {
    fn collect(prefix: &str, command: &Command, leaves: &mut BTreeMap<String, Command>) {
        for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
            let name = format!("{prefix}{}", command.get_name());
            if command.has_subcommands() {
                collect(&format!("{name} "), command, leaves);
            } else {
                leaves.insert(name, command.clone());
            }
        }
    }
    let mut command = textkin_cli::command();
    command.build();
    let mut leaves = BTreeMap::new();
    collect("", &command, &mut leaves);
    leaves
}

#[test]
#[cfg_attr(not(all(feature = "server", feature = "lab")), ignore = "needs --all-features")]
fn every_command_has_the_common_options_it_should() {
    let leaves = leaves();
    let names: BTreeSet<&str> = leaves.keys().map(String::as_str).collect();
    assert_eq!(names, ALL.iter().copied().collect(), "a command is missing in this test");
    for Common { long, short, yes, no } in MATRIX {
        let refused = no.iter().flat_map(|(commands, reason)| {
            assert!(!reason.is_empty(), "--{long}: a reason is missing");
            commands.iter()
        });
        let mut decided: Vec<&str> = yes.iter().chain(refused).copied().collect();
        decided.sort_unstable();
        let expected: Vec<&str> = names.iter().copied().collect();
        assert_eq!(decided, expected, "--{long}: every command once, with or without it");
        for (name, command) in &leaves {
            let option = command.get_arguments().find(|option| option.get_long() == Some(long));
            assert_eq!(option.is_some(), yes.contains(&name.as_str()), "{name} --{long}");
            if let Some(option) = option {
                assert_eq!(option.get_short(), *short, "{name} --{long}: short form");
            }
        }
    }
}

/// Names that other options replaced.
const RETIRED: [&str; 9] = [
    "by",
    "measure",
    "min-percent",
    "stop",
    "json",
    "limit",
    "top-origins",
    "top-origins-out",
    "report",
];

#[test]
fn one_name_per_idea() {
    for (name, command) in leaves() {
        for option in command.get_arguments().filter_map(clap::Arg::get_long) {
            assert!(!RETIRED.contains(&option), "{name} --{option}");
        }
        for option in command.get_arguments() {
            assert!(
                option.get_all_aliases().is_none_or(|aliases| aliases.is_empty()),
                "{name}: {option}"
            );
        }
    }
}
