//! CBR, CBL, CBF and DhtmlXQ: good, damaged and hostile ones, and what the writer of DhtmlXQ writes.

use juzhong::game::{Outcome, Side};
use juzhong::record::{
    BadGameReason, Dropped, Format, MAX_VARIATION_DEPTH, Place, Record, Tree, WriteOptions,
    write_dhtmlxq, write_game,
};
use juzhong::xiangqi::{Move, Position, Role, Square};
use proptest::prelude::*;

use crate::support::games::{
    TAGS, check_prefixes, moves, outline, read, read_one, reason, records,
};

/// A node of a CBR: move, marks, comment.
type Node = (&'static str, u8, &'static str);

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

const fn from_top(square: Square) -> u8 {
    (9 - square.rank()) * 9 + square.file()
}

/// A CBR with these nodes; the first stands for the start.
fn cbr(fen: Option<&str>, nodes: &[Node]) -> Vec<u8> {
    // Rubbish between and behind the fields, as in real files.
    let mut bytes = vec![0xee; 2214];
    bytes[..16].copy_from_slice(b"CCBridge Record\0");
    for at in [308, 756, 820, 852, 884, 948, 1012, 1140, 1204, 1364, 1428, 1652, 1780] {
        bytes[at..at + 2].fill(0);
    }
    for (at, text) in [(180, "标题\0x"), (692, "某赛\0"), (1076, "甲\0"), (1300, "乙\0")] {
        bytes[at..at + utf16(text).len()].copy_from_slice(&utf16(text));
    }
    bytes[2076] = 1;
    bytes[2112] = 1;
    let position = fen.map_or(Position::start(), |fen| Position::from_fen(fen).unwrap());
    for square in Square::all() {
        let code = |role| {
            1 + [
                Role::Rook,
                Role::Horse,
                Role::Elephant,
                Role::Advisor,
                Role::King,
                Role::Cannon,
                Role::Pawn,
            ]
            .iter()
            .position(|r| *r == role)
            .unwrap() as u8
        };
        let man = position
            .piece_at(square)
            .map_or(0, |p| 0x10 * (1 + p.side().index() as u8) + code(p.role()));
        bytes[2120 + usize::from(from_top(square))] = man;
    }
    for (mv, marks, comment) in nodes {
        let (from, to) =
            Move::parse(mv).map_or((0, 0), |mv| (from_top(mv.from()), from_top(mv.to())));
        bytes.extend([marks | if comment.is_empty() { 0 } else { 4 }, 0, from, to]);
        if !comment.is_empty() {
            bytes.extend((utf16(comment).len() as u32).to_le_bytes());
            bytes.extend(utf16(comment));
        }
    }
    bytes
}

/// A main line of four moves with two variations.
const NODES: [Node; 8] = [
    ("", 0, "开始\r\n第二行"),
    ("h2e2", 0, ""),
    ("h9g7", 2, "屏风马"),
    ("h0g2", 0, ""),
    ("i9h9", 1, ""),
    ("h7e7", 2, ""),
    ("h0g2", 1, ""),
    ("b9c7", 1, "完"),
];

const OUTLINE: &str = "{开始\n第二行} h2e2 h9g7 (h7e7 h0g2) (b9c7 {完}) {屏风马} h0g2 i9h9";

/// A library of these records, with room for `slots` in its index.
fn cbl(slots: u32, records: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = b"CCBridgeLibrary\0".to_vec();
    bytes.resize(60, 0);
    bytes.extend(slots.to_le_bytes());
    bytes.resize(66_624 + 276 * slots as usize, 0);
    for record in records {
        let start = bytes.len();
        bytes.extend(record);
        bytes.resize(start + record.len().next_multiple_of(4096), 0xee);
    }
    bytes
}

#[test]
fn a_record_of_ccbridge() {
    let game = read_one(&cbr(None, &NODES)).unwrap();
    let record = &game.record;
    assert_eq!(outline(&record.tree), OUTLINE);
    assert_eq!((record.start.is_some(), record.result), (false, Some(Outcome::Win(Side::First))));
    let tags: Vec<_> = record.tags.iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(tags, ["Title=标题", "Event=某赛", "Red=甲", "Black=乙"]);
    assert_eq!(game.place, Place::Offset(0));
    let fen = "3k5/9/9/9/9/9/9/9/9/4K3R b";
    let black = cbr(Some(fen), &[("", 0, ""), ("d9d8", 1, "")]);
    let record = read_one(&black).unwrap().record;
    assert_eq!(record.start, Some(Position::from_fen(fen).unwrap()));
}

#[test]
fn bad_records_of_ccbridge() {
    let good = cbr(None, &NODES);
    let changed = |at: usize, value: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        reason(&bytes).to_string()
    };
    assert_eq!(changed(2120, &[0x18]), "0x18 on square 0 of the board is no man");
    assert_eq!(changed(2120, &[0x31]), "0x31 on square 0 of the board is no man");
    assert!(changed(2124, &[0]).contains("black has no king"));
    let text = changed(2218, &[0xff, 0xff, 0xff, 0x7f]);
    assert!(text.contains("claims 2147483647 bytes"), "{text}");
    let endless = cbr(None, &[("", 0, ""), ("h2e2", 0, "")]);
    assert_eq!(reason(&endless), BadGameReason::Truncated("the tree of moves".into()));
    let illegal = cbr(None, &[("", 0, ""), ("h2e2", 0, ""), ("h9h8", 1, "")]);
    let bad = read_one(&illegal).unwrap_err();
    assert_eq!(bad.place, Place::Offset(2222));
    assert!(bad.to_string().starts_with("test: game 1: ply 2: \"h9h8\" is illegal"));
    check_prefixes(&good);
}

#[test]
fn libraries_of_ccbridge() {
    let long = cbr(None, &[("", 0, ""), ("h2e2", 1, &"长".repeat(3000).leak()[..])]);
    let mut empty = cbr(None, &NODES);
    empty[2120..2210].fill(0);
    let bad = cbr(None, &[("", 0, ""), ("h2h1", 0, "")]);
    let deleted = vec![0; 100];
    let records = [cbr(None, &NODES), long, empty, deleted, bad, cbr(None, &NODES)];
    for slots in [0, 128, 3] {
        let bytes = cbl(slots, &records);
        let (games, summary) = read(&bytes);
        assert_eq!((summary.games, summary.bad), (3, 1));
        let numbers: Vec<_> =
            games.iter().map(|g| g.as_ref().map_or_else(|g| g.game, |g| g.game)).collect();
        assert_eq!(numbers, [1, 2, 3, 4]);
        let first = u64::from(66_624 + 276 * slots);
        assert_eq!(games[1].as_ref().unwrap().place, Place::Offset(first + 4096));
        let bad = games[2].as_ref().unwrap_err();
        assert!(matches!(bad.reason, BadGameReason::Truncated(_)), "{bad}");
        assert_eq!(outline(&games[0].as_ref().unwrap().record.tree), OUTLINE);
    }
    for slots in [127_u32, 129, 0] {
        let mut wrong = cbl(128, &records);
        wrong[60..64].copy_from_slice(&slots.to_le_bytes());
        assert_eq!(read(&wrong).1.games, 3, "{slots}");
    }
    let mut cut = cbl(128, &records);
    cut.truncate(cut.len() - 5000);
    let (games, summary) = read(&cut);
    assert_eq!((summary.games, summary.bad), (2, 2));
    let last = games.last().unwrap().as_ref().unwrap_err();
    assert!(last.to_string().contains("its last block"), "{last}");
    let huge = cbl(0, &[]);
    assert_eq!(read(&huge).1, Default::default());
    let mut claims = huge;
    claims[60..64].fill(0xff);
    assert!(reason(&claims).to_string().contains("claims 4294967295 games"));
    assert!(matches!(reason(&claims[..40]), BadGameReason::Truncated(_)));
    let old = b"CCBridge\x14\0\0\0\x03\0\0\0\xd8\xda\x02\0x\xda";
    assert!(matches!(reason(old), BadGameReason::Unsupported(_)));
}

#[test]
fn hostile_trees_of_ccbridge_are_bounded() {
    let mut bytes = cbr(None, &[("", 0, "")]);
    let there_and_back = ["h2h1", "h7h8", "h1h2", "h8h7"].map(|mv| Move::parse(mv).unwrap());
    for n in 0..1_000_000 {
        let mv = there_and_back[n % 4];
        bytes.extend([2, 0, from_top(mv.from()), from_top(mv.to())]);
    }
    assert!(matches!(reason(&bytes), BadGameReason::Truncated(_)));
    bytes.resize(bytes.len() + (1 << 20), 0);
    assert!(matches!(reason(&bytes), BadGameReason::TooLong(_) | BadGameReason::Move { .. }));
}

const CBF: &str = "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<ChineseChessRecord Version=\"1.0\">
 <Head>
  <Name>炮 &amp; 马 & <3</Name><URL /><Contest>某赛</Contest><Red>甲</Red>
  <RedRating>2400</RedRating>
  <RecordResult>2</RecordResult>
  <FEN>rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1</FEN>
 </Head>
 <MoveList>
  <Move value=\"00-00\"><![CDATA[<开始>]]></Move>
  <!-- <Move value=\"00-01\" /> -->
  <Move value=\"77-47\" />
  <Move value='70-62'>a &lt; b</Move>
  <Move value=\"79-67\" end=\"1\"></Move>
 </MoveList>
</ChineseChessRecord>
";

#[test]
fn a_cbf() {
    let record = read_one(CBF.as_bytes()).unwrap().record;
    assert_eq!(outline(&record.tree), "{<开始>} h2e2 h9g7 {a < b} h0g2");
    assert_eq!(record.result, Some(Outcome::Win(Side::Second)));
    assert!(record.start.is_none());
    let tags: Vec<_> = record.tags.iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(tags, ["Title=炮 & 马 & <3", "Event=某赛", "Red=甲", "RedElo=2400"]);
    let gbk = encoding_rs::GB18030.encode(&CBF[3..]).0.into_owned();
    assert_eq!(read_one(&gbk).unwrap().record.tag("Event"), Some("某赛"));
    let fen = "3k5/9/9/9/9/9/9/9/9/4K3R b - - 7 1";
    let moved =
        CBF.replace("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1", fen);
    let endgame =
        moved.replace("77-47", "30-31").replace("70-62", "89-79").replace("79-67", "31-30");
    let record = read_one(endgame.as_bytes()).unwrap().record;
    assert_eq!((moves(&record.tree).as_str(), record.start_clock), ("d9d8 i0h0 d8d9", 7));
}

#[test]
fn bad_cbfs() {
    let said = |from: &str, to: &str| {
        let bad = read_one(CBF.replace(from, to).as_bytes()).unwrap_err();
        (bad.place, bad.reason.to_string())
    };
    let (place, text) = said("70-62", "70-60");
    assert_eq!(place, Place::Line(13));
    assert!(text.contains("ply 2: \"h9g9\" is illegal"), "{text}");
    assert!(said("70-62", "7062").1.contains("ply 2: \"7062\" is no move"));
    assert!(said("70-62", "97-62").1.contains("ply 2: \"#97-g7\" is illegal: it leaves the board"));
    assert!(said("RNBAKABNR w", "RNBA1ABNR w").1.contains("red has no king"));
    assert!(said("</MoveList>", "").1.contains("truncated"));
    assert!(said("<MoveList>", "").1.contains("no MoveList follows"));
    let cut = CBF.replace("</MoveList>", "<Move value=\"10-22\"/></MoveList>");
    assert_eq!(read(cut.as_bytes()).1.cut_variations, 1);
    check_prefixes(CBF.as_bytes());
}

const PAGE: &str = r"<html><script>var s = '[DhtmlXQ]\n[DhtmlXQ_title]a&amp;b &lt;i&gt; \u4e2d[\/DhtmlXQ_title]\
[DhtmlXQ_redteam]北京[/DhtmlXQ_team][DhtmlXQ_result]\u9ed1\u80dc[/DhtmlXQ_result]\
[DhtmlXQ_gametype]快棋[/DhtmlXQ_gametype][DhtmlXQ_open][/DhtmlXQ_open]
[DhtmlXQ_comment4_2]四||之二[/DhtmlXQ_comment4_2][DhtmlXQ_comment0]开始[/DhtmlXQ_comment0]
[DhtmlXQ_movelist]7747 7062
7967[/DhtmlXQ_movelist][DhtmlXQ_move_0_2_4]7242796770621927[/DhtmlXQ_move_0_2_4]
[DhtmlXQ_move_4_3_7]7770[/DhtmlXQ_move_4_3_7][DhtmlXQ_move_4_2_6]1022[/DhtmlXQ_move_4_2_6]
[DhtmlXQ_comment7_3]断[/DhtmlXQ_comment7_3][/DhtmlXQ]';</script>
<p>[DhtmlXQiFrame][DhtmlXQ_movelist]7746[/DhtmlXQ_movelist][/DhtmlXQiFrame] [DhtmlXQ][DhtmlXQ_ver]x[/DhtmlXQ]";

#[test]
fn games_in_a_page() {
    let (games, summary) = read(PAGE.as_bytes());
    assert_eq!((summary.games, summary.bad, summary.cut_variations), (1, 1, 1));
    let game = games[0].as_ref().unwrap();
    assert_eq!((game.place, game.game), (Place::Line(1), 1));
    let record = &game.record;
    let expected = "{开始} h2e2 h9g7 (h7e7 {四\n之二} h0g2 h9g7 b0c2) (b9c7) h0g2";
    assert_eq!(outline(&record.tree), expected);
    let tags: Vec<_> = record.tags.iter().map(|(n, v)| format!("{n}={v}")).collect();
    assert_eq!(tags, ["Title=a&b <i> 中", "RedTeam=北京", "gametype=快棋"]);
    assert_eq!(record.result, Some(Outcome::Win(Side::Second)));
    let bad = games[1].as_ref().unwrap_err();
    assert_eq!((bad.place, bad.game), (Place::Line(9), 2));
    let gbk = encoding_rs::GB18030.encode(PAGE).0;
    let (games, _) = read(&gbk);
    assert_eq!(games[0].as_ref().unwrap().record.tag("RedTeam"), Some("北京"));
    check_prefixes(PAGE.as_bytes());
}

fn dhtmlxq(values: &[(&str, &str)]) -> String {
    let value = |(name, value): &(&str, &str)| format!("[DhtmlXQ_{name}]{value}[/DhtmlXQ_{name}]");
    values.iter().map(value).collect()
}

#[test]
fn boards_of_dhtmlxq() {
    let mut men = ["99"; 32];
    (men[4], men[8], men[20]) = ("49", "89", "30");
    let men = men.concat();
    let start = |fen, moves| {
        let text = dhtmlxq(&[("binit", &men), ("fen", fen), ("movelist", moves)]);
        let record = read_one(text.as_bytes()).unwrap().record;
        (record.start.unwrap().to_fen(), record.start_clock)
    };
    let expected = |turn| format!("3k5/9/9/9/9/9/9/9/9/4K3R {turn} - - 0 1");
    assert_eq!(start("", "89793031"), (expected("w"), 0));
    assert_eq!(start("", "30318979"), (expected("b"), 0));
    assert_eq!(start("", ""), (expected("w"), 0));
    let other = "3k5/9/9/9/9/9/9/9/9/5K3 b - - 12 30";
    assert_eq!(start(other, "3031"), (other.replace("12 30", "0 1"), 12));
}

#[test]
fn bad_dhtmlxq() {
    let said = |values: &[(&str, &str)]| reason(dhtmlxq(values).as_bytes()).to_string();
    assert!(said(&[("binit", "0919")]).contains("binit is not 64 digits: \"0919\""));
    assert!(said(&[("binit", &"09".repeat(32))]).contains("two men stand on a0"));
    assert!(said(&[("binit", &"9x".repeat(32))]).contains("binit is not 64 digits"));
    assert!(said(&[("movelist", "774")]).contains("ply 1: \"774\" is no move"));
    assert!(said(&[("movelist", "7747炮")]).contains("ply 2:"));
    assert!(
        said(&[("movelist", "77479700")])
            .contains("ply 2: \"#97-a9\" is illegal: it leaves the board")
    );
    assert!(
        said(&[("movelist", ""), ("fen", "9/9 w")]).contains("start position: FEN has 2 ranks")
    );
    assert_eq!(read(b"[DhtmlXQ_title]x[/DhtmlXQ_title]").1, Default::default());
    let cut = |branches: &[(&str, &str)]| {
        let values = [&[("movelist", "77477062")], branches].concat();
        read(dhtmlxq(&values).as_bytes()).1.cut_variations
    };
    assert_eq!(cut(&[("move_0_2_1", "7242"), ("move_0_2_1", "1022")]), 1);
    assert_eq!(cut(&[("move_1_2_1", "7242"), ("move_3_2_2", "7242"), ("move_2_3_3", "1022")]), 3);
    assert_eq!(
        cut(&[
            ("move_9_2_1", "7242"),
            ("move_0_3_2", "1022"),
            ("move_0_99999999999999999999999_3", "1022")
        ]),
        2
    );
    assert_eq!(cut(&[("move_0_2_1", "72427242"), ("move_1_4_2", "7967")]), 2);
}

#[test]
fn hostile_dhtmlxq_is_bounded() {
    // Each branch leaves the one before: by going on with it, at its own first ply, and in a circle.
    let firsts = ["7778", "7271", "7877", "7172"];
    let branches = |count: usize, ply: &dyn Fn(usize) -> usize, parent: &dyn Fn(usize) -> usize| {
        let mut text = dhtmlxq(&[("movelist", "77780001")]);
        for n in 1..=count {
            let moves = format!("{}{}", firsts[n % 4], if n % 2 == 0 { "0001" } else { "0908" });
            text += &dhtmlxq(&[(&format!("move_{}_{}_{n}", parent(n), ply(n)), &moves)]);
        }
        text
    };
    let before = |n: usize| n - 1;
    let deep = |count| branches(count, &|n| n + 1, &before);
    assert!(read_one(deep(MAX_VARIATION_DEPTH).as_bytes()).is_ok());
    assert_eq!(reason(deep(20_000).as_bytes()), BadGameReason::TooDeep);
    let same = branches(20_000, &|_| 2, &before);
    assert!(read(same.as_bytes()).1.cut_variations > 0);
    let circle = branches(20_000, &|n| n, &|n| n % 20_000 + 1);
    assert_eq!(read(circle.as_bytes()).1.cut_variations, 20_000);
    let open = "[DhtmlXQ_movelist]77".repeat(50_000) + &"[DhtmlXQ_".repeat(50_000);
    read(open.as_bytes());
    let big = dhtmlxq(&[("movelist", &"7747".repeat(2 << 20))]);
    assert!(matches!(reason(big.as_bytes()), BadGameReason::TooLong(_)));
    let many = "[DhtmlXQ_x]".repeat(1 << 20) + &dhtmlxq(&[("movelist", "7747")]);
    assert!(matches!(reason(many.as_bytes()), BadGameReason::TooLong(_)));
}

fn written(record: &Record<Position>) -> String {
    let mut out = Vec::new();
    write_dhtmlxq(&mut out, record).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn a_written_game() {
    let mut record = read_one(&cbr(None, &NODES)).unwrap().record;
    record.tags.push(("ECCO".to_owned(), "C00 [/x] &lt;".to_owned()));
    for (name, value) in [("Result", "*"), ("movelist", "x"), ("Comment", "y"), ("!", "z")] {
        record.tags.push((name.to_owned(), value.to_owned()));
    }
    let expected = "\
[DhtmlXQ]
[DhtmlXQ_ver]www_dpxq_com[/DhtmlXQ_ver]
[DhtmlXQ_init]500,350[/DhtmlXQ_init]
[DhtmlXQ_title]标题[/DhtmlXQ_title]
[DhtmlXQ_event]某赛[/DhtmlXQ_event]
[DhtmlXQ_red]甲[/DhtmlXQ_red]
[DhtmlXQ_black]乙[/DhtmlXQ_black]
[DhtmlXQ_ECCO]C00 &#91;/x] &amp;lt;[/DhtmlXQ_ECCO]
[DhtmlXQ_Comment]y[/DhtmlXQ_Comment]
[DhtmlXQ_result]红胜[/DhtmlXQ_result]
[DhtmlXQ_binit]0919293949596979891777062646668600102030405060708012720323436383[/DhtmlXQ_binit]
[DhtmlXQ_movelist]7747706279678070[/DhtmlXQ_movelist]
[DhtmlXQ_comment0]开始||第二行[/DhtmlXQ_comment0]
[DhtmlXQ_comment2]屏风马[/DhtmlXQ_comment2]
[DhtmlXQ_move_0_2_1]72427967[/DhtmlXQ_move_0_2_1]
[DhtmlXQ_move_0_2_2]1022[/DhtmlXQ_move_0_2_2]
[DhtmlXQ_comment2_2]完[/DhtmlXQ_comment2_2]
[/DhtmlXQ]

";
    assert_eq!(written(&record), expected);
    let again = read_one(expected.as_bytes()).unwrap().record;
    assert_eq!(again.tag("ECCO"), Some("C00 [/x] &lt;"));
    assert_eq!(again.tag("Comment"), Some("y"));
    let (format, options) = (Format::DhtmlXq, WriteOptions::default());
    let dropped = write_game(&mut Vec::new(), &record, format, &options).unwrap();
    assert_eq!(dropped, Dropped { tags: 2, ..Dropped::default() });
}

#[test]
fn a_second_title_is_left_out_and_counted() {
    let text =
        "[Title \"a\"]\n[Red \"r\"]\n[title \"b\"]\n[Black \"c\"]\n[Round \"\"]\n\n1. h2e2 *\n";
    let record = read_one(text.as_bytes()).unwrap().record;
    let mut ubb = Vec::new();
    let options = WriteOptions::default();
    let dropped = write_game(&mut ubb, &record, Format::DhtmlXq, &options).unwrap();
    assert_eq!(dropped, Dropped { tags: 1, ..Dropped::default() });
    let again = read_one(&ubb).unwrap().record;
    let tags = ["Title", "Red", "Black"].map(|name| again.tag(name).unwrap_or_default());
    assert_eq!(tags, ["a", "r", "c"]);
}

#[test]
fn the_encoding_of_each_game_of_dhtmlxq_is_found() {
    let game = |red: &str| {
        format!(
            "[DhtmlXQ][DhtmlXQ_red]{red}[/DhtmlXQ_red][DhtmlXQ_result]红胜[/DhtmlXQ_result][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist][/DhtmlXQ]\n"
        )
    };
    let gbk = |text: &str| encoding_rs::GB18030.encode(text).0.into_owned();
    let mut page = format!("<script>{}</script>\n", "var x;\n".repeat(12_000)).into_bytes();
    page.extend(gbk(&game("许银川")));
    page.extend(game("许银川").as_bytes());
    page.extend(gbk(&game("吕钦")));
    let (games, summary) = read(&page);
    assert_eq!((summary.games, summary.bad), (3, 0));
    for (game, name) in games.iter().zip(["许银川", "许银川", "吕钦"]) {
        let record = &game.as_ref().unwrap().record;
        assert_eq!(record.tag("Red"), Some(name));
        assert_eq!(record.result, Some(Outcome::Win(Side::First)));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn writing_dhtmlxq_then_reading_gives_the_same_record(record in records(), clock in 0..99_u32) {
        let start_clock = if record.start.is_some() { clock } else { 0 };
        let record = Record { start_clock, ..record };
        let text = written(&record);
        let (games, summary) = read((text.clone() + &text).as_bytes());
        prop_assert_eq!((summary.games, summary.bad, summary.cut_variations), (2, 0, 0), "{}", text);
        let read = &games[1].as_ref().unwrap().record;
        prop_assert_eq!(outline(&read.tree), outline(&record.tree));
        prop_assert_eq!(&read.start, &record.start);
        prop_assert_eq!((read.start_clock, read.result), (record.start_clock, record.result));
        for (name, _) in TAGS {
            prop_assert_eq!(read.tag(name).unwrap_or_default(), record.tag(name).unwrap().trim());
        }
    }

    #[test]
    fn changed_bytes_are_read_without_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let library = cbl(1, &[cbr(None, &NODES), cbr(None, &NODES)]);
        for mut bytes in [cbr(None, &NODES), library, CBF.as_bytes().to_vec(), PAGE.as_bytes().to_vec()] {
            for (at, value) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *value;
            }
            read(&bytes);
        }
    }

    #[test]
    fn any_bytes_behind_a_beginning_are_read_without_panic(
        tail in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let beginnings = [
            cbr(None, &NODES[..1]),
            cbl(0, &[]),
            b"CCBridge".to_vec(),
            b"<ChineseChessRecord><MoveList>".to_vec(),
            b"[DhtmlXQ_movelist]7747[DhtmlXQ_".to_vec(),
        ];
        for beginning in beginnings {
            read(&[&beginning[..], &tail].concat());
        }
    }

    #[test]
    fn any_words_are_read_without_panic(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "[DhtmlXQ]", "[DhtmlXQ_", "movelist]", "[/DhtmlXQ_x]", "[/DhtmlXQ]", "binit]", "fen]", "7747",
                "move_0_1_1]", "move_1_2_2]", "comment1]", "comment1_2]", "炮", "&#", "&amp;", r"\u4e2d", "||",
                "<ChineseChessRecord", ">", "<Move value=\"77-47\"", "<MoveList>", "</MoveList>", "end=\"1\"", "/>",
                "<![CDATA[", "]]>", "<!--", "\"", "<FEN>", "</FEN>", "[", "]",
            ]),
            0..40,
        )
    ) {
        read(("[DhtmlXQ_x]".to_owned() + &words.concat()).as_bytes());
        read(("<ChineseChessRecord>".to_owned() + &words.concat()).as_bytes());
    }
}

/// For the layout of a fixture.
#[test]
fn an_empty_tree_is_a_game() {
    let record = Record { tree: Tree::default(), ..read_one(CBF.as_bytes()).unwrap().record };
    assert_eq!(read_one(written(&record).as_bytes()).unwrap().record.tree.moves, []);
    assert!(read_one(&cbr(None, &[("", 1, "")])).unwrap().record.tree.moves.is_empty());
}
