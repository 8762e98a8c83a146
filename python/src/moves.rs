//! Moves.

use juzhong::xiangqi::Move;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::square_of;
use crate::errors::invalid_uci;

/// A move: from one square to another. Hashable; ordered by the squares.
#[pyclass(name = "Move", module = "juzhong", frozen, eq, ord, hash, from_py_object)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct PyMove(pub(crate) Move);

#[pymethods]
#[expect(clippy::wrong_self_convention, reason = "the names are those of Python")]
impl PyMove {
    /// Makes a move of two different squares, numbers from 0 (a0) to 89 (i9).
    #[new]
    fn new(from_square: i64, to_square: i64) -> PyResult<Self> {
        let (from, to) = (square_of(from_square)?, square_of(to_square)?);
        if from == to {
            return Err(PyValueError::new_err("a move needs two different squares"));
        }
        Ok(Self(Move::new(from, to)))
    }

    /// Reads a move by its coordinates: `h2e2`, or `H2-E2` as ICCS writes it. The move need not be legal.
    ///
    /// Raises InvalidMoveError for any other text.
    #[staticmethod]
    fn from_uci(uci: &str) -> PyResult<Self> {
        Move::parse(uci).map(Self).ok_or_else(|| invalid_uci(uci))
    }

    /// The square that the piece leaves, from 0 (a0) to 89 (i9).
    #[getter]
    const fn from_square(&self) -> usize {
        self.0.from().index()
    }

    /// The square that the piece goes to, from 0 (a0) to 89 (i9).
    #[getter]
    const fn to_square(&self) -> usize {
        self.0.to().index()
    }

    /// Writes the move by its coordinates: `h2e2`.
    fn uci(&self) -> String {
        self.0.to_string()
    }

    /// The mirror image left to right.
    const fn mirrored(&self) -> Self {
        Self(self.0.mirrored())
    }

    fn __str__(&self) -> String {
        self.uci()
    }

    fn __repr__(&self) -> String {
        format!("Move.from_uci('{}')", self.0)
    }

    const fn __getnewargs__(&self) -> (usize, usize) {
        (self.from_square(), self.to_square())
    }
}
