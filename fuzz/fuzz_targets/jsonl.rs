//! Game records as JSON.

#![no_main]

use juzhong::record::{read_games, write_jsonl};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let line = format!("{{\"moves\":{text}");
    read_games("fuzz", line.as_bytes(), &mut |game| {
        let Ok(game) = game else { return };
        let mut written = Vec::new();
        write_jsonl(&mut written, &game.record).expect("memory");
        read_games("again", &written, &mut |again| {
            let again = again.expect("what was written can be read").record;
            assert_eq!(format!("{again:?}"), format!("{:?}", game.record));
        });
    });
});
