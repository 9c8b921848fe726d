//! `textkin strategies`: lists chunkers, selectors, scores, normalization steps and constants.

use serde_json::{Map, Value, json};
use textkin::engine::report::terminal;
use textkin::engine::text::{grammar, tokenizer};
use textkin::engine::trace::{Constant, Memory, Preset};
use textkin::engine::types::Measure;

use crate::arguments::{OutputFormat, Strategies};
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(arguments: &Strategies) -> anyhow::Result<Exit> {
    let mut text = String::new();
    let mut lists = Map::new();
    let mut section = |key: &str, title: &str, rows: Vec<(String, String)>| {
        let list = rows.iter().map(|(name, summary)| json!({ "name": name, "summary": summary }));
        lists.insert(key.to_owned(), list.collect::<Value>());
        text.push_str(title);
        text.push('\n');
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        for (name, summary) in rows {
            text.push_str(&format!("  {name:width$}  {summary}\n"));
        }
        text.push('\n');
    };
    let strategy = |help: &grammar::StrategyHelp| {
        (help.syntax.to_owned(), format!("{} [{}]", help.summary, help.source))
    };
    section("chunkers", "Chunkers (--chunk)", grammar::chunkers().iter().map(strategy).collect());
    section(
        "selectors",
        "Selectors (--select); join with +",
        grammar::selectors().iter().map(strategy).collect(),
    );
    let measure = |measure: Measure| (measure.to_string(), measure.summary().to_owned());
    section("scores", "Scores (--score)", Measure::ALL.map(measure).to_vec());
    let step = |step: &tokenizer::StepHelp| (step.name.to_owned(), step.summary.to_owned());
    section(
        "normalization",
        "Normalization (--normalize); join with +",
        tokenizer::steps().iter().map(step).collect(),
    );
    let paper = Preset::Paper.settings(Memory::Unlimited);
    let kin = Preset::Kin.settings(Memory::Unlimited);
    let constant = |constant: &Constant| {
        let of = |name: &str, settings| {
            constant.value(settings).map(|value| format!("{value} with {name}"))
        };
        let values: Vec<String> = of("kin", &kin).into_iter().chain(of("paper", &paper)).collect();
        let values =
            if values.is_empty() { constant.applies_to.to_owned() } else { values.join(", ") };
        (format!("{}=N", constant.name), format!("{} [{values}]", constant.summary))
    };
    section(
        "constants",
        "Constants of textkin trace (--constant)",
        Constant::ALL.iter().map(constant).collect(),
    );
    match arguments.format.format {
        OutputFormat::Text => terminal::print(&format!("{}\n", text.trim_end()))?,
        OutputFormat::Json => terminal::print(&format!("{}\n", Value::Object(lists)))?,
    }
    Ok(Exit::Found)
}
