//! Squares, pieces and positions as C sees them.

use std::ffi::c_char;

use super::arguments::{self, MAX_TEXT, Output, TextBuffer};
use super::status::{Failure, JZ_ERROR_NUMBER, JzStatus, guarded};
use crate::game::{Game, Outcome, Side};
use crate::xiangqi::{FenError, Move, Piece, Position, Setup, SetupErrors};

/// The number of squares. Square `9 * rank + file`: files a to i are 0 to 8, rank 0 is Red's back rank.
pub const JZ_SQUARES: usize = 90;

/// Red, who moves first.
pub const JZ_RED: i32 = 0;
/// Black.
pub const JZ_BLACK: i32 = 1;

/// An empty square.
pub const JZ_EMPTY: u8 = 0;
/// A king of Red's. Black's pieces are `JZ_BLACK_PIECE` more than Red's.
pub const JZ_KING: u8 = 1;
/// A rook of Red's.
pub const JZ_ROOK: u8 = 2;
/// A horse of Red's.
pub const JZ_HORSE: u8 = 3;
/// A cannon of Red's.
pub const JZ_CANNON: u8 = 4;
/// A pawn of Red's.
pub const JZ_PAWN: u8 = 5;
/// An advisor of Red's.
pub const JZ_ADVISOR: u8 = 6;
/// An elephant of Red's.
pub const JZ_ELEPHANT: u8 = 7;
/// The difference between Black's pieces and Red's.
pub const JZ_BLACK_PIECE: u8 = 7;

/// The size of a buffer that holds every FEN that the library writes, its NUL included.
pub const JZ_FEN_SIZE: usize = 128;
/// The size of an array that holds the legal moves of every position.
pub const JZ_MAX_MOVES: usize = 128;

/// Play goes on.
pub const JZ_GOES_ON: i32 = 0;
/// Red wins.
pub const JZ_RED_WINS: i32 = 1;
/// Black wins.
pub const JZ_BLACK_WINS: i32 = 2;
/// The game is drawn.
pub const JZ_DRAWN: i32 = 3;

/// Repetitions draw, and nothing else of the past counts.
pub const JZ_RULES_NONE: i32 = 0;
/// Perpetual check loses, other repetitions draw.
pub const JZ_RULES_CHECK: i32 = 1;
/// Perpetual check and perpetual chase lose (Asian rules).
pub const JZ_RULES_ASIAN: i32 = 2;
/// Of games only: the Asian rules as computers play them, where a loop with a check in it is no chase.
pub const JZ_RULES_COMPUTER: i32 = 3;
/// Of games only: an approximation of the Chinese rules, where any mixture of attacks loses.
pub const JZ_RULES_CHINESE: i32 = 4;

/// A move.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JzMove {
    /// The square that the piece leaves, 0 to 89.
    pub from: u8,
    /// The square that the piece goes to, 0 to 89.
    pub to: u8,
    /// The move as UCI writes it, such as `h2e2`, with NUL behind it.
    pub text: [c_char; 6],
}

const _: () = assert!(size_of::<JzMove>() == 8);

impl From<Move> for JzMove {
    fn from(mv: Move) -> Self {
        let from = mv.from();
        let to = mv.to();
        let letters = [b'a' + from.file(), b'0' + from.rank(), b'a' + to.file(), b'0' + to.rank()];
        let mut text = [0; 6];
        for (place, letter) in text.iter_mut().zip(letters) {
            *place = c_char::from_ne_bytes([letter]);
        }
        Self { from: from.index() as u8, to: to.index() as u8, text }
    }
}

/// The number of the outcome of a game.
pub(crate) const fn outcome_number(outcome: Option<Outcome>) -> i32 {
    match outcome {
        None => JZ_GOES_ON,
        Some(Outcome::Win(Side::First)) => JZ_RED_WINS,
        Some(Outcome::Win(Side::Second)) => JZ_BLACK_WINS,
        Some(Outcome::Draw) => JZ_DRAWN,
    }
}

const fn side_number(side: Side) -> i32 {
    match side {
        Side::First => JZ_RED,
        Side::Second => JZ_BLACK,
    }
}

/// The squares of a position as C sees them.
pub(crate) fn board_of(position: &Position) -> ([u8; JZ_SQUARES], i32) {
    let board = position.to_setup().board;
    (
        // Pieces count from 1: 0 is an empty square.
        board.map(|piece: Option<Piece>| piece.map_or(JZ_EMPTY, |piece| piece.index() as u8 + 1)),
        side_number(position.turn()),
    )
}

/// The position of a FEN, and its counters.
///
/// # Safety
///
/// As [`arguments::text`] asks.
pub(crate) unsafe fn setup_of_fen(fen: *const c_char) -> Result<(Position, Setup), Failure> {
    // SAFETY: `fen` ends with NUL, as the caller promises.
    let fen = unsafe { arguments::text(fen, MAX_TEXT)? };
    let setup = Setup::from_fen(fen)?;
    Ok((legal(&setup)?, setup))
}

/// The position of a FEN.
///
/// # Safety
///
/// As [`arguments::text`] asks.
pub(crate) unsafe fn position_of_fen(fen: *const c_char) -> Result<Position, Failure> {
    // SAFETY: `fen` ends with NUL, as the caller promises.
    unsafe { setup_of_fen(fen) }.map(|(position, _)| position)
}

/// The position with these squares.
///
/// # Safety
///
/// `board` is null or points to `JZ_SQUARES` bytes.
pub(crate) unsafe fn position_of_board(board: *const u8, turn: i32) -> Result<Position, Failure> {
    // SAFETY: `board` points to `JZ_SQUARES` bytes, as the caller promises.
    let board = unsafe { arguments::value(board.cast::<[u8; JZ_SQUARES]>())? };
    let mut setup = Setup::empty();
    setup.turn = match turn {
        JZ_RED => Side::First,
        JZ_BLACK => Side::Second,
        _ => return Err(Failure::of(JZ_ERROR_NUMBER)),
    };
    for (place, number) in setup.board.iter_mut().zip(board) {
        if let Some(index) = number.checked_sub(1) {
            let piece = Piece::ALL.get(usize::from(index));
            *place = Some(*piece.ok_or(Failure::of(JZ_ERROR_NUMBER))?);
        }
    }
    legal(&setup)
}

fn legal(setup: &Setup) -> Result<Position, Failure> {
    Position::from_setup(setup).map_err(|errors: SetupErrors| FenError::Illegal(errors).into())
}

/// Reads a FEN: the piece on each of the `JZ_SQUARES` squares of `board`, and the side to move.
///
/// # Safety
///
/// `fen` ends with NUL, `board` points to `JZ_SQUARES` writable bytes, `turn` is writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_board_read(
    fen: *const c_char,
    board: *mut u8,
    turn: *mut i32,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `fen` ends with NUL, as the caller promises.
        let position = unsafe { position_of_fen(fen)? };
        // SAFETY: `board` points to `JZ_SQUARES` writable bytes, as the caller promises.
        let board = unsafe { Output::new(board.cast::<[u8; JZ_SQUARES]>())? };
        // SAFETY: `turn` is writable, as the caller promises.
        let turn = unsafe { Output::new(turn)? };
        let (squares, side) = board_of(&position);
        board.set(squares);
        turn.set(side);
        Ok(())
    })
}

/// Writes the FEN of the piece on each of `JZ_SQUARES` squares and the side to move, if they are a legal position;
/// `JZ_FEN_SIZE` bytes are room enough.
///
/// # Safety
///
/// `board` points to `JZ_SQUARES` bytes, `buffer` to `capacity` writable ones.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn jz_board_fen(
    board: *const u8,
    turn: i32,
    buffer: *mut c_char,
    capacity: usize,
) -> JzStatus {
    guarded(|| {
        // SAFETY: `board` points to `JZ_SQUARES` bytes, as the caller promises.
        let position = unsafe { position_of_board(board, turn)? };
        // SAFETY: `buffer` points to `capacity` writable bytes, as the caller promises.
        let buffer = unsafe { TextBuffer::new(buffer, capacity)? };
        buffer.write(&position.to_fen())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::MoveList;
    use crate::xiangqi::{Role, Square};

    #[test]
    fn pieces_and_squares_have_the_numbers_of_the_header() {
        let (board, turn) = board_of(&Position::start());
        assert_eq!(turn, JZ_RED);
        assert_eq!(board[..5], [JZ_ROOK, JZ_HORSE, JZ_ELEPHANT, JZ_ADVISOR, JZ_KING]);
        assert_eq!((board[19], board[27], board[40]), (JZ_CANNON, JZ_PAWN, JZ_EMPTY));
        assert_eq!(board[89], JZ_ROOK + JZ_BLACK_PIECE);
        for role in Role::ALL {
            let red = Piece::new(Side::First, role).index() as u8 + 1;
            assert_eq!(Piece::new(Side::Second, role).index() as u8 + 1, red + JZ_BLACK_PIECE);
        }
    }

    #[test]
    fn boards_come_back() {
        let position = Position::from_fen("3k5/9/9/9/9/9/9/9/4R4/4K4 b").unwrap();
        let (board, turn) = board_of(&position);
        // SAFETY: it is a board.
        let again = unsafe { position_of_board(board.as_ptr(), turn) }.unwrap();
        assert_eq!(again, position);
        // SAFETY: it is a board.
        let failure = unsafe { position_of_board(board.as_ptr(), 2) }.unwrap_err();
        assert_eq!(failure.status, JZ_ERROR_NUMBER);
    }

    #[test]
    fn moves_have_their_texts() {
        let mut moves = MoveList::new();
        Position::start().legal_moves(&mut moves);
        assert!(moves.len() <= JZ_MAX_MOVES);
        for mv in moves {
            let JzMove { from, to, text } = mv.into();
            let squares = [from, to].map(|square| Square::new(square).unwrap());
            assert_eq!(squares, [mv.from(), mv.to()]);
            let text = text.map(|letter| letter.to_ne_bytes()[0]);
            assert_eq!(&text[..], format!("{mv}\0\0").as_bytes());
        }
    }
}
