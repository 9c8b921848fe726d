//! Development tasks: tests, benchmarks, collections, documentation.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a tool for the terminal")]

mod api;
mod bench;
mod corpus;
mod dist;
mod docs;
mod features;
mod generate;
mod load;
mod peers;
mod python;
mod sets;
mod spark;
mod version;
mod voice;
mod web;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

const HELP: &str = "\
Tests and documentation
  cargo xtask test                     Run all tests: those of cargo, then those of the Python package in an
                                       environment in target/ (TEXTKIN_SKIP_PYTHON=1 skips these)
  cargo xtask test python              Run the tests of the Python package and the Python examples of the pages
  cargo xtask features                 Check that each crate compiles without its features and with each alone
  cargo xtask web                      Build the scripts of the server's pages (needs Node)
  cargo xtask web check                Build them, test them, and check every page in Chromium
  cargo xtask web story                Follow a new user through a running server, in Chromium
  cargo xtask kill-server [ROUNDS]     Kill a server during registrations, repeatedly, and check that nothing is
                                       lost or duplicated (default: 100 rounds); with --webhooks, also that every
                                       alert reaches a webhook
  cargo xtask timing-server            Compare the time of probes for texts that another account holds privately
                                       and for texts that nobody holds; --documents N (default 100000),
                                       --trials N (default 10), --max-auc X (default 0.55)
  cargo xtask schemathesis             Send valid and invalid requests to a server, as its OpenAPI description
                                       defines them (pip installs schemathesis in target/)
  cargo xtask book                     Build the book (needs mdBook)
  cargo xtask docs                     Rewrite generated pages and the output of commands on pages
  cargo xtask api                      List the public items of the crate textkin in public-api.txt
  cargo xtask api check                Fail if that list is not current
  cargo xtask voice                    List phrases that textkin does not use (xtask/voice.txt); also a test

Release
  cargo xtask dist [PART…]             Build the files of a release for this machine in target/release-files: the
                                       program in an archive, a wheel, on Linux a Debian package, a bill of
                                       materials (parts: archive, wheel, deb, sbom; default all) and checksums
                                       (pip installs the linker; needs Node, for the scripts of the pages)
  cargo xtask dist test                Install them in empty Debian systems without a compiler, and measure the time
                                       to the first result (needs debootstrap and root)
  cargo xtask dist newcomer WHEEL      Install a wheel in an empty environment and run the README's Python lines
                                       and commands without a network
  cargo xtask dist manifests DIR       Fill the templates for Homebrew, conda and winget from the files in DIR
  cargo xtask version [NEW DATE]       Print the version, or write a new one to all places

Benchmarks
  cargo xtask bench discover PATH…     Compare discovery with reading and tokenizing alone (the floor)
  cargo xtask bench decontaminate [CORPUS EVALS…]
                                       Compare decontamination with the floor (default: 500 MB of generated
                                       documents and 86,000 generated questions)
  cargo xtask bench memory [SIZE]      Run discovery on a generated collection of ten times SIZE with SIZE of
                                       memory (default 256MiB)
  cargo xtask bench repository [N…]    Measure repositories of N documents: growth, disk, search
                                       (default 10000 100000 1000000)
  cargo xtask bench trace [FILE…]      Compare tracing with the floor: one thread, 1 GiB of table
                                       (default: a generated collection)
  cargo xtask bench origins FILE…      Measure the accuracy of origins for each method of tracing and eight sizes
                                       of memory, on JSON lines with text and time
  cargo xtask bench peers [FILE]       Compare textkin with rensa, gaoya, datasketch and text-dedup, which pip
                                       installs in target/, on JSON lines with id and text (default: a generated
                                       collection); --only NAME, --limit N|SIZE, --time-limit MINUTES
  cargo xtask bench spark [--kill]     Compare discovery on Spark with a self-join of the same chunks, at three
                                       sizes; with --kill, ten runs that lose a worker (needs Java and Python)
  cargo xtask bench python             Compare discovery from a pandas column with the command
  cargo xtask bench server [--quick]   Measure a server with 100,000 documents and 32 clients: probes and
                                       registrations per second, latency, delay of alerts, memory, start;
                                       --documents N, --clients N, --seconds N; --keep DIR loads the documents
                                       into DIR in a first run and measures in the next ones
  cargo xtask bench results            Measure how long a stored result with 100 sources, its comparisons and its
                                       exports take to open; --documents N (default 100000)

Collections and server
  cargo xtask corpus NAME [--out DIR]  Build a collection with ground truth from packages that pip or apt-get
                                       downloads (default DIR: target/corpora/NAME); --update pins the current
                                       releases; cargo xtask corpus --list shows the collections
  cargo xtask generate BYTES FILE      Write a collection with known reuse as JSON lines
  cargo xtask serve [ARGUMENT…]        Build the pages and run `textkin serve` with these arguments";

/// The cargo command that runs all tests of the workspace.
const TEST: [&str; 4] = ["test", "--workspace", "--all-features", "--locked"];

fn main() -> Result<()> {
    if std::env::var_os(api::AS_RUSTDOC).is_some() {
        return api::as_rustdoc();
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => {
            cargo(&TEST)?;
            python::test()
        }
        ["test", "python"] => python::test(),
        ["test", rest @ ..] => cargo(&[&TEST, rest].concat()),
        ["bench", "discover", paths @ ..] if !paths.is_empty() => bench::discover(paths),
        ["bench", "decontaminate", paths @ ..] if paths.len() != 1 => bench::decontaminate(paths),
        ["bench", "memory"] => bench::memory(256 << 20),
        ["bench", "memory", size] => bench::memory(bytes(size)?),
        ["bench", "repository"] => bench::repository(&["10000", "100000", "1000000"]),
        ["bench", "repository", sizes @ ..] => bench::repository(sizes),
        ["bench", "trace", paths @ ..] => bench::trace(paths),
        ["bench", "origins", paths @ ..] if !paths.is_empty() => bench::origins(paths),
        ["bench", "peers", arguments @ ..] => peers::peers(arguments),
        ["bench", "spark", arguments @ ..] => spark::bench(arguments),
        ["bench", "python"] => python::bench(),
        ["bench", "server", arguments @ ..] => load::server(arguments),
        ["bench", "results", arguments @ ..] => load::results(arguments),
        ["timing-server", arguments @ ..] => load::timing(arguments),
        ["kill-server"] => kill_server("100", false),
        ["kill-server", "--webhooks"] => kill_server("100", true),
        ["kill-server", rounds] => kill_server(rounds, false),
        ["kill-server", rounds, "--webhooks"] => kill_server(rounds, true),
        ["schemathesis", arguments @ ..] => load::schemathesis(arguments),
        ["corpus", arguments @ ..] => corpus::corpus(arguments),
        ["book"] => docs::book(),
        ["docs"] => docs::generate(),
        ["api"] => api::write(),
        ["api", "check"] => api::check(),
        ["dist", arguments @ ..] => dist::dist(arguments),
        ["version"] => version::print(),
        ["version", new, date] => version::set(new, date),
        ["features"] => features::check(),
        ["voice"] => voice::check(),
        ["web"] => web::web(),
        ["web", "check"] => web::check(),
        ["web", "story"] => web::story(),
        ["serve", arguments @ ..] => web::serve(arguments),
        ["generate", size, file] => generate::collection(bytes(size)?, Path::new(file)),
        [] | ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(())
        }
        _ => bail!("unknown task: {}\n\n{HELP}", words.join(" ")),
    }
}

/// Returns the root of the workspace.
fn root() -> Result<PathBuf> {
    root_of(std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from))
}

/// Returns the root of the workspace that this task runs in. Cargo names it at run time; in a copied checkout the
/// path at compile time may be that of the original.
fn root_of(manifest: Option<PathBuf>) -> Result<PathBuf> {
    let manifest = manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    let parent = manifest.parent();
    Ok(parent.context("xtask is not inside a workspace")?.to_owned())
}

/// Returns a cargo command in the workspace, as if it were called by hand.
fn cargo_command() -> Result<Command> {
    command_in_workspace(env!("CARGO"))
}

/// Returns a command in the workspace. Variables that the cargo of this task sets are not inherited; crates that read
/// them would be built again.
fn command_in_workspace(program: &str) -> Result<Command> {
    let mut command = Command::new(program);
    command.current_dir(root()?);
    for (name, _) in std::env::vars_os() {
        let is_inherited = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if is_inherited {
            command.env_remove(name);
        }
    }
    Ok(command)
}

/// Runs cargo in the workspace.
fn cargo(arguments: &[&str]) -> Result<()> {
    let status = cargo_command()?.args(arguments).status()?;
    ensure!(status.success(), "cargo {} failed", arguments.join(" "));
    Ok(())
}

/// Runs the test that kills a server for `rounds` rounds, or the one that does so while webhooks are sent.
fn kill_server(rounds: &str, with_webhooks: bool) -> Result<()> {
    let test = match with_webhooks {
        true => "kill::alerts_reach_a_webhook_although_the_server_is_killed",
        false => "kill::acknowledged_documents_survive_kill_9_and_alerts_are_exact",
    };
    let status = cargo_command()?
        .args(["test", "--locked", "--package", "textkin-server", "--test", "process"])
        .args(["--", "--exact", test, "--nocapture"])
        .env("TEXTKIN_KILL_ROUNDS", rounds)
        .status()?;
    ensure!(status.success(), "the server lost or duplicated documents or alerts");
    Ok(())
}

/// Parses a size: `256MiB`, `2GiB`, `1000000`.
fn bytes(text: &str) -> Result<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let factor = match &text[digits..] {
        "" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        unit => bail!("unknown unit '{unit}'; use KiB, MiB or GiB"),
    };
    Ok(text[..digits].parse::<u64>().with_context(|| format!("expected a size, got '{text}'"))?
        * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copied_checkout_is_its_own_root() {
        let copy = Path::new("/copied/checkout");
        assert_eq!(root_of(Some(copy.join("xtask"))).unwrap(), copy);
        let compiled = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        assert_eq!(root_of(None).unwrap(), compiled);
    }
}
