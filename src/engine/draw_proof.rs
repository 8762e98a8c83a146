//! Proofs that a draw of the tablebases can be kept through the loops of a game.
//!
//! A tablebase says that a position is drawn, not that every way of keeping the draw is one for
//! good: where all moves that keep it check, or chase, a side may go around until it loses by the
//! rules. The earlier moves of the line count then. Such a side is safe with its next *quiet* move,
//! a capture, or one that neither checks nor chases: no loop with that move in it loses, and a loop
//! of later moves is one that begins anew. So quiet moves are looked for, by depth-first proof over
//! the moves that keep the draw and all answers to them, a move deeper each time.

use super::endgames::{Budget, Endgames, ProbeBudget};
use super::tables::XiangqiTables;
use crate::game::{Adjudicate, Game, Horizon, Line, MoveList, Side, Verdict};
use crate::tablebase::Wdl;
use crate::xiangqi::repetition::chased;
use crate::xiangqi::{Move, Position, RuleSet};

/// Positions looked at for one move.
const POSITIONS: u32 = 1_000;

/// Number of the side's own moves that the proof looks ahead.
const DEPTH: u32 = 12;

/// The outlook of a draw, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outlook {
    /// It can be kept.
    Kept,
    /// Nothing was found out.
    Unknown,
    /// It is lost by the rules on repetition.
    Lost,
}

/// Looks for quiet moves from the end of a line on, for the side to move there.
pub(crate) struct DrawProof<'a> {
    tables: &'a XiangqiTables,
    rules: RuleSet,
    side: Side,
    line: Line<Position>,
    horizon: Horizon,
    budget: Budget<'a>,
}

impl<'a> DrawProof<'a> {
    pub(crate) fn new(
        tables: &'a XiangqiTables,
        line: &Line<Position>,
        rules: RuleSet,
        probe_budget: &'a ProbeBudget<'a>,
    ) -> Self {
        let side = line.position().turn();
        let line = line.clone();
        // A position that comes back on the way is no nearer to a quiet move than it was.
        let horizon = Horizon::Search { root: line.len() };
        let budget = Budget::new(probe_budget, POSITIONS);
        Self { tables, rules, side, line, horizon, budget }
    }

    /// The outlook of the draw after a move that keeps it by the tablebases.
    pub(crate) fn outlook(&mut self, mv: Move) -> Outlook {
        if self.rules == RuleSet::None {
            return Outlook::Kept; // no repetition loses
        }
        self.budget.renew();
        let mut outlook = Outlook::Unknown;
        for depth in 0..=DEPTH {
            outlook = self.after_move(mv, depth);
            if outlook != Outlook::Unknown || self.budget.is_spent() {
                break;
            }
        }
        outlook
    }

    fn after_move(&mut self, mv: Move, depth: u32) -> Outlook {
        let before = self.line.position();
        let is_capture = before.piece_at(mv.to()).is_some();
        let chases = self.rules != RuleSet::Check && !chased(before, mv).is_empty();
        self.line.push(mv);
        let is_quiet = is_capture || !chases && !self.line.position().in_check();
        let outlook = self
            .judged()
            .unwrap_or_else(|| if is_quiet { Outlook::Kept } else { self.after_answers(depth) });
        self.line.pop();
        outlook
    }

    fn after_answers(&mut self, depth: u32) -> Outlook {
        let mut replies = MoveList::new();
        self.line.position().legal_moves(&mut replies);
        let mut worst = Outlook::Kept;
        for reply in replies {
            self.line.push(reply);
            worst = worst.max(self.judged().unwrap_or_else(|| self.best_move(depth)));
            self.line.pop();
            if worst == Outlook::Lost {
                break;
            }
        }
        worst
    }

    fn best_move(&mut self, depth: u32) -> Outlook {
        if depth == 0 || self.budget.is_spent() {
            return Outlook::Unknown;
        }
        self.budget.spend();
        let Some(moves) = self.tables.ranked_moves(self.line.position()) else {
            return Outlook::Unknown;
        };
        let mut best = Outlook::Lost;
        for m in moves {
            best = best.min(match m.entry.wdl {
                Wdl::Win => Outlook::Kept,
                Wdl::Draw => self.after_move(m.mv, depth - 1),
                Wdl::Loss => Outlook::Lost,
            });
            if best == Outlook::Kept {
                break;
            }
        }
        best
    }

    /// The verdict of the rules at the end of the line, if there is one.
    fn judged(&self) -> Option<Outlook> {
        match Position::judge(&self.line, self.rules, self.horizon).verdict {
            Verdict::None => None,
            Verdict::Loses(loser) if loser == self.side => Some(Outlook::Lost),
            Verdict::Draw | Verdict::Loses(_) => Some(Outlook::Kept),
        }
    }
}
