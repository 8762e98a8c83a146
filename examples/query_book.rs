//! Walks down an opening book: at each position the moves by games, and one drawn by their weights (feature `book`).
//!
//! ```sh
//! cargo run --no-default-features --features book --example query_book -- my.book
//! ```

use std::error::Error;
use std::path::PathBuf;

use juzhong::book::{Book, Policy, SelectOptions, Selector};
use juzhong::game::Line;
use juzhong::xiangqi::Position;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1);
    let path = path.map_or_else(|| std::env::temp_dir().join("example.book"), PathBuf::from);
    let book = Book::open(&path)?;
    let options = SelectOptions { policy: Policy::Weighted, ..SelectOptions::default() };
    let mut selector = Selector::new(options, 1);

    let mut line = Line::new(Position::start(), 0);
    loop {
        let moves = book.probe(line.position())?;
        let Some(chosen) = selector.choose(&moves, line.len(), |_| true) else { break };
        println!("{:2}. {}  of {} moves in the book", line.len() + 1, chosen.mv, moves.len());
        line.push(chosen.mv);
    }
    println!("left the book at {}", line.position().to_fen());
    Ok(())
}
