//! Rewrites Parquet: keeps or removes rows, replaces texts, adds two columns. Schema, metadata, row
//! groups and column compression stay the same.

use std::io::{self, Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::arrow::ArrowWriter;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use ::parquet::arrow::arrow_writer::ArrowWriterOptions;
use ::parquet::errors::{ParquetError, Result as ParquetResult};
use ::parquet::file::properties::WriterProperties;
use arrow_array::builder::GenericByteDictionaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    ArrowDictionaryKeyType, BinaryType, ByteArrayType, LargeBinaryType, LargeUtf8Type, Utf8Type,
};
use arrow_array::{
    Array, ArrayRef, BinaryViewArray, BooleanArray, Float64Array, GenericByteArray, RecordBatch,
    StringArray, StringViewArray, StructArray, downcast_integer,
};
use arrow_schema::{DataType, Field, Fields, Schema};
use arrow_select::filter::filter_record_batch;
use arrow_select::take::take;
use bytes::Bytes;

use super::{
    DUPLICATE_OF, EditDecision, EditorSink, FormatOutcome, RewriteError, RewriteOutcome, SCORE,
    field_exists,
};
use crate::compression::Compression;
use crate::parquet::{ParquetCutter, guarded};
use crate::piece::{Cutter, OpenInput};
use crate::stream::Stream;

/// The metadata key of the Arrow schema; the writer adds its own.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// Rows read at once.
const MAX_ROWS: usize = 1024;

pub(super) fn rewrite(
    mut opened: OpenInput,
    path: Option<&Path>,
    capture: &mut EditorSink<'_>,
    out: &mut (dyn Write + Send),
) -> Result<FormatOutcome, RewriteError> {
    let name = PathBuf::from(&*opened.name);
    let field = opened.settings.text_field.clone();
    let compression = opened.stream.compression();
    let path = path.filter(|_| compression == Compression::None);
    let bytes = match path {
        Some(path) => TableFile::File(path.to_owned()),
        None => {
            let mut bytes = Vec::new();
            let limit = opened.settings.max_document_bytes;
            if opened.stream.read_whole(limit, &mut bytes).is_err() {
                return Ok(FormatOutcome::NoRecords);
            }
            let bytes = Bytes::from(bytes);
            opened.stream = Stream::new(Cursor::new(bytes.clone()))?;
            TableFile::Memory(bytes)
        }
    };
    let Ok(cutter) = ParquetCutter::new(opened, path) else { return Ok(FormatOutcome::NoRecords) };
    let Some(mut groups) = cutter.groups_with_text() else { return Ok(FormatOutcome::NoRecords) };

    let corrupt = |reason: String| RewriteError::Corrupt { path: name.clone(), reason };
    let write_error = |reason: String| RewriteError::Write(io::Error::other(reason));
    let metadata = guarded(|| bytes.describe()).map_err(corrupt)?;
    let is_annotating = capture.editor.is_annotating();
    let schema = match is_annotating {
        true => extend_schema(metadata.schema(), &name)?,
        false => Arc::clone(metadata.schema()),
    };
    let mut out = compression.encoder(out)?;
    let options = options(&metadata);
    let mut writer =
        guarded(|| ArrowWriter::try_new_with_options(&mut out, Arc::clone(&schema), options))
            .map_err(corrupt)?;
    let mut number = 0;
    while let Some(group) = groups.next_piece() {
        capture.begin_rows();
        group.read(capture);
        if capture.is_stopped {
            return Ok(FormatOutcome::Done(RewriteOutcome::Stopped));
        }
        let mut decisions = capture.take_rows().into_iter();
        let reader = guarded(|| bytes.reader(&metadata, number)).map_err(corrupt)?;
        for batch in reader {
            let batch = guarded(|| batch).map_err(corrupt)?;
            let decisions: Vec<Option<EditDecision>> =
                decisions.by_ref().take(batch.num_rows()).collect();
            if decisions.len() != batch.num_rows() {
                return Err(corrupt(format!("cannot read all of row group {number}")));
            }
            let edited = edit(&batch, &decisions, &field, is_annotating.then_some(&schema));
            let edited = guarded(|| edited).map_err(corrupt)?;
            guarded(|| writer.write(&edited)).map_err(write_error)?;
        }
        guarded(|| writer.flush()).map_err(write_error)?;
        number += 1;
    }
    guarded(|| writer.close()).map_err(write_error)?;
    out.finish()?;
    Ok(FormatOutcome::Done(RewriteOutcome::Written))
}

/// The bytes of a table: a file on disk, or memory.
enum TableFile {
    File(PathBuf),
    Memory(Bytes),
}

impl TableFile {
    fn describe(&self) -> ParquetResult<ArrowReaderMetadata> {
        let options = ArrowReaderOptions::new();
        match self {
            Self::File(path) => {
                ArrowReaderMetadata::load(&fs_err::File::open(path)?.into_file(), options)
            }
            Self::Memory(bytes) => ArrowReaderMetadata::load(bytes, options),
        }
    }

    /// Returns a reader of all columns of a row group.
    fn reader(
        &self,
        metadata: &ArrowReaderMetadata,
        group: usize,
    ) -> ParquetResult<ParquetRecordBatchReader> {
        let metadata = metadata.clone();
        match self {
            Self::File(path) => {
                let file = fs_err::File::open(path)?.into_file();
                ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata)
                    .with_row_groups(vec![group])
                    .with_batch_size(MAX_ROWS)
                    .build()
            }
            Self::Memory(bytes) => {
                ParquetRecordBatchReaderBuilder::new_with_metadata(bytes.clone(), metadata)
                    .with_row_groups(vec![group])
                    .with_batch_size(MAX_ROWS)
                    .build()
            }
        }
    }
}

/// Returns the schema with two columns added.
fn extend_schema(schema: &Schema, name: &Path) -> Result<Arc<Schema>, RewriteError> {
    let mut fields: Vec<Arc<Field>> = schema.fields().iter().cloned().collect();
    for (field, kind) in [(DUPLICATE_OF, DataType::Utf8), (SCORE, DataType::Float64)] {
        if schema.field_with_name(field).is_ok() {
            return Err(field_exists(&name.to_string_lossy(), field));
        }
        fields.push(Arc::new(Field::new(field, kind, true)));
    }
    Ok(Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone())))
}

/// Writer options that match the original table.
fn options(metadata: &ArrowReaderMetadata) -> ArrowWriterOptions {
    let mut properties = WriterProperties::builder();
    let groups = metadata.metadata().row_groups();
    for column in groups.first().map_or(&[][..], |group| group.columns()) {
        properties =
            properties.set_column_compression(column.column_path().clone(), column.compression());
    }
    let keys = metadata.metadata().file_metadata().key_value_metadata();
    let has_arrow = keys.is_some_and(|keys| keys.iter().any(|pair| pair.key == ARROW_SCHEMA));
    let others =
        keys.map(|keys| keys.iter().filter(|pair| pair.key != ARROW_SCHEMA).cloned().collect());
    let properties =
        properties.set_max_row_group_row_count(None).set_key_value_metadata(others).build();
    ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(!has_arrow)
}

/// Applies the decisions to a batch of rows.
fn edit(
    batch: &RecordBatch,
    decisions: &[Option<EditDecision>],
    field: &str,
    annotated: Option<&Arc<Schema>>,
) -> ParquetResult<RecordBatch> {
    let mut columns = batch.columns().to_vec();
    if let Some(schema) = annotated {
        let annotation = |decision: &Option<EditDecision>| match decision {
            Some(EditDecision::Annotate(annotation)) => annotation.clone(),
            _ => None,
        };
        let ids: StringArray = decisions
            .iter()
            .map(|decision| annotation(decision).map(|found| found.duplicate_of))
            .collect();
        let scores: Float64Array = decisions
            .iter()
            .map(|decision| annotation(decision).map(|found| found.score))
            .collect();
        columns.push(Arc::new(ids));
        columns.push(Arc::new(scores));
        return Ok(RecordBatch::try_new(Arc::clone(schema), columns)?);
    }
    let texts: Vec<Option<&str>> = decisions
        .iter()
        .map(|decision| match decision {
            Some(EditDecision::Replace(text)) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    if texts.iter().any(Option::is_some) {
        columns = with_texts(columns, batch.schema_ref().fields(), field, &texts)?;
    }
    let batch = RecordBatch::try_new(Arc::clone(batch.schema_ref()), columns)?;
    let is_kept: BooleanArray =
        decisions.iter().map(|decision| Some(*decision != Some(EditDecision::Drop))).collect();
    Ok(filter_record_batch(&batch, &is_kept)?)
}

/// Replaces the texts of the column with this name or dotted path into structs.
fn with_texts(
    mut columns: Vec<ArrayRef>,
    fields: &Fields,
    name: &str,
    texts: &[Option<&str>],
) -> ParquetResult<Vec<ArrayRef>> {
    let position = |name: &str| fields.iter().position(|field| field.name() == name);
    if let Some(index) = position(name) {
        columns[index] = replaced(&columns[index], texts)?;
        return Ok(columns);
    }
    for (dot, _) in name.match_indices('.') {
        let Some(index) = position(&name[..dot]) else { continue };
        let Some(outer) = columns[index].as_struct_opt() else { continue };
        let inner = with_texts(outer.columns().to_vec(), outer.fields(), &name[dot + 1..], texts)?;
        let outer = StructArray::try_new(outer.fields().clone(), inner, outer.nulls().cloned())?;
        columns[index] = Arc::new(outer);
        break;
    }
    Ok(columns)
}

/// Replaces the values for which there is a new text; the type of the column stays the same.
fn replaced(column: &ArrayRef, texts: &[Option<&str>]) -> ParquetResult<ArrayRef> {
    Ok(match column.data_type() {
        DataType::Utf8 => replaced_bytes(column.as_bytes::<Utf8Type>(), texts, |new| new),
        DataType::LargeUtf8 => replaced_bytes(column.as_bytes::<LargeUtf8Type>(), texts, |new| new),
        DataType::Binary => replaced_bytes(column.as_bytes::<BinaryType>(), texts, str::as_bytes),
        DataType::LargeBinary => {
            replaced_bytes(column.as_bytes::<LargeBinaryType>(), texts, str::as_bytes)
        }
        DataType::Utf8View => {
            let values = column.as_string_view().iter().zip(texts).map(|(old, new)| new.or(old));
            Arc::new(values.collect::<StringViewArray>())
        }
        DataType::BinaryView => {
            let new = texts.iter().map(|text| text.map(str::as_bytes));
            let values = column.as_binary_view().iter().zip(new).map(|(old, new)| new.or(old));
            Arc::new(values.collect::<BinaryViewArray>())
        }
        DataType::Dictionary(key, _) => {
            let old = column.as_any_dictionary();
            let plain = &replaced(&take(old.values(), old.keys(), None)?, texts)?;
            downcast_integer! {
                key.as_ref() => (packed_with, plain),
                key => return Err(unsupported(key)),
            }
        }
        kind => return Err(unsupported(kind)),
    })
}

fn replaced_bytes<'a, T: ByteArrayType>(
    old: &'a GenericByteArray<T>,
    texts: &[Option<&'a str>],
    native: impl Fn(&'a str) -> &'a T::Native,
) -> ArrayRef
where
    GenericByteArray<T>: FromIterator<Option<&'a T::Native>>,
{
    let values = old.iter().zip(texts).map(|(old, new)| new.map(&native).or(old));
    Arc::new(values.collect::<GenericByteArray<T>>())
}

macro_rules! packed_with {
    ($key:ty, $plain:expr) => {
        packed::<$key>($plain)?
    };
}
use packed_with;

/// Returns the values as a dictionary with keys of type `K`.
fn packed<K: ArrowDictionaryKeyType>(plain: &ArrayRef) -> ParquetResult<ArrayRef> {
    match plain.data_type() {
        DataType::Utf8 => packed_bytes::<K, Utf8Type>(plain.as_bytes()),
        DataType::LargeUtf8 => packed_bytes::<K, LargeUtf8Type>(plain.as_bytes()),
        DataType::Binary => packed_bytes::<K, BinaryType>(plain.as_bytes()),
        DataType::LargeBinary => packed_bytes::<K, LargeBinaryType>(plain.as_bytes()),
        kind => Err(unsupported(kind)),
    }
}

fn packed_bytes<K: ArrowDictionaryKeyType, T: ByteArrayType>(
    plain: &GenericByteArray<T>,
) -> ParquetResult<ArrayRef> {
    let mut builder = GenericByteDictionaryBuilder::<K, T>::new();
    for value in plain {
        match value {
            Some(value) => _ = builder.append(value)?,
            None => builder.append_null(),
        }
    }
    Ok(Arc::new(builder.finish()))
}

fn unsupported(kind: &DataType) -> ParquetError {
    ParquetError::NYI(format!("texts of type {kind} cannot be replaced"))
}
