//! The facts known of a node and of a move before they are searched, the kinds of nodes, and what the rules and the
//! transposition table say of a node at once: what the files of the recursion share.

use crate::game::{Bound, Outcome, Side};
use crate::search::history::{Before, Structures};
use crate::search::score::Score;
use crate::search::transposition::TtEntry;
use crate::search::window::Window;

/// The kind of a node, known at compile time, so that work that only some nodes need costs the
/// others nothing.
pub(crate) trait NodeKind {
    /// True where the search begins.
    const ROOT: bool;
    /// True if the window is open.
    const PV: bool;
}

/// The node where the search begins.
pub(crate) struct Root;
/// A node on the principal variation.
pub(crate) struct Pv;
/// Any other node: searched with a null window.
pub(crate) struct Null;

impl NodeKind for Root {
    const ROOT: bool = true;
    const PV: bool = true;
}
impl NodeKind for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
}
impl NodeKind for Null {
    const ROOT: bool = false;
    const PV: bool = false;
}

/// The facts known of a node before its moves are searched.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node<M> {
    pub(crate) ply: usize,
    pub(crate) depth: i32,
    pub(crate) window: Window,
    /// True if the side to move is in check, or under a threat of that kind in games without check.
    pub(crate) in_check: bool,
    /// The static evaluation as the game gives it; `None` in check.
    pub(crate) raw: Option<i32>,
    /// By how much history corrects it, in centipawns; 0 in check.
    pub(crate) correction: i32,
    /// [`raw`](Self::raw) with the correction, drawn towards a draw by the clock; meaningless in check.
    pub(crate) corrected: Score,
    /// The same, or the transposition table's score where that says more.
    pub(crate) eval: Score,
    /// True if the evaluation is better than at the same side's last turn.
    pub(crate) improving: bool,
    /// True if the opponent's last move made things worse for it.
    pub(crate) worsening: bool,
    /// Plies that every move is searched deeper.
    pub(crate) extension: i32,
    /// True if a cut is expected.
    pub(crate) cut: bool,
    pub(crate) was_pv: bool,
    /// The transposition table's entry.
    pub(crate) tt_entry: Option<TtEntry>,
    pub(crate) tt_move: Option<M>,
    pub(crate) tt_noisy: bool,
    pub(crate) before: Before,
    pub(crate) structures: Structures,
}

/// A move of a node, before it is made.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate<M> {
    pub(crate) mv: M,
    /// The number of moves handed out, this one included.
    pub(crate) number: i32,
    pub(crate) noisy: bool,
    /// True if it gives check.
    pub(crate) threatening: bool,
    /// Its [history index](crate::game::Heuristics::history_index).
    pub(crate) index: usize,
    /// The slot of its history if it is noisy.
    pub(crate) slot: usize,
    pub(crate) history: i32,
    /// The reduction by depth and place in the order alone, in 256ths of a ply.
    pub(crate) reduction: i32,
}

/// A finished game seen by `side`.
#[inline]
pub(crate) fn result(outcome: Outcome, side: Side, ply: usize) -> Score {
    outcome.winner().map_or(Score::DRAW, |winner| decided(winner == side, ply))
}

/// A decided game as a score at `ply`: a mate for the side that `won`.
#[inline]
pub(crate) const fn decided(won: bool, ply: usize) -> Score {
    if won { Score::mate_in(ply) } else { Score::mated_in(ply) }
}

/// The transposition table's score, where it was searched deep enough and settles the window.
#[inline]
pub(crate) fn tt_cutoff(
    entry: Option<TtEntry>,
    window: Window,
    depth: i32,
    ply: usize,
) -> Option<Score> {
    let entry = entry.filter(|entry| i32::from(entry.depth) >= depth)?;
    let score = entry.score.to_global(ply);
    let settles = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= window.beta,
        Bound::Upper => score <= window.alpha,
    };
    settles.then_some(score)
}

/// The static evaluation, or the transposition table's score where that says more.
#[inline]
pub(crate) fn refined(eval: Score, entry: Option<TtEntry>, ply: usize) -> Score {
    let Some(entry) = entry else { return eval };
    let score = entry.score.to_global(ply);
    let says_more = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score > eval,
        Bound::Upper => score < eval,
    };
    if says_more && !score.is_decisive() { score } else { eval }
}
