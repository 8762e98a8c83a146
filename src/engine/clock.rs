//! Time allowances for a move: from a player's clock to a time to stop at a good moment and a time
//! to stop in any case.

use std::time::Duration;

/// A player's clock before a move.
///
/// ```
/// use std::time::Duration;
///
/// use juzhong::engine::clock::Clock;
///
/// let seconds = Duration::from_secs;
/// let clock = Clock { remaining: seconds(60), increment: seconds(1), moves_to_go: None };
/// let allowance = clock.allowance();
/// assert!(allowance.soft.unwrap() <= allowance.hard);
/// assert!(allowance.hard < clock.remaining);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    /// Time left.
    pub remaining: Duration,
    /// Added after every move.
    pub increment: Duration,
    /// Moves to the next time control; `None` where the time is for the whole game.
    pub moves_to_go: Option<u32>,
}

/// The time that one move may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// About when the search ends: earlier where the best move is settled, later where it changes or
    /// its score falls; `None` where time that is left over is of no use.
    pub soft: Option<Duration>,
    /// Stop in any case.
    pub hard: Duration,
}

/// Time that answering itself may cost: subtracted from every allowance.
pub const OVERHEAD: Duration = Duration::from_millis(30);

/// The shortest allowance, for a clock that has run out.
const LEAST: Duration = Duration::from_millis(1);

/// Moves that a game without a further time control is expected to last from any point on.
const EXPECTED_MOVES: u32 = 30;

/// The part of a move's even share after which no iteration begins, in percent: the last one uses
/// the rest.
const SOFT_PERCENT: u32 = 90;

/// Number of even shares that a hard move may use.
const HARD_SHARES: u32 = 6;

/// The share of the remaining time that one move may use at most, as a divisor.
const LARGEST_SHARE: u32 = 4;

impl Clock {
    /// An even share of the time and most of the increment, up to six times as much for a hard
    /// move, and never so much that the flag falls. The search itself divides the soft allowance
    /// between easy and hard moves.
    #[must_use]
    pub fn allowance(&self) -> Allowance {
        let usable = self.remaining.saturating_sub(OVERHEAD).max(LEAST);
        let moves = self.moves_to_go.map_or(EXPECTED_MOVES, |n| n.clamp(1, EXPECTED_MOVES));
        let share = usable / moves + self.increment.min(usable) * 3 / 4;
        let most = if moves == 1 { usable * 9 / 10 } else { usable / LARGEST_SHARE };
        let hard = (share * HARD_SHARES).min(most.max(self.increment.min(usable) / 2)).max(LEAST);
        let soft = share.mul_f64(f64::from(SOFT_PERCENT) / 100.0);
        Allowance { soft: Some(soft.clamp(LEAST, hard)), hard }
    }
}

/// The allowance where the time per move is fixed: all of it less the overhead.
#[must_use]
pub fn fixed(time: Duration) -> Allowance {
    let hard = time.saturating_sub(OVERHEAD.min(time / 2)).max(LEAST);
    Allowance { soft: None, hard }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn never_lets_the_flag_fall(left in 0_u64..100_000_000, inc in 0_u64..1_000_000, togo in proptest::option::of(0_u32..1000)) {
            let remaining = Duration::from_millis(left);
            let clock = Clock { remaining, increment: Duration::from_millis(inc), moves_to_go: togo };
            let Allowance { soft, hard } = clock.allowance();
            prop_assert!(soft.is_some_and(|soft| soft <= hard));
            prop_assert!(hard <= remaining.max(LEAST));
        }
    }

    #[test]
    fn a_long_game_gets_about_a_fortieth() {
        let clock = Clock {
            remaining: Duration::from_secs(600),
            increment: Duration::ZERO,
            moves_to_go: None,
        };
        let Allowance { soft, hard } = clock.allowance();
        let soft = soft.unwrap();
        assert!(soft > Duration::from_secs(5) && soft < Duration::from_secs(20));
        assert!(hard < Duration::from_secs(150));
    }

    #[test]
    fn the_last_move_before_the_control_may_use_most_of_it() {
        let remaining = Duration::from_secs(10);
        let clock = Clock { remaining, increment: Duration::ZERO, moves_to_go: Some(1) };
        assert!(clock.allowance().hard > Duration::from_secs(8));
        assert!(clock.allowance().hard < remaining);
    }

    #[test]
    fn a_fixed_time_is_used_in_full() {
        let Allowance { soft, hard } = fixed(Duration::from_secs(2));
        assert_eq!((soft, hard), (None, Duration::from_secs(2) - OVERHEAD));
        assert_eq!(fixed(Duration::ZERO).hard, LEAST);
    }

    #[test]
    fn huge_values_do_not_overflow() {
        let clock = Clock {
            remaining: Duration::from_millis(u64::MAX / 1000),
            increment: Duration::from_millis(u64::MAX / 1000),
            moves_to_go: Some(0),
        };
        assert!(clock.allowance().soft.unwrap() <= clock.allowance().hard);
    }
}
