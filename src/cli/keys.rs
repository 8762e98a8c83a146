use std::path::PathBuf;

use super::listing::claim_file;
use super::{CliError, Context, GameName, OrExit, exit};
use juzhong::bytes::atomic;
use juzhong::bytes::visible::ShowPath;
use juzhong::hash;

/// Draws the stored key table of a game again from the published seed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Output file.
    #[arg(short, long)]
    output: PathBuf,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let table = match context.common.game {
        GameName::Xiangqi => hash::xiangqi::draw(),
        GameName::Gomoku => hash::gomoku::draw(),
    };
    let bytes = table.to_bytes().or_exit(exit::IO)?;
    let _lock = claim_file(&args.output)?;
    atomic::write(&args.output, &bytes)
        .or_exit_with(exit::CANNOT_CREATE, || args.output.shown())?;
    writeln!(context.out, "{} {}", args.output.shown(), table.fingerprint())?;
    Ok(exit::OK)
}
