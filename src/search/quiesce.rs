use arrayvec::ArrayVec;

use super::node::{Kind, result, table_cutoff};
use super::transposition::Entry;
use super::tunables::DELTA_MARGIN;
use super::window::Window;
use super::workers::{Interrupted, Worker};
use super::{MAX_PLY, Oracle, Score};
use crate::game::{Adjudicate, Heuristics, MAX_MOVES, MoveList, Packed};

impl<G: Heuristics + Adjudicate, O: Oracle<G>> Worker<'_, G, O> {
    /// Quiescence: only forcing moves that do not lose material are tried, and the side to move
    /// may always leave it at the static evaluation (stand pat); under a threat all moves are tried
    /// instead.
    pub(super) fn quiesce<N: Kind>(
        &mut self,
        window: Window,
        ply: usize,
    ) -> Result<Score, Interrupted> {
        self.enter(ply)?;
        let position = self.line.position();
        if let Some(outcome) = position.abrupt_outcome() {
            return Ok(result(outcome, position.side_to_move(), ply));
        }
        if ply + 1 >= MAX_PLY {
            return Ok(Score::from_eval(position.evaluate()));
        }
        let key = self.table_key();
        let entry = self.shared.probe(key);
        if !N::PV
            && let Some(score) = table_cutoff(entry, window, 0, ply)
        {
            return Ok(score);
        }
        let threatened = position.is_threatened();
        let mut eval = None;
        let mut best = -Score::INFINITE;
        let mut open = window;
        if !threatened {
            let stored = entry.and_then(|entry| entry.eval).map(i32::from);
            let score = Score::from_eval(stored.unwrap_or_else(|| position.evaluate()));
            eval = Some(score);
            best = score;
            open.raise(score);
        }
        let mut best_move = None;
        if !open.is_empty() {
            let table_move = entry.and_then(|entry| entry.mv).and_then(Packed::unpack);
            let mut moves = self.quiescence_moves(threatened, table_move);
            if threatened && moves.is_empty() {
                return Ok(self.terminal(ply));
            }
            (best, best_move) = self.follow::<N>(&mut moves, threatened, best, open, ply)?;
        }
        self.shared.store(
            key,
            Entry {
                mv: best_move.map(Packed::pack),
                score: best.to_local(ply),
                eval: eval.map(|eval| eval.value() as i16),
                depth: 0,
                bound: window.bound(best),
                was_pv: N::PV,
                age: 0,
            },
        );
        Ok(best)
    }

    /// The moves to try, the most promising first.
    fn quiescence_moves(
        &self,
        threatened: bool,
        table_move: Option<G::Move>,
    ) -> ArrayVec<(i32, G::Move), MAX_MOVES> {
        let position = self.line.position();
        let mut moves = MoveList::new();
        if threatened {
            position.plausible_moves(&mut moves);
        } else {
            position.forcing_moves(&mut moves);
        }
        let rank = |mv| {
            if Some(mv) == table_move {
                i32::MAX
            } else if position.is_forcing(mv) {
                (1 << 24) + position.forcing_value(mv)
            } else {
                self.history.of(position.side_to_move(), position.history_index(mv), [None; 2])
            }
        };
        moves.into_iter().map(|mv| (rank(mv), mv)).collect()
    }

    fn follow<N: Kind>(
        &mut self,
        moves: &mut [(i32, G::Move)],
        threatened: bool,
        mut best: Score,
        mut window: Window,
        ply: usize,
    ) -> Result<(Score, Option<G::Move>), Interrupted> {
        let stand_pat = best;
        let mut best_move = None;
        for i in 0..moves.len() {
            let rest = &mut moves[i..];
            let most = (0..rest.len()).rev().max_by_key(|&i| rest[i].0).unwrap_or(0);
            rest.swap(0, most);
            let mv = rest[0].1;
            let position = self.line.position();
            if !threatened {
                let exchange = position.exchange_value(mv);
                if exchange < 0 {
                    continue;
                }
                let most = Score::from_eval((stand_pat + exchange + DELTA_MARGIN).value());
                if self.shared.techniques.pruning && most <= window.alpha {
                    best = best.max(most);
                    continue;
                }
            }
            self.line.push(mv);
            let score = -self.quiesce::<N>(-window, ply + 1)?;
            self.line.pop();
            if score > best {
                best = score;
                if window.raise(score) {
                    best_move = Some(mv);
                    if N::PV {
                        self.extend_pv(mv, ply);
                    }
                }
                if window.is_empty() {
                    break;
                }
            }
        }
        Ok((best, best_move))
    }
}
