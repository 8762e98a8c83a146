//! Books of small made-up games.

mod gomoku;
mod kinds;

use std::path::Path;

use crate::book::file::digest;
use crate::book::file::store::BookPart;
use crate::book::*;
use crate::bytes::StopFlag;
use crate::bytes::lock::tests::names;
use crate::game::{Game, MoveList, Outcome, Packed, Side, Symmetric};
use crate::hash::{self, KeyTable};
use crate::record::{Record, Tree};
use crate::xiangqi::{self, Move, Position};

const RED: Option<Outcome> = Some(Outcome::Win(Side::First));
const BLACK: Option<Outcome> = Some(Outcome::Win(Side::Second));
const DRAW: Option<Outcome> = Some(Outcome::Draw);

fn game(moves: &str, result: Option<Outcome>) -> Record<Position> {
    let moves = moves.split_whitespace().map(|m| Move::parse(m).unwrap()).collect();
    Record {
        tags: Vec::new(),
        start: None,
        start_clock: 0,
        result,
        tree: Tree { moves, ..Tree::default() },
    }
}

/// Games without results.
pub(crate) fn lines(lines: &[&str]) -> Vec<Record<Position>> {
    lines.iter().map(|line| game(line, None)).collect()
}

/// A game that begins elsewhere than games usually do.
pub(crate) fn elsewhere() -> Record<Position> {
    let mut other = game("e1e2", RED);
    other.start = Some(Position::from_fen("4k4/9/9/9/9/4P4/9/9/4K4/3R5 w - - 0 1").unwrap());
    other
}

fn tagged(moves: &str, result: Option<Outcome>, tags: &[(&str, &str)]) -> Record<Position> {
    let mut record = game(moves, result);
    record.tags = tags.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect();
    record
}

/// A few games with everything: mirror images, transpositions, repetitions, copies, other starts.
pub(crate) fn some_games() -> Vec<Record<Position>> {
    let rated = [("Date", "1999.01.02"), ("RedElo", "2400"), ("BlackElo", "2300")];
    let mut same_start = game("c3c4", None);
    same_start.start = Some(Position::start());
    vec![
        tagged("h2e2 h9g7 h0g2 b9c7 i0h0", RED, &rated),
        tagged("b2e2 b9c7 b0c2 h9g7 a0b0", BLACK, &[("Date", "2001")]),
        game("h2e2 b9c7 h0g2 h9g7 i0h0", DRAW),
        game("b0a2 b9a7 a2b0 a7b9 b0a2 b9a7 a2b0 a7b9 c3c4", RED),
        game("g3g4", RED),
        game("g3g4", BLACK),
        game("g3g4", BLACK),
        game("a3a4 i6i5", RED),
        game("a3a4 i6i5", DRAW),
        game("i3i4", None),
        game("", RED),
        same_start,
        elsewhere(),
    ]
}

pub(crate) fn build_with(
    folder: &Path,
    records: &[Record<Position>],
    options: BuildOptions,
) -> Result<(Book, Metadata), BuildError> {
    let path = folder.join("test.book");
    let builder = Builder::<Position>::new(&path, options)?;
    builder.add(records)?;
    let metadata = builder.finish(Vec::new())?;
    Ok((Book::open(&path).unwrap(), metadata))
}

pub(crate) fn build_some(options: BuildOptions) -> (tempfile::TempDir, Book) {
    let folder = tempfile::tempdir().unwrap();
    let (book, metadata) = build_with(folder.path(), &some_games(), options).unwrap();
    assert_eq!(book.metadata(), &metadata);
    book.verify().unwrap();
    (folder, book)
}

pub(crate) fn after(moves: &str) -> Position {
    let mut position = Position::start();
    for mv in moves.split_whitespace() {
        position.make(Move::parse(mv).unwrap());
    }
    position
}

/// Move, games, red, draws, black.
fn probe(book: &Book, moves: &str) -> Vec<(String, u64, u64, u64, u64)> {
    let found = book.probe(&after(moves)).unwrap();
    let rows = found.into_iter().map(|m| {
        let t = m.stats;
        row(&m.mv.to_string(), t.games, t.first, t.draws, t.second)
    });
    rows.collect()
}

/// A move as [`probe`] returns it.
fn row(mv: &str, games: u64, red: u64, draws: u64, black: u64) -> (String, u64, u64, u64, u64) {
    (mv.to_owned(), games, red, draws, black)
}

#[test]
fn counts_games_once_and_folds_mirror_images() {
    let (_folder, book) = build_some(BuildOptions::default());
    assert_eq!(
        probe(&book, ""),
        [
            row("h2e2", 3, 1, 1, 1),
            row("g3g4", 3, 1, 0, 1),
            row("i3i4", 2, 0, 0, 0),
            row("h0i2", 1, 1, 0, 0),
        ]
    );
    // In a position that is not symmetric, moves appear as they are played there.
    assert_eq!(probe(&book, "h2e2"), [row("h9g7", 2, 1, 0, 1), row("b9c7", 1, 0, 1, 0)]);
    assert_eq!(probe(&book, "b2e2"), [row("b9c7", 2, 1, 0, 1), row("h9g7", 1, 0, 1, 0)]);
    // A transposition.
    assert_eq!(probe(&book, "h2e2 h9g7 h0g2 b9c7"), [row("i0h0", 3, 1, 1, 1)]);
    assert_eq!(probe(&book, "h9g7"), []);
}

#[test]
fn counts_what_it_says() {
    let (_folder, book) = build_some(BuildOptions::default());
    let counts = book.metadata().counts;
    assert_eq!(
        counts,
        Counts {
            games: 8,
            first: 2,
            draws: 1,
            second: 2,
            disputed: 2,
            tied: 1,
            records: 13,
            bad: 0,
            filtered: 0,
            duplicates: 3,
            other_starts: 1,
            other_start_records: 1,
            no_moves: 1,
            no_move_records: 1,
        }
    );
    let stats = book.probe(&after("h2e2")).unwrap()[0].stats;
    assert_eq!(stats.years, Some(Years { min: 1999, max: 2001 }));
    assert_eq!((stats.rating_sum, stats.rating_count), (2300, 1), "Black's, who moves");
    assert!(
        book.has_game(GameId::new::<Position>(xiangqi::START_FEN, &[Move::parse("i3i4").unwrap()]))
            .unwrap()
    );
    let walk = book.walk::<Position>().unwrap();
    assert_eq!(walk.unreached, 0);
    assert_eq!(walk.depths.iter().map(|d| d.moves).sum::<u64>(), book.metadata().rows);
    assert_eq!(walk.depths.iter().map(|d| d.positions).sum::<u64>(), book.metadata().positions);
    assert_eq!(walk.depths[0].moves, 4);
}

#[test]
fn a_repeated_position_counts_its_game_once() {
    let (_folder, book) = build_some(BuildOptions::default());
    let after_loop = probe(&book, "b0a2 b9a7 a2b0 a7b9");
    assert!(after_loop.iter().any(|m| m.0 == "h0i2" && m.1 == 1), "{after_loop:?}");
    // The start again, with the other side's view unchanged: c3c4 was played there, too.
    assert!(after_loop.iter().any(|m| m.0 == "g3g4" && m.1 == 3), "{after_loop:?}");
}

/// The number of games that a build with a filter counts.
fn counted(filter: Filter) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions { filter, ..BuildOptions::default() };
    build_with(folder.path(), &some_games(), options).map_or(0, |(_, m)| m.counts.games)
}

#[test]
fn limits_and_filters() {
    let options = BuildOptions { max_ply: 1, ..BuildOptions::default() };
    let (_folder, book) = build_some(options);
    assert_eq!(book.metadata().positions, 1);
    let options = BuildOptions { min_games: 2, ..BuildOptions::default() };
    let (_folder, book) = build_some(options);
    assert!(book.probe(&after("")).unwrap().iter().all(|m| m.stats.games >= 2));
    assert_eq!(book.probe_with(&after(""), 1).unwrap().len(), 4);
    let any = Filter::default;
    assert_eq!(counted(Filter { since: Some(2000), ..any() }), 1);
    assert_eq!(counted(Filter { until: Some(2001), ..any() }), 2);
    assert_eq!(counted(Filter { min_rating: Some(2300), ..any() }), 1);
    assert_eq!(counted(Filter { min_rating: Some(2301), ..any() }), 0);
    assert_eq!(counted(Filter { result: Some(BLACK.into()), ..any() }), 2);
    assert_eq!(counted(Filter { result: Some(Ending::Unknown), ..any() }), 3);
    assert_eq!(counted(Filter { player: Some("x".into()), ..any() }), 0);
}

fn bytes_of(records: &[Record<Position>], options: &BuildOptions, threads: usize) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let path = folder.path().join("b");
        let builder = Builder::<Position>::new(&path, options.clone()).unwrap();
        for records in records.chunks(7) {
            builder.add(records).unwrap();
        }
        builder.finish(Vec::new()).unwrap();
        std::fs::read(path).unwrap()
    })
}

/// The next number below `bound` of a fixed pseudo-random sequence.
fn random(state: &mut u64, bound: usize) -> usize {
    *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*state >> 33) as usize % bound
}

/// Games by a fixed pseudo-random walk.
pub(crate) fn random_games(count: u64) -> Vec<Record<Position>> {
    let mut state = 1u64;
    (0..count)
        .map(|_| {
            let mut position = Position::start();
            let mut record = game("", [RED, DRAW, BLACK, None][random(&mut state, 4)]);
            for _ in 0..random(&mut state, 40) {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                let choices = moves.len().clamp(1, 8);
                let Some(&mv) = moves.get(random(&mut state, choices)) else { break };
                position.make(mv);
                record.tree.moves.push(mv);
            }
            record
        })
        .collect()
}

#[test]
fn bytes_depend_on_the_games_alone() {
    let mut records = random_games(400);
    records.extend(some_games());
    let options = BuildOptions::default();
    let expected = bytes_of(&records, &options, 1);
    assert_eq!(bytes_of(&records, &options, 3), expected);
    records.reverse();
    assert_eq!(bytes_of(&records, &options, 2), expected);
    // Hardly any memory: everything goes through runs on disk.
    let little = BuildOptions { memory: 20_000, ..options };
    assert_eq!(bytes_of(&records, &little, 2), expected);
}

/// The rows and the metadata of a book of these games.
fn rows_of(records: &[Record<Position>]) -> (Vec<(RowKey, MoveRow)>, Metadata) {
    let folder = tempfile::tempdir().unwrap();
    let (book, metadata) = build_with(folder.path(), records, BuildOptions::default()).unwrap();
    let mut rows = Vec::new();
    book.for_each_row(|key, mv, row| rows.push(((key, mv), *row))).unwrap();
    (rows, metadata)
}

#[test]
fn mirrored_games_make_the_same_rows() {
    let records = random_games(100);
    let mirrored: Vec<_> = records
        .iter()
        .map(|record| {
            let mut record = record.clone();
            record.tree.moves.iter_mut().for_each(|mv| *mv = mv.mirrored());
            record
        })
        .collect();
    assert_eq!(rows_of(&records), rows_of(&mirrored));
}

#[test]
fn a_book_with_other_keys_is_probed_with_its_own() {
    let mut seed = hash::SEED;
    seed[0] ^= 1;
    let table = KeyTable::draw("xiangqi", seed, 0, hash::xiangqi::LEN);
    let options = BuildOptions { key_table: Some(table.clone()), ..BuildOptions::default() };
    let (_folder, foreign) = build_some(options);
    let (_other_folder, stored) = build_some(BuildOptions::default());
    assert_eq!(foreign.foreign_keys(), Some(&table));
    assert!(stored.foreign_keys().is_none());
    assert_ne!(foreign.metadata().content, stored.metadata().content);
    for record in some_games().iter().filter(|record| record.start.is_none()) {
        let mut position = Position::start();
        for &mv in &record.tree.moves {
            assert_eq!(foreign.probe(&position).unwrap(), stored.probe(&position).unwrap());
            position.make(mv);
        }
    }
}

#[test]
fn probed_moves_are_legal_and_map_back() {
    let records = random_games(200);
    let folder = tempfile::tempdir().unwrap();
    let (book, _) = build_with(folder.path(), &records, BuildOptions::default()).unwrap();
    for record in &records {
        let mut position = Position::start();
        for &mv in &record.tree.moves {
            let found = book.probe(&position).unwrap();
            let canonical = position.canonical();
            let wanted = position.canonical_move(canonical, mv);
            assert!(found.iter().all(|m| position.is_legal(m.mv)));
            assert!(found.iter().any(|m| position.canonical_move(canonical, m.mv) == wanted));
            position.make(mv);
        }
    }
}

#[test]
fn marks_are_shown() {
    let (folder, book) = build_some(BuildOptions::default());
    let start = Position::start();
    let canonical = start.canonical();
    let mv = start.canonical_move(canonical, Move::parse("h2e2").unwrap());
    drop(book);
    let path = folder.path().join("test.book");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute(
            "INSERT INTO marks VALUES(?1, ?2, 3, 1, 7, '中炮', NULL)",
            (canonical.key.to_i64(), mv.pack()),
        )
        .unwrap();
    drop(connection);
    let book = Book::open(&path).unwrap();
    let found = book.probe(&start).unwrap();
    let marked = found.iter().find(|m| m.mv.to_string() == "h2e2").unwrap();
    assert_eq!((marked.priority, marked.disabled, marked.weight), (3, true, 7));
    assert_eq!(marked.comment.as_deref(), Some("中炮"));
    assert!(matches!(book.check_file(), Err(BookError::Damaged { .. })), "not sealed again");
}

/// Makes a table of a book a tree of `levels` in which each page refers to the next one a hundred times, so
/// that its one row appears any number of times, and seals the book again.
fn entangle(path: &Path, levels: usize) {
    const ROW: [u8; 8] = [6, 1, 6, 0, 13, 13, 8, 8];
    let connection = rusqlite::Connection::open(path).unwrap();
    let sql = "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema \
               WHERE name = 'books'";
    let (root, size): (u32, u32) =
        connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    drop(connection);
    let size = size as usize;
    let mut bytes = std::fs::read(path).unwrap();
    let before = (bytes.len() / size) as u32;
    let numbers: Vec<u32> = std::iter::once(root).chain(before + 1..).take(levels + 1).collect();
    bytes.resize(bytes.len() + levels * size, 0);
    for pair in numbers.windows(2) {
        let child = pair[1].to_be_bytes();
        let cells: Vec<Vec<u8>> = (1..100).map(|key: u8| [&child[..], &[key]].concat()).collect();
        put_page(page_of(&mut bytes, pair[0], size), 5, &cells, Some(pair[1]));
    }
    put_page(page_of(&mut bytes, numbers[levels], size), 13, &[ROW.to_vec()], None);
    let pages = (bytes.len() / size) as u32;
    bytes[28..32].copy_from_slice(&pages.to_be_bytes());
    std::fs::write(path, bytes).unwrap();
    reseal(path);
}

/// The page of that number, from 1.
fn page_of(bytes: &mut [u8], number: u32, size: usize) -> &mut [u8] {
    &mut bytes[(number as usize - 1) * size..][..size]
}

/// Makes a page one of a tree, with these cells and, if it is an inner one, with its last child.
fn put_page(page: &mut [u8], kind: u8, cells: &[Vec<u8>], child: Option<u32>) {
    page.fill(0);
    let (mut end, mut pointer) = (page.len(), 8);
    if let Some(child) = child {
        page[8..12].copy_from_slice(&child.to_be_bytes());
        pointer = 12;
    }
    for cell in cells {
        end -= cell.len();
        page[end..end + cell.len()].copy_from_slice(cell);
        page[pointer..pointer + 2].copy_from_slice(&(end as u16).to_be_bytes());
        pointer += 2;
    }
    page[0] = kind;
    page[3..5].copy_from_slice(&(cells.len() as u16).to_be_bytes());
    page[5..7].copy_from_slice(&(end as u16).to_be_bytes());
}

#[test]
fn a_book_whose_pages_stand_for_many_is_not_copied() {
    let (folder, book) = build_some(BuildOptions::default());
    let path = book.path().to_owned();
    drop(book);
    entangle(&path, 1);
    let (out, stop) = (folder.path().join("out.book"), StopFlag::default());
    let book = Book::open(&path).unwrap();
    book.check_file().unwrap();
    let base = BuildOptions::like(&book);
    let prune_options = PruneOptions { min_games: 2, ..PruneOptions::default() };
    let merge_options = MergeOptions::default();
    let inputs = [path.clone(), path.clone()];
    let errors = [
        Editor::open(&path, &stop).map(drop).unwrap_err().to_string(),
        propagate::<Position>(&path, 1, &stop).map(drop).unwrap_err().to_string(),
        clear_scores(&path, None, &stop).map(drop).unwrap_err().to_string(),
        Findings::default().save(&path).unwrap_err().to_string(),
        prune::<Position>(&path, &out, &prune_options).map(drop).unwrap_err().to_string(),
        merge::<Position>(&inputs, &out, &merge_options).map(drop).unwrap_err().to_string(),
        Builder::<Position>::new(&out, base).map(drop).unwrap_err().to_string(),
    ];
    for error in errors {
        assert!(error.contains("damaged") && error.contains("is used twice"), "{error}");
    }
    assert_eq!(names(folder.path()), ["test.book"]);
}

/// An error in reading what is copied is not one of the copy, and no interrupt unless there was one.
#[test]
fn a_table_without_end_is_damage() {
    use crate::book::file::transaction::Output;
    let (folder, book) = build_some(BuildOptions::default());
    let path = book.path().to_owned();
    drop(book);
    entangle(&path, 6);
    let stop = StopFlag::default();
    let book = Book::open_until(&path, &stop).unwrap();
    let out = Output::claim(&folder.path().join("out.book"), &stop).unwrap();
    let writer = out.writer().unwrap();
    let copy = || out.at().copy_tables(&book, &writer, |part| part == BookPart::Origins);
    let error = copy().unwrap_err();
    assert!(error.to_string().contains("more steps"), "{error}");
    stop.set();
    let error = copy().unwrap_err();
    assert!(matches!(error, ReplaceError::Interrupted { .. }), "{error}");
}

#[test]
fn any_flipped_byte_is_noticed() {
    let (folder, book) = build_some(BuildOptions::default());
    drop(book);
    let path = folder.path().join("test.book");
    let sound = std::fs::read(&path).unwrap();
    let copy = folder.path().join("copy.book");
    for at in (0..sound.len()).step_by(211).chain(0..128) {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x20;
        std::fs::write(&copy, bytes).unwrap();
        let opened = Book::open(&copy);
        // Whatever opening and probing make of it, they do not panic.
        if let Ok(book) = &opened {
            let _unused = book.probe(&Position::start());
        }
        assert!(opened.and_then(|book| book.verify()).is_err(), "byte {at}");
    }
}

#[test]
fn a_changed_row_is_noticed_at_probe() {
    let (folder, book) = build_some(BuildOptions::default());
    let key = Position::start().canonical().key.to_i64();
    drop(book);
    let path = folder.path().join("test.book");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE moves SET stats = x'21002211' WHERE key = ?1", [key]).unwrap();
    drop(connection);
    let book = Book::open(&path).unwrap();
    let error = book.probe(&Position::start()).unwrap_err();
    assert!(matches!(error, BookError::Damaged { .. }), "{error}");
    assert_eq!(probe(&book, "h2e2").len(), 2);
}

/// The error of opening a file of these bytes.
fn refusal(folder: &tempfile::TempDir, name: &str, bytes: &[u8]) -> BookError {
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    Book::open(&path).unwrap_err()
}

#[test]
fn what_is_no_book_is_refused_by_name() {
    let (folder, book) = build_some(BuildOptions::default());
    drop(book);
    let path = folder.path().join("test.book");
    let sound = std::fs::read(&path).unwrap();
    assert!(matches!(refusal(&folder, "empty", b""), BookError::NotABook { .. }));
    assert!(matches!(refusal(&folder, "text", &[b'x'; 5000]), BookError::NotABook { .. }));
    for len in [50, 101, sound.len() / 2, sound.len() - 1] {
        let error = refusal(&folder, "cut", &sound[..len]);
        assert!(matches!(error, BookError::Truncated { .. }), "{len}");
    }
    let mut longer = sound.clone();
    longer.push(0);
    assert!(matches!(refusal(&folder, "longer", &longer), BookError::Damaged { .. }));
    let mut newer = sound.clone();
    newer[63] = 9;
    let error = refusal(&folder, "newer", &newer);
    assert!(matches!(error, BookError::Newer { found: 9, .. }));
    assert!(error.to_string().contains("update juzhong"));
    let mut older = sound.clone();
    older[63] = 1;
    let error = refusal(&folder, "older", &older);
    assert!(matches!(error, BookError::Older { found: 1, .. }));
    assert!(error.to_string().contains("build it again"));
    let mut other = sound;
    other[68] = 0;
    assert!(matches!(refusal(&folder, "other", &other), BookError::NotABook { .. }));
    let error = Book::open(&folder.path().join("none")).unwrap_err();
    assert!(matches!(error, BookError::Io { .. }));
    let error = Book::open(folder.path()).unwrap_err();
    assert!(matches!(error, BookError::NotABook { .. } | BookError::Io { .. }), "{error}");
}

#[test]
fn no_file_beside_a_book_matters_or_appears() {
    let (folder, book) = build_some(BuildOptions::default());
    let path = book.path().to_owned();
    drop(book);
    let sound = std::fs::read(&path).unwrap();
    std::fs::write(folder.path().join("test.book-journal"), [7; 9000]).unwrap();
    Book::open(&path).unwrap().verify().unwrap();
    let mut logged = sound;
    logged[18..20].copy_from_slice(&[2, 2]);
    let other = folder.path().join("logged");
    std::fs::write(&other, logged).unwrap();
    let error = Book::open(&other).unwrap_err().to_string();
    assert!(error.contains("write-ahead log"), "{error}");
    assert_eq!(names(folder.path()), ["logged", "test.book", "test.book-journal"]);
}

/// Builds a sound book at a path.
fn build_at(path: &Path) {
    let builder = Builder::<Position>::new(path, BuildOptions::default()).unwrap();
    builder.add(&some_games()).unwrap();
    builder.finish(Vec::new()).unwrap();
    Book::open(path).unwrap().verify().unwrap();
}

#[test]
fn any_file_name_will_do() {
    let folder = tempfile::tempdir().unwrap();
    // Windows has no such names.
    let unix = if cfg!(unix) { &["a?b#c", "file:x?mode=memory", ":memory:"][..] } else { &[] };
    let everywhere = ["a#c", "100%.book", "%41", "a b", "橘中", "&=+"];
    let all = [&everywhere, unix].concat();
    for name in &all {
        build_at(&folder.path().join(name));
        assert!(folder.path().join(name).is_file(), "{name}");
    }
    assert_eq!(names(folder.path()).len(), all.len());
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt;
        build_at(&folder.path().join(std::ffi::OsStr::from_bytes(b"\xff\xfe\x80.book")));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), all.len() + 1);
    }
}

#[test]
fn forged_metadata_is_refused() {
    let (_folder, book) = build_some(BuildOptions::default());
    let path = book.path().to_owned();
    drop(book);
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection
        .execute("UPDATE meta SET value = '18446744073709551615' WHERE name = 'first_wins'", [])
        .unwrap();
    drop(connection);
    let error = Book::open(&path).unwrap_err();
    assert!(error.to_string().contains("`games`"), "{error}");
}

#[test]
fn only_books_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.book");
    std::fs::write(&path, "a letter").unwrap();
    let error = build_with(folder.path(), &some_games(), BuildOptions::default()).unwrap_err();
    assert!(matches!(error, BuildError::Replace(ReplaceError::Refused { .. })));
    assert_eq!(std::fs::read(&path).unwrap(), b"a letter");
    std::fs::remove_file(&path).unwrap();
    build_with(folder.path(), &some_games(), BuildOptions::default()).unwrap();
    let old = std::fs::read(&path).unwrap();
    let none = build_with(folder.path(), &[game("", RED)], BuildOptions::default()).unwrap_err();
    assert!(matches!(none, BuildError::NoGames { .. }));
    assert_eq!(std::fs::read(&path).unwrap(), old);
    build_with(folder.path(), &random_games(3), BuildOptions::default()).unwrap();
    assert_ne!(std::fs::read(&path).unwrap(), old);
    assert_eq!(names(folder.path()), ["test.book"], "nothing is left behind");
    // A file that appears during the build is kept, too.
    let builder = Builder::<Position>::new(&path, BuildOptions::default()).unwrap();
    builder.add(&some_games()).unwrap();
    std::fs::write(&path, "a letter").unwrap();
    assert!(matches!(
        builder.finish(Vec::new()),
        Err(BuildError::Replace(ReplaceError::Refused { .. }))
    ));
    assert_eq!(std::fs::read(&path).unwrap(), b"a letter");
}

#[test]
fn an_interrupted_build_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions::default();
    let builder = Builder::<Position>::new(&folder.path().join("b"), options.clone()).unwrap();
    builder.add(&some_games()).unwrap();
    options.stop.set();
    assert!(matches!(
        builder.add(&some_games()),
        Err(BuildError::Replace(ReplaceError::Interrupted { .. }))
    ));
    assert!(matches!(
        builder.finish(Vec::new()),
        Err(BuildError::Replace(ReplaceError::Interrupted { .. }))
    ));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn golden_book() {
    let (_folder, book) = build_some(BuildOptions::default());
    assert_eq!(
        book.metadata().content,
        "a0a5fedb30df80db3fb5b3f380cfc1586aec6f47694f93e4096e55ed9a963710"
    );
    // Beside the rows, this depends on SQLite's way of filling pages.
    let file = std::fs::read(book.path()).unwrap();
    assert_eq!(blake3::hash(&file).to_hex()[..16], *"c4f444c37cb5909d");
}

/// The moves of a position in a book built with a filter.
fn kept(filter: &Filter, moves: &str) -> Vec<(String, u64, u64, u64, u64)> {
    let options = BuildOptions { filter: filter.clone(), ..BuildOptions::default() };
    let (_folder, book) = build_some(options);
    probe(&book, moves)
}

#[test]
fn moves_are_kept_by_ply_and_side() {
    let late = Filter { from_ply: 3, ..Filter::default() };
    assert_eq!(kept(&late, "h2e2"), []);
    assert_eq!(kept(&late, "h2e2 h9g7").len(), 1);
    let black = Filter { mover: Some(Mover::Second), ..Filter::default() };
    assert_eq!(kept(&black, "a3a4").len(), 1);
    assert_eq!(kept(&black, "h2e2 h9g7"), []);
    let winner = Filter { mover: Some(Mover::Winner), ..Filter::default() };
    // The third is the last move of a game that came back to the start.
    let first = ["h0i2", "h2e2", "g3g4"].map(|mv| row(mv, 1, 1, 0, 0));
    assert_eq!(kept(&winner, ""), first);
    assert_eq!(kept(&winner, "h2e2"), [row("h9g7", 1, 0, 0, 1)]);
    let options = BuildOptions { filter: winner.clone(), ..BuildOptions::default() };
    let (_folder, book) = build_some(options);
    let counts = book.metadata().counts;
    assert_eq!((counts.games, counts.filtered, counts.records), (4, 5, 13));
    assert_eq!(book.metadata().filter, winner);
}

#[test]
fn every_record_can_count() {
    let filter = Filter { every_record: true, ..Filter::default() };
    let options = BuildOptions { filter, ..BuildOptions::default() };
    let (_folder, book) = build_some(options.clone());
    assert_eq!(probe(&book, "")[..2], [row("g3g4", 5, 2, 0, 2), row("h2e2", 3, 1, 1, 1)]);
    let counts = book.metadata().counts;
    assert_eq!((counts.games, counts.duplicates, counts.disputed, counts.tied), (11, 0, 0, 0));
    let mut records = random_games(50);
    records.extend(some_games());
    records.extend(some_games());
    let expected = bytes_of(&records, &options, 1);
    records.reverse();
    let little = BuildOptions { memory: 20_000, ..options };
    assert_eq!(bytes_of(&records, &little, 3), expected);
}

/// The moves of the start and their weights.
fn weights(book: &Book) -> Vec<(String, u64)> {
    let moves = book.probe(&after("")).unwrap();
    moves.into_iter().map(|m| (m.mv.to_string(), m.weight)).collect()
}

#[test]
fn shares_and_weights_are_the_books() {
    let options = BuildOptions {
        min_share: 2_500,
        weight: "3*w+d-l".parse().unwrap(),
        ..BuildOptions::default()
    };
    let (_folder, mut book) = build_some(options);
    // Nine games: h2e2 three (a win, a draw, a loss), g3g4 three, i3i4 two, h0i2 one.
    assert_eq!(weights(&book), [("h2e2".to_owned(), 3), ("g3g4".to_owned(), 2)]);
    book.set_min_share(2_222);
    assert_eq!(weights(&book).len(), 3);
    book.set_min_share(2_223);
    assert_eq!(weights(&book).len(), 2);
    book.set_weight("n*10".parse().unwrap());
    book.set_min_share(0);
    assert_eq!(weights(&book).iter().map(|m| m.1).collect::<Vec<_>>(), [30, 30, 20, 10]);
}

/// The line groups of the moves of a position.
fn groups(book: &Book, moves: &str) -> Vec<Vec<String>> {
    book.probe(&after(moves)).unwrap().into_iter().map(|m| m.groups).collect()
}

#[test]
fn tags_name_line_groups() {
    let records = [
        tagged("h2e2 h9g7", None, &[("Group", "中炮"), ("group", " b ")]),
        tagged("b2e2 b9c7", None, &[("Group", "a")]),
        tagged("h2e2 c6c5", None, &[("Group", "?")]),
    ];
    let folder = tempfile::tempdir().unwrap();
    let (book, _) = build_with(folder.path(), &records, BuildOptions::default()).unwrap();
    assert_eq!(groups(&book, ""), [["a", "b", "中炮"]]);
    assert_eq!(groups(&book, "h2e2"), [vec!["a", "b", "中炮"], vec![]]);
    drop(book);
    let filter = Filter { no_groups: true, ..Filter::default() };
    let options = BuildOptions { filter, ..BuildOptions::default() };
    let (book, _) = build_with(folder.path(), &records, options).unwrap();
    assert_eq!(groups(&book, ""), [[""; 0]]);
}

/// Builds at `path` in steps, each of which adds records to the book.
fn build_in_steps(path: &Path, steps: &[&[Record<Position>]], options: &BuildOptions) -> Vec<u8> {
    for (step, records) in steps.iter().enumerate() {
        let base = (step > 0).then(|| path.to_owned());
        let builder =
            Builder::<Position>::new(path, BuildOptions { base, ..options.clone() }).unwrap();
        builder.add(*records).unwrap();
        builder.finish(Vec::new()).unwrap();
    }
    Book::open(path).unwrap().verify().unwrap();
    std::fs::read(path).unwrap()
}

#[test]
fn steps_make_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    let mut records = random_games(300);
    records.extend(some_games());
    for (i, record) in records.iter_mut().enumerate().step_by(5) {
        record.tags.push(("Group".to_owned(), format!("group {}", i % 4)));
    }
    // Copies agree, so that it does not matter in which step they come.
    let mut results = std::collections::BTreeMap::new();
    for record in &mut records {
        let moves: Vec<u16> = record.tree.moves.iter().map(|mv| mv.pack()).collect();
        record.result = *results.entry(moves).or_insert(record.result);
    }
    let winners = Filter { mover: Some(Mover::Winner), ..Filter::default() };
    let all = Filter { every_record: true, ..Filter::default() };
    for filter in [Filter::default(), winners, all] {
        let options = BuildOptions { filter, max_ply: 20, ..BuildOptions::default() };
        let expected = build_in_steps(&path, &[&records], &options);
        let (a, b) = records.split_at(150);
        assert_eq!(build_in_steps(&path, &[a, b], &options), expected);
        assert_eq!(build_in_steps(&path, &[b, a], &options), expected);
        let little = BuildOptions { memory: 20_000, ..options.clone() };
        let steps: Vec<&[Record<Position>]> = records.chunks(40).collect();
        assert_eq!(build_in_steps(&path, &steps, &little), expected);
    }
}

#[test]
fn a_counted_game_keeps_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    let options = BuildOptions::default();
    let copy = [tagged("g3g4", BLACK, &[("Group", "a")])];
    build_in_steps(&path, &[&[game("g3g4", RED)], &copy], &options);
    let book = Book::open(&path).unwrap();
    assert_eq!(book.probe(&after("")).unwrap()[0].groups, ["a"], "but it joins groups");
    assert_eq!(probe(&book, ""), [("g3g4".to_owned(), 1, 1, 0, 0)]);
    let counts = book.metadata().counts;
    assert_eq!((counts.games, counts.records, counts.duplicates, counts.disputed), (1, 2, 1, 0));
}

#[test]
fn what_was_said_of_moves_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    let options = BuildOptions::default();
    build_in_steps(&path, &[&some_games()], &options);
    let start = Position::start();
    let canonical = start.canonical();
    let mv = start.canonical_move(canonical, Move::parse("h2e2").unwrap());
    let place = (canonical.key.to_i64(), mv.pack());
    let connection = rusqlite::Connection::open(&path).unwrap();
    let sql = "INSERT INTO marks VALUES(?1, ?2, 3, 0, 77, '中炮', NULL)";
    connection.execute(sql, place).unwrap();
    let sql = "INSERT INTO line_groups VALUES(?1, ?2, 'mine')";
    connection.execute(sql, place).unwrap();
    drop(connection);
    let mut file = std::fs::File::options().read(true).write(true).open(&path).unwrap();
    digest::seal(&mut file, &Default::default()).unwrap();
    drop(file);
    let more = [tagged("h2e2 c6c5", RED, &[("Group", "new")])];
    let base = Some(path.clone());
    let builder = Builder::<Position>::new(&path, BuildOptions { base, ..options }).unwrap();
    builder.add(&more).unwrap();
    builder.finish(Vec::new()).unwrap();
    let book = Book::open(&path).unwrap();
    book.verify().unwrap();
    let found = book.probe(&start).unwrap().into_iter().find(|m| m.mv.to_string() == "h2e2");
    let found = found.unwrap();
    assert_eq!((found.stats.games, found.priority, found.weight), (4, 3, 77));
    assert_eq!(found.comment.as_deref(), Some("中炮"));
    assert_eq!(found.groups, ["mine", "new"]);
}

/// The text of the error of a build that does not begin.
fn refused(path: &Path, options: BuildOptions) -> String {
    Builder::<Position>::new(path, options).map(drop).unwrap_err().to_string()
}

#[test]
fn only_a_like_book_is_added_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    build_in_steps(&path, &[&some_games()], &BuildOptions::default());
    let like = BuildOptions::like(&Book::open(&path).unwrap());
    let error = refused(&path, BuildOptions { max_ply: 40, ..like.clone() });
    assert!(error.contains("--max-ply 60") && error.contains("asked for is 40"), "{error}");
    let filter = Filter { since: Some(1990), ..Filter::default() };
    let error = refused(&path, BuildOptions { filter, ..like.clone() });
    assert!(error.contains("{\"since\":1990}"), "{error}");
    let error = refused(&path, BuildOptions { weight: "w".parse().unwrap(), ..like.clone() });
    assert!(error.contains("--weight 2*w+d+u"), "{error}");
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("UPDATE meta SET value = 'true' WHERE name = 'pruned'", []).unwrap();
    drop(connection);
    let error = refused(&path, like.clone());
    assert!(error.contains("digest"), "{error}");
    let mut file = std::fs::File::options().read(true).write(true).open(&path).unwrap();
    digest::seal(&mut file, &Default::default()).unwrap();
    let error = refused(&path, like);
    assert!(error.contains("build it again from its sources"), "{error}");
}

#[test]
fn two_cannot_write_one_book() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b");
    let first = Builder::<Position>::new(&path, BuildOptions::default()).unwrap();
    let error = Builder::<Position>::new(&path, BuildOptions::default()).map(drop).unwrap_err();
    assert!(matches!(error, BuildError::Replace(ReplaceError::Busy { .. })), "{error}");
    assert!(error.to_string().contains("another process"), "{error}");
    drop(first);
    assert_eq!(names(folder.path()), [""; 0]);
    Builder::<Position>::new(&path, BuildOptions::default()).unwrap();
}

fn reseal(path: &Path) {
    let mut file = std::fs::File::options().read(true).write(true).open(path).unwrap();
    digest::seal(&mut file, &Default::default()).unwrap();
}

#[test]
fn a_schema_with_anything_else_is_refused() {
    let trigger = "CREATE TRIGGER line_groups AFTER INSERT ON marks BEGIN DELETE FROM moves; END; \
                   PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rowid = rowid + 100 WHERE \
                   rowid > (SELECT rowid FROM sqlite_schema WHERE name = 'marks') AND type = 'table'";
    let shared = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage \
                  FROM sqlite_schema WHERE name = 'moves') WHERE name = 'marks'";
    for sql in [
        trigger,
        shared,
        "CREATE TRIGGER t AFTER INSERT ON marks BEGIN DELETE FROM moves; END",
        "CREATE VIEW v AS SELECT 1",
        "CREATE INDEX i ON moves(move)",
        "CREATE TABLE more(a)",
        "DROP TABLE backed",
        "ALTER TABLE marks ADD COLUMN more",
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET tbl_name = 'moves' WHERE name = 'marks'",
    ] {
        let (_folder, book) = build_some(BuildOptions::default());
        let path = book.path().to_owned();
        drop(book);
        rusqlite::Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        reseal(&path);
        let before = std::fs::read(&path).unwrap();
        let error = Book::open(&path).unwrap_err();
        // Some of it SQLite itself does not accept as a schema.
        assert!(matches!(error, BookError::Damaged { .. }), "{sql}: {error}");
        assert!(Editor::open(&path, &Default::default()).is_err());
        let diagnosis = interop::examine(&path, &interop::DoctorOptions::default()).unwrap();
        assert!(!diagnosis.is_healthy(), "{sql}");
        assert!(std::fs::read(&path).unwrap() == before);
    }
}

/// The place of a cell of the inner page that begins at `start`.
fn cell_at(bytes: &[u8], start: usize, number: usize) -> usize {
    let pointer = start + 12 + 2 * number;
    start + usize::from(u16::from_be_bytes([bytes[pointer], bytes[pointer + 1]]))
}

/// All links of a tree lead to one page: unless their order is checked, rows come again and again.
#[test]
fn rows_that_come_again_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let options = BuildOptions::default();
    let (book, _) = build_with(folder.path(), &random_games(3000), options.clone()).unwrap();
    let path = book.path().to_owned();
    drop(book);
    let connection = rusqlite::Connection::open(&path).unwrap();
    let root: usize = connection
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'moves'", [], |row| {
            row.get::<_, i64>(0).map(|root| root as usize)
        })
        .unwrap();
    drop(connection);
    let mut bytes = std::fs::read(&path).unwrap();
    let start = (root - 1) * 8192;
    assert_eq!(bytes[start], 2, "an inner page");
    let cells = u16::from_be_bytes([bytes[start + 3], bytes[start + 4]]) as usize;
    assert!(cells > 2);
    let first = cell_at(&bytes, start, 0);
    let link = bytes[first..first + 4].to_vec();
    for i in 0..cells {
        let at = cell_at(&bytes, start, i);
        bytes[at..at + 4].copy_from_slice(&link);
    }
    std::fs::write(&path, bytes).unwrap();
    reseal(&path);
    let book = Book::open(&path).unwrap();
    book.check_file().unwrap();
    for error in [
        book.for_each_row(|_, _, _| {}).unwrap_err(),
        book.for_each_entry(|_| {}).unwrap_err(),
        book.verify().unwrap_err(),
    ] {
        assert!(matches!(error, BookError::Damaged { .. }), "{error}");
    }
    let output = folder.path().join("merged");
    let merged = merge::<Position>(std::slice::from_ref(&path), &output, &MergeOptions::default());
    assert!(matches!(merged, Err(RemakeError::Book(BookError::Damaged { .. }))));
    let base = Some(path);
    let builder = Builder::<Position>::new(&output, BuildOptions { base, ..options });
    assert!(matches!(builder, Err(BuildError::BaseBook(BookError::Damaged { .. }))));
}

#[test]
fn a_base_is_as_it_was_when_the_build_began() {
    let folder = tempfile::tempdir().unwrap();
    let (base, output) = (folder.path().join("base"), folder.path().join("out"));
    let options = BuildOptions::default();
    build_in_steps(&base, &[&some_games()], &options);
    let more = [tagged("h2e2 c6c5", RED, &[])];
    let added = |between: &dyn Fn()| {
        let like = BuildOptions::like(&Book::open(&base).unwrap());
        let builder = Builder::<Position>::new(&output, like).unwrap();
        between();
        builder.add(&more).unwrap();
        builder.finish(Vec::new()).unwrap();
        std::fs::read(&output).unwrap()
    };
    let expected = added(&|| {});
    let replaced = added(&|| {
        let mut editor = Editor::open(&base, &Default::default()).unwrap();
        let mv = Move::parse("h2e2").unwrap();
        editor.change(&Position::start(), mv, &[Change::Priority(3)]).unwrap();
        editor.commit().unwrap();
    });
    assert!(replaced == expected);
}
