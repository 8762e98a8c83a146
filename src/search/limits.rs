use std::time::Duration;

use super::{Bound, Score};
use crate::hash::Key;

/// When a search ends. Everything `None` searches until it is told to stop (or the depth's end).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    /// Plies of the last iteration.
    pub depth: Option<u32>,
    /// Moves made, by all threads together; exact with one thread.
    pub nodes: Option<u64>,
    /// About when the search ends: earlier where the best move is settled, later where it changes
    /// or its score falls.
    pub soft_time: Option<Duration>,
    /// The search is broken off at this time.
    pub hard_time: Option<Duration>,
}

impl Limits {
    /// A search of so many plies.
    #[must_use]
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// A search of so many positions.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// A search of so much time.
    #[must_use]
    pub fn move_time(time: Duration) -> Self {
        Self { hard_time: Some(time), ..Self::default() }
    }

    /// The same for a search that begins so much later.
    #[must_use]
    pub(crate) fn after(self, spent: Duration) -> Self {
        let left = |limit: Duration| limit.saturating_sub(spent);
        Self { soft_time: self.soft_time.map(left), hard_time: self.hard_time.map(left), ..self }
    }
}

/// The world outside a running search. Protocols, benchmarks and tests implement it.
pub trait Control<M>: Sync {
    /// Asked every hundred nodes or so, from any thread; once true the search ends soon.
    fn should_stop(&self) -> bool;
    /// Whether the opponent is still to move: no time limit ends the search then, though the clock
    /// runs. Once it is false again, a search whose time is up ends at once.
    fn is_pondering(&self) -> bool {
        false
    }
    /// Told of every finished iteration, from the thread that called
    /// [`Searcher::run`](super::Searcher::run).
    fn report(&self, iteration: &Iteration<M>);
    /// Shown the transposition table now and then, by [`table_key`](super::table_key), from the
    /// thread that called [`Searcher::run`](super::Searcher::run).
    fn look(&self, table: &dyn Fn(Key) -> Option<HashEntry<M>>) {
        let _ = table;
    }
}

/// Never stops, hears nothing.
impl<M> Control<M> for () {
    fn should_stop(&self) -> bool {
        false
    }
    fn report(&self, _iteration: &Iteration<M>) {}
}

/// What one iteration found, or one of its lines where several are asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration<M> {
    /// Nominal plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// Which line this is, 1 the best.
    pub multipv: u32,
    /// For the side to move.
    pub score: Score,
    /// How the score relates to the value: [`Bound::Exact`] so far, for an iteration ends only when
    /// its window holds the score.
    pub bound: Bound,
    /// Moves made since the search began.
    pub nodes: u64,
    /// Positions that endgame tables knew, since the search began.
    pub table_hits: u64,
    /// Since the search began.
    pub time: Duration,
    /// How likely the side to move wins, draws and loses, of 1,000 ([`wdl`](super::wdl())).
    pub wdl: [u16; 3],
    /// How full the transposition table is, of 1,000.
    pub hashfull_permille: u32,
    /// The line of play that the score stands for.
    pub pv: Vec<M>,
}

/// What the transposition table knows of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashEntry<M> {
    /// The best move, if there was one; it need not be legal, for two positions may share a key.
    pub best: Option<M>,
    /// For the side to move; mates count from the position.
    pub score: Score,
    /// How the score relates to the value.
    pub bound: Bound,
    /// Plies searched below the position, 0 for quiescence.
    pub depth: u32,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found<M> {
    /// The move to play; `None` if there is none.
    pub best: Option<M>,
    /// For the side to move.
    pub score: Score,
    /// Plies of the last finished iteration.
    pub depth: u32,
    /// Moves made.
    pub nodes: u64,
    /// Those of them made in quiescence.
    pub quiescence_nodes: u64,
    /// Positions that endgame tables knew.
    pub table_hits: u64,
    /// The line of play expected, [`best`](Self::best) first.
    pub pv: Vec<M>,
}

/// What a search for a mate found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MateSearch<M> {
    /// The mate, if there is one.
    pub found: Option<Found<M>>,
    /// Whether the search was not broken off: where nothing is [`found`](Self::found), there is nothing.
    pub is_complete: bool,
    /// Moves made.
    pub nodes: u64,
}

impl<M> MateSearch<M> {
    /// Whether there is no mate in so few moves.
    #[must_use]
    pub const fn is_refuted(&self) -> bool {
        self.is_complete && self.found.is_none()
    }
}
