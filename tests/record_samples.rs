//! Real PGNs of every kind, where the shared samples are present: each game is read, or refused
//! for the stated reason.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test may stop and say why")]

use std::path::{Path, PathBuf};

use juzhong::game::{Outcome, Side};
use juzhong::record::{BadGameReason, Encoding, ParsedGame, read_games};
use juzhong::xiangqi::Move;
use juzhong::xiangqi::notation::{IllegalReason, MoveError};

fn samples() -> Option<PathBuf> {
    let default = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let shared = std::env::var_os("JUZHONG_SHARED").map_or(default, PathBuf::from);
    let folder = Some(shared.join("games/format_samples")).filter(|folder| folder.exists());
    if folder.is_none() {
        println!("skipped: no shared data (set JUZHONG_SHARED)");
    }
    folder
}

struct Read {
    name: String,
    encoding: Encoding,
    good: Vec<ParsedGame>,
    bad: Vec<BadGameReason>,
}

fn read(path: &Path) -> Read {
    let bytes = std::fs::read(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    read_games(&name, &bytes, &mut |game| match game {
        Ok(game) => good.push(game),
        Err(game) => bad.push(game.reason),
    });
    Read { encoding: Encoding::detect(&bytes), name, good, bad }
}

fn read_folder(folder: &Path) -> Vec<Read> {
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|file| file.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

#[test]
fn chinese_in_gb18030_and_utf8() {
    let Some(folder) = samples() else { return };
    for file in read_folder(&folder.join("pgn_chinese_gbk")) {
        assert_eq!(file.bad, [], "{}", file.name);
        let (encoding, games) = match file.name.starts_with("utf8") {
            true => (Encoding::Utf8, 15),
            false => (Encoding::Gb18030, 1),
        };
        assert_eq!((file.encoding, file.good.len()), (encoding, games), "{}", file.name);
    }
}

#[test]
fn chinese_in_big5() {
    let Some(folder) = samples() else { return };
    for file in read_folder(&folder.join("pgn_chinese_big5")) {
        assert_eq!(file.encoding, Encoding::Big5, "{}", file.name);
        let leaves_check = |bad: &BadGameReason| {
            let reason = IllegalReason::LeavesCheck;
            matches!(bad, BadGameReason::Move { error: MoveError::Illegal { reason: r, .. }, .. } if *r == reason)
        };
        if file.name.starts_with("ILLEGAL_selfcheck") {
            assert!(file.good.is_empty() && file.bad.iter().all(leaves_check), "{}", file.name);
        } else {
            assert_eq!(file.bad, [], "{}", file.name);
        }
        assert_eq!(file.good.len() + file.bad.len(), 1, "{}", file.name);
    }
}

#[test]
fn winboard() {
    let Some(folder) = samples() else { return };
    for file in read_folder(&folder.join("pgn_winboard_san")) {
        let bad = if file.name.contains("TRUNCATED") {
            assert_eq!(file.good.len(), 25);
            vec![BadGameReason::OpenComment]
        } else {
            vec![]
        };
        assert_eq!(file.bad, bad, "{}", file.name);
        assert!(file.good.iter().all(|game| game.record.result.is_some()), "{}", file.name);
    }
}

#[test]
fn the_same_games_in_three_notations() {
    let Some(folder) = samples() else { return };
    let files = [
        "pgn_iccs_uci/bulk_games_uci.pgn",
        "pgn_wxf/fullwidth_wxf.pgn",
        "pgn_chinese_gbk/utf8_fullwidth_xqdb_traditional.pgn",
    ];
    let [uci, wxf, chinese] = files.map(|file| -> Vec<Vec<Move>> {
        read(&folder.join(file)).good.into_iter().map(|game| game.record.tree.moves).collect()
    });
    assert_eq!(uci.len(), 15);
    assert!(wxf == chinese);
    // The second game's coordinates advance the front pawn of a file, both texts the rear one.
    let differing = (0..15).filter(|&game| uci[game] != wxf[game]);
    assert_eq!(differing.collect::<Vec<_>>(), [1]);
}

#[test]
fn what_is_no_pgn_is_refused() {
    let Some(folder) = samples() else { return };
    let folder = folder.join("pgn_iccs_uci");
    let file = read(&folder.join("wukong_puzzle_games_NASTY_movetext.pgn"));
    assert!(file.good.is_empty());
    assert!(
        matches!(file.bad.as_slice(), [BadGameReason::UnknownFormat(text)] if text.contains("ZHAO"))
    );
    let file = read(&folder.join("cglemon_iccs_sample.pgn"));
    assert_eq!((file.good.len(), file.bad), (1, vec![]));
}

#[test]
fn plain_lists() {
    let Some(folder) = samples() else { return };
    let folder = folder.join("plain");
    let file = read(&folder.join("elephantchess_uci_csv_20.txt"));
    assert_eq!((file.good.len(), file.bad), (20, vec![]));
    assert_eq!(file.good[0].record.tag("Id"), Some("iaxeugSr"));
    // A move a row; the last game is cut off by the end of the sample.
    let file = read(&folder.join("elephantchess_pvp_200rows.csv"));
    let lengths: Vec<_> = file.good.iter().map(|game| game.record.tree.moves.len()).collect();
    assert_eq!((lengths, file.bad), (vec![97, 26, 44, 11, 18, 3], vec![]));
    assert_eq!(file.good[0].record.result, Some(Outcome::Win(Side::First)));
    assert_eq!(file.good[0].end, file.good[0].record.result);
    for file in read_folder(&folder.join("niu2x")) {
        println!("{}: {:?} {:?}", file.name, file.good.len(), file.bad);
    }
}
