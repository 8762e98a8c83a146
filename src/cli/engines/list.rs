//! `juzhong engine list`.

use super::shown::{answer_of, command_text, values_text};
use crate::cli::{CliError, Context, exit, write_answer};
use crate::language::say;
use juzhong::answers::EnginesAnswer;
use juzhong::bytes::visible::{ShowPath, Visible};

/// List the engines of the settings.
///
/// Shows their names, commands and values.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    if context.common.json {
        let answer = EnginesAnswer {
            schema: EnginesAnswer::SCHEMA,
            file: context.settings_file.as_ref().map(|file| file.to_string_lossy().into_owned()),
            engines: context.engines.iter().map(answer_of).collect(),
        };
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    match &context.settings_file {
        Some(file) => say!(context.out, "file  {}", file.shown())?,
        None => say!(context.out, "file  none")?,
    }
    if context.engines.is_empty() {
        say!(context.out, "no engines; add one by `juzhong engine add NAME PROGRAM`")?;
    }
    for entry in &context.engines {
        let (name, command) = (Visible(&entry.name), command_text(&entry.command));
        let values = values_text(entry);
        let values = if values.is_empty() { values } else { format!("  ({values})") };
        writeln!(context.out, "{name}  {}{}", Visible(&command), Visible(&values))?;
    }
    Ok(exit::OK)
}
