//! Pages that are generated: the options from the command line parser, the schemas from `textkin schema`.

use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

/// The generated files: path below the root, and content.
pub(crate) fn files() -> Vec<(PathBuf, String)> {
    let mut files = vec![
        (PathBuf::from("book/src/options.md"), options()),
        (PathBuf::from("book/src/schemas.md"), schemas()),
    ];
    for (name, _) in names() {
        files.push((
            PathBuf::from(format!("book/src/schemas/{name}.json")),
            textkin(&["schema", &name]),
        ));
    }
    files
}

fn options() -> String {
    let mut page = String::from(
        "# Options\n\nEvery command and option, generated from the command line parser. `textkin COMMAND -h` shows the \
         most important\nones, `textkin COMMAND --help` all of them.\n",
    );
    let mut command = textkin_cli::command();
    command.build();
    for subcommand in visible(&command) {
        describe(subcommand, "textkin", &mut page);
    }
    page
}

fn visible(command: &clap::Command) -> impl Iterator<Item = &clap::Command> {
    command
        .get_subcommands()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
}

fn describe(command: &clap::Command, parent: &str, page: &mut String) {
    let name = format!("{parent} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    writeln!(page, "\n## {name}\n\n{about}.").unwrap();
    let mut groups: Vec<(String, Vec<&clap::Arg>)> = Vec::new();
    for argument in command.get_arguments() {
        if argument.is_hide_set() || ["help", "version"].contains(&argument.get_id().as_str()) {
            continue;
        }
        let heading = argument.get_help_heading().unwrap_or(match argument.is_positional() {
            true => "Arguments",
            false => "Options",
        });
        match groups.iter_mut().find(|(known, _)| known == heading) {
            Some((_, arguments)) => arguments.push(argument),
            None => groups.push((heading.to_owned(), vec![argument])),
        }
    }
    for (heading, arguments) in groups {
        writeln!(page, "\n| {heading} | meaning | default |\n|---|---|---|").unwrap();
        for argument in arguments {
            writeln!(page, "{}", row(argument)).unwrap();
        }
    }
    for subcommand in visible(command) {
        describe(subcommand, &name, page);
    }
}

fn row(argument: &clap::Arg) -> String {
    let value = argument
        .get_value_names()
        .map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "));
    let takes_value = argument.get_action().takes_values();
    let value = value.filter(|_| takes_value).unwrap_or_default();
    let names = match (argument.get_long(), argument.get_short()) {
        (Some(long), Some(short)) => {
            format!("`-{short}`, `{}`", format!("--{long} {value}").trim())
        }
        (Some(long), None) => format!("`{}`", format!("--{long} {value}").trim()),
        (None, Some(short)) => format!("`{}`", format!("-{short} {value}").trim()),
        (None, None) => format!("`{value}`"),
    };
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string);
    let mut help = help.unwrap_or_default().replace("\n\n", ". ").replace('\n', " ");
    let mut default = String::new();
    if let Some((before, said)) = help.clone().split_once(" [default: ") {
        default = said.trim_end_matches(']').to_owned();
        help = before.to_owned();
    }
    let possible: Vec<String> = argument
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set() && takes_value)
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !possible.is_empty() && !possible.iter().all(|value| help.contains(value.trim_matches('`')))
    {
        let help_text = help.trim_end_matches('.');
        let separator = if help_text.contains(". ") { ". Values: " } else { ": " };
        help = format!("{help_text}{separator}{}", possible.join(", "));
    }
    if let Some(value) = argument.get_default_values().first()
        && takes_value
    {
        default = value.to_string_lossy().into_owned();
    }
    let default = if default.is_empty() { default } else { format!("`{default}`") };
    format!("| {} | {} | {default} |", names.replace('|', "\\|"), help.replace('|', "\\|"))
}

/// Names and origins of the outputs.
fn names() -> Vec<(String, String)> {
    let listed = textkin(&["schema"]);
    let line = |line: &str| {
        let (name, written_by) = line.split_once(' ').unwrap();
        (name.to_owned(), written_by.trim().to_owned())
    };
    listed.lines().map(line).collect()
}

fn schemas() -> String {
    let mut page = String::from(
        "# Output schemas\n\nEvery field of the JSON that textkin writes, generated from the types that are written. \
         `textkin schema NAME` prints\nthe JSON Schema, which is also linked below. Later versions may add fields, but do \
         not change their meaning.\n",
    );
    for (name, written_by) in names() {
        let schema: Value = serde_json::from_str(&textkin(&["schema", &name])).unwrap();
        let about = schema["description"].as_str().unwrap_or_default();
        writeln!(
            page,
            "\n## {name}\n\nWritten by {written_by}. [JSON Schema](schemas/{name}.json)\n"
        )
        .unwrap();
        if !about.is_empty() {
            writeln!(page, "{}\n", about.replace('\n', " ")).unwrap();
        }
        page.push_str("| field | type | meaning |\n|---|---|---|\n");
        fields("", &schema, &mut page);
    }
    page
}

/// A row for each field, those of nested objects below it.
fn fields(prefix: &str, schema: &Value, page: &mut String) {
    let Some(properties) = schema["properties"].as_object() else { return };
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let others = properties.keys().map(String::as_str).filter(|name| !required.contains(name));
    for name in required.iter().copied().chain(others) {
        let property = &properties[name];
        let (kind, nested, suffix) = kind(property);
        let optional = if required.contains(&name) { "" } else { ", optional" };
        let meaning = property["description"].as_str().unwrap_or_default().replace('\n', " ");
        writeln!(page, "| `{prefix}{name}` | {kind}{optional} | {meaning} |").unwrap();
        if let Some(nested) = nested {
            fields(&format!("{prefix}{name}{suffix}."), nested, page);
        }
    }
}

/// The type of a field in words, and the object inside it.
fn kind(property: &Value) -> (String, Option<&Value>, &'static str) {
    if let Some(choices) = property["anyOf"].as_array() {
        let (name, nested, suffix) = kind(&choices[0]);
        return (format!("{name} or null"), nested, suffix);
    }
    let (name, is_null) = match &property["type"] {
        Value::Array(names) => (names[0].as_str().unwrap_or_default(), true),
        name => (name.as_str().unwrap_or_default(), false),
    };
    let null = if is_null { " or null" } else { "" };
    match name {
        "array" => {
            let items = &property["items"];
            let (inner, nested, _) = kind(items);
            let length = property["maxItems"].as_u64();
            let what = match length {
                Some(length) => format!("{length} × {inner}"),
                None => format!("list of {inner}"),
            };
            (format!("{what}{null}"), nested, "[]")
        }
        "object" => (format!("object{null}"), Some(property), ""),
        other => (format!("{other}{null}"), None, ""),
    }
}

fn textkin(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_textkin")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}
