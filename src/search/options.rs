//! Options of a search.

use crate::game::EvaluationKind;

/// The largest table, in MiB.
pub const MAX_HASH_MIB: usize = 1 << 15;
/// The most threads a search may have.
pub const MAX_THREADS: usize = 256;
/// The most lines that one search reports.
pub const MAX_MULTIPV: usize = 512;

/// The options of a [`Searcher`](crate::search::Searcher).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Size of the transposition table in MiB, 1 to [`MAX_HASH_MIB`].
    pub hash_mib: usize,
    /// Number of threads, 1 to [`MAX_THREADS`]; results are reproducible with one.
    pub threads: usize,
    /// Number of best lines that are searched, 1 to [`MAX_MULTIPV`].
    pub multipv: usize,
    /// The evaluation, where the game has more than one.
    pub evaluation: EvaluationKind,
}

impl Default for SearchOptions {
    /// 64 MiB, one thread, one line, the usual evaluation.
    fn default() -> Self {
        let evaluation = EvaluationKind::default();
        Self { hash_mib: 64, threads: 1, multipv: 1, evaluation }
    }
}

/// The techniques that a search uses, beside alpha-beta search and quiescence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// Scores and moves are used from the transposition table.
    pub tt: bool,
    /// No longer mates are looked for where a shorter one is known.
    pub mate_distance: bool,
    /// Unsound ideas that leave out work: null move, futility, razoring, late-move and exchange
    /// pruning.
    pub pruning: bool,
    /// Late moves are searched less deeply at first.
    pub reductions: bool,
    /// The sole answer to a check is searched a ply deeper.
    pub extensions: bool,
    /// A transposition table move that is the only good one is searched deeper.
    pub singular: bool,
    /// Moves are ordered by killers and history.
    pub ordering: bool,
    /// Evaluations are corrected by history, and fade while nothing is captured.
    pub corrections: bool,
    /// Moves after the first are searched with a null window at first (principal variation search);
    /// otherwise it is plain alpha-beta search.
    pub zero_window: bool,
    /// Shallower iterations come first.
    pub deepening: bool,
}

impl Features {
    /// Everything.
    pub const ALL: Self = Self {
        tt: true,
        mate_distance: true,
        pruning: true,
        reductions: true,
        extensions: true,
        singular: true,
        ordering: true,
        corrections: true,
        zero_window: true,
        deepening: true,
    };
    /// The techniques that leave out nothing that may hold a mate: for searches that prove one.
    pub(crate) const PROOF: Self = Self {
        tt: true,
        mate_distance: true,
        zero_window: true,
        ordering: true,
        ..Self::FULL_WIDTH
    };
    /// Every move to the full depth: the value of plain minimax, for tests and for solving.
    pub const FULL_WIDTH: Self = Self {
        tt: false,
        mate_distance: false,
        pruning: false,
        reductions: false,
        extensions: false,
        singular: false,
        ordering: true,
        corrections: false,
        zero_window: true,
        deepening: true,
    };
}

/// The reasons for which a [`Searcher`](crate::search::Searcher) cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum SearchError {
    /// A transposition table of no size, or of a size beyond every machine.
    #[error("hash size of {mib} MiB; choose 1 to {MAX_HASH_MIB}")]
    HashSize {
        /// The size wanted.
        mib: usize,
    },
    /// Not enough memory for the transposition table.
    #[error("no memory for a hash table of {mib} MiB; choose a smaller one")]
    Memory {
        /// The size wanted.
        mib: usize,
    },
    /// Not enough memory for the history of the threads.
    #[error("no memory for {threads} search threads; choose fewer")]
    ThreadMemory {
        /// The number wanted.
        threads: usize,
    },
    /// No thread, or too many.
    #[error("{threads} search threads; choose 1 to {MAX_THREADS}")]
    Threads {
        /// The number wanted.
        threads: usize,
    },
    /// No line, or too many.
    #[error("{multipv} lines to report; choose 1 to {MAX_MULTIPV}")]
    MultiPv {
        /// The number wanted.
        multipv: usize,
    },
}
