//! `juzhong perft`: the leaves of the tree of legal moves, counted.

use crate::cli::args::line_args::BoardArgs;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, OrExit, exit, with_game, write_answer};
use juzhong::answers::PerftAnswer;

/// Count the leaf nodes of the legal move tree.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Depth in plies.
    #[arg(value_parser = clap::value_parser!(u32).range(0..=20))]
    depth: u32,
    /// Root position (default: starting position).
    #[arg(long)]
    fen: Option<String>,
    #[command(flatten)]
    board: BoardArgs,
    /// Show the count of each root move.
    #[arg(long)]
    divide: bool,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal>(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let position = match args.board.position_text::<G>(args.fen.as_deref())? {
        Some(text) => G::from_fen(&text).or_exit(exit::BAD_DATA)?,
        None => G::start(),
    };
    let answer = PerftAnswer::count(position, args.depth, args.divide);
    if context.common.json {
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    for part in &answer.divide {
        writeln!(context.out, "{} {}", part.mv, part.nodes)?;
    }
    writeln!(context.out, "{}", answer.nodes)?;
    Ok(exit::OK)
}
