//! Web pages: all text that a reader sees, or the main content only.
//!
//! Works on tags without a tree. Open elements are kept in a list, because hiding, colours and
//! preformatted text are inherited; an end tag closes the nearest element of its name, and tags
//! that HTML lets authors leave out are closed by what follows.

use super::style::{Color, Style};
use crate::hidden::Hidden;
use crate::markup::{Markup, Tag, Token, unescape};
use crate::writer::TextWriter;
use crate::{Context, Error, Extracted, Extractor, Kind, Note, encoding};

/// How far an end tag looks for its start tag.
const MAX_LOOK_BACK: usize = 200;

/// Deeper elements are read and not kept in the list.
const MAX_OPEN: usize = 1 << 20;

/// Reads web pages.
pub(crate) struct Html;

impl Extractor for Html {
    fn kind(&self) -> Kind {
        Kind::Html
    }

    fn extract(&self, bytes: &[u8], context: &mut Context<'_>) -> Result<(), Error> {
        let source = encoding::decode_markup(bytes)?;
        let document = page(&source, context)?;
        context.document(document)
    }
}

/// The document that the page `source` is, as the options want it.
pub(crate) fn page(source: &str, context: &Context<'_>) -> Result<Extracted, Error> {
    let keep_hidden = context.options().keep_hidden;
    let all = read(source, context.writer(), keep_hidden)?;
    if !context.options().main_content {
        return Ok(all);
    }
    match super::main_content::find(source) {
        Ok(article) => {
            let mut document = read(&article, context.writer(), keep_hidden)?;
            // The heading of a page is not part of what is found, and is given as the title.
            if let Some(title) = &all.title {
                document.text = format!("{title}\n\n{}", document.text);
            }
            Ok(Extracted { title: all.title, notes: all.notes, ..document })
        }
        Err(reason) => {
            let mut document = all;
            document.notes.push(Note::AllText { reason });
            Ok(document)
        }
    }
}

/// All text of the page `source`.
pub(crate) fn read(
    source: &str,
    writer: TextWriter,
    keep_hidden: bool,
) -> Result<Extracted, Error> {
    let mut reader = Reader {
        writer,
        hidden: Hidden::default(),
        title: String::new(),
        open: Vec::new(),
        keep_hidden,
    };
    for token in Markup::html(source) {
        reader.writer.tick()?;
        match token {
            Token::Open(tag) => reader.open(tag),
            Token::Close(name) => reader.close(name),
            Token::Text(text) => reader.text(&unescape(text))?,
            Token::Verbatim(text) => reader.text(text)?,
        }
    }
    let title = reader.title.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Extracted {
        text: reader.writer.finish(),
        title: (!title.is_empty()).then_some(title),
        notes: reader.hidden.notes(),
        ..Extracted::default()
    })
}

/// What holds inside an element.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    skip: bool,
    is_title: bool,
    is_preformatted: bool,
    hidden: Option<&'static str>,
    color: Option<Color>,
    background: Option<Color>,
}

struct Reader<'a> {
    writer: TextWriter,
    hidden: Hidden,
    title: String,
    open: Vec<(&'a str, State)>,
    keep_hidden: bool,
}

impl<'a> Reader<'a> {
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
        let style = Style::of(&tag);
        state.color = style.color.or(state.color);
        state.background = style.background.or(state.background);
        let is_same = state.color.is_some() && state.color == state.background;
        state.hidden =
            state.hidden.or(style.hidden).or(is_same.then_some("colour of the background"));
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

    /// Closes an element whose end tag was left out.
    fn close_implied(&mut self, implied: Implied) {
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
        if state.skip || state.hidden.is_some() && !self.keep_hidden {
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
            // Only the first title is the title of the page; pictures have their own.
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
            if !self.keep_hidden {
                return Ok(());
            }
        }
        if state.is_preformatted { self.writer.push_lines(text) } else { self.writer.push(text) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gap {
    None,
    Line,
    Paragraph,
}

/// Which open elements a start tag closes, looking outwards no further than `within`.
#[derive(Clone, Copy, Debug)]
struct Implied {
    elements: &'static [&'static str],
    within: &'static [&'static str],
}

/// What an element means for the text.
#[derive(Clone, Copy, Debug)]
struct Element {
    gap: Gap,
    skip: bool,
    is_void: bool,
    is_preformatted: bool,
    closes: Option<Implied>,
}

/// Elements with short names only; longer names are unknown.
const MAX_NAME_BYTES: usize = 12;

const PARAGRAPH: Implied = Implied {
    elements: &["p"],
    within: &["div", "td", "th", "li", "table", "button", "body", "section", "blockquote", "dd"],
};
const ITEM: Implied = Implied { elements: &["li"], within: &["ul", "ol", "menu"] };
const TERM: Implied = Implied { elements: &["dd", "dt"], within: &["dl"] };
const CELL: Implied = Implied { elements: &["td", "th"], within: &["tr", "table"] };
const ROW: Implied = Implied { elements: &["tr"], within: &["table"] };
const CHOICE: Implied = Implied { elements: &["option"], within: &["select", "datalist"] };

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
    use crate::Limits;

    fn text(source: &str) -> String {
        let limits = Limits::default();
        read(source, TextWriter::new(&limits, limits.max_text_bytes), false).unwrap().text
    }

    fn notes(source: &str) -> Vec<Note> {
        let limits = Limits::default();
        read(source, TextWriter::new(&limits, limits.max_text_bytes), false).unwrap().notes
    }

    #[test]
    fn blocks_are_apart_and_words_are_whole() {
        assert_eq!(text("<p>one<p>t<b>w</b>o<div>three</div>four"), "one\n\ntwo\n\nthree\n\nfour");
        assert_eq!(text("<ul><li>a<li>b</ul>c"), "a\nb\n\nc");
        assert_eq!(text("<table><tr><td>a<td>b<tr><td>c</table>"), "a\nb\nc");
        assert_eq!(text("a<br>b<wbr>c&shy;d &amp; e"), "a\nbc\u{ad}d & e");
        assert_eq!(text("<pre>a  b\n c</pre>"), "a b\nc");
    }

    #[test]
    fn what_is_no_text_is_left_out() {
        assert_eq!(text("<title>t</title><style>p{}</style>a<script>b</script><!-- c -->d"), "ad");
        assert_eq!(text("<ruby>漢<rt>かん</rt></ruby>字"), "漢字");
    }

    #[test]
    fn hidden_text_is_noted_and_left_out() {
        for hidden in [
            "<p style='display: none'>x</p>",
            "<p hidden>x</p>",
            "<p style='color:#fff;background:white'>x</p>",
            "<div bgcolor='#FFFFFF'><font color=white>x</font></div>",
            "<span style='font-size:0px'>x</span>",
            "<span style='visibility:hidden'>x</span>",
            "<div hidden><div><p>x</div></div>",
        ] {
            let page = format!("<div>a {hidden} b</div>");
            assert!(!text(&page).contains('x'), "{hidden}");
            assert!(text(&page).ends_with('b'), "{hidden}");
            assert!(
                matches!(notes(&page).as_slice(), [Note::HiddenText { n_characters: 1, .. }]),
                "{hidden}"
            );
        }
        assert_eq!(text("<ul><li hidden>x<li>b</ul>"), "b");
        assert_eq!(text("<p style='color:white'>on a dark page"), "on a dark page");
    }

    #[test]
    fn deep_nesting_is_flat() {
        let deep = "<div>".repeat(100_000);
        assert_eq!(text(&format!("{deep}x{}", "</span>".repeat(100_000))), "x");
    }
}
