//! Values of positions, and their two parameters: the rules and the metric.

use std::cmp::Ordering;
use std::fmt;
use std::num::NonZero;
use std::str::FromStr;

/// Win, draw or loss for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wdl {
    /// The side to move loses.
    Loss,
    /// Neither side can win.
    Draw,
    /// The side to move wins.
    Win,
}

impl Wdl {
    /// `win`, `draw` or `loss`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Loss => "loss",
            Self::Draw => "draw",
            Self::Win => "win",
        }
    }
}

impl std::ops::Neg for Wdl {
    type Output = Self;
    /// The same result from the other side's point of view.
    fn neg(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

/// The value of a position in a table, for the side to move.
///
/// The order of entries is the order of preference: quick wins of low order first, then slower
/// ones, draws, then losses, the longest resistance first among them.
///
/// ```
/// use juzhong::tablebase::{Entry, Wdl};
///
/// // Quick wins before slow ones, those before draws, and long resistance before a quick loss.
/// assert!(Entry::win(0, 5) > Entry::win(0, 7) && Entry::win(0, 7) > Entry::DRAW);
/// assert!(Entry::loss(0, 8) > Entry::loss(0, 2));
/// // A move into a position that is lost in 4 plies wins in 5.
/// assert_eq!(Entry::loss(0, 4).before(), Entry::win(0, 5));
/// assert_eq!(-Wdl::Win, Wdl::Loss);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Entry {
    /// Win, draw or loss.
    pub wdl: Wdl,
    /// The round of the repetition rule that decides; 0 if none is needed, and for draws.
    pub order: u16,
    /// Plies to the end of the metric (order 0), or to the deciding loop or, with [`Metric::Dtc`], a
    /// capture before it (order 1 and up); 0 for draws.
    pub distance: u16,
}

impl Entry {
    /// A draw.
    pub const DRAW: Self = Self { wdl: Wdl::Draw, order: 0, distance: 0 };

    /// A win of `order` in `distance` plies.
    #[must_use]
    pub const fn win(order: u16, distance: u16) -> Self {
        Self { wdl: Wdl::Win, order, distance }
    }

    /// A loss of `order` in `distance` plies.
    #[must_use]
    pub const fn loss(order: u16, distance: u16) -> Self {
        Self { wdl: Wdl::Loss, order, distance }
    }

    /// The value of a move that leads to a position of this value: the other side's point of view,
    /// one ply later.
    #[must_use]
    pub const fn before(self) -> Self {
        match self.wdl {
            Wdl::Draw => self,
            Wdl::Win => Self::loss(self.order, self.distance.saturating_add(1)),
            Wdl::Loss => Self::win(self.order, self.distance.saturating_add(1)),
        }
    }

    /// Returns true for wins by rule from which one move leads into the deciding loop, or stays in it.
    /// Their distance is 1, though that after the move is not 0.
    pub(crate) fn is_in_loop(self) -> bool {
        self.wdl == Wdl::Win && self.order > 0 && self.distance == 1
    }

    fn rank(self) -> (u16, u16) {
        (self.order, self.distance)
    }
}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    /// Greater is better for the side to move.
    fn cmp(&self, other: &Self) -> Ordering {
        self.wdl.cmp(&other.wdl).then_with(|| match self.wdl {
            Wdl::Win => other.rank().cmp(&self.rank()),
            Wdl::Draw => Ordering::Equal,
            Wdl::Loss => self.rank().cmp(&other.rank()),
        })
    }
}

/// A name that is not one of the choices.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[error("\"{given}\" is none of {choices}")]
pub struct UnknownName {
    given: String,
    choices: &'static str,
}

impl UnknownName {
    pub(crate) fn new(given: &str, choices: &'static str) -> Self {
        Self { given: given.to_owned(), choices }
    }
}

/// The repetition rules that decide endless play.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Rules {
    /// Repetition draws.
    None,
    /// Perpetual check loses, mutual perpetual check draws.
    #[default]
    Check,
    /// Perpetual check and perpetual chase lose; mutual or mixed ones draw.
    Asian,
}

impl Rules {
    /// All choices.
    pub const ALL: [Self; 3] = [Self::None, Self::Check, Self::Asian];

    /// The name in headers, file names and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Check => "check",
            Self::Asian => "asian",
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Rules {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text {
            "none" => Ok(Self::None),
            "check" => Ok(Self::Check),
            "asian" => Ok(Self::Asian),
            _ => Err(UnknownName::new(text, "none, check, asian")),
        }
    }
}

/// The event up to which the distances of order 0 count.
///
/// ```
/// use juzhong::tablebase::Metric;
///
/// assert_eq!(Metric::Dtm.limit(), None);
/// let metric: Metric = "dtc120".parse()?;
/// assert_eq!(metric, Metric::within(120).unwrap());
/// assert_eq!(metric.limit(), Some(120));
/// # Ok::<(), juzhong::tablebase::UnknownName>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Metric {
    /// Plies to mate.
    #[default]
    Dtm,
    /// Plies to the next capture or mate.
    Dtc,
    /// As [`Dtc`](Self::Dtc) under a limit: that many plies without a capture draw. Results are those
    /// of positions with no such ply behind them.
    DtcWithin(NonZero<u16>),
}

impl Metric {
    /// The metrics without a limit.
    pub const ALL: [Self; 2] = [Self::Dtm, Self::Dtc];

    /// The greatest limit that has a name.
    pub const MAX_LIMIT: u16 = 1000;

    /// [`Dtc`](Self::Dtc) under a limit of plies; `None` for 0, and beyond
    /// [`MAX_LIMIT`](Self::MAX_LIMIT).
    #[must_use]
    pub const fn within(plies: u16) -> Option<Self> {
        match NonZero::new(plies) {
            Some(limit) if plies <= Self::MAX_LIMIT => Some(Self::DtcWithin(limit)),
            _ => None,
        }
    }

    /// The limit of plies without a capture, if there is one.
    #[must_use]
    pub const fn limit(self) -> Option<u16> {
        match self {
            Self::DtcWithin(limit) => Some(limit.get()),
            Self::Dtm | Self::Dtc => None,
        }
    }

    /// The greatest distance of a result.
    pub(crate) const fn horizon(self) -> u16 {
        match self.limit() {
            Some(limit) => limit,
            None => u16::MAX,
        }
    }

    /// Returns true if distances end with a capture.
    #[must_use]
    pub const fn ends_with_capture(self) -> bool {
        matches!(self, Self::Dtc | Self::DtcWithin(_))
    }

    /// The value of a quiet move that leads to a position of this value: a draw if its result comes
    /// after the limit, with the ply of the move behind it.
    #[must_use]
    pub const fn before_quiet(self, entry: Entry) -> Entry {
        if entry.distance >= self.horizon() { Entry::DRAW } else { entry.before() }
    }

    /// The value of a capture that leads to a position of this value: where captures count, the way
    /// ends with it.
    #[must_use]
    pub const fn before_capture(self, entry: Entry) -> Entry {
        let value = entry.before();
        match entry.wdl {
            Wdl::Win | Wdl::Loss if self.ends_with_capture() => Entry { distance: 1, ..value },
            _ => value,
        }
    }

    /// The value of a move that leads to a position of this value.
    #[must_use]
    pub(crate) const fn before_move(self, entry: Entry, is_capture: bool) -> Entry {
        if is_capture { self.before_capture(entry) } else { self.before_quiet(entry) }
    }
}

impl fmt::Display for Metric {
    /// The name in headers, file names and on the command line: `dtm`, `dtc` or, for example,
    /// `dtc120`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dtm => f.write_str("dtm"),
            Self::Dtc => f.write_str("dtc"),
            Self::DtcWithin(limit) => write!(f, "dtc{limit}"),
        }
    }
}

impl FromStr for Metric {
    type Err = UnknownName;
    fn from_str(text: &str) -> Result<Self, UnknownName> {
        match text {
            "dtm" => Ok(Self::Dtm),
            "dtc" => Ok(Self::Dtc),
            _ => limited(text).ok_or_else(|| UnknownName {
                given: text.to_owned(),
                choices: "dtm, dtc, dtc1 to dtc1000",
            }),
        }
    }
}

/// Reads a metric with a limit, written as [`Metric`] writes it.
fn limited(text: &str) -> Option<Metric> {
    let plies = text.strip_prefix("dtc")?.parse().ok()?;
    Metric::within(plies).filter(|metric| metric.to_string() == text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_ordered_by_preference() {
        let best_first = [
            Entry::win(0, 1),
            Entry::win(0, 9),
            Entry::win(1, 1),
            Entry::DRAW,
            Entry::loss(2, 4),
            Entry::loss(0, 8),
            Entry::loss(0, 0),
        ];
        assert!(best_first.is_sorted_by(|a, b| a > b));
        assert_eq!(Entry::loss(1, 4).before(), Entry::win(1, 5));
    }

    #[test]
    fn limits_have_names() {
        let metric = Metric::within(120).unwrap();
        assert_eq!(metric.to_string(), "dtc120");
        assert_eq!("dtc120".parse(), Ok(metric));
        for wrong in ["dtc0", "dtc1001", "dtc+5", "dtc012", "dtc 5", "dtc-1", "dtc99999", "dtm5"] {
            assert!(wrong.parse::<Metric>().is_err(), "{wrong}");
        }
        for metric in Metric::ALL {
            assert_eq!(metric.to_string().parse(), Ok(metric));
        }
    }

    #[test]
    fn what_comes_after_the_limit_is_drawn() {
        let metric = Metric::within(5).unwrap();
        assert_eq!(metric.before_quiet(Entry::loss(0, 4)), Entry::win(0, 5));
        assert_eq!(metric.before_quiet(Entry::win(2, 5)), Entry::DRAW);
        assert_eq!(metric.before_quiet(Entry::DRAW), Entry::DRAW);
        assert_eq!(metric.before_capture(Entry::loss(1, 5)), Entry::win(1, 1));
        assert_eq!(Metric::Dtc.before_quiet(Entry::win(0, 900)), Entry::loss(0, 901));
    }
}
