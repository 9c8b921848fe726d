//! Files that are one document or hold some: copied, left out, or written with a part cut out.

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
    let fates = std::mem::take(&mut capture.fates);
    let goes = |(fate, _): &&(EditDecision, Option<String>)| *fate == EditDecision::Drop;
    let n_gone = fates.iter().filter(goes).count();
    if n_gone > 0 && n_gone == fates.len() {
        return Ok(FormatOutcome::Done(RewriteOutcome::Removed));
    }
    if n_gone > 0 {
        let n_documents = fates.len();
        let reason = format!("{n_gone} of its {n_documents} documents would go; it is kept whole");
        return Ok(FormatOutcome::Copy(Some(reason)));
    }
    let is_cut =
        |(fate, _): &(EditDecision, Option<String>)| matches!(fate, EditDecision::Replace(_));
    if !fates.iter().any(is_cut) {
        return Ok(FormatOutcome::Copy(None));
    }
    let uncut =
        || Ok(FormatOutcome::Copy(Some("not plain text, nothing is cut out of it".to_owned())));
    let [(EditDecision::Replace(text), Some(old))] = fates.as_slice() else { return uncut() };
    let mut bytes = Vec::new();
    let compression = opened.stream.compression();
    if opened.stream.read_whole(opened.settings.max_document_bytes, &mut bytes).is_err() {
        return uncut();
    }
    // Of other formats the text is not what the bytes say.
    let Some(encoded) = encode_as(&bytes, old, text) else { return uncut() };
    let mut out = compression.encoder(out)?;
    out.write_all(&encoded)?;
    out.finish()?;
    Ok(FormatOutcome::Done(RewriteOutcome::Written))
}
