//! A client for engines that speak UCI, UCCI, UCI-Cyclone or the Gomocup protocol, each in a process of its own, or this
//! program's own engine in threads of this one.
//!
//! Nothing that an engine does or leaves undone makes a call hang: every call that waits has a time
//! after which it gives up, lines are cut at a length, and what is not read waits in the pipe, not in
//! memory. An engine that crashes, falls silent or breaks the protocol is an error that says so; the
//! process is killed where the client is dropped.

pub(crate) mod analysis;
mod brain;
mod child;
mod entry;
mod evaluator;
mod go;
mod greeting;
mod process;
mod ready;
mod recent;
mod reports;
mod start_fault;
mod tuning;

use std::io::BufReader;
use std::time::{Duration, Instant};

use brain::Brain;
use child::{Child, ChildOutput};
pub use entry::{EngineEntry, EngineSizes, LONGEST_ENGINE_NAME, is_engine_name};
pub use evaluator::{ClientEvaluator, evaluators_of, spawn_evaluators};
pub use go::{Clocks, GoLimits};
pub use tuning::{NumberOption, Tuning, Untuned};

pub(crate) use greeting::{Announcements, Greeting, Introduced, MILLISECONDS, VARIANT};
pub(crate) use process::Process;
pub(crate) use ready::ReadyWord;
use recent::RecentWords;
use reports::Reports;

use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::format::Offer;
use crate::protocol::wire::go::Go;
use crate::protocol::wire::info::{Info, InfoLine, ReadInfo};
use crate::protocol::wire::ranks::Ranks;

use crate::bytes::StopFlag;
use crate::engine::{Engine, EngineError, Playable};
use crate::game::{Line, Notation};
use crate::message::{Message, message};
use crate::protocol;
use crate::protocol::wire::format::shortened;
use crate::protocol::wire::format::{Answer, Crossing, Wire};
use crate::protocol::wire::gomocup::Reply;

/// The command that starts an engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineCommand {
    /// The program, looked up as a shell would.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
}

impl EngineCommand {
    /// Returns true if the program is called as managers of gomoku engines want it: `pbrain-…`.
    fn is_brain(&self) -> bool {
        let file = std::path::Path::new(&self.program).file_name().and_then(|name| name.to_str());
        let start = file.and_then(|file| file.get(.."pbrain-".len()));
        start.is_some_and(|start| start.eq_ignore_ascii_case("pbrain-"))
    }

    /// The command as one text, which [`parse`](Self::parse) reads as it is here; `None` where a word has quotes of
    /// both kinds.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        let words = std::iter::once(&self.program).chain(&self.args);
        let words: Option<Vec<String>> = words.map(|word| quoted(word)).collect();
        words.map(|words| words.join(" "))
    }

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

/// A word of a command, in quotes where it needs some.
fn quoted(word: &str) -> Option<String> {
    if !word.is_empty() && word.chars().all(|c| !c.is_whitespace() && !['"', '\''].contains(&c)) {
        return Some(word.to_owned());
    }
    let quote = ['"', '\''].into_iter().find(|&quote| !word.contains(quote))?;
    Some(format!("{quote}{word}{quote}"))
}

/// The reason why an engine is of no use any more. The message names the engine.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum ClientError {
    /// It cannot be started.
    #[error("{engine}: cannot be started: {why}")]
    Start {
        /// The program.
        engine: String,
        /// The fault, and what to do.
        why: Message,
        /// The cause.
        source: std::io::Error,
    },
    /// It has ended by itself.
    #[error("{engine}: ended ({status}) while {doing}{last_words}")]
    Ended {
        /// The program.
        engine: String,
        /// Its exit code or signal.
        status: String,
        /// The work that was expected of it.
        doing: &'static str,
        /// The end of what it wrote to standard error.
        last_words: String,
    },
    /// It does not answer.
    #[error("{engine}: no answer within {} s while {doing}", tenths(*waited))]
    Silent {
        /// The program.
        engine: String,
        /// The work that was expected of it.
        doing: &'static str,
        /// The time that was waited.
        waited: Duration,
    },
    /// It speaks, but in no way that is known.
    #[error(
        "{engine}: no answer in a protocol that is known here within {} s while starting; it says: {said}",
        tenths(*waited)
    )]
    Unknown {
        /// The program.
        engine: String,
        /// The time that was waited.
        waited: Duration,
        /// Its first line, shortened.
        said: String,
    },
    /// Its move is illegal.
    #[error("{engine}: played the illegal move {mv}")]
    IllegalMove {
        /// Its name.
        engine: String,
        /// The move, shortened.
        mv: String,
    },
    /// It finds no move where there are some.
    #[error("{engine}: says that there is no move")]
    NoMove {
        /// Its name.
        engine: String,
    },
    /// It does not read its commands.
    #[error("{engine}: does not read its commands")]
    NotReading {
        /// The program.
        engine: String,
    },
    /// The own engine cannot be set up.
    #[error("self: {0}")]
    Own(EngineError),
    /// It cannot play what it should.
    #[error("{engine}: {what}")]
    Refused {
        /// The program.
        engine: String,
        /// The reason: what it cannot play, or says about it.
        what: Message,
    },
    /// It lacks an option.
    #[error("{engine}: has no option {option}")]
    NoOption {
        /// The program.
        engine: String,
        /// The option.
        option: String,
    },
    /// An option cannot have that value.
    #[error("{engine}: option {option}: \"{value}\" is not {range}")]
    BadOption {
        /// The program.
        engine: String,
        /// The option.
        option: String,
        /// The value, shortened.
        value: String,
        /// The values that it can have.
        range: String,
    },
}

impl ClientError {
    /// An engine, or a thread of it, that cannot be started for a reason that its file does not have.
    pub(crate) fn start(engine: &str, source: std::io::Error) -> Self {
        let why = "pipes or threads are missing".into();
        Self::Start { engine: engine.to_owned(), why, source }
    }

    /// The remedy, where the fault shows one: a build for another processor, a file that is missing.
    #[must_use]
    pub fn remedy(&self) -> Option<Message> {
        match self {
            Self::Ended { status, last_words, .. } => start_fault::remedy(status, last_words),
            Self::Refused { what, .. } => start_fault::remedy("", &what.to_string()),
            _ => None,
        }
    }
}

/// The times that an engine may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// From its start to `uciok`, and for each `readyok`; a quarter of it for the `readyok` of an engine of
    /// UCCI that has never sent that word and need not know it.
    pub start: Duration,
    /// For a search without a time limit of its own; then for one that has one, beyond it.
    pub search: Duration,
    /// From `stop` to `bestmove`, and from `quit` to the end.
    pub stop: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(20),
            search: Duration::from_secs(600),
            stop: Duration::from_secs(5),
        }
    }
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Thought {
    /// The move in our coordinates; `None` if the engine reports that there is none.
    pub best: Option<String>,
    /// The answer that it expects.
    pub ponder: Option<String>,
    /// The offer that comes with its move; only UCCI has words for it.
    pub offer: Option<Offer>,
    /// Its latest report on its best line.
    pub info: Info,
    /// From the command to the answer, as the client sees it.
    pub took: Duration,
}

/// A running engine.
#[derive(Debug)]
pub struct Client {
    child: Child,
    timeouts: Timeouts,
    name: Option<String>,
    author: Option<String>,
    options: Announcements,
    wire: Wire,
    crossing: Crossing,
    /// The setup that an engine of the Gomocup protocol was sent.
    brain: Brain,
    /// Its latest messages to people.
    recent: RecentWords,
    /// Its latest `ERROR` since it was asked for a move.
    refusal: Option<String>,
    ready: ReadyWord,
    warnings: Vec<String>,
    /// Set if nobody waits for it any more, while it starts.
    stop: Option<StopFlag>,
}

/// The meaning of a line that came while an engine thinks.
enum ThoughtLine {
    /// Its move.
    Answer(Answer),
    /// A line of play.
    Report(InfoLine),
    /// Anything else.
    Other,
}

/// Messages of an engine that are kept.
const MAX_NOTICES: usize = 20;

impl Client {
    /// Starts an engine; no line is sent to it yet.
    ///
    /// # Errors
    ///
    /// [`ClientError::Start`].
    pub fn spawn(command: &EngineCommand, timeouts: Timeouts) -> Result<Self, ClientError> {
        Ok(Self::new(Child::spawn(command, timeouts.stop)?, timeouts))
    }

    /// Starts an engine and greets it. Without a `protocol` one whose file is called `pbrain-…` is addressed in the
    /// Gomocup protocol, as is one that answers `UNKNOWN`. Else UCI is tried first; an engine that ends
    /// at that word is started again and addressed in UCCI, and one that answers only after it was
    /// greeted in both is started again and greeted in the one that it answered.
    ///
    /// # Errors
    ///
    /// As [`spawn`](Self::spawn) and [`handshake`](Self::handshake).
    pub fn start(
        command: &EngineCommand,
        protocol: Option<Dialect>,
        timeouts: Timeouts,
    ) -> Result<Self, ClientError> {
        Self::start_again(command, protocol, timeouts, ReadyWord::default())
    }

    /// As [`start`](Self::start), for an engine whose way of answering `isready` is known.
    pub(crate) fn start_again(
        command: &EngineCommand,
        protocol: Option<Dialect>,
        timeouts: Timeouts,
        ready: ReadyWord,
    ) -> Result<Self, ClientError> {
        Self::start_until(command, protocol, timeouts, ready, None)
    }

    /// As [`start_again`](Self::start_again); once `stop` is set, a silent engine is given up at once, until
    /// [`wait_to_the_end`](Self::wait_to_the_end).
    pub(crate) fn start_until(
        command: &EngineCommand,
        protocol: Option<Dialect>,
        timeouts: Timeouts,
        ready: ReadyWord,
        stop: Option<&StopFlag>,
    ) -> Result<Self, ClientError> {
        let protocol = protocol.or_else(|| command.is_brain().then_some(Dialect::Gomocup));
        let (mut client, is_sure) = match Self::greeted(command, protocol, timeouts, stop) {
            // UCCI allows an engine to end at any first word but its own.
            Err(first @ ClientError::Ended { .. }) if protocol.is_none() => {
                let second = Self::greeted(command, Some(Dialect::Ucci), timeouts, stop);
                second.map_err(|_| first)?
            }
            started => started?,
        };
        if !is_sure {
            let answered = client.protocol();
            client.quit();
            (client, _) = Self::greeted(command, Some(answered), timeouts, stop)?;
        }
        client.ready = ready;
        client.set_up()?;
        Ok(client)
    }

    /// A new process that was greeted, and whether its protocol is beyond doubt.
    fn greeted(
        command: &EngineCommand,
        protocol: Option<Dialect>,
        timeouts: Timeouts,
        stop: Option<&StopFlag>,
    ) -> Result<(Self, bool), ClientError> {
        let mut client = Self::spawn(command, timeouts)?;
        client.stop = stop.cloned();
        let is_sure = client.greet(protocol)?;
        Ok((client, is_sure))
    }

    /// From now on each time that it may take is waited for, for searches have a way of their own to stop.
    pub(crate) fn wait_to_the_end(&mut self) {
        self.stop = None;
    }

    /// Serves an engine of this program in threads of its own, over UCI like any other.
    ///
    /// # Errors
    ///
    /// [`ClientError::Start`], if no pipe can be made or no thread started.
    pub fn within<G: Playable>(engine: Engine<G>, timeouts: Timeouts) -> Result<Self, ClientError> {
        let child = Child::within("self", timeouts.stop, move |commands, mut answers| {
            if let Err(error) =
                protocol::serve(BufReader::new(commands), &mut answers, engine, Dialect::Uci)
            {
                tracing::debug!(%error, "the session of the engine within has ended");
            }
        })?;
        let mut client = Self::new(child, timeouts);
        client.handshake(Some(Dialect::Uci))?;
        Ok(client)
    }

    fn new(child: Child, timeouts: Timeouts) -> Self {
        Self {
            child,
            timeouts,
            name: None,
            author: None,
            options: Announcements::default(),
            wire: Wire::of(Dialect::Uci),
            crossing: Crossing::default(),
            brain: Brain::default(),
            recent: RecentWords::default(),
            refusal: None,
            ready: ReadyWord::default(),
            warnings: Vec::new(),
            stop: None,
        }
    }

    /// Greets the engine and reads its introduction. Without a `protocol` it is greeted in UCI and, if it is
    /// silent, in UCCI and in the Gomocup protocol as well; its answer decides.
    ///
    /// An engine of UCI that lists `UCI_Variant` with `xiangqi` plays several games, and is set to xiangqi;
    /// it counts ranks from 1. One of UCCI that lists `usemillisec` gets times in milliseconds.
    ///
    /// # Errors
    ///
    /// If it ends, or is silent.
    pub fn handshake(&mut self, protocol: Option<Dialect>) -> Result<(), ClientError> {
        self.greet(protocol)?;
        self.set_up()
    }

    /// Greets the engine and reads its introduction; `false` if it was greeted twice, so that its protocol is
    /// unknown now, though it has answered.
    fn greet(&mut self, protocol: Option<Dialect>) -> Result<bool, ClientError> {
        let timeout = self.timeouts.start;
        let mut greeting = Greeting::new(protocol);
        let mut said = None;
        self.child.say(greeting.word())?;
        let (dialect, is_sure) = loop {
            let ends = greeting.ends(timeout);
            let next = greeting.second(timeout).or_else(|| greeting.third(timeout));
            let line = match self.await_line(next.unwrap_or(ends).min(ends)) {
                ChildOutput::Line(line) => line,
                ChildOutput::End => return Err(self.ended("starting")),
                ChildOutput::Nothing if greeting.second(timeout).is_some() => {
                    self.child.say(greeting.second_word())?;
                    continue;
                }
                ChildOutput::Nothing if greeting.third(timeout).is_some() => {
                    self.child.say(greeting.third_word())?;
                    continue;
                }
                ChildOutput::Nothing => return Err(self.not_understood(said, timeout)),
            };
            self.recent.hear(&line);
            if said.is_none() && !line.trim().is_empty() {
                said = Some(shortened(line.trim()));
            }
            // The answer that the Gomocup protocol has for other words than its own.
            if greeting.may_want_ucci() && matches!(Reply::read(&line), Reply::Unknown(_)) {
                break (Dialect::Gomocup, false);
            }
            self.options.hear(&line);
            match greeting.hear(&line) {
                Introduced::NotYet => {}
                Introduced::As(dialect) => break (dialect, true),
                Introduced::Again(dialect) => break (dialect, false),
            }
        };
        self.name = greeting.name;
        self.author = greeting.author;
        self.wire = Wire::of(dialect);
        Ok(is_sure)
    }

    /// The conventions between this program and the engine.
    fn set_up(&mut self) -> Result<(), ClientError> {
        let (wire, options) = self.options.conventions(self.protocol());
        self.wire = wire;
        for (name, value) in options {
            self.set_option(&name, &value)?;
        }
        self.wait_ready()
    }

    /// The protocol of the engine, once greeted.
    #[must_use]
    pub const fn protocol(&self) -> Dialect {
        self.wire.dialect
    }

    /// The name that the engine gives itself, else the program's.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.as_deref().filter(|name| !name.is_empty()).unwrap_or(self.child.engine())
    }

    /// Returns true if it has that option; in any case, as the protocol requires, or by its name in the other
    /// protocol.
    #[must_use]
    pub fn has_option(&self, name: &str) -> bool {
        self.options.find(name).is_some()
    }

    /// The way in which the engine counts ranks; [`handshake`](Self::handshake) finds out.
    #[must_use]
    pub const fn ranks(&self) -> Ranks {
        self.wire.ranks
    }

    /// Sets the way in which the engine counts ranks, where it is not what it seems.
    pub const fn set_ranks(&mut self, ranks: Ranks) {
        self.wire.ranks = ranks;
    }

    /// Sets an option, or presses a button where `value` is empty; line breaks in the value become
    /// blanks.
    ///
    /// # Errors
    ///
    /// [`ClientError::NoOption`] if it did not list that option, [`ClientError::BadOption`] if the option
    /// as it was listed cannot have that value, and where it does not read.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), ClientError> {
        if self.is_brain() {
            self.brain.set_option(name, value);
            return Ok(());
        }
        let Some(option) = self.options.find(name) else {
            let engine = self.child.engine().to_owned();
            return Err(ClientError::NoOption { engine, option: name.to_owned() });
        };
        if let Some(range) = option.refusal(value) {
            let engine = self.child.engine().to_owned();
            let option = option.name.clone();
            let value = shortened(value);
            return Err(ClientError::BadOption { engine, option, value, range });
        }
        let text = self.wire.set_option(&option.name, value);
        self.child.say(&text)
    }

    /// Sets the sizes for which it has options; the names of the others are [warnings](Self::take_warnings).
    ///
    /// # Errors
    ///
    /// As [`set_option`](Self::set_option), for a value that an option cannot have.
    pub fn set_sizes(&mut self, sizes: EngineSizes) -> Result<(), ClientError> {
        if self.is_brain() {
            self.brain.set_sizes(sizes);
            return Ok(());
        }
        for (name, value) in sizes.options() {
            if self.has_option(name) {
                self.set_option(name, &value)?;
            } else {
                self.remark(&format!("it has no option {name}"));
            }
        }
        Ok(())
    }

    /// Sets the number of lines that a search reports; returns false if it has no option for that. More than one then is a
    /// [warning](Self::take_warnings).
    ///
    /// # Errors
    ///
    /// As [`set_option`](Self::set_option), for more lines than it can report.
    pub fn set_lines(&mut self, lines: usize) -> Result<bool, ClientError> {
        const NAME: &str = "MultiPV";
        let is_known = !self.is_brain() && self.has_option(NAME);
        if is_known {
            self.set_option(NAME, &lines.to_string())?;
        } else if lines > 1 {
            self.remark("it has no option MultiPV: it shows one line");
        }
        Ok(is_known)
    }

    /// The options that it has announced: names, and what follows them from `type` on.
    pub fn announced_options(&self) -> impl Iterator<Item = (&str, &str)> {
        self.options.iter().map(|option| (option.name.as_str(), option.kind.as_str()))
    }

    /// Waits until the engine has obeyed all its commands. One of UCCI need not know `isready`: if it is
    /// silent, it counts as ready and is not asked again.
    ///
    /// # Errors
    ///
    /// If it ends, is silent, or does not read.
    pub fn wait_ready(&mut self) -> Result<(), ClientError> {
        if self.ready == ReadyWord::Ignored || self.is_brain() {
            return Ok(());
        }
        self.child.say("isready")?;
        let timeout = self.ready.timeout(self.protocol(), self.timeouts.start);
        let deadline = Instant::now() + timeout;
        loop {
            match self.hear("getting ready", deadline, timeout) {
                Ok(line) if is_ready_word(&line) => {
                    self.ready = ReadyWord::Understood;
                    return Ok(());
                }
                Ok(line) => self.warning(&line),
                Err(ClientError::Silent { .. }) if self.ready.may_be_ignored(self.protocol()) => {
                    self.ready = ReadyWord::Ignored;
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Its way of answering `isready`, for when it is started again.
    pub(crate) const fn ready_word(&self) -> ReadyWord {
        self.ready
    }

    /// Keeps a message of the engine. It sends few while no search runs: about options that it cannot have,
    /// for example.
    fn warning(&mut self, line: &str) {
        self.recent.hear(line);
        let mut words = line.trim_start().splitn(3, char::is_whitespace);
        let is_message =
            words.next() == Some("info") && matches!(words.next(), Some("string" | "message"));
        if let Some(text) = words.next().filter(|_| is_message) {
            self.remark(text.trim());
        }
    }

    fn remark(&mut self, text: &str) {
        if self.warnings.len() < MAX_NOTICES && !self.warnings.iter().any(|known| known == text) {
            self.warnings.push(text.to_owned());
        }
    }

    /// Returns the messages for people: those of the engine between searches since the last call, and what it
    /// cannot be told.
    pub fn take_warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }

    /// Announces another game; returns true if the engine can be told. In UCCI that is an option, `newgame`,
    /// which not all engines have.
    ///
    /// # Errors
    ///
    /// As [`wait_ready`](Self::wait_ready).
    pub fn new_game(&mut self) -> Result<bool, ClientError> {
        if self.is_brain() {
            return self.restart();
        }
        let is_ucci = self.protocol().is_ucci();
        let can_announce = !is_ucci || self.has_option("newgame");
        if !is_ucci {
            self.child.say("ucinewgame")?;
        } else if can_announce {
            self.set_option("newgame", "")?;
        }
        self.wait_ready()?;
        Ok(can_announce)
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
        self.child.say(&self.wire.position(fen, moves))
    }

    /// Sets up the last position of `line`, which begins at the position `start` (`None` for the usual one).
    /// UCCI wants the moves since the last capture only.
    ///
    /// # Errors
    ///
    /// If it does not read.
    pub fn set_line<G: Notation>(
        &mut self,
        start: Option<&str>,
        line: &Line<G>,
    ) -> Result<(), ClientError> {
        if self.is_brain() {
            let refused =
                |what| ClientError::Refused { engine: self.child.engine().to_owned(), what };
            return self.brain.set_line(line).map_err(refused);
        }
        self.child.say(&self.wire.line(start, line))
    }

    /// Returns true if the engine speaks the Gomocup protocol.
    const fn is_brain(&self) -> bool {
        self.protocol().is_gomocup()
    }

    /// Gomocup: begins another game; `false` if the engine has no word for that.
    fn restart(&mut self) -> Result<bool, ClientError> {
        if !self.brain.new_game() {
            return Ok(true);
        }
        self.child.say("RESTART")?;
        let is_done = self.await_ok("starting a game")?.is_ok();
        if is_done {
            self.brain.restarted();
        }
        Ok(is_done)
    }

    /// Gomocup: waits for `OK`; what the engine says instead is the error within.
    fn await_ok(&mut self, doing: &'static str) -> Result<Result<(), String>, ClientError> {
        let timeout = self.timeouts.start;
        let deadline = Instant::now() + timeout;
        loop {
            let line = self.hear(doing, deadline, timeout)?;
            match Reply::read(&line) {
                Reply::Done => return Ok(Ok(())),
                Reply::Error(text) => return Ok(Err(format!("ERROR {text}"))),
                Reply::Unknown(text) => return Ok(Err(format!("UNKNOWN {text}"))),
                _ => {}
            }
        }
    }

    /// Gomocup: asks for a move in the position that was set up.
    fn ask_brain(&mut self, limits: &GoLimits) -> Result<(), ClientError> {
        if limits.depth.is_some() || limits.nodes.is_some() {
            self.remark("not all engines of this protocol know limits of depth and nodes");
        }
        if let Some(start) = self.brain.start() {
            self.child.say(&start)?;
            if let Err(what) = self.await_ok("starting a game")? {
                return Err(ClientError::Refused {
                    engine: self.child.engine().to_owned(),
                    what: what.into(),
                });
            }
        }
        let lines = [self.brain.infos(limits, self.timeouts.search), self.brain.ask()].concat();
        self.child.say_all(lines.iter().map(String::as_str))
    }

    /// Reads a line that came while the engine thinks.
    fn read_thought(&mut self, line: &str, info: &mut Info) -> Result<ThoughtLine, ClientError> {
        if self.is_brain() {
            return self.read_brain(line, info);
        }
        if let Some(answer) = self.wire.read_answer(line) {
            return Ok(ThoughtLine::Answer(answer));
        }
        let Some(ReadInfo { line: read, has_result }) = info.next(line, self.wire) else {
            return Ok(ThoughtLine::Other);
        };
        self.recent.hear(line);
        info.adopt(&read);
        Ok(if has_result { ThoughtLine::Report(read) } else { ThoughtLine::Other })
    }

    /// Gomocup: reads a line that came while the engine thinks.
    fn read_brain(&mut self, line: &str, info: &mut Info) -> Result<ThoughtLine, ClientError> {
        let (score, depth) = (info.score, info.depth);
        match self.brain.hear(line, info) {
            brain::BrainReply::Answer(answer) => return Ok(ThoughtLine::Answer(answer)),
            brain::BrainReply::Say(line) => self.child.say(&line)?,
            brain::BrainReply::Refusal(text) => {
                self.remark(&text);
                self.refusal = Some(text);
            }
            brain::BrainReply::Nothing => {}
        }
        if (score, depth) == (info.score, info.depth) {
            return Ok(ThoughtLine::Other);
        }
        Ok(ThoughtLine::Report(InfoLine { multipv: 1, info: info.clone() }))
    }

    /// Lets the engine search the position that was set up. `stop` is asked every 50 ms; once it returns
    /// true, or the time is over, the engine gets `stop`.
    ///
    /// # Errors
    ///
    /// If it ends, or does not answer even after `stop`.
    pub fn go(
        &mut self,
        limits: &GoLimits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Thought, ClientError> {
        self.search(limits, stop, &mut |_| {})
    }

    /// Returns true if its protocol has a word for a search of some of the moves only; not all engines heed it.
    #[must_use]
    pub const fn knows_search_moves(&self) -> bool {
        !self.protocol().is_ucci() && !self.is_brain()
    }

    /// Returns true if its protocol has a word for moves that are not to be played, as UCCI has; not all engines heed it.
    #[must_use]
    pub const fn knows_banned_moves(&self) -> bool {
        self.protocol().is_ucci()
    }

    /// Names moves, in our coordinates, that it is not to play in the position that was set up last, where the [protocol has
    /// a word for that](Self::knows_banned_moves).
    ///
    /// # Errors
    ///
    /// If it does not read.
    pub fn ban(&mut self, moves: &[String]) -> Result<(), ClientError> {
        if moves.is_empty() || !self.knows_banned_moves() {
            return Ok(());
        }
        let theirs: Vec<String> = moves.iter().map(|mv| self.wire.ranks.theirs(mv)).collect();
        self.child.say(&format!("banmoves {}", theirs.join(" ")))
    }

    /// As [`go`](Self::go), among these moves only, in our coordinates, where the [protocol has a word for
    /// that](Self::knows_search_moves); all moves if there are none.
    ///
    /// # Errors
    ///
    /// As [`go`](Self::go).
    pub fn go_among(
        &mut self,
        moves: &[String],
        limits: &GoLimits,
        stop: &dyn Fn() -> bool,
    ) -> Result<Thought, ClientError> {
        self.search_among(moves, limits, stop, &mut |_| {})
    }

    /// As [`go`](Self::go), and hands the lines of play that the engine reports to `report` as they come. Where
    /// they come faster than anybody reads, the latest of each number.
    ///
    /// # Errors
    ///
    /// As [`go`](Self::go).
    pub fn search(
        &mut self,
        limits: &GoLimits,
        stop: &dyn Fn() -> bool,
        report: &mut dyn FnMut(&InfoLine),
    ) -> Result<Thought, ClientError> {
        self.search_among(&[], limits, stop, report)
    }

    fn search_among(
        &mut self,
        moves: &[String],
        limits: &GoLimits,
        stop: &dyn Fn() -> bool,
        report: &mut dyn FnMut(&InfoLine),
    ) -> Result<Thought, ClientError> {
        self.begin_search(moves, limits)?;
        let allowed = limits.time().map_or(self.timeouts.search, |time| time + self.timeouts.stop);
        let began = Instant::now();
        let mut deadline = began + allowed;
        let mut stopped = false;
        let mut info = Info::default();
        let mut reports = Reports::new(report);
        loop {
            let step = deadline.min(Instant::now() + POLL_INTERVAL);
            match self.child.hear(step) {
                ChildOutput::Line(line) if self.crossing.is(&line) => {}
                // A late answer of an engine that was slow.
                ChildOutput::Line(line) if is_ready_word(&line) => {
                    self.ready = ReadyWord::Understood;
                }
                ChildOutput::Line(line) => match self.read_thought(&line, &mut info)? {
                    ThoughtLine::Answer(Answer { best, ponder, offer }) => {
                        let took = began.elapsed();
                        reports.finish();
                        self.crossing.ended(self.protocol(), stopped && best.is_some());
                        return Ok(Thought { best, ponder, offer, info, took });
                    }
                    ThoughtLine::Report(line) => reports.add(line),
                    ThoughtLine::Other => {}
                },
                ChildOutput::End => return Err(self.ended("thinking")),
                ChildOutput::Nothing => reports.hand_on(),
            }
            let late = Instant::now() >= deadline;
            if late && stopped {
                return Err(self.no_move(began.elapsed()));
            }
            if !stopped && (late || stop()) {
                self.stop()?;
                stopped = true;
                deadline = Instant::now() + self.timeouts.stop;
            }
        }
    }

    fn begin_search(&mut self, moves: &[String], limits: &GoLimits) -> Result<(), ClientError> {
        if self.wire.unit > 1 && limits.has_fractions() {
            self.remark("it counts whole seconds: fractions of a time are not told it");
        }
        self.refusal = None;
        if self.is_brain() {
            self.ask_brain(limits)
        } else {
            let go = Go { search_moves: moves.to_vec(), ..limits.go() };
            self.child.say(&go.text(self.wire, limits.mover()))
        }
    }

    /// The error that the engine has not moved though it was stopped.
    fn no_move(&mut self, waited: Duration) -> ClientError {
        match self.refusal.take() {
            None => self.silent("thinking", waited),
            Some(text) => {
                let engine = self.child.engine().to_owned();
                let what = message!("no move, but: {text}");
                ClientError::Refused { engine, what }
            }
        }
    }

    /// Sends `stop`, for the engine to end its search; in the Gomocup protocol `YXSTOP`, which not all know.
    ///
    /// # Errors
    ///
    /// If it does not read.
    pub fn stop(&mut self) -> Result<(), ClientError> {
        self.child.say(if self.is_brain() { "YXSTOP" } else { "stop" })
    }

    /// Sends `quit`, or `END`, and ends the engine if it does not obey.
    pub fn quit(mut self) {
        let word = if self.is_brain() { "END" } else { "quit" };
        if self.child.say(word).is_ok() {
            self.child.wait(self.timeouts.stop);
        }
    }

    /// The next line, if it comes until then and somebody waits for it.
    fn await_line(&self, deadline: Instant) -> ChildOutput {
        let Some(stop) = &self.stop else { return self.child.hear(deadline) };
        loop {
            let step = deadline.min(Instant::now() + POLL_INTERVAL);
            match self.child.hear(step) {
                ChildOutput::Nothing if !stop.is_set() && Instant::now() < deadline => {}
                output => return output,
            }
        }
    }

    fn hear(
        &mut self,
        doing: &'static str,
        deadline: Instant,
        waited: Duration,
    ) -> Result<String, ClientError> {
        match self.await_line(deadline) {
            ChildOutput::Line(line) => Ok(line),
            ChildOutput::End => Err(self.ended(doing)),
            ChildOutput::Nothing => Err(self.silent(doing, waited)),
        }
    }

    /// The error that it has ended, with its last words: those of standard error, else its latest messages.
    fn ended(&mut self, doing: &'static str) -> ClientError {
        let mut error = self.child.ended(doing);
        if let ClientError::Ended { last_words, .. } = &mut error
            && last_words.is_empty()
        {
            *last_words = self.recent.text();
        }
        error
    }

    /// The error that its protocol is not known, for want of an answer or by what it said.
    fn not_understood(&self, said: Option<String>, waited: Duration) -> ClientError {
        match said {
            None => self.silent("starting", waited),
            Some(said) => {
                ClientError::Unknown { engine: self.child.engine().to_owned(), waited, said }
            }
        }
    }

    fn silent(&self, doing: &'static str, waited: Duration) -> ClientError {
        ClientError::Silent { engine: self.child.engine().to_owned(), doing, waited }
    }
}

/// Seconds, to the tenth.
fn tenths(time: Duration) -> f64 {
    (time.as_secs_f64() * 10.0).round() / 10.0
}

fn is_ready_word(line: &str) -> bool {
    line.trim() == "readyok"
}

/// The interval at which a search is checked for a stop.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> EngineCommand {
        let mut words = words.iter().map(|&word| word.to_owned());
        EngineCommand { program: words.next().unwrap(), args: words.collect() }
    }

    #[test]
    fn commands_are_split_as_a_shell_would() {
        assert_eq!(EngineCommand::parse("pikafish"), Some(command(&["pikafish"])));
        assert_eq!(
            EngineCommand::parse(" '/my engines/x' uci  --name \"a b\" '' "),
            Some(command(&["/my engines/x", "uci", "--name", "a b", ""]))
        );
        assert_eq!(EngineCommand::parse("  "), None);
        assert_eq!(EngineCommand::parse("x 'y"), None);
    }

    #[test]
    fn commands_are_written_as_they_are_read() {
        for words in [&["x"][..], &["我的 引擎/x", "uci", ""], &["it's", "\"a\"", "a b"]] {
            let command = command(words);
            let text = command.text().unwrap();
            assert_eq!(EngineCommand::parse(&text).unwrap(), command, "{text}");
        }
        assert_eq!(command(&["it's \"a\""]).text(), None);
    }
}
