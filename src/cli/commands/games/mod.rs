//! Collections of games: an index of them, searches in it, one game at once.

mod find;
mod index;
mod novelties;
mod openings;
mod output;
mod show;

use crate::cli::{CliError, Context};

#[cfg(feature = "web")]
pub(crate) use index::index_folder;
pub(crate) use index::{CollectionArgs, OpenIndex, open};
pub(crate) use output::{GameOutput, OutputArgs, refuse_both};

/// Search collections of games by an index.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    Index(index::Args),
    Find(Box<find::Args>),
    Openings(openings::Args),
    Show(show::Args),
    Novelties(Box<novelties::Args>),
}

impl Command {
    /// Returns true if standard output is for programs.
    pub(crate) fn writes_data(&self) -> bool {
        match self {
            Self::Index(_) => false,
            Self::Openings(args) => args.writes_data(),
            Self::Find(args) => args.writes_data(),
            Self::Show(args) => args.writes_data(),
            Self::Novelties(args) => args.writes_data(),
        }
    }
}

pub(crate) fn run(command: &Command, context: &mut Context<'_>) -> Result<u8, CliError> {
    match command {
        Command::Index(args) => index::run(args, context),
        Command::Find(args) => find::run(args, context),
        Command::Openings(args) => openings::run(args, context),
        Command::Show(args) => show::run(args, context),
        Command::Novelties(args) => novelties::run(args, context),
    }
}
