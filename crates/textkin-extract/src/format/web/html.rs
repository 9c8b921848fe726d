//! Web pages: all visible text, or the main content only.
//!
//! Works on tags without building a tree. Open elements are kept in a list, because visibility, colors
//! and preformatting are inherited. An end tag closes the nearest element of its name; following tags
//! close elements whose end tag is optional.

use std::borrow::Cow;

use super::style::{Color, Style};
use super::style_sheet::StyleSheet;
use crate::encoding::Decoding;
use crate::format::edition::ocr;
use crate::hidden::HiddenText;
use crate::markup::{Markup, MarkupToken, Tag, unescape};
use crate::writer::TextWriter;
use crate::{Error, ExtractContext, ExtractedDocument, Extractor, FileKind, Note, encoding};

/// Maximum open elements searched for the start tag of an end tag.
const MAX_LOOK_BACK: usize = 200;

/// Maximum open elements; deeper ones are read but not kept in the list.
const MAX_OPEN: usize = 1 << 20;

/// Reads web pages.
pub(crate) struct Html;

impl Extractor for Html {
    fn kind(&self) -> FileKind {
        FileKind::Html
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let source = encoding::decode_markup(bytes)?;
        let document = match ocr::is_hocr(&source) {
            true => ocr::hocr(&source, context.writer(), context.options().keep_layout)?,
            false => page(&source, context)?,
        };
        if let Cow::Owned(_) = source {
            encoding::check_controls(document.text.as_bytes(), Decoding::Other)?;
        }
        context.document(document)
    }
}

/// Extracts the page `source` according to the options.
pub(crate) fn page(source: &str, context: &ExtractContext<'_>) -> Result<ExtractedDocument, Error> {
    let keep_hidden = context.options().keep_hidden;
    let all = read(source, context.writer(), keep_hidden)?;
    if !context.options().main_content {
        return Ok(all);
    }
    match super::main_content::find(source) {
        Ok(article) => {
            let mut document = read(&article, context.writer(), keep_hidden)?;
            // The main content does not include the heading of the page, so it becomes the title.
            if let Some(title) = &all.title {
                document.text = format!("{title}\n\n{}", document.text);
            }
            Ok(ExtractedDocument { title: all.title, notes: all.notes, ..document })
        }
        Err(reason) => {
            let mut document = all;
            document.notes.push(Note::AllText { reason });
            Ok(document)
        }
    }
}

/// Extracts all text of the page `source`.
pub(crate) fn read(
    source: &str,
    writer: TextWriter,
    keep_hidden: bool,
) -> Result<ExtractedDocument, Error> {
    let sheet = StyleSheet::of(source);
    let spare_writer = (!sheet.is_empty()).then(|| writer.clone());
    let mut reader = Reader::new(writer, &sheet, keep_hidden);
    reader.read(source)?;
    // A style sheet that hides most of a page is usually changed by a script, so it is ignored.
    if let Some(writer) = spare_writer.filter(|_| reader.n_hidden_by_sheet > reader.n_shown) {
        reader = Reader { keep_by_sheet: true, ..Reader::new(writer, &sheet, keep_hidden) };
        reader.read(source)?;
    }
    let title = reader.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = reader.writer.finish();
    encoding::check_controls(text.as_bytes(), Decoding::Utf8)?;
    Ok(ExtractedDocument {
        text,
        title: (!title.is_empty()).then_some(title),
        notes: reader.hidden.notes(),
        ..ExtractedDocument::default()
    })
}

/// Inherited properties of an element.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    skip: bool,
    is_title: bool,
    is_preformatted: bool,
    hidden: Option<&'static str>,
    /// Whether a style sheet hides it.
    is_by_sheet: bool,
    color: Option<Color>,
    background: Option<Color>,
}

struct Reader<'a> {
    writer: TextWriter,
    hidden: HiddenText,
    title: String,
    open: Vec<(&'a str, State)>,
    sheet: &'a StyleSheet,
    keep_hidden: bool,
    keep_by_sheet: bool,
    n_shown: usize,
    n_hidden_by_sheet: usize,
}

impl<'a> Reader<'a> {
    fn new(writer: TextWriter, sheet: &'a StyleSheet, keep_hidden: bool) -> Self {
        Self {
            writer,
            hidden: HiddenText::default(),
            title: String::new(),
            open: Vec::new(),
            sheet,
            keep_hidden,
            keep_by_sheet: false,
            n_shown: 0,
            n_hidden_by_sheet: 0,
        }
    }

    fn read(&mut self, source: &'a str) -> Result<(), Error> {
        for token in Markup::html(source) {
            self.writer.tick()?;
            match token {
                MarkupToken::Open(tag) => self.open(tag),
                MarkupToken::Close(name) => self.close(name),
                MarkupToken::Text(text) => self.text(&unescape(text))?,
                MarkupToken::Verbatim(text) => self.text(text)?,
            }
        }
        Ok(())
    }

    /// Whether text in `state` is excluded.
    fn is_excluded(&self, state: State) -> bool {
        state.hidden.is_some() && !self.keep_hidden && !(state.is_by_sheet && self.keep_by_sheet)
    }

    fn state(&self) -> State {
        self.open.last().map_or_else(State::default, |&(_, state)| state)
    }

    fn open(&mut self, tag: Tag<'a>) {
        let element = Element::of(tag.name);
        if let Some(closes) = element.closes {
            self.close_implied(closes);
        }
        self.gap(element.gap);
        if element.is_void || self.open.len() >= MAX_OPEN {
            return;
        }
        let mut state = self.state();
        state.skip |= element.skip;
        state.is_title = tag.name.eq_ignore_ascii_case("title");
        state.is_preformatted |= element.is_preformatted;
        let inline = Style::of(&tag);
        let style = match self.sheet.is_empty() {
            true => inline,
            false => self.sheet.style(&tag).overridden_by(inline),
        };
        state.color = style.color.or(state.color);
        state.background = style.background.unwrap_or(state.background);
        let is_same = state.color.is_some() && state.color == state.background;
        if state.hidden.is_none() {
            state.hidden = style.hidden().or(is_same.then_some("same color as the background"));
            state.is_by_sheet = inline.hidden().is_none() && !self.sheet.is_empty();
        }
        self.open.push((tag.name, state));
    }

    fn close(&mut self, name: &str) {
        let found = self.open.iter().rev().take(MAX_LOOK_BACK);
        let found = found.clone().position(|(open, _)| open.eq_ignore_ascii_case(name));
        if let Some(from_end) = found {
            self.open.truncate(self.open.len().saturating_sub(from_end + 1));
        }
        self.gap(Element::of(name).gap);
    }

    /// Closes an element whose end tag is omitted.
    fn close_implied(&mut self, implied: ImpliedClose) {
        let look_back = self.open.iter().rev().take(MAX_LOOK_BACK);
        for (from_end, (name, _)) in look_back.enumerate() {
            let is = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
            if is(implied.elements) {
                self.open.truncate(self.open.len().saturating_sub(from_end + 1));
                return;
            }
            if is(implied.within) {
                return;
            }
        }
    }

    fn gap(&mut self, gap: Gap) {
        let state = self.state();
        if state.skip || self.is_excluded(state) {
            return;
        }
        match gap {
            Gap::None => {}
            Gap::Line => self.writer.line(),
            Gap::Paragraph => self.writer.paragraph(),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), Error> {
        let state = self.state();
        if state.is_title {
            // Only the first title is that of the page; images have their own.
            if self.title.trim().is_empty() && !state.skip {
                self.title.extend(text.chars().take(1000));
            }
            return Ok(());
        }
        if state.skip {
            return Ok(());
        }
        if let Some(how) = state.hidden {
            self.hidden.add(how, text);
            self.n_hidden_by_sheet += if state.is_by_sheet { text.trim().len() } else { 0 };
            if self.is_excluded(state) {
                return Ok(());
            }
        }
        self.n_shown += text.trim().len();
        if state.is_preformatted { self.writer.push_lines(text) } else { self.writer.push(text) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    None,
    Line,
    Paragraph,
}

/// The open elements that a start tag closes, searching outward up to `within`.
#[derive(Clone, Copy, Debug)]
struct ImpliedClose {
    elements: &'static [&'static str],
    within: &'static [&'static str],
}

/// The effect of an element on the text.
#[derive(Clone, Copy, Debug)]
struct Element {
    gap: Gap,
    skip: bool,
    is_void: bool,
    is_preformatted: bool,
    closes: Option<ImpliedClose>,
}

/// Maximum length of a known element name.
const MAX_NAME_BYTES: usize = 12;

const PARAGRAPH: ImpliedClose = ImpliedClose {
    elements: &["p"],
    within: &["div", "td", "th", "li", "table", "button", "body", "section", "blockquote", "dd"],
};
const ITEM: ImpliedClose = ImpliedClose { elements: &["li"], within: &["ul", "ol", "menu"] };
const TERM: ImpliedClose = ImpliedClose { elements: &["dd", "dt"], within: &["dl"] };
const CELL: ImpliedClose = ImpliedClose { elements: &["td", "th"], within: &["tr", "table"] };
const ROW: ImpliedClose = ImpliedClose { elements: &["tr"], within: &["table"] };
const CHOICE: ImpliedClose =
    ImpliedClose { elements: &["option"], within: &["select", "datalist"] };

impl Element {
    fn of(name: &str) -> Self {
        let mut buffer = [0; MAX_NAME_BYTES];
        let lower = match buffer.get_mut(..name.len()) {
            Some(lower) => {
                lower.copy_from_slice(name.as_bytes());
                lower.make_ascii_lowercase();
                &*lower
            }
            None => &[],
        };
        let inline = Self {
            gap: Gap::None,
            skip: false,
            is_void: false,
            is_preformatted: false,
            closes: None,
        };
        let block = Self { gap: Gap::Paragraph, closes: Some(PARAGRAPH), ..inline };
        let line = Self { gap: Gap::Line, ..inline };
        match lower {
            b"p" | b"div" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"ul" | b"ol"
            | b"dl" | b"blockquote" | b"section" | b"article" | b"main" | b"header" | b"footer"
            | b"nav" | b"aside" | b"form" | b"fieldset" | b"address" | b"figure" | b"center"
            | b"menu" | b"details" | b"dir" | b"hgroup" | b"search" => block,
            b"table" | b"body" | b"html" | b"figcaption" | b"caption" | b"summary" | b"dialog" => {
                Self { closes: None, ..block }
            }
            b"pre" | b"listing" | b"xmp" => Self { is_preformatted: true, ..block },
            b"textarea" => Self { is_preformatted: true, ..line },
            b"li" => Self { closes: Some(ITEM), ..line },
            b"dt" | b"dd" => Self { closes: Some(TERM), ..line },
            b"td" | b"th" => Self { closes: Some(CELL), ..line },
            b"tr" => Self { closes: Some(ROW), ..line },
            b"option" => Self { closes: Some(CHOICE), ..line },
            b"thead" | b"tbody" | b"tfoot" | b"legend" | b"optgroup" | b"select" | b"button"
            | b"label" | b"video" | b"audio" | b"object" => line,
            b"br" => Self { is_void: true, ..line },
            b"hr" => Self { is_void: true, ..block },
            b"img" | b"input" | b"meta" | b"link" | b"base" | b"area" | b"col" | b"embed"
            | b"source" | b"track" | b"wbr" | b"param" | b"frame" => {
                Self { is_void: true, ..inline }
            }
            b"script" | b"style" | b"template" | b"noscript" | b"iframe" | b"noembed"
            | b"noframes" | b"rt" | b"rp" | b"annotation" | b"svg" => Self { skip: true, ..inline },
            _ => inline,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExtractLimits;

    fn text(source: &str) -> String {
        let limits = ExtractLimits::default();
        read(source, TextWriter::new(&limits, limits.max_text_bytes), false).unwrap().text
    }

    fn notes(source: &str) -> Vec<Note> {
        let limits = ExtractLimits::default();
        read(source, TextWriter::new(&limits, limits.max_text_bytes), false).unwrap().notes
    }

    #[test]
    fn blocks_are_separated_and_words_are_not() {
        assert_eq!(text("<p>one<p>t<b>w</b>o<div>three</div>four"), "one\n\ntwo\n\nthree\n\nfour");
        assert_eq!(text("<ul><li>a<li>b</ul>c"), "a\nb\n\nc");
        assert_eq!(text("<table><tr><td>a<td>b<tr><td>c</table>"), "a\nb\nc");
        assert_eq!(text("a<br>b<wbr>c&shy;d &amp; e"), "a\nbc\u{ad}d & e");
        assert_eq!(text("<pre>a  b\n c</pre>"), "a b\nc");
    }

    #[test]
    fn scripts_styles_and_comments_are_excluded() {
        assert_eq!(text("<title>t</title><style>p{}</style>a<script>b</script><!-- c -->d"), "ad");
        assert_eq!(text("<ruby>漢<rt>かん</rt></ruby>字"), "漢字");
    }

    #[test]
    fn hidden_text_is_noted_and_excluded() {
        for hidden in [
            "<p style='display: none'>x</p>",
            "<p hidden>x</p>",
            "<p style='color:#fff;background:white'>x</p>",
            "<div bgcolor='#FFFFFF'><font color=white>x</font></div>",
            "<span style='font-size:0px'>x</span>",
            "<span style='visibility:hidden'>x</span>",
            "<div hidden><div><p>x</div></div>",
            "<div class='a x'>x</div>",
            "<i id=y>x</i>",
            "<del>x</del>",
            "<p class=far>x</p>",
            "<p class=pale>x</p>",
            "<p style='position:absolute; left:-99em'>x</p>",
        ] {
            let page = format!("{SHEET}<div>a {hidden} b</div>");
            assert!(!text(&page).contains('x'), "{hidden}");
            assert!(text(&page).ends_with('b'), "{hidden}");
            assert!(
                matches!(notes(&page).as_slice(), [Note::HiddenText { n_characters: 1, .. }]),
                "{hidden}"
            );
        }
        for shown in [
            "<b class=x>x</b><b>",
            "<p class=banner>x",
            "<p class=x style='font-size:1em'>x",
            "<p style='text-indent:-1em'>x",
        ] {
            assert!(text(&format!("{SHEET}<p>a</p>{shown}</b>")).contains('x'), "{shown}");
        }
        assert_eq!(text("<ul><li hidden>x<li>b</ul>"), "b");
        assert_eq!(text("<p style='color:white'>on a dark page"), "on a dark page");
    }

    /// A style sheet that hides elements in several ways.
    const SHEET: &str = "<style>body{background:#fff} div.x,#y,del{display:none} .far{text-indent:-9999px} \
                         .pale{color:white} .banner{color:#fff;background:url(a.png)} p.x{font-size:0}</style><body>";

    #[test]
    fn a_style_sheet_that_hides_most_of_a_page_is_noted_and_ignored() {
        let page = "<style>.app{opacity:0}</style><div class=app>all of the page</div><p>but this";
        assert_eq!(text(page), "all of the page\n\nbut this");
        assert_eq!(notes(page).len(), 1);
        assert_eq!(text("<style>body{visibility:hidden}</style><body>all"), "all");
    }

    #[test]
    fn deep_nesting_needs_no_stack() {
        let deep = "<div>".repeat(100_000);
        assert_eq!(text(&format!("{deep}x{}", "</span>".repeat(100_000))), "x");
    }
}
