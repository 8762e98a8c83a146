//! What a GUI says, as far as the proxy must understand it. Either dialect is understood at any
//! time; numbers and words that make no sense are left out, so that every `go` has its answer.

use super::Dialect;

/// A line of the GUI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Command {
    /// The handshake.
    Hello(Dialect),
    IsReady,
    NewGame,
    SetOption {
        name: String,
        value: String,
    },
    /// The FEN (`None` for the start of a game) and the moves, as the GUI writes them.
    Position {
        fen: Option<String>,
        moves: Vec<String>,
    },
    /// UCCI: moves that may not be played in this position.
    Ban(Vec<String>),
    Go,
    Stop,
    PonderHit,
    Quit,
    /// UCCI: what does the hash table know?
    Probe,
    /// Anything else is for the engine.
    Other,
}

/// Reads a line; `None` for an empty one.
pub(super) fn parse(line: &str) -> Option<Command> {
    let line = line.trim();
    let mut words = line.split_whitespace();
    let first = words.next()?;
    let owned = |words: std::str::SplitWhitespace<'_>| words.map(str::to_owned).collect();
    Some(match first {
        "uci" | "ucicyclone" => Command::Hello(Dialect::Uci),
        "ucci" => Command::Hello(Dialect::Ucci),
        "isready" => Command::IsReady,
        "ucinewgame" | "uccinewgame" => Command::NewGame,
        "setoption" => set_option(&line[first.len()..]),
        "position" => position(words),
        // UCI-Cyclone leaves out the word `position`.
        "fen" | "startpos" => position(line.split_whitespace()),
        "banmoves" => Command::Ban(owned(words)),
        "go" => Command::Go,
        "stop" => Command::Stop,
        "ponderhit" => Command::PonderHit,
        "quit" => Command::Quit,
        "probe" => Command::Probe,
        _ => Command::Other,
    })
}

/// `name <words> [value <text>]`, or in UCCI `<word> [<text>]`.
fn set_option(rest: &str) -> Command {
    let (first, after) = split_word(rest);
    if first == "newgame" {
        return Command::NewGame;
    }
    if first != "name" {
        return option(first, after);
    }
    let mut name = Vec::new();
    let mut rest = after;
    loop {
        let (word, after) = split_word(rest);
        if word.is_empty() || word == "value" && !name.is_empty() {
            return option(&name.join(" "), after);
        }
        name.push(word);
        rest = after;
    }
}

fn option(name: &str, value: &str) -> Command {
    if name.is_empty() {
        return Command::Other;
    }
    Command::SetOption { name: name.to_owned(), value: value.trim().to_owned() }
}

/// The first word and what follows it.
fn split_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    text.split_at(end)
}

/// `startpos | fen <fields>`, then `[moves <moves>]`.
fn position<'w>(mut words: impl Iterator<Item = &'w str>) -> Command {
    let kind = words.next();
    let mut words = words.peekable();
    let mut fields = Vec::new();
    while let Some(word) = words.next_if(|&word| word != "moves") {
        fields.push(word);
    }
    let moves = words.skip(1).map(str::to_owned).collect();
    match kind {
        Some("startpos") => Command::Position { fen: None, moves },
        Some("fen") if !fields.is_empty() => {
            Command::Position { fen: Some(fields.join(" ")), moves }
        }
        _ => Command::Other,
    }
}

/// One side's clock; times in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Clock {
    pub(super) time: Option<u64>,
    pub(super) increment: Option<u64>,
    /// Moves to the next time control.
    pub(super) moves: Option<u64>,
}

/// What `go` asks for; times in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Go {
    pub(super) ponder: bool,
    pub(super) infinite: bool,
    /// UCCI: the opponent offers a draw.
    pub(super) draw: bool,
    pub(super) move_time: Option<u64>,
    pub(super) depth: Option<u64>,
    pub(super) nodes: Option<u64>,
    /// UCI: find a mate in so many moves.
    pub(super) mate: Option<u64>,
    /// The only moves to look at, as the GUI writes them.
    pub(super) search_moves: Vec<String>,
    /// By colour, as UCI has it.
    pub(super) by_side: [Clock; 2],
    /// By whose turn it is, as UCCI has it.
    pub(super) by_turn: [Clock; 2],
}

/// Longer times are meant as "no limit" anyway: ten years.
const MAX_TIME: u64 = 10 * 365 * 24 * 3600 * 1000;

impl Go {
    /// Reads a line; UCCI's times are in `unit` milliseconds.
    pub(super) fn read(line: &str, unit: u64) -> Self {
        let mut go = Self::default();
        let mut words = line.split_whitespace().skip(1).peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "draw" => go.draw = true,
                "searchmoves" => {
                    go.search_moves = words.by_ref().map(str::to_owned).collect();
                }
                // UCCI: `depth infinite`.
                "depth" if words.next_if_eq(&"infinite").is_some() => go.infinite = true,
                _ => {
                    if let Some(number) = words.peek().and_then(|word| number(word))
                        && let Some((field, unit)) = go.field(word, unit)
                    {
                        *field = Some(number.saturating_mul(unit));
                        words.next();
                    }
                }
            }
        }
        go
    }

    /// Where the number after a word goes, and what it is multiplied by.
    fn field(&mut self, word: &str, unit: u64) -> Option<(&mut Option<u64>, u64)> {
        let [red, black] = &mut self.by_side;
        let [own, other] = &mut self.by_turn;
        Some(match word {
            "movetime" => (&mut self.move_time, 1),
            "depth" => (&mut self.depth, 1),
            "nodes" => (&mut self.nodes, 1),
            "mate" => (&mut self.mate, 1),
            "wtime" => (&mut red.time, 1),
            "btime" => (&mut black.time, 1),
            "winc" => (&mut red.increment, 1),
            "binc" => (&mut black.increment, 1),
            "time" => (&mut own.time, unit),
            "increment" => (&mut own.increment, unit),
            "movestogo" => (&mut own.moves, 1),
            "opptime" => (&mut other.time, unit),
            "oppincrement" => (&mut other.increment, unit),
            "oppmovestogo" => (&mut other.moves, 1),
            _ => return None,
        })
    }

    /// The clocks of the side to move (0 Red, 1 Black) and of the other; what is not stated of the
    /// other side is as for the side to move. `None` without a clock.
    pub(super) fn clocks(&self, mover: usize) -> Option<[Clock; 2]> {
        let [own, other] = &self.by_turn;
        let both = |a: &Clock, b: &Clock| Clock {
            time: a.time.or(b.time).map(|time| time.min(MAX_TIME)),
            increment: a.increment.or(b.increment).map(|time| time.min(MAX_TIME)),
            moves: a.moves.or(b.moves),
        };
        let own = both(own, &self.by_side[mover]);
        own.time?;
        let other = both(&both(other, &self.by_side[1 - mover]), &own);
        Some([own, other])
    }

    /// Milliseconds after which the answer must be there; `None` for no limit in time.
    pub(super) fn time(&self, mover: usize) -> Option<u64> {
        let clock = || self.clocks(mover).and_then(|[own, _]| own.time);
        self.move_time.map(|time| time.min(MAX_TIME)).or_else(clock)
    }

    /// Whether nothing ends the search.
    pub(super) fn is_endless(&self, mover: usize) -> bool {
        let limits = [self.depth, self.nodes, self.mate];
        self.infinite || limits.iter().all(Option::is_none) && self.time(mover).is_none()
    }

    /// The command in `dialect`, after `elapsed` milliseconds of the time have gone. UCCI's times are
    /// in `unit` milliseconds; `only` are the moves to look at, as the engine writes them (UCI
    /// only).
    pub(super) fn text(
        &self,
        dialect: Dialect,
        mover: usize,
        elapsed: u64,
        unit: u64,
        only: &[String],
    ) -> String {
        let mut words = vec!["go".to_owned()];
        if self.ponder {
            words.push("ponder".to_owned());
        }
        match dialect {
            Dialect::Uci => {
                words.extend(self.uci_words(mover, elapsed));
                if !only.is_empty() {
                    words.push("searchmoves".to_owned());
                    words.extend_from_slice(only);
                }
            }
            Dialect::Ucci => {
                if self.draw && !self.ponder {
                    words.push("draw".to_owned());
                }
                words.push(self.ucci_mode(mover, elapsed, unit));
            }
        }
        words.join(" ")
    }

    fn uci_words(&self, mover: usize, elapsed: u64) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |name: &str, value: Option<u64>| {
            words.extend(value.map(|value| format!("{name} {value}")));
        };
        let left = |time: u64| time.saturating_sub(elapsed).max(1);
        add("depth", self.depth);
        add("nodes", self.nodes);
        add("mate", self.mate);
        add("movetime", self.move_time.map(left));
        if let Some(clocks) = self.clocks(mover) {
            let names = [["wtime", "winc"], ["btime", "binc"]];
            for (side, [time, increment]) in names.iter().enumerate() {
                let clock = clocks[usize::from(side != mover)];
                let gone = if side == mover { elapsed } else { 0 };
                add(time, clock.time.map(|time| time.saturating_sub(gone).max(1)));
                add(increment, clock.increment);
            }
            add("movestogo", clocks[0].moves);
        }
        if self.is_endless(mover) {
            words.push("infinite".to_owned());
        }
        words
    }

    fn ucci_mode(&self, mover: usize, elapsed: u64, unit: u64) -> String {
        let left = |time: u64| (time.saturating_sub(elapsed) / unit).max(1);
        match (self.move_time, self.clocks(mover)) {
            _ if self.is_endless(mover) => "infinite".to_owned(),
            (Some(time), _) => format!("time {} movestogo 1", left(time)),
            (None, Some([own, other])) => {
                let rest = |clock: Clock, opp: &str| match clock.moves {
                    Some(moves) => format!("{opp}movestogo {moves}"),
                    None => format!("{opp}increment {}", clock.increment.unwrap_or(0) / unit),
                };
                let own_time = left(own.time.unwrap_or(0));
                let time = (other.time.unwrap_or(0) / unit).max(1);
                format!("time {own_time} {} opptime {time} {}", rest(own, ""), rest(other, "opp"))
            }
            (None, None) => match (self.depth, self.nodes, self.mate) {
                (Some(depth), ..) => format!("depth {depth}"),
                (_, Some(nodes), _) => format!("nodes {nodes}"),
                (_, _, mate) => format!("depth {}", mate.unwrap_or(1).saturating_mul(2)),
            },
        }
    }
}

/// A number; clocks may have run below zero, and numbers beyond the type are the largest.
fn number(word: &str) -> Option<u64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(if digits.len() < word.len() { 0 } else { digits.parse().unwrap_or(u64::MAX) })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn option(line: &str) -> (String, String) {
        let Some(Command::SetOption { name, value }) = parse(line) else { return <_>::default() };
        (name, value)
    }

    #[test]
    fn options_of_both_dialects_are_read() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(option("setoption name Hash value 64\r"), pair("Hash", "64"));
        assert_eq!(option("setoption name Clear  Hash"), pair("Clear Hash", ""));
        assert_eq!(option("setoption name A value /a  b/c value"), pair("A", "/a  b/c value"));
        assert_eq!(option("setoption hashsize 64"), pair("hashsize", "64"));
        assert_eq!(option("setoption bookfiles a b;c"), pair("bookfiles", "a b;c"));
        assert_eq!(parse("setoption newgame"), Some(Command::NewGame));
        assert_eq!(parse("setoption"), Some(Command::Other));
        assert_eq!(parse("setoption name"), Some(Command::Other));
    }

    #[test]
    fn positions_are_read_with_and_without_their_word() {
        let at = |fen: Option<&str>, moves: &[&str]| {
            let moves = moves.iter().map(|&mv| mv.to_owned()).collect();
            Some(Command::Position { fen: fen.map(str::to_owned), moves })
        };
        assert_eq!(parse("position startpos moves h2e2"), at(None, &["h2e2"]));
        assert_eq!(parse("startpos moves h2e2"), at(None, &["h2e2"]));
        assert_eq!(parse("fen 4k4/9 w moves a0a1"), at(Some("4k4/9 w"), &["a0a1"]));
        assert_eq!(parse("position fen 4k4/9 b - - 0 1"), at(Some("4k4/9 b - - 0 1"), &[]));
        assert_eq!(parse("position fen"), Some(Command::Other));
        assert_eq!(parse("position"), Some(Command::Other));
    }

    #[test]
    fn searches_are_translated_both_ways() {
        let to = |line: &str, dialect, mover| Go::read(line, 1).text(dialect, mover, 0, 1, &[]);
        let ucci = |line, mover| to(line, Dialect::Ucci, mover);
        let uci = |line, mover| to(line, Dialect::Uci, mover);
        let clocks = "go wtime 9000 btime 8000 winc 10 binc 20";
        assert_eq!(ucci(clocks, 0), "go time 9000 increment 10 opptime 8000 oppincrement 20");
        assert_eq!(ucci(clocks, 1), "go time 8000 increment 20 opptime 9000 oppincrement 10");
        assert_eq!(
            uci("go ponder time 9 increment 1 opptime 8", 1),
            "go ponder wtime 8 winc 1 btime 9 binc 1"
        );
        assert_eq!(uci("go time 9 movestogo 3", 0), "go wtime 9 btime 9 movestogo 3");
        assert_eq!(ucci("go movetime 500 depth 7", 0), "go time 500 movestogo 1");
        assert_eq!(uci("go movetime 500 depth 7", 0), "go depth 7 movetime 500");
        assert_eq!(uci("go depth infinite", 0), "go infinite");
        assert_eq!(ucci("go infinite", 0), "go infinite");
        assert_eq!((ucci("go", 0), uci("go", 0)), ("go infinite".into(), "go infinite".into()));
        assert_eq!(ucci("go draw nodes 5", 0), "go draw nodes 5");
        assert_eq!(ucci("go mate 3", 0), "go depth 6");
        assert_eq!(uci("go wtime -5 btime x depth", 0), "go wtime 1 btime 1");
    }

    #[test]
    fn units_and_gone_time_are_taken_into_account() {
        let go = Go::read("go time 60 increment 2 opptime 30", 1000);
        assert_eq!(go.time(0), Some(60_000));
        assert_eq!(
            go.text(Dialect::Uci, 0, 500, 1, &["h2e2".to_owned()]),
            "go wtime 59500 winc 2000 btime 30000 binc 2000 searchmoves h2e2"
        );
        assert_eq!(
            go.text(Dialect::Ucci, 0, 500, 1000, &[]),
            "go time 59 increment 2 opptime 30 oppincrement 2"
        );
        let huge = Go::read("go wtime 99999999999999999999999", 1000);
        assert_eq!(huge.time(0), Some(MAX_TIME));
    }

    proptest! {
        #[test]
        fn no_line_panics(line: String, words in "(go|setoption|position|fen|name|value|depth|time|moves|[0-9-]{1,30}| ){0,12}") {
            for line in [&line, &words] {
                let _unused = parse(line);
                for (mover, dialect) in [(0, Dialect::Uci), (1, Dialect::Ucci)] {
                    let text = Go::read(line, 1000).text(dialect, mover, 7, 1000, &[]);
                    prop_assert!(text.starts_with("go"));
                }
            }
        }
    }
}
