//! PostScript: a program. It is run, as far as that takes no printer, and what it writes is text.
//!
//! `scanner` reads words, `value` is what they stand for, `machine` runs them within limits; the
//! operators are in `stacks`, `math`, `arrays`, `dicts`, `control`, `files`, `drawing`, `fonts`
//! and `show`, where the text comes from. Lines are made by `typesetting::layout`.

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

/// The text that a PostScript program writes, a form feed after each page; at most about
/// `max_text` bytes.
///
/// # Errors
/// It reaches a limit before it has written anything.
pub fn postscript_text(bytes: &[u8], max_text: usize) -> Result<String, Error> {
    let mut machine = Machine::new(max_text);
    let done = machine.run_program(program(bytes));
    let text = std::mem::take(&mut machine.layout).finish();
    match done {
        Err(Unwind::Limit(limit)) if !text.contains(char::is_alphanumeric) => {
            Err(Error::corrupt(FileKind::PostScript, format!("it never ends (limit of {limit})")))
        }
        _ => Ok(text),
    }
}

/// The program itself, without what is for Windows only and what is for the printer.
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
