//! Complete tables of small boards against exact counts, and the provers against a search of every line of play that
//! knows the rules alone.

use std::collections::HashMap;

use juzhong::game::{Game, MoveList, Notation, Outcome, Symmetric};
use juzhong::gomoku::{Board, FourSearch, FourSolver, Point};
use juzhong::hash::Key;
use juzhong::solve::{
    Budget, CompleteTable, CompleteTableError, ProofKind, Prover, ProverOptions, TableCounts,
    Value, check,
};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::support::effort::cases;

fn board(width: u8, height: u8, row: u8) -> Board {
    Board::new(width, height, row).expect("a possible geometry")
}

fn table_counts(width: u8, height: u8, row: u8) -> TableCounts {
    CompleteTable::build(&board(width, height, row), &Budget::default()).unwrap().counts()
}

fn counts(
    (positions, classes): (u64, u64),
    [first_rows, second_rows, full]: [u64; 3],
    [wins, losses, draws]: [u64; 3],
) -> TableCounts {
    TableCounts { positions, classes, first_rows, second_rows, full, wins, losses, draws }
}

#[test]
fn complete_tables_have_the_known_counts() {
    let tic_tac_toe = counts((5_478, 765), [626, 316, 16], [2_836, 1_574, 1_068]);
    assert_eq!(table_counts(3, 3, 3), tic_tac_toe);
    assert_eq!(table_counts(3, 3, 2), counts((1_234, 186), [548, 312, 0], [365, 869, 0]));
    let four_by_three = counts((111_973, 28_275), [20_312, 12_070, 28], [64_738, 44_175, 3_060]);
    assert_eq!(table_counts(4, 3, 3), four_by_three);
    assert_eq!(table_counts(3, 4, 3), four_by_three);
    let rows_of_four = counts((142_231, 35_957), [1_416, 684, 792], [8_400, 2_100, 131_731]);
    assert_eq!(table_counts(4, 3, 4), rows_of_four);
    let four_by_four =
        counts((6_036_001, 756_387), [1_522_416, 1_050_026, 18], [3_199_406, 2_835_273, 1_322]);
    assert_eq!(table_counts(4, 4, 3), four_by_four);
}

#[test]
#[ignore = "a minute and 700 MB: cargo test --release --test it solve -- --ignored"]
fn five_by_four_is_a_draw() {
    let budget = Budget { memory: 1 << 30, ..Budget::default() };
    let table = CompleteTable::build(&board(5, 4, 4), &budget).unwrap();
    assert_eq!(table.probe(&board(5, 4, 4)), Some((Value::Draw, None)));
}

#[test]
fn tables_refuse_what_they_cannot_hold() {
    let large = CompleteTable::build(&Board::start(), &Budget::default()).unwrap_err();
    assert_eq!(large, CompleteTableError::Points { points: 225 });
    let little = Budget { memory: 1 << 10, ..Budget::default() };
    let refused = CompleteTable::build(&board(4, 4, 4), &little).unwrap_err();
    assert!(matches!(refused, CompleteTableError::Memory { .. }), "{refused}");
    let stopped = Budget::default();
    stopped.stop.set();
    let refused = CompleteTable::build(&board(4, 4, 4), &stopped).unwrap_err();
    assert_eq!(refused, CompleteTableError::Stopped);
    let table = CompleteTable::build(&board(3, 3, 3), &Budget::default()).unwrap();
    assert_eq!(table.probe(&board(3, 3, 2)), None);
    assert_eq!(table.probe(&board(3, 3, 3)), Some((Value::Draw, None)));
}

/// The values of positions by every line of play: plies to a win, to a loss, or a draw.
#[derive(Default)]
struct Brute(HashMap<Key, (Value, u32)>);

impl Brute {
    fn value(&mut self, position: &mut Board) -> (Value, u32) {
        match position.outcome() {
            Some(Outcome::Draw) => return (Value::Draw, 0),
            Some(Outcome::Win(_)) => return (Value::Loss, 0),
            None => {}
        }
        if let Some(&known) = self.0.get(&position.key()) {
            return known;
        }
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let (mut win, mut loss, mut can_draw) = (None::<u32>, 0, false);
        for mv in moves {
            let undo = position.make(mv);
            match self.value(position) {
                (Value::Loss, plies) => win = Some(win.map_or(plies, |least| least.min(plies))),
                (Value::Win, plies) => loss = loss.max(plies),
                _ => can_draw = true,
            }
            position.unmake(mv, undo);
        }
        let value = match win {
            Some(plies) => (Value::Win, plies + 1),
            None if can_draw => (Value::Draw, 0),
            None => (Value::Loss, loss + 1),
        };
        self.0.insert(position.key(), value);
        value
    }
}

/// A position with few empty points, reached by choices.
fn late_positions() -> impl Strategy<Value = Board> {
    let geometry = prop::sample::select(vec![
        (3, 3, 3),
        (4, 3, 3),
        (4, 4, 3),
        (4, 4, 4),
        (5, 4, 4),
        (5, 5, 4),
        (5, 5, 5),
        (5, 4, 3),
        (6, 3, 4),
        (7, 2, 3),
    ]);
    (geometry, prop::collection::vec(any::<Index>(), 40), 6..11_u16).prop_map(
        |((width, height, row), choices, empty)| {
            let mut position = board(width, height, row);
            for choice in choices {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                // Games go on as long as they can.
                moves.retain(|mv| position.play(*mv).unwrap().outcome().is_none());
                if moves.is_empty() || position.area() - position.stones() <= empty {
                    break;
                }
                position.make(moves[choice.index(moves.len())]);
            }
            position
        },
    )
}

fn only(kinds: &[ProofKind]) -> Prover {
    Prover::new(ProverOptions { kinds: kinds.to_vec() })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(2_000) as u32, ..ProptestConfig::default() })]

    #[test]
    fn provers_agree_with_every_line_of_play(position in late_positions()) {
        let budget = Budget::default();
        let (value, plies) = Brute::default().value(&mut position.clone());
        let distance = (value != Value::Draw).then_some(plies);
        for kinds in [
            &ProofKind::ALL[..],
            &[ProofKind::Exhaustive],
            &[ProofKind::Pns],
            &[ProofKind::Vcf],
            &[ProofKind::Threats],
            &[ProofKind::Five],
        ] {
            let found = only(kinds).solve(&position, &budget);
            let is_complete = kinds.contains(&ProofKind::Exhaustive) || kinds.contains(&ProofKind::Pns);
            if is_complete && found.nodes > 0 {
                prop_assert!(found.value == value, "{position:?} {kinds:?}: {found:?}");
            }
            if found.value == Value::Unknown {
                continue;
            }
            prop_assert!(found.value == value, "{position:?} {kinds:?}: {found:?}");
            let proof = found.proof.as_ref().unwrap();
            prop_assert!(proof.distance == found.distance);
            let checked = check(proof, &budget);
            prop_assert!(checked.is_ok(), "{position:?} {kinds:?}: {checked:?} {proof:?}");
            if found.kind.unwrap().is_shortest() {
                prop_assert_eq!(found.distance, distance);
            } else if let Some(distance) = distance {
                prop_assert!(found.distance.unwrap() >= distance);
            }
            prop_assert!(ends_as_stated(&position, &found.line, found.distance));
        }
    }

    #[test]
    fn continuous_fours_agree_with_every_line_of_fours(position in late_positions()) {
        let found = FourSolver::default().search(&position, 1_000_000);
        let mut position = position;
        let brute = shortest_fours(&mut position);
        match found {
            FourSearch::Win(win) => prop_assert_eq!(Some(win.plies()), brute),
            FourSearch::None => prop_assert_eq!(brute, None),
            FourSearch::Unknown => prop_assert!(false),
        }
    }

    #[test]
    fn images_of_a_position_have_its_value(position in late_positions()) {
        let solve = |board: &Board| Prover::default().solve(board, &Budget::default());
        let found = solve(&position);
        for symmetry in 1..position.symmetries() {
            let image = image_of(&position, symmetry);
            let of_image = solve(&image);
            prop_assert_eq!((found.value, found.distance), (of_image.value, of_image.distance));
        }
    }
}

/// Plays a line: it must be as long as stated and end with a row.
fn ends_as_stated(start: &Board, line: &[Point], distance: Option<u32>) -> bool {
    let mut position = start.clone();
    for &mv in line {
        position = position.play(mv).unwrap();
    }
    match distance {
        None => line.is_empty(),
        Some(plies) => line.len() as u32 == plies && position.winner().is_some(),
    }
}

/// The plies of the shortest win in which every move of the side to move is a four or a row.
fn shortest_fours(position: &mut Board) -> Option<u32> {
    if position.outcome().is_some() {
        return None;
    }
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    let mut best: Option<u32> = None;
    for mv in moves {
        let undo = position.make(mv);
        let plies = match position.outcome() {
            Some(Outcome::Win(_)) => Some(1),
            Some(Outcome::Draw) => None,
            None => after_four(position),
        };
        position.unmake(mv, undo);
        best = best.into_iter().chain(plies).min();
    }
    best
}

/// The plies after a move if that was a four: the longest defence.
fn after_four(position: &mut Board) -> Option<u32> {
    let mut answers = MoveList::new();
    position.legal_moves(&mut answers);
    let wins_next = |position: &Board| {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        moves.iter().any(|&mv| position.play(mv).unwrap().winner().is_some())
    };
    let unmet =
        answers.iter().filter(|&&answer| wins_next(&position.play(answer).unwrap())).count();
    // A four leaves at most one answer.
    if unmet + 1 < answers.len() || answers.len() == 1 && unmet == 0 {
        return None;
    }
    let mut longest = 0;
    for answer in answers {
        let after = position.play(answer).unwrap();
        if after.winner().is_some() {
            return None;
        }
        let plies = if wins_next(&after) { 1 } else { shortest_fours(&mut after.clone())? };
        longest = longest.max(plies + 2);
    }
    Some(longest)
}

fn image_of(board: &Board, symmetry: u8) -> Board {
    let fen = board.to_fen();
    let fields: Vec<&str> = fen.split(' ').collect();
    let (turned_width, turned_height) = if symmetry & 4 != 0 {
        (board.height(), board.width())
    } else {
        (board.width(), board.height())
    };
    let mut rows = vec![vec!['1'; usize::from(turned_width)]; usize::from(turned_height)];
    for point in board.points() {
        if let Some(side) = board.stone(point) {
            let image = board.map_move(point, symmetry);
            rows[usize::from(image.row())][usize::from(image.column())] = ['x', 'o'][side.index()];
        }
    }
    let rows: Vec<String> = rows.iter().rev().map(|row| row.iter().collect()).collect();
    // Digits in a row are one number: empty points are counted anew.
    let rows: Vec<String> = rows.iter().map(|row| counted(row)).collect();
    Board::from_fen(&format!("{} {}", rows.join("/"), fields[1..].join(" "))).unwrap()
}

fn counted(row: &str) -> String {
    let mut text = String::new();
    let mut empty = 0;
    for cell in row.chars().chain(['/']) {
        if cell == '1' {
            empty += 1;
            continue;
        }
        if empty > 0 {
            text.push_str(&empty.to_string());
            empty = 0;
        }
        text.push(cell);
    }
    text.trim_end_matches('/').to_owned()
}

fn solves(cases: &[(u8, u8, u8, Value)]) {
    for &(width, height, row, expected) in cases {
        let budget = Budget { memory: 1 << 30, ..Budget::default() };
        let found = Prover::default().solve(&board(width, height, row), &budget);
        assert_eq!(found.value, expected, "{width},{height},{row}");
        let proof = found.proof.unwrap();
        assert!(check(&proof, &Budget::default()).is_ok(), "{width},{height},{row}");
    }
}

#[test]
fn small_boards_have_the_known_values() {
    solves(&[
        (3, 3, 3, Value::Draw),
        (3, 3, 2, Value::Win),
        (4, 3, 3, Value::Win),
        (4, 4, 3, Value::Win),
        (4, 4, 4, Value::Draw),
        (5, 4, 4, Value::Draw),
        (5, 5, 5, Value::Draw),
        (6, 5, 4, Value::Win),
    ]);
}

#[test]
#[ignore = "half a minute: cargo test --test it solve:: -- --ignored"]
fn larger_boards_have_the_known_values() {
    solves(&[(5, 5, 4, Value::Draw), (6, 4, 4, Value::Draw)]);
}
