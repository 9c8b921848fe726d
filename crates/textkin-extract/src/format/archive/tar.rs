//! Tar archives: every file is a part.

use crate::{Error, ExtractContext, Extractor, FileKind};

/// Reads tar archives.
pub(crate) struct Tar;

impl Extractor for Tar {
    fn kind(&self) -> FileKind {
        FileKind::Tar
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let mut archive = tar::Archive::new(bytes);
        let entries = archive.entries().map_err(|error| Error::corrupt(FileKind::Tar, error))?;
        for (index, entry) in entries.enumerate() {
            context.take_entry()?;
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return context.problem(&format!("entry {}", index + 1), error),
            };
            let kind = entry.header().entry_type();
            if !kind.is_file() && !kind.is_gnu_sparse() && !kind.is_contiguous() {
                continue;
            }
            let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
            let label = if name.is_empty() { format!("entry {}", index + 1) } else { name.clone() };
            if kind.is_gnu_sparse() {
                let (expanded, failure) = match context.expand(entry, bytes.len() as u64) {
                    Ok(expanded) => expanded,
                    Err(error) if error.is_final() => return Err(error),
                    Err(error) => {
                        context.problem(&label, error)?;
                        continue;
                    }
                };
                match failure {
                    None => context.nested(&label, Some(&name), &expanded)?,
                    Some(failure) => context.problem(&label, failure)?,
                }
                continue;
            }
            let start = usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX);
            let n_bytes = usize::try_from(entry.size()).unwrap_or(usize::MAX);
            match bytes.get(start..start.saturating_add(n_bytes)) {
                Some(content) => context.nested(&label, Some(&name), content)?,
                None => context.problem(&label, "truncated entry")?,
            }
        }
        Ok(())
    }
}
