//! The keys of .xqb books on any bytes.

#![no_main]

use juzhong::book::interop::{xqb_board, xqb_key};
use juzhong::xiangqi::Position;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|key: &[u8]| {
    let Some(setup) = xqb_board(key) else { return };
    if let Ok(position) = Position::from_setup(&setup) {
        // A mirror image may stand for it, whose key then stands for itself.
        let canonical = xqb_key(&position);
        let again = xqb_board(&canonical).and_then(|setup| Position::from_setup(&setup).ok());
        assert_eq!(again.map(|position| xqb_key(&position)), Some(canonical));
    }
});
