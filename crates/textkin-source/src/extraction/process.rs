//! Runs an external program with limits on time, memory and output.
//!
//! In: a program, its arguments and its input. Out: its output, or why it failed. This module limits
//! time and output. The worker (`worker`) limits memory and processor time: it is this program
//! started again, sets its own limits and then executes the external program.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Resources that one run of a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessLimits {
    /// Elapsed time.
    pub time: Duration,
    /// Bytes of memory; limited only if there is a worker.
    pub memory: u64,
    /// Bytes of output.
    pub output: u64,
}

impl Default for ProcessLimits {
    /// Returns 60 s, 2 GiB of memory and 512 MiB of output.
    fn default() -> Self {
        Self { time: Duration::from_secs(60), memory: 2 << 30, output: 512 << 20 }
    }
}

/// Bytes of standard error that are kept.
const MAX_STDERR_BYTES: u64 = 4 << 10;

/// Interval between checks whether a program has ended.
const PAUSE: Duration = Duration::from_millis(2);

/// Runs `command` on `input` until `deadline` and returns its output.
///
/// # Errors
/// A message for the user: the program could not be started, failed, took too long or wrote too much.
pub(crate) fn run(
    mut command: Command,
    input: &[u8],
    limits: ProcessLimits,
    deadline: Instant,
) -> Result<Vec<u8>, String> {
    if Instant::now() >= deadline {
        return Err(timed_out(limits));
    }
    let name = Path::new(command.get_program());
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| format!("cannot start {name}: {error}"))?;
    let (stdin, stdout, stderr) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    // Three pipes at once, while this thread watches the clock.
    std::thread::scope(|scope| {
        // A program may close its input early; that is not an error.
        scope.spawn(|| stdin.map(|mut stdin| stdin.write_all(input).is_ok()));
        let stderr_bytes = scope.spawn(|| read(stderr, MAX_STDERR_BYTES));
        let output = scope.spawn(|| read(stdout, limits.output.saturating_add(1)));
        let ended = wait(&mut child, deadline, || output.is_finished());
        let output = output.join().unwrap_or_default();
        let stderr_bytes = stderr_bytes.join().unwrap_or_default();
        let status = match ended {
            ProcessEnd::TimedOut => return Err(timed_out(limits)),
            ProcessEnd::WaitFailed(error) => {
                return Err(format!("cannot wait for {name}: {error}"));
            }
            ProcessEnd::WithStatus(status) => status,
        };
        if output.len() as u64 > limits.output {
            return Err(format!("produced more than {} bytes of text", limits.output));
        }
        if status.success() {
            return Ok(output);
        }
        let message = String::from_utf8_lossy(&stderr_bytes);
        let is_useful = |line: &&str| !line.is_empty() && !line.starts_with("note: ");
        let message = message.lines().map(str::trim).rfind(is_useful);
        let message = message.map(|line| line.chars().take(200).collect::<String>());
        Err(message.unwrap_or_else(|| match status.code() {
            Some(code) => format!("exited with code {code}"),
            None => "crashed or exceeded a limit".to_owned(),
        }))
    })
}

fn timed_out(limits: ProcessLimits) -> String {
    format!("took longer than {} s", limits.time.as_secs())
}

enum ProcessEnd {
    WithStatus(std::process::ExitStatus),
    TimedOut,
    WaitFailed(std::io::Error),
}

/// Waits for `child` to end. Kills it after `deadline`, or if it still runs one second after its
/// output was closed or reached the limit.
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
            // It may have just ended; the wait below returns its status.
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

/// Reads at most `max_bytes`, then closes.
fn read(source: Option<impl Read>, max_bytes: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(source) = source {
        // After an error, the bytes read so far are the result.
        let _ = source.take(max_bytes).read_to_end(&mut bytes);
    }
    bytes
}

/// Returns the path of the program `name`, if it is installed.
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

    fn run_for_limit(
        command: Command,
        input: &[u8],
        limits: ProcessLimits,
    ) -> Result<Vec<u8>, String> {
        run(command, input, limits, Instant::now() + limits.time)
    }

    fn limits() -> ProcessLimits {
        ProcessLimits { time: Duration::from_secs(20), memory: 1 << 30, output: 1000 }
    }

    #[test]
    fn output_is_returned() {
        assert_eq!(run_for_limit(shell("cat"), b"abc", limits()).unwrap(), b"abc");
        let large = vec![b'x'; 1 << 20];
        assert_eq!(run_for_limit(shell("head -c 3"), &large, limits()).unwrap(), b"xxx");
    }

    #[test]
    fn a_failure_is_reported_with_its_message() {
        let failed =
            run_for_limit(shell("echo first >&2; echo broken page >&2; exit 3"), b"", limits());
        assert_eq!(failed.unwrap_err(), "broken page");
        assert_eq!(
            run_for_limit(shell("exit 3"), b"", limits()).unwrap_err(),
            "exited with code 3"
        );
        let killed = run_for_limit(shell("kill -9 $$"), b"", limits()).unwrap_err();
        assert_eq!(killed, "crashed or exceeded a limit");
        assert!(run_for_limit(Command::new("/nowhere/x"), b"", limits()).is_err());
    }

    #[test]
    fn a_program_is_killed_after_the_time_limit() {
        let limits = ProcessLimits { time: Duration::from_millis(300), ..limits() };
        let start = Instant::now();
        let late = run_for_limit(shell("exec sleep 100"), b"", limits).unwrap_err();
        assert!(late.starts_with("took longer than"), "{late}");
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn nothing_is_started_after_the_deadline() {
        let late = run(shell("true"), b"", limits(), Instant::now()).unwrap_err();
        assert_eq!(late, "took longer than 20 s");
    }

    #[test]
    fn a_program_is_killed_at_the_output_limit() {
        let flood = run_for_limit(shell("exec yes"), b"", limits()).unwrap_err();
        assert_eq!(flood, "produced more than 1000 bytes of text");
    }
}
