//! Real collections with ground truth, built from packages that anyone can download. The repository contains only
//! the list of packages.
//!
//! list (pinned releases) → client (downloads) → archive (files) → page (names and texts) → truth (pairs) → write

mod archive;
mod client;
mod list;
mod page;
mod truth;
mod write;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::{bench, root};
use list::{List, Release};
use page::Page;
use truth::SimilarityLevel;

/// The collections that can be built, and their lists.
const LISTS: [(&str, &str); 2] = [
    ("versioned-docs", include_str!("../../corpora/versioned-docs.toml")),
    ("linuxdocs", include_str!("../../corpora/linuxdocs.toml")),
];

/// Arguments of the task.
#[derive(Debug, Default)]
struct CorpusArguments {
    name: String,
    out: Option<PathBuf>,
    is_update: bool,
}

/// Builds a collection, or lists the collections.
pub(crate) fn corpus(arguments: &[&str]) -> Result<()> {
    if arguments == ["--list"] {
        return show_lists();
    }
    let request = CorpusArguments::parse(arguments)?;
    let Some((name, text)) = LISTS.iter().find(|(name, _)| *name == request.name) else {
        let names = LISTS.map(|(name, _)| name).join(", ");
        bail!("unknown collection '{}'; available: {names}", request.name);
    };
    let list = List::parse(text).with_context(|| format!("xtask/corpora/{name}.toml"))?;
    let folder = bench::target()?.with_file_name("corpora");
    let downloads = folder.join("downloads");
    std::fs::create_dir_all(&downloads)?;
    if request.is_update {
        return update(name, list, &downloads);
    }
    build(name, &list, &downloads, &request.out.unwrap_or_else(|| folder.join(name)))
}

impl CorpusArguments {
    fn parse(arguments: &[&str]) -> Result<Self> {
        let mut request = Self::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match *argument {
                "--out" => {
                    let folder = arguments.next().context("--out needs a folder")?;
                    request.out = Some(PathBuf::from(folder));
                }
                "--update" => request.is_update = true,
                option if option.starts_with('-') => bail!("unknown option '{option}'"),
                name if request.name.is_empty() => name.clone_into(&mut request.name),
                name => bail!("unexpected argument '{name}'; build one collection at a time"),
            }
        }
        if request.name.is_empty() {
            bail!("name a collection; `cargo xtask corpus --list` shows them");
        }
        Ok(request)
    }
}

fn show_lists() -> Result<()> {
    for (name, text) in LISTS {
        let list = List::parse(text).with_context(|| format!("xtask/corpora/{name}.toml"))?;
        println!("{name:<15} {}", list.note);
        for project in &list.projects {
            let releases: Vec<&str> = project
                .releases
                .iter()
                .map(|release| match list.client {
                    list::PackageManager::Pip => release.version.as_str(),
                    list::PackageManager::Apt => release.package.as_str(),
                })
                .collect();
            println!("{:<15} {}: {}", "", project.name, releases.join(", "));
        }
        println!();
    }
    println!(
        "Build one with `cargo xtask corpus NAME`, then use it with `textkin eval run … --collection DIR`."
    );
    Ok(())
}

/// Pins the current releases. Releases that cannot be downloaded keep their pins and are reported at the end.
fn update(name: &str, mut list: List, downloads: &Path) -> Result<()> {
    let releases: Vec<&Release> = list.releases().collect();
    let (client, n_releases, mut failures) = (list.client, releases.len(), Vec::new());
    let renewed = client::all(&releases, |release| client::renew(client, release, downloads));
    let releases = list.projects.iter_mut().flat_map(|project| &mut project.releases);
    for (release, renewed) in releases.zip(renewed) {
        match renewed {
            Ok(renewed) => *release = renewed,
            Err(error) => failures.push(format!("{error:#}")),
        }
    }
    let path = root()?.join("xtask/corpora").join(format!("{name}.toml"));
    let new = path.with_extension("new");
    std::fs::write(&new, list.write(name)?)?;
    std::fs::rename(&new, &path)?;
    println!("{} pins {} releases", path.display(), n_releases - failures.len());
    ensure!(
        failures.is_empty(),
        "cannot download {} releases:\n{}",
        failures.len(),
        failures.join("\n")
    );
    Ok(())
}

/// Downloads missing releases and writes the collection.
fn build(name: &str, list: &List, downloads: &Path, folder: &Path) -> Result<()> {
    let releases: Vec<&Release> = list.releases().collect();
    let files = client::all(&releases, |release| client::fetch(list.client, release, downloads));
    let mut files = files.into_iter().collect::<Result<Vec<PathBuf>>>()?.into_iter();
    let (mut pages, mut n_problems) = (Vec::new(), 0);
    for project in &list.projects {
        let before = pages.len();
        eprintln!("reading {}", project.name);
        for (release, path) in project.releases.iter().zip(files.by_ref()) {
            let is_page = |file: &str| page::page_name(list, project, file).is_some();
            let mut release_pages = Vec::new();
            archive::read(list.client, &path, is_page, |file, bytes| {
                match Page::read((list, project, release), file, bytes) {
                    Ok(page) => release_pages.extend(page),
                    Err(error) => {
                        n_problems += 1;
                        eprintln!("{}: {file}: {error:#}", release.file);
                    }
                }
                Ok(())
            })?;
            release_pages.sort_unstable_by(|a: &Page, b: &Page| a.id.cmp(&b.id));
            release_pages.dedup_by(|a, b| a.id == b.id);
            pages.extend(release_pages);
        }
        if pages.len() == before {
            bail!("{}: no pages found in {}", project.name, project.folders.join(", "));
        }
    }
    let pairs = truth::pairs(&pages);
    write::write((name, &list.note), &pages, &pairs, folder)?;
    summary(&pages, &pairs, n_problems);
    println!(
        "\n{}\n  textkin eval run deco.table3 --collection {}",
        folder.display(),
        folder.display()
    );
    Ok(())
}

fn summary(pages: &[Page], pairs: &[(usize, usize, SimilarityLevel)], n_problems: usize) {
    let bytes: usize = pages.iter().map(|page| page.text.len()).sum();
    println!("documents   {:>8}   {:.1} MB of text", pages.len(), bytes as f64 / 1e6);
    for level in [
        SimilarityLevel::Identical,
        SimilarityLevel::High,
        SimilarityLevel::Some,
        SimilarityLevel::Low,
    ] {
        let n = pairs.iter().filter(|(_, _, pair)| *pair == level).count();
        println!("{:<11} {n:>8}   pairs", level.name());
    }
    if n_problems > 0 {
        println!("problems    {n_problems:>8}   files that could not be read");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read() {
        let request = CorpusArguments::parse(&["linuxdocs", "--out", "d"]).unwrap();
        assert_eq!(
            (request.name.as_str(), request.out.as_deref()),
            ("linuxdocs", Some(Path::new("d")))
        );
        assert!(CorpusArguments::parse(&["x", "--update"]).unwrap().is_update);
        for wrong in [&[][..], &["a", "b"], &["a", "--out"], &["a", "--fast"]] {
            assert!(CorpusArguments::parse(wrong).is_err(), "{wrong:?}");
        }
        let error = corpus(&["nothing"]).unwrap_err().to_string();
        assert_eq!(error, "unknown collection 'nothing'; available: versioned-docs, linuxdocs");
    }
}
