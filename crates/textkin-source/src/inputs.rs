//! All inputs of a run as one source.
//!
//! In: paths and settings. Out: pieces, in path order. Text files are grouped and opened when the
//! piece is read; record files are opened one after the other and split here.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use textkin_core::{Piece, Rewind, RewindError, Source};

use crate::csv::CsvCutter;
use crate::detect::{Detected, detect_layout, detect_stream};
use crate::json_records::JsonCutter;
use crate::jsonl::JsonlCutter;
use crate::piece::{Cutter, OpenInput, ProblemPiece, report};
use crate::rewrite::StdinSpool;
use crate::stream::{Stream, reason};
use crate::text::{TextPiece, TextStreamPiece};
use crate::walk::{InputItem, Listing};
use crate::{Error, InputFormat, SourceSettings};

/// Maximum text files in one piece.
const MAX_FILES: usize = 64;

/// Maximum size of a file that is examined for records only when its piece is read.
const MAX_DETECTED_LATER: u64 = 256 << 10;

/// Standard input, in paths and ids.
const STANDARD_INPUT: &str = "-";

/// Documents from files, folders, patterns and streams.
///
/// The order of documents depends only on paths and settings. An input that cannot be read becomes a
/// problem at its position.
pub struct Inputs {
    pub(crate) settings: Arc<SourceSettings>,
    pub(crate) listing: Arc<Listing>,
    /// Index of the next item.
    next: usize,
    /// Index of the first item of the second part; the number of items if there is none.
    second_part: usize,
    /// Splits the current record input.
    cutter: Option<Box<dyn Cutter>>,
    /// Reader used as standard input.
    reader: Option<Box<dyn Read + Send>>,
    /// Name of that reader.
    pub(crate) reader_name: Arc<str>,
    /// Streams that were empty.
    empty_streams: Vec<Arc<str>>,
    /// A copy of standard input, if requested.
    pub(crate) spool: Option<StdinSpool>,
}

impl Inputs {
    /// Lists the files of `paths`. Files are opened later, one by one.
    ///
    /// A path is a file, a folder (read recursively), `-` for standard input, or a pattern with `*`,
    /// `?`, `[…]` or `**` if no file has exactly that name. A path that does not exist becomes a
    /// problem at its position. A file found by several paths is read once, at its first position;
    /// hard links count as separate files.
    ///
    /// # Errors
    /// No paths, `-` twice, an exclude pattern that is not valid, or an empty field name.
    pub fn open<P: AsRef<Path>>(paths: &[P], settings: &SourceSettings) -> Result<Self, Error> {
        settings.check()?;
        if paths.is_empty() {
            return Err(Error::NoInput);
        }
        let listing = Listing::new(paths, settings)?;
        Ok(Self::new(listing, settings, STANDARD_INPUT, Box::new(io::stdin())))
    }

    /// Lists the files of `paths` and, as the second [part](Source::part), those of `others`. A file among
    /// both is read in the second part only.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_against<P: AsRef<Path>, Q: AsRef<Path>>(
        paths: &[P],
        others: &[Q],
        settings: &SourceSettings,
    ) -> Result<Self, Error> {
        settings.check()?;
        if paths.is_empty() || others.is_empty() {
            return Err(Error::NoInput);
        }
        let (listing, second_part) = Listing::of_two_parts(paths, others, settings)?;
        let inputs = Self::new(listing, settings, STANDARD_INPUT, Box::new(io::stdin()));
        Ok(Self { second_part, ..inputs })
    }

    /// Reads one stream, named `name` in ids and problems, as [`open`](Self::open) reads standard
    /// input. Compression is detected by content. Unless the settings force a format, the stream is
    /// JSON records if its first non-blank byte is `{` or it begins with an array of objects, Parquet if
    /// it begins with `PAR1`, and otherwise one text. An empty stream has no document.
    ///
    /// # Errors
    /// An empty field name.
    pub fn from_reader<R: Read + Send + 'static>(
        name: &str,
        reader: R,
        settings: &SourceSettings,
    ) -> Result<Self, Error> {
        settings.check()?;
        let listing = Listing { items: vec![InputItem::StandardInput], ..Listing::default() };
        Ok(Self::new(listing, settings, name, Box::new(reader)))
    }

    fn new(
        listing: Listing,
        settings: &SourceSettings,
        name: &str,
        reader: Box<dyn Read + Send>,
    ) -> Self {
        Self {
            settings: Arc::new(settings.clone()),
            second_part: listing.items.len(),
            listing: Arc::new(listing),
            next: 0,
            cutter: None,
            reader: Some(reader),
            reader_name: name.into(),
            empty_streams: Vec::new(),
            spool: None,
        }
    }

    /// Copies standard input, if it is among the inputs, to an unnamed temporary file in `folder`, so
    /// that the inputs can be read again.
    ///
    /// # Errors
    /// If standard input cannot be read or the copy cannot be written.
    pub fn spool(&mut self, folder: &Path) -> io::Result<()> {
        let is_stdin = |item: &InputItem| matches!(item, InputItem::StandardInput);
        if self.listing.items.iter().any(is_stdin)
            && let Some(mut reader) = self.reader.take()
        {
            let spool = StdinSpool::new(&mut reader, folder)?;
            self.reader = Some(Box::new(spool.reader()));
            self.spool = Some(spool);
        }
        Ok(())
    }

    /// Returns the same inputs from the beginning. Folders are not walked again, so a second pass
    /// reads the same files in the same order.
    ///
    /// # Errors
    /// If one of them is a stream.
    pub fn reopen(&self) -> Result<Self, RewindError> {
        if let Some(path) = self.first_stream() {
            return Err(RewindError { path });
        }
        Ok(Self {
            settings: Arc::clone(&self.settings),
            listing: Arc::clone(&self.listing),
            next: 0,
            second_part: self.second_part,
            cutter: None,
            reader: self.spool.as_ref().map(|spool| Box::new(spool.reader()) as _),
            reader_name: Arc::clone(&self.reader_name),
            empty_streams: Vec::new(),
            spool: self.spool.clone(),
        })
    }

    /// Returns the same inputs, restricted to one item.
    pub(crate) fn with_item(&self, item: InputItem) -> Self {
        Self {
            settings: Arc::clone(&self.settings),
            listing: Arc::new(Listing { items: vec![item], ..Listing::default() }),
            next: 0,
            second_part: 1,
            cutter: None,
            reader: self.spool.as_ref().map(|spool| Box::new(spool.reader()) as _),
            reader_name: Arc::clone(&self.reader_name),
            empty_streams: Vec::new(),
            spool: self.spool.clone(),
        }
    }

    /// Whether the inputs can be read again: no standard input, pipe or device.
    pub fn is_rewindable(&self) -> bool {
        self.first_stream().is_none()
    }

    /// Number of files, pipes and streams found; a record file counts once.
    pub fn n_files(&self) -> usize {
        self.listing.items.iter().filter(|item| !matches!(item, InputItem::Problem(_))).count()
    }

    /// Number of folder entries skipped because their name begins with a dot; a folder counts once.
    pub fn skipped_hidden(&self) -> u64 {
        self.listing.n_hidden
    }

    /// Number of symbolic links inside folders that were not followed.
    pub fn skipped_links(&self) -> u64 {
        self.listing.n_links
    }

    /// Number of entries that exclude patterns skipped; a folder counts once.
    pub fn excluded(&self) -> u64 {
        self.listing.n_excluded
    }

    /// How often a file was found again; each file is read once.
    pub fn repeated(&self) -> u64 {
        self.listing.n_repeated
    }

    /// Files skipped because they are among [`SourceSettings::outputs`].
    pub fn skipped_outputs(&self) -> &[PathBuf] {
        &self.listing.outputs
    }

    /// Folders skipped because of [`SourceSettings::folder_marker`].
    pub fn skipped_marked(&self) -> &[PathBuf] {
        &self.listing.marked
    }

    /// Streams read so far that were empty and therefore have no document.
    pub fn empty_streams(&self) -> &[Arc<str>] {
        &self.empty_streams
    }

    fn first_stream(&self) -> Option<String> {
        self.listing.items.iter().find_map(|item| match item {
            InputItem::StandardInput if self.spool.is_some() => None,
            InputItem::StandardInput => Some(self.reader_name.to_string()),
            InputItem::Pipe(path) => Some(path.to_string_lossy().into_owned()),
            InputItem::File { .. } | InputItem::Problem(_) => None,
        })
    }

    /// Begins the next item: returns a piece, or `None` after setting up a cutter.
    fn begin(&mut self, item: &InputItem) -> Option<Box<dyn Piece>> {
        self.next += 1;
        match item {
            InputItem::File { path, size, format: InputFormat::Text, .. }
                if self.is_detected_first(*size) =>
            {
                self.large_file(path)
            }
            InputItem::File { format: InputFormat::Text, .. } => {
                self.next -= 1;
                Some(self.text_files())
            }
            InputItem::File { path, format, .. } => self.record_file(path, *format),
            InputItem::Pipe(path) => match fs_err::File::open(path) {
                Ok(file) => self.stream(
                    &path.to_string_lossy(),
                    Box::new(file),
                    InputFormat::from_path(path),
                ),
                Err(error) => Some(report(&path.to_string_lossy(), None, reason(&error))),
            },
            InputItem::StandardInput => {
                let reader = self.reader.take()?;
                let name = Arc::clone(&self.reader_name);
                self.stream(&name, reader, InputFormat::Text)
            }
            InputItem::Problem(problem) => Some(Box::new(ProblemPiece(problem.clone()))),
        }
    }

    /// Groups text files into a piece small enough to balance the work of threads.
    fn text_files(&mut self) -> Box<dyn Piece> {
        let mut paths: Vec<PathBuf> = Vec::new();
        let mut bytes = 0u64;
        while let Some(InputItem::File { path, size, format: InputFormat::Text, .. }) =
            self.listing.items.get(self.next)
        {
            let is_full = paths.len() >= MAX_FILES
                || self.next == self.second_part
                || self.is_detected_first(*size)
                || bytes.saturating_add(*size) > self.settings.piece_bytes as u64;
            if is_full && !paths.is_empty() {
                break;
            }
            paths.push(path.clone());
            bytes = bytes.saturating_add(*size);
            self.next += 1;
        }
        Box::new(TextPiece { settings: Arc::clone(&self.settings), paths, bytes })
    }

    /// Whether the format of a file is detected before it becomes a piece, because it may be many
    /// pieces. Smaller ones are examined when their piece is read.
    fn is_detected_first(&self, size: u64) -> bool {
        self.settings.input_format.is_none() && size > MAX_DETECTED_LATER
    }

    /// Begins a file whose name announces no records.
    fn large_file(&mut self, path: &Path) -> Option<Box<dyn Piece>> {
        let name: Arc<str> = path.to_string_lossy().into();
        // A file that cannot be opened is reported when it is read as a whole.
        let detected =
            Stream::open(path).ok().map(|stream| detect_stream(stream, true, &self.settings));
        match detected {
            Some((Detected::Format(format @ (InputFormat::Jsonl | InputFormat::Json)), stream)) => {
                self.cut(name, stream, format)
            }
            Some((Detected::NoText(reason), _)) => Some(report(&name, None, reason)),
            Some((Detected::Format(_), _)) | None => {
                self.next -= 1;
                Some(self.text_files())
            }
        }
    }

    /// Begins a record file. JSON may be lines, an array or objects one after another, unless a format is requested.
    fn record_file(&mut self, path: &Path, format: InputFormat) -> Option<Box<dyn Piece>> {
        let name: Arc<str> = path.to_string_lossy().into();
        match Stream::open(path) {
            Ok(stream) if format == InputFormat::Parquet => self.parquet(&name, Some(path), stream),
            Ok(stream) if format == InputFormat::Jsonl && self.settings.input_format.is_none() => {
                let (format, stream) = detect_layout(stream, &self.settings);
                self.cut(name, stream, format)
            }
            Ok(stream) => self.cut(name, stream, format),
            Err(error) => Some(report(&name, None, reason(&error))),
        }
    }

    /// Begins a stream, detecting its format from its first bytes if necessary.
    fn stream(
        &mut self,
        name: &str,
        reader: Box<dyn Read + Send>,
        by_name: InputFormat,
    ) -> Option<Box<dyn Piece>> {
        let name: Arc<str> = name.into();
        let mut stream = match Stream::new(reader) {
            Ok(stream) => stream,
            Err(error) => return Some(report(&name, None, reason(&error))),
        };
        let mut head = Vec::new();
        if let Err(error) = stream.read_block(1, &mut head) {
            return Some(report(&name, None, stream.explain(&error)));
        }
        if head.is_empty() {
            self.empty_streams.push(name);
            return None;
        }
        stream = stream.unread(head);
        let format = match self.settings.input_format {
            Some(format) => format,
            None if by_name != InputFormat::Text => by_name,
            None => match detect_stream(stream, false, &self.settings) {
                (Detected::Format(format), rest) => {
                    stream = rest;
                    format
                }
                (Detected::NoText(reason), _) => return Some(report(&name, None, reason)),
            },
        };
        match format {
            InputFormat::Text => {
                let settings = Arc::clone(&self.settings);
                Some(Box::new(TextStreamPiece { settings, name, stream }))
            }
            InputFormat::Parquet => self.parquet(&name, None, stream),
            format => self.cut(name, stream, format),
        }
    }

    /// Sets up the cutter of a record format.
    fn cut(
        &mut self,
        name: Arc<str>,
        stream: Stream,
        format: InputFormat,
    ) -> Option<Box<dyn Piece>> {
        let opened = OpenInput::new(&self.settings, name, stream);
        let opened = match opened.skip_mark() {
            Ok(opened) => opened,
            Err(problem) => return Some(problem),
        };
        self.cutter = Some(match format {
            InputFormat::Csv => Box::new(CsvCutter::new(opened, b',')),
            InputFormat::Tsv => Box::new(CsvCutter::new(opened, b'\t')),
            InputFormat::Json => Box::new(JsonCutter::new(opened)),
            _ => Box::new(JsonlCutter::new(opened)),
        });
        None
    }

    #[cfg(feature = "parquet")]
    fn parquet(
        &mut self,
        name: &Arc<str>,
        path: Option<&Path>,
        stream: Stream,
    ) -> Option<Box<dyn Piece>> {
        let opened = OpenInput::new(&self.settings, Arc::clone(name), stream);
        match crate::parquet::ParquetCutter::new(opened, path) {
            Ok(cutter) => {
                self.cutter = Some(Box::new(cutter));
                None
            }
            Err(reason) => Some(report(name, None, reason)),
        }
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(&mut self, name: &Arc<str>, _: Option<&Path>, _: Stream) -> Option<Box<dyn Piece>> {
        Some(report(name, None, "this build of textkin does not include Parquet".to_owned()))
    }
}

impl Source for Inputs {
    fn next_piece(&mut self) -> Option<Box<dyn Piece>> {
        loop {
            if let Some(cutter) = &mut self.cutter {
                let piece = cutter.next_piece();
                if piece.is_some() {
                    return piece;
                }
                self.cutter = None;
            }
            let listing = Arc::clone(&self.listing);
            let piece = self.begin(listing.items.get(self.next)?);
            if piece.is_some() {
                return piece;
            }
        }
    }

    fn part(&self) -> u32 {
        u32::from(self.next > self.second_part)
    }

    /// Total size of all files on disk, before decompression; `None` if one input is a stream.
    fn total_bytes(&self) -> Option<u64> {
        self.listing.items.iter().try_fold(0u64, |sum, item| match item {
            InputItem::File { size, .. } => Some(sum.saturating_add(*size)),
            InputItem::Problem(_) => Some(sum),
            InputItem::Pipe(_) | InputItem::StandardInput => None,
        })
    }
}

impl Rewind for Inputs {
    fn rewind(&self) -> Result<Box<dyn Rewind>, RewindError> {
        Ok(Box::new(self.reopen()?))
    }
}

impl fmt::Debug for Inputs {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Inputs")
            .field("settings", &self.settings)
            .field("listing", &self.listing)
            .field("next", &self.next)
            .finish_non_exhaustive()
    }
}
