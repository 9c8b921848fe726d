//! `textkin admin`: creates API keys, backs up and checks the data of a server.

use textkin::engine::report::terminal;
use textkin_server::{DataCheck, NewKey, Scope, back_up, check_data, key_of_backup, new_key_in};

use crate::arguments::{Admin, AdminCommand, AdminKey, FormatOptions, GlobalOptions, OutputFormat};
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(arguments: &Admin, global: GlobalOptions) -> anyhow::Result<Exit> {
    make_files_private();
    match &arguments.command {
        AdminCommand::Key(arguments) => key(arguments),
        AdminCommand::Backup(arguments) => {
            let condition = back_up(&arguments.data, &arguments.out)?;
            let action = format!("copied to {}", arguments.out.display());
            let exit = print_condition(&condition, &action, arguments.format, global)?;
            let key = key_of_backup(&arguments.out);
            if arguments.format.format == OutputFormat::Text && !global.quiet && key.is_file() {
                terminal::print(&format!(
                    "{} is the key of the webhook secrets in the copy; keep the two apart\n",
                    key.display()
                ))?;
            }
            Ok(exit)
        }
        AdminCommand::Check(arguments) => {
            print_condition(&check_data(&arguments.data)?, "checked", arguments.format, global)
        }
    }
}

/// Takes all permissions on files that this process creates from other accounts. The server creates its
/// files so anyway; this is for files that libraries and helper programs create.
pub(crate) fn make_files_private() {
    #[cfg(unix)]
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
}

fn key(arguments: &AdminKey) -> anyhow::Result<Exit> {
    let scopes = Scope::parse_all(&arguments.scopes)?;
    let (name, days) = (arguments.name.clone(), arguments.days);
    let new = NewKey { name, scopes, repository: None, days, addresses: None };
    let created = new_key_in(&arguments.data, &arguments.account, arguments.admin, &new)?;
    let key = created.key.unwrap_or_default();
    match arguments.format.format {
        OutputFormat::Text => terminal::print(&format!("{key}\n"))?,
        OutputFormat::Json => terminal::print(&format!("{}\n", serde_json::json!({ "key": key })))?,
    }
    Ok(Exit::Found)
}

fn print_condition(
    condition: &DataCheck,
    action: &str,
    format: FormatOptions,
    global: GlobalOptions,
) -> anyhow::Result<Exit> {
    let DataCheck { documents, pending, missing, to_erase, findings } = condition;
    if format.format == OutputFormat::Json {
        let value = serde_json::json!({
            "documents": documents, "pending": pending, "missing": missing, "to_erase": to_erase,
            "findings": findings,
        });
        terminal::print(&format!("{value}\n"))?;
    } else if !global.quiet || !findings.is_empty() {
        terminal::print(&format!(
            "{documents} documents {action}: {pending} not flushed to the index yet, {missing} missing; \
             {to_erase} removed documents not erased yet\n"
        ))?;
        for finding in findings {
            terminal::print(&format!("problem: {finding}\n"))?;
        }
    }
    Ok(if findings.is_empty() { Exit::Found } else { Exit::Nothing })
}
