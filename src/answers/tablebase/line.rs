//! Best play of both sides from a position: to mate, to the capture that counts, or once around the loop that decides.

use serde::Serialize;

use crate::answers::error::AnswerError;
use crate::answers::tablebase::clock::{Clock, ClockAnswer};
use crate::answers::tablebase::value::{TableKind, TableValue};
use crate::answers::verdict::verdict_name;
use crate::game::Line;
use crate::tablebase::{
    BestLine, BestMove, DecidingLoop, LoopMove, Material, Metric, Rules, Tables,
};
use crate::xiangqi::Position;
use crate::xiangqi::notation::{MoveNotation, format_move};

/// The best line from a position.
#[derive(Debug, Clone)]
pub struct BestPlay {
    /// The position where it begins.
    pub position: Position,
    /// The rules of the tables.
    pub rules: Rules,
    /// Their metric.
    pub metric: Metric,
    /// The line.
    pub line: BestLine,
    /// Its moves in the notation that was asked for.
    pub texts: Vec<String>,
    /// The clock of the position where it begins.
    pub clock: Clock,
}

/// The answer with the best line: schema `juzhong.tablebase.line/1`.
#[derive(Debug, Clone, Serialize)]
pub struct LineAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The position where the line begins.
    pub fen: String,
    /// The set of its pieces, in its canonical name.
    pub material: String,
    /// The kind of the tables.
    #[serde(flatten)]
    pub kind: TableKind,
    /// The value for the side to move.
    #[serde(flatten)]
    pub value: TableValue,
    /// The plies without a capture, and their effect.
    pub clock: ClockAnswer,
    /// The moves.
    pub moves: Vec<LineMove>,
    /// The position after them.
    pub last_fen: String,
    /// `mate`, `stalemate`, `capture`, `loop`, `draw` or `limit`.
    pub end: &'static str,
    /// The loop at the end of the line, if it ends with one.
    #[serde(rename = "loop")]
    pub repeated: Option<LoopAnswer>,
}

/// The moves of a best line alone, each with the position after it.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "TableLine"))]
pub struct LineMoves {
    /// The moves.
    pub moves: Vec<LineMove>,
}

/// A move of a best line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "TableLineMove"))]
pub struct LineMove {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the notation that was asked for.
    pub text: String,
    /// The position after it, where positions are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// The value for the side that makes it.
    #[serde(flatten)]
    pub value: TableValue,
}

/// A loop, and the verdict of the repetition rule on it.
#[derive(Debug, Clone, Serialize)]
pub struct LoopAnswer {
    /// Index of its first move in the line.
    pub start: usize,
    /// Its moves.
    pub moves: Vec<LoopStep>,
    /// `none`, `draw`, `red_loses` or `black_loses`.
    pub verdict: &'static str,
    /// The reason for the verdict.
    pub reason: Option<&'static str>,
}

/// A move of a loop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LoopStep {
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// It checks.
    pub check: bool,
    /// The squares of the pieces that it newly chases.
    pub chases: Vec<String>,
}

impl BestPlay {
    /// The best line of at most `plies` plies from the last position of `line`, its moves written in `notation`.
    ///
    /// See the [example](crate::answers::tablebase).
    ///
    /// # Errors
    ///
    /// The tables do not have a position, or are damaged.
    pub fn of(
        tables: &Tables,
        line: &Line<Position>,
        plies: usize,
        notation: MoveNotation,
    ) -> Result<Self, AnswerError> {
        let best = tables.best_line(line.position(), plies)?;
        Ok(Self {
            position: line.position().clone(),
            rules: tables.rules(),
            metric: tables.metric(),
            texts: move_texts(&best, notation),
            line: best,
            clock: Clock::of(line, tables),
        })
    }

    /// Returns true if the first move is a capture.
    #[must_use]
    pub fn begins_with_capture(&self) -> bool {
        let first = self.line.moves.first();
        first.is_some_and(|step| step.before.piece_at(step.mv.to()).is_some())
    }

    /// The answer with everything that is known of the line.
    #[must_use]
    pub fn answer(&self) -> LineAnswer {
        let BestLine { entry, position: last, end, repeated, .. } = &self.line;
        LineAnswer {
            schema: "juzhong.tablebase.line/1",
            fen: self.position.to_fen(),
            material: Material::of(&self.position).0.to_string(),
            kind: TableKind::new(self.rules, self.metric),
            value: (*entry).into(),
            clock: self.clock.answer(*entry, self.begins_with_capture()),
            moves: self.steps().collect(),
            last_fen: last.to_fen(),
            end: end.name(),
            repeated: repeated.as_ref().map(|repeated| self.loop_answer(repeated)),
        }
    }

    /// The moves, each with the position after it.
    #[must_use]
    pub fn moves(&self) -> LineMoves {
        let later = self.line.moves.iter().skip(1).map(|step| &step.before);
        let positions = later.chain([&self.line.position]);
        let with_position =
            |(step, position): (_, &Position)| LineMove { fen: Some(position.to_fen()), ..step };
        LineMoves { moves: self.steps().zip(positions).map(with_position).collect() }
    }

    fn steps(&self) -> impl Iterator<Item = LineMove> {
        self.line.moves.iter().zip(&self.texts).map(|(step, text)| LineMove {
            mv: step.mv.to_string(),
            text: text.clone(),
            fen: None,
            value: step.value.into(),
        })
    }

    fn loop_answer(&self, repeated: &DecidingLoop) -> LoopAnswer {
        let DecidingLoop { start, moves, judgement } = repeated;
        let steps = self.line.moves[*start..].iter().zip(moves);
        LoopAnswer {
            start: *start,
            moves: steps.map(|(step, loop_move)| LoopStep::of(step, loop_move)).collect(),
            verdict: verdict_name(judgement.verdict),
            reason: judgement.reason,
        }
    }
}

impl LoopStep {
    fn of(step: &BestMove, loop_move: &LoopMove) -> Self {
        Self {
            mv: step.mv.to_string(),
            check: loop_move.check,
            chases: loop_move.chases.into_iter().map(|square| square.to_string()).collect(),
        }
    }
}

/// The moves of a line in a notation.
#[must_use]
pub fn move_texts(line: &BestLine, notation: MoveNotation) -> Vec<String> {
    line.moves.iter().map(|step| format_move(&step.before, step.mv, notation)).collect()
}
