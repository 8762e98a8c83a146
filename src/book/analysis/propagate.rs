//! Scores handed back through a book: from the positions that have one to the moves that lead there.
//!
//! The value of a position is that of its best move, and the value of a move is that of the position after
//! it, from the other side; see [`minimax`](crate::book::analysis::minimax) for loops, which are draws. A position's own
//! score counts like this:
//!
//! - a proof by a tablebase is the position's value, whatever its moves;
//! - where the book ends, the score is the position's value;
//! - elsewhere it counts as one more move, the one that the source would play, if the book lacks it (or the
//!   source names none). If the book has that move, its moves count for more than the score: if the book ends
//!   after it and that position has no score of its own, this one is its score, and otherwise the score is
//!   not used.
//!
//! Uncertainty is kept: each value is a [`Bounds`], found by two rounds of minimax, one in which everything
//! unknown goes against the first side, and one in which it goes for it.

use std::collections::HashMap;

use crate::book::analysis::graph::{Graph, GraphNode};
use crate::book::analysis::minimax::{Leave, NO_NODE, solve};
use crate::book::file::scores::Score;
use crate::book::model::value::{Bounds, Value};
use crate::game::{Notation, Outcome, Side, Symmetric};

/// The values that scores give to the positions of a [`Graph`].
#[derive(Debug)]
pub struct Propagated {
    /// By node, for the side to move.
    positions: Vec<Bounds>,
}

/// The role of a node's own score in its value.
#[derive(Debug, Clone, Copy)]
enum Own {
    None,
    /// One more choice.
    Choice(Bounds),
    /// The node's value.
    Value(Bounds),
}

impl Propagated {
    /// The value of a position for the side to move.
    #[must_use]
    pub fn position(&self, node: GraphNode) -> Bounds {
        self.positions[node.index()]
    }

    /// The value of a move for the side that makes it; `None` where it leads nowhere.
    pub(crate) fn of_move<G>(&self, graph: &Graph<G>, number: usize) -> Option<Bounds> {
        let to = graph.moves.to[number];
        (to != NO_NODE).then(|| self.positions[to as usize].before())
    }

    /// Key, packed move and value of every move whose value is at least partly known, in order.
    pub(crate) fn moves<'a, G: Symmetric + Notation>(
        &'a self,
        graph: &'a Graph<G>,
    ) -> impl Iterator<Item = (i64, u16, Bounds)> + 'a {
        graph.nodes().flat_map(move |node| {
            let key = graph.key(node).to_i64();
            graph.moves.of(node.index()).filter_map(move |number| {
                let span = self.of_move(graph, number).filter(|&span| span != Bounds::UNKNOWN)?;
                Some((key, graph.about(number).bits, span))
            })
        })
    }
}

impl<G: Symmetric + Notation> Graph<G> {
    /// Backs up scores, by canonical key, through the book.
    #[must_use]
    pub fn propagate(&self, scores: &HashMap<i64, Score>) -> Propagated {
        let own = self.own_worths(scores);
        let [against, favoured] = [Side::Second, Side::First].map(|side| self.solve(&own, side));
        let spans = self.moves.turn.iter().zip(against.into_iter().zip(favoured));
        let spans = spans.map(|(turn, (against, favoured)): (&Side, (Value, Value))| {
            // Values are for the side to move: for the second side, what goes against the first is the upper end.
            let span = match turn {
                Side::First => Bounds::new(against, favoured),
                Side::Second => Bounds::new(favoured, against),
            };
            span.unwrap_or(Bounds::UNKNOWN)
        });
        Propagated { positions: spans.collect() }
    }

    /// Minimax in which everything open goes for one side.
    fn solve(&self, own: &[Own], favoured: Side) -> Vec<Value> {
        let leave = own.iter().zip(&self.moves.turn).map(|(own, &turn)| {
            let end = |span: Bounds| if turn == favoured { span.high() } else { span.low() };
            match *own {
                Own::None => Leave::Not,
                Own::Choice(span) => Leave::Choice(end(span)),
                Own::Value(span) => Leave::Forced(end(span)),
            }
        });
        solve(&self.moves, &leave.collect::<Vec<_>>())
    }

    fn own_worths(&self, scores: &HashMap<i64, Score>) -> Vec<Own> {
        let mut own: Vec<Own> = vec![Own::None; self.moves.turn.len()];
        for node in self.nodes() {
            let score = scores.get(&self.key(node).to_i64()).map(|score| &score.evaluation);
            let span = score.map(crate::book::model::value::Evaluation::span);
            own[node.index()] = match (self.outcome(node), score, span) {
                (Some(outcome), ..) => Own::Value(Bounds::exact(over(outcome, self.turn(node)))),
                (None, Some(score), Some(span)) if score.score.is_proof() => Own::Value(span),
                (None, _, span) if self.is_leaf(node) => {
                    Own::Value(span.unwrap_or(Bounds::UNKNOWN))
                }
                (None, Some(score), Some(span)) => match self.best_move(node, score.best) {
                    None => Own::Choice(span),
                    Some(_) => Own::None,
                },
                _ => Own::None,
            };
        }
        self.lend_to_leaves(scores, &mut own);
        own
    }

    fn best_move(&self, node: GraphNode, best: Option<u16>) -> Option<usize> {
        self.number_of_move(node, best?)
    }

    /// A score is also that of the position after its best move.
    fn lend_to_leaves(&self, scores: &HashMap<i64, Score>, own: &mut [Own]) {
        for node in self.nodes().filter(|&node| !self.is_leaf(node)) {
            let Some(Score { evaluation, .. }) = scores.get(&self.key(node).to_i64()) else {
                continue;
            };
            let Some(number) = self.best_move(node, evaluation.best) else { continue };
            let to = self.moves.to[number] as usize;
            // One that was lent before, by another way to the same leaf, stays.
            if matches!(own[to], Own::Value(Bounds::UNKNOWN)) {
                own[to] = Own::Value(evaluation.span().after());
            }
        }
    }
}

/// The value of a finished game for the side whose turn it would be.
fn over(outcome: Outcome, turn: Side) -> Value {
    match outcome {
        Outcome::Draw => Value::DRAW,
        Outcome::Win(side) if side == turn => Value::mate_in(0),
        Outcome::Win(_) => Value::mated_in(0),
    }
}
