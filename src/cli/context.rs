//! The output and the options that every command has, and its answer as JSON.

use std::collections::HashSet;
use std::io::Write;
use std::path::PathBuf;

use serde::Serialize;

use crate::cli::exit::{self, CliError};
use crate::game_name::GameName;
use crate::language::Language;
use juzhong::message::message;
use juzhong::protocol::client::{EngineEntry, EngineSizes};

/// Options that every subcommand takes; they stand at the end of each help.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Common {
    /// Game to use.
    #[arg(long, global = true, value_enum, default_value = "xiangqi")]
    pub(crate) game: GameName,
    /// Answer queries with one JSON object.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Language of messages, help and reports [default: by LC_ALL, LC_MESSAGES or LANG].
    #[arg(long, global = true, value_enum)]
    pub(crate) lang: Option<Language>,
    /// Settings file, or none for no file [default: config.toml in the user's settings folder].
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Log to standard error; repeat for more detail.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

impl Common {
    /// Refuses other games for a command that has xiangqi only.
    pub(crate) fn require_xiangqi(&self, command: &str) -> Result<(), CliError> {
        if self.game == GameName::Xiangqi {
            return Ok(());
        }
        let message = message!("{command} knows only xiangqi; leave --game out");
        Err(CliError::message(exit::USAGE, message))
    }
}

/// The output and the common options of a subcommand, and what the user has said elsewhere.
pub(crate) struct Context<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) common: Common,
    /// The engines of the settings, in the order of the file.
    pub(crate) engines: Vec<EngineEntry>,
    /// The settings file, whether it is there or not; `None` if there is to be none.
    pub(crate) settings_file: Option<PathBuf>,
    /// The ids of the options that stand on the command line.
    pub(crate) typed: HashSet<String>,
}

impl<'a> Context<'a> {
    /// An output and options, without settings.
    pub(crate) fn new(out: &'a mut dyn Write, common: Common) -> Self {
        let (engines, typed) = (Vec::new(), HashSet::new());
        Self { out, common, engines, settings_file: None, typed }
    }

    /// The sizes that the command line itself asks for, of the values of its options `--threads` and `--hash`: only
    /// these count more than what the settings say of another engine.
    pub(crate) fn typed_sizes(&self, threads: usize, hash_mib: usize) -> EngineSizes {
        let threads = self.typed_value("threads", threads);
        EngineSizes { threads, hash_mib: self.typed_value("hash", hash_mib) }
    }

    /// The value of an option that stands on the command line.
    fn typed_value(&self, name: &str, value: usize) -> Option<usize> {
        self.is_typed(name).then_some(value)
    }

    /// Returns true if the option of that id stands on the command line.
    pub(crate) fn is_typed(&self, name: &str) -> bool {
        self.typed.contains(name)
    }
}

/// The ids of the options of the command that stand on the command line.
pub(crate) fn typed_options(matches: &clap::ArgMatches) -> HashSet<String> {
    let mut command = matches;
    while let Some((_, below)) = command.subcommand() {
        command = below;
    }
    command.ids().filter(|id| is_typed(command, id)).map(ToString::to_string).collect()
}

/// Returns true if an option of the command stands on the command line.
fn is_typed(command: &clap::ArgMatches, id: &clap::Id) -> bool {
    command.try_contains_id(id.as_str()).is_ok()
        && command.value_source(id.as_str()) == Some(clap::parser::ValueSource::CommandLine)
}

/// Writes an answer as a line of JSON, with its members in the order of their names.
pub(crate) fn write_answer(out: &mut dyn Write, answer: &impl Serialize) -> std::io::Result<()> {
    writeln!(out, "{}", serde_json::to_value(answer)?)
}
