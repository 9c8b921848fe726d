//! Renders every page in several states from made-up data, to look at and to test in a browser.
//!
//! `cargo run -p textkin-web --example gallery -- OUT_DIR`, then `npm run axe -- OUT_DIR` in
//! `frontend/`. Pages expect to be served from the root of a host; `npm run axe` does that.
#![expect(clippy::print_stdout, reason = "an example for the terminal")]

mod samples;

use std::fs;
use std::path::PathBuf;

use textkin_web::assets;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: gallery OUT_DIR")?;
    let folder = PathBuf::from(folder);
    fs::create_dir_all(folder.join("assets"))?;
    for name in assets::names() {
        if let Some(asset) = assets::get(&name) {
            fs::write(folder.join("assets").join(name.as_ref()), &asset.bytes)?;
        }
    }
    let mut count = 0;
    for flavour in samples::Flavour::ALL {
        for (name, html) in samples::pages(&flavour)? {
            fs::write(folder.join(format!("{name}-{}.html", flavour.name())), html)?;
            count += 1;
        }
    }
    fs::write(folder.join("graph-clusters.json"), samples::graph_json(false)?)?;
    fs::write(folder.join("graph-cluster.json"), samples::graph_json(true)?)?;
    println!("{count} pages in {}", folder.display());
    Ok(())
}
