//! Netnews and mail articles: header fields, an empty line, a body; one per file, or many in a mailbox.

use std::path::{Path, PathBuf};

use super::CollectionDocument;
use super::threads::ThreadLinks;
use crate::error::{Error, at};

/// An article: its text and its links to other articles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Article {
    pub(super) text: CollectionDocument,
    pub(super) links: ThreadLinks,
}

/// Reads all articles of files and folders, in the order of their paths.
///
/// # Errors
/// If one cannot be read, or an article has no Message-ID.
pub(super) fn read(paths: &[PathBuf]) -> Result<Vec<Article>, Error> {
    let mut articles = Vec::new();
    for path in paths {
        for file in files(path)? {
            let bytes = std::fs::read(&file).map_err(at(&file))?;
            // Old articles that are not UTF-8 use some single-byte encoding.
            let text = match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(error) => error.into_bytes().iter().map(|byte| char::from(*byte)).collect(),
            };
            for (line, message) in messages(&text) {
                let article = Article::parse(message).ok_or_else(|| {
                    let reason = "article without a Message-ID".to_owned();
                    Error::Label { path: file.clone(), line, reason }
                })?;
                articles.push(article);
            }
        }
    }
    Ok(articles)
}

/// Returns a file itself, or all files under a folder.
fn files(path: &Path) -> Result<Vec<PathBuf>, Error> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(at(&folder))? {
            let entry = entry.map_err(at(&folder))?;
            // Symbolic links are skipped to avoid cycles.
            let kind = entry.file_type().map_err(at(&folder))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the messages of a text with the line they start at: those of a mailbox, or the text itself.
fn messages(text: &str) -> Vec<(u64, &str)> {
    if !text.starts_with("From ") {
        return if text.trim().is_empty() { Vec::new() } else { vec![(1, text)] };
    }
    let mut messages = Vec::new();
    let (mut start, mut start_line, mut offset, mut is_after_empty) = (0, 1, 0, true);
    for (number, line) in (1..).zip(text.split_inclusive('\n')) {
        if is_after_empty && line.starts_with("From ") && offset > 0 {
            messages.extend(text.get(start..offset).map(|message| (start_line, message)));
            (start, start_line) = (offset, number);
        }
        is_after_empty = line.trim().is_empty();
        offset += line.len();
    }
    messages.extend(text.get(start..).map(|message| (start_line, message)));
    messages
}

impl Article {
    /// Parses a message; returns `None` without a Message-ID.
    fn parse(message: &str) -> Option<Self> {
        let mut fields: Vec<(String, String)> = Vec::new();
        let mut lines = message.split_inclusive('\n');
        for (number, line) in lines.by_ref().enumerate() {
            let is_envelope = number == 0 && line.starts_with("From ");
            if line.trim().is_empty() {
                break;
            } else if line.starts_with([' ', '\t']) {
                // Continuation of a long field.
                if let Some((_, value)) = fields.last_mut() {
                    value.push(' ');
                    value.push_str(line.trim());
                }
            } else if let Some((name, value)) = line.split_once(':').filter(|_| !is_envelope) {
                fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
            }
        }
        let field = |name: &str| {
            fields.iter().find(|(one, _)| one == name).map_or("", |(_, value)| value.as_str())
        };
        let id = names(field("message-id")).next()?.to_owned();
        let references =
            names(field("references")).chain(names(field("in-reply-to"))).map(str::to_owned);
        let links = ThreadLinks { name: id.clone(), references: references.collect() };
        let text = CollectionDocument { id, time: date(field("date")), text: lines.collect() };
        Some(Self { text, links })
    }
}

/// Returns the article ids in a field: everything in angle brackets, brackets included.
pub(super) fn names(field: &str) -> impl Iterator<Item = &str> {
    field.split_inclusive('>').filter_map(|part| {
        let name = part.get(part.find('<')?..)?;
        (name.ends_with('>') && name.len() > 2).then_some(name)
    })
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Converts a header date (`Thu, 25 Jun 1992 23:04:54 GMT`) to a sortable one. A numeric zone is kept, a
/// named one is read as UTC.
fn date(field: &str) -> Option<String> {
    let words: Vec<&str> = field.split([' ', ',', '\t']).filter(|word| !word.is_empty()).collect();
    let at = words.iter().position(|word| {
        let short = word.get(..3).unwrap_or_default().to_ascii_lowercase();
        MONTHS.contains(&short.as_str())
    })?;
    let short = words.get(at)?.get(..3)?.to_ascii_lowercase();
    let month = 1 + MONTHS.iter().position(|month| *month == short)?;
    let day: u32 = words.get(at.checked_sub(1)?)?.parse().ok()?;
    let year: u32 = words.get(at + 1)?.parse().ok()?;
    let year = if year < 70 {
        year + 2000
    } else if year < 100 {
        year + 1900
    } else {
        year
    };
    let time = words.get(at + 2).copied().filter(|time| time.contains(':')).unwrap_or("00:00:00");
    let zone = words.get(at + 3).copied().unwrap_or("Z");
    let zone = match zone.split_at_checked(3) {
        Some((hours, minutes)) if zone.starts_with(['+', '-']) && minutes.len() == 2 => {
            format!("{hours}:{minutes}")
        }
        _ => "Z".to_owned(),
    };
    let whole = format!("{year:04}-{month:02}-{day:02}T{time}{zone}");
    whole.parse::<textkin::engine::Timestamp>().is_ok().then_some(whole)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FIRST: &str =
        "Path: a!b\nMessage-ID: <1@x>\nDate: Thu, 25 Jun 1992 23:04:54 GMT\n\nOne line.\n";
    const REPLY: &str = "Message-Id: <2@x>\nReferences: <0@x>\n <1@x>\nIn-Reply-To: a word of <1@x>\n\
                         Date: 26 Jun 92 01:00:00 +0200\n\n> One line.\nNo.\n";

    #[test]
    fn headers_and_body_are_separated() {
        let article = Article::parse(REPLY).unwrap();
        assert_eq!(article.text.text, "> One line.\nNo.\n");
        assert_eq!(article.links.references, ["<0@x>", "<1@x>", "<1@x>"]);
        assert_eq!(article.text.time.as_deref(), Some("1992-06-26T01:00:00+02:00"));
        assert_eq!(Article::parse("Subject: nobody\n\ntext"), None);
    }

    #[test]
    fn mailboxes_folders_and_files_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let mailbox = format!("From a@b Thu\n{FIRST}\nFrom here it is text.\n\nFrom c@d\n{REPLY}");
        for (name, text) in [("b/2", REPLY), ("a.mbox", mailbox.as_str()), ("b/1", FIRST)] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let ids = |path: &str| {
            let articles = read(&[folder.path().join(path)]);
            articles.map(|all| all.into_iter().map(|one| one.text.id).collect::<Vec<_>>())
        };
        assert_eq!(ids("b").unwrap(), ["<1@x>", "<2@x>"]);
        // A mailbox reader takes a text line that begins like a message for one.
        let error = ids("a.mbox").unwrap_err().to_string();
        assert!(error.ends_with("a.mbox:8: article without a Message-ID"), "{error}");
        let mailbox = mailbox.replace("From here", ">From here");
        std::fs::write(folder.path().join("a.mbox"), mailbox).unwrap();
        assert_eq!(ids("").unwrap(), ["<1@x>", "<2@x>", "<1@x>", "<2@x>"]);
        assert!(ids("c").is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "(From |[a-z]{0,3}: ?|<|>|\n| |é|[0-9]){0,60}") {
            for (_, message) in messages(&text) {
                let _ = Article::parse(message);
            }
            let _ = date(&text);
        }
    }
}
