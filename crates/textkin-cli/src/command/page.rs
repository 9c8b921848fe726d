//! `discover --html`: the HTML report of a run.

use std::io::Write as _;

use textkin::engine::report::{self, OutputFile};
use textkin::engine::{DiscoveryPage, RunControl, Settings, discovery_page};

use crate::arguments::Discover;
use crate::outputs::ignore_broken_pipe;

/// Writes the HTML report of a run to `file`.
pub(crate) fn write(
    mut file: OutputFile,
    page: DiscoveryPage<'_>,
    run_control: &RunControl,
) -> anyhow::Result<()> {
    let page = discovery_page(page, run_control)?;
    let written = file.write_all(page.as_bytes());
    let written = written.map_err(|source| report::Error::write(file.name(), source));
    Ok(ignore_broken_pipe(written.and_then(|()| file.finish()))?)
}

/// Returns the inputs of a run as written on the command line.
pub(crate) fn named_inputs(arguments: &Discover) -> Vec<String> {
    arguments.inputs.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// Returns the settings needed to reproduce the run.
pub(crate) fn named_settings(
    arguments: &Discover,
    settings: &Settings,
) -> Vec<(&'static str, String)> {
    let comparison = &arguments.comparison;
    let mut named = vec![
        ("chunk", settings.chunk.to_string()),
        ("select", settings.select.to_string()),
        ("normalize", settings.normalization.to_string()),
        ("hash", settings.hash.to_string()),
        ("cluster_by", comparison.cluster_by.to_string()),
        ("max_gap", arguments.output.max_gap.to_string()),
    ];
    if settings.rules.is_some() {
        named.push(("rules", "default".to_owned()));
    }
    if comparison.rewritten {
        named.push(("rewritten", "true".to_owned()));
    }
    if !arguments.against.is_empty() {
        let paths: Vec<_> = arguments.against.iter().map(|path| path.to_string_lossy()).collect();
        named.push(("against", paths.join(", ")));
    }
    if let Some(field) = &arguments.across {
        named.push(("across", field.clone()));
    }
    if arguments.output.min_words > 0 {
        named.push(("min_words", arguments.output.min_words.to_string()));
    }
    if let Some(max_df) = settings.max_df {
        named.push(("max_df", max_df.to_string()));
    }
    let stop_list = &comparison.analysis.stop_list.stop_list;
    if !stop_list.is_empty() {
        named.push(("stop_list", stop_list.join(", ")));
    }
    if let Some(n) = comparison.stop_frequent {
        named.push(("stop_frequent", n.to_string()));
    }
    if !comparison.analysis.template.is_empty() {
        let paths = comparison.analysis.template.iter();
        let paths: Vec<_> = paths.map(|path| path.to_string_lossy()).collect();
        named.push(("template", paths.join(", ")));
    }
    named
}
