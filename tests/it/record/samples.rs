//! Real PGNs of every kind, where the shared samples are present: each game is read, or refused
//! for the stated reason.

use std::path::Path;

use juzhong::game::{Outcome, Side};
use juzhong::record::{BadGameReason, Encoding, ParsedGame, Tree, read_games};
use juzhong::xiangqi::notation::{IllegalReason, MoveError};
use juzhong::xiangqi::{Move, Position};

use crate::support::files::shared;

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
    let Some(folder) = shared("games/format_samples") else { return };
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
    let Some(folder) = shared("games/format_samples") else { return };
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
    let Some(folder) = shared("games/format_samples") else { return };
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
    let Some(folder) = shared("games/format_samples") else { return };
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
    let Some(folder) = shared("games/format_samples") else { return };
    let folder = folder.join("pgn_iccs_uci");
    let file = read(&folder.join("wukong_puzzle_games_NASTY_movetext.pgn"));
    assert!(file.good.is_empty());
    assert!(
        matches!(file.bad.as_slice(), [BadGameReason::UnknownFormat(text)] if text.to_string().contains("ZHAO"))
    );
    let file = read(&folder.join("cglemon_iccs_sample.pgn"));
    assert_eq!((file.good.len(), file.bad), (1, vec![]));
}

#[test]
fn plain_lists() {
    let Some(folder) = shared("games/format_samples") else { return };
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

type Fate = Result<(usize, usize, u64), &'static str>;

/// The fate of each nasty XQF: a part of the message that refuses it, or the moves of its main
/// line and of its variations, and how many variations were cut.
const NASTY_XQF: [(&str, Fate); 25] = [
    // Illegal in the file's name, but its 43 moves are legal.
    ("BadMoveTest1.xqf", Ok((43, 0, 0))),
    ("BadMoveTest3.xqf", Err("game 1: ply 10: \"e1f0\" is illegal: no piece stands there")),
    // No moves, which is a game.
    ("EmptyTest.xqf", Ok((0, 0, 0))),
    (
        "SYNTH_garbage_body.xqf",
        Err("a comment that claims 2303320391 bytes, of which 292 are there"),
    ),
    ("SYNTH_truncated_header.xqf", Err("within the header, after 900 of its 1024 bytes")),
    ("SYNTH_truncated_tail.xqf", Err("truncated: the file ends within the tree of moves")),
    ("SYNTH_two_bytes.xqf", Err("within the header, after 2 of its 1024 bytes")),
    ("illegal_empty_0_", Err("ply 33: \"b6b7\" is illegal: no piece stands there")),
    ("illegal_empty_1_", Err("ply 32: \"h9h1\" is illegal: no piece stands there")),
    ("illegal_empty_2_", Err("ply 35: \"h1h7\" is illegal: no piece stands there")),
    // The board is wrong before any move is.
    (
        "illegal_pseudo_0_",
        Err("byte 0x10: game 1: start position: illegal position: red has no king"),
    ),
    ("illegal_pseudo_1_", Err("ply 15: \"e3e5\" is illegal: the way is blocked")),
    ("illegal_selfcheck_0_", Err("ply 12: \"e8f8\" is illegal: the kings would face each other")),
    // The first move's side begins while it already attacks the other's king.
    (
        "illegal_selfcheck_1_",
        Err("start position: illegal position: the side that is not to move is in check"),
    ),
    ("illegal_selfcheck_2_", Err("ply 1: \"e7e8\" is illegal: it leaves the own king in check")),
    ("illegal_selfcheck_3_", Err("ply 1: \"i8g7\" is illegal: it leaves the own king in check")),
    (
        "illegal_wrongside_0_",
        Err("ply 51: \"a4a5\" is illegal: the piece belongs to the side that is not to move"),
    ),
    // The main line is legal, some variations are not.
    ("tree_0_", Ok((56, 13, 1))),
    ("tree_1_", Ok((30, 143, 10))),
    ("tree_2_", Ok((32, 100, 11))),
    ("tree_3_", Ok((31, 412, 1))),
    // A first node that promises another, none counted, and nothing behind it: positions.
    ("xqf_truncated_0_", Ok((0, 0, 0))),
    ("xqf_truncated_1_", Ok((0, 0, 0))),
    ("xqf_truncated_2_", Ok((0, 0, 0))),
    ("xqf_truncated_3_", Ok((0, 0, 0))),
];

fn all_moves(tree: &Tree<Position>) -> usize {
    let variations = tree.variations.iter().map(|variation| all_moves(&variation.tree));
    tree.moves.len() + variations.sum::<usize>()
}

#[test]
fn nasty_xqf() {
    let Some(folder) = shared("games/format_samples") else { return };
    let files = folder.join("xqf_nasty").read_dir().unwrap();
    let mut seen = 0;
    for path in files.map(|file| file.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let (_, expected) = NASTY_XQF.iter().find(|(begin, _)| name.starts_with(begin)).unwrap();
        let mut games = Vec::new();
        let bytes = std::fs::read(&path).unwrap();
        let summary = read_games(&name, &bytes, &mut |game| games.push(game));
        match (games.remove(0), expected) {
            (Ok(game), Ok((main, variations, cut))) => {
                let tree = &game.record.tree;
                let moves = (tree.moves.len(), all_moves(tree) - tree.moves.len());
                assert_eq!((moves, summary.cut_variations), ((*main, *variations), *cut), "{name}");
            }
            (Err(bad), Err(text)) => assert!(bad.to_string().contains(text), "{bad}"),
            (game, _) => panic!("{name}: {game:?}"),
        }
        seen += 1;
    }
    assert_eq!(seen, NASTY_XQF.len());
}

#[test]
fn healthy_xqf() {
    let Some(folder) = shared("games/format_samples") else { return };
    let mut files = read_folder(&folder.join("xqf_v10"));
    files.extend(read_folder(&folder.join("xqf_v11_18")));
    let (mut games, mut moves) = (0, 0);
    for file in files {
        if file.name == "BadMoveTest3.xqf" {
            assert!(matches!(&file.bad[..], [BadGameReason::Move { ply: 10, .. }]));
            continue;
        }
        assert_eq!((file.good.len(), &file.bad[..]), (1, &[][..]), "{}", file.name);
        let record = &file.good[0].record;
        games += 1;
        moves += all_moves(&record.tree);
        // One comment is damaged; no other text has bytes that stand for no character.
        let texts = format!("{:?} {:?}", record.tags, record.tree.comments);
        assert_eq!(texts.contains(r"\\x"), file.name == "game_test.xqf", "{}", file.name);
    }
    assert_eq!((games, moves), (69, 37_204));
}

#[test]
fn records_and_libraries_of_ccbridge() {
    let Some(folder) = shared("games/format_samples") else { return };
    let folder = folder.join("cbr_cbl");
    let sums = |name: &str| {
        let file = read(&folder.join(name));
        assert_eq!(file.bad, [], "{name}");
        let plies = file.good.iter().map(|game| all_moves(&game.record.tree)).sum::<usize>();
        (file.good.len(), plies)
    };
    assert_eq!(sums("test.cbr"), (1, 102));
    assert_eq!(sums("test2.cbr"), (1, 2));
    assert_eq!(sums("1956年全国象棋锦标赛93局.CBL").0, 93);
    // Two of its 38 records are headings without men; the last game stands there twice.
    let file = read(&folder.join("1989年龙化杯象棋名师邀请赛35局.CBL"));
    assert_eq!((file.good.len(), file.bad.len()), (36, 0));
    let [last, before] = [35, 34].map(|game| &file.good[game].record);
    assert_eq!(last.tree.moves, before.tree.moves);
    assert_eq!(last.tag("Red"), Some("陈淑兰"));
    assert_eq!(last.tag("Date"), Some("1989年6月"));
    // Of 256 games all lines are legal, which is what a library of that version is read for.
    let old = sums("OLD_CCBridge_v3_zlib_象棋残局基础.CBL");
    assert_eq!(old, (256, 9169));
}

#[test]
fn cbf_and_dhtmlxq() {
    let Some(folder) = shared("games/format_samples") else { return };
    for (name, title, plies) in [
        ("test.cbf", "第一局 屏风马巡河炮抵当头炮局(和)", 50),
        ("test2.cbf", "第十局 当头炮抵当头炮局(和)", 75),
    ] {
        let file = read(&folder.join("cbf").join(name));
        let record = &file.good[0].record;
        assert_eq!((record.tag("Title"), record.tree.moves.len()), (Some(title), plies));
    }
    let record = &read(&folder.join("dhtmlxq/game.ubb")).good[0].record;
    let comments: Vec<_> =
        record.tree.comments.iter().map(|(ply, text)| (*ply, text.as_str())).collect();
    assert_eq!(
        comments,
        [(1, "start of main line"), (5, "Here branching occurrs"), (9, "end of main line")]
    );
    assert!(record.tree.variations.iter().all(|variation| variation.ply == 4));
    let lens: Vec<_> = record.tree.variations.iter().map(|v| v.tree.moves.len()).collect();
    assert_eq!(lens, [4, 4, 6]);
    // 1,446 branches, one of which has a move that cannot be played.
    let file = read(&folder.join("dhtmlxq/dhtmlxq.txt"));
    assert_eq!(all_moves(&file.good[0].record.tree), 106_997);
}

/// The same games in formats that have nothing in common.
#[test]
fn twins_across_formats() {
    let Some(folder) = shared("games/format_samples") else { return };
    let games = |name: &str| read(&folder.join(name)).good;
    let moves = |name: &str| -> Vec<Vec<Move>> {
        games(name).into_iter().map(|game| game.record.tree.moves).collect()
    };
    let wxf = moves("pgn_wxf/fullwidth_wxf.pgn");
    let pages = [44, 45, 59, 65, 69, 73, 80, 85, 98, 116, 125, 130, 133, 138, 151];
    let pages: Vec<_> = pages.iter().flat_map(|n| moves(&format!("dhtmlxq/{n}.html"))).collect();
    assert!(pages == wxf);
    assert_eq!(moves("cbr_cbl/1956年全国象棋锦标赛93局.CBL")[71], wxf[7]);
    let example = moves("xqf_v10/XQFEXAMA.XQF");
    assert_eq!(example, moves("xqf_v11_18/test.xqf"));
    assert_eq!(example, moves("xqf_v11_18/test1.xqf"));
    let [pgn, xqf] = ["pgn_chinese_gbk/xuyinchuan_odds_fen_comments.pgn", "xqf_v10/SAMPLE.XQF"]
        .map(|name| games(name).remove(0).record);
    assert_eq!(
        (&pgn.start, &pgn.tree.moves, pgn.result),
        (&xqf.start, &xqf.tree.moves, xqf.result)
    );
    for name in ["Event", "Red", "Black"] {
        assert_eq!(pgn.tag(name), xqf.tag(name), "{name}");
    }
}

#[test]
fn records_of_game_programs() {
    let Some(folder) = shared("games/format_samples") else { return };
    let wild = |name: &str| read(&folder.join("wild").join(name));
    let plies = |name: &str| {
        let file = wild(name);
        assert_eq!((file.good.len(), &file.bad[..]), (1, &[][..]), "{name}");
        all_moves(&file.good[0].record.tree)
    };
    assert_eq!(plies("sample_08_movesky.mxq"), 68);
    assert_eq!(plies("sample_10_17pk.CCM"), 100);
    assert_eq!(plies("sample_11_ourgame-chess.chn"), 45);
    assert_eq!(plies("1.xqr"), 543);
    assert_eq!(plies("sample_31_pengfei.pfc"), 3);
    let chn = &wild("sample_11_ourgame-chess.chn").good[0].record;
    assert_eq!((chn.tag("Red"), chn.tag("Date")), (Some("木易四郎"), Some("2016.12.27")));
    let mxq = &wild("sample_08_movesky.mxq").good[0].record;
    assert_eq!(mxq.result, Some(Outcome::Win(Side::Second)));
    let xqr = &wild("1.xqr").good[0].record;
    assert_eq!(
        (xqr.tag("Black"), xqr.result),
        (Some("湖北 李雪松"), Some(Outcome::Win(Side::First)))
    );
    // The 61st move leaves the own king in check, the 62nd captures it.
    let che = wild("sample_14_QQchess.che");
    let leaves_check = IllegalReason::LeavesCheck;
    assert!(
        matches!(&che.bad[..], [BadGameReason::Move { ply: 61, error: MoveError::Illegal { reason, .. } }]
            if *reason == leaves_check),
        "{:?}",
        che.bad
    );
}

#[test]
fn an_old_library_of_ccbridge() {
    let Some(folder) = shared("games/format_samples") else { return };
    let file = read(&folder.join("wild/sample_21_MeiHuaPu.cbl"));
    assert_eq!((file.good.len(), file.bad.len()), (47, 0));
    let plies: usize = file.good.iter().map(|game| all_moves(&game.record.tree)).sum();
    assert_eq!(plies, 1923);
    let record = &file.good[0].record;
    assert_eq!(record.tag("Red"), Some("让先屏风马"));
    assert_eq!((record.start.is_none(), record.result), (true, Some(Outcome::Win(Side::Second))));
}

/// A tree of 15,352 moves in 282 lines, of which two end early at a move that cannot be played.
#[test]
fn one_tree_in_cbf_and_in_cbr_of_version_1() {
    let Some(folder) = shared("games/format_samples") else { return };
    let packed = std::fs::File::open(folder.join("wild/sample_22_ccbridge.cbf.zst")).unwrap();
    let cbf = zstd::decode_all(packed).unwrap();
    let cbr = std::fs::read(folder.join("wild/sample_23_ccbridge.cbr")).unwrap();
    let both = [cbf, cbr].map(|bytes| {
        let mut games = Vec::new();
        let summary = read_games("", &bytes, &mut |game| games.push(game.unwrap().record));
        assert_eq!((games.len(), summary.cut_variations), (1, 2));
        games.remove(0)
    });
    assert_eq!(both[0].tree.moves, both[1].tree.moves);
    assert_eq!(both[0].tag("Title"), both[1].tag("Title"));
    let lines = |tree: &Tree<Position>| -> usize {
        fn count(tree: &Tree<Position>) -> usize {
            1 + tree.variations.iter().map(|variation| count(&variation.tree)).sum::<usize>()
        }
        count(tree)
    };
    // Behind the two moves that cannot be played are another 108.
    for record in &both {
        assert_eq!((all_moves(&record.tree), lines(&record.tree)), (15_242, 282));
    }
}

#[test]
fn found_in_the_wild() {
    let Some(folder) = shared("games/format_samples") else { return };
    let wild = folder.join("wild");
    if !wild.exists() {
        println!("skipped: no samples in wild/");
        return;
    }
    for (name, games, plies) in [
        ("davide2022.pgn", 26, 80),
        ("ranks1-10.txt", 1, 4),
        ("demo-with-history-playok.wxf", 1, 54),
        ("game1.wxf", 1, 138),
        ("game2.wxf", 1, 101),
        ("game4.wxf", 1, 99),
        ("sample_04x.txt", 1, 45),
        ("sample_12x_ourgame-chess.txt", 1, 44),
    ] {
        let read = read(&wild.join(name));
        assert_eq!(read.bad, [], "{name}");
        assert_eq!(
            (read.good.len(), read.good[0].record.tree.moves.len()),
            (games, plies),
            "{name}"
        );
    }
}
