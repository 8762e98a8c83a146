use std::marker::PhantomData;
use std::time::Instant;

use super::transposition::TranspositionTable;
use super::window::Window;
use super::{Bound, Control, Found, Iteration, Limits, MAX_HASH_MIB, MAX_PLY, Oracle, Score};
use crate::game::{Adjudicate, Game, Heuristics, Horizon, Line, MoveList, Outcome, Verdict};

/// The most threads a search may have.
pub const MAX_THREADS: usize = 1024;
/// The most lines that one search reports.
pub const MAX_MULTIPV: usize = 512;

/// What a [`Searcher`] is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchOptions {
    /// Size of the transposition table in MiB, 1 to [`MAX_HASH_MIB`].
    pub hash_mib: usize,
    /// Number of threads, 1 to [`MAX_THREADS`]; results are reproducible with one.
    pub threads: usize,
    /// How many of the best lines are searched, 1 to [`MAX_MULTIPV`].
    pub multipv: usize,
}

impl Default for SearchOptions {
    /// 64 MiB, one thread, one line.
    fn default() -> Self {
        Self { hash_mib: 64, threads: 1, multipv: 1 }
    }
}

/// Why a [`Searcher`] cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// A table of no size, or of a size beyond every machine.
    #[error("hash size of {mib} MiB; choose 1 to {MAX_HASH_MIB}")]
    HashSize {
        /// As asked for.
        mib: usize,
    },
    /// Not enough memory for the table.
    #[error("no memory for a hash table of {mib} MiB; choose a smaller one")]
    Memory {
        /// As asked for.
        mib: usize,
    },
    /// No thread, or too many.
    #[error("{threads} search threads; choose 1 to {MAX_THREADS}")]
    Threads {
        /// As asked for.
        threads: usize,
    },
    /// No line, or too many.
    #[error("{multipv} lines to report; choose 1 to {MAX_MULTIPV}")]
    MultiPv {
        /// As asked for.
        multipv: usize,
    },
}

/// Searches positions of one game, one after the other, and keeps what it learned in between.
#[derive(Debug)]
pub struct Searcher<G> {
    options: SearchOptions,
    table: TranspositionTable,
    game: PhantomData<fn() -> G>,
}

impl<G: Heuristics + Adjudicate> Searcher<G> {
    /// A searcher that knows nothing yet.
    ///
    /// # Errors
    ///
    /// If an option is out of range, or there is no memory for the transposition table.
    pub fn new(options: SearchOptions) -> Result<Self, SearchError> {
        if options.threads == 0 || options.threads > MAX_THREADS {
            return Err(SearchError::Threads { threads: options.threads });
        }
        if options.multipv == 0 || options.multipv > MAX_MULTIPV {
            return Err(SearchError::MultiPv { multipv: options.multipv });
        }
        let table = TranspositionTable::new(options.hash_mib)?;
        Ok(Self { options, table, game: PhantomData })
    }

    /// What the searcher is made of.
    #[must_use]
    pub const fn options(&self) -> &SearchOptions {
        &self.options
    }

    /// Forgets everything learned: the next search is as the first.
    pub fn new_game(&mut self) {
        self.table.clear();
    }

    /// Searches the last position of `line`, repetitions judged by `rules`, until one of `limits`
    /// is reached or `control` says stop. With one thread and a limit on depth or nodes the result
    /// depends on nothing else. Where the game is over already, nothing is searched and
    /// [`Found::best`] is `None`.
    pub fn run<O: Oracle<G>>(
        &mut self,
        line: &Line<G>,
        rules: G::Rules,
        limits: &Limits,
        oracle: &O,
        control: &dyn Control<G::Move>,
    ) -> Found<G::Move> {
        self.table.grow_older();
        let mut search = Simple {
            line: line.clone(),
            rules,
            root: line.len(),
            limits,
            oracle,
            control,
            nodes: 0,
            start: Instant::now(),
        };
        search.iterate()
    }
}

struct Simple<'a, G: Adjudicate, O> {
    line: Line<G>,
    rules: G::Rules,
    root: usize,
    limits: &'a Limits,
    oracle: &'a O,
    control: &'a dyn Control<G::Move>,
    nodes: u64,
    start: Instant,
}

impl<G: Heuristics + Adjudicate, O: Oracle<G>> Simple<'_, G, O> {
    fn iterate(&mut self) -> Found<G::Move> {
        let mut moves = MoveList::new();
        self.line.position().legal_moves(&mut moves);
        let mut found = Found {
            best: moves.first().copied(),
            ponder: None,
            score: if moves.is_empty() { self.terminal(0) } else { Score::DRAW },
            depth: 0,
            nodes: 0,
            pv: moves.first().copied().into_iter().collect(),
        };
        let last = self.limits.depth.unwrap_or(MAX_PLY as u32 - 1).min(MAX_PLY as u32 - 1);
        let clean = self.line.clone();
        for depth in 1..=last {
            if moves.is_empty() {
                break;
            }
            let mut pv = Vec::new();
            let Some(score) = self.search(Window::full(), depth, 0, &mut pv) else {
                self.line = clone_line(&clean);
                break;
            };
            found.score = score;
            found.depth = depth;
            found.best = pv.first().copied().or(found.best);
            found.ponder = pv.get(1).copied();
            found.pv.clone_from(&pv);
            self.control.report(&Iteration {
                depth,
                seldepth: depth,
                multipv: 1,
                score,
                bound: Bound::Exact,
                nodes: self.nodes,
                time: self.start.elapsed(),
                hashfull_permille: 0,
                pv,
            });
            if self.limits.soft_time.is_some_and(|limit| self.start.elapsed() >= limit) {
                break;
            }
        }
        found.nodes = self.nodes;
        found
    }

    fn terminal(&self, ply: usize) -> Score {
        match self.line.position().outcome() {
            Some(Outcome::Win(side)) if side == self.line.position().side_to_move() => {
                Score::mate_in(ply)
            }
            Some(Outcome::Win(_)) => Score::mated_in(ply),
            _ => Score::DRAW,
        }
    }

    fn is_over(&self) -> bool {
        self.limits.nodes.is_some_and(|limit| self.nodes >= limit)
            || self.nodes.is_multiple_of(1024)
                && (self.control.should_stop()
                    || self.limits.hard_time.is_some_and(|limit| self.start.elapsed() >= limit))
    }

    fn search(
        &mut self,
        mut window: Window,
        depth: u32,
        ply: usize,
        pv: &mut Vec<G::Move>,
    ) -> Option<Score> {
        if self.is_over() {
            return None;
        }
        self.nodes += 1;
        pv.clear();
        if ply > 0 {
            let horizon = Horizon::Search { root: self.root };
            match G::judge(&self.line, self.rules, horizon).verdict {
                Verdict::None => {}
                Verdict::Draw => return Some(Score::DRAW),
                Verdict::Loses(side) if side == self.line.position().side_to_move() => {
                    return Some(Score::mated_in(ply));
                }
                Verdict::Loses(_) => return Some(Score::mate_in(ply)),
            }
            if O::PRESENT {
                let _ = self.oracle.probe(self.line.position());
            }
        }
        let mut moves = MoveList::new();
        let position = self.line.position();
        let mut best = -Score::INFINITE;
        if depth == 0 || ply + 1 >= MAX_PLY {
            best = Score::from_eval(position.evaluate());
            if ply + 1 >= MAX_PLY || !window.raise(best) && false || window.is_empty() {
                return Some(best);
            }
            position.forcing_moves(&mut moves);
        } else {
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                return Some(self.terminal(ply));
            }
        }
        moves.sort_by_key(
            |&mv| {
                if position.is_forcing(mv) { -position.forcing_value(mv) } else { 0 }
            },
        );
        let mut tail = Vec::new();
        for mv in moves {
            self.line.push(mv);
            let score = -self.search(-window, depth.saturating_sub(1), ply + 1, &mut tail)?;
            self.line.pop();
            best = best.max(score);
            if window.raise(score) {
                pv.clear();
                pv.push(mv);
                pv.append(&mut tail);
            }
            if window.is_empty() {
                break;
            }
        }
        Some(best)
    }
}

fn clone_line<G: Game>(line: &Line<G>) -> Line<G> {
    line.clone()
}
