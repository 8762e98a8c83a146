//! The rules alone (no feature needed): the legal moves of a FEN, perft, a game played move by move.
//!
//! ```sh
//! cargo run --no-default-features --example legal_moves -- 'FEN'
//! ```

use std::error::Error;

use juzhong::game::{Adjudicate, Game, Horizon, Line, MoveList, perft};
use juzhong::xiangqi::notation::{MoveNotation, format_move, parse_move};
use juzhong::xiangqi::{Position, RuleSet, START_FEN};

fn main() -> Result<(), Box<dyn Error>> {
    let fen = std::env::args().nth(1).unwrap_or_else(|| START_FEN.to_owned());
    let mut position = Position::from_fen(&fen)?;
    let mut moves = MoveList::new();
    position.legal_moves(&mut moves);
    for &mv in &moves {
        print!("{mv} ");
    }
    println!("\n{} legal moves, {} lines of 3 plies", moves.len(), perft(&mut position, 3));
    println!("key {}", position.key());

    // A game with its past, which the rules of repetition need. Any notation is read.
    let mut line = Line::new(position, 0);
    for text in ["炮二平五", "h9g7", "H2+3", "I9-H9"] {
        let mv = parse_move(line.position(), text)?;
        println!("{:8} {}", format_move(line.position(), mv, MoveNotation::Chinese), mv);
        line.push(mv);
    }
    println!("{}", line.position().to_fen());

    // Chariot and chariot go to and fro: the position comes back, and the rules say what that means.
    let loop_of_four = ["i0h0", "h9i9", "h0i0", "i9h9"];
    for text in loop_of_four.iter().cycle().take(8) {
        line.push(parse_move(line.position(), text)?);
    }
    println!("verdict: {:?}", Position::judge(&line, RuleSet::Asian, Horizon::Game).verdict);
    Ok(())
}
