//! `games show`: one game of a collection, at once.

use super::index::{CollectionArgs, OpenIndex, open};
use super::output::{GameOutput, OutputArgs};
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, with_game};
use juzhong::answers::AnswerError;
use juzhong::collection::Collected;
use juzhong::message::message;

/// Show one game of a collection.
///
/// The game is named by its number in the list of games find, or by its key, which stays when files change. It is written as
/// PGN to standard output, or with -o to a file of any format.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Number or key of the game.
    #[arg(value_name = "GAME")]
    id: String,
    #[command(flatten)]
    collection: CollectionArgs,
    #[command(flatten)]
    output: OutputArgs,
}

impl Args {
    /// Returns true if standard output is for programs.
    pub(crate) const fn writes_data(&self) -> bool {
        true
    }
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Collected>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let OpenIndex { index, .. } = open::<G>(&args.collection)?;
    let Some(game) = index.game(&args.id).map_err(AnswerError::from)? else {
        let message = message!("{}: there is no such game in the collection", args.id);
        return Err(CliError::message(exit::FAILED, message));
    };
    if context.common.json {
        let Some(json) = &game.json else {
            let message = "the game is too long for the index; convert its file";
            return Err(CliError::message(exit::FAILED, message));
        };
        context.out.write_all(json.trim_end().as_bytes())?;
        context.out.write_all(b"\n")?;
        return Ok(exit::OK);
    }
    let mut output = GameOutput::open::<G>(&args.output, context.out)?;
    output.write::<G>(&index, &game.about)?;
    let written = output.close()?;
    Ok(if written > 0 { exit::OK } else { exit::FAILED })
}
