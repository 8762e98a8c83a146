//! Games of gomoku in every format.

#![no_main]

use juzhong::gomoku::Board;
use juzhong::record::{Formats, WriteError, WriteOptions};
use libfuzzer_sys::fuzz_target;

/// The beginnings of formats; the first byte of the input chooses one.
const BEGINNINGS: [&[u8]; 9] = [
    b"",
    b"Piskvorky 15x15, 0:0, 0\n",
    b"(;GM[4]SZ[15]",
    b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
    b"<database><games><game bresult=\"0\">",
    b"{\"moves\":\"",
    b"Cup=[a,b,+,",
    b"a\nb\n7,7,0\n",
    b"h8",
];

fuzz_target!(|input: (u8, &[u8])| {
    let bytes = [BEGINNINGS[usize::from(input.0) % BEGINNINGS.len()], input.1].concat();
    let mut whole = Vec::new();
    Board::read_records("fuzz", &bytes, &mut |game| whole.push(game));
    let mut parts = 0;
    for chunk in Board::split_games(&bytes, 16) {
        Board::read_chunk("fuzz", &bytes, &chunk, &mut |_| parts += 1);
    }
    assert_eq!(parts, whole.len());
    for game in whole.into_iter().flatten() {
        for &format in Board::WRITTEN {
            let mut written = Vec::new();
            match Board::write_record(&mut written, &game.record, format, &WriteOptions::default()) {
                Ok(_) | Err(WriteError::Unfit(..)) => {}
                Err(error) => panic!("{format}: {error}"),
            }
        }
    }
});
