//! The worker: our own program, started again to read what may hang, crash or take all memory.
//!
//! In the parent, [`Worker`] is the program to start and the bounds. In the child, [`serve`] bounds
//! itself and then becomes another program, reads a PDF or PostScript from standard input, or reads a
//! whole file (`apart`).
//! Whatever happens there, the parent goes on.

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

/// Bytes of stack for parsers that call themselves.
const STACK: usize = 256 << 20;

/// Bytes of text that a worker gives.
const MAX_TEXT: usize = 256 << 20;

/// How to start a worker. Without a program, other programs are started without bounds on memory,
/// and nothing is read by the worker itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Worker {
    /// A program that hands its arguments after [`WORKER_ARGUMENT`] to [`serve`].
    pub program: Option<PathBuf>,
    /// What stands before [`WORKER_ARGUMENT`], where the program is an interpreter.
    pub arguments: Vec<OsString>,
    /// What one run may take.
    pub limits: ProcessLimits,
}

impl Worker {
    /// Runs `program` on `input`, bounded.
    pub(crate) fn run(
        &self,
        program: &std::path::Path,
        arguments: &[&str],
        input: &[u8],
        deadline: Instant,
    ) -> Result<Vec<u8>, String> {
        let mut command = match &self.program {
            Some(own) => {
                let mut command = self.start(own);
                command.arg("--").arg(program);
                command
            }
            None => Command::new(program),
        };
        command.args(arguments);
        run(command, input, self.limits, deadline)
    }

    /// Reads `input` in the worker itself; `None` if there is none.
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

    /// When work on a file ends that begins now, if `limits` do not end it before.
    pub(crate) fn deadline(&self, limits: &ExtractLimits) -> Instant {
        let own = Instant::now() + self.limits.time;
        limits.deadline.map_or(own, |given| given.min(own))
    }

    /// The worker, without its work; `None` if there is none.
    pub(crate) fn command(&self) -> Option<Command> {
        self.program.as_deref().map(|own| self.start(own))
    }

    fn start(&self, own: &std::path::Path) -> Command {
        let mut command = Command::new(own);
        let seconds = self.limits.time.as_secs().max(1);
        command.args(&self.arguments);
        command.arg(WORKER_ARGUMENT).arg(self.limits.memory.to_string()).arg(seconds.to_string());
        // A worker needs nothing of what surrounds it but the way to its programs.
        command.env_clear();
        for name in ["PATH", "LD_LIBRARY_PATH", "LC_ALL", "LANG", "TMPDIR", "SYSTEMROOT"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command
    }
}

/// Does the work of a worker with the arguments after [`WORKER_ARGUMENT`], and gives the exit code:
/// `MEMORY SECONDS KIND`, `MEMORY SECONDS documents …` (`apart`), or `MEMORY SECONDS -- PROGRAM ARGUMENT…`.
#[must_use]
pub fn serve(arguments: &[OsString]) -> u8 {
    match try_serve(arguments) {
        Ok(()) => 0,
        Err(reason) => {
            // There is nobody left to tell if this fails.
            let _ = writeln!(std::io::stderr(), "{reason}");
            3
        }
    }
}

fn try_serve(arguments: &[OsString]) -> Result<(), String> {
    let number = |index: usize| arguments.get(index)?.to_str()?.parse::<u64>().ok();
    let (Some(memory), Some(seconds)) = (number(0), number(1)) else {
        return Err("a worker is started by textkin itself".to_owned());
    };
    bound(memory, seconds)?;
    match arguments.get(2).and_then(|what| what.to_str()) {
        Some("pdf") => read_here(pdf_text),
        Some("postscript") => read_here(postscript_text),
        Some(sandbox::DOCUMENTS) => sandbox::serve(&arguments[3..]),
        Some("--") => become_program(&arguments[3..]),
        _ => Err("a worker is started by textkin itself".to_owned()),
    }
}

/// Turns the bytes of a document into at most about so many bytes of text.
type Reader = fn(&[u8], usize) -> Result<String, Error>;

/// Reads a document from standard input and writes its text.
fn read_here(reader: Reader) -> Result<(), String> {
    let mut bytes = Vec::new();
    std::io::stdin().lock().read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    // What a parser has to say when it panics is nothing for the user.
    std::panic::set_hook(Box::new(|_| {}));
    let thread = std::thread::Builder::new().stack_size(STACK);
    let thread = thread.spawn(move || reader(&bytes, MAX_TEXT));
    let thread = thread.map_err(|error| error.to_string())?;
    let text = match thread.join() {
        Ok(Ok(text)) => text,
        // The parent names the kind.
        Ok(Err(Error::Corrupt { reason, .. })) => return Err(reason),
        Ok(Err(error)) => return Err(error.to_string()),
        Err(_) => return Err("its structure confuses the parser".to_owned()),
    };
    let mut out = std::io::stdout().lock();
    // Nothing else would write what waits, where this is not the program of the process.
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|error| error.to_string())
}

#[cfg(feature = "pdf")]
use textkin_extract::pdf_text;

#[cfg(not(feature = "pdf"))]
fn pdf_text(_: &[u8], _: usize) -> Result<String, Error> {
    let reason = "this textkin was built without PDF; install pdftotext".to_owned();
    Err(Error::Corrupt { kind: FileKind::Pdf, reason })
}

#[cfg(unix)]
fn bound(memory: u64, seconds: u64) -> Result<(), String> {
    use rlimit::Resource;
    let set = |resource: Resource, most: u64| {
        // Never above what the system allows already.
        let hard = resource.get_hard().unwrap_or(rlimit::INFINITY);
        let most = most.min(hard);
        resource.set(most, most).map_err(|error| format!("cannot bound a worker: {error}"))
    };
    set(Resource::AS, memory)?;
    set(Resource::CPU, seconds.saturating_add(1))?;
    set(Resource::CORE, 0)
}

#[cfg(not(unix))]
fn bound(_: u64, _: u64) -> Result<(), String> {
    Ok(())
}

#[cfg(unix)]
fn become_program(arguments: &[OsString]) -> Result<(), String> {
    use std::os::unix::process::CommandExt;
    let program = arguments.first().ok_or("no program is named")?;
    let error = Command::new(program).args(&arguments[1..]).exec();
    Err(format!("cannot start {}: {error}", program.to_string_lossy()))
}

#[cfg(not(unix))]
fn become_program(arguments: &[OsString]) -> Result<(), String> {
    let program = arguments.first().ok_or("no program is named")?;
    let status = Command::new(program).args(&arguments[1..]).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("failed with {status}")),
        Err(error) => Err(format!("cannot start {}: {error}", program.to_string_lossy())),
    }
}
