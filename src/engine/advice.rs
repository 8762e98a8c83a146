//! Which move to play by the tables: their values, and what the rules that look at the past of the
//! game make of them.
//!
//! Tables know positions, not games. Three things are added here:
//!
//! - **Verdicts on repetition.** A move is judged together with the answers to it. A win by rule is
//!   claimed by going around the loop until the verdict: of equally good moves the one is played
//!   that repeats. In lost positions a loop is followed up to the last move before the verdict. In
//!   drawn ones a loop that may lose is not even gone around once, if another move draws.
//! - **The limit of moves without a capture.** A win that is nearer than the limit is played by
//!   order, then distance. Where it is farther, the way to a mate or to a capture that keeps the win is
//!   taken, as tables of distances to captures know it, else as a small search finds it; where there
//!   is none, the win is reported as one that the limit may prevent, and played on. Lost positions are
//!   defended towards the limit where it comes first: without captures of one's own.
//! - **Values that hold under the rules of play**: see `validity`.

use std::cmp::Reverse;

use super::playable::{Endgames, RootMove};
use super::tables::{CLAIM_PLIES, XiangqiTables, is_in_time};
use crate::game::{Adjudicate, Horizon, Line, MoveList, Side, Verdict};
use crate::tablebase::{Entry, Metric, Wdl};
use crate::xiangqi::repetition::{MOVE_LIMIT, plies_left};
use crate::xiangqi::{Move, Position, RuleSet};

/// What tables and rules say about the moves at the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice<M> {
    /// Moves, best first; not empty.
    pub moves: Vec<RootMove<M>>,
    /// How many of them, from the first on, keep what can be had; at least 1.
    pub keeping: usize,
    /// What can be had.
    pub wdl: Wdl,
    /// Whether it is decided: `false` for wins that the limit of moves may prevent.
    pub is_sure: bool,
    /// Something to tell people.
    pub remark: Option<String>,
}

/// Positions that the search for a capture looks at.
const HASTE_NODES: u32 = 500;

/// Plies that it looks ahead at most.
const HASTE_PLIES: u32 = 7;

/// Plies of a loop that most loops do not exceed.
const LOOP_PLIES: u16 = 8;

/// What the rules make of a move, for the side that makes it.
#[derive(Debug, Clone, Copy)]
struct Foresight {
    /// The verdict after the move.
    now: Option<Wdl>,
    /// The worst verdict after an answer, if one is bad.
    later: Option<Wdl>,
}

/// Kinds of winning moves, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Winning {
    /// The rules end the game with it.
    Claimed,
    /// Mate comes before the limit.
    Mating,
    /// A loop decides before the limit.
    ByRule,
    /// Takes something; after that the limit is far away.
    LateCapture,
    /// The limit comes first.
    Late,
    /// An answer can end the game otherwise.
    Trapped,
    /// The rules end the game otherwise.
    Spoilt,
}

/// Kinds of moves in drawn positions, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Drawing {
    /// The rules end the game with a win.
    Claimed,
    Safe,
    /// Begins a loop that would lose if it were gone around again.
    Looping,
    /// An answer loses by the rules.
    Trapped,
    /// Loses by the rules.
    Spoilt,
    /// Loses by the table.
    Lost,
}

/// Kinds of moves in lost positions, best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Losing {
    /// The rules end the game with a win or a draw.
    Saved,
    /// The limit comes before the mate.
    Lasting,
    Lost,
    /// An answer loses by the rules.
    Trapped,
    /// Loses by the rules.
    Spoilt,
}

/// Advises at the end of one line.
pub(super) struct Adviser<'a> {
    tables: &'a XiangqiTables,
    line: Line<Position>,
    rules: RuleSet,
    /// Plies to the limit of moves.
    left: u32,
}

impl<'a> Adviser<'a> {
    /// Where the rules have ended the game and play goes on all the same, it begins anew.
    pub(super) fn new(tables: &'a XiangqiTables, line: &Line<Position>, rules: RuleSet) -> Self {
        let is_over = Position::judge(line, rules, Horizon::Game).verdict != Verdict::None;
        let line = if is_over { Line::new(line.position().clone(), 0) } else { line.clone() };
        let left = plies_left(&line, rules);
        Self { tables, line, rules, left }
    }

    /// `None` where the tables do not know the position under the rules of play.
    pub(super) fn advise(&self) -> Option<Advice<Move>> {
        let moves = self.tables.ranked_moves(self.line.position())?;
        Some(match moves.first()?.entry.wdl {
            Wdl::Win => self.convert(moves),
            Wdl::Draw => self.hold(moves),
            Wdl::Loss => self.resist(moves),
        })
    }

    fn is_capture(&self, mv: Move) -> bool {
        self.line.position().piece_at(mv.to()).is_some()
    }

    /// Whether what the move leads to is decided before the limit, which a capture puts off.
    fn is_in_time(&self, RootMove { mv, entry }: RootMove<Move>) -> bool {
        if self.is_capture(mv) && self.left < u32::MAX {
            let after = Entry { distance: entry.distance.saturating_sub(1), ..entry };
            return is_in_time(after, MOVE_LIMIT);
        }
        // Every time that the position was there before, less of the claim is left to do.
        let been = self.line.earlier_occurrences().count() as u16 * LOOP_PLIES;
        let nearer = if entry.order == 0 { 0 } else { been.min(CLAIM_PLIES) };
        is_in_time(entry, self.left.saturating_add(nearer.into()))
    }

    /// Order and distance as they count, the limit of moves permitting.
    fn convert(&self, moves: Vec<RootMove<Move>>) -> Advice<Move> {
        let winning = moves.into_iter().filter(|m| m.entry.wdl == Wdl::Win);
        let mut ranked: Vec<(Winning, RootMove<Move>)> =
            winning.map(|m| (self.winning(m), m)).collect();
        ranked.sort_by_cached_key(|&(kind, m)| (kind, Reverse(m.entry), self.repeats(m)));
        let (kind, first) = ranked[0];
        let is_late = matches!(kind, Winning::LateCapture | Winning::Late);
        let haste = is_late.then(|| self.fastest_conversion(&ranked)).flatten();
        let is_sure = kind <= Winning::ByRule || haste.is_some();
        let mut moves: Vec<RootMove<Move>> = ranked.into_iter().map(|(_, m)| m).collect();
        if let Some(place) = haste.and_then(|mv| moves.iter().position(|m| m.mv == mv)) {
            moves[..=place].rotate_right(1);
        }
        let remark = is_late && !is_sure;
        let remark = remark.then(|| too_late(first.entry, self.left));
        Advice { moves, keeping: 1, wdl: Wdl::Win, is_sure, remark }
    }

    fn winning(&self, m: RootMove<Move>) -> Winning {
        let Foresight { now, later } = self.foresee(m.mv, Horizon::Game);
        match (now, later) {
            (Some(Wdl::Win), _) => Winning::Claimed,
            (Some(_), _) => Winning::Spoilt,
            (None, Some(_)) => Winning::Trapped,
            _ if self.is_in_time(m) && m.entry.order == 0 => Winning::Mating,
            _ if self.is_in_time(m) => Winning::ByRule,
            _ if self.is_capture(m.mv) => Winning::LateCapture,
            _ => Winning::Late,
        }
    }

    /// For moves that win by rule: how near the verdict is, the nearer the smaller.
    fn repeats(&self, m: RootMove<Move>) -> (bool, Reverse<usize>) {
        if m.entry.order == 0 {
            return (false, Reverse(0));
        }
        let mut line = self.line.clone();
        let mover = line.position().turn();
        line.push(m.mv);
        let is_loop = self.verdict(&line, mover, Horizon::Search { root: 0 }) == Some(Wdl::Win);
        (!is_loop, Reverse(line.earlier_occurrences().count()))
    }

    /// A move that keeps the draw; which of them, others may decide.
    fn hold(&self, moves: Vec<RootMove<Move>>) -> Advice<Move> {
        let mut ranked: Vec<(Drawing, RootMove<Move>)> =
            moves.into_iter().map(|m| (self.drawing(m), m)).collect();
        ranked.sort_by_key(|&(kind, m)| (kind, Reverse(m.entry)));
        let best = ranked[0].0;
        let keeping = ranked.iter().filter(|(kind, _)| *kind == best).count();
        let wdl = if best == Drawing::Claimed { Wdl::Win } else { Wdl::Draw };
        let moves = ranked.into_iter().map(|(_, m)| m).collect();
        Advice { moves, keeping, wdl, is_sure: true, remark: None }
    }

    fn drawing(&self, m: RootMove<Move>) -> Drawing {
        let Foresight { now, later } = self.foresee(m.mv, Horizon::Game);
        let is_loss = |wdl| wdl == Some(Wdl::Loss);
        match m.entry.wdl {
            _ if now == Some(Wdl::Win) => Drawing::Claimed,
            Wdl::Loss => Drawing::Lost,
            _ if is_loss(now) => Drawing::Spoilt,
            _ if is_loss(later) => Drawing::Trapped,
            _ => {
                let first = self.foresee(m.mv, Horizon::Search { root: 0 });
                if is_loss(first.now) || is_loss(first.later) {
                    Drawing::Looping
                } else {
                    Drawing::Safe
                }
            }
        }
    }

    /// The longest defence, up to the limit of moves if it can be reached.
    fn resist(&self, moves: Vec<RootMove<Move>>) -> Advice<Move> {
        let captures = self.by_captures();
        let mut ranked: Vec<(Losing, RootMove<Move>)> =
            moves.into_iter().map(|m| (self.losing(m), m)).collect();
        ranked.sort_by_cached_key(|&(kind, m)| {
            let until = captures.iter().find(|(mv, _)| *mv == m.mv).map_or(0, |&(_, until)| until);
            let until = if kind == Losing::Lasting { until } else { 0 };
            (kind, Reverse(until), Reverse(m.entry))
        });
        let is_sure = ranked[0].0 > Losing::Lasting;
        let moves = ranked.into_iter().map(|(_, m)| m).collect();
        Advice { moves, keeping: 1, wdl: Wdl::Loss, is_sure, remark: None }
    }

    fn losing(&self, m: RootMove<Move>) -> Losing {
        let Foresight { now, later } = self.foresee(m.mv, Horizon::Game);
        match (now, later) {
            (Some(Wdl::Loss), _) => Losing::Spoilt,
            (Some(_), _) => Losing::Saved,
            (None, Some(Wdl::Loss)) => Losing::Trapped,
            _ if !self.is_in_time(m) => Losing::Lasting,
            _ => Losing::Lost,
        }
    }

    /// The moves with the plies to the next capture or mate, if there are tables of these.
    fn by_captures(&self) -> Vec<(Move, u16)> {
        let position = self.line.position();
        let ranked = self
            .tables
            .shelves_of(Metric::Dtc)
            .find_map(|shelf| self.tables.ranked_by(shelf, position));
        let moves = ranked.unwrap_or_default().into_iter();
        moves.map(|m| (m.mv, m.entry.distance)).collect()
    }

    fn foresee(&self, mv: Move, horizon: Horizon) -> Foresight {
        let mover = self.line.position().turn();
        let mut line = self.line.clone();
        line.push(mv);
        let now = self.verdict(&line, mover, horizon);
        let may_be_judged = line.reversible() >= 3 || line.clock() + 1 >= MOVE_LIMIT;
        if now.is_some() || !may_be_judged {
            return Foresight { now, later: None };
        }
        let mut replies = MoveList::new();
        line.position().append_legal(&mut replies);
        let mut worst = None;
        for reply in replies {
            line.push(reply);
            let verdict = self.verdict(&line, mover, horizon).filter(|wdl| *wdl != Wdl::Win);
            line.pop();
            worst = worst.into_iter().chain(verdict).min();
        }
        Foresight { now, later: worst }
    }

    /// What the rules say about the end of a line, for `side`.
    fn verdict(&self, line: &Line<Position>, side: Side, horizon: Horizon) -> Option<Wdl> {
        match Position::judge(line, self.rules, horizon).verdict {
            Verdict::None => None,
            Verdict::Draw => Some(Wdl::Draw),
            Verdict::Loses(loser) if loser == side => Some(Wdl::Loss),
            Verdict::Loses(_) => Some(Wdl::Win),
        }
    }

    /// The winning move that leads to a mate or a capture before the limit, as far as that is known.
    fn fastest_conversion(&self, ranked: &[(Winning, RootMove<Move>)]) -> Option<Move> {
        let sound = |mv: &Move| ranked.iter().any(|(k, m)| m.mv == *mv && *k < Winning::Trapped);
        let position = self.line.position();
        for shelf in self.tables.shelves_of(Metric::Dtc) {
            if let Some(best) = self.tables.ranked_by(shelf, position).and_then(first_of)
                && best.entry.order == 0
                && u32::from(best.entry.distance) <= self.left
                && sound(&best.mv)
            {
                return Some(best.mv);
            }
        }
        let mut nodes = HASTE_NODES;
        let candidates = ranked.iter().filter(|(kind, _)| *kind < Winning::Trapped);
        (1..=HASTE_PLIES.min(self.left)).step_by(2).find_map(|plies| {
            let mut candidates = candidates.clone();
            let found =
                candidates.find(|(_, m)| self.move_converts(position, *m, plies, &mut nodes));
            found.map(|(_, m)| m.mv)
        })
    }

    /// Whether a move forces mate or a capture, with the win kept, in so many plies.
    fn move_converts(
        &self,
        position: &Position,
        m: RootMove<Move>,
        plies: u32,
        nodes: &mut u32,
    ) -> bool {
        let distance = u32::from(m.entry.distance);
        if m.entry.order > 0 {
            return false;
        }
        if position.piece_at(m.mv.to()).is_some() {
            return distance <= MOVE_LIMIT;
        }
        if plies < 3 || distance <= plies {
            return distance <= plies;
        }
        let mut after = position.clone();
        after.play_unchecked(m.mv);
        let mut replies = MoveList::new();
        after.append_legal(&mut replies);
        replies.into_iter().all(|reply| {
            if after.piece_at(reply.to()).is_some() {
                return distance <= MOVE_LIMIT;
            }
            let undo = after.play_unchecked(reply);
            let converts = self.converts(&after, plies - 2, nodes);
            after.undo(reply, undo);
            converts
        })
    }

    fn converts(&self, position: &Position, plies: u32, nodes: &mut u32) -> bool {
        if *nodes == 0 {
            return false;
        }
        *nodes -= 1;
        let mut moves = self.tables.ranked_moves(position).unwrap_or_default();
        moves.retain(|m| m.entry.wdl == Wdl::Win);
        moves.sort_by_key(|m| position.piece_at(m.mv.to()).is_none());
        moves.into_iter().any(|m| self.move_converts(position, m, plies, nodes))
    }
}

fn first_of(moves: Vec<RootMove<Move>>) -> Option<RootMove<Move>> {
    moves.into_iter().next().filter(|m| m.entry.wdl == Wdl::Win)
}

fn too_late(entry: Entry, left: u32) -> String {
    let Entry { order, distance, .. } = entry;
    let what = if order == 0 { "mate" } else { "the deciding loop" };
    format!(
        "won by the endgame tables, but {what} is {distance} plies away and the limit of moves without \
         a capture draws in {left}: only mistakes of the other side can help"
    )
}
