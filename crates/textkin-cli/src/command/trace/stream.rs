//! Standard input as an endless stream of JSON lines, with a result after each line.

use std::io::{self, BufRead, BufReader, Cursor, Read as _};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use textkin::engine::source::{InputFormat, Inputs, SourceSettings};

use super::STDIN;
use super::session::TraceSession;

/// How often an idle stream is checked for a due checkpoint or the end of the run.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Reads standard input: JSON lines one by one, other formats as in other commands.
pub(super) fn read(session: &mut TraceSession, settings: &SourceSettings) -> anyhow::Result<()> {
    let mut stream = BufReader::new(io::stdin());
    let is_lines = settings.input_format.is_none() && stream.fill_buf()?.first() == Some(&b'{');
    if !is_lines {
        session.read_all(Inputs::from_reader(STDIN, stream, settings)?);
        return Ok(());
    }
    let settings = SourceSettings { input_format: Some(InputFormat::Jsonl), ..settings.clone() };
    // Read in another thread, because a blocking read cannot be interrupted. One line at a time.
    let (sender, lines) = sync_channel(0);
    let max_bytes = settings.max_document_bytes;
    std::thread::spawn(move || {
        loop {
            let line = next_line(&mut stream, max_bytes);
            let is_end = line.as_ref().map_or(true, Vec::is_empty);
            if sender.send(line).is_err() || is_end {
                break;
            }
        }
    });
    while session.continues() {
        let line = match lines.recv_timeout(POLL_INTERVAL) {
            Ok(line) => line?,
            Err(RecvTimeoutError::Timeout) => {
                session.write_state_if_due();
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if line.is_empty() {
            break;
        }
        session.line = Some(session.line.unwrap_or(0) + 1);
        session.read_all(Inputs::from_reader(STDIN, Cursor::new(line), &settings)?);
    }
    Ok(())
}

/// Returns the next line. A line longer than a record may be is cut one byte after that length, and the rest
/// is skipped.
fn next_line(stream: &mut impl BufRead, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let limit = max_bytes.saturating_add(1);
    let read = stream.by_ref().take(limit).read_until(b'\n', &mut line)?;
    if read as u64 == limit && !line.ends_with(b"\n") {
        stream.skip_until(b'\n')?;
    }
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_line_is_cut_and_next_line_is_complete() {
        let mut stream: &[u8] = b"{1}\n{123456789}\n{234}\n{2}\nend";
        let mut lines = Vec::new();
        while let Ok(line) = next_line(&mut stream, 5)
            && !line.is_empty()
        {
            lines.push(String::from_utf8(line).unwrap());
        }
        assert_eq!(lines, ["{1}\n", "{12345", "{234}\n", "{2}\n", "end"]);
    }
}
