//! The checks of one position, found once for all its moves.

use crate::game::{Game, MoveList};
use crate::xiangqi::attacks::{self, LINES};
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::piece::{Piece, Role};
use crate::xiangqi::position::{Move, Position};
use crate::xiangqi::square::Square;

/// The squares on which pieces of the side to move give check, so that most moves are judged by the squares they leave and
/// enter. The others are tried on the board.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckMap<'a> {
    position: &'a Position,
    /// The squares from which a piece of each role would attack the king, as the board is.
    from_squares: [Bitboard; 7],
    /// Own pieces whose leaving may let another one attack: pieces between the king and a rook or cannon, those on
    /// the leg of a horse, and rooks and cannons on the king's lines, which may stand in their own way.
    leaving: Bitboard,
    /// Squares between the king and an own cannon with nothing between: a piece that goes there is its screen.
    screens: Bitboard,
}

impl<'a> CheckMap<'a> {
    /// The checks of the side to move, whose opponent must not be in check.
    #[must_use]
    pub(crate) fn new(position: &'a Position) -> Self {
        let us = position.turn();
        let king = position.king(!us);
        let occupied = position.occupied();
        let lines = position.occupancy();
        let mut from_squares = [Bitboard::EMPTY; 7];
        from_squares[Role::Rook.index()] = attacks::rook_attacks(king, lines);
        from_squares[Role::Cannon.index()] = attacks::over_one_screen(king, lines);
        from_squares[Role::Horse.index()] = attacks::horse_attackers(king, occupied);
        from_squares[Role::Pawn.index()] = attacks::pawn_attackers(us, king);
        let mut map =
            Self { position, from_squares, leaving: Bitboard::EMPTY, screens: Bitboard::EMPTY };
        map.look_along_lines();
        let zone = attacks::horse_zone(king);
        if position.pieces(us, Role::Horse).meets(zone.origins) {
            map.leaving |= zone.legs;
        }
        map
    }

    fn look_along_lines(&mut self) {
        let position = self.position;
        let us = position.turn();
        let king = position.king(!us);
        let occupied = position.occupied();
        let rooks = position.role(Role::Rook) | position.role(Role::King);
        let cannons = position.role(Role::Cannon);
        for slider in LINES[king.index()] & position.side(us) & (rooks | cannons) {
            self.leaving = self.leaving.with(slider);
            let gap = attacks::between(king, slider);
            let men = gap & occupied;
            if cannons.has(slider) && men.is_empty() {
                self.screens |= gap;
            }
            self.leaving |= men;
        }
    }

    /// Returns true if a legal move gives check.
    #[must_use]
    #[inline]
    pub(crate) fn gives_check(&self, mv: Move) -> bool {
        if self.leaving.has(mv.from()) || self.screens.has(mv.to()) {
            return self.position.is_king_attacked_after(!self.position.turn(), mv);
        }
        let piece = self.position.piece_at(mv.from());
        piece.is_some_and(|piece| self.from_squares[piece.role().index()].has(mv.to()))
    }

    /// Appends the legal moves that capture nothing and give check, in the order of all legal moves.
    pub(crate) fn append_quiet_checks(&self, moves: &mut MoveList<Move>) {
        let free = !self.position.occupied();
        let mask = |from: Square, piece: Piece| {
            if self.leaving.has(from) {
                free
            } else {
                (self.from_squares[piece.role().index()] | self.screens) & free
            }
        };
        self.position.for_each_legal_within(mask, |from, targets| {
            for to in targets {
                let mv = Move::new(from, to);
                if self.gives_check(mv) {
                    moves.push(mv);
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn checks_are_those_of_the_board(choices in prop::collection::vec(any::<u16>(), 0..200)) {
            let mut position = Position::start();
            for choice in choices {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                let map = CheckMap::new(&position);
                let mut checks = MoveList::new();
                for &mv in &moves {
                    let mut after = position.clone();
                    after.make(mv);
                    prop_assert_eq!(map.gives_check(mv), after.in_check(), "{} {}", position.to_fen(), mv);
                    prop_assert_eq!(position.gives_check(mv), after.in_check());
                    if after.in_check() && !position.occupied().has(mv.to()) {
                        checks.push(mv);
                    }
                }
                let mut quiet_checks = MoveList::new();
                map.append_quiet_checks(&mut quiet_checks);
                prop_assert_eq!(&quiet_checks, &checks);
                // Checks often, so that lines and legs come into play.
                let at = usize::from(choice);
                let check = if at.is_multiple_of(3) { checks.first() } else { None };
                position.make(check.copied().unwrap_or(moves[at % moves.len()]));
            }
        }
    }
}
