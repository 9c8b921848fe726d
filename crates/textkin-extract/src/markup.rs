//! Tokenizer for HTML, XML and SGML, valid or not.
//!
//! In: markup. Out: [`MarkupToken`]s in order. It builds no tree, so deep nesting cannot exhaust
//! memory; it never expands entities of a document type; it examines every byte once.

use std::borrow::Cow;

/// Maximum length of an entity name.
const MAX_ENTITY_BYTES: usize = 32;

/// A token of markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkupToken<'a> {
    /// Text between tags; entities are not replaced yet.
    Text(&'a str),
    /// Text without entities.
    Verbatim(&'a str),
    /// A start tag.
    Open(Tag<'a>),
    /// An end tag, by name.
    Close(&'a str),
}

/// A start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    /// The name with its prefix, as written.
    pub(crate) name: &'a str,
    attributes: &'a str,
    /// Whether it ends in `/>`.
    pub(crate) is_empty: bool,
}

/// The language of the markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Html,
    Xml,
}

/// Splits markup into tokens.
#[derive(Debug)]
pub(crate) struct Markup<'a> {
    rest: &'a str,
    dialect: Dialect,
    /// The element whose raw content follows.
    raw: Option<&'a str>,
    /// Whether a declaration with unclosed brackets was found; brackets then no longer count.
    has_stray_brackets: bool,
}

impl<'a> Markup<'a> {
    /// Reads HTML; some elements have raw content.
    pub(crate) fn html(text: &'a str) -> Self {
        Self { rest: text, dialect: Dialect::Html, raw: None, has_stray_brackets: false }
    }

    /// Reads XML or SGML.
    pub(crate) fn xml(text: &'a str) -> Self {
        Self { rest: text, dialect: Dialect::Xml, raw: None, has_stray_brackets: false }
    }

    /// Takes the first `n_bytes` of the rest.
    fn take(&mut self, n_bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(n_bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Advances past `mark`, or to the end; returns the text before it.
    fn take_until(&mut self, mark: &str) -> &'a str {
        let at = memchr::memmem::find(self.rest.as_bytes(), mark.as_bytes());
        let taken = self.take(at.unwrap_or(self.rest.len()));
        self.take(mark.len());
        taken
    }

    /// Returns the raw content of an element.
    fn raw_text(&mut self, name: &str) -> MarkupToken<'a> {
        let end = memchr::memchr_iter(b'<', self.rest.as_bytes()).find(|&at| {
            let after = self.rest.get(at + 1..).and_then(|rest| rest.strip_prefix('/'));
            let close = after.and_then(|rest| rest.get(..name.len()));
            close.is_some_and(|close| close.eq_ignore_ascii_case(name))
        });
        let text = self.take(end.unwrap_or(self.rest.len()));
        let has_entities =
            ["title", "textarea"].iter().any(|known| name.eq_ignore_ascii_case(known));
        if has_entities { MarkupToken::Text(text) } else { MarkupToken::Verbatim(text) }
    }

    /// Skips `<!DOCTYPE …>` with its declarations, and other declarations.
    fn skip_declaration(&mut self) {
        let mut n_brackets = 0usize;
        let mut end = None;
        if !self.has_stray_brackets {
            end = self.rest.bytes().position(|byte| {
                match byte {
                    b'[' => n_brackets += 1,
                    b']' => n_brackets = n_brackets.saturating_sub(1),
                    _ => {}
                }
                byte == b'>' && n_brackets == 0
            });
            self.has_stray_brackets = end.is_none();
        }
        let end = end.or_else(|| memchr::memchr(b'>', self.rest.as_bytes()));
        self.take(end.map_or(self.rest.len(), |end| end + 1));
    }

    /// Reads the start tag that begins here.
    fn open(&mut self) -> MarkupToken<'a> {
        let end = tag_end(self.rest);
        let inside = self.take(end);
        self.take(1);
        let is_empty = inside.ends_with('/');
        let inside = inside.strip_suffix('/').unwrap_or(inside);
        let at = inside.find(|c: char| c.is_ascii_whitespace() || c == '/');
        let (name, attributes) = inside.split_at(at.unwrap_or(inside.len()));
        if self.dialect == Dialect::Html && is_raw(name) && !is_empty {
            self.raw = Some(name);
        }
        MarkupToken::Open(Tag { name, attributes, is_empty })
    }
}

impl<'a> Iterator for Markup<'a> {
    type Item = MarkupToken<'a>;

    fn next(&mut self) -> Option<MarkupToken<'a>> {
        if let Some(name) = self.raw.take() {
            return Some(self.raw_text(name));
        }
        loop {
            if self.rest.is_empty() {
                return None;
            }
            let Some(tag) = self.rest.strip_prefix('<') else {
                let end = memchr::memchr(b'<', self.rest.as_bytes());
                return Some(MarkupToken::Text(self.take(end.unwrap_or(self.rest.len()))));
            };
            match tag.as_bytes().first() {
                Some(b'a'..=b'z' | b'A'..=b'Z' | b'_' | 0x80..) => {
                    self.take(1);
                    return Some(self.open());
                }
                Some(b'/') => {
                    self.take(2);
                    let name = self.take_until(">");
                    let end = name.find(|c: char| c.is_ascii_whitespace());
                    return Some(MarkupToken::Close(
                        name.get(..end.unwrap_or(name.len())).unwrap_or(name),
                    ));
                }
                Some(b'!') if tag.starts_with("!--") => {
                    self.take(4);
                    self.take_until("-->");
                }
                Some(b'!') if tag.starts_with("![CDATA[") => {
                    self.take(9);
                    return Some(MarkupToken::Verbatim(self.take_until("]]>")));
                }
                Some(b'!') => self.skip_declaration(),
                Some(b'?') => {
                    self.take_until(if self.dialect == Dialect::Xml { "?>" } else { ">" });
                }
                _ => return Some(MarkupToken::Text(self.take(1))),
            }
        }
    }
}

/// HTML elements with raw content.
fn is_raw(name: &str) -> bool {
    let raw = ["script", "style", "title", "textarea", "xmp", "iframe", "noembed", "noframes"];
    raw.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Finds the end of a start tag: the first `>` outside quoted values.
fn tag_end(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    let mut after_equals = false;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return at,
            b'"' | b'\'' if after_equals => {
                let rest = bytes.get(at + 1..).unwrap_or_default();
                let Some(end) = memchr::memchr(byte, rest) else {
                    // An unclosed quote would hide the rest of the document.
                    let end = memchr::memchr(b'>', rest);
                    return end.map_or(bytes.len(), |end| at + 1 + end);
                };
                at += end + 1;
                after_equals = false;
            }
            b'=' => after_equals = true,
            byte if byte.is_ascii_whitespace() => {}
            _ => after_equals = false,
        }
        at += 1;
    }
    bytes.len()
}

impl<'a> Tag<'a> {
    /// Returns the name without prefix.
    pub(crate) fn local(&self) -> &'a str {
        local(self.name)
    }

    /// Returns the value of the attribute with this local name, ignoring case; empty if it has no value.
    pub(crate) fn attribute(&self, name: &str) -> Option<Cow<'a, str>> {
        self.attributes()
            .find(|(key, _)| local(key).eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    /// Returns all attributes, with names as written.
    pub(crate) fn attributes(&self) -> impl Iterator<Item = (&'a str, Cow<'a, str>)> + use<'a> {
        let mut rest = self.attributes;
        std::iter::from_fn(move || {
            rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '/');
            if rest.is_empty() {
                return None;
            }
            let end = rest
                .char_indices()
                .skip(1)
                .find(|&(_, c)| c.is_ascii_whitespace() || matches!(c, '=' | '/'));
            let (name, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
            rest = after.trim_start();
            let Some(value) = rest.strip_prefix('=') else {
                return Some((name, Cow::Borrowed("")));
            };
            let value = value.trim_start();
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (value, after) = match quote {
                Some(quote) => {
                    let inner = value.get(1..).unwrap_or_default();
                    inner.split_once(quote).unwrap_or((inner, ""))
                }
                None => {
                    let end = value.find(|c: char| c.is_ascii_whitespace());
                    value.split_at(end.unwrap_or(value.len()))
                }
            };
            rest = after;
            Some((name, unescape(value)))
        })
    }
}

/// The element whose content a reader skips, if any.
#[derive(Debug, Default)]
pub(crate) struct SkippedElement<'a> {
    name: &'a str,
    /// Number of open elements of this name.
    depth: usize,
}

impl<'a> SkippedElement<'a> {
    /// Skips all tokens up to the end tag of `tag`, which is not empty.
    pub(crate) fn begin(&mut self, tag: &Tag<'a>) {
        *self = Self { name: tag.local(), depth: 1 };
    }

    /// Whether `token`, the next one, belongs to the skipped element. Its end tag does.
    pub(crate) fn contains(&mut self, token: &MarkupToken<'a>) -> bool {
        if self.depth == 0 {
            return false;
        }
        match token {
            MarkupToken::Open(tag) if tag.local() == self.name && !tag.is_empty => self.depth += 1,
            MarkupToken::Close(name) if local(name) == self.name => self.depth -= 1,
            _ => {}
        }
        true
    }
}

/// Removes the prefix of a name.
pub(crate) fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}

/// Replaces numeric entities and the named entities of HTML; keeps others unchanged.
pub(crate) fn unescape(text: &str) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'&', text.as_bytes()) else { return Cow::Borrowed(text) };
    let (before, mut rest) = text.split_at(first);
    let mut plain = String::with_capacity(text.len());
    plain.push_str(before);
    while let Some(after) = rest.strip_prefix('&') {
        let n_bytes = entity(after, &mut plain);
        if n_bytes == 0 {
            plain.push('&');
        }
        let after = after.get(n_bytes..).unwrap_or_default();
        let next = memchr::memchr(b'&', after.as_bytes()).unwrap_or(after.len());
        let (words, more) = after.split_at(next);
        plain.push_str(words);
        rest = more;
    }
    Cow::Owned(plain)
}

/// Appends the character of the entity at the start of `text` (after `&`); returns its length.
fn entity(text: &str, plain: &mut String) -> usize {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '#' | '.');
    let n_name =
        text.bytes().take(MAX_ENTITY_BYTES).take_while(|&b| is_name(char::from(b))).count();
    let name = text.get(..n_name).unwrap_or_default();
    let is_closed = text.as_bytes().get(n_name) == Some(&b';');
    if let Some(number) = name.strip_prefix('#') {
        let hexadecimal = number.strip_prefix(['x', 'X']);
        let value = match hexadecimal {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => number.parse(),
        };
        let Ok(value) = value else { return 0 };
        plain.push(character(value));
    } else {
        // A name without semicolon counts only where it cannot be part of a URL.
        let is_address = !is_closed && (n_name > 8 || text.as_bytes().get(n_name) == Some(&b'='));
        let found = quick_xml::escape::resolve_html5_entity(name);
        let Some(value) = found.filter(|_| !is_address) else { return 0 };
        plain.push_str(value);
    }
    n_name + usize::from(is_closed)
}

/// Returns the character of a number as browsers do: 128 to 159 are windows-1252.
fn character(value: u32) -> char {
    match u8::try_from(value) {
        Ok(byte @ 0x80..=0x9f) => {
            encoding_rs::WINDOWS_1252.decode_without_bom_handling(&[byte]).0.chars().next()
        }
        _ => char::from_u32(value).filter(|&c| c != '\0'),
    }
    .unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_skipped_element_ends_at_its_own_end_tag() {
        let source = "<a>1<x:b>2<b/><b>3</b><c>4</c></x:b>5</a>";
        let mut skipped = SkippedElement::default();
        let mut kept = String::new();
        for token in Markup::xml(source) {
            if skipped.contains(&token) {
                continue;
            }
            match token {
                MarkupToken::Open(tag) if tag.local() == "b" => skipped.begin(&tag),
                MarkupToken::Text(text) => kept.push_str(text),
                _ => {}
            }
        }
        assert_eq!(kept, "15");
    }

    #[test]
    fn entities_are_replaced_and_unknown_ones_kept() {
        assert_eq!(unescape("a &amp; b&eacute;&#233;&#xE9;&#150;"), "a & bééé–");
        assert_eq!(unescape("&unknown; & &#xfffffff; &copy 2024"), "&unknown; & \u{fffd} © 2024");
        assert_eq!(unescape("?a=1&copy=2"), "?a=1&copy=2");
    }

    #[test]
    fn tags_are_found_with_their_attributes() {
        let mut markup = Markup::html("<a href=\"x>y\" hidden data='1'>t</a ><br/>");
        let Some(MarkupToken::Open(tag)) = markup.next() else { panic!("a tag") };
        assert_eq!(tag.attribute("href").as_deref(), Some("x>y"));
        assert_eq!(tag.attribute("hidden").as_deref(), Some(""));
        assert_eq!(tag.attribute("DATA").as_deref(), Some("1"));
        assert_eq!(markup.next(), Some(MarkupToken::Text("t")));
        assert_eq!(markup.next(), Some(MarkupToken::Close("a")));
        assert!(matches!(
            markup.next(),
            Some(MarkupToken::Open(Tag { name: "br", is_empty: true, .. }))
        ));
    }

    #[test]
    fn scripts_and_comments_are_not_text() {
        let tokens: Vec<MarkupToken<'_>> = Markup::html(
            "a<!-- <b> --><script>if (a<b) {}</SCRIPT>1 < 2<!doctype x [<!ENTITY y 'z'>]>",
        )
        .collect();
        assert!(tokens.contains(&MarkupToken::Verbatim("if (a<b) {}")));
        assert_eq!(tokens.iter().filter(|token| matches!(token, MarkupToken::Text(_))).count(), 4);
    }

    proptest! {
        #[test]
        fn every_input_terminates(text in "[<>/!?a\"'= &;#x\\[\\]-]{0,60}") {
            for token in Markup::html(&text).chain(Markup::xml(&text)) {
                if let MarkupToken::Open(tag) = token {
                    prop_assert!(tag.attributes().count() <= text.len());
                }
            }
            unescape(&text);
        }
    }
}
