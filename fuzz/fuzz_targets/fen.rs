//! Positions in FEN, of both games.

#![no_main]

use juzhong::game::Notation;
use juzhong::gomoku::Board;
use juzhong::xiangqi::Position;
use libfuzzer_sys::fuzz_target;

fn check<G: Notation>(text: &str) {
    if let Ok(position) = G::parse_position(text) {
        let written = position.position_text();
        let again = G::parse_position(&written);
        assert_eq!(again.ok().map(|position| position.position_text()), Some(written));
    }
}

fuzz_target!(|text: &str| {
    check::<Position>(text);
    check::<Board>(text);
});
