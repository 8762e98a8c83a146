//! The evaluation broken down: by term and piece for people, by parameter for the tuner.

use crate::game::{BySide, Game, Side};
use crate::network::{Network, NetworkEvaluator};
use crate::search::eval::xiangqi::features::{GROUPS, MATERIAL, Term, group_of};
use crate::search::eval::xiangqi::material::{FULL_PHASE, Material, material, record};
use crate::search::eval::xiangqi::numbers::WEIGHTS;
use crate::search::eval::xiangqi::reach::reach_by_side;
use crate::search::eval::xiangqi::sink::{Entries, PAIRS_OF_WEIGHTS, Pair, TermCount};
use crate::search::eval::xiangqi::terms::side_terms;
use crate::search::eval::xiangqi::view::View;
use crate::search::eval::xiangqi::{blend, finish, winnable};
use crate::xiangqi::{Piece, Position, Square};

/// A worth in the middle game, in the ending, and in the position at hand, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TermValue {
    /// In the middle game.
    pub middle: i32,
    /// In the ending.
    pub ending: i32,
    /// In between, as far as the game is an ending.
    pub now: i32,
}

/// The worth of one group of parameters, or of one term, to each side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Share {
    /// The group's or term's name.
    pub name: &'static str,
    /// The term.
    pub term: Term,
    /// The worth to each side.
    pub value: BySide<TermValue>,
}

/// The worth of a piece on its square to its side: material, placement, mobility and relations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PieceValue {
    /// Its square.
    pub square: Square,
    /// The piece.
    pub piece: Piece,
    /// In centipawns.
    pub value: i32,
}

/// The evaluation of a position, broken down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// The phase of the game: [`Explanation::FULL_PHASE`] at the start, 0 without rooks, horses and
    /// cannons.
    pub phase: i32,
    /// The part of an advantage that each side can win with, in 64ths.
    pub scale: BySide<i32>,
    /// Every term.
    pub terms: Vec<Share>,
    /// Every group of parameters that counts here.
    pub groups: Vec<Share>,
    /// Every piece, by squares.
    pub men: Vec<PieceValue>,
    /// The evaluation for the side to move.
    pub value: i32,
}

impl Explanation {
    /// The phase of the start.
    pub const FULL_PHASE: i32 = FULL_PHASE;
}

/// The evaluation of a position by the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkExplanation {
    /// Every piece but the kings, by squares: how much less its side would have without it.
    pub men: Vec<PieceValue>,
    /// The evaluation for the side to move, before the [scale](Explanation::scale) reduces it.
    pub unscaled: i32,
    /// The evaluation for the side to move.
    pub value: i32,
}

/// Evaluates a position by the network that is part of the program, as it is and without each of its pieces.
#[must_use]
pub fn explain_network(position: &Position) -> NetworkExplanation {
    let mut evaluator = NetworkEvaluator::new(Network::built_in());
    let unscaled = evaluator.evaluate(position, 0);
    let man = |(square, without): (Square, i32)| {
        let piece = position.piece_at(square)?;
        let less = unscaled - without;
        let value = if piece.side() == position.turn() { less } else { -less };
        Some(PieceValue { square, piece, value })
    };
    let men = evaluator.values_without(position).into_iter().filter_map(man).collect();
    NetworkExplanation { men, unscaled, value: winnable(unscaled, position) }
}

/// All that the evaluation counts for a side.
fn entries(position: &Position) -> BySide<Vec<TermCount>> {
    let reach = reach_by_side(position);
    BySide::new_with(|side| {
        let mut sink = Entries::default();
        record(position, side, &mut sink);
        side_terms(&View::new(position, side, &reach), &mut sink);
        sink.0
    })
}

/// Breaks the evaluation down.
#[must_use]
pub fn explain(position: &Position) -> Explanation {
    let material = material(position);
    let entries = entries(position);
    let worth_of = |side: Side, of: &dyn Fn(&TermCount) -> bool| {
        let of_kind = entries[side].iter().filter(|entry| of(entry));
        value(of_kind.fold(Pair(0), |sum, entry| sum.plus(weighted(entry))), &material)
    };
    let terms = Term::ALL.map(|term| Share {
        name: term.name(),
        term,
        value: BySide::new_with(|side| {
            worth_of(side, &|entry| group_of(entry.parameter).is_some_and(|(g, _)| g.term == term))
        }),
    });
    let groups = GROUPS.iter().map(|group| Share {
        name: group.name,
        term: group.term,
        value: BySide::new_with(|side| {
            worth_of(side, &|entry| {
                group_of(entry.parameter).map(|(g, _)| g.name) == Some(group.name)
            })
        }),
    });
    Explanation {
        phase: material.phase,
        scale: material.scale,
        terms: terms.to_vec(),
        groups: groups
            .filter(|share: &Share| {
                share.value.first != TermValue::default()
                    || share.value.second != TermValue::default()
            })
            .collect(),
        men: men(position, &entries, &material),
        value: super::evaluate(position),
    }
}

fn weighted(entry: &TermCount) -> Pair {
    PAIRS_OF_WEIGHTS[entry.parameter].times(entry.count)
}

const fn value(pair: Pair, material: &Material) -> TermValue {
    TermValue { middle: pair.middle(), ending: pair.ending(), now: blend(pair, material.phase) }
}

fn men(
    position: &Position,
    entries: &BySide<Vec<TermCount>>,
    material: &Material,
) -> Vec<PieceValue> {
    let worth_of = |square: Square, piece: Piece| {
        let by_itself = PAIRS_OF_WEIGHTS[MATERIAL + piece.role().index()];
        let here = entries[piece.side()].iter().filter(|entry| entry.square == Some(square));
        let pair = here.fold(by_itself, |sum, entry| sum.plus(weighted(entry)));
        PieceValue { square, piece, value: blend(pair, material.phase) }
    };
    let squares = position.occupied().into_iter();
    squares.filter_map(|s| Some(worth_of(s, position.piece_at(s)?))).collect()
}

/// The parameters that the evaluation of a position counts: for each the difference of the sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Parameters in ascending order, each with the number of its counts for Red less that for Black.
    pub counts: Vec<(u16, i16)>,
    /// The weight of the middle game, of [`Explanation::FULL_PHASE`].
    pub phase: i32,
    /// The part of its advantage that each side can win with, in 64ths.
    pub scale: BySide<i32>,
}

/// Records the counts of the evaluation.
#[must_use]
pub fn trace(position: &Position) -> Trace {
    let entries = entries(position);
    let mut sums = vec![0_i16; WEIGHTS.len()];
    for (side, sign) in [(Side::First, 1), (Side::Second, -1)] {
        for entry in &entries[side] {
            sums[entry.parameter] += sign * entry.count as i16;
        }
    }
    let counts = sums.into_iter().enumerate().filter(|&(_, count)| count != 0);
    let material = material(position);
    Trace {
        counts: counts.map(|(parameter, count)| (parameter as u16, count)).collect(),
        phase: material.phase,
        scale: material.scale,
    }
}

impl Trace {
    /// The evaluation for `side` by the weights in use.
    #[must_use]
    pub fn value(&self, side: Side) -> i32 {
        let pair = self.counts.iter().fold(Pair(0), |sum, &(parameter, count)| {
            sum.plus(PAIRS_OF_WEIGHTS[usize::from(parameter)].times(i32::from(count)))
        });
        finish(pair, self.phase, self.scale, side)
    }
}

/// The weights in use, middle game and ending, in centipawns, in the order of the parameters.
#[must_use]
pub fn weights() -> &'static [(i16, i16)] {
    &WEIGHTS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::game::{EvaluationKind, Evaluator, Heuristics};
    use crate::search::eval::xiangqi::Evaluation;
    use crate::xiangqi::tests::random_play;

    proptest! {
        #[test]
        fn the_recorded_form_is_the_evaluation(
            choices in prop::collection::vec(any::<u16>(), 0..150)
        ) {
            for position in random_play(&choices) {
                let value = position.evaluate();
                prop_assert_eq!(trace(&position).value(position.turn()), value);
                let explanation = explain(&position);
                prop_assert_eq!(explanation.value, value);
                let difference: i32 =
                    explanation.terms.iter().map(|t| t.value.first.now - t.value.second.now).sum();
                // Two for each term.
                let rounding = 20;
                let value = if position.turn() == Side::First { value } else { -value };
                if explanation.scale == (BySide { first: 64, second: 64 }) {
                    prop_assert!((difference - value).abs() <= rounding, "{difference} {value}");
                }
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn what_a_man_is_worth_is_what_is_missing_without_it(
            choices in prop::collection::vec(any::<u16>(), 0..120)
        ) {
            let mut evaluator = NetworkEvaluator::new(Network::built_in());
            for position in random_play(&choices) {
                let explanation = explain_network(&position);
                prop_assert_eq!(explanation.unscaled, evaluator.evaluate(&position, 0));
                let mut used = Evaluation::of_kind(EvaluationKind::Network);
                prop_assert_eq!(explanation.value, used.evaluate(&position, 0));
                prop_assert_eq!(explanation.men.len() + 2, position.occupied().len() as usize);
                for man in explanation.men {
                    let mut setup = position.to_setup();
                    setup.board[man.square.index()] = None;
                    // Without it the side to move may give check, which matters to no evaluation.
                    let without = Position::from_setup_unchecked(&setup);
                    let sign = if man.piece.side() == position.turn() { 1 } else { -1 };
                    let left = evaluator.evaluate(&without, 0);
                    prop_assert_eq!(sign * (explanation.unscaled - left), man.value);
                }
            }
        }
    }

    #[test]
    fn every_man_is_shown() {
        let explanation = explain(&Position::start());
        assert_eq!(explanation.men.len(), 32);
        assert_eq!(explanation.terms.len(), Term::ALL.len());
        assert!(
            explanation.men.iter().all(|man| man.piece.role().letter() == 'K' || man.value > 0)
        );
    }
}
