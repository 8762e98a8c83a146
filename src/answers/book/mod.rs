//! Answers about opening books.
//!
//! What asks a book has a request with a function `answer`, and a function before it that gives the findings as the
//! library has them, from which texts are written; what changes books or makes them is done by
//! [`crate::book`], and has the answer made of its report here.
//!
//! ```
//! use juzhong::answers::book::QueryRequest;
//! use juzhong::answers::LineRequest;
//! use juzhong::book::{Book, BuildOptions, ReadOptions, build};
//! use juzhong::xiangqi::Position;
//!
//! let folder = tempfile::tempdir()?;
//! let games = folder.path().join("games.pgn");
//! std::fs::write(&games, "1. h2e2 h9g7 1-0\n\n1. h2e2 h7e7 0-1\n\n1. g3g4 1/2-1/2\n")?;
//! let path = folder.path().join("a.book");
//! build::<Position>(&[games], &path, BuildOptions::default(), ReadOptions::default())?;
//!
//! let line = LineRequest { moves: "h2e2".to_owned(), ..LineRequest::default() };
//! let request = QueryRequest { line, ..QueryRequest::default() };
//! let answer = request.answer::<Position>(&Book::open(&path)?)?;
//! let texts: Vec<&str> = answer.moves.iter().map(|mv| mv.found.mv.as_str()).collect();
//! assert_eq!((answer.total, texts), (2, vec!["h7e7", "h9g7"]));
//! assert_eq!(serde_json::to_value(&answer)?["moves"][0]["black"], 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod classify;
mod doctor;
mod edit;
mod error;
mod exchange;
mod expand;
pub(crate) mod figures;
mod flag;
mod games;
mod moves;
mod names;
mod query;
mod repertoire;
mod reports;
#[cfg(test)]
mod sample_book;
mod score;
mod stats;
mod tree;

pub use classify::{
    ClassifiedLine, CodeComparison, CodeGames, CodePair, CodeResults, Comparison, DescribedOpening,
    GameOpening, GamesOpenings, LineOpening, OpeningCounts, classify_line,
};
pub use doctor::{DoctorAnswer, FindingAnswer, RepairAnswer};
pub use edit::{
    Changed, EditAnswer, EditOutcome, EditRequest, EditStep, Undone, edit_history, undo_edits,
};
pub use exchange::{
    ExportAnswer, GomokuImportAnswer, ImportAnswer, LibraryExportAnswer, LinesExportAnswer,
    LinesImportAnswer, TableImportAnswer, dialect_name, scores_name,
};
pub use expand::{ExitPlace, ExpandAnswer, Expansion, exit_kind, exit_text};
pub use figures::share;
pub use flag::{BannedLine, FlagAnswer, FlaggedLine};
pub use games::{FoundGames, GamesAnswer, GamesRequest, Ratings, SampleGame, next_move};
pub use moves::{EngineScore, MoveAnswer, Span, flag_names, moves_of};
pub use names::{Names, OpeningCode, OpeningName};
pub use query::{FoundPosition, Place, PlayedMoves, QueryAnswer, QueryMove, QueryRequest};
pub use repertoire::{
    DoubtfulPlace, RepertoireAnswer, RepertoireCheckAnswer, RepertoireMove, RepertoirePlace,
};
pub use reports::{
    BuildAnswer, MapAnswer, MergeAnswer, MergedPart, PackAnswer, PruneAnswer, ReduceAnswer,
    rekeyed_share,
};
pub use score::{ScoreAnswer, ScoreCounts, SourceScores};
pub use stats::{
    CountedRecords, Coverage, DepthCounts, FoundStats, FrequentOpening, Openings, PlayedLine,
    ScoreDifference, ScoredMove, SourceFile, StatsAnswer, StatsRequest, hash_text,
    played_line_text, played_move_text,
};
pub use tree::{Branch, FoundTree, MAX_TREE_MOVES, TreeAnswer, TreeMove, TreeMoves, TreeRequest};
