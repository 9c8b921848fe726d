//! Rewrites JSON arrays and objects one after another: keeps or removes values with what separates them,
//! replaces texts, adds two fields; no other byte changes.

use std::io::{self, Write};

use super::jsonl::RecordWriter;
use super::{EditorSink, FormatOutcome, RewriteError, RewriteOutcome, truncated};
use crate::json_elements::{ElementScanner, Step};
use crate::piece::OpenInput;
use crate::stream::Stream;

/// Decompressed bytes read at once.
const BLOCK: usize = 1 << 20;

pub(super) fn rewrite(
    mut opened: OpenInput,
    capture: &mut EditorSink<'_>,
    out: &mut (dyn Write + Send),
) -> Result<FormatOutcome, RewriteError> {
    let mut buffer = Vec::new();
    let is_readable = opened.stream.read_block(3, &mut buffer).is_ok();
    if !is_readable || matches!(buffer.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Ok(FormatOutcome::NoRecords);
    }
    let mut out = opened.stream.compression().encoder(out)?;
    if buffer == b"\xef\xbb\xbf" {
        out.write_all(&buffer)?;
        buffer.clear();
    }
    let limit = opened.settings.max_document_bytes;
    let mut records = RecordWriter::new(&opened.settings, &opened.name);
    let mut scanner = ElementScanner::new();
    // What comes before the first record, if one was seen.
    let mut opening: Option<Vec<u8>> = None;
    let mut is_written = false;
    // Inside a record that is too long to be a document.
    let mut is_copying = false;
    let failure = loop {
        match scanner.next(&buffer) {
            Step::Element(range) if is_copying => {
                out.write_all(&buffer[..range.end])?;
                records.number += 1;
                is_copying = false;
                buffer.drain(..range.end);
                scanner.rebase(range.end);
            }
            Step::Element(range) => {
                let end = range.end;
                let separator = &buffer[..range.start];
                let opening = opening.get_or_insert_with(|| separator.to_vec());
                let separator = if is_written { separator } else { opening.as_slice() };
                is_written |= records.write(separator, &buffer[range], capture, &mut out)?;
                if capture.is_stopped {
                    return Ok(FormatOutcome::Done(RewriteOutcome::Stopped));
                }
                buffer.drain(..end);
                scanner.rebase(end);
            }
            Step::More => {
                let open = scanner.open_value().unwrap_or(buffer.len());
                if !is_copying && (buffer.len() - open) as u64 > limit {
                    is_copying = true;
                    let separator = if is_written { None } else { opening.take() };
                    out.write_all(separator.as_deref().unwrap_or(&buffer[..open]))?;
                    buffer.drain(..open);
                    scanner.rebase(open);
                    is_written = true;
                }
                if is_copying {
                    out.write_all(&buffer)?;
                    scanner.rebase(buffer.len());
                    buffer.clear();
                }
                match opened.stream.read_block(BLOCK, &mut buffer) {
                    Ok(0) => break None,
                    Ok(_) => {}
                    Err(error) => break Some(opened.stream.explain(&error)),
                }
            }
            // Nothing after this was read in the first pass.
            Step::Broken { .. } => {
                out.write_all(
                    opening.take().filter(|_| !is_written).as_deref().unwrap_or_default(),
                )?;
                break copy_rest(&mut opened.stream, &mut buffer, &mut out)?;
            }
        }
    };
    if let Some(opening) = opening.filter(|_| !is_written) {
        out.write_all(&opening)?;
    }
    // After an error, a value that was cut is dropped; it was not a document in the first pass.
    if failure.is_none() {
        out.write_all(&buffer)?;
    }
    out.finish()?;
    Ok(match failure {
        Some(reason) => truncated(records.number - 1, "record", &reason),
        None => FormatOutcome::Done(RewriteOutcome::Written),
    })
}

/// Copies `block` and the rest of the stream; returns why the stream cannot be read to its end.
fn copy_rest(
    stream: &mut Stream,
    block: &mut Vec<u8>,
    out: &mut dyn Write,
) -> io::Result<Option<String>> {
    loop {
        out.write_all(block)?;
        block.clear();
        match stream.read_block(BLOCK, block) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) => return Ok(Some(stream.explain(&error))),
        }
    }
}
