//! Books of other programs: reading, writing, examining and mending them.
//!
//! Their hashes of positions cannot be read backwards (but for `.xqb`), so a book is imported by playing its
//! moves from the start of a game, and up to two other plies in between; the rows that are not reached are
//! counted. A format is recognised by its content, never by the name of the file.
//!
//! - [`import()`] makes one of the program's own books from a foreign one;
//! - [`export()`] the reverse;
//! - [`export_lines`] writes a book as a game with variations, and [`import_lines`] makes one of such games;
//! - [`import_gomoku`] and [`export_library`] are the same for gomoku, whose formats have positions or trees;
//! - [`examine`] finds the faults of a book, the program's own included, and [`repair()`] writes a clean
//!   copy; [`examine_gomoku`] and [`repair_gomoku`] do so for the program's own books of gomoku.
//!
//! # Stability
//!
//! The formats belong to others and are as `src/book/interop/*.rs` state them; the test vectors pin
//! each hash.

mod diagnosis;
mod doctor;
mod eleeye;
mod error;
mod export;
mod flat;
mod foreign;
mod gomoku;
mod hash_scheme;
mod import;
mod index;
mod issue;
mod lines;
mod load;
mod mailbox;
mod moonriver;
mod obk;
mod options;
pub(crate) mod own_book;
mod own_doctor;
mod own_walk;
mod pfbook;
mod polyglot;
mod progress;
mod recover;
mod repair;
mod rescue;
mod sniff;
mod sqlite;
mod table;
#[cfg(test)]
mod tests;
mod walk;
mod words;
mod write;
mod xqb;

use std::fmt;
use std::str::FromStr;

pub use diagnosis::{BookKind, Diagnosis, DoctorOptions, RepairReport};
pub use doctor::examine;
pub use error::InteropError;
pub use export::{ExportOptions, ExportReport, export};
pub use foreign::{ForeignKind, foreign_kind};
pub use gomoku::{
    GomokuImport, GomokuSource, examine_gomoku, export_library, import_gomoku, repair_gomoku,
};
pub use import::{ImportOptions, ImportReport, Scores, import};
pub use issue::{Finding, Issue};
pub use lines::{
    ExportedLines, LinesExportOptions, LinesImport, MAX_EXPORTED_DEPTH, MAX_EXPORTED_MOVES,
    export_lines, import_lines,
};
pub use obk::Dialect;
pub use options::FileImportOptions;
pub use own_book::create_empty;
pub use progress::{Step, StepProgress};
pub use repair::repair;
pub use sniff::sniff;
pub use table::{TableImport, import_table, table_game};
pub use walk::Reach;

use crate::xiangqi::{Position, Setup};

/// A format of another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BookFormat {
    /// `.obk`, SQLite: BHGUI and many others.
    Obk,
    /// `.pfBook`, SQLite: 鹏飞, 佳佳.
    PfBook,
    /// `.xqb`, SQLite: xqbook.
    Xqb,
    /// `BOOK.DAT`: `ElephantEye`, `XQWizard`.
    ElephantEye,
    /// `.xob`: `MoonRiver`.
    MoonRiver,
    /// `.bin`: `XBoard` for xiangqi, in `PolyGlot`'s form.
    Polyglot,
}

impl BookFormat {
    /// All six.
    pub const ALL: [Self; 6] =
        [Self::Obk, Self::PfBook, Self::Xqb, Self::ElephantEye, Self::MoonRiver, Self::Polyglot];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Obk => "obk",
            Self::PfBook => "pfbook",
            Self::Xqb => "xqb",
            Self::ElephantEye => "eleeye",
            Self::MoonRiver => "moonriver",
            Self::Polyglot => "polyglot",
        }
    }

    /// The layout of the format's SQLite table, if it is one.
    const fn layout(self) -> Option<&'static sqlite::Layout> {
        match self {
            Self::Obk => Some(&obk::LAYOUT),
            Self::PfBook => Some(&pfbook::LAYOUT),
            Self::Xqb => Some(&xqb::LAYOUT),
            Self::ElephantEye | Self::MoonRiver | Self::Polyglot => None,
        }
    }
}

impl fmt::Display for BookFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No format of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("unknown format; choose obk, pfbook, xqb, eleeye, moonriver or polyglot")]
pub struct UnknownBookFormat;

impl FromStr for BookFormat {
    type Err = UnknownBookFormat;
    fn from_str(text: &str) -> Result<Self, UnknownBookFormat> {
        Self::ALL.into_iter().find(|format| format.name() == text).ok_or(UnknownBookFormat)
    }
}

/// The key under which an `.xqb` has a position.
#[must_use]
pub fn xqb_key(position: &Position) -> Vec<u8> {
    xqb::encode(position).0.as_bytes().to_vec()
}

/// The board that a key of an `.xqb` stands for, the side to move being Red; `None` if it is none.
#[must_use]
pub fn xqb_board(key: &[u8]) -> Option<Setup> {
    xqb::decode(key)
}
