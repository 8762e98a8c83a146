//! Numbers and texts of Python as values of the library: colours, squares, results, paths, seeds.

use std::path::PathBuf;
use std::str::FromStr;

use juzhong::game::Side;
use juzhong::tablebase::Wdl;
use juzhong::xiangqi::Square;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::errors::value_error;

/// The colour of a side: `True` for Red, as `juzhong.RED`.
pub(crate) const fn color_of(side: Side) -> bool {
    matches!(side, Side::First)
}

/// The side of a colour.
pub(crate) const fn side_of(color: bool) -> Side {
    if color { Side::First } else { Side::Second }
}

/// The square of a number from 0 (a0) to 89 (i9).
pub(crate) fn square_of(number: i64) -> PyResult<Square> {
    let square = u8::try_from(number).ok().and_then(Square::new);
    square.ok_or_else(|| PyValueError::new_err(format!("square {number} is not from 0 to 89")))
}

/// 1 for a win, 0 for a draw, -1 for a loss.
pub(crate) const fn number_of(wdl: Wdl) -> i8 {
    match wdl {
        Wdl::Loss => -1,
        Wdl::Draw => 0,
        Wdl::Win => 1,
    }
}

/// The result of a number as [`number_of`] gives it.
pub(crate) fn wdl_of(number: i64) -> PyResult<Wdl> {
    [Wdl::Loss, Wdl::Draw, Wdl::Win]
        .into_iter()
        .find(|&wdl| i64::from(number_of(wdl)) == number)
        .ok_or_else(|| PyValueError::new_err(format!("wdl {number} is not 1, 0 or -1")))
}

/// A choice by its name: rules, a metric, a notation, a policy.
pub(crate) fn named<T: FromStr<Err: std::error::Error>>(name: &str) -> PyResult<T> {
    name.parse().map_err(value_error)
}

/// One path, or several.
#[derive(FromPyObject)]
pub(crate) enum Paths {
    /// One path.
    One(PathBuf),
    /// Any number of them.
    Many(Vec<PathBuf>),
}

impl From<Paths> for Vec<PathBuf> {
    fn from(paths: Paths) -> Self {
        match paths {
            Paths::One(path) => vec![path],
            Paths::Many(paths) => paths,
        }
    }
}

/// 64 bits from a `random.Random`, or from the module `random` if none is given.
pub(crate) fn seed_from(py: Python<'_>, random: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    match random {
        Some(random) => random.call_method1("getrandbits", (64,))?.extract(),
        None => py.import("random")?.call_method1("getrandbits", (64,))?.extract(),
    }
}
