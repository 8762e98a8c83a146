//! The state of a session and its answers.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender};

use super::command::{self, Command, Go, shortened};
use super::settings::Settings;
use super::thinking::{self, Done, Event, Signal, Task, Thought};
use crate::engine::clock::{self, Allowance, Clock};
use crate::engine::{Bound, Choice, Engine, Iteration, Limits, Playable, Source};
use crate::game::{Line, MoveList, Side};

/// Commands that may wait for the end of a search.
const MAX_WAITING: usize = 10_000;

/// A session of one engine with one GUI.
pub(super) struct Session<'a, G: Playable> {
    sender: SyncSender<Event<Thought<G>>>,
    events: Receiver<Event<Thought<G>>>,
    output: &'a mut dyn Write,
    settings: Settings<G::Rules>,
    /// `None` while a search has it.
    engine: Option<Engine<G>>,
    search: Option<Search<G>>,
    line: Line<G>,
    waiting: VecDeque<Waiting>,
    /// No more input will come.
    ended: bool,
    /// `quit` was read.
    quit: bool,
}

/// A command that waits for the end of a search.
struct Waiting {
    command: Command,
    /// `stop` came after it.
    stopped: bool,
}

/// A running search, or one that has ended but may not answer yet.
struct Search<G: Playable> {
    signal: Arc<Signal>,
    /// Until `stop` or `ponderhit` no answer may be given.
    pondering: bool,
    /// No limit ends it: until `stop` no answer may be given.
    endless: bool,
    /// The clock that runs from `ponderhit` on.
    after_ponder: Option<Allowance>,
    /// What it found, once it has ended.
    result: Option<Option<Choice<G::Move>>>,
}

impl<G: Playable> Search<G> {
    /// Whether it cannot end by itself.
    const fn is_held(&self) -> bool {
        self.pondering || self.endless
    }
}

impl<'a, G: Playable> Session<'a, G> {
    pub(super) fn new(
        engine: Engine<G>,
        sender: SyncSender<Event<Thought<G>>>,
        events: Receiver<Event<Thought<G>>>,
        output: &'a mut dyn Write,
    ) -> Self {
        Self {
            sender,
            events,
            output,
            settings: Settings::new(engine.options().clone()),
            engine: Some(engine),
            search: None,
            line: Line::new(G::start(), 0),
            waiting: VecDeque::new(),
            ended: false,
            quit: false,
        }
    }

    pub(super) fn run(mut self) -> io::Result<()> {
        while !self.finished() {
            // The session holds a sender itself, so the channel cannot be closed.
            let Ok(event) = self.events.recv() else { break };
            match event {
                Event::Line(line) => self.read(&line)?,
                Event::End => self.end_of_input(),
                Event::Thinking(Thought::Iteration(iteration)) => {
                    self.tell_iteration(&iteration)?;
                }
                Event::Thinking(Thought::Done(done)) => self.search_ended(done)?,
            }
            self.catch_up()?;
            self.output.flush()?;
        }
        Ok(())
    }

    fn finished(&self) -> bool {
        self.search.is_none() && (self.quit || self.ended && self.waiting.is_empty())
    }

    /// One line of input: answered now, or kept until the search ends.
    fn read(&mut self, line: &str) -> io::Result<()> {
        let command = match command::parse(line) {
            None => return Ok(()),
            Some(Err(message)) => return self.info(&message),
            Some(Ok(command)) => command,
        };
        match command {
            Command::Stop => self.stop(),
            Command::PonderHit => self.ponder_hit(),
            Command::Uci => self.introduce()?,
            Command::Ignored => {}
            Command::Quit => {
                self.quit = true;
                self.waiting.clear();
                self.stop();
            }
            Command::IsReady if self.search.is_some() => writeln!(self.output, "readyok")?,
            _ if self.search.is_none() && self.waiting.is_empty() => {
                self.execute(command, false)?;
            }
            _ if self.waiting.len() >= MAX_WAITING => self.info("too many commands waiting")?,
            _ => self.wait(command),
        }
        Ok(())
    }

    /// An endless search ends where another one is asked for.
    fn wait(&mut self, command: Command) {
        if matches!(command, Command::Go(_)) {
            self.stop_endless();
        }
        self.waiting.push_back(Waiting { command, stopped: false });
    }

    fn end_of_input(&mut self) {
        self.ended = true;
        self.stop_endless();
    }

    fn stop_endless(&mut self) {
        if self.search.as_ref().is_some_and(Search::is_held) {
            self.stop_search();
        }
    }

    /// Stops the search and those that wait.
    fn stop(&mut self) {
        self.stop_search();
        for waiting in &mut self.waiting {
            waiting.stopped = true;
        }
    }

    fn stop_search(&mut self) {
        if let Some(search) = &mut self.search {
            search.pondering = false;
            search.endless = false;
            search.signal.stop();
        }
    }

    /// The clock starts for a search that ponders; those that wait need not ponder at all.
    fn ponder_hit(&mut self) {
        if let Some(search) = &mut self.search
            && std::mem::take(&mut search.pondering)
            && let Some(allowance) = search.after_ponder.take()
        {
            search.signal.allow(allowance);
        }
        for waiting in &mut self.waiting {
            if let Command::Go(go) = &mut waiting.command {
                go.ponder = false;
            }
        }
    }

    /// Gives the answer of an ended search if it may be given, then the commands that waited.
    fn catch_up(&mut self) -> io::Result<()> {
        loop {
            if let Some(search) = &mut self.search {
                let held = search.is_held();
                match search.result.take_if(|_| !held) {
                    None => return Ok(()),
                    Some(choice) => {
                        self.search = None;
                        self.answer(choice.as_ref())?;
                    }
                }
            }
            match self.waiting.pop_front() {
                None => return Ok(()),
                Some(Waiting { command, stopped }) => self.execute(command, stopped)?,
            }
        }
    }

    /// A command that needs the engine or the position, while no search runs.
    fn execute(&mut self, command: Command, stopped: bool) -> io::Result<()> {
        match command {
            Command::IsReady => {
                self.prepare()?;
                writeln!(self.output, "readyok")?;
            }
            Command::NewGame => {
                if let Some(engine) = &mut self.engine {
                    engine.new_game();
                }
            }
            Command::SetOption { name, value } => {
                if let Err(message) = self.settings.set(&name, &value) {
                    self.info(&message)?;
                }
            }
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), &moves)?,
            Command::Go(go) => self.go(&go, stopped)?,
            Command::Display => {
                let text = self.line.position().position_text();
                self.info(&text)?;
            }
            Command::Uci
            | Command::Stop
            | Command::PonderHit
            | Command::Quit
            | Command::Ignored => {}
        }
        Ok(())
    }

    fn introduce(&mut self) -> io::Result<()> {
        writeln!(self.output, "id name juzhong {}", env!("CARGO_PKG_VERSION"))?;
        writeln!(self.output, "id author the juzhong authors")?;
        write!(self.output, "{}", self.settings.describe::<G>())?;
        writeln!(self.output, "uciok")
    }

    /// Makes the engine what the settings say, and tells what is wrong with books and tables.
    fn prepare(&mut self) -> io::Result<()> {
        let wanted = self.settings.engine_options();
        let problem = match &mut self.engine {
            Some(engine) if *engine.options() == wanted => None,
            Some(engine) => engine.set_options(wanted).err(),
            None => match Engine::new(wanted) {
                Ok(engine) => {
                    self.engine = Some(engine);
                    None
                }
                Err(error) => Some(error),
            },
        };
        if let Some(error) = problem {
            self.info(&error.to_string())?;
        }
        self.tell_notices()
    }

    fn tell_notices(&mut self) -> io::Result<()> {
        let notices = self.engine.as_mut().map(Engine::take_notices).unwrap_or_default();
        notices.iter().try_for_each(|notice| self.info(notice))
    }

    /// Keeps the old position where the new one cannot be had.
    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> io::Result<()> {
        let start = match fen {
            None => Ok(Line::new(G::start(), 0)),
            Some(text) => G::read_line(text),
        };
        let mut line = match start {
            Ok(line) => line,
            Err(error) => return self.info(&format!("position unchanged: {error}")),
        };
        for (i, text) in moves.iter().enumerate() {
            match G::parse_move(text).filter(|&mv| line.position().is_legal(mv)) {
                Some(mv) => line.push(mv),
                None => {
                    let text = shortened(text);
                    let message =
                        format!("position unchanged: move {} ({text}) is not legal", i + 1);
                    return self.info(&message);
                }
            }
        }
        self.line = line;
        Ok(())
    }

    fn go(&mut self, go: &Go, stopped: bool) -> io::Result<()> {
        if !go.ignored.is_empty() {
            self.info(&format!("go: ignored {}", go.ignored.join(" ")))?;
        }
        self.prepare()?;
        let Some(engine) = self.engine.take() else {
            return writeln!(self.output, "bestmove (none)");
        };
        let allowance = allowance(go, self.line.position().side_to_move());
        // Without any limit a search is endless, as GUIs mean it.
        let endless =
            go.infinite || go.depth.is_none() && go.nodes.is_none() && allowance.is_none();
        // The end of the input, or another `go`, has ended it before it began.
        let is_last = !self.waiting.iter().any(|waiting| matches!(waiting.command, Command::Go(_)));
        let may_hold = !stopped && !self.ended && is_last;
        let signal = Arc::new(Signal::new());
        if stopped || !may_hold && (endless || go.ponder) {
            signal.stop();
        }
        let mut limits = Limits {
            depth: go.depth.map(|depth| depth.max(1)),
            nodes: go.nodes,
            ..Limits::default()
        };
        if let Some(Allowance { soft, hard }) = allowance.filter(|_| !go.ponder && !go.infinite) {
            limits.soft_time = soft;
            limits.hard_time = Some(hard);
        }
        self.search = Some(Search {
            signal: signal.clone(),
            pondering: go.ponder && may_hold,
            endless: endless && may_hold,
            after_ponder: allowance.filter(|_| go.ponder && !go.infinite),
            result: None,
        });
        let events = self.sender.clone();
        let task = Task { line: self.line.clone(), limits, analyse: go.infinite };
        if let Err(error) = thinking::start(engine, task, signal, events) {
            self.info(&format!("cannot start a thread for the search: {error}"))?;
        }
        Ok(())
    }

    fn search_ended(&mut self, done: Option<Box<Done<G>>>) -> io::Result<()> {
        let choice = match done {
            Some(done) => {
                let Done { engine, choice } = *done;
                self.engine = Some(engine);
                choice
            }
            None => {
                self.info("the search broke down; please report the position")?;
                let mut moves = MoveList::new();
                self.line.position().legal_moves(&mut moves);
                moves.first().copied().map(Choice::unsearched)
            }
        };
        if let Some(search) = &mut self.search {
            search.result = Some(choice);
        }
        Ok(())
    }

    fn answer(&mut self, choice: Option<&Choice<G::Move>>) -> io::Result<()> {
        self.tell_notices()?;
        let Some(choice) = choice else {
            return writeln!(self.output, "bestmove (none)");
        };
        match choice.source {
            Source::Search => {}
            Source::Book => self.info("the move is from the book")?,
            Source::Table => self.tell_table(choice)?,
        }
        write!(self.output, "bestmove {}", G::move_text(choice.mv))?;
        if let Some(ponder) = choice.ponder() {
            write!(self.output, " ponder {}", G::move_text(ponder))?;
        }
        writeln!(self.output)
    }

    fn tell_table(&mut self, choice: &Choice<G::Move>) -> io::Result<()> {
        if let Some(score) = choice.score {
            write!(self.output, "info depth 1 score {score} pv")?;
            choice.pv.iter().try_for_each(|&mv| write!(self.output, " {}", G::move_text(mv)))?;
            writeln!(self.output)?;
        }
        if let Some(table) = &choice.table {
            self.info(&format!("the move is from the endgame tables: {table}"))?;
        }
        Ok(())
    }

    fn tell_iteration(&mut self, iteration: &Iteration<G::Move>) -> io::Result<()> {
        let Iteration { depth, seldepth, multipv, score, nodes, time, table_hits, .. } = iteration;
        let bound = match iteration.bound {
            Bound::Exact => "",
            Bound::Lower => " lowerbound",
            Bound::Upper => " upperbound",
        };
        let micros = time.as_micros().max(1);
        let nps = u128::from(*nodes) * 1_000_000 / micros;
        let (time, hashfull) = (time.as_millis(), iteration.hashfull_permille);
        write!(
            self.output,
            "info depth {depth} seldepth {seldepth} multipv {multipv} score {score}{bound} \
             nodes {nodes} nps {nps} hashfull {hashfull} time {time}"
        )?;
        if *table_hits > 0 {
            write!(self.output, " tbhits {table_hits}")?;
        }
        write!(self.output, " pv")?;
        for &mv in &iteration.pv {
            write!(self.output, " {}", G::move_text(mv))?;
        }
        writeln!(self.output)
    }

    /// Line breaks in messages would be read as answers.
    fn info(&mut self, message: &str) -> io::Result<()> {
        let message: String =
            message.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(self.output, "info string {message}")
    }
}

/// What the clocks of `go` allow the side to move; `None` without one.
fn allowance(go: &Go, side: Side) -> Option<Allowance> {
    if let Some(time) = go.move_time {
        return Some(clock::fixed(time));
    }
    let (remaining, increment) = match side {
        Side::First => (go.first_time, go.first_increment),
        Side::Second => (go.second_time, go.second_increment),
    };
    let clock = Clock { remaining: remaining?, increment, moves_to_go: go.moves_to_go };
    Some(clock.allowance())
}
