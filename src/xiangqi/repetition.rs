//! Verdicts that need the past: perpetual check and chase, the limit of moves without a capture,
//! and material with which nobody can win.
//!
//! A loop is the moves between two occurrences of a position. Each side is judged over its own
//! moves in it: a *perpetual check* if all of them check, a *perpetual chase* if all of them newly
//! chase one and the same man. What a move chases is a pure function of the position before it
//! ([`chased`]), so that play, search and endgame tables share one definition. The terms follow the
//! Asian rules (AXF 2003, WXF 2018) in the form that engines use.

use std::fmt;
use std::str::FromStr;

pub use super::chase::chased;
use super::chase::chased_among;
use super::{Bitboard, Move, Position, Square};
use crate::game::{Adjudicate, BySide, Game, Horizon, Judgement, Line, Ply, Side, Verdict};

/// Which rules judge repetitions and long games.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RuleSet {
    /// Every repetition draws; no limit of moves.
    None,
    /// Perpetual check loses, every other repetition draws; 60 moves each without a capture draw.
    Check,
    /// Perpetual check and perpetual chase lose; 60 moves each without a capture draw, each side's
    /// checks beyond ten not counted.
    #[default]
    Asian,
    /// As [`Asian`](Self::Asian), but a loop with any check in it is no chase.
    Computer,
    /// As [`Asian`](Self::Asian), and checks, threats of mate in one and chases of any men may not be
    /// mixed into a perpetual attack either, unless the other side does so too; 60 moves each without
    /// a capture draw. An approximation of the Chinese rules: they see longer threats, and know
    /// chases of protected men.
    Chinese,
}

/// A rule set that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no rules \"{0}\" (use none, check, asian, computer or chinese)")]
pub struct UnknownRules(String);

/// Plies without a capture after which a game is drawn: 60 moves of each side.
pub const MOVE_LIMIT: u32 = 120;

/// Checks of one side that count towards [`MOVE_LIMIT`] where later ones do not.
pub const COUNTED_CHECKS: u32 = 10;

/// Plies before the limit of moves from which on positions are told apart by it in search: more
/// than searches look ahead.
const LIMIT_IN_SIGHT: u32 = 50;

/// How often a position must occur for a verdict at the board.
const OCCURRENCES: usize = 3;

impl RuleSet {
    /// All five.
    pub const ALL: [Self; 5] =
        [Self::None, Self::Check, Self::Asian, Self::Computer, Self::Chinese];

    const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Check => "check",
            Self::Asian => "asian",
            Self::Computer => "computer",
            Self::Chinese => "chinese",
        }
    }
}

impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for RuleSet {
    type Err = UnknownRules;
    fn from_str(text: &str) -> Result<Self, UnknownRules> {
        let found = Self::ALL.into_iter().find(|rules| text.eq_ignore_ascii_case(rules.name()));
        found.ok_or_else(|| UnknownRules(text.chars().take(40).collect()))
    }
}

/// Whether the side that has just moved threatens to mate with its next move.
pub(super) fn threatens_mate(position: &Position) -> bool {
    if position.in_check() {
        return false;
    }
    let mut next = position.clone();
    next.pass();
    let mut moves = crate::game::MoveList::new();
    next.append_legal(&mut moves);
    moves.into_iter().any(|mv| {
        let undo = next.play_unchecked(mv);
        let mated = next.in_check() && !next.has_legal_move();
        next.undo(mv, undo);
        mated
    })
}

/// What all moves of one side in a loop have in common.
#[derive(Debug, Clone)]
pub(super) struct Conduct {
    /// All of them check.
    pub(super) checks: bool,
    /// One of them checks.
    pub(super) has_check: bool,
    /// Men (by their squares at the end of the loop) that all of them newly chase.
    pub(super) chases: Bitboard,
    /// Each of them checks, threatens mate or newly chases something; only judged where the
    /// rules ask for it.
    pub(super) attacks: bool,
}

impl Conduct {
    const fn new() -> Self {
        Self { checks: true, has_check: false, chases: Bitboard::FULL, attacks: true }
    }
}

/// Walks back over `plies`, whose last position is `end`: gives `visit` the position before each
/// move, the move, and the position after it. `None` where the plies contain a pass.
pub(super) fn walk_back(
    end: &Position,
    plies: &[Ply<Position>],
    mut visit: impl FnMut(&Position, Move, &Position),
) -> Option<Position> {
    let mut after = end.clone();
    for ply in plies.iter().rev() {
        let mv = ply.mv?;
        let mut before = after.clone();
        before.undo(mv, ply.undo);
        visit(&before, mv, &after);
        after = before;
    }
    Some(after)
}

/// Judges each side over the loop `plies` that ends in `end`, as far as `rules` ask. `None` if it is
/// no loop.
fn conduct(end: &Position, plies: &[Ply<Position>], rules: RuleSet) -> Option<BySide<Conduct>> {
    let mut sides = checks(end, plies)?;
    let decided = sides.first.checks || sides.second.checks;
    if !decided && matches!(rules, RuleSet::Asian | RuleSet::Computer | RuleSet::Chinese) {
        add_chases(end, plies, rules == RuleSet::Chinese, &mut sides);
    }
    Some(sides)
}

/// Who checks in the loop `plies` that ends in `end`. `None` if it is no loop.
pub(super) fn checks(end: &Position, plies: &[Ply<Position>]) -> Option<BySide<Conduct>> {
    let mut sides = BySide::new_with(|_| Conduct::new());
    let start = walk_back(end, plies, |_, _, after| {
        let side = &mut sides[!after.turn()];
        let check = after.in_check();
        side.checks &= check;
        side.has_check |= check;
    })?;
    (start == *end).then_some(sides)
}

/// Adds who chases whom in the loop, and if `seeks_any`, who attacks something with every move.
pub(super) fn add_chases(
    end: &Position,
    plies: &[Ply<Position>],
    seeks_any: bool,
    sides: &mut BySide<Conduct>,
) {
    // Where the man on each square stands at the end of the loop.
    let mut home: [Square; 90] = std::array::from_fn(Square::from_index);
    walk_back(end, plies, |before, mv, after| {
        let side = &mut sides[before.turn()];
        let seeks_any = side.attacks && seeks_any;
        if !side.chases.is_empty() || seeks_any {
            let common = |square: &Square| side.chases.has(home[square.index()]);
            let among = if seeks_any {
                Bitboard::FULL
            } else {
                before.side(after.turn()).into_iter().filter(common).collect()
            };
            let victims = chased_among(before, mv, among);
            side.chases &= victims.into_iter().map(|square| home[square.index()]).collect();
            if seeks_any {
                side.attacks = !victims.is_empty() || after.in_check() || threatens_mate(after);
            }
        }
        home[mv.from().index()] = home[mv.to().index()];
    });
}

/// The verdict on a loop, from what each side did in it.
fn verdict(sides: &BySide<Conduct>, rules: RuleSet) -> Judgement {
    let checks = sides.as_ref().map(|side| side.checks);
    let chases = sides.as_ref().map(|side| !side.chases.is_empty());
    let attacks = sides.as_ref().map(|side| side.attacks);
    let has_check = sides.first.has_check || sides.second.has_check;
    let is_decided = |by: BySide<bool>| by.first || by.second;
    match rules {
        RuleSet::None => draw("repetition"),
        _ if is_decided(checks) => blame(checks, "perpetual check", "mutual perpetual check"),
        RuleSet::Check => draw("repetition"),
        RuleSet::Computer if has_check => draw("repetition with checks"),
        RuleSet::Chinese if is_decided(attacks) => {
            blame(attacks, "perpetual attack", "mutual perpetual attack")
        }
        _ if is_decided(chases) => blame(chases, "perpetual chase", "mutual perpetual chase"),
        _ => draw("repetition"),
    }
}

const fn draw(reason: &'static str) -> Judgement {
    Judgement { verdict: Verdict::Draw, reason: Some(reason) }
}

fn blame(by: BySide<bool>, one: &'static str, both: &'static str) -> Judgement {
    match (by.first, by.second) {
        (true, true) => draw(both),
        (first, _) => {
            let side = if first { Side::First } else { Side::Second };
            Judgement { verdict: Verdict::Loses(side), reason: Some(one) }
        }
    }
}

/// Where the loop begins that is due for judgement, as an index into the plies.
pub(super) fn due_loop(line: &Line<Position>, horizon: Horizon) -> Option<usize> {
    let root = match horizon {
        Horizon::Game => usize::MAX,
        Horizon::Search { root } => root,
    };
    let mut seen = 1;
    line.earlier_occurrences().find(|&start| {
        seen += 1;
        start >= root || seen >= OCCURRENCES
    })
}

/// The moves since the last capture, as the limit of moves sees them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Count {
    /// Plies that count.
    pub(super) counted: usize,
    /// Checks given, counted or not.
    pub(super) checks: BySide<u32>,
}

/// Whether the moves since the last capture reach the limit.
fn is_over_limit(line: &Line<Position>, rules: RuleSet) -> bool {
    rules != RuleSet::None
        && line.clock() >= MOVE_LIMIT
        && count_moves(line, rules, MOVE_LIMIT as usize).counted >= MOVE_LIMIT as usize
}

/// Counts the plies since the last capture, up to `most` of them. Under rules that discount checks,
/// those beyond the tenth of a side do not count; plies before the line's start count whatever they
/// were.
pub(super) fn count_moves(line: &Line<Position>, rules: RuleSet, most: usize) -> Count {
    let plies = line.plies();
    let clock = line.clock() as usize;
    let since = plies.len().saturating_sub(clock);
    let discounts = matches!(rules, RuleSet::Asian | RuleSet::Computer);
    let mut count =
        Count { counted: clock - (plies.len() - since), checks: BySide::<u32>::default() };
    let mut position = line.position().clone();
    for ply in plies[since..].iter().rev() {
        if count.counted >= most {
            break;
        }
        let mut counts = true;
        match ply.mv {
            Some(mv) => {
                if position.in_check() {
                    let given = &mut count.checks[!position.turn()];
                    *given += 1;
                    counts = !discounts || *given <= COUNTED_CHECKS;
                }
                position.undo(mv, ply.undo);
            }
            None => position.unpass(ply.undo),
        }
        count.counted += usize::from(counts);
    }
    count
}

/// Plies that can still be made without a capture before their number draws the game, checks that do
/// not count left out; `u32::MAX` under rules without such a limit.
#[must_use]
pub fn plies_left(line: &Line<Position>, rules: RuleSet) -> u32 {
    if rules == RuleSet::None {
        return u32::MAX;
    }
    MOVE_LIMIT.saturating_sub(count_moves(line, rules, MOVE_LIMIT as usize).counted as u32)
}

impl Adjudicate for Position {
    type Rules = RuleSet;

    fn is_irreversible(&self, mv: Move) -> bool {
        self.piece_at(mv.to()).is_some()
    }

    /// Mate and stalemate come first: where the side to move has no legal move there is nothing to
    /// judge. Nearly free where no position repeats and the limit of moves is far.
    fn judge(line: &Line<Self>, rules: RuleSet, horizon: Horizon) -> Judgement {
        let position = line.position();
        let judgement = if let Some(start) = due_loop(line, horizon) {
            judge_loop(position, &line.plies()[start..], rules)
        } else if is_over_limit(line, rules) {
            draw("60 moves without a capture")
        } else if position.is_dead() {
            draw("neither side can win with the men left")
        } else {
            return Judgement::NONE;
        };
        if position.outcome().is_some() { Judgement::NONE } else { judgement }
    }

    fn stage(line: &Line<Self>, rules: RuleSet) -> u32 {
        match rules {
            RuleSet::None => 0,
            _ => line.clock().saturating_sub(MOVE_LIMIT - LIMIT_IN_SIGHT),
        }
    }
}

/// The verdict on the loop `plies` that ends in `end`; none if it is no loop.
pub(super) fn judge_loop(end: &Position, plies: &[Ply<Position>], rules: RuleSet) -> Judgement {
    if rules == RuleSet::None {
        return draw("repetition");
    }
    conduct(end, plies, rules).map_or(Judgement::NONE, |sides| verdict(&sides, rules))
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: Conduct =
        Conduct { checks: false, has_check: false, chases: Bitboard::EMPTY, attacks: false };
    const CHECKS: Conduct = Conduct { checks: true, has_check: true, attacks: true, ..QUIET };
    const CHASES: Conduct = Conduct { chases: Bitboard::FULL, attacks: true, ..QUIET };
    const MIXES: Conduct = Conduct { has_check: true, attacks: true, ..QUIET };

    fn judged(first: &Conduct, second: &Conduct) -> [Verdict; 5] {
        let sides = BySide { first: first.clone(), second: second.clone() };
        RuleSet::ALL.map(|rules| verdict(&sides, rules).verdict)
    }

    /// Under none, check, asian, computer, chinese.
    #[test]
    fn precedence() {
        const FIRST: Verdict = Verdict::Loses(Side::First);
        const DRAW: Verdict = Verdict::Draw;
        assert_eq!(judged(&CHECKS, &QUIET), [DRAW, FIRST, FIRST, FIRST, FIRST]);
        assert_eq!(judged(&CHECKS, &CHASES), [DRAW, FIRST, FIRST, FIRST, FIRST]);
        assert_eq!(judged(&CHECKS, &CHECKS), [DRAW; 5]);
        assert_eq!(judged(&CHASES, &QUIET), [DRAW, DRAW, FIRST, FIRST, FIRST]);
        assert_eq!(judged(&CHASES, &CHASES), [DRAW; 5]);
        assert_eq!(judged(&CHASES, &MIXES), [DRAW, DRAW, FIRST, DRAW, DRAW]);
        assert_eq!(judged(&MIXES, &QUIET), [DRAW, DRAW, DRAW, DRAW, FIRST]);
        assert_eq!(judged(&QUIET, &QUIET), [DRAW; 5]);
    }

    #[test]
    fn names_round_trip() {
        for rules in RuleSet::ALL {
            assert_eq!(rules.to_string().parse(), Ok(rules));
        }
        let unknown = "national".parse::<RuleSet>().unwrap_err();
        assert!(unknown.to_string().contains("asian"));
    }
}
