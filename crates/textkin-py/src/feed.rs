//! The feed: documents that the calling thread takes out of Python and other threads read.
//!
//! The calling thread fills a short queue, a worker's source empties it. Iterators so run on the
//! thread that they belong to, an exception in one ends the run, and no more of them is held than the
//! queue. Where the data can be read again, a second source over the queue begins it again.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatchReader;
use textkin::types::{Piece, Source};

use crate::arrow_rows::ArrowRows;
use crate::error::DataError;
use crate::python_rows::PythonRows;
use crate::row::Columns;

/// Pieces that wait to be read, at most.
const MAX_PIECES: usize = 8;

/// Rows in Python: what `textkin._data` makes of anything that is no path.
#[derive(Debug, FromPyObject)]
pub(crate) struct Rows {
    /// Makes the rows: an object with an Arrow stream, or an iterable.
    open: Py<PyAny>,
    /// Whether `open` can be called again.
    is_repeatable: bool,
    /// Number of rows, where it is known.
    n_rows: Option<u64>,
    columns: Columns,
}

impl Rows {
    pub(crate) fn is_repeatable(&self) -> bool {
        self.is_repeatable
    }

    /// The same rows from the beginning.
    pub(crate) fn feed(&self, py: Python<'_>) -> Feed {
        let rows = Self { open: self.open.clone_ref(py), columns: self.columns.clone(), ..*self };
        Feed { rows, reader: None, pass: 0, queue: Arc::default() }
    }
}

/// Rows under way.
#[derive(Debug)]
enum Reader {
    Arrow(Box<ArrowRows>),
    Python(PythonRows),
}

/// The end of the queue that the calling thread has.
#[derive(Debug)]
pub(crate) struct Feed {
    rows: Rows,
    reader: Option<Reader>,
    /// How many times the rows were begun.
    pass: u64,
    pub(crate) queue: Arc<Queue>,
}

impl Feed {
    /// Puts the next piece into the queue, if one is wanted.
    pub(crate) fn fill(&mut self, py: Python<'_>) -> PyResult<()> {
        let asked = self.queue.state().asked;
        if asked != self.pass {
            self.begin(py, asked)?;
        }
        let (piece, n_rows) = match &mut self.reader {
            Some(Reader::Arrow(rows)) => (rows.next_piece()?, rows.n_rows()),
            Some(Reader::Python(rows)) => (rows.next_piece(py)?, rows.n_rows()),
            None => (None, 0),
        };
        if piece.is_none() {
            self.reader = None;
        }
        let mut state = self.queue.state();
        if state.asked == self.pass {
            state.is_ended = piece.is_none();
            state.pieces.extend(piece);
            state.n_rows = n_rows;
        }
        drop(state);
        self.queue.changed.notify_all();
        Ok(())
    }

    fn begin(&mut self, py: Python<'_>, pass: u64) -> PyResult<()> {
        if self.pass > 0 && !self.rows.is_repeatable {
            return Err(once());
        }
        self.pass = pass;
        let rows = self.rows.open.bind(py).call0()?;
        let columns = self.rows.columns.clone();
        self.reader = Some(if rows.hasattr("__arrow_c_stream__")? {
            let batches = rows.extract::<PyRecordBatchReader>()?.into_reader()?;
            Reader::Arrow(Box::new(ArrowRows::new(batches, columns)?))
        } else {
            Reader::Python(PythonRows::new(&rows, columns)?)
        });
        Ok(())
    }

    /// The rows given so far and the number of all, while rows are read.
    pub(crate) fn progress(&self) -> Option<(u64, u64)> {
        let state = self.queue.state();
        (state.asked > 0 && !state.is_ended)
            .then(|| (state.n_rows, self.rows.n_rows.unwrap_or_default()))
    }
}

/// That the data is gone after one reading.
pub(crate) fn once() -> PyErr {
    DataError::new_err(
        "the data is an iterator or a stream, which can be read once only, and this takes reading it \
         twice; give a list or a table",
    )
}

/// What stands between the threads.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<Box<dyn Piece>>,
    /// How many times the rows were asked for from the beginning.
    asked: u64,
    /// No piece of this pass follows.
    is_ended: bool,
    /// No source reads any more, or none may.
    is_over: bool,
    n_rows: u64,
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("State").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A source of the rows, from their beginning.
    pub(crate) fn source(self: &Arc<Self>) -> Box<dyn Source> {
        Box::new(QueueSource { queue: Arc::clone(self), pass: None })
    }

    /// No source gets anything any more.
    pub(crate) fn close(&self) {
        self.state().is_over = true;
        self.changed.notify_all();
    }

    /// Waits until a piece is wanted, at most so long; whether one is.
    pub(crate) fn wait_for_want(&self, longest: Duration) -> bool {
        let is_full =
            |state: &State| state.asked == 0 || state.is_ended || state.pieces.len() >= MAX_PIECES;
        let is_waiting = |state: &mut State| !state.is_over && is_full(state);
        let waited = self.changed.wait_timeout_while(self.state(), longest, is_waiting);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !state.is_over && !is_full(&state)
    }
}

/// The end of the queue that a worker reads.
#[derive(Debug)]
struct QueueSource {
    queue: Arc<Queue>,
    /// Which pass this is, once it has begun.
    pass: Option<u64>,
}

impl Source for QueueSource {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        let mut state = self.queue.state();
        let pass = *self.pass.get_or_insert_with(|| {
            state.asked += 1;
            state.is_ended = false;
            state.n_rows = 0;
            state.pieces.clear();
            state.asked
        });
        self.queue.changed.notify_all();
        let is_waiting = |state: &mut State| {
            state.pieces.is_empty() && !state.is_ended && !state.is_over && state.asked == pass
        };
        let waited = self.queue.changed.wait_while(state, is_waiting);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        if state.is_over || state.asked != pass {
            return None;
        }
        let piece = state.pieces.pop_front();
        drop(state);
        self.queue.changed.notify_all();
        piece
    }

    fn total_bytes(&self) -> Option<u64> {
        None
    }
}
