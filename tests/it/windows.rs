//! The differences of Windows: names of files, files that others have open, engines as batch files, the folders of the
//! user.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};

use juzhong::book::Book;
use juzhong::tablebase::{Metric, Rules, Tables};
use juzhong::xiangqi::Position;
use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{
    PROGRAM, command, exits, fails, json, ok, sample_book, stdout, text,
};
use crate::support::tables::{copy_of, small_tables};

/// Files of which others may read while it is written, but which they may not replace: as SQLite opens a book.
const SHARED_TO_READ_AND_WRITE: u32 = 3;

fn open_as_sqlite_does(path: &str) -> fs::File {
    use std::os::windows::fs::OpenOptionsExt;
    fs::File::options().read(true).share_mode(SHARED_TO_READ_AND_WRITE).open(path).unwrap()
}

#[test]
fn names_in_chinese_with_blanks_and_both_slashes() {
    let folder = Folder::new();
    let games = folder.write("我的 棋谱/一 号.pgn", "[Result \"1-0\"]\n\n1. h2e2 h9g7 1-0\n");
    let book = folder.at("开局 库.book").replace('\\', "/");
    ok(&["book", "build", &games, "-o", &book]);
    assert!(stdout(&["book", "query", &book]).contains("h2e2"));
    let lower = book.to_lowercase();
    assert!(stdout(&["book", "query", &lower]).contains("h2e2"), "names do not depend on case");
    assert_eq!(folder.names(), ["开局 库.book", "我的 棋谱"]);
}

#[test]
fn drives_shares_and_long_paths() {
    let folder = Folder::new();
    let long = "a/".repeat(150);
    let games = folder.write(&format!("{long}one.pgn"), "[Result \"1-0\"]\n\n1. h2e2 h9g7 1-0\n");
    assert!(games.len() > 300);
    let book = folder.at(&format!("{long}b.book"));
    ok(&["book", "build", &games, "-o", &book]);
    assert!(stdout(&["book", "query", &book]).contains("h2e2"));
    let tables = folder.at(&format!("{long}tables"));
    ok(&["tablebase", "generate", "KRvK", "--rules", "check", "--dir", &tables]);
    let verbatim = format!(r"\\?\{}", folder.at("v.book"));
    ok(&["book", "build", &games, "-o", &verbatim]);
    assert!(stdout(&["book", "query", &verbatim]).contains("h2e2"));
    // A path on a drive without a slash is relative to the folder that the drive is at.
    let drive = folder.at("")[..2].to_owned();
    let build = ["book", "build", &games, "-o", &format!("{drive}relative.book")];
    let built = command(&build).current_dir(folder.path()).output().unwrap();
    assert_eq!(built.status.code(), Some(0), "{}", text(&built.stderr));
    let query = ["book", "query", &format!("{drive}relative.book")];
    let asked = command(&query).current_dir(folder.path()).output().unwrap();
    assert!(text(&asked.stdout).contains("h2e2"), "{}", text(&asked.stderr));
}

#[test]
fn reserved_names_are_refused() {
    let folder = Folder::new();
    let games = folder.write("one.pgn", "[Result \"1-0\"]\n\n1. h2e2 h9g7 1-0\n");
    for name in ["aux", "aux.book", "NUL", "com1.book", "a.", "a ", "a.book:stream", "a?.book"] {
        let out = format!("{}\\{name}", folder.at(""));
        fails(&["book", "build", &games, "-o", &out], 73, &["Windows has no files of such a name"]);
    }
    assert_eq!(folder.names(), ["one.pgn"]);
}

#[test]
fn read_only_files_stay() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let before = fs::read(&book).unwrap();
    let mut permissions = fs::metadata(&book).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&book, permissions.clone()).unwrap();
    fails(&["book", "edit", &book, "--undo"], 73, &["read-only"]);
    let games = folder.write("one.pgn", "[Result \"1-0\"]\n\n1. h2e2 h9g7 1-0\n");
    fails(&["convert", &games, "-o", &book, "--to", "pgn"], 73, &["it is read-only"]);
    assert_eq!(fs::read(&book).unwrap(), before);
    assert_eq!(folder.hidden(), [""; 0]);
    #[expect(clippy::permissions_set_readonly_false, reason = "Windows has this bit alone")]
    permissions.set_readonly(false);
    fs::set_permissions(&book, permissions).unwrap();
}

#[test]
fn a_book_that_is_open_elsewhere_is_not_replaced_and_says_so() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let before = fs::read(&book).unwrap();
    let open = open_as_sqlite_does(&book);
    let edit = ["book", "edit", &book, "--move", "h2e2", "--weight", "7"];
    fails(&edit, 73, &["another program has it open"]);
    assert_eq!(fs::read(&book).unwrap(), before);
    drop(open);
    ok(&edit);
    assert_ne!(fs::read(&book).unwrap(), before);
    assert_eq!(folder.hidden(), [""; 0]);
}

#[test]
fn a_book_that_this_program_has_open_is_replaced_and_who_reads_keeps_the_old_one() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let open = Book::open(book.as_ref()).unwrap();
    ok(&["book", "edit", &book, "--move", "h2e2", "--weight", "7"]);
    let is_edited =
        |book: &Book| book.probe(&Position::start()).unwrap().iter().any(|mv| mv.weight == 7);
    assert!(!is_edited(&open));
    assert!(is_edited(&Book::open(book.as_ref()).unwrap()));
    // Where the system replaces no open file, the old one has a name until it is closed.
    drop(open);
    assert_eq!(folder.hidden(), [""; 0]);
}

#[test]
fn tables_are_replaced_while_they_are_probed() {
    let copy = copy_of(small_tables());
    let tables = Tables::open(copy.path(), Rules::Check, Metric::Dtm).unwrap();
    let dir = copy.at("");
    let fen = "4k4/9/9/9/9/9/9/9/R8/3K5 w";
    let probe = ["tablebase", "probe", "--tables", &dir, "--rules", "check", "--fen", fen];
    let before = stdout(&probe);
    fs::remove_file(copy.join("KRvK.check.dtm.jzt")).unwrap();
    ok(&["tablebase", "generate", "KRvKN", "--rules", "check", "--dir", &dir]);
    assert_eq!(stdout(&probe), before);
    drop(tables);
}

#[test]
fn engines_are_programs_and_batch_files_with_blanks_and_chinese_names() {
    let folder = Folder::new();
    let place = folder.join("象棋 引擎");
    fs::create_dir(&place).unwrap();
    fs::copy(PROGRAM, place.join("据中 引擎.exe")).unwrap();
    fs::copy(PROGRAM, place.join("engine.exe")).unwrap();
    let batch = folder.write("象棋 引擎/引 擎.bat", "@\"%~dp0engine.exe\" uci\r\n");
    let program = format!("'{}' uci", folder.at("象棋 引擎/据中 引擎.exe"));
    let batch = format!("'{batch}'");
    let args =
        ["match", "--engine-a", &program, "--engine-b", &batch, "--nodes", "50", "--games", "2"];
    let report = json(&args);
    assert_eq!(report["games"], 2, "{report}");
}

/// Starts the program as a GUI does: without arguments, over pipes.
fn engine_over_pipes() -> Child {
    let mut engine = Command::new(PROGRAM);
    engine.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    engine.spawn().unwrap()
}

#[test]
fn a_gui_starts_it_without_arguments() {
    let mut engine = engine_over_pipes();
    let mut input = engine.stdin.take().unwrap();
    input.write_all(b"ucci\r\nisready\r\nquit\r\n").unwrap();
    let lines: Vec<String> =
        BufReader::new(engine.stdout.take().unwrap()).lines().map_while(Result::ok).collect();
    assert!(lines.iter().any(|line| line == "ucciok"), "{lines:?}");
    assert!(lines.iter().any(|line| line == "readyok"), "{lines:?}");
    assert!(engine.wait().unwrap().success());
}

#[test]
fn settings_lie_where_windows_keeps_them() {
    let mut config = Command::new(PROGRAM);
    config.args(["config", "--json"]).env_remove("HOME").env_remove("JUZHONG_CONFIG");
    let config: Value = serde_json::from_slice(&config.output().unwrap().stdout).unwrap();
    let file = config["file"].as_str().unwrap();
    assert!(file.ends_with("\\AppData\\Roaming\\juzhong\\config.toml"), "{file}");
}

#[test]
fn settings_may_have_line_ends_of_windows() {
    let folder = Folder::new();
    let file = folder.write("设置 一.toml", "lang = \"zh\"\r\n[engine]\r\nhash = 5\r\n");
    let config = json(&["config", "--config", &file]);
    let mut settings = config["settings"].as_array().unwrap().iter();
    let hash = settings.find(|one| one["name"] == "engine.hash").unwrap();
    assert_eq!(hash["values"][0], "5", "{config}");
}

#[test]
fn scripts_may_have_line_ends_of_either_kind() {
    let folder = Folder::new();
    let book = sample_book(&folder);
    let script = folder.write(
        "edits.jsonl",
        "{\"move\": \"h2e2\", \"weight\": 7}\r\n{\"move\": \"h2e2\", \"priority\": 3}\r\n",
    );
    exits(&["book", "edit", &book, "--script", &script], 0);
}

#[test]
fn the_memory_and_the_disk_are_asked() {
    use juzhong::bytes::machine;
    assert!(machine::available_memory().is_some_and(|free| free > 0));
    let folder = Folder::new();
    assert!(machine::free_space(folder.path()).unwrap().is_some_and(|free| free > 0));
    assert!(!machine::has_own_console());
}
