//! The engine that answers: the foreign one, or our own after it has failed.

use std::io;
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use super::own::OwnEngine;
use super::voice::Voice;
use super::{Dialect, Event};
use crate::arena::client::Process;
use crate::arena::{ClientError, EngineCommand, Ranks};
use crate::engine::Engine;
use crate::xiangqi::Position;

/// A foreign engine of unknown protocol that does not answer `uci` for so long is asked in UCCI as
/// well.
const SECOND_GREETING: Duration = Duration::from_secs(1);
/// How long a process may take to end once its output is closed.
const GRACE: Duration = Duration::from_millis(200);
/// How long it may take to end once it was told to.
const FAREWELL: Duration = Duration::from_secs(1);

/// Who answers.
#[derive(Debug)]
enum Link {
    Foreign(Box<Process>),
    Own(OwnEngine),
    Nobody,
}

/// Where a partner is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It was greeted and has not answered in full.
    Greeting,
    /// It takes commands.
    Ready,
    /// There is none.
    Gone,
}

/// An engine and how it speaks.
#[derive(Debug)]
pub(super) struct Partner {
    link: Link,
    /// Tells its lines from those of earlier ones.
    pub(super) number: u64,
    pub(super) stage: Stage,
    /// As it calls itself, else the program.
    pub(super) name: String,
    pub(super) author: Option<String>,
    pub(super) voice: Voice,
    /// Milliseconds in its unit of time (UCCI).
    pub(super) unit: u64,
    /// What it speaks, where that is known.
    pub(super) protocol: Option<Dialect>,
    /// It has said something of itself.
    introduced: bool,
    began: Instant,
    /// It was greeted in both dialects.
    both: bool,
}

impl Partner {
    fn new(link: Link, name: String, number: u64, protocol: Option<Dialect>) -> Self {
        Self {
            link,
            number,
            stage: Stage::Greeting,
            name,
            author: None,
            voice: Voice { dialect: protocol.unwrap_or(Dialect::Uci), ranks: Ranks::FromZero },
            unit: 1,
            protocol,
            introduced: false,
            began: Instant::now(),
            both: false,
        }
    }

    /// Starts a foreign engine and greets it.
    pub(super) fn foreign(
        command: &EngineCommand,
        protocol: Option<Dialect>,
        number: u64,
        events: SyncSender<Event>,
    ) -> Result<Self, ClientError> {
        let sink = move |line| events.send(Event::Engine(number, line)).is_ok();
        let process = Process::spawn(command, GRACE, sink)?;
        let link = Link::Foreign(Box::new(process));
        let mut partner = Self::new(link, command.program.clone(), number, protocol);
        partner.say(protocol.unwrap_or(Dialect::Uci).name())?;
        Ok(partner)
    }

    /// Starts our own engine and greets it.
    pub(super) fn own(
        engine: Engine<Position>,
        number: u64,
        events: SyncSender<Event>,
    ) -> io::Result<Self> {
        let sink = move |line| events.send(Event::Engine(number, line)).is_ok();
        let own = OwnEngine::start(engine, sink)?;
        own.say("uci");
        Ok(Self::new(Link::Own(own), "juzhong".to_owned(), number, Some(Dialect::Uci)))
    }

    /// Nobody, after everything has failed.
    pub(super) fn nobody(number: u64) -> Self {
        let nobody = Self::new(Link::Nobody, "nobody".to_owned(), number, Some(Dialect::Uci));
        Self { stage: Stage::Gone, ..nobody }
    }

    /// Whether it is our own engine.
    pub(super) const fn is_own(&self) -> bool {
        matches!(self.link, Link::Own(_))
    }

    /// Says one line.
    ///
    /// # Errors
    ///
    /// If it does not read.
    pub(super) fn say(&mut self, line: &str) -> Result<(), ClientError> {
        match &mut self.link {
            Link::Foreign(process) => process.say(line),
            Link::Own(own) if own.say(line) => Ok(()),
            Link::Own(_) => Err(ClientError::Deaf { engine: self.name.clone() }),
            Link::Nobody => Ok(()),
        }
    }

    /// That it has ended, with what can be told about it.
    pub(super) fn ended(&mut self, doing: &'static str) -> ClientError {
        match &mut self.link {
            Link::Foreign(process) => process.ended(doing),
            Link::Own(_) | Link::Nobody => ClientError::Ended {
                engine: self.name.clone(),
                status: "its thread has ended".to_owned(),
                doing,
                last_words: String::new(),
            },
        }
    }

    /// That it does not answer.
    pub(super) fn silent(&self, doing: &'static str, waited: Duration) -> ClientError {
        ClientError::Silent { engine: self.name.clone(), doing, waited }
    }

    /// Tells it to end, and ends it if it does not.
    pub(super) fn quit(self) {
        if let Link::Foreign(process) = self.link {
            process.quit(FAREWELL);
        }
    }

    /// Takes in a line of its introduction; the dialect once it is complete.
    pub(super) fn hear_introduction(&mut self, line: &str) -> Option<Dialect> {
        let mut words = line.split_whitespace();
        match (words.next(), words.next()) {
            (Some("uciok"), None) => return Some(Dialect::Uci),
            (Some("ucciok"), None) => return Some(Dialect::Ucci),
            (Some("id"), Some("name")) => {
                let name: Vec<&str> = words.collect();
                if !name.is_empty() {
                    self.name = name.join(" ");
                }
            }
            (Some("id"), Some("author")) => {
                self.author = Some(words.collect::<Vec<_>>().join(" "));
            }
            (Some("option"), Some(_)) => {}
            _ => return None,
        }
        self.introduced = true;
        None
    }

    /// Whether it may be that it knows only UCCI, and `uci` was said to it.
    pub(super) fn may_want_ucci(&self) -> bool {
        self.stage == Stage::Greeting && self.protocol.is_none() && !self.introduced
    }

    /// Whether its answer came after it had been greeted in the other dialect too, so that nobody
    /// knows what it speaks now.
    pub(super) const fn was_greeted_twice(&self) -> bool {
        self.both
    }

    /// When it is to be greeted in UCCI too.
    pub(super) fn second_greeting(&self, patience: Duration) -> Option<Instant> {
        (self.may_want_ucci() && !self.both).then(|| self.began + SECOND_GREETING.min(patience / 2))
    }

    /// Greets it in UCCI too.
    pub(super) fn greet_again(&mut self) -> Result<(), ClientError> {
        self.both = true;
        self.say(Dialect::Ucci.name())
    }

    /// When it is given up if it has not introduced itself.
    pub(super) fn introduction_ends(&self, patience: Duration) -> Option<Instant> {
        (self.stage == Stage::Greeting).then(|| self.began + patience)
    }
}
