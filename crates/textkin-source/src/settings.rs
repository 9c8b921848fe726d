//! What the user may set about inputs, and the formats an input may have.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::compression::Compression;
use crate::{Error, ExtractOptions, Worker};

/// How inputs are found and read. `Default` gives the documented defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSettings {
    /// Field, column or dotted path (`meta.text`) that holds the text of a record. Default `text`.
    pub text_field: String,
    /// Field that holds the id of a record. `None`, the default, takes `id` where there is one. A
    /// record without it is called `FILE:LINE`.
    pub id_field: Option<String>,
    /// Field that holds the time of a record. `None`, the default, takes `time` where there is one.
    pub time_field: Option<String>,
    /// Whether the other fields of JSON lines, and the other columns of comma- and tab-separated
    /// values, are given with each document. Default no.
    pub keeps_metadata: bool,
    /// Patterns of `.gitignore` form; what they match in folders and among the files of a pattern
    /// is left out. A file that is named itself is always read. Default none.
    pub exclude: Vec<String>,
    /// Folders with this mark are left out wherever they are found, and a problem where they are
    /// named. Default none.
    pub folder_marker: Option<FolderMarker>,
    /// Files that the caller is going to write; they are left out wherever they are found. Default
    /// none.
    pub outputs: Vec<PathBuf>,
    /// Whether symbolic links inside folders are followed. Default no; links given as a path are
    /// always followed.
    pub follow_links: bool,
    /// Whether entries of folders whose name begins with a dot are read. Default no.
    pub hidden: bool,
    /// Bytes of decompressed input one document (or record) may have. Default 2 GiB − 1, so that
    /// offsets fit in 32 bits.
    pub max_document_bytes: u64,
    /// What a compressed file may honestly hold, if that is less: then it is the most a record of the
    /// file may have. Set where the file is opened.
    pub density_limit: Option<u64>,
    /// How documents of other formats than text become text.
    pub extract: ExtractOptions,
    /// The program that reads what may hang or crash, and what it may take. Default none: PDF is
    /// read only where `pdftotext` is installed.
    pub worker: Worker,
    /// The format of every input; `None`, the default, decides by name.
    pub input_format: Option<InputFormat>,
    /// About how many decompressed bytes one piece holds. Default 4 MiB. It never changes which
    /// documents are read nor their order.
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

/// What tells a folder that is kept by a program from one that is kept by people: a file that begins
/// in a certain way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FolderMarker {
    /// The name of the file.
    pub file: &'static str,
    /// Its first bytes.
    pub begins: &'static str,
    /// Why such a folder is not read: lower case, no full stop.
    pub reason: &'static str,
}

impl FolderMarker {
    /// Whether `folder` has it.
    pub(crate) fn is_on(self, folder: &Path) -> bool {
        let path = folder.join(self.file);
        // To open a pipe could take forever.
        if !path.is_file() {
            return false;
        }
        let mut first = vec![0; self.begins.len()];
        let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut first));
        read.is_ok() && first == self.begins.as_bytes()
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

    /// Refuses settings that cannot work.
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

/// What the bytes of an input mean, after decompression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum InputFormat {
    /// The whole input is one document.
    Text,
    /// One JSON object a line.
    Jsonl,
    /// Comma-separated values with a header row.
    Csv,
    /// Tab-separated values with a header row.
    Tsv,
    /// Parquet; one document a row.
    Parquet,
}

impl InputFormat {
    /// The format a file of this name has; whatever is not a record file is text. Endings of
    /// compressed files (`.gz`, `.zst`, `.xz`, `.bz2`) are looked through.
    ///
    /// ```
    /// use textkin_source::Format;
    /// assert_eq!(Format::from_path("a/b.JSONL.gz".as_ref()), Format::Jsonl);
    /// assert_eq!(Format::from_path("a/b.md".as_ref()), Format::Text);
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
    fn names_of_formats_round_trip() {
        for format in [
            InputFormat::Text,
            InputFormat::Jsonl,
            InputFormat::Csv,
            InputFormat::Tsv,
            InputFormat::Parquet,
        ] {
            assert_eq!(format.to_string().parse::<InputFormat>().unwrap(), format);
        }
        assert!(matches!("xml".parse::<InputFormat>(), Err(Error::UnknownFormat { .. })));
    }

    #[test]
    fn record_files_are_known_by_name() {
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
