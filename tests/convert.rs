//! `juzhong convert`, and books from files of all formats.

#![expect(clippy::unwrap_used, reason = "a test may stop and say why")]

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use serde_json::Value;
use tempfile::TempDir;

const GAMES: &str = "\
[Event \"全國象棋賽\"]
[Red \"甲\"]
[Result \"1-0\"]

1. 炮二平五 马８进７ {好} (1. ... 炮８平５) 2. 马二进三 1-0

[Red \"乙\"]
[Result \"1/2-1/2\"]

1. 兵七进一 1/2-1/2
";

fn juzhong(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_juzhong"));
    command.args(args);
    command
}

/// A folder with `games.pgn`.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("games.pgn"), GAMES).unwrap();
    folder
}

fn at(folder: &TempDir, name: &str) -> String {
    folder.path().join(name).to_str().unwrap().to_owned()
}

fn convert(from: &str, to: &str, more: &[&str]) -> String {
    let output = juzhong(&[&["convert", from, "-o", to], more].concat()).assert().success();
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

#[test]
fn there_and_back() {
    let folder = folder();
    let [pgn, jsonl, again] = ["games.pgn", "a.jsonl.zst", "b.pgn"].map(|name| at(&folder, name));
    assert_eq!(convert(&pgn, &jsonl, &[]), "");
    assert_eq!(fs::read(&jsonl).unwrap()[..4], [0x28, 0xb5, 0x2f, 0xfd]);
    convert(&jsonl, &again, &[]);
    let first = fs::read_to_string(&again).unwrap();
    assert!(
        first.contains("[Event \"全國象棋賽\"]") && first.contains("{好} (1. ... 炮８平５)"),
        "{first}"
    );
    for (notation, encoding, ending) in
        [("wxf", "gb18030", "gz"), ("iccs", "big5", "zst"), ("chinese", "big5", "gz")]
    {
        let packed = at(&folder, &format!("{notation}.pgn.{ending}"));
        let options = ["--notation", notation, "--encoding", encoding, "--replace"];
        convert(&pgn, &packed, &options);
        convert(&packed, &again, &[]);
        assert_eq!(fs::read_to_string(&again).unwrap(), first, "{notation} {encoding}");
    }
    let plain = at(&folder, "plain.txt");
    let told = convert(&pgn, &plain, &["--notation", "uci"]);
    assert!(
        told.contains("1 variations left out") && told.contains("1 comments left out"),
        "{told}"
    );
    assert_eq!(fs::read_to_string(&plain).unwrap(), "h2e2 h9g7 h0g2 1-0\nc3c4 1/2-1/2\n");
}

#[test]
fn standard_input_and_output() {
    let mut command = juzhong(&["convert", "-", "-o", "-", "--to", "jsonl"]);
    let output = command.write_stdin(GAMES).assert().success();
    let text = String::from_utf8(output.get_output().stdout.clone()).unwrap();
    let games: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((games.len(), &games[0]["moves"]), (2, &"h2e2 h9g7 h0g2".into()));
    assert_eq!(games[0]["tags"]["Red"], "甲");
    assert_eq!(games[0]["lines"][0]["ply"], 1);
}

#[test]
fn bad_games_are_listed_or_refused() {
    let folder = folder();
    let [mixed, out, list] = ["mixed.txt", "out.jsonl", "list"].map(|name| at(&folder, name));
    fs::write(&mixed, "h2e2 h9g7\nh2e2 h9g8\n").unwrap();
    convert(&mixed, &out, &["--rejects", &list]);
    let rejects = fs::read_to_string(&list).unwrap();
    let fields: Vec<_> = rejects.trim().split('\t').collect();
    assert_eq!(fields[..3], [mixed.as_str(), "2", "2"]);
    fs::remove_file(&out).unwrap();
    let code = |args: &[&str]| juzhong(args).assert().failure().get_output().status.code().unwrap();
    assert_eq!(code(&["convert", &mixed, "-o", &out, "--strict"]), 65);
    assert_eq!(code(&["convert", &mixed, "-o", &mixed]), 73);
    assert_eq!(code(&["convert", &mixed, "-o", &at(&folder, "out.what")]), 2);
    assert_eq!(code(&["convert", &at(&folder, "none.pgn"), "-o", &out]), 66);
    let big5 = ["convert", &at(&folder, "games.pgn"), "-o", &out, "--to", "pgn", "--encoding"];
    fs::write(at(&folder, "games.pgn"), "[Red \"吕\"]\n\n1. h2e2 *\n").unwrap();
    assert_eq!(code(&[&big5[..], &["big5"]].concat()), 65);
    assert!(!Path::new(&out).exists());
    let left: Vec<PathBuf> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_folder_of_files() {
    let folder = folder();
    let out = at(&folder, "out/");
    convert(&at(&folder, "games.pgn"), &out, &["--to", "plain", "--notation", "wxf"]);
    let read = |name: &str| fs::read_to_string(folder.path().join("out").join(name)).unwrap();
    assert_eq!(read("000001.txt"), "C2=5 H8+7 H2+3 1-0\n");
    assert_eq!(read("000002.txt"), "P7+1 1/2-1/2\n");
    juzhong(&["convert", &at(&folder, "games.pgn"), "-o", &out, "--to", "plain"]).assert().code(73);
}

#[test]
fn xqf_and_dhtmlxq() {
    let folder = folder();
    let [pgn, first, again] = ["games.pgn", "a.pgn", "b.pgn"].map(|name| at(&folder, name));
    convert(&pgn, &first, &[]);
    let first = fs::read_to_string(&first).unwrap();
    for (name, options) in [
        ("a.ubb", &["--encoding", "gb18030"][..]),
        ("b.txt.gz", &["--to", "dhtmlxq"]),
        ("xqf/", &["--to", "xqf"]),
    ] {
        let out = at(&folder, name);
        assert_eq!(convert(&pgn, &out, options), "");
        convert(&out, &again, &[]);
        assert_eq!(fs::read_to_string(&again).unwrap(), first, "{name}");
    }
    let xqf = fs::read(folder.path().join("xqf/000002.xqf")).unwrap();
    assert_eq!((&xqf[..3], xqf[0x33], xqf.len()), (&b"XQ\x0a"[..], 3, 1024 + 2 * 8));
    // What has no room is told; two games do not fit into one file.
    fs::write(at(&folder, "long.pgn"), GAMES.replace("[Red \"甲\"]", "[Round \"1\"]")).unwrap();
    let told = convert(&at(&folder, "long.pgn"), &at(&folder, "more/"), &["--to", "xqf"]);
    assert!(told.contains("1 tags left out"), "{told}");
    juzhong(&["convert", &pgn, "-o", &at(&folder, "one.xqf")]).assert().code(2);
    juzhong(&["convert", &pgn, "-o", &at(&folder, "x/"), "--to", "cbr"]).assert().code(2);
}

#[test]
fn a_game_counts_once_whatever_its_format() {
    let folder = folder();
    let pgn = at(&folder, "games.pgn");
    let sources = TempDir::new().unwrap();
    for name in ["a.pgn", "b.jsonl", "c.txt", "d.pgn.zst", "e.jsonl.gz", "f.ubb"] {
        convert(&pgn, &at(&sources, name), &[]);
    }
    // One copy that states another result; the packed copy of a file is the same source.
    fs::write(at(&sources, "g.txt"), "h2e2 h9g7 h0g2 0-1\n").unwrap();
    fs::write(at(&sources, "notes.txt"), "Notes.").unwrap();
    let [book, list] = ["x.book", "disputes"].map(|name| at(&folder, name));
    let build = ["book", "build", &at(&sources, ""), "-o", &book, "--disputes", &list, "--json"];
    let output = juzhong(&build).assert().success();
    let answer: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
    let count = |name: &str| answer[name].as_u64().unwrap();
    assert_eq!((count("games"), count("records"), count("duplicates")), (2, 9, 7));
    assert_eq!((count("files"), count("same_files")), (7, 2));
    assert_eq!((count("disputed"), count("tied"), count("contradicted")), (1, 0, 0));
    assert_eq!((count("red"), count("draws")), (1, 1));
    let disputes = fs::read_to_string(&list).unwrap();
    let rows: Vec<Vec<&str>> = disputes.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 5, "{disputes}");
    assert!(rows.iter().all(|row| row[1..4] == ["majority", "1-0", "-"]), "{disputes}");
    let stated: Vec<_> = rows.iter().map(|row| row[7]).collect();
    assert_eq!(stated, ["1-0", "1-0", "1-0", "1-0", "0-1"]);
}

#[test]
fn what_a_killed_run_left_is_swept() {
    let folder = folder();
    let leave = |name: &str| fs::write(folder.path().join(name), "").unwrap();
    leave(".out.pgn.part-x1Y2z3");
    leave(".other.pgn.part-x1Y2z3");
    fs::create_dir(folder.path().join(".out.part-Folder")).unwrap();
    leave(".out.part-Folder/000001.pgn");
    convert(&at(&folder, "games.pgn"), &at(&folder, "out.pgn"), &[]);
    convert(&at(&folder, "games.pgn"), &at(&folder, "out/"), &["--to", "pgn"]);
    let entries = fs::read_dir(folder.path()).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, [".other.pgn.part-x1Y2z3", "games.pgn", "out", "out.pgn"]);
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 2);
}

#[test]
fn the_moves_before_an_illegal_one_are_kept() {
    let folder = folder();
    let names = ["a.pgn", "b.txt", "c.csv", "d.jsonl", "e.dhtmlxq", "f.pgn", "g.txt", "h.jsonl"];
    let texts = [
        "[Red \"x\"]\n\n1. h2e2 h9g7 2. h0g2 (2. b0c2) a9a1 1-0\n",
        "h2e2 h9g7 h0g2 a9a1\n",
        "moves,red\nh2e2 h9g7 h0g2 a9a1,x\n",
        "{\"moves\":\"h2e2 h9g7 h0g2 a9a1\"}\n",
        "[DhtmlXQ][DhtmlXQ_movelist]7747706279670003[/DhtmlXQ_movelist][/DhtmlXQ]\n",
        // Ranks from 1, without one of 10 and with one.
        "[Event \"x\"]\n\n1. h3e3 h8e8 2. h1g3 a1a9 *\n",
        "h3e3 h10g8 h1g3 a1a9\n",
        "{\"moves\":\"h3e3 h10g8 h1g3 a1a9\"}\n",
    ];
    let [out, list] = ["out.txt", "list"].map(|name| at(&folder, name));
    for (name, text) in names.iter().zip(texts) {
        let file = at(&folder, name);
        fs::write(&file, text).unwrap();
        let args = ["convert", &file, "-o", &out, "--notation", "uci"];
        juzhong(&args).assert().failure().code(65);
        let told =
            convert(&file, &out, &["--notation", "uci", "--keep-legal-part", "--rejects", &list]);
        assert!(told.contains("1 games cut before an illegal move"), "{told}");
        let kept = fs::read_to_string(&out).unwrap();
        assert!(kept.starts_with("h2e2 h") && kept.contains(" h0g2"), "{name}: {kept}");
        let rejects = fs::read_to_string(&list).unwrap();
        assert!(
            rejects.starts_with(&file) && rejects.contains("the moves before are kept: ply 4:"),
            "{rejects}"
        );
        fs::remove_file(&out).unwrap();
        fs::remove_file(&list).unwrap();
        let book = at(&folder, "book");
        let build = [
            "book",
            "build",
            &file,
            "-o",
            &book,
            "--keep-legal-part",
            "--rejects",
            &list,
            "--json",
        ];
        let output = juzhong(&build).assert().success();
        let report: Value = serde_json::from_slice(&output.get_output().stdout).unwrap();
        assert_eq!(
            (&report["games"], &report["bad"], &report["cut"]),
            (&1.into(), &0.into(), &1.into())
        );
        assert!(fs::read_to_string(&list).unwrap().contains("the moves before are kept: ply 4:"));
        fs::remove_file(&list).unwrap();
    }
}

#[test]
fn bytes_without_a_character_are_kept_visible() {
    let folder = folder();
    let [pgn, out] = ["bad.pgn", "out.jsonl"].map(|name| at(&folder, name));
    fs::write(&pgn, b"[Red \"\xba\xfa\xff\"]\n\n1. h2e2 *\n").unwrap();
    let told = convert(&pgn, &out, &[]);
    assert!(told.contains("1 games with bytes that stand for no character"), "{told}");
    assert!(fs::read_to_string(&out).unwrap().contains("\\\\xFF"));
}

#[test]
fn sources_without_a_game_are_counted_and_named() {
    let folder = folder();
    let (from, to) = (at(&folder, "in"), at(&folder, "out.pgn"));
    std::fs::create_dir(&from).unwrap();
    let write = |name: &str, text: &str| std::fs::write(format!("{from}/{name}"), text).unwrap();
    write("bare.ubb", "7747706279678070\n");
    write("note.pgn", "{a remark}\n");
    write("page.ubb", "<p>[DhtmlXQ_title]x[/DhtmlXQ_title]</p>");
    write("long.pgn", &"; a remark\n".repeat(200_000));
    write("blank.pgn", " \n");
    write("digits.ubb", "7747706279678989\n");
    let run = juzhong(&["-v", "convert", &from, "-o", &to, "--json"]).output().unwrap();
    let log = String::from_utf8(run.stderr).unwrap();
    let answer: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(answer["games"], 1, "{answer}");
    assert_eq!(answer["bad"], 1, "{answer}");
    assert_eq!(answer["skipped"], 3, "{answer}");
    for name in ["note.pgn", "page.ubb", "long.pgn"] {
        let line = log.lines().find(|line| line.contains(name));
        assert!(line.is_some_and(|line| line.contains("no game is found in it")), "{log}");
    }
    assert!(std::fs::read_to_string(&to).unwrap().contains("炮二平五"));
}
