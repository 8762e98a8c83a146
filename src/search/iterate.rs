//! Iterative deepening: one thread searches deeper and deeper, with aspiration windows, until its time is over.

use crate::game::{Adjudicate, Bound, Evaluator, Heuristics, MoveList, Packed, ScoreKind};
use crate::search::limits::{Iteration, SearchResult};
use crate::search::score::{MAX_PLY, Score};
use crate::search::tablebase_probe::TablebaseProbe;
use crate::search::tree::facts::Root;
use crate::search::tunables::{
    ASPIRATION_DEPTH, TIME_BY_EFFORT, TIME_BY_EFFORT_SPAN, TIME_BY_SCORE, TIME_BY_SCORE_MAX,
    TIME_BY_STABILITY,
};
use crate::search::wdl::wdl;
use crate::search::window::Window;
use crate::search::worker::{Interrupted, Worker};

/// One of the best lines from the root.
#[derive(Debug, Clone)]
struct RootLine<M> {
    score: Score,
    pv: Vec<M>,
}

/// The course of the best move from one iteration to the next.
#[derive(Debug, Clone, Copy, Default)]
struct Trend {
    /// Iterations since it changed.
    unchanged: usize,
    /// Centipawns that its score fell below the average of the iterations before.
    fall: i32,
    average: Option<i32>,
}

impl Trend {
    fn note(&mut self, changed: bool, score: Score) {
        self.unchanged = if changed { 0 } else { self.unchanged + 1 };
        let value = Score::from_eval(score.value()).value();
        let average = self.average.unwrap_or(value);
        self.fall = average - value;
        self.average = Some((2 * average + value) / 3);
    }

    /// The percentage of the soft time limit that the search may use.
    fn time_percent(self, effort: u64) -> u64 {
        let last = TIME_BY_STABILITY.len() - 1;
        let stability = TIME_BY_STABILITY[self.unchanged.min(last)];
        let effort = TIME_BY_EFFORT - TIME_BY_EFFORT_SPAN * effort / 100;
        let fall = self.fall.clamp(-TIME_BY_SCORE_MAX / 4, TIME_BY_SCORE_MAX);
        let fall = (100 + TIME_BY_SCORE * fall).unsigned_abs();
        stability * effort * u64::from(fall) / 10_000
    }
}

impl<G: Heuristics + Adjudicate, O: TablebaseProbe<G>> Worker<'_, G, O> {
    /// Iterative deepening: searches one ply deeper each time until a limit is reached.
    pub(crate) fn iterate(&mut self) -> SearchResult<G::Move> {
        self.shared.tablebase.enter(self.id);
        let mut moves = MoveList::new();
        self.line.position().plausible_moves(&mut moves);
        moves.retain(|mv| !self.shared.banned.contains(mv));
        if moves.is_empty() {
            return found(&[RootLine { score: self.terminal(0), pv: Vec::new() }], 0);
        }
        let count = if self.id == 0 { self.shared.multipv.min(moves.len()) } else { 1 };
        let eval = Score::from_eval(self.evaluator.evaluate(self.line.position(), 0));
        let mut lines: Vec<_> =
            moves.iter().take(count).map(|&mv| RootLine { score: eval, pv: vec![mv] }).collect();
        let deepest = self.shared.limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32 - 1);
        let shallowest = if self.shared.features.deepening { 1 } else { deepest };
        let mut trend = Trend::default();
        for depth in shallowest..=deepest {
            if self.leaves_out(depth) && depth < deepest {
                continue;
            }
            let best = lines[0].pv.first().copied();
            self.iteration = depth.cast_signed();
            if self.search_lines(&mut lines).is_err() {
                self.rewind();
                self.complete_mate(&mut lines[0]);
                // With one line, what is reported last begins with the move that is played.
                if self.id == 0 && count == 1 && lines[0].pv.first().copied() != best {
                    self.report(&lines);
                }
                break;
            }
            self.finished = depth;
            let now = lines[0].pv.first().copied();
            trend.note(now != best, lines[0].score);
            for line in &mut lines {
                self.complete_mate(line);
            }
            if self.id == 0 {
                self.report(&lines);
            }
            let percent = trend.time_percent(self.effort_percent(now));
            if self.id == 0 && self.may_end(&lines, percent, moves.len()) {
                break;
            }
        }
        self.rewind();
        self.complete_mate(&mut lines[0]);
        self.add_answer(&mut lines[0]);
        found(&lines, self.finished)
    }

    /// Searches for a mate in at most `moves` moves, a move longer each time. The flag is true if
    /// the search was not broken off.
    pub(crate) fn prove_mate(&mut self, moves: u32) -> (Option<SearchResult<G::Move>>, bool) {
        let most = moves.min(MAX_PLY as u32 / 2 - 1);
        for plies in (1..=most).map(|moves| 2 * moves - 1) {
            let depth = plies.cast_signed();
            (self.iteration, self.seldepth, self.partial) = (depth, 0, None);
            let mate = Score::mate_in(plies as usize);
            // Not a null window, so that the line is complete: shorter mates there are none.
            let window = Window { alpha: mate - 1, beta: mate + 1 };
            let score = self.search::<Root>(window, depth, 0, true);
            let Ok(score) = score else {
                self.rewind();
                return (None, false);
            };
            self.finished = plies;
            if let Some((_, pv)) = self.partial.take().filter(|_| score >= mate) {
                let mut line = RootLine { score, pv };
                self.complete_mate(&mut line);
                let lines = [line];
                self.report(&lines);
                return (Some(found(&lines, plies)), true);
            }
        }
        (None, most == moves)
    }

    /// Returns true if a helper leaves out the iteration of this depth, so that threads differ in what
    /// they look at: helpers come in groups of 2, 4, 6 … that take turns in blocks of 1, 2, 3 … depths.
    fn leaves_out(&self, depth: u32) -> bool {
        let Some(mut place) = self.id.checked_sub(1) else { return false };
        let mut block = 1;
        while place >= 2 * block {
            place -= 2 * block;
            block += 1;
        }
        (depth as usize + place) / block % 2 == 1
    }

    /// One iteration: the best line, then the best without its first move, and so on.
    fn search_lines(&mut self, lines: &mut [RootLine<G::Move>]) -> Result<(), Interrupted> {
        self.seldepth = 0;
        self.excluded.truncate(self.shared.banned.len());
        for (i, line) in lines.iter_mut().enumerate() {
            self.partial = None;
            let end = self.search_line(line.score);
            if let Some((score, pv)) = self.partial.take()
                // Of an iteration that was broken off the best line counts as far as it got: a move that
                // beat the old one has been searched deeper. Further lines are complete or nothing.
                && (end.is_ok() || i == 0)
            {
                *line = RootLine { score, pv };
            }
            line.score = end?;
            self.excluded.extend(line.pv.first().copied());
        }
        // Stable: of equal lines the one found first stays first.
        lines.sort_by_key(|line| std::cmp::Reverse(line.score));
        Ok(())
    }

    /// Aspiration: a narrow window around the last score first, wider ones while the score falls
    /// outside.
    fn search_line(&mut self, last: Score) -> Result<Score, Interrupted> {
        let mut margin = self.tunables().aspiration + last.value().abs() / 32;
        let aspires = self.iteration >= ASPIRATION_DEPTH && !last.is_decisive();
        let mut window = if aspires { Window::around(last, margin) } else { Window::full() };
        let mut failed_high = 0;
        loop {
            // Failing high again and again is mostly right: less depth confirms it sooner.
            let depth = (self.iteration - failed_high).max(1);
            let score = self.search::<Root>(window, depth, 0, false)?;
            match window.bound(score) {
                Bound::Exact => return Ok(score),
                Bound::Upper => {
                    // The score lies below alpha: the upper half of the window is not needed any more.
                    let middle = (window.alpha.value() + window.beta.value()) / 2;
                    window.beta = Score::DRAW + middle;
                    window.alpha = score - margin;
                    failed_high = 0;
                }
                Bound::Lower => {
                    window.beta = score + margin;
                    failed_high += 1;
                }
            }
            margin += (margin * self.tunables().aspiration_growth / 100).max(1);
            // Mates lie far outside of every margin; widening step by step would never reach them.
            if margin > 1_000 || score.is_decisive() {
                window = Window::full();
                failed_high = 0;
            }
        }
    }

    /// Completes a mate's line, which may end early where the transposition table had the rest,
    /// from that table. Nothing is added unless it leads to the mate.
    fn complete_mate(&mut self, line: &mut RootLine<G::Move>) {
        let plies = match line.score.kind() {
            ScoreKind::MateIn(plies) | ScoreKind::MatedIn(plies) => plies as usize,
            _ => return,
        };
        let pv_len = line.pv.len();
        line.pv.iter().for_each(|&mv| self.line.push(mv));
        while line.pv.len() < plies
            && let Some(mv) = self.remembered()
        {
            self.line.push(mv);
            line.pv.push(mv);
        }
        if self.line.position().outcome().is_none() {
            line.pv.truncate(pv_len);
        }
        self.rewind();
    }

    /// Adds an answer from the transposition table, if it has one, to a line of one move, which is
    /// too short to ponder on.
    fn add_answer(&mut self, line: &mut RootLine<G::Move>) {
        let [mv] = line.pv[..] else { return };
        self.line.push(mv);
        line.pv.extend(self.remembered());
        self.rewind();
    }

    /// The move of the transposition table for the line's last position, if it is legal there.
    fn remembered(&self) -> Option<G::Move> {
        let entry = self.shared.probe(self.tt_key())?;
        let mv = entry.mv.and_then(G::Move::unpack);
        mv.filter(|&mv| self.line.position().is_legal(mv))
    }

    /// Returns true if nothing is left to find within the limits, or time is better kept for later
    /// moves. A search to a depth alone, or without limits, goes on.
    fn may_end(&self, lines: &[RootLine<G::Move>], percent: u64, moves: usize) -> bool {
        let limits = &self.shared.limits;
        let in_time = limits.soft_time.is_some_and(|soft| {
            moves == 1 || self.shared.start.elapsed() >= soft.mul_f64(percent as f64 / 100.0)
        });
        let is_limited =
            limits.nodes.is_some() || limits.soft_time.is_some() || limits.hard_time.is_some();
        (in_time || is_limited && lines.iter().all(|line| self.is_certain(line.score)))
            && self.shared.end_when_due()
    }

    /// Returns true if this is a mate that no deeper iteration can shorten.
    fn is_certain(&self, score: Score) -> bool {
        matches!(score.kind(), ScoreKind::MateIn(plies) | ScoreKind::MatedIn(plies) if plies <= self.finished)
    }

    /// Reports the line that was chosen among those of several threads.
    pub(crate) fn report_elected(&mut self, elected: &SearchResult<G::Move>) {
        self.finished = elected.depth;
        self.seldepth = self.seldepth.max(elected.pv.len());
        self.report(&[RootLine { score: elected.score, pv: elected.pv.clone() }]);
    }

    fn report(&mut self, lines: &[RootLine<G::Move>]) {
        let nodes = self.flush_nodes();
        let phase = self.line.position().phase();
        for (i, line) in lines.iter().enumerate() {
            self.shared.control.report(&Iteration {
                depth: self.finished,
                seldepth: self.seldepth as u32,
                multipv: i as u32 + 1,
                score: line.score,
                bound: Bound::Exact,
                nodes,
                table_hits: self.shared.table_hits.load(std::sync::atomic::Ordering::Relaxed),
                time: self.shared.start.elapsed(),
                wdl: wdl(line.score, phase, &G::RESULT_MODEL),
                hashfull_permille: self.shared.permille_used(),
                pv: line.pv.clone(),
            });
        }
    }
}

fn found<M: Copy>(lines: &[RootLine<M>], depth: u32) -> SearchResult<M> {
    let (score, pv) =
        lines.first().map_or((Score::DRAW, Vec::new()), |line| (line.score, line.pv.clone()));
    let best = pv.first().copied();
    SearchResult { best, score, depth, nodes: 0, quiescence_nodes: 0, table_hits: 0, pv }
}
