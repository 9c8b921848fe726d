//! `textkin admin`: creates API keys, backs up and checks the data of a server.

use textkin::engine::report::terminal;
use textkin_server::{DataCheck, NewKey, Scope, back_up, check_data, new_key_in};

use crate::arguments::{Admin, AdminCommand, AdminKey, FormatOptions, GlobalOptions, OutputFormat};
use crate::exit::Exit;

/// Runs the command.
pub(crate) fn run(arguments: &Admin, global: GlobalOptions) -> anyhow::Result<Exit> {
    match &arguments.command {
        AdminCommand::Key(arguments) => key(arguments),
        AdminCommand::Backup(arguments) => {
            let condition = back_up(&arguments.data, &arguments.out)?;
            let action = format!("copied to {}", arguments.out.display());
            print_condition(&condition, &action, arguments.format, global)
        }
        AdminCommand::Check(arguments) => {
            print_condition(&check_data(&arguments.data)?, "checked", arguments.format, global)
        }
    }
}

fn key(arguments: &AdminKey) -> anyhow::Result<Exit> {
    let scopes = Scope::parse_all(&arguments.scopes)?;
    // An account created for an admin key is an administrator.
    let is_admin = scopes.contains(&Scope::Admin);
    let (name, days) = (arguments.name.clone(), arguments.days);
    let new = NewKey { name, scopes, repository: None, days, addresses: None };
    let created = new_key_in(&arguments.data, &arguments.account, is_admin, &new)?;
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
    let DataCheck { documents, pending, missing, to_erase } = condition;
    if format.format == OutputFormat::Json {
        let value = serde_json::json!({
            "documents": documents, "pending": pending, "missing": missing, "to_erase": to_erase,
        });
        terminal::print(&format!("{value}\n"))?;
    } else if !global.quiet || *missing > 0 {
        terminal::print(&format!(
            "{documents} documents {action}: {pending} not flushed to the index yet, {missing} missing; \
             {to_erase} removed documents not erased yet\n"
        ))?;
    }
    Ok(if *missing == 0 { Exit::Found } else { Exit::Failed })
}
