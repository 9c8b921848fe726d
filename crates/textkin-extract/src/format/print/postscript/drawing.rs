//! Drawing operators: they only move the pen, since graphics do not become text.

use super::graphics::{Graphics, matrix_value, write_matrix};
use super::machine::{Machine, OperatorResult, Unwind};
use super::value::{Operator, Value};
use crate::format::print::typesetting::matrix::Matrix;

/// Maximum reads of the data of an image.
const MAX_DATA: usize = 1_000_000;

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("gsave", Machine::save_graphics),
    ("grestore", |m| {
        m.restore_graphics();
        Ok(())
    }),
    ("grestoreall", |m| {
        m.saved.truncate(1);
        m.restore_graphics();
        Ok(())
    }),
    ("initgraphics", |m| {
        let font = m.graphics.font.take();
        m.graphics = Graphics { font, ..Graphics::default() };
        Ok(())
    }),
    ("showpage", |m| {
        if m.is_measuring == 0 {
            m.layout.end_page();
            let font = m.graphics.font.take();
            m.graphics = Graphics { font, ..Graphics::default() };
        }
        Ok(())
    }),
    ("copypage", |m| {
        m.layout.end_page();
        Ok(())
    }),
    // Positions.
    ("newpath", no_path),
    ("moveto", |m| {
        let (x, y) = m.pop_point()?;
        let pen = m.graphics.matrix.apply(x, y);
        m.graphics.pen = Some(pen);
        m.graphics.start = pen;
        Ok(())
    }),
    ("rmoveto", |m| {
        let (x, y) = m.pop_point()?;
        m.move_by(x, y)?;
        m.graphics.start = m.pen()?;
        Ok(())
    }),
    ("lineto", |m| {
        let (x, y) = m.pop_point()?;
        m.pen()?;
        m.graphics.pen = Some(m.graphics.matrix.apply(x, y));
        Ok(())
    }),
    ("rlineto", |m| {
        let (x, y) = m.pop_point()?;
        m.move_by(x, y)
    }),
    ("curveto", |m| {
        let (x, y) = m.pop_point()?;
        drop_values(m, 4)?;
        m.pen()?;
        m.graphics.pen = Some(m.graphics.matrix.apply(x, y));
        Ok(())
    }),
    ("rcurveto", |m| {
        let (x, y) = m.pop_point()?;
        drop_values(m, 4)?;
        m.move_by(x, y)
    }),
    ("arc", arc),
    ("arcn", arc),
    ("arcto", |m| {
        drop_values(m, 5)?;
        for _ in 0..4 {
            m.push(Value::Real(0.0))?;
        }
        Ok(())
    }),
    ("arct", |m| drop_values(m, 5)),
    ("closepath", |m| {
        if m.graphics.pen.is_some() {
            m.graphics.pen = Some(m.graphics.start);
        }
        Ok(())
    }),
    ("currentpoint", |m| {
        let (x, y) = m.pen()?;
        let back = m.graphics.matrix.inverse().ok_or(Unwind::Error("undefinedresult"))?;
        m.push_point(back.apply(x, y))
    }),
    ("pathbbox", |m| {
        let back = m.graphics.matrix.inverse().ok_or(Unwind::Error("undefinedresult"))?;
        m.push_point(back.apply(0.0, 0.0))?;
        m.push_point(back.apply(612.0, 792.0))
    }),
    ("fill", no_path),
    ("eofill", no_path),
    ("stroke", no_path),
    ("rectfill", rectangle),
    ("rectstroke", rectangle),
    ("rectclip", rectangle),
    ("clip", nothing),
    ("eoclip", nothing),
    ("initclip", nothing),
    ("clippath", |m| {
        m.graphics.pen = Some((0.0, 0.0));
        Ok(())
    }),
    ("flattenpath", nothing),
    ("reversepath", nothing),
    ("strokepath", nothing),
    ("erasepage", nothing),
    ("nulldevice", nothing),
    ("pathforall", |m| drop_values(m, 4)),
    ("setbbox", |m| drop_values(m, 4)),
    ("ucache", nothing),
    // Coordinates.
    ("matrix", |m| m.push(matrix_value(Matrix::IDENTITY))),
    ("identmatrix", |m| {
        let array = m.pop_array()?;
        write_matrix(&array, Matrix::IDENTITY)?;
        m.push(Value::Array(array, false))
    }),
    ("defaultmatrix", |m| {
        let array = m.pop_array()?;
        write_matrix(&array, Matrix::IDENTITY)?;
        m.push(Value::Array(array, false))
    }),
    ("initmatrix", |m| {
        m.graphics.matrix = Matrix::IDENTITY;
        Ok(())
    }),
    ("currentmatrix", |m| {
        let array = m.pop_array()?;
        write_matrix(&array, m.graphics.matrix)?;
        m.push(Value::Array(array, false))
    }),
    ("setmatrix", |m| {
        m.graphics.matrix = m.pop_matrix()?;
        Ok(())
    }),
    ("translate", |m| transform(m, Matrix::translation)),
    ("scale", |m| transform(m, Matrix::scale)),
    ("rotate", |m| {
        if let Some(Value::Array(..)) = m.stack.last() {
            let array = m.pop_array()?;
            let degrees = m.pop_number()?;
            write_matrix(&array, Matrix::rotation(degrees))?;
            return m.push(Value::Array(array, false));
        }
        let degrees = m.pop_number()?;
        m.graphics.matrix = Matrix::rotation(degrees).then(m.graphics.matrix);
        Ok(())
    }),
    ("concat", |m| {
        let matrix = m.pop_matrix()?;
        m.graphics.matrix = matrix.then(m.graphics.matrix);
        Ok(())
    }),
    ("concatmatrix", |m| {
        let array = m.pop_array()?;
        let (second, first) = (m.pop_matrix()?, m.pop_matrix()?);
        write_matrix(&array, first.then(second))?;
        m.push(Value::Array(array, false))
    }),
    ("invertmatrix", |m| {
        let array = m.pop_array()?;
        let matrix = m.pop_matrix()?;
        write_matrix(&array, matrix.inverse().ok_or(Unwind::Error("undefinedresult"))?)?;
        m.push(Value::Array(array, false))
    }),
    ("transform", |m| convert(m, Some, Matrix::apply)),
    ("dtransform", |m| convert(m, Some, Matrix::apply_distance)),
    ("itransform", |m| convert(m, Matrix::inverse, Matrix::apply)),
    ("idtransform", |m| convert(m, Matrix::inverse, Matrix::apply_distance)),
    // Colors and lines.
    ("setgray", |m| drop_values(m, 1)),
    ("setrgbcolor", |m| drop_values(m, 3)),
    ("sethsbcolor", |m| drop_values(m, 3)),
    ("setcmykcolor", |m| drop_values(m, 4)),
    ("setcolor", |m| {
        let n_colors = m.graphics.n_colors.min(m.stack.len());
        drop_values(m, n_colors)
    }),
    ("setcolorspace", set_colors),
    ("currentcolorspace", |m| {
        let name = m.name_value(b"DeviceGray");
        m.push(Value::Array(super::value::Array::new(vec![name]), false))
    }),
    ("currentcolor", |m| m.push(Value::Int(0))),
    ("currentgray", |m| m.push(Value::Real(0.0))),
    ("currentrgbcolor", |m| zeros(m, 3)),
    ("currenthsbcolor", |m| zeros(m, 3)),
    ("currentcmykcolor", |m| zeros(m, 4)),
    ("setlinewidth", |m| drop_values(m, 1)),
    ("currentlinewidth", |m| m.push(Value::Real(1.0))),
    ("setlinecap", |m| drop_values(m, 1)),
    ("currentlinecap", |m| m.push(Value::Int(0))),
    ("setlinejoin", |m| drop_values(m, 1)),
    ("currentlinejoin", |m| m.push(Value::Int(0))),
    ("setmiterlimit", |m| drop_values(m, 1)),
    ("currentmiterlimit", |m| m.push(Value::Real(10.0))),
    ("setdash", |m| drop_values(m, 2)),
    ("currentdash", |m| {
        m.push(Value::Array(super::value::Array::new(Vec::new()), false))?;
        m.push(Value::Int(0))
    }),
    ("setflat", |m| drop_values(m, 1)),
    ("currentflat", |m| m.push(Value::Real(1.0))),
    ("setsmoothness", |m| drop_values(m, 1)),
    ("setstrokeadjust", |m| drop_values(m, 1)),
    ("currentstrokeadjust", |m| m.push(Value::Bool(false))),
    ("setoverprint", |m| drop_values(m, 1)),
    ("currentoverprint", |m| m.push(Value::Bool(false))),
    ("setoverprintmode", |m| drop_values(m, 1)),
    ("setscreen", |m| drop_values(m, 3)),
    ("setcolorscreen", |m| drop_values(m, 12)),
    ("currentscreen", |m| {
        zeros(m, 2)?;
        m.push(Value::Array(super::value::Array::new(Vec::new()), true))
    }),
    ("sethalftone", |m| drop_values(m, 1)),
    ("currenthalftone", |m| m.push(Value::dict())),
    ("settransfer", |m| drop_values(m, 1)),
    ("setcolortransfer", |m| drop_values(m, 4)),
    ("currenttransfer", |m| m.push(Value::Array(super::value::Array::new(Vec::new()), true))),
    ("setblackgeneration", |m| drop_values(m, 1)),
    ("setundercolorremoval", |m| drop_values(m, 1)),
    ("setpagedevice", |m| drop_values(m, 1)),
    ("currentpagedevice", |m| m.push(Value::dict())),
    ("setpattern", |m| drop_values(m, 1)),
    ("makepattern", |m| drop_values(m, 1)),
    ("shfill", |m| drop_values(m, 1)),
    ("pdfmark", to_mark),
    ("setcacheparams", to_mark),
    ("setcachelimit", |m| drop_values(m, 1)),
    ("internaldict", |m| {
        m.pop()?;
        m.push(Value::dict())
    }),
    ("execform", |m| {
        let form = m.pop_dict()?;
        let paint = m.entry(&form, "PaintProc").ok_or(Unwind::Error("undefined"))?;
        m.save_graphics()?;
        if let Some(Value::Array(array, _)) = m.entry(&form, "Matrix")
            && let Some(matrix) = super::graphics::matrix_of(&array)
        {
            m.graphics.matrix = matrix.then(m.graphics.matrix);
        }
        m.push(Value::Dict(form))?;
        let done = m.run(paint);
        m.restore_graphics();
        done
    }),
    // Images.
    ("image", |m| image(m, false)),
    ("imagemask", |m| image(m, true)),
    ("colorimage", color_image),
];

fn nothing(_: &mut Machine) -> OperatorResult {
    Ok(())
}

fn no_path(machine: &mut Machine) -> OperatorResult {
    machine.graphics.pen = None;
    Ok(())
}

pub(super) fn drop_values(machine: &mut Machine, count: usize) -> OperatorResult {
    for _ in 0..count {
        machine.pop()?;
    }
    Ok(())
}

fn zeros(machine: &mut Machine, count: usize) -> OperatorResult {
    machine.stack.extend(std::iter::repeat_n(Value::Real(0.0), count));
    Ok(())
}

fn to_mark(machine: &mut Machine) -> OperatorResult {
    let mark = super::stacks::mark(machine)?;
    machine.stack.truncate(mark);
    Ok(())
}

fn arc(machine: &mut Machine) -> OperatorResult {
    let (end, _start) = (machine.pop_number()?, machine.pop_number()?);
    let radius = machine.pop_number()?;
    let (x, y) = machine.pop_point()?;
    let (sine, cosine) = end.to_radians().sin_cos();
    let pen = machine.graphics.matrix.apply(x + radius * cosine, y + radius * sine);
    machine.graphics.pen = Some(pen);
    Ok(())
}

fn rectangle(machine: &mut Machine) -> OperatorResult {
    match machine.pop()? {
        Value::Array(..) | Value::Text(_) => Ok(()),
        _ => drop_values(machine, 3),
    }
}

fn transform(machine: &mut Machine, make: fn(f64, f64) -> Matrix) -> OperatorResult {
    if let Some(Value::Array(..)) = machine.stack.last() {
        let array = machine.pop_array()?;
        let (x, y) = machine.pop_point()?;
        write_matrix(&array, make(x, y))?;
        return machine.push(Value::Array(array, false));
    }
    let (x, y) = machine.pop_point()?;
    machine.graphics.matrix = make(x, y).then(machine.graphics.matrix);
    Ok(())
}

fn convert(
    machine: &mut Machine,
    prepare: fn(Matrix) -> Option<Matrix>,
    apply: fn(Matrix, f64, f64) -> (f64, f64),
) -> OperatorResult {
    let matrix = match machine.stack.last() {
        Some(Value::Array(..)) => machine.pop_matrix()?,
        _ => machine.graphics.matrix,
    };
    let matrix = prepare(matrix).ok_or(Unwind::Error("undefinedresult"))?;
    let (x, y) = machine.pop_point()?;
    machine.push_point(apply(matrix, x, y))
}

fn set_colors(machine: &mut Machine) -> OperatorResult {
    let space = machine.pop()?;
    let name = match &space {
        Value::Array(array, _) => array.get(0).unwrap_or(Value::Null),
        other => other.clone(),
    };
    let name = super::arrays::written(machine, &name);
    machine.graphics.n_colors = match name.as_slice() {
        b"DeviceRGB" | b"CIEBasedABC" | b"CIEBasedDEF" => 3,
        b"DeviceCMYK" | b"CIEBasedDEFG" => 4,
        b"DeviceN" => match &space {
            Value::Array(array, _) => match array.get(1) {
                Some(Value::Array(names, _)) => names.length,
                _ => 1,
            },
            _ => 1,
        },
        _ => 1,
    };
    Ok(())
}

/// Pops the operands of an image and reads its data, which may be part of the program.
fn image(machine: &mut Machine, is_mask: bool) -> OperatorResult {
    let last = machine.pop()?;
    if let Value::Dict(dict) = last {
        let mut number = |name: &str, default: f64| {
            machine.entry(&dict, name).and_then(|value| value.number()).unwrap_or(default)
        };
        let (width, height) = (number("Width", 0.0), number("Height", 0.0));
        let bits = number("BitsPerComponent", 1.0);
        let n_colors = match machine.entry(&dict, "Decode") {
            Some(Value::Array(array, _)) => array.length / 2,
            _ => 1,
        };
        let Some(source) = machine.entry(&dict, "DataSource") else { return Ok(()) };
        return read_data(machine, source, n_bytes(width, height, bits, n_colors));
    }
    machine.pop()?;
    let bits = if is_mask {
        machine.pop()?;
        1.0
    } else {
        machine.pop_number()?
    };
    let (height, width) = (machine.pop_number()?, machine.pop_number()?);
    read_data(machine, last, n_bytes(width, height, bits, 1))
}

fn color_image(machine: &mut Machine) -> OperatorResult {
    let n_colors = machine.pop_index()?;
    let is_split = machine.pop_bool()?;
    let n_sources = if is_split { n_colors.clamp(1, 4) } else { 1 };
    let mut sources = Vec::new();
    for _ in 0..n_sources {
        sources.push(machine.pop()?);
    }
    machine.pop()?;
    let bits = machine.pop_number()?;
    let (height, width) = (machine.pop_number()?, machine.pop_number()?);
    if let [source] = sources.as_slice() {
        return read_data(machine, source.clone(), n_bytes(width, height, bits, n_colors));
    }
    // The sources take turns, one row each.
    let row = n_bytes(width, 1.0, bits, 1);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let n_rows = (height.max(0.0) as usize).min(MAX_DATA);
    for _ in 0..n_rows {
        for source in sources.iter().rev() {
            read_data(machine, source.clone(), row)?;
        }
    }
    Ok(())
}

fn n_bytes(width: f64, height: f64, bits: f64, n_colors: usize) -> usize {
    #[expect(clippy::cast_precision_loss, reason = "colors are few")]
    let bytes = (width * bits * n_colors as f64 / 8.0).ceil() * height;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
    let bytes = bytes.clamp(0.0, 1e9) as usize;
    bytes
}

fn read_data(machine: &mut Machine, source: Value, n_bytes: usize) -> OperatorResult {
    match source {
        Value::File(file) => {
            file.skip(n_bytes);
            Ok(())
        }
        Value::Array(body, _) => {
            let mut left = n_bytes;
            for _ in 0..MAX_DATA {
                if left == 0 {
                    break;
                }
                machine.run(Value::Array(body.clone(), true))?;
                let n_read = machine.pop_text()?.length;
                if n_read == 0 {
                    break;
                }
                left = left.saturating_sub(n_read);
            }
            Ok(())
        }
        _ => Ok(()),
    }
}
