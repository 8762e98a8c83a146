//! The time that players used, from the comments of a record.

use std::time::Duration;

use crate::game::{Game, Side};
use crate::record::Record;

/// The longest time that is believed: a year.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 3600);

/// The time used for each move of the main line: as `[%emt 0:00:05]` states it, else by the clocks (`[%clk 0:10:00]`)
/// before and after the move, with the increment of the tag `TimeControl`; `None` where that is not known.
#[must_use]
pub fn times_used<G: Game>(record: &Record<G>) -> Vec<Option<Duration>> {
    let control = record.tag("TimeControl").and_then(time_control);
    let first = record.start.as_ref().map_or(Side::First, G::turn);
    let mut clocks = [control.map(|(base, _)| base); 2];
    let increment = control.map_or(Duration::ZERO, |(_, increment)| increment);
    let mut comments = record.tree.comments.iter().peekable();
    let mut used = Vec::with_capacity(record.tree.moves.len());
    for ply in 0..record.tree.moves.len() {
        let (mut elapsed, mut clock) = (None, None);
        while let Some((_, text)) = comments.next_if(|(at, _)| *at <= ply + 1) {
            elapsed = stated(text, "[%emt ").or(elapsed);
            clock = stated(text, "[%clk ").or(clock);
        }
        let own = &mut clocks[(ply + first.index()) % 2];
        let before = std::mem::replace(own, clock);
        let by_clock = before
            .zip(clock)
            .and_then(|(before, after)| before.checked_add(increment)?.checked_sub(after));
        used.push(elapsed.or(by_clock));
    }
    used
}

/// The time that a command of a comment states.
fn stated(comment: &str, command: &str) -> Option<Duration> {
    let (_, rest) = comment.split_once(command)?;
    clock_time(rest.split_once(']')?.0.trim())
}

/// A time as `1:02:03`, `2:03` or `3`, perhaps with a fraction.
fn clock_time(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    for (number, part) in text.split(':').enumerate() {
        let is_plain = part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if number > 2 || !is_plain {
            return None;
        }
        seconds = seconds * 60.0 + part.parse::<f64>().ok()?;
    }
    Duration::try_from_secs_f64(seconds).ok().filter(|time| *time <= LONGEST)
}

/// The time of a game and the increment, of `600+5` or `600`, in seconds; `None` for controls of several parts.
fn time_control(text: &str) -> Option<(Duration, Duration)> {
    let (base, increment) = text.trim().split_once('+').unwrap_or((text.trim(), "0"));
    Some((whole_seconds(base)?, whole_seconds(increment)?))
}

fn whole_seconds(text: &str) -> Option<Duration> {
    text.parse::<u32>().ok().map(|seconds| Duration::from_secs(seconds.into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::read_games;
    use crate::xiangqi::Position;

    fn used(text: &str) -> Vec<Option<f64>> {
        let mut games: Vec<Record<Position>> = Vec::new();
        read_games("t.pgn", text.as_bytes(), &mut |game| games.push(game.unwrap().record));
        times_used(&games[0]).into_iter().map(|time| time.map(|time| time.as_secs_f64())).collect()
    }

    #[test]
    fn clocks_and_elapsed_times_are_read() {
        let game = "[TimeControl \"600+5\"]\n\n1. h2e2 {[%clk 0:09:55]} h9g7 {a [%clk 0:10:01.5] b} 2. h0g2 {[%emt 0:00:07] \
                    [%clk 1:1]} b9c7 3. i0h0 *\n";
        assert_eq!(used(game)[..4], [Some(10.0), Some(3.5), Some(7.0), None]);
        let game = "[Event \"a\"]\n\n1. h2e2 {[%clk 0:10:00]} h9g7 2. h0g2 {[%clk 0:09:00]} b9c7 {[%clk x]} *\n";
        assert_eq!(used(game), [None, None, Some(60.0), None]);
    }

    #[test]
    fn odd_times_are_none() {
        for text in ["", "1:2:3:4", "-5", "1e300", "9999999999999", "nan", "inf", ":", "1 2"] {
            assert_eq!(clock_time(text), None, "{text}");
        }
        assert_eq!(clock_time("1:02:03"), Some(Duration::from_secs(3723)));
        for text in ["", "?", "-", "40/9000", "1+2+3", "99999999999"] {
            assert_eq!(time_control(text), None, "{text}");
        }
    }
}
