//! The progress of a proof, on standard error: a bar on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget};

use super::progress::one_line_bar;
use crate::cli::tell;
use crate::language::{text, word};
use juzhong::tablebase::{Material, Progress};

/// Without a terminal, at most one line in this time about a phase.
const QUIET: Duration = Duration::from_secs(5);
/// The time left is reported from this part (in percent) of a phase on.
const FORESEEN: u64 = 5;

/// Reports the progress of proving tablebases.
pub(crate) struct Proving {
    bar: Option<ProgressBar>,
    state: Mutex<ProvingState>,
}

struct ProvingState {
    table: String,
    phase: String,
    began: Instant,
    last: Instant,
}

impl Proving {
    pub(crate) fn new() -> Self {
        let bar =
            std::io::stderr().is_terminal().then(|| one_line_bar(1, ProgressDrawTarget::stderr()));
        let now = Instant::now();
        let state =
            ProvingState { table: String::new(), phase: String::new(), began: now, last: now };
        Self { bar, state: Mutex::new(state) }
    }

    pub(crate) fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Progress for Proving {
    fn verifying(&self, material: Material, number: usize, of: usize) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.table = text!("{material} ({number} of {of})");
        state.phase.clear();
        state.last = Instant::now();
        match &self.bar {
            Some(bar) => bar.set_message(state.table.clone()),
            None => tell(&state.table),
        }
    }

    fn checked(&self, phase: &str, done: u64, total: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.phase != phase {
            phase.clone_into(&mut state.phase);
            state.began = Instant::now();
        }
        if self.bar.is_none() && state.last.elapsed() < QUIET {
            return;
        }
        state.last = Instant::now();
        let percent = 100 * done / total.max(1);
        let rate = done as f64 / state.began.elapsed().as_secs_f64().max(0.001);
        let left = total.saturating_sub(done) as f64 / rate.max(0.001);
        let rest = if percent >= FORESEEN {
            text!(", {rate:.0} a second, about {left:.0} s left")
        } else {
            String::new()
        };
        let (table, phase) = (&state.table, word(phase));
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(format!("{table}: {phase}{rest}"));
        } else {
            tell(format_args!("{table}: {phase} {percent} %{rest}"));
        }
    }
}
