//! Word documents of the old format (`.doc`, Word 6 to 2003): the plain text.
//!
//! The file is a compound file: sectors, chained by a table, that hold streams. The stream `WordDocument` begins with
//! the address of the piece table in `0Table` or `1Table`; a piece is a run of characters in `WordDocument`, in Windows
//! 1252 or UTF-16. The text of notes, headers and comments follows the main text. Word 6 and 95 have one run.

use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind};

/// The first bytes of a compound file.
pub(crate) const COMPOUND: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Reads old Word documents.
pub(crate) struct Doc;

impl Extractor for Doc {
    fn kind(&self) -> FileKind {
        FileKind::Doc
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let corrupt = |reason| Error::corrupt(FileKind::Doc, reason);
        let file = CompoundFile::open(bytes).ok_or_else(|| corrupt("it is not a compound file"))?;
        let main = file.stream("WordDocument").ok_or_else(|| corrupt("it has no text"))?;
        let flags = u16_at(&main, 0x0a).ok_or_else(|| corrupt("its header is too short"))?;
        if flags & 0x0100 != 0 {
            return Err(Error::Encrypted(FileKind::Doc));
        }
        let name = if flags & 0x0200 == 0 { "0Table" } else { "1Table" };
        let table = file.stream(name);
        if table.is_none() && file.find(name).is_some() {
            return Err(corrupt("its table of pieces is damaged"));
        }
        let mut writer = TextOf { writer: context.writer(), codes: 0 };
        match table {
            Some(table) => pieces(&main, &table, &mut writer),
            None => single_run(&main, &mut writer),
        }
        .map_err(|failure| failure.unwrap_or_else(|| corrupt("its table of pieces is damaged")))?;
        let text = writer.writer.finish();
        context.document(ExtractedDocument { text, ..ExtractedDocument::default() })
    }
}

/// Why the text could not be read: an error, or `None` if the document is damaged.
type Failure = Option<Error>;

/// Reads the pieces that the table lists.
fn pieces(main: &[u8], table: &[u8], writer: &mut TextOf) -> Result<(), Failure> {
    let (at, length) = (u32_at(main, 0x1a2).ok_or(None)?, u32_at(main, 0x1a6).ok_or(None)?);
    let mut rest = table.get(at..at.checked_add(length).ok_or(None)?).ok_or(None)?;
    // Properties of runs come first.
    while let Some([1, tail @ ..]) = rest.first_chunk::<3>() {
        rest = rest.get(3 + usize::from(u16::from_le_bytes(*tail))..).ok_or(None)?;
    }
    let plc = match rest.first() {
        Some(2) => rest.get(5..).ok_or(None)?,
        _ => return Err(None),
    };
    let size = u32_at(rest, 1).ok_or(None)?.min(plc.len());
    let n = size.checked_sub(4).ok_or(None)? / 12;
    for piece in 0..n {
        let (from, to) =
            (u32_at(plc, 4 * piece).ok_or(None)?, u32_at(plc, 4 * piece + 4).ok_or(None)?);
        let address = u32_at(plc, 4 * (n + 1) + 8 * piece + 2).ok_or(None)?;
        let n_characters = to.checked_sub(from).ok_or(None)?;
        let is_wide = address & 0x4000_0000 == 0;
        let (start, n_bytes) = match is_wide {
            true => (address, n_characters.checked_mul(2).ok_or(None)?),
            false => ((address & 0x3fff_ffff) / 2, n_characters),
        };
        let bytes = main.get(start..start.checked_add(n_bytes).ok_or(None)?).ok_or(None)?;
        match is_wide {
            true => {
                let units = bytes.as_chunks::<2>().0.iter().map(|unit| u16::from_le_bytes(*unit));
                let text: String = char::decode_utf16(units)
                    .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                    .collect();
                writer.push(&text)?;
            }
            false => {
                writer.push(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0)?
            }
        }
    }
    Ok(())
}

/// Reads the text of Word 6 and 95.
fn single_run(main: &[u8], writer: &mut TextOf) -> Result<(), Failure> {
    let (from, to) = (u32_at(main, 0x18).ok_or(None)?, u32_at(main, 0x1c).ok_or(None)?);
    let bytes = main.get(from..to).ok_or(None)?;
    writer.push(&encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0)
}

/// Writes characters, except the instructions of fields.
struct TextOf {
    writer: TextWriter,
    /// Number of open fields whose instruction is being read.
    codes: u32,
}

impl TextOf {
    fn push(&mut self, text: &str) -> Result<(), Failure> {
        for part in text.split_inclusive(|character: char| character.is_control()) {
            let mark = part.chars().next_back().filter(|character| character.is_control());
            let words = mark.map_or(part, |mark| part.strip_suffix(mark).unwrap_or(part));
            if self.codes == 0 {
                self.writer.push(words).map_err(Some)?;
            }
            match mark {
                Some('\u{13}') => self.codes += 1,
                Some('\u{14}' | '\u{15}') => self.codes = self.codes.saturating_sub(1),
                Some('\r' | '\u{c}') => self.writer.paragraph(),
                Some('\u{b}' | '\u{7}') => self.writer.line(),
                Some('\t' | '\u{e}') => self.writer.space(),
                Some('\u{1e}') if self.codes == 0 => self.writer.push("-").map_err(Some)?,
                _ => {}
            }
        }
        Ok(())
    }
}

/// A compound file: a file system in a file.
struct CompoundFile<'a> {
    bytes: &'a [u8],
    /// Bytes of a sector, as a power of two.
    shift: u32,
    /// The sector after each sector.
    next: Vec<u32>,
    /// The small sector after each small sector, and their bytes.
    next_small: Vec<u32>,
    small: Vec<u8>,
    /// Streams of fewer bytes are in small sectors.
    min_large: usize,
    directory: Vec<u8>,
}

/// Sectors from here on are marks, such as the end of a chain.
const MAX_SECTOR: u32 = 0xffff_fffa;
/// Bytes of a small sector, as a power of two.
const SMALL_SHIFT: u32 = 6;
/// Bytes of an entry of the directory.
const ENTRY: usize = 128;

impl<'a> CompoundFile<'a> {
    fn open(bytes: &'a [u8]) -> Option<Self> {
        let shift = u32::from(u16_at(bytes, 30)?);
        if !bytes.starts_with(COMPOUND) || !(7..=16).contains(&shift) {
            return None;
        }
        let mut file = Self {
            bytes,
            shift,
            next: Vec::new(),
            next_small: Vec::new(),
            small: Vec::new(),
            min_large: u32_at(bytes, 56)?,
            directory: Vec::new(),
        };
        for table in file.tables()? {
            file.next.extend(numbers(file.sector(table)?));
        }
        file.directory = file.chain(number_at(bytes, 48)?)?;
        let (start, _) = file.entry(|_, kind| kind == 5)?;
        if start < MAX_SECTOR {
            file.small = file.chain(start)?;
            file.next_small = numbers(&file.chain(number_at(bytes, 60)?)?).collect();
        }
        Some(file)
    }

    /// Returns the sectors of the table of chains.
    fn tables(&self) -> Option<Vec<u32>> {
        let is_sector = |sector: &u32| *sector < MAX_SECTOR;
        let mut tables: Vec<u32> = numbers(self.bytes.get(76..512)?).filter(is_sector).collect();
        let mut more = number_at(self.bytes, 68)?;
        // A sector of more tables ends with the number of the next one.
        for _ in 0..self.bytes.len() >> self.shift {
            if more >= MAX_SECTOR {
                break;
            }
            let (rest, last) = self.sector(more)?.split_last_chunk::<4>()?;
            tables.extend(numbers(rest).filter(is_sector));
            more = u32::from_le_bytes(*last);
        }
        Some(tables)
    }

    fn sector(&self, number: u32) -> Option<&'a [u8]> {
        let start = usize::try_from(number).ok()?.checked_add(1)?.checked_mul(1 << self.shift)?;
        let end = start.checked_add(1 << self.shift)?.min(self.bytes.len());
        self.bytes.get(start..end)
    }

    /// Returns the bytes of the sectors from `start` on; `None` if the chain is damaged.
    fn chain(&self, start: u32) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut sector = start;
        while sector < MAX_SECTOR {
            bytes.extend_from_slice(self.sector(sector)?);
            sector = *self.next.get(sector as usize)?;
            if bytes.len() > self.bytes.len() {
                return None;
            }
        }
        Some(bytes)
    }

    /// Returns the first sector and the size of the first entry that `is_meant` accepts by name and kind.
    fn entry(&self, is_meant: impl Fn(&[u8], u8) -> bool) -> Option<(u32, usize)> {
        self.directory.chunks_exact(ENTRY).find_map(|entry| {
            let length = usize::from(u16_at(entry, 64)?).saturating_sub(2);
            let is_meant = is_meant(entry.get(..length)?, *entry.get(66)?);
            is_meant.then(|| Some((number_at(entry, 116)?, u32_at(entry, 120)?)))?
        })
    }

    /// Returns the first sector and the size of a stream.
    fn find(&self, name: &str) -> Option<(u32, usize)> {
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        self.entry(|entry, kind| kind == 2 && entry == name)
    }

    /// Returns the bytes of a stream; `None` if it is missing or damaged.
    fn stream(&self, name: &str) -> Option<Vec<u8>> {
        let (start, size) = self.find(name)?;
        let mut bytes = match size < self.min_large {
            false => self.chain(start)?,
            true => {
                let mut bytes = Vec::new();
                let mut sector = start;
                while sector < MAX_SECTOR && bytes.len() < size {
                    let from = (sector as usize).checked_mul(1 << SMALL_SHIFT)?;
                    let to = from.checked_add(1 << SMALL_SHIFT)?.min(self.small.len());
                    bytes.extend_from_slice(self.small.get(from..to)?);
                    sector = *self.next_small.get(sector as usize)?;
                }
                bytes
            }
        };
        bytes.truncate(size);
        Some(bytes)
    }
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks::<4>().0.iter().map(|number| u32::from_le_bytes(*number))
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn number_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(number_at(bytes, at)?).ok()
}
