//! The points that the pieces of a side bear on: the base of mobility, relations and king safety.

use arrayvec::ArrayVec;

use crate::game::{BySide, Side};
use crate::xiangqi::{
    Bitboard, Position, Role, Square, advisor_attacks, cannon_attacks, elephant_attacks,
    horse_attacks, king_attacks, rook_attacks,
};

/// A rook, horse or cannon and the points it reaches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bearing {
    pub(crate) role: Role,
    pub(crate) square: Square,
    /// The points it can go to if they are empty, and for horses and rooks also those where it can
    /// capture.
    pub(crate) quiet: Bitboard,
    /// The points where it captures or guards.
    pub(crate) takes: Bitboard,
}

/// The points that the pieces of a side bear on, by captures (a cannon's quiet moves do not count).
#[derive(Debug, Default)]
pub(crate) struct Reach {
    /// By one piece or more.
    pub(crate) once: Bitboard,
    /// By two pieces or more.
    pub(crate) twice: Bitboard,
    /// By any piece but the king.
    pub(crate) by_men: Bitboard,
    pub(crate) pawns: Bitboard,
    pub(crate) advisors: Bitboard,
    pub(crate) elephants: Bitboard,
    pub(crate) horses: Bitboard,
    pub(crate) cannons: Bitboard,
    pub(crate) rooks: Bitboard,
    /// The rooks, horses and cannons one by one.
    pub(crate) heavy: ArrayVec<Bearing, 8>,
}

impl Reach {
    #[inline(always)]
    fn add(&mut self, targets: Bitboard) {
        self.twice |= self.once & targets;
        self.once |= targets;
    }

    /// Points that pawns, advisors and elephants bear on.
    pub(crate) fn by_small(&self) -> Bitboard {
        self.pawns | self.advisors | self.elephants
    }

    /// Points that something cheaper than a rook bears on.
    pub(crate) fn below_rook(&self) -> Bitboard {
        self.by_small() | self.horses | self.cannons
    }
}

const FILE_A: u128 = {
    let mut bits = 0;
    let mut rank = 0;
    while rank < 10 {
        bits |= 1 << (9 * rank);
        rank += 1;
    }
    bits
};

/// Five ranks of Red's half.
const RED_HALF: u128 = (1 << 45) - 1;

/// The points across the river for a side.
pub(crate) const fn far_half(side: Side) -> Bitboard {
    match side {
        Side::First => Bitboard::from_bits(Bitboard::FULL.bits() & !RED_HALF),
        Side::Second => Bitboard::from_bits(RED_HALF),
    }
}

/// The squares of `set` moved one file to the right.
pub(crate) const fn right_of(set: Bitboard) -> Bitboard {
    // What leaves the last file arrives on the first one, a rank higher, and is dropped.
    Bitboard::from_bits(set.bits() << 1 & !FILE_A)
}

const fn left_of(set: Bitboard) -> Bitboard {
    Bitboard::from_bits((set.bits() & !FILE_A) >> 1)
}

/// The points that each side bears on.
#[inline(always)]
pub(crate) fn reach_by_side(position: &Position) -> BySide<Reach> {
    let mut reach = BySide::<Reach>::default();
    for side in Side::ALL {
        // In place: a set of bearings is long.
        fill(position, side, &mut reach[side]);
    }
    reach
}

#[inline(always)]
fn fill(position: &Position, side: Side, reach: &mut Reach) {
    let occupied = position.occupied();
    let lines = position.occupancy();
    let men = position.side(side);
    let of = |role| position.role(role) & men;
    reach.pawns = add_pawns(reach, of(Role::Pawn), side);
    for square in of(Role::Advisor) {
        let targets = advisor_attacks(square);
        reach.advisors |= targets;
        reach.add(targets);
    }
    for square in of(Role::Elephant) {
        let targets = elephant_attacks(square, occupied);
        reach.elephants |= targets;
        reach.add(targets);
    }
    for square in of(Role::Horse) {
        let targets = horse_attacks(square, occupied);
        reach.horses |= targets;
        reach.add_heavy(Bearing { role: Role::Horse, square, quiet: targets, takes: targets });
    }
    for square in of(Role::Cannon) {
        let quiet = rook_attacks(square, lines);
        let takes = cannon_attacks(square, lines);
        reach.cannons |= takes;
        reach.add_heavy(Bearing { role: Role::Cannon, square, quiet, takes });
    }
    for square in of(Role::Rook) {
        let targets = rook_attacks(square, lines);
        reach.rooks |= targets;
        reach.add_heavy(Bearing { role: Role::Rook, square, quiet: targets, takes: targets });
    }
    reach.by_men = reach.once;
    reach.add(king_attacks(position.king(side)));
}

/// Points where pieces are lost to cheaper ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Danger {
    /// Horses and cannons: where pawns, advisors and elephants bear on.
    pub(crate) for_light: Bitboard,
    /// Rooks: where horses and cannons do, too.
    pub(crate) for_rooks: Bitboard,
}

/// The points where a side endangers the opponent's pieces.
pub(crate) fn danger(position: &Position, side: Side) -> Danger {
    let occupied = position.occupied();
    let of = |role| position.pieces(side, role);
    let [ahead, left, right] = pawn_targets(of(Role::Pawn), side);
    let mut for_light = ahead | left | right;
    for square in of(Role::Advisor) {
        for_light |= advisor_attacks(square);
    }
    for square in of(Role::Elephant) {
        for_light |= elephant_attacks(square, occupied);
    }
    let mut for_rooks = for_light;
    for square in of(Role::Horse) {
        for_rooks |= horse_attacks(square, occupied);
    }
    for square in of(Role::Cannon) {
        for_rooks |= cannon_attacks(square, position.occupancy());
    }
    Danger { for_light, for_rooks }
}

impl Reach {
    #[inline(always)]
    fn add_heavy(&mut self, bearing: Bearing) {
        self.add(bearing.takes);
        // A set has six of them; positions that were never validated may have more.
        if !self.heavy.is_full() {
            self.heavy.push(bearing);
        }
    }
}

/// The points that all pawns bear on at once: forward, and to either side across the river.
#[inline(always)]
fn pawn_targets(pawns: Bitboard, side: Side) -> [Bitboard; 3] {
    let crossed = pawns & far_half(side);
    [pawns.ahead(side), left_of(crossed), right_of(crossed)]
}

/// Adds the points that pawns bear on, and returns them.
#[inline(always)]
fn add_pawns(reach: &mut Reach, pawns: Bitboard, side: Side) -> Bitboard {
    let [ahead, left, right] = pawn_targets(pawns, side);
    reach.add(ahead);
    reach.add(left);
    reach.add(right);
    reach.once
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::xiangqi::pawn_attacks;
    use crate::xiangqi::tests::random_play;

    proptest! {
        #[test]
        fn the_reach_of_a_side_is_that_of_its_men(
            choices in prop::collection::vec(any::<u16>(), 0..120)
        ) {
            let position = random_play(&choices).pop().unwrap();
            let reach = reach_by_side(&position);
            for side in Side::ALL {
                // A cannon's hold on empty points is left out.
                for square in position.occupied() {
                    let count = position.attackers(side, square).len();
                    prop_assert_eq!(reach[side].once.has(square), count > 0, "{}", square);
                    prop_assert_eq!(reach[side].twice.has(square), count > 1, "{}", square);
                }
                let danger = danger(&position, side);
                prop_assert_eq!(danger.for_light, reach[side].by_small());
                prop_assert_eq!(danger.for_rooks, reach[side].below_rook());
                let pawns = position.pieces(side, Role::Pawn).into_iter();
                let by_pawns = pawns.fold(Bitboard::EMPTY, |set, s| set | pawn_attacks(side, s));
                prop_assert_eq!(reach[side].pawns, by_pawns);
            }
        }
    }
}
