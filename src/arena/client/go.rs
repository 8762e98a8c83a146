//! When a search ends, and how each protocol says so.

use std::fmt::Write;
use std::time::Duration;

use super::Dialect;

/// When a search ends; nothing set means at [`Patience::search`](super::Patience::search).
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
    /// The opponent offers a draw; only UCCI can say so.
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
    /// 0 or 1: whose turn it is.
    pub mover: usize,
}

/// How a UCCI engine wants times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TimeUnit {
    /// What the protocol has without the option `usemillisec`. Parts of a second are dropped.
    #[default]
    Seconds,
    Milliseconds,
}

impl TimeUnit {
    const fn of(self, time: Duration) -> u128 {
        match self {
            Self::Seconds => time.as_secs() as u128,
            Self::Milliseconds => time.as_millis(),
        }
    }
}

impl GoLimits {
    /// The `go` command.
    pub(super) fn command(&self, protocol: Dialect, unit: TimeUnit) -> String {
        match protocol {
            Dialect::Ucci => self.ucci(unit),
            Dialect::Uci | Dialect::Cyclone => self.uci(),
        }
    }

    fn uci(&self) -> String {
        let mut text = "go".to_owned();
        if let Some(depth) = self.depth {
            add(&mut text, "depth", depth.into());
        }
        if let Some(nodes) = self.nodes {
            add(&mut text, "nodes", nodes.into());
        }
        if let Some(time) = self.move_time {
            add(&mut text, "movetime", time.as_millis());
        }
        if let Some(clocks) = &self.clocks {
            for (i, (time, increment)) in [("wtime", "winc"), ("btime", "binc")].iter().enumerate()
            {
                add(&mut text, time, clocks.remaining[i].as_millis());
                add(&mut text, increment, clocks.increment[i].as_millis());
            }
            if let Some(moves) = clocks.moves_to_go {
                add(&mut text, "movestogo", moves.into());
            }
        }
        if text.len() > "go".len() { text } else { "go infinite".to_owned() }
    }

    /// UCCI has one limit at a time: nodes before depth before times. A time for the move is that
    /// of a time control that ends with it.
    fn ucci(&self, unit: TimeUnit) -> String {
        let mut text = if self.draw_offered { "go draw" } else { "go" }.to_owned();
        if let Some(nodes) = self.nodes {
            add(&mut text, "nodes", nodes.into());
        } else if let Some(depth) = self.depth {
            add(&mut text, "depth", depth.into());
        } else if let Some(time) = self.move_time {
            add(&mut text, "time", unit.of(time));
            add(&mut text, "movestogo", 1);
        } else if let Some(clocks) = &self.clocks {
            let mover = clocks.mover.min(1);
            for (side, prefix) in [(mover, ""), (1 - mover, "opp")] {
                add(&mut text, &format!("{prefix}time"), unit.of(clocks.remaining[side]));
                match clocks.moves_to_go {
                    Some(moves) => add(&mut text, &format!("{prefix}movestogo"), moves.into()),
                    None => {
                        let increment = unit.of(clocks.increment[side]);
                        add(&mut text, &format!("{prefix}increment"), increment);
                    }
                }
            }
        } else {
            text += " infinite";
        }
        text
    }

    /// The time after which the engine must have moved by itself.
    pub(super) fn time(&self) -> Option<Duration> {
        let clock = self.clocks.as_ref().and_then(|c| c.remaining.get(c.mover)).copied();
        self.move_time.or(clock)
    }
}

fn add(text: &mut String, name: &str, value: u128) {
    let written = write!(text, " {name} {value}");
    debug_assert!(written.is_ok(), "writing to a string cannot fail");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uci(limits: GoLimits) -> String {
        limits.command(Dialect::Uci, TimeUnit::Seconds)
    }

    fn ucci(limits: GoLimits, unit: TimeUnit) -> String {
        limits.command(Dialect::Ucci, unit)
    }

    const CLOCKS: Clocks = Clocks {
        remaining: [Duration::from_secs(9), Duration::from_millis(8500)],
        increment: [Duration::ZERO, Duration::from_millis(100)],
        moves_to_go: None,
        mover: 1,
    };

    #[test]
    fn limits_are_told_as_uci_says() {
        let limits = GoLimits { depth: Some(3), nodes: Some(9), ..GoLimits::default() };
        assert_eq!(uci(limits), "go depth 3 nodes 9");
        assert_eq!(uci(GoLimits::default()), "go infinite");
        let clocks = Some(Clocks { moves_to_go: Some(4), ..CLOCKS });
        let limits = GoLimits { clocks, draw_offered: true, ..GoLimits::default() };
        assert_eq!(uci(limits), "go wtime 9000 winc 0 btime 8500 binc 100 movestogo 4");
        assert_eq!(limits.time(), Some(Duration::from_millis(8500)));
        assert_eq!(limits.command(Dialect::Cyclone, TimeUnit::Seconds), uci(limits));
    }

    #[test]
    fn limits_are_told_as_ucci_says() {
        use TimeUnit::{Milliseconds, Seconds};
        let limits = GoLimits { depth: Some(3), nodes: Some(9), ..GoLimits::default() };
        assert_eq!(ucci(limits, Seconds), "go nodes 9");
        let limits = GoLimits { depth: Some(3), draw_offered: true, ..GoLimits::default() };
        assert_eq!(ucci(limits, Seconds), "go draw depth 3");
        assert_eq!(ucci(GoLimits::default(), Seconds), "go infinite");
        let time = Some(Duration::from_millis(1500));
        let limits = GoLimits { move_time: time, ..GoLimits::default() };
        assert_eq!(ucci(limits, Seconds), "go time 1 movestogo 1");
        assert_eq!(ucci(limits, Milliseconds), "go time 1500 movestogo 1");
        let limits = GoLimits { clocks: Some(CLOCKS), ..GoLimits::default() };
        let expected = "go time 8500 increment 100 opptime 9000 oppincrement 0";
        assert_eq!(ucci(limits, Milliseconds), expected);
        assert_eq!(ucci(limits, Seconds), "go time 8 increment 0 opptime 9 oppincrement 0");
        let clocks = Some(Clocks { moves_to_go: Some(4), ..CLOCKS });
        let limits = GoLimits { clocks, ..GoLimits::default() };
        let expected = "go time 8 movestogo 4 opptime 9 oppmovestogo 4";
        assert_eq!(ucci(limits, Seconds), expected);
    }
}
