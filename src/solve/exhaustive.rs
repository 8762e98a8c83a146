//! Exhaustive search of boards with few empty points, with exact distances.

use std::collections::HashMap;

use super::expand::legal;
use super::tree::Exact;
use super::value::Budget;
use crate::game::{Game, Outcome};
use crate::gomoku::{Board, Completions, LineMap};

/// Bytes that a known position takes.
const ENTRY_BYTES: usize = 24;

/// The search, with the values found so far.
#[derive(Debug)]
pub(crate) struct Exhaustive<'a> {
    values: HashMap<u64, Exact>,
    nodes: u64,
    budget: &'a Budget,
}

impl<'a> Exhaustive<'a> {
    pub(crate) fn new(budget: &'a Budget) -> Self {
        Self { values: HashMap::new(), nodes: 0, budget }
    }

    pub(crate) const fn nodes(&self) -> u64 {
        self.nodes
    }

    /// The value of a position; `None` if the budget is spent. The recursion is no deeper than there are empty points.
    pub(crate) fn value(&mut self, board: &mut Board) -> Option<Exact> {
        match board.outcome() {
            Some(Outcome::Win(side)) if side == board.turn() => return Some(Exact::win(0)),
            Some(Outcome::Win(_)) => return Some(Exact::loss(0)),
            Some(Outcome::Draw) => return Some(Exact::DRAW),
            None => {}
        }
        if let Some(&value) = self.values.get(&board.key().0) {
            return Some(value);
        }
        self.nodes += 1;
        let is_spent = self.values.len() * ENTRY_BYTES > self.budget.memory;
        if is_spent || self.nodes.is_multiple_of(256) && self.budget.is_over(self.nodes) {
            return None;
        }
        let value = self.work_out(board)?;
        self.values.insert(board.key().0, value);
        Some(value)
    }

    fn work_out(&mut self, board: &mut Board) -> Option<Exact> {
        let map = LineMap::of(board);
        let turn = board.turn();
        if map.completions(turn) != Completions::None {
            return Some(Exact::win(1));
        }
        let mut moves = legal(board);
        match map.completions(!turn) {
            Completions::None if !map.can_make_row(turn) && !map.can_make_row(!turn) => {
                return Some(Exact::DRAW);
            }
            Completions::None => {}
            Completions::One(point) => moves.retain(|&mv| mv == point),
            Completions::Several(..) => moves.clear(),
        }
        // Where no move stops the opponent's row.
        let mut best = Exact::loss(2);
        for point in moves {
            let undo = board.make(point);
            let after = self.value(board);
            board.unmake(point, undo);
            best = best.max(after?.before());
            // No win is shorter: the side to move completes no row at once.
            if best == Exact::win(3) {
                break;
            }
        }
        Some(best)
    }
}
