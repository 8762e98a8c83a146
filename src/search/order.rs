use arrayvec::ArrayVec;

use super::history::{Before, History};
use crate::game::{Heuristics, MAX_MOVES, MoveList};

/// Forcing moves that do not lose material come before everything else,
const WINNING: i32 = 1 << 24;
/// then killers,
const KILLER: i32 = 1 << 22;
/// then quiet moves by history; forcing moves that lose material come last.
const LOSING: i32 = -(1 << 24);
/// Quiet moves not yet looked at.
const UNSEEN: i32 = i32::MIN;

#[derive(Clone, Copy)]
struct Ranked<M> {
    mv: M,
    rank: i32,
}

/// What is known at a node about moves worth trying early.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hints<M> {
    /// From the transposition table.
    pub(super) table: Option<M>,
    /// Quiet moves that cut off sister nodes.
    pub(super) killers: [Option<M>; 2],
    /// The moves before.
    pub(super) before: Before,
}

/// Hands out the legal moves of a position, the most promising first, and does no work for moves
/// that are never asked for.
pub(super) struct Picker<M> {
    hints: Hints<M>,
    stage: Stage,
    moves: ArrayVec<Ranked<M>, MAX_MOVES>,
    next: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The table's move, before any move is generated.
    Table,
    /// Everything is to be generated, forcing moves ranked.
    Generate,
    /// Forcing moves that do not lose.
    Forcing,
    /// Everything ranked.
    All,
}

impl<M: Copy + Eq> Picker<M> {
    pub(super) fn new(hints: Hints<M>) -> Self {
        Self { hints, stage: Stage::Table, moves: ArrayVec::new(), next: 0 }
    }

    /// The next move of `position`, always the one that the picker was first asked about.
    pub(super) fn next<G: Heuristics<Move = M>>(
        &mut self,
        position: &G,
        history: &History,
    ) -> Option<M> {
        if self.stage == Stage::Table {
            self.stage = Stage::Generate;
            self.hints.table = self.hints.table.filter(|&mv| position.is_legal(mv));
            if self.hints.table.is_some() {
                return self.hints.table;
            }
        }
        if self.stage == Stage::Generate {
            self.stage = Stage::Forcing;
            self.generate(position);
        }
        if self.stage == Stage::Forcing {
            while let Some(Ranked { mv, rank }) = self.best() {
                if rank < 0 {
                    break;
                }
                if position.exchange_value(mv) >= 0 {
                    self.next += 1;
                    return Some(mv);
                }
                self.moves[self.next].rank = LOSING + rank - WINNING;
            }
            self.stage = Stage::All;
            self.rank_quiets(position, history);
        }
        let picked = self.best()?;
        self.next += 1;
        Some(picked.mv)
    }

    fn generate<G: Heuristics<Move = M>>(&mut self, position: &G) {
        let mut moves = MoveList::new();
        position.plausible_moves(&mut moves);
        for mv in moves {
            if Some(mv) != self.hints.table {
                let rank = if position.is_forcing(mv) {
                    WINNING + position.forcing_value(mv)
                } else {
                    UNSEEN
                };
                self.moves.push(Ranked { mv, rank });
            }
        }
    }

    fn rank_quiets<G: Heuristics<Move = M>>(&mut self, position: &G, history: &History) {
        let side = position.side_to_move();
        for ranked in &mut self.moves[self.next..] {
            if ranked.rank != UNSEEN {
                continue;
            }
            let mv = ranked.mv;
            ranked.rank = if self.hints.killers[0] == Some(mv) {
                KILLER
            } else if self.hints.killers[1] == Some(mv) {
                KILLER - 1
            } else {
                history.of(side, position.history_index(mv), self.hints.before)
                    + position.quiet_value(mv)
            };
        }
    }

    /// Brings the highest-ranked of the remaining moves, the earliest among equals, to the front.
    /// Quiet moves not yet ranked do not count.
    fn best(&mut self) -> Option<Ranked<M>> {
        let rest = &mut self.moves[self.next..];
        let mut best = None;
        let mut most = UNSEEN;
        for (i, ranked) in rest.iter().enumerate() {
            if ranked.rank > most {
                most = ranked.rank;
                best = Some(i);
            }
        }
        let best = best?;
        rest.swap(0, best);
        Some(rest[0])
    }
}
