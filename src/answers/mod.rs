//! Answers to questions, as programs read them: typed requests, one object and one function for each answer, and errors by
//! their kind. The command line and the web server stand on it; it knows neither options, nor addresses, nor languages.
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
pub mod book;
mod described;
mod error;
mod evaluation;
mod game_end;
mod gomoku;
mod line;
mod match_report;
mod perft;
mod position;
mod report;
mod review;
mod score;
mod sides;
mod solve;
pub mod tablebase;
mod verdict;
mod xiangqi;

pub use analysis::{Analysed, AnalysedLine, Analysis, AnalysisAnswer, KnownMove};
pub use bench::{BenchAnswer, BenchRow, MatesAnswer, SampledPosition};
pub use described::{BoardRequest, Described, Refusal, Start};
pub use error::{AnswerError, ErrorKind, ErrorReport, RefusedLine};
pub use evaluation::{
    Evaluation, GomokuEvaluation, ManValue, OwnAndOther, PartShare, SideWeights, TermCount,
    TermShare, Weight, XiangqiEvaluation,
};
pub use game_end::{EndPoint, GameEnd, shown_place};
pub use gomoku::{read_size, term_name};
pub use line::{LineRequest, Typed, legal_moves, line_texts, move_texts, parse_rules};
pub use match_report::{
    EngineInMatch, GameResults, MatchAnswer, MeansOfMoves, ResultsByColour, SprtState, Strength,
};
pub use perft::{MoveNodes, PerftAnswer};
pub use position::{ForbiddenPoint, PositionAnswer, PositionRequest};
pub use report::{ConfigAnswer, ConvertReport, DroppedParts, SettingInEffect};
pub use review::{
    LeftBook, MoveReview, NamedPlayers, ReviewAnswer, ReviewedGame, ShareInBook, SideReview,
    ValueByTables, ValuesByTables,
};
pub use score::{ScoreInNumbers, ScoreWithExpectation, moves_to_mate};
pub use sides::{NamedSides, side_name};
pub use solve::{CheckAnswer, SolveAnswer};
pub use verdict::{
    Chase, ChecksOfSides, Limit, LoopStep, Man, Repeated, SideConduct, VerdictExplanation,
    verdict_name,
};
