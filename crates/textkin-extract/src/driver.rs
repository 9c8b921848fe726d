//! The driver: what the bytes are, who reads them, and the same for what they contain.

use crate::limits::Budget;
use crate::{
    Error, ExtractContext, ExtractLimits, ExtractOptions, ExtractSink, Extractor, FileKind, format,
};

/// Extracts every document of `bytes`, which came under `name`, into `sink`.
///
/// An error is about the bytes as a whole; documents that were found before it are in the sink.
/// PDF and PostScript need an extractor of their own: see [`extract_with`].
pub fn extract(
    name: Option<&str>,
    bytes: &[u8],
    options: &ExtractOptions,
    limits: &ExtractLimits,
    sink: &mut dyn ExtractSink,
) -> Result<(), Error> {
    extract_with(&[], name, bytes, options, limits, sink)
}

/// As [`extract`], with `extractors` of the caller, which go before those of this crate. This is
/// how formats are added that need processes, such as PDF.
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

/// Extracts one part: the file itself, or something inside it.
pub(crate) fn extract_part(bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
    context.check_time()?;
    let kind = context.kind.unwrap_or_else(|| FileKind::detect(context.name(), bytes));
    let given = context.extractors.iter().find(|extractor| extractor.kind() == kind);
    match given {
        Some(extractor) => extractor.extract(bytes, context),
        None => format::extractor(kind)?.extract(bytes, context),
    }
}
