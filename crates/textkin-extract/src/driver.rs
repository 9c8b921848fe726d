//! The driver: detects the kind of the bytes and runs its extractor, also for nested parts.

use crate::limits::Budget;
use crate::{
    Error, ExtractContext, ExtractLimits, ExtractOptions, ExtractSink, Extractor, FileKind, format,
};

/// Extracts every document in `bytes`, the content of the file `name`, into `sink`.
///
/// An error concerns the bytes as a whole; the sink keeps documents found before it.
/// PDF and PostScript need an extractor from the caller: see [`extract_with`].
pub fn extract(
    name: Option<&str>,
    bytes: &[u8],
    options: &ExtractOptions,
    limits: &ExtractLimits,
    sink: &mut dyn ExtractSink,
) -> Result<(), Error> {
    extract_with(&[], name, bytes, options, limits, sink)
}

/// Works like [`extract`], but tries the `extractors` of the caller first. Use it for formats that
/// need processes, such as PDF.
pub fn extract_with(
    extractors: &[&dyn Extractor],
    name: Option<&str>,
    bytes: &[u8],
    options: &ExtractOptions,
    limits: &ExtractLimits,
    sink: &mut dyn ExtractSink,
) -> Result<(), Error> {
    let mut budget = Budget::new(limits);
    let mut context = ExtractContext {
        options,
        budget: &mut budget,
        sink,
        extractors,
        label: String::new(),
        name: name.map(str::to_owned),
        depth: 0,
        kind: None,
        time: None,
    };
    match extract_part(bytes, &mut context) {
        Err(Error::Stopped) => Ok(()),
        result => result,
    }
}

/// Extracts one part: the file itself, or a part of a container.
pub(crate) fn extract_part(bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
    context.check_time()?;
    let kind = context.kind.unwrap_or_else(|| FileKind::detect(context.name(), bytes));
    let custom = context.extractors.iter().find(|extractor| extractor.kind() == kind);
    match custom {
        Some(extractor) => extractor.extract(bytes, context),
        None => format::extractor(kind)?.extract(bytes, context),
    }
}
