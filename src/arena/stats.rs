//! What the results of a match say about the strength of its engines.
//!
//! Every opening is played twice, with colours exchanged, and the two games are not independent: what
//! an opening gives to one side, it takes back in the other game. So the unit is the pair, whose score
//! is one of five (the *pentanomial* model); its variance is smaller than that of two games that
//! know nothing of each other (*trinomial*), and error bars come from it.

use crate::game::Outcome;

/// Two-sided 95 % of a normal distribution, in standard deviations.
const CONFIDENCE: f64 = 1.959_963_984_540_054;

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// With the red men, and with the black ones.
    pub colours: [Count; 2],
    /// Pairs in which it had 0 to 4 half points.
    pub pairs: [u64; 5],
    /// Half points of a first game whose second one is not over.
    pending: Option<usize>,
}

impl Tally {
    /// Counts the next game: the first engine has the red men in the first game of each pair, the
    /// black ones in the second.
    pub fn add(&mut self, outcome: Outcome) {
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

    /// Whether every opening was played with both colours.
    #[must_use]
    pub const fn is_even(&self) -> bool {
        self.pending.is_none()
    }

    /// What whole pairs say; `None` without any.
    #[must_use]
    pub fn by_pairs(&self) -> Option<Estimate> {
        Estimate::of(&self.pairs, &PAIR_SCORES)
    }

    /// What single games say, as if they were independent; `None` without any.
    #[must_use]
    pub fn by_games(&self) -> Option<Estimate> {
        let Count { wins, draws, losses } = self.total();
        Estimate::of(&[losses, draws, wins], &GAME_SCORES)
    }
}

/// A difference in strength with its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Points a game, 0 to 1.
    pub score: f64,
    /// In Elo; infinite where one side won everything.
    pub elo: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How likely the first engine is the stronger one, 0 to 1.
    pub superiority: f64,
}

impl Estimate {
    fn of(counts: &[u64], scores: &[f64]) -> Option<Self> {
        let n: u64 = counts.iter().sum();
        if n == 0 {
            return None;
        }
        let share = |count: &u64| *count as f64 / n as f64;
        let score: f64 = counts.iter().zip(scores).map(|(count, x)| share(count) * x).sum();
        let variance: f64 =
            counts.iter().zip(scores).map(|(count, x)| share(count) * (x - score).powi(2)).sum();
        let error = (variance / n as f64).sqrt();
        let superiority = match error > 0.0 {
            true => normal((score - 0.5) / error),
            false => 0.5 * (1.0 + (score - 0.5).signum() * f64::from(u8::from(score != 0.5))),
        };
        Some(Self {
            score,
            elo: elo(score),
            low: elo(score - CONFIDENCE * error),
            high: elo(score + CONFIDENCE * error),
            superiority,
        })
    }
}

/// The difference in Elo at which so many points a game are expected.
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
        let mut tally = Tally::default();
        for outcome in [red, black, red, red, Outcome::Draw, black, black, red, black] {
            tally.add(outcome);
        }
        assert_eq!(tally.colours[0], Count { wins: 2, draws: 1, losses: 2 });
        assert_eq!(tally.colours[1], Count { wins: 2, draws: 0, losses: 2 });
        assert_eq!((tally.pairs, tally.is_even()), ([1, 0, 1, 1, 1], false));
        assert_eq!(tally.total().games(), 9);
    }

    /// Worked by hand. 20 pairs, score (8 + 0.75 · 4 + …) / 20.
    #[test]
    fn error_bars_are_those_worked_by_hand() {
        let tally = Tally { pairs: [1, 4, 6, 7, 2], ..Tally::default() };
        let estimate = tally.by_pairs().unwrap();
        // (0.25·4 + 0.5·6 + 0.75·7 + 1·2) / 20 = 11.25 / 20
        near(estimate.score, 0.5625, 1e-12);
        // Squares: (0.0625·4 + 0.25·6 + 0.5625·7 + 2) / 20 = 7.6875 / 20 = 0.384375;
        // less 0.5625² = 0.31640625: 0.06796875; / 20: 0.0033984375; root: 0.0582961...
        let error = 0.003_398_437_5_f64.sqrt();
        near(error, 0.058_296_12, 1e-7);
        near(estimate.elo, 43.657_9, 1e-3);
        near(estimate.low, elo(0.5625 - 1.959_964 * error), 1e-3);
        near(estimate.high, elo(0.5625 + 1.959_964 * error), 1e-3);
        near(estimate.superiority, 0.858_169, 1e-4); // of 1.072113 deviations
        let games = Tally {
            colours: [Count { wins: 10, draws: 20, losses: 10 }, Count::default()],
            ..Tally::default()
        };
        let estimate = games.by_games().unwrap();
        // Variance 0.125, error sqrt(0.125 / 40) = 0.0559017
        near(estimate.score, 0.5, 1e-12);
        near(estimate.high, elo(0.5 + 1.959_964 * 0.055_901_7), 1e-3);
        near(estimate.superiority, 0.5, 1e-12);
    }

    #[test]
    fn ends_of_the_scale_are_no_trouble() {
        assert_eq!(Tally::default().by_pairs(), None);
        let all = Tally { pairs: [0, 0, 0, 0, 3], ..Tally::default() }.by_pairs().unwrap();
        assert_eq!((all.score, all.elo, all.superiority), (1.0, f64::INFINITY, 1.0));
        let none = Tally { pairs: [3, 0, 0, 0, 0], ..Tally::default() }.by_pairs().unwrap();
        assert_eq!((none.elo, none.superiority), (f64::NEG_INFINITY, 0.0));
        let draws = Tally { pairs: [0, 0, 3, 0, 0], ..Tally::default() }.by_pairs().unwrap();
        assert_eq!((draws.low, draws.high, draws.superiority), (0.0, 0.0, 0.5));
    }
}
