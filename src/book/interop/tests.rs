//! Tests of other programs' books: each format written and read again, damaged and hostile files.

use std::path::{Path, PathBuf};

use proptest::prelude::*;
use rusqlite::Connection;
use rusqlite::types::Value;
use tempfile::TempDir;

use crate::book::file::reader::{Book, BookEntry};
use crate::book::interop::diagnosis::{BookKind, DoctorOptions};
use crate::book::interop::doctor::examine;
use crate::book::interop::error::InteropError;
use crate::book::interop::export::ExportOptions;
use crate::book::interop::hash_scheme::scheme;
use crate::book::interop::import::ImportOptions;
use crate::book::interop::index::{ILLEGAL, REACHED};
use crate::book::interop::issue::Issue;
use crate::book::interop::load::{LoadOptions, Loaded, load};
use crate::book::interop::obk::Dialect;
use crate::book::interop::own_book::OwnWriter;
use crate::book::interop::walk::{Reach, walk};
use crate::book::interop::{
    BookFormat, eleeye, export, import, moonriver, obk, own_doctor, repair, sniff, xqb,
};
use crate::book::model::annotation::{Annotation, Flags};
use crate::book::model::error::BookError;
use crate::book::model::move_stats::MoveStats;
use crate::bytes::StopFlag;
use crate::bytes::lock::tests::names;
use crate::game::{Game, MoveList, Packed, Side, Symmetric};
use crate::xiangqi::{Move, Position};

/// FEN; obk, its mirror image, `ElephantEye`, `MoonRiver` without the side, `XBoard`; xqb, turned round
/// and mirrored.
type Vector = (&'static str, [u64; 5], &'static str, (bool, bool));

/// After nothing, h2e2, h9g7, h0g2 and b9c7.
const VECTORS: [Vector; 5] = [
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        [
            0x628d_04d7_c9c1_44ae,
            0x628d_04d7_c9c1_44ae,
            0x0526_56d5,
            0x5c7f_b659_cee8_43a7,
            0xf0ab_a4ff_a5f2_74f5,
        ],
        "ceb7cef37ac801e079f7df7df00002ebaebaeb02c004653a56939440",
        (false, false),
    ),
    (
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b",
        [
            0xa1ea_d1f6_470e_07ee,
            0x29d4_30b1_d3af_9b9e,
            0xeb50_5d7d,
            0x5afc_6f65_0355_0068,
            0x3d7d_eb18_d91f_589d,
        ],
        "ceb7cef37ac801e3c1f7df7df00002ebaebaeb02c004653a56939440",
        (true, true),
    ),
    (
        "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w",
        [
            0x377a_45b3_f4da_aee9,
            0x1fe5_eef2_9d5f_4a83,
            0xdf3a_d30d,
            0x5d74_e5e2_fc82_1b44,
            0x6ea4_bb0f_eec2_2aae,
        ],
        "ceb7cef36c801e0d79f7df7df00002ebaebaeb160004653a56939440",
        (false, false),
    ),
    (
        "rnbakab1r/9/1c4nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R b",
        [
            0x4920_52ee_2fe3_51f5,
            0x7a42_95fc_7a8e_fa2d,
            0xd562_d944,
            0xed77_ee3e_adaf_c544,
            0xed28_4d80_d394_8937,
        ],
        "ceb7cef36c801e3cd1f7df7df00002ebaebaeb04ac004653a5693440",
        (true, true),
    ),
    (
        "r1bakab1r/9/1cn3nc1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C1N2/9/RNBAKAB1R w",
        [
            0x7f11_8cad_6113_80e8,
            0xecd2_01b9_c95a_532a,
            0x7733_b151,
            0x99ec_c129_355b_9485,
            0x6b63_2883_9738_7b0f,
        ],
        "cb7cef36c801ed0d79f7df7df00002ebaebaeb1648004653a5693440",
        (false, false),
    ),
];

/// The key of a position, not of its mirror image, in a format.
fn key(format: BookFormat, position: &Position) -> u64 {
    scheme(format).key(position, false)
}

#[test]
fn hashes_are_those_of_the_vectors() {
    for (fen, [obk, mirror, eleeye, moonriver, xboard], board, (round, mirrored)) in VECTORS {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(key(BookFormat::Obk, &position), obk, "{fen}");
        assert_eq!(scheme(BookFormat::Obk).key(&position, true), mirror, "{fen}");
        assert_eq!(key(BookFormat::PfBook, &position), obk, "{fen}");
        assert_eq!(key(BookFormat::ElephantEye, &position), eleeye, "{fen}");
        let side = moonriver::SIDE[position.turn().index()];
        assert_eq!(key(BookFormat::MoonRiver, &position) ^ side, moonriver, "{fen}");
        assert_eq!(key(BookFormat::Polyglot, &position), xboard, "{fen}");
        let (bytes, turned) = xqb::encode(&position);
        let hex: String = bytes.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, board, "{fen}");
        assert_eq!((turned.round, turned.mirrored), (round, mirrored), "{fen}");
    }
}

#[test]
fn the_start_with_black_to_move_and_a_real_book_of_another_program() {
    let fen = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b";
    let start = Position::from_fen(fen).unwrap();
    assert_eq!(key(BookFormat::Obk, &start), 0xc243_2e2e_c584_6bf6);
    // g3g4 h9g7 h2e2, the key of which a published book holds.
    let mut position = Position::start();
    for text in ["g3g4", "h9g7", "h2e2"] {
        position.make(Move::parse(text).unwrap());
    }
    assert_eq!(key(BookFormat::Obk, &position), 5_102_328_636_083_531_887);
    let mut full = scheme(BookFormat::ElephantEye).full_key(&Position::start(), false);
    full &= 0xffff_ffff;
    assert_eq!(full, 0x8f89_9c24, "the other half");
}

/// Boards come back from their keys.
#[test]
fn boards_come_back() {
    let mut position = Position::start();
    for ply in 0..120 {
        let (key, turned) = xqb::encode(&position);
        let board = Position::from_setup(&xqb::decode(key.as_bytes()).unwrap()).unwrap();
        assert_eq!(board.turn(), Side::First);
        assert_eq!(xqb::encode(&board).0, key, "ply {ply}");
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let Some(&mv) = moves.get((ply * 5 + 1) % moves.len().max(1)) else { return };
        let stored = xqb::encode_move(mv, turned);
        assert!(board.is_legal(xqb::decode_move(stored.into()).unwrap()));
        position.make(mv);
    }
}

#[test]
fn keys_after_moves_agree_with_keys() {
    let mut position = Position::start();
    for ply in 0..60 {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let Some(&next) = moves.get((ply * 11 + 3) % moves.len().max(1)) else { return };
        for format in BookFormat::ALL {
            let scheme = scheme(format);
            let before = scheme.full_keys(&position);
            for &mv in &moves {
                let keys = scheme.keys_after(&mut position, before, mv);
                let undo = position.make(mv);
                let expected = [false, true].map(|mirrored| scheme.key(&position, mirrored));
                position.unmake(mv, undo);
                assert_eq!(keys, expected, "{format}: {mv} in {}", position.to_fen());
            }
        }
        position.make(next);
    }
}

fn sample(name: &str) -> Option<PathBuf> {
    let shared =
        std::env::var_os("JUZHONG_SHARED").map_or_else(|| "../shared".into(), PathBuf::from);
    let path = shared.join("formats/samples").join(name);
    if !path.exists() {
        println!("skipped: {} is not there", path.display());
        return None;
    }
    Some(path)
}

/// The path of a file in a folder.
fn at(folder: &TempDir, name: &str) -> PathBuf {
    folder.path().join(name)
}

fn load_options() -> LoadOptions {
    LoadOptions { from: None, memory: 1 << 30, examples: 3, stop: StopFlag::default() }
}

/// Reached rows, illegal rows, positions.
fn walked(path: &Path, reach: &Reach) -> (Loaded, u64, u64, u64) {
    let mut loaded = load(path, &load_options()).unwrap();
    let walked = walk(path, loaded.scheme(), &mut loaded.index, reach, &mut |_, _| Ok(())).unwrap();
    let (reached, illegal) = (loaded.index.count(REACHED), loaded.index.count(ILLEGAL));
    (loaded, reached, illegal, walked.positions)
}

#[test]
fn a_real_book_of_elephanteye() {
    let Some(path) = sample("BOOK.DAT") else { return };
    assert_eq!(sniff(&path).unwrap(), BookFormat::ElephantEye);
    let by_book = Reach { plies: 0, ..Reach::default() };
    let (loaded, reached, illegal, positions) = walked(&path, &by_book);
    assert_eq!(loaded.rows, 12_081);
    assert_eq!(loaded.index.groups().count(), 10_841);
    assert_eq!((reached, illegal, positions), (3932, 0, 2880));
    let (_, reached, illegal, _) = walked(&path, &Reach { plies: 1, ..Reach::default() });
    assert_eq!((reached, illegal), (9938, 0));
}

#[test]
fn a_real_book_of_moonriver() {
    let Some(path) = sample("moonriver_openingbook.xob") else { return };
    assert_eq!(sniff(&path).unwrap(), BookFormat::MoonRiver);
    let (loaded, reached, _, _) = walked(&path, &Reach { positions: 60_000, ..Reach::default() });
    assert_eq!(loaded.rows, 11_639 + 16_301);
    assert!(reached > 500, "{reached}");
    let index = loaded.index;
    let hits = super::walk::hits(scheme(BookFormat::MoonRiver), &index, Position::start());
    for (text, count) in [("h2e2", 248), ("c3c4", 93), ("g0e2", 43), ("h0g2", 11)] {
        let mv = Move::parse(text).unwrap();
        let (row, _) = hits.iter().find(|hit| hit.1 == mv).unwrap();
        assert_eq!(index.row(*row).value, count, "{text}");
    }
}

/// Keys are sums over all pieces, so that a wrong constant would show.
#[test]
#[ignore = "some ten seconds; cargo test --release --lib all_of_a_real_book -- --ignored"]
fn all_of_a_real_book_of_moonriver() {
    let Some(path) = sample("moonriver_openingbook.xob") else { return };
    let (loaded, reached, _, positions) = walked(&path, &Reach::default());
    assert_eq!((reached, positions), (loaded.rows, 27_262));
}

#[test]
fn a_real_book_of_xqbook() {
    let Some(path) = sample("xqbook_book.xqb") else { return };
    assert_eq!(sniff(&path).unwrap(), BookFormat::Xqb);
    let (loaded, reached, illegal, _) = walked(&path, &Reach::default());
    assert!(loaded.rows >= 2);
    assert_eq!((reached, illegal), (loaded.rows, 0));
    let folder = TempDir::new().unwrap();
    let out = folder.path().join("book");
    import(&path, &out, &ImportOptions::default()).unwrap();
    let book = Book::open(&out).unwrap();
    book.verify().unwrap();
    assert!(!book.probe(&Position::start()).unwrap().is_empty());
}

/// Moves along random lines from the start, with the facts that books of other programs can hold.
fn any_entries() -> impl Strategy<Value = Vec<BookEntry>> {
    let content = (prop::array::uniform3(0..40u64), prop::option::of(1..100_000u64), 0..10u8);
    let line = prop::collection::vec((any::<prop::sample::Index>(), content), 1..9);
    prop::collection::vec(line, 1..12).prop_map(|lines| {
        let mut entries = std::collections::BTreeMap::new();
        for line in lines {
            let mut position = Position::start();
            for (choice, ([first, draws, second], weight, extra)) in line {
                let mut moves = MoveList::new();
                position.legal_moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                let mv = moves[choice.index(moves.len())];
                let canonical = position.canonical();
                let place = (canonical.key.to_i64(), position.canonical_move(canonical, mv).pack());
                let games = first + draws + second;
                let stats = MoveStats { games, first, draws, second, ..MoveStats::default() };
                let default = stats.default_weight(position.turn());
                let weight =
                    if games == 0 { weight.or(Some(1)) } else { weight.filter(|&w| w != default) };
                let mut mark = Annotation::default();
                mark.flags.set(Flags::ADDED, games == 0);
                mark.flags.set(Flags::DISABLED, extra == 0);
                mark.comment = (extra == 1).then(|| format!("第{games}局"));
                let entry = BookEntry { key: place.0, mv: place.1, stats, weight, mark };
                entries.entry(place).or_insert(entry);
                position.make(mv);
            }
        }
        entries.into_values().collect()
    })
}

fn own_book(path: &Path, entries: &[BookEntry]) -> Book {
    let mut writer = OwnWriter::create(path, &StopFlag::default()).unwrap();
    for entry in entries {
        writer.add(entry).unwrap();
    }
    writer.finish::<Position>(&[]).unwrap();
    let book = Book::open(path).unwrap();
    book.verify().unwrap();
    book
}

fn entries(book: &Book) -> Vec<BookEntry> {
    let mut entries = Vec::new();
    book.for_each_entry(|entry| entries.push(entry)).unwrap();
    entries
}

/// Exports and imports again.
fn there_and_back(
    entries_in: &[BookEntry],
    options: &ExportOptions,
) -> (Vec<BookEntry>, PathBuf, TempDir) {
    let folder = TempDir::new().unwrap();
    let book = own_book(&at(&folder, "own"), entries_in);
    let report = export(&book, &at(&folder, "foreign"), options).unwrap();
    assert_eq!(report.unreached, 0);
    assert_eq!(sniff(&at(&folder, "foreign")).unwrap(), options.to);
    import(&at(&folder, "foreign"), &at(&folder, "again"), &ImportOptions::default()).unwrap();
    let again = Book::open(&at(&folder, "again")).unwrap();
    again.verify().unwrap();
    let found = entries(&again);
    (found, at(&folder, "foreign"), folder)
}

/// Returns true if a move from the start is not disabled: without one no row of a book is reached.
fn has_first_move(entries: &[BookEntry]) -> bool {
    let start = Position::start().canonical_with(None).key.to_i64();
    entries.iter().any(|entry| entry.key == start && !entry.mark.flags.has(Flags::DISABLED))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn tables_are_lossless(entries_in in any_entries(), pf: bool, swapped: bool) {
        let to = if pf { BookFormat::PfBook } else { BookFormat::Obk };
        let options = ExportOptions { swapped, ..ExportOptions::new(to) };
        let (found, foreign, _folder) = there_and_back(&entries_in, &options);
        prop_assert_eq!(&found, &entries_in);
        let diagnosis = examine(&foreign, &DoctorOptions::default()).unwrap();
        let expected: Vec<Issue> = if swapped { vec![Issue::ByteOrder] } else { vec![] };
        // Weights by chance may be out of all proportion.
        let issues = diagnosis.findings.iter().map(|f| f.issue);
        let found: Vec<Issue> = issues.filter(|&t| t != Issue::Outlier).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn boards_are_lossless(entries_in in any_entries()) {
        let (found, foreign, _folder) = there_and_back(&entries_in, &ExportOptions::new(BookFormat::Xqb));
        // A position and the one with the colours exchanged are one to this format.
        let known: Vec<_> = found.iter().filter(|e| entries_in.contains(e)).collect();
        prop_assert!(known.len() + 2 >= entries_in.len(), "{found:?}\n{entries_in:?}");
        let diagnosis = examine(&foreign, &DoctorOptions::default()).unwrap();
        // Weights by chance may be out of all proportion.
        prop_assert!(diagnosis.findings.iter().all(|f| f.issue == Issue::Outlier));
    }

    #[test]
    fn doubles_lose_only_what_no_double_holds(entries_in in any_entries()) {
        let options =
            ExportOptions { dialect: Dialect::Double, ..ExportOptions::new(BookFormat::Obk) };
        let (found, _, _folder) = there_and_back(&entries_in, &options);
        let missing = entries_in.iter().filter(|entry| !found.contains(entry)).count();
        prop_assert!(missing == 0 || found.len() < entries_in.len());
    }

    #[test]
    fn weights_come_back(entries_in in any_entries(), xboard: bool) {
        // Such books hold no disabled moves.
        prop_assume!(has_first_move(&entries_in));
        let to = if xboard { BookFormat::Polyglot } else { BookFormat::ElephantEye };
        let (found, foreign, _folder) = there_and_back(&entries_in, &ExportOptions::new(to));
        for entry in &found {
            let original = entries_in.iter().find(|e| (e.key, e.mv) == (entry.key, entry.mv)).unwrap();
            prop_assert!(!original.mark.flags.has(Flags::DISABLED));
            // Where the greatest of a position does not fit, all of its weights are scaled.
            let position = entries_in.iter().filter(|e| e.key == entry.key);
            let usable = position.filter(|e| !e.mark.flags.has(Flags::DISABLED));
            let most = usable.filter_map(|e| e.weight).max().unwrap_or(0).max(65_535);
            if let Some(weight) = original.weight.filter(|&weight| weight > 0) {
                prop_assert_eq!(entry.weight, Some((weight * 65_535 / most).max(1)));
            }
        }
        let usable = entries_in.iter().filter(|e| !e.mark.flags.has(Flags::DISABLED));
        // Of positions that only disabled moves lead to, the search may miss some.
        prop_assert!(found.len() <= usable.count());
        prop_assert!(examine(&foreign, &DoctorOptions::default()).unwrap().findings.iter().all(
            |finding| finding.issue == Issue::Outlier));
    }

    #[test]
    fn counts_come_back(entries_in in any_entries()) {
        // Such books hold no disabled moves.
        prop_assume!(has_first_move(&entries_in));
        let (found, _, _folder) = there_and_back(&entries_in, &ExportOptions::new(BookFormat::MoonRiver));
        prop_assert!(!found.is_empty());
        for entry in found.iter().filter(|entry| entry.stats.games > 0) {
            prop_assert_eq!(entry.stats.decided(), 0);
        }
    }

    #[test]
    fn any_bytes_are_answered(bytes in prop::collection::vec(any::<u8>(), 0..600), kind in 0..7usize) {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("book");
        let mut content = match kind {
            0 => super::sqlite::MAGIC.to_vec(),
            1 => 13579u16.to_le_bytes().to_vec(),
            _ => Vec::new(),
        };
        content.extend_from_slice(&bytes);
        std::fs::write(&path, &content).unwrap();
        let from = BookFormat::ALL.get(kind.wrapping_sub(1)).copied();
        let reach = Reach { plies: 0, ..Reach::default() };
        let options = DoctorOptions { from, reach: reach.clone(), ..DoctorOptions::default() };
        let _diagnosis = examine(&path, &options);
        let options = ImportOptions { from, reach, ..ImportOptions::default() };
        let _report = import(&path, &folder.path().join("out"), &options);
    }

    #[test]
    fn changed_bytes_of_a_table_are_answered(
        entries_in in any_entries(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let folder = TempDir::new().unwrap();
        let book = own_book(&at(&folder, "own"), &entries_in);
        export(&book, &at(&folder, "foreign"), &ExportOptions::new(BookFormat::Obk)).unwrap();
        let mut bytes = std::fs::read(at(&folder, "foreign")).unwrap();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        std::fs::write(at(&folder, "foreign"), bytes).unwrap();
        let reach = Reach { plies: 0, ..Reach::default() };
        let options = DoctorOptions { reach: reach.clone(), ..DoctorOptions::default() };
        let _diagnosis = examine(&at(&folder, "foreign"), &options);
        let clean = at(&folder, "clean");
        let _repaired = repair(&at(&folder, "foreign"), &clean, Some(Dialect::Int64), &options);
        let options = ImportOptions { reach, ..ImportOptions::default() };
        let _report = import(&at(&folder, "foreign"), &at(&folder, "again"), &options);
    }
}

/// A small `.obk` made by hand.
struct Handmade {
    folder: TempDir,
    path: PathBuf,
    connection: Connection,
}

impl Handmade {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("book.obk");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(obk::LAYOUT.create).unwrap();
        connection.execute_batch(obk::LAYOUT.create_index).unwrap();
        Self { folder, path, connection }
    }

    /// A row for a move after others, with its score and wins.
    fn add(&self, line: &str, mv: &str, score: i64, wins: i64) {
        let mut position = Position::start();
        for text in line.split_whitespace() {
            position.make(Move::parse(text).unwrap());
        }
        let key = key(BookFormat::Obk, &position);
        self.add_raw(&Value::Integer(key.cast_signed()), mv, score, wins);
    }

    fn add_raw(&self, key: &Value, mv: &str, score: i64, wins: i64) {
        let mv = obk::encode_move(Move::parse(mv).unwrap());
        self.connection
            .execute(
                "INSERT INTO bhobk(vkey, vmove, vscore, vwin, vdraw, vlost, vvalid) \
                 VALUES(?1, ?2, ?3, ?4, 0, 0, 1)",
                rusqlite::params![key, mv, score, wins],
            )
            .unwrap();
    }

    fn run(&self, sql: &str) {
        self.connection.execute_batch(sql).unwrap();
    }

    fn found(&self) -> Vec<(Issue, u64)> {
        found(&self.path)
    }

    /// Examines it with a journal beside it.
    fn is_healthy_beside(&self, journal: &[u8]) -> Result<bool, InteropError> {
        let mut name = self.path.clone().into_os_string();
        name.push("-journal");
        std::fs::write(name, journal).unwrap();
        examine(&self.path, &DoctorOptions::default()).map(|diagnosis| diagnosis.is_healthy())
    }

    /// Writes a clean copy and expects it to be healthy; returns its path.
    fn repaired(&self) -> PathBuf {
        let clean = self.folder.path().join("clean.obk");
        repair(&self.path, &clean, Some(Dialect::Int64), &DoctorOptions::default()).unwrap();
        assert_eq!(found(&clean), []);
        clean
    }
}

fn found(path: &Path) -> Vec<(Issue, u64)> {
    let diagnosis = examine(path, &DoctorOptions::default()).unwrap();
    diagnosis.findings.iter().map(|finding| (finding.issue, finding.count)).collect()
}

fn rows_of(path: &Path, sql: &str) -> Vec<i64> {
    let connection = Connection::open(path).unwrap();
    let mut statement = connection.prepare(sql).unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

fn three_moves() -> Handmade {
    let book = Handmade::new();
    book.add("", "h2e2", 30, 3);
    book.add("", "c3c4", 20, 2);
    book.add("h2e2", "h9g7", 10, 1);
    book
}

#[test]
fn a_healthy_book_is_healthy() {
    let book = three_moves();
    assert_eq!(book.found(), []);
    // Its own index is enough for ordinary readers.
    let plan: String = book
        .connection
        .query_row("EXPLAIN QUERY PLAN SELECT vmove FROM bhobk WHERE vkey = 1", [], |r| r.get(3))
        .unwrap();
    assert!(plan.contains("idxkey"), "{plan}");
}

#[test]
fn an_index_that_lost_its_rows() {
    let book = Handmade::new();
    // The index is removed from the schema while rows are added, and put back: it is empty then.
    book.run(
        "CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'idxkey';
         PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'idxkey';",
    );
    let Handmade { folder, path, connection } = book;
    drop(connection);
    let book = Handmade { connection: Connection::open(&path).unwrap(), folder, path };
    book.add("", "h2e2", 30, 3);
    book.add("h2e2", "h9g7", 10, 1);
    book.run(
        "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM kept; DELETE FROM kept",
    );
    let Handmade { folder, path, connection } = book;
    drop(connection);
    let book = Handmade { connection: Connection::open(&path).unwrap(), folder, path };
    let found = book.found();
    assert_eq!(found[0].0, Issue::CorruptIndex);
    assert!(found[0].1 >= 2, "{found:?}");
    // All rows are read all the same, and a clean copy has an index that works.
    let out = book.folder.path().join("own");
    assert_eq!(import(&book.path, &out, &ImportOptions::default()).unwrap().taken, 2);
    let clean = book.repaired();
    let key = scheme(BookFormat::Obk).key(&Position::start(), false);
    let sql =
        format!("SELECT vmove FROM bhobk INDEXED BY idxkey WHERE vkey = {}", key.cast_signed());
    assert_eq!(rows_of(&clean, &sql), [43687]);
}

#[test]
fn exchanged_bytes_are_found_by_a_vote() {
    let book = three_moves();
    book.run("UPDATE bhobk SET vmove = ((vmove & 255) << 8) | (vmove >> 8)");
    assert_eq!(book.found(), [(Issue::ByteOrder, 3)]);
    let clean = book.repaired();
    assert_eq!(rows_of(&clean, "SELECT vmove FROM bhobk ORDER BY id LIMIT 1"), [43687]);
    let out = book.folder.path().join("own");
    let report = import(&book.path, &out, &ImportOptions::default()).unwrap();
    assert!(report.is_swapped);
    assert_eq!(report.taken, 3);
}

#[test]
fn some_rows_with_exchanged_moves_are_taken() {
    let book = three_moves();
    book.add("", "g3g4", 4, 4);
    // Of a book that stores moves the other way round.
    book.add("h2e2 h9g7", "g2h0", 7, 7);
    book.add("h2e2 h9g7 h0g2", "h9i9", 6, 6);
    assert_eq!(book.found(), [(Issue::ByteOrder, 2)]);
    let out = book.folder.path().join("own");
    let report = import(&book.path, &out, &ImportOptions::default()).unwrap();
    assert_eq!((report.swapped_rows, report.illegal, report.taken), (2, 0, 6));
    let clean = book.repaired();
    assert_eq!(rows_of(&clean, "SELECT count(*) FROM bhobk"), [6]);
}

#[test]
fn a_journal_of_finished_changes_does_not_matter() {
    let book = three_moves();
    assert!(book.is_healthy_beside(&[0; 512]).unwrap());
    assert!(book.is_healthy_beside(b"").unwrap());
    let error = book.is_healthy_beside(b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7").unwrap_err();
    assert!(matches!(error, InteropError::Unfinished { .. }), "{error}");
}

#[test]
fn reading_can_be_interrupted() {
    let book = three_moves();
    let options = DoctorOptions::default();
    options.reach.stop.set();
    let error = examine(&book.path, &options).unwrap_err();
    assert!(matches!(error, InteropError::Interrupted { .. }), "{error}");
}

#[test]
fn long_comments_are_cut_and_counted() {
    let book = three_moves();
    book.run("UPDATE bhobk SET vmemo = printf('%.70000c', 'x') WHERE id = 1");
    let out = book.folder.path().join("own");
    let report = import(&book.path, &out, &ImportOptions::default()).unwrap();
    assert_eq!((report.comments, report.shortened), (1, 1));
}

#[test]
fn keys_as_doubles() {
    let book = Handmade::new();
    book.add("", "h2e2", 30, 3);
    // The position after h2e2 has a key from 2^63 on.
    let key = f64::from_bits(0xa1ea_d1f6_470e_07ee);
    book.add_raw(&Value::Real(key), "h9g7", 10, 1);
    assert_eq!(book.found(), []);
    let diagnosis = examine(&book.path, &DoctorOptions::default()).unwrap();
    assert_eq!(diagnosis.dialect, Some(Dialect::Double));
    assert_eq!((diagnosis.reached, diagnosis.kind), (2, BookKind::Foreign(BookFormat::Obk)));
    // Lost for good; became an integer; an integer among doubles.
    book.add_raw(&Value::Real(f64::NAN), "h9g7", 1, 1);
    book.add_raw(&Value::Real(f64::from_bits(0xc330_0000_0000_0001)), "h9g7", 1, 1);
    assert_eq!(
        rows_of(&book.path, "SELECT vkey FROM bhobk WHERE id = 4"),
        [-4_503_599_627_370_497]
    );
    book.add("h2e2 h9g7 h0g2 b9c7 c3c4", "c6c5", 1, 1);
    let issues: Vec<Issue> = book.found().into_iter().map(|(issue, _)| issue).collect();
    assert_eq!(issues, [Issue::NullKey]);
    let options = DoctorOptions::default();
    assert_eq!(examine(&book.path, &options).unwrap().punned, 1);
    // A clean copy has the same kind of keys, unless another one is asked for.
    let same = book.folder.path().join("same.obk");
    repair(&book.path, &same, None, &options).unwrap();
    let diagnosis = examine(&same, &options).unwrap();
    assert_eq!((diagnosis.dialect, diagnosis.punned), (Some(Dialect::Double), 1));
    assert!(diagnosis.is_healthy(), "{:?}", diagnosis.findings);
    let clean = book.repaired();
    let punned = 0xc330_0000_0000_0001u64.cast_signed();
    let sql = format!("SELECT count(*) FROM bhobk WHERE vkey = {punned}");
    assert_eq!(rows_of(&clean, &sql), [1]);
}

#[test]
fn rows_that_cannot_be() {
    let book = three_moves();
    book.add("", "h2e2", 30, 3);
    book.add("", "a0a9", 1, 1);
    book.add("h2e2", "b9c7", 4, 4);
    book.add("b2e2", "h9g7", 5, 5);
    book.run("INSERT INTO bhobk(vkey, vmove) VALUES(7101337512282506414, 7)");
    let found = book.found();
    for expected in [
        (Issue::BadMove, 1),
        (Issue::IllegalMove, 1),
        (Issue::Duplicate, 1),
        (Issue::MirrorDuplicate, 1),
    ] {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
    let clean = book.repaired();
    // Copies count once, others are added.
    let sql = "SELECT vwin FROM bhobk WHERE vkey = 7101337512282506414 AND vmove = 43687";
    assert_eq!(rows_of(&clean, sql), [3]);
    assert_eq!(rows_of(&clean, "SELECT sum(vwin) FROM bhobk"), [3 + 2 + 1 + 4 + 5]);
    assert_eq!(rows_of(&clean, "SELECT count(*) FROM bhobk"), [4]);
}

#[test]
fn fields_of_the_wrong_kind() {
    let book = three_moves();
    book.run(
        "UPDATE bhobk SET vscore = NULL WHERE id = 1;
         UPDATE bhobk SET vwin = x'00ff', vdraw = -5 WHERE id = 2;
         UPDATE bhobk SET vmemo = x'd6d0c5da' WHERE id = 1;
         UPDATE bhobk SET vmemo = x'ff00ff' WHERE id = 2;
         CREATE TABLE ltext(lma TEXT); INSERT INTO ltext VALUES('x');",
    );
    let expected =
        [(Issue::NullField, 1), (Issue::WrongType, 1), (Issue::OutOfRange, 1), (Issue::Comment, 1)];
    assert_eq!(book.found(), expected);
    let clean = book.repaired();
    assert_eq!(rows_of(&clean, "SELECT count(*) FROM ltext"), [1]);
    let sql = "SELECT count(*) FROM bhobk WHERE vmemo = '中炮'";
    assert_eq!(rows_of(&clean, sql), [1], "GB18030 became UTF-8");
}

#[test]
fn a_weight_out_of_all_proportion() {
    let book = Handmade::new();
    for mv in ["h2e2", "c3c4", "g0e2", "h0g2"] {
        book.add("", mv, 0, 1);
    }
    book.add("", "f0e1", 0, 230_827);
    assert_eq!(book.found(), [(Issue::Outlier, 1)]);
    let clean = book.folder.path().join("clean");
    let report = repair(&book.path, &clean, None, &DoctorOptions::default()).unwrap();
    assert_eq!(report.left().collect::<Vec<_>>(), [Issue::Outlier]);
    assert_eq!(rows_of(&clean, "SELECT max(vwin) FROM bhobk"), [230_827], "no weight is changed");
    let weights = DoctorOptions { weights: true, ..DoctorOptions::default() };
    let clean = book.folder.path().join("weights");
    let report = repair(&book.path, &clean, None, &weights).unwrap();
    assert_eq!((report.changed, report.left().count()), (1, 0));
    assert_eq!(found(&clean), []);
    assert_eq!(rows_of(&clean, "SELECT DISTINCT vwin FROM bhobk"), [1]);
}

#[test]
fn what_was_played_is_never_out_of_proportion() {
    // Scores far beyond the games, but of the move that was played most; and beside replies that weigh as much.
    let book = Handmade::new();
    for mv in ["c3c4", "g0e2"] {
        book.add("", mv, 1, 1);
    }
    book.add("", "h2e2", 50_000, 1);
    book.run("UPDATE bhobk SET vdraw = 1 WHERE vscore = 1");
    assert_eq!(book.found(), [(Issue::Outlier, 1)]);
    book.add("h2e2", "h9g7", 20_000, 1);
    assert_eq!(book.found(), []);
    book.run("DELETE FROM bhobk WHERE vscore = 20000");
    book.run("UPDATE bhobk SET vwin = 9 WHERE vscore = 50000");
    assert_eq!(book.found(), []);
}

#[test]
fn weights_that_mean_nothing() {
    let book = Handmade::new();
    let mut position = Position::start();
    for ply in 0..60 {
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let Some(&next) = moves.get(ply % moves.len().max(1)) else { break };
        let key = scheme(BookFormat::Obk).key(&position, false).cast_signed();
        for mv in moves.iter().take(2) {
            book.add_raw(&Value::Integer(key), &mv.to_string(), 5, 0);
        }
        position.make(next);
    }
    assert!(book.found().iter().any(|&(issue, _)| issue == Issue::AllEqual));
    let diagnosis = examine(&book.path, &DoctorOptions::default()).unwrap();
    assert!(diagnosis.is_healthy(), "a notice is no fault");
    let clean = book.folder.path().join("clean");
    let report =
        repair(&book.path, &clean, Some(Dialect::Int64), &DoctorOptions::default()).unwrap();
    assert_eq!(report.left().collect::<Vec<_>>(), [Issue::AllEqual]);
}

#[test]
fn negative_scores_become_priorities() {
    let book = three_moves();
    book.run("UPDATE bhobk SET vscore = -20 WHERE id = 2");
    let out = book.folder.path().join("own");
    import(&book.path, &out, &ImportOptions::default()).unwrap();
    let moves = Book::open(&out).unwrap().probe(&Position::start()).unwrap();
    let priorities: Vec<(String, i64)> =
        moves.iter().map(|found| (found.mv.to_string(), found.priority)).collect();
    // In the start position the moves on the right stand for those on the left.
    assert_eq!(priorities, [("h2e2".to_owned(), 30), ("g3g4".to_owned(), -20)]);
}

#[test]
fn foreign_books_are_not_opened_as_own() {
    let book = three_moves();
    let error = Book::open(&book.path).unwrap_err();
    assert!(matches!(error, BookError::Foreign { format: "obk", .. }), "{error}");
    assert!(error.to_string().contains("juzhong book import"), "{error}");
}

#[test]
fn tables_that_only_look_like_books() {
    for sql in [
        "CREATE VIEW bhobk AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) \
         SELECT x AS vkey, x AS vmove FROM n",
        "CREATE TABLE bhobk(vkey INTEGER)",
        "CREATE TABLE bhobk(vkey PRIMARY KEY, vmove) WITHOUT ROWID",
        "CREATE TABLE bhobk(vkey INTEGER, vmove AS (zeroblob(1000000000)))",
        "CREATE TABLE other(vkey INTEGER)",
        "CREATE TABLE book(key BLOB, move INTEGER); CREATE TABLE information(name, value); \
         INSERT INTO information VALUES('type', 'jieqi')",
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("book.obk");
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        assert!(matches!(sniff(&path), Err(InteropError::Unknown { .. })), "{sql}");
    }
}

#[test]
fn what_another_program_has_not_finished() {
    let book = three_moves();
    let wal = book.folder.path().join("book.obk-wal");
    std::fs::write(&wal, "frames").unwrap();
    let error = examine(&book.path, &DoctorOptions::default()).unwrap_err();
    assert!(matches!(error, InteropError::Unfinished { .. }), "{error}");
    std::fs::remove_file(wal).unwrap();
    // Only the mark of a log is left: that is read.
    book.run("PRAGMA journal_mode = WAL");
    let Handmade { folder, path, connection } = book;
    drop(connection);
    let _folder = folder;
    assert_eq!(std::fs::read(&path).unwrap()[18..20], [2, 2]);
    assert_eq!(found(&path), []);
}

#[test]
fn flat_books_out_of_order_and_too_long() {
    let folder = TempDir::new().unwrap();
    let start = scheme(BookFormat::ElephantEye).key(&Position::start(), false) as u32;
    let mut bytes = Vec::new();
    for (key, mv, weight) in [(start, "h2e2", 9), (start, "a0a9", 1), (start - 1, "c3c4", 3)] {
        let mv = eleeye::encode_move(Move::parse(mv).unwrap());
        eleeye::Record { key, mv, weight }.put(&mut bytes);
    }
    eleeye::Record { key: u32::MAX, mv: 0, weight: 1 }.put(&mut bytes);
    bytes.extend_from_slice(b"odd");
    std::fs::write(at(&folder, "book"), &bytes).unwrap();
    let options = DoctorOptions { from: Some(BookFormat::ElephantEye), ..DoctorOptions::default() };
    let diagnosis = examine(&at(&folder, "book"), &options).unwrap();
    let issues: Vec<Issue> = diagnosis.findings.iter().map(|f| f.issue).collect();
    let expected = [Issue::File, Issue::BadMove, Issue::IllegalMove, Issue::Unsorted];
    assert_eq!(issues, expected);
    repair(&at(&folder, "book"), &at(&folder, "clean"), Some(Dialect::Int64), &options).unwrap();
    assert!(examine(&at(&folder, "clean"), &options).unwrap().is_healthy());
    assert_eq!(std::fs::metadata(at(&folder, "clean")).unwrap().len(), 16);
    // A header that states more than there is, and more than there can be.
    for counts in [[1 << 40, 3], [u64::MAX >> 1, u64::MAX >> 1]] {
        let mut bytes = Vec::new();
        moonriver::Header { counts }.put("", &mut bytes);
        moonriver::Record { key: 5, count: 1 }.put(&mut bytes);
        std::fs::write(at(&folder, "giant"), &bytes).unwrap();
        assert_eq!(found(&at(&folder, "giant"))[0].0, Issue::File);
    }
}

#[test]
fn nothing_is_replaced_and_nothing_left_behind() {
    let book = three_moves();
    let other = book.folder.path().join("other");
    std::fs::write(&other, "mine").unwrap();
    let options = DoctorOptions::default();
    let error = repair(&book.path, &other, Some(Dialect::Int64), &options).unwrap_err();
    assert!(matches!(error, InteropError::Create { .. }), "{error}");
    assert!(import(&book.path, &other, &ImportOptions::default()).is_err());
    assert!(import(&book.path, &book.path, &ImportOptions::default()).is_err());
    assert_eq!(std::fs::read(&other).unwrap(), b"mine");
    assert_eq!(names(book.folder.path()).len(), 2);
    let small = ImportOptions { memory: 200, ..ImportOptions::default() };
    let error = import(&book.path, &book.folder.path().join("own"), &small).unwrap_err();
    assert!(matches!(error, InteropError::TooLarge { .. }), "{error}");
}

/// A move of the start with one game.
fn entry_at_start(text: &str, flags: Flags) -> BookEntry {
    let start = Position::start();
    let canonical = start.canonical();
    let mv = start.canonical_move(canonical, Move::parse(text).unwrap());
    let stats = MoveStats { games: 1, first: 1, ..MoveStats::default() };
    let mark = Annotation { flags, ..Annotation::default() };
    BookEntry { key: canonical.key.to_i64(), mv: mv.pack(), stats, weight: None, mark }
}

/// A book of one line with a mark that is locked and one that is not on illegal moves.
fn sick_own(path: &Path) -> [BookEntry; 3] {
    let none = Flags::default();
    let mut entries = [("h2e2", none), ("a0a9", none), ("a0b9", Flags::LOCKED)]
        .map(|(text, flags)| entry_at_start(text, flags));
    entries.sort_by_key(|entry| entry.mv);
    own_book(path, &entries);
    entries
}

#[test]
fn own_books_are_mended_but_for_what_is_locked() {
    let folder = TempDir::new().unwrap();
    let [own, clean, again] = ["own", "clean", "again"].map(|name| at(&folder, name));
    sick_own(&own);
    assert_eq!(found(&own), [(Issue::IllegalMove, 2)]);
    let options = DoctorOptions::default();
    let report = repair(&own, &clean, Some(Dialect::Int64), &options).unwrap();
    assert_eq!((report.dropped, report.written), (1, 2));
    assert_eq!(found(&clean), [(Issue::IllegalMove, 1)], "the locked one stays");
    assert!(own_doctor::is_intact(&clean));
    let mut bytes = std::fs::read(&clean).unwrap();
    // Within the free part of a page: only the digest sees it.
    let place = bytes.len() - 4000;
    bytes[place] ^= 1;
    std::fs::write(&clean, &bytes).unwrap();
    assert_eq!(found(&clean)[0].0, Issue::File);
    repair(&clean, &again, Some(Dialect::Int64), &options).unwrap();
    assert_eq!(found(&again), [(Issue::IllegalMove, 1)]);
}

/// A value for a column of ids.
fn blob() -> Value {
    Value::Blob(vec![7; 16])
}

/// A value for a column of names.
fn text() -> Value {
    Value::Text("x".to_owned())
}

#[test]
fn every_table_of_a_healthy_own_book_is_kept() {
    let folder = TempDir::new().unwrap();
    let [own, clean] = ["own", "clean"].map(|name| at(&folder, name));
    let mut writer = OwnWriter::create(&own, &StopFlag::default()).unwrap();
    let entry = entry_at_start("h2e2", Flags::default());
    writer.add(&entry).unwrap();
    let BookEntry { key, mv, .. } = entry;
    let number = Value::Integer;
    for (table, row) in [
        ("elsewhere", vec![blob()]),
        (
            "scores",
            vec![
                number(key),
                text(),
                number(0),
                number(5),
                number(0),
                number(1),
                number(1),
                Value::Null,
            ],
        ),
        ("backed", vec![number(key), number(mv.into()), number(1), number(2)]),
        ("books", vec![number(1), text(), text(), number(1), number(1)]),
        ("provenance", vec![number(1), blob()]),
        ("journal", vec![number(1), number(1), text(), number(key), number(1), blob(), blob()]),
    ] {
        writer.put_values(table, row).unwrap();
    }
    writer.finish::<Position>(&[]).unwrap();
    repair(&own, &clean, Some(Dialect::Int64), &DoctorOptions::default()).unwrap();
    for table in crate::book::file::store::TABLES.iter().map(|table| table.name) {
        let sql = format!("SELECT count(*) FROM {table}");
        assert_eq!(rows_of(&clean, &sql), rows_of(&own, &sql), "{table}");
    }
}

#[test]
fn a_format_without_disabled_moves_refuses_a_book_of_nothing_else() {
    let folder = TempDir::new().unwrap();
    let entry = entry_at_start("h2e2", Flags::DISABLED);
    let book = own_book(&at(&folder, "own"), &[entry]);
    for format in BookFormat::ALL {
        let output = at(&folder, format.name());
        match export(&book, &output, &ExportOptions::new(format)) {
            Ok(report) => assert_eq!(report.written, 1, "{format}"),
            Err(InteropError::Nothing { .. }) => assert!(!output.exists(), "{format}"),
            Err(error) => panic!("{format}: {error}"),
        }
    }
    assert!(!at(&folder, "polyglot").exists() && at(&folder, "obk").exists());
}

#[test]
fn a_copy_never_takes_the_place_of_its_own_book() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("own");
    sick_own(&path);
    let before = std::fs::read(&path).unwrap();
    let error = repair(&path, &path, Some(Dialect::Int64), &DoctorOptions::default()).unwrap_err();
    assert!(error.to_string().contains("already exists"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn rows_behind_a_bad_page_and_a_huge_comment_are_read() {
    let book = Handmade::new();
    let key = scheme(BookFormat::Obk).key(&Position::start(), false).cast_signed();
    book.run("BEGIN");
    for i in 0..3000 {
        book.add_raw(&Value::Integer(if i == 2999 { key } else { i }), "h2e2", 1, i);
    }
    book.run("COMMIT; UPDATE bhobk SET vmemo = zeroblob(17000000) WHERE id = 2000");
    let root: i64 =
        rows_of(&book.path, "SELECT rootpage FROM sqlite_schema WHERE name = 'bhobk'")[0];
    let Handmade { folder, path, connection } = book;
    drop(connection);
    let mut bytes = std::fs::read(&path).unwrap();
    // The third child of the root.
    let page = (root as usize - 1) * 4096;
    let cell = u16::from_be_bytes([bytes[page + 16], bytes[page + 17]]) as usize;
    let child = u32::from_be_bytes(bytes[page + cell..page + cell + 4].try_into().unwrap());
    let start = (child as usize - 1) * 4096;
    bytes[start..start + 4096].fill(0x55);
    std::fs::write(&path, &bytes).unwrap();
    let clean = folder.path().join("clean.obk");
    let report = repair(&path, &clean, Some(Dialect::Int64), &DoctorOptions::default()).unwrap();
    assert_eq!(report.lost.len(), 1, "{report:?}");
    let diagnosis = &report.diagnosis;
    assert!(diagnosis.rows > 2800 && diagnosis.rows < 3000, "{}", diagnosis.rows);
    assert!(diagnosis.findings.iter().any(|f| f.issue == Issue::LongComment && f.count == 1));
    assert_eq!(rows_of(&clean, "SELECT max(vwin) FROM bhobk"), [2999]);
}

#[test]
fn results_are_never_out_of_proportion() {
    let book = Handmade::new();
    for mv in ["h2e2", "c3c4", "g0e2", "h0g2"] {
        book.add("", mv, 0, 1);
    }
    book.add("", "f0e1", 0, 1500);
    book.run("UPDATE bhobk SET vdraw = 700, vlost = 800 WHERE vwin = 1500");
    assert_eq!(book.found(), []);
}

#[test]
fn one_key_does_not_make_a_book_one_of_doubles() {
    let book = three_moves();
    book.add("h2e2 h9g7", "h0g2", 1, 1);
    book.add("c3c4", "c6c5", 1, 1);
    book.add_raw(&Value::Real(0.5), "h9g7", 1, 1);
    let diagnosis = examine(&book.path, &DoctorOptions::default()).unwrap();
    assert_eq!(diagnosis.dialect, Some(Dialect::Int64));
    assert_eq!(diagnosis.reached, 5);
}

/// A view that a file presents as a table would never end if it were queried.
#[test]
fn nothing_but_tables_is_read() {
    let endless = "AS WITH RECURSIVE n(name, value) AS (SELECT 'a', zeroblob(1000000) UNION ALL \
                   SELECT name, value FROM n) SELECT name, value, name AS vkey, name AS vmove FROM n";
    let as_table = "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'table', rootpage = \
                    (SELECT rootpage FROM sqlite_schema WHERE name = 'other')";
    for (sql, is_book) in [
        (
            format!(
                "{}; DROP TABLE information; CREATE VIEW information {endless}",
                xqb::LAYOUT.create
            ),
            true,
        ),
        (
            format!(
                "CREATE TABLE other(vkey, vmove); CREATE VIEW bhobk {endless}; {as_table} WHERE name = 'bhobk'"
            ),
            false,
        ),
        // The name and the text of a row of the schema need not agree.
        (
            format!(
                "CREATE TABLE other(vkey, vmove); CREATE TABLE bhobk(vkey, vmove); \
                 CREATE VIEW late {endless}; PRAGMA writable_schema = ON; \
                 UPDATE sqlite_schema SET sql = 'CREATE TABLE early(vkey, vmove)' WHERE name = 'bhobk'; \
                 UPDATE sqlite_schema SET sql = replace(sql, 'late', 'bhobk') WHERE name = 'late'"
            ),
            false,
        ),
        ("CREATE VIRTUAL TABLE bhobk USING fts5(vkey, vmove)".to_owned(), false),
        ("CREATE TABLE bhobk(vkey, vmove); CREATE VIRTUAL TABLE t USING fts5(a)".to_owned(), false),
    ] {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("book");
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&sql).unwrap();
        if is_book {
            let (key, turned) = xqb::encode(&Position::start());
            let mv = xqb::encode_move(Move::parse("h2e2").unwrap(), turned);
            let insert = "INSERT INTO book(key, move, score, win, draw, lost, valid) \
                          VALUES(?1, ?2, 1, 1, 0, 0, 1)";
            connection.execute(insert, (key.as_bytes(), mv)).unwrap();
            connection.execute_batch(xqb::LAYOUT.create_index).unwrap();
        }
        drop(connection);
        assert_eq!(sniff(&path).ok(), is_book.then_some(BookFormat::Xqb), "{sql}");
        assert!(Book::open(&path).is_err());
        let out = folder.path().join("own");
        let imported = import(&path, &out, &ImportOptions::default());
        assert_eq!(imported.ok().map(|report| report.taken), is_book.then_some(1), "{sql}");
        let examined = examine(&path, &DoctorOptions::default());
        assert_eq!(examined.is_ok(), is_book, "{sql}");
    }
}

/// Returns true for the error of what was interrupted.
fn is_interrupt(error: &InteropError) -> bool {
    match error {
        InteropError::Interrupted { .. } => true,
        InteropError::Book(BookError::Io { source, .. }) => {
            source.kind() == std::io::ErrorKind::Interrupted
        }
        _ => false,
    }
}

#[test]
fn a_set_stop_flag_ends_every_query() {
    let book = three_moves();
    let reach = Reach::default();
    reach.stop.set();
    let options = DoctorOptions { reach: reach.clone(), ..DoctorOptions::default() };
    let own = book.folder.path().join("own");
    import(&book.path, &own, &ImportOptions::default()).unwrap();
    for path in [&book.path, &own] {
        let examined = examine(path, &options);
        assert!(examined.is_err_and(|error| is_interrupt(&error)), "{}", path.display());
        let clean = book.folder.path().join("clean");
        let repaired = repair(path, &clean, None, &options);
        assert!(repaired.is_err_and(|error| is_interrupt(&error)));
        assert!(!clean.exists());
    }
    let out = book.folder.path().join("out");
    let options = ImportOptions { reach, ..ImportOptions::default() };
    assert!(import(&book.path, &out, &options).is_err());
    assert!(!out.exists());
}

#[test]
#[cfg(unix)]
fn pipes_beside_a_book_are_not_opened() {
    let book = three_moves();
    for ending in ["-wal", "-journal", "-shm"] {
        let beside = book.folder.path().join(format!("book.obk{ending}"));
        let made = std::process::Command::new("mkfifo").arg(&beside).status().unwrap();
        assert!(made.success());
    }
    assert_eq!(book.found(), []);
    let own = book.folder.path().join("own");
    let pipe = book.folder.path().join("own-wal");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    import(&book.path, &own, &ImportOptions::default()).unwrap();
    Book::open(&own).unwrap().verify().unwrap();
    assert!(matches!(Book::open(&pipe), Err(BookError::NotABook { .. })));
    assert!(matches!(examine(&pipe, &DoctorOptions::default()), Err(InteropError::Unknown { .. })));
}

/// Two bytes as a number, the higher one first.
fn u16_at(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_be_bytes([bytes[at], bytes[at + 1]]))
}

/// Four bytes as the number of a page, the highest one first.
fn link_at(bytes: &[u8], at: usize) -> usize {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

/// Rows that share their overflow pages have more content than the file.
#[test]
fn content_is_bounded_by_the_length_of_the_file() {
    let book = Handmade::new();
    // Short at first, so that the rows lie before all overflow pages; added at full length, they would not.
    book.run("DROP INDEX idxkey; BEGIN");
    for _ in 0..50 {
        book.run("INSERT INTO bhobk(vkey, vmove) VALUES(1, zeroblob(600))");
    }
    book.run("UPDATE bhobk SET vmove = zeroblob(98783); COMMIT");
    let Handmade { folder: _folder, path, connection } = book;
    drop(connection);
    let mut bytes = std::fs::read(&path).unwrap();
    let (mut first, mut rows) = (None, 0);
    for start in (4096..bytes.len()).step_by(4096).take(20) {
        if bytes[start] != 13 {
            continue;
        }
        for cell in 0..u16_at(&bytes, start + 3) {
            let at = start + u16_at(&bytes, start + 8 + 2 * cell);
            let Some(end) = overflow_end(&bytes[at..start + 4096]) else { continue };
            let place = at + end..at + end + 4;
            let link = first.get_or_insert_with(|| bytes[place.clone()].to_vec()).clone();
            bytes[place].copy_from_slice(&link);
            rows += 1;
        }
    }
    assert_eq!(rows, 50);
    // The file ends with the pages of the first row.
    let mut last = link_at(&first.unwrap(), 0);
    while let next @ 1.. = link_at(&bytes, (last - 1) * 4096) {
        assert!(next > last);
        last = next;
    }
    std::fs::write(&path, &bytes[..last * 4096]).unwrap();
    let diagnosis = examine(&path, &DoctorOptions::default()).unwrap();
    assert!((1..10).contains(&diagnosis.rows), "{}", diagnosis.rows);
    let texts: Vec<_> = diagnosis.findings.iter().flat_map(|f| &f.examples).collect();
    assert!(texts.iter().any(|text| text.to_string().contains("more content")), "{texts:?}");
}

/// The number at an offset as SQLite writes it, seven bits a byte; moves the offset behind it.
fn varint(cell: &[u8], at: &mut usize) -> usize {
    let mut value = 0usize;
    loop {
        let byte = cell[*at];
        *at += 1;
        value = value << 7 | usize::from(byte & 127);
        if byte < 128 {
            return value;
        }
    }
}

/// The offset of the link to the overflow pages in a cell of a table's leaf with pages of 4096 bytes.
fn overflow_end(cell: &[u8]) -> Option<usize> {
    let mut at = 0;
    let (payload, _rowid) = (varint(cell, &mut at), varint(cell, &mut at));
    let (least, most) = ((4096 - 12) * 32 / 255 - 23, 4096 - 35);
    if payload <= most {
        return None;
    }
    let local = least + (payload - least) % (4096 - 4);
    Some(at + if local <= most { local } else { least })
}

#[test]
fn rows_are_compared_with_the_digest_of_all() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("own");
    let book = three_moves();
    import(&book.path, &path, &ImportOptions::default()).unwrap();
    assert_eq!(found(&path), []);
    let connection = Connection::open(&path).unwrap();
    let (key, mv): (i64, u16) = connection
        .query_row("SELECT key, move FROM moves LIMIT 1", [], |r| Ok((r.get(0)?, r.get(1)?)))
        .unwrap();
    let stats = MoveStats { games: 99, first: 99, ..MoveStats::default() };
    let mut blob = Vec::new();
    crate::book::model::move_stats::MoveRow { stats, weight: None }.put(key, mv, &mut blob);
    connection
        .execute("UPDATE moves SET stats = ?1 WHERE (key, move) = (?2, ?3)", (blob, key, mv))
        .unwrap();
    drop(connection);
    let mut file = std::fs::File::options().read(true).write(true).open(&path).unwrap();
    crate::book::file::digest::seal(&mut file, &Default::default()).unwrap();
    drop(file);
    Book::open(&path).unwrap().check_file().unwrap();
    let diagnosis = examine(&path, &DoctorOptions::default()).unwrap();
    assert!(
        diagnosis.findings[0].examples[0].to_string().contains("digest of the rows"),
        "{diagnosis:?}"
    );
    let clean = folder.path().join("clean");
    repair(&path, &clean, None, &DoctorOptions::default()).unwrap();
    assert_eq!(found(&clean), []);
}
