//! The engine that answers: the foreign one, or our own after it has failed.

use std::io;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use crate::engine::{Engine, EngineOptions};
use crate::protocol::client::{
    ClientError, EngineCommand, Greeting, Introduced, Process, ReadyWord,
};
use crate::protocol::{Crossing, Dialect, Event, Wire};
use crate::proxy::own_engine::OwnEngine;
use crate::xiangqi::{Position, RuleSet};

/// Lines that wait for the end of a search that was answered without the engine.
const MAX_UNSAID: usize = 1000;
/// The time that a process may take to end once its output is closed.
const GRACE: Duration = Duration::from_millis(200);
/// The time that it may take to end after `quit`.
const QUIT_GRACE: Duration = Duration::from_secs(1);

/// A line from an engine.
#[derive(Debug)]
pub(crate) struct EngineLine {
    /// The number of the engine.
    pub(crate) number: u64,
    /// `None` at its end.
    pub(crate) line: Option<String>,
}

/// The engine that answers.
#[derive(Debug)]
enum Link {
    Foreign(Box<Process>),
    Own(OwnEngine),
    Nobody,
}

/// The state of a backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It was greeted and has not answered in full.
    Greeting,
    /// It accepts commands.
    Ready {
        /// It was sent the position.
        knows_position: bool,
    },
    /// There is none.
    Gone,
}

/// An engine and its conventions.
#[derive(Debug)]
pub(crate) struct Backend {
    link: Link,
    /// Distinguishes its lines from those of earlier ones.
    pub(crate) number: u64,
    pub(crate) stage: Stage,
    /// The program.
    program: String,
    pub(crate) greeting: Greeting,
    pub(crate) wire: Wire,
    /// `nobestmove` that answers no `go`.
    pub(crate) crossing: Crossing,
    /// Its way of answering `isready`.
    pub(crate) ready: ReadyWord,
    /// A search that was answered without it and that it has not ended.
    abandoned: Option<Abandoned>,
}

/// A search that was answered without the engine.
#[derive(Debug)]
struct Abandoned {
    /// The time of the `stop` to it.
    since: Instant,
    /// The lines that the engine will be sent when it has ended.
    unsaid: Vec<String>,
}

impl Backend {
    fn new(link: Link, program: &str, number: u64, protocol: Option<Dialect>) -> Self {
        Self {
            link,
            number,
            stage: Stage::Greeting,
            program: program.to_owned(),
            greeting: Greeting::new(protocol),
            wire: Wire::of(protocol.unwrap_or_default()),
            crossing: Crossing::default(),
            ready: ReadyWord::default(),
            abandoned: None,
        }
    }

    /// Starts a foreign engine and greets it.
    pub(crate) fn foreign(
        command: &EngineCommand,
        protocol: Option<Dialect>,
        number: u64,
        events: SyncSender<Event<EngineLine>>,
    ) -> Result<Self, ClientError> {
        let process = Process::spawn(command, GRACE, line_sink(events, number))?;
        let link = Link::Foreign(Box::new(process));
        let mut backend = Self::new(link, &command.program, number, protocol);
        backend.say(backend.greeting.word())?;
        Ok(backend)
    }

    /// Starts our own engine, which is to have `options`, and greets it.
    pub(crate) fn own(
        engine: Engine<Position>,
        options: EngineOptions<RuleSet>,
        number: u64,
        events: SyncSender<Event<EngineLine>>,
    ) -> io::Result<Self> {
        let own = OwnEngine::start(engine, options, line_sink(events, number))?;
        own.say("uci");
        Ok(Self::new(Link::Own(own), "juzhong", number, Some(Dialect::Uci)))
    }

    /// Nobody, after everything has failed.
    pub(crate) fn nobody(number: u64) -> Self {
        let nobody = Self::new(Link::Nobody, "nobody", number, Some(Dialect::Uci));
        Self { stage: Stage::Gone, ..nobody }
    }

    /// As it calls itself, else the program.
    pub(crate) fn name(&self) -> &str {
        self.greeting.name.as_deref().unwrap_or(&self.program)
    }

    /// It accepts commands from now on.
    pub(crate) const fn get_ready(&mut self) {
        self.stage = Stage::Ready { knows_position: false };
    }

    /// Returns true if it accepts commands.
    pub(crate) const fn is_ready(&self) -> bool {
        matches!(self.stage, Stage::Ready { .. })
    }

    /// Returns true if it was sent the position.
    pub(crate) const fn knows_position(&self) -> bool {
        matches!(self.stage, Stage::Ready { knows_position: true })
    }

    /// It was sent the position, or needs another one; nothing changes before it is ready.
    pub(crate) const fn set_knows_position(&mut self, knows: bool) {
        if let Stage::Ready { knows_position } = &mut self.stage {
            *knows_position = knows;
        }
    }

    /// Returns true if it is a foreign engine.
    pub(crate) const fn is_foreign(&self) -> bool {
        matches!(self.link, Link::Foreign(_))
    }

    /// Returns true if it is our own engine.
    pub(crate) const fn is_own(&self) -> bool {
        matches!(self.link, Link::Own(_))
    }

    /// Sends one line.
    ///
    /// # Errors
    ///
    /// If it does not read.
    pub(crate) fn say(&mut self, line: &str) -> Result<(), ClientError> {
        match &mut self.link {
            Link::Foreign(process) => process.say(line),
            Link::Own(own) if own.say(line) => Ok(()),
            Link::Own(_) => Err(ClientError::NotReading { engine: self.program.clone() }),
            Link::Nobody => Ok(()),
        }
    }

    /// The error that it has ended, with what is known about the end.
    pub(crate) fn ended(&mut self, doing: &'static str) -> ClientError {
        match &mut self.link {
            Link::Foreign(process) => process.ended(doing),
            Link::Own(_) | Link::Nobody => ClientError::Ended {
                engine: self.program.clone(),
                status: "its thread has ended".to_owned(),
                doing,
                last_words: String::new(),
            },
        }
    }

    /// The error that it does not answer.
    pub(crate) fn silent(&self, doing: &'static str, waited: Duration) -> ClientError {
        ClientError::Silent { engine: self.program.clone(), doing, waited }
    }

    /// Sends `quit`, and ends it if it does not obey.
    pub(crate) fn quit(self) {
        if let Link::Foreign(process) = self.link {
            process.quit(QUIT_GRACE);
        }
    }

    /// Greets it in UCCI too.
    pub(crate) fn greet_again(&mut self) -> Result<(), ClientError> {
        let word = self.greeting.second_word();
        self.say(word)
    }

    /// Reads a line of its introduction.
    pub(crate) fn hear_introduction(&mut self, line: &str) -> Introduced {
        self.greeting.hear(line)
    }

    /// The time at which it is to be greeted in UCCI too.
    pub(crate) fn second_greeting(&self, timeout: Duration) -> Option<Instant> {
        self.greeting.second(timeout).filter(|_| self.stage == Stage::Greeting)
    }

    /// The time at which it is given up if it has not introduced itself.
    pub(crate) fn introduction_ends(&self, timeout: Duration) -> Option<Instant> {
        (self.stage == Stage::Greeting).then(|| self.greeting.ends(timeout))
    }

    /// Its search was answered without it. It got `stop` at `since`, and its further lines about that search
    /// are ignored.
    pub(crate) fn abandon(&mut self, since: Instant) {
        let unsaid = self.release();
        self.abandoned = Some(Abandoned { since, unsaid });
    }

    /// The time of the `stop` to an abandoned search, if it has not ended that search.
    pub(crate) fn owes(&self) -> Option<Instant> {
        self.abandoned.as_ref().map(|search| search.since)
    }

    /// Keeps a line until the abandoned search has ended; `false` if there is none, or no room.
    pub(crate) fn postpone(&mut self, line: &str) -> bool {
        match &mut self.abandoned {
            Some(Abandoned { unsaid, .. }) if unsaid.len() < MAX_UNSAID => {
                unsaid.push(line.to_owned());
                true
            }
            _ => false,
        }
    }

    /// Ends the wait for the abandoned search; returns the lines to be sent now.
    pub(crate) fn release(&mut self) -> Vec<String> {
        self.abandoned.take().map(|search| search.unsaid).unwrap_or_default()
    }
}

/// The sink of the lines of the engine of that number, which returns false once the session has ended.
fn line_sink(
    events: SyncSender<Event<EngineLine>>,
    number: u64,
) -> impl FnMut(Option<String>) -> bool + Send + 'static {
    move |line| events.send(Event::Engine(EngineLine { number, line })).is_ok()
}
