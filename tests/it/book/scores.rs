//! Scores in books: attaching, backing up, expanding, flags of repetition and tables, and play by
//! them.

use std::fs;
use std::path::{Path, PathBuf};

use juzhong::book::{self, Book, BuildOptions, Policy, SelectOptions};
use juzhong::bytes::lock::{Claim, FileLock};
use juzhong::engine::{Engine, EngineOptions, MoveSource, OwnBook};
use juzhong::game::{Game, Line, MoveList};
use juzhong::search::Limits;
use juzhong::tablebase::{
    GenerateOptions, Material, Metric, NoProgress, Rules, Tables, Wdl, generate_all,
};
use juzhong::xiangqi::{Move, Position, RuleSet};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use serde_json::Value;

use crate::support::books::book_of;
use crate::support::folder::Folder;
use crate::support::program::{PROGRAM, command, fails, json, juzhong, ok, signal};

/// A book of games, each a line of moves and a result.
fn book(folder: &Folder, name: &str, games: &[(&str, &str)]) -> String {
    let pgn: String = games
        .iter()
        .map(|(moves, result)| format!("[Result \"{result}\"]\n\n{moves} {result}\n\n"))
        .collect();
    let options = BuildOptions { max_ply: 600, ..BuildOptions::default() };
    book_of(folder.path(), name, &pgn, options).display().to_string()
}

/// Six leaves; `h2e2 h9g7` by two ways.
const GAMES: &[(&str, &str)] = &[
    ("h2e2 h9g7 h0g2 b9c7", "1-0"),
    ("h2e2 h9g7 h0g2 i9h9", "1-0"),
    ("h2e2 b7e7 h0g2", "0-1"),
    ("c3c4 h9g7 h2e2 b7d7", "1/2-1/2"),
    ("c3c4 g6g5 b0c2", "1-0"),
    ("g0e2 b7e7", "0-1"),
];

fn after(moves: &str) -> Line<Position> {
    let mut line = Line::new(Position::start(), 0);
    moves.split_whitespace().for_each(|mv| line.push(Move::parse(mv).unwrap()));
    line
}

fn moves_of(answer: &Value) -> Vec<(String, Value)> {
    let moves = answer["moves"].as_array().unwrap();
    moves.iter().map(|m| (m["move"].as_str().unwrap().to_owned(), m["backed"].clone())).collect()
}

#[test]
fn leaves_are_scored_once_and_backed_up_whatever_the_threads() {
    let folder = Folder::new();
    let books = ["a.book", "b.book"].map(|name| book(&folder, name, GAMES));
    for (book, threads) in books.iter().zip(["1", "3"]) {
        let args = ["book", "score", book, "--nodes", "400", "--threads", threads];
        let answer = json(&args);
        assert_eq!((&answer["scored"], &answer["unscored_leaves"]), (&6.into(), &0.into()));
        assert_eq!(answer["start"]["low"], answer["start"]["high"]);
        assert_eq!(json(&args)["scored"], 0, "nothing is left");
    }
    assert!(fs::read(&books[0]).unwrap() == fs::read(&books[1]).unwrap());
    assert_eq!(folder.names().len(), 3, "two books and the games");
    let book = Book::open(books[0].as_ref()).unwrap();
    book.verify().unwrap();
    // Every move has a worth, and the best of the start is the start's.
    let answer = json(&["book", "query", &books[0]]);
    let values: Vec<i64> =
        moves_of(&answer).iter().map(|(_, backed)| backed["low"].as_i64().unwrap()).collect();
    let start = json(&["book", "score", &books[0], "--no-engine"])["start"].clone();
    assert_eq!(values.iter().max().copied(), start["low"].as_i64());
    let leaf = json(&["book", "query", &books[0], "--moves", "g0e2"]);
    assert_eq!(
        leaf["moves"][0]["engine"]["source"],
        concat!("juzhong ", env!("CARGO_PKG_VERSION"))
    );
    // The positions inside can be searched too; then better moves than the book's count.
    let inner = json(&["book", "score", &books[0], "--inner", "--nodes", "400"]);
    let reached = inner["positions"].as_u64().unwrap();
    assert_eq!(inner["scored"].as_u64().unwrap() + 6, reached);
    let answer = json(&["book", "score", &books[0], "--clear"]);
    assert_eq!((&answer["cleared"], &answer["backed_moves"]), (&reached.into(), &0.into()));
    let answer = json(&["book", "query", &books[0]]);
    assert!(moves_of(&answer).iter().all(|(_, backed)| backed.is_null()));
}

/// A line of scores for the position after moves from the start.
fn score(moves: &str, rest: &str) -> String {
    let fen = after(moves).position().to_fen();
    format!("{{\"fen\": \"{fen}\", \"source\": \"test\", {rest}}}\n")
}

fn import(folder: &Folder, book: &str, lines: &[String]) -> Value {
    let file = folder.at("scores.jsonl");
    fs::write(&file, lines.concat()).unwrap();
    json(&["book", "score", book, "--import", &file])
}

/// Every leaf of [`GAMES`], so that `c3c4` is best though `h2e2` was played most.
fn all_scores() -> Vec<String> {
    vec![
        score("h2e2 h9g7 h0g2 b9c7", r#""cp": -20"#),
        score("h2e2 h9g7 h0g2 i9h9", r#""cp": 15, "depth": 20"#),
        score("h2e2 b7e7 h0g2", r#""cp": -200"#),
        score("c3c4 h9g7 h2e2 b7d7", r#""cp": 30"#),
        score("c3c4 g6g5 b0c2", r#""mate": -3"#),
        score("g0e2 b7e7", r#""cp": 10, "bound": "upper""#),
    ]
}

#[test]
fn the_best_move_is_not_the_most_played_one() {
    let folder = Folder::new();
    let book = book(&folder, "a.book", GAMES);
    let answer = import(&folder, &book, &all_scores());
    assert_eq!((&answer["imported"], &answer["unscored_leaves"]), (&6.into(), &0.into()));
    let exact = |cp: i64| serde_json::json!({"low": cp, "high": cp});
    let answer = json(&["book", "query", &book]);
    let found = moves_of(&answer);
    // h2e2: Black's best is b9c7, Red -20. g3g4 is the mirror image of c3c4, worth 30.
    let expected = [
        ("h2e2".to_owned(), exact(-20)),
        ("g3g4".to_owned(), exact(30)),
        ("g0e2".to_owned(), serde_json::json!({"low": null, "high": 10})),
    ];
    assert_eq!(found, expected);
    let choose = |policy| {
        let select = SelectOptions { policy, ..SelectOptions::default() };
        let books = vec![OwnBook::from(PathBuf::from(&book))];
        let options = EngineOptions { books, select, hash_mib: 1, ..EngineOptions::default() };
        let mut engine = Engine::<Position>::new(options).unwrap();
        engine.choose(&after(""), &Limits::nodes(10), &()).unwrap().mv.to_string()
    };
    assert_eq!(choose(Policy::Best), "g3g4");
    // A proof counts before any engine, and above the moves behind it.
    let lines = [score("h2e2", r#""wdl": "loss", "distance": 30, "depth": 0"#)];
    import(&folder, &book, &lines);
    assert_eq!(choose(Policy::Best), "h2e2");
}

/// The values of the moves from the start by the book, and the number of those known.
fn backed(book: &str) -> (Vec<Value>, usize) {
    let answer = json(&["book", "query", book, "--min-games", "0"]);
    let spans: Vec<Value> = moves_of(&answer).into_iter().map(|(_, span)| span).collect();
    let known = spans.iter().filter(|span| !span.is_null()).count();
    (spans, known)
}

#[test]
fn what_followed_from_scores_goes_when_moves_change() {
    let folder = Folder::new();
    let whole = book(&folder, "a.book", GAMES);
    import(&folder, &whole, &all_scores());
    assert_eq!(backed(&whole).1, 3);
    let more = folder.at("more.pgn");
    fs::write(&more, "[Result \"1-0\"]\n\nh2e2 a9a8 1-0\n").unwrap();
    let other = book(&folder, "other.book", &[("b0c2 b9c7", "1-0")]);
    let tables = score("h2e2 h9g7", r#""wdl": "win", "distance": 9"#);
    let book = folder.at("b.book");
    let out = folder.at("c.book");
    let changes: &[(&[&str], &str)] = &[
        (&["edit", &book, "--moves", "h2e2", "--add-line", "a9a8"], &book),
        (&["edit", &book, "--moves", "h2e2", "--move", "h9g7", "--delete"], &book),
        (&["build", &more, "--into", &book], &book),
        (&["prune", &book, "-o", &out, "--min-games", "1"], &out),
        (&["merge", &book, &other, "-o", &out], &out),
        (&["flag", &book], &book),
    ];
    for (args, changed) in changes {
        fs::copy(&whole, &book).unwrap();
        if args[0] == "flag" {
            import(&folder, &book, std::slice::from_ref(&tables));
        }
        let output = juzhong(&[&["book"], *args].concat());
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {errors}");
        assert_eq!(backed(changed).1, 0, "{args:?}");
        assert!(errors.contains("--no-engine`"), "{args:?}: {errors}");
        json(&["book", "score", changed, "--no-engine"]);
        assert!(backed(changed).1 > 0, "{args:?}");
    }
    // What leaves the moves alone leaves their worth.
    fs::copy(&whole, &book).unwrap();
    let edit = ["book", "edit", &book, "--move", "h2e2", "--weight", "7"];
    assert!(juzhong(&edit).stderr.is_empty());
    assert_eq!(backed(&book), backed(&whole));
}

#[test]
fn facts_are_noted_on_locked_moves() {
    let folder = Folder::new();
    let book = book(&folder, "a.book", GAMES);
    juzhong(&["book", "edit", &book, "--move", "h2e2", "--lock"]);
    import(&folder, &book, &[score("h2e2", r#""wdl": "win", "distance": 9"#)]);
    let answer = json(&["book", "flag", &book]);
    assert_eq!(lines_of_lost(&answer), ["h2e2"]);
    let answer = json(&["book", "query", &book]);
    assert_eq!(answer["moves"][0]["flags"], serde_json::json!(["lost", "locked"]));
}

fn lines_of_lost(answer: &Value) -> Vec<String> {
    let lost = answer["lost"].as_array().unwrap();
    lost.iter().map(|lost| lost["line"][0].as_str().unwrap().to_owned()).collect()
}

#[test]
fn only_sources_that_there_are_can_be_forgotten() {
    let folder = Folder::new();
    let book = book(&folder, "a.book", GAMES);
    import(&folder, &book, &all_scores());
    fails(&["book", "score", &book, "--clear", "tset"], 65, &["its sources: `test`"]);
    let answer = json(&["book", "score", &book, "--clear", "test"]);
    assert_eq!((&answer["cleared"], &answer["backed_moves"]), (&6.into(), &0.into()));
}

#[test]
fn scores_wait_for_another_writer() {
    let folder = Folder::new();
    let book = book(&folder, "a.book", GAMES);
    let Ok(Claim::Ours(lock)) = FileLock::claim(book.as_ref()) else { panic!("not free") };
    let args = ["book", "score", &book, "--depth", "1", "--leaves", "2"];
    let answer = std::thread::scope(|scope| {
        let run = scope.spawn(|| json(&args));
        std::thread::sleep(std::time::Duration::from_secs(2));
        drop(lock);
        run.join().unwrap()
    });
    assert_eq!((&answer["scored"], &answer["sources"][0]["scores"]), (&2.into(), &2.into()));
}

#[test]
fn bad_scores_are_refused_by_line() {
    let folder = Folder::new();
    let book = book(&folder, "a.book", GAMES);
    let file = folder.at("scores.jsonl");
    for (bad, what) in [
        ("{", "no JSON"),
        ("[]", "no object"),
        (r#"{"fen": "9/9 w", "source": "x", "cp": 1}"#, "fen"),
        (r#"{"key": "12", "source": "x", "cp": 1}"#, "16 hexadecimal"),
        (r#"{"key": "0123456789abcdef", "cp": 1}"#, "source"),
        (r#"{"key": "0123456789abcdef", "source": "x", "cp": 1, "mate": 2}"#, "one of"),
        (r#"{"key": "0123456789abcdef", "source": "x", "cp": 1e99}"#, "no number"),
        (r#"{"key": "0123456789abcdef", "source": "x", "wdl": "won"}"#, "win, draw or loss"),
    ] {
        fs::write(&file, format!("{}\n{bad}\n", score("g0e2 b7e7", "\"cp\": 1"))).unwrap();
        fails(&["book", "score", &book, "--import", &file], 65, &["line 3"]);
        fails(&["book", "score", &book, "--import", &file], 65, &[what]);
    }
    fails(&["book", "score", &folder.at("none.book")], 66, &["none.book"]);
    fails(&["book", "score", &book, "--import", &folder.at("none")], 66, &["none"]);
    fails(&["book", "score", &book, "--engine", "/nonexistent/engine"], 69, &["cannot be started"]);
    fails(&["book", "score", &book, "--engine", "'open"], 2, &["quote"]);
}

fn lines_of(answer: &Value) -> Vec<String> {
    let places = answer["places"].as_array().unwrap();
    let line = |folder: &Value| {
        let moves = folder["line"].as_array().unwrap();
        let mut text: Vec<&str> = moves.iter().map(|mv| mv.as_str().unwrap()).collect();
        text.extend(folder["move"].as_str());
        text.join(" ")
    };
    places.iter().map(line).collect()
}

#[test]
fn drop_outs_come_in_the_order_of_their_worth() {
    let folder = Folder::new();
    let book = book(&folder, "a.book", GAMES);
    // Without scores: the nearer and the more frequent ones first.
    let answer = json(&["book", "expand", &book]);
    assert_eq!(answer["total"], 6);
    let costs: Vec<i64> =
        answer["places"].as_array().unwrap().iter().map(|p| p["cost"].as_i64().unwrap()).collect();
    assert_eq!(costs, [45, 55, 55, 65, 65, 65]);
    assert_eq!(lines_of(&answer)[0], "g0e2 b7e7");
    // Two plies, and a sixth of the games.
    let first = &answer["places"][0];
    assert_eq!((first["kind"].as_str(), first["gap"].as_u64()), (Some("unscored"), Some(0)));
    assert!((first["share"].as_f64().unwrap() - 1.0 / 6.0).abs() < 1e-3);
    // With scores, what bad moves give away counts, and what is decided is no drop-out.
    let mut scores = all_scores();
    scores[0] = score("h2e2 h9g7 h0g2 b9c7", r#""cp": -20, "best": "i0h0""#);
    scores[2] = score("h2e2 b7e7 h0g2", r#""cp": -200, "best": "h9g7""#);
    scores.truncate(5);
    import(&folder, &book, &scores);
    let answer = json(&["book", "expand", &book]);
    let expected =
        ["g0e2 b7e7", "h2e2 h9g7 h0g2 b9c7 i0h0", "h2e2 b7e7 h0g2 h9g7"].map(str::to_owned);
    assert_eq!(lines_of(&answer), expected);
    assert_eq!(answer["places"][1]["kind"], "beyond");
    assert!(answer["places"][2]["gap"].as_u64().unwrap() >= 150);
}

#[test]
fn analysis_adds_moves_and_scores() {
    let folder = Folder::new();
    let book = book(&folder, "a.book", GAMES);
    let own = format!("'{PROGRAM}' uci --hash 1");
    for engine in ["own", &own] {
        let args = ["book", "expand", &book, "--analyse", "--count", "2", "--nodes", "300"];
        let answer = json(&[&args[..], &["--engine", engine, "--threads", "2"]].concat());
        let line = lines_of(&answer)[0].clone();
        assert!(answer["scores"].as_u64().unwrap() >= 2, "{answer}");
        assert_eq!(answer["added"], 2);
        let mut query = vec!["book", "query", &book, "--moves"];
        query.push(&line);
        let found = json(&query);
        let added = &found["moves"][0];
        assert_eq!(added["games"], 0);
        assert!(added["engine"]["depth"].as_u64().unwrap() > 0, "{found}");
        assert!(!added["backed"].is_null());
    }
    // What was added is in the journal, and can be undone.
    let history = || {
        let answer = json(&["book", "edit", &book, "--history"]);
        answer["history"].as_array().unwrap().clone()
    };
    let steps = history();
    assert!(steps.len() >= 4);
    assert!(steps.iter().all(|step| step["what"].as_str().unwrap().starts_with("add ")));
    json(&["book", "edit", &book, "--undo"]);
    assert!(history().len() < steps.len());
    Book::open(book.as_ref()).unwrap().verify().unwrap();
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_goes_on() {
    let folder = Folder::new();
    let books = ["a.book", "b.book"].map(|name| book(&folder, name, GAMES));
    let args = |book| ["book", "score", book, "--nodes", "60000", "--hash", "1"];
    let mut child = command(&args(&books[0])).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(700));
    let is_sent = signal(&child, "INT");
    let code = child.wait().unwrap().code();
    assert!(!is_sent || matches!(code, Some(0 | 75)), "{code:?}");
    Book::open(books[0].as_ref()).unwrap().verify().unwrap();
    for book in &books {
        ok(&args(book));
    }
    assert!(fs::read(&books[0]).unwrap() == fs::read(&books[1]).unwrap());
}

/// Red's rook drives the king to and fro: `f1e1` and `e1f1` check, with the king's only answers.
const TO_THE_LOOP: &str = "e3e4 a9a8 e4e5 a8a9 e5e6 a9a8 e0e1 a8a9 e1d1 e9e8 e6d6 e8f8 i0i1 a9a8 \
                           i1f1 f8e8";
const LOOP: &str = "f1e1 e8f8 e1f1 f8e8";

fn mirrored(moves: &str) -> String {
    let swap = |c: char| if c.is_ascii_lowercase() { char::from(b'a' + b'i' - c as u8) } else { c };
    moves.chars().map(swap).collect()
}

#[test]
fn a_move_that_goes_on_with_a_perpetual_check_is_banned() {
    let folder = Folder::new();
    let looping = format!("{TO_THE_LOOP} {LOOP} f1e1 e8f8 e1e2");
    let book = book(&folder, "a.book", &[(&looping, "1-0"), ("h2e2 h9g7", "1-0")]);
    let flag = |rules: &str| json(&["book", "flag", &book, "--rules", rules]);
    let banned = |answer: &Value| answer["banned"].as_array().unwrap().clone();
    let answer = flag("check");
    assert_eq!(banned(&answer).len(), 1, "{answer}");
    assert_eq!(banned(&answer)[0]["reason"], "perpetual check");
    let first = banned(&answer).remove(0);
    let line: Vec<&str> =
        first["line"].as_array().unwrap().iter().map(|m| m.as_str().unwrap()).collect();
    // The loop is entered a ply before, with the first check. The line is a mirror image.
    let expected = format!("{TO_THE_LOOP} {LOOP}");
    let expected = expected.strip_suffix(" f8e8").unwrap();
    assert_eq!(line.join(" "), mirrored(expected));
    // Only the move that goes on is flagged, and it is never chosen, for all its games.
    let moves = |line: &str| {
        let book = Book::open(book.as_ref()).unwrap();
        let found = book.probe(after(line).position()).unwrap();
        found.into_iter().map(|m| (m.mv.to_string(), m.banned)).collect::<Vec<_>>()
    };
    assert_eq!(moves(TO_THE_LOOP), [("f1e1".to_owned(), false)]);
    let inside = format!("{TO_THE_LOOP} f1e1 e8f8");
    assert_eq!(moves(&inside), [("e1f1".to_owned(), true), ("e1e2".to_owned(), false)]);
    let books = vec![OwnBook::from(PathBuf::from(&book))];
    for seed in 0..20 {
        let books = books.clone();
        let seed = Some(seed);
        let options = EngineOptions { books, seed, hash_mib: 1, ..EngineOptions::default() };
        let mut engine = Engine::<Position>::new(options).unwrap();
        let choice = engine.choose(&after(&inside), &Limits::nodes(10), &()).unwrap();
        assert_eq!((choice.mv.to_string().as_str(), choice.source), ("e1e2", MoveSource::Book));
    }
    // By other rules it is a draw, and the flag goes.
    assert!(banned(&flag("none")).is_empty());
    assert_eq!(moves(&inside)[0], ("e1f1".to_owned(), false));
    assert_eq!(banned(&flag("asian")).len(), 1);
}

/// Plays at random from the start, captures first, until few men are left; positions and moves.
fn walk_to_the_end(seed: u64) -> Line<Position> {
    let mut chance = ChaCha8Rng::seed_from_u64(seed);
    let mut line = Line::new(Position::start(), 0);
    while line.len() < 500 && line.position().to_setup().board.iter().flatten().count() > 3 {
        let position = line.position();
        let mut moves = MoveList::new();
        position.legal_moves(&mut moves);
        let captures: Vec<Move> =
            moves.iter().copied().filter(|m| position.piece_at(m.to()).is_some()).collect();
        let from = if captures.is_empty() { &moves[..] } else { &captures[..] };
        if from.is_empty() {
            break;
        }
        line.push(from[chance.next_u64() as usize % from.len()]);
    }
    line
}

fn tables(folder: &Path) -> Tables {
    fs::create_dir(folder).unwrap();
    let materials: Vec<Material> =
        ["KRvK", "KNvK", "KPvK"].iter().map(|name| name.parse().unwrap()).collect();
    generate_all(folder, &materials, &GenerateOptions::default(), &NoProgress).unwrap();
    Tables::open(folder, Rules::Check, Metric::Dtm).unwrap()
}

fn text(line: &Line<Position>) -> String {
    line.moves().map(|mv| mv.to_string()).collect::<Vec<_>>().join(" ")
}

/// A way to a position of the tables with moves that lose and moves that do not: those two.
fn a_choice(tables: &Tables) -> (Line<Position>, Move, Move) {
    for seed in 0..5000 {
        let mut line = walk_to_the_end(seed);
        if !tables.covers(line.position()) || line.position().outcome().is_some() {
            continue;
        }
        for _ in 0..2 {
            if tables.probe_wdl(line.position()).is_ok_and(|wdl| wdl == Wdl::Draw) {
                let ranked = tables.probe_root(line.position()).unwrap_or_default();
                let find =
                    |wdl| ranked.iter().find(|(_, entry)| entry.wdl == wdl).map(|(mv, _)| *mv);
                if let (Some(draw), Some(loss)) = (find(Wdl::Draw), find(Wdl::Loss)) {
                    return (line, draw, loss);
                }
            }
            let mut moves = MoveList::new();
            line.position().legal_moves(&mut moves);
            let Some(&mv) = moves.first() else { break };
            line.push(mv);
        }
    }
    panic!("no walk leads to such a position");
}

#[test]
fn moves_that_tables_prove_lost_are_flagged_and_not_chosen() {
    let folder = Folder::new();
    let dir = folder.join("tables");
    let tables = tables(&dir);
    let (line, draw, loss) = a_choice(&tables);
    let way = text(&line);
    // The losing move is the most played one: two games, with different answers.
    let mut lost = line.clone();
    lost.push(loss);
    let mut answers = MoveList::new();
    lost.position().legal_moves(&mut answers);
    let mut games = vec![(format!("{way} {draw}"), "1/2-1/2")];
    games.extend(answers.iter().take(2).map(|mv| (format!("{way} {loss} {mv}"), "1/2-1/2")));
    let games: Vec<(&str, &str)> =
        games.iter().map(|(game, result)| (game.as_str(), *result)).collect();
    let book = book(&folder, "a.book", &games);
    let choose = |tables: Option<PathBuf>| {
        let select = SelectOptions { policy: Policy::Best, misses: 0, ..SelectOptions::default() };
        let books = vec![OwnBook::from(PathBuf::from(&book))];
        let (rules, tables) = (RuleSet::Check, tables.into());
        let options =
            EngineOptions { books, select, tables, rules, hash_mib: 1, ..EngineOptions::default() };
        let mut engine = Engine::<Position>::new(options).unwrap();
        engine.choose(&line, &Limits::nodes(10), &()).map(|choice| (choice.mv, choice.source))
    };
    assert_eq!(choose(None), Some((loss, MoveSource::Book)));
    assert_eq!(choose(Some(dir.clone())), Some((draw, MoveSource::Book)), "tables at play");
    let dir = dir.display().to_string();
    let args = ["book", "flag", &book, "--rules", "check", "--tables", &dir];
    let answer = json(&args);
    let flagged: Vec<String> = answer["lost"]
        .as_array()
        .unwrap()
        .iter()
        .map(|lost| lost["line"].as_array().unwrap().last().unwrap().as_str().unwrap().to_owned())
        .collect();
    assert_eq!(flagged, [loss.to_string()]);
    assert_eq!(choose(None), Some((draw, MoveSource::Book)), "the flag alone");
    // What the tables said stays in the book, so that flagging without them forgets nothing.
    let args = ["book", "flag", &book, "--rules", "check"];
    assert_eq!(json(&args)["lost"], answer["lost"]);
    assert_eq!(choose(None), Some((draw, MoveSource::Book)));
    // As scores: both positions are proven, and so is the one before them.
    let args = ["book", "score", &book, "--rules", "check", "--tables", &dir, "--no-engine"];
    let answer = json(&args);
    let kept = answer["sources"][0]["scores"].as_u64().unwrap();
    assert!(kept >= 3 && answer["proofs"].as_u64().unwrap() < kept, "{answer}");
    assert_eq!(answer["sources"][0]["source"], "tables check");
    let found = Book::open(book.as_ref()).unwrap().probe(line.position()).unwrap();
    let worth = |mv| {
        let found = found.iter().find(|m| m.mv == mv).unwrap();
        found.score.backed.unwrap().assured().unwrap()
    };
    assert_eq!(worth(draw), book::Value::DRAW);
    assert!(worth(loss) < book::Value::from_centipawns(-20_000));
}
