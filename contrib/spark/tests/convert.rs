//! Shards that went through Parquet files make, byte for byte, the book of `book build`.

#![expect(clippy::unwrap_used, reason = "a test may stop")]

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use juzhong::book::{BuildOptions, ReadOptions, Work, build, map, pack, reduce};
use juzhong::bytes::StopFlag;
use juzhong::game::{Notation, Symmetric};
use juzhong::gomoku::Board;
use juzhong::record::Formats;
use juzhong::xiangqi::Position;
use tempfile::TempDir;

fn work() -> Work {
    Work { memory: 1 << 20, threads: NonZero::new(2), stop: StopFlag::default() }
}

fn options() -> BuildOptions {
    BuildOptions { memory: 1 << 20, max_ply: 30, min_share: 150, ..BuildOptions::default() }
}

/// Runs the program with a command, an input and an output.
fn convert(command: &str, input: &Path, output: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_juzhong-parquet"))
        .arg(command)
        .args([input, Path::new("-o"), output])
        .output()
        .unwrap()
}

#[track_caller]
fn expect_success(command: &str, input: &Path, output: &Path) {
    let done = convert(command, input, output);
    assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
}

/// The message of the program about inputs that it refuses.
#[track_caller]
fn refusal(command: &str, input: &Path, output: &Path) -> String {
    let done = convert(command, input, output);
    assert!(!done.status.success(), "{command} {}", input.display());
    assert!(!output.join("plan.json").exists(), "{command} {}", input.display());
    String::from_utf8(done.stderr).unwrap()
}

/// The shard that comes of the Parquet files of a shard.
fn there_and_back(shard: &Path) -> PathBuf {
    let parquet = shard.with_extension("parquet");
    let back = shard.with_extension("back");
    expect_success("export", shard, &parquet);
    expect_success("import", &parquet, &back);
    back
}

fn map_to<G: Formats + Symmetric>(files: &[PathBuf], output: &Path) {
    map::<G>(files, output, options(), ReadOptions::default()).unwrap();
}

/// Two files of games, some of them with line groups and other results in the second.
fn games_of_xiangqi(folder: &Path) -> [PathBuf; 2] {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../books/selfplay/selfplay.pgn");
    let games = fs::read_to_string(own).unwrap();
    let dated = games.replace("[Result \"1-0\"]", "[Date \"1999.01.01\"]\n[Result \"0-1\"]");
    let disputed = dated.replace(" 1-0\n", " 0-1\n");
    let grouped = disputed.replace("[Date ", "[Group \"中炮\"]\n[Group \"a\"]\n[Date ");
    let files = ["one.pgn", "two.pgn"].map(|name| folder.join(name));
    fs::write(&files[0], games).unwrap();
    fs::write(&files[1], grouped).unwrap();
    files
}

/// Two files of games from several of the usual starts.
fn games_of_gomoku(folder: &Path) -> [PathBuf; 2] {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../books/gomoku/selfplay.txt");
    let games = fs::read_to_string(own).unwrap();
    let half = games.lines().count() / 2;
    let files = ["one.txt", "two.txt"].map(|name| folder.join(name));
    let first: String = games.lines().take(half).flat_map(|line| [line, "\n"]).collect();
    fs::write(&files[0], first).unwrap();
    fs::write(&files[1], games).unwrap();
    files
}

fn compare<G: Formats + Symmetric + Notation>(folder: &Path, files: &[PathBuf; 2]) {
    let at = |name: &str| folder.join(name);
    build::<G>(files, &at("built.book"), options(), ReadOptions::default()).unwrap();
    map_to::<G>(&files[..1], &at("map1"));
    map_to::<G>(files, &at("map2"));
    let mapped = ["map1", "map2"].map(|name| there_and_back(&at(name)));
    for (part, name) in [(1, "part1"), (2, "part2")] {
        reduce::<G>(&mapped, &at(name), (part, 2), &work()).unwrap();
    }
    let reduced = ["part1", "part2"].map(|name| there_and_back(&at(name)));
    pack::<G>(&reduced, &at("sharded.book"), &work()).unwrap();
    assert!(fs::read(at("built.book")).unwrap() == fs::read(at("sharded.book")).unwrap());
    for (shard, back) in [("map1", "map1.back"), ("part1", "part1.back")] {
        for entry in fs::read_dir(at(shard)).unwrap() {
            let name = entry.unwrap().file_name();
            let same =
                fs::read(at(shard).join(&name)).unwrap() == fs::read(at(back).join(&name)).unwrap();
            assert!(same, "{shard}/{}", name.display());
        }
    }
}

#[test]
fn converted_shards_of_xiangqi_make_the_same_book() {
    let folder = TempDir::new().unwrap();
    let files = games_of_xiangqi(folder.path());
    compare::<Position>(folder.path(), &files);
}

#[test]
fn converted_shards_of_gomoku_make_the_same_book() {
    let folder = TempDir::new().unwrap();
    let files = games_of_gomoku(folder.path());
    compare::<Board>(folder.path(), &files);
}

/// A shard of a reduce of one file of games, in `r`.
fn reduced(folder: &Path) -> PathBuf {
    let files = games_of_xiangqi(folder);
    map_to::<Position>(&files[1..], &folder.join("m"));
    reduce::<Position>(&[folder.join("m")], &folder.join("r"), (1, 1), &work()).unwrap();
    folder.join("r")
}

#[test]
fn damaged_parquet_is_refused() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let shard = reduced(folder.path());
    let right = fs::read(shard.join("moves.jzs")).unwrap();
    expect_success("export", &shard, &at("p"));
    let path = at("p").join("moves.parquet");
    let whole = fs::read(&path).unwrap();
    for place in (0..whole.len()).step_by(whole.len() / 40) {
        let mut damaged = whole.clone();
        damaged[place] ^= 0x10;
        fs::write(&path, damaged).unwrap();
        let back = at(&format!("back{place}"));
        // A bit that means nothing may be another.
        if convert("import", &at("p"), &back).status.success() {
            assert!(fs::read(back.join("moves.jzs")).unwrap() == right, "{place}: other moves");
        }
    }
}

#[test]
fn shards_with_sample_games_are_refused() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let files = games_of_xiangqi(folder.path());
    let options = BuildOptions { samples: 3, ..options() };
    map::<Position>(&files, &at("m"), options, ReadOptions::default()).unwrap();
    let text = refusal("export", &at("m"), &at("p"));
    assert!(text.contains("without --samples"), "{text}");
}

#[test]
fn what_is_no_shard_is_refused_with_a_remedy() {
    let folder = TempDir::new().unwrap();
    let at = |name: &str| folder.path().join(name);
    let shard = reduced(folder.path());
    expect_success("export", &shard, &at("p"));
    let text = refusal("export", &at("one.pgn"), &at("q"));
    assert!(text.contains("juzhong book map"), "{text}");
    let text = refusal("export", &at("p"), &at("q"));
    assert!(text.contains("juzhong-parquet import"), "{text}");
    let text = pack::<Position>(&[at("p")], &at("x.book"), &work()).unwrap_err().to_string();
    assert!(text.contains("juzhong-parquet import"), "{text}");
    let done = convert("export", &shard, &at("p"));
    let text = String::from_utf8(done.stderr).unwrap();
    assert!(text.contains("empty folder"), "{text}");
    fs::remove_file(at("p").join("games.parquet")).unwrap();
    let text = refusal("import", &at("p"), &at("q"));
    assert!(text.contains("no Parquet files of the data set games"), "{text}");
    let text = refusal("import", &shard, &at("q"));
    assert!(text.contains("no Parquet files"), "{text}");
}
