//! The output of a command that rewrites its inputs: none, one file, or a directory with the same file names.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context;
use textkin::engine::report::{self, OutputFile, OutputFolder};
use textkin::engine::source::{InputFile, RewriteError, RewriteOutcome};

use crate::outputs::{self, ignore_broken_pipe};

/// Where the cleaned collection is written.
pub(crate) enum Target {
    /// Not written.
    Nothing,
    /// One file.
    File { name: PathBuf, file: Mutex<Option<OutputFile>> },
    /// A directory, and the input directory that file names are relative to, if there is one.
    RepoFolder { folder: Option<OutputFolder>, root: Option<PathBuf> },
}

impl Target {
    /// Checks the paths and starts the output. `out` is `None` if nothing is written; `others` are the other files that
    /// the command writes.
    pub(crate) fn new(
        inputs: &[PathBuf],
        files: &[InputFile],
        out: Option<&Path>,
        others: &[&Path],
    ) -> anyhow::Result<Self> {
        let is_input = |path: &Path| {
            let place = outputs::canonical(path);
            place.is_some() && files.iter().any(|file| outputs::canonical(&file.path) == place)
        };
        if let Some(other) = others.iter().find(|other| is_input(other)) {
            anyhow::bail!(
                "{} is an input and would be overwritten; choose another log file",
                other.display()
            );
        }
        let Some(out) = out else { return Ok(Self::Nothing) };
        let one = match inputs {
            [one] if one.as_os_str() == "-" || one.is_file() => Some(one),
            _ => None,
        };
        if let Some(one) = one {
            let name = match one.file_name().filter(|_| out.is_dir() && one.as_os_str() != "-") {
                Some(name) => out.join(name),
                None => out.to_owned(),
            };
            anyhow::ensure!(
                !is_input(&name),
                "{} is an input and would be overwritten; choose another output",
                name.display()
            );
            anyhow::ensure!(
                !others.contains(&name.as_path()),
                "{} is used for two outputs; choose different files",
                name.display()
            );
            let file = Mutex::new(Some(OutputFile::create(&name)?));
            return Ok(Self::File { name, file });
        }
        for input in inputs.iter().filter(|input| input.is_dir()) {
            let place = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
            let parent = place.parent().and_then(|parent| parent.canonicalize().ok());
            let place = parent
                .map_or(place.clone(), |parent| parent.join(place.file_name().unwrap_or_default()));
            let inside = input.canonicalize().is_ok_and(|input| place.starts_with(input));
            anyhow::ensure!(
                !inside,
                "the output {} is inside the input {}; choose another directory",
                out.display(),
                input.display()
            );
        }
        let root = match inputs {
            [one] if one.is_dir() => Some(one.clone()),
            _ => None,
        };
        let mut names = HashSet::new();
        for file in files {
            let name = relative(&file.path, root.as_deref());
            anyhow::ensure!(
                names.insert(name.clone()),
                "two inputs would be written to {}; run the command for one at a time",
                out.join(name).display()
            );
        }
        Ok(Self::RepoFolder { folder: Some(OutputFolder::create(out)?), root })
    }

    /// Writes an input file as `rewrite` edits it.
    pub(crate) fn rewrite(
        &self,
        file: &InputFile,
        rewrite: impl FnOnce(&mut (dyn Write + Send)) -> Result<RewriteOutcome, RewriteError>,
    ) -> anyhow::Result<RewriteOutcome> {
        let (name, rewritten) = match self {
            Self::Nothing => (PathBuf::new(), rewrite(&mut std::io::sink())),
            Self::File { name, file: slot } => {
                let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(output) = slot.take() else { return Ok(RewriteOutcome::Removed) };
                let mut output = BufWriter::with_capacity(1 << 17, output);
                let rewritten = rewrite(&mut output);
                let rewritten = rewritten.and_then(|rewritten| {
                    output.flush()?;
                    Ok(rewritten)
                });
                // If all of a file is removed, nothing is written and an existing output stays.
                if matches!(
                    rewritten,
                    Ok(RewriteOutcome::Written
                        | RewriteOutcome::Copied(_)
                        | RewriteOutcome::Truncated(_))
                ) {
                    *slot = output.into_inner().ok();
                }
                (name.clone(), rewritten)
            }
            Self::RepoFolder { folder, root } => {
                let Some(folder) = folder else { return Ok(RewriteOutcome::Removed) };
                let name = relative(&file.path, root.as_deref());
                let place = folder.path_of(&name)?;
                let file_result = File::create(&place);
                let created =
                    file_result.with_context(|| format!("cannot create {}", name.display()))?;
                let mut output = BufWriter::with_capacity(1 << 17, created);
                let rewritten = rewrite(&mut output);
                let rewritten = rewritten.and_then(|rewritten| {
                    output.flush()?;
                    Ok(rewritten)
                });
                match rewritten {
                    Ok(RewriteOutcome::Removed) => std::fs::remove_file(&place)?,
                    _ => {
                        if let Ok(metadata) = std::fs::metadata(&file.path) {
                            std::fs::set_permissions(&place, metadata.permissions())?;
                        }
                    }
                }
                (name, rewritten)
            }
        };
        rewritten.map_err(|error| match error {
            RewriteError::Write(source) => report::Error::write(&name, source).into(),
            error => error.into(),
        })
    }

    /// Gives the output its final name.
    pub(crate) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Nothing => {}
            Self::File { file, .. } => {
                if let Some(file) = file.into_inner().unwrap_or_else(PoisonError::into_inner) {
                    ignore_broken_pipe(file.finish())?;
                }
            }
            Self::RepoFolder { folder, .. } => {
                if let Some(folder) = folder {
                    folder.finish()?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the path of a file inside the output directory: relative to `root`, or as given, without components
/// that lead out of the directory.
fn relative(path: &Path, root: Option<&Path>) -> PathBuf {
    let inner = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
    let is_name = |component: &Component<'_>| matches!(component, Component::Normal(_));
    inner.components().filter(is_name).collect()
}
