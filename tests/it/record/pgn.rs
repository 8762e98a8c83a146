//! Reading and writing PGN: structure, encodings, malformed input, round trips.

use juzhong::game::{Game, Outcome, Side};
use juzhong::record::{
    BadGame, BadGameReason, Format, MAX_GAME_BYTES, MAX_PARTS, MAX_VARIATION_DEPTH, PgnOptions,
    Place, ReadSummary, Record, WriteOptions, read_chunk, split_games, write_game, write_jsonl,
    write_pgn,
};
use juzhong::xiangqi::notation::{IllegalReason, MoveError, MoveNotation};
use juzhong::xiangqi::{Position, START_FEN};
use proptest::prelude::*;

use crate::support::games::{Read, grow_with, moves, read, read_one};

/// The number of a line.
fn line(place: Place) -> u64 {
    match place {
        Place::Line(line) => line,
        Place::Offset(_) => panic!("a text has lines"),
    }
}

const VARIATIONS: &str = include_str!("../../data/pgn/variations.pgn");
const MIXED: &str = include_str!("../../data/pgn/mixed_quality.pgn");

#[test]
fn variations_comments_and_text_after_the_result() {
    let (games, summary) = read(VARIATIONS.as_bytes());
    assert_eq!(
        summary,
        ReadSummary { games: 1, cut_variations: 1, skipped_words: 1, ..ReadSummary::default() }
    );
    let record = &games[0].as_ref().unwrap().record;
    assert_eq!(record.tag("black"), Some("乙"));
    assert_eq!(record.result, Some(Outcome::Draw));
    assert!(record.start.is_none());
    let tree = &record.tree;
    assert_eq!(moves(tree), "h2e2 h9g7 h0g2 i9h9 i0h0");
    let comments = ["before the first move", "the central cannon\non two lines"];
    assert_eq!(tree.comments[0], (0, comments[0].to_owned()));
    assert_eq!(tree.comments[1], (1, comments[1].to_owned()));
    assert_eq!(tree.comments[2], (3, "to the end of the line".to_owned()));
    assert_eq!(tree.variations.len(), 1);
    let variation = &tree.variations[0];
    assert_eq!((variation.ply, moves(&variation.tree)), (1, "h7e7 h0g2 h9g7".to_owned()));
    let inner = &variation.tree.variations[0];
    assert_eq!((inner.ply, moves(&inner.tree)), (1, "e2e6 d9e8".to_owned()));
}

#[test]
fn a_bad_game_is_skipped_with_place_and_reason() {
    let (games, summary) = read(MIXED.as_bytes());
    assert_eq!((summary.games, summary.bad), (6, 6));
    assert_eq!((summary.skipped_words, summary.guessed), (2, 1));
    let reason = |game: usize| {
        let bad = games[game - 1].as_ref().unwrap_err();
        assert_eq!(bad.game, game as u64);
        (line(bad.place), bad.reason.clone())
    };
    let text = |text: &str| text.to_owned();
    let (line, illegal) = reason(2);
    let blocked = MoveError::Illegal { text: text("车一进五"), reason: IllegalReason::Blocked };
    assert_eq!((line, illegal), (9, BadGameReason::Move { ply: 3, error: blocked }));
    let missing = MoveError::NoSuchPiece(text("车五进一"));
    assert_eq!(reason(5), (22, BadGameReason::Move { ply: 1, error: missing }));
    assert!(matches!(reason(6), (25, BadGameReason::Start(_))));
    assert!(matches!(reason(7), (30, BadGameReason::Start(_))));
    assert_eq!(reason(8), (36, BadGameReason::OpenComment));
    assert!(matches!(reason(9), (_, BadGameReason::OpenVariation)));
    let said = games[1].as_ref().unwrap_err().to_string();
    assert_eq!(
        said,
        "test:9: game 2: ply 3: \"车一进五\" is illegal: \
         the way is blocked, or a cannon lacks its screen"
    );
}

#[test]
fn games_without_moves_and_with_black_to_move() {
    let (games, _) = read(MIXED.as_bytes());
    let empty = games[10].as_ref().unwrap();
    assert_eq!((empty.record.tree.moves.len(), empty.record.result), (0, None));
    let last = games[11].as_ref().unwrap();
    assert_eq!((last.game, last.place), (12, Place::Line(51)));
    let record = &last.record;
    assert_eq!(record.start.as_ref().unwrap().turn(), Side::Second);
    assert_eq!(record.start_clock, 3);
    assert_eq!(record.result, Some(Outcome::Win(Side::Second)));
    assert_eq!(moves(&record.tree), "h9g7 h0g2 i9h9");
}

#[test]
fn every_encoding_gives_the_same() {
    let traditional = "[Event \"許功蓋 {A} \"x\"\"]\n[Red \"吳\"]\n\n{功\\}1. 炮二平五 馬８進７\n\
                       2. 馬二進三 車９平８ 0-1\n";
    let expected = "h2e2 h9g7 h0g2 i9h9";
    let with_mark = format!("\u{feff}{traditional}");
    let sources = [
        traditional.as_bytes().to_vec(),
        with_mark.into_bytes(),
        encoding_rs::BIG5.encode(traditional).0.into_owned(),
        encoding_rs::GB18030.encode(traditional).0.into_owned(),
        traditional.replace('\n', "\r\n").into_bytes(),
    ];
    for source in sources {
        let record = read_one(&source).unwrap().record;
        assert_eq!(moves(&record.tree), expected);
        assert_eq!(record.tag("Event"), Some("許功蓋 {A} \"x\""));
        assert_eq!(record.tree.comments[0], (0, "功\\".to_owned()));
    }
}

#[test]
fn a_game_in_another_encoding_than_its_source() {
    let game = |red: &str| format!("[Red \"{red}\"]\n\n1. 炮二平五 马８进７ 1-0\n\n");
    let mut source = encoding_rs::GB18030.encode(&game("甲").repeat(50)).0.into_owned();
    let big5 = game("吳").replace('马', "馬").replace('进', "進");
    source.extend_from_slice(&encoding_rs::BIG5.encode(&big5).0);
    source.extend_from_slice(game("丙").as_bytes());
    let (games, summary) = read(&source);
    assert_eq!(summary.games, 52);
    let red = |game: &Read| game.as_ref().unwrap().record.tag("Red").unwrap().to_owned();
    assert_eq!([red(&games[0]), red(&games[50]), red(&games[51])], ["甲", "吳", "丙"]);
}

#[test]
fn what_is_no_pgn() {
    assert_eq!(read(b"").1, ReadSummary::default());
    assert_eq!(read(b"\n \r\n").1, ReadSummary::default());
    assert_eq!(read(b"{only a comment}").1, ReadSummary::default());
    let reason = |bytes: &[u8]| read_one(bytes).unwrap_err().reason;
    let hello = "\"Hello, world.\"".into();
    assert_eq!(reason(b"Hello, world."), BadGameReason::UnknownFormat(hello));
    let tags = b"; [Red]\n[Red \"a\"]\n\nHello,\n\n[Red \"b\"]\n";
    assert!(matches!(read(tags).0[0], Err(BadGame { place: Place::Line(4), .. })));
    assert_eq!(reason(b"\xff\xfe[\0E\0"), BadGameReason::UnknownFormat("\"[E\"".into()));
    let bytes = "the bytes ff 00 80 81 78".into();
    assert_eq!(reason(&[0xff, 0, 0x80, 0x81, b'x']), BadGameReason::UnknownFormat(bytes));
}

#[test]
fn coordinates_whatever_the_tags_say() {
    let play = |tags: &str| moves(&read_one(tags.as_bytes()).unwrap().record.tree);
    assert_eq!(play("[White \"a\"]\n[Black \"b\"]\n\n1. h2e2 h9g7 *"), "h2e2 h9g7");
    assert_eq!(play("[Variant \"xiangqi\"]\n\n1. H2-E2 H9-G7 2. Hg2 *"), "h2e2 h9g7 h0g2");
}

#[test]
fn each_game_keeps_its_tags_and_moves() {
    let results = |text: &str| {
        let (games, summary) = read(text.as_bytes());
        assert_eq!(summary.bad, 0, "{text}");
        let game = |read: &Read| {
            let record = &read.as_ref().unwrap().record;
            let (line, result) = (line(read.as_ref().unwrap().place), record.result);
            let result = result.map_or("*".to_owned(), |outcome| outcome.to_string());
            format!("{line} {result} {}", moves(&record.tree)).trim_end().to_owned()
        };
        games.iter().map(game).collect::<Vec<_>>()
    };
    let two_makers =
        "[Event \"a\"]\n[Result \"1-0\"]\n\n[Game \"b\"]\n[Result \"0-1\"]\n\n1. h2e2 *";
    assert_eq!(results(two_makers), ["1 1-0", "4 0-1 h2e2"]);
    let tagless = "1. h2e2 h9g7 1-0\n\n1. b2e2 b9c7 0-1\n\n1. c3c4\n\n1... c6c5 *\n";
    assert_eq!(results(tagless), ["1 1-0 h2e2 h9g7", "3 0-1 b2e2 b9c7", "5 * c3c4 c6c5"]);
    let one_line = "[Game \"x\"] [Result \"1-0\"] 1. h2e2 h9g7 1-0";
    assert_eq!(results(one_line), ["1 1-0 h2e2 h9g7"]);
    let carriage_returns = "[Red \"炮\"]\r; c\r1. h2e2 *\r\r[Red \"b\"]\r\r1. b2e2 0-1\r";
    assert_eq!(results(carriage_returns), ["1 * h2e2", "5 0-1 b2e2"]);
    let marked = "\u{feff}[Red \"a\"]\n\n1. h2e2 *\n\u{feff}[Result \"0-1\"]\n\n1. b2e2 *\n";
    assert_eq!(results(marked), ["1 * h2e2", "4 0-1 b2e2"]);
    let quoting = "[Red \"a\"]\n\n1. h2e2 {see\n\n[Red \"c\"]\n} h9g7 1-0\n";
    assert_eq!(results(quoting), ["1 1-0 h2e2 h9g7"]);
}

#[test]
fn moves_after_the_result_are_refused() {
    let reason =
        |text: &str| read_one(text.as_bytes()).map_err(|bad| (line(bad.place), bad.reason));
    let late = |line, text: &str| (line, BadGameReason::LateMove(text.to_owned()));
    assert_eq!(reason("1. h2e2 h9g7 1-0\n\nb2e2 0-1").unwrap_err(), late(3, "b2e2"));
    assert_eq!(reason("[Red \"a\"]\n\n1. h2e2 *\nh9g7").unwrap_err(), late(4, "h9g7"));
    assert!(reason("[Red \"a\"]\n\n1. h2e2 1-0 won on time\n").is_ok());
}

#[test]
fn a_bad_fen_is_reported_at_its_tag() {
    let text = "[Game \"x\"]\n[FEN \"9/9 w\"]\n[Red \"a\"]\n[FEN \"\"]\n\n\n1. h2e2 *";
    assert_eq!(read_one(text.as_bytes()).unwrap_err().place, Place::Line(2));
}

#[test]
fn chunks_number_games_as_the_whole_does() {
    for preface in ["", "; my collection\n\n", "{my\n[Red \"a\"]\ncollection}\n", "12\n\n"] {
        let text = preface.to_owned() + &"[Red \"a\"]\n\n1. h2e2 *\n\n".repeat(9);
        let place = |game: Read| game.map(|game| (game.game, game.place)).unwrap();
        let (whole, _) = read(text.as_bytes());
        let mut parts = Vec::new();
        let chunks = split_games(text.as_bytes(), 60);
        assert!(chunks.len() >= 3);
        for chunk in chunks {
            read_chunk("", text.as_bytes(), &chunk, &mut |game| parts.push(place(game)));
        }
        assert_eq!(parts, whole.into_iter().map(place).collect::<Vec<_>>());
    }
}

#[test]
fn long_and_deep_input_is_bounded() {
    let reason = |text: String| read_one(text.as_bytes()).unwrap_err().reason;
    let quoted = format!("h2e2 {{{}}} *", "\n[A \"1\"]".repeat(MAX_GAME_BYTES / 10));
    assert!(read_one(quoted.as_bytes()).is_ok());
    let nested = |depth| format!("1. h2e2 {}", "( h2d2 ".repeat(depth));
    assert_eq!(reason(nested(100_000)), BadGameReason::TooDeep);
    assert_eq!(reason("(".repeat(100_000)), BadGameReason::OpenVariation);
    assert_eq!(reason(format!("h2e2{}", "(x".repeat(100_000))), BadGameReason::OpenVariation);
    let closed = nested(MAX_VARIATION_DEPTH) + &")".repeat(MAX_VARIATION_DEPTH);
    assert!(read_one(closed.as_bytes()).is_ok());
    let brackets = format!("h2e2 (x {}", "[ ".repeat(MAX_GAME_BYTES / 4));
    assert_eq!(reason(brackets), BadGameReason::OpenVariation);
    let quotes = format!("[A \"{}{}", "\"]a".repeat(MAX_GAME_BYTES / 8), " ".repeat(1 << 20));
    assert!(read_one(quotes.as_bytes()).is_ok());
    let one_line = |tags| format!("{}\n\n1. h2e2 *", "[A \"\"]".repeat(tags));
    assert!(read_one(one_line(MAX_PARTS).as_bytes()).is_ok());
    assert_eq!(reason(one_line(MAX_GAME_BYTES / 8)), BadGameReason::TooManyParts);
    let many = format!("1. h2e2 {}*", "({a}) ".repeat(MAX_PARTS));
    assert_eq!(reason(many), BadGameReason::TooManyParts);
    let long = format!("1. h2e2 {}", "x".repeat(MAX_GAME_BYTES));
    assert_eq!(reason(long), BadGameReason::TooLong(MAX_GAME_BYTES + 8));
    let long_comment = format!("[A \"1\"]\n{{{}}} h2e2 *", "x".repeat(MAX_GAME_BYTES / 2));
    assert!(read_one(long_comment.as_bytes()).is_ok());
}

fn written(record: &Record<Position>, options: &PgnOptions) -> String {
    let mut out = Vec::new();
    write_pgn(&mut out, record, options).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_written_game() {
    let record = read_one(VARIATIONS.as_bytes()).unwrap().record;
    let expected = "\
[Game \"Chinese Chess\"]
[Event \"Variations and comments\"]
[Red \"甲\"]
[Black \"乙\"]
[ECCO \"C00\"]
[Result \"1/2-1/2\"]
[Format \"Chinese\"]

{before the first move} 1. 炮二平五 {the central cannon
on two lines} 1. ... 马８进７ (1. ... 炮８平５ {same side} 2. 马二进三
(2. 炮五进四 士４进５) 2. ... 马８进７) 2. 马二进三 {to the end of the line}
2. ... 车９平８ $1 3. 车一平二 1/2-1/2

";
    assert_eq!(written(&record, &PgnOptions::default()), expected);
}

#[test]
fn writing_without_variations_and_comments() {
    let record = read_one(VARIATIONS.as_bytes()).unwrap().record;
    let options = PgnOptions {
        notation: MoveNotation::Wxf,
        width: 20,
        variations: false,
        comments: false,
        ..PgnOptions::default()
    };
    let text = written(&record, &options);
    assert!(text.ends_with("\n\n1. C2=5 H8+7 2. H2+3\nR9=8 3. R1=2 1/2-1/2\n\n"), "{text}");
}

/// A comment of what ends comments and begins other things in PGN.
fn comment(choice: u16) -> String {
    let line = ["(1-0) [x] ; {", "[Event \"x\"]", " \n [Game \"{\"]", "\n1. h2e2 ; {"];
    let line = line[usize::from(choice) / 5 % 4];
    format!("注 {choice}\n{line}\n{{b")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn writing_then_reading_gives_the_same_record(
        choices in prop::collection::vec(any::<u16>(), 0..60),
        values in prop::collection::vec("[^\r\n\u{feff}]{0,12}", 0..4),
        notation in 0..4_usize,
        width in 0..100_usize,
        late_start in any::<bool>(),
    ) {
        let mut position = Position::start();
        if late_start {
            grow_with(&mut position, &[7, 11, 13], 9, comment);
        }
        let start = late_start.then(|| position.clone());
        let tags = values.iter().enumerate().map(|(i, v)| (format!("Tag{i}"), v.clone())).collect();
        let record = Record {
            tags,
            start,
            start_clock: if late_start { 5 } else { 0 },
            result: Some(Outcome::Win(Side::First)),
            tree: grow_with(&mut position, &choices, 0, comment),
        };
        let options = PgnOptions { notation: MoveNotation::ALL[notation], width, ..PgnOptions::default() };
        let text = written(&record, &options);
        let read = read_one(text.as_bytes()).map_err(|bad| TestCaseError::fail(format!("{bad}\n{text}")))?.record;
        // The writer joins a line of a comment that looks like a tag to the line before.
        let expected = format!("{:?}", &record.tree).replace(r"\n \n [", " [").replace(r"\n[", " [");
        prop_assert_eq!(format!("{:?}", &read.tree).replace("  [", " ["), expected);
        prop_assert_eq!(&read.start, &record.start);
        prop_assert_eq!((read.start_clock, read.result), (record.start_clock, record.result));
        for (name, value) in &record.tags {
            prop_assert_eq!(read.tag(name), Some(value.as_str()));
        }
        // JSONL loses nothing.
        let mut line = Vec::new();
        write_jsonl(&mut line, &record).unwrap();
        let again = read_one(&line).map_err(|bad| TestCaseError::fail(format!("{bad}")))?.record;
        prop_assert_eq!(format!("{again:?}"), format!("{record:?}"));
        // A plain list keeps the main line.
        let mut line = Vec::new();
        let pgn = PgnOptions { notation: options.notation, ..PgnOptions::default() };
        let plain = WriteOptions { pgn, ..WriteOptions::default() };
        write_game(&mut line, &record, Format::Plain, &plain).unwrap();
        let again = read_one(&line).map_err(|bad| TestCaseError::fail(format!("{bad}")))?.record;
        prop_assert_eq!(again.tree.moves, record.tree.moves);
        prop_assert_eq!((again.start, again.result), (record.start, record.result));
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        read(&bytes);
    }

    #[test]
    fn any_words_are_read_without_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "[Event \"x\"]\n", "[FEN \"", START_FEN, "\"]\n", "{", "}", "(", ")", ";", "\n", "1.",
                "炮二平五", "马８进７", "h2e2", "H2+3", "Che2", "1-0", "*", "$1", "．", "１", "\"", "前",
            ]),
            0..40,
        )
    ) {
        read(words.concat().as_bytes());
        read(words.join(" ").as_bytes());
    }
}

#[test]
fn glyphs_of_the_main_line_are_read_with_their_moves() {
    let pgn = "[Event \"a\"]\n\n$9 1. h2e2 $1 $14 h9g7 {x} $4 ({y} 1... b9c7 $2 2. b0c2) 2. h0g2 $999 i9h9$6 *\n";
    let mut games = Vec::new();
    juzhong::record::read_games("a.pgn", pgn.as_bytes(), &mut |game| games.extend(game.ok()));
    let nags: Vec<(usize, u8)> = games[0].nags.iter().map(|(&ply, &nag)| (ply, nag)).collect();
    assert_eq!(nags, [(0, 1), (1, 4), (3, 6)]);
}

#[test]
fn marks_behind_moves_are_their_glyphs() {
    let pgn = "[Event \"a\"]\n\n1. h2e2! h9g7?? 2. h0g2 !? (2. b0c2?! b9c7！！) 2... 车９平８？ 3. i0h0!$10 c6c5 *\n";
    let mut games = Vec::new();
    juzhong::record::read_games("a.pgn", pgn.as_bytes(), &mut |game| games.extend(game.ok()));
    let tree = &games[0].record.tree;
    assert_eq!(tree.glyphs, [(1, 1), (2, 4), (3, 5), (4, 2), (5, 1), (5, 10)]);
    assert_eq!(tree.variations[0].tree.glyphs, [(1, 6), (2, 3)]);
    assert_eq!(tree.moves.len(), 6, "{:?}", games[0]);
}
