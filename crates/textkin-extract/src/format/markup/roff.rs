//! roff source: manual pages (man, mdoc) and documents in ms and similar macro packages.
//!
//! Reads line by line. A line that begins with a dot is a request: some end paragraphs or lines, some
//! have text as arguments; definitions and pictures are not text. Strings that the source defines are
//! inserted once and not expanded again, so that they cannot grow.

use std::collections::HashMap;

use crate::writer::TextWriter;
use crate::{
    Error, ExtractContext, ExtractedDocument, Extractor, FileKind, encoding, join_hyphenated,
};

/// Maximum strings that a source may define.
const MAX_STRINGS: usize = 1000;

/// Maximum length of a string.
const MAX_STRING_BYTES: usize = 200;

/// Reads roff source.
pub(crate) struct Roff;

impl Extractor for Roff {
    fn kind(&self) -> FileKind {
        FileKind::Roff
    }

    fn extract(&self, bytes: &[u8], context: &mut ExtractContext<'_>) -> Result<(), Error> {
        let source = encoding::decode(bytes)?;
        let document = read(&source, context.writer())?;
        context.document(document)
    }
}

fn read(source: &str, writer: TextWriter) -> Result<ExtractedDocument, Error> {
    let mut reader = Reader {
        writer,
        strings: HashMap::new(),
        title: None,
        name: String::new(),
        skip_until: None,
        table: None,
        is_preformatted: false,
    };
    for line in source.lines() {
        reader.writer.tick()?;
        reader.line(line)?;
    }
    let text = join_hyphenated(&reader.writer.finish()).into_owned();
    Ok(ExtractedDocument { text, title: reader.title, ..ExtractedDocument::default() })
}

/// The state inside a table.
#[derive(Clone, Copy, Debug)]
struct Table {
    separator: char,
    /// Whether the format lines of the columns have ended.
    has_format: bool,
}

struct Reader {
    writer: TextWriter,
    strings: HashMap<String, String>,
    title: Option<String>,
    /// The name that `.Nm` without argument prints.
    name: String,
    /// The request that ends the skipped part.
    skip_until: Option<&'static [&'static str]>,
    table: Option<Table>,
    is_preformatted: bool,
}

impl Reader {
    fn line(&mut self, line: &str) -> Result<(), Error> {
        if let Some(ends) = self.skip_until {
            let name = line.trim_start_matches(['.', '\'']).trim();
            let is_end = line.starts_with(['.', '\'']) && ends.contains(&name);
            if is_end {
                self.skip_until = None;
            }
            return Ok(());
        }
        if let Some(request) = line.strip_prefix(['.', '\'']) {
            return self.request(request.trim_start());
        }
        if let Some(table) = self.table {
            return self.row(line, table);
        }
        if line.trim().is_empty() {
            self.writer.paragraph();
            return Ok(());
        }
        if self.is_preformatted || line.starts_with([' ', '\t']) {
            self.writer.line();
        }
        self.text(line)
    }

    /// Writes text of the source; the line end becomes a space.
    fn text(&mut self, line: &str) -> Result<(), Error> {
        let plain = self.plain(line);
        self.writer.push(&plain.text)?;
        if !plain.continues {
            self.writer.space();
        }
        Ok(())
    }

    fn request(&mut self, request: &str) -> Result<(), Error> {
        let end = request.find(|c: char| c.is_whitespace()).unwrap_or(request.len());
        let (name, rest) = request.split_at(end);
        let rest = rest.trim_start();
        match name {
            "\\\"" | "\\#" | "" => {}
            "de" | "de1" | "am" | "ig" | "dei" => self.skip_until = Some(&[".", ""]),
            "EQ" => self.skip_until = Some(&["EN"]),
            "PS" => self.skip_until = Some(&["PE", "PF"]),
            "GS" => self.skip_until = Some(&["GE"]),
            "TS" => {
                self.writer.line();
                self.table = Some(Table { separator: '\t', has_format: false });
            }
            "TE" => {
                self.table = None;
                self.writer.paragraph();
            }
            "T&" => {
                if let Some(table) = &mut self.table {
                    table.has_format = false;
                }
            }
            "TH" | "Dt" if self.table.is_none() && self.title.is_none() => {
                self.title = arguments(rest).first().map(|title| self.plain(title).text);
            }
            "ds" | "as" => self.define(rest),
            "SH" | "SS" | "Sh" | "Ss" | "NH" | "TL" | "AU" | "AI" | "AB" | "RP" | "UR" | "MT" => {
                self.writer.paragraph();
                let is_number = rest.bytes().all(|byte| byte.is_ascii_digit() || byte == b' ');
                if !rest.is_empty() && !is_number {
                    self.words(&arguments(rest), " ")?;
                    self.writer.paragraph();
                }
            }
            "PP" | "P" | "LP" | "HP" | "TP" | "TQ" | "QP" | "RS" | "RE" | "Pp" | "Bl" | "El"
            | "Bd" | "Ed" | "sp" | "AE" | "FS" | "FE" | "KS" | "KE" | "QS" | "QE" | "bp" | "EX"
            | "EE" | "nf" | "fi" | "DS" | "DE" => {
                self.writer.paragraph();
                match name {
                    "nf" | "EX" | "DS" => self.is_preformatted = true,
                    "fi" | "EE" | "DE" => self.is_preformatted = false,
                    _ => {}
                }
            }
            "IP" => {
                self.writer.paragraph();
                if let Some(tag) = arguments(rest).first() {
                    self.words(std::slice::from_ref(tag), " ")?;
                }
            }
            "br" | "UE" | "ME" | "ti" | "ce" => self.writer.line(),
            "B" | "I" | "SM" | "SB" | "R" | "CW" | "UL" | "BX" => {
                self.words(&arguments(rest), " ")?
            }
            "BR" | "BI" | "IR" | "IB" | "RB" | "RI" => self.words(&arguments(rest), "")?,
            "OP" => self.words(&arguments(rest), " ")?,
            "SY" | "YS" => {
                self.writer.line();
                self.words(&arguments(rest), " ")?;
            }
            "if" => {
                // Text for terminals is kept; other conditions are not evaluated.
                if let Some(inner) = rest.strip_prefix("n ") {
                    self.conditional(inner.trim_start())?;
                }
            }
            name if is_mdoc(name) => self.mdoc(name, rest)?,
            _ => {}
        }
        Ok(())
    }

    /// Reads text or a request after a condition; conditions are not nested.
    fn conditional(&mut self, inner: &str) -> Result<(), Error> {
        let inner = inner.trim_start_matches("\\{").trim_start_matches('\\').trim();
        match inner.strip_prefix(['.', '\'']) {
            Some(request) if request.starts_with("if ") => Ok(()),
            Some(request) => self.request(request.trim_start()),
            None => self.text(inner),
        }
    }

    /// Defines a string: `.ds name text`.
    fn define(&mut self, rest: &str) {
        let Some((name, value)) = rest.split_once(char::is_whitespace) else { return };
        let value = value.trim_start();
        let value = value.strip_prefix('"').unwrap_or(value);
        if self.strings.len() < MAX_STRINGS && value.len() <= MAX_STRING_BYTES {
            let plain = self.plain(value).text;
            self.strings.insert(name.to_owned(), plain);
        }
    }

    /// Writes arguments as text.
    fn words(&mut self, arguments: &[String], between: &str) -> Result<(), Error> {
        for (number, argument) in arguments.iter().enumerate() {
            if number > 0 {
                self.writer.push(between)?;
            }
            let plain = self.plain(argument);
            self.writer.push(&plain.text)?;
        }
        self.writer.space();
        Ok(())
    }

    /// Writes a line of a table.
    fn row(&mut self, line: &str, table: Table) -> Result<(), Error> {
        if !table.has_format {
            let separator = line.split_once("tab(").or_else(|| line.split_once("tab ("));
            let separator = separator.and_then(|(_, rest)| rest.chars().next());
            let is_over = line.trim_end().ends_with('.');
            let separator = separator.unwrap_or(table.separator);
            self.table = Some(Table { separator, has_format: is_over });
            return Ok(());
        }
        let is_rule = matches!(line.trim(), "_" | "=" | "");
        self.writer.line();
        if is_rule {
            return Ok(());
        }
        for cell in line.split(table.separator) {
            let cell = cell.trim();
            if !matches!(cell, "T{" | "T}" | "\\^" | "_") {
                self.text(cell.trim_end_matches("T{"))?;
            }
            self.writer.line();
        }
        Ok(())
    }

    /// Writes a line of mdoc: macros among the arguments are markup, the rest is text.
    fn mdoc(&mut self, name: &str, rest: &str) -> Result<(), Error> {
        match name {
            "It" => self.writer.line(),
            "Nm" | "Fl" | "Xr" | "Op" | "Ar" => {}
            "Nd" => self.writer.push("– ")?,
            "Os" | "Dd" | "Bx" | "Rs" | "Re" | "Sm" => return Ok(()),
            _ => {}
        }
        let mut is_glued = true;
        let mut words = Vec::new();
        words.push(name.to_owned());
        words.extend(arguments(rest));
        let mut words = words.iter().peekable();
        while let Some(word) = words.next() {
            if is_mdoc(word) {
                match word.as_str() {
                    "Nm" => {
                        let is_named = words
                            .peek()
                            .is_some_and(|next| !is_mdoc(next) && !is_punctuation(next));
                        if !is_named {
                            let name = self.name.clone();
                            self.piece(&name, is_glued)?;
                            is_glued = false;
                        } else if self.name.is_empty()
                            && let Some(next) = words.peek()
                        {
                            self.name = self.plain(next).text;
                        }
                    }
                    "Fl" => {
                        self.piece("-", is_glued)?;
                        is_glued = true;
                    }
                    "Xr" => {
                        let page = words.next().map(String::as_str).unwrap_or_default();
                        let section = words.next().map(String::as_str).unwrap_or_default();
                        self.piece(&format!("{page}({section})"), is_glued)?;
                        is_glued = false;
                    }
                    "Ns" => is_glued = true,
                    _ => {}
                }
                continue;
            }
            let plain = self.plain(word).text;
            self.piece(&plain, is_glued || is_punctuation(word) && word != "(" && word != "[")?;
            is_glued = matches!(word.as_str(), "(" | "[");
        }
        self.writer.space();
        Ok(())
    }

    fn piece(&mut self, text: &str, is_glued: bool) -> Result<(), Error> {
        if !is_glued {
            self.writer.space();
        }
        self.writer.push(text)
    }

    /// Resolves the escapes of a line.
    fn plain(&self, line: &str) -> PlainLine {
        let mut text = String::with_capacity(line.len());
        let mut continues = false;
        let mut rest = line;
        while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
            let (before, after) = rest.split_at(at);
            text.push_str(before);
            let mut escape = Escape { rest: after.get(1..).unwrap_or_default() };
            let Some(character) = escape.character() else {
                // A backslash at the line end continues the line.
                rest = "";
                continues = true;
                break;
            };
            match character {
                '"' | '#' => {
                    rest = "";
                    break;
                }
                'c' => continues = true,
                'e' | '\\' => text.push('\\'),
                '-' => text.push('-'),
                ' ' | '~' | '0' | 't' => text.push(' '),
                '\'' => text.push('\''),
                '`' => text.push('`'),
                '(' => text.push_str(&special(escape.take(2))),
                '[' => text.push_str(&special(escape.until(']'))),
                'C' => text.push_str(&special(escape.quoted())),
                '*' => {
                    let name = escape.name();
                    match self.strings.get(name) {
                        Some(value) => text.push_str(value),
                        None => text.push_str(default_string(name)),
                    }
                }
                'f' | 'F' | 'm' | 'M' | 'n' | 'k' | 'g' | 'V' | 'Y' => {
                    let sign = escape.rest.strip_prefix(['+', '-']);
                    if character == 'n'
                        && let Some(rest) = sign
                    {
                        escape.rest = rest;
                    }
                    escape.name();
                }
                's' => escape.size(),
                'h' | 'v' | 'w' | 'l' | 'L' | 'D' | 'b' | 'o' | 'x' | 'X' | 'N' | 'S' | 'H'
                | 'Z' | 'A' | 'B' | 'R' => {
                    escape.quoted();
                }
                // Zero-width marks, and everything else.
                _ => {}
            }
            rest = escape.rest;
        }
        text.push_str(rest);
        PlainLine { text, continues }
    }
}

/// A line with its escapes resolved.
struct PlainLine {
    text: String,
    /// Whether the next line continues without a space.
    continues: bool,
}

/// The text after a backslash.
struct Escape<'a> {
    rest: &'a str,
}

impl<'a> Escape<'a> {
    fn character(&mut self) -> Option<char> {
        let character = self.rest.chars().next()?;
        self.rest = self.rest.get(character.len_utf8()..).unwrap_or_default();
        Some(character)
    }

    /// Takes the next `n_characters` characters.
    fn take(&mut self, n_characters: usize) -> &'a str {
        let end = self.rest.char_indices().nth(n_characters).map_or(self.rest.len(), |(at, _)| at);
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    fn until(&mut self, end: char) -> &'a str {
        let (taken, rest) = self.rest.split_once(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Reads a name: one character, two after `(`, or any number in brackets.
    fn name(&mut self) -> &'a str {
        if let Some(rest) = self.rest.strip_prefix('(') {
            self.rest = rest;
            self.take(2)
        } else if let Some(rest) = self.rest.strip_prefix('[') {
            self.rest = rest;
            self.until(']')
        } else {
            self.take(1)
        }
    }

    /// Reads the text between two equal characters.
    fn quoted(&mut self) -> &'a str {
        match self.character() {
            Some(quote) => self.until(quote),
            None => "",
        }
    }

    /// Skips a size: a number of one or two digits, with a sign, or in brackets.
    fn size(&mut self) {
        self.rest = self.rest.strip_prefix(['+', '-']).unwrap_or(self.rest);
        if self.rest.starts_with(['(', '[']) {
            self.name();
        } else if self.rest.starts_with('\'') {
            self.quoted();
        } else {
            let n_digits = if self.rest.starts_with(['1', '2', '3']) { 2 } else { 1 };
            let n_digits = self.rest.bytes().take(n_digits).take_while(u8::is_ascii_digit).count();
            self.take(n_digits);
        }
    }
}

/// Splits the arguments of a request; quoted ones may contain spaces.
fn arguments(text: &str) -> Vec<String> {
    let mut arguments = Vec::new();
    let mut characters = text.chars().peekable();
    while let Some(&first) = characters.peek() {
        if first.is_whitespace() {
            characters.next();
            continue;
        }
        let is_quoted = first == '"';
        if is_quoted {
            characters.next();
        }
        let mut argument = String::new();
        while let Some(character) = characters.next() {
            match character {
                '"' if is_quoted => {
                    if characters.peek() != Some(&'"') {
                        break;
                    }
                    characters.next();
                    argument.push('"');
                }
                '\\' => {
                    argument.push('\\');
                    // A comment ends the line.
                    if characters.peek() == Some(&'"') {
                        argument.pop();
                        if !argument.is_empty() {
                            arguments.push(argument);
                        }
                        return arguments;
                    }
                    argument.extend(characters.next());
                }
                character if character.is_whitespace() && !is_quoted => break,
                character => argument.push(character),
            }
        }
        arguments.push(argument);
    }
    arguments
}

fn is_punctuation(word: &str) -> bool {
    matches!(word, "." | "," | ":" | ";" | "?" | "!" | ")" | "]" | "(" | "[")
}

/// Macros of mdoc that occur at the beginning of lines and among arguments.
fn is_mdoc(name: &str) -> bool {
    const MACROS: &[&str] = &[
        "Ac", "Ad", "An", "Ao", "Ap", "Aq", "Ar", "At", "Bc", "Bo", "Bq", "Brc", "Bro", "Brq",
        "Bsx", "Bx", "Cd", "Cm", "Dc", "Dd", "Do", "Dq", "Dv", "Dx", "Ec", "Ef", "Em", "Eo", "Er",
        "Es", "Ev", "Fa", "Fc", "Fd", "Fl", "Fn", "Fo", "Fr", "Ft", "Fx", "Hf", "Ic", "In", "It",
        "Lb", "Li", "Lk", "Lp", "Ms", "Mt", "Nd", "Nm", "No", "Ns", "Nx", "Oc", "Oo", "Op", "Os",
        "Ot", "Ox", "Pa", "Pc", "Pf", "Po", "Pq", "Qc", "Ql", "Qo", "Qq", "Re", "Rs", "Rv", "Sc",
        "Sm", "So", "Sq", "St", "Sx", "Sy", "Ta", "Tn", "Ud", "Ux", "Va", "Vt", "Xc", "Xo", "Xr",
        "%A", "%B", "%D", "%I", "%J", "%N", "%O", "%P", "%Q", "%R", "%T", "%U", "%V",
    ];
    MACROS.contains(&name)
}

/// Strings that every macro package defines.
fn default_string(name: &str) -> &'static str {
    match name {
        "Aq" => "'",
        "L\"" | "lq" | "Lq" => "“",
        "R\"" | "rq" | "Rq" => "”",
        "C`" | "C'" => "",
        "--" => "-",
        "R" => "®",
        "Tm" => "™",
        "Am" => "&",
        "Ba" => "|",
        "Le" => "≤",
        "Ge" => "≥",
        _ => "",
    }
}

/// Returns the text of a character name such as `em`, `'e`, `u00e9`.
fn special(name: &str) -> String {
    let text = match name {
        "em" => "—",
        "en" => "–",
        "hy" | "mi" | "-" => "-",
        "bu" => "•",
        "co" => "©",
        "rg" => "®",
        "tm" => "™",
        "aq" | "fm" => "'",
        "dq" => "\"",
        "lq" => "“",
        "rq" => "”",
        "oq" => "‘",
        "cq" => "’",
        "Bq" => "„",
        "Fo" => "«",
        "Fc" => "»",
        "ga" | "ha" | "ti" | "rs" | "sl" | "at" | "sh" | "Do" | "ba" | "lB" | "rB" | "lC"
        | "rC" | "ul" | "bv" => match name {
            "ga" => "`",
            "ha" => "^",
            "ti" => "~",
            "rs" => "\\",
            "sl" => "/",
            "at" => "@",
            "sh" => "#",
            "Do" => "$",
            "lB" => "[",
            "rB" => "]",
            "lC" => "{",
            "rC" => "}",
            "ul" => "_",
            _ => "|",
        },
        "la" => "⟨",
        "ra" => "⟩",
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "/o" => "ø",
        "/O" => "Ø",
        "/l" => "ł",
        "/L" => "Ł",
        "oa" => "å",
        "oA" => "Å",
        "sc" => "§",
        "ps" => "¶",
        "de" => "°",
        "mu" => "×",
        "di" => "÷",
        "+-" => "±",
        "->" => "→",
        "<-" => "←",
        "<=" => "≤",
        ">=" => "≥",
        "!=" => "≠",
        "Eu" | "eu" => "€",
        "Po" => "£",
        "r!" => "¡",
        "r?" => "¿",
        "12" => "½",
        "14" => "¼",
        "34" => "¾",
        _ => return composed(name),
    };
    text.to_owned()
}

/// Resolves `u00e9`, `char233`, and accented letters: `'e` or `e aa`.
fn composed(name: &str) -> String {
    let number = match (name.strip_prefix('u'), name.strip_prefix("char")) {
        (Some(digits), _) if digits.len() >= 4 => {
            u32::from_str_radix(digits.split('_').next().unwrap_or_default(), 16).ok()
        }
        (_, Some(digits)) => digits.parse().ok(),
        _ => None,
    };
    if let Some(character) = number.and_then(char::from_u32) {
        return character.to_string();
    }
    let mark = |accent: &str| {
        Some(match accent {
            "'" | "aa" => '\u{301}',
            "`" | "ga" => '\u{300}',
            "^" | "a^" => '\u{302}',
            ":" | "ad" => '\u{308}',
            "~" | "a~" => '\u{303}',
            "," | "ac" => '\u{327}',
            "v" | "ah" => '\u{30c}',
            "ao" => '\u{30a}',
            _ => return None,
        })
    };
    let (letter, accent) = match name.split_once(' ') {
        Some((letter, accent)) => (letter, accent),
        None => {
            let end = name.chars().next().map_or(0, char::len_utf8);
            let (accent, letter) = name.split_at(end);
            (letter, accent)
        }
    };
    let mut letters = letter.chars();
    let composed = match (letters.next(), letters.next(), mark(accent)) {
        (Some(letter), None, Some(mark)) => unicode_normalization::char::compose(letter, mark),
        _ => None,
    };
    composed.map(String::from).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ExtractLimits;
    use proptest::prelude::*;

    fn document(source: &str) -> ExtractedDocument {
        let limits = ExtractLimits::default();
        read(source, TextWriter::new(&limits, limits.max_text_bytes)).unwrap()
    }

    #[test]
    fn a_manual_page_becomes_text() {
        let document = document(
            ".\\\" comment\n.TH LS 1 \"May 2024\"\n.SH NAME\nls \\- list\\fB files\\fR\n.SH SYNOPSIS\n.B ls\n\
             [\\fIOPTION\\fR]...\n.PP\nSee\n.BR cat (1),\n.I \"two words\"\ncaf\\('e na\\[i ad]ve.\n.de XX\nno\n..\n\
             .TP\n\\fB\\-a\\fR\nall\n.TS\ntab(@);\nl l.\na@b\n.TE\n.nf\nx\ny\n.fi\n",
        );
        assert_eq!(document.title.as_deref(), Some("LS"));
        assert_eq!(
            document.text,
            "NAME\n\nls - list files\n\nSYNOPSIS\n\nls [OPTION]...\n\nSee cat(1), two words café naïve.\n\n\
             -a all\na\nb\n\nx\ny"
        );
    }

    #[test]
    fn an_mdoc_page_becomes_text() {
        let document = document(
            ".Dd May 1\n.Dt CAT 1\n.Sh NAME\n.Nm cat\n.Nd join files\n.Sh SYNOPSIS\n.Nm\n.Op Fl be\n.Op Ar file ...\n\
             .Sh TEXT\nThe\n.Nm\nutility, see\n.Xr head 1 .\n.Bl -tag\n.It Fl b\nNumber.\n.El\n",
        );
        assert_eq!(document.title.as_deref(), Some("CAT"));
        assert_eq!(
            document.text,
            "NAME\n\ncat – join files\n\nSYNOPSIS\n\ncat -be file ...\n\nTEXT\n\nThe cat utility, see head(1).\n\n-b Number."
        );
    }

    proptest! {
        #[test]
        fn every_source_terminates(source in "([a.'\" é\n\\[\\](]|\n\\.(TH|de|ds|TS|BR|Nm|Xr|if n|IP)? ?|\\\\[a-zA-Z(\\[*'\"]?){0,60}") {
            document(&source);
        }
    }
}
