//! Operators on files: the program itself and data inside it; other files are not accessible.

use std::rc::Rc;

use super::filter;
use super::machine::{Frame, Machine, OperatorResult, Unwind};
use super::scanner::is_space;
use super::value::{Array, File, Operator, Value};
use crate::format::print::typesetting::type1::{EEXEC_KEY, decrypt};

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("currentfile", |m| {
        let found = m.frames.iter().rev().find_map(|frame| match frame {
            Frame::Source(file) => Some(Rc::clone(file)),
            _ => None,
        });
        m.push(Value::File(found.unwrap_or_else(|| File::new(b""))))
    }),
    ("file", |m| {
        m.pop()?;
        m.pop()?;
        Err(Unwind::Error("undefinedfilename"))
    }),
    ("run", |m| {
        m.pop()?;
        Err(Unwind::Error("undefinedfilename"))
    }),
    ("closefile", |m| m.pop().map(drop)),
    ("flushfile", |m| m.pop().map(drop)),
    ("resetfile", |m| m.pop().map(drop)),
    ("flush", |_| Ok(())),
    ("status", |m| {
        m.pop()?;
        m.push(Value::Bool(true))
    }),
    ("bytesavailable", |m| {
        let file = m.pop_file()?;
        let n_bytes = i64::try_from(file.rest().len()).unwrap_or(i64::MAX);
        m.push(Value::Int(n_bytes))
    }),
    ("read", |m| {
        let file = m.pop_file()?;
        if let Some(byte) = file.next() {
            m.push(Value::Int(i64::from(byte)))?;
            return m.push(Value::Bool(true));
        }
        m.push(Value::Bool(false))
    }),
    ("readstring", |m| {
        let buffer = m.pop_text()?;
        let file = m.pop_file()?;
        let bytes = file.rest();
        let bytes = bytes.get(..buffer.length.min(bytes.len())).unwrap_or_default().to_vec();
        file.skip(bytes.len());
        fill(m, &buffer, &bytes)
    }),
    ("readhexstring", |m| {
        let buffer = m.pop_text()?;
        let file = m.pop_file()?;
        let bytes = filter::hexadecimal(&file, buffer.length);
        fill(m, &buffer, &bytes)
    }),
    ("readline", |m| {
        let buffer = m.pop_text()?;
        let file = m.pop_file()?;
        let rest = file.rest();
        let end = memchr::memchr2(b'\n', b'\r', rest);
        let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let line = line.get(..buffer.length.min(line.len())).unwrap_or_default().to_vec();
        let is_pair = end.is_some_and(|end| rest.get(end..end + 2) == Some(b"\r\n"));
        file.skip(end.map_or(rest.len(), |end| end + if is_pair { 2 } else { 1 }));
        buffer.write(0, &line).ok_or(Unwind::Error("rangecheck"))?;
        let part = buffer.part(0, line.len()).ok_or(Unwind::Error("rangecheck"))?;
        m.push(Value::Text(part))?;
        m.push(Value::Bool(end.is_some()))
    }),
    ("token", |m| match m.pop()? {
        Value::File(file) => match m.next_value(&file)? {
            Some(value) => {
                m.push(value)?;
                m.push(Value::Bool(true))
            }
            None => m.push(Value::Bool(false)),
        },
        Value::Text(text) => {
            let file = File::new(&text.to_vec());
            match m.next_value(&file)? {
                Some(value) => {
                    let at = file.at.get().min(text.length);
                    let rest =
                        text.part(at, text.length - at).ok_or(Unwind::Error("rangecheck"))?;
                    m.stack.extend([Value::Text(rest), value, Value::Bool(true)]);
                    Ok(())
                }
                None => m.push(Value::Bool(false)),
            }
        }
        _ => Err(Unwind::Error("typecheck")),
    }),
    ("filter", make_filter),
    ("eexec", run_encrypted),
    ("print", |m| m.pop().map(drop)),
    ("=", |m| m.pop().map(drop)),
    ("==", |m| m.pop().map(drop)),
    ("stack", |_| Ok(())),
    ("pstack", |_| Ok(())),
    ("write", |m| {
        m.pop()?;
        m.pop().map(drop)
    }),
    ("writestring", |m| {
        m.pop()?;
        m.pop().map(drop)
    }),
    ("writehexstring", |m| {
        m.pop()?;
        m.pop().map(drop)
    }),
    ("echo", |m| m.pop().map(drop)),
    ("deletefile", |m| m.pop().map(drop)),
];

/// Fills the string `buffer` and pushes whether it is full.
fn fill(machine: &mut Machine, buffer: &super::value::Text, bytes: &[u8]) -> OperatorResult {
    buffer.write(0, bytes).ok_or(Unwind::Error("rangecheck"))?;
    let part = buffer.part(0, bytes.len()).ok_or(Unwind::Error("rangecheck"))?;
    machine.push(Value::Text(part))?;
    machine.push(Value::Bool(bytes.len() == buffer.length))
}

fn make_filter(machine: &mut Machine) -> OperatorResult {
    let name = machine.pop()?;
    let name = super::arrays::written(machine, &name);
    let mut operands = Vec::new();
    if name == b"SubFileDecode" {
        let end = machine.pop_text()?.to_vec();
        operands.push((machine.pop_index()?, end));
    }
    let mut source = machine.pop()?;
    if let Value::Dict(_) = source {
        source = machine.pop()?;
    }
    let file = match source {
        Value::File(file) => file,
        Value::Text(text) => File::new(&text.to_vec()),
        // Data from a procedure is treated as empty.
        Value::Array(..) => File::new(b""),
        _ => return Err(Unwind::Error("typecheck")),
    };
    let data = match operands.pop() {
        Some((count, end)) => sub_file(&file, count, &end),
        None => filter::decode(&file, &name).unwrap_or_default(),
    };
    machine.take_bytes(data.len())?;
    machine.push(Value::File(File::new(&data)))
}

/// Returns the data before an end marker, or `count` bytes.
fn sub_file(file: &File, count: usize, end: &[u8]) -> Vec<u8> {
    let rest = file.rest();
    let (length, skipped) = if end.is_empty() {
        (count.min(rest.len()), 0)
    } else {
        match memchr::memmem::find_iter(rest, end).nth(count) {
            Some(position) => (position, end.len()),
            None => (rest.len(), 0),
        }
    };
    let data = rest.get(..length).unwrap_or_default().to_vec();
    file.skip(length + skipped);
    data
}

/// Decrypts and runs the encrypted part of a font.
fn run_encrypted(machine: &mut Machine) -> OperatorResult {
    let file = machine.pop_file()?;
    while file.rest().first().is_some_and(|&byte| is_space(byte)) {
        file.skip(1);
    }
    let rest = file.rest();
    let is_hex = rest.iter().take(4).all(|byte| byte.is_ascii_hexdigit() || is_space(*byte));
    // The encrypted part ends before 500 zeros; without them, at the end of the file.
    let zeros = memchr::memmem::find(rest, &[b'0'; 64]).unwrap_or(rest.len());
    let cipher = rest.get(..zeros).unwrap_or_default();
    let cipher =
        if is_hex { filter::hexadecimal(&File::new(cipher), usize::MAX) } else { cipher.to_vec() };
    let plain = decrypt(&cipher, EEXEC_KEY, 4);
    let end = memchr::memmem::find(&plain, b"closefile").map(|end| end + 9);
    let n_read = match end {
        Some(end) if is_hex => {
            let digits = rest.iter().enumerate().filter(|(_, byte)| byte.is_ascii_hexdigit());
            digits.map(|(index, _)| index + 1).nth(2 * (end + 4) - 1).unwrap_or(zeros)
        }
        Some(end) => end + 4,
        None => zeros,
    };
    let plain = plain.get(..end.unwrap_or(plain.len())).unwrap_or_default();
    machine.take_bytes(plain.len() * 2)?;
    file.skip(n_read);
    // Fonts open the system dictionary while they are read, and close it afterwards.
    let system = Rc::clone(&machine.system);
    machine.dicts.push(system);
    let depth = machine.dicts.len();
    let close: Operator = |machine| {
        let depth = machine.pop_index()?;
        machine.dicts.truncate(depth.saturating_sub(1).max(3));
        Ok(())
    };
    let depth = Value::Int(i64::try_from(depth).unwrap_or(i64::MAX));
    let closing = Array::new(vec![depth, Value::Operator(close)]);
    machine.frames.push(Frame::Procedure(closing, 0));
    machine.frames.push(Frame::Source(File::new(plain)));
    Ok(())
}
