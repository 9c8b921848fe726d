//! Runs another program with bounds: on time, memory and output.
//!
//! In: a program, its arguments and its input. Out: what it wrote, or why it failed. Time and output
//! are bounded from here; memory and processor time by the worker (`worker`), our own program
//! started again, which bounds itself and then becomes the other one.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// What a program may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Time on the clock.
    pub time: Duration,
    /// Bytes of memory; bounded only where there is a worker.
    pub memory: u64,
    /// Bytes of output.
    pub output: u64,
}

impl Default for ProcessLimits {
    /// A minute, 2 GiB of memory, 512 MiB of output.
    fn default() -> Self {
        Self { time: Duration::from_secs(60), memory: 2 << 30, output: 512 << 20 }
    }
}

/// Bytes of a program's complaints that are kept.
const MAX_STDERR_BYTES: u64 = 4 << 10;

/// How long to wait before looking again whether a program has ended.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs `command` on `input` until `deadline`, and gives what it wrote.
///
/// # Errors
/// In words for the user: it cannot be started, failed, took too long or wrote too much.
pub(crate) fn run(
    mut command: Command,
    input: &[u8],
    limits: ProcessLimits,
    deadline: Instant,
) -> Result<Vec<u8>, String> {
    if Instant::now() >= deadline {
        return Err(too_late(limits));
    }
    let name = Path::new(command.get_program());
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start {name}: {error}"))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        // A program that has seen enough closes its input: nothing is wrong with that.
        scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(input).is_ok()));
        let complaints = scope.spawn(|| read(stderr, MAX_STDERR_BYTES));
        let output = scope.spawn(|| read(stdout, limits.output.saturating_add(1)));
        let ended = wait(&mut child, deadline, || output.is_finished());
        let output = output.join().unwrap_or_default();
        let complaints = complaints.join().unwrap_or_default();
        let status = match ended {
            ProcessEnd::TimedOut => return Err(too_late(limits)),
            ProcessEnd::WaitFailed(error) => return Err(format!("{name} was lost: {error}")),
            ProcessEnd::WithStatus(status) => status,
        };
        if output.len() as u64 > limits.output {
            return Err(format!("gave more than {} bytes of text", limits.output));
        }
        if status.success() {
            return Ok(output);
        }
        let complaint = String::from_utf8_lossy(&complaints);
        let is_useful = |line: &&str| !line.is_empty() && !line.starts_with("note: ");
        let complaint = complaint.lines().map(str::trim).rfind(is_useful);
        let complaint = complaint.map(|line| line.chars().take(200).collect::<String>());
        Err(complaint.unwrap_or_else(|| match status.code() {
            Some(code) => format!("failed with code {code}"),
            None => "was stopped: it crashed or reached a limit".to_owned(),
        }))
    })
}

fn too_late(limits: ProcessLimits) -> String {
    format!("took longer than {} s", limits.time.as_secs())
}

enum ProcessEnd {
    WithStatus(std::process::ExitStatus),
    TimedOut,
    WaitFailed(std::io::Error),
}

/// Waits for the end of `child`; after `deadline`, or once its output is read as far as it may go
/// and it still runs, ends it.
fn wait(child: &mut Child, deadline: Instant, is_output_read: impl Fn() -> bool) -> ProcessEnd {
    let mut grace = None;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return ProcessEnd::WithStatus(status),
            Ok(None) => {}
            Err(error) => return ProcessEnd::WaitFailed(error),
        }
        let now = Instant::now();
        if is_output_read() && grace.is_none() {
            grace = Some(now + Duration::from_secs(1));
        }
        let is_late = now >= deadline;
        if is_late || grace.is_some_and(|grace| now >= grace) {
            // It may have ended in this moment; the wait below tells.
            let _ = child.kill();
            return match child.wait() {
                Ok(_) if is_late => ProcessEnd::TimedOut,
                Ok(status) => ProcessEnd::WithStatus(status),
                Err(error) => ProcessEnd::WaitFailed(error),
            };
        }
        std::thread::sleep(PAUSE);
    }
}

/// Reads at most `most` bytes, and closes.
fn read(source: Option<impl Read>, most: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(source) = source {
        // What was read before a failure is all there is.
        let _ = source.take(most).read_to_end(&mut bytes);
    }
    bytes
}

/// Where the program `name` is, if it is installed.
#[must_use]
pub fn find_program(name: &str) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(format!("{name}{}", std::env::consts::EXE_SUFFIX)))
        .find(|path| is_executable(path))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        command
    }

    fn ran(command: Command, input: &[u8], limits: ProcessLimits) -> Result<Vec<u8>, String> {
        run(command, input, limits, Instant::now() + limits.time)
    }

    fn limits() -> ProcessLimits {
        ProcessLimits { time: Duration::from_secs(20), memory: 1 << 30, output: 1000 }
    }

    #[test]
    fn what_a_program_writes_comes_back() {
        assert_eq!(ran(shell("cat"), b"abc", limits()).unwrap(), b"abc");
        let large = vec![b'x'; 1 << 20];
        assert_eq!(ran(shell("head -c 3"), &large, limits()).unwrap(), b"xxx");
    }

    #[test]
    fn a_program_that_fails_says_why() {
        let failed = ran(shell("echo first >&2; echo broken page >&2; exit 3"), b"", limits());
        assert_eq!(failed.unwrap_err(), "broken page");
        assert_eq!(ran(shell("exit 3"), b"", limits()).unwrap_err(), "failed with code 3");
        let killed = ran(shell("kill -9 $$"), b"", limits()).unwrap_err();
        assert_eq!(killed, "was stopped: it crashed or reached a limit");
        assert!(ran(Command::new("/nowhere/x"), b"", limits()).is_err());
    }

    #[test]
    fn a_program_that_does_not_end_is_ended() {
        let limits = ProcessLimits { time: Duration::from_millis(300), ..limits() };
        let begun = Instant::now();
        let late = ran(shell("exec sleep 100"), b"", limits).unwrap_err();
        assert!(late.starts_with("took longer than"), "{late}");
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn nothing_is_started_once_the_time_is_over() {
        let late = run(shell("true"), b"", limits(), Instant::now()).unwrap_err();
        assert_eq!(late, "took longer than 20 s");
    }

    #[test]
    fn a_program_that_writes_without_end_is_ended() {
        let flood = ran(shell("exec yes"), b"", limits()).unwrap_err();
        assert_eq!(flood, "gave more than 1000 bytes of text");
    }
}
