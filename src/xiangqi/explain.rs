//! Explanations of verdicts: the effect of each move of a loop, and the count of the moves without
//! a capture. Judges nothing by itself; the terms are those of [`repetition`](super::repetition).

use crate::game::{BySide, Game, Horizon, Judgement, Line, Side};
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::chase::{chased, chasers};
use crate::xiangqi::move_limit::{MOVE_LIMIT, counted_plies};
use crate::xiangqi::piece::Piece;
use crate::xiangqi::position::{Move, Position};
use crate::xiangqi::repetition::{
    add_chases, checks, due_loop, judge_loop, threatens_mate, walk_back,
};
use crate::xiangqi::rule_set::RuleSet;
use crate::xiangqi::square::Square;

/// The loop that ends a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopReport {
    /// Number of occurrences of the last position since the last capture, itself included.
    pub occurrences: usize,
    /// Index of the loop's first move in the line.
    pub start: usize,
    /// Its moves in order.
    pub moves: Vec<MoveReport>,
    /// The features that all moves of a side have in common, for each side.
    pub sides: BySide<SideReport>,
    /// The judgement of the rules on the loop.
    pub judgement: Judgement,
    /// True if the position has occurred often enough for the judgement to be the verdict.
    pub is_due: bool,
}

/// A move of a loop and its effect. Squares are those after the move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveReport {
    /// The side that moved.
    pub side: Side,
    /// The piece that moved.
    pub piece: Piece,
    /// The move.
    pub mv: Move,
    /// The pieces that check, and their squares.
    pub checkers: Vec<(Piece, Square)>,
    /// The pieces newly chased.
    pub chases: Vec<Chase>,
    /// True if the next move would mate; only looked at under [`RuleSet::Chinese`].
    pub threatens_mate: bool,
}

/// A piece that a move newly chases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chase {
    /// The piece.
    pub victim: Piece,
    /// Its square.
    pub at: Square,
    /// The pieces that threaten to win it, and their squares.
    pub by: Vec<(Piece, Square)>,
}

/// The features that all moves of one side in a loop have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideReport {
    /// Each of them checks.
    pub checks: bool,
    /// The pieces that each of them newly chases, with their squares at the end of the loop.
    pub chases: Vec<(Piece, Square)>,
    /// Each of them checks, threatens mate or newly chases something; only looked at under
    /// [`RuleSet::Chinese`].
    pub attacks: bool,
}

/// The count of the moves since the last capture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LimitReport {
    /// Plies since the last capture.
    pub plies: usize,
    /// Those that count towards [`MOVE_LIMIT`].
    pub counted: usize,
    /// The checks among those that the line knows.
    pub checks: BySide<u32>,
}

/// Reports the moves of the loop that ends `line`; `None` if its last position has not occurred before.
/// Where it has not occurred often enough for a verdict, the loop since its first occurrence.
///
/// ```
/// use juzhong::game::Line;
/// use juzhong::xiangqi::explain::explain_loop;
/// use juzhong::xiangqi::{Move, Position, RuleSet};
///
/// let mut line = Line::new(Position::start(), 0);
/// assert!(explain_loop(&line, RuleSet::Asian).is_none());
/// for text in ["h0g2", "h9g7", "g2h0", "g7h9"] {
///     line.push(Move::parse(text).unwrap());
/// }
/// let report = explain_loop(&line, RuleSet::Asian).unwrap();
/// assert_eq!((report.occurrences, report.moves.len()), (2, 4));
/// ```
#[must_use]
pub fn explain_loop(line: &Line<Position>, rules: RuleSet) -> Option<LoopReport> {
    let due = due_loop(line, Horizon::Game).map(|due| due.start);
    let start = due.or_else(|| line.earlier_occurrences().last())?;
    let end = line.position();
    let plies = &line.plies()[start..];
    let is_chinese = rules == RuleSet::Chinese;
    let mut sides = checks(end, plies)?;
    add_chases(end, plies, is_chinese, &mut sides);
    let mut moves = Vec::with_capacity(plies.len());
    walk_back(end, plies, |before, mv, after| {
        moves.extend(move_report(before, mv, after, is_chinese));
    })?;
    moves.reverse();
    Some(LoopReport {
        occurrences: 1 + line.earlier_occurrences().count(),
        start,
        moves,
        sides: sides.map(|side| SideReport {
            checks: side.checks,
            chases: men(end, side.chases),
            attacks: side.attacks && is_chinese,
        }),
        judgement: Judgement { hangs_from: Some(start + 1), ..judge_loop(end, plies, rules) },
        is_due: due.is_some(),
    })
}

/// Describes a move of a loop; `None` only if no piece stood where the move begins.
fn move_report(
    before: &Position,
    mv: Move,
    after: &Position,
    is_chinese: bool,
) -> Option<MoveReport> {
    let side = before.turn();
    let victims = men(after, chased(before, mv));
    Some(MoveReport {
        side,
        piece: before.piece_at(mv.from())?,
        mv,
        checkers: men(after, after.checkers()),
        chases: victims
            .into_iter()
            .map(|(victim, at)| Chase { victim, at, by: men(after, chasers(after, side, at)) })
            .collect(),
        threatens_mate: is_chinese && threatens_mate(after),
    })
}

fn men(position: &Position, squares: Bitboard) -> Vec<(Piece, Square)> {
    squares
        .into_iter()
        .filter_map(|square| position.piece_at(square).map(|piece| (piece, square)))
        .collect()
}

/// Reports the count of the moves since the last capture of `line`; `None` where the limit is far,
/// or the rules have none.
#[must_use]
pub fn explain_limit(line: &Line<Position>, rules: RuleSet) -> Option<LimitReport> {
    if rules == RuleSet::None || line.clock() < MOVE_LIMIT {
        return None;
    }
    let clock = line.clock();
    let checks = line.checks();
    Some(LimitReport {
        plies: clock as usize,
        counted: counted_plies(clock, checks, rules) as usize,
        checks,
    })
}
