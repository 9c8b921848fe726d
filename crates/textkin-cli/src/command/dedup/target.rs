//! Where the cleaned collection goes: nowhere, to one file, or to a folder of the same names.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use anyhow::Context;
use textkin::DedupEditor;
use textkin::report::{self, OutputFile, OutputFolder};
use textkin::source::{InputFile, Inputs, RewriteError, RewriteOutcome};

use crate::arguments::Dedup;
use crate::outputs::{self, unless_closed};

/// Where the cleaned collection goes.
pub(super) enum Target {
    /// Nowhere.
    Nothing,
    /// One file.
    File { name: PathBuf, file: Option<OutputFile> },
    /// A folder, and the folder inside which the names of files are taken, if there is one.
    Folder { folder: Option<OutputFolder>, root: Option<PathBuf> },
}

impl Target {
    pub(super) fn new(arguments: &Dedup, files: &[InputFile]) -> anyhow::Result<Self> {
        let is_input = |path: &Path| {
            let place = outputs::place(path);
            place.is_some() && files.iter().any(|file| outputs::place(&file.path) == place)
        };
        if let Some(log) = arguments.cleaned.log.as_deref().filter(|log| is_input(log)) {
            anyhow::bail!("{} is an input and would be overwritten", log.display());
        }
        let Some(out) = arguments.cleaned.out.as_deref().filter(|_| !arguments.cleaned.dry_run)
        else {
            return Ok(Self::Nothing);
        };
        let one = match arguments.inputs.as_slice() {
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
                "{} is an input and would be overwritten; name another output",
                name.display()
            );
            let is_both = arguments.cleaned.log.as_ref().is_some_and(|log| *log == name);
            anyhow::ensure!(!is_both, "{} is named for two outputs", name.display());
            let file = Some(OutputFile::create(&name)?);
            return Ok(Self::File { name, file });
        }
        for input in arguments.inputs.iter().filter(|input| input.is_dir()) {
            let place = std::path::absolute(out).unwrap_or_else(|_| out.to_owned());
            let parent = place.parent().and_then(|parent| parent.canonicalize().ok());
            let place = parent
                .map_or(place.clone(), |parent| parent.join(place.file_name().unwrap_or_default()));
            let inside = input.canonicalize().is_ok_and(|input| place.starts_with(input));
            anyhow::ensure!(
                !inside,
                "{} lies in {}, which is read; name a folder outside",
                out.display(),
                input.display()
            );
        }
        let root = match arguments.inputs.as_slice() {
            [one] if one.is_dir() => Some(one.clone()),
            _ => None,
        };
        let mut names = HashSet::new();
        for file in files {
            let name = relative(&file.path, root.as_deref());
            anyhow::ensure!(
                names.insert(name.clone()),
                "two inputs would be written to {}; clean them one by one",
                out.join(name).display()
            );
        }
        Ok(Self::Folder { folder: Some(OutputFolder::create(out)?), root })
    }

    /// Writes a file again.
    pub(super) fn rewrite(
        &mut self,
        inputs: &Inputs,
        file: &InputFile,
        editor: &mut DedupEditor<'_>,
    ) -> anyhow::Result<RewriteOutcome> {
        let (name, rewritten) = match self {
            Self::Nothing => (PathBuf::new(), inputs.rewrite(file, editor, &mut std::io::sink())),
            Self::File { name, file: slot } => {
                let Some(output) = slot.take() else { return Ok(RewriteOutcome::Removed) };
                let mut output = BufWriter::with_capacity(1 << 17, output);
                let rewritten = inputs.rewrite(file, editor, &mut output);
                let rewritten = rewritten.and_then(|rewritten| {
                    output.flush()?;
                    Ok(rewritten)
                });
                // A file that goes is not written: what was there under its name stays.
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
            Self::Folder { folder, root } => {
                let Some(folder) = folder else { return Ok(RewriteOutcome::Removed) };
                let name = relative(&file.path, root.as_deref());
                let place = folder.place(&name)?;
                let made = File::create(&place);
                let made = made.with_context(|| format!("cannot create {}", name.display()))?;
                let mut output = BufWriter::with_capacity(1 << 17, made);
                let rewritten = inputs.rewrite(file, editor, &mut output);
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

    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::Nothing => {}
            Self::File { file, .. } => {
                if let Some(file) = file {
                    unless_closed(file.finish())?;
                }
            }
            Self::Folder { folder, .. } => {
                if let Some(folder) = folder {
                    folder.finish()?;
                }
            }
        }
        Ok(())
    }
}

/// The name of a file in the folder that is written: inside `root`, or as it was given, without what
/// would lead out of the folder.
fn relative(path: &Path, root: Option<&Path>) -> PathBuf {
    let inner = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
    let is_name = |component: &Component<'_>| matches!(component, Component::Normal(_));
    inner.components().filter(is_name).collect()
}
