//! The index of a collection: the same answers whatever the order of reading, kept up with the files, and hostile files.

use std::fs;
use std::path::PathBuf;

use juzhong::bytes::StopFlag;
use juzhong::collection::{
    BoardPattern, Collected, Conditions, FirstMove, FoundPage, GameIndex, IndexError, IndexReport,
    Lines, NoveltySearch, SortColumn, index_path,
};
use juzhong::game::{Game, Notation, Packed, Side, Symmetric};
use juzhong::hash::Key;
use juzhong::record::{PgnOptions, Record, write_pgn};
use juzhong::xiangqi::{Move, Position};
use proptest::prelude::*;

use crate::support::folder::Folder;
use crate::support::games::grow;

const ALL: FoundPage = FoundPage {
    sort: SortColumn::Place,
    is_descending: false,
    fold_copies: false,
    skip: 0,
    take: 1000,
};

fn opened(folder: &Folder) -> Result<GameIndex, IndexError> {
    GameIndex::open::<Position>(&folder.join("index.games"), &StopFlag::default())
}

fn updated(folder: &Folder, files: &[PathBuf]) -> (GameIndex, IndexReport) {
    let mut index = opened(folder).unwrap();
    let report = index.update::<Position>(files, &mut |_| {}).unwrap();
    (index, report)
}

fn game(red: &str, black: &str, date: &str, moves: &str, result: &str) -> String {
    format!(
        "[Red \"{red}\"]\n[Black \"{black}\"]\n[Event \"全国赛\"]\n[Date \"{date}\"]\n\n{moves} {result}\n\n"
    )
}

/// Some games, one of them bad, one that breaks off, and copies in other scripts.
fn some_games() -> Vec<String> {
    vec![
        game("胡荣华", "柳大华", "1979.01.02", "1. h2e2 h9g7 2. h0g2", "1-0"),
        game("胡榮華", "柳大華", "1979", "1. h2e2 h9g7 2. h0g2", "1-0"),
        game("Bobby", "吕钦", "2001", "1. b2e2 b9c7", "0-1"),
        "[FEN \"x\"]\n\n1. h2e2 *\n\n".to_owned(),
        game("许银川", "Bobby", "1999.12.31", "1. c3c4 c9a7 2. h2c2 h2h3", "1/2-1/2"),
        "[Red \"x\"]\n\n1. g3g4 *\n\n".to_owned(),
    ]
}

/// The games found as lists show them.
fn shown(index: &GameIndex, conditions: &Conditions, page: &FoundPage) -> Vec<String> {
    let found = index.find(conditions, page).unwrap();
    let games = found.games.iter().map(|game| {
        format!(
            "{} {} {}:{} {:?} {:?} {:?} {} {}",
            game.number,
            game.key,
            game.file,
            game.place,
            game.players,
            game.year,
            game.code,
            game.plies,
            game.copies
        )
    });
    games.chain([format!("{} {}", found.total, found.records)]).collect()
}

/// Every answer that the tests compare.
fn answers(index: &GameIndex) -> Vec<String> {
    let mut answers = Vec::new();
    for words in ["", "胡荣华", "hu ronghua", "bobby", "1979 liu", "x", "nobody"] {
        for fold_copies in [false, true] {
            for sort in [
                "place", "first", "second", "event", "date", "result", "opening", "plies",
                "rating", "copies",
            ] {
                for is_descending in [false, true] {
                    let sort = sort.parse().unwrap();
                    let page = FoundPage { sort, is_descending, fold_copies, ..ALL };
                    let conditions =
                        Conditions { words: words.to_owned(), ..Conditions::default() };
                    answers.extend(shown(index, &conditions, &page));
                }
            }
        }
    }
    for moves in ["", "h2e2", "b2e2", "h2e2 h9g7", "c3c4"] {
        let mut position = Position::start();
        for mv in moves.split_whitespace() {
            position.make(Position::parse_move(mv).unwrap());
        }
        let key = position.canonical().key;
        let reached = index.reaching(key, &Conditions::default(), Side::First, 3).unwrap();
        let samples: Vec<_> = reached.samples.iter().map(|game| game.number).collect();
        answers.push(format!("{} {:?} {samples:?}", reached.games, reached.moves));
        let conditions = Conditions { positions: vec![key], ..Conditions::default() };
        answers.extend(shown(index, &conditions, &ALL));
    }
    answers
}

/// The answers of a new index of these files.
fn answers_of_files(files: &[PathBuf]) -> Vec<String> {
    answers(&updated(&Folder::new(), files).0)
}

#[test]
fn names_and_numbers_are_found_in_any_width_and_in_pinyin_without_tones() {
    let folder = Folder::new();
    let wide = game("Ｂｏｂｂｙ７", "吕钦", "１９７９", "1. h2e2 h9g7", "1-0");
    let narrow = game("Bobby7", "呂欽", "1979", "1. b2e2 b9c7", "1-0");
    let other = game("Anna8", "许银川", "1999", "1. c3c4 c9a7", "1-0");
    folder.write("games/a.pgn", [wide, narrow, other].concat());
    let (index, _) = updated(&folder, &[folder.join("games")]);
    let found = |conditions: &Conditions| -> Vec<u64> {
        index.find(conditions, &ALL).unwrap().games.iter().map(|game| game.place).collect()
    };
    let letters = ["bobby7", "BOBBY7", "ｂｏｂｂｙ７", "ＢＯＢＢＹ７", "Bobby７", "ｂｏｂ"];
    let digits = ["1979", "１９７９", "19７9"];
    let pinyin = [
        "lvqin",
        "luqin",
        "lu qin",
        "LuQin",
        "ｌｖｑｉｎ",
        "ｌｕ　ｑｉｎ",
        "lq",
        "ｌｑ",
        "吕钦",
        "呂欽",
    ];
    for typed in letters.iter().chain(&digits).chain(&pinyin) {
        let conditions = Conditions { words: (*typed).to_owned(), ..Conditions::default() };
        assert_eq!(found(&conditions), [0, 1], "{typed}");
    }
    for typed in letters.iter().chain(&pinyin) {
        let conditions = Conditions { player: (*typed).to_owned(), ..Conditions::default() };
        assert_eq!(found(&conditions), [0, 1], "player {typed}");
    }
    for typed in ["quanguosai", "quan guo", "ｑｇｓ", "全國賽"] {
        let conditions = Conditions { event: typed.to_owned(), ..Conditions::default() };
        assert_eq!(found(&conditions), [0, 1, 2], "event {typed}");
    }
    let conditions = Conditions {
        words: "ｘｕ ｙｉｎｃｈｕａｎ ８".to_owned(),
        ..Conditions::default()
    };
    assert_eq!(found(&conditions), [2]);
}

#[test]
fn games_are_found_by_any_field() {
    let folder = Folder::new();
    folder.write("games/a.pgn", some_games().concat());
    let (index, report) = updated(&folder, &[folder.join("games")]);
    assert_eq!((report.files, report.games, report.lines, report.bad), (1, 5, 4, 1));
    let none = Conditions::default;
    let text = str::to_owned;
    for (conditions, places) in [
        (none(), &[0, 1, 2, 4, 5][..]),
        (Conditions { words: text("胡荣华"), ..none() }, &[0, 1]),
        (Conditions { words: text("ｈｕ 1979"), ..none() }, &[0, 1]),
        (Conditions { player: text("bobby"), ..none() }, &[2, 4]),
        (Conditions { first: text("bobby"), ..none() }, &[2]),
        (Conditions { second: text("lüqin"), ..none() }, &[2]),
        (Conditions { event: text("全國"), ..none() }, &[0, 1, 2, 4]),
        // A game that breaks off has no result.
        (Conditions { result: Some(None), ..none() }, &[4, 5]),
        (Conditions { years: (Some(1990), Some(2000)), ..none() }, &[4]),
        (Conditions { plies: (Some(3), None), ..none() }, &[0, 1, 4]),
        (Conditions { min_rating: Some(1), ..none() }, &[]),
        (Conditions { words: text("% _ '\""), ..none() }, &[]),
    ] {
        let found = index.find(&conditions, &ALL).unwrap();
        assert_eq!(
            found.games.iter().map(|game| game.place).collect::<Vec<_>>(),
            places,
            "{conditions:?}"
        );
    }
    let folded = index.find(&none(), &FoundPage { fold_copies: true, ..ALL }).unwrap();
    assert_eq!((folded.total, folded.records, folded.games[0].copies), (4, 5, 2));
    let dated = index
        .find(&none(), &FoundPage { sort: SortColumn::Date, is_descending: true, ..ALL })
        .unwrap();
    let years: Vec<_> = dated.games.iter().map(|game| game.year).collect();
    assert_eq!(years, [Some(2001), Some(1999), Some(1979), Some(1979), None]);
}

#[test]
fn a_game_is_whole_by_number_and_by_key() {
    let folder = Folder::new();
    folder.write("games/a.pgn", some_games().concat());
    let (index, _) = updated(&folder, &[folder.join("games")]);
    let second = index.game("1").unwrap().unwrap();
    assert!(second.json.unwrap().contains("\"h2e2 h9g7 h0g2\""));
    let again = index.game(&second.about.key.to_string()).unwrap().unwrap();
    assert_eq!(again.about.number, 1);
    let broken = index.game("3").unwrap().unwrap();
    let fault = broken.fault.unwrap();
    assert!(broken.about.is_broken && broken.about.plies == 3 && !broken.is_changed);
    assert_eq!((fault.source.as_str(), fault.turn), ("a.pgn", Some(Side::Second)));
    assert!(fault.reason.unwrap().to_string().contains("h2h3"));
    for none in ["5", "18446744073709551615", "gaaaaaaaaaaaa", "x", ""] {
        assert!(index.game(none).unwrap().is_none(), "{none}");
    }
}

#[test]
fn changed_files_are_read_again_and_others_are_not() {
    let folder = Folder::new();
    let games = some_games();
    folder.write("games/a.pgn", games[..2].concat());
    folder.write("games/b.pgn", &games[2]);
    let files = [folder.join("games")];
    let (index, first) = updated(&folder, &files);
    assert_eq!((first.read, first.dropped, first.games), (2, 0, 3));
    drop(index);
    let (index, same) = updated(&folder, &files);
    assert_eq!((same.read, same.dropped, same.games), (0, 0, 3));
    folder.write("games/a.pgn", games[4..].concat());
    assert!(index.game("0").unwrap().unwrap().is_changed);
    drop(index);
    let (index, changed) = updated(&folder, &files);
    assert_eq!((changed.read, changed.dropped, changed.games), (1, 1, 3));
    fs::remove_file(folder.join("games/b.pgn")).unwrap();
    folder.write("games/sub/c.pgn", &games[0]);
    drop(index);
    let (index, moved) = updated(&folder, &files);
    assert_eq!((moved.read, moved.dropped, moved.games), (1, 1, 3));
    assert_eq!(answers(&index), answers_of_files(&files));
}

#[test]
fn packed_files_and_archives_give_the_same_games() {
    let games = some_games().concat();
    let bare = Folder::new();
    bare.write("games/a.pgn", &games);
    let packed = Folder::new();
    packed.write("games/a.pgn.zst", zstd::bulk::compress(games.as_bytes(), 1).unwrap());
    let of = |folder: &Folder| {
        let (index, _) = updated(folder, &[folder.join("games")]);
        index
            .find(&Conditions::default(), &ALL)
            .unwrap()
            .games
            .into_iter()
            .map(|g| (g.key, g.place))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&bare), of(&packed));
}

#[test]
fn an_update_that_was_stopped_goes_on() {
    let folder = Folder::new();
    folder.write("games/a.pgn", some_games().concat());
    folder.write("games/b.pgn", some_games()[..3].concat());
    let files = [folder.join("games")];
    let stop = StopFlag::default();
    let path = folder.join("index.games");
    let mut index = GameIndex::open::<Position>(&path, &stop).unwrap();
    let stopped = index.update::<Position>(&files, &mut |progress| {
        if progress.games > 0 {
            stop.set();
        }
    });
    assert!(matches!(stopped, Err(IndexError::Interrupted)), "{stopped:?}");
    drop(index);
    let (index, report) = updated(&folder, &files);
    assert!(report.read < 2 && report.games == 8, "{report:?}");
    assert_eq!(answers(&index), answers_of_files(&files));
}

#[test]
fn damaged_indexes_are_made_again_and_other_files_stay() {
    let folder = Folder::new();
    folder.write("games/a.pgn", some_games().concat());
    let files = [folder.join("games")];
    let (index, _) = updated(&folder, &files);
    let expected = answers(&index);
    drop(index);
    let path = folder.join("index.games");
    let sound = fs::read(&path).unwrap();
    // Cut, overwritten in the middle, emptied, of another version.
    let middle = sound.len() / 2;
    let overwritten = [&sound[..middle - 4096], &[0x5a; 8192], &sound[middle + 4096..]].concat();
    let mut other_version = sound.clone();
    other_version[60..64].copy_from_slice(&77_u32.to_be_bytes());
    for bytes in [&sound[..middle], &overwritten[..], &[][..], &sound[..50], &other_version[..]] {
        fs::write(&path, bytes).unwrap();
        let mut index = opened(&folder).unwrap();
        if index.verify().is_err() {
            drop(index);
            GameIndex::remove(&path).unwrap();
            index = opened(&folder).unwrap();
        }
        index.update::<Position>(&files, &mut |_| {}).unwrap();
        assert_eq!(answers(&index), expected, "{} bytes", bytes.len());
    }
    let mut of_another_program = sound.clone();
    of_another_program[68..72].copy_from_slice(b"fish");
    for bytes in [&b"some notes of mine"[..], &of_another_program[..]] {
        fs::write(&path, bytes).unwrap();
        let refused = opened(&folder);
        assert!(matches!(refused, Err(IndexError::Foreign { .. })), "{refused:?}");
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    #[cfg(unix)]
    {
        fs::remove_file(&path).unwrap();
        fs::write(folder.join("target"), &sound).unwrap();
        std::os::unix::fs::symlink(folder.join("target"), &path).unwrap();
        assert!(opened(&folder).is_err());
        assert_eq!(fs::read(folder.join("target")).unwrap(), sound);
    }
}

#[test]
fn indexes_are_named_by_their_files_in_any_order() {
    let folder = Folder::new();
    let [a, b] = ["a.pgn", "b.pgn"].map(|name| PathBuf::from(folder.write(name, "")));
    let path = |files: &[PathBuf]| index_path::<Position>(folder.path(), files).unwrap();
    assert_eq!(path(&[a.clone(), b.clone()]), path(&[b.clone(), a.clone(), a.clone()]));
    assert_ne!(path(&[a]), path(&[b]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Files that come one after the other, in any order, and all at once, give the same answers.
    #[test]
    fn answers_do_not_depend_on_the_order_of_reading(
        picks in prop::collection::vec((0..6_usize, 0..4_usize), 1..12),
        order in Just(vec![0_usize, 1, 2, 3]).prop_shuffle(),
    ) {
        let games = some_games();
        let folder = Folder::new();
        let text = |file: usize| -> String {
            picks.iter().filter(|pick| pick.1 == file).map(|pick| games[pick.0].as_str()).collect()
        };
        let mut index = opened(&folder).unwrap();
        fs::create_dir(folder.join("games")).unwrap();
        for file in order {
            folder.write(&format!("games/{file}.pgn"), text(file));
            index.update::<Position>(&[folder.join("games")], &mut |_| {}).unwrap();
        }
        prop_assert_eq!(answers(&index), answers_of_files(&[folder.join("games")]));
    }
}

/// An index in a folder of its own of some of the files.
fn index_of(files: &[PathBuf]) -> (Folder, PathBuf) {
    let folder = Folder::new();
    drop(updated(&folder, files));
    let path = folder.join("index.games");
    (folder, path)
}

fn made(path: &std::path::Path) -> Result<GameIndex, IndexError> {
    GameIndex::open_made::<Position>(path, &StopFlag::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// Games that are taken over from indexes of parts of the files, which may overlap and leave some out, give the same
    /// answers as files that are read.
    #[test]
    fn games_taken_over_are_as_games_read(
        picks in prop::collection::vec((0..6_usize, 0..4_usize), 1..12),
        parts in prop::collection::vec(prop::collection::vec(0..4_usize, 1..3), 1..3),
        before in prop::collection::vec(0..4_usize, 0..2),
    ) {
        let games = some_games();
        let folder = Folder::new();
        fs::create_dir(folder.join("games")).unwrap();
        let file = |number: &usize| folder.join(&format!("games/{number}.pgn"));
        for number in 0..4 {
            let own = picks.iter().filter(|pick| pick.1 == number);
            fs::write(file(&number), own.map(|pick| games[pick.0].as_str()).collect::<String>()).unwrap();
        }
        let parts: Vec<Vec<PathBuf>> = parts.iter().map(|part| part.iter().map(file).collect()).collect();
        let made_parts: Vec<_> = parts.iter().map(|part| index_of(part)).collect();
        let others: Vec<_> = made_parts.iter().map(|(_, path)| path.clone()).collect();
        let mut index = opened(&folder).unwrap();
        let mut known: Vec<PathBuf> = before.iter().map(file).collect();
        index.update::<Position>(&known, &mut |_| {}).unwrap();
        let all = [folder.join("games")];
        let report = index.update_from::<Position>(&all, &others, &mut |_| {}).unwrap();
        let mut taken = parts.concat();
        taken.retain(|file| !known.contains(file));
        taken.sort_unstable();
        taken.dedup();
        known.sort_unstable();
        known.dedup();
        prop_assert_eq!((report.taken, report.read), (taken.len(), 4 - taken.len() - known.len()));
        let (whole, path) = index_of(&all);
        let read = made(&path).unwrap();
        prop_assert_eq!(answers(&index), answers(&read));
        let search = NoveltySearch { theory: 0, ..NoveltySearch::default() };
        let novelties = |index: &GameIndex| {
            let found = index.first_moves(&search, &StopFlag::default()).unwrap();
            let figures = found.iter().map(|one| (one.year, one.games_before, one.games_with));
            let mut figures: Vec<_> = figures.collect();
            figures.sort_unstable();
            figures
        };
        prop_assert_eq!(novelties(&index), novelties(&read));
        index.verify().unwrap();
        // What was taken over is not read again.
        let again = index.update::<Position>(&all, &mut |_| {}).unwrap();
        prop_assert_eq!((again.read, again.taken, again.dropped, again.games), (0, 0, 0, report.games));
        drop(whole);
    }
}

#[test]
fn comments_and_faults_are_taken_over() {
    let folder = Folder::new();
    folder.write("games/a.pgn", some_games().concat() + "[Red \"甲\"]\n\n1. c3c4 {好着} c6c5 *\n");
    let files = [folder.join("games")];
    let (_other, path) = index_of(&files);
    let mut index = opened(&folder).unwrap();
    let report =
        index.update_from::<Position>(&files, std::slice::from_ref(&path), &mut |_| {}).unwrap();
    assert_eq!((report.read, report.taken, report.games, report.bad), (0, 1, 6, 1));
    let conditions = Conditions { comment: "好".to_owned(), ..Conditions::default() };
    assert_eq!(index.find(&conditions, &ALL).unwrap().total, 1);
    let broken = index.game("3").unwrap().unwrap();
    assert!(broken.fault.is_some() && broken.json.is_some());
}

#[test]
fn changed_files_are_not_taken_over_and_bad_indexes_are_refused() {
    let folder = Folder::new();
    folder.write("games/a.pgn", some_games().concat());
    folder.write("games/b.pgn", &some_games()[2]);
    let files = [folder.join("games")];
    let (other, path) = index_of(&files);
    folder.write("games/a.pgn", &some_games()[0]);
    let mut index = opened(&folder).unwrap();
    let report =
        index.update_from::<Position>(&files, std::slice::from_ref(&path), &mut |_| {}).unwrap();
    assert_eq!((report.read, report.taken, report.games), (1, 1, 2));
    drop(index);
    // Absent, empty, cut, of another version, no index at all: each is refused, and stays as it is.
    let sound = fs::read(&path).unwrap();
    let mut other_version = sound.clone();
    other_version[60..64].copy_from_slice(&77_u32.to_be_bytes());
    for bytes in [&[][..], &sound[..50], &other_version[..], b"some notes of mine"] {
        fs::write(&path, bytes).unwrap();
        assert!(matches!(made(&path), Err(IndexError::Other { .. })), "{} bytes", bytes.len());
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    assert!(matches!(made(&other.join("none.games")), Err(IndexError::Io { .. })));
    fs::write(&path, &sound).unwrap();
    let gomoku = GameIndex::open_made::<juzhong::gomoku::Board>(&path, &StopFlag::default());
    assert!(matches!(gomoku, Err(IndexError::Other { .. })), "{gomoku:?}");
}

#[test]
fn a_damage_of_another_index_leaves_this_one_alone() {
    let folder = Folder::new();
    folder.write("games/a.pgn", some_games().concat());
    let files = [folder.join("games")];
    let (_other, path) = index_of(&files);
    for damage in [
        "UPDATE positions SET data = x'ffffffffffffffffffffffff'",
        "DELETE FROM lines",
        "DELETE FROM texts",
        "DELETE FROM bodies WHERE game = 2",
        "UPDATE games SET line = line + 1000000000000 WHERE id = 1",
        "UPDATE games SET year = 'soon' WHERE id = 1",
        "UPDATE games SET seq = -1 WHERE id = 1",
        "UPDATE games SET seq = 1000 WHERE id = 5",
        "UPDATE games SET place = 1000 WHERE id = 5",
        "UPDATE files SET games = 9223372036854775807",
        "UPDATE files SET seen = 9223372036854775807",
        "UPDATE files SET seen = 3",
        "UPDATE lines SET start = 'nonsense' WHERE id = 1",
        "UPDATE lines SET hash = hash + 1 WHERE id = 1",
        "UPDATE lines SET moves = x'ffff' WHERE id = 1",
    ] {
        let sound = fs::read(&path).unwrap();
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch(damage).unwrap();
        drop(connection);
        let mut index = opened(&folder).unwrap();
        let taken = index.update_from::<Position>(&files, std::slice::from_ref(&path), &mut |_| {});
        assert!(matches!(taken, Err(IndexError::Other { .. })), "{damage}: {taken:?}");
        // Nothing of it was taken.
        let report = index.update::<Position>(&files, &mut |_| {}).unwrap();
        assert_eq!((report.read, report.games), (1, 5), "{damage}");
        index.verify().unwrap();
        drop(index);
        GameIndex::remove(&folder.join("index.games")).unwrap();
        GameIndex::remove(&path).unwrap();
        fs::write(&path, sound).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn games_of_a_drive_that_is_away_stay() {
    let folder = Folder::new();
    folder.write("disk/games/a.pgn", some_games().concat());
    folder.write("near/b.pgn", &some_games()[0]);
    std::os::unix::fs::symlink(folder.join("disk/games"), folder.join("games")).unwrap();
    let inputs = [folder.join("games"), folder.join("near")];
    let (mut index, first) = updated(&folder, &inputs);
    assert_eq!((first.games, first.unreadable), (6, 0));
    fs::rename(folder.join("disk"), folder.join("away")).unwrap();
    fs::remove_file(folder.join("near/b.pgn")).unwrap();
    let away = index.update::<Position>(&inputs, &mut |_| {}).unwrap();
    assert_eq!((away.games, away.dropped, away.read), (5, 1, 0));
    fs::rename(folder.join("away"), folder.join("disk")).unwrap();
    let back = index.update::<Position>(&inputs, &mut |_| {}).unwrap();
    assert_eq!((back.games, back.dropped, back.read), (5, 0, 0));
}

#[test]
fn taking_over_that_was_stopped_goes_on() {
    let folder = Folder::new();
    folder.write("games/a.pgn", some_games().concat());
    folder.write("games/b.pgn", some_games()[..3].concat());
    let files = [folder.join("games")];
    let (_other, path) = index_of(&files);
    let stop = StopFlag::default();
    let own = folder.join("index.games");
    let mut index = GameIndex::open::<Position>(&own, &stop).unwrap();
    let other = std::slice::from_ref(&path);
    let stopped = index.update_from::<Position>(&files, other, &mut |_| stop.set());
    assert!(matches!(stopped, Err(IndexError::Interrupted)), "{stopped:?}");
    drop(index);
    let mut index = opened(&folder).unwrap();
    let report =
        index.update_from::<Position>(&files, std::slice::from_ref(&path), &mut |_| {}).unwrap();
    assert_eq!((report.taken, report.read, report.games), (2, 0, 8));
    assert_eq!(answers(&index), answers_of_files(&files));
}

/// The positions of the main line of a record.
fn positions(record: &Record<Position>) -> Vec<Position> {
    let mut position = record.start.clone().unwrap_or_else(Position::start);
    let mut positions = vec![position.clone()];
    for &mv in &record.tree.moves {
        position.make(mv);
        positions.push(position.clone());
    }
    positions
}

/// The places of the games of a set of lines.
fn places(index: &GameIndex, lines: Lines) -> Vec<u64> {
    let conditions = Conditions { lines: Some(lines), ..Conditions::default() };
    index.find(&conditions, &ALL).unwrap().games.iter().map(|game| game.place).collect()
}

/// The numbers of the records that have such positions.
fn with(records: &[Record<Position>], is_wanted: impl Fn(&[Position]) -> bool) -> Vec<u64> {
    let found = (0..).zip(records).filter(|(_, record)| is_wanted(&positions(record)));
    found.map(|(number, _)| number).collect()
}

fn canonical(position: &Position) -> Key {
    position.canonical().key
}

/// The keys among `keys` of some positions, each once.
fn reached(positions: &[Position], keys: &[Key]) -> usize {
    let mut reached: Vec<Key> = positions.iter().map(canonical).collect();
    reached.retain(|key| keys.contains(key));
    reached.sort_unstable();
    reached.dedup();
    reached.len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    /// What the index finds on the boards of games is what playing through all of them finds.
    #[test]
    fn boards_are_found_as_by_playing_through_all_games(
        records in prop::collection::vec(crate::support::games::records(), 1..10),
        game in any::<prop::sample::Index>(),
        ply in any::<prop::sample::Index>(),
        points in prop::collection::vec((0..9_u8, 0..10_u8), 1..6),
        least in 1..6_usize,
    ) {
        let folder = Folder::new();
        let mut text = Vec::new();
        for record in &records {
            write_pgn(&mut text, record, &PgnOptions::default()).unwrap();
        }
        folder.write("games/a.pgn", text);
        let (index, report) = updated(&folder, &[folder.join("games")]);
        prop_assert_eq!(report.games as usize, records.len());
        let wanted = positions(game.get(&records));
        let at = ply.get(&wanted);

        let key = canonical(at);
        let expected = with(&records, |all| all.iter().any(|p| canonical(p) == key));
        prop_assert_eq!(places(&index, index.lines_with_any(&[key]).unwrap()), expected);

        let material = Collected::material(at).unwrap();
        let is_there = |p: &Position| Collected::material(p) == Some(material);
        let expected = with(&records, |all| all.iter().any(is_there));
        prop_assert_eq!(places(&index, index.lines_with_any(&[material]).unwrap()), expected);

        let last = canonical(wanted.last().unwrap());
        let expected = with(&records, |all| all.last().is_some_and(|p| canonical(p) == last));
        prop_assert_eq!(places(&index, index.lines_ending_in::<Position>(last).unwrap()), expected);

        let keys: Vec<Key> = wanted.iter().map(canonical).collect();
        let expected = with(&records, |all| reached(all, &keys) >= least);
        prop_assert_eq!(places(&index, index.lines_with(&keys, least).unwrap()), expected);

        let parts: Vec<String> = points.iter().map(|&(column, row)| {
            let letter = at.letter(column, row).unwrap_or('.');
            format!("{letter}{}{row}", char::from(b'a' + column))
        }).collect();
        let pattern = BoardPattern::read::<Position>(&parts.join(",")).unwrap();
        let is_on = |p: &Position, is_mirrored: bool| points.iter().all(|&(column, row)| {
            let image = if is_mirrored { 8 - column } else { column };
            p.letter(image, row) == at.letter(column, row)
        });
        let expected = with(&records, |all| all.iter().any(|p| is_on(p, false) || is_on(p, true)));
        let found = index.lines_matching::<Position>(&pattern).unwrap();
        prop_assert_eq!(places(&index, found), expected);
    }
}

#[test]
fn games_that_end_by_repetition_are_found_by_their_last_position() {
    let folder = Folder::new();
    let back_and_forth = "1. h0g2 h9g7 2. g2h0 g7h9";
    folder.write("games/a.pgn", game("a", "b", "1999", back_and_forth, "1/2-1/2"));
    folder.write("games/b.pgn", game("a", "b", "1999", "1. h0g2 h9g7", "1/2-1/2"));
    let (index, _) = updated(&folder, &[folder.join("games")]);
    let key = canonical(&Position::start());
    let found = index.lines_ending_in::<Position>(key).unwrap();
    let conditions = Conditions { lines: Some(found), ..Conditions::default() };
    let games = index.find(&conditions, &ALL).unwrap().games;
    assert_eq!(games.iter().map(|game| game.file.as_str()).collect::<Vec<_>>(), ["a.pgn"]);
}

/// The novelties of games with years, found by comparing all games with each other: the year, the move's position and the
/// games before and with it.
fn novelties(games: &[(u16, Vec<Position>, Vec<Move>)], theory: u64) -> Vec<(u16, Key, u64, u64)> {
    let place = |(_, positions, moves): &(u16, Vec<Position>, Vec<Move>), ply: usize| {
        let position = &positions[ply];
        let canonical = position.canonical();
        (canonical.key, position.canonical_move(canonical, moves[ply]).pack())
    };
    // By the first visit of each game.
    let mut visits = Vec::new();
    for game in games {
        let mut seen = Vec::new();
        for ply in 0..game.2.len() {
            let (key, mv) = place(game, ply);
            if !seen.contains(&key) {
                seen.push(key);
                visits.push((key, mv, game.0));
            }
        }
    }
    let mut found = Vec::new();
    for &(key, mv, year) in &visits {
        let same: Vec<u16> =
            visits.iter().filter(|v| (v.0, v.1) == (key, mv)).map(|v| v.2).collect();
        let before = visits.iter().filter(|v| v.0 == key && v.2 < year).count() as u64;
        if same.iter().min() == Some(&year) && before >= theory {
            found.push((year, key, before, same.len() as u64));
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    /// The novelties that the index finds are those that comparing all games finds.
    #[test]
    fn novelties_are_found_as_by_comparing_all_games(
        games in prop::collection::vec((1990..1999_u16, prop::collection::vec(0..3_u16, 1..14)), 2..24),
        theory in 1..4_u64,
    ) {
        let folder = Folder::new();
        let mut text = Vec::new();
        let mut played = std::collections::BTreeMap::<Vec<Move>, u16>::new();
        for (year, choices) in &games {
            let tree = grow(&mut Position::start(), choices, 9);
            let first = played.entry(tree.moves.clone()).or_insert(*year);
            *first = (*first).min(*year);
            let tags = vec![("Date".to_owned(), year.to_string())];
            let record = Record { tags, start: None, start_clock: 0, result: None, tree };
            write_pgn(&mut text, &record, &PgnOptions::default()).unwrap();
        }
        folder.write("games/a.pgn", text);
        let (index, _) = updated(&folder, &[folder.join("games")]);
        let lines: Vec<(u16, Vec<Position>, Vec<Move>)> = played.into_iter().map(|(moves, year)| {
            let mut position = Position::start();
            let mut positions = vec![position.clone()];
            for &mv in &moves {
                position.make(mv);
                positions.push(position.clone());
            }
            (year, positions, moves)
        }).collect();
        let search = NoveltySearch { theory, take: 10_000, ..NoveltySearch::default() };
        let found = index.first_moves(&search, &StopFlag::default()).unwrap();
        let moves_of = index.moves_of_lines::<Position>(found.iter().map(|first| first.line)).unwrap();
        let mut shown: Vec<_> = found.iter().map(|first: &FirstMove| {
            let mut position = Position::start();
            for &mv in &moves_of[&first.line].moves[..first.ply as usize] {
                position.make(mv);
            }
            (first.year.unwrap(), canonical(&position), first.games_before, first.games_with)
        }).collect();
        shown.sort_unstable();
        shown.dedup();
        prop_assert_eq!(shown, novelties(&lines, theory));
        // In parts of the years they are the same ones.
        let part = NoveltySearch { years: (Some(1995), Some(1996)), ..search };
        let expected: Vec<FirstMove> =
            found.iter().filter(|first| matches!(first.year, Some(1995 | 1996))).copied().collect();
        prop_assert_eq!(index.first_moves(&part, &StopFlag::default()).unwrap(), expected);
    }
}

#[test]
fn comments_are_found_and_go_with_their_games() {
    let folder = Folder::new();
    let game = "[Red \"x\"]\n\n1. h2e2 {Ａ fine 開局} (1. b2e2 {variation}) *\n\n";
    folder.write("games/a.pgn", [game, "1. g3g4 *\n"].concat());
    let (mut index, _) = updated(&folder, &[folder.join("games")]);
    let found = |index: &GameIndex, comment: &str| {
        let conditions = Conditions { comment: comment.to_owned(), ..Conditions::default() };
        index.find(&conditions, &ALL).unwrap().total
    };
    for comment in ["开局", "a fine", "VARIATION", "开局 variation"] {
        assert_eq!(found(&index, comment), 1, "{comment}");
    }
    assert_eq!(found(&index, "g3g4"), 0);
    folder.write("games/a.pgn", "1. g3g4 *\n");
    index.update::<Position>(&[folder.join("games")], &mut |_| {}).unwrap();
    assert_eq!(found(&index, "开局"), 0);
}
