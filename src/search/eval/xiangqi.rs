//! The evaluation of xiangqi, and what search wants to know of its moves. The terms are those of
//! the first program that this project started from: material, placement, mobility, relations.

mod exchange;
mod numbers;
mod structure;
mod terms;

pub use terms::{Terms, terms};

use crate::game::{Heuristics, MoveList, Outcome, STRUCTURES};
use crate::xiangqi::{Move, Piece, Position, Role, Square, Undo};

impl Heuristics for Position {
    const NULL_MOVE: bool = true;
    const HISTORY_LEN: usize = Piece::COUNT * Square::COUNT;
    const GAINS: usize = Role::ALL.len();

    fn evaluate(&self) -> i32 {
        let terms = terms(self);
        terms[self.turn()].sum() - terms[!self.turn()].sum()
    }

    fn is_threatened(&self) -> bool {
        self.in_check()
    }

    fn creates_threat(&self, mv: Move) -> bool {
        self.gives_check(mv)
    }

    /// Mates are found as checks without evasion; a stalemate out of the blue is too rare.
    fn abrupt_outcome(&self) -> Option<Outcome> {
        None
    }

    fn forcing_moves(&self, moves: &mut MoveList<Move>) {
        self.append_captures(moves);
    }

    fn is_forcing(&self, mv: Move) -> bool {
        self.occupied().has(mv.to())
    }

    fn forcing_value(&self, mv: Move) -> i32 {
        let worth = |square| self.piece_at(square).map_or(0, |man| numbers::material(man.role()));
        16 * worth(mv.to()) - worth(mv.from())
    }

    fn exchange_value(&self, mv: Move) -> i32 {
        exchange::exchange_value(self, mv)
    }

    fn quiet_value(&self, mv: Move) -> i32 {
        self.piece_at(mv.from()).map_or(0, |piece| {
            let placement = &numbers::PLACEMENT[piece.index()];
            i32::from(placement[mv.to().index()]) - i32::from(placement[mv.from().index()])
        })
    }

    fn history_index(&self, mv: Move) -> usize {
        self.piece_at(mv.from()).map_or(0, Piece::index) * Square::COUNT + mv.to().index()
    }

    /// A rook, or two horses or cannons: with less, being forced to move often loses.
    fn allows_null_move(&self) -> bool {
        let own = self.side(self.turn());
        let light = (self.role(Role::Horse) | self.role(Role::Cannon)) & own;
        self.role(Role::Rook).meets(own) || light.len() >= 2
    }

    fn make_null(&mut self) -> Undo {
        self.pass()
    }

    fn unmake_null(&mut self, undo: Undo) {
        self.unpass(undo);
    }

    fn plausible_forcing(&self, moves: &mut MoveList<Move>) {
        self.append_captures(moves);
    }

    fn plausible_quiets(&self, moves: &mut MoveList<Move>) {
        self.append_quiets(moves);
    }

    fn exchange_reaches(&self, mv: Move, least: i32) -> bool {
        exchange::reaches(self, mv, least)
    }

    fn immediate_gain(&self, mv: Move) -> i32 {
        self.piece_at(mv.to()).map_or(0, |man| numbers::material(man.role()))
    }

    fn gain_index(&self, mv: Move) -> usize {
        self.piece_at(mv.to()).map_or(0, |man| man.role().index())
    }

    fn structure_keys(&self) -> Option<[u64; STRUCTURES]> {
        Some(structure::keys(self))
    }

    fn phase(&self) -> i32 {
        structure::phase(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::Game;
    use crate::xiangqi::Setup;

    /// The same position with the colours exchanged, seen from the other side of the board.
    fn swapped(position: &Position) -> Position {
        image(position, Square::flipped, true)
    }

    fn mirrored(position: &Position) -> Position {
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

    proptest! {
        #[test]
        fn the_evaluation_knows_no_colour_and_no_wing(
            choices in prop::collection::vec(any::<u16>(), 0..150)
        ) {
            let mut position = Position::start();
            for choice in choices {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                position.make(moves[choice as usize % moves.len()]);
                let value = position.evaluate();
                prop_assert_eq!(swapped(&position).evaluate(), value);
                prop_assert_eq!(mirrored(&position).evaluate(), value);
                prop_assert!(value.abs() <= 20_000);
            }
        }
    }

    #[test]
    fn the_start_is_level() {
        let terms = terms(&Position::start());
        assert_eq!(terms.first, terms.second);
        let set = Role::ALL.map(|role| i32::from(role.full_count()) * numbers::material(role));
        assert_eq!(terms.first.material, set.iter().sum::<i32>());
    }
}
