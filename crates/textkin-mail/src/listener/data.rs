//! Reads the message inside `DATA`: finds its end, removes dot stuffing, detects forbidden bytes.
//!
//! In: bytes as they arrive. Out: the message, and whether it is complete. It ends only with CR LF
//! `.` CR LF. Any other line end is a fault: mail systems disagree on whether a message ends there,
//! which attackers use to smuggle in a second message (SMTP smuggling).

/// A fault in the bytes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// CR without LF, or LF without CR: nothing after it can be trusted.
    BareLineEnd,
    /// A zero byte.
    Zero,
    /// A line is too long.
    LongLine,
    /// The message is too large.
    TooLarge,
    /// Not enough memory for now.
    OutOfMemory,
}

/// The result of [`Data::push`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// All bytes were consumed; the message continues.
    More,
    /// The message ended after this many bytes.
    Complete(usize),
}

/// Position of the last byte within its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the first byte of a line.
    Start,
    /// After a dot at the start of a line.
    Dot,
    /// After a dot at the start of a line, and CR.
    DotCr,
    /// Within a line.
    Text,
    /// After CR.
    Cr,
}

/// A message that is being received.
#[derive(Debug)]
pub(crate) struct Data {
    message: Vec<u8>,
    state: State,
    line_bytes: usize,
    max_line_bytes: usize,
    max_bytes: usize,
    fault: Option<Fault>,
}

impl Data {
    pub(crate) fn new(max_bytes: usize, max_line_bytes: usize) -> Self {
        Self {
            message: Vec::new(),
            state: State::Start,
            line_bytes: 0,
            max_line_bytes,
            max_bytes,
            fault: None,
        }
    }

    /// Consumes bytes, up to the end of the message.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> Progress {
        for (at, &byte) in bytes.iter().enumerate() {
            self.state = match (self.state, byte) {
                (State::DotCr, b'\n') => return Progress::Complete(at + 1),
                (State::Start, b'.') => State::Dot,
                (State::Dot, b'\r') => State::DotCr,
                (State::Cr, b'\n') => {
                    self.append(b"\r\n");
                    self.line_bytes = 0;
                    State::Start
                }
                (State::Cr | State::DotCr, _) | (_, b'\n') => {
                    self.set_fault(Fault::BareLineEnd);
                    State::Text
                }
                (_, b'\r') => State::Cr,
                (_, byte) => {
                    self.push_text(byte);
                    State::Text
                }
            };
        }
        Progress::More
    }

    fn push_text(&mut self, byte: u8) {
        self.line_bytes += 1;
        if self.line_bytes > self.max_line_bytes {
            self.set_fault(Fault::LongLine);
        }
        if byte == 0 {
            self.set_fault(Fault::Zero);
        }
        self.append(&[byte]);
    }

    /// Appends to the message, unless there is a fault.
    fn append(&mut self, bytes: &[u8]) {
        if self.fault.is_some() {
            return;
        }
        if self.message.len() + bytes.len() > self.max_bytes {
            return self.set_fault(Fault::TooLarge);
        }
        self.message.extend_from_slice(bytes);
    }

    /// Records the first fault, but always a bare line end; the message is discarded.
    pub(crate) fn set_fault(&mut self, fault: Fault) {
        if self.fault.is_none() || fault == Fault::BareLineEnd {
            self.fault = Some(fault);
        }
        self.message = Vec::new();
    }

    pub(crate) fn fault(&self) -> Option<Fault> {
        self.fault
    }

    /// Memory used by the message, in bytes.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.message.capacity()
    }

    /// The message, without dot stuffing.
    pub(crate) fn into_message(self) -> Vec<u8> {
        self.message
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> (Progress, Result<Vec<u8>, Fault>) {
        let mut data = Data::new(1000, 100);
        let progress = data.push(bytes);
        (progress, data.fault().map_or_else(|| Ok(data.into_message()), Err))
    }

    /// Reference implementation by splitting.
    fn naive(bytes: &[u8]) -> (Progress, Result<Vec<u8>, Fault>) {
        let whole = [b"\r\n", bytes].concat();
        let end = whole.windows(5).position(|five| five == b"\r\n.\r\n");
        let (progress, text) = match end {
            Some(end) => (Progress::Complete(end + 3), &whole[..end + 2]),
            None => (Progress::More, &whole[..]),
        };
        let text = String::from_utf8(text.to_vec()).unwrap();
        let lines: Vec<&str> = text.split("\r\n").skip(1).collect();
        let (last, full) = lines.split_last().unwrap();
        let open = last.strip_suffix('\r').unwrap_or(last);
        let is_bare =
            full.iter().any(|line| line.contains(['\r', '\n'])) || open.contains(['\r', '\n']);
        if is_bare {
            return (progress, Err(Fault::BareLineEnd));
        }
        let bare = |line: &&str| line.strip_prefix('.').unwrap_or(line).to_owned();
        let mut message: Vec<String> = full.iter().map(bare).collect();
        message.push(bare(&open));
        (progress, Ok(message.join("\r\n").into_bytes()))
    }

    #[test]
    fn dot_stuffing_is_removed() {
        assert_eq!(
            read(b"a\r\n..b\r\n.c\r\n...\r\n.\r\nQUIT"),
            (Progress::Complete(20), Ok(b"a\r\n.b\r\nc\r\n..\r\n".to_vec()))
        );
        assert_eq!(read(b".\r\n"), (Progress::Complete(3), Ok(Vec::new())));
    }

    #[test]
    fn only_one_end_is_an_end() {
        for end in [
            "\n.\n",
            "\n.\r\n",
            "\r.\r\n",
            "\r\n.\n",
            "\r\n.\r",
            "\r.\r",
            "\n.\r",
            "\r\n.\r\r\n",
            "\r\n\0.\r\n",
        ] {
            let (progress, found) = read(format!("a{end}b").as_bytes());
            assert_eq!(progress, Progress::More, "{end:?}");
            assert!(found.is_err(), "{end:?}");
        }
    }

    #[test]
    fn limits_hold_and_the_end_is_still_found() {
        let long = format!("{}\r\n.\r\n", "x".repeat(101));
        assert_eq!(read(long.as_bytes()), (Progress::Complete(106), Err(Fault::LongLine)));
        let large = format!("{}.\r\n", "x\r\n".repeat(400));
        assert_eq!(read(large.as_bytes()), (Progress::Complete(1203), Err(Fault::TooLarge)));
        assert_eq!(read(b"a\0\r\n.\r\n"), (Progress::Complete(7), Err(Fault::Zero)));
    }

    proptest! {
        #[test]
        fn it_agrees_with_splitting(text in "([a.\r\n]|\r\n|\r\n\\.|\r\n\\.\r\n){0,30}", cut in 0usize..60) {
            let bytes = text.as_bytes();
            let (progress, found) = read(bytes);
            let (naive_progress, naive_found) = naive(bytes);
            prop_assert_eq!(&found, &naive_found);
            // After a bare line end the connection is closed, wherever the message may end.
            prop_assert!(found.is_err() || progress == naive_progress);
            // However the bytes arrive.
            let cut = cut.min(bytes.len());
            let mut data = Data::new(1000, 100);
            let first = data.push(&bytes[..cut]);
            let in_two_parts = match first {
                Progress::Complete(_) => first,
                Progress::More => match data.push(&bytes[cut..]) {
                    Progress::Complete(at) => Progress::Complete(at + cut),
                    Progress::More => Progress::More,
                },
            };
            prop_assert_eq!(in_two_parts, progress);
            prop_assert_eq!(data.fault().map_or_else(|| Ok(data.into_message()), Err), found);
        }

        #[test]
        fn dot_stuffed_messages_are_restored(lines in proptest::collection::vec("[.a]{0,5}", 0..20)) {
            let message: String = lines.iter().map(|line| format!("{line}\r\n")).collect();
            let stuffed = crate::client::dot_stuffed(message.as_bytes());
            prop_assert_eq!(read(&stuffed), (Progress::Complete(stuffed.len()), Ok(message.into_bytes())));
        }
    }
}
