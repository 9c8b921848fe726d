//! Standard input as an endless stream: JSON lines are answered as they come.

use std::io::{self, BufRead, BufReader, Cursor, Read as _};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use textkin::source::{InputFormat, Inputs, SourceSettings};

use super::STREAM;
use super::answers::Answers;

/// How often a stream that gives nothing is left, to see whether a state is due or the run is over.
const GLANCE: Duration = Duration::from_millis(100);

/// Reads standard input: JSON lines one by one, anything else as of any command.
pub(super) fn read(answers: &mut Answers, settings: &SourceSettings) -> anyhow::Result<()> {
    let mut stream = BufReader::new(io::stdin());
    let is_lines = settings.input_format.is_none() && stream.fill_buf()?.first() == Some(&b'{');
    if !is_lines {
        answers.read_all(Inputs::from_reader(STREAM, stream, settings)?);
        return Ok(());
    }
    let settings = SourceSettings { input_format: Some(InputFormat::Jsonl), ..settings.clone() };
    // Read elsewhere: a read that waits for the next line cannot be interrupted. One line at a time.
    let (sender, lines) = sync_channel(0);
    let most = settings.max_document_bytes;
    std::thread::spawn(move || {
        loop {
            let line = next_line(&mut stream, most);
            let is_end = line.as_ref().map_or(true, Vec::is_empty);
            if sender.send(line).is_err() || is_end {
                break;
            }
        }
    });
    while answers.goes_on() {
        let line = match lines.recv_timeout(GLANCE) {
            Ok(line) => line?,
            Err(RecvTimeoutError::Timeout) => {
                answers.write_state_if_due();
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        };
        if line.is_empty() {
            break;
        }
        answers.line = Some(answers.line.unwrap_or(0) + 1);
        answers.read_all(Inputs::from_reader(STREAM, Cursor::new(line), &settings)?);
    }
    Ok(())
}

/// The next line; of one that is longer than a record may be, as much as tells that, and the rest is
/// passed over.
fn next_line(stream: &mut impl BufRead, most: u64) -> io::Result<Vec<u8>> {
    let mut line = Vec::new();
    let limit = most.saturating_add(1);
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
    fn a_line_that_is_too_long_is_cut_and_the_next_is_whole() {
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
