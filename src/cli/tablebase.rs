use super::{CliError, Context, exit};

#[derive(Debug, clap::Subcommand)]
pub(super) enum Command {}

pub(super) fn run(_command: &Command, _context: &mut Context<'_>) -> Result<u8, CliError> {
    Err(CliError::message(exit::UNAVAILABLE, "not built yet"))
}
