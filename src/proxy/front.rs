//! Our book and tablebases, which may be slow to open: that happens in a thread of its own.

use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::engine::{Engine, EngineError, EngineOptions, in_full};
use crate::xiangqi::{Position, RuleSet};

/// An engine with its new options, and why it has not all of them.
type Opened = (Engine<Position>, Option<EngineError>);

/// Our part of the play.
#[derive(Debug)]
pub(crate) struct Front {
    /// `None` while books and tablebases are opened, and after that has broken down.
    engine: Option<Engine<Position>>,
    /// The channel on which it comes back then.
    opening: Option<Receiver<Opened>>,
    /// The options requested last.
    asked: Option<EngineOptions<RuleSet>>,
    /// It was waited for once already.
    waited: bool,
    /// Messages for people.
    problems: Vec<String>,
}

impl Front {
    /// Begins to open what the options name.
    ///
    /// # Errors
    ///
    /// If there is not the memory that the options set for the search.
    pub(crate) fn new(options: EngineOptions<RuleSet>) -> Result<Self, EngineError> {
        let engine = Some(Engine::new(options.without_files())?);
        let mut front =
            Self { engine, opening: None, asked: None, waited: false, problems: Vec::new() };
        front.open(options);
        Ok(front)
    }

    /// The engine, if it is there.
    pub(crate) const fn engine(&mut self) -> Option<&mut Engine<Position>> {
        self.engine.as_mut()
    }

    /// The same, for reading only.
    pub(crate) const fn get(&self) -> Option<&Engine<Position>> {
        self.engine.as_ref()
    }

    /// Sets the engine's options to `options`. Waits at most `timeout` for books and tablebases, and once
    /// only: those that are not open by then are not used until they are.
    pub(crate) fn prepare(&mut self, options: EngineOptions<RuleSet>, timeout: Duration) {
        self.fetch(timeout);
        if self.engine.as_ref().is_some_and(|engine| *engine.options() != options)
            && self.asked.as_ref() != Some(&options)
        {
            self.open(options);
            self.fetch(timeout);
        }
    }

    /// Returns the problems of books and tablebases, each one once.
    pub(crate) fn take_warnings(&mut self) -> Vec<String> {
        let mut warnings = std::mem::take(&mut self.problems);
        warnings.extend(
            self.engine
                .iter_mut()
                .flat_map(Engine::take_warnings)
                .map(|warning| warning.to_string()),
        );
        warnings
    }

    fn open(&mut self, options: EngineOptions<RuleSet>) {
        self.asked = Some(options.clone());
        if self.engine.as_ref().is_none_or(|engine| *engine.options() == options) {
            return;
        }
        let Some(mut engine) = self.engine.take() else { return };
        self.waited = false;
        let (sender, opening) = sync_channel(1);
        let opener = thread::Builder::new().name("proxy options".to_owned());
        let started = opener.spawn(move || {
            let problem = engine.set_options(options).err();
            drop(sender.send((engine, problem))); // nobody may wait for it any more
        });
        match started {
            Ok(_) => self.opening = Some(opening),
            Err(error) => self.problems.push(format!("cannot start a thread: {error}")),
        }
    }

    fn fetch(&mut self, timeout: Duration) {
        let Some(opening) = &self.opening else { return };
        let opened = if self.waited {
            opening.try_recv().map_err(|error| error == TryRecvError::Empty)
        } else {
            opening.recv_timeout(timeout).map_err(|error| error == RecvTimeoutError::Timeout)
        };
        self.waited = true;
        match opened {
            Ok((engine, problem)) => {
                self.problems.extend(problem.map(|error| in_full(&error).to_string()));
                self.engine = Some(engine);
                self.opening = None;
            }
            Err(true) => {}
            Err(false) => {
                self.problems.push("opening books and tables broke down".to_owned());
                self.opening = None;
            }
        }
    }
}
