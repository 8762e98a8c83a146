//! Gomoku against exact counts and values of small boards, found by enumerating them through the
//! contract alone, and against its own definitions by property tests.

use std::collections::{HashMap, HashSet};

use juzhong::game::{Game, MoveList, Notation, Outcome, Packed, Side, Symmetric, perft};
use juzhong::gomoku::{Board, DiagramStyle, Forbidden, LinePattern, Point, Threat, Variant};
use juzhong::hash::{Key, gomoku};
use proptest::prelude::*;
use proptest::sample::Index;

/// The counts of the enumeration of a small board.
#[derive(Debug, Default, PartialEq, Eq)]
struct Census {
    positions: usize,
    classes: usize,
    won_by_first: usize,
    won_by_second: usize,
    full: usize,
}

/// All positions that play can reach, by key.
fn census(start: &Board) -> Census {
    let mut seen = HashSet::from([start.key()]);
    let mut classes = HashSet::from([start.canonical().key]);
    let mut census = Census::default();
    let mut open = vec![start.clone()];
    while let Some(mut position) = open.pop() {
        match position.outcome() {
            Some(Outcome::Win(Side::First)) => census.won_by_first += 1,
            Some(Outcome::Win(Side::Second)) => census.won_by_second += 1,
            Some(Outcome::Draw) => census.full += 1,
            None => {}
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        for mv in moves {
            let undo = position.make(mv);
            if seen.insert(position.key()) {
                classes.insert(position.canonical().key);
                open.push(position.clone());
            }
            position.unmake(mv, undo);
        }
    }
    Census { positions: seen.len(), classes: classes.len(), ..census }
}

/// The value for the side to move: 1, 0 or -1; counted by value in `values`.
fn solve(position: &mut Board, values: &mut HashMap<Key, i8>) -> i8 {
    if let Some(&value) = values.get(&position.key()) {
        return value;
    }
    let value = match position.outcome() {
        Some(Outcome::Draw) => 0,
        Some(Outcome::Win(side)) if side == position.turn() => 1,
        Some(Outcome::Win(_)) => -1,
        None => {
            let mut moves = MoveList::new();
            position.legal_moves(&mut moves);
            let mut best = -1;
            for mv in moves {
                let undo = position.make(mv);
                best = best.max(-solve(position, values));
                position.unmake(mv, undo);
            }
            best
        }
    };
    values.insert(position.key(), value);
    value
}

/// The value of the start for the first player, and the positions that their mover wins, loses and
/// draws.
fn solution(width: u8, height: u8, row: u8) -> (i8, [usize; 3]) {
    let mut values = HashMap::new();
    let value = solve(&mut board(width, height, row), &mut values);
    let count = |wanted| values.values().filter(|&&v| v == wanted).count();
    (value, [count(1), count(-1), count(0)])
}

fn board(width: u8, height: u8, row: u8) -> Board {
    Board::new(width, height, row).expect("a possible geometry")
}

fn counts(positions: usize, classes: usize, [first, second, full]: [usize; 3]) -> Census {
    Census { positions, classes, won_by_first: first, won_by_second: second, full }
}

#[test]
fn small_boards_have_the_known_numbers_of_positions() {
    assert_eq!(census(&board(3, 3, 3)), counts(5_478, 765, [626, 316, 16]));
    assert_eq!(census(&board(3, 3, 2)), counts(1_234, 186, [548, 312, 0]));
    assert_eq!(census(&board(4, 3, 3)), counts(111_973, 28_275, [20_312, 12_070, 28]));
    assert_eq!(census(&board(3, 4, 3)), counts(111_973, 28_275, [20_312, 12_070, 28]));
    assert_eq!(census(&board(4, 3, 4)), counts(142_231, 35_957, [1_416, 684, 792]));
}

#[test]
fn small_boards_have_the_known_values() {
    assert_eq!(solution(3, 3, 3), (0, [2_836, 1_574, 1_068]));
    assert_eq!(solution(3, 3, 2), (1, [365, 869, 0]));
    assert_eq!(solution(4, 3, 3), (1, [64_738, 44_175, 3_060]));
    assert_eq!(solution(4, 3, 4), (0, [8_400, 2_100, 131_731]));
}

#[test]
#[ignore = "a minute: cargo test --release --test it rules::gomoku -- --ignored"]
fn four_by_four_has_the_known_numbers() {
    let expected = counts(6_036_001, 756_387, [1_522_416, 1_050_026, 18]);
    assert_eq!(census(&board(4, 4, 3)), expected);
    assert_eq!(solution(4, 4, 3), (1, [3_199_406, 2_835_273, 1_322]));
}

/// Sequences of moves: all arrangements as long as no row is possible, then those that play allows.
#[test]
fn perft_counts_sequences_of_moves() {
    let tic_tac_toe = [1, 9, 72, 504, 3_024, 15_120, 54_720, 148_176, 200_448, 127_872];
    for (depth, nodes) in (0..).zip(tic_tac_toe) {
        assert_eq!(perft(&mut board(3, 3, 3), depth), nodes, "depth {depth}");
    }
    assert_eq!(perft(&mut board(3, 3, 3), 10), 0);
    assert_eq!(perft(&mut Board::start(), 3), 225 * 224 * 223);
    assert_eq!(perft(&mut board(20, 20, 6), 2), 400 * 399);
    assert_eq!(perft(&mut board(1, 1, 1), 1), 1);
    assert_eq!(perft(&mut board(1, 1, 1), 2), 0);
}

/// A board and a game on it, played up to a row, a full board or the end of the choices. Five in a row is as likely as
/// all other lengths together.
fn games() -> impl Strategy<Value = (Board, Vec<Point>)> {
    let size = prop_oneof![1..=9_u8, Just(15), Just(20)];
    let choices = prop::collection::vec(any::<Index>(), 0..120);
    let variant = prop::sample::select(Variant::ALL.to_vec());
    let rules = (any::<Index>(), any::<bool>(), variant);
    (size.clone(), size, rules, choices).prop_map(
        |(width, height, (row, five, variant), choices)| {
            let longest = width.max(height);
            let row = 1 + row.index(usize::from(longest)) as u8;
            let row = if five && longest >= 5 { 5 } else { row };
            let start = Board::with_variant(width, height, row, variant).unwrap();
            let mut position = start.clone();
            let mut game = Vec::new();
            for choice in choices {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                // Prefer points next to each other, so that shapes and rows occur.
                moves.sort_by_key(|mv| position_order(*mv));
                let mv = moves[choice.index(moves.len().min(30))];
                position.make(mv);
                game.push(mv);
            }
            (start, game)
        },
    )
}

fn position_order(point: Point) -> u8 {
    point.column().max(point.row())
}

fn played(start: &Board, game: &[Point]) -> Board {
    let mut position = start.clone();
    for &mv in game {
        assert!(position.is_legal(mv));
        position.make(mv);
    }
    position
}

/// Everything that a board says about itself.
fn portrait(board: &Board) -> (String, Key, Vec<(i32, i32)>, String) {
    let values = board
        .empty_points()
        .map(|point| (board.point_value(point), board.urgency(point) as i32))
        .collect();
    let patterns: Vec<_> = board
        .empty_points()
        .map(|point| {
            Side::ALL.map(|side| (board.line_patterns(side, point), board.threat(side, point)))
        })
        .collect();
    let threats = format!(
        "{patterns:?} {:?} {:?} {:?}",
        board.counts(Side::First),
        board.counts(Side::Second),
        board.outcome()
    );
    (board.to_fen(), board.key(), values, threats)
}

/// Length of the row of `side` through `point`, a stone there imagined, along a direction.
fn run_through(board: &Board, side: Side, point: Point, (columns, rows): (i32, i32)) -> usize {
    let own = |steps: i32| {
        let column = i32::from(point.column()) + steps * columns;
        let row = i32::from(point.row()) + steps * rows;
        let at = u8::try_from(column).ok().zip(u8::try_from(row).ok());
        let at = at.and_then(|(column, row)| Point::new(column, row));
        at.is_some_and(|at| board.stone(at) == Some(side))
    };
    1 + (1..).take_while(|&steps| own(steps)).count()
        + (1..).take_while(|&steps| own(-steps)).count()
}

const DIRECTIONS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

/// Returns true if a row of this length wins for `side`.
fn wins(board: &Board, side: Side, run: usize) -> bool {
    let row = usize::from(board.row());
    run == row || run > row && !board.variant().is_exact(side)
}

/// The number of points that complete a row through `point` along a direction once the side to move has a stone there.
fn completions(board: &Board, point: Point, direction: (i32, i32)) -> usize {
    let side = board.turn();
    let after = board.play(point).unwrap();
    let completes = |&next: &Point| {
        let run = run_through(&after, side, next, direction);
        wins(board, side, run) && run != run_through(board, side, next, direction)
    };
    after.empty_points().filter(completes).count()
}

/// Returns true if `side` has a row, by walking from every stone.
fn has_row(board: &Board, side: Side) -> bool {
    let own = |column: i32, row: i32| {
        let point = u8::try_from(column).ok().zip(u8::try_from(row).ok());
        let point = point.and_then(|(column, row)| Point::new(column, row));
        point.is_some_and(|point| board.stone(point) == Some(side))
    };
    board.points().any(|point| {
        let (column, row) = (i32::from(point.column()), i32::from(point.row()));
        [(1, 0), (0, 1), (1, 1), (1, -1)].into_iter().any(|(right, up)| {
            own(column, row) && {
                let ahead = (0..).take_while(|i| own(column + i * right, row + i * up)).count();
                let behind = (1..).take_while(|i| own(column - i * right, row - i * up)).count();
                wins(board, side, ahead + behind)
            }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, ..ProptestConfig::default() })]

    #[test]
    fn moves_are_taken_back_exactly((start, game) in games()) {
        let mut position = start;
        let mut past = Vec::new();
        for &mv in &game {
            let before = portrait(&position);
            past.push((mv, before, position.make(mv)));
        }
        for (mv, before, undo) in past.into_iter().rev() {
            position.unmake(mv, undo);
            prop_assert_eq!(portrait(&position), before);
        }
    }

    #[test]
    fn a_board_built_from_its_text_is_the_same((start, game) in games()) {
        let position = played(&start, &game);
        let read = Board::from_fen(&position.to_fen()).unwrap();
        prop_assert_eq!(&read, &position);
        prop_assert_eq!(portrait(&read), portrait(&position));
    }

    #[test]
    fn a_row_is_found_through_the_last_stone((start, game) in games()) {
        let position = played(&start, &game);
        let winner = Side::ALL.into_iter().find(|&side| has_row(&position, side));
        prop_assert_eq!(position.winner(), winner);
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        prop_assert_eq!(position.outcome().is_some(), winner.is_some() || moves.is_empty());
        prop_assert_eq!(position.count_legal_moves(), moves.len() as u64);
        for side in Side::ALL {
            let completing = position.empty_points().filter(|&p| position.completes_row(side, p));
            let fives = usize::try_from(position.counts(side).of(Threat::Five)).unwrap();
            prop_assert_eq!(completing.count(), fives);
        }
    }

    #[test]
    fn patterns_say_how_rows_are_completed((start, game) in games()) {
        let position = played(&start, &game);
        let side = position.turn();
        if position.area() > 81 || position.winner().is_some() {
            return Ok(());
        }
        for point in position.empty_points().filter(|&point| position.is_legal(point)) {
            let patterns = position.line_patterns(side, point);
            for (pattern, direction) in patterns.into_iter().zip(DIRECTIONS) {
                let run = run_through(&position, side, point, direction);
                let is_five = wins(&position, side, run);
                prop_assert_eq!(pattern == LinePattern::Five, is_five, "{} {:?}", point, position);
                let is_overline = !is_five && run > usize::from(position.row());
                prop_assert_eq!(pattern == LinePattern::Overline, is_overline);
                if patterns.contains(&LinePattern::Five) || is_overline {
                    continue;
                }
                let fours = match completions(&position, point, direction) {
                    0 => !matches!(pattern, LinePattern::Four | LinePattern::TwoFours | LinePattern::OpenFour),
                    1 => pattern == LinePattern::Four,
                    _ => matches!(pattern, LinePattern::TwoFours | LinePattern::OpenFour),
                };
                prop_assert!(fours, "{point} {pattern:?} {position:?}");
            }
        }
    }

    #[test]
    fn the_key_follows_from_the_stones((start, game) in games()) {
        let position = played(&start, &game);
        let keys = &gomoku::KEYS;
        let mut key = keys.geometry[0][usize::from(position.width())]
            ^ keys.geometry[1][usize::from(position.height())]
            ^ keys.geometry[2][usize::from(position.row())]
            ^ match position.variant() {
                Variant::Freestyle => 0,
                Variant::Standard => keys.geometry[2][0],
                Variant::Renju => keys.geometry[1][0],
            };
        if position.turn() == Side::Second {
            key ^= keys.second_to_move;
        }
        for point in position.points() {
            if let Some(side) = position.stone(point) {
                key ^= keys.stones[side.index()][point.index()];
            }
        }
        prop_assert_eq!(position.key(), Key(key));
        let table = gomoku::draw();
        for symmetry in 0..position.symmetries() {
            prop_assert_eq!(
                position.symmetric_key(symmetry, Some(&table)),
                position.symmetric_key(symmetry, None)
            );
        }
    }

    #[test]
    fn symmetries_are_exact_and_keep_the_canonical_key((start, game) in games()) {
        let position = played(&start, &game);
        let square = position.width() == position.height();
        prop_assert_eq!(position.symmetries(), if square { 8 } else { 4 });
        let canonical = position.canonical();
        for symmetry in 0..position.symmetries() {
            for point in position.points() {
                let image = position.map_move(point, symmetry);
                prop_assert!(position.contains(image));
                prop_assert_eq!(position.unmap_move(image, symmetry), point);
            }
            let images: Vec<Point> =
                game.iter().map(|&mv| position.map_move(mv, symmetry)).collect();
            let image = played(&start, &images);
            prop_assert_eq!(image.key(), position.symmetric_key(symmetry, None));
            prop_assert_eq!(image.canonical().key, canonical.key);
            prop_assert_eq!(image.outcome(), position.outcome());
            for point in position.empty_points() {
                prop_assert_eq!(
                    image.point_value(position.map_move(point, symmetry)),
                    position.point_value(point)
                );
                let mv = position.canonical_move(canonical, point);
                let other = image.canonical_move(
                    image.canonical(),
                    position.map_move(point, symmetry)
                );
                prop_assert_eq!(mv, other, "one move of the book for every image");
            }
        }
    }

    #[test]
    fn texts_never_panic(text in "[ -~]{0,60}", rows in "[xo0-9/]{0,30} [xo] [0-9]{1,2}") {
        for text in [text, rows] {
            if let Ok(board) = Board::from_fen(&text) {
                prop_assert_eq!(Board::from_fen(&board.to_fen()), Ok(board));
            }
        }
    }
}

/// A renju position with these stones, Black to move.
fn renju(black: &str, white: &str) -> Board {
    let point = |text: &str| Point::parse(text).unwrap();
    let (black, white): (Vec<_>, Vec<_>) = (
        black.split_whitespace().map(point).collect(),
        white.split_whitespace().map(point).collect(),
    );
    let mut rows = Vec::new();
    for row in (0..15).rev() {
        let cells = (0..15).map(|column| {
            let at = Point::new(column, row).unwrap();
            if black.contains(&at) {
                "x"
            } else if white.contains(&at) {
                "o"
            } else {
                "1"
            }
        });
        rows.push(cells.collect::<Vec<_>>().concat());
    }
    // Numbers of one digit only, so that neighbouring empty points stay apart.
    let rows = rows.iter().map(|row| squeezed(row)).collect::<Vec<_>>().join("/");
    Board::from_fen(&format!("{rows} x 5 renju")).unwrap()
}

/// Runs of `1` as one number.
fn squeezed(row: &str) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for letter in row.chars().chain(['/']) {
        if letter == '1' {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
            empty = 0;
        }
        text.push(letter);
    }
    text.trim_end_matches('/').to_owned()
}

#[test]
fn black_is_forbidden_what_renju_forbids() {
    use Forbidden::{DoubleFour, DoubleThree, Overline};
    let scattered = "a1 a3 a5 a7 a9 a11 a13 a15 c1 e1 g1 i1 k1 m1 o1";
    for (black, white, point, expected) in [
        // Two open threes that cross, and the same with one end closed.
        ("h9 h10 i8 j8", 4, "h8", Some(DoubleThree)),
        ("h9 h10 i8 j8 ", 4, "g8", None),
        // Fours on two lines; on one line, in both forms.
        ("h9 h10 h11 i8 j8 k8", 6, "h8", Some(DoubleFour)),
        ("d8 f8 g8 j8 l8", 5, "h8", Some(DoubleFour)),
        ("d8 f8 g8 h8 j8 ", 5, "k8", None),
        ("d8 g8 h8 k8 f8", 5, "c8", None),
        ("e8 g8 h8 k8", 4, "i8", Some(DoubleFour)),
        // Six.
        ("e8 f8 g8 i8 j8", 5, "h8", Some(Overline)),
        // A five is never forbidden.
        ("e8 f8 g8 i8 h9 h10 i9 j10", 8, "h8", None),
        // Four and three.
        ("h9 h10 h11 i8 j8", 5, "h8", None),
        // One three only.
        ("h9 h10 i8", 3, "h8", None),
    ] {
        let others: Vec<_> = scattered.split(' ').take(white).collect();
        let board = renju(black, &others.join(" "));
        let point = Point::parse(point).unwrap();
        assert_eq!(board.forbidden(point), expected, "{black}: {point}");
        assert_eq!(board.is_legal(point), expected.is_none());
        let mut moves = MoveList::new();
        board.legal_moves(&mut moves);
        assert_eq!(moves.contains(&point), expected.is_none());
    }
}

/// A three whose only way to an open four is forbidden is none.
#[test]
fn threes_that_lead_to_forbidden_points_do_not_count() {
    // h8 makes threes along row 8 and column h. The three of column h can become an open four on h11 alone, for h6
    // is White's, and there it would make an overline along row 11.
    let black = "i8 j8 h9 h10 d11 e11 f11 g11 i11";
    let board = renju(black, "h6 a1 a3 a5 a7 a9 a13 a15 o1");
    let h8 = Point::parse("h8").unwrap();
    assert_eq!(board.forbidden(Point::parse("h11").unwrap()), Some(Forbidden::Overline));
    assert_eq!(board.forbidden(h8), None);
    // Without the row above, it is a double three.
    let board = renju("i8 j8 h9 h10", "h6 a1 a3 o1");
    assert_eq!(board.forbidden(h8), Some(Forbidden::DoubleThree));
}

/// A three whose only way to an open four is a five is none: by the rules of the Renju International Federation it
/// must become a straight four without a five at the same time.
#[test]
fn threes_that_become_fives_do_not_count() {
    // As above, but h11 completes a row along row 11.
    let row = "d11 e11 f11 g11";
    let black = format!("i8 j8 h9 h10 {row}");
    let board = renju(&black, "h6 a1 a3 a5 a7 a9 a13 o1");
    let point = |text: &str| Point::parse(text).unwrap();
    assert!(board.completes_row(Side::First, point("h11")));
    assert_eq!(board.forbidden(point("h8")), None);
    let fen = "15/15/x14/1x13/2x2x9/2x1x10/4xx9/15/12o1o/15/12o1o/15/12o1o/15/12o1o x 5 renju";
    assert_eq!(Board::from_fen(fen).unwrap().forbidden(point("f10")), None);
}

#[test]
fn exact_rows_and_renju_count_rows_differently() {
    let six = "15/15/15/15/15/15/15/4xxx1xx5/15/15/15/15/15/2o1o1o1o1o4/15 x 5";
    let h8 = Point::parse("h8").unwrap();
    for (variant, wins) in [("", true), (" standard", false), (" renju", false)] {
        let board = Board::from_fen(&format!("{six}{variant}")).unwrap();
        assert_eq!(board.completes_row(Side::First, h8), wins, "{variant}");
        assert_eq!(board.to_fen(), format!("{six}{variant}"));
    }
    // White wins by six in renju.
    let white = six.replace('x', "q").replace('o', "x").replace('q', "o").replace(" o 5", " x 5");
    for (variant, wins) in [("", true), (" standard", false), (" renju", true)] {
        let board = Board::from_fen(&format!("{white}{variant}")).unwrap();
        assert_eq!(board.completes_row(Side::Second, h8), wins, "{variant}");
    }
    assert!(Board::from_fen(&format!("{six} gomoku")).unwrap_err().to_string().contains("variant"));
}

#[test]
fn packed_moves_survive() {
    for bits in 0..=u16::MAX {
        assert!(Point::unpack(bits).is_none_or(|point| point.pack() == bits));
    }
    let h8 = Board::parse_move("h8").unwrap();
    assert_eq!(Board::move_text(h8), "h8");
    assert_eq!(Board::parse_move("H8"), Some(h8));
    for text in ["", "h", "8", "h0", "h21", "u1", "hh", "h8x", "é8", "h-1", "h+1"] {
        assert_eq!(Board::parse_move(text), None, "{text}");
    }
}

#[test]
fn boards_of_impossible_geometry_are_refused() {
    for (width, height, row) in [(0, 3, 1), (3, 0, 1), (21, 3, 3), (3, 21, 3), (3, 3, 0), (3, 3, 4)]
    {
        assert!(Board::new(width, height, row).is_err(), "{width}x{height}, {row}");
    }
    assert!(Board::new(20, 1, 20).is_ok());
    let error = Board::new(3, 3, 5).unwrap_err();
    assert_eq!(error.to_string(), "5 in a row does not fit a 3x3 board; the row must have 1 to 3");
}

#[test]
fn bad_texts_say_what_is_wrong() {
    let long = "x".repeat(5_000);
    for (text, message) in [
        ("", "empty position"),
        ("3/3/3", "5 in a row does not fit"),
        ("3/2/3 x 3", "row 2 covers 2 points, not 3"),
        ("3/1z1/3 x 3", "row 2 has 'z'"),
        ("3/3/3 q 3", "side to move is \"q\""),
        ("3/3/3 x three", "row length is \"three\""),
        ("3/3/3 x 3 0", "no variant of gomoku is called \"0\""),
        ("3/3/3 x 3 renju 0", "nothing may follow"),
        ("x2/3/3 x 3", "1 stones x and 0 stones o with x to move"),
        ("oo1/x2/3 x 3", "1 stones x and 2 stones o"),
        ("xxx/oo1/3 x 3", "3 stones x and 2 stones o with x to move"),
        ("xxx/ooo/3 x 3", "x has a row already"),
        ("xxx3/ooo3/6/6/6/xxx3 o 3", "6 stones x and 3 stones o"),
        ("xxx2/oo3/1o1o1/o4/xxx2 o 3", "x has a row already"),
        ("25/25/25 x 5", "the board is 25x3"),
        ("99999999999999999999", "the board is 1000x1"),
        (&long, "position too long"),
    ] {
        let error = Board::from_fen(text).unwrap_err().to_string();
        assert!(error.contains(message), "{text}: {error}");
    }
}

/// See the stability notes of [`juzhong::hash`].
#[test]
fn the_start_has_its_published_key() {
    assert_eq!(Board::start().key().to_string(), "99a014b5e0beceb3");
}

#[test]
fn texts_may_leave_out_what_follows() {
    let board = Board::from_fen("15/15/15/15/15/15/15/7B7/15/15/15/15/15/15/15").unwrap();
    let mut start = Board::start();
    start.make(Board::parse_move("h8").unwrap());
    assert_eq!(board, start);
    assert_eq!(Board::from_fen("3/3/3 w 3").map_err(|_| ()), Err(()));
    assert_eq!(Board::start().to_fen(), juzhong::gomoku::START_TEXT);
}

#[test]
fn the_board_is_drawn_with_its_edges() {
    let mut position = board(4, 3, 3);
    for text in ["b2", "c3", "a1"] {
        position.make(Board::parse_move(text).unwrap());
    }
    let last = Board::parse_move("a1");
    assert_eq!(
        position.diagram(DiagramStyle::Ascii, last),
        " 3 . . o .\n 2 . x . .\n 1(x). . .\n   a b c d\n"
    );
    assert_eq!(
        position.diagram(DiagramStyle::Unicode, None),
        " 3 · · ○ ·\n 2 · ● · ·\n 1 ● · · ·\n   a b c d\n"
    );
}
