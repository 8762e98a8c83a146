//! The progress of work on books of other programs.

use std::fmt;
use std::sync::Arc;

/// A step of the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Rows are read.
    Reading,
    /// Rows are found by playing their moves.
    Walking,
    /// The new book is written.
    Writing,
}

/// Receives the progress; by default nobody does.
#[derive(Clone, Default)]
pub struct StepProgress(Option<Arc<Receive>>);

/// The step, how much of it is done, and how much there is; 0 and 0 if that is unknown.
type Receive = dyn Fn(Step, u64, u64) + Send + Sync;

impl StepProgress {
    /// Reports to a function: the step, how much of it is done, and how much there is, 0 and 0 if that is
    /// unknown.
    #[must_use]
    pub fn new(receive: impl Fn(Step, u64, u64) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(receive)))
    }

    pub(crate) fn report(&self, step: Step, done: u64, all: u64) {
        if let Some(receive) = &self.0 {
            receive(step, done, all);
        }
    }
}

impl fmt::Debug for StepProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StepProgress")
    }
}
