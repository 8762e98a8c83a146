//! A session of the engine with a GUI: its state, and the commands of the GUI. [`preparing`] gives the engine its
//! options, [`searching`] leads from a `go` to the search, [`answering`] from there to its answer.

mod answering;
mod preparing;
mod searching;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::bytes::by_count;
use crate::engine::{Engine, EngineOptions, Playable, seed_or_drawn};
use crate::game::Line;
use crate::hash::Key;
use crate::protocol::conversation::dialects::Dialects;
use crate::protocol::conversation::input::Channel;
use crate::protocol::conversation::owed::Owed;
use crate::protocol::conversation::position::{legal_move, read_position};
use crate::protocol::conversation::queue::QueuedCommand;
use crate::protocol::conversation::{Conversation, EventLoop};
use crate::protocol::session::engine_handle::EngineHandle;
use crate::protocol::session::settings::Settings;
use crate::protocol::session::thinking::{self, Outcome, SetUp, Signal, Thought};
use crate::protocol::session::{AFTER_END, IDLE};
use crate::protocol::wire::command::{Command, Setup};
use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::format::shortened;
use crate::protocol::wire::go::Go;
use crate::search::Iteration;

/// The time that `isready` waits for books and tablebases to be opened before it is answered all the same:
/// nearly always they are open by then, and the GUI gets reports of what is wrong with them first.
const READY_TIMEOUT: Duration = Duration::from_secs(1);

/// A session of one engine with one GUI.
pub(crate) struct Session<'a, G: Playable> {
    gui: Conversation<'a, Thought<G>>,
    settings: Settings<G>,
    /// Options were set that the engine does not have yet.
    is_unprepared: bool,
    engine: EngineHandle<G>,
    /// The function that sets its options.
    set_up: SetUp<G>,
    /// `isready` that wait for it.
    unready: Option<Unready>,
    /// A `go` that waits for it.
    pending_go: Option<PendingGo>,
    search: Option<Search<G>>,
    line: Line<G>,
    /// Moves not to be played in this position (UCCI).
    banned: Vec<G::Move>,
    /// Positions of which entries were requested from the search, not yet answered.
    probed: VecDeque<(G, Key)>,
    /// The time at which the present command came, or at which the search ended that it waited for.
    began: Instant,
    /// The time at which the last search ended.
    freed: Instant,
    random: ChaCha8Rng,
    /// The time that a search may go on after the end of the input.
    after_end: Duration,
}

/// `isready` that wait for an answer.
pub(crate) struct Unready {
    count: u32,
    /// The time at which the first came.
    since: Instant,
}

/// A `go` that waits for the options set before it.
pub(crate) struct PendingGo {
    go: Go,
    /// `stop` came after it.
    stopped: bool,
    /// The time at which it came.
    began: Instant,
}

/// A running search, or one that has ended but may not answer yet.
pub(crate) struct Search<G: Playable> {
    signal: Arc<Signal>,
    owed: Owed<Outcome<G::Move>>,
    /// The opponent offers a draw.
    draw: bool,
    /// Moves that it leaves out.
    banned: Vec<G::Move>,
    /// The lines of the last reported iteration, the best first.
    lines: Vec<Iteration<G::Move>>,
}

impl<G: Playable> Search<G> {
    fn stop(&mut self) {
        self.owed.stop();
        self.signal.stop();
    }
}

impl<'a, G: Playable> Session<'a, G> {
    pub(crate) fn new(
        engine: Engine<G>,
        wanted: EngineOptions<G::Rules>,
        assumed: Dialect,
        channel: Channel<Thought<G>>,
        output: &'a mut dyn Write,
    ) -> Self {
        let is_unprepared = *engine.options() != wanted;
        let settings = Settings::<G>::new(wanted);
        Self {
            gui: Conversation::new(channel, output, Dialects::new(assumed)),
            random: chance(settings.seed()),
            settings,
            is_unprepared,
            engine: EngineHandle::new(engine),
            set_up: thinking::set_up,
            unready: None,
            pending_go: None,
            search: None,
            line: Line::new(G::start(), 0),
            banned: Vec::new(),
            probed: VecDeque::new(),
            began: Instant::now(),
            freed: Instant::now(),
            after_end: AFTER_END,
        }
    }

    /// Goes on until `quit` or the end of the input.
    ///
    /// # Errors
    ///
    /// Those of writing to the GUI.
    pub(crate) fn run(mut self) -> io::Result<()> {
        self.run_events()?;
        if self.gui.quit.is_some() {
            self.gui.say_bye()?;
        }
        self.gui.flush()
    }

    /// Returns true while a search or the setting of options runs.
    const fn is_busy(&self) -> bool {
        self.search.is_some() || self.engine.is_preparing()
    }

    /// Returns true if a command need not wait until the search ends, or options are set.
    fn may_execute(&self, command: &Command) -> bool {
        match &self.search {
            Some(search) => {
                let in_batch = self.settings.batch && !search.owed.is_endless();
                command.is_urgent() && !in_batch
            }
            None if self.engine.is_preparing() => {
                let needs_engine = matches!(command, Command::Probe(_));
                command.is_urgent() && !needs_engine || matches!(command, Command::Handshake(_))
            }
            None => true,
        }
    }

    fn stop_endless(&mut self) {
        if let Some(search) = &mut self.search
            && search.owed.is_endless()
        {
            search.stop();
        }
    }

    /// Obeys a command. All but the urgent ones come only while no search runs; `stopped` says that
    /// `stop` came after a command that had to wait.
    fn execute(&mut self, command: Command, stopped: bool) -> io::Result<()> {
        match command {
            Command::Handshake(dialect) => {
                if self.gui.greet(dialect) {
                    self.gui.introduce(&self.settings.describe(self.gui.wire().dialect))?;
                }
            }
            Command::IsReady => self.on_isready()?,
            Command::NewGame => self.new_game(),
            Command::SetOption(text) => self.set_option(&text)?,
            Command::Position { setup, bare } => {
                if bare {
                    self.gui.hear_bare_position();
                }
                self.set_position(&setup)?;
            }
            Command::BanMoves(texts) => {
                self.banned = self.legal_moves(&texts);
                self.tell_left_out("banmoves", texts.len() - self.banned.len())?;
            }
            Command::Go(go) => self.go(&go, stopped)?,
            Command::Stop => self.stop()?,
            Command::PonderHit { draw } => self.ponder_hit(draw),
            Command::Probe(setup) => self.probe(&setup)?,
            Command::Debug(on) => self.settings.debug = on,
            Command::Quit => self.quit(),
            Command::Display => {
                let text = self.line.position().to_fen();
                self.gui.message(&text)?;
            }
            Command::Ignored => {}
            Command::Unknown(line) => {
                let word = line.split_whitespace().next().unwrap_or_default();
                self.complain(&format!("unknown command: {}", shortened(word)))?;
            }
        }
        Ok(())
    }

    fn new_game(&mut self) {
        if let Some(engine) = self.engine.get_mut() {
            engine.new_game();
        }
        self.banned.clear();
        self.random = chance(self.settings.seed());
    }

    /// Reports a mistake in the input. UCCI wants mistakes ignored, so there it is reported only in debug
    /// mode.
    fn complain(&mut self, message: &str) -> io::Result<()> {
        if self.gui.is_ucci() && !self.settings.debug {
            return Ok(());
        }
        self.gui.message(message)
    }

    /// Ends the session. Commands before `quit` that wait for books and tablebases are still executed if
    /// these open soon.
    fn quit(&mut self) {
        self.gui.quit = Some(Instant::now());
        match &mut self.search {
            Some(search) => {
                self.gui.waiting.clear();
                search.stop();
            }
            None => self.stop_waiting(),
        }
    }

    /// Stops the search and those that wait.
    fn stop(&mut self) -> io::Result<()> {
        match &mut self.search {
            Some(search) => search.stop(),
            None if self.pending_go.is_none() && !self.gui.waiting.has_search() => {
                return self.gui.nothing_to_stop();
            }
            None => {}
        }
        self.stop_waiting();
        Ok(())
    }

    fn stop_waiting(&mut self) {
        self.gui.waiting.stop();
        if let Some(pending_go) = &mut self.pending_go {
            pending_go.stopped = true;
        }
    }

    /// Time ends a search that ponders from now on; those that wait need not ponder at all.
    fn ponder_hit(&mut self, draw: bool) {
        if let Some(search) = &mut self.search
            && std::mem::take(&mut search.owed.pondering)
        {
            search.draw |= draw;
            search.signal.ponder_hit();
        }
        if let Some(PendingGo { go, .. }) = &mut self.pending_go {
            go.ponder_hit(draw);
        }
        self.gui.waiting.ponder_hit(draw);
    }

    /// Sets the position; keeps the old one if the new one cannot be read.
    fn set_position(&mut self, setup: &Setup) -> io::Result<()> {
        match read_position(setup, self.gui.wire().ranks) {
            Ok(line) => {
                self.line = line;
                self.banned.clear();
                Ok(())
            }
            Err(message) => self.gui.message(&format!("position unchanged: {message}")),
        }
    }

    /// The legal ones of the moves that the GUI names, each once.
    fn legal_moves(&self, texts: &[String]) -> Vec<G::Move> {
        let mut moves = Vec::new();
        for text in texts {
            let mv = legal_move(self.line.position(), text, self.gui.wire().ranks);
            moves.extend(mv.filter(|mv| !moves.contains(mv)));
        }
        moves
    }

    fn tell_left_out(&mut self, command: &str, count: usize) -> io::Result<()> {
        if count == 0 {
            return Ok(());
        }
        self.gui.message(&by_count(
            count as u64,
            format!("{command}: 1 move left out, illegal or named twice"),
            format!("{command}: {count} moves left out, illegal or named twice"),
        ))
    }
}

impl<'a, G: Playable> EventLoop<'a> for Session<'a, G> {
    type Engine = Thought<G>;
    type Language = Dialects;

    fn gui(&mut self) -> &mut Conversation<'a, Thought<G>> {
        &mut self.gui
    }

    fn is_finished(&self) -> bool {
        if self.search.is_some() {
            return false;
        }
        let is_done =
            self.gui.waiting.is_empty() && self.pending_go.is_none() && self.unready.is_none();
        (self.gui.quit.is_some() || self.gui.ended.is_some())
            && (is_done || self.gui.is_quit_late())
    }

    fn timeout(&self) -> Option<Duration> {
        let unready = self.unready.as_ref();
        let ready = unready.map(|unready| READY_TIMEOUT.saturating_sub(unready.since.elapsed()));
        let quit = self.gui.quit_waits().filter(|_| self.engine.is_preparing());
        let ended = self.gui.ended.filter(|_| self.is_busy() && self.gui.quit.is_none());
        let late = ended.map(|since| self.after_end.saturating_sub(since.elapsed()));
        let may_prepare = self.is_unprepared && !self.is_busy() && self.gui.ended.is_none();
        let idle = may_prepare.then_some(IDLE);
        [ready, quit, late, idle].into_iter().flatten().min()
    }

    /// Kept until the search ends, where it cannot be obeyed now.
    fn read(&mut self, line: &str) -> io::Result<()> {
        if self.settings.debug {
            self.gui.message(&format!("received: {}", shortened(line.trim_end())))?;
        }
        let command = match Command::parse(line) {
            None => return Ok(()),
            Some(Err(message)) => return self.complain(&message),
            Some(Ok(command)) => command,
        };
        if !self.may_execute(&command) {
            if self.gui.keep(command, line.len())? {
                self.stop_endless();
            }
            return Ok(());
        }
        self.began = Instant::now();
        self.execute(command, false)
    }

    fn end_of_input(&mut self) -> io::Result<()> {
        self.stop_endless();
        Ok(())
    }

    fn hear(&mut self, thought: Thought<G>) -> io::Result<()> {
        self.hear_thought(thought)
    }

    /// Time to prepare, to report the session ready though books and tablebases are not, or to end a search that
    /// nobody waits for.
    fn while_idle(&mut self) -> io::Result<()> {
        if !self.is_busy() {
            return self.prepare().map(drop);
        }
        if self.unready.as_ref().is_some_and(|unready| unready.since.elapsed() >= READY_TIMEOUT) {
            return self.say_ready();
        }
        if self.gui.quit.is_some()
            || self.gui.ended.is_none_or(|since| since.elapsed() < self.after_end)
        {
            return Ok(());
        }
        self.quit();
        self.gui.message("stopped, for the input has ended long ago")
    }

    /// Gives the answer of an ended search if it may be given, then obeys the commands that waited.
    fn catch_up(&mut self) -> io::Result<()> {
        loop {
            if let Some(search) = &mut self.search {
                let Some(outcome) = search.owed.take() else { return Ok(()) };
                if let Some(search) = self.search.take() {
                    self.freed = Instant::now();
                    self.answer(outcome, &search)?;
                    // The commands that waited may run for long.
                    self.gui.flush()?;
                }
            }
            if self.engine.is_preparing() {
                return Ok(());
            }
            let Some(QueuedCommand { command, stopped, since, .. }) = self.gui.waiting.pop() else {
                return Ok(());
            };
            // The clock of a command that waited for a search starts at the end of that search.
            self.began = self.freed.max(since);
            self.execute(command, stopped)?;
            if self.gui.quit.is_some() && self.search.is_some() {
                self.gui.waiting.clear();
            }
        }
    }
}

/// The source of random choices with this seed, if one is set.
fn chance(seed: Option<u64>) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed_or_drawn(seed))
}
