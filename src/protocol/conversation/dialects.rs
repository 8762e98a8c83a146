//! The language of GUIs of xiangqi: the dialect spoken, which the first handshake decides, and its conventions.

use std::io;

use crate::protocol::conversation::{Conversation, Language};
use crate::protocol::wire::command::Command;
use crate::protocol::wire::dialect::Dialect;
use crate::protocol::wire::format::{Answer, Wire};
use crate::protocol::wire::ranks::Ranks;

/// UCI, UCI-Cyclone and UCCI, which are understood together.
#[derive(Debug)]
pub(crate) struct Dialects {
    /// The dialect and conventions of the GUI.
    wire: Wire,
    /// The ranks of the GUI where the dialect leaves that open.
    ranks: Ranks,
    /// UCCI's unit of time, in milliseconds.
    unit: u64,
    /// The handshake that was answered; those of other dialects are ignored.
    greeted: Option<Dialect>,
}

impl Language for Dialects {
    type Command = Command;

    const TOO_MANY: &str = "too many commands waiting";

    fn message(&self, text: &str) -> String {
        self.wire.message(text)
    }
}

impl Dialects {
    /// Begins with the dialect `assumed`, until a handshake sets another.
    pub(crate) const fn new(assumed: Dialect) -> Self {
        Self {
            wire: Wire::of(assumed),
            ranks: Ranks::FromZero,
            unit: Wire::of(Dialect::Ucci).unit,
            greeted: None,
        }
    }

    fn speak(&mut self, dialect: Dialect) {
        let is_open = dialect == Dialect::Uci;
        self.wire = Wire {
            dialect,
            ranks: if is_open { self.ranks } else { Ranks::FromZero },
            unit: if dialect.is_ucci() { self.unit } else { 1 },
        };
    }
}

impl<T> Conversation<'_, T> {
    /// The dialect and conventions of the GUI.
    pub(crate) const fn wire(&self) -> Wire {
        self.language.wire
    }

    /// Returns true if the dialect is UCCI.
    pub(crate) const fn is_ucci(&self) -> bool {
        self.wire().dialect.is_ucci()
    }

    /// A handshake came; `false` if it is to be ignored. The first one decides about the dialect.
    pub(crate) fn greet(&mut self, dialect: Dialect) -> bool {
        if self.language.greeted.is_some_and(|greeted| greeted != dialect) {
            return false;
        }
        self.language.greeted = Some(dialect);
        // `uci` says nothing against UCI-Cyclone.
        if (dialect, self.wire().dialect) != (Dialect::Uci, Dialect::Cyclone) {
            self.language.speak(dialect);
        }
        true
    }

    /// A position came without the word `position`: that is UCI-Cyclone, where UCI was assumed.
    pub(crate) fn hear_bare_position(&mut self) {
        if self.wire().dialect == Dialect::Uci {
            self.language.speak(Dialect::Cyclone);
        }
    }

    /// Sets the ranks of the GUI where the dialect leaves that open.
    pub(crate) fn set_ranks(&mut self, ranks: Ranks) {
        self.language.ranks = ranks;
        self.language.speak(self.wire().dialect);
    }

    /// Sets UCCI's unit of time.
    pub(crate) fn set_milliseconds(&mut self, is_on: bool) {
        self.language.unit = if is_on { 1 } else { 1000 };
        self.language.speak(self.wire().dialect);
    }

    pub(crate) fn ready(&mut self) -> io::Result<()> {
        self.say("readyok")
    }

    /// Writes the answer to a `go`.
    pub(crate) fn answer(&mut self, answer: &Answer) -> io::Result<()> {
        self.say(self.wire().answer(answer))
    }

    /// UCCI: `stop` although nothing was searched.
    pub(crate) fn nothing_to_stop(&mut self) -> io::Result<()> {
        if self.is_ucci() { self.answer(&Answer::default()) } else { Ok(()) }
    }

    /// UCCI: the end of the session.
    pub(crate) fn say_bye(&mut self) -> io::Result<()> {
        if self.is_ucci() { self.say("bye") } else { Ok(()) }
    }
}
