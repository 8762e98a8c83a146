use std::io::{BufReader, stdin};
use std::time::Duration;

use super::contest::{Spoken, parse_option, parse_protocol};
use super::player::PlayerArgs;
use super::{CliError, Context, OrExit, exit, interrupt};
use juzhong::protocol::client::{EngineCommand, Timeouts};
use juzhong::protocol::{Dialect, Ranks};
use juzhong::proxy;
use juzhong::proxy::{ProxyError, ProxyOptions};
use juzhong::xiangqi::Position;

/// Presents another engine with our books and tables in front of it, to a GUI on standard input and
/// output. Either side may speak UCI or UCCI. The options given here are the defaults that the GUI
/// sees; there, those of books, tables and rules have names that begin with Jz.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Command line of the engine, as one argument; quote parts that contain spaces.
    #[arg(long, value_name = "CMD")]
    engine: String,
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
    if args.protocol.0 == Some(Dialect::Gomocup) {
        let message = "--protocol: choose auto, uci, ucci or cyclone";
        return Err(CliError::message(exit::USAGE, message));
    }
    let command = EngineCommand::parse(&args.engine).ok_or_else(|| {
        let message = "--engine wants a program, with its quotes closed";
        CliError::message(exit::USAGE, message)
    })?;
    args.player.check_sizes()?;
    let start = Duration::from_secs_f64(args.patience);
    let options = ProxyOptions {
        command,
        protocol: args.protocol.0,
        ranks: args.ranks.map(|first| if first == 0 { Ranks::FromZero } else { Ranks::FromOne }),
        options: args.engine_option.clone(),
        own: args.player.options::<Position>()?,
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

fn parse_seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.1..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "seconds go from 0.1 to 3600".to_owned())
}
