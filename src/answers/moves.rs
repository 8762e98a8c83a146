//! Moves as they are written: those of a line with their texts, and a typed one that was read.

use serde::Serialize;

use crate::answers::described::Described;
use crate::answers::error::{AnswerError, ErrorKind};
use crate::game::Line;
use crate::xiangqi::notation::MoveNotation;

/// The moves of a line.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "Line"))]
pub struct LineAnswer {
    /// The moves.
    pub moves: Vec<MoveOfLine>,
    /// The position where it begins.
    pub start: String,
    /// The state of the position where it ends: `ongoing`, or how the game ended.
    #[cfg_attr(
        feature = "schemas",
        schemars(extend("enum" = ["ongoing", "checkmate", "stalemate", "won", "drawn"]))
    )]
    pub status: &'static str,
}

/// A move of a line.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "LineMove"))]
pub struct MoveOfLine {
    /// The position after it.
    pub fen: String,
    /// The side to move is in check then.
    pub in_check: bool,
    /// The move by its coordinates.
    #[serde(rename = "move")]
    pub mv: String,
    /// In the notation that moves are shown in.
    pub text: String,
}

impl LineAnswer {
    /// The moves of a line, with their texts and the positions after them.
    ///
    /// ```
    /// use juzhong::answers::{LineAnswer, LineRequest};
    /// use juzhong::xiangqi::Position;
    /// use juzhong::xiangqi::notation::MoveNotation;
    ///
    /// let line = LineRequest { moves: "h2e2 h9g7".to_owned(), ..LineRequest::default() };
    /// let line = line.read::<Position>()?.line;
    /// let answer = LineAnswer::of(&line, MoveNotation::Wxf);
    /// assert_eq!(answer.moves[1].text, "H8+7");
    /// # Ok::<(), juzhong::answers::Refusal>(())
    /// ```
    #[must_use]
    pub fn of<G: Described>(line: &Line<G>, notation: MoveNotation) -> Self {
        let mut position = line.start().clone();
        let mut moves = Vec::new();
        for mv in line.moves() {
            let text = position.write_move(mv, notation);
            position.make(mv);
            moves.push(MoveOfLine {
                fen: position.to_fen(),
                in_check: position.in_check(),
                mv: G::move_text(mv),
                text,
            });
        }
        Self { moves, start: line.start().to_fen(), status: line.position().status() }
    }
}

/// A move that was read.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "Move"))]
pub struct ReadMove {
    /// As UCI writes it.
    #[serde(rename = "move")]
    pub mv: String,
    /// In the notation asked for.
    pub text: String,
}

impl ReadMove {
    /// The move that is typed for a position, in any notation of the game.
    ///
    /// # Errors
    ///
    /// It is no move, or an illegal one.
    pub fn of<G: Described>(
        position: &G,
        typed: &str,
        notation: MoveNotation,
    ) -> Result<Self, AnswerError> {
        let read = position.read_move(typed.trim());
        let mv = read.map_err(|message| AnswerError::new(ErrorKind::BadData, message))?;
        Ok(Self { mv: G::move_text(mv), text: position.write_move(mv, notation) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xiangqi::Position;

    #[test]
    fn a_move_is_read_in_any_notation() {
        let start = Position::start();
        for typed in ["h2e2", " C2=5 ", "炮二平五"] {
            let read = ReadMove::of(&start, typed, MoveNotation::Wxf).unwrap();
            assert_eq!((read.mv.as_str(), read.text.as_str()), ("h2e2", "C2=5"));
        }
        let error = ReadMove::of(&start, "a0a9", MoveNotation::Wxf).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadData);
    }
}
