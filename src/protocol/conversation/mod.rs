//! The common part of the engine's session and the proxy's: one side of a conversation with a GUI. It reads
//! lines, keeps those that must wait, knows the dialect spoken, and writes.

pub(crate) mod input;
pub(crate) mod owed;
pub(crate) mod position;
pub(crate) mod queue;

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

use crate::protocol::conversation::input::{Channel, Event};
use crate::protocol::conversation::queue::Queue;
use crate::protocol::wire::command::Command;
use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::format::{Answer, Wire};
use crate::protocol::wire::ranks::Ranks;

/// The time that `quit` waits for what was requested before it.
pub(crate) const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// A conversation with a GUI. `T` is what comes from the engine.
pub(crate) struct Conversation<'a, T> {
    /// For what comes from the engine.
    pub(crate) sender: SyncSender<Event<T>>,
    events: Receiver<Event<T>>,
    pub(crate) output: &'a mut dyn Write,
    /// The dialect and conventions of the GUI.
    pub(crate) wire: Wire,
    /// The ranks of the GUI where the dialect leaves that open, and UCCI's unit of time.
    ranks: Ranks,
    unit: u64,
    /// The handshake that was answered; those of other dialects are ignored.
    greeted: Option<Dialect>,
    /// Commands that wait for the end of what runs.
    pub(crate) waiting: Queue,
    /// Since when it is known that no more input will come.
    pub(crate) ended: Option<Instant>,
    /// The time at which `quit` was obeyed.
    pub(crate) quit: Option<Instant>,
}

impl<'a, T> Conversation<'a, T> {
    /// Begins one in the dialect `assumed`, until a handshake sets another.
    pub(crate) fn new(
        (sender, events): Channel<T>,
        output: &'a mut dyn Write,
        assumed: Dialect,
    ) -> Self {
        Self {
            sender,
            events,
            output,
            wire: Wire::of(assumed),
            ranks: Ranks::FromZero,
            unit: Wire::of(Dialect::Ucci).unit,
            greeted: None,
            waiting: Queue::default(),
            ended: None,
            quit: None,
        }
    }

    /// Waits for the next event, `None` if none has come within that time.
    pub(crate) fn next_event(&self, within: Option<Duration>) -> Option<Event<T>> {
        // The channel cannot be closed, for there is a sender here.
        match within {
            Some(time) => self.events.recv_timeout(time).ok(),
            None => self.events.recv().ok(),
        }
    }

    /// A handshake came; `false` if it is to be ignored. The first one decides about the dialect.
    pub(crate) fn greet(&mut self, dialect: Dialect) -> bool {
        if self.greeted.is_some_and(|greeted| greeted != dialect) {
            return false;
        }
        self.greeted = Some(dialect);
        // `uci` says nothing against UCI-Cyclone.
        if (dialect, self.wire.dialect) != (Dialect::Uci, Dialect::Cyclone) {
            self.speak(dialect);
        }
        true
    }

    /// A position came without the word `position`: that is UCI-Cyclone, where UCI was assumed.
    pub(crate) fn hear_bare_position(&mut self) {
        if self.wire.dialect == Dialect::Uci {
            self.speak(Dialect::Cyclone);
        }
    }

    /// Sets the ranks of the GUI where the dialect leaves that open.
    pub(crate) fn set_ranks(&mut self, ranks: Ranks) {
        self.ranks = ranks;
        self.speak(self.wire.dialect);
    }

    /// Sets UCCI's unit of time.
    pub(crate) fn set_milliseconds(&mut self, is_on: bool) {
        self.unit = if is_on { 1 } else { 1000 };
        self.speak(self.wire.dialect);
    }

    fn speak(&mut self, dialect: Dialect) {
        let is_open = dialect == Dialect::Uci;
        self.wire = Wire {
            dialect,
            ranks: if is_open { self.ranks } else { Ranks::FromZero },
            unit: if dialect.is_ucci() { self.unit } else { 1 },
        };
    }

    /// Keeps a command until what runs has ended, if there is room; returns true if it is a search. An endless
    /// search is stopped for another one.
    pub(crate) fn keep(&mut self, command: Command, bytes: usize) -> io::Result<bool> {
        let is_search = matches!(command, Command::Go(_));
        if !self.waiting.push(command, bytes) {
            self.message("too many commands waiting")?;
            return Ok(false);
        }
        Ok(is_search)
    }

    /// Returns true if `quit` waits no longer for what was requested before it.
    pub(crate) fn is_quit_late(&self) -> bool {
        self.quit.is_some_and(|since| since.elapsed() >= QUIT_TIMEOUT)
    }

    /// Writes a message for people.
    pub(crate) fn message(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.output, "{}", self.wire.message(text))
    }

    pub(crate) fn ready(&mut self) -> io::Result<()> {
        writeln!(self.output, "readyok")
    }

    /// Writes the answer to a `go`.
    pub(crate) fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        writeln!(self.output, "{}", self.wire.answer(answer))
    }

    /// UCCI: `stop` although nothing was searched.
    pub(crate) fn nothing_to_stop(&mut self) -> io::Result<()> {
        if self.wire.dialect.is_ucci() { self.answer(&Answer::default()) } else { Ok(()) }
    }

    /// UCCI: the end of the session.
    pub(crate) fn farewell(&mut self) -> io::Result<()> {
        if self.wire.dialect.is_ucci() { writeln!(self.output, "bye") } else { Ok(()) }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}
