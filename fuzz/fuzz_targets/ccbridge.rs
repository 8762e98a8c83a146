//! The readers of CBR and CBL of CCBridge on any bytes.

#![no_main]

use juzhong::record::read_games;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let magic: &[u8] = if kind % 2 == 0 { b"CCBridge Record\0" } else { b"CCBridgeLibrary\0" };
    let file = [magic, bytes].concat();
    let mut games = 0;
    let summary = read_games("fuzzed", &file, &mut |_| games += 1);
    assert_eq!(summary.games + summary.bad, games);
});
