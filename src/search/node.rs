use super::history::Before;
use super::order::{Hints, Picker};
use super::prune::{self, late_move_reduction};
use super::transposition::Entry;
use super::tunables::IIR_DEPTH;
use super::window::Window;
use super::workers::{Interrupted, Worker};
use super::{Bound, MAX_PLY, Oracle, Score, TableValue};
use crate::game::{Adjudicate, Heuristics, Horizon, MoveList, Outcome, Packed, Side, Verdict};

/// What kind of node is searched, known at compile time, so that what only some nodes do costs the
/// others nothing.
pub(super) trait Kind {
    /// Whether it is where the search begins.
    const ROOT: bool;
    /// Whether the window is open.
    const PV: bool;
}

/// Where the search begins.
pub(super) struct Root;
/// On the principal variation.
pub(super) struct Pv;
/// Anywhere else: searched with a window without room.
pub(super) struct Null;

impl Kind for Root {
    const ROOT: bool = true;
    const PV: bool = true;
}
impl Kind for Pv {
    const ROOT: bool = false;
    const PV: bool = true;
}
impl Kind for Null {
    const ROOT: bool = false;
    const PV: bool = false;
}

/// What is known of a node before its moves are searched.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node<M> {
    pub(super) ply: usize,
    pub(super) depth: i32,
    pub(super) window: Window,
    /// Whether the side to move is under a threat (in check).
    pub(super) threatened: bool,
    /// The static evaluation; meaningless under a threat.
    pub(super) eval: Score,
    /// Whether the evaluation is better than at one's own last turn.
    pub(super) improving: bool,
    /// Plies that every move is searched deeper.
    pub(super) extension: i32,
    /// Whether a cut is expected.
    pub(super) cut: bool,
    pub(super) was_pv: bool,
    pub(super) table_move: Option<M>,
    pub(super) before: Before,
}

/// A move of a node, before it is made.
#[derive(Debug, Clone, Copy)]
pub(super) struct Candidate<M> {
    pub(super) mv: M,
    /// How many moves were handed out up to this one.
    pub(super) number: i32,
    pub(super) forcing: bool,
    /// Whether it gives check.
    pub(super) threatening: bool,
    /// Its [history index](Heuristics::history_index).
    pub(super) index: usize,
    pub(super) history: i32,
}

/// The best of the moves searched so far.
struct Best<M> {
    score: Score,
    mv: Option<M>,
    /// See [`Worker::floor`]: the lowest of all moves, for an upper bound hangs on each of them; once
    /// a move has cut, that move's.
    floor: usize,
}

impl<M> Best<M> {
    fn none() -> Self {
        Self { score: -Score::INFINITE, mv: None, floor: NO_FLOOR }
    }
}

/// Floor of scores that no repetition decided.
pub(super) const NO_FLOOR: usize = usize::MAX;

impl<G: Heuristics + Adjudicate, O: Oracle<G>> Worker<'_, G, O> {
    /// The value of the line's last position, `depth` plies deep, as far as `window` tells scores
    /// apart (fail-soft).
    pub(super) fn search<N: Kind>(
        &mut self,
        window: Window,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> Result<Score, Interrupted> {
        if depth <= 0 {
            return self.enter_quiescence::<N>(window, ply);
        }
        self.enter(ply)?;
        let mut window = window;
        if !N::ROOT {
            if let Some(score) = self.known_result(ply) {
                return Ok(score);
            }
            if self.shared.techniques.mate_distance {
                window = window.narrowed(Score::mated_in(ply), Score::mate_in(ply + 1));
                if window.is_empty() {
                    return Ok(window.alpha);
                }
            }
        }
        let entry = self.shared.probe(self.table_key());
        if !N::PV
            && let Some(score) = table_cutoff(entry, window, depth, ply)
        {
            return Ok(score);
        }
        let mut node = self.survey::<N>(entry, window, depth, ply, cut);
        if !N::PV
            && self.shared.techniques.pruning
            && !node.threatened
            && let Some(score) = self.prune(&node)?
        {
            return Ok(score);
        }
        if self.shared.techniques.reductions && node.table_move.is_none() && depth >= IIR_DEPTH {
            node.depth -= 1;
        }
        self.search_moves::<N>(&node)
    }

    /// Where depth runs out: a loop that closes here is judged, anything else left to quiescence.
    fn enter_quiescence<N: Kind>(
        &mut self,
        window: Window,
        ply: usize,
    ) -> Result<Score, Interrupted> {
        if N::ROOT {
            return self.quiesce::<N>(window, ply);
        }
        match self.judged(ply) {
            Some((score, floor)) => {
                self.enter(ply)?;
                self.floor[ply] = floor;
                Ok(score)
            }
            None => self.quiesce::<N>(window, ply),
        }
    }

    /// What the rules that look at the past say of the line's last position, with its
    /// [floor](Worker::floor).
    fn judged(&self, ply: usize) -> Option<(Score, usize)> {
        let rules = self.shared.rules;
        let score = match G::judge(&self.line, rules, Horizon::Search { root: self.root }).verdict {
            Verdict::None => return None,
            Verdict::Draw => Score::DRAW,
            Verdict::Loses(side) => decided(self.line.position().side_to_move() != side, ply),
        };
        let first = self.line.earlier_occurrences().next();
        let first = first.unwrap_or(self.line.len().saturating_sub(self.line.clock() as usize));
        Some((score, first.saturating_sub(self.root)))
    }

    /// A result that needs no search: by the rules that look at the past, by length, by table.
    fn known_result(&mut self, ply: usize) -> Option<Score> {
        if let Some((score, floor)) = self.judged(ply) {
            self.floor[ply] = floor;
            return Some(score);
        }
        let position = self.line.position();
        if ply + 1 >= MAX_PLY {
            return Some(Score::from_eval(position.evaluate()));
        }
        if O::PRESENT {
            return self.shared.oracle.probe(position).map(|value| match value {
                TableValue::Win => Score::table_win(ply),
                TableValue::Draw => Score::DRAW,
                TableValue::Loss => Score::table_loss(ply),
            });
        }
        None
    }

    /// What is known before any move is tried.
    fn survey<N: Kind>(
        &mut self,
        entry: Option<Entry>,
        window: Window,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> Node<G::Move> {
        let position = self.line.position();
        let threatened = position.is_threatened();
        let mut eval = -Score::INFINITE;
        let mut improving = false;
        self.evals[ply] = None;
        if !threatened {
            let stored = entry.and_then(|entry| entry.eval).map(i32::from);
            let fresh = Score::from_eval(stored.unwrap_or_else(|| position.evaluate()));
            self.evals[ply] = Some(fresh);
            improving = ply < 2 || self.evals[ply - 2].is_none_or(|before| fresh > before);
            eval = refined(fresh, entry, ply);
        }
        Node {
            ply,
            depth,
            window,
            threatened,
            eval,
            improving,
            extension: if threatened { self.extension(ply) } else { 0 },
            cut,
            was_pv: N::PV || entry.is_some_and(|entry| entry.was_pv),
            table_move: entry.and_then(|entry| entry.mv).and_then(Packed::unpack),
            before: self.before(ply),
        }
    }

    /// Moves out of check are searched a ply deeper, an only move two. Extensions stop at twice the
    /// nominal depth, so that every iteration ends.
    fn extension(&self, ply: usize) -> i32 {
        if !self.shared.techniques.extensions || ply >= 2 * self.iteration as usize {
            return 0;
        }
        1 + i32::from(self.line.position().count_legal_moves() == 1)
    }

    fn search_moves<N: Kind>(&mut self, node: &Node<G::Move>) -> Result<Score, Interrupted> {
        let ply = node.ply;
        let hints =
            Hints { table: node.table_move, killers: self.killers[ply], before: node.before };
        if let Some(killers) = self.killers.get_mut(ply + 2) {
            *killers = [None; 2];
        }
        let mut picker = Picker::new(hints);
        let mut window = node.window;
        let mut best = Best::none();
        let mut number = 0;
        let mut tried = MoveList::<G::Move>::new();
        while let Some(mv) = picker.next(self.line.position(), self.history) {
            if N::ROOT && self.excluded.contains(&mv) {
                continue;
            }
            number += 1;
            let candidate = self.candidate(node, mv, number);
            if !N::ROOT
                && self.shared.techniques.pruning
                && !best.score.is_lost()
                && let Some(most) =
                    prune::skips(self.line.position(), node, &candidate, window.alpha)
            {
                best.score = best.score.max(most);
                continue;
            }
            let score = self.search_move::<N>(node, &candidate, window)?;
            let floor = self.floor[ply + 1];
            best.floor = best.floor.min(floor);
            if score > best.score {
                best.score = score;
                if window.raise(score) {
                    best.mv = Some(mv);
                    self.extend_pv(mv, ply);
                    if N::ROOT {
                        self.note_root_move(score);
                    }
                }
                if window.is_empty() {
                    best.floor = floor;
                    self.learn(node, &candidate, &tried);
                    break;
                }
            }
            tried.push(mv);
        }
        if number == 0 {
            return Ok(self.terminal(ply));
        }
        self.finish::<N>(node, &best);
        Ok(best.score)
    }

    fn candidate(&self, node: &Node<G::Move>, mv: G::Move, number: i32) -> Candidate<G::Move> {
        let position = self.line.position();
        let index = position.history_index(mv);
        Candidate {
            mv,
            number,
            forcing: position.is_forcing(mv),
            threatening: position.creates_threat(mv),
            index,
            history: self.history.of(position.side_to_move(), index, node.before),
        }
    }

    /// Principal variation search of one move: the first with the open window, later ones with a
    /// window without room, reduced where little is expected, and again if they surprise.
    fn search_move<N: Kind>(
        &mut self,
        node: &Node<G::Move>,
        candidate: &Candidate<G::Move>,
        window: Window,
    ) -> Result<Score, Interrupted> {
        let depth = node.depth - 1 + node.extension;
        let ply = node.ply + 1;
        let reduced = if self.shared.techniques.reductions {
            depth - late_move_reduction::<N, _>(node, candidate).clamp(0, (depth - 1).max(0))
        } else {
            depth
        };
        self.played[node.ply] = Some(candidate.index);
        self.line.push(candidate.mv);
        let null = -window.null_at_alpha();
        let mut score = -Score::INFINITE;
        let mut open = N::PV && candidate.number == 1;
        if !open {
            let cut = reduced < depth || !node.cut;
            score = -self.search::<Null>(null, reduced, ply, cut)?;
            if score > window.alpha && reduced < depth {
                score = -self.search::<Null>(null, depth, ply, !node.cut)?;
            }
            open = N::PV && score > window.alpha;
        }
        if open {
            score = -self.search::<Pv>(-window, depth, ply, false)?;
        }
        self.line.pop();
        Ok(score)
    }

    /// Killers and history learn from a quiet move that cut, and from those tried before it.
    fn learn(
        &mut self,
        node: &Node<G::Move>,
        cutter: &Candidate<G::Move>,
        tried: &MoveList<G::Move>,
    ) {
        if cutter.forcing {
            return;
        }
        let killers = &mut self.killers[node.ply];
        if killers[0] != Some(cutter.mv) {
            *killers = [Some(cutter.mv), killers[0]];
        }
        let position = self.line.position();
        let side = position.side_to_move();
        self.history.reward(side, cutter.index, node.before, node.depth);
        for &mv in tried {
            if !position.is_forcing(mv) {
                self.history.blame(side, position.history_index(mv), node.before, node.depth);
            }
        }
    }

    /// Keeps the result for later. Scores that a repetition decided which began above this node
    /// belong to the path that led here, not to the position: of them only the move is kept. Nothing
    /// is kept of a root score that leaves moves out.
    fn finish<N: Kind>(&mut self, node: &Node<G::Move>, best: &Best<G::Move>) {
        let path_dependent = best.floor < node.ply;
        self.floor[node.ply] = if path_dependent { best.floor } else { NO_FLOOR };
        if N::ROOT && !self.excluded.is_empty() {
            return;
        }
        let entry = Entry {
            mv: best.mv.map(Packed::pack),
            score: best.score.to_local(node.ply),
            eval: self.evals[node.ply].map(|eval| eval.value() as i16),
            depth: node.depth as u8,
            bound: node.window.bound(best.score),
            was_pv: node.was_pv,
            age: 0,
        };
        let entry = if path_dependent { entry.without_score() } else { entry };
        self.shared.store(self.table_key(), entry);
    }

    /// A pass decided the node: what its score hangs on, the node's score does.
    pub(super) fn inherit_floor(&mut self, ply: usize) {
        let floor = self.floor[ply + 1];
        self.floor[ply] = if floor < ply { floor } else { NO_FLOOR };
    }

    /// The score of a position without legal moves.
    pub(super) fn terminal(&self, ply: usize) -> Score {
        let position = self.line.position();
        position
            .outcome()
            .map_or(Score::DRAW, |outcome| result(outcome, position.side_to_move(), ply))
    }
}

/// A finished game seen by `side`.
pub(super) fn result(outcome: Outcome, side: Side, ply: usize) -> Score {
    outcome.winner().map_or(Score::DRAW, |winner| decided(winner == side, ply))
}

const fn decided(won: bool, ply: usize) -> Score {
    if won { Score::mate_in(ply) } else { Score::mated_in(ply) }
}

/// The table's score, where it was searched deep enough and settles the window.
pub(super) fn table_cutoff(
    entry: Option<Entry>,
    window: Window,
    depth: i32,
    ply: usize,
) -> Option<Score> {
    let entry = entry.filter(|entry| i32::from(entry.depth) >= depth)?;
    let score = entry.score.to_global(ply);
    let settles = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score >= window.beta,
        Bound::Upper => score <= window.alpha,
    };
    settles.then_some(score)
}

/// The static evaluation, or the table's score where that says more.
fn refined(eval: Score, entry: Option<Entry>, ply: usize) -> Score {
    let Some(entry) = entry else { return eval };
    let score = entry.score.to_global(ply);
    let says_more = match entry.bound {
        Bound::Exact => true,
        Bound::Lower => score > eval,
        Bound::Upper => score < eval,
    };
    if says_more && !score.is_decisive() { score } else { eval }
}
