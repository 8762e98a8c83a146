//! Upper bounds on the plies that a win by repetition needs up to the verdict.
//!
//! Tablebases give the plies to the deciding loop. The verdict comes later: when a position has
//! occurred three times, which the other side puts off by going around the loop in other ways, and
//! by leaving it for a lower order at the last moment. So one way of winning is followed here, the
//! best move of the tablebases in each position, through all answers of the losing side: a graph
//! whose nodes are the positions with the losing side to move. Mates by order 0 are its ends.
//!
//! - **Loops decide** if all closed ways of the graph do: in each strongly connected part all moves
//!   of the loser check, or all newly chase one piece ([`RuleSet::Asian`] only), and no closed way
//!   consists of attacks of the winner alone. Where a part is otherwise, nothing is claimed.
//! - **Visits are counted.** A part of *n* positions is left, or the game is over, when each of them
//!   has occurred twice: after 2*n* moves of each side at most. The longest way through the parts is
//!   the bound. As it counts occurrences of the game as well, it falls by each pair of moves played.
//! - **The past counts** where it is part of the same graph. Where a position of the graph occurred
//!   before that, the loop to be judged would have moves in it that decide nothing: no claim.
//!
//! Captures on the way put the limit of moves off, which the bound does not make use of.

use std::collections::HashMap;

use super::endgames::{Budget, Endgames, ProbeBudget, RootMove};
use super::tables::XiangqiTables;
use crate::game::{Game, Line};
use crate::hash::Key;
use crate::tablebase::Wdl;
use crate::xiangqi::move_limit::MOVE_LIMIT;
use crate::xiangqi::repetition::chased;
use crate::xiangqi::{Move, Position, RuleSet, Square};

/// Positions looked at for one move.
const POSITIONS: u32 = 4_000;

/// Number of occurrences of a position up to which there is no verdict.
const VISITS: u32 = 2;

/// A position with the losing side to move.
#[derive(Debug)]
struct ClaimNode {
    position: Position,
    answers: Vec<WinningReply>,
    /// Plies to the end by the moves that are not in `answers`.
    ends: u32,
    /// Number of its occurrences in the game, the present one left out.
    visits: u32,
}

/// A move of the losing side and the winner's answer to it.
#[derive(Debug, Clone, Copy)]
struct WinningReply {
    mv: Move,
    answer: Move,
    to: usize,
}

/// Follows the win after a move.
pub(crate) struct Claims<'a> {
    tables: &'a XiangqiTables,
    rules: RuleSet,
    budget: Budget<'a>,
    nodes: Vec<ClaimNode>,
    /// By position with the losing side to move.
    places: HashMap<Key, usize>,
    /// By position with the winning side to move: the winner's move.
    answers: HashMap<Key, Move>,
}

impl<'a> Claims<'a> {
    pub(crate) fn new(
        tables: &'a XiangqiTables,
        rules: RuleSet,
        probe_budget: &'a ProbeBudget<'a>,
    ) -> Self {
        let budget = Budget::new(probe_budget, POSITIONS.min(probe_budget.positions));
        Self {
            tables,
            rules,
            budget,
            nodes: Vec::new(),
            places: HashMap::new(),
            answers: HashMap::new(),
        }
    }

    /// The greatest number of plies from the end of the line to the end of the game if the winner
    /// plays `mv` and goes on by the tablebases; `None` where that is not known.
    pub(crate) fn plies(mut self, line: &Line<Position>, mv: Move) -> Option<u32> {
        let mut position = line.position().clone();
        // The move in question counts as the winner's answer from now on, so that the graph follows it
        // wherever the position comes back.
        self.answers.insert(position.key(), mv);
        position.make(mv);
        self.node(position);
        let mut next = 0;
        // Nodes are added while others are expanded; the list is its own queue.
        while next < self.nodes.len() {
            self.expand(next)?;
            next += 1;
        }
        self.count_visits(line)?;
        self.longest().map(|plies| plies + 1)
    }

    /// The place of a position.
    fn node(&mut self, position: Position) -> usize {
        let place = self.nodes.len();
        *self.places.entry(position.key()).or_insert_with(|| {
            self.nodes.push(ClaimNode { position, answers: Vec::new(), ends: 0, visits: 0 });
            place
        })
    }

    /// Looks at all moves of the losing side.
    fn expand(&mut self, place: usize) -> Option<()> {
        let position = self.nodes[place].position.clone();
        for m in self.ranked(&position)? {
            if m.entry.wdl != Wdl::Loss {
                return None;
            }
            // Mated without any rule of repetition: such a move leaves the graph, and its plies are known.
            if m.entry.order == 0 {
                let plies = u32::from(m.entry.distance);
                self.nodes[place].ends = self.nodes[place].ends.max(plies);
                continue;
            }
            let mut after = position.clone();
            after.make(m.mv);
            let answer = self.answer(&after)?;
            after.make(answer);
            let to = self.node(after);
            self.nodes[place].answers.push(WinningReply { mv: m.mv, answer, to });
        }
        Some(())
    }

    /// The winner's move.
    fn answer(&mut self, position: &Position) -> Option<Move> {
        let key = position.key();
        if let Some(&answer) = self.answers.get(&key) {
            return Some(answer);
        }
        let best = *self.ranked(position)?.first()?;
        if best.entry.wdl != Wdl::Win {
            return None;
        }
        self.answers.insert(key, best.mv);
        Some(best.mv)
    }

    fn ranked(&mut self, position: &Position) -> Option<Vec<RootMove<Move>>> {
        if self.budget.is_spent() {
            return None;
        }
        self.budget.spend();
        self.tables.ranked_moves(position)
    }

    /// Counts the occurrences of nodes in the game. `None` where one lies before the winner began to
    /// play as the graph has it.
    fn count_visits(&mut self, line: &Line<Position>) -> Option<()> {
        let since = line.len() - line.reversible() as usize;
        let past = &line.plies()[since..];
        let mut answer = self.answers.get(&line.position().key()).copied();
        let mut rest = past.len();
        while rest > 0 {
            let key = past[rest - 1].key_before;
            let place = self.places.get(&key).copied();
            let is_own = place.is_some_and(|place| {
                let mut known = self.nodes[place].answers.iter();
                known.any(|a| Some(a.mv) == past[rest - 1].mv && Some(a.answer) == answer)
            });
            let Some(place) = place.filter(|_| is_own) else { break };
            self.nodes[place].visits += 1;
            rest -= 1;
            // The winner's move that led to the node: of positions that can come back, the graph's.
            let Some(before) = rest.checked_sub(1) else { break };
            answer = past[before].mv;
            rest = before;
            let of_graph = self.answers.get(&past[before].key_before);
            if of_graph.is_some() && of_graph.copied() != answer {
                return None;
            }
        }
        let mut earlier = past[..rest].iter().map(|ply| ply.key_before);
        if earlier.any(|key| self.places.contains_key(&key) || self.answers.contains_key(&key)) {
            return None;
        }
        Some(())
    }

    /// The plies of the longest way from the first node on.
    fn longest(&self) -> Option<u32> {
        let parts = self.parts();
        let mut part_of = vec![0; self.nodes.len()];
        for (number, part) in parts.iter().enumerate() {
            part.iter().for_each(|&node| part_of[node] = number);
        }
        // Parts come before those that they lead to.
        let mut plies = vec![0u32; parts.len()];
        for (number, part) in parts.iter().enumerate().rev() {
            let inner = |a: &WinningReply| part_of[a.to] == number;
            let nodes = || part.iter().map(|&node| &self.nodes[node]);
            let leaving = nodes().flat_map(|node| &node.answers).filter(|a| !inner(a));
            let ends = nodes().map(|node| node.ends);
            let out = ends.chain(leaving.map(|a| 2 + plies[part_of[a.to]])).max().unwrap_or(0);
            plies[number] = if nodes().flat_map(|node| &node.answers).any(inner) {
                if !self.decides(part, &part_of) {
                    return None;
                }
                // The first node occurs now: once more than it may decides at once.
                if part.contains(&0) && self.nodes[0].visits >= VISITS {
                    return Some(0);
                }
                let visits: u32 = nodes().map(|n| VISITS.saturating_sub(n.visits)).sum();
                // Within a part each node can occur as often as it may; the one visit more decides. Leaving
                // with the last visit unused instead takes the longest way out.
                (2 * visits).max(2 * visits.saturating_sub(1) + out)
            } else {
                out
            };
        }
        plies.get(*part_of.first()?).copied()
    }

    /// The strongly connected parts, each before those that it leads to (Kosaraju's algorithm).
    fn parts(&self) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); self.nodes.len()];
        for (from, node) in self.nodes.iter().enumerate() {
            node.answers.iter().for_each(|a| before[a.to].push(from));
        }
        let mut seen = vec![false; self.nodes.len()];
        let mut left = Vec::new();
        for start in 0..self.nodes.len() {
            let mut stack = Vec::new();
            if !std::mem::replace(&mut seen[start], true) {
                stack.push((start, 0));
            }
            while let Some((node, next)) = stack.pop() {
                // A stack of its own instead of recursion: parts can be as deep as the budget has
                // positions.
                let Some(answer) = self.nodes[node].answers.get(next) else {
                    left.push(node);
                    continue;
                };
                stack.push((node, next + 1));
                if !std::mem::replace(&mut seen[answer.to], true) {
                    stack.push((answer.to, 0));
                }
            }
        }
        let mut parts = Vec::new();
        for &start in left.iter().rev() {
            let mut part = Vec::new();
            let mut stack = vec![start];
            while let Some(node) = stack.pop() {
                // The marks of the first pass are taken down by the second, so that no second list is
                // needed.
                if std::mem::replace(&mut seen[node], false) {
                    part.push(node);
                    stack.extend(&before[node]);
                }
            }
            if !part.is_empty() {
                parts.push(part);
            }
        }
        parts
    }

    /// Returns true if every closed way within a part loses for the losing side.
    fn decides(&self, part: &[usize], part_of: &[usize]) -> bool {
        let mut within = self.moves_within(part, part_of);
        // The losing side checks all the time. It is to blame unless the winner answers with checks all the
        // time as well, which a circle of checking answers would allow.
        if within.all(|(node, a)| self.nodes[node].position.gives_check(a.mv)) {
            let checks = self
                .moves_within(part, part_of)
                .filter(|&(node, a)| self.after(node, a).gives_check(a.answer));
            return self.has_no_circle(part, checks);
        }
        let attacks = self.moves_within(part, part_of).filter(|&(node, a)| {
            let after = self.after(node, a);
            after.gives_check(a.answer) || !chased(&after, a.answer).is_empty()
        });
        self.rules == RuleSet::Asian
            && self.has_prey(part, self.moves_within(part, part_of))
            && self.has_no_circle(part, attacks)
    }

    /// The moves that stay within a part, each with the node where it is made.
    fn moves_within(
        &self,
        part: &[usize],
        part_of: &[usize],
    ) -> impl Iterator<Item = (usize, WinningReply)> {
        let moves = part
            .iter()
            .flat_map(move |&node| self.nodes[node].answers.iter().map(move |a| (node, *a)));
        moves.filter(move |(node, a)| part_of[a.to] == part_of[*node])
    }

    /// The position after a move of the losing side, before the answer.
    fn after(&self, node: usize, reply: WinningReply) -> Position {
        let mut after = self.nodes[node].position.clone();
        after.make(reply.mv);
        after
    }

    /// Returns true if these moves never lead back to where they began.
    fn has_no_circle(
        &self,
        part: &[usize],
        edges: impl Iterator<Item = (usize, WinningReply)>,
    ) -> bool {
        let mut before = vec![0usize; self.nodes.len()];
        let mut after = vec![Vec::new(); self.nodes.len()];
        for (from, answer) in edges {
            before[answer.to] += 1;
            after[from].push(answer.to);
        }
        let mut free: Vec<usize> = part.iter().copied().filter(|&node| before[node] == 0).collect();
        let mut count = 0;
        while let Some(node) = free.pop() {
            count += 1;
            for &to in &after[node] {
                before[to] -= 1;
                if before[to] == 0 {
                    free.push(to);
                }
            }
        }
        // Nodes are taken off as soon as nothing leads to them any more: what stays behind lies on a circle
        // or after one.
        count == part.len()
    }

    /// Returns true if all these moves of the losing side newly chase one and the same piece of the
    /// winner.
    fn has_prey(&self, part: &[usize], edges: impl Iterator<Item = (usize, WinningReply)>) -> bool {
        let mut moves: HashMap<usize, Vec<WinningReply>> = HashMap::new();
        edges.for_each(|(from, answer)| moves.entry(from).or_default().push(answer));
        let start = &self.nodes[part[0]].position;
        start.side(!start.turn()).into_iter().any(|first: Square| {
            let mut squares = HashMap::from([(part[0], first)]);
            let mut stack = vec![part[0]];
            while let Some(node) = stack.pop() {
                let man = squares[&node];
                for a in moves.get(&node).into_iter().flatten() {
                    if !chased(&self.nodes[node].position, a.mv).has(man) {
                        return false;
                    }
                    // The piece chased may be the one that answers: it is followed to where it goes.
                    let stands = if a.answer.from() == man { a.answer.to() } else { man };
                    match squares.insert(a.to, stands) {
                        None => stack.push(a.to),
                        // Two ways to one position with the piece on different squares: then it is not one
                        // and the same piece.
                        Some(other) if other != stands => return false,
                        Some(_) => {}
                    }
                }
            }
            true
        })
    }
}

/// Returns true if a win of at most `plies` plies comes before the limit of moves, of which `left`
/// plies remain; `is_capture` if its first move is a capture.
pub(crate) fn is_before_limit(plies: u32, is_capture: bool, left: u32) -> bool {
    if is_capture { plies - 1 <= MOVE_LIMIT } else { plies <= left }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::engine::TableOptions;
    use crate::engine::tables::claim_plies;
    use crate::game::{Adjudicate, Horizon, MoveList, Side, Verdict};
    use crate::tablebase::{
        Entry, GenerateOptions, Material, Metric, NoProgress, Rules, Tables, generate_all,
    };
    use crate::xiangqi::{Piece, Role, Setup, can_stand};

    fn generate(dir: &Path, name: &str, rules: Rules) {
        let options = GenerateOptions { rules, ..GenerateOptions::default() };
        generate_all(dir, &[name.parse().unwrap()], &options, &NoProgress).unwrap();
    }

    /// The next number below `limit` of a sequence that looks random.
    fn below(state: &mut u64, limit: usize) -> usize {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The low bits of such a sequence repeat soon.
        (*state >> 33) as usize % limit
    }

    /// Random legal positions of a material that are won by rule.
    fn won_by_rule(tables: &Tables, name: &str, tries: usize, seed: u64) -> Vec<(Position, Entry)> {
        let material: Material = name.parse().unwrap();
        let mut state = seed;
        let mut men = Vec::new();
        for (side, role) in Side::ALL.into_iter().flat_map(|s| Role::ALL.map(|r| (s, r))) {
            let piece = Piece::new(side, role);
            let squares: Vec<Square> = Square::all().filter(|&s| can_stand(piece, s)).collect();
            men.extend((0..material.count(side, role)).map(|_| (piece, squares.clone())));
        }
        let mut found = Vec::new();
        for _ in 0..tries {
            let mut setup = Setup::empty();
            for (piece, squares) in &men {
                let square = squares[below(&mut state, squares.len())];
                setup.board[square.index()] = Some(*piece);
            }
            setup.turn = Side::ALL[below(&mut state, 2)];
            let is_whole = setup.board.iter().flatten().count() == men.len();
            let position = Position::from_setup(&setup).ok();
            let Some(position) = position.filter(|p| is_whole && p.has_legal_move()) else {
                continue;
            };
            let entry = tables.probe(&position).unwrap();
            if entry.wdl == Wdl::Win && entry.order > 0 {
                found.push((position, entry));
            }
        }
        found
    }

    /// The results for positions won by rule in one order.
    #[derive(Debug, Default)]
    struct Found {
        known: u32,
        unknown: u32,
        /// The most plies beyond the distance.
        most: u32,
    }

    /// Collects the results for random positions, by order.
    fn beyond_distances(name: &str, rules: Rules, play: RuleSet) -> BTreeMap<u16, Found> {
        let folder = tempfile::tempdir().unwrap();
        generate(folder.path(), name, rules);
        let tables = Tables::open(folder.path(), rules, Metric::Dtm).unwrap();
        let own = XiangqiTables::open(&TableOptions::from(folder.path()), play).unwrap();
        let mut by_order: BTreeMap<u16, Found> = BTreeMap::new();
        for (position, entry) in won_by_rule(&tables, name, 60_000, 5) {
            let mv = own.ranked_moves(&position).unwrap()[0].mv;
            let probe_budget = ProbeBudget::default();
            let plies = Claims::new(&own, play, &probe_budget).plies(&Line::new(position, 0), mv);
            let found = by_order.entry(entry.order).or_default();
            match plies {
                Some(plies) => {
                    found.known += 1;
                    found.most = found.most.max(plies - u32::from(entry.distance));
                }
                None => found.unknown += 1,
            }
        }
        by_order
    }

    /// The bound used in the tree is no less than what is proven, for all orders that occur.
    #[test]
    fn claims_of_small_sets_are_known_and_within_what_the_tree_allows() {
        for (rules, play) in [(Rules::Check, RuleSet::Check), (Rules::Asian, RuleSet::Asian)] {
            for (name, orders) in [("KRvKN", 1), ("KRAvKN", 1), ("KNvKCA", 3)] {
                let found = beyond_distances(name, rules, play);
                assert_eq!(found.keys().next_back(), Some(&orders), "{name} {found:?}");
                for (order, found) in found {
                    let is_known = found.known > 5 && found.unknown == 0;
                    let is_allowed = found.most <= claim_plies(order);
                    assert!(is_known && is_allowed, "{name} {order}: {found:?}");
                }
            }
        }
    }

    /// Orders up to 14.
    #[test]
    #[ignore = "cargo test --release --lib claims -- --ignored: a minute"]
    fn claims_of_high_orders_are_within_what_the_tree_allows() {
        for (order, found) in beyond_distances("KRCvKR", Rules::Check, RuleSet::Check) {
            println!("order {order}: {found:?}");
            assert!(found.most <= claim_plies(order), "{order}: {found:?}");
        }
    }

    /// A position of the graph that occurred before the winner began to play by it decides nothing.
    #[test]
    fn the_past_of_the_game_counts() {
        let folder = tempfile::tempdir().unwrap();
        generate(folder.path(), "KRvKN", Rules::Check);
        let tables = Tables::open(folder.path(), Rules::Check, Metric::Dtm).unwrap();
        let own = XiangqiTables::open(&folder.path().into(), RuleSet::Check).unwrap();
        let probe_budget = ProbeBudget::default();
        let (mut fell, mut unknown) = (0, 0);
        for (position, _) in won_by_rule(&tables, "KRvKN", 20_000, 9) {
            let mut line = Line::new(position.clone(), 0);
            let mut left = u32::MAX;
            // By the graph: the bound falls to the verdict.
            while Position::judge(&line, RuleSet::Check, Horizon::Game).verdict == Verdict::None {
                let Some(best) = own.ranked_moves(line.position()).unwrap().first().copied() else {
                    break;
                };
                if best.entry.order == 0 || line.len() > 100 {
                    break;
                }
                if line.position().turn() == position.turn() {
                    let claims = Claims::new(&own, RuleSet::Check, &probe_budget);
                    let plies = claims.plies(&line, best.mv).unwrap();
                    let moves: Vec<_> = line.plies().iter().filter_map(|ply| ply.mv).collect();
                    assert!(plies < left, "{} {moves:?} {plies} {left}", position.to_fen());
                    left = plies.saturating_sub(1);
                    fell += 1;
                }
                line.push(best.mv);
            }
            // As if the position had been there before, with other moves between.
            let mut there_before = line_there_and_back(&position);
            if let Some(line) = &mut there_before {
                let mv = own.ranked_moves(&position).unwrap()[0].mv;
                let claims = Claims::new(&own, RuleSet::Check, &probe_budget);
                unknown += u32::from(claims.plies(line, mv).is_none());
            }
        }
        assert!(fell > 30 && unknown > 0, "{fell} {unknown}");
    }

    /// A line that comes back to its beginning by quiet moves to and fro.
    fn line_there_and_back(start: &Position) -> Option<Line<Position>> {
        let mut moves = MoveList::new();
        start.legal_moves(&mut moves);
        for first in moves {
            let mut line = Line::new(start.clone(), 0);
            line.push(first);
            let mut replies = MoveList::new();
            line.position().legal_moves(&mut replies);
            for reply in replies {
                let mut line = line.clone();
                line.push(reply);
                for back in [first, reply] {
                    let back = Move::new(back.to(), back.from());
                    let mut legal = MoveList::new();
                    line.position().legal_moves(&mut legal);
                    if legal.contains(&back) {
                        line.push(back);
                    }
                }
                if line.len() == 4 && line.position() == start {
                    return Some(line);
                }
            }
        }
        None
    }
}
