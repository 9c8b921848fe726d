//! Documents that are zip archives of XML parts: opens them and reads parts, properties and relations.

use std::collections::HashMap;
use std::io::Cursor;

use crate::markup::{Markup, MarkupToken, unescape};
use crate::{Error, ExtractContext, FileKind, encoding};

/// Maximum length of a title or a date.
const MAX_PROPERTY_CHARACTERS: usize = 1000;

/// The parts of one document.
pub(crate) struct Package<'a> {
    archive: zip::ZipArchive<Cursor<&'a [u8]>>,
    kind: FileKind,
}

impl<'a> Package<'a> {
    pub(crate) fn open(bytes: &'a [u8], kind: FileKind) -> Result<Self, Error> {
        match zip::ZipArchive::new(Cursor::new(bytes)) {
            Ok(archive) => Ok(Self { archive, kind }),
            Err(error) => Err(Error::corrupt(kind, error)),
        }
    }

    /// Returns the names of all parts, in order.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> =
            self.archive.file_names().flatten().map(|name| name.into_owned()).collect();
        names.sort_unstable();
        names
    }

    /// Reads the part `name`; `None` if there is none.
    pub(crate) fn read(
        &mut self,
        name: &str,
        context: &mut ExtractContext<'_>,
    ) -> Result<Option<String>, Error> {
        let Some(index) = self.archive.index_for_name(name) else { return Ok(None) };
        context.take_entry()?;
        let entry = match self.archive.by_index(index) {
            Ok(entry) => entry,
            Err(error) => return Err(Error::corrupt(self.kind, format_args!("{name}: {error}"))),
        };
        let n_compressed = entry.compressed_size();
        let (bytes, failure) = context.expand(entry, n_compressed)?;
        if let Some(failure) = failure
            && bytes.is_empty()
        {
            return Err(Error::corrupt(self.kind, format_args!("{name}: {failure}")));
        }
        Ok(Some(encoding::decode_markup(&bytes)?.into_owned()))
    }

    /// Reads a required part; fails if it is missing.
    pub(crate) fn require(
        &mut self,
        name: &str,
        context: &mut ExtractContext<'_>,
    ) -> Result<String, Error> {
        let missing = || Error::corrupt(self.kind, format_args!("{name} is missing"));
        let missing = missing();
        self.read(name, context)?.ok_or(missing)
    }

    /// Reads the title and the first of `times` that exists from the part `name`.
    pub(crate) fn properties(
        &mut self,
        name: &str,
        times: &[&str],
        context: &mut ExtractContext<'_>,
    ) -> Result<Properties, Error> {
        match self.read(name, context) {
            Ok(Some(source)) => Ok(Properties::read(&source, times)),
            Err(error) if error.is_final() => Err(error),
            _ => Ok(Properties::default()),
        }
    }

    /// Returns the relations of the part `name`: identifier to target.
    pub(crate) fn relations(
        &mut self,
        name: &str,
        context: &mut ExtractContext<'_>,
    ) -> Result<HashMap<String, String>, Error> {
        let (folder, file) = name.rsplit_once('/').unwrap_or(("", name));
        let source = match self.read(&format!("{folder}/_rels/{file}.rels"), context) {
            Ok(Some(source)) => source,
            Err(error) if error.is_final() => return Err(error),
            _ => return Ok(HashMap::new()),
        };
        let relations = Markup::xml(&source).filter_map(|token| match token {
            MarkupToken::Open(tag) if tag.local() == "Relationship" => {
                let target = resolve(folder, &tag.attribute("Target")?);
                Some((tag.attribute("Id")?.into_owned(), target))
            }
            _ => None,
        });
        Ok(relations.collect())
    }
}

/// Properties of a document.
#[derive(Debug, Default)]
pub(crate) struct Properties {
    pub(crate) title: Option<String>,
    pub(crate) time: Option<String>,
}

impl Properties {
    /// Reads the first `title`, and the first element of `times` that exists, in that order.
    pub(crate) fn read(source: &str, times: &[&str]) -> Self {
        let mut found: Vec<(&str, String)> = Vec::new();
        let mut element = None;
        for token in Markup::xml(source) {
            match token {
                MarkupToken::Open(tag) => {
                    let name = tag.local();
                    let is_new = found.iter().all(|(known, _)| *known != name);
                    let is_wanted = is_new && (name == "title" || times.contains(&name));
                    element = is_wanted.then_some(name);
                }
                MarkupToken::Text(text) => {
                    if let Some(name) = element.take() {
                        let value = unescape(text)
                            .chars()
                            .take(MAX_PROPERTY_CHARACTERS)
                            .collect::<String>();
                        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
                        if !value.is_empty() {
                            found.push((name, value));
                        }
                    }
                }
                MarkupToken::Verbatim(_) | MarkupToken::Close(_) => element = None,
            }
        }
        let value = |name: &str| {
            found.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
        };
        Self { title: value("title"), time: times.iter().find_map(|time| value(time)) }
    }
}

/// Resolves `target` relative to `folder`.
pub(crate) fn resolve(folder: &str, target: &str) -> String {
    let target = target.split(['#', '?']).next().unwrap_or_default();
    let base = if target.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in base.split('/').chain(target.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_resolved_relative_to_their_folder() {
        assert_eq!(resolve("ppt/slides", "../notes/n1.xml"), "ppt/notes/n1.xml");
        assert_eq!(resolve("OPS", "a.xhtml#x"), "OPS/a.xhtml");
        assert_eq!(resolve("a", "/b"), "b");
        assert_eq!(resolve("", "../../b"), "b");
    }

    #[test]
    fn properties_are_found() {
        let source =
            "<x><dc:title> A &amp; B</dc:title><created>1</created><modified>2</modified></x>";
        let properties = Properties::read(source, &["modified", "created"]);
        assert_eq!(properties.title.as_deref(), Some("A & B"));
        assert_eq!(properties.time.as_deref(), Some("2"));
    }
}
