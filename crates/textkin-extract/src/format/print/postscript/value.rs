//! Values of a PostScript program: numbers, names, strings, arrays, dictionaries, files.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::machine::{Machine, Unwind};

/// The implementation of an operator.
pub(super) type Operator = fn(&mut Machine) -> Result<(), Unwind>;

/// An interned name.
pub(super) type Symbol = u32;

/// A value.
#[derive(Clone)]
pub(super) enum Value {
    Null,
    Mark,
    Bool(bool),
    Int(i64),
    Real(f64),
    /// The name, and whether it is executable.
    Name(Symbol, bool),
    Text(Text),
    /// The elements, and whether they are a procedure.
    Array(Array, bool),
    Dict(Dict),
    Operator(Operator),
    File(Rc<File>),
    Save(usize),
}

/// An array or a slice of one; slices share the elements.
#[derive(Clone)]
pub(super) struct Array {
    pub(super) items: Rc<RefCell<Vec<Value>>>,
    pub(super) start: usize,
    pub(super) length: usize,
}

/// A string or a slice of one; slices share the bytes.
#[derive(Clone)]
pub(super) struct Text {
    pub(super) bytes: Rc<RefCell<Vec<u8>>>,
    pub(super) start: usize,
    pub(super) length: usize,
}

pub(super) type Dict = Rc<RefCell<BTreeMap<Key, Value>>>;

/// The key of a dictionary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Name(Symbol),
    Int(i64),
    Bool(bool),
}

/// Bytes that are read sequentially.
pub(super) struct File {
    pub(super) bytes: Rc<[u8]>,
    pub(super) at: Cell<usize>,
}

impl File {
    pub(super) fn new(bytes: &[u8]) -> Rc<Self> {
        Rc::new(Self { bytes: bytes.into(), at: Cell::new(0) })
    }

    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.at.get()..).unwrap_or_default()
    }

    pub(super) fn next(&self) -> Option<u8> {
        let byte = self.bytes.get(self.at.get()).copied()?;
        self.at.set(self.at.get() + 1);
        Some(byte)
    }

    pub(super) fn skip(&self, n_bytes: usize) {
        self.at.set((self.at.get() + n_bytes).min(self.bytes.len()));
    }
}

impl Array {
    pub(super) fn new(items: Vec<Value>) -> Self {
        let length = items.len();
        Self { items: Rc::new(RefCell::new(items)), start: 0, length }
    }

    pub(super) fn get(&self, index: usize) -> Option<Value> {
        if index >= self.length {
            return None;
        }
        self.items.borrow().get(self.start + index).cloned()
    }

    pub(super) fn put(&self, index: usize, value: Value) -> Option<()> {
        if index >= self.length {
            return None;
        }
        *self.items.borrow_mut().get_mut(self.start + index)? = value;
        Some(())
    }

    pub(super) fn part(&self, start: usize, length: usize) -> Option<Self> {
        (start.checked_add(length)? <= self.length).then(|| Self {
            items: Rc::clone(&self.items),
            start: self.start + start,
            length,
        })
    }

    pub(super) fn to_vec(&self) -> Vec<Value> {
        let items = self.items.borrow();
        items.get(self.start..self.start + self.length).unwrap_or_default().to_vec()
    }
}

impl Text {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        let length = bytes.len();
        Self { bytes: Rc::new(RefCell::new(bytes)), start: 0, length }
    }

    pub(super) fn to_vec(&self) -> Vec<u8> {
        let bytes = self.bytes.borrow();
        bytes.get(self.start..self.start + self.length).unwrap_or_default().to_vec()
    }

    pub(super) fn get(&self, index: usize) -> Option<u8> {
        if index >= self.length {
            return None;
        }
        self.bytes.borrow().get(self.start + index).copied()
    }

    /// Writes `new` at `index`, as far as it fits.
    pub(super) fn write(&self, index: usize, new: &[u8]) -> Option<()> {
        if index.checked_add(new.len())? > self.length {
            return None;
        }
        let mut bytes = self.bytes.borrow_mut();
        let start = self.start + index;
        bytes.get_mut(start..start + new.len())?.copy_from_slice(new);
        Some(())
    }

    pub(super) fn part(&self, start: usize, length: usize) -> Option<Self> {
        (start.checked_add(length)? <= self.length).then(|| Self {
            bytes: Rc::clone(&self.bytes),
            start: self.start + start,
            length,
        })
    }
}

impl Value {
    pub(super) fn text(bytes: Vec<u8>) -> Self {
        Self::Text(Text::new(bytes))
    }

    pub(super) fn dict() -> Self {
        Self::Dict(Dict::default())
    }

    pub(super) fn number(&self) -> Option<f64> {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "page coordinates are small")]
            Self::Int(number) => Some(*number as f64),
            Self::Real(number) => Some(*number),
            _ => None,
        }
    }

    pub(super) fn is_executable(&self) -> bool {
        matches!(self, Self::Name(_, true) | Self::Array(_, true) | Self::Operator(_))
    }

    /// Returns the PostScript type name.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Null => "nulltype",
            Self::Mark => "marktype",
            Self::Bool(_) => "booleantype",
            Self::Int(_) => "integertype",
            Self::Real(_) => "realtype",
            Self::Name(..) => "nametype",
            Self::Text(_) => "stringtype",
            Self::Array(..) => "arraytype",
            Self::Dict(_) => "dicttype",
            Self::Operator(_) => "operatortype",
            Self::File(_) => "filetype",
            Self::Save(_) => "savetype",
        }
    }
}
