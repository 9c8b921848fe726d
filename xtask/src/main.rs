//! What is scripted: the tests, the benchmarks, and collections made to order.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a tool for the terminal")]

mod bench;
mod corpus;
mod docs;
mod generate;
mod load;
mod peers;
mod python;
mod sets;
mod spark;
mod voice;
mod web;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

const HELP: &str = "\
cargo xtask test                       runs all tests: those of cargo, then those of the Python package in an
                                       environment below target/ (TEXTKIN_SKIP_PYTHON=1 leaves them out)
cargo xtask test python                runs those of the Python package only
cargo xtask bench discover PATH…       measures discovery against the floor, on this machine, now
cargo xtask bench memory [SIZE]        measures discovery of a generated collection of ten times SIZE
                                       within SIZE of memory (default 256MiB)
cargo xtask bench repository [N…]      measures a repository of N documents: growth, disk, search
                                       (default 10000 100000 1000000)
cargo xtask bench trace [FILE…]        measures how fast a stream is traced, one thread, 1 GiB of table,
                                       against the floor (default: a generated collection)
cargo xtask bench origins FILE…        measures how right origins are, for each way of tracing and eight
                                       sizes of memory, on JSON lines with text and time
cargo xtask bench peers [FILE]         measures textkin beside rensa, gaoya, datasketch and text-dedup, which
                                       pip installs below target/, on JSON lines with id and text (default:
                                       a made collection); --only NAME, --limit N|SIZE, --time-limit MINUTES
cargo xtask bench spark [--kill]       measures discovery on Spark beside a self-join of the same chunks, at three sizes;
                                       with --kill, ten runs that lose a worker (needs Java and Python)
cargo xtask bench python               measures discovery from a column of pandas beside the command
cargo xtask bench server [--quick]     measures a server with 100000 documents under load of 32 clients: probes and
                                       registrations a second, how long they take, and how soon alerts come
cargo xtask corpus NAME [--out DIR]    builds a collection with ground truth of packages that pip or apt-get
                                       fetches (default DIR: target/corpora/NAME); --update pins what is
                                       served now; cargo xtask corpus --list names the collections
cargo xtask web                        builds the scripts of the server's pages (needs Node)
cargo xtask web check                  the same, tests them, and looks at every page in Chromium
cargo xtask web story                  the way of a newcomer through a running server, in Chromium
cargo xtask serve [ARGUMENT…]          builds them, and then runs `textkin serve` with these arguments
cargo xtask kill-server [ROUNDS]       kills a server in the middle of registrations, again and again, and
                                       checks that nothing is lost or there twice (default: 100 rounds)
cargo xtask schemathesis               sends what the description of the interface allows, and what it does
                                       not, to a server, by schemathesis, which pip installs below target/
cargo xtask book                       builds the book (needs mdBook)
cargo xtask docs                       rewrites generated pages and the output of commands on pages
cargo xtask voice                      lists phrases that textkin does not use (xtask/voice.txt); a test does too
cargo xtask generate BYTES FILE        writes a collection with known reuse as JSON lines";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test"] => {
            cargo(&["test", "--workspace", "--locked"])?;
            python::test()
        }
        ["test", "python"] => python::test(),
        ["test", rest @ ..] => cargo(&[&["test", "--workspace", "--locked"], rest].concat()),
        ["bench", "discover", paths @ ..] if !paths.is_empty() => bench::discover(paths),
        ["bench", "memory"] => bench::memory(256 << 20),
        ["bench", "memory", size] => bench::memory(bytes(size)?),
        ["bench", "repository"] => bench::repository(&["10000", "100000", "1000000"]),
        ["bench", "repository", sizes @ ..] => bench::repository(sizes),
        ["bench", "trace", paths @ ..] => bench::trace(paths),
        ["bench", "origins", paths @ ..] if !paths.is_empty() => bench::origins(paths),
        ["bench", "peers", arguments @ ..] => peers::peers(arguments),
        ["bench", "spark", arguments @ ..] => spark::bench(arguments),
        ["bench", "python"] => python::bench(),
        ["bench", "server"] => load::server(&load::Size::FULL),
        ["bench", "server", "--quick"] => load::server(&load::Size::QUICK),
        ["kill-server"] => kill_server("100"),
        ["kill-server", rounds] => kill_server(rounds),
        ["schemathesis", arguments @ ..] => load::schemathesis(arguments),
        ["corpus", arguments @ ..] => corpus::corpus(arguments),
        ["book"] => docs::book(),
        ["docs"] => docs::generate(),
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
        _ => bail!("no such task: {}\n{HELP}", words.join(" ")),
    }
}

/// The root of the workspace.
fn root() -> Result<PathBuf> {
    let parent = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    Ok(parent.context("xtask lies in the workspace")?.to_owned())
}

/// Cargo in the workspace, as if it were called by hand: what the cargo that runs this task says of
/// this package is not handed on, or crates that look at it are built again.
fn cargo_command() -> Result<Command> {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(root()?);
    for (name, _) in std::env::vars_os() {
        let is_own = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if is_own {
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

/// Runs the test that kills a server, for so many rounds.
fn kill_server(rounds: &str) -> Result<()> {
    let test = ["test", "--locked", "--package", "textkin-cli", "--test", "server", "kill"];
    let status = cargo_command()?
        .args(test)
        .args(["--", "--nocapture"])
        .env("TEXTKIN_KILL_ROUNDS", rounds)
        .status()?;
    ensure!(status.success(), "the server lost something");
    Ok(())
}

/// A number of bytes: `256MiB`, `2GiB`, `1000000`.
fn bytes(text: &str) -> Result<u64> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let factor = match &text[digits..] {
        "" => 1,
        "KiB" => 1 << 10,
        "MiB" => 1 << 20,
        "GiB" => 1 << 30,
        unit => bail!("no unit '{unit}'; there are KiB, MiB and GiB"),
    };
    Ok(text[..digits].parse::<u64>().with_context(|| format!("'{text}' is not a size"))? * factor)
}
