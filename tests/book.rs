//! `juzhong book` from the outside: what it prints, which code it exits with.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;

mod program;
use program::{Place, fails, juzhong};

fn data(name: &str) -> String {
    format!("{}/tests/data/book/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[track_caller]
fn json(args: &[&str], code: i32) -> Value {
    let output = juzhong(args);
    assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

impl Place {
    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = self.at(name);
        std::fs::create_dir_all(Path::new(&path).parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn names(&self) -> Vec<PathBuf> {
        std::fs::read_dir(self.0.path()).unwrap().map(|e| e.unwrap().path()).collect()
    }

    /// The book of the sample games.
    fn book(&self) -> String {
        let book = self.at("sample.book");
        let output = juzhong(&["book", "build", &data(""), "-o", &book]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        book
    }
}

#[test]
fn builds_and_says_what_it_counted() {
    let place = Place::new();
    let (book, rejects) = (place.at("b.book"), place.at("rejects.tsv"));
    let answer =
        json(&["book", "build", &data(""), "-o", &book, "--rejects", &rejects, "--json"], 0);
    for (name, expected) in [
        ("files", 2),
        ("records", 8),
        ("bad", 1),
        ("duplicates", 2),
        ("other_starts", 1),
        ("other_start_records", 1),
        ("no_moves", 1),
        ("no_move_records", 1),
        ("games", 3),
        ("red", 1),
        ("draws", 1),
        ("black", 1),
        ("disputed", 1),
        ("tied", 0),
        ("filtered", 0),
    ] {
        assert_eq!(answer[name], expected, "{name}");
    }
    let list = std::fs::read_to_string(&rejects).unwrap();
    let lines: Vec<Vec<&str>> = list.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(lines.len(), 3);
    assert!(lines.iter().all(|fields| fields.len() == 4 && fields[0].ends_with("two.pgn")));
    assert_eq!(lines.iter().map(|f| f[2]).collect::<Vec<_>>(), ["3", "4", "5"]);
    assert!(lines[0][3].contains("illegal"), "{list}");
    assert_eq!(lines[2][3], "no moves");
    let text = juzhong(&["book", "build", &data(""), "-o", &book]).stdout;
    let text = String::from_utf8(text).unwrap();
    for line in [
        "records    8",
        "games      3 counted: 1 won by Red, 1 drawn, 1 won by Black, 0 unknown",
        "1 games whose copies state different results: 1 settled by the majority, 0 tied",
        "copies     2 further ones",
        "others     1 from other starts (1 different games)",
        "no moves   1,",
        "bad        1,",
    ] {
        assert!(text.contains(line), "no `{line}` in: {text}");
    }
}

#[test]
fn query_answers_as_stated() {
    let place = Place::new();
    let book = place.book();
    let answer = json(&["book", "query", &book, "--json"], 0);
    assert_eq!(answer["schema"], "juzhong.book.query/1");
    assert_eq!(answer["total"], 3);
    assert_eq!(answer["key"].as_str().unwrap().len(), 16);
    let first = &answer["moves"][0];
    assert_eq!(first["move"], "h2e2");
    assert_eq!(
        (&first["games"], &first["red"], &first["black"]),
        (&2.into(), &1.into(), &1.into())
    );
    assert_eq!(first["score"], 0.5);
    assert_eq!((&first["year_min"], &first["year_max"]), (&1999.into(), &2001.into()));
    assert_eq!((&first["ecco"], &first["name"]), (&"B00".into(), &"中炮局".into()));
    assert_eq!(answer["moves"][1]["move"], "g3g4");
    assert_eq!(answer["moves"][1]["draws"], 1);
    // Black's point of view, in either orientation, moves in one or several arguments.
    let after = json(&["book", "query", &book, "--json", "--moves", "h2e2 h9g7 h0g2"], 0);
    assert_eq!(after["moves"][0]["move"], "b9c7");
    let after = json(&["book", "query", &book, "--json", "--moves", "b2e2", "b9c7", "b0c2"], 0);
    assert_eq!(after["moves"][0]["move"], "h9g7");
    let by_fen =
        json(&["book", "query", &book, "--json", "--fen", after["fen"].as_str().unwrap()], 0);
    assert_eq!(by_fen, after);
    let none = json(&["book", "query", &book, "--json", "--moves", "i3i4"], 1);
    assert_eq!((&none["total"], none["moves"].as_array().unwrap().len()), (&0.into(), 0));
    let some = json(&["book", "query", &book, "--json", "--min-games", "2"], 0);
    assert_eq!(some["moves"].as_array().unwrap().len(), 1);
    let text = juzhong(&["book", "query", &book]);
    let text = String::from_utf8(text.stdout).unwrap();
    assert!(text.lines().nth(2).unwrap().starts_with("h2e2"), "{text}");
}

#[test]
fn query_answers_a_list_line_by_line() {
    let place = Place::new();
    let book = place.book();
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    let list = place.write("list.txt", format!("{start}\n\nnonsense\r\n{start}\n \n"));
    let output = juzhong(&["book", "query", &book, "--fens", &list]);
    assert_eq!(output.status.code(), Some(65));
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0], answers[2]);
    assert_eq!(answers[1]["fen"], "nonsense");
    assert_eq!(answers[1]["error"]["code"], 65);
    assert!(answers[1]["error"]["message"].is_string());
    let output = Command::new(env!("CARGO_BIN_EXE_juzhong"))
        .args(["book", "query", &book, "--fens", "-"])
        .write_stdin(start)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    fails(&["book", "query", &book, "--fens", &place.at("none")], 66, &["none"]);
    // A line of any length takes little memory and is answered.
    let long = place.write("long.txt", "x".repeat(1 << 20) + "\n" + start);
    let output = juzhong(&["book", "query", &book, "--fens", &long]);
    assert_eq!(output.status.code(), Some(65));
    assert!(output.stdout.len() < 20_000);
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
}

#[test]
fn stats_describe_the_book() {
    let place = Place::new();
    let book = place.book();
    let answer = json(&["book", "stats", &book, "--json", "--sources"], 0);
    assert_eq!(answer["schema"], "juzhong.book.stats/1");
    assert_eq!(answer["games"], 3);
    assert_eq!(answer["sources"], 2);
    let names: std::collections::BTreeSet<&str> = answer["source_files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["one.pgn", "two.pgn"].into());
    assert_eq!(answer["unreached"], 0);
    assert_eq!(answer["depth"][0]["moves"], 2);
    let moves: u64 =
        answer["depth"].as_array().unwrap().iter().map(|d| d["moves"].as_u64().unwrap()).sum();
    assert_eq!(answer["moves"], moves);
    let text = String::from_utf8(juzhong(&["book", "stats", &book]).stdout).unwrap();
    assert!(text.contains("games      3 counted: 1 won by Red, 1 drawn, 1 won by Black"), "{text}");
}

#[test]
fn the_same_files_make_the_same_bytes() {
    let place = Place::new();
    let (one, two) = (data("one.pgn"), data("sub/two.pgn"));
    let build = |name: &str, args: &[&str]| {
        let path = place.at(name);
        let mut all = vec!["book", "build", "-o", &path];
        all.extend(args);
        assert_eq!(juzhong(&all).status.code(), Some(0));
        std::fs::read(path).unwrap()
    };
    let expected = build("a", &[&one, &two, "--threads", "1"]);
    assert_eq!(build("b", &[&two, &one, "--threads", "3"]), expected);
    assert_eq!(build("c", &[&data(""), "--memory", "1"]), expected);
    // So do the lists of rejects, in whatever memory they are kept.
    let many = std::fs::read_to_string(&two).unwrap().repeat(3000);
    let many = place.write("many.pgn", many);
    let list = |name: &str, memory: &str, threads: &str| {
        let path = place.at(name);
        let limits = ["--memory", memory, "--threads", threads];
        build("m", &[&[many.as_str(), &two, "--rejects", &path], &limits[..]].concat());
        std::fs::read_to_string(path).unwrap()
    };
    let rejects = list("r1", "512MiB", "1");
    assert_eq!(rejects.lines().count(), 3 * 3001);
    assert_eq!(list("r2", "1KiB", "3"), rejects);
    // A second copy of a file adds nothing.
    let copy = place.write("one.pgn", std::fs::read(&one).unwrap());
    assert_eq!(build("d", &[&data(""), &copy, &one]), expected);
    assert_ne!(build("e", &[&one]), expected);
}

#[test]
fn bad_inputs_have_their_codes() {
    let place = Place::new();
    let out = place.at("out.book");
    let build = |input: &str| -> Vec<String> {
        ["book", "build", input, "-o", &out].map(str::to_owned).to_vec()
    };
    let fails_for = |input: &str, code, parts: &[&str]| {
        let args = build(input);
        fails(&args.iter().map(String::as_str).collect::<Vec<_>>(), code, parts);
        assert!(!Path::new(&out).exists());
    };
    fails_for(&place.at("missing.pgn"), 66, &["missing.pgn", "cannot read"]);
    std::fs::create_dir(place.at("folder")).unwrap();
    place.write("folder/letter.txt", "Dear");
    fails_for(&place.at("folder"), 65, &["folder", "no game files (.pgn,"]);
    fails_for(
        &place.write("empty.pgn", ""),
        65,
        &["no game to count in 1 file(s)", "empty.pgn", "PGN"],
    );
    let bad = place.write("bad.pgn", "[Result \"*\"]\n\n1. h2e2 e9e7 *\n");
    fails_for(&bad, 65, &["no game to count", "1 bad", "bad.pgn:3"]);
    let garbage: Vec<u8> = (0..5000u32).map(|i| (i * 7 % 256) as u8).collect();
    fails_for(&place.write("garbage.pgn", garbage), 65, &["no game to count"]);
    #[cfg(unix)]
    fails_for("/dev/null", 65, &["not a regular file"]);
    let strict = data("");
    fails(
        &["book", "build", &strict, "-o", &out, "--strict"],
        65,
        &["two.pgn:", "game 3", "illegal", "--strict"],
    );
    assert!(!Path::new(&out).exists());
    fails(&["book", "build", "-o", &out], 2, &["INPUTS"]);
    fails(&["book", "build", &strict, "-o", &out, "--memory", "lots"], 2, &["512MiB"]);
}

#[test]
fn outputs_that_cannot_be_created() {
    let place = Place::new();
    let games = data("one.pgn");
    let nowhere = place.at("no/such/folder/b.book");
    fails(&["book", "build", &games, "-o", &nowhere], 73, &["b.book", "make it first"]);
    fails(&["book", "build", &games, "-o", &place.at("")], 73, &["this is a folder"]);
    #[cfg(target_os = "linux")]
    fails(&["book", "build", &games, "-o", "/proc/b.book"], 73, &["/proc/b.book"]);
    let letter = place.write("letter.txt", "Dear");
    fails(&["book", "build", &games, "-o", &letter], 73, &["letter.txt", "no book stands there"]);
    assert_eq!(std::fs::read(&letter).unwrap(), b"Dear");
    let own = place.write("games.pgn", std::fs::read(&games).unwrap());
    fails(&["book", "build", &own, "-o", &own], 73, &["it is also an input"]);
    assert_eq!(std::fs::read(&own).unwrap(), std::fs::read(&games).unwrap());
    let list = place.at("no/rejects");
    let book = place.at("b.book");
    fails(&["book", "build", &games, "-o", &book, "--rejects", &list], 73, &["rejects"]);
    assert_eq!(place.names().len(), 2, "nothing is left behind");
    // The list of rejects replaces nothing: no input, no folder, not the book.
    for list in [&own, &letter, &book, &place.at(""), &place.at("./b.book")] {
        fails(&["book", "build", &own, "-o", &book, "--rejects", list], 73, &["rejects"]);
    }
    assert_eq!(std::fs::read(&own).unwrap(), std::fs::read(&games).unwrap());
    assert_eq!(place.names().len(), 2, "nothing is left behind");
}

#[test]
fn rejects_are_listed_when_the_build_fails() {
    let place = Place::new();
    let (book, list) = (place.at("b.book"), place.at("list"));
    let build = |input: &str, list: &str, strict: &[&str]| {
        let mut args = vec!["book", "build", input, "-o", &book, "--rejects", list];
        args.extend(strict);
        fails(&args, 65, &[]);
        assert!(!Path::new(&book).exists());
        std::fs::read_to_string(list).unwrap()
    };
    assert_eq!(build(&data(""), &list, &["--strict"]).lines().count(), 3);
    let empty = place.write("tab\tname.pgn", "[Event \"a\"]\n\n*\n");
    let text = build(&empty, &place.at("list2"), &[]);
    assert_eq!(text.trim_end().split('\t').count(), 4, "{text:?}");
    assert!(text.contains("tab\\tname.pgn\t"), "{text:?}");
}

#[test]
fn inputs_without_games_are_told_of() {
    let place = Place::new();
    std::fs::create_dir(place.at("folder")).unwrap();
    let letter = place.write("empty.pgn", "");
    let book = place.at("b.book");
    let all = juzhong(&["book", "build", &data(""), &place.at("folder"), &letter, "-o", &book]);
    assert!(all.status.success());
    let errors = String::from_utf8(all.stderr).unwrap();
    assert!(errors.lines().any(|l| l.contains("no game files in") && l.ends_with("folder")));
    assert!(errors.lines().any(|l| l.contains("no games in") && l.ends_with("empty.pgn")));
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    symlink(data("one.pgn"), place.at("in.pgn")).unwrap();
    symlink(data("sub"), place.at("games")).unwrap();
    std::fs::create_dir(place.at("far")).unwrap();
    let sound = place.book();
    std::fs::rename(&sound, place.at("far/real.book")).unwrap();
    symlink(place.at("far/real.book"), place.at("link.book")).unwrap();
    let [link, one, games] = ["link.book", "in.pgn", "games"].map(|name| place.at(name));
    let answer = json(&["book", "build", &one, &games, "-o", &link, "--json"], 0);
    assert_eq!(answer["records"], 8);
    assert!(Path::new(&link).is_symlink());
    json(&["book", "query", &link, "--json"], 0);
    // An input is protected behind a link, too.
    let own = place.write("own.pgn", std::fs::read(data("one.pgn")).unwrap());
    symlink(&own, place.at("own")).unwrap();
    fails(&["book", "build", &own, "-o", &place.at("own")], 73, &["also an input"]);
    symlink(place.at("gone"), place.at("dangling")).unwrap();
    let dangling = place.at("dangling");
    fails(&["book", "build", &own, "-o", &dangling], 73, &["remove the link"]);
    fails(&["book", "build", &dangling, "-o", &link], 66, &["dangling"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let place = Place::new();
    let at = |name: &[u8]| place.0.path().join(std::ffi::OsStr::from_bytes(name));
    let (games, book) = (at(b"\xff.pgn"), at(b"\xfe?#% .book"));
    std::fs::copy(data("one.pgn"), &games).unwrap();
    let run = |args: &[&std::ffi::OsStr]| {
        Command::new(env!("CARGO_BIN_EXE_juzhong")).args(args).output().unwrap()
    };
    let os = std::ffi::OsStr::new;
    let (o, json) = (os("-o"), os("--json"));
    for args in [
        &[os("book"), os("build"), games.as_os_str(), o, book.as_os_str(), json][..],
        &[os("book"), os("query"), book.as_os_str(), json],
        &[os("book"), os("stats"), book.as_os_str(), json],
    ] {
        let output = run(args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap();
    }
    assert_eq!(place.names().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_build_that_is_ended_leaves_nothing() {
    let place = Place::new();
    let games = "[Event \"a\"]\n\n1. h2e2 h9g7 2. h0g2 b9c7 3. i0h0 1-0\n\n".repeat(100_000);
    let input = place.write("games.pgn", games);
    let is_part = |path: &PathBuf| path.to_string_lossy().contains(".part-");
    let mut build = std::process::Command::new(env!("CARGO_BIN_EXE_juzhong"))
        .args(["book", "build", &input, "-o", &place.at("b.book"), "--memory", "1MiB"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The handler is there before the first temporary file.
    while build.try_wait().unwrap().is_none() && !place.names().iter().any(is_part) {
        std::thread::yield_now();
    }
    let kill = std::process::Command::new("kill").arg(build.id().to_string()).status();
    let code = build.wait().unwrap().code();
    assert!(kill.is_ok() && matches!(code, Some(0 | 75)), "{code:?}");
    assert!(!place.names().iter().any(is_part), "{:?}", place.names());
}

#[test]
fn damaged_books_have_their_codes() {
    let place = Place::new();
    let book = place.book();
    let sound = std::fs::read(&book).unwrap();
    for command in ["query", "stats"] {
        let check = |name: &str, bytes: &[u8], parts: &[&str]| {
            let path = place.write(name, bytes);
            let mut all = vec![name];
            all.extend(parts);
            fails(&["book", command, &path], 65, &all);
        };
        fails(&["book", command, &place.at("none.book")], 66, &["none.book", "cannot read"]);
        for at in [17, 150, sound.len() / 2, sound.len() - 5] {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x40;
            let path = place.write("flipped.book", bytes);
            fails(&["book", command, &path], 65, &["flipped.book"]);
        }
        check("half.book", &sound[..sound.len() / 2], &["truncated", "rebuild"]);
        let mut newer = sound.clone();
        newer[63] = 3;
        check("newer.book", &newer, &["version 3", "reads version 2", "update juzhong"]);
        newer[63] = 1;
        check("older.book", &newer, &["version 1", "build it again"]);
        check("empty.book", b"", &["an empty file", "juzhong book build"]);
        check("games.book", b"1. h2e2 h9g7", &["not a SQLite database"]);
    }
    fails(&["book", "query", &book, "--fen", "9/9 w"], 65, &["--fen"]);
    fails(&["book", "query", &book, "--moves", "h2e2 e9e7"], 65, &["move 2", "illegal"]);
    fails(&["book", "query", &book, "--moves", "h2"], 65, &["move 1", "no move"]);
}
