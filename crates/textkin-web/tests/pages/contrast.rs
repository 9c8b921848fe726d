//! Checks the contrast of text and background, computed from the style sheet.

use std::collections::BTreeMap;

const STYLE: &str = include_str!("../../frontend/src/style/base.css");

/// Minimum contrast of text (WCAG 2.2, level AA).
const MIN: f64 = 4.5;

/// Text colours, and the backgrounds they appear on.
const PAIRS: [(&str, &[&str]); 6] = [
    (
        "ink",
        &[
            "back", "paper", "press", "c0", "c1", "c2", "c3", "c4", "c5", "gone", "came", "warn",
            "done", "bad",
        ],
    ),
    ("soft", &["back", "paper", "press"]),
    ("accent", &["back", "paper", "press"]),
    ("on-accent", &["accent"]),
    ("on-bad", &["bad", "back", "paper"]),
    ("paper", &["e0", "e1", "e2", "e3", "e4", "e5"]),
];

#[test]
fn text_is_readable_in_light_and_dark() {
    let blocks = blocks();
    assert_eq!(blocks.len(), 3, "light, dark by choice, dark by system setting");
    assert_eq!(blocks[1], blocks[2], "both dark themes must be equal");
    for colours in &blocks[..2] {
        for (text, grounds) in PAIRS {
            for ground in grounds {
                let found = contrast(&colours[text], &colours[*ground]);
                assert!(found >= MIN, "{text} on {ground}: {found:.2}");
            }
        }
        for edge in ["e0", "e1", "e2", "e3", "e4", "e5"] {
            for ground in ["paper", "back"] {
                let found = contrast(&colours[edge], &colours[ground]);
                assert!(found >= MIN, "{edge} on {ground}: {found:.2}");
            }
        }
        // The edges of fields need less.
        assert!(contrast(&colours["strong-line"], &colours["paper"]) >= 3.0);
        assert!(contrast(&colours["strong-line"], &colours["back"]) >= 3.0);
    }
}

/// Returns the colours of each block that defines them, by name.
fn blocks() -> Vec<BTreeMap<String, String>> {
    let is_colour = |value: &str| value.starts_with('#');
    let blocks =
        STYLE.split('}').filter(|block| block.contains("--back: #") && block.contains("--c0"));
    blocks
        .map(|block| {
            let parts = block.split(['{', ';']).filter_map(|part| part.trim().split_once(": "));
            parts
                .filter(|(name, value)| name.starts_with("--") && is_colour(value))
                .map(|(name, value)| (name[2..].to_owned(), value.to_owned()))
                .collect()
        })
        .collect()
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn luminance(colour: &str) -> f64 {
    let number = u32::from_str_radix(&colour[1..], 16).expect("a colour of six digits");
    let channel = |shift: u32| {
        let value = f64::from(number >> shift & 0xff) / 255.0;
        if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * channel(16) + 0.7152 * channel(8) + 0.0722 * channel(0)
}
