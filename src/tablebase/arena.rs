//! The positions of one material as a game graph, the captures answered by finished tables.

use std::sync::Arc;

use super::board::Board;
use super::index::{Index, Squares};
use super::material::Material;
use super::solve::{Arena, Captures, Examined};
use super::table::Table;
use super::value::{Entry, Metric, Wdl};
use crate::game::Side;
use crate::xiangqi::Square;

/// What capturing one man leads to.
#[derive(Debug)]
struct SubTable {
    table: Arc<Table>,
    /// Whether the sides change places in the smaller table.
    swap: bool,
    /// For each man of the smaller table, the man of this one.
    men: Vec<u8>,
}

/// The positions of one material, the captures answered by finished tables.
#[derive(Debug)]
pub(super) struct TableArena {
    index: Index,
    /// By man taken; `None` for kings.
    subs: Vec<Option<SubTable>>,
    last_order: u16,
    metric: Metric,
}

impl TableArena {
    /// `find` gives the tables that captures lead to; `None` if it misses one.
    pub(super) fn new(
        index: Index,
        metric: Metric,
        find: impl Fn(Material) -> Option<Arc<Table>>,
    ) -> Option<Self> {
        let mut subs = Vec::new();
        for taken in 0..index.men.len() {
            let piece = index.men[taken].piece;
            subs.push(match index.material.without(piece.side(), piece.role()) {
                None => None,
                Some((left, swap)) => Some(SubTable::new(&index, taken, find(left)?, swap)),
            });
        }
        let last_order = subs.iter().flatten().map(|sub| sub.table.last_order()).max().unwrap_or(0);
        Some(Self { index, subs, last_order, metric })
    }

    pub(super) const fn index(&self) -> &Index {
        &self.index
    }

    pub(super) fn into_index(self) -> Index {
        self.index
    }

    /// The value of the best legal capture of a legal position, for the side that makes it; `None`
    /// if there is none.
    pub(super) fn best_capture(&self, side: usize, slot: u32) -> Option<Entry> {
        let board = Board::new(&self.index, slot)?;
        let side = Side::ALL[side];
        let view = board.king_view(side);
        let mut best = None;
        board.for_each_capture(side, &view, |man, to, taken| {
            let Some(sub) = &self.subs[taken] else { return };
            let Some(entry) = sub.entry(!side, board.squares(), man, to) else { return };
            best = best.max(Some(self.metric.before_capture(entry)));
        });
        best
    }

    fn look(&self, board: &Board<'_>, side: Side) -> Examined {
        let view = board.king_view(side);
        let mut quiet = 0;
        let free = board.free();
        board.for_each_legal(side, &view, free, |_, targets| quiet += targets.len() as u16);
        let captures = self.captures_on(board, side, 0);
        Examined { quiet, in_check: view.in_check, captures }
    }

    fn captures_on(&self, board: &Board<'_>, side: Side, horizon: u16) -> Captures {
        let mut captures = Captures::default();
        let view = board.king_view(side);
        board.for_each_capture(side, &view, |man, to, taken| {
            let Some(sub) = &self.subs[taken] else { return };
            let Some(entry) = sub.entry(!side, board.squares(), man, to) else { return };
            let value = self.metric.before_capture(entry);
            let rank = (value.order, value.distance);
            match value.wdl {
                Wdl::Win => captures.add_win(rank, horizon),
                Wdl::Draw => captures.draws = true,
                Wdl::Loss => captures.add_loss(rank, horizon),
            }
        });
        captures
    }
}

impl SubTable {
    fn new(index: &Index, taken: usize, table: Arc<Table>, swap: bool) -> Self {
        // The men of both tables come in the same order within a side.
        let sides = if swap { [Side::Second, Side::First] } else { [Side::First, Side::Second] };
        let mut men = Vec::new();
        for side in sides {
            men.extend(index.men_of(side).filter(|&man| man != taken).map(|man| man as u8));
        }
        Self { table, swap, men }
    }

    /// The value for `side` to move after the man `moved` went `to`.
    fn entry(&self, side: Side, squares: &[Square], moved: usize, to: Square) -> Option<Entry> {
        let place = |&man: &u8| {
            let man = usize::from(man);
            let square = if man == moved { to } else { squares[man] };
            if self.swap { square.flipped() } else { square }
        };
        let squares: Squares = self.men.iter().map(place).collect();
        let digits = self.table.index.digits_of(&squares)?;
        self.table.entry(if self.swap { !side } else { side }, &digits)
    }
}

impl Arena for TableArena {
    fn sides(&self) -> usize {
        self.index.sides()
    }

    fn slots(&self) -> usize {
        self.index.slots as usize
    }

    fn last_order(&self) -> u16 {
        self.last_order
    }

    fn examine(&self, slot: u32) -> [Option<Examined>; 2] {
        let Some(board) = Board::new(&self.index, slot) else { return [None, None] };
        let look = |side: Side| {
            let is_needed = side.index() < self.sides();
            (is_needed && !board.is_attacked(!side)).then(|| self.look(&board, side))
        };
        [look(Side::First), look(Side::Second)]
    }

    fn captures(&self, side: usize, slot: u32, horizon: u16) -> Captures {
        Board::new(&self.index, slot)
            .map(|board| self.captures_on(&board, Side::ALL[side], horizon))
            .unwrap_or_default()
    }

    fn successors(&self, side: usize, slot: u32, visit: impl FnMut(u32) -> bool) -> bool {
        Board::new(&self.index, slot)
            .is_none_or(|board| board.successors(Side::ALL[side], slot, visit))
    }

    fn predecessors(&self, side: usize, slot: u32, visit: impl FnMut(u32)) {
        if let Some(board) = Board::new(&self.index, slot) {
            board.predecessors(!Side::ALL[side], slot, visit);
        }
    }
}
