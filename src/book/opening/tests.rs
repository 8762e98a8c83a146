//! Tests of the opening codes: the table of the project, transpositions and mirrored games.

use crate::book::opening::*;
use crate::xiangqi::notation::parse_move;

fn moves(text: &str) -> Vec<Move> {
    let mut position = Position::start();
    let mut moves = Vec::new();
    for word in text.split_whitespace() {
        let mv = parse_move(&position, word).unwrap_or_else(|e| panic!("{word}: {e}"));
        position.make(mv);
        moves.push(mv);
    }
    moves
}

fn position_after(moves: &[Move]) -> Position {
    let mut position = Position::start();
    for &mv in moves {
        position.make(mv);
    }
    position
}

/// The code of a game, and of its mirror image, which must be the same.
fn code(text: &str) -> String {
    let openings = Openings::built_in();
    let moves = moves(text);
    let mirrored: Vec<Move> = moves.iter().map(|mv| mv.mirrored()).collect();
    let found = openings.name_game(&moves);
    assert_eq!(found, openings.name_game(&mirrored), "{text}");
    found.map_or_else(String::new, |opening| opening.code.to_string())
}

fn static_code(text: &str) -> String {
    let found = Openings::built_in().name_position(&position_after(&moves(text)));
    found.map_or_else(String::new, |opening| opening.code.to_string())
}

fn fault(text: &'static str) -> (usize, OpeningFault) {
    let error = Openings::parse(text).unwrap_err();
    (error.line, error.fault)
}

#[test]
fn every_code_has_a_line_and_one_name() {
    let openings = Openings::built_in();
    let mut codes: Vec<Code> = openings.lines().map(|(code, _)| code).collect();
    assert!(codes.len() <= 1500, "{} lines", codes.len());
    assert!(codes.is_sorted(), "the file is in the order of codes");
    codes.dedup();
    assert_eq!(codes.len(), 260);
    for code in codes {
        assert!(openings.name(code).is_some_and(|name| !name.is_empty()), "{code}");
        assert_eq!(Code::parse(&code.to_string()), Some(code));
    }
}

#[test]
fn no_formation_has_two_codes() {
    let table = &Openings::built_in().0;
    for (from, next) in &table.next {
        for (i, &a) in next.iter().enumerate() {
            for &b in &next[..i] {
                let [a, b] = [a, b].map(|at| &table.lines[at]);
                let differ = a.own[0] != b.own[0] || a.code == b.code;
                assert!(differ, "{} and {} after {from}", a.code, b.code);
            }
        }
    }
}

#[test]
fn names_games_by_their_deepest_line() {
    assert_eq!(code(""), "");
    assert_eq!(code("帅五进一"), "A00");
    assert_eq!(code("炮二平五"), "B00");
    assert_eq!(code("炮二平五 马８进７ 马二进三 车９平８ 车一平二 马２进３"), "C00");
    let river = "炮二平五 马８进７ 马二进三 车９平８ 车一平二 马２进３ 兵七进一 卒７进１ 车二进六";
    assert_eq!(code(river), "C30");
    assert_eq!(code(&format!("{river} 炮８平９ 车二平三 炮９退１ 兵五进一")), "C49");
    assert_eq!(code("相三进五 炮８平５"), "A27");
    assert_eq!(code("兵七进一 炮２平３ 炮二平五 炮８平５"), "E17");
}

#[test]
fn transpositions_get_one_name() {
    let orders = [
        "炮二平五 马８进７ 马二进三 马２进３ 车一平二 车９平８ 车二进六",
        "炮二平五 马２进３ 马二进三 马８进７ 车一平二 车９平８ 车二进六",
        "炮二平五 马８进７ 马二进三 车９平８ 车一平二 马２进３ 车二进六",
    ];
    for order in orders {
        assert_eq!(code(order), "C17", "{order}");
    }
    assert_eq!(code("兵三进一 马２进３ 马二进三 卒３进１"), "E42");
    assert_eq!(code("兵三进一 卒３进１ 马二进三 马２进３"), "E42");
}

#[test]
fn other_men_do_not_matter_for_a_formation() {
    let plain = "炮二平五 马８进７ 马二进三 马２进３ 车一平二 车９平８ 兵五进一 士４进５ 炮八平六";
    assert_eq!(code(plain), "C50");
}

#[test]
fn a_name_stays_with_the_rest_of_the_game() {
    let openings = Openings::built_in();
    let game = moves("炮二平五 马８进７ 马二进三 车９平８ 车一平二 马２进３ 车二进六 炮８平９");
    let mut tracker = OpeningTracker::new(openings);
    let mut position = Position::start();
    assert_eq!(tracker.opening(), None);
    let mut plies = Vec::new();
    for mv in game {
        position.make(mv);
        tracker.push(&position);
        plies.push(tracker.opening().map(|o| (o.code.to_string(), o.ply)));
    }
    assert_eq!(plies[0], Some(("B00".to_owned(), 1)));
    assert_eq!(plies[7], Some(("C17".to_owned(), 7)));
}

#[test]
fn positions_without_a_past_are_named_by_their_men() {
    assert_eq!(static_code(""), "");
    assert_eq!(static_code("相三进五 炮８平５"), "A27");
    assert_eq!(static_code("兵三进一 卒３进１ 马二进三 马２进３"), "E42");
    let transposed =
        "兵七进一 卒７进１ 炮二平五 马８进７ 马二进三 马２进３ 车一平二 车９平８ 车二进六";
    assert_eq!(static_code(transposed), "C30");
    let bare = Position::from_fen("3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 0 1").unwrap();
    assert_eq!(Openings::built_in().name_position(&bare), None);
}

#[test]
fn lines_that_are_not_understood_are_refused() {
    assert_eq!(fault("A00 名 - -"), (1, OpeningFault::Columns));
    assert_eq!(fault("# a\nF00\t名\t-\t-"), (2, OpeningFault::Code("F00".to_owned())));
    let a00 = Code::parse("A00").unwrap();
    let name = OpeningFault::Name { code: a00, other: "名" };
    assert_eq!(fault("A00\t名\t-\t-\nA00\t另\t-\t兵一进一"), (2, name));
    assert_eq!(fault("B00\t名\tA00\t兵一进一"), (1, OpeningFault::Unknown(a00)));
    assert_eq!(fault("A00\t名\tA00\t兵一进一"), (1, OpeningFault::Circle(a00)));
    let both = "A00\t名\tA01\t兵一进一\nA01\t另\tA00\t兵三进一";
    assert_eq!(fault(both), (1, OpeningFault::Circle(Code::parse("A01").unwrap())));
    let later = "A00\t名\t-\t-\nA01\t另\tA00 A02\t兵一进一\nA02\t三\tA01\t兵三进一";
    assert!(matches!(fault(later), (2, OpeningFault::Circle(_))));
    assert!(matches!(fault("A00\t名\t-\t车一平五"), (1, OpeningFault::Move(_))));
    let condition = "A00\t名\t-\t-\nA01\t另\tA00\t兵一进一 帅九未动";
    assert_eq!(fault(condition), (2, OpeningFault::Condition("帅九未动".to_owned())));
    let still = "A00\t名\t-\t-\nA01\t另\tA00\t兵一进一 在马二进三";
    assert_eq!(fault(still), (2, OpeningFault::Condition("在马二进三".to_owned())));
    let uneven = "A00\t名\t-\t-\nA01\t另\tA00\t= 兵一进一 兵三进一";
    assert_eq!(fault(uneven), (2, OpeningFault::Uneven { red: 2, black: 0 }));
    let twice = "A00\t名\t-\t兵一进一\nA01\t另\t-\t兵九进一";
    assert_eq!(fault(twice), (2, OpeningFault::Twice(a00)));
}

#[test]
fn codes_are_a_letter_and_two_digits() {
    assert_eq!(Code::parse("c45").map(|c| c.to_string()).as_deref(), Some("C45"));
    for text in ["", "A0", "A000", "F00", "AAA", "Ａ1", "A 1"] {
        assert_eq!(Code::parse(text), None, "{text}");
    }
}
