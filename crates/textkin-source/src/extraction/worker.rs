//! The worker: this program started again, to read files that may hang, crash or exhaust memory.
//!
//! In the parent, [`Worker`] holds the program to start and its limits. In the child, [`serve`] sets
//! the limits and then executes another program, reads a PDF or PostScript from standard input, or
//! reads a whole file (`sandbox`). The parent continues whatever happens in the child.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;

use textkin_extract::{Error, ExtractLimits, FileKind, postscript_text};

use super::process::{ProcessLimits, run};
use crate::sandbox;

/// The first argument of a worker.
pub const WORKER_ARGUMENT: &str = "worker";

/// Bytes of stack for recursive parsers.
const STACK: usize = 256 << 20;

/// Maximum bytes of text that a worker returns.
const MAX_TEXT: usize = 256 << 20;

/// How to start a worker process. Without a program, external programs run without a memory limit,
/// and the built-in parsers for PDF and PostScript are not used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// A program that passes its arguments after [`WORKER_ARGUMENT`] to [`serve`].
    pub program: Option<PathBuf>,
    /// Arguments before [`WORKER_ARGUMENT`], if the program is an interpreter.
    pub arguments: Vec<OsString>,
    /// Limits of one run.
    pub limits: ProcessLimits,
}

impl Worker {
    /// Runs `program` on `input` with the limits.
    pub(crate) fn run(
        &self,
        program: &std::path::Path,
        arguments: &[&str],
        input: &[u8],
        deadline: Instant,
    ) -> Result<Vec<u8>, String> {
        let mut command = match &self.program {
            Some(host) => {
                let mut command = self.start(host);
                command.arg("--").arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(arguments);
        run(command, input, self.limits, deadline)
    }

    /// Reads `input` with a built-in parser in the worker; `None` if there is no worker.
    pub(crate) fn read(
        &self,
        kind: FileKind,
        input: &[u8],
        deadline: Instant,
    ) -> Option<Result<Vec<u8>, String>> {
        let mut command = self.command()?;
        command.arg(kind.name());
        Some(run(command, input, self.limits, deadline))
    }

    /// Returns the deadline of work that begins now: the earlier of the worker's and that of `limits`.
    pub(crate) fn deadline(&self, limits: &ExtractLimits) -> Instant {
        let own = Instant::now() + self.limits.time;
        limits.deadline.map_or(own, |other| other.min(own))
    }

    /// Returns the command that starts a worker, without its task; `None` if there is no worker.
    pub(crate) fn command(&self) -> Option<Command> {
        self.program.as_deref().map(|host| self.start(host))
    }

    fn start(&self, host: &std::path::Path) -> Command {
        let mut command = Command::new(host);
        let seconds = self.limits.time.as_secs().max(1);
        command.args(&self.arguments);
        command.arg(WORKER_ARGUMENT).arg(self.limits.memory.to_string()).arg(seconds.to_string());
        // A worker needs only the variables that locate programs and set the locale.
        command.env_clear();
        for name in ["PATH", "LD_LIBRARY_PATH", "LC_ALL", "LANG", "TMPDIR", "SYSTEMROOT"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }
}

/// Runs a worker with the arguments after [`WORKER_ARGUMENT`] and returns the exit code. Arguments:
/// `MEMORY SECONDS KIND`, `MEMORY SECONDS documents …` (`sandbox`), or
/// `MEMORY SECONDS -- PROGRAM ARGUMENT…`.
#[must_use]
pub fn serve(arguments: &[OsString]) -> u8 {
    match try_serve(arguments) {
        Ok(()) => 0,
        Err(reason) => {
            // Nothing can be done if this fails.
            let _ = writeln!(std::io::stderr(), "{reason}");
            3
        }
    }
}

fn try_serve(arguments: &[OsString]) -> Result<(), String> {
    let number = |index: usize| arguments.get(index)?.to_str()?.parse::<u64>().ok();
    let (Some(memory), Some(seconds)) = (number(0), number(1)) else {
        return Err("a worker can be started only by textkin".to_owned());
    };
    set_limits(memory, seconds)?;
    match arguments.get(2).and_then(|what| what.to_str()) {
        Some("pdf") => read_stdin(pdf_text),
        Some("postscript") => read_stdin(postscript_text),
        Some(sandbox::DOCUMENTS) => sandbox::serve(&arguments[3..]),
        Some("--") => exec_program(&arguments[3..]),
        _ => Err("a worker can be started only by textkin".to_owned()),
    }
}

/// Extracts the text of a document, up to about the given number of bytes.
type Reader = fn(&[u8], usize) -> Result<String, Error>;

/// Reads a document from standard input and writes its text.
fn read_stdin(reader: Reader) -> Result<(), String> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    // The panic message of a parser does not help the user.
    std::panic::set_hook(Box::new(|_| {}));
    let thread = std::thread::Builder::new().stack_size(STACK);
    let thread = thread.spawn(move || reader(&bytes, MAX_TEXT));
    let thread = thread.map_err(|error| error.to_string())?;
    let text = match thread.join() {
        Ok(Ok(text)) => text,
        // The parent names the kind.
        Ok(Err(Error::Corrupt { reason, .. })) => return Err(reason),
        Ok(Err(error)) => return Err(error.to_string()),
        Err(_) => return Err("the parser failed on its structure".to_owned()),
    };
    let mut out = std::io::stdout().lock();
    // Flush explicitly: nothing else does if the host process is an interpreter.
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| error.to_string())
}

#[cfg(feature = "pdf")]
use textkin_extract::pdf_text;

#[cfg(not(feature = "pdf"))]
fn pdf_text(_: &[u8], _: usize) -> Result<String, Error> {
    let reason = "this build of textkin does not include PDF; install pdftotext".to_owned();
    Err(Error::Corrupt { kind: FileKind::Pdf, reason })
}

#[cfg(unix)]
fn set_limits(memory: u64, seconds: u64) -> Result<(), String> {
    use rlimit::Resource;
    let set = |resource: Resource, max: u64| {
        // Never above the hard limit.
        let hard = resource.get_hard().unwrap_or(rlimit::INFINITY);
        let max = max.min(hard);
        resource.set(max, max).map_err(|error| format!("cannot limit a worker: {error}"))
    };
    // macOS refuses this limit.
    if cfg!(not(target_os = "macos")) {
        set(Resource::AS, memory)?;
    }
    set(Resource::CPU, seconds.saturating_add(1))?;
    set(Resource::CORE, 0)
}

#[cfg(not(unix))]
fn set_limits(_: u64, _: u64) -> Result<(), String> {
    Ok(())
}

#[cfg(unix)]
fn exec_program(arguments: &[OsString]) -> Result<(), String> {
    use std::os::unix::process::CommandExt;
    let program = arguments.first().ok_or("no program given")?;
    let error = Command::new(program).args(&arguments[1..]).exec();
    Err(format!("cannot start {}: {error}", program.to_string_lossy()))
}

#[cfg(not(unix))]
fn exec_program(arguments: &[OsString]) -> Result<(), String> {
    let program = arguments.first().ok_or("no program given")?;
    let status = Command::new(program).args(&arguments[1..]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("failed: {status}")),
        Err(error) => Err(format!("cannot start {}: {error}", program.to_string_lossy())),
    }
}
