//! The clock of a position: plies without a capture that are played already, and what they do to a value of the tables
//! under the limit of such plies.

use serde::Serialize;

use crate::game::{Line, Side};
use crate::tablebase::{Entry, Metric, Rules, Tables, Wdl};
use crate::xiangqi::Position;
use crate::xiangqi::move_limit::MOVE_LIMIT;

/// Plies in which a loop that has not begun yet can come to a verdict at the earliest: twice around the shortest.
const LOOP_PLIES: u32 = 8;

/// The effect of the limit on a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The position is drawn anyway.
    None,
    /// Mate comes before the limit, or, by tables that know the limit, all captures on the way to it do.
    InTime,
    /// The next capture comes before the limit; whether those after it do the tables do not say.
    NextInTime,
    /// The limit comes before the result, so that the game is drawn.
    Prevented,
    /// The same, unless a repetition decides before the limit.
    LateUnlessLoop,
    /// The limit comes before mate; an earlier capture may put it off.
    LateUnlessCapture,
}

impl Effect {
    /// Returns true if the limit comes before the result, as far as is known.
    #[must_use]
    pub const fn is_late(self) -> bool {
        matches!(self, Self::Prevented | Self::LateUnlessLoop | Self::LateUnlessCapture)
    }

    /// Its name in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::InTime => "in_time",
            Self::NextInTime => "next_capture_in_time",
            Self::Prevented => "prevented",
            Self::LateUnlessLoop => "prevented_unless_repetition",
            Self::LateUnlessCapture => "prevented_unless_capture",
        }
    }
}

/// The clock of a position, and what tables count.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    /// Plies without a capture before the position.
    plies: u32,
    /// The number of them that draws.
    limit: u32,
    metric: Metric,
    rules: Rules,
    /// A loop may have begun before the position.
    has_past: bool,
    /// The loser has a king alone against one other piece and a king, so that no capture puts the limit off.
    is_bare: bool,
}

/// Plies without a capture that are played, the limit at which they draw, those left, and what that does to the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schemas", derive(schemars::JsonSchema), schemars(rename = "Clock"))]
pub struct ClockAnswer {
    /// Plies without a capture before the position.
    pub plies: u32,
    /// The number of them that draws.
    pub limit: u32,
    /// Plies before the limit.
    pub left: u32,
    /// The effect on the value of the position, by its [`Effect::name`].
    #[cfg_attr(
        feature = "schemas",
        schemars(
            description = "The effect on the value of the position.",
            extend("enum" = [
                "none", "in_time", "next_capture_in_time", "prevented",
                "prevented_unless_repetition", "prevented_unless_capture"
            ])
        )
    )]
    pub effect: &'static str,
}

impl Clock {
    /// The clock at the end of a line.
    #[must_use]
    pub fn of(line: &Line<Position>, tables: &Tables) -> Self {
        let men: u32 = Side::ALL.map(|side| line.position().side(side).len()).iter().sum();
        Self {
            plies: line.clock(),
            limit: tables.metric().limit().map_or(MOVE_LIMIT, u32::from),
            metric: tables.metric(),
            rules: tables.rules(),
            has_past: !line.is_empty(),
            is_bare: men <= 3,
        }
    }

    /// The rules of the tables.
    #[must_use]
    pub const fn rules(&self) -> Rules {
        self.rules
    }

    /// The metric of the tables.
    #[must_use]
    pub const fn metric(&self) -> Metric {
        self.metric
    }

    /// Plies without a capture before the position.
    #[must_use]
    pub const fn plies(&self) -> u32 {
        self.plies
    }

    /// The number of plies without a capture that draws.
    #[must_use]
    pub const fn limit(&self) -> u32 {
        self.limit
    }

    /// Plies before the limit.
    #[must_use]
    pub const fn left(&self) -> u32 {
        self.limit.saturating_sub(self.plies)
    }

    /// Returns true if the clock says anything that the position alone does not.
    #[must_use]
    pub const fn counts(&self) -> bool {
        self.plies > 0
    }

    /// The effect on a value of the position, or of a move from it, which may be a capture.
    #[must_use]
    pub fn effect(&self, entry: Entry, by_capture: bool) -> Effect {
        let distance = u32::from(entry.distance);
        // After a capture the whole limit is left, and the capture is a ply of the distance itself.
        let left = if by_capture { self.limit + 1 } else { self.left() };
        let is_late = distance > left;
        let is_reached = self.left() == 0 && distance > 0;
        match (entry.wdl, self.metric) {
            (Wdl::Draw, _) => Effect::None,
            _ if is_reached => Effect::Prevented,
            _ if is_late && entry.order > 0 => Effect::LateUnlessLoop,
            // A loop that is entered has yet to be gone around.
            _ if entry.order > 0 && self.metric.limit().is_none() => Effect::NextInTime,
            (_, Metric::Dtm) if is_late && !self.is_bare => Effect::LateUnlessCapture,
            _ if is_late
                && (self.rules == Rules::None || self.left() < LOOP_PLIES && !self.has_past) =>
            {
                Effect::Prevented
            }
            _ if is_late => Effect::LateUnlessLoop,
            (_, Metric::Dtc) if distance > 0 => Effect::NextInTime,
            _ => Effect::InTime,
        }
    }

    /// The clock with its effect on the value of the position, whose best move may be a capture.
    #[must_use]
    pub fn answer(&self, entry: Entry, by_capture: bool) -> ClockAnswer {
        let effect = self.effect(entry, by_capture).name();
        ClockAnswer { plies: self.plies, limit: self.limit, left: self.left(), effect }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(plies: u32, metric: Metric, rules: Rules, is_bare: bool) -> Clock {
        let limit = metric.limit().map_or(MOVE_LIMIT, u32::from);
        Clock { plies, limit, metric, rules, has_past: false, is_bare }
    }

    #[test]
    fn results_after_the_limit_are_prevented() {
        let (dtm, dtc, dtc120) = (Metric::Dtm, Metric::Dtc, Metric::within(120).unwrap());
        for (plies, metric, rules, is_bare, entry, effect) in [
            (0, dtm, Rules::Asian, false, Entry::win(0, 25), Effect::InTime),
            (95, dtm, Rules::Asian, false, Entry::win(0, 25), Effect::InTime),
            (96, dtm, Rules::Asian, false, Entry::win(0, 25), Effect::LateUnlessCapture),
            (96, dtm, Rules::Asian, true, Entry::win(0, 25), Effect::LateUnlessLoop),
            (115, dtm, Rules::Asian, true, Entry::win(0, 25), Effect::Prevented),
            (96, dtm, Rules::None, true, Entry::loss(0, 26), Effect::Prevented),
            (120, dtm, Rules::Asian, false, Entry::win(0, 1), Effect::Prevented),
            (500, dtm, Rules::Asian, false, Entry::loss(0, 0), Effect::InTime),
            (119, dtm, Rules::Asian, false, Entry::win(0, 1), Effect::InTime),
            (119, dtc, Rules::None, false, Entry::win(0, 1), Effect::NextInTime),
            (119, dtc, Rules::None, false, Entry::win(0, 2), Effect::Prevented),
            (100, dtc, Rules::Check, false, Entry::win(0, 21), Effect::LateUnlessLoop),
            (100, dtc120, Rules::None, false, Entry::win(0, 20), Effect::InTime),
            (100, dtc120, Rules::None, false, Entry::win(0, 21), Effect::Prevented),
            (100, dtc120, Rules::Asian, false, Entry::win(2, 5), Effect::InTime),
            (100, dtm, Rules::Asian, false, Entry::win(2, 5), Effect::NextInTime),
            (100, dtm, Rules::Asian, false, Entry::DRAW, Effect::None),
        ] {
            let found = clock(plies, metric, rules, is_bare).effect(entry, false);
            assert_eq!(found, effect, "{plies} {metric} {rules} {entry:?}");
        }
        // A capture sets the count back.
        let late = clock(119, dtm, Rules::Asian, false);
        assert_eq!(late.effect(Entry::win(0, 25), true), Effect::InTime);
        assert_eq!(late.effect(Entry::win(0, 125), true), Effect::LateUnlessCapture);
    }
}
