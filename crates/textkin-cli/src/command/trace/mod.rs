//! `textkin trace`: traces each passage of a stream to its origin.

mod session;
mod lines;
mod sort;
mod page;
mod state;
mod stream;
mod top;

use std::sync::Arc;

use textkin::engine::source::Inputs;
use textkin::engine::trace::{ChunkMethod, Memory, Method};
use textkin::engine::types::Source as _;
use textkin::engine::{RunControl, Settings, TraceSettings};

pub(crate) use self::lines::schema as line_schema;
use self::session::TraceSession;
use crate::arguments::{GlobalOptions, Trace, TraceOptions};
use crate::documents::{analysis_settings, collection_settings};
use crate::exit::Exit;
use crate::interrupt;
use crate::progress::ProgressDisplay;

/// Bytes of an input to read at a time: they add to `--memory`, and since documents are traced one after the
/// other, larger pieces would gain nothing.
const PIECE_BYTES: usize = 256 << 10;
/// Minimum size of a table in large pages, in bytes.
const MIN_LARGE_TABLE: u64 = 64 << 20;
/// The name of standard input in ids and problems.
const STDIN: &str = "-";
/// The id of the first record of standard input, if the record has none.
const FIRST_STDIN_ID: &str = "-:1";

/// Runs the command.
pub(crate) fn run(arguments: &Trace, global: GlobalOptions) -> anyhow::Result<Exit> {
    let is_stdin = |input: &std::path::PathBuf| input.as_os_str() == STDIN;
    anyhow::ensure!(
        arguments.options.state.is_none()
            || arguments.inputs.len() == 1
            || !arguments.inputs.iter().any(is_stdin),
        "with --state, standard input must be the only input"
    );
    set_large_pages(false);
    let settings = settings(arguments)?;
    let mut source = collection_settings(&arguments.input);
    source.piece_bytes = source.piece_bytes.min(PIECE_BYTES);
    let (run_control, is_busy) = (Arc::new(RunControl::default()), Arc::default());
    interrupt::listen_and_wait(&run_control, &is_busy)?;
    let mut session = TraceSession::start(arguments, &settings, &run_control, &is_busy, global)?;
    let display = ProgressDisplay::start_beside(&run_control, global, arguments.options.out.path());
    match arguments.inputs.as_slice() {
        inputs if arguments.options.sort => {
            let inputs = Inputs::open(inputs, &source)?;
            sort::read_sorted(&mut session, inputs, &arguments.temp_dir.path())?;
        }
        [input] if is_stdin(input) => {
            run_control.progress.begin("tracing", 0);
            stream::read(&mut session, &source)?;
        }
        inputs => {
            let inputs = Inputs::open(inputs, &source)?;
            run_control.progress.begin("tracing", inputs.total_bytes().unwrap_or(0));
            session.read_all(inputs);
        }
    }
    drop(display);
    session.finish()
}

/// Creates a tracer, in large pages if it has much memory, because lookups are spread over its whole table. With
/// little memory large pages gain nothing, and the extra memory of the allocator would be noticeable.
fn in_large_pages<T>(memory: Memory, create: impl FnOnce() -> T) -> T {
    set_large_pages(matches!(memory, Memory::Bytes(bytes) if bytes >= MIN_LARGE_TABLE));
    let created = create();
    set_large_pages(false);
    created
}

/// Sets whether memory is allocated in large pages from here on. The allocator would use them even for a few
/// bytes, which adds to `--memory`.
fn set_large_pages(are_large: bool) {
    // Failure leaves the default page size.
    #[cfg(target_os = "linux")]
    rustix::thread::disable_transparent_huge_pages(!are_large).ok();
    #[cfg(not(target_os = "linux"))]
    let _ = are_large;
}

fn settings(arguments: &Trace) -> anyhow::Result<TraceSettings> {
    let TraceOptions {
        memory,
        preset,
        hash,
        min_document_words: min_words,
        evict,
        estimate,
        bucket,
        ..
    } = arguments.options;
    let mut settings = TraceSettings::new(preset, memory)?;
    let select = arguments.options.select.clone().unwrap_or(settings.analysis.select);
    let analysis = analysis_settings(&arguments.analysis, &arguments.input.reading)?;
    settings.analysis = Settings { select, hash, min_words, ..analysis };
    match &mut settings.table.method {
        Method::Chunks(ChunkMethod { eviction, estimation, .. }) => {
            *eviction = evict.unwrap_or(*eviction);
            *estimation = estimate.unwrap_or(*estimation);
        }
        Method::Windows(_) => anyhow::ensure!(
            evict.is_none() && estimate.is_none(),
            "--evict and --estimate require --preset paper"
        ),
    }
    settings.table.bucket = bucket.unwrap_or(settings.table.bucket);
    for (constant, value) in &arguments.options.constant {
        constant.set(*value, &mut settings.table)?;
    }
    Ok(settings)
}
