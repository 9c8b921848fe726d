//! The index page of a folder of results: every report in it and in the folders of its collections, with links.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::page::STYLE;
use super::plot::escape;
use super::write_file;
use crate::error::{Error, at};

/// Name of the index page.
const NAME: &str = "index.html";

/// Formats that are linked, in this order. The page itself is linked by the name of the experiment.
const LINKED: [&str; 4] = ["csv", "json", "md", "svg"];

/// The part of a stored report that the index shows.
#[derive(Debug, Deserialize)]
struct StoredReport {
    experiment: String,
    title: String,
    collection: String,
    version: String,
    seconds: f64,
}

/// Writes `index.html`: the reports in `folder`, also those of earlier runs, and in its subfolders.
///
/// # Errors
/// If the folder cannot be read or the page cannot be written.
pub fn write_index(folder: &Path) -> Result<PathBuf, Error> {
    // By the folder as in links, then by the name of the experiment.
    let mut found: BTreeMap<(String, String), StoredReport> = BTreeMap::new();
    add_reports(folder, "", &mut found)?;
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        if let (true, Some(name)) = (path.is_dir(), path.file_name().and_then(|name| name.to_str()))
        {
            add_reports(&path, &format!("{name}/"), &mut found)?;
        }
    }
    let path = folder.join(NAME);
    write_file(&path, &page(&found, |link| folder.join(link).exists()))?;
    Ok(path)
}

/// Adds the reports of one folder. Other JSON files are ignored.
fn add_reports(
    folder: &Path,
    prefix: &str,
    found: &mut BTreeMap<(String, String), StoredReport>,
) -> Result<(), Error> {
    for entry in std::fs::read_dir(folder).map_err(at(folder))? {
        let path = entry.map_err(at(folder))?.path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(at(&path))?;
        let report: Result<StoredReport, _> = serde_json::from_str(&text);
        if let (Ok(report), Some(name)) = (report, path.file_stem().and_then(|name| name.to_str()))
        {
            found.insert((prefix.to_owned(), name.to_owned()), report);
        }
    }
    Ok(())
}

fn page(found: &BTreeMap<(String, String), StoredReport>, exists: impl Fn(&str) -> bool) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>Experiments</title>\n<style>{STYLE}.index td{{text-align:left;white-space:normal}}</style>\n\
         <h1>Experiments</h1>\n"
    );
    let mut current: Option<(&str, &str)> = None;
    for ((prefix, name), report) in found {
        let collection = (prefix.as_str(), report.collection.as_str());
        if current != Some(collection) {
            page.push_str(if current.is_some() { "</table>\n" } else { "" });
            _ = write!(
                page,
                "<h2>{}</h2>\n<table class=\"index\">\n<thead><tr><th>Experiment<th>Title<th>Seconds<th>textkin<th>Files</thead>\n",
                escape(&report.collection)
            );
            current = Some(collection);
        }
        let link = |extension: &str| {
            let link = format!("{prefix}{name}.{extension}");
            exists(&link).then(|| format!("<a href=\"{}\">{extension}</a>", escape(&link)))
        };
        let links: Vec<String> = LINKED.into_iter().filter_map(link).collect();
        _ = writeln!(
            page,
            "<tr><td><a href=\"{}\">{}</a><td>{}<td>{:.1}<td>{}<td>{}",
            escape(&format!("{prefix}{name}.html")),
            escape(&report.experiment),
            escape(&report.title),
            report.seconds,
            escape(&report.version),
            links.join(" ")
        );
    }
    page.push_str(if current.is_some() { "</table>\n" } else { "<p>No results yet.</p>\n" });
    page.push_str("</html>\n");
    page
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{ExperimentReport, Plot, ReportTable};

    fn report(experiment: &str, plots: Vec<Plot>) -> ExperimentReport {
        ExperimentReport {
            experiment: experiment.to_owned(),
            title: "A & B".to_owned(),
            collection: "letters (3 documents)".to_owned(),
            table: ReportTable::default(),
            notes: Vec::new(),
            plots,
            version: "1.2.3",
            seconds: 4.56,
        }
    }

    #[test]
    fn the_index_lists_results_of_all_runs_and_collections() {
        let folder = tempfile::tempdir().unwrap();
        let plot = Plot {
            title: String::new(),
            x: String::new(),
            y: String::new(),
            is_logarithmic: false,
            series: Vec::new(),
        };
        report("deco.table3", vec![plot]).write(folder.path()).unwrap();
        report("hoad.table1", Vec::new()).write(&folder.path().join("letters")).unwrap();
        std::fs::write(folder.path().join("other.json"), "[1]").unwrap();
        let path = write_index(folder.path()).unwrap();
        // A second index does not list the first.
        assert_eq!(write_index(folder.path()).unwrap(), path);
        let page = std::fs::read_to_string(&path).unwrap();
        for link in
            ["deco.table3.html", "deco.table3.svg", "deco.table3.csv", "letters/hoad.table1.html"]
        {
            assert!(page.contains(&format!("href=\"{link}\"")), "{page}");
        }
        assert!(!page.contains("hoad.table1.svg") && !page.contains("other"), "{page}");
        assert!(page.contains("A &amp; B") && page.contains("4.6"), "{page}");
        assert_eq!(page.matches("<h2>letters (3 documents)</h2>").count(), 2);
    }
}
