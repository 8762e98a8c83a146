//! The state of a session, and what the GUI says to it. [`engine`] is what the engine says, [`play`]
//! how a `go` gets its answer.

mod engine;
mod play;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::time::{Duration, Instant};

use super::board::Board;
use super::command::{self, Command, Go};
use super::options::{MILLISECONDS, Options, Owner, VARIANT, plain};
use super::partner::{Partner, Stage};
use super::search::Search;
use super::voice::{self, Voice};
use super::{Dialect, Event, ProxyError, ProxyOptions};
use crate::arena::Ranks;
use crate::engine::{Engine, EngineOptions};
use crate::xiangqi::{Position, RuleSet};

/// Commands that may wait for the end of a search.
const MAX_WAITING: usize = 10_000;
/// Messages that may wait for the GUI's first line.
const MAX_HELD: usize = 100;
/// Options set by the GUI that are remembered.
const MAX_SET: usize = 1000;
/// How often it is asked whether the session was interrupted.
const LOOK: Duration = Duration::from_millis(100);
/// How long a search may take after the end of the input.
const AFTER_END: Duration = Duration::from_secs(10);

/// A session of one engine with one GUI.
pub(super) struct Session<'a> {
    sender: SyncSender<Event>,
    events: Receiver<Event>,
    output: &'a mut dyn Write,
    setup: ProxyOptions,
    /// How the GUI speaks.
    gui: Voice,
    /// Milliseconds in the GUI's unit of time (UCCI).
    unit: u64,
    /// The GUI has greeted; other handshakes are ignored.
    greeted: bool,
    /// The GUI has said something.
    spoken: bool,
    /// Messages until then.
    held: Vec<String>,
    options: Options,
    /// What the GUI has set in the engine.
    set: Vec<(String, String)>,
    /// `MultiPV` above 1, or `UCI_AnalyseMode`.
    several_lines: bool,
    analyse_mode: bool,
    /// Our book and tables.
    front: Engine<Position>,
    partner: Partner,
    failures: u32,
    board: Board,
    /// Moves that may not be played, with ranks from 0.
    banned: Vec<String>,
    /// The GUI has set up a position.
    placed: bool,
    /// The engine knows the position.
    position_sent: bool,
    search: Option<Search>,
    /// The GUI waits for our introduction.
    hello: bool,
    /// The GUI waits for `readyok`.
    ready: Option<Ready>,
    waiting: VecDeque<Waiting>,
    /// Lines of the engine that are no answers, since the GUI's last command.
    strange_lines: u32,
    /// When the input ended.
    ended: Option<Instant>,
    quit: bool,
}

/// A GUI's `isready` without answer.
enum Ready {
    /// The engine cannot be asked yet.
    Later,
    /// It was asked.
    Asked(Instant),
}

/// A command that waits.
struct Waiting {
    line: String,
    /// `stop` came after it.
    stopped: bool,
    /// `ponderhit` came after it.
    hit: bool,
}

impl<'a> Session<'a> {
    /// Starts the engine.
    pub(super) fn new(
        setup: ProxyOptions,
        (sender, events): (SyncSender<Event>, Receiver<Event>),
        output: &'a mut dyn Write,
    ) -> Result<Self, ProxyError> {
        let options = Options::new(setup.own.clone());
        let front = Engine::new(front_options(&options))?;
        let partner = Partner::foreign(&setup.command, setup.protocol, 0, sender.clone())?;
        Ok(Self {
            sender,
            events,
            output,
            setup,
            gui: Voice { dialect: Dialect::Uci, ranks: Ranks::FromZero },
            unit: 1,
            greeted: false,
            spoken: false,
            held: Vec::new(),
            options,
            set: Vec::new(),
            several_lines: false,
            analyse_mode: false,
            front,
            partner,
            failures: 0,
            board: Board::start(),
            banned: Vec::new(),
            placed: false,
            position_sent: false,
            search: None,
            hello: false,
            ready: None,
            waiting: VecDeque::new(),
            strange_lines: 0,
            ended: None,
            quit: false,
        })
    }

    pub(super) fn run(mut self, interrupted: &dyn Fn() -> bool) -> io::Result<()> {
        while !self.finished() && !interrupted() {
            let wait = self.next_time().saturating_duration_since(Instant::now());
            match self.events.recv_timeout(wait) {
                Ok(Event::Line(line)) => self.read(&line)?,
                Ok(Event::End) => self.end_of_input()?,
                Ok(Event::Engine(number, line)) if number == self.partner.number => {
                    self.hear(line.as_deref())?;
                }
                // Of an engine that is no longer ours.
                Ok(Event::Engine(..)) | Err(RecvTimeoutError::Timeout) => {}
                // The session holds a sender itself.
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.watch()?;
            self.catch_up()?;
            self.output.flush()?;
        }
        if self.gui.dialect == Dialect::Ucci && self.spoken {
            writeln!(self.output, "bye")?;
            self.output.flush()?;
        }
        self.partner.quit();
        Ok(())
    }

    fn finished(&self) -> bool {
        self.quit || self.ended.is_some() && !self.is_busy() && self.waiting.is_empty()
    }

    /// Whether commands must wait, so that answers come in order.
    const fn is_busy(&self) -> bool {
        self.search.is_some() || self.hello || self.ready.is_some()
    }

    /// One line of the GUI: answered now, or kept until what runs has ended.
    fn read(&mut self, line: &str) -> io::Result<()> {
        let Some(command) = command::parse(line) else { return Ok(()) };
        self.strange_lines = 0;
        if let Command::Hello(dialect) = command {
            if self.greeted && dialect != self.gui.dialect {
                return Ok(());
            }
            self.gui.dialect = dialect;
            self.greeted = true;
        }
        if !std::mem::replace(&mut self.spoken, true) {
            for message in std::mem::take(&mut self.held) {
                self.info(&message)?;
            }
        }
        match command {
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Quit => {
                self.quit = true;
                Ok(())
            }
            Command::IsReady if self.search.is_some() => writeln!(self.output, "readyok"),
            Command::Other if self.search.is_some() && self.waiting.is_empty() => {
                self.tell(line.trim()).map(drop)
            }
            _ if !self.is_busy() && self.waiting.is_empty() => self.execute(command, line),
            _ => self.wait(&command, line),
        }
    }

    /// An endless search ends where another one is asked for.
    fn wait(&mut self, command: &Command, line: &str) -> io::Result<()> {
        if self.waiting.len() >= MAX_WAITING {
            return self.info("too many commands waiting");
        }
        self.waiting.push_back(Waiting { line: line.to_owned(), stopped: false, hit: false });
        if *command == Command::Go { self.stop_endless() } else { Ok(()) }
    }

    fn stop_endless(&mut self) -> io::Result<()> {
        if self.search.as_ref().is_some_and(|search| search.endless || search.pondering) {
            self.stop_search()?;
        }
        Ok(())
    }

    fn end_of_input(&mut self) -> io::Result<()> {
        self.ended = Some(Instant::now());
        self.stop_endless()
    }

    /// Stops the search and those that wait.
    fn stop(&mut self) -> io::Result<()> {
        for waiting in &mut self.waiting {
            waiting.stopped = true;
        }
        if self.search.is_some() {
            return self.stop_search();
        }
        let idle = !self.is_busy() && self.waiting.is_empty();
        if idle && self.gui.dialect == Dialect::Ucci {
            writeln!(self.output, "nobestmove")
        } else {
            Ok(())
        }
    }

    /// The clock starts for a search that ponders; those that wait need not ponder at all.
    fn ponder_hit(&mut self) -> io::Result<()> {
        for waiting in &mut self.waiting {
            waiting.hit = true;
        }
        let mover = self.board.mover();
        let Some(search) = self.search.as_mut().filter(|search| search.pondering) else {
            return Ok(());
        };
        search.pondering = false;
        search.start_clock(mover);
        let runs = search.sent && search.answer.is_none();
        if runs { self.tell("ponderhit").map(drop) } else { Ok(()) }
    }

    /// Gives the answer of a search if it may be given, then carries out what waited.
    fn catch_up(&mut self) -> io::Result<()> {
        loop {
            if let Some(search) = &mut self.search {
                let may_answer = search.may_answer();
                let Some(answer) = search.answer.take_if(|_| may_answer) else { return Ok(()) };
                self.search = None;
                writeln!(self.output, "{}", answer.text(self.gui))?;
                if let Some(offer) = answer.offer.filter(|_| self.gui.dialect == Dialect::Uci) {
                    let word = if offer == "draw" { "offers a draw" } else { "resigns" };
                    self.info(&format!("{} {word}", self.partner.name))?;
                }
            }
            if self.is_busy() {
                return Ok(());
            }
            let Some(Waiting { line, stopped, hit }) = self.waiting.pop_front() else {
                return Ok(());
            };
            let Some(command) = command::parse(&line) else { continue };
            self.execute(command, &line)?;
            if hit {
                self.ponder_hit()?;
            }
            // The end of the input, or another `go`, has ended it before it began.
            let next = self.waiting.iter().any(|w| command::parse(&w.line) == Some(Command::Go));
            if self.search.is_some() && (next || self.ended.is_some()) {
                self.stop_endless()?;
            }
            if stopped && self.search.is_some() {
                self.stop_search()?;
            }
        }
    }

    /// A command while nothing runs.
    fn execute(&mut self, command: Command, line: &str) -> io::Result<()> {
        match command {
            Command::Hello(_) => {
                self.hello = true;
                self.introduce()
            }
            Command::IsReady => {
                self.prepare()?;
                self.ready = Some(Ready::Later);
                self.ask_ready()
            }
            Command::NewGame => {
                self.front.new_game();
                let word = match self.partner.voice.dialect {
                    Dialect::Uci => "ucinewgame",
                    Dialect::Ucci => "setoption newgame",
                };
                self.tell(word).map(drop)
            }
            Command::SetOption { name, value } => self.set_option(&name, &value),
            Command::Position { fen, moves } => self.set_position(fen, &moves),
            Command::Ban(moves) => {
                self.banned = moves.iter().map(|mv| self.gui.ranks.ours(mv)).collect();
                Ok(())
            }
            Command::Go => self.go(Go::read(line, self.unit)),
            Command::Probe if self.partner.voice.dialect == Dialect::Uci => {
                writeln!(self.output, "pophash")
            }
            Command::Probe | Command::Other => self.tell(line.trim()).map(drop),
            Command::Stop | Command::PonderHit | Command::Quit => Ok(()),
        }
    }

    /// Who we are, once the engine has said who it is.
    fn introduce(&mut self) -> io::Result<()> {
        if self.partner.stage == Stage::Greeting || !std::mem::take(&mut self.hello) {
            return Ok(());
        }
        let (name, author) = (&self.partner.name, &self.partner.author);
        let version = env!("CARGO_PKG_VERSION");
        let own = "the juzhong authors";
        let name = match self.partner.stage {
            Stage::Ready if !self.partner.is_own() => format!("{name} + juzhong {version}"),
            _ => format!("juzhong {version}"),
        };
        writeln!(self.output, "id name {name}")?;
        match author.as_deref().filter(|author| !author.is_empty() && *author != own) {
            Some(author) => writeln!(self.output, "id author {author}; {own}")?,
            None => writeln!(self.output, "id author {own}")?,
        }
        for line in self.options.lines(self.gui.dialect) {
            writeln!(self.output, "{line}")?;
        }
        writeln!(self.output, "{}ok", self.gui.dialect.name())
    }

    /// Asks the engine whether it is ready, or answers in its place.
    fn ask_ready(&mut self) -> io::Result<()> {
        if self.ready.is_none() {
            return Ok(());
        }
        match self.partner.stage {
            Stage::Greeting => self.ready = Some(Ready::Later),
            Stage::Ready => {
                self.ready = Some(Ready::Asked(Instant::now()));
                self.tell("isready")?;
            }
            Stage::Gone => self.say_ready()?,
        }
        Ok(())
    }

    fn say_ready(&mut self) -> io::Result<()> {
        if self.ready.take().is_some() { writeln!(self.output, "readyok") } else { Ok(()) }
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        match self.options.owner(name) {
            Owner::Managed(name) if name == VARIANT && self.gui.dialect == Dialect::Uci => {
                let is_fairy = value.eq_ignore_ascii_case("xiangqi");
                self.gui.ranks = if is_fairy { Ranks::FromOne } else { Ranks::FromZero };
            }
            Owner::Managed(name) if name == MILLISECONDS => {
                let is_off =
                    ["false", "off", "0"].iter().any(|off| value.eq_ignore_ascii_case(off));
                self.unit = if is_off { 1000 } else { 1 };
            }
            Owner::Managed(_) => {}
            Owner::Ours(name) => {
                if let Err(message) = self.options.set_own(&name, value) {
                    return self.info(&message);
                }
                if self.partner.is_own() {
                    let command = self.options.command(Dialect::Uci, &name, value);
                    self.tell(&command)?;
                }
            }
            Owner::Engine(name) => return self.set_engine_option(&name, value),
        }
        Ok(())
    }

    fn set_engine_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        match plain(name).as_str() {
            "multipv" => self.several_lines = value.parse::<u32>().is_ok_and(|lines| lines > 1),
            "ucianalysemode" => self.analyse_mode = value.eq_ignore_ascii_case("true"),
            _ => {}
        }
        self.set.retain(|(set, _)| plain(set) != plain(name));
        if self.set.len() < MAX_SET {
            self.set.push((name.to_owned(), value.to_owned()));
        }
        self.send_option(name, value)
    }

    /// The engine gets what it may understand better than we do.
    fn set_position(&mut self, fen: Option<String>, moves: &[String]) -> io::Result<()> {
        let moves = moves.iter().map(|mv| self.gui.ranks.ours(mv)).collect();
        let (board, problem) = Board::read(fen, moves);
        self.board = board;
        self.banned.clear();
        self.placed = true;
        self.position_sent = false;
        if let Some(problem) = problem {
            self.info(&format!("only {} sees this position: {problem}", self.partner.name))?;
        }
        self.send_position().map(drop)
    }

    /// Makes our part what its options say, and tells what is wrong with books and tables.
    fn prepare(&mut self) -> io::Result<()> {
        let wanted = front_options(&self.options);
        if *self.front.options() != wanted
            && let Err(error) = self.front.set_options(wanted)
        {
            self.info(&error.to_string())?;
        }
        let notices = self.front.take_notices();
        notices.iter().try_for_each(|notice| self.info(notice))
    }

    /// A message to people; before the GUI has spoken it waits.
    fn info(&mut self, text: &str) -> io::Result<()> {
        if self.spoken {
            return writeln!(self.output, "{}", voice::message(text, self.gui.dialect));
        }
        if self.held.len() < MAX_HELD {
            self.held.push(text.to_owned());
        }
        Ok(())
    }
}

/// Our part needs no memory for searching but for a move in an emergency.
fn front_options(options: &Options) -> EngineOptions<RuleSet> {
    EngineOptions { hash_mib: 1, threads: 1, multipv: 1, ..options.own() }
}
