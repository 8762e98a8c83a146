//! The player: book, tables, search, and what it says when one of them is missing.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use juzhong::book::{BuildOptions, Change, Editor, Policy, SelectOptions};
use juzhong::engine::{Engine, EngineOptions, MoveSource, OwnBook, Playable, TableOptions};
use juzhong::game::{Game, Line, MoveList, Notation, Outcome, Side};
use juzhong::gomoku::Board;
use juzhong::search::{Limits, Score};
use juzhong::tablebase::{GenerateOptions, Material, NoProgress, Wdl, generate_all};
use juzhong::xiangqi::{Move, Position, RuleSet};

use crate::support::books::book_of;

const GAMES: &str = "\
[Result \"1-0\"]\n\n1. h2e2 h9g7 2. h0g2 1-0\n\n\
[Result \"1-0\"]\n\n1. h2e2 h9g7 2. g3g4 1-0\n\n\
[Result \"1-0\"]\n\n1. b2e2 b9c7 2. b0c2 1-0\n\n";

fn select(policy: Policy) -> SelectOptions {
    SelectOptions { policy, ..SelectOptions::default() }
}

fn options() -> EngineOptions<RuleSet> {
    let (select, seed) = (select(Policy::Best), Some(0));
    EngineOptions { hash_mib: 1, select, seed, ..EngineOptions::default() }
}

fn three_game_book(folder: &Path) -> PathBuf {
    book_of(folder, "small.book", GAMES, BuildOptions::default())
}

fn small_tables(folder: &Path) -> PathBuf {
    let tables = folder.join("tables");
    fs::create_dir(&tables).unwrap();
    let material: Material = "KRvKA".parse().unwrap();
    let options = GenerateOptions::default();
    generate_all(&tables, &[material], &options, &NoProgress).unwrap();
    tables
}

fn line_after(moves: &str) -> Line<Position> {
    let mut line = Line::new(Position::start(), 0);
    moves.split_whitespace().for_each(|mv| line.push(Move::parse(mv).unwrap()));
    line
}

#[test]
fn plays_from_the_book_then_searches() {
    let folder = tempfile::tempdir().unwrap();
    let book = three_game_book(folder.path());
    let mut engine =
        Engine::<Position>::new(EngineOptions { books: vec![book.into()], ..options() }).unwrap();
    assert!(engine.take_warnings().is_empty());
    let limits = Limits::nodes(500);
    for (moves, expected) in [("", "h2e2"), ("h2e2", "h9g7"), ("h2e2 h9g7", "h0g2")] {
        let choice = engine.choose(&line_after(moves), &limits, &()).unwrap();
        assert_eq!((choice.mv.to_string().as_str(), choice.source), (expected, MoveSource::Book));
    }
    // The mirror image of a line of the book.
    let choice = engine.choose(&line_after("b2e2 b9c7"), &limits, &()).unwrap();
    assert_eq!((choice.mv.to_string().as_str(), choice.source), ("b0c2", MoveSource::Book));
    let choice = engine.choose(&line_after("a0a1"), &limits, &()).unwrap();
    assert_eq!(choice.source, MoveSource::Search);
}

#[test]
fn equal_seeds_give_equal_games() {
    let folder = tempfile::tempdir().unwrap();
    let books = vec![OwnBook::from(three_game_book(folder.path()))];
    let moves = |seed| {
        let options = EngineOptions {
            books: books.clone(),
            seed: Some(seed),
            select: select(Policy::Uniform),
            ..options()
        };
        let mut engine = Engine::<Position>::new(options).unwrap();
        let line = line_after("h2e2 h9g7");
        let mut draw = || engine.choose(&line, &Limits::nodes(100), &()).unwrap().mv;
        (0..20).map(|_| draw()).collect::<Vec<_>>()
    };
    assert_eq!(moves(1), moves(1));
    assert_ne!(moves(1), moves(2));
}

#[test]
fn books_serve_their_side_and_are_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = three_game_book(folder.path());
    let source = |side, select: SelectOptions, lines: &[&str]| {
        let books = vec![OwnBook { side, ..path.clone().into() }];
        let mut engine = Engine::new(EngineOptions { books, select, ..options() }).unwrap();
        let mut choose = |moves: &&str| {
            engine.choose(&line_after(moves), &Limits::nodes(10), &()).unwrap().source
        };
        lines.iter().map(&mut choose).collect::<Vec<_>>()
    };
    let (book, search) = (MoveSource::Book, MoveSource::Search);
    let both = ["", "h2e2"];
    let best = select(Policy::Best);
    assert_eq!(source(None, best, &both), [book, book]);
    assert_eq!(source(Some(Side::First), best, &both), [book, search]);
    assert_eq!(source(Some(Side::Second), best, &both), [search, book]);
    assert_eq!(source(None, SelectOptions { ply_limit: 1, ..best }, &both), [book, search]);
    assert_eq!(source(None, SelectOptions { min_games: 3, ..best }, &["h2e2 h9g7"]), [search]);
    // Two positions that the book lacks, then one that it has.
    let lost = ["a0a1", "a0a1 a9a8", "h2e2 h9g7"];
    let misses = |misses| source(None, SelectOptions { misses, ..best }, &lost);
    assert_eq!(misses(2), [search, search, search]);
    assert_eq!(misses(3), [search, search, book]);
    assert_eq!(misses(0), [search, search, book]);
}

/// Moves of weight 0 alone are known and not to be played, as in PolyGlot's format: the next book answers, or the
/// search.
#[test]
fn a_book_of_weights_0_is_not_played() {
    let folder = tempfile::tempdir().unwrap();
    let lost = "[Result \"0-1\"]\n\n1. g3g4 g6g5 0-1\n\n";
    let derived = book_of(folder.path(), "derived.book", lost, BuildOptions::default());
    let zeros = book_of(folder.path(), "zeros.book", lost, BuildOptions::default());
    let mut editor = Editor::open(&zeros, &Arc::default()).unwrap();
    let mv = Move::parse("g3g4").unwrap();
    assert!(editor.change(&Position::start(), mv, &[Change::Weight(Some(0))]).unwrap());
    editor.commit().unwrap();
    let good = three_game_book(folder.path());
    for policy in Policy::ALL {
        let source = |books: &[&PathBuf], moves: &str| {
            let books = books.iter().map(|&path| path.clone().into()).collect();
            let options = EngineOptions { books, select: select(policy), ..options() };
            let mut engine = Engine::<Position>::new(options).unwrap();
            let choice = engine.choose(&line_after(moves), &Limits::nodes(50), &()).unwrap();
            (choice.mv.to_string(), choice.source)
        };
        assert_eq!(source(&[&zeros], "").1, MoveSource::Search, "{policy}");
        let (mv, from) = source(&[&zeros, &good], "");
        assert!(from == MoveSource::Book && mv != "g3g4", "{policy}: {mv}");
        // Lost games give no weight either, but nobody has said that the move is not to be played.
        assert_eq!(source(&[&zeros, &derived], ""), ("g3g4".to_owned(), MoveSource::Book));
        // The same book is played where moves have weights.
        assert_eq!(source(&[&zeros], "g3g4"), ("g6g5".to_owned(), MoveSource::Book), "{policy}");
    }
}

#[test]
fn mates_from_the_tables_without_a_detour() {
    let folder = tempfile::tempdir().unwrap();
    let tables = small_tables(folder.path()).into();
    let mut engine =
        Engine::<Position>::new(EngineOptions { tables, rules: RuleSet::Check, ..options() })
            .unwrap();
    let start = Position::from_fen("3k5/4a4/9/9/9/9/9/9/4R4/4K4 w - - 0 1").unwrap();
    let mut line = Line::new(start, 0);
    let mut last = u16::MAX;
    while line.position().outcome().is_none() {
        let choice = engine.choose(&line, &Limits::nodes(100), &()).unwrap();
        assert_eq!(choice.source, MoveSource::Table);
        let entry = choice.table.unwrap().entry;
        assert_ne!(entry.wdl, Wdl::Draw);
        assert!(entry.distance < last, "{} after {last}", entry.distance);
        last = entry.distance;
        line.push(choice.mv);
    }
    assert_eq!(line.position().outcome(), Some(Outcome::Win(Side::First)));
    assert_eq!(last, 1);
    assert!(engine.take_warnings().is_empty());
}

#[test]
fn the_search_enters_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let tables = small_tables(folder.path()).into();
    let mut engine =
        Engine::<Position>::new(EngineOptions { tables, rules: RuleSet::Check, ..options() })
            .unwrap();
    // The elephant can be taken at once, which wins by the table.
    let start = Position::from_fen("3k5/4a4/4b4/9/9/9/9/9/4R4/4K4 w - - 0 1").unwrap();
    let choice = engine.choose(&Line::new(start, 0), &Limits::depth(4), &()).unwrap();
    assert_eq!((choice.mv.to_string().as_str(), choice.source), ("e1e7", MoveSource::Search));
    assert!(choice.score.unwrap().is_decisive());
}

#[test]
fn what_is_missing_or_damaged_is_told_once_and_play_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let good = three_game_book(folder.path());
    let bytes = fs::read(&good).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let mut flipped = bytes.clone();
    flipped.iter_mut().skip(100).step_by(50).for_each(|byte| *byte ^= 0x55);
    let mut one_bit = bytes.clone();
    if let Some(last) = one_bit.last_mut() {
        *last ^= 1; // deep in a page that opening does not look at
    }
    let books = [
        folder.path().join("none.book"),
        write("one-bit.book", &one_bit),
        write("empty.book", b""),
        write("cut.book", &bytes[..bytes.len() / 2]),
        write("flipped.book", &flipped),
        write("games.book", GAMES.as_bytes()),
    ];
    let tables = folder.path().join("no-tables").into();
    let own = books.iter().cloned().map(OwnBook::from).collect();
    let mut engine =
        Engine::<Position>::new(EngineOptions { books: own, tables, ..options() }).unwrap();
    let choice = engine.choose(&line_after(""), &Limits::nodes(100), &()).unwrap();
    assert_eq!(choice.source, MoveSource::Search);
    let warnings = engine.take_warnings();
    for path in books.iter().chain([&folder.path().join("no-tables")]) {
        let name = path.display().to_string();
        let count = warnings.iter().filter(|warning| warning.to_string().contains(&name)).count();
        assert_eq!(count, 1, "{name} in {warnings:?}");
    }
    assert!(engine.choose(&line_after("h2e2"), &Limits::nodes(100), &()).is_some());
    assert!(engine.take_warnings().is_empty());
}

#[test]
fn a_damaged_table_is_told_once_and_play_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let tables = small_tables(folder.path());
    for entry in fs::read_dir(&tables).unwrap() {
        let path = entry.unwrap().path();
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..].iter_mut().for_each(|byte| *byte ^= 0x55);
        fs::write(&path, bytes).unwrap();
    }
    let tables = tables.into();
    let mut engine =
        Engine::<Position>::new(EngineOptions { tables, rules: RuleSet::Check, ..options() })
            .unwrap();
    let start = Position::from_fen("3k5/4a4/9/9/9/9/9/9/4R4/4K4 w - - 0 1").unwrap();
    for _ in 0..2 {
        assert!(engine.choose(&Line::new(start.clone(), 0), &Limits::depth(2), &()).is_some());
    }
    assert!(!engine.take_warnings().is_empty());
    assert!(engine.choose(&Line::new(start, 0), &Limits::depth(2), &()).is_some());
    assert!(engine.take_warnings().is_empty());
}

#[test]
fn a_finished_game_has_no_move_and_a_judged_one_has() {
    let mut engine = Engine::<Position>::new(options()).unwrap();
    let mated = Position::from_fen("R3k4/1R7/9/9/9/9/9/9/9/3K5 b - - 0 1").unwrap();
    assert!(engine.choose(&Line::new(mated, 0), &Limits::depth(2), &()).is_none());
    let start = Position::from_fen("4k4/9/9/9/9/9/9/R8/9/3K5 w - - 0 1").unwrap();
    let judged = Line::new(start, 500);
    assert!(engine.choose(&judged, &Limits::depth(2), &()).is_some());
}

#[test]
fn a_game_that_the_rules_have_drawn_is_searched_as_if_it_began() {
    let mut engine = Engine::<Position>::new(options()).unwrap();
    let start = Position::from_fen("4k4/9/9/9/9/9/9/R8/1R7/3K5 w - - 0 1").unwrap();
    for clock in [500, 0] {
        let choice = engine.search(&Line::new(start.clone(), clock), &Limits::depth(5), &());
        assert!(choice.unwrap().score.unwrap().is_decisive(), "{clock}");
    }
}

/// However often the position has come back, another move is played that wins as well.
#[test]
fn a_won_position_that_came_often_is_left() {
    let back = |mv: Move| Move::new(mv.to(), mv.from());
    for fen in [
        "3ak4/4a4/9/9/9/9/9/9/4R4/3K5 w - - 0 1",
        "4k4/4a4/9/9/4N4/9/9/9/9/4K4 w - - 0 1",
        "4k4/4a4/9/9/9/9/9/3R5/9/4K4 w - - 0 1",
    ] {
        let start = Position::from_fen(fen).unwrap();
        let limits = Limits::depth(9);
        let fresh = |line: &Line<Position>| {
            Engine::<Position>::new(options()).unwrap().search(line, &limits, &()).unwrap()
        };
        let best = fresh(&Line::new(start.clone(), 0)).mv;
        let after = |position: &Position, mv: Move| {
            let mut after = position.clone();
            after.is_legal(mv).then(|| after.make(mv)).map(|_| after)
        };
        let there = after(&start, best).unwrap();
        let mut answers = MoveList::new();
        there.legal_moves(&mut answers);
        let returns = |answer: &Move| {
            let answered = after(&there, *answer)?;
            after(&after(&answered, back(best))?, back(*answer))
        };
        let answer = answers.into_iter().find(|answer| returns(answer).is_some()).unwrap();
        let mut line = Line::new(there, 0);
        [answer, back(best), back(answer)].into_iter().for_each(|mv| line.push(mv));
        for times in 2..=4 {
            [best, answer, back(best), back(answer)].into_iter().for_each(|mv| line.push(mv));
            let choice = fresh(&line);
            assert_ne!(choice.mv, best, "{fen}, come {times} times");
            assert!(choice.score.unwrap().value() > 100, "{fen}, come {times} times: {choice:?}");
        }
    }
}

/// The limit of a book in plies counts from the game's start, where the position's text tells it.
#[test]
fn plies_of_a_book_count_from_the_move_number() {
    let folder = tempfile::tempdir().unwrap();
    let book = three_game_book(folder.path());
    let fen = line_after("h2e2 h9g7").position().to_fen();
    let source = |counters: &str, ply_limit| {
        let select = SelectOptions { ply_limit, ..select(Policy::Best) };
        let books = vec![book.clone().into()];
        let mut engine = Engine::new(EngineOptions { books, select, ..options() }).unwrap();
        let line = Position::read_line(&fen.replace("0 1", counters)).unwrap();
        engine.choose(&line, &Limits::nodes(10), &()).unwrap().source
    };
    assert_eq!(source("2 2", 2), MoveSource::Search);
    assert_eq!(source("2 2", 3), MoveSource::Book);
    assert_eq!(source("0 1", 2), MoveSource::Book);
    assert_eq!(source("0 9999", 80), MoveSource::Search);
}

#[test]
fn a_win_of_the_tables_comes_before_the_book() {
    let folder = tempfile::tempdir().unwrap();
    let tables: TableOptions = small_tables(folder.path()).into();
    let fen = "3k5/2R1a4/9/9/9/9/9/9/9/4K4 w - - 0 1";
    let start = Position::from_fen(fen).unwrap();
    let book = three_game_book(folder.path());
    let mut editor = Editor::open(&book, &Arc::default()).unwrap();
    // The rook is given away.
    let given = Move::parse("c8d8").unwrap();
    assert_eq!(editor.add_line(&start, &[given], &[], &[]).unwrap(), 1);
    editor.commit().unwrap();
    let line = Line::new(start, 0);
    let source = |tables: &TableOptions| {
        let (books, tables) = (vec![book.clone().into()], tables.clone());
        let rules = RuleSet::Check;
        let mut engine = Engine::new(EngineOptions { books, tables, rules, ..options() }).unwrap();
        let choice = engine.choose(&line, &Limits::nodes(100), &()).unwrap();
        (choice.source, choice.score.map(Score::is_decisive))
    };
    assert_eq!(source(&TableOptions::default()), (MoveSource::Book, None));
    assert_eq!(source(&tables), (MoveSource::Table, Some(true)));
}

#[test]
fn other_rules_forget_what_was_searched() {
    let mut engine = Engine::<Position>::new(options()).unwrap();
    let line = line_after("h2e2 h9g7");
    let search =
        |engine: &mut Engine<Position>| engine.search(&line, &Limits::depth(5), &()).unwrap().nodes;
    let first = search(&mut engine);
    assert_ne!(search(&mut engine), first);
    let rules = RuleSet::Check;
    engine.set_options(EngineOptions { rules, ..options() }).unwrap();
    let mut fresh = Engine::new(EngineOptions { rules, ..options() }).unwrap();
    assert_eq!(search(&mut engine), search(&mut fresh));
}

#[test]
fn plays_gomoku_too() {
    let mut engine =
        Engine::<Board>::new(EngineOptions { hash_mib: 1, ..EngineOptions::default() }).unwrap();
    let line = Line::new(Board::start(), 0);
    let choice = engine.choose(&line, &Limits::depth(1), &()).unwrap();
    assert!(line.position().is_legal(choice.mv));
}
