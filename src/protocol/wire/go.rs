//! `go`: what a search shall be, read from the words of any dialect and written in those of one.

use std::iter::Peekable;

use crate::game::Side;
use crate::protocol::wire::format::{Wire, shortened};

/// Longer times are meant as "no limit" anyway: a year, in milliseconds.
pub(crate) const MAX_TIME: u64 = 365 * 24 * 3600 * 1000;

/// The clock of one player. Times are milliseconds, those of UCCI seconds until the option
/// `usemillisec` is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SideClock {
    /// Time left.
    pub time: Option<u64>,
    /// Added after every move.
    pub increment: Option<u64>,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
}

/// The request of a `go`. Numbers too large for their type are the largest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Go {
    /// UCI: of the side that moves first in a game.
    pub first: SideClock,
    /// UCI: of the other side.
    pub second: SideClock,
    /// UCCI: of the side to move. The moves to the next time control are here in either protocol.
    pub own: SideClock,
    /// UCCI: of its opponent. No search of ours depends on it, as the protocol allows.
    pub opponent: SideClock,
    /// Time for this move, in milliseconds.
    pub move_time: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// End with a mate in this many moves.
    pub mate: Option<u32>,
    /// Do not search, but count the leaves of the tree to this depth in plies.
    pub perft: Option<u32>,
    /// Until `stop`.
    pub infinite: bool,
    /// On the opponent's time, until `ponderhit` or `stop`.
    pub ponder: bool,
    /// The opponent offers a draw (UCCI).
    pub draw: bool,
    /// Only these moves, if any are named; in the GUI's coordinates.
    pub search_moves: Vec<String>,
    /// Words that mean nothing here, and names without a number, to be reported.
    pub ignored: Vec<String>,
}

impl SideClock {
    /// Fills in the values that are not stated from `other`.
    fn or(self, other: Self) -> Self {
        Self {
            time: self.time.or(other.time),
            increment: self.increment.or(other.increment),
            moves_to_go: self.moves_to_go.or(other.moves_to_go),
        }
    }

    fn scaled(self, unit: u64) -> Self {
        self.with_times(|time| time.saturating_mul(unit))
    }

    fn capped(self) -> Self {
        self.with_times(|time| time.min(MAX_TIME))
    }

    /// The same with both of its times changed alike.
    fn with_times(self, change: impl Fn(u64) -> u64) -> Self {
        Self { time: self.time.map(&change), increment: self.increment.map(&change), ..self }
    }

    fn less(&mut self, gone: u64) {
        self.time = self.time.map(|time| time.saturating_sub(gone).max(1));
    }
}

impl Go {
    /// Reads the words after `go`. Words that cannot be understood are left out, so that every `go` has its
    /// answer.
    pub(crate) fn parse(words: &[&str]) -> Self {
        let mut go = Self::default();
        let mut words = words.iter().copied().peekable();
        while let Some(word) = words.next() {
            let understood = go.read_flag(word) || {
                let words = &mut words;
                go.read_clock(word, words).or_else(|| go.read_limit(word, words)).is_some()
            };
            if !understood {
                go.ignored.push(shortened(word));
            }
        }
        go
    }

    /// Words that stand alone.
    fn read_flag(&mut self, word: &str) -> bool {
        let flag = match word {
            "infinite" => &mut self.infinite,
            "ponder" => &mut self.ponder,
            "draw" => &mut self.draw,
            _ => return false,
        };
        *flag = true;
        true
    }

    /// Clocks, in the words of UCI and of UCCI.
    fn read_clock<'w>(
        &mut self,
        word: &str,
        words: &mut Peekable<impl Iterator<Item = &'w str>>,
    ) -> Option<()> {
        let place = match word {
            "wtime" => &mut self.first.time,
            "btime" => &mut self.second.time,
            "winc" => &mut self.first.increment,
            "binc" => &mut self.second.increment,
            "time" => &mut self.own.time,
            "opptime" => &mut self.opponent.time,
            "increment" => &mut self.own.increment,
            "oppincrement" => &mut self.opponent.increment,
            "movetime" => &mut self.move_time,
            "movestogo" | "oppmovestogo" => {
                let moves = Some(small_number(words)?);
                let clock = if word == "movestogo" { &mut self.own } else { &mut self.opponent };
                // 0 is how many programs say that there is no further time control.
                clock.moves_to_go = moves.filter(|&moves| moves > 0);
                return Some(());
            }
            _ => return None,
        };
        *place = Some(time(words)?);
        Some(())
    }

    /// Limits other than time.
    fn read_limit<'w>(
        &mut self,
        word: &str,
        words: &mut Peekable<impl Iterator<Item = &'w str>>,
    ) -> Option<()> {
        match word {
            // UCCI's grammar can be read so that `depth infinite` is right.
            "depth" if words.peek() == Some(&"infinite") => {}
            "depth" => self.depth = Some(small_number(words)?),
            "nodes" => self.nodes = Some(number(words)?),
            "mate" => self.mate = Some(small_number(words)?),
            "perft" => self.perft = Some(small_number(words)?),
            "searchmoves" => {
                while let Some(mv) = words.next_if(|word| is_like_a_move(word)) {
                    self.search_moves.push(mv.to_owned());
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// `ponderhit` came before the search began, perhaps with an offer of a draw: it need not ponder.
    pub(crate) fn ponder_hit(&mut self, draw: bool) {
        self.draw |= draw && self.ponder;
        self.ponder = false;
    }

    /// The same with UCCI's times in milliseconds, where they were in `unit` milliseconds.
    pub(crate) fn in_milliseconds(&self, unit: u64) -> Self {
        Self { own: self.own.scaled(unit), opponent: self.opponent.scaled(unit), ..self.clone() }
    }

    /// The same after `gone` milliseconds of the time of `mover` have gone.
    pub(crate) fn after(&self, gone: u64, mover: Side) -> Self {
        let mut go = self.clone();
        let by_colour = if mover == Side::First { &mut go.first } else { &mut go.second };
        by_colour.less(gone);
        go.own.less(gone);
        go.move_time = go.move_time.map(|time| time.saturating_sub(gone).max(1));
        go
    }

    /// The clocks of the side to move and of the other, in milliseconds (those of UCCI in its unit);
    /// what is not stated of one side is as for the other. `None` without a clock.
    pub(crate) fn clocks(&self, mover: Side) -> Option<[SideClock; 2]> {
        let (mine, theirs) = match mover {
            Side::First => (self.first, self.second),
            Side::Second => (self.second, self.first),
        };
        let own = self.own.or(mine);
        let other = self.opponent.or(theirs);
        let own = if own.time.is_some() { own } else { own.or(other) };
        own.time?;
        Some([own.capped(), other.or(own).capped()])
    }

    /// Milliseconds after which the answer must be there; `None` for no limit in time.
    pub(crate) fn time(&self, mover: Side) -> Option<u64> {
        let time = self.move_time.map(|time| time.min(MAX_TIME));
        time.or_else(|| self.clocks(mover).and_then(|[own, _]| own.time))
    }

    /// Returns true if nothing ends the search but `stop`: without any limit it is endless, as GUIs mean it.
    pub(crate) fn is_endless(&self, mover: Side) -> bool {
        let limited = self.depth.is_some() || self.nodes.is_some() || self.mate.is_some();
        self.perft.is_none() && (self.infinite || !limited && self.time(mover).is_none())
    }

    /// The command, for a position in which `mover` is to move. Times are in milliseconds here, and
    /// moves in our coordinates. UCCI has one limit at a time: times before nodes before depth.
    pub(crate) fn text(&self, to: Wire, mover: Side) -> String {
        let mut words = vec!["go".to_owned()];
        if self.ponder {
            words.push("ponder".to_owned());
        }
        if to.dialect.is_ucci() {
            if self.draw && !self.ponder {
                words.push("draw".to_owned());
            }
            words.push(self.ucci_mode(mover, to.unit));
        } else {
            words.extend(self.uci_words(mover));
            if !self.search_moves.is_empty() {
                words.push("searchmoves".to_owned());
                words.extend(self.search_moves.iter().map(|mv| to.ranks.theirs(mv)));
            }
        }
        words.join(" ")
    }

    fn uci_words(&self, mover: Side) -> Vec<String> {
        let mut values = vec![
            ("perft", self.perft.map(u64::from)),
            ("depth", self.depth.map(u64::from)),
            ("nodes", self.nodes),
            ("mate", self.mate.map(u64::from)),
            ("movetime", self.move_time.map(|time| time.max(1))),
        ];
        if let Some([own, other]) = self.clocks(mover) {
            let (first, second) = if mover == Side::First { (own, other) } else { (other, own) };
            for (clock, [time, increment]) in
                [(first, ["wtime", "winc"]), (second, ["btime", "binc"])]
            {
                values.push((time, clock.time.map(|time| time.max(1))));
                values.push((increment, clock.increment));
            }
            values.push(("movestogo", own.moves_to_go.map(u64::from)));
        }
        let stated = values.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let mut words: Vec<_> = stated.map(|(name, value)| format!("{name} {value}")).collect();
        if self.is_endless(mover) {
            words.push("infinite".to_owned());
        }
        words
    }

    /// A time for the move is that of a time control that ends with it. An engine that counts seconds gets
    /// one at least; fractions of an increment cannot be expressed.
    fn ucci_mode(&self, mover: Side, unit: u64) -> String {
        match (self.move_time, self.clocks(mover)) {
            _ if self.is_endless(mover) => "infinite".to_owned(),
            (Some(time), _) => format!("time {} movestogo 1", whole_units(time, unit)),
            (None, Some(clocks)) => {
                let [own, other] = clocks;
                format!("{} {}", ucci_clock(own, "", unit), ucci_clock(other, "opp", unit))
            }
            (None, None) => match (self.nodes, self.depth, self.mate) {
                (Some(nodes), ..) => format!("nodes {nodes}"),
                (_, Some(depth), _) => format!("depth {depth}"),
                (_, _, mate) => format!("depth {}", mate.unwrap_or(1).saturating_mul(2)),
            },
        }
    }
}

/// A time in units of that number of milliseconds, at least one.
fn whole_units(time: u64, unit: u64) -> u64 {
    (time / unit).max(1)
}

/// The clock of a side in the words of UCCI, which begin with `opp` for the opponent's.
fn ucci_clock(clock: SideClock, opp: &str, unit: u64) -> String {
    let time = whole_units(clock.time.unwrap_or(0), unit);
    match clock.moves_to_go {
        Some(moves) => format!("{opp}time {time} {opp}movestogo {moves}"),
        None => {
            let increment = clock.increment.unwrap_or(0) / unit;
            format!("{opp}time {time} {opp}increment {increment}")
        }
    }
}

/// Returns true if a word may be a move rather than one of `go`'s other words: those have no digits.
fn is_like_a_move(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Clocks may have run below zero, and may have a fraction, which is dropped.
fn time<'w>(words: &mut Peekable<impl Iterator<Item = &'w str>>) -> Option<u64> {
    if words.next_if(|word| word.strip_prefix('-').and_then(digits).is_some()).is_some() {
        return Some(0);
    }
    words.next_if(|word| whole_part(word).is_some()).and_then(whole_part)
}

/// A number without its fraction.
fn whole_part(word: &str) -> Option<u64> {
    let (whole, fraction) = word.split_once('.').unwrap_or((word, "0"));
    digits(fraction).and(digits(whole))
}

fn small_number<'w>(words: &mut Peekable<impl Iterator<Item = &'w str>>) -> Option<u32> {
    number(words).map(|value| u32::try_from(value).unwrap_or(u32::MAX))
}

/// Consumes the next word if it is a number.
fn number<'w>(words: &mut Peekable<impl Iterator<Item = &'w str>>) -> Option<u64> {
    words.next_if(|word| digits(word).is_some()).and_then(digits)
}

/// Numbers beyond the type's largest are meant as "no limit" and become that.
fn digits(word: &str) -> Option<u64> {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| word.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::wire::dialect::Dialect;
    use crate::protocol::wire::ranks::Ranks;

    const UCI: Wire = Wire { dialect: Dialect::Uci, ranks: Ranks::FromZero, unit: 1 };
    const UCCI: Wire = Wire { dialect: Dialect::Ucci, ..UCI };

    fn go(line: &str) -> Go {
        Go::parse(&line.split_whitespace().skip(1).collect::<Vec<_>>())
    }

    fn clock(time: Option<u64>, increment: Option<u64>, moves_to_go: Option<u32>) -> SideClock {
        SideClock { time, increment, moves_to_go }
    }

    /// A line as UCCI has it.
    fn ucci(line: &str, mover: Side) -> String {
        go(line).text(UCCI, mover)
    }

    /// A line as UCI has it.
    fn uci(line: &str, mover: Side) -> String {
        go(line).text(UCI, mover)
    }

    #[test]
    fn reads_the_clocks_of_both_protocols() {
        let expected = Go {
            first: clock(Some(0), Some(10), None),
            second: clock(Some(1000), None, None),
            own: clock(None, None, Some(3)),
            ponder: true,
            ..Go::default()
        };
        assert_eq!(go("go wtime -5 btime 1000 winc 10 movestogo 3 ponder"), expected);
        let expected = Go {
            own: clock(Some(300), Some(2), None),
            opponent: clock(Some(400), None, Some(4)),
            draw: true,
            ..Go::default()
        };
        assert_eq!(go("go draw time 300 increment 2 opptime 400 oppmovestogo 4"), expected);
    }

    #[test]
    fn reads_other_limits() {
        let go_words = go("go searchmoves h2e2 a10a9 infinite mate 3 perft 2 nodes 5");
        let expected = Go {
            search_moves: vec!["h2e2".to_owned(), "a10a9".to_owned()],
            infinite: true,
            mate: Some(3),
            perft: Some(2),
            nodes: Some(5),
            ..Go::default()
        };
        assert_eq!(go_words, expected);
        assert_eq!(go("go depth infinite"), Go { infinite: true, ..Go::default() });
    }

    #[test]
    fn numbers_too_large_are_the_largest_and_bad_ones_left_out() {
        let huge = "99999999999999999999";
        assert_eq!(go(&format!("go depth {huge}")).depth, Some(u32::MAX));
        assert_eq!(go("go depth 99999999999").depth, Some(u32::MAX));
        assert_eq!(go(&format!("go nodes {huge}")).nodes, Some(u64::MAX));
        assert_eq!(go(&format!("go movetime {huge}")).move_time, Some(u64::MAX));
        assert_eq!(go(&format!("go wtime {huge}")).time(Side::First), Some(MAX_TIME));
        assert_eq!(go(&format!("go wtime -{huge}")).first.time, Some(0));
        for (line, ignored) in [
            ("go depth", &["depth"][..]),
            ("go depth x nodes 5", &["depth", "x"]),
            ("go depth nodes 5", &["depth"]),
            ("go depth -1 nodes 5", &["depth", "-1"]),
        ] {
            let go = go(line);
            assert_eq!(go.depth, None);
            assert_eq!(go.ignored, ignored);
            assert_eq!(go.nodes.is_some(), line.ends_with('5'), "{line}");
        }
    }

    #[test]
    fn searches_are_translated_both_ways() {
        let (red, black) = (Side::First, Side::Second);
        let clocks = "go wtime 9000 btime 8000 winc 10 binc 20";
        assert_eq!(ucci(clocks, red), "go time 9000 increment 10 opptime 8000 oppincrement 20");
        assert_eq!(ucci(clocks, black), "go time 8000 increment 20 opptime 9000 oppincrement 10");
        assert_eq!(
            uci("go ponder time 9 increment 1 opptime 8", black),
            "go ponder wtime 8 winc 1 btime 9 binc 1"
        );
        assert_eq!(uci("go time 9 movestogo 3", red), "go wtime 9 btime 9 movestogo 3");
        assert_eq!(ucci("go movetime 500 depth 7", red), "go time 500 movestogo 1");
        assert_eq!(uci("go movetime 500 depth 7", red), "go depth 7 movetime 500");
        assert_eq!(uci("go depth infinite", red), "go infinite");
        assert_eq!(ucci("go infinite", red), "go infinite");
        assert_eq!((ucci("go", red), uci("go", red)), ("go infinite".into(), "go infinite".into()));
        assert_eq!(ucci("go draw nodes 5 depth 3", red), "go draw nodes 5");
        assert_eq!(ucci("go mate 3", red), "go depth 6");
        assert_eq!(uci("go wtime -5 btime x depth", red), "go wtime 1 btime 1");
        let moves = go("go searchmoves h2e2 nodes 7");
        assert_eq!(moves.text(UCI, red), "go nodes 7 searchmoves h2e2");
        let from_one = Wire { ranks: Ranks::FromOne, ..UCI };
        assert_eq!(moves.text(from_one, red), "go nodes 7 searchmoves h3e3");
        assert_eq!(moves.text(UCCI, red), "go nodes 7");
    }

    #[test]
    fn units_and_gone_time_are_taken_into_account() {
        let go = go("go time 60 increment 2 opptime 30").in_milliseconds(1000);
        assert_eq!(go.time(Side::First), Some(60_000));
        let go = go.after(500, Side::First);
        assert_eq!(go.text(UCI, Side::First), "go wtime 59500 winc 2000 btime 30000 binc 2000");
        let seconds = Wire { unit: 1000, ..UCCI };
        assert_eq!(
            go.text(seconds, Side::First),
            "go time 59 increment 2 opptime 30 oppincrement 2"
        );
        assert_eq!(
            self::go("go wtime 1000.5 movetime 12.9").text(UCI, Side::First),
            "go movetime 12 wtime 1000 btime 1000"
        );
        let other = self::go("go wtime 5000 movestogo 0");
        assert_eq!(other.text(UCI, Side::Second), "go wtime 5000 btime 5000");
        assert_eq!(self::go("go opptime 7").time(Side::First), Some(7));
        let hardly = Go { move_time: Some(300), ..Go::default() };
        assert_eq!(hardly.text(seconds, Side::First), "go time 1 movestogo 1");
        assert_eq!(hardly.after(900, Side::First).text(UCI, Side::First), "go movetime 1");
    }

    proptest! {
        #[test]
        fn no_words_panic(words in "(go|value|depth|time|opptime|moves|searchmoves|h2e2|[0-9-]{1,30}| ){0,12}") {
            let go = go(&format!("go {words}")).in_milliseconds(1000);
            for mover in Side::ALL {
                for to in [UCI, UCCI, Wire { unit: 1000, ..UCCI }] {
                    let text = go.after(7, mover).text(to, mover);
                    prop_assert!(text.starts_with("go"));
                    prop_assert!(self::go(&text).ignored.is_empty(), "{text}");
                }
            }
        }
    }
}
