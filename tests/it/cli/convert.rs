//! `juzhong convert`, and books from files of all formats.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::folder::Folder;
use crate::support::program::{ended, fails, json, ok, text, with_input};

const GAMES: &str = "\
[Event \"全國象棋賽\"]
[Red \"甲\"]
[Result \"1-0\"]

1. 炮二平五 马８进７ {好} (1. ... 炮８平５) 2. 马二进三 1-0

[Red \"乙\"]
[Result \"1/2-1/2\"]

1. 兵七进一 1/2-1/2
";

/// A folder with `games.pgn`.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("games.pgn", GAMES);
    folder
}

fn convert(from: &str, to: &str, more: &[&str]) -> String {
    text(&ok(&[&["convert", from, "-o", to], more].concat()).stderr)
}

#[test]
fn there_and_back() {
    let folder = folder();
    let [pgn, jsonl, again] = ["games.pgn", "a.jsonl.zst", "b.pgn"].map(|name| folder.at(name));
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
        let packed = folder.at(&format!("{notation}.pgn.{ending}"));
        let options = ["--notation", notation, "--encoding", encoding, "--replace"];
        convert(&pgn, &packed, &options);
        convert(&packed, &again, &[]);
        assert_eq!(fs::read_to_string(&again).unwrap(), first, "{notation} {encoding}");
    }
    let plain = folder.at("plain.txt");
    let told = convert(&pgn, &plain, &["--notation", "uci"]);
    assert!(told.contains("1 variation left out") && told.contains("1 comment left out"), "{told}");
    assert_eq!(fs::read_to_string(&plain).unwrap(), "h2e2 h9g7 h0g2 1-0\nc3c4 1/2-1/2\n");
}

#[test]
fn standard_input_and_output() {
    let output = with_input(&["convert", "-", "-o", "-", "--to", "jsonl"], GAMES);
    ended(&output, 0, &[]);
    let text = text(&output.stdout);
    let games: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((games.len(), &games[0]["moves"]), (2, &"h2e2 h9g7 h0g2".into()));
    assert_eq!(games[0]["tags"]["Red"], "甲");
    assert_eq!(games[0]["lines"][0]["ply"], 1);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_wait_for_standard_input() {
    use std::io::{Read, Write};
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    let folder = folder();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_juzhong"))
        .args(["convert", "-", "-o", &folder.at("out.pgn")])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    input.write_all(GAMES.as_bytes()).unwrap();
    // The lock beside the output shows that signals are caught.
    while fs::read_dir(folder.path()).unwrap().count() < 2 {
        std::thread::sleep(Duration::from_millis(10));
    }
    let interrupt = ["-INT", &child.id().to_string()];
    assert!(std::process::Command::new("kill").args(interrupt).status().unwrap().success());
    let until = Instant::now() + Duration::from_secs(60);
    while child.try_wait().unwrap().is_none() {
        assert!(Instant::now() < until, "it goes on");
        std::thread::sleep(Duration::from_millis(10));
    }
    let mut told = String::new();
    child.stderr.take().unwrap().read_to_string(&mut told).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(75), "{told}");
    assert!(told.contains("interrupted"), "{told}");
    assert!(!Path::new(&folder.at("out.pgn")).exists());
}

#[test]
fn bad_games_are_listed_or_refused() {
    let folder = folder();
    let [mixed, out, list] = ["mixed.txt", "out.jsonl", "list"].map(|name| folder.at(name));
    fs::write(&mixed, "h2e2 h9g7\nh2e2 h9g8\n").unwrap();
    convert(&mixed, &out, &["--rejects", &list]);
    let rejects = fs::read_to_string(&list).unwrap();
    let fields: Vec<_> = rejects.trim().split('\t').collect();
    assert_eq!(fields[..3], [mixed.as_str(), "2", "2"]);
    fs::remove_file(&out).unwrap();
    fails(&["convert", &mixed, "-o", &out, "--strict"], 65, &[]);
    fails(&["convert", &mixed, "-o", &mixed], 73, &[]);
    fails(&["convert", &mixed, "-o", &folder.at("out.what")], 2, &[]);
    fails(&["convert", &folder.at("none.pgn"), "-o", &out], 66, &[]);
    let big5 = ["convert", &folder.at("games.pgn"), "-o", &out, "--to", "pgn", "--encoding"];
    fs::write(folder.at("games.pgn"), "[Red \"吕\"]\n\n1. h2e2 *\n").unwrap();
    fails(&[&big5[..], &["big5"]].concat(), 65, &[]);
    assert!(!Path::new(&out).exists());
    let left = folder.names();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_folder_of_files() {
    let folder = folder();
    let out = folder.at("out/");
    convert(&folder.at("games.pgn"), &out, &["--to", "plain", "--notation", "wxf"]);
    let read = |name: &str| fs::read_to_string(folder.join("out").join(name)).unwrap();
    assert_eq!(read("000001.txt"), "C2=5 H8+7 H2+3 1-0\n");
    assert_eq!(read("000002.txt"), "P7+1 1/2-1/2\n");
    fails(&["convert", &folder.at("games.pgn"), "-o", &out, "--to", "plain"], 73, &[]);
}

#[test]
fn xqf_and_dhtmlxq() {
    let folder = folder();
    let [pgn, first, again] = ["games.pgn", "a.pgn", "b.pgn"].map(|name| folder.at(name));
    convert(&pgn, &first, &[]);
    let first = fs::read_to_string(&first).unwrap();
    for (name, options) in [
        ("a.ubb", &["--encoding", "gb18030"][..]),
        ("b.txt.gz", &["--to", "dhtmlxq"]),
        ("xqf/", &["--to", "xqf"]),
    ] {
        let out = folder.at(name);
        assert_eq!(convert(&pgn, &out, options), "");
        convert(&out, &again, &[]);
        assert_eq!(fs::read_to_string(&again).unwrap(), first, "{name}");
    }
    let xqf = fs::read(folder.join("xqf/000002.xqf")).unwrap();
    assert_eq!((&xqf[..3], xqf[0x33], xqf.len()), (&b"XQ\x0a"[..], 3, 1024 + 2 * 8));
    // What has no room is told; two games do not fit into one file.
    fs::write(folder.at("long.pgn"), GAMES.replace("[Red \"甲\"]", "[Round \"1\"]")).unwrap();
    let told = convert(&folder.at("long.pgn"), &folder.at("more/"), &["--to", "xqf"]);
    assert!(told.contains("1 tag left out"), "{told}");
    fails(&["convert", &pgn, "-o", &folder.at("one.xqf")], 2, &[]);
    fails(&["convert", &pgn, "-o", &folder.at("x/"), "--to", "cbr"], 2, &[]);
}

#[test]
fn a_game_counts_once_whatever_its_format() {
    let folder = folder();
    let pgn = folder.at("games.pgn");
    let sources = Folder::new();
    for name in ["a.pgn", "b.jsonl", "c.txt", "d.pgn.zst", "e.jsonl.gz", "f.ubb"] {
        convert(&pgn, &sources.at(name), &[]);
    }
    // One copy that states another result; the packed copy of a file is the same source.
    fs::write(sources.at("g.txt"), "h2e2 h9g7 h0g2 0-1\n").unwrap();
    fs::write(sources.at("notes.txt"), "Notes.").unwrap();
    let [book, list] = ["x.book", "disputes"].map(|name| folder.at(name));
    let build = ["book", "build", &sources.at(""), "-o", &book, "--disputes", &list];
    let answer = json(&build);
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
    let leave = |name: &str| fs::write(folder.join(name), "").unwrap();
    leave(".out.pgn.part-x1Y2z3");
    leave(".other.pgn.part-x1Y2z3");
    fs::create_dir(folder.join(".out.part-Folder")).unwrap();
    leave(".out.part-Folder/000001.pgn");
    convert(&folder.at("games.pgn"), &folder.at("out.pgn"), &[]);
    convert(&folder.at("games.pgn"), &folder.at("out/"), &["--to", "pgn"]);
    assert_eq!(folder.names(), [".other.pgn.part-x1Y2z3", "games.pgn", "out", "out.pgn"]);
    assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), 2);
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
    let [out, list] = ["out.txt", "list"].map(|name| folder.at(name));
    for (name, text) in names.iter().zip(texts) {
        let file = folder.at(name);
        fs::write(&file, text).unwrap();
        let args = ["convert", &file, "-o", &out, "--notation", "uci"];
        fails(&[&args[..], &["--strict"]].concat(), 65, &["game 1: ply 4"]);
        let told = convert(&file, &out, &["--notation", "uci"]);
        assert!(told.contains("game 1 ends before move 2 of Black: "), "{told}");
        assert!(told.contains(&file) && !told.contains("byte 0x"), "{told}");
        let opened = fs::read_to_string(&out).unwrap();
        assert!(opened.starts_with("h2e2 h") && opened.contains(" h0g2"), "{name}: {opened}");
        // Of several files, and of folders, such games are left out.
        fails(&["convert", &file, &file, "-o", &out, "--replace"], 65, &["game 1: ply 4"]);
        let told =
            convert(&file, &out, &["--notation", "uci", "--keep-legal-part", "--rejects", &list]);
        assert!(told.contains("1 game cut before an illegal move"), "{told}");
        let kept = fs::read_to_string(&out).unwrap();
        assert!(kept.starts_with("h2e2 h") && kept.contains(" h0g2"), "{name}: {kept}");
        let rejects = fs::read_to_string(&list).unwrap();
        assert!(
            rejects.starts_with(&file) && rejects.contains("the moves before are kept: ply 4:"),
            "{rejects}"
        );
        fs::remove_file(&out).unwrap();
        fs::remove_file(&list).unwrap();
        let book = folder.at("book");
        let build = ["book", "build", &file, "-o", &book, "--keep-legal-part", "--rejects", &list];
        let report = json(&build);
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
    let [pgn, out] = ["bad.pgn", "out.jsonl"].map(|name| folder.at(name));
    fs::write(&pgn, b"[Red \"\xba\xfa\xff\"]\n\n1. h2e2 *\n").unwrap();
    let told = convert(&pgn, &out, &[]);
    assert!(told.contains("1 game with bytes that stand for no character"), "{told}");
    assert!(fs::read_to_string(&out).unwrap().contains("\\\\xFF"));
}

#[test]
fn sources_without_a_game_are_counted_and_named() {
    let folder = folder();
    let (from, to) = (folder.at("in"), folder.at("out.pgn"));
    fs::create_dir(&from).unwrap();
    let write = |name: &str, text: &str| fs::write(format!("{from}/{name}"), text).unwrap();
    write("bare.ubb", "7747706279678070\n");
    write("note.pgn", "{a remark}\n");
    write("page.ubb", "<p>[DhtmlXQ_title]x[/DhtmlXQ_title]</p>");
    write("long.pgn", &"; a remark that is long\n".repeat(60_000));
    write("blank.pgn", " \n");
    write("digits.ubb", "7747706279678989\n");
    let run = ok(&["-v", "convert", &from, "-o", &to, "--json"]);
    let log = String::from_utf8(run.stderr).unwrap();
    let answer: Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(answer["games"], 1, "{answer}");
    assert_eq!(answer["bad"], 1, "{answer}");
    assert_eq!(answer["skipped"], 3, "{answer}");
    for name in ["note.pgn", "page.ubb", "long.pgn"] {
        let line = log.lines().find(|line| line.contains(name));
        assert!(line.is_some_and(|line| line.contains("no game is found in it")), "{log}");
    }
    assert!(fs::read_to_string(&to).unwrap().contains("炮二平五"));
}

/// Games of two players, one of them written in both scripts, by different moves and results.
const COLLECTION: &str = "\
[Red \"胡榮華\"]\n[Black \"许银川\"]\n[Date \"1997.05.01\"]\n[Event \"A\"]\n[Result \"1-0\"]\n\n1. h2e2 h9g7 2. h0g2 1-0\n\n\
[Red \"许银川\"]\n[Black \"胡荣华\"]\n[Date \"2001.05.01\"]\n[Event \"B\"]\n[Result \"1/2-1/2\"]\n\n1. c3c4 c6c5 1/2-1/2\n\n\
[Red \"ＬＩ\"]\n[Black \"Wang\"]\n[Date \"2010.05.01\"]\n[Event \"C\"]\n[Result \"0-1\"]\n\n1. b2e2 b9c7 2. b0c2 0-1\n\n\
[Red \"a\"]\n[Black \"b\"]\n[FEN \"4ka3/4a4/9/9/9/9/9/4R4/9/3K5 w - - 0 1\"]\n[Result \"1-0\"]\n\n1. e2e8 f9e8 2. d0d1 1-0\n\n";

#[test]
fn a_collection_can_be_searched() {
    let folder = Folder::new();
    let games = &folder.write("games.pgn", COLLECTION);
    let out = &folder.at("found.jsonl");
    let found = |conditions: &[&str]| {
        let _gone = fs::remove_file(out);
        let answer = json(&[&["convert", games, "-o", out], conditions].concat());
        assert_eq!(answer["games"].as_u64().unwrap() + answer["filtered"].as_u64().unwrap(), 4);
        let text = fs::read_to_string(out).unwrap();
        assert_eq!(text.lines().count() as u64, answer["games"], "{conditions:?}");
        answer["games"].as_u64().unwrap()
    };
    for (conditions, games) in [
        (&[][..], 4),
        (&["--player", "胡荣华"], 2),
        (&["--player", "胡榮"], 2),
        (&["--red", "胡荣华"], 1),
        (&["--black", "許銀川"], 1),
        (&["--player", "li"], 1),
        (&["--since", "2000"], 2),
        (&["--until", "2000"], 1),
        (&["--result", "1-0"], 2),
        (&["--player", "胡荣华", "--result", "1-0"], 1),
        (&["--event", "b"], 1),
        (&["--position", "startpos moves h2e2"], 2),
        (&["--position", "startpos moves h2e2 h9g7 h0g2"], 2),
        (&["--position", "startpos moves c3c4"], 1),
        (&["--opening", "E"], 1),
        (&["--opening", "b"], 2),
        (&["--material", "KCvKC"], 0),
        (&["--material", "KvKA"], 1),
        (&["--material", "KRvK*"], 1),
    ] {
        if games > 0 {
            assert_eq!(found(conditions), games, "{conditions:?}");
        } else {
            let _gone = fs::remove_file(out);
            let args = [&["convert", &folder.at("games.pgn"), "-o", out], conditions];
            fails(&args.concat(), 1, &["none of 4 games"]);
            assert!(!Path::new(out).exists());
        }
    }
    fails(&["convert", games, "-o", out, "--opening", "B9999"], 2, &["--opening", "ECCO"]);
    fails(&["convert", games, "-o", out, "--position", "x"], 65, &["--position"]);
}

#[test]
fn a_game_becomes_a_picture_that_moves() {
    let folder = folder();
    let [pgn, gif, films] = ["games.pgn", "a.gif", "films/"].map(|name| folder.at(name));
    fails(&["convert", &pgn, "-o", &gif], 2, &["one game a file"]);
    assert!(!Path::new(&gif).exists());
    let told = convert(&pgn, &films, &["--to", "gif", "--width", "120"]);
    assert!(told.contains("1 comment left out") && told.contains("gif"), "{told}");
    // Three plies and the start: a graphic control block before each frame.
    let bytes = fs::read(folder.at("films/000001.gif")).unwrap();
    assert!(bytes.starts_with(b"GIF89a\x78\x00"));
    assert_eq!(bytes.windows(3).filter(|bytes| bytes == b"\x21\xf9\x04").count(), 4);
    let stones = with_input(
        &["convert", "-", "-o", "-", "--to", "gif", "--game", "gomoku", "--numbers"],
        "h8i9g8\n",
    );
    ended(&stones, 0, &[]);
    assert!(stones.stdout.starts_with(b"GIF89a"));
    let both = with_input(&["convert", "-", "-o", "-", "--to", "gif"], GAMES);
    ended(&both, 2, &["name a folder"]);
    fails(&["convert", &pgn, "-o", &gif, "--width", "5000"], 2, &["5000"]);
    fails(&["convert", &pgn, "-o", &gif, "--to", "png"], 2, &["no format", "gif, html"]);
    fails(&["convert", &pgn, "-o", &gif, "--encoding", "big5"], 2, &["no choice of encoding"]);
}

#[test]
fn a_game_becomes_a_page_in_the_language_of_its_reader() {
    let folder = folder();
    let pgn = folder.at("games.pgn");
    for (language, words) in [
        ("en", ["lang=\"en\"", "甲 – ?", ">h2e2<", "After 1… h9g7", "Red wins"]),
        ("zh", ["lang=\"zh-CN\"", "甲 – ?", ">炮二平五<", "好</p>", "红胜"]),
    ] {
        let pages = folder.at(&format!("{language}/"));
        convert(&pgn, &pages, &["--to", "html", "--lang", language]);
        let page = fs::read_to_string(folder.at(&format!("{language}/000001.html"))).unwrap();
        let mut rest = page.as_str();
        for word in words {
            let (_, after) = rest.split_once(word).unwrap_or_else(|| panic!("{word}: {page}"));
            rest = after;
        }
        assert!(page.contains("<div class=\"variation\">") && !page.contains("<script"));
        assert!(Path::new(&folder.at(&format!("{language}/000002.html"))).exists());
    }
    let wxf = folder.at("wxf/");
    convert(&pgn, &wxf, &["--to", "html", "--notation", "wxf"]);
    assert!(fs::read_to_string(folder.at("wxf/000001.html")).unwrap().contains(">C2=5<"));
}
