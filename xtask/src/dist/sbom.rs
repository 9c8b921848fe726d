//! The bill of materials: what the program contains, as CycloneDX 1.6 in JSON.

use anyhow::Result;
use serde_json::{Value, json};

use super::Release;
use super::dependencies::{Dependencies, Dependency, of_program};

/// Writes the bill of materials of the program.
pub(super) fn write(release: &Release) -> Result<()> {
    let triple = &release.platform.triple;
    let found = of_program(triple)?;
    let name = format!("textkin-{}-{triple}.cdx.json", release.version);
    let path = release.folder.join(name);
    std::fs::write(&path, serde_json::to_string_pretty(&document(&found))? + "\n")?;
    println!("{}: {} components", path.display(), found.others.len());
    Ok(())
}

/// Returns the document.
fn document(found: &Dependencies) -> Value {
    let mut program = component(&found.program, "application");
    program["name"] = "textkin".into();
    let components: Vec<Value> =
        found.others.iter().map(|package| component(package, "library")).collect();
    let all = || std::iter::once(&found.program).chain(&found.others);
    let reference = |id: &String| {
        let is_it = |package: &&Dependency| format!("{}@{}", package.name, package.version) == *id;
        all().find(is_it).map(Dependency::package_url)
    };
    let needs = |package: &Dependency| {
        let needed: Vec<String> = package.needs.iter().filter_map(reference).collect();
        json!({ "ref": package.package_url(), "dependsOn": needed })
    };
    json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": program,
            "tools": { "components": [{ "type": "application", "name": "cargo xtask dist" }] },
        },
        "components": components,
        "dependencies": all().map(needs).collect::<Vec<_>>(),
    })
}

fn component(package: &Dependency, kind: &str) -> Value {
    let mut component = json!({
        "type": kind,
        "bom-ref": package.package_url(),
        "name": package.name,
        "version": package.version,
        "purl": package.package_url(),
    });
    if let Some(licence) = &package.licence {
        component["licenses"] = json!([{ "expression": licence }]);
    }
    if let Some((function, digest)) = &package.digest {
        component["hashes"] = json!([{ "alg": function, "content": digest }]);
    }
    if let Some(repository) = &package.repository {
        component["externalReferences"] = json!([{ "type": "vcs", "url": repository }]);
    }
    component
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    use super::*;

    fn package(name: &str, needs: &[&str]) -> Dependency {
        Dependency {
            kind: "cargo",
            name: name.to_owned(),
            version: "1.0.0".to_owned(),
            licence: Some("MIT OR Apache-2.0".to_owned()),
            repository: None,
            digest: Some(("SHA-256", "00ff".to_owned())),
            folder: PathBuf::new(),
            needs: BTreeSet::from_iter(needs.iter().map(|id| (*id).to_owned())),
        }
    }

    #[test]
    fn components_and_what_they_need_refer_to_each_other() {
        let program = package("textkin-cli", &["zip@1.0.0"]);
        let found = Dependencies { program, others: vec![package("zip", &[])] };
        let document = document(&found);
        assert_eq!(document["metadata"]["component"]["name"], "textkin");
        let zip = &document["components"][0];
        assert_eq!(zip["purl"], "pkg:cargo/zip@1.0.0");
        assert_eq!(zip["hashes"][0]["content"], "00ff");
        assert_eq!(document["dependencies"][0]["dependsOn"][0], zip["bom-ref"]);
    }
}
