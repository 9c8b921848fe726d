//! The platform that a release is built for: the one of this machine.

use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The glibc that programs and wheels for Linux need at most, as `manylinux2014` defines it: that of every
/// distribution since 2014.
pub(super) const GLIBC: (u32, u32) = (2, 17);

#[derive(Clone, Debug)]
pub(super) struct Platform {
    /// The target triple, such as `x86_64-unknown-linux-gnu`.
    pub(super) triple: String,
}

impl Platform {
    /// Returns the platform of the installed Rust toolchain.
    pub(super) fn of_host() -> Result<Self> {
        let printed = super::output(Command::new("rustc").arg("-vV"))?;
        let triple = printed.lines().find_map(|line| line.strip_prefix("host: "));
        let triple = triple.context("rustc -vV names no host")?.to_owned();
        Ok(Self { triple })
    }

    pub(super) fn is_windows(&self) -> bool {
        self.triple.contains("-windows-")
    }

    /// Whether zig links for this platform, against an old glibc.
    pub(super) fn is_zig(&self) -> bool {
        self.triple.ends_with("-linux-gnu")
    }

    /// Returns the target as the build command takes it; for zig it names the version of glibc.
    pub(super) fn build_target(&self) -> String {
        match self.is_zig() {
            true => format!("{}.{}.{}", self.triple, GLIBC.0, GLIBC.1),
            false => self.triple.clone(),
        }
    }

    /// Fails if a program or library needs a newer glibc than promised.
    pub(super) fn check_glibc(&self, file: &[u8]) -> Result<()> {
        let Some(newest) = newest_glibc(file).filter(|_| self.is_zig()) else { return Ok(()) };
        let (major, minor) = newest;
        println!("needs glibc {major}.{minor}");
        ensure!(
            newest <= GLIBC,
            "glibc {major}.{minor} is too new; {}.{} is promised",
            GLIBC.0,
            GLIBC.1
        );
        Ok(())
    }
}

/// Returns the newest version of glibc among the names of symbol versions, such as `GLIBC_2.17`.
fn newest_glibc(file: &[u8]) -> Option<(u32, u32)> {
    const NAME: &[u8] = b"GLIBC_";
    let starts = file.windows(NAME.len()).enumerate().filter(|(_, window)| *window == NAME);
    let parse = |start: usize| -> Option<(u32, u32)> {
        let text = file[start + NAME.len()..].split(|byte| *byte == 0).next()?;
        let mut numbers = std::str::from_utf8(text).ok()?.split('.');
        Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    };
    starts.filter_map(|(start, _)| parse(start)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_glibc_is_found() {
        assert_eq!(newest_glibc(b"a\0GLIBC_2.2.5\0GLIBC_2.17\0GLIBC_2.4\0"), Some((2, 17)));
        assert_eq!(newest_glibc(b"GLIBC_PRIVATE\0"), None);
        let linux = Platform { triple: "x86_64-unknown-linux-gnu".to_owned() };
        assert_eq!(linux.build_target(), "x86_64-unknown-linux-gnu.2.17");
        assert!(linux.check_glibc(b"GLIBC_2.17\0").is_ok());
        let error = linux.check_glibc(b"GLIBC_2.34\0").unwrap_err().to_string();
        assert!(error.contains("2.34") && error.contains("2.17"), "{error}");
    }

    #[test]
    fn zig_links_for_linux_only() {
        let windows = Platform { triple: "x86_64-pc-windows-msvc".to_owned() };
        assert!(windows.is_windows() && !windows.is_zig());
        assert_eq!(windows.build_target(), "x86_64-pc-windows-msvc");
    }
}
