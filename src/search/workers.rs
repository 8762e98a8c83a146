use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use super::history::{Before, History};
use super::limits::{Control, Found, HashEntry, Limits, MateSearch};
use super::node::NO_FLOOR;
use super::transposition::{Entry, MAX_HASH_MIB, TranspositionTable};
use super::tunables::VOTE_BASE;
use super::{MAX_PLY, Score, TablebaseProbe};
use crate::bytes::machine::DEEP_STACK;
use crate::bytes::{SetAtEnd, StopFlag};
use crate::game::{Adjudicate, Game, Heuristics, Line, Packed};
use crate::hash::Key;

/// The most threads a search may have.
pub const MAX_THREADS: usize = 256;
/// The most lines that one search reports.
pub const MAX_MULTIPV: usize = 512;
/// Nodes between two looks at the clock: few, for at the end of a very long line each of them is slow.
const CHECK_INTERVAL: u64 = 128;
/// The first iteration is not broken off by time before this number of nodes, so that the move is
/// one that was thought about.
const FIRST_NODES: u64 = 1024;
/// Spreads [stages](Adjudicate::stage) over the bits of a key: 2⁶⁴ divided by the golden ratio.
const STAGE_KEY: u64 = 0x9e37_79b9_7f4a_7c15;
/// Spreads searches for a mate over the bits of a key: they leave out nothing, and so cannot use
/// the results of searches that do.
const PROOF_KEY: u64 = 0x6a09_e667_f3bc_c908;
/// The time beyond that for the move that those first nodes may use: tablebases on a slow disk, or
/// a busy machine, would make much of them.
const FIRST_GRACE: Duration = Duration::from_millis(100);

/// The options of a [`Searcher`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Size of the transposition table in MiB, 1 to [`MAX_HASH_MIB`].
    pub hash_mib: usize,
    /// Number of threads, 1 to [`MAX_THREADS`]; results are reproducible with one.
    pub threads: usize,
    /// Number of best lines that are searched, 1 to [`MAX_MULTIPV`].
    pub multipv: usize,
}

impl Default for SearchOptions {
    /// 64 MiB, one thread, one line.
    fn default() -> Self {
        Self { hash_mib: 64, threads: 1, multipv: 1 }
    }
}

/// The techniques that a search uses, beside alpha-beta search and quiescence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Features {
    /// Scores and moves are used from the transposition table.
    pub table: bool,
    /// No longer mates are looked for where a shorter one is known.
    pub mate_distance: bool,
    /// Unsound ideas that leave out work: null move, futility, razoring, late-move and exchange
    /// pruning.
    pub pruning: bool,
    /// Late moves are searched less deeply at first.
    pub reductions: bool,
    /// The sole answer to a check is searched a ply deeper.
    pub extensions: bool,
    /// A transposition table move that is the only good one is searched deeper.
    pub singular: bool,
    /// Moves are ordered by killers and history.
    pub ordering: bool,
    /// Evaluations are corrected by history.
    pub corrections: bool,
    /// Moves after the first are searched with a null window at first (principal variation search);
    /// otherwise it is plain alpha-beta search.
    pub zero_window: bool,
    /// Shallower iterations come first.
    pub deepening: bool,
}

impl Features {
    /// Everything.
    pub const ALL: Self = Self {
        table: true,
        mate_distance: true,
        pruning: true,
        reductions: true,
        extensions: true,
        singular: true,
        ordering: true,
        corrections: true,
        zero_window: true,
        deepening: true,
    };
    /// The techniques that leave out nothing that may hold a mate: for searches that prove one.
    const PROOF: Self = Self {
        table: true,
        mate_distance: true,
        zero_window: true,
        ordering: true,
        ..Self::FULL_WIDTH
    };
    /// Every move to the full depth: the value of plain minimax, for tests and for solving.
    pub const FULL_WIDTH: Self = Self {
        table: false,
        mate_distance: false,
        pruning: false,
        reductions: false,
        extensions: false,
        singular: false,
        ordering: true,
        corrections: false,
        zero_window: true,
        deepening: true,
    };
}

/// The reasons for which a [`Searcher`] cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A transposition table of no size, or of a size beyond every machine.
    #[error("hash size of {mib} MiB; choose 1 to {MAX_HASH_MIB}")]
    HashSize {
        /// The size wanted.
        mib: usize,
    },
    /// Not enough memory for the transposition table.
    #[error("no memory for a hash table of {mib} MiB; choose a smaller one")]
    Memory {
        /// The size wanted.
        mib: usize,
    },
    /// Not enough memory for the history of the threads.
    #[error("no memory for {threads} search threads; choose fewer")]
    ThreadMemory {
        /// The number wanted.
        threads: usize,
    },
    /// No thread, or too many.
    #[error("{threads} search threads; choose 1 to {MAX_THREADS}")]
    Threads {
        /// The number wanted.
        threads: usize,
    },
    /// No line, or too many.
    #[error("{multipv} lines to report; choose 1 to {MAX_MULTIPV}")]
    MultiPv {
        /// The number wanted.
        multipv: usize,
    },
}

/// Searches positions of one game, one after the other, and keeps its history and transposition
/// table in between.
#[derive(Debug)]
pub struct Searcher<G: Game> {
    options: SearchOptions,
    techniques: Features,
    table: TranspositionTable,
    histories: Vec<History>,
    banned: Vec<G::Move>,
}

impl<G: Heuristics + Adjudicate> Searcher<G> {
    /// A searcher with empty history and transposition table.
    ///
    /// # Errors
    ///
    /// If an option is out of range, or there is no memory for the transposition table or the threads.
    pub fn new(options: SearchOptions) -> Result<Self, SearchError> {
        if options.threads == 0 || options.threads > MAX_THREADS {
            return Err(SearchError::Threads { threads: options.threads });
        }
        check_multipv(options.multipv)?;
        let table = TranspositionTable::new(options.hash_mib)?;
        let histories: Option<_> = (0..options.threads).map(|_| History::new::<G>()).collect();
        let histories = histories.ok_or(SearchError::ThreadMemory { threads: options.threads })?;
        Ok(Self { options, techniques: Features::ALL, table, histories, banned: Vec::new() })
    }

    /// The same searcher with other techniques.
    #[must_use]
    pub fn with_techniques(mut self, techniques: Features) -> Self {
        self.techniques = techniques;
        self
    }

    /// The options of the searcher.
    #[must_use]
    pub const fn options(&self) -> &SearchOptions {
        &self.options
    }

    /// Searches for another number of the best lines from now on, and forgets nothing.
    ///
    /// # Errors
    ///
    /// If there are none, or too many.
    pub fn set_multipv(&mut self, multipv: usize) -> Result<(), SearchError> {
        check_multipv(multipv)?;
        self.options.multipv = multipv;
        Ok(())
    }

    /// Clears history and transposition table: the next search is as the first.
    pub fn new_game(&mut self) {
        self.table.clear();
        for history in &mut self.histories {
            history.clear();
        }
    }

    /// Sets the moves that later searches leave out at the root, until it is called again. Where no
    /// other is left, [`Found::best`] is `None`.
    pub fn ban(&mut self, moves: Vec<G::Move>) {
        self.banned = moves;
    }

    /// The transposition table's entry for the position with this [`table_key`].
    #[must_use]
    pub fn probe(&self, key: Key) -> Option<HashEntry<G::Move>> {
        self.table.probe(key).and_then(hash_entry)
    }

    /// Searches the last position of `line`, repetitions judged by `rules`, until one of `limits` is
    /// reached or `control` says stop. With one thread and a limit on depth or nodes the result depends
    /// on nothing else. Where there is no legal move, nothing is searched and [`Found::best`] is
    /// `None`; it is not checked whether the rules on repetition have ended the game.
    pub fn run<O: TablebaseProbe<G>>(
        &mut self,
        line: &Line<G>,
        rules: G::Rules,
        limits: &Limits,
        tablebase: &O,
        control: &dyn Control<G::Move>,
    ) -> Found<G::Move> {
        self.table.grow_older();
        let shared = Shared {
            techniques: self.techniques,
            multipv: self.options.multipv,
            banned: &self.banned,
            ..Shared::new(&self.table, rules, *limits, tablebase, control)
        };
        let mut workers: Vec<_> = self
            .histories
            .iter_mut()
            .enumerate()
            .map(|(id, history)| Worker::new(id, line, &shared, history))
            .collect();
        let (main, helpers) = workers.split_at_mut(1);
        std::thread::scope(|scope| {
            let mut threads = Vec::with_capacity(helpers.len());
            for helper in helpers {
                // A helper that cannot be started is done without.
                let thread = std::thread::Builder::new().stack_size(DEEP_STACK);
                threads.extend(thread.spawn_scoped(scope, || {
                    let found = helper.iterate();
                    helper.flush_nodes();
                    found
                }));
            }
            let end = SetAtEnd(&shared.stop);
            let mut found = vec![main[0].iterate()];
            drop(end);
            main[0].flush_nodes();
            found.extend(threads.into_iter().filter_map(|thread| thread.join().ok()));
            let mut found = if self.options.multipv == 1 { elect(found) } else { found.remove(0) };
            found.nodes = shared.nodes.load(Relaxed);
            found.quiescence_nodes = shared.quiescence.load(Relaxed);
            found.table_hits = shared.table_hits.load(Relaxed);
            found
        })
    }

    /// Looks for the shortest forced mate or stalemate in at most `moves` moves of the side to
    /// move, a move longer each time, until one is found or one of `limits` is reached (that on
    /// depth is ignored). Nothing is left out: where none is found, and no limit reached, there is
    /// none. A verdict on repetition that comes so early counts as a mate. Searched by one thread,
    /// so that the result depends on nothing else where no limit is a time.
    pub fn find_mate(
        &mut self,
        line: &Line<G>,
        rules: G::Rules,
        moves: u32,
        limits: &Limits,
        control: &dyn Control<G::Move>,
    ) -> MateSearch<G::Move> {
        self.table.grow_older();
        let shared = Shared {
            techniques: Features::PROOF,
            proves: true,
            banned: &self.banned,
            ..Shared::new(&self.table, rules, *limits, &(), control)
        };
        let mut worker = Worker::new(0, line, &shared, &mut self.histories[0]);
        let (mut found, is_complete) = worker.prove_mate(moves);
        let nodes = worker.flush_nodes();
        if let Some(found) = &mut found {
            found.nodes = nodes;
        }
        MateSearch { found, is_complete, nodes }
    }
}

const fn check_multipv(multipv: usize) -> Result<(), SearchError> {
    if multipv == 0 || multipv > MAX_MULTIPV {
        return Err(SearchError::MultiPv { multipv });
    }
    Ok(())
}

/// The answer with most votes among those of several threads. A vote weighs by depth and score; a
/// proven win outweighs them all. Where the first thread knows that it is lost, only threads that
/// looked as far can know better: others have not seen it yet.
fn elect<M: Copy + Eq>(mut all: Vec<Found<M>>) -> Found<M> {
    let (lost, depth) = (all[0].score.is_lost(), all[0].depth);
    let least = all.iter().map(|found| found.score.value()).min().unwrap_or(0);
    let weight = |found: &Found<M>| {
        i64::from(found.score.value() - least + VOTE_BASE) * i64::from(found.depth)
    };
    let votes =
        |mv: Option<M>| -> i64 { all.iter().filter(|found| found.best == mv).map(weight).sum() };
    let rank = |found: &Found<M>| {
        let value = found.score.value();
        if lost {
            return (if found.depth < depth { i32::MIN } else { value }, 0, 0);
        }
        let win = if found.score.is_decisive() { value.max(0) } else { 0 };
        (win, votes(found.best), weight(found))
    };
    // The first thread comes first among equals.
    let best = (0..all.len()).rev().max_by_key(|&i| rank(&all[i])).unwrap_or(0);
    all.swap_remove(best)
}

/// The key under which the transposition table stores the last position of `line`: near a limit of
/// moves, that of the position at its [stage](Adjudicate::stage).
#[inline]
#[must_use]
pub fn table_key<G: Adjudicate>(line: &Line<G>, rules: G::Rules) -> Key {
    Key(line.position().key().0 ^ u64::from(G::stage(line, rules)).wrapping_mul(STAGE_KEY))
}

/// The public form of an entry; `None` for entries that have only a move.
fn hash_entry<M: Packed>(entry: Entry) -> Option<HashEntry<M>> {
    entry.has_score().then(|| HashEntry {
        best: entry.mv.and_then(M::unpack),
        score: entry.score.to_global(0),
        bound: entry.bound,
        depth: u32::from(entry.depth),
    })
}

/// The state that all threads of one search share.
pub(super) struct Shared<'a, G: Adjudicate, O> {
    table: &'a TranspositionTable,
    pub(super) techniques: Features,
    /// Only mates are searched for, and nothing is evaluated.
    pub(super) proves: bool,
    pub(super) multipv: usize,
    /// Root moves left out.
    pub(super) banned: &'a [G::Move],
    pub(super) rules: G::Rules,
    pub(super) limits: Limits,
    pub(super) tablebase: &'a O,
    pub(super) control: &'a dyn Control<G::Move>,
    pub(super) start: Instant,
    nodes: AtomicU64,
    quiescence: AtomicU64,
    pub(super) table_hits: AtomicU64,
    stop: StopFlag,
    /// The time was up while pondering: the search ends as soon as that does.
    due: AtomicBool,
}

impl<'a, G: Adjudicate, O> Shared<'a, G, O> {
    /// The state of a search with all techniques, of one line and with no move left out.
    fn new(
        table: &'a TranspositionTable,
        rules: G::Rules,
        limits: Limits,
        tablebase: &'a O,
        control: &'a dyn Control<G::Move>,
    ) -> Self {
        Self {
            table,
            techniques: Features::ALL,
            proves: false,
            multipv: 1,
            banned: &[],
            rules,
            limits,
            tablebase,
            control,
            start: Instant::now(),
            nodes: AtomicU64::new(0),
            quiescence: AtomicU64::new(0),
            table_hits: AtomicU64::new(0),
            stop: StopFlag::default(),
            due: AtomicBool::new(false),
        }
    }

    #[inline]
    pub(super) fn probe(&self, key: Key) -> Option<Entry> {
        if self.techniques.table { self.table.probe(key) } else { None }
    }

    #[inline]
    pub(super) fn store(&self, key: Key, entry: Entry) {
        if self.techniques.table {
            self.table.store(key, entry);
        }
    }

    pub(super) fn permille_used(&self) -> u32 {
        self.table.permille_used()
    }

    fn out_of_time(&self) -> bool {
        let over = || self.limits.hard_time.is_some_and(|limit| self.start.elapsed() >= limit);
        (self.due.load(Relaxed) || over()) && !self.control.is_pondering()
    }

    /// Returns true if even the first nodes have used too much time.
    fn is_overdue(&self) -> bool {
        let limit = self.limits.hard_time.unwrap_or_default();
        self.start.elapsed() >= limit.saturating_add(FIRST_GRACE)
    }

    /// Returns true if the search is to end at once; while pondering, notes that it is to end then.
    pub(super) fn end_when_due(&self) -> bool {
        self.due.store(true, Relaxed);
        !self.control.is_pondering()
    }
}

/// The search was broken off; its result means nothing.
#[derive(Debug)]
pub(super) struct Interrupted;

/// One thread of a search: its own line, its own history. Arrays are indexed by ply.
pub(super) struct Worker<'a, G: Adjudicate, O> {
    /// 0 is the thread that reports and decides.
    pub(super) id: usize,
    pub(super) shared: &'a Shared<'a, G, O>,
    pub(super) line: Line<G>,
    /// Length of the line at the root.
    pub(super) root: usize,
    pub(super) history: &'a mut History,
    pub(super) killers: Vec<[Option<G::Move>; 2]>,
    /// Static evaluations; `None` in check.
    pub(super) evals: Vec<Option<Score>>,
    /// History indices of the moves made; `None` for a pass.
    pub(super) played: Vec<Option<usize>>,
    /// True for those of them that captured nothing.
    pub(super) played_quiet: Vec<bool>,
    /// Numbers of moves handed out up to those.
    pub(super) numbers: Vec<i32>,
    /// Plies by which they are searched less deep.
    pub(super) reductions: Vec<i32>,
    /// The contexts of history in which they were made.
    pub(super) befores: Vec<Before>,
    /// The move left out while it is compared with the others.
    pub(super) skipped: Vec<Option<G::Move>>,
    /// Double extensions on the way.
    pub(super) doubles: Vec<u8>,
    /// Numbers of nodes of this ply cut off since their grandparent was entered.
    pub(super) cutoffs: Vec<u8>,
    /// The ply from which a score depends on a verdict of the rules that look at the past: 0 if the
    /// loop began before the root, else the ply where it began plus 1. [`NO_FLOOR`] otherwise.
    pub(super) floor: Vec<usize>,
    /// Principal variations from each ply on.
    pub(super) pv: Vec<Vec<G::Move>>,
    /// Root moves left out: the banned ones, then those of better lines.
    pub(super) excluded: Vec<G::Move>,
    /// The best root move of the running iteration, if one was found.
    pub(super) partial: Option<(Score, Vec<G::Move>)>,
    /// Nominal depth of the running iteration.
    pub(super) iteration: i32,
    /// Iterations finished.
    pub(super) finished: u32,
    /// No null move is tried before this ply.
    pub(super) no_null_before: usize,
    pub(super) seldepth: usize,
    /// Nodes spent on each root move in this search.
    pub(super) effort: Vec<(G::Move, u64)>,
    /// Moves made.
    pub(super) nodes: u64,
    /// Those of them made in quiescence.
    quiescence: u64,
    flushed: [u64; 2],
    /// Positions found by the tablebase, since the last [`flush_nodes`](Self::flush_nodes).
    pub(super) table_hits: u64,
    next_check: u64,
}

impl<'a, G: Heuristics + Adjudicate, O: TablebaseProbe<G>> Worker<'a, G, O> {
    fn new(
        id: usize,
        line: &Line<G>,
        shared: &'a Shared<'a, G, O>,
        history: &'a mut History,
    ) -> Self {
        Self {
            id,
            shared,
            line: line.clone(),
            root: line.len(),
            history,
            killers: vec![[None; 2]; MAX_PLY],
            evals: vec![None; MAX_PLY],
            played: vec![None; MAX_PLY],
            played_quiet: vec![false; MAX_PLY],
            numbers: vec![0; MAX_PLY],
            reductions: vec![0; MAX_PLY],
            befores: vec![Before::default(); MAX_PLY],
            skipped: vec![None; MAX_PLY],
            doubles: vec![0; MAX_PLY + 1],
            cutoffs: vec![0; MAX_PLY + 2],
            floor: vec![NO_FLOOR; MAX_PLY],
            pv: vec![Vec::new(); MAX_PLY],
            excluded: shared.banned.to_vec(),
            partial: None,
            iteration: 0,
            finished: 0,
            no_null_before: 0,
            seldepth: 0,
            effort: Vec::new(),
            table_hits: 0,
            nodes: 0,
            quiescence: 0,
            flushed: [0; 2],
            next_check: 0,
        }
    }

    /// Begins a node.
    #[inline]
    pub(super) fn enter(&mut self, ply: usize) {
        self.seldepth = self.seldepth.max(ply);
        self.floor[ply] = NO_FLOOR;
        self.pv[ply].clear();
    }

    /// Makes a move, and now and then checks whether the search is to end.
    #[inline]
    pub(super) fn play(
        &mut self,
        mv: G::Move,
        index: Option<usize>,
        ply: usize,
    ) -> Result<(), Interrupted> {
        self.shared.table.prefetch(self.line.position().key_after(mv));
        self.count()?;
        self.played[ply] = index;
        self.line.push(mv);
        Ok(())
    }

    /// Makes a move of quiescence.
    #[inline]
    pub(super) fn play_quiescence(
        &mut self,
        mv: G::Move,
        index: usize,
        ply: usize,
    ) -> Result<(), Interrupted> {
        self.play(mv, Some(index), ply)?;
        self.quiescence += 1;
        Ok(())
    }

    /// Passes.
    pub(super) fn pass(&mut self, ply: usize) -> Result<(), Interrupted> {
        self.count()?;
        self.played[ply] = None;
        self.line.push_null();
        Ok(())
    }

    #[inline]
    fn count(&mut self) -> Result<(), Interrupted> {
        if self.nodes >= self.next_check {
            self.check()?;
        }
        self.nodes += 1;
        Ok(())
    }

    fn check(&mut self) -> Result<(), Interrupted> {
        let total = self.flush_nodes();
        let shared = self.shared;
        let left = shared.limits.nodes.map_or(u64::MAX, |limit| limit.saturating_sub(total));
        if self.id == 0 {
            shared.control.look(&|key| shared.probe(key).and_then(hash_entry));
        }
        let must_move = self.finished == 0 && self.nodes < FIRST_NODES && !shared.is_overdue();
        let told = || shared.out_of_time() || shared.control.should_stop();
        if left == 0 || shared.stop.is_set() || !must_move && told() {
            shared.stop.set();
            return Err(Interrupted);
        }
        self.next_check = self.nodes + left.min(CHECK_INTERVAL);
        Ok(())
    }

    /// Makes the clock be checked before the next move.
    #[inline]
    pub(super) const fn check_soon(&mut self) {
        self.next_check = self.nodes;
    }

    /// Nodes of all threads together.
    pub(super) fn flush_nodes(&mut self) -> u64 {
        let [nodes, quiescence] = self.flushed;
        self.flushed = [self.nodes, self.quiescence];
        self.shared.quiescence.fetch_add(self.quiescence - quiescence, Relaxed);
        let new = self.nodes - nodes;
        if O::PRESENT {
            self.shared.table_hits.fetch_add(std::mem::take(&mut self.table_hits), Relaxed);
        }
        self.shared.nodes.fetch_add(new, Relaxed) + new
    }

    /// The key under which the transposition table stores the line's last position.
    #[inline]
    pub(super) fn table_key(&self) -> Key {
        let salt = if self.shared.proves { PROOF_KEY } else { 0 };
        Key(table_key(&self.line, self.shared.rules).0 ^ salt)
    }

    /// The context of the history of quiet moves at the line's last position, `ply` plies after the
    /// root.
    #[inline]
    pub(super) fn before(&self, ply: usize) -> Before {
        let at = |back: usize| ply.checked_sub(back).and_then(|ply| self.played[ply]);
        Before { moves: [at(1), at(2), at(4), at(6)], setting: self.line.position().setting_key() }
    }

    /// Sets the principal variation from `ply` on to `mv` and the one from the next ply.
    pub(super) fn extend_pv(&mut self, mv: G::Move, ply: usize) {
        let (upper, lower) = self.pv.split_at_mut(ply + 1);
        let pv = &mut upper[ply];
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&lower[0]);
    }

    /// Undoes the moves that a search that was broken off has left on the line.
    pub(super) fn rewind(&mut self) {
        while self.line.len() > self.root {
            if !self.line.pop() {
                self.line.pop_null();
            }
        }
    }

    /// Records the nodes spent on a root move, `before` being the number of nodes before it.
    pub(super) fn note_effort(&mut self, mv: G::Move, before: u64) {
        let spent = self.nodes - before;
        match self.effort.iter_mut().find(|(of, _)| *of == mv) {
            Some((_, nodes)) => *nodes += spent,
            None => self.effort.push((mv, spent)),
        }
    }

    /// The share of this thread's nodes spent on a root move, as a percentage.
    pub(super) fn effort_percent(&self, mv: Option<G::Move>) -> u64 {
        let spent =
            self.effort.iter().find(|(of, _)| Some(*of) == mv).map_or(0, |(_, nodes)| *nodes);
        100 * spent / self.nodes.max(1)
    }

    /// Records a root move that beat those before it.
    pub(super) fn note_root_move(&mut self, score: Score) {
        self.partial = Some((score, self.pv[0].clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(best: u16, score: Score, depth: u32) -> Found<u16> {
        let (nodes, quiescence_nodes, table_hits) = (0, 0, 0);
        Found {
            best: Some(best),
            score,
            depth,
            nodes,
            quiescence_nodes,
            table_hits,
            pv: vec![best],
        }
    }

    fn elected(all: &[Found<u16>]) -> Option<u16> {
        elect(all.to_vec()).best
    }

    #[test]
    fn helpers_that_have_not_seen_a_loss_are_not_elected() {
        let cp = Score::from_eval;
        for lost in [Score::mated_in(8), Score::table_loss(30)] {
            assert_eq!(elected(&[found(1, lost, 9), found(2, cp(0), 0)]), Some(1));
            assert_eq!(
                elected(&[found(1, lost, 9), found(2, cp(50), 8), found(2, cp(9), 8)]),
                Some(1)
            );
            assert_eq!(elected(&[found(1, lost, 9), found(2, lost, 9)]), Some(1));
            assert_eq!(elected(&[found(1, lost, 9), found(2, cp(-80), 9)]), Some(2));
        }
        let longer = found(2, Score::mated_in(12), 9);
        assert_eq!(elected(&[found(1, Score::mated_in(8), 9), longer]), Some(2));
    }

    #[test]
    fn wins_and_votes_elect() {
        let cp = Score::from_eval;
        assert_eq!(elected(&[found(1, cp(90), 9), found(2, Score::mate_in(7), 6)]), Some(2));
        assert_eq!(elected(&[found(1, cp(0), 9), found(2, cp(9), 9), found(2, cp(8), 9)]), Some(2));
        assert_eq!(elected(&[found(1, cp(20), 9), found(2, Score::mated_in(4), 9)]), Some(1));
        assert_eq!(elected(&[found(1, cp(20), 9), found(2, cp(20), 9)]), Some(1));
    }
}
