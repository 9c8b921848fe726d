//! Tables of bit-packed columns with random access to rows.
//!
//! Rows are stored in groups of 64:
//!
//! ```text
//! base (8)                  of each column
//! bits of each column       row after row
//! ```
//!
//! A number is the base of its group, plus the stride of the column times its row in the group,
//! plus its bits. Numbers that grow evenly take few bits, constant ones none.

use std::io;

use serde::{Deserialize, Serialize};
use textkin_core::CorruptionError;

use crate::bits::{BitReader, BitWriter};
use crate::pages::{Pages, u64_at};

/// Rows of a group: with 64 rows, the bytes of a group are a multiple of eight.
const GROUP: usize = 64;

/// One column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Column {
    /// The growth from row to row, without the bits.
    stride: u64,
    /// Bits of a number.
    width: u32,
}

/// The parameters that a reader needs to decode a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Columns {
    rows: u64,
    columns: Vec<Column>,
}

impl Columns {
    fn row_bits(&self) -> u64 {
        self.columns.iter().map(|column| u64::from(column.width)).sum()
    }

    fn group_bytes(&self) -> u64 {
        8 * (self.columns.len() as u64 + self.row_bits())
    }

    /// Returns the bytes of the whole table; `None` on overflow.
    fn bytes(&self) -> Option<u64> {
        let (full, rest) = (self.rows / GROUP as u64, self.rows % GROUP as u64);
        let last = match rest {
            0 => 0,
            rest => 8 * self.columns.len() as u64 + (rest * self.row_bits()).div_ceil(8),
        };
        full.checked_mul(self.group_bytes())?.checked_add(last)
    }
}

/// Writes a table of columns of equal length; the flag of a column is set if its numbers mostly
/// grow.
pub(crate) fn write(columns: &[(&[u64], bool)]) -> (Columns, Vec<u8>) {
    let rows = columns.first().map_or(0, |column| column.0.len());
    debug_assert!(
        columns.iter().all(|column| column.0.len() == rows),
        "columns have equal lengths"
    );
    let column = |&(numbers, grows): &(&[u64], bool)| {
        let stride = match numbers {
            [first, .., last] if grows => last.saturating_sub(*first) / (rows as u64 - 1),
            _ => 0,
        };
        let rest = |group: &[u64]| {
            let base = base(group, stride);
            remainders(group, stride, base).max().unwrap_or(0)
        };
        let max = numbers.chunks(GROUP).map(rest).max().unwrap_or(0);
        Column { stride, width: 64 - max.leading_zeros() }
    };
    let shape = Columns { rows: rows as u64, columns: columns.iter().map(column).collect() };
    let mut bytes = Vec::with_capacity(usize::try_from(shape.bytes().unwrap_or(0)).unwrap_or(0));
    let mut start = 0;
    while start < rows {
        let end = (start + GROUP).min(rows);
        let mut bases = Vec::with_capacity(columns.len());
        for (column, (numbers, _)) in shape.columns.iter().zip(columns) {
            let base = base(&numbers[start..end], column.stride);
            bytes.extend_from_slice(&base.to_le_bytes());
            bases.push(base);
        }
        let mut bits = BitWriter::default();
        for row in start..end {
            for ((column, (numbers, _)), base) in shape.columns.iter().zip(columns).zip(&bases) {
                let before = column.stride.wrapping_mul((row - start) as u64);
                let rest = numbers[row].wrapping_sub(*base).wrapping_sub(before);
                bits.put(rest, column.width);
            }
        }
        bytes.extend_from_slice(&bits.into_bytes());
        start = end;
    }
    (shape, bytes)
}

/// Iterates over the numbers of a group minus base and stride.
fn remainders(group: &[u64], stride: u64, base: u64) -> impl Iterator<Item = u64> + '_ {
    let before = (0u64..).map(move |row| stride.wrapping_mul(row));
    group
        .iter()
        .zip(before)
        .map(move |(number, before)| number.wrapping_sub(base).wrapping_sub(before))
}

/// Returns the base that leaves the smallest remainders.
fn base(group: &[u64], stride: u64) -> u64 {
    let lowest =
        (0i128..).zip(group).map(|(row, &number)| i128::from(number) - i128::from(stride) * row);
    // Readers add with wrap-around, so the base is taken modulo 2^64.
    let base = lowest.min().unwrap_or(0).rem_euclid(1 << 64);
    u64::try_from(base).unwrap_or(0)
}

/// A table in a section of a file.
#[derive(Debug)]
pub(crate) struct Table {
    section: usize,
    rows: usize,
    columns: Vec<Column>,
    /// The first bit of each column within a row.
    starts: Vec<usize>,
    row_bits: usize,
    group_bytes: usize,
}

impl Table {
    /// Opens a table of this shape, which must have `n_columns` columns.
    pub(crate) fn open(
        pages: &Pages,
        section: usize,
        shape: &Columns,
        n_columns: usize,
    ) -> Result<Self, CorruptionError> {
        let is_sane = shape.columns.len() == n_columns
            && shape.columns.iter().all(|column| column.width <= 64)
            && shape.bytes() == Some(pages.len(section) as u64);
        let rows = usize::try_from(shape.rows).ok().filter(|_| is_sane);
        let Some(rows) = rows else {
            return Err(pages.corrupt("the size of a table does not match its header"));
        };
        let mut starts = Vec::with_capacity(n_columns);
        let mut row_bits = 0;
        for column in &shape.columns {
            starts.push(row_bits);
            row_bits += column.width as usize;
        }
        let group_bytes = 8 * (n_columns + row_bits);
        let columns = shape.columns.clone();
        Ok(Self { section, rows, columns, starts, row_bits, group_bytes })
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Returns a row.
    #[inline]
    pub(crate) fn row<'a>(
        &'a self,
        pages: &'a Pages,
        row: usize,
    ) -> Result<Row<'a>, CorruptionError> {
        if row >= self.rows {
            return Err(pages.corrupt("a row number is out of range"));
        }
        let start = row / GROUP * self.group_bytes;
        let end = (start + self.group_bytes).min(pages.len(self.section));
        let group = pages.get(self.section, start..end)?;
        Ok(Row { table: self, group, row: row % GROUP })
    }
}

/// A row of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    table: &'a Table,
    group: &'a [u8],
    row: usize,
}

impl Row<'_> {
    /// Returns the number in a column.
    #[inline]
    pub(crate) fn get(&self, column: usize) -> u64 {
        let Column { stride, width } = self.table.columns[column];
        let base = u64_at(self.group, 8 * column).unwrap_or(0);
        let first = 64 * self.table.columns.len() + self.row * self.table.row_bits;
        let mut bits = BitReader::at(self.group, first + self.table.starts[column]);
        base.wrapping_add(stride.wrapping_mul(self.row as u64)).wrapping_add(bits.take(width))
    }
}

/// Converts a number that is stored in four bytes. The limits of segments and documents ensure that
/// it fits.
pub(crate) fn short(number: usize) -> io::Result<u32> {
    u32::try_from(number)
        .map_err(|_| io::Error::other("the segment exceeds the limits of its format"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::{Bytes, MemoryFile};
    use crate::pages::{FileFormat, PageWriter};

    const FORMAT: FileFormat = FileFormat { magic: *b"testtest", version: 1, sections: 1 };

    fn pages_of(bytes: &[u8]) -> Pages {
        let file = MemoryFile::default();
        let mut writer = PageWriter::begin(Box::new(file.clone()), FORMAT).expect("in memory");
        writer.section([bytes]).expect("in memory");
        writer.finish().expect("in memory");
        Pages::open("test", Bytes::Memory(file.contents().into()), &[FORMAT])
            .expect("the data is intact")
    }

    proptest! {
        #[test]
        fn written_tables_are_read_back(
            rows in prop::collection::vec((any::<u64>(), 0u64..300, 0u64..5000), 0..300),
        ) {
            let any: Vec<u64> = rows.iter().map(|row| row.0).collect();
            let small: Vec<u64> = rows.iter().map(|row| row.1).collect();
            let mut sum = 0;
            let growing: Vec<u64> = rows.iter().map(|row| { sum += row.2; sum }).collect();
            let same = vec![u64::MAX; rows.len()];
            // A column that does not grow as announced is still read correctly.
            let columns = [(&any[..], false), (&small[..], true), (&growing[..], true), (&same[..], false), (&any[..], true)];
            let (shape, bytes) = write(&columns);
            prop_assert_eq!(shape.columns[3].width, 0);
            let pages = pages_of(&bytes);
            let table = Table::open(&pages, 0, &shape, 5).expect("the data is intact");
            prop_assert_eq!(table.rows(), rows.len());
            for row in 0..rows.len() {
                let read = table.row(&pages, row).expect("the data is intact");
                for (column, (numbers, _)) in columns.iter().enumerate() {
                    prop_assert_eq!(read.get(column), numbers[row], "row {} column {}", row, column);
                }
            }
            prop_assert!(table.row(&pages, rows.len()).is_err());
        }
    }

    #[test]
    fn evenly_growing_numbers_take_no_bits() {
        let numbers: Vec<u64> = (0..1000).map(|n| 7 + 3 * n).collect();
        let (shape, bytes) = write(&[(&numbers, true)]);
        assert_eq!(shape.columns[0], Column { stride: 3, width: 0 });
        assert_eq!(bytes.len(), 8 * 1000usize.div_ceil(64));
    }
}
