//! Proof of a table by the ordinary legal move generator.
//!
//! The legality of positions, their moves and captures, and the checks among them come from
//! [`Position`]. Shared with the generator are the numbers of slots ([`Index`]), the way in which a
//! file becomes a whole table ([`load`](crate::tablebase::verify::load), which uses the generator's `board` for the
//! values that captures give), and, under the rules `asian`, the definition of a new chase
//! (`chased`, the rules' own). An error in any of the first two shows: what is loaded is compared
//! with legal moves in every slot, and with what [`Tables::probe`] makes of the same file, by other
//! numbers and by legal captures, in some thousands of positions.
//!
//! A table is gone through a few times:
//!
//! 1. *placements*: the slots that are legal positions, and those with the side to move in check;
//! 2. *captures*, only where smaller tables have orders: the wins by rule that a capture brings;
//! 3. *moves*: the value that follows from one ply of legal moves, compared with the table's. The
//!    same look at the moves finds the positions that may belong to an endless check;
//! 4. *evasions* and *checks*: the positions in check that may go on with it, and both sides' lists;
//! 5. *rounds*: the results by the repetition rule, see [`crate::tablebase::verify::perpetual_check`];
//! 6. *differences*: where values do not follow from the moves, or a round decided, both are
//!    compared with the table;
//! 7. *probes*: a sample of positions is looked up one by one.
//!
//! Beside the table and those its captures lead to, a proof needs about one byte for each slot, and
//! some 50 bytes for each position from which an endless check may go on after a check and an evasion.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::bytes::{StopFlag, machine};
use crate::game::{Game, Side};
use crate::tablebase::format::TableError;
use crate::tablebase::generate::generator::Progress;
use crate::tablebase::index::numbering::Index;
use crate::tablebase::index::slot_cursor::{Bits, Placements, SlotCursor, has_doubled_pawns};
use crate::tablebase::material::Material;
use crate::tablebase::probe::tables::Tables;
use crate::tablebase::solve::content::content_hash;
use crate::tablebase::solve::solver::{ILLEGAL, is_win};
use crate::tablebase::solve::table::{DRAW, Table, exchanged, locate_position};
use crate::tablebase::value::{Entry, Metric, Rules, Wdl};
use crate::tablebase::verify::chase::Chases;
use crate::tablebase::verify::perpetual_check::{ALWAYS, Loops, Nodes, Places, RoundNode, Verdict};
use crate::xiangqi::{Bitboard, Move, Piece, Position, Role};

/// Mismatches reported for each table.
const REPORTED: usize = 10;
/// Slots of each side at most whose positions are looked up one by one.
const PROBED: u32 = 1 << 12;
/// Tables of at most this number of slots of each side, one after the other in the list, are proved
/// several at a time.
const SMALL: u32 = 1 << 20;
/// Slots of a parallel task; a multiple of 64.
const TASK: usize = 1 << 12;

/// The options of verification.
#[derive(Debug, Clone, Default)]
pub struct VerifyOptions {
    /// The rules of the tables.
    pub rules: Rules,
    /// The metric of the tables.
    pub metric: Metric,
    /// Number of threads; one for each core if not given.
    pub threads: Option<NonZero<usize>>,
    /// Ends the work when it is set.
    pub stop: StopFlag,
}

/// Something in a table that does not follow from the rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The position; empty where the whole table is meant.
    pub fen: String,
    /// The value in the table.
    pub found: Option<Entry>,
    /// The value that follows from the legal moves, where that is known.
    pub expected: Option<Entry>,
    /// The name of the check.
    pub check: &'static str,
}

/// The result of [`verify`] for one table.
#[derive(Debug, Clone)]
pub struct Verification {
    /// The material of the table.
    pub material: Material,
    /// Legal positions checked, one for each slot and side to move.
    pub positions: u64,
    /// Number of checks that failed.
    pub wrong: u64,
    /// The first of them: by side to move, then by slot.
    pub mismatches: Vec<Mismatch>,
}

impl Verification {
    /// Returns true if nothing was wrong.
    #[must_use]
    pub const fn passed(&self) -> bool {
        self.wrong == 0
    }
}

/// The result of [`verify`].
#[derive(Debug, Default)]
pub struct Proofs {
    /// One for each material, in the order given: an error if the table or one that its captures
    /// lead to is missing or damaged. Fewer than given if interrupted.
    pub tables: Vec<Result<Verification, TableError>>,
    /// True if [`VerifyOptions::stop`] was set; the tables not listed were not checked.
    pub interrupted: bool,
}

/// The reason for which nothing could be verified.
#[derive(Debug, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum VerifyError {
    /// The threads could not be started.
    #[error("cannot start threads: {0}")]
    Threads(String),
}

/// Proves the tables of `materials` in `dir`: checksums, the content hash, all counts and longest
/// wins, one-ply consistency by the ordinary legal move generator, and the rounds of the repetition
/// rule, which must find nothing more among the positions left drawn. The tables that captures lead
/// to are used as they are, but must be those that the table was built from.
///
/// The result does not depend on the number of threads.
///
/// ```
/// use juzhong::tablebase::{GenerateOptions, NoProgress, VerifyOptions, generate_all, verify};
///
/// let folder = tempfile::tempdir()?;
/// let materials = ["KAvK".parse()?];
/// generate_all(folder.path(), &materials, &GenerateOptions::default(), &NoProgress)?;
/// let proofs = verify(folder.path(), &materials, &VerifyOptions::default(), &NoProgress)?;
/// let table = proofs.tables[0].as_ref().unwrap();
/// assert!(table.passed() && table.positions > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the threads cannot be started. A fault in a table is no error, see [`Proofs`].
pub fn verify(
    dir: &Path,
    materials: &[Material],
    options: &VerifyOptions,
    progress: &dyn Progress,
) -> Result<Proofs, VerifyError> {
    let pool = machine::pool(options.threads);
    let pool = pool.map_err(|error| VerifyError::Threads(error.to_string()))?;
    let prove = |number: usize, material: Material, progress: &dyn Progress| {
        progress.verifying(material, number, materials.len());
        verify_one(dir, material, options, progress)
    };
    let mut proofs = Proofs::default();
    let groups = materials.chunk_by(|a, b| is_small(a) && is_small(b));
    for group in groups {
        let first = proofs.tables.len() + 1;
        let results: Vec<_> = pool.install(|| match group {
            &[material] => vec![prove(first, material, progress)],
            group => {
                let tables = group.par_iter().enumerate();
                tables.map(|(i, &material)| prove(first + i, material, &Brief(progress))).collect()
            }
        });
        for result in results {
            match result.transpose() {
                Some(verification) => proofs.tables.push(verification),
                None => {
                    proofs.interrupted = true;
                    return Ok(proofs);
                }
            }
        }
    }
    Ok(proofs)
}

/// Returns true for a table that is proved beside others.
fn is_small(material: &Material) -> bool {
    Index::count_slots(*material).is_some_and(|n| n <= SMALL)
}

/// Passes on only which tables are at work: of several at once, phases would be a muddle.
struct Brief<'a>(&'a dyn Progress);

impl Progress for Brief<'_> {
    fn verifying(&self, material: Material, number: usize, of: usize) {
        self.0.verifying(material, number, of);
    }
}

/// Receives the progress of one proof, and may end it.
struct Observer<'a> {
    progress: &'a dyn Progress,
    stop: StopFlag,
}

/// `None` if interrupted.
fn verify_one(
    dir: &Path,
    material: Material,
    options: &VerifyOptions,
    progress: &dyn Progress,
) -> Result<Option<Verification>, TableError> {
    let &VerifyOptions { rules, metric, ref stop, .. } = options;
    let observer = Observer { progress, stop: stop.clone() };
    let tables = Tables::open(dir, rules, metric)?;
    let file = tables.file(material)?;
    let mut subs = HashMap::new();
    for left in material.captures() {
        subs.insert(left, Arc::new(tables.load(left, [true; 2])?));
    }
    let mut table = tables.load(material, [true; 2])?;
    let Some(placements) = placements(&table.index, &observer) else { return Ok(None) };
    mark(&mut table, &placements);
    let mut prover = Prover::new(table, placements, &subs, metric, observer);
    let Some(mut result) = prover.prove(rules) else { return Ok(None) };
    result = result.join(prover.compare_probes(&tables)?);
    for mistake in file.header.mistakes(&prover.table) {
        result.claim(mistake, false);
    }
    result.claim("content hash", file.header.content == content_hash(&prover.table));
    Ok(Some(result))
}

impl Verification {
    fn claim(&mut self, check: &'static str, holds: bool) {
        if !holds {
            self.wrong += 1;
            self.add(Mismatch { fen: String::new(), found: None, expected: None, check });
        }
    }

    fn add(&mut self, mismatch: Mismatch) {
        if self.mismatches.len() < REPORTED {
            self.mismatches.push(mismatch);
        }
    }

    fn join(mut self, other: Self) -> Self {
        self.positions += other.positions;
        self.wrong += other.wrong;
        for mismatch in other.mismatches {
            self.add(mismatch);
        }
        self
    }
}

/// Goes through all slots in parallel tasks; returns their results in the order of the slots.
/// `None` if interrupted.
fn for_all<T: Send>(
    slots: u32,
    phase: &str,
    observer: &Observer<'_>,
    task: impl Fn(Range<u32>) -> T + Sync,
) -> Option<Vec<T>> {
    let done = AtomicU64::new(0);
    // Tasks of whole words of 64 slots, so that their bits can be put side by side.
    let starts: Vec<u32> = (0..slots).step_by(TASK).collect();
    starts
        .into_par_iter()
        .map(|start| {
            if observer.stop.is_set() {
                return None;
            }
            // There may be nearly 2^32 slots: the end of the last task need not fit.
            let range = start..slots.min(start.saturating_add(TASK as u32));
            let len = range.len() as u64;
            let result = task(range);
            observer.progress.checked(phase, done.fetch_add(len, Relaxed) + len, slots.into());
            Some(result)
        })
        .collect()
}

/// Bits of a task, by side.
type TaskBits = [Vec<u64>; 2];

fn no_bits(range: &Range<u32>) -> TaskBits {
    [(); 2].map(|()| vec![0; range.len().div_ceil(64)])
}

fn joined(parts: &[TaskBits]) -> [Bits; 2] {
    // Tasks have a multiple of 64 slots, so that their words join without gaps.
    [0, 1].map(|side| Bits::new(parts.iter().flat_map(|part| &part[side]).copied().collect()))
}

/// The slots that are legal positions, and those in which the side to move is in check. `None` if
/// interrupted.
fn placements(index: &Index, observer: &Observer<'_>) -> Option<Placements> {
    let has_pawn_pairs = Side::ALL.into_iter().any(|s| index.material.count(s, Role::Pawn) > 1);
    let parts = for_all(index.slots, "placements", observer, |range| {
        let mut legal = no_bits(&range);
        let mut checked = no_bits(&range);
        let mut cursor = SlotCursor::new(index);
        for (i, slot) in range.enumerate() {
            // Either side would do: what attacks the kings does not depend on who is to move.
            cursor.go_to(Side::First, slot);
            let Some(position) = cursor.position() else { continue };
            if has_pawn_pairs && Side::ALL.into_iter().any(|s| has_doubled_pawns(position, s)) {
                continue;
            }
            let attacked = Side::ALL.map(|side| position.is_attacked_king(side));
            for side in 0..index.sides() {
                // The side that is not to move must not be in check; kings that face each other attack each
                // other.
                let is_legal = !attacked[1 - side];
                legal[side][i / 64] |= u64::from(is_legal) << (i % 64);
                checked[side][i / 64] |= u64::from(is_legal && attacked[side]) << (i % 64);
            }
        }
        (legal, checked)
    })?;
    let (legal, checked): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
    Some(Placements { legal: joined(&legal), checked: joined(&checked) })
}

/// Marks as illegal all but the legal positions.
fn mark(table: &mut Table, placements: &Placements) {
    for (words, legal) in table.words.iter_mut().zip(&placements.legal) {
        words.par_chunks_mut(TASK).enumerate().for_each(|(chunk, words)| {
            for (i, word) in words.iter_mut().enumerate() {
                if !legal.has((chunk * TASK + i) as u32) {
                    *word = ILLEGAL;
                }
            }
        });
    }
}

/// Marks as illegal the slots that the ordinary rules call illegal.
#[cfg(test)]
pub(crate) fn mark_illegal(table: &mut Table) {
    let placements = placements(&table.index, &tests::silent());
    mark(table, &placements.unwrap());
}

/// A smaller table, and whether the sides change places in it.
type Sub = (Arc<Table>, bool);

/// A table with its illegal positions marked, and those that captures lead to.
pub(crate) struct Prover<'a> {
    pub(crate) table: Table,
    placements: Placements,
    /// By captured piece.
    subs: [Option<Sub>; Piece::COUNT],
    /// Wins by rule that a capture brings, where there are any; by side.
    by_capture: Option<[Bits; 2]>,
    metric: Metric,
    observer: Observer<'a>,
}

/// The target of a legal move.
enum MoveTarget {
    /// To a slot with the other side to move; `None` if that cannot be.
    Quiet(Option<u32>),
    /// Out of the table: the value for the side that moves, counted from before the move; `None` if
    /// the smaller table does not have it.
    Capture(Option<Entry>),
}

/// The result of going through the moves of a task's slots.
struct Moves {
    /// The slots for which the table does not have the value that follows from the moves.
    differ: TaskBits,
    /// The slots that may be of L, by side.
    checkers: TaskBits,
}

/// Greater for words that are better for the side that moves to them; the greatest for [`ILLEGAL`].
/// A win of the other side is the better the longer it is, a loss the shorter.
const fn preference(word: u16) -> u32 {
    // One number that orders all words: wins of the other side (odd) below the draw by their length, its
    // losses (even) above it, the shorter the higher.
    if word == DRAW || word & 1 == 1 { word as u32 } else { 3 * DRAW as u32 - word as u32 }
}

const fn word_of(preference: u32) -> u16 {
    if preference <= DRAW as u32 {
        preference as u16
    } else {
        (3 * DRAW as u32 - preference) as u16
    }
}

/// The value of the moves seen so far.
#[derive(Default)]
struct Best {
    /// The greatest [`preference`] of the words that quiet moves lead to; 0 without any.
    quiet: u32,
    capture: Option<Entry>,
    /// A move leads to a position without value.
    is_missing: bool,
}

impl Best {
    fn add_quiet(&mut self, word: u16) {
        self.is_missing |= word == ILLEGAL;
        self.quiet = self.quiet.max(preference(word));
    }

    fn add_capture(&mut self, value: Option<Entry>) {
        self.is_missing |= value.is_none();
        self.capture = self.capture.max(value);
    }

    /// The value of the best move, counted from before it; of none, the side to move has lost.
    fn value(&self, table: &Table, metric: Metric) -> Option<Entry> {
        if self.is_missing {
            return None;
        }
        let quiet = table.meaning(word_of(self.quiet)).map(|entry| metric.before_quiet(entry));
        Some(quiet.max(self.capture).unwrap_or(Entry::loss(0, 0)))
    }
}

/// The state of deciding whether a position may be of L, as far as its moves were seen.
struct Checks<'a> {
    /// Some move is neither a check nor ever known to lose.
    is_free: bool,
    since: u16,
    /// The last round in which every check leads to an open position or one won in time.
    until: u16,
    /// The targets of the checks that lead to open positions.
    slots: &'a mut Vec<u32>,
}

impl Checks<'_> {
    /// A quiet move to a position that is open until that round; `is_late` if its result comes after
    /// the limit, with the ply of the move behind it.
    fn add_quiet(&mut self, slot: u32, word: u16, is_check: bool, until: u16, is_late: bool) {
        if is_check && until > 0 {
            self.slots.push(slot);
            if is_late {
                self.until = self.until.min(until);
            }
        } else if is_win(word) && !is_late {
            self.since = self.since.max(until + 1);
        } else {
            self.is_free = true;
        }
    }

    fn add_capture(&mut self, value: Option<Entry>) {
        match value {
            Some(Entry { wdl: Wdl::Loss, order, .. }) => self.since = self.since.max(order),
            _ => self.is_free = true,
        }
    }
}

impl<'a> Prover<'a> {
    fn new(
        table: Table,
        placements: Placements,
        subs: &HashMap<Material, Arc<Table>>,
        metric: Metric,
        observer: Observer<'a>,
    ) -> Self {
        let material = table.index.material;
        let subs = Piece::ALL.map(|piece| {
            let (left, swap) = material.without(piece.side(), piece.role())?;
            Some((Arc::clone(subs.get(&left)?), swap))
        });
        Self { table, placements, subs, by_capture: None, metric, observer }
    }

    fn for_all<T: Send>(
        &self,
        phase: &str,
        task: impl Fn(Range<u32>) -> T + Sync,
    ) -> Option<Vec<T>> {
        for_all(self.table.index.slots, phase, &self.observer, task)
    }

    /// The side that moves after `side`.
    fn other(&self, side: usize) -> usize {
        self.table.words.len() - 1 - side
    }

    #[inline]
    fn word(&self, side: usize, slot: u32) -> u16 {
        self.table.words[side][slot as usize]
    }

    fn entry(&self, side: usize, slot: u32) -> Option<Entry> {
        self.table.meaning(self.word(side, slot))
    }

    /// Calls `visit` with each legal move onto one of the squares `within`.
    #[inline]
    fn steps(
        &self,
        cursor: &SlotCursor<'_>,
        within: impl Fn(&Position) -> Bitboard,
        mut visit: impl FnMut(MoveTarget),
    ) {
        let Some(position) = cursor.position() else { return };
        let free = !position.occupied();
        position.for_each_legal(within(position), |from, targets| {
            let Some(man) = position.piece_at(from) else { return };
            for to in targets & free {
                visit(MoveTarget::Quiet(cursor.slot_after(man, from, to)));
            }
            for to in targets - free {
                visit(MoveTarget::Capture(self.value_of_capture(position, Move::new(from, to))));
            }
        });
    }

    fn value_of_capture(&self, position: &Position, mv: Move) -> Option<Entry> {
        let taken = position.piece_at(mv.to())?;
        let (table, swap) = self.subs[taken.index()].as_ref()?;
        let mut after = position.clone();
        after.make(mv);
        let (side, slot) = locate_position(&table.index, &after, *swap)?;
        let value = table.meaning(table.words[side][slot as usize])?;
        Some(self.metric.before_capture(value))
    }

    /// Returns true if the result that a word stands for comes after the limit, with one more ply
    /// behind it.
    #[inline]
    fn is_late(&self, word: u16) -> bool {
        let entry = self.metric.limit().and_then(|_| self.table.meaning(word));
        entry.is_some_and(|entry| {
            entry.wdl != Wdl::Draw && self.metric.before_quiet(entry) == Entry::DRAW
        })
    }

    /// The last round in which a position is open: see [`crate::tablebase::verify::perpetual_check`].
    #[inline]
    fn until(&self, side: usize, slot: u32) -> u16 {
        let Some(entry) = self.entry(side, slot) else { return 0 };
        match (entry.wdl, entry.order) {
            (Wdl::Draw, _) => ALWAYS,
            (_, 0) => 0,
            (Wdl::Loss, order) => order,
            (Wdl::Win, order) => {
                let wins = self.by_capture.as_ref().map(|wins| &wins[side]);
                order - u16::from(wins.is_some_and(|wins| wins.has(slot)))
            }
        }
    }

    /// `None` if interrupted.
    fn prove(&mut self, rules: Rules) -> Option<Verification> {
        let has_rounds = rules != Rules::None;
        let last_sub = self.subs.iter().flatten().map(|(table, _)| table.last_order()).max();
        let last_order = self.table.last_order().max(last_sub.unwrap_or(0));
        if has_rounds && last_sub > Some(0) {
            self.by_capture = Some(self.wins_by_capture()?);
        }
        let parts = self.for_all("moves", |range| self.look_at_moves(range, has_rounds))?;
        let (differ, checkers): (Vec<_>, Vec<_>) =
            parts.into_iter().map(|part| (part.differ, part.checkers)).unzip();
        let differ = joined(&differ);
        let checkers = joined(&checkers);
        let mut decided = [Vec::new(), Vec::new()];
        if has_rounds {
            self.decide(&checkers, last_order.saturating_add(1), &mut decided)?;
            if rules == Rules::Asian {
                self.decide_chases(last_order.saturating_add(1), &mut decided)?;
            }
            for verdicts in &mut decided {
                verdicts.sort_by_key(|&(slot, entry)| (slot, entry.order));
            }
        }
        let mut result = self.nothing();
        for side in 0..self.table.words.len() {
            result.positions += self.placements.legal[side].len();
            let parts = self.for_all("differences", |range| {
                self.compare(side, range, &differ[side], &decided[side])
            })?;
            result = parts.into_iter().fold(result, Verification::join);
        }
        Some(result)
    }

    fn nothing(&self) -> Verification {
        let material = self.table.index.material;
        Verification { material, positions: 0, wrong: 0, mismatches: Vec::new() }
    }

    /// The wins by rule that a capture brings in the same order.
    fn wins_by_capture(&self) -> Option<[Bits; 2]> {
        let parts = self.for_all("captures", |range| {
            let mut wins = no_bits(&range);
            let mut cursor = SlotCursor::new(&self.table.index);
            for (i, slot) in range.enumerate() {
                for (side, wins) in wins.iter_mut().enumerate().take(self.table.words.len()) {
                    let Some(entry) = self.entry(side, slot) else { continue };
                    if entry.wdl != Wdl::Win || entry.order == 0 {
                        continue;
                    }
                    cursor.go_to(Side::ALL[side], slot);
                    let mut best = Best::default();
                    self.steps(
                        &cursor,
                        |position: &Position| position.side(!position.turn()),
                        |step| {
                            if let MoveTarget::Capture(value) = step {
                                best.add_capture(value);
                            }
                        },
                    );
                    let is_win = best.capture.is_some_and(|best: Entry| {
                        best.wdl == Wdl::Win && best.order <= entry.order
                    });
                    wins[i / 64] |= u64::from(is_win) << (i % 64);
                }
            }
            wins
        })?;
        Some(joined(&parts))
    }

    fn look_at_moves(&self, range: Range<u32>, has_rounds: bool) -> Moves {
        let mut result = Moves { differ: no_bits(&range), checkers: no_bits(&range) };
        let mut cursor = SlotCursor::new(&self.table.index);
        let mut slots = Vec::new();
        for (i, slot) in range.enumerate() {
            for side in 0..self.table.words.len() {
                let Some(found) = self.entry(side, slot) else { continue };
                cursor.go_to(Side::ALL[side], slot);
                let until = if has_rounds { self.until(side, slot) } else { 0 };
                slots.clear();
                // What is open in no round cannot be of L: its checks need not be collected.
                let is_free = until == 0;
                let mut checks = Checks { is_free, since: 1, until, slots: &mut slots };
                let value = self.look(&cursor, self.other(side), &mut checks);
                let may_be = !checks.is_free && checks.since <= checks.until && !slots.is_empty();
                result.checkers[side][i / 64] |= u64::from(may_be) << (i % 64);
                result.differ[side][i / 64] |= u64::from(value != Some(found)) << (i % 64);
            }
        }
        result
    }

    /// The value of the best move; adds the moves to `checks`.
    fn look(
        &self,
        cursor: &SlotCursor<'_>,
        other: usize,
        checks: &mut Checks<'_>,
    ) -> Option<Entry> {
        let mut best = Best::default();
        self.steps(
            cursor,
            |_| Bitboard::FULL,
            |step| match step {
                MoveTarget::Quiet(None) => best.is_missing = true,
                MoveTarget::Quiet(Some(next)) => {
                    let word = self.word(other, next);
                    let is_late = self.is_late(word);
                    // A result that comes after the limit is a draw.
                    best.add_quiet(if is_late { DRAW } else { word });
                    if !checks.is_free {
                        let is_check = self.placements.checked[other].has(next);
                        checks.add_quiet(next, word, is_check, self.until(other, next), is_late);
                    }
                }
                MoveTarget::Capture(value) => {
                    best.add_capture(value);
                    checks.add_capture(value);
                }
            },
        );
        best.value(&self.table, self.metric)
    }

    /// Computes the results of the rounds up to `last`, by side and slot. `may_be` has the slots
    /// that may be of L.
    fn decide(&self, may_be: &[Bits; 2], last: u16, decided: &mut [Vec<Verdict>; 2]) -> Option<()> {
        for checker in 0..self.table.words.len() {
            let victim = self.other(checker);
            let slots = self.table.index.slots;
            let evading_slots = self.evading_slots(victim, &may_be[checker])?;
            let checkers = self.checkers(checker, &may_be[checker], &evading_slots)?;
            let victims =
                self.victims(victim, &evading_slots, &checkers, &checkers.places(slots))?;
            let mut loops = Loops::new(checkers, victims, slots, self.metric.horizon(), |slot| {
                self.until(victim, slot)
            });
            let mut lost = Vec::new();
            let mut won = Vec::new();
            for round in 1..=last {
                if self.observer.stop.is_set() {
                    return None;
                }
                self.observer.progress.checked("rounds", round.into(), last.into());
                loops.decide(round, &mut lost, &mut won);
            }
            decided[checker].extend(lost);
            decided[victim].extend(won);
        }
        Some(())
    }

    /// Adds to `decided` the results by the rule of perpetual chase in the rounds up to `last` in
    /// which that of perpetual check decides nothing.
    fn decide_chases(&self, last: u16, decided: &mut [Vec<Verdict>; 2]) -> Option<()> {
        let losses = decided.iter().flatten().filter(|(_, entry)| entry.wdl == Wdl::Loss);
        let by_check: BTreeSet<u16> = losses.map(|(_, entry)| entry.order).collect();
        let chases =
            Chases::collect(&self.table, self.metric.horizon(), |position: &Position, mv| {
                self.value_of_capture(position, mv)
            });
        for round in (1..=last).filter(|round| !by_check.contains(round)) {
            if self.observer.stop.is_set() {
                return None;
            }
            self.observer.progress.checked("chase rounds", round.into(), last.into());
            for chaser in 0..chases.sides() {
                let (lost, won) = chases.decide(round, chaser);
                let lost = lost.into_iter().map(|(slot, plies)| (slot, Entry::loss(round, plies)));
                let won = won.into_iter().map(|(slot, plies)| (slot, Entry::win(round, plies)));
                decided[chaser].extend(lost);
                decided[self.other(chaser)].extend(won);
            }
        }
        Some(())
    }

    /// The positions in check, undecided in some round, that have an evasion to one that may be of L.
    fn evading_slots(&self, victim: usize, checkers: &Bits) -> Option<Bits> {
        let parts = self.for_all("evasions", |range| {
            let mut evading_slots = no_bits(&range);
            let start = range.start;
            let mut cursor = SlotCursor::new(&self.table.index);
            for slot in self.placements.checked[victim].within(range) {
                if self.until(victim, slot) == 0 {
                    continue;
                }
                cursor.go_to(Side::ALL[victim], slot);
                let mut can_evade = false;
                self.quiet_steps(&cursor, |next| can_evade |= checkers.has(next));
                let i = (slot - start) as usize;
                evading_slots[0][i / 64] |= u64::from(can_evade) << (i % 64);
            }
            evading_slots
        })?;
        let [evading_slots, _] = joined(&parts);
        Some(evading_slots)
    }

    /// The candidates of L: checks to positions that are not of W as long as they are open count
    /// already.
    fn checkers(&self, checker: usize, may_be: &Bits, evading_slots: &Bits) -> Option<Nodes> {
        let victim = self.other(checker);
        let parts = self.for_all("checks", |range| {
            let mut nodes = Nodes::default();
            let mut cursor = SlotCursor::new(&self.table.index);
            let mut slots = Vec::new();
            for slot in may_be.within(range) {
                cursor.go_to(Side::ALL[checker], slot);
                slots.clear();
                let until = self.until(checker, slot);
                let mut checks = Checks { is_free: false, since: 1, until, slots: &mut slots };
                self.look(&cursor, victim, &mut checks);
                let mut since = checks.since;
                let until = checks.until;
                slots.retain(|&next| {
                    let stays = evading_slots.has(next);
                    if !stays {
                        since = since.max(self.until(victim, next).saturating_add(1));
                    }
                    stays
                });
                if since <= until && !slots.is_empty() {
                    let in_check = self.placements.checked[checker].has(slot);
                    nodes.push(RoundNode::new(slot, since, until, in_check), &slots);
                }
            }
            nodes.shrink();
            nodes
        })?;
        Some(Nodes::concat(parts))
    }

    /// The candidates of W among `evading_slots`: those with an evasion to a candidate of L.
    fn victims(
        &self,
        victim: usize,
        evading_slots: &Bits,
        checkers: &Nodes,
        places: &Places,
    ) -> Option<Nodes> {
        let parts = self.for_all("evasions again", |range| {
            let mut nodes = Nodes::default();
            let mut cursor = SlotCursor::new(&self.table.index);
            let mut moves = Vec::new();
            for slot in evading_slots.within(range) {
                let until = self.until(victim, slot);
                cursor.go_to(Side::ALL[victim], slot);
                moves.clear();
                self.quiet_steps(&cursor, |next| {
                    let place = places.find(next);
                    moves.extend(place.filter(|&place| checkers.get(place).since <= until));
                });
                if !moves.is_empty() {
                    nodes.push(RoundNode::new(slot, 1, until, true), &moves);
                }
            }
            nodes.shrink();
            nodes
        })?;
        Some(Nodes::concat(parts))
    }

    /// Calls `visit` with each slot that a legal quiet move leads to.
    fn quiet_steps(&self, cursor: &SlotCursor<'_>, mut visit: impl FnMut(u32)) {
        self.steps(
            cursor,
            |position: &Position| !position.occupied(),
            |step| {
                if let MoveTarget::Quiet(Some(next)) = step {
                    visit(next);
                }
            },
        );
    }

    /// Compares where the moves alone do not explain the table, or a round says something.
    fn compare(
        &self,
        side: usize,
        range: Range<u32>,
        differ: &Bits,
        decided: &[Verdict],
    ) -> Verification {
        let mut result = self.nothing();
        let start = decided.partition_point(|&(slot, _)| slot < range.start);
        let end = decided.partition_point(|&(slot, _)| slot < range.end);
        let decided = &decided[start..end];
        let mut slots: Vec<u32> = differ.within(range).collect();
        slots.extend(decided.iter().map(|&(slot, _)| slot));
        slots.sort_unstable();
        slots.dedup();
        let mut cursor = SlotCursor::new(&self.table.index);
        let mut unused = Vec::new();
        for slot in slots {
            cursor.go_to(Side::ALL[side], slot);
            let mut checks = Checks { is_free: true, since: 0, until: 0, slots: &mut unused };
            let best = self.look(&cursor, self.other(side), &mut checks);
            let place = decided.partition_point(|verdict| verdict.0 < slot);
            let verdict = decided.get(place).filter(|verdict| verdict.0 == slot);
            let (expected, check) = expected(best, verdict.map(|verdict| verdict.1));
            let found = self.entry(side, slot);
            if found != expected {
                result.wrong += 1;
                let fen = cursor.position().map(Position::to_fen).unwrap_or_default();
                result.add(Mismatch { fen, found, expected, check });
            }
        }
        result
    }
}

impl Prover<'_> {
    /// Compares the values read for single positions, with either side as Red, with the whole table.
    fn compare_probes(&self, tables: &Tables) -> Result<Verification, TableError> {
        let slots = self.table.index.slots;
        let sample = (0..slots.min(PROBED)).into_par_iter().map(|i| {
            let slot = if slots > PROBED { spread(i, slots) } else { i };
            let mut result = self.nothing();
            let mut cursor = SlotCursor::new(&self.table.index);
            for side in 0..self.table.words.len() {
                let Some(found) = self.entry(side, slot) else { continue };
                cursor.go_to(Side::ALL[side], slot);
                let Some(position) = cursor.position() else { continue };
                for position in [position, &exchanged(position)] {
                    let probed = tables.probe(position)?;
                    if probed != found {
                        result.wrong += 1;
                        let fen = position.to_fen();
                        let check = "as probed";
                        let (found, expected) = (Some(probed), Some(found));
                        result.add(Mismatch { fen, found, expected, check });
                    }
                }
            }
            Ok(result)
        });
        let parts = sample.collect::<Result<Vec<_>, _>>()?;
        Ok(parts.into_iter().fold(self.nothing(), Verification::join))
    }
}

/// One of `slots` slots for each number: steps of the golden section, which no radix divides.
const fn spread(number: u32, slots: u32) -> u32 {
    let fraction = number.wrapping_mul(0x9e37_79b9);
    ((fraction as u64 * slots as u64) >> 32) as u32
}

/// The value that follows from the best move and from the first round that decides the position,
/// and the name of the check.
fn expected(best: Option<Entry>, verdict: Option<Entry>) -> (Option<Entry>, &'static str) {
    let Some(best) = best else { return (None, "a move leads to a position without value") };
    match verdict {
        None => (Some(best), "one ply of legal moves"),
        Some(lost) if lost.wdl == Wdl::Loss => {
            let is_lost = best.wdl == Wdl::Loss && best.order <= lost.order;
            (is_lost.then_some(lost), "lost by the repetition rule")
        }
        Some(won) => (Some(best.max(won)), "won by the repetition rule"),
    }
}

#[cfg(test)]
mod tests;
