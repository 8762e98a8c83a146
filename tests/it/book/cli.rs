//! `juzhong book` from the outside: what it prints, which code it exits with.

use std::path::Path;

use serde_json::Value;

use crate::support::files::sample_games;
use crate::support::folder::Folder;
use crate::support::program::{
    command, exits, fails, json, json_with_code, juzhong, ok, sample_book, signal, stdout,
    with_input,
};

#[test]
fn builds_and_says_what_it_counted() {
    let folder = Folder::new();
    let (book, rejects) = (folder.at("b.book"), folder.at("rejects.tsv"));
    let answer = json(&["book", "build", &sample_games(""), "-o", &book, "--rejects", &rejects]);
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
    let text = stdout(&["book", "build", &sample_games(""), "-o", &book]);
    for line in [
        "records    8",
        "games      3 counted: 1 won by Red, 1 drawn, 1 won by Black, 0 unknown",
        "1 game whose copies state different results: 1 settled by the majority, 0 tied",
        "copies     2 further ones",
        "others     1 from other starts (different ones: 1)",
        "no moves   1,",
        "bad        1,",
    ] {
        assert!(text.contains(line), "no `{line}` in: {text}");
    }
}

#[test]
fn query_answers_as_stated() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let answer = json(&["book", "query", &book]);
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
    let after = json(&["book", "query", &book, "--moves", "h2e2 h9g7 h0g2"]);
    assert_eq!(after["moves"][0]["move"], "b9c7");
    let after = json(&["book", "query", &book, "--moves", "b2e2", "b9c7", "b0c2"]);
    assert_eq!(after["moves"][0]["move"], "h9g7");
    let by_fen = json(&["book", "query", &book, "--fen", after["fen"].as_str().unwrap()]);
    assert_eq!(by_fen, after);
    let none = json_with_code(&["book", "query", &book, "--moves", "i3i4"], 1);
    assert_eq!((&none["total"], none["moves"].as_array().unwrap().len()), (&0.into(), 0));
    let some = json(&["book", "query", &book, "--min-games", "2"]);
    assert_eq!(some["moves"].as_array().unwrap().len(), 1);
    let text = stdout(&["book", "query", &book]);
    assert!(text.lines().nth(2).unwrap().starts_with("h2e2"), "{text}");
}

#[test]
fn query_answers_a_list_line_by_line() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    let list = folder.write("list.txt", format!("{start}\n\nnonsense\r\n{start}\n \n"));
    let output = exits(&["book", "query", &book, "--fens", &list], 65);
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[0], answers[2]);
    assert_eq!(answers[1]["fen"], "nonsense");
    assert_eq!(answers[1]["error"]["code"], 65);
    assert!(answers[1]["error"]["message"].is_string());
    let output = with_input(&["book", "query", &book, "--fens", "-"], start);
    assert_eq!(output.status.code(), Some(0));
    fails(&["book", "query", &book, "--fens", &folder.at("none")], 66, &["none"]);
    // A line of any length takes little memory and is answered.
    let long = folder.write("long.txt", "x".repeat(1 << 20) + "\n" + start);
    let output = exits(&["book", "query", &book, "--fens", &long], 65);
    assert!(output.stdout.len() < 20_000);
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), 2);
}

#[test]
fn stats_describe_the_book() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let answer = json(&["book", "stats", &book, "--sources"]);
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
    let text = stdout(&["book", "stats", &book]);
    for line in [
        "games      3\n",
        "results    1 won by Red, 1 drawn, 1 won by Black, 0 unknown\n",
        "years      1999 to 2001\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn the_same_files_make_the_same_bytes() {
    let folder = Folder::new();
    let (one, two) = (sample_games("one.pgn"), sample_games("sub/two.pgn"));
    let build = |name: &str, args: &[&str]| {
        let path = folder.at(name);
        let mut all = vec!["book", "build", "-o", &path];
        all.extend(args);
        ok(&all);
        std::fs::read(path).unwrap()
    };
    let expected = build("a", &[&one, &two, "--threads", "1"]);
    assert_eq!(build("b", &[&two, &one, "--threads", "3"]), expected);
    assert_eq!(build("c", &[&sample_games(""), "--memory", "1"]), expected);
    // So do the lists of rejects, in whatever memory they are kept.
    let many = std::fs::read_to_string(&two).unwrap().repeat(3000);
    let many = folder.write("many.pgn", many);
    let list = |name: &str, memory: &str, threads: &str| {
        let path = folder.at(name);
        let limits = ["--memory", memory, "--threads", threads];
        build("m", &[&[many.as_str(), &two, "--rejects", &path], &limits[..]].concat());
        std::fs::read_to_string(path).unwrap()
    };
    let rejects = list("r1", "512MiB", "1");
    assert_eq!(rejects.lines().count(), 3 * 3001);
    assert_eq!(list("r2", "1KiB", "3"), rejects);
    // A second copy of a file adds nothing.
    let copy = folder.write("one.pgn", std::fs::read(&one).unwrap());
    assert_eq!(build("d", &[&sample_games(""), &copy, &one]), expected);
    assert_ne!(build("e", &[&one]), expected);
}

#[test]
fn bad_inputs_have_their_codes() {
    let folder = Folder::new();
    let out = folder.at("out.book");
    let build = |input: &str| -> Vec<String> {
        ["book", "build", input, "-o", &out].map(str::to_owned).to_vec()
    };
    let fails_for = |input: &str, code, parts: &[&str]| {
        let args = build(input);
        fails(&args.iter().map(String::as_str).collect::<Vec<_>>(), code, parts);
        assert!(!Path::new(&out).exists());
    };
    fails_for(&folder.at("missing.pgn"), 66, &["missing.pgn", "cannot read"]);
    std::fs::create_dir(folder.at("folder")).unwrap();
    folder.write("folder/letter.txt", "Dear");
    fails_for(&folder.at("folder"), 65, &["folder", "no game files (.pgn,"]);
    fails_for(
        &folder.write("empty.pgn", ""),
        65,
        &["no game to count in 1 file (", "empty.pgn", "PGN"],
    );
    let bad = folder.write("bad.pgn", "[Result \"*\"]\n\n1. h2e2 e9e7 *\n");
    fails_for(&bad, 65, &["no game to count", "1 bad", "bad.pgn:3"]);
    let garbage: Vec<u8> = (0..5000u32).map(|i| (i * 7 % 256) as u8).collect();
    fails_for(&folder.write("garbage.pgn", garbage), 65, &["no game to count"]);
    #[cfg(unix)]
    fails_for("/dev/null", 65, &["not a regular file"]);
    let strict = sample_games("");
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
    let folder = Folder::new();
    let games = sample_games("one.pgn");
    let nowhere = folder.at("no/such/folder/b.book");
    fails(&["book", "build", &games, "-o", &nowhere], 73, &["b.book", "make it first"]);
    fails(&["book", "build", &games, "-o", &folder.at("")], 73, &["this is a folder"]);
    #[cfg(target_os = "linux")]
    fails(&["book", "build", &games, "-o", "/proc/b.book"], 73, &["/proc/b.book"]);
    let letter = folder.write("letter.txt", "Dear");
    fails(&["book", "build", &games, "-o", &letter], 73, &["letter.txt", "no book stands there"]);
    assert_eq!(std::fs::read(&letter).unwrap(), b"Dear");
    let own = folder.write("games.pgn", std::fs::read(&games).unwrap());
    fails(&["book", "build", &own, "-o", &own], 73, &["it is also an input"]);
    assert_eq!(std::fs::read(&own).unwrap(), std::fs::read(&games).unwrap());
    let list = folder.at("no/rejects");
    let book = folder.at("b.book");
    fails(&["book", "build", &games, "-o", &book, "--rejects", &list], 73, &["rejects"]);
    assert_eq!(folder.names().len(), 2, "nothing is left behind");
    // The list of rejects replaces nothing: no input, no folder, not the book.
    for list in [&own, &letter, &book, &folder.at(""), &folder.at("./b.book")] {
        fails(&["book", "build", &own, "-o", &book, "--rejects", list], 73, &["rejects"]);
    }
    assert_eq!(std::fs::read(&own).unwrap(), std::fs::read(&games).unwrap());
    assert_eq!(folder.names().len(), 2, "nothing is left behind");
}

#[test]
fn rejects_are_listed_when_the_build_fails() {
    let folder = Folder::new();
    let (book, list) = (folder.at("b.book"), folder.at("list"));
    let build = |input: &str, list: &str, strict: &[&str]| {
        let mut args = vec!["book", "build", input, "-o", &book, "--rejects", list];
        args.extend(strict);
        fails(&args, 65, &[]);
        assert!(!Path::new(&book).exists());
        std::fs::read_to_string(list).unwrap()
    };
    assert_eq!(build(&sample_games(""), &list, &["--strict"]).lines().count(), 3);
    // Windows has no such names.
    #[cfg(unix)]
    {
        let empty = folder.write("tab\tname.pgn", "[Event \"a\"]\n\n*\n");
        let text = build(&empty, &folder.at("list2"), &[]);
        assert_eq!(text.trim_end().split('\t').count(), 4, "{text:?}");
        assert!(text.contains("tab\\tname.pgn\t"), "{text:?}");
    }
}

#[test]
fn inputs_without_games_are_told_of() {
    let folder = Folder::new();
    std::fs::create_dir(folder.at("folder")).unwrap();
    let letter = folder.write("empty.pgn", "");
    let book = folder.at("b.book");
    let all =
        juzhong(&["book", "build", &sample_games(""), &folder.at("folder"), &letter, "-o", &book]);
    assert!(all.status.success());
    let errors = String::from_utf8(all.stderr).unwrap();
    assert!(errors.lines().any(|l| l.contains("no game files in") && l.ends_with("folder")));
    assert!(errors.lines().any(|l| l.contains("no games in") && l.ends_with("empty.pgn")));
}

#[cfg(unix)]
#[test]
fn links_are_followed() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    symlink(sample_games("one.pgn"), folder.at("in.pgn")).unwrap();
    symlink(sample_games("sub"), folder.at("games")).unwrap();
    std::fs::create_dir(folder.at("far")).unwrap();
    let sound = sample_book(&folder);
    std::fs::rename(&sound, folder.at("far/real.book")).unwrap();
    symlink(folder.at("far/real.book"), folder.at("link.book")).unwrap();
    let [link, one, games] = ["link.book", "in.pgn", "games"].map(|name| folder.at(name));
    let answer = json(&["book", "build", &one, &games, "-o", &link]);
    assert_eq!(answer["records"], 8);
    assert!(Path::new(&link).is_symlink());
    json(&["book", "query", &link]);
    // An input is protected behind a link, too.
    let own = folder.write("own.pgn", std::fs::read(sample_games("one.pgn")).unwrap());
    symlink(&own, folder.at("own")).unwrap();
    fails(&["book", "build", &own, "-o", &folder.at("own")], 73, &["also an input"]);
    symlink(folder.at("gone"), folder.at("dangling")).unwrap();
    let dangling = folder.at("dangling");
    fails(&["book", "build", &own, "-o", &dangling], 73, &["remove the link"]);
    fails(&["book", "build", &dangling, "-o", &link], 66, &["dangling"]);
}

#[cfg(target_os = "linux")]
#[test]
fn names_that_are_no_unicode() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let at = |name: &[u8]| folder.path().join(std::ffi::OsStr::from_bytes(name));
    let (games, book) = (at(b"\xff.pgn"), at(b"\xfe?#% .book"));
    std::fs::copy(sample_games("one.pgn"), &games).unwrap();
    let run = |args: &[&std::ffi::OsStr]| command(args).output().unwrap();
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
    assert_eq!(folder.names().len(), 2);
}

#[cfg(unix)]
#[test]
fn a_build_that_is_ended_leaves_nothing() {
    let folder = Folder::new();
    let games = "[Event \"a\"]\n\n1. h2e2 h9g7 2. h0g2 b9c7 3. i0h0 1-0\n\n".repeat(100_000);
    let input = folder.write("games.pgn", games);
    let is_part = |name: &String| name.contains(".part-");
    let mut build =
        command(&["book", "build", &input, "-o", &folder.at("b.book"), "--memory", "1MiB"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
    // The handler is there before the first temporary file.
    while build.try_wait().unwrap().is_none() && !folder.names().iter().any(is_part) {
        std::thread::yield_now();
    }
    signal(&build, "TERM");
    let code = build.wait().unwrap().code();
    assert!(matches!(code, Some(0 | 75)), "{code:?}");
    assert!(!folder.names().iter().any(is_part), "{:?}", folder.names());
}

#[test]
fn damaged_books_have_their_codes() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let sound = std::fs::read(&book).unwrap();
    for command in ["query", "stats"] {
        let check = |name: &str, bytes: &[u8], parts: &[&str]| {
            let path = folder.write(name, bytes);
            let mut all = vec![name];
            all.extend(parts);
            fails(&["book", command, &path], 65, &all);
        };
        fails(&["book", command, &folder.at("none.book")], 66, &["none.book", "cannot read"]);
        for at in [17, 150, sound.len() / 2, sound.len() - 5] {
            let mut bytes = sound.clone();
            bytes[at] ^= 0x40;
            let path = folder.write("flipped.book", bytes);
            fails(&["book", command, &path], 65, &["flipped.book"]);
        }
        check("half.book", &sound[..sound.len() / 2], &["truncated", "rebuild"]);
        let mut newer = sound.clone();
        newer[63] = 4;
        check("newer.book", &newer, &["version 4", "versions up to 3", "update juzhong"]);
        newer[63] = 1;
        check("older.book", &newer, &["version 1", "build it again"]);
        check("empty.book", b"", &["an empty file", "juzhong book build"]);
        check("table.book", b"JZTABLE\0\0", &["not a SQLite database but an endgame table"]);
    }
    // Games are read as a book, but not changed.
    let games = folder.write("games.book", "1. h2e2 h9g7");
    let edit = ["book", "edit", &games, "--move", "h2e2", "--weight", "1"];
    fails(&edit, 65, &["not a SQLite database but a file of games (pgn)"]);
    fails(&["book", "query", &book, "--fen", "9/9 w"], 65, &["--fen"]);
    fails(&["book", "query", &book, "--moves", "h2e2 e9e7"], 65, &["move 2", "illegal"]);
    fails(&["book", "query", &book, "--moves", "h2"], 65, &["--moves", "move 1", "h2"]);
}
