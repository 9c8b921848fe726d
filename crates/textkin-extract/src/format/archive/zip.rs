//! Zip archives: every file is a part.

use std::io::Cursor;

use crate::{Error, ExtractContext, Extractor, FileKind};

/// Reads zip archives.
pub(crate) struct Zip;

impl Extractor for Zip {
    fn kind(&self) -> FileKind {
        FileKind::Zip
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| Error::corrupt(FileKind::Zip, error))?;
        for index in 0..archive.len() {
            context.take_entry()?;
            let entry = match archive.by_index(index) {
                Ok(entry) => entry,
                Err(error) => {
                    context.problem(&format!("entry {}", index + 1), error)?;
                    continue;
                }
            };
            if entry.is_dir() {
                continue;
            }
            let name = String::from_utf8_lossy(entry.name_raw()).into_owned();
            let n_compressed = entry.compressed_size().min(bytes.len() as u64);
            match context.expand(entry, n_compressed) {
                Ok((expanded, None)) => {
                    context.nested(&label(&name, index), Some(&name), &expanded)?
                }
                Ok((_, Some(failure))) => context.problem(&label(&name, index), failure)?,
                Err(error) if error.is_final() => return Err(error),
                Err(error) => context.problem(&label(&name, index), error)?,
            }
        }
        Ok(())
    }
}

/// Returns a non-empty label.
fn label(name: &str, index: usize) -> String {
    let has_name = name.chars().any(|c| !c.is_control() && !matches!(c, '.' | '/' | '\\' | ' '));
    if has_name { name.to_owned() } else { format!("entry {}", index + 1) }
}
