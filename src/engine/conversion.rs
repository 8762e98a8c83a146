//! The way from a won position to a mate or a capture before the limit of moves, where tablebases
//! of distances to mate alone do not give it: a depth-first proof over the won positions, a ply
//! pair deeper each time.
//!
//! A position *converts* in n plies if its side mates in them whatever the other does, or a capture
//! of either side comes in them after which mate is nearer than the whole limit. Only wins of order
//! 0 are followed. A position that converts in n plies does so in more, so two numbers are kept for
//! each position: the plies proven and the plies refuted.
//!
//! A refutation is one only where nothing else could win: every move of the positions looked at is
//! known and none wins by repetition, and the other side holds out without moves that check or chase,
//! with which it might lose in a loop.

use std::collections::HashMap;
use std::rc::Rc;

use super::endgames::{Budget, Endgames, ProbeBudget, RootMove};
use super::tables::XiangqiTables;
use crate::game::{Game, MoveList};
use crate::hash::Key;
use crate::tablebase::Wdl;
use crate::xiangqi::move_limit::MOVE_LIMIT;
use crate::xiangqi::repetition::chased;
use crate::xiangqi::{Move, Position, RuleSet};

/// Plies in which a loop can come to a verdict at the earliest: twice around the shortest.
const CLAIM_PLIES: u32 = 8;

/// The result of the search for a conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// This move begins one that comes in time.
    By(Move),
    /// None comes in time.
    Late,
    /// None was found.
    Unknown,
}

/// A winning move that needs no repetition rule, and the plies to mate from before it.
#[derive(Debug, Clone, Copy)]
struct Try {
    mv: Move,
    to_mate: u32,
}

/// The knowledge about a won position, its side to move.
#[derive(Debug, Clone)]
struct ConversionBounds {
    /// Captures first, then the nearest mates.
    tries: Rc<[Try]>,
    /// Plies in which it is proven to convert.
    proven: u32,
    /// Plies in which it is proven not to convert.
    refuted: u32,
}

/// Looks for conversions.
pub(crate) struct Converter<'a> {
    tables: &'a XiangqiTables,
    rules: RuleSet,
    budget: Budget<'a>,
    /// Plies of the game that a loop can reach back to.
    past: u32,
    /// A refutation is none: the probe budget has ended, a capture leads to a mate beyond the whole limit, or
    /// there are other ways to win.
    is_vague: bool,
    known: HashMap<Key, ConversionBounds>,
}

impl<'a> Converter<'a> {
    pub(crate) fn new(
        tables: &'a XiangqiTables,
        rules: RuleSet,
        probe_budget: &'a ProbeBudget<'a>,
    ) -> Self {
        let budget = Budget::new(probe_budget, probe_budget.positions);
        Self { tables, rules, budget, past: 0, is_vague: false, known: HashMap::new() }
    }

    /// Sets the number of plies of the game whose positions can come back.
    pub(crate) const fn look_back(&mut self, past: u32) {
        self.past = past;
    }

    /// The move of these that converts soonest, in at most `left` plies.
    pub(crate) fn fastest(
        &mut self,
        position: &Position,
        moves: impl Iterator<Item = RootMove<Move>>,
        left: u32,
    ) -> Conversion {
        let tries = tries(position, moves);
        let all = self.tables.ranked_moves(position).unwrap_or_default();
        self.is_vague |= has_other_ways(position, &all);
        let mut position = position.clone();
        // Of the parity of `left`, so that the last round looks at all plies that are left.
        for plies in (2 - left % 2..=left).step_by(2) {
            let converting = tries.iter().find(|t| self.move_converts(&mut position, **t, plies));
            if let Some(found) = converting {
                return Conversion::By(found.mv);
            }
            if self.budget.is_spent() {
                break;
            }
        }
        if self.is_vague { Conversion::Unknown } else { Conversion::Late }
    }

    /// Returns true if a mate in `to_mate` plies comes before the limit counted anew.
    fn is_won_anew(&mut self, to_mate: u32) -> bool {
        self.is_vague |= to_mate > MOVE_LIMIT;
        to_mate <= MOVE_LIMIT
    }

    fn move_converts(&mut self, position: &mut Position, t: Try, plies: u32) -> bool {
        if position.piece_at(t.mv.to()).is_some() {
            return self.is_won_anew(t.to_mate - 1);
        }
        if t.to_mate <= plies {
            return true;
        }
        if plies < 2 {
            return false;
        }
        let undo = position.make(t.mv);
        let mut replies = MoveList::new();
        position.legal_moves(&mut replies);
        // Captures are judged at a glance; a check may be no way to hold out.
        replies.sort_by_key(|&reply| {
            (position.piece_at(reply.to()).is_none(), position.gives_check(reply))
        });
        let converts = replies.into_iter().all(|reply| {
            if position.piece_at(reply.to()).is_some() {
                return self.is_won_anew(t.to_mate.saturating_sub(2));
            }
            let undo = position.make(reply);
            let converts = self.converts(position, plies - 2);
            position.unmake(reply, undo);
            // A refutation by a reply that the rules forbid in the long run proves nothing.
            self.is_vague |= !converts && self.may_lose_in_loop(position, reply, plies);
            converts
        });
        position.unmake(t.mv, undo);
        converts
    }

    /// Returns true if a move that holds out for `plies` plies may belong to a loop that loses.
    fn may_lose_in_loop(&self, position: &Position, mv: Move, plies: u32) -> bool {
        if plies + self.past < CLAIM_PLIES || self.rules == RuleSet::None {
            return false;
        }
        let chases = self.rules != RuleSet::Check;
        position.gives_check(mv) || chases && !chased(position, mv).is_empty()
    }

    /// Returns true if a won position converts in `plies` plies.
    fn converts(&mut self, position: &mut Position, plies: u32) -> bool {
        let key = position.key();
        if plies == 0 {
            return false;
        }
        let known = match self.known.get(&key) {
            Some(known) if known.proven <= plies => return true,
            Some(known) if known.refuted >= plies => return false,
            // The moves are known from an earlier look; the clone is a count of references.
            known => known.map(|known| known.tries.clone()),
        };
        if self.budget.is_spent() {
            self.is_vague = true;
            return false;
        }
        self.budget.spend();
        let tries = known.unwrap_or_else(|| {
            let moves = self.tables.ranked_moves(position).unwrap_or_default();
            self.is_vague |= has_other_ways(position, &moves);
            let tries: Rc<[Try]> = tries(position, moves.into_iter()).into();
            // Nothing proved in any number of plies, refuted in none.
            let known = ConversionBounds { tries: tries.clone(), proven: u32::MAX, refuted: 0 };
            self.known.insert(key, known);
            tries
        });
        let converts = tries.iter().any(|t| self.move_converts(position, *t, plies));
        if let Some(known) = self.known.get_mut(&key) {
            if converts {
                known.proven = known.proven.min(plies);
            } else {
                known.refuted = known.refuted.max(plies);
            }
        }
        converts
    }
}

/// Returns true if something but wins of order 0 may win: of these moves one does by repetition, or
/// they are not all.
fn has_other_ways(position: &Position, moves: &[RootMove<Move>]) -> bool {
    let mut legal = MoveList::new();
    position.legal_moves(&mut legal);
    moves.len() < legal.len() || moves.iter().any(|m| m.entry.wdl == Wdl::Win && m.entry.order > 0)
}

fn tries(position: &Position, moves: impl Iterator<Item = RootMove<Move>>) -> Vec<Try> {
    let won = moves.filter(|m| m.entry.wdl == Wdl::Win && m.entry.order == 0);
    let mut tries: Vec<Try> =
        won.map(|m| Try { mv: m.mv, to_mate: m.entry.distance.into() }).collect();
    tries.sort_by_key(|t| (position.piece_at(t.mv.to()).is_none(), t.to_mate));
    tries
}
