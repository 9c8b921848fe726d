//! LaTeX: text without commands and formulas.
//!
//! Reads the source once. Open braces are a list of groups, so that nesting needs no stack: a group is
//! plain, or its text is dropped (arguments that are not text), or it is a footnote, whose text comes
//! after the rest. Commands are not defined or expanded; for unknown ones the name is dropped and the
//! arguments are text.

use std::collections::HashSet;

use crate::writer::TextWriter;
use crate::{
    Error, ExtractContext, ExtractedDocument, Extractor, FileKind, encoding, join_hyphenated,
};

/// Maximum length of an optional argument.
const MAX_OPTION_BYTES: usize = 300;

/// Reads LaTeX.
pub(crate) struct Latex;

impl Extractor for Latex {
    fn kind(&self) -> FileKind {
        FileKind::Latex
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let source = encoding::decode(bytes)?;
        let document = read(&source, context.writer(), context.writer())?;
        context.document(document)
    }
}

fn read(source: &str, text: TextWriter, notes: TextWriter) -> Result<ExtractedDocument, Error> {
    let mut reader = Reader {
        rest: source,
        text,
        notes,
        groups: Vec::new(),
        n_dropped: 0,
        n_notes: 0,
        title: String::new(),
        n_titles: 0,
        n_tables: 0,
        is_preamble: source.contains("\\begin{document}"),
        unclosed: HashSet::new(),
    };
    reader.run()?;
    let notes = reader.notes.finish();
    reader.text.paragraph();
    reader.text.push_lines(&notes)?;
    let title = reader.title.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = join_hyphenated(&reader.text.finish()).into_owned();
    Ok(ExtractedDocument {
        text,
        title: (!title.is_empty()).then_some(title),
        ..ExtractedDocument::default()
    })
}

/// The meaning of a pair of braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Plain,
    /// An argument that is not text, and how many more follow it.
    Dropped(usize),
    /// A heading: a separate paragraph.
    Heading,
    Title,
    Note,
}

struct Reader<'a> {
    rest: &'a str,
    text: TextWriter,
    notes: TextWriter,
    groups: Vec<Group>,
    n_dropped: usize,
    n_notes: usize,
    title: String,
    n_titles: usize,
    n_tables: usize,
    is_preamble: bool,
    /// Environments whose end is missing.
    unclosed: HashSet<&'a str>,
}

impl<'a> Reader<'a> {
    fn run(&mut self) -> Result<(), Error> {
        while let Some(character) = self.rest.chars().next() {
            self.text.tick()?;
            match character {
                '%' => self.comment(),
                '\\' => {
                    if !self.command()? {
                        break;
                    }
                }
                '{' => {
                    self.skip(1);
                    self.open(Group::Plain);
                }
                '}' => {
                    self.skip(1);
                    self.close();
                }
                '$' => self.formula()?,
                '~' => {
                    self.skip(1);
                    self.push(" ")?;
                }
                '&' => {
                    self.skip(1);
                    if self.n_tables > 0 { self.line() } else { self.push("&")? }
                }
                '#' => self.skip(1),
                '`' | '\'' | '-' => self.ligature(character)?,
                character if character.is_whitespace() => self.space(),
                _ => {
                    let special = ['%', '\\', '{', '}', '$', '~', '&', '#', '`', '\'', '-'];
                    let end = self.rest.find(|c: char| special.contains(&c) || c.is_whitespace());
                    let word = self.take(end.unwrap_or(self.rest.len()));
                    self.push(word)?;
                }
            }
        }
        Ok(())
    }

    fn skip(&mut self, n_bytes: usize) {
        self.take(n_bytes);
    }

    fn take(&mut self, n_bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(n_bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn is_silent(&self) -> bool {
        self.n_dropped > 0 || self.is_preamble && self.n_titles == 0
    }

    fn writer(&mut self) -> &mut TextWriter {
        if self.n_notes > 0 { &mut self.notes } else { &mut self.text }
    }

    fn push(&mut self, text: &str) -> Result<(), Error> {
        if self.is_silent() {
            return Ok(());
        }
        if self.n_titles > 0 && self.title.len() < 1000 {
            self.title.push_str(text);
        }
        self.writer().push(text)
    }

    fn line(&mut self) {
        if !self.is_silent() {
            self.writer().line();
        }
    }

    fn paragraph(&mut self) {
        if !self.is_silent() {
            self.writer().paragraph();
        }
    }

    /// Reads white space; an empty line ends a paragraph.
    fn space(&mut self) {
        let trimmed = self.rest.trim_start();
        let space = self.take(self.rest.len() - trimmed.len());
        if self.is_silent() {
            return;
        }
        if self.n_titles > 0 {
            self.title.push(' ');
        }
        let is_empty_line = space.bytes().filter(|&byte| byte == b'\n').count() > 1;
        if is_empty_line { self.writer().paragraph() } else { self.writer().space() }
    }

    /// Skips a comment with its line end and the following spaces.
    fn comment(&mut self) {
        let end =
            memchr::memchr(b'\n', self.rest.as_bytes()).map_or(self.rest.len(), |end| end + 1);
        self.skip(end);
        let trimmed = self.rest.trim_start_matches([' ', '\t']);
        self.rest = trimmed;
    }

    fn ligature(&mut self, character: char) -> Result<(), Error> {
        let found = [
            ("---", "—"),
            ("--", "–"),
            ("``", "“"),
            ("''", "”"),
            ("`", "‘"),
            ("'", "’"),
            ("-", "-"),
        ]
        .into_iter()
        .find(|(source, _)| self.rest.starts_with(source));
        let (source, text) = found.unwrap_or(("", ""));
        self.skip(source.len().max(character.len_utf8()));
        self.push(text)
    }

    fn open(&mut self, group: Group) {
        match group {
            Group::Dropped(_) => self.n_dropped += 1,
            Group::Note => {
                self.n_notes += 1;
                self.notes.paragraph();
            }
            Group::Title => self.n_titles += 1,
            Group::Plain | Group::Heading => {}
        }
        self.groups.push(group);
    }

    fn close(&mut self) {
        match self.groups.pop() {
            Some(Group::Dropped(n_more)) => {
                self.n_dropped = self.n_dropped.saturating_sub(1);
                self.drop_arguments(n_more);
            }
            Some(Group::Note) => self.n_notes = self.n_notes.saturating_sub(1),
            Some(Group::Title) => {
                self.paragraph();
                self.n_titles = self.n_titles.saturating_sub(1);
            }
            Some(Group::Heading) => self.paragraph(),
            Some(Group::Plain) | None => {}
        }
    }

    /// Drops the next `n_arguments` arguments and the options before them.
    fn drop_arguments(&mut self, n_arguments: usize) {
        if n_arguments == 0 {
            return;
        }
        self.skip_options();
        let trimmed = self.rest.trim_start();
        if trimmed.starts_with('{') {
            self.rest = trimmed;
            self.skip(1);
            self.open(Group::Dropped(n_arguments - 1));
        }
    }

    /// Opens the argument that follows as `group`.
    fn argument(&mut self, group: Group) {
        self.skip_options();
        let trimmed = self.rest.trim_start();
        if trimmed.starts_with('{') {
            self.rest = trimmed;
            self.skip(1);
            self.open(group);
        }
    }

    /// Skips `[…]` at the current position.
    fn skip_options(&mut self) {
        while self.rest.starts_with('[') {
            let (mut depth, mut end) = (0usize, None);
            for (at, byte) in self.rest.bytes().take(MAX_OPTION_BYTES).enumerate().skip(1) {
                match byte {
                    b'{' => depth += 1,
                    b'}' if depth == 0 => break,
                    b'}' => depth -= 1,
                    b']' if depth == 0 => {
                        end = Some(at);
                        break;
                    }
                    _ => {}
                }
            }
            let Some(end) = end else { return };
            self.skip(end + 1);
        }
    }

    /// Reads a formula between dollars; keeps it if it consists only of letters and numbers.
    fn formula(&mut self) -> Result<(), Error> {
        let mark = if self.rest.starts_with("$$") { "$$" } else { "$" };
        self.skip(mark.len());
        let bytes = self.rest.as_bytes();
        let mut at = 0;
        let end = loop {
            match bytes.get(at) {
                Some(b'\\') => at += 2,
                Some(b'$') => break Some(at),
                // A formula cannot contain an empty line: this is a dollar sign.
                Some(b'\n') if bytes.get(at + 1) == Some(&b'\n') => break None,
                Some(_) => at += 1,
                None => break None,
            }
        };
        let Some(end) = end else { return self.push("$") };
        let inside = self.take(end);
        if self.rest.starts_with(mark) {
            self.skip(mark.len());
        } else {
            self.skip(1);
        }
        let is_simple = |c: char| c.is_alphanumeric() || " .,+-=<>()/:".contains(c);
        if mark == "$" && inside.chars().all(is_simple) { self.push(inside) } else { Ok(()) }
    }

    /// Reads a command after a backslash; returns false at the end of the document.
    fn command(&mut self) -> Result<bool, Error> {
        self.skip(1);
        let n_letters = self
            .rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphabetic() || *byte == b'@')
            .count();
        if n_letters == 0 {
            self.symbol()?;
            return Ok(true);
        }
        let name = self.take(n_letters);
        if self.rest.starts_with('*') {
            self.skip(1);
        }
        if name == "verb" || name == "lstinline" {
            return self.verbatim_word().map(|()| true);
        }
        // Spaces after a command belong to it.
        let trimmed = self.rest.trim_start_matches([' ', '\t']);
        let trimmed = match trimmed.strip_prefix('\n') {
            Some(after) if !after.trim_start_matches([' ', '\t']).starts_with('\n') => {
                after.trim_start_matches([' ', '\t'])
            }
            _ => trimmed,
        };
        self.rest = trimmed;
        match name {
            "begin" => self.begin()?,
            "end" => return Ok(self.end()),
            "par" | "newpage" | "clearpage" | "bigskip" | "medskip" | "smallskip" | "maketitle"
            | "pagebreak" | "hrule" => self.paragraph(),
            "item" | "bibitem" => {
                self.line();
                if name == "bibitem" {
                    self.drop_arguments(1);
                }
            }
            "newline" | "linebreak" | "tabularnewline" | "cr" | "hline" => {
                self.line();
                self.skip_options();
            }
            "part" | "chapter" | "section" | "subsection" | "subsubsection" | "paragraph"
            | "subparagraph" | "caption" | "frametitle" | "author" | "date" => {
                self.paragraph();
                self.argument(Group::Heading);
            }
            "title" => {
                self.paragraph();
                self.argument(Group::Title);
            }
            "footnote" | "footnotetext" | "thanks" | "marginpar" | "sidenote" => {
                self.argument(Group::Note);
            }
            "def" | "gdef" | "edef" | "xdef" => self.definition(),
            "let" => self.skip_line_rest(),
            _ => {
                if let Some(text) = command_text(name) {
                    self.push(text)?;
                } else if let Some(mark) = accent_word(name) {
                    self.accent(mark)?;
                } else if let Some(n_arguments) = n_dropped(name) {
                    self.drop_arguments(n_arguments);
                } else {
                    self.skip_options();
                }
            }
        }
        Ok(true)
    }

    /// Reads a backslash followed by a character that is not a letter.
    fn symbol(&mut self) -> Result<(), Error> {
        let Some(character) = self.rest.chars().next() else { return Ok(()) };
        self.skip(character.len_utf8());
        match character {
            '%' | '&' | '$' | '#' | '_' | '{' | '}' => {
                self.push(character.encode_utf8(&mut [0; 4]))
            }
            '\\' => {
                if self.rest.starts_with('*') {
                    self.skip(1);
                }
                self.skip_options();
                self.line();
                Ok(())
            }
            ' ' | ',' | ';' | ':' | '\n' | '\t' | '>' => self.push(" "),
            '(' => self.skip_until("\\)"),
            '[' => {
                self.paragraph();
                self.skip_until("\\]")
            }
            _ => match accent_symbol(character) {
                Some(mark) => self.accent(mark),
                None => Ok(()),
            },
        }
    }

    /// Advances past `end`, if it occurs.
    fn skip_until(&mut self, end: &'static str) -> Result<(), Error> {
        if self.unclosed.contains(end) {
            return Ok(());
        }
        match memchr::memmem::find(self.rest.as_bytes(), end.as_bytes()) {
            Some(at) => self.skip(at + end.len()),
            None => {
                self.unclosed.insert(end);
            }
        }
        self.push(" ")
    }

    /// Reads the next letter and adds an accent.
    fn accent(&mut self, mark: char) -> Result<(), Error> {
        let trimmed = self.rest.trim_start_matches([' ', '\t']);
        let braced = trimmed.strip_prefix('{');
        let inner = braced.unwrap_or(trimmed);
        let (letter, n_bytes) = if let Some(after) = inner.strip_prefix('\\') {
            match after.chars().next() {
                Some(letter @ ('i' | 'j')) => (letter, 2),
                _ => return Ok(()),
            }
        } else {
            match inner.chars().next() {
                Some(letter) if letter.is_alphabetic() => (letter, letter.len_utf8()),
                _ => return Ok(()),
            }
        };
        self.rest = inner.get(n_bytes..).unwrap_or_default();
        if braced.is_some() {
            self.rest = self.rest.strip_prefix('}').unwrap_or(self.rest);
        }
        let composed = unicode_normalization::char::compose(letter, mark).unwrap_or(letter);
        self.push(composed.encode_utf8(&mut [0; 4]))
    }

    /// Reads `\verb|…|`: the text between two equal characters on one line.
    fn verbatim_word(&mut self) -> Result<(), Error> {
        self.skip_options();
        let Some(mark) = self.rest.chars().next() else { return Ok(()) };
        let end_mark = if mark == '{' { '}' } else { mark };
        let after = self.rest.get(mark.len_utf8()..).unwrap_or_default();
        let line = after.split('\n').next().unwrap_or_default();
        let Some(end) = line.find(end_mark) else { return Ok(()) };
        self.skip(mark.len_utf8());
        let text = self.take(end);
        self.skip(end_mark.len_utf8());
        self.push(text)
    }

    /// Skips `\def\name#1{…}`.
    fn definition(&mut self) {
        let line = self.rest.split('\n').next().unwrap_or_default();
        if let Some(brace) = line.find('{') {
            self.skip(brace + 1);
            self.open(Group::Dropped(0));
        } else {
            self.skip_line_rest();
        }
    }

    fn skip_line_rest(&mut self) {
        let end = memchr::memchr(b'\n', self.rest.as_bytes()).unwrap_or(self.rest.len());
        self.skip(end);
    }

    /// Reads the next name in braces.
    fn environment(&mut self) -> &'a str {
        let Some(inner) = self.rest.strip_prefix('{') else { return "" };
        let n_bytes =
            inner.bytes().take(60).take_while(|&byte| byte != b'}' && byte != b'\n').count();
        let name = inner.get(..n_bytes).unwrap_or_default();
        if !inner.get(n_bytes..).is_some_and(|rest| rest.starts_with('}')) {
            return "";
        }
        self.skip(n_bytes + 2);
        name
    }

    fn begin(&mut self) -> Result<(), Error> {
        let name = self.environment();
        if name == "document" {
            self.is_preamble = false;
            return Ok(());
        }
        match name.trim_end_matches('*') {
            "verbatim" | "lstlisting" | "Verbatim" | "minted" | "alltt" => {
                self.paragraph();
                self.skip_options();
                if name == "minted" {
                    self.environment();
                }
                if let Some(text) = self.take_environment(name)
                    && !self.is_silent()
                {
                    self.writer().push_lines(text)?;
                }
                self.paragraph();
            }
            "equation" | "align" | "gather" | "multline" | "eqnarray" | "displaymath" | "math"
            | "flalign" | "alignat" | "tikzpicture" | "picture" | "comment" | "array"
            | "filecontents" | "pspicture" => {
                self.paragraph();
                self.take_environment(name);
            }
            "tabular" | "longtable" | "array*" => {
                self.n_tables += 1;
                self.line();
                self.drop_arguments(1);
            }
            "tabularx" | "tabulary" => {
                self.n_tables += 1;
                self.line();
                self.drop_arguments(2);
            }
            "minipage" | "multicols" | "thebibliography" | "wrapfigure" | "adjustbox" => {
                self.paragraph();
                self.drop_arguments(1);
            }
            _ => {
                self.paragraph();
                self.skip_options();
            }
        }
        Ok(())
    }

    /// Takes the content of the environment `name` and advances past its end.
    fn take_environment(&mut self, name: &'a str) -> Option<&'a str> {
        if self.unclosed.contains(name) {
            return None;
        }
        let end = format!("\\end{{{name}}}");
        match memchr::memmem::find(self.rest.as_bytes(), end.as_bytes()) {
            Some(at) => {
                let text = self.take(at);
                self.skip(end.len());
                Some(text)
            }
            None => {
                self.unclosed.insert(name);
                None
            }
        }
    }

    /// Reads `\end`; returns false at the end of the document.
    fn end(&mut self) -> bool {
        let name = self.environment();
        if matches!(name.trim_end_matches('*'), "tabular" | "longtable" | "tabularx" | "tabulary") {
            self.n_tables = self.n_tables.saturating_sub(1);
        }
        self.paragraph();
        name != "document"
    }
}

/// Returns how many arguments of a command are not text; `None` if all are text.
fn n_dropped(name: &str) -> Option<usize> {
    Some(match name {
        "label"
        | "ref"
        | "eqref"
        | "pageref"
        | "autoref"
        | "cref"
        | "Cref"
        | "nameref"
        | "cite"
        | "citep"
        | "citet"
        | "citeauthor"
        | "citeyear"
        | "parencite"
        | "textcite"
        | "autocite"
        | "footcite"
        | "nocite"
        | "bibliography"
        | "bibliographystyle"
        | "addbibresource"
        | "usepackage"
        | "documentclass"
        | "documentstyle"
        | "RequirePackage"
        | "LoadClass"
        | "NeedsTeXFormat"
        | "input"
        | "include"
        | "includeonly"
        | "includegraphics"
        | "pagestyle"
        | "thispagestyle"
        | "pagenumbering"
        | "hspace"
        | "vspace"
        | "color"
        | "hypersetup"
        | "index"
        | "glossary"
        | "newcounter"
        | "hyphenation"
        | "graphicspath"
        | "geometry"
        | "href"
        | "textcolor"
        | "colorbox"
        | "raisebox"
        | "cline"
        | "cmidrule"
        | "usetikzlibrary"
        | "lstset"
        | "lstinputlisting"
        | "setlist"
        | "newif"
        | "theoremstyle"
        | "ProvidesPackage"
        | "ProvidesClass"
        | "PassOptionsToPackage"
        | "selectlanguage"
        | "foreignlanguage"
        | "fontfamily"
        | "fontseries"
        | "hyperlink"
        | "hypertarget"
        | "phantom"
        | "stepcounter"
        | "refstepcounter"
        | "newlength"
        | "DeclareGraphicsExtensions"
        | "usetheme"
        | "usecolortheme"
        | "bookmarksetup"
        | "makebox"
        | "parbox"
        | "tag"
        | "captionsetup"
        | "linespread"
        | "vskip"
        | "hskip"
        | "markright" => 1,
        "newcommand"
        | "renewcommand"
        | "providecommand"
        | "DeclareMathOperator"
        | "newtheorem"
        | "setlength"
        | "addtolength"
        | "setcounter"
        | "addtocounter"
        | "fontsize"
        | "rule"
        | "multicolumn"
        | "multirow"
        | "settowidth"
        | "resizebox"
        | "DeclareRobustCommand"
        | "markboth"
        | "newglossaryentry"
        | "titleformat"
        | "pdfbookmark" => 2,
        "newenvironment" | "renewenvironment" | "definecolor" | "addcontentsline"
        | "newacronym" | "titlespacing" => 3,
        _ => return None,
    })
}

/// Returns the text of a command that stands for text.
fn command_text(name: &str) -> Option<&'static str> {
    Some(match name {
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "o" => "ø",
        "O" => "Ø",
        "l" => "ł",
        "L" => "Ł",
        "aa" => "å",
        "AA" => "Å",
        "i" => "i",
        "j" => "j",
        "S" => "§",
        "P" => "¶",
        "copyright" => "©",
        "pounds" => "£",
        "euro" => "€",
        "dots" | "ldots" | "textellipsis" => "…",
        "textendash" => "–",
        "textemdash" => "—",
        "textbackslash" => "\\",
        "textasciitilde" => "~",
        "textasciicircum" => "^",
        "textunderscore" => "_",
        "textless" => "<",
        "textgreater" => ">",
        "textbar" => "|",
        "textquotedblleft" => "“",
        "textquotedblright" => "”",
        "textquoteleft" => "‘",
        "textquoteright" | "textquotesingle" => "’",
        "LaTeX" => "LaTeX",
        "TeX" => "TeX",
        "LaTeXe" => "LaTeX2e",
        "BibTeX" => "BibTeX",
        "quad" | "qquad" | "space" | "hfill" | "enspace" | "thinspace" | "nobreakspace" => " ",
        "slash" => "/",
        "degree" => "°",
        _ => return None,
    })
}

/// Returns the combining character of an accent command that is a word.
fn accent_word(name: &str) -> Option<char> {
    Some(match name {
        "c" => '\u{327}',
        "v" => '\u{30c}',
        "u" => '\u{306}',
        "H" => '\u{30b}',
        "k" => '\u{328}',
        "r" => '\u{30a}',
        "d" => '\u{323}',
        "b" => '\u{331}',
        _ => return None,
    })
}

/// Returns the combining character of an accent command that is a symbol.
fn accent_symbol(character: char) -> Option<char> {
    Some(match character {
        '\'' => '\u{301}',
        '`' => '\u{300}',
        '^' => '\u{302}',
        '"' => '\u{308}',
        '~' => '\u{303}',
        '=' => '\u{304}',
        '.' => '\u{307}',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExtractLimits;
    use proptest::prelude::*;

    fn document(source: &str) -> ExtractedDocument {
        let limits = ExtractLimits::default();
        let writer = || TextWriter::new(&limits, limits.max_text_bytes);
        read(source, writer(), writer()).unwrap()
    }

    #[test]
    fn commands_are_removed_and_text_is_kept() {
        let source = "\\documentclass[a4paper]{article}\n\\usepackage{x}\n\\newcommand{\\y}[1]{no}\n\
            \\title{The \\emph{Title}}\n\\begin{document}\n\\maketitle\n\\section{One}\\label{s}\n\
            Some \\textbf{bo}ld text% comment\n, caf\\'e and na\\\"{\\i}ve\\footnote{A note.} goes on~\\cite[p. 3]{x}.\n\n\
            \\begin{itemize}\n\\item a\n\\item b\n\\end{itemize}\n\
            \\begin{tabular}{ll} c & d \\\\ e & f \\end{tabular}\n\
            \\begin{equation} x^2 \\end{equation} $n$ and $\\alpha^2$ ``q'' --- \\verb|a_b| 5\\%\n\
            \\end{document} not this";
        let document = document(source);
        assert_eq!(document.title.as_deref(), Some("The Title"));
        assert_eq!(
            document.text,
            "The Title\n\nOne\n\nSome bold text, café and naïve goes on .\n\na\nb\n\nc\nd\ne\nf\n\n\
             n and “q” — a_b 5%\n\nA note."
        );
    }

    #[test]
    fn hostile_sources_terminate_quickly() {
        for piece in [
            "{",
            "\\begin{equation}",
            "\\foo[",
            "$",
            "\\label{",
            "\\[",
            "\\verb|",
            "\\footnote{",
            "\\def\\x",
        ] {
            document(&piece.repeat(50_000));
        }
    }

    proptest! {
        #[test]
        fn every_source_terminates(source in "([{}$%&~\\[\\]a é\n|*]|\\\\(begin|end|verb|def|title|cite|'|\"|item)?|\\{(document|verbatim|tabular|equation)\\}){0,60}") {
            document(&source);
        }
    }
}
