//! Parquet: each row is a document; its row number takes the place of the line number.
//!
//! In: a file, or a stream that is read into memory. Out: a piece for each row group. The piece opens
//! the file again and reads only the requested columns (all, if metadata is kept), a few megabytes
//! at a time.

mod metadata;

use std::fmt::Display;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ::parquet::arrow::ProjectionMask;
use ::parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use textkin_core::{DocumentSink, Piece, Problem};

use crate::SourceSettings;
use crate::column::{InvalidUtf8, display_at, find, is_text, text_at};
use crate::compression::Compression;
use crate::json::N_FIELDS;
use crate::piece::{Cutter, OpenInput, Record, RecordEmitter, list, report, too_long};
use crate::stream::reason;

/// Approximate bytes of text decoded at once.
const BATCH_BYTES: u64 = 4 << 20;

/// Maximum rows decoded at once.
const MAX_ROWS: u64 = 8192;

/// The bytes of a table: a file on disk, or memory.
#[derive(Clone)]
enum TableBytes {
    File(PathBuf),
    Memory(Bytes),
}

/// A table, shared by all pieces of an input.
struct Table {
    settings: Arc<SourceSettings>,
    name: Arc<str>,
    bytes: TableBytes,
    metadata: ArrowReaderMetadata,
    /// Requested columns: name, and index among the leaves of the schema.
    columns: [Option<(String, usize)>; N_FIELDS],
}

/// Produces one piece for each row group.
pub(crate) struct ParquetCutter {
    table: Arc<Table>,
    next_group: usize,
    /// Number of the first row of the next group, counted from 1.
    row: u64,
    /// Problems to report first, in reverse order.
    waiting: Vec<Box<dyn Piece>>,
}

impl ParquetCutter {
    /// Reads the metadata of the file; `path` is where it can be opened again.
    pub(crate) fn new(mut opened: OpenInput, path: Option<&Path>) -> Result<Self, String> {
        let bytes = match path {
            Some(path) if opened.stream.compression() == Compression::None => {
                TableBytes::File(path.to_owned())
            }
            _ => {
                let mut bytes = Vec::new();
                opened.stream.read_whole(opened.settings.max_document_bytes, &mut bytes)?;
                TableBytes::Memory(Bytes::from(bytes))
            }
        };
        let metadata = match &bytes {
            TableBytes::File(path) => {
                let file = fs_err::File::open(path).map_err(|error| reason(&error))?.into_file();
                guarded(|| describe(&file))?
            }
            TableBytes::Memory(bytes) => guarded(|| describe(bytes))?,
        };
        let settings = opened.settings;
        let wanted = [
            (settings.text_field.as_str(), true),
            (settings.id_name(), settings.id_field.is_some()),
            (settings.time_name(), settings.time_field.is_some()),
        ];
        let names: Vec<String> = metadata
            .parquet_schema()
            .columns()
            .iter()
            .map(|column| column.path().string())
            .collect();
        let mut waiting = Vec::new();
        let columns = wanted.map(|(name, is_needed)| {
            let leaf = names.iter().position(|column| column == name);
            if is_needed && leaf.is_none() {
                let reason = format!("no column '{name}'; columns here: {}", list(&names));
                waiting.push(report(&opened.name, None, reason));
            }
            leaf.map(|leaf| (name.to_owned(), leaf))
        });
        waiting.reverse();
        let next_group = if columns[0].is_some() { 0 } else { usize::MAX };
        let table =
            Table { settings: Arc::clone(&settings), name: opened.name, bytes, metadata, columns };
        Ok(Self { table: Arc::new(table), next_group, row: 1, waiting })
    }
}

impl ParquetCutter {
    /// Drops the pending problems; returns `None` if there is no text column.
    pub(crate) fn groups_with_text(mut self) -> Option<Self> {
        self.waiting.clear();
        self.table.columns[0].is_some().then_some(self)
    }
}

impl Cutter for ParquetCutter {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        if let Some(piece) = self.waiting.pop() {
            return Some(piece);
        }
        let group = self.table.metadata.metadata().row_groups().get(self.next_group)?;
        let piece = GroupPiece {
            table: Arc::clone(&self.table),
            group: self.next_group,
            first_row: self.row,
            bytes: u64::try_from(group.compressed_size()).unwrap_or(0),
        };
        self.next_group += 1;
        self.row = self.row.saturating_add(u64::try_from(group.num_rows()).unwrap_or(0));
        Some(Box::new(piece))
    }
}

/// The rows of one group.
struct GroupPiece {
    table: Arc<Table>,
    group: usize,
    first_row: u64,
    bytes: u64,
}

impl Piece for GroupPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        let name = Arc::clone(&self.table.name);
        if let Err(reason) = self.rows(&mut RecordEmitter::new(&name, sink)) {
            // This is the last call, so the flow does not matter.
            let _ = sink.problem(Problem { path: name.to_string(), line: None, reason });
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl GroupPiece {
    fn rows(&self, emitter: &mut RecordEmitter<'_>) -> Result<(), String> {
        let mut reader = self.reader()?;
        let mut row = self.first_row;
        while let Some(batch) = guarded(|| reader.next().transpose()).map_err(|reason| {
            format!("cannot read row {row} and the rest of its row group: {reason}")
        })? {
            if self.batch(&batch, row, emitter)?.is_break() {
                return Ok(());
            }
            row += batch.num_rows() as u64;
        }
        Ok(())
    }

    fn reader(&self) -> Result<ParquetRecordBatchReader, String> {
        match &self.table.bytes {
            TableBytes::File(path) => {
                let file = fs_err::File::open(path).map_err(|error| reason(&error))?.into_file();
                let metadata = self.table.metadata.clone();
                guarded(|| {
                    self.select(ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata))
                        .build()
                })
            }
            TableBytes::Memory(bytes) => {
                let (bytes, metadata) = (bytes.clone(), self.table.metadata.clone());
                guarded(|| {
                    self.select(ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata))
                        .build()
                })
            }
        }
    }

    /// Restricts a reader to this group and the requested columns.
    fn select<T>(
        &self,
        builder: ParquetRecordBatchReaderBuilder<T>,
    ) -> ParquetRecordBatchReaderBuilder<T>
    where
        T: ::parquet::file::reader::ChunkReader + 'static,
    {
        let leaves: Vec<usize> = match self.table.settings.keeps_metadata {
            true => (0..builder.parquet_schema().num_columns()).collect(),
            false => self.table.columns.iter().flatten().map(|(_, leaf)| *leaf).collect(),
        };
        let group = builder.metadata().row_group(self.group);
        let n_rows = u64::try_from(group.num_rows()).unwrap_or(0).max(1);
        let n_bytes: u64 = leaves
            .iter()
            .filter_map(|&leaf| group.columns().get(leaf))
            .map(|column| u64::try_from(column.uncompressed_size()).unwrap_or(0))
            .fold(0, u64::saturating_add);
        let batch_rows = (BATCH_BYTES / (n_bytes / n_rows).max(1)).clamp(1, MAX_ROWS);
        let mask = ProjectionMask::leaves(builder.parquet_schema(), leaves);
        builder
            .with_row_groups(vec![self.group])
            .with_projection(mask)
            .with_batch_size(usize::try_from(batch_rows).unwrap_or(1))
    }

    fn batch(
        &self,
        batch: &RecordBatch,
        first_row: u64,
        emitter: &mut RecordEmitter<'_>,
    ) -> Result<ControlFlow<()>, String> {
        let [text, id, time] = &self.table.columns;
        let column = |wanted: &Option<(String, usize)>| {
            wanted.as_ref().and_then(|(name, _)| find(batch, name))
        };
        let name = &self.table.settings.text_field;
        let texts = column(text).ok_or_else(|| format!("column '{name}' is not a string"))?;
        if !is_text(texts.data_type()) {
            return Err(format!("column '{name}' is not a string but {}", texts.data_type()));
        }
        let (ids, times) = (column(id), column(time));
        let settings = &self.table.settings;
        let wanted: Vec<&str> =
            self.table.columns.iter().flatten().map(|(name, _)| name.as_str()).collect();
        let others = |index: usize| match settings.keeps_metadata {
            true => metadata::row_metadata(batch, index, &wanted),
            false => Ok(None),
        };
        let limit = settings.max_document_bytes;
        for index in 0..batch.num_rows() {
            let row = first_row + index as u64;
            let flow = match text_at(&texts, index) {
                Ok(Some(text)) if text.len() as u64 > limit => {
                    emitter.problem(row, too_long(settings))
                }
                Ok(Some(text)) => match others(index) {
                    Ok(metadata) => {
                        let id = ids.as_ref().and_then(|ids| display_at(ids, index));
                        let time = times.as_ref().and_then(|times| display_at(times, index));
                        let (id, time) = (id.as_deref(), time.as_deref());
                        emitter.record(row, Record { text: text.into(), id, time, metadata })
                    }
                    Err(column) => {
                        emitter.problem(row, format!("column '{column}' cannot be read"))
                    }
                },
                Ok(None) => {
                    emitter.problem(row, format!("field '{name}' is not a string but null"))
                }
                Err(InvalidUtf8) => {
                    emitter.problem(row, format!("field '{name}' is not valid UTF-8"))
                }
            };
            if flow.is_break() {
                return Ok(flow);
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

/// Reads the metadata of a table. Requests strings with 64-bit offsets, since the texts of one batch
/// may exceed 2 GiB, and without dictionaries.
fn describe<T: ::parquet::file::reader::ChunkReader>(
    reader: &T,
) -> ::parquet::errors::Result<ArrowReaderMetadata> {
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let metadata = ArrowReaderMetadata::load(reader, options)?;
    let fields: Vec<Field> =
        metadata.schema().fields().iter().map(|field| widened(field)).collect();
    let options = ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(fields)));
    match ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options) {
        Ok(wide) => Ok(wide),
        Err(_) => Ok(metadata),
    }
}

fn widened(field: &Field) -> Field {
    let kind = match field.data_type() {
        DataType::Utf8 => DataType::LargeUtf8,
        DataType::Binary => DataType::LargeBinary,
        kind => kind.clone(),
    };
    field.clone().with_data_type(kind)
}

/// Runs a reader that may fail or, on corrupt files, panic.
pub(crate) fn guarded<T, E: Display>(read: impl FnOnce() -> Result<T, E>) -> Result<T, String> {
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(format!("the Parquet data is corrupt: {error}")),
        Err(_) => Err("the Parquet data is corrupt".to_owned()),
    }
}
