//! `discover --explain`: the passages of every pair, one pair a line.

use std::path::Path;

use hashbrown::HashSet;
use textkin::core::Pair;
use textkin::report::{Output, WithText, comparison_json};
use textkin::source::Inputs;
use textkin::{Discovery, Error, Settings, Texts, Watch, compare};

/// Pairs that are explained at once.
const PAIRS: usize = 256;

/// Writes the passages of all pairs to `output`; words at most `max_gap` apart are one passage.
pub(crate) fn write(
    mut output: Output,
    inputs: &Inputs,
    found: &Discovery,
    settings: &Settings,
    max_gap: u32,
    watch: &Watch,
) -> anyhow::Result<()> {
    let wanted: HashSet<u32> = found.graph.rows().flat_map(|pair| [pair.a, pair.b]).collect();
    if wanted.is_empty() {
        return Ok(output.finish()?);
    }
    let texts = Texts::read(&mut inputs.reopen()?, &wanted, settings.memory_budget() / 2, watch)?;
    watch.progress.begin("explaining pairs", found.graph.n_edges());
    let mut rows = found.graph.rows();
    loop {
        let pairs: Vec<Pair> = rows.by_ref().take(PAIRS).collect();
        if pairs.is_empty() {
            break;
        }
        for line in lines(&pairs, found, &texts, settings, max_gap)? {
            output.write(line.as_bytes())?;
            output.write(b"\n")?;
        }
        watch.progress.advance(pairs.len() as u64);
        if watch.stop.is_asked() {
            return Err(Error::Stopped.into());
        }
    }
    Ok(output.finish()?)
}

/// One line for each pair, made by several threads.
fn lines(
    pairs: &[Pair],
    found: &Discovery,
    texts: &Texts,
    settings: &Settings,
    max_gap: u32,
) -> Result<Vec<String>, Error> {
    let line = |pair: &Pair| {
        let side = |document: u32| [found.documents.id(document), texts.get(document)];
        let (a, b) = (side(pair.a), side(pair.b));
        let comparison = compare(a[1], b[1], settings, max_gap)?;
        Ok(comparison_json(&comparison.view(a, b), WithText::Yes))
    };
    let share = pairs.len().div_ceil(settings.n_threads());
    std::thread::scope(|scope| {
        let parts: Vec<_> = pairs
            .chunks(share)
            .map(|part| scope.spawn(|| part.iter().map(line).collect::<Result<Vec<_>, Error>>()))
            .collect();
        let mut lines = Vec::with_capacity(pairs.len());
        for part in parts {
            lines.extend(part.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
        }
        Ok(lines)
    })
}

/// Refuses what cannot be explained before any work is done.
pub(crate) fn check(path: &Path, inputs: &Inputs, settings: &Settings) -> anyhow::Result<()> {
    anyhow::ensure!(
        inputs.is_rewindable(),
        "--explain {} reads the input twice, which standard input and pipes do not allow",
        path.display()
    );
    // Only runs of words have passages: told by the comparison of two empty texts.
    compare("", "", settings, 0)?;
    Ok(())
}
