//! Results under a limit of plies without a capture, literally.
//!
//! Without rules of repetition the game is finite, and solved by backward induction over states: a
//! position and the number of plies left. A mate on the last ply counts, and so does a capture,
//! after which all plies are left again; with no ply left a position with legal moves is drawn.
//!
//! Under the rule of perpetual check the game is the one that `docs/design/repetition.md` defines
//! under "The limit of moves": round by round, from the definition, by sweeps.

use juzhong::game::Side;

use super::{Graph, Wdl, decode};

/// A result under a limit, for the side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Decided {
    pub(crate) wins: bool,
    /// The round of the repetition rule.
    pub(crate) order: u32,
    /// The least number of plies left with which the result is the same.
    pub(crate) plies: u32,
}

/// The results of all positions of a graph, by node; `None` for draws.
pub(crate) struct Limited<'a> {
    graph: &'a Graph,
    limit: u32,
    men: Vec<u32>,
    results: Vec<Option<Decided>>,
}

impl<'a> Limited<'a> {
    /// Solves a graph under a limit, with the rounds of perpetual check or without.
    pub(crate) fn new(graph: &'a Graph, limit: u32, has_rounds: bool) -> Self {
        let men = graph.nodes.iter().map(|node| decode(node.code).occupied().len());
        let results = vec![None; graph.nodes.len()];
        let mut limited = Self { graph, limit, men: men.collect(), results };
        for men in 2..=graph.men as u32 {
            let nodes: Vec<usize> =
                (0..limited.men.len()).filter(|&node| limited.men[node] == men).collect();
            limited.count_down(&nodes);
            if has_rounds {
                limited.play_rounds(&nodes);
            }
        }
        limited
    }

    /// All positions with their results.
    pub(crate) fn iter(
        &self,
    ) -> impl Iterator<Item = (juzhong::xiangqi::Position, Option<Decided>)> {
        self.graph
            .nodes
            .iter()
            .zip(&self.results)
            .map(|(node, &result)| (decode(node.code), result))
    }

    fn moves(&self, node: usize) -> impl Iterator<Item = usize> + use<'_> {
        self.graph.successors.of(node).iter().map(|&after| after as usize)
    }

    fn is_capture(&self, node: usize, after: usize) -> bool {
        self.men[node] != self.men[after]
    }

    /// Round 0: the states with 0, 1, … plies left, each from those with a ply less.
    fn count_down(&mut self, nodes: &[usize]) {
        let mut left = vec![Wdl::Draw; self.men.len()];
        for plies in 0..=self.limit {
            let values: Vec<Wdl> =
                nodes.iter().map(|&node| self.with_left(node, plies, &left)).collect();
            for (&node, value) in nodes.iter().zip(values) {
                left[node] = value;
                match self.results[node] {
                    Some(found) => assert_eq!(found.wins, value == Wdl::Win, "more plies, less"),
                    None if value == Wdl::Draw => {}
                    None => {
                        let wins = value == Wdl::Win;
                        self.results[node] = Some(Decided { wins, order: 0, plies });
                    }
                }
            }
        }
    }

    /// The value with that number of plies left; `left` has those with one less.
    fn with_left(&self, node: usize, plies: u32, left: &[Wdl]) -> Wdl {
        if self.graph.successors.of(node).is_empty() {
            return Wdl::Loss;
        }
        if plies == 0 {
            return Wdl::Draw;
        }
        let value = |after: usize| {
            let capture = self.is_capture(node, after);
            let of_capture = self.results[after].filter(|result| result.order == 0);
            match (capture, of_capture) {
                (false, _) => left[after],
                (true, None) => Wdl::Draw,
                (true, Some(result)) if result.wins => Wdl::Win,
                (true, Some(_)) => Wdl::Loss,
            }
        };
        match self.moves(node).map(value).min() {
            Some(Wdl::Loss) => Wdl::Win,
            Some(Wdl::Win) => Wdl::Loss,
            _ => Wdl::Draw,
        }
    }

    fn play_rounds(&mut self, nodes: &[usize]) {
        let smaller = (0..self.men.len()).filter(|&node| self.men[node] < self.men[nodes[0]]);
        let orders = smaller.filter_map(|node| self.results[node]).map(|result| result.order);
        let last = orders.max().unwrap_or(0);
        for round in 1.. {
            let any = self.play_round(nodes, round);
            if !any && round >= last {
                return;
            }
        }
    }

    /// Decides what is open by the loops of this round, and what follows from them; returns true if
    /// there was anything.
    fn play_round(&mut self, nodes: &[usize], round: u32) -> bool {
        let mut loops = vec![0; self.men.len()];
        for victim in Side::ALL {
            self.find_loops(nodes, victim, round, &mut loops);
        }
        let mut any = false;
        for plies in 1..=self.limit {
            let open = nodes.iter().filter(|&&node| self.results[node].is_none());
            let found: Vec<(usize, bool)> = open
                .filter_map(|&node| {
                    let by_loop = (1..=plies).contains(&loops[node]);
                    let in_loop = by_loop.then(|| loops[node] % 2 == 1);
                    let wins = in_loop.or_else(|| self.follows(node, round, plies));
                    wins.map(|wins| (node, wins))
                })
                .collect();
            any |= !found.is_empty();
            for (node, wins) in found {
                self.results[node] = Some(Decided { wins, order: round, plies });
            }
        }
        any
    }

    /// The result that the moves give in a round with that number of plies left, if they give one.
    fn follows(&self, node: usize, round: u32, plies: u32) -> Option<bool> {
        let value = |after: usize| {
            let result = self.results[after].filter(|result| result.order <= round)?;
            let in_time = match result.order {
                _ if self.is_capture(node, after) => true,
                order if order == round => result.plies < plies,
                _ => result.plies < self.limit,
            };
            in_time.then_some(result.wins)
        };
        let mut all = true;
        for after in self.moves(node) {
            match value(after) {
                Some(false) => return Some(true),
                Some(true) => {}
                None => all = false,
            }
        }
        all.then_some(false)
    }

    /// A capture wins in this round.
    fn wins_by_capture(&self, node: usize, round: u32) -> bool {
        let is_lost = |after: usize| {
            self.results[after].is_some_and(|result| !result.wins && result.order <= round)
        };
        self.moves(node).any(|after| self.is_capture(node, after) && is_lost(after))
    }

    /// The move is known to lose when the loops of a round are looked for.
    fn is_known_to_lose(&self, node: usize, after: usize, round: u32) -> bool {
        match self.results[after] {
            Some(result) if self.is_capture(node, after) => result.wins && result.order <= round,
            Some(result) => result.wins && result.plies < self.limit,
            None => {
                !self.is_capture(node, after)
                    && self.limit > 1
                    && self.wins_by_capture(after, round)
            }
        }
    }

    /// Enters the plies up to the next evasion that is no check, for all positions of the loops in
    /// which the victim can go on forcing one in time.
    fn find_loops(&self, nodes: &[usize], victim: Side, round: u32, loops: &mut [u32]) {
        let is_open =
            |node: usize| self.results[node].is_none() && !self.wins_by_capture(node, round);
        let mut alive = vec![false; self.men.len()];
        for &node in nodes {
            let facts = &self.graph.nodes[node];
            alive[node] = is_open(node) && (facts.turn != victim || facts.in_check);
        }
        let members: Vec<usize> = nodes.iter().copied().filter(|&node| alive[node]).collect();
        loop {
            while self.sweep(&members, victim, round, &mut alive) {}
            let plies = self.reach(&members, victim, &alive);
            let late: Vec<usize> =
                members.iter().copied().filter(|&node| alive[node] && plies[node] == 0).collect();
            if late.is_empty() {
                members
                    .iter()
                    .filter(|&&node| alive[node])
                    .for_each(|&node| loops[node] = plies[node]);
                return;
            }
            late.into_iter().for_each(|node| alive[node] = false);
        }
    }

    /// Drops positions that fail the conditions on single moves; returns true if there were any.
    fn sweep(&self, members: &[usize], victim: Side, round: u32, alive: &mut [bool]) -> bool {
        let mut any = false;
        for &node in members {
            if !alive[node] {
                continue;
            }
            let stays = |after: usize| alive[after] && !self.is_capture(node, after);
            let holds = if self.graph.nodes[node].turn == victim {
                self.moves(node).any(stays)
            } else {
                let holds = |after| stays(after) || self.is_known_to_lose(node, after, round);
                self.moves(node).any(stays) && self.moves(node).all(holds)
            };
            any |= !holds;
            alive[node] = holds;
        }
        any
    }

    /// The plies, up to the limit, in which the victim forces an evasion that is no check; 0 where it
    /// forces none.
    fn reach(&self, members: &[usize], victim: Side, alive: &[bool]) -> Vec<u32> {
        let mut found = vec![0; self.men.len()];
        for plies in 1..=self.limit {
            let is_reached = |&node: &usize| {
                let mut moves = self.moves(node).filter(|&after| alive[after]);
                let is_near = |after: usize| (1..plies).contains(&found[after]);
                if self.graph.nodes[node].turn != victim {
                    plies > 1 && moves.all(is_near)
                } else if plies == 1 {
                    moves.any(|after| !self.graph.nodes[after].in_check)
                } else {
                    moves.any(is_near)
                }
            };
            let open = members.iter().copied().filter(|&node| alive[node] && found[node] == 0);
            let reached: Vec<usize> = open.filter(is_reached).collect();
            reached.into_iter().for_each(|node| found[node] = plies);
        }
        found
    }
}
