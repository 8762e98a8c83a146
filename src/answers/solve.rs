//! Exact results of gomoku positions, and the checking of their proofs.

use serde::Serialize;

use crate::answers::error::ErrorReport;
use crate::answers::line::line_texts;
use crate::game::Notation;
use crate::gomoku::Board;
use crate::message::{Message, ToMessage};
use crate::solve::{CheckError, Proof, ProofKind, Solution, Value};
use crate::xiangqi::notation::MoveNotation;

/// The result of one position: schema `juzhong.solve/1`.
///
/// ```
/// use juzhong::answers::{LineRequest, SolveAnswer};
/// use juzhong::gomoku::Board;
/// use juzhong::solve::{Budget, Prover};
///
/// let moves = "h8 a1 h9 a2 h10 a3 h11".to_owned();
/// let typed = LineRequest { moves, ..LineRequest::default() }.read::<Board>()?;
/// let board = typed.line.position();
/// let answer = SolveAnswer::of(board, &Prover::default().solve(board, &Budget::default()));
/// assert_eq!((answer.value, answer.distance, answer.proof), ("loss", Some(2), Some("five")));
/// # Ok::<(), juzhong::answers::Refusal>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(
        rename = "Solution",
        description = "The object of `solve --json`, with the texts of its line."
    )
)]
pub struct SolveAnswer {
    /// The schema.
    #[cfg_attr(feature = "schemas", schemars(extend("const" = SolveAnswer::SCHEMA)))]
    pub schema: &'static str,
    /// The line of a batch.
    #[cfg_attr(feature = "schemas", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The position; none for a line of a batch that is no position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fen: Option<String>,
    /// `win`, `draw`, `loss` or `unknown` for the side to move.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["win", "draw", "loss", "unknown"])))]
    pub value: &'static str,
    /// Plies to the end of the game, of wins and losses.
    pub distance: Option<u32>,
    /// `five`, `table`, `vcf`, `exhaustive`, `threats` or `pns`; none if the value is unknown.
    #[cfg_attr(
        feature = "schemas",
        schemars(extend("enum" = ["five", "table", "vcf", "exhaustive", "threats", "pns", null]))
    )]
    pub proof: Option<&'static str>,
    /// Moves of both sides by the proof, by their coordinates.
    pub line: Vec<String>,
    /// The same in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts: Option<Vec<String>>,
    /// Positions that the provers looked at.
    pub nodes: u64,
    /// The reason why a line of a batch has no answer.
    #[cfg_attr(feature = "schemas", schemars(skip))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<ErrorReport>,
}

impl SolveAnswer {
    /// The schema.
    pub const SCHEMA: &str = "juzhong.solve/1";

    /// The answer for a position.
    #[must_use]
    pub fn of(board: &Board, solution: &Solution) -> Self {
        Self {
            schema: Self::SCHEMA,
            position: None,
            fen: Some(board.to_fen()),
            value: solution.value.name(),
            distance: solution.distance,
            proof: solution.kind.map(ProofKind::name),
            line: solution.line.iter().map(ToString::to_string).collect(),
            texts: None,
            nodes: solution.nodes,
            error: None,
        }
    }

    /// The answer for a position, with the moves of its line in a notation, too.
    #[must_use]
    pub fn with_texts(board: &Board, solution: &Solution, notation: MoveNotation) -> Self {
        let texts = line_texts(board, solution.line.iter().copied(), notation);
        Self { texts: Some(texts), ..Self::of(board, solution) }
    }

    /// The same as the answer to a line of a batch.
    #[must_use]
    pub fn in_batch(self, position: String) -> Self {
        Self { position: Some(position), ..self }
    }

    /// The answer to a line of a batch that is no position.
    #[must_use]
    pub const fn refused(position: String, error: ErrorReport) -> Self {
        Self {
            schema: Self::SCHEMA,
            position: Some(position),
            fen: None,
            value: Value::Unknown.name(),
            distance: None,
            proof: None,
            line: Vec::new(),
            texts: None,
            nodes: 0,
            error: Some(error),
        }
    }
}

/// The result of checking a proof: schema `juzhong.solve-check/1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckAnswer {
    /// The schema.
    pub schema: &'static str,
    /// The proof holds.
    pub valid: bool,
    /// The position.
    pub fen: String,
    /// The value that is proved: `win`, `draw` or `loss`.
    pub value: &'static str,
    /// Plies to the end of the game, of wins and losses.
    pub distance: Option<u32>,
    /// The kind of the proof.
    pub proof: &'static str,
    /// Nodes of the proof.
    pub nodes: usize,
    /// Positions that the checker looked at, if the proof holds.
    pub positions: Option<u64>,
    /// The reason why it does not hold.
    pub reason: Option<Message>,
}

impl CheckAnswer {
    /// The answer for a proof that was checked with that result.
    #[must_use]
    pub fn of(proof: &Proof, result: Result<u64, &CheckError>) -> Self {
        Self {
            schema: "juzhong.solve-check/1",
            valid: result.is_ok(),
            fen: proof.board.to_fen(),
            value: proof.value.name(),
            distance: proof.distance,
            proof: proof.kind.name(),
            nodes: proof.nodes.len(),
            positions: result.ok(),
            reason: result.err().map(ToMessage::message),
        }
    }
}
