//! `discover --explain`: writes the passages of every pair, one pair per line.

use std::path::Path;

use hashbrown::HashSet;
use textkin::Error;
use textkin::engine::graph::PassageRules;
use textkin::engine::report::{Output, PairRow, WithText, comparison_json};
use textkin::engine::types::parallel;
use textkin::engine::types::{Pair, Rewind};
use textkin::engine::{DocumentTexts, PairRows, RunControl, Settings, compare, compare_without};

/// Pairs to explain at a time.
const PAIRS: usize = 256;

/// Writes the passages of all pairs to `output`; `rules` says which passages count.
pub(crate) fn write(
    mut output: Output,
    source: &dyn Rewind,
    all: PairRows<'_>,
    rules: PassageRules,
    run_control: &RunControl,
) -> anyhow::Result<()> {
    let PairRows { discovery: found, settings, .. } = all;
    let wanted: HashSet<u32> = found.graph.rows().flat_map(|pair| [pair.a, pair.b]).collect();
    if wanted.is_empty() {
        return Ok(output.finish()?);
    }
    let max_bytes = settings.memory_budget() / 2;
    let texts = DocumentTexts::read(source, &wanted, max_bytes, run_control)?;
    run_control.progress.begin("explaining pairs", found.graph.n_edges());
    let mut next = found.graph.rows();
    let mut n_before = 0;
    loop {
        let rows = all.rows(&next.by_ref().take(PAIRS).collect::<Vec<Pair>>());
        if rows.is_empty() {
            break;
        }
        let numbered: Vec<(usize, &PairRow<'_>)> = (n_before + 1..).zip(&rows).collect();
        n_before += rows.len();
        for line in lines(&numbered, all, &texts, rules)? {
            output.write(line.as_bytes())?;
            output.write(b"\n")?;
        }
        run_control.progress.advance(rows.len() as u64);
        if run_control.stop.is_requested() {
            return Err(Error::Stopped.into());
        }
    }
    Ok(output.finish()?)
}

/// Returns one line per pair, computed by several threads.
fn lines(
    rows: &[(usize, &PairRow<'_>)],
    all: PairRows<'_>,
    texts: &DocumentTexts,
    rules: PassageRules,
) -> Result<Vec<String>, Error> {
    let line = |(number, row): &(usize, &PairRow<'_>)| {
        let (a, b) = ([row.a, texts.get(row.a_index)], [row.b, texts.get(row.b_index)]);
        let comparison = compare_without(a[1], b[1], all.settings, rules, all.common_text(row))?;
        let mut view = comparison.view(a, b);
        view.pair = Some(all.run_pair(*number, row));
        view.a.notes = all.notes(row.a_index);
        view.b.notes = all.notes(row.b_index);
        Ok(comparison_json(&view, WithText::Yes))
    };
    parallel::map(rows, all.settings.n_threads(), line).into_iter().collect()
}

/// Rejects inputs that cannot be read again, for `option`, before any work is done.
pub(crate) fn check_rewind(option: &str, path: &Path, source: &dyn Rewind) -> anyhow::Result<()> {
    anyhow::ensure!(
        source.rewind().is_ok(),
        "{option} {} reads the input twice, which standard input and pipes do not allow",
        path.display()
    );
    Ok(())
}

/// Rejects inputs and settings without passages before any work is done.
pub(crate) fn check(path: &Path, source: &dyn Rewind, settings: &Settings) -> anyhow::Result<()> {
    check_rewind("--explain", path, source)?;
    // Only chunks of words have passages; comparing two empty texts returns that error.
    compare("", "", settings, 0)?;
    Ok(())
}
