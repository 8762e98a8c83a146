use super::limits::{Found, Iteration};
use super::node::Root;
use super::tunables::{ASPIRATION, ASPIRATION_DEPTH, SETTLED};
use super::window::Window;
use super::workers::{Interrupted, Worker};
use super::{Bound, MAX_PLY, Oracle, Score, ScoreKind};
use crate::game::{Adjudicate, Heuristics, MoveList};

/// One of the best lines from the root.
#[derive(Debug, Clone)]
struct RootLine<M> {
    score: Score,
    pv: Vec<M>,
}

impl<G: Heuristics + Adjudicate, O: Oracle<G>> Worker<'_, G, O> {
    /// Iterative deepening: searches one ply deeper each time until a limit is reached.
    pub(super) fn iterate(&mut self) -> Found<G::Move> {
        let mut moves = MoveList::new();
        self.line.position().plausible_moves(&mut moves);
        moves.retain(|mv| !self.shared.banned.contains(mv));
        if moves.is_empty() {
            return found(&[RootLine { score: self.terminal(0), pv: Vec::new() }], 0);
        }
        let count = if self.id == 0 { self.shared.multipv.min(moves.len()) } else { 1 };
        let eval = Score::from_eval(self.line.position().evaluate());
        let first = |&mv| RootLine { score: eval, pv: vec![mv] };
        let mut lines: Vec<_> = moves.iter().take(count).map(first).collect();
        let deepest = self.shared.limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32 - 1);
        let mut settled = 0;
        // Every other helper runs a ply ahead, so that threads differ in what they look at.
        for depth in 1 + (self.id as u32 & 1)..=deepest {
            let best = lines[0].pv.first().copied();
            self.iteration = depth.cast_signed();
            if self.search_lines(&mut lines).is_err() {
                break;
            }
            self.finished = depth;
            settled = if lines[0].pv.first().copied() == best { settled + 1 } else { 0 };
            if self.id == 0 {
                self.report(&lines);
            }
            if self.may_end(lines[0].score, settled, moves.len()) {
                break;
            }
        }
        found(&lines, self.finished)
    }

    /// One iteration: the best line, then the best without its first move, and so on.
    fn search_lines(&mut self, lines: &mut [RootLine<G::Move>]) -> Result<(), Interrupted> {
        self.seldepth = 0;
        self.excluded.truncate(self.shared.banned.len());
        for (i, line) in lines.iter_mut().enumerate() {
            self.partial = None;
            let end = self.search_line(line.score);
            if let Some((score, pv)) = self.partial.take()
                && (end.is_ok() || i == 0)
            {
                *line = RootLine { score, pv };
            }
            line.score = end?;
            self.excluded.extend(line.pv.first().copied());
        }
        lines.sort_by_key(|line| std::cmp::Reverse(line.score));
        Ok(())
    }

    /// Aspiration: a narrow window around the last score first, wider ones while the score falls
    /// outside.
    fn search_line(&mut self, last: Score) -> Result<Score, Interrupted> {
        let mut margin = ASPIRATION;
        let aspires = self.iteration >= ASPIRATION_DEPTH && !last.is_decisive();
        let mut window = if aspires { Window::around(last, margin) } else { Window::full() };
        loop {
            let score = self.search::<Root>(window, self.iteration, 0, false)?;
            match window.bound(score) {
                Bound::Exact => return Ok(score),
                Bound::Upper => window.alpha = score - margin,
                Bound::Lower => window.beta = score + margin,
            }
            margin *= 3;
            if margin > 1_000 || score.is_decisive() {
                window = Window::full();
            }
        }
    }

    /// Whether time is better kept for later moves.
    fn may_end(&self, score: Score, settled: u32, moves: usize) -> bool {
        let Some(soft) = self.shared.limits.soft_time else { return false };
        let elapsed = self.shared.start.elapsed();
        let mate = match score.kind() {
            ScoreKind::MateIn(plies) | ScoreKind::MatedIn(plies) => plies <= self.finished,
            _ => false,
        };
        elapsed >= soft || mate || moves == 1 || settled >= SETTLED && elapsed >= soft / 2
    }

    fn report(&mut self, lines: &[RootLine<G::Move>]) {
        let nodes = self.flush_nodes();
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
                hashfull_permille: self.shared.permille_used(),
                pv: line.pv.clone(),
            });
        }
    }
}

fn found<M: Copy>(lines: &[RootLine<M>], depth: u32) -> Found<M> {
    let (score, pv) =
        lines.first().map_or((Score::DRAW, Vec::new()), |line| (line.score, line.pv.clone()));
    Found { best: pv.first().copied(), score, depth, nodes: 0, table_hits: 0, pv }
}
