//! Suggestions for unknown options and commands.
//!
//! The parser suggests any name that looks remotely alike: `--bucket` for `--quiet`. Here a suggestion is the option
//! that other programs call by the unknown name, an option that begins with it, or one that differs by a typing
//! error. Otherwise there is none.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use textkin::engine::types::name::nearest;

/// Names in other programs, without dashes, and the option here; with its value if it needs one.
const SYNONYMS: [(&str, &str); 40] = [
    ("cores", "--threads"),
    ("cpus", "--threads"),
    ("csv", "--format csv"),
    ("depth", "--max-gap"),
    ("destination", "--out"),
    ("field", "--text-field"),
    ("follow", "--follow-links"),
    ("ignore", "--exclude-files"),
    ("ignore-words", "--stop-list"),
    ("jobs", "--threads"),
    ("json", "--format json"),
    ("limit", "--top"),
    ("max-memory", "--memory"),
    ("max-results", "--top"),
    ("mem", "--memory"),
    ("min-score", "--threshold"),
    ("min-percent", "--threshold"),
    ("measure", "--score"),
    ("metric", "--score"),
    ("ngram", "--chunk words:N"),
    ("no-color", "--color never"),
    ("no-colour", "--color never"),
    ("no-progress", "--progress never"),
    ("num-results", "--top"),
    ("output", "--out"),
    ("output-file", "--out"),
    ("parallel", "--threads"),
    ("processes", "--threads"),
    ("ram", "--memory"),
    ("results", "--top"),
    ("save", "--out"),
    ("shingle", "--chunk words:N"),
    ("silent", "--quiet"),
    ("similarity", "--score"),
    ("stopwords", "--stop-list"),
    ("stop-words", "--stop-list"),
    ("text-column", "--text-field"),
    ("tmp-dir", "--temp-dir"),
    ("verbose", "--progress always"),
    ("workers", "--threads"),
];

/// Replaces the suggestions in an error of the parser. `command` is the model of the command line.
pub(crate) fn improve(
    mut error: clap::Error,
    command: &clap::Command,
    arguments: &[OsString],
) -> clap::Error {
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let unknown =
                text(&error, ContextKind::InvalidArg).filter(|name| name.starts_with("--"));
            let Some(unknown) = unknown else { return error };
            let command = chosen(command, arguments);
            let suggested = option_like(unknown.trim_start_matches('-'), command);
            error.remove(ContextKind::SuggestedArg);
            error.remove(ContextKind::Suggested);
            // The usage line contains the suggestion of the parser.
            let usage = command.clone().render_usage();
            error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
            if let Some(option) = suggested {
                error.insert(ContextKind::SuggestedArg, ContextValue::String(option));
            }
        }
        ErrorKind::InvalidSubcommand => {
            let Some(unknown) = text(&error, ContextKind::InvalidSubcommand) else { return error };
            let suggested = command_like(&unknown, chosen(command, arguments));
            error.remove(ContextKind::Suggested);
            error.remove(ContextKind::SuggestedSubcommand);
            if let Some(name) = suggested {
                error.insert(ContextKind::SuggestedSubcommand, ContextValue::String(name));
            }
        }
        ErrorKind::MissingRequiredArgument => {
            let is_out = |missing: &String| missing.starts_with("--out ");
            let is_dedup = chosen(command, arguments).get_name() == "dedup";
            if let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg)
                && is_dedup
                && missing.iter().any(is_out)
            {
                let tip = "to see what would be removed, use '--dry-run' instead".into();
                error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip]));
            }
        }
        _ => {}
    }
    error
}

fn text(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    }
}

/// Returns the command that the arguments choose.
fn chosen<'c>(command: &'c clap::Command, arguments: &[OsString]) -> &'c clap::Command {
    let mut chosen = command;
    for argument in arguments.iter().skip(1) {
        if let Some(name) = argument.to_str()
            && let Some(next) = chosen.find_subcommand(name)
        {
            chosen = next;
        }
    }
    chosen
}

/// Returns the option of `command` that `unknown` probably means.
fn option_like(unknown: &str, command: &clap::Command) -> Option<String> {
    let longs: Vec<&str> = command
        .get_arguments()
        .filter(|option| !option.is_hide_set())
        .filter_map(clap::Arg::get_long)
        .collect();
    let has = |option: &&str| {
        let name = option.trim_start_matches('-').split(' ').next().unwrap_or_default();
        longs.contains(&name)
    };
    let synonym = SYNONYMS.iter().find(|(name, _)| *name == unknown).map(|(_, option)| *option);
    if let Some(option) = synonym.filter(has) {
        return Some(option.to_owned());
    }
    let mut beginning = longs.iter().filter(|long| unknown.len() >= 3 && long.starts_with(unknown));
    let near = match (beginning.next(), beginning.next()) {
        (Some(only), None) => Some(*only),
        _ => nearest(unknown, longs.iter().copied()),
    };
    near.map(|long| format!("--{long}"))
}

/// Returns the subcommand of `command` that `unknown` probably means.
fn command_like(unknown: &str, command: &clap::Command) -> Option<String> {
    let names = command.get_subcommands().filter(|one| !one.is_hide_set());
    nearest(unknown, names.map(clap::Command::get_name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built() -> clap::Command {
        let mut command = crate::command();
        command.build();
        command
    }

    fn option(line: &str, unknown: &str) -> Option<String> {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        option_like(unknown, chosen(&built(), &arguments))
    }

    #[test]
    fn suggestions_are_synonyms_beginnings_or_typing_errors() {
        for (line, unknown, expected) in [
            ("textkin discover a", "output", Some("--out")),
            ("textkin discover a", "min-score", Some("--threshold")),
            ("textkin discover a", "json", Some("--format json")),
            ("textkin search r q", "workers", Some("--threads")),
            ("textkin discover a", "thresh", Some("--threshold")),
            ("textkin discover a", "treshold", Some("--threshold")),
            ("textkin discover a", "chunks", Some("--chunk")),
            ("textkin repo create r", "silent", Some("--quiet")),
            ("textkin repo create r", "limit", None),
            ("textkin discover a", "bucket", None),
            ("textkin discover a", "xyz", None),
        ] {
            assert_eq!(option(line, unknown).as_deref(), expected, "{line} --{unknown}");
        }
    }

    #[test]
    fn synonyms_lead_to_options_that_exist_and_are_not_options_themselves() {
        let mut longs = std::collections::BTreeSet::new();
        let mut pending = vec![built()];
        while let Some(command) = pending.pop() {
            longs.extend(
                command.get_arguments().filter_map(|one| one.get_long()).map(str::to_owned),
            );
            pending.extend(command.get_subcommands().cloned());
        }
        for (name, option) in SYNONYMS {
            let long = option.trim_start_matches('-').split(' ').next().unwrap();
            assert!(longs.contains(long), "{option}");
            assert!(!longs.contains(name) || cfg!(feature = "server"), "--{name} is an option");
        }
    }

    #[test]
    fn commands_are_suggested_for_typing_errors_only() {
        let like = |unknown| command_like(unknown, &built());
        assert_eq!(like("discovr").as_deref(), Some("discover"));
        assert_eq!(like("dedupe").as_deref(), Some("dedup"));
        assert_eq!(like("version"), None);
    }
}
