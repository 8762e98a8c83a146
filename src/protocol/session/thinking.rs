//! A search in its own thread: the signals to it and its reports. Options are set in a thread of their own
//! too, for books and tablebases may be slow to open.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use crate::bytes::StopFlag;
use crate::engine::{Choice, Engine, EngineError, EngineOptions, Playable};
use crate::game::{Adjudicate, Game, Line, MoveList, ScoreKind};
use crate::hash::Key;
use crate::protocol::conversation::input::Event;
use crate::search::{Control, CurrentMove, HashEntry, Iteration, Limits, Score};

/// Moves made to prove a mate before an ordinary search looks for it.
const QUICK_PROOF: u64 = 300_000;

/// A report of a search thread.
#[derive(Debug)]
pub(crate) enum Thought<G: Playable> {
    /// An iteration has ended.
    Iteration(Iteration<G::Move>),
    /// A move of the root is searched now.
    Current(CurrentMove<G::Move>),
    /// The transposition table's entry for the position that was requested first.
    Known(Option<HashEntry<G::Move>>),
    /// The number of leaves of the tree below a move.
    Count(G::Move, u64),
    /// The search has ended; the engine comes back. `None` if it broke down.
    Done(Option<Box<Done<G>>>),
    /// The engine has its new options. `None` if setting them broke down.
    Prepared(Option<Box<Prepared<G>>>),
}

/// The end of a search.
#[derive(Debug)]
pub(crate) struct Done<G: Playable> {
    pub(crate) engine: Engine<G>,
    pub(crate) outcome: Outcome<G::Move>,
}

/// An engine that was given other options.
#[derive(Debug)]
pub(crate) struct Prepared<G: Playable> {
    /// `None` if there was none and none can be made.
    pub(crate) engine: Option<Engine<G>>,
    /// The error for which it does not have all options that were wished.
    pub(crate) problem: Option<EngineError>,
}

/// Gives an engine options, or makes one that has them. It may last as long as opening books and tablebases
/// does.
pub(crate) type SetUp<G> =
    fn(Option<Engine<G>>, EngineOptions<<G as Adjudicate>::Rules>) -> Prepared<G>;

/// The result of a search.
#[derive(Debug, Clone)]
pub(crate) enum Outcome<M> {
    /// The move to play, if there is one.
    Move(Option<Choice<M>>),
    /// The leaves of a tree; `None` if the count was broken off.
    Leaves(Option<u64>),
}

/// The signals to a running search: to stop, and to look up transposition table entries.
#[derive(Debug)]
pub(crate) struct Signal {
    stop: StopFlag,
    /// The opponent is still to move: the clock counts, but ends nothing yet.
    pondering: AtomicBool,
    /// Positions whose entries were requested.
    asked: Mutex<Vec<Key>>,
    /// Set while there are any.
    is_asked: AtomicBool,
}

impl Signal {
    pub(crate) fn new(pondering: bool) -> Self {
        Self {
            stop: StopFlag::default(),
            pondering: AtomicBool::new(pondering),
            asked: Mutex::default(),
            is_asked: AtomicBool::new(false),
        }
    }

    /// Requests a transposition table entry; the answers come as [`Thought::Known`], in order.
    pub(crate) fn ask(&self, key: Key) {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).push(key);
        self.is_asked.store(true, Ordering::Release);
    }

    fn take_asked(&self) -> Vec<Key> {
        if !self.is_asked.swap(false, Ordering::Acquire) {
            return Vec::new();
        }
        std::mem::take(&mut self.asked.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns true once the search is to stop.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.is_set()
    }

    pub(crate) fn stop(&self) {
        self.stop.set();
    }

    /// The opponent has played the move expected. What was thought about it counts: a search that
    /// would have ended by now ends at once, and others go on to the limits of time they began with.
    pub(crate) fn ponder_hit(&self) {
        self.pondering.store(false, Ordering::Relaxed);
    }
}

/// Reports to the session and listens to the signal.
struct Remote<G: Playable> {
    signal: Arc<Signal>,
    events: SyncSender<Event<Thought<G>>>,
    /// Stop at a mate in this many moves, given or suffered.
    mate: Option<u32>,
}

impl<G: Playable> Remote<G> {
    fn send(&self, thought: Thought<G>) -> bool {
        self.events.send(Event::Engine(thought)).is_ok()
    }

    /// Returns true if the mate that is looked for was found, and is no guess.
    fn is_mate_found(&self, iteration: &Iteration<G::Move>) -> bool {
        let (Some(moves), 1) = (self.mate, iteration.multipv) else { return false };
        match iteration.score.kind() {
            ScoreKind::MateIn(plies) => plies.div_ceil(2) <= moves && plies <= iteration.depth,
            // A request for any mate at all includes that of the side to move.
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

    fn begin_move(&self, current: &CurrentMove<G::Move>) {
        self.send(Thought::Current(*current));
    }

    fn report(&self, iteration: &Iteration<G::Move>) {
        let is_sent = self.send(Thought::Iteration(iteration.clone()));
        if !is_sent || self.is_mate_found(iteration) {
            self.signal.stop();
        }
    }

    fn look(&self, table: &dyn Fn(Key) -> Option<HashEntry<G::Move>>) {
        for key in self.signal.take_asked() {
            self.send(Thought::Known(table(key)));
        }
    }
}

/// The task of a search thread.
#[derive(Debug)]
pub(crate) struct SearchTask<G: Playable> {
    pub(crate) line: Line<G>,
    pub(crate) job: Job,
    /// Moves that are left out.
    pub(crate) banned: Vec<G::Move>,
}

/// The kind of work on a position.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Job {
    /// Choose a move.
    Choose(Goal),
    /// Search in any case, even if a book or tablebase has a move.
    Analyse(Goal),
    /// Count the leaves of the tree to this depth in plies.
    Count(u32),
}

/// The condition under which a search ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Goal {
    pub(crate) limits: Limits,
    /// A mate in this many moves ends it too; [`u32::MAX`] for any mate.
    pub(crate) mate: Option<u32>,
}

/// Starts the search. The engine comes back with [`Thought::Done`], or not at all if the search panics.
///
/// # Errors
///
/// If no thread can be started; then nothing will be reported.
pub(crate) fn start<G: Playable>(
    mut engine: Engine<G>,
    task: SearchTask<G>,
    signal: Arc<Signal>,
    events: SyncSender<Event<Thought<G>>>,
) -> std::io::Result<()> {
    let thread = std::thread::Builder::new().name("protocol search".to_owned());
    thread.spawn(move || {
        // This is what is reported if the work panics.
        let mut guard = Guard { events, thought: Some(Thought::Done(None)) };
        let outcome = work(&mut engine, task, signal, guard.events.clone());
        guard.thought = Some(Thought::Done(Some(Box::new(Done { engine, outcome }))));
    })?;
    Ok(())
}

/// Sets up an engine in a thread of its own; it comes back with [`Thought::Prepared`].
///
/// # Errors
///
/// If no thread can be started; then nothing will be reported, and the engine is lost.
pub(crate) fn prepare<G: Playable>(
    set_up: SetUp<G>,
    engine: Option<Engine<G>>,
    options: EngineOptions<G::Rules>,
    events: SyncSender<Event<Thought<G>>>,
) -> std::io::Result<()> {
    let thread = std::thread::Builder::new().name("protocol options".to_owned());
    thread.spawn(move || {
        let mut guard = Guard { events, thought: Some(Thought::Prepared(None)) };
        let prepared = set_up(engine, options);
        guard.thought = Some(Thought::Prepared(Some(Box::new(prepared))));
    })?;
    Ok(())
}

/// Does the work of [`prepare`]: if there is too little memory for the search, the other options are set.
pub(crate) fn set_up<G: Playable>(
    engine: Option<Engine<G>>,
    options: EngineOptions<G::Rules>,
) -> Prepared<G> {
    let Some(mut engine) = engine else {
        return match Engine::new(options) {
            Ok(engine) => Prepared { engine: Some(engine), problem: None },
            Err(error) => Prepared { engine: None, problem: Some(error) },
        };
    };
    let problem = engine.set_options(options.clone()).err();
    if problem.is_some() {
        let EngineOptions { hash_mib, threads, .. } = *engine.options();
        drop(engine.set_options(EngineOptions { hash_mib, threads, ..options }));
    }
    Prepared { engine: Some(engine), problem }
}

fn work<G: Playable>(
    engine: &mut Engine<G>,
    task: SearchTask<G>,
    signal: Arc<Signal>,
    events: SyncSender<Event<Thought<G>>>,
) -> Outcome<G::Move> {
    let SearchTask { line, job, banned } = task;
    let mate = match job {
        Job::Choose(goal) | Job::Analyse(goal) => goal.mate,
        Job::Count(_) => None,
    };
    let remote = Remote { signal, events, mate };
    engine.ban(banned);
    let (goal, analyses) = match job {
        Job::Choose(goal) => (goal, false),
        Job::Analyse(goal) => (goal, true),
        Job::Count(depth) => return Outcome::Leaves(count(line.position(), depth, &remote)),
    };
    Outcome::Move(match goal.mate.filter(|&moves| moves != u32::MAX) {
        None => ordinary(engine, &line, &goal.limits, analyses, &remote),
        Some(moves) => look_for_mate(engine, &line, moves, &goal.limits, analyses, &remote),
    })
}

/// Chooses a move, or analyses.
fn ordinary<G: Playable>(
    engine: &mut Engine<G>,
    line: &Line<G>,
    limits: &Limits,
    analyses: bool,
    remote: &Remote<G>,
) -> Option<Choice<G::Move>> {
    if analyses { engine.search(line, limits, remote) } else { engine.choose(line, limits, remote) }
}

/// Searches for a mate in at most `moves` moves. First tries a quick proof; then an ordinary search looks for
/// long mates, of which it may see one much earlier; a mate that is still open then is searched to the end.
fn look_for_mate<G: Playable>(
    engine: &mut Engine<G>,
    line: &Line<G>,
    moves: u32,
    limits: &Limits,
    analyses: bool,
    remote: &Remote<G>,
) -> Option<Choice<G::Move>> {
    let start = Instant::now();
    let moves = limits.depth.map_or(moves, |depth| moves.min(depth.div_ceil(2)));
    // Half of what there is at most: there may be no mate, but a move there must be.
    let most = limits.nodes.map_or(QUICK_PROOF, |nodes| QUICK_PROOF.min(nodes / 2));
    let half = limits.hard_time.map(|time| time / 2);
    let quick = Limits { hard_time: half, ..limits_left(limits, start, 0, most) };
    let quick = engine.find_mate(line, moves, &quick, remote);
    let is_refuted = quick.is_refuted();
    if let Some(choice) = quick.found.and_then(Choice::searched) {
        return Some(choice);
    }
    let rest = limits_left(limits, start, quick.nodes, u64::MAX);
    let choice = ordinary(engine, line, &rest, analyses, remote)?;
    let is_mate = matches!(
        choice.score.map(Score::kind),
        Some(ScoreKind::MateIn(plies)) if plies.div_ceil(2) <= moves
    );
    if is_refuted || is_mate || remote.signal.stopped() {
        return Some(choice);
    }
    let spent = quick.nodes.saturating_add(choice.nodes);
    let rest = limits_left(limits, start, spent, u64::MAX);
    let full = engine.find_mate(line, moves, &rest, remote);
    full.found.and_then(Choice::searched).or(Some(choice))
}

/// The limits less the time since `start` and the `spent` positions, with at most `most` positions.
fn limits_left(limits: &Limits, start: Instant, spent: u64, most: u64) -> Limits {
    let nodes = limits.nodes.map_or(u64::MAX, |nodes| nodes.saturating_sub(spent)).min(most);
    let nodes = Some(nodes).filter(|&nodes| nodes < u64::MAX);
    Limits { nodes, ..limits.after(start.elapsed()) }
}

/// Counts the leaves below every move and reports each count; `None` if stopped.
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
    /// A tree of this depth in plies is counted without a look at the signal.
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

/// Reports a thread's end even where it panics.
struct Guard<G: Playable> {
    events: SyncSender<Event<Thought<G>>>,
    thought: Option<Thought<G>>,
}

impl<G: Playable> Drop for Guard<G> {
    fn drop(&mut self) {
        // A closed channel means that the session has ended: nothing remains to be reported.
        if let Some(thought) = self.thought.take() {
            drop(self.events.send(Event::Engine(thought)));
        }
    }
}
