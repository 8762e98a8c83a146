//! The stored key tables, drawn again.

use std::path::PathBuf;

use juzhong::bytes::atomic;
use juzhong::bytes::visible::ShowPath;
use juzhong::hash;

use crate::GameName;

/// Draws the stored key table of a game again from the published seed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Game of the table.
    #[arg(long, value_enum, default_value = "xiangqi")]
    game: GameName,
    /// Output file.
    #[arg(short, long)]
    output: PathBuf,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let table = match args.game {
        GameName::Xiangqi => hash::xiangqi::draw(),
        GameName::Gomoku => hash::gomoku::draw(),
    };
    atomic::write(&args.output, &table.to_bytes()?)?;
    println!("{} {}", args.output.shown(), table.fingerprint());
    Ok(())
}
