//! CSV and TSV with a header row; each further row is a document.
//!
//! In: a stream. Out: pieces of rows with only the requested columns. Quoting follows RFC 4180, so
//! fields may contain line ends. A row with more or fewer fields than the header is a problem,
//! reported with its line; a missing column is one problem for the whole input.

use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;

use csv_core::{ReadFieldResult, Reader, ReaderBuilder};
use textkin_core::{DocumentSink, Piece};

use crate::SourceSettings;
use crate::json::N_FIELDS;
use crate::piece::{Cutter, OpenInput, Record, RecordEmitter, list, report, too_long};

/// Decompressed bytes read at once.
const INPUT_BYTES: usize = 256 << 10;

/// Bytes of a field copied at once.
const OUTPUT_BYTES: usize = 16 << 10;

/// Maximum rows in one piece.
const MAX_ROWS: usize = 1 << 16;

/// Cuts a stream into pieces of rows.
pub(crate) struct CsvCutter {
    opened: OpenInput,
    core: Reader,
    input: Vec<u8>,
    /// Bytes of `input` already read.
    at: usize,
    /// Line ends skipped outside `core`.
    skipped_lines: u64,
    output: Box<[u8]>,
    header: Header,
    /// Pieces to return before the next row is read, in reverse order.
    waiting: Vec<Box<dyn Piece>>,
    is_done: bool,
    /// The raw bytes of the current row, if requested.
    raw: Option<Raw>,
}

/// The raw bytes of a row.
#[derive(Debug, Default)]
pub(crate) struct Raw {
    /// Line ends before the row, then the row including the first byte of its line end.
    pub(crate) bytes: Vec<u8>,
    /// Start of the row in `bytes`.
    pub(crate) start: usize,
    /// Range of the text field, including its terminating byte if there is one.
    pub(crate) text: std::ops::Range<usize>,
    /// Whether the text field has a terminating byte.
    pub(crate) text_is_ended: bool,
    /// Whether the row has a line end.
    pub(crate) is_ended: bool,
}

/// The requested columns: `text`, `id`, `time`, in this order.
#[derive(Default)]
struct Header {
    /// `None` until the header was read.
    n_columns: Option<usize>,
    columns: [Option<usize>; N_FIELDS],
    /// Index and name of each other column, if metadata is requested.
    others: Arc<[(usize, String)]>,
}

/// Ranges of the requested fields of a row in the buffer of its piece.
struct Row {
    line: u64,
    content: Result<[Option<Span>; N_FIELDS], String>,
    /// The fields of the other columns, if metadata is requested.
    others: Vec<Span>,
}

type Span = std::ops::Range<usize>;

impl CsvCutter {
    pub(crate) fn new(opened: OpenInput, delimiter: u8) -> Self {
        Self {
            opened,
            core: ReaderBuilder::new().delimiter(delimiter).build(),
            input: Vec::new(),
            at: 0,
            skipped_lines: 0,
            output: vec![0; OUTPUT_BYTES].into_boxed_slice(),
            header: Header::default(),
            waiting: Vec::new(),
            is_done: false,
            raw: None,
        }
    }

    /// Reads more input; returns whether there is any.
    fn refill(&mut self) -> io::Result<bool> {
        if self.at == self.input.len() {
            self.input.clear();
            self.at = 0;
            self.opened.stream.read_block(INPUT_BYTES, &mut self.input)?;
        }
        Ok(!self.input.is_empty())
    }

    /// Skips line ends before a row: the end of the previous row, and empty lines. Returns the line
    /// number at which the row begins, or `None` at the end.
    fn begin_row(&mut self) -> io::Result<Option<u64>> {
        while self.refill()? {
            match self.input[self.at] {
                b'\n' => self.skipped_lines += 1,
                b'\r' => {}
                _ => {
                    if let Some(raw) = &mut self.raw {
                        raw.start = raw.bytes.len();
                    }
                    return Ok(Some(self.core.line() + self.skipped_lines));
                }
            }
            if let Some(raw) = &mut self.raw {
                raw.bytes.push(self.input[self.at]);
                raw.start = raw.bytes.len();
            }
            self.at += 1;
        }
        Ok(None)
    }

    /// Reads one field and appends it to `buffer`, if given.
    fn field(&mut self, mut buffer: Option<&mut Vec<u8>>) -> io::Result<Field> {
        let limit = self.opened.settings.max_document_bytes;
        let mut length = 0u64;
        loop {
            self.refill()?;
            let (result, n_in, n_out) =
                self.core.read_field(&self.input[self.at..], &mut self.output);
            if let Some(raw) = &mut self.raw {
                raw.bytes.extend_from_slice(&self.input[self.at..self.at + n_in]);
                raw.is_ended = n_in > 0;
            }
            self.at += n_in;
            length += n_out as u64;
            if length <= limit
                && let Some(buffer) = &mut buffer
            {
                buffer.extend_from_slice(&self.output[..n_out]);
            }
            let is_last = match result {
                ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => continue,
                ReadFieldResult::Field { record_end } => record_end,
                ReadFieldResult::End => true,
            };
            return Ok(Field { is_last, is_too_long: length > limit });
        }
    }

    /// Reads the header row; `None` if the input has no rows.
    fn read_header(&mut self) -> io::Result<Option<Vec<String>>> {
        if self.begin_row()?.is_none() {
            return Ok(None);
        }
        let mut names = Vec::new();
        let mut name = Vec::new();
        loop {
            name.clear();
            let field = self.field(Some(&mut name))?;
            names.push(String::from_utf8_lossy(&name).trim().to_owned());
            if field.is_last {
                return Ok(Some(names));
            }
        }
    }

    /// Reads the header and finds the requested columns; reports missing ones.
    fn begin(&mut self) -> io::Result<()> {
        let Some(names) = self.read_header()? else {
            self.is_done = true;
            return Ok(());
        };
        let settings = &self.opened.settings;
        let wanted = [
            (settings.text_field.as_str(), true),
            (settings.id_name(), settings.id_field.is_some()),
            (settings.time_name(), settings.time_field.is_some()),
        ];
        self.header.n_columns = Some(names.len());
        self.header.columns =
            wanted.map(|(name, _)| names.iter().position(|column| column == name));
        if settings.keeps_metadata {
            let is_other = |(column, name): &(usize, &String)| {
                !self.header.columns.contains(&Some(*column)) && !name.is_empty()
            };
            let others = names.iter().enumerate().filter(is_other);
            self.header.others = others.map(|(column, name)| (column, name.clone())).collect();
        }
        for ((name, is_needed), column) in wanted.iter().zip(self.header.columns) {
            if *is_needed && column.is_none() {
                let reason = format!("no column '{name}'; columns here: {}", list(&names));
                self.waiting.push(report(&self.opened.name, Some(1), reason));
            }
        }
        self.waiting.reverse();
        self.is_done = self.header.columns[0].is_none();
        Ok(())
    }

    /// Reads one row into `buffer`; `None` at the end.
    fn row(&mut self, n_columns: usize, buffer: &mut Vec<u8>) -> io::Result<Option<Row>> {
        let Some(line) = self.begin_row()? else {
            return Ok(None);
        };
        let begin = buffer.len();
        let mut spans = [const { None }; N_FIELDS];
        let mut others = Vec::with_capacity(self.header.others.len());
        let mut is_too_long = false;
        let mut column = 0;
        loop {
            let start = buffer.len();
            let raw_start = self.raw.as_ref().map_or(0, |raw| raw.bytes.len());
            let is_other =
                self.header.others.get(others.len()).is_some_and(|next| next.0 == column);
            let is_wanted = is_other || self.header.columns.contains(&Some(column));
            let field = self.field(is_wanted.then_some(&mut *buffer))?;
            for (span, wanted) in spans.iter_mut().zip(self.header.columns) {
                if wanted == Some(column) {
                    *span = Some(start..buffer.len());
                }
            }
            if is_other {
                others.push(start..buffer.len());
            }
            if let Some(raw) = &mut self.raw
                && self.header.columns[0] == Some(column)
            {
                raw.text = raw_start..raw.bytes.len();
                raw.text_is_ended = raw.is_ended;
            }
            is_too_long |= is_wanted && field.is_too_long;
            column += 1;
            if field.is_last {
                break;
            }
        }
        let content = if column != n_columns {
            Err(format!("number of fields is {column}, but the header has {n_columns}"))
        } else if is_too_long {
            Err(too_long(&self.opened.settings))
        } else {
            Ok(spans)
        };
        if content.is_err() {
            buffer.truncate(begin);
        }
        Ok(Some(Row { line, content, others }))
    }

    /// Reads rows until a piece is full or the input ends.
    fn rows(&mut self, n_columns: usize) -> Option<Box<dyn Piece>> {
        let mut buffer = Vec::new();
        let mut rows = Vec::new();
        while buffer.len() < self.opened.settings.piece_bytes.max(1) && rows.len() < MAX_ROWS {
            let begin = buffer.len();
            match self.row(n_columns, &mut buffer) {
                Ok(Some(row)) => rows.push(row),
                Ok(None) => {
                    self.is_done = true;
                    break;
                }
                Err(error) => {
                    buffer.truncate(begin);
                    self.fail(&error);
                    break;
                }
            }
        }
        if rows.is_empty() {
            return None;
        }
        Some(Box::new(CsvPiece {
            name: Arc::clone(&self.opened.name),
            buffer,
            rows,
            others: Arc::clone(&self.header.others),
            settings: Arc::clone(&self.opened.settings),
            bytes: self.opened.stream.take_count(),
        }))
    }

    fn fail(&mut self, error: &io::Error) {
        let line = self.core.line() + self.skipped_lines;
        let reason = self.opened.stream.explain(error);
        self.waiting.push(report(&self.opened.name, Some(line), reason));
        self.is_done = true;
    }
}

/// Row-by-row reading for rewriting, with access to the raw bytes.
impl CsvCutter {
    /// Records the raw bytes of each row.
    pub(crate) fn with_raw(self) -> Self {
        Self { raw: Some(Raw::default()), ..self }
    }

    /// Takes the raw bytes read since the last call.
    pub(crate) fn take_raw(&mut self) -> Raw {
        self.raw.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Reads the header; returns the number of columns, or `None` if there is no text column.
    pub(crate) fn raw_header(&mut self) -> io::Result<Option<usize>> {
        self.begin()?;
        Ok(if self.is_done { None } else { self.header.n_columns })
    }

    /// Reads a row and passes its document to `sink`; returns whether there was a row.
    pub(crate) fn raw_row(
        &mut self,
        n_columns: usize,
        sink: &mut dyn DocumentSink,
    ) -> io::Result<bool> {
        let mut buffer = Vec::new();
        let Some(row) = self.row(n_columns, &mut buffer)? else { return Ok(false) };
        let piece = CsvPiece {
            name: Arc::clone(&self.opened.name),
            settings: Arc::clone(&self.opened.settings),
            buffer,
            rows: vec![row],
            others: Arc::clone(&self.header.others),
            bytes: 0,
        };
        Box::new(piece).read(sink);
        Ok(true)
    }
}

struct Field {
    is_last: bool,
    is_too_long: bool,
}

impl Cutter for CsvCutter {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        loop {
            if let Some(piece) = self.waiting.pop() {
                return Some(piece);
            }
            if self.is_done {
                return None;
            }
            match self.header.n_columns {
                Some(n_columns) => {
                    let piece = self.rows(n_columns);
                    if piece.is_some() {
                        return piece;
                    }
                }
                None => {
                    if let Err(error) = self.begin() {
                        self.fail(&error);
                    }
                }
            }
        }
    }
}

/// Rows of one input.
struct CsvPiece {
    name: Arc<str>,
    settings: Arc<SourceSettings>,
    buffer: Vec<u8>,
    rows: Vec<Row>,
    /// Names of the other columns.
    others: Arc<[(usize, String)]>,
    bytes: u64,
}

impl Piece for CsvPiece {
    fn read(self: Box<Self>, sink: &mut dyn DocumentSink) {
        let mut emitter = RecordEmitter::new(&self.name, sink);
        for row in &self.rows {
            if self.row(row, &mut emitter).is_break() {
                return;
            }
        }
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl CsvPiece {
    fn row(&self, row: &Row, emitter: &mut RecordEmitter<'_>) -> ControlFlow<()> {
        let spans = match &row.content {
            Ok(spans) => spans,
            Err(reason) => return emitter.problem(row.line, reason.clone()),
        };
        let mut fields = [None; N_FIELDS];
        for (field, span) in fields.iter_mut().zip(spans) {
            let Some(span) = span else { continue };
            match simdutf8::basic::from_utf8(&self.buffer[span.clone()]) {
                Ok(text) => *field = Some(text),
                Err(_) => return emitter.problem(row.line, "invalid UTF-8".to_owned()),
            }
        }
        let Some(metadata) = self.metadata(row) else {
            return emitter.problem(row.line, "invalid UTF-8".to_owned());
        };
        let [text, id, time] = fields;
        let is_present = |field: &&str| !field.is_empty();
        match text {
            Some(text) => emitter.record(
                row.line,
                Record {
                    text: text.into(),
                    id: id.filter(is_present),
                    time: time.filter(is_present),
                    metadata,
                },
            ),
            None => emitter.problem(row.line, format!("no column '{}'", self.settings.text_field)),
        }
    }

    /// The other non-empty columns of a row as a JSON object; `None` if one is not valid UTF-8.
    fn metadata(&self, row: &Row) -> Option<Option<String>> {
        let mut object = serde_json::Map::new();
        for ((_, name), span) in self.others.iter().zip(&row.others) {
            let value = simdutf8::basic::from_utf8(&self.buffer[span.clone()]).ok()?;
            if !value.is_empty() {
                object.insert(name.clone(), value.into());
            }
        }
        Some((!object.is_empty()).then(|| serde_json::Value::Object(object).to_string()))
    }
}
