//! The article of a web page, without navigation and advertisements.
//!
//! This needs a tree, whose cost is not bounded by the size of the page. Therefore only pages of
//! ordinary shape are tried; others give all their text, with a note.

#[cfg(feature = "main-content")]
use crate::markup::{Markup, MarkupToken};

/// Maximum page size.
#[cfg(feature = "main-content")]
const MAX_BYTES: usize = 8 << 20;

/// Maximum number of tags.
#[cfg(feature = "main-content")]
const MAX_TAGS: usize = 100_000;

/// Maximum nesting of elements.
#[cfg(feature = "main-content")]
const MAX_DEPTH: usize = 256;

/// Minimum bytes of markup of an article.
#[cfg(feature = "main-content")]
const MIN_BYTES: usize = 200;

/// Returns the main content of the page `source` as markup, or why there is none.
#[cfg(feature = "main-content")]
pub(crate) fn find(source: &str) -> Result<String, &'static str> {
    if source.len() > MAX_BYTES {
        return Err("the page is too large");
    }
    if !is_ordinary(source) {
        return Err("the page has too many nested elements");
    }
    let mut readability =
        dom_smoothie::Readability::new(source, None, None).map_err(|_| "no main content found")?;
    let article = readability.parse().map_err(|_| "no main content found")?;
    let content = article.content.to_string();
    if content.len() < MIN_BYTES {
        return Err("no main content found");
    }
    Ok(content)
}

/// Returns the main content of the page `source` as markup, or why there is none.
#[cfg(not(feature = "main-content"))]
pub(crate) fn find(_: &str) -> Result<String, &'static str> {
    Err("this build of textkin does not include main content extraction")
}

/// Whether the tree of the page is neither deep nor much larger than the page. Unclosed formatting
/// elements are reopened in every later block, so they count as depth.
#[cfg(feature = "main-content")]
fn is_ordinary(source: &str) -> bool {
    let (mut n_tags, mut depth) = (0usize, 0usize);
    for token in Markup::html(source) {
        match token {
            MarkupToken::Open(tag) => {
                let unclosed = [
                    "p", "li", "br", "img", "hr", "input", "meta", "link", "td", "th", "tr", "dt",
                    "dd", "option", "wbr", "area", "col", "source", "base", "embed", "param",
                ];
                n_tags += 1;
                depth +=
                    usize::from(!unclosed.iter().any(|name| tag.name.eq_ignore_ascii_case(name)));
            }
            MarkupToken::Close(_) => depth = depth.saturating_sub(1),
            MarkupToken::Text(_) | MarkupToken::Verbatim(_) => {}
        }
        if n_tags > MAX_TAGS || depth > MAX_DEPTH {
            return false;
        }
    }
    true
}

#[cfg(all(test, feature = "main-content"))]
mod tests {
    use super::*;

    #[test]
    fn the_article_is_found_without_the_menu() {
        let sentence = "This is the long text of an article, with commas, and with clauses. ";
        let paragraph = format!("<p>{}</p>", sentence.repeat(10));
        let page = format!(
            "<html><head><title>T</title></head><body><nav><a href=1>Menu</a></nav><article>{}</article></body></html>",
            paragraph.repeat(5)
        );
        let article = find(&page).unwrap();
        assert!(article.contains("long text") && !article.contains("Menu"));
    }

    #[test]
    fn pages_of_unusual_shape_are_not_tried() {
        assert!(find(&"<div>".repeat(10_000)).is_err());
        assert!(find(&"<b><p>".repeat(10_000)).is_err());
        assert!(find("").is_err());
    }
}
