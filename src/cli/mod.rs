//! The command line: one file per subcommand. All printing and all exit codes live here.
//!
//! Results go to standard output, progress and logs to standard error.

#![expect(clippy::print_stderr, reason = "this room is where the program speaks")]

mod args;
mod commands;
mod context;
mod engines;
pub(crate) mod exit;
mod interrupt;
mod play;
mod print;
mod prompt;
mod train;
mod user_folders;

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;
#[cfg(unix)]
use std::sync::Arc;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use tracing_subscriber::field::MakeExt;
use tracing_subscriber::fmt::format::debug_fn;

use crate::language::{self, Language, text};
use args::settings::{self, Settings};
#[cfg(feature = "web")]
use commands::serve;
use commands::{
    analyse, bench, book, completions, config, convert, demo, games, gomocup, man, r#match, perft,
    player, position, proxy, repertoire, review, solve, tablebase, uci,
};
use juzhong::bytes::machine::has_own_console;
use juzhong::bytes::visible::{Form, Visible, VisibleWriter};
use juzhong::protocol::Dialect;

pub(crate) use crate::game_name::{GameName, with_game};
pub(crate) use crate::tell::{notice, tell};
use context::typed_options;
pub(crate) use context::{Common, Context, write_answer};
pub(crate) use exit::{CliError, OrExit};

/// Opening books, rule-correct endgame tables and an engine for xiangqi and gomoku.
#[derive(Debug, Parser)]
#[command(name = "juzhong", version, about, arg_required_else_help = true)]
struct Cli {
    #[command(flatten)]
    common: Common,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(demo::Args),
    Position(position::Args),
    Perft(perft::Args),
    Convert(convert::Args),
    /// Build, query and maintain opening books.
    #[command(subcommand)]
    Book(book::Command),
    /// Search collections of games by an index.
    #[command(subcommand)]
    Games(games::Command),
    Player(player::Args),
    /// Make and check opening repertoires: books for one side.
    #[command(subcommand)]
    Repertoire(repertoire::Command),
    /// Generate, probe and verify endgame tables.
    #[command(subcommand, visible_alias = "tb")]
    Tablebase(tablebase::Command),
    Play(play::Args),
    Match(r#match::Args),
    /// Run as a UCI engine on standard input and output (or UCCI, if the GUI starts with it).
    ///
    /// The options given here are the defaults that the GUI sees. The first word of the GUI (uci, ucicyclone or ucci)
    /// decides the protocol.
    Uci(uci::Args),
    /// Run as a UCCI engine on standard input and output (or UCI, if the GUI starts with it).
    ///
    /// The options given here are the defaults that the GUI sees. The first word of the GUI (uci, ucicyclone or ucci)
    /// decides the protocol.
    Ucci(uci::Args),
    Gomocup(gomocup::Args),
    Proxy(proxy::Args),
    /// List, add, test and remove engines of other programs.
    #[command(subcommand)]
    Engine(engines::Command),
    Analyse(analyse::Args),
    Review(review::Args),
    Train(train::Args),
    Solve(solve::Args),
    #[cfg(feature = "web")]
    Serve(serve::Args),
    Bench(bench::Args),
    Config(config::Args),
    Completions(completions::Args),
    #[command(hide = true)]
    Man(man::Args),
}

impl Command {
    /// Returns true if standard output is for programs, which read every character as it is.
    fn writes_data(&self) -> bool {
        match self {
            Self::Convert(args) => args.writes_data(),
            Self::Position(args) => args.writes_data(),
            Self::Review(args) => args.writes_data(),
            // Play and train draw in colour, and guard the rest of their output themselves.
            Self::Uci(_)
            | Self::Ucci(_)
            | Self::Gomocup(_)
            | Self::Proxy(_)
            | Self::Completions(_)
            | Self::Play(_) => true,
            Self::Train(args) => args.is_session(),
            Self::Book(command) => command.writes_data(),
            Self::Games(command) => command.writes_data(),
            Self::Player(args) => args.writes_data(),
            _ => false,
        }
    }
}

/// Runs the program with `args` (the program's name first) and returns its exit code. Results go
/// to `out`, everything else to standard error.
///
/// Without arguments, and with input from another program, it is an engine: many GUIs start a file and cannot
/// give arguments. Under a name that begins with `pbrain-`, or if it is spoken to as they speak, it is one for managers
/// of gomoku engines. Started by a double click it opens its page, and its window stays until an error is read.
pub(crate) fn run(args: impl IntoIterator<Item = OsString>, out: &mut dyn Write) -> u8 {
    let mut args: Vec<OsString> = args.into_iter().collect();
    if args.len() < 2 {
        if let Some(protocol) = protocol_wanted(args.first()) {
            args = vec!["juzhong".into(), protocol.into()];
        } else if cfg!(feature = "web") && has_own_console() {
            args = PAGE.map(OsString::from).to_vec();
            let code = run_with(&args, out);
            if code != exit::OK {
                wait_for_enter();
            }
            return code;
        }
    }
    run_with(&args, out)
}

/// The command line of a double click.
const PAGE: [&str; 4] = ["juzhong", "serve", "--open", "--demo"];

/// Waits until somebody has read what is in the window.
fn wait_for_enter() {
    tell(text!("press Enter to close this window"));
    let mut line = String::new();
    // Without input there is nothing to wait for.
    let _read = std::io::stdin().read_line(&mut line);
}

/// Runs the program with these arguments, the program's name first.
fn run_with(args: &[OsString], out: &mut dyn Write) -> u8 {
    let settings = Settings::load(args, command_line);
    let named = settings::value_of(args, "--lang").or_else(|| match &settings {
        Ok(settings) => settings.value("lang").map(OsStr::to_owned),
        Err(_) => None,
    });
    // Before an error of the settings is shown, which is to be in the language, too.
    Language::choose(named.as_deref()).set();
    let settings = match settings {
        Ok(settings) => settings,
        Err(error) => return error.report(),
    };
    let command = language::localized(settings.apply(command_line(), args));
    let matches = command.try_get_matches_from(args);
    let read = matches.and_then(|matches| {
        Cli::from_arg_matches(&matches).map(|cli| (cli, typed_options(&matches)))
    });
    let (cli, typed) = match read {
        Ok(read) => read,
        Err(error) => return exit::from_clap(&error, &command_line(), args, out),
    };
    log_to_stderr(cli.common.verbose);
    if let Some(folder) = user_folders::cache() {
        juzhong::book::keep_imports_in(folder.join("books"), print::bar::show_import);
    }
    outlive_size_limits();
    let mut visible;
    let out: &mut dyn Write = if cli.command.writes_data() {
        out
    } else {
        let form = if cli.common.json { Form::Json } else { Form::Text };
        visible = VisibleWriter::new(out, form);
        &mut visible
    };
    let mut context = Context {
        engines: settings.engines().to_vec(),
        settings_file: settings.file().map(Path::to_owned),
        typed,
        ..Context::new(out, cli.common)
    };
    let result = dispatch(cli.command, &settings, &mut context);
    // After an error, too: what was written before it is part of the output.
    let flushed = context.out.flush().map_err(CliError::from);
    match result.and_then(|code| flushed.map(|()| code)) {
        Ok(code) => code,
        Err(error) => error.report(),
    }
}

/// The commands and their options, with the defaults of the program.
pub(crate) fn command_line() -> clap::Command {
    with_negative_values(Cli::command())
}

/// The command with options whose values may look like negative numbers: where these do not go, the option says which
/// do.
fn with_negative_values(command: clap::Command) -> clap::Command {
    let command = command.mut_args(|arg| match arg.get_action().takes_values() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    });
    command.mut_subcommands(with_negative_values)
}

/// Returns true if the program is called as managers of gomoku engines want it.
fn is_gomoku_brain(name: Option<&OsString>) -> bool {
    const PREFIX: &[u8] = b"pbrain-";
    let file = name.and_then(|name| Path::new(name).file_name());
    // As bytes: the name may be no UTF-8, or have a character across the end of the prefix.
    let start = file.and_then(|file| file.as_encoded_bytes().get(..PREFIX.len()));
    start.is_some_and(|start| start.eq_ignore_ascii_case(PREFIX))
}

/// The command for the protocol of the program that has started this one, without arguments and under this name:
/// what it says first decides, where the name does not. `None` where no program speaks to this one.
fn protocol_wanted(name: Option<&OsString>) -> Option<&'static str> {
    /// The first words of managers of gomoku engines.
    const WORDS: [&[u8]; 4] = [b"START ", b"RECTSTART ", b"INFO ", b"ABOUT"];
    if is_gomoku_brain(name) {
        return Some("gomocup");
    }
    let input = std::io::stdin();
    if input.is_terminal() {
        return None;
    }
    let mut input = input.lock();
    // Looked at without being consumed: the protocol reads the same bytes from this buffer of the process.
    let said = input.fill_buf().ok().filter(|bytes| !bytes.is_empty())?;
    Some(if WORDS.iter().any(|word| said.starts_with(word)) { "gomocup" } else { "uci" })
}

/// Makes a file that exceeds the size limit of the process (`ulimit -f`) an error of writing, as a
/// full disk is, instead of the end of the program: the signal's default action is replaced by one
/// without effect.
fn outlive_size_limits() {
    #[cfg(unix)]
    if let Err(error) = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default()) {
        tracing::debug!(%error, "the signal of the size limit keeps its effect");
    }
}

/// Sends the library's log to standard error, in colour only to a terminal that wants it.
fn log_to_stderr(verbose: u8) {
    let level = match verbose {
        0 => return,
        1 => tracing::Level::INFO,
        _ => tracing::Level::DEBUG,
    };
    let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
    // Values are often others' texts.
    let fields = debug_fn(|out, field, value| match field.name() {
        "message" => write!(out, "{}", Visible(format_args!("{value:?}"))),
        name => write!(out, "{name}={}", Visible(format_args!("{value:?}"))),
    });
    let log = tracing_subscriber::fmt().with_max_level(level).with_ansi(colour).without_time();
    let log = log.fmt_fields(fields.delimited(" "));
    if log.with_writer(std::io::stderr).try_init().is_err() {
        notice("the log was set up before; -v does nothing more");
    }
}

fn dispatch(
    command: Command,
    settings: &Settings,
    context: &mut Context<'_>,
) -> Result<u8, CliError> {
    match command {
        Command::Demo(args) => demo::run(&args, context),
        Command::Position(args) => position::run(&args, context),
        Command::Perft(args) => perft::run(&args, context),
        Command::Convert(args) => convert::run(&args, context),
        Command::Book(command) => book::run(&command, context),
        Command::Games(command) => games::run(&command, context),
        Command::Player(args) => player::run(&args, context),
        Command::Repertoire(command) => repertoire::run(&command, context),
        Command::Tablebase(command) => tablebase::run(&command, context),
        Command::Play(args) => play::run(&args, context),
        Command::Match(args) => r#match::run(&args, context),
        Command::Uci(args) => uci::run(&args, Dialect::Uci, context),
        Command::Ucci(args) => uci::run(&args, Dialect::Ucci, context),
        Command::Gomocup(args) => gomocup::run(&args, context),
        Command::Proxy(args) => proxy::run(&args, context),
        Command::Engine(command) => engines::run(&command, context),
        Command::Analyse(args) => analyse::run(&args, context),
        Command::Review(args) => review::run(&args, context),
        Command::Train(args) => train::run(&args, context),
        Command::Solve(args) => solve::run(&args, context),
        #[cfg(feature = "web")]
        Command::Serve(args) => serve::run(&args, context),
        Command::Bench(args) => bench::run(&args, context),
        Command::Config(_) => config::run(settings, &command_line(), context),
        Command::Completions(args) => completions::run(&args, Cli::command(), context),
        Command::Man(args) => man::run(&args, Cli::command(), context),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_argument_definitions_are_consistent() {
        super::Cli::command().debug_assert();
    }
}
