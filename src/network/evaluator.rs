//! The evaluation of positions one after the other.

use std::sync::Arc;

use super::units::Units;
use super::weights::Network;
use crate::game::{Game, Side};
use crate::xiangqi::{Bitboard, Piece, Position, Role, Square};

/// Plies whose views are kept; deeper positions share the last place.
const PLIES: usize = 128;
/// The bound of the evaluation, as for the other one: above lie won endgame tables and mates.
const LIMIT: i32 = 20_000;

/// A board and both sides' views of it.
#[derive(Debug, Clone)]
struct Seen {
    sides: [Bitboard; 2],
    roles: [Bitboard; 7],
    board: [Option<Piece>; Square::COUNT],
    views: [Units; 2],
}

impl Seen {
    fn empty(network: &Network) -> Self {
        Self {
            sides: [Bitboard::EMPTY; 2],
            roles: [Bitboard::EMPTY; 7],
            board: [None; Square::COUNT],
            views: [*network.bias(); 2],
        }
    }

    /// The squares on which another board differs.
    #[inline(always)]
    fn changes(&self, position: &Position) -> Bitboard {
        let mut changes = Bitboard::EMPTY;
        for (side, seen) in Side::ALL.into_iter().zip(self.sides) {
            changes |= position.side(side) ^ seen;
        }
        for (role, seen) in Role::ALL.into_iter().zip(self.roles) {
            changes |= position.role(role) ^ seen;
        }
        changes
    }

    /// Goes over to another board.
    #[inline(always)]
    fn go_to(&mut self, position: &Position, changes: Bitboard, network: &Network) {
        for square in changes {
            let seen = &mut self.board[square.index()];
            let now = position.piece_at(square);
            if let Some(gone) = *seen {
                for (view, row) in self.views.iter_mut().zip(network.rows(gone, square)) {
                    view.subtract(row);
                }
            }
            if let Some(come) = now {
                for (view, row) in self.views.iter_mut().zip(network.rows(come, square)) {
                    view.add(row);
                }
            }
            *seen = now;
        }
        self.sides = Side::ALL.map(|side| position.side(side));
        self.roles = Role::ALL.map(|role| position.role(role));
    }
}

/// Evaluates positions by a network. It keeps the views of the last position at each ply and makes those of the next
/// position from the ones that differ least: which they are changes the time, never the value.
#[derive(Debug, Clone)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    plies: Vec<Seen>,
}

impl NetworkEvaluator {
    /// An evaluator that has seen nothing.
    #[must_use]
    pub fn new(network: Arc<Network>) -> Self {
        let plies = vec![Seen::empty(&network); PLIES];
        Self { network, plies }
    }

    /// The [digest](Network::digest) of the network.
    #[must_use]
    pub fn digest(&self) -> String {
        self.network.digest()
    }

    /// Returns true if the values are [corrections](Network::is_correction) of the classical evaluation.
    #[inline]
    #[must_use]
    pub fn is_correction(&self) -> bool {
        self.network.is_correction()
    }

    /// The value of a position, `ply` plies after the root of a search, for the side to move, in centipawns.
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            #[expect(
                unsafe_code,
                reason = "the instructions are there: they were just looked for"
            )]
            // SAFETY: the processor has the features that the function needs.
            return unsafe { self.value_by_wide_registers(position, ply) };
        }
        self.value(position, ply)
    }

    /// The value of a position without each of its men but the kings, for the side to move, in centipawns, by squares.
    #[must_use]
    pub fn values_without(&self, position: &Position) -> Vec<(Square, i32)> {
        let mut whole = Seen::empty(&self.network);
        let changes = whole.changes(position);
        whole.go_to(position, changes, &self.network);
        let without = |square: Square| {
            let piece = position.piece_at(square).filter(|piece| piece.role() != Role::King)?;
            let mut views = whole.views;
            for (view, row) in views.iter_mut().zip(self.network.rows(piece, square)) {
                view.subtract(row);
            }
            let left = position.occupied() & !Bitboard::of(square);
            Some((square, self.output(&views, position.turn(), left)))
        };
        position.occupied().into_iter().filter_map(without).collect()
    }

    /// The value that Red's and Black's views of a board have for the side to move.
    #[inline(always)]
    fn output(&self, [red, black]: &[Units; 2], turn: Side, occupied: Bitboard) -> i32 {
        let (own, other) = match turn {
            Side::First => (red, black),
            Side::Second => (black, red),
        };
        self.network.output(own, other, occupied).clamp(-LIMIT, LIMIT)
    }

    /// [`value`](Self::value) for processors with AVX2; those with NEON need no other code than the plain one.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    fn value_by_wide_registers(&mut self, position: &Position, ply: usize) -> i32 {
        self.value(position, ply)
    }

    #[inline(always)]
    fn value(&mut self, position: &Position, ply: usize) -> i32 {
        let ply = ply.min(PLIES - 1);
        let (from, changes) = self.nearest(position, ply);
        if from != ply {
            self.plies[ply] = self.plies[from].clone();
        }
        let seen = &mut self.plies[ply];
        seen.go_to(position, changes, &self.network);
        self.output(&self.plies[ply].views, position.turn(), position.occupied())
    }

    /// The ply, of this one and the two before it, whose board differs least, and the differences.
    #[inline(always)]
    fn nearest(&self, position: &Position, ply: usize) -> (usize, Bitboard) {
        let mut best = (ply, self.plies[ply].changes(position));
        for before in ply.saturating_sub(2)..ply {
            let changes = self.plies[before].changes(position);
            // Of equals the ply itself is taken, which need not be copied.
            if changes.len() < best.1.len() {
                best = (before, changes);
            }
        }
        best
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::super::weights::tests::{as_correction, file};
    use super::*;
    use crate::xiangqi::tests::{mirrored, random_play, swapped};

    /// A network of weights that look random, and the correction of the same weights.
    pub(crate) fn network_and_correction(seed: u64) -> [NetworkEvaluator; 2] {
        let bytes = bytes(seed);
        [bytes.clone(), as_correction(&bytes)]
            .map(|bytes| NetworkEvaluator::new(Arc::new(Network::from_bytes(&bytes).unwrap())))
    }

    fn network(seed: u64) -> Arc<Network> {
        Arc::new(Network::from_bytes(&bytes(seed)).unwrap())
    }

    fn bytes(seed: u64) -> Vec<u8> {
        let mut state = seed | 1;
        file(|most| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33).cast_signed() % (2 * i64::from(most) + 1) - i64::from(most)) as i16
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        #[test]
        fn what_was_seen_before_changes_nothing(
            choices in prop::collection::vec(any::<u16>(), 0..120),
            plies in prop::collection::vec(0..PLIES + 2, 120),
            seed: u64,
        ) {
            let network = network(seed);
            let mut kept = NetworkEvaluator::new(Arc::clone(&network));
            let mut plain = NetworkEvaluator::new(Arc::clone(&network));
            for (position, &ply) in random_play(&choices).iter().zip(&plies) {
                let anew = NetworkEvaluator::new(Arc::clone(&network)).evaluate(position, 0);
                prop_assert_eq!(kept.evaluate(position, ply), anew);
                prop_assert_eq!(plain.value(position, ply / 8), anew, "by other instructions");
            }
        }

        #[test]
        fn the_network_knows_no_colour_and_no_wing(
            choices in prop::collection::vec(any::<u16>(), 0..120),
            seed: u64,
        ) {
            let mut evaluator = NetworkEvaluator::new(network(seed));
            for position in random_play(&choices) {
                let value = evaluator.evaluate(&position, 1);
                prop_assert_eq!(evaluator.evaluate(&swapped(&position), 2), value);
                prop_assert_eq!(evaluator.evaluate(&mirrored(&position), 3), value);
            }
        }
    }

    #[test]
    fn the_greatest_weights_overflow_nowhere() {
        let network = Arc::new(Network::from_bytes(&file(|most| most)).unwrap());
        let start = Position::start();
        let mut evaluator = NetworkEvaluator::new(network);
        assert_eq!(evaluator.plies[0].views[0], evaluator.plies[0].views[1]);
        // Every unit is 1, and every weight of the 256 is 127 / 64 of a scale of 300.
        let bias = 1_000 * 1_000 * 300 / (255 * 255 * 64);
        let expected = 256 * 127 * 300 / 64 + bias;
        assert!(expected > LIMIT);
        assert_eq!(evaluator.evaluate(&start, 0), LIMIT);
        let views = &evaluator.plies[0].views;
        let output = evaluator.network.output(&views[0], &views[1], start.occupied());
        assert!((output - expected).abs() <= 1);
    }
}
