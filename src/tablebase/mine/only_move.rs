//! Wins by one move only.

use super::Miner;
use crate::game::{Game, MoveList};
use crate::tablebase::index::board::SlotBoard;
use crate::tablebase::probe::tables::ProbeError;
use crate::tablebase::solve::solver::GameGraph;
use crate::tablebase::solve::table::position_of;
use crate::tablebase::value::{Entry, Wdl};
use crate::xiangqi::{Move, Position};

impl Miner<'_> {
    /// Returns true if a won slot has exactly one winning move, and again at each turn of the winner
    /// within a number of plies of each best defence.
    pub(crate) fn has_only_moves(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        plies: u16,
    ) -> Result<bool, ProbeError> {
        let mut captures = 0;
        self.graph.each_capture(board, side, slot, |value| {
            captures += usize::from(value.wdl == Wdl::Win);
        });
        let other = self.graph.other(side);
        let after = &self.table.words[other];
        let mut only = None;
        let is_alone = self.graph.successors(board, side, slot, |next| {
            let value = self.table.meaning(after[next as usize]);
            if value.is_none_or(|value| value.wdl != Wdl::Loss) {
                return true;
            }
            // The first winning move ends the walk only beside a winning capture, a second one always.
            let is_second = captures > 0 || only.is_some();
            only = Some(next);
            !is_second
        });
        match only {
            _ if !is_alone || captures > 1 => Ok(false),
            _ if plies == 1 => Ok(true),
            Some(next) => self.defences_meet_only_moves(board, other, next, plies - 1),
            // The smaller tables know what follows a capture.
            None => {
                let after = self.after_captures(side, slot, |value| value.wdl == Wdl::Win)?;
                Ok(!after.is_empty()
                    && all(&after, |next| self.loser_meets_only_moves(next, plies - 1))?)
            }
        }
    }

    /// Returns true if a lost slot is not mate and each of its best moves leads to only moves.
    fn defences_meet_only_moves(
        &self,
        board: &mut SlotBoard<'_>,
        side: usize,
        slot: u32,
        plies: u16,
    ) -> Result<bool, ProbeError> {
        let capture = self.graph.best_capture(board, side, slot);
        let other = self.graph.other(side);
        let after = &self.table.words[other];
        let mut best: Option<Entry> = None;
        let mut replies = Vec::new();
        self.graph.successors(board, side, slot, |next| {
            let value = self.table.meaning(after[next as usize]);
            let value = value.map(|entry| self.tables.metric().before_quiet(entry));
            if value > best {
                replies.clear();
                best = value;
            }
            if value.is_some() && value == best {
                replies.push(next);
            }
            true
        });
        if capture.max(best).is_none() {
            return Ok(false);
        }
        if plies == 1 {
            return Ok(true);
        }
        if let Some(capture) = capture.filter(|_| capture >= best) {
            let after = self.after_captures(side, slot, |value| value == capture)?;
            if !all(&after, |next| self.winner_has_only_moves(next, plies - 1))? {
                return Ok(false);
            }
        }
        if best >= capture {
            for next in replies {
                if !self.has_only_moves(board, other, next, plies - 1)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// The positions after those captures whose values, for the side that makes them, are wanted.
    fn after_captures(
        &self,
        side: usize,
        slot: u32,
        is_wanted: impl Fn(Entry) -> bool,
    ) -> Result<Vec<Position>, ProbeError> {
        let Some(position) = position_of(&self.table.index, side, slot) else {
            return Ok(Vec::new());
        };
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let mut wanted = Vec::new();
        for mv in moves.into_iter().filter(|mv| position.piece_at(mv.to()).is_some()) {
            let next = after(&position, mv);
            if is_wanted(self.tables.metric().before_capture(self.tables.probe(&next)?)) {
                wanted.push(next);
            }
        }
        Ok(wanted)
    }

    /// As [`has_only_moves`](Self::has_only_moves), for a position of any table.
    fn winner_has_only_moves(&self, position: &Position, plies: u16) -> Result<bool, ProbeError> {
        let moves = self.tables.probe_children(position)?;
        let mut winning = moves.into_iter().filter(|(_, value)| value.wdl == Wdl::Win);
        let (Some((mv, _)), None) = (winning.next(), winning.next()) else { return Ok(false) };
        if plies == 1 {
            return Ok(true);
        }
        self.loser_meets_only_moves(&after(position, mv), plies - 1)
    }

    /// As [`defences_meet_only_moves`](Self::defences_meet_only_moves), for a position of any table.
    fn loser_meets_only_moves(&self, position: &Position, plies: u16) -> Result<bool, ProbeError> {
        let moves = self.tables.probe_children(position)?;
        let Some(best) = moves.iter().map(|&(_, value)| value).max() else { return Ok(false) };
        if plies == 1 {
            return Ok(true);
        }
        let best = moves.into_iter().filter(|&(_, value)| value == best);
        let after: Vec<_> = best.map(|(mv, _)| after(position, mv)).collect();
        all(&after, |next| self.winner_has_only_moves(next, plies - 1))
    }
}

/// The position after a move.
fn after(position: &Position, mv: Move) -> Position {
    let mut next = position.clone();
    next.make(mv);
    next
}

/// Returns true if all positions fit; looks at no more once one does not.
fn all(
    positions: &[Position],
    fits: impl Fn(&Position) -> Result<bool, ProbeError>,
) -> Result<bool, ProbeError> {
    for position in positions {
        if !fits(position)? {
            return Ok(false);
        }
    }
    Ok(true)
}
