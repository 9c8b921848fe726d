//! The PostScript interpreter, with limits: stacks, names, and single steps.
//!
//! Procedures run on a separate stack of frames, so that depth costs only memory. An error outside of
//! `stopped` ends the procedure, and the program continues with its next token: a page with an error
//! is better than none.

use std::collections::HashMap;
use std::rc::Rc;

use super::graphics::Graphics;
use super::scanner::{PostScriptToken, word};
use super::value::{Array, Dict, File, Key, Symbol, Text, Value};
use super::widths::Widths;
use super::{arrays, control, dicts, drawing, files, fonts, math, show, stacks};
use crate::format::print::typesetting::layout::Layout;

/// Maximum steps of a program: a base, plus a number for each byte.
const MAX_STEPS: u64 = 5_000_000;
const STEPS_PER_BYTE: u64 = 100;

/// Maximum values on a stack, and frames of procedures.
const MAX_VALUES: usize = 200_000;

/// Maximum bytes of all strings, arrays and dictionaries of a program.
const MAX_BYTES: usize = 768 << 20;

/// Maximum errors outside of `stopped`; then the program is aborted.
const MAX_ERRORS: usize = 2000;

/// Maximum nested runs: glyphs drawn by procedures, data of images.
const MAX_RUNS: usize = 8;

/// Why an operator did not complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unwind {
    /// The error with this name.
    Error(&'static str),
    /// Leave the innermost loop.
    Exit,
    /// Leave the innermost `stopped`.
    Stop,
    /// The width of a glyph is known; the rest of it is not needed.
    Width,
    /// End the program.
    Quit,
    /// A limit was reached, by name.
    Limit(&'static str),
}

pub(super) type OperatorResult = Result<(), Unwind>;

/// A frame of execution.
pub(super) enum Frame {
    Procedure(Array, usize),
    Source(Rc<File>),
    For {
        at: f64,
        step: f64,
        limit: f64,
        is_int: bool,
        body: Array,
    },
    Repeat {
        left: i64,
        body: Array,
    },
    Loop {
        body: Array,
    },
    Items {
        items: Vec<Value>,
        at: usize,
        width: usize,
        body: Array,
    },
    Stopped,
    /// End of a nested run.
    End,
}

pub(super) struct Machine {
    pub(super) stack: Vec<Value>,
    pub(super) dicts: Vec<Dict>,
    pub(super) frames: Vec<Frame>,
    pub(super) system: Dict,
    pub(super) fonts: Dict,
    pub(super) graphics: Graphics,
    pub(super) saved: Vec<Graphics>,
    pub(super) layout: Layout,
    /// Whether glyphs are only measured, not shown.
    pub(super) is_measuring: usize,
    pub(super) measured: Option<(f64, f64)>,
    /// Widths of glyphs drawn by procedures.
    pub(super) widths: Widths,
    pub(super) random: u32,
    symbols: HashMap<Rc<[u8]>, Symbol>,
    names: Vec<Rc<[u8]>>,
    n_steps: u64,
    max_steps: u64,
    n_bytes: usize,
    n_runs: usize,
    max_text: usize,
}

impl Machine {
    pub(super) fn new(max_text: usize) -> Self {
        let mut machine = Self {
            stack: Vec::new(),
            dicts: Vec::new(),
            frames: Vec::new(),
            system: Dict::default(),
            fonts: Dict::default(),
            graphics: Graphics::default(),
            saved: Vec::new(),
            layout: Layout::default(),
            is_measuring: 0,
            measured: None,
            widths: Widths::default(),
            random: 1,
            symbols: HashMap::new(),
            names: Vec::new(),
            n_steps: 0,
            max_steps: MAX_STEPS,
            n_bytes: 0,
            n_runs: 0,
            max_text,
        };
        let tables = [
            stacks::OPERATORS,
            math::OPERATORS,
            arrays::OPERATORS,
            dicts::OPERATORS,
            control::OPERATORS,
            files::OPERATORS,
            drawing::OPERATORS,
            fonts::OPERATORS,
            show::OPERATORS,
        ];
        for (name, operator) in tables.into_iter().flatten() {
            machine.define_in_system(name, Value::Operator(*operator));
        }
        let system = Rc::clone(&machine.system);
        let (user, global) = (Dict::default(), Dict::default());
        let fonts = Rc::clone(&machine.fonts);
        for (name, dict) in [
            ("systemdict", Rc::clone(&system)),
            ("userdict", Rc::clone(&user)),
            ("globaldict", Rc::clone(&global)),
            ("statusdict", Dict::default()),
            ("errordict", Dict::default()),
            ("$error", Dict::default()),
            ("FontDirectory", Rc::clone(&fonts)),
            ("GlobalFontDirectory", fonts),
        ] {
            machine.define_in_system(name, Value::Dict(dict));
        }
        machine.define_in_system("true", Value::Bool(true));
        machine.define_in_system("false", Value::Bool(false));
        machine.define_in_system("null", Value::Null);
        machine.define_in_system("languagelevel", Value::Int(3));
        fonts::define_encodings(&mut machine);
        machine.dicts = vec![system, global, user];
        machine
    }

    pub(super) fn define_in_system(&mut self, name: &str, value: Value) {
        let key = Key::Name(self.symbol(name.as_bytes()));
        self.system.borrow_mut().insert(key, value);
    }

    /// Returns the symbol of a name.
    pub(super) fn symbol(&mut self, name: &[u8]) -> Symbol {
        if let Some(&symbol) = self.symbols.get(name) {
            return symbol;
        }
        let name: Rc<[u8]> = name.into();
        let symbol = Symbol::try_from(self.names.len()).unwrap_or(Symbol::MAX);
        self.n_bytes += name.len() + 64;
        self.names.push(Rc::clone(&name));
        self.symbols.insert(name, symbol);
        symbol
    }

    /// Returns the name of a symbol.
    pub(super) fn name(&self, symbol: Symbol) -> Rc<[u8]> {
        self.names.get(symbol as usize).cloned().unwrap_or_default()
    }

    pub(super) fn name_value(&mut self, name: &[u8]) -> Value {
        Value::Name(self.symbol(name), false)
    }

    /// Counts memory that a program allocates.
    pub(super) fn take_bytes(&mut self, n_bytes: usize) -> OperatorResult {
        self.n_bytes = self.n_bytes.saturating_add(n_bytes);
        if self.n_bytes > MAX_BYTES { Err(Unwind::Limit("memory")) } else { Ok(()) }
    }

    /// Runs `program` to its end. The layout receives its text.
    pub(super) fn run_program(&mut self, program: &[u8]) -> OperatorResult {
        self.max_steps = MAX_STEPS + STEPS_PER_BYTE * program.len() as u64;
        self.frames.push(Frame::Source(File::new(program)));
        for _ in 0..MAX_ERRORS {
            match self.run_until(0) {
                Ok(()) | Err(Unwind::Quit) => return Ok(()),
                Err(limit @ Unwind::Limit(_)) => return Err(limit),
                Err(_) => {
                    // The program continues after the token that failed.
                    let is_source = |frame: &Frame| matches!(frame, Frame::Source(_));
                    let depth = self.frames.iter().rposition(is_source).map_or(0, |at| at + 1);
                    self.frames.truncate(depth);
                    self.n_runs = 0;
                    self.is_measuring = 0;
                    if self.stack.len() > MAX_VALUES / 2 {
                        self.stack.clear();
                    }
                }
            }
        }
        Ok(())
    }

    /// Runs `body` to its end, within an operator.
    pub(super) fn run(&mut self, body: Value) -> OperatorResult {
        if self.n_runs >= MAX_RUNS {
            return Err(Unwind::Error("limitcheck"));
        }
        self.n_runs += 1;
        let depth = self.frames.len();
        self.frames.push(Frame::End);
        let done = self.execute(body).and_then(|()| self.run_until(depth));
        self.frames.truncate(depth);
        self.n_runs = self.n_runs.saturating_sub(1);
        done
    }

    /// Runs until at most `depth` frames are left.
    fn run_until(&mut self, depth: usize) -> OperatorResult {
        while self.frames.len() > depth {
            self.n_steps += 1;
            if self.n_steps > self.max_steps {
                return Err(Unwind::Limit("steps"));
            }
            if self.layout.n_bytes() > self.max_text {
                return Err(Unwind::Quit);
            }
            if self.stack.len() > MAX_VALUES || self.frames.len() > MAX_VALUES {
                return Err(Unwind::Limit("depth"));
            }
            match self.step() {
                Ok(()) => {}
                Err(unwind_reason) => self.unwind(unwind_reason, depth)?,
            }
        }
        Ok(())
    }

    /// Pops frames until one handles the unwinding.
    fn unwind(&mut self, unwind_reason: Unwind, depth: usize) -> OperatorResult {
        let is_target = |frame: &Frame| match unwind_reason {
            Unwind::Exit => matches!(
                frame,
                Frame::For { .. } | Frame::Repeat { .. } | Frame::Loop { .. } | Frame::Items { .. }
            ),
            Unwind::Error(_) | Unwind::Stop => matches!(frame, Frame::Stopped),
            _ => false,
        };
        let target = self.frames.iter().rposition(is_target);
        match target {
            Some(index) if index >= depth => {
                self.frames.truncate(index);
                if unwind_reason != Unwind::Exit {
                    if let Unwind::Error(name) = unwind_reason {
                        self.note_error(name);
                    }
                    self.stack.push(Value::Bool(true));
                }
                Ok(())
            }
            _ => Err(unwind_reason),
        }
    }

    /// Records an error for programs that query it.
    fn note_error(&mut self, name: &str) {
        let error = Key::Name(self.symbol(b"$error"));
        let found = self.system.borrow().get(&error).cloned();
        if let Some(Value::Dict(dict)) = found {
            let key = Key::Name(self.symbol(b"errorname"));
            let value = self.name_value(name.as_bytes());
            dict.borrow_mut().insert(key, value);
        }
    }

    /// Runs one step.
    fn step(&mut self) -> OperatorResult {
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let next = match frame {
            Frame::Procedure(body, at) => {
                let value = body.get(*at);
                *at += 1;
                let is_last = *at >= body.length;
                if value.is_none() || is_last {
                    // Pops the frame before its last token runs: a procedure may end by calling itself.
                    self.frames.pop();
                }
                let Some(value) = value else { return Ok(()) };
                return match value {
                    // A nested procedure is pushed, not run.
                    Value::Array(..) => self.push(value),
                    value => self.execute(value),
                };
            }
            Frame::Source(file) => {
                let file = Rc::clone(file);
                match self.next_value(&file)? {
                    Some(value) => {
                        return match value {
                            Value::Array(..) => self.push(value),
                            value => self.execute(value),
                        };
                    }
                    None => {
                        self.frames.pop();
                        return Ok(());
                    }
                }
            }
            Frame::For { at, step, limit, is_int, body } => {
                let is_over = if *step < 0.0 { *at < *limit } else { *at > *limit };
                if is_over {
                    None
                } else {
                    #[expect(clippy::cast_possible_truncation, reason = "it was a whole number")]
                    let value = if *is_int { Value::Int(*at as i64) } else { Value::Real(*at) };
                    *at += *step;
                    Some((vec![value], body.clone()))
                }
            }
            Frame::Repeat { left, body } => {
                *left -= 1;
                (*left >= 0).then(|| (Vec::new(), body.clone()))
            }
            Frame::Loop { body } => Some((Vec::new(), body.clone())),
            Frame::Items { items, at, width, body } => {
                let values = items.get(*at..*at + *width).map(<[Value]>::to_vec);
                *at += *width;
                values.map(|values| (values, body.clone()))
            }
            Frame::Stopped => {
                self.frames.pop();
                return self.push(Value::Bool(false));
            }
            Frame::End => None,
        };
        match next {
            Some((values, body)) => {
                self.stack.extend(values);
                if body.length > 0 {
                    self.frames.push(Frame::Procedure(body, 0));
                }
            }
            None => {
                self.frames.pop();
            }
        }
        Ok(())
    }

    /// Executes `value`: runs procedures, looks up names, pushes everything else.
    pub(super) fn execute(&mut self, value: Value) -> OperatorResult {
        match value {
            Value::Operator(operator) => operator(self),
            Value::Name(symbol, true) => {
                let found = self.look_up(symbol).ok_or(Unwind::Error("undefined"))?;
                match found {
                    Value::Operator(operator) => operator(self),
                    Value::Array(body, true) => self.call(body),
                    Value::Name(other, true) if other != symbol => {
                        self.call(Array::new(vec![Value::Name(other, true)]))
                    }
                    value => self.push(value),
                }
            }
            Value::Array(body, true) => self.call(body),
            value => self.push(value),
        }
    }

    fn call(&mut self, body: Array) -> OperatorResult {
        if body.length > 0 {
            self.frames.push(Frame::Procedure(body, 0));
        }
        Ok(())
    }

    pub(super) fn look_up(&self, symbol: Symbol) -> Option<Value> {
        let key = Key::Name(symbol);
        self.dicts.iter().rev().find_map(|dict| dict.borrow().get(&key).cloned())
    }

    /// Reads the next value of a source; reads procedures as a whole.
    pub(super) fn next_value(&mut self, file: &Rc<File>) -> Result<Option<Value>, Unwind> {
        let mut open: Vec<Vec<Value>> = Vec::new();
        loop {
            let Some(word) = word(file) else { return Ok(None) };
            self.take_bytes(40)?;
            let value = match word {
                PostScriptToken::Int(number) => Value::Int(number),
                PostScriptToken::Real(number) => Value::Real(number),
                PostScriptToken::Text(bytes) => {
                    self.take_bytes(bytes.len())?;
                    Value::Text(Text::new(bytes))
                }
                PostScriptToken::Name(name) => Value::Name(self.symbol(&name), true),
                PostScriptToken::Literal(name, false) => self.name_value(&name),
                PostScriptToken::Literal(name, true) => {
                    let symbol = self.symbol(&name);
                    self.look_up(symbol).ok_or(Unwind::Error("undefined"))?
                }
                PostScriptToken::Open => {
                    if open.len() > MAX_VALUES {
                        return Err(Unwind::Limit("depth"));
                    }
                    open.push(Vec::new());
                    continue;
                }
                PostScriptToken::Close => match open.pop() {
                    Some(items) => Value::Array(Array::new(items), true),
                    None => return Err(Unwind::Error("syntaxerror")),
                },
            };
            match open.last_mut() {
                Some(items) => items.push(value),
                None => return Ok(Some(value)),
            }
        }
    }

    pub(super) fn push(&mut self, value: Value) -> OperatorResult {
        self.stack.push(value);
        Ok(())
    }

    pub(super) fn pop(&mut self) -> Result<Value, Unwind> {
        self.stack.pop().ok_or(Unwind::Error("stackunderflow"))
    }

    pub(super) fn pop_number(&mut self) -> Result<f64, Unwind> {
        self.pop()?.number().ok_or(Unwind::Error("typecheck"))
    }

    pub(super) fn pop_int(&mut self) -> Result<i64, Unwind> {
        match self.pop()? {
            Value::Int(number) => Ok(number),
            #[expect(clippy::cast_possible_truncation, reason = "it is a whole number")]
            Value::Real(number) if number.fract() == 0.0 => Ok(number as i64),
            _ => Err(Unwind::Error("typecheck")),
        }
    }

    pub(super) fn pop_index(&mut self) -> Result<usize, Unwind> {
        usize::try_from(self.pop_int()?).map_err(|_| Unwind::Error("rangecheck"))
    }

    pub(super) fn pop_bool(&mut self) -> Result<bool, Unwind> {
        match self.pop()? {
            Value::Bool(value) => Ok(value),
            _ => Err(Unwind::Error("typecheck")),
        }
    }

    pub(super) fn pop_text(&mut self) -> Result<Text, Unwind> {
        match self.pop()? {
            Value::Text(text) => Ok(text),
            _ => Err(Unwind::Error("typecheck")),
        }
    }

    pub(super) fn pop_array(&mut self) -> Result<Array, Unwind> {
        match self.pop()? {
            Value::Array(array, _) => Ok(array),
            _ => Err(Unwind::Error("typecheck")),
        }
    }

    pub(super) fn pop_dict(&mut self) -> Result<Dict, Unwind> {
        match self.pop()? {
            Value::Dict(dict) => Ok(dict),
            _ => Err(Unwind::Error("typecheck")),
        }
    }

    pub(super) fn pop_file(&mut self) -> Result<Rc<File>, Unwind> {
        match self.pop()? {
            Value::File(file) => Ok(file),
            _ => Err(Unwind::Error("typecheck")),
        }
    }

    /// Converts a value to a key.
    pub(super) fn key(&mut self, value: &Value) -> Result<Key, Unwind> {
        match value {
            Value::Name(symbol, _) => Ok(Key::Name(*symbol)),
            Value::Int(number) => Ok(Key::Int(*number)),
            #[expect(clippy::cast_possible_truncation, reason = "keys that are numbers are whole")]
            Value::Real(number) => Ok(Key::Int(*number as i64)),
            Value::Bool(value) => Ok(Key::Bool(*value)),
            Value::Text(text) => Ok(Key::Name(self.symbol(&text.to_vec()))),
            _ => Err(Unwind::Error("typecheck")),
        }
    }

    /// Returns the entry `name` of `dict`.
    pub(super) fn entry(&mut self, dict: &Dict, name: &str) -> Option<Value> {
        let key = Key::Name(self.symbol(name.as_bytes()));
        dict.borrow().get(&key).cloned()
    }

    pub(super) fn set_entry(&mut self, dict: &Dict, name: &str, value: Value) {
        let key = Key::Name(self.symbol(name.as_bytes()));
        dict.borrow_mut().insert(key, value);
    }
}
