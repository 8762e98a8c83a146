//! Files beside an output under names that the program makes up, what came to stand in its place,
//! who may read a copy, and input that has no end or is no text: nothing of anybody's is lost.

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use juzhong::bytes::lock::{Claim, FileLock};
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{command, exits, fails, json, juzhong, ok, sample_book};

const PGN: &str = "[Event \"x\"]\n\n1. h2e2 h9g7 2. h0g2 1-0\n";

/// A book of one game.
fn small_book(folder: &Folder, name: &str) -> String {
    let games = folder.write("games.pgn", PGN);
    ok(&["book", "build", &games, "-o", &folder.at(name)]);
    folder.at(name)
}

/// The commands that make a lock beside an output.
fn writers(folder: &Folder) -> Vec<(&'static str, Vec<String>)> {
    let (games, base) = (folder.at("games.pgn"), folder.at("base.book"));
    let (old, foreign) = (folder.at("old.book"), folder.at("foreign.obk"));
    let out = |name: &str| folder.at(name);
    let list = |args: &[&str]| args.iter().map(|&arg| arg.to_owned()).collect::<Vec<_>>();
    vec![
        ("new.book", list(&["book", "build", &games, "-o", &out("new.book")])),
        ("old.book", list(&["book", "edit", &old, "--move", "h2e2", "--weight", "5"])),
        ("m.book", list(&["book", "merge", &base, &old, "-o", &out("m.book")])),
        ("p.book", list(&["book", "prune", &base, "--max-ply", "2", "-o", &out("p.book")])),
        ("i.book", list(&["book", "import", &foreign, "-o", &out("i.book")])),
        ("old.book", list(&["book", "score", &old, "--nodes", "100"])),
        (
            "r.txt",
            list(&["book", "build", &games, "-o", &out("x.book"), "--rejects", &out("r.txt")]),
        ),
        ("shard", list(&["book", "map", &games, "-o", &out("shard")])),
        ("g.pgn", list(&["match", "--games", "2", "--nodes", "1", "-o", &out("g.pgn")])),
    ]
}

#[test]
fn a_lock_that_is_something_else_is_left_alone() {
    let folder = Folder::new();
    let victim = folder.write("victim", "precious");
    for name in ["base.book", "old.book"] {
        small_book(&folder, name);
    }
    ok(&[
        "book",
        "export",
        &folder.at("base.book"),
        "--to",
        "obk",
        "-o",
        &folder.at("foreign.obk"),
    ]);
    for (name, args) in writers(&folder) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let lock = format!(".{name}.lock");
        let before = std::fs::read(folder.at(name)).ok();
        symlink(&victim, folder.at(&lock)).unwrap();
        let refused = |words: &str| {
            let output = juzhong(&args);
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "{args:?}");
            assert!(errors.contains(&lock) && errors.contains(words), "{args:?}: {errors}");
            assert!(errors.contains("move it away"), "{errors}");
        };
        refused("symbolic link");
        std::fs::remove_file(folder.at(&lock)).unwrap();
        folder.write(&lock, "notes on the game\n");
        refused("something in it");
        assert_eq!(std::fs::read(folder.at(&lock)).unwrap(), b"notes on the game\n");
        std::fs::remove_file(folder.at(&lock)).unwrap();
        std::fs::hard_link(&victim, folder.at(&lock)).unwrap();
        refused("hard links");
        std::fs::remove_file(folder.at(&lock)).unwrap();
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
        assert_eq!(std::fs::read(folder.at(name)).ok(), before);
        // What a killed process left is no obstacle.
        folder.write(&lock, "123456");
        ok(&args);
        assert!(!Path::new(&folder.at(&lock)).exists());
    }
}

#[test]
fn tables_are_not_built_over_other_things() {
    let folder = Folder::new();
    let victim = folder.write("victim", "precious");
    let tables = folder.at("tables");
    let args = ["tablebase", "generate", "KNvK", "--dir", &tables, "--rules", "check"];
    for lock in [".juzhong.lock", ".KNvK.check.dtm.jzt.lock"] {
        std::fs::create_dir_all(&tables).unwrap();
        let lock = format!("{tables}/{lock}");
        symlink(&victim, &lock).unwrap();
        fails(&args, 73, &["symbolic link", "move it away"]);
        std::fs::remove_file(&lock).unwrap();
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
    }
    // Neither links nor texts that are named like leftovers are removed.
    let (link, notes) =
        (format!("{tables}/.KNvK.check.dtm.jzt.part-abcdef"), format!("{tables}/.x.jzt.lock"));
    symlink(&victim, &link).unwrap();
    std::fs::write(&notes, "notes").unwrap();
    ok(&args);
    assert!(Path::new(&link).is_symlink() && Path::new(&notes).exists());
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
}

#[test]
fn parts_are_no_link() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", PGN);
    std::fs::create_dir(folder.at("far")).unwrap();
    folder.write("far/0.games", "precious");
    symlink(folder.at("far"), folder.at(".b.parts")).unwrap();
    let args = ["book", "build", &games, "-o", &folder.at("b")];
    fails(&args, 73, &[".b.parts is a symbolic link"]);
    assert_eq!(std::fs::read(folder.at("far/0.games")).unwrap(), b"precious");
    assert_eq!(folder.names(), [".b.parts", "far", "games.pgn"]);
}

#[test]
fn every_output_is_claimed_and_swept() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let sick = folder.at("sick.obk");
    ok(&["book", "export", &book, "--to", "obk", "--swapped", "-o", &sick]);
    for (name, args, code) in [
        ("a.obk", &["book", "export", &book, "--to", "obk"][..], 0),
        ("a.dat", &["book", "export", &book, "--to", "eleeye"], 0),
        ("a.bin", &["book", "export", &book, "--to", "polyglot"], 0),
        ("a.xob", &["book", "export", &book, "--to", "moonriver"], 0),
        ("b.obk", &["book", "doctor", &sick, "--repair"], 1),
    ] {
        let left = folder.write(&format!(".{name}.part-x1Y2z3"), "left by a killed writer");
        let out = folder.at(name);
        let args = [args, &["-o", &out]].concat();
        let Claim::Ours(lock) = FileLock::claim(Path::new(&out)).unwrap() else { panic!() };
        fails(&args, 73, &["another process", "writes it"]);
        assert!(!Path::new(&out).exists() && Path::new(&left).exists(), "{name}");
        drop(lock);
        exits(&args, code);
        assert!(Path::new(&out).exists(), "{name}");
        assert_eq!(folder.hidden(), [""; 0], "{name}");
    }
}

#[test]
fn a_lock_of_another_user_is_called_that() {
    let folder = Folder::new();
    let games = folder.write("games.pgn", PGN);
    let lock = folder.write(".b.lock", "4242");
    std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(0o444)).unwrap();
    if std::fs::File::options().write(true).open(&lock).is_ok() {
        return; // the superuser may write everything
    }
    let args = ["book", "build", &games, "-o", &folder.at("b")];
    fails(&args, 73, &[".b.lock", "left by process 4242", "remove it"]);
    assert_eq!(std::fs::read(&lock).unwrap(), b"4242");
}

#[test]
fn a_private_book_stays_private_while_it_is_edited() {
    let folder = Folder::new();
    let book = small_book(&folder, "b.book");
    std::fs::set_permissions(&book, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mut edit = command(&["book", "edit", &book, "--script", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = edit.stdin.take().unwrap();
    input.write_all(b"{\"move\": \"h2e2\", \"comment\": \"secret\"}\n").unwrap();
    let is_open = |name: &String| name.starts_with(".b.book.part-");
    let start = Instant::now();
    while !folder.names().iter().any(is_open) {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    for name in folder.names().iter().filter(|name| is_open(name)) {
        // It may be gone by now.
        if let Ok(about) = std::fs::metadata(folder.at(name)) {
            assert_eq!(about.permissions().mode() & 0o777, 0o600, "{name}");
        }
    }
    drop(input);
    assert!(edit.wait().unwrap().success());
    assert_eq!(std::fs::metadata(&book).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_demo_replaces_nothing_but_its_own() {
    let folder = Folder::new();
    let dir = folder.at("d");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(format!("{dir}/games.pgn"), PGN).unwrap();
    let args = ["demo", "--nodes", "1", "--dir", &dir];
    fails(&args, 73, &["games.pgn", "move it away"]);
    assert_eq!(std::fs::read_to_string(format!("{dir}/games.pgn")).unwrap(), PGN);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
    std::fs::remove_file(format!("{dir}/games.pgn")).unwrap();
    let games = folder.write("games.pgn", PGN);
    ok(&["book", "build", &games, "-o", &format!("{dir}/demo.book")]);
    let book = std::fs::read(format!("{dir}/demo.book")).unwrap();
    fails(&args, 73, &["demo.book", "move it away"]);
    assert_eq!(std::fs::read(format!("{dir}/demo.book")).unwrap(), book);
}

fn comment(book: &str) -> Value {
    let answer = json(&["book", "query", book]);
    let moves = answer["moves"].as_array().unwrap().clone();
    moves.into_iter().find(|mv| mv["move"] == "h2e2").unwrap()["comment"].clone()
}

#[test]
fn a_script_is_read_in_its_encoding_or_refused() {
    let folder = Folder::new();
    let book = small_book(&folder, "b.book");
    let said = "先手胜，中国象棋全国赛";
    let traditional = "紅方先勝，中國象棋賽";
    for (text, bytes) in [
        (said, said.as_bytes().to_vec()),
        (said, encoding_rs::GB18030.encode(said).0.into_owned()),
        (traditional, encoding_rs::BIG5.encode(traditional).0.into_owned()),
    ] {
        let line = [b"{\"move\": \"h2e2\", \"comment\": \"".as_slice(), &bytes, b"\"}\n"].concat();
        ok(&["book", "edit", &book, "--script", &folder.write("script", line)]);
        assert_eq!(comment(&book), *text);
    }
    let before = std::fs::read(&book).unwrap();
    let bad = folder.write("bad", b"\n{\"move\": \"h2e2\", \"comment\": \"a\xff\xff\"}\n");
    fails(&["book", "edit", &book, "--script", &bad], 65, &["bad:2", "UTF-8, GB18030 or Big5"]);
    assert_eq!(std::fs::read(&book).unwrap(), before);
    let scores = folder.write("scores", b"\xff\xff\n");
    fails(&["book", "score", &book, "--import", &scores], 65, &["scores:1", "UTF-8"]);
}

#[test]
fn endless_lines_end() {
    let folder = Folder::new();
    let book = small_book(&folder, "b.book");
    for args in [
        ["book", "edit", &book, "--script", "/dev/zero"].as_slice(),
        &["book", "score", &book, "--import", "/dev/zero"],
        &["position", "--fens", "/dev/zero"],
        &["book", "query", &book, "--fens", "/dev/zero"],
    ] {
        fails(args, 65, &["/dev/zero:1", "a line of more than"]);
    }
}

/// Waiting for a line that does not come ends with an interrupt.
#[test]
fn an_interrupt_ends_the_waiting() {
    let folder = Folder::new();
    let book = small_book(&folder, "b.book");
    let before = std::fs::read(&book).unwrap();
    let fifo = folder.at("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for script in ["-", &fifo] {
        let mut edit = command(&["book", "edit", &book, "--script", script])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !folder.names().iter().any(|name| name == ".b.book.lock") {
            assert!(start.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100));
        let id = rustix::process::Pid::from_child(&edit);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        assert_eq!(edit.wait().unwrap().code(), Some(75), "{script}");
        assert_eq!(std::fs::read(&book).unwrap(), before);
        assert_eq!(folder.names(), ["b.book", "fifo", "games.pgn"]);
    }
}
