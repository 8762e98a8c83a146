//! Retrograde analysis over any graph ([`GameGraph`]): results spread from the frontier of each ply by
//! un-moves; the rounds of the repetition rule ([`crate::tablebase::solve::perpetual_check`]) add further beginnings.
//!
//! One 16-bit word stands for each slot and side to move:
//!
//! ```text
//! 0                    illegal
//! 1, 3, 5, …           win of rank 0, 1, 2, …
//! 2, 4, 6, …           loss of rank 0, 1, 2, …
//! 0x8000 | …           undecided; in the end a draw
//! ```
//!
//! A rank is a distance counted on from the ranks of lower orders, so that words of wins compare
//! like (order, distance). An undecided word counts the quiet moves that are not yet known to lose,
//! and carries the values of captures and the marks of the rule rounds.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::tablebase::solve::chase_graph::ChaseGraph;
use crate::tablebase::solve::chase_play::{ChasePlay, Distances};
use crate::tablebase::solve::perpetual_check::Verdict;
#[cfg(test)]
use crate::tablebase::solve::snapshot::KeepNothing;
use crate::tablebase::solve::snapshot::Keeper;
use crate::tablebase::solve::{chase, perpetual_check};
use crate::tablebase::value::{Entry, Rules, Wdl};

pub(crate) const ILLEGAL: u16 = 0;
/// Neither won nor lost so far.
pub(crate) const UNDECIDED: u16 = 0x8000;
/// Some captures have results of orders still to come.
pub(crate) const LATER: u16 = 0x4000;
/// The rule rounds found that this position cannot be in L before more of its moves lose.
pub(crate) const NOT_L: u16 = 0x2000;
/// With [`NOT_L`]: the last round dropped this position from L although each of its moves is known to
/// lose or a check.
pub(crate) const DORMANT: u16 = NOT_L | REACHED_L;
/// Some capture loses.
const LOSING_CAPTURES: u16 = 0x1000;
/// The side to move is in check.
pub(crate) const CHECKED: u16 = 0x0800;
/// Marks of the rule rounds, see [`crate::tablebase::solve::perpetual_check`].
pub(crate) const IN_L: u16 = 0x0400;
pub(crate) const IN_W: u16 = 0x0200;
pub(crate) const REACHED_W: u16 = 0x0100;
pub(crate) const REACHED_L: u16 = 0x0080;
/// Quiet moves not yet known to lose; or [`DRAWS`].
pub(crate) const COUNTER: u16 = 0x007f;
/// As the counter: some capture draws, so that the moves need no counting.
pub(crate) const DRAWS: u16 = COUNTER;

/// As the counter: some moves, counted when the first of them is known to lose.
pub(crate) const UNCOUNTED: u16 = DRAWS - 1;

/// Ranks from here on do not fit in a word.
pub(crate) const RANK_LIMIT: u32 = 0x3fff;
/// Orders from here on are neither built nor believed; every order costs a pass over all slots.
pub(crate) const ORDER_LIMIT: u16 = 1000;
/// Slots per block of flags.
pub(crate) const BLOCK: usize = 256;
/// Blocks per task.
const TASK: usize = 16;
/// Slots that have their first look before the state may be kept.
const STRETCH: usize = 1 << 26;
/// Positions before spread ones that are collected before their words are changed.
const TOUCHED: usize = 512;
/// Slots per task of lists.
pub(crate) const LISTED: usize = 1024;

/// The values of a position's captures for the side to move, as far as their orders do not exceed a
/// horizon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Captures {
    /// The best winning capture: order and distance.
    pub(crate) win: Option<(u16, u16)>,
    /// The losing capture that resists longest: order and distance.
    pub(crate) loss: Option<(u16, u16)>,
    /// Some capture draws.
    pub(crate) draws: bool,
    /// Some capture is decided beyond the horizon.
    pub(crate) later: bool,
}

impl Captures {
    /// Adds a capture by its value.
    #[inline]
    pub(crate) fn add(&mut self, value: Entry, horizon: u16) {
        let rank = (value.order, value.distance);
        match value.wdl {
            Wdl::Win => self.add_win(rank, horizon),
            Wdl::Draw => self.draws = true,
            Wdl::Loss => self.add_loss(rank, horizon),
        }
    }

    /// Adds a winning capture of an order and distance.
    pub(crate) fn add_win(&mut self, rank: (u16, u16), horizon: u16) {
        if rank.0 > horizon {
            self.later = true;
        } else {
            self.win = Some(self.win.map_or(rank, |best| best.min(rank)));
        }
    }

    /// Adds a losing capture of an order and distance.
    pub(crate) fn add_loss(&mut self, rank: (u16, u16), horizon: u16) {
        if rank.0 > horizon {
            self.later = true;
        } else {
            // The side to move prefers, of losing captures, the one of the highest order, then the longest;
            // pairs compare so.
            self.loss = self.loss.max(Some(rank));
        }
    }
}

/// The result of one look at a position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Examined {
    /// Number of legal quiet moves, less than [`DRAWS`]; or [`UNCOUNTED`] for any number but 0.
    pub(crate) quiet: u16,
    pub(crate) in_check: bool,
    /// Under horizon 0.
    pub(crate) captures: Captures,
    /// Some capture wins or draws, of whatever order.
    pub(crate) good_capture: bool,
}

/// A game graph whose captures leave it. Sides are 0 and 1; a colour-symmetric graph has side 0
/// only, and every move leads to side 0 again.
pub(crate) trait GameGraph: Sync {
    /// Makes visits in the order of slots cheap.
    type Cursor<'a>
    where
        Self: 'a;

    /// A cursor that has visited no slot yet.
    fn cursor(&self) -> Self::Cursor<'_>;
    /// 1 or 2.
    fn sides(&self) -> usize;
    /// Number of slots of each side.
    fn slots(&self) -> usize;
    /// The highest order that captures lead to.
    fn last_order(&self) -> u16;
    /// The greatest distance of a result: what takes longer is drawn.
    fn horizon(&self) -> u16 {
        u16::MAX
    }
    /// Looks at a slot with each side to move; `None` where illegal.
    fn examine(&self, cursor: &mut Self::Cursor<'_>, slot: u32) -> [Option<Examined>; 2];
    /// Number of legal quiet moves of a legal position.
    fn count_quiet(&self, cursor: &mut Self::Cursor<'_>, side: usize, slot: u32) -> u16;
    /// The captures of a legal position.
    fn captures(
        &self,
        cursor: &mut Self::Cursor<'_>,
        side: usize,
        slot: u32,
        horizon: u16,
    ) -> Captures;
    /// The slots (of the other side) that quiet moves lead to, illegal ones perhaps included.
    /// Stops once `visit` returns `false`, and returns whether it never did.
    fn successors(
        &self,
        cursor: &mut Self::Cursor<'_>,
        side: usize,
        slot: u32,
        visit: impl FnMut(u32) -> bool,
    ) -> bool;
    /// The slots (of the other side) from which quiet moves lead here, with multiplicity; illegal
    /// ones perhaps included.
    fn predecessors(
        &self,
        cursor: &mut Self::Cursor<'_>,
        side: usize,
        slot: u32,
        visit: impl FnMut(u32),
    );

    /// The side that moves after `side`.
    fn other(&self, side: usize) -> usize {
        if self.sides() == 1 { 0 } else { 1 - side }
    }
}

/// The reasons for which a graph was not solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SolveError {
    /// A result needs a longer line than words can hold.
    TooDeep,
    /// A position has more moves than words can count.
    TooManyMoves,
    /// [`Watch::is_cancelled`] returned true.
    Cancelled,
}

/// Receives the progress of the work: orders, plies and the share of the slots that is done.
pub(crate) trait Watch: Sync {
    /// `done` of `total` slots were looked at in the beginning.
    fn examined(&self, done: u64, total: u64);
    /// The results of this order and distance are being spread.
    fn ply(&self, order: u16, distance: u16);
    /// The repetition rule of this order is being judged.
    fn judging(&self, order: u16) {
        let _unused = order;
    }
    /// Returns true to give up.
    fn is_cancelled(&self) -> bool;
}

/// The solver's state.
pub(crate) struct Solver<'a, A> {
    pub(crate) graph: &'a A,
    pub(crate) words: Vec<Vec<AtomicU16>>,
    /// By side and block, one bit per distance, modulo 64: some slot there waits to be spread.
    pub(crate) pending: Vec<Vec<AtomicU64>>,
    /// By side and block: some slot there may be in L and has not been looked at since that.
    pub(crate) open: Vec<Vec<AtomicBool>>,
    /// By side and block: some slot there has captures of later orders.
    pub(crate) later: Vec<Vec<AtomicBool>>,
    /// By side, one bit per slot: some capture wins or draws.
    pub(crate) good_captures: Vec<Vec<AtomicU64>>,
    /// By side: whether any position there is in check.
    pub(crate) any_checked: [AtomicBool; 2],
    /// The first slot that has not had its first look.
    pub(crate) examined: usize,
    pub(crate) order: u16,
    /// The distance to be spread next.
    pub(crate) distance: u16,
    /// The greatest distance of a result.
    pub(crate) horizon: u16,
    /// The rank of distance 0 for each order so far.
    pub(crate) bases: Vec<u32>,
    /// The greatest distance pending in this round.
    pub(crate) latest: AtomicU32,
    /// Nothing is left to be decided.
    pub(crate) is_done: bool,
    overflow: AtomicBool,
    /// Some position has too many moves to be counted.
    crowded: AtomicBool,
}

/// The words in the end, and the first rank of each order.
pub(crate) struct Solution {
    pub(crate) words: Vec<Vec<u16>>,
    pub(crate) bases: Vec<u32>,
    pub(crate) good_captures: SlotSet,
}

/// A set of slots by side to move.
#[derive(Debug, Default)]
pub(crate) struct SlotSet(Vec<Vec<u64>>);

impl SlotSet {
    /// Returns true if a slot is a member.
    #[inline]
    pub(crate) fn has(&self, side: usize, slot: u32) -> bool {
        self.0[side][slot as usize / 64] >> (slot % 64) & 1 == 1
    }
}

/// Solves the graph under the rules.
#[cfg(test)]
pub(crate) fn solve<A: ChaseGraph>(
    graph: &A,
    rules: Rules,
    watch: &impl Watch,
) -> Result<Solution, SolveError> {
    solve_with(graph, rules, ChasePlay::solve, watch, &KeepNothing)
}

/// Solves the graph under the rules, chases by the function given, from the state on that was kept
/// last.
pub(crate) fn solve_with<'a, A: ChaseGraph>(
    graph: &'a A,
    rules: Rules,
    chases: fn(&ChasePlay) -> Distances,
    watch: &impl Watch,
    keeper: &impl Keeper<'a, A>,
) -> Result<Solution, SolveError> {
    let mut solver = keeper.restore(graph).unwrap_or_else(|| Solver::new(graph));
    if !solver.is_done {
        solver.run(rules, chases, watch, keeper)?;
        solver.is_done = true;
        keeper.pause(&solver);
    }
    Ok(solver.finish())
}

/// Sets a flag that is often set already.
#[inline]
fn raise(flag: &AtomicBool) {
    if !flag.load(Relaxed) {
        flag.store(true, Relaxed);
    }
}

const fn win_word(rank: u32) -> u16 {
    (2 * rank + 1) as u16
}

const fn loss_word(rank: u32) -> u16 {
    (2 * rank + 2) as u16
}

pub(crate) const fn is_win(word: u16) -> bool {
    word & UNDECIDED == 0 && word & 1 == 1
}

/// Returns true if a word is undecided and waits for its moves to lose.
#[inline]
const fn is_counted(word: u16) -> bool {
    word & UNDECIDED != 0 && word & COUNTER != DRAWS
}

/// For each side a list of `len` zeros, or of flags that are not set. Words that are 0 are [`ILLEGAL`].
fn by_side<T: Default>(sides: usize, len: usize) -> Vec<Vec<T>> {
    (0..sides).map(|_| (0..len).map(|_| T::default()).collect()).collect()
}

/// The word of a slot in the solution: of an undecided one only [`UNDECIDED`] is kept.
fn final_word(cell: AtomicU16) -> u16 {
    let word = cell.into_inner();
    if word & UNDECIDED != 0 { UNDECIDED } else { word }
}

/// A task of spreading the results of one distance.
struct Spread<'a, A: GameGraph + 'a> {
    distance: u16,
    /// Visits the positions spread.
    cursor: A::Cursor<'a>,
    /// Visits the positions before them.
    own: A::Cursor<'a>,
    /// Positions from which a move wins.
    winning: Vec<u32>,
    /// Positions from which a move loses.
    losing: Vec<u32>,
}

impl<'a, A: GameGraph> Spread<'a, A> {
    fn new(graph: &'a A, distance: u16) -> Self {
        Self {
            distance,
            cursor: graph.cursor(),
            own: graph.cursor(),
            winning: Vec::new(),
            losing: Vec::new(),
        }
    }
}

impl<'a, A: GameGraph> Solver<'a, A> {
    pub(crate) fn new(graph: &'a A) -> Self {
        let slots = graph.slots();
        let blocks = slots.div_ceil(BLOCK);
        let sides = graph.sides();
        Self {
            graph,
            words: by_side(sides, slots),
            pending: by_side(sides, blocks),
            open: by_side(sides, blocks),
            later: by_side(sides, blocks),
            good_captures: by_side(sides, slots.div_ceil(64)),
            any_checked: [AtomicBool::new(false), AtomicBool::new(false)],
            examined: 0,
            order: 0,
            horizon: graph.horizon(),
            distance: 0,
            bases: vec![0],
            latest: AtomicU32::new(0),
            is_done: false,
            overflow: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
        }
    }

    pub(crate) fn word(&self, side: usize, slot: u32) -> u16 {
        self.words[side][slot as usize].load(Relaxed)
    }

    /// Sets marks; returns true if none of them was set before.
    pub(crate) fn mark(&self, side: usize, slot: u32, marks: u16) -> bool {
        self.words[side][slot as usize].fetch_or(marks, Relaxed) & marks == 0
    }

    /// Removes marks; returns true if any of them was set before.
    pub(crate) fn unmark(&self, side: usize, slot: u32, marks: u16) -> bool {
        self.words[side][slot as usize].fetch_and(!marks, Relaxed) & marks != 0
    }

    /// The slots of a side that may be in L, in order: those whose word and number satisfy `keep`.
    /// Those that do not are not looked at again before [`open`](Self::open) is called for them.
    pub(crate) fn select_open(
        &self,
        side: usize,
        keep: impl Fn(&mut A::Cursor<'_>, u16, u32) -> bool + Sync,
    ) -> Vec<u32> {
        let words = &self.words[side];
        let open = &self.open[side];
        self.tasks()
            .flat_map_iter(|blocks| {
                let mut kept = Vec::new();
                let mut cursor = None;
                for block in blocks.filter(|&block| open[block].load(Relaxed)) {
                    let before = kept.len();
                    let cursor = cursor.get_or_insert_with(|| self.graph.cursor());
                    let range = self.range(block);
                    kept.extend(range.filter_map(|i| {
                        keep(cursor, words[i].load(Relaxed), i as u32).then_some(i as u32)
                    }));
                    if kept.len() == before {
                        open[block].store(false, Relaxed);
                    }
                }
                kept
            })
            .collect()
    }

    /// The undecided slots of a side whose word and number satisfy `keep`, in order.
    pub(crate) fn select(
        &self,
        side: usize,
        keep: impl Fn(&mut A::Cursor<'_>, u16, u32) -> bool + Sync,
    ) -> Vec<u32> {
        let words = &self.words[side];
        self.tasks()
            .flat_map_iter(|blocks| {
                let mut cursor = self.graph.cursor();
                let mut kept = Vec::new();
                for i in blocks.flat_map(|block| self.range(block)) {
                    let word = words[i].load(Relaxed);
                    if word & UNDECIDED != 0 && keep(&mut cursor, word, i as u32) {
                        kept.push(i as u32);
                    }
                }
                kept
            })
            .collect()
    }

    /// Some slot of this slot's block may be in L after all.
    fn open(&self, side: usize, slot: u32) {
        raise(&self.open[side][slot as usize / BLOCK]);
    }

    /// Returns true if any position of a side is in check.
    pub(crate) fn any_checked(&self, side: usize) -> bool {
        self.any_checked[side].load(Relaxed)
    }

    /// The blocks of each task.
    fn tasks(&self) -> impl IndexedParallelIterator<Item = Range<usize>> + use<A> {
        let blocks = self.graph.slots().div_ceil(BLOCK);
        (0..blocks.div_ceil(TASK))
            .into_par_iter()
            .map(move |task| task * TASK..blocks.min((task + 1) * TASK))
    }

    /// The slots of a block.
    fn range(&self, block: usize) -> Range<usize> {
        block * BLOCK..self.graph.slots().min((block + 1) * BLOCK)
    }

    fn base(&self) -> u32 {
        self.bases.last().copied().unwrap_or(0)
    }

    /// Goes on until nothing is left to be decided.
    fn run(
        &mut self,
        rules: Rules,
        chases: fn(&ChasePlay) -> Distances,
        watch: &impl Watch,
        keeper: &impl Keeper<'a, A>,
    ) -> Result<(), SolveError>
    where
        A: ChaseGraph,
    {
        self.examine(watch, keeper)?;
        self.spread(watch, keeper)?;
        if rules == Rules::None {
            return Ok(());
        }
        loop {
            self.begin_round()?;
            let seeded = self.seed_captures(watch);
            watch.judging(self.order);
            let mut judged = self.judge(watch)?;
            // Perpetual checks outrank chases, so that chases are judged only where no check is left to
            // judge in this round.
            if !judged && rules == Rules::Asian {
                judged = self.apply(&chase::judge(self, chases, watch)?);
            }
            if !seeded && !judged && self.order >= self.graph.last_order() {
                // The round that decided nothing has no results: its order does not exist.
                self.bases.pop();
                return Ok(());
            }
            self.spread(watch, keeper)?;
        }
    }

    /// The first look at every slot.
    fn examine(
        &mut self,
        watch: &impl Watch,
        keeper: &impl Keeper<'a, A>,
    ) -> Result<(), SolveError> {
        let slots = self.graph.slots();
        while self.examined < slots {
            let end = slots.min(self.examined + STRETCH);
            self.examine_stretch(self.examined..end, watch);
            if *self.crowded.get_mut() {
                return Err(SolveError::TooManyMoves);
            }
            if watch.is_cancelled() {
                return Err(SolveError::Cancelled);
            }
            self.examined = end;
            keeper.pause(self);
        }
        Ok(())
    }

    fn examine_stretch(&self, slots: Range<usize>, watch: &impl Watch) {
        let done = AtomicU64::new(slots.start as u64);
        let total = self.graph.slots() as u64;
        slots.clone().into_par_iter().step_by(TASK * BLOCK).for_each(|start| {
            if watch.is_cancelled() {
                return;
            }
            let mut cursor = self.graph.cursor();
            let end = slots.end.min(start + TASK * BLOCK);
            for slot in start..end {
                // Both sides to move at once: setting up the board and finding what attacks each king is
                // most of the work.
                let looks = self.graph.examine(&mut cursor, slot as u32);
                for (side, look) in looks.iter().enumerate().take(self.words.len()) {
                    if let Some(look) = look {
                        self.begin_slot(side, slot as u32, *look);
                    }
                }
            }
            let len = (end - start) as u64;
            watch.examined(done.fetch_add(len, Relaxed) + len, total);
        });
    }

    fn begin_slot(&self, side: usize, slot: u32, look: Examined) {
        if look.quiet >= DRAWS {
            self.crowded.store(true, Relaxed);
            return;
        }
        if look.good_capture {
            self.good_captures[side][slot as usize / 64].fetch_or(1 << (slot % 64), Relaxed);
        }
        let checked = if look.in_check { CHECKED } else { 0 };
        if look.in_check {
            raise(&self.any_checked[side]);
        }
        self.settle(side, slot, UNDECIDED | checked | look.quiet, look.captures);
    }

    /// Gives a slot the word that follows from its captures and its undecided word. Returns true if
    /// it is decided.
    fn settle(&self, side: usize, slot: u32, word: u16, captures: Captures) -> bool {
        if let Some((_, distance)) = captures.win {
            self.store(side, slot, win_word(self.rank(distance)), distance);
            return true;
        }
        let later = if captures.later { LATER } else { 0 };
        let losing = if captures.loss.is_some() { LOSING_CAPTURES } else { 0 };
        let counter = if captures.draws { DRAWS } else { word & COUNTER };
        if counter == 0 && later == 0 {
            let distance = captures.loss.map_or(0, |(_, distance)| distance);
            self.store(side, slot, loss_word(self.rank(distance)), distance);
            return true;
        }
        if later != 0 {
            raise(&self.later[side][slot as usize / BLOCK]);
        }
        self.open(side, slot);
        let word = word & !(COUNTER | LATER | LOSING_CAPTURES | DORMANT) | counter | later | losing;
        self.words[side][slot as usize].store(word, Relaxed);
        false
    }

    /// Returns true if a move to a position of this word is known to lose: the position is won, and
    /// so soon that the ply of the move can be behind it.
    pub(crate) fn is_won_in_time(&self, word: u16) -> bool {
        is_win(word) && (self.horizon == u16::MAX || self.distance(word) < u32::from(self.horizon))
    }

    /// The distance that a decided word stands for.
    fn distance(&self, word: u16) -> u32 {
        let rank = u32::from(word - 1) / 2;
        // The first base is 0, so that at least one is not greater than the rank.
        rank - self.bases[self.bases.partition_point(|&base| base <= rank) - 1]
    }

    fn rank(&self, distance: u16) -> u32 {
        let rank = self.base() + u32::from(distance);
        // Noted only: words stay in range until the ply is over, when the solver gives up.
        if rank >= RANK_LIMIT {
            self.overflow.store(true, Relaxed);
        }
        rank.min(RANK_LIMIT - 1)
    }

    fn store(&self, side: usize, slot: u32, word: u16, distance: u16) {
        self.words[side][slot as usize].store(word, Relaxed);
        self.flag(side, slot, distance);
    }

    fn flag(&self, side: usize, slot: u32, distance: u16) {
        let bit = 1 << (distance % 64);
        let cell = &self.pending[side][slot as usize / BLOCK];
        // As in `raise`: a flag that is set already costs a read.
        if cell.load(Relaxed) & bit == 0 {
            cell.fetch_or(bit, Relaxed);
        }
        // Not under the condition above: distances that share a flag must be heard of as well.
        // Read before it is written: nearly always it is high enough, and a written cache line would go
        // from core to core.
        if self.latest.load(Relaxed) < u32::from(distance) {
            self.latest.fetch_max(u32::from(distance), Relaxed);
        }
    }

    /// The blocks that wait for a distance, or one that shares its flag; the flags are lowered.
    fn take_pending(&self, distance: u16) -> Vec<(usize, u32)> {
        let bit = 1 << (distance % 64);
        let mut blocks = Vec::new();
        for (side, pending) in self.pending.iter().enumerate() {
            for (block, cell) in pending.iter().enumerate() {
                if cell.load(Relaxed) & bit != 0 {
                    cell.fetch_and(!bit, Relaxed);
                    blocks.push((side, block as u32));
                }
            }
        }
        blocks
    }

    /// Spreads the results of this order, from the distance on that is next. Those at the horizon say
    /// nothing about the positions before.
    fn spread(
        &mut self,
        watch: &impl Watch,
        keeper: &impl Keeper<'a, A>,
    ) -> Result<(), SolveError> {
        while u32::from(self.distance) <= *self.latest.get_mut() && self.distance < self.horizon {
            if *self.overflow.get_mut() {
                return Err(SolveError::TooDeep);
            }
            self.spread_ply(watch);
            if watch.is_cancelled() {
                return Err(SolveError::Cancelled);
            }
            self.distance += 1;
            keeper.pause(self);
        }
        if self.overflow.load(Relaxed) { Err(SolveError::TooDeep) } else { Ok(()) }
    }

    fn spread_ply(&self, watch: &impl Watch) {
        let distance = self.distance;
        let blocks = self.take_pending(distance);
        if !blocks.is_empty() {
            watch.ply(self.order, distance);
        }
        blocks.par_chunks(TASK).for_each(|blocks| {
            let mut spread = Spread::new(self.graph, distance);
            if !watch.is_cancelled() {
                for &(side, block) in blocks {
                    self.spread_block(&mut spread, side, block as usize);
                }
            }
        });
    }

    fn spread_block(&self, spread: &mut Spread<'a, A>, side: usize, block: usize) {
        let distance = spread.distance;
        let rank = self.base() + u32::from(distance);
        let win = win_word(rank);
        let loss = loss_word(rank);
        // Words of results more than 63 plies away share a flag with this distance: they are left, and the
        // flag is raised again for them.
        let beyond = loss_word((rank + 63).min(RANK_LIMIT - 1)) + 1;
        let other = self.graph.other(side);
        let range = self.range(block);
        let mut is_later = false;
        for (slot, cell) in range.clone().zip(&self.words[side][range]) {
            let word = cell.load(Relaxed);
            // One comparison for both words of this rank: the loss's is the win's and one.
            if word.wrapping_sub(win) > 1 {
                // As above, one comparison for both ends: results from `beyond` on, no undecided words.
                is_later |= word.wrapping_sub(beyond) < UNDECIDED - beyond;
                continue;
            }
            let touched = if word == loss { &mut spread.winning } else { &mut spread.losing };
            self.graph.predecessors(&mut spread.cursor, side, slot as u32, |before| {
                touched.push(before);
            });
            if touched.len() >= TOUCHED {
                self.touch(spread, other);
            }
        }
        self.touch(spread, other);
        if is_later {
            self.pending[side][block].fetch_or(1 << (distance % 64), Relaxed);
        }
    }

    /// Enters what follows for the positions of `side` before those spread. First all their words
    /// are read, which makes the processor fetch many at a time, and those left out that stay.
    fn touch(&self, spread: &mut Spread<'a, A>, side: usize) {
        let words = &self.words[side];
        let win = win_word(self.rank(spread.distance + 1));
        // Words of wins ascend with their rank, and undecided words lie above all of them: only what would
        // be improved stays.
        spread.winning.retain(|&slot| words[slot as usize].load(Relaxed) > win);
        for slot in spread.winning.drain(..) {
            self.improve(side, slot, spread.distance + 1);
        }
        spread.losing.retain(|&slot| is_counted(words[slot as usize].load(Relaxed)));
        for slot in spread.losing.drain(..) {
            self.count_down(&mut spread.own, side, slot, spread.distance + 1);
        }
    }

    /// The side to move can win in `distance`.
    pub(crate) fn improve(&self, side: usize, slot: u32, distance: u16) {
        let word = win_word(self.rank(distance));
        let cell = &self.words[side][slot as usize];
        // Several threads may find wins of the same slot. The minimum makes the result independent of which
        // comes first.
        if cell.load(Relaxed) > word && cell.fetch_min(word, Relaxed) > word {
            self.flag(side, slot, distance);
        }
    }

    /// The side to move loses after `distance`.
    fn lose(&self, side: usize, slot: u32, distance: u16) {
        self.store(side, slot, loss_word(self.rank(distance)), distance);
    }

    /// One more quiet move loses; the slowest so far, in `distance`.
    fn count_down(&self, cursor: &mut A::Cursor<'_>, side: usize, slot: u32, distance: u16) {
        let cell = &self.words[side][slot as usize];
        let mut word = cell.load(Relaxed);
        // Not an atomic subtraction: the last move makes the word a result, and another thread may find a win.
        loop {
            if !is_counted(word) {
                return;
            }
            let counted = self.counted(cursor, side, slot, word);
            let slowest = (counted & (COUNTER | LATER) == 1)
                .then(|| self.slowest_loss(cursor, side, slot, word, distance));
            let next = match slowest {
                None if word & NOT_L != 0 => (counted - 1) & !DORMANT,
                None => counted - 1,
                Some(distance) => loss_word(self.rank(distance)),
            };
            match cell.compare_exchange_weak(word, next, Relaxed, Relaxed) {
                Err(changed) => word = changed,
                Ok(_) => {
                    match slowest {
                        Some(distance) => self.flag(side, slot, distance),
                        None if word & NOT_L != 0 => self.open(side, slot),
                        None => {}
                    }
                    return;
                }
            }
        }
    }

    /// An undecided word with the number of its moves, if they were not counted so far.
    fn counted(&self, cursor: &mut A::Cursor<'_>, side: usize, slot: u32, word: u16) -> u16 {
        debug_assert!(word & COUNTER != 0, "more losing moves than moves");
        if word & COUNTER != UNCOUNTED {
            return word;
        }
        // Here the first of its losing moves is counted down, so that all moves are still left.
        word & !COUNTER | self.graph.count_quiet(cursor, side, slot) & COUNTER
    }

    /// The distance at which a position loses whose quiet moves all lose, the slowest in `distance`.
    fn slowest_loss(
        &self,
        cursor: &mut A::Cursor<'_>,
        side: usize,
        slot: u32,
        word: u16,
        distance: u16,
    ) -> u16 {
        if word & LOSING_CAPTURES == 0 {
            return distance;
        }
        match self.graph.captures(cursor, side, slot, self.order).loss {
            Some((order, capture)) if order == self.order => distance.max(capture),
            _ => distance,
        }
    }

    fn begin_round(&mut self) -> Result<(), SolveError> {
        let latest = std::mem::take(self.latest.get_mut());
        // Ranks of the orders lie behind each other: the next order begins where the longest result of this
        // one ended.
        let used = if latest == 0 && self.order > 0 { 0 } else { latest + 1 };
        self.distance = 0;
        let base = self.base() + used;
        self.bases.push(base);
        self.order = self.order.checked_add(1).ok_or(SolveError::TooDeep)?;
        // What still waits has the distance of the horizon, which is not spread.
        self.pending.par_iter_mut().flatten().for_each(|cell| *cell.get_mut() = 0);
        if base >= RANK_LIMIT || self.order >= ORDER_LIMIT {
            Err(SolveError::TooDeep)
        } else {
            Ok(())
        }
    }

    /// Captures whose results have this order become known.
    fn seed_captures(&self, watch: &impl Watch) -> bool {
        if self.order > self.graph.last_order() {
            return false;
        }
        let mut any = false;
        for side in 0..self.words.len() {
            let seeded = self.tasks().map(|blocks| {
                let mut cursor = None;
                let mut any = false;
                let blocks = blocks.filter(|&block| self.later[side][block].load(Relaxed));
                for block in blocks.take_while(|_| !watch.is_cancelled()) {
                    let cursor = cursor.get_or_insert_with(|| self.graph.cursor());
                    any |= self.seed_block(cursor, side, block);
                }
                any
            });
            any |= seeded.reduce(|| false, |a, b| a | b);
        }
        any
    }

    fn seed_block(&self, cursor: &mut A::Cursor<'_>, side: usize, block: usize) -> bool {
        self.later[side][block].store(false, Relaxed);
        let mut any = false;
        for slot in self.range(block) {
            let word = self.words[side][slot].load(Relaxed);
            if word & UNDECIDED == 0 || word & LATER == 0 {
                continue;
            }
            let slot = slot as u32;
            let captures = self.graph.captures(cursor, side, slot, self.order);
            if self.settle(side, slot, word, captures) {
                any = true;
                // Moves here are not counted down before the result is spread.
                let other = self.graph.other(side);
                self.graph.predecessors(cursor, side, slot, |before| {
                    self.forget_not_l(other, before);
                });
            }
        }
        any
    }

    fn forget_not_l(&self, side: usize, slot: u32) {
        let cell = &self.words[side][slot as usize];
        let mut word = cell.load(Relaxed);
        // Another thread may decide the slot meanwhile: then its word is a result and must not be touched.
        while word & UNDECIDED != 0 && word & NOT_L != 0 {
            match cell.compare_exchange_weak(word, word & !DORMANT, Relaxed, Relaxed) {
                Ok(_) => return self.open(side, slot),
                Err(changed) => word = changed,
            }
        }
    }

    /// Decides endless play among the undecided; returns true if anything was decided.
    fn judge(&self, watch: &impl Watch) -> Result<bool, SolveError> {
        let verdicts = (0..self.words.len())
            .map(|checker| {
                perpetual_check::judge(self, checker, watch).ok_or(SolveError::Cancelled)
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(self.apply(&verdicts))
    }

    /// Enters the judgements; returns true if anything was decided.
    fn apply(&self, verdicts: &[Verdict]) -> bool {
        let mut any = false;
        for verdict in verdicts {
            let victim = self.graph.other(verdict.checker);
            for (distance, slots) in &verdict.lost {
                any |= !slots.is_empty();
                slots.par_iter().for_each(|&slot| self.lose(verdict.checker, slot, *distance));
            }
            for (distance, slots) in &verdict.won {
                slots.par_iter().for_each(|&slot| self.improve(victim, slot, *distance));
            }
        }
        any
    }

    fn finish(self) -> Solution {
        let words = self.words.into_iter();
        let good_captures = self.good_captures.into_iter();
        let good_captures =
            good_captures.map(|side| side.into_iter().map(AtomicU64::into_inner).collect());
        Solution {
            words: words.map(|side| side.into_iter().map(final_word).collect()).collect(),
            bases: self.bases,
            good_captures: SlotSet(good_captures.collect()),
        }
    }
}
