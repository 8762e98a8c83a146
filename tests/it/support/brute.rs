//! A brute-force solver for endgames: the explicit graph of all legal positions of a material set
//! and of everything that captures leave of it, solved as the infinite game that the rules define.
//! It knows nothing of symmetry, indices or un-moves, only [`Position`] and its legal moves, and
//! spends memory accordingly: about 150 bytes a position.
//!
//! Without repetition rules, mate is propagated ply by ply. What that leaves drawn is, under the
//! rule that perpetual check loses, an infinite game for each side as the *victim* of checks: it
//! wins a play if from some point on all moves of the other side, the *checker*, are checks while
//! its own non-checks never end. As whether a move checks can be seen in the position after it,
//! this is a parity game on positions: priority 3 after a non-check of the checker, 2 after a
//! non-check of the victim, 1 otherwise; the victim wins if the greatest priority that occurs
//! infinitely often is even. It is solved by Zielonka's recursive algorithm (W. Zielonka, 1998).
//! No drawn position has a move into a lost one, and moves into won ones lose, so that the moves
//! among drawn positions, captures included, are the whole game.

pub(crate) mod certificate;
mod chase;
mod limit;

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

pub(crate) use limit::{Decided, Limited};

use juzhong::game::{Game, MoveList, Side};
use juzhong::xiangqi::{Move, Piece, Position, Role, Setup, Square, can_stand};

/// The rule that judges repetitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    /// They draw.
    None,
    /// Perpetual check loses unless both sides check.
    Check,
    /// Perpetual chase loses too; check and chase are judged together.
    Asian,
}

/// A result for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Wdl {
    Loss,
    Draw,
    Win,
}

/// The value of a position as far as it is known, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) wdl: Wdl,
    /// Decided only by the rule of repetition.
    pub(crate) by_rule: bool,
    /// Plies to mate where no rule is needed; `None` otherwise and for draws.
    pub(crate) dtm: Option<u32>,
}

/// Positions by value, for one side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counts {
    pub(crate) win: u64,
    pub(crate) draw: u64,
    pub(crate) loss: u64,
    pub(crate) by_rule_win: u64,
    pub(crate) by_rule_loss: u64,
    /// Plies to mate of the longest win that needs no rule.
    pub(crate) longest_win: u32,
}

/// The men of each side, kings included.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Material(Vec<Piece>);

impl Material {
    /// Reads `KRvKN`: Red's men, then Black's.
    fn parse(name: &str) -> Self {
        let (red, black) = name.split_once('v').expect("a name like KRvKN");
        let side = |letters: &str, side| -> Vec<Piece> {
            let role = |c| Role::from_letter(c).expect("a letter of KRNCPAB");
            letters.chars().map(|c| Piece::new(side, role(c))).collect()
        };
        let mut men = side(red, Side::First);
        men.extend(side(black, Side::Second));
        men.sort();
        assert!(men.len() <= MAX_MEN, "at most {MAX_MEN} men");
        Self(men)
    }

    /// This set and everything that captures leave of it.
    fn with_subsets(self) -> Vec<Self> {
        let mut sets = vec![self];
        let mut next = 0;
        while next < sets.len() {
            let men = sets[next].0.clone();
            for i in (0..men.len()).filter(|&i| men[i].role() != Role::King) {
                let mut fewer = men.clone();
                fewer.remove(i);
                if !sets.contains(&Self(fewer.clone())) {
                    sets.push(Self(fewer));
                }
            }
            next += 1;
        }
        sets
    }

    /// Calls `sink` with every placement of the men on points where they can stand, identical men
    /// not distinguished.
    fn for_each_placement(&self, sink: &mut impl FnMut(&mut Setup)) {
        self.place(0, &mut Vec::new(), &mut Setup::empty(), sink);
    }

    fn place(
        &self,
        next: usize,
        placed: &mut Vec<Square>,
        setup: &mut Setup,
        sink: &mut impl FnMut(&mut Setup),
    ) {
        let Some(&piece) = self.0.get(next) else { return sink(setup) };
        let follows_twin = next > 0 && self.0[next - 1] == piece;
        for square in Square::all() {
            let is_free = setup.board[square.index()].is_none();
            if is_free && can_stand(piece, square) && !(follows_twin && square < placed[next - 1]) {
                setup.board[square.index()] = Some(piece);
                placed.push(square);
                self.place(next + 1, placed, setup, sink);
                placed.pop();
                setup.board[square.index()] = None;
            }
        }
    }
}

const MAX_MEN: usize = 6;

/// A position as a number: its men by square, and the side to move.
fn code(position: &Position) -> u64 {
    let men = position.occupied();
    assert!(men.len() as usize <= MAX_MEN, "at most {MAX_MEN} men");
    men.into_iter().fold(position.turn().index() as u64, |code, square| {
        let piece = position.piece_at(square).expect("a man on an occupied square");
        (code * 14 + piece.index() as u64) * 90 + square.index() as u64
    })
}

/// The position with that code.
fn decode(mut code: u64) -> Position {
    let mut setup = Setup::empty();
    // Neither 0 nor 1 is the code of a man: it would be Red's king outside its palace.
    while code > 1 {
        let (man, square) = (code / 90 % 14, (code % 90) as u8);
        let square = Square::new(square).expect("less than 90");
        setup.board[square.index()] = Some(Piece::ALL[man as usize]);
        code /= 14 * 90;
    }
    setup.turn = Side::ALL[code as usize];
    Position::from_setup_unchecked(&setup)
}

/// The facts of a position that the solvers need.
#[derive(Clone, Copy)]
struct Node {
    code: u64,
    turn: Side,
    in_check: bool,
}

/// Spreads codes over the buckets of a hash map.
#[derive(Default)]
struct Spread(u64);

impl Hasher for Spread {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unimplemented!("codes are written whole");
    }
    fn write_u64(&mut self, code: u64) {
        let mixed = code.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ mixed >> 29;
    }
}

/// Lists of nodes, one after the other.
struct Lists {
    starts: Vec<u32>,
    nodes: Vec<u32>,
}

impl Lists {
    fn of(&self, node: usize) -> &[u32] {
        &self.nodes[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The edges turned around.
    fn inverted(&self) -> Self {
        let len = self.starts.len() - 1;
        let mut starts = vec![0; len + 1];
        for &to in &self.nodes {
            starts[to as usize + 1] += 1;
        }
        for i in 0..len {
            starts[i + 1] += starts[i];
        }
        let mut at = starts.clone();
        let mut nodes = vec![0; self.nodes.len()];
        for from in 0..len {
            for &to in self.of(from) {
                nodes[at[to as usize] as usize] = from as u32;
                at[to as usize] += 1;
            }
        }
        Self { starts, nodes }
    }
}

/// All legal positions of a set and its subsets, and the moves between them.
pub(crate) struct Graph {
    men: usize,
    ids: HashMap<u64, u32, BuildHasherDefault<Spread>>,
    nodes: Vec<Node>,
    successors: Lists,
    predecessors: Lists,
}

impl Graph {
    /// The graph of a set such as `KRvKN`.
    pub(crate) fn new(material: &str) -> Self {
        let material = Material::parse(material);
        let men = material.0.len();
        let mut nodes = Vec::new();
        for set in material.with_subsets() {
            set.for_each_placement(&mut |setup| {
                for side in Side::ALL {
                    setup.turn = side;
                    nodes.extend(Position::from_setup(setup).ok().map(|position| Node {
                        code: code(&position),
                        turn: side,
                        in_check: position.in_check(),
                    }));
                }
            });
        }
        let ids = (0..).zip(&nodes).map(|(id, node)| (node.code, id)).collect();
        let successors = successors(&nodes, &ids);
        let predecessors = successors.inverted();
        Self { men, ids, nodes, successors, predecessors }
    }

    /// These positions alone, without the moves between them.
    fn of_positions(codes: &[u64]) -> Self {
        let node = |&code: &u64| {
            let position = decode(code);
            Node { code, turn: position.turn(), in_check: position.in_check() }
        };
        let nodes: Vec<Node> = codes.iter().map(node).collect();
        let ids = (0..).zip(codes).map(|(id, &code)| (code, id)).collect();
        let no_moves = || Lists { starts: vec![0; codes.len() + 1], nodes: Vec::new() };
        Self { men: 0, ids, nodes, successors: no_moves(), predecessors: no_moves() }
    }

    /// All positions, those of the subsets included.
    pub(crate) fn positions(&self) -> impl Iterator<Item = Position> {
        self.nodes.iter().map(|node| decode(node.code))
    }

    /// Decides every position.
    pub(crate) fn solve(&self, rules: Rules) -> Solution<'_> {
        let mut values = self.mates();
        match rules {
            Rules::None => {}
            Rules::Check => self.add_rule(&mut values),
            Rules::Asian => self.add_check_and_chase(&mut values),
        }
        Solution { graph: self, values }
    }

    /// Plain retrograde analysis, ply by ply.
    fn mates(&self) -> Vec<Value> {
        let draw = Value { wdl: Wdl::Draw, by_rule: false, dtm: None };
        let len = self.nodes.len();
        let mut values = vec![draw; len];
        let mut open: Vec<usize> = (0..len).map(|n| self.successors.of(n).len()).collect();
        let mut frontier: Vec<usize> = (0..len).filter(|&n| open[n] == 0).collect();
        for ply in 0.. {
            let wdl = if ply % 2 == 0 { Wdl::Loss } else { Wdl::Win };
            if frontier.is_empty() {
                break;
            }
            for &node in &frontier {
                values[node] = Value { wdl, by_rule: false, dtm: Some(ply) };
            }
            let mut next = Vec::new();
            for &before in frontier.iter().flat_map(|&node| self.predecessors.of(node)) {
                let before = before as usize;
                open[before] -= 1;
                if values[before] == draw && (wdl == Wdl::Loss || open[before] == 0) {
                    values[before].dtm = Some(ply + 1);
                    next.push(before);
                }
            }
            frontier = next;
        }
        values
    }

    /// Decides by perpetual check, then by check and chase together, until nothing more is decided.
    fn add_check_and_chase(&self, values: &mut [Value]) {
        loop {
            self.add_rule(values);
            let drawn: Vec<bool> = values.iter().map(|value| value.wdl == Wdl::Draw).collect();
            let won = Side::ALL.map(|victim| chase::won_by_rule(self, victim, &drawn));
            if won.iter().all(Vec::is_empty) {
                return;
            }
            for (victim, nodes) in Side::ALL.into_iter().zip(won) {
                self.enter(values, victim, nodes);
            }
        }
    }

    fn enter(&self, values: &mut [Value], victim: Side, won: impl IntoIterator<Item = usize>) {
        for node in won {
            let to_move = self.nodes[node].turn;
            let wdl = if to_move == victim { Wdl::Win } else { Wdl::Loss };
            assert_eq!(values[node].wdl, Wdl::Draw, "both sides cannot win");
            values[node] = Value { wdl, by_rule: true, dtm: None };
        }
    }

    /// Decides drawn positions by perpetual check.
    fn add_rule(&self, values: &mut [Value]) {
        let drawn: Vec<bool> = values.iter().map(|value| value.wdl == Wdl::Draw).collect();
        for victim in Side::ALL {
            let game = ParityGame { graph: self, victim };
            self.enter(values, victim, game.won_by_victim(drawn.clone()));
        }
    }
}

fn successors(nodes: &[Node], ids: &HashMap<u64, u32, BuildHasherDefault<Spread>>) -> Lists {
    let mut lists = Lists { starts: vec![0], nodes: Vec::new() };
    let mut moves = MoveList::new();
    for node in nodes {
        let position = decode(node.code);
        moves.clear();
        position.legal_moves(&mut moves);
        let mut after = position.clone();
        for &mv in &moves {
            let undo = after.make(mv);
            lists.nodes.push(ids[&code(&after)]);
            after.unmake(mv, undo);
        }
        lists.starts.push(u32::try_from(lists.nodes.len()).expect("fewer than 2^32 moves"));
    }
    lists
}

/// The game in which one side must not be checked for ever.
struct ParityGame<'a> {
    graph: &'a Graph,
    victim: Side,
}

impl ParityGame<'_> {
    fn priority(&self, node: usize) -> u8 {
        let Node { turn, in_check, .. } = self.graph.nodes[node];
        match (in_check, turn == self.victim) {
            (true, _) => 1,
            (false, true) => 3,
            (false, false) => 2,
        }
    }

    /// Returns true if the victim moves at `node`.
    fn is_victims(&self, node: usize) -> bool {
        self.graph.nodes[node].turn == self.victim
    }

    /// The nodes among `alive` from which the victim wins. Every one of them has a successor among
    /// them.
    fn won_by_victim(&self, alive: Vec<bool>) -> Vec<usize> {
        let mut priorities: Vec<u8> = vec![0; alive.len()];
        for node in members(&alive) {
            priorities[node] = self.priority(node);
        }
        members(&self.zielonka(&priorities, alive, 3)).collect()
    }

    /// Zielonka's algorithm on the nodes `alive`, whose priorities are at most `greatest`: the
    /// nodes that the victim (the even player) wins.
    fn zielonka(&self, priorities: &[u8], mut alive: Vec<bool>, greatest: u8) -> Vec<bool> {
        let mut won = vec![false; alive.len()];
        if greatest == 0 {
            return won;
        }
        let even = greatest.is_multiple_of(2);
        loop {
            let top = members(&alive).filter(|&n| priorities[n] == greatest).collect();
            let attracted = self.attractor(&alive, even, top);
            let rest = difference(&alive, &attracted);
            let won_rest = self.zielonka(priorities, rest.clone(), greatest - 1);
            // What the player who does not like the greatest priority wins without it.
            let other = if even { difference(&rest, &won_rest) } else { won_rest };
            let targets: Vec<usize> = members(&other).collect();
            if targets.is_empty() {
                if even {
                    members(&alive).for_each(|n| won[n] = true);
                }
                return won;
            }
            let lost = self.attractor(&alive, !even, targets);
            if !even {
                members(&lost).for_each(|n| won[n] = true);
            }
            alive = difference(&alive, &lost);
        }
    }

    /// The nodes of `alive` from which the victim (if `by_victim`) or the checker can force a visit
    /// to `targets`.
    fn attractor(&self, alive: &[bool], by_victim: bool, targets: Vec<usize>) -> Vec<bool> {
        let mut attracted = vec![false; alive.len()];
        for &node in &targets {
            attracted[node] = true;
        }
        let mut queue = targets;
        while let Some(node) = queue.pop() {
            for &before in self.graph.predecessors.of(node) {
                let before = before as usize;
                if !alive[before] || attracted[before] {
                    continue;
                }
                let escapes = self.is_victims(before) != by_victim
                    && self
                        .graph
                        .successors
                        .of(before)
                        .iter()
                        .any(|&after| alive[after as usize] && !attracted[after as usize]);
                if !escapes {
                    attracted[before] = true;
                    queue.push(before);
                }
            }
        }
        attracted
    }
}

/// A node of a cycle whose greatest priority is odd.
pub(crate) fn cycle_lost(
    plan: &HashMap<usize, Vec<usize>>,
    priority: impl Fn(usize) -> u8,
) -> Option<usize> {
    // Each odd priority: from a node that has it, through nodes of no greater one, back to it.
    let is_on_cycle = |start: usize| {
        let limit = priority(start);
        let mut seen = HashSet::new();
        let mut queue = vec![start];
        while let Some(node) = queue.pop() {
            for &after in plan[&node].iter().filter(|&&after| priority(after) <= limit) {
                if after == start {
                    return true;
                }
                if seen.insert(after) {
                    queue.push(after);
                }
            }
        }
        false
    };
    plan.keys().copied().find(|&node| priority(node) % 2 == 1 && is_on_cycle(node))
}

fn members(set: &[bool]) -> impl Iterator<Item = usize> + '_ {
    (0..set.len()).filter(|&node| set[node])
}

fn difference(set: &[bool], without: &[bool]) -> Vec<bool> {
    set.iter().zip(without).map(|(&a, &b)| a && !b).collect()
}

/// The values of all positions of a graph.
pub(crate) struct Solution<'a> {
    graph: &'a Graph,
    values: Vec<Value>,
}

impl Solution<'_> {
    /// The value of a legal position of the set or one of its subsets.
    pub(crate) fn value(&self, position: &Position) -> Value {
        self.values[self.graph.ids[&code(position)] as usize]
    }

    /// All positions with their values, subsets included.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Position, Value)> {
        self.graph.nodes.iter().zip(&self.values).map(|(node, &value)| (decode(node.code), value))
    }

    /// The positions of the whole set, without its subsets.
    pub(crate) fn full(&self) -> impl Iterator<Item = (Position, Value)> {
        self.iter().filter(|(position, _)| position.occupied().len() as usize == self.graph.men)
    }

    /// Returns true if the winner wins by the rule of repetition if it always plays `best`, whatever the
    /// loser does: a position of a cycle in which it does not, if there is one.
    pub(crate) fn cycle_not_won(&self, best: impl Fn(&Position) -> Move) -> Option<Position> {
        Side::ALL.into_iter().find_map(|victim| {
            let game = ParityGame { graph: self.graph, victim };
            let won: Vec<usize> = (0..self.values.len())
                .filter(|&node| {
                    let value = self.values[node];
                    value.by_rule && (value.wdl == Wdl::Win) == game.is_victims(node)
                })
                .collect();
            let plan: HashMap<usize, Vec<usize>> =
                won.iter().map(|&node| (node, self.planned(&game, node, &best))).collect();
            cycle_lost(&plan, |node| game.priority(node))
                .map(|node| decode(self.graph.nodes[node].code))
        })
    }

    /// The nodes that play goes to from `node` without being decided, the victim playing `best`.
    fn planned(
        &self,
        game: &ParityGame<'_>,
        node: usize,
        best: &impl Fn(&Position) -> Move,
    ) -> Vec<usize> {
        let mut next: Vec<usize> =
            self.graph.successors.of(node).iter().map(|&after| after as usize).collect();
        if game.is_victims(node) {
            let mut after = decode(self.graph.nodes[node].code);
            after.make(best(&after));
            next = vec![self.graph.ids[&code(&after)] as usize];
        }
        for &after in &next {
            let wdl = if game.is_victims(after) { Wdl::Win } else { Wdl::Loss };
            assert_eq!(self.values[after].wdl, wdl, "a won position is left");
        }
        next.retain(|&after| self.values[after].by_rule);
        next
    }

    /// Counts the positions of the whole set in which `side` is to move.
    pub(crate) fn counts(&self, side: Side) -> Counts {
        let mut counts = Counts::default();
        for (_, value) in self.full().filter(|(position, _)| position.turn() == side) {
            match value.wdl {
                Wdl::Win => counts.win += 1,
                Wdl::Draw => counts.draw += 1,
                Wdl::Loss => counts.loss += 1,
            }
            counts.by_rule_win += u64::from(value.by_rule && value.wdl == Wdl::Win);
            counts.by_rule_loss += u64::from(value.by_rule && value.wdl == Wdl::Loss);
            if let (Wdl::Win, Some(dtm)) = (value.wdl, value.dtm) {
                counts.longest_win = counts.longest_win.max(dtm);
            }
        }
        counts
    }
}
