//! The findings of searches, as they come: lines of an analysis, the move in the end, the move that the engine plays.

use std::time::Duration;

use serde::Serialize;

use crate::answers::described::Described;
use crate::answers::line::{line_texts, move_texts};
use crate::answers::score::ScoreAnswer;
use crate::engine::Choice;
use crate::search::Iteration;
use crate::xiangqi::notation::MoveNotation;

/// A line of an iteration.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct AnalysisInfo {
    /// Nominal plies.
    pub depth: u32,
    /// Its number, 1 the best.
    pub multipv: u32,
    /// Positions searched.
    pub nodes: u64,
    /// Nodes in a second.
    pub nps: u64,
    /// The moves by their coordinates.
    pub pv: Vec<String>,
    /// The score.
    pub score: ScoreAnswer,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// The moves of `pv` in the notation that moves are shown in.
    pub texts: Vec<String>,
    /// Milliseconds since the beginning.
    pub time_ms: u64,
    /// The chances that the side to move wins, draws and loses, of 1,000.
    pub wdl: [u16; 3],
}

impl AnalysisInfo {
    /// The line that a search of `position` has reported after that time.
    #[must_use]
    pub fn of<G: Described>(
        position: &G,
        iteration: &Iteration<G::Move>,
        time: Duration,
        notation: MoveNotation,
    ) -> Self {
        let Iteration { depth, seldepth, multipv, score, nodes, wdl, ref pv, .. } = *iteration;
        let per_second = nodes as f64 / time.as_secs_f64().max(0.001);
        Self {
            depth,
            multipv,
            nodes,
            nps: per_second as u64,
            pv: move_texts::<G>(pv),
            score: score.into(),
            seldepth,
            texts: line_texts(position, pv.iter().copied(), notation),
            time_ms: time.as_millis() as u64,
            wdl,
        }
    }
}

/// The last event: the best move, or null where there is none.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct BestMove {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// Its source: `book`, `table` or `search`.
    pub source: &'static str,
    /// In the notation that moves are shown in.
    pub text: String,
}

impl BestMove {
    /// The move chosen in a position.
    #[must_use]
    pub fn of<G: Described>(
        position: &G,
        choice: &Choice<G::Move>,
        notation: MoveNotation,
    ) -> Self {
        Self {
            mv: G::move_text(choice.mv),
            source: choice.source.name(),
            text: position.write_move(choice.mv, notation),
        }
    }
}

/// The move of the engine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "Chosen"))]
pub struct ChosenMove {
    /// Plies searched.
    pub depth: u32,
    /// The position after the move.
    pub fen: String,
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// Positions searched.
    pub nodes: u64,
    /// None from a book.
    pub score: Option<ScoreAnswer>,
    /// Its source.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["book", "table", "search"])))]
    pub source: &'static str,
    /// In the notation that moves are shown in.
    pub text: String,
}

impl ChosenMove {
    /// The move chosen in a position.
    #[must_use]
    pub fn of<G: Described>(
        position: &G,
        choice: &Choice<G::Move>,
        notation: MoveNotation,
    ) -> Self {
        let mut after = position.clone();
        after.make(choice.mv);
        Self {
            depth: choice.depth,
            fen: after.to_fen(),
            mv: G::move_text(choice.mv),
            nodes: choice.nodes,
            score: choice.score.map(ScoreAnswer::from),
            source: choice.source.name(),
            text: position.write_move(choice.mv, notation),
        }
    }
}
