//! Options: what the GUI sets, and the engine that has to be given it.

use std::io;
use std::time::Instant;

use super::{Session, Unready};
use crate::engine::Playable;
use crate::protocol::session::engine_handle::NotPrepared;
use crate::protocol::session::options::{Effect, OptionError};
use crate::protocol::session::thinking::Prepared;
use crate::protocol::wire::ranks::Ranks;

impl<G: Playable> Session<'_, G> {
    pub(crate) fn set_option(&mut self, text: &str) -> io::Result<()> {
        match self.settings.set(text) {
            Ok(Effect::Nothing) => {}
            Ok(Effect::NewGame) => self.new_game(),
            Ok(Effect::ClearHash) => {
                if let Some(engine) = self.engine.get_mut() {
                    engine.clear_hash();
                }
            }
            Err(OptionError::Bad(message)) => self.gui.message(&message)?,
            Err(OptionError::Unknown(name)) => self.complain(&format!("unknown option: {name}"))?,
        }
        self.is_unprepared = true;
        self.gui.set_ranks(if G::RANKS_FROM_ZERO { self.settings.ranks } else { Ranks::FromZero });
        self.gui.set_milliseconds(self.settings.milliseconds);
        Ok(())
    }

    /// Begins to set up the engine as the settings demand, in a thread of its own; `false` if it is so
    /// already, or cannot be. Reports what is wrong with books and tablebases.
    pub(crate) fn prepare(&mut self) -> io::Result<bool> {
        if self.engine.is_preparing() {
            return Ok(true);
        }
        self.is_unprepared = false;
        let wanted = self.settings.engine_options();
        if self.engine.has(&wanted) {
            self.tell_warnings()?;
            return Ok(false);
        }
        if let Err(error) = self.engine.prepare(self.set_up, wanted, self.gui.sender.clone()) {
            self.gui.message(&format!("cannot start a thread to set options: {error}"))?;
            return Ok(false);
        }
        Ok(true)
    }

    /// The engine is back, with other options: what waited for that goes on.
    pub(crate) fn prepared(&mut self, prepared: Option<Box<Prepared<G>>>) -> io::Result<()> {
        if let Err(NotPrepared { message, kept }) = self.engine.prepared(prepared) {
            if let Some(kept) = kept {
                self.settings.keep(kept);
            }
            self.gui.message(&message)?;
        }
        self.tell_warnings()?;
        self.say_ready()?;
        match self.pending_go.take() {
            Some(pending_go) => self.start_search(&pending_go),
            None => Ok(()),
        }
    }

    /// `isready`: waits for options that are being set.
    pub(crate) fn on_isready(&mut self) -> io::Result<()> {
        if self.search.is_some() || !self.prepare()? {
            return self.gui.ready();
        }
        let first = Unready { count: 0, since: Instant::now() };
        let unready = self.unready.get_or_insert(first);
        unready.count = unready.count.saturating_add(1);
        Ok(())
    }

    /// Answers every `isready` that waits.
    pub(crate) fn say_ready(&mut self) -> io::Result<()> {
        let count = self.unready.take().map_or(0, |unready| unready.count);
        (0..count).try_for_each(|_| self.gui.ready())
    }

    pub(crate) fn tell_warnings(&mut self) -> io::Result<()> {
        self.engine
            .take_warnings()
            .iter()
            .try_for_each(|warning| self.gui.message(&warning.to_string()))
    }
}
