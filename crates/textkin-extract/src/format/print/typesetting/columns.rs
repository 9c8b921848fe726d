//! Reading order of lines: text in columns is read column by column.
//!
//! In: lines in document order, split into runs at wide gaps. Out: text. Consecutive lines whose runs
//! align without touching another column form a region; a line across all columns, or vertical
//! space, ends it. Numbers and bullets before an item belong to the item and are not a column, unless
//! they are printed smaller, as line numbers are.

/// A run of text in a line, between wide gaps.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TextRun {
    pub(crate) text: String,
    /// Start and end along the line.
    pub(crate) from: f64,
    pub(crate) to: f64,
    pub(crate) size: f64,
}

/// A line, split into runs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Row {
    pub(crate) parts: Vec<TextRun>,
    /// Its position across the writing direction.
    pub(crate) base: f64,
    pub(crate) size: f64,
    /// Lines of different directions are in different regions.
    pub(crate) direction: (i8, i8),
}

/// Maximum distance between lines of one region, in font sizes.
const MAX_LINE_STEP: f64 = 1.5;

/// Maximum length of the number or bullet of an item.
const MAX_LABEL_CHARACTERS: usize = 8;

/// Maximum number of labels that stay beside their lines.
const MAX_INLINE_LABELS: usize = 6;

#[derive(Debug)]
struct Column {
    from: f64,
    to: f64,
    lines: Vec<(usize, String)>,
}

/// Columns that continue from line to line.
#[derive(Debug, Default)]
struct Region {
    columns: Vec<Column>,
    n_lines: usize,
    last: Option<(f64, f64, (i8, i8))>,
}

/// Returns the text of `rows`, with empty lines between paragraphs and columns.
pub(crate) fn read(rows: Vec<Row>) -> String {
    let mut text = String::new();
    let mut region = Region::default();
    for mut row in rows {
        join_leaders(&mut row.parts);
        join_label(&mut row.parts);
        if !region.accepts(&row) {
            region.end(&mut text, region.is_paragraph_before(&row));
            region = Region::default();
        }
        region.add(row);
    }
    region.end(&mut text, false);
    text
}

/// Joins the number or bullet of an item with its text.
fn join_label(parts: &mut Vec<TextRun>) {
    if let [label, item, ..] = parts.as_slice()
        && is_label(&label.text)
        && label.size > 0.85 * item.size
    {
        let text = format!("{} {}", label.text.trim_end(), item.text);
        let joined = TextRun { text, from: label.from, to: item.to, size: item.size };
        parts.splice(..2, [joined]);
    }
}

/// Joins runs connected by leader dots: an entry of a table of contents and its page.
fn join_leaders(parts: &mut Vec<TextRun>) {
    let mut joined: Vec<TextRun> = Vec::with_capacity(parts.len());
    for part in parts.drain(..) {
        match joined.last_mut() {
            Some(last) if is_leader(&part.text) => {
                last.text = format!("{} {}", last.text.trim_end(), part.text);
                last.to = last.to.max(part.to);
            }
            _ => joined.push(part),
        }
    }
    *parts = joined;
}

fn is_leader(text: &str) -> bool {
    let mut characters = text.chars().filter(|character| !character.is_whitespace()).peekable();
    characters.peek().is_some() && characters.all(|character| matches!(character, '.' | '·' | '…'))
}

fn is_label(text: &str) -> bool {
    let text = text.trim();
    let n_letters = text.chars().filter(|character| character.is_alphabetic()).count();
    text.chars().count() <= MAX_LABEL_CHARACTERS && n_letters <= 1
}

impl Region {
    fn step(&self, row: &Row) -> Option<f64> {
        let (base, size, direction) = self.last?;
        let size = size.max(row.size);
        (direction == row.direction).then_some((row.base - base).abs() / size)
    }

    fn is_paragraph_before(&self, row: &Row) -> bool {
        self.step(row).is_none_or(|step| step > 1.9)
    }

    /// Whether the row continues the columns.
    fn accepts(&self, row: &Row) -> bool {
        let Some(step) = self.step(row) else { return self.columns.is_empty() };
        let is_alike = self.last.is_some_and(|(_, size, _)| (size - row.size).abs() < 0.15 * size);
        if step > MAX_LINE_STEP || !is_alike {
            return false;
        }
        row.parts.iter().all(|part| {
            let Some(index) = self.column_of(part) else { return true };
            // It may neither reach into the next column nor join two columns.
            let touches = |column: &Column| part.from < column.to && part.to > column.from;
            self.columns
                .iter()
                .enumerate()
                .all(|(other, column)| other == index || !touches(column))
        })
    }

    fn column_of(&self, part: &TextRun) -> Option<usize> {
        self.columns.iter().position(|column| part.from < column.to && part.to > column.from)
    }

    fn add(&mut self, row: Row) {
        let line = self.n_lines;
        self.n_lines += 1;
        self.last = Some((row.base, row.size, row.direction));
        for part in row.parts {
            if let Some(column) =
                self.column_of(&part).and_then(|index| self.columns.get_mut(index))
            {
                column.from = column.from.min(part.from);
                column.to = column.to.max(part.to);
                match column.lines.last_mut() {
                    Some((last, text)) if *last == line => {
                        text.push(' ');
                        text.push_str(&part.text);
                    }
                    _ => column.lines.push((line, part.text)),
                }
                continue;
            }
            let position = self.columns.partition_point(|column| column.from < part.from);
            let column = Column { from: part.from, to: part.to, lines: vec![(line, part.text)] };
            self.columns.insert(position, column);
        }
    }

    /// Whether one of two columns contains only a few numbers (of lines or pages).
    fn has_few_labels(&self) -> bool {
        let [first, last] = self.columns.as_slice() else { return false };
        let is_few = |column: &Column| {
            column.lines.len() <= MAX_INLINE_LABELS
                && column.lines.iter().all(|(_, text)| is_label(text))
        };
        is_few(first) || is_few(last)
    }

    fn end(&self, text: &mut String, is_paragraph: bool) {
        if self.n_lines == 1 || self.has_few_labels() {
            for line in 0..self.n_lines {
                let parts = self.columns.iter().flat_map(|column| &column.lines);
                let parts = parts.filter(|(number, _)| *number == line);
                let parts: Vec<&str> = parts.map(|(_, text)| text.trim_end()).collect();
                text.push_str(&parts.join(" "));
                text.push('\n');
            }
        } else {
            for (index, column) in self.columns.iter().enumerate() {
                if index > 0 {
                    text.push('\n');
                }
                for (_, line) in &column.lines {
                    text.push_str(line.trim_end());
                    text.push('\n');
                }
            }
        }
        if is_paragraph && self.n_lines > 0 {
            text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn row(base: f64, parts: &[(&str, f64, f64)]) -> Row {
        let part = |&(text, from, to): &(&str, f64, f64)| TextRun {
            text: text.to_owned(),
            from,
            to,
            size: 10.0,
        };
        let parts = parts.iter().map(part).collect();
        Row { parts, base, size: 10.0, direction: (1, 0) }
    }

    #[test]
    fn columns_are_read_one_after_the_other() {
        let rows = vec![
            row(100.0, &[("across all of the page", 0.0, 200.0)]),
            row(88.0, &[("left one", 0.0, 80.0), ("right one", 100.0, 180.0)]),
            row(76.0, &[("left two", 0.0, 80.0), ("right two", 100.0, 180.0)]),
            row(64.0, &[("and across all again", 0.0, 200.0)]),
        ];
        let expected = "across all of the page\nleft one right one\nleft two right two\nand across all again\n";
        assert_eq!(read(rows.clone()), expected, "a full line keeps the next rows together");
        let rows = rows.get(1..).unwrap_or_default().to_vec();
        let expected = "left one\nleft two\n\nright one\nright two\nand across all again\n";
        assert_eq!(read(rows), expected);
    }

    #[test]
    fn labels_are_joined_with_their_items() {
        let rows = vec![
            row(100.0, &[("1.1", 0.0, 12.0), ("First", 24.0, 50.0), ("7", 150.0, 155.0)]),
            row(88.0, &[("1.2", 0.0, 12.0), ("Second", 24.0, 60.0), ("9", 150.0, 155.0)]),
        ];
        assert_eq!(read(rows), "1.1 First 7\n1.2 Second 9\n");
    }

    #[test]
    fn leader_dots_join_entries_and_page_numbers() {
        let entry = |number: usize| {
            let page = number.to_string();
            row(
                100.0 - 12.0 * number as f64,
                &[("Entry", 0.0, 30.0), (". . .", 40.0, 80.0), (&page, 90.0, 95.0)],
            )
        };
        assert_eq!(read(vec![entry(1), entry(2)]), "Entry . . . 1\nEntry . . . 2\n");
        let pages = read((1..=7).map(entry).collect());
        assert_eq!(pages, format!("{}\n1\n2\n3\n4\n5\n6\n7\n", "Entry . . .\n".repeat(7)));
    }

    proptest! {
        #[test]
        fn no_text_is_lost(
            rows in prop::collection::vec((0_u8..40, prop::collection::vec((0_u8..200, 1_u8..90), 1..4)), 0..30),
        ) {
            let mut number = 0;
            let rows: Vec<Row> = rows.iter().map(|(base, parts)| {
                let mut at = 0.0;
                let parts = parts.iter().map(|(gap, width)| {
                    number += 1;
                    let from = at + f64::from(*gap);
                    at = from + f64::from(*width);
                    TextRun { text: format!("word{number}"), from, to: at, size: 10.0 }
                });
                Row { parts: parts.collect(), base: f64::from(*base), size: 10.0, direction: (1, 0) }
            }).collect();
            let text = read(rows);
            let mut words: Vec<&str> = text.split_whitespace().collect();
            words.sort_unstable();
            let mut expected: Vec<String> = (1..=number).map(|number| format!("word{number}")).collect();
            expected.sort_unstable();
            prop_assert_eq!(words, expected);
        }
    }
}
