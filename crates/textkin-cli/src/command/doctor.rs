//! `textkin doctor`: what is installed, what it is good for, and how to get the rest.

use std::fmt::Write as _;

use textkin::report::terminal;
use textkin::source::{FileKind, find_program};

use crate::exit::Exit;

/// A program that makes something better.
struct Helper {
    program: &'static str,
    gives: &'static str,
    without: &'static str,
    install: [(&'static str, &'static str); 3],
}

const HELPERS: [Helper; 2] = [
    Helper {
        program: "pdftotext",
        gives: "reads PDF best: order of columns, ligatures, Asian scripts",
        without: "PDF is read by the built-in parser",
        install: [
            ("Debian, Ubuntu", "apt install poppler-utils"),
            ("Fedora", "dnf install poppler-utils"),
            ("macOS", "brew install poppler"),
        ],
    },
    Helper {
        program: "gs",
        gives: "reads PostScript best: every font, every program",
        without: "PostScript is read by the built-in interpreter",
        install: [
            ("Debian, Ubuntu", "apt install ghostscript"),
            ("Fedora", "dnf install ghostscript"),
            ("macOS", "brew install ghostscript"),
        ],
    },
];

/// Runs the command.
pub(crate) fn run() -> anyhow::Result<Exit> {
    let mut text = String::new();
    writeln!(text, "textkin {}\n", env!("CARGO_PKG_VERSION"))?;
    writeln!(text, "Programs that help")?;
    for helper in &HELPERS {
        match find_program(helper.program) {
            Some(path) => {
                writeln!(text, "  ✓ {:<10} {}", helper.program, helper.gives)?;
                writeln!(text, "    {:<10} at {}", "", path.display())?;
            }
            None => {
                writeln!(text, "  ✗ {:<10} not found: {}", helper.program, helper.without)?;
                for (system, command) in helper.install {
                    writeln!(text, "    {:<10} {system}: {command}", "")?;
                }
            }
        }
    }
    writeln!(text, "\nFormats that are read, known by their content")?;
    let width = FileKind::ALL.iter().map(|kind| kind.name().len()).max().unwrap_or(0);
    for kind in FileKind::ALL.iter().filter(|kind| **kind != FileKind::Unknown) {
        writeln!(text, "  {:<width$}  {}", kind.name(), kind.summary())?;
    }
    terminal::print(&text)?;
    Ok(Exit::Found)
}
