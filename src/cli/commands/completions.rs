//! `juzhong completions`.

use clap_complete::Shell;

use crate::cli::{CliError, Context, exit};

/// Print a completion script for a shell.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Shell to write the script for.
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script for the program whose commands these are.
pub(crate) fn run(
    args: &Args,
    mut program: clap::Command,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut program, "juzhong", &mut script);
    context.out.write_all(&script)?;
    Ok(exit::OK)
}
