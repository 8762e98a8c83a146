//! Start positions from the boards that files store.

use crate::game::{Game, Side};
use crate::message::message;
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::parsed::Note;
use crate::xiangqi::{FenError, Piece, Position, Role, Setup, Square};

/// The pieces on the board at the start of a game.
pub(crate) type Board = [Option<Piece>; Square::COUNT];

/// The pieces of one side in the order in which XQF and DhtmlXQ list their squares: Red's sixteen, then
/// Black's. In the usual start position a piece's number among its kind rises with its file.
const MEN: [Role; 16] = [
    Role::Rook,
    Role::Horse,
    Role::Elephant,
    Role::Advisor,
    Role::King,
    Role::Advisor,
    Role::Elephant,
    Role::Horse,
    Role::Rook,
    Role::Cannon,
    Role::Cannon,
    Role::Pawn,
    Role::Pawn,
    Role::Pawn,
    Role::Pawn,
    Role::Pawn,
];

/// The start position, `None` if it is the usual one. The colour of the piece on `first`, where the first
/// move begins, is to move, for what files state about that is often wrong; where there is no such piece, it
/// is `stated`, or the other side if only that makes the position legal.
pub(crate) fn start_position(
    board: &Board,
    first: Option<Square>,
    stated: Side,
) -> Result<Option<Position>, BadGameReason> {
    let mover = first.and_then(|square| board[square.index()]).map(Piece::side);
    let position = match Position::from_setup(&setup(board, mover.unwrap_or(stated))) {
        Err(errors) => {
            let other = mover.is_none().then(|| Position::from_setup(&setup(board, !stated)));
            let other = other.and_then(Result::ok);
            other.ok_or(BadGameReason::Start(FenError::Illegal(errors)))?
        }
        Ok(position) => position,
    };
    Ok((position != Position::start()).then_some(position))
}

/// The pieces with a side to move.
fn setup(board: &Board, turn: Side) -> Setup {
    Setup { board: *board, turn, ..Setup::empty() }
}

/// The note on a start position whose side to move is not the `stated` one, where there is no first move to
/// determine it.
pub(crate) fn note(start: Option<&Position>, first: Option<Square>, stated: Side) -> Option<Note> {
    let turn = start.map_or(Side::First, Position::turn);
    (first.is_none() && turn != stated).then_some(Note::OtherSide)
}

/// The board with the 32 pieces on these squares.
///
/// # Errors
///
/// If two pieces stand on one square.
pub(crate) fn board_of(squares: &[Option<Square>; 32]) -> Result<Board, BadGameReason> {
    let mut board = [None; Square::COUNT];
    for (index, square) in squares.iter().enumerate() {
        let Some(square) = square else { continue };
        let side = Side::ALL[index / MEN.len()];
        let piece = Piece::new(side, MEN[index % MEN.len()]);
        if board[square.index()].replace(piece).is_some() {
            return Err(BadGameReason::Malformed(message!("two men stand on {square}")));
        }
    }
    Ok(board)
}

/// The square in a column, counted from the left, and a row from the top; off the board the number
/// 16 × column + row.
pub(crate) const fn from_top_left(column: u8, row: u8) -> Result<Square, u8> {
    if column < 9 && row < 10 {
        Ok(Square::at(column, 9 - row))
    } else {
        // For messages only, so that it may wrap.
        Err(column.wrapping_mul(16).wrapping_add(row))
    }
}

/// The same of a byte that has the column in its upper half.
pub(crate) const fn from_halves(byte: u8) -> Result<Square, u8> {
    from_top_left(byte >> 4, byte & 0x0f)
}

/// The square of a byte that has the column in its lower half; off the board the byte.
pub(crate) fn from_swapped_halves(byte: u8) -> Result<Square, u8> {
    from_top_left(byte & 0x0f, byte >> 4).map_err(|_| byte)
}

/// The square as it is seen from the other side of the board.
pub(crate) const fn turned(square: Square) -> Square {
    square.flipped().mirrored()
}

/// The squares of the 32 pieces of a position, file by file.
pub(crate) fn men_of(position: &Position) -> [Option<Square>; 32] {
    let mut squares = [None; 32];
    for file in 0..9 {
        for rank in 0..10 {
            let square = Square::at(file, rank);
            let Some(piece) = position.piece_at(square) else { continue };
            let offset = piece.side().index() * MEN.len();
            let slots = MEN.iter().enumerate().filter(|(_, role)| **role == piece.role());
            let mut free = slots.map(|(i, _)| offset + i).filter(|&i| squares[i].is_none());
            if let Some(slot) = free.next() {
                squares[slot] = Some(square);
            }
        }
    }
    squares
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_men_of_a_position_make_its_board() {
        for fen in [crate::xiangqi::START_FEN, "3k5/4N4/9/9/2p3p2/9/9/9/9/2B1KA3 b"] {
            let position = Position::from_fen(fen).unwrap();
            let board = board_of(&men_of(&position)).unwrap();
            assert_eq!(board, position.to_setup().board);
        }
    }

    #[test]
    fn the_first_move_tells_whose_turn_it_is() {
        let board = Position::start().to_setup().board;
        let turn = |first: &str, stated| {
            start_position(&board, Square::parse(first), stated).unwrap().map(|p| p.turn())
        };
        assert_eq!(turn("h2", Side::Second), None);
        assert_eq!(turn("h9", Side::First), Some(Side::Second));
        assert_eq!(turn("e5", Side::Second), Some(Side::Second));
        let check = Position::from_fen("3k5/9/9/9/9/9/9/9/3R5/4K4 b").unwrap();
        let board = check.to_setup().board;
        assert_eq!(start_position(&board, None, Side::First), Ok(Some(check)));
        assert!(start_position(&board, Square::parse("d1"), Side::First).is_err());
    }

    #[test]
    fn one_man_to_a_square() {
        let mut squares = men_of(&Position::start());
        squares[31] = squares[4];
        let reason = board_of(&squares).unwrap_err().to_string();
        assert_eq!(reason, "two men stand on e0");
    }
}
