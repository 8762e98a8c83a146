//! `juzhong games`: an index of a collection, searches in it, one game at once.

use std::fs;

use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{columns, command, exits, fails, json, ok, stdout, text};

/// A collection and the folder of its index.
fn folder() -> Folder {
    let folder = Folder::new();
    let game = |red: &str, black: &str, year: u16, moves: &str, result: &str| {
        format!(
            "[Red \"{red}\"]\n[Black \"{black}\"]\n[Event \"全国赛\"]\n[Date \"{year}\"]\n\n{moves} {result}\n\n"
        )
    };
    let games = [
        game("胡荣华", "柳大华", 1979, "1. h2e2 h9g7 2. h0g2 i9h9", "1-0"),
        game("柳大华", "胡榮華", 1980, "1. c3c4 {好} b9c7", "1/2-1/2"),
        game("Bobby", "吕钦", 2001, "1. h2e2 h9g7 2. h0g2 i9h9", "0-1"),
    ];
    folder.write("games/a.pgn", games[..2].concat());
    folder.write("games/b.pgn", &games[2]);
    folder
}

/// Arguments of a command about the collection.
fn about<'a>(folder: &'a [String; 2], command: &[&'a str], more: &[&'a str]) -> Vec<&'a str> {
    let [games, index] = folder;
    [&["games"], command, &[games.as_str(), "--index-folder", index.as_str()], more].concat()
}

#[test]
fn an_index_takes_games_over_from_those_of_parts() {
    let folder = folder();
    let [a, b] = ["a", "b"].map(|name| folder.at(&format!("games/{name}.pgn")));
    let [part_a, part_b, games] = ["index-a", "index-b", "games"].map(|name| folder.at(name));
    let index = |inputs: &str, place: &str, more: &[&str]| {
        json(&[&["games", "index", inputs, "--index-folder", place], more].concat())
    };
    let made = index(&a, &part_a, &[]);
    index(&b, &part_b, &[]);
    let whole = folder.at("whole");
    let file = made["index"].as_str().unwrap();
    let merged = index(&games, &whole, &["--from", file, "--from", &part_b]);
    assert_eq!(
        (&merged["files"], &merged["read"], &merged["taken"]),
        (&2.into(), &0.into(), &2.into())
    );
    assert_eq!((&merged["games"], &merged["lines"]), (&3.into(), &2.into()));
    let read = folder.at("read");
    let [of_parts, of_files] = [&whole, &read].map(|place| {
        let found = ["games", "find", games.as_str(), "--index-folder", place];
        json(&[&found[..], &["--position", "startpos moves h2e2"]].concat())["games"].clone()
    });
    assert_eq!(of_parts, of_files);
    for (language, part) in [("en", "2 (0 read now, 2 taken over)"), ("zh", "取自其他索引 2 个")]
    {
        let place = folder.at(language);
        let args =
            ["games", "index", &games, "--index-folder", &place, "--from", &part_a, "--from"];
        let shown = stdout(&[&args[..], &[&part_b, "--lang", language]].concat());
        assert!(shown.contains(part), "{shown}");
    }
    let common = ["games", "index", games.as_str(), "--index-folder", read.as_str(), "--from"];
    let fails_with = |other: &str, code, what: &[&str]| {
        fails(&[&common[..], &[other]].concat(), code, what);
    };
    fails_with(&folder.at("none"), 66, &["none"]);
    fails_with(&games, 66, &["no index of xiangqi"]);
    fails_with(&a, 65, &["a.pgn", "as an index of games", "leave it out"]);
    assert!(index(&games, &read, &[])["games"] == 3);
}

#[test]
fn an_index_knows_its_files_from_any_folder() {
    let folder = folder();
    let index = folder.at("index");
    let from = |place: &str, games: &str| {
        let mut asked = command(&["games", "index", games, "--index-folder", &index, "--json"]);
        let place = folder.join(place);
        fs::create_dir_all(&place).unwrap();
        let done = asked.current_dir(place).output().unwrap();
        serde_json::from_slice::<Value>(&done.stdout).unwrap()
    };
    assert_eq!(from(".", "games")["read"], 2);
    for (place, games) in [("games", "."), ("x/y", "../../games"), (".", "x/../games/")] {
        let again = from(place, games);
        assert_eq!((&again["read"], &again["games"]), (&0.into(), &3.into()), "{place} {games}");
    }
}

#[test]
fn games_are_found_by_conditions() {
    let folder = folder();
    let places = [folder.at("games"), folder.at("index")];
    let found = |more: &[&str]| {
        let answer = json(&about(&places, &["find"], more));
        assert_eq!(answer["schema"], "juzhong.games.find/1");
        let ids = answer["games"].as_array().unwrap().iter();
        ids.map(|game| game["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
    };
    for (more, expected) in [
        (&[][..], "0 1 2"),
        (&["--player", "hu"], "0 1"),
        (&["--red", "胡榮華"], "0"),
        (&["--words", "1980 全國"], "1"),
        (&["--since", "1980", "--result", "0-1"], "2"),
        (&["--position", "startpos moves h2e2"], "0 2"),
        (&["--position", "startpos moves b2e2", "--position", "startpos moves c3c4"], "0 1 2"),
        (&["--last", "startpos moves c3c4 b9c7"], "1"),
        (&["--pattern", "Ce2,Ng2"], "0 2"),
        (&["--pattern", "*/*/*/*/*/*/*/4C4/*/*"], ""),
        (&["--pattern", "*/*/*/*/*/*/*/?C2C1N??/*/*"], "0 2"),
        (&["--opening", "D"], "2"),
        (&["--comment", "好"], "1"),
        (&["--max-plies", "2"], "1"),
        (&["--fold"], "0 1"),
        (&["--sort", "date", "--descending"], "2 1 0"),
        (&["--limit", "1", "--skip", "1"], "1"),
    ] {
        let expected = expected.to_owned();
        if expected.is_empty() {
            exits(&about(&places, &["find"], more), 1);
        } else if more != ["--opening", "D"] {
            assert_eq!(found(more), expected, "{more:?}");
        }
    }
}

#[test]
fn novelties_are_found_in_the_collection_and_beside_a_book() {
    let folder = folder();
    let later = "[Red \"吕钦\"]\n[Black \"许银川\"]\n[Event \"全国赛\"]\n[Date \"2005\"]\n\n1. h2e2 b7e7 2. h0g2 1-0\n\n\
                 [Red \"许银川\"]\n[Black \"吕钦\"]\n[Date \"2006\"]\n\n1. b2e2 h7e7 2. c3c4 0-1\n";
    folder.write("games/c.pgn", later);
    let places = [folder.at("games"), folder.at("index")];
    let answer = |more: &[&str]| {
        let answer = json(&about(&places, &["novelties", "--theory", "1"], more));
        assert_eq!(answer["schema"], "juzhong.games.novelties/1");
        let rows = answer["novelties"].as_array().unwrap().iter();
        let row = |row: &Value| {
            let last = row["moves"].as_array().unwrap().last().unwrap().as_str().unwrap();
            format!(
                "{} {last} {} {}",
                row["game"]["id"].as_str().unwrap(),
                row["games_before"],
                row["games_with"]
            )
        };
        rows.map(row).collect::<Vec<_>>().join(", ")
    };
    // The second game is the first's mirror image up to its last move.
    assert_eq!(answer(&[]), "4 c3c4 1 1, 3 b7e7 1 2, 1 c3c4 1 1");
    assert_eq!(answer(&["--sort", "played", "--limit", "1"]), "3 b7e7 1 2");
    assert_eq!(answer(&["--until", "1990"]), "1 c3c4 1 1");
    assert_eq!(answer(&["--red", "xu yinchuan"]), "4 c3c4 1 1");
    let book = folder.at("old.book");
    let old = folder.at("games/a.pgn");
    ok(&["book", "build", &old, "--min-games", "1", "-o", &book]);
    assert_eq!(answer(&["--book", &book]), "3 b7e7 1 2");
    assert_eq!(answer(&["--book", &book, "--since", "2006"]), "4 h7e7 1 1");
    let shown = stdout(&about(&places, &["novelties", "--theory", "1"], &[]));
    insta::assert_snapshot!(shown);
    let written = folder.at("new.pgn");
    ok(&about(&places, &["novelties", "--theory", "1", "--since", "2005"], &["-o", &written]));
    assert_eq!(fs::read_to_string(&written).unwrap().matches("[Date").count(), 2);
    exits(&about(&places, &["novelties"], &[]), 1);
}

#[test]
fn a_list_fits_the_terminal() {
    let folder = folder();
    let places = [folder.at("games"), folder.at("index")];
    insta::assert_snapshot!(stdout(&about(&places, &["find"], &[])));
    let chinese = [&about(&places, &["find"], &[])[..], &["--lang", "zh"]].concat();
    insta::assert_snapshot!(stdout(&chinese));
}

#[test]
fn games_found_are_written_for_other_commands() {
    let folder = folder();
    let places = [folder.at("games"), folder.at("index")];
    let [pgn, packed, book] = ["found.pgn", "found.jsonl.zst", "found.book"].map(|n| folder.at(n));
    ok(&about(&places, &["find"], &["--player", "胡", "-o", &pgn]));
    assert_eq!(fs::read_to_string(&pgn).unwrap().matches("[Red ").count(), 2);
    fails(&about(&places, &["find"], &["-o", &pgn]), 73, &["already exists"]);
    ok(&about(&places, &["find"], &["-o", &packed]));
    ok(&["book", "build", &packed, "-o", &book, "--min-games", "1"]);
    // Two of the three games are the same.
    assert_eq!(json(&["book", "stats", &book])["games"], 2);
    let following = about(&places, &["find"], &["--book", &book, "--following", "4"]);
    assert!(stdout(&following).ends_with("2 games\n"));
    let written = stdout(&about(&places, &["find"], &["--red", "Bobby", "-o", "-"]));
    assert!(written.contains("[Black \"吕钦\"]"), "{written}");
}

#[test]
fn one_game_is_shown_by_number_and_by_key() {
    let folder = folder();
    let places = [folder.at("games"), folder.at("index")];
    let by_number = stdout(&about(&places, &["show", "1"], &[]));
    assert!(by_number.contains("[Red \"柳大华\"]") && by_number.contains("{好}"), "{by_number}");
    let found = json(&about(&places, &["find"], &[]));
    let key = found["games"][1]["key"].as_str().unwrap();
    assert_eq!(stdout(&about(&places, &["show", key], &[])), by_number);
    let object = json(&about(&places, &["show", "1"], &[]));
    assert_eq!(object["moves"], "c3c4 b9c7");
    fails(&about(&places, &["show", "7"], &[]), 1, &["no such game"]);
}

#[test]
fn an_index_is_kept_up_with_its_files() {
    let folder = folder();
    let places = [folder.at("games"), folder.at("index")];
    let index = || json(&about(&places, &["index"], &[]));
    let first = index();
    assert_eq!(
        (&first["games"], &first["lines"], &first["read"]),
        (&3.into(), &2.into(), &2.into())
    );
    assert_eq!(index()["read"], 0);
    folder.write("games/c.pgn", "1. g3g4 *\n");
    let as_it_was = stdout(&about(&places, &["find"], &["--no-update"]));
    assert!(as_it_was.ends_with("3 games\n"), "{as_it_was}");
    assert_eq!(index()["games"], 4);
    fails(&["games", "find", &folder.at("none"), "--index-folder", &places[1]], 66, &["none"]);
}

#[test]
fn conditions_that_cannot_be_read_are_refused() {
    let folder = folder();
    let places = [folder.at("games"), folder.at("index")];
    for (more, code, words) in [
        (&["--pattern", "Xx9"][..], 65, "Ce2,ne5"),
        (&["--position", "x"], 65, "--position"),
        (&["--material", "KR"], 65, "--material"),
        (&["--sort", "x"], 2, "--sort"),
        (&["--to", "x"], 2, "--to"),
        (&["-o", "-", "--json"], 2, "-o -"),
    ] {
        fails(&about(&places, &["find"], more), code, &[words]);
    }
    let gomoku = about(&places, &["find"], &["--game", "gomoku", "--material", "KRvK"]);
    fails(&gomoku, 2, &["gomoku has no sets of pieces"]);
    assert!(!text(&exits(&gomoku, 2).stderr).contains("panicked"));
}

#[test]
fn openings_grow_and_fall_by_year() {
    let folder = Folder::new();
    let [cannon, pawn] = ["1. h2e2 h9g7 2. h0g2 i9h9", "1. c3c4 b9c7"];
    let mut text = String::new();
    for (year, opening, end) in [
        (1980, cannon, "3. i0h0"),
        (1980, cannon, "3. g3g4"),
        (1980, cannon, "3. g3g4"),
        (1980, pawn, "2. h0g2"),
        (1995, pawn, "2. b0c2"),
        (1995, pawn, "2. h2e2"),
        (1996, cannon, "3. c3c4"),
    ] {
        let game = format!("[Red \"a\"]\n[Date \"{year}\"]\n\n{opening} {end} 1-0\n\n");
        text.push_str(&game);
    }
    folder.write("games/a.pgn", text + "[Red \"a\"]\n\n1. g3g4 0-1\n\n");
    let places = [folder.at("games"), folder.at("index")];
    let svg = folder.at("a.svg");
    let answer = json(&about(&places, &["openings"], &["--svg", &svg, "--by", "decade"]));
    assert_eq!(answer["schema"], "juzhong.games.openings/1");
    // Copies are one, and a game without a year is none.
    assert_eq!(answer["games"], 6);
    assert_eq!(answer["years"][0], serde_json::json!({"year": 1980, "games": 3}));
    let games: Vec<u64> = answer["openings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|opening| opening["games"].as_u64().unwrap())
        .collect();
    assert_eq!(games.iter().sum::<u64>(), 6);
    assert!(games.is_sorted_by(|a, b| a >= b), "{games:?}");
    let of_first_year = answer["openings"].as_array().unwrap().iter();
    let shares = of_first_year.flat_map(|opening| opening["years"].as_array().unwrap().clone());
    let shares = shares.filter(|year| year["year"] == 1980);
    let sum: f64 = shares.map(|year| year["share"].as_f64().unwrap()).sum();
    assert!((sum - 1.0).abs() < 0.001, "{sum}");
    let plot = fs::read_to_string(&svg).unwrap();
    assert!(plot.contains(">1980<") && plot.contains(">1990<") && plot.ends_with("</svg>\n"));
    for language in ["en", "zh"] {
        let table = stdout(&about(&places, &["openings"], &["--lang", language]));
        assert!(table.lines().all(|line| columns(line) <= 80), "{table}");
        assert!(table.contains("1980-") && table.contains("66.7%"), "{table}");
    }
    let svg = stdout(&about(&places, &["openings"], &["--svg", "-", "--top", "1"]));
    assert!(svg.starts_with("<?xml") && svg.matches("<path d=\"M").count() > 1, "{svg}");
    assert_eq!(json(&about(&places, &["openings"], &["--since", "1990"]))["games"], 3);
    exits(&about(&places, &["openings"], &["--until", "1900"]), 1);
}
