//! Retrograde analysis over any graph ([`Arena`]): results spread from the frontier of each ply by
//! un-moves; the rounds of the repetition rule ([`super::rules`]) add further beginnings.
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
//! and carries what captures mean and the marks of the rule rounds.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::chase;
use super::hunt::Hunt;
use super::rules::{self, Verdict};
use super::value::Rules;

pub(super) const ILLEGAL: u16 = 0;
/// Neither won nor lost so far.
pub(super) const UNDECIDED: u16 = 0x8000;
/// Some captures have results of orders still to come.
pub(super) const LATER: u16 = 0x4000;
/// The rule rounds found that this position cannot be in L before more of its moves lose.
pub(super) const NOT_L: u16 = 0x2000;
/// Some capture loses.
const LOSING_CAPTURES: u16 = 0x1000;
/// The side to move is in check.
pub(super) const CHECKED: u16 = 0x0800;
/// Marks of the rule rounds, see [`super::rules`].
pub(super) const IN_L: u16 = 0x0400;
pub(super) const IN_W: u16 = 0x0200;
pub(super) const REACHED_W: u16 = 0x0100;
pub(super) const REACHED_L: u16 = 0x0080;
/// Quiet moves not yet known to lose; or [`DRAWS`].
pub(super) const COUNTER: u16 = 0x007f;
/// As the counter: some capture draws, so that the moves need no counting.
pub(super) const DRAWS: u16 = COUNTER;

/// Ranks from here on do not fit in a word.
pub(super) const RANK_LIMIT: u32 = 0x3fff;
/// Orders from here on are neither built nor believed; every order costs a pass over all slots.
pub(super) const ORDER_LIMIT: u16 = 1000;
/// Slots per block of pending flags.
pub(super) const BLOCK: usize = 4096;
/// Distances from here on share one flag.
const FLAGGED: usize = 1024;

/// What the captures of a position mean for the side to move, as far as their orders do not exceed
/// a horizon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Captures {
    /// The best winning capture: order and distance.
    pub(super) win: Option<(u16, u16)>,
    /// The losing capture that resists longest: order and distance.
    pub(super) loss: Option<(u16, u16)>,
    /// Some capture draws.
    pub(super) draws: bool,
    /// Some capture is decided beyond the horizon.
    pub(super) later: bool,
}

impl Captures {
    /// Adds a winning capture of an order and distance.
    pub(super) fn add_win(&mut self, rank: (u16, u16), horizon: u16) {
        if rank.0 > horizon {
            self.later = true;
        } else {
            self.win = Some(self.win.map_or(rank, |best| best.min(rank)));
        }
    }

    /// Adds a losing capture of an order and distance.
    pub(super) fn add_loss(&mut self, rank: (u16, u16), horizon: u16) {
        if rank.0 > horizon {
            self.later = true;
        } else {
            self.loss = self.loss.max(Some(rank));
        }
    }
}

/// What one look at a position tells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Examined {
    /// Number of legal quiet moves, less than [`DRAWS`].
    pub(super) quiet: u16,
    pub(super) in_check: bool,
    /// Under horizon 0.
    pub(super) captures: Captures,
}

/// A game graph whose captures leave it. Sides are 0 and 1; a colour-symmetric arena has side 0
/// only, and every move leads to side 0 again.
pub(super) trait Arena: Sync {
    /// 1 or 2.
    fn sides(&self) -> usize;
    /// Number of slots of each side.
    fn slots(&self) -> usize;
    /// The highest order that captures lead to.
    fn last_order(&self) -> u16;
    /// Looks at a slot with each side to move; `None` where illegal.
    fn examine(&self, slot: u32) -> [Option<Examined>; 2];
    /// The captures of a legal position.
    fn captures(&self, side: usize, slot: u32, horizon: u16) -> Captures;
    /// The slots (of the other side) that quiet moves lead to, illegal ones perhaps included.
    /// Stops once `visit` returns `false`, and returns whether it never did.
    fn successors(&self, side: usize, slot: u32, visit: impl FnMut(u32) -> bool) -> bool;
    /// The slots (of the other side) from which quiet moves lead here, with multiplicity; illegal
    /// ones perhaps included.
    fn predecessors(&self, side: usize, slot: u32, visit: impl FnMut(u32));

    /// The side that moves after `side`.
    fn other(&self, side: usize) -> usize {
        if self.sides() == 1 { 0 } else { 1 - side }
    }
}

/// Why an arena was not solved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SolveError {
    /// A result needs a longer line than words can hold.
    TooDeep,
    /// A position has more moves than words can count.
    TooManyMoves,
    /// [`Watch::is_cancelled`] said so.
    Cancelled,
}

/// Tells how far the work is: orders, plies and how many slots of how many are done.
pub(super) trait Watch: Sync {
    /// `done` of `total` slots were looked at in the beginning.
    fn examined(&self, done: u64, total: u64);
    /// The results of this order and distance are being spread.
    fn ply(&self, order: u16, distance: u16);
    /// Whether to give up.
    fn is_cancelled(&self) -> bool;
}

/// The solver's state.
pub(super) struct Solver<'a, A> {
    pub(super) arena: &'a A,
    words: Vec<Vec<AtomicU16>>,
    /// By side and block, one bit per distance: some slot there waits to be spread.
    pending: Vec<Vec<AtomicU64>>,
    order: u16,
    /// The rank of distance 0 for each order so far.
    bases: Vec<u32>,
    /// The greatest distance pending in this round.
    latest: AtomicU32,
    overflow: AtomicBool,
    /// Some position has too many moves to be counted.
    crowded: AtomicBool,
}

/// The words in the end, and the first rank of each order.
pub(super) struct Solution {
    pub(super) words: Vec<Vec<u16>>,
    pub(super) bases: Vec<u32>,
}

/// Solves the arena under the rules.
pub(super) fn solve<A: Hunt>(
    arena: &A,
    rules: Rules,
    watch: &impl Watch,
) -> Result<Solution, SolveError> {
    let mut solver = Solver::new(arena);
    solver.examine(watch);
    if *solver.crowded.get_mut() {
        return Err(SolveError::TooManyMoves);
    }
    solver.spread(watch)?;
    if rules != Rules::None {
        loop {
            solver.begin_round()?;
            let seeded = solver.seed_captures();
            let mut judged = solver.judge(watch)?;
            if !judged && rules == Rules::Asian {
                judged = solver.apply(&chase::judge(&solver, watch)?);
            }
            if !seeded && !judged && solver.order >= arena.last_order() {
                solver.bases.pop();
                break;
            }
            solver.spread(watch)?;
        }
    }
    Ok(solver.finish())
}

const fn win_word(rank: u32) -> u16 {
    (2 * rank + 1) as u16
}

const fn loss_word(rank: u32) -> u16 {
    (2 * rank + 2) as u16
}

pub(super) const fn is_win(word: u16) -> bool {
    word & UNDECIDED == 0 && word & 1 == 1
}

impl<'a, A: Arena> Solver<'a, A> {
    fn new(arena: &'a A) -> Self {
        let slots = arena.slots();
        let flags = slots.div_ceil(BLOCK) * (FLAGGED / 64);
        Self {
            arena,
            words: (0..arena.sides())
                .map(|_| (0..slots).map(|_| AtomicU16::new(ILLEGAL)).collect())
                .collect(),
            pending: (0..arena.sides())
                .map(|_| (0..flags).map(|_| AtomicU64::new(0)).collect())
                .collect(),
            order: 0,
            bases: vec![0],
            latest: AtomicU32::new(0),
            overflow: AtomicBool::new(false),
            crowded: AtomicBool::new(false),
        }
    }

    pub(super) fn word(&self, side: usize, slot: u32) -> u16 {
        self.words[side][slot as usize].load(Relaxed)
    }

    /// Sets marks; whether none of them was set before.
    pub(super) fn mark(&self, side: usize, slot: u32, marks: u16) -> bool {
        self.words[side][slot as usize].fetch_or(marks, Relaxed) & marks == 0
    }

    /// Removes marks; whether any of them was set before.
    pub(super) fn unmark(&self, side: usize, slot: u32, marks: u16) -> bool {
        self.words[side][slot as usize].fetch_and(!marks, Relaxed) & marks != 0
    }

    /// The slots of a side whose word and number satisfy `keep`, in order.
    pub(super) fn select(&self, side: usize, keep: impl Fn(u16, u32) -> bool + Sync) -> Vec<u32> {
        let words = &self.words[side];
        self.blocks()
            .flat_map_iter(|range| {
                let keep = &keep;
                range.filter(move |&i| keep(words[i].load(Relaxed), i as u32)).map(|i| i as u32)
            })
            .collect()
    }

    fn blocks(&self) -> impl IndexedParallelIterator<Item = Range<usize>> + use<A> {
        let slots = self.arena.slots();
        (0..slots.div_ceil(BLOCK))
            .into_par_iter()
            .map(move |block| block * BLOCK..slots.min((block + 1) * BLOCK))
    }

    fn base(&self) -> u32 {
        self.bases.last().copied().unwrap_or(0)
    }

    /// The first look at every slot.
    fn examine(&self, watch: &impl Watch) {
        let done = AtomicU64::new(0);
        let total = self.arena.slots() as u64;
        self.blocks().for_each(|range| {
            let len = range.len() as u64;
            if watch.is_cancelled() {
                return;
            }
            for slot in range {
                let looks = self.arena.examine(slot as u32);
                for (side, look) in looks.iter().enumerate().take(self.words.len()) {
                    if let Some(look) = look {
                        self.begin_slot(side, slot as u32, *look);
                    }
                }
            }
            watch.examined(done.fetch_add(len, Relaxed) + len, total);
        });
    }

    fn begin_slot(&self, side: usize, slot: u32, look: Examined) {
        if look.quiet >= DRAWS {
            self.crowded.store(true, Relaxed);
            return;
        }
        let checked = if look.in_check { CHECKED } else { 0 };
        let undecided = UNDECIDED | checked | look.quiet;
        self.settle(side, slot, undecided, look.captures);
    }

    /// Gives a slot the word that follows from its captures and its undecided word.
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
        let word = word & !(COUNTER | LATER | LOSING_CAPTURES | NOT_L) | counter | later | losing;
        self.words[side][slot as usize].store(word, Relaxed);
        false
    }

    fn rank(&self, distance: u16) -> u32 {
        let rank = self.base() + u32::from(distance);
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
        let bit = usize::from(distance).min(FLAGGED - 1);
        let cell = &self.pending[side][slot as usize / BLOCK * (FLAGGED / 64) + bit / 64];
        if cell.load(Relaxed) >> (bit % 64) & 1 == 0 {
            cell.fetch_or(1 << (bit % 64), Relaxed);
        }
        // Not under the condition above: distances that share a flag must be heard of as well.
        if self.latest.load(Relaxed) < u32::from(distance) {
            self.latest.fetch_max(u32::from(distance), Relaxed);
        }
    }

    fn pending_blocks(&self, distance: u16) -> Vec<(usize, usize)> {
        let bit = usize::from(distance).min(FLAGGED - 1);
        let width = FLAGGED / 64;
        let mut blocks = Vec::new();
        for (side, pending) in self.pending.iter().enumerate() {
            for block in 0..pending.len() / width {
                if pending[block * width + bit / 64].load(Relaxed) >> (bit % 64) & 1 == 1 {
                    blocks.push((side, block));
                }
            }
        }
        blocks
    }

    /// Spreads the results of this order by distance.
    fn spread(&self, watch: &impl Watch) -> Result<(), SolveError> {
        let mut distance = 0u16;
        while u32::from(distance) <= self.latest.load(Relaxed) {
            if self.overflow.load(Relaxed) || distance == u16::MAX {
                return Err(SolveError::TooDeep);
            }
            if watch.is_cancelled() {
                return Err(SolveError::Cancelled);
            }
            let blocks = self.pending_blocks(distance);
            if !blocks.is_empty() {
                watch.ply(self.order, distance);
            }
            let rank = self.base() + u32::from(distance);
            self.spread_blocks(&blocks, loss_word(rank), |side, slot| {
                self.improve(side, slot, distance + 1);
            });
            self.spread_blocks(&blocks, win_word(rank), |side, slot| {
                self.count_down(side, slot, distance + 1);
            });
            distance += 1;
        }
        Ok(())
    }

    fn spread_blocks(
        &self,
        blocks: &[(usize, usize)],
        word: u16,
        visit: impl Fn(usize, u32) + Sync,
    ) {
        blocks.par_iter().for_each(|&(side, block)| {
            let words = &self.words[side];
            let other = self.arena.other(side);
            let first = block * BLOCK;
            let cells = &words[first..words.len().min(first + BLOCK)];
            for (i, _) in cells.iter().enumerate().filter(|(_, cell)| cell.load(Relaxed) == word) {
                let slot = (first + i) as u32;
                self.arena.predecessors(side, slot, |before| visit(other, before));
            }
        });
    }

    /// The side to move can win in `distance`.
    pub(super) fn improve(&self, side: usize, slot: u32, distance: u16) {
        let word = win_word(self.rank(distance));
        let cell = &self.words[side][slot as usize];
        if cell.load(Relaxed) > word && cell.fetch_min(word, Relaxed) > word {
            self.flag(side, slot, distance);
        }
    }

    /// The side to move loses after `distance`.
    fn lose(&self, side: usize, slot: u32, distance: u16) {
        self.store(side, slot, loss_word(self.rank(distance)), distance);
    }

    /// One more quiet move loses; the slowest so far, in `distance`.
    fn count_down(&self, side: usize, slot: u32, distance: u16) {
        let cell = &self.words[side][slot as usize];
        let word = cell.load(Relaxed);
        if word & UNDECIDED == 0 || word & COUNTER == DRAWS {
            return;
        }
        if word & NOT_L != 0 {
            cell.fetch_and(!NOT_L, Relaxed);
        }
        let word = cell.fetch_sub(1, Relaxed);
        debug_assert!(word & COUNTER != 0, "more losing moves than moves");
        if word & COUNTER != 1 || word & LATER != 0 {
            return;
        }
        let mut slowest = distance;
        if word & LOSING_CAPTURES != 0
            && let Some((order, distance)) = self.arena.captures(side, slot, self.order).loss
            && order == self.order
        {
            slowest = slowest.max(distance);
        }
        self.lose(side, slot, slowest);
    }

    fn begin_round(&mut self) -> Result<(), SolveError> {
        let latest = std::mem::take(self.latest.get_mut());
        let used = if latest == 0 && self.order > 0 { 0 } else { latest + 1 };
        let base = self.base() + used;
        self.bases.push(base);
        self.order = self.order.checked_add(1).ok_or(SolveError::TooDeep)?;
        self.pending.par_iter_mut().flatten().for_each(|cell| *cell.get_mut() = 0);
        if base >= RANK_LIMIT || self.order >= ORDER_LIMIT {
            Err(SolveError::TooDeep)
        } else {
            Ok(())
        }
    }

    /// Captures whose results have this order become known.
    fn seed_captures(&self) -> bool {
        if self.order > self.arena.last_order() {
            return false;
        }
        let mut any = false;
        for (side, words) in self.words.iter().enumerate() {
            any |= self
                .blocks()
                .map(|range| {
                    let mut any = false;
                    for slot in range {
                        let word = words[slot].load(Relaxed);
                        if word & UNDECIDED != 0 && word & LATER != 0 {
                            let captures = self.arena.captures(side, slot as u32, self.order);
                            any |= self.settle(side, slot as u32, word, captures);
                        }
                    }
                    any
                })
                .reduce(|| false, |a, b| a | b);
        }
        if any {
            self.forget_not_l();
        }
        any
    }

    /// Moves to positions that captures decide are not counted down before these are spread.
    fn forget_not_l(&self) {
        self.words.par_iter().flatten().for_each(|cell| {
            let word = cell.load(Relaxed);
            if word & UNDECIDED != 0 && word & NOT_L != 0 {
                cell.fetch_and(!NOT_L, Relaxed);
            }
        });
    }

    /// Decides endless play among the undecided; whether anything was decided.
    fn judge(&self, watch: &impl Watch) -> Result<bool, SolveError> {
        let verdicts = (0..self.words.len())
            .map(|checker| rules::judge(self, checker, watch).ok_or(SolveError::Cancelled))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(self.apply(&verdicts))
    }

    /// Enters what was judged; whether anything was decided.
    fn apply(&self, verdicts: &[Verdict]) -> bool {
        let mut any = false;
        for verdict in verdicts {
            let victim = self.arena.other(verdict.checker);
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
        let words = self.words.into_iter().map(|side| {
            let plain = |cell: AtomicU16| {
                let word = cell.into_inner();
                if word & UNDECIDED != 0 { UNDECIDED } else { word }
            };
            side.into_iter().map(plain).collect()
        });
        Solution { words: words.collect(), bases: self.bases }
    }
}
