//! Tests of the notations: known texts, ambiguous ones, and all legal moves of random positions.

use proptest::prelude::*;

use super::*;
use crate::game::MoveList;
use crate::xiangqi::tests::random_play;
use crate::xiangqi::{Piece, Setup};

fn position(fen: &str) -> Position {
    Position::from_fen(fen).unwrap()
}

fn assert_round_trips(position: &Position) {
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    for notation in MoveNotation::ALL {
        for &mv in &moves {
            let text = format_move(position, mv, notation);
            assert_eq!(parse_move(position, &text), Ok(mv), "{text} in {}", position.to_fen());
        }
    }
}

proptest! {
    #[test]
    fn writing_then_reading_gives_the_same_move(choices in prop::collection::vec(any::<u16>(), 0..160)) {
        assert_round_trips(random_play(&choices).last().unwrap());
    }

    #[test]
    fn pawns_in_any_tandem_round_trip(
        squares in prop::collection::vec((0u8..4, 5u8..10), 1..6),
        spread in 0u8..3,
    ) {
        let mut setup = Setup::empty();
        let mut put = |file, rank, piece| setup.board[Square::at(file, rank).index()] = Some(piece);
        for (file, rank) in squares {
            put(file * (1 + spread) % 9, rank, Piece::RedPawn);
        }
        put(3, 0, Piece::RedKing);
        put(5, 9, Piece::BlackKing);
        if let Ok(position) = Position::from_setup(&setup) {
            assert_round_trips(&position);
            let turned = turned(&setup);
            assert_round_trips(&Position::from_setup(&turned).unwrap());
        }
    }
}

/// The same position with the colours exchanged.
fn turned(setup: &Setup) -> Setup {
    let mut turned = Setup::empty();
    for square in Square::all() {
        turned.board[square.flipped().index()] =
            setup.board[square.index()].map(|piece| Piece::new(!piece.side(), piece.role()));
    }
    turned.turn = !setup.turn;
    turned
}

fn reads(fen: &str, cases: &[(&str, &str)]) {
    let position = position(fen);
    for &(text, expected) in cases {
        let read = parse_move(&position, text).map(|mv| mv.to_string());
        assert_eq!(read.as_deref(), Ok(expected), "{text}");
    }
}

#[test]
fn one_move_in_many_forms() {
    reads(
        crate::xiangqi::START_FEN,
        &[
            ("炮二平五", "h2e2"),
            ("砲２平5", "h2e2"),
            ("包二平５", "h2e2"),
            ("C2=5", "h2e2"),
            ("Ｃ２＝５", "h2e2"),
            ("C2.5", "h2e2"),
            ("c2=5", "h2e2"),
            ("H2-E2", "h2e2"),
            ("h2e2", "h2e2"),
            ("Che2", "h2e2"),
            ("马八进七", "b0c2"),
            ("傌八進七", "b0c2"),
            ("H8+7", "b0c2"),
            ("N8+7", "b0c2"),
            ("相三进五", "g0e2"),
            ("象三進5", "g0e2"),
            ("M3+5", "g0e2"),
            ("B3+5", "g0e2"),
            ("俥一进二", "i0i2"),
            ("兵七进一", "c3c4"),
            ("c4", "c3c4"),
            ("Cxb9", "b2b9"),
            ("帥五进1", "e0e1"),
            ("士四进五", "f0e1"),
            ("G4+5", "f0e1"),
        ],
    );
}

#[test]
fn front_middle_rear() {
    let fen = "5k3/9/2P6/2P6/2P6/4R4/9/4R4/9/3K5 w - - 0 1";
    reads(
        fen,
        &[
            ("前车平四", "e4f4"),
            ("车前平四", "e4f4"),
            ("后車退一", "e2e1"),
            ("+R=4", "e4f4"),
            ("R+=4", "e4f4"),
            ("-R-1", "e2e1"),
            ("前兵平六", "c7d7"),
            ("中兵平六", "c6d6"),
            ("后兵平六", "c5d5"),
            ("後兵平6", "c5d5"),
            ("前七平六", "c7d7"),
            ("17=6", "c7d7"),
            ("27=6", "c6d6"),
            ("37=6", "c5d5"),
            (".P=6", "c6d6"),
            ("Pb=6", "c6d6"),
            ("三兵平六", "c5d5"),
        ],
    );
    let position = position(fen);
    for (mv, notation, text) in [
        ("c6d6", MoveNotation::Chinese, "中兵平六"),
        ("c6d6", MoveNotation::Wxf, "27=6"),
        ("e2e1", MoveNotation::Chinese, "后车退一"),
        ("e2e1", MoveNotation::Wxf, "-R-1"),
    ] {
        assert_eq!(format_move(&position, Move::parse(mv).unwrap(), notation), text);
    }
}

#[test]
fn pawns_doubled_on_two_files_count_from_the_right() {
    let fen = "4k4/9/2P3P2/2P3P2/9/9/9/9/9/3K5 w - - 0 1";
    reads(
        fen,
        &[
            ("一兵平四", "g7f7"),
            ("二兵平四", "g6f6"),
            ("三兵平六", "c7d7"),
            ("四兵平六", "c6d6"),
            ("前兵平四", "g7f7"),
            ("13=4", "g7f7"),
            ("23=4", "g6f6"),
            ("27=6", "c6d6"),
        ],
    );
    let black = "3k5/9/9/9/9/9/2p3p2/2p3p2/9/4K4 b - - 0 1";
    reads(black, &[("一卒平４", "c2d2"), ("１卒平４", "c2d2"), ("四卒平六", "g3f3")]);
    let position = position(black);
    let mv = Move::parse("g2h2").unwrap();
    assert_eq!(format_move(&position, mv, MoveNotation::Chinese), "三卒平８");
    assert_eq!(format_move(&position, mv, MoveNotation::Wxf), "17=8");
}

#[test]
fn advisors_on_one_file_are_told_apart_by_what_they_can_do() {
    let fen = "5k3/9/9/9/9/9/9/3A5/9/3AK4 w - - 0 1";
    reads(fen, &[("仕六进五", "d0e1"), ("仕六退五", "d2e1"), ("A6-5", "d2e1")]);
}

/// The error for a move in the start position.
fn fault(text: &str) -> MoveError {
    parse_move(&Position::start(), text).unwrap_err()
}

fn assert_illegal(text: &str, expected: IllegalReason) {
    match fault(text) {
        MoveError::Illegal { reason, .. } => assert_eq!(reason, expected, "{text}"),
        other => panic!("{text}: {other}"),
    }
}

#[test]
fn faults_say_what_is_wrong() {
    for text in ["", "炮", "炮二平十", "Z2=5", "hello", "炮二平五马８进７", "12", "e10"]
    {
        assert!(matches!(fault(text), MoveError::Unreadable(_)), "{text}");
    }
    assert!(matches!(fault("车五进一"), MoveError::NoSuchPiece(_)));
    assert!(matches!(fault("前车进一"), MoveError::NoSuchPiece(_)));
    assert_illegal("e4e5", IllegalReason::EmptySquare);
    assert_illegal("e6e5", IllegalReason::NotItsTurn);
    assert_illegal("车一退一", IllegalReason::OffBoard);
    assert_illegal("马二平五", IllegalReason::NotItsMove);
    assert_illegal("兵五平四", IllegalReason::NotItsMove);
    assert_illegal("车一平二", IllegalReason::OwnPiece);
    assert_illegal("车一进四", IllegalReason::Blocked);
    assert_illegal("炮二进六", IllegalReason::Blocked);
    assert_illegal("马二进四", IllegalReason::Blocked);
    let pinned = position("3k5/9/9/9/4r4/9/9/4C4/9/4K4 w - - 0 1");
    let fault = parse_move(&pinned, "炮五平四").unwrap_err().to_string();
    assert_eq!(fault, "\"炮五平四\" is illegal: it leaves the own king in check");
    let facing = position("4k4/9/9/9/4C4/9/9/9/9/4K4 w - - 0 1");
    let fault = parse_move(&facing, "炮五平四").unwrap_err().to_string();
    assert_eq!(fault, "\"炮五平四\" is illegal: the kings would face each other");
}

#[test]
fn ambiguity_is_reported() {
    let two_files = position("4k4/9/2P3P2/2P3P2/9/9/9/9/9/3K5 w - - 0 1");
    let fault = parse_move(&two_files, "前兵进一").unwrap_err();
    assert!(matches!(fault, MoveError::Ambiguous { .. }), "{fault}");
}

#[test]
fn algebraic_yields_to_coordinates_unless_asked() {
    let position = position("5k3/9/9/9/4c4/4C4/9/2C6/9/3K5 w - - 0 1");
    let text: Vec<char> = "C4c4".chars().collect();
    assert!(read_move(&position, &text, Dialect::Any).is_err());
    assert_eq!(read_move(&position, &text, Dialect::Algebraic), Ok(Move::parse("e4c4").unwrap()));
    let squares: Vec<char> = "c2c3".chars().collect();
    assert_eq!(
        read_move(&position, &squares, Dialect::Algebraic),
        Ok(Move::parse("c2c3").unwrap())
    );
}
