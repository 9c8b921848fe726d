//! Pages: which files of a release are pages, their names and their texts.

use anyhow::Result;
use textkin_extract::{ExtractLimits, ExtractOptions, Extraction, extract};

use super::list::{List, PackageManager, Project, Release};

/// Minimum words of a page; shorter ones are skipped.
const MIN_WORDS: usize = 50;

/// A document of the collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// `PROJECT/RELEASE/FILE`.
    pub(crate) id: String,
    /// Name of the project.
    pub(crate) project: String,
    /// The release: the version, or the package if each package has one version.
    pub(crate) release: String,
    /// Name of the page, the same in every release.
    pub(crate) page: String,
    /// Text of the page.
    pub(crate) text: String,
}

/// Returns the name of the page, which is the same in every release; `None` if the file is not a page.
pub(crate) fn page_name(list: &List, project: &Project, file: &str) -> Option<String> {
    let is_in = |folder: &String| {
        let rest = if folder.is_empty() { Some(file) } else { file.strip_prefix(folder.as_str()) };
        rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
    };
    if !project.folders.iter().any(is_in) || project.exclude.iter().any(is_in) {
        return None;
    }
    let plain = file.strip_suffix(".gz").unwrap_or(file);
    let extensions =
        if project.extensions.is_empty() { &list.extensions } else { &project.extensions };
    let name = extensions.iter().find_map(|ending| plain.strip_suffix(ending.as_str()))?;
    (!name.is_empty() && !name.ends_with('/')).then(|| name.to_owned())
}

impl Page {
    /// Reads a page; `None` if the file is not a page or has too little text.
    pub(crate) fn read(
        (list, project, release): (&List, &Project, &Release),
        file: &str,
        bytes: &[u8],
    ) -> Result<Option<Self>> {
        let Some(page) = page_name(list, project, file) else { return Ok(None) };
        let mut found = Extraction::default();
        extract(
            Some(file),
            bytes,
            &ExtractOptions::default(),
            &ExtractLimits::default(),
            &mut found,
        )?;
        let texts: Vec<String> =
            found.documents.into_iter().map(|document| document.text).collect();
        let text = texts.join("\n\n");
        if text.split_whitespace().count() < MIN_WORDS {
            return Ok(None);
        }
        let release = match list.client {
            PackageManager::Pip => release.version.clone(),
            PackageManager::Apt => release.package.clone(),
        };
        let id = format!("{}/{release}/{file}", project.name);
        Ok(Some(Self { id, project: project.name.clone(), release, page, text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(client: PackageManager, folders: &[&str], exclude: &[&str]) -> List {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let project = Project {
            name: "x".to_owned(),
            folders: names(folders),
            exclude: names(exclude),
            extensions: Vec::new(),
            releases: vec![Release {
                package: "x-doc".to_owned(),
                version: "1.2".to_owned(),
                ..Release::default()
            }],
        };
        List {
            note: String::new(),
            client,
            extensions: names(&[".rst", ".html"]),
            projects: vec![project],
        }
    }

    #[test]
    fn pages_have_the_same_name_in_every_release_and_format() {
        let all = list(PackageManager::Apt, &[""], &["html/_sources"]);
        let name = |file: &str| page_name(&all, &all.projects[0], file);
        for file in ["html/a.b.rst", "html/a.b.html", "html/a.b.rst.gz"] {
            assert_eq!(name(file).as_deref(), Some("html/a.b"), "{file}");
        }
        for file in ["html/a.png", "html/_sources/a.rst", ".rst", "html/.rst", "a.gz"] {
            assert_eq!(name(file), None, "{file}");
        }
        let mut text = all.clone();
        text.projects[0].extensions = vec![".txt".to_owned()];
        assert_eq!(page_name(&text, &text.projects[0], "a.txt").as_deref(), Some("a"));
        assert_eq!(page_name(&text, &text.projects[0], "a.rst"), None);
        let docs = list(PackageManager::Pip, &["docs"], &[]);
        let name = |file: &str| page_name(&docs, &docs.projects[0], file);
        assert_eq!(name("docs/a/b.rst").as_deref(), Some("docs/a/b"));
        assert_eq!((name("docs2/a.rst"), name("a.rst")), (None, None));
    }

    #[test]
    fn pages_have_an_id_and_a_text() {
        let words = "word ".repeat(60);
        let html = format!("<html><body><script>no</script><p>{words}</p></body></html>");
        for (client, id) in [
            (PackageManager::Pip, "x/1.2/docs/a.html"),
            (PackageManager::Apt, "x/x-doc/docs/a.html"),
        ] {
            let list = list(client, &["docs"], &[]);
            let context = (&list, &list.projects[0], &list.projects[0].releases[0]);
            let page = Page::read(context, "docs/a.html", html.as_bytes()).unwrap().unwrap();
            assert_eq!((page.id.as_str(), page.text.trim()), (id, words.trim()));
            assert_eq!(Page::read(context, "docs/a.html", b"<p>short</p>").unwrap(), None);
            assert_eq!(Page::read(context, "a.html", html.as_bytes()).unwrap(), None);
        }
    }
}
