//! Keys of the parts of a position by which the errors of its evaluation are learned, and the phase
//! of the game.

use crate::game::{PHASES, STRUCTURES, Side};
use crate::xiangqi::{Bitboard, Position, Role};

/// Odd multipliers, drawn at random; they affect only the collisions of keys.
const MIX: [u64; 4] =
    [0xa3c5_9ac2_f1e3_0d4b, 0xd6e8_feb8_6659_fd93, 0x8f3b_27a9_c54d_1e67, 0xb1a4_c9e7_3d5f_8a2d];

/// A hash whose bits, the lowest ones too, depend on every bit of a set: a product alone hands bits
/// on to higher ones only, so its halves are folded (as in wyhash).
fn mix(set: Bitboard, word: usize) -> u64 {
    let low = set.bits() as u64;
    let high = (set.bits() >> 64) as u64 | 1 << 63;
    folded(low, MIX[word]).wrapping_add(folded(high, MIX[word ^ 1]).rotate_left(23))
}

/// Both halves of a product, mixed.
fn folded(bits: u64, by: u64) -> u64 {
    let product = u128::from(bits) * u128::from(by);
    product as u64 ^ (product >> 64) as u64
}

/// A key of the pawns.
pub(crate) fn pawn_key(position: &Position) -> u64 {
    pair(position, Role::Pawn)
}

/// A key of both sides' pieces of a role.
fn pair(position: &Position, role: Role) -> u64 {
    let [red, black] = Side::ALL.map(|side| position.pieces(side, role));
    mix(red, 0).wrapping_add(mix(black, 2))
}

/// Keys of the pawns, the advisors and elephants, Red's and Black's rooks, horses and cannons.
pub(crate) fn keys(position: &Position) -> [u64; STRUCTURES] {
    let [red, black] = Side::ALL.map(|side| position.side(side));
    let heavy = |side| {
        let men = |role| position.role(role) & side;
        mix(men(Role::Rook), 0) ^ mix(men(Role::Horse), 1) ^ mix(men(Role::Cannon), 2)
    };
    let guards = pair(position, Role::Advisor) ^ pair(position, Role::Elephant).rotate_left(17);
    [pawn_key(position), guards, heavy(red), heavy(black)]
}

/// 4 for each rook, 2 for each horse and cannon, of both sides.
pub(crate) fn phase(position: &Position) -> i32 {
    let light = position.role(Role::Horse) | position.role(Role::Cannon);
    let sum = 4 * position.role(Role::Rook).len() + 2 * light.len();
    sum.cast_signed().min(PHASES)
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::game::Game;
    use crate::xiangqi::{Move, Square};

    /// Tables are indexed by a few bits of a key: each square has to change those.
    #[test]
    fn a_few_bits_tell_every_square_apart() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut next = || Square::all().nth(random.next_u32() as usize % 90).unwrap();
        for bits in [|key: u64| key & 0x3fff, |key: u64| key >> 20 & 0x1ff] {
            for (word, square) in (0..4).flat_map(|word| Square::all().map(move |s| (word, s))) {
                let changed = (0..200).filter(|_| {
                    let set = (0..5).fold(Bitboard::EMPTY, |set, _| set | Bitboard::of(next()));
                    bits(mix(set, word)) != bits(mix(set ^ Bitboard::of(square), word))
                });
                assert!(changed.count() >= 190, "{square}, word {word}");
            }
        }
    }

    #[test]
    fn keys_follow_their_men_alone() {
        let start = Position::start();
        assert_eq!(phase(&start), PHASES);
        for (mv, changed) in [("a3a4", 0), ("d0e1", 1), ("h0g2", 2), ("h7e7", 3)] {
            let mut after = start.clone();
            after.make(Move::parse(mv).unwrap());
            for (i, (old, new)) in keys(&start).into_iter().zip(keys(&after)).enumerate() {
                assert_eq!(old != new, i == changed, "{mv}, key {i}");
            }
        }
    }
}
