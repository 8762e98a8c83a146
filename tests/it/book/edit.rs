//! `juzhong book edit` from the outside: what it changes, and what never gets lost.

use std::path::{Path, PathBuf};
use std::process::Command;

use juzhong::bytes::lock::{Claim, FileLock};

use crate::support::folder::Folder;
use crate::support::program::{
    PROGRAM, command, ended, fails, json, juzhong, ok, sample_book, stdout,
};

#[test]
fn a_move_is_edited_and_restored() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let before = json(&["book", "query", &book]);
    let answer = json(&[
        "book",
        "edit",
        &book,
        "--move",
        "h2e2",
        "--weight",
        "9",
        "--priority",
        "-2",
        "--comment",
        "中炮",
        "--group",
        "center",
        "--disable",
    ]);
    assert_eq!((&answer["schema"], &answer["changed"]), (&"juzhong.book.edit/1".into(), &1.into()));
    let after = json(&["book", "query", &book]);
    let first = &after["moves"][0];
    assert_eq!((&first["weight"], &first["priority"]), (&9.into(), &(-2).into()));
    assert_eq!(first["flags"], serde_json::json!(["disabled"]));
    assert_eq!(first["groups"], serde_json::json!(["center"]));
    assert_eq!(first["comment"], "中炮");
    let text = stdout(&["book", "query", &book]);
    for remark in ["disabled", "priority -2", "group center", "中炮"] {
        assert!(text.lines().any(|line| line.trim() == remark), "{remark}: {text}");
    }
    let history = json(&["book", "edit", &book, "--history"]);
    assert_eq!(history["history"][0]["edit"], 1);
    let stats = json(&["book", "stats", &book]);
    let undone = json(&["book", "edit", &book, "--undo"]);
    assert_eq!(undone["undone"].as_array().unwrap().len(), 1);
    assert_eq!(json(&["book", "query", &book]), before);
    assert_eq!(json(&["book", "stats", &book])["content"], stats["content"]);
    fails(&["book", "edit", &book, "--undo"], 65, &["no edit to undo"]);
    assert_eq!(folder.names(), ["a.book"], "nothing is left behind");
}

#[test]
fn lines_are_added_and_moves_deleted() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let line = "h2e2 h9g7 a0a1 a9a8";
    let answer =
        json(&["book", "edit", &book, "--add-line", line, "--group", "g", "--comment", "new"]);
    assert_eq!(answer["changed"], 4);
    let after = json(&["book", "query", &book, "--moves", "h2e2 h9g7 a0a1"]);
    let added = &after["moves"][0];
    assert_eq!(
        (&added["move"], &added["games"], &added["weight"]),
        (&"a9a8".into(), &0.into(), &1.into())
    );
    assert_eq!(
        (&added["comment"], &added["flags"]),
        (&"new".into(), &serde_json::json!(["added"]))
    );
    ok(&["book", "edit", &book, "--moves", "h2e2", "--move", "h9g7", "--delete"]);
    let deleted = ["book", "query", &book, "--moves", "h2e2", "--min-games", "0"];
    fails(&deleted, 1, &[]);
    let stats = json(&["book", "stats", &book]);
    assert!(stats["unreached"].as_u64().unwrap() > 0, "{stats}");
    ok(&["book", "edit", &book, "--undo", "2"]);
    assert_eq!(json(&["book", "stats", &book])["unreached"], 0);
}

#[test]
fn deleted_moves_stay_deleted_until_they_are_added_again() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let moves = |book: &str| -> Vec<String> {
        let answer = json(&["book", "query", book, "--min-games", "0"]);
        let moves = answer["moves"].as_array().unwrap();
        moves.iter().map(|m| m["move"].as_str().unwrap().to_owned()).collect()
    };
    // One that has no games: it does not come back with games, either.
    ok(&["book", "edit", &book, "--add-line", "i0i1"]);
    assert!(moves(&book).contains(&"i0i1".to_owned()));
    ok(&["book", "edit", &book, "--move", "i0i1", "--delete"]);
    let games = folder.write("more.pgn", "[Result \"1-0\"]\n\ni0i1 h9g7 1-0\n");
    ok(&["book", "build", &games, "--into", &book]);
    assert!(!moves(&book).contains(&"i0i1".to_owned()));
    // Locked, too: unlocked, it is still deleted, and can be added.
    ok(&["book", "edit", &book, "--move", "h2e2", "--delete", "--lock"]);
    fails(&["book", "edit", &book, "--add-line", "h2e2"], 65, &["locked"]);
    fails(&["book", "edit", &book, "--move", "h2e2", "--weight", "2"], 65, &["does not have"]);
    ok(&["book", "edit", &book, "--move", "h2e2", "--unlock"]);
    assert!(!moves(&book).contains(&"h2e2".to_owned()));
    ok(&["book", "edit", &book, "--undo"]);
    ok(&["book", "edit", &book, "--add-line", "h2e2", "--unlock"]);
    assert!(moves(&book).contains(&"h2e2".to_owned()));
}

#[test]
fn no_option_is_ignored() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    for other in [&["--undo"][..], &["--history"], &["--script", "-"]] {
        let args = [&["book", "edit", &book], other, &["--weight", "5"]].concat();
        fails(&args, 2, &["no further options"]);
    }
}

#[test]
fn a_script_is_done_as_a_whole_or_not_at_all() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let before = std::fs::read(&book).unwrap();
    let good = r#"{"move": "h2e2", "weight": 3}

{"moves": "h2e2", "move": "h9g7", "comment": "a \"quoted\" one", "lock": true}
{"add_line": "a0a1 a9a8", "group": ["x", "y"]}
"#;
    for (line, parts) in [
        (r#"{"move": "h2e2", "wait": 3}"#, &[":6", "unknown field `wait`"][..]),
        ("{", &[":6"]),
        (r#"{"move": "a0a9", "weight": 3}"#, &[":6", "illegal"]),
        (r#"{"move": "a0a2", "weight": 3}"#, &[":6", "does not have a0a2"]),
        (r#"{"moves": "h2e2", "move": "h9g7", "weight": 1}"#, &[":6", "locked"]),
        (r#"{"move": "h2e2"}"#, &[":6", "what to change"]),
    ] {
        let script = folder.write("bad.jsonl", format!("{good}\n{line}\n"));
        let output = juzhong(&["book", "edit", &book, "--script", &script]);
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success());
        assert!(parts.iter().all(|part| errors.contains(part)), "{parts:?}: {errors}");
        assert!(std::fs::read(&book).unwrap() == before);
    }
    let script = folder.write("good.jsonl", good);
    let answer = json(&["book", "edit", &book, "--script", &script]);
    assert_eq!((&answer["edits"], &answer["changed"]), (&3.into(), &4.into()));
    let undone = json(&["book", "edit", &book, "--undo"]);
    assert_eq!(undone["undone"].as_array().unwrap().len(), 4, "one command is one edit");
    fails(&["book", "edit", &book, "--script", &folder.at("none")], 66, &["none"]);
}

#[test]
fn a_script_has_one_encoding() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    ok(&["book", "edit", &book, "--add-line", "a0a1"]);
    let before = std::fs::read(&book).unwrap();
    let comments = |book: &str| -> Vec<String> {
        let found = json(&["book", "query", book]);
        let moves = found["moves"].as_array().unwrap();
        let comments = moves.iter().filter_map(|m| m["comment"].as_str());
        comments.map(str::to_owned).collect()
    };
    let moves: Vec<String> = json(&["book", "query", &book])["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| m["move"].as_str().unwrap().to_owned())
        .collect();
    let line = |n: usize, comment: &str| {
        format!("{{\"move\": \"{}\", \"comment\": \"{comment}\"}}\n", moves[n])
    };
    let run = |bytes: &[u8]| {
        std::fs::write(&book, &before).unwrap();
        let script = folder.write("script.jsonl", bytes);
        juzhong(&["book", "edit", &book, "--script", &script])
    };
    // Two of these characters are valid UTF-8 in GBK: "Ŀ" and "ģ".
    let all: Vec<String> =
        ["中炮妙手", "目", "模"].iter().enumerate().map(|(n, c)| line(n, c)).collect();
    for lines in [all.clone(), all.iter().rev().cloned().collect()] {
        let output = run(&encoding_rs::GB18030.encode(&lines.concat()).0);
        ended(&output, 0, &["read as gb18030"]);
        assert_eq!(comments(&book), ["中炮妙手", "目", "模"]);
    }
    ended(&run(&encoding_rs::BIG5.encode(&line(0, "當頭炮")).0), 0, &["read as Big5"]);
    assert_eq!(comments(&book), ["當頭炮"]);
    // Lines in two encodings, and bytes that are no characters of any.
    let mixed = [&line(0, "中炮妙手").into_bytes()[..], &encoding_rs::GB18030.encode(&all[0]).0];
    ended(&run(&mixed.concat()), 65, &["script.jsonl:1", "save all of them as UTF-8"]);
    let bad = [line(0, "x").as_bytes(), b"{\"comment\": \"\xff\xff\"}\n"].concat();
    ended(&run(&bad), 65, &["script.jsonl:2", "save the script as UTF-8"]);
    assert!(std::fs::read(&book).unwrap() == before);
}

#[test]
fn bad_edits_have_their_codes() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let before = std::fs::read(&book).unwrap();
    let edit = |args: &[&str], code, parts: &[&str]| {
        fails(&[&["book", "edit", &book], args].concat(), code, parts);
    };
    edit(&[], 2, &["--move"]);
    edit(&["--move", "h2e2"], 2, &["what to change"]);
    edit(&["--move", "h2e2", "--lock", "--unlock"], 2, &["--unlock"]);
    edit(&["--move", "h2e2", "--undo"], 2, &["--undo"]);
    edit(&["--move", "h2", "--lock"], 65, &["\"h2\""]);
    edit(&["--fen", "9/9 w", "--move", "h2e2", "--lock"], 65, &["--fen"]);
    edit(&["--moves", "h2e2 e9e7", "--move", "h2e2", "--lock"], 65, &["move 2", "illegal"]);
    edit(&["--add-line", "h2e2 e9e7"], 65, &["move 2", "illegal"]);
    edit(&["--move", "h2e2", "--weight", "9223372036854775808"], 65, &["2^63 - 1"]);
    fails(&["book", "edit", &folder.at("none"), "--undo"], 66, &["none"]);
    let letter = folder.write("letter", "Dear");
    fails(&["book", "edit", &letter, "--undo"], 65, &["not a SQLite database"]);
    assert!(std::fs::read(&book).unwrap() == before);
    assert_eq!(folder.names(), ["a.book", "letter"]);
}

#[test]
fn the_second_editor_is_refused() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let Claim::Ours(lock) = FileLock::claim(Path::new(&book)).unwrap() else { panic!() };
    let own = format!("another process ({}", std::process::id());
    fails(&["book", "edit", &book, "--move", "h2e2", "--lock"], 73, &["a.book", &own, "wait"]);
    for args in [
        &["book", "prune", &book, "-o", &book, "--min-games", "2"][..],
        &["book", "merge", &book, &book, "-o", &book],
    ] {
        fails(args, 73, &["a.book", &own, "wait"]);
    }
    json(&["book", "query", &book]);
    drop(lock);
    ok(&["book", "edit", &book, "--move", "h2e2", "--lock"]);
}

#[test]
fn of_several_editors_none_is_overwritten() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let editors: Vec<_> = (0..8)
        .map(|i| {
            command(&["book", "edit", &book, "--move", "h2e2", "--comment", &i.to_string()])
                .output()
        })
        .collect();
    let at_once: Vec<_> = (8..16)
        .map(|i| {
            command(&["book", "edit", &book, "--move", "h2e2", "--comment", &i.to_string()])
                .stderr(std::process::Stdio::null())
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    let mut done = editors.iter().filter(|e| e.as_ref().unwrap().status.success()).count();
    assert_eq!(done, 8);
    for mut editor in at_once {
        let code = editor.wait().unwrap().code();
        assert!(matches!(code, Some(0 | 73)), "{code:?}");
        done += usize::from(code == Some(0));
    }
    let history = json(&["book", "edit", &book, "--history"]);
    assert_eq!(history["history"].as_array().unwrap().len(), done);
    json(&["book", "stats", &book]);
    assert_eq!(folder.names(), ["a.book"]);
}

#[cfg(unix)]
#[test]
fn read_only_books_are_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let book = sample_book(&folder);
    let before = std::fs::read(&book).unwrap();
    let set = |path: &str, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&book, 0o444);
    fails(&["book", "edit", &book, "--move", "h2e2", "--lock"], 73, &["a.book", "read-only"]);
    set(&book, 0o640);
    ok(&["book", "edit", &book, "--move", "h2e2", "--lock"]);
    let mode = std::fs::metadata(&book).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640, "the copy has the book's mode");
    ok(&["book", "edit", &book, "--undo"]);
    set(&folder.at(""), 0o555);
    let is_root = std::fs::write(folder.at("probe"), "").is_ok();
    if is_root {
        println!("skipped: this user may write anywhere");
        std::fs::remove_file(folder.at("probe")).unwrap();
    } else {
        let parts = ["a.book", "nothing can be written in its folder"];
        fails(&["book", "edit", &book, "--move", "h2e2", "--lock"], 73, &parts);
    }
    set(&folder.at(""), 0o755);
    assert_eq!(std::fs::read(&book).unwrap().len(), before.len());
    assert_eq!(folder.names(), ["a.book"]);
}

#[cfg(unix)]
#[test]
fn on_a_full_disk_nothing_is_lost() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let before = std::fs::read(&book).unwrap();
    let comment = "x".repeat(60_000);
    // The copy alone is too large; the copy fits, but not what is added; everything fits.
    let blocks = before.len() / 512;
    for (limit, code) in [(blocks / 2, 74), (blocks + 2, 74), (blocks + 1000, 0)] {
        let script = format!("ulimit -f {limit}; exec \"$0\" \"$@\"");
        let output = Command::new("sh")
            .args(["-c", &script, PROGRAM, "book", "edit", &book])
            .args(["--move", "h2e2", "--comment", &comment])
            .output()
            .unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{limit} blocks: {errors}");
        assert_eq!(folder.names(), ["a.book"]);
        if code != 0 {
            assert!(errors.contains("is the disk full? What stood there stays"), "{errors}");
            assert!(std::fs::read(&book).unwrap() == before);
        }
    }
    json(&["book", "stats", &book]);
}

#[test]
fn a_killed_edit_leaves_the_old_book_or_the_new_one() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let started = std::time::Instant::now();
    ok(&["book", "edit", &book, "--move", "h2e2", "--comment", "first"]);
    let usual = started.elapsed();
    let count = || json(&["book", "edit", &book, "--history"])["history"].as_array().unwrap().len();
    let mut have = count();
    let (mut killed, mut done) = (0, 0);
    for i in 0..16u32 {
        let mut edit =
            command(&["book", "edit", &book, "--move", "h2e2", "--comment", &i.to_string()])
                .stdout(std::process::Stdio::null())
                .spawn()
                .unwrap();
        std::thread::sleep(usual * i / 12);
        let _ended = edit.kill();
        let is_done = edit.wait().unwrap().success();
        json(&["book", "stats", &book]);
        let now = count();
        assert!(now == have + 1 || !is_done && now == have, "{have} edits, then {now}");
        killed += u32::from(!is_done);
        done += u32::from(is_done);
        have = now;
    }
    println!("{killed} edits killed, {done} done before that");
    // The next one clears up.
    ok(&["book", "edit", &book, "--move", "h2e2", "--comment", "last"]);
    assert_eq!(folder.names(), ["a.book"]);
}

#[test]
fn the_table_for_people_has_every_move() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    ok(&["book", "edit", &book, "--move", "h2e2", "--comment", "one, \"two\"", "--lock"]);
    ok(&["book", "edit", &book, "--moves", "h2e2", "--move", "h9g7", "--delete"]);
    let text = stdout(&["book", "export", &book, "--to", "csv"]);
    let rows = json(&["book", "stats", &book])["moves"].as_u64().unwrap();
    assert_eq!(text.lines().count() as u64, 1 + rows - 1, "a head, and all moves but one");
    let head: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert_eq!(head.len(), 17);
    assert!(text.contains(",h2e2,2,1,0,1,0.5000,"), "{text}");
    assert!(text.contains(",locked,,\"one, \"\"two\"\"\"\n"), "{text}");
    assert!(text.lines().any(|line| line.starts_with(',')), "unreached moves have a key alone");
    let file = folder.at("a.csv");
    ok(&["book", "export", &book, "--to", "csv", "-o", &file]);
    assert_eq!(std::fs::read_to_string(PathBuf::from(&file)).unwrap(), text);
    let nowhere = folder.at("no/a.csv");
    fails(&["book", "export", &book, "--to", "csv", "-o", &nowhere], 73, &["a.csv"]);
}

#[test]
fn a_tree_shows_the_lines() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let tree = json(&["book", "query", &book, "--tree", "3"]);
    assert_eq!(
        (&tree["schema"], &tree["depth"], &tree["cut"]),
        (&"juzhong.book.query/1".into(), &3.into(), &false.into())
    );
    let first = &tree["moves"][0];
    assert_eq!((&first["move"], &first["games"]), (&"h2e2".into(), &2.into()));
    assert_eq!(first["moves"][0]["moves"][0]["moves"], serde_json::json!([]));
    let plain = json(&["book", "query", &book]);
    for field in ["ecco", "name"] {
        assert_eq!(first[field], plain["moves"][0][field]);
        assert_eq!(tree[field], plain[field]);
    }
    assert_eq!((&first["ecco"], &tree["total"]), (&"B00".into(), &plain["total"]));
    let text = stdout(&["book", "query", &book, "--tree", "2"]);
    assert!(text.lines().nth(1).unwrap().starts_with("h2e2 2 50.0%"), "{text}");
    assert!(text.lines().nth(2).unwrap().starts_with("  "), "{text}");
    let few = json(&["book", "query", &book, "--tree", "9", "--min-games", "2"]);
    assert_eq!(few["moves"].as_array().unwrap().len(), 1);
    fails(&["book", "query", &book, "--moves", "i3i4", "--tree", "2"], 1, &[]);
}

#[test]
fn queries_tell_of_mirror_images_and_transpositions() {
    let folder = Folder::new();
    let games = folder.write(
        "games.pgn",
        "[Result \"1-0\"]\n\n1. h2e2 h9g7 2. b0c2 b9c7 3. a0b0 1-0\n\n\
         [Result \"0-1\"]\n\n1. b0c2 h9g7 2. h2e2 b9c7 3. a0b0 0-1\n\n",
    );
    let book = folder.at("a.book");
    ok(&["book", "build", &games, "-o", &book]);
    let one = json(&["book", "query", &book, "--moves", "h2e2 h9g7"]);
    let other = json(&["book", "query", &book, "--moves", "b2e2 b9c7"]);
    assert_ne!(one["mirrored"], other["mirrored"]);
    assert_eq!(one["key"], other["key"]);
    let mv = &one["moves"][0];
    assert_eq!((&mv["move"], &mv["games"]), (&"b0c2".into(), &1.into()));
    assert_eq!((&mv["games_after"], &mv["transposed"]), (&2.into(), &1.into()));
}
