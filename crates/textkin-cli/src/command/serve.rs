//! `textkin serve`: runs the registration server.

use std::io::{IsTerminal as _, Write as _};

use textkin_mail::Destination;
use textkin_server::{InboundMail, ListenConfig, LmtpAddress, Service, ServiceLimits, SetupState};
use tokio::sync::watch;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::delivery;
use crate::arguments::{GlobalOptions, LogFormat, MailArguments, Serve, When};
use crate::exit::Exit;
use crate::messages::print_message;

/// Runs the command.
pub(crate) fn run(arguments: &Serve, global: GlobalOptions) -> anyhow::Result<Exit> {
    log(arguments, global)?;
    super::admin::make_files_private();
    let limits = ServiceLimits {
        text: usize::try_from(arguments.max_text)?,
        upload: arguments.max_upload,
        memtable: usize::try_from(arguments.memory)?,
        examined: arguments.max_examined,
        reads_in_subprocess: true,
    };
    let site = format!("http://{}", arguments.listen);
    let mail = mail_in(&arguments.mail);
    let from =
        mail.as_ref().and_then(|mail| format!("textkin@{}", mail.hosts.first()?).parse().ok());
    let mut delivering = delivery::settings(&arguments.delivery, site, from)?;
    // Not the private networks that webhooks may reach: the user sees the page that is fetched.
    delivering.pages = arguments.allow_url_probes.then(|| textkin_server::webhook::NetworkPolicy {
        allow_http: true,
        ..textkin_server::webhook::NetworkPolicy::default()
    });
    let listening = ListenConfig {
        address: arguments.listen,
        trusted_proxies: arguments.trusted_proxy.clone(),
        mail,
        ..ListenConfig::default()
    };
    let (sender, stop) = watch::channel(false);
    ctrlc::set_handler(move || {
        // A second signal does not wait for requests in progress.
        if sender.send_replace(true) {
            std::process::exit(130);
        }
    })?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(64)
        .build()?;
    let ready = |address: std::net::SocketAddr, service: &Service| {
        let set_up = service.setup_state();
        print_message(format_args!(
            "textkin serves {} at http://{address}\n",
            arguments.data.display()
        ));
        match set_up {
            Ok(SetupState::Token(token)) => print_message(format_args!(
                "To create the first account, open http://{address}/setup?token={token}\n\
                 For scripts: textkin admin key --data {} --scopes admin\n",
                arguments.data.display()
            )),
            Ok(SetupState::Done) => {}
            Err(error) => tracing::error!(%error, "cannot read the setup state"),
        }
        let _ = std::io::stderr().flush();
    };
    let serving = textkin_server::run(&arguments.data, limits, delivering, listening, stop, ready);
    let outcome = runtime.block_on(serving);
    // Requests that did not end in the grace period are abandoned; everything acknowledged is on disk.
    runtime.shutdown_background();
    outcome?;
    Ok(Exit::Found)
}

fn mail_in(arguments: &MailArguments) -> Option<InboundMail> {
    let MailArguments { smtp_listen, lmtp_listen, .. } = arguments;
    if smtp_listen.is_none() && lmtp_listen.is_none() {
        return None;
    }
    Some(InboundMail {
        hosts: arguments.mail_host.clone(),
        smtp: *smtp_listen,
        lmtp: lmtp_listen.as_ref().map(|place| match place {
            Destination::Tcp(address) => LmtpAddress::Tcp(*address),
            Destination::Unix(path) => LmtpAddress::Unix(path.clone()),
        }),
        authority: arguments.mail_authority.clone(),
        discards_unknown: arguments.mail_discard_unknown,
    })
}

fn log(arguments: &Serve, global: GlobalOptions) -> anyhow::Result<()> {
    let level = if global.quiet { "error" } else { &arguments.log_level };
    let filter: Targets = level.parse()?;
    let layer = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    // A log file has no use for colours.
    let has_color = match global.color {
        When::Auto => std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none(),
        When::Always => true,
        When::Never => false,
    };
    let layer = layer.with_ansi(has_color);
    let registry = tracing_subscriber::registry().with(filter);
    match arguments.log_format {
        LogFormat::Text => registry.with(layer.with_target(false)).init(),
        LogFormat::Json => registry.with(layer.json()).init(),
    }
    Ok(())
}
