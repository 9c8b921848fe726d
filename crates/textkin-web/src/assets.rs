//! What pages load: style, scripts and the icon, inside the program.
//!
//! Scripts are built from `frontend/` by Vite (`cargo xtask web`) into `assets/dist`, with names
//! that change with their content. Without them pages still have their style, which is plain CSS
//! and compiled in as it is written.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use rust_embed::RustEmbed;
use serde::Deserialize;

#[derive(RustEmbed)]
#[folder = "assets/dist"]
struct Dist;

/// The style as it is written, for a program that was built without Node, and for files by themselves.
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

/// What Vite says of a file it wrote.
#[derive(Deserialize)]
struct Written {
    file: String,
    #[serde(default)]
    css: Vec<String>,
}

/// Where pages find the built assets.
struct Built {
    script: String,
    style: String,
}

static BUILT: LazyLock<Option<Built>> = LazyLock::new(|| {
    let manifest = Dist::get("manifest.json")?;
    let mut manifest: BTreeMap<String, Written> = serde_json::from_slice(&manifest.data).ok()?;
    let entry = manifest.remove(ENTRY)?;
    let style = entry.css.first()?;
    Some(Built { script: format!("/assets/{}", entry.file), style: format!("/assets/{style}") })
});

/// A file that is served under `/assets/`.
#[derive(Clone, Debug)]
pub struct Asset {
    /// Its bytes.
    pub bytes: Cow<'static, [u8]>,
    /// What goes into `Content-Type`.
    pub media_type: &'static str,
    /// Whether its name changes with its content, so that it may be kept for ever.
    pub is_immutable: bool,
}

/// Whether scripts were built into the program. If not, pages say how to get them
/// ([`HOW_TO_BUILD`]), and so should the log.
#[must_use]
pub fn is_built() -> bool {
    BUILT.is_some()
}

/// What to do where [`is_built`] says no.
pub const HOW_TO_BUILD: &str = "assets are not built: run `cargo xtask web` and build again";

/// The file at `/assets/{path}`.
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

/// All names that [`get`] knows.
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

/// The address of the style.
pub(crate) fn style() -> &'static str {
    BUILT.as_ref().map_or("/assets/fallback.css", |built| &built.style)
}

/// The address of the script, if it was built.
pub(crate) fn script() -> Option<&'static str> {
    BUILT.as_ref().map(|built| built.script.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_asset_that_is_named_can_be_had() {
        for name in names() {
            assert!(get(&name).is_some(), "{name}");
        }
        assert!(get("../Cargo.toml").is_none() && get("nothing.js").is_none());
    }

    #[test]
    fn the_style_is_there_without_node() {
        let style = get("fallback.css").unwrap();
        assert!(style.bytes.len() > 1000);
        assert!(get(style_name()).is_some());
    }

    fn style_name() -> &'static str {
        style().trim_start_matches("/assets/")
    }
}
