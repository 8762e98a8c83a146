//! What the engine says and leaves unsaid.

use std::io;
use std::time::Instant;

use super::super::Dialect;
use super::super::options::VARIANT;
use super::super::partner::{Partner, Stage};
use super::super::voice::{self, Answer};
use super::{AFTER_END, LOOK, Ready, Session};
use crate::arena::{ClientError, Ranks};
use crate::engine::{Engine, in_full};

/// Lines of an engine without meaning that are handed on, for each command of the GUI.
const MAX_STRANGE: u32 = 1000;
/// An engine of UCCI need not know `isready`: it may take so many parts of the patience for it.
const UCCI_READY: u32 = 4;

impl Session<'_> {
    /// A line of the engine, or its end.
    pub(super) fn hear(&mut self, line: Option<&str>) -> io::Result<()> {
        match line {
            None => self.engine_ended(),
            Some(line) if self.partner.stage == Stage::Greeting => self.hear_greeting(line),
            Some(line) => self.hear_line(line),
        }
    }

    fn hear_greeting(&mut self, line: &str) -> io::Result<()> {
        self.options.announce(line);
        match self.partner.hear_introduction(line) {
            None => Ok(()),
            // Nobody knows what it speaks now: again, with the one word that it answers.
            Some(Dialect::Uci) if self.partner.was_greeted_twice() => {
                self.start_engine(Some(Dialect::Uci))
            }
            Some(dialect) => self.begin(dialect),
        }
    }

    /// The engine has introduced itself: it is told all that it missed.
    fn begin(&mut self, dialect: Dialect) -> io::Result<()> {
        let partner = &mut self.partner;
        partner.stage = Stage::Ready;
        partner.protocol = Some(dialect);
        partner.voice.dialect = dialect;
        if partner.is_own() {
            self.options.keep_search_only();
        } else {
            self.set_up()?;
        }
        for (name, value) in self.set.clone() {
            self.send_option(&name, &value)?;
        }
        self.introduce()?;
        self.ask_ready()?;
        if self.placed {
            self.send_position()?;
        }
        self.send_search()
    }

    /// The conventions between the proxy and a foreign engine.
    fn set_up(&mut self) -> io::Result<()> {
        let dialect = self.partner.voice.dialect;
        self.setup.protocol = Some(dialect);
        let variant = self.options.of_engine(VARIANT).filter(|option| option.has_value("xiangqi"));
        let variant = variant.map(|option| option.name.clone());
        // In UCCI Fairy-Stockfish plays xiangqi, with ranks from 0, unless it is told otherwise.
        let is_fairy = variant.is_some() && dialect == Dialect::Uci;
        let ranks = if is_fairy { Ranks::FromOne } else { Ranks::FromZero };
        self.partner.voice.ranks = self.setup.ranks.unwrap_or(ranks);
        if let Some(name) = variant.filter(|_| is_fairy) {
            self.send_option(&name, "xiangqi")?;
        }
        if dialect == Dialect::Ucci {
            let has = self.options.of_engine("usemillisec").is_some();
            self.partner.unit = if has { 1 } else { 1000 };
            if has {
                self.send_option("usemillisec", "true")?;
            }
        }
        for (name, value) in self.setup.options.clone() {
            self.send_option(&name, &value)?;
        }
        Ok(())
    }

    fn hear_line(&mut self, line: &str) -> io::Result<()> {
        match line.split_whitespace().next() {
            Some("info") => self.hear_info(line),
            Some("bestmove" | "nobestmove") => {
                let answer = Answer::read(line, self.partner.voice.ranks);
                self.hear_answer(answer.unwrap_or_default())
            }
            Some("readyok") => {
                if matches!(self.ready, Some(Ready::Asked(_))) {
                    self.say_ready()
                } else {
                    Ok(())
                }
            }
            None | Some("uciok" | "ucciok" | "id" | "option" | "bye") => Ok(()),
            Some(_) => self.hand_on(line),
        }
    }

    fn hear_info(&mut self, line: &str) -> io::Result<()> {
        let from = self.partner.voice;
        let mut is_message = matches!(line.split_whitespace().nth(1), Some("string" | "message"));
        match &mut self.search {
            Some(search) if search.sent && search.answer.is_none() => {
                search.hear();
                let first = voice::first_of_line(line, from.ranks);
                search.best = first.or(search.best.take());
                is_message = false;
            }
            _ if !is_message => return Ok(()),
            _ => {}
        }
        if is_message && !self.may_hand_on()? {
            return Ok(());
        }
        for line in voice::info(line, from, self.gui) {
            self.print(&line)?;
        }
        Ok(())
    }

    /// What means nothing to us may mean something to the GUI.
    fn hand_on(&mut self, line: &str) -> io::Result<()> {
        if self.may_hand_on()? { self.print(line) } else { Ok(()) }
    }

    fn may_hand_on(&mut self) -> io::Result<bool> {
        self.strange_lines = self.strange_lines.saturating_add(1);
        if self.strange_lines == MAX_STRANGE {
            let name = &self.partner.name;
            self.info(&format!(
                "{name} says too much; the rest is left out until the next command"
            ))?;
        }
        Ok(self.spoken && self.strange_lines < MAX_STRANGE)
    }

    fn print(&mut self, line: &str) -> io::Result<()> {
        let line: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        writeln!(self.output, "{line}")
    }

    fn engine_ended(&mut self) -> io::Result<()> {
        if self.partner.may_want_ucci() && !self.partner.was_greeted_twice() {
            // UCCI allows an engine to end at any first word but its own.
            return self.start_engine(Some(Dialect::Ucci));
        }
        let doing = match self.partner.stage {
            Stage::Greeting => "starting",
            _ if self.search.as_ref().is_some_and(|s| s.sent && s.answer.is_none()) => "thinking",
            _ => "waiting for a command",
        };
        let error = self.partner.ended(doing);
        self.failed(&error)
    }

    /// Says something to an engine that is ready for it; `false` if there is none.
    pub(super) fn tell(&mut self, line: &str) -> io::Result<bool> {
        if self.partner.stage != Stage::Ready {
            return Ok(false);
        }
        match self.partner.say(line) {
            Ok(()) => Ok(true),
            Err(error) => self.failed(&error).map(|()| false),
        }
    }

    /// Sets an option of the engine, by its own name where it has one in another dialect.
    pub(super) fn send_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        let own_name = self.options.of_engine(name).map(|option| option.name.clone());
        if own_name.is_none() && self.partner.is_own() {
            return Ok(());
        }
        let name = own_name.unwrap_or_else(|| name.to_owned());
        let command = self.options.command(self.partner.voice.dialect, &name, value);
        self.tell(&command).map(drop)
    }

    /// Starts the foreign engine, in place of the one that runs.
    fn start_engine(&mut self, protocol: Option<Dialect>) -> io::Result<()> {
        self.options.forget_engine();
        self.position_sent = false;
        let number = self.partner.number + 1;
        // The old one is ended first, for both may want the same files.
        self.partner = Partner::nobody(number);
        match Partner::foreign(&self.setup.command, protocol, number, self.sender.clone()) {
            Ok(partner) => {
                self.partner = partner;
                Ok(())
            }
            Err(error) => self.failed(&error),
        }
    }

    /// Our own engine takes the place of one that has failed twice.
    fn start_own(&mut self) -> io::Result<()> {
        self.options.forget_engine();
        self.position_sent = false;
        let number = self.partner.number + 1;
        let small = crate::engine::EngineOptions { hash_mib: 1, ..self.options.own() };
        let engine = Engine::new(self.options.own()).or_else(|_| Engine::new(small));
        let partner = engine.map_err(|error| in_full(&error)).and_then(|engine| {
            Partner::own(engine, number, self.sender.clone()).map_err(|error| error.to_string())
        });
        match partner {
            Ok(partner) => {
                self.partner = partner;
                Ok(())
            }
            Err(error) => {
                self.info(&format!("juzhong cannot search: {error}"))?;
                self.gone()
            }
        }
    }

    /// The engine is of no use any more: it is ended, and started again the first time.
    pub(super) fn failed(&mut self, error: &ClientError) -> io::Result<()> {
        self.failures += 1;
        let number = self.partner.number;
        self.partner = Partner::nobody(number + 1);
        self.position_sent = false;
        let late = self.search.as_mut().is_some_and(|search| {
            search.sent = false;
            search.stopped || search.stop_said
        });
        let error = in_full(error);
        match self.failures {
            1 => {
                self.info(&format!("{error}; it is started again"))?;
                self.start_engine(self.setup.protocol)?;
            }
            2 => {
                self.info(&format!("{error}; juzhong plays on by itself"))?;
                self.start_own()?;
            }
            _ => {
                self.info(&format!("{error}; juzhong plays on as well as it can"))?;
                self.gone()?;
            }
        }
        if late { self.answer_ourselves("") } else { Ok(()) }
    }

    /// Nobody is left to search.
    fn gone(&mut self) -> io::Result<()> {
        self.partner = Partner::nobody(self.partner.number + 1);
        self.introduce()?;
        self.ask_ready()?;
        self.send_search()
    }

    /// When [`watch`](Self::watch) has something to do at the latest.
    pub(super) fn next_time(&self) -> Instant {
        let patience = self.setup.patience;
        let search = self.search.as_ref().filter(|search| search.answer.is_none());
        let times = [
            self.partner.second_greeting(patience.start),
            self.partner.introduction_ends(patience.start),
            self.ready_ends(),
            search.and_then(|search| search.stop_time(patience)),
            search.and_then(super::Search::end_time),
        ];
        let soonest = times.into_iter().flatten().min();
        let look = Instant::now() + LOOK;
        soonest.map_or(look, |time| time.min(look))
    }

    fn ready_ends(&self) -> Option<Instant> {
        let Some(Ready::Asked(asked)) = self.ready else { return None };
        if self.partner.stage != Stage::Ready {
            return None;
        }
        let start = self.setup.patience.start;
        let patience = match self.partner.voice.dialect {
            Dialect::Uci => start,
            Dialect::Ucci => start / UCCI_READY,
        };
        Some(asked + patience)
    }

    /// Does what it is time for.
    pub(super) fn watch(&mut self) -> io::Result<()> {
        let patience = self.setup.patience;
        let now = Instant::now();
        let is_over = |time: Option<Instant>| time.is_some_and(|time| time <= now);
        if is_over(self.partner.introduction_ends(patience.start)) {
            let error = self.partner.silent("starting", patience.start);
            self.failed(&error)?;
        } else if is_over(self.partner.second_greeting(patience.start))
            && let Err(error) = self.partner.greet_again()
        {
            self.failed(&error)?;
        }
        if is_over(self.ready_ends()) {
            if self.partner.voice.dialect == Dialect::Uci {
                let error = self.partner.silent("getting ready", patience.start);
                self.ready = Some(Ready::Later);
                self.failed(&error)?;
            }
            self.say_ready()?;
        }
        let Some(search) = self.search.as_ref().filter(|search| search.answer.is_none()) else {
            return Ok(());
        };
        let after_end = self.ended.is_some_and(|ended| search.since(ended) > AFTER_END);
        if is_over(search.end_time()) {
            let error = self.partner.silent("thinking", patience.stop);
            self.failed(&error)?;
        } else if is_over(search.stop_time(patience)) || after_end && !search.stop_said {
            self.hurry()?;
        }
        Ok(())
    }
}
