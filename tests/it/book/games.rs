//! Sample games: `book build --samples` and `book games`.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use juzhong::book::{
    Book, BuildOptions, MergeOptions, PruneOptions, ReadOptions, SAMPLES_VERSION, VERSION, build,
    merge, prune,
};
use juzhong::game::Game;
use juzhong::xiangqi::Position;
use rusqlite::types::Value;

use super::build::games;
use crate::support::folder::Folder;
use crate::support::program::{exits, fails, json, json_with_code, ok, stdout, text};

/// Builds a book of some files of a folder.
fn built(folder: &Folder, name: &str, files: &[&str], options: BuildOptions) -> PathBuf {
    let files: Vec<PathBuf> = files.iter().map(|file| folder.join(file)).collect();
    let read = ReadOptions { strict: true, ..ReadOptions::default() };
    let output = folder.join(name);
    build::<Position>(&files, &output, options, read).unwrap();
    output
}

fn with_samples(samples: u16) -> BuildOptions {
    BuildOptions { samples, ..BuildOptions::default() }
}

/// Three files of different games, with ratings in one of them.
fn three_files() -> Folder {
    let folder = Folder::new();
    folder.write("a.pgn", games(0, 150));
    folder.write("b.pgn", games(150, 150).replace("[Group", "[RedElo \"2400\"]\n[Group"));
    folder.write("c.pgn", games(300, 100));
    folder
}

/// All rows of the tables of sample games.
fn samples_in(book: &Path) -> Vec<Vec<Value>> {
    let connection = rusqlite::Connection::open(book).unwrap();
    let mut all = Vec::new();
    for table in ["samples", "sample_games"] {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = statement.column_count();
        let rows = statement.query_map([], |row| (0..columns).map(|at| row.get(at)).collect());
        all.extend(rows.unwrap().map(Result::unwrap));
    }
    assert!(!all.is_empty());
    all
}

#[test]
fn without_samples_books_are_what_they_were() {
    let folder = Folder::new();
    folder.write("all.pgn", games(0, 200));
    let book = built(&folder, "b.book", &["all.pgn"], BuildOptions::default());
    let bytes = fs::read(&book).unwrap();
    // Of the program before there were samples.
    let expected = "cb8e7364f940308422bb2f82c9926d3b45e91efec963e8531cb71b5356de6657";
    assert_eq!(blake3::hash(&bytes).to_hex().as_str(), expected);
    assert_eq!(Book::open(&book).unwrap().version(), VERSION);
    let with = built(&folder, "s.book", &["all.pgn"], with_samples(1));
    assert_eq!(Book::open(&with).unwrap().version(), SAMPLES_VERSION);
    Book::open(&with).unwrap().verify().unwrap();
}

/// The name of a file is shared by all of its games.
#[test]
fn a_name_that_no_file_has_is_refused() {
    let folder = three_files();
    let book = built(&folder, "a.book", &["a.pgn"], with_samples(3));
    let connection = rusqlite::Connection::open(&book).unwrap();
    connection.execute("UPDATE sources SET name = ?1", ["x".repeat(1 << 20)]).unwrap();
    drop(connection);
    let book = Book::open(&book).unwrap();
    let error = book.games_of(&Position::start(), None, 10).unwrap_err();
    assert!(error.to_string().contains("1048576 bytes"), "{error}");
    assert!(book.sources().is_err());
}

#[test]
fn threads_files_and_memory_do_not_matter() {
    let folder = three_files();
    let one = built(&folder, "one.book", &["a.pgn", "b.pgn", "c.pgn"], with_samples(3));
    let expected = fs::read(&one).unwrap();
    for (threads, memory) in [(1, 1 << 16), (3, 1 << 20)] {
        let files = ["c.pgn", "a.pgn", "b.pgn"].map(|name| folder.join(name));
        let options = BuildOptions { memory, ..with_samples(3) };
        let read = ReadOptions { threads: NonZero::new(threads), ..ReadOptions::default() };
        let output = folder.join("other.book");
        build::<Position>(&files, &output, options, read).unwrap();
        assert!(fs::read(&output).unwrap() == expected, "{threads} threads");
    }
}

#[test]
fn a_book_built_in_steps_or_merged_has_the_same_samples() {
    let folder = three_files();
    let all = ["a.pgn", "b.pgn", "c.pgn"];
    let whole = built(&folder, "whole.book", &all, with_samples(2));
    let first = built(&folder, "first.book", &all[..1], with_samples(2));
    let options = BuildOptions::like(&Book::open(&first).unwrap());
    assert_eq!(options.samples, 2);
    let steps = built(&folder, "steps.book", &all[1..], options.clone());
    assert!(fs::read(&steps).unwrap() == fs::read(&whole).unwrap());
    let rest = built(&folder, "rest.book", &all[1..], with_samples(2));
    let merged = folder.join("merged.book");
    merge::<Position>(&[rest, first], &merged, &MergeOptions::default()).unwrap();
    assert_eq!(samples_in(&merged), samples_in(&whole));
    let itself = [whole.clone(), whole.clone()];
    merge::<Position>(&itself, &merged, &MergeOptions::default()).unwrap();
    assert_eq!(samples_in(&merged), samples_in(&whole));
    Book::open(&merged).unwrap().verify().unwrap();
    let more = BuildOptions { samples: 3, ..options };
    let files = [folder.join("b.pgn")];
    let error = build::<Position>(&files, &merged, more, ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("--samples"), "{error}");
}

#[test]
fn pruning_and_edits_keep_the_samples_of_what_is_left() {
    let folder = three_files();
    let book = built(&folder, "a.book", &["a.pgn", "b.pgn"], with_samples(2));
    let small = folder.join("small.book");
    let options = PruneOptions { min_games: 8, ..PruneOptions::default() };
    prune::<Position>(&book, &small, &options).unwrap();
    let (of_book, of_small) = (samples_in(&book), samples_in(&small));
    assert!(of_small.len() < of_book.len());
    assert!(of_small.iter().all(|row| of_book.contains(row)));
    let small = Book::open(&small).unwrap();
    small.verify().unwrap();
    assert_eq!(small.games_of(&Position::start(), None, 100).unwrap().len(), 4);
    let path = book.to_str().unwrap();
    ok(&["book", "edit", path, "--move", "c3c4", "--priority", "3"]);
    assert_eq!(samples_in(&book), of_book);
}

#[test]
fn games_are_shown_as_they_were_played() {
    let folder = Folder::new();
    let tags = |year: u16| {
        format!(
            "[Event \"全国象棋个人锦标赛\"]\n[Date \"{year}\"]\n[Red \"胡荣华\"]\n[Black \"杨官璘\"]\n\n"
        )
    };
    let pgn = [
        format!("{}1. h2e2 h9g7 2. h0g2 1-0\n\n", tags(1960)),
        format!("{}1. b2e2 b9c7 2. b0c2 b7b3 0-1\n\n", tags(1965)),
        format!("[RedElo \"2500\"]\n{}1. h2e2 b9c7 1/2-1/2\n\n", tags(1955)),
    ];
    let file = folder.write("g.pgn", pgn.concat());
    let book = folder.at("g.book");
    ok(&["book", "build", &file, "-o", &book, "--samples", "5"]);
    let answer = json(&["book", "games", &book, "--moves", "h2e2"]);
    assert_eq!(answer["schema"], "juzhong.book.games/1");
    assert_eq!(answer["samples"], 5);
    let games = answer["games"].as_array().unwrap();
    let of = |name: &str| games.iter().map(|game| game[name].clone()).collect::<Vec<_>>();
    // The rated one first, then the latest; one is a mirror image.
    assert_eq!(of("year"), [1955, 1965, 1960]);
    assert_eq!(of("move"), ["b9c7", "b9c7", "h9g7"]);
    assert_eq!(of("ply"), [1, 1, 1]);
    assert_eq!(of("number"), [3, 2, 1]);
    assert_eq!(games[1]["moves"], "b2e2 b9c7 b0c2 b7b3");
    assert_eq!((&games[1]["red"], &games[1]["result"]), (&"胡荣华".into(), &"0-1".into()));
    assert_eq!((&games[0]["red_rating"], &games[0]["file"]), (&2500.into(), &"g.pgn".into()));
    let pgn = folder.at("out.pgn");
    let shown =
        stdout(&["book", "games", &book, "--limit", "2", "--notation", "chinese", "--pgn", &pgn]);
    assert!(
        shown.contains("炮二平五 at ply 1 of 2") && shown.contains("game 3 of g.pgn"),
        "{shown}"
    );
    let again = folder.at("again.book");
    ok(&["book", "build", &pgn, "-o", &again, "--samples", "1"]);
    assert_eq!(json(&["book", "stats", &again])["games"], 2);
    fails(&["book", "games", &book, "--pgn", &pgn], 73, &["out.pgn"]);
    let none = exits(&["book", "games", &book, "--moves", "a3a4"], 1);
    assert!(text(&none.stdout).contains("no sample games of this position"));
    let without = folder.at("without.book");
    ok(&["book", "build", &file, "-o", &without]);
    assert_eq!(json_with_code(&["book", "games", &without], 1)["samples"], 0);
    let without = exits(&["book", "games", &without], 1);
    assert!(text(&without.stdout).contains("--samples N"));
}

#[test]
fn a_clean_copy_keeps_the_samples() {
    let folder = three_files();
    let book = built(&folder, "a.book", &["a.pgn"], with_samples(2));
    let copy = folder.at("copy.book");
    ok(&["book", "doctor", book.to_str().unwrap(), "--repair", "-o", &copy]);
    assert_eq!(samples_in(Path::new(&copy)), samples_in(&book));
}

/// Every game shown is one of those that the files hold, and reaches the position.
#[test]
fn games_reach_their_positions() {
    let folder = three_files();
    let book = built(&folder, "a.book", &["a.pgn", "b.pgn", "c.pgn"], with_samples(4));
    let book = Book::open(&book).unwrap();
    let mut position = Position::start();
    for _ in 0..3 {
        let found = book.probe(&position).unwrap();
        let games = book.games_of(&position, None, 1000).unwrap();
        for game in &games {
            let ply = game.ply.unwrap();
            let mut board = Position::start();
            for &mv in &game.moves[..ply] {
                board.make(mv);
            }
            assert_eq!(book.key_of(&board), book.key_of(&position));
        }
        let distinct: BTreeSet<_> =
            games.iter().map(|game| (game.source.clone(), game.ply)).collect();
        assert_eq!(distinct.len(), games.len());
        let least: u64 = found.iter().map(|mv| mv.stats.games.min(4)).sum();
        assert_eq!(games.len() as u64, least);
        let mv = found[0].mv;
        let of_move = book.games_of(&position, Some(mv), 1000).unwrap();
        assert_eq!(of_move.len() as u64, found[0].stats.games.min(4));
        position.make(mv);
    }
}
