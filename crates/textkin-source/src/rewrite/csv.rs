//! Rewrites CSV and TSV: keeps or removes rows, replaces texts, adds two fields.

use std::io::Write;

use csv_core::{ReadFieldResult, ReaderBuilder};

use super::{
    DUPLICATE_OF, EditDecision, EditorSink, FormatOutcome, RewriteError, RewriteOutcome, SCORE,
    field_exists, truncated,
};
use crate::csv::{CsvCutter, Raw};
use crate::piece::OpenInput;
use crate::stream::explain;

pub(super) fn rewrite(
    mut opened: OpenInput,
    delimiter: u8,
    capture: &mut EditorSink<'_>,
    out: &mut (dyn Write + Send),
) -> Result<FormatOutcome, RewriteError> {
    let mut head = Vec::new();
    let is_readable = opened.stream.read_block(3, &mut head).is_ok();
    if !is_readable || matches!(head.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Ok(FormatOutcome::NoRecords);
    }
    let compression = opened.stream.compression();
    let name = opened.name.clone();
    let has_mark = head == b"\xef\xbb\xbf";
    if !has_mark {
        opened.stream = opened.stream.unread(head);
    }
    let mut rows = CsvCutter::new(opened, delimiter).with_raw();
    let Ok(Some(n_columns)) = rows.raw_header() else { return Ok(FormatOutcome::NoRecords) };
    let header = rows.take_raw();
    let mut out = compression.encoder(out)?;
    if has_mark {
        out.write_all(b"\xef\xbb\xbf")?;
    }
    if capture.editor.is_annotating() {
        for field in [DUPLICATE_OF, SCORE] {
            if has_column(&header.bytes[header.start..], field, delimiter) {
                return Err(field_exists(&name, field));
            }
        }
        write_extended(&header, n_columns, [DUPLICATE_OF, SCORE], delimiter, &mut out)?;
    } else {
        out.write_all(&header.bytes)?;
    }
    let mut is_after_drop = false;
    let mut n_rows = 0;
    loop {
        let row = rows.raw_row(n_columns, capture);
        if let Err(error) = &row {
            // A row truncated by corrupt data was not a document in the first pass.
            out.finish()?;
            return Ok(truncated(n_rows, "row", &explain(compression, error)));
        }
        n_rows += 1;
        let raw = rows.take_raw();
        if capture.is_stopped {
            return Ok(FormatOutcome::Done(RewriteOutcome::Stopped));
        }
        let decision = capture.take();
        // Drops the second byte of the line end of a removed row.
        let gap = &raw.bytes[..raw.start];
        let gap = if is_after_drop { gap.strip_prefix(b"\n").unwrap_or(gap) } else { gap };
        out.write_all(gap)?;
        let bytes = &raw.bytes[raw.start..];
        is_after_drop = false;
        match decision {
            Some(EditDecision::Drop) => is_after_drop = bytes.ends_with(b"\r"),
            Some(EditDecision::Replace(text)) => {
                let end = raw.text.end - usize::from(raw.text_is_ended);
                let is_quoted = raw.bytes[raw.text.start..].starts_with(b"\"");
                out.write_all(&raw.bytes[raw.start..raw.text.start])?;
                out.write_all(&field(&text, is_quoted, delimiter))?;
                out.write_all(&raw.bytes[end..])?;
            }
            Some(EditDecision::Annotate(annotation)) => {
                let score = annotation.as_ref().map(|annotation| annotation.score.to_string());
                let duplicate_of =
                    annotation.as_ref().map(|annotation| annotation.duplicate_of.as_str());
                let values =
                    [duplicate_of.unwrap_or_default(), score.as_deref().unwrap_or_default()];
                let raw = Raw { bytes: bytes.to_vec(), start: 0, ..raw };
                write_extended(&raw, n_columns, values, delimiter, &mut out)?;
            }
            None | Some(EditDecision::Keep | EditDecision::Stop) => out.write_all(bytes)?,
        }
        if !matches!(row, Ok(true)) {
            break;
        }
    }
    out.finish()?;
    Ok(FormatOutcome::Done(RewriteOutcome::Written))
}

/// Writes a row with two fields added before its line end.
fn write_extended(
    raw: &Raw,
    n_columns: usize,
    values: [&str; 2],
    delimiter: u8,
    out: &mut dyn Write,
) -> Result<(), RewriteError> {
    let (row, end) = raw.bytes.split_at(raw.bytes.len() - usize::from(raw.is_ended));
    let mut more = Vec::new();
    for value in values {
        more.push(delimiter);
        if !value.is_empty() {
            more.extend(field(value, false, delimiter));
        }
    }
    out.write_all(row)?;
    // The last field of a file may lack its closing quote.
    let is_open = !raw.is_ended
        && fields(&[&row[raw.start..], &more].concat(), delimiter).len() != n_columns + 2;
    if is_open {
        out.write_all(b"\"")?;
    }
    out.write_all(&more)?;
    out.write_all(end)?;
    Ok(())
}

/// Encodes a value as a field, quoted if necessary. An empty value is quoted too: alone in its row it
/// would be an empty line, which is not a row.
fn field(value: &str, is_quoted: bool, delimiter: u8) -> Vec<u8> {
    let is_special = |byte: u8| byte == delimiter || matches!(byte, b'"' | b'\n' | b'\r');
    if !is_quoted && !value.is_empty() && !value.bytes().any(is_special) {
        return value.as_bytes().to_vec();
    }
    format!("\"{}\"", value.replace('"', "\"\"")).into_bytes()
}

fn has_column(header: &[u8], name: &str, delimiter: u8) -> bool {
    fields(header, delimiter).iter().any(|field| field.trim_ascii() == name.as_bytes())
}

/// Splits one row into fields.
fn fields(row: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
    let mut core = ReaderBuilder::new().delimiter(delimiter).build();
    let mut fields = vec![Vec::new()];
    let mut output = [0; 1 << 12];
    let mut at = 0;
    loop {
        let (result, n_in, n_out) = core.read_field(&row[at..], &mut output);
        at += n_in;
        if let Some(field) = fields.last_mut() {
            field.extend_from_slice(&output[..n_out]);
        }
        match result {
            ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
            ReadFieldResult::Field { record_end: false } => fields.push(Vec::new()),
            ReadFieldResult::Field { record_end: true } | ReadFieldResult::End => return fields,
        }
    }
}
