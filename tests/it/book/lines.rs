//! Books as games with variations: what is exported is read back.

use std::fs;
use std::path::Path;

use juzhong::book::interop::{
    FileImportOptions, LinesExportOptions, StepProgress, export_lines, import_lines,
};
use juzhong::book::{Book, BookEntry, BuildOptions};
use juzhong::bytes::StopFlag;
use juzhong::record::{PgnOptions, Record, write_pgn};
use juzhong::xiangqi::Position;
use proptest::prelude::*;
use serde_json::Value;

use crate::support::books::{book_of, small_book};
use crate::support::folder::Folder;
use crate::support::games::grow;
use crate::support::program::{fails, json, ok, stdout};

fn imported(folder: &Folder, pgn: &str, name: &str) -> Book {
    let options = FileImportOptions {
        memory: 1 << 30,
        stop: StopFlag::default(),
        progress: StepProgress::default(),
    };
    let (from, to) = (folder.join(pgn), folder.join(name));
    import_lines::<Position>(&from, &to, &options).unwrap();
    Book::open(&to).unwrap()
}

fn written(record: &Record<Position>, path: &Path) {
    let mut text = Vec::new();
    write_pgn(&mut text, record, &PgnOptions::default()).unwrap();
    fs::write(path, text).unwrap();
}

/// Exports a book whole, and imports that.
fn there_and_back(folder: &Folder, book: &Book, name: &str) -> Book {
    let options =
        LinesExportOptions { depth: 100, min_games: 1, min_share: 0.0, stop: StopFlag::default() };
    let lines = export_lines::<Position>(book, &options).unwrap();
    assert!(!lines.is_cut);
    let pgn = format!("{name}.pgn");
    written(&lines.record, &folder.join(&pgn));
    imported(folder, &pgn, name)
}

fn entries(book: &Book) -> Vec<BookEntry> {
    let mut entries = Vec::new();
    book.for_each_entry(|entry| entries.push(entry)).unwrap();
    entries
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Moves, comments and priorities of lines are those of the book made of them, and of the book made of its export.
    #[test]
    fn an_export_of_lines_is_read_back(
        choices in prop::collection::vec(any::<u16>(), 1..60),
        glyphs in prop::collection::vec(0..7_u8, 60),
    ) {
        let folder = Folder::new();
        let mut tree = grow(&mut Position::start(), &choices, 0);
        tree.glyphs = (1..=tree.moves.len()).zip(glyphs).filter(|(_, glyph)| *glyph > 0).collect();
        let record = Record { tags: Vec::new(), start: None, start_clock: 0, result: None, tree };
        written(&record, &folder.join("a.pgn"));
        let first = imported(&folder, "a.pgn", "first.book");
        let second = there_and_back(&folder, &first, "second.book");
        prop_assert_eq!(entries(&first), entries(&second));
        prop_assert!(first.metadata().rows > 0);
    }

    /// Statistics of a book built from games are read back.
    #[test]
    fn an_export_of_statistics_is_read_back(
        games in prop::collection::vec((prop::collection::vec(0..3_u16, 1..12), 0..4_usize, 2000..2600_u16), 1..8),
    ) {
        let folder = Folder::new();
        let mut pgn = Vec::new();
        for (choices, result, rating) in &games {
            let tree = grow(&mut Position::start(), choices, 9);
            let result = ["*", "1-0", "0-1", "1/2-1/2"][*result];
            let tags = [("RedElo", rating.to_string()), ("BlackElo", "2100".to_owned()), ("Date", "1999".to_owned())];
            let tags = tags.map(|(name, value)| (name.to_owned(), value)).to_vec();
            let record = Record { tags, start: None, start_clock: 0, result: None, tree };
            let mut text = Vec::new();
            write_pgn(&mut text, &record, &PgnOptions::default()).unwrap();
            let text = String::from_utf8(text).unwrap();
            let text = text.replace("[Result \"*\"]", &format!("[Result \"{result}\"]"));
            pgn.extend(text.trim_end().trim_end_matches('*').bytes().chain(format!("{result}\n\n").bytes()));
        }
        let options = BuildOptions { min_games: 1, ..BuildOptions::default() };
        let book = book_of(folder.path(), "built.book", std::str::from_utf8(&pgn).unwrap(), options);
        let first = Book::open(&book).unwrap();
        let second = there_and_back(&folder, &first, "second.book");
        prop_assert_eq!(entries(&first), entries(&second));
        // A table has no number of ratings.
        let third = through_a_table(&folder, &book);
        let mut without_ratings = entries(&first);
        for entry in &mut without_ratings {
            entry.stats.rating_sum = 0;
            entry.stats.rating_count = 0;
        }
        prop_assert_eq!(without_ratings, entries(&third));
    }
}

/// Exports a book as a table, and imports that.
fn through_a_table(folder: &Folder, book: &Path) -> Book {
    let [table, again] = ["table.csv", "table.book"].map(|name| folder.at(name));
    ok(&["book", "export", book.to_str().unwrap(), "--to", "csv", "-o", &table]);
    ok(&["book", "import", &table, "-o", &again]);
    Book::open(Path::new(&again)).unwrap()
}

/// Marks, weights and comments of an edited book are in its table, and so are moves that no line reaches.
#[test]
fn a_table_holds_what_was_edited() {
    let folder = Folder::new();
    let book = small_book(folder.path());
    let path = book.to_str().unwrap();
    let edits = [
        vec!["--weight", "12"],
        vec!["--priority", "-3"],
        vec!["--disable"],
        vec!["--comment", "=1+1, \"quoted\"\nand more"],
        vec!["--group", "main"],
    ];
    for edit in edits {
        let args = ["book", "edit", path, "--move", "h2e2"].into_iter().chain(edit);
        ok(&args.collect::<Vec<_>>());
    }
    let first = Book::open(&book).unwrap();
    let second = through_a_table(&folder, &book);
    // Weights set by an edit are part of a row there.
    let mut edited = entries(&first);
    edited.iter_mut().for_each(|entry| entry.mark.weight = None);
    assert_eq!(edited, entries(&second));
    let start = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w";
    let table = folder.write(
        "hand.csv",
        format!("Move,FEN\nh2e2,{start}\nh2e9,{start}\n炮二平五,{start}\n兵七进一,{start}\n"),
    );
    let answer = json(&["book", "import", &table, "-o", &folder.at("hand.book")]);
    assert_eq!(
        [
            &answer["format"],
            &answer["rows"],
            &answer["unreadable"],
            &answer["first_unreadable"],
            &answer["moves"]
        ],
        [&Value::from("csv"), &4.into(), &2.into(), &3.into(), &2.into()]
    );
    let none = folder.write("none.csv", "fen,move\nx,y\n");
    fails(&["book", "import", &none, "-o", &folder.at("none.book")], 65, &["fen, move"]);
    assert!(!folder.join("none.book").exists());
}

#[test]
fn lines_are_exported_and_imported_on_the_command_line() {
    let folder = Folder::new();
    let pgn =
        "1. h2e2 $1 {main} (1. c3c4 $6 {a bad} b9c7) (1. b0c2 h9g7 2. h2e2) 1... h9g7 2. b0c2 *\n";
    folder.write("lines.pgn", pgn);
    let [lines, book, again, other] =
        ["lines.pgn", "a.book", "again.pgn", "b.book"].map(|name| folder.at(name));
    let answer = json(&["book", "import", &lines, "-o", &book]);
    assert_eq!((&answer["format"], &answer["comments"]), (&"games".into(), &2.into()));
    let moves = json(&["book", "query", &book])["moves"].clone();
    let priority = |mv: &str| {
        moves.as_array().unwrap().iter().find(|m| m["move"] == mv).unwrap()["priority"].clone()
    };
    assert_eq!(
        (priority("h2e2"), priority("g3g4"), priority("h0g2")),
        (1.into(), (-1).into(), 0.into())
    );
    let answer = json(&["book", "export", &book, "--to", "pgn", "-o", &again]);
    // Both orders of the first three moves lead to the same position, after which the book has nothing.
    assert_eq!((&answer["moves"], &answer["transpositions"]), (&8.into(), &1.into()));
    let text = fs::read_to_string(&again).unwrap();
    assert!(text.contains("transposes") && text.contains("priority=1"), "{text}");
    ok(&["book", "import", &again, "-o", &other]);
    let of = |path: &String| entries(&Book::open(Path::new(path)).unwrap());
    assert_eq!(of(&book), of(&other));
    let shallow = stdout(&["book", "export", &book, "--to", "pgn", "--depth", "1"]);
    assert!(!shallow.contains("h9g7") && shallow.contains("main"), "{shallow}");
    fails(&["book", "export", &book, "--to", "pgn", "--share", "101"], 2, &["--share"]);
    fails(&["book", "export", &book, "--to", "pgn", "-o", &again], 73, &["again.pgn"]);
    folder.write("none.pgn", "[FEN \"4k4/9/9/9/9/9/9/9/9/4K4 w\"]\n\n1. e0e1 *\n");
    let none = folder.at("none.pgn");
    fails(&["book", "import", &none, "-o", &folder.at("c.book")], 65, &["usual start"]);
    assert!(!folder.join("c.book").exists());
}
