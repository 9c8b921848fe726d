//! Tables for the terminal, with columns as wide as their content.

use std::fmt::Write as _;

/// Formats rows under headings. The first column is left-aligned, the others right-aligned. In a row with fewer cells
/// than columns, the last cell spans the rest.
pub(crate) fn table(headings: &[&[&str]], rows: &[Vec<String>]) -> String {
    let columns = headings.iter().map(|row| row.len()).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    let headings: Vec<Vec<String>> =
        headings.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
    for row in headings.iter().chain(rows) {
        // A last cell that spans several columns does not widen one.
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

/// Formats a number with commas between thousands.
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a share in percent. Only 1 is shown as 100, and only 0 as 0.0.
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
    fn columns_are_as_wide_as_their_content() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        let rows = [row(&["one", "12", "3"]), row(&["twenty", "it failed and more"])];
        let text = "x        n   m\none     12   3\ntwenty  it failed and more\n";
        assert_eq!(table(&[&["x", "n", " m"]], &rows), text);
    }

    #[test]
    fn numbers_are_formatted() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
        let shares = [1.0, 0.99999, 0.98765, 0.5, 0.0001, 0.0];
        assert_eq!(shares.map(percent), ["100", "> 99.9", "98.8", "50.0", "< 0.1", "0.0"]);
    }
}
