use std::io::{BufReader, stdin};

use super::player::PlayerArgs;
use super::terminal::Terminal;
use super::{CliError, Context, GameName, OrExit, exit};
use crate::engine::{Engine, Playable};
use crate::gomoku::Board;
use crate::protocol;
use crate::xiangqi::Position;

/// Speaks UCI on standard input and output. The options given here are the defaults that a GUI
/// sees.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    player: PlayerArgs,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    match context.common.game {
        GameName::Xiangqi => serve::<Position>(args, context),
        GameName::Gomoku => serve::<Board>(args, context),
    }
}

fn serve<G: Terminal + Playable>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let engine = Engine::<G>::new(args.player.options::<G>()?).or_exit(exit::USAGE)?;
    protocol::uci::serve(BufReader::new(stdin()), context.out, engine)?;
    Ok(exit::OK)
}
