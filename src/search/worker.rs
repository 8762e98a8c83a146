//! One thread of a search: its line, its history, its clock; and what all threads of it share.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

use crate::bytes::StopFlag;
use crate::bytes::clock::Instant;
use crate::game::{Adjudicate, Grounds, Heuristics, Line, Packed, Tunables};
use crate::hash::Key;
use crate::search::history::{Before, History};
use crate::search::limits::{Control, CurrentMove, HashEntry, Limits};
use crate::search::options::Features;
use crate::search::score::{MAX_PLY, Score};
use crate::search::tablebase_probe::TablebaseProbe;
use crate::search::transposition::{TranspositionTable, TtEntry};

/// Nodes between two looks at the clock: few, for at the end of a very long line each of them is slow.
const CHECK_INTERVAL: u64 = 128;
/// The first iteration is not broken off by time before this number of nodes, so that the move is
/// one that was thought about.
const FIRST_NODES: u64 = 1024;
/// Spreads [stages](Adjudicate::stage) over the bits of a key: 2⁶⁴ divided by the golden ratio.
const STAGE_KEY: u64 = 0x9e37_79b9_7f4a_7c15;
/// Spreads searches for a mate over the bits of a key: they leave out nothing, and so cannot use
/// the results of searches that do.
pub(crate) const PROOF_KEY: u64 = 0x6a09_e667_f3bc_c908;
/// The time beyond that for the move that those first nodes may use: tablebases on a slow disk, or
/// a busy machine, would make much of them.
const FIRST_GRACE: Duration = Duration::from_millis(100);

/// The time after which a search tells the moves of the root that it searches: before, they change too fast to be read.
const TELLS_MOVES_AFTER: Duration = Duration::from_secs(3);

/// The key under which the transposition table stores the last position of `line`: near a limit of
/// moves, that of the position at its [stage](Adjudicate::stage).
#[inline]
#[must_use]
pub fn tt_key<G: Adjudicate>(line: &Line<G>, rules: G::Rules) -> Key {
    Key(line.position().key().0 ^ u64::from(G::stage(line, rules)).wrapping_mul(STAGE_KEY))
}

/// The public form of an entry; `None` for entries that have only a move.
pub(crate) fn hash_entry<M: Packed>(entry: TtEntry) -> Option<HashEntry<M>> {
    entry.has_score().then(|| HashEntry {
        best: entry.mv.and_then(M::unpack),
        score: entry.score.to_global(0),
        bound: entry.bound,
        depth: u32::from(entry.depth),
    })
}

/// The state that all threads of one search share.
pub(crate) struct Shared<'a, G: Adjudicate, O> {
    pub(crate) tt: &'a TranspositionTable,
    pub(crate) features: Features,
    pub(crate) tunables: &'a Tunables,
    /// Only mates are searched for, and nothing is evaluated.
    pub(crate) proves: bool,
    pub(crate) multipv: usize,
    /// Root moves left out.
    pub(crate) banned: &'a [G::Move],
    pub(crate) rules: G::Rules,
    pub(crate) limits: Limits,
    pub(crate) tablebase: &'a O,
    pub(crate) control: &'a dyn Control<G::Move>,
    pub(crate) start: Instant,
    pub(crate) nodes: AtomicU64,
    pub(crate) quiescence: AtomicU64,
    pub(crate) table_hits: AtomicU64,
    pub(crate) stop: StopFlag,
    /// The time was up while pondering: the search ends as soon as that does.
    pub(crate) due: AtomicBool,
}

impl<'a, G: Adjudicate, O> Shared<'a, G, O> {
    /// The state of a search with all techniques, of one line and with no move left out.
    pub(crate) fn new(
        tt: &'a TranspositionTable,
        tunables: &'a Tunables,
        rules: G::Rules,
        limits: Limits,
        tablebase: &'a O,
        control: &'a dyn Control<G::Move>,
    ) -> Self {
        Self {
            tt,
            features: Features::ALL,
            tunables,
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
    pub(crate) fn probe(&self, key: Key) -> Option<TtEntry> {
        if self.features.tt { self.tt.probe(key) } else { None }
    }

    #[inline]
    pub(crate) fn store(&self, key: Key, entry: TtEntry) {
        if self.features.tt {
            self.tt.store(key, entry);
        }
    }

    pub(crate) fn permille_used(&self) -> u32 {
        self.tt.permille_used()
    }

    fn out_of_time(&self) -> bool {
        (self.due.load(Relaxed)
            || self.limits.hard_time.is_some_and(|limit| self.start.elapsed() >= limit))
            && !self.control.is_pondering()
    }

    /// Returns true if even the first nodes have used too much time.
    fn is_overdue(&self) -> bool {
        let limit = self.limits.hard_time.unwrap_or_default();
        self.start.elapsed() >= limit.saturating_add(FIRST_GRACE)
    }

    /// Returns true if the search is to end at once; while pondering, notes that it is to end then.
    pub(crate) fn end_when_due(&self) -> bool {
        self.due.store(true, Relaxed);
        !self.control.is_pondering()
    }
}

/// A number for the set of positions that have occurred twice in `line` and can come back; 0 if there are none.
fn seen_twice<G: Adjudicate>(line: &Line<G>) -> u64 {
    let since = line.len() - line.reversible() as usize;
    let mut keys: Vec<u64> = line.plies()[since..].iter().map(|ply| ply.key_before.0).collect();
    keys.sort_unstable();
    let twice = keys.chunk_by(PartialEq::eq).filter(|same| same.len() > 1);
    twice.fold(0, |sum: u64, same| sum.wrapping_add(same[0].wrapping_mul(STAGE_KEY)))
}

/// Floor of scores that no repetition decided.
pub(crate) const NO_PATH: usize = usize::MAX;

/// The search was broken off; its result means nothing.
#[derive(Debug)]
pub(crate) struct Interrupted;

/// One thread of a search: its own line, its own history. Arrays are indexed by ply.
pub(crate) struct Worker<'a, G: Heuristics + Adjudicate, O> {
    /// 0 is the thread that reports and decides.
    pub(crate) id: usize,
    pub(crate) shared: &'a Shared<'a, G, O>,
    pub(crate) line: Line<G>,
    /// Length of the line at the root.
    pub(crate) root: usize,
    /// Stands for the positions that a third occurrence would end the game at, because of the moves before the root;
    /// 0 if there are none.
    twice: u64,
    pub(crate) history: &'a mut History,
    pub(crate) evaluator: &'a mut G::Evaluator,
    pub(crate) killers: Vec<[Option<G::Move>; 2]>,
    /// Static evaluations; `None` in check.
    pub(crate) evals: Vec<Option<Score>>,
    /// History indices of the moves made; `None` for a pass.
    pub(crate) played: Vec<Option<usize>>,
    /// True for those of them that captured nothing.
    pub(crate) played_quiet: Vec<bool>,
    /// Numbers of moves handed out up to those.
    pub(crate) numbers: Vec<i32>,
    /// Plies by which they are searched less deep.
    pub(crate) reductions: Vec<i32>,
    /// The contexts of history in which they were made.
    pub(crate) befores: Vec<Before>,
    /// The move left out while it is compared with the others.
    pub(crate) skipped: Vec<Option<G::Move>>,
    /// Double extensions on the way.
    pub(crate) doubles: Vec<u8>,
    /// Numbers of nodes of this ply cut off since their grandparent was entered.
    pub(crate) cutoffs: Vec<u8>,
    /// The ply from which a score depends on a verdict of the rules that look at the past: 0 if the
    /// loop began before the root, else the ply where it began plus 1. [`NO_PATH`] otherwise.
    pub(crate) path_ply: Vec<usize>,
    /// The grounds that scores by early verdicts rest on, as far as they depend on moves above their node.
    pub(crate) grounds: Vec<Grounds>,
    /// Principal variations from each ply on.
    pub(crate) pv: Vec<Vec<G::Move>>,
    /// Root moves left out: the banned ones, then those of better lines.
    pub(crate) excluded: Vec<G::Move>,
    /// The best root move of the running iteration, if one was found.
    pub(crate) partial: Option<(Score, Vec<G::Move>)>,
    /// Nominal depth of the running iteration.
    pub(crate) iteration: i32,
    /// Iterations finished.
    pub(crate) finished: u32,
    /// No null move is tried before this ply.
    pub(crate) no_null_before: usize,
    pub(crate) seldepth: usize,
    /// Nodes spent on each root move in this search.
    pub(crate) effort: Vec<(G::Move, u64)>,
    /// Moves made.
    pub(crate) nodes: u64,
    /// Those of them made in quiescence.
    pub(crate) quiescence: u64,
    flushed: [u64; 2],
    /// Positions found by the tablebase, since the last [`flush_nodes`](Self::flush_nodes).
    pub(crate) table_hits: u64,
    next_check: u64,
}

impl<'a, G: Heuristics + Adjudicate, O: TablebaseProbe<G>> Worker<'a, G, O> {
    pub(crate) fn new(
        id: usize,
        line: &Line<G>,
        shared: &'a Shared<'a, G, O>,
        history: &'a mut History,
        evaluator: &'a mut G::Evaluator,
    ) -> Self {
        Self {
            id,
            shared,
            line: line.clone(),
            root: line.len(),
            twice: seen_twice(line),
            history,
            evaluator,
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
            path_ply: vec![NO_PATH; MAX_PLY],
            grounds: vec![Grounds::ALL; MAX_PLY],
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

    /// The margins, reductions and weights of this search.
    #[inline]
    pub(crate) const fn tunables(&self) -> &'a Tunables {
        self.shared.tunables
    }

    /// Begins a node.
    #[inline]
    pub(crate) fn enter(&mut self, ply: usize) {
        self.seldepth = self.seldepth.max(ply);
        self.path_ply[ply] = NO_PATH;
        self.grounds[ply] = Grounds::ALL;
        self.pv[ply].clear();
    }

    /// Prefetches what the node after a move looks up first.
    #[inline]
    pub(crate) fn prefetch(&self, mv: G::Move) {
        let key = self.line.position().key_after(mv);
        self.shared.tt.prefetch(key);
        self.history.evaluations.prefetch(key);
    }

    /// Makes a move, whose position was [prefetched](Self::prefetch), and now and then checks whether the search is to
    /// end.
    #[inline]
    pub(crate) fn play(
        &mut self,
        mv: G::Move,
        index: Option<usize>,
        ply: usize,
    ) -> Result<(), Interrupted> {
        self.count()?;
        self.played[ply] = index;
        self.line.push(mv);
        Ok(())
    }

    /// Makes a move of quiescence.
    #[inline]
    pub(crate) fn play_quiescence(
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
    pub(crate) fn pass(&mut self, ply: usize) -> Result<(), Interrupted> {
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
        // A search that is stopped at once should still have a move that it has looked at.
        let must_move = self.finished == 0 && self.nodes < FIRST_NODES && !shared.is_overdue();
        if left == 0
            || shared.stop.is_set()
            || !must_move && (shared.out_of_time() || shared.control.should_stop())
        {
            shared.stop.set();
            return Err(Interrupted);
        }
        // With one thread a limit of nodes is met exactly: the next check comes no later than the last node
        // allowed.
        self.next_check = self.nodes + left.min(CHECK_INTERVAL);
        Ok(())
    }

    /// Makes the clock be checked before the next move.
    #[inline]
    pub(crate) const fn check_soon(&mut self) {
        self.next_check = self.nodes;
    }

    /// Nodes of all threads together.
    pub(crate) fn flush_nodes(&mut self) -> u64 {
        let [nodes, quiescence] = self.flushed;
        self.flushed = [self.nodes, self.quiescence];
        self.shared.quiescence.fetch_add(self.quiescence - quiescence, Relaxed);
        let new = self.nodes - nodes;
        if O::PRESENT {
            self.shared.table_hits.fetch_add(std::mem::take(&mut self.table_hits), Relaxed);
        }
        self.shared.nodes.fetch_add(new, Relaxed) + new
    }

    /// The key under which the transposition table stores the line's last position. Where the game before the root
    /// is about to end by repetition, and may still do so, no other search has the same keys: a mate that it has found
    /// may lead over a position that must not come back.
    #[inline]
    pub(crate) fn tt_key(&self) -> Key {
        let mut salt = if self.shared.proves { PROOF_KEY } else { 0 };
        if self.twice != 0 && self.line.reversible() as usize >= self.line.len() - self.root {
            salt ^= self.twice;
        }
        Key(tt_key(&self.line, self.shared.rules).0 ^ salt)
    }

    /// The context of the history of quiet moves at the line's last position, `ply` plies after the
    /// root.
    #[inline]
    pub(crate) fn before(&self, ply: usize) -> Before {
        let at = |back: usize| ply.checked_sub(back).and_then(|ply| self.played[ply]);
        Before { moves: [at(1), at(2), at(4), at(6)], setting: self.line.position().setting_key() }
    }

    /// Sets the principal variation from `ply` on to `mv` and the one from the next ply.
    pub(crate) fn extend_pv(&mut self, mv: G::Move, ply: usize) {
        // Two lines of one list at a time, one read and one written.
        let (upper, lower) = self.pv.split_at_mut(ply + 1);
        let pv = &mut upper[ply];
        pv.clear();
        pv.push(mv);
        pv.extend_from_slice(&lower[0]);
    }

    /// Undoes the moves that a search that was broken off has left on the line.
    pub(crate) fn rewind(&mut self) {
        while self.line.len() > self.root {
            // A search that was broken off may have left a pass on the line as well.
            if !self.line.pop() {
                self.line.pop_null();
            }
        }
    }

    /// Tells that a root move is searched now, the `number`th of those that are not left out.
    pub(crate) fn tell_root_move(&self, mv: G::Move, number: i32) {
        if self.id > 0 || self.shared.start.elapsed() < TELLS_MOVES_AFTER {
            return;
        }
        // The moves of better lines come before it.
        let better = self.excluded.len() - self.shared.banned.len();
        let number = number.unsigned_abs() + better as u32;
        let depth = self.iteration.unsigned_abs();
        self.shared.control.begin_move(&CurrentMove { depth, mv, number });
    }

    /// Records the nodes spent on a root move, `before` being the number of nodes before it.
    pub(crate) fn note_effort(&mut self, mv: G::Move, before: u64) {
        let spent = self.nodes - before;
        match self.effort.iter_mut().find(|(of, _)| *of == mv) {
            Some((_, nodes)) => *nodes += spent,
            None => self.effort.push((mv, spent)),
        }
    }

    /// The share of this thread's nodes spent on a root move, as a percentage.
    pub(crate) fn effort_percent(&self, mv: Option<G::Move>) -> u64 {
        let spent =
            self.effort.iter().find(|(of, _)| Some(*of) == mv).map_or(0, |(_, nodes)| *nodes);
        100 * spent / self.nodes.max(1)
    }

    /// Records a root move that beat those before it.
    pub(crate) fn note_root_move(&mut self, score: Score) {
        self.partial = Some((score, self.pv[0].clone()));
    }
}
