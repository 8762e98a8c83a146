//! The value of a position: the result or score that a source gives, its bounds, and one scale for all.

use std::fmt;
use std::ops::Neg;

use crate::game::{Bound, ScoreKind};
use crate::message::{Message, ToMessage, message};

/// The value of a position for the side to move; more is better.
///
/// | absolute value   | meaning                                                             |
/// |------------------|---------------------------------------------------------------------|
/// | 0 to 20,000      | centipawns                                                          |
/// | 24,001 to 26,000 | won by a repetition rule, as endgame tables prove: 400 for an order |
/// | 28,001 to 30,000 | mate, in 30,000 less the value plies                                |
/// | 31,000           | beyond all others: the end of a [`Bounds`] that is not known          |
///
/// # Stability
///
/// Books hold these numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(i32);

impl Value {
    /// Neither side is better.
    pub const DRAW: Self = Self(0);
    /// Better than any position.
    pub const MOST: Self = Self(Self::BEYOND);
    /// Worse than any position.
    pub const LEAST: Self = Self(-Self::BEYOND);

    const BEYOND: i32 = 31_000;
    const MATE: i32 = 30_000;
    const MATE_PLIES: i32 = 1_999;
    const BY_RULE: i32 = 26_000;
    /// The room for the distances of one order; the last of five orders covers all further ones.
    const ORDER: i32 = 400;
    const EVAL: i32 = 20_000;

    /// An evaluation, cut to the range that evaluations have.
    #[must_use]
    pub fn from_centipawns(centipawns: i32) -> Self {
        Self(centipawns.clamp(-Self::EVAL, Self::EVAL))
    }

    /// The value of a mate by the side to move in `plies` plies.
    #[must_use]
    pub fn mate_in(plies: u16) -> Self {
        Self(Self::MATE - i32::from(plies).min(Self::MATE_PLIES))
    }

    /// The value of a mate against the side to move in `plies` plies.
    #[must_use]
    pub fn mated_in(plies: u16) -> Self {
        -Self::mate_in(plies)
    }

    /// The value of a win for the side to move by a repetition rule: in round `order` (1 and up) of the rule,
    /// and in `plies` plies.
    #[must_use]
    pub fn won_by_rule(order: u16, plies: u16) -> Self {
        let round = i32::from(order.clamp(1, 5)) - 1;
        Self(Self::BY_RULE - Self::ORDER * round - i32::from(plies).min(Self::ORDER - 1))
    }

    /// From a number of the scale; `None` for others.
    #[must_use]
    pub fn from_value(value: i32) -> Option<Self> {
        let known = matches!(
            value.unsigned_abs(),
            0..=20_000 | 24_001..=26_000 | 28_001..=30_000 | 31_000
        );
        known.then_some(Self(value))
    }

    /// The number itself.
    #[must_use]
    pub const fn value(self) -> i32 {
        self.0
    }

    /// Returns true if it is a mate or a win or loss by rule, not an evaluation.
    #[must_use]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() > Self::EVAL
    }

    /// The value of the position after the best move of a position of this value, for the side to move there:
    /// a decided result is one ply nearer. The inverse of [`before`](Self::before).
    #[must_use]
    pub fn after(self) -> Self {
        let size = self.0.abs();
        let most = match size {
            0..=Self::EVAL | Self::BEYOND => return -self,
            28_001..=30_000 => Self::MATE,
            // The greatest value of the same order.
            _ => Self::BY_RULE - (Self::BY_RULE - size) / Self::ORDER * Self::ORDER,
        };
        Self(-self.0.signum() * (size + 1).min(most))
    }

    /// The value of a move that leads to a position of this value, for the side that makes the move: a
    /// decided result is one ply further away.
    #[must_use]
    pub fn before(self) -> Self {
        let size = self.0.abs();
        let least = match size {
            0..=Self::EVAL | Self::BEYOND => return -self,
            28_001..=30_000 => Self::MATE - Self::MATE_PLIES,
            // The least value of the same order.
            _ => {
                Self::BY_RULE - (Self::BY_RULE - size) / Self::ORDER * Self::ORDER - Self::ORDER + 1
            }
        };
        Self(-self.0.signum() * (size - 1).max(least))
    }
}

impl Neg for Value {
    type Output = Self;
    fn neg(self) -> Self {
        Self(-self.0)
    }
}

impl ToMessage for Value {
    fn message(&self) -> Message {
        match self.0 {
            30_001.. | ..=-30_001 => "unknown".into(),
            28_001..=30_000 => message!("mate {}", Self::MATE - self.0),
            -30_000..=-28_001 => message!("mated {}", Self::MATE + self.0),
            24_001..=28_000 => "won by rule".into(),
            -28_000..=-24_001 => "lost by rule".into(),
            centipawns => format!("{centipawns:+}").into(),
        }
    }
}

impl fmt::Display for Value {
    /// `+34` (centipawns), `mate 5` (plies), `mated 4`, `won by rule`, `lost by rule`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// The bounds of the value of a position or move, both included. A value about which nothing is known lies
/// between [`Value::LEAST`] and [`Value::MOST`].
///
/// ```
/// use juzhong::book::{Bounds, Value};
/// use juzhong::game::Bound;
///
/// let fifty = Value::from_centipawns(50);
/// let at_least = Bounds::bounded(fifty, Bound::Lower);
/// assert_eq!(at_least.low(), fifty);
/// assert!(!at_least.is_exact());
/// // For the other side it is at most as much.
/// assert_eq!((-at_least).high(), -fifty);
/// assert_eq!(Bounds::new(fifty, -fifty), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bounds {
    low: Value,
    high: Value,
}

impl Bounds {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { low: Value::LEAST, high: Value::MOST };

    /// `None` if `low` is above `high`.
    #[must_use]
    pub fn new(low: Value, high: Value) -> Option<Self> {
        (low <= high).then_some(Self { low, high })
    }

    /// Known for certain.
    #[must_use]
    pub const fn exact(value: Value) -> Self {
        Self { low: value, high: value }
    }

    /// The bounds by a stated value and its kind.
    #[must_use]
    pub const fn bounded(value: Value, bound: Bound) -> Self {
        match bound {
            Bound::Exact => Self::exact(value),
            Bound::Lower => Self { low: value, high: Value::MOST },
            Bound::Upper => Self { low: Value::LEAST, high: value },
        }
    }

    /// The lower bound.
    #[must_use]
    pub const fn low(self) -> Value {
        self.low
    }

    /// The upper bound.
    #[must_use]
    pub const fn high(self) -> Value {
        self.high
    }

    /// Returns true if both bounds are equal.
    #[must_use]
    pub fn is_exact(self) -> bool {
        self.low == self.high
    }

    /// The assured value: the lower bound, `None` if there is none. Moves are compared by it.
    #[must_use]
    pub fn assured(self) -> Option<Value> {
        (self.low > Value::LEAST).then_some(self.low)
    }

    /// [`Value::after`] of both ends.
    #[must_use]
    pub fn after(self) -> Self {
        // For the other side the ends change places.
        Self { low: self.high.after(), high: self.low.after() }
    }

    /// [`Value::before`] of both ends.
    #[must_use]
    pub fn before(self) -> Self {
        Self { low: self.high.before(), high: self.low.before() }
    }
}

impl Neg for Bounds {
    type Output = Self;
    /// As seen from the other side.
    fn neg(self) -> Self {
        Self { low: -self.high, high: -self.low }
    }
}

impl fmt::Display for Bounds {
    /// `+34`, `>= +34`, `<= +34`, `+12 to +34` or `unknown`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.low > Value::LEAST, self.high < Value::MOST) {
            _ if self.is_exact() => write!(f, "{}", self.low),
            (true, true) => write!(f, "{} to {}", self.low, self.high),
            (true, false) => write!(f, ">= {}", self.low),
            (false, true) => write!(f, "<= {}", self.high),
            (false, false) => f.write_str("unknown"),
        }
    }
}

/// The score or result that a source gives for a position, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SourceScore {
    /// An evaluation.
    Centipawns(i32),
    /// The side to move mates in this number of plies.
    MateIn(u16),
    /// The side to move is mated in this number of plies.
    MatedIn(u16),
    /// A tablebase proves a win: in round `order` of the repetition rule (0 if none is needed), in `distance`
    /// plies.
    TableWin {
        /// Round of the repetition rule.
        order: u16,
        /// Plies.
        distance: u16,
    },
    /// A tablebase proves a draw.
    TableDraw,
    /// A tablebase proves a loss.
    TableLoss {
        /// Round of the repetition rule.
        order: u16,
        /// Plies.
        distance: u16,
    },
}

/// A win by tablebase that is no proof, less its plies.
const WON: i32 = 20_000;

impl From<ScoreKind> for SourceScore {
    /// An engine's score. A tablebase win that its search reaches later is no proof for the position itself: it
    /// counts as the greatest evaluation.
    fn from(score: ScoreKind) -> Self {
        match score {
            ScoreKind::Centipawns(centipawns) => Self::Centipawns(centipawns),
            ScoreKind::MateIn(n) => Self::MateIn(short_plies(n)),
            ScoreKind::MatedIn(n) => Self::MatedIn(short_plies(n)),
            ScoreKind::TableWin(n) => Self::Centipawns(WON - i32::from(short_plies(n))),
            ScoreKind::TableLoss(n) => Self::Centipawns(i32::from(short_plies(n)) - WON),
        }
    }
}

/// A number of plies as far as 16 bits go.
fn short_plies(plies: u32) -> u16 {
    u16::try_from(plies).unwrap_or(u16::MAX)
}

impl SourceScore {
    /// On the common scale.
    #[must_use]
    pub fn value(self) -> Value {
        match self {
            Self::Centipawns(centipawns) => Value::from_centipawns(centipawns),
            Self::MateIn(plies) | Self::TableWin { order: 0, distance: plies } => {
                Value::mate_in(plies)
            }
            Self::MatedIn(plies) | Self::TableLoss { order: 0, distance: plies } => {
                Value::mated_in(plies)
            }
            Self::TableWin { order, distance } => Value::won_by_rule(order, distance),
            Self::TableLoss { order, distance } => -Value::won_by_rule(order, distance),
            Self::TableDraw => Value::DRAW,
        }
    }

    /// Returns true if it is a proven result under the tablebase's rules, not an engine's opinion.
    #[must_use]
    pub const fn is_proof(self) -> bool {
        matches!(self, Self::TableWin { .. } | Self::TableDraw | Self::TableLoss { .. })
    }

    /// The corresponding value of the move that leads to the position, for the side that makes it.
    #[must_use]
    pub const fn before(self) -> Self {
        match self {
            Self::Centipawns(centipawns) => Self::Centipawns(centipawns.saturating_neg()),
            Self::MateIn(plies) => Self::MatedIn(plies.saturating_add(1)),
            Self::MatedIn(plies) => Self::MateIn(plies.saturating_add(1)),
            Self::TableWin { order, distance } => {
                Self::TableLoss { order, distance: distance.saturating_add(1) }
            }
            Self::TableLoss { order, distance } => {
                Self::TableWin { order, distance: distance.saturating_add(1) }
            }
            Self::TableDraw => Self::TableDraw,
        }
    }

    /// The columns `kind` and `value` of a score in the book; see `FORMAT.md`.
    pub(crate) const fn columns(self) -> (i64, i64) {
        const fn table(order: u16, distance: u16) -> i64 {
            (order as i64) << 16 | distance as i64
        }
        match self {
            Self::Centipawns(centipawns) => (0, centipawns as i64),
            Self::MateIn(plies) => (1, plies as i64),
            Self::MatedIn(plies) => (2, plies as i64),
            Self::TableWin { order, distance } => (3, table(order, distance)),
            Self::TableDraw => (4, 0),
            Self::TableLoss { order, distance } => (5, table(order, distance)),
        }
    }

    /// The inverse of [`columns`](Self::columns); `None` for values that it never gives.
    pub(crate) fn from_columns(kind: i64, value: i64) -> Option<Self> {
        let distance = (value & 0xFFFF) as u16;
        Some(match kind {
            0 => Self::Centipawns(i32::try_from(value).ok()?),
            1 => Self::MateIn(u16::try_from(value).ok()?),
            2 => Self::MatedIn(u16::try_from(value).ok()?),
            3 => Self::TableWin { order: u16::try_from(value >> 16).ok()?, distance },
            4 if value == 0 => Self::TableDraw,
            5 => Self::TableLoss { order: u16::try_from(value >> 16).ok()?, distance },
            _ => return None,
        })
    }
}

impl ToMessage for SourceScore {
    fn message(&self) -> Message {
        match self {
            Self::TableDraw => "table draw".into(),
            Self::TableWin { order: 0, distance } => message!("table win in {distance}"),
            Self::TableLoss { order: 0, distance } => message!("table loss in {distance}"),
            Self::TableWin { order, distance } => {
                message!("table win by rule, order {order}, in {distance}")
            }
            Self::TableLoss { order, distance } => {
                message!("table loss by rule, order {order}, in {distance}")
            }
            _ => self.value().message(),
        }
    }
}

impl fmt::Display for SourceScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message().fmt(f)
    }
}

/// A source's answer for a position, for the side to move, and the effort behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evaluation<M> {
    /// The score, or the result that is proven.
    pub score: SourceScore,
    /// The kind of bound that it is.
    pub bound: Bound,
    /// Plies searched; 0 from a tablebase.
    pub depth: u32,
    /// Positions searched; 0 from a tablebase, or if not known.
    pub nodes: u64,
    /// The move that the source would play, if it names one.
    pub best: Option<M>,
}

impl<M> Evaluation<M> {
    /// The answer of a tablebase.
    pub const fn proof(score: SourceScore, best: Option<M>) -> Self {
        Self { score, bound: Bound::Exact, depth: 0, nodes: 0, best }
    }

    /// The bounds of the position's value.
    #[must_use]
    pub fn span(&self) -> Bounds {
        Bounds::bounded(self.score.value(), self.bound)
    }

    /// With the move put another way.
    pub fn map<N>(self, map: impl FnOnce(M) -> N) -> Evaluation<N> {
        let Self { score, bound, depth, nodes, best } = self;
        Evaluation { score, bound, depth, nodes, best: best.map(map) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn any_finding() -> impl Strategy<Value = SourceScore> {
        prop_oneof![
            any::<i32>().prop_map(SourceScore::Centipawns),
            any::<u16>().prop_map(SourceScore::MateIn),
            any::<u16>().prop_map(SourceScore::MatedIn),
            any::<(u16, u16)>()
                .prop_map(|(order, distance)| SourceScore::TableWin { order, distance }),
            Just(SourceScore::TableDraw),
            any::<(u16, u16)>()
                .prop_map(|(order, distance)| SourceScore::TableLoss { order, distance }),
        ]
    }

    proptest! {
        #[test]
        fn columns_round_trip(score in any_finding()) {
            let (kind, value) = score.columns();
            prop_assert_eq!(SourceScore::from_columns(kind, value), Some(score));
            prop_assert_eq!(Value::from_value(score.value().value()), Some(score.value()));
        }

        #[test]
        fn a_ply_earlier_is_nearer_to_a_draw(a in any_finding(), b in any_finding()) {
            let (a, b) = (a.value(), b.value());
            prop_assert!(a.before().value().abs() <= a.value().abs());
            prop_assert!(a.before().value().signum() == -a.value().signum());
            prop_assert!(Value::from_value(a.before().value()).is_some());
            // The order of positions is the opposite order of moves that lead to them.
            prop_assert!(a > b || a.before() >= b.before());
        }

        #[test]
        fn garbage_columns_never_panic(kind in -1..7i64, value: i64) {
            if let Some(score) = SourceScore::from_columns(kind, value) {
                prop_assert_eq!(score.columns(), (kind, value));
            }
        }
    }

    #[test]
    fn the_order_is_that_of_preference() {
        let best_first = [
            Value::mate_in(1),
            Value::mate_in(300),
            Value::won_by_rule(1, 4),
            Value::won_by_rule(1, 500),
            Value::won_by_rule(2, 0),
            Value::won_by_rule(9, 9),
            Value::from_centipawns(1_000_000),
            Value::from_centipawns(1),
            Value::DRAW,
            -Value::won_by_rule(3, 0),
            Value::mated_in(2),
            Value::mated_in(0),
            Value::LEAST,
        ];
        assert!(best_first.is_sorted_by(|a, b| a > b));
        assert_eq!(Value::mated_in(4).before(), Value::mate_in(5));
        assert_eq!(Value::won_by_rule(1, 399).before(), -Value::won_by_rule(1, 399));
        assert_eq!(Value::won_by_rule(2, 0).before(), -Value::won_by_rule(2, 1));
        assert_eq!(SourceScore::MatedIn(4).before().value(), Value::mate_in(5));
    }

    #[test]
    fn spans_say_what_is_known() {
        let at = Value::from_centipawns;
        let lower = Bounds::bounded(at(34), Bound::Lower);
        assert_eq!(lower.assured(), Some(at(34)));
        assert_eq!(lower.before(), Bounds::bounded(at(-34), Bound::Upper));
        assert_eq!(lower.before().assured(), None);
        assert_eq!(lower.before().before(), lower);
        assert_eq!(Bounds::UNKNOWN.before(), Bounds::UNKNOWN);
        assert_eq!(Bounds::new(at(2), at(1)), None);
        let texts = [lower, -lower, Bounds::exact(at(-5)), Bounds::UNKNOWN].map(|s| s.to_string());
        assert_eq!(texts, [">= +34", "<= -34", "-5", "unknown"]);
        assert_eq!(Bounds::exact(Value::mated_in(0)).before(), Bounds::exact(Value::mate_in(1)));
        assert_eq!(Value::mate_in(5).to_string(), "mate 5");
    }

    #[test]
    fn after_a_move_what_is_decided_is_nearer() {
        let all = (-31_000..=31_000).filter_map(Value::from_value);
        for value in all.filter(|value| !matches!(value.value().abs(), 30_000)) {
            let size = value.value().abs();
            let is_first = (24_400..=26_000).contains(&size) && size % 400 == 0;
            if !is_first {
                assert_eq!(value.after().before(), value, "{}", value.value());
            }
        }
        assert_eq!(Value::mate_in(5).after(), Value::mated_in(4));
        assert_eq!(Value::won_by_rule(2, 7).after(), -Value::won_by_rule(2, 6));
    }
}
