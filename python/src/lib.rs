//! The native half of the Python package `juzhong`: xiangqi positions, endgame tables, opening books and game
//! records, in the shapes that users of python-chess know.
//!
//! Each file is one noun of the package. `juzhong/__init__.py` and the modules beside it name what users see, and
//! `juzhong/_native.pyi` has the types. Exceptions are defined in Python (`juzhong/errors.py`).
//!
//! Work that may last is done detached from the interpreter, so that other threads run meanwhile. What is closed while
//! another thread uses it stays alive until that call is over: each call holds a share of its own.

mod board;
mod book;
mod convert;
mod errors;
mod games;
mod interrupt;
mod moves;
mod piece;
mod rules;
mod tablebase;
mod values;

use pyo3::prelude::*;

/// Xiangqi positions, endgame tables, opening books and game records.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::board::{Board, LegalMoves, parse_fens};
    #[pymodule_export]
    use crate::book::{BookEntry, BookReader, build_book};
    #[pymodule_export]
    use crate::games::{Game, GameReader, Variation, parse_games, read_games};
    #[pymodule_export]
    use crate::moves::PyMove;
    #[pymodule_export]
    use crate::piece::PyPiece;
    #[pymodule_export]
    use crate::rules::PyOutcome;
    #[pymodule_export]
    use crate::tablebase::{Tablebase, generate_tables};
    #[pymodule_export]
    use crate::values::{BestLine, SideStats, TableStats, TableValue};
}
