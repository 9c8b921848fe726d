//! A table for the terminal: columns as wide as what is in them.

use std::fmt::Write as _;

/// Puts rows under headings. The first column begins on the left, the others end on the right. A row with
/// fewer cells than columns lets its last cell run on.
pub(crate) fn table(headings: &[&[&str]], rows: &[Vec<String>]) -> String {
    let columns = headings.iter().map(|row| row.len()).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    let headings: Vec<Vec<String>> =
        headings.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
    for row in headings.iter().chain(rows) {
        // A last cell that runs on needs no column.
        let n_cells = if row.len() < columns { row.len().saturating_sub(1) } else { columns };
        for (width, cell) in widths.iter_mut().zip(&row[..n_cells]) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut text = String::new();
    for row in headings.iter().chain(rows) {
        let mut line = String::new();
        for (number, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let fill = " ".repeat(width.saturating_sub(cell.chars().count()));
            let is_last_of_few = row.len() < columns && number + 1 == row.len();
            // Writing to a string does not fail.
            _ = match number {
                0 => write!(line, "{cell}{fill}"),
                _ if is_last_of_few => write!(line, "  {cell}"),
                _ => write!(line, "  {fill}{cell}"),
            };
        }
        _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// A number with a comma between thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.char_indices() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A share in percent. Only what is whole is 100, only what is nothing is 0.
pub(crate) fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let is_rounded = share < 1.0 && percent >= 99.95 || share > 0.0 && percent < 0.05;
    match () {
        () if is_rounded && share > 0.5 => "> 99.9".to_owned(),
        () if is_rounded => "< 0.1".to_owned(),
        () if share >= 1.0 => "100".to_owned(),
        () => format!("{percent:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        let rows = [row(&["one", "12", "3"]), row(&["twenty", "it failed and more"])];
        let text = "x        n   m\none     12   3\ntwenty  it failed and more\n";
        assert_eq!(table(&[&["x", "n", " m"]], &rows), text);
    }

    #[test]
    fn numbers_are_read_easily() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        let shares = [1.0, 0.99999, 0.98765, 0.5, 0.0001, 0.0];
        assert_eq!(shares.map(percent), ["100", "> 99.9", "98.8", "50.0", "< 0.1", "0.0"]);
    }
}
