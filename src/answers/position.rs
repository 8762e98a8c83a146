//! A position: legal moves, key, status, the verdict of the rules on the line to it, its evaluation.

use serde::Serialize;

use crate::answers::described::{Described, Refusal};
use crate::answers::error::{AnswerError, ErrorKind};
use crate::answers::evaluation::Evaluation;
use crate::answers::line::{LineRequest, Typed, legal_moves, parse_rules};
use crate::answers::verdict::{VerdictExplanation, verdict_name};
use crate::game::Horizon;
use crate::message::Message;
use crate::xiangqi::notation::MoveNotation;

/// The question about a position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PositionRequest {
    /// The position with the moves before it.
    pub line: LineRequest,
    /// The name of the rules that judge repetitions; the usual ones if there is none.
    pub rules: Option<String>,
    /// The notation in which texts of moves are wanted beside their coordinates.
    pub notation: Option<MoveNotation>,
    /// The evaluation is wanted, too.
    pub evaluation: bool,
}

impl PositionRequest {
    /// The answer; of an illegal position it says why.
    ///
    /// # Errors
    ///
    /// The position or a move cannot be read, or the rules are not known.
    pub fn answer<G: Described>(&self) -> Result<PositionAnswer, AnswerError> {
        let rules = parse_rules::<G>(self.rules.as_deref())?;
        match self.line.read::<G>() {
            Ok(typed) => Ok(PositionAnswer::of(&typed, rules, self.notation, self.evaluation)),
            Err(Refusal::Illegal { text, reasons }) => Ok(PositionAnswer::illegal(text, reasons)),
            Err(Refusal::Unreadable(message)) => Err(AnswerError::new(ErrorKind::BadData, message)),
        }
    }
}

/// The answer: schema `juzhong.position/1`.
#[derive(Debug, Serialize)]
#[cfg_attr(
    feature = "schemas",
    derive(schemars::JsonSchema),
    schemars(rename = "Position", description = "The object of `position --json`.")
)]
pub struct PositionAnswer {
    /// The schema.
    #[cfg_attr(feature = "schemas", schemars(extend("const" = SCHEMA)))]
    pub schema: &'static str,
    /// The position with its counters.
    pub fen: String,
    /// The key of the stored table, 16 hexadecimal digits; none for an illegal position.
    pub key: Option<String>,
    /// The side to move is in check.
    pub in_check: bool,
    /// The legal moves by their coordinates, sorted.
    pub legal_moves: Vec<String>,
    /// The same in the notation that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub legal_texts: Option<Vec<String>>,
    /// The points where a move is forbidden, with the reason.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<ForbiddenPoint>,
    /// `ongoing`, how the game ended, or `illegal`.
    #[cfg_attr(
        feature = "schemas",
        schemars(extend("enum" = ["ongoing", "checkmate", "stalemate", "won", "drawn", "illegal"]))
    )]
    pub status: &'static str,
    /// The verdict of the rules on repetition and on moves without a capture.
    #[cfg_attr(feature = "schemas", schemars(extend("enum" = ["none", "draw", "red_loses", "black_loses"])))]
    pub verdict: &'static str,
    /// The reason for the verdict; for an illegal position all reasons.
    pub reason: Option<String>,
    /// The reasons why the position is illegal.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schemas", schemars(with = "Vec<String>"))]
    pub reasons: Vec<Message>,
    /// The evaluation, if it was wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub eval: Option<Evaluation>,
    /// The loop and the count of moves that led to the verdict.
    #[serde(flatten)]
    pub explanation: VerdictExplanation,
}

/// A point where a move is forbidden.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema))]
pub struct ForbiddenPoint {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The reason.
    pub reason: &'static str,
}

const SCHEMA: &str = "juzhong.position/1";

impl PositionAnswer {
    /// The description of a position that breaks the rules, for these reasons.
    #[must_use]
    pub fn illegal(fen: String, reasons: Vec<Message>) -> Self {
        Self {
            schema: SCHEMA,
            fen,
            key: None,
            in_check: false,
            legal_moves: Vec::new(),
            legal_texts: None,
            forbidden: Vec::new(),
            status: "illegal",
            verdict: "none",
            reason: Some(Message::list(reasons.iter().cloned()).to_string()),
            reasons,
            eval: None,
            explanation: VerdictExplanation::default(),
        }
    }

    /// The description of the last position of a line.
    #[must_use]
    pub fn of<G: Described>(
        typed: &Typed<G>,
        rules: G::Rules,
        notation: Option<MoveNotation>,
        evaluation: bool,
    ) -> Self {
        let line = &typed.line;
        let position = line.position();
        let moves = legal_moves(position);
        let judgement = G::judge(line, rules, Horizon::Game);
        let forbidden = position.forbidden_points().into_iter();
        Self {
            schema: SCHEMA,
            fen: G::line_text(line, typed.fullmoves),
            key: Some(position.key().to_string()),
            in_check: position.in_check(),
            legal_moves: moves.iter().map(|&mv| G::move_text(mv)).collect(),
            legal_texts: notation.map(|notation| {
                moves.iter().map(|&mv| position.write_move(mv, notation)).collect()
            }),
            forbidden: forbidden
                .map(|(mv, reason)| ForbiddenPoint { mv: G::move_text(mv), reason })
                .collect(),
            status: position.status(),
            verdict: verdict_name(judgement.verdict),
            reason: judgement.reason.map(str::to_owned),
            reasons: Vec::new(),
            eval: evaluation.then(|| position.evaluation()),
            explanation: G::explain_verdict(line, rules, notation),
        }
    }
}
