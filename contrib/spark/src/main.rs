//! Shards of opening books as Parquet files, and back: `juzhong-parquet --help`.

mod columns;
mod convert;
mod file;
#[path = "../../../src/cli/args/size.rs"]
mod size;

use std::num::NonZero;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use juzhong::book::Work;
use juzhong::bytes::StopFlag;

use crate::size::parse_size;

/// Converts the shards of `juzhong book map` and `reduce` to Parquet files and back.
#[derive(Debug, Parser)]
#[command(name = "juzhong-parquet", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the data sets of a shard as Parquet files.
    Export(Export),
    /// Make a shard of Parquet files.
    Import(Import),
}

#[derive(Debug, clap::Args)]
struct Export {
    /// The shard: a folder written by `juzhong book map` or `reduce`, without sample games.
    shard: PathBuf,
    /// Folder for the Parquet files; it must be new or empty.
    #[arg(short, long)]
    output: PathBuf,
}

#[derive(Debug, clap::Args)]
struct Import {
    /// A folder with `plan.json` and each data set NAME as a file NAME.parquet or as a folder NAME of
    /// Parquet files.
    folder: PathBuf,
    /// Folder for the shard; it must be new or empty.
    #[arg(short, long)]
    output: PathBuf,
    /// Number of threads [default: one per core].
    #[arg(long, default_value_t = 0, hide_default_value = true,
        value_parser = clap::value_parser!(u16).range(..=1024))]
    threads: u16,
    /// Memory for sorting, such as 512MiB; the rest goes to temporary files.
    #[arg(long, default_value = "512MiB", value_parser = parse_size::<usize>)]
    memory: usize,
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Export(Export { shard, output }) => convert::export(&shard, &output),
        Command::Import(Import { folder, output, threads, memory }) => {
            let threads = NonZero::new(threads.into());
            let work = Work { memory, threads, stop: StopFlag::default() };
            Ok(convert::import(&folder, &output, work)?)
        }
    }
}
