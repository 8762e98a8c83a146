//! `juzhong proxy`: another engine behind books and tables.

use std::io::{BufReader, stdin};
use std::time::Duration;

use crate::cli::args::engine_args::EngineArgs;
use crate::cli::args::engine_command::{Spoken, parse_option, parse_protocol, parse_seconds};
use crate::cli::args::player::PlayerArgs;
use crate::cli::{CliError, Context, OrExit, exit, interrupt};
use juzhong::protocol::client::{EngineSizes, Timeouts};
use juzhong::protocol::{Dialect, Ranks};
use juzhong::proxy;
use juzhong::proxy::{ProxyError, ProxyOptions};
use juzhong::xiangqi::Position;

/// Run another engine with books and tables in front of it.
///
/// A GUI on standard input and output sees one engine. GUI and engine may each speak UCI or UCCI. The options given
/// here are the defaults that the GUI sees; there, the options of books, tables and rules have names that begin with
/// Jz.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    engine: EngineArgs,
    /// Protocol of the engine: auto, uci, ucci or cyclone.
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = parse_protocol)]
    protocol: Spoken,
    /// First rank in the engine's coordinates, if detected wrongly: 0 (to 9) or 1 (to 10).
    #[arg(long, value_name = "FIRST", value_parser = clap::value_parser!(u8).range(0..=1))]
    ranks: Option<u8>,
    /// Option of the engine, set whenever it starts; may be repeated.
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_option)]
    engine_option: Vec<(String, String)>,
    /// Seconds to wait for the engine's identification.
    #[arg(long, value_name = "SECONDS", default_value_t = 8.0, value_parser = parse_seconds)]
    patience: f64,
    #[command(flatten)]
    player: PlayerArgs,
}

/// The longest time from `stop` to an answer.
const STOP: Duration = Duration::from_secs(3);

pub(crate) fn run(args: &Args, context: &mut Context<'_>) -> Result<u8, CliError> {
    context.common.require_xiangqi("proxy")?;
    // The sizes of the command line are those with which this program plays on by itself.
    let entry =
        args.engine.entry::<Position>(EngineSizes::default(), context)?.ok_or_else(|| {
            let message = "a proxy stands in front of another engine; name it by --engine";
            CliError::message(exit::USAGE, message)
        })?;
    let protocol = args.protocol.0.or(entry.protocol);
    if protocol == Some(Dialect::Gomocup) {
        let message = "--protocol: choose auto, uci, ucci or cyclone";
        return Err(CliError::message(exit::USAGE, message));
    }
    args.player.check_sizes()?;
    let start = Duration::from_secs_f64(args.patience);
    let options = ProxyOptions {
        protocol,
        ranks: args.ranks.map(|first| if first == 0 { Ranks::FromZero } else { Ranks::FromOne }),
        sizes: entry.sizes(),
        options: [&entry.options[..], &args.engine_option].concat(),
        command: entry.command,
        own: args.engine.with_front(args.player.options::<Position>()?),
        timeouts: Timeouts { start, stop: start.min(STOP), ..Timeouts::default() },
    };
    interrupt::catch().or_exit(exit::IO)?;
    let input = BufReader::new(stdin());
    match proxy::serve(input, context.out, options, &interrupt::stop_flag()) {
        Ok(()) => Ok(exit::OK),
        Err(ProxyError::Io(error)) => Err(error.into()),
        Err(error @ ProxyError::Engine(_)) => Err(CliError::new(exit::USAGE, error)),
        Err(error) => Err(CliError::new(exit::UNAVAILABLE, error)),
    }
}
