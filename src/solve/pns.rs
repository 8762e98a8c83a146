//! Depth-first proof-number search, for one attacker: does it win?

use std::collections::HashMap;

use super::expand::{Expander, Expansion, Scope};
use super::value::Budget;
use crate::game::{Game, Side, Symmetric};
use crate::gomoku::{Board, Point};

/// A proof number that stands for "impossible".
const INFINITE: u32 = 1 << 30;

/// Bytes that an entry takes, its moves not counted.
const ENTRY_BYTES: usize = 72;

/// Positions with at most this many stones are found under all symmetries.
const SYMMETRIC_STONES: u16 = 9;

/// The result of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proved {
    /// The attacker wins.
    Won,
    /// It does not, by the moves within the scope.
    NotWon,
    /// The budget was spent.
    Nothing,
}

/// The least numbers of positions that would have to be decided for a proof and for a refutation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

impl Numbers {
    const START: Self = Self { proof: 1, disproof: 1 };
    const WON: Self = Self { proof: 0, disproof: INFINITE };
    const NOT_WON: Self = Self { proof: INFINITE, disproof: 0 };

    const fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }

    /// The numbers as the side to move sees them, and back: where the defender is to move they change places.
    const fn seen(self, is_attack: bool) -> Self {
        if is_attack { self } else { Self { proof: self.disproof, disproof: self.proof } }
    }
}

/// The knowledge of a position.
#[derive(Debug)]
struct Entry {
    numbers: Numbers,
    /// The moves, unless the position is decided or being searched.
    moves: Box<[Point]>,
}

/// The budget was spent.
#[derive(Debug)]
struct Spent;

/// The search.
#[derive(Debug)]
pub(crate) struct ProofSearch<'a> {
    pub(crate) expander: Expander,
    table: HashMap<u64, Entry>,
    bytes: usize,
    nodes: u64,
    budget: &'a Budget,
}

impl<'a> ProofSearch<'a> {
    pub(crate) fn new(attacker: Side, scope: Scope, budget: &'a Budget) -> Self {
        let expander = Expander::new(attacker, scope, budget);
        Self { expander, table: HashMap::new(), bytes: 0, nodes: 0, budget }
    }

    /// Positions looked at.
    pub(crate) const fn nodes(&self) -> u64 {
        self.nodes + self.expander.nodes()
    }

    /// Searches until the question is answered or the budget spent.
    pub(crate) fn prove(&mut self, board: &Board) -> Proved {
        match self.search(&mut board.clone(), Numbers { proof: INFINITE, disproof: INFINITE }) {
            Ok(numbers) if numbers.proof == 0 => Proved::Won,
            Ok(numbers) if numbers.disproof == 0 => Proved::NotWon,
            Ok(_) | Err(Spent) => Proved::Nothing,
        }
    }

    /// The result of a position that was decided before.
    pub(crate) fn known(&self, board: &Board) -> Option<Proved> {
        let numbers = self.table.get(&key(board))?.numbers;
        match (numbers.proof, numbers.disproof) {
            (0, _) => Some(Proved::Won),
            (_, 0) => Some(Proved::NotWon),
            _ => None,
        }
    }

    /// Searches a position until one of its numbers reaches its limit. Every level plays a move, so that the recursion
    /// is no deeper than the board has points.
    fn search(&mut self, board: &mut Board, limit: Numbers) -> Result<Numbers, Spent> {
        self.nodes += 1;
        if self.nodes.is_multiple_of(64) && self.budget.is_over(self.nodes()) {
            return Err(Spent);
        }
        let here = key(board);
        let moves = match self.table.get_mut(&here) {
            Some(entry) if entry.numbers.is_decided() => return Ok(entry.numbers),
            Some(entry) if !entry.moves.is_empty() => {
                // Taken, not copied: `keep` puts them back unless the position is decided by then.
                self.bytes -= size_of_val(&*entry.moves).min(self.bytes);
                std::mem::take(&mut entry.moves)
            }
            _ => match self.expander.expand(board) {
                Expansion::Won(_) => return self.keep(here, Numbers::WON, Box::default()),
                Expansion::NotWon(_) => return self.keep(here, Numbers::NOT_WON, Box::default()),
                Expansion::Open { moves, .. } => moves.into(),
            },
        };
        let found = self.search_moves(board, &moves, limit);
        let numbers = *found.as_ref().unwrap_or(&Numbers::START);
        // Positions under symmetry have moves of their own.
        let is_kept = !numbers.is_decided() && board.stones() > SYMMETRIC_STONES;
        let moves = if is_kept { moves } else { Box::default() };
        self.keep(here, numbers, moves)?;
        found
    }

    fn search_moves(
        &mut self,
        board: &mut Board,
        moves: &[Point],
        limit: Numbers,
    ) -> Result<Numbers, Spent> {
        let is_attack = board.turn() == self.expander.attacker();
        let limit = limit.seen(is_attack);
        let children = child_keys(board, moves);
        loop {
            // As the side to move sees it, the least proof number and the sum of the disproof numbers.
            let mut here = Numbers { proof: INFINITE, disproof: 0 };
            let mut best = 0;
            let mut best_numbers = Numbers::START;
            let mut second = INFINITE;
            for (at, child) in children.iter().enumerate() {
                // The first moves are the most promising.
                let unknown = Numbers { proof: 1 + at as u32 / 2, disproof: 1 };
                let known = self.table.get(child);
                let numbers = known.map_or(unknown, |entry| entry.numbers.seen(is_attack));
                if numbers.proof < here.proof || at == 0 {
                    // What was the best so far is the second best now.
                    second = here.proof;
                    here.proof = numbers.proof;
                    (best, best_numbers) = (at, numbers);
                } else {
                    second = second.min(numbers.proof);
                }
                here.disproof = here.disproof.saturating_add(numbers.disproof).min(INFINITE);
            }
            if here.proof == 0 {
                here.disproof = INFINITE;
            }
            if here.proof >= limit.proof || here.disproof >= limit.disproof || here.is_decided() {
                return Ok(here.seen(is_attack));
            }
            // The disproof number of a node is a sum: the child may use what the others leave of the limit.
            let others = here.disproof - best_numbers.disproof.min(here.disproof);
            let child_limit = Numbers {
                // A quarter beyond the second best: exactly at it, two equal children would take turns all
                // the time, each losing what the table could not keep.
                proof: limit.proof.min(second.saturating_add(second / 4 + 1)),
                disproof: limit.disproof.saturating_sub(others).max(1),
            };
            let undo = board.make(moves[best]);
            let result = self.search(board, child_limit.seen(is_attack));
            board.unmake(moves[best], undo);
            result?;
        }
    }

    fn keep(&mut self, key: u64, numbers: Numbers, moves: Box<[Point]>) -> Result<Numbers, Spent> {
        if self.bytes > self.budget.memory {
            self.forget();
            // Where decided positions fill the memory, the rest would be forgotten again and again.
            if self.bytes > self.budget.memory / 4 * 3 {
                return Err(Spent);
            }
        }
        let bytes = ENTRY_BYTES + size_of_val(&*moves);
        self.bytes += bytes;
        if let Some(old) = self.table.insert(key, Entry { numbers, moves }) {
            self.bytes -= (ENTRY_BYTES + size_of_val(&*old.moves)).min(self.bytes);
        }
        Ok(numbers)
    }

    /// Removes the positions that are not decided.
    fn forget(&mut self) {
        // Undecided numbers can be found again; decided ones have cost whole searches.
        self.table.retain(|_, entry| entry.numbers.is_decided());
        self.bytes = self.table.len() * ENTRY_BYTES;
    }
}

/// The key under which a position is kept: that of all its images while there are few stones.
fn key(board: &Board) -> u64 {
    if board.stones() <= SYMMETRIC_STONES { board.canonical().key.0 } else { board.key().0 }
}

fn child_keys(board: &mut Board, moves: &[Point]) -> Vec<u64> {
    if board.stones() < SYMMETRIC_STONES {
        return moves.iter().map(|&point| key_after(board, point)).collect();
    }
    moves.iter().map(|&point| board.key_after_move(point).0).collect()
}

/// The key after a move.
fn key_after(board: &mut Board, point: Point) -> u64 {
    let undo = board.make(point);
    let key = key(board);
    board.unmake(point, undo);
    key
}
