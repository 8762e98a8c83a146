//! Positions for tests of this room and of those above it.

use super::{Piece, Position, Setup, Square};
use crate::game::{Game, MoveList};

/// The start, and the positions after moves chosen by these numbers.
pub(crate) fn random_play(choices: &[u16]) -> Vec<Position> {
    let mut positions = vec![Position::start()];
    let mut position = Position::start();
    for &choice in choices {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        position.make(moves[choice as usize % moves.len()]);
        positions.push(position.clone());
    }
    positions
}

/// The same position with the colours exchanged, seen from the other side of the board.
pub(crate) fn swapped(position: &Position) -> Position {
    image(position, Square::flipped, true)
}

/// The mirror image of a position.
pub(crate) fn mirrored(position: &Position) -> Position {
    image(position, Square::mirrored, false)
}

fn image(position: &Position, map: fn(Square) -> Square, swap: bool) -> Position {
    let mut setup = Setup::empty();
    setup.turn = if swap { !position.turn() } else { position.turn() };
    for square in Square::all() {
        setup.board[map(square).index()] = position.piece_at(square).map(|piece| {
            let side = if swap { !piece.side() } else { piece.side() };
            Piece::new(side, piece.role())
        });
    }
    Position::from_setup(&setup).unwrap()
}
