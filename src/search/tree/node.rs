//! One node of the alpha-beta search.

use arrayvec::ArrayVec;

use crate::game::{Adjudicate, Bound, Evaluator, Grounds, Heuristics, Horizon, Packed, Verdict};
use crate::search::history::{Structures, bonus, penalty};
use crate::search::order::{Hints, Picked, Picker, noisy_slot};
use crate::search::score::{MAX_PLY, Score};
use crate::search::tablebase_probe::TablebaseProbe;
use crate::search::transposition::TtEntry;
use crate::search::tree::facts::{
    Candidate, Node, NodeKind, Null, Pv, decided, refined, result, tt_cutoff,
};
use crate::search::tree::prune;
use crate::search::tree::prune::Singular;
use crate::search::tree::reduce;
use crate::search::tunables::{
    CUT_AS_EXPECTED, EARLY, FADING_PLIES, HINDSIGHT_DEEPER, HINDSIGHT_SHALLOWER,
};
use crate::search::window::Window;
use crate::search::worker::{Interrupted, NO_PATH, Worker};

/// Moves tried at a node before one cut off: their history indices or slots. Those that do not fit
/// here came late and matter little.
#[derive(Default)]
struct Tried {
    quiet: ArrayVec<u16, 64>,
    noisy: ArrayVec<u16, 32>,
}

impl Tried {
    fn push<M>(&mut self, candidate: &Candidate<M>) {
        if candidate.noisy && !self.noisy.is_full() {
            self.noisy.push(candidate.slot as u16);
        } else if !candidate.noisy && !self.quiet.is_full() {
            self.quiet.push(candidate.index as u16);
        }
    }
}

/// The best of the moves searched so far.
struct Best<M> {
    score: Score,
    /// The move that raised alpha last.
    chosen: Option<Candidate<M>>,
    /// See [`Worker::path_ply`]: the lowest of all moves, for an upper bound depends on each of them;
    /// once a move has cut, that move's.
    path_ply: usize,
    /// The grounds that the early verdicts by which moves lose have in common.
    lost_on: Grounds,
    /// The grounds that the best move's win rests on.
    won_on: Grounds,
}

impl<M: Copy> Best<M> {
    fn none() -> Self {
        let lost_on = Grounds::ALL;
        let won_on = Grounds::ALL;
        Self { score: -Score::INFINITE, chosen: None, path_ply: NO_PATH, lost_on, won_on }
    }

    /// Returns true if the side to move can evade an early verdict that it loses by, on these grounds: there are loops
    /// on other grounds through the same position, and going round them in turn offends in no way all the time.
    fn evades(&mut self, grounds: Grounds) -> bool {
        self.lost_on = self.lost_on.common(grounds);
        self.lost_on.is_empty()
    }

    /// The best move.
    fn mv(&self) -> Option<M> {
        self.chosen.map(|candidate| candidate.mv)
    }

    /// The grounds that the score rests on.
    fn grounds(&self) -> Grounds {
        if self.score.is_lost() { self.lost_on } else { self.won_on }
    }
}

/// A judgement by the rules that look at the past.
struct Judged {
    score: Score,
    /// See [`Worker::path_ply`].
    path_ply: usize,
    /// See [`Worker::grounds`].
    grounds: Grounds,
}

impl<'a, G: Heuristics + Adjudicate, O: TablebaseProbe<G>> Worker<'a, G, O> {
    /// The value of the line's last position, `depth` plies deep, as far as `window` distinguishes
    /// scores (fail-soft).
    pub(crate) fn search<N: NodeKind>(
        &mut self,
        window: Window,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> Result<Score, Interrupted> {
        if depth <= 0 {
            return self.enter_quiescence::<N>(window, ply);
        }
        self.enter(ply);
        let mut window = window;
        // A search that leaves out the move in question belongs to the same position as the one around it:
        // results and cutoffs of the position as a whole are not its own.
        let compares = self.skipped[ply].is_some();
        if !N::ROOT && !compares {
            if let Some(score) = self.known_result(ply, depth) {
                return Ok(score);
            }
            if self.shared.features.mate_distance {
                // Nothing is worse than to be mated here, and nothing better than to mate with the next move.
                window = window.narrowed(Score::mated_in(ply), Score::mate_in(ply + 1));
                if window.is_empty() {
                    return Ok(window.alpha);
                }
            }
        }
        let structures = self.structures();
        let entry = self.shared.probe(self.tt_key());
        if !N::PV
            && !compares
            && let Some(score) = tt_cutoff(entry, window, depth, ply)
            // Near the leaves only where the cut is as expected: an unexpected one has changed the course
            // of the search and is looked at again.
            && (depth > CUT_AS_EXPECTED || cut == (score >= window.beta))
        {
            self.learn_from_table(entry, score >= window.beta, depth, ply);
            return Ok(score);
        }
        let mut node = self.new_node::<N>(entry, structures, window, depth, ply, cut);
        if !N::ROOT && !compares && self.shared.features.reductions {
            node.depth += self.hindsight(&node);
        }
        if !N::PV && self.shared.features.pruning && !node.in_check && !compares {
            // Only positions that have a move are ever stored.
            if entry.is_none() && self.line.position().is_stuck() {
                return Ok(self.terminal(ply));
            }
            if let Some(score) = self.prune(&node)? {
                return Ok(score);
            }
        }
        if self.shared.features.reductions && !compares {
            node.depth -= i32::from(prune::is_unexplored(&node, depth));
        }
        self.search_moves::<N>(&node)
    }

    /// Adds to the history of a quiet move of the transposition table that cuts off again.
    fn learn_from_table(&mut self, entry: Option<TtEntry>, cuts: bool, depth: i32, ply: usize) {
        let mv: Option<G::Move> = entry.and_then(|entry| entry.mv).and_then(Packed::unpack);
        let Some(mv) = mv.filter(|_| cuts) else { return };
        let position = self.line.position();
        if !position.is_noisy(mv) && self.shared.features.ordering {
            let side = position.turn();
            let index = position.history_index(mv);
            let earned = bonus(self.tunables(), depth) * self.tunables().history_table_cut / 256;
            self.history.note_quiet(side, index, self.before(ply), earned);
        }
    }

    /// Enters quiescence where depth runs out; a loop that closes here is judged first.
    fn enter_quiescence<N: NodeKind>(
        &mut self,
        window: Window,
        ply: usize,
    ) -> Result<Score, Interrupted> {
        if N::ROOT {
            return self.quiesce::<N>(window, ply);
        }
        match self.judged(ply) {
            Some(judged) => {
                self.enter(ply);
                Ok(self.settle(ply, &judged))
            }
            None if self.shared.proves => {
                self.enter(ply);
                Ok(self.terminal(ply))
            }
            None => self.quiesce::<N>(window, ply),
        }
    }

    /// The judgement on the line's last position by the rules that look at the past. An early verdict by which a side
    /// loses is no result but a score below all results, and for the proof of a mate it is nothing: there the loop goes
    /// on until the verdict falls.
    fn judged(&self, ply: usize) -> Option<Judged> {
        let rules = self.shared.rules;
        let judgement = G::judge(&self.line, rules, Horizon::Search { root: self.root });
        let won = |side| self.line.position().turn() != side;
        let score = match (judgement.verdict, judgement.early) {
            (Verdict::None, _) => return None,
            (Verdict::Draw, _) => Score::DRAW,
            (Verdict::Loses(side), None) => decided(won(side), ply),
            (Verdict::Loses(_), Some(_)) if self.shared.proves => return None,
            (Verdict::Loses(side), Some(_)) if won(side) => Score::early_win(ply),
            (Verdict::Loses(_), Some(_)) => Score::early_loss(ply),
        };
        let path_ply = judgement.hangs_from.map_or(NO_PATH, |len| len.saturating_sub(self.root));
        Some(Judged { score, path_ply, grounds: judgement.early.unwrap_or(Grounds::ALL) })
    }

    /// Ends a node by a judgement.
    fn settle(&mut self, ply: usize, judged: &Judged) -> Score {
        self.path_ply[ply] = judged.path_ply;
        self.grounds[ply] = judged.grounds;
        judged.score
    }

    /// The score of a position in quiescence that a verdict at the board ends: in the last plies before the limit of
    /// moves, which quiescence could otherwise look beyond.
    #[inline]
    pub(crate) fn verdict_in_quiescence(&mut self, ply: usize) -> Option<Score> {
        if self.line.clock() <= G::STAGES_FROM {
            return None;
        }
        let judged = self.judged(ply).filter(|judged| judged.grounds == Grounds::ALL)?;
        Some(self.settle(ply, &judged))
    }

    /// A result that needs no search: by the rules that look at the past, by length, by tablebase.
    fn known_result(&mut self, ply: usize, depth: i32) -> Option<Score> {
        if let Some(judged) = self.judged(ply) {
            return Some(self.settle(ply, &judged));
        }
        let position = self.line.position();
        if ply + 1 >= MAX_PLY {
            return Some(Score::from_eval(self.evaluator.evaluate(position, ply)));
        }
        if O::PRESENT {
            let value = self.shared.tablebase.probe(&self.line, depth);
            if self.shared.tablebase.was_slow() {
                self.check_soon();
            }
            let value = value?;
            self.table_hits += 1;
            if value.plies() > G::STAGE_SIGHT && G::stage(&self.line, self.shared.rules) == 0 {
                // Later in the game the limit of moves may come first.
                let start = self.line.len().saturating_sub(self.line.clock() as usize);
                self.path_ply[ply] = start.saturating_sub(self.root);
            }
            return Some(Score::of_table(value, ply));
        }
        None
    }

    /// Collects the facts known of a node before any move is tried.
    fn new_node<N: NodeKind>(
        &mut self,
        entry: Option<TtEntry>,
        structures: Structures,
        window: Window,
        depth: i32,
        ply: usize,
        cut: bool,
    ) -> Node<G::Move> {
        let position = self.line.position();
        let tt_move = entry.and_then(|entry| entry.mv).and_then(Packed::unpack);
        let mut node = Node {
            ply,
            depth,
            window,
            in_check: position.in_check(),
            raw: None,
            correction: 0,
            corrected: -Score::INFINITE,
            eval: -Score::INFINITE,
            improving: false,
            worsening: false,
            extension: 0,
            cut,
            was_pv: N::PV || entry.is_some_and(|entry| entry.was_pv),
            tt_entry: entry,
            tt_move,
            tt_noisy: tt_move.is_some_and(|mv| position.is_noisy(mv)),
            before: self.before(ply),
            structures: None,
        };
        // In check there is no evaluation: what an earlier visit to this ply has left must not be compared
        // with.
        self.evals[ply] = None;
        self.befores[ply] = node.before;
        if node.in_check {
            node.extension = self.extension(ply);
        }
        if node.in_check || self.shared.proves {
            return node;
        }
        node.structures = structures;
        let stored = entry.and_then(|entry| entry.eval).map(i32::from);
        let evaluations = &mut self.history.evaluations;
        let raw = stored.unwrap_or_else(|| evaluations.evaluate(position, ply, self.evaluator));
        let raw = Score::from_eval(raw);
        node.raw = Some(raw.value());
        node.correction = self.correction(&node.structures);
        node.corrected = self.corrected(raw, node.correction);
        self.evals[ply] = Some(node.corrected);
        // Two plies before, or four where the side was in check then.
        let earlier = [2, 4].map(|back| ply.checked_sub(back).and_then(|ply| self.evals[ply]));
        node.improving = earlier[0].or(earlier[1]).is_none_or(|before| node.corrected > before);
        let theirs = ply.checked_sub(1).and_then(|ply| self.evals[ply]);
        let change = |theirs: Score| node.corrected.value() + theirs.value();
        node.worsening =
            theirs.is_some_and(|theirs| change(theirs) > self.tunables().worsening_margin);
        node.eval = refined(node.corrected, entry, ply);
        node
    }

    /// By how much history corrects the static evaluation of the line's last position, in centipawns.
    pub(crate) fn correction(&self, structures: &Structures) -> i32 {
        self.history.correction(self.tunables(), self.line.position().turn(), structures)
    }

    /// The static evaluation, the nearer to a draw the longer nothing was captured, with the correction added.
    pub(crate) fn corrected(&self, raw: Score, correction: i32) -> Score {
        if !self.shared.features.corrections {
            return raw;
        }
        let quiet_plies = self.line.clock().min(FADING_PLIES).cast_signed();
        let lost = raw.value() * (quiet_plies * self.tunables().fade) / 16_384;
        Score::from_eval(raw.value() - lost + correction)
    }

    /// Plies to add because the reduction of the move that led here looks wrong now.
    fn hindsight(&mut self, node: &Node<G::Move>) -> i32 {
        let before = node.ply - 1;
        let reduction = std::mem::take(&mut self.reductions[before]);
        let Some(theirs) = self.evals[before].filter(|_| !node.in_check) else { return 0 };
        // The sum of both sides' evaluations is the effect of the last move.
        let change = node.corrected.value() + theirs.value();
        if reduction >= HINDSIGHT_DEEPER && change < 0 {
            1
        } else if reduction >= HINDSIGHT_SHALLOWER
            && node.depth >= 2
            && change > self.tunables().hindsight_margin
        {
            -1
        } else {
            0
        }
    }

    /// The extension of answers to a check: a ply for the only answer, and in some games a ply for
    /// every answer. Extensions stop at twice the nominal depth, so that every iteration ends.
    fn extension(&self, ply: usize) -> i32 {
        if !self.shared.features.extensions || ply >= 2 * self.iteration as usize {
            return 0;
        }
        let only = self.line.position().count_legal_moves() == 1;
        i32::from(G::EXTENDS_THREATS) + i32::from(only)
    }

    fn search_moves<N: NodeKind>(&mut self, node: &Node<G::Move>) -> Result<Score, Interrupted> {
        let ply = node.ply;
        let mut picker = self.picker(node);
        let mut window = node.window;
        let mut best = Best::none();
        let mut number = 0;
        let mut tried = Tried::default();
        while let Some(picked) = picker.next(self.line.position(), self.history) {
            let mv = picked.mv;
            if N::ROOT && self.excluded.contains(&mv) || self.skipped[ply] == Some(mv) {
                continue;
            }
            number += 1;
            if N::ROOT {
                self.tell_root_move(mv, number);
            }
            let candidate = self.candidate(node, picked, number);
            if !N::ROOT && self.shared.features.pruning && !best.score.is_lost() {
                if prune::is_late(self.tunables(), node, number) {
                    picker.skip_quiets();
                }
                let position = self.line.position();
                if let Some(most) =
                    prune::skips(self.tunables(), position, node, &candidate, window.alpha)
                {
                    best.score = best.score.max(most);
                    continue;
                }
            }
            let mut extension = node.extension;
            match self.singularity::<N>(node, &candidate)? {
                Singular::Cuts(score) => return Ok(score),
                Singular::Extends(plies) => extension = extension.max(plies).min(extension + plies),
            }
            let nodes = self.nodes;
            let score = self.search_move::<N>(node, &candidate, window, extension, best.score)?;
            if N::ROOT {
                self.note_effort(mv, nodes);
            }
            if self.take_score::<N>(&candidate, score, ply, &mut window, &mut best) {
                break;
            }
            tried.push(&candidate);
        }
        if number == 0 {
            return Ok(self.without_moves(node));
        }
        if !N::ROOT {
            best.score = softened(best.score, node);
        }
        self.learn_from_moves(node, &best, &tried, window.is_empty());
        self.finish::<N>(node, &best);
        Ok(best.score)
    }

    /// Takes the score of a move into the best of those searched so far, and narrows the window. Returns true if the
    /// move cuts off.
    #[inline]
    fn take_score<N: NodeKind>(
        &mut self,
        candidate: &Candidate<G::Move>,
        score: Score,
        ply: usize,
        window: &mut Window,
        best: &mut Best<G::Move>,
    ) -> bool {
        let path_ply = self.path_ply[ply + 1];
        let grounds = self.grounds[ply + 1];
        best.path_ply = best.path_ply.min(path_ply);
        let is_evaded = score.is_lost() && best.evades(grounds);
        let score = if is_evaded { Score::DRAW } else { score };
        if score <= best.score {
            return false;
        }
        best.score = score;
        best.won_on = grounds;
        if window.raise(score) {
            best.chosen = Some(*candidate);
            if N::PV {
                self.extend_pv(candidate.mv, ply);
            }
            if N::ROOT {
                self.note_root_move(score);
            }
        }
        if window.is_empty() {
            // An upper bound rests on all moves; a cut on this one alone.
            best.path_ply = path_ply;
        }
        window.is_empty()
    }

    fn picker(&mut self, node: &Node<G::Move>) -> Picker<'a, G::Move> {
        let ply = node.ply;
        if let Some(killers) = self.killers.get_mut(ply + 2) {
            // Killers two plies on are those of other positions as soon as this node is entered anew.
            *killers = [None; 2];
            self.cutoffs[ply + 2] = 0;
        }
        let killers = self.killers[ply];
        Picker::new(self.tunables(), Hints { tt_move: node.tt_move, killers, before: node.before })
    }

    /// The score of a node all of whose moves were left out: there is none, or only the one that
    /// is to be compared with the others.
    fn without_moves(&self, node: &Node<G::Move>) -> Score {
        if self.skipped[node.ply].is_some() { node.window.alpha } else { self.terminal(node.ply) }
    }

    fn candidate(
        &self,
        node: &Node<G::Move>,
        picked: Picked<G::Move>,
        number: i32,
    ) -> Candidate<G::Move> {
        let position = self.line.position();
        let mv = picked.mv;
        // Before it is known whether the move is made: what follows takes about as long as memory.
        self.prefetch(mv);
        let index = position.history_index(mv);
        let noisy = position.is_noisy(mv);
        let slot = if noisy { noisy_slot(position, mv) } else { usize::MAX };
        let history = if noisy {
            self.history.noisy(slot)
        } else {
            self.history.experience_of(position.turn(), node.before, index)
        };
        let threatening = picked.threatens.unwrap_or_else(|| position.creates_threat(mv));
        let reduction = reduce::base_reduction(self.tunables(), node.depth, number);
        Candidate { mv, number, noisy, threatening, index, slot, history, reduction }
    }

    /// Principal variation search of one move: the first with the open window, later ones with a
    /// null window, reduced where little is expected, and again if they surprise.
    fn search_move<N: NodeKind>(
        &mut self,
        node: &Node<G::Move>,
        candidate: &Candidate<G::Move>,
        window: Window,
        extension: i32,
        best: Score,
    ) -> Result<Score, Interrupted> {
        let mut depth = node.depth - 1 + extension;
        let ply = node.ply + 1;
        let reduced = if self.shared.features.reductions && node.depth > 1 {
            let late = reduce::late_move_reduction::<N, _>(
                self.tunables(),
                node,
                candidate,
                self.cutoffs[ply],
            );
            // One ply is left at least: a reduction alone does not turn the search into quiescence.
            depth - late.clamp(0, (depth - 1).max(0))
        } else {
            depth
        };
        self.play(candidate.mv, Some(candidate.index), node.ply)?;
        self.played_quiet[node.ply] = !candidate.noisy;
        self.numbers[node.ply] = candidate.number;
        let null = -window.null_at_alpha();
        let mut score = -Score::INFINITE;
        let mut open = N::PV && candidate.number == 1 || !self.shared.features.zero_window;
        if !open {
            let cut = reduced < depth || !node.cut;
            self.reductions[node.ply] = depth - reduced;
            score = -self.search::<Null>(null, reduced, ply, cut)?;
            if score > window.alpha && reduced < depth {
                // By how much it surprised tells whether the full depth is enough, or too much.
                depth += i32::from(!N::ROOT && score > best + self.tunables().deeper_margin);
                depth -= i32::from(!N::ROOT && score < best + self.tunables().shallower_margin);
                self.reductions[node.ply] = 0;
                if reduced < depth {
                    score = -self.search::<Null>(null, depth, ply, !node.cut)?;
                }
                self.judge_surprise(node, candidate, score > window.alpha);
            }
            open = N::PV && score > window.alpha;
        }
        if open {
            self.reductions[node.ply] = 0;
            score = -self.search::<Pv>(-window, depth, ply, false)?;
        }
        self.line.pop();
        Ok(score)
    }

    /// Records that a quiet move that surprised at reduced depth did well or badly as an answer.
    fn judge_surprise(&mut self, node: &Node<G::Move>, candidate: &Candidate<G::Move>, well: bool) {
        if !candidate.noisy {
            let earned = if well {
                bonus(self.tunables(), node.depth)
            } else {
                penalty(self.tunables(), node.depth)
            };
            let share = self.tunables().history_surprise;
            self.history.note_answer(candidate.index, node.before, earned * share / 256);
        }
    }

    /// Learns from the moves of a node, the best of which cuts off or not.
    fn learn_from_moves(
        &mut self,
        node: &Node<G::Move>,
        best: &Best<G::Move>,
        tried: &Tried,
        cuts: bool,
    ) {
        if let Some(candidate) = &best.chosen {
            let cutoffs = &mut self.cutoffs[node.ply];
            *cutoffs = cutoffs.saturating_add(u8::from(cuts));
            self.learn(node, candidate, tried);
        } else if self.skipped[node.ply].is_none() {
            self.credit_previous(node);
        }
    }

    /// Updates killers and history for the best move, and for those tried before it.
    fn learn(&mut self, node: &Node<G::Move>, best: &Candidate<G::Move>, tried: &Tried) {
        if !self.shared.features.ordering {
            return;
        }
        let side = self.line.position().turn();
        let earned = bonus(self.tunables(), node.depth);
        let lost = penalty(self.tunables(), node.depth);
        if best.noisy {
            self.history.note_noisy(best.slot, earned);
        } else {
            let killers = &mut self.killers[node.ply];
            // Two different moves: a killer that repeats itself would push out the other.
            if killers[0] != Some(best.mv) {
                *killers = [Some(best.mv), killers[0]];
            }
            self.history.note_quiet(side, best.index, node.before, earned);
            for &index in tried.quiet.iter().filter(|&&index| usize::from(index) != best.index) {
                self.history.note_quiet(side, usize::from(index), node.before, lost);
            }
        }
        self.blame_previous(node);
        for &slot in tried.noisy.iter().filter(|&&slot| usize::from(slot) != best.slot) {
            self.history.note_noisy(usize::from(slot), lost);
        }
    }

    /// Records that a quiet move that was tried early and is refuted was a bad answer.
    fn blame_previous(&mut self, node: &Node<G::Move>) {
        let Some(before) = node.ply.checked_sub(1) else { return };
        if self.played_quiet[before]
            && self.numbers[before] <= EARLY
            && let Some(index) = self.played[before]
        {
            self.history.note_answer(
                index,
                self.befores[before],
                penalty(self.tunables(), node.depth + 1),
            );
        }
    }

    /// Credits the quiet move that led here if no answer to it was good.
    fn credit_previous(&mut self, node: &Node<G::Move>) {
        let Some(before) = node.ply.checked_sub(1) else { return };
        if self.shared.features.ordering
            && let Some(index) = self.played[before]
            && self.played_quiet[before]
        {
            let side = !self.line.position().turn();
            self.history.note_quiet(
                side,
                index,
                self.befores[before],
                bonus(self.tunables(), node.depth) * self.tunables().history_unanswered / 256,
            );
        }
    }

    /// Stores the result in the transposition table. Scores that a repetition decided which began
    /// above this node belong to the path that led here, not to the position: of them only the move
    /// is stored. The root is no exception, for loops may begin in the game before it. Nothing is
    /// stored of a root score that leaves moves out, nor of any that leaves one out for comparison.
    fn finish<N: NodeKind>(&mut self, node: &Node<G::Move>, best: &Best<G::Move>) {
        // A loop that begins at this node or below is part of its own subtree and occurs wherever the node
        // does.
        let path_dependent = best.path_ply <= node.ply;
        self.path_ply[node.ply] = if path_dependent { best.path_ply } else { NO_PATH };
        self.grounds[node.ply] = if path_dependent { best.grounds() } else { Grounds::ALL };
        if N::ROOT && !self.excluded.is_empty() || self.skipped[node.ply].is_some() {
            return;
        }
        let bound = node.window.bound(best.score);
        let entry = TtEntry {
            mv: best.mv().map(Packed::pack),
            score: best.score.to_local(node.ply),
            eval: node.raw.map(|raw| raw as i16),
            depth: node.depth as u8,
            bound,
            was_pv: node.was_pv,
            age: 0,
        };
        if path_dependent {
            self.shared.store(self.tt_key(), entry.without_score());
        } else {
            self.learn_error(node, best, bound);
            self.shared.store(self.tt_key(), entry);
        }
    }

    /// Gives the node the path_ply of the node after the pass that decided it.
    pub(crate) fn inherit_floor(&mut self, ply: usize) {
        let path_ply = self.path_ply[ply + 1];
        self.path_ply[ply] = if path_ply <= ply { path_ply } else { NO_PATH };
    }

    /// Corrects the evaluation of such positions if search and static evaluation differ, and no
    /// capture explains it.
    fn learn_error(&mut self, node: &Node<G::Move>, best: &Best<G::Move>, bound: Bound) {
        let position = self.line.position();
        let differs = match bound {
            Bound::Exact => true,
            Bound::Lower => best.score > node.corrected,
            Bound::Upper => best.score < node.corrected,
        };
        if differs
            && !node.in_check
            && !best.score.is_decisive()
            && !best.mv().is_some_and(|mv| position.is_noisy(mv))
        {
            let error = best.score.value() - node.corrected.value();
            let side = position.turn();
            self.history.note_error(self.tunables(), side, &node.structures, error, node.depth);
        }
    }

    /// The score of a position without legal moves.
    pub(crate) fn terminal(&self, ply: usize) -> Score {
        let position = self.line.position();
        position.outcome().map_or(Score::DRAW, |outcome| result(outcome, position.turn(), ply))
    }
}

/// A score above beta, drawn towards it, the more so the shallower the search.
fn softened<M>(score: Score, node: &Node<M>) -> Score {
    let beta = node.window.beta;
    if score <= beta || score.is_decisive() || beta.is_decisive() {
        return score;
    }
    let depth = node.depth.max(1);
    Score::from_eval((score.value() * depth + beta.value()) / (depth + 1))
}
