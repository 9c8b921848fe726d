//! Clusters of passages as tables: one row per place where a passage occurs.
//!
//! In: [`PassageRow`]s, cluster by cluster. Out: JSON lines, CSV or Parquet, by the extension of the file, with the
//! columns of textkin or those of passim.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use schemars::JsonSchema;

use crate::csv::csv_field;
use crate::jsonl::push_string;
use crate::number::push_integer;
use crate::{Error, Format, Output};

#[cfg(feature = "parquet")]
pub use table::PassageTable;

/// A place where the passage of a cluster occurs.
#[derive(Clone, Debug, PartialEq, Eq, JsonSchema)]
pub struct PassageRow<'a> {
    /// Number of the cluster, from 0. The one in most documents comes first.
    pub cluster: u64,
    /// Number of rows of the cluster. A document that has the passage twice has two.
    pub size: u64,
    /// Number of documents that have the passage.
    pub documents: u64,
    /// Id of the document.
    pub id: Cow<'a, str>,
    /// Time of the document, as in the input; rows of a cluster are in order of time.
    pub time: Option<Cow<'a, str>>,
    /// First byte of the passage in the text of the document.
    pub start: u64,
    /// Byte after the last.
    pub end: u64,
    /// Index of its first word.
    pub word: u64,
    /// Number of its words.
    pub words: u64,
    /// The passage in this document.
    pub text: Cow<'a, str>,
    /// First character of the passage in the text of the document. Only passim's columns have it.
    #[schemars(skip)]
    pub character: u64,
}

/// The names and units of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PassageColumns {
    /// Those of [`PassageRow`].
    #[default]
    Textkin,
    /// Those of passim: `uid` (number of the row), `cluster`, `size`, `id`, `date`, `begin` and `end` in characters,
    /// and `text`.
    Passim,
}

impl PassageColumns {
    const ALL: [Self; 2] = [Self::Textkin, Self::Passim];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Textkin => "textkin",
            Self::Passim => "passim",
        }
    }

    /// The columns and whether each has numbers.
    #[must_use]
    pub fn columns(self) -> &'static [(&'static str, bool)] {
        match self {
            Self::Textkin => &[
                ("cluster", true),
                ("size", true),
                ("documents", true),
                ("id", false),
                ("time", false),
                ("start", true),
                ("end", true),
                ("word", true),
                ("words", true),
                ("text", false),
            ],
            Self::Passim => &[
                ("uid", true),
                ("cluster", true),
                ("size", true),
                ("id", false),
                ("date", false),
                ("begin", true),
                ("end", true),
                ("text", false),
            ],
        }
    }

    /// The values of row `number`, in the order of the columns.
    fn values<'a>(self, number: u64, row: &'a PassageRow<'_>) -> Vec<Value<'a>> {
        use Value::{Absent, Number, Text};
        let time = row.time.as_deref().map_or(Absent, Text);
        let (cluster, size) = (Number(row.cluster), Number(row.size));
        match self {
            Self::Textkin => vec![
                cluster,
                size,
                Number(row.documents),
                Text(&row.id),
                time,
                Number(row.start),
                Number(row.end),
                Number(row.word),
                Number(row.words),
                Text(&row.text),
            ],
            Self::Passim => {
                let end = row.character + row.text.chars().count() as u64;
                let id = Text(&row.id);
                let (begin, end) = (Number(row.character), Number(end));
                vec![Number(number), cluster, size, id, time, begin, end, Text(&row.text)]
            }
        }
    }
}

impl fmt::Display for PassageColumns {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for PassageColumns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|columns| columns.name() == text);
        found.ok_or_else(|| format!("expected textkin or passim, got '{text}'"))
    }
}

enum Value<'a> {
    Number(u64),
    Text(&'a str),
    Absent,
}

/// Writes passages to a file or to standard output.
pub struct PassageWriter {
    columns: PassageColumns,
    n_rows: u64,
    table: Table,
}

impl fmt::Debug for PassageWriter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("PassageWriter")
            .field("columns", &self.columns)
            .finish_non_exhaustive()
    }
}

enum Table {
    Csv(Output),
    Jsonl(Output),
    #[cfg(feature = "parquet")]
    Parquet(table::ParquetTable),
}

impl PassageWriter {
    /// Starts the file `path` as `.jsonl`, `.csv` or `.parquet`; `-` is CSV on standard output, and `.gz` and `.zst`
    /// compress.
    ///
    /// # Errors
    /// When the extension is another one, or the file cannot be created.
    pub fn create(path: &Path, columns: PassageColumns) -> Result<Self, Error> {
        let table = match Format::from_path(path) {
            Ok(Format::Csv) => {
                let mut output = Output::create(path)?;
                let names: Vec<&str> = columns.columns().iter().map(|(name, _)| *name).collect();
                output.write((names.join(",") + "\n").as_bytes())?;
                Table::Csv(output)
            }
            Ok(Format::Jsonl) => Table::Jsonl(Output::create(path)?),
            #[cfg(feature = "parquet")]
            Ok(Format::Parquet) => Table::Parquet(table::ParquetTable::create(path, columns)?),
            #[cfg(not(feature = "parquet"))]
            Ok(Format::Parquet) => return Err(Error::FormatDisabled { path: path.to_owned() }),
            Err(error @ Error::CompressedTwice { .. }) => return Err(error),
            _ => return Err(Error::NoTableFormat { path: path.to_owned() }),
        };
        Ok(Self { columns, n_rows: 0, table })
    }

    /// Writes one row.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn row(&mut self, row: &PassageRow<'_>) -> Result<(), Error> {
        let values = self.columns.values(self.n_rows, row);
        self.n_rows += 1;
        match &mut self.table {
            Table::Csv(output) => output.write(&csv_line(&values)),
            Table::Jsonl(output) => output.write(&json_line(self.columns, &values)),
            #[cfg(feature = "parquet")]
            Table::Parquet(table) => table.row(row),
        }
    }

    /// Moves the file into place.
    ///
    /// # Errors
    /// When the output cannot be written. There is no new file then.
    pub fn finish(self) -> Result<(), Error> {
        match self.table {
            Table::Csv(output) | Table::Jsonl(output) => output.finish(),
            #[cfg(feature = "parquet")]
            Table::Parquet(table) => table.finish(),
        }
    }
}

fn csv_line(values: &[Value<'_>]) -> Vec<u8> {
    let mut line = Vec::new();
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            line.push(b',');
        }
        match value {
            Value::Number(value) => push_integer(*value, &mut line),
            Value::Text(text) => line.extend_from_slice(csv_field(text).as_bytes()),
            Value::Absent => {}
        }
    }
    line.push(b'\n');
    line
}

fn json_line(columns: PassageColumns, values: &[Value<'_>]) -> Vec<u8> {
    let mut line = Vec::new();
    for ((name, _), value) in columns.columns().iter().zip(values) {
        line.push(if line.is_empty() { b'{' } else { b',' });
        push_string(name, &mut line);
        line.push(b':');
        match value {
            Value::Number(value) => push_integer(*value, &mut line),
            Value::Text(text) => push_string(text, &mut line),
            Value::Absent => line.extend_from_slice(b"null"),
        }
    }
    line.extend_from_slice(b"}\n");
    line
}

#[cfg(feature = "parquet")]
mod table {
    use std::path::Path;
    use std::sync::Arc;

    use arrow_array::builder::{Int64Builder, StringBuilder};
    use arrow_array::{ArrayRef, RecordBatch};
    use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};

    use super::{PassageColumns, PassageRow, Value};
    use crate::parquet::ParquetFile;
    use crate::{Error, OutputFile};

    /// A batch is full when it has this many rows…
    const MAX_ROWS: usize = 1 << 14;
    /// …or this many bytes of text.
    const MAX_BYTES: usize = 16 << 20;

    /// Collects passages as Arrow columns.
    #[derive(Debug)]
    pub struct PassageTable {
        names: PassageColumns,
        schema: SchemaRef,
        columns: Vec<Column>,
        /// Number of rows so far.
        number: u64,
        n_rows: usize,
        n_bytes: usize,
    }

    #[derive(Debug)]
    enum Column {
        Number(Int64Builder),
        Text(StringBuilder),
    }

    impl PassageTable {
        /// Creates empty columns.
        #[must_use]
        pub fn new(names: PassageColumns) -> Self {
            let fields = names.columns().iter().map(|&(name, is_number)| {
                let is_time = name == "time" || name == "date";
                let data_type = if is_number { DataType::Int64 } else { DataType::Utf8 };
                Field::new(name, data_type, is_time)
            });
            let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
            let columns = names.columns().iter().map(|&(_, is_number)| match is_number {
                true => Column::Number(Int64Builder::new()),
                false => Column::Text(StringBuilder::new()),
            });
            Self { names, schema, columns: columns.collect(), number: 0, n_rows: 0, n_bytes: 0 }
        }

        /// Names and types of the columns.
        #[must_use]
        pub fn schema(&self) -> SchemaRef {
            Arc::clone(&self.schema)
        }

        /// Appends a row. Returns whether there are enough rows for a batch.
        pub fn push(&mut self, row: &PassageRow<'_>) -> bool {
            for (column, value) in self.columns.iter_mut().zip(self.names.values(self.number, row))
            {
                match (column, value) {
                    (Column::Number(column), Value::Number(value)) => {
                        column.append_value(i64::try_from(value).unwrap_or(i64::MAX));
                    }
                    (Column::Text(column), Value::Text(text)) => {
                        self.n_bytes += text.len();
                        column.append_value(text);
                    }
                    (Column::Text(column), _) => column.append_null(),
                    (Column::Number(column), _) => column.append_null(),
                }
            }
            self.number += 1;
            self.n_rows += 1;
            self.n_rows >= MAX_ROWS || self.n_bytes >= MAX_BYTES
        }

        /// Removes the rows and returns them as a table.
        ///
        /// # Errors
        /// Never: columns and schema agree.
        pub fn take(&mut self) -> Result<RecordBatch, ArrowError> {
            (self.n_rows, self.n_bytes) = (0, 0);
            let arrays = self.columns.iter_mut().map(|column| match column {
                Column::Number(column) => Arc::new(column.finish()) as ArrayRef,
                Column::Text(column) => Arc::new(column.finish()),
            });
            RecordBatch::try_new(Arc::clone(&self.schema), arrays.collect())
        }
    }

    /// Passages as a Parquet file.
    pub(super) struct ParquetTable {
        file: ParquetFile,
        rows: PassageTable,
    }

    impl ParquetTable {
        pub(super) fn create(path: &Path, columns: PassageColumns) -> Result<Self, Error> {
            let rows = PassageTable::new(columns);
            Ok(Self { file: ParquetFile::new(OutputFile::create(path)?, rows.schema())?, rows })
        }

        pub(super) fn row(&mut self, row: &PassageRow<'_>) -> Result<(), Error> {
            if self.rows.push(row) { self.file.write(self.rows.take()) } else { Ok(()) }
        }

        pub(super) fn finish(mut self) -> Result<(), Error> {
            self.file.write(self.rows.take())?;
            self.file.finish()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, time: Option<&'static str>) -> PassageRow<'static> {
        PassageRow {
            cluster: 3,
            size: 2,
            documents: 2,
            id: id.to_owned().into(),
            time: time.map(Cow::Borrowed),
            start: 7,
            end: 21,
            word: 2,
            words: 2,
            text: "été, \"à\" Rome".into(),
            character: 6,
        }
    }

    fn written(name: &str, columns: PassageColumns) -> Vec<u8> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let mut writer = PassageWriter::create(&path, columns).unwrap();
        writer.row(&row("a", Some("1850-01-02"))).unwrap();
        writer.row(&row("b,c", None)).unwrap();
        writer.finish().unwrap();
        std::fs::read(path).unwrap()
    }

    fn text(name: &str, columns: PassageColumns) -> String {
        String::from_utf8(written(name, columns)).unwrap()
    }

    #[test]
    fn csv_and_json_lines_have_the_same_columns() {
        let expected = "cluster,size,documents,id,time,start,end,word,words,text\n\
            3,2,2,a,1850-01-02,7,21,2,2,\"été, \"\"à\"\" Rome\"\n\
            3,2,2,\"b,c\",,7,21,2,2,\"été, \"\"à\"\" Rome\"\n";
        assert_eq!(text("x.csv", PassageColumns::Textkin), expected);
        let expected = "{\"cluster\":3,\"size\":2,\"documents\":2,\"id\":\"a\",\"time\":\"1850-01-02\",\
            \"start\":7,\"end\":21,\"word\":2,\"words\":2,\"text\":\"été, \\\"à\\\" Rome\"}";
        let lines = text("x.jsonl", PassageColumns::Textkin);
        assert_eq!(lines.lines().next().unwrap(), expected);
        assert!(lines.lines().nth(1).unwrap().contains("\"time\":null"));
    }

    #[test]
    fn columns_of_passim_count_characters() {
        let expected = "uid,cluster,size,id,date,begin,end,text\n\
            0,3,2,a,1850-01-02,6,19,\"été, \"\"à\"\" Rome\"\n\
            1,3,2,\"b,c\",,6,19,\"été, \"\"à\"\" Rome\"\n";
        assert_eq!(text("x.csv", PassageColumns::Passim), expected);
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet_has_the_same_rows() {
        use arrow_array::cast::AsArray;
        use arrow_array::types::Int64Type;
        use parquet::arrow::arrow_reader::ParquetRecordBatchReader;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.parquet");
        std::fs::write(&path, written("x.parquet", PassageColumns::Passim)).unwrap();
        let file = std::fs::File::open(&path).unwrap();
        let mut batches = ParquetRecordBatchReader::try_new(file, 100).unwrap();
        let batch = batches.next().unwrap().unwrap();
        let names: Vec<&str> =
            batch.schema_ref().fields().iter().map(|field| field.name().as_str()).collect();
        assert_eq!(names, ["uid", "cluster", "size", "id", "date", "begin", "end", "text"]);
        let numbers = |name| {
            batch.column_by_name(name).unwrap().as_primitive::<Int64Type>().values().to_vec()
        };
        assert_eq!(
            (numbers("uid"), numbers("begin"), numbers("end")),
            (vec![0, 1], vec![6, 6], vec![19, 19])
        );
        let dates = batch.column_by_name("date").unwrap().as_string::<i32>();
        assert_eq!(dates.iter().collect::<Vec<_>>(), [Some("1850-01-02"), None]);
    }

    #[test]
    fn a_file_of_another_kind_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let create = |name: &str| {
            PassageWriter::create(&folder.path().join(name), PassageColumns::Textkin)
                .unwrap_err()
                .to_string()
        };
        assert!(create("x.gexf").contains("use .jsonl, .csv or .parquet"), "{}", create("x.gexf"));
        assert!(create("x.parquet.gz").contains("drop the last extension"));
    }

    #[test]
    fn names_of_columns_are_parsed() {
        assert_eq!("passim".parse(), Ok(PassageColumns::Passim));
        assert_eq!(
            "x".parse::<PassageColumns>().unwrap_err(),
            "expected textkin or passim, got 'x'"
        );
    }
}
