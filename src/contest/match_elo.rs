//! Estimates of the strength of engines from the results of a match.
//!
//! Every opening is played twice, with colours exchanged, and the two games are not independent: what
//! an opening gives to one side, it takes back in the other game. So the unit is the pair, whose score
//! is one of five (the *pentanomial* model); its variance is smaller than that of two games that
//! know nothing of each other (*trinomial*), and error bars come from it.
//!
//! Few results show too little of the variance: equal ones show none at all. So each score counts as seen
//! half a time more than it was (Jeffreys' prior of a multinomial distribution, 1946) where the variance is
//! estimated, and bars are as long as Student's distribution has them. The estimate itself is the plain mean;
//! of hundreds of pairs the bars are those of the normal distribution but for one part in a hundred.

use crate::game::Outcome;

/// Two-sided 95 % of a normal distribution, in standard deviations.
pub(crate) const CONFIDENCE: f64 = 1.959_963_984_540_054;
/// The number of times that each score counts as seen beforehand, where its variance is estimated.
const PRIOR: f64 = 0.5;

/// The score of a pair of games in half points, 0 to 4.
const PAIR_SCORES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
/// The score of a game in half points, 0 to 2.
const GAME_SCORES: [f64; 3] = [0.0, 0.5, 1.0];

/// Games won, drawn and lost by the first engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Won.
    pub wins: u64,
    /// Drawn.
    pub draws: u64,
    /// Lost.
    pub losses: u64,
}

impl Count {
    /// All of them.
    #[must_use]
    pub const fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points: one for a win, one half for a draw.
    #[must_use]
    pub const fn points(&self) -> f64 {
        self.wins as f64 + self.draws as f64 / 2.0
    }

    /// Those of the opponent.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self { wins: self.losses, draws: self.draws, losses: self.wins }
    }
}

impl std::ops::Add for Count {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            wins: self.wins + other.wins,
            draws: self.draws + other.draws,
            losses: self.losses + other.losses,
        }
    }
}

/// The results of a match so far, for its first engine.
///
/// ```
/// use juzhong::contest::MatchResults;
/// use juzhong::game::{Outcome, Side};
///
/// let mut results = MatchResults::default();
/// // A pair of games with colours changed: the first engine wins as Red and draws as Black.
/// results.add(Outcome::Win(Side::First));
/// results.add(Outcome::Draw);
/// assert_eq!((results.total().wins, results.total().draws), (1, 1));
/// assert_eq!(results.pairs, [0, 0, 0, 1, 0]);
/// assert_eq!(results.by_pairs().unwrap().score, 0.75);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MatchResults {
    /// As Red, and as Black.
    pub colours: [Count; 2],
    /// Pairs in which it had 0 to 4 half points.
    pub pairs: [u64; 5],
    /// Half points of a first game whose second one is not over.
    pending: Option<usize>,
}

impl MatchResults {
    /// Counts the next game: the first engine plays Red in the first game of each pair, Black in the second.
    pub fn add(&mut self, outcome: Outcome) {
        // The second game of a pair is the one that finds the first one waiting.
        let colour = usize::from(self.pending.is_some());
        let points = match outcome.winner() {
            None => 1,
            Some(side) if side.index() == colour => 2,
            Some(_) => 0,
        };
        let count = &mut self.colours[colour];
        *[&mut count.losses, &mut count.draws, &mut count.wins][points] += 1;
        match self.pending.take() {
            None => self.pending = Some(points),
            Some(first) => self.pairs[first + points] += 1,
        }
    }

    /// With either colour.
    #[must_use]
    pub fn total(&self) -> Count {
        self.colours[0] + self.colours[1]
    }

    /// Returns true if every opening was played with both colours.
    #[must_use]
    pub const fn is_even(&self) -> bool {
        self.pending.is_none()
    }

    /// The estimate from whole pairs; `None` without any.
    #[must_use]
    pub fn by_pairs(&self) -> Option<EloEstimate> {
        EloEstimate::of(&self.pairs, &PAIR_SCORES)
    }

    /// The estimate from single games, as if they were independent; `None` without any.
    #[must_use]
    pub fn by_games(&self) -> Option<EloEstimate> {
        let Count { wins, draws, losses } = self.total();
        EloEstimate::of(&[losses, draws, wins], &GAME_SCORES)
    }
}

/// A difference in strength with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EloEstimate {
    /// Points a game, 0 to 1.
    pub score: f64,
    /// In Elo; infinite where one side won everything.
    pub elo: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// The probability that the first engine is the stronger one, 0 to 1.
    pub superiority: f64,
}

impl EloEstimate {
    fn of(counts: &[u64], scores: &[f64]) -> Option<Self> {
        if counts.iter().all(|&count| count == 0) {
            return None;
        }
        let seen: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
        let score = mean(&seen, scores.iter().copied());
        // Equal results show no variance at all; with each score seen a little beforehand the interval
        // stays honest for few games.
        let weights: Vec<f64> = seen.iter().map(|count| count + PRIOR).collect();
        let centre = mean(&weights, scores.iter().copied());
        let variance = mean(&weights, scores.iter().map(|x| (x - centre).powi(2)));
        let all: f64 = weights.iter().sum();
        let error = (variance / all).sqrt();
        let freedom = all - 1.0;
        let reach = error * student(CONFIDENCE, freedom);
        Some(Self {
            score,
            elo: elo(score),
            // The interval is symmetric in points and not in Elo, whose scale is stretched at its ends.
            low: elo(score - reach),
            high: elo(score + reach),
            superiority: normal(unstudent((score - 0.5) / error, freedom)),
        })
    }
}

/// The mean of `values` under their weights.
fn mean(weights: &[f64], values: impl Iterator<Item = f64>) -> f64 {
    let sum: f64 = weights.iter().zip(values).map(|(weight, value)| weight * value).sum();
    sum / weights.iter().sum::<f64>()
}

/// The number of deviations of Student's distribution with `freedom` degrees of freedom that are as rare as
/// `z` of the normal one: right to 4 % at two degrees, to 0.3 % from five on (D. L. Wallace, "Bounds on
/// normal approximations to Student's and the chi-square distributions", 1959).
fn student(z: f64, freedom: f64) -> f64 {
    let z = z * (8.0 * freedom + 3.0) / (8.0 * freedom + 1.0);
    z.signum() * (freedom * (z * z / freedom).exp_m1()).sqrt()
}

/// The deviations of the normal distribution that are as rare as `t` of Student's: undoes [`student`].
fn unstudent(t: f64, freedom: f64) -> f64 {
    let z = (freedom * (t * t / freedom).ln_1p()).sqrt();
    t.signum() * z * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
}

/// The difference in Elo at which `score` points a game are expected.
///
/// ```
/// use juzhong::contest::{elo, expected_score};
///
/// assert_eq!(elo(0.5), 0.0);
/// assert!((elo(0.64) - 100.0).abs() < 1.0);
/// assert!((expected_score(elo(0.7)) - 0.7).abs() < 1e-9);
/// assert_eq!(elo(1.0), f64::INFINITY);
/// ```
#[must_use]
pub fn elo(score: f64) -> f64 {
    if score <= 0.0 {
        f64::NEG_INFINITY
    } else if score >= 1.0 {
        f64::INFINITY
    } else {
        400.0 * (score / (1.0 - score)).log10()
    }
}

/// The points a game that are expected at a difference in Elo.
#[must_use]
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10.0_f64.powf(-elo / 400.0))
}

/// The cumulative normal distribution. The complementary error function is summed from its continued
/// fraction, or from its power series near 0 (Abramowitz and Stegun, 7.1.14 and 7.1.6).
fn normal(x: f64) -> f64 {
    let z = x.abs() / std::f64::consts::SQRT_2;
    let scale = (-z * z).exp() / std::f64::consts::PI.sqrt();
    let upper = if z < 2.0 {
        let mut term = 2.0 * z * scale;
        let mut sum = term;
        // Below 2 the terms pass under the precision of the sum long before the last one.
        for n in 1..60 {
            term *= 2.0 * z * z / f64::from(2 * n + 1);
            sum += term;
        }
        1.0 - sum
    } else {
        scale / (1..=60).rev().fold(z, |tail, n| z + f64::from(n) / 2.0 / tail)
    };
    if x < 0.0 { upper / 2.0 } else { 1.0 - upper / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Side;

    fn near(a: f64, b: f64, error: f64) {
        assert!((a - b).abs() <= error, "{a} is not {b}");
    }

    #[test]
    fn elo_is_what_the_formula_says() {
        near(elo(0.5), 0.0, 1e-12);
        near(elo(0.75), 190.848_501_9, 1e-6); // 400 log10 3
        near(elo(10.0 / 11.0), 400.0, 1e-9);
        near(expected_score(elo(0.37)), 0.37, 1e-12);
        near(expected_score(-400.0), 1.0 / 11.0, 1e-12);
        assert_eq!((elo(0.0), elo(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn the_normal_distribution_is_that_of_tables() {
        for (x, expected) in [
            (0.0, 0.5),
            (1.0, 0.841_344_746_068_543),
            (-1.0, 0.158_655_253_931_457),
            (CONFIDENCE, 0.975),
            (3.0, 0.998_650_101_968_370),
            (-4.0, 3.167_124_183_312e-5),
        ] {
            near(normal(x), expected, 1e-12);
        }
        near(normal(2.828_427), normal(2.828_428), 1e-7); // where the two formulas meet
    }

    #[test]
    fn colours_and_pairs_are_counted() {
        let [red, black] = Side::ALL.map(Outcome::Win);
        let mut results = MatchResults::default();
        for outcome in [red, black, red, red, Outcome::Draw, black, black, red, black] {
            results.add(outcome);
        }
        assert_eq!(results.colours[0], Count { wins: 2, draws: 1, losses: 2 });
        assert_eq!(results.colours[1], Count { wins: 2, draws: 0, losses: 2 });
        assert_eq!((results.pairs, results.is_even()), ([1, 0, 1, 1, 1], false));
        assert_eq!(results.total().games(), 9);
    }

    #[test]
    fn students_distribution_is_nearly_that_of_tables() {
        for (freedom, expected) in [
            (2.0, 4.302_65),
            (3.0, 3.182_45),
            (5.0, 2.570_58),
            (10.0, 2.228_14),
            (30.0, 2.042_27),
            (120.0, 1.979_93),
        ] {
            let t = student(CONFIDENCE, freedom);
            near(t, expected, expected * 0.165 / (freedom * freedom));
            near(unstudent(t, freedom), CONFIDENCE, 1e-12);
            near(student(-CONFIDENCE, freedom), -t, 1e-12);
        }
        near(student(0.0, 5.0), 0.0, 0.0);
    }

    /// Worked by hand, of 20 pairs and 40 games.
    #[test]
    fn error_bars_are_those_worked_by_hand() {
        let results = MatchResults { pairs: [1, 4, 6, 7, 2], ..MatchResults::default() };
        let estimate = results.by_pairs().unwrap();
        // (0.25·4 + 0.5·6 + 0.75·7 + 1·2) / 20 = 11.25 / 20
        near(estimate.score, 0.5625, 1e-12);
        near(estimate.elo, 43.657_9, 1e-3);
        // With half a pair of each score: (11.25 + 1.25) / 22.5 = 0.5555...
        // Squares: (0.0625·4 + 0.25·6 + 0.5625·7 + 2 + 0.9375) / 22.5 = 8.625 / 22.5 = 0.38333...;
        // less 0.5555...² = 0.30864...: 0.0746914; / 22.5: 0.00331962; root: 0.0576161
        let error = 0.057_616_1;
        // 21.5 degrees of freedom: 2.0767 deviations
        near(estimate.low, elo(0.5625 - 2.0767 * error), 0.02);
        near(estimate.high, elo(0.5625 + 2.0767 * error), 0.02);
        near(estimate.superiority, 0.8550, 1e-4); // of 1.084767 of Student's deviations
        let games = MatchResults {
            colours: [Count { wins: 10, draws: 20, losses: 10 }, Count::default()],
            ..MatchResults::default()
        };
        let estimate = games.by_games().unwrap();
        // Variance 0.25 · 21 / 41.5 = 0.126506, error sqrt(0.126506 / 41.5) = 0.0552117;
        // 40.5 degrees of freedom: 2.0204 deviations
        near(estimate.score, 0.5, 1e-12);
        near(estimate.high, elo(0.5 + 2.0204 * 0.055_211_7), 0.02);
        near(estimate.superiority, 0.5, 1e-12);
    }

    fn by_pairs(pairs: [u64; 5]) -> EloEstimate {
        MatchResults { pairs, ..MatchResults::default() }.by_pairs().unwrap()
    }

    /// Equal results, and few of them, prove little.
    #[test]
    fn few_pairs_have_wide_error_bars() {
        assert_eq!(MatchResults::default().by_pairs(), None);
        let one = by_pairs([0, 0, 1, 0, 0]);
        assert_eq!((one.elo, one.superiority), (0.0, 0.5));
        assert_eq!((one.low, one.high), (f64::NEG_INFINITY, f64::INFINITY));
        let lost = by_pairs([1, 0, 0, 0, 0]);
        assert_eq!((lost.score, lost.elo, lost.low), (0.0, f64::NEG_INFINITY, f64::NEG_INFINITY));
        assert!(lost.high > 100.0 && lost.superiority > 0.025, "{lost:?}");
        let two = by_pairs([2, 0, 0, 0, 0]);
        assert!(two.high > 0.0 && (0.025..0.05).contains(&two.superiority), "{two:?}");
        // Of equals that never draw, one wins all eight games once in 256 times.
        let won = by_pairs([0, 0, 0, 0, 4]);
        assert_eq!((won.elo, won.high), (f64::INFINITY, f64::INFINITY));
        assert!(won.low > 0.0 && (0.975..0.999).contains(&won.superiority), "{won:?}");
        let drawn = [1, 4, 16, 64].map(|n| by_pairs([0, 0, n, 0, 0]));
        assert!(drawn.iter().all(|drawn| drawn.low < -1.0 && drawn.high > 1.0));
        assert!(drawn.windows(2).all(|two| two[1].high < two[0].high), "{drawn:?}");
        // They are symmetric.
        let [there, back] = [[6, 5, 9, 4, 2], [2, 4, 9, 5, 6]].map(by_pairs);
        near(there.low, -back.high, 1e-9);
        near(there.superiority, 1.0 - back.superiority, 1e-12);
    }

    /// 161 won, 179 drawn and 60 lost: as with the plain variance and the normal distribution.
    #[test]
    fn many_pairs_have_the_usual_error_bars() {
        let results = MatchResults { pairs: [6, 25, 65, 70, 34], ..MatchResults::default() };
        let estimate = results.by_pairs().unwrap();
        let seen = results.pairs.map(|n| n as f64);
        let score = mean(&seen, PAIR_SCORES.into_iter());
        let variance = mean(&seen, PAIR_SCORES.into_iter().map(|x| (x - score).powi(2)));
        let reach = CONFIDENCE * (variance / 200.0).sqrt();
        near(estimate.elo, 89.7, 0.05);
        near(estimate.low, elo(score - reach), 0.3);
        near(estimate.high, elo(score + reach), 0.3);
    }
}
