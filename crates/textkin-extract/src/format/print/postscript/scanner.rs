//! Scanner for PostScript programs.

use super::value::File;

/// A token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum PostScriptToken {
    Int(i64),
    Real(f64),
    /// An executable name.
    Name(Vec<u8>),
    /// A literal name with one slash, or an immediate one with two (`true`).
    Literal(Vec<u8>, bool),
    Text(Vec<u8>),
    Open,
    Close,
}

/// Reads the next token of `file`; `None` at its end.
pub(super) fn word(file: &File) -> Option<PostScriptToken> {
    loop {
        let byte = file.next()?;
        return Some(match byte {
            _ if is_space(byte) => continue,
            b'%' => {
                let rest = file.rest();
                let line = memchr::memchr2(b'\n', b'\r', rest);
                file.skip(line.unwrap_or(rest.len()));
                continue;
            }
            b'(' => PostScriptToken::Text(literal(file)),
            b'<' => match file.rest().first() {
                Some(b'<') => {
                    file.skip(1);
                    PostScriptToken::Name(b"<<".to_vec())
                }
                Some(b'~') => {
                    file.skip(1);
                    let rest = file.rest();
                    let end = memchr::memmem::find(rest, b"~>");
                    let text = crate::format::print::typesetting::ascii85::ascii85(
                        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default(),
                    );
                    file.skip(end.map_or(rest.len(), |end| end + 2));
                    PostScriptToken::Text(text)
                }
                _ => PostScriptToken::Text(super::filter::hexadecimal(file, usize::MAX)),
            },
            b'>' => {
                if file.rest().first() == Some(&b'>') {
                    file.skip(1);
                    PostScriptToken::Name(b">>".to_vec())
                } else {
                    continue;
                }
            }
            b')' => continue,
            b'{' => PostScriptToken::Open,
            b'}' => PostScriptToken::Close,
            b'[' => PostScriptToken::Name(b"[".to_vec()),
            b']' => PostScriptToken::Name(b"]".to_vec()),
            b'/' => {
                let is_twice = file.rest().first() == Some(&b'/');
                if is_twice {
                    file.skip(1);
                }
                PostScriptToken::Literal(regular(file), is_twice)
            }
            _ => {
                file.at.set(file.at.get() - 1);
                let name = regular(file);
                // One space after a token belongs to it: binary data follows directly.
                match file.rest() {
                    [b'\r', b'\n', ..] => file.skip(2),
                    [byte, ..] if is_space(*byte) => file.skip(1),
                    _ => {}
                }
                number(&name).unwrap_or(PostScriptToken::Name(name))
            }
        });
    }
}

fn regular(file: &File) -> Vec<u8> {
    let rest = file.rest();
    let end = rest.iter().position(|&byte| is_space(byte) || b"()<>[]{}/%".contains(&byte));
    let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default().to_vec();
    file.skip(name.len());
    name
}

fn literal(file: &File) -> Vec<u8> {
    let mut text = Vec::new();
    let mut depth = 1_usize;
    while let Some(byte) = file.next() {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    break;
                }
            }
            b'\\' => {
                let Some(escaped) = file.next() else { break };
                match escaped {
                    b'n' => text.push(b'\n'),
                    b'r' => text.push(b'\r'),
                    b't' => text.push(b'\t'),
                    b'b' => text.push(8),
                    b'f' => text.push(12),
                    b'\n' => {}
                    b'\r' => {
                        if file.rest().first() == Some(&b'\n') {
                            file.skip(1);
                        }
                    }
                    b'0'..=b'7' => {
                        let mut code = u32::from(escaped - b'0');
                        for _ in 0..2 {
                            let Some(digit @ b'0'..=b'7') = file.rest().first().copied() else {
                                break;
                            };
                            code = code * 8 + u32::from(digit - b'0');
                            file.skip(1);
                        }
                        text.push(code.to_le_bytes()[0]);
                    }
                    other => text.push(other),
                }
                continue;
            }
            _ => {}
        }
        text.push(byte);
    }
    text
}

/// Parses a number: `12`, `-.5`, `1e3`, `16#FF`.
pub(super) fn number(name: &[u8]) -> Option<PostScriptToken> {
    let first = *name.first()?;
    if !(first.is_ascii_digit() || matches!(first, b'+' | b'-' | b'.')) {
        return None;
    }
    let text = std::str::from_utf8(name).ok()?;
    if let Ok(number) = text.parse::<i64>() {
        return Some(PostScriptToken::Int(number));
    }
    if let Some((base, digits)) = text.split_once('#') {
        let base = base.parse::<u32>().ok().filter(|base| (2..=36).contains(base))?;
        return i64::from_str_radix(digits, base).ok().map(PostScriptToken::Int);
    }
    let has_digit = name.iter().any(u8::is_ascii_digit);
    text.parse::<f64>()
        .ok()
        .filter(|number| has_digit && number.is_finite())
        .map(PostScriptToken::Real)
}

pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t' | 12 | 0 | 4)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(program: &[u8]) -> Vec<PostScriptToken> {
        let file = File::new(program);
        std::iter::from_fn(|| word(&file)).collect()
    }

    #[test]
    fn tokens_are_read() {
        let found =
            words(b"/a{12 -.5 16#ff}def % x\n(a\\)(b)\\101)<414>//b [1]<~87cURD]j7BEbo80~>");
        let expected = vec![
            PostScriptToken::Literal(b"a".to_vec(), false),
            PostScriptToken::Open,
            PostScriptToken::Int(12),
            PostScriptToken::Real(-0.5),
            PostScriptToken::Int(255),
            PostScriptToken::Close,
            PostScriptToken::Name(b"def".to_vec()),
            PostScriptToken::Text(b"a)(b)A".to_vec()),
            PostScriptToken::Text(b"A@".to_vec()),
            PostScriptToken::Literal(b"b".to_vec(), true),
            PostScriptToken::Name(b"[".to_vec()),
            PostScriptToken::Int(1),
            PostScriptToken::Name(b"]".to_vec()),
            PostScriptToken::Text(b"Hello world!".to_vec()),
        ];
        assert_eq!(found, expected);
    }

    proptest! {
        #[test]
        fn any_bytes_terminate(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(words(&bytes).len() <= bytes.len());
        }
    }
}
