//! The commands that a GUI sends, read from one line each. The words of all dialects are understood
//! together; where they mean different things, the session decides.

use std::iter::Peekable;

use super::Dialect;

/// One line, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// `uci`, `ucicyclone` or `ucci`: introduce yourself.
    Handshake(Dialect),
    /// `isready`.
    IsReady,
    /// `ucinewgame`.
    NewGame,
    /// `setoption`: the words after it. UCI writes `name <name> [value <value>]`, UCCI
    /// `<name> [<value>]`, and some GUIs write the one to engines of the other.
    SetOption(Vec<String>),
    /// `position`, or in UCI-Cyclone what comes after that word alone.
    Position {
        /// What to set up.
        setup: Setup,
        /// The word `position` was left out.
        bare: bool,
    },
    /// `banmoves` (UCCI): moves not to be played in the position that was set up last.
    BanMoves(Vec<String>),
    /// `go`.
    Go(Box<Go>),
    /// `stop`.
    Stop,
    /// `ponderhit`: the move pondered on was played.
    PonderHit {
        /// The opponent offers a draw (UCCI).
        draw: bool,
    },
    /// `probe` (UCCI): what does the transposition table know of this position?
    Probe(Setup),
    /// `debug on` and `debug off`.
    Debug(bool),
    /// `quit`.
    Quit,
    /// `d`: show the position.
    Display,
    /// Known, but nothing to do.
    Ignored,
}

/// A position: where it begins, and the moves since.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Setup {
    /// `None` for the start of a game. UCCI gives the position after the last capture.
    pub fen: Option<String>,
    /// In the GUI's coordinates.
    pub moves: Vec<String>,
}

/// The clock of one player. Times are milliseconds, those of UCCI seconds until the option
/// `usemillisec` is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SideClock {
    /// Time left.
    pub time: Option<u64>,
    /// Added after every move.
    pub increment: u64,
}

/// What `go` asks for. Numbers too large for their type are the largest.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Go {
    /// UCI: of the side that moves first in a game.
    pub first: SideClock,
    /// UCI: of the other side.
    pub second: SideClock,
    /// UCCI: of the side to move.
    pub own: SideClock,
    /// UCCI: of its opponent. Nothing depends on it, as the protocol allows.
    pub opponent: SideClock,
    /// Moves to the next time control.
    pub moves_to_go: Option<u32>,
    /// Time for this move, in milliseconds.
    pub move_time: Option<u64>,
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// End with a mate in so many moves.
    pub mate: Option<u32>,
    /// Do not search, but count the leaves of the tree of so many plies.
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

impl Command {
    /// Reads a line; `None` for an empty one.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for people.
    pub fn parse(line: &str) -> Option<Result<Self, String>> {
        let mut words = line.split_whitespace();
        let first = words.next()?;
        let rest = words.collect::<Vec<_>>();
        if let Some(dialect) = Dialect::of_handshake(first) {
            return Some(Ok(Self::Handshake(dialect)));
        }
        Some(match first {
            "isready" => Ok(Self::IsReady),
            "ucinewgame" | "uccinewgame" | "uxinewgame" => Ok(Self::NewGame),
            "setoption" => Ok(Self::SetOption(owned(&rest))),
            "position" => setup(&rest).map(|setup| Self::Position { setup, bare: false }),
            "fen" | "startpos" => {
                let words: Vec<&str> = std::iter::once(first).chain(rest).collect();
                setup(&words).map(|setup| Self::Position { setup, bare: true })
            }
            "banmoves" => Ok(Self::BanMoves(owned(&rest))),
            "go" => Ok(Self::Go(Box::new(Go::parse(&rest)))),
            "stop" => Ok(Self::Stop),
            "ponderhit" => Ok(Self::PonderHit { draw: rest.first() == Some(&"draw") }),
            "probe" => setup(&rest).map(Self::Probe),
            "debug" => match rest.first() {
                Some(&"on") => Ok(Self::Debug(true)),
                Some(&"off") => Ok(Self::Debug(false)),
                _ => Err("debug wants: debug on|off".to_owned()),
            },
            "quit" => Ok(Self::Quit),
            "d" => Ok(Self::Display),
            "register" => Ok(Self::Ignored),
            other if other.starts_with('#') => Ok(Self::Ignored),
            other => Err(format!("unknown command: {}", shortened(other))),
        })
    }

    /// Whether it can be obeyed while a search runs.
    pub(super) const fn is_urgent(&self) -> bool {
        match self {
            Self::Handshake(_)
            | Self::IsReady
            | Self::Stop
            | Self::PonderHit { .. }
            | Self::Probe(_)
            | Self::Debug(_)
            | Self::Quit
            | Self::Ignored => true,
            Self::NewGame
            | Self::SetOption(_)
            | Self::Position { .. }
            | Self::BanMoves(_)
            | Self::Go(_)
            | Self::Display => false,
        }
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// `startpos | fen <fields>`, then `[moves <moves>]`.
fn setup(words: &[&str]) -> Result<Setup, String> {
    let Some((&kind, rest)) = words.split_first() else {
        return Err("position wants: position startpos|fen <fen> [moves <moves>]".to_owned());
    };
    let end = rest.iter().position(|&word| word == "moves").unwrap_or(rest.len());
    let moves = owned(rest.get(end + 1..).unwrap_or_default());
    let fen = match kind {
        "startpos" if end == 0 => None,
        "fen" if end > 0 => Some(rest[..end].join(" ")),
        "fen" => return Err("position fen without a FEN".to_owned()),
        _ => {
            let word = rest.first().filter(|_| kind == "startpos").unwrap_or(&kind);
            return Err(format!("position: unexpected \"{}\"", shortened(word)));
        }
    };
    Ok(Setup { fen, moves })
}

impl Go {
    /// What cannot be understood is left out, so that every `go` has its answer.
    fn parse(words: &[&str]) -> Self {
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
        match word {
            "wtime" => self.first.time = Some(time(words)?),
            "btime" => self.second.time = Some(time(words)?),
            "winc" => self.first.increment = time(words)?,
            "binc" => self.second.increment = time(words)?,
            "time" => self.own.time = Some(time(words)?),
            "opptime" => self.opponent.time = Some(time(words)?),
            "increment" => self.own.increment = time(words)?,
            "oppincrement" => self.opponent.increment = time(words)?,
            "movestogo" => self.moves_to_go = Some(small_number(words)?),
            "oppmovestogo" => {
                small_number(words)?;
            }
            "movetime" => self.move_time = Some(time(words)?),
            _ => return None,
        }
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
}

/// Whether a word may be a move rather than one of `go`'s other words: those have no digits.
fn is_like_a_move(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic())
        && word.bytes().any(|byte| byte.is_ascii_digit())
}

/// Clocks may have run below zero.
fn time<'w>(words: &mut Peekable<impl Iterator<Item = &'w str>>) -> Option<u64> {
    let below_zero = |word: &&str| word.strip_prefix('-').and_then(digits).is_some();
    if words.next_if(below_zero).is_some() {
        return Some(0);
    }
    number(words)
}

fn small_number<'w>(words: &mut Peekable<impl Iterator<Item = &'w str>>) -> Option<u32> {
    number(words).map(|value| u32::try_from(value).unwrap_or(u32::MAX))
}

/// Takes the next word if it is a number.
fn number<'w>(words: &mut Peekable<impl Iterator<Item = &'w str>>) -> Option<u64> {
    words.next_if(|word| digits(word).is_some()).and_then(digits)
}

/// Numbers beyond the type's largest are meant as "no limit" and become that.
fn digits(word: &str) -> Option<u64> {
    let is_number = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| word.parse().unwrap_or(u64::MAX))
}

/// A word for a message: without control characters and not long.
pub(super) fn shortened(word: &str) -> String {
    const LEN: usize = 40;
    let mut text: String = word.chars().filter(|c| !c.is_control()).take(LEN).collect();
    if word.chars().nth(LEN).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> Command {
        Command::parse(line).unwrap().unwrap()
    }

    fn go(line: &str) -> Go {
        let Command::Go(go) = command(line) else { unreachable!("{line}") };
        *go
    }

    fn clock(time: u64, increment: u64) -> SideClock {
        SideClock { time: Some(time), increment }
    }

    #[test]
    fn reads_handshakes_and_options() {
        assert_eq!(command("uci"), Command::Handshake(Dialect::Uci));
        assert_eq!(command("ucicyclone\r\n"), Command::Handshake(Dialect::Cyclone));
        assert_eq!(command(" ucci "), Command::Handshake(Dialect::Ucci));
        let words = |words: &[&str]| Command::SetOption(owned(words));
        assert_eq!(command(" setoption  name Clear Hash \r\n"), words(&["name", "Clear", "Hash"]));
        assert_eq!(command("setoption hashsize 64"), words(&["hashsize", "64"]));
    }

    #[test]
    fn reads_positions() {
        let position = |fen: Option<&str>, moves: &[&str], bare| Command::Position {
            setup: Setup { fen: fen.map(str::to_owned), moves: owned(moves) },
            bare,
        };
        let moves = &["h2e2", "h9g7"];
        assert_eq!(command("position startpos moves h2e2 h9g7"), position(None, moves, false));
        assert_eq!(command("startpos moves h2e2 h9g7"), position(None, moves, true));
        let fen = Some("4k4/9 w - - 0 1");
        assert_eq!(command("position fen 4k4/9 w - - 0 1 moves"), position(fen, &[], false));
        assert_eq!(command("fen 4k4/9 w - - 0 1"), position(fen, &[], true));
        for bad in [
            "position",
            "position fen",
            "position fen moves a0a1",
            "position startpos x",
            "fen",
            "probe",
            "probe h2e2",
        ] {
            assert!(Command::parse(bad).unwrap().is_err(), "{bad}");
        }
    }

    #[test]
    fn reads_the_clocks_of_both_protocols() {
        let expected = Go {
            first: clock(0, 10),
            second: clock(1000, 0),
            moves_to_go: Some(3),
            ponder: true,
            ..Go::default()
        };
        assert_eq!(go("go wtime -5 btime 1000 winc 10 movestogo 3 ponder"), expected);
        let expected =
            Go { own: clock(300, 2), opponent: clock(400, 3), draw: true, ..Go::default() };
        assert_eq!(go("go draw time 300 increment 2 opptime 400 oppincrement 3"), expected);
        assert_eq!(go("go time 9 movestogo 5 opptime 8 oppmovestogo 4").moves_to_go, Some(5));
    }

    #[test]
    fn reads_other_limits() {
        let go_words = go("go searchmoves h2e2 a10a9 infinite mate 3 perft 2 nodes 5");
        let expected = Go {
            search_moves: owned(&["h2e2", "a10a9"]),
            infinite: true,
            mate: Some(3),
            perft: Some(2),
            nodes: Some(5),
            ..Go::default()
        };
        assert_eq!(go_words, expected);
        assert_eq!(go("go depth infinite"), Go { infinite: true, ..Go::default() });
        assert_eq!(command("ponderhit draw"), Command::PonderHit { draw: true });
        assert_eq!(command("banmoves h2e2"), Command::BanMoves(owned(&["h2e2"])));
    }

    #[test]
    fn numbers_too_large_are_the_largest_and_bad_ones_left_out() {
        let huge = "99999999999999999999";
        assert_eq!(go(&format!("go depth {huge}")).depth, Some(u32::MAX));
        assert_eq!(go("go depth 99999999999").depth, Some(u32::MAX));
        assert_eq!(go(&format!("go nodes {huge}")).nodes, Some(u64::MAX));
        assert_eq!(go(&format!("go movetime {huge}")).move_time, Some(u64::MAX));
        assert_eq!(go(&format!("go wtime -{huge}")).first.time, Some(0));
        for (line, ignored) in [
            ("go depth", &["depth"][..]),
            ("go depth x nodes 5", &["depth", "x"]),
            ("go depth nodes 5", &["depth"]),
            ("go depth -1 nodes 5", &["depth", "-1"]),
        ] {
            let go = go(line);
            assert_eq!((go.depth, go.ignored), (None, owned(ignored)));
            assert_eq!(go.nodes.is_some(), line.ends_with('5'), "{line}");
        }
    }

    #[test]
    fn unknown_words_are_errors_and_blank_lines_nothing() {
        assert!(Command::parse("").is_none());
        assert!(Command::parse("  \r").is_none());
        assert!(Command::parse("xyzzy").unwrap().unwrap_err().contains("xyzzy"));
        assert!(Command::parse(&"x".repeat(1000)).unwrap().unwrap_err().len() < 100);
    }
}
