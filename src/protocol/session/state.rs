//! The state of a session and its answers.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::bytes::by_count;
use crate::engine::clock::Allowance;
use crate::engine::{Choice, Engine, EngineOptions, MoveSource, Playable, seed_or_drawn, varied};
use crate::game::{Game, Line, MoveList};
use crate::hash::Key;
use crate::protocol::conversation::input::{Channel, Event};
use crate::protocol::conversation::owed::Owed;
use crate::protocol::conversation::position::{legal_move, read_position};
use crate::protocol::conversation::queue::Waiting;
use crate::protocol::conversation::{Conversation, QUIT_TIMEOUT};
use crate::protocol::session::answers::{Detail, Extras};
use crate::protocol::session::settings::{Effect, Refusal, Settings};
use crate::protocol::session::thinking;
use crate::protocol::session::thinking::{
    Done, Goal, Job, Outcome, Prepared, SetUp, Signal, Task, Thought,
};
use crate::protocol::session::timing::Timing;
use crate::protocol::wire::command::{Command, Setup, shortened};
use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::go::Go;
use crate::protocol::wire::ranks::Ranks;
use crate::search::{HashEntry, Iteration, Limits, Score, table_key};

/// The most positions of which transposition table entries may be requested from a search at a time.
const MAX_PROBED: usize = 10_000;

/// Plies of the past that the search sees where the limit of moves without a capture is off: enough
/// for repetitions, too few for the limit to come near.
const PAST_WITHOUT_LIMIT: usize = 40;

/// The deepest tree whose leaves are counted, in plies: deeper ones would never end in practice.
const MAX_PERFT: u32 = 64;

/// Idle time after which options are applied, so that no clock runs meanwhile.
const IDLE: Duration = Duration::from_millis(50);

/// The time that `isready` waits for books and tablebases to be opened before it is answered all the same:
/// nearly always they are open by then, and the GUI gets reports of what is wrong with them first.
const READY_TIMEOUT: Duration = Duration::from_secs(1);

/// The time that a search may go on after the end of the input, when nobody can stop it any more.
const AFTER_END: Duration = Duration::from_secs(600);

/// A session of one engine with one GUI.
pub(crate) struct Session<'a, G: Playable> {
    gui: Conversation<'a, Thought<G>>,
    settings: Settings<G>,
    /// Options were set that the engine does not have yet.
    is_unprepared: bool,
    /// `None` while a search has it, or a thread that sets options.
    engine: Option<Engine<G>>,
    /// Options are being set.
    is_preparing: bool,
    /// The function that sets them.
    set_up: SetUp<G>,
    /// `isready` that wait for it, and since when.
    unready: Option<(u32, Instant)>,
    /// A `go` that waits for it.
    held: Option<Held>,
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

/// A `go` that waits for the options set before it.
struct Held {
    go: Go,
    /// `stop` came after it.
    stopped: bool,
    /// The time at which it came.
    began: Instant,
}

/// A running search, or one that has ended but may not answer yet.
struct Search<G: Playable> {
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
            gui: Conversation::new(channel, output, assumed),
            random: chance(settings.seed()),
            settings,
            is_unprepared,
            engine: Some(engine),
            is_preparing: false,
            set_up: thinking::set_up,
            unready: None,
            held: None,
            search: None,
            line: Line::new(G::start(), 0),
            banned: Vec::new(),
            probed: VecDeque::new(),
            began: Instant::now(),
            freed: Instant::now(),
            after_end: AFTER_END,
        }
    }

    pub(crate) fn run(mut self) -> io::Result<()> {
        while !self.finished() {
            match self.gui.next_event(self.timeouts()) {
                Some(Event::Line(line)) => self.read(&line)?,
                Some(Event::End) => {
                    self.gui.ended = Some(Instant::now());
                    self.stop_endless();
                }
                Some(Event::Engine(thought)) => self.hear(thought)?,
                None => self.while_idle()?,
            }
            self.catch_up()?;
            self.gui.flush()?;
        }
        if self.gui.quit.is_some() {
            self.gui.farewell()?;
        }
        self.gui.flush()
    }

    fn finished(&self) -> bool {
        if self.search.is_some() {
            return false;
        }
        let is_done = self.gui.waiting.is_empty() && self.held.is_none() && self.unready.is_none();
        (self.gui.quit.is_some() || self.gui.ended.is_some())
            && (is_done || self.gui.is_quit_late())
    }

    /// Returns true while a search or the setting of options runs.
    const fn is_busy(&self) -> bool {
        self.search.is_some() || self.is_preparing
    }

    /// The time to wait for the next event before there is something else to do.
    fn timeouts(&self) -> Option<Duration> {
        let left = |time: Duration, since: Instant| time.saturating_sub(since.elapsed());
        let unready = self.unready.map(|(_, since)| left(READY_TIMEOUT, since));
        let quit = self.gui.quit.filter(|_| self.is_preparing);
        let quit = quit.map(|since| left(QUIT_TIMEOUT, since));
        let ended = self.gui.ended.filter(|_| self.is_busy() && self.gui.quit.is_none());
        let ended = ended.map(|since| left(self.after_end, since));
        let may_prepare = self.is_unprepared && !self.is_busy() && self.gui.ended.is_none();
        let idle = may_prepare.then_some(IDLE);
        [unready, quit, ended, idle].into_iter().flatten().min()
    }

    /// Nothing has come for a while: time to prepare, to report the session ready though books and tablebases
    /// are not, or to end a search that nobody waits for.
    fn while_idle(&mut self) -> io::Result<()> {
        if !self.is_busy() {
            return self.prepare().map(drop);
        }
        if self.unready.is_some_and(|(_, since)| since.elapsed() >= READY_TIMEOUT) {
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

    /// One line of input: obeyed now, or kept until the search ends.
    fn read(&mut self, line: &str) -> io::Result<()> {
        if self.settings.debug {
            self.gui.message(&format!("received: {}", shortened(line.trim_end())))?;
        }
        let command = match Command::parse(line) {
            None => return Ok(()),
            Some(Err(message)) => return self.complain(&message),
            Some(Ok(command)) => command,
        };
        let may_execute = match &self.search {
            Some(search) => {
                let in_batch = self.settings.batch && !search.owed.is_endless();
                command.is_urgent() && !in_batch
            }
            None if self.is_preparing => {
                let needs_engine = matches!(command, Command::Probe(_));
                command.is_urgent() && !needs_engine || matches!(command, Command::Handshake(_))
            }
            None => true,
        };
        if !may_execute {
            if self.gui.keep(command, line.len())? {
                self.stop_endless();
            }
            return Ok(());
        }
        self.began = Instant::now();
        self.execute(command, false)
    }

    fn stop_endless(&mut self) {
        if let Some(search) = &mut self.search
            && search.owed.is_endless()
        {
            search.stop();
        }
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
            if self.is_preparing {
                return Ok(());
            }
            let Some(Waiting { command, stopped, since, .. }) = self.gui.waiting.pop() else {
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

    /// Obeys a command. All but the urgent ones come only while no search runs; `stopped` says that
    /// `stop` came after a command that had to wait.
    fn execute(&mut self, command: Command, stopped: bool) -> io::Result<()> {
        match command {
            Command::Handshake(dialect) => {
                if self.gui.greet(dialect) {
                    self.gui.introduce(&self.settings.describe(self.dialect()))?;
                }
            }
            Command::IsReady => {
                if self.search.is_none() && self.prepare()? {
                    let (count, since) = self.unready.unwrap_or((0, Instant::now()));
                    self.unready = Some((count.saturating_add(1), since));
                } else {
                    self.gui.ready()?;
                }
            }
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

    const fn dialect(&self) -> Dialect {
        self.gui.wire.dialect
    }

    fn new_game(&mut self) {
        if let Some(engine) = &mut self.engine {
            engine.new_game();
        }
        self.banned.clear();
        self.random = chance(self.settings.seed());
    }

    fn set_option(&mut self, text: &str) -> io::Result<()> {
        match self.settings.set(text) {
            Ok(Effect::Nothing) => {}
            Ok(Effect::NewGame) => self.new_game(),
            Ok(Effect::ClearHash) => {
                if let Some(engine) = &mut self.engine {
                    engine.clear_hash();
                }
            }
            Err(Refusal::Bad(message)) => self.gui.message(&message)?,
            Err(Refusal::Unknown(name)) => self.complain(&format!("unknown option: {name}"))?,
        }
        self.is_unprepared = true;
        self.gui.set_ranks(if G::RANKS_FROM_ZERO { self.settings.ranks } else { Ranks::FromZero });
        self.gui.set_milliseconds(self.settings.milliseconds);
        Ok(())
    }

    /// Reports a mistake in the input. UCCI wants mistakes ignored, so there it is reported only in debug
    /// mode.
    fn complain(&mut self, message: &str) -> io::Result<()> {
        if self.dialect().is_ucci() && !self.settings.debug {
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
            None if self.held.is_none() && !self.gui.waiting.has_search() => {
                return self.gui.nothing_to_stop();
            }
            None => {}
        }
        self.stop_waiting();
        Ok(())
    }

    fn stop_waiting(&mut self) {
        self.gui.waiting.stop();
        if let Some(held) = &mut self.held {
            held.stopped = true;
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
        if let Some(Held { go, .. }) = &mut self.held {
            go.ponder_hit(draw);
        }
        self.gui.waiting.ponder_hit(draw);
    }

    /// Begins to set up the engine as the settings demand, in a thread of its own; `false` if it is so
    /// already, or cannot be. Reports what is wrong with books and tablebases.
    fn prepare(&mut self) -> io::Result<bool> {
        if self.is_preparing {
            return Ok(true);
        }
        self.is_unprepared = false;
        let wanted = self.settings.engine_options();
        if self.engine.as_ref().is_some_and(|engine| *engine.options() == wanted) {
            self.tell_warnings()?;
            return Ok(false);
        }
        let (engine, events) = (self.engine.take(), self.gui.sender.clone());
        if let Err(error) = thinking::prepare(self.set_up, engine, wanted, events) {
            self.gui.message(&format!("cannot start a thread to set options: {error}"))?;
            return Ok(false);
        }
        self.is_preparing = true;
        Ok(true)
    }

    /// The engine is back, with other options: what waited for that goes on.
    fn prepared(&mut self, prepared: Option<Box<Prepared<G>>>) -> io::Result<()> {
        self.is_preparing = false;
        match prepared.map(|prepared| *prepared) {
            Some(Prepared { engine, problem }) => {
                self.engine = engine;
                if let Some(error) = problem {
                    match &self.engine {
                        Some(engine) => self.settings.keep(engine.options()),
                        None => self.settings.use_least(),
                    }
                    self.gui.message(&format!("{error}; going on as before"))?;
                }
            }
            None => self.gui.message("setting options broke down; please report them")?,
        }
        self.tell_warnings()?;
        self.say_ready()?;
        match self.held.take() {
            Some(held) => self.start_search(&held),
            None => Ok(()),
        }
    }

    /// Answers every `isready` that waits.
    fn say_ready(&mut self) -> io::Result<()> {
        let count = self.unready.take().map_or(0, |(count, _)| count);
        (0..count).try_for_each(|_| self.gui.ready())
    }

    fn tell_warnings(&mut self) -> io::Result<()> {
        let warnings = self.engine.as_mut().map(Engine::take_warnings).unwrap_or_default();
        warnings.iter().try_for_each(|warning| self.gui.message(&warning.to_string()))
    }

    /// Sets the position; keeps the old one if the new one cannot be read.
    fn set_position(&mut self, setup: &Setup) -> io::Result<()> {
        match read_position(setup, self.gui.wire.ranks) {
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
            let mv = legal_move(self.line.position(), text, self.gui.wire.ranks);
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

    /// The moves that a search leaves out: the banned ones, and, if `go` names moves to search, all others.
    fn moves_to_leave_out(&mut self, go: &Go) -> io::Result<Vec<G::Move>> {
        let mut banned = self.banned.clone();
        let wanted = self.legal_moves(&go.search_moves);
        self.tell_left_out("searchmoves", go.search_moves.len() - wanted.len())?;
        if !wanted.is_empty() {
            let mut moves = MoveList::new();
            self.line.position().legal_moves(&mut moves);
            banned.extend(moves.into_iter().filter(|mv| !wanted.contains(mv)));
        }
        Ok(banned)
    }

    fn go(&mut self, go: &Go, stopped: bool) -> io::Result<()> {
        let go = &go.in_milliseconds(self.gui.wire.unit);
        if !go.ignored.is_empty() {
            self.complain(&format!("go: ignored {}", go.ignored.join(" ")))?;
        }
        if go.perft.is_some_and(|depth| depth > MAX_PERFT) {
            self.complain(&format!("go perft: {MAX_PERFT} plies are the most"))?;
        }
        let held = Held { go: go.clone(), stopped, began: self.began };
        if self.prepare()? {
            self.held = Some(held);
            return Ok(());
        }
        self.start_search(&held)
    }

    fn start_search(&mut self, held: &Held) -> io::Result<()> {
        let Held { go, stopped, began } = held;
        let (stopped, spent) = (*stopped, began.elapsed());
        if self.dialect().is_ucci() && go.depth == Some(0) {
            self.gui.score::<G>(0, score_without_search(self.line.position()), &[])?;
            return self.gui.no_move();
        }
        let banned = self.moves_to_leave_out(go)?;
        let Some(engine) = self.engine.take() else { return self.gui.no_move() };
        // The end of the input, or another `go`, has ended it before it began.
        let may_last = !stopped && self.gui.ended.is_none() && !self.gui.waiting.has_search();
        let (search, job) = self.plan(go, banned, may_last, spent);
        if stopped || !may_last && (self.is_unlimited(go) || go.ponder) {
            search.signal.stop();
        }
        if self.settings.debug {
            self.gui.message(&format!("{:?}, {job:?}", self.allowance(go)))?;
        }
        let task = Task { line: self.line_to_search(), job, banned: search.banned.clone() };
        let (signal, events) = (search.signal.clone(), self.gui.sender.clone());
        self.search = Some(search);
        if let Err(error) = thinking::start(engine, task, signal, events) {
            self.search_lost(&format!("cannot start a thread for the search: {error}"))?;
        }
        Ok(())
    }

    fn is_unlimited(&self, go: &Go) -> bool {
        go.is_endless(self.line.position().turn())
    }

    fn allowance(&self, go: &Go) -> Option<Allowance> {
        let Settings { overhead, ponder, .. } = self.settings;
        let timing = Timing { overhead, ponders: ponder };
        timing.allowance(go, self.line.position().turn())
    }

    /// Translates `go`, without the moves that are `banned`, into a search and its job; `may_last` states
    /// whether it may go on until it is stopped, `spent` is the part of its time that has passed already.
    fn plan(
        &self,
        go: &Go,
        banned: Vec<G::Move>,
        may_last: bool,
        spent: Duration,
    ) -> (Search<G>, Job) {
        let is_ucci = self.dialect().is_ucci();
        let unlimited = self.is_unlimited(go);
        let allowance = self.allowance(go).filter(|_| !go.infinite);
        let mut limits = Limits { depth: depth(go), nodes: go.nodes, ..Limits::default() };
        if let Some(Allowance { soft, hard }) = allowance {
            limits.soft_time = soft;
            limits.hard_time = Some(hard);
        }
        let pondering = go.ponder && may_last && go.perft.is_none();
        let search = Search {
            signal: Arc::new(Signal::new(pondering)),
            owed: Owed {
                pondering,
                endless: unlimited && may_last,
                // UCCI's endless searches may answer when they have found a mate.
                held: unlimited && may_last && !is_ucci && go.mate.is_none(),
                answer: None,
            },
            draw: go.draw,
            banned,
            lines: Vec::new(),
        };
        let mate = go.mate.map(|moves| moves.max(1)).or((is_ucci && unlimited).then_some(u32::MAX));
        let goal = Goal { limits: limits.after(spent), mate };
        let job = match go.perft {
            Some(depth) => Job::Count(depth.min(MAX_PERFT)),
            None if go.infinite || self.settings.analyse => Job::Analyse(goal),
            None => {
                let limits = self.settings.level().within(goal.limits);
                Job::Choose(Goal { limits, ..goal })
            }
        };
        (search, job)
    }

    /// The line, without its distant past where the limit of moves is off.
    fn line_to_search(&self) -> Line<G> {
        if self.settings.sixty_moves {
            return self.line.clone();
        }
        let mut before = self.line.clone();
        let kept = self.line.len().min(PAST_WITHOUT_LIMIT);
        for _ in 0..kept {
            before.pop();
        }
        let mut line = Line::new(before.position().clone(), 0).begun_at(before.game_ply());
        for mv in self.line.moves().skip(self.line.len() - kept) {
            line.push(mv);
        }
        line
    }

    /// Something from the search.
    fn hear(&mut self, thought: Thought<G>) -> io::Result<()> {
        match thought {
            Thought::Iteration(iteration) => self.tell_iteration(iteration),
            Thought::Count(mv, leaves) => self.gui.count::<G>(mv, leaves),
            Thought::Known(entry) => self.tell_known(entry),
            Thought::Done(done) => self.search_ended(done),
            Thought::Prepared(prepared) => self.prepared(prepared),
        }
    }

    fn tell_iteration(&mut self, iteration: Iteration<G::Move>) -> io::Result<()> {
        if iteration.multipv as usize <= self.settings.multipv() {
            let detail = Detail { wdl: self.settings.show_wdl, debug: self.settings.debug };
            self.gui.iteration::<G>(&iteration, detail)?;
        }
        if let Some(search) = &mut self.search {
            if iteration.multipv == 1 {
                search.lines.clear();
            }
            search.lines.push(iteration);
        }
        Ok(())
    }

    fn search_ended(&mut self, done: Option<Box<Done<G>>>) -> io::Result<()> {
        match done {
            Some(done) => {
                let Done { engine, outcome } = *done;
                self.engine = Some(engine);
                self.take_outcome(outcome)
            }
            None => self.search_lost("the search broke down; please report the position"),
        }
    }

    /// Neither engine nor answer will come back: any move is better than none.
    fn search_lost(&mut self, why: &str) -> io::Result<()> {
        self.gui.message(why)?;
        let mut moves = MoveList::new();
        self.line.position().legal_moves(&mut moves);
        let banned = self.search.as_ref().map_or(&self.banned, |search| &search.banned);
        let any = moves.into_iter().find(|mv| !banned.contains(mv));
        self.take_outcome(Outcome::Move(any.map(Choice::unsearched)))
    }

    fn take_outcome(&mut self, outcome: Outcome<G::Move>) -> io::Result<()> {
        while !self.probed.is_empty() {
            let known = self.engine.as_ref().zip(self.probed.front());
            let entry = known.and_then(|(engine, (_, key))| engine.probe(*key));
            self.tell_known(entry)?;
        }
        if let Some(search) = &mut self.search {
            search.owed.answer = Some(outcome);
        }
        Ok(())
    }

    /// UCCI: reports the transposition table's entry. While a search runs, the search's thread answers.
    fn probe(&mut self, setup: &Setup) -> io::Result<()> {
        let line = match read_position::<G>(setup, self.gui.wire.ranks) {
            Ok(line) => line,
            Err(message) => {
                self.complain(&format!("probe: {message}"))?;
                return self.gui.hash_entry::<G>(None);
            }
        };
        let position = line.position().clone();
        let rules = self.settings.engine_options().rules;
        let key = if self.settings.sixty_moves { table_key(&line, rules) } else { position.key() };
        let entry = self.engine.as_ref().map(|engine| engine.probe(key));
        match (&self.search, entry) {
            (Some(search), None) if self.probed.len() < MAX_PROBED => {
                self.probed.push_back((position, key));
                search.signal.ask(key);
                Ok(())
            }
            (_, entry) => {
                let entry = entry.flatten();
                self.gui.hash_entry::<G>(entry.map(|entry| legal(entry, &position)))
            }
        }
    }

    /// Answers for the position whose entry was requested first.
    fn tell_known(&mut self, entry: Option<HashEntry<G::Move>>) -> io::Result<()> {
        match self.probed.pop_front() {
            Some((position, _)) => {
                self.gui.hash_entry::<G>(entry.map(|entry| legal(entry, &position)))
            }
            None => Ok(()),
        }
    }

    fn answer(&mut self, outcome: Outcome<G::Move>, search: &Search<G>) -> io::Result<()> {
        self.tell_warnings()?;
        let choice = match outcome {
            Outcome::Leaves(Some(leaves)) => return self.gui.total(leaves),
            Outcome::Leaves(None) => return self.gui.message("go perft: stopped"),
            Outcome::Move(None) => return self.tell_no_move(),
            Outcome::Move(Some(choice)) => self.varied(choice, &search.lines),
        };
        match choice.source {
            MoveSource::Table => self.tell_table(&choice)?,
            _ if search.lines.is_empty() => self.tell_unsearched(&choice)?,
            _ => {}
        }
        if choice.source == MoveSource::Book {
            self.gui.message("the move is from the book")?;
        }
        let draw = search.draw && self.accepts_draw(&choice);
        self.gui.best::<G>(choice.mv, choice.ponder(), Extras { draw })
    }

    /// There is no move: the game is over, or all moves are left out.
    fn tell_no_move(&mut self) -> io::Result<()> {
        // UCCI's `nobestmove` says as much.
        if self.line.position().outcome().is_some() && !self.dialect().is_ucci() {
            self.gui.score::<G>(0, score_without_search(self.line.position()), &[])?;
        }
        self.gui.no_move()
    }

    /// Reports a move that no iteration has been reported for, so that every move comes with a score and a line of
    /// play: that of a search which was over before its first iteration, or of a book. The score is the evaluation
    /// where there is no other.
    fn tell_unsearched(&mut self, choice: &Choice<G::Move>) -> io::Result<()> {
        let score = choice.score.unwrap_or_else(|| score_without_search(self.line.position()));
        self.gui.score::<G>(choice.depth, score, &choice.pv)
    }

    fn tell_table(&mut self, choice: &Choice<G::Move>) -> io::Result<()> {
        if let Some(score) = choice.score {
            self.gui.score::<G>(1, score, &choice.pv)?;
        }
        if let Some(table) = &choice.table {
            self.gui.message(&format!("the move is from the endgame tables: {table}"))?;
        }
        Ok(())
    }

    /// Returns true if the score of the choice is at most the one up to which the style accepts a draw. A
    /// book's move has no score, so it never accepts one.
    fn accepts_draw(&self, choice: &Choice<G::Move>) -> bool {
        choice.score.is_some_and(|score| score.value() <= self.settings.style.draw_up_to())
    }

    /// The choice, or for a change another of the search's lines that is hardly worse.
    fn varied(&mut self, choice: Choice<G::Move>, lines: &[Iteration<G::Move>]) -> Choice<G::Move> {
        let Some(margin) = self.settings.margin() else { return choice };
        varied(choice, lines, margin, self.random.next_u64())
    }
}

/// The source of random choices with this seed, if one is set.
fn chance(seed: Option<u64>) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed_or_drawn(seed))
}

/// The score of a position as it stands, for the side to move: of the result where the game is over, else the
/// evaluation.
pub(crate) fn score_without_search<G: Playable>(position: &G) -> Score {
    match position.outcome().map(crate::game::Outcome::winner) {
        None => Score::from_eval(position.evaluate()),
        Some(None) => Score::DRAW,
        Some(Some(winner)) if winner == position.turn() => Score::mate_in(0),
        Some(Some(_)) => Score::mated_in(0),
    }
}

/// Plies of a search, at least one. A search for a mate and nothing else gives up some plies after it
/// should have been found.
fn depth(go: &Go) -> Option<u32> {
    const EXTRA_PLIES: u32 = 10;
    let is_only = !go.infinite && go.nodes.is_none();
    let for_mate =
        go.mate.filter(|_| is_only).map(|mate| mate.saturating_mul(2).saturating_add(EXTRA_PLIES));
    go.depth.or(for_mate).map(|depth| depth.max(1))
}

/// The entry without a move that is not legal.
fn legal<G: Game>(entry: HashEntry<G::Move>, position: &G) -> HashEntry<G::Move> {
    HashEntry { best: entry.best.filter(|&mv| position.is_legal(mv)), ..entry }
}

#[cfg(test)]
#[expect(clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use std::sync::mpsc::sync_channel;

    use super::*;
    use crate::xiangqi::{Position, RuleSet};

    #[test]
    fn a_search_that_nobody_can_stop_any_more_ends() {
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let engine = Engine::<Position>::new(options).unwrap();
        let (sender, events) = sync_channel(16);
        for event in [Event::Line("go nodes 99999999999".to_owned()), Event::End] {
            sender.send(event).unwrap();
        }
        let mut output = Vec::new();
        let options = engine.options().clone();
        let channel = (sender, events);
        let mut session = Session::new(engine, options, Dialect::Uci, channel, &mut output);
        session.after_end = Duration::from_millis(100);
        session.run().unwrap();
        let output = String::from_utf8(output).unwrap();
        assert!(output.contains("info string stopped, for the input has ended long ago"));
        assert!(output.trim_end().lines().last().unwrap().starts_with("bestmove "), "{output}");
    }

    /// Sets options as if books and tablebases took long to open.
    fn slow(
        engine: Option<Engine<Position>>,
        options: EngineOptions<RuleSet>,
    ) -> Prepared<Position> {
        std::thread::sleep(Duration::from_millis(2_500));
        thinking::set_up(engine, options)
    }

    /// Each line of the answers to these lines, sent with these pauses in milliseconds, with the milliseconds
    /// that had passed; options are slow to be set.
    fn timed(lines: &[(&'static str, u64)], dialect: Dialect) -> Vec<(String, u64)> {
        struct Timed(Instant, Vec<(String, u64)>);
        impl Write for Timed {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                let since = self.0.elapsed().as_millis() as u64;
                let text = String::from_utf8_lossy(bytes).into_owned();
                self.1.push((text, since));
                Ok(bytes.len())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let engine = Engine::<Position>::new(options.clone()).unwrap();
        let (sender, events) = sync_channel(16);
        let mut output = Timed(Instant::now(), Vec::new());
        let input = sender.clone();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                for &(line, wait) in lines {
                    std::thread::sleep(Duration::from_millis(wait));
                    input.send(Event::Line(line.to_owned())).unwrap();
                }
            });
            let channel = (sender, events);
            let mut session = Session::new(engine, options, dialect, channel, &mut output);
            session.set_up = slow;
            session.run().unwrap();
        });
        output.1.push((String::new(), output.0.elapsed().as_millis() as u64));
        output.1
    }

    fn time_of(answers: &[(String, u64)], start: &str) -> Option<u64> {
        answers.iter().find(|(line, _)| line.starts_with(start)).map(|&(_, time)| time)
    }

    #[test]
    fn isready_and_quit_are_answered_while_a_book_opens() {
        let answers = timed(
            &[("setoption name Hash value 2", 0), ("isready", 0), ("uci", 200), ("quit", 1_200)],
            Dialect::Uci,
        );
        let time = |start| time_of(&answers, start).unwrap_or_else(|| panic!("{answers:?}"));
        assert!((200..900).contains(&time("uciok")), "{answers:?}");
        assert!((1_000..2_000).contains(&time("readyok")), "{answers:?}");
        assert!(answers.last().unwrap().1 < 2_300, "{answers:?}");
        let answers = timed(&[("setoption hashsize 2", 0), ("quit", 300)], Dialect::Ucci);
        assert!(answers.last().unwrap().1 < 1_500, "{answers:?}");
        assert!(time_of(&answers, "bye").is_some(), "{answers:?}");
    }

    #[test]
    fn options_take_effect_before_what_comes_after_them() {
        let said = [
            ("setoption name Hash value 2", 0),
            ("go movetime 3000", 0),
            ("setoption name MultiPV value 2", 0),
            ("go depth 1", 0),
            ("isready", 500),
            ("quit", 5_500),
        ];
        let answers = timed(&said, Dialect::Uci);
        let best: Vec<u64> = answers
            .iter()
            .filter(|(line, _)| line.starts_with("bestmove"))
            .map(|&(_, time)| time)
            .collect();
        let [first, second] = best[..] else { panic!("{answers:?}") };
        // The time of the first has gone while it waited.
        assert!((2_800..4_500).contains(&first), "{answers:?}");
        assert!(second >= first + 2_400, "{answers:?}");
    }

    #[test]
    fn an_engine_lost_while_options_are_set_is_missed_once() {
        fn breaks(_: Option<Engine<Position>>, _: EngineOptions<RuleSet>) -> Prepared<Position> {
            std::panic::resume_unwind(Box::new("no book")); // says nothing
        }
        let options = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
        let engine = Engine::<Position>::new(options.clone()).unwrap();
        let (sender, events) = sync_channel(16);
        for line in ["setoption name Hash value 2", "isready", "go depth 1", "quit"] {
            sender.send(Event::Line(line.to_owned())).unwrap();
        }
        let mut output = Vec::new();
        let channel = (sender, events);
        let mut session = Session::new(engine, options, Dialect::Uci, channel, &mut output);
        session.set_up = breaks;
        session.run().unwrap();
        let output = String::from_utf8(output).unwrap();
        assert!(output.contains("broke down") && output.contains("readyok"), "{output}");
        assert_eq!(output.matches("bestmove").count(), 1, "{output}");
    }
}
