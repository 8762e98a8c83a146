//! Plays a game of the engine with itself, from book, endgame tables and search (feature `engine`).
//!
//! ```sh
//! cargo run --release --no-default-features --features engine --example play_game -- [BOOK] [TABLES]
//! ```

use std::error::Error;
use std::path::PathBuf;

use juzhong::engine::{Engine, EngineOptions, OwnBook, TableOptions};
use juzhong::game::{Adjudicate, Horizon, Line};
use juzhong::search::Limits;
use juzhong::xiangqi::notation::{MoveNotation, format_move};
use juzhong::xiangqi::{Position, RuleSet};

/// Plies at most: an example should end.
const PLIES: usize = 60;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let mut options = EngineOptions { seed: Some(1), ..EngineOptions::default() };
    options.books.extend(arguments.next().map(OwnBook::from));
    options.tables = arguments.next().map_or_else(TableOptions::default, TableOptions::from);

    let mut engine = Engine::<Position>::new(options)?;
    for warning in engine.take_warnings() {
        eprintln!("{warning}");
    }
    let mut line = Line::new(Position::start(), 0);
    while line.len() < PLIES {
        let verdict = Position::judge(&line, RuleSet::Asian, Horizon::Game).verdict;
        if verdict.outcome().is_some() {
            println!("{verdict:?}");
            break;
        }
        let Some(choice) = engine.choose(&line, &Limits::nodes(5_000), &()) else {
            println!("no legal move: the side to move has lost");
            break;
        };
        let text = format_move(line.position(), choice.mv, MoveNotation::Chinese);
        println!("{:3} {text}  ({}, depth {})", line.len() + 1, choice.source.name(), choice.depth);
        line.push(choice.mv);
    }
    println!("{}", line.position().to_fen());
    Ok(())
}
