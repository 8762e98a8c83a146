//! Terms that depend on the pieces alone: their worth, the phase of the game, and the part of an
//! advantage that can be won with. Few sets of pieces occur in one search, so their terms are kept
//! by material key.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::{BySide, Side};
use crate::search::eval::xiangqi::ending_scales::ending_scale;
use crate::search::eval::xiangqi::features::{
    AGAINST, GUARD_SET, MATERIAL, MEN, MEN_ON_BOARD, MISSING_ADVISOR, MISSING_ELEPHANT, PAIRS,
    ROOKLESS, man,
};
use crate::search::eval::xiangqi::sink::{Pair, Sink, Sum};
use crate::xiangqi::{Position, Role};

/// Phase with all rooks, horses and cannons on the board; an ending without them has 0.
pub(crate) const FULL_PHASE: i32 = 32;

/// A scale that reduces nothing.
pub(crate) const FULL_SCALE: i32 = 64;

/// Number of pieces of each role that a side has.
type Count = [i32; 7];

/// The terms of the pieces on the board.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Material {
    /// Red's terms less Black's.
    pub(crate) score: Pair,
    /// From 0 to [`FULL_PHASE`].
    pub(crate) phase: i32,
    /// For each side, the part of its advantage that counts, of [`FULL_SCALE`].
    pub(crate) scale: BySide<i32>,
}

impl Material {
    fn new(position: &Position) -> Self {
        let men = position.material();
        let counts = men.map(|men| men.map(i32::from));
        let sum = |side: Side| {
            let mut sum = Sum::default();
            add_terms(&counts[side], &counts[!side], &mut sum);
            sum.0
        };
        Self {
            score: sum(Side::First).minus(sum(Side::Second)),
            phase: phase(&counts),
            scale: BySide::new_with(|side| {
                ending_scale(men[side], men[!side])
                    .unwrap_or_else(|| scale(&counts[side], &counts[!side]))
            }),
        }
    }

    fn pack(self) -> u64 {
        let [first, second] = [self.scale.first, self.scale.second];
        u64::from(self.score.0.cast_unsigned())
            | (self.phase as u64) << 32
            | (first as u64) << 40
            | (second as u64) << 48
    }

    fn unpack(bits: u64) -> Self {
        let byte = |at: u32| i32::from((bits >> at) as u8);
        Self {
            score: Pair((bits as u32).cast_signed()),
            phase: byte(32),
            scale: BySide { first: byte(40), second: byte(48) },
        }
    }
}

/// The terms of both sides apart, for a record.
pub(crate) fn record<S: Sink>(position: &Position, side: Side, sink: &mut S) {
    let counts = position.material().map(|men| men.map(i32::from));
    add_terms(&counts[side], &counts[!side], sink);
}

const SLOTS: usize = 1 << 12;

const KEPT_BIT: u64 = 1 << 63;

/// The key, with the data folded in so that a slot that two threads write at once is known by it,
/// and the data: Hyatt and Mann 2002.
struct Slot {
    key: AtomicU64,
    data: AtomicU64,
}

static KEPT: [Slot; SLOTS] =
    [const { Slot { key: AtomicU64::new(0), data: AtomicU64::new(0) } }; SLOTS];

/// The terms of the pieces of a position, from the kept ones if they are there.
pub(crate) fn material(position: &Position) -> Material {
    let key = position.material_key().0;
    let slot = &KEPT[key as usize % SLOTS];
    let data = slot.data.load(Ordering::Relaxed);
    // The highest bit distinguishes data from an empty slot.
    if data != 0 && slot.key.load(Ordering::Relaxed) ^ data == key {
        return Material::unpack(data);
    }
    let material = Material::new(position);
    let data = material.pack() | KEPT_BIT;
    slot.key.store(key ^ data, Ordering::Relaxed);
    slot.data.store(data, Ordering::Relaxed);
    material
}

fn phase(counts: &BySide<Count>) -> i32 {
    let of = |men: &Count| {
        4 * men[Role::Rook.index()] + 2 * (men[Role::Horse.index()] + men[Role::Cannon.index()])
    };
    (of(&counts.first) + of(&counts.second)).min(FULL_PHASE)
}

fn add_terms<S: Sink>(own: &Count, other: &Count, sink: &mut S) {
    let of = |role: Role| own[role.index()];
    let others = |role: Role| other[role.index()];
    let twice = |role: Role| i32::from(of(role) >= 2);
    // All but the king, which comes first.
    for role in &Role::ALL[1..] {
        sink.add(MATERIAL + role.index(), of(*role));
        for against in &Role::ALL[1..] {
            sink.add(AGAINST + man(*role) * MEN + man(*against), of(*role) * others(*against));
        }
    }
    sink.add(PAIRS, twice(Role::Rook));
    sink.add(PAIRS + 1, twice(Role::Horse));
    sink.add(PAIRS + 2, twice(Role::Cannon));
    sink.add(PAIRS + 3, i32::from(of(Role::Horse) > 0 && of(Role::Cannon) > 0));
    let men = own.iter().sum::<i32>() + other.iter().sum::<i32>() - 16;
    sink.add(MEN_ON_BOARD, men * of(Role::Cannon));
    sink.add(MEN_ON_BOARD + 1, men * of(Role::Horse));
    sink.add(ROOKLESS, i32::from(of(Role::Rook) == 0 && others(Role::Rook) > 0));
    let advisors = of(Role::Advisor).min(2);
    let elephants = of(Role::Elephant).min(2);
    sink.add(GUARD_SET + (advisors * 3 + elephants) as usize, 1);
    for (i, role) in [Role::Rook, Role::Horse, Role::Cannon, Role::Pawn].into_iter().enumerate() {
        sink.add(MISSING_ADVISOR + i, (2 - advisors) * others(role));
        sink.add(MISSING_ELEPHANT + i, (2 - elephants) * others(role));
    }
}

/// The part of an advantage that counts for a side with these pieces, of [`FULL_SCALE`]: less where
/// its attackers are known to be too few against the opponent's defenders, nothing where it has
/// none. A rook cannot win against a full guard, a horse or a cannon hardly against two guards.
fn scale(own: &Count, other: &Count) -> i32 {
    let [_, rooks, horses, cannons, pawns, advisors, _] = *own;
    let [_, their_rooks, their_horses, their_cannons, _, their_advisors, their_elephants] = *other;
    let guards = their_advisors + their_elephants;
    let theirs = 4 * their_rooks + 2 * (their_horses + their_cannons);
    let minors = horses + cannons;
    // The scale against more defence than `enough`, and against less.
    let beyond = |enough: i32, more: i32, less: i32| {
        if guards + theirs > enough { more } else { less }
    };
    match (rooks, minors, pawns) {
        (0, 0, 0) => 0,
        (0, 0, 1) => beyond(0, 8, FULL_SCALE),
        (0, 0, 2) => beyond(2, 12, 40),
        (0, 0, _) => beyond(3, 24, FULL_SCALE),
        (0, 1, 0) if cannons == 1 && advisors == 0 => 4,
        (0, 1, 0) => beyond(1, 8, 40),
        (0, 1, 1) => beyond(3, 20, 48),
        (0, 1, 2) => beyond(5, 36, FULL_SCALE),
        (0, 2, 0) => match (theirs > 0, guards) {
            (true, 2..) => 20,
            (false, 4) if cannons == 2 => 24,
            (true, _) => 36,
            (false, _) => FULL_SCALE,
        },
        (0, 2, 1) if theirs >= 2 && guards >= 3 => 40,
        (1, 0, 0) => match (theirs, guards) {
            (4.., _) | (2.., 3..) => 16,
            (2.., _) => 40,
            (_, 4) => 16,
            (_, 3) => 48,
            _ => FULL_SCALE,
        },
        (1, 0, 1) if theirs >= 4 && guards >= 2 => 24,
        (1, 0, 1) if theirs >= 2 && guards >= 4 => 36,
        _ => FULL_SCALE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fen: &str) -> Material {
        material(&Position::from_fen(fen).unwrap())
    }

    #[test]
    fn kept_as_computed() {
        for fen in [
            crate::xiangqi::START_FEN,
            "3k5/9/9/9/9/9/9/9/9/4K4 w",
            "2b1ka3/4a2cC/4b4/4p4/3N2n2/9/2P1P3P/1n2BN3/4A4/2BAK4 w - - 0 1",
        ] {
            let position = Position::from_fen(fen).unwrap();
            let computed = Material::new(&position);
            assert_eq!(Material::unpack(computed.pack()), computed);
            assert_eq!(material(&position), computed);
            assert_eq!(material(&position), computed);
        }
    }

    #[test]
    fn phases() {
        assert_eq!(of(crate::xiangqi::START_FEN).phase, FULL_PHASE);
        assert_eq!(of("3k5/9/9/9/9/9/9/9/9/4K4 w").phase, 0);
        assert_eq!(of("3k5/9/9/9/9/4R4/9/9/4N4/4K4 w").phase, 6);
    }

    #[test]
    fn too_few_attackers_win_nothing() {
        assert_eq!(of("3ak4/9/9/9/9/9/9/9/9/3K5 w").scale.second, 0);
        let rook_against_full_guard = of("2bakab2/9/9/9/9/9/9/9/R8/3K5 w").scale;
        assert!(rook_against_full_guard.first < FULL_SCALE / 2);
        assert_eq!(of(crate::xiangqi::START_FEN).scale.first, FULL_SCALE);
        // By the numbers fitted to tables, for the side that has the cannon.
        let cannon_alone = of("3k5/9/9/9/9/9/9/4C4/9/4K4 w").scale;
        assert!(cannon_alone.first < 8 && cannon_alone.second == 0);
        assert!(of("3k5/9/9/9/9/9/9/4c4/9/4K4 w").scale.second < 8);
    }
}
