use serde_json::json;

use super::line_args::BoardArgs;
use super::terminal::Terminal;
use super::{CliError, Context, OrExit, exit, with_game};
use juzhong::game::{divide, perft};

/// Counts the leaves of the tree of legal moves.
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
    let mut position = match args.board.position_text::<G>(args.fen.as_deref())? {
        Some(text) => G::from_fen(&text).or_exit(exit::BAD_DATA)?,
        None => G::start(),
    };
    let parts = if args.divide { divide(&mut position, args.depth) } else { Vec::new() };
    let nodes = if parts.is_empty() {
        perft(&mut position, args.depth)
    } else {
        parts.iter().map(|&(_, nodes)| nodes).sum()
    };
    if context.common.json {
        let parts: Vec<_> = parts
            .iter()
            .map(|&(mv, nodes)| json!({"move": G::move_text(mv), "nodes": nodes}))
            .collect();
        let answer = json!({
            "schema": "juzhong.perft/1",
            "fen": position.to_fen(),
            "depth": args.depth,
            "nodes": nodes,
            "divide": parts,
        });
        writeln!(context.out, "{answer}")?;
        return Ok(exit::OK);
    }
    for (mv, nodes) in parts {
        writeln!(context.out, "{} {nodes}", G::move_text(mv))?;
    }
    writeln!(context.out, "{nodes}")?;
    Ok(exit::OK)
}
