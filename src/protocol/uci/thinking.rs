//! A search in its own thread: what it is told, what it tells.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::time::{Duration, Instant};

use crate::engine::clock::Allowance;
use crate::engine::{Choice, Control, Engine, Iteration, Limits, Playable};
use crate::game::Line;

/// What the session waits for.
#[derive(Debug)]
pub(super) enum Event<T> {
    /// A line of input.
    Line(String),
    /// No more input.
    End,
    /// From the search.
    Thinking(T),
}

/// What a search thread tells.
#[derive(Debug)]
pub(super) enum Thought<G: Playable> {
    /// An iteration has ended.
    Iteration(Iteration<G::Move>),
    /// The search has ended; the engine comes back. `None` if it broke down.
    Done(Option<Box<Done<G>>>),
}

/// The end of a search.
#[derive(Debug)]
pub(super) struct Done<G: Playable> {
    pub(super) engine: Engine<G>,
    pub(super) choice: Option<Choice<G::Move>>,
}

/// How a running search is told to stop.
#[derive(Debug)]
pub(super) struct Signal {
    began: Instant,
    stop: AtomicBool,
    /// Microseconds after `began`; `u64::MAX` is never.
    soft: AtomicU64,
    hard: AtomicU64,
}

impl Signal {
    pub(super) fn new() -> Self {
        let never = || AtomicU64::new(u64::MAX);
        Self { began: Instant::now(), stop: AtomicBool::new(false), soft: never(), hard: never() }
    }

    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// From now on the clock runs.
    pub(super) fn allow(&self, allowance: Allowance) {
        let now = self.began.elapsed();
        let end = |time: Duration| u64::try_from((now + time).as_micros()).unwrap_or(u64::MAX);
        self.soft.store(allowance.soft.map_or(u64::MAX, end), Ordering::Relaxed);
        self.hard.store(end(allowance.hard), Ordering::Relaxed);
    }

    fn passed(&self, end: &AtomicU64) -> bool {
        let end = end.load(Ordering::Relaxed);
        end != u64::MAX && self.began.elapsed().as_micros() >= u128::from(end)
    }
}

/// Reports to the session and listens to the signal.
struct Remote<G: Playable> {
    signal: Arc<Signal>,
    events: SyncSender<Event<Thought<G>>>,
}

impl<G: Playable> Control<G::Move> for Remote<G> {
    fn should_stop(&self) -> bool {
        self.signal.stop.load(Ordering::Relaxed) || self.signal.passed(&self.signal.hard)
    }

    fn report(&self, iteration: &Iteration<G::Move>) {
        let thought = Thought::Iteration(iteration.clone());
        if self.events.send(Event::Thinking(thought)).is_err()
            || self.signal.passed(&self.signal.soft)
        {
            self.signal.stop();
        }
    }
}

/// What to think about.
#[derive(Debug)]
pub(super) struct Task<G: Playable> {
    pub(super) line: Line<G>,
    pub(super) limits: Limits,
    /// Search in any case, whatever book and tables have.
    pub(super) analyse: bool,
}

/// Starts the search. The engine comes back with [`Thought::Done`], or not at all if the thread
/// cannot be started or panics.
pub(super) fn start<G: Playable>(
    mut engine: Engine<G>,
    task: Task<G>,
    signal: Arc<Signal>,
    events: SyncSender<Event<Thought<G>>>,
) -> std::io::Result<()> {
    let thread = std::thread::Builder::new().name("uci search".to_owned());
    let guard = Guard { events, done: None };
    thread.spawn(move || {
        let mut guard = guard;
        let remote = Remote { signal, events: guard.events.clone() };
        let Task { line, limits, analyse } = task;
        let choice = if analyse {
            engine.search(&line, &limits, &remote)
        } else {
            engine.choose(&line, &limits, &remote)
        };
        guard.done = Some(Box::new(Done { engine, choice }));
    })?;
    Ok(())
}

/// Tells of the search's end even where it panics.
struct Guard<G: Playable> {
    events: SyncSender<Event<Thought<G>>>,
    done: Option<Box<Done<G>>>,
}

impl<G: Playable> Drop for Guard<G> {
    fn drop(&mut self) {
        // Nobody listening means that the session has ended: nothing is left to tell.
        drop(self.events.send(Event::Thinking(Thought::Done(self.done.take()))));
    }
}
