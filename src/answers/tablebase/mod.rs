//! Answers about endgame tables: values of positions, best lines, statistics, proofs, and the building of tables.
//!
//! A position and a line are looked up first ([`Probe`], [`BestPlay`]), for front ends show them in words, too, and then
//! made into an object by `answer`; the other objects are made at once.
//!
//! ```
//! use juzhong::answers::LineRequest;
//! use juzhong::answers::tablebase::{BestPlay, Probe, StatsAnswer, open_tables};
//! use juzhong::tablebase::{GenerateOptions, Metric, NoProgress, Rules, generate_all};
//! use juzhong::xiangqi::Position;
//! use juzhong::xiangqi::notation::MoveNotation;
//!
//! let folder = tempfile::tempdir()?;
//! let options = GenerateOptions { rules: Rules::Asian, ..GenerateOptions::default() };
//! generate_all(folder.path(), &["KRvK".parse()?], &options, &NoProgress)?;
//! let tables = open_tables(folder.path(), None, Metric::Dtm)?;
//!
//! let fen = Some("3k5/9/9/9/9/9/9/9/4R4/4K4 w".to_owned());
//! let typed = LineRequest { fen, ..LineRequest::default() }.read::<Position>()?;
//! let answer = Probe::of(&tables, &typed.line)?.answer(None);
//! assert_eq!((answer.value.wdl, answer.value.distance), ("win", Some(1)));
//! assert_eq!(answer.moves[0].mv, "e1d1");
//!
//! let play = BestPlay::of(&tables, &typed.line, 100, MoveNotation::Wxf)?;
//! assert_eq!(play.answer().end, "mate");
//!
//! let stats = StatsAnswer::of(&tables, "KRvK".parse()?)?;
//! assert_eq!(stats.red.longest_win, 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod clock;
mod errors;
mod generate;
mod line;
mod mine;
mod open;
mod probe;
mod progress;
mod random;
mod stats;
mod value;
mod verify;

pub use clock::{Clock, ClockAnswer, Effect};
pub use generate::{
    BuiltTable, GenerateAnswer, GeneratePlanAnswer, NeededTable, PlanAnswer, TableCost, WorkTotal,
};
pub use line::{BestPlay, LineAnswer, LineMove, LineMoves, LoopAnswer, LoopStep, move_texts};
pub use mine::{MineAnswer, MineCounts, MinedSet};
pub use open::{USUAL_RULES, open_tables};
pub use probe::{Probe, ProbeAnswer, ProbedMove};
pub use progress::{
    FinishedTable, PhaseOfTable, ProgressAnswer, ProgressEvent, StartedTable, WaitingTable,
};
pub use random::{RandomPosition, random_position};
pub use stats::{
    BeyondLimit, FailedTable, HistogramEntry, ListAnswer, ListedTable, ManualOpinion, NamedSet,
    SideStatsAnswer, StatsAnswer, TableEntry, TableSize,
};
pub use value::{TableKind, TableValue, is_beyond_limit};
pub use verify::{MismatchAnswer, ProvedTable, VerifiedTable, VerifyAnswer};
