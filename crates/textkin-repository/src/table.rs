//! Columns of numbers, in as few bits as the widest needs, of which every row can be read at once.
//!
//! Rows go in groups of 64:
//!
//! ```text
//! base (8)                  of each column
//! bits of each column       row after row
//! ```
//!
//! A number is the base of its group, plus the column's stride for every row before it in the group,
//! plus its bits: what climbs evenly takes few of them, what is the same everywhere none.

use std::io;

use serde::{Deserialize, Serialize};
use textkin_core::Damage;

use crate::bits::{BitReader, BitWriter};
use crate::pages::{Pages, u64_at};

/// Rows of a group: 64 rows of so many bits are so many times eight bytes.
const GROUP: usize = 64;

/// One column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Column {
    /// What a number has more than the one before, without its bits.
    stride: u64,
    /// Bits of a number.
    width: u32,
}

/// What a reader must know of a table.
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

    /// Bytes of the whole table, if there can be one.
    fn bytes(&self) -> Option<u64> {
        let (full, rest) = (self.rows / GROUP as u64, self.rows % GROUP as u64);
        let last = match rest {
            0 => 0,
            rest => 8 * self.columns.len() as u64 + (rest * self.row_bits()).div_ceil(8),
        };
        full.checked_mul(self.group_bytes())?.checked_add(last)
    }
}

/// Writes a table of columns that are equally long. Where `climbs`, numbers are expected to grow.
pub(crate) fn write(columns: &[(&[u64], bool)]) -> (Columns, Vec<u8>) {
    let rows = columns.first().map_or(0, |column| column.0.len());
    debug_assert!(columns.iter().all(|column| column.0.len() == rows), "columns are equally long");
    let column = |&(numbers, climbs): &(&[u64], bool)| {
        let stride = match numbers {
            [first, .., last] if climbs => last.saturating_sub(*first) / (rows as u64 - 1),
            _ => 0,
        };
        let rest = |group: &[u64]| {
            let base = base(group, stride);
            rests(group, stride, base).max().unwrap_or(0)
        };
        let most = numbers.chunks(GROUP).map(rest).max().unwrap_or(0);
        Column { stride, width: 64 - most.leading_zeros() }
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

/// What remains of the numbers of a group.
fn rests(group: &[u64], stride: u64, base: u64) -> impl Iterator<Item = u64> + '_ {
    let before = (0u64..).map(move |row| stride.wrapping_mul(row));
    group
        .iter()
        .zip(before)
        .map(move |(number, before)| number.wrapping_sub(base).wrapping_sub(before))
}

/// The base that leaves least of the numbers of a group.
fn base(group: &[u64], stride: u64) -> u64 {
    let lowest =
        (0i128..).zip(group).map(|(row, &number)| i128::from(number) - i128::from(stride) * row);
    // As the number of 64 bits that the sums of a reader, which go around, need.
    let base = lowest.min().unwrap_or(0).rem_euclid(1 << 64);
    u64::try_from(base).unwrap_or(0)
}

/// A table in a section of a file.
#[derive(Debug)]
pub(crate) struct Table {
    section: usize,
    rows: usize,
    columns: Vec<Column>,
    /// The first bit of each column in a row.
    starts: Vec<usize>,
    row_bits: usize,
    group_bytes: usize,
}

impl Table {
    /// The table of this shape, which has `n_columns`.
    pub(crate) fn open(
        pages: &Pages,
        section: usize,
        shape: &Columns,
        n_columns: usize,
    ) -> Result<Self, Damage> {
        let is_sane = shape.columns.len() == n_columns
            && shape.columns.iter().all(|column| column.width <= 64)
            && shape.bytes() == Some(pages.len(section) as u64);
        let rows = usize::try_from(shape.rows).ok().filter(|_| is_sane);
        let Some(rows) = rows else {
            return Err(pages.damaged("a table has another size than it says"));
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

    /// One row.
    #[inline]
    pub(crate) fn row<'a>(&'a self, pages: &'a Pages, row: usize) -> Result<Row<'a>, Damage> {
        if row >= self.rows {
            return Err(pages.damaged("it speaks of a row that a table does not have"));
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
    /// The number in a column.
    #[inline]
    pub(crate) fn get(&self, column: usize) -> u64 {
        let Column { stride, width } = self.table.columns[column];
        let base = u64_at(self.group, 8 * column).unwrap_or(0);
        let first = 64 * self.table.columns.len() + self.row * self.table.row_bits;
        let mut bits = BitReader::at(self.group, first + self.table.starts[column]);
        base.wrapping_add(stride.wrapping_mul(self.row as u64)).wrapping_add(bits.take(width))
    }
}

/// A number that is stored in four bytes. Segments are cut, and documents bounded, long before one
/// does not fit.
pub(crate) fn short(number: usize) -> io::Result<u32> {
    u32::try_from(number).map_err(|_| io::Error::other("a segment has outgrown its format"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::io::{Bytes, MemoryFile};
    use crate::pages::{Kind, PageWriter};

    const KIND: Kind = Kind { magic: *b"testtest", version: 1, sections: 1 };

    fn pages_of(bytes: &[u8]) -> Pages {
        let file = MemoryFile::default();
        let mut writer = PageWriter::begin(Box::new(file.clone()), KIND).expect("in memory");
        writer.section([bytes]).expect("in memory");
        writer.finish().expect("in memory");
        Pages::open("test", Bytes::Memory(file.contents().into()), KIND).expect("it is whole")
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            rows in prop::collection::vec((any::<u64>(), 0u64..300, 0u64..5000), 0..300),
        ) {
            let any: Vec<u64> = rows.iter().map(|row| row.0).collect();
            let small: Vec<u64> = rows.iter().map(|row| row.1).collect();
            let mut sum = 0;
            let climbing: Vec<u64> = rows.iter().map(|row| { sum += row.2; sum }).collect();
            let same = vec![u64::MAX; rows.len()];
            // What does not climb is read all the same.
            let columns = [(&any[..], false), (&small[..], true), (&climbing[..], true), (&same[..], false), (&any[..], true)];
            let (shape, bytes) = write(&columns);
            prop_assert_eq!(shape.columns[3].width, 0);
            let pages = pages_of(&bytes);
            let table = Table::open(&pages, 0, &shape, 5).expect("it is whole");
            prop_assert_eq!(table.rows(), rows.len());
            for row in 0..rows.len() {
                let read = table.row(&pages, row).expect("it is whole");
                for (column, (numbers, _)) in columns.iter().enumerate() {
                    prop_assert_eq!(read.get(column), numbers[row], "row {} column {}", row, column);
                }
            }
            prop_assert!(table.row(&pages, rows.len()).is_err());
        }
    }

    #[test]
    fn what_climbs_evenly_takes_nothing() {
        let numbers: Vec<u64> = (0..1000).map(|n| 7 + 3 * n).collect();
        let (shape, bytes) = write(&[(&numbers, true)]);
        assert_eq!(shape.columns[0], Column { stride: 3, width: 0 });
        assert_eq!(bytes.len(), 8 * 1000usize.div_ceil(64));
    }
}
