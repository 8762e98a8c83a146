//! A board that may be anything, the check that makes a position of it, and the reasons for refusal.

use std::fmt;

use crate::game::Side;
use crate::message::{Message, ToMessage, message};
use crate::xiangqi::attacks::{PALACES, is_across};
use crate::xiangqi::piece::{Piece, Role};
use crate::xiangqi::square::Square;

/// Any arrangement of pieces with a side to move and move counters: the contents of a FEN, legal or
/// not.
///
/// ```
/// use juzhong::xiangqi::{Position, Setup, SetupError};
///
/// let setup = Setup::from_fen("3k5/9/9/9/9/9/9/9/9/3K5 w - - 12 40")?;
/// assert_eq!(setup.halfmove_clock, 12);
/// let errors = Position::from_setup(&setup).unwrap_err();
/// assert_eq!(errors.0, [SetupError::KingsFacing]);
/// # Ok::<(), juzhong::xiangqi::FenError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setup {
    /// The piece on each square.
    pub board: [Option<Piece>; 90],
    /// The side to move.
    pub turn: Side,
    /// Plies since the last capture.
    pub halfmove_clock: u32,
    /// Number of the current move pair, from 1.
    pub fullmoves: u32,
}

/// One reason why a setup is no legal position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SetupError {
    /// A side has no king.
    MissingKing(Side),
    /// A side has more pieces of a kind than a set holds.
    TooMany(Piece),
    /// A piece stands where it can never stand.
    ImpossibleSquare(Piece, Square),
    /// Two pawns of one side on one file of their own half; the squares of both.
    DoubledPawns(Side, Square, Square),
    /// The kings face each other on an open file.
    KingsFacing,
    /// The side that is not to move is in check.
    OpponentInCheck,
}

/// Every reason why a setup is refused, in a fixed order; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct SetupErrors(pub Vec<SetupError>);

impl Setup {
    /// An empty board, Red to move.
    #[must_use]
    pub const fn empty() -> Self {
        Self { board: [None; 90], turn: Side::First, halfmove_clock: 0, fullmoves: 1 }
    }

    /// Everything that can be said against the placement alone (not facing kings and checks).
    pub(crate) fn placement_errors(&self) -> Vec<SetupError> {
        let mut errors = Vec::new();
        let mut counts = [0; Piece::COUNT];
        let mut misplaced = Vec::new();
        for (square, &piece) in Square::all().zip(&self.board) {
            let Some(piece) = piece else { continue };
            counts[piece.index()] += 1;
            if !can_stand(piece, square) {
                misplaced.push(SetupError::ImpossibleSquare(piece, square));
            }
        }
        for piece in Piece::ALL {
            let count = counts[piece.index()];
            if count == 0 && piece.role() == Role::King {
                errors.push(SetupError::MissingKing(piece.side()));
            }
            if count > piece.role().full_count() {
                errors.push(SetupError::TooMany(piece));
            }
        }
        // Numbers first, then squares: the order is fixed, so that texts of errors can be compared.
        errors.append(&mut misplaced);
        for side in Side::ALL {
            self.doubled_pawns(side, &mut errors);
        }
        errors
    }

    fn doubled_pawns(&self, side: Side, errors: &mut Vec<SetupError>) {
        let pawn = Some(Piece::new(side, Role::Pawn));
        let (lower, upper) = match side {
            Side::First => (3, 4),
            Side::Second => (5, 6),
        };
        // Pawns start on every other file and go aside only beyond the river: on their own half there is
        // one for each of these files at most.
        for file in (0..9).step_by(2) {
            let a = Square::at(file, lower);
            let b = Square::at(file, upper);
            if self.board[a.index()] == pawn && self.board[b.index()] == pawn {
                errors.push(SetupError::DoubledPawns(side, a, b));
            }
        }
    }
}

/// Returns true if a piece can ever stand on a square: kings and advisors on their palace points,
/// elephants on their seven points, pawns ahead of their start.
#[must_use]
pub fn can_stand(piece: Piece, square: Square) -> bool {
    let side = piece.side();
    let own = match side {
        Side::First => square,
        Side::Second => square.flipped(),
    };
    let file = own.file();
    let rank = own.rank();
    match piece.role() {
        Role::King => PALACES.has(own) && rank <= 2,
        Role::Advisor => PALACES.has(own) && rank <= 2 && (file + rank) % 2 == 1,
        Role::Elephant => matches!((file, rank), (2 | 6, 0 | 4) | (0 | 4 | 8, 2)),
        Role::Pawn => is_across(side, square) || rank >= 3 && file % 2 == 0,
        Role::Rook | Role::Horse | Role::Cannon => true,
    }
}

const fn name(side: Side) -> &'static str {
    match side {
        Side::First => "red",
        Side::Second => "black",
    }
}

impl ToMessage for SetupError {
    fn message(&self) -> Message {
        match *self {
            Self::MissingKing(side) => message!("{} has no king", name(side)),
            Self::TooMany(piece) => {
                message!("more than {} '{}'", piece.role().full_count(), piece.letter())
            }
            Self::ImpossibleSquare(piece, square) => {
                message!("'{}' can never stand on {square}", piece.letter())
            }
            Self::DoubledPawns(side, a, b) => {
                message!("two {} pawns on one file of their own half ({a}, {b})", name(side))
            }
            Self::KingsFacing => "the kings face each other on an open file".into(),
            Self::OpponentInCheck => "the side that is not to move is in check".into(),
        }
    }
}

impl fmt::Display for SetupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

impl ToMessage for SetupErrors {
    fn message(&self) -> Message {
        Message::list(self.0.iter().map(ToMessage::message))
    }
}

impl fmt::Display for SetupErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}
