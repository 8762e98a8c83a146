//! The symmetries of a board: the canonical image of a position, and moves between images.

use super::Game;
use crate::hash::{Key, KeyTable};

/// The canonical form of a position: the smallest of its images' keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Canonical {
    /// The smallest key over all symmetries, compared as `u64`.
    pub key: Key,
    /// The symmetries (as a bit set) whose image has that key. More than one bit is set exactly
    /// where the position is symmetric itself.
    pub by: u8,
}

impl Canonical {
    /// The lowest-numbered symmetry that leads to the canonical image.
    #[must_use]
    pub const fn symmetry(self) -> u8 {
        self.by.trailing_zeros() as u8
    }
}

/// A game whose board can be turned or mirrored without changing play. Symmetry 0 is the identity.
/// Colours are never exchanged.
///
/// ```
/// use juzhong::game::{Game, Notation, Symmetric};
/// use juzhong::gomoku::{Board, Point};
///
/// // A square board has eight images; a corner has four places among them.
/// let corner = |text| Board::start().play(Point::parse(text).unwrap()).unwrap().canonical().key;
/// assert_eq!(Board::start().symmetries(), 8);
/// assert_eq!(corner("a1"), corner("o15"));
/// assert_ne!(corner("a1"), corner("h8"));
/// ```
pub trait Symmetric: Game {
    /// True if players tell a game from its images (xiangqi: left and right are names of files). Otherwise all
    /// images are the same game.
    const ORIENTED: bool;

    /// The number of symmetries of this board, at most 8.
    fn symmetries(&self) -> u8;

    /// The key of the image under `symmetry`, with the words of `table` (or the stored ones).
    /// `symmetric_key(0, None)` equals [`Game::key`].
    fn symmetric_key(&self, symmetry: u8, table: Option<&KeyTable>) -> Key;

    /// The image of a move under `symmetry`.
    fn map_move(&self, mv: Self::Move, symmetry: u8) -> Self::Move;

    /// The inverse of [`map_move`](Self::map_move).
    fn unmap_move(&self, mv: Self::Move, symmetry: u8) -> Self::Move;

    /// The smallest key over all symmetries, and the symmetries that reach it.
    fn canonical(&self) -> Canonical {
        self.canonical_with(None)
    }

    /// [`canonical`](Self::canonical) under another key table.
    fn canonical_with(&self, table: Option<&KeyTable>) -> Canonical {
        let mut best = Canonical { key: self.symmetric_key(0, table), by: 1 };
        for symmetry in 1..self.symmetries() {
            let key = self.symmetric_key(symmetry, table);
            if key < best.key {
                best = Canonical { key, by: 1 << symmetry };
            } else if key == best.key {
                best.by |= 1 << symmetry;
            }
        }
        best
    }

    /// `mv` in the canonical frame. In a symmetric position equivalent moves become one: the
    /// smallest image over all symmetries that reach the canonical key.
    fn canonical_move(&self, canonical: Canonical, mv: Self::Move) -> Self::Move {
        (0..self.symmetries())
            .filter(|s| canonical.by >> s & 1 == 1)
            .map(|s| self.map_move(mv, s))
            .min()
            .unwrap_or(mv)
    }

    /// A move of the canonical frame as it is played in this position.
    fn played_move(&self, canonical: Canonical, mv: Self::Move) -> Self::Move {
        self.unmap_move(mv, canonical.symmetry())
    }
}
