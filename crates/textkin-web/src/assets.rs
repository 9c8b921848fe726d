//! The assets that pages load: style sheet, scripts and icon, compiled into the program.
//!
//! Scripts are built from `frontend/` by Vite (`cargo xtask web`) into `assets/dist`, with names
//! that change with their content. Without them pages still have their style, which is plain CSS
//! and always compiled in.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_embed::RustEmbed;
use serde::Deserialize;

#[derive(RustEmbed)]
#[folder = "assets/dist"]
struct Dist;

/// The unprocessed style sheet, for programs built without Node and for standalone files.
pub(crate) const PLAIN_STYLE: &str = concat!(
    include_str!("../frontend/src/style/base.css"),
    include_str!("../frontend/src/style/frame.css"),
    include_str!("../frontend/src/style/parts.css"),
    include_str!("../frontend/src/style/screens.css"),
    include_str!("../frontend/src/style/text.css"),
);
const ICON: &str = include_str!("../frontend/src/icon.svg");

/// The entry of `manifest.json` from which everything else is loaded.
const ENTRY: &str = "src/main.ts";

/// An entry of Vite's `manifest.json`.
#[derive(Deserialize)]
struct ManifestEntry {
    file: String,
    #[serde(default)]
    css: Vec<String>,
}

/// The URLs of the built assets.
struct Built {
    script: String,
    style: String,
}

static BUILT: LazyLock<Option<Built>> = LazyLock::new(|| {
    let manifest = Dist::get("manifest.json")?;
    let mut manifest: BTreeMap<String, ManifestEntry> =
        serde_json::from_slice(&manifest.data).ok()?;
    let entry = manifest.remove(ENTRY)?;
    let style = entry.css.first()?;
    Some(Built { script: format!("/assets/{}", entry.file), style: format!("/assets/{style}") })
});

/// A file that is served under `/assets/`.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Its bytes.
    pub bytes: Cow<'static, [u8]>,
    /// The value of `Content-Type`.
    pub media_type: &'static str,
    /// Whether its name changes with its content, so that it may be cached indefinitely.
    pub is_immutable: bool,
}

/// Returns whether the program contains the scripts. If not, pages and the log explain how to build
/// them ([`HOW_TO_BUILD`]).
#[must_use]
pub fn is_built() -> bool {
    BUILT.is_some()
}

/// What to do if [`is_built`] returns `false`.
pub const HOW_TO_BUILD: &str = "assets are not built; run `cargo xtask web` and build again";

/// Returns the file at `/assets/{path}`.
#[must_use]
pub fn get(path: &str) -> Option<Asset> {
    let plain = |text: &'static str, media_type| {
        Some(Asset { bytes: Cow::Borrowed(text.as_bytes()), media_type, is_immutable: false })
    };
    match path {
        "fallback.css" => plain(PLAIN_STYLE, "text/css; charset=utf-8"),
        "icon.svg" => plain(ICON, "image/svg+xml"),
        "manifest.json" => None,
        _ => {
            let file = Dist::get(path)?;
            let is_immutable = path != "licences.txt";
            Some(Asset { bytes: file.data, media_type: media_type(path)?, is_immutable })
        }
    }
}

/// Returns all names that [`get`] accepts.
pub fn names() -> impl Iterator<Item = Cow<'static, str>> {
    let plain = ["fallback.css", "icon.svg"].map(Cow::Borrowed);
    plain.into_iter().chain(Dist::iter().filter(|name| name != "manifest.json"))
}

fn media_type(path: &str) -> Option<&'static str> {
    Some(match path.rsplit_once('.')?.1 {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "txt" => "text/plain; charset=utf-8",
        "json" => "application/json",
        _ => return None,
    })
}

/// Returns the URL of the style sheet.
pub(crate) fn style() -> &'static str {
    BUILT.as_ref().map_or("/assets/fallback.css", |built| &built.style)
}

/// Returns the URL of the script, if it was built.
pub(crate) fn script() -> Option<&'static str> {
    BUILT.as_ref().map(|built| built.script.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_asset_exists() {
        for name in names() {
            assert!(get(&name).is_some(), "{name}");
        }
        assert!(get("../Cargo.toml").is_none() && get("nothing.js").is_none());
    }

    #[test]
    fn the_style_sheet_exists_without_node() {
        let style = get("fallback.css").unwrap();
        assert!(style.bytes.len() > 1000);
        assert!(get(style_name()).is_some());
    }

    fn style_name() -> &'static str {
        style().trim_start_matches("/assets/")
    }
}
