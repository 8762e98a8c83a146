//! A book read by `src/book/FORMAT.md` alone: none of the program's code decodes anything here.

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::support::files::in_repository;
use crate::support::program::{json, ok};

fn build(path: &str) {
    let games = in_repository("books/openings");
    ok(&["book", "build", games.to_str().unwrap(), "-o", path]);
}

fn build_with_samples(path: &str) {
    let games = in_repository("books/openings");
    ok(&["book", "build", games.to_str().unwrap(), "-o", path, "--samples", "2"]);
}

fn u32_be(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn u64_le(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes.split_off_first().unwrap();
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return value;
        }
    }
    unreachable!("a varint ends")
}

/// Games; won by the first side, drawn, won by the second; first and last year.
type Stats = ([u64; 4], Option<(i64, i64)>);

fn stats(key: i64, mv: u16, blob: &[u8]) -> Stats {
    let (body, check) = blob.split_at(blob.len() - 2);
    let framed = [&key.to_le_bytes()[..], &mv.to_le_bytes(), body].concat();
    let crc = crc32fast::hash(&framed);
    assert_eq!(u16::from_le_bytes(check.try_into().unwrap()), (crc ^ crc >> 16) as u16);
    let (flags, mut rest) = (body[0], &body[1..]);
    let is_one = flags & 1 != 0;
    let counts = if is_one {
        let result = flags >> 4 & 3;
        [1, 2, 3].map(|wanted| u64::from(result == wanted))
    } else {
        [varint(&mut rest), varint(&mut rest), varint(&mut rest)]
    };
    let [first, draws, second] = counts;
    let games = if is_one { 1 } else { first + draws + second + varint(&mut rest) };
    if flags & 2 != 0 {
        varint(&mut rest);
        if !is_one {
            varint(&mut rest);
        }
    }
    let years = (flags & 4 != 0).then(|| {
        let n = varint(&mut rest);
        let half = (n / 2).cast_signed();
        let min = 1990 + if n.is_multiple_of(2) { half } else { -half - 1 };
        (min, min + if is_one { 0 } else { varint(&mut rest).cast_signed() })
    });
    if flags & 8 != 0 {
        varint(&mut rest);
    }
    assert!(rest.is_empty());
    ([games, first, draws, second], years)
}

/// The words of a key file.
fn words(file: &[u8]) -> Vec<u64> {
    assert_eq!(&file[..12], b"JZKEYS\0\0\x01\0\0\0");
    assert_eq!(u64_le(file, 12), file.len() as u64 - 24);
    let crc = crc32fast::hash(&[&file[..20], &file[24..]].concat());
    assert_eq!(file[20..24], crc.to_le_bytes());
    assert_eq!(&file[24..40], b"xiangqi\0\0\0\0\0\0\0\0\0");
    assert_eq!(u64_le(file, 72), 1331);
    (0..1331).map(|i| u64_le(file, 80 + 8 * i)).collect()
}

/// The keys of the position and of its mirror image.
fn keys(fen: &str, words: &[u64]) -> [u64; 2] {
    let (board, turn) = fen.split_once(' ').unwrap();
    let mut keys = [if turn.starts_with('b') { words[1260] } else { 0 }; 2];
    for (row, rank) in board.split('/').zip((0..10).rev()) {
        let mut file = 0;
        for letter in row.chars() {
            if let Some(empty) = letter.to_digit(10) {
                file += empty as usize;
                continue;
            }
            let role = "KRNCPAB".find(letter.to_ascii_uppercase()).unwrap();
            let man = role + if letter.is_ascii_lowercase() { 7 } else { 0 };
            keys[0] ^= words[90 * man + 9 * rank + file];
            keys[1] ^= words[90 * man + 9 * rank + 8 - file];
            file += 1;
        }
    }
    keys
}

/// The coordinates of a packed move, mirrored or not.
fn coordinates(mv: u16, is_mirrored: bool) -> String {
    let text = |square: u16| {
        let file = if is_mirrored { 8 - square % 9 } else { square % 9 };
        format!("{}{}", char::from(b'a' + file as u8), square / 9)
    };
    text(mv / 128) + &text(mv % 128)
}

fn check_position(path: &str, fen: &str, book: &Connection, words: &[u64]) {
    let keys = keys(fen, words);
    let key = keys[0].min(keys[1]).cast_signed();
    let mut found: Vec<(String, Stats)> = book
        .prepare("SELECT move, stats FROM moves WHERE key = ?1")
        .unwrap()
        .query_map([key], |row| Ok((row.get::<_, u16>(0)?, row.get::<_, Vec<u8>>(1)?)))
        .unwrap()
        .map(|row| row.unwrap())
        .map(|(mv, blob)| (coordinates(mv, keys[1] < keys[0]), stats(key, mv, &blob)))
        .collect();
    // In a position that is its own mirror image the program names the other move of two.
    if keys[0] == keys[1] {
        let mirror = |mv: &str| -> String {
            mv.chars()
                .map(|c| if c.is_alphabetic() { (b'a' + b'i' - c as u8) as char } else { c })
                .collect()
        };
        found.iter_mut().for_each(|(mv, _)| *mv = mirror(mv).max(mv.clone()));
    }
    found.sort_unstable();
    let answer = json(&["book", "query", path, "--fen", fen]);
    let number = |row: &Value, name: &str| row[name].as_u64().unwrap();
    let mut expected: Vec<(String, Stats)> = answer["moves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            let counts = ["games", "red", "draws", "black"].map(|name| number(row, name));
            let years = row["year_min"].as_i64().zip(row["year_max"].as_i64());
            (row["move"].as_str().unwrap().to_owned(), (counts, years))
        })
        .collect();
    expected.sort_unstable();
    assert!(!found.is_empty() && found.len() == expected.len(), "{fen}");
    for ((mv, found), (other, expected)) in found.iter().zip(&expected) {
        assert_eq!((mv.as_str(), found), (other.as_str(), expected), "{fen}");
    }
}

#[test]
fn the_file_is_as_documented() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("openings.jzb");
    let path = path.to_str().unwrap();
    build(path);
    check_bytes(&std::fs::read(path).unwrap());
    let book = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let text = |sql: &str| -> String { book.query_row(sql, [], |row| row.get(0)).unwrap() };
    let file: Vec<u8> = book.query_row("SELECT file FROM key_table", [], |r| r.get(0)).unwrap();
    assert_eq!(text("SELECT value FROM meta WHERE name = 'game'"), "xiangqi");
    let fingerprint = &hex(blake3::hash(&file[80..]).as_bytes())[..16];
    assert_eq!(text("SELECT value FROM meta WHERE name = 'key_table'"), fingerprint);
    assert_eq!(text("SELECT fingerprint FROM key_table"), fingerprint);
    assert_eq!(text("SELECT value FROM meta WHERE name = 'content'"), content(&book));
    check_schema(&book, 0);
    let samples = folder.path().join("samples.jzb");
    let samples = samples.to_str().unwrap();
    build_with_samples(samples);
    let bytes = std::fs::read(samples).unwrap();
    assert_eq!(u32_be(&bytes, 60), 3);
    check_schema(&Connection::open(samples).unwrap(), 2);
    let words = words(&file);
    for fen in [
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR b",
        "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/4C2C1/9/RNBAKABNR b",
        "r1bakabnr/9/1cn4c1/p1p1p1p1p/9/9/P1P1P1P1P/1C2C4/9/RNBAKABNR w",
    ] {
        check_position(path, fen, &book, &words);
    }
}

fn check_bytes(bytes: &[u8]) {
    assert_eq!(&bytes[..16], b"SQLite format 3\0");
    assert_eq!(bytes[16..20], [0x20, 0, 1, 1]);
    assert_eq!(u32_be(bytes, 28) as usize * 8192, bytes.len());
    assert_eq!((u32_be(bytes, 24), u32_be(bytes, 60), u32_be(bytes, 92)), (1, 2, 1));
    assert_eq!((&bytes[68..72], u32_be(bytes, 96)), (&b"JZBK"[..], 3_045_000));
    let mut blank = bytes.to_vec();
    blank[16352..16384].fill(0);
    assert_eq!(&bytes[16352..16384], blake3::hash(&blank).as_bytes());
}

/// BLAKE3 of all rows.
fn content(book: &Connection) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut statement = book.prepare("SELECT key, move, stats FROM moves ORDER BY 1, 2").unwrap();
    let mut rows = statement.query([]).unwrap();
    while let Some(row) = rows.next().unwrap() {
        let (key, mv): (i64, u16) = (row.get(0).unwrap(), row.get(1).unwrap());
        let blob: Vec<u8> = row.get(2).unwrap();
        hasher.update(&key.to_le_bytes()).update(&mv.to_le_bytes());
        hasher.update(&(blob.len() as u16).to_le_bytes()).update(&blob);
    }
    hex(hasher.finalize().as_bytes())
}

/// The definitions of the document are those of the file, which has that many more tables than others, and it
/// names every value of `meta`.
fn check_schema(book: &Connection, more: usize) {
    let document = std::fs::read_to_string(in_repository("src/book/FORMAT.md")).unwrap();
    let column = |sql: &str| -> Vec<String> {
        let mut statement = book.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let tables = column("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rootpage");
    let stated: Vec<&str> =
        document.lines().filter(|line| line.starts_with("CREATE TABLE")).collect();
    assert_eq!(tables, stated[..stated.len() - 2 + more]);
    for name in column("SELECT name FROM meta") {
        assert!(document.contains(&format!("`{name}`")), "{name}");
    }
}
