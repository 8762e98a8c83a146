//! The reader of XQF on any bytes, and its writer on what was read.

#![no_main]

use juzhong::record::{Record, read_games, write_xqf};
use juzhong::xiangqi::Position;
use libfuzzer_sys::fuzz_target;

fn read(bytes: &[u8]) -> Record<Position> {
    let mut records = Vec::new();
    read_games("written", bytes, &mut |game| records.push(game.expect("a good game").record));
    records.remove(0)
}

fuzz_target!(|bytes: &[u8]| {
    let mut file = b"XQ".to_vec();
    file.extend_from_slice(bytes);
    read_games("fuzzed", &file, &mut |game| {
        if let Ok(game) = game {
            let record = game.record;
            let mut written = Vec::new();
            write_xqf(&mut written, &record).expect("memory");
            let again = read(&written);
            assert_eq!(again.tree.moves, record.tree.moves);
            assert_eq!(again.start, record.start);
        }
    });
});
