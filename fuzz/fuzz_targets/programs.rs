//! The readers of CHE, MXQ, CCM, CHN, PFC and XQR on any bytes.

#![no_main]

use juzhong::record::{Format, read_games, write_jsonl};
use libfuzzer_sys::fuzz_target;

/// What the files of a format begin with; those of MXQ and CCM begin with anything.
const BEGINNINGS: [&[u8]; 6] =
    [b"1 ", b"", b"", b"GL\xd0\x07\xd4\x07", b"<n m=\"\">", b"\0\x02\x20\x17"];

fuzz_target!(|bytes: &[u8]| {
    let Some((&kind, bytes)) = bytes.split_first() else { return };
    let file = [BEGINNINGS[usize::from(kind) % BEGINNINGS.len()], bytes].concat();
    if file.starts_with(b"<") && Format::sniff(&file) != Ok(Format::Pfc) {
        return;
    }
    let mut games = Vec::new();
    let summary = read_games("fuzzed", &file, &mut |game| games.push(game));
    assert_eq!(summary.games + summary.bad, games.len() as u64);
    for game in games.into_iter().flatten() {
        let mut line = Vec::new();
        write_jsonl(&mut line, &game.record).expect("memory");
        read_games("written", &line, &mut |again| {
            let again = again.expect("a good game").record;
            assert_eq!(again.tree.moves, game.record.tree.moves);
            assert_eq!(again.start, game.record.start);
        });
    }
});
