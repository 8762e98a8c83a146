//! Records of the game programs: CHE, MXQ, CCM, CHN, PFC, XQR, CBF with variations, CBR of version 1
//! and libraries of the old CCBridge. Each is written here by an encoder of its own, from the
//! description of the format.

use std::fmt::Write as _;
use std::io::Write as _;

use juzhong::game::{Game, Outcome, Side};
use juzhong::record::{
    BadGameReason, Format, Note, Place, ReadSummary, Record, Tree, Variation, read_chunk,
    split_games, write_xqf,
};
use juzhong::xiangqi::{Move, Position, Role, START_FEN, Square};
use proptest::prelude::*;

use crate::support::folder::Folder;
use crate::support::games::{
    Read, check_prefixes, grow, moves, outline, read, read_one, reason, records,
};
use crate::support::program::{json, ok};

/// A move of a tree as binary files store it.
struct Stored {
    mv: Move,
    comment: String,
    is_last: bool,
    has_alternative: bool,
    /// From 1.
    number: usize,
}

/// Stores the moves that can be played in one position: lines, and how far each has come.
fn store(lines: &[(&Tree<Position>, usize)], number: usize, out: &mut Vec<Stored>) {
    let lines: Vec<_> = lines.iter().filter(|(tree, ply)| *ply < tree.moves.len()).collect();
    for (index, (tree, ply)) in lines.iter().enumerate() {
        let comments = tree.comments.iter().filter(|(at, _)| *at == ply + 1);
        out.push(Stored {
            mv: tree.moves[*ply],
            comment: comments.map(|(_, text)| text.as_str()).collect::<Vec<_>>().join("\n"),
            is_last: ply + 1 == tree.moves.len(),
            has_alternative: index + 1 < lines.len(),
            number,
        });
        let mut next = vec![(*tree, ply + 1)];
        add_variations(tree, ply + 1, &mut next);
        store(&next, number + 1, out);
    }
}

/// Adds the variations on the move at that ply, and those on their own first moves.
fn add_variations<'a>(
    tree: &'a Tree<Position>,
    ply: usize,
    lines: &mut Vec<(&'a Tree<Position>, usize)>,
) {
    for Variation { tree, .. } in tree.variations.iter().filter(|variation| variation.ply == ply) {
        lines.push((tree, 0));
        add_variations(tree, 0, lines);
    }
}

/// All moves of a tree, those on its first move included.
fn all_stored(tree: &Tree<Position>) -> Vec<Stored> {
    let mut lines = vec![(tree, 0)];
    add_variations(tree, 0, &mut lines);
    let mut out = Vec::new();
    store(&lines, 1, &mut out);
    out
}

fn preface(tree: &Tree<Position>) -> &str {
    tree.comments.first().filter(|(at, _)| *at == 0).map_or("", |(_, text)| text)
}

fn start_of(record: &Record<Position>) -> Position {
    record.start.clone().unwrap_or_else(Position::start)
}

/// Column and row from the top left.
const fn from_top(square: Square) -> (u8, u8) {
    (square.file(), 9 - square.rank())
}

const fn halves(square: Square) -> u8 {
    let (column, row) = from_top(square);
    column << 4 | row
}

fn gbk(text: &str) -> Vec<u8> {
    encoding_rs::GB18030.encode(text).0.into_owned()
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}

const fn red(result: Option<Outcome>) -> u8 {
    match result {
        None => 0,
        Some(Outcome::Win(Side::First)) => 1,
        Some(Outcome::Win(Side::Second)) => 2,
        Some(Outcome::Draw) => 3,
    }
}

fn che(moves: &[Move]) -> String {
    let mut text = format!("1 {}", moves.len());
    for (index, mv) in moves.iter().enumerate() {
        let (from, to) = (mv.from(), mv.to());
        let ends = format!("{} {} {} {}", from.rank(), from.file(), to.rank(), to.file());
        let _ = write!(text, " 7 32 {} {ends} 0 {} 0", (index + 1) % 2, index + 1);
    }
    text + "\n"
}

fn mxq(head: &[&str], moves: &[Move]) -> Vec<u8> {
    let letter = |square: Square| format!("{}{}", square.file(), (b'A' + square.rank()) as char);
    let mut strings: Vec<Vec<u8>> = head.iter().map(|text| gbk(text)).collect();
    strings.push(b"Moves".to_vec());
    strings.extend(
        moves.iter().map(|mv| format!("{}-{}", letter(mv.from()), letter(mv.to())).into_bytes()),
    );
    strings.extend([b"Ends".to_vec(), b"CommentsEnd".to_vec()]);
    strings.iter().flat_map(|text| [&[text.len() as u8][..], text].concat()).collect()
}

/// Columns and rows of a move's ends, as the side on that side of the board sees them.
fn ends(mv: Move, is_turned: bool) -> [u8; 4] {
    let (a, b) = (from_top(mv.from()), from_top(mv.to()));
    let [a, b] = [a, b].map(|(x, y)| if is_turned { (8 - x, 9 - y) } else { (x, y) });
    [a.0, a.1, b.0, b.1]
}

fn ccm(moves: &[Move], is_turned: bool) -> Vec<u8> {
    let mut bytes = vec![1, 0, 0x12, 0, 0x6b, 0x96, 0x60, 0x58];
    bytes.extend((moves.len() as u32).to_le_bytes());
    for (index, &mv) in moves.iter().enumerate() {
        let [a, b, c, d] = ends(mv, is_turned);
        bytes.extend([15, 1 + (index % 2) as u8, 6, a, b, c, d, 0, 0]);
    }
    bytes
}

fn bare_ccm(moves: &[Move], is_turned: bool) -> Vec<u8> {
    let ends = moves.iter().map(|&mv| ends(mv, is_turned));
    ends.flat_map(|[a, b, c, d]| [9, 9, 9, a, c, b, d]).collect()
}

fn bare_chn(moves: &[Move], is_turned: bool) -> Vec<u8> {
    let mut bytes = vec![0xee; 188];
    for &mv in moves {
        bytes.extend([0xee; 4]);
        bytes.extend(ends(mv, is_turned).iter().flat_map(|&n| u16::from(n).to_le_bytes()));
        bytes.extend([0xee; 20]);
    }
    bytes
}

fn chn(start: &Position, moves: &[Move], is_turned: bool) -> Vec<u8> {
    let roles = [
        Role::Rook,
        Role::Horse,
        Role::Cannon,
        Role::King,
        Role::Advisor,
        Role::Elephant,
        Role::Pawn,
    ];
    let mut bytes = vec![0; 472];
    bytes[..8].copy_from_slice(b"GL\xd0\x07\xd4\x07\x01\0");
    for (at, text) in
        [(8, "Tue Dec 27 20:57:56 2016\n"), (36, "甲 - 乙"), (120, "甲"), (140, "b"), (160, "乙")]
    {
        let text = gbk(text);
        bytes[at..at + text.len()].copy_from_slice(&text);
    }
    for square in Square::all() {
        let Some(piece) = start.piece_at(square) else { continue };
        let kind = roles.iter().position(|role| *role == piece.role()).unwrap() as u8 + 1;
        let (mut column, mut row) = from_top(square);
        if is_turned {
            (column, row) = (8 - column, 9 - row);
        }
        let man = 0x10 + kind + 8 * piece.side().index() as u8;
        bytes[180 + usize::from(column * 10 + row)] = man;
    }
    for index in 0..=moves.len() {
        let address = |index: usize| (0x2d3_0000 + 64 * index as u32).to_le_bytes();
        let next = if index == moves.len() { [0; 4] } else { address(index + 1) };
        let mut node = [address(index), [1; 4], next].concat();
        let [a, b, c, d] = index.checked_sub(1).map_or([15; 4], |i| ends(moves[i], is_turned));
        node.extend([0, 0, b << 4 | a, d << 4 | c]);
        node.resize(36, 0xee);
        bytes.extend(node);
    }
    bytes
}

fn pfc(record: &Record<Position>) -> String {
    let win = ["*", "1-0", "0-1", "1/2-1/2"][usize::from(red(record.result))];
    let comment = escaped(preface(&record.tree));
    let fen = start_of(record).to_fen();
    let mut text = format!(
        "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<n version=\"2\" win=\"{win}\" \
         create-time=\"2012\" red=\"甲\" m=\"{fen}\" c=\"{comment}\">"
    );
    let mut depth = 1;
    for Stored { mv, comment, is_last, number, .. } in all_stored(&record.tree) {
        while depth > number {
            text += "</n>";
            depth -= 1;
        }
        let _ = write!(text, "\n<n m=\"{mv}\" c=\"{}\"", escaped(&comment));
        text += if is_last { "/>" } else { ">" };
        depth += usize::from(!is_last);
    }
    text + &"</n>".repeat(depth)
}

fn xqr(record: &Record<Position>, is_today: bool) -> Vec<u8> {
    let mut bytes = vec![0, 2, 0x20, 0x17, 1, 1, 0];
    let mut field = |kind: u8, value: &[u8]| {
        bytes.extend([kind, value.len() as u8]);
        bytes.extend(value);
    };
    let names = if is_today { 6 } else { 5 };
    for (kind, name) in
        [(2, "Event"), (3, "Site"), (4, "Date"), (names, "Red"), (names + 1, "Black")]
    {
        field(kind, record.tag(name).unwrap_or_default().as_bytes());
    }
    field(names + 2, &[red(record.result)]);
    if let Some(start) = &record.start {
        field(names + 3, start.to_fen().as_bytes());
    }
    field(names + 4, b"");
    let moves = all_stored(&record.tree);
    let mut node = |squares: [u8; 2], marks: u8, comment: &str| {
        bytes.extend([squares[0], squares[1], marks | if comment.is_empty() { 0 } else { 4 }, 0]);
        if !comment.is_empty() {
            bytes.extend((comment.len() as u32).to_le_bytes());
            bytes.extend(comment.as_bytes());
        }
    };
    node([0, 0], u8::from(!moves.is_empty()), preface(&record.tree));
    for Stored { mv, comment, is_last, has_alternative, .. } in moves {
        let square = |square| halves(square).rotate_left(4);
        let marks = u8::from(!is_last) | u8::from(has_alternative) << 1;
        node([square(mv.from()), square(mv.to())], marks, &comment);
    }
    let sum = crc32fast::hash(&bytes);
    bytes.extend([names + 5, 4]);
    bytes.extend(sum.to_le_bytes());
    bytes
}

fn cbf(record: &Record<Position>) -> String {
    let fen = start_of(record).to_fen();
    let mut text = format!(
        "<ChineseChessRecord><Head><RecordResult>{}</RecordResult><FEN>{fen}</FEN></Head><MoveList>\n\
         <Move value=\"00-00\"><![CDATA[{}]]></Move>\n",
        red(record.result),
        preface(&record.tree)
    );
    for Stored { mv, comment, is_last, has_alternative, .. } in all_stored(&record.tree) {
        let [a, b, c, d] = ends(mv, false);
        let end = if is_last { " end=\"1\"" } else { "" };
        let branch = if has_alternative { " branch=\"1\"" } else { "" };
        let move_of = format!("value=\"{a}{b}-{c}{d}\"");
        let _ = writeln!(text, "<Move {move_of}{end}{branch}><![CDATA[{comment}]]></Move>");
    }
    text + "</MoveList></ChineseChessRecord>\n"
}

/// A CBR of version 1.
fn old_cbr(record: &Record<Position>) -> Vec<u8> {
    // Rubbish between and behind the fields, as in real files.
    let mut bytes = vec![0xee; 0x7a6];
    bytes[..16].copy_from_slice(b"CCBridge Record\0");
    bytes[19] = 1;
    for at in
        [180, 564, 628, 692, 724, 756, 820, 884, 948, 1012, 1076, 1172, 1236, 1300, 1524, 1652]
    {
        bytes[at..at + 2].fill(0);
    }
    for (at, name) in [(0x34, "Title"), (564, "Event"), (948, "Red"), (1172, "Black")] {
        let text = utf16(&format!("{}\0", record.tag(name).unwrap_or_default()));
        bytes[at..at + text.len()].copy_from_slice(&text);
    }
    bytes[1820] = red(record.result);
    let roles = [
        Role::Rook,
        Role::Horse,
        Role::Elephant,
        Role::Advisor,
        Role::King,
        Role::Cannon,
        Role::Pawn,
    ];
    let start = start_of(record);
    bytes[1856] = 1 + start.turn().index() as u8;
    for square in Square::all() {
        let kind = |role| roles.iter().position(|r| *r == role).unwrap() as u8 + 1;
        let piece = start.piece_at(square);
        let man = piece.map_or(0, |p| 0x10 * (1 + p.side().index() as u8) + kind(p.role()));
        let (column, row) = from_top(square);
        bytes[0x748 + usize::from(9 * row + column)] = man;
    }
    let moves = all_stored(&record.tree);
    let mut node = |squares: [u8; 2], marks: u8, comment: &str| {
        bytes.extend([marks | if comment.is_empty() { 0 } else { 4 }, 0, squares[0], squares[1]]);
        if !comment.is_empty() {
            bytes.extend((utf16(comment).len() as u32).to_le_bytes());
            bytes.extend(utf16(comment));
        }
    };
    node([0, 0], u8::from(moves.is_empty()), preface(&record.tree));
    for Stored { mv, comment, is_last, has_alternative, .. } in moves {
        let marks = u8::from(is_last) | u8::from(has_alternative) << 1;
        node([halves(mv.from()), halves(mv.to())], marks, &comment);
    }
    bytes
}

fn string(text: &str) -> Vec<u8> {
    let text = gbk(text);
    [&(text.len() as u32).to_le_bytes()[..], &text].concat()
}

/// A game of an old library.
fn old_game(record: &Record<Position>) -> Vec<u8> {
    // The order of the men is that of XQF, whose writer is tested by itself.
    let mut men = Vec::new();
    write_xqf(&mut men, &Record { tree: Tree::default(), ..record.clone() }).unwrap();
    let square = |&byte: &u8| if byte < 90 { (byte / 10 + 1) << 4 | (10 - byte % 10) } else { 0 };
    let mut bytes: Vec<u8> = men[0x10..0x30].iter().map(square).collect();
    bytes.extend([2_u32, 0, 1].iter().flat_map(|n| n.to_le_bytes()));
    let tag = |name: &str| string(record.tag(name).unwrap_or_default());
    bytes.extend([tag("Title"), string("x"), string(""), string(""), string("")].concat());
    bytes.extend([tag("Red"), tag("Black")].concat());
    bytes.extend(u32::from(red(record.result)).to_le_bytes());
    bytes.extend([tag("Annotator"), string(""), tag("Author"), string("")].concat());
    bytes.extend(string(&preface(&record.tree).replace('\n', "||")));
    bytes.push(1);
    bytes.extend(b"2001-2-18 12:30:22 2001-2-18 12:30:22 ");
    let moves = all_stored(&record.tree);
    bytes.extend((moves.len() as u32 + 1).to_le_bytes());
    let mut comments = "\r\n".to_owned();
    for Stored { mv, comment, number, .. } in moves {
        bytes.extend((number as u16).to_le_bytes());
        bytes.extend([halves(mv.from()), halves(mv.to()), 0x51, 0x24]);
        comments += &comment.replace('\n', "||");
        comments += "\r\n";
    }
    bytes.extend(gbk(&comments));
    [&(bytes.len() as u32 + 4).to_le_bytes()[..], &bytes].concat()
}

fn packed(version: u32, bytes: &[u8]) -> Vec<u8> {
    let mut out = b"CCBridge\x15\0\0\0".to_vec();
    out.extend(version.to_le_bytes());
    out.extend((bytes.len() as u32).to_le_bytes());
    let mut encoder = flate2::write::ZlibEncoder::new(out, flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// The content that is packed in an old library.
fn old_content(count: usize, games: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = [string("库"), string(""), string(""), string("某"), string("")].concat();
    bytes.extend(b"2001-2-18 12:30:22 2006-11-25 22:02:58");
    bytes.extend((count as u32).to_le_bytes());
    bytes.extend(string("序"));
    bytes.extend(games.concat());
    bytes
}

fn old_cbl(version: u32, games: &[Vec<u8>]) -> Vec<u8> {
    packed(version, &old_content(games.len(), games))
}

fn moves_of(text: &str) -> Vec<Move> {
    text.split_whitespace().map(|mv| Move::parse(mv).unwrap()).collect()
}

const LINE: &str = "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7";

fn record_of(text: &str) -> Record<Position> {
    let tree = Tree { moves: moves_of(text), ..Tree::default() };
    let tags = [("Title", "标题"), ("Red", "甲"), ("Black", "乙")];
    let tags = tags.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let result = Some(Outcome::Win(Side::First));
    Record { tags, start: None, start_clock: 0, result, tree }
}

/// A record with comments and variations.
fn example() -> Record<Position> {
    let tree = grow(&mut Position::start(), &[7, 5, 14, 30, 3, 70, 21, 12, 1, 9], 0);
    Record { tree, ..record_of("") }
}

fn is_format(bytes: &[u8], format: Format) -> Record<Position> {
    assert_eq!(Format::sniff(bytes), Ok(format));
    read_one(bytes).unwrap().record
}

fn tag_list(record: &Record<Position>) -> Vec<String> {
    record.tags.iter().map(|(name, value)| format!("{name}={value}")).collect()
}

#[test]
fn a_che() {
    let line = moves_of(LINE);
    let record = is_format(che(&line).as_bytes(), Format::Che);
    assert_eq!((moves(&record.tree).as_str(), record.result), (LINE, None));
    let text = che(&line).replace(' ', "\r\n");
    assert_eq!(moves(&read_one(text.as_bytes()).unwrap().record.tree), LINE);
    check_prefixes(che(&line).as_bytes());
}

#[test]
fn bad_che() {
    let line = moves_of(LINE);
    let illegal = che(&moves_of("h2e2 h9g7 h0g2 h9g7"));
    let bad = read_one(illegal.as_bytes()).unwrap_err();
    assert!(matches!(bad.reason, BadGameReason::Move { ply: 4, .. }), "{bad}");
    let at = illegal.match_indices(" 7 32").nth(3).unwrap().0 as u64 + 1;
    assert_eq!(bad.place, Place::Offset(at));
    let cut = che(&line).replace("1 6 ", "1 7 ");
    let text = reason(cut.as_bytes()).to_string();
    assert!(text.contains("within the moves, of which there should be 7"), "{text}");
    let more = che(&line).replace("1 6 ", "1 5 ");
    assert!(reason(more.as_bytes()).to_string().contains("more numbers than 5 moves need"));
    let word = che(&line).replace("6 0\n", "6 4294967296\n");
    assert!(reason(word.as_bytes()).to_string().contains("\"4294967296\" is no number"));
    let off = che(&line).replacen(" 0 7 2 6 0", " 0 700 2 6 0", 1);
    assert!(reason(off.as_bytes()).to_string().contains("it leaves the board"));
    // Numbers that are no game stay what they are.
    assert_ne!(Format::sniff(b"1 2 3 4 5 6 7 8 9 10 11 12 13 14"), Ok(Format::Che));
    assert_ne!(Format::sniff(b"7747 7062"), Ok(Format::Che));
}

const HEAD: [&str; 5] =
    ["聚义堂", "2016年12月27日 21点14分", "甲(5r)-负-乙(3r)", "1500", "红方投子认负"];

#[test]
fn an_mxq() {
    let record = is_format(&mxq(&HEAD, &moves_of(LINE)), Format::Mxq);
    assert_eq!(moves(&record.tree), LINE);
    assert_eq!(record.result, Some(Outcome::Win(Side::Second)));
    let tags = [
        "Event=聚义堂",
        "Date=2016年12月27日 21点14分",
        "Red=甲(5r)",
        "Black=乙(3r)",
        "Termination=红方投子认负",
    ];
    assert_eq!(tag_list(&record), tags);
    let other = is_format(&mxq(&["", "", "甲-乙"], &moves_of(LINE)), Format::Mxq);
    assert_eq!((tag_list(&other), other.result), (vec!["Title=甲-乙".to_owned()], None));
    assert_eq!(is_format(&mxq(&HEAD, &[]), Format::Mxq).tree.moves, []);
    check_prefixes(&mxq(&HEAD, &moves_of(LINE)));
}

#[test]
fn bad_mxq() {
    let good = mxq(&HEAD, &moves_of(LINE));
    let bad = read_one(&mxq(&HEAD, &moves_of("h2e2 h9h8"))).unwrap_err();
    assert!(matches!(bad.reason, BadGameReason::Move { ply: 2, .. }), "{bad}");
    let end = good.windows(5).position(|at| at == b"\x04Ends").unwrap();
    assert_eq!(reason(&good[..end]), BadGameReason::Truncated("the moves".into()));
    let mut word = good;
    word[end - 4] = b'+';
    word[end - 3] = b'+';
    assert!(reason(&word).to_string().starts_with("ply 6: \""), "{}", reason(&word));
}

#[test]
fn a_ccm() {
    let line = moves_of(LINE);
    for is_turned in [false, true] {
        assert_eq!(moves(&is_format(&ccm(&line, is_turned), Format::Ccm).tree), LINE);
        assert_eq!(moves(&is_format(&bare_ccm(&line, is_turned), Format::Ccm).tree), LINE);
    }
    let good = ccm(&line, false);
    let cut = reason(&good[..good.len() - 1]).to_string();
    assert!(cut.contains("within the moves, after 5 of 6"), "{cut}");
    let bad = read_one(&ccm(&moves_of("h2e2 h9g7 h0h1"), false)).unwrap_err();
    assert_eq!(bad.place, Place::Offset(12 + 2 * 9));
    assert!(matches!(bad.reason, BadGameReason::Move { ply: 3, .. }), "{bad}");
    // Without a mark a game counts only if it is legal to its end.
    assert!(Format::sniff(&bare_ccm(&moves_of("h2e2 h9g7 h0h1"), false)).is_err());
    check_prefixes(&good);
}

#[test]
fn a_chn() {
    let line = moves_of(LINE);
    let start = Position::start();
    for is_turned in [false, true] {
        let record = is_format(&chn(&start, &line, is_turned), Format::Chn);
        assert_eq!((moves(&record.tree).as_str(), record.start), (LINE, None));
        assert_eq!(moves(&is_format(&bare_chn(&line, is_turned), Format::Chn).tree), LINE);
    }
    let good = chn(&start, &line, false);
    let record = read_one(&good).unwrap().record;
    assert_eq!(tag_list(&record), ["Title=甲 - 乙", "Red=甲", "Black=乙", "Date=2016.12.27"]);
    let odds = Position::from_fen("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/1NBAKABNR w");
    let odds = odds.unwrap();
    assert_eq!(is_format(&chn(&odds, &line, true), Format::Chn).start, Some(odds));
    check_prefixes(&good);
}

#[test]
fn bad_chn() {
    let good = chn(&Position::start(), &moves_of(LINE), false);
    assert!(matches!(reason(&good[..good.len() - 36]), BadGameReason::Truncated(_)));
    assert_eq!(reason(&good[..200]), BadGameReason::Truncated("the header".into()));
    let mut man = good;
    man[180] = 0x18;
    assert_eq!(read_one(&man).unwrap_err().place, Place::Offset(180));
    let illegal = chn(&Position::start(), &moves_of("h2e2 h9h8"), false);
    let bad = read_one(&illegal).unwrap_err();
    assert_eq!(bad.place, Place::Offset(472 + 2 * 36));
    assert!(matches!(bad.reason, BadGameReason::Move { ply: 2, .. }), "{bad}");
}

#[test]
fn a_pfc() {
    let text = "<?xml version=\"1.0\"?><n version=\"2\" win=\"0-1\" red=\"甲\" a-b=\"x\" m=\"3k5/9/9/9/9/9/9/9/9/4K3R b\" c=\" 始 \">
<n m=\"d9d8\"><n m=\"i0i1\" c=\"a&lt;b\"/><n m=\"i0i2\"><n m=\"d8d9\"/></n></n><n m=\"d9e9\"/></n>";
    let game = read_one(text.as_bytes()).unwrap();
    assert_eq!(Format::sniff(text.as_bytes()), Ok(Format::Pfc));
    // The last one would face the other king.
    assert_eq!(outline(&game.record.tree), "{始} d9d8 i0i1 (i0i2 d8d9) {a<b}");
    assert_eq!(game.record.result, Some(Outcome::Win(Side::Second)));
    assert_eq!(tag_list(&game.record), ["red=甲"]);
    assert_eq!(read(text.as_bytes()).1.cut_variations, 1);
    let bad = read_one(text.replace("d9d8", "d9d7").as_bytes()).unwrap_err();
    assert_eq!(bad.place, Place::Line(2));
    assert!(matches!(bad.reason, BadGameReason::Move { ply: 1, .. }), "{bad}");
    let word = reason(text.replace("d9d8", "d9国").as_bytes()).to_string();
    assert!(word.starts_with("ply 1: \"d9国\" is no move"), "{word}");
    let open = reason(text.trim_end_matches("</n>").as_bytes()).to_string();
    assert!(open.contains("an element is not closed"), "{open}");
    let alone = format!("<n m=\"{START_FEN}\"/>");
    assert!(is_format(alone.as_bytes(), Format::Pfc).tree.moves.is_empty());
    check_prefixes(text.as_bytes());
}

#[test]
fn deep_and_broad_pfc_are_bounded() {
    let head = format!("<n m=\"{START_FEN}\">");
    let deep = head.clone() + &"<n m=\"h2e2\">".repeat(300_000);
    assert!(matches!(reason(deep.as_bytes()), BadGameReason::Truncated(_)));
    let broad = head + &"<n m=\"h2e2\"/>".repeat(200_000) + "</n>";
    read(broad.as_bytes());
}

#[test]
fn an_xqr() {
    for is_today in [false, true] {
        let bytes = xqr(&example(), is_today);
        let record = is_format(&bytes, Format::Xqr);
        assert_eq!(outline(&record.tree), outline(&example().tree));
        assert_eq!(tag_list(&record), ["Red=甲", "Black=乙"]);
        assert_eq!(record.result, Some(Outcome::Win(Side::First)));
        check_prefixes(&bytes);
    }
    let good = xqr(&record_of(LINE), true);
    let mut damaged = good.clone();
    damaged[8] ^= 1;
    assert!(reason(&damaged).to_string().starts_with("the checksum is "));
    let cut = reason(&good[..good.len() - 1]).to_string();
    assert!(cut.contains("the checksum after them"), "{cut}");
    let bad = read_one(&xqr(&record_of("h2e2 h9h8"), true)).unwrap_err();
    assert!(matches!(bad.reason, BadGameReason::Move { ply: 2, .. }), "{bad}");
}

#[test]
fn a_cbf_with_variations() {
    let record = is_format(cbf(&example()).as_bytes(), Format::Cbf);
    assert_eq!(outline(&record.tree), outline(&example().tree));
    // What cannot be read in a variation ends that variation and nothing else.
    let text = "<ChineseChessRecord><Head></Head><MoveList><Move value=\"77-47\"/>\
                <Move value=\"70-62\" branch=\"1\" end=\"1\"/><Move value=\"10--22\" branch=\"1\"/>\
                <Move value=\"79-67\" end=\"1\"/><Move value=\"72-42\" end=\"1\"/></MoveList>";
    let (games, summary) = read(text.as_bytes());
    let tree = &games[0].as_ref().unwrap().record.tree;
    assert_eq!((outline(tree).as_str(), summary.cut_variations), ("h2e2 h9g7 (h7e7)", 1));
    let main = text.replace("70-62", "70-6x");
    assert!(reason(main.as_bytes()).to_string().starts_with("ply 2: \"70-6x\" is no move"));
    // Moves behind the last one that something promises.
    let more = text.replace("branch=\"1\"", "").replace("10--22", "10-22");
    assert_eq!(read(more.as_bytes()).1.cut_variations, 1);
}

#[test]
fn a_record_of_version_1_of_ccbridge() {
    let mut record = example();
    record.tags.push(("Event".to_owned(), "某赛".to_owned()));
    let bytes = old_cbr(&record);
    let again = is_format(&bytes, Format::Cbr);
    assert_eq!(outline(&again.tree), outline(&record.tree));
    assert_eq!(tag_list(&again), ["Title=标题", "Event=某赛", "Red=甲", "Black=乙"]);
    assert_eq!(again.result, record.result);
    check_prefixes(&bytes);
    let short = reason(&bytes[..1900]).to_string();
    assert!(short.contains("the header, after 1900 of its 1958 bytes"), "{short}");
    let bad = read_one(&old_cbr(&record_of("h2e2 h9h8"))).unwrap_err();
    assert_eq!(bad.place, Place::Offset(0x7a6 + 8));
}

#[test]
fn a_library_of_the_old_ccbridge() {
    let games = [record_of(LINE), plain_comments(&example()), record_of("")];
    let bad = old_game(&record_of("h2e2 h9h8"));
    for version in [1, 3] {
        let bytes = old_cbl(version, &games.each_ref().map(old_game));
        assert_eq!(Format::sniff(&bytes), Ok(Format::Cbl));
        let (found, summary) = read(&bytes);
        assert_eq!((summary.games, summary.bad, summary.cut_variations), (3, 0, 0));
        for (number, (game, record)) in (1..).zip(found.iter().zip(&games)) {
            let game = game.as_ref().unwrap();
            assert_eq!((outline(&game.record.tree), game.game), (outline(&record.tree), number));
            assert_eq!(tag_list(&game.record), ["Title=标题", "Text1=x", "Red=甲", "Black=乙"]);
            assert_eq!(game.record.result, Some(Outcome::Win(Side::First)));
        }
        let mixed = old_cbl(version, &[old_game(&games[0]), bad.clone(), old_game(&games[0])]);
        let (found, summary) = read(&mixed);
        if version == 1 {
            assert_eq!((summary.games, summary.bad), (2, 1));
            let bad = found[1].as_ref().unwrap_err();
            assert!(bad.game == 2 && bad.to_string().contains("ply 2: \"h9h8\""), "{bad}");
        } else {
            assert_eq!((summary.games, summary.bad), (0, 1));
            let text = found[0].as_ref().unwrap_err().to_string();
            assert!(text.contains("game 2: ply 2: \"h9h8\""), "{text}");
        }
    }
}

#[test]
fn damaged_libraries_of_the_old_ccbridge() {
    let game = old_game(&record_of(LINE));
    let games = [game.clone(), game.clone()];
    let good = old_cbl(1, &games);
    check_prefixes(&good);
    let version = reason(&old_cbl(2, &games)).to_string();
    assert!(version.starts_with("a library of version 2 of the old CCBridge"), "{version}");
    // The games before the damage are read.
    let fate = |bytes: &[u8]| {
        let (read, summary) = read(bytes);
        let last =
            read.last().unwrap().as_ref().map_or_else(ToString::to_string, |_| String::new());
        (summary.games, last)
    };
    let (count, text) = fate(&packed(1, &old_content(3, &games)));
    assert!(count == 2 && text.contains("ends within game 3 of 3"), "{text}");
    let (count, text) = fate(&packed(1, &old_content(1, &games)));
    assert!(count == 1 && text.contains("more bytes than 1 games need"), "{text}");
    let (_, text) = fate(&good[..good.len() / 2]);
    assert!(text.contains("truncated") || text.contains("damaged"), "{text}");
    let mut length = game.clone();
    length[..4].copy_from_slice(&[3, 0, 0, 0]);
    let (count, text) = fate(&old_cbl(1, &[game.clone(), length.clone()]));
    assert!(count == 1 && text.contains("has a length of 3"), "{text}");
    length[..4].fill(0xff);
    let (count, text) = fate(&old_cbl(1, &[game, length]));
    assert!(count == 1 && text.contains("at most"), "{text}");
    let mut claims = good;
    claims[16..20].fill(0xff);
    assert!(reason(&claims).to_string().contains("claims to unpack to 4294967295 bytes"));
}

#[test]
fn numbers_of_moves_in_old_libraries() {
    let with = |numbers: [u16; 3]| {
        let mut game = old_game(&record_of("h2e2 h9g7 h0g2"));
        let at = game.windows(6).position(|at| at == [1, 0, 0x77, 0x47, 0x51, 0x24]).unwrap();
        for (index, number) in numbers.iter().enumerate() {
            game[at + 6 * index..at + 6 * index + 2].copy_from_slice(&number.to_le_bytes());
        }
        reason(&old_cbl(1, &[game])).to_string()
    };
    assert_eq!(with([1, 3, 4]), "move 3 follows move 1");
    assert_eq!(with([2, 3, 4]), "move 2 follows move 0");
    assert_eq!(with([1, 0, 1]), "move 0 follows move 1");
}

#[test]
fn positions_are_read_with_a_note() {
    let note = |bytes: &[u8]| {
        let (games, summary) = read(bytes);
        let game = games[0].as_ref().unwrap();
        assert_eq!(summary.noted, u64::from(game.note.is_some()));
        (game.note, game.record.tree.moves.len(), game.record.start.as_ref().map(Position::turn))
    };
    // Red's rook gives check, so that only Black can be to move.
    let check = Position::from_fen("3k5/9/9/9/9/9/9/9/3R5/4K4 b").unwrap();
    let position = Record { start: Some(check), ..record_of("") };
    let mut bytes = Vec::new();
    write_xqf(&mut bytes, &position).unwrap();
    assert_eq!(note(&bytes), (None, 0, Some(Side::Second)));
    bytes[0x32] = 0;
    assert_eq!(note(&bytes), (Some(Note::OtherSide), 0, Some(Side::Second)));
    let mut record = old_cbr(&position);
    assert_eq!(note(&record).0, None);
    record[1856] = 1;
    assert_eq!(note(&record), (Some(Note::OtherSide), 0, Some(Side::Second)));
    // The first node promises moves, the header counts none, and the file ends.
    bytes[0x32] = 1;
    bytes[0x402] = 0xf0;
    assert_eq!(note(&bytes), (Some(Note::NoMoves), 0, Some(Side::Second)));
    let truncated = BadGameReason::Truncated("the tree of moves".into());
    bytes[0x34] = 1;
    assert_eq!(reason(&bytes), truncated);
    bytes[0x34] = 0;
    bytes.push(0);
    assert_eq!(reason(&bytes), truncated);
    // From the usual start it is a game that was cut off.
    let mut bytes = Vec::new();
    write_xqf(&mut bytes, &record_of("")).unwrap();
    bytes[0x402] = 0xf0;
    assert_eq!(reason(&bytes), truncated);
}

#[test]
fn the_moves_before_an_illegal_one_are_kept_where_that_is_asked_for() {
    let moves = moves_of("h2e2 h9g7 h0g2 h9g7 b9c7");
    let record = record_of("h2e2 h9g7 h0g2 h9g7 b9c7");
    let mut xqf = Vec::new();
    write_xqf(&mut xqf, &record).unwrap();
    let files = [
        che(&moves).into_bytes(),
        mxq(&HEAD, &moves),
        ccm(&moves, false),
        chn(&Position::start(), &moves, false),
        pfc(&record).into_bytes(),
        xqr(&record, true),
        cbf(&record).into_bytes(),
        old_cbr(&record),
        old_cbl(1, &[old_game(&record)]),
        xqf,
    ];
    for (number, file) in files.iter().enumerate() {
        let bad = read_one(file).unwrap_err();
        assert!(matches!(bad.reason, BadGameReason::Move { ply: 4, .. }), "{number}: {bad}");
        let mut games = Vec::new();
        for chunk in split_games(file, usize::MAX) {
            let chunk = chunk.keeping_legal_part(true);
            let summary = read_chunk("test", file, &chunk, &mut |game| games.push(game.unwrap()));
            assert_eq!((summary.games, summary.bad, summary.cut), (1, 0, 1), "{number}");
        }
        assert_eq!(games[0].record.tree.moves, moves[..3], "{number}");
        assert_eq!(games[0].cut.as_ref().map(|cut| cut.place), Some(bad.place), "{number}");
    }
}

/// A record with comments that survive `||` as a line end and whatever else formats fold.
fn plain_comments(record: &Record<Position>) -> Record<Position> {
    fn fold(tree: &mut Tree<Position>) {
        for (_, text) in &mut tree.comments {
            *text = text.replace('|', "/");
        }
        tree.variations.iter_mut().for_each(|variation| fold(&mut variation.tree));
    }
    let mut record = record.clone();
    fold(&mut record.tree);
    record
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn trees_are_read_as_they_were_written(record in records()) {
        let record = plain_comments(&record);
        let files = [
            pfc(&record).into_bytes(),
            xqr(&record, false),
            xqr(&record, true),
            cbf(&record).into_bytes(),
            old_cbr(&record),
            old_cbl(1, &[old_game(&record)]),
            old_cbl(3, &[old_game(&record)]),
        ];
        for (number, bytes) in files.iter().enumerate() {
            let (games, summary) = read(bytes);
            prop_assert_eq!((games.len(), summary.cut_variations), (1, 0));
            let again = &games[0].as_ref().unwrap().record;
            prop_assert_eq!(outline(&again.tree), outline(&record.tree));
            // An old CBL does not keep whose turn it is: the first move says so.
            if number < 5 || !record.tree.moves.is_empty() {
                prop_assert_eq!(&again.start, &record.start);
            }
            prop_assert_eq!(again.result, record.result);
        }
    }

    #[test]
    fn lines_are_read_as_they_were_written(choices in prop::collection::vec(any::<u16>(), 1..80)) {
        let line = grow(&mut Position::start(), &choices, 9).moves;
        let files = [
            che(&line).into_bytes(),
            mxq(&HEAD, &line),
            ccm(&line, false),
            ccm(&line, true),
            bare_ccm(&line, false),
            chn(&Position::start(), &line, true),
            bare_chn(&line, true),
        ];
        for bytes in files {
            prop_assert_eq!(&read_one(&bytes).unwrap().record.tree.moves, &line);
        }
    }

    #[test]
    fn damage_is_refused_or_read(record in records(), flips in prop::collection::vec(any::<(u32, u8)>(), 1..8)) {
        let files = [
            pfc(&record).into_bytes(),
            xqr(&record, true),
            old_cbr(&record),
            old_cbl(1, &[old_game(&record)]),
            chn(&Position::start(), &record.tree.moves, false),
        ];
        for mut bytes in files {
            for &(at, flip) in &flips {
                let at = at as usize % bytes.len();
                bytes[at] ^= flip;
            }
            read(&bytes);
        }
    }
}

#[test]
fn books_and_conversions_take_every_format() {
    let folder = Folder::new();
    let (line, record) = (moves_of(LINE), record_of(LINE));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&ccm(&line, true)).unwrap();
    let files = [
        ("a.che", che(&line).into_bytes()),
        ("b.mxq", mxq(&HEAD, &line)),
        ("c.ccm.gz", gzip.finish().unwrap()),
        ("d.chn", chn(&Position::start(), &line, false)),
        ("e.pfc", pfc(&record).into_bytes()),
        ("f.xqr", xqr(&record, false)),
        ("g.cbl", old_cbl(1, &[old_game(&record)])),
        ("h.cbr", old_cbr(&record)),
        ("i.cbf", cbf(&record).into_bytes()),
    ];
    let paths: Vec<String> =
        files.iter().map(|(name, bytes)| folder.write(&format!("games/{name}"), bytes)).collect();
    let jsonl = folder.at("all.jsonl");
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    ok(&[&["convert", "-o", &jsonl], &paths[..]].concat());
    let text = std::fs::read_to_string(&jsonl).unwrap();
    assert_eq!(text.matches(LINE).count(), files.len(), "{text}");
    let report = json(&["book", "build", &folder.at("games"), "-o", &folder.at("my.book")]);
    let count = |name: &str| report[name].as_u64().unwrap();
    assert_eq!([count("records"), count("bad"), count("games")], [9, 0, 1], "{report}");
}

/// The result of reading if the moves before an illegal one, or before the end of a truncated file, are wanted.
fn read_legal_part(bytes: &[u8]) -> (Vec<Read>, ReadSummary) {
    let (mut games, mut summary) = (Vec::new(), ReadSummary::default());
    for chunk in split_games(bytes, usize::MAX) {
        let chunk = chunk.keeping_legal_part(true);
        summary += read_chunk("test", bytes, &chunk, &mut |game| games.push(game));
    }
    (games, summary)
}

#[test]
fn games_with_bytes_without_a_character_are_counted_in_every_format() {
    fn put(mut bytes: Vec<u8>, text: &str) -> Vec<u8> {
        let at = bytes.windows(text.len()).position(|at| at == text.as_bytes());
        bytes[at.unwrap()] = 0xff;
        bytes
    }
    const MARK: &str = "MARK";
    let good = |mv: &str| {
        let line = format!("h2e2 h9g7 h0g2 {mv}");
        let moves = moves_of(&line);
        let mut record = record_of(&line);
        record.tags = vec![("Title".to_owned(), MARK.to_owned())];
        record.tree.comments = vec![(1, MARK.to_owned())];
        let mut chn = chn(&Position::start(), &moves, false);
        chn[36..40].copy_from_slice(MARK.as_bytes());
        let mut xqf = Vec::new();
        write_xqf(&mut xqf, &record).unwrap();
        [
            mxq(&[MARK, "", "a-b"], &moves),
            chn,
            pfc(&record).into_bytes(),
            cbf(&record).into_bytes(),
            xqf,
            format!("[Red \"{MARK}\"]\n\n1. {line} *\n").into_bytes(),
            format!("{MARK}; {line}\n").into_bytes(),
            format!("moves,red\n{line},{MARK}\n").into_bytes(),
            format!(
                "[DhtmlXQ_title]{MARK}[/DhtmlXQ_title][DhtmlXQ_movelist]774770627967{}[/DhtmlXQ]",
                if mv == "b9c7" { "1022" } else { "0003" }
            )
            .into_bytes(),
            format!(
                "FORMAT WXF\nRED {MARK}\nSTART{{\n1. C2=5 H8+7 2. H2+3 {}\n}}END\n",
                if mv == "b9c7" { "H2+3" } else { "R1+9" }
            )
            .into_bytes(),
            format!(
                "标题：{MARK}\n1. 炮二平五 马８进７\n2. 马二进三 {}\n",
                if mv == "b9c7" { "马２进３" } else { "车１进９" }
            )
            .into_bytes(),
        ]
    };
    for (number, bytes) in good("b9c7").into_iter().enumerate() {
        let (games, summary) = read(&put(bytes, MARK));
        assert!(games.iter().all(Result::is_ok), "{number}: {games:?}");
        assert_eq!((summary.games, summary.undecoded), (1, 1), "{number}");
    }
    // A game that is refused is none that was read.
    for (number, bytes) in good("a9a0").into_iter().enumerate() {
        let bytes = put(bytes, MARK);
        let (_, summary) = read(&bytes);
        assert_eq!((summary.bad, summary.undecoded), (1, 0), "{number}");
        let (_, summary) = read_legal_part(&bytes);
        assert_eq!((summary.cut, summary.undecoded), (1, 1), "{number}");
    }
    let mut records = b"FORMAT WXF\nRED \xff\nSTART{\n1. C2=5\n}END\n".repeat(2);
    records.extend(b"FORMAT WXF\nRED a\nSTART{\n1. C2=5\n}END\n");
    assert_eq!(read(&records).1.undecoded, 2);
    let mut records = "标题：\u{1}\n1. 炮二平五\n".repeat(2).into_bytes();
    records.iter_mut().filter(|byte| **byte == 1).for_each(|byte| *byte = 0xff);
    records.extend("标题：a\n1. 炮二平五\n".bytes());
    let (games, summary) = read(&records);
    assert_eq!((games.len(), summary.undecoded), (3, 2));
}

#[test]
fn a_mark_that_is_cut_off_is_said() {
    let text = "[DhtmlXQ]\n[DhtmlXQ_title]a[/DhtmlXQ_title]\n[DhtmlXQ_binit]8979695949392919097717866646260600102030405060708012720323436383[/DhtmlXQ_binit]\n[DhtmlXQ_movelist]77477062[/DhtmlXQ_movelist]\n[/DhtmlXQ]\n";
    for end in
        ["[DhtmlXQ_movel", "[DhtmlXQ_movelist", "[/Dht", "[/DhtmlXQ_movelist", "[/DhtmlXQ", "[Dht"]
    {
        let at = text.rfind(end).unwrap() + end.len();
        let bytes = &text.as_bytes()[..at];
        let reason = read_one(bytes).unwrap_err().reason;
        assert!(matches!(reason, BadGameReason::Truncated(_)), "{end}: {reason}");
        if text[..at].contains("7062") {
            let (games, summary) = read_legal_part(bytes);
            assert_eq!((summary.games, summary.cut), (1, 1), "{end}");
            assert_eq!(games[0].as_ref().unwrap().record.tree.moves.len(), 2, "{end}");
        }
    }
    assert!(read_one(text.as_bytes()).is_ok());
}

#[test]
fn the_moves_of_a_truncated_file_are_kept_where_that_is_asked_for() {
    let (line, record) = (moves_of(LINE), record_of(LINE));
    let mut xqf = Vec::new();
    write_xqf(&mut xqf, &record).unwrap();
    let files = [
        che(&line).into_bytes(),
        mxq(&HEAD, &line),
        ccm(&line, false),
        chn(&Position::start(), &line, false),
        pfc(&record).into_bytes(),
        xqr(&record, false),
        xqr(&record, true),
        cbf(&record).into_bytes(),
        old_cbr(&record),
        xqf,
    ];
    for (number, file) in files.iter().enumerate() {
        let mut longest = 0;
        for len in 0..file.len() {
            let cut = &file[..len];
            let (games, summary) = read(cut);
            let (kept, summary_of_kept) = read_legal_part(cut);
            assert_eq!(games.len(), kept.len(), "{number}: {len}");
            let (Some(Err(bad)), Some(Ok(game))) = (games.first(), kept.first()) else { continue };
            assert!(matches!(bad.reason, BadGameReason::Truncated(_)), "{number}: {bad}");
            assert_eq!((summary.bad, summary_of_kept.cut), (1, 1), "{number}: {len}");
            assert_eq!(game.cut.as_ref(), Some(&Box::new(bad.clone())), "{number}: {len}");
            let moves = &game.record.tree.moves;
            assert!(line.starts_with(moves) && moves.len() >= longest, "{number}: {len}");
            longest = moves.len();
        }
        assert!(longest >= line.len() - 1, "{number}: {longest}");
    }
}
