//! Text of others on standard output and standard error: whatever it holds, it commands no terminal.

use juzhong::bytes::visible::is_hidden;

use crate::support::folder::Folder;
use crate::support::program::{fails, juzhong};

/// An escape, a control character of one byte in Latin-1, an override of direction, a line end.
const EVIL: &str = "e\u{1b}[31m\u{9b}2J\u{202e}\nv";
/// The same, where text has one line.
const EVIL_LINE: &str = "e\u{1b}[31m\u{9b}2J\u{202e}v";

/// Runs and expects that nothing hidden comes out, and one of the words.
#[track_caller]
fn shows(args: &[&str], words: &str) {
    let output = juzhong(args);
    let mut all = String::new();
    for bytes in [output.stdout, output.stderr] {
        let text = String::from_utf8(bytes).unwrap();
        let hidden = text.find(|c| is_hidden(c) && !matches!(c, '\n' | '\t'));
        assert!(hidden.is_none(), "{args:?}: {text:?}");
        assert!(!text.lines().any(|line| line.starts_with("v.")), "{args:?}: a line end in {text}");
        all += &text;
    }
    assert!(all.contains(words), "{args:?}: no `{words}` in {all}");
}

/// An archive with one stored member.
fn zip(name: &str, content: &[u8]) -> Vec<u8> {
    let sum = crc32fast::hash(content).to_le_bytes();
    let (length, name_length) =
        ((content.len() as u32).to_le_bytes(), (name.len() as u16).to_le_bytes());
    // Version, flags (names are UTF-8), method, time and date, sum, lengths.
    let common = [
        [20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0].as_slice(),
        &sum,
        &length,
        &length,
        &name_length,
        &[0, 0],
    ]
    .concat();
    let mut bytes = [b"PK\x03\x04", common.as_slice(), name.as_bytes(), content].concat();
    let directory = (bytes.len() as u32).to_le_bytes();
    let entry = [b"PK\x01\x02", [20, 0].as_slice(), &common, &[0; 14], name.as_bytes()].concat();
    let entry = [&entry[..42], &[0; 4], &entry[46..]].concat();
    bytes.extend_from_slice(&entry);
    let size = (entry.len() as u32).to_le_bytes();
    bytes.extend_from_slice(b"PK\x05\x06\0\0\0\0\x01\0\x01\0");
    bytes.extend_from_slice(&size);
    bytes.extend_from_slice(&directory);
    bytes.extend_from_slice(&[0, 0]);
    bytes
}

#[test]
fn names_of_files_members_and_tags() {
    let folder = Folder::new();
    let inputs = folder.at("games");
    std::fs::create_dir(&inputs).unwrap();
    let evil = format!("{inputs}/{EVIL}.pgn");
    let tags = format!("[Event \"x\"]\n[FEN \"{EVIL_LINE}\"]\n\n1. h2e2 1-0\n\n");
    let games = format!("{tags}[Event \"{EVIL_LINE}\"]\n\n1. h2e2 1-0\n\n1. {EVIL_LINE} 1-0\n");
    std::fs::write(&evil, &games).unwrap();
    std::fs::write(format!("{inputs}/a.zip"), zip(&format!("{EVIL}.pgn"), games.as_bytes()))
        .unwrap();
    let book = folder.at(&format!("{EVIL}.book"));
    let (moved, list) = (folder.at("moved.book"), folder.at("list.txt"));
    shows(&["-vv", "book", "build", &inputs, "-o", &book], "left out");
    shows(&["book", "build", &inputs, "-o", &moved, "--rejects", &list, "--json"], "schema");
    let list = std::fs::read_to_string(&list).unwrap();
    assert!(!list.contains(|c| is_hidden(c) && !matches!(c, '\n' | '\t')), "{list:?}");
    shows(&["book", "classify", "--list", &inputs], "\\u{1b}");
    shows(&["book", "classify", "--list", &inputs, "--json"], "\\u001b");
    shows(&["convert", &inputs, "-o", &folder.at(&format!("{EVIL}.txt"))], "\\u{1b}");
    shows(&["convert", &evil, "-o", &folder.at("x.pgn"), "--strict"], "\\u{1b}");
    shows(&["book", "merge", &book, &moved, "-o", &folder.at("m.book")], "from");
    shows(&["book", "stats", &folder.at("m.book")], "merged");
    shows(&["book", "stats", &folder.at("m.book"), "--json"], "schema");
    let missing = folder.at(&format!("{EVIL}.none"));
    fails(&["book", "query", &missing], 66, &["\\u{1b}"]);
    shows(&["position", "--fens", &missing], "\\u{1b}");
    shows(&["book", "doctor", &missing], "\\u{1b}");
    shows(&["tablebase", "list", "--dir", &missing], "\\u{1b}");
    // Of arguments the parser leaves escapes out.
    shows(&["position", EVIL], "\\u{9b}");
    shows(&["position", "--fen", EVIL_LINE], "");
    shows(&[EVIL], "\\u{9b}");
    std::os::unix::fs::symlink(&evil, folder.at(&format!(".{EVIL}.book.lock"))).unwrap();
    shows(&["book", "edit", &book, "--move", "h2e2", "--weight", "1"], "symbolic link");
}

#[test]
fn what_books_say() {
    let folder = Folder::new();
    let (games, book) = (folder.at("g.pgn"), folder.at("b.book"));
    let text = format!("[Event \"{EVIL_LINE}\"]\n[Group \"{EVIL_LINE}\"]\n\n1. h2e2 1-0\n");
    std::fs::write(&games, text).unwrap();
    shows(&["book", "build", &games, "-o", &book], "");
    let script = folder.at("script");
    let line = serde_json::json!({"move": "h2e2", "comment": EVIL, "group": EVIL_LINE});
    std::fs::write(&script, format!("{line}\n")).unwrap();
    shows(&["book", "edit", &book, "--script", &script], "");
    let line = serde_json::json!({"move": "h2e2", "comment": EVIL});
    std::fs::write(&script, format!("{line}\n")).unwrap();
    shows(&["book", "edit", &book, "--script", &script], "");
    for command in [
        ["book", "query", &book].as_slice(),
        &["book", "query", &book, "--json"],
        &["book", "query", &book, "--tree", "2"],
        &["book", "edit", &book, "--history"],
        &["book", "edit", &book, "--history", "--json"],
        &["book", "stats", &book],
        &["book", "doctor", &book],
        &["book", "edit", &book, "--undo", "1"],
    ] {
        shows(command, "");
    }
    let scores = folder.at("scores");
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1";
    for score in [
        serde_json::json!({"fen": fen, "source": EVIL, "cp": 5, "depth": 3}),
        serde_json::json!({"fen": EVIL, "source": "x", "cp": 5}),
    ] {
        std::fs::write(&scores, format!("{score}\n")).unwrap();
        shows(&["book", "score", &book, "--import", &scores], "");
    }
    shows(&["book", "stats", &book], "");
}

#[test]
fn what_engines_say() {
    let folder = Folder::new();
    let script = format!(
        "#!/bin/sh\nwhile read line; do\ncase \"$line\" in\nuci) printf 'id name {EVIL_LINE}\\noption name \
         {EVIL_LINE} type spin\\nuciok\\n';;\nisready) echo readyok;;\ngo*) printf 'info string \
         {EVIL_LINE}\\nbestmove {EVIL_LINE}\\n'; printf '{EVIL_LINE}' >&2; exit 3;;\nquit) exit;;\nesac\ndone\n"
    );
    let engine = folder.write_program("engine", script);
    let out = folder.at("m.pgn");
    shows(
        &["-vv", "match", "--engine-a", &engine, "--nodes", "1", "--games", "2", "-o", &out],
        "\\u{1b}",
    );
    let evil = folder.at(&format!("no {EVIL_LINE}"));
    shows(&["match", "--engine-a", &evil, "--nodes", "1", "--games", "2"], "");
    let option = format!("{EVIL_LINE}=1");
    shows(
        &["match", "--engine-a", &engine, "--option-a", &option, "--nodes", "1", "--games", "2"],
        "",
    );
}
