//! The board of a game as searches need it.

use crate::book::opening::Named;
use crate::game::{Packed, Side, Symmetric};
use crate::gomoku::{Board, Point};
use crate::hash::Key;
use crate::hash::xiangqi::KEYS;
use crate::record::Formats;
use crate::xiangqi::{Move, Position, Square};

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

    /// The change that a move of `side` makes on the board.
    fn change(mv: Self::Move, side: Side) -> BoardChange;
}

/// The bytes of moves in the file, two for each.
pub(crate) fn bytes_of<M: Packed>(moves: &[M]) -> Vec<u8> {
    moves.iter().flat_map(|mv| mv.pack().to_le_bytes()).collect()
}

/// The moves of [`bytes_of`]; `None` for two bytes that are no move.
pub(crate) fn moves_in<M: Packed>(bytes: &[u8]) -> impl Iterator<Item = Option<M>> {
    bytes.as_chunks().0.iter().map(|&pair| M::unpack(u16::from_le_bytes(pair)))
}

/// The change that a move makes on a board. Points are columns and rows, as of [`Collected::letter`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoardChange {
    /// A piece goes from one point to another.
    Moved {
        /// The point that it leaves empty.
        from: [u8; 2],
        /// The point where it stands after the move.
        to: [u8; 2],
    },
    /// A new piece is put on the board.
    Placed {
        /// Its letter.
        letter: char,
        /// Its point.
        at: [u8; 2],
    },
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

    #[inline]
    fn change(mv: Move, _side: Side) -> BoardChange {
        let [from, to] = [mv.from(), mv.to()].map(|square| [square.file(), square.rank()]);
        BoardChange::Moved { from, to }
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
        Point::new(column, row).and_then(|point| self.stone(point)).map(letter_of)
    }

    fn point(text: &str) -> Option<[u8; 2]> {
        Point::parse(text).map(|point| [point.column(), point.row()])
    }

    #[inline]
    fn change(mv: Point, side: Side) -> BoardChange {
        BoardChange::Placed { letter: letter_of(side), at: [mv.column(), mv.row()] }
    }
}

/// The letter of a side's stones.
fn letter_of(side: Side) -> char {
    match side {
        Side::First => 'x',
        Side::Second => 'o',
    }
}
