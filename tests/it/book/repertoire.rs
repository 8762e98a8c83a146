//! Repertoires: one answer to everything that is likely, and what is missing beside the games.

use juzhong::book::{
    AnswerChoice, Book, BuildOptions, Filter, RepertoireDoubt, RepertoireOptions, build_repertoire,
    check_repertoire,
};
use juzhong::game::{Game, Notation, Side};
use juzhong::record::{PgnOptions, Record, write_pgn};
use juzhong::xiangqi::Position;
use proptest::prelude::*;

use crate::support::books::book_of;
use crate::support::folder::Folder;
use crate::support::games::grow;
use crate::support::program::{columns, exits, fails, json, ok, stdout, text};

/// A book of some games with these results.
fn book_of_lines(folder: &Folder, lines: &[(&str, &str)]) -> Book {
    let pgn: String = lines
        .iter()
        .map(|(moves, result)| format!("[Result \"{result}\"]\n\n{moves} {result}\n\n"))
        .collect();
    let filter = Filter { every_record: true, ..Filter::default() };
    let options = BuildOptions { min_games: 1, filter, ..BuildOptions::default() };
    Book::open(&book_of(folder.path(), "source.book", &pgn, options)).unwrap()
}

const LINES: [(&str, &str); 6] = [
    ("1. h2e2 h9g7 2. h0g2 i9h9", "1-0"),
    ("1. h2e2 h9g7 2. h0g2 b9c7", "1-0"),
    ("1. h2e2 h9g7 2. b2b4 i9h9", "0-1"),
    ("1. h2e2 b9c7 2. h0g2 a9b9", "1-0"),
    ("1. c3c4 b9c7 2. h2e2 h9g7", "0-1"),
    ("1. c3c4 g6g5 2. b0c2 h9g7", "0-1"),
];

fn moves_at(book: &Book, moves: &str) -> Vec<String> {
    let mut position = Position::start();
    for mv in moves.split_whitespace() {
        position.make(Position::parse_move(mv).unwrap());
    }
    book.probe_with(&position, 0)
        .unwrap()
        .iter()
        .map(|found| Position::move_text(found.mv))
        .collect()
}

#[test]
fn the_side_has_one_answer_and_the_others_likely_moves_are_there() {
    let folder = Folder::new();
    let source = book_of_lines(&folder, &LINES);
    let options = RepertoireOptions { reach: 0.2, ..RepertoireOptions::default() };
    let report = build_repertoire::<Position>(&source, &folder.join("red.book"), &options).unwrap();
    let red = Book::open(&folder.join("red.book")).unwrap();
    assert_eq!(moves_at(&red, ""), ["h2e2"]);
    assert_eq!(moves_at(&red, "h2e2").len(), 2);
    assert_eq!(moves_at(&red, "h2e2 h9g7"), ["h0g2"]);
    assert_eq!(moves_at(&red, "h2e2 h9g7 h0g2").len(), 2);
    assert_eq!((report.positions, report.answers, report.depth), (3, 3, 4));
    let popular = RepertoireOptions { reach: 0.6, ..options.clone() };
    build_repertoire::<Position>(&source, &folder.join("few.book"), &popular).unwrap();
    let few = Book::open(&folder.join("few.book")).unwrap();
    // One of four games after h2e2 has b9c7.
    assert_eq!(moves_at(&few, "h2e2"), ["h9g7"]);
    let check = check_repertoire::<Position>(&few, &source, &options).unwrap();
    let holes: Vec<String> = check
        .holes
        .iter()
        .map(|hole| {
            hole.line.iter().map(|&mv| Position::move_text(mv)).collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert_eq!(holes, ["h2e2 b9c7"]);
    assert!((check.holes[0].reach - 0.25).abs() < 1e-9);
    assert_eq!(Position::move_text(check.holes[0].moves[0].mv), "h0g2");
    assert_eq!(check.first[0].line.len(), 0);
}

#[test]
fn answers_that_games_refute_are_doubtful() {
    let folder = Folder::new();
    let many: Vec<_> = LINES.iter().chain(LINES.iter()).chain(LINES.iter()).copied().collect();
    let source = book_of_lines(&folder, &many);
    folder.write("lines.pgn", "1. c3c4 b9c7 2. h2e2 *\n");
    ok(&["book", "import", &folder.at("lines.pgn"), "-o", &folder.at("own.book")]);
    let own = Book::open(&folder.join("own.book")).unwrap();
    let check = check_repertoire::<Position>(&own, &source, &RepertoireOptions::default()).unwrap();
    let first = &check.doubtful[0];
    assert_eq!((first.doubt, first.position.line.len()), (RepertoireDoubt::Games, 0));
    assert_eq!(Position::move_text(first.answer.mv), "g3g4");
    assert_eq!(Position::move_text(first.position.moves[0].mv), "h2e2");
    assert_eq!(check.holes.len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    /// A repertoire lacks nothing beside the book that it was made of, has at most as many answers as were wanted, and
    /// only moves of the book.
    #[test]
    fn a_repertoire_answers_its_source(
        games in prop::collection::vec((prop::collection::vec(0..3_u16, 1..14), 0..3_usize), 1..12),
        is_red: bool,
        answers in 1..3_usize,
        choice in prop::sample::select(vec![AnswerChoice::Score, AnswerChoice::Popularity, AnswerChoice::Weight]),
        reach in prop::sample::select(vec![0.01, 0.1, 0.3]),
    ) {
        let folder = Folder::new();
        let mut pgn = String::new();
        for (choices, result) in &games {
            let tree = grow(&mut Position::start(), choices, 9);
            let record = Record { tags: Vec::new(), start: None, start_clock: 0, result: None, tree };
            let mut text = Vec::new();
            write_pgn(&mut text, &record, &PgnOptions::default()).unwrap();
            let result = ["1-0", "0-1", "1/2-1/2"][*result];
            pgn += &String::from_utf8(text).unwrap().replace("\"*\"", &format!("\"{result}\"")).replace(" *", &format!(" {result}"));
        }
        let build = BuildOptions { min_games: 1, ..BuildOptions::default() };
        let source = Book::open(&book_of(folder.path(), "source.book", &pgn, build)).unwrap();
        let side = if is_red { Side::First } else { Side::Second };
        let options = RepertoireOptions { side, answers, choice, reach, ..RepertoireOptions::default() };
        let built = build_repertoire::<Position>(&source, &folder.join("own.book"), &options);
        // A game of one ply has no move for Black.
        if let Ok(report) = built {
            let own = Book::open(&folder.join("own.book")).unwrap();
            let check = check_repertoire::<Position>(&own, &source, &options).unwrap();
            prop_assert!(check.holes.is_empty(), "{:?}", check.holes);
            prop_assert_eq!((check.positions, check.answers), (report.positions, report.answers));
            own.for_each_position(|_, position: &Position, _| {
                let moves = own.probe_with(position, 0)?;
                if position.turn() == side {
                    assert!(moves.len() <= answers);
                }
                let known = source.probe_with(position, 0)?;
                assert!(moves.iter().all(|found| known.iter().any(|of| of.mv == found.mv && of.stats == found.stats)));
                Ok::<(), juzhong::book::BookError>(())
            }).unwrap();
        }
    }
}

#[test]
fn repertoires_are_made_and_checked_on_the_command_line() {
    let folder = Folder::new();
    let source = book_of_lines(&folder, &LINES);
    let source = source.path().to_str().unwrap().to_owned();
    let [red, black] = ["red.book", "black.book"].map(|name| folder.at(name));
    let built = json(&["repertoire", "build", &source, "-o", &red, "--side", "red"]);
    assert_eq!(
        (&built["schema"], &built["side"]),
        (&"juzhong.repertoire.build/1".into(), &"red".into())
    );
    assert_eq!(built["positions"], 3);
    ok(&[
        "repertoire",
        "build",
        &source,
        "-o",
        &black,
        "--side",
        "black",
        "--by",
        "popularity",
        "--answers",
        "2",
    ]);
    let whole = json(&["repertoire", "check", &red, &source, "--side", "red"]);
    assert_eq!(whole["holes"], serde_json::Value::Array(Vec::new()));
    let other = exits(&["repertoire", "check", &black, &source, "--side", "red"], 1);
    let shown = text(&other.stdout);
    assert!(shown.lines().all(|line| columns(line) <= 80), "{shown}");
    insta::assert_snapshot!(stdout(&[
        "repertoire",
        "check",
        &red,
        &source,
        "--side",
        "red",
        "--lang",
        "zh"
    ]));
    fails(&["repertoire", "build", &source, "-o", &red, "--side", "red"], 73, &["red.book"]);
    fails(
        &["repertoire", "build", &source, "-o", &folder.at("x"), "--side", "white"],
        2,
        &["white"],
    );
    fails(
        &["repertoire", "check", &red, &source, "--side", "red", "--reach", "0"],
        2,
        &["--reach"],
    );
}
