//! The common part of all sessions: one side of a conversation with a GUI, and the loop that goes through its events.
//! It reads lines, keeps those that must wait, and writes.

pub(crate) mod dialects;
pub(crate) mod input;
pub(crate) mod owed;
pub(crate) mod position;
pub(crate) mod queue;

use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender};
use std::time::{Duration, Instant};

use crate::protocol::conversation::dialects::Dialects;
use crate::protocol::conversation::input::{Channel, Event};
use crate::protocol::conversation::queue::{Queue, Waits};

/// The time that `quit` waits for what was requested before it.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// The language of a GUI.
pub(crate) trait Language {
    /// A thing that it says.
    type Command: Waits;

    /// The text for people when there is no room for a command that has to wait.
    const TOO_MANY: &str;

    /// The line that brings people a text.
    fn message(&self, text: &str) -> String;

    /// The line that brings people a text about a mistake.
    fn error(&self, text: &str) -> String {
        self.message(text)
    }
}

/// A conversation with a GUI in the language `L`. `T` is what comes from the engine.
pub(crate) struct Conversation<'a, T, L: Language = Dialects> {
    /// For what comes from the engine.
    pub(crate) sender: SyncSender<Event<T>>,
    events: Receiver<Event<T>>,
    pub(crate) output: &'a mut dyn Write,
    language: L,
    /// Commands that wait for the end of what runs.
    pub(crate) waiting: Queue<L::Command>,
    /// Since when it is known that no more input will come.
    pub(crate) ended: Option<Instant>,
    /// The time at which `quit` was obeyed.
    pub(crate) quit: Option<Instant>,
}

impl<'a, T, L: Language> Conversation<'a, T, L> {
    /// Begins one.
    pub(crate) fn new(
        (sender, events): Channel<T>,
        output: &'a mut dyn Write,
        language: L,
    ) -> Self {
        let waiting = Queue::default();
        Self { sender, events, output, language, waiting, ended: None, quit: None }
    }

    /// Waits for the next event, `None` if none has come within that time.
    fn next_event(&self, within: Option<Duration>) -> Option<Event<T>> {
        // The channel cannot be closed, for there is a sender here.
        match within {
            Some(time) => self.events.recv_timeout(time).ok(),
            None => self.events.recv().ok(),
        }
    }

    /// Keeps a command until what runs has ended, if there is room; returns true if it is a search. An endless
    /// search is stopped for another one.
    pub(crate) fn keep(&mut self, command: L::Command, bytes: usize) -> io::Result<bool> {
        let is_search = command.is_search();
        if !self.waiting.push(command, bytes) {
            self.error(L::TOO_MANY)?;
            return Ok(false);
        }
        Ok(is_search)
    }

    /// Returns true if `quit` waits no longer for what was requested before it.
    pub(crate) fn is_quit_late(&self) -> bool {
        self.quit.is_some_and(|since| since.elapsed() >= QUIT_TIMEOUT)
    }

    /// The time for which `quit` still waits.
    pub(crate) fn quit_waits(&self) -> Option<Duration> {
        self.quit.map(|since| QUIT_TIMEOUT.saturating_sub(since.elapsed()))
    }

    /// Writes a line.
    pub(crate) fn say(&mut self, line: impl Display) -> io::Result<()> {
        writeln!(self.output, "{line}")
    }

    /// Writes a message for people.
    pub(crate) fn message(&mut self, text: &str) -> io::Result<()> {
        self.say(self.language.message(text))
    }

    /// Writes a message about a mistake.
    pub(crate) fn error(&mut self, text: &str) -> io::Result<()> {
        self.say(self.language.error(text))
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// A session: what to do with each event of a conversation, whose output lives for `'a`.
pub(crate) trait EventLoop<'a> {
    /// A thing that comes from the engine.
    type Engine;
    /// The language of the GUI.
    type Language: Language;

    /// The conversation.
    fn gui(&mut self) -> &mut Conversation<'a, Self::Engine, Self::Language>;

    /// Returns true once there is nothing left to be done.
    fn is_finished(&self) -> bool;

    /// The time to wait for the next event before there is something else to do.
    fn timeout(&self) -> Option<Duration>;

    /// A line of the GUI.
    fn read(&mut self, line: &str) -> io::Result<()>;

    /// No line will come any more.
    fn end_of_input(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Something from the engine.
    fn hear(&mut self, heard: Self::Engine) -> io::Result<()>;

    /// Nothing has come within the [`timeout`](Self::timeout).
    fn while_idle(&mut self) -> io::Result<()>;

    /// Obeys what has waited, after each event.
    fn catch_up(&mut self) -> io::Result<()>;

    /// Goes through the events until the session is finished.
    ///
    /// # Errors
    ///
    /// Those of writing to the GUI.
    fn run_events(&mut self) -> io::Result<()> {
        while !self.is_finished() {
            let timeout = self.timeout();
            match self.gui().next_event(timeout) {
                Some(Event::Line(line)) => self.read(&line)?,
                Some(Event::End) => {
                    self.gui().ended = Some(Instant::now());
                    self.end_of_input()?;
                }
                Some(Event::Engine(heard)) => self.hear(heard)?,
                None => self.while_idle()?,
            }
            self.catch_up()?;
            self.gui().flush()?;
        }
        Ok(())
    }
}
