//! `juzhong player`: what a collection says about a player.

use crate::support::folder::Folder;
use crate::support::program::{columns, fails, json, ok, stdout};

/// A game of a year.
fn game(red: &str, black: &str, year: u16, moves: &str, result: &str) -> String {
    format!("[Red \"{red}\"]\n[Black \"{black}\"]\n[Date \"{year}\"]\n\n{moves} {result}\n\n")
}

/// A collection in which 胡荣华 plays a new second move in 1990.
fn folder() -> Folder {
    let folder = Folder::new();
    let mut text = String::new();
    for (year, last) in (1970..).zip(["i0h0", "g3g4", "c3c4", "b2d2", "b2c2", "b0c2"]) {
        let moves = format!("1. h2e2 h9g7 2. h0g2 i9h9 3. {last} a9a8");
        text += &game(&format!("甲{year}"), "乙", year, &moves, "0-1");
    }
    text += &game("胡荣华", "柳大华", 1980, "1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0", "1-0");
    text += &game("胡榮華", "柳大华", 1980, "1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0", "1-0");
    text += &game("胡荣华", "吕钦", 1990, "1. h2e2 h9g7 2. b2b6 i9h9", "1/2-1/2");
    text += &game("上海 胡荣华", "吕钦", 1991, "1. h2e2 h9g7 2. h0g2 b9c7", "0-1");
    text += &game("吕钦", "胡荣华", 1992, "1. c3c4 b9c7", "0-1");
    folder.write("games/a.pgn", text);
    folder
}

#[test]
fn a_player_is_summed_up() {
    let folder = folder();
    let [games, index] = ["games", "index"].map(|name| folder.at(name));
    let about = |more: &[&str]| {
        json(&[&["player", "胡荣华", &games, "--index-folder", &index], more].concat())
    };
    let answer = about(&[]);
    assert_eq!(answer["schema"], "juzhong.player/1");
    // Copies in another script are one game.
    assert_eq!(
        (&answer["games"], &answer["wins"], &answer["losses"]),
        (&4.into(), &2.into(), &1.into())
    );
    assert_eq!(answer["names"].as_array().unwrap().len(), 3);
    let [red, black] = ["red", "black"].map(|side| &answer["sides"][side]);
    assert_eq!((&red["games"], &black["games"]), (&3.into(), &1.into()));
    assert_eq!(red["score"], 0.5);
    assert_eq!(red["novelties"].as_array().unwrap().len(), 1, "{red}");
    let novelty = &red["novelties"][0];
    assert_eq!(
        (&novelty["year"], &novelty["ply"], &novelty["games_before"]),
        (&1990.into(), &3.into(), &7.into())
    );
    assert_eq!(novelty["moves"][2], "b2b6");
    assert_eq!(black["model_games"][0]["opponent"], "吕钦");
    assert_eq!(about(&["--exact"])["games"], 3);
    assert_eq!(about(&["--since", "1991"])["games"], 2);
    assert_eq!(about(&["--alias", "甲"])["games"], 10);
}

/// What endings were worth when they began, beside what became of them.
#[test]
fn endings_are_compared_with_tables() {
    let folder = Folder::new();
    let fen = "3k5/9/9/9/4p4/9/9/9/4R4/4K4 w";
    let end = |date: u16, moves: &str, result: &str| {
        format!("[FEN \"{fen}\"]\n{}", game("胡荣华", "吕钦", date, moves, result))
    };
    let games = end(1990, "1. e1e5 d9d8 2. e5e4 d8d9 3. e4d4", "1-0")
        + &end(1991, "1. e1e5 d9d8 2. e5a5 d8d9", "1/2-1/2")
        + &end(1992, "1. e1d1 d9e9", "1/2-1/2");
    folder.write("games/a.pgn", games);
    let [games, index, tables] = ["games", "index", "tables"].map(|name| folder.at(name));
    ok(&["tablebase", "generate", "KRvK", "--tables", &tables]);
    let args = ["player", "胡荣华", &games, "--index-folder", &index, "--tables", &tables];
    let answer = json(&args);
    let endings = answer["sides"]["red"]["endings"].as_array().unwrap();
    assert_eq!(endings[0]["name"], "KRvK");
    let won = &endings[0]["tables"]["won"];
    assert_eq!((&won["games"], &won["wins"], &won["draws"]), (&2.into(), &1.into(), &1.into()));
    assert_eq!(endings[0]["tables"]["drawn"]["games"], 0);
    // No table has the pawn.
    assert_eq!((&endings[1]["name"], endings[1].get("tables")), (&"KRvKP".into(), None));
    let text = stdout(&args);
    assert!(text.contains("won by tables"), "{text}");
    fails(&[&args[..6], &["nowhere"]].concat(), 66, &["nowhere"]);
}

#[test]
fn the_text_is_in_both_languages_and_fits() {
    let folder = folder();
    let [games, index] = ["games", "index"].map(|name| folder.at(name));
    for language in ["en", "zh"] {
        let text =
            stdout(&["player", "huronghua", &games, "--index-folder", &index, "--lang", language]);
        assert!(text.lines().all(|line| columns(line) <= 80), "{text}");
        insta::assert_snapshot!(format!("player_{language}"), text);
    }
}

#[test]
fn a_repertoire_is_met_where_the_games_leave_it() {
    let folder = folder();
    let [games, index, lines, book, won] =
        ["games", "index", "lines.pgn", "black.book", "won.pgn"].map(|name| folder.at(name));
    // Black answers 1. h2e2 h9g7 2. h0g2 with i9h9, and has nothing against 2. b2b6.
    folder.write("lines.pgn", game("a", "b", 1960, "1. h2e2 h9g7 2. h0g2 i9h9", "0-1"));
    ok(&["book", "build", &lines, "-o", &book, "--min-games", "1"]);
    let common = ["player", "胡荣华", &games, "--index-folder", &index];
    let against = [&common[..], &["--against", &book, "--side", "black"]].concat();
    let meetings = json(&against)["meetings"].clone();
    let meetings = meetings.as_array().unwrap();
    let at = |moves: usize| {
        meetings.iter().find(|meeting| meeting["moves"].as_array().unwrap().len() == moves).unwrap()
    };
    assert_eq!(at(2)["by_player"], true);
    assert_eq!((&at(2)["next"][0]["move"], &at(2)["games"]), (&"b2b6".into(), &1.into()));
    assert_eq!(at(3)["next"][0]["move"], "b9c7");
    assert_eq!(at(4)["next"][0]["move"], "i0h0");
    fails(&[&common[..], &["--against", &book]].concat(), 2, &["--side"]);
    fails(&[&common[..], &["--against", &book, "--side", "white"]].concat(), 2, &["white"]);
    ok(&[&common[..], &["-o", &won]].concat());
    assert_eq!(std::fs::read_to_string(&won).unwrap().matches("[Red ").count(), 2);
    fails(&["player", "nobody", &games, "--index-folder", &index], 1, &["no game of nobody"]);
}

#[test]
fn a_player_is_written_as_a_page() {
    let folder = folder();
    let [games, index, page] = ["games", "index", "a.html"].map(|name| folder.at(name));
    let common = ["player", "胡荣华", &games, "--index-folder", &index];
    for (language, words) in [
        ("en", ["lang=\"en\"", ">Games by year<", "4 games: +2 =1 -1", ">Red</h2>"]),
        ("zh", ["lang=\"zh-CN\"", ">逐年对局<", "4 局：+2 =1 -1", ">红方</h2>"]),
    ] {
        let told = stdout(&[&common[..], &["--html", &page, "--lang", language]].concat());
        assert!(told.contains("胡荣华 (3)"), "{told}");
        let text = std::fs::read_to_string(&page).unwrap();
        for word in words {
            assert!(text.contains(word), "{word}: {text}");
        }
        assert_eq!(text.matches("<figure>").count(), 2);
        assert!(text.matches("class=\"plot\"").count() == 2 && !text.contains("<script"));
    }
    let output = ok(&[&common[..], &["--html", "-"]].concat());
    assert!(output.stdout.starts_with(b"<!DOCTYPE html>"));
    fails(&[&common[..], &["--html", "-", "--json"]].concat(), 2, &["standard output"]);
    assert_eq!(json(&common)["lengths"][0]["to"], 19);
}
