//! `juzhong engine remove`.

use super::file::{SettingsFile, settings_file};
use super::shown::answer_of;
use crate::cli::{CliError, Context, exit, write_answer};
use crate::language::say;
use juzhong::answers::EngineChangeAnswer;
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::message::message;

/// Remove an engine from the settings.
///
/// The rest of the file stays unchanged, and so does the engine itself.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Its name.
    name: String,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let path = settings_file(context)?;
    if context.engines.iter().all(|entry| entry.name != args.name) {
        return Err(unknown_engine(&args.name, context));
    }
    let file = SettingsFile::claim(&path)?;
    let Some(removed) = file.engine(&args.name)? else {
        return Err(unknown_engine(&args.name, context));
    };
    file.remove(&args.name)?;
    if context.common.json {
        let answer = EngineChangeAnswer {
            schema: EngineChangeAnswer::SCHEMA,
            file: path.to_string_lossy().into_owned(),
            added: None,
            removed: Some(answer_of(&removed)),
            trial: None,
        };
        write_answer(context.out, &answer)?;
    } else {
        let name = Visible(&args.name);
        say!(context.out, "{name} is no longer in {}", path.shown())?;
    }
    Ok(exit::OK)
}

fn unknown_engine(name: &str, context: &Context<'_>) -> CliError {
    let names: Vec<&str> = context.engines.iter().map(|entry| entry.name.as_str()).collect();
    let names = if names.is_empty() { "-".to_owned() } else { names.join(", ") };
    let message = message!("the settings have no engine {name}; they have: {names}");
    CliError::message(exit::NO_INPUT, message)
}
