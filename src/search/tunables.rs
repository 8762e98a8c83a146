//! Every number that search can be tuned by, in one table. Margins are centipawns, depths plies,
//! history values run from `-HISTORY_MAX` to `HISTORY_MAX`.

/// Half the first aspiration window.
pub(super) const ASPIRATION: i32 = 18;
/// From this depth on a search begins with an aspiration window.
pub(super) const ASPIRATION_DEPTH: i32 = 5;

/// Deepest node that reverse futility cuts off.
pub(super) const REVERSE_FUTILITY_DEPTH: i32 = 8;
/// What a ply may cost: see `search::prune`.
pub(super) const REVERSE_FUTILITY_MARGIN: i32 = 65;

/// Deepest node that razoring hands to quiescence.
pub(super) const RAZOR_DEPTH: i32 = 3;
/// What a ply may gain beyond hope.
pub(super) const RAZOR_MARGIN: i32 = 220;

/// Shallowest node that tries a null move.
pub(super) const NULL_DEPTH: i32 = 3;
/// Plies that a null move saves at least.
pub(super) const NULL_REDUCTION: i32 = 3;
/// A further ply is saved for every so many plies of depth.
pub(super) const NULL_REDUCTION_STEP: i32 = 4;
/// A further ply is saved for every so many centipawns above beta, three at most.
pub(super) const NULL_REDUCTION_MARGIN: i32 = 180;
/// From this depth on a null-move cut is verified by a search without null moves.
pub(super) const NULL_VERIFICATION_DEPTH: i32 = 12;

/// Shallowest node without a table move that is searched one ply less.
pub(super) const IIR_DEPTH: i32 = 5;

/// Deepest node where quiet moves without hope are left out.
pub(super) const FUTILITY_DEPTH: i32 = 7;
/// What a quiet move may gain at depth 0.
pub(super) const FUTILITY_BASE: i32 = 110;
/// And for each further ply.
pub(super) const FUTILITY_MARGIN: i32 = 75;

/// Deepest node where late quiet moves are left out.
pub(super) const LATE_DEPTH: i32 = 7;
/// Quiet moves tried at least.
pub(super) const LATE_BASE: i32 = 5;

/// Deepest node where moves that lose material are left out.
pub(super) const EXCHANGE_DEPTH: i32 = 7;
/// What a forcing move may lose per ply.
pub(super) const EXCHANGE_FORCING: i32 = 90;
/// What a quiet move may lose per squared ply.
pub(super) const EXCHANGE_QUIET: i32 = 25;

/// Shallowest node with late-move reductions.
pub(super) const LMR_DEPTH: i32 = 3;
/// The product of the base-2 logarithms of depth and move number, times 256, is divided by this.
pub(super) const LMR_DIVISOR: i32 = 1_150;
/// Reductions, in 256ths of a ply, begin here.
pub(super) const LMR_BASE: i32 = 100;
/// History that is worth one ply of reduction.
pub(super) const LMR_HISTORY: i32 = 9_000;

/// What a take may gain in quiescence beyond the man taken.
pub(super) const DELTA_MARGIN: i32 = 160;

/// Bounds of history values.
pub(super) const HISTORY_MAX: i32 = 16_384;
/// A cut earns this for each ply of depth ...
pub(super) const HISTORY_BONUS: i32 = 150;
/// ... up to this.
pub(super) const HISTORY_BONUS_MAX: i32 = 1_600;

/// A best move that has not changed for this many iterations lets the search end early.
pub(super) const SETTLED: u32 = 5;
