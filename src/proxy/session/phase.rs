//! The phases of a session.

use std::time::Instant;

use crate::proxy::search::Search;

/// The thing that the GUI waits for, one at a time, so that answers come in order. Commands that come meanwhile wait.
#[derive(Debug)]
pub(crate) enum Phase {
    /// Nothing.
    Idle,
    /// Our introduction, which follows that of the engine.
    Greeting,
    /// `readyok`.
    GettingReady(Ready),
    /// The answer to a `go`.
    Searching(Box<Search>),
}

/// The state of the engine towards an `isready` of the GUI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ready {
    /// It cannot be asked yet.
    Later,
    /// It was asked at this time.
    Sent(Instant),
}

impl Phase {
    /// Returns true if nothing is waited for.
    pub(crate) const fn is_idle(&self) -> bool {
        matches!(self, Self::Idle)
    }

    /// The search that runs.
    pub(crate) const fn search(&self) -> Option<&Search> {
        match self {
            Self::Searching(search) => Some(search),
            Self::Idle | Self::Greeting | Self::GettingReady(_) => None,
        }
    }

    /// The same, to be changed.
    pub(crate) const fn search_mut(&mut self) -> Option<&mut Search> {
        match self {
            Self::Searching(search) => Some(search),
            Self::Idle | Self::Greeting | Self::GettingReady(_) => None,
        }
    }

    /// The search that runs, if it has no answer yet.
    pub(crate) fn unanswered(&self) -> Option<&Search> {
        self.search().filter(|search| search.owed.answer.is_none())
    }

    /// The time at which the engine was asked whether it is ready.
    pub(crate) const fn asked_ready(&self) -> Option<Instant> {
        match self {
            Self::GettingReady(Ready::Sent(asked)) => Some(*asked),
            _ => None,
        }
    }
}
