//! Resource use of this process.

/// Returns the peak resident memory of this process in bytes; 0 where the system does not report it.
pub(crate) fn peak_rss_bytes() -> u64 {
    let kilobytes = |line: &str| line.split_whitespace().nth(1)?.parse::<u64>().ok();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:")).and_then(kilobytes);
    peak.map_or(0, |kilobytes| kilobytes * 1024)
}
