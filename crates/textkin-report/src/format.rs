//! Output formats, and the choice of a writer by file extension.

use std::num::NonZeroUsize;
use std::path::Path;

use textkin_core::Measure;

use crate::row::ExtraColumns;
use crate::{CsvWriter, Error, GraphWriter, JsonlWriter, MatrixWriter, Output, PairWriter};

/// A format for pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values (RFC 4180, lines end in LF) with a header.
    Csv,
    /// One JSON object per line.
    Jsonl,
    /// Apache Parquet.
    Parquet,
    /// GraphML, read by networkx, igraph, Gephi, yEd.
    Graphml,
    /// GEXF 1.3, read by Gephi and networkx.
    Gexf,
    /// DOT, read by Graphviz.
    Dot,
    /// Sparse matrix of scores in MatrixMarket form, read by SciPy, Julia, R.
    Matrix,
}

impl Format {
    const BY_EXTENSION: [(&str, Self); 9] = [
        ("csv", Self::Csv),
        ("jsonl", Self::Jsonl),
        ("ndjson", Self::Jsonl),
        ("parquet", Self::Parquet),
        ("graphml", Self::Graphml),
        ("gexf", Self::Gexf),
        ("dot", Self::Dot),
        ("gv", Self::Dot),
        ("mtx", Self::Matrix),
    ];

    /// Returns the format for the extension of `path`, ignoring a final `.gz` or `.zst`; `-` is CSV.
    ///
    /// # Errors
    /// [`Error::UnknownFormat`], which lists the supported ones; [`Error::CompressedTwice`].
    pub fn from_path(path: &Path) -> Result<Self, Error> {
        if path == Path::new("-") {
            return Ok(Self::Csv);
        }
        let compressed = Compression::from_path(path) != Compression::None;
        let inner = if compressed { path.with_extension("") } else { path.to_owned() };
        let extension = inner.extension().and_then(|extension| extension.to_str()).unwrap_or("");
        let format =
            Self::BY_EXTENSION.iter().find(|format| format.0.eq_ignore_ascii_case(extension));
        match format {
            Some((_, Self::Parquet)) if compressed => {
                Err(Error::CompressedTwice { path: path.to_owned() })
            }
            Some((_, format)) => Ok(*format),
            None => Err(Error::UnknownFormat { path: path.to_owned() }),
        }
    }

    /// The supported extensions, for messages: `csv, jsonl, …`.
    #[must_use]
    pub fn extensions() -> String {
        Self::BY_EXTENSION.map(|(extension, _)| extension).join(", ")
    }
}

/// Compression of an output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// None.
    #[default]
    None,
    /// gzip, `.gz`.
    Gzip,
    /// Zstandard, `.zst`.
    Zstd,
}

impl Compression {
    /// Returns the compression for the last extension of `path`.
    #[must_use]
    pub fn from_path(path: &Path) -> Self {
        match path.extension().and_then(|extension| extension.to_str()) {
            Some(extension) if extension.eq_ignore_ascii_case("gz") => Self::Gzip,
            Some(extension) if extension.eq_ignore_ascii_case("zst") => Self::Zstd,
            _ => Self::None,
        }
    }
}

/// Settings of the writers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriterSettings {
    /// The measure of `score`; the matrix format states it.
    pub measure: Measure,
    /// Threads for [`PairWriter::pairs`]; the output does not depend on it.
    pub threads: NonZeroUsize,
    /// Whether to write a column for the raw score.
    pub extra: ExtraColumns,
}

impl Default for WriterSettings {
    /// The default measure and one thread.
    fn default() -> Self {
        Self {
            measure: Measure::default(),
            threads: NonZeroUsize::MIN,
            extra: ExtraColumns::default(),
        }
    }
}

/// Starts writing pairs to `path` in the format of its extension; `-` is CSV on standard output.
///
/// # Errors
/// When the format is unknown or the file cannot be created.
pub fn open(path: &Path, settings: &WriterSettings) -> Result<Box<dyn PairWriter>, Error> {
    let output = || Output::create(path);
    Ok(match Format::from_path(path)? {
        Format::Csv => Box::new(CsvWriter::new(output()?, settings.threads, settings.extra)),
        Format::Jsonl => Box::new(JsonlWriter::new(output()?, settings.threads)),
        Format::Parquet => open_parquet(path, settings.extra)?,
        Format::Graphml => Box::new(GraphWriter::graphml(output()?, settings.extra)),
        Format::Gexf => Box::new(GraphWriter::gexf(output()?, settings.extra)),
        Format::Dot => Box::new(GraphWriter::dot(output()?)),
        Format::Matrix => Box::new(MatrixWriter::new(output()?, settings.measure)),
    })
}

#[cfg(feature = "parquet")]
fn open_parquet(path: &Path, extra: ExtraColumns) -> Result<Box<dyn PairWriter>, Error> {
    Ok(Box::new(crate::ParquetWriter::new(crate::OutputFile::create(path)?, extra)?))
}

#[cfg(not(feature = "parquet"))]
fn open_parquet(path: &Path, _: bool) -> Result<Box<dyn PairWriter>, Error> {
    Err(Error::FormatDisabled { path: path.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_extension_chooses_the_format() {
        let cases = [
            ("-", Format::Csv),
            ("a/b.csv", Format::Csv),
            ("b.CSV.GZ", Format::Csv),
            ("b.ndjson.zst", Format::Jsonl),
            ("b.parquet", Format::Parquet),
            ("b.gv", Format::Dot),
            ("b.mtx.gz", Format::Matrix),
        ];
        for (path, format) in cases {
            assert_eq!(Format::from_path(Path::new(path)).unwrap(), format, "{path}");
        }
    }

    #[test]
    fn an_unsupported_extension_lists_the_supported_ones() {
        for path in ["b.xlsx", "b", ".csv", "b.gz", ""] {
            let message = Format::from_path(Path::new(path)).unwrap_err().to_string();
            assert!(message.contains("csv, jsonl, ndjson, parquet, graphml, gexf, dot, gv, mtx"));
            assert!(message.contains(path));
        }
        let message = Format::from_path(Path::new("b.parquet.gz")).unwrap_err().to_string();
        assert!(message.contains("drop the last extension"));
    }
}
