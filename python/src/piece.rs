//! Pieces.

use juzhong::xiangqi::{Piece, Role};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::convert::{color_of, side_of};

/// The number of a role in Python, as `juzhong.KING` to `juzhong.ELEPHANT`: 1 and up.
const fn number_of(role: Role) -> usize {
    role.index() + 1
}

/// The role of a number as [`number_of`] gives it.
pub(crate) fn role_of(piece_type: i64) -> PyResult<Role> {
    let index = usize::try_from(piece_type).ok().and_then(|number| number.checked_sub(1));
    index.and_then(|index| Role::ALL.get(index).copied()).ok_or_else(|| {
        PyValueError::new_err(format!(
            "piece type {piece_type} is not from 1 (king) to 7 (elephant)"
        ))
    })
}

/// A piece: its type and colour. Hashable.
#[pyclass(name = "Piece", module = "juzhong", frozen, eq, hash)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PyPiece(pub(crate) Piece);

#[pymethods]
impl PyPiece {
    /// Makes a piece of a type (`juzhong.KING` to `juzhong.ELEPHANT`) and a colour.
    #[new]
    fn new(piece_type: i64, color: bool) -> PyResult<Self> {
        Ok(Self(Piece::new(side_of(color), role_of(piece_type)?)))
    }

    /// The piece of a letter of FEN: KABNRCP, capitals for Red.
    #[staticmethod]
    fn from_symbol(symbol: &str) -> PyResult<Self> {
        let mut letters = symbol.chars();
        let piece = letters.next().and_then(Piece::from_letter);
        match (piece, letters.next()) {
            (Some(piece), None) => Ok(Self(piece)),
            _ => Err(PyValueError::new_err("no letter of a piece (use KABNRCP, capitals for Red)")),
        }
    }

    /// The type, from 1 (`juzhong.KING`) to 7 (`juzhong.ELEPHANT`).
    #[getter]
    const fn piece_type(&self) -> usize {
        number_of(self.0.role())
    }

    /// The colour: `juzhong.RED` or `juzhong.BLACK`.
    #[getter]
    const fn color(&self) -> bool {
        color_of(self.0.side())
    }

    /// The letter of FEN: capitals for Red.
    const fn symbol(&self) -> char {
        self.0.letter()
    }

    const fn __str__(&self) -> char {
        self.symbol()
    }

    fn __repr__(&self) -> String {
        format!("Piece.from_symbol('{}')", self.symbol())
    }

    const fn __getnewargs__(&self) -> (usize, bool) {
        (self.piece_type(), self.color())
    }
}
