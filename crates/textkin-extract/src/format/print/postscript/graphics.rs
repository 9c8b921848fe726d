//! Graphics state: pen position, coordinate system, font.

use super::machine::{Machine, OperatorResult, Unwind};
use super::value::{Array, Dict, Value};
use crate::format::print::typesetting::matrix::Matrix;

/// Maximum saved states.
const MAX_SAVED: usize = 10_000;

#[derive(Clone)]
pub(super) struct Graphics {
    pub(super) matrix: Matrix,
    /// Pen position on the page.
    pub(super) pen: Option<(f64, f64)>,
    pub(super) start: (f64, f64),
    pub(super) font: Option<Dict>,
    /// Number of color components.
    pub(super) n_colors: usize,
}

impl Default for Graphics {
    fn default() -> Self {
        Self { matrix: Matrix::IDENTITY, pen: None, start: (0.0, 0.0), font: None, n_colors: 1 }
    }
}

impl Machine {
    pub(super) fn save_graphics(&mut self) -> OperatorResult {
        if self.saved.len() >= MAX_SAVED {
            return Err(Unwind::Error("limitcheck"));
        }
        self.saved.push(self.graphics.clone());
        Ok(())
    }

    pub(super) fn restore_graphics(&mut self) {
        if let Some(saved) = self.saved.pop() {
            self.graphics = saved;
        }
    }

    /// Returns the pen position, or an error if there is none.
    pub(super) fn pen(&self) -> Result<(f64, f64), Unwind> {
        self.graphics.pen.ok_or(Unwind::Error("nocurrentpoint"))
    }

    /// Moves the pen by a distance in user coordinates.
    pub(super) fn move_by(&mut self, x: f64, y: f64) -> OperatorResult {
        let pen = self.pen()?;
        let (dx, dy) = self.graphics.matrix.apply_distance(x, y);
        self.graphics.pen = Some((pen.0 + dx, pen.1 + dy));
        Ok(())
    }

    pub(super) fn pop_point(&mut self) -> Result<(f64, f64), Unwind> {
        let (y, x) = (self.pop_number()?, self.pop_number()?);
        Ok((x, y))
    }

    pub(super) fn push_point(&mut self, (x, y): (f64, f64)) -> OperatorResult {
        self.push(Value::Real(x))?;
        self.push(Value::Real(y))
    }

    pub(super) fn pop_matrix(&mut self) -> Result<Matrix, Unwind> {
        let array = self.pop_array()?;
        matrix_of(&array).ok_or(Unwind::Error("rangecheck"))
    }
}

/// Converts an array of six numbers to a matrix.
pub(super) fn matrix_of(array: &Array) -> Option<Matrix> {
    if array.length != 6 {
        return None;
    }
    let numbers: Option<Vec<f64>> = array.to_vec().iter().map(Value::number).collect();
    <[f64; 6]>::try_from(numbers?).ok().map(Matrix)
}

pub(super) fn write_matrix(array: &Array, matrix: Matrix) -> OperatorResult {
    for (index, number) in matrix.0.into_iter().enumerate() {
        array.put(index, Value::Real(number)).ok_or(Unwind::Error("rangecheck"))?;
    }
    Ok(())
}

pub(super) fn matrix_value(matrix: Matrix) -> Value {
    Value::Array(Array::new(matrix.0.into_iter().map(Value::Real).collect()), false)
}
