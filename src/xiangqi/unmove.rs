//! Un-moves: the quiet moves that may have led to a position. Captures change the material and so
//! belong to another endgame table.

use crate::game::Game;
use crate::xiangqi::attacks;
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::piece::{Piece, Role};
use crate::xiangqi::position::Position;
use crate::xiangqi::square::Square;

impl Position {
    /// Squares from which the piece on `to` may have come by a quiet move, the board being as it is
    /// (and so `to` empty before). Whether the position before was legal is the caller's to check.
    #[must_use]
    #[inline]
    pub fn quiet_origins(&self, to: Square, piece: Piece) -> Bitboard {
        let occupied = self.occupied();
        let origins = match piece.role() {
            Role::King => attacks::king_attacks(to),
            Role::Rook | Role::Cannon => attacks::rook_attacks(to, self.occupancy()),
            Role::Horse => attacks::horse_attackers(to, occupied.without(to)),
            Role::Pawn => {
                attacks::pawn_attackers(piece.side(), to) & Bitboard::pawn_squares(piece.side())
            }
            Role::Advisor => attacks::advisor_attacks(to),
            Role::Elephant => attacks::elephant_attacks(to, occupied),
        };
        origins - occupied
    }

    /// Calls `sink` with each piece of the side *not* to move and the squares it may have come from
    /// by a quiet move, in square order.
    pub fn for_each_unmove(&self, mut sink: impl FnMut(Square, Bitboard)) {
        for to in self.side(!self.turn()) {
            if let Some(piece) = self.piece_at(to) {
                sink(to, self.quiet_origins(to, piece));
            }
        }
    }
}
