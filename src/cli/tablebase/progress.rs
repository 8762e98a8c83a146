use std::io::IsTerminal;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::tablebase::{Built, Estimate, Progress};

/// Without a terminal, at most one line in this time for a table at work.
const QUIET: Duration = Duration::from_secs(5);

/// The time left is told from one part in so many on.
const FORESEEN: u64 = 20;

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Lets Ctrl-C end the work in good order.
pub(super) fn catch_interrupts() -> Result<(), ctrlc::Error> {
    match ctrlc::set_handler(|| INTERRUPTED.store(true, Ordering::Relaxed)) {
        Err(ctrlc::Error::MultipleHandlers) => Ok(()),
        result => result,
    }
}

/// Progress on standard error: a bar on a terminal, plain lines elsewhere.
pub(super) struct Printer {
    bar: Option<ProgressBar>,
    began: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Slots of all tables to build, and of those finished.
    total: u64,
    finished: u64,
    current: u64,
    name: String,
    /// The phase of the current proof, and when it began.
    phase: Option<(String, Instant)>,
    last_line: Option<Instant>,
}

impl Printer {
    pub(super) fn new() -> Self {
        let bar = std::io::stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{bar:30} {percent:>3} % {msg}");
            let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr());
            bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
        });
        Self { bar, began: Instant::now(), state: Mutex::default() }
    }

    pub(super) fn done(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn line(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(text),
            None => eprintln!("{text}"),
        }
    }

    /// Shows `text` for the current table, `part` of whose slots are done; what remains only where
    /// that can be foreseen.
    fn show(&self, part: u64, text: &str, is_foreseen: bool) {
        let mut state = self.lock();
        let done = state.finished + part;
        let left = if is_foreseen { self.remaining(done, state.total) } else { String::new() };
        let message = format!("{} {text}{left}", state.name);
        let total = state.total;
        self.tell(&mut state, message, done, total);
    }

    /// Shows a message, on a terminal beside a bar with `done` of `total`.
    fn tell(&self, state: &mut State, message: String, done: u64, total: u64) {
        if let Some(bar) = &self.bar {
            bar.set_length(total);
            bar.set_position(done);
            bar.set_message(message);
        } else if state.last_line.is_none_or(|last| last.elapsed() > QUIET) {
            if state.last_line.is_some() {
                eprintln!("{message}");
            }
            state.last_line = Some(Instant::now());
        }
    }

    fn remaining(&self, done: u64, total: u64) -> String {
        if done == 0 || done < total / FORESEEN {
            return String::new();
        }
        let elapsed = self.began.elapsed().as_secs_f64();
        let left = elapsed / done as f64 * total.saturating_sub(done) as f64;
        format!(", about {left:.0} s left")
    }
}

impl Progress for Printer {
    fn planned(&self, tables: &[Estimate]) {
        self.lock().total = tables.iter().map(|estimate| estimate.slots).sum();
    }

    fn started(&self, estimate: &Estimate, number: usize, of: usize) {
        let mut state = self.lock();
        state.current = estimate.slots;
        state.name = format!("{} ({number} of {of})", estimate.material);
        state.last_line = None;
        let text = format!(
            "{}: {} slots for each side to move, about {} MiB of memory",
            state.name,
            estimate.slots,
            estimate.memory.div_ceil(1 << 20)
        );
        drop(state);
        self.line(&text);
    }

    fn examined(&self, done: u64, total: u64) {
        // The first look at the slots is about half of the work.
        self.show(done / 2, &format!("{} % examined", 100 * done / total.max(1)), true);
    }

    fn ply(&self, order: u16, distance: u16) {
        let half = self.lock().current / 2;
        // Nobody knows how many rounds the rule takes.
        self.show(half, &format!("order {order}, ply {distance}"), order == 0);
    }

    fn is_cancelled(&self) -> bool {
        INTERRUPTED.load(Ordering::Relaxed)
    }

    fn finished(&self, built: &Built) {
        if built.reused {
            return;
        }
        let mut state = self.lock();
        state.finished += state.current;
        let left = self.remaining(state.finished, state.total);
        drop(state);
        self.line(&format!("{}: {} bytes{left}", built.path.display(), built.bytes));
    }

    fn verifying(&self, material: crate::tablebase::Material, number: usize, of: usize) {
        let mut state = self.lock();
        state.name = format!("{material} ({number} of {of})");
        state.phase = None;
        state.last_line = None;
        let text = state.name.clone();
        drop(state);
        self.line(&text);
    }

    fn checked(&self, phase: &str, done: u64, total: u64) {
        let mut state = self.lock();
        let began = match &state.phase {
            Some((current, began)) if current == phase => *began,
            _ => {
                let began = Instant::now();
                state.phase = Some((phase.to_owned(), began));
                began
            }
        };
        let rate = done as f64 / began.elapsed().as_secs_f64().max(0.001);
        let left = total.saturating_sub(done) as f64 / rate.max(0.001);
        let percent = 100 * done / total.max(1);
        let rest = if done >= total / FORESEEN {
            format!(", {rate:.0} a second, about {left:.0} s left")
        } else {
            String::new()
        };
        let message = format!("{} {phase} {percent} %{rest}", state.name);
        self.tell(&mut state, message, done, total);
    }
}
