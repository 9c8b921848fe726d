//! Style sheets inside a web page, as far as they affect the visibility of text.
//!
//! In: the source of a page. Out: the [`Style`] that its `<style>` elements give a tag. Only simple
//! selectors are used (`p`, `.note`, `#top`, `p.note`): selectors that depend on other elements,
//! states or media are uncertain. External style sheets are not read.

use std::collections::HashMap;

use super::style::Style;
use crate::markup::Tag;

/// Maximum number of rules.
const MAX_RULES: usize = 100_000;

/// The rules of a page by selector.
#[derive(Debug, Default)]
pub(crate) struct StyleSheet {
    rules: HashMap<String, Style>,
    /// Whether the page has external style sheets, so that some colors are unknown.
    is_partial: bool,
}

impl StyleSheet {
    /// Reads the style sheets inside `source`.
    pub(crate) fn of(source: &str) -> Self {
        let mut sheet = Self::default();
        let mut rest = source;
        while let Some((before, tag, after)) = next_tag(rest) {
            rest = after;
            if tag == "link" {
                let link = after.split('>').next().unwrap_or_default();
                sheet.is_partial |= find_ignoring_case(link, "stylesheet").is_some();
                continue;
            }
            let Some((attributes, body)) = after.split_once('>') else { break };
            let end = find_ignoring_case(body, "</style").unwrap_or(body.len());
            let (rules, after) = body.split_at(end);
            rest = after;
            let is_other_medium = find_ignoring_case(attributes, "media").is_some()
                && ["screen", "all"]
                    .iter()
                    .all(|all| find_ignoring_case(attributes, all).is_none());
            let is_without_scripts = before.trim_end().to_ascii_lowercase().ends_with("<noscript>");
            if !is_other_medium && !is_without_scripts {
                sheet.read(rules);
            }
        }
        sheet
    }

    /// Whether there are no rules.
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the style of `tag`; the most specific rule wins.
    pub(crate) fn style(&self, tag: &Tag<'_>) -> Style {
        let name = tag.name.to_ascii_lowercase();
        // A script reverses what hides the whole page.
        if self.is_empty() || matches!(name.as_str(), "html" | "body" | "main") {
            let colors = self.rules.get(&name).copied().unwrap_or_default();
            return colors.colors();
        }
        let mut style = self.rules.get(&name).copied().unwrap_or_default();
        let mut apply = |selector: &str| {
            if let Some(rule) = self.rules.get(selector) {
                style = style.overridden_by(*rule);
            }
        };
        let class = tag.attribute("class").unwrap_or_default();
        for class in class.split_ascii_whitespace() {
            apply(&format!(".{class}"));
        }
        for class in class.split_ascii_whitespace() {
            apply(&format!("{name}.{class}"));
        }
        if let Some(id) = tag.attribute("id") {
            apply(&format!("#{}", id.trim()));
            apply(&format!("{name}#{}", id.trim()));
        }
        if self.is_partial {
            (style.color, style.background) = (None, None);
        }
        style
    }

    fn read(&mut self, rules: &str) {
        let rules = without_comments(rules);
        let mut rest = rules.as_str();
        while let Some(at) = rest.find(['{', ';']) {
            let (selectors, after) = rest.split_at(at);
            if after.starts_with(';') {
                // A statement such as @import.
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            let (block, after) = block(after);
            rest = after;
            if selectors.trim_start().starts_with('@') {
                continue;
            }
            let mut style = Style::default();
            // Text after a nested block is not read.
            style.declarations(block.split('{').next().unwrap_or_default());
            if style == Style::default() {
                continue;
            }
            for selector in selectors.split(',').filter_map(simple) {
                if self.rules.len() < MAX_RULES {
                    let rule = self.rules.entry(selector).or_default();
                    *rule = rule.overridden_by(style);
                }
            }
        }
    }
}

/// Normalizes the selector, if it is simple.
fn simple(selector: &str) -> Option<String> {
    let selector = selector.trim().trim_start_matches('*');
    let at = selector.find(['.', '#']).unwrap_or(selector.len());
    let (name, rest) = selector.split_at(at);
    let is_name = |text: &str| text.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'));
    let is_simple = !selector.is_empty()
        && is_name(name)
        && (rest.is_empty() || rest.len() > 1 && is_name(rest.get(1..).unwrap_or_default()));
    is_simple.then(|| format!("{}{rest}", name.to_ascii_lowercase()))
}

/// Returns the content of the braces at the start of `text`, and the rest.
fn block(text: &str) -> (&str, &str) {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => continue,
        }
        if depth == 0 {
            let inside = text.get(1..at).unwrap_or_default();
            return (inside, text.get(at + 1..).unwrap_or_default());
        }
    }
    (text.get(1..).unwrap_or_default(), "")
}

fn without_comments(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, comment)) = rest.split_once("/*") {
        clean.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    clean.push_str(rest);
    clean
}

/// Finds the next `<style` or `<link`; returns the text before, the tag, and the rest.
fn next_tag(text: &str) -> Option<(&str, &'static str, &str)> {
    for at in memchr::memchr_iter(b'<', text.as_bytes()) {
        let name = text.as_bytes().get(at + 1..).unwrap_or_default();
        for known in ["style", "link"] {
            let is_match =
                name.get(..known.len()).is_some_and(|n| n.eq_ignore_ascii_case(known.as_bytes()))
                    && name.get(known.len()).is_some_and(|next| {
                        matches!(next, b'>' | b' ' | b'\t' | b'\n' | b'\r' | b'/')
                    });
            if is_match {
                let after = text.get(at + 1 + known.len()..)?;
                return Some((text.get(..at)?, known, after));
            }
        }
    }
    None
}

fn find_ignoring_case(text: &str, wanted: &str) -> Option<usize> {
    let first = *wanted.as_bytes().first()?;
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text.as_bytes()).find(|&at| {
        let found = text.as_bytes().get(at..at + wanted.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(wanted.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn selectors(source: &str) -> Vec<String> {
        let mut found: Vec<String> = StyleSheet::of(source).rules.into_keys().collect();
        found.sort();
        found
    }

    #[test]
    fn simple_rules_are_kept_and_others_are_not() {
        let page = "<style>/* x{} */ @import 'a'; .a, P.b{display:none} .c .d, .e:hover{display:none}\
                    @media print { .f{display:none} } #g{color:#fff} .h{margin:0}</style>\
                    <STYLE media=print>.i{display:none}</STYLE><noscript> <style>.j{display:none}</style>";
        assert_eq!(selectors(page), ["#g", ".a", "p.b"]);
    }

    #[test]
    fn the_last_declaration_wins() {
        let sheet = StyleSheet::of("<style>.a{display:none}.a{display:block}</style>");
        assert_eq!(sheet.rules.get(".a").and_then(Style::hidden), None);
    }

    proptest! {
        #[test]
        fn any_style_sheet_is_accepted(text in "(<style>|</style>|\\{|\\}|/\\*|\\*/|@media|;|:|,|[.#]a|display:none|é|<link rel=stylesheet>){0,40}") {
            StyleSheet::of(&text);
            StyleSheet::of(&format!("<style>{text}"));
        }
    }
}
