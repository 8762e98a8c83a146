//! Books of every kind that the program makes, and tests that apply to all of them.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use tempfile::TempDir;

use crate::book::file::scores;
use crate::book::file::transaction::Revision;
use crate::book::interop::{
    BookFormat, DoctorOptions, ExportOptions, ImportOptions, InteropError, Issue, Reach, examine,
    export, import, repair,
};
use crate::book::tests::{after, build_with, elsewhere, lines, random_games, some_games};
use crate::book::*;
use crate::bytes::StopFlag;
use crate::game::{Bound, Outcome, Side};
use crate::hash::{self, KeyTable};
use crate::record::Record;
use crate::xiangqi::{Move, Position};

/// Books by name, each in a folder of its own.
struct Kinds {
    folder: TempDir,
    books: Vec<(String, PathBuf)>,
    /// Merged books, and the books that they were merged of.
    parts: Vec<(PathBuf, PathBuf)>,
}

impl Kinds {
    fn place(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        std::fs::create_dir(&folder).unwrap();
        folder.join("test.book")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.books.iter().find(|(of, _)| of == name).map(|(_, path)| path.clone()).unwrap()
    }

    fn add(&mut self, name: &str, make: impl FnOnce(&Path)) -> PathBuf {
        let path = self.place(name);
        make(&path);
        self.books.push((name.to_owned(), path.clone()));
        path
    }

    fn build(&mut self, name: &str, games: &[Record<Position>], options: BuildOptions) -> PathBuf {
        self.add(name, |path| {
            build_with(path.parent().unwrap(), games, options).map(drop).unwrap();
        })
    }

    /// A changed copy of a book.
    fn copy(&mut self, name: &str, of: &Path, change: impl FnOnce(&Path)) -> PathBuf {
        self.add(name, |path| {
            std::fs::copy(of, path).unwrap();
            change(path);
        })
    }

    fn merged(&mut self, name: &str, of: &[&PathBuf]) -> PathBuf {
        let path = self.add(name, |path| merged(of, path).map(drop).unwrap());
        self.parts.extend(of.iter().map(|&part| (path.clone(), part.clone())));
        path
    }
}

fn merged(of: &[&PathBuf], path: &Path) -> Result<MergeReport, RemakeError> {
    let inputs: Vec<PathBuf> = of.iter().map(|&input| input.clone()).collect();
    merge::<Position>(&inputs, path, &MergeOptions::default())
}

fn reach() -> Reach {
    Reach { plies: 1, positions: 10_000, ..Reach::default() }
}

fn doctor() -> DoctorOptions {
    DoctorOptions { reach: reach(), ..DoctorOptions::default() }
}

fn imported(foreign: &Path, path: &Path) {
    let options = ImportOptions { reach: reach(), ..ImportOptions::default() };
    import(foreign, path, &options).unwrap();
}

fn exported(book: &Path, foreign: &Path, format: BookFormat) {
    let options = ExportOptions { reach: reach(), ..ExportOptions::new(format) };
    export(&Book::open(book).unwrap(), foreign, &options).unwrap();
}

fn grouped(line: &str, group: &str) -> Record<Position> {
    let mut record = lines(&[line]).remove(0);
    record.tags.push(("Group".to_owned(), group.to_owned()));
    record
}

fn edit(path: &Path, run: impl FnOnce(&mut Editor)) {
    let mut editor = Editor::open(path, &StopFlag::default()).unwrap();
    run(&mut editor);
    editor.commit().unwrap();
}

fn mv(text: &str) -> Move {
    Move::parse(text).unwrap()
}

/// Changes a move after a line.
fn change(editor: &mut Editor, line: &str, text: &str, changes: &[Change]) {
    editor.change(&after(line), mv(text), changes).unwrap();
}

/// Sets every kind of mark on moves.
fn edit_all(path: &Path) {
    edit(path, |editor| {
        let comment = Change::Comment(Some("=中炮".to_owned()));
        change(editor, "", "h2e2", &[Change::Priority(-3), comment]);
        let group = Change::Group("g".to_owned(), true);
        change(editor, "", "g3g4", &[Change::Weight(Some(7)), group]);
        change(editor, "h2e2", "h9g7", &[Change::Banned(true), Change::Lost(true), Change::Lock]);
        change(editor, "", "i3i4", &[Change::Delete]);
    });
    edit(path, |editor| {
        let line = [mv("a3a4"), mv("a6a5"), mv("a4a5")];
        let group = ["mine".to_owned()];
        editor.add_line(&Position::start(), &line, &group, &[Change::Disabled(true)]).unwrap();
    });
    // Added and deleted again; and an edit that is undone.
    edit(path, |editor| {
        editor.add_line(&Position::start(), &[mv("c3c4"), mv("c6c5")], &[], &[]).unwrap();
        change(editor, "c3c4", "c6c5", &[Change::Delete]);
    });
    edit(path, |editor| change(editor, "", "h2e2", &[Change::Priority(9)]));
    edit(path, |editor| drop(editor.undo(1).unwrap()));
}

fn score(path: &Path) {
    let book = Book::open(path).unwrap();
    let keys = ["h2e2", "g3g4"].map(|line| book.key_of(&after(line)).to_i64());
    drop(book);
    let revision = Revision::open(path, &StopFlag::default()).unwrap();
    for (key, value) in keys.into_iter().zip([12, -7]) {
        let score = SourceScore::Centipawns(value);
        let evaluation =
            Evaluation { score, bound: Bound::Exact, depth: 5, nodes: 100, best: None };
        let score = Score { source: "engine".into(), evaluation };
        revision.run(|c| scores::put(c, key, &score)).unwrap();
    }
    revision.commit().unwrap();
    propagate::<Position>(path, 1, &StopFlag::default()).unwrap();
}

fn prune_one(from: &Path, path: &Path) {
    let options = PruneOptions { min_games: 2, ..PruneOptions::default() };
    assert!(prune::<Position>(from, path, &options).unwrap().dropped() > 0);
}

fn pgn(path: &Path, games: &[&str]) {
    let games: Vec<String> = games
        .iter()
        .map(|moves| format!("[Result \"1-0\"]\n[Date \"2001\"]\n\n{moves} 1-0\n\n"))
        .collect();
    std::fs::write(path, games.concat()).unwrap();
}

/// Builds a book of files.
fn build_of(files: &[PathBuf], path: &Path, filter: Filter) {
    let options = BuildOptions { filter, ..BuildOptions::default() };
    build::<Position>(files, path, options, ReadOptions::default()).map(drop).unwrap();
}

/// By file, so that the books have sources; and in shards.
fn from_files(kinds: &mut Kinds) {
    let folder = kinds.folder.path().to_owned();
    let source = folder.join("games.pgn");
    pgn(&source, &["h2e2 h9g7 h0g2", "h2e2 h9g7 i0h0", "g3g4 c6c5", "e1e0"]);
    let files = [source];
    kinds.add("files", |path| build_of(&files, path, Filter::default()));
    let every = Filter { every_record: true, ..Filter::default() };
    kinds.add("every record of files", |path| build_of(&files, path, every));
    let work = Work { memory: 1 << 26, threads: NonZero::new(1), stop: StopFlag::default() };
    let [mapped, reduced] = ["mapped", "reduced"].map(|name| folder.join(name));
    let options = BuildOptions::default();
    map::<Position>(&files, &mapped, options, ReadOptions::default()).unwrap();
    reduce::<Position>(&[mapped], &reduced, (1, 1), &work).unwrap();
    kinds.add("shards", |path| drop(pack::<Position>(&[reduced], path, &work).unwrap()));
}

fn imports(kinds: &mut Kinds, of: &Path) {
    imports_of(kinds, "", of);
}

fn imports_of(kinds: &mut Kinds, source: &str, of: &Path) {
    for format in BookFormat::ALL {
        let foreign = kinds.folder.path().join(format!("{source}{format}"));
        exported(of, &foreign, format);
        let name = format!("{source}imported {format}");
        let path = kinds.add(&name, |path| imported(&foreign, path));
        kinds.copy(&format!("{name}, edited"), &path, |copy| {
            edit(copy, |editor| {
                let changes = [Change::Comment(Some("mine".to_owned())), Change::Priority(5)];
                change(editor, "", "h2e2", &changes);
            });
        });
    }
}

fn every_kind() -> Kinds {
    let mut kinds = Kinds { folder: TempDir::new().unwrap(), books: Vec::new(), parts: Vec::new() };
    let mut games = some_games();
    games.extend([grouped("h2e2 c6c5", "a"), grouped("b2e2 g6g5", "b")]);
    let built = kinds.build("built", &games, BuildOptions::default());
    let filter = Filter { every_record: true, ..Filter::default() };
    let every = BuildOptions { filter, ..BuildOptions::default() };
    kinds.build("every record", &games, every);
    let filter = Filter { from_ply: 2, mover: Some(Mover::Winner), ..Filter::default() };
    let weight = "w".parse().unwrap();
    let limits =
        BuildOptions { filter, weight, min_games: 1, min_share: 100, ..Default::default() };
    kinds.build("filtered", &games, limits);
    let mut seed = hash::SEED;
    seed[0] ^= 1;
    let key_table = Some(KeyTable::draw("xiangqi", seed, 0, hash::xiangqi::LEN));
    kinds.build("other keys", &games, BuildOptions { key_table, ..BuildOptions::default() });
    let random = kinds.build("random", &random_games(60), BuildOptions::default());
    kinds.copy("in steps", &built, |path| {
        let options = BuildOptions::like(&Book::open(path).unwrap());
        let builder = Builder::<Position>::new(path, options).unwrap();
        builder.add(&[grouped("h2e2 g6g5", "c"), elsewhere()]).unwrap();
        builder.finish(Vec::new()).unwrap();
    });
    let edited = kinds.copy("edited", &built, edit_all);
    kinds.copy("scored", &edited, score);
    kinds.add("pruned", |path| prune_one(&edited, path));
    kinds.add("random, pruned", |path| prune_one(&random, path));
    from_files(&mut kinds);
    imports(&mut kinds, &edited);
    let [obk, flat] = ["imported obk", "imported eleeye"].map(|name| kinds.path(name));
    kinds.add("imported obk, pruned", |path| prune_one(&obk, path));
    let games = lines(&["e3e4 e6e5 d0e1", "a0a1 a9a8"]);
    let other = kinds.build("other", &games, BuildOptions::default());
    kinds.merged("merged", &[&edited, &other]);
    kinds.merged("merged with an import", &[&edited, &obk]);
    kinds.merged("merged imports", &[&obk, &flat]);
    let mixed = kinds.merged("an import merged with another book", &[&obk, &other]);
    kinds.merged("a mixed book merged with one more", &[&mixed, &random]);
    kinds
}

/// The rows of a foreign book, as their bytes or as SQLite has them.
fn foreign_rows(path: &Path, format: BookFormat) -> Vec<Vec<rusqlite::types::Value>> {
    let table = match format {
        BookFormat::Obk => "bhobk",
        BookFormat::PfBook => "pfBook",
        BookFormat::Xqb => "book",
        _ => return vec![vec![rusqlite::types::Value::Blob(std::fs::read(path).unwrap())]],
    };
    let connection = rusqlite::Connection::open(path).unwrap();
    let mut rows = connection.prepare(&format!("SELECT * FROM \"{table}\" ORDER BY id")).unwrap();
    let columns = rows.column_count();
    let rows = rows.query_map([], |row| (0..columns).map(|i| row.get(i)).collect()).unwrap();
    rows.collect::<rusqlite::Result<_>>().unwrap()
}

/// Exports a book to a format, and expects that the doctor finds no fault and that a repair changes no row.
fn assert_sound(book: &Path, format: BookFormat, name: &str) {
    let foreign = book.with_file_name(format!("sound {format}"));
    let reach = Reach { plies: 2, positions: 100_000, ..Reach::default() };
    let doctor = DoctorOptions { reach: reach.clone(), ..DoctorOptions::default() };
    let options = ExportOptions { reach, ..ExportOptions::new(format) };
    if let Err(error) = export(&Book::open(book).unwrap(), &foreign, &options) {
        assert!(matches!(error, InteropError::Nothing { .. }), "{name} as {format}: {error}");
        return;
    }
    let diagnosis = examine(&foreign, &doctor).unwrap();
    assert!(diagnosis.is_healthy(), "{name} as {format}: {:?}", diagnosis.findings);
    assert!(diagnosis.findings.iter().all(|found| found.issue == Issue::AllEqual), "{name}");
    let copy = book.with_file_name(format!("sound {format}, repaired"));
    let report = repair(&foreign, &copy, None, &doctor).unwrap();
    let changes = (report.dropped, report.changed, report.merged);
    assert_eq!(changes, (0, 0, 0), "{name} as {format}");
    assert!(report.lost.is_empty(), "{name} as {format}: {:?}", report.lost);
    assert!(foreign_rows(&copy, format) == foreign_rows(&foreign, format), "{name} as {format}");
}

fn entries(path: &Path) -> Vec<BookEntry> {
    let mut entries = Vec::new();
    let book = Book::open(path).unwrap();
    book.verify().unwrap();
    book.check_pages().unwrap();
    book.for_each_entry(|mut entry| {
        entry.mark.origin = None;
        entries.push(entry);
    })
    .unwrap();
    entries
}

fn metadata(path: &Path) -> Metadata {
    Book::open(path).unwrap().metadata().clone()
}

#[test]
fn repair_of_a_healthy_book_is_the_identity() {
    let kinds = every_kind();
    for (name, path) in &kinds.books {
        Book::open(path).unwrap().verify().unwrap();
        let diagnosis = examine(path, &doctor()).unwrap();
        assert!(diagnosis.is_healthy(), "{name}: {:?}", diagnosis.findings);
        let copy = path.with_file_name("repaired");
        let report = repair(path, &copy, None, &doctor()).unwrap();
        assert_eq!((report.dropped, report.changed, report.merged), (0, 0, 0), "{name}");
        assert_eq!(metadata(&copy), metadata(path), "{name}");
        assert!(std::fs::read(&copy).unwrap() == std::fs::read(path).unwrap(), "{name}");
    }
}

/// The entries of a book, by place.
fn by_place(path: &Path) -> BTreeMap<RowKey, BookEntry> {
    entries(path).into_iter().map(|entry| ((entry.key, entry.mv), entry)).collect()
}

/// Repairs a damaged copy of a book. Returns the entries of the clean copy and what is lost; `None` if nothing is
/// left.
fn rescued(folder: &Path, bytes: &[u8]) -> Option<(BTreeMap<RowKey, BookEntry>, Vec<String>)> {
    let (damaged, copy) = (folder.join("damaged"), folder.join("copy"));
    std::fs::write(&damaged, bytes).unwrap();
    drop(std::fs::remove_file(&copy));
    let diagnosis = match examine(&damaged, &doctor()) {
        Ok(diagnosis) => diagnosis,
        Err(error) => {
            assert!(matches!(error, InteropError::Unknown { .. }), "{error}");
            return None;
        }
    };
    assert!(!diagnosis.is_healthy());
    match repair(&damaged, &copy, None, &doctor()) {
        Ok(report) => {
            assert_eq!(report.written, metadata(&copy).rows);
            Some((by_place(&copy), report.lost.iter().map(ToString::to_string).collect()))
        }
        Err(InteropError::Nothing { .. }) => None,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn own_books_are_rescued_wherever_they_are_cut_off() {
    let folder = TempDir::new().unwrap();
    let games = [some_games(), random_games(400)].concat();
    let (book, _) = build_with(folder.path(), &games, BuildOptions::default()).unwrap();
    edit(book.path(), |editor| {
        let changes = [Change::Comment(Some("mine".to_owned())), Change::Priority(5)];
        editor.change(&after(""), mv("h2e2"), &changes).unwrap();
    });
    let (truth, bytes) = (by_place(book.path()), std::fs::read(book.path()).unwrap());
    assert!(bytes.len() > 20 * 8192, "{}", bytes.len());
    let mut most = 0;
    for len in (1..60).map(|part| bytes.len() * part / 60).chain([bytes.len() - 1]) {
        let Some((found, lost)) = rescued(folder.path(), &bytes[..len]) else { continue };
        for (place, entry) in &found {
            let whole = &truth[place];
            let unmarked = BookEntry { mark: Annotation::default(), ..whole.clone() };
            assert!(entry == whole || *entry == unmarked, "{len}: {entry:?}");
        }
        assert!(!lost.is_empty() && lost[0].contains("pages are missing"), "{len}: {lost:?}");
        if found.len() < truth.len() {
            assert!(lost.iter().any(|lost| lost.contains("moves")), "{len}: {lost:?}");
        }
        assert!(found.len() >= most, "{len}: a longer piece holds no less");
        most = found.len();
    }
    assert!(most * 10 > truth.len() * 9, "{most} of {}", truth.len());
}

#[test]
fn own_books_are_rescued_around_changed_bytes() {
    let folder = TempDir::new().unwrap();
    let (book, _) = build_with(folder.path(), &random_games(300), BuildOptions::default()).unwrap();
    let (truth, bytes) = (by_place(book.path()), std::fs::read(book.path()).unwrap());
    let mut rescues = 0;
    for number in 0..60usize {
        let mut bytes = bytes.clone();
        // Mostly where pages begin.
        let at = number * 7919 * 131 % bytes.len();
        let at = if number % 3 == 0 { at } else { at / 8192 * 8192 + number % 16 };
        bytes[at] ^= 0xff;
        let Some((found, _)) = rescued(folder.path(), &bytes) else { continue };
        rescues += 1;
        assert!(found.iter().all(|(place, entry)| truth.get(place) == Some(entry)), "{at}");
        // A page holds some hundred rows.
        assert!(found.len() + 1200 > truth.len(), "{at}: {} of {}", found.len(), truth.len());
    }
    assert!(rescues > 50, "{rescues}");
}

#[test]
fn every_export_of_a_healthy_book_is_healthy() {
    let mut kinds = every_kind();
    // A main line that is played thousands of times, and the same with every record twice.
    let mut games = vec!["h2e2 h9g7 h0g2 i9h9"; 1500];
    games.extend(["g3g4 c6c5", "c3c4 g6g5", "h2e2 b9c7", "h2e2 h9g7 h0g2 b9c7"]);
    let mut games = lines(&games);
    for (game, result) in
        games.iter_mut().zip([Outcome::Win(Side::First), Outcome::Draw].iter().cycle())
    {
        game.result = Some(*result);
    }
    let every = Filter { every_record: true, ..Filter::default() };
    let played = BuildOptions { filter: every.clone(), ..BuildOptions::default() };
    let dominant = kinds.build("dominant", &games, played.clone());
    games.truncate(1502);
    kinds.build("one reply", &games, BuildOptions { max_ply: 1, ..played.clone() });
    let weight = "1000*w+d".parse().unwrap();
    kinds.build("other weights", &games, BuildOptions { weight, ..played });
    for game in &mut games {
        game.result = None;
    }
    let late = Filter { from_ply: 3, ..every };
    kinds.build(
        "unknown results",
        &games,
        BuildOptions { filter: late, ..BuildOptions::default() },
    );
    let twice: Vec<_> =
        random_games(60).into_iter().flat_map(|game| [game.clone(), game]).collect();
    let every = Filter { every_record: true, ..Filter::default() };
    kinds.build("twice", &twice, BuildOptions { filter: every, ..BuildOptions::default() });
    imports_of(&mut kinds, "dominant", &dominant);
    for (name, path) in &kinds.books {
        let own = examine(path, &doctor()).unwrap();
        assert!(own.is_healthy(), "{name}: {:?}", own.findings);
        for format in BookFormat::ALL {
            assert_sound(path, format, name);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn every_export_of_any_built_book_is_healthy(
        games in 1..40u64,
        copies in 1..4usize,
        filter in any_filter(),
        max_ply in 1..40usize,
        min_games in 1..3u64,
    ) {
        let records = random_games(games);
        let all: Vec<_> = (0..copies).flat_map(|_| records.clone()).collect();
        let folder = TempDir::new().unwrap();
        let max_ply = max_ply.max(filter.from_ply.into());
        let options = BuildOptions { filter, max_ply, min_games, ..BuildOptions::default() };
        if build_with(folder.path(), &all, options).is_ok() {
            for format in BookFormat::ALL {
                assert_sound(&folder.path().join("test.book"), format, "any");
            }
        }
    }
}

fn any_filter() -> impl Strategy<Value = Filter> {
    let mover = [None, Some(Mover::First), Some(Mover::Second), Some(Mover::Winner)];
    (any::<bool>(), 0..4u16, prop::sample::select(mover.to_vec()), any::<bool>()).prop_map(
        |(every_record, from_ply, mover, fold_mirror)| Filter {
            every_record,
            from_ply,
            mover,
            fold_mirror,
            ..Filter::default()
        },
    )
}

#[test]
fn merging_a_book_with_itself_changes_no_count() {
    let kinds = every_kind();
    for (name, path) in &kinds.books {
        let edited = path.with_file_name("edited");
        std::fs::copy(path, &edited).unwrap();
        edit(&edited, |editor| {
            let line = [mv("g0e2"), mv("g9e7")];
            editor.add_line(&Position::start(), &line, &[], &[]).unwrap();
        });
        let out = path.with_file_name("merged");
        for of in [&[path, path][..], &[path, path, path], &[path, &edited], &[&edited, path]] {
            let report = merged(of, &out).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(report.metadata, metadata(path), "{name}");
            let is_edited = of.contains(&&edited);
            assert_eq!(entries(&out), entries(if is_edited { &edited } else { path }), "{name}");
            // Once more, with the output.
            let again = path.with_file_name("again");
            merged(&[&out, path], &again).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!(metadata(&again), metadata(path), "{name}");
        }
    }
}

#[test]
fn merging_a_book_with_a_part_of_it_changes_no_count() {
    let kinds = every_kind();
    let out = kinds.folder.path().join("out.book");
    let again = kinds.folder.path().join("again.book");
    for (whole, part) in &kinds.parts {
        for of in [[whole, part], [part, whole]] {
            let report = merged(&of, &out).unwrap_or_else(|error| panic!("{of:?}: {error}"));
            assert_eq!(report.metadata, metadata(whole), "{of:?}");
            assert_eq!(entries(&out), entries(whole), "{of:?}");
            merged(&[part, &out], &again).unwrap_or_else(|error| panic!("{of:?}: {error}"));
            assert_eq!(metadata(&again), metadata(whole), "{of:?}");
        }
        let all: Vec<&PathBuf> =
            kinds.parts.iter().filter(|(of, _)| of == whole).map(|(_, part)| part).collect();
        let report = merged(&[&all[..], &[whole]].concat(), &out).unwrap();
        assert_eq!(report.metadata, metadata(whole), "{whole:?} and its parts");
    }
}

/// Whatever two books are merged, no move gets more games than both have together, and none that both
/// took from one book or file counts twice.
#[test]
fn no_game_counts_twice_in_merged_books() {
    let kinds = every_kind();
    let out = kinds.folder.path().join("out.book");
    for (whole, part) in [
        ("imported obk", "imported obk, pruned"),
        ("merged imports", "imported obk"),
        ("merged imports", "imported eleeye"),
        ("merged imports", "imported obk, edited"),
        ("merged with an import", "imported obk"),
        ("random", "random, pruned"),
    ] {
        let [whole, part] = [whole, part].map(|name| kinds.path(name));
        for of in [[&whole, &part], [&part, &whole]] {
            merged(&of, &out).unwrap();
            assert_eq!(metadata(&out).content, metadata(&whole).content, "{of:?}");
            assert_eq!(metadata(&out).counts, metadata(&whole).counts, "{of:?}");
        }
    }
    // Both hold what was imported from one file, and each something else.
    let (a, b) =
        (kinds.path("an import merged with another book"), kinds.path("merged with an import"));
    let error = merged(&[&a, &b], &out).unwrap_err();
    assert!(matches!(error, RemakeError::SameSource { .. }), "{error}");
}

#[test]
fn what_a_format_carries_comes_back() {
    let kinds = every_kind();
    for (name, path) in &kinds.books {
        // The other two have one number for a position, whatever move led there, and keys of 32 bits.
        for format in [BookFormat::Obk, BookFormat::PfBook, BookFormat::Xqb, BookFormat::Polyglot] {
            let [foreign, first, again, second] = ["1", "1.book", "2", "2.book"]
                .map(|end| path.with_file_name(format!("{format}{end}")));
            exported(path, &foreign, format);
            imported(&foreign, &first);
            exported(&first, &again, format);
            imported(&again, &second);
            assert_eq!(entries(&first), entries(&second), "{name}, {format}");
            assert_eq!(metadata(&first), metadata(&second), "{name}, {format}");
        }
    }
}
