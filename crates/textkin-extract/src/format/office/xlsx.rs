//! Spreadsheets (Office Open XML): the text of the cells, sheet by sheet and row by row.
//!
//! Numbers, dates and formulas are excluded; text results of formulas are kept. Hidden sheets and
//! rows are noted and excluded.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::format::package::Package;
use crate::hidden::HiddenText;
use crate::markup::{Markup, MarkupToken, Tag, local, unescape};
use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind};

/// Reads spreadsheets.
pub(crate) struct Xlsx;

impl Extractor for Xlsx {
    fn kind(&self) -> FileKind {
        FileKind::Xlsx
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let mut package = Package::open(bytes, FileKind::Xlsx)?;
        let mut writer = context.writer();
        let strings = match package.read("xl/sharedStrings.xml", context)? {
            Some(source) => Strings::read(&source, &mut writer)?,
            None => Strings::default(),
        };
        let mut reader = Reader {
            strings,
            writer,
            hidden: HiddenText::default(),
            keep_hidden: context.options().keep_hidden,
        };
        for sheet in sheets(&mut package, context)? {
            if let Some(source) = package.read(&sheet.name, context)? {
                reader.sheet(&source, sheet.is_hidden)?;
            }
        }
        let properties =
            package.properties("docProps/core.xml", &["modified", "created"], context)?;
        context.document(ExtractedDocument {
            text: reader.writer.finish(),
            title: properties.title,
            time: properties.time,
            notes: reader.hidden.notes(),
            ..ExtractedDocument::default()
        })
    }
}

/// A sheet of the spreadsheet.
struct Sheet {
    name: String,
    is_hidden: bool,
}

/// Returns the sheets in workbook order; unlisted ones follow by number.
fn sheets(
    package: &mut Package<'_>,
    context: &mut ExtractContext<'_>,
) -> Result<Vec<Sheet>, Error> {
    let main = "xl/workbook.xml";
    let mut sheets = Vec::new();
    if let Some(source) = package.read(main, context)? {
        let relations = package.relations(main, context)?;
        for token in Markup::xml(&source) {
            let MarkupToken::Open(tag) = token else { continue };
            if tag.local() != "sheet" {
                continue;
            }
            let id = tag.attributes().find(|(name, _)| name.ends_with(":id"));
            let name = id.and_then(|(_, id)| relations.get(&*id).cloned());
            let is_hidden = tag.attribute("state").is_some_and(|state| state != "visible");
            sheets.extend(name.map(|name| Sheet { name, is_hidden }));
        }
    }
    let number = |name: &String| -> usize {
        let digits: String = name.chars().filter(char::is_ascii_digit).take(9).collect();
        digits.parse().unwrap_or(usize::MAX)
    };
    let known: HashSet<String> = sheets.iter().map(|sheet| sheet.name.clone()).collect();
    let is_other = |name: &String| {
        name.starts_with("xl/worksheets/") && name.ends_with(".xml") && !known.contains(name)
    };
    let mut others: Vec<String> = package.names().into_iter().filter(is_other).collect();
    others.sort_by_key(number);
    sheets.extend(others.into_iter().map(|name| Sheet { name, is_hidden: false }));
    Ok(sheets)
}

/// Shared strings, which cells reference by number.
#[derive(Default)]
struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    fn read(source: &str, writer: &mut TextWriter) -> Result<Self, Error> {
        let mut strings = Self::default();
        let (mut is_text, mut is_reading_aid) = (false, false);
        for token in Markup::xml(source) {
            writer.tick()?;
            match token {
                MarkupToken::Open(tag) => match tag.local() {
                    "t" => is_text = !tag.is_empty,
                    // Phonetic reading of Japanese names: a repetition.
                    "rPh" => is_reading_aid = !tag.is_empty,
                    "si" if tag.is_empty => strings.ends.push(strings.text.len()),
                    _ => {}
                },
                MarkupToken::Close(name) => match local(name) {
                    "t" => is_text = false,
                    "rPh" => is_reading_aid = false,
                    "si" => strings.ends.push(strings.text.len()),
                    _ => {}
                },
                MarkupToken::Text(text) if is_text && !is_reading_aid => {
                    strings.text.push_str(&unescape(text));
                }
                MarkupToken::Text(_) | MarkupToken::Verbatim(_) => {}
            }
        }
        Ok(strings)
    }

    fn get(&self, number: &str) -> &str {
        let Ok(number) = number.trim().parse::<usize>() else { return "" };
        let Some(&end) = self.ends.get(number) else { return "" };
        let start = number.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        self.text.get(start.unwrap_or(0)..end).unwrap_or_default()
    }
}

/// The type of a cell value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Shared,
    Text,
    Other,
}

impl Value {
    fn of(cell: &Tag<'_>) -> Self {
        match cell.attribute("t").as_deref() {
            Some("s") => Self::Shared,
            Some("str" | "inlineStr") => Self::Text,
            _ => Self::Other,
        }
    }
}

struct Reader {
    strings: Strings,
    writer: TextWriter,
    hidden: HiddenText,
    keep_hidden: bool,
}

impl Reader {
    fn sheet(&mut self, source: &str, is_hidden: bool) -> Result<(), Error> {
        let hidden_sheet = is_hidden.then_some("hidden sheet");
        let mut how = hidden_sheet;
        let mut value = Value::Other;
        let (mut is_value, mut is_text) = (false, false);
        self.writer.paragraph();
        for token in Markup::xml(source) {
            self.writer.tick()?;
            match token {
                MarkupToken::Open(tag) => match tag.local() {
                    "row" => {
                        let is_hidden =
                            tag.attribute("hidden").is_some_and(|v| v == "1" || v == "true");
                        how = hidden_sheet.or(is_hidden.then_some("hidden row"));
                        self.writer.line();
                    }
                    "c" => {
                        value = Value::of(&tag);
                        self.writer.space();
                    }
                    "v" => is_value = !tag.is_empty,
                    "t" => is_text = !tag.is_empty,
                    _ => {}
                },
                MarkupToken::Close(name) => match local(name) {
                    "v" => is_value = false,
                    "t" => is_text = false,
                    "row" => how = hidden_sheet,
                    _ => {}
                },
                MarkupToken::Text(text) => {
                    let text = match value {
                        Value::Shared if is_value => Cow::Borrowed(self.strings.get(text)),
                        Value::Text if is_value || is_text => unescape(text),
                        _ => continue,
                    };
                    if let Some(how) = how {
                        self.hidden.add(how, &text);
                        if !self.keep_hidden {
                            continue;
                        }
                    }
                    self.writer.push(&text)?;
                }
                MarkupToken::Verbatim(_) => {}
            }
        }
        self.writer.paragraph();
        Ok(())
    }
}
