//! Errors of the library as Python exceptions. The classes are defined in `juzhong/errors.py`.

use std::io;
use std::path::Path;

use juzhong::book::BookError;
use juzhong::bytes::sealed::SealError;
use juzhong::record::BadGame;
use juzhong::tablebase::TableError;
use juzhong::xiangqi::FenError;
use juzhong::xiangqi::notation::MoveError;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;

/// The exception classes of the package.
mod classes {
    pyo3::import_exception!(juzhong.errors, AmbiguousMoveError);
    pyo3::import_exception!(juzhong.errors, BuildError);
    pyo3::import_exception!(juzhong.errors, ClosedError);
    pyo3::import_exception!(juzhong.errors, DamagedFileError);
    pyo3::import_exception!(juzhong.errors, GameError);
    pyo3::import_exception!(juzhong.errors, IllegalMoveError);
    pyo3::import_exception!(juzhong.errors, IllegalPositionError);
    pyo3::import_exception!(juzhong.errors, InvalidFenError);
    pyo3::import_exception!(juzhong.errors, InvalidMoveError);
    pyo3::import_exception!(juzhong.errors, MissingTableError);
    pyo3::import_exception!(juzhong.errors, UnsupportedFileError);
}

use classes::{
    AmbiguousMoveError, DamagedFileError, GameError, IllegalPositionError, InvalidFenError,
    InvalidMoveError, UnsupportedFileError,
};
pub(crate) use classes::{BuildError, ClosedError, IllegalMoveError, MissingTableError};

/// A `ValueError` with the message of an error of the library.
pub(crate) fn value_error(error: impl std::error::Error) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// The exception for a text that is no FEN of a legal position; `place` names the argument in front of the message.
pub(crate) fn fen_error(error: &FenError, place: &str) -> PyErr {
    let message = format!("{place}{error}");
    match error {
        FenError::Illegal(errors) => {
            let reasons: Vec<String> = errors.0.iter().map(ToString::to_string).collect();
            IllegalPositionError::new_err((message, reasons))
        }
        _ => InvalidFenError::new_err(message),
    }
}

/// The exception for a text that is no legal move.
pub(crate) fn move_error(error: &MoveError) -> PyErr {
    let message = error.to_string();
    match error {
        MoveError::Ambiguous { .. } => AmbiguousMoveError::new_err(message),
        MoveError::Illegal { .. } | MoveError::NoSuchPiece(_) => IllegalMoveError::new_err(message),
        _ => InvalidMoveError::new_err(message),
    }
}

/// The exception for a text that is no move by its coordinates.
pub(crate) fn invalid_uci(text: &str) -> PyErr {
    let shown: String = text.chars().take(20).collect();
    InvalidMoveError::new_err(format!("{shown:?} is no move by coordinates, such as h2e2"))
}

/// The `OSError` of an operation on a file or folder: of the subclass that its number has.
pub(crate) fn os_error(path: &Path, error: &io::Error) -> PyErr {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(code) => {
            let text = text.split(" (os error").next().unwrap_or_default().to_owned();
            PyOSError::new_err((code, text, path.as_os_str().to_owned()))
        }
        None => PyOSError::new_err(format!("{}: {text}", path.display())),
    }
}

/// The exception for a table that is missing, unreadable or damaged.
pub(crate) fn table_error(error: &TableError) -> PyErr {
    match error {
        TableError::Missing { .. } => MissingTableError::new_err(error.to_string()),
        TableError::Read { path, source } | TableError::Write { path, source } => {
            os_error(path, source)
        }
        TableError::Header { fault: SealError::Version { .. }, .. } => {
            UnsupportedFileError::new_err(error.to_string())
        }
        _ => DamagedFileError::new_err(error.to_string()),
    }
}

/// The exception for a book that is unreadable, damaged or none.
pub(crate) fn book_error(error: &BookError) -> PyErr {
    match error {
        BookError::Io { path, source } => os_error(path, source),
        BookError::Truncated { .. } | BookError::Damaged { .. } => {
            DamagedFileError::new_err(error.to_string())
        }
        _ => UnsupportedFileError::new_err(error.to_string()),
    }
}

/// The exception for a failure to build a book or tables, its causes included.
pub(crate) fn build_error(error: &dyn std::error::Error) -> PyErr {
    let mut message = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    BuildError::new_err(message)
}

/// The exception object that stands for a game, or a part of one, that could not be read.
pub(crate) fn game_error(py: Python<'_>, bad: &BadGame) -> Py<PyAny> {
    let place = bad.place.within(&bad.source);
    let arguments = (bad.to_string(), bad.source.clone(), place, bad.game, bad.reason.bad_ply());
    GameError::new_err(arguments).into_value(py).into_any()
}
