//! `textkin measures`: how a search can rank.

use std::fmt::Write as _;

use textkin::report::terminal;
use textkin::search::Ranking;

use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run() -> anyhow::Result<Exit> {
    let mut text = String::from(
        "Measures of textkin search; * is ideal: nothing outranks the query itself.\n\n",
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
         scam takes the closeness of frequencies: scam:2.5. Every score is also a percentage of the\n\
         score that the query has with itself.\n",
    );
    terminal::print(&text)?;
    Ok(Exit::Found)
}
