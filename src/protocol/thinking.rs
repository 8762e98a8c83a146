//! A search in its own thread: what it is told, what it tells.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};

use crate::engine::{Choice, Control, Engine, HashEntry, Iteration, Limits, Playable, ScoreKind};
use crate::game::{Game, Line, MoveList};
use crate::hash::Key;

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
    /// What the transposition table knows of the position that was asked about first.
    Known(Option<HashEntry<G::Move>>),
    /// How many leaves the tree has below a move.
    Count(G::Move, u64),
    /// The search has ended; the engine comes back. `None` if it broke down.
    Done(Option<Box<Done<G>>>),
}

/// The end of a search.
#[derive(Debug)]
pub(super) struct Done<G: Playable> {
    pub(super) engine: Engine<G>,
    pub(super) outcome: Outcome<G::Move>,
}

/// What a search came to.
#[derive(Debug, Clone)]
pub(super) enum Outcome<M> {
    /// The move to play, if there is one.
    Move(Option<Choice<M>>),
    /// The leaves of a tree; `None` if the count was broken off.
    Leaves(Option<u64>),
}

/// How a running search is told to stop, and asked what it knows.
#[derive(Debug)]
pub(super) struct Signal {
    stop: AtomicBool,
    /// The opponent is still to move: the clock counts, but ends nothing yet.
    pondering: AtomicBool,
    /// Positions asked about.
    asked: Mutex<Vec<Key>>,
    /// Whether there are any.
    is_asked: AtomicBool,
}

impl Signal {
    pub(super) fn new(pondering: bool) -> Self {
        Self {
            stop: AtomicBool::new(false),
            pondering: AtomicBool::new(pondering),
            asked: Mutex::default(),
            is_asked: AtomicBool::new(false),
        }
    }

    /// Asks what the transposition table knows; the answers come as [`Thought::Known`], in order.
    pub(super) fn ask(&self, key: Key) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(key);
        self.is_asked.store(true, Ordering::Release);
    }

    fn take_asked(&self) -> Vec<Key> {
        if !self.is_asked.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        std::mem::take(&mut self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    pub(super) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// The opponent has played the move expected. What was thought about it counts: a search that
    /// would have ended by now ends at once, and others go on to the limits of time they began with.
    pub(super) fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::Relaxed);
    }
}

/// Reports to the session and listens to the signal.
struct Remote<G: Playable> {
    signal: Arc<Signal>,
    events: SyncSender<Event<Thought<G>>>,
    /// Stop at a mate in so many moves, given or suffered.
    mate: Option<u32>,
}

impl<G: Playable> Remote<G> {
    fn send(&self, thought: Thought<G>) -> bool {
        self.events.send(Event::Thinking(thought)).is_ok()
    }

    /// Whether the mate that is looked for was found, and is no guess.
    fn is_mate_found(&self, iteration: &Iteration<G::Move>) -> bool {
        let (Some(moves), 1) = (self.mate, iteration.multipv) else { return false };
        match iteration.score.kind() {
            ScoreKind::MateIn(plies) => plies.div_ceil(2) <= moves && plies <= iteration.depth,
            // Who asks for any mate at all wants to know of his own end too.
            ScoreKind::MatedIn(plies) => moves == u32::MAX && plies <= iteration.depth,
            _ => false,
        }
    }
}

impl<G: Playable> Control<G::Move> for Remote<G> {
    fn should_stop(&self) -> bool {
        self.signal.stopped()
    }

    fn is_pondering(&self) -> bool {
        self.signal.pondering.load(Ordering::Relaxed)
    }

    fn report(&self, iteration: &Iteration<G::Move>) {
        let told = self.send(Thought::Iteration(iteration.clone()));
        if !told || self.is_mate_found(iteration) {
            self.signal.stop();
        }
    }

    fn look(&self, table: &dyn Fn(Key) -> Option<HashEntry<G::Move>>) {
        for key in self.signal.take_asked() {
            self.send(Thought::Known(table(key)));
        }
    }
}

/// What to think about.
#[derive(Debug)]
pub(super) struct Task<G: Playable> {
    pub(super) line: Line<G>,
    pub(super) job: Job,
    /// Moves that are not looked at.
    pub(super) banned: Vec<G::Move>,
}

/// What to do with a position.
#[derive(Debug, Clone, Copy)]
pub(super) enum Job {
    /// Choose a move.
    Choose(Goal),
    /// Search in any case, whatever book and tables have.
    Analyse(Goal),
    /// Count the leaves of the tree of so many plies.
    Count(u32),
}

/// When a search ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    pub(super) limits: Limits,
    /// A mate in so many moves ends it too; [`u32::MAX`] for any mate.
    pub(super) mate: Option<u32>,
}

/// Starts the search. The engine comes back with [`Thought::Done`], or not at all if the search panics.
///
/// # Errors
///
/// If there is no thread to be had; then nothing will be told.
pub(super) fn start<G: Playable>(
    mut engine: Engine<G>,
    task: Task<G>,
    signal: Arc<Signal>,
    events: SyncSender<Event<Thought<G>>>,
) -> std::io::Result<()> {
    let thread = std::thread::Builder::new().name("protocol search".to_owned());
    thread.spawn(move || {
        let mut guard = Guard { events, done: None };
        let outcome = work(&mut engine, task, signal, guard.events.clone());
        guard.done = Some(Box::new(Done { engine, outcome }));
    })?;
    Ok(())
}

fn work<G: Playable>(
    engine: &mut Engine<G>,
    task: Task<G>,
    signal: Arc<Signal>,
    events: SyncSender<Event<Thought<G>>>,
) -> Outcome<G::Move> {
    let Task { line, job, banned } = task;
    let mate = match job {
        Job::Choose(goal) | Job::Analyse(goal) => goal.mate,
        Job::Count(_) => None,
    };
    let remote = Remote { signal, events, mate };
    engine.ban(banned);
    match job {
        Job::Choose(goal) => Outcome::Move(engine.choose(&line, &goal.limits, &remote)),
        Job::Analyse(goal) => Outcome::Move(engine.search(&line, &goal.limits, &remote)),
        Job::Count(depth) => Outcome::Leaves(count(line.position(), depth, &remote)),
    }
}

/// Counts the leaves below every move, told one by one; `None` if told to stop.
fn count<G: Playable>(position: &G, depth: u32, remote: &Remote<G>) -> Option<u64> {
    let mut position = position.clone();
    let mut moves = MoveList::new();
    if depth > 0 {
        position.legal_moves(&mut moves);
    }
    let mut total = u64::from(depth == 0);
    for mv in moves {
        let undo = position.make(mv);
        let leaves = leaves(&mut position, depth - 1, &remote.signal);
        position.unmake(mv, undo);
        let leaves = leaves.filter(|&leaves| remote.send(Thought::Count(mv, leaves)))?;
        total = total.saturating_add(leaves);
    }
    Some(total)
}

/// [`perft`](fn@crate::game::perft) that can be stopped.
fn leaves<G: Game>(position: &mut G, depth: u32, signal: &Signal) -> Option<u64> {
    /// A tree of so many plies is counted without a look at the signal.
    const WITHOUT_LOOK: u32 = 2;
    if signal.stopped() {
        return None;
    }
    if depth <= WITHOUT_LOOK {
        return Some(crate::game::perft(position, depth));
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut total = 0_u64;
    for mv in moves {
        let undo = position.make(mv);
        let below = leaves(position, depth - 1, signal);
        position.unmake(mv, undo);
        total = total.saturating_add(below?);
    }
    Some(total)
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
