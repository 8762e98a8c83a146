//! From the `INFO` lines of a manager to the limits of a search.

use std::time::Duration;

use crate::engine::clock::{self, Allowance, Clock};
use crate::search::{Limits, MAX_HASH_MIB};

/// The time for a move where it should be made as fast as possible.
const FASTEST: Duration = Duration::from_millis(10);
/// The longest time that is kept: a day.
const LONGEST: u64 = 86_400_000;
/// The time left that means no limit.
const UNLIMITED: i64 = i32::MAX as i64;
/// The limits of time and depth that a manager has set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Limiting {
    /// Milliseconds for a move; 0 for as fast as possible.
    turn: u64,
    /// Milliseconds for a game; `None` without a limit.
    game: Option<u64>,
    /// Milliseconds left in the game; `None` without a limit.
    left: Option<i64>,
    /// Milliseconds that every move adds to the time for the game.
    increment: u64,
    depth: Option<u32>,
    nodes: Option<u64>,
}

impl Default for Limiting {
    /// As managers that say nothing mean it: half a minute for a move.
    fn default() -> Self {
        Self { turn: 30_000, game: None, left: None, increment: 0, depth: None, nodes: None }
    }
}

/// The effect of an `INFO` line on the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum InfoEffect {
    /// They are as it says.
    Set,
    /// It is about something else.
    Other,
    /// Its value is no number.
    Bad,
}

impl Limiting {
    /// Reads an `INFO` line.
    pub(crate) fn read_info(&mut self, key: &str, value: &str) -> InfoEffect {
        let is_limit = matches!(key, "timeout_turn" | "timeout_match" | "time_left")
            || matches!(key, "time_increment" | "max_depth" | "max_node");
        if !is_limit {
            return InfoEffect::Other;
        }
        // A number that is too large is as good as the largest one.
        let Some(number) = number(value) else { return InfoEffect::Bad };
        let positive = u64::try_from(number).unwrap_or(0);
        match key {
            "timeout_turn" => self.turn = positive.min(LONGEST),
            "timeout_match" => {
                self.game = Some(positive).filter(|&time| time > 0);
                self.left = None;
            }
            "time_left" => self.left = Some(number).filter(|&time| time < UNLIMITED),
            "time_increment" => self.increment = positive.min(LONGEST),
            "max_depth" => {
                let depth = u32::try_from(positive).unwrap_or(u32::MAX);
                self.depth = Some(depth).filter(|&depth| depth > 0);
            }
            _ => self.nodes = Some(positive).filter(|&nodes| nodes > 0),
        }
        InfoEffect::Set
    }

    /// The largest transposition table in MiB that fits the time for a move: its memory is claimed on the clock of
    /// the first one, for managers ask for that at once, and slow machines need a hundredth of a second for a MiB.
    pub(crate) fn most_hash(&self) -> usize {
        usize::try_from(self.turn / 20).unwrap_or(MAX_HASH_MIB).clamp(4, MAX_HASH_MIB)
    }

    /// A game begins.
    pub(crate) const fn new_game(&mut self) {
        self.left = None;
    }

    /// A search has taken this time: where the manager does not say what is left, it is counted here.
    pub(crate) fn spend(&mut self, time: Duration) {
        let spent = i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
        let all = self.game.map(|game| i64::try_from(game).unwrap_or(i64::MAX));
        self.left = self.left.or(all).map(|left| left.saturating_sub(spent));
    }

    /// The limits of a search that is one of `shares` equal parts of the work on a move, of whose time a part is
    /// `spent`.
    pub(crate) fn limits_after(&self, shares: u32, spent: Duration) -> Limits {
        let all = self.limits(1).after(spent);
        let share = self.limits(shares);
        Limits {
            soft_time: all.soft_time.min(share.soft_time),
            hard_time: all.hard_time.min(share.hard_time),
            ..share
        }
    }

    /// The limits of a search for one move, one of `shares` equal parts of it.
    fn limits(&self, shares: u32) -> Limits {
        let turn = match self.turn {
            0 => Allowance { soft: None, hard: FASTEST },
            turn => clock::fixed(Duration::from_millis(turn)),
        };
        let game = self.game.map(|game| i64::try_from(game).unwrap_or(i64::MAX));
        let game = self.left.or(game).map(|left| {
            let left = u64::try_from(left).unwrap_or(0).min(LONGEST);
            let remaining = Duration::from_millis(left);
            let increment = Duration::from_millis(self.increment);
            Clock { remaining, increment, moves_to_go: None }.allowance()
        });
        let hard = game.map_or(turn.hard, |game| game.hard.min(turn.hard));
        let soft = game.and_then(|game| game.soft).map(|soft| soft.min(hard));
        let shares = shares.max(1);
        Limits {
            depth: self.depth,
            nodes: self.nodes,
            soft_time: soft.map(|soft| soft / shares),
            hard_time: Some(hard / shares),
        }
    }
}

/// A whole number; one that is too large counts as the largest.
pub(crate) fn number(text: &str) -> Option<i64> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse().unwrap_or(i64::MAX);
    Some(if negative { -number } else { number })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(lines: &[(&str, &str)]) -> Limits {
        let mut limiting = Limiting::default();
        for (key, value) in lines {
            assert_eq!(limiting.read_info(key, value), InfoEffect::Set, "{key}");
        }
        limiting.limits(1)
    }

    fn hard(lines: &[(&str, &str)]) -> u64 {
        limits(lines).hard_time.unwrap().as_millis() as u64
    }

    fn soft(lines: &[(&str, &str)]) -> Duration {
        limits(lines).soft_time.unwrap()
    }

    #[test]
    fn a_turn_takes_nearly_all_its_time() {
        assert_eq!(hard(&[]), 29_970);
        assert_eq!(hard(&[("timeout_turn", "200")]), 170);
        assert_eq!(hard(&[("timeout_turn", "0")]), 10);
        assert_eq!(hard(&[("timeout_turn", "-5")]), 10);
        assert_eq!(hard(&[("timeout_turn", "1")]), 1);
        assert!(hard(&[("timeout_turn", "99999999999999999999")]) <= LONGEST);
        assert!(limits(&[("timeout_turn", "200")]).soft_time.is_none());
    }

    #[test]
    fn the_time_of_the_game_is_kept() {
        let turn = ("timeout_turn", "5000");
        let unlimited = ("time_left", "2147483647");
        assert_eq!(hard(&[turn, ("timeout_match", "0"), unlimited]), 4_970);
        let game = [turn, ("timeout_match", "100000")];
        assert!(soft(&game) < Duration::from_secs(4));
        for left in ["1000", "100", "1", "0", "-500"] {
            let hard = hard(&[turn, game[1], ("time_left", left)]);
            assert!(hard <= left.parse::<u64>().unwrap_or(0).max(1), "{left}: {hard}");
        }
        let mut limiting = Limiting::default();
        limiting.read_info("timeout_match", "1000");
        limiting.spend(Duration::from_millis(900));
        assert!(limiting.limits(1).hard_time.unwrap() <= Duration::from_millis(100));
        limiting.new_game();
        assert!(limiting.limits(1).hard_time.unwrap() > Duration::from_millis(100));
        let increment = ("time_increment", "500");
        assert!(soft(&[turn, game[1], increment]) > soft(&[turn, game[1]]));
        assert!(hard(&[turn, game[1], increment, ("time_left", "100")]) <= 100);
    }

    #[test]
    fn depth_and_nodes_are_limits_where_they_are_set() {
        let limits = limits(&[("max_depth", "7"), ("max_node", "1000")]);
        assert_eq!((limits.depth, limits.nodes), (Some(7), Some(1000)));
        let mut limiting = Limiting::default();
        assert_eq!(limiting.read_info("max_depth", "deep"), InfoEffect::Bad);
        assert_eq!(limiting.read_info("game_type", "1"), InfoEffect::Other);
        assert_eq!(limiting.most_hash(), 1500);
        limiting.read_info("timeout_turn", "200");
        assert_eq!(limiting.most_hash(), 10);
        limiting.read_info("max_node", "0");
        assert_eq!(limiting.limits(1).nodes, None);
    }

    #[test]
    fn numbers_have_a_sign_at_most() {
        assert_eq!(["-5", "+7", "", "-", "1x"].map(number), [Some(-5), Some(7), None, None, None]);
    }
}
