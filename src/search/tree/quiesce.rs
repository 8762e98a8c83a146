//! The search of noisy moves alone, at the end of the lines of the main search.

use arrayvec::ArrayVec;

use crate::game::{
    Adjudicate, Bound, Evaluator, Heuristics, MAX_MOVES, MoveList, Packed, Tunables,
};
use crate::hash::Key;
use crate::search::history::Structures;
use crate::search::order::noisy_rank;
use crate::search::score::{MAX_PLY, Score};
use crate::search::tablebase_probe::TablebaseProbe;
use crate::search::transposition::TtEntry;
use crate::search::tree::facts::{NodeKind, refined, result, tt_cutoff};
use crate::search::tunables::QUIESCENCE_EVASIONS;
use crate::search::window::Window;
use crate::search::worker::{Interrupted, NO_PATH, Worker};

/// The result of quiescence so far.
struct QuiescenceBest<M> {
    score: Score,
    mv: Option<M>,
    /// See [`Worker::path_ply`].
    path_ply: usize,
}

/// The side to move before it moves.
#[derive(Clone, Copy)]
struct StandPat {
    in_check: bool,
    /// The score at which it may leave quiescence; in check it may not.
    score: Score,
}

/// The moves to try, each with its rank.
type Ranked<M> = ArrayVec<(i32, M), MAX_MOVES>;

impl<G: Heuristics + Adjudicate, O: TablebaseProbe<G>> Worker<'_, G, O> {
    /// Quiescence: only noisy moves, and at its first ply quiet moves that make a threat, are
    /// tried, if they do not lose material, and the side to move may always leave it at the static
    /// evaluation (stand pat); in check all moves are tried instead.
    pub(crate) fn quiesce<N: NodeKind>(
        &mut self,
        window: Window,
        ply: usize,
    ) -> Result<Score, Interrupted> {
        self.quiesce_from::<N>(window, ply, true)
    }

    fn quiesce_from<N: NodeKind>(
        &mut self,
        window: Window,
        ply: usize,
        first: bool,
    ) -> Result<Score, Interrupted> {
        self.enter(ply);
        if let Some(score) = self.ended_in_quiescence(ply) {
            return Ok(score);
        }
        let position = self.line.position();
        let key = self.tt_key();
        let structures = self.structures();
        let entry = self.shared.probe(key);
        if !N::PV
            && let Some(score) = tt_cutoff(entry, window, 0, ply)
        {
            return Ok(score);
        }
        let in_check = position.in_check();
        if !in_check
            && entry.is_none()
            && let Some(score) = self.solved_leaf(key, ply)
        {
            return Ok(score);
        }
        let mut raw = None;
        let mut result_so_far =
            QuiescenceBest { score: -Score::INFINITE, mv: None, path_ply: NO_PATH };
        if !in_check {
            let stored = entry.and_then(|entry| entry.eval).map(i32::from);
            let evaluations = &mut self.history.evaluations;
            let score =
                stored.unwrap_or_else(|| evaluations.evaluate(position, ply, self.evaluator));
            let score = Score::from_eval(score);
            raw = Some(score);
            let correction = self.correction(&structures);
            result_so_far.score = refined(self.corrected(score, correction), entry, ply);
            if result_so_far.score >= window.beta && entry.is_some() {
                return Ok(result_so_far.score); // what the table has is worth more
            }
        }
        if result_so_far.score < window.beta {
            let tt_move = entry.and_then(|entry| entry.mv).and_then(Packed::unpack);
            let mut moves = Ranked::new();
            self.quiescence_moves(in_check, first, tt_move, &mut moves);
            if in_check && moves.is_empty() {
                return Ok(self.terminal(ply));
            }
            let stand = StandPat { in_check, score: result_so_far.score };
            result_so_far = self.follow::<N>(&mut moves, stand, window, ply)?;
        }
        Ok(self.settle_quiescence::<N>(&result_so_far, raw, entry, window, key, ply))
    }

    /// Stores the result of quiescence, unless it belongs to the path that led here; returns its score.
    #[inline]
    fn settle_quiescence<N: NodeKind>(
        &mut self,
        found: &QuiescenceBest<G::Move>,
        raw: Option<Score>,
        entry: Option<TtEntry>,
        window: Window,
        key: Key,
        ply: usize,
    ) -> Score {
        let best = found.score;
        if found.path_ply <= ply {
            self.path_ply[ply] = found.path_ply;
            return best;
        }
        self.shared.store(
            key,
            TtEntry {
                mv: found.mv.map(Packed::pack),
                score: best.to_local(ply),
                eval: raw.map(|eval| eval.value() as i16),
                depth: 0,
                bound: window.bound(best),
                was_pv: N::PV || entry.is_some_and(|entry| entry.was_pv),
                age: 0,
            },
        );
        best
    }

    /// The score of a position that is not searched: the game is over, or the line too long.
    #[inline]
    fn ended_in_quiescence(&mut self, ply: usize) -> Option<Score> {
        let position = self.line.position();
        if let Some(outcome) = position.abrupt_outcome() {
            return Some(result(outcome, position.turn(), ply));
        }
        if ply + 1 >= MAX_PLY {
            return Some(Score::from_eval(self.evaluator.evaluate(position, ply)));
        }
        self.verdict_in_quiescence(ply)
    }

    /// The score of a position out of check that the transposition table does not have, if it has no move or its side to
    /// move wins by force.
    #[inline]
    fn solved_leaf(&self, key: Key, ply: usize) -> Option<Score> {
        let position = self.line.position();
        // Only positions that have a move are ever stored.
        if position.is_stuck() {
            return Some(self.terminal(ply));
        }
        if !G::SOLVES_LEAVES {
            return None;
        }
        let plies = position.forced_win()?;
        let score = Score::mate_in(ply + plies as usize);
        self.store_leaf(key, score, ply);
        Some(score)
    }

    /// Stores a win that was found without a search of this program's kind: at least as good as `score`.
    fn store_leaf(&self, key: Key, score: Score, ply: usize) {
        let entry = TtEntry {
            mv: None,
            score: score.to_local(ply),
            eval: None,
            depth: 0,
            bound: Bound::Lower,
            was_pv: false,
            age: 0,
        };
        self.shared.store(key, entry);
    }

    /// The keys by which the evaluation of the line's last position is corrected; the corrections are prefetched, while the
    /// transposition table is waited for.
    #[inline]
    pub(crate) fn structures(&self) -> Structures {
        let position = self.line.position();
        let keys = position.structure_keys().filter(|_| self.shared.features.corrections);
        self.history.prefetch_corrections(position.turn(), &keys);
        keys
    }

    /// Appends the moves to try.
    fn quiescence_moves(
        &self,
        in_check: bool,
        first: bool,
        tt_move: Option<G::Move>,
        ranked: &mut Ranked<G::Move>,
    ) {
        let position = self.line.position();
        let mut moves = MoveList::new();
        if in_check {
            position.plausible_moves(&mut moves);
        } else {
            position.noisy_moves(&mut moves);
            if first {
                position.quiet_threats(&mut moves);
            }
        }
        let side = position.turn();
        let rank = |mv| {
            if Some(mv) == tt_move {
                i32::MAX
            } else if position.is_noisy(mv) {
                // More than any history, so that noisy moves come before quiet ones.
                (1 << 24) + noisy_rank(self.tunables(), position, self.history, mv)
            } else {
                self.history.quiet(side, position.history_index(mv))
            }
        };
        ranked.extend(moves.iter().map(|&mv| (rank(mv), mv)));
    }

    fn follow<N: NodeKind>(
        &mut self,
        moves: &mut [(i32, G::Move)],
        stand: StandPat,
        mut window: Window,
        ply: usize,
    ) -> Result<QuiescenceBest<G::Move>, Interrupted> {
        let mut best = QuiescenceBest { score: stand.score, mv: None, path_ply: NO_PATH };
        window.raise(stand.score);
        for i in 0..moves.len() {
            let rest = &mut moves[i..];
            // `max_by_key` takes the last of equals: backwards that is the move that was generated first.
            let most = (0..rest.len()).rev().max_by_key(|&i| rest[i].0).unwrap_or(0);
            rest.swap(0, most);
            let mv = rest[0].1;
            self.prefetch(mv);
            match self.skips_in_quiescence(mv, i, stand, best.score, window.alpha) {
                Skips::No => {}
                Skips::Move(most) => {
                    best.score = best.score.max(most);
                    continue;
                }
                Skips::Rest => break,
            }
            let noisy = self.line.position().is_noisy(mv);
            let index = self.line.position().history_index(mv);
            self.play_quiescence(mv, index, ply)?;
            self.played_quiet[ply] = !noisy;
            let score = -self.quiesce_from::<N>(-window, ply + 1, false)?;
            self.line.pop();
            best.path_ply = best.path_ply.min(self.path_ply[ply + 1]);
            if score > best.score {
                best.score = score;
                if window.raise(score) {
                    best.mv = Some(mv);
                    if N::PV {
                        self.extend_pv(mv, ply);
                    }
                }
                if window.is_empty() {
                    break;
                }
            }
        }
        Ok(best)
    }

    /// Decides whether a move is left out: when not in check, one that loses material or cannot
    /// bring the evaluation to alpha; in check, late ones that capture nothing, once one is known
    /// that does not lose.
    fn skips_in_quiescence(
        &self,
        mv: G::Move,
        tried: usize,
        stand: StandPat,
        best: Score,
        alpha: Score,
    ) -> Skips {
        let position = self.line.position();
        let prunes = self.shared.features.pruning;
        if stand.in_check {
            let late = tried >= QUIESCENCE_EVASIONS && !best.is_lost();
            return if prunes && late && !position.is_noisy(mv) { Skips::Rest } else { Skips::No };
        }
        if prunes && let Some(most) = hopeless(self.tunables(), position, mv, stand.score, alpha) {
            return Skips::Move(most);
        }
        if position.exchange_reaches(mv, 0) { Skips::No } else { Skips::Move(-Score::INFINITE) }
    }
}

/// Delta pruning: a capture that cannot bring the evaluation to alpha, with the score that it
/// reaches at most.
fn hopeless<G: Heuristics>(
    tunables: &Tunables,
    position: &G,
    mv: G::Move,
    stand_pat: Score,
    alpha: Score,
) -> Option<Score> {
    if !position.is_noisy(mv) {
        return None;
    }
    let most =
        Score::from_eval(stand_pat.value() + position.immediate_gain(mv) + tunables.delta_margin);
    (most <= alpha).then_some(most)
}

/// The moves that are left out.
enum Skips {
    /// Nothing.
    No,
    /// The move, which reaches at most this score.
    Move(Score),
    /// It and all after it.
    Rest,
}
