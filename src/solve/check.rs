//! The checker of proofs. It knows the rules of the board and nothing of the provers.

use std::collections::HashMap;

use super::proof::{Goal, NodeId, Proof, ProofClaim, ProofNode};
use super::value::{Budget, Value};
use crate::game::{Game, MoveList, Outcome, Side};
use crate::gomoku::{Board, Point};

/// The most results of shared nodes that are remembered.
const MOST_REMEMBERED: usize = 1 << 20;

/// The reasons for which a proof does not hold.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum CheckError {
    /// The claims do not make the value.
    #[error("the trees of the proof do not prove its value")]
    Claims,
    /// The tree takes more or fewer plies.
    #[error("the proof states another distance than its tree has, {found}")]
    Distance {
        /// Plies of the tree.
        found: u32,
    },
    /// A node is wrong where it is used.
    #[error("node {node} is wrong after {}: {reason}", moves_text(moves))]
    Node {
        /// The number of the node.
        node: NodeId,
        /// The moves that lead there.
        moves: Vec<Point>,
        /// The fault.
        reason: NodeFault,
    },
    /// The budget did not suffice.
    #[error("stopped before the whole proof was checked")]
    Stopped,
}

/// The fault of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, crate::message::ToMessage)]
#[non_exhaustive]
pub enum NodeFault {
    /// The game is not over, or ended otherwise.
    #[error("the game does not end there as claimed")]
    NotOver,
    /// The pairs do not stop every row.
    #[error("the opponent can still make a row")]
    NotHeld,
    /// It is the other side's turn.
    #[error("the other side is to move")]
    Turn,
    /// The move is illegal.
    #[error("{0} is not legal")]
    Illegal(Point),
    /// The move of the opponent is not refuted.
    #[error("{0} is not refuted")]
    Open(Point),
    /// There is no move, but the game is not over.
    #[error("there is no legal move")]
    NoMove,
    /// A node below itself.
    #[error("a child does not come before its parent")]
    Order,
}

fn moves_text(moves: &[Point]) -> String {
    if moves.is_empty() {
        return "no move".to_owned();
    }
    moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// Verifies a proof: at every turn of the claimant's opponent all its legal moves are refuted. Returns the number of
/// positions looked at.
///
/// # Errors
///
/// If the proof does not hold, or the budget does not suffice.
pub fn check(proof: &Proof, budget: &Budget) -> Result<u64, CheckError> {
    let turn = proof.board.turn();
    let needed = match proof.value {
        Value::Win => vec![(turn, Goal::Win)],
        Value::Loss => vec![(!turn, Goal::Win)],
        Value::Draw => vec![(Side::First, Goal::Hold), (Side::Second, Goal::Hold)],
        Value::Unknown => return Err(CheckError::Claims),
    };
    let claims: Option<Vec<ProofClaim>> =
        needed.into_iter().map(|(side, goal)| claim_of(proof, side, goal)).collect();
    // Nothing beside them: a claim that is not checked must not stand in a proof that holds.
    let claims = claims.filter(|claims| claims.len() == proof.claims.len());
    let mut positions = 0;
    let mut distance = None;
    for claim in claims.ok_or(CheckError::Claims)? {
        let mut checker = Checker {
            board: proof.board.clone(),
            nodes: &proof.nodes,
            is_shared: shared(&proof.nodes),
            claim,
            known: HashMap::new(),
            path: Vec::new(),
            positions: 0,
            budget,
        };
        let plies = checker.plies(claim.root)?;
        if claim.goal == Goal::Win {
            distance = Some(plies);
        }
        positions += checker.positions;
    }
    match (distance, proof.distance) {
        (found, stated) if found == stated => Ok(positions),
        (found, _) => Err(CheckError::Distance { found: found.unwrap_or(0) }),
    }
}

/// The first claim of a proof that a side reaches a goal.
fn claim_of(proof: &Proof, side: Side, goal: Goal) -> Option<ProofClaim> {
    proof.claims.iter().find(|claim| claim.side == side && claim.goal == goal).copied()
}

/// The nodes with several parents.
fn shared(nodes: &[ProofNode]) -> Vec<bool> {
    let mut parents = vec![0_u8; nodes.len()];
    let mut count = |child: NodeId| {
        if let Some(parents) = parents.get_mut(child as usize) {
            // Only whether there are several matters.
            *parents = parents.saturating_add(1);
        }
    };
    for node in nodes {
        match node {
            ProofNode::End | ProofNode::Pairs(_) => {}
            ProofNode::Move(_, child) => count(*child),
            ProofNode::Answers { answers, rest } => {
                answers.iter().for_each(|&(_, child)| count(child));
                rest.iter().for_each(|&child| count(child));
            }
        }
    }
    parents.into_iter().map(|parents| parents > 1).collect()
}

struct Checker<'a> {
    board: Board,
    nodes: &'a [ProofNode],
    is_shared: Vec<bool>,
    claim: ProofClaim,
    /// Plies of shared nodes, by the stones of the position.
    known: HashMap<(NodeId, Box<[u64]>), u32>,
    path: Vec<Point>,
    positions: u64,
    budget: &'a Budget,
}

impl Checker<'_> {
    fn fault(&self, node: NodeId, reason: NodeFault) -> CheckError {
        CheckError::Node { node, moves: self.path.clone(), reason }
    }

    /// The most plies to the end from the present position by a node. Every level plays a move, so that the recursion
    /// is no deeper than the board has points.
    fn plies(&mut self, id: NodeId) -> Result<u32, CheckError> {
        self.positions += 1;
        if self.positions.is_multiple_of(256) && self.budget.is_over(self.positions) {
            return Err(CheckError::Stopped);
        }
        let nodes = self.nodes;
        let node = nodes.get(id as usize).ok_or_else(|| self.fault(id, NodeFault::Order))?;
        let is_shared = self.is_shared.get(id as usize).copied().unwrap_or(false);
        // Only nodes with several parents can come up again for the same stones.
        if !is_shared || matches!(node, ProofNode::End | ProofNode::Pairs(_)) {
            return self.plies_of(id, node);
        }
        let place = (id, self.stones());
        if let Some(&plies) = self.known.get(&place) {
            return Ok(plies);
        }
        let plies = self.plies_of(id, node)?;
        if self.known.len() < MOST_REMEMBERED {
            self.known.insert(place, plies);
        }
        Ok(plies)
    }

    fn plies_of(&mut self, id: NodeId, node: &ProofNode) -> Result<u32, CheckError> {
        match node {
            ProofNode::End if self.is_over_as_claimed() => Ok(0),
            ProofNode::End => Err(self.fault(id, NodeFault::NotOver)),
            ProofNode::Pairs(pairs) if self.is_held_by(pairs) => Ok(0),
            ProofNode::Pairs(_) => Err(self.fault(id, NodeFault::NotHeld)),
            &ProofNode::Move(point, child) => self.after_move(id, point, child),
            ProofNode::Answers { answers, rest } => self.after_answers(id, answers, *rest),
        }
    }

    fn is_over_as_claimed(&self) -> bool {
        match (self.board.outcome(), self.claim.goal) {
            (Some(Outcome::Win(side)), _) => side == self.claim.side,
            (Some(Outcome::Draw), goal) => goal == Goal::Hold,
            (None, _) => false,
        }
    }

    /// Returns true if the opponent cannot make a row as long as the claimant answers within the pairs.
    fn is_held_by(&self, pairs: &[(Point, Point)]) -> bool {
        let mut points: Vec<Point> = pairs.iter().flat_map(|&(one, other)| [one, other]).collect();
        points.sort_unstable();
        let is_disjoint = points.windows(2).all(|points| points[0] != points[1]);
        let are_free = points.iter().all(|&point| self.board.is_empty(point));
        // The answers must be legal.
        let can_answer = pairs.is_empty() || !self.board.variant().forbids(Side::First);
        self.claim.goal == Goal::Hold
            && self.board.winner().is_none()
            && is_disjoint
            && are_free
            && can_answer
            && open_lines(&self.board, !self.claim.side).all(|line| {
                pairs.iter().any(|(one, other)| line.contains(one) && line.contains(other))
            })
    }

    fn after_move(&mut self, id: NodeId, point: Point, child: NodeId) -> Result<u32, CheckError> {
        if self.board.turn() != self.claim.side {
            return Err(self.fault(id, NodeFault::Turn));
        }
        if !self.board.is_legal(point) {
            return Err(self.fault(id, NodeFault::Illegal(point)));
        }
        Ok(1 + self.child(id, point, child)?)
    }

    /// Plays a legal move and goes on with a node that stands before the parent.
    fn child(&mut self, id: NodeId, point: Point, child: NodeId) -> Result<u32, CheckError> {
        // Children stand before their parents: this rules out circles, so that the check ends.
        if child >= id {
            return Err(self.fault(id, NodeFault::Order));
        }
        let undo = self.board.make(point);
        self.path.push(point);
        let plies = self.plies(child)?;
        self.path.pop();
        self.board.unmake(point, undo);
        Ok(plies)
    }

    fn after_answers(
        &mut self,
        id: NodeId,
        answers: &[(Point, NodeId)],
        rest: Option<NodeId>,
    ) -> Result<u32, CheckError> {
        if self.board.turn() == self.claim.side {
            return Err(self.fault(id, NodeFault::Turn));
        }
        let moves = legal_moves(&self.board);
        if moves.is_empty() {
            return Err(self.fault(id, NodeFault::NoMove));
        }
        let claimant = self.claim.side;
        let opponent = !self.claim.side;
        let completions: Vec<Point> = self
            .board
            .empty_points()
            .filter(|&point| completes_row(&self.board, claimant, point))
            // Two are enough: a move of the opponent can block one of them.
            .take(2)
            .collect();
        let mut most = 0;
        for point in moves {
            let listed = answers.iter().find(|&&(answer, _)| answer == point);
            // Such moves need no node: the claimant completes a row, unless the move blocks it or completes
            // one itself.
            let is_met = completions.iter().any(|&completion| completion != point)
                && !completes_row(&self.board, opponent, point);
            let plies = match (listed, rest) {
                (Some(&(_, child)), _) => self.child(id, point, child)?,
                (None, _) if is_met => 1,
                (None, Some(rest)) => self.child(id, point, rest)?,
                (None, None) => return Err(self.fault(id, NodeFault::Open(point))),
            };
            most = most.max(1 + plies);
        }
        Ok(most)
    }

    /// The stones, two bits for each point.
    fn stones(&self) -> Box<[u64]> {
        let mut words = vec![0_u64; usize::from(self.board.area()).div_ceil(32)];
        for (place, point) in self.board.points().enumerate() {
            // The stones themselves, not their key: a checker must not rest on hashes that might collide.
            let cell = self.board.stone(point).map_or(0, |side| side.index() as u64 + 1);
            words[place / 32] |= cell << (2 * (place % 32));
        }
        words.into()
    }
}

/// The legal moves, on the heap: the checker goes as deep as the board has points.
#[inline(never)]
fn legal_moves(board: &Board) -> Vec<Point> {
    let mut moves = MoveList::new();
    board.legal_moves(&mut moves);
    moves.to_vec()
}

/// The four directions of rows: columns and rows from a point to the next.
const DIRECTIONS: [(i8, i8); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// The point some steps from another, if it is one of a board.
fn stepped(point: Point, (across, up): (i8, i8), steps: i8) -> Option<Point> {
    let column = point.column().checked_add_signed(across * steps)?;
    let row = point.row().checked_add_signed(up * steps)?;
    Point::new(column, row)
}

/// Returns true if a stone of `side` on the empty `point` wins.
fn completes_row(board: &Board, side: Side, point: Point) -> bool {
    DIRECTIONS.into_iter().any(|(across, up)| {
        let ahead = stones_ahead(board, side, point, (across, up));
        let behind = stones_ahead(board, side, point, (-across, -up));
        let length = 1 + ahead + behind;
        let row = usize::from(board.row());
        if board.variant().is_exact(side) { length == row } else { length >= row }
    })
}

/// The number of a side's stones one after the other from the point after `point` on.
fn stones_ahead(board: &Board, side: Side, point: Point, direction: (i8, i8)) -> usize {
    // No board has more than 20 columns or rows.
    let points = (1..20).map_while(|steps| stepped(point, direction, steps));
    points.take_while(|&point| board.stone(point) == Some(side)).count()
}

/// The lines of the winning length without a stone of the other side.
fn open_lines(board: &Board, side: Side) -> impl Iterator<Item = Vec<Point>> {
    board.points().flat_map(move |first| {
        let directions = DIRECTIONS.into_iter();
        directions.filter_map(move |direction| open_line(board, side, first, direction))
    })
}

/// The line from a point on, if it lies on the board and has no stone of the other side.
fn open_line(board: &Board, side: Side, first: Point, direction: (i8, i8)) -> Option<Vec<Point>> {
    let points = (0..board.row().cast_signed()).map(|steps| {
        let point = stepped(first, direction, steps)?;
        (board.contains(point) && board.stone(point) != Some(!side)).then_some(point)
    });
    points.collect()
}
