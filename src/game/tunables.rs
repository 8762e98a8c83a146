//! Numbers of the search that each game sets for itself.

/// The numbers of search that depend on how fast the evaluation of a game changes and on how many moves it has; those that
/// all games share are in `search::tunables`. Margins are centipawns, reductions 256ths of a ply, history values run from
/// -16,384 to 16,384.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tunables {
    /// The margin of reverse futility for each ply.
    pub reverse_futility_margin: i32,
    /// The margin of razoring: a constant ...
    pub razor_base: i32,
    /// ... and this for each squared ply.
    pub razor_margin: i32,
    /// The margin above beta that a score of the transposition table must reach to cut off without a
    /// search.
    pub tt_probcut_margin: i32,
    /// The margin by which all other moves must be worse than a singular one, in 16ths of a centipawn a ply.
    pub singular_margin: i32,
    /// The further margin for two plies of extension.
    pub double_margin: i32,
    /// The gain expected of a quiet move at most, at depth 0.
    pub futility_base: i32,
    /// The further gain expected for each ply of depth.
    pub futility_margin: i32,
    /// The moves of a node after which quiet ones are left out: this and the squared depth, half of that where the
    /// evaluation is not improving.
    pub late_base: i32,
    /// The history below which a quiet move counts as bad, negated, for each ply.
    pub history_pruning_margin: i32,
    /// The product of the base-2 logarithms of depth and move number, times 256, is divided by this.
    pub lmr_divisor: i32,
    /// The constant part of late-move reductions.
    pub lmr_base: i32,
    /// Added where a cut is expected.
    pub lmr_cut: i32,
    /// Added where the evaluation is not better than a turn ago.
    pub lmr_not_improving: i32,
    /// Less on the principal variation, and where it once ran.
    pub lmr_pv: i32,
    /// Less for a check, or a threat in games without check.
    pub lmr_check: i32,
    /// Less for moves out of check.
    pub lmr_evasion: i32,
    /// History that is worth one ply.
    pub lmr_history: i32,
    /// A reduced search that beats the best score by this is repeated a ply deeper.
    pub deeper_margin: i32,
    /// A reduced move that made its side's evaluation worse by this is searched a ply less deep.
    pub hindsight_margin: i32,
    /// The bonus of a check or threat in the order of quiet moves.
    pub threat_bonus: i32,
    /// A cut earns a move this much history for each ply of depth.
    pub history_bonus: i32,
}
