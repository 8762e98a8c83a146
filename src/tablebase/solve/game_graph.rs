//! The positions of one material as a game graph, the captures answered by finished tables.

use std::sync::Arc;

use arrayvec::ArrayVec;

use crate::game::Side;
use crate::tablebase::index::board::{KingView, SlotBoard};
use crate::tablebase::index::numbering::{Digits, Index, MAX_MEN, Squares};
use crate::tablebase::material::Material;
use crate::tablebase::solve::solver::{Captures, Examined, GameGraph, UNCOUNTED};
use crate::tablebase::solve::sub_values::SubValues;
use crate::tablebase::value::{Entry, Metric, Wdl};
use crate::xiangqi::{Piece, Role};

/// The smaller table that the capture of one piece leads to.
#[derive(Debug)]
struct SubTable {
    table: Arc<SubValues>,
    /// True if the sides change places in the smaller table.
    swap: bool,
    /// For each group of the smaller table, that of this one.
    groups: Vec<usize>,
    /// The group of the smaller table that has a piece less, and its pieces here.
    reduced: Option<(usize, ArrayVec<u8, MAX_MEN>)>,
}

/// The positions of one material, the captures answered by finished tables.
#[derive(Debug)]
pub(crate) struct TableGraph {
    index: Arc<Index>,
    /// By captured piece; `None` for kings.
    subs: Vec<Option<SubTable>>,
    last_order: u16,
    metric: Metric,
    /// By side: whether its quiet moves are counted only when one of them is known to lose.
    counts_late: [bool; 2],
}

impl TableGraph {
    /// `find` gives the tables that captures lead to; `None` if it misses one.
    pub(crate) fn new(
        index: Index,
        metric: Metric,
        find: impl Fn(Material) -> Option<Arc<SubValues>>,
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
        let counts_late = Side::ALL.map(|side| counts_late(&index, side));
        Some(Self { index: Arc::new(index), subs, last_order, metric, counts_late })
    }

    pub(crate) fn index(&self) -> &Arc<Index> {
        &self.index
    }

    /// Returns true if a slot is a legal position with `side` to move.
    pub(crate) fn is_legal(&self, board: &mut SlotBoard<'_>, side: usize, slot: u32) -> bool {
        board.seek(slot) && !board.king_view(!Side::ALL[side]).in_check
    }

    /// Returns true if `side` is in check.
    pub(crate) fn is_in_check(&self, board: &mut SlotBoard<'_>, side: usize, slot: u32) -> bool {
        board.seek(slot) && board.king_view(Side::ALL[side]).in_check
    }

    /// The value of the best legal move of a legal position, for the side that makes it; `None` if
    /// there is none. `after` gives the values in this table by side to move and slot, `None` for
    /// illegal positions.
    pub(crate) fn best_move_at(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        after: impl Fn(usize, u32) -> Option<Entry>,
    ) -> Option<Entry> {
        let mut best = self.best_capture(board, side, slot);
        self.successors(board, side, slot, |next| {
            best = best.max(after(self.other(side), next).map(Entry::before));
            true
        });
        best
    }

    /// The value of the best legal capture of a legal position, for the side that makes it; `None`
    /// if there is none. Quick for slots one after the other.
    #[inline]
    pub(crate) fn best_capture(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
    ) -> Option<Entry> {
        let mut best = None;
        self.each_capture(board, side, slot, |value| best = best.max(Some(value)));
        best
    }

    /// Calls `sink` with the value of each legal capture of a legal position, for the side that makes
    /// it.
    #[inline]
    pub(crate) fn each_capture(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        sink: impl FnMut(Entry),
    ) {
        if board.seek(slot) {
            let side = Side::ALL[side];
            self.for_each_capture(board, side, &board.king_view(side), sink);
        }
    }

    /// The moves and captures of a legal position.
    #[inline]
    fn look(&self, board: &SlotBoard<'_>, side: Side, view: &KingView) -> Examined {
        let quiet = if self.counts_late[side.index()] && board.has_quiet(side, view) {
            UNCOUNTED
        } else {
            board.count_quiet(side, view) as u16
        };
        let mut good_capture = false;
        let mut captures = Captures::default();
        self.for_each_capture(board, side, view, |value| {
            good_capture |= value.wdl != Wdl::Loss;
            captures.add(value, 0);
        });
        Examined { quiet, in_check: view.in_check, captures, good_capture }
    }

    /// Calls `sink` with the value of each legal capture.
    #[inline]
    fn for_each_capture(
        &self,
        board: &SlotBoard<'_>,
        side: Side,
        view: &KingView,
        mut sink: impl FnMut(Entry),
    ) {
        board.for_each_capture(side, view, |man, to, taken| {
            let entry = self.subs[taken].as_ref().and_then(|sub| {
                let group = self.index.men[man].group;
                sub.entry(!side, board, group, board.digit_after(man, to))
            });
            if let Some(entry) = entry {
                sink(self.metric.before_capture(entry));
            }
        });
    }
}

/// Returns true if few positions of a side have losing moves, since the other side has nothing to win
/// with, and none can have more moves than words count.
fn counts_late(index: &Index, side: Side) -> bool {
    let most = index.men_of(side).map(|man| most_moves(index.men[man].piece.role()));
    index.attackers_of(!side).is_empty() && most.sum::<u16>() < UNCOUNTED
}

/// The most moves that a piece may have.
const fn most_moves(role: Role) -> u16 {
    match role {
        Role::Rook | Role::Cannon => 17,
        Role::Horse => 8,
        Role::King | Role::Advisor | Role::Elephant => 4,
        Role::Pawn => 3,
    }
}

impl SubTable {
    fn new(index: &Index, taken: usize, table: Arc<SubValues>, swap: bool) -> Self {
        let taken_group = index.men[taken].group;
        let mut groups = Vec::new();
        let mut reduced = None;
        for (number, group) in table.index.groups.iter().enumerate() {
            // The groups of both tables are of the same kinds, those of a side in the same order.
            let first = table.index.men[group.men.start].piece;
            let side = if swap { !first.side() } else { first.side() };
            let same = Piece::new(side, first.role());
            let own = index.groups.iter().position(|g| index.men[g.men.start].piece == same);
            let own = own.unwrap_or(taken_group);
            if own == taken_group {
                let men = index.groups[own].men.clone();
                // Any other piece of the group would do as well where several are alike.
                let left = men.filter(|&man| man != taken).map(|man| man as u8).collect();
                reduced = Some((number, left));
            }
            groups.push(own);
        }
        Self { table, swap, groups, reduced }
    }

    /// The value for `side` to move after a piece of the group `moved` has moved so that the group
    /// has the digit `digit`.
    #[inline]
    fn entry(&self, side: Side, board: &SlotBoard<'_>, moved: usize, digit: u32) -> Option<Entry> {
        let mut digits: Digits = self
            .groups
            .iter()
            .map(|&group| if group == moved { digit } else { board.digits()[group] })
            .collect();
        if let Some((number, men)) = &self.reduced {
            // As the board has them: the captured piece is none of these, and no piece of its group has moved.
            let squares = men.iter().map(|&man| board.squares()[usize::from(man)]);
            let squares: Squares =
                squares.map(|square| if self.swap { square.flipped() } else { square }).collect();
            digits[*number] = self.table.index.groups[*number].digit(&squares)?;
        }
        self.table.entry(if self.swap { !side } else { side }, &digits)
    }
}

impl GameGraph for TableGraph {
    type Cursor<'a> = SlotBoard<'a>;

    fn sides(&self) -> usize {
        self.index.sides()
    }

    fn slots(&self) -> usize {
        self.index.slots as usize
    }

    fn last_order(&self) -> u16 {
        self.last_order
    }

    fn horizon(&self) -> u16 {
        self.metric.horizon()
    }

    fn cursor(&self) -> SlotBoard<'_> {
        SlotBoard::nowhere(&self.index)
    }

    fn examine(&self, board: &mut SlotBoard<'_>, slot: u32) -> [Option<Examined>; 2] {
        if !board.seek(slot) {
            return [None, None];
        }
        let views = Side::ALL.map(|side| board.king_view(side));
        Side::ALL.map(|side| {
            let is_needed = side.index() < self.sides() && !views[(!side).index()].in_check;
            is_needed.then(|| self.look(board, side, &views[side.index()]))
        })
    }

    fn count_quiet(&self, board: &mut SlotBoard<'_>, side: usize, slot: u32) -> u16 {
        if !board.seek(slot) {
            return 0;
        }
        let side = Side::ALL[side];
        board.count_quiet(side, &board.king_view(side)) as u16
    }

    fn captures(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        horizon: u16,
    ) -> Captures {
        let mut captures = Captures::default();
        if board.seek(slot) {
            let side = Side::ALL[side];
            let view = board.king_view(side);
            self.for_each_capture(board, side, &view, |value| captures.add(value, horizon));
        }
        captures
    }

    fn successors(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        visit: impl FnMut(u32) -> bool,
    ) -> bool {
        !board.seek(slot) || board.successors(Side::ALL[side], visit)
    }

    fn predecessors(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        visit: impl FnMut(u32),
    ) {
        if board.seek(slot) {
            board.predecessors(!Side::ALL[side], visit);
        }
    }
}
