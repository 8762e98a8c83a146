//! The abilities that questions need of a game beside its rules: positions and moves as they are typed, and their description.

use std::fmt::{self, Display};
use std::str::FromStr;

use crate::answers::error::{AnswerError, ErrorKind};
use crate::answers::evaluation::Evaluation;
use crate::answers::verdict::VerdictExplanation;
use crate::game::{Adjudicate, Line, Side};
use crate::message::{Message, ToMessage, message};
use crate::record::{Formats, TypedLine};
use crate::xiangqi::notation::MoveNotation;

/// The start of a game.
#[derive(Debug, Clone)]
pub struct Start<G> {
    /// The position.
    pub position: G,
    /// Plies since the last irreversible move.
    pub clock: u32,
    /// Number of the move pair, from 1.
    pub fullmoves: u32,
}

/// The board of games that have several.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BoardRequest {
    /// Gomoku: what counts as a row, and what is forbidden: `freestyle`, `standard` or `renju`.
    pub variant: Option<String>,
    /// Gomoku: the size, such as `15` or `20x18`.
    pub size: Option<String>,
}

/// The reason why a text gives no position to work with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The text cannot be read.
    Unreadable(Message),
    /// It can be read, but the position breaks the rules.
    Illegal {
        /// The position as read, in its usual text form.
        text: String,
        /// Every reason.
        reasons: Vec<Message>,
    },
}

impl ToMessage for Refusal {
    fn message(&self) -> Message {
        match self {
            Self::Unreadable(message) => message.clone(),
            Self::Illegal { reasons, .. } => {
                let reasons = Message::list(reasons.iter().cloned());
                message!("illegal position: {reasons}")
            }
        }
    }
}

impl Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for AnswerError {
    fn from(refusal: Refusal) -> Self {
        Self::new(ErrorKind::BadData, refusal)
    }
}

/// A game whose positions and moves are read as they are typed, and described.
pub trait Described: Formats + Adjudicate<Rules: FromStr<Err: ToMessage>> {
    /// Reads a position with its counters.
    ///
    /// # Errors
    ///
    /// The text is no position, or an illegal one.
    fn read_start(text: &str) -> Result<Start<Self>, Refusal>;

    /// The text of a position on another board than the usual one: the start, or `fen` where it leaves the rules out.
    ///
    /// # Errors
    ///
    /// There is no such board.
    fn with_board(fen: Option<&str>, board: &BoardRequest) -> Result<String, Message> {
        let _ = (fen, board);
        Err(message!(
            "{} has one board and one set of rules; leave --variant and --size out",
            Self::NAME
        ))
    }

    /// The start of another game on the same board, if that is not the usual start.
    fn other_start(&self) -> Option<Start<Self>> {
        None
    }

    /// The points where a move is forbidden by the rules though it is free, each with the reason.
    fn forbidden_points(&self) -> Vec<(Self::Move, &'static str)> {
        Vec::new()
    }

    /// The last position's text with counters, for a line from a start with that move number.
    fn line_text(line: &Line<Self>, fullmoves: u32) -> String;

    /// Takes typed moves apart.
    #[must_use]
    fn typed(moves: &str) -> TypedLine {
        TypedLine::read(moves)
    }

    /// Reads a move that is legal here, in any notation of the game.
    ///
    /// # Errors
    ///
    /// The text is no move, or an illegal one.
    fn read_move(&self, text: &str) -> Result<Self::Move, Message>;

    /// Writes a legal move.
    fn write_move(&self, mv: Self::Move, notation: MoveNotation) -> String;

    /// The pieces of an ending of few pieces, those of `own` first, as sets of endgame tables are named: `KRvKN`. `None` with
    /// more pieces, and where the game has no endings.
    fn ending_name(&self, own: Side) -> Option<String> {
        let _ = own;
        None
    }

    /// Returns true if the side to move is in check, where the game has checks.
    fn in_check(&self) -> bool;

    /// The state of the position in a word: `ongoing`, or how it ended.
    fn status(&self) -> &'static str;

    /// The evaluation taken apart.
    fn evaluation(&self) -> Evaluation;

    /// The explanation of the rules' verdict on the last position of `line`, with texts of moves in that notation.
    #[must_use]
    fn explain_verdict(
        line: &Line<Self>,
        rules: Self::Rules,
        notation: Option<MoveNotation>,
    ) -> VerdictExplanation {
        let _ = (line, rules, notation);
        VerdictExplanation::default()
    }
}
