//! The static evaluation, term by term.

use super::numbers::{
    DANGER_TO_MOVE, DANGER_WAITING, GUARDED, IN_CHECK, MOBILITY, PLACEMENT, RELATION_UNIT, material,
};
use crate::game::{BySide, Side};
use crate::xiangqi::{
    Bitboard, Piece, Position, Role, Square, advisor_attacks, cannon_attacks, elephant_attacks,
    horse_attacks, king_attacks, pawn_attacks, rook_attacks,
};

/// The evaluation of one side, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terms {
    /// The men's worth.
    pub material: i32,
    /// Where they stand.
    pub placement: i32,
    /// The empty points that they reach.
    pub mobility: i32,
    /// Who attacks and who guards them.
    pub relations: i32,
}

impl Terms {
    /// All terms together.
    #[must_use]
    pub const fn sum(self) -> i32 {
        self.material + self.placement + self.mobility + self.relations
    }
}

/// Kinds of men by what they are worth in exchanges; the king takes last.
const CLASSES: usize = 5;

const fn class(role: Role) -> usize {
    match role {
        Role::Pawn => 0,
        Role::Advisor | Role::Elephant => 1,
        Role::Horse | Role::Cannon => 2,
        Role::Rook => 3,
        Role::King => 4,
    }
}

/// The points that the men of a side bear on, by takes (a cannon's quiet moves do not count).
#[derive(Clone, Copy, Default)]
struct Reach {
    once: Bitboard,
    twice: Bitboard,
    by_class: [Bitboard; CLASSES],
}

impl Reach {
    fn add(&mut self, class: usize, targets: Bitboard) {
        self.twice |= self.once & targets;
        self.once |= targets;
        self.by_class[class] |= targets;
    }
}

/// The static evaluation of both sides, each on its own. The evaluation of the position is the
/// difference.
#[must_use]
pub fn terms(position: &Position) -> BySide<Terms> {
    let mut terms = BySide::<Terms>::default();
    let mut reach = BySide::<Reach>::default();
    for side in Side::ALL {
        (terms[side], reach[side]) = survey(position, side);
    }
    for side in Side::ALL {
        terms[side].relations = relations(position, side, &reach[side], &reach[!side]);
    }
    if position.in_check() {
        terms[position.turn()].relations -= IN_CHECK;
    }
    terms
}

/// The terms that need one man at a time, and what the men bear on.
fn survey(position: &Position, side: Side) -> (Terms, Reach) {
    let occupied = position.occupied();
    let mut terms = Terms::default();
    let mut reach = Reach::default();
    for role in Role::ALL {
        let piece = Piece::new(side, role);
        let placement = &PLACEMENT[piece.index()];
        for square in position.pieces(side, role) {
            let (quiet, takes) = bearing(position, piece, square);
            terms.material += material(role);
            terms.placement += i32::from(placement[square.index()]);
            terms.mobility += MOBILITY[role.index()] * (quiet - occupied).len().cast_signed();
            reach.add(class(role), takes);
        }
    }
    (terms, reach)
}

/// Where a man can go if the point is empty, and where it can take or guard.
#[inline]
fn bearing(position: &Position, piece: Piece, square: Square) -> (Bitboard, Bitboard) {
    let both = |set| (set, set);
    match piece.role() {
        Role::King => both(king_attacks(square)),
        Role::Rook => both(rook_attacks(square, position.occupancy())),
        Role::Horse => both(horse_attacks(square, position.occupied())),
        Role::Cannon => (
            rook_attacks(square, position.occupancy()),
            cannon_attacks(square, position.occupancy()),
        ),
        Role::Pawn => both(pawn_attacks(piece.side(), square)),
        Role::Advisor => both(advisor_attacks(square)),
        Role::Elephant => both(elephant_attacks(square, position.occupied())),
    }
}

/// Attackers and guards of the men of `side`. A man in danger costs some eighths of its worth:
/// attacked and unguarded, attacked by something cheaper (which the attacker's side then risks to
/// lose in return if there is a guard), or attacked twice and guarded once.
fn relations(position: &Position, side: Side, own: &Reach, theirs: &Reach) -> i32 {
    let men = position.side(side) - Bitboard::of(position.king(side));
    let weight = if position.turn() == side { DANGER_TO_MOVE } else { DANGER_WAITING };
    let guarded_idle = men & (own.once - theirs.once);
    let guards = guarded_idle.len() + (guarded_idle & own.twice).len();
    let attacked = men & theirs.once;
    if attacked.is_empty() {
        return GUARDED * guards.cast_signed();
    }
    let loose = attacked - own.once;
    let outnumbered = attacked & (theirs.twice - own.twice);
    let mut units = 0;
    for role in Role::ALL {
        let of_role = attacked & position.role(role);
        if of_role.is_empty() {
            continue;
        }
        let mut lost = of_role & (loose | outnumbered);
        let mut returned = 0;
        for (hits, worth) in theirs.by_class.iter().zip(CLASS_WORTH).take(class(role)) {
            let taken = (of_role - lost) & *hits;
            lost |= taken;
            returned += worth * taken.len().cast_signed();
        }
        units += material(role) * lost.len().cast_signed() - returned;
    }
    GUARDED * guards.cast_signed() - weight * units / RELATION_UNIT
}

/// The least worth within a class.
const CLASS_WORTH: [i32; CLASSES] = [
    material(Role::Pawn),
    material(Role::Advisor),
    material(Role::Horse),
    material(Role::Rook),
    material(Role::King),
];
