//! The output and the options that every command has.

use std::io::Write;
use std::path::PathBuf;

use crate::cli::exit::{self, CliError};
use crate::game_name::GameName;
use crate::language::Language;
use juzhong::message::message;

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

/// The output and the common options of a subcommand.
pub(crate) struct Context<'a> {
    pub(crate) out: &'a mut dyn Write,
    pub(crate) common: Common,
}
