//! `juzhong engine`: the engines of other programs that the settings know by name.

mod add;
mod file;
mod list;
mod remove;
mod shown;
mod test;
mod trial;

use crate::cli::{CliError, Context};

/// List, add, test and remove engines of other programs.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    List(list::Args),
    Add(add::Args),
    Test(test::Args),
    Remove(remove::Args),
}

pub(crate) fn run(command: &Command, context: &mut Context<'_>) -> Result<u8, CliError> {
    match command {
        Command::List(args) => list::run(args, context),
        Command::Add(args) => add::run(args, context),
        Command::Test(args) => test::run(args, context),
        Command::Remove(args) => remove::run(args, context),
    }
}
