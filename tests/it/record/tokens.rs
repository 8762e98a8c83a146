//! Texts of games with words that are no moves, with moves that leave out which piece is meant, and in other encodings.

use juzhong::game::Notation;
use juzhong::gomoku::Board;
use juzhong::record::{
    BadGameReason, Chunk, Format, Formats, Keep, Note, ParsedGame, Place, ReadOptions, ReadSummary,
    Record, WriteOptions, read_chunk, split_games,
};
use proptest::prelude::*;

use crate::support::games::{Read, moves, read, read_one};

fn game(text: &str) -> ParsedGame {
    read_one(text.as_bytes()).unwrap_or_else(|bad| panic!("{text}: {bad}"))
}

fn line(text: &str) -> String {
    moves(&game(text).record.tree)
}

/// Reads with a choice of what is kept.
fn read_kept(bytes: &[u8], keep: Keep) -> (Vec<Read>, ReadSummary) {
    let (mut games, mut summary) = (Vec::new(), ReadSummary::default());
    for chunk in split_games(bytes, usize::MAX) {
        let chunk: Chunk = chunk.read_with(ReadOptions::keeping(keep));
        summary += read_chunk("t", bytes, &chunk, &mut |game| games.push(game));
    }
    (games, summary)
}

const TAGS: &str = "[Event \"a\"]\n\n";

#[test]
fn signs_of_value_and_words_cost_nothing() {
    for sign in [
        "±",
        "∓",
        "⩲",
        "⩱",
        "∞",
        "=",
        "+=",
        "=+",
        "+/=",
        "=/+",
        "+-",
        "-+",
        "+/-",
        "-/+",
        "+--",
        "N",
        "D",
        "TN",
        "novelty",
        "good!",
        "+0.35",
        "+0.35/12",
        "d=12",
        "12s",
        "ep",
        "e.p.",
        "}",
        "]",
        "妙手",
        "红优",
        "将军",
        "中局均势",
        "———",
        "好棋，",
        "#",
        "+",
        "(N)",
        "(=)",
        "⇆",
        "□",
        "Diagram",
        "[x",
        "½",
        "1/2?",
        "$14",
        "b20x",
        "resigns",
        "x",
        "?!",
        "0.35",
        "—— 好",
    ] {
        for text in [
            format!("{TAGS}1. h2e2 {sign} h9g7 2. h0g2 *\n"),
            format!("{TAGS}1. 炮二平五 {sign} 马８进７ 2. 马二进三 {sign}\n"),
            format!("{TAGS}1. C2=5 H8+7 {sign} 2. H2+3 *\n"),
            format!("[White \"a\"]\n\n1. Che2 {sign} Hg7 2. Hg2 {sign} *\n"),
            format!(
                "FORMAT WXF\nSTART{{\n1. C2.5 {} H8+7\n2. H2+3\n}}END\n",
                sign.replace(['}', ';'], "")
            ),
            format!("标题：a\n\n1. 炮二平五 {sign} 马８进７\n2. 马二进三\n"),
        ] {
            if sign.starts_with("1/2") {
                continue; // a result, which ends a game
            }
            assert_eq!(line(&text), "h2e2 h9g7 h0g2", "{text}");
        }
    }
}

#[test]
fn words_are_counted_and_named() {
    let text = format!("{TAGS}1. h2e2 ± h9g7\nnovelty 2. h0g2 (2. c3c4 N) *\n");
    let (games, summary) = read(text.as_bytes());
    assert_eq!((summary.games, summary.skipped_words, summary.cut_variations), (1, 3, 0));
    let game = games[0].as_ref().unwrap();
    let words = game.words.as_ref().unwrap();
    assert_eq!(words.count, 3);
    let places: Vec<_> = words.first.iter().map(|(place, word)| (*place, word.as_str())).collect();
    let expected = [(Place::Line(3), "±"), (Place::Line(4), "novelty"), (Place::Line(4), "N")];
    assert_eq!(places, expected);
    assert_eq!(words.to_string(), "\"±\" (line 3), \"novelty\" (line 4), \"N\" (line 4)");
    let words = self::game(&format!("{TAGS}1. h2e2+- h9g7 *\n")).words.unwrap();
    assert_eq!(words.to_string(), "\"+-\" (line 3)");
    let many = format!("{TAGS}1. h2e2 {}h9g7 *\n", "foo ".repeat(100));
    let words = self::game(&many).words.unwrap();
    assert_eq!((words.count, words.first.len()), (100, 8));
    assert!(words.to_string().ends_with("\"foo\" (line 3) and 92 more"), "{words}");
}

#[test]
fn numbers_between_moves_are_no_evidence() {
    for text in [
        "1. h2e2 ± 0.35 h9g7 N 12 2. h0g2",
        "1. h2e2 foo 3 h9g7 bar 17 2. h0g2",
        "1. h2e2 2. foo h9g7 3. h0g2",
        "7. h2e2 ± h9g7 8. foo h0g2",
        "1. h2e2 {2.} ± 1... h9g7 foo 2. h0g2",
        "1. h2e2 foo 2 h9g7 h0g2",
    ] {
        assert_eq!(line(&format!("{TAGS}{text} *")), "h2e2 h9g7 h0g2", "{text}");
    }
}

#[test]
fn lists_of_moves_may_have_signs() {
    for text in ["炮二平五 ± 马８进７ 马二进三", "h2e2 N h9g7 = h0g2", "C2=5 +- H8+7 H2+3"]
    {
        assert_eq!(line(text), "h2e2 h9g7 h0g2", "{text}");
    }
    assert_eq!(line("h2e2 -- h9g7"), "h2e2");
}

#[test]
fn signs_may_stand_right_behind_moves() {
    for text in [
        "1. h2e2± h9g7+- 2. h0g2=",
        "1. C2=5= H8+7+/- 2. H2+3-+",
        "1. 炮二平五± 马８进７∓ 2. 马二进三!?",
        "1. h2e2!+- h9g7?= 2. h0g2N",
        "1. h2e2$14 h9g7!$1 2. h0g2$139",
    ] {
        assert_eq!(line(&format!("{TAGS}{text} *")), "h2e2 h9g7 h0g2", "{text}");
    }
}

#[test]
fn a_null_move_ends_the_game() {
    for null in ["--", "Z0", "z0", "null", "NULL", "pass", "0000", "@@@@", "a0a0", "E9-E9", "空着"]
    {
        let text = format!("{TAGS}1. h2e2 h9g7 2. {null} i9h9 3. h0g2 1-0\n");
        let (games, summary) = read(text.as_bytes());
        assert_eq!((summary.games, summary.noted), (1, 1), "{null}");
        let game = games[0].as_ref().unwrap();
        assert_eq!(moves(&game.record.tree), "h2e2 h9g7", "{null}");
        assert_eq!(game.note, Some(Note::NullMove));
        assert!(game.record.result.is_some(), "{null}");
        let text = format!("{TAGS}1. h2e2 (1. c3c4 {null} 2. c4c5) h9g7 *\n");
        let (games, summary) = read(text.as_bytes());
        let tree = &games[0].as_ref().unwrap().record.tree;
        assert_eq!((moves(tree).as_str(), summary.cut_variations), ("h2e2 h9g7", 1));
        assert_eq!(moves(&tree.variations[0].tree), "c3c4");
    }
}

#[test]
fn what_stands_in_the_place_of_a_move_is_no_word() {
    // What resembles a move, or leaves a number without its move, cuts the game there.
    for (text, word) in [
        ("1. 炮二平五 马８进７ 2. 马二进Ｑ 车９平８", "马二进Q"),
        ("1. 炮二平五 马８进７ 2. 马二进 车９平８ 3. 车一平二", "马二进"),
        ("1. C2=5 H8+7 2. H2+X R9=8", "H2+X"),
        ("1. h2e2 h9g7 2. h0gX i9h9", "h0gX"),
        ("1. 炮二平五 马８进７ 2. 啊啊 卒７进１ 3. 兵三进一", "啊啊"),
        ("1. C2=5 H8+7 2. foo C8=5 3. H2+3", "foo"),
        ("1 C2=5 H8+7 2 foo C8=5 3 H2+3", "foo"),
        ("1. 炮二平五 马８进７ 2. □□ 卒７进１ 3. 兵三进一", "□□"),
        ("1. h2e2 h9g7 2. xyzzy i9h9 3. h0g2", "xyzzy"),
    ] {
        let text = format!("{TAGS}{text} *\n");
        let bad = read_one(text.as_bytes()).unwrap_err();
        assert_eq!(bad.reason.bad_ply(), Some(3), "{text}: {bad}");
        assert!(bad.reason.to_string().contains(word), "{bad}");
        let (games, summary) = read_kept(text.as_bytes(), Keep::LegalPart);
        assert_eq!((summary.games, summary.cut, summary.skipped_words), (1, 1, 0), "{text}");
        let game = games[0].as_ref().unwrap();
        assert_eq!(moves(&game.record.tree), "h2e2 h9g7", "{text}");
    }
    // A text without any move is no game.
    for text in [format!("{TAGS}foo bar *"), format!("{TAGS}7g7f 3c3d *"), "nonsense\n".to_owned()]
    {
        assert!(read_one(text.as_bytes()).is_err(), "{text}");
    }
    // A position with words is one.
    let text = "[FEN \"3k5/9/9/9/9/9/9/9/9/R3K4 w\"]\n\nRed to move and win *\n";
    assert_eq!(line(text), "");
}

#[test]
fn brackets_that_close_nothing_cost_nothing() {
    assert_eq!(line(&format!("{TAGS}1. h2e2) h9g7 }} 2. h0g2 ] *")), "h2e2 h9g7 h0g2");
    let text = format!("{TAGS}1. h2e2 h9g7 {{never closed\n");
    assert_eq!(read_one(text.as_bytes()).unwrap_err().reason, BadGameReason::OpenComment);
    let (games, _) = read_kept(text.as_bytes(), Keep::LegalPart);
    assert_eq!(moves(&games[0].as_ref().unwrap().record.tree), "h2e2 h9g7");
}

#[test]
fn pawns_sideways_without_their_file() {
    let with = |fen: &str, text: &str| {
        line(&format!("[White \"a\"]\n[Variant \"xiangqi\"]\n[FEN \"{fen}\"]\n\n1. {text} *\n"))
    };
    // A red pawn on g6, a black horse on f6.
    let capture = "4k4/9/9/5nP2/9/9/9/9/9/3K5 w";
    assert_eq!(with(capture, "xf6"), "g6f6");
    assert_eq!(with(capture, "gxf6"), "g6f6");
    let quiet = "4k4/9/9/6P2/9/9/9/9/9/3K5 w";
    assert_eq!(with(quiet, "f6"), "g6f6");
    assert_eq!(with(quiet, "g7"), "g6g7");
    // A pawn on the file goes first; the other is not meant.
    let both = "4k4/9/9/6P2/5P3/9/9/9/9/3K5 w";
    assert_eq!(with(both, "f6"), "f5f6");
    assert_eq!(with(both, "gf6"), "g6f6");
    // Two pawns can go there: the rest of the game tells.
    let two = "4k4/9/9/4P1P2/9/9/9/9/9/3K5 w";
    assert_eq!(with(two, "f6 Ke8 2. g7"), "e6f6 e9e8 g6g7");
    assert_eq!(with(two, "f6 Kf9 2. e7"), "g6f6 e9f9 e6e7");
    // Black's pawns.
    let black = "4k4/9/9/9/9/9/6p2/9/9/3K5 b";
    assert_eq!(with(black, "f3"), "g3f3");
}

#[test]
fn the_rest_of_the_game_tells_which_piece_moves() {
    // Red's rooks on a2 and i2.
    let rooks = "3k5/9/9/9/9/9/9/R7R/9/4K4 w";
    let text = |moves: &str| format!("[White \"a\"]\n[FEN \"{rooks}\"]\n\n1. {moves} *\n");
    assert_eq!(line(&text("Re2 Kd8 2. Ra9")), "i2e2 d9d8 a2a9");
    assert_eq!(line(&text("Re2 Kd8 2. Ri9")), "a2e2 d9d8 i2i9");
    let (games, summary) = read(text("Re2 Kd8 2. Rd2 Ke8").as_bytes());
    assert_eq!((games.len(), summary.games, summary.guessed), (1, 0, 0));
    let (_, summary) = read(text("Re2 Kd8 2. Ra9").as_bytes());
    assert_eq!(summary.guessed, 1);
    // Chinese texts without 前 or 后.
    let pawns = "3k5/9/9/9/2P6/9/2P6/9/9/4K4 w";
    let text = format!("[FEN \"{pawns}\"]\n\n1. 兵七进一 将４进１ 2. 兵七平八 *\n");
    assert_eq!(line(&text), "c5c6 d9d8 c6b6");
    // Many choices end in bounded time.
    let many = "[White \"a\"]\n[FEN \"3k5/9/9/9/9/9/9/R7R/9/4K4 w\"]\n\n".to_owned()
        + &"Re2 Ke9 Ri2 Kd9 ".repeat(200);
    drop(read(many.as_bytes()));
}

fn units(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

#[test]
fn utf16_with_and_without_a_mark() {
    let games = [
        "[Red \"吕钦\"]\r\n\r\n1. 炮二平五 马８进７ 2. 马二进三 *\r\n",
        "[Red \"a\"]\n\n1. h2e2 h9g7 2. h0g2 *\n",
        "h2e2 h9g7 h0g2\n",
        "{\"moves\":\"h2e2 h9g7 h0g2\"}\n",
        "标题：五七炮\r\n\r\n1. 炮二平五 马８进７\r\n2. 马二进三\r\n",
        "FORMAT WXF\nRED 吕\nSTART{\n1. C2.5 H8+7\n2. H2+3\n}END\n",
        "[DhtmlXQ]\n[DhtmlXQ_title]甲[/DhtmlXQ_title]\n[DhtmlXQ_movelist]774770627967[/DhtmlXQ_movelist]\n[/DhtmlXQ]\n",
    ];
    for text in games {
        let (_, plain) = read(text.as_bytes());
        for unit in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            for mark in ["", "\u{feff}"] {
                let bytes = units(&format!("{mark}{text}"), unit);
                let (games, summary) = read(&bytes);
                assert_eq!(summary, plain, "{text}");
                let game = games[0].as_ref().unwrap_or_else(|bad| panic!("{text}: {bad}"));
                assert_eq!(moves(&game.record.tree), "h2e2 h9g7 h0g2", "{text}");
                if text.contains('吕') {
                    assert_eq!(
                        game.record.tag("Red"),
                        Some(if text.contains("RED") { "吕" } else { "吕钦" })
                    );
                }
            }
        }
    }
    // Lines are counted as in the text.
    let bytes = units("[Red \"a\"]\n\n1. h2e2 h9g7\n2. h0h5 *\n", u16::to_le_bytes);
    assert_eq!(read_one(&bytes).unwrap_err().place, Place::Line(4));
}

#[test]
fn western_names_are_read() {
    for (red, black) in [("Müller", "José García"), ("François", "Bjørn Ægir"), ("Großmann", "Zoë")]
    {
        for moves_text in ["1. h2e2 h9g7 2. h0g2", "1. C2=5 H8+7 2. H2+3", "1. Che2 Hg7 2. Hg2"] {
            let text = format!("[White \"{red}\"]\n[Black \"{black}\"]\n\n{moves_text} *\n");
            let bytes = encoding_rs::WINDOWS_1252.encode(&text).0;
            let (games, summary) = read(&bytes);
            assert_eq!((summary.games, summary.undecoded), (1, 0), "{text}");
            let record = &games[0].as_ref().unwrap().record;
            assert_eq!((record.tag("White"), record.tag("Black")), (Some(red), Some(black)));
            assert_eq!(moves(&record.tree), "h2e2 h9g7 h0g2");
        }
    }
    // A game in each encoding in one file.
    let mut bytes =
        encoding_rs::WINDOWS_1252.encode("[Red \"Müller\"]\n\n1. h2e2 *\n\n").0.into_owned();
    bytes.extend(&*encoding_rs::GB18030.encode("[Red \"许银川\"]\n\n1. 炮二平五 *\n\n").0);
    bytes.extend(&*encoding_rs::BIG5.encode("[Red \"許銀川\"]\n\n1. 炮二平五 馬８進７ *\n\n").0);
    bytes.extend("[Red \"Ödön\"]\n\n1. h2e2 *\n".as_bytes());
    let (games, _) = read(&bytes);
    let names: Vec<_> =
        games.iter().map(|g| g.as_ref().unwrap().record.tag("Red").unwrap()).collect();
    assert_eq!(names, ["Müller", "许银川", "許銀川", "Ödön"]);
}

/// An XQF of the usual start with these texts in its fields for names, and a first move.
fn xqf(red: &[u8], black: &[u8], comment: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let record = game("[Red \"a\"]\n\n1. h2e2 {c} h9g7 *\n").record;
    juzhong::record::write_xqf(&mut bytes, &record).unwrap();
    for (at, text) in [(0x130, red), (0x140, black)] {
        bytes[at] = text.len() as u8;
        bytes[at + 1..at + 16].fill(0);
        bytes[at + 1..][..text.len()].copy_from_slice(text);
    }
    let length = 1_u32.to_le_bytes();
    let place =
        bytes.array_windows().position(|w: &[u8; 5]| w[..4] == length && w[4] == b'c').unwrap();
    bytes.splice(
        place..place + 5,
        (comment.len() as u32).to_le_bytes().into_iter().chain(comment.iter().copied()),
    );
    bytes
}

#[test]
fn names_in_binary_files_in_other_encodings() {
    let encodings: [(&'static encoding_rs::Encoding, [&str; 3]); 6] = [
        (encoding_rs::GB18030, ["许银川", "吕钦", "好棋"]),
        (encoding_rs::GB18030, ["許銀川", "趙國榮", "好棋"]),
        (encoding_rs::BIG5, ["許銀川", "呂欽", "好棋，紅方優勢"]),
        (encoding_rs::BIG5, ["胡榮華", "王", ""]),
        (encoding_rs::UTF_8, ["许银川", "吕钦", "好棋"]),
        (encoding_rs::WINDOWS_1252, ["Müller", "José", "schön"]),
    ];
    for (encoding, texts) in encodings {
        let [red, black, comment] = texts.map(|text| encoding.encode(text).0.into_owned());
        let (games, summary) = read(&xqf(&red, &black, &comment));
        assert_eq!((summary.games, summary.undecoded), (1, 0), "{texts:?}");
        let record = &games[0].as_ref().unwrap().record;
        let found = [record.tag("Red"), record.tag("Black")];
        assert_eq!(found, [Some(texts[0]), Some(texts[1])], "{}", encoding.name());
        if !comment.is_empty() {
            assert_eq!(record.tree.comments[0].1, texts[2]);
        }
    }
    // A character of UTF-8 that the field cuts off, and bytes of no encoding, which are noted.
    let (games, summary) = read(&xqf(&"许银川许银川".as_bytes()[..14], b"a", b""));
    assert_eq!(games[0].as_ref().unwrap().record.tag("Red"), Some("许银川许"));
    assert_eq!(summary.undecoded, 0);
    let (_, summary) = read(&xqf(b"\xff\xff\x80", b"a", b""));
    assert_eq!(summary.undecoded, 1);
}

#[test]
fn a_game_is_opened_up_to_its_fault() {
    let illegal = "[FEN \"3k5/9/9/9/9/9/9/9/9/R3K4 w\"]\n\n1. a0b1 *\n";
    for (keep, games) in [(Keep::Nothing, 0), (Keep::LegalPart, 0), (Keep::Opened, 1)] {
        let (read, summary) = read_kept(illegal.as_bytes(), keep);
        assert_eq!((summary.games, summary.cut), (games, games), "{keep:?}");
        assert_eq!(read[0].is_ok(), games == 1);
    }
    // Of a usual game whose first move is illegal its tags are left, if there are some.
    let (_, summary) = read_kept(b"[Red \"a\"]\n\n1. h2h8 h9g7 *\n", Keep::Opened);
    assert_eq!((summary.games, summary.bad), (1, 0));
    let (_, summary) = read_kept(b"1. h2h8 h9g7 *\n", Keep::Opened);
    assert_eq!((summary.games, summary.bad), (0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Words strewn between the moves change nothing of the game.
    #[test]
    fn words_between_moves_are_passed_over(
        words in prop::collection::vec("[g-z±∓∞妙好局]{1,6}", 1..6),
        at in prop::collection::vec(0..8_usize, 1..6),
    ) {
        let mut tokens: Vec<String> =
            ["1.", "h2e2", "h9g7", "2.", "h0g2", "i9h9", "3.", "i0h0"].map(str::to_owned).into();
        for (word, at) in words.iter().zip(at) {
            prop_assume!(!["null", "pass"].contains(&word.as_str()));
            tokens.insert(at.min(tokens.len()), word.clone());
        }
        let text = format!("{TAGS}{} *\n", tokens.join(" "));
        prop_assert_eq!(line(&text), "h2e2 h9g7 h0g2 i9h9 i0h0", "{}", text);
    }

    /// Any bytes can be read as a text.
    #[test]
    fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..400), big in any::<bool>()) {
        let mark: &[u8] = if big { b"\xfe\xff" } else { b"\xff\xfe" };
        drop(read(&bytes));
        drop(read(&[mark, &bytes].concat()));
        drop(read_kept(&bytes, Keep::Opened));
    }
}

fn read_gomoku(bytes: &[u8], options: ReadOptions) -> Vec<Result<Record<Board>, String>> {
    let mut games = Vec::new();
    for chunk in Board::split_games(bytes, usize::MAX) {
        Board::read_chunk("t", bytes, &chunk.read_with(options), &mut |game| {
            games.push(game.map(|game| game.record).map_err(|bad| bad.to_string()));
        });
    }
    games
}

fn points(record: &Record<Board>) -> String {
    record.tree.moves.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[test]
fn names_of_properties_as_the_first_formats_of_sgf_have_them() {
    for text in [
        "(;GM[4]SZ[15]PB[a];B[hh];W[ih]C[c])",
        "(;GaMe[4]SiZe[15]PlayerBlack[a];Black[hh];White[ih]Comment[c])",
        "(;gm[4]sz[15]pb[a];b[hh];w[ih]c[c])",
    ] {
        for bytes in [text.as_bytes().to_vec(), units(text, u16::to_le_bytes)] {
            let games = read_gomoku(&bytes, ReadOptions::default());
            let record = games[0].as_ref().unwrap_or_else(|bad| panic!("{text}: {bad}"));
            assert_eq!(points(record), "h8 i8", "{text}");
            assert_eq!(record.tag("Black"), Some("a"), "{text}");
            assert_eq!(record.tree.comments, [(2, "c".to_owned())], "{text}");
        }
    }
}

#[test]
fn the_size_of_a_board_can_be_told() {
    let told =
        |width, height| ReadOptions { board: Some((width, height)), ..ReadOptions::default() };
    for (options, side, moves) in [
        (ReadOptions::default(), (15, 15), "h8 i9"),
        (told(15, 15), (15, 15), "h8 i9"),
        (told(19, 19), (19, 19), "j10 k11"),
        (told(20, 18), (20, 18), "k9 l10"),
    ] {
        let games = read_gomoku(b"0,0, 1,-1\n", options);
        let record = games[0].as_ref().unwrap();
        let board = record.start.clone().unwrap_or_else(Board::start);
        assert_eq!((board.width(), board.height()), side);
        assert_eq!(points(record), moves);
        let write = |board| {
            let (mut out, options) =
                (Vec::new(), WriteOptions { board, ..WriteOptions::default() });
            Board::write_record(&mut out, record, Format::Offsets, &options).map(|_| out)
        };
        assert_eq!(write(Some(side)).unwrap(), b"0,0, 1,-1\n");
        assert_eq!(write(None).is_ok(), side == (15, 15));
    }
    let games = read_gomoku(b"h8i9\n", told(19, 19));
    assert_eq!(games[0].as_ref().unwrap().start.as_ref().unwrap().width(), 19);
    // A line that says its size keeps it; a board that no game is played on is refused.
    let games = read_gomoku(b"15x15 h8i9\n", told(19, 19));
    assert!(games[0].as_ref().unwrap().start.is_none());
    assert!(read_gomoku(b"0,0, 1,-1\n", told(40, 40))[0].is_err());
    assert!(read_gomoku(b"9,9\n", told(15, 15))[0].is_err());
}
