//! Reviews of games: each move with its source, its loss by endgame tables or by the evaluation, the better line,
//! and the accuracy of each side.
//!
//! [`Evaluators`] evaluate the positions of games, in as many threads as there are, each position once and as if
//! nothing had been searched before, so that limits of depth or nodes make the results repeatable; they take any
//! [`Analyst`], the own engine by default. Moves that seem to be faults are looked at again ([`compare()`]). [`review()`]
//! makes of a game, its evaluations and the [`ReviewBooks`] a [`GameReview`]; [`annotate()`] writes that into a record,
//! and a [`Summary`] adds many of them up. [`ReviewJournal`] keeps evaluations, so that an interrupted review goes on.

mod analyst;
mod annotate;
mod books;
mod clock;
mod compare;
mod evaluate;
mod game_review;
mod journal;
mod marks;
mod phases;
mod summary;
mod values;

pub use analyst::{Analyst, ClientAnalyst, Finding, Question};
pub use annotate::{Annotated, Comment, annotate};
pub use books::{BookFinding, BookShare, KNOWN_GAMES, ReviewBooks};
pub use clock::times_used;
pub use compare::{SecondLook, Suspect, compare, rounds};
pub use evaluate::{
    Analysts, EvaluationStep, Evaluators, ReviewError, ReviewOptions, USUAL_EFFORT,
};
pub use game_review::{
    BookExit, GameReview, PhaseSummary, ReviewedMove, SideSummary, TableLoss, TableTruth,
    TurningPoint, review,
};
pub use journal::ReviewJournal;
pub use marks::{Certainty, Mark, Valuation, expected_score, mean_accuracy, move_accuracy};
pub use phases::GamePhase;
pub use summary::{Summary, SummaryRow, SummarySums};
pub(crate) use values::{Ending, ending};
pub use values::{GameMoves, GameValues, PositionValue, TableFacts};
