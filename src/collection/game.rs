//! The board of a game as searches need it.

use crate::book::opening::Named;
use crate::game::{Side, Symmetric};
use crate::gomoku::{Board, Point};
use crate::hash::Key;
use crate::hash::xiangqi::KEYS;
use crate::record::Formats;
use crate::xiangqi::{Position, Square};

/// A game whose collections are indexed.
pub trait Collected: Formats + Named + Symmetric {
    /// The key of the pieces on the board, whichever side has which of them; `None` where all pieces are alike.
    fn material(&self) -> Option<Key>;

    /// Columns and rows of the board.
    fn size(&self) -> [u8; 2];

    /// The letter, as in FEN, of what stands on the point of a column and a row, both from 0, row 0 being the first
    /// side's; `None` for an empty point.
    fn letter(&self, column: u8, row: u8) -> Option<char>;

    /// The letters of the pieces.
    const LETTERS: &str;

    /// The column and the row of a point named `text`.
    fn point(text: &str) -> Option<[u8; 2]>;
}

/// The key of sets of pieces by role, either side first: the lesser of both keys by the stored words for material.
///
/// ```
/// use juzhong::collection::{Collected, material_key};
/// use juzhong::game::Game;
/// use juzhong::xiangqi::Position;
///
/// let start = Position::start();
/// let counts = start.material();
/// let king = [1, 0, 0, 0, 0, 0, 0];
/// assert_eq!(material_key(counts.first, king), material_key(king, counts.first));
/// assert_eq!(Collected::material(&start), Some(material_key(counts.first, counts.second)));
/// ```
#[must_use]
pub fn material_key(one: [u8; 7], other: [u8; 7]) -> Key {
    let [as_red, as_black] = [(one, other), (other, one)].map(|(red, black)| {
        let words = KEYS.material.iter().zip(red.into_iter().chain(black));
        let present = words.flat_map(|(words, count)| words.iter().take(count.into()));
        present.fold(0, |key, word| key ^ word)
    });
    Key(as_red.min(as_black))
}

impl Collected for Position {
    const LETTERS: &str = "KABRNCPkabrncp";

    fn material(&self) -> Option<Key> {
        let counts = Self::material(self);
        Some(material_key(counts.first, counts.second))
    }

    fn size(&self) -> [u8; 2] {
        [9, 10]
    }

    fn letter(&self, column: u8, row: u8) -> Option<char> {
        self.piece_at(Square::at(column, row)).map(crate::xiangqi::Piece::letter)
    }

    fn point(text: &str) -> Option<[u8; 2]> {
        Square::parse(text).map(|square| [square.file(), square.rank()])
    }
}

impl Collected for Board {
    const LETTERS: &str = "xo";

    fn material(&self) -> Option<Key> {
        None
    }

    fn size(&self) -> [u8; 2] {
        [self.width(), self.height()]
    }

    fn letter(&self, column: u8, row: u8) -> Option<char> {
        let side = Point::new(column, row).and_then(|point| self.stone(point))?;
        Some(if side == Side::First { 'x' } else { 'o' })
    }

    fn point(text: &str) -> Option<[u8; 2]> {
        Point::parse(text).map(|point| [point.column(), point.row()])
    }
}
