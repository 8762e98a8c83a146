//! Exercises: made of reviews, mined positions and repertoires, asked over a pipe, answered by two sessions at once.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Output, Stdio};
use std::time::Duration;

use juzhong::book::BuildOptions;
use juzhong::bytes::StopFlag;
use juzhong::engine::EngineOptions;
use juzhong::review::ReviewBooks;
use juzhong::train::{Examiner, SourceError, SourceOptions, exercises_of};
use juzhong::xiangqi::{Position, RuleSet};
use serde_json::{Value, json};

use crate::support::books::book_of;
use crate::support::folder::Folder;
use crate::support::program::{
    command, ended, exits, fails, json as json_of, ok, stdout, text, with_input,
};
use crate::support::tables::small_tables;

/// A reviewed game as `review -o` writes it: Black's second move has a mark and a better line, and Red's third.
const REVIEWED: &str = "[Event \"a\"]\n[Red \"甲\"]\n[Black \"乙\"]\n[Result \"1-0\"]\n\n\
    1. 炮二平五 {[%eval 0.19]} 马８进７ {[%eval 0.12]} 2. 马二进三 {[%eval 0.09]} 卒７进１ $2 {[%eval 0.71] Mistake.} \
    (2... 车９平８ 3. 车一平二) 3. 车一进一 {[%eval 0.27]} 车９平８ $6 {[%eval 0.30]} 1-0\n\n";

/// A day of the tests.
const DAY: &str = "2026-01-10";

/// The file of exercises of the reviewed game.
fn exercises(folder: &Folder) -> String {
    let (file, games) = (folder.at("my.train"), folder.write("games.pgn", REVIEWED));
    ok(&["train", &file, "--add", &games]);
    file
}

/// A session on a day.
fn asked(file: &str, day: &str, more: &[&str], input: &str) -> Output {
    with_input(&[&["train", file, "--today", day, "--nodes", "2000"], more].concat(), input)
}

/// The output of a session that ended well.
#[track_caller]
fn said(file: &str, day: &str, more: &[&str], input: &str) -> String {
    let output = asked(file, day, more, input);
    ended(&output, 0, &[]);
    text(&output.stdout)
}

/// The exercises of a file, as `--list --json` has them.
fn listed(file: &str) -> Vec<Value> {
    let answer = json_of(&["train", file, "--list", "--today", DAY]);
    answer["exercises"].as_array().unwrap().clone()
}

#[test]
fn marked_moves_with_a_better_line_are_exercises() {
    let folder = Folder::new();
    let file = exercises(&folder);
    let all = listed(&file);
    assert_eq!(all.len(), 1, "{all:?}");
    let exercise = &all[0];
    assert_eq!(exercise["kind"], "mistake");
    assert_eq!(exercise["side"], "black");
    assert_eq!(exercise["played"], "g6g5");
    assert_eq!(exercise["moves"], json!(["h2e2", "h9g7", "h0g2"]));
    let right = &exercise["accepted"][0];
    assert_eq!(right["move"], "i9h9");
    assert_eq!(right["score"]["score_cp"], -9);
    assert_eq!(right["line"], json!(["i9h9", "i0h0"]));
    assert!(exercise["source"].as_str().unwrap().ends_with("games.pgn:1, ply 4"), "{exercise}");
}

#[test]
fn adding_a_source_twice_changes_nothing() {
    let folder = Folder::new();
    let file = exercises(&folder);
    let before = fs::read(&file).unwrap();
    let again = json_of(&["train", &file, "--add", &folder.at("games.pgn")]);
    assert_eq!(
        (&again["added"], &again["known"], &again["total"]),
        (&json!(0), &json!(1), &json!(1))
    );
    assert_eq!(fs::read(&file).unwrap(), before);
    assert!(folder.hidden().is_empty(), "{:?}", folder.hidden());
}

#[test]
fn reviews_as_json_are_sources_and_their_sides_are_chosen() {
    let folder = Folder::new();
    let games = folder
        .write("games.pgn", "[Result \"0-1\"]\n\n1. b0c2 a9a8 2. a0a1 a8h8 3. i0i1 c9e7 0-1\n");
    let review = ok(&["review", &games, "--nodes", "2000", "--threads", "1", "--json"]);
    let review = folder.write("review.jsonl", review.stdout);
    let file = folder.at("my.train");
    let all = json_of(&["train", &file, "--add", &review]);
    assert!(all["added"].as_u64().unwrap() > 1, "{all}");
    let sides: Vec<String> = ["red", "black"]
        .iter()
        .map(|side| {
            let file = folder.at(side);
            let added = json_of(&["train", &file, "--add", &review, "--side", side]);
            assert!(listed(&file).iter().all(|exercise| exercise["side"] == **side));
            added["added"].to_string()
        })
        .collect();
    let sum: u64 = sides.iter().map(|count| count.parse::<u64>().unwrap()).sum();
    assert_eq!(sum, all["added"].as_u64().unwrap(), "{sides:?}");
    // Without the moves between, the positions are not known.
    let marked =
        ok(&["review", &games, "--nodes", "2000", "--threads", "1", "--json", "--mistakes"]);
    let marked = folder.write("marked.jsonl", marked.stdout);
    fails(&["train", &folder.at("x"), "--add", &marked], 65, &["marked.jsonl:1", "--mistakes"]);
    assert!(!folder.join("x").exists());
}

#[test]
fn unknown_members_of_reviews_are_no_trouble() {
    let folder = Folder::new();
    let line = json!({"schema": "juzhong.review/1", "fen": "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1",
        "sure": 0.9, "place": "g.pgn:1", "game": 1, "moves": [{"ply": 1, "move": "a0a1", "mark": "mistake", "phase": "opening",
        "before": {"score_cp": 20, "mate": null, "expected": 0.5, "wdl": []}, "line": ["h2e2", "h9g7", "x"], "certain": true}],
        "left_book": {"ply": 1, "move": "a0a1", "book_move": "b0c2", "book": {"games": 7, "share": 0.5, "score": 0.5}}});
    let review = folder.write("review.jsonl", format!("\u{feff}{line}\r\n\r\n"));
    let file = folder.at("my.train");
    ok(&["train", &file, "--add", &review]);
    let accepted = &listed(&file)[0]["accepted"];
    assert_eq!(accepted[0]["line"], json!(["h2e2", "h9g7"]));
    assert_eq!((&accepted[1]["move"], &accepted[1]["book"]["games"]), (&json!("b0c2"), &json!(7)));
}

#[test]
fn mined_positions_are_exercises_in_every_format() {
    let folder = Folder::new();
    let tables = small_tables().to_str().unwrap();
    let mine = [
        "tablebase",
        "mine",
        "KRvKN",
        "--tables",
        tables,
        "--rules",
        "check",
        "--theme",
        "only-move",
        "--plies",
        "3",
        "--number",
        "2",
    ];
    let mut positions = Vec::new();
    for (format, with_tables) in [("json", false), ("json", true), ("pgn", false), ("fen", true)] {
        let more: &[&str] = if format == "json" { &["--json"] } else { &["--format", format] };
        let mined = ok(&[&mine[..], more].concat()).stdout;
        let mined = folder.write(&format!("mined.{format}"), mined);
        let file = folder.at(&format!("{format}-{with_tables}"));
        let tables: &[&str] =
            if with_tables { &["--tables", tables, "--rules", "check"] } else { &[] };
        ok(&[&["train", &file, "--add", &mined], tables].concat());
        let all = listed(&file);
        assert_eq!(all.len(), 2, "{format}");
        for exercise in &all {
            assert_eq!(exercise["kind"], "position");
            assert_eq!(exercise["accepted"].as_array().unwrap().len(), 1, "{exercise}");
            assert_eq!(exercise["goal"].is_null(), format == "pgn", "{exercise}");
        }
        let found: Vec<Value> =
            all.iter().map(|e| json!([e["id"], e["accepted"][0]["move"]])).collect();
        positions.push(found);
    }
    assert!(positions.iter().all(|found| *found == positions[0]), "{positions:?}");
}

#[test]
fn a_repertoire_is_made_of_a_book_or_of_games() {
    let folder = Folder::new();
    let games = "[Result \"1-0\"]\n\n1. h2e2 h9g7 2. h0g2 i9h9 1-0\n\n[Result \"1/2-1/2\"]\n\n1. h2e2 b9c7 2. b0c2 1/2-1/2\n\n\
                 [Result \"0-1\"]\n\n1. g3g4 g6g5 0-1\n";
    book_of(folder.path(), "a.book", games, BuildOptions::default());
    let (book, file) = (folder.at("a.book"), folder.at("my.train"));
    fails(&["train", &file, "--add", &book], 2, &["--side"]);
    ok(&["train", &file, "--add", &book, "--side", "red"]);
    let all = listed(&file);
    assert_eq!(all.len(), 3, "{all:?}");
    let moves = |exercise: &Value| {
        let accepted = exercise["accepted"].as_array().unwrap();
        accepted.iter().map(|right| right["move"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    // A move that only lost has no weight.
    assert_eq!(moves(&all[0]), ["h2e2"]);
    assert_eq!(all[0]["accepted"][0]["book"], json!({"games": 2, "score": 0.75}));
    let shallow = folder.at("shallow");
    ok(&["train", &shallow, "--add", &book, "--side", "red", "--depth", "2"]);
    assert_eq!(listed(&shallow).len(), 1);
    // The same positions from the games, to which a later source adds its moves.
    let lines = folder.at("lines");
    let added = json_of(&[
        "train",
        &lines,
        "--add",
        &folder.at("games.pgn"),
        "--repertoire",
        "--side",
        "red",
    ]);
    assert_eq!(added["added"], 3, "{added}");
    let more = folder.write("more.pgn", "1. h2e2 (1. b0c2 h9g7) *\n");
    let again = json_of(&["train", &lines, "--add", &more, "--repertoire", "--side", "red"]);
    assert_eq!((&again["added"], &again["extended"]), (&json!(0), &json!(1)), "{again}");
    assert_eq!(moves(&listed(&lines)[0]), ["h2e2", "g3g4", "b0c2"]);
    // Another move is not one of the repertoire, however good; the mirror image of one is.
    let session = said(&lines, DAY, &[], "i0i1\nb2e2\nquit\n");
    assert!(session.contains("wrong: i0i1  (not a move of the repertoire"), "{session}");
    assert!(session.contains("right: b2e2"), "{session}");
}

#[test]
fn a_session_over_a_pipe() {
    let folder = Folder::new();
    let file = exercises(&folder);
    let script = "help\nhnt\nxyzzy\ng6g5\nhint\nshow\n";
    let session = said(&file, DAY, &[], script).replace(&folder.at(""), "");
    insta::assert_snapshot!("train_session", session);
    let exercise = &listed(&file)[0];
    assert_eq!((&exercise["right"], &exercise["wrong"]), (&json!(0), &json!(1)));
    assert_eq!(exercise["due"], "2026-01-11");
}

#[test]
fn a_session_in_chinese() {
    let folder = Folder::new();
    let file = exercises(&folder);
    let script = "帮助\n车９平８\n";
    let session = said(&file, DAY, &["--lang", "zh", "--board", "hanzi"], script);
    insta::assert_snapshot!("train_session_zh", session.replace(&folder.at(""), ""));
}

#[test]
fn answers_decide_when_an_exercise_comes_again() {
    let folder = Folder::new();
    let file = exercises(&folder);
    let days = ["2026-01-10", "2026-01-11", "2026-01-17", "2026-02-03"];
    for pair in days.windows(2) {
        assert_eq!(
            json_of(&["train", &file, "--due", "--today", pair[0]])["due"],
            1,
            "{}",
            pair[0]
        );
        let session = said(&file, pair[0], &[], "车９平８\n");
        assert!(session.contains(&format!("next time: {}", pair[1])), "{session}");
        let after = json_of(&["train", &file, "--due", "--today", pair[0]]);
        assert_eq!((&after["due"], &after["next"]), (&json!(0), &json!(pair[1])));
        let nothing = said(&file, pair[0], &[], "");
        assert!(nothing.contains("nothing is due"), "{nothing}");
    }
    let hinted = said(&file, days[3], &[], "hint\ni9h9\n");
    assert!(hinted.contains("1 right, 0 wrong"), "{hinted}");
    assert_eq!(listed(&file)[0]["ease"], 2.66);
    // Skipped and left, nothing is noted.
    let before = fs::read(&file).unwrap();
    for input in ["skip\n", "quit\n", "", "moves\nboard\n"] {
        said(&file, "2026-12-01", &[], input);
        assert_eq!(fs::read(&file).unwrap(), before, "{input:?}");
    }
}

#[test]
fn tables_judge_moves_that_the_exercise_does_not_know() {
    let folder = Folder::new();
    let tables = small_tables().to_str().unwrap();
    let won = "4k4/9/9/9/9/9/9/9/R8/3K5 w - - 0 1";
    let positions = folder.write("won.pgn", format!("[FEN \"{won}\"]\n\n1. a1a8 *\n"));
    let file = folder.at("my.train");
    ok(&["train", &file, "--add", &positions]);
    let truth = ["--tables", tables, "--rules", "check"];
    let session = said(&file, DAY, &truth, "a1d1\n");
    assert!(session.contains("right, as good as the answer: a1d1  (tables: win in"), "{session}");
    let lost =
        folder.write("lost.pgn", "[FEN \"3k5/R8/9/9/9/9/9/9/9/4K4 w - - 0 1\"]\n\n1. a8a9 *\n");
    let file = folder.at("other.train");
    ok(&["train", &file, "--add", &lost]);
    let session = said(&file, DAY, &truth, "a8d8\n");
    assert!(session.contains("wrong: a8d8  (tables: draw)"), "{session}");
    // Without tables a search says the same.
    let file = folder.at("third.train");
    ok(&["train", &file, "--add", &lost]);
    let session = said(&file, DAY, &[], "a8d8\n");
    assert!(session.contains("wrong: a8d8  (engine: "), "{session}");
}

#[test]
fn the_evaluation_chosen_judges() {
    let folder = Folder::new();
    let judged = |more: &[&str]| {
        let file = exercises(&folder);
        let session = said(&file, DAY, more, "a9a8\n");
        fs::remove_file(file).unwrap();
        session
    };
    let [network, classical] = ["network", "classical"].map(|kind| judged(&["--evaluation", kind]));
    assert!(network.contains("(engine: ") && network != classical, "{network}{classical}");
    assert_eq!(judged(&[]), network);
}

#[test]
fn two_sessions_lose_no_answer() {
    let folder = Folder::new();
    let file = folder.at("my.train");
    let game = |rank: usize| {
        let ranks =
            [&["9"].repeat(8 - rank)[..], &["R8"], &["9"].repeat(rank - 1)].concat().join("/");
        format!("[FEN \"4k4/{ranks}/3K5 w - - 0 1\"]\n\n1. a{rank}b{rank} *\n\n")
    };
    let games = folder.write("games.pgn", (1..=6).map(game).collect::<String>());
    ok(&["train", &file, "--add", &games]);
    let count = listed(&file).len();
    assert_eq!(count, 6);
    let sessions = [(), ()].map(|()| {
        let mut session = command(&["train", &file, "--today", DAY]);
        session.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap()
    });
    // Both have read the file before one of them answers.
    let sessions = sessions.map(|mut session| {
        let mut said = BufReader::new(session.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains("1 of 6") {
            line.clear();
            assert!(said.read_line(&mut line).unwrap() > 0);
        }
        (session, said)
    });
    std::thread::scope(|scope| {
        for (mut session, mut said) in sessions {
            scope.spawn(move || {
                let mut input = session.stdin.take().unwrap();
                input.write_all("show\n".repeat(count).as_bytes()).unwrap();
                drop(input);
                said.read_to_string(&mut String::new()).unwrap();
                assert!(session.wait().unwrap().success());
            });
        }
    });
    for exercise in listed(&file) {
        assert_eq!(exercise["wrong"], 2, "{exercise}");
    }
    assert!(folder.hidden().is_empty(), "{:?}", folder.hidden());
}

#[test]
fn damaged_files_and_sources_are_refused_and_stay() {
    let folder = Folder::new();
    let file = exercises(&folder);
    let good = fs::read_to_string(&file).unwrap();
    let (head, line) = good.split_once('\n').unwrap();
    let damaged = [
        (String::new(), "not a file of exercises"),
        ("{}\n".to_owned(), "not a file of exercises"),
        (head.replace("\"version\":1", "\"version\":2"), "version 2"),
        (format!("{good}{line}"), ":3: duplicate exercise"),
        (good[..good.len() - 20].to_owned(), ":2: not an exercise"),
        (good.replace("g6g5", "g6g4"), ":2: g6g4 is no legal move there"),
        (good.replace("\"moves\":[\"h2e2\"", "\"moves\":[\"b2e2\""), ":2: its id"),
        (good.replace("\"ease\":250", "\"ease\":1"), ":2: its schedule"),
        (good.replace("\"rules\":\"asian\"", "\"rules\":\"x\""), ":2: there are no such rules"),
        (good.replace("\"kind\"", "\"sort\""), ":2: not an exercise"),
        (good.replace("\"game\":\"xiangqi\"", "\"game\":\"chess\""), ":2: there is no game"),
    ];
    for (text, what) in damaged {
        fs::write(&file, &text).unwrap();
        for action in [&["--list"][..], &["--due"], &[], &["--add", &folder.at("games.pgn")]] {
            let output = with_input(&[&["train", &file], action].concat(), "show\n");
            ended(&output, 65, &[what]);
            assert_eq!(fs::read_to_string(&file).unwrap(), text);
        }
    }
    let missing = folder.at("missing");
    fails(&["train", &missing, "--list"], 66, &["missing", "--add"]);
    fails(&["train", &missing], 66, &["--add"]);
    fails(&["train", &missing, "--add", &folder.at("none.pgn")], 66, &["none.pgn"]);
    let bad =
        folder.write("bad.jsonl", "{\"schema\":\"juzhong.review/1\",\"fen\":\"x\",\"moves\":[]}\n");
    fails(&["train", &missing, "--add", &folder.at("games.pgn"), &bad], 65, &["bad.jsonl:1"]);
    assert!(!folder.join("missing").exists());
    exits(&["train", &missing, "--json"], 2);
    exits(&["train", &missing, "--today", "2026-02-30"], 2);
}

/// A search that an interrupt ends says nothing about its position.
#[test]
fn an_interrupt_ends_the_adding() {
    let folder = Folder::new();
    let stop = StopFlag::default();
    let options = SourceOptions {
        rules: RuleSet::default(),
        side: None,
        is_repertoire: false,
        depth: 20,
        min_games: 1,
        folder: folder.path(),
        stop: &stop,
    };
    let engine = EngineOptions { hash_mib: 1, ..EngineOptions::default() };
    let nodes = 1_000_000_000_000;
    let mut examiner = Examiner::<Position>::new(engine, ReviewBooks::default(), nodes).unwrap();
    let source = format!("{}\n", Position::start().to_fen());
    let found = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            stop.set();
        });
        exercises_of("a", source.as_bytes(), &options, &mut examiner)
    });
    let error = found.expect_err("it was ended");
    assert!(
        matches!(&error, SourceError::Io(io) if io.kind() == std::io::ErrorKind::Interrupted),
        "{error}"
    );
}

#[test]
fn games_without_marks_give_nothing_and_it_is_said() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", "1. h2e2 h9g7 *\n");
    let output = ok(&["train", &folder.at("my.train"), "--add", &games]);
    assert!(text(&output.stderr).contains("review it first"), "{}", text(&output.stderr));
    assert!(stdout(&["train", &folder.at("my.train"), "--list"]).starts_with("0 of 0 due"));
}

#[test]
fn gomoku_is_trained_too() {
    let folder = Folder::new();
    let games = folder.write("games.jsonl", "{\"moves\":\"h8 h9 g7 i9 f6 j9 a1 g9\"}\n");
    let gomoku = |args: &[&str]| {
        [&["--game", "gomoku"], args].concat().iter().map(|a| (*a).to_owned()).collect::<Vec<_>>()
    };
    let review = gomoku(&["review", &games, "--nodes", "500", "--threads", "1", "--json"]);
    let review: Vec<&str> = review.iter().map(String::as_str).collect();
    let review = folder.write("review.jsonl", ok(&review).stdout);
    let file = folder.at("my.train");
    let added = json_of(&["--game", "gomoku", "train", &file, "--add", &review]);
    assert!(added["added"].as_u64().unwrap() > 0, "{added}");
    let output =
        with_input(&["--game", "gomoku", "train", &file, "--today", DAY], "hint\nshow\nquit\n");
    ended(&output, 0, &[]);
    assert!(text(&output.stdout).contains("answer: "), "{}", text(&output.stdout));
}
