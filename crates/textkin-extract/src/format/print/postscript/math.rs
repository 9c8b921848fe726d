//! Operators on numbers and booleans.

use super::machine::{Machine, OperatorResult, Unwind};
use super::value::{Operator, Value};

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("add", |m| arithmetic(m, i64::checked_add, |a, b| a + b)),
    ("sub", |m| arithmetic(m, i64::checked_sub, |a, b| a - b)),
    ("mul", |m| arithmetic(m, i64::checked_mul, |a, b| a * b)),
    ("div", |m| {
        let (b, a) = (m.pop_number()?, m.pop_number()?);
        if b == 0.0 {
            return Err(Unwind::Error("undefinedresult"));
        }
        m.push(Value::Real(a / b))
    }),
    ("idiv", |m| on_integers(m, i64::checked_div)),
    ("mod", |m| on_integers(m, i64::checked_rem)),
    ("neg", |m| one(m, i64::checked_neg, |a| -a)),
    ("abs", |m| one(m, i64::checked_abs, f64::abs)),
    ("ceiling", |m| one(m, Some, f64::ceil)),
    ("floor", |m| one(m, Some, f64::floor)),
    ("round", |m| one(m, Some, |a| (a + 0.5).floor())),
    ("truncate", |m| one(m, Some, f64::trunc)),
    ("sqrt", |m| real(m, f64::sqrt)),
    ("sin", |m| real(m, |a| a.to_radians().sin())),
    ("cos", |m| real(m, |a| a.to_radians().cos())),
    ("ln", |m| real(m, f64::ln)),
    ("log", |m| real(m, f64::log10)),
    ("exp", |m| {
        let (power, base) = (m.pop_number()?, m.pop_number()?);
        push_real(m, base.powf(power))
    }),
    ("atan", |m| {
        let (x, y) = (m.pop_number()?, m.pop_number()?);
        push_real(m, y.atan2(x).to_degrees().rem_euclid(360.0))
    }),
    ("cvi", to_int),
    ("cvr", to_real),
    ("rand", |m| {
        m.random = m.random.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
        let number = i64::from(m.random);
        m.push(Value::Int(number))
    }),
    ("srand", |m| {
        m.random = u32::try_from(m.pop_int()? & 0x7fff_ffff).unwrap_or(1);
        Ok(())
    }),
    ("rrand", |m| {
        let number = i64::from(m.random);
        m.push(Value::Int(number))
    }),
    ("eq", |m| {
        let is_equal = equal(m)?;
        m.push(Value::Bool(is_equal))
    }),
    ("ne", |m| {
        let is_equal = equal(m)?;
        m.push(Value::Bool(!is_equal))
    }),
    ("lt", |m| compare(m, std::cmp::Ordering::is_lt)),
    ("le", |m| compare(m, std::cmp::Ordering::is_le)),
    ("gt", |m| compare(m, std::cmp::Ordering::is_gt)),
    ("ge", |m| compare(m, std::cmp::Ordering::is_ge)),
    ("and", |m| logic(m, |a, b| a & b, |a, b| a && b)),
    ("or", |m| logic(m, |a, b| a | b, |a, b| a || b)),
    ("xor", |m| logic(m, |a, b| a ^ b, |a, b| a != b)),
    ("not", |m| match m.pop()? {
        Value::Bool(value) => m.push(Value::Bool(!value)),
        Value::Int(value) => m.push(Value::Int(!value)),
        _ => Err(Unwind::Error("typecheck")),
    }),
    ("bitshift", |m| {
        let (by, number) = (m.pop_int()?, m.pop_int()?);
        let amount = u32::try_from(by.unsigned_abs()).unwrap_or(64);
        // PostScript integers have 32 bits.
        let shifted = if by >= 0 { number.checked_shl(amount) } else { number.checked_shr(amount) };
        m.push(Value::Int(shifted.unwrap_or(0)))
    }),
];

fn push_real(machine: &mut Machine, number: f64) -> OperatorResult {
    if !number.is_finite() {
        return Err(Unwind::Error("undefinedresult"));
    }
    machine.push(Value::Real(number))
}

fn arithmetic(
    machine: &mut Machine,
    on_integers: fn(i64, i64) -> Option<i64>,
    real: fn(f64, f64) -> f64,
) -> OperatorResult {
    let (b, a) = (machine.pop()?, machine.pop()?);
    if let (Value::Int(a), Value::Int(b)) = (&a, &b)
        && let Some(result) = on_integers(*a, *b)
    {
        return machine.push(Value::Int(result));
    }
    match (a.number(), b.number()) {
        (Some(a), Some(b)) => push_real(machine, real(a, b)),
        _ => Err(Unwind::Error("typecheck")),
    }
}

fn on_integers(machine: &mut Machine, operation: fn(i64, i64) -> Option<i64>) -> OperatorResult {
    let (b, a) = (machine.pop_int()?, machine.pop_int()?);
    machine.push(Value::Int(operation(a, b).ok_or(Unwind::Error("undefinedresult"))?))
}

fn one(
    machine: &mut Machine,
    on_integers: fn(i64) -> Option<i64>,
    real: fn(f64) -> f64,
) -> OperatorResult {
    match machine.pop()? {
        Value::Int(number) => {
            machine.push(Value::Int(on_integers(number).ok_or(Unwind::Error("rangecheck"))?))
        }
        Value::Real(number) => push_real(machine, real(number)),
        _ => Err(Unwind::Error("typecheck")),
    }
}

fn real(machine: &mut Machine, operation: fn(f64) -> f64) -> OperatorResult {
    let number = machine.pop_number()?;
    push_real(machine, operation(number))
}

/// Parses the number in a string.
fn number_in(value: Value) -> Result<Value, Unwind> {
    use super::scanner::{PostScriptToken, number};
    let Value::Text(text) = value else { return Ok(value) };
    match number(text.to_vec().trim_ascii()) {
        Some(PostScriptToken::Int(number)) => Ok(Value::Int(number)),
        Some(PostScriptToken::Real(number)) => Ok(Value::Real(number)),
        _ => Err(Unwind::Error("typecheck")),
    }
}

fn to_int(machine: &mut Machine) -> OperatorResult {
    let value = number_in(machine.pop()?)?;
    match value {
        Value::Int(_) => machine.push(value),
        #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
        Value::Real(number) => machine.push(Value::Int(number as i64)),
        _ => Err(Unwind::Error("typecheck")),
    }
}

fn to_real(machine: &mut Machine) -> OperatorResult {
    let value = number_in(machine.pop()?)?;
    machine.push(Value::Real(value.number().ok_or(Unwind::Error("typecheck"))?))
}

fn equal(machine: &mut Machine) -> Result<bool, Unwind> {
    use std::rc::Rc;
    let (b, a) = (machine.pop()?, machine.pop()?);
    if let (Some(a), Some(b)) = (a.number(), b.number()) {
        return Ok(a == b);
    }
    Ok(match (&a, &b) {
        (Value::Null, Value::Null) | (Value::Mark, Value::Mark) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Name(a, _), Value::Name(b, _)) => a == b,
        (Value::Text(a), Value::Text(b)) => a.to_vec() == b.to_vec(),
        (Value::Text(text), Value::Name(name, _)) | (Value::Name(name, _), Value::Text(text)) => {
            *machine.name(*name) == *text.to_vec()
        }
        (Value::Array(a, _), Value::Array(b, _)) => {
            Rc::ptr_eq(&a.items, &b.items) && a.start == b.start && a.length == b.length
        }
        (Value::Dict(a), Value::Dict(b)) => Rc::ptr_eq(a, b),
        (Value::Operator(a), Value::Operator(b)) => std::ptr::fn_addr_eq(*a, *b),
        (Value::File(a), Value::File(b)) => Rc::ptr_eq(a, b),
        _ => false,
    })
}

fn compare(machine: &mut Machine, is: fn(std::cmp::Ordering) -> bool) -> OperatorResult {
    let (b, a) = (machine.pop()?, machine.pop()?);
    let order = match (&a, &b) {
        (Value::Text(a), Value::Text(b)) => Some(a.to_vec().cmp(&b.to_vec())),
        _ => match (a.number(), b.number()) {
            (Some(a), Some(b)) => a.partial_cmp(&b),
            _ => None,
        },
    };
    machine.push(Value::Bool(is(order.ok_or(Unwind::Error("typecheck"))?)))
}

fn logic(
    machine: &mut Machine,
    bits: fn(i64, i64) -> i64,
    truth: fn(bool, bool) -> bool,
) -> OperatorResult {
    let (b, a) = (machine.pop()?, machine.pop()?);
    let result = match (a, b) {
        (Value::Bool(a), Value::Bool(b)) => Value::Bool(truth(a, b)),
        (Value::Int(a), Value::Int(b)) => Value::Int(bits(a, b)),
        _ => return Err(Unwind::Error("typecheck")),
    };
    machine.push(result)
}
