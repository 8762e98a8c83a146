//! Game records in text: PGN, and whatever else the bytes look like.

#![no_main]

use juzhong::record::{Format, WriteOptions, read_games, write_game};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    read_games("fuzz", bytes, &mut |game| {
        let Ok(game) = game else { return };
        let mut written = Vec::new();
        let options = WriteOptions::default();
        write_game(&mut written, &game.record, Format::Pgn, &options).expect("it fits");
        let mut again = Vec::new();
        read_games("again", &written, &mut |game| again.push(game));
        let again = again.remove(0).expect("what was written can be read").record;
        assert_eq!(again.tree.moves, game.record.tree.moves);
        assert_eq!(again.start, game.record.start);
    });
});
