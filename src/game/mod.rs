//! The contract that games fulfil, split so that each room asks only for what it needs:
//! [`Game`] is the rules, [`Notation`] their text forms, [`Symmetric`] the board's symmetries for
//! books, [`Adjudicate`] the verdicts that need the past, [`Heuristics`] what search adds.
//!
//! Dispatch is static everywhere; programs choose the game with one `match` at the edge. Moves pack
//! into a `u16` ([`Packed`]), so transposition tables and book rows are not generic.

mod heuristics;
mod line;
mod perft;
mod position_text;
mod score;
mod side;
mod symmetry;
mod tunables;

pub use heuristics::{
    EvaluationKind, Evaluator, Heuristics, PHASES, STRUCTURES, StaticEvaluator, UnknownEvaluation,
    WinModel,
};
pub use line::{Adjudicate, Grounds, Horizon, Judgement, Line, Ply, Verdict};
pub use perft::{divide, perft};
pub use position_text::position_text;
pub use score::{Bound, ScoreKind};
pub use side::{BySide, Outcome, Side};
pub use symmetry::{Canonical, Symmetric};
pub use tunables::Tunables;

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

/// A move that the rules do not allow where it was to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{mv:?} is not a legal move of the {turn} player")]
pub struct IllegalMove<M> {
    /// The move.
    pub mv: M,
    /// The side that was to move.
    pub turn: Side,
}

/// The rules of a two-player game without chance. A value is a position: the board and the side to move,
/// without its history.
///
/// What a method here does has no second name: the types of a game have methods of their own for the rest
/// only.
pub trait Game: Clone + Debug + Send + Sync + 'static {
    /// A move.
    type Move: Packed;
    /// The information that [`make`](Self::make) returns for [`unmake`](Self::unmake).
    type Undo: Copy + Debug + Send + Sync;

    /// The name used on the command line and in files.
    const NAME: &'static str;

    /// The side that is called Black; names of tags and texts for people depend on it.
    const BLACK: Side;

    /// The side whose turn it is.
    fn turn(&self) -> Side;

    /// The position's Zobrist key under the stored table; includes the side to move.
    fn key(&self) -> Key;

    /// Appends every legal move to `moves`, in an order that depends on the position alone.
    /// Nothing is appended where [`outcome`](Self::outcome) is known.
    fn legal_moves(&self, moves: &mut MoveList<Self::Move>);

    /// Returns true if `mv` is legal here, for any `mv` of the type.
    fn is_legal(&self, mv: Self::Move) -> bool;

    /// The position after `mv`, if that is legal. [`make`](Self::make) does not ask.
    ///
    /// ```
    /// use juzhong::game::{Game, Notation};
    /// use juzhong::gomoku::{Board, Point};
    /// use juzhong::xiangqi::{Move, Position};
    ///
    /// let cannon = Move::parse("h2e2").unwrap();
    /// let after = Position::start().play(cannon)?;
    /// let error = after.play(cannon).unwrap_err();
    /// assert_eq!(error.to_string(), "h2e2 is not a legal move of the second player");
    ///
    /// let middle = Point::parse("h8").unwrap();
    /// let board = Board::start().play(middle).unwrap();
    /// assert!(board.play(middle).is_err());
    /// # Ok::<(), juzhong::game::IllegalMove<Move>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the move is not legal here.
    fn play(&self, mv: Self::Move) -> Result<Self, IllegalMove<Self::Move>> {
        if !self.is_legal(mv) {
            return Err(IllegalMove { mv, turn: self.turn() });
        }
        let mut after = self.clone();
        after.make(mv);
        Ok(after)
    }

    /// Plays a move known to be legal in place; [`unmake`](Self::unmake) takes it back. After another move
    /// the answers of the position are wrong. [`play`](Self::play) checks.
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

/// The name of a side, as tags and texts for people have it: `Red` or `Black`, in gomoku `Black` or `White`.
///
/// ```
/// use juzhong::game::{Side, side_name};
/// use juzhong::{gomoku::Board, xiangqi::Position};
///
/// assert_eq!(Side::ALL.map(side_name::<Position>), ["Red", "Black"]);
/// assert_eq!(Side::ALL.map(side_name::<Board>), ["Black", "White"]);
/// ```
#[must_use]
pub const fn side_name<G: Game>(side: Side) -> &'static str {
    match (G::BLACK, side) {
        (Side::First, Side::First) | (Side::Second, Side::Second) => "Black",
        (Side::First, Side::Second) => "White",
        (Side::Second, Side::First) => "Red",
    }
}

/// Text forms of positions and moves as engine protocols write them. Richer notations belong to
/// the games.
pub trait Notation: Game {
    /// The error for a text that is not a position; its message says what is wrong and where.
    type PositionError: std::error::Error + Send + Sync + 'static;

    /// True if ranks count from 0, so that programs differ about them: some count from 1.
    const RANKS_FROM_ZERO: bool;

    /// The usual start of a game.
    fn start() -> Self;

    /// The starts that games usually have, [`start`](Self::start) first: one for each board and set of rules on
    /// which the game is played.
    #[must_use]
    fn starts() -> Vec<Self> {
        vec![Self::start()]
    }

    /// Reads a position: a FEN, or the game's text of the same form.
    ///
    /// # Errors
    ///
    /// If the text is malformed or the position illegal.
    fn from_fen(text: &str) -> Result<Self, Self::PositionError>;

    /// Writes the position as [`from_fen`](Self::from_fen) reads it.
    fn to_fen(&self) -> String;

    /// Reads a move by its coordinates (`h2e2`; gomoku `h8`). The move need not be legal.
    fn parse_move(text: &str) -> Option<Self::Move>;

    /// Reads a move that is legal here, in any notation of the game; `None` if the text is none.
    fn read_legal_move(&self, text: &str) -> Option<Self::Move> {
        Self::parse_move(text).filter(|&mv| self.is_legal(mv))
    }

    /// Writes a move by its coordinates.
    fn move_text(mv: Self::Move) -> String;
}
