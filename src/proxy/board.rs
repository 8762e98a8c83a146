//! The position that the GUI has set up.

use crate::game::{Adjudicate, Game, Horizon, Line, MoveList, Side, Verdict};
use crate::protocol::{Ranks, Setup, Wire, legal_move, read_position};
use crate::xiangqi::{Move, Position, RuleSet};

/// A position as the GUI gave it and, where it is a legal one, as this program knows it.
#[derive(Debug, Clone)]
pub(crate) struct GuiPosition {
    /// With ranks from 0.
    setup: Setup,
    /// `None` where FEN or moves are not legal by our rules; the engine may know better.
    line: Option<Line<Position>>,
}

impl GuiPosition {
    /// The start of a game.
    pub(crate) fn start() -> Self {
        let line = Some(Line::new(Position::start(), 0));
        Self { setup: Setup::default(), line }
    }

    /// Reads the position that the GUI wrote, moves with ranks from 0; also returns its fault, if it has one.
    pub(crate) fn read(setup: Setup) -> (Self, Option<String>) {
        let (line, problem) = match read_position(&setup, Ranks::FromZero) {
            Ok(line) => (Some(line), None),
            Err(problem) => (None, Some(problem)),
        };
        (Self { setup, line }, problem)
    }

    /// The position with its past, if it is legal.
    pub(crate) const fn line(&self) -> Option<&Line<Position>> {
        self.line.as_ref()
    }

    /// The side to move.
    pub(crate) fn mover(&self) -> Side {
        if let Some(line) = &self.line {
            return line.position().turn();
        }
        let side = self.setup.fen.as_deref().and_then(|fen| fen.split_whitespace().nth(1));
        let start = if matches!(side, Some("b" | "B")) { Side::Second } else { Side::First };
        if self.setup.moves.len().is_multiple_of(2) { start } else { !start }
    }

    /// The legal moves; `None` where the position is not known to us.
    pub(crate) fn legal_moves(&self) -> Option<Vec<Move>> {
        let mut moves = MoveList::new();
        self.line.as_ref()?.position().legal_moves(&mut moves);
        Some(moves.to_vec())
    }

    /// The `position` command.
    pub(crate) fn text(&self, to: Wire) -> String {
        match &self.line {
            Some(line) => to.line(self.setup.fen.as_deref(), line),
            None => {
                to.position(self.setup.fen.as_deref(), self.setup.moves.iter().map(String::as_str))
            }
        }
    }

    /// The legal move that a text (ranks from 0) stands for.
    pub(crate) fn legal(&self, text: &str) -> Option<Move> {
        legal_move(self.line.as_ref()?.position(), text, Ranks::FromZero)
    }

    /// The legal answer to `mv` that a text stands for.
    pub(crate) fn answer(&self, mv: Move, text: &str) -> Option<Move> {
        let mut after = self.line.as_ref()?.position().clone();
        after.make(mv);
        legal_move(&after, text, Ranks::FromZero)
    }

    /// Returns true if playing `mv` loses at once by the rules on repetition.
    pub(crate) fn loses_by_rule(&self, mv: Move, rules: RuleSet) -> bool {
        let Some(line) = &self.line else { return false };
        let mover = line.position().turn();
        let mut after = line.clone();
        after.push(mv);
        Position::judge(&after, rules, Horizon::Game).verdict == Verdict::Loses(mover)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Dialect;

    fn setup(fen: Option<&str>, mv: &str) -> Setup {
        Setup { fen: fen.map(str::to_owned), moves: vec![mv.to_owned()] }
    }

    #[test]
    fn what_is_not_legal_is_left_to_the_engine() {
        let ucci = Wire::of(Dialect::Ucci);
        let (board, problem) = GuiPosition::read(setup(Some("odd b"), "a0a1"));
        assert!(problem.is_some() && board.line().is_none() && board.legal_moves().is_none());
        assert_eq!(board.mover(), Side::First);
        assert_eq!(board.text(ucci), "position fen odd b moves a0a1");
        let (board, problem) = GuiPosition::read(setup(None, "a0a9"));
        assert_eq!(problem.unwrap(), "move 1 (a0a9) is not legal");
        assert_eq!(board.legal("h2e2"), None);
        let (board, _) = GuiPosition::read(setup(None, "h2e2"));
        assert_eq!((board.mover(), board.legal("H9-G7").is_some()), (Side::Second, true));
    }
}
