//! `juzhong review`: sources, losses, books, outputs, threads, interruptions.

use std::fmt::Write as _;
use std::fs;

use juzhong::game::{Game, Line, MoveList};
use juzhong::record::{PgnOptions, Record, Tree, read_games, write_annotated_pgn};
use juzhong::review::{GameMoves, Mark, PositionValue, annotate, review};
use juzhong::search::Score;
use juzhong::tablebase::{Metric, Rules, Tables, Wdl};
use juzhong::xiangqi::{Move, Position, RuleSet};
use proptest::prelude::*;
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::games::{outline, records};
use crate::support::program::{
    columns, command, ended, exits, fails, json, juzhong, ok, stdout, text,
};
use crate::support::tables::small_tables;

/// A blunder by Red at move 3 (the chariot stands where the cannon takes it), with a comment and a variation.
const GAMES: &str = "\
[Event \"全国赛\"]
[Date \"1999.03.01\"]
[Red \"甲\"]
[Black \"乙\"]
[Result \"0-1\"]

1. h2e2 h9g7 {a reply} (1. ... b9c7 2. b0c2) 2. h0g2 i9h9 3. i0h0 b9c7 4. h0h7 h9h7 0-1

[Red \"丙\"]
[Result \"*\"]

1. g3g4 c6c5 *
";

fn folder() -> (Folder, String) {
    let folder = Folder::new();
    let games = folder.write("games.pgn", GAMES);
    (folder, games)
}

/// Reviews with few nodes; the objects of the games.
fn answers(args: &[&str]) -> Vec<Value> {
    let text = stdout(&[&["review", "--nodes", "500", "--json"], args].concat());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_review_is_text_in_80_columns() {
    let (folder, games) = folder();
    let book = &folder.at("a.book");
    ok(&["book", "build", "books/openings/same-direction-cannons.pgn", "-o", book]);
    let long = folder.write(
        "long.pgn",
        format!("[Red \"{}\"]\n\n1. h2e2 h9g7 2. a3a4 a6a5 *\n", "名".repeat(90)),
    );
    for notation in ["uci", "iccs", "wxf", "chinese"] {
        let args = ["--nodes", "500", "--book", book, "--notation", notation];
        let shown = stdout(&[&["review", &games, &long], &args[..]].concat());
        assert!(shown.lines().all(|line| columns(line) <= 80), "{shown}");
        for part in
            ["red      甲", "event    全国赛, 1999.03.01", "result   0-1", "accuracy", "book  "]
        {
            assert!(shown.contains(part), "{part} in {shown}");
        }
    }
    let shown = stdout(&["review", &games, "--nodes", "500"]);
    assert!(shown.contains("games.pgn:1: game 1") && shown.contains("game 2"), "{shown}");
    assert!(shown.contains("    1... h9g7") && shown.contains("?? blunder"), "{shown}");
    assert!(shown.contains("better ("), "{shown}");
    let only = stdout(&["review", &games, "--nodes", "500", "--mistakes"]);
    assert!(only.contains("?? blunder") && !only.contains("h0g2  "), "{only}");
}

#[test]
fn the_object_of_a_game() {
    let (_folder, games) = folder();
    let found = answers(&[&games, "--notation", "chinese"]);
    assert_eq!(found.len(), 2);
    let game = &found[0];
    assert_eq!(game["schema"], "juzhong.review/1");
    assert_eq!((&game["red_player"], &game["result"]), (&"甲".into(), &"0-1".into()));
    assert!(game["ecco"].as_str().unwrap().starts_with(['B', 'C']), "{game}");
    assert_eq!(game["left_book"], Value::Null);
    let moves = game["moves"].as_array().unwrap();
    assert_eq!(moves.len(), 8);
    let blunder = &moves[6];
    assert_eq!((&blunder["move"], &blunder["mark"]), (&"h0h7".into(), &"blunder".into()));
    assert_eq!((&blunder["side"], &blunder["source"]), (&"red".into(), &"search".into()));
    assert!(blunder["text"].as_str().unwrap().starts_with('车'), "{blunder}");
    for pair in moves.windows(2) {
        let [after, before] =
            [&pair[0]["after"], &pair[1]["before"]].map(|s| s["score_cp"].as_i64());
        assert_eq!(after.unwrap(), -before.unwrap(), "{pair:?}");
    }
    for mv in moves {
        assert_eq!(mv["nodes"].as_u64().unwrap(), 500);
        let [before, after] =
            [&mv["before"], &mv["after"]].map(|s| s["expected"].as_f64().unwrap());
        assert!((before - after - mv["loss"].as_f64().unwrap()).abs() < 1e-3, "{mv}");
    }
    let red = &game["red"];
    assert_eq!((&red["moves"], &red["blunders"]), (&4.into(), &1.into()));
    assert!(red["accuracy"].as_f64().unwrap() < game["black"]["accuracy"].as_f64().unwrap());
    let marked = answers(&[&games, "--mistakes"]);
    assert!(marked[0]["moves"].as_array().unwrap().iter().all(|mv| !mv["mark"].is_null()));
    assert_eq!(marked[0]["red"], *red);
}

#[test]
fn a_game_leaves_the_book() {
    let (folder, _) = folder();
    let lines = "h2e2 h9g7 h0g2\nh2e2 h9g7 h0g2\nh2e2 h9g7 b0c2\nh2e2 b9c7\n";
    let [lines, book] = [folder.write("lines.txt", lines), folder.at("a.book")];
    ok(&["book", "build", &lines, "-o", &book, "--no-dedup"]);
    let game = folder.write("game.txt", "h2e2 h9g7 a3a4 b9c7\n");
    let found = answers(&[&game, "--book", &book]);
    let sources: Vec<&str> = found[0]["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["source"].as_str().unwrap())
        .collect();
    assert_eq!(sources, ["book", "book", "search", "search"]);
    assert_eq!(found[0]["moves"][1]["book"]["games"], 3);
    assert_eq!(found[0]["moves"][1]["book"]["share"], 0.75);
    let left = &found[0]["left_book"];
    assert_eq!((&left["ply"], &left["move"]), (&3.into(), &"a3a4".into()));
    assert_eq!((&left["book_move"], &left["book"]["games"]), (&"h0g2".into(), &2.into()));
    let shown = stdout(&["review", &game, "--book", &book, "--nodes", "100"]);
    assert!(shown.contains("book     left at move 2 of Red, a3a4"), "{shown}");
    assert!(shown.contains("the book plays h0g2 (2 games, 66.7%)"), "{shown}");
    // The mirror image is the same move; a book for Black says nothing about Red's.
    let mirrored = folder.write("mirrored.txt", "b2e2 b9c7 b0c2\n");
    let found = answers(&[&mirrored, "--book", &book]);
    assert_eq!(found[0]["left_book"], Value::Null);
    let found = answers(&[&mirrored, "--book", &format!("{book}:black")]);
    assert_eq!(found[0]["moves"][0]["source"], "search");
    let with = |value: &str| {
        let args = ["review", &mirrored, "--nodes", "50", "--json"];
        text(&command(&args).env("JUZHONG_BOOK", value).output().unwrap().stdout)
    };
    assert!(
        with(&book).contains("\"source\":\"book\"") && !with("").contains("\"source\":\"book\"")
    );
}

/// The rows of a review by text, and the moves of a JSON one.
fn of_program(args: &[&str]) -> (String, Value) {
    (stdout(args), json(args))
}

#[test]
fn suspects_are_looked_at_again() {
    let (_folder, games) = folder();
    let found = answers(&[&games]);
    let blunder = &found[0]["moves"][6];
    assert!(["stable", "likely", "proved"].contains(&blunder["certainty"].as_str().unwrap()));
    let look = &blunder["second_look"];
    assert!(look["rounds"].as_u64() >= Some(2), "{blunder}");
    let [other, played] = ["other", "played"].map(|of| look[of]["expected"].as_f64().unwrap());
    assert!((other - played - blunder["loss"].as_f64().unwrap()).abs() < 1e-3, "{blunder}");
    let better = blunder["better"].as_array().unwrap();
    assert!((1..=12).contains(&better.len()) && better[0] != blunder["move"], "{blunder}");
    for mv in found.iter().flat_map(|game| game["moves"].as_array().unwrap()) {
        check_mark_by_certain_loss(mv);
    }
    // Without an effort nothing is looked at again, and marks are likely at best.
    for game in answers(&[&games, "--effort", "0"]) {
        for mv in game["moves"].as_array().unwrap() {
            assert_eq!(mv["second_look"], Value::Null);
            let expected = if mv["mark"].is_null() { Value::Null } else { "likely".into() };
            assert_eq!(mv["certainty"], expected);
        }
    }
    for mv in found.iter().flat_map(|game| game["moves"].as_array().unwrap()) {
        assert_eq!(mv["better"].as_array().unwrap().is_empty(), mv["mark"].is_null(), "{mv}");
        let is_certain = matches!(mv["certainty"].as_str(), Some("proved" | "stable" | "likely"));
        assert_eq!(is_certain, !mv["mark"].is_null(), "{mv}");
    }
}

/// Checks that the mark after a second look is the one of the certain loss that is stated, which no loss is less than.
fn check_mark_by_certain_loss(mv: &Value) {
    let look = &mv["second_look"];
    let Some(certain) = look["certain_loss"].as_f64() else { return };
    let of = |which: &str| look[which]["expected"].as_f64().unwrap();
    let last = (of("other") - of("played")).max(0.0);
    let is_searched = ["other", "played"].iter().all(|which| look[*which]["score_cp"].is_i64());
    let least = if is_searched { last.min(look["mean_loss"].as_f64().unwrap()) } else { last };
    assert!(certain <= least + 2e-4, "{mv}");
    let mark = Mark::of_loss(certain).map(Mark::name);
    assert_eq!(mv["mark"].as_str(), mark, "{mv}");
}

#[test]
fn what_books_know_well_has_no_mark() {
    let folder = Folder::new();
    let lines = "h2h9 i9h9\n".repeat(3) + "h2e2 h9g7\n";
    let [lines, book] = [folder.write("lines.txt", lines), folder.at("a.book")];
    ok(&["book", "build", &lines, "-o", &book, "--no-dedup"]);
    let game = folder.write("game.txt", "h2h9 i9h9\n");
    let first = |more: &[&str]| answers(&[&[game.as_str()], more].concat())[0]["moves"][0].clone();
    let usual = first(&["--book", &book]);
    assert_eq!((&usual["mark"], &usual["book"]["known"]), (&"mistake".into(), &false.into()));
    let limited = format!("{book}:games=3");
    for known in [first(&["--book", &book, "--known-games", "3"]), first(&["--book", &limited])] {
        assert_eq!((&known["mark"], &known["book"]["known"]), (&Value::Null, &true.into()));
        assert_eq!((&known["loss"], &known["second_look"]), (&0.0.into(), &Value::Null));
        assert_eq!(known["book"]["games"], 3);
    }
    let shown = stdout(&["review", &game, "--nodes", "500", "--book", &limited]);
    assert!(
        shown.contains("book") && shown.contains("3 games") && !shown.contains("?? blunder"),
        "{shown}"
    );
}

#[test]
fn times_phases_and_the_turning_point() {
    let folder = Folder::new();
    let game = "[TimeControl \"60+1\"]\n\n1. h2e2 {[%clk 0:00:55]} h9g7 {[%emt 0:00:02.5]} 2. h0g2 {[%clk 0:00:50]} \
                i9h9 3. i0h0 b9c7 4. h0h7 h9h7 5. b0c2 a6a5 *\n";
    let game = folder.write("game.pgn", game);
    let (shown, answer) = of_program(&["review", &game, "--nodes", "500"]);
    assert!(shown.contains("time used") && shown.contains("0:00:12"), "{shown}");
    assert_eq!(
        (&answer["red"]["time_used"], &answer["black"]["time_used"]),
        (&12.0.into(), &2.5.into())
    );
    assert_eq!(answer["moves"][2]["time_used"], 6.0);
    assert_eq!(answer["moves"][3]["time_used"], Value::Null);
    assert_eq!(answer["red"]["phases"]["opening"]["moves"], 5);
    assert_eq!(answer["red"]["phases"]["ending"]["accuracy"], Value::Null);
    let point = &answer["turning_point"];
    assert_eq!((&point["ply"], &point["side"]), (&7.into(), &"black".into()), "{point}");
    assert!(point["before"].as_f64() < Some(0.6) && point["after"].as_f64() > Some(0.6));
    assert!(shown.contains("turning point: move 4 of Red, h0h7"), "{shown}");
    let lost = answer["red"]["lost"].as_f64().unwrap();
    let moves = answer["moves"].as_array().unwrap().iter().step_by(2);
    let sum: f64 = moves.map(|mv| mv["loss"].as_f64().unwrap()).sum();
    assert!((lost - sum).abs() < 1e-3 && lost > 0.2, "{lost} {sum}");
}

#[test]
fn many_games_have_sums() {
    let (folder, games) = folder();
    let args = ["review", &games, "--nodes", "500", "--summary"];
    let (shown, answer) = of_program(&args);
    assert!(shown.lines().all(|line| columns(line) <= 80), "{shown}");
    for part in ["2 games reviewed", "opening", "player", "甲", "lost in: ", "points lost"] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert_eq!(
        (&answer["schema"], &answer["games"]),
        (&"juzhong.review.summary/1".into(), &2.into())
    );
    assert_eq!(answer["moves"], 10);
    let players = answer["players"].as_array().unwrap();
    let names: Vec<&str> = players.iter().map(|row| row["player"].as_str().unwrap()).collect();
    assert_eq!(names, ["丙", "乙", "甲"]);
    assert_eq!(players[2]["blunders"], 1);
    assert_eq!(players[2]["phases"]["opening"]["lost"], players[2]["lost"]);
    assert!(answer["openings"].as_array().is_some_and(|rows| !rows.is_empty()));
    // The sums are those of the games, whatever their order.
    let each = answers(&[&games]);
    let lost: f64 = each.iter().map(|game| game["red"]["lost"].as_f64().unwrap()).sum::<f64>()
        + each.iter().map(|game| game["black"]["lost"].as_f64().unwrap()).sum::<f64>();
    assert!((answer["lost"].as_f64().unwrap() - lost).abs() < 1e-3);
    let parts: Vec<&str> = GAMES.split("\n[Red \"丙\"]").collect();
    let turned = format!("[Red \"丙\"]{}\n{}", parts[1], parts[0]);
    let turned = folder.write("turned.pgn", turned);
    assert_eq!(json(&["review", &turned, "--nodes", "500", "--summary"]), answer);
    fails(&["review", &games, "--summary", "-o", "-"], 2, &["-o -", "--summary"]);
    fails(&["review", &games, "--summary", "--mistakes"], 2, &["--mistakes"]);
    let out = folder.at("out.pgn");
    ok(&["review", &games, "--nodes", "100", "--summary", "-o", &out]);
    assert!(fs::read_to_string(&out).unwrap().contains("[%eval "));
}

#[test]
fn better_lines_have_their_evaluation() {
    let (folder, games) = folder();
    let out = folder.at("out.pgn");
    ok(&["review", &games, "--nodes", "500", "-o", &out, "--notation", "uci"]);
    let mut read = Vec::new();
    read_games("t", &fs::read(&out).unwrap(), &mut |game| read.push(game.unwrap().record));
    let better = read[0].tree.variations.iter().find(|variation| variation.ply == 6).unwrap();
    assert!((1..=12).contains(&better.tree.moves.len()));
    let (ply, comment) = &better.tree.comments[0];
    assert!(*ply == 1 && comment.starts_with("[%eval "), "{comment}");
    let of_move = &read[0].tree.comments.iter().find(|(ply, _)| *ply == 7).unwrap().1;
    let is_sure = ["Proved.", "Stable in deeper searches.", "Likely."];
    assert!(is_sure.iter().any(|text| of_move.contains(text)), "{of_move}");
}

/// Moves of the position with each value that the tables of KRvKN have for them.
fn by_value(fen: &str) -> impl Fn(Wdl) -> Move {
    let tables = Tables::open(small_tables(), Rules::Check, Metric::Dtm).unwrap();
    let moves = tables.probe_root(&Position::from_fen(fen).unwrap()).unwrap();
    move |wdl| moves.iter().find(|(_, entry)| entry.wdl == wdl).unwrap().0
}

#[test]
fn tables_know_what_was_let_go() {
    let folder = Folder::new();
    let fen = "4k4/R8/9/9/9/9/9/9/9/3K5 w - - 0 1";
    let of = by_value(fen);
    let (good, bad) = (of(Wdl::Win), of(Wdl::Draw));
    let tables = small_tables().to_str().unwrap();
    let game =
        |mv: Move| folder.write(&format!("{mv}.pgn"), format!("[FEN \"{fen}\"]\n\n1. {mv} *\n"));
    let args = ["--tables", tables, "--rules", "check"];
    let found = answers(&[&[game(bad).as_str()], &args[..]].concat());
    let mv = &found[0]["moves"][0];
    assert_eq!((&mv["source"], &mv["mark"]), (&"table".into(), &"blunder".into()), "{mv}");
    assert_eq!(mv["table"]["before"]["value"], "win");
    assert_eq!(mv["table"]["after"]["value"], "draw");
    assert_eq!((&mv["table"]["loss"], &mv["loss"]), (&"win_let_go".into(), &0.5.into()));
    assert_ne!(mv["line"][0], mv["move"]);
    let shown = stdout(&[&["review", &game(bad)], &args[..]].concat());
    assert!(shown.contains("Throws away a won ending: KRvK, win in "), "{shown}");
    let found = answers(&[&[game(good).as_str()], &args[..]].concat());
    let mv = &found[0]["moves"][0];
    assert_eq!((&mv["mark"], &mv["loss_cp"]), (&Value::Null, &0.into()), "{mv}");
}

#[test]
fn a_won_position_may_be_lost_by_the_truth() {
    // The knight takes the chariot, or Black is lost.
    let fen = "4k4/9/9/6n2/8R/9/9/9/9/3K5 b - - 0 1";
    let folder = Folder::new();
    let of = by_value(fen);
    let (best, bad) = (of(Wdl::Win), of(Wdl::Loss));
    let tables = small_tables().to_str().unwrap();
    let review_of = |mv: Move| {
        let game = folder.write("game.pgn", format!("[FEN \"{fen}\"]\n\n1. ... {mv} *\n"));
        answers(&[&game, "--tables", tables, "--rules", "check"])[0]["moves"][0].clone()
    };
    let lost = review_of(bad);
    assert_eq!((&lost["side"], &lost["table"]["loss"]), (&"black".into(), &"win_let_go".into()));
    assert_eq!((&lost["mark"], &lost["loss"]), (&"blunder".into(), &1.0.into()));
    let won = review_of(best);
    assert_eq!((&won["mark"], &won["only_move"]), (&Value::Null, &true.into()), "{won}");
}

/// The rules on repetition end what the tables call a win.
#[test]
fn a_perpetual_check_loses_a_won_position() {
    let folder = Folder::new();
    let fen = "3k5/9/9/9/9/9/9/9/4R4/5K3 w - - 0 1";
    let moves = ["e1d1 d9e9 d1e1 e9d9"; 3].join(" ");
    let game = folder.write("game.pgn", format!("[FEN \"{fen}\"]\n\n{moves} *\n"));
    let args = [&game, "--tables", small_tables().to_str().unwrap(), "--rules", "check"];
    let found = answers(&args);
    let moves = found[0]["moves"].as_array().unwrap();
    assert_eq!(moves[0]["table"]["loss"], "longer_win");
    let lost = moves.iter().find(|mv| !mv["mark"].is_null()).unwrap();
    assert_eq!((&lost["mark"], &lost["side"]), (&"blunder".into(), &"red".into()), "{lost}");
    assert!(lost["loss"].as_f64().unwrap() > 0.9 && lost["ply"].as_u64().unwrap() > 4, "{lost}");
}

#[test]
fn annotated_games_keep_what_they_had() {
    let (folder, games) = folder();
    let out = folder.at("out.pgn");
    ok(&["review", &games, "--nodes", "500", "-o", &out]);
    let written = fs::read_to_string(&out).unwrap();
    for part in ["[Red \"甲\"]", "{a reply}", "[%eval ", "$4", "Blunder: ", "Accuracy of Red: "] {
        assert!(written.contains(part), "{part} in {written}");
    }
    assert!(folder.hidden().is_empty(), "{:?}", folder.names());
    let read = |bytes: &[u8]| {
        let mut games = Vec::new();
        read_games("t", bytes, &mut |game| games.push(game.unwrap().record));
        games
    };
    let (before, after) = (read(GAMES.as_bytes()), read(written.as_bytes()));
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        assert_eq!(before.tree.moves, after.tree.moves);
        assert_eq!(before.result, after.result);
    }
    assert!(variations(&after[0].tree).contains(&(1, "b9c7 b0c2".to_owned())));
    assert!(after[0].tree.variations.len() > 1);
    // To standard output there are the games alone, and packed files are packed.
    let piped = ok(&["review", &games, "--nodes", "500", "-o", "-"]);
    assert_eq!(text(&piped.stdout), written);
    let packed = folder.at("out.pgn.gz");
    ok(&["review", &games, "--nodes", "500", "--pgn", &packed]);
    assert_eq!(fs::read(&packed).unwrap()[..2], [0x1f, 0x8b]);
    fails(&["review", &games, "-o", "-", "--json"], 2, &["-o -"]);
    fails(&["review", &games, "-o", &games], 73, &["also an input"]);
    fails(&["review", &games, "-o", &folder.at("")], 73, &[]);
}

/// Values as an engine could find them: any legal line from each position, any score.
fn some_values(record: &Record<Position>, seeds: &[i32]) -> Vec<PositionValue<Move>> {
    let mut line = Line::new(start_of(record), record.start_clock);
    let mut values = Vec::new();
    for ply in 0..=record.tree.moves.len() {
        let seed = seeds[ply % seeds.len()];
        let mut position = line.position().clone();
        let mut moves = Vec::new();
        for _ in 0..seed.unsigned_abs() % 5 {
            let mut list = MoveList::new();
            position.legal_moves(&mut list);
            let Some(&mv) = list.get(seed.unsigned_abs() as usize % list.len().max(1)) else {
                break;
            };
            position.make(mv);
            moves.push(mv);
        }
        let score = Score::from_eval(seed);
        values.push(PositionValue::of_search(score, moves));
        if let Some(&mv) = record.tree.moves.get(ply) {
            line.push(mv);
        }
    }
    values
}

fn start_of(record: &Record<Position>) -> Position {
    record.start.clone().unwrap_or_else(Position::start)
}

/// Every variation of the main line, in order.
fn variations(tree: &Tree<Position>) -> Vec<(usize, String)> {
    tree.variations.iter().map(|of| (of.ply, outline(&of.tree))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn what_is_written_reads_back_with_the_same_moves(
        record in records(),
        seeds in prop::collection::vec(-900..900, 1..20),
    ) {
        let start = start_of(&record);
        let (start_clock, moves) = (record.start_clock, &record.tree.moves);
        let game = GameMoves { start: &start, start_clock, moves, known: &[] };
        let found = review(game, &some_values(&record, &seeds), &[], RuleSet::default());
        let remark = |_: usize, _: &_| Some("a } b $3 (".to_owned());
        let annotated = annotate(&record, &found, Some("first".to_owned()), &remark);
        let mut bytes = Vec::new();
        let options = PgnOptions::default();
        write_annotated_pgn(&mut bytes, &annotated.record, &annotated.nags, &options).unwrap();
        let mut read = Vec::new();
        read_games("t", &bytes, &mut |game| read.push(game.unwrap().record));
        prop_assert_eq!(read.len(), 1);
        prop_assert_eq!(&read[0].tree.moves, &record.tree.moves);
        prop_assert_eq!(read[0].result, record.result);
        let all = |tree: &Tree<Position>| {
            tree.comments.iter().map(|(_, text)| text.clone()).collect::<Vec<_>>().join("\n")
        };
        let comments = all(&read[0].tree);
        for (_, comment) in &record.tree.comments {
            // Lines that look like tags are joined, whoever wrote them.
            let has = comment.lines().all(|line| comments.contains(line.trim()));
            prop_assert!(has, "{} in {}", comment, comments);
        }
        let mut mine = variations(&annotated.record.tree);
        mine.sort_by_key(|(ply, _)| *ply);
        let (mine, there) = (mine.len(), variations(&read[0].tree).len());
        prop_assert_eq!(mine, there);
    }
}

/// Games of twelve plies that differ.
fn many(count: usize) -> String {
    let openings = ["h2e2", "b2e2", "g3g4", "c3c4", "h0g2", "b0c2"];
    let replies = ["h9g7", "b9c7", "c6c5", "g6g5"];
    let mut text = String::new();
    for n in 0..count {
        let (first, second) = (openings[n % 6], replies[n / 6 % 4]);
        let _ = writeln!(
            text,
            "[Round \"{n}\"]\n\n1. {first} {second} 2. a3a4 a6a5 3. i3i4 i6i5 4. a0a1 a9a8 5. i0i1 i9i8 *\n"
        );
    }
    text
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", many(7));
    let reviewed = |threads: &str| {
        let out = folder.at(&format!("{threads}.pgn"));
        let args = ["review", &games, "--nodes", "300", "--threads", threads, "-o", &out];
        let shown = stdout(&args);
        (shown, fs::read(&out).unwrap())
    };
    let one = reviewed("1");
    assert_eq!(one.0.matches(": game ").count(), 7);
    assert!(one == reviewed("3"));
    assert!(one == reviewed("8"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_review_goes_on() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    use crate::support::program::signal;

    let folder = Folder::new();
    let games = folder.write("games.pgn", many(24));
    let [out, whole] = ["out.pgn", "whole.pgn"].map(|name| folder.at(name));
    let args = |out| ["review", &games, "--nodes", "3000", "--threads", "1", "-o", out];
    let expected = stdout(&args(&whole));
    let mut child =
        command(&args(&out)).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let journal = folder.join(".out.pgn.review");
    let until = Instant::now() + Duration::from_secs(120);
    while fs::metadata(&journal).map_or(0, |about| about.len()) < 200 {
        assert!(Instant::now() < until && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(signal(&child, "INT"));
    ended(&child.wait_with_output().unwrap(), 75, &["games that are kept", "run the same command"]);
    assert!(!folder.join("out.pgn").exists() && journal.exists());
    fails(&["review", &games, "--nodes", "9", "-o", &out], 73, &["other options", "remove"]);
    let output = ok(&args(&out));
    ended(&output, 0, &["games that were evaluated before"]);
    assert_eq!(text(&output.stdout), expected);
    assert!(fs::read(&out).unwrap() == fs::read(&whole).unwrap());
    assert!(folder.hidden().is_empty(), "{:?}", folder.names());
}

#[test]
fn bad_games_are_left_out_with_their_places() {
    let folder = Folder::new();
    let lines = "h2e2 h9g7\nh2h8 h9g8\ng3g4 c6c5\n";
    let [games, list] = [folder.write("games.txt", lines), folder.at("list")];
    let output = ok(&["review", &games, "--nodes", "50"]);
    ended(&output, 0, &["games.txt:2", "bad games left out: 1"]);
    assert_eq!(text(&output.stdout).matches(": game ").count(), 2);
    ok(&["review", &games, "--nodes", "50", "--rejects", &list]);
    assert!(fs::read_to_string(&list).unwrap().contains("\t2\t2\t"));
}

#[test]
fn games_are_reviewed_up_to_an_illegal_move() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", "[Red \"a\"]\n\n1. h2e2 h9g7\n2. h0g2 ± h9g8 *\n");
    let output = ok(&["review", &games, "--nodes", "50"]);
    ended(
        &output,
        0,
        &["games.pgn:4: game 1 ends before move 2 of Black: \"h9g8\"", "passed over"],
    );
    let shown = text(&output.stdout);
    assert!(shown.contains("h0g2") && !shown.contains("h9g8"), "{shown}");
    let long = format!("{}\n", "h0g2 h9g7 g2h0 g7h9 ".repeat(501));
    let long = folder.write("long.txt", long);
    fails(&["review", &long], 65, &["2004 plies", "at most 2000"]);
    let empty = folder.write("empty.pgn", "[Red \"a\"]\n\n*\n");
    assert!(stdout(&["review", &empty]).contains("moves    none"));
    let found = answers(&[&empty]);
    assert_eq!(found[0]["moves"], Value::Array(Vec::new()));
}

#[test]
fn the_command_says_what_is_wrong() {
    let (folder, games) = folder();
    fails(&["review"], 2, &[]);
    fails(&["review", &games, "--nodes", "0"], 2, &["--nodes"]);
    fails(&["review", &games, "--game", "gomoku"], 65, &["no game"]);
    let args = ["review", &games, "--game", "gomoku", "-o", &folder.at("out.pgn")];
    fails(&args, 2, &[".sgf or .jsonl"]);
    fails(&["review", &games, "--rules", "dojo"], 2, &["dojo"]);
    fails(&["review", &folder.at("none.pgn")], 66, &["none.pgn"]);
    fails(&["review", &games, "--book", &folder.at("none.book")], 66, &["none.book"]);
    let no_book = folder.write("no.book", "no book");
    fails(&["review", &games, "--book", &no_book], 65, &["no.book"]);
    fails(&["review", &games, "--tables", &folder.at("none")], 66, &["none"]);
    fails(&["review", &games, "--tables", &folder.at("")], 66, &["generate"]);
    fails(&["review", &games, "--player", "nobody"], 1, &["none of 2 games"]);
    fails(&["review", &games, "--threads", "256", "--hash", "32768"], 69, &["--threads", "--hash"]);
    let found = answers(&[&games, "--player", "丙"]);
    assert_eq!((found.len(), &found[0]["game"]), (1, &2.into()));
    let junk = folder.write("junk.pgn", [0_u8, 1, 2, 3]);
    assert_eq!(juzhong(&["review", &junk]).status.code(), Some(65));
    let journal = folder.write(".out.pgn.review", "notes of mine, which must stay");
    exits(&["review", &games, "-o", &folder.at("out.pgn")], 73);
    assert_eq!(fs::read_to_string(journal).unwrap(), "notes of mine, which must stay");
}

/// A game of gomoku in which White lets a three become an open four.
const GOMOKU: &str = "(;GM[4]SZ[15]PB[甲]PW[乙]EV[Cup]RE[B+];B[hh]C[the middle];W[ih];B[hi];W[ii];B[hg];W[aa]\
                      ;B[hf];W[ab];B[he])";

#[test]
fn games_of_gomoku_are_reviewed() {
    let folder = Folder::new();
    let games = &folder.write("games.sgf", GOMOKU);
    let text = stdout(&["review", games, "--game", "gomoku", "--nodes", "2000"]);
    assert!(text.lines().all(|line| columns(line) <= 80), "{text}");
    for part in ["black    甲", "white    乙", "event    Cup", "for Black", "Black    White", "??"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let args = ["review", games, "--game", "gomoku", "--nodes", "2000"];
    let answer = json(&args);
    assert_eq!((&answer["black_player"], &answer["white_player"]), (&"甲".into(), &"乙".into()));
    let moves = answer["moves"].as_array().unwrap();
    assert_eq!((moves.len(), &moves[1]["side"]), (9, &"white".into()));
    assert_eq!(moves[5]["mark"], "blunder");
    assert!(answer["white"]["blunders"].as_u64() >= Some(1) && answer.get("red").is_none());
}

#[test]
fn reviews_of_gomoku_become_sgf_and_lines_of_json() {
    let folder = Folder::new();
    let games = &folder.write("games.sgf", GOMOKU);
    let run = |game: &str, out: &str| {
        ok(&["review", game, "--game", "gomoku", "--nodes", "2000", "-o", out, "--threads", "2"]);
        fs::read_to_string(out).unwrap()
    };
    let (sgf, jsonl) = (folder.at("a.sgf"), folder.at("a.jsonl"));
    let text = run(games, &sgf);
    for part in ["PB[甲]", "the middle", "[%eval ", "Blunder: ", "Accuracy of White: "] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(text.contains("(;W["), "a better line of White: {text}");
    let line: Value = serde_json::from_str(&run(games, &jsonl)).unwrap();
    assert!(line["moves"].is_array() || line["moves"].is_string(), "{line}");
    // A review of the review adds nothing.
    let again = run(&sgf, &folder.at("b.sgf"));
    assert_eq!(again.matches("[%eval ").count(), text.matches("[%eval ").count());
    let to_stdout = stdout(&["review", games, "--game", "gomoku", "--nodes", "2000", "-o", "-"]);
    assert_eq!(to_stdout, text);
}
