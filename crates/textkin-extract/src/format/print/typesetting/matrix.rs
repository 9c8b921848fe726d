//! Transformations of positions on a page.

/// An affine transformation: `x' = a x + c y + e`, `y' = b x + d y + f`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix(pub(crate) [f64; 6]);

impl Matrix {
    pub(crate) const IDENTITY: Self = Self([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub(crate) fn translation(x: f64, y: f64) -> Self {
        Self([1.0, 0.0, 0.0, 1.0, x, y])
    }

    pub(crate) fn scale(x: f64, y: f64) -> Self {
        Self([x, 0.0, 0.0, y, 0.0, 0.0])
    }

    pub(crate) fn rotation(degrees: f64) -> Self {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        Self([cosine, sine, -sine, cosine, 0.0, 0.0])
    }

    /// Applies `self`, then `next`.
    pub(crate) fn then(self, next: Self) -> Self {
        let ([a, b, c, d, e, f], [p, q, r, s, t, u]) = (self.0, next.0);
        Self([
            a * p + b * r,
            a * q + b * s,
            c * p + d * r,
            c * q + d * s,
            e * p + f * r + t,
            e * q + f * s + u,
        ])
    }

    /// Transforms the position `(x, y)`.
    pub(crate) fn apply(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    /// Transforms the distance `(x, y)`.
    pub(crate) fn apply_distance(self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, _, _] = self.0;
        (a * x + c * y, b * x + d * y)
    }

    /// Returns the inverse; `None` if the matrix is singular.
    pub(crate) fn inverse(self) -> Option<Self> {
        let [a, b, c, d, e, f] = self.0;
        let area = a * d - b * c;
        if area == 0.0 || !area.is_finite() {
            return None;
        }
        Some(Self([
            d / area,
            -b / area,
            -c / area,
            a / area,
            (c * f - d * e) / area,
            (b * e - a * f) / area,
        ]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inverse_undoes_the_transformation() {
        let matrix = Matrix::scale(2.0, 4.0).then(Matrix::translation(5.0, 7.0));
        assert_eq!(matrix.apply(1.0, 1.0), (7.0, 11.0));
        assert_eq!(matrix.apply_distance(1.0, 1.0), (2.0, 4.0));
        let back = matrix.then(matrix.inverse().unwrap());
        assert_eq!(back, Matrix::IDENTITY);
        assert_eq!(Matrix::scale(0.0, 1.0).inverse(), None);
    }
}
