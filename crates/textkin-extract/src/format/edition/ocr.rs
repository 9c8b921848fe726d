//! The output of text recognition: ALTO, PAGE and hOCR.
//!
//! In: the lines of scanned pages with their positions. Out: the text, a line per line and a paragraph per
//! block, in reading order; words divided at a line end are joined. Positions are metadata if requested: a
//! JSON object `{"lines": [{"text": …, "box": …}]}` with the position as the format has it.

use std::fmt::Write as _;

use crate::markup::{Markup, MarkupToken, SkippedElement, Tag, local, unescape};
use crate::writer::TextWriter;
use crate::{Error, ExtractedDocument, tidy};

/// Characters that divide a word at the end of a line, other than a hyphen.
const OTHER_HYPHENS: [char; 3] = ['¬', '⸗', '\u{ad}'];

/// A line of a page.
#[derive(Debug, Default)]
struct Line {
    text: String,
    /// Its position, as in the file.
    position: String,
}

/// The blocks of all pages, in reading order.
#[derive(Debug, Default)]
struct Blocks(Vec<Vec<Line>>);

impl Blocks {
    fn begin_block(&mut self) {
        self.0.push(Vec::new());
    }

    fn begin_line(&mut self, position: String) {
        if self.0.is_empty() {
            self.begin_block();
        }
        if let Some(block) = self.0.last_mut() {
            block.push(Line { text: String::new(), position });
        }
    }

    /// Appends text to the current line.
    fn push(&mut self, text: &str) {
        if self.0.last().is_none_or(Vec::is_empty) {
            self.begin_line(String::new());
        }
        if let Some(line) = self.0.last_mut().and_then(|block| block.last_mut()) {
            line.text.push_str(text);
        }
    }

    /// Writes the text, and the positions if they are kept.
    fn finish(self, mut writer: TextWriter, has_layout: bool) -> Result<ExtractedDocument, Error> {
        let mut text = String::new();
        for block in &self.0 {
            for line in block {
                let line = line.text.trim_end();
                let word = line.trim_end_matches(OTHER_HYPHENS);
                text.push_str(word);
                text.push_str(if word.len() < line.len() { "-\n" } else { "\n" });
            }
            text.push('\n');
        }
        writer.push_paragraphs(&tidy::join_hyphenated(&text))?;
        let lines = || self.0.iter().flatten().filter(|line| !line.text.trim().is_empty());
        let metadata = has_layout.then(|| {
            let mut json = String::from("{\"lines\":[");
            for (number, line) in lines().enumerate() {
                json.push_str(if number == 0 { "{\"text\":" } else { ",{\"text\":" });
                push_json(line.text.trim(), &mut json);
                json.push_str(",\"box\":");
                push_json(&line.position, &mut json);
                json.push('}');
            }
            json.push_str("]}");
            json
        });
        Ok(ExtractedDocument { text: writer.finish(), metadata, ..ExtractedDocument::default() })
    }
}

/// Appends a JSON string.
fn push_json(text: &str, json: &mut String) {
    json.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            '\0'..='\u{1f}' => {
                // Writing to a string cannot fail.
                let _ = write!(json, "\\u{:04x}", u32::from(character));
            }
            _ => json.push(character),
        }
    }
    json.push('"');
}

/// Reads ALTO: words are attributes. A word divided at a line end is whole in `SUBS_CONTENT`.
pub(crate) fn alto(
    source: &str,
    mut writer: TextWriter,
    has_layout: bool,
) -> Result<ExtractedDocument, Error> {
    let mut blocks = Blocks::default();
    let mut is_whole = false;
    for token in Markup::xml(source) {
        writer.tick()?;
        let MarkupToken::Open(tag) = token else { continue };
        let attribute = |name: &str| tag.attribute(name).unwrap_or_default();
        match tag.local() {
            "TextBlock" => blocks.begin_block(),
            "TextLine" => {
                let place = ["HPOS", "VPOS", "WIDTH", "HEIGHT"].map(attribute);
                blocks.begin_line(place.join(" ").trim().to_owned());
            }
            "SP" => blocks.push(" "),
            "HYP" if !is_whole => blocks.push("-"),
            "String" => {
                let whole = tag.attribute("SUBS_CONTENT").filter(|word| !word.is_empty());
                let kind = attribute("SUBS_TYPE");
                match (&*kind, whole) {
                    ("HypPart2", Some(_)) if is_whole => is_whole = false,
                    ("HypPart1", Some(word)) => {
                        is_whole = true;
                        blocks.push(&word);
                        blocks.push(" ");
                    }
                    _ => {
                        is_whole = false;
                        let word = attribute("CONTENT");
                        blocks.push(&word);
                        // Strings without `SP` between them are words too, unless a hyphen follows.
                        blocks.push(" ");
                    }
                }
            }
            _ => {}
        }
    }
    for line in blocks.0.iter_mut().flatten() {
        line.text = line.text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" -", "-");
    }
    blocks.finish(writer, has_layout)
}

/// A region of PAGE: its text lines, or its text if it has no lines.
#[derive(Debug, Default)]
struct Region {
    id: String,
    text: String,
    lines: Vec<PageLine>,
}

/// A line of PAGE: its text, or its words if it has none.
#[derive(Debug, Default)]
struct PageLine {
    text: String,
    words: Vec<String>,
    position: String,
}

/// Where a text of PAGE belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PageLevel {
    Region(usize),
    Line(usize),
    Word(usize),
    Glyph,
}

/// Reads PAGE: the text of each line, in the reading order of its regions.
pub(crate) fn page(
    source: &str,
    mut writer: TextWriter,
    has_layout: bool,
) -> Result<ExtractedDocument, Error> {
    let mut regions: Vec<Region> = Vec::new();
    // Open elements that can have a text.
    let mut open: Vec<PageLevel> = Vec::new();
    // The group, its index and the region of each reference of the reading order.
    let mut order: Vec<(usize, u64, String)> = Vec::new();
    let (mut n_groups, mut is_text) = (0, false);
    for token in Markup::xml(source) {
        writer.tick()?;
        match token {
            MarkupToken::Open(tag) => {
                is_text = tag.local() == "Unicode" && !tag.is_empty;
                let attribute = |name: &str| tag.attribute(name).unwrap_or_default().into_owned();
                match tag.local() {
                    "OrderedGroup" | "OrderedGroupIndexed" | "UnorderedGroup" => n_groups += 1,
                    "RegionRefIndexed" | "RegionRef" => {
                        let index = attribute("index").parse().unwrap_or(0);
                        order.push((n_groups, index, attribute("regionRef")));
                    }
                    _ if tag.is_empty && tag.local() != "Coords" => {}
                    "TextRegion" => {
                        open.push(PageLevel::Region(regions.len()));
                        regions.push(Region { id: attribute("id"), ..Region::default() });
                    }
                    "TextLine" => {
                        let region = inner_region(&open, &mut regions);
                        open.push(PageLevel::Line(region));
                        regions[region].lines.push(PageLine::default());
                    }
                    "Word" => {
                        let region = inner_region(&open, &mut regions);
                        open.push(PageLevel::Word(region));
                        if let Some(line) = regions[region].lines.last_mut() {
                            line.words.push(String::new());
                        }
                    }
                    "Glyph" => open.push(PageLevel::Glyph),
                    "Coords" => {
                        if let Some(PageLevel::Line(region)) = open.last()
                            && let Some(line) = regions[*region].lines.last_mut()
                        {
                            line.position = attribute("points");
                        }
                    }
                    _ => {}
                }
            }
            MarkupToken::Close(name) => {
                is_text = false;
                if ["TextRegion", "TextLine", "Word", "Glyph"].contains(&local(name)) {
                    open.pop();
                }
            }
            MarkupToken::Text(text) if is_text => {
                add_page_text(&unescape(text), open.last(), &mut regions);
            }
            MarkupToken::Verbatim(text) if is_text => {
                add_page_text(text, open.last(), &mut regions)
            }
            MarkupToken::Text(_) | MarkupToken::Verbatim(_) => {}
        }
    }
    order.sort_by_key(|(group, index, _)| (*group, *index));
    let place = |region: &Region| order.iter().position(|(_, _, id)| *id == region.id);
    regions.sort_by_key(|region| place(region).unwrap_or(usize::MAX));
    let mut blocks = Blocks::default();
    for region in regions {
        blocks.begin_block();
        if region.lines.is_empty() {
            for line in region.text.lines() {
                blocks.begin_line(String::new());
                blocks.push(line);
            }
        }
        for line in region.lines {
            blocks.begin_line(line.position);
            blocks.push(&if line.text.is_empty() { line.words.join(" ") } else { line.text });
        }
    }
    blocks.finish(writer, has_layout)
}

/// Returns the region that is open; a line outside of regions begins one.
fn inner_region(open: &[PageLevel], regions: &mut Vec<Region>) -> usize {
    let inner = open.iter().rev().find_map(|level| match level {
        PageLevel::Region(region) | PageLevel::Line(region) | PageLevel::Word(region) => {
            Some(*region)
        }
        PageLevel::Glyph => None,
    });
    inner.unwrap_or_else(|| {
        regions.push(Region::default());
        regions.len() - 1
    })
}

/// Adds a text to the innermost open element, unless it has one: the first of several readings counts.
fn add_page_text(text: &str, level: Option<&PageLevel>, regions: &mut [Region]) {
    let slot = match level {
        Some(PageLevel::Region(region)) => Some(&mut regions[*region].text),
        Some(PageLevel::Line(region)) => {
            regions[*region].lines.last_mut().map(|line| &mut line.text)
        }
        Some(PageLevel::Word(region)) => {
            regions[*region].lines.last_mut().and_then(|line| line.words.last_mut())
        }
        Some(PageLevel::Glyph) | None => None,
    };
    if let Some(slot) = slot.filter(|slot| slot.is_empty()) {
        slot.push_str(text);
    }
}

/// Whether a web page is hOCR.
pub(crate) fn is_hocr(source: &str) -> bool {
    let has = |name: &str| memchr::memmem::find(source.as_bytes(), name.as_bytes()).is_some();
    has("ocr_page") && (has("ocr_line") || has("ocrx_word") || has("ocrx_line"))
}

/// Reads hOCR: HTML whose classes name lines and blocks.
pub(crate) fn hocr(
    source: &str,
    mut writer: TextWriter,
    has_layout: bool,
) -> Result<ExtractedDocument, Error> {
    let mut blocks = Blocks::default();
    let mut is_page = false;
    let mut skipped = SkippedElement::default();
    for token in Markup::html(source) {
        writer.tick()?;
        if skipped.contains(&token) {
            continue;
        }
        match token {
            MarkupToken::Open(tag) if is_page && tag.local() == "script" && !tag.is_empty => {
                skipped.begin(&tag);
            }
            MarkupToken::Open(tag) => {
                let class = tag.attribute("class").unwrap_or_default();
                for class in class.split_whitespace() {
                    match class {
                        "ocr_page" | "ocr_carea" | "ocr_par" | "ocrx_block" => {
                            is_page = true;
                            blocks.begin_block();
                        }
                        "ocr_line" | "ocrx_line" | "ocr_header" | "ocr_footer" | "ocr_caption"
                        | "ocr_textfloat" => blocks.begin_line(bbox(&tag)),
                        "ocrx_word" => blocks.push(" "),
                        _ => {}
                    }
                }
            }
            MarkupToken::Text(text) if is_page && has_words(text) => blocks.push(&unescape(text)),
            MarkupToken::Text(_) | MarkupToken::Verbatim(_) | MarkupToken::Close(_) => {}
        }
    }
    for line in blocks.0.iter_mut().flatten() {
        line.text = line.text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    blocks.finish(writer, has_layout)
}

fn has_words(text: &str) -> bool {
    text.chars().any(|character| !character.is_whitespace())
}

/// The position of an hOCR element: the numbers after `bbox` in its title.
fn bbox(tag: &Tag<'_>) -> String {
    let title = tag.attribute("title").unwrap_or_default();
    let parts = title.split(';').map(str::trim);
    let found = parts.filter_map(|part| part.strip_prefix("bbox ")).next();
    found.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExtractLimits;

    type Read = fn(&str, TextWriter, bool) -> Result<ExtractedDocument, Error>;

    fn read(reader: Read, source: &str) -> ExtractedDocument {
        let limits = ExtractLimits::default();
        reader(source, TextWriter::new(&limits, limits.max_text_bytes), true).unwrap()
    }

    const ALTO: &str = "<?xml version='1.0'?><alto xmlns='http://www.loc.gov/standards/alto/ns-v4#'>\
        <Layout><Page><PrintSpace><TextBlock ID='b1'><TextLine HPOS='10' VPOS='20' WIDTH='300' HEIGHT='12'>\
        <String CONTENT='And'/><SP/><String CONTENT='no' SUBS_TYPE='HypPart1' SUBS_CONTENT='nobody'/>\
        <HYP CONTENT='-'/></TextLine><TextLine HPOS='10' VPOS='40' WIDTH='280' HEIGHT='12'>\
        <String CONTENT='body' SUBS_TYPE='HypPart2' SUBS_CONTENT='nobody'/><SP/><String CONTENT='came'/>\
        <SP/><String CONTENT='&amp;'/></TextLine></TextBlock><TextBlock><TextLine><String CONTENT='so'/><SP/>\
        <String CONTENT='we'/><HYP CONTENT='-'/></TextLine><TextLine><String CONTENT='nt'/></TextLine>\
        </TextBlock></PrintSpace></Page></Layout></alto>";

    #[test]
    fn alto_words_are_attributes_and_divided_words_are_joined() {
        let document = read(alto, ALTO);
        assert_eq!(document.text, "And nobody\ncame &\n\nso went");
        let metadata = document.metadata.unwrap();
        assert!(
            metadata.starts_with("{\"lines\":[{\"text\":\"And nobody\",\"box\":\"10 20 300 12\"}"),
            "{metadata}"
        );
    }

    #[test]
    fn page_lines_come_in_reading_order() {
        let line = |text: &str| {
            format!(
                "<TextLine><Coords points='1,2 3,4'/><Word><TextEquiv><Unicode>x</Unicode></TextEquiv></Word>\
                 <TextEquiv index='0'><Unicode>{text}</Unicode></TextEquiv><TextEquiv index='1'><Unicode>other\
                 </Unicode></TextEquiv></TextLine>"
            )
        };
        let source = format!(
            "<?xml version='1.0'?><PcGts><Page><ReadingOrder><OrderedGroup id='g'><RegionRefIndexed index='1' \
             regionRef='r1'/><RegionRefIndexed index='0' regionRef='r2'/></OrderedGroup></ReadingOrder>\
             <TextRegion id='r1'>{}{}<TextEquiv><Unicode>all of it again</Unicode></TextEquiv></TextRegion>\
             <TextRegion id='r2'><TextLine><Word><TextEquiv><Unicode>only</Unicode></TextEquiv></Word><Word>\
             <TextEquiv><Unicode>words</Unicode></TextEquiv></Word></TextLine></TextRegion>\
             <TextRegion id='r3'><TextEquiv><Unicode>only a region</Unicode></TextEquiv></TextRegion></Page></PcGts>",
            line("and no¬"),
            line("body came")
        );
        let document = read(page, &source);
        assert_eq!(document.text, "only words\n\nand nobody came\n\nonly a region");
        assert!(document.metadata.unwrap().contains("\"box\":\"1,2 3,4\""));
    }

    #[test]
    fn hocr_lines_are_spans() {
        let source = "<html><head><title>scan</title></head><body><div class='ocr_page' title='image x'>\
            <div class='ocr_carea'><p class='ocr_par'><span class='ocr_line' title='bbox 1 2 3 4; baseline 0'>\
            <span class='ocrx_word'>And</span> <span class='ocrx_word'>no-</span></span>\n\
            <span class='ocr_line'><span class='ocrx_word'>body</span><span class='ocrx_word'>came</span></span>\
            </p><p class='ocr_par'><span class='ocr_line'>So we &amp; went</span></p></div></div></body></html>";
        assert!(is_hocr(source));
        let document = read(hocr, source);
        assert_eq!(document.text, "And nobody came\n\nSo we & went");
        assert!(document.metadata.unwrap().contains("{\"text\":\"And no-\",\"box\":\"1 2 3 4\"}"));
    }
}
