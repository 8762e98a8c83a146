//! Tests of the formats of gomoku.

use proptest::prelude::*;

use crate::game::{Game, MoveList, Notation, Outcome, Side};
use crate::gomoku::{Board, Variant};
use crate::record::formats::Formats;
use crate::record::gomoku::{board, lib};
use crate::record::model::bad_game::BadGameReason;
use crate::record::model::format::Format;
use crate::record::model::limits::{FREE_SHARED, MAX_SHARED_RATIO, MAX_SHARED_TEXT};
use crate::record::model::options::{Keep, ReadOptions};
use crate::record::model::parsed::Note;
use crate::record::model::record::Record;
use crate::record::model::record::{Tree, Variation};
use crate::record::model::written::{Dropped, WriteError, WriteOptions};

fn read(bytes: &[u8]) -> Vec<Result<Record<Board>, String>> {
    let mut games = Vec::new();
    Board::read_records("t", bytes, &mut |game| {
        games.push(game.map(|game| game.record).map_err(|bad| bad.to_string()));
    });
    games
}

fn one(bytes: &[u8]) -> Record<Board> {
    let mut games = read(bytes);
    assert_eq!(games.len(), 1, "{games:?}");
    games.remove(0).unwrap()
}

fn fault(bytes: &[u8]) -> String {
    read(bytes).remove(0).unwrap_err()
}

fn moves(record: &Record<Board>) -> String {
    text(&record.tree)
}

/// The moves of a tree with the variations in brackets.
fn text(tree: &Tree<Board>) -> String {
    let mut words = Vec::new();
    for (ply, mv) in tree.moves.iter().enumerate() {
        words.push(mv.to_string());
        let here = tree.variations.iter().filter(|variation| variation.ply == ply);
        words.extend(here.map(|variation| format!("({})", text(&variation.tree))));
    }
    words.join(" ")
}

/// The comments of the variations of a tree.
fn comments(tree: &Tree<Board>) -> Vec<Vec<(usize, String)>> {
    tree.variations.iter().map(|variation| variation.tree.comments.clone()).collect()
}

fn write(record: &Record<Board>, format: Format) -> Result<Dropped, WriteError> {
    Board::write_record(&mut Vec::new(), record, format, &WriteOptions::default())
}

fn written(record: &Record<Board>, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    Board::write_record(&mut out, record, format, &WriteOptions::default()).unwrap();
    out
}

#[test]
fn lists_of_moves_in_every_form() {
    for line in ["h8i9h9", "H8 i9 h9", "1.h8 i9 2.h9", "h8,i9,h9 *", "15x15 freestyle h8i9h9"] {
        assert_eq!(moves(&one(line.as_bytes())), "h8 i9 h9", "{line}");
    }
    let black = Some(Outcome::Win(Side::First));
    for (line, result) in [
        ("h8i9 W", black),
        ("h8i9 L", Some(Outcome::Win(Side::Second))),
        ("h8i9 D", Some(Outcome::Draw)),
        ("h8i9 1-0", black),
        ("h8i9", None),
        ("h8a1i8a2j8a3k8a4l8", black),
    ] {
        assert_eq!(one(line.as_bytes()).result, result, "{line}");
    }
    let large = one(b"h8p16 W\n");
    assert_eq!(large.start.map(|board| board.width()), Some(20));
    let renju = one(b"12x9 renju a1b2").start.unwrap();
    assert_eq!((renju.width(), renju.height(), renju.variant()), (12, 9, Variant::Renju));
    assert_eq!(read(b"# a remark\nh8i9\n\nh8h9\n").len(), 2);
}

#[test]
fn bad_lines_have_their_places() {
    let games = read(b"h8i9 W\nh8h8 W\nh8 i9 nonsense\nh8a1i8a2j8a3k8a4l8a5\n99x99 h8\n");
    let faults: Vec<_> = games.iter().filter_map(|game| game.as_ref().err()).collect();
    for (fault, (line, part)) in faults.iter().zip([
        (2, "ply 2: h8 is occupied"),
        (3, "\"nonsense\" does not begin with a point"),
        (4, "ply 10: a5 comes after the end"),
        (5, "a board of 99x99"),
    ]) {
        assert!(fault.starts_with(&format!("t:{line}: ")) && fault.contains(part), "{fault}");
    }
    assert_eq!((games.len(), faults.len()), (5, 4));
}

#[test]
fn forbidden_moves_of_renju_are_illegal() {
    let three = "renju h8a1h9a3i10a5j10a7h10";
    let fault = fault(three.as_bytes());
    assert!(fault.contains("h10 is forbidden to Black: double-three"), "{fault}");
    assert_eq!(one(&three.as_bytes()[6..]).tree.moves.len(), 9);
}

#[test]
fn files_of_piskvork() {
    let game = "Piskvorky 20x20, 11:11, 0\r\n1,1,0\r\n11,11,5\r\n2,1,7\r\nA.exe\r\nB.exe\r\n-1\r\n";
    let record = one(game.as_bytes());
    assert_eq!(moves(&record), "a20 k10 b20");
    assert_eq!((record.tag("Black"), record.tag("White")), (Some("A.exe"), Some("B.exe")));
    assert_eq!(record.start.unwrap().width(), 20);
    let other = one(game.replace(", 0\r", ", 1\r").as_bytes());
    assert_eq!(other.tag("Black"), Some("B.exe"));
    let renju = one(b"Piskvorky 15x15, 0:0, 0\n8,8,0\na\nb\n-1\n0,Renju15_1\n");
    assert_eq!(renju.start.map(|start| start.variant()), Some(Variant::Renju));
    let five: String = (1..=5).map(|n| format!("{n},1,0\n{n},3,0\n")).collect();
    let won = one(format!("Piskvorky 15x15, 0:0, 0\n{}", &five[..five.len() - 6]).as_bytes());
    assert_eq!(won.result, Some(Outcome::Win(Side::First)));
    for (bad, part) in [
        ("Piskvorky\n1,1,0\n", "t:1: game 1: no size"),
        ("Piskvorky 900x9, 0\n", "no size"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n8,8,0\n", "t:3: game 1: ply 2: h8 is occupied"),
        ("Piskvorky 15x15, 0:0, 0\n8,8,0\n0,8,0\n", "t:3: game 1: ply 2: not on the 15x15 board"),
        ("Piskvorky 15x15, 0:0, 0\n16,1,0\n", "ply 1: not on"),
    ] {
        let fault = fault(bad.as_bytes());
        assert!(fault.contains(part), "{fault}");
    }
}

#[test]
fn files_of_gomotur() {
    let record = one(b"First\nSecond\n0,0,0\n7,7,12\n");
    assert_eq!(moves(&record), "a15 h8");
    assert_eq!((record.tag("Black"), record.tag("White")), (Some("First"), Some("Second")));
}

#[test]
fn trees_of_sgf() {
    let text = "(;FF[4]GM[4]SZ[15]PB[a\\]b]PW[c]RE[W+Resign]RU[1];B[hh]C[the middle];W[ih]\
                (;B[ii];W[hi])(;B[jj](;W[aa])(;W[bb]))(;B[zz]))";
    let record = one(text.as_bytes());
    assert_eq!(moves(&record), "h8 i8 i7 (j6 a15 (b14)) h7");
    assert_eq!((record.tag("Black"), record.tag("White")), (Some("a]b"), Some("c")));
    assert_eq!(record.result, Some(Outcome::Win(Side::Second)));
    assert_eq!(record.tree.comments, [(1, "the middle".to_owned())]);
    assert_eq!(record.start.unwrap().variant(), Variant::Standard);
    let two = read(b"(;SZ[15];B[hh])\n\n(;SZ[19];B[h8];W[pd])");
    assert_eq!(two.len(), 2);
    assert_eq!(moves(two[1].as_ref().unwrap()), "h8 p16");
    let placed = one(b"(;GM[4]SZ[9]AB[ee][ef]AW[aa];W[bb])");
    assert_eq!(placed.start.unwrap().to_fen(), "o8/9/9/9/4x4/4x4/9/9/9 o 5");
    for (bad, part) in [
        ("(;GM[1]SZ[19];B[aa])", "game 1 of SGF; 4 is gomoku"),
        ("(;SZ[15];B[hh];B[ii])", "ply 2: a stone of Black out of turn"),
        ("(;SZ[15]\n;B[hh]\n;W[hh])", "t:3: game 1: ply 2: h8 is occupied"),
        ("(;SZ[15];B[]) ", "ply 1: \"\" is no point"),
        ("(;SZ[15];B[hh]", "truncated"),
        ("(;SZ[15];B[hh", "truncated"),
        ("(;SZ[15];B", "truncated"),
        ("(;SZ[99])", "a board of 99x99"),
        ("(;SZ[x])", "is no number"),
    ] {
        let fault = fault(bad.as_bytes());
        assert!(fault.contains(part), "{bad}: {fault}");
    }
}

/// A library of nodes, each of place, flags and what follows.
fn library(nodes: &[u8]) -> Vec<u8> {
    let mut bytes = lib::MAGIC.to_vec();
    bytes.extend([3, 4]);
    bytes.resize(20, 0xff);
    bytes.extend(nodes);
    bytes
}

#[test]
fn libraries_of_renlib() {
    // The middle, then two answers, of which the first has a comment and goes on.
    let nodes = [0, 0, 0x78, 0, 0x69, 0x88, b'o', b'k', 0, 0, 0x79, 0x40, 0x68, 0x41, 0, 1];
    let nodes = [&nodes[..], b"A\0"].concat();
    let record = one(&library(&nodes));
    assert_eq!(moves(&record), "h8 i9 (h9) i8");
    assert_eq!(record.tree.comments, [(2, "ok".to_owned())]);
    assert_eq!(one(&library(&[0, 0x40])).tree.moves.len(), 0);
    for (nodes, part) in [
        (&[0, 0, 0x78][..], "truncated: the file ends within the tree"),
        (&[0, 0, 0x78, 0, 0x78, 0x40], "ply 2: h8 is occupied"),
        (&[0, 0, 0x78, 0x08, b'x'], "within a comment"),
        (&[0, 0, 0x78, 0, 0, 0x40], "\"pass\" is no point"),
    ] {
        let reason = fault(&library(nodes));
        assert!(reason.contains(part), "{reason}");
    }
    // Every node promises one in its place that never comes, and one below it.
    let deep: Vec<u8> = (0..2000).flat_map(|n| [0x11 + (n % 15) as u8, 0x80]).collect();
    assert!(read(&library(&deep)).len() == 1);
    let mut old = library(&[0, 0x40]);
    old[8] = 9;
    assert!(fault(&old).contains("version"));
}

#[test]
fn the_database_of_renju() {
    let xml = "<?xml version=\"1.0\"?>\n<database>\n<rules><rule id=\"3\" name=\"RIF\"/></rules>\n\
        <players><player id=\"7\" name=\"Ann\" surname=\"B\"/></players>\n\
        <tournaments><tournament id=\"2\" name=\"Cup\" year=\"1999\"/></tournaments>\n<games>\n\
        <game id=\"5\" tournament=\"2\" round=\"1\" rule=\"3\" black=\"7\" white=\"8\" bresult=\"0.5\">\n\
        <move>h8 h9 i9</move><info>good</info></game>\n\
        <game id=\"6\" black=\"8\" white=\"7\" bresult=\"0\"><move>h8 h8</move></game>\n\
        <game id=\"7\" bresult=\"0\"><move>h8 a1 h9 a3 i10 a5 j10 a7 h10</move></game>\n\
        </games>\n</database>\n";
    let games = read(xml.as_bytes());
    let first = games[0].as_ref().unwrap();
    assert_eq!(moves(first), "h8 h9 i9");
    assert_eq!(first.result, Some(Outcome::Draw));
    let tags: Vec<_> = first.tags.iter().map(|(n, v)| format!("{n}={v}")).collect();
    let expected = ["Event=Cup", "Round=1", "Date=1999", "Black=Ann B", "Rule=RIF", "Id=5"];
    assert_eq!(tags, expected);
    assert_eq!(first.start.as_ref().unwrap().variant(), Variant::Renju);
    let bad = games[1].as_ref().unwrap_err();
    assert!(bad.starts_with("t:9: game 2: ply 2: h8 is occupied"), "{bad}");
    let lost = games[2].as_ref().unwrap();
    assert_eq!((lost.tree.moves.len(), lost.result), (8, Some(Outcome::Win(Side::Second))));
    assert!(fault(b"<database><games><game><move>h8").contains("truncated"));
}

/// A database of a number of games of one tournament and one player.
fn database(games: usize, tournament: &str, game: &str) -> String {
    let tournament = format!("<tournament id=\"1\" name=\"{tournament}\" year=\"{tournament}\"/>");
    let player = format!("<player id=\"1\" name=\"{}\"/>", "P".repeat(5_000));
    format!(
        "<database><players>{player}</players><tournaments>{tournament}</tournaments><games>{}</games></database>",
        game.repeat(games)
    )
}

#[test]
fn names_that_games_share_are_bounded() {
    let game = "<game tournament=\"1\" black=\"1\"><move>h8 i9</move></game>";
    let xml = database(300, &"棋".repeat(100_000), game);
    let mut bytes = 0;
    let mut notes = Vec::new();
    let summary = Board::read_records("t", xml.as_bytes(), &mut |game| {
        let game = game.unwrap();
        bytes += game.record.tags.iter().map(|(_, value)| value.len()).sum::<usize>();
        assert!(game.record.tag("Event").unwrap().ends_with("棋…"));
        notes.push(game.note);
    });
    assert_eq!((summary.games, summary.noted), (300, 300));
    assert!(notes.iter().all(|note| *note == Some(Note::CutText)));
    assert!(bytes <= 300 * 3 * MAX_SHARED_TEXT, "{bytes}");
    // Names of any length are too much for a file that has hardly anything else.
    let xml = database(20_000, &"x".repeat(MAX_SHARED_TEXT), game);
    let mut bytes = 0;
    let mut fault = None;
    let summary = Board::read_records("t", xml.as_bytes(), &mut |game| match game {
        Ok(game) => bytes += game.record.tags.iter().map(|(_, value)| value.len()).sum::<usize>(),
        Err(bad) => fault = fault.take().or(Some(bad.to_string())),
    });
    assert!(bytes <= MAX_SHARED_RATIO * xml.len() + FREE_SHARED, "{bytes}");
    assert!(summary.games > 1_000 && summary.games + summary.bad == 20_000, "{summary:?}");
    assert!(fault.unwrap().contains("more than 8 times the file"));
    // Games that refer to nothing get nothing.
    let xml = "<database><players><player name=\"A\"/></players><games><game/></games></database>";
    assert!(one(xml.as_bytes()).tags.is_empty());
}

#[test]
fn tables_and_stones() {
    let record = one(b"Cup 1999=[Ann,Bob,+,8889,,0,fine, really]\n");
    assert_eq!((moves(&record).as_str(), record.tag("Event")), ("h8 h9", Some("Cup 1999")));
    assert_eq!(record.tag("Annotation"), Some("fine, really"));
    assert!(fault(b"C=[a,b,+,8808,,0,]\n").contains("ply 2: \"08\" is no point"));
    assert!(fault(b"C=[a,b,+,888,,0,]\n").contains("an odd number"));
    let stones = [3, 112, 0, 224];
    assert_eq!(moves(&one(&stones)), "h8 a15 o1");
    assert!(Board::sniff(&[3, 112, 112, 224]).is_err());
    assert!(Board::sniff(&[3, 112, 0]).is_err());
    assert_eq!(moves(&one(b"0,0, 1,-1, -7,7\n")), "h8 i9 a1");
    assert_eq!(one(b"0,0, 9,-10\n").start.map(|start| start.width()), Some(20));
    assert!(fault(b"0,0,1\n").contains("no format"));
    assert!(fault(b"0,0, 15,0\n").contains("ply 2: 15,0 is not on the board"));
}

#[test]
fn games_as_json_lines() {
    let line = r#"{"start":"20/20/20/20/20/20/20/20/20/20/20/20/20/20/20/20/20/20/20/20 x 5 renju","moves":"h8 i9","result":"1-0","lines":[{"of":0,"ply":1,"moves":"h9"}]}"#;
    let record = one(line.as_bytes());
    assert_eq!(moves(&record), "h8 i9 (h9)");
    assert_eq!(one(&written(&record, Format::Jsonl)).start, record.start);
    assert!(fault(b"{\"moves\":\"h8 h8\"}").contains("ply 2: h8 is occupied"));
    assert!(fault(b"{\"moves\":\"h8\",\"start\":\"9/8 x\"}").contains("start position"));
}

#[test]
fn what_a_format_has_no_place_for_is_said() {
    let placed = one(b"(;SZ[15]AB[hh];W[ih]C[x](;B[aa]))");
    for format in Board::WRITTEN {
        let written = write(&placed, *format);
        let has_place = matches!(format, Format::Jsonl | Format::Sgf);
        assert_eq!(written.is_ok(), has_place, "{format}");
    }
    assert!(write(&placed, Format::Rif).unwrap_err().to_string().contains("choose jsonl"));
    assert!(write(&placed, Format::Pgn).is_err());
    let tree = one(b"(;SZ[15]PB[a];B[hh]C[x](;W[aa])(;W[bb]))");
    let dropped = write(&tree, Format::Moves).unwrap();
    assert_eq!(dropped, Dropped { variations: 1, comments: 1, tags: 1, results: 0 });
    let large = one(b"20x20 h8");
    for (format, has_place) in [(Format::Psq, true), (Format::Lib, false), (Format::Bdt, false)] {
        assert_eq!(write(&large, format).is_ok(), has_place, "{format}");
    }
}

fn a_game(side: u8, variant: Variant, choices: &[u16]) -> Record<Board> {
    let start = Board::with_variant(side, side, 5, variant).unwrap();
    let mut board = start.clone();
    let mut moves = Vec::new();
    for choice in choices {
        let mut legal = MoveList::new();
        board.legal_moves(&mut legal);
        let Some(&mv) = legal.get(usize::from(*choice) % legal.len().max(1)) else { break };
        board.make(mv);
        moves.push(mv);
    }
    board::record(Vec::new(), &start, None, Tree { moves, ..Tree::default() })
}

fn any_game() -> impl Strategy<Value = Record<Board>> {
    let side = prop_oneof![Just(15), Just(20), 5..=20u8];
    let variant = prop::sample::select(&Variant::ALL[..]);
    (side, variant, prop::collection::vec(any::<u16>(), 1..60))
        .prop_map(|(side, variant, choices)| a_game(side, variant, &choices))
}

/// A game with comments and variations of one move or more.
fn any_tree() -> impl Strategy<Value = Record<Board>> {
    let choices = || prop::collection::vec(any::<u16>(), 1..12);
    let other = (any::<prop::sample::Index>(), choices(), "[a-z\\\\\\]]{0,4}");
    (choices(), prop::collection::vec(other, 0..5)).prop_map(|(main, others)| {
        let mut record = a_game(15, Variant::Freestyle, &main);
        for (at, choices, comment) in others {
            let ply = at.index(record.tree.moves.len());
            let mut board = Board::start();
            record.tree.moves[..ply].iter().for_each(|&mv| {
                board.make(mv);
            });
            let mut moves = Vec::new();
            for choice in choices {
                let mut legal = MoveList::new();
                board.legal_moves(&mut legal);
                let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else { break };
                board.make(mv);
                moves.push(mv);
            }
            let comments = if comment.is_empty() { Vec::new() } else { vec![(1, comment)] };
            if !moves.is_empty() {
                let tree = Tree { moves, comments, ..Tree::default() };
                record.tree.variations.push(Variation { ply, tree });
            }
        }
        record.tree.variations.sort_by_key(|variation| variation.ply);
        record
    })
}

#[test]
fn a_tree_that_ends_too_early_is_opened_up_to_there() {
    let text = "(;GM[4]SZ[15]PB[a];B[hh];W[ii];B[ji]C[good];W[hi])";
    let mut longest = 0;
    for end in 1..text.len() {
        let kept = |keep| {
            let mut games = Vec::new();
            let bytes = &text.as_bytes()[..end];
            for chunk in Board::split_games(bytes, usize::MAX) {
                let chunk = chunk.read_with(ReadOptions::keeping(keep));
                Board::read_chunk("t", bytes, &chunk, &mut |game| games.push(game));
            }
            games
        };
        let refused = kept(Keep::Nothing);
        let opened = kept(Keep::Opened);
        assert!(refused.iter().all(Result::is_err), "{end}");
        if let Some(Ok(game)) = opened.first() {
            let reason = &game.cut.as_ref().unwrap().reason;
            assert!(matches!(reason, BadGameReason::Truncated(_)), "{end}: {reason}");
            assert!(game.record.tree.moves.len() >= longest, "{end}");
            longest = game.record.tree.moves.len();
        }
    }
    assert_eq!(longest, 4);
}

#[test]
fn forty_stones_that_begin_as_a_tree_are_stones() {
    let stones = (0..225).filter(|&stone| stone != b';' && (stone % 5 == 0 || stone == b'['));
    let bytes: Vec<u8> = [b'(', b';'].into_iter().chain(stones.take(39)).collect();
    assert_eq!((bytes[0], bytes.len()), (40, 41));
    assert_eq!(Board::sniff(&bytes), Ok(Format::Pos));
    assert_eq!(Board::sniff(b"(;B[hh];W[ii])"), Ok(Format::Sgf));
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(record in any_game()) {
        for &format in Board::WRITTEN {
            let mut out = Vec::new();
            match Board::write_record(&mut out, &record, format, &WriteOptions::default()) {
                Ok(_) => {}
                Err(WriteError::Unfit(..)) => continue,
                Err(error) => panic!("{format}: {error}"),
            }
            prop_assert_eq!(Board::sniff(&out), Ok(format), "{}", String::from_utf8_lossy(&out));
            let again = one(&out);
            prop_assert_eq!(&again.tree.moves, &record.tree.moves, "{}", format);
            prop_assert_eq!(&again.start, &record.start, "{}", format);
            prop_assert_eq!(again.result, record.result, "{}", format);
        }
    }

    #[test]
    fn trees_are_written_and_read_again(record in any_tree()) {
        for format in [Format::Jsonl, Format::Sgf, Format::Lib] {
            let again = one(&written(&record, format));
            prop_assert_eq!(moves(&again), moves(&record), "{}", format);
            prop_assert_eq!(comments(&again.tree), comments(&record.tree), "{}", format);
        }
    }

    #[test]
    fn chunks_give_the_same_games(games in prop::collection::vec(any_game(), 1..20), size in 1..400usize) {
        let texts: Vec<_> = games.iter().map(|game| written(game, Format::Moves)).collect();
        let text = texts.concat();
        let mut found = Vec::new();
        for chunk in Board::split_games(&text, size) {
            Board::read_chunk("t", &text, &chunk, &mut |game| found.push(game.unwrap().record));
        }
        prop_assert_eq!(found.len(), games.len());
        for (found, game) in found.iter().zip(&games) {
            prop_assert_eq!(&found.tree.moves, &game.tree.moves);
        }
    }

    #[test]
    fn no_bytes_make_a_reader_panic(
        begin in prop::sample::select(vec![
            &b""[..], b"Piskvorky 15x15, 0:0, 0\n", b"(;SZ[15]", b"\xffRenLib\xff\x03\x04", b"<database><game ",
            b"{\"moves\":\"", b"a=[b,c,+,", b"0,0,", b"a\nb\n1,1\n", b"h8",
        ]),
        rest in prop_oneof![
            prop::collection::vec(any::<u8>(), 0..300),
            "[();BWC\\[\\]a-h0-9,\n= x<>\"]{0,200}".prop_map(String::into_bytes),
        ],
    ) {
        let _games = read(&[begin, &rest].concat());
    }
}
