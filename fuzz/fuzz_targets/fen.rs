//! Positions in FEN, of both games.

#![no_main]

use juzhong::game::Notation;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;
use libfuzzer_sys::fuzz_target;

fn check<G: Notation>(text: &str) {
    if let Ok(position) = G::from_fen(text) {
        let written = position.to_fen();
        let again = G::from_fen(&written);
        assert_eq!(again.ok().map(|position| position.to_fen()), Some(written));
    }
}

fuzz_target!(|text: &str| {
    check::<Position>(text);
    check::<Board>(text);
});
