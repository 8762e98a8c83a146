use clap::CommandFactory;
use clap_complete::Shell;

use super::{Cli, CliError, Context, exit};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Shell to write the script for.
    #[arg(value_enum)]
    shell: Shell,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "juzhong", &mut script);
    context.out.write_all(&script)?;
    Ok(exit::OK)
}
