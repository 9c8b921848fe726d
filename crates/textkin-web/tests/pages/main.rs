//! Every page with every flavour of made-up data: it renders, escapes, and complies with the policy.

#[path = "../../examples/gallery/samples/mod.rs"]
mod samples;
mod contrast;
mod html;

use std::sync::LazyLock;

use html::{Element, elements};
use proptest::prelude::*;
use samples::Flavour;

fn all_pages() -> Vec<(String, String)> {
    let named = |flavour: &Flavour| {
        let pages = samples::pages(flavour).expect("pages render");
        pages
            .into_iter()
            .map(|(name, html)| (format!("{name}-{}", flavour.name()), html))
            .collect::<Vec<_>>()
    };
    Flavour::ALL.iter().flat_map(named).collect()
}

#[test]
fn every_page_is_complete() {
    for (name, html) in all_pages() {
        assert!(
            html.starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"),
            "{name}"
        );
        let problems = html::unbalanced(&html);
        assert!(problems.is_empty(), "{name}: {problems:?}");
    }
}

#[test]
fn no_page_violates_the_policy() {
    for (name, html) in all_pages() {
        for element in elements(&html) {
            check_policy(&name, &element);
        }
    }
}

fn check_policy(name: &str, element: &Element) {
    for (attribute, value) in &element.attributes {
        assert!(attribute != "style", "{name}: style on {}", element.name);
        assert!(!attribute.starts_with("on"), "{name}: {attribute} on {}", element.name);
        let is_address =
            matches!(attribute.as_str(), "href" | "src" | "action" | "formaction" | "data-source");
        let is_ours =
            value.starts_with('/') && !value.starts_with("//") || value.starts_with(['#', '?']);
        assert!(!is_address || is_ours, "{name}: {attribute}={value}");
    }
    assert!(element.name != "style", "{name}: a style element");
    assert!(
        element.name != "script" || element.attribute("src").is_some(),
        "{name}: a script without src"
    );
    assert!(
        !matches!(element.name.as_str(), "img" | "iframe" | "object" | "embed" | "base"),
        "{name}: {}",
        element.name
    );
}

#[test]
fn every_post_form_has_the_csrf_token() {
    for (name, html) in all_pages() {
        for form in html::inside(&html, "form") {
            let is_post = form.0.attribute("method") == Some("post");
            let has_token = form.1.iter().any(|element| element.attribute("name") == Some("csrf"));
            assert_eq!(is_post, has_token, "{name}: {:?}", form.0);
        }
    }
}

#[test]
fn every_control_has_an_accessible_name() {
    for (name, html) in all_pages() {
        let problems = html::nameless(&html);
        assert!(problems.is_empty(), "{name}: {problems:?}");
    }
}

#[test]
fn headings_are_in_order_and_ids_are_unique() {
    for (name, html) in all_pages() {
        let mut last = 0;
        let mut ids = Vec::new();
        for element in elements(&html) {
            if let Some(id) = element.attribute("id") {
                assert!(!ids.contains(&id.to_owned()), "{name}: {id} twice");
                ids.push(id.to_owned());
            }
            let level = element.name.strip_prefix('h').and_then(|level| level.parse::<u32>().ok());
            let Some(level) = level else { continue };
            assert!(level <= last + 1, "{name}: h{level} after h{last}");
            last = level;
        }
        assert!(last > 0, "{name}: no heading");
        assert_eq!(html.matches("<h1").count(), 1, "{name}");
    }
}

#[test]
fn hostile_text_is_escaped() {
    for (name, html) in samples::pages(&Flavour::Hostile).unwrap() {
        assert!(!html.contains("<script>alert"), "{name}");
        assert!(!html.contains("<img"), "{name}");
        assert!(!html.contains('\u{202e}'), "{name}: a bidirectional override");
    }
    let json = samples::results_json(&Flavour::Hostile).unwrap();
    let data: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(!data["html"].as_str().unwrap().contains("<img"));
}

/// The pages with a single letter in every field.
static PLAIN: LazyLock<Vec<(&'static str, String)>> =
    LazyLock::new(|| samples::pages(&Flavour::Given("x".to_owned())).expect("pages render"));

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Whatever the fields contain, elements and attributes stay the same. One letter is always there: a blank text has
    /// no word to mark, so its page has fewer elements.
    #[test]
    fn no_text_changes_the_elements_of_a_page(
        before in "[<>&\"'=/ a-z\u{202e}\u{0}\u{5d0}-]{0,20}",
        letter in "[a-z]",
        after in "[<>&\"'=/ a-z\u{202e}\u{0}\u{5d0}-]{0,20}",
    ) {
        let text = before + &letter + &after;
        let shape = |html: &str| -> Vec<(String, Vec<String>)> {
            let names = |element: Element| (element.name, element.attributes.into_iter().map(|(name, _)| name).collect());
            elements(html).into_iter().map(names).collect()
        };
        let given = samples::pages(&Flavour::Given(text)).unwrap();
        for ((name, plain), (_, given)) in PLAIN.iter().zip(given) {
            prop_assert_eq!(differing(&shape(plain)), differing(&shape(&given)), "{}", name);
        }
    }
}

/// Returns the shape without elements that depend on whether a text has letters, or is a time or a name.
fn differing(shape: &[(String, Vec<String>)]) -> Vec<(String, Vec<String>)> {
    let volatile = ["span", "time", "option", "input"];
    shape.iter().filter(|(name, _)| !volatile.contains(&name.as_str())).cloned().collect()
}
