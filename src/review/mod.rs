//! Reviews of games: each move with its source, its loss by endgame tables or by the evaluation, the better line,
//! and the accuracy of each side.
//!
//! [`Evaluators`] evaluate the positions of games, in as many threads as there are, each position once and as if
//! nothing had been searched before, so that limits of depth or nodes make the results repeatable. [`review()`] makes
//! of a game, its evaluations and the [`ReviewBooks`] a [`GameReview`]; [`annotate()`] writes that into a record.
//! [`ReviewJournal`] keeps evaluations, so that an interrupted review goes on.

mod annotate;
mod books;
mod evaluate;
mod figures;
mod game_review;
mod journal;

pub use annotate::{Annotated, Comment, annotate};
pub use books::{BookFinding, BookShare, ReviewBooks};
pub use evaluate::{
    Evaluators, GameMoves, GameValues, PositionValue, ReviewError, ReviewOptions, TableFacts,
};
pub use figures::{Mark, expected_score, mean_accuracy, move_accuracy};
pub use game_review::{
    BookExit, GameReview, ReviewedMove, SideSummary, TableLoss, TableTruth, review,
};
pub use journal::ReviewJournal;
