//! The lines of the engine, and its silence.

use std::io;
use std::time::Instant;

use super::phase::{Phase, Ready};
use super::{AFTER_END, POLL_INTERVAL, Session};
use crate::engine::{Engine, in_full};
use crate::protocol::Dialect;
use crate::protocol::client::{Announcements, ClientError, Introduced, ReadyWord};
use crate::proxy::backend::{Backend, Stage};
use crate::proxy::failures::Successor;
use crate::proxy::info;
use crate::proxy::search::Search;

/// Lines of an engine without meaning that are handed on, for each command of the GUI.
const MAX_STRANGE: u32 = 1000;

impl Session<'_> {
    /// A line of the engine, or its end.
    pub(crate) fn hear_engine(&mut self, line: Option<&str>) -> io::Result<()> {
        match line {
            None => self.engine_ended(),
            Some(line) if self.backend.stage == Stage::Greeting => self.hear_greeting(line),
            Some(line) => self.hear_line(line),
        }
    }

    fn hear_greeting(&mut self, line: &str) -> io::Result<()> {
        self.options.engine.hear(line);
        match self.backend.hear_introduction(line) {
            Introduced::NotYet => Ok(()),
            Introduced::As(dialect) => self.begin(dialect),
            Introduced::Again(dialect) => self.start_engine(Some(dialect)),
        }
    }

    /// The engine has introduced itself: it gets all that it missed.
    fn begin(&mut self, dialect: Dialect) -> io::Result<()> {
        self.backend.get_ready();
        self.backend.wire.dialect = dialect;
        if self.backend.is_own() {
            self.options.keep_search_only();
        } else {
            self.failures.worked();
            self.set_up()?;
        }
        for (name, value) in self.options.remembered() {
            self.send_option(&name, &value)?;
        }
        self.introduce()?;
        self.ask_ready()?;
        self.send_search()
    }

    /// The conventions between the proxy and a foreign engine.
    fn set_up(&mut self) -> io::Result<()> {
        let dialect = self.backend.wire.dialect;
        self.setup.protocol = Some(dialect);
        let (wire, settings) = self.options.engine.conventions(dialect);
        self.backend.wire = wire;
        self.backend.wire.ranks = self.setup.ranks.unwrap_or(wire.ranks);
        for (name, value) in settings {
            self.send_option(&name, &value)?;
        }
        for (name, value) in self.setup.sizes.options() {
            if self.options.of_engine(name, &value).is_some() {
                self.send_option(name, &value)?;
            }
        }
        for (name, value) in self.setup.options.clone() {
            self.send_option(&name, &value)?;
        }
        Ok(())
    }

    fn hear_line(&mut self, line: &str) -> io::Result<()> {
        if self.backend.crossing.is(line) {
            return Ok(());
        }
        match line.split_whitespace().next() {
            Some("bestmove" | "nobestmove") if self.backend.owes().is_some() => {
                self.engine_is_free()
            }
            Some("info") => self.hear_info(line),
            Some("bestmove" | "nobestmove") => {
                let answer = self.backend.wire.read_answer(line);
                self.hear_answer(answer.unwrap_or_default())
            }
            Some("readyok") => {
                self.backend.ready = ReadyWord::Understood;
                if self.phase.asked_ready().is_some() { self.say_ready() } else { Ok(()) }
            }
            None | Some("uciok" | "ucciok" | "id" | "option" | "bye") => Ok(()),
            Some(_) => self.hand_on(line),
        }
    }

    /// A search that was answered without the engine has ended: it gets what it missed.
    fn engine_is_free(&mut self) -> io::Result<()> {
        self.backend.crossing.ended(self.backend.wire.dialect, true);
        for line in self.backend.release() {
            if !self.tell(&line)? {
                return Ok(());
            }
        }
        self.send_search()
    }

    fn hear_info(&mut self, line: &str) -> io::Result<()> {
        let from = self.backend.wire;
        let mut is_message = matches!(line.split_whitespace().nth(1), Some("string" | "message"));
        match self.phase.search_mut() {
            Some(search) if search.is_with_engine() => {
                search.hear();
                search.info.read(line, from);
                is_message = false;
            }
            _ if !is_message => return Ok(()),
            _ => {}
        }
        if is_message && !self.admit_strange()? {
            return Ok(());
        }
        for line in info::translate(line, from, self.gui.wire()) {
            self.print(&line)?;
        }
        Ok(())
    }

    /// Passes on a line that has no meaning here: it may have one for the GUI.
    fn hand_on(&mut self, line: &str) -> io::Result<()> {
        if self.admit_strange()? { self.print(line) } else { Ok(()) }
    }

    /// Counts such a line; returns true if it is still to be passed on. The first beyond the bound is reported.
    fn admit_strange(&mut self) -> io::Result<bool> {
        self.strange_lines = self.strange_lines.saturating_add(1);
        if self.strange_lines == MAX_STRANGE {
            let name = self.backend.name();
            self.info(&format!(
                "{name} says too much; the rest is left out until the next command"
            ))?;
        }
        Ok(self.unsaid.is_none() && self.strange_lines < MAX_STRANGE)
    }

    fn print(&mut self, line: &str) -> io::Result<()> {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        self.gui.say(line)
    }

    fn engine_ended(&mut self) -> io::Result<()> {
        let is_greeted = self.backend.stage == Stage::Greeting;
        if is_greeted && self.backend.greeting.may_want_ucci() {
            return self.start_engine(Some(Dialect::Ucci));
        }
        let doing = match self.backend.stage {
            Stage::Greeting => "starting",
            _ if self.phase.search().is_some_and(Search::is_with_engine) => "thinking",
            _ => "waiting for a command",
        };
        // Finding out how it has ended needs a moment.
        self.answer_if_late()?;
        let error = self.backend.ended(doing);
        self.failed(&error)
    }

    /// Says something to an engine that is ready for it; `false` if there is none.
    pub(crate) fn tell(&mut self, line: &str) -> io::Result<bool> {
        if !self.backend.is_ready() {
            return Ok(false);
        }
        if !matches!(line, "isready" | "stop") && self.backend.postpone(line) {
            return Ok(true);
        }
        match self.backend.say(line) {
            Ok(()) => Ok(true),
            Err(error) => self.failed(&error).map(|()| false),
        }
    }

    /// Sets an option of the engine, by its own name where it has one in another dialect.
    pub(crate) fn send_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        let known = self.options.of_engine(name, value);
        if known.is_none() && self.backend.is_own() {
            return Ok(());
        }
        let (name, value) = known.unwrap_or_else(|| (name.to_owned(), value));
        self.tell(&self.backend.wire.set_option(&name, value)).map(drop)
    }

    /// Starts the foreign engine, in place of the one that runs.
    pub(crate) fn start_engine(&mut self, protocol: Option<Dialect>) -> io::Result<()> {
        self.options.engine = Announcements::default();
        let number = self.backend.number + 1;
        // The old one is ended first, for both may want the same files.
        self.backend = Backend::nobody(number);
        match Backend::foreign(&self.setup.command, protocol, number, self.gui.sender.clone()) {
            Ok(backend) => {
                self.backend = backend;
                Ok(())
            }
            Err(error) => self.failed(&error),
        }
    }

    /// Replaces an engine that has failed twice by our own.
    fn start_own(&mut self) -> io::Result<()> {
        self.options.engine = Announcements::default();
        let number = self.backend.number + 1;
        let mut options = self.options.own();
        let mut engine = Engine::new(options.without_files());
        if let Err(error) = &engine {
            let problem = in_full(error);
            options.hash_mib = 1;
            options.threads = 1;
            self.info(&format!("{problem}; juzhong does with the least"))?;
            engine = Engine::new(options.without_files());
        }
        let backend = engine.map_err(|error| in_full(&error).to_string()).and_then(|engine| {
            let own = Backend::own(engine, options, number, self.gui.sender.clone());
            own.map_err(|error| error.to_string())
        });
        match backend {
            Ok(backend) => {
                self.backend = backend;
                Ok(())
            }
            Err(error) => {
                self.info(&format!("juzhong cannot search: {error}"))?;
                self.gone()
            }
        }
    }

    /// The engine is of no use any more: it is ended, and started again the first time.
    pub(crate) fn failed(&mut self, error: &ClientError) -> io::Result<()> {
        let next = self.failures.add();
        self.info(&format!("{}; {}", in_full(error), next.text()))?;
        // The GUI's clock does not wait for another engine to start.
        self.answer_if_late()?;
        self.backend = Backend::nobody(self.backend.number + 1);
        if let Some(search) = self.phase.search_mut() {
            search.unsend();
        }
        match next {
            Successor::Again => self.start_engine(self.setup.protocol),
            Successor::Own => self.start_own(),
            Successor::Nobody => self.gone(),
        }
    }

    /// Answers a search that cannot wait for another engine.
    fn answer_if_late(&mut self) -> io::Result<()> {
        if self.phase.unanswered().is_some_and(Search::is_nearly_over) {
            self.answer_ourselves("")?;
            self.give_answer()?;
        }
        Ok(())
    }

    /// Nobody is left to search.
    fn gone(&mut self) -> io::Result<()> {
        self.backend = Backend::nobody(self.backend.number + 1);
        self.introduce()?;
        self.ask_ready()?;
        self.send_search()
    }

    /// The time at which [`watch`](Self::watch) is to be called at the latest.
    pub(crate) fn next_time(&self) -> Instant {
        let timeouts = self.setup.timeouts;
        let search = self.phase.unanswered();
        let times = [
            self.backend.second_greeting(timeouts.start),
            self.backend.introduction_ends(timeouts.start),
            self.ready_ends(),
            self.debt_ends(),
            search.and_then(|search| search.stop_time(timeouts)),
            search.and_then(Search::answer_time),
            search.and_then(|search| search.end_time(timeouts)),
        ];
        let soonest = times.into_iter().flatten().min();
        let look = Instant::now() + POLL_INTERVAL;
        soonest.map_or(look, |time| time.min(look))
    }

    fn ready_ends(&self) -> Option<Instant> {
        let asked = self.phase.asked_ready().filter(|_| self.backend.is_ready())?;
        let dialect = self.backend.wire.dialect;
        Some(asked + self.backend.ready.timeout(dialect, self.setup.timeouts.start))
    }

    /// The time at which an engine is given up that has not ended a search that was answered without it.
    fn debt_ends(&self) -> Option<Instant> {
        self.backend.owes().map(|since| since + self.setup.timeouts.stop)
    }

    /// Does what it is time for.
    pub(crate) fn watch(&mut self) -> io::Result<()> {
        let timeouts = self.setup.timeouts;
        if is_over(self.backend.introduction_ends(timeouts.start)) {
            let error = self.backend.silent("starting", timeouts.start);
            self.failed(&error)?;
        } else if is_over(self.backend.second_greeting(timeouts.start))
            && let Err(error) = self.backend.greet_again()
        {
            self.failed(&error)?;
        }
        if is_over(self.ready_ends()) {
            if self.backend.ready.may_be_ignored(self.backend.wire.dialect) {
                self.backend.ready = ReadyWord::Ignored;
            } else {
                let error = self.backend.silent("getting ready", timeouts.start);
                self.phase = Phase::GettingReady(Ready::Later);
                self.failed(&error)?;
            }
            self.say_ready()?;
        }
        if is_over(self.debt_ends()) {
            let error = self.backend.silent("thinking", timeouts.stop);
            self.failed(&error)?;
        }
        self.watch_search()
    }

    fn watch_search(&mut self) -> io::Result<()> {
        let timeouts = self.setup.timeouts;
        let Some(search) = self.phase.unanswered() else { return Ok(()) };
        let after_end = self.gui.ended.is_some_and(|ended| search.since(ended) > AFTER_END);
        if is_over(search.end_time(timeouts)) {
            let error = self.backend.silent("thinking", timeouts.stop);
            self.failed(&error)
        } else if is_over(search.answer_time()) {
            // It may obey still: it is too late for this move only.
            if let Some(since) = search.stop_said() {
                self.backend.abandon(since);
            }
            let late = format!("{} is late", self.backend.name());
            self.answer_ourselves(&late)
        } else if is_over(search.stop_time(timeouts)) || after_end && search.stop_said().is_none() {
            self.hurry()
        } else {
            Ok(())
        }
    }
}

fn is_over(time: Option<Instant>) -> bool {
    time.is_some_and(|time| time <= Instant::now())
}
