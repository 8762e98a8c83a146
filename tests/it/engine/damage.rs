//! Books and tables that are damaged while an engine has them open: it says so once and plays on
//! without them, and never ends.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use juzhong::book::{BuildOptions, Policy, SelectOptions};
use juzhong::engine::{Engine, EngineOptions, MoveSource};
use juzhong::game::Line;
use juzhong::search::Limits;
use juzhong::tablebase::{GenerateOptions, Metric, NoProgress, Rules, Tables, generate_all};
use juzhong::xiangqi::{Move, Position, RuleSet};

use crate::support::books::book_of;

/// Damage to a file while a program has it open.
type Damage = fn(&Path);

fn write_at(path: &Path, at: u64, bytes: &[u8]) {
    let mut file = OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(bytes).unwrap();
}

fn set_len(path: &Path, len: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(len).unwrap();
}

/// Each leaves nothing in the file that could be read.
const FATAL: [Damage; 4] = [
    |path| set_len(path, 0),
    |path| set_len(path, 30),
    |path| {
        let len = fs::metadata(path).unwrap().len();
        write_at(path, 0, &vec![0; len as usize]);
    },
    |path| {
        let len = fs::metadata(path).unwrap().len();
        set_len(path, 0);
        fs::write(path, vec![0xa5; len as usize]).unwrap();
    },
];

/// Damage after which a program that has the file open can go on reading it.
const HARMLESS: [Damage; 2] = [
    |path| fs::remove_file(path).unwrap(),
    |path| {
        let other = path.with_extension("other");
        fs::write(&other, b"something else").unwrap();
        // Not every Windows replaces a file that is open.
        if cfg!(windows) {
            fs::rename(path, path.with_extension("old")).unwrap();
        }
        fs::rename(other, path).unwrap();
    },
];

/// A fresh copy of the tables KRvKN and KRvKA, which are built once.
fn copy_tables() -> tempfile::TempDir {
    static WHOLE: OnceLock<tempfile::TempDir> = OnceLock::new();
    let whole = WHOLE.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let materials = ["KRvKN", "KRvKA"].map(|set| set.parse().unwrap());
        generate_all(folder.path(), &materials, &GenerateOptions::default(), &NoProgress).unwrap();
        folder
    });
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(whole.path()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "jzt") {
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    folder
}

fn table(folder: &Path, set: &str) -> PathBuf {
    folder.join(format!("{set}.check.dtm.jzt"))
}

const KRVKN: &str = "3k5/9/4n4/9/9/9/9/9/4R4/4K4 w";
const KRVKA: &str = "3k5/4a4/9/9/9/9/9/9/4R4/4K4 w";

fn line(fen: &str) -> Line<Position> {
    Line::new(Position::from_fen(fen).unwrap(), 0)
}

/// A map of the file would end the process here.
#[test]
fn an_open_table_that_is_damaged_is_an_error() {
    for damage in FATAL {
        let folder = copy_tables();
        let tables = Tables::open(folder.path(), Rules::Check, Metric::Dtm).unwrap();
        let position = Position::from_fen(KRVKN).unwrap();
        let value = tables.probe(&position).unwrap();
        damage(&table(folder.path(), "KRvKN"));
        assert_eq!(tables.probe(&position).unwrap(), value, "its blocks are at hand");
        tables.clear_cache();
        let error = tables.probe(&position).unwrap_err().to_string();
        assert!(error.contains("KRvKN") && error.contains("damaged"), "{error}");
    }
    for damage in HARMLESS {
        let folder = copy_tables();
        let tables = Tables::open(folder.path(), Rules::Check, Metric::Dtm).unwrap();
        let position = Position::from_fen(KRVKN).unwrap();
        let value = tables.probe(&position).unwrap();
        damage(&table(folder.path(), "KRvKN"));
        tables.clear_cache();
        assert_eq!(tables.probe(&position).unwrap(), value);
    }
}

fn engine_with_tables(folder: &Path) -> Engine<Position> {
    let options = EngineOptions {
        tables: folder.into(),
        rules: RuleSet::Check,
        hash_mib: 1,
        ..EngineOptions::default()
    };
    Engine::new(options).unwrap()
}

fn source(engine: &mut Engine<Position>, fen: &str) -> MoveSource {
    engine.choose(&line(fen), &Limits::depth(3), &()).unwrap().source
}

#[test]
fn play_goes_on_without_a_damaged_table() {
    for damage in FATAL.into_iter().chain(HARMLESS) {
        let folder = copy_tables();
        let mut engine = engine_with_tables(folder.path());
        assert_eq!(source(&mut engine, KRVKA), MoveSource::Table);
        // Not opened yet: nothing of it is at hand.
        damage(&table(folder.path(), "KRvKN"));
        for _ in 0..2 {
            assert_eq!(source(&mut engine, KRVKN), MoveSource::Search);
        }
        let warnings: Vec<String> =
            engine.take_warnings().iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        assert!(
            warnings[0].contains("playing on") && warnings[0].contains("KRvKN"),
            "{warnings:?}"
        );
        engine.new_game();
        assert_eq!(source(&mut engine, KRVKN), MoveSource::Search);
        assert_eq!(source(&mut engine, KRVKA), MoveSource::Table, "the others serve");
        assert!(engine.take_warnings().is_empty());
    }
}

#[test]
fn damage_during_a_game_does_not_end_it() {
    for damage in FATAL.into_iter().chain(HARMLESS) {
        let folder = copy_tables();
        let mut engine = engine_with_tables(folder.path());
        let mut line = line(KRVKN);
        for ply in 0..8 {
            let Some(choice) = engine.choose(&line, &Limits::depth(3), &()) else { break };
            line.push(choice.mv);
            if ply == 0 {
                for set in ["KRvKN", "KRvK", "KNvK"] {
                    damage(&table(folder.path(), set));
                }
            }
        }
        assert!(line.len() > 1);
        assert!(engine.take_warnings().len() <= 3);
    }
}

const GAMES: [&str; 2] = ["1. h2e2 h9g7 2. h0g2 1-0", "1. b0c2 b9c7 2. c3c4 1-0"];

/// Two books with different first moves.
fn books(folder: &Path) -> [PathBuf; 2] {
    [0, 1].map(|i| {
        let pgn = format!("[Result \"1-0\"]\n\n{}\n\n", GAMES[i]);
        book_of(folder, &format!("{i}.book"), &pgn, BuildOptions::default())
    })
}

fn first_move(engine: &mut Engine<Position>) -> Option<Move> {
    let choice = engine.choose(&Line::new(Position::start(), 0), &Limits::depth(1), &());
    choice.filter(|choice| choice.source == MoveSource::Book).map(|choice| choice.mv)
}

#[test]
fn play_goes_on_without_a_damaged_book() {
    let one_byte: Damage = |path| {
        let mut bytes = fs::read(path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        write_at(path, last as u64, &bytes[last..]);
    };
    let cases = FATAL.into_iter().chain([one_byte]).map(|damage| (damage, true));
    for (damage, is_fatal) in cases.chain(HARMLESS.into_iter().map(|damage| (damage, false))) {
        let folder = tempfile::tempdir().unwrap();
        let [one, other] = books(folder.path());
        let select = SelectOptions { policy: Policy::Best, ..SelectOptions::default() };
        let books = vec![one.clone().into(), other.into()];
        let options = EngineOptions { books, select, hash_mib: 1, ..EngineOptions::default() };
        let mut engine = Engine::<Position>::new(options).unwrap();
        let first = first_move(&mut engine).unwrap();
        assert!(engine.take_warnings().is_empty());
        // So that a change shows in the time of the last change, too.
        std::thread::sleep(std::time::Duration::from_millis(20));
        damage(&one);
        for _ in 0..2 {
            let mv = first_move(&mut engine).unwrap();
            assert_eq!(mv == first, !is_fatal, "{mv}");
        }
        let warnings: Vec<String> =
            engine.take_warnings().iter().map(ToString::to_string).collect();
        assert_eq!(warnings.len(), usize::from(is_fatal), "{warnings:?}");
        assert!(warnings.iter().all(|n| n.contains(&one.display().to_string())), "{warnings:?}");
        engine.new_game();
        assert!(first_move(&mut engine).is_some());
        assert!(engine.take_warnings().is_empty());
    }
}
