//! The window between alpha and beta.

use std::ops::Neg;

use crate::game::Bound;
use crate::search::score::Score;

/// The open interval of scores that a search has to distinguish: `alpha` is the score that the side
/// to move is sure of elsewhere, `beta` that of its opponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Window {
    pub(crate) alpha: Score,
    pub(crate) beta: Score,
}

impl Window {
    /// Every score.
    pub(crate) fn full() -> Self {
        Self { alpha: -Score::INFINITE, beta: Score::INFINITE }
    }

    /// `margin` on both sides of `score`.
    pub(crate) fn around(score: Score, margin: i32) -> Self {
        Self { alpha: score - margin, beta: score + margin }
    }

    /// The null window just above alpha: tests only whether alpha is exceeded.
    pub(crate) fn null_at_alpha(self) -> Self {
        Self { alpha: self.alpha, beta: self.alpha + 1 }
    }

    /// The null window just below beta: tests only whether beta is reached.
    pub(crate) fn null_at_beta(self) -> Self {
        Self { alpha: self.beta - 1, beta: self.beta }
    }

    /// Raises alpha to `score`; returns true if that changed anything.
    pub(crate) fn raise(&mut self, score: Score) -> bool {
        let raised = score > self.alpha;
        if raised {
            self.alpha = score;
        }
        raised
    }

    /// The part of the window between `low` and `high`.
    pub(crate) fn narrowed(self, low: Score, high: Score) -> Self {
        Self { alpha: self.alpha.max(low), beta: self.beta.min(high) }
    }

    /// Returns true if no score is left in between.
    pub(crate) fn is_empty(self) -> bool {
        self.alpha >= self.beta
    }

    /// The bound on the true value given by a score found with this window.
    pub(crate) fn bound(self, score: Score) -> Bound {
        if score >= self.beta {
            Bound::Lower
        } else if score <= self.alpha {
            Bound::Upper
        } else {
            Bound::Exact
        }
    }
}

impl Neg for Window {
    type Output = Self;
    /// The same window as the opponent sees it.
    fn neg(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_seen_from_both_sides() {
        let window = Window::around(Score::from_eval(30), 20);
        assert_eq!(-(-window), window);
        assert_eq!((-window).alpha, Score::from_eval(-50));
        assert_eq!(window.bound(Score::from_eval(10)), Bound::Upper);
        assert_eq!(window.bound(Score::from_eval(11)), Bound::Exact);
        assert_eq!(window.bound(Score::from_eval(50)), Bound::Lower);
        assert!(!window.null_at_alpha().is_empty());
        assert!(window.narrowed(Score::from_eval(60), Score::INFINITE).is_empty());
    }
}
