//! Creates the folder for built assets if it is missing, so that the crate builds without Node.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new("assets/dist");
    std::fs::create_dir_all(folder)?;
    println!("cargo::rerun-if-changed={}", folder.display());
    Ok(())
}
