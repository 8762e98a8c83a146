//! XQF: what the writer writes is read again; encrypted files by an encoder that goes the other way;
//! damaged and hostile files.

use juzhong::game::{Outcome, Side};
use juzhong::record::{
    BadGameReason, MAX_VARIATION_DEPTH, Place, Record, Tree, Variation, write_xqf,
};
use juzhong::xiangqi::{Move, Position};
use proptest::prelude::*;

use crate::support::games::{
    TAGS, check_prefixes, grow, moves, outline, read, read_one, reason, records,
};

const TREE: usize = 0x400;

fn written(record: &Record<Position>) -> Vec<u8> {
    let mut out = Vec::new();
    write_xqf(&mut out, record).unwrap();
    out
}

/// The bytes that the keys of a file are made of.
#[derive(Debug, Clone, Copy)]
struct Seed {
    version: u8,
    mask: u8,
    or: [u8; 4],
    /// Bytes 12 to 14; byte 15 makes the sum 0.
    keys: [u8; 3],
}

/// Encrypts an XQF 1.0: the key schedule is written here a second time, from its description.
fn encrypted(plain: &[u8], seed: Seed) -> Vec<u8> {
    let [a, b, c] = seed.keys.map(u32::from);
    let d = (512 + 256 - a - b - c) % 256;
    let f = |k: u32| 54 * k * k + 221;
    let board = f(b) * b % 256;
    let from = f(c) * board % 256;
    let to = f(d) * from % 256;
    let comment = (a * 256 + b) % 32000 + 767;
    let last = [a, b, c, d].map(|k| k as u8);
    let phrase = b"[(C) Copyright Mr. Dong Shiwei.]";
    let stream: Vec<u8> =
        (0..32).map(|i| phrase[i] & ((last[i % 4] & seed.mask) | seed.or[i % 4])).collect();

    let mut header = plain[..TREE].to_vec();
    header[2] = seed.version;
    header[3] = seed.mask;
    header[8..12].copy_from_slice(&seed.or);
    header[12..16].copy_from_slice(&last);
    for man in 0..32 {
        let place = if seed.version >= 12 { (man + 64 * 9 - board as usize - 1) % 32 } else { man };
        header[0x10 + place] = plain[0x10 + man].wrapping_add(board as u8);
    }
    let mut out = header;
    let mut at = TREE;
    while at < plain.len() {
        let len = u32::from_le_bytes(plain[at + 4..at + 8].try_into().unwrap());
        let mut marks = plain[at + 2] & 0x80;
        marks |= if plain[at + 2] & 0x0f != 0 { 0x40 } else { 0 };
        marks |= if len > 0 { 0x20 } else { 0 };
        let squares = [plain[at].wrapping_add(from as u8), plain[at + 1].wrapping_add(to as u8)];
        out.extend([squares[0], squares[1], marks, 0]);
        if len > 0 {
            out.extend((len + comment).to_le_bytes());
            out.extend(&plain[at + 8..at + 8 + len as usize]);
        }
        at += 8 + len as usize;
    }
    for at in TREE..out.len() {
        out[at] = out[at].wrapping_add(stream[at % 32]);
    }
    out
}

/// A record with comments, variations and tags.
fn example() -> Record<Position> {
    let choices = [7, 5, 14, 30, 3, 70, 21, 12];
    let tree = grow(&mut Position::start(), &choices, 0);
    let tags = TAGS.iter().map(|(name, _)| ((*name).to_owned(), format!("值 {name}"))).collect();
    let result = Some(Outcome::Win(Side::Second));
    Record { tags, start: None, start_clock: 0, result, tree }
}

fn moves_of(text: &str) -> Vec<Move> {
    text.split_whitespace().map(|mv| Move::parse(mv).unwrap()).collect()
}

#[test]
fn the_bytes_of_a_game() {
    let mut tree = Tree { moves: moves_of("h2e2 h9g7"), ..Tree::default() };
    tree.comments.push((1, "中\n".to_owned()));
    let other = Tree { moves: moves_of("h7e7"), ..Tree::default() };
    tree.variations.push(Variation { ply: 1, tree: other });
    let tags = vec![("Red".to_owned(), "一二三四五六七八九".to_owned())];
    let record = Record { tags, start: None, start_clock: 0, result: Some(Outcome::Draw), tree };
    let bytes = written(&record);
    assert_eq!(&bytes[..16], b"XQ\x0a\0\0\0\0\0\0\0\0\0\0\0\0\0");
    let red = [0, 10, 20, 30, 40, 50, 60, 70, 80, 12, 72, 3, 23, 43, 63, 83];
    let black = [9, 19, 29, 39, 49, 59, 69, 79, 89, 17, 77, 6, 26, 46, 66, 86];
    assert_eq!((&bytes[0x10..0x20], &bytes[0x20..0x30]), (&red[..], &black[..]));
    assert_eq!((bytes[0x32], bytes[0x33]), (0, 3));
    // Seven characters fill 14 of 15 bytes.
    assert_eq!((bytes[0x130], bytes[0x13e], bytes[0x13f]), (14, 0xdf, 0));
    let expected = [
        &[0x18, 0x20, 0xf0, 0, 0, 0, 0, 0][..],
        &[72 + 0x18, 42 + 0x20, 0xf0, 0, 4, 0, 0, 0, 0xd6, 0xd0, b'\r', b'\n'],
        &[79 + 0x18, 67 + 0x20, 0x0f, 0, 0, 0, 0, 0],
        &[77 + 0x18, 47 + 0x20, 0, 0, 0, 0, 0, 0],
    ];
    assert_eq!(&bytes[TREE..], expected.concat());
}

#[test]
fn every_version_reads_the_same() {
    let plain = written(&example());
    let expected = read_one(&plain).unwrap().record;
    assert_eq!(expected.tag("annotator"), Some("值 Annotator"));
    assert_eq!(expected.result, Some(Outcome::Win(Side::Second)));
    for version in 11..=18 {
        let seed = Seed { version, mask: 0x5a, or: [1, 0x80, 0x33, 0xff], keys: [200, 201, 77] };
        let bytes = encrypted(&plain, seed);
        assert_ne!(bytes[TREE..], plain[TREE..]);
        let record = read_one(&bytes).unwrap().record;
        assert_eq!(format!("{record:?}"), format!("{expected:?}"), "version {version}");
    }
}

#[test]
fn the_first_move_says_whose_turn_it_is() {
    let tree = Tree { moves: moves_of("h9g7 h0g2"), ..Tree::default() };
    let start = Position::from_fen("rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR b");
    let start = Some(start.unwrap());
    let mut record = Record { tags: vec![], start, start_clock: 0, result: None, tree };
    let mut bytes = written(&record);
    for stated in [0, 1, 2, 0xff] {
        bytes[0x32] = stated;
        let game = read_one(&bytes).unwrap();
        assert_eq!(game.record.start, record.start);
        assert_eq!(moves(&game.record.tree), "h9g7 h0g2");
    }
    record.tree = Tree::default();
    assert_eq!(read_one(&written(&record)).unwrap().record.start, record.start);
}

#[test]
fn fields_longer_than_their_room_and_cut_characters() {
    let mut bytes = written(&example());
    bytes[0x50] = 255;
    bytes[0x51..0x90].fill(b'x');
    bytes[0x130..0x140]
        .copy_from_slice(b"\x0f\xd6\xd0\xb9\xfa\xcf\xf3\xc6\xe5\xd6\xd0\xb9\xfa\xcf\xf3\xc6");
    let record = read_one(&bytes).unwrap().record;
    assert_eq!(record.tag("Title"), Some("x".repeat(63).as_str()));
    assert_eq!(record.tag("Red"), Some("中国象棋中国象"));
}

#[test]
fn what_is_wrong_is_said() {
    let plain = written(&example());
    let changed = |at: usize, value: &[u8]| {
        let mut bytes = plain.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        let bad = read_one(&bytes).unwrap_err();
        (bad.place, bad.reason.to_string())
    };
    let says = |at, value: &[u8], text: &str| {
        let (_, said) = changed(at, value);
        assert!(said.contains(text), "{said}");
    };
    says(2, &[19], "version 19");
    says(2, &[9], "version 9");
    says(12, &[1], "do not sum to 0");
    says(0x10, &[10], "two men stand on b0");
    says(0x14, &[255], "red has no king");
    says(0x14, &[45], "'K' can never stand on e5");
    says(TREE + 4, &[0xff, 0xff, 0xff, 0x7f], "claims 2147483647 bytes");
    says(TREE + 8, &[0x18 + 45], "ply 1: \"e5");
    says(TREE + 8, &[0x17], "ply 1: \"#255-");
    assert_eq!(changed(TREE + 8, &[0x17]).0, Place::Offset(TREE as u64 + 8));
    let says = |len: usize, text: &str| {
        let said = reason(&plain[..len]).to_string();
        assert!(said.contains(text), "{said}");
    };
    says(3, "within the header, after 3 of its 1024 bytes");
    says(TREE, "within the tree of moves");
    says(TREE + 8, "within the tree of moves");
    says(plain.len() - 1, "truncated");
}

#[test]
fn every_beginning_of_a_file_is_read_or_refused() {
    let plain = written(&example());
    check_prefixes(&plain);
    let seed = Seed { version: 18, mask: 0xff, or: [7; 4], keys: [1, 2, 3] };
    check_prefixes(&encrypted(&plain, seed));
}

/// A file with nodes of plain moves: `(from, to, marks)` with the marks of version 1.0.
fn with_nodes(nodes: impl Iterator<Item = (&'static str, u8)>) -> Vec<u8> {
    let mut bytes = written(&Record { tree: Tree::default(), ..example() });
    bytes[TREE + 2] = 0xf0;
    for (mv, marks) in nodes {
        let mv = Move::parse(mv).unwrap();
        let number = |square: juzhong::xiangqi::Square| square.file() * 10 + square.rank();
        bytes.extend([number(mv.from()) + 0x18, number(mv.to()) + 0x20, marks, 0, 0, 0, 0, 0]);
    }
    bytes
}

#[test]
fn hostile_trees_are_bounded() {
    let there_and_back = ["h2h1", "h7h8", "h1h2", "h8h7"];
    let long = with_nodes((0..400_000).map(|n| (there_and_back[n % 4], 0xf0)));
    assert!(matches!(reason(&long), BadGameReason::Truncated(_)));
    let deep = with_nodes((0..400_000).map(|n| (there_and_back[n % 4], 0xff)));
    assert!(matches!(reason(&deep), BadGameReason::Truncated(_)));
    let wide = with_nodes((0..400_000).map(|_| ("h2e2", 0x0f)));
    assert!(matches!(reason(&wide), BadGameReason::Truncated(_)));
    let wide = with_nodes((0..100_000).map(|n| ("h2e2", if n < 99_999 { 0x0f } else { 0 })));
    assert_eq!(read_one(&wide).unwrap().record.tree.variations.len(), 99_999);
    let long = with_nodes(
        (0..100_000).map(|n| (there_and_back[n % 4], if n < 99_999 { 0xf0 } else { 0 })),
    );
    assert_eq!(read_one(&long).unwrap().record.tree.moves.len(), 100_000);
    let big = vec![0; (4 << 20) + 1 - TREE];
    let big = [&written(&example())[..TREE], &big].concat();
    assert!(matches!(reason(&big), BadGameReason::TooLong(_)));
}

#[test]
fn deep_nesting_of_variations_is_refused() {
    // Each line is left at its second move by the next one.
    let firsts = moves_of("h2h1 h7h8 h1h2 h8h7");
    let seconds = moves_of("a9a8 a0a1");
    let nested = |depth: usize| {
        let mut tree = Tree::default();
        for level in (0..=depth).rev() {
            let mut outer =
                Tree { moves: vec![firsts[level % 4], seconds[level % 2]], ..Tree::default() };
            if level < depth {
                outer.variations.push(Variation { ply: 1, tree });
            }
            tree = outer;
        }
        written(&Record { tree, ..example() })
    };
    assert!(read_one(&nested(MAX_VARIATION_DEPTH)).is_ok());
    assert_eq!(reason(&nested(MAX_VARIATION_DEPTH + 1)), BadGameReason::TooDeep);
    assert_eq!(reason(&nested(3000)), BadGameReason::TooDeep);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn writing_then_reading_gives_the_same_record(record in records()) {
        let read = read_one(&written(&record)).map_err(|bad| TestCaseError::fail(bad.to_string()))?.record;
        prop_assert_eq!(outline(&read.tree), outline(&record.tree));
        prop_assert_eq!(&read.start, &record.start);
        prop_assert_eq!(read.result, record.result);
        for (name, room) in TAGS {
            let value = record.tag(name).unwrap().trim();
            let fits = encoding_rs::GB18030.encode(value).0.len() <= room;
            let got = read.tag(name).unwrap_or_default();
            prop_assert!(got == value || !fits && value.starts_with(got), "{name}: {got} {value}");
        }
    }

    #[test]
    fn encrypting_changes_nothing(
        record in records(),
        version in 11..=18_u8,
        mask in any::<u8>(),
        or in any::<[u8; 4]>(),
        keys in any::<[u8; 3]>(),
    ) {
        let plain = written(&record);
        let bytes = encrypted(&plain, Seed { version, mask, or, keys });
        let [expected, read] = [&plain, &bytes].map(|bytes| read_one(bytes).unwrap().record);
        prop_assert_eq!(format!("{read:?}"), format!("{expected:?}"));
    }

    #[test]
    fn changed_bytes_are_read_without_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        version in 9..20_u8,
    ) {
        let seed = Seed { version, mask: 0xa5, or: [1, 2, 3, 4], keys: [5, 6, 7] };
        let plain = written(&example());
        for mut bytes in [encrypted(&plain, seed), plain] {
            for (at, value) in &changes {
                let at = at.index(bytes.len());
                bytes[at] = *value;
            }
            read(&bytes);
        }
    }

    #[test]
    fn any_bytes_behind_a_header_are_read_without_panic(
        tail in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        read(&[&written(&example())[..TREE], &tail].concat());
        read(&[b"XQ\x12", &tail[..]].concat());
    }
}
