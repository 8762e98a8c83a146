//! Verdicts on repetition and long games, against a suite of published loops.

use juzhong::game::{Adjudicate, Game, Horizon, Line, MoveList, Side, Symmetric, Verdict};
use juzhong::xiangqi::explain::{LoopReport, explain_limit, explain_loop};
use juzhong::xiangqi::repetition::chased;
use juzhong::xiangqi::{Move, Piece, Position, RuleSet, Setup, Square, can_stand};
use proptest::prelude::*;
use serde::Deserialize;

const GAME: Horizon = Horizon::Game;

#[derive(Deserialize)]
struct Case {
    fen: String,
    prefix: Vec<String>,
    cycle: Vec<String>,
    expected: String,
}

impl Case {
    fn verdict(&self) -> Verdict {
        match self.expected.as_str() {
            "red_loses" => Verdict::Loses(Side::First),
            "black_loses" => Verdict::Loses(Side::Second),
            "draw" => Verdict::Draw,
            other => panic!("unknown verdict {other}"),
        }
    }
}

/// The view of a loop.
#[derive(Debug, Clone, Copy)]
struct View {
    mirrored: bool,
    exchanged: bool,
}

const VIEWS: [View; 4] = [
    View { mirrored: false, exchanged: false },
    View { mirrored: true, exchanged: false },
    View { mirrored: false, exchanged: true },
    View { mirrored: true, exchanged: true },
];

impl View {
    fn square(self, square: Square) -> Square {
        let square = if self.mirrored { square.mirrored() } else { square };
        if self.exchanged { square.flipped() } else { square }
    }

    fn mv(self, text: &str) -> Move {
        let mv = Move::parse(text).unwrap();
        Move::new(self.square(mv.from()), self.square(mv.to()))
    }

    fn side(self, side: Side) -> Side {
        if self.exchanged { !side } else { side }
    }

    fn position(self, fen: &str) -> Position {
        let setup = Setup::from_fen(fen).unwrap();
        let mut seen = Setup::empty();
        seen.turn = self.side(setup.turn);
        for square in Square::all() {
            seen.board[self.square(square).index()] =
                setup.board[square.index()].map(|p| Piece::new(self.side(p.side()), p.role()));
        }
        Position::from_setup(&seen).unwrap()
    }

    fn verdict(self, verdict: Verdict) -> Verdict {
        match verdict {
            Verdict::Loses(side) => Verdict::Loses(self.side(side)),
            other => other,
        }
    }
}

fn suite() -> Vec<Case> {
    let text = include_str!("../../data/repetition_loops.jsonl");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn play(line: &mut Line<Position>, mv: Move) {
    assert!(line.position().is_legal(mv), "{mv} in {}", line.position().to_fen());
    line.push(mv);
}

fn case_line(case: &Case, view: View, entry: usize) -> Line<Position> {
    let mut line = Line::new(view.position(&case.fen), 0);
    for mv in case.prefix.iter().chain(&case.cycle[..entry]) {
        play(&mut line, view.mv(mv));
    }
    line
}

/// The moves of a cycle, from `entry` around to it.
fn around(case: &Case, view: View, entry: usize) -> impl Iterator<Item = Move> + '_ {
    case.cycle[entry..].iter().chain(&case.cycle[..entry]).map(move |mv| view.mv(mv))
}

/// Every loop of the suite, entered at each of its moves, as it stands, mirrored, and with the
/// colours exchanged: the third occurrence is judged, and so is the second in search if the loop
/// began after the root.
#[test]
fn suite_of_loops() {
    for (number, case) in suite().iter().enumerate() {
        for view in VIEWS {
            for entry in 0..case.cycle.len() {
                let expected = view.verdict(case.verdict());
                let place = format!("loop {number} from {entry}, {view:?}: {}", case.fen);
                let mut line = case_line(case, view, entry);
                let root = line.len();
                around(case, view, entry).for_each(|mv| play(&mut line, mv));
                let judge = |horizon| Position::judge(&line, RuleSet::Asian, horizon).verdict;
                assert_eq!(judge(Horizon::Search { root }), expected, "{place}");
                if line.earlier_occurrences().count() == 1 {
                    assert_eq!(judge(Horizon::Search { root: root + 1 }), Verdict::None, "{place}");
                    assert_eq!(judge(GAME), Verdict::None, "{place}");
                }
                around(case, view, entry).for_each(|mv| play(&mut line, mv));
                let judgement = Position::judge(&line, RuleSet::Asian, GAME);
                assert_eq!(judgement.verdict, expected, "{place}");
                assert!(judgement.reason.is_some(), "{place}");
                let report = explain_loop(&line, RuleSet::Asian).unwrap();
                assert!(report.is_due && report.judgement == judgement, "{place}");
            }
        }
    }
}

/// The line that plays `moves` over and over from `fen` until something is judged.
fn repeated(fen: &str, moves: &str, rules: RuleSet) -> (Verdict, Option<&'static str>, usize) {
    let mut line = Line::new(Position::from_fen(fen).unwrap(), 0);
    let cycle: Vec<Move> = moves.split(' ').map(|mv| Move::parse(mv).unwrap()).collect();
    for mv in cycle.iter().cycle().take(1_000) {
        play(&mut line, *mv);
        let judgement = Position::judge(&line, rules, GAME);
        if judgement.verdict != Verdict::None {
            return (judgement.verdict, judgement.reason, line.len());
        }
    }
    (Verdict::None, None, line.len())
}

#[test]
fn rule_sets_differ_where_they_should() {
    const RED: Verdict = Verdict::Loses(Side::First);
    const BLACK: Verdict = Verdict::Loses(Side::Second);
    const DRAW: Verdict = Verdict::Draw;
    // Under none, check, asian, computer, chinese.
    let table = [
        // Red checks on every move.
        ("4k4/R8/9/9/9/9/9/9/9/3K5 w", "a8a9 e9e8 a9a8 e8e9", [DRAW, RED, RED, RED, RED]),
        // Black's rook chases Red's, which is pinned.
        (
            "4ck3/9/9/9/9/2r1R4/9/9/4A4/3AK4 w",
            "e4e3 c4c3 e3e4 c3c4",
            [DRAW, DRAW, BLACK, BLACK, BLACK],
        ),
        // Red's rook chases a horse, which checks now and then.
        (
            "3akr3/n3a4/4b4/9/P1b6/9/1n7/4B4/3RA4/2BAK4 w",
            "d1d3 b3c1 d3d1 c1b3",
            [DRAW, DRAW, RED, DRAW, DRAW],
        ),
        // Nobody does anything.
        ("4k4/9/9/9/9/9/1r7/9/R8/3K5 w", "a1c1 b3a3 c1a1 a3b3", [DRAW; 5]),
    ];
    for (fen, moves, expected) in table {
        for (rules, expected) in RuleSet::ALL.into_iter().zip(expected) {
            let (verdict, reason, _) = repeated(fen, moves, rules);
            assert_eq!(verdict, expected, "{fen} under {rules}: {reason:?}");
        }
    }
}

#[test]
fn third_occurrence_decides_at_the_board() {
    let (_, _, plies) =
        repeated("4k4/R8/9/9/9/9/9/9/9/3K5 w", "a8a9 e9e8 a9a8 e8e9", RuleSet::Check);
    assert_eq!(plies, 8);
}

/// Plays on for `plies` plies without captures, checks and repetitions.
fn wander(line: &mut Line<Position>, plies: usize) {
    let end = line.len() + plies;
    let mut moves = MoveList::new();
    'plies: while line.len() < end {
        moves.clear();
        line.position().legal_moves(&mut moves);
        for &mv in &moves {
            let quiet = !line.position().is_irreversible(mv) && !line.position().gives_check(mv);
            line.push(mv);
            if quiet && line.earlier_occurrences().next().is_none() {
                continue 'plies;
            }
            line.pop();
        }
        panic!("no way on after {} plies", line.len());
    }
}

#[test]
fn sixty_moves_without_a_capture_draw() {
    for rules in RuleSet::ALL {
        let start = Position::from_fen("3k5/9/r8/9/9/9/9/R8/9/5K3 w").unwrap();
        let mut line = Line::new(start, 90);
        wander(&mut line, 29);
        assert_eq!(Position::judge(&line, rules, GAME).verdict, Verdict::None, "{rules}");
        wander(&mut line, 1);
        let expected = if rules == RuleSet::None { Verdict::None } else { Verdict::Draw };
        assert_eq!(Position::judge(&line, rules, GAME).verdict, expected, "{rules}");
    }
}

/// Twenty checks of one side, of which ten do not count.
#[test]
fn checks_beyond_ten_do_not_count() {
    let start = Position::from_fen("4k4/R8/9/9/9/9/9/9/8r/3K5 w").unwrap();
    let mut line = Line::new(start, 0);
    for mv in ["a8a9", "e9e8", "a9a8", "e8e9"].iter().cycle().take(40) {
        play(&mut line, Move::parse(mv).unwrap());
    }
    let mut limits = vec![None; RuleSet::ALL.len()];
    while line.clock() < 140 {
        wander(&mut line, 1);
        for (limit, rules) in limits.iter_mut().zip(RuleSet::ALL) {
            if Position::judge(&line, rules, GAME).verdict == Verdict::Draw {
                limit.get_or_insert(line.clock());
            }
        }
    }
    assert_eq!(limits, [None, Some(120), Some(130), Some(130), Some(120)]);
    let report = explain_limit(&line, RuleSet::Asian).unwrap();
    assert_eq!((report.plies, report.counted), (140, 130));
    assert_eq!((report.checks.first, report.checks.second), (20, 0));
    assert_eq!(explain_limit(&line, RuleSet::None), None);
}

#[test]
fn mate_comes_before_the_move_limit() {
    // The rook mates with the 120th ply.
    let mut line = Line::new(Position::from_fen("3k5/7R1/8R/9/9/9/9/9/9/4K4 w").unwrap(), 119);
    play(&mut line, Move::parse("i7i9").unwrap());
    assert!(line.position().outcome().is_some());
    assert_eq!(Position::judge(&line, RuleSet::Asian, GAME).verdict, Verdict::None);
}

#[test]
fn without_attackers_nobody_wins() {
    let verdict = |fen: &str| {
        let line = Line::new(Position::from_fen(fen).unwrap(), 0);
        Position::judge(&line, RuleSet::Asian, GAME).verdict
    };
    assert_eq!(verdict("3k1ab2/9/9/9/9/9/9/9/4A4/4K1B2 w"), Verdict::Draw);
    assert_eq!(verdict("3k1ab2/9/9/9/9/8P/9/9/4A4/4K1B2 w"), Verdict::None);
    // A cannon with nothing to shoot over.
    assert_eq!(verdict("3k2b2/9/4b4/9/9/2B6/8C/9/9/4K1B2 w"), Verdict::Draw);
    assert_eq!(verdict("3k1ab2/9/4b4/9/9/9/8C/9/9/4K4 w"), Verdict::Draw);
    assert_eq!(verdict("3k1a3/9/9/9/9/9/8C/9/9/4K1B2 w"), Verdict::None);
    assert_eq!(verdict("3k1a3/4a4/9/9/9/9/8C/9/9/4K4 w"), Verdict::None);
    assert_eq!(verdict("3k5/9/9/9/9/9/8C/9/9/4KA3 w"), Verdict::None);
    assert_eq!(verdict("3k5/9/9/9/2c6/9/8C/9/9/4K4 b"), Verdict::Draw);
    assert_eq!(verdict("3k5/9/9/9/2c6/9/8C/9/9/4K1B2 w"), Verdict::None);
    assert_eq!(verdict("3k5/9/9/9/2C6/9/8C/9/9/4K4 w"), Verdict::None);
}

/// Dead material is that of the sets whose tables hold no win; the lists are in the sets' names.
#[cfg(feature = "cli")]
#[test]
#[ignore = "cargo test --release --test it rules::repetition -- --ignored (a minute)"]
fn dead_material_is_what_tables_hold_no_win_of() {
    use crate::support::program::{json, ok};
    let dead = ["KAABBvKAABB", "KCBBvKBB", "KCvKABB", "KCvKC"];
    let alive = ["KCvKAA", "KCBvKA", "KCBvKC", "KCAvK", "KCCvK", "KPvK", "KNvK", "KRvK"];
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().to_str().unwrap();
    for set in dead.into_iter().chain(alive) {
        ok(&["tablebase", "generate", set, "--dir", dir]);
    }
    for file in std::fs::read_dir(&folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let Some((set, _)) = name.split_once(".check.dtm.jzt") else { continue };
        let stats = json(&["tablebase", "stats", set, "--dir", dir]);
        let decided = |side: &str| stats[side]["win"] != 0 || stats[side]["loss"] != 0;
        let is_decided = decided("red") || decided("black");
        assert_eq!(of_set(set).is_dead(), !is_decided, "{set}: {stats}");
    }
}

/// Some position with the men of a set.
#[cfg(feature = "cli")]
fn of_set(set: &str) -> Position {
    let mut setup = Setup::empty();
    for (letters, side) in set.split('v').zip(Side::ALL) {
        for letter in letters.chars() {
            let letter = if side == Side::First { letter } else { letter.to_ascii_lowercase() };
            let piece = Piece::from_letter(letter).unwrap();
            let is_free = |square: &Square| setup.board[square.index()].is_none();
            let square = Square::all().filter(is_free).find(|&square| can_stand(piece, square));
            setup.board[square.unwrap().index()] = Some(piece);
        }
    }
    Position::from_setup_unchecked(&setup)
}

/// A quiet move of each side and both taken back, if all that is legal.
fn there_and_back(start: &Position, choices: [u16; 2]) -> Option<[Move; 4]> {
    let mut position = start.clone();
    let mut moves = MoveList::new();
    let mut there = Vec::new();
    for choice in choices {
        moves.clear();
        position.legal_moves(&mut moves);
        moves.retain(|mv| !position.is_irreversible(*mv));
        there.push(*moves.get(usize::from(choice) % moves.len().max(1))?);
        position.make(there[there.len() - 1]);
    }
    let back: Vec<Move> = there.iter().map(|mv| Move::new(mv.to(), mv.from())).collect();
    for &mv in &back {
        if !position.is_legal(mv) {
            return None;
        }
        position.make(mv);
    }
    Some([there[0], there[1], back[0], back[1]])
}

/// The verdict on a cycle entered at one of its moves, translated back from the view.
fn judged_loop(
    start: &Position,
    cycle: &[Move],
    rules: RuleSet,
    view: View,
    entry: usize,
) -> (Verdict, Option<&'static str>) {
    let see = |mv: &Move| Move::new(view.square(mv.from()), view.square(mv.to()));
    let cycle: Vec<Move> = cycle.iter().map(see).collect();
    let mut position = view.position(&start.to_fen());
    for &mv in &cycle[..entry] {
        position.make(mv);
    }
    let mut line = Line::new(position, 0);
    cycle[entry..].iter().chain(&cycle[..entry]).for_each(|&mv| line.push(mv));
    let judgement = Position::judge(&line, rules, Horizon::Search { root: 0 });
    (view.verdict(judgement.verdict), judgement.reason)
}

/// The kings and up to eight men where they may stand.
fn ending(men: &[(usize, u8)]) -> Option<Position> {
    let mut setup = Setup::empty();
    for &(piece, square) in men {
        let (piece, square) = (Piece::ALL[piece], Square::new(square)?);
        if can_stand(piece, square) {
            setup.board[square.index()] = Some(piece);
        }
    }
    for (king, home) in [(Piece::RedKing, Square::at(4, 0)), (Piece::BlackKing, Square::at(3, 9))] {
        if !setup.board.contains(&Some(king)) {
            setup.board[home.index()] = Some(king);
        }
    }
    Position::from_setup(&setup).ok()
}

/// Moves of both sides, `turns` each, that lead back to `start` without a capture or a position
/// twice: each side keeps a stack of moves to take back, one by one, or two of one man by one move.
fn walk_and_back(start: &Position, choices: &[u16], turns: usize) -> Option<Vec<Move>> {
    let mut position = start.clone();
    let mut stacks = [Vec::<Move>::new(), Vec::new()];
    let mut cycle = Vec::new();
    let mut seen = Vec::new();
    for ply in 0..2 * turns {
        let choice = usize::from(choices[ply % choices.len()]);
        let left = turns - ply / 2;
        let stack = &mut stacks[ply % 2];
        let mv = if stack.len() >= left || choice % 3 == 0 && !stack.is_empty() {
            let last = stack.pop()?;
            let short = stack.last().copied().filter(|before| before.to() == last.from());
            let short = short.map(|before| Move::new(last.to(), before.from()));
            match short.filter(|&mv| choice % 2 == 0 && position.is_legal(mv)) {
                Some(mv) => {
                    stack.pop();
                    mv
                }
                None => Move::new(last.to(), last.from()),
            }
        } else {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            moves.retain(|mv| !position.is_irreversible(*mv));
            let mv = *moves.get(choice / 3 % moves.len().max(1))?;
            stack.push(mv);
            mv
        };
        if !position.is_legal(mv) || position.is_irreversible(mv) || seen.contains(&position.key())
        {
            return None;
        }
        seen.push(position.key());
        position.make(mv);
        cycle.push(mv);
    }
    (position == *start).then_some(cycle)
}

/// The men that every move of `side` chases, by their squares at the end, followed from the start
/// through the moves of a report.
fn always_chased(start: &Position, report: &LoopReport, side: Side) -> Vec<Square> {
    let mut places: Vec<Square> = start.side(!side).into_iter().collect();
    let mut always = vec![true; places.len()];
    for report_of_move in &report.moves {
        if report_of_move.side == side {
            for (place, always) in places.iter().zip(&mut always) {
                *always &= report_of_move.chases.iter().any(|chase| chase.at == *place);
            }
        } else {
            let moved = places.iter_mut().find(|place| **place == report_of_move.mv.from());
            *moved.unwrap() = report_of_move.mv.to();
        }
    }
    let mut squares: Vec<Square> = places
        .into_iter()
        .zip(always)
        .filter_map(|(place, always)| always.then_some(place))
        .collect();
    squares.sort_unstable();
    squares
}

/// The explanation of a cycle agrees with its verdict, and its summary with its moves.
fn check_explanation(
    start: &Position,
    cycle: &[Move],
    rules: RuleSet,
    expected: (Verdict, Option<&'static str>),
) {
    let mut line = Line::new(start.clone(), 0);
    cycle.iter().for_each(|&mv| line.push(mv));
    let report = explain_loop(&line, rules).unwrap();
    assert_eq!(report.start, 0);
    assert_eq!((report.judgement.verdict, report.judgement.reason), expected);
    assert!(!report.is_due && report.occurrences == 2);
    assert!(report.moves.iter().map(|report_of_move| report_of_move.mv).eq(cycle.iter().copied()));
    for side in Side::ALL {
        let all_check = report
            .moves
            .iter()
            .filter(|report_of_move| report_of_move.side == side)
            .all(|report_of_move| !report_of_move.checkers.is_empty());
        let side_report = &report.sides[side];
        assert_eq!(side_report.checks, all_check);
        let chased: Vec<Square> = side_report.chases.iter().map(|&(_, at)| at).collect();
        assert_eq!(chased, always_chased(start, &report, side), "{cycle:?} in {}", start.to_fen());
        for chase in report.moves.iter().flat_map(|report_of_move| &report_of_move.chases) {
            assert!(!chase.by.is_empty(), "{cycle:?} in {}", start.to_fen());
        }
    }
}

proptest! {
    /// Taking back moves restores everything, and keys before moves are those positions' keys.
    #[test]
    fn pop_is_the_inverse_of_push(choices in prop::collection::vec(any::<u16>(), 0..120)) {
        let mut line = Line::new(Position::from_fen(juzhong::xiangqi::START_FEN).unwrap(), 7);
        let mut seen = vec![(line.position().clone(), line.clock(), line.reversible())];
        let mut moves = MoveList::new();
        for choice in choices {
            moves.clear();
            line.position().legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            line.push(moves[usize::from(choice) % moves.len()]);
            let before = &seen[line.len() - 1].0;
            prop_assert_eq!(line.plies()[line.len() - 1].key_before, before.key());
            seen.push((line.position().clone(), line.clock(), line.reversible()));
        }
        while let Some((position, clock, reversible)) = seen.pop() {
            prop_assert_eq!(line.position(), &position);
            prop_assert_eq!((line.clock(), line.reversible()), (clock, reversible));
            prop_assert_eq!(line.len(), seen.len());
            prop_assert_eq!(line.pop(), !seen.is_empty());
        }
    }

    /// Two moves there and back: judged alike wherever the loop is entered, and in every view.
    #[test]
    fn loops_are_judged_alike_from_everywhere(
        number in any::<prop::sample::Index>(), first in any::<u16>(), second in any::<u16>(),
    ) {
        let suite = suite();
        let start = Position::from_fen(&suite[number.index(suite.len())].fen).unwrap();
        let Some(cycle) = there_and_back(&start, [first, second]) else { return Ok(()) };
        for rules in RuleSet::ALL {
            let judged = |view, entry| judged_loop(&start, &cycle, rules, view, entry);
            let expected = judged(VIEWS[0], 0);
            prop_assert_ne!(expected.0, Verdict::None);
            for view in VIEWS {
                for entry in 0..cycle.len() {
                    prop_assert_eq!(judged(view, entry), expected, "{:?} in {}", cycle, start.to_fen());
                }
            }
        }
    }

    /// Random endings in which both sides walk somewhere and back: judged alike wherever the loop is
    /// entered and in every view; and the explanation says what the verdict says.
    #[test]
    fn random_loops_are_judged_alike_from_everywhere(
        men in prop::collection::vec((0..Piece::COUNT, 0..90_u8), 2..9),
        choices in prop::collection::vec(any::<u16>(), 18),
        turns in 2..=5_usize,
    ) {
        let Some(start) = ending(&men) else { return Ok(()) };
        let Some(cycle) = walk_and_back(&start, &choices, turns) else { return Ok(()) };
        for rules in RuleSet::ALL {
            let expected = judged_loop(&start, &cycle, rules, VIEWS[0], 0);
            prop_assert_ne!(expected.0, Verdict::None);
            for view in VIEWS {
                for entry in 0..cycle.len() {
                    let judged = judged_loop(&start, &cycle, rules, view, entry);
                    prop_assert_eq!(judged, expected, "{:?} {:?} in {}", view, cycle, start.to_fen());
                }
            }
            check_explanation(&start, &cycle, rules, expected);
        }
    }

    /// The men that a move chases mirror with the position, and are of the other side.
    #[test]
    fn chases_mirror(choices in prop::collection::vec(any::<u16>(), 0..80)) {
        let mut position = Position::from_fen(juzhong::xiangqi::START_FEN).unwrap();
        let mut moves = MoveList::new();
        for choice in choices {
            moves.clear();
            position.legal_moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let mv = moves[usize::from(choice) % moves.len()];
            let victims = chased(&position, mv);
            let mirror = VIEWS[1].position(&position.to_fen());
            prop_assert_eq!(mirror.key(), position.symmetric_key(1, None));
            let mirrored: juzhong::xiangqi::Bitboard =
                victims.into_iter().map(Square::mirrored).collect();
            prop_assert_eq!(chased(&mirror, mv.mirrored()), mirrored);
            prop_assert!((victims - position.side(!position.turn())).is_empty());
            position.make(mv);
        }
    }
}
