//! Static exchange evaluation: the material that a move wins once all captures on its target are
//! played out.

use crate::game::Side;
use crate::xiangqi::{
    Bitboard, Move, Occupancy, Position, Role, Square, advisor_attacks, cannon_attacks,
    elephant_attacks, horse_attackers, king_attacks, pawn_attackers, rook_attacks,
};

/// Losing the king outweighs everything.
const KING: i32 = 10_000;
/// The most captures on one square: every piece once.
const LONGEST: usize = 32;

/// Cheapest first: the order in which pieces are risked.
const RISKED: [Role; 7] =
    [Role::Pawn, Role::Advisor, Role::Elephant, Role::Horse, Role::Cannon, Role::Rook, Role::King];

/// The value of a piece in exchanges, in centipawns: a round average of its evaluation on its usual
/// points, but for pawns, which count as at home.
pub(crate) const fn role_value(role: Role) -> i32 {
    match role {
        Role::King => KING,
        Role::Rook => 600,
        Role::Horse => 290,
        Role::Cannon => 300,
        Role::Pawn => 80,
        Role::Advisor | Role::Elephant => 130,
    }
}

/// The board while pieces disappear from it. Every capture changes lines, screens, legs and eyes,
/// so attackers are looked up again after each.
struct ExchangeBoard<'a> {
    position: &'a Position,
    occupied: Bitboard,
    lines: Occupancy,
}

impl ExchangeBoard<'_> {
    fn lift(&mut self, square: Square) {
        self.occupied = self.occupied.without(square);
        self.lines.toggle(square);
    }

    /// The cheapest piece of `by` that can capture on `target`, the lowest square first.
    fn cheapest_attacker(&self, by: Side, target: Square) -> Option<(Role, Square)> {
        let men = self.position.side(by) & self.occupied;
        RISKED.iter().find_map(|&role| {
            let of_role = men & self.position.role(role);
            if of_role.is_empty() {
                return None;
            }
            (of_role & self.origins(by, role, target)).first().map(|square| (role, square))
        })
    }

    /// The squares from which a piece captures on `target`.
    #[inline]
    fn origins(&self, by: Side, role: Role, target: Square) -> Bitboard {
        match role {
            Role::King => king_attacks(target),
            Role::Rook => rook_attacks(target, &self.lines),
            Role::Horse => horse_attackers(target, self.occupied),
            Role::Cannon => cannon_attacks(target, &self.lines),
            Role::Pawn => pawn_attackers(by, target),
            Role::Advisor => advisor_attacks(target),
            Role::Elephant => elephant_attacks(target, self.occupied),
        }
    }
}

/// The material, in centipawns, that `mv` wins for the side to move if both sides capture on its
/// target with their cheapest piece for as long as that pays. Pins are ignored; a king does not
/// capture what is guarded.
pub(crate) fn exchange_value(position: &Position, mv: Move) -> i32 {
    let from = mv.from();
    let target = mv.to();
    let Some(mover) = position.piece_at(from) else { return 0 };
    let victim = position.piece_at(target);
    let mut board =
        ExchangeBoard { position, occupied: position.occupied(), lines: *position.occupancy() };
    board.lift(from);
    if victim.is_none() {
        board.occupied = board.occupied.with(target);
        board.lines.toggle(target);
    }
    let mut gains = [0; LONGEST];
    gains[0] = victim.map_or(0, |piece| role_value(piece.role()));
    let mut on_target = mover.role();
    let mut side = !mover.side();
    let mut last = 0;
    while last + 1 < LONGEST {
        let Some((role, square)) = board.cheapest_attacker(side, target) else { break };
        last += 1;
        // What the side gains that captures now, if the exchange ends here: the piece on the target less
        // what the other side had gained.
        gains[last] = role_value(on_target) - gains[last - 1];
        board.lift(square);
        on_target = role;
        side = !side;
    }
    for i in (1..=last).rev() {
        // Backwards, each side stops where going on does not pay. The first capture is the move in question
        // and is not up for choice.
        gains[i - 1] = -gains[i].max(-gains[i - 1]);
    }
    gains[0]
}

/// Returns true if [`exchange_value`] is `least` or more. Most cases need no look at the board: a
/// victim worth too little, or a piece that may be lost without harm.
pub(crate) fn reaches(position: &Position, mv: Move, least: i32) -> bool {
    let from = mv.from();
    let target = mv.to();
    let Some(mover) = position.piece_at(from) else { return least <= 0 };
    let victim = position.piece_at(target);
    // The material that the side to capture next must still win, so that the result turns.
    let mut short = victim.map_or(0, |piece| role_value(piece.role())) - least;
    if short < 0 {
        return false;
    }
    // If even losing the mover for nothing leaves enough, no look at the board is needed.
    short = role_value(mover.role()) - short;
    if short <= 0 {
        return true;
    }
    let mut board =
        ExchangeBoard { position, occupied: position.occupied(), lines: *position.occupancy() };
    board.lift(from);
    if victim.is_none() {
        board.occupied = board.occupied.with(target);
        board.lines.toggle(target);
    }
    let mut side = !mover.side();
    let mut holds = true;
    while let Some((role, square)) = board.cheapest_attacker(side, target) {
        holds = !holds;
        short = role_value(role) - short;
        // A tie counts for the side that moved, for which exactly `least` is enough: it may stop at 0, the
        // other side only below.
        if short < i32::from(holds) {
            break;
        }
        board.lift(square);
        side = !side;
    }
    holds
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::{Game, MoveList};

    /// The same definition, played out on the board.
    fn play_out(position: &Position, mv: Move) -> i32 {
        let gain = position.piece_at(mv.to()).map_or(0, |piece| role_value(piece.role()));
        let mut after = position.clone();
        after.make(mv);
        gain - best_reply(&after, mv.to())
    }

    fn best_reply(position: &Position, target: Square) -> i32 {
        let attackers = position.attackers(position.turn(), target);
        let rank = |square: &Square| {
            let role = position.piece_at(*square).unwrap().role();
            RISKED.iter().position(|&r| r == role)
        };
        let Some(from) = attackers.into_iter().min_by_key(rank) else { return 0 };
        play_out(position, Move::new(from, target)).max(0)
    }

    proptest! {
        #[test]
        fn equals_playing_it_out(choices in prop::collection::vec(any::<u32>(), 1..120)) {
            let mut position = Position::start();
            for choice in choices {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                for &mv in &moves {
                    prop_assert_eq!(
                        exchange_value(&position, mv),
                        play_out(&position, mv),
                        "{} {}", position.to_fen(), mv
                    );
                    let value = exchange_value(&position, mv);
                    prop_assert!(reaches(&position, mv, value));
                    prop_assert!(!reaches(&position, mv, value + 1));
                    prop_assert!(!reaches(&position, mv, 0) || value >= 0);
                }
                let mut captures = moves.iter().filter(|mv| position.occupied().has(mv.to()));
                let at = choice as usize;
                let mv = if at.is_multiple_of(4) { captures.next().copied() } else { None };
                position.make(mv.unwrap_or(moves[at % moves.len()]));
            }
        }
    }

    #[test]
    fn screens_come_and_go() {
        // The horse on d4 captures the pawn on e6; a cannon guards it only across a screen.
        let cases = [
            ("4k4/9/4c4/4p4/9/3N5/9/9/9/3K5 w - - 0 1", "d4e6", 80),
            ("4k4/9/9/4p4/9/3N5/9/9/9/3K5 w - - 0 1", "d4e6", 80),
            ("4k4/4c4/4c4/4p4/9/3N5/9/9/9/3K5 w - - 0 1", "d4e6", -210),
        ];
        for (fen, mv, value) in cases {
            let position = Position::from_fen(fen).unwrap();
            assert_eq!(exchange_value(&position, Move::parse(mv).unwrap()), value, "{fen}");
        }
    }
}
