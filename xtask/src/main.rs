//! Tools of the developers of this project: `cargo xtask --help`.

mod endings;
mod games;
mod keys;
mod labelled;
mod network;
mod positions;
mod results;
mod selfplay;
mod spsa;
mod synth;
mod techniques;
mod tune;
mod tuning;

use clap::{Parser, Subcommand, ValueEnum};

/// Tools of the developers of juzhong.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Hold an evaluation against endgame tables.
    Endings(endings::Args),
    /// Draw the stored key table of a game again from the published seed.
    Keys(keys::Args),
    /// Compare a network with the classical evaluation.
    Network(network::Args),
    /// Play quick games and keep their positions, for training a network.
    Positions(positions::Args),
    /// Fit the chances of results that scores stand for.
    Results(results::Args),
    /// Let the engine play against itself.
    Selfplay(selfplay::Args),
    /// Tune the numbers of search by games.
    Spsa(spsa::Args),
    /// Make up games for measurements from a book.
    Synth(synth::Args),
    /// Count the nodes that search visits with and without its techniques.
    Techniques(techniques::Args),
    /// Fit the weights of the evaluation to the results of games.
    Tune(tune::Args),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum GameName {
    Xiangqi,
    Gomoku,
}

/// The options of a tool by its command line, the name of the tool first.
#[cfg(test)]
fn parsed<A: clap::Args>(words: Vec<&str>) -> A {
    let command = A::augment_args(clap::Command::new("xtask"));
    A::from_arg_matches(&command.get_matches_from(words)).unwrap()
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::Endings(args) => endings::run(&args),
        Command::Keys(args) => keys::run(&args),
        Command::Network(args) => network::run(&args),
        Command::Positions(args) => positions::run(&args),
        Command::Results(args) => results::run(&args),
        Command::Selfplay(args) => selfplay::run(&args),
        Command::Spsa(args) => spsa::run(&args),
        Command::Synth(args) => synth::run(&args),
        Command::Techniques(args) => techniques::run(&args),
        Command::Tune(args) => tune::run(&args),
    }
}
