//! Pairs as a Parquet table, compressed with zstd.
//!
//! Counts are 64-bit signed integers, which every reader supports; ids are strings.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::row::ExtraColumns;
use crate::{Error, OutputFile, PairColumns, PairRow, PairWriter, Vertex};

/// Rows per batch: enough to amortize its cost, few enough to stay small.
const BATCH: usize = 1 << 14;

/// Writes tables to one Parquet file.
#[derive(Debug)]
pub(crate) struct ParquetFile {
    name: PathBuf,
    file: SharedFile,
    writer: ArrowWriter<SharedFile>,
}

impl ParquetFile {
    /// Starts `file` with the columns of `schema`.
    pub(crate) fn new(file: OutputFile, schema: SchemaRef) -> Result<Self, Error> {
        let name = file.name().to_owned();
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .build();
        let file = SharedFile(Arc::new(Mutex::new(Some(file))));
        let writer = ArrowWriter::try_new(file.clone(), schema, Some(properties))
            .map_err(|source| error(&name, source))?;
        Ok(Self { name, file, writer })
    }

    /// Appends a table.
    pub(crate) fn write(&mut self, table: Result<RecordBatch, ArrowError>) -> Result<(), Error> {
        let written = table.map_err(ParquetError::from).and_then(|batch| self.writer.write(&batch));
        written.map_err(|source| error(&self.name, source))
    }

    /// Finishes the file.
    pub(crate) fn finish(self) -> Result<(), Error> {
        let Self { name, file, mut writer } = self;
        writer.finish().map_err(|source| error(&name, source))?;
        writer.sync().map_err(|source| Error::write(&name, source))?;
        file.take().map_or(Ok(()), OutputFile::finish)
    }
}

/// Writes pairs as Parquet.
#[derive(Debug)]
pub struct ParquetWriter {
    file: ParquetFile,
    rows: PairColumns,
}

impl ParquetWriter {
    /// Writes to `file`; `extra` are the columns that follow.
    ///
    /// # Errors
    /// When the encoder cannot be set up.
    pub fn new(file: OutputFile, extra: ExtraColumns) -> Result<Self, Error> {
        let rows = PairColumns::new(extra);
        Ok(Self { file: ParquetFile::new(file, rows.schema())?, rows })
    }
}

impl PairWriter for ParquetWriter {
    fn begin(&mut self, _vertices: &mut dyn Iterator<Item = Vertex<'_>>) -> Result<(), Error> {
        Ok(())
    }

    fn pair(&mut self, row: &PairRow<'_>) -> Result<(), Error> {
        self.rows.push(row);
        if self.rows.len() < BATCH { Ok(()) } else { self.file.write(self.rows.take()) }
    }

    fn finish(mut self: Box<Self>) -> Result<(), Error> {
        if !self.rows.is_empty() {
            self.file.write(self.rows.take())?;
        }
        self.file.finish()
    }
}

/// The file, shared with the Arrow writer, because `ArrowWriter::into_inner` would turn a full disk
/// into a string.
#[derive(Clone, Debug)]
struct SharedFile(Arc<Mutex<Option<OutputFile>>>);

impl SharedFile {
    fn take(&self) -> Option<OutputFile> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn with<T>(&self, act: impl FnOnce(&mut OutputFile) -> io::Result<T>) -> io::Result<T> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.as_mut().map_or_else(|| Err(io::ErrorKind::NotConnected.into()), act)
    }
}

impl Write for SharedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(OutputFile::flush)
    }
}

/// Extracts the failed write from the library's error, so that a full disk is reported as such.
fn error(name: &Path, source: ParquetError) -> Error {
    match source {
        ParquetError::External(inner) => match inner.downcast::<io::Error>() {
            Ok(source) => Error::write(name, *source),
            Err(inner) => {
                Error::Parquet { path: name.to_owned(), source: ParquetError::External(inner) }
            }
        },
        source => Error::Parquet { path: name.to_owned(), source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::{COLUMNS, samples};
    use arrow_array::cast::AsArray;
    use arrow_array::types;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    #[test]
    fn rows_read_back_in_column_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.parquet");
        let ids: Vec<_> = (0..40_000).map(|number| format!("d,{number}\n")).collect();
        let rows: Vec<_> = ids.iter().map(|id| samples::row("a", id)).collect();
        std::fs::write(&path, samples::written("y.parquet", &rows)).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let builder = ParquetRecordBatchReaderBuilder::try_new(file).unwrap();
        let names: Vec<_> = builder.schema().fields().iter().map(|f| f.name().clone()).collect();
        assert_eq!(names, COLUMNS);
        let mut found = 0;
        for batch in builder.build().unwrap() {
            let batch = batch.unwrap();
            let b = batch.column(1).as_string::<i32>();
            let score = batch.column(2).as_primitive::<types::Float64Type>();
            let words = batch.column(13).as_primitive::<types::Int64Type>();
            for row in 0..batch.num_rows() {
                assert_eq!((b.value(row), score.value(row)), (ids[found].as_str(), 0.75));
                assert_eq!(words.value(row), 1030);
                found += 1;
            }
        }
        assert_eq!(found, rows.len());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_reported() {
        let file = OutputFile::create(Path::new("/dev/full")).unwrap();
        let mut writer = Box::new(ParquetWriter::new(file, ExtraColumns::default()).unwrap());
        writer.pair(&samples::row("a", "b")).unwrap();
        let error = writer.finish().unwrap_err();
        assert!(matches!(error, Error::DiskFull { .. }), "{error:?}");
    }
}
