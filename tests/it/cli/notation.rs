//! Positions and moves in every notation, wherever they are typed and shown.

use juzhong::tablebase::Rules;
use juzhong::xiangqi::Position;
use juzhong::xiangqi::notation::{MoveNotation, format_move, parse_move};
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{exits, fails, json, juzhong, ok, sample_book, stdout, text};
use crate::support::tables::build_tables;

/// Three moves from the start, as people write them.
const SAME_LINE: [&[&str]; 9] = [
    &["--moves", "h2e2 h9g7 h0g2"],
    &["--moves", "h2e2", "h9g7", "h0g2"],
    &["--moves", "h2e2,h9g7，h0g2"],
    &["--moves", "H2-E2 H9-G7 H0-G2"],
    &["--moves", "C2=5 H8+7 H2+3"],
    &["--moves", "1. 炮二平五 马８进７ 2. 马二进三"],
    &["--moves", "炮二平五馬8進7傌二進三"],
    &["--fen", "startpos", "--moves", "h2e2 h9g7 h0g2"],
    &["--fen", "position startpos moves h2e2 h9g7 h0g2"],
];

const ENDGAME: &str = "4k4/9/9/9/9/9/4n4/9/9/R3K4 w - - 0 1";

#[test]
fn every_way_to_type_a_line_is_the_same_to_every_command() {
    let folder = Folder::new();
    let book = &sample_book(&folder);
    let commands: [&[&str]; 5] = [
        &["position"],
        &["book", "query", book],
        &["book", "query", book, "--tree", "2"],
        &["book", "classify"],
        &["analyse", "--depth", "2"],
    ];
    for command in commands {
        let with = |line: &[&str]| {
            let mut answer = json(&[command, line].concat());
            answer["time_ms"] = Value::Null;
            answer
        };
        let expected = with(SAME_LINE[0]);
        for line in &SAME_LINE[1..] {
            assert_eq!(with(line), expected, "{command:?} {line:?}");
        }
    }
}

#[test]
fn edits_take_every_notation() {
    let folder = Folder::new();
    let books: Vec<String> = ["a", "b"]
        .iter()
        .map(|name| {
            let copy = folder.at(&format!("{name}.copy"));
            std::fs::copy(sample_book(&folder), &copy).unwrap();
            copy
        })
        .collect();
    ok(&["book", "edit", &books[0], "--moves", "h2e2", "--move", "h9g7", "--weight", "7"]);
    ok(&["book", "edit", &books[0], "--add-line", "a3a4 a6a5"]);
    let script = folder.write(
        "script",
        "{\"moves\": \"1. 炮二平五\", \"move\": \"马８进７\", \"weight\": 7}\n\
         {\"add_line\": \"1. P9+1 P1+1\"}\n",
    );
    ok(&["book", "edit", &books[1], "--script", &script]);
    let tree = |book: &String| json(&["book", "query", book, "--tree", "3"])["moves"].clone();
    assert_eq!(tree(&books[0]), tree(&books[1]));
    fails(&["book", "edit", &books[0], "--move", "zz", "--lock"], 65, &["--move", "zz"]);
}

#[test]
fn tables_are_asked_about_lines_too() {
    let folder = Folder::new();
    build_tables(folder.path(), &["KRvKN"], Rules::Asian);
    let tables = &folder.at("");
    let whole = format!("{ENDGAME} moves a0a3");
    let ask =
        |command: &str, line: &[&str]| json(&[&["tb", command, "--tables", tables], line].concat());
    for command in ["probe", "line"] {
        let expected = ask(command, &["--fen", &whole]);
        for moves in ["a0a3", "1. 车九进三", "R9+3"] {
            assert_eq!(ask(command, &["--fen", ENDGAME, "--moves", moves]), expected, "{moves}");
        }
    }
    fails(&["tb", "line", "--tables", tables], 2, &["--fen"]);
    fails(&["tb", "probe", "--tables", tables], 2, &["--fen"]);
}

#[test]
fn a_position_among_the_moves_is_refused() {
    let moves = format!("{ENDGAME} a0a3");
    fails(&["position", "--moves", &moves], 65, &["among the moves", "--fen"]);
}

#[test]
fn the_move_that_cannot_be_played_is_named() {
    fails(&["position", "--moves", "1. h2e2 h9g7 2. h2e2"], 65, &["move 3", "h2e2"]);
    fails(&["book", "classify", "--moves", "xyz"], 65, &["move 1", "xyz"]);
}

/// The notation of each text in an answer is what was asked for, and `move` stays as it is.
#[test]
fn json_has_texts_beside_moves() {
    let folder = Folder::new();
    let book = &sample_book(&folder);
    let start = Position::start();
    for notation in MoveNotation::ALL {
        let answer = json(&["book", "query", book, "--notation", notation.name()]);
        for found in answer["moves"].as_array().unwrap() {
            let mv = parse_move(&start, found["move"].as_str().unwrap()).unwrap();
            assert_eq!(found["text"], format_move(&start, mv, notation));
        }
        let answer = json(&["position", "--notation", notation.name()]);
        let texts = answer["legal_texts"].as_array().unwrap();
        assert_eq!(texts.len(), answer["legal_moves"].as_array().unwrap().len());
        let answer = json(&["analyse", "--depth", "3", "--notation", notation.name()]);
        let mv = parse_move(&start, answer["best"].as_str().unwrap()).unwrap();
        assert_eq!(answer["text"], format_move(&start, mv, notation));
    }
    assert_eq!(json(&["position"]).get("legal_texts"), None);
    assert_eq!(json(&["book", "query", book])["moves"][0].get("text"), None);
}

#[test]
fn people_read_the_notation_that_they_ask_for() {
    let folder = Folder::new();
    let book = &sample_book(&folder);
    let chinese = ["--notation", "chinese"];
    let shown = |args: &[&str]| stdout(&[args, &chinese].concat());
    for args in [
        &["position"][..],
        &["book", "query", book],
        &["book", "query", book, "--tree", "2"],
        &["book", "stats", book],
        &["analyse", "--depth", "3"],
    ] {
        assert!(shown(args).contains(['平', '进']), "{args:?}");
    }
    fails(&["position", "--notation", "german"], 2, &["german", "chinese"]);
}

#[test]
fn a_match_writes_the_notation_asked_for_and_goes_on_in_another() {
    let folder = Folder::new();
    let games = &folder.at("games.pgn");
    let play = |games_wanted: &str, notation: &str| {
        let args = ["match", "--nodes", "200", "--games", games_wanted, "-o", games];
        exits(&[&args[..], &["--notation", notation]].concat(), 0);
        std::fs::read_to_string(games).unwrap()
    };
    assert!(play("2", "chinese").contains('进'));
    let both = play("4", "uci");
    assert_eq!(both.matches("[Result ").count(), 4, "{both}");
}

/// Batches of positions take what `--fen` takes.
#[test]
fn lines_of_a_batch_may_have_moves() {
    let folder = Folder::new();
    let list = folder.write("list", "startpos moves h2e2\nstartpos\nnonsense\n");
    let output = juzhong(&["position", "--fens", &list]);
    assert_eq!(output.status.code(), Some(65));
    let lines = text(&output.stdout);
    let answers: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers[0], json(&["position", "--moves", "h2e2"]));
    assert_eq!(answers[1], json(&["position"]));
    assert_eq!(answers[2]["error"]["code"], 65);
}
