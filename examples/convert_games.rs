//! Reads game records of any format and writes them as PGN (feature `records`).
//!
//! ```sh
//! cargo run --no-default-features --features records --example convert_games -- games.xqf
//! ```

use std::error::Error;
use std::io::stdout;

use juzhong::record::{PgnOptions, read_games, write_pgn};

/// A game in plain moves, for a run without arguments.
const GAME: &[u8] = "炮二平五 马8进7 马二进三 车9平8 车一平二\n".as_bytes();

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = match std::env::args_os().nth(1) {
        Some(path) => std::fs::read(path)?,
        None => GAME.to_vec(),
    };
    let mut games = Vec::new();
    let mut bad = Vec::new();
    read_games("the file", &bytes, &mut |game| match game {
        Ok(game) => games.push(game.record),
        Err(game) => bad.push(game),
    });
    for game in &games {
        write_pgn(&mut stdout(), game, &PgnOptions::default())?;
    }
    for game in &bad {
        eprintln!("{game}");
    }
    eprintln!("{} games, {} bad ones", games.len(), bad.len());
    Ok(())
}
