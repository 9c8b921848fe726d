//! Content of pages: interprets the operators that place text.

use std::collections::HashMap;
use std::rc::Rc;

use lopdf::{Dictionary, Object, ObjectId};

use super::font::{Font, to_float};
use super::lexer::{Lexer, PdfToken};
use super::stream::{PdfFile, data, resolved};
use crate::format::print::typesetting::encoding::Encoding;
use crate::format::print::typesetting::layout::{Glyph, Layout};
use crate::format::print::typesetting::matrix::Matrix;

/// Maximum operators of one document, counting forms each time they are used.
const MAX_OPERATORS: usize = 50_000_000;

/// Maximum nesting of forms.
const MAX_FORMS: usize = 12;

/// Maximum saved states, operands of one operator, and nested marks.
const MAX_NESTED: usize = 4096;

/// Renders pages into a layout.
pub(super) struct Painter<'a> {
    document: &'a PdfFile,
    pub(super) layout: Layout,
    fonts: HashMap<*const Dictionary, Rc<Font>>,
    n_operators: usize,
    max_text: usize,
}

/// An operand, or a list of them.
#[derive(Clone, Debug)]
enum Operand {
    Number(f64),
    Name(Vec<u8>),
    String(Vec<u8>),
    Array(Vec<Operand>),
    /// Alternating keys and values.
    Dictionary(Vec<Operand>),
}

#[derive(Clone)]
struct State {
    matrix: Matrix,
    font: Option<Rc<Font>>,
    size: f64,
    character_space: f64,
    word_space: f64,
    horizontal_scale: f64,
    leading: f64,
    rise: f64,
}

/// Text that replaces the glyphs of a marked part.
struct ActualText {
    depth: usize,
    text: String,
    is_given: bool,
}

impl<'a> Painter<'a> {
    pub(super) fn new(document: &'a PdfFile, max_text: usize) -> Self {
        let layout = Layout::default();
        Self { document, layout, fonts: HashMap::new(), n_operators: 0, max_text }
    }

    /// Whether a limit was reached.
    pub(super) fn is_exhausted(&self) -> bool {
        self.n_operators >= MAX_OPERATORS || self.layout.n_bytes() > self.max_text
    }

    /// Renders one page.
    pub(super) fn page(&mut self, page: ObjectId, resources: Option<&'a Dictionary>) {
        let Ok(dictionary) = self.document.get_dictionary(page) else { return };
        let contents =
            dictionary.get(b"Contents").map(|contents| resolved(self.document, contents));
        let mut content = Vec::new();
        match contents {
            Ok(Object::Stream(stream)) => content = data(self.document, stream),
            Ok(Object::Array(parts)) => {
                for part in parts.iter().take(100_000) {
                    if let Object::Stream(stream) = resolved(self.document, part) {
                        content.extend_from_slice(&data(self.document, stream));
                        content.push(b'\n');
                    }
                }
            }
            _ => {}
        }
        self.content(&content, resources, Matrix::IDENTITY, 0);
        self.layout.end_page();
    }

    fn content(
        &mut self,
        bytes: &[u8],
        resources: Option<&'a Dictionary>,
        matrix: Matrix,
        depth: usize,
    ) {
        let state = State {
            matrix,
            font: None,
            size: 0.0,
            character_space: 0.0,
            word_space: 0.0,
            horizontal_scale: 1.0,
            leading: 0.0,
            rise: 0.0,
        };
        let mut run = ContentStream {
            resources,
            state,
            saved: Vec::new(),
            text: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            n_marks: 0,
            replacement: None,
            depth,
        };
        let mut lexer = Lexer::new(bytes);
        let mut operands: Vec<Operand> = Vec::new();
        while let Some(token) = lexer.next() {
            if let PdfToken::Operator(operator) = token {
                self.n_operators += 1;
                if self.is_exhausted() {
                    return;
                }
                match operator {
                    b"ID" => lexer.skip_image(),
                    _ => run.operator(self, operator, &operands),
                }
                operands.clear();
            } else if operands.len() < MAX_NESTED
                && let Some(operand) = operand(token, &mut lexer, 0)
            {
                operands.push(operand);
            }
        }
    }

    fn font(&mut self, resources: Option<&'a Dictionary>, name: &[u8]) -> Option<Rc<Font>> {
        let found = entry(self.document, resources, b"Font", name)?.as_dict().ok()?;
        Some(self.font_of(found))
    }

    fn font_of(&mut self, found: &'a Dictionary) -> Rc<Font> {
        let document = self.document;
        let font = self.fonts.entry(std::ptr::from_ref(found));
        Rc::clone(font.or_insert_with(|| Rc::new(Font::read(document, found))))
    }
}

/// Returns the entry `name` of the resource table `kind`.
fn entry<'a>(
    document: &'a PdfFile,
    resources: Option<&'a Dictionary>,
    kind: &[u8],
    name: &[u8],
) -> Option<&'a Object> {
    let table = resolved(document, resources?.get(kind).ok()?).as_dict().ok()?;
    Some(resolved(document, table.get(name).ok()?))
}

fn operand(token: PdfToken<'_>, lexer: &mut Lexer<'_>, depth: usize) -> Option<Operand> {
    let is_dictionary = token == PdfToken::DictStart;
    Some(match token {
        PdfToken::Number(number) => Operand::Number(number),
        PdfToken::Name(name) => Operand::Name(name),
        PdfToken::String(text) => Operand::String(text),
        PdfToken::ArrayStart | PdfToken::DictStart => {
            let mut list = Vec::new();
            while let Some(token) = lexer.next() {
                match token {
                    PdfToken::ArrayEnd | PdfToken::DictEnd => break,
                    _ if depth > 20 => {}
                    token => list.extend(operand(token, lexer, depth + 1)),
                }
            }
            if is_dictionary { Operand::Dictionary(list) } else { Operand::Array(list) }
        }
        PdfToken::ArrayEnd | PdfToken::DictEnd | PdfToken::Operator(_) => return None,
    })
}

/// Interpreter of one content stream.
struct ContentStream<'a> {
    resources: Option<&'a Dictionary>,
    state: State,
    saved: Vec<State>,
    text: Matrix,
    line: Matrix,
    n_marks: usize,
    replacement: Option<ActualText>,
    depth: usize,
}

impl<'a> ContentStream<'a> {
    fn operator(&mut self, painter: &mut Painter<'a>, operator: &[u8], operands: &[Operand]) {
        let numbers: Vec<f64> = operands.iter().filter_map(Operand::number).collect();
        let state = &mut self.state;
        match (operator, numbers.as_slice()) {
            (b"q", _) if self.saved.len() < MAX_NESTED => self.saved.push(state.clone()),
            (b"Q", _) => {
                if let Some(saved) = self.saved.pop() {
                    self.state = saved;
                }
            }
            (b"cm", &[a, b, c, d, e, f]) => {
                state.matrix = Matrix([a, b, c, d, e, f]).then(state.matrix);
            }
            (b"BT", _) => {
                self.text = Matrix::IDENTITY;
                self.line = Matrix::IDENTITY;
            }
            (b"Tf", &[.., size]) => {
                state.size = size;
                if let Some(Operand::Name(name)) = operands.first() {
                    state.font = painter.font(self.resources, name);
                }
            }
            (b"Tm", &[a, b, c, d, e, f]) => {
                self.line = Matrix([a, b, c, d, e, f]);
                self.text = self.line;
            }
            (b"Td", &[x, y]) => self.next_line(x, y),
            (b"TD", &[x, y]) => {
                state.leading = -y;
                self.next_line(x, y);
            }
            (b"T*", _) => self.next_line(0.0, -self.state.leading),
            (b"Tc", &[space]) => state.character_space = space,
            (b"Tw", &[space]) => state.word_space = space,
            (b"Tz", &[percent]) => state.horizontal_scale = percent / 100.0,
            (b"TL", &[leading]) => state.leading = leading,
            (b"Ts", &[rise]) => state.rise = rise,
            (b"Tj" | b"TJ", _) => self.show(painter, operands),
            (b"'", _) => {
                self.next_line(0.0, -self.state.leading);
                self.show(painter, operands);
            }
            (b"\"", &[word_space, character_space, ..]) => {
                state.word_space = word_space;
                state.character_space = character_space;
                self.next_line(0.0, -self.state.leading);
                self.show(painter, operands.get(2..).unwrap_or_default());
            }
            (b"gs", _) => self.set_state(painter, operands),
            (b"Do", _) => self.form(painter, operands),
            (b"BMC", _) => self.n_marks += 1,
            (b"BDC", _) => self.begin_mark(painter, operands),
            (b"EMC", _) => {
                let depth = self.n_marks;
                if self.replacement.as_ref().is_some_and(|found| found.depth == depth) {
                    self.replacement = None;
                }
                self.n_marks = depth.saturating_sub(1);
            }
            _ => {}
        }
    }

    fn next_line(&mut self, x: f64, y: f64) {
        self.line = Matrix::translation(x, y).then(self.line);
        self.text = self.line;
    }

    fn show(&mut self, painter: &mut Painter<'a>, operands: &[Operand]) {
        for operand in operands {
            match operand {
                Operand::String(bytes) => self.show_string(painter, bytes),
                Operand::Number(back) => self.step(-back / 1000.0 * self.state.size),
                Operand::Array(list) => self.show(painter, list),
                _ => {}
            }
        }
    }

    /// Moves along the line without showing text.
    fn step(&mut self, distance: f64) {
        let is_vertical = self.state.font.as_ref().is_some_and(|font| font.is_vertical);
        let step = if is_vertical {
            Matrix::translation(0.0, distance)
        } else {
            Matrix::translation(distance * self.state.horizontal_scale, 0.0)
        };
        self.text = step.then(self.text);
    }

    fn show_string(&mut self, painter: &mut Painter<'a>, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        font.show(bytes, |shown| {
            let state = &self.state;
            let space = if shown.is_space { state.word_space } else { 0.0 };
            let glyph_width = shown.width * state.size;
            let advance = glyph_width + state.character_space + space;
            let to_page = self.text.then(state.matrix);
            let direction = if font.is_vertical { (0.0, -1.0) } else { (1.0, 0.0) };
            let along = |distance: f64| {
                let horizontal_scale = if font.is_vertical { 1.0 } else { state.horizontal_scale };
                (distance * direction.0 * horizontal_scale, distance * direction.1)
            };
            let (dx, dy) = to_page.apply_distance(0.0, state.size * font.scale);
            let (end_x, end_y) = along(glyph_width);
            let text = match &mut self.replacement {
                Some(replacement) if replacement.is_given => "",
                Some(replacement) => {
                    replacement.is_given = true;
                    replacement.text.as_str()
                }
                None => shown.text.as_str(),
            };
            // Mirrored text keeps its writing direction.
            let sign = if state.size < 0.0 { -1.0 } else { 1.0 };
            painter.layout.add(&Glyph {
                text,
                start: to_page.apply(0.0, state.rise),
                end: to_page.apply(end_x, state.rise + end_y),
                direction: to_page.apply_distance(direction.0 * sign, direction.1 * sign),
                size: dx.hypot(dy),
            });
            let (x, y) = along(advance);
            self.text = Matrix::translation(x, y).then(self.text);
        });
    }

    /// Applies a graphics state of the resources, which may set the font.
    fn set_state(&mut self, painter: &mut Painter<'a>, operands: &[Operand]) {
        let [Operand::Name(name)] = operands else { return };
        let document = painter.document;
        let found = entry(document, self.resources, b"ExtGState", name);
        let Some(Ok(dictionary)) = found.map(Object::as_dict) else { return };
        if let Ok(Object::Array(font)) =
            dictionary.get(b"Font").map(|font| resolved(document, font))
            && let [font, size] = font.as_slice()
            && let Ok(font) = resolved(document, font).as_dict()
        {
            self.state.font = Some(painter.font_of(font));
            self.state.size = to_float(resolved(document, size));
        }
    }

    fn form(&mut self, painter: &mut Painter<'a>, operands: &[Operand]) {
        let [Operand::Name(name)] = operands else { return };
        let document = painter.document;
        let Some(Object::Stream(stream)) = entry(document, self.resources, b"XObject", name) else {
            return;
        };
        let is_form = stream.dict.get(b"Subtype").map(|kind| resolved(document, kind));
        let is_form = is_form.is_ok_and(|kind| kind.as_name().is_ok_and(|name| name == b"Form"));
        if !is_form || self.depth >= MAX_FORMS {
            return;
        }
        let matrix = form_matrix(document, &stream.dict).then(self.state.matrix);
        let own = stream.dict.get(b"Resources").map(|own| resolved(document, own));
        let own = own.ok().and_then(|own| own.as_dict().ok());
        // Decompression costs as much as many operators.
        painter.n_operators += 1000;
        let bytes = data(document, stream);
        painter.content(&bytes, own.or(self.resources), matrix, self.depth + 1);
    }

    fn begin_mark(&mut self, painter: &Painter<'a>, operands: &[Operand]) {
        self.n_marks += 1;
        let text = match operands {
            [_, Operand::Dictionary(list)] => {
                let mut pairs = list.chunks(2);
                pairs.find_map(|pair| match pair {
                    [Operand::Name(key), Operand::String(text)] if key == b"ActualText" => {
                        Some(text.as_slice())
                    }
                    _ => None,
                })
            }
            [_, Operand::Name(name)] => {
                let found = entry(painter.document, self.resources, b"Properties", name);
                let found = found.and_then(|found| found.as_dict().ok());
                let text = found.and_then(|found| found.get(b"ActualText").ok());
                text.and_then(|text| resolved(painter.document, text).as_str().ok())
            }
            _ => None,
        };
        if let Some(text) = text
            && self.replacement.is_none()
        {
            let text = text_string(text);
            self.replacement = Some(ActualText { depth: self.n_marks, text, is_given: false });
        }
    }
}

impl Operand {
    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            _ => None,
        }
    }
}

fn form_matrix(document: &PdfFile, form: &Dictionary) -> Matrix {
    let Ok(Object::Array(numbers)) = form.get(b"Matrix").map(|matrix| resolved(document, matrix))
    else {
        return Matrix::IDENTITY;
    };
    let numbers: Vec<f64> =
        numbers.iter().map(|number| to_float(resolved(document, number))).collect();
    <[f64; 6]>::try_from(numbers).map_or(Matrix::IDENTITY, Matrix)
}

/// Decodes a text string.
fn text_string(bytes: &[u8]) -> String {
    if let Some(rest) = bytes.strip_prefix(&[0xfe, 0xff]) {
        return encoding_rs::UTF_16BE.decode_without_bom_handling(rest).0.into_owned();
    }
    if let Some(rest) = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]) {
        return String::from_utf8_lossy(rest).into_owned();
    }
    bytes.iter().filter_map(|&byte| Encoding::WinAnsi.text(byte)).collect()
}
