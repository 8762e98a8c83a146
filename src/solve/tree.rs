//! Proofs drawn up from what the provers know.

use std::collections::HashMap;

use super::expand::{Expansion, NotWon, Won, legal};
use super::pairing::pairing;
use super::pns::{ProofSearch, Proved};
use super::proof::{Goal, NodeId, Nodes, ProofNode};
use crate::game::{Game, Outcome, Side};
use crate::gomoku::{Board, Completions, FourWin, LineMap, Point};

/// A node and the plies to the end that it takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Built {
    pub(crate) root: NodeId,
    pub(crate) plies: u32,
}

/// Draws up trees for one claimant.
#[derive(Debug)]
pub(crate) struct TreeBuilder<'a> {
    pub(crate) nodes: &'a mut Nodes,
    known: HashMap<u64, Built>,
}

impl<'a> TreeBuilder<'a> {
    pub(crate) fn new(nodes: &'a mut Nodes) -> Self {
        Self { nodes, known: HashMap::new() }
    }

    pub(crate) fn end(&mut self) -> Option<Built> {
        Some(Built { root: self.nodes.add(ProofNode::End)?, plies: 0 })
    }

    fn pairs(&mut self, pairs: Vec<(Point, Point)>) -> Option<Built> {
        Some(Built { root: self.nodes.add(ProofNode::Pairs(pairs))?, plies: 0 })
    }

    fn play(&mut self, point: Point, after: Built) -> Option<Built> {
        let root = self.nodes.add(ProofNode::Move(point, after.root))?;
        Some(Built { root, plies: after.plies + 1 })
    }

    pub(crate) fn complete(&mut self, point: Point) -> Option<Built> {
        let end = self.end()?;
        self.play(point, end)
    }

    /// The opponent's answers; all others are met by `rest`, or a row is completed after them.
    fn answers(&mut self, answers: Vec<(Point, Built)>, rest: Option<Built>) -> Option<Built> {
        let all = answers.iter().map(|&(_, after)| after).chain(rest);
        let plies = all.map(|after| after.plies + 1).max().unwrap_or(0).max(2);
        let answers = answers.into_iter().map(|(point, after)| (point, after.root)).collect();
        let root =
            self.nodes.add(ProofNode::Answers { answers, rest: rest.map(|rest| rest.root) })?;
        Some(Built { root, plies })
    }

    pub(crate) fn unanswerable(&mut self) -> Option<Built> {
        self.answers(Vec::new(), None)
    }

    /// Continuous fours.
    pub(crate) fn fours(&mut self, win: &FourWin) -> Option<Built> {
        let mut after = if win.completions.is_empty() { self.end()? } else { self.unanswerable()? };
        after = self.play(win.last, after)?;
        for &(four, answer) in win.forced.iter().rev() {
            after = self.answers(vec![(answer, after)], None)?;
            after = self.play(four, after)?;
        }
        Some(after)
    }

    /// The win of the attacker of a search.
    pub(crate) fn won(&mut self, search: &mut ProofSearch<'_>, board: &mut Board) -> Option<Built> {
        if let Some(&built) = self.known.get(&board.key().0) {
            return Some(built);
        }
        let attacker = search.expander.attacker();
        let built = match search.expander.expand(board) {
            Expansion::NotWon(_) => None,
            Expansion::Won(Won::Over) => self.end(),
            Expansion::Won(Won::Completes(point)) => self.complete(point),
            Expansion::Won(Won::Fours(win)) => self.fours(&win),
            Expansion::Won(Won::Unanswerable) => self.unanswerable(),
            Expansion::Won(Won::Threatens(win)) => {
                let rest = self.fours(&win)?;
                self.answers(Vec::new(), Some(rest))
            }
            Expansion::Open { moves, .. } if board.turn() == attacker => {
                let point = decided(search, board, &moves, Proved::Won)?;
                let after = self.after(board, point, |this, board| this.won(search, board))?;
                self.play(point, after)
            }
            Expansion::Open { moves, rest } => {
                let mut answers = Vec::with_capacity(moves.len());
                for &point in &moves {
                    let after = self.after(board, point, |this, board| this.won(search, board))?;
                    answers.push((point, after));
                }
                let rest = rest.filter(|_| board.count_legal_moves() > moves.len() as u64);
                let rest = match rest {
                    Some(win) => Some(self.fours(&win)?),
                    None => None,
                };
                self.answers(answers, rest)
            }
        }?;
        self.known.insert(board.key().0, built);
        Some(built)
    }

    /// That the attacker of a search does not win.
    pub(crate) fn not_won(
        &mut self,
        search: &mut ProofSearch<'_>,
        board: &mut Board,
    ) -> Option<Built> {
        if let Some(&built) = self.known.get(&board.key().0) {
            return Some(built);
        }
        let attacker = search.expander.attacker();
        let built = match search.expander.expand(board) {
            Expansion::Won(_) | Expansion::NotWon(NotWon::OutOfScope) => None,
            Expansion::NotWon(NotWon::Over) => self.end(),
            Expansion::NotWon(NotWon::Completes(point)) => self.complete(point),
            Expansion::NotWon(NotWon::Unanswerable) => self.unanswerable(),
            Expansion::NotWon(NotWon::Pairs(pairs)) => self.pairs(pairs),
            Expansion::Open { moves, .. } if board.turn() == attacker => {
                let mut answers = Vec::with_capacity(moves.len());
                for &point in &moves {
                    let after =
                        self.after(board, point, |this, board| this.not_won(search, board))?;
                    answers.push((point, after));
                }
                self.answers(answers, None)
            }
            Expansion::Open { moves, .. } => {
                let point = decided(search, board, &moves, Proved::NotWon)?;
                let after = self.after(board, point, |this, board| this.not_won(search, board))?;
                self.play(point, after)
            }
        }?;
        self.known.insert(board.key().0, built);
        Some(built)
    }

    /// Draws up what `claimant` reaches by exact values: `value` gives that of any position for the side to move.
    pub(crate) fn exact(
        &mut self,
        board: &mut Board,
        (claimant, goal): (Side, Goal),
        value: &mut dyn FnMut(&Board) -> Option<Exact>,
    ) -> Option<Built> {
        if let Some(&built) = self.known.get(&board.key().0) {
            return Some(built);
        }
        let map = LineMap::of(board);
        let built = if board.outcome().is_some() {
            let is_lost = board.outcome() == Some(Outcome::Win(!claimant));
            if is_lost { None } else { self.end() }
        } else if let Some(pairs) = held_by_pairs(board, &map, (claimant, goal)) {
            self.pairs(pairs)
        } else if board.turn() == claimant {
            let point = best(board, value)?;
            let after =
                self.after(board, point, |this, board| this.exact(board, (claimant, goal), value))?;
            self.play(point, after)
        } else {
            let mut moves = legal(board);
            // Where the claimant can complete a row, that refutes all moves but those that block it.
            if map.completions(!claimant) == Completions::None {
                match map.completions(claimant) {
                    Completions::None => {}
                    Completions::One(point) => moves.retain(|&mv| mv == point),
                    Completions::Several(..) => moves.clear(),
                }
            }
            let mut answers = Vec::with_capacity(moves.len());
            for point in moves {
                let after = self.after(board, point, |this, board| {
                    this.exact(board, (claimant, goal), value)
                })?;
                answers.push((point, after));
            }
            self.answers(answers, None)
        }?;
        self.known.insert(board.key().0, built);
        Some(built)
    }

    fn after(
        &mut self,
        board: &mut Board,
        point: Point,
        build: impl FnOnce(&mut Self, &mut Board) -> Option<Built>,
    ) -> Option<Built> {
        let undo = board.make(point);
        let built = build(self, board);
        board.unmake(point, undo);
        built
    }
}

/// The pairs of points with which the claimant holds a position in which it has a draw by them.
fn held_by_pairs(
    board: &Board,
    map: &LineMap,
    (claimant, goal): (Side, Goal),
) -> Option<Vec<(Point, Point)>> {
    if goal == Goal::Hold { pairing(board, map, !claimant) } else { None }
}

/// The first move after which the search has that result. What it knew and gave up for want of memory is searched
/// again.
fn decided(
    search: &mut ProofSearch<'_>,
    board: &mut Board,
    moves: &[Point],
    wanted: Proved,
) -> Option<Point> {
    for &point in moves {
        let undo = board.make(point);
        let known = search.known(board);
        board.unmake(point, undo);
        if known == Some(wanted) {
            return Some(point);
        }
    }
    moves.iter().copied().find(|&point| {
        let undo = board.make(point);
        let proved = search.prove(board);
        board.unmake(point, undo);
        proved == wanted
    })
}

/// An exact value for the side to move. Greater is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Exact(i16);

impl Exact {
    const MOST: i16 = 1_000;
    /// A draw.
    pub(crate) const DRAW: Self = Self(0);

    /// A win in that many plies.
    pub(crate) const fn win(plies: u16) -> Self {
        Self(Self::MOST - plies.cast_signed())
    }

    /// A loss in that many plies.
    pub(crate) const fn loss(plies: u16) -> Self {
        Self(plies.cast_signed() - Self::MOST)
    }

    /// The value for the side that moves here.
    pub(crate) const fn before(self) -> Self {
        Self(match self.0 {
            0 => 0,
            // With one ply more the value is one nearer to 0; the other side sees it with the other sign.
            1.. => 1 - self.0,
            _ => -1 - self.0,
        })
    }

    pub(crate) const fn is_win(self) -> bool {
        self.0 > 0
    }

    pub(crate) const fn is_loss(self) -> bool {
        self.0 < 0
    }

    /// Plies of a win or loss.
    pub(crate) const fn plies(self) -> u32 {
        (Self::MOST - self.0.abs()).cast_unsigned() as u32
    }
}

/// The best move by exact values.
fn best(board: &mut Board, value: &mut dyn FnMut(&Board) -> Option<Exact>) -> Option<Point> {
    let mut best = None;
    for point in legal(board) {
        let undo = board.make(point);
        let after = value(board).map(Exact::before);
        board.unmake(point, undo);
        let after = after?;
        if best.is_none_or(|(known, _)| after > known) {
            best = Some((after, point));
        }
    }
    best.map(|(_, point)| point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_values_are_ordered_and_seen_from_both_sides() {
        assert!(Exact::win(1) > Exact::win(3) && Exact::win(3) > Exact::DRAW);
        assert!(Exact::DRAW > Exact::loss(4) && Exact::loss(4) > Exact::loss(2));
        assert_eq!(Exact::loss(2).before(), Exact::win(3));
        assert_eq!(Exact::win(1).before(), Exact::loss(2));
        assert_eq!(Exact::DRAW.before(), Exact::DRAW);
        assert_eq!((Exact::win(5).plies(), Exact::loss(0).plies()), (5, 0));
    }
}
