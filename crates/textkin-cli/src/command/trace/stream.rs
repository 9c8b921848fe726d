//! Standard input as an endless stream: JSON lines are answered as they come.

use std::io::{self, BufRead, BufReader, Cursor};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::Duration;

use textkin::source::{Format, Inputs, SourceSettings};

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
    let settings = SourceSettings { input_format: Some(Format::Jsonl), ..settings.clone() };
    // Read elsewhere: a read that waits for the next line cannot be interrupted. One line at a time.
    let (sender, lines) = sync_channel(0);
    std::thread::spawn(move || {
        loop {
            let mut line = Vec::new();
            let read = stream.read_until(b'\n', &mut line);
            let is_end = matches!(read, Ok(0) | Err(_));
            if sender.send(read.map(|_| line)).is_err() || is_end {
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
