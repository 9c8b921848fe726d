//! PostScript: runs the program, without a printer, and collects the text that it shows.
//!
//! `scanner` reads tokens, `value` defines values, `machine` runs programs within limits. Operators are
//! in `stacks`, `math`, `arrays`, `dicts`, `control`, `files`, `drawing`, `fonts` and `show`, which
//! produces the text. `typesetting::layout` assembles lines.

mod arrays;
mod control;
mod dicts;
mod drawing;
mod files;
mod filter;
mod fonts;
mod graphics;
mod machine;
mod math;
mod scanner;
mod show;
mod stacks;
mod value;
mod widths;

use crate::{Error, FileKind};
use machine::{Machine, Unwind};

/// Returns the text that a PostScript program shows, with a form feed after each page; at most about
/// `max_text` bytes.
///
/// # Errors
/// If the program reaches a limit before it shows any text.
pub fn postscript_text(bytes: &[u8], max_text: usize) -> Result<String, Error> {
    let mut machine = Machine::new(max_text);
    let done = machine.run_program(program(bytes));
    let text = std::mem::take(&mut machine.layout).finish();
    match done {
        Err(Unwind::Limit(limit)) if !text.contains(char::is_alphanumeric) => Err(Error::corrupt(
            FileKind::PostScript,
            format!("the program does not terminate (limit: {limit})"),
        )),
        _ => Ok(text),
    }
}

/// Returns the program without the Windows preview and printer commands.
fn program(bytes: &[u8]) -> &[u8] {
    let start = memchr::memmem::find(bytes.get(..bytes.len().min(4096)).unwrap_or_default(), b"%!");
    let rest = bytes.get(start.unwrap_or(0)..).unwrap_or_default();
    if let Some(head) = bytes.strip_prefix(&[0xc5, 0xd0, 0xd3, 0xc6])
        && let Some(length) = head.get(4..8).and_then(|length| <[u8; 4]>::try_from(length).ok())
    {
        let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
        return rest.get(..length.min(rest.len())).unwrap_or_default();
    }
    rest
}
