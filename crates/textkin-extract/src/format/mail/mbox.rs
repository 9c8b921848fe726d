//! Mailboxes: a sequence of messages, each after a line that begins with `From `.

use crate::context::ContainerPart;
use crate::{Error, ExtractContext, Extractor, FileKind};

/// Reads mailboxes.
pub(crate) struct Mbox;

impl Extractor for Mbox {
    fn kind(&self) -> FileKind {
        FileKind::Mbox
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        for (number, message) in messages(bytes).enumerate() {
            context.take_entry()?;
            let label = format!("message {}", number + 1);
            let part = ContainerPart {
                label: &label,
                kind: Some(FileKind::Email),
                ..ContainerPart::default()
            };
            context.nested_part(&part, message)?;
        }
        Ok(())
    }
}

/// Returns the messages, each with its first line. A message begins at the start or after an empty line.
fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let is_start = move |&at: &usize| {
        let before = bytes.get(..at).unwrap_or_default();
        at == 0 || before.ends_with(b"\n\n") || before.ends_with(b"\r\n\r\n")
    };
    let mut starts = memchr::memmem::find_iter(bytes, b"From ").filter(is_start).peekable();
    std::iter::from_fn(move || {
        let start = starts.next()?;
        let end = starts.peek().copied().unwrap_or(bytes.len());
        bytes.get(start..end)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_after_empty_lines() {
        let found: Vec<&[u8]> = messages(b"From a\n\nFrom x said\nFrom y\n\nFrom b\n\nc").collect();
        assert_eq!(found, [&b"From a\n\n"[..], b"From x said\nFrom y\n\n", b"From b\n\nc"]);
    }
}
