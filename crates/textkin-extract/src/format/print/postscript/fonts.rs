//! Operators that find, define, scale and select fonts.

use std::rc::Rc;

use super::graphics::{matrix_of, matrix_value};
use super::machine::{Machine, OperatorResult, Unwind};
use super::value::{Array, Dict, Key, Operator, Value};
use crate::format::print::typesetting::encoding::Encoding;
use crate::format::print::typesetting::glyph::name_of;
use crate::format::print::typesetting::matrix::Matrix;

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("findfont", find_font),
    ("definefont", define_font),
    ("undefinefont", |m| m.pop().map(drop)),
    ("scalefont", |m| {
        let size = m.pop_number()?;
        let font = m.pop_dict()?;
        let scaled = transformed(m, &font, Matrix::scale(size, size));
        m.push(Value::Dict(scaled))
    }),
    ("makefont", |m| {
        let matrix = m.pop_matrix()?;
        let font = m.pop_dict()?;
        let scaled = transformed(m, &font, matrix);
        m.push(Value::Dict(scaled))
    }),
    ("setfont", |m| {
        m.graphics.font = Some(m.pop_dict()?);
        Ok(())
    }),
    ("selectfont", |m| {
        let size = m.pop()?;
        find_font(m)?;
        let font = m.pop_dict()?;
        let matrix = match &size {
            Value::Array(array, _) => matrix_of(array).ok_or(Unwind::Error("rangecheck"))?,
            other => {
                let size = other.number().ok_or(Unwind::Error("typecheck"))?;
                Matrix::scale(size, size)
            }
        };
        m.graphics.font = Some(transformed(m, &font, matrix));
        Ok(())
    }),
    ("currentfont", |m| {
        let font = m.graphics.font.as_ref().map(Rc::clone);
        m.push(font.map_or(Value::Null, Value::Dict))
    }),
    ("rootfont", |m| {
        let font = m.graphics.font.as_ref().map(Rc::clone);
        m.push(font.map_or(Value::Null, Value::Dict))
    }),
    ("findencoding", |m| {
        let name = m.pop()?;
        let Key::Name(symbol) = m.key(&name)? else { return Err(Unwind::Error("typecheck")) };
        let found = m.look_up(symbol).ok_or(Unwind::Error("undefined"))?;
        m.push(found)
    }),
];

/// Defines the standard encodings.
pub(super) fn define_encodings(machine: &mut Machine) {
    let encodings = [
        ("StandardEncoding", Encoding::Standard),
        ("ISOLatin1Encoding", Encoding::IsoLatin1),
        ("SymbolEncoding", Encoding::Symbol),
    ];
    for (name, encoding) in encodings {
        let names: Vec<Value> = (0..=255).map(|code| name_in(machine, encoding, code)).collect();
        machine.define_in_system(name, Value::Array(Array::new(names), false));
    }
}

fn name_in(machine: &mut Machine, encoding: Encoding, code: u8) -> Value {
    let mut characters = encoding.text(code).unwrap_or_default().chars();
    let name = match (characters.next(), characters.next()) {
        (Some('ﬁ'), None) => Some("fi".to_owned()),
        (Some('ﬂ'), None) => Some("fl".to_owned()),
        // The accents of the encoding, not the look-alike symbols.
        (Some('`'), None) if code >= 0x80 => Some("grave".to_owned()),
        (Some('−'), None) if encoding == Encoding::IsoLatin1 => Some("minus".to_owned()),
        (Some(character), None) => name_of(character),
        _ => None,
    };
    machine.name_value(name.as_deref().unwrap_or(".notdef").as_bytes())
}

/// Finds a defined font, or creates a substitute for a built-in one.
pub(super) fn find_font(machine: &mut Machine) -> OperatorResult {
    let name = machine.pop()?;
    let key = machine.key(&name)?;
    let found = machine.fonts.borrow().get(&key).cloned();
    if let Some(font) = found {
        return machine.push(font);
    }
    let text = super::arrays::written(machine, &name);
    let encoding = if text.starts_with(b"Symbol") { "SymbolEncoding" } else { "StandardEncoding" };
    let symbol = machine.symbol(encoding.as_bytes());
    let encoding = machine.look_up(symbol).unwrap_or(Value::Null);
    let font = Dict::default();
    let glyphs = Dict::default();
    if let Value::Array(names, _) = &encoding {
        for name in names.to_vec() {
            let key = machine.key(&name)?;
            glyphs.borrow_mut().insert(key, Value::Int(0));
        }
    }
    let box_of_glyphs = Array::new([-200, -250, 1200, 950].into_iter().map(Value::Int).collect());
    let entries = [
        ("FontType", Value::Int(1)),
        ("FontName", name),
        ("FontMatrix", matrix_value(Matrix::scale(0.001, 0.001))),
        ("FontBBox", Value::Array(box_of_glyphs, false)),
        ("Encoding", encoding),
        ("CharStrings", Value::Dict(glyphs)),
        ("FontInfo", Value::dict()),
        ("Private", Value::dict()),
        ("PaintType", Value::Int(0)),
    ];
    for (name, value) in entries {
        machine.set_entry(&font, name, value);
    }
    machine.take_bytes(8192)?;
    machine.fonts.borrow_mut().insert(key, Value::Dict(Rc::clone(&font)));
    machine.push(Value::Dict(font))
}

pub(super) fn define_font(machine: &mut Machine) -> OperatorResult {
    let font = machine.pop_dict()?;
    let name = machine.pop()?;
    let key = machine.key(&name)?;
    let number = machine.fonts.borrow().len();
    let number = Value::Int(i64::try_from(number).unwrap_or(0) + 1);
    machine.set_entry(&font, "FID", number);
    machine.fonts.borrow_mut().insert(key, Value::Dict(Rc::clone(&font)));
    machine.push(Value::Dict(font))
}

/// Returns a transformed copy of a font.
fn transformed(machine: &mut Machine, font: &Dict, matrix: Matrix) -> Dict {
    let own = match machine.entry(font, "FontMatrix") {
        Some(Value::Array(array, _)) => matrix_of(&array).unwrap_or(Matrix::scale(0.001, 0.001)),
        _ => Matrix::scale(0.001, 0.001),
    };
    let copy: Dict = Rc::new(std::cell::RefCell::new(font.borrow().clone()));
    machine.set_entry(&copy, "FontMatrix", matrix_value(own.then(matrix)));
    copy
}
