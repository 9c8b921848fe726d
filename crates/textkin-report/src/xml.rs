//! Text inside XML, for the graph formats.

/// Appends `text` escaped for an element or a quoted attribute, so that it reads back unchanged.
/// Characters that XML 1.0 does not allow become U+FFFD.
pub(crate) fn push_text(text: &str, out: &mut Vec<u8>) {
    for character in text.chars() {
        let escaped = match character {
            '&' => "&amp;",
            '<' => "&lt;",
            '>' => "&gt;",
            '"' => "&quot;",
            '\'' => "&apos;",
            // Unescaped, a parser turns these into spaces or line feeds.
            '\t' => "&#9;",
            '\n' => "&#10;",
            '\r' => "&#13;",
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => "\u{fffd}",
            _ => {
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
        };
        out.extend_from_slice(escaped.as_bytes());
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use quick_xml::events::Event;

    /// All attribute values and texts of a document, in order; panics if it is not well-formed.
    pub(crate) fn texts(xml: &[u8]) -> Vec<String> {
        let xml = std::str::from_utf8(xml).unwrap();
        let mut reader = quick_xml::Reader::from_str(xml);
        reader.config_mut().check_end_names = true;
        let (mut texts, mut text, mut depth) = (Vec::new(), String::new(), 0);
        loop {
            let event = reader.read_event().unwrap();
            match &event {
                Event::Start(tag) | Event::Empty(tag) => {
                    depth += i32::from(matches!(event, Event::Start(_)));
                    text.clear();
                    for attribute in tag.attributes() {
                        let value = attribute.unwrap().value;
                        texts.push(quick_xml::escape::unescape(&value).unwrap().into_owned());
                    }
                }
                Event::Text(part) => text.push_str(part),
                Event::GeneralRef(name) => {
                    let reference = format!("&{};", &**name);
                    text.push_str(&quick_xml::escape::unescape(&reference).unwrap());
                }
                Event::End(_) => {
                    depth -= 1;
                    texts.push(std::mem::take(&mut text));
                }
                Event::Eof => break,
                _ => {}
            }
        }
        assert_eq!(depth, 0);
        texts
    }

    /// The text that a reader of the file gets for `id`.
    pub(crate) fn legal(id: &str) -> String {
        let legal = |c: char| c >= ' ' || "\t\r\n".contains(c);
        id.chars()
            .map(|c| if legal(c) && c != '\u{fffe}' && c != '\u{ffff}' { c } else { '\u{fffd}' })
            .collect()
    }

    proptest! {
        #[test]
        fn escaped_text_reads_back(text in any::<String>(), nasty in "[&<>'\"\t\r\n\0\u{1b}\u{ffff}]{0,9}") {
            let text = text + &nasty;
            let mut xml = b"<x y=\"".to_vec();
            push_text(&text, &mut xml);
            xml.extend_from_slice(b"\">");
            push_text(&text, &mut xml);
            xml.extend_from_slice(b"</x>");
            prop_assert_eq!(texts(&xml), [legal(&text), legal(&text)]);
        }
    }
}
