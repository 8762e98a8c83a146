//! The limits of a search.

use std::time::Duration;

use crate::game::Side;
use crate::protocol::wire::go::{Go, SideClock};

/// The limits of a search; with nothing set it ends at [`Timeouts::search`](crate::protocol::client::Timeouts::search).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GoLimits {
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Time for this move.
    pub move_time: Option<Duration>,
    /// Clocks, instead of a time for this move.
    pub clocks: Option<Clocks>,
    /// The opponent offers a draw; only UCCI can express it.
    pub draw_offered: bool,
}

/// The clocks of both sides before a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clocks {
    /// Time left, the first side's first.
    pub remaining: [Duration; 2],
    /// Added after every move.
    pub increment: [Duration; 2],
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// The side to move: 0 or 1.
    pub mover: usize,
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

impl GoLimits {
    /// As protocols have it.
    pub(crate) fn go(&self) -> Go {
        Go {
            first: self.clock(0),
            second: self.clock(1),
            depth: self.depth,
            nodes: self.nodes,
            move_time: self.move_time.map(milliseconds),
            draw: self.draw_offered,
            ..Go::default()
        }
    }

    /// The clock of a side as protocols have it.
    fn clock(&self, side: usize) -> SideClock {
        let clocks = self.clocks.as_ref();
        SideClock {
            time: clocks.map(|clocks| milliseconds(clocks.remaining[side])),
            increment: clocks.map(|clocks| milliseconds(clocks.increment[side])),
            moves_to_go: clocks.and_then(|clocks| clocks.moves_to_go),
        }
    }

    /// The side to move, which matters to clocks only.
    pub(crate) fn mover(&self) -> Side {
        let second = self.clocks.is_some_and(|clocks| clocks.mover != 0);
        if second { Side::Second } else { Side::First }
    }

    /// The time after which the engine must have moved by itself.
    pub(crate) fn time(&self) -> Option<Duration> {
        let clock = self.clocks.as_ref().and_then(|c| c.remaining.get(c.mover)).copied();
        self.move_time.or(clock)
    }

    /// Returns true if an engine that counts seconds cannot be given all of it.
    pub(crate) fn has_fractions(&self) -> bool {
        let increments = self.clocks.map_or([Duration::ZERO; 2], |clocks| clocks.increment);
        self.move_time.iter().chain(&increments).any(|time| time.subsec_nanos() != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::client::Wire;
    use crate::protocol::wire::dialect::Dialect;

    fn said(limits: GoLimits, to: Wire) -> String {
        limits.go().text(to, limits.mover())
    }

    const UCI: Wire = Wire::of(Dialect::Uci);
    const SECONDS: Wire = Wire::of(Dialect::Ucci);
    const MILLISECONDS: Wire = Wire { unit: 1, ..SECONDS };

    const CLOCKS: Clocks = Clocks {
        remaining: [Duration::from_secs(9), Duration::from_millis(8500)],
        increment: [Duration::ZERO, Duration::from_millis(100)],
        moves_to_go: None,
        mover: 1,
    };

    #[test]
    fn limits_are_told_as_uci_says() {
        let limits = GoLimits { depth: Some(3), nodes: Some(9), ..GoLimits::default() };
        assert_eq!(said(limits, UCI), "go depth 3 nodes 9");
        assert_eq!(said(GoLimits::default(), UCI), "go infinite");
        let clocks = Some(Clocks { moves_to_go: Some(4), ..CLOCKS });
        let limits = GoLimits { clocks, draw_offered: true, ..GoLimits::default() };
        let expected = "go wtime 9000 winc 0 btime 8500 binc 100 movestogo 4";
        assert_eq!(said(limits, UCI), expected);
        assert_eq!(limits.time(), Some(Duration::from_millis(8500)));
        assert_eq!(said(limits, Wire::of(Dialect::Cyclone)), expected);
    }

    #[test]
    fn limits_are_told_as_ucci_says() {
        let limits = GoLimits { depth: Some(3), nodes: Some(9), ..GoLimits::default() };
        assert_eq!(said(limits, SECONDS), "go nodes 9");
        let limits = GoLimits { depth: Some(3), draw_offered: true, ..GoLimits::default() };
        assert_eq!(said(limits, SECONDS), "go draw depth 3");
        assert_eq!(said(GoLimits::default(), SECONDS), "go infinite");
        let time = Some(Duration::from_millis(1500));
        let limits = GoLimits { move_time: time, ..GoLimits::default() };
        assert_eq!(said(limits, SECONDS), "go time 1 movestogo 1");
        assert_eq!(said(limits, MILLISECONDS), "go time 1500 movestogo 1");
        assert!(limits.has_fractions() && !GoLimits::default().has_fractions());
        let time = Some(Duration::from_millis(300));
        let limits = GoLimits { move_time: time, ..GoLimits::default() };
        assert_eq!(said(limits, SECONDS), "go time 1 movestogo 1");
        let limits = GoLimits { clocks: Some(CLOCKS), ..GoLimits::default() };
        let expected = "go time 8500 increment 100 opptime 9000 oppincrement 0";
        assert_eq!(said(limits, MILLISECONDS), expected);
        assert_eq!(said(limits, SECONDS), "go time 8 increment 0 opptime 9 oppincrement 0");
        assert!(limits.has_fractions());
        let clocks = Some(Clocks { moves_to_go: Some(4), ..CLOCKS });
        let limits = GoLimits { clocks, ..GoLimits::default() };
        let expected = "go time 8 movestogo 4 opptime 9 oppmovestogo 4";
        assert_eq!(said(limits, SECONDS), expected);
    }
}
