//! Networks beside the classical evaluation: losses, speed, games.

mod classical;
mod games;
mod losses;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context;
use juzhong::bytes::open;
use juzhong::bytes::visible::ShowPath;
use juzhong::network::{Network, NetworkEvaluator};
use juzhong::search::eval::xiangqi::Evaluation;

/// Compares a network with the classical evaluation of xiangqi.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    question: Question,
}

#[derive(Debug, clap::Subcommand)]
enum Question {
    /// Write the classical evaluation of positions beside their files, for a network that corrects it.
    Classical(classical::Args),
    /// Loss on positions with scores and results, and time of an evaluation.
    Losses(losses::Args),
    /// Result of games of a search with the one against a search with the other.
    Games(games::Args),
}

pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.question {
        Question::Classical(args) => classical::run(args),
        Question::Losses(args) => losses::run(args),
        Question::Games(args) => games::run(args),
    }
}

/// Greater files are no networks.
const MOST_BYTES: u64 = 64 << 20;

/// The evaluation by the network of a file, or the classical one.
pub(crate) fn evaluation(file: Option<&PathBuf>) -> anyhow::Result<Evaluation> {
    Ok(match file {
        Some(file) => Evaluation::Network(NetworkEvaluator::new(Arc::new(read(file)?))),
        None => Evaluation::Classical,
    })
}

/// The network of a file.
pub(crate) fn read(file: &Path) -> anyhow::Result<Network> {
    let name = || file.shown().to_string();
    let bytes = open::read(file, MOST_BYTES).with_context(name)?;
    Network::from_bytes(&bytes).with_context(name)
}
