//! What the rules and continuous fours say about a position at once, and the moves that remain to be searched.

use std::cmp::Reverse;

use super::pairing::pairing;
use super::value::Budget;
use crate::game::{Game, MoveList, Outcome, Side};
use crate::gomoku::{Board, Completions, FourSearch, FourSolver, FourWin, LineMap, Point};
use crate::hash::gomoku::POINTS;

/// Nodes of one search for continuous fours.
const FOUR_NODES: u64 = 20_000;

/// The moves of the attacker that a search looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Fours and threes; every move must threaten to win.
    Threats,
    /// Moves near stones.
    Near,
    /// All moves: what the search refutes is not won.
    All,
}

/// The reason for which the attacker wins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Won {
    /// It has a row.
    Over,
    /// It completes a row.
    Completes(Point),
    /// It has a win by continuous fours.
    Fours(FourWin),
    /// Whatever the defender plays, the attacker completes a row.
    Unanswerable,
    /// Whatever the defender plays, continuous fours follow.
    Threatens(FourWin),
}

/// The reason for which the attacker does not win.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotWon {
    /// The game is over.
    Over,
    /// The defender completes a row.
    Completes(Point),
    /// Whatever the attacker plays, the defender completes a row.
    Unanswerable,
    /// Every line that is left for a row of the attacker has a pair of points of its own, on which the defender answers.
    Pairs(Vec<(Point, Point)>),
    /// The attacker does not threaten to win, or has no move within the scope: no proof.
    OutOfScope,
}

/// A position as far as it is known without a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Expansion {
    /// The attacker wins.
    Won(Won),
    /// It does not.
    NotWon(NotWon),
    /// The moves decide.
    Open {
        /// Never empty. All others of the attacker are out of scope or lose; those of the defender lose.
        moves: Vec<Point>,
        /// The continuous fours that refute the defender's other moves, where a row completed at once does not.
        rest: Option<FourWin>,
    },
}

/// Expands positions for one attacker.
#[derive(Debug)]
pub(crate) struct Expander {
    attacker: Side,
    scope: Scope,
    fours: FourSolver,
}

impl Expander {
    pub(crate) fn new(attacker: Side, scope: Scope, budget: &Budget) -> Self {
        let bytes = (budget.memory / 16).clamp(1 << 12, 16 << 20);
        Self { attacker, scope, fours: FourSolver::new(bytes) }
    }

    pub(crate) const fn attacker(&self) -> Side {
        self.attacker
    }

    pub(crate) const fn nodes(&self) -> u64 {
        self.fours.nodes()
    }

    pub(crate) fn expand(&mut self, board: &Board) -> Expansion {
        match board.outcome() {
            Some(Outcome::Win(side)) if side == self.attacker => return Expansion::Won(Won::Over),
            Some(_) => return Expansion::NotWon(NotWon::Over),
            None => {}
        }
        let map = LineMap::of(board);
        if board.turn() == self.attacker {
            self.attack(board, &map)
        } else {
            self.defend(board, &map)
        }
    }

    /// The attacker is to move.
    fn attack(&mut self, board: &Board, map: &LineMap) -> Expansion {
        if let Some(point) = one_of(map.completions(self.attacker)) {
            return Expansion::Won(Won::Completes(point));
        }
        let forced = match map.completions(!self.attacker) {
            Completions::None => None,
            Completions::One(point) if board.is_legal(point) => Some(point),
            Completions::One(_) | Completions::Several(..) => {
                return Expansion::NotWon(NotWon::Unanswerable);
            }
        };
        if let FourSearch::Win(win) = self.fours.search(board, FOUR_NODES) {
            return Expansion::Won(Won::Fours(win));
        }
        if let Some(pairs) = self.pairs(board, map) {
            return Expansion::NotWon(NotWon::Pairs(pairs));
        }
        let moves = match (forced, self.scope) {
            (Some(point), _) => vec![point],
            (None, Scope::Threats) => {
                let threats = map.extensions(self.attacker, 3);
                let mut moves = ordered(board, map, self.attacker);
                moves.retain(|point| threats.binary_search(point).is_ok());
                moves
            }
            (None, Scope::Near) => near(board),
            (None, Scope::All) => ordered(board, map, self.attacker),
        };
        open(moves, None)
    }

    /// The defender is to move.
    fn defend(&mut self, board: &Board, map: &LineMap) -> Expansion {
        if let Some(point) = one_of(map.completions(!self.attacker)) {
            return Expansion::NotWon(NotWon::Completes(point));
        }
        match map.completions(self.attacker) {
            Completions::None => {}
            Completions::One(point) if board.is_legal(point) => return open(vec![point], None),
            Completions::One(_) | Completions::Several(..) => {
                return Expansion::Won(Won::Unanswerable);
            }
        }
        if let Some(pairs) = self.pairs(board, map) {
            return Expansion::NotWon(NotWon::Pairs(pairs));
        }
        let FourSearch::Win(win) = self.fours.search_for(board, self.attacker, FOUR_NODES) else {
            return match self.scope {
                Scope::Threats => Expansion::NotWon(NotWon::OutOfScope),
                Scope::Near | Scope::All => open(ordered(board, map, self.attacker), None),
            };
        };
        let mut moves = self.relevant(map, &win);
        moves.retain(|&point| board.is_legal(point));
        if board.variant().forbids(Side::First) {
            moves.extend(spoilers(board, &win, &moves));
        }
        if moves.is_empty() {
            return Expansion::Won(Won::Threatens(win));
        }
        open(moves, Some(win))
    }

    /// The pairs by which the defender holds, looked for where it matters.
    fn pairs(&self, board: &Board, map: &LineMap) -> Option<Vec<(Point, Point)>> {
        match self.scope {
            Scope::All => pairing(board, map, self.attacker),
            Scope::Threats | Scope::Near => (!map.can_make_row(self.attacker)).then(Vec::new),
        }
    }

    /// The points that matter to a win by continuous fours: those that it uses, and those with which the defender,
    /// its forced answers included, makes a four of its own. After any other stone the same fours win.
    fn relevant(&self, map: &LineMap, win: &FourWin) -> Vec<Point> {
        let mut answered = map.clone();
        for &(_, answer) in &win.forced {
            answered.toggle(!self.attacker, answer);
        }
        let mut points = answered.extensions(!self.attacker, 2);
        points.extend(win.moves());
        points.extend(&win.completions);
        points.sort_unstable();
        points.dedup();
        points
    }
}

/// The legal moves beside those listed after which forced answers or the attacker's fours are no longer what they
/// were, because other points are forbidden.
fn spoilers(board: &Board, win: &FourWin, listed: &[Point]) -> Vec<Point> {
    let mut moves = legal(board);
    moves.retain(|point| !listed.contains(point) && !survives(board, win, *point));
    moves
}

/// Returns true if the attacker's fours win after a stone of the defender on a point that is none of theirs and makes
/// no four.
fn survives(board: &Board, win: &FourWin, point: Point) -> bool {
    let mut board = board.clone();
    board.make(point);
    for &(four, answer) in &win.forced {
        if !board.is_legal(four) {
            return false;
        }
        board.make(four);
        if !board.is_legal(answer) {
            return true;
        }
        board.make(answer);
    }
    if !board.is_legal(win.last) {
        return false;
    }
    board.make(win.last);
    win.completions.len() != 1 || win.completions.iter().all(|&answer| !board.is_legal(answer))
}

const fn one_of(completions: Completions) -> Option<Point> {
    match completions {
        Completions::None => None,
        Completions::One(point) | Completions::Several(point, _) => Some(point),
    }
}

fn open(moves: Vec<Point>, rest: Option<FourWin>) -> Expansion {
    if moves.is_empty() {
        return Expansion::NotWon(NotWon::OutOfScope);
    }
    Expansion::Open { moves, rest }
}

/// The legal moves, those near the middle first.
pub(crate) fn legal(board: &Board) -> Vec<Point> {
    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    moves.sort_by_key(|&point| (from_middle(board, point), point));
    moves.to_vec()
}

/// Twice the distance from the middle of the board, by columns or rows.
fn from_middle(board: &Board, point: Point) -> i32 {
    let across = 2 * i32::from(point.column()) + 1 - i32::from(board.width());
    let up = 2 * i32::from(point.row()) + 1 - i32::from(board.height());
    across.abs().max(up.abs())
}

/// The legal moves, those first that lie on the lines which are nearest to a row of the attacker.
fn ordered(board: &Board, map: &LineMap, attacker: Side) -> Vec<Point> {
    let mut weights = vec![0_u32; POINTS];
    for (side, factor) in [(attacker, 4), (!attacker, 1)] {
        for line in map.open_lines(side) {
            let stones = usize::from(board.row()) - line.len();
            for point in line {
                // Eight times as much for each further stone, up to six: the sum over all lines of a point fits.
                weights[point.index()] += factor << (3 * stones.min(6));
            }
        }
    }
    let mut moves = legal(board);
    moves.sort_by_key(|point| Reverse(weights[point.index()]));
    moves
}

/// The legal moves at most two columns and rows from a stone; all if there is no stone.
fn near(board: &Board) -> Vec<Point> {
    let stones: Vec<Point> = board.points().filter(|&point| board.stone(point).is_some()).collect();
    let mut moves = legal(board);
    if !stones.is_empty() {
        moves.retain(|&point| stones.iter().any(|&stone| is_near(stone, point)));
    }
    moves
}

/// Returns true if two points are at most two columns and rows apart.
fn is_near(stone: Point, point: Point) -> bool {
    stone.column().abs_diff(point.column()) <= 2 && stone.row().abs_diff(point.row()) <= 2
}
