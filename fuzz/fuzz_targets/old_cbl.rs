//! The reader of libraries of the old CCBridge on any bytes, packed and as they are.

#![no_main]

use std::io::Write;

use juzhong::record::read_games;
use libfuzzer_sys::fuzz_target;

fn check(version: u8, len: u32, packed: &[u8]) {
    let mut file = b"CCBridge\x15\0\0\0".to_vec();
    file.extend(u32::from(version).to_le_bytes());
    file.extend(len.to_le_bytes());
    file.extend(packed);
    let mut games = 0;
    let summary = read_games("fuzzed", &file, &mut |_| games += 1);
    assert_eq!(summary.games + summary.bad, games);
}

fuzz_target!(|bytes: &[u8]| {
    let Some((&version, bytes)) = bytes.split_first() else { return };
    check(version % 4, u32::MAX >> 8, bytes);
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).expect("memory");
    check(version % 4, bytes.len() as u32, &encoder.finish().expect("memory"));
});
