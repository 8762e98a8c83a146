//! The reader of CBF on any bytes.

#![no_main]

use juzhong::record::read_games;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = [b"<ChineseChessRecord>", bytes].concat();
    let mut games = 0;
    let summary = read_games("fuzzed", &file, &mut |_| games += 1);
    assert_eq!(summary.games + summary.bad, games);
});
