//! Counts of positions by value.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::game::BySide;
use crate::tablebase::index::numbering::{Index, Squares};
use crate::tablebase::solve::solver::ILLEGAL;
use crate::tablebase::solve::table::{DRAW, Table, position_of};
use crate::tablebase::value::Entry;
use crate::xiangqi::Position;

/// The results of all positions with one side to move, over the whole board: mirror images counted
/// separately, identical pieces not distinguished.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SideCounts {
    /// Won for the side to move.
    pub win: u64,
    /// Drawn.
    pub draw: u64,
    /// Lost for the side to move.
    pub loss: u64,
    /// Won by the repetition rule (order 1 and up); counted in `win` also.
    pub by_rule_win: u64,
    /// Lost by the repetition rule (order 1 and up); counted in `loss` also.
    pub by_rule_loss: u64,
    /// Plies of the longest win of order 0; 0 if there is none.
    pub longest_win: u16,
    /// The highest order that occurs.
    pub last_order: u16,
}

/// The number of positions that have a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistogramRow {
    /// The value, a win or a loss.
    pub entry: Entry,
    /// The number of positions of the whole board that have it.
    pub count: u64,
}

/// Slots of a parallel task.
const TASK: usize = 1 << 16;

/// The positions of the whole board with one side to move by their words.
#[derive(Debug, Clone)]
pub(crate) struct WordCounts {
    /// By word, [`DRAW`] last.
    by_word: Vec<u64>,
}

impl WordCounts {
    /// Counts a side's positions.
    pub(crate) fn new(table: &Table, side: usize) -> Self {
        // The words of results end with that of the last pair's loss, 2 * pairs: draws come after it.
        let draw = 2 * table.ranks.len() + 1;
        let tasks = table.words[side].par_chunks(TASK).enumerate();
        let parts = tasks.fold(
            || vec![0u64; draw + 1],
            |counts, (task, words)| add_positions(counts, &table.index, task * TASK, words),
        );
        Self {
            by_word: parts.reduce(
                || vec![0u64; draw + 1],
                |a: Vec<u64>, b: Vec<u64>| a.iter().zip(&b).map(|(a, b)| a + b).collect(),
            ),
        }
    }

    /// The number of positions won in the pair `rank` of the table's.
    pub(crate) fn wins(&self, rank: usize) -> u64 {
        self.by_word[2 * rank + 1]
    }

    /// The number of positions lost in the pair `rank` of the table's.
    pub(crate) fn losses(&self, rank: usize) -> u64 {
        self.by_word[2 * rank + 2]
    }

    /// The numbers of positions that are not 0: of wins, then of losses.
    pub(crate) fn histogram(&self, ranks: &[(u16, u16)]) -> Vec<HistogramRow> {
        let wins = ranks.iter().enumerate().map(|(r, &(order, distance))| HistogramRow {
            entry: Entry::win(order, distance),
            count: self.wins(r),
        });
        let losses = ranks.iter().enumerate().map(|(r, &(order, distance))| HistogramRow {
            entry: Entry::loss(order, distance),
            count: self.losses(r),
        });
        wins.chain(losses).filter(|row| row.count > 0).collect()
    }

    /// The sums.
    pub(crate) fn counts(&self, ranks: &[(u16, u16)]) -> SideCounts {
        let draw = self.by_word.last().copied().unwrap_or(0);
        let mut counts = SideCounts { draw, ..SideCounts::default() };
        for (r, &(order, distance)) in ranks.iter().enumerate() {
            let win = self.wins(r);
            let loss = self.losses(r);
            counts.win += win;
            counts.loss += loss;
            if order > 0 {
                counts.by_rule_win += win;
                counts.by_rule_loss += loss;
            }
            if win + loss > 0 {
                counts.last_order = order;
            }
            if win > 0 && order == 0 {
                counts.longest_win = distance;
            }
        }
        counts
    }
}

/// Adds the positions of consecutive slots from `first` on to the counts by word, that of draws last.
fn add_positions(mut counts: Vec<u64>, index: &Index, first: usize, words: &[u16]) -> Vec<u64> {
    let draw = counts.len() - 1;
    for (i, &word) in words.iter().enumerate() {
        if word != ILLEGAL {
            let place = if word == DRAW { draw } else { usize::from(word) };
            // A loaded table's illegal slots may hold anything.
            if let Some(count) = counts.get_mut(place) {
                *count += index.weight((first + i) as u32);
            }
        }
    }
    counts
}

/// By side to move: the counts of a table.
pub(crate) fn count_words(table: &Table) -> BySide<WordCounts> {
    let first = WordCounts::new(table, 0);
    let second = if table.words.len() == 1 { first.clone() } else { WordCounts::new(table, 1) };
    BySide { first, second }
}

/// A position with the longest win of order 0 of that many plies: of all of them and their mirror
/// images the one whose pieces, listed in the order of the material's name, stand on the lowest
/// squares.
pub(crate) fn longest_position(table: &Table, side: usize, plies: u16) -> Option<Position> {
    let rank = table.ranks.binary_search(&(0, plies)).ok()?;
    let word = (2 * rank + 1) as u16;
    let index = &table.index;
    let tasks = table.words[side].par_chunks(TASK).enumerate();
    let slots = tasks.filter_map(|(task, words)| {
        let slots = words.iter().enumerate().filter(|&(_, &w)| w == word);
        slots.map(|(i, _)| lowest(index, (task * TASK + i) as u32)).min()
    });
    let (_, slot, is_mirrored) = slots.min()?;
    let position = position_of(index, side, slot)?;
    if !is_mirrored {
        return Some(position);
    }
    let mut setup = position.to_setup();
    let board = setup.board;
    for square in crate::xiangqi::Square::all() {
        setup.board[square.mirrored().index()] = board[square.index()];
    }
    Some(Position::from_setup_unchecked(&setup))
}

/// The squares of a slot's pieces or of its mirror image's, whichever are lower, pieces of a kind
/// ascending; the slot; and whether it was the mirror image.
fn lowest(index: &Index, slot: u32) -> (Squares, u32, bool) {
    let mut own = index.squares(&index.digits(slot));
    let mut mirror: Squares = own.iter().map(|square| square.mirrored()).collect();
    sort_alike(index, &mut own);
    sort_alike(index, &mut mirror);
    if mirror < own { (mirror, slot, true) } else { (own, slot, false) }
}

/// Sorts the squares of pieces of a kind among themselves.
fn sort_alike(index: &Index, squares: &mut Squares) {
    let mut start = 0;
    for men in index.men.chunk_by(|a, b| a.piece == b.piece) {
        let end = start + men.len();
        squares[start..end].sort_unstable();
        start = end;
    }
}
