//! The evaluation of xiangqi, and the values of its moves for search.
//!
//! The terms are those of the programs that this project started from: material, placement,
//! mobility, relations with exchange values, patterns, the attack on the king; with pawns, guards
//! and imbalances beside them. Each parameter has a weight for the middle game and one for the
//! ending; the evaluation goes over from the one to the other as rooks, horses and cannons leave the
//! board. It is linear in the weights, which `juzhong tune` fits to the results of games, but for
//! the scale of advantages that too few attackers cannot win with.

mod correction_keys;
mod ending_numbers;
mod ending_scales;
mod exchange;
mod explain;
mod features;
mod king;
mod material;
mod numbers;
mod reach;
mod sink;
mod terms;
mod view;

pub use ending_scales::ending_key;
pub use explain::{
    Explanation, NetworkExplanation, PieceValue, Share, TermValue, Trace, explain, explain_network,
    trace, weights,
};
pub use features::{COUNT, GROUPS, Group, Term, group_of};

use crate::game::{
    BySide, EvaluationKind, Evaluator, Game, Heuristics, MoveList, Outcome, STRUCTURES, Side,
    Tunables, WinModel,
};
use crate::hash::Key;
use crate::network::{Network, NetworkEvaluator};
use crate::xiangqi::{Bitboard, CheckMap, Move, Piece, Position, Role, Square, Undo};
use material::{FULL_PHASE, FULL_SCALE, material};
use sink::{Pair, Sum, placed};
use terms::side_terms;
use view::View;

/// Bound of the evaluation; above lie won endgame tables and mates.
const LIMIT: i32 = 20_000;

/// The value, in the order of quiet moves and in units of history, of leaving a point where
/// something cheaper can capture: for a rook ...
const ROOK_FLEES: i32 = 13_172;
/// ... and for a horse or cannon.
const LIGHT_FLEES: i32 = 7_885;

/// The evaluation for the side to move, in centipawns.
fn evaluate(position: &Position) -> i32 {
    #[cfg(target_arch = "x86_64")]
    if has_bit_instructions() {
        #[expect(unsafe_code, reason = "the instructions are there: they were just looked for")]
        // SAFETY: the processor has all the features that the function needs.
        return unsafe { value_by_bit_instructions(position) };
    }
    value(position)
}

/// Returns true if the processor has the instructions that [`value_by_bit_instructions`] is compiled for.
#[cfg(target_arch = "x86_64")]
#[inline]
fn has_bit_instructions() -> bool {
    std::arch::is_x86_feature_detected!("popcnt")
        && std::arch::is_x86_feature_detected!("lzcnt")
        && std::arch::is_x86_feature_detected!("bmi1")
        && std::arch::is_x86_feature_detected!("bmi2")
}

/// [`value`] for processors that count and shift bits in single instructions.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt,lzcnt,bmi1,bmi2")]
fn value_by_bit_instructions(position: &Position) -> i32 {
    value(position)
}

#[inline(always)]
fn value(position: &Position) -> i32 {
    let material = material(position);
    let reach = reach::reach_by_side(position);
    let mut sums = BySide::<Sum>::default();
    for side in Side::ALL {
        side_terms(&View::new(position, side, &reach), &mut sums[side]);
    }
    let pair = material.score.plus(sums.first.0).minus(sums.second.0);
    finish(pair, material.phase, material.scale, position.turn())
}

/// The part of a value that the side ahead can win with.
fn winnable(value: i32, position: &Position) -> i32 {
    let turn = position.turn();
    let ahead = if value > 0 { turn } else { !turn };
    value * material(position).scale[ahead] / FULL_SCALE
}

/// A worth at a phase of the game.
const fn blend(pair: Pair, phase: i32) -> i32 {
    (pair.middle() * phase + pair.ending() * (FULL_PHASE - phase)) / FULL_PHASE
}

/// The evaluation for `side` from Red's terms less Black's.
fn finish(pair: Pair, phase: i32, scale: BySide<i32>, side: Side) -> i32 {
    let red = blend(pair, phase);
    let scale = if red > 0 { scale.first } else { scale.second };
    let red = (red * scale / FULL_SCALE).clamp(-LIMIT, LIMIT);
    if side == Side::First { red } else { -red }
}

/// The evaluation of the positions of a search.
#[derive(Debug, Clone)]
pub enum Evaluation {
    /// By the terms of this module.
    Classical,
    /// By a network, alone or as a correction of these terms.
    Network(NetworkEvaluator),
}

impl Evaluator<Position> for Evaluation {
    fn of_kind(kind: EvaluationKind) -> Self {
        match kind {
            EvaluationKind::Network => Self::Network(NetworkEvaluator::new(Network::built_in())),
            EvaluationKind::Classical => Self::Classical,
        }
    }

    #[inline]
    fn evaluate(&mut self, position: &Position, ply: usize) -> i32 {
        match self {
            Self::Classical => evaluate(position),
            Self::Network(network) => {
                let value = network.evaluate(position, ply);
                if network.is_correction() {
                    (evaluate(position) + value).clamp(-LIMIT, LIMIT)
                } else {
                    winnable(value, position)
                }
            }
        }
    }
}

impl Heuristics for Position {
    type Evaluator = Evaluation;

    const HAS_NETWORK: bool = true;
    const NULL_MOVE: bool = true;
    const KEEPS_EVALUATIONS: bool = true;
    const WIN_MODEL: WinModel = WinModel { centre: 170.0, centre_ending: 110.0, spread: 75.0 };
    /// Fitted to games: `docs/lab/results.md`.
    const RESULT_MODEL: WinModel = WinModel { centre: 64.0, centre_ending: 117.0, spread: 110.0 };
    /// Found by SPSA (Spall 1992) in games of 4,000 positions a move: `docs/lab/search-steps.md`.
    const TUNABLES: Tunables = Tunables {
        aspiration: 22,
        aspiration_growth: 107,
        reverse_futility_margin: 47,
        reverse_futility_unknown: 11,
        reverse_futility_correction: 24,
        worsening_margin: 5,
        razor_base: 201,
        razor_margin: 153,
        null_eval_base: 187,
        null_eval_margin: 19,
        null_reduction_margin: 167,
        probcut_margin: 148,
        tt_probcut_margin: 273,
        singular_margin: 26,
        double_margin: 13,
        futility_base: 12,
        futility_margin: 46,
        futility_history: 262,
        take_futility_base: 90,
        take_futility_margin: 64,
        take_futility_history: 95,
        late_base: 5,
        history_pruning_margin: 6_561,
        exchange_noisy: 213,
        exchange_quiet: 13,
        delta_margin: 163,
        fade: 25,
        lmr_divisor: 1_369,
        lmr_base: 134,
        lmr_cut: 462,
        lmr_not_improving: 164,
        lmr_many_cutoffs: 69,
        lmr_correction: 9,
        lmr_tt_noisy: 159,
        lmr_pv: 305,
        lmr_check: 235,
        lmr_evasion: 278,
        lmr_noisy: 231,
        lmr_noisy_history: 5_181,
        lmr_history: 13_855,
        deeper_margin: 34,
        shallower_margin: 3,
        hindsight_margin: 101,
        threat_bonus: 10_620,
        threat_risk: 58,
        noisy_history: 40,
        history_bonus: 267,
        history_bonus_base: 13,
        history_bonus_max: 1_751,
        history_penalty: 102,
        history_unanswered: 168,
        history_surprise: 149,
        history_table_cut: 187,
        correction_step: 8,
        correction_weight: 34,
    };
    const HISTORY_LEN: usize = Piece::COUNT * Square::COUNT;
    const GAINS: usize = Role::ALL.len();

    fn evaluate(&self) -> i32 {
        evaluate(self)
    }

    fn in_check(&self) -> bool {
        self.in_check()
    }

    /// A stalemate, which loses.
    #[inline]
    fn is_stuck(&self) -> bool {
        self.is_stalemated()
    }

    fn creates_threat(&self, mv: Move) -> bool {
        self.gives_check(mv)
    }

    fn threat_test(&self) -> impl Fn(Move) -> bool {
        let checks = CheckMap::new(self);
        move |mv| checks.gives_check(mv)
    }

    fn key_after(&self, mv: Move) -> Key {
        self.key_after(mv)
    }

    /// Mates are found as checks without evasion, stalemates by [`is_stuck`](Self::is_stuck).
    fn abrupt_outcome(&self) -> Option<Outcome> {
        None
    }

    fn noisy_moves(&self, moves: &mut MoveList<Move>) {
        self.append_captures(moves);
    }

    fn quiet_threats(&self, moves: &mut MoveList<Move>) {
        CheckMap::new(self).append_quiet_checks(moves);
    }

    fn is_noisy(&self, mv: Move) -> bool {
        self.occupied().has(mv.to())
    }

    fn noisy_value(&self, mv: Move) -> i32 {
        let role = |square| self.piece_at(square).map(Piece::role);
        // A king that captures is not risked.
        let risked = role(mv.from()).filter(|&role| role != Role::King);
        16 * role(mv.to()).map_or(0, exchange::role_value) - risked.map_or(0, exchange::role_value)
    }

    fn exchange_value(&self, mv: Move) -> i32 {
        exchange::exchange_value(self, mv)
    }

    /// Rooks gain by leaving points where anything cheaper can capture, horses and cannons where
    /// pawns, advisors and elephants can, and lose by going there; placement decides the rest.
    fn quiet_values(&self) -> impl Fn(Move) -> i32 {
        let danger = reach::danger(self, !self.turn());
        move |mv| {
            let Some(piece) = self.piece_at(mv.from()) else { return 0 };
            let (feared, loss) = match piece.role() {
                Role::Rook => (danger.for_rooks, ROOK_FLEES),
                Role::Horse | Role::Cannon => (danger.for_light, LIGHT_FLEES),
                _ => (Bitboard::EMPTY, 0),
            };
            let at =
                |square| placed(piece, square).middle() - if feared.has(square) { loss } else { 0 };
            at(mv.to()) - at(mv.from())
        }
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

    fn pass(&mut self) -> Undo {
        self.pass()
    }

    fn unpass(&mut self, undo: Undo) {
        self.unpass(undo);
    }

    fn plausible_noisy(&self, moves: &mut MoveList<Move>) {
        self.append_captures(moves);
    }

    fn plausible_quiets(&self, moves: &mut MoveList<Move>) {
        self.append_quiets(moves);
    }

    fn exchange_reaches(&self, mv: Move, least: i32) -> bool {
        exchange::reaches(self, mv, least)
    }

    fn immediate_gain(&self, mv: Move) -> i32 {
        self.piece_at(mv.to()).map_or(0, |man| exchange::role_value(man.role()))
    }

    fn gain_index(&self, mv: Move) -> usize {
        self.piece_at(mv.to()).map_or(0, |man| man.role().index())
    }

    fn structure_keys(&self) -> Option<[u64; STRUCTURES]> {
        Some(correction_keys::keys(self))
    }

    fn setting_key(&self) -> u64 {
        correction_keys::pawn_key(self) >> 20
    }

    fn phase(&self) -> i32 {
        correction_keys::phase(self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::xiangqi::tests::{mirrored, random_play, swapped};

    proptest! {
        #[test]
        fn the_evaluation_knows_no_colour_and_no_wing(
            choices in prop::collection::vec(any::<u16>(), 0..150)
        ) {
            for position in random_play(&choices) {
                let value = position.evaluate();
                prop_assert_eq!(swapped(&position).evaluate(), value);
                prop_assert_eq!(mirrored(&position).evaluate(), value);
                prop_assert!(value.abs() <= 20_000);
            }
        }
    }

    proptest! {
        #[test]
        fn every_processor_computes_the_same(choices in prop::collection::vec(any::<u16>(), 0..150)) {
            for position in random_play(&choices) {
                prop_assert_eq!(position.evaluate(), value(&position));
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn a_correction_is_added(choices in prop::collection::vec(any::<u16>(), 0..80), seed: u64) {
            let [mut by_itself, correction] = crate::network::network_and_correction(seed);
            let mut whole = Evaluation::Network(by_itself.clone());
            let mut corrected = Evaluation::Network(correction);
            for position in random_play(&choices) {
                let value = by_itself.evaluate(&position, 3);
                let sum = value + evaluate(&position);
                prop_assert_eq!(corrected.evaluate(&position, 3), sum.clamp(-LIMIT, LIMIT));
                prop_assert_eq!(whole.evaluate(&position, 3), winnable(value, &position));
            }
        }
    }

    #[test]
    fn the_start_is_level() {
        let explanation = explain(&Position::start());
        for share in &explanation.terms {
            if share.term != Term::Tempo {
                assert_eq!(share.value.first, share.value.second, "{}", share.name);
            }
        }
        assert_eq!(explanation.phase, Explanation::FULL_PHASE);
    }

    #[test]
    fn without_attackers_there_is_no_advantage() {
        let position = Position::from_fen("3a1k3/9/9/9/9/9/9/9/9/2BAK4 w").unwrap();
        assert_eq!(position.evaluate(), 0);
    }
}
