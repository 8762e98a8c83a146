//! The search as a caller sees it: options, threads, and the vote of the threads on the best move.

use std::sync::atomic::Ordering::Relaxed;

use crate::bytes::SetAtEnd;
use crate::game::{Adjudicate, Evaluator, Heuristics, Line, Tunables};
use crate::hash::Key;
use crate::search::history::History;
use crate::search::limits::{Control, HashEntry, Limits, MateSearch, SearchResult};
use crate::search::options::{Features, MAX_MULTIPV, MAX_THREADS, SearchError, SearchOptions};
use crate::search::tablebase_probe::TablebaseProbe;
use crate::search::transposition::TranspositionTable;
use crate::search::tunables::VOTE_BASE;
use crate::search::worker::{Shared, Worker, hash_entry};

/// Searches positions of one game, one after the other, and keeps its history and transposition
/// table in between.
///
/// ```
/// use juzhong::game::Line;
/// use juzhong::search::{Limits, SearchOptions, Searcher};
/// use juzhong::xiangqi::{Position, RuleSet};
///
/// let mut searcher = Searcher::new(SearchOptions { hash_mib: 1, ..SearchOptions::default() })?;
/// // One rook holds the rank before the king, the other gives mate.
/// let position = Position::from_fen("3k5/R8/9/9/9/9/9/9/1R7/5K3 w")?;
/// let line = Line::new(position, 0);
/// let found = searcher.run(&line, RuleSet::default(), &Limits::depth(3), &(), &());
/// assert_eq!(found.best.unwrap().to_string(), "b1b9");
/// assert!(found.score.is_proved());
/// // A search that leaves nothing out proves it.
/// let mate = searcher.find_mate(&line, RuleSet::default(), 1, &Limits::default(), &());
/// assert_eq!(mate.found.unwrap().pv.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Searcher<G: Heuristics> {
    options: SearchOptions,
    features: Features,
    tunables: Tunables,
    tt: TranspositionTable,
    histories: Vec<History>,
    /// One for each thread.
    evaluators: Vec<G::Evaluator>,
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
        let tt = TranspositionTable::new(options.hash_mib)?;
        let histories: Option<_> = (0..options.threads).map(|_| History::new::<G>()).collect();
        let histories = histories.ok_or(SearchError::ThreadMemory { threads: options.threads })?;
        let evaluators = vec![G::Evaluator::of_kind(options.evaluation); options.threads];
        let features = Features::ALL;
        let tunables = Tunables::from_values(G::TUNABLES.values());
        Ok(Self { options, features, tunables, tt, histories, evaluators, banned: Vec::new() })
    }

    /// The same searcher with other features.
    #[must_use]
    pub fn with_features(mut self, features: Features) -> Self {
        self.features = features;
        self
    }

    /// The same searcher with other margins, reductions and weights than those of its game, each brought into its range;
    /// it forgets nothing.
    #[must_use]
    pub fn with_tunables(mut self, tunables: &Tunables) -> Self {
        self.tunables = Tunables::from_values(tunables.values());
        self
    }

    /// The same searcher with another evaluation; it forgets what it has searched.
    #[must_use]
    pub fn with_evaluator(mut self, evaluator: &G::Evaluator) -> Self {
        self.evaluators.fill(evaluator.clone());
        self.new_game();
        for history in &mut self.histories {
            history.evaluations.clear();
        }
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
        self.tt.clear();
        for history in &mut self.histories {
            history.clear();
        }
    }

    /// Sets the moves that later searches leave out at the root, until it is called again. Where no
    /// other is left, [`SearchResult::best`] is `None`.
    pub fn ban(&mut self, moves: Vec<G::Move>) {
        self.banned = moves;
    }

    /// The transposition table's entry for the position with this [`tt_key`](crate::search::tt_key).
    #[must_use]
    pub fn probe(&self, key: Key) -> Option<HashEntry<G::Move>> {
        self.tt.probe(key).and_then(hash_entry)
    }

    /// Searches the last position of `line`, repetitions judged by `rules`, until one of `limits` is
    /// reached or `control` says stop. With one thread and a limit on depth or nodes the result depends
    /// on nothing else. Where there is no legal move, nothing is searched and [`SearchResult::best`] is
    /// `None`; it is not checked whether the rules on repetition have ended the game.
    pub fn run<O: TablebaseProbe<G>>(
        &mut self,
        line: &Line<G>,
        rules: G::Rules,
        limits: &Limits,
        tablebase: &O,
        control: &dyn Control<G::Move>,
    ) -> SearchResult<G::Move> {
        self.tt.grow_older();
        let shared = Shared {
            features: self.features,
            multipv: self.options.multipv,
            banned: &self.banned,
            ..Shared::new(&self.tt, &self.tunables, rules, *limits, tablebase, control)
        };
        let mut workers: Vec<_> = self
            .histories
            .iter_mut()
            .zip(&mut self.evaluators)
            .enumerate()
            .map(|(id, (history, evaluator))| Worker::new(id, line, &shared, history, evaluator))
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
            // A helper that still searches ends with the first thread, even if that panics.
            let end = SetAtEnd(&shared.stop);
            let mut found = vec![in_deep_stack(|| main[0].iterate())];
            drop(end);
            main[0].flush_nodes();
            found.extend(threads.into_iter().filter_map(|thread| thread.join().ok()));
            let first = found[0].best;
            let mut found = if self.options.multipv == 1 { elect(found) } else { found.remove(0) };
            if found.best != first {
                main[0].report_elected(&found);
            }
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
        self.tt.grow_older();
        let shared = Shared {
            features: Features::PROOF,
            proves: true,
            banned: &self.banned,
            ..Shared::new(&self.tt, &self.tunables, rules, *limits, &(), control)
        };
        let history = &mut self.histories[0];
        let evaluator = &mut self.evaluators[0];
        let mut worker = Worker::new(0, line, &shared, history, evaluator);
        let (mut found, is_complete) = in_deep_stack(|| worker.prove_mate(moves));
        let nodes = worker.flush_nodes();
        if let Some(found) = &mut found {
            found.nodes = nodes;
        }
        MateSearch { found, is_complete, nodes }
    }
}

/// The stack in bytes of a thread that searches: room for the deepest lines, each ply of which holds
/// its moves. The default of a thread, 2 MiB, is not always enough.
const DEEP_STACK: usize = 8 << 20;

/// Does some work in a thread with a stack for the deepest lines, whatever that of the caller's thread is; in the
/// caller's if no thread can be started.
fn in_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(DEEP_STACK);
        let started = thread.spawn_scoped(scope, || work.take().map(|work| work()));
        started.ok().map(std::thread::ScopedJoinHandle::join)
    });
    match done {
        Some(Ok(Some(value))) => value,
        Some(Err(panic)) => std::panic::resume_unwind(panic),
        // No thread was started, so that the work is still there.
        _ => work.take().map(|work| work()).expect("work that was not begun"),
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
fn elect<M: Copy + Eq>(mut all: Vec<SearchResult<M>>) -> SearchResult<M> {
    let lost = all[0].score.is_lost();
    let depth = all[0].depth;
    let least = all.iter().map(|found| found.score.value()).min().unwrap_or(0);
    let weight = |found: &SearchResult<M>| {
        i64::from(found.score.value() - least + VOTE_BASE) * i64::from(found.depth)
    };
    let votes =
        |mv: Option<M>| -> i64 { all.iter().filter(|found| found.best == mv).map(weight).sum() };
    let rank = |found: &SearchResult<M>| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::score::Score;

    fn found(best: u16, score: Score, depth: u32) -> SearchResult<u16> {
        let (nodes, quiescence_nodes, table_hits) = (0, 0, 0);
        SearchResult {
            best: Some(best),
            score,
            depth,
            nodes,
            quiescence_nodes,
            table_hits,
            pv: vec![best],
        }
    }

    fn elected(all: &[SearchResult<u16>]) -> Option<u16> {
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
