//! The feed: a queue of rows that the calling thread fills from Python and other threads read.
//!
//! Iterators therefore run on the calling thread, an exception in one ends the run, and only the rows in the short
//! queue are held in memory; a [`MemorySource`](textkin::engine::source::MemorySource) would hold all of them. If the data
//! can be read again, a second source over the queue starts it again.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use textkin::engine::types::{Piece, Rewind, RewindError, Source};

use crate::arrow_rows::ArrowRows;
use crate::error::DataError;
use crate::python_rows::PythonRows;
use crate::row::Columns;

/// Maximum number of pieces in the queue.
const MAX_PIECES: usize = 8;

/// Rows in Python, as `textkin._data` converts any data other than paths.
#[derive(Debug, FromPyObject)]
pub(crate) struct Rows {
    /// Returns the rows: an object with an Arrow stream, or an iterable.
    open: Py<PyAny>,
    /// Whether `open` can be called again.
    is_repeatable: bool,
    /// Number of rows, if known.
    n_rows: Option<u64>,
    columns: Columns,
}

impl Rows {
    pub(crate) fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }

    /// Returns a feed of these rows, from the first.
    pub(crate) fn feed(&self, py: Python<'_>) -> Feed {
        Feed {
            parts: vec![self.clone_ref(py)],
            part: 0,
            reader: None,
            pass: 0,
            queue: Arc::default(),
        }
    }

    fn clone_ref(&self, py: Python<'_>) -> Self {
        Self { open: self.open.clone_ref(py), columns: self.columns.clone(), ..*self }
    }
}

/// Reader of the current pass.
#[derive(Debug)]
enum Reader {
    Arrow(Box<ArrowRows>),
    Python(PythonRows),
}

/// The side of the queue that the calling thread fills.
#[derive(Debug)]
pub(crate) struct Feed {
    /// The parts of the source, one after the other.
    parts: Vec<Rows>,
    /// Index of the current part.
    part: usize,
    reader: Option<Reader>,
    /// Number of passes started over the rows.
    pass: u64,
    pub(crate) queue: Arc<Queue>,
}

impl Feed {
    /// Returns the feed with more rows as the next part.
    pub(crate) fn followed_by(mut self, py: Python<'_>, rows: &Rows) -> Self {
        self.parts.push(rows.clone_ref(py));
        self
    }

    /// Puts the next piece into the queue.
    pub(crate) fn fill(&mut self, py: Python<'_>) -> PyResult<()> {
        let requested = self.queue.state().requested;
        if requested != self.pass {
            self.start_pass(py, requested)?;
        }
        let (mut piece, mut n_rows) = self.next_piece(py)?;
        while piece.is_none() && self.part + 1 < self.parts.len() {
            self.begin_part(py, self.part + 1)?;
            (piece, n_rows) = self.next_piece(py)?;
        }
        if piece.is_none() {
            self.reader = None;
        }
        let part = u32::try_from(self.part).unwrap_or(u32::MAX);
        let piece = piece.map(|piece| (part, piece));
        let mut state = self.queue.state();
        if state.requested == self.pass {
            state.is_ended = piece.is_none();
            state.pieces.extend(piece);
            state.n_rows = n_rows;
        }
        drop(state);
        self.queue.changed.notify_all();
        Ok(())
    }

    fn start_pass(&mut self, py: Python<'_>, pass: u64) -> PyResult<()> {
        if self.pass > 0 && self.parts.iter().any(|rows| !rows.is_repeatable) {
            return Err(read_once_error());
        }
        self.pass = pass;
        self.begin_part(py, 0)
    }

    /// Returns the next piece of the current part, and the number of its rows so far.
    fn next_piece(&mut self, py: Python<'_>) -> PyResult<(Option<Box<dyn Piece>>, u64)> {
        Ok(match &mut self.reader {
            Some(Reader::Arrow(rows)) => (rows.next_piece()?, rows.n_rows()),
            Some(Reader::Python(rows)) => (rows.next_piece(py)?, rows.n_rows()),
            None => (None, 0),
        })
    }

    fn begin_part(&mut self, py: Python<'_>, part: usize) -> PyResult<()> {
        self.part = part;
        let rows = self.parts[part].open.bind(py).call0()?;
        let columns = self.parts[part].columns.clone();
        self.reader = Some(if rows.hasattr("__arrow_c_stream__")? {
            let batches = rows.extract::<PyRecordBatchReader>()?.into_reader()?;
            Reader::Arrow(Box::new(ArrowRows::new(batches, columns)?))
        } else {
            Reader::Python(PythonRows::new(&rows, columns)?)
        });
        Ok(())
    }

    /// Returns the number of rows read so far and the total (0 if unknown), while rows are read.
    pub(crate) fn progress(&self) -> Option<(u64, u64)> {
        let state = self.queue.state();
        (state.requested > 0 && !state.is_ended)
            .then(|| (state.n_rows, self.parts[self.part].n_rows.unwrap_or_default()))
    }
}

/// Returns the error for data that can be read only once.
pub(crate) fn read_once_error() -> PyErr {
    DataError::new_err(
        "this needs to read the data twice, but an iterator or a stream can be read only once; pass a list \
         or a table",
    )
}

/// Queue between the calling thread and the workers.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// Pieces, each with the part of the source it belongs to.
    pieces: VecDeque<(u32, Box<dyn Piece>)>,
    /// Number of passes that sources have requested.
    requested: u64,
    /// Whether the current pass has no more pieces.
    is_ended: bool,
    /// Whether the queue is closed: no source reads, or none may.
    is_closed: bool,
    n_rows: u64,
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").field("requested", &self.requested).finish_non_exhaustive()
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a source of the rows, from the first. Data that can be read only once ends the run when a
    /// second source is read.
    pub(crate) fn source(self: &Arc<Self>) -> Box<dyn Rewind> {
        Box::new(QueueSource { queue: Arc::clone(self), pass: None, part: 0 })
    }

    /// Closes the queue: sources end.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
        self.changed.notify_all();
    }

    /// Waits for at most `timeout` until a piece is needed; returns whether one is.
    pub(crate) fn wait_for_demand(&self, timeout: Duration) -> bool {
        let is_full = |state: &State| {
            state.requested == 0 || state.is_ended || state.pieces.len() >= MAX_PIECES
        };
        let is_waiting = |state: &mut State| !state.is_closed && is_full(state);
        let waited = self.changed.wait_timeout_while(self.state(), timeout, is_waiting);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.is_closed && !is_full(&state)
    }
}

/// The side of the queue that a worker reads.
#[derive(Debug)]
struct QueueSource {
    queue: Arc<Queue>,
    /// Number of the pass, once it has started.
    pass: Option<u64>,
    /// Part of the last piece.
    part: u32,
}

impl Source for QueueSource {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        let mut state = self.queue.state();
        let pass = *self.pass.get_or_insert_with(|| {
            state.requested += 1;
            state.is_ended = false;
            state.n_rows = 0;
            state.pieces.clear();
            state.requested
        });
        self.queue.changed.notify_all();
        let is_waiting = |state: &mut State| {
            state.pieces.is_empty()
                && !state.is_ended
                && !state.is_closed
                && state.requested == pass
        };
        let waited = self.queue.changed.wait_while(state, is_waiting);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.is_closed || state.requested != pass {
            return None;
        }
        let piece = state.pieces.pop_front();
        drop(state);
        self.queue.changed.notify_all();
        let (part, piece) = piece?;
        self.part = part;
        Some(piece)
    }

    fn part(&self) -> u32 {
        self.part
    }

    fn total_bytes(&self) -> Option<u64> {
        None
    }
}

impl Rewind for QueueSource {
    fn rewind(&self) -> Result<Box<dyn Rewind>, RewindError> {
        Ok(self.queue.source())
    }
}
