//! What searches need to know about the board of a game.

use crate::book::opening::Named;
use crate::game::{Side, Symmetric};
use crate::gomoku::{Board, Point};
use crate::hash::Key;
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

/// The key of sets of pieces by role, either side first.
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
    let counts = one.max(other).into_iter().chain(one.min(other));
    let packed = counts.fold(0_u64, |packed, count| packed << 4 | u64::from(count & 15));
    // The finalizer of SplitMix64 (Steele, Lea, Flood 2014): it spreads the counts over all bits of the key.
    let mut key = packed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    key = (key ^ (key >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    key = (key ^ (key >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    Key(key ^ (key >> 31))
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
