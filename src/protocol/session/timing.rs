//! From the clocks of `go` to the time for a move.

use std::time::Duration;

use crate::engine::clock::{self, Allowance, Clock, OVERHEAD};
use crate::game::Side;
use crate::protocol::wire::go::{Go, MAX_TIME};

/// The shortest time for a move.
const LEAST: Duration = Duration::from_millis(1);

/// The parameters by which clocks are translated into times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    /// The time that passes until a move has reached the GUI.
    pub(crate) overhead: Duration,
    /// The engine will think on the opponent's time too.
    pub(crate) ponders: bool,
}

impl Timing {
    /// The time that the clocks of `go`, in milliseconds, allow the side to move; `None` without one.
    pub(crate) fn allowance(self, go: &Go, side: Side) -> Option<Allowance> {
        if let Some(time) = go.move_time {
            return Some(self.fixed(milliseconds(time)));
        }
        let [own, _] = go.clocks(side)?;
        let clock = Clock {
            remaining: self.less_overhead(milliseconds(own.time?)),
            increment: milliseconds(own.increment.unwrap_or(0)),
            moves_to_go: own.moves_to_go,
        };
        let Allowance { soft, hard } = clock.allowance();
        // Every other move, roughly, will have been thought about beforehand.
        let soft = soft.map(|soft| if self.ponders { (soft * 5 / 4).min(hard) } else { soft });
        Some(Allowance { soft, hard })
    }

    /// The time on the clock with this overhead instead of the usual one, which [`Clock::allowance`] takes
    /// off.
    fn less_overhead(self, time: Duration) -> Duration {
        (time + OVERHEAD).saturating_sub(self.overhead)
    }

    /// [`clock::fixed`] with this overhead.
    fn fixed(self, time: Duration) -> Allowance {
        let overhead = self.overhead.min(time / 2);
        let Allowance { soft, .. } = clock::fixed(time);
        Allowance { soft, hard: time.saturating_sub(overhead).max(LEAST) }
    }
}

fn milliseconds(value: u64) -> Duration {
    Duration::from_millis(value.min(MAX_TIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: Timing = Timing { overhead: OVERHEAD, ponders: false };

    fn go(line: &str) -> Go {
        match crate::protocol::wire::command::Command::parse(line) {
            Some(Ok(crate::protocol::wire::command::Command::Go(go))) => *go,
            other => unreachable!("{other:?}"),
        }
    }

    fn allowed(timing: Timing, line: &str, side: Side) -> Option<Allowance> {
        timing.allowance(&go(line), side)
    }

    /// The time that Black may take by clocks in seconds.
    fn allowed_in_seconds(line: &str) -> Option<Allowance> {
        USUAL.allowance(&go(line).in_milliseconds(1000), Side::Second)
    }

    /// The time after which Red must have moved.
    fn hard(timing: Timing, line: &str) -> Duration {
        allowed(timing, line, Side::First).unwrap().hard
    }

    #[test]
    fn both_protocols_mean_the_same() {
        let ours = Clock {
            remaining: Duration::from_secs(300),
            increment: Duration::from_secs(2),
            moves_to_go: Some(20),
        };
        let expected = Some(ours.allowance());
        let uci = "go wtime 1 btime 300000 winc 1 binc 2000 movestogo 20";
        assert_eq!(allowed(USUAL, uci, Side::Second), expected);
        let ucci = "go time 300000 increment 2000 movestogo 20 opptime 1 oppincrement 1";
        assert_eq!(allowed(USUAL, ucci, Side::First), expected);
        let ucci = "go time 300 increment 2 movestogo 20 opptime 1";
        assert_eq!(allowed_in_seconds(ucci), expected);
        assert_eq!(allowed_in_seconds(uci), expected);
        assert_eq!(allowed(USUAL, "go depth 3", Side::First), None);
        // The other side's clock stands in for one that was not stated.
        let theirs = allowed(USUAL, "go btime 5000", Side::Second);
        assert_eq!(allowed(USUAL, "go btime 5000", Side::First), theirs);
    }

    #[test]
    fn the_overhead_is_taken_off() {
        let slow = Timing { overhead: Duration::from_millis(500), ..USUAL };
        assert_eq!(hard(USUAL, "go movetime 2000"), Duration::from_millis(1970));
        assert_eq!(hard(slow, "go movetime 2000"), Duration::from_millis(1500));
        assert_eq!(hard(slow, "go movetime 100"), Duration::from_millis(50));
        assert_eq!(hard(slow, "go movetime 0"), LEAST);
        let last = "go wtime 1000 movestogo 1";
        assert!(hard(slow, last) <= Duration::from_millis(500));
        assert!(hard(USUAL, last) > hard(slow, last));
        let none = Timing { overhead: Duration::ZERO, ..USUAL };
        assert!(hard(none, "go wtime 1") <= Duration::from_millis(1));
    }

    #[test]
    fn huge_clocks_do_not_overflow() {
        let ponders = Timing { ponders: true, ..USUAL };
        let huge = u64::MAX;
        let line = format!("go time {huge} increment {huge}");
        let go = go(&line).in_milliseconds(1000);
        let Allowance { soft, hard } = ponders.allowance(&go, Side::First).unwrap();
        assert!(soft.unwrap() <= hard);
        assert!(allowed(USUAL, &format!("go movetime {huge}"), Side::First).is_some());
    }
}
