//! Finds where the values of a JSON array, or of values written one after another, begin and end.
//!
//! In: bytes, as they are read. Out: the range of each value. Only brackets and strings are followed;
//! what is inside a value is checked when it is parsed. Nothing is kept of the bytes, so that a file of
//! any size needs the memory of one value.

use std::ops::Range;

use memchr::memchr2;

/// What follows in the bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// All bytes were examined; more are needed.
    More,
    /// A complete value.
    Element(Range<usize>),
    /// Something that cannot follow. Nothing after it can be read.
    Broken {
        /// What is wrong.
        reason: &'static str,
    },
}

/// Follows brackets and strings through a stream of values.
#[derive(Clone, Debug)]
pub(crate) struct ElementScanner {
    state: State,
    /// Whether the values are those of an array.
    is_array: bool,
    /// Position of the first byte that was not examined.
    at: usize,
    /// Position of the first byte of the current value.
    start: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before the first byte that is not blank.
    Begin,
    /// Before a value; `is_first` if the array may also end here.
    Before { is_first: bool },
    /// Inside brackets, or inside a string if `depth` is 0.
    Inside { depth: u64, is_string: bool, is_escaped: bool },
    /// Inside a number or another value without brackets and quotes.
    Scalar,
    /// After a value.
    After,
    /// After the end of the array.
    Closed,
}

impl ElementScanner {
    pub(crate) fn new() -> Self {
        Self { state: State::Begin, is_array: false, at: 0, start: 0 }
    }

    /// Whether the values are those of an array.
    pub(crate) fn is_array(&self) -> bool {
        self.is_array
    }

    /// Returns where the current value begins, if one has begun and not ended.
    pub(crate) fn open_value(&self) -> Option<usize> {
        matches!(self.state, State::Inside { .. } | State::Scalar).then_some(self.start)
    }

    /// Whether the bytes may end here: between values, or after the end of the array.
    pub(crate) fn may_end(&self) -> bool {
        match self.state {
            State::Closed => true,
            State::Begin => true,
            State::Before { .. } | State::After => !self.is_array,
            State::Inside { .. } | State::Scalar => false,
        }
    }

    /// Adapts to a buffer from which the first `n` bytes were removed. The current value may be among
    /// them.
    pub(crate) fn rebase(&mut self, n: usize) {
        self.at -= n;
        self.start = self.start.saturating_sub(n);
    }

    /// Examines `bytes` up to the end of the next value.
    pub(crate) fn next(&mut self, bytes: &[u8]) -> Step {
        loop {
            if let State::Inside { .. } = self.state {
                if self.skip_inside(bytes) {
                    self.state = State::After;
                    return Step::Element(self.start..self.at);
                }
                return Step::More;
            }
            let Some(&byte) = bytes.get(self.at) else { return Step::More };
            let is_blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
            if self.state == State::Scalar {
                if is_blank || matches!(byte, b',' | b']' | b'}' | b'[' | b'{' | b'"' | b':') {
                    self.state = State::After;
                    return Step::Element(self.start..self.at);
                }
                self.at += 1;
                continue;
            }
            if is_blank {
                self.at += 1;
                continue;
            }
            if let Err(reason) = self.step(byte) {
                return Step::Broken { reason };
            }
        }
    }

    /// Handles a byte between values.
    fn step(&mut self, byte: u8) -> Result<(), &'static str> {
        let is_array = self.is_array;
        match (self.state, byte) {
            (State::Begin, b'[') => {
                self.is_array = true;
                self.state = State::Before { is_first: true };
            }
            (State::Before { is_first: true }, b']') | (State::After, b']') if is_array => {
                self.state = State::Closed;
            }
            (State::After, b',') if is_array => self.state = State::Before { is_first: false },
            (State::After, _) if is_array => return Err("expected ',' or ']'"),
            (State::Closed, _) => return Err("unexpected data after the end of the array"),
            (_, b',' | b':' | b']' | b'}') => return Err("expected a value"),
            _ => {
                self.start = self.at;
                self.state = match byte {
                    b'{' | b'[' => State::Inside { depth: 1, is_string: false, is_escaped: false },
                    b'"' => State::Inside { depth: 0, is_string: true, is_escaped: false },
                    _ => State::Scalar,
                };
            }
        }
        self.at += 1;
        Ok(())
    }

    /// Advances inside a value; returns whether it ended.
    fn skip_inside(&mut self, bytes: &[u8]) -> bool {
        let State::Inside { mut depth, mut is_string, mut is_escaped } = self.state else {
            return false;
        };
        let mut is_ended = false;
        while !is_ended && self.at < bytes.len() {
            if is_escaped {
                is_escaped = false;
                self.at += 1;
            } else if is_string {
                let rest = &bytes[self.at..];
                let Some(n) = memchr2(b'"', b'\\', rest) else {
                    self.at = bytes.len();
                    break;
                };
                self.at += n + 1;
                is_escaped = rest[n] == b'\\';
                is_string = is_escaped;
                is_ended = !is_string && depth == 0;
            } else {
                match bytes[self.at] {
                    b'"' => is_string = true,
                    b'{' | b'[' => depth += 1,
                    b'}' | b']' => {
                        depth -= 1;
                        is_ended = depth == 0;
                    }
                    _ => {}
                }
                self.at += 1;
            }
        }
        self.state = State::Inside { depth, is_string, is_escaped };
        is_ended
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value as Json, json};

    use super::*;

    /// Scans `text` as it arrives in blocks, and returns the values.
    fn scan(text: &str, block: usize) -> (Vec<String>, Option<&'static str>, bool) {
        let (mut scanner, mut buffer, mut found) = (ElementScanner::new(), Vec::new(), Vec::new());
        for part in text.as_bytes().chunks(block.max(1)) {
            buffer.extend_from_slice(part);
            loop {
                match scanner.next(&buffer) {
                    Step::More => break,
                    Step::Element(range) => {
                        found.push(String::from_utf8(buffer[range.clone()].to_vec()).unwrap());
                        buffer.drain(..range.end);
                        scanner.rebase(range.end);
                    }
                    Step::Broken { reason } => return (found, Some(reason), false),
                }
            }
        }
        (found, None, scanner.may_end())
    }

    #[test]
    fn values_of_arrays_and_concatenated_values_are_found() {
        let (found, broken, may_end) = scan(" [ {\"a\":[1,\"]\"]} , 5,\"x\\\"]\" ,[] ] ", 1);
        assert_eq!(found, ["{\"a\":[1,\"]\"]}", "5", "\"x\\\"]\"", "[]"]);
        assert_eq!((broken, may_end), (None, true));
        let (found, broken, may_end) = scan("{\"a\":1}{\"b\":2}\n\n{\n}", 2);
        assert_eq!(found, ["{\"a\":1}", "{\"b\":2}", "{\n}"]);
        assert_eq!((broken, may_end), (None, true));
        assert_eq!(scan("[]", 1), (vec![], None, true));
        assert!(!scan("[{},", 1).2);
        assert!(!scan("[{}", 1).2);
        assert!(!scan("{\"", 1).2);
    }

    #[test]
    fn what_cannot_follow_is_reported() {
        assert_eq!(scan("[{} {}]", 3).1, Some("expected ',' or ']'"));
        assert_eq!(scan("[{},,{}]", 3).1, Some("expected a value"));
        assert_eq!(scan("{},{}", 3).1, Some("expected a value"));
        assert_eq!(scan("[] []", 3).1, Some("unexpected data after the end of the array"));
    }

    fn value() -> impl Strategy<Value = Json> {
        let leaf = prop_oneof![any::<i32>().prop_map(Json::from), ".{0,6}".prop_map(Json::from)];
        leaf.prop_recursive(3, 12, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::from),
                (inner.clone(), inner).prop_map(|(a, b)| json!({"a\"[": a, "b": b})),
            ]
        })
    }

    proptest! {
        /// The naive twin is serde_json, which has the whole text in memory.
        #[test]
        fn finds_the_values_that_serde_json_finds(
            values in prop::collection::vec(value(), 0..6),
            is_array in any::<bool>(),
            is_pretty in any::<bool>(),
            block in 1usize..20,
        ) {
            let text = |value: &Json| match is_pretty {
                true => serde_json::to_string_pretty(value).unwrap(),
                false => value.to_string(),
            };
            let values: Vec<Json> = match is_array {
                true => values,
                // Values without brackets need a separator, and a first array would be the file.
                false => values.into_iter().map(|value| json!({"v": value})).collect(),
            };
            let written = match is_array {
                true => text(&Json::from(values.clone())),
                false => values.iter().map(text).collect::<String>(),
            };
            let (found, broken, may_end) = scan(&written, block);
            let found: Vec<Json> = found.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
            prop_assert_eq!((found, broken, may_end), (values, None, true));
        }

        #[test]
        fn no_bytes_panic(text in "[\\[\\]{}\",:0-9a-z\\\\ \n]{0,40}", block in 1usize..9) {
            scan(&text, block);
        }
    }
}
