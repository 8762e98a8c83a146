use serde_json::json;

use super::super::{CliError, Context, exit};
use super::build::{self, read_inputs, show_empty};
use crate::book::{ShardFormat, map};

/// Takes what `book build` takes, but writes a shard for `book reduce`: a folder, which must be new
/// or empty.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Args {
    #[command(flatten)]
    build: build::Args,
    /// Write Parquet files (needs a program built with the feature `parquet`).
    #[arg(long)]
    parquet: bool,
}

pub(super) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let format = shard_format(args.parquet)?;
    let output = &args.build.output;
    let report = read_inputs(&args.build, context, |files, progress, rejected| {
        let build = &args.build;
        let how = (build.strict, build.threads.into());
        map(files, output, format, build.options(), how, progress, rejected)
    })?;
    show_empty("no games in", &report.empty_files);
    let [sources, games, _] = report.rows;
    if context.common.json {
        let answer = json!({
            "schema": "juzhong.book.map/1",
            "shard": output.to_string_lossy(),
            "files": report.files,
            "same_files": report.same_files,
            "sources": sources,
            "games": games,
        });
        writeln!(context.out, "{answer}")?;
    } else {
        let shard = output.display();
        writeln!(context.out, "{shard}: {games} different games of {sources} different files")?;
    }
    Ok(exit::OK)
}

/// The format that was asked for, if this program has it.
pub(super) fn shard_format(parquet: bool) -> Result<ShardFormat, CliError> {
    if !parquet {
        return Ok(ShardFormat::Own);
    }
    #[cfg(feature = "parquet")]
    return Ok(ShardFormat::Parquet);
    #[cfg(not(feature = "parquet"))]
    Err(CliError::message(
        exit::USAGE,
        "this program has no Parquet; build it with cargo build --release --features parquet",
    ))
}
