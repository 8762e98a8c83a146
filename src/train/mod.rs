//! Training: positions in which a move is to be found, and when they come again.
//!
//! An [`Exercise`] is such a position with the moves that are right. [`exercises_of`] makes them of reviews, of positions
//! of endgame tables, and of a repertoire: games or a book. A [`Collection`] is a file of them, with the [`Schedule`] of each:
//! spaced repetition. An [`Examiner`] says whether a move is right that the exercise does not know.
//!
//! Nothing here reads the calendar: the [`Day`] of an answer is handed in.

mod collection;
mod day;
mod examiner;
mod exercise;
mod schedule;
mod sources;

pub use collection::{Added, Collection, MAX_EXERCISES, MAX_FILE, TrainError};
pub use day::{Day, UnknownDay};
pub use examiner::{Compared, Examined, Examiner, Ground};
pub use exercise::{
    Accepted, BookFacts, Exercise, Kind, MAX_ACCEPTED, MAX_LINE, MAX_PLIES, MAX_SOURCE, Opened,
    ScoreFacts, TableFacts, TableResult,
};
pub use schedule::{Grade, Schedule};
pub use sources::{
    Found, MAX_DEPTH, MAX_SOURCE_BYTES, SourceError, SourceOptions, exercises_of,
    exercises_of_book, is_book,
};
