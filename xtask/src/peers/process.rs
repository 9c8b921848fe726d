//! Runs a program and measures time and peak memory, including its children.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Interval of memory measurements.
const MEMORY_INTERVAL: Duration = Duration::from_millis(20);
/// Interval for several processes, which takes longer.
const TREE_INTERVAL: Duration = Duration::from_millis(250);

/// Cost of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    /// Elapsed time.
    pub(crate) seconds: f64,
    /// CPU time, if the system reports it; does not depend on other programs.
    pub(crate) processor_seconds: Option<f64>,
    /// Peak memory, if the system reports it.
    pub(crate) peak_bytes: Option<u64>,
}

/// Runs a program until it ends or reaches the time limit. Its output goes to `log`.
pub(crate) fn run(command: &mut Command, limit: Duration, log: &Path) -> Result<Cost> {
    let file =
        std::fs::File::create(log).with_context(|| format!("cannot write {}", log.display()))?;
    command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
    lead_group(command);
    let before = children_seconds();
    let start = Instant::now();
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().to_string_lossy()))?;
    let (mut peak_bytes, mut last_tree) = (None, None::<Instant>);
    loop {
        if let Some(status) = child.try_wait()? {
            let seconds = start.elapsed().as_secs_f64();
            let processor_seconds =
                children_seconds().zip(before).map(|(after, before)| after - before);
            return match status.code() {
                Some(0 | 1) if status.success() || is_textkin(command) => {
                    Ok(Cost { seconds, processor_seconds, peak_bytes })
                }
                _ => bail!("failed ({status}): {}", last_line(log)),
            };
        }
        if start.elapsed() > limit {
            kill(&mut child)?;
            bail!("took longer than {} s", limit.as_secs());
        }
        let tree = tree(child.id());
        let bytes = if tree.len() < 2 {
            memory(child.id(), "status", "VmHWM:")
        } else if last_tree.is_none_or(|at| at.elapsed() > TREE_INTERVAL) {
            last_tree = Some(Instant::now());
            // Pss counts shared memory once: each process is charged its part.
            Some(tree.iter().filter_map(|process| memory(*process, "smaps_rollup", "Pss:")).sum())
        } else {
            None
        };
        peak_bytes = peak_bytes.max(bytes);
        std::thread::sleep(MEMORY_INTERVAL);
    }
}

/// Whether exit code 1 means that nothing was found.
fn is_textkin(command: &Command) -> bool {
    Path::new(command.get_program()).file_stem().is_some_and(|name| name == "textkin")
}

/// Starts a program in its own process group, so that its children can be killed with it.
fn lead_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command; // No process groups on this system.
}

/// Kills a program and its children.
fn kill(child: &mut Child) -> Result<()> {
    if cfg!(unix) {
        let group = format!("-{}", child.id());
        Command::new("kill").args(["-KILL", "--", &group]).status()?;
    } else {
        child.kill()?;
    }
    child.wait()?;
    Ok(())
}

/// Returns the CPU time of all children that have ended, and of their children.
fn children_seconds() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the program is in parentheses and can contain anything; numbers start after the next value.
    let (_, values) = text.rsplit_once(')')?;
    let mut values = values.split_whitespace().skip(13);
    let ticks: u64 = values.next()?.parse::<u64>().ok()? + values.next()?.parse::<u64>().ok()?;
    // A tick is always a hundredth of a second for user programs.
    Some(ticks as f64 / 100.0)
}

/// Returns a process and all its descendants.
fn tree(process: u32) -> Vec<u32> {
    let mut found = vec![process];
    let mut next = 0;
    while let Some(process) = found.get(next).copied() {
        for thread in
            std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten()
        {
            let children =
                std::fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            found.extend(children.split_whitespace().flat_map(str::parse::<u32>));
        }
        next += 1;
    }
    found
}

/// Returns a figure of a process in bytes.
fn memory(process: u32, file: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/{file}")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}

/// Returns the last line of a log.
pub(crate) fn last_line(log: &Path) -> String {
    let text = std::fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.split(['\n', '\r']).rev().find(|line| !line.trim().is_empty());
    line.map_or_else(|| "no output".to_owned(), |line| line.trim().chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration) -> Result<Cost> {
        let folder = tempfile::tempdir().unwrap();
        run(Command::new("sh").args(["-c", script]), limit, &folder.path().join("log"))
    }

    #[test]
    fn a_run_is_measured() {
        let cost = shell("sleep 0.2", Duration::from_secs(20)).unwrap();
        assert!(cost.seconds >= 0.2);
        assert!(!cfg!(target_os = "linux") || cost.peak_bytes.unwrap() > 0);
        let busy = "n=0; while [ $n -lt 200000 ]; do n=$((n + 1)); done";
        let cost = shell(busy, Duration::from_secs(60)).unwrap();
        assert!(!cfg!(target_os = "linux") || cost.processor_seconds.unwrap() > 0.0);
    }

    #[test]
    fn failures_say_why() {
        let error = shell("echo first; echo that is why >&2; exit 3", Duration::from_secs(20));
        assert!(error.unwrap_err().to_string().ends_with("that is why"));
        let error = shell("sleep 30 & sleep 30", Duration::from_millis(100)).unwrap_err();
        assert!(error.to_string().starts_with("took longer"), "{error}");
        assert!(
            run(&mut Command::new("./no-such-program"), Duration::ZERO, Path::new("/dev/null"))
                .is_err()
        );
    }
}
