//! The state of a session, and the commands of the GUI. [`phase`] is what the GUI waits for, [`engine`] handles the
//! lines of the engine, [`play`] the way from a `go` to its answer.

mod engine;
mod phase;
mod play;

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crate::bytes::StopFlag;
use crate::engine::EngineOptions;
use crate::game::Notation;
use crate::protocol::client::ReadyWord;
use crate::protocol::{
    Channel, Command, Conversation, Dialect, Dialects, EventLoop, Go, Offer, QueuedCommand, Ranks,
    Setup, name_and_value,
};
use crate::proxy::backend::{Backend, EngineLine, Stage};
use crate::proxy::board::GuiPosition;
use crate::proxy::failures::Failures;
use crate::proxy::front::Front;
use crate::proxy::options::{Managed, Options, Owner};
use crate::proxy::session::phase::{Phase, Ready};
use crate::proxy::start::{ProxyError, ProxyOptions};
use crate::xiangqi::{Position, RuleSet};

/// Messages that may wait for the GUI's first line.
const MAX_UNSAID: usize = 100;
/// The interval between two looks at whether the session is to stop.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The time that a search may take after the end of the input.
const AFTER_END: Duration = Duration::from_secs(10);
/// The time that our book and tablebases may take to open before the engine plays without them.
const PREPARE_TIMEOUT: Duration = Duration::from_secs(1);

/// A session of one engine with one GUI.
pub(crate) struct Session<'a> {
    gui: Conversation<'a, EngineLine>,
    setup: ProxyOptions,
    /// Set from outside when the session is to end.
    stop: &'a StopFlag,
    /// Messages that wait for the GUI's first line; `None` once that has come.
    unsaid: Option<Vec<String>>,
    options: Options,
    /// Our book and tablebases.
    front: Front,
    backend: Backend,
    failures: Failures,
    board: GuiPosition,
    /// Moves that may not be played, with ranks from 0.
    banned: Vec<String>,
    phase: Phase,
    /// Lines of the engine that are no answers, since the GUI's last command.
    strange_lines: u32,
}

impl<'a> Session<'a> {
    /// Starts the engine.
    pub(crate) fn new(
        setup: ProxyOptions,
        channel: Channel<EngineLine>,
        output: &'a mut dyn Write,
        stop: &'a StopFlag,
    ) -> Result<Self, ProxyError> {
        let gui = Conversation::new(channel, output, Dialects::new(Dialect::Uci));
        let options = Options::new(setup.own.clone());
        let front = Front::new(front_options(&options))?;
        let backend = Backend::foreign(&setup.command, setup.protocol, 0, gui.sender.clone())?;
        Ok(Self {
            gui,
            setup,
            stop,
            unsaid: Some(Vec::new()),
            options,
            front,
            backend,
            failures: Failures::default(),
            board: GuiPosition::start(),
            banned: Vec::new(),
            phase: Phase::Idle,
            strange_lines: 0,
        })
    }

    /// Goes on until `quit`, the end of the input or until it is to stop.
    ///
    /// # Errors
    ///
    /// Those of writing to the GUI.
    pub(crate) fn run(mut self) -> io::Result<()> {
        self.run_events()?;
        if self.gui.quit.is_some() {
            self.answer_now()?;
        }
        if self.unsaid.is_none() {
            self.gui.say_bye()?;
        }
        self.gui.flush()?;
        self.backend.quit();
        Ok(())
    }

    /// Returns true once the session is to end because of `quit`. Requests before it, as `uci` and `isready`
    /// from a pipe, are still answered if the engine introduces itself and gets ready soon.
    fn has_quit(&self) -> bool {
        let is_asked = matches!(self.phase, Phase::Greeting | Phase::GettingReady(_));
        self.gui.quit.is_some() && (!is_asked || self.gui.is_quit_late())
    }

    /// Returns true if nothing runs and nothing waits.
    fn is_idle(&self) -> bool {
        self.phase.is_idle() && self.gui.waiting.is_empty()
    }

    /// The GUI has sent a line: messages need not wait any more.
    fn say_unsaid(&mut self) -> io::Result<()> {
        let unsaid = self.unsaid.take().unwrap_or_default();
        unsaid.iter().try_for_each(|message| self.gui.message(message))
    }

    fn stop_endless(&mut self) -> io::Result<()> {
        if self.phase.search().is_some_and(|search| search.owed.is_endless()) {
            self.stop_search()?;
        }
        Ok(())
    }

    /// Stops the search and those that wait.
    fn stop(&mut self) -> io::Result<()> {
        self.gui.waiting.stop();
        if self.phase.search().is_some() {
            return self.stop_search();
        }
        if self.is_idle() { self.gui.nothing_to_stop() } else { Ok(()) }
    }

    /// The clock starts for a search that ponders; those that wait need not ponder at all.
    fn ponder_hit(&mut self, draw: bool) -> io::Result<()> {
        self.gui.waiting.ponder_hit(draw);
        let Some(search) = self.phase.search_mut().filter(|search| search.owed.pondering) else {
            return Ok(());
        };
        search.owed.pondering = false;
        search.go.draw |= draw;
        search.start_clock();
        if !search.is_with_engine() {
            return Ok(());
        }
        let offers = draw && self.backend.wire.dialect.is_ucci();
        self.tell(if offers { "ponderhit draw" } else { "ponderhit" }).map(drop)
    }

    /// Gives the answer of a search if there is one that may be given. The GUI gets it at once, before
    /// anything else is done.
    fn give_answer(&mut self) -> io::Result<()> {
        let Some(search) = self.phase.search_mut() else { return Ok(()) };
        let Some(answer) = search.owed.take() else { return Ok(()) };
        self.phase = Phase::Idle;
        self.gui.answer(&answer)?;
        if let Some(offer) = answer.offer.filter(|_| !self.gui.is_ucci()) {
            let word = match offer {
                Offer::Draw => "offers a draw",
                Offer::Resign => "resigns",
            };
            self.info(&format!("{} {word}", self.backend.name()))?;
        }
        self.gui.flush()
    }

    /// A command while nothing runs.
    fn execute(&mut self, command: Command) -> io::Result<()> {
        match command {
            Command::Handshake(_) => {
                self.phase = Phase::Greeting;
                self.introduce()
            }
            Command::IsReady => {
                self.prepare(PREPARE_TIMEOUT)?;
                self.phase = Phase::GettingReady(Ready::Later);
                self.ask_ready()
            }
            Command::NewGame => self.new_game(),
            Command::SetOption(text) => match name_and_value(&text) {
                Some((name, value)) => self.set_option(&name, value),
                None => Ok(()),
            },
            Command::Position { setup, bare } => {
                if bare {
                    self.gui.hear_bare_position();
                }
                self.set_position(setup)
            }
            Command::BanMoves(moves) => {
                self.banned = moves.iter().map(|mv| self.our_move(mv)).collect();
                Ok(())
            }
            Command::Go(go) => self.go(self.in_our_words(&go)),
            Command::Probe(setup) => self.probe(&setup),
            Command::Unknown(line) => self.pass_on(&line),
            Command::Display => self.pass_on("d"),
            Command::Debug(on) => self.tell(if on { "debug on" } else { "debug off" }).map(drop),
            Command::Stop | Command::PonderHit { .. } | Command::Quit | Command::Ignored => Ok(()),
        }
    }

    /// A move of the GUI's for the present position, with ranks from 0.
    fn our_move(&self, text: &str) -> String {
        let ours = self.gui.wire().ranks.ours(text);
        self.board.legal(&ours).map_or(ours, Position::move_text)
    }

    /// Times in milliseconds, and moves with ranks from 0; those that are not legal are left out.
    fn in_our_words(&self, go: &Go) -> Go {
        let mut search_moves: Vec<String> =
            go.search_moves.iter().map(|mv| self.our_move(mv)).collect();
        if self.board.line().is_some() {
            search_moves.retain(|mv| self.board.legal(mv).is_some());
        }
        Go { search_moves, ..go.in_milliseconds(self.gui.wire().unit) }
    }

    /// A game begins. An engine that has failed has another chance, if it has ever worked.
    fn new_game(&mut self) -> io::Result<()> {
        if let Some(engine) = self.front.engine() {
            engine.new_game();
        }
        if self.backend.is_foreign() {
            self.failures.forgive();
        } else if self.failures.try_again() {
            return self.start_engine(self.setup.protocol);
        }
        let is_ucci = self.backend.wire.dialect.is_ucci();
        self.tell(if is_ucci { "setoption newgame" } else { "ucinewgame" }).map(drop)
    }

    /// UCCI: requests the hash table's entry. An engine of UCI has no command for that.
    fn probe(&mut self, setup: &Setup) -> io::Result<()> {
        let wire = self.backend.wire;
        if !wire.dialect.is_ucci() {
            return self.gui.say("pophash");
        }
        let moves: Vec<String> =
            setup.moves.iter().map(|mv| self.gui.wire().ranks.ours(mv)).collect();
        let text = wire.position(setup.fen.as_deref(), moves.iter().map(String::as_str));
        self.tell(&text.replacen("position", "probe", 1)).map(drop)
    }

    /// Introduces the proxy, once the engine has introduced itself.
    fn introduce(&mut self) -> io::Result<()> {
        if self.backend.stage == Stage::Greeting || !matches!(self.phase, Phase::Greeting) {
            return Ok(());
        }
        self.phase = Phase::Idle;
        let version = env!("CARGO_PKG_VERSION");
        let own = "the juzhong authors";
        let name = if self.backend.is_ready() && !self.backend.is_own() {
            format!("{} + juzhong {version}", self.backend.name())
        } else {
            format!("juzhong {version}")
        };
        self.gui.say(format_args!("id name {name}"))?;
        let author = self.backend.greeting.author.as_deref();
        match author.filter(|author| !author.is_empty() && *author != own) {
            Some(author) => self.gui.say(format_args!("id author {author}; {own}"))?,
            None => self.gui.say(format_args!("id author {own}"))?,
        }
        let dialect = self.gui.wire().dialect;
        self.options.lines(dialect).iter().try_for_each(|line| self.gui.say(line))?;
        self.gui.say(dialect.ok())
    }

    /// Asks the engine whether it is ready, or answers in its place.
    fn ask_ready(&mut self) -> io::Result<()> {
        let Phase::GettingReady(ready) = &mut self.phase else { return Ok(()) };
        match self.backend.stage {
            Stage::Greeting => {
                *ready = Ready::Later;
                Ok(())
            }
            Stage::Ready { .. } if self.backend.ready != ReadyWord::Ignored => {
                *ready = Ready::Sent(Instant::now());
                self.tell("isready").map(drop)
            }
            Stage::Ready { .. } | Stage::Gone => self.say_ready(),
        }
    }

    fn say_ready(&mut self) -> io::Result<()> {
        if !matches!(self.phase, Phase::GettingReady(_)) {
            return Ok(());
        }
        self.phase = Phase::Idle;
        self.gui.ready()
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        match self.options.owner(name) {
            Owner::Managed(Managed::Variant) => {
                let is_fairy = value.eq_ignore_ascii_case("xiangqi");
                self.gui.set_ranks(if is_fairy { Ranks::FromOne } else { Ranks::FromZero });
            }
            Owner::Managed(Managed::Milliseconds) => {
                let is_on = ["true", "on", "1"].iter().any(|on| value.eq_ignore_ascii_case(on));
                self.gui.set_milliseconds(is_on);
            }
            Owner::Managed(Managed::NewGame) => return self.new_game(),
            Owner::Ours(name) => {
                if let Err(message) = self.options.set_own(&name, value) {
                    return self.info(&message);
                }
                if self.backend.is_own() {
                    self.tell(&self.backend.wire.set_option(&name, value))?;
                }
            }
            Owner::Engine(name) => return self.set_engine_option(&name, value),
        }
        Ok(())
    }

    fn set_engine_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.options.remember(name, value);
        self.send_option(name, value)
    }

    /// The engine will get, before its next search, what it may understand better than we do.
    fn set_position(&mut self, setup: Setup) -> io::Result<()> {
        let moves = setup.moves.iter().map(|mv| self.gui.wire().ranks.ours(mv)).collect();
        let (board, problem) = GuiPosition::read(Setup { moves, ..setup });
        self.board = board;
        self.banned.clear();
        self.backend.set_knows_position(false);
        if let Some(problem) = problem {
            self.info(&format!("only {} sees this position: {problem}", self.backend.name()))?;
        }
        Ok(())
    }

    /// Passes on a line that is not for us, and may be about the position.
    fn pass_on(&mut self, line: &str) -> io::Result<()> {
        let knows = self.phase.search().is_some() || self.send_position()?;
        if knows { self.tell(line).map(drop) } else { Ok(()) }
    }

    /// Sets up our part as its options demand, as far as that takes no longer than `timeout`, and reports
    /// problems of books and tablebases.
    fn prepare(&mut self, timeout: Duration) -> io::Result<()> {
        self.front.prepare(front_options(&self.options), timeout);
        let warnings = self.front.take_warnings();
        warnings.iter().try_for_each(|warning| self.info(warning))
    }

    /// The rules that judge repetitions.
    fn rules(&self) -> RuleSet {
        self.options.own().rules
    }

    /// Writes a message to people; it waits until the GUI has sent its first line.
    fn info(&mut self, text: &str) -> io::Result<()> {
        let Some(unsaid) = &mut self.unsaid else { return self.gui.message(text) };
        if unsaid.len() < MAX_UNSAID {
            unsaid.push(text.to_owned());
        }
        Ok(())
    }
}

impl<'a> EventLoop<'a> for Session<'a> {
    type Engine = EngineLine;
    type Language = Dialects;

    fn gui(&mut self) -> &mut Conversation<'a, EngineLine> {
        &mut self.gui
    }

    fn is_finished(&self) -> bool {
        self.stop.is_set() || self.has_quit() || self.gui.ended.is_some() && self.is_idle()
    }

    fn timeout(&self) -> Option<Duration> {
        Some(self.next_time().saturating_duration_since(Instant::now()))
    }

    /// Answered now, or kept until what runs has ended.
    fn read(&mut self, line: &str) -> io::Result<()> {
        let Some(command) = Command::parse(line) else { return Ok(()) };
        self.strange_lines = 0;
        if let Ok(Command::Handshake(dialect)) = command
            && !self.gui.greet(dialect)
        {
            return Ok(());
        }
        self.say_unsaid()?;
        let command = match command {
            Ok(command) => command,
            Err(message) => return self.info(&message),
        };
        let searches = self.phase.search().is_some();
        match command {
            Command::Stop => self.stop(),
            Command::PonderHit { draw } => self.ponder_hit(draw),
            Command::Quit => {
                self.gui.quit = Some(Instant::now());
                Ok(())
            }
            Command::IsReady if searches => self.gui.ready(),
            Command::Unknown(_) | Command::Display | Command::Debug(_)
                if searches && self.gui.waiting.is_empty() =>
            {
                self.execute(command)
            }
            _ if self.is_idle() => self.execute(command),
            _ if self.gui.keep(command, line.len())? => self.stop_endless(),
            _ => Ok(()),
        }
    }

    fn end_of_input(&mut self) -> io::Result<()> {
        self.stop_endless()
    }

    fn hear(&mut self, EngineLine { number, line }: EngineLine) -> io::Result<()> {
        // Others are of an engine that is no longer ours.
        if number == self.backend.number { self.hear_engine(line.as_deref()) } else { Ok(()) }
    }

    fn while_idle(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Does what it is time for, gives the answer of a search if it may be given, then carries out what waited.
    fn catch_up(&mut self) -> io::Result<()> {
        self.watch()?;
        loop {
            self.give_answer()?;
            if !self.phase.is_idle() {
                return Ok(());
            }
            let Some(QueuedCommand { command, stopped, .. }) = self.gui.waiting.pop() else {
                return Ok(());
            };
            self.execute(command)?;
            if self.phase.search().is_none() {
                continue;
            }
            // The end of the input, or another `go`, has ended it before it began.
            if self.gui.waiting.has_search() || self.gui.ended.is_some() {
                self.stop_endless()?;
            }
            if stopped {
                self.stop_search()?;
            }
        }
    }
}

/// Our part needs no memory for searching but for a move in an emergency.
fn front_options(options: &Options) -> EngineOptions<RuleSet> {
    EngineOptions { hash_mib: 1, threads: 1, multipv: 1, ..options.own() }
}
