//! The progress of work on whole books, on standard error if that is a terminal.

use std::path::Path;

use indicatif::{ProgressBar, ProgressStyle};

use crate::language::word;
use juzhong::book::interop::{Step, StepProgress};
use juzhong::bytes::visible::ShowPath;

/// A bar that goes when it is dropped.
#[derive(Debug)]
pub(crate) struct Bar(ProgressBar);

impl Bar {
    pub(crate) fn new() -> Self {
        let style = ProgressStyle::with_template("{msg} {bar:30} {percent:>3}% {elapsed}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(ProgressBar::new(1).with_style(style))
    }

    /// A bar that is not shown: for tables on standard output, which may be the same terminal.
    pub(crate) fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// The receiver of progress that moves the bar.
    pub(crate) fn progress(&self) -> StepProgress {
        let bar = Self(self.0.clone());
        StepProgress::new(move |step, done, all| bar.step(step, done, all))
    }

    fn step(&self, step: Step, done: u64, all: u64) {
        let text = match step {
            Step::Reading => word("reading"),
            Step::Walking => word("finding"),
            Step::Writing => word("writing"),
        };
        if self.0.message() != text {
            self.0.set_message(text);
        }
        self.0.set_length(all.max(1));
        self.0.set_position(done);
    }

    /// Shows how much of a whole is done.
    pub(crate) fn show(&self, text: &'static str, done: u64, all: u64) {
        if self.0.message() != word(text) {
            self.0.set_message(word(text));
            self.0.set_length(all.max(1));
        }
        self.0.set_position(done);
    }
}

/// Shows that a file is imported, as [`juzhong::book::keep_imports_in`] wants it; the bar goes with the receiver.
pub(crate) fn show_import(path: &Path) -> StepProgress {
    tracing::info!(path = %path.shown(), "a foreign book is imported");
    let bar = Bar::new();
    StepProgress::new(move |step, done, all| bar.step(step, done, all))
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
