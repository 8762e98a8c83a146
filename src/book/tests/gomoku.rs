//! Books of gomoku: what turns on its eight symmetries and on its many starts.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use crate::book::interop::{
    DoctorOptions, FileImportOptions, GomokuImport, GomokuSource, InteropError, Reach,
    examine_gomoku, export_library, import_gomoku, repair_gomoku,
};
use crate::book::*;
use crate::bytes::StopFlag;
use crate::game::{Game, MoveList, Notation, Outcome, Side, Symmetric};
use crate::gomoku::{Board, Point, Variant};
use crate::record::{Format, Formats, Record, Tree, WriteOptions};

fn empty(side: u8, variant: Variant) -> Board {
    Board::with_variant(side, side, 5, variant).unwrap()
}

fn record(start: &Board, moves: Vec<Point>, result: Option<Outcome>) -> Record<Board> {
    let start = (*start != Board::start()).then(|| start.clone());
    let tree = Tree { moves, ..Tree::default() };
    Record { tags: Vec::new(), start, start_clock: 0, result, tree }
}

fn game(start: &Board, moves: &str) -> Record<Board> {
    let moves = moves.split_whitespace().map(|text| Point::parse(text).unwrap()).collect();
    record(start, moves, Some(Outcome::Draw))
}

/// Random games that share openings, for few moves are to choose from.
fn a_game(start: &Board, choices: &[u8], result: u8) -> Record<Board> {
    let mut board = start.clone();
    let mut moves = Vec::new();
    for choice in choices {
        let mut legal = MoveList::new();
        board.legal_moves(&mut legal);
        let Some(&mv) = legal.get(usize::from(*choice % 4) * legal.len() / 5) else { break };
        board.make(mv);
        moves.push(mv);
    }
    let results = [Outcome::Win(Side::First), Outcome::Draw, Outcome::Win(Side::Second)];
    record(start, moves, results.get(usize::from(result)).copied())
}

fn any_games() -> impl Strategy<Value = Vec<Record<Board>>> {
    let starts = [
        Board::start(),
        empty(15, Variant::Renju),
        empty(20, Variant::Freestyle),
        empty(9, Variant::Standard),
    ];
    let game = (0..4usize, prop::collection::vec(any::<u8>(), 1..12), 0..4u8)
        .prop_map(move |(start, choices, result)| a_game(&starts[start], &choices, result));
    prop::collection::vec(game, 1..20)
}

fn image(record: &Record<Board>, symmetry: u8) -> Record<Board> {
    let board = record.start.clone().unwrap_or_else(Board::start);
    let mut record = record.clone();
    for mv in &mut record.tree.moves {
        *mv = board.map_move(*mv, symmetry);
    }
    record
}

fn build_in(folder: &Path, name: &str, games: &[Record<Board>]) -> PathBuf {
    let path = folder.join(name);
    let builder = Builder::<Board>::new(&path, BuildOptions::default()).unwrap();
    builder.add(games).unwrap();
    builder.finish(Vec::new()).unwrap();
    path
}

/// The number of different games among these.
fn games_counted(folder: &Path, games: &[Record<Board>]) -> u64 {
    let book = Book::open(&build_in(folder, "ids", games)).unwrap();
    book.metadata().counts.games
}

/// The rows of a book.
fn rows(path: &Path) -> Vec<(RowKey, MoveStats)> {
    let mut rows = Vec::new();
    let book = Book::open(path).unwrap();
    book.for_each_row(|key, mv, row| rows.push(((key, mv), row.stats))).unwrap();
    rows
}

/// The places of a book's rows.
fn places(path: &Path) -> Vec<RowKey> {
    rows(path).into_iter().map(|(place, _)| place).collect()
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_book_does_not_depend_on_how_the_boards_lay(games in any_games()) {
        let folder = TempDir::new().unwrap();
        let first = build_in(folder.path(), "0", &games);
        for symmetry in 1..8 {
            let images: Vec<_> = games.iter().map(|game| image(game, symmetry)).collect();
            let other = build_in(folder.path(), &symmetry.to_string(), &images);
            prop_assert!(bytes(&first) == bytes(&other), "{}", symmetry);
        }
        // Each game in a way of its own.
        let mixed: Vec<_> =
            (0..).zip(&games).map(|(number, game)| image(game, number % 8)).collect();
        prop_assert!(bytes(&first) == bytes(&build_in(folder.path(), "mixed", &mixed)));
    }

    #[test]
    fn a_book_does_not_depend_on_the_order_of_games(games in any_games()) {
        let folder = TempDir::new().unwrap();
        let first = build_in(folder.path(), "a", &games);
        let mut other = games.clone();
        other.reverse();
        prop_assert!(bytes(&first) == bytes(&build_in(folder.path(), "b", &other)));
        let path = folder.path().join("c");
        let builder = Builder::<Board>::new(&path, BuildOptions::default()).unwrap();
        for game in &games {
            builder.add([game]).unwrap();
        }
        builder.finish(Vec::new()).unwrap();
        prop_assert!(bytes(&first) == bytes(&path));
    }

    #[test]
    fn every_move_is_reached_from_a_start(games in any_games()) {
        let folder = TempDir::new().unwrap();
        let book = Book::open(&build_in(folder.path(), "a", &games)).unwrap();
        book.verify().unwrap();
        let walk = book.walk::<Board>().unwrap();
        prop_assert_eq!(walk.unreached, 0);
        let graph = book.playable_graph::<Board>(1).unwrap();
        for node in graph.nodes() {
            let line = graph.line_to(node);
            prop_assert_eq!(book.key_of(line.position()), graph.key(node));
        }
        for game in &games {
            let mut board = game.start.clone().unwrap_or_else(Board::start);
            for &mv in &game.tree.moves {
                let found = book.probe(&board).unwrap();
                let canonical = board.canonical();
                let image = board.canonical_move(canonical, mv);
                prop_assert!(found.iter().any(|m| board.canonical_move(canonical, m.mv) == image));
                board.make(mv);
            }
        }
    }

    #[test]
    fn repair_of_a_healthy_book_is_the_identity(games in any_games(), samples in 0..2u16, edited: bool) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("a");
        let options = BuildOptions { samples, ..BuildOptions::default() };
        let builder = Builder::<Board>::new(&path, options).unwrap();
        builder.add(&games).unwrap();
        builder.finish(Vec::new()).unwrap();
        if edited {
            let line = ["h8", "c3", "d5"].map(|text| Point::parse(text).unwrap());
            let mut editor = Editor::open(&path, &StopFlag::default()).unwrap();
            let comment = [Change::Comment(Some("角".to_owned()))];
            editor.add_line(&Board::start(), &line, &["g".to_owned()], &comment).unwrap();
            editor.commit().unwrap();
        }
        let reach = Reach { plies: 1, positions: 10_000, ..Reach::default() };
        let options = DoctorOptions { reach, ..DoctorOptions::default() };
        let diagnosis = examine_gomoku(&path, &options).unwrap();
        prop_assert!(diagnosis.is_healthy(), "{:?}", diagnosis.findings);
        prop_assert_eq!(diagnosis.unreached, 0);
        let copy = folder.path().join("copy");
        let report = repair_gomoku(&path, &copy, &options).unwrap();
        prop_assert_eq!((report.dropped, report.changed, report.merged), (0, 0, 0));
        prop_assert!(bytes(&copy) == bytes(&path));
    }

    #[test]
    fn merging_two_books_is_building_one(games in any_games(), other in any_games()) {
        let folder = TempDir::new().unwrap();
        let both = [games.clone(), other.clone()].concat();
        let [of_both, of_one, of_other] =
            [&both, &games, &other].map(|games| games_counted(folder.path(), games));
        prop_assume!(of_one + of_other == of_both);
        let parts = [build_in(folder.path(), "a", &games), build_in(folder.path(), "b", &other)];
        let merged = folder.path().join("merged");
        merge::<Board>(&parts, &merged, &MergeOptions::default()).unwrap();
        let whole = build_in(folder.path(), "whole", &both);
        prop_assert_eq!(rows(&merged), rows(&whole));
    }

    #[test]
    fn a_book_is_written_as_a_library_and_read_again(games in any_games()) {
        let games: Vec<_> = games.into_iter().filter(|game| game.start.is_none()).collect();
        prop_assume!(!games.is_empty());
        let folder = TempDir::new().unwrap();
        let book = Book::open(&build_in(folder.path(), "a", &games)).unwrap();
        let [library, again] = ["a.lib", "again"].map(|name| folder.path().join(name));
        export_library(&book, &library, 1, &StopFlag::default()).unwrap();
        let report =
            import_gomoku(&library, &again, &FileImportOptions::default()).unwrap();
        prop_assert_eq!(report.source, GomokuSource::Tree);
        prop_assert_eq!(places(&again), places(book.path()));
        prop_assert!(export_library(&book, &library, 1, &StopFlag::default()).is_err());
    }
}

#[test]
fn moves_that_are_images_of_each_other_are_one() {
    let folder = TempDir::new().unwrap();
    let start = Board::start();
    let lines = ["h8 h9 a1", "h8 i8 a1", "h8 h7 a1", "h8 g8 a1", "h8 i9 a1"];
    let games: Vec<_> = lines.iter().map(|line| game(&start, line)).collect();
    let book = Book::open(&build_in(folder.path(), "a", &games)).unwrap();
    let after = start.play(Point::parse("h8").unwrap()).unwrap();
    let found = book.probe(&after).unwrap();
    let counts: Vec<_> = found.iter().map(|m| m.stats.games).collect();
    assert_eq!(counts, [2, 1]);
    // The first two are one game but for the way the board lies; the others are, too.
    let games_after = ["h9", "i8", "h7", "g8"].map(|text| {
        let board = after.play(Point::parse(text).unwrap()).unwrap();
        book.probe(&board).unwrap().iter().map(|m| m.stats.games).sum::<u64>()
    });
    assert_eq!(games_after, [2; 4]);
    // Images of one game are copies of it.
    let copies: Vec<_> = (0..8).map(|symmetry| image(&games[0], symmetry)).collect();
    let book = Book::open(&build_in(folder.path(), "b", &copies)).unwrap();
    let counts = book.metadata().counts;
    assert_eq!((counts.games, counts.duplicates), (1, 7));
}

#[test]
fn boards_and_variants_are_kept_apart() {
    let folder = TempDir::new().unwrap();
    let starts = [
        empty(15, Variant::Freestyle),
        empty(15, Variant::Standard),
        empty(15, Variant::Renju),
        empty(20, Variant::Freestyle),
    ];
    let mut games: Vec<_> = starts.iter().map(|start| game(start, "h8 h9 i9")).collect();
    games.push(game(&Board::with_variant(15, 12, 5, Variant::Freestyle).unwrap(), "h8 h9"));
    let book = Book::open(&build_in(folder.path(), "a", &games)).unwrap();
    let counts = book.metadata().counts;
    assert_eq!((counts.games, counts.other_starts), (4, 1));
    for start in &starts {
        let found = book.probe(start).unwrap();
        assert_eq!(found.iter().map(|m| m.stats.games).collect::<Vec<_>>(), [1]);
    }
    let stats = book.stats::<Board>(&StatsOptions { lines: 9, ..StatsOptions::default() }).unwrap();
    assert_eq!((stats.walk.unreached, stats.lines.len()), (0, 4));
    assert_eq!(stats.lines.iter().filter(|line| line.start.is_none()).count(), 1);
    let openings = book.opening_stats::<Board>(1).unwrap();
    assert_eq!(openings.games, 4);
    assert_eq!(openings.letters.get(&'D'), Some(&3));
}

#[test]
fn games_behind_a_position_begin_with_its_board() {
    let folder = TempDir::new().unwrap();
    let renju = empty(15, Variant::Renju);
    let path = folder.path().join("a");
    let options = BuildOptions { samples: 5, ..BuildOptions::default() };
    let builder = Builder::<Board>::new(&path, options).unwrap();
    builder.add(&[game(&renju, "h8 h9 i9"), game(&Board::start(), "h8 i9")]).unwrap();
    builder.finish(Vec::new()).unwrap();
    let book = Book::open(&path).unwrap();
    let after = renju.play(Point::parse("h8").unwrap()).unwrap();
    let games = book.games_of(&after, None, 9).unwrap();
    assert_eq!(games.len(), 1);
    assert_eq!(games[0].start.as_ref().map(Board::variant), Some(Variant::Renju));
    assert_eq!((games[0].moves.len(), games[0].ply), (3, Some(1)));
}

#[test]
fn files_of_every_format_give_one_book() {
    let folder = TempDir::new().unwrap();
    let games: Vec<_> =
        ["h8 i9 g7", "h8 h9 i10 j10"].iter().map(|line| game(&Board::start(), line)).collect();
    let mut contents = Vec::new();
    for &format in Board::WRITTEN {
        let sub = folder.path().join(format.name());
        std::fs::create_dir(&sub).unwrap();
        for (number, game) in games.iter().enumerate() {
            let mut bytes = Vec::new();
            Board::write_record(&mut bytes, game, format, &WriteOptions::default()).unwrap();
            let ending = format.extensions()[0];
            std::fs::write(sub.join(format!("{number}.{ending}")), bytes).unwrap();
        }
        let files = find_games::<Board>(std::slice::from_ref(&sub)).unwrap().files;
        assert_eq!(files.len(), 2, "{format}");
        let book = folder.path().join(format!("{format}.book"));
        build::<Board>(&files, &book, BuildOptions::default(), ReadOptions::default()).unwrap();
        let book = Book::open(&book).unwrap();
        let mut rows = Vec::new();
        book.for_each_row(|key, mv, row| rows.push((key, mv, row.stats.games))).unwrap();
        contents.push((format, rows));
    }
    for (format, rows) in &contents {
        assert_eq!(rows, &contents[0].1, "{format}");
    }
    assert!(contents.iter().any(|(format, _)| *format == Format::Lib));
}

/// A database of positions, each as rule, side of the board, stones in turn, and what is known of it.
fn database(positions: &[(u8, u8, &str, &[u8])]) -> Vec<u8> {
    let mut bytes = (positions.len() as u32 + 1).to_le_bytes().to_vec();
    put_record(&mut bytes, &[0, 0, 0], b"\0\0\0\0\0charset=\"UTF-8\"");
    for (rule, side, stones, value) in positions {
        let points: Vec<Point> =
            stones.split_whitespace().map(|text| Point::parse(text).unwrap()).collect();
        let mut key = vec![*rule, *side, *side];
        for first in [0, 1] {
            let points = points.iter().skip(first).step_by(2);
            key.extend(points.flat_map(|point| [point.column(), point.row()]));
        }
        put_record(&mut bytes, &key, value);
    }
    bytes
}

/// Adds a record of a database: key and value, each after its length.
fn put_record(bytes: &mut Vec<u8>, key: &[u8], value: &[u8]) {
    for part in [key, value] {
        bytes.extend((part.len() as u16).to_le_bytes());
        bytes.extend(part);
    }
}

fn known(label: u8, value: i16, depth_bound: i16, text: &str) -> Vec<u8> {
    let mut bytes = vec![label];
    bytes.extend(value.to_le_bytes());
    bytes.extend(depth_bound.to_le_bytes());
    bytes.extend(text.as_bytes());
    bytes
}

/// Imports a file of these bytes; also returns the path of the book.
fn import_bytes(
    folder: &TempDir,
    name: &str,
    bytes: &[u8],
    options: &FileImportOptions,
) -> (Result<GomokuImport, InteropError>, PathBuf) {
    let [from, to] = ["db", "book"].map(|ending| folder.path().join(format!("{name}.{ending}")));
    std::fs::write(&from, bytes).unwrap();
    (import_gomoku(&from, &to, options), to)
}

#[test]
fn databases_of_yixin_become_books() {
    let folder = TempDir::new().unwrap();
    let values = [
        known(0, 120, 20 << 2 | 3, "best start"),
        known(b'w', 29_991, 0, "@BTXT@x"),
        known(b'x', 0, 0, ""),
        known(b'l', -29_980, 0, "lost"),
    ];
    let positions = [
        (0, 15, "h8", &values[0][..]),
        (0, 15, "h8 g8", &values[1]),
        (0, 15, "h8 i9", &values[2]),
        (2, 20, "a1 b2 c3", &values[3]),
    ];
    let bytes = database(&positions);
    let options = FileImportOptions::default();
    let (report, path) = import_bytes(&folder, "a", &bytes, &options);
    let report = report.unwrap();
    assert_eq!((report.source, report.rows, report.unreached), (GomokuSource::Yixin, 4, 1));
    assert_eq!((report.scores, report.comments, report.metadata.rows), (2, 1, 3));
    let book = Book::open(&path).unwrap();
    book.verify().unwrap();
    let start = Board::start();
    let first = &book.probe_with(&start, 0).unwrap()[0];
    assert_eq!(first.comment.as_deref(), Some("best start"));
    let after = start.play(Point::parse("h8").unwrap()).unwrap();
    let found = book.probe_with(&after, 0).unwrap();
    let is_disabled: Vec<_> = found.iter().map(|m| (m.mv.to_string(), m.disabled)).collect();
    assert_eq!(is_disabled.len(), 2);
    assert!(found.iter().any(|m| m.disabled) && found.iter().any(|m| !m.disabled));
    // Packed, cut short, and no database at all.
    let mut packed = lz4_flex::frame::FrameEncoder::new(Vec::new());
    std::io::Write::write_all(&mut packed, &bytes).unwrap();
    let packed = packed.finish().unwrap();
    let (again, other) = import_bytes(&folder, "packed", &packed, &options);
    assert_eq!(again.unwrap().metadata.content, report.metadata.content);
    assert!(Book::open(&other).is_ok());
    let (cut, _) = import_bytes(&folder, "cut", &bytes[..bytes.len() - 3], &options);
    assert_eq!(cut.unwrap().unreadable, 1);
    let half = &packed[..packed.len() / 2];
    let (damaged, path) = import_bytes(&folder, "damaged", half, &options);
    assert!(matches!(damaged, Err(InteropError::Damaged { .. })));
    assert!(!path.exists());
    let (none, _) = import_bytes(&folder, "none", b"nonsense", &options);
    assert!(matches!(none, Err(InteropError::NoGomokuBook { .. })));
    assert!(import_bytes(&folder, "forged", &[0xff; 40], &options).0.is_err());
    // More records are promised than there are.
    for count in [50, u32::MAX] {
        let forged = [&count.to_le_bytes()[..], &bytes[4..]].concat();
        let (report, _) = import_bytes(&folder, &count.to_string(), &forged, &options);
        let report = report.unwrap();
        assert_eq!((report.scores, report.metadata.rows), (2, 3));
        assert!(report.unreadable > 0 && report.unreadable <= 50, "{}", report.unreadable);
    }
}

/// A library of these nodes, each a place and its flags.
fn library(nodes: &[[u8; 2]]) -> Vec<u8> {
    let head = [b"\xffRenLib\xff\x03\x04".as_slice(), &[0xff; 10], &[0, 0]].concat();
    head.into_iter().chain(nodes.iter().flatten().copied()).collect()
}

#[test]
fn libraries_are_read_around_what_cannot_be_played_and_within_the_memory() {
    let folder = TempDir::new().unwrap();
    let [much, little] = [1 << 26, 1 << 24]
        .map(|memory| FileImportOptions { memory, ..FileImportOptions::default() });
    let (h8, i8, sibling, leaf) = (0x78, 0x79, 0x80, 0x40);
    // After h8 the point itself again, which is taken, and another move in its place.
    let odd = library(&[[h8, 0], [h8, sibling | leaf], [i8, leaf]]);
    let report = import_bytes(&folder, "odd", &odd, &much).0.unwrap();
    assert_eq!((report.metadata.rows, report.unreadable), (2, 1));
    let siblings = vec![[h8, sibling | leaf]; 100_000];
    let wide = library(&[siblings, vec![[i8, leaf]]].concat());
    let report = import_bytes(&folder, "wide", &wide, &much).0.unwrap();
    assert_eq!(report.metadata.rows, 2);
    let (refused, _) = import_bytes(&folder, "too wide", &wide, &little);
    assert!(matches!(refused, Err(InteropError::TooLarge { .. })), "{refused:?}");
}

#[test]
fn the_fen_of_a_start_names_it() {
    for start in Board::starts() {
        assert_eq!(Board::from_fen(&start.to_fen()).unwrap(), start);
    }
}
