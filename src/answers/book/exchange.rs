//! Answers about books of other programs that were imported or exported.

use std::path::Path;

use serde::Serialize;

use crate::answers::book::figures::share;
use crate::book::interop::{
    BookFormat, Dialect, ExportReport, ExportedLines, GomokuImport, ImportReport, LinesImport,
    Scores, TableImport,
};
use crate::game::Game;

/// The name of the way in which an `.obk` stores its keys.
#[must_use]
pub const fn dialect_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Int64 => "int64",
        Dialect::Double => "double",
    }
}

/// The name of the use that was made of scores.
#[must_use]
pub const fn scores_name(scores: Scores) -> &'static str {
    match scores {
        Scores::Weight => "weights",
        Scores::Priority => "priorities",
        Scores::Drop => "dropped",
    }
}

/// The answer about an imported book of xiangqi: schema `juzhong.book.import/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ImportAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the foreign book.
    pub foreign: String,
    /// The path of the new book.
    pub book: String,
    /// The format read.
    pub format: &'static str,
    /// The way in which an `.obk` stores its keys: `int64` or `double`.
    pub dialect: Option<&'static str>,
    /// Moves were stored with origin and destination exchanged.
    pub swapped_moves: bool,
    /// Rows in the file.
    pub rows: u64,
    /// Rows imported.
    pub taken: u64,
    /// Imported rows beyond one for each move.
    pub merged: u64,
    /// Rows without a usable key, position or move.
    pub unreadable: u64,
    /// Rows whose move is illegal.
    pub illegal: u64,
    /// Rows not reached from the start.
    pub unreached: u64,
    /// Their share of all rows.
    pub unreached_share: f64,
    /// The search for rows was ended by its limit.
    pub cut: bool,
    /// Rows that say that their move may not be chosen.
    pub disabled: u64,
    /// Rows with a comment.
    pub comments: u64,
    /// Comments that were shortened.
    pub comments_shortened: u64,
    /// Rows whose move was stored exchanged, while others were not.
    pub swapped_rows: u64,
    /// Numbers that do not fit and were brought to the nearest that does.
    pub clamped: u64,
    /// Records with something learnt, which is left out.
    pub learning_dropped: u64,
    /// The use made of the scores: `weights`, `priorities` or `dropped`.
    pub scores: &'static str,
    /// Positions of the new book.
    pub positions: u64,
    /// Its moves.
    pub moves: u64,
    /// The digest of its rows.
    pub content: String,
}

impl ImportAnswer {
    /// The answer about the import from one path to another.
    #[must_use]
    pub fn of(foreign: &Path, book: &Path, report: &ImportReport) -> Self {
        let about = &report.metadata;
        Self {
            schema: IMPORT,
            foreign: foreign.to_string_lossy().into_owned(),
            book: book.to_string_lossy().into_owned(),
            format: report.format.name(),
            dialect: report.dialect.map(dialect_name),
            swapped_moves: report.is_swapped,
            rows: report.rows,
            taken: report.taken,
            merged: report.merged,
            unreadable: report.unreadable,
            illegal: report.illegal,
            unreached: report.unreached,
            unreached_share: share(report.unreached, report.rows),
            cut: report.is_cut,
            disabled: report.disabled,
            comments: report.comments,
            comments_shortened: report.shortened,
            swapped_rows: report.swapped_rows,
            clamped: report.clamped,
            learning_dropped: report.learning,
            scores: scores_name(report.scores),
            positions: about.positions,
            moves: about.rows,
            content: about.content.clone(),
        }
    }
}

const IMPORT: &str = "juzhong.book.import/1";

/// The answer about an imported book of gomoku: schema `juzhong.book.import/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GomokuImportAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the foreign book.
    pub foreign: String,
    /// The path of the new book.
    pub book: String,
    /// The kind of source.
    pub format: &'static str,
    /// Records in the file, or moves of its trees.
    pub rows: u64,
    /// Records and games that cannot be read.
    pub unreadable: u64,
    /// Records of positions to which no move leads.
    pub unreached: u64,
    /// Their share of all rows.
    pub unreached_share: f64,
    /// Moves with a comment.
    pub comments: u64,
    /// Positions with a score.
    pub scores: u64,
    /// Positions of the new book.
    pub positions: u64,
    /// Its moves.
    pub moves: u64,
    /// The digest of its rows.
    pub content: String,
}

impl GomokuImportAnswer {
    /// The answer about the import from one path to another.
    #[must_use]
    pub fn of(foreign: &Path, book: &Path, report: &GomokuImport) -> Self {
        let about = &report.metadata;
        Self {
            schema: IMPORT,
            foreign: foreign.to_string_lossy().into_owned(),
            book: book.to_string_lossy().into_owned(),
            format: report.source.name(),
            rows: report.rows,
            unreadable: report.unreadable,
            unreached: report.unreached,
            unreached_share: share(report.unreached, report.rows),
            comments: report.comments,
            scores: report.scores,
            positions: about.positions,
            moves: about.rows,
            content: about.content.clone(),
        }
    }
}

/// The answer about a book made of games with variations: schema `juzhong.book.import/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinesImportAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the games.
    pub foreign: String,
    /// The path of the new book.
    pub book: String,
    /// The kind of source.
    pub format: &'static str,
    /// Games.
    pub games: u64,
    /// Games that cannot be read, or begin elsewhere.
    pub unreadable: u64,
    /// Moves with a comment.
    pub comments: u64,
    /// Positions of the new book.
    pub positions: u64,
    /// Its moves.
    pub moves: u64,
    /// The digest of its rows.
    pub content: String,
}

impl LinesImportAnswer {
    /// The answer about the import from one path to another.
    #[must_use]
    pub fn of(foreign: &Path, book: &Path, report: &LinesImport) -> Self {
        let about = &report.metadata;
        Self {
            schema: IMPORT,
            foreign: foreign.to_string_lossy().into_owned(),
            book: book.to_string_lossy().into_owned(),
            format: "games",
            games: report.games,
            unreadable: report.unreadable,
            comments: report.comments,
            positions: about.positions,
            moves: about.rows,
            content: about.content.clone(),
        }
    }
}

/// The answer about a book made of a table: schema `juzhong.book.import/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TableImportAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the table.
    pub foreign: String,
    /// The path of the new book.
    pub book: String,
    /// The kind of source.
    pub format: &'static str,
    /// Rows of the table.
    pub rows: u64,
    /// Rows that cannot be read.
    pub unreadable: u64,
    /// The line of the first of these.
    pub first_unreadable: Option<u64>,
    /// Moves with a comment.
    pub comments: u64,
    /// Positions of the new book.
    pub positions: u64,
    /// Its moves.
    pub moves: u64,
    /// The digest of its rows.
    pub content: String,
}

impl TableImportAnswer {
    /// The answer about the import from one path to another.
    #[must_use]
    pub fn of(foreign: &Path, book: &Path, report: &TableImport) -> Self {
        let about = &report.metadata;
        Self {
            schema: IMPORT,
            foreign: foreign.to_string_lossy().into_owned(),
            book: book.to_string_lossy().into_owned(),
            format: "csv",
            rows: report.rows,
            unreadable: report.unreadable,
            first_unreadable: report.first_unreadable,
            comments: report.comments,
            positions: about.positions,
            moves: about.rows,
            content: about.content.clone(),
        }
    }
}

/// The answer about a book that was written as a game with variations: schema `juzhong.book.export/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LinesExportAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// The path of the file written.
    pub output: String,
    /// The format.
    pub format: &'static str,
    /// Moves written.
    pub moves: usize,
    /// Lines that end at a position whose moves stand elsewhere.
    pub transpositions: usize,
    /// Moves of the positions that are reached least are left out: there are too many.
    pub is_cut: bool,
}

impl LinesExportAnswer {
    /// The answer about the export from one path to another.
    #[must_use]
    pub fn of<G: Game>(book: &Path, output: &Path, lines: &ExportedLines<G>) -> Self {
        Self {
            schema: EXPORT,
            book: book.to_string_lossy().into_owned(),
            output: output.to_string_lossy().into_owned(),
            format: "pgn",
            moves: lines.moves,
            transpositions: lines.transpositions,
            is_cut: lines.is_cut,
        }
    }
}

const EXPORT: &str = "juzhong.book.export/1";

/// The answer about a book that was exported to the format of another program of xiangqi: schema
/// `juzhong.book.export/1`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ExportAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// The path of the file written.
    pub output: String,
    /// The format.
    pub format: &'static str,
    /// The export, and what was lost by it.
    #[serde(flatten)]
    pub report: ExportReport,
    /// The share of the moves whose positions are not reached from the start.
    pub unreached_share: f64,
}

impl ExportAnswer {
    /// The answer about the export from one path to another.
    #[must_use]
    pub fn of(book: &Path, output: &Path, format: BookFormat, report: &ExportReport) -> Self {
        Self {
            schema: EXPORT,
            book: book.to_string_lossy().into_owned(),
            output: output.to_string_lossy().into_owned(),
            format: format.name(),
            report: report.clone(),
            unreached_share: share(report.unreached, report.moves),
        }
    }
}

/// The answer about a book of gomoku that was exported as a library of `RenLib`: schema `juzhong.book.export/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LibraryExportAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The path of the book.
    pub book: String,
    /// The path of the file written.
    pub output: String,
    /// The format.
    pub format: &'static str,
    /// Moves written.
    pub moves: u64,
}

impl LibraryExportAnswer {
    /// The answer about the export of a number of moves from one path to another.
    #[must_use]
    pub fn of(book: &Path, output: &Path, moves: u64) -> Self {
        Self {
            schema: EXPORT,
            book: book.to_string_lossy().into_owned(),
            output: output.to_string_lossy().into_owned(),
            format: "lib",
            moves,
        }
    }
}
