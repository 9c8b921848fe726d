//! Table of measured figures, with those of the paper where available.

use std::fmt::Write as _;

use serde::Serialize;
use textkin::engine::report::csv_field;

/// Cell: a figure, or none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportCell {
    /// Measured value, if any.
    pub value: Option<f64>,
    /// Value in the paper, on its own collection.
    pub paper: Option<f64>,
    /// Decimal places.
    #[serde(skip)]
    digits: usize,
}

/// Row of a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReportRow {
    /// Name of the row.
    pub name: String,
    /// One cell per column.
    pub cells: Vec<ReportCell>,
}

/// Table with named rows and columns.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ReportTable {
    /// Header of the column with the row names.
    pub row_header: String,
    /// Column names.
    pub columns: Vec<String>,
    /// Rows.
    pub rows: Vec<ReportRow>,
}

impl ReportCell {
    /// Creates a cell that shows `digits` decimal places.
    #[must_use]
    pub fn new(value: impl Into<Option<f64>>, digits: usize) -> Self {
        Self { value: value.into().filter(|value| value.is_finite()), paper: None, digits }
    }

    /// Adds the value of the paper.
    #[must_use]
    pub fn with_paper(mut self, paper: impl Into<Option<f64>>) -> Self {
        self.paper = paper.into();
        self
    }

    /// Formats the measured value.
    #[must_use]
    pub fn formatted(&self) -> String {
        self.value.map_or_else(|| "n/a".to_owned(), |value| format!("{value:.*}", self.digits))
    }

    /// Formats the value of the paper.
    #[must_use]
    pub fn formatted_paper(&self) -> Option<String> {
        self.paper.map(|value| format!("{value:.*}", self.digits))
    }
}

impl ReportTable {
    /// Creates an empty table.
    #[must_use]
    pub fn new<C: Into<String>>(row_header: &str, columns: impl IntoIterator<Item = C>) -> Self {
        let columns = columns.into_iter().map(Into::into).collect();
        Self { row_header: row_header.to_owned(), columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, name: impl Into<String>, cells: Vec<ReportCell>) {
        self.rows.push(ReportRow { name: name.into(), cells });
    }

    /// Returns whether any cell has a value of the paper.
    #[must_use]
    pub fn has_paper(&self) -> bool {
        self.rows.iter().flat_map(|row| &row.cells).any(|cell| cell.paper.is_some())
    }

    /// Formats the table as text, with values of the paper in brackets.
    #[must_use]
    pub fn text(&self) -> String {
        let cell = |cell: &ReportCell| match cell.formatted_paper() {
            Some(paper) => format!("{} ({paper})", cell.formatted()),
            None => cell.formatted(),
        };
        let heading = std::iter::once(self.row_header.clone()).chain(self.columns.iter().cloned());
        let mut lines: Vec<Vec<String>> = vec![heading.collect()];
        for row in &self.rows {
            lines.push(
                std::iter::once(row.name.clone()).chain(row.cells.iter().map(cell)).collect(),
            );
        }
        let n_columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..n_columns).map(width).collect();
        let mut text = String::new();
        for line in &lines {
            for (number, (cell, width)) in line.iter().zip(&widths).enumerate() {
                // Writing to a string does not fail.
                _ = match number {
                    0 => write!(text, "{cell:<width$}"),
                    _ => write!(text, "  {cell:>width$}"),
                };
            }
            text.truncate(text.trim_end().len());
            text.push('\n');
        }
        text
    }

    /// Formats the table as Markdown, with values of the paper in brackets.
    #[must_use]
    pub fn markdown(&self) -> String {
        let escaped = |text: &str| text.replace('|', "\\|");
        let mut markdown = format!("| {} |", escaped(&self.row_header));
        for column in &self.columns {
            // Writing to a string does not fail.
            _ = write!(markdown, " {} |", escaped(column));
        }
        _ = write!(markdown, "\n|---|{}\n", "---:|".repeat(self.columns.len()));
        for row in &self.rows {
            _ = write!(markdown, "| {} |", escaped(&row.name));
            for cell in &row.cells {
                let paper = cell.formatted_paper().map(|paper| format!(" ({paper})"));
                _ = write!(markdown, " {}{} |", cell.formatted(), paper.unwrap_or_default());
            }
            markdown.push('\n');
        }
        markdown
    }

    /// Formats the table as CSV, one line per cell: row, column, measured, paper.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut csv = format!("{},column,measured,paper\n", csv_field(&self.row_header));
        let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
        for row in &self.rows {
            for (column, cell) in self.columns.iter().zip(&row.cells) {
                let (measured, paper) = (number(cell.value), number(cell.paper));
                _ = writeln!(
                    csv,
                    "{},{},{measured},{paper}",
                    csv_field(&row.name),
                    csv_field(column)
                );
            }
        }
        csv
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> ReportTable {
        let mut table = ReportTable::new("score", ["T1", "T2, high"]);
        table.push("s1", vec![ReportCell::new(0.5, 2).with_paper(0.25), ReportCell::new(None, 2)]);
        table.push("longer name", vec![ReportCell::new(f64::NAN, 1), ReportCell::new(12.0, 0)]);
        table
    }

    #[test]
    fn columns_are_aligned_and_paper_values_are_in_brackets() {
        let expected = "score                 T1  T2, high\n\
                        s1           0.50 (0.25)       n/a\n\
                        longer name          n/a        12\n";
        assert_eq!(table().text(), expected);
        assert!(table().has_paper());
    }

    #[test]
    fn markdown_has_a_line_for_each_row() {
        let mut table = table();
        table.row_header = "a|b".to_owned();
        let expected = "| a\\|b | T1 | T2, high |\n|---|---:|---:|\n| s1 | 0.50 (0.25) | n/a |\n\
                        | longer name | n/a | 12 |\n";
        assert_eq!(table.markdown(), expected);
    }

    #[test]
    fn csv_has_a_line_for_each_cell() {
        let csv = table().csv();
        assert_eq!(csv.lines().count(), 5);
        assert!(csv.contains("s1,T1,0.5,0.25\ns1,\"T2, high\",,\n"), "{csv}");
    }
}
