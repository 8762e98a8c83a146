//! Limits of a search, and the interface by which it is watched and stopped.

use std::time::Duration;

use crate::bytes::StopFlag;
use crate::game::Bound;
use crate::hash::Key;
use crate::search::score::Score;

/// The limits that end a search. With everything `None` it goes on until it is stopped (or to the
/// greatest depth).
///
/// ```
/// use std::time::Duration;
///
/// use juzhong::search::Limits;
///
/// let limits = Limits { depth: Some(12), ..Limits::nodes(100_000) };
/// assert_eq!((limits.depth, limits.nodes), (Some(12), Some(100_000)));
/// // Nothing set: the search goes on until it is stopped.
/// assert_eq!(Limits::default().hard_time, None);
/// assert!(Limits::move_time(Duration::from_secs(1)).hard_time.is_some());
/// ```
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
    /// A search to this depth in plies.
    #[must_use]
    pub fn depth(depth: u32) -> Self {
        Self { depth: Some(depth), ..Self::default() }
    }

    /// A search of this number of positions.
    #[must_use]
    pub fn nodes(nodes: u64) -> Self {
        Self { nodes: Some(nodes), ..Self::default() }
    }

    /// A search of this duration.
    #[must_use]
    pub fn move_time(time: Duration) -> Self {
        Self { hard_time: Some(time), ..Self::default() }
    }

    /// The same limits for a search that begins later by `spent`.
    #[must_use]
    pub(crate) fn after(self, spent: Duration) -> Self {
        Self {
            soft_time: self.soft_time.map(|limit: Duration| limit.saturating_sub(spent)),
            hard_time: self.hard_time.map(|limit: Duration| limit.saturating_sub(spent)),
            ..self
        }
    }
}

/// The world outside a running search. Protocols, benchmarks and tests implement it.
pub trait Control<M>: Sync {
    /// Called every hundred nodes or so, from any thread; once it returns true the search ends soon.
    fn should_stop(&self) -> bool;
    /// Returns true while the opponent is still to move: no time limit ends the search then, though
    /// the clock runs. Once it returns false again, a search whose time is up ends at once.
    fn is_pondering(&self) -> bool {
        false
    }
    /// Receives each move of the root as its search begins, once a search has lasted for some seconds, from the thread that
    /// called [`Searcher::run`](crate::search::searcher::Searcher::run).
    fn begin_move(&self, current: &CurrentMove<M>) {
        let _ = current;
    }
    /// Receives every finished iteration, one that was broken off if it found another best move of a single line, and the line
    /// of another thread if that is played (both with the depth of the last iteration that their thread has finished), from
    /// the thread that called [`Searcher::run`](crate::search::searcher::Searcher::run).
    fn report(&self, iteration: &Iteration<M>);
    /// Receives access to the transposition table now and then, by [`tt_key`](crate::search::worker::tt_key),
    /// from the thread that called [`Searcher::run`](crate::search::searcher::Searcher::run).
    fn look(&self, tt: &dyn Fn(Key) -> Option<HashEntry<M>>) {
        let _ = tt;
    }
}

/// Stops once the flag is set, ignores reports.
impl<M> Control<M> for StopFlag {
    fn should_stop(&self) -> bool {
        self.is_set()
    }
    fn report(&self, _iteration: &Iteration<M>) {}
}

/// Never stops, ignores reports.
impl<M> Control<M> for () {
    fn should_stop(&self) -> bool {
        false
    }
    fn report(&self, _iteration: &Iteration<M>) {}
}

/// A move of the root that is searched now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CurrentMove<M> {
    /// Nominal plies of the iteration.
    pub depth: u32,
    /// The move.
    pub mv: M,
    /// Its number among the moves of the root, in the order in which they are searched, 1 the first.
    pub number: u32,
}

/// The result of one iteration, or one of its lines where several are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iteration<M> {
    /// Nominal plies.
    pub depth: u32,
    /// The longest line looked at, in plies.
    pub seldepth: u32,
    /// The number of this line, 1 the best.
    pub multipv: u32,
    /// For the side to move.
    pub score: Score,
    /// The relation of the score to the value: [`Bound::Exact`] so far, for an iteration ends only
    /// when its window holds the score.
    pub bound: Bound,
    /// Moves made since the search began.
    pub nodes: u64,
    /// Positions found in tablebases, since the search began.
    pub table_hits: u64,
    /// Since the search began.
    pub time: Duration,
    /// The chances that the side to move wins, draws and loses, of 1,000 ([`wdl`](super::wdl())).
    pub wdl: [u16; 3],
    /// The share of the transposition table in use, of 1,000.
    pub hashfull_permille: u32,
    /// The line of play that the score stands for.
    pub pv: Vec<M>,
}

/// The transposition table's entry for a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HashEntry<M> {
    /// The best move, if there was one; it need not be legal, for two positions may share a key.
    pub best: Option<M>,
    /// For the side to move; mates count from the position.
    pub score: Score,
    /// The relation of the score to the value.
    pub bound: Bound,
    /// Plies searched below the position, 0 for quiescence.
    pub depth: u32,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchResult<M> {
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
    /// Positions found in tablebases.
    pub table_hits: u64,
    /// The line of play expected, [`best`](Self::best) first.
    pub pv: Vec<M>,
}

/// The result of a search for a mate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MateSearch<M> {
    /// The mate, if there is one.
    pub found: Option<SearchResult<M>>,
    /// True if the search was not broken off: where nothing is [`found`](Self::found), there is no
    /// mate.
    pub is_complete: bool,
    /// Moves made.
    pub nodes: u64,
}

impl<M> MateSearch<M> {
    /// Returns true if there is no mate in that number of moves.
    #[must_use]
    pub const fn is_refuted(&self) -> bool {
        self.is_complete && self.found.is_none()
    }
}
