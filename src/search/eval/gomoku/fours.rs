//! Wins by continuous fours: every move makes a four, so that every answer is forced.

use arrayvec::ArrayVec;

use crate::game::Game;
use crate::gomoku::{Board, Point, Threat};
use crate::hash::Key;

/// Positions of the attacker that a search may look at.
const MOST_NODES: usize = 256;

/// Fours that are tried at a leaf of a search.
pub(crate) const LEAF_NODES: u32 = 60;

/// The number of plies in which the side to move wins by continuous fours, if such a win is found within `nodes`
/// fours; it need not be the shortest.
pub(crate) fn win(board: &Board, nodes: u32) -> Option<u32> {
    let own = board.counts(board.turn());
    let other = board.counts(!board.turn());
    if own.of(Threat::Five) > 0 {
        return Some(1);
    }
    if other.of(Threat::Five) > 0 {
        return None;
    }
    if !board.has_fours(board.turn()) {
        return None;
    }
    if own.of(Threat::OpenFour) > 0 && !board.has_fours(!board.turn()) {
        return Some(3);
    }
    let mut hunt = Fours { board: board.clone(), left: nodes, seen: ArrayVec::new() };
    hunt.attack(None)
}

struct Fours {
    board: Board,
    left: u32,
    /// Positions of the attacker that were looked at.
    seen: ArrayVec<Key, MOST_NODES>,
}

impl Fours {
    /// Plies to the win of the side to move, `forced` being the point that it must occupy.
    fn attack(&mut self, forced: Option<Point>) -> Option<u32> {
        let side = self.board.turn();
        if self.board.counts(side).of(Threat::Five) > 0 {
            return Some(1);
        }
        let key = self.board.key();
        if self.seen.contains(&key) || self.seen.try_push(key).is_err() {
            return None;
        }
        let mut fours: ArrayVec<Point, 64> = ArrayVec::new();
        match forced {
            Some(point) if self.board.threat(side, point).is_four() => fours.push(point),
            Some(_) => return None,
            None => {
                for point in self.board.points_with(side, Threat::Four) {
                    if fours.try_push(point).is_err() {
                        break;
                    }
                }
                fours.sort_by_key(|&point| std::cmp::Reverse(self.board.threat(side, point)));
            }
        }
        for four in fours {
            if self.left == 0 {
                return None;
            }
            self.left -= 1;
            let undo = self.board.make(four);
            let plies = self.answer();
            self.board.unmake(four, undo);
            if plies.is_some() {
                return plies.map(|plies| plies + 1);
            }
        }
        None
    }

    /// Plies to the win of the side that has just made a four.
    fn answer(&mut self) -> Option<u32> {
        let defender = self.board.turn();
        let attacker = !self.board.turn();
        if self.board.counts(defender).of(Threat::Five) > 0 {
            return None;
        }
        let mut completions = self.board.points_with(attacker, Threat::Five);
        let block = completions.next()?;
        if completions.next().is_some() {
            return Some(2);
        }
        drop(completions);
        if self.board.forbidden(block).is_some() && self.board.variant().forbids(defender) {
            return Some(2);
        }
        let undo = self.board.make(block);
        let forced = match self.board.counts(defender).of(Threat::Five) {
            0 => Ok(None),
            1 => Ok(self.board.points_with(defender, Threat::Five).next()),
            _ => Err(()),
        };
        let plies = match forced {
            Ok(forced) => self.attack(forced),
            // Two completions of the defender: only a five helps.
            Err(()) if self.board.counts(attacker).of(Threat::Five) > 0 => Some(1),
            Err(()) => None,
        };
        self.board.unmake(block, undo);
        plies.map(|plies| plies + 1)
    }
}
