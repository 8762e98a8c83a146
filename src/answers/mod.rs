//! Answers to questions, as programs read them: typed requests, one object and one function for each answer, and errors by
//! their kind. The command line and the web server stand on it; it knows neither options, nor addresses, nor languages.
//! With the feature `analysis` alone it has no answers about books, reviews and matches.
//!
//! ```
//! use juzhong::answers::{LineRequest, PositionRequest};
//! use juzhong::xiangqi::Position;
//!
//! let line = LineRequest { moves: "h2e2 h9g7".to_owned(), ..LineRequest::default() };
//! let request = PositionRequest { line, ..PositionRequest::default() };
//! let answer = request.answer::<Position>()?;
//! assert_eq!((answer.status, answer.legal_moves.len()), ("ongoing", 35));
//! # Ok::<(), juzhong::answers::AnswerError>(())
//! ```

mod analysis;
mod bench;
#[cfg(feature = "book")]
pub mod book;
#[cfg(feature = "book")]
pub mod collection;
mod described;
mod engines;
mod error;
#[cfg(feature = "engine")]
mod error_kinds;
mod evaluation;
mod found;
mod game_end;
mod game_entry;
mod games;
mod gomoku;
mod line;
#[cfg(feature = "engine")]
mod match_report;
mod moves;
mod perft;
mod position;
mod report;
#[cfg(feature = "engine")]
mod review;
#[cfg(feature = "engine")]
mod review_summary;
mod score;
mod sides;
mod solve;
pub mod tablebase;
#[cfg(feature = "engine")]
mod tournament_report;
#[cfg(feature = "engine")]
mod train;
mod verdict;
mod xiangqi;

pub use analysis::{Analysed, AnalysedLine, Analysis, AnalysisAnswer, KnownMove};
pub use bench::{BenchAnswer, BenchRow, MatesAnswer, SampledPosition};
pub use described::{BoardRequest, Described, Refusal, Start};
pub use engines::{
    AnnouncedOption, EngineAnswer, EngineChangeAnswer, EngineOptionValue, EngineTestAnswer,
    EngineTrial, EnginesAnswer,
};
pub use error::{AnswerError, ErrorKind, ErrorReport, RefusedLine};
pub use evaluation::{
    Evaluation, GomokuEvaluation, ManValue, NetworkEvaluation, OwnAndOther, PartShare, SideWeights,
    TermCount, TermShare, Weight, XiangqiEvaluation,
};
pub use found::{AnalysisInfo, BestMove, ChosenMove};
pub use game_end::{EndPoint, GameEnd, shown_place};
pub use game_entry::GameEntry;
pub use games::{FileGames, OpenedGames, UNNAMED, WriteRequest, game_json, read_game};
#[cfg(feature = "schemas")]
pub use games::{JsonGame, JsonVariation};
pub use gomoku::{read_size, term_name};
pub use line::{LineRequest, Typed, legal_moves, line_texts, move_texts, parse_rules};
#[cfg(feature = "engine")]
pub use match_report::{
    EngineInMatch, GameResults, MatchAnswer, MeansOfMoves, ResultsByColour, ResultsOfTwo,
    SprtState, Strength,
};
pub use moves::{LineAnswer, MoveOfLine, ReadMove};
pub use perft::{MoveNodes, PerftAnswer};
pub use position::{ForbiddenPoint, PositionAnswer, PositionRequest};
pub use report::{ConfigAnswer, ConvertReport, DroppedParts, SettingInEffect};
#[cfg(feature = "engine")]
pub use review::{
    ByPhase, LeftBook, MoveReview, NamedPlayers, PhaseReview, ReviewAnswer, ReviewedGame,
    SecondLookAnswer, ShareInBook, SideReview, TurningPointAnswer, ValueByTables, ValuesByTables,
};
#[cfg(feature = "engine")]
pub use review_summary::{OpeningRow, PlayerRow, ReviewSummaryAnswer, RowAnswer, SumsAnswer};
pub use score::{ScoreAnswer, ScoreInNumbers, ScoreWithExpectation, moves_to_mate};
pub use sides::{NamedSides, side_name};
pub use solve::{CheckAnswer, SolveAnswer};
#[cfg(feature = "engine")]
pub use tournament_report::{EngineInTournament, PairingAnswer, RatingAnswer, TournamentAnswer};
#[cfg(feature = "engine")]
pub use train::{
    AcceptedMove, AddedExercises, ComparedScores, DueExercise, ListedExercise, PassedOver,
    ScoreOfMove, ShareOfMove, TrainAnswer, TrainVerdict,
};
pub use verdict::{
    Chase, ChecksOfSides, Limit, LoopStep, Man, Repeated, SideConduct, VerdictExplanation,
    verdict_name,
};
