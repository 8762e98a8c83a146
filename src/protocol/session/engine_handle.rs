//! The engine of a session: at hand, or with the thread that searches or sets its options.

use std::io;
use std::sync::mpsc::SyncSender;

use crate::engine::{Engine, EngineOptions, Playable};
use crate::message::Message;
use crate::protocol::conversation::input::Event;
use crate::protocol::session::thinking::{self, Prepared, SetUp, Thought};

/// An engine that threads take and bring back.
pub(crate) struct EngineHandle<G: Playable> {
    /// `None` while a thread has it, and after it was lost.
    engine: Option<Engine<G>>,
    is_preparing: bool,
}

/// The reason why an engine has not the options that it should have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotPrepared {
    /// A description, for people.
    pub(crate) message: String,
    /// The size of its transposition table in MiB and its threads, where these are not as wished; those that every
    /// machine has if there is no engine.
    pub(crate) kept: Option<MachineOptions>,
}

/// The options that depend on the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MachineOptions {
    pub(crate) hash_mib: usize,
    pub(crate) threads: usize,
}

impl<G: Playable> EngineHandle<G> {
    pub(crate) const fn new(engine: Engine<G>) -> Self {
        Self { engine: Some(engine), is_preparing: false }
    }

    /// The engine, if it is at hand.
    pub(crate) const fn get(&self) -> Option<&Engine<G>> {
        self.engine.as_ref()
    }

    /// The same, to be changed.
    pub(crate) const fn get_mut(&mut self) -> Option<&mut Engine<G>> {
        self.engine.as_mut()
    }

    /// Takes it for a search.
    pub(crate) const fn take(&mut self) -> Option<Engine<G>> {
        self.engine.take()
    }

    /// Brings it back after a search.
    pub(crate) fn put_back(&mut self, engine: Engine<G>) {
        self.engine = Some(engine);
    }

    /// Returns true while a thread sets its options.
    pub(crate) const fn is_preparing(&self) -> bool {
        self.is_preparing
    }

    /// Returns true if it is at hand and has these options.
    pub(crate) fn has(&self, wanted: &EngineOptions<G::Rules>) -> bool {
        self.get().is_some_and(|engine| engine.options() == wanted)
    }

    /// Begins to give it options by `set_up`, in a thread of its own.
    ///
    /// # Errors
    ///
    /// If no thread can be started; the engine is lost.
    pub(crate) fn prepare(
        &mut self,
        set_up: SetUp<G>,
        wanted: EngineOptions<G::Rules>,
        events: SyncSender<Event<Thought<G>>>,
    ) -> io::Result<()> {
        thinking::prepare(set_up, self.engine.take(), wanted, events)?;
        self.is_preparing = true;
        Ok(())
    }

    /// Takes it back with its options.
    ///
    /// # Errors
    ///
    /// If it has not all of them.
    pub(crate) fn prepared(
        &mut self,
        prepared: Option<Box<Prepared<G>>>,
    ) -> Result<(), NotPrepared> {
        self.is_preparing = false;
        let Some(prepared) = prepared else {
            let message = "setting options broke down; please report them".to_owned();
            return Err(NotPrepared { message, kept: None });
        };
        self.engine = prepared.engine;
        let Some(error) = prepared.problem else { return Ok(()) };
        let kept = match self.get().map(Engine::options) {
            Some(EngineOptions { hash_mib, threads, .. }) => {
                MachineOptions { hash_mib: *hash_mib, threads: *threads }
            }
            None => MachineOptions { hash_mib: 1, threads: 1 },
        };
        Err(NotPrepared { message: format!("{error}; going on as before"), kept: Some(kept) })
    }

    /// The warnings about books and tablebases, each once.
    pub(crate) fn take_warnings(&mut self) -> Vec<Message> {
        self.engine.as_mut().map(Engine::take_warnings).unwrap_or_default()
    }
}
