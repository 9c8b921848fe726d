//! Exclusions give two scores: with them, and raw. What that takes is checked here.

use anyhow::Context;
use textkin::Settings;
use textkin::source::Inputs;

/// Makes sure, before any work is done, that the input can be read twice if it must.
pub(crate) fn prepare(inputs: &mut Inputs, settings: &Settings) -> anyhow::Result<()> {
    if settings.excludes_words() {
        inputs.spool(&settings.temp_dir).context("cannot store standard input")?;
        let why = "exclusions give two scores, which takes reading the input twice";
        inputs.reopen().context(why)?;
    }
    Ok(())
}
