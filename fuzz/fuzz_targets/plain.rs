//! Plain lists of moves and tables of them.

#![no_main]

use juzhong::record::{Format, WriteOptions, read_chunk, read_games, split_games, write_game};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let bytes = [b"h2e2 h9g7\n", bytes].concat();
    let mut whole = Vec::new();
    read_games("fuzz", &bytes, &mut |game| whole.push(game));
    let mut parts = 0;
    for chunk in split_games(&bytes, 16) {
        read_chunk("fuzz", &bytes, &chunk, &mut |_| parts += 1);
    }
    assert_eq!(parts, whole.len());
    for game in whole.into_iter().flatten() {
        let mut written = Vec::new();
        let options = WriteOptions::default();
        write_game(&mut written, &game.record, Format::Plain, &options).expect("it fits");
    }
});
