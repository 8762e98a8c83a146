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
    /// List the engines of the settings.
    List(list::Args),
    /// Start an engine, look at what it is, and give it a name in the settings.
    ///
    /// It is started, set up, asked for a move and ended. If that does not work, the fault is said (exit code 69) and
    /// nothing is kept. The rest of the settings file stays as it is. Arguments of the engine that begin with - stand
    /// behind --.
    Add(add::Args),
    /// Start an engine, let it search briefly, and say how long it took.
    ///
    /// Its options are set as in the settings. If something is wrong, the fault is said (exit code 69).
    Test(test::Args),
    /// Remove an engine from the settings.
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
