//! `book map`: a shard of game files.

use std::num::NonZero;
use std::path::PathBuf;

use super::build::Intake;
use crate::cli::print::listing::show_some;
use crate::cli::print::terminal::Terminal;
use crate::cli::{CliError, Context, exit, with_game, write_answer};
use crate::language::say;
use juzhong::answers::book::MapAnswer;
use juzhong::book::{BuildOptions, ReadOptions, map};
use juzhong::bytes::visible::ShowPath;
use juzhong::game::Symmetric;

/// Distributed `build`, step 1 of 3: read game files into a shard.
///
/// Takes the options of `book build`, but writes a shard for `book reduce`: a folder, which must be new or empty.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Folder for the shard, which `juzhong-parquet` in contrib/spark turns into Parquet files.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    #[command(flatten)]
    intake: Intake,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    with_game!(context.common.game, G => run_game::<G>(args, context))
}

fn run_game<G: Terminal + Symmetric>(
    args: &Args,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let (intake, output) = (&args.intake, &args.output);
    let options = intake.options::<G>(BuildOptions::default())?;
    if options.filter.every_record {
        let message = "--no-dedup: shards bring copies of games together; use juzhong book build";
        return Err(CliError::message(exit::USAGE, message));
    }
    let (passed_over, report) = intake.read::<G, _>(output, |files, progress, rejected| {
        let (progress, rejected) = (Box::new(progress), Box::new(rejected));
        let (strict, threads) = (intake.strict, NonZero::new(intake.threads.into()));
        let read = ReadOptions { strict, threads, progress, rejected };
        map::<G>(files, output, options, read)
    })?;
    show_some("no games in", &report.empty_files);
    if context.common.json {
        let skipped = passed_over + report.skipped;
        write_answer(context.out, &MapAnswer::of(output, &report, skipped))?;
    } else {
        let [sources, games, ..] = report.rows;
        let shard = output.shown();
        say!(context.out, "{shard}: different games: {games}, different files: {sources}")?;
    }
    Ok(exit::OK)
}
