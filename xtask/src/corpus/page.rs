//! Pages: which files of a release are pages, what each is called, and what it says.

use anyhow::Result;
use textkin_extract::{ExtractLimits, ExtractOptions, Extraction, extract};

use super::list::{Client, List, Project, Release};

/// Pages with less text are not compared.
const MIN_WORDS: usize = 50;

/// A document of the collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// `PROJECT/RELEASE/FILE`.
    pub(crate) id: String,
    /// What is documented.
    pub(crate) project: String,
    /// The release: the version, or the package where these hold one version each.
    pub(crate) release: String,
    /// What the page is called in every release.
    pub(crate) page: String,
    /// What it says.
    pub(crate) text: String,
}

/// What the file is called in every release, if it is a page of the project.
pub(crate) fn page_name(list: &List, project: &Project, file: &str) -> Option<String> {
    let is_in = |folder: &String| {
        let rest = if folder.is_empty() { Some(file) } else { file.strip_prefix(folder.as_str()) };
        rest.is_some_and(|rest| folder.is_empty() || rest.starts_with('/'))
    };
    if !project.folders.iter().any(is_in) || project.without.iter().any(is_in) {
        return None;
    }
    let plain = file.strip_suffix(".gz").unwrap_or(file);
    let endings = if project.endings.is_empty() { &list.endings } else { &project.endings };
    let name = endings.iter().find_map(|ending| plain.strip_suffix(ending.as_str()))?;
    (!name.is_empty() && !name.ends_with('/')).then(|| name.to_owned())
}

impl Page {
    /// The page that a file is, unless it has hardly any text.
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
            Client::Pip => release.version.clone(),
            Client::Apt => release.package.clone(),
        };
        let id = format!("{}/{release}/{file}", project.name);
        Ok(Some(Self { id, project: project.name.clone(), release, page, text }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(client: Client, folders: &[&str], without: &[&str]) -> List {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let project = Project {
            name: "x".to_owned(),
            folders: names(folders),
            without: names(without),
            endings: Vec::new(),
            releases: vec![Release {
                package: "x-doc".to_owned(),
                version: "1.2".to_owned(),
                ..Release::default()
            }],
        };
        List {
            note: String::new(),
            client,
            endings: names(&[".rst", ".html"]),
            projects: vec![project],
        }
    }

    #[test]
    fn pages_have_the_same_name_in_every_release_and_format() {
        let all = list(Client::Apt, &[""], &["html/_sources"]);
        let name = |file: &str| page_name(&all, &all.projects[0], file);
        for file in ["html/a.b.rst", "html/a.b.html", "html/a.b.rst.gz"] {
            assert_eq!(name(file).as_deref(), Some("html/a.b"), "{file}");
        }
        for file in ["html/a.png", "html/_sources/a.rst", ".rst", "html/.rst", "a.gz"] {
            assert_eq!(name(file), None, "{file}");
        }
        let mut text = all.clone();
        text.projects[0].endings = vec![".txt".to_owned()];
        assert_eq!(page_name(&text, &text.projects[0], "a.txt").as_deref(), Some("a"));
        assert_eq!(page_name(&text, &text.projects[0], "a.rst"), None);
        let docs = list(Client::Pip, &["docs"], &[]);
        let name = |file: &str| page_name(&docs, &docs.projects[0], file);
        assert_eq!(name("docs/a/b.rst").as_deref(), Some("docs/a/b"));
        assert_eq!((name("docs2/a.rst"), name("a.rst")), (None, None));
    }

    #[test]
    fn a_page_is_its_text() {
        let words = "word ".repeat(60);
        let html = format!("<html><body><script>no</script><p>{words}</p></body></html>");
        for (client, id) in
            [(Client::Pip, "x/1.2/docs/a.html"), (Client::Apt, "x/x-doc/docs/a.html")]
        {
            let list = list(client, &["docs"], &[]);
            let place = (&list, &list.projects[0], &list.projects[0].releases[0]);
            let page = Page::read(place, "docs/a.html", html.as_bytes()).unwrap().unwrap();
            assert_eq!((page.id.as_str(), page.text.trim()), (id, words.trim()));
            assert_eq!(Page::read(place, "docs/a.html", b"<p>short</p>").unwrap(), None);
            assert_eq!(Page::read(place, "a.html", html.as_bytes()).unwrap(), None);
        }
    }
}
