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

use super::attacks::{self, is_across};
use super::{Bitboard, Move, Piece, Position, Role, Square};
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
    /// Checks, threats of mate and chases of any men may not be mixed into a perpetual attack
    /// either; 60 moves each without a capture draw.
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

/// The opponent's men that `mv`, a legal move in `before`, newly chases: a man other than king and
/// pawn threatens to win them after the move, and none did before.
#[must_use]
pub fn chased(before: &Position, mv: Move) -> Bitboard {
    chased_among(before, mv, Bitboard::FULL)
}

/// The men on the squares `among` that [`chased`] names.
fn chased_among(before: &Position, mv: Move, among: Bitboard) -> Bitboard {
    let chaser = before.turn();
    let mut after = before.clone();
    after.play_unchecked(mv);
    let threatened = threats(&after, chaser, among);
    threatened - threats(before, chaser, threatened)
}

/// The men of the other side on the squares `among` that `chaser` threatens to win, whoever is to
/// move.
fn threats(position: &Position, chaser: Side, among: Bitboard) -> Bitboard {
    let victims = (position.side(!chaser) & among)
        - position.role(Role::King)
        - uncrossed(position.pieces(!chaser, Role::Pawn), !chaser);
    if victims.is_empty() {
        return Bitboard::EMPTY;
    }
    let chasers = position.side(chaser) - position.role(Role::King) - position.role(Role::Pawn);
    let mut threatened = Bitboard::EMPTY;
    for from in chasers {
        let Some(piece) = position.piece_at(from) else { continue };
        let targets = (position.pseudo_targets(from, piece) & victims) - threatened;
        threatened |= targets
            .into_iter()
            .filter(|&to| is_threat(position, piece, Move::new(from, to)))
            .collect();
    }
    threatened
}

fn uncrossed(pawns: Bitboard, side: Side) -> Bitboard {
    pawns.into_iter().filter(|&square| !is_across(side, square)).collect()
}

/// Whether the capture `mv` by `piece` threatens to win something.
fn is_threat(position: &Position, piece: Piece, mv: Move) -> bool {
    let Some(victim) = position.piece_at(mv.to()) else { return false };
    if !is_possible(position, piece.side(), mv, position) {
        return false;
    }
    wins_by_rank(piece.role(), victim.role())
        || !is_protected(position, victim.side(), mv) && !is_offer(position, piece, victim, mv)
}

/// Whether taking `victim` gains even if it is protected.
const fn wins_by_rank(attacker: Role, victim: Role) -> bool {
    match attacker {
        Role::Horse | Role::Cannon => matches!(victim, Role::Rook),
        Role::Advisor | Role::Elephant => {
            matches!(victim, Role::Rook | Role::Horse | Role::Cannon)
        }
        Role::King | Role::Rook | Role::Pawn => false,
    }
}

/// Whether `side` can take back after the capture `mv`. A protector that is pinned, or cannot
/// answer the check that the capture gives, is none.
fn is_protected(position: &Position, side: Side, mv: Move) -> bool {
    let mut taken = position.clone();
    taken.play_unchecked(mv);
    let protectors = taken.attackers(side, mv.to());
    protectors.into_iter().any(|from| is_possible(&taken, side, Move::new(from, mv.to()), position))
}

/// Whether attacker and victim are of one kind and attack each other: an offer to exchange.
fn is_offer(position: &Position, attacker: Piece, victim: Piece, mv: Move) -> bool {
    attacker.role() == victim.role()
        && position.pseudo_targets(mv.to(), victim).has(mv.from())
        && is_possible(position, victim.side(), Move::new(mv.to(), mv.from()), position)
}

/// Whether a pseudo-legal move of `side`, whoever is to move, exposes its king to no man that did
/// not attack it in the position `judged`: a check that stands there is ignored.
fn is_possible(position: &Position, side: Side, mv: Move, judged: &Position) -> bool {
    let mut after = position.clone();
    after.play_unchecked(mv);
    let attackers = king_attackers(&after, side);
    let is_king_move = position.king(side) == mv.from();
    attackers.is_empty() || !is_king_move && (attackers - king_attackers(judged, side)).is_empty()
}

/// The men that attack the king of `side`, a facing king included.
fn king_attackers(position: &Position, side: Side) -> Bitboard {
    let king = position.king(side);
    let facing =
        attacks::rook_attacks(king, position.occupancy()) & Bitboard::of(position.king(!side));
    position.attackers(!side, king) | facing
}

/// Whether the side that has just moved threatens to mate with its next move.
fn threatens_mate(position: &Position) -> bool {
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
struct Conduct {
    /// All of them check.
    checks: bool,
    /// One of them checks.
    has_check: bool,
    /// Men (by their squares at the end of the loop) that all of them newly chase.
    chases: Bitboard,
    /// Each of them checks, threatens mate or newly chases something; only judged where the
    /// rules ask for it.
    attacks: bool,
}

impl Conduct {
    const fn new() -> Self {
        Self { checks: true, has_check: false, chases: Bitboard::FULL, attacks: true }
    }
}

/// Walks back over `plies`, whose last position is `end`: gives `visit` the position before each
/// move, the move, and the position after it. `None` where the plies contain a pass.
fn walk_back(
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

/// Judges each side over the loop `plies` that ends in `end`. `None` if it is no loop.
fn conduct(end: &Position, plies: &[Ply<Position>], rules: RuleSet) -> Option<BySide<Conduct>> {
    let mut sides = BySide::new_with(|_| Conduct::new());
    let start = walk_back(end, plies, |_, _, after| {
        let side = &mut sides[!after.turn()];
        let check = after.in_check();
        side.checks &= check;
        side.has_check |= check;
    })?;
    if start != *end {
        return None;
    }
    let decided = sides.first.checks || sides.second.checks;
    if !decided && matches!(rules, RuleSet::Asian | RuleSet::Computer | RuleSet::Chinese) {
        add_chases(end, plies, rules, &mut sides);
    }
    Some(sides)
}

fn add_chases(
    end: &Position,
    plies: &[Ply<Position>],
    rules: RuleSet,
    sides: &mut BySide<Conduct>,
) {
    // Where the man on each square stands at the end of the loop.
    let mut home: [Square; 90] = std::array::from_fn(Square::from_index);
    walk_back(end, plies, |before, mv, after| {
        let side = &mut sides[before.turn()];
        let seeks_any = side.attacks && rules == RuleSet::Chinese;
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
fn due_loop(line: &Line<Position>, horizon: Horizon) -> Option<usize> {
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

/// Whether the moves since the last capture reach the limit, `rules` telling which of them count.
fn is_over_limit(line: &Line<Position>, rules: RuleSet) -> bool {
    match rules {
        RuleSet::None => false,
        _ if line.clock() < MOVE_LIMIT => false,
        RuleSet::Check | RuleSet::Chinese => true,
        RuleSet::Asian | RuleSet::Computer => counted_moves_reach_limit(line),
    }
}

/// Whether the plies since the last capture reach the limit, checks beyond the tenth of a side not
/// counted. Plies before the line's start count whatever they were. The count only grows on the way
/// back, which so ends at the limit, however long the line is.
fn counted_moves_reach_limit(line: &Line<Position>) -> bool {
    let plies = line.plies();
    let clock = line.clock() as usize;
    let since = plies.len().saturating_sub(clock);
    let mut counted = clock - (plies.len() - since);
    let mut checks = BySide::<u32>::default();
    let mut position = line.position().clone();
    for ply in plies[since..].iter().rev() {
        if counted >= MOVE_LIMIT as usize {
            return true;
        }
        let mut counts = true;
        match ply.mv {
            Some(mv) => {
                if position.in_check() {
                    let given = &mut checks[!position.turn()];
                    *given += 1;
                    counts = *given <= COUNTED_CHECKS;
                }
                position.undo(mv, ply.undo);
            }
            None => position.unpass(ply.undo),
        }
        counted += usize::from(counts);
    }
    counted >= MOVE_LIMIT as usize
}

/// Plies that can still be made without a capture before their number draws the game, checks that do
/// not count left out; `u32::MAX` under rules without such a limit.
#[must_use]
pub fn plies_left(line: &Line<Position>, rules: RuleSet) -> u32 {
    let counted = match rules {
        RuleSet::None => return u32::MAX,
        RuleSet::Check | RuleSet::Chinese => line.clock(),
        RuleSet::Asian | RuleSet::Computer => line.clock() - uncounted_checks(line),
    };
    MOVE_LIMIT.saturating_sub(counted)
}

/// The checks since the last capture beyond [`COUNTED_CHECKS`] of each side.
fn uncounted_checks(line: &Line<Position>) -> u32 {
    let plies = line.plies();
    let mut checks = BySide::<u32>::default();
    let mut position = line.position().clone();
    for ply in plies[plies.len().saturating_sub(line.clock() as usize)..].iter().rev() {
        match ply.mv {
            Some(mv) => {
                checks[!position.turn()] += u32::from(position.in_check());
                position.undo(mv, ply.undo);
            }
            None => position.unpass(ply.undo),
        }
    }
    [checks.first, checks.second].map(|checks| checks.saturating_sub(COUNTED_CHECKS)).iter().sum()
}

impl Position {
    /// Whether a man is left that can cross the river: without one nobody can mate.
    #[must_use]
    #[inline]
    pub fn has_attackers(&self) -> bool {
        let attackers = [Role::Rook, Role::Horse, Role::Cannon, Role::Pawn];
        attackers.into_iter().any(|role| !self.role(role).is_empty())
    }
}

impl Adjudicate for Position {
    type Rules = RuleSet;

    fn is_irreversible(&self, mv: Move) -> bool {
        self.piece_at(mv.to()).is_some()
    }

    /// Mate and stalemate come first: where the side to move has no legal move there is nothing to
    /// judge. Costs a scan of the keys since the last capture where nothing repeats.
    fn judge(line: &Line<Self>, rules: RuleSet, horizon: Horizon) -> Judgement {
        let position = line.position();
        let judgement = if let Some(start) = due_loop(line, horizon) {
            judge_loop(position, &line.plies()[start..], rules)
        } else if is_over_limit(line, rules) {
            draw("60 moves without a capture")
        } else if !position.has_attackers() {
            draw("nobody has attacking men left")
        } else {
            return Judgement::NONE;
        };
        if position.outcome().is_some() { Judgement::NONE } else { judgement }
    }
}

/// The verdict on the loop `plies` that ends in `end`; none if it is no loop.
fn judge_loop(end: &Position, plies: &[Ply<Position>], rules: RuleSet) -> Judgement {
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
