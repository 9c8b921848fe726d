//! `textkin serve`: the registration server.

use std::io::Write as _;

use textkin_server::{Limits, Listening, Service, SetUp};
use tokio::sync::watch;

use super::delivering;
use crate::arguments::{LogFormat, Serve};
use crate::exit::Exit;
use crate::tell::tell;

/// Runs the command.
pub(crate) fn run(arguments: &Serve) -> anyhow::Result<Exit> {
    log(arguments)?;
    let limits = Limits {
        text: usize::try_from(arguments.max_text)?,
        upload: arguments.max_upload,
        fresh: usize::try_from(arguments.memory)?,
        examined: arguments.max_examined,
    };
    let site = format!("http://{}", arguments.listen);
    let delivering = delivering::delivering(&arguments.delivering, site, None)?;
    let listening = Listening { address: arguments.listen, ..Listening::default() };
    let (sender, stop) = watch::channel(false);
    ctrlc::set_handler(move || {
        // A second signal does not wait for requests under way.
        if sender.send_replace(true) {
            std::process::exit(130);
        }
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(64)
        .build()?;
    let ready = |address: std::net::SocketAddr, service: &Service| {
        let set_up = service.set_up_state();
        tell(format_args!("textkin serves {} at http://{address}\n", arguments.data.display()));
        match set_up {
            Ok(SetUp::Token(token)) => tell(format_args!(
                "To make the first account, open http://{address}/setup?token={token}\n\
                 For scripts: textkin admin key --data {} --scopes admin\n",
                arguments.data.display()
            )),
            Ok(SetUp::Done) => {}
            Err(error) => tracing::error!(%error, "the set-up could not be looked up"),
        }
        let _ = std::io::stderr().flush();
    };
    let serving = textkin_server::run(&arguments.data, limits, delivering, listening, stop, ready);
    runtime.block_on(serving)?;
    Ok(Exit::Found)
}

fn log(arguments: &Serve) -> anyhow::Result<()> {
    let filter = tracing_subscriber::EnvFilter::try_new(&arguments.log_level)?;
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match arguments.log {
        LogFormat::Text => builder.with_target(false).init(),
        LogFormat::Json => builder.json().init(),
    }
    Ok(())
}
