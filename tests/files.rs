//! What stands beside an output under a name that the program makes up, what came to stand in its place,
//! who may read a copy, and input that has no end or is no text: nothing of anybody's is lost.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

mod program;
use program::{Place, fails, juzhong};

const PGN: &str = "[Event \"x\"]\n\n1. h2e2 h9g7 2. h0g2 1-0\n";

#[track_caller]
fn ok(args: &[&str]) -> Vec<u8> {
    let output = juzhong(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

impl Place {
    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        std::fs::write(self.at(name), bytes).unwrap();
        self.at(name)
    }

    fn book(&self, name: &str) -> String {
        let games = self.write("games.pgn", PGN);
        ok(&["book", "build", &games, "-o", &self.at(name)]);
        self.at(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

/// The commands that make a lock beside an output.
fn writers(place: &Place) -> Vec<(&'static str, Vec<String>)> {
    let (games, base) = (place.at("games.pgn"), place.at("base.book"));
    let (old, foreign) = (place.at("old.book"), place.at("foreign.obk"));
    let out = |name: &str| place.at(name);
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
    let place = Place::new();
    let victim = place.write("victim", "precious");
    for name in ["base.book", "old.book"] {
        place.book(name);
    }
    ok(&["book", "export", &place.at("base.book"), "--to", "obk", "-o", &place.at("foreign.obk")]);
    for (name, args) in writers(&place) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let lock = format!(".{name}.lock");
        let before = std::fs::read(place.at(name)).ok();
        symlink(&victim, place.at(&lock)).unwrap();
        let refused = |words: &str| {
            let output = juzhong(&args);
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "{args:?}");
            assert!(errors.contains(&lock) && errors.contains(words), "{args:?}: {errors}");
            assert!(errors.contains("move it away"), "{errors}");
        };
        refused("symbolic link");
        std::fs::remove_file(place.at(&lock)).unwrap();
        place.write(&lock, "notes on the game\n");
        refused("something in it");
        assert_eq!(std::fs::read(place.at(&lock)).unwrap(), b"notes on the game\n");
        std::fs::remove_file(place.at(&lock)).unwrap();
        std::fs::hard_link(&victim, place.at(&lock)).unwrap();
        refused("hard links");
        std::fs::remove_file(place.at(&lock)).unwrap();
        assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
        assert_eq!(std::fs::read(place.at(name)).ok(), before);
        // What a killed process left is no obstacle.
        place.write(&lock, "123456");
        let output = juzhong(&args);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(!Path::new(&place.at(&lock)).exists());
    }
}

#[test]
fn tables_are_not_built_over_other_things() {
    let place = Place::new();
    let victim = place.write("victim", "precious");
    let tables = place.at("tables");
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
    let place = Place::new();
    let games = place.write("games.pgn", PGN);
    std::fs::create_dir(place.at("far")).unwrap();
    place.write("far/0.games", "precious");
    symlink(place.at("far"), place.at(".b.parts")).unwrap();
    let args = ["book", "build", &games, "-o", &place.at("b")];
    let output = juzhong(&args);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success() && errors.contains(".b.parts is a symbolic link"), "{errors}");
    assert_eq!(std::fs::read(place.at("far/0.games")).unwrap(), b"precious");
    assert_eq!(place.names(), [".b.parts", "far", "games.pgn"]);
}

#[test]
fn a_lock_of_another_user_is_called_that() {
    let place = Place::new();
    let games = place.write("games.pgn", PGN);
    let lock = place.write(".b.lock", "4242");
    std::fs::set_permissions(&lock, std::fs::Permissions::from_mode(0o444)).unwrap();
    if std::fs::File::options().write(true).open(&lock).is_ok() {
        return; // the superuser may write everything
    }
    let args = ["book", "build", &games, "-o", &place.at("b")];
    fails(&args, 73, &[".b.lock", "left by process 4242", "remove it"]);
    assert_eq!(std::fs::read(&lock).unwrap(), b"4242");
}

#[test]
fn a_private_book_stays_private_while_it_is_edited() {
    let place = Place::new();
    let book = place.book("b.book");
    std::fs::set_permissions(&book, std::fs::Permissions::from_mode(0o600)).unwrap();
    let mut edit = Command::new(env!("CARGO_BIN_EXE_juzhong"))
        .args(["book", "edit", &book, "--script", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = edit.stdin.take().unwrap();
    input.write_all(b"{\"move\": \"h2e2\", \"comment\": \"secret\"}\n").unwrap();
    let is_open = |name: &String| name.starts_with(".b.book.part-");
    let start = Instant::now();
    while !place.names().iter().any(is_open) {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    for name in place.names().iter().filter(|name| is_open(name)) {
        // It may be gone by now.
        if let Ok(about) = std::fs::metadata(place.at(name)) {
            assert_eq!(about.permissions().mode() & 0o777, 0o600, "{name}");
        }
    }
    drop(input);
    assert!(edit.wait().unwrap().success());
    assert_eq!(std::fs::metadata(&book).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_demo_replaces_nothing_but_its_own() {
    let place = Place::new();
    let dir = place.at("d");
    std::fs::create_dir(&dir).unwrap();
    std::fs::write(format!("{dir}/games.pgn"), PGN).unwrap();
    let args = ["demo", "--nodes", "1", "--dir", &dir];
    fails(&args, 73, &["games.pgn", "move it away"]);
    assert_eq!(std::fs::read_to_string(format!("{dir}/games.pgn")).unwrap(), PGN);
    assert_eq!(std::fs::read_dir(&dir).unwrap().count(), 1);
    std::fs::remove_file(format!("{dir}/games.pgn")).unwrap();
    let games = place.write("games.pgn", PGN);
    ok(&["book", "build", &games, "-o", &format!("{dir}/demo.book")]);
    let book = std::fs::read(format!("{dir}/demo.book")).unwrap();
    fails(&args, 73, &["demo.book", "move it away"]);
    assert_eq!(std::fs::read(format!("{dir}/demo.book")).unwrap(), book);
}

fn comment(book: &str) -> Value {
    let answer: Value = serde_json::from_slice(&ok(&["book", "query", book, "--json"])).unwrap();
    let moves = answer["moves"].as_array().unwrap().clone();
    moves.into_iter().find(|mv| mv["move"] == "h2e2").unwrap()["comment"].clone()
}

#[test]
fn a_script_is_read_in_its_encoding_or_refused() {
    let place = Place::new();
    let book = place.book("b.book");
    let said = "先手胜，中国象棋全国赛";
    let traditional = "紅方先勝，中國象棋賽";
    for (text, bytes) in [
        (said, said.as_bytes().to_vec()),
        (said, encoding_rs::GB18030.encode(said).0.into_owned()),
        (traditional, encoding_rs::BIG5.encode(traditional).0.into_owned()),
    ] {
        let line = [b"{\"move\": \"h2e2\", \"comment\": \"".as_slice(), &bytes, b"\"}\n"].concat();
        ok(&["book", "edit", &book, "--script", &place.write("script", line)]);
        assert_eq!(comment(&book), *text);
    }
    let before = std::fs::read(&book).unwrap();
    let bad = place.write("bad", b"\n{\"move\": \"h2e2\", \"comment\": \"a\xff\xff\"}\n");
    fails(&["book", "edit", &book, "--script", &bad], 65, &["bad:2", "UTF-8, GB18030 or Big5"]);
    assert_eq!(std::fs::read(&book).unwrap(), before);
    let scores = place.write("scores", b"\xff\xff\n");
    fails(&["book", "score", &book, "--import", &scores], 65, &["scores:1", "UTF-8"]);
}

#[test]
fn endless_lines_end() {
    let place = Place::new();
    let book = place.book("b.book");
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
    let place = Place::new();
    let book = place.book("b.book");
    let before = std::fs::read(&book).unwrap();
    let fifo = place.at("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    for script in ["-", &fifo] {
        let mut edit = Command::new(env!("CARGO_BIN_EXE_juzhong"))
            .args(["book", "edit", &book, "--script", script])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        let start = Instant::now();
        while !place.names().iter().any(|name| name == ".b.book.lock") {
            assert!(start.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(100));
        let id = rustix::process::Pid::from_child(&edit);
        rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
        assert_eq!(edit.wait().unwrap().code(), Some(75), "{script}");
        assert_eq!(std::fs::read(&book).unwrap(), before);
        assert_eq!(place.names(), ["b.book", "fifo", "games.pgn"]);
    }
}
