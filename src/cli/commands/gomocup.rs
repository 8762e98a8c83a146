//! `juzhong gomocup`: this program as an engine for managers of gomoku engines.

use std::io::stdin;

use crate::cli::args::player::PlayerArgs;
use crate::cli::{CliError, Context, OrExit, exit};
use juzhong::engine::{Engine, EngineOptions};
use juzhong::gomoku::Board;
use juzhong::protocol;

/// Run as a gomoku engine with the Gomocup protocol on standard input and output.
///
/// Gomoku tournament managers (Piskvork, c-gomoku-cli) and boards (Yixin Board) start engines without arguments, from
/// files whose names begin with pbrain-: a copy of this program named pbrain-juzhong, or a link to it, needs none.
/// Time, memory, threads and rules set by the manager override the options.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    player: PlayerArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    args.player.check_sizes()?;
    let options = args.player.options::<Board>()?;
    // Books are opened and memory is claimed once the session reads the manager.
    let least = EngineOptions { hash_mib: 1, ..options.without_files() };
    let engine = Engine::new(least).or_exit(exit::USAGE)?;
    protocol::serve_gomocup(stdin(), context.out, engine, options)?;
    Ok(exit::OK)
}
