//! The sequential probability ratio test: plays on only until the results decide between two hypotheses about
//! the difference in strength.
//!
//! The likelihood ratio is that of the generalised test (GSPRT): under each hypothesis the five frequencies
//! of pair scores are those of greatest likelihood among all that have the expected score of the hypothesis.
//! One multiplier determines them, the root of a decreasing function (an empirical likelihood, after A. B.
//! Owen); X. Li, J. Liu and Z. Ying, "Generalized sequential probability ratio test for separate families of
//! hypotheses" (2014), is the theory.

use crate::contest::match_elo::expected_score;

/// Two hypotheses and the probabilities with which they may be confused.
///
/// ```
/// use juzhong::contest::{Decision, Sprt};
///
/// let test = Sprt { elo0: 0.0, elo1: 10.0, alpha: 0.05, beta: 0.05 };
/// assert!(test.is_sound());
/// // Pairs of games in which the first engine made 0, ½, 1, 1½ and 2 points.
/// assert_eq!(test.decide(&[0, 10, 20, 12, 0]), Decision::Open);
/// assert_eq!(test.decide(&[10, 100, 200, 400, 90]), Decision::H1);
/// assert_eq!(test.decide(&[90, 400, 200, 100, 10]), Decision::H0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sprt {
    /// The hypothesis H0: the first engine is this many Elo (logistic) stronger than the second.
    pub elo0: f64,
    /// The hypothesis H1; greater.
    pub elo1: f64,
    /// The probability of accepting H1 where H0 holds.
    pub alpha: f64,
    /// The probability of accepting H0 where H1 holds.
    pub beta: f64,
}

/// The state of a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// Both hypotheses are possible.
    Open,
    /// H0 is accepted: the change did not pass.
    H0,
    /// H1 is accepted: the change passed.
    H1,
}

impl Decision {
    /// `open`, `h0` or `h1`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::H0 => "h0",
            Self::H1 => "h1",
        }
    }
}

/// Stands for a score that no pair had, so that no frequency is 0.
const NEVER: f64 = 1e-3;

impl Sprt {
    /// Returns true if the hypotheses differ, and the errors are probabilities below one half.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let Self { elo0, elo1, alpha, beta } = *self;
        elo0 < elo1 && elo0.abs().max(elo1.abs()) < 2000.0 && possible(alpha) && possible(beta)
    }

    /// The log-likelihood ratios at which H0 and H1 are accepted (Wald).
    #[must_use]
    pub fn bounds(&self) -> [f64; 2] {
        let Self { alpha, beta, .. } = *self;
        [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()]
    }

    /// The logarithm of how much likelier H1 makes these pairs (of 0 to 4 half points) than H0.
    #[must_use]
    pub fn log_likelihood_ratio(&self, pairs: &[u64; 5]) -> f64 {
        if pairs.iter().all(|&n| n == 0) {
            return 0.0;
        }
        // The likeliest frequencies of a score that never occurred are 0, and their ratio would be
        // undefined.
        let counts = pairs.map(|n| if n == 0 { NEVER } else { n as f64 });
        let all: f64 = counts.iter().sum();
        let shares = counts.map(|n| n / all);
        let [h0, h1] = [self.elo0, self.elo1].map(|elo| likeliest(&shares, expected_score(elo)));
        counts.iter().zip(h0.iter().zip(h1)).map(|(n, (q0, q1))| n * (q1 / q0).ln()).sum()
    }

    /// The state of the test.
    #[must_use]
    pub fn decide(&self, pairs: &[u64; 5]) -> Decision {
        let ratio = self.log_likelihood_ratio(pairs);
        let [lower, upper] = self.bounds();
        match ratio {
            _ if ratio >= upper => Decision::H1,
            _ if ratio <= lower => Decision::H0,
            _ => Decision::Open,
        }
    }
}

/// Returns true if an error has a probability that a test can have.
fn possible(p: f64) -> bool {
    p > 0.0 && p < 0.5
}

/// The frequencies with mean `mean` (between 0 and 1) that make those observed the likeliest:
/// `p / (1 + t (x - mean))` with the t at which the mean is right.
fn likeliest(shares: &[f64; 5], mean: f64) -> [f64; 5] {
    // Between these all denominators are positive; the excess falls as t grows, so that halving finds its
    // zero.
    let mut low = -1.0 / (1.0 - mean);
    let mut high = 1.0 / mean;
    // After 60 halvings the error is below the rounding of the denominators.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        let frequencies = weighed(shares, mean, middle);
        let excess: f64 =
            frequencies.iter().zip(0_u8..).map(|(q, i)| q * (f64::from(i) / 4.0 - mean)).sum();
        if excess > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    weighed(shares, mean, f64::midpoint(low, high))
}

/// The frequencies with the multiplier `t`.
fn weighed(shares: &[f64; 5], mean: f64, t: f64) -> [f64; 5] {
    let mut index = 0.0;
    shares.map(|p| {
        let x = index / 4.0;
        index += 1.0;
        p / (1.0 + t * (x - mean))
    })
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{Rng, SeedableRng};

    use super::*;

    const TEST: Sprt = Sprt { elo0: 0.0, elo1: 8.0, alpha: 0.05, beta: 0.05 };

    fn near(a: f64, b: f64, error: f64) {
        assert!((a - b).abs() <= error, "{a} is not {b}");
    }

    #[test]
    fn bounds_are_walds() {
        let [lower, upper] = TEST.bounds();
        near(lower, -2.944_438_979, 1e-9); // ln (0.05 / 0.95)
        near(upper, 2.944_438_979, 1e-9);
        assert!(TEST.is_sound());
        assert!(!Sprt { elo1: 0.0, ..TEST }.is_sound());
        assert!(!Sprt { alpha: 0.5, ..TEST }.is_sound());
        assert!(!Sprt { beta: f64::NAN, ..TEST }.is_sound());
    }

    /// With only two scores there is no freedom: the mean determines the ratio.
    #[test]
    fn two_scores_have_a_ratio_in_closed_form() {
        let test = Sprt { elo0: -100.0, elo1: 100.0, alpha: 0.05, beta: 0.05 };
        let (s0, s1) = (expected_score(-100.0), expected_score(100.0));
        let expected = 7_000.0 * (s1 / s0).ln() + 5_000.0 * ((1.0 - s1) / (1.0 - s0)).ln();
        near(test.log_likelihood_ratio(&[5_000, 0, 0, 0, 7_000]), expected, 0.05);
    }

    /// The frequencies are a distribution of that mean, and none near them is likelier.
    #[test]
    fn frequencies_are_the_likeliest() {
        let shares = [0.05, 0.2, 0.4, 0.3, 0.05];
        let likelihood =
            |q: &[f64; 5]| -> f64 { shares.iter().zip(q).map(|(p, q)| p * q.ln()).sum() };
        for mean in [0.3, 0.5, 0.6] {
            let q = likeliest(&shares, mean);
            near(q.iter().sum(), 1.0, 1e-9);
            near(q.iter().zip([0.0, 0.25, 0.5, 0.75, 1.0]).map(|(q, x)| q * x).sum(), mean, 1e-9);
            // Directions that change neither the sum nor the mean.
            for direction in [
                [1.0, -2.0, 1.0, 0.0, 0.0],
                [0.0, 1.0, -2.0, 1.0, 0.0],
                [1.0, -1.0, 0.0, -1.0, 1.0],
            ] {
                for step in [1e-3, -1e-3] {
                    let mut other = q;
                    other.iter_mut().zip(direction).for_each(|(q, d)| *q += step * d);
                    assert!(likelihood(&other) < likelihood(&q));
                }
            }
        }
    }

    /// The mean of a function of the scores of pairs.
    fn mean(pairs: &[u64; 5], of: impl Fn(f64) -> f64) -> f64 {
        let n = pairs.iter().sum::<u64>() as f64;
        let scores = [0.0, 0.25, 0.5, 0.75, 1.0];
        pairs.iter().zip(scores).map(|(&k, x)| k as f64 / n * of(x)).sum()
    }

    /// Near the hypotheses the ratio is that of normal distributions.
    #[test]
    fn the_ratio_is_nearly_that_of_normal_distributions() {
        for pairs in [[20, 180, 560, 210, 30], [4, 100, 820, 130, 6], [100, 200, 400, 200, 100]] {
            let n: f64 = pairs.iter().sum::<u64>() as f64;
            let score = mean(&pairs, |x| x);
            let variance = mean(&pairs, |x| (x - score).powi(2));
            let (s0, s1) = (expected_score(TEST.elo0), expected_score(TEST.elo1));
            let expected = n * (s1 - s0) * (2.0 * score - s0 - s1) / (2.0 * variance);
            near(TEST.log_likelihood_ratio(&pairs), expected, 0.02 * expected.abs() + 0.01);
        }
    }

    #[test]
    fn without_pairs_nothing_is_decided() {
        assert_eq!(TEST.log_likelihood_ratio(&[0; 5]).to_bits(), 0.0_f64.to_bits());
        assert_eq!(TEST.decide(&[0; 5]), Decision::Open);
        assert_eq!(TEST.decide(&[0, 0, 5, 0, 0]), Decision::Open);
        assert_eq!(TEST.decide(&[0, 0, 100, 400, 0]), Decision::H1);
        assert_eq!(TEST.decide(&[0, 400, 100, 0, 0]), Decision::H0);
    }

    /// Equal pairs show no variance; they prove no more than pairs won or lost outright would.
    #[test]
    fn equal_pairs_decide_nothing_at_once() {
        let [s0, s1] = [TEST.elo0, TEST.elo1].map(expected_score);
        let most = (s1 / s0).ln().max(((1.0 - s0) / (1.0 - s1)).ln());
        for score in 0..5 {
            for n in [1, 2, 3, 10, 50] {
                let mut pairs = [0; 5];
                pairs[score] = n;
                let ratio = TEST.log_likelihood_ratio(&pairs);
                assert!(ratio.abs() <= most * n as f64 + 0.05, "{pairs:?}: {ratio}");
                assert_eq!(TEST.decide(&pairs), Decision::Open, "{pairs:?}");
            }
        }
    }

    /// One test of pairs drawn by chance, of engines that differ by `elo`; draws are many.
    fn simulate(test: &Sprt, elo: f64, chance: &mut ChaCha8Rng) -> Decision {
        let draw = 0.4;
        let win = expected_score(elo) - draw / 2.0;
        let mut game = || {
            let x = chance.next_u64() as f64 / u64::MAX as f64;
            if x < win { 2 } else { usize::from(x < win + draw) }
        };
        let mut pairs = [0; 5];
        for _ in 0..5_000 {
            (0..4).for_each(|_| pairs[game() + game()] += 1);
            match test.decide(&pairs) {
                Decision::Open => {}
                decision => return decision,
            }
        }
        Decision::Open
    }

    #[test]
    fn errors_are_as_rare_as_promised() {
        let test = Sprt { elo0: 0.0, elo1: 40.0, alpha: 0.05, beta: 0.1 };
        let mut chance = ChaCha8Rng::seed_from_u64(1);
        let runs = 400;
        let mut rate = |elo, wrong| {
            let wrong = (0..runs).filter(|_| simulate(&test, elo, &mut chance) == wrong).count();
            wrong as f64 / f64::from(runs)
        };
        let (false_pass, false_fail) = (rate(0.0, Decision::H1), rate(40.0, Decision::H0));
        assert!((0.01..=0.08).contains(&false_pass), "{false_pass}");
        assert!((0.03..=0.14).contains(&false_fail), "{false_fail}");
        assert!(rate(20.0, Decision::Open) < 0.01); // it always ends
        assert!(rate(-40.0, Decision::H1) < 0.01);
    }
}
