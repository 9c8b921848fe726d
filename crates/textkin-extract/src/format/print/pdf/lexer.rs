//! Lexer for content streams and CMaps: numbers, names, strings, operators.

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PdfToken<'a> {
    Number(f64),
    Name(Vec<u8>),
    String(Vec<u8>),
    ArrayStart,
    ArrayEnd,
    DictStart,
    DictEnd,
    Operator(&'a [u8]),
}

/// Splits bytes into tokens. There are no errors: invalid bytes are skipped.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'%' => {
                    let rest = self.bytes.get(self.at..).unwrap_or_default();
                    let line = memchr::memchr2(b'\n', b'\r', rest);
                    self.at += line.unwrap_or(rest.len());
                }
                _ if is_space(byte) => self.at += 1,
                _ => return,
            }
        }
    }

    /// Skips the data of an image and its end marker.
    pub(super) fn skip_image(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let end = memchr::memmem::find_iter(rest, b"EI").find(|&offset| {
            let is_edge = |byte: Option<&u8>| byte.is_none_or(|&byte| is_space(byte));
            offset > 0 && is_edge(rest.get(offset - 1)) && is_edge(rest.get(offset + 2))
        });
        self.at += end.map_or(rest.len(), |end| end + 2);
    }

    fn regular(&mut self) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|&byte| is_space(byte) || is_delimiter(byte));
        let word = rest.get(..length.unwrap_or(rest.len())).unwrap_or_default();
        self.at += word.len();
        word
    }

    fn name(&mut self) -> Vec<u8> {
        let word = self.regular();
        if !word.contains(&b'#') {
            return word.to_vec();
        }
        let mut name = Vec::with_capacity(word.len());
        let mut at = 0;
        while let Some(&byte) = word.get(at) {
            let code = word.get(at + 1..at + 3).and_then(hex_byte);
            match (byte, code) {
                (b'#', Some(code)) => {
                    name.push(code);
                    at += 3;
                }
                _ => {
                    name.push(byte);
                    at += 1;
                }
            }
        }
        name
    }

    fn literal(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut depth = 1_usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'(' => depth += 1,
                b')' => {
                    depth -= 1;
                    if depth == 0 {
                        break;
                    }
                }
                b'\\' => {
                    if let Some(byte) = self.escape() {
                        text.push(byte);
                    }
                    continue;
                }
                _ => {}
            }
            text.push(byte);
        }
        text
    }

    /// Reads the character after a backslash; `None` at the end of a line.
    fn escape(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(match byte {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'b' => 8,
            b'f' => 12,
            b'\n' => return None,
            b'\r' => {
                if self.peek() == Some(b'\n') {
                    self.at += 1;
                }
                return None;
            }
            b'0'..=b'7' => {
                let mut code = u32::from(byte - b'0');
                for _ in 0..2 {
                    let Some(digit @ b'0'..=b'7') = self.peek() else { break };
                    code = code * 8 + u32::from(digit - b'0');
                    self.at += 1;
                }
                code.to_le_bytes()[0]
            }
            other => other,
        })
    }

    fn hexadecimal(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        let mut high = None;
        while let Some(byte) = self.peek() {
            self.at += 1;
            if byte == b'>' {
                break;
            }
            let Some(digit) = hex_digit(byte) else { continue };
            high = match high {
                None => Some(digit),
                Some(high) => {
                    text.push(high * 16 + digit);
                    None
                }
            };
        }
        text.extend(high.map(|high| high * 16));
        text
    }
}

impl<'a> Iterator for Lexer<'a> {
    type Item = PdfToken<'a>;

    fn next(&mut self) -> Option<PdfToken<'a>> {
        loop {
            self.skip_space();
            let byte = self.peek()?;
            let next = self.bytes.get(self.at + 1).copied();
            if !is_delimiter(byte) {
                let word = self.regular();
                return Some(number(word).map_or(PdfToken::Operator(word), PdfToken::Number));
            }
            self.at += 1;
            return Some(match (byte, next) {
                (b'/', _) => PdfToken::Name(self.name()),
                (b'(', _) => PdfToken::String(self.literal()),
                (b'<', Some(b'<')) => {
                    self.at += 1;
                    PdfToken::DictStart
                }
                (b'>', Some(b'>')) => {
                    self.at += 1;
                    PdfToken::DictEnd
                }
                (b'<', _) => PdfToken::String(self.hexadecimal()),
                (b'[', _) => PdfToken::ArrayStart,
                (b']', _) => PdfToken::ArrayEnd,
                _ => continue,
            });
        }
    }
}

/// Parses a number in any syntax that other programs accept.
fn number(word: &[u8]) -> Option<f64> {
    let first = *word.first()?;
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return None;
    }
    let text = std::str::from_utf8(word).ok()?;
    if let Ok(number) = text.parse::<f64>() {
        return Some(number);
    }
    // Such as `--5` and `12.-3`, which occur in real files.
    let is_number = word.iter().all(|byte| byte.is_ascii_digit() || b"+-.".contains(byte));
    if !is_number {
        return None;
    }
    let start = text.trim_start_matches(['-', '+']);
    let end = start.find(['-', '+']).unwrap_or(start.len());
    let size = start.get(..end)?.parse::<f64>().unwrap_or(0.0);
    Some(if first == b'-' { -size } else { size })
}

fn hex_digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let [high, low] = digits else { return None };
    Some(hex_digit(*high)? * 16 + hex_digit(*low)?)
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | 12 | 0)
}

fn is_delimiter(byte: u8) -> bool {
    b"()<>[]{}/%".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tokens_are_read() {
        let tokens: Vec<PdfToken<'_>> =
            Lexer::new(b"/F#31 12 Tf[(a\\)(b)\\101)-.5<4a4>]TJ % x\n<</A 1>>BDC").collect();
        let expected = [
            PdfToken::Name(b"F1".to_vec()),
            PdfToken::Number(12.0),
            PdfToken::Operator(b"Tf"),
            PdfToken::ArrayStart,
            PdfToken::String(b"a)(b)A".to_vec()),
            PdfToken::Number(-0.5),
            PdfToken::String(b"J@".to_vec()),
            PdfToken::ArrayEnd,
            PdfToken::Operator(b"TJ"),
            PdfToken::DictStart,
            PdfToken::Name(b"A".to_vec()),
            PdfToken::Number(1.0),
            PdfToken::DictEnd,
            PdfToken::Operator(b"BDC"),
        ];
        assert_eq!(tokens, expected);
    }

    #[test]
    fn malformed_numbers_are_parsed() {
        assert_eq!(number(b"--5"), Some(-5.0));
        assert_eq!(number(b"12.-3"), Some(12.0));
        assert_eq!(number(b"-"), Some(-0.0));
        assert_eq!(number(b"T*"), None);
    }

    #[test]
    fn images_are_skipped() {
        let mut lexer = Lexer::new(b"ID \xff(EIEI) EI Q");
        assert_eq!(lexer.next(), Some(PdfToken::Operator(b"ID")));
        lexer.skip_image();
        assert_eq!(lexer.next(), Some(PdfToken::Operator(b"Q")));
    }

    proptest! {
        #[test]
        fn any_bytes_terminate(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(Lexer::new(&bytes).count() <= bytes.len());
        }
    }
}
