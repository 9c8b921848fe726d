//! Operators on dictionaries and names.

use std::rc::Rc;

use super::arrays::above_mark;
use super::machine::{Machine, OperatorResult, Unwind};
use super::value::{Array, Dict, Key, Operator, Value};

/// Maximum open dictionaries.
const MAX_OPEN: usize = 10_000;

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("dict", |m| {
        m.pop_index()?;
        m.take_bytes(64)?;
        m.push(Value::dict())
    }),
    ("<<", |m| m.push(Value::Mark)),
    (">>", |m| {
        let items = above_mark(m)?;
        let dict = Dict::default();
        for pair in items.chunks(2) {
            let [key, value] = pair else { return Err(Unwind::Error("rangecheck")) };
            let key = m.key(key)?;
            dict.borrow_mut().insert(key, value.clone());
        }
        m.push(Value::Dict(dict))
    }),
    ("begin", |m| {
        let dict = m.pop_dict()?;
        if m.dicts.len() > MAX_OPEN {
            return Err(Unwind::Error("dictstackoverflow"));
        }
        m.dicts.push(dict);
        Ok(())
    }),
    ("end", |m| {
        if m.dicts.len() <= 3 {
            return Err(Unwind::Error("dictstackunderflow"));
        }
        m.dicts.pop();
        Ok(())
    }),
    ("def", |m| {
        let (value, key) = (m.pop()?, m.pop()?);
        define(m, &key, value)
    }),
    ("load", |m| {
        let key = m.pop()?;
        let key = m.key(&key)?;
        let found = find(m, key).map(|(_, value)| value);
        m.push(found.ok_or(Unwind::Error("undefined"))?)
    }),
    ("store", |m| {
        let (value, key) = (m.pop()?, m.pop()?);
        let slot_key = m.key(&key)?;
        match find(m, slot_key) {
            Some((dict, _)) => {
                dict.borrow_mut().insert(slot_key, value);
                Ok(())
            }
            None => define(m, &key, value),
        }
    }),
    ("known", |m| {
        let key = m.pop()?;
        let dict = m.pop_dict()?;
        let key = m.key(&key)?;
        let is_known = dict.borrow().contains_key(&key);
        m.push(Value::Bool(is_known))
    }),
    ("where", |m| {
        let key = m.pop()?;
        let key = m.key(&key)?;
        match find(m, key) {
            Some((dict, _)) => {
                m.push(Value::Dict(dict))?;
                m.push(Value::Bool(true))
            }
            None => m.push(Value::Bool(false)),
        }
    }),
    ("undef", |m| {
        let key = m.pop()?;
        let dict = m.pop_dict()?;
        let key = m.key(&key)?;
        dict.borrow_mut().remove(&key);
        Ok(())
    }),
    ("maxlength", |m| {
        let dict = m.pop_dict()?;
        let length = dict.borrow().len() + 100;
        m.push(Value::Int(i64::try_from(length).unwrap_or(i64::MAX)))
    }),
    ("currentdict", |m| {
        let dict = m.dicts.last().map(Rc::clone);
        m.push(Value::Dict(dict.ok_or(Unwind::Error("dictstackunderflow"))?))
    }),
    ("countdictstack", |m| {
        let n_open = i64::try_from(m.dicts.len()).unwrap_or(i64::MAX);
        m.push(Value::Int(n_open))
    }),
    ("dictstack", |m| {
        let array = m.pop_array()?;
        let open: Vec<Value> = m.dicts.iter().map(|dict| Value::Dict(Rc::clone(dict))).collect();
        for (index, dict) in open.into_iter().enumerate() {
            array.put(index, dict).ok_or(Unwind::Error("rangecheck"))?;
        }
        m.push(Value::Array(array, false))
    }),
    ("cleardictstack", |m| {
        m.dicts.truncate(3);
        Ok(())
    }),
    ("bind", |m| {
        let value = m.pop()?;
        if let Value::Array(body, _) = &value {
            bind(m, body);
        }
        m.push(value)
    }),
];

fn define(machine: &mut Machine, key: &Value, value: Value) -> OperatorResult {
    let key = machine.key(key)?;
    machine.take_bytes(64)?;
    if let Some(dict) = machine.dicts.last() {
        dict.borrow_mut().insert(key, value);
    }
    Ok(())
}

fn find(machine: &Machine, key: Key) -> Option<(Dict, Value)> {
    machine.dicts.iter().rev().find_map(|dict| {
        let found = dict.borrow().get(&key).cloned();
        found.map(|value| (Rc::clone(dict), value))
    })
}

/// Replaces names by operators, also in nested procedures.
fn bind(machine: &Machine, body: &Array) {
    let mut open = vec![(body.clone(), 0)];
    while let Some((body, depth)) = open.pop() {
        for index in 0..body.length {
            match body.get(index) {
                Some(Value::Name(symbol, true)) => {
                    if let Some(operator @ Value::Operator(_)) = machine.look_up(symbol) {
                        body.put(index, operator);
                    }
                }
                Some(Value::Array(inner, true)) if depth < 50 => open.push((inner, depth + 1)),
                _ => {}
            }
        }
    }
}
