//! `textkin measures`: lists the measures of a search.

use std::fmt::Write as _;

use serde_json::{Value, json};
use textkin::engine::report::terminal;
use textkin::engine::search::Ranking;

use crate::arguments::{Measures, OutputFormat};
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(arguments: &Measures) -> anyhow::Result<Exit> {
    if arguments.format.format == OutputFormat::Json {
        let measure = |ranking: Ranking| {
            json!({
                "name": ranking.name(),
                "summary": ranking.summary(),
                "formula": ranking.formula(),
                "ideal": ranking.is_ideal(),
                "default": ranking == Ranking::default(),
            })
        };
        let measures: Value = Ranking::ALL.into_iter().map(measure).collect();
        terminal::print(&format!("{measures}\n"))?;
        return Ok(Exit::Found);
    }
    let mut text = String::from(
        "Measures of textkin search. * = ideal: no document outranks a copy of the query.\n\n",
    );
    for ranking in Ranking::ALL {
        let star = if ranking.is_ideal() { "*" } else { " " };
        let default = if ranking == Ranking::default() { " (default)" } else { "" };
        writeln!(text, "{star} {:<12} {}{default}", ranking.name(), ranking.summary())?;
        writeln!(text, "  {:<12} {}", "", ranking.formula())?;
    }
    text.push_str(
        "\nN documents, f_t of them with term t, f_dt and f_qt occurrences of t in document and query,\n\
         f_d and f_q their words, W_d = √Σ(1 + ln f_dt)²; sums are over the terms of both.\n\
         scam accepts a limit for the ratio of frequencies: scam:2.5. Each score is also shown as a\n\
         percentage of the score of the query with itself.\n",
    );
    terminal::print(&text)?;
    Ok(Exit::Found)
}
