//! A client for foreign engines that speak UCI, each in a process of its own.
//!
//! Nothing that an engine does or leaves undone makes a call hang: every call that waits has a time
//! after which it gives up, lines are cut at a length, and what is not read waits in the pipe, not in
//! memory. An engine that crashes, falls silent or breaks the protocol is an error that says so; the
//! process is killed where the client is dropped.

mod appraise;
mod child;
mod info;

use std::time::{Duration, Instant};

pub use appraise::{ClientAppraiser, spawn_appraisers};
use child::{Child, Heard};
pub use info::{EngineScore, Info};

pub use crate::protocol::Ranks;

/// How to start an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineCommand {
    /// The program, looked up as a shell would.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl EngineCommand {
    /// From one text: words separated by blanks; quotes, single or double, keep blanks in a word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for c in text.chars() {
            match (quote, c) {
                (Some(open), c) if c == open => quote = None,
                (None, '"' | '\'') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, c) if c.is_whitespace() => words.extend(word.take()),
                (_, c) => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        let mut words = words.into_iter();
        let program = words.next().filter(|_| quote.is_none())?;
        Some(Self { program, args: words.collect() })
    }
}

/// Why an engine is of no use any more. The message names the engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// It cannot be started.
    #[error("{engine}: cannot be started; is the path right, and the file a program?")]
    Start {
        /// The program.
        engine: String,
        /// Why.
        source: std::io::Error,
    },
    /// It has ended by itself.
    #[error("{engine}: ended ({status}) while {doing}{last_words}")]
    Ended {
        /// The program.
        engine: String,
        /// Its exit code or signal.
        status: String,
        /// What was expected of it.
        doing: &'static str,
        /// The end of what it wrote to standard error.
        last_words: String,
    },
    /// It does not answer.
    #[error("{engine}: no answer within {} s while {doing}", waited.as_secs_f64())]
    Silent {
        /// The program.
        engine: String,
        /// What was expected of it.
        doing: &'static str,
        /// How long was waited.
        waited: Duration,
    },
    /// It does not read what it is told.
    #[error("{engine}: does not read its commands")]
    Deaf {
        /// The program.
        engine: String,
    },
    /// It lacks an option.
    #[error("{engine}: has no option {option}")]
    NoOption {
        /// The program.
        engine: String,
        /// The option.
        option: String,
    },
}

/// How long an engine may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// From its start to `uciok`, and for each `readyok`.
    pub start: Duration,
    /// For a search without a time limit of its own; then for one that has one, beyond it.
    pub search: Duration,
    /// From `stop` to `bestmove`, and from `quit` to the end.
    pub stop: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(20),
            search: Duration::from_secs(600),
            stop: Duration::from_secs(5),
        }
    }
}

/// When a search ends; nothing set means at [`Patience::search`].
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

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thought {
    /// The move in our coordinates; `None` if the engine says that there is none.
    pub best: Option<String>,
    /// The answer that it expects.
    pub ponder: Option<String>,
    /// The last it said of its best line.
    pub info: Info,
}

/// A running engine.
#[derive(Debug)]
pub struct Client {
    child: Child,
    patience: Patience,
    name: Option<String>,
    /// Names of its options as it writes them.
    options: Vec<String>,
    ranks: Ranks,
}

/// Options that are remembered, at most.
const MAX_OPTIONS: usize = 1000;

impl Client {
    /// Starts an engine; nothing is said to it yet.
    ///
    /// # Errors
    ///
    /// [`ClientError::Start`].
    pub fn spawn(command: &EngineCommand, patience: Patience) -> Result<Self, ClientError> {
        let child = Child::spawn(command, patience.stop)?;
        Ok(Self { child, patience, name: None, options: Vec::new(), ranks: Ranks::FromZero })
    }

    /// Says `uci` and reads what the engine says about itself. An engine that lists
    /// `UCI_Variant` with `xiangqi` plays several games, and is told which; it counts ranks from 1.
    ///
    /// # Errors
    ///
    /// If it ends, or is silent.
    pub fn handshake(&mut self) -> Result<(), ClientError> {
        self.child.say("uci")?;
        let mut variants = false;
        let deadline = Instant::now() + self.patience.start;
        loop {
            let line = self.hear("starting", deadline, self.patience.start)?;
            let mut words = line.split_whitespace();
            match (words.next(), words.next()) {
                (Some("uciok"), _) => break,
                (Some("id"), Some("name")) => {
                    self.name = Some(words.collect::<Vec<_>>().join(" "));
                }
                (Some("option"), Some("name")) if self.options.len() < MAX_OPTIONS => {
                    let name: Vec<&str> = words.by_ref().take_while(|&w| w != "type").collect();
                    let name = name.join(" ");
                    variants |= name == "UCI_Variant" && words.any(|word| word == "xiangqi");
                    self.options.push(name);
                }
                _ => {}
            }
        }
        if variants {
            self.set_option("UCI_Variant", "xiangqi")?;
            self.ranks = Ranks::FromOne;
        }
        self.is_ready()
    }

    /// The name that the engine gives itself, else the program's.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(self.child.engine())
    }

    /// Whether it has that option; in any case, as the protocol says.
    #[must_use]
    pub fn has_option(&self, name: &str) -> bool {
        self.options.iter().any(|option| option.eq_ignore_ascii_case(name))
    }

    /// How the engine counts ranks; [`handshake`](Self::handshake) finds out.
    #[must_use]
    pub const fn ranks(&self) -> Ranks {
        self.ranks
    }

    /// Says how the engine counts ranks, where it is not what it seems.
    pub const fn set_ranks(&mut self, ranks: Ranks) {
        self.ranks = ranks;
    }

    /// Sets an option; line breaks in the value become blanks.
    ///
    /// # Errors
    ///
    /// [`ClientError::NoOption`] if it did not list that option, and where it does not read.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), ClientError> {
        if !self.has_option(name) {
            let engine = self.child.engine().to_owned();
            return Err(ClientError::NoOption { engine, option: name.to_owned() });
        }
        self.child.say(&format!("setoption name {name} value {value}"))
    }

    /// Waits until the engine has done all that it was told.
    ///
    /// # Errors
    ///
    /// If it ends, is silent, or does not read.
    pub fn is_ready(&mut self) -> Result<(), ClientError> {
        self.child.say("isready")?;
        let deadline = Instant::now() + self.patience.start;
        while self.hear("getting ready", deadline, self.patience.start)?.trim() != "readyok" {}
        Ok(())
    }

    /// Says that another game begins.
    ///
    /// # Errors
    ///
    /// As [`is_ready`](Self::is_ready).
    pub fn new_game(&mut self) -> Result<(), ClientError> {
        self.child.say("ucinewgame")?;
        self.is_ready()
    }

    /// Sets up a position: FEN (`None` for the start of a game) and moves in our coordinates.
    ///
    /// # Errors
    ///
    /// If it does not read.
    pub fn position<'a>(
        &mut self,
        fen: Option<&str>,
        moves: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ClientError> {
        let mut text =
            fen.map_or_else(|| "position startpos".to_owned(), |fen| format!("position fen {fen}"));
        for (i, mv) in moves.into_iter().enumerate() {
            text += if i == 0 { " moves " } else { " " };
            text += &self.ranks.theirs(mv);
        }
        self.child.say(&text)
    }

    /// Lets the engine search the position that was set up. `stop` is asked every 50 ms; once it
    /// says so, or the time is over, the engine is told to stop.
    ///
    /// # Errors
    ///
    /// If it ends, or does not answer even after `stop`.
    pub fn go(
        &mut self,
        limits: &GoLimits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Thought, ClientError> {
        self.child.say(&limits.command())?;
        let allowed = limits.time().map_or(self.patience.search, |time| time + self.patience.stop);
        let began = Instant::now();
        let mut deadline = began + allowed;
        let mut stopped = false;
        let mut info = Info::default();
        loop {
            let step = deadline.min(Instant::now() + LOOK);
            match self.child.hear(step) {
                Heard::Line(line) => {
                    if let Some((best, ponder)) = info::best_move(&line) {
                        let read = |mv: &str| self.ranks.ours(mv);
                        info.pv.iter_mut().for_each(|mv| *mv = read(mv));
                        let (best, ponder) = (best.map(read), ponder.map(read));
                        return Ok(Thought { best, ponder, info });
                    }
                    info.read(&line);
                }
                Heard::End => return Err(self.child.ended("thinking")),
                Heard::Nothing => {}
            }
            let late = Instant::now() >= deadline;
            if late && stopped {
                let waited = began.elapsed();
                return Err(self.silent("thinking", waited));
            }
            if !stopped && (late || stop()) {
                self.stop()?;
                stopped = true;
                deadline = Instant::now() + self.patience.stop;
            }
        }
    }

    /// Tells the engine to end its search.
    ///
    /// # Errors
    ///
    /// If it does not read.
    pub fn stop(&mut self) -> Result<(), ClientError> {
        self.child.say("stop")
    }

    /// Tells the engine to end, and ends it if it does not.
    pub fn quit(mut self) {
        if self.child.say("quit").is_ok() {
            self.child.wait(self.patience.stop);
        }
    }

    fn hear(
        &mut self,
        doing: &'static str,
        deadline: Instant,
        waited: Duration,
    ) -> Result<String, ClientError> {
        match self.child.hear(deadline) {
            Heard::Line(line) => Ok(line),
            Heard::End => Err(self.child.ended(doing)),
            Heard::Nothing => Err(self.silent(doing, waited)),
        }
    }

    fn silent(&self, doing: &'static str, waited: Duration) -> ClientError {
        ClientError::Silent { engine: self.child.engine().to_owned(), doing, waited }
    }
}

/// How often a search is asked whether it shall stop.
const LOOK: Duration = Duration::from_millis(50);

impl GoLimits {
    fn command(&self) -> String {
        use std::fmt::Write;
        let mut text = "go".to_owned();
        let mut add = |name: &str, value: u128| {
            let written = write!(text, " {name} {value}");
            debug_assert!(written.is_ok(), "writing to a string cannot fail");
        };
        if let Some(depth) = self.depth {
            add("depth", depth.into());
        }
        if let Some(nodes) = self.nodes {
            add("nodes", nodes.into());
        }
        if let Some(time) = self.move_time {
            add("movetime", time.as_millis());
        }
        if let Some(clocks) = &self.clocks {
            for (i, (time, increment)) in [("wtime", "winc"), ("btime", "binc")].iter().enumerate()
            {
                add(time, clocks.remaining[i].as_millis());
                add(increment, clocks.increment[i].as_millis());
            }
            if let Some(moves) = clocks.moves_to_go {
                add("movestogo", moves.into());
            }
        }
        if *self == Self::default() { "go infinite".to_owned() } else { text }
    }

    /// The time after which the engine must have moved by itself.
    fn time(&self) -> Option<Duration> {
        let clock = self.clocks.as_ref().and_then(|c| c.remaining.get(c.mover)).copied();
        self.move_time.or(clock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_would() {
        let parse = |text| EngineCommand::parse(text).map(|c| (c.program, c.args));
        let args = |args: &[&str]| args.iter().map(|&a| a.to_owned()).collect::<Vec<_>>();
        assert_eq!(parse("pikafish"), Some(("pikafish".into(), vec![])));
        assert_eq!(
            parse(" '/my engines/x' uci  --name \"a b\" '' "),
            Some(("/my engines/x".into(), args(&["uci", "--name", "a b", ""])))
        );
        assert_eq!(parse("  "), None);
        assert_eq!(parse("x 'y"), None);
    }

    #[test]
    fn limits_are_told_as_the_protocol_says() {
        let limits = GoLimits { depth: Some(3), nodes: Some(9), ..GoLimits::default() };
        assert_eq!(limits.command(), "go depth 3 nodes 9");
        assert_eq!(GoLimits::default().command(), "go infinite");
        let clocks = Clocks {
            remaining: [Duration::from_secs(9), Duration::from_secs(8)],
            increment: [Duration::ZERO; 2],
            moves_to_go: Some(4),
            mover: 1,
        };
        let limits = GoLimits { clocks: Some(clocks), ..GoLimits::default() };
        assert_eq!(limits.command(), "go wtime 9000 winc 0 btime 8000 binc 0 movestogo 4");
        assert_eq!(limits.time(), Some(Duration::from_secs(8)));
    }
}
