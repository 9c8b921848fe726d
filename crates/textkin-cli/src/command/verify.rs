//! `textkin verify`: checks a report of a comparison against the documents it speaks of.

use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;
use textkin::report::{WithText, comparison_json, terminal};
use textkin::{Settings, compare, digest};

use crate::arguments::Verify;
use crate::command::compare::{Read as Document, read};
use crate::exit::Exit;

/// The largest report that is read.
const LARGEST: u64 = 1 << 30;

/// Differences that are told one by one.
const MOST_TOLD: usize = 20;

/// Runs the command.
pub(crate) fn run(arguments: &Verify) -> anyhow::Result<Exit> {
    let report =
        read_report(&arguments.report).with_context(|| arguments.report.display().to_string())?;
    let (first, second) = (read(&arguments.a)?, read(&arguments.b)?);
    let mut faults = Vec::new();
    let (a, b) = in_order(&report, first, second);
    for (side, document) in [("a", &a), ("b", &b)] {
        if report[side]["blake3"].as_str() != Some(&digest(&document.text)) {
            faults.push(format!(
                "{} is not the text the report calls {}: the digests differ",
                document.id,
                report[side]["id"].as_str().unwrap_or(side)
            ));
        }
    }
    let settings = settings(&report, arguments)?;
    if faults.is_empty() {
        let max_gap = report["settings"]["max_gap"].as_u64().and_then(|gap| gap.try_into().ok());
        let max_gap = max_gap.context("the report does not say its max_gap")?;
        let comparison = compare(&a.text, &b.text, &settings, max_gap)?;
        let has_words = report["passages"][0]["a"]["text"].is_string();
        let with_text = if has_words { WithText::Yes } else { WithText::No };
        let view = comparison.view([&a.id, &a.text], [&b.id, &b.text]);
        let again: Value = serde_json::from_str(&comparison_json(&view, with_text))?;
        for part in ["settings", "a", "b", "scores", "passages"] {
            differences(part, &report[part], &again[part], &mut faults);
        }
    }
    terminal::print(&verdict(&report, &a, &b, &faults)?)?;
    Ok(if faults.is_empty() { Exit::Found } else { Exit::Nothing })
}

/// The report as JSON: as it stands, or out of a page.
fn read_report(path: &Path) -> anyhow::Result<Value> {
    let mut text = String::new();
    std::fs::File::open(path)?.take(LARGEST + 1).read_to_string(&mut text)?;
    anyhow::ensure!(text.len() as u64 <= LARGEST, "it is larger than 1 GiB");
    let json = if text.trim_start().starts_with('{') {
        text.as_str()
    } else {
        let begin = text.find("<script type=\"application/json\"");
        let begin = begin.and_then(|tag| Some(tag + text[tag..].find('>')? + 1));
        let begin = begin.context("this is no report of textkin compare")?;
        let end = text[begin..].find("</script>").context("the report is cut off")?;
        &text[begin..begin + end]
    };
    let report: Value = serde_json::from_str(json).context("the report is damaged")?;
    anyhow::ensure!(report["report"] == "compare", "this is no report of textkin compare");
    Ok(report)
}

/// The documents as the report names them, whatever the order they are given in.
fn in_order(report: &Value, first: Document, second: Document) -> (Document, Document) {
    let is_a =
        |document: &Document| report["a"]["blake3"].as_str() == Some(&digest(&document.text));
    if !is_a(&first) && is_a(&second) { (second, first) } else { (first, second) }
}

/// The settings the report was made with.
fn settings(report: &Value, arguments: &Verify) -> anyhow::Result<Settings> {
    let text = |key: &str| {
        let value = report["settings"][key].as_str();
        value.with_context(|| format!("the report does not say its {key}"))
    };
    let mut templates = Vec::new();
    for path in &arguments.template {
        templates.push(read(path)?.text);
    }
    let given: Vec<Value> = templates.iter().map(|text| digest(text).into()).collect();
    let named = report["settings"]["templates"].as_array().cloned().unwrap_or_default();
    anyhow::ensure!(
        given == named,
        "the report was made with {} templates; give the same ones with --template, in their order",
        named.len()
    );
    Ok(Settings {
        chunk: text("chunk")?.parse()?,
        normalization: text("normalize")?.parse()?,
        templates,
        ..Settings::default()
    })
}

/// What of `told` is not as it is found `again`. Names of documents may differ.
fn differences(path: &str, told: &Value, again: &Value, faults: &mut Vec<String>) {
    match (told, again) {
        (Value::Object(told), Value::Object(again)) => {
            let mut keys: Vec<&String> = told.keys().chain(again.keys()).collect();
            keys.sort();
            keys.dedup();
            for key in keys.into_iter().filter(|key| *key != "id") {
                let value = |map: &serde_json::Map<String, Value>| {
                    map.get(key).cloned().unwrap_or(Value::Null)
                };
                differences(&format!("{path}.{key}"), &value(told), &value(again), faults);
            }
        }
        (Value::Array(told), Value::Array(again)) if told.len() == again.len() => {
            for (index, (told, again)) in told.iter().zip(again).enumerate() {
                differences(&format!("{path}[{index}]"), told, again, faults);
            }
        }
        (Value::Array(told), Value::Array(again)) => {
            faults.push(format!(
                "{path}: the report has {}, there are {}",
                told.len(),
                again.len()
            ));
        }
        (told, again) if is_same(told, again) => {}
        (told, again) => faults.push(format!("{path}: the report says {told}, it is {again}")),
    }
}

fn is_same(told: &Value, again: &Value) -> bool {
    match (told.as_f64(), again.as_f64()) {
        (Some(told), Some(again)) => (told - again).abs() <= 1e-9,
        _ => told == again,
    }
}

fn verdict(
    report: &Value,
    a: &Document,
    b: &Document,
    faults: &[String],
) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    if faults.is_empty() {
        let passages = report["passages"].as_array().map_or(0, Vec::len);
        writeln!(text, "✓ The report holds: {} and {}, {passages} passages", a.id, b.id)?;
    } else {
        writeln!(text, "✗ The report does not hold:")?;
        for fault in faults.iter().take(MOST_TOLD) {
            writeln!(text, "  {}", terminal::fit(fault, 400))?;
        }
        if faults.len() > MOST_TOLD {
            writeln!(text, "  … and {} more", faults.len() - MOST_TOLD)?;
        }
    }
    let made_by = report["textkin"].as_str().unwrap_or("?");
    if made_by != env!("CARGO_PKG_VERSION") {
        let made_by = terminal::fit(made_by, 40);
        writeln!(text, "(made by textkin {made_by}, checked by {})", env!("CARGO_PKG_VERSION"))?;
    }
    Ok(text)
}
