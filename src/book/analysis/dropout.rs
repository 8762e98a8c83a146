//! Drop-outs: the places where it is most worthwhile to extend a book.
//!
//! A *drop-out* is a place where play can leave the book: a position in which the book ends, or a
//! move that the book lacks and that an engine would play. Books grow best at the drop-outs that are
//! likely to occur between good players, so each has a cost, the smaller the more worthwhile: for
//! every ply on the way to it, for every time that the way is rarer by half, and for what the moves
//! on the way give away against the best known ones. This is drop-out expansion as in M. Buro,
//! "Toward opening book learning" (ICCA Journal 22, 1999), with the priorities of T. R. Lincke,
//! "Strategies for the automatic construction of opening books" (Computers and Games 2000), which
//! adds up a penalty for each ply and the differences to the best move; the share of games is an
//! addition of ours, for books that are made of games.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::book::analysis::graph::{Graph, GraphNode};
use crate::book::analysis::minimax::NO_NODE;
use crate::book::analysis::propagate::Propagated;
use crate::book::file::scores::Score;
use crate::book::model::value::Value;
use crate::game::{Adjudicate, Line, Notation, Symmetric};

/// The costs that make a drop-out less worthwhile, in centipawns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Costs {
    /// Of each ply from the start. Default 10.
    pub ply: u32,
    /// Of each halving of the share of games in which the way is gone. Default 10.
    pub halving: u32,
}

impl Default for Costs {
    fn default() -> Self {
        Self { ply: 10, halving: 10 }
    }
}

/// A kind of drop-out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DropOutKind {
    /// The book ends in a position that has no score.
    Unscored,
    /// The book goes on, but no source has examined whether there is something better.
    Unexamined,
    /// A scored position, and the book lacks the move that the source of the score would play.
    Beyond {
        /// That move, in the canonical frame, packed.
        mv: u16,
    },
}

/// A place where play can leave the book.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DropOut {
    /// The position in which the book is left.
    pub node: GraphNode,
    /// The kind of drop-out.
    pub kind: DropOutKind,
    /// In centipawns; the smaller the more worthwhile.
    pub cost: u64,
    /// The loss of the moves on the way to it and of its own move against the best moves, in centipawns.
    pub gap: u64,
    /// The share of games that go this way, in millionths.
    pub frequency: u32,
    /// The value of the position for the side to move, as far as known.
    pub value: Option<Value>,
}

/// A way from the start, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct BookPath {
    cost: u64,
    gap: u64,
    /// Sum of the costs of rarity, in thousandths of a halving.
    millihalvings: u64,
}

/// Half a game for a move that has none, so that a move added by hand is rare but not impossible.
const NEVER_PLAYED: f64 = 0.5;

impl<G: Symmetric + Notation> Graph<G> {
    /// The drop-outs, the most worthwhile first; of equals the nearer to the start, then the smaller
    /// key. Positions whose result is decided are none. [Unexamined](DropOutKind::Unexamined) ones are
    /// among them if `inner`.
    #[must_use]
    pub fn drop_outs(
        &self,
        scores: &HashMap<i64, Score>,
        backed: &Propagated,
        costs: Costs,
        inner: bool,
    ) -> Vec<DropOut> {
        let ways = self.ways(backed, costs);
        let mut found: Vec<DropOut> = self
            .nodes()
            .filter_map(|node| {
                let score = scores.get(&self.key(node).to_i64());
                self.drop_out(node, ways[node.index()]?, score, backed, costs)
            })
            .filter(|drop| inner || drop.kind != DropOutKind::Unexamined)
            .collect();
        found.sort_by_key(|drop| (drop.cost, self.depth(drop.node), self.key(drop.node)));
        found
    }

    fn drop_out(
        &self,
        node: GraphNode,
        way: BookPath,
        score: Option<&Score>,
        backed: &Propagated,
        costs: Costs,
    ) -> Option<DropOut> {
        let BookPath { mut cost, mut gap, millihalvings } = way;
        if self.is_over(node) {
            return None;
        }
        let value = backed.position(node).assured();
        let kind = match score {
            None if self.is_leaf(node) => DropOutKind::Unscored,
            None => DropOutKind::Unexamined,
            Some(Score { evaluation, .. }) => {
                let own = evaluation.score.value();
                if evaluation.score.is_proof() || own.is_decisive() {
                    return None;
                }
                let mv = evaluation.best?;
                if self.number_of_move(node, mv).is_some() || self.is_deleted(node, mv) {
                    return None;
                }
                let behind = value.map_or(0, |best| difference(best, own));
                (cost, gap) = (cost + u64::from(costs.ply) + behind, gap + behind);
                DropOutKind::Beyond { mv }
            }
        };
        let frequency = (1e6 * (-(millihalvings as f64) / 1000.0).exp2()).round() as u32;
        Some(DropOut { node, kind, cost, gap, frequency, value })
    }

    /// The cheapest way to each position.
    fn ways(&self, backed: &Propagated, costs: Costs) -> Vec<Option<BookPath>> {
        let mut ways: Vec<Option<BookPath>> = vec![None; self.moves.nodes()];
        let mut queue = BinaryHeap::new();
        queue.extend(
            self.starts()
                .map(|node| Reverse((BookPath { cost: 0, gap: 0, millihalvings: 0 }, node))),
        );
        // Dijkstra's algorithm: costs are not negative, so that the first way is the cheapest.
        while let Some(Reverse((way, node))) = queue.pop() {
            if ways[node.index()].is_some() {
                continue;
            }
            ways[node.index()] = Some(way);
            let best = backed.position(node).assured();
            let total: f64 = self.moves.of(node.index()).map(|m| self.plays(m)).sum();
            for number in self.moves.of(node.index()) {
                let to = self.moves.to[number];
                if to == NO_NODE || ways[to as usize].is_some() {
                    continue;
                }
                let own = backed
                    .of_move(self, number)
                    .and_then(crate::book::model::value::Bounds::assured);
                let gap = best.zip(own).map_or(0, |(best, own)| difference(best, own));
                // Not negative either: the games of a move are among those of all moves.
                let rarity = ((total / self.plays(number)).log2() * 1000.0).round() as u64;
                let rare = u64::from(costs.halving) * rarity / 1000;
                let next = BookPath {
                    cost: way.cost + u64::from(costs.ply) + gap + rare,
                    gap: way.gap + gap,
                    millihalvings: way.millihalvings + rarity,
                };
                queue.push(Reverse((next, GraphNode(to))));
            }
        }
        ways
    }

    /// Games of a move, not zero.
    fn plays(&self, number: usize) -> f64 {
        (self.about(number).games as f64).max(NEVER_PLAYED)
    }
}

impl<G: Symmetric + Notation + Adjudicate> Graph<G> {
    /// The line that ends where a drop-out leads: before or after the move that the book lacks.
    #[must_use]
    pub fn line_of(&self, drop: &DropOut) -> (Line<G>, Option<G::Move>) {
        let line = self.line_to(drop.node);
        let beyond = match drop.kind {
            DropOutKind::Unscored | DropOutKind::Unexamined => None,
            DropOutKind::Beyond { mv } => self.unpacked(line.position(), mv),
        };
        (line, beyond)
    }
}

/// The difference by which `best` is better.
fn difference(best: Value, other: Value) -> u64 {
    u64::from((best.value() - other.value()).max(0).unsigned_abs())
}
