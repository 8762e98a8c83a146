//! The evaluation of xiangqi, and what search wants to know of its moves.

use crate::game::{Heuristics, MoveList};
use crate::xiangqi::{Move, Piece, Position, Role, Square, Undo};

/// What each man is worth, in the order of [`Role`].
const VALUE: [i32; 7] = [0, 500, 300, 300, 80, 250, 250];

const fn value(piece: Piece) -> i32 {
    VALUE[piece.role().index()]
}

impl Heuristics for Position {
    const NULL_MOVE: bool = true;
    const HISTORY_LEN: usize = Piece::COUNT * Square::COUNT;

    fn evaluate(&self) -> i32 {
        let mut sum = 0;
        for square in self.occupied() {
            if let Some(piece) = self.piece_at(square) {
                sum += if piece.side() == self.turn() { value(piece) } else { -value(piece) };
            }
        }
        sum
    }

    fn is_threatened(&self) -> bool {
        self.in_check()
    }

    fn forcing_moves(&self, moves: &mut MoveList<Move>) {
        self.append_captures(moves);
    }

    fn is_forcing(&self, mv: Move) -> bool {
        self.piece_at(mv.to()).is_some()
    }

    fn forcing_value(&self, mv: Move) -> i32 {
        let man = |square| self.piece_at(square).map_or(0, value);
        16 * man(mv.to()) - man(mv.from())
    }

    fn exchange_value(&self, mv: Move) -> i32 {
        self.piece_at(mv.to()).map_or(0, value)
    }

    fn quiet_value(&self, _mv: Move) -> i32 {
        0
    }

    fn history_index(&self, mv: Move) -> usize {
        self.piece_at(mv.from()).map_or(0, Piece::index) * Square::COUNT + mv.to().index()
    }

    fn allows_null_move(&self) -> bool {
        let us = self.turn();
        !(self.pieces(us, Role::Rook)
            | self.pieces(us, Role::Horse)
            | self.pieces(us, Role::Cannon))
        .is_empty()
    }

    fn make_null(&mut self) -> Undo {
        self.pass()
    }

    fn unmake_null(&mut self, undo: Undo) {
        self.unpass(undo);
    }
}
