//! `juzhong config`.

use clap::{Command, ValueEnum};

use crate::cli::args::settings::Settings;
use crate::cli::print::terminal::BoardStyle;
use crate::cli::{CliError, Context, exit, write_answer};
use crate::language::{Language, left, say, word};
use juzhong::answers::SettingInEffect;
use juzhong::bytes::visible::{ShowPath, Visible};
use juzhong::xiangqi::{Position, RuleSet};

/// Show the settings in effect and where each comes from.
///
/// Settings are defaults for options: --book, --tables, --rules, --notation, --board, --lang and the options of the
/// engine. They come from a TOML file and from the environment (JUZHONG_BOOK, JUZHONG_TABLES, ...); the command line
/// overrides both. The file is config.toml in the folder juzhong of the user's settings folder ($XDG_CONFIG_HOME, on
/// Windows %APPDATA%), or the one that --config or JUZHONG_CONFIG names (none: no file).
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLE)]
pub(crate) struct Args {}

const EXAMPLE: &str = "\
Example file; paths are relative to its folder:
  book = [\"master.book\", \"black.book:black\"]
  tables = \"tables\"
  rules = \"asian\"
  notation = \"chinese\"
  board = \"hanzi\"
  lang = \"zh\"
  [engine]
  hash = 256
  threads = 2";

/// Shows the settings; `program` has the options whose defaults they are.
pub(crate) fn run(
    settings: &Settings,
    program: &Command,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    let usual = [
        ("lang", name_of(&Language::current())),
        ("board", name_of(&BoardStyle::usual::<Position>())),
        ("rules", RuleSet::default().to_string()),
    ];
    let answer = settings.in_effect(program, &usual);
    if context.common.json {
        write_answer(context.out, &answer)?;
        return Ok(exit::OK);
    }
    match settings.file() {
        Some(file) if answer.file_read => say!(context.out, "file  {}", file.shown())?,
        Some(file) => say!(context.out, "file  {} (there is none)", file.shown())?,
        None => say!(context.out, "file  none")?,
    }
    for SettingInEffect { name, values, source } in &answer.settings {
        let values = if values.is_empty() { "-".to_owned() } else { values.join(", ") };
        let values = Visible(&values).to_string();
        writeln!(context.out, "{name:<23} {} {}", left(&values, 24), word(source))?;
    }
    Ok(exit::OK)
}

/// The name of a value on the command line.
fn name_of(value: &impl ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}
