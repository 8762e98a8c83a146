//! `book map`, `reduce` and `pack` make, byte for byte, the book of `book build`.

use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use juzhong::book::{
    BuildError, BuildOptions, Ending, Filter, Mover, ReadOptions, Work, build, find_games, map,
    pack, reduce,
};
use juzhong::bytes::StopFlag;
use juzhong::game::{Outcome, Side};
use juzhong::xiangqi::Position;

use crate::support::files::in_repository;

fn work() -> Work {
    Work { memory: 1 << 20, threads: NonZero::new(2), stop: StopFlag::default() }
}

/// Files of which some have the same content, some the same games with other results and years, one
/// a bad game and one no games at all.
fn collection(folder: &Path) -> Vec<PathBuf> {
    let own = in_repository("books");
    let games = fs::read_to_string(own.join("selfplay/selfplay.pgn")).unwrap();
    let lines = fs::read(own.join("openings/flank-openings.pgn")).unwrap();
    let half = games.len() / 2;
    let half = half + games[half..].find("\n\n[").unwrap() + 2;
    let write = |name: &str, text: &[u8]| {
        fs::create_dir_all(folder.join(name).parent().unwrap()).unwrap();
        fs::write(folder.join(name), text).unwrap();
    };
    write("a/one.pgn", &games.as_bytes()[..half]);
    write("a/two.pgn", &games.as_bytes()[half..]);
    write("b/lines.pgn", &lines);
    write("b/again.pgn", &lines);
    let dated = games.replace("[Result \"1-0\"]", "[Date \"1999.01.01\"]\n[Result \"0-1\"]");
    let disputed = dated.replace(" 1-0\n", " 0-1\n");
    write("b/disputed.pgn", disputed.as_bytes());
    let grouped = disputed.replace("[Date ", "[Group \"flank\"]\n[Group \"a\"]\n[Date ");
    write("b/packed.pgn.zst", &zstd::encode_all(grouped.as_bytes(), 1).unwrap());
    write("b/packed-again.pgn.zst", &zstd::encode_all(&lines[..], 9).unwrap());
    write("c/damaged.pgn.zst", &zstd::encode_all(&lines[..], 1).unwrap()[..100]);
    write("c/list.jsonl", b"{\"moves\":\"h2e2 h9g7\",\"result\":\"0-1\"}\n");
    write("c/also.pgn", &lines);
    write("c/none.pgn", b"");
    let bad =
        "[Event \"x\"]\n\n1. a0a9 *\n\n[Event \"y\"]\n[RedElo \"2400\"]\n\n1. h2e2 h9g7 1/2-1/2\n";
    write("c/bad.pgn", bad.as_bytes());
    find_games::<Position>(&[folder.to_owned()]).unwrap().files
}

fn options() -> BuildOptions {
    BuildOptions { memory: 1 << 20, max_ply: 30, ..BuildOptions::default() }
}

fn map_to(files: &[PathBuf], output: &Path, options: &BuildOptions) {
    map::<Position>(
        files,
        output,
        options.clone(),
        ReadOptions { threads: NonZero::new(2), ..ReadOptions::default() },
    )
    .unwrap();
}

/// The book that comes of three maps, one of which reads files that the others read too, and a
/// reduce in so many parts.
fn sharded(files: &[PathBuf], folder: &Path, parts: u32, options: &BuildOptions) -> PathBuf {
    let maps: Vec<PathBuf> = (0..3).map(|i| folder.join(format!("map{i}"))).collect();
    map_to(&files[..3], &maps[0], options);
    map_to(&files[3..], &maps[1], options);
    map_to(&files[1..5], &maps[2], options);
    let reduced: Vec<PathBuf> = (1..=parts).map(|i| folder.join(format!("part{i}"))).collect();
    for (part, output) in (1..).zip(&reduced) {
        reduce::<Position>(&maps, output, (part, parts), &work()).unwrap();
    }
    let book = folder.join("sharded.book");
    pack::<Position>(&reduced, &book, &work()).unwrap();
    book
}

fn built(files: &[PathBuf], folder: &Path, options: &BuildOptions) -> PathBuf {
    let book = folder.join("built.book");
    build::<Position>(files, &book, options.clone(), ReadOptions::default()).unwrap();
    book
}

/// The number of line groups.
fn groups(book: &Path) -> i64 {
    let connection = rusqlite::Connection::open(book).unwrap();
    let sql = "SELECT count(DISTINCT name) FROM line_groups";
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

#[test]
fn shards_make_the_same_book() {
    let games = tempfile::tempdir().unwrap();
    let files = collection(games.path());
    let black =
        Filter { result: Some(Ending::Known(Outcome::Win(Side::Second))), ..Filter::default() };
    let recent = Filter { since: Some(1990), ..Filter::default() };
    let winners = Filter { mover: Some(Mover::Winner), from_ply: 3, ..Filter::default() };
    let no_groups = Filter { no_groups: true, ..Filter::default() };
    let filters = [
        (1, Filter::default(), 0),
        (3, black, 2),
        (2, recent, 0),
        (2, winners, 5),
        (1, no_groups, 1),
    ];
    for (parts, filter, samples) in filters {
        let weight = "3*w+d-l".parse().unwrap();
        let options = BuildOptions { filter, min_share: 150, weight, samples, ..options() };
        let folder = tempfile::tempdir().unwrap();
        let own = built(&files, folder.path(), &options);
        let other = sharded(&files, folder.path(), parts, &options);
        assert_eq!(groups(&own) >= 2, !options.filter.no_groups);
        assert!(fs::read(own).unwrap() == fs::read(other).unwrap(), "{parts} parts");
    }
}

#[test]
fn what_only_a_build_does_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let files = collection(&folder.path().join("games"));
    let refused = |options: BuildOptions| {
        let output = folder.path().join("m");
        map::<Position>(&files, &output, options, ReadOptions::default()).unwrap_err().to_string()
    };
    let filter = Filter { every_record: true, ..Filter::default() };
    let text = refused(BuildOptions { filter, ..options() });
    assert!(text.contains("every record"), "{text}");
    let base = Some(folder.path().join("b"));
    let text = refused(BuildOptions { base, ..options() });
    assert!(text.contains("add to a book"), "{text}");
}

#[test]
fn shards_that_do_not_belong_together_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let files = collection(&at("games"));
    map_to(&files[..2], &at("m"), &options());
    let other = BuildOptions { max_ply: 31, ..options() };
    map_to(&files[..2], &at("other"), &other);
    let reduced = |shards: &[PathBuf], name: &str, part| {
        reduce::<Position>(shards, &at(name), part, &work()).map(|_| ())
    };
    let message = |result: Result<(), BuildError>| result.unwrap_err().to_string();
    let text = message(reduced(&[at("m"), at("other")], "r", (1, 1)));
    assert!(text.contains("other options"), "{text}");
    reduced(&[at("m")], "r1", (1, 2)).unwrap();
    reduced(&[at("m")], "r2", (2, 2)).unwrap();
    let packed = |shards: &[PathBuf]| pack::<Position>(shards, &at("x.book"), &work()).map(|_| ());
    let text = message(packed(&[at("r1")]));
    assert!(text.contains("parts"), "{text}");
    let text = message(packed(&[at("r1"), at("r2"), at("r2")]));
    assert!(text.contains("parts"), "{text}");
    let text = message(packed(&[at("m")]));
    assert!(text.contains("juzhong book reduce"), "{text}");
    let text = message(reduced(&[at("r1")], "r", (1, 1)));
    assert!(text.contains("juzhong book pack"), "{text}");
    let text = message(reduced(&[at("m")], "r1", (1, 1)));
    assert!(text.contains("empty folder"), "{text}");
    map_to(&files[2..3], &at("more"), &options());
    reduced(&[at("m"), at("more")], "r3", (1, 2)).unwrap();
    let text = message(packed(&[at("r3"), at("r2")]));
    assert!(text.contains("other shards"), "{text}");
    packed(&[at("r2"), at("r1")]).unwrap();
    let names = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    // Locks stay on Windows.
    let left = names.filter(|name| cfg!(unix) || !name.to_string_lossy().ends_with(".lock"));
    assert_eq!(left.count(), 8, "nothing is left behind");
}

#[test]
fn damaged_shards_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let files = collection(&at("games"));
    map_to(&files[..1], &at("m"), &options());
    let path = at("m/games.jzs");
    let whole = fs::read(&path).unwrap();
    let step = whole.len() / 40;
    for cut in (0..whole.len()).step_by(step) {
        for damaged in [whole[..cut].to_vec(), flipped(&whole, cut)] {
            fs::write(&path, damaged).unwrap();
            let result = reduce::<Position>(&[at("m")], &at("r"), (1, 1), &work());
            let error = result.expect_err("damaged");
            assert!(error.to_string().contains("games.jzs"), "{cut}: {error}");
        }
    }
    fs::write(&path, &whole).unwrap();
    fs::write(at("m/plan.json"), "{").unwrap();
    let result = reduce::<Position>(&[at("m")], &at("r"), (1, 1), &work());
    assert!(result.unwrap_err().to_string().contains("plan.json"));
    assert!(!at("r").exists());
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 0x10;
    bytes
}
