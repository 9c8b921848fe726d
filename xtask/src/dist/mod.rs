//! `cargo xtask dist`: the files of a release for this machine, in `target/release-files`.
//!
//! On Linux, the program and the wheel are linked with zig against an old glibc, and a Debian package is made too. On
//! macOS and Windows they are built with the system's linker. `tools` installs what is needed.

mod archive;
mod debian;
mod dependencies;
mod licences;
mod manifests;
mod platform;
mod sbom;
mod tools;
mod trial;
mod wheel;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use crate::{command_in_workspace, root, version, web};
use platform::Platform;
use tools::Tools;
pub(crate) use trial::{download_requirements, newcomer};

/// The features of the program in archives: everything.
const FEATURES: &str = "lab,server";
/// Maximum size of the stripped program, a little above what it has. The goal is 25 MB.
const MAX_PROGRAM_BYTES: u64 = 31_000_000;

/// Runs the task with these arguments.
pub(crate) fn dist(arguments: &[&str]) -> Result<()> {
    match arguments {
        ["test"] => trial::trial(),
        ["newcomer", wheel] => newcomer(Path::new(wheel)),
        ["manifests", folder] => manifests::fill(Path::new(folder)),
        parts => build(&Part::parse(parts)?),
    }
}

/// A part of a release.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Archive,
    Debian,
    Wheel,
    Sbom,
}

impl Part {
    /// Parses names of parts; without any, returns those that this system can build.
    fn parse(names: &[&str]) -> Result<Vec<Self>> {
        let all = [Self::Archive, Self::Debian, Self::Wheel, Self::Sbom];
        if names.is_empty() {
            let is_buildable = |part: &Self| cfg!(target_os = "linux") || *part != Self::Debian;
            return Ok(all.into_iter().filter(is_buildable).collect());
        }
        let parse = |name: &&str| match *name {
            "archive" => Ok(Self::Archive),
            "deb" => Ok(Self::Debian),
            "wheel" => Ok(Self::Wheel),
            "sbom" => Ok(Self::Sbom),
            other => bail!("unknown part '{other}'; use archive, deb, wheel or sbom"),
        };
        names.iter().map(parse).collect()
    }
}

/// What all parts are made from.
struct Release {
    version: String,
    platform: Platform,
    tools: Tools,
    /// Where the files of the release go.
    folder: PathBuf,
}

impl Release {
    /// Returns a command that finds the tools and leaves no path of this machine in what it builds.
    fn command(&self, program: &str) -> Result<Command> {
        let mut command = command_in_workspace(program)?;
        command.env("PATH", self.tools.search_path()?);
        command.env("CARGO_ENCODED_RUSTFLAGS", rustflags()?);
        Ok(command)
    }

    /// Returns the path of the program that [`Release::build_program`] builds.
    fn program(&self) -> Result<PathBuf> {
        let name = format!("textkin{}", std::env::consts::EXE_SUFFIX);
        Ok(target()?.join(&self.platform.triple).join("dist").join(name))
    }

    /// Builds the program and checks its size and the glibc that it needs.
    fn build_program(&self) -> Result<()> {
        let cargo = if self.platform.is_zig() { "cargo-zigbuild" } else { env!("CARGO") };
        let mut command = self.command(cargo)?;
        command
            .args(["rustc", "--locked", "--profile", "dist", "--package", "textkin-cli"])
            .args(["--features", FEATURES, "--target", &self.platform.build_target()])
            // The level at which the whole program is optimised at the end; see Cargo.toml.
            .args(["--bin", "textkin", "--", "-C", "opt-level=3"]);
        run(&mut command)?;
        let program = self.program()?;
        let bytes = std::fs::metadata(&program)?.len();
        println!("program: {:.1} MB, stripped", bytes as f64 / 1e6);
        ensure!(
            bytes <= MAX_PROGRAM_BYTES,
            "{} has {bytes} bytes; at most {MAX_PROGRAM_BYTES} are allowed",
            program.display()
        );
        self.platform.check_glibc(&std::fs::read(&program)?)
    }
}

/// Builds these parts and lists their checksums.
fn build(parts: &[Part]) -> Result<()> {
    let folder = files()?;
    std::fs::create_dir_all(&folder)?;
    let has = |part| parts.contains(&part);
    let platform = Platform::of_host()?;
    ensure!(
        !has(Part::Debian) || cfg!(target_os = "linux"),
        "a Debian package can be built on Linux only"
    );
    let tools = Tools::install(has(Part::Debian))?;
    let version = version::current()?;
    remove_old(&folder, &version)?;
    let release = Release { version, platform, tools, folder };
    if has(Part::Archive) || has(Part::Debian) {
        step("scripts of the pages", web::web)?;
        step("program", || release.build_program())?;
        step("manual, completions and licences", || archive::stage(&release))?;
    }
    if has(Part::Archive) {
        step("archive", || archive::archive(&release))?;
    }
    if has(Part::Debian) {
        step("Debian package", || debian::package(&release))?;
    }
    if has(Part::Wheel) {
        step("wheel", || wheel::wheel(&release))?;
    }
    if has(Part::Sbom) {
        step("bill of materials", || sbom::write(&release))?;
    }
    archive::checksums(&release.folder)
}

/// Removes the files of other versions.
fn remove_old(folder: &Path, version: &str) -> Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let is_old = !entry.file_name().to_string_lossy().contains(version);
        if is_old && entry.file_type()?.is_file() {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Runs one step and prints how long it took.
fn step(name: &str, work: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("==> {name}");
    let start = Instant::now();
    work().with_context(|| format!("cannot build: {name}"))?;
    println!("    {name}: {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

/// Returns the folder of the release files.
fn files() -> Result<PathBuf> {
    Ok(target()?.join("release-files"))
}

/// Returns the target folder. It is the one in the workspace: the assets of the Debian package name it.
fn target() -> Result<PathBuf> {
    Ok(root()?.join("target"))
}

/// Returns the flags of rustc, joined as cargo reads them: paths of this machine are replaced by what they lead to.
fn rustflags() -> Result<String> {
    let home = std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let sources = home.context("the home folder is unknown; set CARGO_HOME")?.join("registry/src");
    let mut replaced = vec![(root()?, "textkin".to_owned())];
    // One folder for each registry, whose name is of no use to anybody.
    for registry in std::fs::read_dir(&sources).into_iter().flatten() {
        replaced.push((registry?.path(), "dependencies".to_owned()));
    }
    let flags = replaced
        .iter()
        .map(|(path, name)| format!("--remap-path-prefix={}={name}", path.display()));
    Ok(flags.collect::<Vec<_>>().join("\u{1f}"))
}

/// Runs a command and fails if it does.
fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    ensure!(status.success(), "{name} failed: {command:?}");
    Ok(())
}

/// Runs a command and returns what it printed.
fn output(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    let errors = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{name} failed: {command:?}\n{errors}");
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_chosen_by_name() {
        assert_eq!(Part::parse(&["wheel", "sbom"]).unwrap(), [Part::Wheel, Part::Sbom]);
        assert!(Part::parse(&["rpm"]).unwrap_err().to_string().contains("'rpm'"));
        assert!(Part::parse(&[]).unwrap().contains(&Part::Archive));
    }

    #[test]
    fn paths_of_this_machine_are_replaced() {
        let flags = rustflags().unwrap();
        assert!(flags.contains(&format!("{}=textkin", root().unwrap().display())));
    }
}
