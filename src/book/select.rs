//! Which of a book's moves is played.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::BookMove;

/// How a move is chosen among those of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// The heaviest move; of equals the one of more games, then the smallest.
    Best,
    /// At random, in proportion to the weights.
    #[default]
    Weighted,
    /// At random, all alike.
    Uniform,
}

impl FromStr for Policy {
    type Err = UnknownPolicy;
    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        match text {
            "best" => Ok(Self::Best),
            "weighted" => Ok(Self::Weighted),
            "uniform" => Ok(Self::Uniform),
            _ => Err(UnknownPolicy),
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Best => "best",
            Self::Weighted => "weighted",
            Self::Uniform => "uniform",
        })
    }
}

/// No policy of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown policy; choose best, weighted or uniform")]
pub struct UnknownPolicy;

/// How moves are selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectOptions {
    /// How one of the candidates is chosen.
    pub policy: Policy,
    /// The book is left after that many plies. Default: never.
    pub ply_limit: usize,
    /// Moves of fewer games are no candidates. Default 1.
    pub min_games: u64,
}

impl Default for SelectOptions {
    fn default() -> Self {
        Self { policy: Policy::default(), ply_limit: usize::MAX, min_games: 1 }
    }
}

/// Chooses moves; equal seeds and equal questions give equal answers.
#[derive(Debug, Clone)]
pub struct Selector {
    options: SelectOptions,
    rng: ChaCha8Rng,
}

impl Selector {
    /// A selector whose chance comes from `seed`.
    #[must_use]
    pub fn new(options: SelectOptions, seed: u64) -> Self {
        Self { options, rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Chooses among what [`Book::probe`](super::Book::probe) found, after `ply` plies from the
    /// start. Disabled, banned and lost moves are left out, and of the rest all but those of the
    /// highest priority; `admits` can refuse more (moves that lose by repetition). Moves of weight 0 are chosen only
    /// where all candidates have it.
    pub fn choose<'a, M: Copy>(
        &mut self,
        moves: &'a [BookMove<M>],
        ply: usize,
        mut admits: impl FnMut(M) -> bool,
    ) -> Option<&'a BookMove<M>> {
        if ply >= self.options.ply_limit {
            return None;
        }
        let mut candidates: Vec<&BookMove<M>> = moves
            .iter()
            .filter(|m| {
                let enough = m.added || m.tally.games >= self.options.min_games;
                enough && !(m.disabled || m.banned || m.lost) && admits(m.mv)
            })
            .collect();
        let highest = candidates.iter().map(|m| m.priority).max()?;
        candidates.retain(|m| m.priority == highest);
        match self.options.policy {
            // The moves come in the order of games and moves; the first of equals is kept.
            Policy::Best => {
                candidates.into_iter().reduce(|a, b| if b.weight > a.weight { b } else { a })
            }
            Policy::Weighted => self.draw(&candidates, |m| m.weight),
            Policy::Uniform => self.draw(&candidates, |_| 1),
        }
    }

    fn draw<'a, M>(
        &mut self,
        candidates: &[&'a BookMove<M>],
        weight: impl Fn(&BookMove<M>) -> u64,
    ) -> Option<&'a BookMove<M>> {
        let total: u128 = candidates.iter().map(|m| u128::from(weight(m))).sum();
        let mut ticket = self.below(if total == 0 { candidates.len() as u128 } else { total });
        candidates.iter().copied().find(|m| {
            let weight = if total == 0 { 1 } else { u128::from(weight(m)) };
            let hit = ticket < weight;
            ticket = ticket.saturating_sub(weight);
            hit
        })
    }

    /// A number below `bound`, by multiplication; the bias is below `bound / 2^64`.
    fn below(&mut self, bound: u128) -> u128 {
        let bound = bound.min(u128::from(u64::MAX));
        (u128::from(self.rng.next_u64()) * bound) >> 64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::Tally;

    fn candidate(mv: u16, games: u64, weight: u64) -> BookMove<u16> {
        let tally = Tally { games, ..Tally::default() };
        BookMove::new(mv, tally, weight)
    }

    fn selector(policy: Policy) -> Selector {
        Selector::new(SelectOptions { policy, ..SelectOptions::default() }, 5)
    }

    #[test]
    fn best_is_the_heaviest() {
        let mut moves = vec![candidate(1, 10, 3), candidate(2, 9, 7), candidate(3, 8, 7)];
        let choose = |moves: &[BookMove<u16>]| {
            selector(Policy::Best).choose(moves, 0, |_| true).map(|m| m.mv)
        };
        assert_eq!(choose(&moves), Some(2));
        moves[1].disabled = true;
        assert_eq!(choose(&moves), Some(3));
        moves[0].priority = 1;
        assert_eq!(choose(&moves), Some(1));
        assert_eq!(choose(&[]), None);
    }

    #[test]
    fn weights_are_proportions_and_seeds_repeat() {
        let moves = [candidate(1, 9, 300), candidate(2, 9, 100), candidate(3, 9, 0)];
        let draws = |seed| {
            let mut selector = Selector::new(SelectOptions::default(), seed);
            (0..4000).map(|_| selector.choose(&moves, 0, |_| true).unwrap().mv).collect::<Vec<_>>()
        };
        assert_eq!(draws(1), draws(1));
        assert_ne!(draws(1), draws(2));
        let ones = draws(3).iter().filter(|&&mv| mv == 1).count();
        assert!((2880..3120).contains(&ones), "{ones}");
        assert!(!draws(3).contains(&3));
        let zeros = [candidate(1, 1, 0), candidate(2, 1, 0)];
        assert!(selector(Policy::Weighted).choose(&zeros, 0, |_| true).is_some());
    }

    #[test]
    fn limits_hold() {
        let options = SelectOptions { ply_limit: 4, min_games: 3, ..SelectOptions::default() };
        let mut selector = Selector::new(options, 0);
        let moves = [candidate(1, 3, 1), candidate(2, 2, 1)];
        assert_eq!(selector.choose(&moves, 4, |_| true), None);
        assert_eq!(selector.choose(&moves, 3, |_| true).map(|m| m.mv), Some(1));
        assert_eq!(selector.choose(&moves, 3, |mv| mv != 1), None);
    }

    #[test]
    fn names_round_trip() {
        for policy in [Policy::Best, Policy::Weighted, Policy::Uniform] {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
    }
}
