//! The contract that games fulfil, split so that each room asks only for what it needs:
//! [`Game`] is the rules, [`Notation`] their text forms, [`Symmetric`] the board's symmetries for
//! books, [`Adjudicate`] the verdicts that need the past, [`Heuristics`] what search adds.
//!
//! Dispatch is static everywhere; programs choose the game with one `match` at the edge. Moves pack
//! into a `u16` ([`Packed`]), so transposition tables and book rows are not generic.

mod heuristics;
mod line;
mod perft;
mod side;
mod symmetry;

pub use heuristics::{Heuristics, PHASES, STRUCTURES};
pub use line::{Adjudicate, Horizon, Judgement, Line, Ply, Verdict};
pub use perft::{divide, perft};
pub use side::{BySide, Outcome, Side};
pub use symmetry::{Canonical, Symmetric};

use std::fmt::Debug;
use std::hash::Hash;

use crate::hash::Key;

/// Room for the legal moves of any position of any game.
pub const MAX_MOVES: usize = 512;

/// A list of moves that lives on the stack.
pub type MoveList<M> = arrayvec::ArrayVec<M, MAX_MOVES>;

/// A move that fits in 16 bits.
pub trait Packed: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The move in 16 bits; never `u16::MAX`, which callers may use for "no move".
    fn pack(self) -> u16;
    /// The inverse of [`pack`](Self::pack); `None` for bits that no move has.
    fn unpack(bits: u16) -> Option<Self>;
}

/// The rules of a two-player game without chance. A value is a position: the board and the side to move,
/// without its history.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A move.
    type Move: Packed;
    /// The information that [`make`](Self::make) returns for [`unmake`](Self::unmake).
    type Undo: Copy + Debug + Send + Sync;

    /// The name used on the command line and in files.
    const NAME: &'static str;

    /// The side whose turn it is.
    fn side_to_move(&self) -> Side;

    /// The position's Zobrist key under the stored table; includes the side to move.
    fn key(&self) -> Key;

    /// Appends every legal move to `moves`, in an order that depends on the position alone.
    /// Nothing is appended where [`outcome`](Self::outcome) is known.
    fn legal_moves(&self, moves: &mut MoveList<Self::Move>);

    /// Returns true if `mv` is legal here, for any `mv` of the type.
    fn is_legal(&self, mv: Self::Move) -> bool;

    /// Plays a legal move.
    fn make(&mut self, mv: Self::Move) -> Self::Undo;

    /// Takes back the last move made; `undo` is what [`make`](Self::make) returned for it.
    fn unmake(&mut self, mv: Self::Move, undo: Self::Undo);

    /// The result if the position alone ends the game.
    fn outcome(&self) -> Option<Outcome>;

    /// Number of legal moves.
    fn count_legal_moves(&self) -> u64 {
        let mut moves = MoveList::new();
        self.legal_moves(&mut moves);
        moves.len() as u64
    }
}

/// Text forms of positions and moves as engine protocols write them. Richer notations belong to
/// the games.
pub trait Notation: Game {
    /// The error for a text that is not a position; its message says what is wrong and where.
    type PositionError: std::error::Error + Send + Sync + 'static;

    /// The usual start of a game.
    fn start() -> Self;

    /// Reads a position (xiangqi: FEN).
    ///
    /// # Errors
    ///
    /// If the text is malformed or the position illegal.
    fn parse_position(text: &str) -> Result<Self, Self::PositionError>;

    /// Writes the position.
    fn position_text(&self) -> String;

    /// Reads a move by its coordinates (`h2e2`; gomoku `h8`). The move need not be legal.
    fn parse_move(text: &str) -> Option<Self::Move>;

    /// Writes a move by its coordinates.
    fn move_text(mv: Self::Move) -> String;
}
