//! The prover: threat search, exhaustive search and proof numbers one after the other, within limits.

use super::exhaustive::Exhaustive;
use super::expand::{Scope, legal};
use super::pns::{ProofSearch, Proved};
use super::proof::{Goal, NodeId, Nodes, Proof, ProofClaim, ProofNode};
use super::table::CompleteTable;
use super::tree::{Built, Exact, TreeBuilder};
use super::value::{Budget, ProofKind, Value};
use crate::bytes::clock::Instant;
use crate::game::{Game, Outcome, Side};
use crate::gomoku::{Board, Completions, FourSearch, FourSolver, LineMap, Point};

/// Boards of at most this many points are solved by their complete table, which takes milliseconds.
const TABLE_POINTS: u16 = 12;

/// Positions with at most this many empty points are searched exhaustively.
const EXHAUSTIVE_POINTS: u16 = 14;

/// Boards of at most this many points are searched among all moves, and can be proved drawn.
const SMALL_POINTS: u16 = 49;

/// Nodes of the searches for continuous fours that come first.
const FOUR_NODES: u64 = 50_000_000;

/// The provers that are tried.
#[derive(Debug, Clone)]
pub struct ProverOptions {
    /// Kinds of proof to try; always in the order of the provers.
    pub kinds: Vec<ProofKind>,
}

impl Default for ProverOptions {
    /// All kinds.
    fn default() -> Self {
        Self { kinds: ProofKind::ALL.to_vec() }
    }
}

/// The answer to the question who wins a position.
#[derive(Debug, Clone)]
pub struct Solution {
    /// For the side to move.
    pub value: Value,
    /// Plies to the end of the game by the proof, of wins and losses: 1 where a row can be completed.
    pub distance: Option<u32>,
    /// The way in which the value was proved; `None` if it is unknown.
    pub kind: Option<ProofKind>,
    /// Moves of both sides by the proof, the longest defence first; empty for draws and unknown values.
    pub line: Vec<Point>,
    /// Positions that the provers looked at.
    pub nodes: u64,
    /// The proof; `None` if the value is unknown, or the proof would not fit the memory.
    pub proof: Option<Proof>,
}

impl Solution {
    /// Nothing proved.
    #[must_use]
    pub const fn unknown(nodes: u64) -> Self {
        Self {
            value: Value::Unknown,
            distance: None,
            kind: None,
            line: Vec::new(),
            nodes,
            proof: None,
        }
    }
}

/// Solves positions, and keeps tables of small boards from one to the next.
///
/// ```
/// use juzhong::gomoku::Board;
/// use juzhong::solve::{Budget, Prover, Value, check};
///
/// // Tic-tac-toe is a draw, and the proof says why.
/// let board = Board::new(3, 3, 3)?;
/// let solution = Prover::default().solve(&board, &Budget::default());
/// assert_eq!(solution.value, Value::Draw);
/// let proof = solution.proof.unwrap();
/// // The checker goes through it move by move, without searching.
/// assert!(check(&proof, &Budget::default())? > 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Prover {
    options: ProverOptions,
    table: Option<CompleteTable>,
}

impl Prover {
    /// A prover.
    #[must_use]
    pub const fn new(options: ProverOptions) -> Self {
        Self { options, table: None }
    }

    /// The value of a position, with its proof.
    pub fn solve(&mut self, board: &Board, budget: &Budget) -> Solution {
        let mut attempt = Attempt { board, budget, nodes: 0 };
        for kind in [
            ProofKind::Five,
            ProofKind::Table,
            ProofKind::Vcf,
            ProofKind::Exhaustive,
            ProofKind::Threats,
            ProofKind::Pns,
        ] {
            if !self.options.kinds.contains(&kind) {
                continue;
            }
            let solution = match kind {
                ProofKind::Five => attempt.five(),
                ProofKind::Table => attempt.table(&mut self.table),
                ProofKind::Vcf => attempt.fours(),
                ProofKind::Exhaustive => attempt.exhaustive(),
                ProofKind::Threats => attempt.threats(),
                ProofKind::Pns => attempt.pns(),
            };
            if let Some(solution) = solution {
                return solution;
            }
            if budget.is_over(attempt.nodes) {
                break;
            }
        }
        Solution::unknown(attempt.nodes)
    }
}

/// One position in hand.
struct Attempt<'a> {
    board: &'a Board,
    budget: &'a Budget,
    nodes: u64,
}

impl Attempt<'_> {
    /// The game is over or will be after one move of each side at most.
    fn five(&mut self) -> Option<Solution> {
        self.nodes += 1;
        let board = self.board;
        let turn = board.turn();
        let mut nodes = self.room();
        let mut tree = TreeBuilder::new(&mut nodes);
        match board.outcome() {
            Some(Outcome::Win(_)) => {
                let built = tree.end()?;
                return Some(self.won(Value::Loss, ProofKind::Five, Some((nodes, built))));
            }
            Some(Outcome::Draw) => {
                let built = tree.end()?;
                return Some(self.drawn(ProofKind::Five, Some((nodes, [built, built]))));
            }
            None => {}
        }
        let map = LineMap::of(board);
        if let Completions::One(point) | Completions::Several(point, _) = map.completions(turn) {
            let built = tree.complete(point)?;
            return Some(self.won(Value::Win, ProofKind::Five, Some((nodes, built))));
        }
        let is_lost = match map.completions(!turn) {
            Completions::None => false,
            // The point that would stop the row may be forbidden.
            Completions::One(point) => !board.is_legal(point) && board.count_legal_moves() > 0,
            Completions::Several(..) => true,
        };
        if !is_lost {
            return None;
        }
        let built = tree.unanswerable()?;
        Some(self.won(Value::Loss, ProofKind::Five, Some((nodes, built))))
    }

    /// Continuous fours of the side to move.
    fn fours(&mut self) -> Option<Solution> {
        let mut solver = FourSolver::new((self.budget.memory / 4).min(64 << 20));
        // What one search remembers, the next need not look at again.
        let mut asked = 1 << 16;
        let found = loop {
            let left = self.budget.nodes.saturating_sub(self.nodes + solver.nodes());
            let found = solver.search(self.board, asked.min(left));
            let is_spent =
                solver.nodes() >= FOUR_NODES || self.budget.is_over(self.nodes + solver.nodes());
            if found != FourSearch::Unknown || is_spent {
                break found;
            }
            asked = (2 * asked).min(1 << 20);
        };
        self.nodes += solver.nodes();
        let win = found.win()?;
        let mut nodes = self.room();
        let built = TreeBuilder::new(&mut nodes).fours(&win)?;
        Some(self.won(Value::Win, ProofKind::Vcf, Some((nodes, built))))
    }

    fn table(&mut self, table: &mut Option<CompleteTable>) -> Option<Solution> {
        if self.board.area() > TABLE_POINTS {
            return None;
        }
        if table.as_ref().is_none_or(|table| table.exact(self.board).is_none()) {
            *table = CompleteTable::build(self.board, self.budget).ok();
        }
        let table = table.as_ref()?;
        self.nodes += 1;
        self.exact(ProofKind::Table, &mut |board| table.exact(board))
    }

    fn exhaustive(&mut self) -> Option<Solution> {
        if self.board.area() - self.board.stones() > EXHAUSTIVE_POINTS {
            return None;
        }
        let budget = self.share(1.0);
        let mut search = Exhaustive::new(&budget);
        let solved =
            self.exact(ProofKind::Exhaustive, &mut |board| search.value(&mut board.clone()));
        self.nodes += search.nodes();
        solved.map(|solution| Solution { nodes: self.nodes, ..solution })
    }

    /// The solution by exact values.
    fn exact(
        &self,
        kind: ProofKind,
        value: &mut dyn FnMut(&Board) -> Option<Exact>,
    ) -> Option<Solution> {
        let exact = value(self.board)?;
        let mut nodes = self.room();
        let mut build = |side: Side, goal: Goal| {
            TreeBuilder::new(&mut nodes).exact(&mut self.board.clone(), (side, goal), value)
        };
        if exact == Exact::DRAW {
            let both = build(Side::First, Goal::Hold).zip(build(Side::Second, Goal::Hold));
            return Some(self.drawn(kind, both.map(|(first, second)| (nodes, [first, second]))));
        }
        let (value, side) = match exact.is_win() {
            true => (Value::Win, self.board.turn()),
            false => (Value::Loss, !self.board.turn()),
        };
        let built = build(side, Goal::Win).map(|built| (nodes, built));
        let mut solution = self.won(value, kind, built);
        solution.distance = Some(exact.plies());
        Some(solution)
    }

    /// Continuous threats of the side to move, then of the other, which threatens already.
    fn threats(&mut self) -> Option<Solution> {
        let turn = self.board.turn();
        [turn, !turn].into_iter().find_map(|attacker| {
            let share = if attacker == turn { 0.5 } else { 0.3 };
            let budget = self.share(share);
            let mut search = ProofSearch::new(attacker, Scope::Threats, &budget);
            self.conclude(&mut search, ProofKind::Threats).1
        })
    }

    /// Proof-number search: on small boards among all moves, so that draws are proved too.
    fn pns(&mut self) -> Option<Solution> {
        let turn = self.board.turn();
        let is_small = self.board.area() <= SMALL_POINTS;
        let scope = if is_small { Scope::All } else { Scope::Near };
        let budget = self.share(0.6);
        let mut own = ProofSearch::new(turn, scope, &budget);
        let (own_result, solution) = self.conclude(&mut own, ProofKind::Pns);
        if solution.is_some() {
            return solution;
        }
        let rest = self.share(1.0);
        let mut other = ProofSearch::new(!turn, scope, &rest);
        let (other_result, solution) = self.conclude(&mut other, ProofKind::Pns);
        if solution.is_some() {
            return solution;
        }
        if !is_small || (own_result, other_result) != (Proved::NotWon, Proved::NotWon) {
            return None;
        }
        let mut nodes = self.room();
        let of_other = TreeBuilder::new(&mut nodes).not_won(&mut own, &mut self.board.clone());
        let of_own = TreeBuilder::new(&mut nodes).not_won(&mut other, &mut self.board.clone());
        let built = of_own.zip(of_other).map(|(own, other)| match turn {
            Side::First => [own, other],
            Side::Second => [other, own],
        });
        Some(self.drawn(ProofKind::Pns, built.map(|built| (nodes, built))))
    }

    /// Runs a search; a solution where its attacker wins.
    fn conclude(
        &mut self,
        search: &mut ProofSearch<'_>,
        kind: ProofKind,
    ) -> (Proved, Option<Solution>) {
        let proved = search.prove(self.board);
        let attacker = search.expander.attacker();
        let solution = (proved == Proved::Won).then(|| {
            let mut nodes = self.room();
            let built = TreeBuilder::new(&mut nodes).won(search, &mut self.board.clone());
            let is_own = attacker == self.board.turn();
            let value = if is_own { Value::Win } else { Value::Loss };
            (value, built.map(|built| (nodes, built)))
        });
        self.nodes += search.nodes();
        (proved, solution.map(|(value, built)| self.won(value, kind, built)))
    }

    /// Part of the time and of the positions that are left, and half of the memory.
    fn share(&self, part: f64) -> Budget {
        let now = Instant::now();
        let deadline = self
            .budget
            .deadline
            .map(|deadline| now + deadline.saturating_duration_since(now).mul_f64(part));
        let nodes = match self.budget.nodes {
            u64::MAX => u64::MAX,
            nodes => (nodes.saturating_sub(self.nodes) as f64 * part) as u64,
        };
        let memory = self.budget.memory / 2;
        Budget { deadline, nodes, memory, stop: self.budget.stop.clone() }
    }

    /// Room for the nodes of a proof.
    fn room(&self) -> Nodes {
        Nodes::new(self.budget.memory / 4)
    }

    /// A win or a loss of the side to move.
    fn won(&self, value: Value, kind: ProofKind, built: Option<(Nodes, Built)>) -> Solution {
        let side = if value == Value::Win { self.board.turn() } else { !self.board.turn() };
        let distance = built.as_ref().map(|(_, built)| built.plies);
        let proof = built.map(|(nodes, built)| Proof {
            board: self.board.clone(),
            value,
            kind,
            distance,
            claims: vec![ProofClaim { side, goal: Goal::Win, root: built.root }],
            nodes: nodes.into_nodes(),
        });
        let line = proof.as_ref().map(|proof| longest_line(proof, side)).unwrap_or_default();
        Solution { value, distance, kind: Some(kind), line, nodes: self.nodes, proof }
    }

    /// A draw, with the trees of both sides.
    fn drawn(&self, kind: ProofKind, built: Option<(Nodes, [Built; 2])>) -> Solution {
        let claim =
            |(side, built): (Side, Built)| ProofClaim { side, goal: Goal::Hold, root: built.root };
        let proof = built.map(|(nodes, built)| Proof {
            board: self.board.clone(),
            value: Value::Draw,
            kind,
            distance: None,
            claims: Side::ALL.into_iter().zip(built).map(claim).collect(),
            nodes: nodes.into_nodes(),
        });
        let value = Value::Draw;
        let nodes = self.nodes;
        Solution { value, distance: None, kind: Some(kind), line: Vec::new(), nodes, proof }
    }
}

/// The moves of a won proof against the longest defence that it lists, up to the complete row.
fn longest_line(proof: &Proof, side: Side) -> Vec<Point> {
    let plies = proof.plies();
    let mut board = proof.board.clone();
    let mut line = Vec::new();
    let Some(claim) = proof.claims.first() else { return line };
    let mut at: Option<NodeId> = Some(claim.root);
    while board.outcome().is_none() {
        let node = at.and_then(|id| proof.nodes.get(id as usize));
        let step = match node {
            Some(&ProofNode::Move(point, child)) => Some((point, Some(child))),
            Some(ProofNode::Answers { answers, rest }) => {
                answer(&board, side, answers, *rest, &plies)
            }
            Some(ProofNode::End | ProofNode::Pairs(_)) | None => {
                completion(&board).map(|point| (point, None))
            }
        };
        let Some((point, next)) = step.filter(|&(point, _)| board.is_legal(point)) else { break };
        board.make(point);
        line.push(point);
        at = next;
    }
    line
}

/// The longest defence, and the node after it.
fn answer(
    board: &Board,
    side: Side,
    answers: &[(Point, NodeId)],
    rest: Option<NodeId>,
    plies: &[u32],
) -> Option<(Point, Option<NodeId>)> {
    let longest = answers.iter().copied().rev().max_by_key(|&(_, child)| plies_at(plies, child));
    if let Some((point, child)) = longest
        && rest.is_none_or(|rest| plies_at(plies, rest) <= plies_at(plies, child))
    {
        return Some((point, Some(child)));
    }
    let blocks = match LineMap::of(board).completions(side) {
        Completions::None => None,
        Completions::One(point) | Completions::Several(point, _) => Some(point),
    };
    let block = blocks.filter(|&point| board.is_legal(point));
    let point = block.or_else(|| {
        legal(board)
            .into_iter()
            .find(|point: &Point| !answers.iter().any(|(listed, _)| listed == point))
    })?;
    Some((point, rest))
}

/// The plies of a node; 0 beyond the end.
fn plies_at(plies: &[u32], id: NodeId) -> u32 {
    plies.get(id as usize).copied().unwrap_or(0)
}

fn completion(board: &Board) -> Option<Point> {
    match LineMap::of(board).completions(board.turn()) {
        Completions::None => None,
        Completions::One(point) | Completions::Several(point, _) => Some(point),
    }
}
