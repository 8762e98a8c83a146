//! `juzhong engine test`.

use super::shown::{answer_of, print_trial, trial_answer};
use super::trial::{TrialArgs, tried};
use crate::cli::args::engine_command::named_engine;
use crate::cli::{CliError, Context, exit, write_answer};
use juzhong::answers::EngineTestAnswer;

/// Start an engine, let it search briefly, and say how long it took.
///
/// Its options are set as in the settings. If something is wrong, the error is reported (exit code 69).
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A name of the settings, or the command line of a program as one argument.
    #[arg(value_name = "NAME|CMD")]
    engine: String,
    #[command(flatten)]
    trial: TrialArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let Some(entry) = named_engine(&args.engine, &context.engines)? else {
        let message = "this program's own engine needs no test; name another one";
        return Err(CliError::message(exit::USAGE, message));
    };
    let trial = tried(&entry, context.common.game, &args.trial)?;
    if context.common.json {
        let schema = EngineTestAnswer::SCHEMA;
        let (engine, trial) = (answer_of(&entry), trial_answer(&trial));
        write_answer(context.out, &EngineTestAnswer { schema, engine, trial })?;
    } else {
        print_trial(&trial, context)?;
    }
    Ok(exit::OK)
}
