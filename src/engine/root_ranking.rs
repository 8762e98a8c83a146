//! Ranks the root moves by the tablebases: by their values, and by the verdicts of the rules that
//! look at the past of the game.
//!
//! Tablebases know positions, not games. This module adds three things:
//!
//! - **Verdicts on repetition.** A move is judged together with the answers to it. A win by rule is
//!   claimed by going around the loop until the verdict: of equally good moves the one is played
//!   that repeats. In lost positions a loop is followed up to the last move before the verdict. In
//!   drawn ones a loop that may lose is not even gone around once, if another move draws; and once
//!   positions come back, only moves are played from which a way out is proven: see `draw_proof`.
//! - **The limit of moves without a capture.** A mate that is nearer than the limit is played by
//!   distance; a win by repetition, where there is none, if its verdict provably comes before the limit:
//!   see `claims`. Otherwise the way to a mate or to a capture that keeps the win is
//!   taken, as tables of distances to captures know it, else as a small search finds it; where there
//!   is none, the win is reported as one that the limit may prevent, and played on. Lost positions are
//!   defended towards the limit where it comes first: without captures of one's own.
//! - **Values that hold under the rules of play**: see `validity`.

use std::cmp::Reverse;
use std::collections::HashSet;

use super::claims::{Claims, is_before_limit};
use super::conversion::{Conversion, Converter};
use super::draw_proof::{DrawProof, Outlook};
use super::endgames::{Endgames, ProbeBudget, RootMove, RootRanking};
use super::playable::as_it_counts;
use super::tables::{XiangqiTables, is_in_time};
use crate::bytes::by_count;
use crate::game::{Adjudicate, Game, Horizon, Line, MoveList, Side, Verdict};
use crate::message::{Message, message};
use crate::search::TableValue;
use crate::tablebase::{Entry, Metric, Wdl};
use crate::xiangqi::move_limit::{COUNTED_CHECKS, MOVE_LIMIT, discounts_checks};
use crate::xiangqi::{Move, Position, RuleSet};

/// Moves that win by repetition of which it is tried to prove that they do before the limit.
const CLAIMS: usize = 2;

/// The verdicts of the rules on a move, for the side that makes it.
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
    /// A loop decides, provably before the limit.
    ByRule,
    /// A capture; after it the limit is far away.
    LateCapture,
    /// The limit comes first, or may come first.
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
    /// Positions come back, and no way out of the loop was found, nor that there is none.
    Doubtful,
    /// The rules can end the draw against the side to move whatever it plays later.
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
pub(crate) struct RootRanker<'a> {
    tables: &'a XiangqiTables,
    line: Line<Position>,
    rules: RuleSet,
    /// Plies to the limit of moves.
    left: u32,
    /// Set where captures may be followed by others that come too late for the limit.
    may_convert_late: bool,
}

impl<'a> RootRanker<'a> {
    pub(crate) fn new(tables: &'a XiangqiTables, line: &Line<Position>, rules: RuleSet) -> Self {
        let line = as_it_counts(line, rules).into_owned();
        let left = tables.plies_left(&line);
        let may_convert_late = tables.may_convert_late(line.position());
        Self { tables, line, rules, left, may_convert_late }
    }

    /// `None` where the tables do not know the position under the rules of play.
    pub(crate) fn advise(&self, probe_budget: &ProbeBudget<'_>) -> Option<RootRanking<Move>> {
        let moves = self.tables.ranked_moves(self.line.position())?;
        Some(match moves.first()?.entry.wdl {
            Wdl::Win => self.convert(moves, probe_budget),
            Wdl::Draw => self.hold(moves, probe_budget),
            Wdl::Loss => self.resist(moves),
        })
    }

    fn is_capture(&self, mv: Move) -> bool {
        self.line.position().piece_at(mv.to()).is_some()
    }

    /// Returns true if the outcome after the move comes before the limit, which a capture puts off.
    fn is_in_time(&self, RootMove { mv, entry, .. }: RootMove<Move>) -> bool {
        if self.is_capture(mv) && self.left < u32::MAX {
            // The capture itself is one of the plies of the entry; the limit begins after it.
            let after = Entry { distance: entry.distance.saturating_sub(1), ..entry };
            return is_in_time(after, MOVE_LIMIT);
        }
        is_in_time(entry, self.left)
    }

    /// Order and distance as they count, the limit of moves permitting.
    fn convert(
        &self,
        moves: Vec<RootMove<Move>>,
        probe_budget: &ProbeBudget<'_>,
    ) -> RootRanking<Move> {
        let winning = moves.into_iter().filter(|m| m.entry.wdl == Wdl::Win);
        let mut ranked: Vec<(Winning, RootMove<Move>)> =
            winning.map(|m| (self.winning(m), m)).collect();
        self.prove_claim(&mut ranked, probe_budget);
        ranked.sort_by_cached_key(|&(kind, m)| (kind, Reverse(m.entry), self.repeats(m)));
        let (kind, first) = ranked[0];
        let is_late = matches!(kind, Winning::LateCapture | Winning::Late);
        let conversion = is_late.then(|| self.fastest_conversion(&ranked, probe_budget));
        let mut moves: Vec<RootMove<Move>> = ranked.into_iter().map(|(_, m)| m).collect();
        if let Some(Conversion::By(mv)) = conversion
            && let Some(place) = moves.iter().position(|m| m.mv == mv)
        {
            // To the front, with the others in their order.
            moves[..=place].rotate_right(1);
        }
        let (is_sure, remark) = match conversion {
            None if kind > Winning::ByRule && self.left <= 2 => (false, Some(too_late(self.left))),
            None => (kind <= Winning::ByRule, None),
            // A capture or mate was found within the plies that are left.
            Some(Conversion::By(_)) => (true, None),
            Some(Conversion::Late) => (false, Some(too_late(self.left))),
            Some(Conversion::Unknown) => (false, Some(perhaps_late(first, self.left))),
        };
        RootRanking { moves, keeping: 1, wdl: Wdl::Win, is_sure, remark }
    }

    /// Looks for a win by repetition that provably comes before the limit, the moves in the order
    /// of the tablebases. Does nothing if a mate or a proven win comes before the limit.
    fn prove_claim(
        &self,
        ranked: &mut [(Winning, RootMove<Move>)],
        probe_budget: &ProbeBudget<'_>,
    ) {
        if ranked.iter().any(|&(kind, _)| kind <= Winning::ByRule) {
            return;
        }
        let by_rule = ranked.iter_mut().filter(|(kind, m)| {
            is_open(*kind)
                && m.entry.order > 0
                && (self.is_capture(m.mv) || u32::from(m.entry.distance) <= self.left)
        });
        for (kind, m) in by_rule.take(CLAIMS) {
            let claims = Claims::new(self.tables, self.rules, probe_budget);
            let plies = claims.plies(&self.line, m.mv);
            let is_capture = self.is_capture(m.mv);
            if plies.is_some_and(|plies| is_before_limit(plies, is_capture, self.left)) {
                *kind = Winning::ByRule;
                return;
            }
        }
    }

    fn winning(&self, m: RootMove<Move>) -> Winning {
        let Foresight { now, later } = self.foresee(m.mv, Horizon::Game);
        match (now, later) {
            (Some(Wdl::Win), _) => Winning::Claimed,
            (Some(_), _) => Winning::Spoilt,
            (None, Some(_)) => Winning::Trapped,
            _ if m.entry.order > 0 && self.left == u32::MAX => Winning::ByRule,
            _ if m.entry.order == 0 && !self.may_convert_late && self.is_in_time(m) => {
                Winning::Mating
            }
            _ if self.is_capture(m.mv) => Winning::LateCapture,
            _ => Winning::Late,
        }
    }

    /// The rank of a move that wins by rule: the nearer the verdict, the smaller.
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

    /// Ranks moves that keep the draw; which of the best is played, others may decide.
    fn hold(
        &self,
        moves: Vec<RootMove<Move>>,
        probe_budget: &ProbeBudget<'_>,
    ) -> RootRanking<Move> {
        let has_repeated = self.has_repeated();
        let mut holder = DrawProof::new(self.tables, &self.line, self.rules, probe_budget);
        let ranked = moves.into_iter().map(|m| {
            let been = self.occurrences(m.mv);
            let kind = match self.drawing(m) {
                kind @ (Drawing::Safe | Drawing::Looping) if has_repeated || been > 0 => {
                    match holder.outlook(m.mv) {
                        Outlook::Kept => kind,
                        Outlook::Unknown => Drawing::Doubtful,
                        Outlook::Lost => Drawing::Trapped,
                    }
                }
                kind => kind,
            };
            // Where nothing is safe, the position that occurred least comes first.
            let been = if kind > Drawing::Looping { been } else { 0 };
            ((kind, been), m)
        });
        let mut ranked: Vec<((Drawing, usize), RootMove<Move>)> = ranked.collect();
        ranked.sort_by_key(|&(rank, m)| (rank, Reverse(m.entry)));
        let best = ranked[0].0;
        let keeping = ranked.iter().filter(|(rank, _)| *rank == best).count();
        let wdl = if best.0 == Drawing::Claimed { Wdl::Win } else { Wdl::Draw };
        let moves = ranked.into_iter().map(|(_, m)| m).collect();
        RootRanking { moves, keeping, wdl, is_sure: true, remark: None }
    }

    /// Returns true if a position has come back since the last capture.
    fn has_repeated(&self) -> bool {
        // Nothing before the last capture can come back.
        let since = self.line.len() - self.line.reversible() as usize;
        let before = self.line.plies()[since..].iter().map(|ply| ply.key_before);
        let mut seen = HashSet::new();
        before.chain([self.line.position().key()]).any(|key| !seen.insert(key))
    }

    /// Number of earlier occurrences of the position after the move.
    fn occurrences(&self, mv: Move) -> usize {
        let mut line = self.line.clone();
        line.push(mv);
        line.earlier_occurrences().count()
    }

    /// By the move and the answers to it.
    fn drawing(&self, m: RootMove<Move>) -> Drawing {
        let Foresight { now, later } = self.foresee(m.mv, Horizon::Game);
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
    fn resist(&self, moves: Vec<RootMove<Move>>) -> RootRanking<Move> {
        let captures = self.by_captures();
        let mut ranked: Vec<(Losing, RootMove<Move>)> =
            moves.into_iter().map(|m| (self.losing(m), m)).collect();
        ranked.sort_by_cached_key(|&(kind, m)| {
            let until = captures.iter().find(|(mv, _)| *mv == m.mv).map_or(0, |&(_, until)| until);
            let until = if kind == Losing::Lasting { until } else { 0 };
            (kind, Reverse(until), Reverse(m.entry))
        });
        // Behind `Lasting` the loss cannot be put off; before it the game may still be saved.
        let is_sure = ranked[0].0 > Losing::Lasting;
        let moves = ranked.into_iter().map(|(_, m)| m).collect();
        RootRanking { moves, keeping: 1, wdl: Wdl::Loss, is_sure, remark: None }
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
            .tablebases_of(Metric::Dtc)
            .find_map(|tablebase| self.tables.ranked_by(tablebase, position));
        let moves = ranked.unwrap_or_default().into_iter();
        moves.map(|m| (m.mv, m.entry.distance)).collect()
    }

    fn foresee(&self, mv: Move, horizon: Horizon) -> Foresight {
        let mover = self.line.position().turn();
        let mut line = self.line.clone();
        line.push(mv);
        let now = self.verdict(&line, mover, horizon);
        // A repetition needs four plies without a capture, the reply included. Most moves are spared the
        // look at all replies.
        let may_be_judged = line.reversible() >= 3 || line.clock() + 1 >= MOVE_LIMIT;
        if now.is_some() || !may_be_judged {
            return Foresight { now, later: None };
        }
        let mut replies = MoveList::new();
        line.position().legal_moves(&mut replies);
        let mut worst = None;
        for reply in replies {
            line.push(reply);
            // The other side would not end the game by losing it.
            let verdict = self.verdict(&line, mover, horizon).filter(|wdl| *wdl != Wdl::Win);
            line.pop();
            worst = worst.into_iter().chain(verdict).min();
        }
        Foresight { now, later: worst }
    }

    /// The verdict of the rules at the end of a line, for `side`.
    fn verdict(&self, line: &Line<Position>, side: Side, horizon: Horizon) -> Option<Wdl> {
        match Position::judge(line, self.rules, horizon).verdict {
            Verdict::None => None,
            Verdict::Draw => Some(Wdl::Draw),
            Verdict::Loses(loser) if loser == side => Some(Wdl::Loss),
            Verdict::Loses(_) => Some(Wdl::Win),
        }
    }

    /// The winning move that leads to a mate or a capture before the limit.
    fn fastest_conversion(
        &self,
        ranked: &[(Winning, RootMove<Move>)],
        probe_budget: &ProbeBudget<'_>,
    ) -> Conversion {
        let sound = ranked.iter().filter(|(kind, _)| *kind < Winning::Trapped).map(|(_, m)| *m);
        let position = self.line.position();
        let by_distance = self.tables.tablebases_of(Metric::Dtc).find_map(|tablebase| {
            let won = self.tables.ranked_by(tablebase, position)?.into_iter();
            let mut won = won.filter(|m| m.entry.wdl == Wdl::Win && m.entry.order == 0);
            let is_vague = self.left < u32::MAX && self.tables.converts_late(tablebase, position);
            won.find(|m| {
                (!is_vague && u32::from(m.entry.distance) <= self.left)
                    && sound.clone().any(|sound| sound.mv == m.mv)
            })
        });
        if let Some(best) = by_distance {
            return Conversion::By(best.mv);
        }
        let mut converter = Converter::new(self.tables, self.rules, probe_budget);
        converter.look_back(self.line.reversible());
        match converter.fastest(position, sound, self.left) {
            Conversion::Late if self.may_outlast_limit() => Conversion::Unknown,
            conversion => conversion,
        }
    }

    /// Returns true if more plies than are left may be made because checks do not count.
    fn may_outlast_limit(&self) -> bool {
        let checks = self.line.checks();
        let most = checks.first.max(checks.second) + self.left.div_ceil(2);
        discounts_checks(self.rules) && most > COUNTED_CHECKS
    }
}

/// Returns true if the limit of moves may prevent the win.
const fn is_open(kind: Winning) -> bool {
    matches!(kind, Winning::LateCapture | Winning::Late)
}

/// Returns true for a loss that is known.
fn is_loss(wdl: Option<Wdl>) -> bool {
    wdl == Some(Wdl::Loss)
}

/// The message about a win that the limit of moves prevents.
fn too_late(left: u32) -> Message {
    message!(
        "won by the endgame tables, but neither mate nor a capture that keeps the win can be forced in \
         the {left} plies before the limit of moves without a capture: only mistakes of the other side \
         can help"
    )
}

/// The message about a win that the limit of moves may prevent.
fn perhaps_late(first: RootMove<Move>, left: u32) -> Message {
    let Entry { order, distance, .. } = first.entry;
    if order > 0 {
        return by_count(
            left.into(),
            message!(
                "won by the endgame tables by repetition (order {order}), but that the verdict comes in the \
                 ply before the limit of moves without a capture draws is not proved"
            ),
            message!(
                "won by the endgame tables by repetition (order {order}), but that the verdict comes in the \
                 {left} plies before the limit of moves without a capture draws is not proved"
            ),
        );
    }
    let (what, hint) = match first.value {
        TableValue::Mate(_) => ("mate", "; tables of metric dtc would tell"),
        _ => ("the next capture", ""),
    };
    by_count(
        distance.into(),
        message!(
            "won by the endgame tables, but {what} is 1 ply away and the limit of moves without \
             a capture draws in {left}; no capture that puts it off was found{hint}"
        ),
        message!(
            "won by the endgame tables, but {what} is {distance} plies away and the limit of moves without \
             a capture draws in {left}; no capture that puts it off was found{hint}"
        ),
    )
}
