//! TEI: the text of an edition, without what describes it.
//!
//! In: TEI in any version. Out: the content of `text` (all but the header if there is none). Header, notes and
//! the choice between readings follow [`TeiOptions`]. A word that a line break with `break="no"` divides is
//! joined, with the hyphen before it removed; other hyphens at line ends are joined as in other formats.

use crate::context::TeiOptions;
use crate::markup::{Markup, MarkupToken, SkippedElement, Tag, local, unescape};
use crate::writer::TextWriter;
use crate::{Error, ExtractedDocument, tidy};

/// Characters that divide a word at the end of a line.
const HYPHENS: [char; 6] = ['-', '\u{2010}', '\u{ad}', '¬', '⸗', '='];

/// Reads the edition `source`.
pub(crate) fn read(
    source: &str,
    options: TeiOptions,
    mut writer: TextWriter,
) -> Result<ExtractedDocument, Error> {
    let is_text = |token: MarkupToken<'_>| matches!(token, MarkupToken::Open(tag) if !tag.is_empty && tag.local() == "text");
    let has_text = Markup::xml(source).any(is_text);
    let mut reader = Reader { options, is_inside: !has_text, ..Reader::default() };
    let mut skipped = SkippedElement::default();
    for token in Markup::xml(source) {
        writer.tick()?;
        if let MarkupToken::Text(text) | MarkupToken::Verbatim(text) = token
            && reader.is_title
        {
            reader.title.push_str(text.get(..1000).unwrap_or(text));
        }
        if let MarkupToken::Close("title") | MarkupToken::Open(_) = token {
            reader.is_title = matches!(token, MarkupToken::Open(tag) if reader.begins_title(tag));
        }
        if skipped.contains(&token) {
            continue;
        }
        match token {
            MarkupToken::Open(tag) if !tag.is_empty && reader.is_skipped(tag) => {
                skipped.begin(&tag)
            }
            MarkupToken::Open(tag) => reader.open(&tag),
            MarkupToken::Close(name) => reader.close(local(name)),
            MarkupToken::Text(text) => reader.text(&unescape(text)),
            MarkupToken::Verbatim(text) => reader.text(text),
        }
    }
    writer.push_paragraphs(&tidy::join_hyphenated(&reader.output))?;
    let title = reader.title.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(ExtractedDocument {
        text: writer.finish(),
        title: (!title.is_empty()).then(|| unescape(&title).into_owned()),
        ..ExtractedDocument::default()
    })
}

#[derive(Default)]
struct Reader {
    options: TeiOptions,
    /// Text with the line ends of the edition; those of the file are spaces.
    output: String,
    title: String,
    is_title: bool,
    /// Whether this is in `text`, or in a requested header.
    is_inside: bool,
    /// Open elements `choice`.
    n_choices: usize,
    /// Whether the next text continues the word before it.
    is_joined: bool,
    /// Whether the last token was the end of a word element.
    is_after_word: bool,
}

impl Reader {
    /// Whether a tag begins the first title.
    fn begins_title(&self, tag: Tag<'_>) -> bool {
        self.title.is_empty() && !tag.is_empty && tag.local() == "title"
    }

    /// Whether the content of an element is not part of the text.
    fn is_skipped(&self, tag: Tag<'_>) -> bool {
        let is_original = self.options.original;
        let is_choice = self.n_choices > 0;
        match tag.local() {
            "teiHeader" => !self.options.header,
            "note" => !self.options.notes,
            "fw" | "rdg" | "facsimile" | "standOff" => true,
            "sic" | "orig" | "abbr" => is_choice && !is_original,
            "corr" | "reg" | "expan" => is_choice && is_original,
            "am" | "del" | "surplus" => !is_original,
            "ex" => is_original,
            _ => false,
        }
    }

    fn open(&mut self, tag: &Tag<'_>) {
        let name = tag.local();
        match name {
            "text" | "teiHeader" if !tag.is_empty => self.is_inside = true,
            "choice" if !tag.is_empty => self.n_choices += 1,
            "lb" | "pb" | "cb" if tag.attribute("break").as_deref() == Some("no") => self.join(),
            "lb" | "pb" | "cb" => self.gap("\n"),
            "w" if self.is_after_word => self.gap(" "),
            "gap" | "space" => self.gap(" "),
            _ => self.block(name),
        }
        self.is_after_word = false;
    }

    fn close(&mut self, name: &str) {
        match name {
            "teiHeader" => self.is_inside = false,
            "choice" => self.n_choices = self.n_choices.saturating_sub(1),
            _ => self.block(name),
        }
        self.is_after_word = name == "w";
    }

    fn block(&mut self, name: &str) {
        match name {
            "p" | "ab" | "head" | "div" | "lg" | "sp" | "list" | "table" | "front" | "body"
            | "back" | "opener" | "closer" | "titlePage" | "note" | "quote" | "text" => {
                self.gap("\n\n")
            }
            "l" | "item" | "row" | "cell" | "speaker" | "stage" | "label" | "byline"
            | "docTitle" | "titlePart" | "salute" | "signed" | "title" | "date"
                if self.is_line(name) =>
            {
                self.gap("\n");
            }
            _ => {}
        }
    }

    /// Whether an element is a line of its own; titles and dates are so in the header only.
    fn is_line(&self, name: &str) -> bool {
        !matches!(name, "title" | "date") || self.output.is_empty()
    }

    fn gap(&mut self, gap: &str) {
        let is_line_begun = gap == "\n" && self.output.trim_end_matches(' ').ends_with('\n');
        if self.is_inside && !self.is_joined && !is_line_begun {
            self.output.push_str(gap);
        }
    }

    /// Joins the word before this with what follows.
    fn join(&mut self) {
        if !self.is_inside {
            return;
        }
        let word = self.output.trim_end();
        let word = word.strip_suffix(HYPHENS).unwrap_or(word);
        self.output.truncate(word.len());
        self.is_joined = true;
    }

    fn text(&mut self, text: &str) {
        if !self.is_inside {
            return;
        }
        let text = if self.is_joined { text.trim_start() } else { text };
        self.is_joined &= text.is_empty();
        self.is_after_word &= text.is_empty();
        self.output.extend(text.chars().map(|c| if c.is_whitespace() { ' ' } else { c }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExtractLimits;

    fn read_with(body: &str, options: TeiOptions) -> ExtractedDocument {
        let source = format!(
            "<?xml version='1.0'?><TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader><fileDesc>\
             <titleStmt><title>A Song</title></titleStmt><p>Licence of the edition.</p></fileDesc>\
             </teiHeader><text><body>{body}</body></text></TEI>"
        );
        let limits = ExtractLimits::default();
        read(&source, options, TextWriter::new(&limits, limits.max_text_bytes)).unwrap()
    }

    fn text(body: &str) -> String {
        read_with(body, TeiOptions::default()).text
    }

    #[test]
    fn the_body_is_read_and_the_header_names_it() {
        let document = read_with("<head>Row</head><p>Row your\n boat.</p>", TeiOptions::default());
        assert_eq!(document.text, "Row\n\nRow your boat.");
        assert_eq!(document.title.as_deref(), Some("A Song"));
        let options = TeiOptions { header: true, ..TeiOptions::default() };
        let text = read_with("<p>Row.</p>", options).text;
        assert!(text.contains("Licence of the edition.") && text.ends_with("Row."), "{text}");
    }

    #[test]
    fn notes_are_read_if_requested() {
        let body = "<p>Row<note>A verb. <note>Of Old English.</note></note> your boat.</p>";
        assert_eq!(text(body), "Row your boat.");
        let options = TeiOptions { notes: true, ..TeiOptions::default() };
        assert_eq!(
            read_with(body, options).text,
            "Row\n\nA verb.\n\nOf Old English.\n\nyour boat."
        );
    }

    #[test]
    fn one_reading_of_each_choice_is_read() {
        let body = "<p><choice><sic>Rwo</sic><corr>Row</corr></choice> \
                    <choice><orig>youre</orig><reg>your</reg></choice> \
                    <choice><abbr>bt</abbr><expan>b<ex>oa</ex>t</expan></choice> <sic>gentli</sic> \
                    <app><lem>down</lem><rdg>up</rdg></app></p>";
        assert_eq!(text(body), "Row your boat gentli down");
        let options = TeiOptions { original: true, ..TeiOptions::default() };
        assert_eq!(read_with(body, options).text, "Rwo youre bt gentli down");
    }

    #[test]
    fn words_that_a_line_divides_are_joined() {
        assert_eq!(text("<p>and no-<lb break=\"no\"/>body came</p>"), "and nobody came");
        assert_eq!(text("<p>and no¬\n <lb n='2' break='no'/> body came</p>"), "and nobody came");
        assert_eq!(text("<p>and no<lb break='no'/>body came</p>"), "and nobody came");
        assert_eq!(text("<p>and no-<pb break='no'/><lb/>body came</p>"), "and nobody came");
        assert_eq!(text("<p>and no-<lb/>body came</p>"), "and nobody came");
        assert_eq!(
            text("<p>a well-known well-<lb/>known song</p>"),
            "a well-known well-known song"
        );
        assert_eq!(text("<p>one<lb/>two</p>"), "one\ntwo");
    }

    #[test]
    fn elements_inside_words_do_not_divide_them_and_word_elements_do() {
        assert_eq!(
            text("<p>w<hi>or</hi>d <w>row</w><w>your</w><pc>,</pc> <w>boat</w></p>"),
            "word row your, boat"
        );
        assert_eq!(text("<l>Row</l><l>your</l>"), "Row\nyour");
    }

    #[test]
    fn a_fragment_without_text_element_is_read() {
        let limits = ExtractLimits::default();
        let writer = TextWriter::new(&limits, limits.max_text_bytes);
        let document = read("<TEI><p>Row.</p></TEI>", TeiOptions::default(), writer).unwrap();
        assert_eq!(document.text, "Row.");
    }
}
