//! Builds an opening book from game files and asks it for the start position (feature `book`).
//!
//! ```sh
//! cargo run --no-default-features --features book --example build_book -- my.book GAMES...
//! ```

use std::error::Error;
use std::path::PathBuf;

use juzhong::book::{self, Book, BuildOptions, ReadOptions};
use juzhong::xiangqi::Position;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let output = arguments.next().unwrap_or_else(|| std::env::temp_dir().join("example.book"));
    let mut games: Vec<PathBuf> = arguments.collect();
    if games.is_empty() {
        games.push(PathBuf::from("books/selfplay/selfplay.pgn"));
    }

    let options = BuildOptions { max_ply: 40, ..BuildOptions::default() };
    let inputs = book::find_games::<Position>(&games)?;
    let read = ReadOptions {
        rejected: Box::new(|reject| eprintln!("left out: {reject}")),
        ..ReadOptions::default()
    };
    let report = book::build::<Position>(&inputs.files, &output, options, read)?;
    println!("{} games in {}", report.metadata.counts.games, output.display());

    let book = Book::open(&output)?;
    for found in book.probe(&Position::start())? {
        let stats = &found.stats;
        println!(
            "{}  {} games, Red won {}, drew {}",
            found.mv, stats.games, stats.first, stats.draws
        );
    }
    Ok(())
}
