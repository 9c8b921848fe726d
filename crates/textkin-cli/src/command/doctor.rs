//! `textkin doctor`: shows supported formats and helper programs.

use std::fmt::Write as _;

use serde_json::{Value, json};
use textkin::engine::report::terminal;
use textkin::engine::source::{FileKind, find_program};

use crate::arguments::{Doctor, OutputFormat};
use crate::exit::Exit;

/// An optional helper program.
struct Helper {
    program: &'static str,
    benefit: &'static str,
    fallback: &'static str,
    install: [(&'static str, &'static str); 3],
}

const HELPERS: [Helper; 2] = [
    Helper {
        program: "pdftotext",
        benefit: "improves PDF: column order, ligatures, Asian scripts",
        fallback: "the built-in parser reads PDF",
        install: [
            ("Debian, Ubuntu", "apt install poppler-utils"),
            ("Fedora", "dnf install poppler-utils"),
            ("macOS", "brew install poppler"),
        ],
    },
    Helper {
        program: "gs",
        benefit: "improves PostScript: all fonts and programs",
        fallback: "the built-in interpreter reads PostScript",
        install: [
            ("Debian, Ubuntu", "apt install ghostscript"),
            ("Fedora", "dnf install ghostscript"),
            ("macOS", "brew install ghostscript"),
        ],
    },
];

/// Runs the command.
pub(crate) fn run(arguments: &Doctor) -> anyhow::Result<Exit> {
    if arguments.format.format == OutputFormat::Json {
        terminal::print(&format!("{}\n", json_of()))?;
        return Ok(Exit::Found);
    }
    let mut text = String::new();
    writeln!(text, "textkin {}\n", env!("CARGO_PKG_VERSION"))?;
    writeln!(text, "Helper programs")?;
    for helper in &HELPERS {
        match find_program(helper.program) {
            Some(path) => {
                writeln!(text, "  ✓ {:<10} {}", helper.program, helper.benefit)?;
                writeln!(text, "    {:<10} at {}", "", path.display())?;
            }
            None => {
                writeln!(text, "  ✗ {:<10} not found: {}", helper.program, helper.fallback)?;
                for (system, command) in helper.install {
                    writeln!(text, "    {:<10} {system}: {command}", "")?;
                }
            }
        }
    }
    writeln!(text, "\nSupported formats, detected by content")?;
    let width = FileKind::ALL.iter().map(|kind| kind.name().len()).max().unwrap_or(0);
    for kind in FileKind::ALL.iter().filter(|kind| **kind != FileKind::Unknown) {
        writeln!(text, "  {:<width$}  {}", kind.name(), kind.summary())?;
    }
    terminal::print(&text)?;
    Ok(Exit::Found)
}

/// Returns the helper programs and formats as JSON.
fn json_of() -> Value {
    let program = |helper: &Helper| {
        json!({
            "name": helper.program,
            "path": find_program(helper.program).map(|path| path.display().to_string()),
            "benefit": helper.benefit,
        })
    };
    let kinds = FileKind::ALL.iter().filter(|kind| **kind != FileKind::Unknown);
    let format = |kind: &FileKind| json!({ "name": kind.name(), "summary": kind.summary() });
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "programs": HELPERS.iter().map(program).collect::<Vec<Value>>(),
        "formats": kinds.map(format).collect::<Vec<Value>>(),
    })
}
