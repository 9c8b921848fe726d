//! Settings for finding and reading inputs, and the input formats.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::compression::Compression;
use crate::{Error, ExtractOptions, Worker};

/// Settings for finding and reading inputs. `Default` returns the documented defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSettings {
    /// Field, column or dotted path (`meta.text`) with the text of a record. Default `text`.
    pub text_field: String,
    /// Field with the id of a record. `None`, the default, uses `id` if the record has it. The id of a
    /// record without one is `FILE:LINE`.
    pub id_field: Option<String>,
    /// Field with the time of a record. `None`, the default, uses `time` if the record has it.
    pub time_field: Option<String>,
    /// Whether the other fields or columns of a record are kept as metadata of the document. Default
    /// no.
    pub keeps_metadata: bool,
    /// Patterns in `.gitignore` syntax; matching files of folders and glob patterns are skipped. A
    /// file given by its path is always read. Default none.
    pub exclude: Vec<String>,
    /// Folders with this marker are skipped inside other folders and are a problem if given by path.
    /// Default none.
    pub folder_marker: Option<FolderMarker>,
    /// Files that the caller will write; they are skipped wherever they are found. Default none.
    pub outputs: Vec<PathBuf>,
    /// Whether symbolic links inside folders are followed. Default no; links given as paths are
    /// always followed.
    pub follow_links: bool,
    /// Whether folder entries whose name begins with a dot are read. Default no.
    pub hidden: bool,
    /// Maximum decompressed bytes of one document or record. Default 2 GiB − 1, so that offsets fit
    /// in 32 bits.
    pub max_document_bytes: u64,
    /// Maximum bytes of a record that a compressed file can plausibly contain, if that is less than
    /// `max_document_bytes`. Set when the file is opened.
    pub density_limit: Option<u64>,
    /// How text is extracted from formats other than plain text.
    pub extract: ExtractOptions,
    /// The worker process for formats whose readers may hang or crash, and its limits. Default none:
    /// PDF is then read only if `pdftotext` is installed.
    pub worker: Worker,
    /// The format of every input; `None`, the default, chooses by file name and content.
    pub input_format: Option<InputFormat>,
    /// Approximate decompressed bytes of one piece. Default 4 MiB. Affects neither the documents nor
    /// their order.
    pub piece_bytes: usize,
}

impl Default for SourceSettings {
    fn default() -> Self {
        Self {
            text_field: "text".to_owned(),
            id_field: None,
            time_field: None,
            keeps_metadata: false,
            exclude: Vec::new(),
            folder_marker: None,
            outputs: Vec::new(),
            follow_links: false,
            hidden: false,
            max_document_bytes: (1 << 31) - 1,
            density_limit: None,
            extract: ExtractOptions::default(),
            worker: Worker::default(),
            input_format: None,
            piece_bytes: 4 << 20,
        }
    }
}

/// A file that marks a folder as managed by a program, such as a repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderMarker {
    /// The name of the file.
    pub file: &'static str,
    /// The first bytes of the file.
    pub prefix: &'static str,
    /// Why such a folder is not read; lower case, no full stop.
    pub reason: &'static str,
}

impl FolderMarker {
    /// Whether `folder` has this marker.
    pub(crate) fn is_in(self, folder: &Path) -> bool {
        let path = folder.join(self.file);
        // Opening a pipe could block forever.
        if !path.is_file() {
            return false;
        }
        let mut first = vec![0; self.prefix.len()];
        let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut first));
        read.is_ok() && first == self.prefix.as_bytes()
    }
}

impl SourceSettings {
    /// Name of the id field, set or default.
    pub(crate) fn id_name(&self) -> &str {
        self.id_field.as_deref().unwrap_or("id")
    }

    /// Name of the time field, set or default.
    pub(crate) fn time_name(&self) -> &str {
        self.time_field.as_deref().unwrap_or("time")
    }

    /// Rejects invalid settings.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let named = [
            ("text", self.text_field.as_str()),
            ("id", self.id_name()),
            ("time", self.time_name()),
        ];
        match named.into_iter().find(|(_, name)| name.is_empty()) {
            Some((field, _)) => Err(Error::EmptyField { field }),
            None => Ok(()),
        }
    }
}

/// The format of an input, after decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InputFormat {
    /// The whole input is one document.
    Text,
    /// One JSON object per line.
    Jsonl,
    /// JSON objects in an array, or one after another.
    Json,
    /// Comma-separated values with a header row.
    Csv,
    /// Tab-separated values with a header row.
    Tsv,
    /// Parquet; one document per row.
    Parquet,
}

impl InputFormat {
    /// Returns the format that the name of a file announces; `Text` if it announces none, and then the
    /// content may still be JSON records. Ignores extensions of compressed files (`.gz`, `.zst`, `.xz`, `.bz2`).
    ///
    /// ```
    /// use textkin_source::InputFormat;
    /// assert_eq!(InputFormat::from_path("a/b.JSONL.gz".as_ref()), InputFormat::Jsonl);
    /// assert_eq!(InputFormat::from_path("a/b.md".as_ref()), InputFormat::Text);
    /// ```
    pub fn from_path(path: &Path) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        match Compression::bare_name(&name).rsplit_once('.').map(|(_, extension)| extension) {
            Some("jsonl" | "ndjson") => Self::Jsonl,
            Some("csv") => Self::Csv,
            Some("tsv") => Self::Tsv,
            Some("parquet") => Self::Parquet,
            _ => Self::Text,
        }
    }
}

impl fmt::Display for InputFormat {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Text => "text",
            Self::Jsonl => "jsonl",
            Self::Json => "json",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
        })
    }
}

impl FromStr for InputFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name.to_ascii_lowercase().as_str() {
            "text" | "txt" => Ok(Self::Text),
            "jsonl" | "ndjson" => Ok(Self::Jsonl),
            "json" => Ok(Self::Json),
            "csv" => Ok(Self::Csv),
            "tsv" => Ok(Self::Tsv),
            "parquet" => Ok(Self::Parquet),
            _ => Err(Error::UnknownFormat { name: name.to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_names_round_trip() {
        for format in [
            InputFormat::Text,
            InputFormat::Jsonl,
            InputFormat::Json,
            InputFormat::Csv,
            InputFormat::Tsv,
            InputFormat::Parquet,
        ] {
            assert_eq!(format.to_string().parse::<InputFormat>().unwrap(), format);
        }
        assert!(matches!("xml".parse::<InputFormat>(), Err(Error::UnknownFormat { .. })));
    }

    #[test]
    fn record_files_are_recognized_by_name() {
        let cases = [
            ("x.ndjson", InputFormat::Jsonl),
            ("x.csv.bz2", InputFormat::Csv),
            ("x.tsv.xz", InputFormat::Tsv),
            ("x.parquet", InputFormat::Parquet),
            ("x.json", InputFormat::Text),
            ("jsonl", InputFormat::Text),
            ("x.gz", InputFormat::Text),
            ("", InputFormat::Text),
        ];
        for (name, format) in cases {
            assert_eq!(InputFormat::from_path(name.as_ref()), format, "{name}");
        }
    }
}
