//! Control operators: procedures, loops, errors, resources.

use super::machine::{Frame, Machine, OperatorResult, Unwind};
use super::value::{Array, Key, Operator, Value};

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("exec", |m| {
        let value = m.pop()?;
        m.execute(value)
    }),
    ("if", |m| {
        let body = m.pop_array()?;
        if m.pop_bool()? { call(m, body) } else { Ok(()) }
    }),
    ("ifelse", |m| {
        let (no, yes) = (m.pop_array()?, m.pop_array()?);
        let body = if m.pop_bool()? { yes } else { no };
        call(m, body)
    }),
    ("for", |m| {
        let body = m.pop_array()?;
        let (limit, step, first) = (m.pop()?, m.pop()?, m.pop()?);
        let is_int = matches!((&first, &step), (Value::Int(_), Value::Int(_)));
        let number = |value: &Value| value.number().ok_or(Unwind::Error("typecheck"));
        let (at, step, limit) = (number(&first)?, number(&step)?, number(&limit)?);
        m.frames.push(Frame::For { at, step, limit, is_int, body });
        Ok(())
    }),
    ("repeat", |m| {
        let body = m.pop_array()?;
        let left = m.pop_int()?;
        m.frames.push(Frame::Repeat { left, body });
        Ok(())
    }),
    ("loop", |m| {
        let body = m.pop_array()?;
        m.frames.push(Frame::Loop { body });
        Ok(())
    }),
    ("forall", for_all),
    ("exit", |_| Err(Unwind::Exit)),
    ("stop", |_| Err(Unwind::Stop)),
    ("stopped", |m| {
        let value = m.pop()?;
        m.frames.push(Frame::Stopped);
        m.execute(value)
    }),
    ("quit", |_| Err(Unwind::Quit)),
    ("start", |_| Ok(())),
    ("handleerror", |_| Ok(())),
    ("countexecstack", |m| {
        let n_frames = i64::try_from(m.frames.len()).unwrap_or(i64::MAX);
        m.push(Value::Int(n_frames))
    }),
    ("execstack", |_| Ok(())),
    ("save", |m| {
        let depth = m.saved.len();
        m.save_graphics()?;
        m.push(Value::Save(depth))
    }),
    ("restore", |m| match m.pop()? {
        Value::Save(depth) => {
            m.saved.truncate(depth + 1);
            m.restore_graphics();
            Ok(())
        }
        _ => Err(Unwind::Error("typecheck")),
    }),
    ("vmstatus", |m| {
        m.stack.extend([Value::Int(1), Value::Int(1 << 20), Value::Int(1 << 28)]);
        Ok(())
    }),
    ("vmreclaim", |m| m.pop().map(drop)),
    ("setglobal", |m| m.pop().map(drop)),
    ("currentglobal", |m| m.push(Value::Bool(false))),
    ("gcheck", |m| {
        m.pop()?;
        m.push(Value::Bool(false))
    }),
    ("usertime", |m| m.push(Value::Int(0))),
    ("realtime", |m| m.push(Value::Int(0))),
    ("version", |m| m.push(Value::text(b"3010".to_vec()))),
    ("product", |m| m.push(Value::text(b"textkin".to_vec()))),
    ("revision", |m| m.push(Value::Int(1))),
    ("serialnumber", |m| m.push(Value::Int(0))),
    ("setuserparams", |m| m.pop().map(drop)),
    ("setsystemparams", |m| m.pop().map(drop)),
    ("currentuserparams", |m| m.push(Value::dict())),
    ("currentsystemparams", |m| m.push(Value::dict())),
    ("setvmthreshold", |m| m.pop().map(drop)),
    ("setobjectformat", |m| m.pop().map(drop)),
    ("findresource", find_resource),
    ("defineresource", define_resource),
    ("resourcestatus", |m| {
        m.pop()?;
        m.pop()?;
        m.push(Value::Bool(false))
    }),
    ("resourceforall", |m| {
        for _ in 0..4 {
            m.pop()?;
        }
        Ok(())
    }),
    ("undefineresource", |m| {
        m.pop()?;
        m.pop().map(drop)
    }),
];

fn call(machine: &mut Machine, body: Array) -> OperatorResult {
    machine.execute(Value::Array(body, true))
}

fn for_all(machine: &mut Machine) -> OperatorResult {
    let body = machine.pop_array()?;
    let (items, width) = match machine.pop()? {
        Value::Array(array, _) => (array.to_vec(), 1),
        Value::Text(text) => {
            let bytes = text.to_vec();
            (bytes.into_iter().map(|byte| Value::Int(i64::from(byte))).collect(), 1)
        }
        Value::Dict(dict) => {
            let entries = dict.borrow();
            let pairs = entries.iter().flat_map(|(key, value)| {
                let key = match key {
                    Key::Name(symbol) => Value::Name(*symbol, false),
                    Key::Int(number) => Value::Int(*number),
                    Key::Bool(value) => Value::Bool(*value),
                };
                [key, value.clone()]
            });
            (pairs.collect::<Vec<Value>>(), 2)
        }
        _ => return Err(Unwind::Error("typecheck")),
    };
    machine.take_bytes(items.len() * 32)?;
    machine.frames.push(Frame::Items { items, at: 0, width, body });
    Ok(())
}

/// Finds a resource; programs use fonts and encodings.
fn find_resource(machine: &mut Machine) -> OperatorResult {
    let category = machine.pop()?;
    let category = super::arrays::written(machine, &category);
    match category.as_slice() {
        b"Font" => super::fonts::find_font(machine),
        b"Encoding" => {
            let name = machine.pop()?;
            let Key::Name(symbol) = machine.key(&name)? else {
                return Err(Unwind::Error("typecheck"));
            };
            let found = machine.look_up(symbol).ok_or(Unwind::Error("undefined"))?;
            machine.push(found)
        }
        _ => {
            let name = machine.pop()?;
            let key = machine.key(&name)?;
            let store = resource_store(machine, &category);
            let found = store.borrow().get(&key).cloned();
            machine.push(found.ok_or(Unwind::Error("undefinedresource"))?)
        }
    }
}

fn define_resource(machine: &mut Machine) -> OperatorResult {
    let category = machine.pop()?;
    let category = super::arrays::written(machine, &category);
    if category == b"Font" {
        return super::fonts::define_font(machine);
    }
    let (value, name) = (machine.pop()?, machine.pop()?);
    let key = machine.key(&name)?;
    let store = resource_store(machine, &category);
    store.borrow_mut().insert(key, value.clone());
    machine.push(value)
}

/// Returns the store of resources of one category.
fn resource_store(machine: &mut Machine, category: &[u8]) -> super::value::Dict {
    let name = [b"resources of ", category].concat();
    let key = Key::Name(machine.symbol(&name));
    let found = machine.system.borrow().get(&key).cloned();
    if let Some(Value::Dict(dict)) = found {
        return dict;
    }
    let dict = super::value::Dict::default();
    machine.system.borrow_mut().insert(key, Value::Dict(dict.clone()));
    dict
}
