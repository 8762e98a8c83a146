//! Ratings of several players by their results against one another.
//!
//! The model is that of R. A. Bradley and M. E. Terry ("Rank analysis of incomplete block designs", Biometrika 39, 1952):
//! a player of strength γ makes γ / (γ + δ) points a game against one of strength δ, which is the expected score of
//! Elo with γ = 10^(Elo / 400). A draw is half a game won and half a game lost. The ratings are those of greatest
//! likelihood: the iteration of D. R. Hunter ("MM algorithms for generalized Bradley-Terry models", Annals of Statistics
//! 32, 2004), which increases it at every step, comes near, and steps of Newton end what that would take long for.
//! Only differences show in results; the mean of all ratings is 0.
//!
//! The greatest likelihood is at finite ratings if, however the players are divided in two groups, either group made
//! something of its games with the other (L. R. Ford, "Solution of a ranking problem from binary comparisons",
//! American Mathematical Monthly 64, 1957). Where that is not so (somebody won everything, or groups have not met), each
//! player is given one drawn game more, in equal parts against all others: the virtual draws of R. Coulom's
//! BayesElo. A player who won all n games of a match is rated as one who made n + ½ points of n + 1.
//!
//! Error bars are 95 % intervals of a rating against the mean of all, from the inverse of the observed information
//! matrix. It takes every game as a win or a loss that knows nothing of the others: draws, and pairs of games whose
//! opening favours one colour, vary less, so that the bars are rather too long than too short.

use crate::contest::match_elo::{CONFIDENCE, Count};

/// A player's rating with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rating {
    /// In Elo; the mean of all is 0.
    pub elo: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The ratings of all players.
///
/// ```
/// use juzhong::contest::{Count, Ratings, elo};
///
/// // The first player makes 7½ of 10 points.
/// let count = Count { wins: 6, draws: 3, losses: 1 };
/// let ratings = Ratings::of(2, &[([0, 1], count)]);
/// let [first, second] = [ratings.players[0].unwrap(), ratings.players[1].unwrap()];
/// assert!((first.elo - second.elo - elo(0.75)).abs() < 1e-6);
/// assert!((first.elo + second.elo).abs() < 1e-6);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Ratings {
    /// One for each player; `None` for those who have not played.
    pub players: Vec<Option<Rating>>,
    /// True if results alone allow of no finite ratings, so that virtual draws were added.
    pub with_prior: bool,
}

/// Steps of the iteration that comes near. Two players need one.
const MM_STEPS: usize = 200;
/// Steps of Newton at most; a few do.
const NEWTON_STEPS: usize = 100;
/// Parts of a step of Newton that are tried, each half of the one before.
const HALVINGS: usize = 30;
/// Changes of the logarithm of a strength that are none.
const PRECISION: f64 = 1e-12;
/// Drawn games that each player is given where results alone do not do.
const VIRTUAL_DRAWS: f64 = 1.0;

impl Ratings {
    /// The ratings of players 0 to `players` - 1 by results of pairs of them, each counted for the first one of the pair.
    /// A pair may come several times.
    #[must_use]
    pub fn of(players: usize, results: &[([usize; 2], Count)]) -> Self {
        let points = points(players, results);
        let rated: Vec<usize> =
            (0..players).filter(|&player| has_played(player, &points)).collect();
        let mut results = PairPoints::among(&rated, &points);
        let with_prior = !results.is_connected();
        if with_prior {
            results.add_draws(VIRTUAL_DRAWS);
        }
        let mut players = vec![None; players];
        for (player, rating) in rated.into_iter().zip(results.ratings()) {
            players[player] = Some(rating);
        }
        Self { players, with_prior }
    }
}

/// The points of each player against each other one.
fn points(players: usize, results: &[([usize; 2], Count)]) -> Vec<Vec<f64>> {
    let mut points = vec![vec![0.0; players]; players];
    for &([a, b], count) in results {
        if a.max(b) < players && a != b {
            points[a][b] += count.points();
            points[b][a] += count.reversed().points();
        }
    }
    points
}

/// Returns true if a player has points, or others have some against it.
fn has_played(player: usize, points: &[Vec<f64>]) -> bool {
    points[player].iter().zip(points).any(|(own, other)| *own > 0.0 || other[player] > 0.0)
}

/// The points of players who have played, against each other one.
#[derive(Debug, Clone)]
struct PairPoints(Vec<Vec<f64>>);

impl PairPoints {
    /// The points of some players against one another.
    fn among(players: &[usize], points: &[Vec<f64>]) -> Self {
        let mut among = Vec::with_capacity(players.len());
        for &a in players {
            among.push(players.iter().map(|&b| points[a][b]).collect());
        }
        Self(among)
    }

    const fn len(&self) -> usize {
        self.0.len()
    }

    /// Games between two players.
    fn games(&self, a: usize, b: usize) -> f64 {
        self.0[a][b] + self.0[b][a]
    }

    /// Returns true if no group of players made nothing of its games with the others.
    fn is_connected(&self) -> bool {
        let players = self.len();
        reached(players, |a, b| self.0[a][b] > 0.0) == players
            && reached(players, |a, b| self.0[b][a] > 0.0) == players
    }

    /// Adds drawn games for each player, in equal parts against all others.
    fn add_draws(&mut self, draws: f64) {
        let others = self.len().saturating_sub(1).max(1) as f64;
        for (player, row) in self.0.iter_mut().enumerate() {
            for (other, points) in row.iter_mut().enumerate() {
                // A drawn game is half a point for either: the other's half is added in its own row.
                *points += if other == player { 0.0 } else { draws / others / 2.0 };
            }
        }
    }

    fn ratings(&self) -> Vec<Rating> {
        let strengths = self.newton(self.minorize());
        let covariance = self.covariance(&strengths);
        let mut ratings = Vec::with_capacity(self.len());
        for (player, strength) in strengths.into_iter().enumerate() {
            let variance =
                covariance.as_ref().map_or(f64::INFINITY, |matrix| matrix[player][player]);
            let reach = CONFIDENCE * variance.max(0.0).sqrt() * elo_of_nat();
            let elo = strength * elo_of_nat();
            ratings.push(Rating { elo, low: elo - reach, high: elo + reach });
        }
        ratings
    }

    /// Logarithms of strengths near those of greatest likelihood.
    fn minorize(&self) -> Vec<f64> {
        let mut strengths = vec![1.0; self.len()];
        for _ in 0..MM_STEPS {
            let next = self.minorized(&strengths);
            let is_done = next
                .iter()
                .zip(&strengths)
                .all(|(new, old): (&f64, &f64)| (new / old).ln().abs() < PRECISION);
            strengths = next;
            if is_done {
                break;
            }
        }
        centred(strengths.into_iter().map(f64::ln).collect())
    }

    /// One step: the points of a player over what each of its games weighs at the strengths so far.
    fn minorized(&self, strengths: &[f64]) -> Vec<f64> {
        let next: Vec<f64> = (0..self.len())
            .map(|a| self.0[a].iter().sum::<f64>() / self.weight(a, strengths))
            .collect();
        // The scale is free; kept at a mean of 1 it neither grows nor shrinks for ever.
        let mean = next.iter().sum::<f64>() / next.len().max(1) as f64;
        next.into_iter().map(|strength| strength / mean).collect()
    }

    /// The weight of a player's games at these strengths.
    fn weight(&self, a: usize, strengths: &[f64]) -> f64 {
        let others = (0..self.len()).filter(|&b| b != a);
        others.map(|b| self.games(a, b) / (strengths[a] + strengths[b])).sum()
    }

    /// The logarithms of the strengths of greatest likelihood, from near ones.
    fn newton(&self, mut strengths: Vec<f64>) -> Vec<f64> {
        for _ in 0..NEWTON_STEPS {
            let Some(covariance) = self.covariance(&strengths) else { break };
            let gradient = self.gradient(&strengths);
            let step: Vec<f64> = covariance.iter().map(|row| product(row, &gradient)).collect();
            let Some(next) = self.better(&strengths, &step) else { break };
            strengths = centred(next);
            if step.iter().all(|change| change.abs() < PRECISION) {
                break;
            }
        }
        strengths
    }

    /// The strengths after a step, or a part of it, that does not make results less likely; `None` if none does.
    fn better(&self, strengths: &[f64], step: &[f64]) -> Option<Vec<f64>> {
        let before = self.log_likelihood(strengths);
        let mut share = 1.0;
        for _ in 0..HALVINGS {
            let next: Vec<f64> =
                strengths.iter().zip(step).map(|(old, change)| old + share * change).collect();
            if self.log_likelihood(&next) >= before {
                return Some(next);
            }
            share /= 2.0;
        }
        None
    }

    /// The logarithm of the likelihood of the results.
    fn log_likelihood(&self, strengths: &[f64]) -> f64 {
        (0..self.len()).map(|a| self.log_likelihood_of(a, strengths)).sum()
    }

    /// The same for the points of one player.
    fn log_likelihood_of(&self, a: usize, strengths: &[f64]) -> f64 {
        let points = self.0[a].iter().zip(strengths).filter(|&(&points, _)| points > 0.0);
        // Logarithm of the expected score, without loss where that is nearly 1.
        points.map(|(points, b)| -points * (b - strengths[a]).exp().ln_1p()).sum()
    }

    /// The points of each player beyond those that are expected.
    fn gradient(&self, strengths: &[f64]) -> Vec<f64> {
        (0..self.len()).map(|a| self.points_beyond(a, strengths)).collect()
    }

    fn points_beyond(&self, a: usize, strengths: &[f64]) -> f64 {
        let others = (0..self.len()).filter(|&b| b != a);
        others
            .map(|b| self.0[a][b] - self.games(a, b) * logistic(strengths[a] - strengths[b]))
            .sum()
    }

    /// The inverse of the observed information matrix among strengths whose logarithms have the mean 0.
    fn covariance(&self, strengths: &[f64]) -> Option<Vec<Vec<f64>>> {
        let players = self.len();
        // The matrix itself is singular: results do not change if all are stronger. This part of it is no difference.
        let common = 1.0 / players as f64;
        let mut matrix = vec![vec![common; players]; players];
        for a in 0..players {
            for b in (0..players).filter(|&b| b != a) {
                let difference = strengths[a] - strengths[b];
                let information = self.games(a, b) * logistic(difference) * logistic(-difference);
                matrix[a][a] += information;
                matrix[a][b] -= information;
            }
        }
        let mut inverse = inverse(matrix)?;
        // That part is its own inverse; without it there remains the inverse among differences.
        inverse.iter_mut().flatten().for_each(|entry| *entry -= common);
        Some(inverse)
    }
}

/// Elo of one natural logarithm of strength.
fn elo_of_nat() -> f64 {
    400.0 / std::f64::consts::LN_10
}

fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The same with the mean 0.
fn centred(values: Vec<f64>) -> Vec<f64> {
    let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
    values.into_iter().map(|value| value - mean).collect()
}

/// The number of places that lead on from place 0, itself among them.
fn reached(places: usize, leads: impl Fn(usize, usize) -> bool) -> usize {
    let mut seen = vec![false; places];
    let mut open: Vec<usize> = (0..places.min(1)).collect();
    while let Some(from) = open.pop() {
        if !std::mem::replace(&mut seen[from], true) {
            open.extend((0..places).filter(|&to| !seen[to] && leads(from, to)));
        }
    }
    seen.into_iter().filter(|&seen| seen).count()
}

/// The inverse of a matrix, by elimination; `None` if there is none.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let size = matrix.len();
    for (place, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|column| if column == place { 1.0 } else { 0.0 }));
    }
    for column in 0..size {
        // The largest entry of the column, so that errors of rounding do not grow.
        let pivot = (column..size)
            .max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        let divisor = matrix[column][column];
        if !divisor.is_normal() {
            return None;
        }
        matrix[column].iter_mut().for_each(|entry| *entry /= divisor);
        let unit = matrix[column].clone();
        for (_, row) in matrix.iter_mut().enumerate().filter(|&(place, _)| place != column) {
            let factor = row[column];
            row.iter_mut().zip(&unit).for_each(|(entry, unit)| *entry -= factor * unit);
        }
    }
    Some(matrix.into_iter().map(|mut row| row.split_off(size)).collect())
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;
    use crate::contest::match_elo::{elo, expected_score};

    fn near(a: f64, b: f64, error: f64) {
        assert!((a - b).abs() <= error, "{a} is not {b}");
    }

    fn count(wins: u64, draws: u64, losses: u64) -> Count {
        Count { wins, draws, losses }
    }

    fn elos(players: usize, results: &[([usize; 2], Count)]) -> Vec<f64> {
        let ratings = Ratings::of(players, results);
        ratings.players.into_iter().map(|rating| rating.unwrap().elo).collect()
    }

    /// Results of players of known strength, some games drawn.
    fn played(
        known: &[f64],
        games: u64,
        draws: f64,
        chance: &mut ChaCha8Rng,
    ) -> Vec<([usize; 2], Count)> {
        let mut results = Vec::new();
        for a in 0..known.len() {
            for b in a + 1..known.len() {
                let score = expected_score(known[a] - known[b]);
                let draw = draws * score.min(1.0 - score);
                let mut count = Count::default();
                for _ in 0..games {
                    let drawn = chance.next_u64() as f64 / u64::MAX as f64;
                    match drawn {
                        _ if drawn < score - draw / 2.0 => count.wins += 1,
                        _ if drawn < score + draw / 2.0 => count.draws += 1,
                        _ => count.losses += 1,
                    }
                }
                results.push(([a, b], count));
            }
        }
        results
    }

    #[test]
    fn two_players_differ_by_the_logistic_of_the_score() {
        for (wins, draws, losses) in [(6, 3, 1), (1, 0, 1), (0, 5, 1), (99_999, 1, 0), (1, 7, 90)] {
            let count = count(wins, draws, losses);
            let found = elos(2, &[([0, 1], count)]);
            near(found[0] - found[1], elo(count.points() / count.games() as f64), 1e-6);
            near(found[0] + found[1], 0.0, 1e-9);
        }
    }

    /// The logarithm of the likelihood of results, draws as half a win and half a loss, under these ratings.
    fn log_likelihood(results: &[([usize; 2], Count)], elos: [f64; 3]) -> f64 {
        let logarithms = results.iter().map(|&([a, b], count)| {
            let score = expected_score(elos[a] - elos[b]);
            count.points() * score.ln() + count.reversed().points() * (1.0 - score).ln()
        });
        logarithms.sum()
    }

    /// The likelihood of three players on a grid that grows finer around its best point.
    #[test]
    fn three_players_have_the_likeliest_ratings() {
        let results =
            [([0, 1], count(5, 4, 2)), ([1, 2], count(3, 3, 3)), ([0, 2], count(9, 1, 0))];
        let (mut best, mut step) = ([0.0_f64; 2], 128.0);
        while step > 1e-4 {
            let around = |x: f64| (-4..=4).map(move |n| x + f64::from(n) * step);
            let grid = around(best[0]).flat_map(|a| around(best[1]).map(move |b| [a, b]));
            let value = |[a, b]: [f64; 2]| log_likelihood(&results, [a, b, -a - b]);
            best = grid.max_by(|a, b| value(*a).total_cmp(&value(*b))).unwrap();
            step /= 2.0;
        }
        let found = elos(3, &results);
        near(found[0], best[0], 1e-2);
        near(found[1], best[1], 1e-2);
        near(found[2], -best[0] - best[1], 2e-2);
    }

    #[test]
    fn other_orders_of_players_and_results_give_the_same_ratings() {
        let known = [120.0, -40.0, 0.0, 33.0, -300.0];
        let results = played(&known, 30, 0.5, &mut ChaCha8Rng::seed_from_u64(5));
        let ratings = Ratings::of(5, &results);
        let places = [3, 1, 4, 0, 2];
        let mut moved: Vec<_> = results
            .iter()
            .map(|&([a, b], count)| ([places[b], places[a]], count.reversed()))
            .collect();
        moved.reverse();
        let other = Ratings::of(5, &moved);
        for (player, place) in places.into_iter().enumerate() {
            let [one, same] = [ratings.players[player], other.players[place]].map(Option::unwrap);
            near(one.elo, same.elo, 1e-7);
            near(one.low, same.low, 1e-6);
            near(one.high, same.high, 1e-6);
        }
    }

    /// The share of players whose known strength lies within the bars, over many tournaments.
    fn covered(draws: f64) -> f64 {
        let known = [150.0, 60.0, 0.0, -10.0, -200.0];
        let mut chance = ChaCha8Rng::seed_from_u64(1);
        let mut within = 0;
        for _ in 0..200 {
            let ratings = Ratings::of(known.len(), &played(&known, 100, draws, &mut chance));
            assert!(!ratings.with_prior);
            let held = ratings.players.iter().zip(&known).filter(|&(rating, known)| {
                rating.is_some_and(|rating| (rating.low..=rating.high).contains(known))
            });
            within += held.count();
        }
        within as f64 / 1000.0
    }

    #[test]
    fn known_strengths_lie_within_the_bars() {
        let share = covered(0.0);
        assert!((0.93..0.97).contains(&share), "{share}");
        let with_draws = covered(0.8);
        assert!(with_draws > share, "{with_draws}");
    }

    /// Bars of two equal players: the variance of a difference is 4 / n, of its half 1 / n.
    #[test]
    fn bars_are_those_worked_by_hand() {
        let ratings = Ratings::of(2, &[([0, 1], count(50, 0, 50))]);
        let rating = ratings.players[0].unwrap();
        near(rating.high, CONFIDENCE * 0.1 * 400.0 / std::f64::consts::LN_10, 1e-6);
        near(rating.low, -rating.high, 1e-9);
    }

    /// The rating of the first of two players after games without a loss.
    fn unbeaten(wins: u64, draws: u64) -> f64 {
        elos(2, &[([0, 1], count(wins, draws, 0))])[0]
    }

    #[test]
    fn records_without_a_loss_have_finite_ratings() {
        let ratings = Ratings::of(2, &[([0, 1], count(20, 0, 0))]);
        assert!(ratings.with_prior);
        let [first, second] = [0, 1].map(|player| ratings.players[player].unwrap());
        near(first.elo - second.elo, elo(20.5 / 21.0), 1e-6);
        assert!(first.high.is_finite() && first.low < first.elo && first.high > first.elo);
        // More games won without a loss are more Elo; one half point given away is less.
        assert!(unbeaten(21, 0) > unbeaten(20, 0) && unbeaten(20, 0) > unbeaten(19, 1));
        // Each beats those after it.
        let all: Vec<_> =
            (0..6).flat_map(|a| (a + 1..6).map(move |b| ([a, b], count(1000, 0, 0)))).collect();
        let found = elos(6, &all);
        assert!(found.windows(2).all(|two| two[0] > two[1] && two[0].is_finite()), "{found:?}");
        near(found[0], -found[5], 1e-6);
    }

    #[test]
    fn groups_that_have_not_met_and_players_without_games() {
        let ratings = Ratings::of(5, &[([0, 1], count(3, 0, 1)), ([2, 3], count(1, 0, 3))]);
        assert!(ratings.with_prior && ratings.players[4].is_none());
        let known: Vec<f64> = ratings.players.iter().flatten().map(|rating| rating.elo).collect();
        near(known[0], known[3], 1e-6);
        near(known.iter().sum(), 0.0, 1e-6);
        assert!(Ratings::of(3, &[]).players.iter().all(Option::is_none));
        assert!(Ratings::of(0, &[]).players.is_empty());
        assert!(
            Ratings::of(2, &[([0, 7], count(1, 1, 1)), ([1, 1], count(1, 0, 0))])
                .players
                .iter()
                .all(Option::is_none)
        );
    }

    /// Results for which the iteration alone would need millions of steps.
    #[test]
    fn lopsided_results_are_rated_to_the_end() {
        let results = [
            ([0, 1], count(50_000, 0, 50_000)),
            ([2, 3], count(60_000, 0, 40_000)),
            ([0, 2], count(99_999, 1, 0)),
            ([1, 3], count(100_000, 0, 0)),
            ([4, 0], count(u64::from(u32::MAX), 0, 1)),
        ];
        let rated = PairPoints(points(5, &results));
        let strengths = rated.newton(rated.minorize());
        let gradient = rated.gradient(&strengths);
        assert!(gradient.iter().all(|beyond| beyond.abs() < 1e-3), "{gradient:?}");
        assert!(elos(5, &results).iter().all(|elo| elo.is_finite()));
    }
}
