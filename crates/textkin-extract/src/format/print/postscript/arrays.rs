//! Operators on arrays and strings, and on types of values.

use super::machine::{Machine, OperatorResult, Unwind};
use super::stacks::mark;
use super::value::{Array, Key, Operator, Text, Value};

/// Maximum elements of one array or bytes of one string.
const MAX_LENGTH: usize = 16 << 20;

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("array", |m| {
        let length = m.pop_index()?;
        let array = new_array(m, length)?;
        m.push(Value::Array(array, false))
    }),
    ("string", |m| {
        let length = m.pop_index()?;
        let length = checked(m, length, 1)?;
        m.push(Value::text(vec![0; length]))
    }),
    ("[", |m| m.push(Value::Mark)),
    ("]", |m| {
        let items = above_mark(m)?;
        m.push(Value::Array(Array::new(items), false))
    }),
    ("packedarray", |m| {
        let count = m.pop_index()?;
        let start = m.stack.len().checked_sub(count).ok_or(Unwind::Error("stackunderflow"))?;
        let items = m.stack.split_off(start);
        m.push(Value::Array(Array::new(items), false))
    }),
    ("setpacking", |m| m.pop().map(drop)),
    ("currentpacking", |m| m.push(Value::Bool(false))),
    ("length", length),
    ("get", get),
    ("put", put),
    ("getinterval", part),
    ("putinterval", put_part),
    ("aload", |m| {
        let value = m.pop()?;
        let Value::Array(array, _) = &value else { return Err(Unwind::Error("typecheck")) };
        m.take_bytes(array.length * 32)?;
        m.stack.extend(array.to_vec());
        m.push(value)
    }),
    ("astore", |m| {
        let value = m.pop()?;
        let Value::Array(array, _) = &value else { return Err(Unwind::Error("typecheck")) };
        for index in (0..array.length).rev() {
            let item = m.pop()?;
            array.put(index, item);
        }
        m.push(value)
    }),
    ("search", |m| search(m, false)),
    ("anchorsearch", |m| search(m, true)),
    ("type", |m| {
        let name = m.pop()?.type_name();
        let symbol = m.symbol(name.as_bytes());
        m.push(Value::Name(symbol, true))
    }),
    ("xcheck", |m| {
        let is_executable = m.pop()?.is_executable();
        m.push(Value::Bool(is_executable))
    }),
    ("cvx", |m| match m.pop()? {
        Value::Name(symbol, _) => m.push(Value::Name(symbol, true)),
        Value::Array(array, _) => m.push(Value::Array(array, true)),
        // Programs in strings are parsed at once and run when called.
        Value::Text(text) => {
            let file = super::value::File::new(&text.to_vec());
            let mut items = Vec::new();
            while let Some(value) = m.next_value(&file)? {
                items.push(value);
            }
            m.push(Value::Array(Array::new(items), true))
        }
        value => m.push(value),
    }),
    ("cvlit", |m| match m.pop()? {
        Value::Name(symbol, _) => m.push(Value::Name(symbol, false)),
        Value::Array(array, _) => m.push(Value::Array(array, false)),
        value => m.push(value),
    }),
    ("cvn", |m| {
        let text = m.pop_text()?.to_vec();
        let name = m.name_value(&text);
        m.push(name)
    }),
    ("cvs", |m| {
        let target = m.pop_text()?;
        let value = m.pop()?;
        let text = written(m, &value);
        write_into(m, &target, &text)
    }),
    ("cvrs", |m| {
        let target = m.pop_text()?;
        let base = m.pop_int()?;
        let number = m.pop_number()?;
        let text = in_base(number, base).ok_or(Unwind::Error("rangecheck"))?;
        write_into(m, &target, text.as_bytes())
    }),
    ("readonly", |_| Ok(())),
    ("executeonly", |_| Ok(())),
    ("noaccess", |_| Ok(())),
    ("rcheck", |m| {
        m.pop()?;
        m.push(Value::Bool(true))
    }),
    ("wcheck", |m| {
        m.pop()?;
        m.push(Value::Bool(true))
    }),
];

fn checked(machine: &mut Machine, length: usize, width: usize) -> Result<usize, Unwind> {
    if length > MAX_LENGTH / width {
        return Err(Unwind::Limit("memory"));
    }
    machine.take_bytes(length * width)?;
    Ok(length)
}

pub(super) fn new_array(machine: &mut Machine, length: usize) -> Result<Array, Unwind> {
    let length = checked(machine, length, 16)?;
    machine.take_bytes(length * 16)?;
    Ok(Array::new(vec![Value::Null; length]))
}

/// Pops the values above the last mark, and the mark.
pub(super) fn above_mark(machine: &mut Machine) -> Result<Vec<Value>, Unwind> {
    let position = mark(machine)?;
    let items = machine.stack.split_off(position + 1);
    machine.stack.truncate(position);
    machine.take_bytes(items.len() * 32)?;
    Ok(items)
}

fn length(machine: &mut Machine) -> OperatorResult {
    let length = match machine.pop()? {
        Value::Array(array, _) => array.length,
        Value::Text(text) => text.length,
        Value::Dict(dict) => dict.borrow().len(),
        Value::Name(symbol, _) => machine.name(symbol).len(),
        _ => return Err(Unwind::Error("typecheck")),
    };
    machine.push(Value::Int(i64::try_from(length).unwrap_or(i64::MAX)))
}

fn get(machine: &mut Machine) -> OperatorResult {
    let index = machine.pop()?;
    let value = match machine.pop()? {
        Value::Dict(dict) => {
            let key = machine.key(&index)?;
            let found = dict.borrow().get(&key).cloned();
            found.ok_or(Unwind::Error("undefined"))?
        }
        Value::Array(array, _) => {
            array.get(to_index(&index)?).ok_or(Unwind::Error("rangecheck"))?
        }
        Value::Text(text) => {
            let byte = text.get(to_index(&index)?).ok_or(Unwind::Error("rangecheck"))?;
            Value::Int(i64::from(byte))
        }
        _ => return Err(Unwind::Error("typecheck")),
    };
    machine.push(value)
}

fn to_index(value: &Value) -> Result<usize, Unwind> {
    match value {
        Value::Int(number) => usize::try_from(*number).map_err(|_| Unwind::Error("rangecheck")),
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "`as` saturates"
        )]
        Value::Real(number) if *number >= 0.0 => Ok(*number as usize),
        _ => Err(Unwind::Error("typecheck")),
    }
}

fn put(machine: &mut Machine) -> OperatorResult {
    let value = machine.pop()?;
    let index = machine.pop()?;
    match machine.pop()? {
        Value::Dict(dict) => {
            let key = machine.key(&index)?;
            machine.take_bytes(64)?;
            dict.borrow_mut().insert(key, value);
            Ok(())
        }
        Value::Array(array, _) => {
            array.put(to_index(&index)?, value).ok_or(Unwind::Error("rangecheck"))
        }
        Value::Text(text) => {
            let byte = match value {
                Value::Int(number) => number.to_le_bytes()[0],
                _ => return Err(Unwind::Error("typecheck")),
            };
            text.write(to_index(&index)?, &[byte]).ok_or(Unwind::Error("rangecheck"))
        }
        _ => Err(Unwind::Error("typecheck")),
    }
}

fn part(machine: &mut Machine) -> OperatorResult {
    let length = machine.pop_index()?;
    let start = machine.pop_index()?;
    let value = match machine.pop()? {
        Value::Array(array, is_procedure) => {
            array.part(start, length).map(|part| Value::Array(part, is_procedure))
        }
        Value::Text(text) => text.part(start, length).map(Value::Text),
        _ => return Err(Unwind::Error("typecheck")),
    };
    machine.push(value.ok_or(Unwind::Error("rangecheck"))?)
}

fn put_part(machine: &mut Machine) -> OperatorResult {
    let source = machine.pop()?;
    let start = machine.pop_index()?;
    write_values(&machine.pop()?, start, &source)
}

fn write_values(target: &Value, start: usize, source: &Value) -> OperatorResult {
    match (target, source) {
        (Value::Text(target), Value::Text(source)) => {
            target.write(start, &source.to_vec()).ok_or(Unwind::Error("rangecheck"))
        }
        (Value::Array(target, _), Value::Array(source, _)) => {
            for (index, item) in source.to_vec().into_iter().enumerate() {
                target.put(start + index, item).ok_or(Unwind::Error("rangecheck"))?;
            }
            Ok(())
        }
        _ => Err(Unwind::Error("typecheck")),
    }
}

/// `copy` of arrays, strings and dictionaries; `target` is the last operand.
pub(super) fn copy_into(machine: &mut Machine, target: &Value) -> OperatorResult {
    let source = machine.pop()?;
    match (&source, target) {
        (Value::Dict(source), Value::Dict(target)) => {
            let entries: Vec<(Key, Value)> =
                source.borrow().iter().map(|(key, value)| (*key, value.clone())).collect();
            machine.take_bytes(entries.len() * 64)?;
            target.borrow_mut().extend(entries);
            machine.push(Value::Dict(target.clone()))
        }
        (Value::Array(items, _), Value::Array(array, is_procedure)) => {
            write_values(target, 0, &source)?;
            let part = array.part(0, items.length).ok_or(Unwind::Error("rangecheck"))?;
            machine.push(Value::Array(part, *is_procedure))
        }
        (Value::Text(text), Value::Text(buffer)) => {
            write_values(target, 0, &source)?;
            let part = buffer.part(0, text.length).ok_or(Unwind::Error("rangecheck"))?;
            machine.push(Value::Text(part))
        }
        _ => Err(Unwind::Error("typecheck")),
    }
}

fn search(machine: &mut Machine, is_anchored: bool) -> OperatorResult {
    let wanted = machine.pop_text()?.to_vec();
    let text = machine.pop_text()?;
    let bytes = text.to_vec();
    let found = if is_anchored {
        bytes.starts_with(&wanted).then_some(0)
    } else {
        memchr::memmem::find(&bytes, &wanted)
    };
    let Some(position) = found else {
        machine.push(Value::Text(text))?;
        return machine.push(Value::Bool(false));
    };
    let end = position + wanted.len();
    let parts = [(end, bytes.len() - end), (position, wanted.len()), (0, position)];
    for (start, length) in parts.into_iter().take(if is_anchored { 2 } else { 3 }) {
        let part = text.part(start, length).ok_or(Unwind::Error("rangecheck"))?;
        machine.push(Value::Text(part))?;
    }
    machine.push(Value::Bool(true))
}

fn write_into(machine: &mut Machine, target: &Text, text: &[u8]) -> OperatorResult {
    target.write(0, text).ok_or(Unwind::Error("rangecheck"))?;
    let part = target.part(0, text.len()).ok_or(Unwind::Error("rangecheck"))?;
    machine.push(Value::Text(part))
}

/// Formats a value as text.
pub(super) fn written(machine: &Machine, value: &Value) -> Vec<u8> {
    match value {
        Value::Int(number) => number.to_string().into_bytes(),
        Value::Real(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
            format!("{number:.1}").into_bytes()
        }
        #[expect(clippy::cast_possible_truncation, reason = "programs print few digits")]
        Value::Real(number) => (*number as f32).to_string().into_bytes(),
        Value::Bool(value) => value.to_string().into_bytes(),
        Value::Name(symbol, _) => machine.name(*symbol).to_vec(),
        Value::Text(text) => text.to_vec(),
        _ => b"--nostringval--".to_vec(),
    }
}

fn in_base(number: f64, base: i64) -> Option<String> {
    let base = u64::try_from(base).ok().filter(|base| (2..=36).contains(base))?;
    if base == 10 {
        return Some(if number.fract() == 0.0 {
            format!("{number:.0}")
        } else {
            number.to_string()
        });
    }
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
    let whole = number as i64;
    // Negative numbers are written as 32-bit patterns.
    let mut rest = u64::try_from(whole).unwrap_or((whole & 0xffff_ffff).unsigned_abs());
    let mut digits = Vec::new();
    loop {
        let digit = u32::try_from(rest % base).ok()?;
        digits.push(char::from_digit(digit, 36)?.to_ascii_uppercase());
        rest /= base;
        if rest == 0 {
            break;
        }
    }
    Some(digits.into_iter().rev().collect())
}
