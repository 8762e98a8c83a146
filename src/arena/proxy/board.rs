//! The position that the GUI has set up.

use super::Dialect;
use crate::arena::Ranks;
use crate::engine::Playable;
use crate::game::{Adjudicate, Game, Horizon, Line, MoveList, Notation, Side, Verdict};
use crate::xiangqi::{Move, Position, RuleSet, START_FEN};

/// A position as the GUI gave it and, where it is a legal one, as this program knows it.
#[derive(Debug, Clone)]
pub(super) struct Board {
    fen: Option<String>,
    /// With ranks from 0.
    moves: Vec<String>,
    /// `None` where FEN or moves are not legal by our rules; the engine may know better.
    line: Option<Line<Position>>,
}

impl Board {
    /// The start of a game.
    pub(super) fn start() -> Self {
        let line = Some(Line::new(Position::start(), 0));
        Self { fen: None, moves: Vec::new(), line }
    }

    /// What the GUI wrote, moves with ranks from 0; and what is wrong with it, if anything is.
    pub(super) fn read(fen: Option<String>, moves: Vec<String>) -> (Self, Option<String>) {
        let (line, problem) = match read_line(fen.as_deref(), &moves) {
            Ok(line) => (Some(line), None),
            Err(problem) => (None, Some(problem)),
        };
        (Self { fen, moves, line }, problem)
    }

    /// The position with its past, if it is legal.
    pub(super) const fn line(&self) -> Option<&Line<Position>> {
        self.line.as_ref()
    }

    /// 0 where Red moves, 1 for Black.
    pub(super) fn mover(&self) -> usize {
        if let Some(line) = &self.line {
            return line.position().side_to_move().index();
        }
        let side = self.fen.as_deref().and_then(|fen| fen.split_whitespace().nth(1));
        let start = if matches!(side, Some("b" | "B")) { Side::Second } else { Side::First };
        (start.index() + self.moves.len()) % 2
    }

    /// The legal moves; `None` where the position is not known to us.
    pub(super) fn legal_moves(&self) -> Option<Vec<Move>> {
        let mut moves = MoveList::new();
        self.line.as_ref()?.position().legal_moves(&mut moves);
        Some(moves.to_vec())
    }

    /// The `position` command. UCCI wants the position after the last capture and the moves since.
    pub(super) fn text(&self, dialect: Dialect, ranks: Ranks) -> String {
        let (start, moves) = match (dialect, &self.line) {
            (Dialect::Ucci, Some(line)) => {
                let (start, from) = last_capture(line);
                let start =
                    start.unwrap_or_else(|| self.fen.clone().unwrap_or(START_FEN.to_owned()));
                (format!("fen {start}"), &self.moves[from..])
            }
            _ => {
                let fen = |fen: &String| format!("fen {fen}");
                (self.fen.as_ref().map_or_else(|| "startpos".to_owned(), fen), &self.moves[..])
            }
        };
        let mut text = format!("position {start}");
        if !moves.is_empty() {
            text += " moves";
        }
        for mv in moves {
            text.push(' ');
            text += &ranks.theirs(mv);
        }
        text
    }

    /// The legal move that a text (ranks from 0) stands for.
    pub(super) fn legal(&self, text: &str) -> Option<Move> {
        let position = self.line.as_ref()?.position();
        Position::parse_move(text).filter(|&mv| position.is_legal(mv))
    }

    /// Whether `text` is a legal answer to `mv`.
    pub(super) fn answers(&self, mv: Move, text: &str) -> bool {
        let Some(line) = &self.line else { return false };
        let mut after = line.position().clone();
        after.make(mv);
        Position::parse_move(text).is_some_and(|answer| after.is_legal(answer))
    }

    /// Whether playing `mv` loses at once by the rules on repetition.
    pub(super) fn loses_by_rule(&self, mv: Move, rules: RuleSet) -> bool {
        let Some(line) = &self.line else { return false };
        let mover = line.position().side_to_move();
        let mut after = line.clone();
        after.push(mv);
        Position::judge(&after, rules, Horizon::Game).verdict == Verdict::Loses(mover)
    }
}

fn read_line(fen: Option<&str>, moves: &[String]) -> Result<Line<Position>, String> {
    let mut line = match fen {
        None => Line::new(Position::start(), 0),
        Some(fen) => Position::read_line(fen).map_err(|error| error.to_string())?,
    };
    for (i, text) in moves.iter().enumerate() {
        let mv = Position::parse_move(text).filter(|&mv| line.position().is_legal(mv));
        let shown: String = text.chars().filter(|c| !c.is_control()).take(20).collect();
        line.push(mv.ok_or_else(|| format!("move {} ({shown}) is not legal", i + 1))?);
    }
    Ok(line)
}

/// The position after the last capture, if there was one, and the number of moves up to it.
fn last_capture(line: &Line<Position>) -> (Option<String>, usize) {
    let mut position = line.start().clone();
    let mut last = (None, 0);
    for (i, mv) in line.moves().enumerate() {
        let captures = position.is_irreversible(mv);
        position.make(mv);
        if captures {
            last = (Some(position.position_text()), i + 1);
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(fen: Option<&str>, moves: &str) -> Board {
        let moves = moves.split_whitespace().map(str::to_owned).collect();
        Board::read(fen.map(str::to_owned), moves).0
    }

    #[test]
    fn positions_are_written_as_the_engine_wants_them() {
        let quiet = board(None, "h2e2 h9g7");
        assert_eq!(quiet.text(Dialect::Uci, Ranks::FromOne), "position startpos moves h3e3 h10g8");
        assert_eq!(
            quiet.text(Dialect::Ucci, Ranks::FromZero),
            format!("position fen {START_FEN} moves h2e2 h9g7")
        );
        let capture = board(None, "h2e2 h9g7 e2e6 a9a8");
        assert_eq!(
            capture.text(Dialect::Ucci, Ranks::FromZero),
            "position fen rnbakab1r/9/1c4nc1/p1p1C1p1p/9/9/P1P1P1P1P/1C7/9/RNBAKABNR b - - 0 1 \
             moves a9a8"
        );
        assert_eq!((quiet.mover(), capture.mover()), (0, 0));
    }

    #[test]
    fn what_is_not_legal_is_left_to_the_engine() {
        let (board, problem) = Board::read(Some("odd b".to_owned()), vec!["a0a1".to_owned()]);
        assert!(problem.is_some() && board.line().is_none() && board.legal_moves().is_none());
        assert_eq!(board.mover(), 0);
        assert_eq!(board.text(Dialect::Ucci, Ranks::FromZero), "position fen odd b moves a0a1");
        let (board, problem) = Board::read(None, vec!["a0a9".to_owned()]);
        assert_eq!(problem.unwrap(), "move 1 (a0a9) is not legal");
        assert_eq!(board.legal("h2e2"), None);
    }
}
