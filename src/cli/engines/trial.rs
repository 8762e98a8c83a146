//! A short trial of an engine: started, asked for a move at the start of a game, ended.

use std::time::{Duration, Instant};

use crate::cli::args::engine_command::{engine_fault, not_started, parse_seconds};
use crate::cli::interrupt::{self, stop_flag};
use crate::cli::{CliError, GameName, exit, with_game};
use juzhong::bytes::StopFlag;
use juzhong::engine::Playable;
use juzhong::game::Line;
use juzhong::protocol::client::{Client, ClientError, EngineEntry, GoLimits, Timeouts};
use juzhong::protocol::{Dialect, Ranks};

/// The time of the search.
const SEARCH: Duration = Duration::from_millis(200);
/// The longest time from `stop` to an answer, and from `quit` to the end.
const STOP: Duration = Duration::from_secs(3);

/// The times of a trial.
#[derive(Debug, clap::Args)]
pub(crate) struct TrialArgs {
    /// Seconds to wait for each answer of the engine.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = parse_seconds)]
    patience: f64,
}

impl TrialArgs {
    fn timeouts(&self) -> Timeouts {
        let start = Duration::from_secs_f64(self.patience);
        Timeouts { start, search: start, stop: start.min(STOP) }
    }
}

/// The findings of a trial.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) name: String,
    pub(crate) protocol: Dialect,
    pub(crate) ranks: Ranks,
    pub(crate) options: Vec<(String, String)>,
    pub(crate) best: Option<String>,
    pub(crate) depth: u32,
    pub(crate) start: Duration,
    pub(crate) ready: Duration,
    pub(crate) search: Duration,
    pub(crate) end: Duration,
    /// It has ended by itself.
    pub(crate) ended: bool,
    pub(crate) warnings: Vec<String>,
}

/// Tries an engine. One that speaks the Gomocup protocol plays gomoku, any other the game of the command line.
pub(crate) fn tried(
    entry: &EngineEntry,
    game: GameName,
    args: &TrialArgs,
) -> Result<Trial, CliError> {
    // From here on an interrupt ends the engine in good order.
    let control = stop_flag();
    let timeouts = args.timeouts();
    let began = Instant::now();
    // Its error is looked at after the interrupt, which may be the cause.
    let client = entry.start_until(timeouts, &control);
    if interrupt::is_requested() {
        return Err(CliError::message(exit::INTERRUPTED, "interrupted"));
    }
    let client = client.map_err(|error| not_started(error, entry))?;
    let start = began.elapsed();
    let game = if client.protocol() == Dialect::Gomocup { GameName::Gomoku } else { game };
    let trial = with_game!(game, G => search::<G>(client, timeouts, &control));
    if interrupt::is_requested() {
        return Err(CliError::message(exit::INTERRUPTED, "interrupted"));
    }
    Ok(Trial { start, ..trial.map_err(engine_fault)? })
}

/// Lets an engine that was started search, and ends it.
fn search<G: Playable>(
    mut client: Client,
    timeouts: Timeouts,
    control: &StopFlag,
) -> Result<Trial, ClientError> {
    let began = Instant::now();
    client.new_game()?;
    let ready = began.elapsed();
    let began = Instant::now();
    let limits = GoLimits { move_time: Some(SEARCH), ..GoLimits::default() };
    let line = Line::new(G::start(), 0);
    let found = client.analyse::<G>(None, &line, &limits, control)?;
    let search = began.elapsed();
    let options = client.announced_options();
    let options = options.map(|(name, kind)| (name.to_owned(), kind.to_owned())).collect();
    let (name, protocol, ranks) = (client.name().to_owned(), client.protocol(), client.ranks());
    let warnings = client.take_warnings();
    let began = Instant::now();
    client.quit();
    let end = began.elapsed();
    Ok(Trial {
        name,
        protocol,
        ranks,
        options,
        best: found.best.map(G::move_text),
        depth: found.depth,
        start: Duration::ZERO,
        ready,
        search,
        end,
        ended: end < timeouts.stop,
        warnings,
    })
}
