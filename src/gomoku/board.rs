use super::Point;
use crate::game::{Game, MoveList, Notation, Outcome, Side};
use crate::hash::Key;

/// A board (to be built).
#[derive(Debug, Clone)]
pub struct Board;
/// Undo.
#[derive(Debug, Clone, Copy)]
pub struct Undo;
/// Error.
#[derive(Debug, Clone, thiserror::Error)]
#[error("bad board")]
pub struct BoardError;

impl Game for Board {
    type Move = Point;
    type Undo = Undo;
    const NAME: &'static str = "gomoku";
    fn side_to_move(&self) -> Side {
        Side::First
    }
    fn key(&self) -> Key {
        Key(0)
    }
    fn legal_moves(&self, _moves: &mut MoveList<Point>) {}
    fn is_legal(&self, _mv: Point) -> bool {
        false
    }
    fn make(&mut self, _mv: Point) -> Undo {
        Undo
    }
    fn unmake(&mut self, _mv: Point, _undo: Undo) {}
    fn outcome(&self) -> Option<Outcome> {
        None
    }
}
impl Notation for Board {
    type PositionError = BoardError;
    fn start() -> Self {
        Self
    }
    fn parse_position(_text: &str) -> Result<Self, BoardError> {
        Err(BoardError)
    }
    fn position_text(&self) -> String {
        String::new()
    }
    fn parse_move(text: &str) -> Option<Point> {
        Point::parse(text)
    }
    fn move_text(mv: Point) -> String {
        mv.to_string()
    }
}
