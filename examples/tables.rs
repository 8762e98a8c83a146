//! Generates the endgame tables that a position needs and probes it (feature `tablebase`).
//!
//! ```sh
//! cargo run --release --no-default-features --features tablebase --example tables -- 'FEN' FOLDER
//! ```

use std::error::Error;
use std::path::PathBuf;

use juzhong::tablebase::{
    GenerateOptions, Material, Metric, NoProgress, Rules, Tables, generate_all,
};
use juzhong::xiangqi::Position;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let fen = arguments.next().unwrap_or_else(|| "3k5/9/9/9/9/9/4N4/9/9/4K4 w".to_owned());
    let position = Position::from_fen(&fen)?;
    let (material, _) = Material::of(&position);
    let folder = arguments.next().map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| std::env::temp_dir().join("example-tables"));

    // The rules of play: perpetual check and perpetual chase lose.
    let options = GenerateOptions { rules: Rules::Asian, ..GenerateOptions::default() };
    let report = generate_all(&folder, &[material], &options, &NoProgress)?;
    println!("{} tables in {}", report.tables.len(), folder.display());

    let tables = Tables::open(&folder, Rules::Asian, Metric::default())?;
    println!("{:?}", tables.probe(&position)?);
    for (mv, entry) in tables.probe_root(&position)?.into_iter().take(3) {
        println!("{mv}: {} in {} plies", entry.wdl.name(), entry.distance);
    }
    let best = tables.best_line(&position, 40)?;
    println!("{} plies of best play: {:?}", best.moves.len(), best.end);
    Ok(())
}
