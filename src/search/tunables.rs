//! The numbers of search that all games share: depths, plies, bounds, times. Margins, reductions and weights, which games
//! set for themselves, are `game::Tunables`. History values run from `-HISTORY_MAX` to `HISTORY_MAX`.

/// From this depth on a search begins with an aspiration window.
pub(crate) const ASPIRATION_DEPTH: i32 = 5;

/// Up to this depth the transposition table's scores cut off only as the kind of node lets expect.
pub(crate) const CUT_AS_EXPECTED: i32 = 5;

/// Most plies since a capture that count for the fading of the evaluation.
pub(crate) const FADING_PLIES: u32 = 120;

/// Deepest node that reverse futility cuts off.
pub(crate) const REVERSE_FUTILITY_DEPTH: i32 = 9;

/// Deepest node that razoring hands to quiescence.
pub(crate) const RAZOR_DEPTH: i32 = 4;

/// Shallowest node that tries a null move.
pub(crate) const NULL_DEPTH: i32 = 2;
/// Plies that a null move saves at least.
pub(crate) const NULL_REDUCTION: i32 = 4;
/// Plies of depth for each further ply that a null move saves.
pub(crate) const NULL_REDUCTION_STEP: i32 = 3;
/// Most plies that a null move saves for an evaluation above beta.
pub(crate) const NULL_REDUCTION_MORE: i32 = 4;
/// From this depth on a null-move cut is verified by a search without null moves.
pub(crate) const NULL_VERIFICATION_DEPTH: i32 = 13;

/// Shallowest node that looks for a capture which cuts off by far.
pub(crate) const PROBCUT_DEPTH: i32 = 5;
/// Plies that its check saves.
pub(crate) const PROBCUT_REDUCTION: i32 = 4;

/// Plies of depth that an entry of the transposition table is worth less for each search since.
pub(crate) const AGE_PENALTY: i32 = 8;

/// Shallowest node without a transposition table move that is searched one ply less.
pub(crate) const IIR_DEPTH: i32 = 4;

/// Shallowest node that tests whether its transposition table move is the only good one.
pub(crate) const SINGULAR_DEPTH: i32 = 7;
/// The transposition table's entry may be less deep than the node by this number of plies.
pub(crate) const SINGULAR_ENTRY: i32 = 3;
/// Most double extensions in a line.
pub(crate) const DOUBLE_LIMIT: u8 = 6;

/// Deepest node, late-move reductions deducted, where hopeless quiet moves are left out.
pub(crate) const FUTILITY_DEPTH: i32 = 8;

/// Deepest node where late quiet moves are left out.
pub(crate) const LATE_DEPTH: i32 = 8;

/// Deepest node, late-move reductions deducted, where hopeless captures are left out.
pub(crate) const TAKE_FUTILITY_DEPTH: i32 = 6;

/// Deepest node, late-move reductions deducted, where quiet moves of bad history are left out.
pub(crate) const HISTORY_PRUNING_DEPTH: i32 = 4;

/// Deepest node where moves that lose material are left out.
pub(crate) const EXCHANGE_DEPTH: i32 = 8;

/// Shallowest node with late-move reductions.
pub(crate) const LMR_DEPTH: i32 = 2;
/// Number of cut-off children beyond which `lmr_many_cutoffs` is added.
pub(crate) const LMR_CUTOFFS: u8 = 3;

/// A move reduced by this number of plies is searched a ply deeper where it made its side's
/// evaluation better.
pub(crate) const HINDSIGHT_DEEPER: i32 = 3;
/// A move reduced by this number of plies may be searched a ply less deep.
pub(crate) const HINDSIGHT_SHALLOWER: i32 = 2;

/// Moves out of check tried in quiescence at least, if one of them does not lose.
pub(crate) const QUIESCENCE_EVASIONS: usize = 3;

/// Bounds of history values.
pub(crate) const HISTORY_MAX: i32 = 16_384;
/// Number of a node's moves that count as early: refuted, they lose more.
pub(crate) const EARLY: i32 = 2;

/// Bounds of the values that corrections are made of.
pub(crate) const CORRECTION_MAX: i32 = 1_024;

/// The weight of a thread's vote for its move, for each ply, however low its score.
pub(crate) const VOTE_BASE: i32 = 14;

/// Percentages of the soft time limit by the number of iterations since the best move changed.
pub(crate) const TIME_BY_STABILITY: [u64; 6] = [150, 125, 105, 95, 88, 82];
/// Percentage where the best move had none of the nodes ...
pub(crate) const TIME_BY_EFFORT: u64 = 150;
/// ... and the reduction of that where it had them all.
pub(crate) const TIME_BY_EFFORT_SPAN: u64 = 95;
/// Most centipawns of a falling or rising score that count ...
pub(crate) const TIME_BY_SCORE_MAX: i32 = 60;
/// ... and percents for each.
pub(crate) const TIME_BY_SCORE: i32 = 1;
