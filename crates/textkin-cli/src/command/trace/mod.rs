//! `textkin trace`: where each passage of a stream came from.

mod answers;
mod lines;
mod order;
mod page;
mod state;
mod stream;
mod top;

use std::sync::Arc;

use textkin::source::Inputs;
use textkin::trace::{ChunkMethod, Memory, Method};
use textkin::{RunControl, Settings, TraceSettings};

use self::answers::Answers;
use crate::arguments::{Trace, TraceMeans};
use crate::documents::{analysis_settings, collection_settings};
use crate::exit::Exit;
use crate::interrupt;

/// Bytes of an input that are read at a time: they come on top of `--memory`, and documents are taken
/// one after the other, so that larger pieces would gain nothing.
const PIECE_BYTES: usize = 256 << 10;
/// Bytes from which on a table is in large pages.
const LARGE_TABLE: u64 = 64 << 20;
/// How standard input is called in ids and problems.
const STREAM: &str = "-";
/// The id of its first record, where that has none.
const FIRST: &str = "-:1";

/// Runs the command.
pub(crate) fn run(arguments: &Trace) -> anyhow::Result<Exit> {
    let is_stream = |input: &std::path::PathBuf| input.as_os_str() == STREAM;
    anyhow::ensure!(
        arguments.means.state.is_none()
            || arguments.inputs.len() == 1
            || !arguments.inputs.iter().any(is_stream),
        "with --state, standard input must be the only input: nothing in it can be passed over"
    );
    take_large_pages(false);
    let settings = settings(arguments)?;
    let mut source = collection_settings(&arguments.input);
    source.piece_bytes = source.piece_bytes.min(PIECE_BYTES);
    let (watch, is_busy) = (Arc::new(RunControl::default()), Arc::default());
    interrupt::listen_unless(&watch, &is_busy)?;
    let mut answers = Answers::begin(arguments, &settings, &watch, &is_busy)?;
    match arguments.inputs.as_slice() {
        inputs if arguments.means.sort => {
            order::read_sorted(&mut answers, Inputs::open(inputs, &source)?)?;
        }
        [input] if is_stream(input) => stream::read(&mut answers, &source)?,
        inputs => answers.read_all(Inputs::open(inputs, &source)?),
    }
    answers.finish()
}

/// Makes a tracer, in large pages if it is to have much memory: its table is looked up anywhere. With
/// little memory nothing is gained by that, and what the allocator takes more than it needs would tell.
fn in_large_pages<T>(memory: Memory, make: impl FnOnce() -> T) -> T {
    take_large_pages(matches!(memory, Memory::Bytes(bytes) if bytes >= LARGE_TABLE));
    let made = make();
    take_large_pages(false);
    made
}

/// Whether memory is taken in large pages from here on. The allocator would take them for a few bytes, on
/// top of `--memory`.
fn take_large_pages(are_large: bool) {
    // Where that cannot be asked for, the pages are as they are.
    #[cfg(target_os = "linux")]
    rustix::thread::disable_transparent_huge_pages(!are_large).ok();
    #[cfg(not(target_os = "linux"))]
    let _ = are_large;
}

fn settings(arguments: &Trace) -> anyhow::Result<TraceSettings> {
    let TraceMeans { memory, preset, evict, estimate, bucket, .. } = arguments.means;
    let mut settings = TraceSettings::new(preset, memory)?;
    let select = arguments.means.select.clone().unwrap_or(settings.analysis.select);
    let analysis = analysis_settings(&arguments.analysis, &arguments.input.reading)?;
    settings.analysis = Settings { select, ..analysis };
    match &mut settings.table.method {
        Method::Chunks(ChunkMethod { eviction, estimation, .. }) => {
            *eviction = evict.unwrap_or(*eviction);
            *estimation = estimate.unwrap_or(*estimation);
        }
        Method::Windows(_) => anyhow::ensure!(
            evict.is_none() && estimate.is_none(),
            "--evict and --estimate choose within the method of the paper; add --preset paper"
        ),
    }
    settings.table.bucket = bucket.unwrap_or(settings.table.bucket);
    for (constant, value) in &arguments.means.constant {
        constant.set(*value, &mut settings.table)?;
    }
    Ok(settings)
}
