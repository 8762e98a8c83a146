//! The limit of moves (60-move rule): a game is drawn after 120 plies without a capture. Under some rule sets checks of
//! a side beyond the tenth do not count.

use crate::game::{BySide, Horizon, Line};
use crate::xiangqi::position::Position;
use crate::xiangqi::rule_set::RuleSet;

/// Plies without a capture after which a game is drawn: 60 moves of each side.
pub const MOVE_LIMIT: u32 = 120;

/// Checks of one side that count towards [`MOVE_LIMIT`] where later ones do not.
pub const COUNTED_CHECKS: u32 = 10;

/// Plies that count, up to which search does not distinguish positions by them. The plies then left
/// to the limit are more than most searches look ahead.
pub(crate) const FAR_FROM_LIMIT: u32 = 70;

/// Plies of a clock that count towards the limit of moves. Under rules that discount checks, those
/// beyond the tenth of a side do not.
pub(crate) fn counted_plies(clock: u32, checks: BySide<u32>, rules: RuleSet) -> u32 {
    let discounted = if discounts_checks(rules) {
        checks.first.saturating_sub(COUNTED_CHECKS) + checks.second.saturating_sub(COUNTED_CHECKS)
    } else {
        0
    };
    clock.saturating_sub(discounted)
}

/// Returns true if checks of a side beyond the tenth do not count towards [`MOVE_LIMIT`].
#[must_use]
pub const fn discounts_checks(rules: RuleSet) -> bool {
    matches!(rules, RuleSet::Asian | RuleSet::Computer)
}

/// Returns true if the moves since the last capture reach the limit.
pub(crate) fn is_over_limit(line: &Line<Position>, rules: RuleSet) -> bool {
    rules != RuleSet::None
        // What counts is never more than the clock: most positions are done here, without a count of
        // checks.
        && line.clock() >= MOVE_LIMIT
        && counted_plies(line.clock(), line.checks(), rules) >= MOVE_LIMIT
}

/// The start of the moves on which a draw by the limit depends before it is due: after the last
/// capture, unless the search began where [`Adjudicate::stage`](crate::game::Adjudicate::stage) covers the rest.
pub(crate) fn limit_hangs_from(
    line: &Line<Position>,
    rules: RuleSet,
    horizon: Horizon,
) -> Option<usize> {
    let start = line.len().saturating_sub(line.clock() as usize);
    if let Horizon::Search { root } = horizon
        && start <= root
        && let Some((clock, checks)) = line.late_count_at(root)
        && counted_plies(clock, checks, rules) > FAR_FROM_LIMIT
    {
        return None;
    }
    Some(start)
}

/// Plies that can still be made without a capture before their number draws the game, checks that do
/// not count left out; `u32::MAX` under rules without such a limit.
#[must_use]
pub fn plies_left(line: &Line<Position>, rules: RuleSet) -> u32 {
    if rules == RuleSet::None {
        return u32::MAX;
    }
    MOVE_LIMIT.saturating_sub(counted_plies(line.clock(), line.checks(), rules))
}
