//! One move in every notation, and back (no feature needed).
//!
//! ```sh
//! cargo run --no-default-features --example notation -- 'FEN' MOVE...
//! ```

use std::error::Error;

use juzhong::game::Game;
use juzhong::xiangqi::notation::{MoveNotation, format_move, parse_move};
use juzhong::xiangqi::{Position, START_FEN};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let fen = arguments.next().unwrap_or_else(|| START_FEN.to_owned());
    let mut texts: Vec<String> = arguments.collect();
    if texts.is_empty() {
        texts = ["炮二平五", "馬８進７", "H2+3", "i9-h9", "a0a1"].map(str::to_owned).to_vec();
    }

    let mut position = Position::from_fen(&fen)?;
    for text in texts {
        let mv = parse_move(&position, &text)?;
        let [uci, iccs, wxf, chinese] =
            [MoveNotation::Uci, MoveNotation::Iccs, MoveNotation::Wxf, MoveNotation::Chinese]
                .map(|notation| format_move(&position, mv, notation));
        println!("{uci}  {iccs}  {wxf:5}  {chinese}");
        position.make(mv);
    }
    println!("{}", position.to_fen());
    Ok(())
}
