//! Rewrites files that contain one document or several: copies, removes, or shortens them.

use std::io::Write;

use textkin_core::Source;

use super::{EditDecision, EditorSink, FormatOutcome, RewriteError, RewriteOutcome};
use crate::Inputs;
use crate::decode::encode_as;
use crate::piece::OpenInput;

pub(super) fn rewrite(
    inputs: &mut Inputs,
    mut opened: OpenInput,
    capture: &mut EditorSink<'_>,
    out: &mut (dyn Write + Send),
) -> Result<FormatOutcome, RewriteError> {
    while let Some(piece) = inputs.next_piece() {
        piece.read(capture);
    }
    if capture.is_stopped {
        return Ok(FormatOutcome::Done(RewriteOutcome::Stopped));
    }
    let decisions = std::mem::take(&mut capture.decisions);
    let is_dropped =
        |(decision, _): &&(EditDecision, Option<String>)| *decision == EditDecision::Drop;
    let n_removed = decisions.iter().filter(is_dropped).count();
    if n_removed > 0 && n_removed == decisions.len() {
        return Ok(FormatOutcome::Done(RewriteOutcome::Removed));
    }
    if n_removed > 0 {
        let n_documents = decisions.len();
        let reason = format!(
            "cannot remove {n_removed} of its {n_documents} documents; the file is kept unchanged"
        );
        return Ok(FormatOutcome::Copy(Some(reason)));
    }
    let is_cut = |(decision, _): &(EditDecision, Option<String>)| {
        matches!(decision, EditDecision::Replace(_))
    };
    if !decisions.iter().any(is_cut) {
        return Ok(FormatOutcome::Copy(None));
    }
    let copy_unchanged =
        || Ok(FormatOutcome::Copy(Some("not plain text, so nothing was cut".to_owned())));
    let [(EditDecision::Replace(text), Some(old))] = decisions.as_slice() else {
        return copy_unchanged();
    };
    let mut bytes = Vec::new();
    let compression = opened.stream.compression();
    if opened.stream.read_whole(opened.settings.max_document_bytes, &mut bytes).is_err() {
        return copy_unchanged();
    }
    // In other formats the bytes are not the encoded text.
    let Some(encoded) = encode_as(&bytes, old, text) else { return copy_unchanged() };
    let mut out = compression.encoder(out)?;
    out.write_all(&encoded)?;
    out.finish()?;
    Ok(FormatOutcome::Done(RewriteOutcome::Written))
}
