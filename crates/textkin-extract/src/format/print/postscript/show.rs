//! Operators that show text: the source of the extracted text.

use std::rc::Rc;

use super::graphics::matrix_of;
use super::machine::{Machine, OperatorResult, Unwind};
use super::value::{Dict, Key, Operator, Value};
use crate::format::print::typesetting::encoding::Encoding;
use crate::format::print::typesetting::glyph::text_of_name;
use crate::format::print::typesetting::layout::Glyph;
use crate::format::print::typesetting::matrix::Matrix;
use crate::format::print::typesetting::type1::glyph_width;
use crate::format::print::typesetting::width::standard_width;

pub(super) const OPERATORS: &[(&str, Operator)] = &[
    ("show", |m| {
        let text = m.pop_text()?.to_vec();
        show(m, &text, &GlyphSpacing::default())
    }),
    ("ashow", |m| {
        let text = m.pop_text()?.to_vec();
        let every = m.pop_point()?;
        show(m, &text, &GlyphSpacing { every, ..GlyphSpacing::default() })
    }),
    ("widthshow", |m| {
        let text = m.pop_text()?.to_vec();
        let code = m.pop_int()?;
        let one = m.pop_point()?;
        show(m, &text, &GlyphSpacing { code, one, ..GlyphSpacing::default() })
    }),
    ("awidthshow", |m| {
        let text = m.pop_text()?.to_vec();
        let every = m.pop_point()?;
        let code = m.pop_int()?;
        let one = m.pop_point()?;
        show(m, &text, &GlyphSpacing { every, code, one })
    }),
    ("kshow", |m| {
        let text = m.pop_text()?.to_vec();
        let between = m.pop()?;
        for (index, &code) in text.iter().enumerate() {
            show(m, &[code], &GlyphSpacing::default())?;
            if let Some(&next) = text.get(index + 1) {
                m.push(Value::Int(i64::from(code)))?;
                m.push(Value::Int(i64::from(next)))?;
                m.run(between.clone())?;
            }
        }
        Ok(())
    }),
    ("cshow", |m| {
        let text = m.pop_text()?.to_vec();
        m.pop()?;
        show(m, &text, &GlyphSpacing::default())
    }),
    ("xshow", |m| show_with_steps(m, 1, |steps| (steps[0], 0.0))),
    ("yshow", |m| show_with_steps(m, 1, |steps| (0.0, steps[0]))),
    ("xyshow", |m| show_with_steps(m, 2, |steps| (steps[0], steps[1]))),
    ("glyphshow", |m| {
        let name = m.pop()?;
        let font = current_font(m)?;
        let glyph = GlyphCode { code: None, name: m.key(&name).ok() };
        write_glyph(m, &font, glyph, &GlyphSpacing::default(), None)
    }),
    ("charpath", |m| {
        m.pop()?;
        let text = m.pop_text()?.to_vec();
        show(m, &text, &GlyphSpacing::default())
    }),
    ("stringwidth", |m| {
        let text = m.pop_text()?.to_vec();
        let font = current_font(m)?;
        let matrix = font_matrix(m, &font);
        let mut width = (0.0, 0.0);
        for code in text {
            let glyph = glyph_of(m, &font, code);
            let (x, y) = matrix.apply_distance(glyph_advance(m, &font, glyph)?, 0.0);
            width = (width.0 + x, width.1 + y);
        }
        m.push_point(width)
    }),
    ("setcachedevice", |m| {
        super::drawing::drop_values(m, 4)?;
        measured(m)
    }),
    ("setcachedevice2", |m| {
        super::drawing::drop_values(m, 8)?;
        measured(m)
    }),
    ("setcharwidth", measured),
];

/// Spacing added to glyphs.
#[derive(Default)]
struct GlyphSpacing {
    every: (f64, f64),
    code: i64,
    one: (f64, f64),
}

/// A glyph of a font: its code and its name.
#[derive(Clone, Copy)]
struct GlyphCode {
    code: Option<u8>,
    name: Option<Key>,
}

fn measured(machine: &mut Machine) -> OperatorResult {
    let width = machine.pop_point()?;
    if machine.is_measuring == 0 {
        return Ok(());
    }
    machine.measured = Some(width);
    Err(Unwind::Width)
}

fn current_font(machine: &Machine) -> Result<Dict, Unwind> {
    machine.graphics.font.as_ref().map(Rc::clone).ok_or(Unwind::Error("invalidfont"))
}

fn font_matrix(machine: &mut Machine, font: &Dict) -> Matrix {
    match machine.entry(font, "FontMatrix") {
        Some(Value::Array(array, _)) => matrix_of(&array).unwrap_or(Matrix::IDENTITY),
        _ => Matrix::scale(0.001, 0.001),
    }
}

fn show(machine: &mut Machine, text: &[u8], spacing: &GlyphSpacing) -> OperatorResult {
    let font = current_font(machine)?;
    machine.pen()?;
    for &code in text {
        let glyph = glyph_of(machine, &font, code);
        write_glyph(machine, &font, glyph, spacing, None)?;
    }
    Ok(())
}

/// Shows glyphs with explicit steps: `xshow` and similar.
fn show_with_steps(
    machine: &mut Machine,
    width: usize,
    step: fn(&[f64]) -> (f64, f64),
) -> OperatorResult {
    let steps = match machine.pop()? {
        Value::Array(array, _) => array.to_vec().iter().filter_map(Value::number).collect(),
        _ => Vec::new(),
    };
    let text = machine.pop_text()?.to_vec();
    let font = current_font(machine)?;
    let mut steps = steps.chunks_exact(width);
    for code in text {
        let glyph = glyph_of(machine, &font, code);
        let step = steps.next().map(step);
        write_glyph(machine, &font, glyph, &GlyphSpacing::default(), step)?;
    }
    Ok(())
}

fn glyph_of(machine: &mut Machine, font: &Dict, code: u8) -> GlyphCode {
    let name = match machine.entry(font, "Encoding") {
        Some(Value::Array(names, _)) => names.get(usize::from(code)),
        _ => None,
    };
    let name = name.and_then(|name| machine.key(&name).ok());
    GlyphCode { code: Some(code), name }
}

/// Shows one glyph and moves the pen by its width or by `step`.
fn write_glyph(
    machine: &mut Machine,
    font: &Dict,
    glyph: GlyphCode,
    spacing: &GlyphSpacing,
    step: Option<(f64, f64)>,
) -> OperatorResult {
    let pen = machine.pen()?;
    let width = glyph_advance(machine, font, glyph)?;
    let to_page =
        font_matrix(machine, font).then(Matrix(without_translation(machine.graphics.matrix)));
    let (dx, dy) = to_page.apply_distance(width, 0.0);
    let end = (pen.0 + dx, pen.1 + dy);
    if machine.is_measuring == 0 {
        let text = glyph_text(machine, font, glyph);
        let direction = match step {
            _ if dx != 0.0 || dy != 0.0 => (dx, dy),
            _ => to_page.apply_distance(1.0, 0.0),
        };
        let height = letter_height(machine, font);
        let (up_x, up_y) = to_page.apply_distance(0.0, height);
        let size = up_x.hypot(up_y);
        machine.layout.add(&Glyph { text: &text, start: pen, end, direction, size });
    }
    let matrix = machine.graphics.matrix;
    let (x, y) = match step {
        Some((x, y)) => matrix.apply_distance(x, y),
        None => {
            let is_one = glyph.code.is_some_and(|code| i64::from(code) == spacing.code);
            let one = if is_one { spacing.one } else { (0.0, 0.0) };
            let (more_x, more_y) = (spacing.every.0 + one.0, spacing.every.1 + one.1);
            let (more_x, more_y) = matrix.apply_distance(more_x, more_y);
            (dx + more_x, dy + more_y)
        }
    };
    machine.graphics.pen = Some((pen.0 + x, pen.1 + y));
    Ok(())
}

fn without_translation(matrix: Matrix) -> [f64; 6] {
    let [a, b, c, d, _, _] = matrix.0;
    [a, b, c, d, 0.0, 0.0]
}

fn is_drawn_by_procedures(machine: &mut Machine, font: &Dict) -> bool {
    matches!(machine.entry(font, "FontType"), Some(Value::Int(3)))
}

/// Returns the text of a glyph.
fn glyph_text(machine: &mut Machine, font: &Dict, glyph: GlyphCode) -> String {
    let is_type3 = is_drawn_by_procedures(machine, font);
    let by_code = |encoding: Encoding| {
        let text = glyph.code.and_then(|code| encoding.text(code));
        text.unwrap_or_default().to_owned()
    };
    if is_type3 && has_numbered_names(machine, font) {
        return by_code(Encoding::Tex);
    }
    let Some(Key::Name(symbol)) = glyph.name else { return by_code(Encoding::Standard) };
    let name = machine.name(symbol);
    let name = String::from_utf8_lossy(&name);
    match text_of_name(&name) {
        Some(text) => text,
        None if name == ".notdef" => String::new(),
        None => by_code(if is_type3 { Encoding::Tex } else { Encoding::Standard }),
    }
}

/// Whether names only number the glyphs, as dvips does: `A0`, `A1` and so on.
fn has_numbered_names(machine: &mut Machine, font: &Dict) -> bool {
    let Some(Value::Array(names, _)) = machine.entry(font, "Encoding") else { return false };
    let is = |index: usize, wanted: &[u8]| match names.get(index) {
        Some(name) => super::arrays::written(machine, &name) == wanted,
        None => false,
    };
    is(0, b"A0") && is(1, b"A1")
}

/// Returns the height of letters in font coordinates; for drawn glyphs, estimated from their widths.
fn letter_height(machine: &mut Machine, font: &Dict) -> f64 {
    if !is_drawn_by_procedures(machine, font) {
        let matrix = machine.entry(font, "FontType");
        return if matches!(matrix, Some(Value::Int(42))) { 1.0 } else { 1000.0 };
    }
    let number = font_number(machine, font);
    let widths = machine.widths.range_of(number);
    let widths: Vec<f64> = widths.filter(|width| *width > 0.0).collect();
    if widths.is_empty() {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "there are at most 256")]
    let mean = widths.iter().sum::<f64>() / widths.len() as f64;
    2.0 * mean
}

/// Returns a number that identifies a font, however it is scaled.
fn font_number(machine: &mut Machine, font: &Dict) -> usize {
    match machine.entry(font, "FID") {
        Some(Value::Int(number)) => usize::try_from(number).unwrap_or(0),
        _ => Rc::as_ptr(font).addr(),
    }
}

/// Returns the width of a glyph in font coordinates.
fn glyph_advance(machine: &mut Machine, font: &Dict, glyph: GlyphCode) -> Result<f64, Unwind> {
    if is_drawn_by_procedures(machine, font) {
        return drawn_width(machine, font, glyph);
    }
    if let Some(key) = glyph.name
        && let Some(Value::Dict(glyphs)) = machine.entry(font, "CharStrings")
    {
        let found = glyphs.borrow().get(&key).cloned();
        if let Some(Value::Text(description)) = found {
            let private = machine.entry(font, "Private");
            let n_random = match private {
                Some(Value::Dict(private)) => machine.entry(&private, "lenIV"),
                _ => None,
            };
            let n_random = n_random.and_then(|number| number.number()).unwrap_or(4.0);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "`as` saturates"
            )]
            let n_random = n_random.max(0.0) as usize;
            if let Some(width) = glyph_width(&description.to_vec(), n_random) {
                return Ok(width);
            }
        }
    }
    let name = machine.entry(font, "FontName").unwrap_or(Value::Null);
    let name = super::arrays::written(machine, &name);
    let text = glyph_text(machine, font, glyph);
    let units = match machine.entry(font, "FontType") {
        Some(Value::Int(42)) => 1.0,
        _ => 1000.0,
    };
    Ok(standard_width(&String::from_utf8_lossy(&name), &text) * units)
}

/// Runs the drawing procedure of a glyph until it sets the width.
fn drawn_width(machine: &mut Machine, font: &Dict, glyph: GlyphCode) -> Result<f64, Unwind> {
    let number = font_number(machine, font);
    if let Some(code) = glyph.code
        && let Some(width) = machine.widths.get(number, code)
    {
        return Ok(width);
    }
    let by_name = machine.entry(font, "BuildGlyph");
    let (procedure, operand) = match (by_name, glyph.name, glyph.code) {
        (Some(procedure), Some(Key::Name(symbol)), _) => (procedure, Value::Name(symbol, false)),
        (_, _, Some(code)) => match machine.entry(font, "BuildChar") {
            Some(procedure) => (procedure, Value::Int(i64::from(code))),
            None => return Ok(0.0),
        },
        _ => return Ok(0.0),
    };
    let (n_values, n_dicts, n_saved) =
        (machine.stack.len(), machine.dicts.len(), machine.saved.len());
    machine.save_graphics()?;
    machine.graphics.pen = Some((0.0, 0.0));
    machine.is_measuring += 1;
    machine.measured = None;
    machine.push(Value::Dict(Rc::clone(font)))?;
    machine.push(operand)?;
    let done = machine.run(procedure);
    machine.is_measuring = machine.is_measuring.saturating_sub(1);
    machine.stack.truncate(n_values);
    machine.dicts.truncate(n_dicts);
    machine.saved.truncate(n_saved + 1);
    machine.restore_graphics();
    if let Err(unwind_reason @ (Unwind::Limit(_) | Unwind::Quit)) = done {
        return Err(unwind_reason);
    }
    let width = machine.measured.take().map_or(0.0, |(x, _)| x);
    if let Some(code) = glyph.code {
        machine.widths.insert(number, code, width);
    }
    Ok(width)
}
