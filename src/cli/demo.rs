use super::{CliError, Context, exit};

#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run(_args: &Args, _context: &mut Context<'_>) -> Result<u8, CliError> {
    Err(CliError::message(exit::UNAVAILABLE, "not built yet"))
}
