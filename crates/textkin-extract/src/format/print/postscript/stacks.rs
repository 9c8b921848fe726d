//! Operators on the operand stack.

use super::machine::{Machine, OperatorResult, Unwind};
use super::value::{Operator, Value};

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("pop", |m| m.pop().map(drop)),
    ("exch", exchange),
    ("dup", |m| index(m, 0)),
    ("copy", copy),
    ("index", |m| {
        let position = m.pop_index()?;
        index(m, position)
    }),
    ("roll", roll),
    ("clear", |m| {
        m.stack.clear();
        Ok(())
    }),
    ("count", |m| {
        let n_values = i64::try_from(m.stack.len()).unwrap_or(i64::MAX);
        m.push(Value::Int(n_values))
    }),
    ("mark", |m| m.push(Value::Mark)),
    ("cleartomark", |m| {
        let mark = mark(m)?;
        m.stack.truncate(mark);
        Ok(())
    }),
    ("counttomark", |m| {
        let n_values = m.stack.len() - mark(m)? - 1;
        m.push(Value::Int(i64::try_from(n_values).unwrap_or(i64::MAX)))
    }),
];

/// Returns the position of the last mark.
pub(super) fn mark(machine: &Machine) -> Result<usize, Unwind> {
    let position = machine.stack.iter().rposition(|value| matches!(value, Value::Mark));
    position.ok_or(Unwind::Error("unmatchedmark"))
}

fn exchange(machine: &mut Machine) -> OperatorResult {
    let (last, first) = (machine.pop()?, machine.pop()?);
    machine.push(last)?;
    machine.push(first)
}

fn index(machine: &mut Machine, position: usize) -> OperatorResult {
    let found = machine.stack.iter().rev().nth(position).cloned();
    machine.push(found.ok_or(Unwind::Error("stackunderflow"))?)
}

fn copy(machine: &mut Machine) -> OperatorResult {
    let last = machine.pop()?;
    if let Value::Int(count) = last {
        let n_values = machine.stack.len();
        let count = usize::try_from(count).ok().filter(|&count| count <= n_values);
        let count = count.ok_or(Unwind::Error("rangecheck"))?;
        machine.take_bytes(count * 32)?;
        machine.stack.extend_from_within(n_values - count..);
        return Ok(());
    }
    super::arrays::copy_into(machine, &last)
}

fn roll(machine: &mut Machine) -> OperatorResult {
    let by = machine.pop_int()?;
    let count = machine.pop_index()?;
    let n_values = machine.stack.len();
    if count > n_values {
        return Err(Unwind::Error("stackunderflow"));
    }
    if count == 0 {
        return Ok(());
    }
    let length = i64::try_from(count).unwrap_or(i64::MAX);
    let by = usize::try_from(by.rem_euclid(length)).unwrap_or(0);
    if let Some(part) = machine.stack.get_mut(n_values - count..) {
        part.rotate_right(by);
    }
    Ok(())
}
