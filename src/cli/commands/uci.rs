//! `juzhong uci` and `juzhong ucci`: this program as an engine.

use std::io::{BufReader, stdin};

use crate::cli::args::player::PlayerArgs;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, exit, with_game};
use juzhong::engine::{Engine, Playable};
use juzhong::protocol;
use juzhong::protocol::Dialect;

/// The options of the command, whichever protocol its name promises.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    player: PlayerArgs,
}

/// Runs a session; `assumed` is the dialect until the GUI chooses one.
pub(crate) fn run(
    args: &Args,
    assumed: Dialect,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    with_game!(context.common.game, G => serve::<G>(args, assumed, context))
}

fn serve<G: Terminal + Playable>(
    args: &Args,
    assumed: Dialect,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let options = args.player.options::<G>()?;
    // Books and tablebases are opened once the session reads the GUI.
    let engine = Engine::<G>::new(options.without_files()).or_exit(exit::USAGE)?;
    protocol::serve_with(BufReader::new(stdin()), context.out, engine, options, assumed)?;
    Ok(exit::OK)
}
