//! `textkin completions` and `textkin man`: files for shells and the manual.

use anyhow::Context;
use textkin::engine::report::terminal;

use crate::arguments::{Completions, Man};
use crate::exit::Exit;

/// Prints a completion script.
pub(crate) fn completions(arguments: &Completions) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut crate::command(), "textkin", &mut script);
    terminal::print(&String::from_utf8(script)?)?;
    Ok(Exit::Found)
}

/// Prints the manual page, or writes the pages of all commands to a directory.
pub(crate) fn man(arguments: &Man) -> anyhow::Result<Exit> {
    match &arguments.out {
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .with_context(|| format!("cannot create {}", folder.display()))?;
            clap_mangen::generate_to(crate::command(), folder)
                .with_context(|| format!("cannot write manual pages to {}", folder.display()))?;
        }
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(crate::command()).render(&mut page)?;
            terminal::print(&String::from_utf8(page)?)?;
        }
    }
    Ok(Exit::Found)
}
