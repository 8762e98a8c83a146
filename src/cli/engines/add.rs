//! `juzhong engine add`.

use std::path::Path;

use super::file::{SettingsFile, make_folder, settings_file};
use super::shown::{answer_of, print_trial, trial_answer};
use super::trial::{Trial, TrialArgs, tried};
use crate::cli::args::engine_command::{Spoken, parse_option, parse_protocol};
use crate::cli::args::engine_table::{AT_ONCE, HASH, THREADS, check_name};
use crate::cli::{CliError, Context, OrExit, exit, write_answer};
use crate::language::say;
use juzhong::answers::EngineChangeAnswer;
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::message::message;
use juzhong::protocol::Dialect;
use juzhong::protocol::client::{EngineCommand, EngineEntry};

/// Start an engine, look at what it is, and give it a name in the settings.
///
/// The engine is started, set up, asked for a move and ended; its protocol, name and options are shown. If that does
/// not work, the error is reported (exit code 69) and nothing is stored. The rest of the settings file stays
/// unchanged. Put -- before arguments of the engine that start with -.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Name to use with --engine: letters, digits, dots, - and _.
    name: String,
    /// The program and its arguments.
    #[arg(required = true)]
    command: Vec<String>,
    /// Its protocol: auto, uci, ucci, cyclone or gomocup.
    #[arg(long, default_value = "auto", value_parser = parse_protocol)]
    protocol: Spoken,
    /// Option of the engine, set whenever it starts; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option)]
    option: Vec<(String, String)>,
    /// Threads of its searches [default: as the engine has it].
    #[arg(long, value_parser = clap::value_parser!(u64).range(*THREADS.start() as u64..=*THREADS.end() as u64))]
    threads: Option<u64>,
    /// Size of its transposition table in MiB [default: as the engine has it].
    #[arg(long, value_name = "MIB",
        value_parser = clap::value_parser!(u64).range(*HASH.start() as u64..=*HASH.end() as u64))]
    hash: Option<u64>,
    /// Processes of it that may run at the same time.
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u64).range(*AT_ONCE.start() as u64..=*AT_ONCE.end() as u64))]
    at_once: u64,
    /// Replace the engine of that name.
    #[arg(long)]
    replace: bool,
    /// Keep it without starting it.
    #[arg(long, conflicts_with = "patience")]
    no_test: bool,
    #[command(flatten)]
    trial: TrialArgs,
}

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    let name = &args.name;
    check_name(name).map_err(|fault| CliError::message(exit::USAGE, fault).within(name))?;
    let path = settings_file(context)?;
    if !args.replace && context.engines.iter().any(|known| known.name == *name) {
        return Err(name_taken(name));
    }
    let mut entry = args.entry()?;
    let trial = match args.no_test {
        true => None,
        false => Some(tried(&entry, context.common.game, &args.trial)?),
    };
    if let Some(trial) = &trial {
        entry.protocol = entry.protocol.or(Some(trial.protocol));
        // Others say it by their protocol.
        let game = (trial.protocol == Dialect::Uci).then(|| context.common.game.name());
        entry.game = entry.game.or(game);
    }
    let removed = keep(&entry, &path, args.replace)?;
    if context.common.json {
        let answer = EngineChangeAnswer {
            schema: EngineChangeAnswer::SCHEMA,
            file: path.to_string_lossy().into_owned(),
            added: Some(answer_of(&entry)),
            removed: removed.as_ref().map(answer_of),
            trial: trial.as_ref().map(trial_answer),
        };
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    print(&entry, trial.as_ref(), &path, context)?;
    Ok(exit::OK)
}

fn name_taken(name: &str) -> CliError {
    let message = message!("the settings have an engine {name}; --replace replaces it");
    CliError::message(exit::USAGE, message)
}

/// Keeps an engine in the settings file; returns the one that it replaces.
fn keep(entry: &EngineEntry, path: &Path, replaces: bool) -> Result<Option<EngineEntry>, CliError> {
    make_folder(path)?;
    let file = SettingsFile::claim(path)?;
    let present = file.engine(&entry.name)?;
    if present.is_some() && !replaces {
        return Err(name_taken(&entry.name));
    }
    file.add(entry, present.is_some())?;
    Ok(present)
}

fn print(
    entry: &EngineEntry,
    trial: Option<&Trial>,
    path: &Path,
    context: &mut Context<'_>,
) -> Result<(), CliError> {
    if let Some(trial) = trial {
        print_trial(trial, context)?;
    }
    let name = Visible(&entry.name);
    say!(context.out, "{name} is in {} now", path.shown())?;
    Ok(())
}

impl Args {
    fn entry(&self) -> Result<EngineEntry, CliError> {
        let command = self.command()?;
        Ok(EngineEntry {
            name: self.name.clone(),
            command,
            protocol: self.protocol.0,
            game: None,
            options: self.option.clone(),
            threads: self.threads.map(|threads| threads as usize),
            hash: self.hash.map(|mib| mib as usize),
            at_once: self.at_once as usize,
        })
    }

    /// The command: these words, or if there is one that names no file, the words in it. The program's path holds from
    /// every folder.
    fn command(&self) -> Result<EngineCommand, CliError> {
        let words = match self.command.as_slice() {
            [text] if !Path::new(text).exists() => EngineCommand::parse(text),
            [program, args @ ..] => {
                Some(EngineCommand { program: program.clone(), args: args.to_vec() })
            }
            [] => None,
        };
        let command = words.filter(|command| !command.program.is_empty()).ok_or_else(|| {
            let message = message!("no program in it, or a quote is not closed");
            CliError::message(exit::USAGE, message)
        })?;
        if !command.program.chars().any(std::path::is_separator) {
            return Ok(command);
        }
        let path = std::path::absolute(&command.program).or_exit(exit::USAGE)?;
        let program = path.into_os_string().into_string().unwrap_or(command.program);
        Ok(EngineCommand { program, args: command.args })
    }
}
