//! Verdicts that depend on earlier positions: perpetual check and chase, the limit of moves without
//! a capture, and material with which nobody can win.
//!
//! A loop is the moves between two occurrences of a position. Each side is judged over its own
//! moves in it: a *perpetual check* if all of them check, a *perpetual chase* if all of them newly
//! chase one and the same piece. The pieces that a move chases are a pure function of the position
//! before it ([`chased`]), so that play, search and endgame tables share one definition. The terms
//! follow the Asian rules (AXF 2003, WXF 2018) in the form that engines use.

pub use super::chase::chased;
use crate::game::{
    Adjudicate, BySide, Game, Grounds, Horizon, Judgement, Line, Ply, Side, Verdict,
};
use crate::xiangqi::bitboard::Bitboard;
use crate::xiangqi::chase::chased_among;
use crate::xiangqi::move_limit::{
    COUNTED_CHECKS, FAR_FROM_LIMIT, MOVE_LIMIT, counted_plies, discounts_checks, is_over_limit,
    limit_hangs_from,
};
use crate::xiangqi::position::{Move, Position};
use crate::xiangqi::rule_set::RuleSet;
use crate::xiangqi::square::Square;

/// Number of occurrences of a position that makes a verdict at the board.
const OCCURRENCES: usize = 3;

/// Returns true if the side that has just moved threatens to mate with its next move.
pub(crate) fn threatens_mate(position: &Position) -> bool {
    if position.in_check() {
        return false;
    }
    let mut next = position.clone();
    // The other side must not be in check then, or passing would leave an illegal position: its own check
    // was looked for first.
    next.pass();
    let mut moves = crate::game::MoveList::new();
    next.legal_moves(&mut moves);
    moves.into_iter().any(|mv| {
        let undo = next.make(mv);
        let mated = next.in_check() && !next.has_legal_move();
        next.unmake(mv, undo);
        mated
    })
}

/// The features that all moves of one side in a loop have in common.
#[derive(Debug, Clone)]
pub(crate) struct SideInLoop {
    /// All of them check.
    pub(crate) checks: bool,
    /// One of them checks.
    pub(crate) has_check: bool,
    /// Pieces (by their squares at the end of the loop) that all of them newly chase.
    pub(crate) chases: Bitboard,
    /// Each of them checks, threatens mate or newly chases something; only judged where the
    /// rules ask for it.
    pub(crate) attacks: bool,
}

impl SideInLoop {
    const fn new() -> Self {
        Self { checks: true, has_check: false, chases: Bitboard::FULL, attacks: true }
    }
}

/// Walks back over `plies`, whose last position is `end`: gives `visit` the position before each
/// move, the move, and the position after it. `None` where the plies contain a pass.
pub(crate) fn walk_back(
    end: &Position,
    plies: &[Ply<Position>],
    mut visit: impl FnMut(&Position, Move, &Position),
) -> Option<Position> {
    let mut after = end.clone();
    for ply in plies.iter().rev() {
        let mv = ply.mv?;
        let mut before = after.clone();
        before.unmake(mv, ply.undo);
        visit(&before, mv, &after);
        after = before;
    }
    Some(after)
}

/// Judges each side over the loop `plies` that ends in `end`, as far as `rules` ask. `None` if it is
/// no loop.
fn judge_sides(
    end: &Position,
    plies: &[Ply<Position>],
    rules: RuleSet,
) -> Option<BySide<SideInLoop>> {
    let mut sides = checks(end, plies)?;
    // A perpetual check outweighs every chase, and chases take much longer to find.
    let decided = sides.first.checks || sides.second.checks;
    if !decided && matches!(rules, RuleSet::Asian | RuleSet::Computer | RuleSet::Chinese) {
        add_chases(end, plies, rules == RuleSet::Chinese, &mut sides);
    }
    Some(sides)
}

/// Judges the checks of each side in the loop `plies` that ends in `end`. `None` if it is no loop.
pub(crate) fn checks(end: &Position, plies: &[Ply<Position>]) -> Option<BySide<SideInLoop>> {
    let mut sides = BySide::new_with(|_| SideInLoop::new());
    let start = walk_back(end, plies, |_, _, after| {
        let side = &mut sides[!after.turn()];
        let check = after.in_check();
        side.checks &= check;
        side.has_check |= check;
    })?;
    // Occurrences are found by their keys: this comparison makes sure of the board itself.
    (start == *end).then_some(sides)
}

/// Adds the chases of each side in the loop, and if `seeks_any`, whether a side attacks something
/// with every move.
pub(crate) fn add_chases(
    end: &Position,
    plies: &[Ply<Position>],
    seeks_any: bool,
    sides: &mut BySide<SideInLoop>,
) {
    // The square, at the end of the loop, of the piece on each square.
    let mut home: [Square; 90] = std::array::from_fn(Square::from_index);
    walk_back(end, plies, |before, mv, after| {
        let side = &mut sides[before.turn()];
        // Chinese rules ask for any attack with each move. One move without any settles that, and the rest
        // of the loop then needs to be examined for the pieces chased so far only.
        let seeks_any = side.attacks && seeks_any;
        if !side.chases.is_empty() || seeks_any {
            let among = if seeks_any {
                Bitboard::FULL
            } else {
                before
                    .side(after.turn())
                    .into_iter()
                    // A chase must be of the same piece with every move: only those that all later moves
                    // chased can still be among them.
                    .filter(|square: &Square| side.chases.has(home[square.index()]))
                    .collect()
            };
            let victims = chased_among(before, mv, among);
            side.chases &= victims.into_iter().map(|square| home[square.index()]).collect();
            if seeks_any {
                side.attacks = !victims.is_empty() || after.in_check() || threatens_mate(after);
            }
        }
        // Going backwards, the piece on `to` after the move is on `from` before it, and keeps its home.
        home[mv.from().index()] = home[mv.to().index()];
    });
}

/// The verdict on a loop, from the moves of both sides in it.
fn verdict(sides: &BySide<SideInLoop>, rules: RuleSet) -> Judgement {
    let checks = sides.as_ref().map(|side| side.checks);
    let chases = sides.as_ref().map(|side| !side.chases.is_empty());
    let attacks = sides.as_ref().map(|side| side.attacks);
    let has_check = sides.first.has_check || sides.second.has_check;
    match rules {
        RuleSet::None => draw("repetition"),
        // The arms are in the order in which the rules rank offences: checks outweigh attacks, these
        // outweigh chases.
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

/// Returns true if at least one side is to blame.
const fn is_decided(by: BySide<bool>) -> bool {
    by.first || by.second
}

const fn draw(reason: &'static str) -> Judgement {
    Judgement { verdict: Verdict::Draw, reason: Some(reason), hangs_from: None, early: None }
}

fn blame(by: BySide<bool>, one: &'static str, both: &'static str) -> Judgement {
    match (by.first, by.second) {
        // Both sides break the rule: neither is to blame.
        (true, true) => draw(both),
        (first, _) => {
            let side = if first { Side::First } else { Side::Second };
            let verdict = Verdict::Loses(side);
            Judgement { verdict, reason: Some(one), hangs_from: None, early: None }
        }
    }
}

/// A loop that is due for judgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DueLoop {
    /// The ply at which it begins, as an index into the plies.
    pub(crate) start: usize,
    /// True if at the board play goes on.
    pub(crate) is_early: bool,
}

/// The loop that is due for judgement: at the third occurrence the moves since the first; in search at the second as
/// well, if the first lies after the root.
pub(crate) fn due_loop(line: &Line<Position>, horizon: Horizon) -> Option<DueLoop> {
    let mut earlier = line.earlier_occurrences();
    let latest = earlier.next()?;
    // The last position is one occurrence and `latest` another: the next earlier one is the third.
    if let Some(start) = earlier.nth(OCCURRENCES - 3) {
        return Some(DueLoop { start, is_early: false });
    }
    let root = match horizon {
        Horizon::Game => return None,
        Horizon::Search { root } => root,
    };
    (latest >= root).then_some(DueLoop { start: latest, is_early: true })
}

/// The loser checks with all its moves.
const ALL_CHECK: Grounds = Grounds(1 << 120);
/// It attacks with all its moves, by one means or another.
const ALL_ATTACK: Grounds = Grounds(1 << 121);

/// The grounds of an early verdict on the loop from `start` on by which `loser` loses: checks, attacks, and the pieces
/// that are chased, by their squares where the line had `root` plies.
fn grounds(
    line: &Line<Position>,
    start: usize,
    root: usize,
    loser: Side,
    rules: RuleSet,
) -> Grounds {
    let end = line.position();
    let plies = &line.plies()[start..];
    let Some(mut sides) = checks(end, plies) else { return Grounds::ALL };
    let all_check = sides[loser].checks;
    // A loop with a check in it is no chase under the rules `computer`.
    let may_chase = match rules {
        RuleSet::None | RuleSet::Check => false,
        RuleSet::Asian | RuleSet::Chinese => true,
        RuleSet::Computer => !all_check,
    };
    let mut grounds = if all_check { ALL_CHECK.0 } else { 0 };
    if may_chase {
        add_chases(end, plies, rules == RuleSet::Chinese, &mut sides);
        for square in sides[loser].chases {
            grounds |= 1
                << line.plies()[root..]
                    .iter()
                    .rev()
                    .filter_map(|ply| ply.mv)
                    // Two loops from one root name the same piece only by the square where it stood at the
                    // root: it is followed back over the moves since.
                    .fold(square, |at, mv: Move| if mv.to() == at { mv.from() } else { at })
                    .index();
        }
        if rules == RuleSet::Chinese && sides[loser].attacks {
            grounds |= ALL_ATTACK.0;
        }
    }
    Grounds(grounds)
}

impl Adjudicate for Position {
    type Rules = RuleSet;

    fn is_irreversible(&self, mv: Move) -> bool {
        self.piece_at(mv.to()).is_some()
    }

    const STAGES_FROM: u32 = FAR_FROM_LIMIT;
    const STAGE_SIGHT: u32 = MOVE_LIMIT - FAR_FROM_LIMIT;

    /// Mate and stalemate come first: where the side to move has no legal move there is nothing to
    /// judge. Nearly free where no position repeats and the limit of moves is far.
    fn judge(line: &Line<Self>, rules: RuleSet, horizon: Horizon) -> Judgement {
        let position = line.position();
        let judgement = if let Some(DueLoop { start, is_early }) = due_loop(line, horizon) {
            let judgement = judge_loop(position, &line.plies()[start..], rules);
            let early = match (judgement.verdict, horizon) {
                (Verdict::Loses(loser), Horizon::Search { root }) if is_early => {
                    Some(grounds(line, start, root, loser, rules))
                }
                _ => None,
            };
            // The loop's first position is worth what it is however it came about.
            Judgement { hangs_from: Some(start + 1), early, ..judgement }
        } else if is_over_limit(line, rules) {
            let hangs_from = limit_hangs_from(line, rules, horizon);
            Judgement { hangs_from, ..draw("60 moves without a capture") }
        } else if position.is_dead() {
            draw("neither side can win with the men left")
        } else {
            return Judgement::NONE;
        };
        if position.outcome().is_some() { Judgement::NONE } else { judgement }
    }

    /// Near the limit of moves: the plies that count, and the checks that used up what counts of
    /// them.
    fn stage(line: &Line<Self>, rules: RuleSet) -> u32 {
        if line.clock() <= FAR_FROM_LIMIT || rules == RuleSet::None {
            return 0;
        }
        let checks = line.checks();
        let near = counted_plies(line.clock(), checks, rules).saturating_sub(FAR_FROM_LIMIT);
        if near == 0 || !discounts_checks(rules) {
            return near;
        }
        // Checks beyond those that count are all alike: each leaves the number of plies that count as it
        // is.
        let checks = checks.map(|count| count.min(COUNTED_CHECKS));
        let places = COUNTED_CHECKS + 1;
        // Mixed radix, so that no two states of the count share a stage. It is not 0, because `near` is
        // not.
        (near * places + checks.first) * places + checks.second
    }

    fn is_check(&self) -> bool {
        self.in_check()
    }

    fn count_checks(line: &Line<Self>) -> BySide<u32> {
        let plies = line.plies();
        // The clock may reach back before the line: its start can be in the middle of a game.
        let since = plies.len().saturating_sub(line.clock() as usize);
        let mut checks = BySide::default();
        let mut position = line.position().clone();
        for ply in plies[since..].iter().rev() {
            match ply.mv {
                Some(mv) => {
                    checks[!position.turn()] += u32::from(position.in_check());
                    position.unmake(mv, ply.undo);
                }
                None => position.unpass(ply.undo),
            }
        }
        checks
    }
}

/// The verdict on the loop `plies` that ends in `end`; none if it is no loop.
pub(crate) fn judge_loop(end: &Position, plies: &[Ply<Position>], rules: RuleSet) -> Judgement {
    if rules == RuleSet::None {
        return draw("repetition");
    }
    judge_sides(end, plies, rules).map_or(Judgement::NONE, |sides| verdict(&sides, rules))
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: SideInLoop =
        SideInLoop { checks: false, has_check: false, chases: Bitboard::EMPTY, attacks: false };
    const CHECKS: SideInLoop = SideInLoop { checks: true, has_check: true, attacks: true, ..QUIET };
    const CHASES: SideInLoop = SideInLoop { chases: Bitboard::FULL, attacks: true, ..QUIET };
    const MIXES: SideInLoop = SideInLoop { has_check: true, attacks: true, ..QUIET };

    fn judged(first: &SideInLoop, second: &SideInLoop) -> [Verdict; 5] {
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

    fn line_of(fen: &str, clock: u32, moves: &str) -> Line<Position> {
        let mut line = Line::new(Position::from_fen(fen).unwrap(), clock);
        moves.split_whitespace().for_each(|mv| line.push(Move::parse(mv).unwrap()));
        line
    }

    /// The length of the line from which on a draw in search depends on the moves.
    fn hangs_from(line: &Line<Position>) -> Option<usize> {
        let horizon = Horizon::Search { root: 0 };
        let Judgement { verdict, hangs_from, .. } = Position::judge(line, RuleSet::Asian, horizon);
        assert_eq!(verdict, Verdict::Draw);
        hangs_from
    }

    #[test]
    fn verdicts_tell_what_they_hang_on() {
        const ROOK: &str = "3k5/9/9/9/9/9/9/9/R8/4K4 w - - 0 1";
        const THERE_AND_BACK: &str = "a1a2 d9d8 a2a1 d8d9 ";
        let repeated = line_of(ROOK, 0, "a1b1 d9d8 b1b2 d8d9 b2b1 d9d8");
        assert_eq!(hangs_from(&repeated), Some(3));
        // The third occurrence is judged as at the board, from the first one on.
        let third = line_of(ROOK, 0, &format!("a1b1 d9d8 b1a1 d8d9 {THERE_AND_BACK}"));
        assert_eq!(hangs_from(&third), Some(1));
        let dead = line_of("3k5/9/9/9/9/9/9/9/9/4K4 w - - 0 1", 7, "e0e1");
        assert_eq!(hangs_from(&dead), None);
        // Near the limit at the root the stage tells; farther away the root's own clock matters.
        for (clock, expected) in [(119, None), (71, None), (70, Some(0)), (0, Some(0))] {
            let mut late = Line::new(Position::from_fen(ROOK).unwrap(), clock);
            while late.clock() < MOVE_LIMIT {
                let mut moves = crate::game::MoveList::new();
                late.position().legal_moves(&mut moves);
                let next = moves.iter().copied().find(|&mv| {
                    let mut after = late.clone();
                    after.push(mv);
                    !late.position().gives_check(mv) && after.earlier_occurrences().next().is_none()
                });
                late.push(next.unwrap());
            }
            assert_eq!(hangs_from(&late), expected, "{clock}");
        }
    }

    /// However moves, passes and their undoing alternate, the count kept is the count made.
    #[cfg(feature = "search")] // its `Heuristics` have passes
    #[test]
    fn checks_are_counted_as_the_line_changes() {
        let fen = "2bakab2/9/9/9/9/4C4/9/4R4/9/3K1A3 w - - 0 1";
        let mut most = 0;
        for (seed, clock) in [(1_u64, 0), (2, 40), (3, 69), (4, 70), (5, 71), (6, 90)] {
            let mut line = Line::new(Position::from_fen(fen).unwrap(), clock);
            let mut state = seed;
            let mut next = |below: usize| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(seed);
                (state >> 33) as usize % below
            };
            for _ in 0..600 {
                let mut moves = crate::game::MoveList::new();
                line.position().legal_moves(&mut moves);
                let is_pass = line.plies().last().is_some_and(|ply| ply.mv.is_none());
                match next(10) {
                    0 | 1 if is_pass => line.pop_null(),
                    0 | 1 => drop(line.pop()),
                    2 if !line.position().in_check() => line.push_null(),
                    _ if moves.is_empty() => drop(line.pop()),
                    _ => {
                        let mv = *moves
                            .iter()
                            .find(|mv| line.position().gives_check(**mv))
                            .filter(|_| next(4) != 0)
                            .unwrap_or(&moves[next(moves.len())]);
                        line.push(mv);
                    }
                }
                let counted = line.checks();
                assert_eq!(counted, Position::count_checks(&line), "{clock} {}", line.clock());
                most = most.max(counted.first);
            }
        }
        assert!(most > 1, "{most}");
    }

    #[test]
    fn checks_that_do_not_count_put_the_stage_off() {
        let fen = "4k4/R8/9/9/9/9/9/9/9/3K5 w - - 0 1";
        let cycle = "a8a9 e9e8 a9a8 e8e9 ";
        let stage = |clock, times: usize, rules| {
            Position::stage(&line_of(fen, clock, &cycle.repeat(times)), rules)
        };
        assert_eq!(stage(70, 0, RuleSet::Asian), 0);
        assert_eq!(stage(66, 1, RuleSet::Asian), 0);
        assert_ne!(stage(67, 1, RuleSet::Asian), 0);
        assert_eq!(stage(68, 0, RuleSet::None) + stage(90, 1, RuleSet::None), 0);
        // Ten checks count; of twenty, ten do not.
        assert_eq!(stage(50, 10, RuleSet::Chinese), 20);
        assert_eq!(stage(50, 10, RuleSet::Asian), (10 * 11 + 10) * 11);
        assert_ne!(stage(79, 1, RuleSet::Asian), stage(83, 0, RuleSet::Asian));
    }

    fn judged_in_search(fen: &str, moves: &str) -> Judgement {
        let horizon = Horizon::Search { root: 0 };
        Position::judge(&line_of(fen, 0, moves), RuleSet::Asian, horizon)
    }

    /// Red's rook checks at the first ranks of Black's king, or chases its cannon; the squares are those at the root.
    #[test]
    fn early_verdicts_say_what_they_rest_on() {
        const FEN: &str = "3aka3/4n4/9/9/9/9/2C6/9/6r2/3AK4 b - - 0 1";
        let chase = judged_in_search(FEN, "g1c1 c3g3 c1g1 g3c3");
        let check = judged_in_search(FEN, "g1g0 e0e1 g0g1 e1e0");
        assert_eq!(chase.verdict, Verdict::Loses(Side::Second));
        assert_eq!(check.verdict, Verdict::Loses(Side::Second));
        let cannon = Square::parse("c3").unwrap().index();
        assert_eq!(chase.early, Some(Grounds(1 << cannon)));
        let [chase, check] = [chase.early.unwrap(), check.early.unwrap()];
        assert_eq!(check, ALL_CHECK);
        assert!(chase.common(check).is_empty());
        // The piece is the same one wherever it has gone since the root.
        let later = judged_in_search(FEN, "g1g4 c3d3 g4g3 d3d4 g3g4 d4d3 g4g3 d3d4");
        assert!(later.early.is_none_or(|grounds| grounds == Grounds(1 << cannon)));
        // Both in turn are nobody's offence; nor is a draw early.
        let both = judged_in_search(FEN, "g1c1 c3g3 c1g1 g3c3 g1g0 e0e1 g0g1 e1e0");
        assert_eq!((both.verdict, both.early), (Verdict::Draw, None));
        // At the board nothing is judged before the third occurrence.
        let line = line_of(FEN, 0, "g1g0 e0e1 g0g1 e1e0");
        assert_eq!(Position::judge(&line, RuleSet::Asian, Horizon::Game), Judgement::NONE);
        let twice = line_of(FEN, 0, &"g1g0 e0e1 g0g1 e1e0 ".repeat(2));
        let last = Position::judge(&twice, RuleSet::Asian, Horizon::Search { root: 0 });
        assert_eq!((last.verdict, last.early), (Verdict::Loses(Side::Second), None));
    }
}
