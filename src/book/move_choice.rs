//! Choosing the move to play among those of a book.

use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::book::file::reader::BookMove;
use crate::book::model::value::{Bounds, Value};

/// A rule for choosing among the moves of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// The move of the greatest assured value ([`MoveScore::assured`](crate::book::file::scores::MoveScore::assured)) if
    /// the heaviest move has one, else the heaviest; of equals the heavier one, then the one of more
    /// games, then the smallest. A score of a rare move alone does not make it the best.
    Best,
    /// At random, in proportion to the weights.
    #[default]
    Weighted,
    /// At random: a move whose value is `d` centipawns less than the best has a chance `exp(d / temperature)`
    /// times smaller. A move without an assured value counts as the worst of those that have one, or as less
    /// if it cannot reach that value. Where no move has one, the results of games count
    /// ([`MoveScore::played`](crate::book::file::scores::MoveScore::played)); where there are none, all moves are equal.
    Softmax,
    /// At random, all alike.
    Uniform,
    /// At random in proportion to the weights, among the moves of one line group, so that an opening
    /// stays consistent: the group of the game so far if it has moves here, else one that is drawn,
    /// all alike, among those that do. Where no move has a group, all are candidates.
    Group,
}

impl Policy {
    /// All policies.
    pub const ALL: [Self; 5] =
        [Self::Best, Self::Weighted, Self::Softmax, Self::Uniform, Self::Group];

    const fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Weighted => "weighted",
            Self::Softmax => "softmax",
            Self::Uniform => "uniform",
            Self::Group => "group",
        }
    }

    /// Returns true if a move may be chosen though its weight was set to 0, where another move's was not.
    fn admits_withheld<M>(self, found: &BookMove<M>) -> bool {
        match self {
            Self::Uniform | Self::Softmax => true,
            Self::Best => found.score.assured().is_some(),
            Self::Weighted | Self::Group => false,
        }
    }
}

impl FromStr for Policy {
    type Err = UnknownPolicy;
    fn from_str(text: &str) -> Result<Self, UnknownPolicy> {
        Self::ALL.into_iter().find(|policy| policy.name() == text).ok_or(UnknownPolicy)
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// No policy of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("unknown policy; choose best, weighted, softmax, uniform or group")]
pub struct UnknownPolicy;

/// The options of selection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectOptions {
    /// The rule for choosing one of the candidates.
    pub policy: Policy,
    /// The book is left after that many plies. Default: never.
    pub ply_limit: usize,
    /// Moves of fewer games are no candidates, unless they were added by hand. Default 1.
    pub min_games: u64,
    /// Moves of less weight are no candidates. Default 0.
    pub min_weight: u64,
    /// Positions in a row that are in no book, after which a game's books are left alone: later ones can only
    /// be met by chance. 0 for never. Default 4.
    pub misses: usize,
    /// Of [`Policy::Softmax`], in centipawns, not 0. Default 50.
    pub temperature: u32,
}

impl Default for SelectOptions {
    fn default() -> Self {
        Self {
            policy: Policy::default(),
            ply_limit: usize::MAX,
            min_games: 1,
            min_weight: 0,
            misses: 4,
            temperature: 50,
        }
    }
}

/// Chooses moves; equal seeds and equal questions give equal answers.
///
/// ```
/// use juzhong::book::{BookMove, MoveStats, Policy, SelectOptions, Selector};
/// use juzhong::xiangqi::Move;
///
/// let stats = MoveStats { games: 1, draws: 1, ..MoveStats::default() };
/// let moves = [("h2e2", 9), ("h0g2", 4)]
///     .map(|(text, weight)| BookMove::new(Move::parse(text).unwrap(), stats, weight));
/// let options = SelectOptions { policy: Policy::Best, ..SelectOptions::default() };
/// let mut selector = Selector::new(options, 1);
/// assert_eq!(selector.choose(&moves, 0, |_| true).unwrap().weight, 9);
/// // A move that the caller refuses is left out.
/// assert_eq!(selector.choose(&moves, 0, |mv| mv != moves[0].mv).unwrap().weight, 4);
/// ```
#[derive(Debug, Clone)]
pub struct Selector {
    options: SelectOptions,
    rng: ChaCha8Rng,
    /// The line group of the game so far.
    group: Option<String>,
}

/// The weight of the best move of [`Policy::Softmax`].
const SOFTMAX_SCALE: f64 = (1u64 << 40) as f64;

impl Selector {
    /// A selector whose random numbers come from `seed`.
    #[must_use]
    pub fn new(options: SelectOptions, seed: u64) -> Self {
        Self::numbered(options, seed, 0)
    }

    /// One of several selectors with one seed.
    #[must_use]
    pub fn numbered(options: SelectOptions, seed: u64, number: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        Self { options, rng, group: None }
    }

    /// Drops the line group of the last game.
    pub fn new_game(&mut self) {
        self.group = None;
    }

    /// The line group of the game so far.
    #[must_use]
    pub fn group(&self) -> Option<&str> {
        self.group.as_deref()
    }

    /// Chooses among the moves that [`Book::probe`](crate::book::file::reader::Book::probe) found, after `ply` plies from the
    /// start. Disabled, banned and lost moves, and those that a proof in the book calls lost, are left out,
    /// and of the rest all but those of the highest priority; `admits` can refuse more (moves that lose by
    /// repetition). Moves of weight 0 are chosen only where all candidates have it. Where it was set for all of them,
    /// none is chosen: in PolyGlot's format that weight means a move that is known and not to be played. Beside other
    /// moves one for which it was set is a candidate of [`Policy::Uniform`] and [`Policy::Softmax`], which do not go by
    /// weights, and of [`Policy::Best`] if it has an assured value.
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
                let enough = (m.added || m.stats.games >= self.options.min_games)
                    && m.weight >= self.options.min_weight;
                let is_bad = m.disabled || m.banned || m.lost || m.score.is_proven_loss();
                enough && !is_bad && admits(m.mv)
            })
            .collect();
        if candidates.iter().all(|m| is_withheld(m)) {
            return None;
        }
        candidates.retain(|m| !is_withheld(m) || self.options.policy.admits_withheld(m));
        let highest = candidates.iter().map(|m| m.priority).max()?;
        candidates.retain(|m| m.priority == highest);
        match self.options.policy {
            Policy::Best => best(&candidates),
            Policy::Weighted => self.draw(&candidates, |m| m.weight),
            Policy::Softmax => self.draw_by_worth(&candidates),
            Policy::Uniform => self.draw(&candidates, |_| 1),
            Policy::Group => {
                self.keep_to_a_group(&mut candidates);
                self.draw(&candidates, |m| m.weight)
            }
        }
    }

    fn draw_by_worth<'a, M>(&mut self, candidates: &[&'a BookMove<M>]) -> Option<&'a BookMove<M>> {
        let assured = candidates.iter().filter_map(|m| m.score.assured());
        let worst = assured.min();
        let best = candidates.iter().map(|m| worth(m, worst)).max()?;
        let temperature = f64::from(self.options.temperature.max(1));
        self.draw(candidates, |m| {
            let below = f64::from(worth(m, worst)) - f64::from(best);
            (SOFTMAX_SCALE * (below / temperature).exp()) as u64
        })
    }

    /// Leaves out the moves of other groups; draws a new group if that of the game has no move.
    fn keep_to_a_group<M>(&mut self, candidates: &mut Vec<&BookMove<M>>) {
        let mut groups: Vec<&str> =
            candidates.iter().flat_map(|m| &m.groups).map(String::as_str).collect();
        groups.sort_unstable();
        groups.dedup();
        if groups.is_empty() {
            return;
        }
        if self.group.as_deref().is_none_or(|group| groups.binary_search(&group).is_err()) {
            let drawn = self.below(groups.len() as u128) as usize;
            self.group = Some(groups[drawn].to_owned());
        }
        candidates.retain(|m| m.groups.iter().any(|group| Some(group) == self.group.as_ref()));
    }

    fn draw<'a, M>(
        &mut self,
        candidates: &[&'a BookMove<M>],
        weight: impl Fn(&BookMove<M>) -> u64,
    ) -> Option<&'a BookMove<M>> {
        let weights: Vec<u128> = candidates.iter().map(|m| u128::from(weight(m))).collect();
        let total: u128 = weights.iter().sum();
        // Sums beyond 64 bits are brought down to them.
        let excess = (128 - total.leading_zeros()).saturating_sub(64);
        let weights: Vec<u128> = weights.into_iter().map(|weight| weight >> excess).collect();
        let total: u128 = weights.iter().sum();
        let mut ticket = self.below(if total == 0 { candidates.len() as u128 } else { total });
        let drawn = weights.into_iter().position(|weight| {
            let weight = if total == 0 { 1 } else { weight };
            let hit = ticket < weight;
            ticket = ticket.saturating_sub(weight);
            hit
        });
        drawn.map(|number| candidates[number])
    }

    /// A number below `bound`, by multiplication; the bias is below `bound / 2^64`.
    fn below(&mut self, bound: u128) -> u128 {
        let bound = bound.min(u128::from(u64::MAX));
        (u128::from(self.rng.next_u64()) * bound) >> 64
    }
}

/// Returns true if a weight of 0 was set for the move.
const fn is_withheld<M>(found: &BookMove<M>) -> bool {
    found.weight == 0 && found.weight_is_set
}

/// The moves come in the order of games and moves; the first of equals is kept.
fn best<'a, M>(candidates: &[&'a BookMove<M>]) -> Option<&'a BookMove<M>> {
    let heaviest = candidates
        .iter()
        .copied()
        .reduce(|a: &'a BookMove<M>, b: &'a BookMove<M>| if b.weight > a.weight { b } else { a })?;
    if heaviest.score.assured().is_none() {
        return Some(heaviest);
    }
    candidates.iter().copied().reduce(|a, b| if rank(b) > rank(a) { b } else { a })
}

/// The order of moves by [`Policy::Best`].
fn rank<M>(found: &BookMove<M>) -> (Option<Value>, u64) {
    (found.score.assured(), found.weight)
}

/// The value of a move in centipawns or more, see [`Policy::Softmax`]; `worst` is the least assured value.
fn worth<M>(found: &BookMove<M>, worst: Option<Value>) -> i32 {
    let score = &found.score;
    let most = score.backed.unwrap_or(Bounds::UNKNOWN).high();
    let guessed = worst.or(score.played).unwrap_or(Value::DRAW).min(most);
    score.assured().unwrap_or(guessed).value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::book::file::scores::Score;
    use crate::book::model::move_stats::MoveStats;
    use crate::book::model::value::{Evaluation, SourceScore};
    use crate::game::Bound;

    fn candidate(mv: u16, games: u64, weight: u64) -> BookMove<u16> {
        let stats = MoveStats { games, ..MoveStats::default() };
        BookMove::new(mv, stats, weight)
    }

    fn selector(policy: Policy) -> Selector {
        Selector::new(SelectOptions { policy, ..SelectOptions::default() }, 5)
    }

    /// The move that a fresh selector chooses.
    fn chosen(policy: Policy, moves: &[BookMove<u16>]) -> Option<u16> {
        selector(policy).choose(moves, 0, |_| true).map(|m| m.mv)
    }

    /// Thousands of draws with a seed.
    fn draws(seed: u64, moves: &[BookMove<u16>]) -> Vec<u16> {
        let mut selector = Selector::new(SelectOptions::default(), seed);
        (0..4000).map(|_| selector.choose(moves, 0, |_| true).unwrap().mv).collect()
    }

    /// A move whose weight was set.
    fn withheld(found: BookMove<u16>) -> BookMove<u16> {
        BookMove { weight_is_set: true, ..found }
    }

    #[test]
    fn best_is_the_heaviest() {
        let mut moves = [candidate(1, 10, 3), candidate(2, 9, 7), candidate(3, 8, 7)];
        assert_eq!(chosen(Policy::Best, &moves), Some(2));
        moves[1].disabled = true;
        assert_eq!(chosen(Policy::Best, &moves), Some(3));
        moves[0].priority = 1;
        assert_eq!(chosen(Policy::Best, &moves), Some(1));
        assert_eq!(chosen(Policy::Best, &[]), None);
    }

    #[test]
    fn weights_are_proportions_and_seeds_repeat() {
        let moves = [candidate(1, 9, 300), candidate(2, 9, 100), candidate(3, 9, 0)];
        assert_eq!(draws(1, &moves), draws(1, &moves));
        assert_ne!(draws(1, &moves), draws(2, &moves));
        let ones = draws(3, &moves).iter().filter(|&&mv| mv == 1).count();
        assert!((2880..3120).contains(&ones), "{ones}");
        assert!(!draws(3, &moves).contains(&3));
        let zeros = [candidate(1, 1, 0), candidate(2, 1, 0)];
        assert!(selector(Policy::Weighted).choose(&zeros, 0, |_| true).is_some());
    }

    #[test]
    fn moves_of_weight_0_alone_are_not_played() {
        let mut zeros = [candidate(1, 9, 0), candidate(2, 1, 0), scored(3, 0, 50)].map(withheld);
        zeros[1].added = true;
        for policy in Policy::ALL {
            assert_eq!(chosen(policy, &zeros), None, "{policy}");
            assert_eq!(chosen(policy, &zeros[..1]), None, "{policy}");
        }
        // The only move that has a weight is refused: what is left is not to be played.
        let moves = [candidate(1, 9, 5), withheld(candidate(2, 9, 0))];
        for policy in Policy::ALL {
            let found = selector(policy).choose(&moves, 0, |mv| mv != 1);
            assert!(found.is_none(), "{policy}");
        }
        // Nor does a priority, or a line group, make one of weight 0 a move to play.
        let mut moves = [candidate(1, 9, 5), withheld(grouped(2, 0, &["a"]))];
        moves[1].priority = 7;
        for policy in [Policy::Best, Policy::Weighted, Policy::Group] {
            assert_eq!(chosen(policy, &moves), Some(1), "{policy}");
        }
        let moves = [scored(1, 9, 10), withheld(scored(2, 0, 25))];
        assert_eq!(chosen(Policy::Best, &moves), Some(2));
        // One that its games gave no weight is known to have been lost, and no more.
        let moves = [candidate(1, 9, 0), withheld(candidate(2, 9, 0))];
        for policy in [Policy::Best, Policy::Weighted, Policy::Group] {
            assert_eq!(chosen(policy, &moves), Some(1), "{policy}");
        }
    }

    #[test]
    fn limits_hold() {
        let options = SelectOptions { ply_limit: 4, min_games: 3, ..SelectOptions::default() };
        let mut selector = Selector::new(options, 0);
        let moves = [candidate(1, 3, 1), candidate(2, 2, 1)];
        assert_eq!(selector.choose(&moves, 4, |_| true), None);
        assert_eq!(selector.choose(&moves, 3, |_| true).map(|m| m.mv), Some(1));
        assert_eq!(selector.choose(&moves, 3, |mv| mv != 1), None);
        let options = SelectOptions { min_weight: 5, ..SelectOptions::default() };
        let is_chosen = [4, 5].map(|weight| {
            Selector::new(options, 0).choose(&[candidate(1, 1, weight)], 0, |_| true).is_some()
        });
        assert_eq!(is_chosen, [false, true]);
    }

    #[test]
    fn names_round_trip() {
        for policy in Policy::ALL {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
    }

    /// Draws `n` moves of a fresh game each and compares the frequency of each with `expected` (shares that
    /// sum to 1) by a chi-squared test. The bound is the 99.99 % quantile for 5 degrees of freedom, so with
    /// any seed but one in 10,000 a right distribution passes.
    #[track_caller]
    fn expect_distribution(
        moves: &[BookMove<u16>],
        options: SelectOptions,
        expected: &[(u16, f64)],
    ) {
        const DRAWS: usize = 20_000;
        assert!(expected.len() <= 6);
        let mut selector = Selector::new(options, 11);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..DRAWS {
            selector.new_game();
            *counts.entry(selector.choose(moves, 0, |_| true).unwrap().mv).or_insert(0) += 1;
        }
        let mut chi_squared = 0.0;
        for &(mv, share) in expected {
            let mean = DRAWS as f64 * share;
            let count = f64::from(counts.remove(&mv).unwrap_or(0));
            chi_squared += (count - mean).powi(2) / mean;
        }
        assert!(counts.is_empty(), "never to be drawn: {counts:?}");
        assert!(chi_squared < 25.74, "chi-squared {chi_squared}");
    }

    fn with(policy: Policy) -> SelectOptions {
        SelectOptions { policy, ..SelectOptions::default() }
    }

    fn scored(mv: u16, weight: u64, centipawns: i32) -> BookMove<u16> {
        let mut found = candidate(mv, 5, weight);
        found.score.backed = Some(Bounds::exact(Value::from_centipawns(centipawns)));
        found
    }

    fn grouped(mv: u16, weight: u64, groups: &[&str]) -> BookMove<u16> {
        let groups = groups.iter().map(|&g| g.to_owned()).collect();
        BookMove { groups, ..candidate(mv, 5, weight) }
    }

    #[test]
    fn weighted_draws_in_proportion() {
        let moves =
            [candidate(1, 9, 5), candidate(2, 9, 3), candidate(3, 9, 2), candidate(4, 9, 0)];
        expect_distribution(&moves, with(Policy::Weighted), &[(1, 0.5), (2, 0.3), (3, 0.2)]);
    }

    #[test]
    fn uniform_draws_all_alike() {
        let moves = [candidate(1, 9, 500), candidate(2, 9, 3), candidate(3, 9, 0)];
        let third = 1.0 / 3.0;
        expect_distribution(&moves, with(Policy::Uniform), &[(1, third), (2, third), (3, third)]);
    }

    #[test]
    fn softmax_draws_by_worth() {
        let moves = [scored(1, 1, 30), scored(2, 90, 0), scored(3, 9, -70), scored(4, 9, -9000)];
        let options = SelectOptions { temperature: 40, ..with(Policy::Softmax) };
        let shares = [0.0f64, -30.0, -100.0].map(|below| (below / 40.0).exp());
        let sum: f64 = shares.iter().sum();
        let expected: Vec<_> = (1..).zip(shares.map(|share| share / sum)).collect();
        expect_distribution(&moves, options, &expected);
        // Without scores, the results of games count.
        let mut moves = [candidate(1, 9, 1), candidate(2, 9, 1)];
        moves[0].score.played = Some(Value::from_centipawns(40));
        let share = 1.0 / (1.0 + (-1.0f64).exp());
        expect_distribution(&moves, options, &[(1, share), (2, 1.0 - share)]);
    }

    #[test]
    fn groups_are_drawn_alike_and_moves_of_one_by_weight() {
        let moves = [
            grouped(1, 30, &["a"]),
            grouped(2, 10, &["a", "b"]),
            grouped(3, 10, &["b"]),
            grouped(4, 1000, &[]),
        ];
        let expected = [(1, 0.375), (2, 0.125 + 0.25), (3, 0.25)];
        expect_distribution(&moves, with(Policy::Group), &expected);
    }

    #[test]
    fn a_game_stays_in_its_group() {
        let first = [grouped(1, 1, &["a"]), grouped(2, 1, &["b"])];
        let later = [grouped(3, 1, &["a", "c"]), grouped(4, 99, &["b"]), grouped(5, 99, &[])];
        let elsewhere = [grouped(6, 1, &["c"]), grouped(7, 1, &[])];
        let mut seen = std::collections::BTreeSet::new();
        for seed in 0..40 {
            let mut selector = Selector::new(with(Policy::Group), seed);
            let mut pick =
                |moves: &[BookMove<u16>]| selector.choose(moves, 0, |_| true).unwrap().mv;
            let (one, two) = (pick(&first), pick(&later));
            assert_eq!(two, if one == 1 { 3 } else { 4 });
            assert_eq!(pick(&elsewhere), 6, "a new group where that of the game has no move");
            assert_eq!(pick(&[candidate(8, 1, 1)]), 8, "no groups at all");
            assert_eq!(selector.group(), Some("c"));
            seen.insert(one);
        }
        assert_eq!(seen.len(), 2);
    }

    #[test]
    fn best_goes_by_score_where_the_heaviest_move_has_one() {
        let moves = [scored(1, 9, 10), scored(2, 5, 25), candidate(3, 9, 2)];
        assert_eq!(chosen(Policy::Best, &moves), Some(2));
        assert_eq!(chosen(Policy::Best, &[candidate(1, 9, 9), scored(2, 5, 25)]), Some(1));
        assert_eq!(chosen(Policy::Best, &[scored(1, 4, 25), scored(2, 5, 25)]), Some(2));
        let mut moves = [scored(1, 9, 10), scored(2, 5, 25), scored(3, 1, 90)];
        moves[1].banned = true;
        moves[2].lost = true;
        assert_eq!(chosen(Policy::Best, &moves), Some(1));
        // An upper bound assures nothing.
        let mut moves = [scored(1, 9, 10), scored(2, 5, 25)];
        moves[1].score.backed = Some(Bounds::bounded(Value::from_centipawns(25), Bound::Upper));
        assert_eq!(chosen(Policy::Best, &moves), Some(1));
    }

    /// With an exact score of an engine, for the side that makes the move.
    fn evaluated(mv: u16, weight: u64, score: SourceScore) -> BookMove<u16> {
        let evaluation = Evaluation { score, bound: Bound::Exact, depth: 3, nodes: 0, best: None };
        let mut found = candidate(mv, 5, weight);
        found.score.engine = Some(Score { source: "engine".into(), evaluation });
        found
    }

    #[test]
    fn a_refuted_move_is_not_the_best() {
        let bad = Value::from_centipawns(-800);
        let mut refuted = evaluated(1, 9, SourceScore::Centipawns(50));
        refuted.score.backed = Some(Bounds::bounded(bad, Bound::Upper));
        assert_eq!(refuted.score.assured(), Some(bad));
        refuted.score.played = Some(Value::from_centipawns(300));
        let moves = [refuted, scored(2, 5, -40)];
        for policy in [Policy::Best, Policy::Softmax] {
            assert_eq!(chosen(policy, &moves), Some(2), "{policy}");
        }
        // Values that games suggest are not compared with values that engines assure.
        let mut unscored = candidate(1, 5, 1);
        unscored.score.played = Some(Value::from_centipawns(5000));
        let moves = [unscored, scored(2, 5, 0)];
        expect_distribution(&moves, with(Policy::Softmax), &[(1, 0.5), (2, 0.5)]);
    }

    #[test]
    fn proven_losses_are_never_chosen() {
        let moves = [
            evaluated(1, 99, SourceScore::TableLoss { order: 0, distance: 5 }),
            candidate(2, 5, 1),
        ];
        for policy in Policy::ALL {
            assert_eq!(chosen(policy, &moves), Some(2), "{policy}");
        }
    }

    #[test]
    fn the_greatest_weights_are_drawn_alike() {
        let moves = [1, 2, 3, 4].map(|mv| candidate(mv, 9, i64::MAX.cast_unsigned()));
        let quarters = [1, 2, 3, 4].map(|mv| (mv, 0.25));
        expect_distribution(&moves, with(Policy::Weighted), &quarters);
    }

    #[test]
    fn every_policy_repeats_with_its_seed() {
        let moves = [scored(1, 9, 10), scored(2, 5, 25), grouped(3, 4, &["a"])];
        for policy in Policy::ALL {
            let [first, again, other] = [0, 0, 1].map(|number| {
                let mut selector = Selector::numbered(with(policy), 3, number);
                let draws = (0..50).map(|_| selector.choose(&moves, 0, |_| true).unwrap().mv);
                draws.collect::<Vec<_>>()
            });
            assert_eq!(first, again, "{policy}");
            let is_random = !matches!(policy, Policy::Best | Policy::Group);
            assert_eq!(first != other, is_random, "{policy}");
        }
    }
}
