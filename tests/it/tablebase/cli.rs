//! `juzhong tablebase` as people and programs call it: answers, exit codes, damaged files.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;

use crate::support::program::{exits, fails, json, juzhong, ok, text};

/// A folder with KRvKN and its sub-sets, built once.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    FOLDER
        .get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            let dir = folder.path().to_str().unwrap();
            let progress = text(&ok(&["tablebase", "generate", "KRvKN", "--dir", dir]).stderr);
            assert!(progress.contains("KRvKN (4 of 4): 364500 slots"), "{progress}");
            assert!(progress.contains("MiB of memory"), "{progress}");
            folder
        })
        .path()
}

fn dir() -> &'static str {
    folder().to_str().unwrap()
}

/// A copy of the tables in which one file was changed.
fn copy_with(change: impl Fn(&mut Vec<u8>)) -> (tempfile::TempDir, PathBuf) {
    let copy = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    let path = copy.path().join("KRvKN.asian.dtm.jzt");
    let mut bytes = std::fs::read(&path).unwrap();
    change(&mut bytes);
    std::fs::write(&path, bytes).unwrap();
    (copy, path)
}

const WON: &str = "4k4/9/9/4n4/9/9/9/9/9/3K4R w - - 0 1";
const WON_BY_BLACK: &str = "4k3r/9/9/9/9/4N4/9/9/9/3K5 b - - 0 1";

#[test]
fn stats_report_the_side_named_first_as_red() {
    let stats = json(&["tablebase", "stats", "KRvKN", "--dir", dir()]);
    assert_eq!(stats["schema"], "juzhong.tablebase.stats/1");
    assert_eq!(stats["material"], "KRvKN");
    assert_eq!(stats["rules"], "asian");
    assert_eq!(stats["metric"], "dtm");
    assert_eq!(stats["slots"], 364_500);
    assert_eq!(stats["red"]["win"], 346_935);
    assert_eq!(stats["red"]["by_rule_win"], 624);
    assert_eq!(stats["red"]["longest_win"], 25);
    assert_eq!(stats["black"]["by_rule_loss"], 2570);
    let asked = json(&["tb", "stats", "KHVKR", "--dir", dir()]);
    assert_eq!(asked["material"], "KNvKR");
    assert_eq!(asked["black"]["win"], 346_935);
    assert_eq!(asked["red"]["longest_win"], stats["black"]["longest_win"]);
    for (stats, side) in [(&stats, "red"), (&asked, "black")] {
        let fen = stats[side]["longest_fen"].as_str().unwrap();
        let answer = json(&["tablebase", "probe", "--dir", dir(), "--fen", fen]);
        assert_eq!((&answer["wdl"], &answer["distance"]), (&"win".into(), &25.into()), "{fen}");
    }
}

#[test]
fn probe_answers_for_either_colour() {
    let red = json(&["tablebase", "probe", "--dir", dir(), "--fen", WON]);
    let black = json(&["tablebase", "probe", "--dir", dir(), "--fen", WON_BY_BLACK]);
    assert_eq!(red["schema"], "juzhong.tablebase.probe/1");
    assert_eq!(red["fen"], WON);
    for answer in [&red, &black] {
        assert_eq!(answer["material"], "KRvKN");
        assert_eq!(answer["wdl"], "win");
        assert_eq!(answer["order"], 0);
        let best = &answer["moves"][0];
        assert_eq!(best["wdl"], "win");
        assert_eq!(best["distance"], answer["distance"]);
    }
    let moves = red["moves"].as_array().unwrap();
    let distances: Vec<u64> = moves
        .iter()
        .take_while(|m| m["wdl"] == "win")
        .filter_map(|m| m["distance"].as_u64())
        .collect();
    assert!(distances.is_sorted() && distances.len() > 3);
    let plain = juzhong(&["tablebase", "probe", "--dir", dir(), "--fen", WON]);
    assert!(String::from_utf8(plain.stdout).unwrap().contains("win in"));
}

#[test]
fn a_mated_position_is_lost_in_0_and_draws_have_no_distance() {
    let mated = "3k5/9/9/9/3R5/9/9/9/9/4K4 b";
    let answer = json(&["tablebase", "probe", "--dir", dir(), "--fen", mated]);
    assert_eq!((&answer["wdl"], &answer["distance"]), (&"loss".into(), &0.into()));
    assert!(answer["moves"].as_array().unwrap().is_empty());
    let bare = "3k5/9/9/9/9/9/9/9/9/4K4 w";
    let answer = json(&["tablebase", "probe", "--dir", dir(), "--fen", bare]);
    assert_eq!((&answer["wdl"], &answer["distance"]), (&"draw".into(), &Value::Null));
}

#[test]
fn batches_answer_line_by_line() {
    let file = folder().join("../batch-of-positions.txt");
    let file = tempfile::NamedTempFile::new_in(file.parent().unwrap()).unwrap();
    std::fs::write(
        file.path(),
        [WON.as_bytes(), b"\nnonsense\n", b"\xff\xfe\n", WON_BY_BLACK.as_bytes(), b"\n"].concat(),
    )
    .unwrap();
    let path = file.path().to_str().unwrap();
    let output = exits(&["tablebase", "probe", "--dir", dir(), "--fens", path], 65);
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4);
    assert_eq!(lines[0]["wdl"], "win");
    assert_eq!(lines[1]["fen"], "nonsense");
    assert_eq!(lines[1]["error"]["code"], 65);
    assert_eq!(lines[2]["error"]["code"], 65);
    assert_eq!(lines[3]["wdl"], "win");
}

#[test]
fn list_and_verify() {
    let list = json(&["tablebase", "list", "--dir", dir()]);
    let names: Vec<_> =
        list["tables"].as_array().unwrap().iter().map(|t| t["material"].clone()).collect();
    assert_eq!(names, ["KvK", "KNvK", "KRvK", "KRvKN"]);
    let verified = json(&["tablebase", "verify", "--dir", dir()]);
    assert_eq!(verified["passed"], true);
    assert_eq!(verified["tables"][3]["wrong"], 0);
    let one = json(&["tablebase", "verify", "--dir", dir(), "--threads", "1"]);
    assert_eq!(one, verified);
    let output = juzhong(&["tablebase", "verify", "KRvKN", "--dir", dir()]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("KRvKN (1 of 1)"));
    assert!(String::from_utf8(output.stdout).unwrap().contains("positions, right"));
    fails(&["tablebase", "verify", "--dir", dir(), "--threads", "0"], 2, &["--threads"]);
}

#[test]
fn a_pattern_is_verified_set_by_set() {
    let tables = tempfile::tempdir().unwrap();
    let dir = tables.path().to_str().unwrap();
    json(&["tablebase", "generate", "KvK*", "--dir", dir]);
    let proof = json(&["tablebase", "verify", "KvK*", "KAvK", "--dir", dir]);
    assert_eq!(proof["tables"].as_array().unwrap().len(), 9);
    std::fs::remove_file(tables.path().join("KABBvK.asian.dtm.jzt")).unwrap();
    let args = ["tablebase", "verify", "KvKABB*", "--dir", dir];
    fails(&args, 66, &["no table KABBvK in"]);
}

#[test]
fn what_is_there_is_kept_and_threads_do_not_matter() {
    let again = json(&["tablebase", "generate", "KRvKN", "--dir", dir()]);
    assert!(again["tables"].as_array().unwrap().iter().all(|table| table["reused"] == true));
    let other = tempfile::tempdir().unwrap();
    let path = other.path().to_str().unwrap();
    json(&["tablebase", "generate", "KNvKR", "--dir", path, "--threads", "1"]);
    let name = "KRvKN.asian.dtm.jzt";
    let read = |dir: &Path| std::fs::read(dir.join(name)).unwrap();
    assert_eq!(read(other.path()), read(folder()));
}

#[test]
fn wrong_arguments() {
    for (name, part) in [
        ("KRRRvK", "holds 2"),
        ("RvK", "0 kings"),
        ("KPPPPPPvK", "holds 5"),
        ("KXvK", "no man"),
        ("KR", "two sides"),
    ] {
        fails(&["tablebase", "generate", name, "--dir", dir()], 2, &[name, part]);
    }
    fails(&["tablebase", "generate", "--dir", dir()], 2, &["MATERIAL", "--men", "--list"]);
    fails(&["tablebase", "probe", "--dir", dir()], 2, &["--fens <FILE>"]);
    fails(&["tb", "probe", "--dir", dir(), "--fen", WON, "--fens", "-"], 2, &["cannot be used"]);
    fails(
        &["tablebase", "generate", "KRvK", "--dir", dir(), "--rules", "odd"],
        2,
        &["none, check"],
    );
    fails(
        &["tablebase", "generate", "KRRNNCCvKRRNNCC", "--dir", dir()],
        2,
        &["KRRNNCCvKRRNNCC has", "slots"],
    );
    let args = ["tablebase", "generate", "KRRvKRR", "--dir", dir(), "--memory", "70MiB"];
    fails(&args, 2, &["MiB of memory, 70 MiB may be used", "--memory"]);
    assert!(!folder().join("KRvKR.asian.dtm.jzt").exists());
    let fresh = folder().join("fresh");
    let path = fresh.to_str().unwrap();
    fails(&["tablebase", "generate", "KRRvKR", "--dir", path, "--memory", "70MiB"], 2, &["MiB"]);
    assert!(!fresh.exists());
}

#[test]
fn missing_tables() {
    let fen = "4k4/9/9/4c4/9/9/9/9/9/3K4R w";
    let parts = ["KRvKC", "juzhong tablebase generate KRvKC --tables"];
    fails(&["tablebase", "probe", "--dir", dir(), "--fen", fen], 66, &parts);
    fails(&["tablebase", "stats", "KCvKR", "--dir", dir()], 66, &parts);
    let args = ["tablebase", "stats", "KRvKN", "--dir", dir(), "--rules", "none"];
    fails(&args, 66, &["--rules none"]);
    let parts_of_folder = ["/no/such/folder", "generate MATERIAL --tables"];
    fails(&["tablebase", "list", "--dir", "/no/such/folder"], 66, &parts_of_folder);
    fails(&["tablebase", "verify", "KRvKC", "--dir", dir()], 66, &parts);
}

#[test]
fn unreadable_positions() {
    fails(&["tablebase", "probe", "--dir", dir(), "--fen", "4k4/9"], 65, &["2 ranks"]);
    let facing = "4k4/9/9/9/9/9/9/9/9/4K4 w";
    fails(&["tablebase", "probe", "--dir", dir(), "--fen", facing], 65, &["face each other"]);
}

#[test]
fn folders_that_cannot_be_written() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let inside = file.path().join("tables");
    fails(&["tablebase", "generate", "KRvK", "--dir", inside.to_str().unwrap()], 73, &["tables"]);
}

#[test]
fn damaged_tables() {
    let probe = |folder: &tempfile::TempDir, part: &str| {
        let dir = folder.path().to_str().unwrap();
        fails(&["tablebase", "probe", "--dir", dir, "--fen", WON], 65, &["KRvKN.asian", part]);
        fails(&["tablebase", "generate", "KRvKN", "--dir", dir], 65, &["KRvKN.asian", part]);
        fails(&["tablebase", "verify", "KRvKN", "--dir", dir], 65, &["KRvKN.asian", part]);
    };
    probe(&copy_with(|bytes| bytes[100] ^= 1).0, "damaged");
    probe(&copy_with(|bytes| bytes.truncate(20_000)).0, "truncated");
    probe(&copy_with(|bytes| bytes.truncate(10)).0, "truncated");
    probe(&copy_with(Vec::clear).0, "truncated");
    probe(&copy_with(|bytes| bytes.push(0)).0, "bytes");
    probe(&copy_with(|bytes| bytes[0] ^= 1).0, "not this kind of file");
    probe(&copy_with(|bytes| bytes[8] = 9).0, "version 9");
}

#[test]
fn advice_fits_the_fault_and_is_given_once() {
    let message = |copy: &tempfile::TempDir| {
        let dir = copy.path().to_str().unwrap();
        String::from_utf8(juzhong(&["tablebase", "stats", "KRvKN", "--dir", dir]).stderr).unwrap()
    };
    let newer = message(&copy_with(|bytes| bytes[8] = 9).0);
    assert!(newer.contains("update juzhong, or use another --tables"), "{newer}");
    assert!(!newer.contains("remove") && !newer.contains("generate"), "{newer}");
    let damaged = message(&copy_with(|bytes| bytes[100] ^= 1).0);
    assert_eq!(damaged.matches("checksum").count(), 1, "{damaged}");
    assert_eq!(newer.matches("version 9").count(), 1, "{newer}");
}

#[test]
fn a_folder_named_like_a_table() {
    let (copy, path) = copy_with(|_| {});
    std::fs::remove_file(&path).unwrap();
    std::fs::create_dir(&path).unwrap();
    let dir = copy.path().to_str().unwrap();
    let parts = ["KRvKN.asian", "use another --tables"];
    fails(&["tablebase", "stats", "KRvKN", "--dir", dir], 74, &parts);
}

#[test]
fn a_damaged_table_does_not_hide_the_others() {
    let (copy, _path) = copy_with(|bytes| bytes[100] ^= 1);
    let dir = copy.path().to_str().unwrap();
    std::fs::rename(copy.path().join("KNvK.asian.dtm.jzt"), copy.path().join("KPvK.asian.dtm.jzt"))
        .unwrap();
    for command in ["list", "verify"] {
        let output = exits(&["tablebase", command, "--dir", dir, "--json"], 65);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let tables = answer["tables"].as_array().unwrap();
        assert_eq!(tables.len(), 4, "{answer}");
        let failed = tables.iter().filter(|table| table["error"]["code"] == 65).count();
        assert_eq!(failed, 2, "{answer}");
        let message = String::from_utf8(output.stderr).unwrap();
        assert!(message.contains("KPvK.asian") && message.contains("KRvKN.asian"), "{message}");
    }
}

#[test]
fn every_flipped_byte_of_the_blocks_is_noticed() {
    // The block tables stand behind the blocks.
    for (before_end, what) in [(1, "block table"), (500, "WDL block"), (12_000, "distance block")] {
        let (copy, _path) = copy_with(|bytes| {
            let place = bytes.len() - before_end;
            bytes[place] ^= 0x10;
        });
        let dir = copy.path().to_str().unwrap();
        fails(&["tablebase", "verify", "KRvKN", "--dir", dir], 65, &[what, "damaged"]);
        fails(&["tablebase", "generate", "KRvKN", "--dir", dir], 65, &[what, "damaged"]);
    }
}

#[test]
fn files_under_another_name() {
    let copy = tempfile::tempdir().unwrap();
    let dir = copy.path().to_str().unwrap();
    let from = folder().join("KRvKN.asian.dtm.jzt");
    std::fs::copy(&from, copy.path().join("KRvKC.asian.dtm.jzt")).unwrap();
    std::fs::copy(&from, copy.path().join("KRvKN.none.dtm.jzt")).unwrap();
    fails(&["tablebase", "stats", "KRvKC", "--dir", dir], 65, &["material", "KRvKN"]);
    let args = ["tablebase", "stats", "KRvKN", "--dir", dir, "--rules", "none"];
    fails(&args, 65, &["rules", "asian"]);
}

#[test]
fn an_older_format_is_built_again() {
    let (copy, path) = copy_with(|bytes| bytes[8] = 0);
    let dir = copy.path().to_str().unwrap();
    fails(&["tablebase", "stats", "KRvKN", "--dir", dir], 65, &["version 0"]);
    let output = json(&["tablebase", "generate", "KRvKN", "--dir", dir]);
    assert_eq!(output["tables"][3]["reused"], false);
    assert_eq!(
        std::fs::read(path).unwrap(),
        std::fs::read(folder().join("KRvKN.asian.dtm.jzt")).unwrap()
    );
}

fn mined(arguments: &[&str]) -> String {
    let mut all = vec!["tablebase", "mine", "KRvKN", "--dir", dir(), "--rules", "asian"];
    all.extend(arguments);
    text(&ok(&all).stdout)
}

/// What a search counts is what it shows, and `probe` says the same of it.
#[test]
fn positions_of_a_theme_are_counted_and_shown() {
    let counts: Value =
        serde_json::from_str(&mined(&["--theme", "by-rule", "--count", "--json"])).unwrap();
    assert_eq!(counts["schema"], "juzhong.tablebase.mine_counts/1");
    let count = counts["red"].as_u64().unwrap() + counts["black"].as_u64().unwrap();
    // The counts of the header are of the whole board: at most twice those up to symmetry.
    assert!(((624 + 2570) / 2..624 + 2570).contains(&count), "{count}");

    let fens = mined(&["--theme", "by-rule", "--all", "--format", "fen"]);
    assert_eq!(fens.lines().count() as u64, count);
    let shown = mined(&["--theme", "by-rule", "--number", "3", "--seed", "5", "--json"]);
    for answer in shown.lines() {
        let answer: Value = serde_json::from_str(answer).unwrap();
        assert_eq!(answer["schema"], "juzhong.tablebase.mine/1");
        let fen = answer["fen"].as_str().unwrap();
        assert!(fens.lines().any(|line| line == fen));
        let probed = json(&["tablebase", "probe", "--fen", fen, "--dir", dir()]);
        for member in ["wdl", "order", "distance"] {
            assert_eq!(answer[member], probed[member], "{fen}");
        }
        assert!(probed["order"].as_u64().unwrap() > 0);
        assert_eq!(answer["end"], "loop");
    }
    assert_eq!(shown.lines().count(), 3);
    assert_eq!(shown, mined(&["--theme", "by-rule", "--number", "3", "--seed", "5", "--json"]));

    let games = mined(&["--theme", "longest", "--all", "--format", "pgn", "--notation", "wxf"]);
    let count = mined(&["--theme", "longest", "--all", "--format", "fen"]).lines().count();
    assert_eq!(games.matches("[FEN ").count(), count);
    assert!(games.contains("win in 25 plies"), "{games}");
    let listed = mined(&["--theme", "longest", "--all"]);
    assert!(listed.starts_with("KRvKN, rules asian, metric dtm, longest wins: "), "{listed}");
    assert!(listed.contains("  win in 25 plies\n"));
}

#[test]
fn searches_that_make_no_sense_are_refused() {
    let mine = ["tablebase", "mine", "KRvKN", "--dir", dir(), "--theme"];
    let refused = |rest: &[&str], code: i32, parts: &[&str]| {
        fails(&[&mine[..], rest].concat(), code, parts);
    };
    refused(&["beauty"], 2, &["zugzwang", "only-move"]);
    refused(&["longest", "--plies", "5"], 2, &["--plies needs --theme only-move"]);
    refused(&["only-move", "--plies", "0"], 2, &["0"]);
    refused(&["longest", "--json", "--format", "pgn"], 2, &["exclude each other"]);
    refused(&["longest", "--metric", "dtc"], 66, &["KRvKN"]);
}
